//! All-gathers compared: which runs a scenario with `[allgather]` stands for.
//!
//! # Scope and limitations
//! Networks, media, rates of cables, transports, protocols of messages, algorithms and sizes are varied; every
//! combination is a cell, and a cell one run on a network that nothing else uses. Software costs, the order of
//! ranks and the tree of rings are those of all.

use crate::host::collective;
use crate::ids::HostId;
use crate::ring;
use crate::units::{BitRate, Bytes, Duration};

use super::checked::{Routing, Topology};
use super::ethernet::Transport;
use super::lists::{ends, positions};
use super::printed::PaperNumber;

/// All-gathers compared.
#[derive(Clone, Debug)]
pub struct Allgather {
    /// The networks; at least one, the scenario's own first.
    pub networks: Vec<GatheredNetwork>,
    /// The algorithms; at least one.
    pub algorithms: Vec<Method>,
    /// How many bytes each rank contributes; at least one.
    pub sizes: Vec<Bytes>,
    /// What the cables carry; at least one.
    pub media: Vec<MediumKind>,
    /// Rates of all cables; empty: as the medium and the network say.
    pub rates: Vec<BitRate>,
    /// The transports of the Ethernet; empty without one.
    pub transports: Vec<Transport>,
    /// When a send is over; at least one.
    pub protocols: Vec<Protocol>,
    /// The most bytes of a message that is eager under [`Protocol::Threshold`], and that is never announced.
    pub threshold: Bytes,
    /// Whether a longer message that is not eager is announced, and sent only after an answer.
    pub handshake: bool,
    /// What software costs.
    pub software: Software,
    /// The spanning tree of LR1, LR2 and LR3; `None`: the one that the switches of an Ethernet elect, and a
    /// breadth-first one on the fabric.
    pub tree: Option<ring::Kind>,
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
    /// The figures to be drawn.
    pub figures: Vec<Plot>,
    /// The printed numbers that ours stand beside.
    pub references: Vec<Reference>,
}

/// One network, with all that is resolved on it.
#[derive(Clone, Debug)]
pub struct GatheredNetwork {
    /// What results call it.
    pub name: String,
    /// The network.
    pub topology: Topology,
    /// Its machines in the order of ranks, each once.
    pub machines: Vec<HostId>,
    /// Where the routes of the fabric come from.
    pub routing: Routing,
}

/// An all-gather by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A logical ring that is found on a tree of the network.
    Found(ring::Algorithm),
    /// An algorithm that knows no network, or a library's selection.
    Blind(collective::Algorithm),
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

/// One combination; positions in the lists of the [`Allgather`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The network.
    pub network: usize,
    /// The medium.
    pub medium: usize,
    /// The rate, if that varies.
    pub rate: Option<usize>,
    /// The transport, on an Ethernet.
    pub transport: Option<usize>,
    /// The protocol.
    pub protocol: usize,
    /// The algorithm.
    pub algorithm: usize,
    /// The size.
    pub size: usize,
}

/// A number that every cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Mean time of the operation over machines and executions.
    Time,
    /// The time below which none can be.
    Bound,
    /// The bound over the time.
    Efficiency,
    /// Frames or packets put on cables.
    Hops,
    /// Frames that found no room.
    Dropped,
    /// The most switches that a message of the ring passes.
    PathLength,
    /// The least size of the scenario at which a selection comes to the ring.
    RingFrom,
}

/// What a figure's horizontal axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Bytes that each rank contributes.
    Size,
    /// The rate of the cables.
    Rate,
    /// How many ranks there are.
    Ranks,
}

/// A figure to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Its file's name without `.svg`.
    pub name: String,
    /// What stands above it.
    pub title: Option<String>,
    /// What the horizontal axis shows.
    pub x: Axis,
    /// What the vertical axis shows.
    pub y: Quantity,
    /// Whether a line of the bound stands beside the others.
    pub bound: bool,
    /// The algorithms shown, by position; empty: all.
    pub algorithms: Vec<usize>,
    /// The networks shown, by position; empty: all.
    pub networks: Vec<usize>,
    /// The sizes shown, by position; empty: all.
    pub sizes: Vec<usize>,
}

/// A printed number and what of ours stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What the paper prints.
    pub number: PaperNumber,
    /// What of ours.
    pub measure: Quantity,
    /// Of which cell.
    pub cell: Cell,
    /// The algorithm that it is divided by.
    pub over: Option<usize>,
}

/// With `--quick`, so many networks.
const QUICK_NETWORKS: usize = 2;
/// With `--quick`, so many repetitions at most.
const QUICK_ITERATIONS: u32 = 2;

impl Allgather {
    /// Every combination: networks, then media, rates, transports, protocols, algorithms and sizes.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for network in 0..self.networks.len() {
            for (medium, kind) in self.media.iter().enumerate() {
                let transports = if *kind == MediumKind::Ethernet { self.transports.len() } else { 0 };
                for rate in positions(self.rates.len()) {
                    for transport in positions(transports) {
                        for protocol in 0..self.protocols.len() {
                            for algorithm in 0..self.algorithms.len() {
                                cells.extend((0..self.sizes.len()).map(|size| Cell {
                                    network,
                                    medium,
                                    rate,
                                    transport,
                                    protocol,
                                    algorithm,
                                    size,
                                }));
                            }
                        }
                    }
                }
            }
        }
        cells
    }

    /// How many cells there are, without listing them; saturates.
    pub fn count(&self) -> usize {
        let each = |kind: &MediumKind| match kind {
            MediumKind::Ethernet => self.transports.len().max(1),
            MediumKind::Fabric => 1,
        };
        let media = self.media.iter().map(each).sum::<usize>();
        let lists =
            [&self.rates.len().max(1), &self.protocols.len(), &self.algorithms.len(), &self.sizes.len()];
        lists
            .into_iter()
            .fold(self.networks.len().saturating_mul(media), |all, list| all.saturating_mul(*list))
    }

    /// What results call a cell: its network, algorithm and size, and what varies beside these.
    pub fn id(&self, cell: Cell) -> String {
        let mut parts = vec![self.networks[cell.network].name.clone()];
        parts.push(self.algorithms[cell.algorithm].name().to_owned());
        if self.media.len() > 1 {
            parts.push(self.media[cell.medium].name().to_owned());
        }
        parts.extend(cell.rate.map(|nth| self.rates[nth].as_bits_per_s().to_string()));
        if let (2.., Some(nth)) = (self.transports.len(), cell.transport) {
            parts.push(self.transports[nth].name().to_owned());
        }
        if self.protocols.len() > 1 {
            parts.push(self.protocols[cell.protocol].name().to_owned());
        }
        parts.push(self.sizes[cell.size].0.to_string());
        parts.join("/")
    }

    /// Two networks, the ends of the lists of sizes and rates, one execution of two repetitions, without
    /// references.
    pub(super) fn quick(mut self) -> Allgather {
        self.networks.truncate(QUICK_NETWORKS);
        ends(&mut self.sizes);
        ends(&mut self.rates);
        self.executions = 1;
        self.iterations = match self.iterations {
            Iterations::Number(number) => Iterations::Number(number.min(QUICK_ITERATIONS)),
            Iterations::Paper => Iterations::Number(QUICK_ITERATIONS),
        };
        self.references.clear();
        self.figures.clear();
        self
    }
}

impl GatheredNetwork {
    /// The machine of every rank.
    pub fn placed(&self, ranks_per_machine: u32, placement: Placement) -> Vec<HostId> {
        let (machines, each) = (self.machines.len(), ranks_per_machine as usize);
        let of = |rank: usize| match placement {
            Placement::Block => self.machines[rank / each],
            Placement::Cyclic => self.machines[rank % machines],
        };
        (0..machines * each).map(of).collect()
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
