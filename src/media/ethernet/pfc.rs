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
//! is counted at inputs alone. Hosts take what comes and pause nobody. Not simulated: weights among
//! priorities.
//!
//! * **Room.** A frame of L bytes counts L at the port of the switch by which it came, in its priority, from the
//!   instant of its last bit until the last bit of its last copy has left the switch. A flooded frame counts once. What
//!   leaves at an instant makes room for what arrives at it. A frame that does not fit in `xoff + headroom` is dropped
//!   before it is looked at: its source is not learned ([`Endpoint::starved`](super::Endpoint::starved)). What is
//!   filtered, or finds no next hop, counts at no time.
//! * **Shared buffers.** With `shared` a frame counts in the `reserved` bytes of its priority at its input as far as
//!   these are not in use, and else in the pool of the switch. The priority is to be paused from the frame on with
//!   which it has more than `alpha` times what is then free of the pool. Frames that come while it is, and one for
//!   which the pool has no room, count in its headroom; one that does not fit there is dropped. What leaves makes room
//!   in the headroom first, then in the pool. After whatever leaves a switch at an instant has left, priorities of its
//!   inputs may be sent again whose headroom is empty, if they have nothing of the pool or `xon_offset` less than would
//!   pause them.
//! * **XOFF and XON.** Without it, a priority is to be paused from the frame on with which it counts more than `xoff`
//!   bytes at an input, until it counts `xon` or fewer. Where that is not what was said last over the cable back, a
//!   PAUSE frame is due there. It goes ahead of all data as soon as the frame that is being sent there, and the gap
//!   after it, have ended, and says what then holds of all priorities of which it has changed: a priority that was to
//!   be paused and no longer is before that frame begins is never told of.
//! * **PAUSE frames** take 8 + 64 + 12 byte times of the cable, and its delay. `reaction` after their last bit they are
//!   obeyed: no frame of a paused priority begins to be sent, what is being sent is sent to its end. A host whose next
//!   frame is of a paused priority is not asked for one, nor for those behind it.
//! * **Quanta.** A pause lasts until XON. With `quanta` it lasts as many times 512 bit times of the cable from the
//!   instant on at which it is obeyed, and each PAUSE frame begins that time anew for all priorities that are to be
//!   paused. Half of it after a PAUSE frame has begun, rounded down to a picosecond, another one is due, if any
//!   priority is still to be paused. A pause that runs out at an instant at which a PAUSE frame is obeyed goes on. One
//!   that is not said again in time lets its sender begin frames, for which there may be no headroom.
//! * **Nothing but PAUSE frames.** From the end of an instant on at which nothing else can ever happen, PAUSE frames
//!   that only say again what holds are no longer sent, and no pause runs out, until a host is woken. Then all of that
//!   goes on as it stood. So a run ends whose queues are all stuck.
//! * **Outputs** send the first frame of the highest priority that is not paused and whose first frame is ready.
//! * **Within an instant**: frames arrive, by channel; PAUSE frames are obeyed, by channel; hosts are asked; ports
//!   begin to send; watchdogs bite, by channel and priority, and ports that they let begin to send do so; deadlocks are
//!   named. A pause runs out where a PAUSE frame on the cable back would be obeyed.
//! * **Watchdog.** A queue of a switch that has been paused, with frames in it, for `detection` is emptied: these
//!   frames and all that come to it are dropped until it has not been paused for `restoration`.
//! * **Deadlock.** On the spanning tree there is none; with tables a circle of queues may close: `pfc/deadlock.rs`. So
//!   it may where the table's ways close none, if there are broadcasts: these keep to the spanning tree.
//!
//! # Source
//! Choudhury and Hahne 1998, Dynamic queue length thresholds for shared-memory packet switches, for the pool; reserved
//! room, headroom and the offset of XON are those of SONiC's buffer profiles, as from memory. IEEE 802.1Q-2018, clause
//! 36 and annex N (headroom), IEEE 802.3 annex 31B and D, as from memory. The watchdog is SONiC's (PFC watchdog, action
//! "drop"), which polls its counters, where this one is exact. When a pause is said again the standard leaves open;
//! half of its time is our choice. Departures: without `quanta` a pause lasts until XON, as if it were refreshed for
//! ever, and no refreshing frames are sent (one of 84 byte times in 2 MB of cable time, at most quanta); no frame that
//! is spoilt makes a pause miss.
//!
//! # Validation
//! `tests/media/oracle/pfc.rs`: a plain reference that looks at every port at every instant; arrivals, pauses, drops,
//! counts and deadlocks of random networks agree exactly. `tests/media/closed_forms/pfc.rs`: headroom to the byte.

mod counters;
mod deadlock;
mod parameters;
mod quiet;
mod shared;
mod state;

pub use counters::{Cause, PauseCounters};
pub use deadlock::{Deadlock, DeadlockMember};
pub(super) use parameters::pause_time;
pub use parameters::{Flow, LEAST_QUANTA, PRIORITIES, PauseWatchdog, PfcParameters, SharedBuffer};
pub(super) use state::{Control, NONE, Pfc, Tag, bit};

use simnet_base::ids::Node;

use super::frame::{Address, MIN_FRAME, TRAILER};

/// What a PAUSE frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseFrame {
    /// The priorities that it speaks of, a bit each.
    pub priorities: u8,
    /// Those of them that are paused; the others may be sent.
    pub paused: u8,
    /// For how long, in units of 512 bit times; as long as there is where a pause lasts until XON.
    pub quanta: u16,
}

/// The address of what is for the next MAC alone.
///
/// # Source
/// IEEE 802.3, 31B.1.
const MAC_CONTROL: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 0x01];
/// The type of MAC control frames, and the opcode of a PAUSE frame for each priority.
///
/// # Source
/// IEEE 802.3, 31.4.1.3 and annex 31D.
const PFC: [u8; 4] = [0x88, 0x08, 0x01, 0x01];

impl PauseFrame {
    /// Appends its bytes, padded, without the FCS.
    pub fn write(self, sender: Node, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend(MAC_CONTROL);
        bytes.extend(match sender {
            Node::Host(host) => Address::Host(host).bytes(),
            Node::Switch(switch) => {
                let [a, b, c, d] = switch.0.to_be_bytes();
                [6, 0, a, b, c, d]
            }
        });
        bytes.extend(PFC);
        bytes.extend([0, self.priorities]);
        for priority in 0..PRIORITIES {
            let quanta: u16 = if self.paused & bit(priority) != 0 { self.quanta } else { 0 };
            bytes.extend(quanta.to_be_bytes());
        }
        bytes.resize(begin + (MIN_FRAME - TRAILER) as usize, 0);
    }
}
