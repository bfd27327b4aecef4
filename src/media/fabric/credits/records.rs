//! The records of queues, outputs, lanes and hosts.

use std::collections::VecDeque;

use super::lanes::Turns;
use super::messages::Packet;
use crate::fabric::ChannelUse;
use crate::fabric::endpoint::Cause;
use crate::fabric::ports::{NEVER, NONE};

/// The queue of one lane in an input port of a switch.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// The packets that have been granted no output yet, those on their way over the cable included.
    pub(super) front: u32,
    pub(super) back: u32,
    /// Its input port, and its place among the queues of its switch.
    pub(super) port: u32,
    pub(super) place: u32,
    pub(super) lane: u8,
    /// The output that sends to it, the lane of that among the records of lanes, and the delay of the cable to it.
    pub(super) upstream: u32,
    pub(super) upstream_lane: u32,
    pub(super) delay: u32,
    /// Cycles between two bytes that come in.
    pub(super) period: u32,
    /// Its switch's first port, and how many that has.
    pub(super) base: u32,
    pub(super) ports: u32,
    /// The packets that have been in front and decoded.
    pub(super) decoded: u64,
    /// What the front packet asks for, unless it has a fault.
    pub(super) out: u32,
    pub(super) out_lane: u8,
    /// That lane of that output among the records of lanes.
    pub(super) out_number: u32,
    /// Whether the front packet is ready and waits for its output.
    pub(super) waits: bool,
    /// Why the front packet can go nowhere.
    pub(super) fault: Option<Cause>,
    /// The cycle in which the front packet is ready.
    pub(super) ready: u64,
    /// The first cycle in which a limit forbids that the front packet is passed on; [`NEVER`]: there is none.
    pub(super) due: u64,
    /// The first cycle in which the next packet is in front: the last one has left before.
    pub(super) free: u64,
    /// When the limits of the front packet are looked at next; [`NEVER`]: not at all.
    pub(super) alarm: u64,
    pub(super) leaving: Leaving,
}

/// The packet that leaves a queue, or the last that has left it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) packet: u32,
    pub(super) bytes: u32,
    /// Cycles between two bytes; 0: it is destroyed, and all of it leaves at once.
    pub(super) period: u32,
    pub(super) head_in: u64,
    pub(super) tail_in: u64,
    /// The cycle in which its first byte leaves.
    pub(super) from: u64,
}

impl Queue {
    pub(super) fn new(port: u32, place: u32, lane: u8, base: u32, ports: u32) -> Queue {
        let leaving = Leaving { packet: NONE, bytes: 0, period: 0, head_in: 0, tail_in: 0, from: 0 };
        Queue {
            front: NONE,
            back: NONE,
            port,
            place,
            lane,
            upstream: NONE,
            upstream_lane: NONE,
            delay: 1,
            period: 1,
            base,
            ports,
            decoded: 0,
            out: NONE,
            out_lane: 0,
            out_number: NONE,
            waits: false,
            fault: None,
            ready: NEVER,
            due: NEVER,
            free: 0,
            alarm: NEVER,
            leaving,
        }
    }
}

impl Queue {
    /// Where its credits go: the output, the lane and its place among the records of lanes.
    #[inline(always)]
    pub(super) fn back_to(&self) -> (u32, u8, u32) {
        (self.upstream, self.lane, self.upstream_lane)
    }
}

/// Bytes of a run of `bytes`, one each `period` cycles from cycle `from` on, that come before cycle `now`.
pub(super) fn bytes_before(now: u64, from: u64, period: u64, bytes: u32) -> u32 {
    debug_assert!(period > 0, "bytes come one after the other");
    if now <= from {
        return 0;
    }
    let whole = (now - 1 - from) / period + 1;
    u32::try_from(whole).map_or(bytes, |whole| whole.min(bytes))
}

impl Leaving {
    /// How many of its bytes are in the buffer before cycle `now`; they come in one each `period` cycles.
    pub(super) fn left_in(&self, now: u64, period: u64) -> u32 {
        let come = bytes_before(now, self.head_in, period, self.bytes);
        let gone = match self.period {
            0 if now > self.from => self.bytes,
            0 => 0,
            pace => bytes_before(now, self.from, u64::from(pace), self.bytes),
        };
        debug_assert!(gone <= come, "no byte leaves before it has come");
        come - gone
    }
}

/// The sending side of a port.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The port at the other end of its cable; [`NONE`]: no cable.
    pub(super) peer: u32,
    pub(super) delay: u32,
    pub(super) period: u32,
    /// Where the requests of its first lane are, and how many words each lane has.
    pub(super) requests: u32,
    pub(super) words: u32,
    /// The first queue of its switch.
    pub(super) first_queue: u32,
    /// The queues that wait for it, and by bit their lanes.
    pub(super) waiting: u32,
    /// The only queue that waits for it, which has no request while it is alone; [`NONE`]: all have theirs.
    pub(super) lone: u32,
    pub(super) lanes_waiting: u16,
    /// The queues of management that wait for it.
    pub(super) urgent: u16,
    /// The cable has failed.
    pub(super) dead: bool,
    /// The far end takes everything at once: no credits are needed.
    pub(super) to_host: bool,
    /// It is in the list of outputs to be arbitrated in this cycle.
    pub(super) listed: bool,
    /// Several queues ask for it first in the cycle `asked_at`; for another cycle nothing is known.
    pub(super) is_contested: bool,
    pub(super) asked_at: u64,
    /// The first cycle in which it may send the next packet.
    pub(super) free: u64,
    /// When it is to be arbitrated next; [`NEVER`]: not until something changes.
    pub(super) try_at: u64,
    /// Since when something has waited for it; [`NEVER`]: nothing does.
    pub(super) since: u64,
    /// The start and the bytes of what it has sent last.
    pub(super) from: u64,
    pub(super) bytes: u32,
    pub(super) used: ChannelUse,
    pub(super) turns: Turns,
}

impl Output {
    /// A port without a cable.
    pub(super) fn new(requests: u32, words: u32, first_queue: u32) -> Output {
        Output {
            peer: NONE,
            delay: 1,
            period: 1,
            requests,
            words,
            first_queue,
            waiting: 0,
            lone: NONE,
            lanes_waiting: 0,
            urgent: 0,
            dead: true,
            to_host: false,
            listed: false,
            is_contested: false,
            asked_at: NEVER,
            free: 0,
            try_at: NEVER,
            since: NEVER,
            from: 0,
            bytes: 0,
            used: ChannelUse::default(),
            turns: Turns::default(),
        }
    }
}

impl Output {
    /// Whether it is idle in cycle `t`, and nothing waits for it.
    #[inline(always)]
    pub(super) fn is_free_for_all(&self, t: u64) -> bool {
        self.free <= t && self.waiting | u32::from(self.urgent) | u32::from(self.dead) == 0
    }

    /// Begins to send a packet in cycle `t`, in which it is idle; gives the cycle in which the last byte leaves.
    #[inline(always)]
    pub(super) fn begin(&mut self, packet: &mut Packet, t: u64) -> u64 {
        debug_assert!(self.free <= t && !self.dead, "an output sends one packet after the other");
        let (bytes, period) = (packet.bytes, u64::from(self.period));
        let last = t + u64::from(bytes - 1) * period;
        self.free = last + period;
        (self.from, self.bytes) = (t, bytes);
        self.used.flits += u64::from(bytes);
        self.used.held += last + 1 - t;
        packet.head_in = t + u64::from(self.delay);
        packet.tail_in = last + u64::from(self.delay);
        packet.port = self.peer;
        last
    }
}

/// A lane of an output: the credits for the queue at the far end.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// That queue; [`NONE`]: a host is there, or nothing.
    pub(super) queue: u32,
    /// Bytes that may be sent, not those of `returning` that have come back meanwhile. To a host, which takes all at
    /// once, [`u32::MAX`] and never fewer.
    pub(super) credits: u32,
    /// Bytes of credit that come back, or will once a packet that is leaving has left.
    pub(super) returning: u32,
    /// The place among the queues of the switch at which the next round begins.
    pub(super) pointer: u32,
    /// Those that come first, and the cycle in which they do; no bytes: none will.
    first: (u64, u32),
    /// The others by the cycles in which they come.
    later: VecDeque<(u64, u32)>,
}

impl Lane {
    /// A lane that leads nowhere yet.
    pub(super) fn new() -> Lane {
        Lane {
            queue: NONE,
            credits: u32::MAX,
            returning: 0,
            pointer: 0,
            first: (0, 0),
            later: VecDeque::new(),
        }
    }

    /// Whether there are credits for `bytes` bytes in cycle `t`. What has come back is taken in only if it is needed.
    #[inline(always)]
    pub(super) fn has(&mut self, bytes: u32, t: u64, buffer: u32) -> bool {
        if self.credits < bytes {
            self.bring_to(t, buffer);
        }
        self.credits >= bytes
    }

    /// Takes the credits of a packet, which are there.
    #[inline(always)]
    pub(super) fn take(&mut self, bytes: u32) {
        // Stays on: a buffer would overflow.
        assert!(self.credits >= bytes, "what is sent has room");
        if self.queue != NONE {
            self.credits -= bytes;
        }
    }

    /// In cycle `t` it becomes known that credits for `bytes` bytes come back in cycle `at`, after all others.
    #[inline(always)]
    pub(super) fn give_back(&mut self, bytes: u32, at: u64, t: u64, buffer: u32) {
        self.returning += bytes;
        // Seldom is more than one on its way.
        if self.first.1 > 0 && (self.first.0 > t || !self.later.is_empty()) {
            return self.later.push_back((at, bytes));
        }
        self.take_in(self.first.1, buffer);
        self.first = (at, bytes);
    }

    /// The first cycle, after those that have been taken in, in which credits come back.
    #[inline]
    pub(super) fn next_return(&self) -> Option<u64> {
        (self.first.1 > 0).then_some(self.first.0)
    }

    /// Takes in the credits that have come back up to cycle `t`, of a buffer of `buffer` bytes.
    #[inline]
    fn bring_to(&mut self, t: u64, buffer: u32) {
        while self.first.1 > 0 && self.first.0 <= t {
            self.take_in(self.first.1, buffer);
            self.first = self.later.pop_front().unwrap_or((0, 0));
        }
    }

    #[inline(always)]
    fn take_in(&mut self, bytes: u32, buffer: u32) {
        self.credits += bytes;
        self.returning -= bytes;
        // Stays on: with more credits than room a buffer would overflow.
        assert!(self.credits <= buffer, "there is no more credit than room");
    }

    /// The credits before cycle `now`, without taking anything in.
    pub(super) fn credits_before(&self, now: u64) -> u32 {
        let all = std::iter::once(&self.first).chain(&self.later);
        self.credits + all.take_while(|(at, _)| *at < now).map(|(_, bytes)| bytes).sum::<u32>()
    }
}

/// A host that sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Host {
    /// The port that it sends on; [`NONE`]: it has none.
    pub(super) out: u32,
    /// The message that it sends, with the bytes that have been granted no packet yet.
    pub(super) current: u32,
    pub(super) unsent: u32,
    /// The message after it.
    pub(super) next: u32,
    /// When the next message is to be started; [`NEVER`]: not planned.
    pub(super) attempt: u64,
    /// The first cycle in which the interface is free, while it sends nothing.
    pub(super) free: u64,
    /// When the tail of its last message leaves; [`NEVER`]: a failure has struck it meanwhile.
    pub(super) departs: u64,
    pub(super) waits_for_cable: bool,
}
