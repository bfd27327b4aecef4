//! Priority-based flow control: an Ethernet that stops its senders instead of dropping their frames.
//!
//! ```text
//!   sender's port: queue per priority ==frames==> input: bytes counted per priority ~~> output: queue per priority ==>
//!                       ^ paused                    | above xoff: XOFF, at or below xon: XON
//!                       +-----PAUSE frame, 64 B, ahead of all data------+
//! ```
//!
//! # Scope and limitations
//! Eight priorities. What a host sends has the priority that its endpoint says, else the parameters'; a frame keeps it
//! to its last hop. Every output port of a switch has a queue for each, first in, first out, as long as it takes: room
//! is counted at inputs alone. Hosts take what comes and pause nobody. Not simulated: shared buffers, dynamic
//! thresholds, weights among priorities, marks of congestion, and pauses that expire.
//!
//! * **Room.** A frame of L bytes counts L at the port of the switch by which it came, in its priority, from the
//!   instant of its last bit until the last bit of its last copy has left the switch. A flooded frame counts once. What
//!   leaves at an instant makes room for what arrives at it. A frame that does not fit in `xoff + headroom` is dropped
//!   before it is looked at: its source is not learned ([`Endpoint::starved`](super::Endpoint::starved)). What is
//!   filtered, or finds no next hop, counts at no time.
//! * **XOFF and XON.** A priority is to be paused from the frame on with which it counts more than `xoff` bytes at an
//!   input, until it counts `xon` or fewer. Where that is not what was said last over the cable back, a PAUSE frame is
//!   due there. It goes ahead of all data as soon as the frame that is being sent there, and the gap after it, have
//!   ended, and says what then holds of all priorities of which it has changed: a priority that was to be paused and
//!   no longer is before that frame begins is never told of.
//! * **PAUSE frames** take 8 + 64 + 12 byte times of the cable, and its delay. `reaction` after their last bit they are
//!   obeyed: no frame of a paused priority begins to be sent, what is being sent is sent to its end. A host whose next
//!   frame is of a paused priority is not asked for one, nor for those behind it.
//! * **Outputs** send the first frame of the highest priority that is not paused and whose first frame is ready.
//! * **Within an instant**: frames arrive, by channel; PAUSE frames are obeyed, by channel; hosts are asked; ports
//!   begin to send; watchdogs bite, by channel and priority, and ports that they let begin to send do so; deadlocks are
//!   named.
//! * **Watchdog.** A queue of a switch that has been paused, with frames in it, for `detection` is emptied: these
//!   frames and all that come to it are dropped until it has not been paused for `restoration`.
//! * **Deadlock.** On the spanning tree there is none; with tables a circle of queues may close: `pfc/deadlock.rs`. So
//!   it may where the table's ways close none, if there are broadcasts: these keep to the spanning tree.
//!
//! # Source
//! IEEE 802.1Q-2018, clause 36 and annex N (headroom), IEEE 802.3 annex 31B and D, as from memory. The watchdog is
//! SONiC's (PFC watchdog, action "drop"), which polls its counters, where this one is exact. Departures: a pause lasts
//! until XON, as if it were refreshed for ever, so that no quanta are counted and no refreshing frames are sent (one
//! of 84 byte times in 4 MB of cable time); no frame that is spoilt makes a pause miss.
//!
//! # Validation
//! `tests/media/oracle/pfc.rs`: a plain reference that looks at every port at every instant; arrivals, pauses, drops,
//! counts and deadlocks of random networks agree exactly. `tests/media/closed_forms/pfc.rs`: headroom to the byte.

mod counters;
mod deadlock;
mod parameters;
mod state;

pub use counters::{Cause, PauseCounters};
pub use deadlock::{Deadlock, DeadlockMember};
pub use parameters::{Flow, PRIORITIES, PauseWatchdog, PfcParameters};
pub(super) use state::{Control, NONE, Pfc, Tag, bit};

/// What a PAUSE frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseFrame {
    /// The priorities that it speaks of, a bit each.
    pub priorities: u8,
    /// Those of them that are paused; the others may be sent.
    pub paused: u8,
}
