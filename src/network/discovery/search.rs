//! The tree of switches that costs least: machines put in one after the other, then moved while that helps.
//!
//! What a tree costs is a sum over pairs of machines, of whatever being so many switches apart costs them, and over
//! switches: pairs that differ from given hop counts ([`nearest`](super::nearest())), or squares of what is left of
//! measured times ([`sturdy`](super::sturdy())). All costs are integers, so that the order of sums is free.
//!
//! ```text
//!   grow         machines in their order; 5 wishes for 2 switches to 1 and 2, and for 2 to 3 and 4
//!
//!                1 2         3 4           1 2    5    3 4
//!                 s --- t --- u    -->      s --- t --- u        s and t, t and u: all four wishes
//!
//!   improve      until neither makes it cheaper:
//!     machines   each taken out, with the switches that it alone needed, and put where it costs least
//!     sides      each cable cut, from either end, and what was behind it tied where that costs least, as a whole
//! ```
//! How far a machine is from where it hangs is tried at five lengths only (`best_place`): none, one, and the length
//! that most of its wishes ask for, with its neighbours.
//!
//! # Scope and limitations
//! A heuristic: what it ends with cannot be improved by moving one machine, or one side of one cable, anywhere.
//! Work is counted in additions, and the search stops when its [`Budget`] is used up.
//!
//! # Source
//! Ours, with its constants: lawrence2008 (Fig. 4, Theorem 1) builds the one tree that has given hop counts, and has
//! nothing to search for.
//!
//! # Validation
//! `tests/network/oracle/sturdy.rs` compares with all trees of up to six machines.

mod shape;

pub(super) use shape::{Run, Shape};

use shape::{Moved, Place};

/// What trees cost.
pub(super) trait Costs {
    /// How many machines there are.
    fn machines(&self) -> usize;
    /// The hop count, at least 1, that costs two different machines least.
    fn wanted_hops(&self, a: usize, b: usize) -> u32;
    /// What being so many switches apart, at least 1, costs two different machines.
    fn pair(&self, a: usize, b: usize, hops: u32) -> i64;
    /// What a switch costs.
    fn switch(&self) -> i64;
    /// The greatest hop count that is distinguished from greater ones.
    fn most(&self) -> u32;
}

/// How much work may still be done, in additions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget(pub(super) u64);

impl Budget {
    /// Takes so much; false if it is not there.
    fn take(&mut self, work: u64) -> bool {
        let enough = self.0 >= work;
        self.0 = self.0.saturating_sub(work);
        enough
    }
}

/// The most switches of a tree of so many machines.
fn most_switches(machines: usize) -> usize {
    // Every switch that is a leaf or a fork is paid for by a machine: fewer than two a machine. The rest is for long
    // ways in small trees. All distances are kept, in numbers of 16 bits: the tree must stay below 65,535 switches.
    (2 * machines + 512).min(60_000)
}

/// Switches with machines that an insertion looks at, at most: enough to agree on a place.
const ANCHORS: usize = 96;

/// Puts machines into a tree in this order, each where it costs least among those before it.
pub(super) fn grow(costs: &impl Costs, order: &[usize]) -> Shape {
    let mut shape = Shape::empty(costs.machines());
    go_on(costs, &mut shape, order);
    shape
}

/// Puts more machines into a tree.
pub(super) fn go_on(costs: &impl Costs, shape: &mut Shape, order: &[usize]) {
    for machine in order {
        // A place found among few anchors may be a bad one: `improve` looks at all of them once the tree is whole.
        let moved = [Moved { machine: *machine, depth: 0 }];
        let place = shape.best_place(costs, &moved, &[], ANCHORS).unwrap_or_default();
        shape.add(*machine, place);
    }
}

/// Moves machines and sides of cables while that makes the tree cheaper and the budget lasts.
pub(super) fn improve(costs: &impl Costs, shape: &mut Shape, budget: &mut Budget) {
    // A side that moved may free a machine to move, and the other way round: both, until neither does.
    loop {
        let machines = move_machines(costs, shape, budget);
        let sides = move_sides(costs, shape, budget);
        if !machines && !sides {
            return;
        }
    }
}

/// Moves single machines, once each; whether any moved.
fn move_machines(costs: &impl Costs, shape: &mut Shape, budget: &mut Budget) -> bool {
    let mut any = false;
    for machine in 0..costs.machines() {
        // No pair of it would cost less elsewhere. This is a look at each pair, where `best_place` is a look at each
        // pair and hop count.
        if shape.is_content(costs, machine) {
            continue;
        }
        if !budget.take(shape.work(costs, 1)) {
            return false;
        }
        let moved = [Moved { machine, depth: 0 }];
        // Switches that only this machine needed go with it: it may not move to them, and staying pays for them.
        let dead = shape.dead_without(machine);
        let barred = shape.barred(&dead, None);
        let Some(place) = shape.best_place(costs, &moved, &barred, usize::MAX) else { continue };
        let here = Place { switch: shape.home(machine), links: 0, cost: 0 };
        let stay = shape.cost_at(costs, &moved, here) + costs.switch() * as_cost(dead.len());
        // Cheaper, not as cheap: the sum falls with every move, so that the search ends.
        if place.cost < stay {
            shape.relocate(machine, place, &dead);
            any = true;
        }
    }
    any
}

/// Cuts every cable, once from either end, and ties what it cut off to the best place; whether any moved.
fn move_sides(costs: &impl Costs, shape: &mut Shape, budget: &mut Budget) -> bool {
    let mut any = false;
    // A move numbers switches anew; the walk goes on at the same place of the new list, and `improve` comes again.
    let mut ends = shape.ends();
    let mut at = 0;
    while let Some((from, to)) = ends.get(at).copied() {
        at += 1;
        let moved = shape.side(from, to);
        if !budget.take(shape.work(costs, moved.len())) {
            return false;
        }
        let dead = shape.dead_after_cut(from, to);
        let barred = shape.barred(&dead, Some((from, to)));
        let Some(place) = shape.best_place(costs, &moved, &barred, usize::MAX) else { continue };
        debug_assert!(!moved.is_empty(), "every leaf has a machine, so every side of a cable has");
        // As it is tied now: one link from `from`. Pairs of which both move, or none, cost the same wherever the side
        // is.
        let here = Place { switch: from, links: 1, cost: 0 };
        let stay = shape.cost_at(costs, &moved, here) + costs.switch() * as_cost(dead.len());
        if place.cost < stay {
            shape.regraft(from, to, place, &dead);
            ends = shape.ends();
            any = true;
        }
    }
    any
}

fn as_cost(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair wishes for this hop count.
    struct Wish(u32);

    impl Costs for Wish {
        fn machines(&self) -> usize {
            2
        }

        fn wanted_hops(&self, a: usize, b: usize) -> u32 {
            assert_ne!(a, b, "machines are different");
            self.0
        }

        fn pair(&self, _a: usize, _b: usize, hops: u32) -> i64 {
            i64::from(hops.abs_diff(self.0))
        }

        fn switch(&self) -> i64 {
            0
        }

        fn most(&self) -> u32 {
            3
        }
    }

    /// Wrong if a machine were content without its wish, and so never moved, or not content with it.
    #[test]
    fn a_machine_is_content_with_its_wish_alone() {
        let shape = grow(&Wish(1), &[0, 1]);
        assert_eq!(shape.hops(0, 1), 1);
        assert!(shape.is_content(&Wish(1), 0) && !shape.is_content(&Wish(2), 0));
    }

    /// Wrong if machines further apart than is distinguished cost as if they were not: by hand, a machine three links
    /// behind the end of a side is four switches from one that wishes for three, the most.
    #[test]
    fn what_is_too_far_costs_what_is_too_far() {
        let shape = grow(&Wish(3), &[0]);
        let place = shape.best_place(&Wish(3), &[Moved { machine: 1, depth: 3 }], &[], ANCHORS).unwrap();
        assert_eq!((place.links, place.cost), (0, 1));
    }
}
