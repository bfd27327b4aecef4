//! An output port: its queue, its rate, the frames on the cable behind it, and the room they take.

use simnet_base::units::{BitRate, Bytes};

use super::frame::{Frame, GAP, HEADER, MIN_FRAME, PREAMBLE, TRAILER};
use super::train::{Train, before};
use super::wiring::Receiver;

/// No slot.
pub(super) const NIL: u32 = u32::MAX;

/// A rate, ready to be multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A byte takes a whole number of picoseconds, and a frame few enough that sums need no check before [`LATE`].
    Whole(u64),
    /// It does not: times are rounded up.
    Broken(BitRate),
}

/// From here on sums may pass the end of time.
pub(super) const LATE: u64 = 1 << 62;

impl Pace {
    /// A rate on an Ethernet with this MTU.
    pub(super) fn new(rate: BitRate, mtu: u32) -> Pace {
        const BYTE: u64 = 8_000_000_000_000;
        let (byte, rest) = (BYTE / rate.as_bits_per_s(), BYTE % rate.as_bits_per_s());
        let longest = u64::from(mtu) + u64::from(PREAMBLE + HEADER + MIN_FRAME + TRAILER + GAP);
        let is_short = byte.checked_mul(longest).is_some_and(|time| time < LATE);
        if rest == 0 && is_short { Pace::Whole(byte) } else { Pace::Broken(rate) }
    }

    /// The picoseconds that so many bytes of a frame take together, rounded up once; saturates.
    #[inline(always)]
    pub(super) fn time(self, bytes: u32) -> u64 {
        match self {
            Pace::Whole(byte) => byte * u64::from(bytes),
            Pace::Broken(rate) => rate.time_for(Bytes(u64::from(bytes))).as_ps(),
        }
    }

    /// The picoseconds from the start of a frame of so many bytes until its last bit has left, and until the next one
    /// can start.
    pub(super) fn times(self, length: u32) -> [u64; 2] {
        [PREAMBLE + length, PREAMBLE + length + GAP].map(|bytes| self.time(bytes))
    }

    /// As [`Pace::time`], for many bytes.
    pub(super) fn time_of_many(self, bytes: u64) -> u64 {
        match self {
            Pace::Whole(byte) => byte.saturating_mul(bytes),
            Pace::Broken(rate) => rate.time_for(Bytes(bytes)).as_ps(),
        }
    }
}

/// A frame that waits at a port, or is on the cable behind it; or a train of them, of which this is the first.
#[derive(Clone, Debug)]
struct Slot<P> {
    /// When its last bit is at the far end, in picoseconds; of one that waits to begin, when it can at the earliest.
    arrival: u64,
    /// The frame behind it, or the next free slot.
    next: u32,
    /// [`Frame::length`].
    length: u32,
    /// The place of what it is a train by, or [`NIL`].
    train: u32,
    /// None if the slot is free.
    frame: Option<Frame<P>>,
}

/// All frames of an Ethernet; each keeps its slot from host to host. The slot that became free last is taken first, so
/// that what is in use stays close together however long a queue once was.
#[derive(Clone, Debug)]
pub(super) struct Frames<P> {
    slots: Vec<Slot<P>>,
    free: u32,
    /// How many there are. What trains have done is counted late, some of it before what it follows.
    used: i64,
    trains: Vec<Train>,
    /// Places among the trains that are free.
    spare: Vec<u32>,
}

impl<P> Frames<P> {
    pub(super) fn new() -> Frames<P> {
        Frames { slots: Vec::new(), free: NIL, used: 0, trains: Vec::new(), spare: Vec::new() }
    }

    /// How many there are, once all that has happened to trains is counted.
    pub(super) fn len(&self) -> usize {
        usize::try_from(self.used).expect("what is there was sent")
    }

    /// The frame in a slot that is in use.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Frame<P> {
        self.slots[slot as usize].frame.as_ref().expect("a slot in use holds a frame")
    }

    /// Its [`Frame::length`].
    #[inline]
    pub(super) fn length(&self, slot: u32) -> u32 {
        self.slots[slot as usize].length
    }

    /// Finds a slot for a frame.
    #[inline]
    pub(super) fn insert(&mut self, frame: Frame<P>) -> u32 {
        let slot = Slot { arrival: 0, next: NIL, length: frame.length(), train: NIL, frame: Some(frame) };
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

    /// Makes a slot stand for the frames of a train.
    pub(super) fn couple(&mut self, slot: u32, train: Train) {
        let place = match self.spare.pop() {
            Some(place) => {
                self.trains[place as usize] = train;
                place
            }
            None => {
                self.trains.push(train);
                u32::try_from(self.trains.len() - 1).expect("fewer than slots")
            }
        };
        self.slots[slot as usize].train = place;
    }

    /// Whether any slot stands for a train.
    pub(super) fn has_trains(&self) -> bool {
        self.trains.len() > self.spare.len()
    }

    /// The train that a slot stands for, if it does.
    #[inline]
    pub(super) fn train(&self, slot: u32) -> Option<&Train> {
        match self.slots[slot as usize].train {
            NIL => None,
            place => Some(&self.trains[place as usize]),
        }
    }

    /// The train that a slot stands for that does.
    pub(super) fn train_of(&self, slot: u32) -> &Train {
        self.train(slot).expect("the slot stands for a train")
    }

    /// The same, to be changed.
    pub(super) fn train_mut(&mut self, slot: u32) -> &mut Train {
        let place = self.slots[slot as usize].train;
        &mut self.trains[place as usize]
    }

    /// When the frame, or the first of a train, is at the far end of its cable.
    pub(super) fn arrival(&self, slot: u32) -> u64 {
        self.slots[slot as usize].arrival
    }

    /// Counts frames of trains that hosts have sent.
    pub(super) fn add(&mut self, frames: u32) {
        self.used += i64::from(frames);
    }

    /// Counts frames of trains that are there no more.
    pub(super) fn take_away(&mut self, frames: u32) {
        self.used -= i64::from(frames);
    }

    /// Lets a frame wait that no port has: it can leave from `ready` on, and comes after the one `behind`, if any.
    pub(super) fn wait(&mut self, slot: u32, ready: u64, behind: Option<u32>) {
        let frame = &mut self.slots[slot as usize];
        (frame.arrival, frame.next) = (ready, NIL);
        if let Some(behind) = behind {
            self.slots[behind as usize].next = slot;
        }
    }

    /// From when on a frame that waits can leave.
    pub(super) fn ready(&self, slot: u32) -> u64 {
        self.slots[slot as usize].arrival
    }

    /// The frame behind one that waits, or [`NIL`].
    pub(super) fn next(&self, slot: u32) -> u32 {
        self.slots[slot as usize].next
    }

    /// Forgets a frame that no port has.
    #[inline]
    pub(super) fn remove(&mut self, at: u32) {
        self.used -= 1;
        let slot = &mut self.slots[at as usize];
        slot.next = std::mem::replace(&mut self.free, at);
        slot.frame = None;
        if slot.train != NIL {
            self.spare.push(slot.train);
        }
    }
}

/// A port and its cable. Since the queue is first in, first out, a frame's arrival at the far end is known as soon as
/// it is taken in: waiting costs no event. What a hop touches of a channel is in here, in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Output {
    /// The first frame that has not arrived at the far end yet, and the last one.
    pub(super) head: u32,
    pub(super) tail: u32,
    /// The first one that is not known to have left the port.
    pub(super) waiting: u32,
    /// The channel from which the last one, which is a train, still comes in, or [`NIL`].
    pub(super) feeder: u32,
    /// What is at the far end.
    pub(super) receiver: Receiver,
    /// From one end of the cable to the other.
    pub(super) delay: u64,
    pub(super) pace: Pace,
    /// The first instant at which another frame can begin to leave.
    pub(super) free: u64,
    /// The bytes of the frames from `waiting` on, but for those of a train that still comes in.
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
    /// Its [`Frame::length`].
    pub(super) length: u32,
    /// The bytes that become free with it.
    pub(super) freed: u64,
    /// When the frame behind it arrives.
    pub(super) next: Option<u64>,
}

impl Output {
    pub(super) fn new(pace: Pace, delay: u64, receiver: Receiver) -> Output {
        Output {
            head: NIL,
            tail: NIL,
            waiting: NIL,
            feeder: NIL,
            receiver,
            delay,
            pace,
            free: 0,
            occupied: 0,
        }
    }

    /// Takes in a frame that can leave from `ready` on.
    #[inline(always)]
    pub(super) fn send<P>(&mut self, frames: &mut Frames<P>, slot: u32, ready: u64) -> Taken {
        let frame = &mut frames.slots[slot as usize];
        let length = frame.length;
        let start = ready.max(self.free);
        let arrival = self.leave(start, length);
        (frame.arrival, frame.next) = (arrival, NIL);
        self.occupied += u64::from(length);
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

    /// Lets a frame of so many bytes begin to leave at `start`; gives when it is at the far end.
    #[inline(always)]
    fn leave(&mut self, start: u64, length: u32) -> u64 {
        let (end, free) = match self.pace {
            // Neither sum passes the end of time.
            Pace::Whole(byte) if start < LATE => {
                let end = start + byte * u64::from(PREAMBLE + length);
                (end, end + byte * u64::from(GAP))
            }
            pace => late(pace, start, length),
        };
        self.free = free;
        end.saturating_add(self.delay)
    }

    /// The instant at which a frame in the queue begins to leave, if it arrives before time is over.
    pub(super) fn start<P>(&self, frames: &Frames<P>, slot: u32) -> u64 {
        let Slot { arrival, length, .. } = frames.slots[slot as usize];
        arrival - self.delay - self.pace.time(PREAMBLE + length)
    }

    /// Takes a frame out of the queue that has not begun to leave; the slot `behind` which it is matters unless it is
    /// the first. Gives the next one. Times stay.
    pub(super) fn remove<P>(&mut self, frames: &mut Frames<P>, slot: u32, behind: u32) -> u32 {
        let Slot { next, length, .. } = frames.slots[slot as usize];
        if self.head == slot {
            self.head = next;
        } else {
            frames.slots[behind as usize].next = next;
        }
        if self.tail == slot {
            self.tail = behind;
        }
        if self.waiting == slot {
            self.waiting = next;
        }
        self.occupied -= u64::from(length);
        next
    }

    /// Lets the frames from a slot to the end of the queue, all of which can leave by then, leave from `start` on.
    pub(super) fn leave_from<P>(&mut self, frames: &mut Frames<P>, mut slot: u32, start: u64) {
        self.free = start;
        while slot != NIL {
            let frame = &mut frames.slots[slot as usize];
            frame.arrival = self.leave(self.free, frame.length);
            slot = frame.next;
        }
    }

    /// Takes the frame that is at the far end off the cable. `None`, and nothing is done, if that is of a train, or one
    /// comes in behind it.
    #[inline(always)]
    pub(super) fn arrived<P>(&mut self, frames: &Frames<P>) -> Option<Arrived> {
        if self.feeder != NIL {
            return None;
        }
        self.arrived_alone(frames)
    }

    /// The same, `None` only if it is of a train.
    #[inline(always)]
    pub(super) fn arrived_alone<P>(&mut self, frames: &Frames<P>) -> Option<Arrived> {
        let slot = self.head;
        let frame = &frames.slots[slot as usize];
        if frame.train != NIL {
            return None;
        }
        let next = frame.next;
        self.head = next;
        let mut freed = 0;
        if self.waiting == slot {
            self.waiting = next;
            freed = u64::from(frame.length);
            self.occupied -= freed;
        }
        let next = (next != NIL).then(|| frames.slots[next as usize].arrival);
        Some(Arrived { slot, length: frame.length, freed, next })
    }

    /// Frees the room of the frames whose last bit has left by `now`; gives their bytes.
    #[inline(always)]
    pub(super) fn settle<P>(&mut self, frames: &mut Frames<P>, now: u64) -> u64 {
        let mut freed = 0;
        while self.waiting != NIL
            && let slot = &frames.slots[self.waiting as usize]
            && slot.arrival - self.delay <= now
        {
            if slot.train != NIL {
                self.occupied -= freed;
                return freed + self.settle_train(frames, now);
            }
            freed += u64::from(slot.length);
            self.waiting = slot.next;
        }
        self.occupied -= freed;
        freed
    }

    /// The same where the first one waiting is a train. Of one that still comes in no room is counted yet.
    #[inline(never)]
    fn settle_train<P>(&mut self, frames: &mut Frames<P>, now: u64) -> u64 {
        let slot = self.waiting;
        if self.feeder != NIL && slot == self.tail {
            return 0;
        }
        let (end, length) = (frames.arrival(slot) - self.delay, frames.length(slot));
        let train = frames.train_mut(slot);
        let left = before(end, train.spacing, now + 1, train.count);
        let freed = u64::from(left - std::mem::replace(&mut train.left, left)) * u64::from(length);
        self.occupied -= freed;
        if left < train.count {
            return freed;
        }
        self.waiting = frames.next(slot);
        freed + self.settle(frames, now)
    }
}

/// When the last bit of a frame of so many bytes has left that begins to leave at `start`, and when the next one can
/// begin: the sums for every rate and instant.
#[cold]
fn late(pace: Pace, start: u64, length: u32) -> (u64, u64) {
    pace.times(length).map(|time| start.saturating_add(time)).into()
}

#[cfg(test)]
mod tests {
    use simnet_base::ids::HostId;

    use super::*;
    use crate::ethernet::Address;

    /// Wrong if the fast way rounded otherwise than the slow one, or did not end where time does.
    #[test]
    fn a_port_sends_at_its_rate_rounded_up_once() {
        for rate in
            [1, 7, 1_000, 10_000_000, 33_333_333, 100_000_000, 622_080_000, 10u64.pow(10), 4 * 10u64.pow(11)]
        {
            let rate = BitRate::new(rate).unwrap();
            let exact = |bytes: u32| rate.time_for(Bytes(u64::from(bytes))).as_ps();
            for (payload, mtu) in [(0, 46), (1_482, 1_500), (9_000, 9_000), (1 << 30, 1 << 30)] {
                for ready in [0, 12_345, LATE - 1, LATE, u64::MAX - 1_000_000, u64::MAX] {
                    let mut frames = Frames::new();
                    let (source, destination) = (HostId(0), Address::Broadcast);
                    let slot = frames.insert(Frame { source, destination, payload, content: () });
                    let mut output = Output::new(Pace::new(rate, mtu), 1_000, Receiver::Blocked);
                    let bytes = PREAMBLE + frames.length(slot);
                    let taken = output.send(&mut frames, slot, ready);
                    let arrival = ready.saturating_add(exact(bytes)).saturating_add(1_000);
                    let free = ready.saturating_add(exact(bytes + GAP));
                    let found = (taken.start, taken.next, output.free);
                    assert_eq!(found, (ready, Some(arrival), free), "{payload} B at {rate:?} from {ready}");
                }
            }
        }
    }
}
