//! One-dimensional k-means, exact and the same every time.
//!
//! # Scope and limitations
//! No cut is made where neighbouring times are nearest: only at the 2,047 widest gaps. With no more different
//! times than 2,048 the sum of squares is the least there is; with more, that of all ways to cut there. Times
//! over a wide range are counted in units of 2^k ps, so that squares fit into 128 bits: exact up to 2^(63 - log2
//! times) ps, which for four million times is a range of 2 s.
//!
//! # Source
//! lawrence2008, section 3.2: "standard data clustering algorithms such as the k-means algorithm can also be
//! used"; it neither says how many classes nor how it begins. In one dimension classes are intervals, so that
//! dynamic programming over the last class's start is exact; the best start never falls as times are added (the
//! cost is of Monge's kind), which halves the starts to try at every middle. How many classes there are is our
//! rule: the fewest, at most 256, such that none has a time farther from its mean than twice the noise.
//!
//! # Validation
//! Compared with all ways to cut small samples.

use std::ops::Range;

use simnet_base::units::Duration;

/// The most groups that are kept apart.
const MOST_GROUPS: usize = 2_048;
/// The most classes that are tried where their number is not given.
const MOST_CHOSEN: usize = 256;

/// Neighbouring times that stay together, with all before them: their number, sum and squares.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    count: u128,
    sum: u128,
    squares: u128,
}

struct Groups {
    /// By group, its end among the times.
    ends: Vec<usize>,
    /// By number of groups, the total of the first so many.
    totals: Vec<Total>,
}

impl Groups {
    /// The squares of the deviations from the mean of some groups, rounded up; 0 for none.
    fn cost(&self, groups: Range<usize>) -> u128 {
        let (before, until) = (self.totals[groups.start], self.totals[groups.end]);
        let (count, sum) = (until.count - before.count, until.sum - before.sum);
        until.squares - before.squares - (sum * sum).checked_div(count).unwrap_or_default()
    }
}

/// Where each class of sorted times ends, from the first class to the last.
///
/// Costs O(times log times) to form groups, and O(classes x 2,048 log 2,048) for classes.
pub(super) fn clusters(sorted: &[u64], classes: Option<usize>, noise: Duration) -> Vec<usize> {
    if sorted.is_empty() {
        return Vec::new();
    }
    let groups = groups(sorted);
    let most = classes.unwrap_or(MOST_CHOSEN).clamp(1, groups.ends.len());
    // By number of groups, the least cost of one class of them.
    let mut costs: Vec<u128> = (0..=groups.ends.len()).map(|end| groups.cost(0..end)).collect();
    // By number of classes from two on and by number of groups, where the last class starts.
    let mut starts: Vec<Vec<usize>> = Vec::new();
    loop {
        let cuts = cuts(&starts, &groups);
        let reach = u128::from(noise.as_ps()) * 2;
        let enough = classes.is_none() && cuts.iter().all(|cut| is_within(&sorted[cut.clone()], reach));
        if enough || starts.len() + 1 >= most {
            return cuts.into_iter().map(|cut| cut.end).collect();
        }
        let (next, start) = layer(&costs, &groups, starts.len() + 2);
        costs = next;
        starts.push(start);
    }
}

/// Whether none of these times is farther from their mean than `reach`.
fn is_within(times: &[u64], reach: u128) -> bool {
    let count = times.len() as u128;
    let mean_of_all: u128 = times.iter().map(|time| u128::from(*time)).sum();
    let far = |time: u64| (u128::from(time) * count).abs_diff(mean_of_all) > reach * count;
    !far(times[0]) && !far(times[times.len() - 1])
}

/// Forms the groups between the widest gaps; equal times are never parted, and of equal gaps the first count.
fn groups(sorted: &[u64]) -> Groups {
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let mut gaps: Vec<(u64, usize)> =
        (1..sorted.len()).map(|at| (sorted[at] - sorted[at - 1], at)).filter(|(gap, _)| *gap > 0).collect();
    gaps.sort_unstable_by_key(|(gap, at)| (std::cmp::Reverse(*gap), *at));
    gaps.truncate(MOST_GROUPS - 1);
    let mut ends: Vec<usize> = gaps.into_iter().map(|(_, at)| at).chain([sorted.len()]).collect();
    ends.sort_unstable();
    // (times x range)^2 must stay below 2^126.
    let bits = (u64::BITS - (most - least).leading_zeros()) + (usize::BITS - sorted.len().leading_zeros());
    let shift = bits.saturating_sub(63);
    let mut total = Total::default();
    let mut totals = vec![total];
    let mut start = 0;
    for end in &ends {
        for time in &sorted[start..*end] {
            let value = u128::from((time - least) >> shift);
            total.count += 1;
            total.sum += value;
            total.squares += value * value;
        }
        totals.push(total);
        start = *end;
    }
    Groups { ends, totals }
}

/// The least costs of `classes` classes, given those of one fewer, and where their last class starts.
///
/// Where there are fewer groups than classes, what it gives is of no use and is never looked at.
fn layer(costs: &[u128], groups: &Groups, classes: usize) -> (Vec<u128>, Vec<usize>) {
    let all = costs.len() - 1;
    let mut best = vec![u128::MAX; all + 1];
    let mut start = vec![0; all + 1];
    // Numbers of groups to find the best start for, and the starts among which it is.
    let mut open = vec![(classes..all + 1, classes - 1..all)];
    while let Some((ends, starts)) = open.pop() {
        if ends.is_empty() {
            continue;
        }
        let middle = ends.start.midpoint(ends.end - 1);
        let last = starts.end.min(middle - 1);
        for (from, before) in costs.iter().enumerate().take(last + 1).skip(starts.start) {
            let cost = before + groups.cost(from..middle);
            if cost < best[middle] {
                (best[middle], start[middle]) = (cost, from);
            }
        }
        open.push((ends.start..middle, starts.start..start[middle]));
        open.push((middle + 1..ends.end, start[middle]..starts.end));
    }
    (best, start)
}

/// The times of every class, followed from the last class back.
fn cuts(starts: &[Vec<usize>], groups: &Groups) -> Vec<Range<usize>> {
    let mut end = groups.ends.len();
    let place = |groups_before: usize| groups_before.checked_sub(1).map_or(0, |last| groups.ends[last]);
    let mut cuts = Vec::new();
    for layer in starts.iter().rev() {
        let start = layer[end];
        cuts.push(place(start)..place(end));
        end = start;
    }
    cuts.push(0..place(end));
    cuts.reverse();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    use simnet_base::des::random::{Purpose, Stream};

    fn squares(times: &[u64]) -> u128 {
        let values = || times.iter().map(|time| u128::from(*time));
        let sum: u128 = values().sum();
        values().map(|value| value * value).sum::<u128>() - sum * sum / times.len() as u128
    }

    /// The least sum of squares over all ways to cut.
    fn least(times: &[u64], classes: usize) -> u128 {
        if classes == 1 {
            return squares(times);
        }
        let cuts = classes - 1..times.len();
        cuts.map(|cut| least(&times[..cut], classes - 1) + squares(&times[cut..])).min().unwrap()
    }

    /// Wrong if another way to cut had a lower sum of squares.
    #[test]
    fn no_other_cut_is_better() {
        for seed in 0..500 {
            let mut stream = Stream::new(seed, Purpose(101), 0);
            let mut times: Vec<u64> = (0..=stream.below(9)).map(|_| stream.below(1_000) * 1_000).collect();
            times.sort_unstable();
            times.dedup();
            for classes in 1..=times.len() {
                let ends = clusters(&times, Some(classes), Duration::ZERO);
                let starts = [0].into_iter().chain(ends.iter().copied());
                let found: u128 = starts.zip(&ends).map(|(start, end)| squares(&times[start..*end])).sum();
                let want = least(&times, classes);
                assert_eq!(ends.len(), classes);
                assert!(
                    found <= want + classes as u128,
                    "seed {seed}: {found} for {want} of {times:?}, {classes}"
                );
            }
        }
    }

    /// Wrong if a class reached farther than twice the noise, or fewer classes would have done.
    #[test]
    fn the_number_of_classes_follows_from_the_noise() {
        let times = [100, 101, 102, 130, 131, 160, 163, 163];
        assert_eq!(clusters(&times, None, Duration::from_ps(1)), [3, 5, 8]);
        assert_eq!(clusters(&times, None, Duration::from_ps(10)), [5, 8]);
        assert_eq!(clusters(&times, None, Duration::from_ps(100)), [8]);
        assert_eq!(clusters(&[7, 7, 7], Some(3), Duration::ZERO), [3], "equal times are one class");
        assert_eq!(clusters(&[], None, Duration::ZERO), [0_usize; 0]);
    }

    /// Wrong if an hour and a microsecond in one list overflowed, or the longest times of all, which are counted from
    /// the shortest of them; or if many values were more than a moment's work.
    #[test]
    fn wide_ranges_and_many_values_fit() {
        let mut times: Vec<u64> = (0..300_000_u64).map(|nth| 131_000_000 + nth * 7_919 % 6_000_011).collect();
        times.extend((0..100_000_u64).map(|nth| 3_600_000_000_000_000 - nth));
        times.sort_unstable();
        assert_eq!(clusters(&times, Some(2), Duration::ZERO), [300_000, 400_000]);
        let longest = [u64::MAX - 9, u64::MAX - 8, u64::MAX];
        assert_eq!(clusters(&longest, Some(2), Duration::ZERO), [2, 3]);
    }
}
