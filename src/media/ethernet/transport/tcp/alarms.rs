//! The alarms of connections, of which nearly all are moved or cancelled before they go off.
//!
//! An alarm that is moved to a later instant stays where it is in the heap until it comes up there; only then it is
//! put where it belongs. So an acknowledgement, which moves the alarm of a retransmission, costs a few stores. (Keyed
//! [`Timers`](simnet_base::des::timers::Timers) find their keys by hashing them, and put them in order at once.)
//!
//! # Validation
//! A unit test compares them with these timers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use simnet_base::units::Time;

/// What an alarm is for; the connection is known by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alarm {
    /// A socket has something to do: the connection, the side.
    Socket(u32, usize),
    /// A neighbour has not answered.
    Address(u32),
    /// A connection may be dead.
    Watch(u32),
}

/// Alarms a connection.
const KINDS: usize = 4;

/// Alarms in the order in which they go off: by instant, those of one instant as they were set.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    /// By alarm.
    states: Vec<State>,
    /// Which alarms to look at, when; those of one instant by when they were set.
    heap: BinaryHeap<Reverse<(Time, u64, Alarm)>>,
    /// How many were set before.
    set: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// When it goes off, and when it was set.
    due: Option<(Time, u64)>,
    /// Its first place in the heap, not after `due`; others are void.
    place: Option<(Time, u64)>,
}

impl Alarms {
    /// Lets an alarm go off at `at` and not when it was set to before. It goes off after all that are set to that
    /// instant already.
    pub(super) fn set(&mut self, alarm: Alarm, at: Time) {
        let index = alarm.index();
        if index >= self.states.len() {
            self.states.resize(index + 1, State::default());
        }
        let due = (at, self.set);
        self.set += 1;
        let state = &mut self.states[index];
        state.due = Some(due);
        if state.place.is_none_or(|(place, _)| place > at) {
            state.place = Some(due);
            self.heap.push(Reverse((at, due.1, alarm)));
        }
    }

    /// Forgets an alarm.
    pub(super) fn cancel(&mut self, alarm: Alarm) {
        if let Some(state) = self.states.get_mut(alarm.index()) {
            state.due = None;
        }
    }

    /// When the next alarm goes off.
    pub(super) fn next_due(&mut self) -> Option<Time> {
        while let Some(mut first) = self.heap.peek_mut() {
            let Reverse((at, nth, alarm)) = *first;
            let state = &mut self.states[alarm.index()];
            if state.due == Some((at, nth)) {
                return Some(at);
            }
            let is_void = state.place != Some((at, nth));
            if !is_void {
                state.place = state.due;
            }
            match state.due {
                Some((at, nth)) if !is_void => *first = Reverse((at, nth, alarm)),
                _ => _ = PeekMut::pop(first),
            }
        }
        None
    }

    /// Takes the next alarm if it goes off no later than `now`.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<Alarm> {
        self.next_due().filter(|at| *at <= now)?;
        let Reverse((.., alarm)) = self.heap.pop()?;
        self.states[alarm.index()] = State::default();
        Some(alarm)
    }
}

impl Alarm {
    fn index(self) -> usize {
        match self {
            Alarm::Socket(id, side) => id as usize * KINDS + side,
            Alarm::Address(id) => id as usize * KINDS + 2,
            Alarm::Watch(id) => id as usize * KINDS + 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::des::random::{Purpose, Stream};
    use simnet_base::des::timers::Timers;
    use simnet_base::units::Duration;

    /// Wrong if an alarm went off at another instant than it was set to last, after it was cancelled, or in another
    /// order among those of its instant than they were set in.
    #[test]
    fn alarms_are_timers() {
        for seed in 0..200 {
            let mut chance = Stream::new(seed, Purpose(9_996), 0);
            let (mut alarms, mut timers) = (Alarms::default(), Timers::new());
            let mut now = Time::ZERO;
            for _ in 0..400 {
                let id = u32::try_from(chance.below(3)).unwrap();
                let alarm = match chance.below(4) {
                    0 => Alarm::Address(id),
                    1 => Alarm::Watch(id),
                    side => Alarm::Socket(id, usize::try_from(side - 2).unwrap()),
                };
                match chance.below(5) {
                    0..3 => {
                        let at = now + Duration::from_ps(chance.below(6));
                        alarms.set(alarm, at);
                        timers.set(alarm.index(), at);
                    }
                    3 => {
                        alarms.cancel(alarm);
                        timers.cancel(&alarm.index());
                    }
                    _ => {
                        now = now + Duration::from_ps(chance.below(3));
                        while let Some((expected, _)) = timers.pop_due(now) {
                            assert_eq!(alarms.pop_due(now).map(Alarm::index), Some(expected), "seed {seed}");
                        }
                        assert_eq!(alarms.pop_due(now), None, "seed {seed}");
                    }
                }
                assert_eq!(alarms.next_due(), timers.next_due(), "seed {seed}");
            }
        }
    }
}
