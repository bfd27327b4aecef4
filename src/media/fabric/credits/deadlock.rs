//! Deadlocks as circles of queues, each of which waits for the next.
//!
//! A queue *waits for* the queue at the far end of its front packet's output, in the lane that the packet is to take,
//! if the packet is ready and the credits of that lane, those on their way back included, are fewer than its bytes.
//! Credits of a lane come from one queue alone, and queues are first in, first out: each queue waits for one other at
//! most, and nothing but the destruction of a packet opens a circle. A packet that waits for an output which is sending
//! waits for no queue: the output will be free.
//!
//! ```text
//!   [queue: front packet] --output, lane: 100 of 256 bytes of credit--> [queue: front packet] --0 of 64--> ... back
//! ```
//! A queue begins to wait when its packet is ready, or when another packet takes the credits; both are at an output
//! that is arbitrated in that cycle, and its queues are followed at the end of it.

use super::engine::Engine;
use crate::fabric::deadlock::{Cleared, Deadlock, Member};
use crate::fabric::endpoint::Observer;
use crate::fabric::ports::NONE;
use simnet_base::units::Cycle;
use simnet_network::topology::End;

/// What is known about deadlocks.
#[derive(Clone, Debug, Default)]
pub(in crate::fabric) struct Watch {
    pub(in crate::fabric) found: Vec<Deadlock>,
    /// Queues in deadlocks that are not cleared, with the deadlock's position; seldom more than a few.
    members: Vec<(u32, usize)>,
    /// Members whose front packet was destroyed in this cycle: the deadlock's position, and the output it waited for.
    hits: Vec<(usize, End)>,
    /// By queue: the number of the last walk that came by.
    seen: Vec<u64>,
    walks: u64,
}

impl Engine {
    /// The queue that must give credit back before this one can move; [`NONE`]: there is none.
    #[inline]
    fn waits_for(&self, queue: u32) -> u32 {
        let entry = &self.queues[queue as usize];
        if !entry.waits || self.outs[entry.out as usize].to_host {
            return NONE;
        }
        let lane = &self.lanes[self.lane_of(entry.out, entry.out_lane)];
        if lane.credits + lane.returning >= self.records.packets[entry.front as usize].bytes {
            return NONE;
        }
        let peer = self.outs[entry.out as usize].peer;
        u32::try_from(self.lane_of(peer, entry.out_lane)).expect("a queue's number")
    }

    /// The end of a cycle: follows the queues that may have begun to wait in it, those of the listed outputs.
    #[inline]
    pub(super) fn look_for_deadlocks<O: Observer>(&mut self, t: u64, observer: &mut O) {
        let before = self.watch.found.len();
        let walks = self.watch.walks;
        for index in 0..self.listed.len() {
            let out = self.listed[index];
            let output = &self.outs[out as usize];
            if output.waiting == 0 || output.to_host {
                continue;
            }
            let mut left = output.lanes_waiting;
            while left != 0 {
                let lane = left.trailing_zeros();
                left &= left - 1;
                let number = output.peer * u32::from(self.parameters.lanes) + lane;
                let credit = &self.lanes[(out * u32::from(self.parameters.lanes) + lane) as usize];
                // Where every packet fits nobody waits; and what leads to a queue that can move closes no circle.
                if credit.credits + credit.returning < self.parameters.mtu && self.waits_for(number) != NONE {
                    self.follow_all(out, lane, walks, t);
                    break;
                }
            }
        }
        if self.watch.found.len() > before {
            self.order(before);
            if O::WATCHES {
                self.report_deadlocks(before, observer);
            }
        }
    }

    /// Follows all queues that wait for this lane of an output, and its other lanes from there on.
    #[cold]
    fn follow_all(&mut self, out: u32, lane: u32, walks: u64, t: u64) {
        let output = &self.outs[out as usize];
        if output.lone != NONE {
            return self.follow(output.lone, walks, t);
        }
        let first = output.requests + lane * output.words;
        let last = output.requests + u32::from(self.parameters.lanes) * output.words;
        let (words, first_queue) = (output.words, output.first_queue);
        for word in first..last {
            let mut left = self.requests[word as usize];
            while left != 0 {
                let place = (word - first) % words * 64 + left.trailing_zeros();
                left &= left - 1;
                self.follow(first_queue + place, walks, t);
            }
        }
    }

    /// Walks from one queue to the next up to one that waits for none, or was come by since `walks`.
    fn follow(&mut self, start: u32, walks: u64, t: u64) {
        self.watch.seen.resize(self.queues.len(), 0);
        self.watch.walks += 1;
        let walk = self.watch.walks;
        let mut queue = start;
        while queue != NONE && self.watch.seen[queue as usize] <= walks {
            self.watch.seen[queue as usize] = walk;
            queue = self.waits_for(queue);
        }
        let is_circle = queue != NONE && self.watch.seen[queue as usize] == walk;
        if is_circle && !self.watch.members.iter().any(|(member, _)| *member == queue) {
            self.note_deadlock(queue, t);
        }
    }

    fn note_deadlock(&mut self, start: u32, t: u64) {
        let mut queues = vec![start];
        let mut queue = self.waits_for(start);
        while queue != start {
            queues.push(queue);
            queue = self.waits_for(queue);
        }
        // The first member is the one with the least input port and lane, whichever was followed first.
        let first = (0..queues.len()).min_by_key(|place| self.place_of(queues[*place])).unwrap_or(0);
        queues.rotate_left(first);
        let members = queues.iter().map(|queue| self.member(*queue)).collect();
        let nth = self.watch.found.len();
        self.watch.members.extend(queues.iter().map(|queue| (*queue, nth)));
        self.watch.found.push(Deadlock { formed: Cycle(t), members, cleared: None });
    }

    fn place_of(&self, queue: u32) -> (End, u32) {
        let entry = &self.queues[queue as usize];
        (self.wiring.end(entry.port), entry.place)
    }

    fn member(&self, queue: u32) -> Member {
        let entry = &self.queues[queue as usize];
        let worm = self.identity(entry.front);
        Member {
            output: self.wiring.end(entry.out),
            input: self.wiring.end(entry.port),
            lane: entry.lane,
            tag: worm.tag,
            source: worm.source,
        }
    }

    /// Puts those that formed in one cycle, from position `from` on, in the order of their first members.
    fn order(&mut self, from: usize) {
        let mut places: Vec<usize> = (from..self.watch.found.len()).collect();
        let key = |place: &usize| {
            let first = &self.watch.found[*place].members[0];
            (first.input, first.lane)
        };
        places.sort_by_key(key);
        let ordered: Vec<Deadlock> = places.iter().map(|place| self.watch.found[*place].clone()).collect();
        self.watch.found.splice(from.., ordered);
        for (_, place) in self.watch.members.iter_mut().filter(|(_, place)| *place >= from) {
            *place = from + places.iter().position(|old| old == place).expect("every one has a place");
        }
    }

    fn report_deadlocks<O: Observer>(&self, from: usize, observer: &mut O) {
        for (nth, deadlock) in self.watch.found.iter().enumerate().skip(from) {
            let fronts = self.watch.members.iter().filter(|(_, place)| *place == nth);
            let worms: Vec<_> =
                fronts.map(|(queue, _)| self.identity(self.queues[*queue as usize].front)).collect();
            observer.deadlocked(deadlock.formed, nth, &deadlock.members, &worms);
        }
    }

    /// The front packet of a queue that waits is destroyed: if it was in a deadlock, that is broken.
    pub(super) fn deadlock_hit(&mut self, queue: u32) {
        if self.watch.members.is_empty() {
            return;
        }
        let Some(&(_, nth)) = self.watch.members.iter().find(|(member, _)| *member == queue) else { return };
        let output = self.wiring.end(self.queues[queue as usize].out);
        self.watch.hits.push((nth, output));
    }

    /// The end of a cycle: deadlocks of which a member was destroyed are broken, at the least output if at several.
    #[inline(always)]
    pub(super) fn clear_deadlocks<O: Observer>(&mut self, t: u64, observer: &mut O) {
        if !self.watch.hits.is_empty() {
            self.clear_hit(t, observer);
        }
    }

    #[cold]
    fn clear_hit<O: Observer>(&mut self, t: u64, observer: &mut O) {
        self.watch.hits.sort_unstable();
        self.watch.hits.dedup_by_key(|(nth, _)| *nth);
        for (nth, output) in std::mem::take(&mut self.watch.hits) {
            self.watch.members.retain(|(_, other)| *other != nth);
            self.watch.found[nth].cleared = Some(Cleared { at: Cycle(t), output });
            if O::WATCHES {
                observer.cleared(Cycle(t), nth, output);
            }
        }
    }
}
