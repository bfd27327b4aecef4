//! What machines add to each of their round trips, and which stand out.

use super::lattice::{Fit, coarse};
use super::times::{Times, median};
use super::{count, duration};
use crate::discovery::Finding;

/// By machine, what it adds to its round trips in ps, as far as machines differ by more than noise makes them.
///
/// All are shrunk by the share of their spread that is noise, so that machines alike are left alone, and one odd one
/// among them too.
pub(super) fn usual_offsets(times: &Times, fit: &Fit) -> Vec<f64> {
    let machines = times.machines();
    if machines < 4 {
        return vec![0.0; machines];
    }
    let cap = 3.0 * coarse(times, fit.line);
    let others = |a: usize| (0..machines).filter(move |b| *b != a);
    let left = |a: usize, b: usize| (times.get(a, b) - fit.line.at(fit.shape.hops(a, b))).clamp(-cap, cap);
    // The least squares of a sum of two offsets a pair: each machine's row less half of all, over the other n - 2.
    let sums: Vec<f64> = (0..machines).map(|a| others(a).map(|b| left(a, b)).sum()).collect();
    let n = count(machines);
    let all: f64 = sums.iter().sum::<f64>() / (2.0 * (n - 1.0));
    let raw: Vec<f64> = sums.iter().map(|sum| (sum - all) / (n - 2.0)).collect();
    let noise = times.noise * times.noise / (n - 2.0);
    let spread = 1.4826 * median(&mut raw.iter().map(|x| x.abs()).collect::<Vec<f64>>());
    // Twice the noise, since chance makes machines look different too.
    let real = (spread * spread - 2.0 * noise).max(0.0);
    raw.iter().map(|offset| offset * real / (real + noise)).collect()
}

/// By how much of a step a machine must be off before it stands out.
const PART: f64 = 0.12;
/// By how much of the middle time.
const SHARE: f64 = 0.015;
/// By how many times the usual spread of machines.
const TIMES: f64 = 6.0;

/// One in so many machines may stand out: where more do, it is the tree that is wrong.
const FEW: usize = 8;

/// The machines that are slower or faster than the others, in order: takes them for that and not for machines
/// further away, and puts them where their times leave least but for a constant.
pub(super) fn odd(times: &Times, fit: &mut Fit, offsets: &mut [f64]) -> Vec<usize> {
    let machines = times.machines();
    if machines < 4 {
        return Vec::new();
    }
    let middles: Vec<f64> = (0..machines).map(|a| middle(times, fit, a, None)).collect();
    let centre = median(&mut middles.clone());
    let mut sizes: Vec<f64> = middles.iter().map(|x| (x - centre).abs()).collect();
    let spread = 1.4826 * median(&mut sizes);
    // A median spreads 1.2533 = sqrt(pi / 2) times as far as a mean.
    let chance = 6.0 * times.noise * 1.2533 / count(machines - 1).sqrt();
    let step = if fit.shape.switches() > 1 { fit.line.step } else { 0.0 };
    let threshold =
        [TIMES * spread, chance, PART * step, SHARE * times.middle()].into_iter().fold(0.0, f64::max);
    let mut found: Vec<usize> =
        (0..machines).filter(|machine| (middles[*machine] - centre).abs() > threshold).collect();
    debug_assert!(threshold >= 0.0, "no machine stands out by less than nothing");
    if found.len() > (machines / FEW).max(1) {
        return Vec::new();
    }
    for machine in &found {
        let barred = if alone_is_usual(fit, *machine) { Vec::new() } else { fit.shape.alone(*machine) };
        if let Some((home, offset)) = best_home(times, fit, *machine, &barred) {
            fit.shape.put(*machine, home);
            offsets[*machine] = offset - centre;
        }
    }
    found.retain(|machine| offsets[*machine].abs() > threshold);
    found
}

/// The middle of what is left of a machine's times, from its own switch or from another.
fn middle(times: &Times, fit: &Fit, machine: usize, home: Option<u32>) -> f64 {
    median(&mut left(times, fit, machine, home))
}

fn left(times: &Times, fit: &Fit, machine: usize, home: Option<u32>) -> Vec<f64> {
    let home = home.unwrap_or_else(|| fit.shape.home(machine));
    let others = (0..times.machines()).filter(|b| *b != machine);
    others.map(|b| times.get(machine, b) - fit.line.at(fit.shape.hops_from(home, b))).collect()
}

/// The switch from which a machine's times are off by nearly a constant, and that constant.
fn best_home(times: &Times, fit: &Fit, machine: usize, barred: &[u32]) -> Option<(u32, f64)> {
    let mut best: Option<(f64, u32, f64)> = None;
    for home in fit.shape.all().filter(|home| !barred.contains(home)) {
        let left = left(times, fit, machine, Some(home));
        let offset = median(&mut left.clone());
        let rest: f64 = left.iter().map(|left| (left - offset).abs()).sum();
        if best.is_none_or(|(least, ..)| rest < least) {
            best = Some((rest, home, offset));
        }
    }
    best.map(|(_, home, offset)| (home, offset))
}

/// Whether as many leaves have one machine as have several, this machine's apart.
fn alone_is_usual(fit: &Fit, machine: usize) -> bool {
    let own = fit.shape.home(machine);
    let leaves = fit.shape.crowds().into_iter().filter(|(switch, cables, _)| *cables == 1 && *switch != own);
    let (single, several): (Vec<_>, Vec<_>) = leaves.partition(|(.., machines)| *machines == 1);
    single.len() >= several.len() && !single.is_empty()
}

/// Machines that seem alone on a leaf where others are not: slow ones would look the same.
pub(super) fn alone(fit: &Fit, slow: &[usize]) -> Vec<Finding> {
    let crowds = fit.shape.crowds();
    let single = crowds.iter().filter(|(_, cables, machines)| (*cables, *machines) == (1, 1));
    let machines = single.filter_map(|(switch, ..)| fit.shape.first_at(*switch));
    machines
        .filter(|machine| !slow.contains(machine) && !alone_is_usual(fit, *machine))
        .map(|machine| Finding::AloneOrSlow { machine, offset: duration(fit.line.step) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::lattice::{Line, sketch};
    use super::*;
    use crate::discovery::Rtts;
    use simnet_base::units::Duration;

    /// Eight machines at `switches` switches in a row, equally many at each: 108 us, and 24 us a switch.
    fn eight(switches: usize) -> (Times, Fit) {
        let hops = |a: usize, b: usize| (a * switches / 8).abs_diff(b * switches / 8) + 1;
        let us = |a, b| if a == b { 0 } else { 108 + 24 * hops(a, b) as u64 };
        let cells = (0..8).flat_map(|a| (0..8).map(move |b| Duration::from_us(us(a, b))));
        let names = (0..8).map(|n| format!("n{n}")).collect();
        let mut times = Times::new(&Rtts::new(names, cells.collect()).unwrap());
        times.noise = 1.0;
        let line = Line { base: 108e6, step: 24e6 };
        let shape = sketch(&times, line, &[0, 1, 2, 3, 4, 5, 6, 7], true).shape;
        assert_eq!(shape.switches(), switches);
        (times, Fit { shape, line })
    }

    /// Wrong if machines that differ by no more than noise makes them were told apart, or others were shrunk by another
    /// share: in turn machines add 1 us and take 1 us off, which is the least-squares solution itself.
    #[test]
    fn offsets_are_shrunk_by_the_share_of_noise() {
        let (times, fit) = eight(1);
        let own = |a: usize| if a.is_multiple_of(2) { 1e6 } else { -1e6 };
        let mut times = times.map(|a, b, time| time + own(a) + own(b));
        times.noise = 4e6;
        assert!(usual_offsets(&times, &fit).iter().all(|offset| *offset == 0.0));
        // The mean of six others spreads by the noise over the root of six.
        times.noise = 6.0_f64.sqrt() * 1e6;
        let spread = 1.4826 * 1.4826;
        let share = (spread - 2.0) / (spread - 2.0 + 1.0);
        for (a, offset) in usual_offsets(&times, &fit).into_iter().enumerate() {
            assert!((offset - share * own(a)).abs() < 1.0, "{a}: {offset}");
        }
    }

    /// Wrong if a machine stood out that is off by less than 0.12 of a step, or did not that is off by more. On one
    /// switch only there is no step, and 0.015 of the middle time (132 us) decides.
    #[test]
    fn a_machine_stands_out_by_part_of_a_step() {
        for (switches, us, stands_out) in [(2, 2.7, false), (2, 3.1, true), (1, 1.9, false), (1, 2.1, true)] {
            let (times, mut fit) = eight(switches);
            let own = |a: usize| if a == 5 { us * 1e6 } else { 0.0 };
            let times = times.map(|a, b, time| time + own(a) + own(b));
            let mut offsets = vec![0.0; 8];
            let found = odd(&times, &mut fit, &mut offsets);
            assert_eq!(found, if stands_out { vec![5] } else { vec![] }, "{switches} switches, {us} us");
        }
    }
}
