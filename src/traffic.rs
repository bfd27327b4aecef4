//! Where messages come from: who sends how much to whom, and when. Knows no routes and no fabric.

mod bit_errors;
mod trace;
mod uniform;

pub use bit_errors::BitErrors;
pub use trace::{Trace, TraceMessage};
pub use uniform::Uniform;

use crate::des::random::Purpose;
use crate::ids::HostId;
use crate::units::Time;

/// The stream of a host's gaps between messages and of its destinations.
pub(crate) const ARRIVALS: Purpose = Purpose(1);
/// The stream of the bit errors that strike a host's messages.
pub(crate) const BIT_ERRORS: Purpose = Purpose(2);

/// A message that a host is going to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// When.
    pub created: Time,
    /// For whom.
    pub destination: HostId,
    /// Its flits after the route flits: header, data, CRC-8 and tail counted in.
    pub payload: u32,
    /// Which message it is: its number at this source, or its row in the trace.
    pub number: u64,
}

/// A source of messages. Each host's messages come in order of their creation.
pub trait Source {
    /// Takes the next message of `host`; `None` if it has no more, now and for ever.
    fn next(&mut self, host: HostId) -> Option<Planned>;
}
