//! Timers by key: set, moved and cancelled at any time, due in order of time.
//!
//! Most timers of TCP never fire: the acknowledgement cancels the time-out of what was sent. They live in the keyed
//! queue of the `priority-queue` crate, which is slower per operation than the binary heap of an
//! [`Agenda`](super::agenda::Agenda) but removes and moves an entry by its key, so that no dead timers pile up.
//!
//! Time-outs of mappers and daemons are not here. A process waits for one thing at a time, so the
//! [`Scheduler`](super::executor::Scheduler) keeps one wake a process in its agenda; a wake that the answer makes void
//! stays there until its instant.

use std::cmp::Reverse;
use std::hash::Hash;

use priority_queue::PriorityQueue;

use crate::units::Time;

/// Timers named by keys of type `K`, at most one a key. Ties fire in the order in which they were set.
#[derive(Debug)]
pub struct Timers<K: Hash + Eq> {
    queue: PriorityQueue<K, Reverse<(Time, u64)>>,
    /// How many were set before.
    set: u64,
    /// The instant of the last timer that fired.
    now: Time,
}

impl<K: Hash + Eq> Default for Timers<K> {
    fn default() -> Timers<K> {
        Timers { queue: PriorityQueue::new(), set: 0, now: Time::ZERO }
    }
}

impl<K: Hash + Eq> Timers<K> {
    /// No timers.
    pub fn new() -> Timers<K> {
        Timers::default()
    }

    /// Lets the timer `key` fire at `at` and not when it was set to before. Costs O(log timers).
    ///
    /// A timer that is moved counts as set now: it fires after those already set to the same instant.
    ///
    /// # Panics
    /// If `at` lies behind the present: the instant of the last timer that fired.
    pub fn set(&mut self, key: K, at: Time) {
        assert!(at >= self.now, "a timer is set behind the present");
        self.queue.push(key, Reverse((at, self.set)));
        self.set += 1;
        debug_assert!(self.next_due().is_some_and(|next| next <= at), "no timer is later than the first");
        debug_assert!(self.len() as u64 <= self.set, "a key has one timer, however often it is set");
    }

    /// Forgets the timer `key`; says whether it was set. Costs O(log timers).
    pub fn cancel(&mut self, key: &K) -> bool {
        let was_set = self.queue.remove(key).is_some();
        debug_assert!(self.next_due().is_none_or(|next| next >= self.now), "no timer was passed over");
        was_set
    }

    /// When the next timer fires.
    pub fn next_due(&self) -> Option<Time> {
        self.queue.peek().map(|(_, Reverse((at, _)))| *at)
    }

    /// Takes the next timer that fires no later than `now`, with its instant. Costs O(log timers).
    pub fn pop_due(&mut self, now: Time) -> Option<(K, Time)> {
        if self.next_due()? > now {
            return None;
        }
        let (key, Reverse((at, nth))) = self.queue.pop()?;
        debug_assert!(nth < self.set, "a timer that fires was set");
        debug_assert!(at >= self.now && at <= now, "timers fire in the order of time, none before its time");
        let follows = |(_, next): (&K, &Reverse<(Time, u64)>)| next.0 > (at, nth);
        debug_assert!(
            self.queue.peek().is_none_or(follows),
            "the first comes first, of a tie the one set first"
        );
        self.now = at;
        Some((key, at))
    }

    /// How many timers are set.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether no timer is set.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The obvious timers: a list in order of setting, searched from end to end.
    #[derive(Default)]
    struct List(Vec<(u32, Time)>);

    impl List {
        fn cancel(&mut self, key: u32) -> bool {
            let before = self.0.len();
            self.0.retain(|(k, _)| *k != key);
            self.0.len() < before
        }

        fn set(&mut self, key: u32, at: Time) {
            self.cancel(key);
            self.0.push((key, at));
        }

        fn pop_due(&mut self, now: Time) -> Option<(u32, Time)> {
            let first = self.0.iter().enumerate().min_by_key(|(nth, (_, at))| (*at, *nth))?.0;
            (self.0[first].1 <= now).then(|| self.0.remove(first))
        }
    }

    #[test]
    fn timers_equal_a_naive_list() {
        // Wrong if a moved or cancelled timer still fires, or if ties fire in another order than they were
        // set.
        for seed in 0..200 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let (mut timers, mut list) = (Timers::new(), List::default());
            let mut now = Time::ZERO;
            for _ in 0..200 {
                let key = random.random_range(0..8);
                match random.random_range(0..4) {
                    0 | 1 => {
                        let at = Time::from_ps(now.as_ps() + random.random_range(0..4));
                        timers.set(key, at);
                        list.set(key, at);
                    }
                    2 => assert_eq!(timers.cancel(&key), list.cancel(key), "seed {seed}"),
                    _ => {
                        now = Time::from_ps(now.as_ps() + random.random_range(0..3));
                        loop {
                            let due = timers.pop_due(now);
                            assert_eq!(due, list.pop_due(now), "seed {seed}");
                            if due.is_none() {
                                break;
                            }
                        }
                    }
                }
                assert_eq!((timers.len(), timers.is_empty()), (list.0.len(), list.0.is_empty()));
            }
        }
    }
}
