//! Steps to begin with, and the tree that comes out best.

use super::lattice::{Fit, Line, extend, judge, settle, sketch};
use super::machines::usual_offsets;
use super::times::Times;
use crate::des::random::{Purpose, Stream};
use crate::discovery::SwitchTree;
use crate::discovery::search::Budget;

/// The best of all trees that were looked at.
pub(super) struct Found {
    pub(super) fit: Fit,
    /// By machine, in ps.
    pub(super) offsets: Vec<f64>,
    /// How much worse the next best is, in squares of the noise.
    pub(super) margin: Option<u32>,
    /// Its step, where that is another.
    pub(super) rival: Option<f64>,
}

/// Orders of chance in which machines are put in.
const ORDERS: Purpose = Purpose(107);
/// Machines that take part in the search for the step.
const MOST: usize = 160;
/// Sketches that are worked out.
const FINALISTS: usize = 6;
/// Each step that is tried is the last one over this.
const FINER: f64 = 1.12;
/// The greatest number of steps between the shortest time and the longest.
const MOST_STEPS: f64 = 30.0;

/// Finds the best tree; with a step that is known, only trees of that step.
pub(super) fn best(times: &Times, step: Option<f64>, budget: &mut Budget) -> Found {
    let machines = times.machines();
    if machines <= MOST {
        return search(times, step, budget);
    }
    // Evenly spread, since neighbours in the list are often neighbours in the rack.
    let (chosen, others): (Vec<usize>, Vec<usize>) =
        (0..machines).partition(|machine| (machine + 1) * MOST / machines > machine * MOST / machines);
    let mut found = search(&times.of(&chosen), step, budget);
    found.fit = extend(times, &found.fit, &chosen, &others);
    let fixed = step.is_some();
    settle(times, &mut found.fit, fixed, budget);
    found.offsets = usual_offsets(times, &found.fit);
    settle(&times.less(&found.offsets), &mut found.fit, fixed, budget);
    found
}

fn search(times: &Times, step: Option<f64>, budget: &mut Budget) -> Found {
    let fixed = step.is_some();
    let mut all: Vec<(i64, Fit)> = finalists(times, step);
    for (cost, fit) in &mut all {
        settle(times, fit, fixed, budget);
        for _ in 0..2 {
            let offsets = usual_offsets(times, fit);
            settle(&times.less(&offsets), fit, fixed, budget);
        }
        *cost = judge(times, &usual_offsets(times, fit), fit, fixed);
    }
    all.sort_by_key(|(cost, _)| *cost);
    let mut all = all.into_iter();
    let (least, fit) = all.next().expect("at least one line is tried");
    let hops = fit.shape.all_hops();
    let next = all.find(|(_, other)| other.shape.all_hops() != hops);
    let margin = next.as_ref().map(|(cost, _)| u32::try_from((cost - least) >> 8).unwrap_or(u32::MAX));
    let rival = next.map(|(_, other)| other.line.step).filter(|other| {
        let ratio = other / fit.line.step;
        !(0.8..=1.25).contains(&ratio)
    });
    Found { offsets: usual_offsets(times, &fit), fit, margin, rival }
}

/// The best sketches, no two of the same tree.
fn finalists(times: &Times, step: Option<f64>) -> Vec<(i64, Fit)> {
    let fixed = step.is_some();
    let lines = lines(times, step);
    let mut all = Vec::new();
    for order in orders(times.machines()) {
        for line in &lines {
            let first = sketch(times, *line, &order, fixed);
            let fit = sketch(times, first.line, &order, fixed);
            all.push((judge(times, &usual_offsets(times, &fit), &fit, fixed), fit));
        }
    }
    all.sort_by_key(|(cost, _)| *cost);
    let mut trees: Vec<SwitchTree> = Vec::new();
    let mut best = Vec::new();
    for (cost, fit) in all {
        let tree = fit.shape.tree();
        if best.len() < FINALISTS && !trees.contains(&tree) {
            trees.push(tree);
            best.push((cost, fit));
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
    let order = |start| {
        let mut order: Vec<usize> = (0..machines).collect();
        if start > 0 {
            let mut stream = Stream::new(0, ORDERS, start);
            order.sort_by_cached_key(|_| stream.bits());
        }
        order
    };
    (0..count).map(order).collect()
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
        return guesses(step).to_vec();
    }
    let mut lines = Vec::new();
    // One switch only: any step will do.
    let most = 0.6 * shortest;
    lines.push(Line { base: f64::midpoint(*shortest, *longest) - most, step: most });
    let mut step = range.max(times.noise);
    let least = (range / MOST_STEPS).max(times.noise / 3.0);
    while step > least {
        if step < most {
            lines.extend(guesses(step));
        }
        step /= FINER;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Rtts;
    use crate::units::Duration;

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
}
