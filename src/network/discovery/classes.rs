//! Putting round-trip times into classes, one for every hop count.
//!
//! # Scope and limitations
//! Noise must be small against what a switch adds: classes that touch become one. All N(N-1) times take part, both
//! directions of a pair; arithmetic is in integers.
//!
//! # Source
//! lawrence2008, section 3.2 "Data clustering" and Fig. 7, in the reading that makes Fig. 8 of Fig. 6, since taken
//! literally neither text nor listing does:
//! - lines 4 to 15: a time joins the class of the one before it, in order, if it is less than the noise above it; the
//!   last class's upper bound is set after the loop;
//! - lines 16 to 22: the listing merges where the intra-class distance is *less* than the inter-class distance
//!   over INTER_THRESHOLD, which joins what is well apart; we merge where the inter-class distance, between
//!   centres, is less than INTER_THRESHOLD times the intra-class distance, as the text says;
//! - the text's intra-class distance, the range, puts all of Fig. 6 into one class; by default it is half the range
//!   about the centre, of the two classes the larger ([`Intra`]);
//! - sweeps go from the shortest times to the longest; a class that has taken in its neighbour is not looked at
//!   again in the same sweep, as the listing's loop has it.
//!
//! # Validation
//! Fig. 6's classes are those printed; sweeps are compared with a literal array version on random classes.

use std::collections::BTreeMap;
use std::iter::once;

use simnet_base::units::Duration;

use super::options::{Clustering, Intra};
use super::{Hops, Options, Rtts, kmeans};

/// Round-trip times that are taken for one hop count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The shortest of its times.
    pub low: Duration,
    /// The longest.
    pub high: Duration,
    /// How many times there are.
    pub count: u64,
    /// The hop count they are taken for.
    pub hops: u32,
}

impl Class {
    /// The middle between the shortest and the longest, which stands for all of its times; rounded down.
    pub const fn center(&self) -> Duration {
        Duration::from_ps(self.low.as_ps().midpoint(self.high.as_ps()))
    }

    /// The times of all pairs by hop count, those of few switches first. Costs O(machines² x log classes).
    pub fn of_hops(rtts: &Rtts, hops: &Hops) -> Vec<Class> {
        let mut found: BTreeMap<u32, Class> = BTreeMap::new();
        let machines = rtts.machines();
        for (a, b) in (0..machines).flat_map(|a| (0..machines).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let (time, hops) = (rtts.get(a, b), hops.between(a, b));
            let class = found.entry(hops).or_insert(Class { low: time, high: time, count: 0, hops });
            (class.low, class.high) = (class.low.min(time), class.high.max(time));
            class.count += 1;
        }
        found.into_values().collect()
    }

    /// Twice the centre, in ps, which is whole.
    pub(super) fn center_doubled(&self) -> u128 {
        u128::from(self.low.as_ps()) + u128::from(self.high.as_ps())
    }

    fn range(&self) -> u128 {
        u128::from(self.high.as_ps() - self.low.as_ps())
    }
}

/// The classes of all times, from the shortest to the longest, with hop counts not yet inferred (0).
///
/// There is none for a single machine. Costs O(times log times); k-means as [`kmeans::clusters`].
pub(super) fn cluster(rtts: &Rtts, options: &Options) -> Vec<Class> {
    let mut sorted = Vec::with_capacity(rtts.machines() * (rtts.machines() - 1));
    for from in 0..rtts.machines() {
        let row = rtts.row(from);
        sorted.extend(row[..from].iter().chain(&row[from + 1..]).map(|time| time.as_ps()));
    }
    sorted.sort_unstable();
    debug_assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]), "classes are runs of sorted times");
    let ends = match options.clustering {
        Clustering::Paper(intra) => {
            return merge(raw(&sorted, options.noise), intra, options.inter_threshold);
        }
        Clustering::KMeans { classes } => kmeans::clusters(&sorted, classes, options.noise),
    };
    let starts = once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, end)| class(&sorted[start..*end])).collect()
}

/// The class of these times, at least one.
fn class(times: &[u64]) -> Class {
    let (low, high) = (times[0], times[times.len() - 1]);
    Class { low: Duration::from_ps(low), high: Duration::from_ps(high), count: times.len() as u64, hops: 0 }
}

/// Fig. 7, lines 4 to 15; equal times are never parted, even where there is no noise at all.
fn raw(sorted: &[u64], noise: Duration) -> Vec<Class> {
    sorted.chunk_by(|previous, next| next - previous < noise.as_ps().max(1)).map(class).collect()
}

/// Fig. 7, lines 16 to 22. Costs O(classes): only pairs with a changed class are compared again.
fn merge(mut classes: Vec<Class>, intra: Intra, inter_threshold: u32) -> Vec<Class> {
    let absent = classes.len();
    // By class, the one after it and the one before it that are still there.
    let mut after: Vec<usize> = (1..=absent).collect();
    let mut before: Vec<usize> = (0..absent).map(|nth| nth.checked_sub(1).unwrap_or(absent)).collect();
    let mut gone = vec![false; absent];
    // The classes to compare with the next one, in order.
    let mut sweep: Vec<usize> = (0..absent).collect();
    while !sweep.is_empty() {
        let mut changed = Vec::new();
        for left in sweep {
            let right = after[left.min(absent - 1)];
            if gone[left]
                || right == absent
                || !are_near(&classes[left], &classes[right], intra, inter_threshold)
            {
                continue;
            }
            debug_assert!(classes[left].high <= classes[right].low, "classes are in order and apart");
            classes[left].high = classes[right].high;
            classes[left].count += classes[right].count;
            gone[right] = true;
            after[left] = after[right];
            if after[left] != absent {
                before[after[left]] = left;
            }
            // A wider class may now be near the one before it, and the one after: only these are compared again.
            changed.extend((before[left] != absent).then(|| before[left]));
            changed.push(left);
        }
        changed.dedup();
        sweep = changed;
    }
    classes.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(class, _)| class).collect()
}

/// Whether two neighbours are to be merged: inter < INTER_THRESHOLD x intra.
fn are_near(left: &Class, right: &Class, intra: Intra, inter_threshold: u32) -> bool {
    // Twice everything, so that half ranges and centres are whole; thousandths, as the threshold is given in them.
    let inter_doubled = right.center_doubled() - left.center_doubled();
    let range = left.range().max(right.range());
    let intra_doubled = match intra {
        Intra::HalfRange => range,
        Intra::Range => 2 * range,
    };
    1_000 * inter_doubled < u128::from(inter_threshold) * intra_doubled
}

#[cfg(test)]
mod tests {
    use super::*;

    use simnet_base::des::random::{Purpose, Stream};

    /// Fig. 7's merging as an array and two loops.
    fn literally(mut classes: Vec<Class>, intra: Intra, threshold: u32) -> Vec<Class> {
        loop {
            let before = classes.len();
            let mut i = 0;
            while i + 1 < classes.len() {
                if are_near(&classes[i], &classes[i + 1], intra, threshold) {
                    let right = classes.remove(i + 1);
                    classes[i].high = right.high;
                    classes[i].count += right.count;
                }
                i += 1;
            }
            if classes.len() == before {
                return classes;
            }
        }
    }

    /// Wrong if comparing changed pairs only gave other classes than comparing all of them again and again.
    #[test]
    fn merging_is_that_of_the_listing() {
        let mut merged = 0;
        for seed in 0..3_000 {
            let mut stream = Stream::new(seed, Purpose(100), 0);
            let mut at = 100;
            let mut times = Vec::new();
            for _ in 0..=stream.below(30) {
                at += match stream.below(4) {
                    0 => 5 + stream.below(60),
                    1 => 5 + stream.below(8),
                    _ => stream.below(5),
                };
                times.push(at);
            }
            let raw = raw(&times, Duration::from_ps(5));
            for (intra, threshold) in [(Intra::HalfRange, 4_000), (Intra::Range, 4_000), (Intra::Range, 500)]
            {
                let want = literally(raw.clone(), intra, threshold);
                merged += usize::from(want.len() < raw.len());
                assert_eq!(merge(raw.clone(), intra, threshold), want, "seed {seed}, {times:?}");
            }
        }
        assert!(merged > 1_000, "only {merged} cases with anything to merge");
    }

    /// Wrong if the noise itself were within a class, or the last class were forgotten.
    #[test]
    fn raw_classes_break_where_the_noise_is_reached() {
        let times = [10, 14, 18, 23, 24, 40];
        let bounds = |class: &Class| (class.low.as_ps(), class.high.as_ps(), class.count);
        let raw: Vec<_> = raw(&times, Duration::from_ps(5)).iter().map(bounds).collect();
        assert_eq!(raw, [(10, 18, 3), (23, 24, 2), (40, 40, 1)]);
        assert_eq!(super::raw(&[7, 7, 8], Duration::ZERO).len(), 2);
    }
}
