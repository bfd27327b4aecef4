//! What is foreseen for observers, by cycle: a wheel for the next cycles, a heap for those beyond.
//!
//! ```text
//!   near   one list for each of the next 64 cycles, sorted when its cycle is the next to be reported
//!   far    a heap; what lies in it stays there until it is taken
//! ```
//! # Validation
//! A unit test compares it with an [`Agenda`](simnet_base::des::agenda::Agenda).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cycles of the wheel, each a bit of its map.
const NEAR: u64 = 64;

/// Things foreseen, which come in order of their cycles, and within a cycle in their own. Of two alike, either is the
/// other.
#[derive(Debug)]
pub(super) struct Foreseen<T> {
    /// By the lowest bits of the cycle; empty before anything is foreseen.
    near: Vec<Vec<T>>,
    /// Of which cycles there is something in the wheel, by the same bits.
    occupied: u64,
    far: BinaryHeap<Reverse<(u64, T)>>,
    /// The cycle of what was taken last: nothing lies behind it.
    now: u64,
    /// The cycle whose list in the wheel is sorted, the first at the end.
    sorted: Option<u64>,
}

impl<T: Copy + Ord> Default for Foreseen<T> {
    fn default() -> Foreseen<T> {
        Foreseen { near: Vec::new(), occupied: 0, far: BinaryHeap::new(), now: 0, sorted: None }
    }
}

fn slot(at: u64) -> usize {
    (at % NEAR) as usize
}

impl<T: Copy + Ord> Foreseen<T> {
    /// Foresees `what` in cycle `at`, no earlier than what was taken last. Costs O(1) within the next 64 cycles.
    pub(super) fn add(&mut self, at: u64, what: T) {
        debug_assert!(at >= self.now, "what is foreseen lies ahead");
        if at - self.now >= NEAR {
            self.far.push(Reverse((at, what)));
            return;
        }
        if self.near.is_empty() {
            self.near.resize_with(u64::BITS as usize, Vec::new);
        }
        if self.sorted == Some(at) {
            self.sorted = None;
        }
        self.near[slot(at)].push(what);
        self.occupied |= 1 << slot(at);
    }

    /// The next cycle of which something is foreseen.
    pub(super) fn next(&self) -> Option<u64> {
        let far = self.far.peek().map(|Reverse((at, _))| *at);
        match (self.next_near(), far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// What comes next, and its cycle.
    pub(super) fn first(&mut self) -> Option<(u64, T)> {
        let far = self.far.peek().map(|Reverse(first)| *first);
        [self.first_near(), far].into_iter().flatten().min()
    }

    /// Takes what comes next.
    pub(super) fn take(&mut self) -> Option<(u64, T)> {
        let near = self.first_near();
        let far = self.far.peek().map(|Reverse(first)| *first);
        let first = match (near, far) {
            (None, None) => return None,
            (Some(near), far) if far.is_none_or(|far| near <= far) => {
                self.take_near(near.0);
                near
            }
            _ => self.far.pop().expect("it was looked at").0,
        };
        debug_assert!(first.0 >= self.now, "cycles come in their order");
        self.now = first.0;
        Some(first)
    }

    /// The next cycle of the wheel.
    fn next_near(&self) -> Option<u64> {
        // All of the wheel lies less than its length ahead of `now`, so the first bit from there on is the next cycle.
        let turned = self.occupied.rotate_right((self.now % NEAR) as u32);
        (turned != 0).then(|| self.now + u64::from(turned.trailing_zeros()))
    }

    /// What comes next of the wheel.
    fn first_near(&mut self) -> Option<(u64, T)> {
        let at = self.next_near()?;
        let list = &mut self.near[slot(at)];
        if self.sorted != Some(at) {
            list.sort_unstable_by(|a, b| b.cmp(a));
            self.sorted = Some(at);
        }
        list.last().map(|first| (at, *first))
    }

    fn take_near(&mut self, at: u64) {
        let list = &mut self.near[slot(at)];
        list.pop();
        if list.is_empty() {
            self.occupied &= !(1 << slot(at));
            self.sorted = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::des::agenda::Agenda;
    use simnet_base::des::random::{Purpose, Stream};

    /// Wrong if anything came in another order than from a heap of everything, or were lost: things near and far, of
    /// one cycle from both, added between takes.
    #[test]
    fn what_is_foreseen_comes_as_from_a_heap() {
        for seed in 0..200 {
            let mut stream = Stream::new(seed, Purpose(91), 0);
            let (mut fast, mut slow) = (Foreseen::default(), Agenda::<(), u64, u64>::new());
            let reach = [3, 70, 300][(seed % 3) as usize];
            for _ in 0..2_000 {
                if stream.below(2) == 0 {
                    let (at, what) = (slow.now() + stream.below(reach), stream.below(6));
                    fast.add(at, what);
                    slow.schedule_in(at, what, ());
                } else {
                    assert_eq!(fast.next(), slow.next(), "seed {seed}");
                    assert_eq!(fast.first(), slow.peek().map(|due| (due.at, due.phase)), "seed {seed}");
                    assert_eq!(fast.take(), slow.pop().map(|due| (due.at, due.phase)), "seed {seed}");
                }
            }
            while let Some(due) = slow.pop() {
                assert_eq!(fast.take(), Some((due.at, due.phase)), "seed {seed}");
            }
            assert_eq!(fast.take(), None, "seed {seed}");
        }
    }
}
