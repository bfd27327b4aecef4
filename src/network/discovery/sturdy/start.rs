//! Steps to begin with, and the tree that comes out best.

use super::explained::Explained;
use super::lattice::{Fit, Line, extend, in_squares, judge, settle, sketch};
use super::machines::usual_offsets;
use super::rivals::Beside;
use super::times::Times;
use crate::discovery::SwitchTree;
use crate::discovery::search::Budget;
use simnet_base::des::random::{Purpose, Stream};

/// The best of all trees that were looked at.
pub(super) struct Found {
    pub(super) explained: Explained,
    /// How much worse the next best is, in squares of the noise.
    pub(super) margin: Option<u32>,
    /// Its step, where that is another.
    pub(super) rival: Option<f64>,
    /// All others, with their costs.
    pub(super) others: Vec<(SwitchTree, Beside)>,
}

/// Additions that the search may take, and as many again that putting in further machines may.
const WORK: u64 = 500_000_000;
/// Orders of chance in which machines are put in.
const ORDERS: Purpose = Purpose(107);
/// Machines that take part in the search for the step.
pub(super) const MOST: usize = 96;
/// Sketches that are worked out.
const FINALISTS: usize = 6;
/// Each step that is tried is the last one over this.
const FINER: f64 = 1.12;
/// Trees whose ways are so many times shorter are tried too.
const MOST_TIMES: u32 = 6;
/// The most switches between the nearest two machines that are tried, where the step is known.
const MOST_FIRST: u32 = 3;
/// The greatest number of steps between the shortest time and the longest.
const MOST_STEPS: f64 = 30.0;

/// Finds the best tree; with a step that is known, only trees of that step.
pub(super) fn best(times: &Times, step: Option<f64>) -> Found {
    let budget = &mut Budget(WORK);
    let machines = times.machines();
    if machines <= MOST {
        return search(times, step, budget);
    }
    // Evenly spread, since neighbours in the list are often neighbours in the rack.
    let (chosen, others): (Vec<usize>, Vec<usize>) =
        (0..machines).partition(|machine| (machine + 1) * MOST / machines > machine * MOST / machines);
    let mut found = search(&times.of(&chosen), step, budget);
    *budget = Budget(WORK);
    let mut fit = extend(times, &found.explained.plain, &chosen, &others);
    settle(times, &mut fit, step.is_some(), budget);
    found.explained = Explained::new(times, fit, step.is_some(), budget);
    found
}

fn search(times: &Times, step: Option<f64>, budget: &mut Budget) -> Found {
    let fixed = step.is_some();
    let mut all: Vec<Explained> = Vec::new();
    for fit in finalists(times, step) {
        all.push(explain(times, fit, fixed, budget));
    }
    if !fixed {
        // Everything may be so many times as near, all but one odd machine or cable.
        let best = all.iter().min_by_key(|one| one.cost).expect("at least one line is tried").plain.clone();
        let most = most_step(times);
        let order: Vec<usize> = (0..times.machines()).collect();
        for fewer in 2..=MOST_TIMES {
            let step = f64::from(fewer) * best.line.step;
            if step < most {
                let line = Line { base: best.line.at(1) - step, step };
                all.push(explain(times, Fit { shape: best.shape.scaled(fewer), line }, fixed, budget));
                all.push(explain(times, sketch(times, line, &order, fixed), fixed, budget));
            }
        }
        let least = least_step(times);
        let is_resolved = |one: &Explained| one.fit.shape.switches() == 1 || one.fit.line.step >= least;
        if all.iter().any(is_resolved) {
            all.retain(is_resolved);
        }
    }
    // A stable sort: of trees that cost the same, the one that was tried first.
    all.sort_by_key(|one| one.cost);
    let mut all = all.into_iter();
    let explained = all.next().expect("at least one line is tried");
    let hops = explained.fit.shape.all_hops();
    let mut all = all.filter(|other| other.fit.shape.all_hops() != hops).peekable();
    let next = all.peek();
    let margin = next.map(|next| in_squares(next.cost - explained.cost));
    let rival = next.map(|other| other.fit.line.step).filter(|other| {
        let ratio = other / explained.fit.line.step;
        !(0.8..=1.25).contains(&ratio)
    });
    let found = |other: Explained| (other.fit.shape.tree(), Beside::Found { cost: other.cost });
    let others = all.map(found).collect();
    Found { explained, margin, rival, others }
}

fn explain(times: &Times, mut fit: Fit, fixed: bool, budget: &mut Budget) -> Explained {
    settle(times, &mut fit, fixed, budget);
    // Machines that are slow as a rule bend the tree, and the tree shows which are: two rounds settle both.
    for _ in 0..2 {
        let offsets = usual_offsets(times, &fit);
        settle(&times.less(&offsets), &mut fit, fixed, budget);
    }
    Explained::new(times, fit, fixed, budget)
}

/// The best sketches, no two of the same tree.
fn finalists(times: &Times, step: Option<f64>) -> Vec<Fit> {
    let fixed = step.is_some();
    let lines = lines(times, step);
    let mut all = Vec::new();
    for order in orders(times.machines()) {
        for line in &lines {
            // Once under the guess, once under the line that the first sketch fits: the guess is off by a tenth.
            let first = sketch(times, *line, &order, fixed);
            let fit = sketch(times, first.line, &order, fixed);
            let offsets = usual_offsets(times, &fit);
            all.push((judge(&times.less(&offsets), &offsets, &fit, fixed), fit));
        }
    }
    all.sort_by_key(|(cost, _)| *cost);
    let mut trees: Vec<SwitchTree> = Vec::new();
    let mut best = Vec::new();
    for (_, fit) in all {
        let tree = fit.shape.tree();
        if best.len() < FINALISTS && !trees.contains(&tree) {
            trees.push(tree);
            best.push(fit);
        }
    }
    best
}

/// Orders in which machines are put in: more of small clusters, where the first few decide.
fn orders(machines: usize) -> Vec<Vec<usize>> {
    let count = match machines {
        0..=3 => 1,
        4..=8 => 6,
        9..=16 => 3,
        _ => 1,
    };
    (0..count).map(|nth| order(machines, nth)).collect()
}

/// One order of so many machines: that of their numbers for 0, one drawn by chance for every other `nth`.
fn order(machines: usize, nth: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..machines).collect();
    if nth > 0 {
        let mut stream = Stream::new(0, ORDERS, nth);
        order.sort_by_cached_key(|_| stream.bits());
    }
    order
}

/// No step is as long: with what a cable takes once more, it is in the shortest time.
pub(super) fn most_step(times: &Times) -> f64 {
    times.sorted().first().map_or(1.0, |shortest| 0.6 * shortest)
}

/// Steps as short cannot be separated from differences of machines.
fn least_step(times: &Times) -> f64 {
    times.sorted().first().map_or(0.0, |shortest| 0.015 * shortest)
}

/// Lines to begin with: every step, with three guesses at what the shortest times are.
fn lines(times: &Times, step: Option<f64>) -> Vec<Line> {
    let sorted = times.sorted();
    let (Some(shortest), Some(longest)) = (sorted.first(), sorted.last()) else {
        return vec![Line { base: 0.0, step: step.unwrap_or(1.0) }];
    };
    // The shortest times are short by chance; the longest few may be disturbed.
    let low = sorted[(times.machines() / 8).min(sorted.len() - 1)];
    let range = sorted[sorted.len() - 1 - sorted.len() / 200] - low;
    let guesses =
        |step: f64| [0.0, -1.0, 1.0].map(|part| Line { base: low - step + part * step / 3.0, step });
    if let Some(step) = step {
        // No two machines need share a switch. With a step that is not known, longer ways are tried at the end.
        let further = (2..=MOST_FIRST).map(|hops| Line { base: low - f64::from(hops) * step, step });
        return guesses(step).into_iter().chain(further.filter(|line| line.base > 0.0)).collect();
    }
    let mut lines = Vec::new();
    // One switch only: any step will do.
    let most = most_step(times);
    lines.push(Line { base: f64::midpoint(*shortest, *longest) - most, step: most });
    let mut step = range.max(times.noise);
    let least = (range / MOST_STEPS).max(times.noise / 3.0).max(least_step(times));
    while step > least {
        if step < most {
            lines.extend(guesses(step));
        }
        step /= FINER;
    }
    debug_assert!(lines.iter().all(|line| line.step > 0.0), "a switch takes time");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Rtts;
    use simnet_base::units::Duration;

    /// Wrong if no line came near the true one.
    #[test]
    fn some_line_is_near_the_true_one() {
        let us = [0, 132, 158, 180, 132, 0, 158, 180, 158, 158, 0, 158, 180, 180, 158, 0];
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let rtts = Rtts::new(names, us.map(Duration::from_us).to_vec()).unwrap();
        let times = Times::new(&rtts);
        let near =
            |line: &Line| (line.step / 24e6 - 1.0).abs() < 0.07 && (line.base / 108e6 - 1.0).abs() < 0.1;
        assert!(lines(&times, None).iter().any(near));
    }

    /// Round-trip times of all pairs, in us, row by row.
    fn times(machines: usize, us: &[u64]) -> Times {
        let names = (0..machines).map(|nth| format!("m{nth}")).collect();
        let cells = us.iter().map(|us| Duration::from_us(*us)).collect();
        Times::new(&Rtts::new(names, cells).unwrap())
    }

    /// Wrong if the guesses at the shortest times lay elsewhere than a third of a step around them.
    #[test]
    fn guesses_are_a_third_of_a_step_apart() {
        let times = times(3, &[0, 100, 130, 100, 0, 130, 130, 130, 0]);
        let bases = lines(&times, Some(3e6)).into_iter().map(|line| line.base);
        for (base, expected) in bases.zip([97e6, 96e6, 98e6]) {
            assert!((base - expected).abs() < 1.0, "{base} for {expected}");
        }
    }

    /// Wrong if a step of six tenths of the shortest time, which all times span, were tried as a guess too, or if one
    /// switch did not take what is midway: by hand, 0.6 of 100 us is the range from 100 to 160 us, the middle 130 us.
    #[test]
    fn the_longest_step_is_tried_once() {
        let times = times(3, &[0, 100, 160, 100, 0, 160, 160, 160, 0]);
        let most = most_step(&times);
        let longest: Vec<f64> =
            lines(&times, None).iter().filter(|line| line.step >= most).map(|line| line.at(1)).collect();
        assert!(matches!(longest[..], [middle] if (middle - 130e6).abs() < 1.0), "{longest:?}");
    }

    /// Wrong if shorter steps were tried than 1.5 % of the shortest time, or not all longer ones: by hand, 26 times
    /// 1.12 take 300 us to 15.8 us, the next is below 15 us; three guesses at each, and one line for one switch.
    #[test]
    fn the_shortest_step_is_part_of_the_shortest_time() {
        let times = times(3, &[0, 1000, 1300, 1000, 0, 1300, 1300, 1300, 0]);
        let lines = lines(&times, None);
        assert_eq!(lines.len(), 27 * 3 + 1);
        assert!(lines.iter().all(|line| line.step > 15e6));
    }
}
