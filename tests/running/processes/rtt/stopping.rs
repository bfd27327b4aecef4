//! When a set is trusted, against floating point; and what the sets of a measurement are.

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::units::Duration;
use simnet_media::host::rtt::stopping::Set;
use simnet_media::host::rtt::student::quantile_ppm;

use super::{Tree, job, megabits, run};
use support_network::{cases, interval};

/// Wrong if integers decided otherwise than the textbook's formula in floating point, but where that is within its own
/// rounding of the limit.
#[test]
fn integers_decide_as_the_textbook_does() {
    let mut decided = [0, 0];
    for seed in 0..cases(40_000) {
        let mut chance = Stream::new(seed, Purpose(113), 1);
        let n = 2 + chance.below(if seed % 3 == 0 { 999 } else { 60 });
        let (bits, share) = (20 + chance.below(28), 1 + chance.below(60));
        let base = 1 + chance.below(1 << bits);
        let spread = 1 + chance.below(1 + base / share);
        let samples: Vec<u64> = (0..n).map(|_| base + chance.below(spread)).collect();
        let threshold = u32::try_from(chance.below(60_000)).unwrap();
        let mut set = Set::default();
        samples.iter().for_each(|x| set.add(Duration::from_ps(*x)));
        let floats: Vec<f64> = samples.iter().map(|x| *x as f64).collect();
        let (mean, half) = interval(&floats, quantile_ppm(n - 1) as f64 / 1e6);
        let share = 2.0 * half / mean * 1e6;
        if (share - f64::from(threshold)).abs() > 1e-6 * share {
            let expected = share <= f64::from(threshold);
            assert_eq!(set.is_consistent(threshold), expected, "seed {seed}: {share} against {threshold}");
            decided[usize::from(expected)] += 1;
        }
    }
    assert!(decided[0].min(decided[1]) > decided[0].max(decided[1]) / 10, "{decided:?}");
}

/// Wrong if a set were other than twice the one before, or cut off at the most, or if what was pinged before counted
/// in: the messages of a run follow from the sizes of its last sets.
#[test]
fn every_doubling_takes_a_fresh_set() {
    let tree = Tree { parents: vec![0], homes: vec![0, 0, 1, 1] };
    for (first, most, threshold, expected) in [
        (2, 1_000, 0, vec![1_000]),
        (5, 30, 0, vec![30]),
        (26, 26, 0, vec![26]),
        (4, 64, u32::MAX, vec![4]),
        (3, 200, 40_000, vec![3, 6, 12, 24, 48, 96, 192, 200]),
    ] {
        let mut with = job(4);
        (with.plan.first, with.plan.most, with.plan.threshold_ppm) = (first, most, threshold);
        with.plan.round_trips = 2;
        with.software.jitter = 300;
        let outcome = run(&mut tree.ethernet(megabits(1_000)), &with);
        let mut messages = 4 + 2 * 3;
        for samples in outcome.samples.iter().copied().filter(|samples| *samples > 0) {
            assert!(expected.contains(&samples), "{samples} samples from {first} to {most}");
            let mut set = first;
            while set < samples {
                messages += u64::from(set) * 2 * 2 + 1;
                set = (2 * set).min(most);
            }
            messages += u64::from(samples) * 2 * 2 + 1;
        }
        assert_eq!(outcome.messages, messages, "{first} to {most} at {threshold}");
        if expected.len() > 1 {
            assert!(outcome.samples.iter().any(|n| *n > 3), "no set was doubled");
        }
    }
}
