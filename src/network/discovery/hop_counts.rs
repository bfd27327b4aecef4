//! Hop counts of classes of round-trip times, and of the pairs in them.
//!
//! # Scope and limitations
//! Without anything known, right only where two machines are on one switch and two are two switches apart; where not,
//! hop counts come out wrong, and a tree may even fit them. [`Options::step`] and [`Options::known`] mend that.
//!
//! # Source
//! lawrence2008, section 3.2 "Inferring hop-count distances": `hops[0] = 1`, and every further class has
//! `floor((gap + smallest/2) / smallest)` more than the one before it, a gap being that between centres. Ours:
//! - the time that one switch adds, where it is given, stands for the smallest gap; then two classes may have
//!   one count;
//! - a class in which a known pair is has that pair's count; between two such classes counts are interpolated, beyond
//!   them the formula goes on, with the time a switch adds that follows from the outermost two, if they differ;
//! - the paper does not say what to do where a pair's two directions are in different classes: the shorter time
//!   counts, since noise only adds, and the pair is reported (of two votes, a majority is agreement).
//!
//! # Validation
//! Fig. 6 gives Fig. 8; classes with known gaps; the readings that miss a class are compared with a plain formula.

use std::collections::BTreeMap;

use simnet_base::units::Duration;

use super::classes::{Class, cluster};
use super::options::Known;
use super::{Hops, Options, Rtts};

/// Hop counts inferred from times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The classes with their hop counts, which never fall, from the shortest times to the longest.
    pub classes: Vec<Class>,
    /// The hop counts of all pairs.
    pub hops: Hops,
    /// The pairs a < b whose two directions are in classes of different hop counts.
    pub asymmetric: Vec<(usize, usize)>,
    /// What is given as known and cannot be, as it contradicts what was given before it.
    pub conflicts: Vec<Conflict>,
}

/// A pair's known hop count that was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What was not used.
    pub known: Known,
    /// The earlier one that it contradicts: in the same class with another count, or in a class of shorter times with
    /// a higher count, or of longer times with a lower. `None` if there is no such pair, or its count is 0.
    pub with: Option<Known>,
}

/// How gaps between classes are read where neither a step nor a pair is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// The hop count of the first class.
    pub first: u32,
    /// How many switches the smallest gap stands for.
    pub smallest: u32,
}

impl Reading {
    /// The paper's.
    pub const PAPER: Reading = Reading { first: 1, smallest: 1 };
}

/// Puts times into classes, from the shortest to the longest; their hop counts are those of [`hop_counts`].
///
/// There is none for a single machine. Costs O(times log times), and k-means O(classes x 2,048 x 11) more.
pub fn classes(rtts: &Rtts, options: &Options) -> Vec<Class> {
    let mut classes = cluster(rtts, options);
    let anchors = anchors(rtts, &Finder::new(&classes), &options.known).0;
    count(&mut classes, &anchors, options.step, Reading::PAPER);
    classes
}

/// Infers how many switches are between machines. Costs as [`classes`] and O(machines² log classes) more.
pub fn hop_counts(rtts: &Rtts, options: &Options) -> Counted {
    Pairs::new(rtts, options).counted(options, Reading::PAPER)
}

/// Which class each pair is in.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Without counts yet.
    classes: Vec<Class>,
    /// By pair, the class of the shorter time, from 1.
    shorter: Hops,
    /// The pairs whose directions are in different classes, with the classes from 0.
    parted: Vec<Parted>,
    anchors: BTreeMap<usize, Known>,
    conflicts: Vec<Conflict>,
}

#[derive(Clone, Copy, Debug)]
struct Parted {
    pair: (usize, usize),
    shorter: usize,
    longer: usize,
}

impl Pairs {
    pub(super) fn new(rtts: &Rtts, options: &Options) -> Pairs {
        let classes = cluster(rtts, options);
        let finder = Finder::new(&classes);
        let (anchors, conflicts) = anchors(rtts, &finder, &options.known);
        let mut parted = Vec::new();
        let shorter = Hops::new(rtts.machines(), |a, b| {
            let (shorter, longer) = finder.directions(rtts, a, b);
            if shorter != longer {
                parted.push(Parted { pair: (a, b), shorter, longer });
            }
            u32::try_from(shorter).unwrap_or(u32::MAX - 1) + 1
        });
        Pairs { classes, shorter, parted, anchors, conflicts }
    }

    /// The hop counts in a reading. Costs O(machines²).
    pub(super) fn counted(&self, options: &Options, reading: Reading) -> Counted {
        self.inferred(&self.anchors, options.step, reading)
    }

    /// The hop counts that the paper's heuristic gives where nothing is known. Costs O(machines²).
    pub(super) fn heuristic(&self) -> Counted {
        self.inferred(&BTreeMap::new(), None, Reading::PAPER)
    }

    /// The hop counts of some machines in a reading. Costs O(classes + machines²).
    pub(super) fn among(&self, machines: &[usize], options: &Options, reading: Reading) -> Hops {
        let mut classes = self.classes.clone();
        count(&mut classes, &self.anchors, options.step, reading);
        Hops::new(machines.len(), |a, b| {
            classes[self.shorter.between(machines[a], machines[b]) as usize - 1].hops
        })
    }

    fn inferred(
        &self,
        anchors: &BTreeMap<usize, Known>,
        step: Option<Duration>,
        reading: Reading,
    ) -> Counted {
        let mut classes = self.classes.clone();
        count(&mut classes, anchors, step, reading);
        let hops =
            Hops::new(self.shorter.machines(), |a, b| classes[self.shorter.between(a, b) as usize - 1].hops);
        let differs = |parted: &&Parted| classes[parted.shorter].hops != classes[parted.longer].hops;
        let asymmetric = self.parted.iter().filter(differs).map(|parted| parted.pair).collect();
        Counted { hops, asymmetric, conflicts: self.conflicts.clone(), classes }
    }
}

/// Finds the classes of times.
struct Finder {
    /// By class, its longest time, in ps.
    highs: Vec<u64>,
    /// By a time's leading bits, less the shortest class's, where to begin.
    starts: Vec<usize>,
    least: u64,
    shift: u32,
}

impl Finder {
    /// So many bits lead; fewer are no faster where there are few classes.
    const BITS: u32 = 16;

    fn new(classes: &[Class]) -> Finder {
        let highs: Vec<u64> = classes.iter().map(|class| class.high.as_ps()).collect();
        let (least, most) = (highs.first().copied().unwrap_or(0), highs.last().copied().unwrap_or(0));
        let shift = (u64::BITS - (most - least).leading_zeros()).saturating_sub(Finder::BITS);
        let mut starts = Vec::with_capacity((1 << Finder::BITS) + 1);
        for (class, high) in highs.iter().enumerate() {
            let bucket = usize::try_from((high - least) >> shift).unwrap_or(usize::MAX);
            while starts.len() <= bucket {
                starts.push(class);
            }
        }
        Finder { highs, starts, least, shift }
    }

    /// The class of a time that is in one.
    fn class(&self, time: Duration) -> usize {
        let time = time.as_ps();
        let bucket = usize::try_from(time.saturating_sub(self.least) >> self.shift).unwrap_or(usize::MAX);
        let start = self.starts.get(bucket).copied().unwrap_or(self.highs.len());
        let end = self.starts.get(bucket + 1).map_or(self.highs.len(), |end| end + 1).min(self.highs.len());
        let class = start + self.highs[start..end].partition_point(|high| *high < time);
        debug_assert_eq!(
            class,
            self.highs.partition_point(|high| *high < time),
            "the table only saves steps"
        );
        class
    }

    /// The classes of a pair's two times, the shorter one's first.
    fn directions(&self, rtts: &Rtts, a: usize, b: usize) -> (usize, usize) {
        let (there, back) = (self.class(rtts.get(a, b)), self.class(rtts.get(b, a)));
        (there.min(back), there.max(back))
    }
}

/// By class, the first known pair in it; and what contradicts those before it.
fn anchors(rtts: &Rtts, finder: &Finder, known: &[Known]) -> (BTreeMap<usize, Known>, Vec<Conflict>) {
    let mut anchors: BTreeMap<usize, Known> = BTreeMap::new();
    let mut conflicts = Vec::new();
    for known in known.iter().copied() {
        let Known { a, b, hops } = known;
        if a == b || a.max(b) >= rtts.machines() || hops == 0 {
            conflicts.push(Conflict { known, with: None });
            continue;
        }
        // Noise only adds: the shorter direction is the one whose class is known.
        let (class, _) = finder.directions(rtts, a, b);
        let below = anchors.range(..class).next_back().filter(|(_, other)| other.hops > hops);
        let above = anchors.range(class + 1..).next().filter(|(_, other)| other.hops < hops);
        let same = anchors.get_key_value(&class).filter(|(_, other)| other.hops != hops);
        match same.or(below).or(above) {
            Some((_, other)) => conflicts.push(Conflict { known, with: Some(*other) }),
            None => {
                anchors.entry(class).or_insert(known);
            }
        }
    }
    (anchors, conflicts)
}

/// How many switches go with how much of twice a time.
#[derive(Clone, Copy)]
struct Pace {
    hops: u128,
    doubled: u128,
}

impl Pace {
    /// The switches that a gap stands for: `floor(gap / step + 1/2)`.
    fn switches(self, gap_doubled: u128) -> u32 {
        // Classes of equal times, which no noise at all makes, have no gap.
        let doubled = self.doubled.max(1);
        let switches = (2 * gap_doubled * self.hops + doubled) / (2 * doubled);
        u32::try_from(switches).unwrap_or(u32::MAX)
    }
}

/// Gives classes their hop counts.
fn count(classes: &mut [Class], anchors: &BTreeMap<usize, Known>, step: Option<Duration>, reading: Reading) {
    let gap = |classes: &[Class], from: usize, to: usize| {
        classes[to].center_doubled() - classes[from].center_doubled()
    };
    let pace = pace(classes, anchors, step, reading);
    // Section 3.2: hops[0] = 1. What is known of a pair holds for its whole class, and counting starts there instead.
    let (first, last) = match (anchors.first_key_value(), anchors.last_key_value()) {
        (Some((first, at_first)), Some((last, at_last))) => {
            classes[*first].hops = at_first.hops;
            classes[*last].hops = at_last.hops;
            (*first, *last)
        }
        _ if classes.is_empty() => return,
        _ => {
            classes[0].hops = reading.first;
            (0, 0)
        }
    };
    // Between two known classes gaps are parts of what is known; beyond the outermost the formula goes on.
    for ((from, low), (to, high)) in anchors.iter().zip(anchors.iter().skip(1)) {
        debug_assert!(low.hops <= high.hops, "contradictions were left out");
        let pace = Pace { hops: u128::from(high.hops - low.hops), doubled: gap(classes, *from, *to) };
        for at in *from..*to {
            classes[at].hops = low.hops + pace.switches(gap(classes, *from, at));
        }
    }
    for at in (0..first).rev() {
        let switches = pace.switches(gap(classes, at, at + 1));
        classes[at].hops = classes[at + 1].hops.saturating_sub(switches).max(1);
    }
    for at in last + 1..classes.len() {
        let switches = pace.switches(gap(classes, at - 1, at));
        classes[at].hops = classes[at - 1].hops.saturating_add(switches);
    }
    assert!(classes.iter().all(|class| class.hops > 0), "two machines have a switch between them");
    assert!(classes.is_sorted_by_key(|class| class.hops), "a longer time is over no fewer switches");
}

/// What a gap stands for where nothing is known on both sides of it.
fn pace(
    classes: &[Class],
    anchors: &BTreeMap<usize, Known>,
    step: Option<Duration>,
    reading: Reading,
) -> Pace {
    if let Some(step) = step.filter(|step| step.as_ps() > 0) {
        return Pace { hops: 1, doubled: 2 * u128::from(step.as_ps()) };
    }
    if let (Some((first, low)), Some((last, high))) = (anchors.first_key_value(), anchors.last_key_value())
        && high.hops > low.hops
    {
        let doubled = classes[*last].center_doubled() - classes[*first].center_doubled();
        return Pace { hops: u128::from(high.hops - low.hops), doubled };
    }
    let gaps = classes.windows(2).map(|pair| pair[1].center_doubled() - pair[0].center_doubled());
    Pace { hops: u128::from(reading.smallest), doubled: gaps.min().unwrap_or(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    use simnet_base::des::random::{Purpose, Stream};

    /// Machines in a row of pairs: machine 2i and 2i + 1 measure the i-th time with one another, and all other pairs
    /// the last.
    fn pairs_of(us: &[u64]) -> Rtts {
        let machines = us.len() * 2;
        let names = (0..machines).map(|nth| format!("m{nth}")).collect();
        let time = |at: usize| match (at / machines, at % machines) {
            (a, b) if a == b => Duration::ZERO,
            (a, b) if a / 2 == b / 2 => Duration::from_us(us[a / 2]),
            _ => Duration::from_us(us[us.len() - 1]),
        };
        Rtts::new(names, (0..machines * machines).map(time).collect()).unwrap()
    }

    fn counts(rtts: &Rtts, options: &Options) -> Vec<u32> {
        hop_counts(rtts, options).classes.iter().map(|class| class.hops).collect()
    }

    /// Wrong if gaps were not rounded as the formula rounds, a half up.
    #[test]
    fn gaps_are_multiples_of_the_smallest() {
        let rtts = pairs_of(&[100, 120, 150, 159 + 40]);
        assert_eq!(counts(&rtts, &Options::default()), [1, 2, 4, 6]);
    }

    /// Wrong if a step, once known, were not what gaps are divided by.
    #[test]
    fn a_known_step_stands_for_the_smallest_gap() {
        let rtts = pairs_of(&[100, 120, 160, 165]);
        let mut options = Options { step: Some(Duration::from_us(10)), ..Options::default() };
        assert_eq!(counts(&rtts, &options), [1, 3, 7, 8]);
        options.step = Some(Duration::from_us(20));
        assert_eq!(counts(&rtts, &options), [1, 2, 4, 4]);
        options.step = Some(Duration::ZERO);
        assert_eq!(counts(&rtts, &options), [1, 5, 13, 14], "no step at all");
    }

    /// Wrong if what is known of pairs did not reach their classes, those between, and those beyond.
    #[test]
    fn known_pairs_fix_their_classes() {
        let rtts = pairs_of(&[100, 140, 160, 200, 240]);
        let known = |pairs: &[(usize, usize, u32)]| {
            let known = pairs.iter().map(|(a, b, hops)| Known { a: *a, b: *b, hops: *hops }).collect();
            Options { known, ..Options::default() }
        };
        assert_eq!(counts(&rtts, &known(&[])), [1, 3, 4, 6, 8]);
        assert_eq!(counts(&rtts, &known(&[(0, 1, 2)])), [2, 4, 5, 7, 9]);
        assert_eq!(counts(&rtts, &known(&[(2, 3, 2)])), [1, 2, 3, 5, 7], "never below one");
        assert_eq!(counts(&rtts, &known(&[(2, 3, 2), (7, 6, 5)])), [1, 2, 3, 5, 7]);
        assert_eq!(counts(&rtts, &known(&[(2, 3, 2), (0, 1, 1)])), [1, 2, 3, 4, 5], "a step of 40 us");
        assert_eq!(counts(&rtts, &known(&[(0, 1, 1), (8, 9, 1)])), [1, 1, 1, 1, 1]);
    }

    /// Wrong if of two that contradict one another the later were used, or the contradiction not reported.
    #[test]
    fn known_pairs_that_contradict_are_reported() {
        let rtts = pairs_of(&[100, 140, 160]);
        let known = |a, b, hops| Known { a, b, hops };
        let first = known(2, 3, 2);
        let wrong = [known(0, 1, 3), known(3, 2, 4), known(4, 5, 1)];
        let nothing = [known(0, 0, 1), known(0, 6, 1), known(0, 1, 0)];
        let all = [&[first][..], &wrong, &nothing].concat();
        let counted = hop_counts(&rtts, &Options { known: all, ..Options::default() });
        let with_first = wrong.map(|known| Conflict { known, with: Some(first) });
        let alone = nothing.map(|known| Conflict { known, with: None });
        assert_eq!(counted.conflicts, [with_first, alone].concat());
        assert_eq!(counted.classes.iter().map(|class| class.hops).collect::<Vec<_>>(), [1, 2, 3]);
    }

    /// Wrong if the longer of two directions counted, or it were not reported that they differ.
    #[test]
    fn the_shorter_direction_counts() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let cells = [0, 100, 120, 100, 0, 140, 160, 140, 0].map(Duration::from_us).to_vec();
        let counted = hop_counts(&Rtts::new(names, cells).unwrap(), &Options::default());
        assert_eq!((counted.hops.between(0, 2), counted.hops.between(1, 2)), (2, 3));
        assert_eq!(counted.asymmetric, [(0, 2)]);
    }

    /// Wrong if one machine, or one class, were not one switch.
    #[test]
    fn a_single_class_is_one_hop() {
        let alone = Rtts::new(vec!["a".to_owned()], vec![Duration::ZERO]).unwrap();
        assert_eq!(hop_counts(&alone, &Options::default()).classes, []);
        assert_eq!(counts(&pairs_of(&[100]), &Options::default()), [1]);
        assert_eq!(counts(&pairs_of(&[100, 104]), &Options::default()), [1]);
    }

    /// Wrong if the leading bits of a time led past its class.
    #[test]
    fn every_time_finds_its_class() {
        let mut stream = Stream::new(0, Purpose(102), 0);
        for bits in [3, 9, 17, 33, 51] {
            let mut at = stream.below(1 << 40);
            let mut classes = Vec::new();
            for _ in 0..stream.below(900) + 1 {
                let [gap, width] = [(); 2].map(|()| {
                    let most = 1 << stream.below(bits);
                    stream.below(most)
                });
                let low = at + 1 + gap;
                at = low + width;
                let [low, high] = [low, at].map(Duration::from_ps);
                classes.push(Class { low, high, count: 2, hops: 0 });
            }
            let finder = Finder::new(&classes);
            for (nth, class) in classes.iter().enumerate() {
                for time in [class.low, class.center(), class.high] {
                    assert_eq!(finder.class(time), nth, "{time} of {} classes, {bits} bits", classes.len());
                }
            }
        }
    }
}
