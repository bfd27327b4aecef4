//! What is due next: entries by instant, and within an instant by number.
//!
//! A wheel of buckets, each as wide as some nanoseconds and empty or nearly so: scheduling and taking cost O(1) where
//! a heap costs O(log entries). A bucket is put in order when it is opened. What lies further ahead than the wheel
//! turns is kept in a heap.
//!
//! # Scope and limitations
//! A number has one entry at a time, the next of what happens to one thing. So the order (instant, number) is an order
//! without ties, and an entry is found by its number. What needs the order of scheduling, or many entries of one kind,
//! uses an [`Agenda`](super::agenda::Agenda). Instants are picoseconds, or any other count below 2^64 - 1.
//!
//! # Validation
//! A unit test compares it with a list that is searched from end to end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No number.
const NIL: u32 = u32::MAX;
/// In the place of the next number: it is among those that do not fit on the wheel.
const FAR: u32 = u32::MAX - 1;
/// No instant.
const NEVER: u64 = u64::MAX;
/// Words of buckets, and bits of a word.
const WORDS: usize = 64;
const BUCKETS: u64 = WORDS as u64 * 64;

/// Entries by (instant, number).
#[derive(Clone, Debug)]
pub struct Wheel {
    /// By number.
    entries: Vec<Entry>,
    /// By bucket modulo [`BUCKETS`], the first entry in it.
    buckets: Box<[u32; WORDS * 64]>,
    /// Which buckets have entries, and which of these words are not zero.
    filled: [u64; WORDS],
    filled_words: u64,
    /// Bits of an instant within its bucket, at most 32.
    shift: u32,
    /// The open bucket, counted from the start of time. Nothing is due in those before.
    open: u64,
    /// What is due in the open bucket, the last first: the place in it in the upper half, the number in the lower.
    ready: Vec<u64>,
    /// What did not fit on the wheel when it was scheduled, with some that has been cancelled since, but never as the
    /// first; and the bucket of the first, [`NEVER`] for none.
    later: BinaryHeap<Reverse<(u64, u32)>>,
    later_from: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// [`NEVER`] for none.
    at: u64,
    /// The next one in the same bucket, or [`FAR`].
    next: u32,
}

impl Wheel {
    /// An empty wheel for the numbers below `numbers`, most of which are due at most `span` after the present. Takes 16
    /// bytes a number and 16 KiB.
    pub fn new(numbers: usize, span: u64) -> Wheel {
        let width = (span / BUCKETS).saturating_add(1);
        Wheel {
            entries: vec![Entry { at: NEVER, next: NIL }; numbers],
            buckets: Box::new([NIL; WORDS * 64]),
            filled: [0; WORDS],
            filled_words: 0,
            shift: (u64::BITS - width.leading_zeros()).min(32),
            open: 0,
            ready: Vec::new(),
            later: BinaryHeap::new(),
            later_from: NEVER,
        }
    }

    /// When `number` is due. Costs O(1).
    ///
    /// # Panics
    /// As all that takes a number: if it is not below `numbers`.
    pub fn due(&self, number: u32) -> Option<u64> {
        let at = self.entries[number as usize].at;
        (at != NEVER).then_some(at)
    }

    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.filled_words == 0 && self.later.is_empty()
    }

    /// Schedules `number`, which is not due yet, for an instant that is not before a bound at which something was
    /// looked for, nor the last of all. Costs O(1), in the open bucket O(its entries), far ahead O(log entries).
    #[inline]
    pub fn schedule(&mut self, at: u64, number: u32) {
        debug_assert!(self.due(number).is_none(), "a number is due once");
        debug_assert!(at >> self.shift >= self.open && at < NEVER, "nothing is due behind the present");
        let entry = &mut self.entries[number as usize];
        entry.at = at;
        let bucket = at >> self.shift;
        match bucket - self.open {
            0 => self.insert(at, number),
            ahead if ahead < BUCKETS => {
                let slot = slot(bucket);
                entry.next = std::mem::replace(&mut self.buckets[slot], number);
                self.filled[slot / 64] |= 1 << (slot % 64);
                self.filled_words |= 1 << (slot / 64);
            }
            _ => self.put_later(at, number),
        }
    }

    /// Takes the first entry if it is due at `until` at the latest. Costs O(1) but for what is put in order.
    ///
    /// No bucket is opened that begins after `until`: what is scheduled from there on fits in.
    #[inline]
    pub fn take_due(&mut self, until: u64) -> Option<(u64, u32)> {
        if self.ready.is_empty() {
            let Some(bucket) = self.next_filled() else { return self.take_later(until) };
            let number = self.buckets[slot(bucket)];
            let entry = &mut self.entries[number as usize];
            // The only one in its bucket, and nothing further ahead comes before it: as if the bucket were opened.
            if entry.next == NIL && bucket < self.later_from {
                if entry.at > until {
                    return None;
                }
                let at = std::mem::replace(&mut entry.at, NEVER);
                self.open = bucket;
                self.clear(bucket);
                return Some((at, number));
            }
            if bucket.min(self.later_from) << self.shift > until {
                return None;
            }
            self.open(bucket);
        }
        let (at, number) = self.split(*self.ready.last()?);
        if at > until {
            return None;
        }
        self.ready.pop();
        self.entries[number as usize].at = NEVER;
        Some((at, number))
    }

    /// When the first entry is due. Costs O(entries of its bucket).
    pub fn first(&self) -> Option<u64> {
        if let Some(ready) = self.ready.last() {
            return Some(self.split(*ready).0);
        }
        let bucket = self.next_filled().map_or(NIL, |bucket| self.buckets[slot(bucket)]);
        let on_wheel = self.chain(bucket).map(|number| self.entries[number as usize].at).min();
        let later = self.later.peek().map(|Reverse((at, _))| *at);
        on_wheel.into_iter().chain(later).min()
    }

    /// Forgets when `number` is due. Costs O(entries of its bucket), nothing but a place until then if it lies far
    /// ahead.
    pub fn cancel(&mut self, number: u32) {
        let entry = &mut self.entries[number as usize];
        let at = std::mem::replace(&mut entry.at, NEVER);
        let bucket = at >> self.shift;
        if entry.next == FAR {
            self.note_later();
        } else if bucket == self.open {
            self.ready.retain(|ready| low(*ready) != number);
        } else if bucket - self.open < BUCKETS {
            let others: Vec<u32> =
                self.chain(self.buckets[slot(bucket)]).filter(|other| *other != number).collect();
            self.clear(bucket);
            for other in others {
                let at = std::mem::replace(&mut self.entries[other as usize].at, NEVER);
                self.schedule(at, other);
            }
        }
    }

    /// Puts an entry among those that do not fit on the wheel.
    #[cold]
    fn put_later(&mut self, at: u64, number: u32) {
        self.entries[number as usize].next = FAR;
        self.later.push(Reverse((at, number)));
        self.note_later();
    }

    /// Notes what the first is of those that do not fit on the wheel, and forgets what was cancelled before it.
    fn note_later(&mut self) {
        while let Some(Reverse((at, number))) = self.later.peek().copied()
            && let entry = &self.entries[number as usize]
            && (entry.at != at || entry.next != FAR)
        {
            self.later.pop();
        }
        self.later_from = self.later.peek().map_or(NEVER, |Reverse((at, _))| at >> self.shift);
    }

    /// Takes the first entry of those that did not fit on the wheel, on which there is none, if it is due.
    fn take_later(&mut self, until: u64) -> Option<(u64, u32)> {
        let Reverse((at, number)) = self.later.peek().copied().filter(|Reverse((at, _))| *at <= until)?;
        self.later.pop();
        self.open = at >> self.shift;
        self.entries[number as usize] = Entry { at: NEVER, next: NIL };
        self.draw_near();
        Some((at, number))
    }

    /// Opens the next bucket that has entries: this one on the wheel, or one further ahead.
    fn open(&mut self, bucket: u64) {
        self.open = bucket.min(self.later_from);
        let mut is_in_order = true;
        if self.open == bucket {
            is_in_order = self.gather(bucket);
        }
        if self.open == self.later_from {
            is_in_order &= self.ready.is_empty();
            self.draw_near();
        }
        if !is_in_order {
            self.ready.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// Moves what lay further ahead, and is in the open bucket now, to those that are ready, the last first.
    fn draw_near(&mut self) {
        let before = self.ready.len();
        while let Some(Reverse((at, number))) = self.later.peek().copied()
            && at >> self.shift == self.open
        {
            self.later.pop();
            let entry = &mut self.entries[number as usize];
            // It may be there a second time, or have been cancelled.
            if entry.at == at && entry.next == FAR {
                entry.next = NIL;
                self.ready.push(self.join(at, number));
            }
        }
        self.ready[before..].reverse();
        self.note_later();
    }

    /// Moves the entries of a bucket to those that are ready. Whether they come in order, the last first: those do that
    /// were scheduled one after the other.
    fn gather(&mut self, bucket: u64) -> bool {
        let mut number = self.buckets[slot(bucket)];
        let (mut last, mut is_in_order) = (NEVER, true);
        while number != NIL {
            let Entry { at, next } = self.entries[number as usize];
            let ready = self.join(at, number);
            is_in_order &= ready < last;
            last = ready;
            self.ready.push(ready);
            number = next;
        }
        self.clear(bucket);
        is_in_order
    }

    /// Puts an entry among those of the open bucket.
    fn insert(&mut self, at: u64, number: u32) {
        let ready = self.join(at, number);
        self.entries[number as usize].next = NIL;
        let place = self.ready.partition_point(|other| *other > ready);
        self.ready.insert(place, ready);
    }

    #[inline]
    fn clear(&mut self, bucket: u64) {
        let slot = slot(bucket);
        self.buckets[slot] = NIL;
        self.filled[slot / 64] &= !(1 << (slot % 64));
        if self.filled[slot / 64] == 0 {
            self.filled_words &= !(1 << (slot / 64));
        }
    }

    /// The first bucket after the open one that has entries on the wheel.
    #[inline]
    fn next_filled(&self) -> Option<u64> {
        let (word, bit) = (low((self.open + 1) / 64 % WORDS as u64), (self.open + 1) % 64);
        let here = self.filled[word as usize] >> bit;
        if here != 0 {
            return Some(self.open + 1 + u64::from(here.trailing_zeros()));
        }
        // The words in their order from the next one on; the last of them is this one again.
        let ahead = self.filled_words.rotate_right(word + 1);
        (ahead != 0).then(|| {
            let words = ahead.trailing_zeros() + 1;
            let first = self.filled[(word + words) as usize % WORDS].trailing_zeros();
            self.open + 1 - bit + u64::from(words * 64 + first)
        })
    }

    /// The numbers behind one another from this one on.
    fn chain(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |number: u32| (number != NIL).then_some(number);
        std::iter::successors(some(first), move |number| some(self.entries[*number as usize].next))
    }
    /// An entry of the open bucket as a word that sorts as (instant, number).
    fn join(&self, at: u64, number: u32) -> u64 {
        (at - (self.open << self.shift)) << 32 | u64::from(number)
    }

    fn split(&self, ready: u64) -> (u64, u32) {
        ((self.open << self.shift) + (ready >> 32), low(ready))
    }
}

/// The number in the lower half of a word.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
const fn low(ready: u64) -> u32 {
    ready as u32
}

/// Where a bucket is on the wheel.
const fn slot(bucket: u64) -> usize {
    (bucket % BUCKETS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// Wrong if entries came in another order than (instant, number), one were lost or came twice, or a bound kept back
    /// what is due or let through what is not: entries near, far and beyond the wheel, buckets of any width.
    #[test]
    fn a_wheel_equals_a_list_searched_from_end_to_end() {
        for seed in 0..300 {
            let mut chance = Stream::new(seed, Purpose(9_997), 0);
            let span = [0, 5_000, 1 << 20, 1 << 50][usize::try_from(chance.below(4)).unwrap()];
            let mut wheel = Wheel::new(40, span);
            let mut due = [NEVER; 40];
            let mut now = 0;
            for _ in 0..400 {
                let number = chance.below(40);
                let n = u32::try_from(number).unwrap();
                let reach = 1 << chance.below(30);
                match chance.below(8) {
                    0..4 if due[n as usize] == NEVER => {
                        due[n as usize] = now + chance.below(reach);
                        wheel.schedule(due[n as usize], n);
                    }
                    4 if due[n as usize] != NEVER => {
                        due[n as usize] = NEVER;
                        wheel.cancel(n);
                    }
                    _ => {
                        let until = now + chance.below(reach);
                        let first = (0..40).min_by_key(|n| (due[*n], *n)).filter(|n| due[*n] <= until);
                        let expected = first.map(|n| (std::mem::replace(&mut due[n], NEVER), n));
                        let taken = wheel.take_due(until).map(|(at, n)| (at, n as usize));
                        assert_eq!(taken, expected, "seed {seed}");
                        now = expected.map_or(until, |(at, _)| at);
                    }
                }
                let first = due.iter().copied().min().filter(|at| *at != NEVER);
                assert_eq!((wheel.first(), wheel.is_empty()), (first, first.is_none()), "seed {seed}");
                assert_eq!(wheel.due(n), Some(due[n as usize]).filter(|at| *at != NEVER));
            }
        }
    }
}
