//! Arrivals against the means and the indices of dispersion of their formulas.

use super::*;
use crate::traffic::ARRIVALS;

const CYCLE: Duration = Duration::from_ns(10);
const GAP: f64 = 400_000.0;

/// How many messages were created in each of `windows` spans of `length` picoseconds, from the start on.
fn counts(arrivals: Arrivals, seed: u32, windows: usize, length: u64) -> Vec<u32> {
    let (process, mut stream, mut clock) =
        (arrivals.at(GAP, CYCLE), Stream::new(3, ARRIVALS, seed), Clock::NEW);
    let mut counts = vec![0; windows];
    loop {
        let at = process.next(&mut clock, &mut stream).as_ps();
        let Some(count) = usize::try_from(at / length).ok().and_then(|window| counts.get_mut(window)) else {
            return counts;
        };
        *count += 1;
    }
}

/// The mean of counts, and their variance over the mean.
fn dispersion(counts: &[u32]) -> (f64, f64) {
    let n = counts.len() as f64;
    let mean = counts.iter().map(|c| f64::from(*c)).sum::<f64>() / n;
    let variance = counts.iter().map(|c| (f64::from(*c) - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, variance / mean)
}

const BURSTS: Arrivals =
    Arrivals::Bursts { on: Duration::from_ns(2_000), off: Duration::from_ns(6_000), within: Within::Poisson };

/// Mean and index of dispersion of the counts in spans of 200 mean gaps: 1 for Poisson, 1 - chance for the coin,
/// nearly none for constant gaps. Bursts have 1 + 2 rate off^2 on / (on + off)^2 (1 - (1 - e^-u) / u) with the
/// rate within bursts and u the span over `1 / (1 / on + 1 / off)` (Fischer and Meier-Hellstern 1993, section
/// 2.1, for two states, one of them silent). Wrong if a load were off by half a per cent, or a process more or
/// less regular than it says.
#[test]
fn counts_have_the_means_and_dispersions_of_their_processes() {
    let span = 80_000_000;
    let (rate, on, off) = (4.0 / GAP, 2e6_f64, 6e6_f64);
    let memory = on * off / (on + off);
    let u = span as f64 / memory;
    let bursts = 1.0 + 2.0 * rate * off * memory / (on + off) * (1.0 - (1.0 - (-u).exp()) / u);
    let rows = [
        (Arrivals::Poisson, 1.0),
        (Arrivals::Bernoulli, 1.0 - 1.0 / 40.0),
        (Arrivals::Constant, 0.0),
        (BURSTS, bursts),
    ];
    for (arrivals, expected) in rows {
        let windows = 20_000;
        let (mean, index) = dispersion(&counts(arrivals, 0, windows, span));
        let error = 4.0 * (200.0 * expected / windows as f64).sqrt() + 1e-3;
        assert!((mean - 200.0).abs() < error, "{arrivals:?}: mean {mean}, expected 200 +- {error}");
        // The standard error of a variance of nearly normal counts is its sqrt(2 / n)th part.
        let error = 5.0 * expected * (2.0 / windows as f64).sqrt() + 1e-3;
        assert!((index - expected).abs() < error, "{arrivals:?}: dispersion {index}, expected {expected}");
    }
}

/// Wrong if a process began with a message, a burst or a gap more likely than later on: the mean count of the
/// first two gaps' span over many hosts.
#[test]
fn arrivals_are_stationary_from_the_start() {
    let (hosts, constant) = (
        40_000_u32,
        Arrivals::Bursts {
            on: Duration::from_ns(2_000),
            off: Duration::from_ns(6_000),
            within: Within::Constant,
        },
    );
    for arrivals in [Arrivals::Poisson, Arrivals::Bernoulli, Arrivals::Constant, BURSTS, constant] {
        let first: Vec<u32> = (0..hosts).map(|host| counts(arrivals, host, 1, 800_000)[0]).collect();
        let (mean, index) = dispersion(&first);
        let error = 5.0 * (mean * index / f64::from(hosts)).sqrt() + 1e-9;
        assert!((mean - 2.0).abs() < error, "{arrivals:?}: {mean} +- {error}, expected 2");
    }
}

/// Gaps of the coin against a literal coin thrown in every cycle, by chi-square over the gaps of 1 to 20 cycles
/// and all longer ones (20 degrees of freedom, 99.99 % quantile), for a likely and for an unlikely message.
#[test]
fn gaps_are_those_of_a_coin_thrown_in_every_cycle() {
    for gap in [1.0, 1.25, 3.0, 8.0] {
        let process = Arrivals::Bernoulli.at(gap * 10_000.0, CYCLE);
        let (mut stream, mut clock) = (Stream::new(9, ARRIVALS, 0), Clock::NEW);
        let mut coin = Stream::new(9, ARRIVALS, 1);
        let class = |cycles: u64| usize::try_from(cycles.min(21)).unwrap();
        let (mut ours, mut literal) = ([0_u32; 22], [0_u32; 22]);
        let mut last = process.next(&mut clock, &mut stream);
        for _ in 0..100_000 {
            let next = process.next(&mut clock, &mut stream);
            assert_eq!(next.as_ps() % CYCLE.as_ps(), 0);
            ours[class(next.since(last).as_ps() / CYCLE.as_ps())] += 1;
            last = next;
            let mut cycles = 1;
            while coin.below(1 << 32) as f64 >= (1_u64 << 32) as f64 / gap {
                cycles += 1;
            }
            literal[class(cycles)] += 1;
        }
        let square: f64 = ours
            .iter()
            .zip(&literal)
            .filter(|(a, b)| **a + **b > 0)
            .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2) / f64::from(*a + *b))
            .sum();
        assert!(square < 52.4, "a message in {gap} cycles: {square}");
        assert_eq!(ours[0], 0, "two messages in one cycle");
    }
}

/// Wrong if equal gaps were not equal, or all hosts in step.
#[test]
fn constant_gaps_are_equal_from_a_random_phase_on() {
    let process = Arrivals::Constant.at(GAP, CYCLE);
    let mut phases = Vec::new();
    for host in 0..100 {
        let (mut stream, mut clock) = (Stream::new(1, ARRIVALS, host), Clock::NEW);
        let first = process.next(&mut clock, &mut stream);
        phases.push(first);
        for nth in 1..100 {
            assert_eq!(process.next(&mut clock, &mut stream), first + Duration::from_ps(400_000 * nth));
        }
    }
    phases.sort_unstable();
    phases.dedup();
    assert!(phases.len() > 95 && phases[99 - 50] < Time::from_ps(320_000), "{phases:?}");
}

/// Within bursts the gaps are shorter, and messages come only there. Wrong if equal gaps within bursts were not
/// equal in the time of bursts, or the mean load moved with the share of time.
#[test]
fn bursts_keep_the_load() {
    for (on, off) in [(100, 900), (5_000, 5_000), (20_000, 1_000)] {
        for within in [Within::Poisson, Within::Constant] {
            let arrivals =
                Arrivals::Bursts { on: Duration::from_ns(on), off: Duration::from_ns(off), within };
            let (mean, index) = dispersion(&counts(arrivals, 1, 5_000, 400_000_000));
            let error = 5.0 * (mean * index / 5_000.0).sqrt();
            assert!((mean - 1_000.0).abs() < error, "{arrivals:?}: {mean} +- {error}, expected 1000");
            assert!(error < 20.0, "{arrivals:?}: {error} says little");
        }
    }
}
