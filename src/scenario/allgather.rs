//! An all-gather: which operation a scenario with `[allgather]` runs, and on what.
//!
//! # Scope and limitations
//! One all-gather on a network that nothing else uses. What varies from one to the next is for a sweep to say.

use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::collective;
use simnet_network::ring;

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
    /// What each packet carries in addition to data and route.
    pub header: u32,
}

/// The most bytes of a worm by default.
const MOST_BYTES: u32 = 1 << 31;

impl Default for Packets {
    /// Whole messages, each with a header flit, a CRC-8 and a tail.
    fn default() -> Packets {
        Packets { data: None, header: 3 }
    }
}

impl Packets {
    /// How many worms a message of so many bytes is, and their flits where they arrive.
    pub fn of(&self, bytes: u64) -> (u64, u64) {
        let worms = bytes.div_ceil(u64::from(self.largest()));
        (worms, bytes + worms * u64::from(self.overhead()))
    }

    /// What each worm carries in addition to data and route, in flits.
    pub fn overhead(&self) -> u32 {
        self.header.min(1 << 16)
    }

    /// The most bytes of a worm.
    pub fn largest(&self) -> u32 {
        self.data.unwrap_or(MOST_BYTES).clamp(1, MOST_BYTES)
    }
}

impl Software {
    /// Software that costs nothing and adds nothing.
    pub const NONE: Software = Software {
        short: Overheads::NONE,
        long: Overheads::NONE,
        short_up_to: Bytes(u64::MAX),
        copy_byte: Duration::ZERO,
        envelope: Bytes(0),
        jitter: 0,
    };

    /// LAM/MPI 7.1.1 over TCP/IP on faraj2008's machines (2.8 GHz Pentium 4, Linux 2.6, 100 Mb/s Ethernet): the one
    /// set of constants behind its Table 1 and Fig. 10, to be used with `Protocol::SOCKET` (of `simulation::ranks`),
    /// TCP with windows of 64 KiB and switches with `LAM_PORT_BUFFER`.
    ///
    /// # Source
    /// Read: LAM's envelope is six words of 4 B, its sockets' buffers are as long as a short message, and messages
    /// above 64 KiB go by its long protocol, which asks before it sends (`ssi_rpi_tcp.c`). Fitted, to topology (a) of
    /// Table 1: 0.15 ms a message, and 3.1 ms a long one, half of each at either end; TCP itself adds the rest of
    /// what the paper's times have beyond the wire (0.245, 0.21, 0.41, 2.43 and 3.54 ms a step for 32, 48, 64, 96 and
    /// 128 KB). That a long message costs so much *once*, whatever its length, stands for the question, the answer
    /// and the copies that nothing overlaps with: at most a socket's buffer at either end. A cost a byte (25 ns) fits
    /// Table 1 as well, but then LAM's own messages of 4 MB would cost 0.1 s each, and its time on (f) comes out 31 %
    /// too long. How memory is copied within a machine decides none of the paper's numbers: 1 ns a byte is a guess.
    pub const LAM_ON_P4: Software = Software {
        short: Overheads { send: Duration::from_us(75), receive: Duration::from_us(75), ..Overheads::NONE },
        long: Overheads {
            send: Duration::from_us(1_550),
            receive: Duration::from_us(1_550),
            ..Overheads::NONE
        },
        short_up_to: Bytes(65_536),
        copy_byte: Duration::from_ps(1_000),
        envelope: Bytes(24),
        jitter: 0,
    };

    /// What software adds to a message with so many bytes of data.
    pub const fn overheads(&self, data: Bytes) -> &Overheads {
        if data.0 <= self.short_up_to.0 { &self.short } else { &self.long }
    }
}

impl Overheads {
    /// Nothing.
    pub const NONE: Overheads = Overheads {
        send: Duration::ZERO,
        receive: Duration::ZERO,
        send_byte: Duration::ZERO,
        receive_byte: Duration::ZERO,
    };
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
