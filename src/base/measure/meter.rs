//! The meter of one load point: which messages count, and what they say.
//!
//! ```text
//!   0 ..... warm-up ..... from ......... window ......... to ........ drain
//!                          | created here: latency is measured, however late they arrive
//!                          | delivered here: accepted traffic
//! ```
//! A window may be extended: what is created after it is kept apart until the window reaches it.
//!
//! # Scope and limitations
//! Latencies are those of messages delivered whole and sound; lost ones end without one.
//!
//! # Validation
//! Offered against accepted traffic below saturation, and M/D/1 waiting times, in the integration tests.

use crate::units::Cycle;

use super::batches::Slot;
use super::estimate;
use super::warmup::Transient;
use super::{Congestion, Estimate, Latency};

/// How many slots a window is cut into, unless it has fewer cycles; twice as many are joined two by two.
pub const SLOTS: u64 = 1_024;
/// What comes later than so many slots is counted in the last of them.
const MOST_SLOTS: usize = 32 * 1024;

/// The cycles in which messages are measured: `from <= cycle < to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first cycle.
    pub from: Cycle,
    /// The cycle after the last.
    pub to: Cycle,
}

impl Window {
    /// Whether `cycle` lies in it.
    pub fn contains(&self, cycle: Cycle) -> bool {
        self.from <= cycle && cycle < self.to
    }

    /// How many cycles it has.
    pub fn cycles(&self) -> u64 {
        self.to.0 - self.from.0
    }
}

/// Flits and messages from the start of a point on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Messages that were planned.
    pub planned: u64,
    /// Their payload flits.
    pub planned_flits: u64,
    /// Payload flits of messages that ended, in whatever way.
    pub ended_flits: u64,
    /// Payload flits of messages that were delivered sound.
    pub accepted_flits: u64,
}

/// Measures the messages of one load point.
#[derive(Clone, Debug)]
pub struct Meter {
    window: Window,
    /// The length of a slot in cycles.
    slot: u64,
    slots: Vec<Slot>,
    /// Accepted flits by slot, and the end of the last slot.
    arrivals: (Vec<u64>, u64),
    transient: Option<Transient>,
    totals: Totals,
    kept: Sample,
    /// Messages created after the window.
    later: Sample,
}

/// Messages that belong together.
#[derive(Clone, Debug, Default)]
struct Sample {
    open: u64,
    latency: Latency,
    network_latency: Latency,
    /// Cycles that the messages would have taken without any others, from their first flits on.
    moving: u128,
}

/// A message that arrived whole and sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When its host created it.
    pub created: Cycle,
    /// When its first flit was put on its host's cable, or could first have been.
    pub started: Cycle,
    /// When its last flit arrived.
    pub tail: Cycle,
    /// Its payload flits.
    pub payload: u32,
    /// Cycles that it would have taken from `started` to `tail` if it had met no other; not more than it took.
    pub moving: u64,
}

/// Where the time of messages went, in cycles of all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many messages.
    pub messages: u64,
    /// From their creation to their first flits on the first cable.
    pub queueing: u128,
    /// From there on, what they took longer than alone.
    pub blocked: u128,
    /// What they would have taken alone.
    pub moving: u128,
}

const NEVER: Cycle = Cycle(u64::MAX);

impl Default for Meter {
    /// A meter that has seen nothing yet and watches the warm-up.
    fn default() -> Meter {
        Meter {
            window: Window { from: NEVER, to: NEVER },
            slot: 1,
            slots: Vec::new(),
            arrivals: (Vec::new(), 0),
            transient: Some(Transient::default()),
            totals: Totals::default(),
            kept: Sample::default(),
            later: Sample::default(),
        }
    }
}

impl Meter {
    /// Its window; before it is opened, one that never comes.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Does not watch the warm-up, whose length is given.
    pub fn ignore_warmup(&mut self) {
        self.transient = None;
    }

    /// When the transient ended, by MSER-5 over all messages delivered so far; `None` if it did not, or if the
    /// warm-up is not watched. Costs O(messages).
    pub fn transient_end(&self) -> Option<Cycle> {
        self.transient.as_ref()?.end().map(Cycle)
    }

    /// Begins to measure in `window`, of whose messages those of `planned` are known already.
    ///
    /// # Panics
    /// If the window is empty.
    pub fn open_window(&mut self, window: Window, planned: impl Iterator<Item = Cycle>) {
        assert!(window.cycles() > 0, "a window has a cycle");
        self.window = window;
        self.slot = window.cycles().div_ceil(SLOTS);
        self.arrivals = (Vec::new(), window.from.0);
        self.transient = None;
        for created in planned {
            *self.open_of(created) += 1;
        }
    }

    /// Extends the window to `to`; `planned` are the creations of the messages that are known already.
    pub fn extend(&mut self, to: Cycle, planned: impl Iterator<Item = Cycle>) {
        let later = std::mem::take(&mut self.later);
        self.kept.open += later.open;
        self.kept.latency.add(&later.latency);
        self.kept.network_latency.add(&later.network_latency);
        self.kept.moving += later.moving;
        self.window.to = to;
        let beyond = planned.filter(|created| *created >= to).count() as u64;
        self.kept.open -= beyond;
        self.later.open = beyond;
        while self.window.cycles() >= 2 * SLOTS * self.slot {
            self.slot *= 2;
            self.slots = self
                .slots
                .chunks(2)
                .map(|pair| pair.iter().copied().fold(Slot::default(), Slot::and))
                .collect();
            let (arrivals, end) = &mut self.arrivals;
            if arrivals.len() % 2 == 1 {
                *end = end.saturating_add(self.slot / 2);
            }
            *arrivals = arrivals.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
    }

    #[inline]
    fn open_of(&mut self, created: Cycle) -> &mut u64 {
        if created < self.window.to { &mut self.kept.open } else { &mut self.later.open }
    }

    /// Notes that a host created a message of `payload` flits.
    #[inline]
    pub fn created(&mut self, created: Cycle, payload: u32) {
        self.totals.planned += 1;
        self.totals.planned_flits += u64::from(payload);
        if created >= self.window.from {
            *self.open_of(created) += 1;
        }
    }

    /// Notes that a message was delivered whole and sound.
    #[inline]
    pub fn delivered(&mut self, arrival: &Arrival) {
        let Arrival { created, started, tail, payload, moving } = *arrival;
        debug_assert!(moving <= tail.0 - started.0, "faster than alone: {arrival:?}");
        self.totals.ended_flits += u64::from(payload);
        self.totals.accepted_flits += u64::from(payload);
        let cycles = tail.0 - created.0;
        if let Some(transient) = &mut self.transient {
            transient.delivered(cycles, tail.0);
        }
        if tail >= self.window.from {
            let (arrivals, end) = &mut self.arrivals;
            while tail.0 >= *end {
                arrivals.push(0);
                *end = if arrivals.len() < MOST_SLOTS { end.saturating_add(self.slot) } else { u64::MAX };
            }
            if let Some(slot) = arrivals.last_mut() {
                *slot += u64::from(payload);
            }
        }
        if created >= self.window.from {
            let sample = if created < self.window.to { &mut self.kept } else { &mut self.later };
            sample.open -= 1;
            sample.latency.record(cycles);
            sample.network_latency.record(tail.0 - started.0);
            sample.moving += u128::from(moving);
            let slot = (created.0 - self.window.from.0) / self.slot;
            let slot = usize::try_from(slot).map_or(MOST_SLOTS - 1, |slot| slot.min(MOST_SLOTS - 1));
            if slot >= self.slots.len() {
                self.slots.resize(slot + 1, Slot::default());
            }
            self.slots[slot] = self.slots[slot].and(Slot { sum: u128::from(cycles), count: 1 });
        }
    }

    /// Notes that a message ended without being delivered.
    pub fn lost(&mut self, created: Cycle, payload: u32) {
        self.totals.ended_flits += u64::from(payload);
        if created >= self.window.from {
            *self.open_of(created) -= 1;
        }
    }

    /// How many measured messages have not ended yet.
    pub fn open(&self) -> u64 {
        self.kept.open
    }

    /// What there was since the start of the point.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Latencies from creation of the messages of the window.
    pub fn latency(&self) -> &Latency {
        &self.kept.latency
    }

    /// Their latencies from the first flit on the first cable.
    pub fn network_latency(&self) -> &Latency {
        &self.kept.network_latency
    }

    /// Where the time of the messages of the window went. The three parts add up to the sum of their latencies.
    pub fn spent(&self) -> Spent {
        let Sample { latency, network_latency, moving, .. } = &self.kept;
        Spent {
            messages: latency.count(),
            queueing: latency.sum() - network_latency.sum(),
            blocked: network_latency.sum().saturating_sub(*moving),
            moving: *moving,
        }
    }

    /// Mean times of the messages of the window; `None` without any.
    pub fn congestion(&self) -> Option<Congestion> {
        let Sample { latency, network_latency, moving, .. } = &self.kept;
        let moving = *moving as f64 / latency.count().max(1) as f64;
        Some(Congestion { latency: latency.mean()?, in_network: network_latency.mean()?, moving })
    }

    /// The slots of the window, by creation of the messages.
    fn within(&self) -> &[Slot] {
        &self.slots[..self.slots_within().min(self.slots.len())]
    }

    /// What the messages of the window say about the mean latency from creation, in cycles; `None` if they are too few.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::new(self.within(), self.congestion()?.needed() / self.slot as f64)
    }

    /// Whether latency has grown all the time, as in a network that falls behind.
    pub fn grows(&self) -> bool {
        let rest = self.congestion().map_or(0.0, |times| times.moving);
        estimate::grows(self.within(), self.window.from.0 as f64 / self.slot as f64, rest)
    }

    /// What the window says about accepted traffic, in flits a slot.
    pub fn accepted_estimate(&self) -> Option<Estimate> {
        let (arrivals, _) = &self.arrivals;
        let slot = |place| Slot { sum: arrivals.get(place).map_or(0, |flits| u128::from(*flits)), count: 1 };
        // The last slot of a window that its length does not divide is shorter than the others.
        let whole =
            usize::try_from(self.window.cycles() / self.slot).map_or(MOST_SLOTS, |w| w.min(MOST_SLOTS));
        Estimate::new(&(0..whole).map(slot).collect::<Vec<_>>(), 0.0)
    }

    fn slots_within(&self) -> usize {
        usize::try_from(self.window.cycles().div_ceil(self.slot)).expect("few slots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(meter: &mut Meter, created: u64, latency: u64) {
        meter.created(Cycle(created), 10);
        let [created, started, tail] = [created, created + 1, created + latency].map(Cycle);
        meter.delivered(&Arrival { created, started, tail, payload: 10, moving: latency / 2 });
    }

    fn window(from: u64, to: u64) -> Window {
        Window { from: Cycle(from), to: Cycle(to) }
    }

    #[test]
    fn only_messages_created_in_the_window_are_measured() {
        let mut meter = Meter::default();
        one(&mut meter, 50, 60);
        meter.open_window(window(100, 200), std::iter::empty());
        [100, 199, 200].into_iter().for_each(|created| one(&mut meter, created, 60));
        assert_eq!((meter.open(), meter.latency().count()), (0, 2));
        assert_eq!((meter.latency().mean(), meter.network_latency().mean()), (Some(60.0), Some(59.0)));
        assert_eq!(meter.spent(), Spent { messages: 2, queueing: 2, blocked: 58, moving: 60 });
        let totals = Totals { planned: 4, planned_flits: 40, ended_flits: 40, accepted_flits: 40 };
        assert_eq!(meter.totals(), totals);
        assert_eq!(meter.estimate(), None);
    }

    /// Wrong if a window that grows step by step measured anything else than one that was as long from the start.
    #[test]
    fn an_extended_window_is_a_longer_one() {
        let mut whole = Meter::default();
        let mut grown = Meter::default();
        whole.open_window(window(0, 16_384), std::iter::empty());
        grown.open_window(window(0, 2_048), std::iter::empty());
        for created in 0..20_000 {
            let latency = 5 + created % 7 + created / 100 % 3;
            if [2_048, 3_000, 8_192].contains(&created) {
                // A message of after the window is known already; it will be lost.
                grown.created(Cycle(created * 2), 10);
                grown.extend(Cycle(created * 2), std::iter::once(Cycle(created * 2)));
                assert_eq!((grown.kept.open, grown.later.open), (0, 1));
                grown.lost(Cycle(created * 2), 10);
            }
            one(&mut whole, created, latency);
            one(&mut grown, created, latency);
        }
        assert_eq!(grown.window(), whole.window());
        assert_eq!((grown.slot, whole.slot), (16, 16));
        assert_eq!(grown.latency().mean(), whole.latency().mean());
        assert_eq!(grown.latency().count(), 16_384);
        assert_eq!(grown.spent(), whole.spent());
        assert_eq!(grown.estimate(), whole.estimate());
        assert_eq!(grown.accepted_estimate(), whole.accepted_estimate());
    }

    #[test]
    fn a_lost_message_is_open_no_more() {
        let mut meter = Meter::default();
        meter.open_window(window(10, 20), [Cycle(12), Cycle(30)].into_iter());
        assert_eq!(meter.open(), 1);
        meter.lost(Cycle(12), 10);
        assert_eq!((meter.open(), meter.latency().count()), (0, 0));
    }
}
