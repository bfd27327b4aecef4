//! An output port: its queue, its rate, the frames on the cable behind it, and the room they take.

use simnet_base::units::{BitRate, Bytes};

use super::frame::{Frame, GAP, PREAMBLE};
use super::wiring::Receiver;

/// No slot.
const NIL: u32 = u32::MAX;

/// A rate, ready to be multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A byte takes a whole number of picoseconds.
    Whole(u64),
    /// It does not: times are rounded up.
    Broken(BitRate),
}

impl Pace {
    pub(super) fn new(rate: BitRate) -> Pace {
        const BYTE: u64 = 8_000_000_000_000;
        let rest = BYTE % rate.as_bits_per_s();
        if rest == 0 { Pace::Whole(BYTE / rate.as_bits_per_s()) } else { Pace::Broken(rate) }
    }

    /// The picoseconds that so many bytes take together, rounded up once; saturates.
    pub(super) fn time(self, bytes: u32) -> u64 {
        match self {
            Pace::Whole(byte) => byte.saturating_mul(u64::from(bytes)),
            Pace::Broken(rate) => rate.time_for(Bytes(u64::from(bytes))).as_ps(),
        }
    }

    /// As [`Pace::time`], for many bytes.
    pub(super) fn time_of_many(self, bytes: u64) -> u64 {
        match self {
            Pace::Whole(byte) => byte.saturating_mul(bytes),
            Pace::Broken(rate) => rate.time_for(Bytes(bytes)).as_ps(),
        }
    }
}

/// A frame that waits at a port, or is on the cable behind it.
#[derive(Clone, Debug)]
struct Slot<P> {
    /// When its last bit is at the far end, in picoseconds.
    arrival: u64,
    /// The frame behind it, or the next free slot.
    next: u32,
    /// [`Frame::length`].
    length: u32,
    /// None if the slot is free.
    frame: Option<Frame<P>>,
}

/// All frames of an Ethernet; each keeps its slot from host to host. The slot that became free last is taken first, so
/// that what is in use stays close together however long a queue once was.
#[derive(Clone, Debug)]
pub(super) struct Frames<P> {
    slots: Vec<Slot<P>>,
    free: u32,
    used: usize,
}

impl<P> Frames<P> {
    pub(super) fn new() -> Frames<P> {
        Frames { slots: Vec::new(), free: NIL, used: 0 }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// The frame in a slot that is in use.
    pub(super) fn get(&self, slot: u32) -> &Frame<P> {
        self.slots[slot as usize].frame.as_ref().expect("a slot in use holds a frame")
    }

    /// Its [`Frame::length`].
    pub(super) fn length(&self, slot: u32) -> u32 {
        self.slots[slot as usize].length
    }

    /// Finds a slot for a frame.
    pub(super) fn insert(&mut self, frame: Frame<P>) -> u32 {
        let slot = Slot { arrival: 0, next: NIL, length: frame.length(), frame: Some(frame) };
        self.used += 1;
        if self.free == NIL {
            self.slots.push(slot);
            return u32::try_from(self.slots.len() - 1)
                .ok()
                .filter(|at| *at < NIL)
                .expect("fewer frames than that");
        }
        let at = self.free;
        self.free = self.slots[at as usize].next;
        self.slots[at as usize] = slot;
        at
    }

    /// Forgets a frame that no port has.
    pub(super) fn remove(&mut self, at: u32) {
        self.used -= 1;
        let slot = &mut self.slots[at as usize];
        slot.next = std::mem::replace(&mut self.free, at);
        slot.frame = None;
    }
}

/// A port and its cable. Since the queue is first in, first out, a frame's arrival at the far end is known as soon as
/// it is taken in: waiting costs no event. What a hop touches of a channel is in here, in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Output {
    /// The first frame that has not arrived at the far end yet, and the last one.
    head: u32,
    tail: u32,
    /// The first one that is not known to have left the port.
    waiting: u32,
    /// What is at the far end.
    pub(super) receiver: Receiver,
    /// From one end of the cable to the other.
    delay: u64,
    pub(super) pace: Pace,
    /// The first instant at which another frame can begin to leave.
    pub(super) free: u64,
    /// The bytes of the frames from `waiting` on.
    pub(super) occupied: u64,
}

/// When a frame that was taken in goes on.
pub(super) struct Taken {
    /// When its first bit leaves.
    pub(super) start: u64,
    /// When it is at the far end, if no other one is before it.
    pub(super) next: Option<u64>,
}

/// A frame at the far end of its cable.
pub(super) struct Arrived {
    pub(super) slot: u32,
    /// The bytes that become free with it.
    pub(super) freed: u64,
    /// When the frame behind it arrives.
    pub(super) next: Option<u64>,
}

impl Output {
    pub(super) fn new(pace: Pace, delay: u64, receiver: Receiver) -> Output {
        Output { head: NIL, tail: NIL, waiting: NIL, receiver, delay, pace, free: 0, occupied: 0 }
    }

    /// Takes in a frame that can leave from `ready` on.
    #[inline]
    pub(super) fn send<P>(&mut self, frames: &mut Frames<P>, slot: u32, ready: u64) -> Taken {
        let frame = &mut frames.slots[slot as usize];
        let length = frame.length;
        let start = ready.max(self.free);
        let arrival = start.saturating_add(self.pace.time(PREAMBLE + length)).saturating_add(self.delay);
        self.free = start.saturating_add(self.pace.time(PREAMBLE + length + GAP));
        self.occupied += u64::from(length);
        (frame.arrival, frame.next) = (arrival, NIL);
        let is_first = self.head == NIL;
        if is_first {
            self.head = slot;
        } else {
            frames.slots[self.tail as usize].next = slot;
        }
        self.tail = slot;
        if self.waiting == NIL {
            self.waiting = slot;
        }
        Taken { start, next: is_first.then_some(arrival) }
    }

    /// Takes the frame that is at the far end off the cable.
    #[inline]
    pub(super) fn arrived<P>(&mut self, frames: &Frames<P>) -> Arrived {
        let slot = self.head;
        let frame = &frames.slots[slot as usize];
        let next = frame.next;
        self.head = next;
        let mut freed = 0;
        if self.waiting == slot {
            self.waiting = next;
            freed = u64::from(frame.length);
            self.occupied -= freed;
        }
        Arrived { slot, freed, next: (next != NIL).then(|| frames.slots[next as usize].arrival) }
    }

    /// Frees the room of the frames whose last bit has left by `now`; gives their bytes.
    #[inline]
    pub(super) fn settle<P>(&mut self, frames: &Frames<P>, now: u64) -> u64 {
        let mut freed = 0;
        while self.waiting != NIL
            && let slot = &frames.slots[self.waiting as usize]
            && slot.arrival - self.delay <= now
        {
            freed += u64::from(slot.length);
            self.waiting = slot.next;
        }
        self.occupied -= freed;
        freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the fast way rounded otherwise than the slow one.
    #[test]
    fn a_pace_is_the_rate_rounded_up_once() {
        for rate in [1, 7, 10_000_000, 33_333_333, 100_000_000, 622_080_000, 10u64.pow(10), 4 * 10u64.pow(11)]
        {
            let rate = BitRate::new(rate).unwrap();
            for bytes in [0, 1, 12, 72, 1_526, 1_538, 9_038, u32::MAX] {
                let exact = rate.time_for(Bytes(u64::from(bytes))).as_ps();
                assert_eq!(Pace::new(rate).time(bytes), exact, "{bytes} B at {rate:?}");
            }
        }
    }
}
