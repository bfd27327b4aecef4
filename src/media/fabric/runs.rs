//! Runs of evenly spaced flits, and when a buffer between two runs empties, fills or clears.
//!
//! Used where rates are unequal; with equal rates everything is linear and written out in `flow.rs`.
//!
//! ```text
//!   cycle          0   1   2   3   4   5   6   7   8   9  10    2 flits at the beginning
//!   arrivals           *           *           *           *    next 1, period 3, left 4
//!
//!   departures         *   *   *   *                            next 1, period 1
//!   left at end    2   2   1   0   0   -                        fall to 1: cycle 2; starvation: 5
//!
//!   departures                 *                   *            next 3, period 5
//!   left at end    2   3   3   2   3   3   3   4   3   3   4    rise to 4: cycle 7, not 4
//! ```
//! What arrives in a cycle may leave in it. All three searches step from flit to flit, and leap over those that cannot
//! be it, so that a run of thousands of flits costs a few steps.

use super::ports::NEVER;

/// Flits in the cycles `next`, `next + period`, ... , `left` of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) next: u64,
    pub(super) period: u64,
    pub(super) left: u64,
}

impl Run {
    /// No flits at all.
    pub(super) const NOTHING: Run = Run { next: NEVER, period: 1, left: 0 };

    /// How many of its flits come in cycles up to and including `t`.
    pub(super) fn until(&self, t: u64) -> u64 {
        debug_assert!(self.period > 0, "two flits of a run are never in one cycle");
        if self.left == 0 || t < self.next { 0 } else { self.left.min((t - self.next) / self.period + 1) }
    }

    /// The cycle of flit number `index`, from 0.
    pub(super) fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.left, "the run has such a flit");
        self.next + index * self.period
    }
}

/// The first departure that finds the buffer empty; `None` if every one finds a flit.
///
/// All departing flits are of one worm: `occ` are in the buffer and `arrivals` are still to come.
pub(super) fn starvation(occ: u64, arrivals: Run, departures: Run) -> Option<u64> {
    debug_assert!(departures.left >= occ + arrivals.left, "what is there and what arrives is to leave");
    // The first `occ` departures take buffered flits. Of the others, each must come after the arrival of its flit; if
    // one does, the next to fail is not before all that has arrived by then is gone, so the search jumps there.
    let mut index = occ;
    while index < departures.left {
        let slot = departures.at(index);
        let served = occ + arrivals.until(slot);
        debug_assert!(served <= occ + arrivals.left, "no departure finds more than there is");
        if served <= index {
            return Some(slot);
        }
        if arrivals.period <= departures.period {
            // Arrivals have begun and keep up: this departure found one, so every later one does.
            return None;
        }
        index = served;
    }
    None
}

/// The first cycle at whose end at least `level` flits are there, departures and arrivals counted.
pub(super) fn rise(occ: u64, arrivals: Run, departures: Run, level: u64) -> Option<u64> {
    debug_assert!(occ < level, "the level lies above");
    debug_assert!(departures.left <= occ + arrivals.left, "what leaves is there or comes");
    debug_assert!(arrivals.period > 0 && departures.period > 0, "two flits of a run are never in one cycle");
    // Only an arrival can raise the level. Without departures the level is reached with this arrival; each departure
    // up to then asks for one more.
    let mut index = level - occ - 1;
    while index < arrivals.left {
        let cycle = arrivals.at(index);
        let there = occ + index + 1 - departures.until(cycle);
        if there >= level {
            debug_assert!(there == level, "a level is reached by one flit");
            return Some(cycle);
        }
        let departing = departures.left > 0 && cycle >= departures.next;
        if departing && departures.period <= arrivals.period && departures.until(cycle) < departures.left {
            // From here on each arrival meets a departure; once those end, the level is looked at afresh.
            index = arrivals.until(departures.at(departures.left - 1)).max(index + 1);
            continue;
        }
        // Each arrival adds one at most, so those in between cannot be it.
        index += level - there;
    }
    None
}

/// The first cycle at whose end at most `level` flits are there, departures and arrivals counted.
pub(super) fn fall(occ: u64, arrivals: Run, departures: Run, level: u64) -> Option<u64> {
    debug_assert!(occ > level, "the level lies below");
    debug_assert!(departures.left <= occ + arrivals.left, "what leaves is there or comes");
    // The mirror image of `rise`: only a departure lowers the level, and each arrival asks for one more.
    let mut index = occ - level - 1;
    while index < departures.left {
        let cycle = departures.at(index);
        let there = occ + arrivals.until(cycle) - (index + 1);
        if there <= level {
            debug_assert!(there == level, "a level is reached by one flit");
            return Some(cycle);
        }
        let arrived = arrivals.until(cycle);
        index += there - level;
        if arrived > 0 && arrived < arrivals.left && arrivals.period <= departures.period {
            // Until the arrivals end, each departure meets an arrival.
            let last = arrivals.at(arrivals.left - 1);
            index = index.max(departures.until(last.saturating_sub(1)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn random_run(rng: &mut ChaCha8Rng, left: u64) -> Run {
        Run { next: rng.random_range(0..12), period: rng.random_range(1..9), left }
    }

    /// Wrong if a prediction differs from counting cycle by cycle.
    #[test]
    fn predictions_equal_counting() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for case in 0..200_000 {
            let occ = rng.random_range(0..20u64);
            let coming = rng.random_range(0..30);
            let arrivals = random_run(&mut rng, coming);
            let mut departures = random_run(&mut rng, 0);
            departures.left = occ + coming;
            let starved = (0..departures.left)
                .map(|index| (index, departures.at(index)))
                .find(|(index, slot)| occ + arrivals.until(*slot) <= *index)
                .map(|(_, slot)| slot);
            assert_eq!(starvation(occ, arrivals, departures), starved, "case {case}");
            departures.left = match starved {
                Some(slot) if slot == departures.next => 0,
                Some(slot) => departures.until(slot - 1),
                None => departures.left,
            };
            let level = rng.random_range(0..25);
            let at_end = |t| occ + arrivals.until(t) - departures.until(t);
            if occ < level {
                let rises = (0..600).find(|t| at_end(*t) >= level);
                assert_eq!(rise(occ, arrivals, departures, level), rises, "case {case}");
            }
            if occ > level {
                let falls = (0..600).find(|t| at_end(*t) <= level);
                assert_eq!(fall(occ, arrivals, departures, level), falls, "case {case}");
            }
        }
    }
}
