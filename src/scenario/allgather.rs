//! An all-gather: which operation a scenario with `[allgather]` runs, and on what.
//!
//! # Scope and limitations
//! One all-gather on a network that nothing else uses. What varies from one to the next is for a sweep to say.

use crate::host::collective;
use crate::ids::HostId;
use crate::ring;
use crate::units::{Bytes, Duration};

use super::checked::RouteSource;
use super::ethernet::Ethernet;

/// An all-gather.
#[derive(Clone, Debug)]
pub struct Allgather {
    /// The algorithm.
    pub algorithm: Method,
    /// How many bytes each rank contributes.
    pub size: Bytes,
    /// What the cables carry.
    pub medium: Medium,
    /// When a send is over.
    pub protocol: Protocol,
    /// The most bytes of a message that is eager under [`Protocol::Threshold`], and that is never announced.
    pub threshold: Bytes,
    /// Whether a longer message that is not eager is announced, and sent only after an answer.
    pub handshake: bool,
    /// What software costs.
    pub software: Software,
    /// The spanning tree of LR1, LR2 and LR3; `None`: the one that the switches of an Ethernet elect, and a
    /// breadth-first one on the fabric.
    pub tree: Option<ring::Kind>,
    /// The machines in the order of ranks, each once.
    pub machines: Vec<HostId>,
    /// How many ranks a machine has; at least 1.
    pub ranks_per_machine: u32,
    /// How ranks are dealt to machines.
    pub placement: Placement,
    /// What the fabric carries a message in.
    pub packets: Packets,
    /// Whether messages of LR1, LR2 and LR3 follow the ring's own tree on the fabric, whatever its routes are.
    pub rings_follow_trees: bool,
    /// How often the operation is repeated between two readings of the clock.
    pub iterations: Iterations,
    /// How often that is measured; at least 1.
    pub executions: u32,
}

/// An all-gather by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A logical ring that is found on a tree of the network.
    Found(ring::Algorithm),
    /// An algorithm that knows no network, or a library's selection.
    Blind(collective::Algorithm),
}

/// What the cables carry, and how.
#[derive(Clone, Debug)]
pub enum Medium {
    /// Frames, stored and forwarded.
    Ethernet(Ethernet),
    /// Worms, cut through, on such routes.
    Fabric(RouteSource),
}

/// What the cables carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediumKind {
    /// Frames, stored and forwarded.
    Ethernet,
    /// Worms, cut through.
    Fabric,
}

/// When a send is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// When the message has left the sender.
    Eager,
    /// When its last byte is with the transport: over TCP, in the socket's buffer.
    Socket,
    /// When the receiver has it.
    Rendezvous,
    /// Eager below a number of bytes.
    Threshold,
}

/// What software costs at either end of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Software {
    /// For messages of at most [`Software::short_up_to`] bytes of data.
    pub short: Overheads,
    /// For longer ones.
    pub long: Overheads,
    /// The most bytes of data of a short message.
    pub short_up_to: Bytes,
    /// To copy a byte within a machine's memory.
    pub copy_byte: Duration,
    /// The library's header before the data of every message.
    pub envelope: Bytes,
    /// How much a piece of work may take more or less, in thousandths; up to 1000.
    pub jitter: u32,
}

/// What the software of both ends adds to a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// The sender's work for a message.
    pub send: Duration,
    /// The receiver's work for a message.
    pub receive: Duration,
    /// The sender's work for each byte.
    pub send_byte: Duration,
    /// The receiver's work for each byte.
    pub receive_byte: Duration,
}

/// What the fabric carries a message in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// The most bytes of a message in a packet, above zero; `None`: messages travel whole.
    pub data: Option<u32>,
    /// What each packet carries beside data and route.
    pub header: u32,
}

/// How ranks are dealt to machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The first ranks to the first machine, and so on.
    Block,
    /// One to each machine, and from the beginning.
    Cyclic,
}

/// How often the operation is repeated between two readings of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterations {
    /// As faraj2008 measured: 50 times up to 12 KB, 20 times up to 96 KB, else 10 times.
    Paper,
    /// So often; at least once.
    Number(u32),
}

/// With `--quick`, so many repetitions at most.
const QUICK_ITERATIONS: u32 = 2;

impl Allgather {
    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.machines.len() * self.ranks_per_machine as usize
    }

    /// The machine of every rank.
    pub fn placed(&self) -> Vec<HostId> {
        let (machines, each) = (self.machines.len(), self.ranks_per_machine as usize);
        let of = |rank: usize| match self.placement {
            Placement::Block => self.machines[rank / each],
            Placement::Cyclic => self.machines[rank % machines],
        };
        (0..machines * each).map(of).collect()
    }

    /// Whether all messages on the fabric follow the tree of the ring that is found, and none a route of all pairs.
    pub fn follows_tree(&self) -> bool {
        self.rings_follow_trees && matches!(self.algorithm, Method::Found(_))
    }

    /// One execution of two repetitions.
    pub(super) fn quick(self) -> Allgather {
        let number = match self.iterations {
            Iterations::Number(number) => number.min(QUICK_ITERATIONS),
            Iterations::Paper => QUICK_ITERATIONS,
        };
        Allgather { executions: 1, iterations: Iterations::Number(number), ..self }
    }
}

impl Iterations {
    /// The number for blocks of a size.
    ///
    /// # Source
    /// faraj2008, section 5: 50 times for 4 to 12 KB, 20 for 16 to 96 KB, 10 for 128 KB; sizes between and beyond take
    /// the number of the next larger size that is given.
    pub fn of(self, size: Bytes) -> u32 {
        match (self, size.0) {
            (Iterations::Number(number), _) => number,
            (Iterations::Paper, ..=12_288) => 50,
            (Iterations::Paper, ..=98_304) => 20,
            (Iterations::Paper, _) => 10,
        }
    }
}

impl Method {
    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Found(algorithm) => algorithm.name(),
            Method::Blind(algorithm) => algorithm.name(),
        }
    }
}

impl Medium {
    /// Its kind.
    pub const fn kind(&self) -> MediumKind {
        match self {
            Medium::Ethernet(_) => MediumKind::Ethernet,
            Medium::Fabric(_) => MediumKind::Fabric,
        }
    }

    /// The Ethernet, if it is one.
    pub const fn ethernet(&self) -> Option<&Ethernet> {
        match self {
            Medium::Ethernet(ethernet) => Some(ethernet),
            Medium::Fabric(_) => None,
        }
    }
}

impl MediumKind {
    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            MediumKind::Ethernet => "ethernet",
            MediumKind::Fabric => "fabric",
        }
    }
}

impl Protocol {
    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Eager => "eager",
            Protocol::Socket => "socket",
            Protocol::Rendezvous => "rendezvous",
            Protocol::Threshold => "threshold",
        }
    }
}
