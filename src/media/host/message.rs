//! What hosts say to each other.

mod wire;

pub use wire::{encode, push_name, push_turns};

use super::Address;
use simnet_base::ids::Turn;

/// A message: its body, and how long it is on the cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says.
    pub body: Body,
    /// Its length in bytes when it arrives: header flit, data, CRC-8 and tail counted in, route flits not.
    pub length: u32,
    /// The highest address of a mapper that its sender knows of, its own included; `None` where no host is to
    /// be elected. It takes an interface address of a reply's padding, and none of a probe's, whose sender it is.
    pub mapper: Option<Address>,
}

/// What a message says. A nonce is a number that its sender never uses twice; an answer repeats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// "Who are you?", to whatever host is at the end of these turns.
    HostProbe {
        /// The nonce.
        nonce: u64,
        /// The turns that the probe took; a host without routes answers along them reversed and negated.
        turns: Vec<Turn>,
    },
    /// A probe that comes back to its sender if a switch is where its route turns round.
    LoopProbe {
        /// The nonce.
        nonce: u64,
    },
    /// The answer to a host probe.
    HostReply {
        /// The probe's nonce.
        nonce: u64,
        /// The answering host's name.
        name: String,
        /// How many of the probe's turns were left when it reached the host; above 0 only where hosts read
        /// what reaches them too soon.
        unused: u16,
    },
    /// The routes that the receiver is to use from now on.
    RouteTable {
        /// The nonce.
        nonce: u64,
        /// The turns from the receiver back to the sender, for the acknowledgement.
        back: Vec<Turn>,
        /// The routes.
        routes: Vec<RouteEntry>,
    },
    /// "What have you mapped so far?"
    MapRequest {
        /// The nonce.
        nonce: u64,
        /// The turns from the receiver back to the sender.
        back: Vec<Turn>,
    },
    /// What a mapper has found so far.
    PartialMap {
        /// The request's nonce.
        nonce: u64,
        /// What its probes found, in order.
        finds: Vec<Find>,
        /// Per switch vertex, in order of making, whether all its ports were probed.
        explored: Vec<bool>,
        /// Whether answers came too late.
        doubtful: bool,
    },
    /// "Your table is in use".
    Acknowledgement {
        /// The table's nonce.
        nonce: u64,
    },
}

/// A thing that a mapper has found behind a port of a switch vertex. Vertex 0 is the switch at the mapper's own
/// cable; ports are counted from the port by which a vertex was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    /// The switch vertex.
    pub vertex: usize,
    /// The port.
    pub port: i32,
    /// The host of this name, or another switch vertex: the next one.
    pub host: Option<String>,
}

/// One route of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteEntry {
    /// The name of the host it leads to.
    pub destination: String,
    /// Its turns.
    pub turns: Vec<Turn>,
}

/// Header flit, two bytes of type, eight of nonce, CRC-8 and tail: what every message carries.
const FRAME: usize = 13;

/// The least length of a mapping message, in bytes.
///
/// # Source
/// Mainwaring et al. 1997 give no size; 32 bytes hold the frame, an interface address and a dozen turns.
const LEAST: usize = 32;

impl Body {
    /// What it is called in logs and captures.
    pub const fn kind(&self) -> &'static str {
        match self {
            Body::HostProbe { .. } => "host-probe",
            Body::LoopProbe { .. } => "loop-probe",
            Body::HostReply { .. } => "host-reply",
            Body::RouteTable { .. } => "route-table",
            Body::MapRequest { .. } => "map-request",
            Body::PartialMap { .. } => "partial-map",
            Body::Acknowledgement { .. } => "acknowledgement",
        }
    }

    /// Whether it hands routes out.
    pub const fn is_table(&self) -> bool {
        matches!(self, Body::RouteTable { .. })
    }

    /// The number that distinguishes this question, and its answer, from others of the same sender.
    pub fn nonce(&self) -> u64 {
        match self {
            Body::HostProbe { nonce, .. }
            | Body::LoopProbe { nonce }
            | Body::HostReply { nonce, .. }
            | Body::RouteTable { nonce, .. }
            | Body::MapRequest { nonce, .. }
            | Body::PartialMap { nonce, .. }
            | Body::Acknowledgement { nonce } => *nonce,
        }
    }

    /// The same under another number.
    #[must_use]
    pub fn with_nonce(mut self, fresh: u64) -> Body {
        match &mut self {
            Body::HostProbe { nonce, .. }
            | Body::LoopProbe { nonce }
            | Body::HostReply { nonce, .. }
            | Body::RouteTable { nonce, .. }
            | Body::MapRequest { nonce, .. }
            | Body::PartialMap { nonce, .. }
            | Body::Acknowledgement { nonce } => *nonce = fresh,
        }
        self
    }
}

impl Message {
    /// The same, at least `length` bytes long: padded.
    #[must_use]
    pub fn padded(self, length: u32) -> Message {
        Message { length: self.length.max(length), ..self }
    }

    /// A message with this body. Its length is that of the frame (header flit, type, nonce, CRC-8, tail) and
    /// of the turns and six-byte interface addresses that the body holds, at least 32 bytes.
    pub fn new(body: Body) -> Message {
        const ADDRESS: usize = 6;
        let data = match &body {
            Body::HostProbe { turns, .. } => ADDRESS + turns.len(),
            Body::LoopProbe { .. } | Body::HostReply { .. } => ADDRESS,
            Body::Acknowledgement { .. } => ADDRESS,
            Body::MapRequest { back, .. } => ADDRESS + back.len(),
            // A find is a vertex, a port and, for a host, its address; a vertex has one flag.
            Body::PartialMap { finds, explored, .. } => {
                let hosts = finds.iter().filter(|find| find.host.is_some()).count();
                ADDRESS + 3 * finds.len() + ADDRESS * hosts + explored.len().div_ceil(8)
            }
            Body::RouteTable { back, routes, .. } => {
                // An entry is an address, a count of turns and the turns.
                ADDRESS + back.len() + routes.iter().map(|r| ADDRESS + 1 + r.turns.len()).sum::<usize>()
            }
        };
        let length = u32::try_from((FRAME + data).max(LEAST)).unwrap_or(u32::MAX);
        Message { body, length, mapper: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_what_it_holds() {
        let probe = |turns| Message::new(Body::HostProbe { nonce: 0, turns: vec![Turn(1); turns] }).length;
        assert_eq!((probe(0), probe(13), probe(14)), (32, 32, 33));
        let entry = |turns| RouteEntry { destination: "h".into(), turns: vec![Turn(1); turns] };
        let table = Body::RouteTable { nonce: 0, back: vec![Turn(1); 3], routes: vec![entry(2), entry(5)] };
        assert_eq!(Message::new(table).length, 13 + 6 + 3 + (7 + 2) + (7 + 5));
    }
}
