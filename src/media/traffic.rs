//! Where messages come from: who sends how much to whom, and when. Knows no routes and no fabric.
//!
//! ```text
//!   Pattern   to whom ---+
//!   Arrivals  when    ---+--> Workload --at a load--> Generated --+--> Source
//!   Sizes     how long --+                              Trace   --+
//! ```

mod arrivals;
mod bit_errors;
mod generated;
mod members;
mod pattern;
mod sizes;
mod trace;

pub use arrivals::{Arrivals, Within};
pub use bit_errors::BitErrors;
pub use generated::{Generated, Workload};
pub use members::Members;
pub use pattern::{NotAPowerOfTwo, Pattern, Shape};
pub use sizes::Sizes;
pub use trace::{Trace, TraceMessage};

use simnet_base::des::random::Purpose;
use simnet_base::ids::HostId;
use simnet_base::units::Time;

/// The stream of a host's gaps between messages and of its destinations.
pub(crate) const ARRIVALS: Purpose = Purpose(1);
/// The stream of the bit errors that strike a host's messages.
pub(crate) const BIT_ERRORS: Purpose = Purpose(2);
/// The stream of the lengths of a host's messages, where they differ.
pub(crate) const SIZES: Purpose = Purpose(3);
/// The stream of a random permutation of the hosts.
pub(crate) const PERMUTATION: Purpose = Purpose(4);

/// What shares are counted in: a thousand million parts are the whole.
pub const PARTS: u64 = 1_000_000_000;

/// A message that a host is going to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// When.
    pub created: Time,
    /// The destination.
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
