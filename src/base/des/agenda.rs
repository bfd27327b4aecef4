//! The agenda of a model whose events lie at any instants: what is to happen, by instant, phase and order.
//!
//! # Scope and limitations
//! A binary heap: an event costs O(log events) however far ahead it lies. A model that has events in nearly every cycle
//! uses a [`Calendar`](super::calendar::Calendar), whose wheels cost O(1) an event but are laid out for cycles, not for
//! picoseconds; one in which each thing has one event ahead at a time, and ties fall by number, uses a
//! [`Wheel`](super::wheel::Wheel); one that cancels most of what it schedules uses [`Timers`](super::timers::Timers),
//! which remove an event by its key. Nothing is removed here: an event that has lost its meaning is recognised by its
//! receiver.
//!
//! # Validation
//! A unit test compares it with a list that is searched from end to end.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::units::Time;

/// Events in the order (instant, phase, scheduling).
///
/// The phase `P` orders the events of one instant, by default not at all; `T` counts time.
#[derive(Clone, Debug)]
pub struct Agenda<E, P = (), T = Time> {
    heap: BinaryHeap<Reverse<Entry<E, P, T>>>,
    /// The present: the instant of the last event taken, or later.
    now: T,
    scheduled: u64,
}

/// An event with its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due<E, P = (), T = Time> {
    /// When it is due.
    pub at: T,
    /// Its phase within that instant.
    pub phase: P,
    /// What happens.
    pub event: E,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E, P, T> {
    due: Due<E, P, T>,
    /// How many events were scheduled before.
    nth: u64,
}

impl<E, P: Ord, T: Copy + Default + Ord> Default for Agenda<E, P, T> {
    fn default() -> Agenda<E, P, T> {
        Agenda { heap: BinaryHeap::new(), now: T::default(), scheduled: 0 }
    }
}

impl<E, T: Copy + Default + Ord> Agenda<E, (), T> {
    /// Schedules `event` at the instant `at`, after all that is scheduled there already. Costs O(log events).
    ///
    /// # Panics
    /// If `at` lies behind the present.
    pub fn schedule(&mut self, at: T, event: E) {
        self.schedule_in(at, (), event);
    }
}

impl<E, P: Ord, T: Copy + Default + Ord> Agenda<E, P, T> {
    /// An empty agenda, at the start of time.
    pub fn new() -> Agenda<E, P, T> {
        Agenda::default()
    }

    /// Schedules `event` in `phase` of the instant `at`. Costs O(log events).
    ///
    /// # Panics
    /// If `at` lies behind the present.
    pub fn schedule_in(&mut self, at: T, phase: P, event: E) {
        assert!(at >= self.now, "an event is scheduled behind the present");
        let nth = self.scheduled;
        self.scheduled += 1;
        self.heap.push(Reverse(Entry { due: Due { at, phase, event }, nth }));
        debug_assert!(
            self.heap.len() as u64 <= self.scheduled,
            "every event in the heap has a number of its own"
        );
        debug_assert!(
            self.next().is_some_and(|next| next <= at),
            "no event is due after the one that is next"
        );
    }

    /// The present: the instant of the last event taken, unless [`Agenda::advance_to`] went on from there.
    pub fn now(&self) -> T {
        self.now
    }

    /// Lets the present be `at`, up to which nothing is due.
    ///
    /// # Panics
    /// If `at` lies behind the present, or if an event is due before it.
    pub fn advance_to(&mut self, at: T) {
        assert!(at >= self.now, "the present does not go back");
        assert!(self.next().is_none_or(|next| next >= at), "an event is due before the present");
        self.now = at;
    }

    /// When the next event is due.
    pub fn next(&self) -> Option<T> {
        self.peek().map(|due| due.at)
    }

    /// The next event, which stays where it is.
    pub fn peek(&self) -> Option<&Due<E, P, T>> {
        let due = self.heap.peek().map(|Reverse(entry)| &entry.due);
        debug_assert!(due.is_none_or(|due| due.at >= self.now), "nothing is due behind the present");
        due
    }

    /// Takes the next event; its instant is the present from now on. Costs O(log events).
    pub fn pop(&mut self) -> Option<Due<E, P, T>> {
        let Reverse(Entry { due, nth }) = self.heap.pop()?;
        debug_assert!(due.at >= self.now, "events come in the order of time");
        debug_assert!(nth < self.scheduled, "what comes was scheduled");
        let place = (due.at, &due.phase, nth);
        let follows =
            |Reverse(next): &Reverse<Entry<E, P, T>>| (next.due.at, &next.due.phase, next.nth) > place;
        debug_assert!(
            self.heap.peek().is_none_or(follows),
            "and within an instant in the order of phases, then of scheduling"
        );
        self.now = due.at;
        Some(due)
    }

    /// Takes the next event if it is due no later than `until`; without such an instant, takes it anyway.
    pub fn pop_due(&mut self, until: Option<T>) -> Option<Due<E, P, T>> {
        let next = self.next()?;
        if until.is_some_and(|until| next > until) {
            return None;
        }
        let due = self.pop();
        debug_assert!(due.is_some() && self.now == next, "what is due next is what comes");
        debug_assert!(until.is_none_or(|until| self.now <= until), "the present does not pass the limit");
        due
    }

    /// Drops the events for which `holds` is false. The present stays. Costs O(events).
    pub fn retain(&mut self, mut holds: impl FnMut(&Due<E, P, T>) -> bool) {
        self.heap.retain(|Reverse(entry)| holds(&entry.due));
        debug_assert!(self.next().is_none_or(|next| next >= self.now), "what is left lies ahead");
    }

    /// Forgets all events. The present stays.
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    /// Whether nothing is scheduled.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

impl<E, P: Ord, T: Ord> Ord for Entry<E, P, T> {
    fn cmp(&self, other: &Entry<E, P, T>) -> Ordering {
        let [ours, theirs] = [self, other].map(|entry| (&entry.due.at, &entry.due.phase, entry.nth));
        debug_assert!(self.nth != other.nth || ours == theirs, "a number is given to one event");
        ours.cmp(&theirs)
    }
}

impl<E, P: Ord, T: Ord> PartialOrd for Entry<E, P, T> {
    fn partial_cmp(&self, other: &Entry<E, P, T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E, P: Ord, T: Ord> PartialEq for Entry<E, P, T> {
    fn eq(&self, other: &Entry<E, P, T>) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E, P: Ord, T: Ord> Eq for Entry<E, P, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// Wrong if events of one instant and phase came in another order than scheduled, or phases in another than theirs.
    #[test]
    fn an_agenda_equals_a_list_searched_from_end_to_end() {
        let mut chance = Stream::new(1, Purpose(9_998), 0);
        for _ in 0..200 {
            let mut agenda: Agenda<u32, u64, u64> = Agenda::new();
            let mut list: Vec<(u64, u64, u32)> = Vec::new();
            for event in 0..200 {
                if chance.below(3) > 0 {
                    let (at, phase) = (agenda.now() + chance.below(4), chance.below(3));
                    agenda.schedule_in(at, phase, event);
                    list.push((at, phase, event));
                } else {
                    let until = (chance.below(2) > 0).then(|| agenda.now() + chance.below(3));
                    let first = list.iter().enumerate().min_by_key(|(_, (at, phase, _))| (*at, *phase));
                    let nth = first.map(|(nth, _)| nth);
                    let due = nth.filter(|nth| until.is_none_or(|until| list[*nth].0 <= until));
                    let expected = due.map(|nth| list.remove(nth));
                    let taken = agenda.pop_due(until).map(|due| (due.at, due.phase, due.event));
                    assert_eq!(taken, expected);
                }
                assert_eq!(agenda.next(), list.iter().map(|(at, ..)| *at).min());
                assert_eq!(agenda.is_empty(), list.is_empty());
            }
        }
    }

    #[test]
    #[should_panic(expected = "behind the present")]
    fn nothing_is_scheduled_behind_the_present() {
        let mut agenda = Agenda::new();
        agenda.schedule(Time::from_ps(5), ());
        agenda.pop();
        agenda.schedule(Time::from_ps(4), ());
    }

    #[test]
    #[should_panic(expected = "due before the present")]
    fn the_present_does_not_pass_an_event() {
        let mut agenda = Agenda::new();
        agenda.schedule(Time::from_ps(5), ());
        agenda.advance_to(Time::from_ps(6));
    }
}
