//! How well a mean is known from one correlated series, and whether that can be said at all.
//!
//! ```text
//!   |s|s|s|s|s|s| ... |s|s|s|s|s|s| ... |s|s|s|s|     slots of equal length, by creation: the window
//!   |--------- first half ---------|-- second half --|    the look before, at half the length, and what came since
//!   |  batch  |  batch  |   ...    |  batch  | ...    128, 64, 32 or 16 batches: the most that are nearly independent
//! ```
//! A series is judged at its whole length and at half of it, as if a run had looked after each doubling. Its interval
//! is trusted if
//!
//! * at both looks some number of batches is nearly independent: neighbours are correlated by at most 0.25, and coarser
//!   batches scatter no more than the finer ones predict; failing that, 16 batches correlated by at most 0.4;
//! * the variance has not more than doubled from one look to the next, and the two means agree;
//! * the window is as long as a network at such latencies may need to forget ([`Congestion::needed`]).
//!
//! The largest variance of the whole and of both halves makes the interval: a quiet stretch does not end a run by
//! itself.
//!
//! # Scope and limitations
//! A path that has not yet left one state for another looks like one that never will: near saturation only the third
//! rule stands between that and a wrong interval. If points end at a limit that about half of them need, those that end
//! earlier are the quiet ones, and their intervals cover in about 85 of 100 cases (docs/VALIDATION.md).
//!
//! # Source
//! Looks at doublings and batches until these are independent: A. M. Law and J. S. Carson, "A sequential procedure for
//! determining the length of a steady-state simulation", Operations Research 27 (1979); E. J. Chen and W. D. Kelton,
//! "Determining simulation run length with the runs test", Simulation Modelling Practice and Theory 11 (2003). The
//! corrections for correlation and skewness that are left: [`super::batches`]. Departures: all tests at two looks, the
//! largest variance, and the third rule are the project's; their constants were chosen on seventeen load points
//! (docs/VALIDATION.md).
//!
//! # Validation
//! Intervals of AR(1) series of known mean; the coverage of load points, in `tests/running/oracle/coverage.rs` and
//! `benches/coverage.rs`.

use super::batches::{Batches, Slot};

/// Into how many batches a series is cut, the finest first.
const COUNTS: [usize; 4] = [128, 64, 32, 16];
/// Neighbouring batches that are correlated by more are not nearly independent.
const CORRELATED: f64 = 0.25;
/// The same of the coarsest batches, whose correlation is corrected for.
const MOST_CORRELATED: f64 = 0.4;
/// Coarser batches may have so many times the variance that finer ones predict: by chance about one of ten has more.
const COARSER: f64 = 1.6;
/// The variance of one observation may grow by this factor from half the length to the whole.
const UNSTEADY: f64 = 2.0;
/// A window holds so many time constants of a queue, and so many of a network that blocks itself.
const TIME_CONSTANTS: (f64, f64) = (50.0, 7.0);
/// The power of congestion inside a network that stands for `1 / (1 - load)^2`.
const BLOCKED: f64 = 4.5;
/// A series grows if this share of pairs of batches agrees more often than it disagrees (Kendall's tau) ...
const RISING: f64 = 0.5;
/// ... and by at least this share of what a straight line from the start would rise by.
const STRAIGHT: f64 = 0.75;
/// Batches that are compared in order to see a series grow: few, as what varies within a batch looks like a walk.
const STEPS: usize = 20;
/// A rise counts if it is so many times what a walk without a drift would come to, whose steps vary as much. A line
/// without any noise comes to the root of one less than the steps, 4.4.
const BEYOND_CHANCE: f64 = 3.3;

/// Why the interval of a mean cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Batches that follow each other still depend on each other.
    Correlated,
    /// The first half of the window says something else than the whole, or varies much less.
    Unsteady,
    /// The window is shorter than a network with such latencies may take to forget: this many times as long.
    Short(f64),
}

/// What a series says about its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of all observations.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean, relative to it.
    pub relative_half_width: f64,
    /// Why that cannot be trusted, if it cannot.
    pub doubt: Option<Doubt>,
}

/// How congested a network was: mean times of a message, in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// From its creation to its end.
    pub latency: f64,
    /// From its first flit on the first cable to its end.
    pub in_network: f64,
    /// The same if it met no other.
    pub moving: f64,
}

impl Congestion {
    /// Cycles after which a mean may be judged.
    ///
    /// A queue whose latency is k times its service forgets within some k latencies: the time constant of M/M/1 is
    /// `service / (1 - load)^2`. Where worms and packets block each other inside a network, k grows only about as
    /// `(1 / (1 - load))^0.44`, measured on a torus and a mesh up to 96 % of what they carry, so that a higher power of
    /// it stands for the square.
    ///
    /// # Source
    /// The relaxation time of M/M/1: P. M. Morse, "Queues, Inventories and Maintenance" (1958), chapter 6.
    pub fn needed(&self) -> f64 {
        let of = |time: f64| if self.moving > 0.0 { (time / self.moving).max(1.0) } else { 1.0 };
        let (queue, network) = (of(self.latency), of(self.in_network));
        self.latency * f64::max(TIME_CONSTANTS.0 * queue, TIME_CONSTANTS.1 * libm::pow(network, BLOCKED))
    }
}

/// The batches of a series that are used, and whether they are good enough.
fn chosen(slots: &[Slot]) -> Option<(Batches, bool)> {
    let scales: Vec<Batches> = COUNTS.iter().filter_map(|count| Batches::new(slots, *count)).collect();
    let coarsest = scales.last().filter(|_| slots.len() >= COUNTS[COUNTS.len() - 1])?;
    let is_flat = |(nth, scale): &(usize, &Batches)| {
        let coarser = scales[nth + 1..].iter().all(|other| other.plain <= COARSER * scale.variance);
        scale.correlation <= CORRELATED && coarser
    };
    let fine = scales.iter().enumerate().find(is_flat);
    Some(fine.map_or((*coarsest, coarsest.correlation <= MOST_CORRELATED), |(_, scale)| (*scale, true)))
}

impl Estimate {
    /// Judges a series from its slots, in order, of which there should be `needed` at least; `None` if there are too
    /// few observations to make batches of.
    ///
    /// Costs O(slots).
    pub fn new(slots: &[Slot], needed: f64) -> Option<Estimate> {
        let (half, later) = slots.split_at(slots.len() / 2);
        let (whole, is_whole_good) = chosen(slots)?;
        let (first, is_half_good) = chosen(half)?;
        let (second, _) = chosen(later)?;
        // The variance of one slot: what longer series divide by their lengths.
        let a_slot = |of: &Batches, slots: &[Slot]| of.variance * slots.len() as f64;
        let (of_whole, of_half) = (a_slot(&whole, slots), a_slot(&first, half));
        let largest = of_whole.max(of_half).max(a_slot(&second, later));
        let relative_half_width = whole.half_width(largest / slots.len() as f64);
        let own =
            [whole.mean * relative_half_width, first.mean * first.half_width(largest / half.len() as f64)];
        let apart = (whole.mean - first.mean).abs() > own[0].max(own[1]);
        let doubt = if !is_whole_good || !is_half_good {
            Some(Doubt::Correlated)
        } else if apart || of_whole > UNSTEADY * of_half {
            Some(Doubt::Unsteady)
        } else if (slots.len() as f64) < needed {
            Some(Doubt::Short(needed / slots.len() as f64))
        } else {
            None
        };
        Some(Estimate { mean: whole.mean, relative_half_width, doubt })
    }

    /// Whether the mean is known within this share of itself.
    pub fn is_within(&self, precision: f64) -> bool {
        self.doubt.is_none() && self.relative_half_width <= precision
    }

    /// How many times as long the window should be at the next look: twice, or just as long as it takes if all that is
    /// missing can be counted.
    pub fn missing(&self, precision: f64) -> f64 {
        // The interval shrinks with the root of the length; some more, as this is an estimate itself.
        let share = self.relative_half_width / precision;
        let wanted = share * share * 1.05;
        match self.doubt {
            Some(Doubt::Correlated | Doubt::Unsteady) => 2.0,
            Some(Doubt::Short(times)) => (times * 1.02).max(wanted).clamp(1.1, 2.0),
            None => wanted.clamp(1.1, 2.0),
        }
    }
}

/// Whether a latency that `rest` would be without any other messages grows all the time, as that of a network that
/// falls behind: at the whole length and at half of it nearly all later batches are larger, and the fourth quarter
/// exceeds the second as on a straight line from the start of the point, `before` slots before the first. Costs
/// O(slots).
///
/// A network at the edge of what it can carry has a latency that grows as the root of time instead if it has many
/// queues. If it has few, that is a random walk, which may look straight: the rise must be more than such a walk would
/// come to.
pub(super) fn grows(slots: &[Slot], before: f64, rest: f64) -> bool {
    let is_straight = |slots: &[Slot]| rises(slots, before, rest).unwrap_or(false);
    is_straight(slots) && is_straight(&slots[..slots.len() / 2]) && is_no_walk(slots).unwrap_or(false)
}

/// Means of steps of equal length; `None` if one has no observation.
fn steps(slots: &[Slot]) -> Option<Vec<f64>> {
    let edge = |nth: usize| nth * slots.len() / STEPS;
    (0..STEPS).map(|nth| Slot::total(&slots[edge(nth)..edge(nth + 1)]).mean()).collect()
}

fn is_no_walk(slots: &[Slot]) -> Option<bool> {
    let steps = steps(slots)?;
    let squares: f64 = steps.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).sum();
    Some(steps.last()? - steps.first()? >= BEYOND_CHANCE * libm::sqrt(squares))
}

fn rises(slots: &[Slot], before: f64, rest: f64) -> Option<bool> {
    let edge = |nth: usize, of: usize| nth * slots.len() / of;
    let mean = |nth: usize, of: usize| Slot::total(&slots[edge(nth, of)..edge(nth + 1, of)]).mean();
    let steps = steps(slots)?;
    let mut balance = 0_i64;
    for (place, earlier) in steps.iter().enumerate() {
        balance += steps[place + 1..].iter().map(|later| later.total_cmp(earlier) as i64).sum::<i64>();
    }
    let pairs = STEPS * (STEPS - 1) / 2;
    let [second, fourth] = [1, 3].map(|nth| mean(nth, 4));
    let (second, fourth) = (second? - rest, fourth? - rest);
    let quarter = slots.len() as f64 / 4.0;
    let line = (before + 3.5 * quarter) / (before + 1.5 * quarter);
    Some(balance as f64 >= RISING * pairs as f64 && fourth >= second * (1.0 + STRAIGHT * (line - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// A standard normal number, nearly: the sum of twelve uniform ones.
    fn normal(stream: &mut Stream) -> f64 {
        (0..12).map(|_| stream.below(1 << 40) as f64 / (1_u64 << 40) as f64).sum::<f64>() - 6.0
    }

    /// An AR(1) series about 1,000 of unit deviation 100, cut into 1,024 slots.
    fn series(seed: u64, memory: f64, length: usize) -> Vec<Slot> {
        let mut stream = Stream::new(seed, Purpose(92), 0);
        let mut slots = vec![Slot::default(); 1_024];
        let mut state = normal(&mut stream);
        for place in 0..length {
            state = memory * state + libm::sqrt(1.0 - memory * memory) * normal(&mut stream);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "near 1,000")]
            let value = (1_000.0 + 100.0 * state) as u128;
            let slot = &mut slots[place * 1_024 / length];
            *slot = slot.and(Slot { sum: value, count: 1 });
        }
        slots
    }

    /// The share of 200 intervals that cover the true mean, 999.5 after rounding down, of those that are trusted; the
    /// share of these; their mean half-width over that of known variance.
    fn coverage(memory: f64, length: usize) -> (f64, f64, f64) {
        let estimates: Vec<Estimate> =
            (0..200).map(|seed| Estimate::new(&series(seed, memory, length), 0.0).unwrap()).collect();
        let trusted: Vec<&Estimate> = estimates.iter().filter(|estimate| estimate.doubt.is_none()).collect();
        let covers = |e: &&&Estimate| (e.mean - 999.5).abs() <= e.relative_half_width * e.mean;
        let count = trusted.len().max(1) as f64;
        let covered = trusted.iter().filter(covers).count() as f64 / count;
        let known = 1.96 * 100.0 * libm::sqrt((1.0 + memory) / (1.0 - memory) / length as f64);
        let width = trusted.iter().map(|e| e.relative_half_width * e.mean / known).sum::<f64>() / count;
        (covered, trusted.len() as f64 / 200.0, width)
    }

    /// Wrong if intervals that are trusted were too narrow for correlated series, or much too wide for others.
    /// One standard deviation of the share is 1.5 %.
    #[test]
    fn nineteen_of_twenty_intervals_cover_the_mean() {
        for (memory, length) in [(0.0, 4_000), (0.5, 4_000), (0.9, 20_000), (0.99, 40_000)] {
            let (covered, trusted, width) = coverage(memory, length);
            println!(
                "memory {memory}, {length} values: {covered} covered, {trusted} trusted, {width:.2} as wide"
            );
            assert!((0.91..=0.995).contains(&covered), "memory {memory}: {covered}");
            assert!(trusted > 0.7 && width < 1.35, "memory {memory}: {trusted} trusted, {width}");
        }
    }

    /// Wrong if batches shorter than the memory were trusted.
    #[test]
    fn short_series_with_a_long_memory_are_not_trusted() {
        let (_, trusted, _) = coverage(0.999, 4_000);
        assert!(trusted < 0.05, "{trusted}");
    }

    #[test]
    fn equal_slots_leave_no_doubt_and_levels_do() {
        let slots = |length: usize| {
            let slot = |place: usize| Slot {
                sum: if (place / length).is_multiple_of(2) { 70 } else { 90 },
                count: 10,
            };
            (0..1_024).map(slot).collect::<Vec<_>>()
        };
        let equal = Estimate::new(&vec![Slot { sum: 70, count: 10 }; 1_024], 0.0).unwrap();
        assert!(equal.is_within(1e-9) && (equal.missing(0.01) - 1.1).abs() < 1e-12, "{equal:?}");
        let rising: Vec<Slot> = (0..1_024).map(|n| Slot { sum: 1_000 + n, count: 10 }).collect();
        assert_eq!(Estimate::new(&rising, 0.0).unwrap().doubt, Some(Doubt::Correlated));
        // A spread that is three times as large in the second half.
        let mut stream = Stream::new(7, Purpose(94), 0);
        let mut spread = |n: u64| {
            let times = if n < 512 { 1 } else { 3 };
            Slot { sum: u128::from(1_000 + stream.below(41) * times - 20 * times), count: 10 }
        };
        let wilder: Vec<Slot> = (0..1_024).map(&mut spread).collect();
        assert_eq!(Estimate::new(&wilder, 0.0).unwrap().doubt, Some(Doubt::Unsteady));
        let short = Estimate::new(&slots(1), 2_048.0).unwrap();
        assert_eq!(short.doubt, Some(Doubt::Short(2.0)));
        assert!((short.missing(0.05) - 2.0).abs() < 1e-12);
        assert_eq!((Estimate::new(&slots(1)[..31], 0.0), Estimate::new(&[], 0.0)), (None, None));
    }

    /// Wrong if a queue at the edge, whose wait grows as the root of time, were taken for one that falls behind.
    #[test]
    fn a_latency_that_rises_along_a_line_grows() {
        let follows = |of: fn(f64) -> f64, before: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and small")]
            let slot =
                |place: u32| Slot { sum: (1e6 + 1e3 * of(before + f64::from(place))) as u128, count: 1 };
            grows(&(0..1_024).map(slot).collect::<Vec<_>>(), before, 1e6)
        };
        for before in [0.0, 100.0, 1_000.0] {
            assert!(follows(|t| 3.0 * t, before) && follows(|t| 1.0 + t, before), "{before}");
            assert!(!follows(|t| 90.0 * libm::sqrt(t), before), "{before}");
            assert!(
                !follows(|t| 100.0 - 50.0 * libm::exp(-t / 300.0), before) && !follows(|_| 5.0, before),
                "{before}"
            );
        }
    }

    /// Wrong if a random walk, as the wait of a single queue at its limit, were taken for one that falls behind, or
    /// one with a clear drift were not. Of 400 walks without a drift 5 may look straight.
    #[test]
    fn a_walk_without_a_drift_does_not_grow() {
        let walk = |seed: u64, drift: f64| {
            let mut stream = Stream::new(seed, Purpose(93), 0);
            let mut level = 0.0_f64;
            let slot = |_| {
                level = (level + normal(&mut stream) + drift).max(0.0);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
                Slot { sum: (1e6 + 1e4 * level) as u128, count: 1 }
            };
            grows(&(0..2_048).map(slot).collect::<Vec<_>>(), 200.0, 1e6)
        };
        let grow = |drift| (0..400).filter(|seed| walk(*seed, drift)).count();
        let (still, drifting) = (grow(0.0), grow(0.3));
        println!("{still} of 400 walks without a drift grow, {drifting} with one");
        assert!(still <= 5 && drifting > 320, "{still} {drifting}");
    }

    /// Wrong if a queue near its limit, or a network that blocks itself, were judged as soon as an idle one.
    #[test]
    fn congestion_takes_time_to_be_forgotten() {
        let needed = |latency, in_network| Congestion { latency, in_network, moving: 100.0 }.needed();
        assert!((needed(100.0, 100.0) - 5_000.0).abs() < 1e-6);
        assert!((needed(1_000.0, 100.0) - 500_000.0).abs() < 1e-6);
        // 4^4.5 is 512.
        assert!((needed(400.0, 400.0) - 7.0 * 400.0 * 512.0).abs() < 1e-6);
    }
}
