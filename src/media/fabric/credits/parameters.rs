//! What a fabric with credits is made of in addition to cables, switches and hosts, in bytes and base cycles.

use super::management::MOST_MANAGEMENT;
use crate::fabric::BuildError;
use crate::fabric::wiring::check_limit;
use simnet_network::topology::Network;

/// How many service levels there are.
pub const SERVICE_LEVELS: usize = 16;

/// The most lanes for data.
///
/// # Source
/// InfiniBand Architecture Specification, volume 1, section 3.5.7: VL0 to VL14, as from memory. VL15 carries
/// management ([`CreditParameters::management`]).
pub const MOST_LANES: u8 = 15;

/// Buffers, lanes and limits of a fabric with credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditParameters {
    /// Lanes of each channel: 1 to 15.
    pub lanes: u8,
    /// Room for each lane in each input port of a switch, in bytes; at least `mtu`.
    pub buffer: u32,
    /// The most bytes of a packet; longer messages are cut. At least 1.
    pub mtu: u32,
    /// Base cycles that a packet in front of its queue may wait for its output, from when it is ready; at least 1.
    /// `None`: for ever. InfiniBand's head-of-queue life (HLL).
    pub head_of_line_limit: Option<u64>,
    /// Base cycles from the arrival of its head in a switch after which no packet is passed on; at least 1. `None`:
    /// for ever. InfiniBand's switch lifetime limit (SLL).
    pub lifetime_limit: Option<u64>,
    /// Room in each input port of a switch for packets of management, in bytes; at least 256. `None`: there is no lane
    /// of management, and hosts are not asked for such messages.
    pub management: Option<u32>,
    /// How an output of a switch chooses among lanes; the same at all of them.
    pub arbitration: LaneArbitration,
    /// The lanes of service levels; `None`: a packet's lane is the number of its service level everywhere.
    pub service_lanes: Option<ServiceLanes>,
}

impl CreditParameters {
    /// `lanes` lanes with room for `packets` packets of `mtu` bytes each, plain round robin over the lanes, no limits,
    /// no lane of management.
    pub fn new(lanes: u8, mtu: u32, packets: u32) -> CreditParameters {
        CreditParameters {
            lanes,
            buffer: mtu.saturating_mul(packets),
            mtu,
            head_of_line_limit: None,
            lifetime_limit: None,
            management: None,
            arbitration: LaneArbitration::round_robin(lanes),
            service_lanes: None,
        }
    }
}

/// An entry of an arbitration table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneWeight {
    /// The lane.
    pub lane: u8,
    /// What it may send before the next entry has its turn, in units of 64 bytes; an entry of 0 is skipped.
    pub weight: u8,
}

/// The two tables by which an output chooses among its lanes. `credits/lanes.rs` says how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneArbitration {
    /// The table of high priority.
    pub high: Vec<LaneWeight>,
    /// The table of low priority.
    pub low: Vec<LaneWeight>,
    /// What the high table may send while the low one has something to send, in units of 4,096 bytes; 0: one packet,
    /// 255: without limit.
    pub high_limit: u8,
}

impl LaneArbitration {
    /// One low table in which each of `lanes` lanes sends one packet in turn.
    pub fn round_robin(lanes: u8) -> LaneArbitration {
        // A packet takes one unit at least, so an entry of one unit is used up by it.
        let low = (0..lanes).map(|lane| LaneWeight { lane, weight: 1 }).collect();
        LaneArbitration { high: Vec::new(), low, high_limit: 0 }
    }
}

/// The lane of each service level at each hop: InfiniBand's SL-to-VL tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceLanes {
    /// By host: the lane that its packets leave it on, by service level.
    pub hosts: Vec<[u8; SERVICE_LEVELS]>,
    /// By switch, then by `input * ports + output`, both counted from the switch's first port: the lane that a packet
    /// leaves that output on, by service level.
    pub switches: Vec<Vec<[u8; SERVICE_LEVELS]>>,
}

impl CreditParameters {
    /// Looks for everything that forbids a network with these parameters. Costs O(entries of tables).
    pub(in crate::fabric) fn check(&self, network: &Network) -> Result<(), BuildError> {
        if !(1..=MOST_LANES).contains(&self.lanes) {
            return Err(BuildError::Lanes { lanes: self.lanes, most: MOST_LANES });
        }
        if self.mtu == 0 || self.buffer < self.mtu {
            return Err(BuildError::BufferBelowPacket { buffer: self.buffer, mtu: self.mtu });
        }
        if let Some(room) = self.management.filter(|room| *room < MOST_MANAGEMENT) {
            return Err(BuildError::BufferBelowPacket { buffer: room, mtu: MOST_MANAGEMENT });
        }
        check_limit("the head-of-line limit", self.head_of_line_limit)?;
        check_limit("the lifetime limit", self.lifetime_limit)?;
        let entries = || self.arbitration.high.iter().chain(&self.arbitration.low);
        if let Some(entry) = entries().find(|entry| entry.lane >= self.lanes) {
            return Err(BuildError::NoSuchLane { lane: entry.lane, lanes: self.lanes });
        }
        let is_served = |lane: &u8| entries().any(|entry| entry.lane == *lane && entry.weight > 0);
        if let Some(lane) = (0..self.lanes).find(|lane| !is_served(lane)) {
            return Err(BuildError::LaneNotServed { lane });
        }
        self.service_lanes.as_ref().map_or(Ok(()), |tables| self.check_service_lanes(tables, network))
    }

    fn check_service_lanes(&self, tables: &ServiceLanes, network: &Network) -> Result<(), BuildError> {
        let count = |what, given: usize, there: usize| {
            if given == there { Ok(()) } else { Err(BuildError::WrongCount { what, given, there }) }
        };
        count("lanes of hosts", tables.hosts.len(), network.hosts().len())?;
        count("lanes of switches", tables.switches.len(), network.switches().len())?;
        for (table, switch) in tables.switches.iter().zip(network.switches()) {
            let ports = usize::from(switch.ports);
            count("pairs of ports of a switch", table.len(), ports * ports)?;
        }
        let lanes = tables.hosts.iter().chain(tables.switches.iter().flatten()).flatten();
        match lanes.copied().find(|lane| *lane >= self.lanes) {
            Some(lane) => Err(BuildError::NoSuchLane { lane, lanes: self.lanes }),
            None => Ok(()),
        }
    }
}
