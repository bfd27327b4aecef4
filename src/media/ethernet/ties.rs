//! Frames that come to one full buffer at one instant: chance decides which of them is dropped.
//!
//! ```text
//!   at one instant, by channel        rank       a buffer with room for two more
//!   frame over channel 0               7         admitted, then dropped for the one over channel 4
//!   frame over channel 2               1         admitted
//!   frame over channel 4               3         comes to a full buffer: 7 is the latest rank
//! ```
//! Every frame that comes to a buffer has a *rank*, a hash of the seed, the output, the instant and the channel that it
//! came over. A frame that does not fit looks at those that the same buffer has admitted at the same instant. Of those
//! whose rank is later, and whose room suffices, the one with the latest rank is dropped in its stead. If there is
//! none, the frame itself is dropped. Frames behind the dropped one move up, and the newcomer goes to the end of its
//! queue. Of frames of one length those with the least ranks are admitted, in the order of their channels: as if all
//! others had never come.
//!
//! # Scope and limitations
//! Only frames of the same picosecond share their losses. A sender whose frames come a little later than those of
//! another one, always by the same time, may still lose all or nothing; clocks do not drift here, so that hosts stay in
//! such a phase. A dropped frame was behind its port until the newcomer came: peaks count it. Where switches pause
//! senders, room is counted by input, and one frame at a time comes to an input: there are no ties.
//!
//! # Source
//! Floyd and Jacobson 1992, On traffic phase effects in packet-switched gateways: drop-tail gateways and periodic
//! senders, with discrimination by phase and its cure, to drop at random.
//!
//! # Validation
//! `tests/media/oracle/ethernet.rs` and `ethernet/trains.rs`, whose plain reference does the same with plain lists.

use simnet_base::des::random::{Purpose, Stream, mix};
use simnet_base::ids::{Node, SwitchId};
use simnet_network::topology::Network;

use super::Endpoint;
use super::engine::Ethernet;
use super::frame::{HEADER, MIN_FRAME, TRAILER};
use super::parameters::{Buffer, Parameters};
use super::port::NIL;

/// The hash of ranks.
const RANKS: Purpose = Purpose(59);

/// The last frame of a queue as it was admitted to a bounded buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admitted {
    /// The channel behind whose port it waits.
    pub(super) output: u32,
    /// The channel that it came over.
    pub(super) input: u32,
    /// Its slot, or that of the train of which it is the last frame.
    pub(super) slot: u32,
    /// The slot before that one, unless that one is the first of its queue.
    pub(super) behind: u32,
}

/// Frames that bounded buffers have admitted at the present instant.
#[derive(Clone, Debug)]
pub(super) struct Ties {
    /// The seed of the ranks.
    seed: u64,
    /// Up to so many bytes in its buffer, a frame that has been admitted need not be noted: whatever else comes to that
    /// buffer at the same instant has room.
    pub(super) roomy: u64,
    /// The instant of those that are noted.
    instant: u64,
    admitted: Vec<Admitted>,
}

impl Ties {
    pub(super) fn new(network: &Network, parameters: &Parameters) -> Ties {
        let ports = network.switches().iter().map(|switch| u64::from(switch.ports)).max().unwrap_or(0);
        let longest = u64::from(HEADER + TRAILER) + u64::from(parameters.mtu.max(MIN_FRAME));
        // From each port comes one frame, and a copy of it goes to each port.
        let roomy = match parameters.buffer {
            Buffer::Unbounded => u64::MAX,
            Buffer::PerPort(room) => room.0.saturating_sub(ports * longest),
            Buffer::Shared(room) => room.0.saturating_sub(ports * ports * longest),
        };
        let seed = Stream::new(parameters.seed, RANKS, 0).bits();
        Ties { seed, roomy, instant: 0, admitted: Vec::new() }
    }

    /// Notes a frame that a bounded buffer has admitted.
    #[inline]
    pub(super) fn note(&mut self, now: u64, frame: Admitted) {
        if self.instant != now {
            self.instant = now;
            self.admitted.clear();
        }
        self.admitted.push(frame);
    }

    /// The rank of a frame among those that come to a buffer at an instant: the later, the sooner it is dropped.
    fn rank(&self, instant: u64, output: u32, input: u32) -> u64 {
        mix(mix(self.seed ^ instant) ^ (u64::from(output) << 32 | u64::from(input)))
    }

    /// Takes the frame with the latest rank of those that `may` be dropped, if one ranks after a newcomer.
    fn take_latest(
        &mut self,
        now: u64,
        (output, input): (u32, u32),
        may: impl Fn(&Admitted) -> bool,
    ) -> Option<Admitted> {
        if self.instant != now {
            return None;
        }
        let rank = |frame: &Admitted| self.rank(now, frame.output, frame.input);
        let newcomer = self.rank(now, output, input);
        let later = |(_, frame): &(usize, &Admitted)| rank(frame) > newcomer && may(frame);
        let frames = self.admitted.iter().enumerate().filter(later);
        let (place, _) = frames.max_by_key(|(_, frame)| rank(frame))?;
        Some(self.admitted.remove(place))
    }

    /// Puts what follows a slot that leaves its queue behind the one before it.
    fn close_up(&mut self, left: Admitted) {
        let follows = |frame: &&mut Admitted| frame.output == left.output && frame.behind == left.slot;
        if let Some(follower) = self.admitted.iter_mut().find(follows) {
            follower.behind = left.behind;
        }
    }
}

impl<P: Clone> Ethernet<P> {
    /// Drops a frame that came at this instant for one that comes over `input` to the `output` of the switch `at`, does
    /// not fit, and is in no queue yet. Returns whether that one has room now.
    #[cold]
    pub(super) fn displace<E: Endpoint<P>>(
        &mut self,
        (output, input): (u32, u32),
        at: u32,
        slot: u32,
        endpoint: &mut E,
    ) -> bool {
        let (occupied, room) = match self.buffer {
            Buffer::Unbounded => return true,
            Buffer::PerPort(room) => (self.outputs[output as usize].occupied, room),
            Buffer::Shared(room) => (self.switches[at as usize].occupied, room),
        };
        let is_shared = matches!(self.buffer, Buffer::Shared(_));
        let needed = occupied + u64::from(self.frames.length(slot));
        let (ends, frames) = (&self.ends, &self.frames);
        let switch = Node::Switch(SwitchId(at));
        let may = |frame: &Admitted| {
            let is_here = match is_shared {
                true => ends[frame.output as usize].from.node == switch,
                false => frame.output == output,
            };
            is_here && needed <= room.0 + u64::from(frames.length(frame.slot))
        };
        let Some(dropped) = self.ties.take_latest(self.now, (output, input), may) else { return false };
        let length = u64::from(self.frames.length(dropped.slot));
        match self.frames.train(dropped.slot).map_or(1, |train| train.count) {
            1 => self.leave_queue(dropped, endpoint),
            _ => self.drop_last(dropped.output, dropped.slot, input, endpoint),
        }
        if let Buffer::Shared(room) = self.buffer {
            self.switches[at as usize].occupied -= length;
            self.takes_shared_room(at as usize, 0, u64::from(self.frames.length(slot)), room);
        }
        true
    }

    /// Drops a frame that came at this instant and has a slot of its own in the queue of its output.
    fn leave_queue<E: Endpoint<P>>(&mut self, dropped: Admitted, endpoint: &mut E) {
        let Admitted { output: channel, slot, behind, .. } = dropped;
        let output = &mut self.outputs[channel as usize];
        let was_first = output.head == slot;
        let start = output.start(&self.frames, slot);
        let next = output.remove(&mut self.frames, slot, behind);
        self.ties.close_up(dropped);
        self.leave_again(channel, next, start);
        if was_first {
            self.due.cancel(channel);
            if next != NIL {
                self.schedule(self.frames.arrival(next), channel);
            }
        }
        self.drop_frame(channel, slot, endpoint);
    }

    /// Lets what is behind a frame that is dropped, from `slot` on, leave its port from the instant on at which that
    /// one was to leave.
    pub(super) fn leave_again(&mut self, channel: u32, slot: u32, start: u64) {
        let output = &mut self.outputs[channel as usize];
        output.leave_from(&mut self.frames, slot, start);
        let mut moved = Vec::new();
        self.starts.retain(|due| {
            let stays = due.phase != channel || due.at < start;
            if !stays && due.at > start {
                moved.push(due.event);
            }
            stays
        });
        for slot in moved {
            self.starts.schedule_in(output.start(&self.frames, slot), channel, slot);
        }
    }
}
