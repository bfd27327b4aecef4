//! A search for a way to pack whole loads: of each item one of the loads that it may have, so that all fit together.

use std::collections::BTreeSet;
use std::ops::Range;

use simnet_base::des::random::{Purpose, Stream};

/// How many fillings are found vain before nothing is known.
const MOST_VAIN: usize = 100_000;

/// Cables that carry something, or all cables of a bundle as one.
pub(super) struct Slots {
    /// By bundle its first slot, and the end of all.
    first: Vec<usize>,
    /// How much each slot carries.
    rooms: Vec<u64>,
}

impl Slots {
    /// The slots of bundles: those of one stand in for each other.
    pub(super) fn new(bundles: impl Iterator<Item = Vec<u64>>) -> Slots {
        let mut slots = Slots { first: vec![0], rooms: Vec::new() };
        for rooms in bundles {
            slots.rooms.extend(rooms);
            slots.first.push(slots.rooms.len());
        }
        slots
    }

    /// The slots of a bundle.
    pub(super) fn of(&self, bundle: usize) -> Range<usize> {
        self.first[bundle]..self.first[bundle + 1]
    }

    /// A load of nothing.
    pub(super) fn none(&self) -> Vec<u64> {
        vec![0; self.rooms.len()]
    }
}

/// A search for a load of each item, of those that it may have, which together fit.
pub(super) struct Packing<'a> {
    /// By item the loads that it may have, by slot.
    items: Vec<Vec<Vec<u64>>>,
    slots: &'a Slots,
    groups: Vec<Vec<usize>>,
    /// By item and group the least that it and those after it load.
    least: Vec<Vec<u64>>,
    /// By slot what all loads are multiples of.
    unit: Vec<u64>,
    /// What was found to leave too little room, by item.
    vain: BTreeSet<(usize, Vec<u64>)>,
}

impl Packing<'_> {
    /// Items with the loads that they may have by slot. `groups` of slots are looked at for room in sum.
    pub(super) fn new(mut items: Vec<Vec<Vec<u64>>>, slots: &Slots, groups: Vec<Vec<usize>>) -> Packing<'_> {
        items.sort_by_key(Vec::len);
        let sum = |load: &Vec<u64>, group: &Vec<usize>| group.iter().map(|slot| load[*slot]).sum::<u64>();
        let mut least = vec![vec![0; groups.len()]];
        for item in items.iter().rev() {
            let after = &least[least.len() - 1];
            let with = |(group, after): (&Vec<usize>, &u64)| {
                after + item.iter().map(|load| sum(load, group)).min().unwrap_or(0)
            };
            least.push(groups.iter().zip(after).map(with).collect());
        }
        least.reverse();
        let unit =
            |slot: usize| items.iter().flatten().fold(0, |unit, load| divisor(unit, load[slot])).max(1);
        let unit = (0..slots.rooms.len()).map(unit).collect();
        Packing { items, slots, groups, least, unit, vain: BTreeSet::new() }
    }

    /// Whether all may fit: they do, or too much was looked at.
    pub(super) fn may_fit(mut self) -> bool {
        self.may_fit_from(0, self.slots.rooms.clone())
    }

    /// Whether this room may do for an item and those after it.
    fn may_fit_from(&mut self, nth: usize, mut room: Vec<u64>) -> bool {
        if nth == self.items.len() || self.vain.len() > MOST_VAIN {
            return true;
        }
        for ends in self.slots.first.windows(2) {
            room[ends[0]..ends[1]].sort_unstable();
        }
        let state = (nth, room);
        let whole = |slot: &usize| state.1[*slot] / self.unit[*slot] * self.unit[*slot];
        let has_room = |(group, least): (&Vec<usize>, &u64)| group.iter().map(whole).sum::<u64>() >= *least;
        if !self.groups.iter().zip(&self.least[nth]).all(has_room) || self.vain.contains(&state) {
            return false;
        }
        for option in 0..self.items[nth].len() {
            let pairs = state.1.iter().zip(&self.items[nth][option]);
            let left: Option<Vec<u64>> = pairs.map(|(room, load)| room.checked_sub(*load)).collect();
            if left.is_some_and(|left| self.may_fit_from(nth + 1, left)) {
                return true;
            }
        }
        self.vain.insert(state);
        false
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Those of which no other is as small everywhere.
pub(super) fn undominated(all: BTreeSet<Vec<u64>>) -> Vec<Vec<u64>> {
    let is_less = |other: &&Vec<u64>, one: &Vec<u64>| {
        *other != one && other.iter().zip(one).all(|(other, one)| other <= one)
    };
    all.iter().filter(|one| !all.iter().any(|other| is_less(&other, one))).cloned().collect()
}

/// Wrong if what a look at all combinations packs did not fit, or if what fits were not found to.
#[test]
fn packing_is_as_all_combinations() {
    let mut stream = Stream::new(0, Purpose(9_460), 0);
    let mut fitting = [0, 0];
    for _ in 0..2_000 {
        // Two bundles of two slots each; items know no slot from the other of its bundle.
        let most = 2 + stream.below(3);
        let slots = Slots::new([vec![most; 2], vec![most; 2]].into_iter());
        let mut item = || {
            let mut all = BTreeSet::new();
            for _ in 0..=stream.below(2) {
                let load: Vec<u64> = (0..4).map(|_| stream.below(3)).collect();
                let swapped = |a: bool, b: bool| {
                    let mut load = load.clone();
                    load[..2].rotate_left(usize::from(a));
                    load[2..].rotate_left(usize::from(b));
                    load
                };
                all.extend(
                    [(false, false), (true, false), (false, true), (true, true)].map(|(a, b)| swapped(a, b)),
                );
            }
            undominated(all)
        };
        let items: Vec<Vec<Vec<u64>>> = (0..4).map(|_| item()).collect();
        let mut sums: BTreeSet<Vec<u64>> = [slots.none()].into();
        for item in &items {
            let more = sums.iter().flat_map(|sum| item.iter().map(move |load| (sum, load)));
            sums = more.map(|(sum, load)| sum.iter().zip(load).map(|(a, b)| a + b).collect()).collect();
        }
        let fits = sums.iter().any(|sum| sum.iter().all(|load| *load <= most));
        let groups = vec![vec![0, 1], vec![2, 3], vec![0, 1, 2, 3]];
        assert_eq!(Packing::new(items, &slots, groups).may_fit(), fits);
        fitting[usize::from(fits)] += 1;
    }
    assert!(fitting.iter().all(|cases| *cases > 100), "{fitting:?}");
}
