//! Circles of queues that can never move, looked for anew at every instant.

use std::collections::{BTreeMap, BTreeSet};

use simnet_base::ids::Node;
use simnet_base::units::Time;
use simnet_media::ethernet::{Deadlock, DeadlockMember};

use super::pools::is_above;
use super::{Reference, length};

impl Reference<'_> {
    /// The queues that can never move, by channel and priority: the largest set in which each has frames and is paused
    /// for good, and what waits in the set keeps the input paused that pauses it.
    pub(super) fn stuck(&self) -> BTreeSet<(usize, usize)> {
        let waits = |(at, priority): &(usize, usize)| {
            let channel = &self.channels[*at];
            let mut on_cable = self.channels[at ^ 1].controls.iter();
            matches!(channel.from.node, Node::Switch(_))
                && channel.paused[*priority]
                && channel.waits(*priority).next().is_some()
                && channel.wanted[*priority]
                && channel.told[*priority]
                && (self.still_since.is_some() || !self.lapses(*at))
                && on_cable.all(|(_, says)| (says.priorities & !says.paused) >> priority & 1 == 0)
        };
        let all = (0..self.channels.len()).flat_map(|at| (0..8).map(move |priority| (at, priority)));
        let mut stuck: BTreeSet<(usize, usize)> = all.filter(waits).collect();
        loop {
            let copies = stuck.iter().flat_map(|(at, priority)| self.channels[*at].waits(*priority));
            let rooms: BTreeMap<u64, (Option<usize>, usize, u64)> =
                copies.map(|copy| (copy.arrival, (copy.input, copy.priority, length(&copy.frame)))).collect();
            let mut held: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            for (input, priority, bytes) in rooms.into_values() {
                *held.entry((input.unwrap(), priority)).or_default() += bytes;
            }
            let left: BTreeSet<(usize, usize)> =
                stuck.iter().copied().filter(|queue| self.keeps(*queue, &held)).collect();
            if left == stuck {
                return stuck;
            }
            stuck = left;
        }
    }

    /// Whether an input and priority stays paused if of all frames only those are left whose bytes `held` has.
    pub(super) fn keeps(&self, queue: (usize, usize), held: &BTreeMap<(usize, usize), u64>) -> bool {
        let held = |queue: &(usize, usize)| held.get(queue).copied().unwrap_or(0);
        let Some(of) = self.case.pfc.shared else { return held(&queue) > self.case.pfc.xon.0 };
        // What is left in the pool, and in the headroom.
        let left = |(at, priority): (usize, usize)| {
            let channel = &self.channels[at];
            let reserved = channel.known[priority] - channel.pooled[priority] - channel.spilled[priority];
            let above = held(&(at, priority)).saturating_sub(reserved);
            let pooled = channel.pooled[priority].min(above);
            (pooled, above - pooled)
        };
        let to = self.channels[queue.0].to.node;
        let inputs = (0..self.channels.len()).filter(|at| self.channels[*at].to.node == to);
        let used: u64 = inputs.flat_map(|at| (0..8).map(move |of| (at, of))).map(|it| left(it).0).sum();
        let (pooled, spilled) = left(queue);
        spilled > 0 || pooled > 0 && is_above(of, pooled + of.xon_offset.0, of.pool.0 - used)
    }

    pub(super) fn name_deadlocks(&mut self, now: u64) {
        let mut found = Vec::new();
        let all = self.stuck();
        for priority in 0..8 {
            let of_one = all.iter().filter(|(_, of)| *of == priority);
            let stuck: Vec<usize> = of_one.map(|(at, _)| *at).collect();
            let next = |at: usize| {
                let waits = |next: &&usize| {
                    let channel = &self.channels[**next];
                    channel.from.node == self.channels[at].to.node
                        && channel.waits(priority).any(|copy| copy.input == Some(at))
                };
                *stuck.iter().find(waits).unwrap()
            };
            for start in &stuck {
                // As many steps as there are queues end in a circle.
                let on_circle = (0..stuck.len()).fold(*start, |at, _| next(at));
                let mut circle = vec![on_circle];
                while next(*circle.last().unwrap()) != on_circle {
                    circle.push(next(*circle.last().unwrap()));
                }
                let lowest = (0..circle.len()).min_by_key(|place| circle[*place]).unwrap();
                circle.rotate_left(lowest);
                let stands = |(at, of): &(usize, usize)| circle.contains(at) && *of == priority;
                if !self.standing.keys().any(stands) {
                    found.push((circle, priority));
                }
            }
        }
        found.sort();
        found.dedup();
        for (circle, priority) in found {
            let nth = self.seen.deadlocks.len();
            let ends = circle.iter().map(|at| (self.channels[*at].from, self.channels[*at].to));
            self.seen.deadlocks.push(Deadlock {
                formed: Time::from_ps(now),
                priority: u8::try_from(priority).unwrap(),
                members: ends.map(|(output, input)| DeadlockMember { output, input }).collect(),
                cleared: None,
            });
            self.standing.extend(circle.into_iter().map(|at| ((at, priority), nth)));
        }
    }

    pub(super) fn break_deadlock(&mut self, at: usize, priority: usize, now: u64) {
        let Some(nth) = self.standing.get(&(at, priority)).copied() else { return };
        self.seen.deadlocks[nth].cleared = Some((Time::from_ps(now), self.channels[at].from));
        self.standing.retain(|_, of| *of != nth);
    }
}
