//! Deadlocks as circles of paused queues, each of which waits for the next.
//!
//! A queue of a switch is *stuck* if it has frames, is paused, no PAUSE frame that lets it go is due or on the cable,
//! and of what counts at the input that pauses it more than `xon` bytes are of frames that wait in queues that are
//! stuck: the largest set of queues of which that holds. With a shared buffer it is what keeps the input paused if all
//! other frames leave the pool, in place of `xon`, and queues of all priorities are looked at together. A queue whose
//! pauses can run out behind frames on the cable back is stuck only once nothing but PAUSE frames is sent any more;
//! what is sent again ends its deadlock. What is stuck stays so until frames are dropped. A frame that is being sent
//! waits in no queue.
//!
//! ```text
//!   s0:2/3 paused by s1:0, whose frames wait in s1:2/3, paused by s2:0, whose frames wait in ... s0:2/3
//! ```
//! Each stuck queue *waits for* the queue of the lowest channel, among those that are stuck, with a frame that counts
//! at the input that pauses it. So each waits for one other, and from each a circle is come to: the deadlocks. A circle
//! that shares a queue with one that stands is not named as well.
//!
//! A set of stuck queues grows only at instants at which a pause is obeyed, a frame comes to a paused queue, or an
//! input wants its sender to stay paused that it was about to let go. Then what those queues wait for is followed, and
//! only where that is stuck the whole network is looked through.

use std::collections::{BTreeMap, BTreeSet};

use simnet_base::ids::Node;
use simnet_base::units::Time;
use simnet_network::topology::End;

use super::PRIORITIES;
use super::state::{Pfc, bit};
use crate::ethernet::Observer;
use crate::ethernet::engine::{Ethernet, opposite};
use crate::ethernet::port::NIL;

/// A circle of paused queues each of which waits for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The instant at whose end it was there.
    pub formed: Time,
    /// The priority of its queues.
    pub priority: u8,
    /// The queues, each waiting for the next and the last for the first; the one of the lowest channel comes first.
    pub members: Vec<DeadlockMember>,
    /// When frames of a member were dropped, which ended it, and of which.
    pub cleared: Option<(Time, End)>,
}

/// A queue that takes part in a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlockMember {
    /// The port of the switch whose queue it is.
    pub output: End,
    /// The port of the next switch, which pauses it.
    pub input: End,
}

/// What is known about deadlocks.
#[derive(Clone, Debug, Default)]
pub(in crate::ethernet) struct Watch {
    pub(in crate::ethernet) found: Vec<Deadlock>,
    /// The queues of those that stand: channel and priority, and the deadlock's position.
    members: BTreeMap<(u32, u8), usize>,
    /// Queues that may have become stuck in this instant.
    suspects: Vec<(u32, u8)>,
}

impl Watch {
    /// A queue may have become stuck.
    pub(in crate::ethernet) fn suspect(&mut self, channel: u32, priority: u8) {
        self.suspects.push((channel, priority));
    }

    /// Whether there are any to be followed.
    pub(in crate::ethernet) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// The frames of a queue are dropped: a deadlock that it is in is broken. Gives its number.
    pub(in crate::ethernet) fn broken(
        &mut self,
        channel: u32,
        priority: u8,
        output: End,
        now: Time,
    ) -> Option<usize> {
        let nth = *self.members.get(&(channel, priority))?;
        self.found[nth].cleared = Some((now, output));
        // Those that are left may be stuck in another circle.
        self.suspects.extend(self.members.iter().filter(|(_, of)| **of == nth).map(|(member, _)| *member));
        self.members.retain(|_, of| *of != nth);
        Some(nth)
    }
}

impl Pfc {
    /// Whether a queue waits for the input behind it alone, as far as can be seen from itself and the cable.
    fn waits(&self, channel: u32, priority: u8) -> bool {
        let (mask, sender, input) =
            (bit(priority), &self.senders[channel as usize], &self.inputs[channel as usize]);
        let on_cable = &self.senders[opposite(channel) as usize].controls;
        sender.paused & sender.filled & input.told & input.wanted & mask != 0
            && (!input.lapses || self.still_since.is_some())
            && on_cable.iter().all(|control| control.says.priorities & !control.says.paused & mask == 0)
    }
}

impl<P: Clone> Ethernet<P> {
    /// The deadlocks so far, in order of the instants at which they formed.
    pub fn deadlocks(&self) -> &[Deadlock] {
        self.pfc.as_deref().map_or(&[], |pfc| &pfc.watch.found)
    }

    /// The end of an instant: names the circles of queues that have closed in it.
    pub(in crate::ethernet) fn look_for_deadlocks<O: Observer<P>>(&mut self, observer: &mut O) {
        if std::mem::take(&mut self.pfc.as_deref_mut().expect("there are pauses").may_be_quiet) {
            self.stand_still_if_quiet();
        }
        let pfc = self.pfc.as_deref_mut().expect("there are pauses");
        let mut suspects = std::mem::take(&mut pfc.watch.suspects);
        suspects.sort_unstable_by_key(|(channel, priority)| (*priority, *channel));
        suspects.dedup();
        let mut found = Vec::new();
        if self.pfc.as_deref().is_some_and(|pfc| pfc.parameters.shared.is_some()) {
            let stuck = if suspects.is_empty() { BTreeSet::new() } else { self.stuck_with_pools() };
            for priority in 0..PRIORITIES {
                let of_one = stuck.iter().filter(|(_, of)| *of == priority).map(|(channel, _)| *channel);
                let circles = self.circles(&of_one.collect(), priority);
                found.extend(circles.into_iter().map(|circle| (circle, priority)));
            }
            suspects.clear();
        }
        for of_one in suspects.chunk_by(|(_, one), (_, other)| one == other) {
            let priority = of_one[0].1;
            let ahead = self.ahead(of_one.iter().map(|(channel, _)| *channel), priority);
            if self.stuck(ahead, priority).is_empty() {
                continue;
            }
            let all: BTreeSet<u32> =
                (0..self.channels).filter(|channel| self.is_waiting(*channel, priority)).collect();
            let stuck = self.stuck(all, priority);
            found.extend(self.circles(&stuck, priority).into_iter().map(|circle| (circle, priority)));
        }
        found.sort_unstable();
        for (circle, priority) in found {
            self.name(&circle, priority, observer);
        }
    }

    fn is_waiting(&self, channel: u32, priority: u8) -> bool {
        let is_switch = matches!(self.ends[channel as usize].from.node, Node::Switch(_));
        is_switch && self.pfc.as_deref().is_some_and(|pfc| pfc.waits(channel, priority))
    }

    /// The queues of the switch behind a channel.
    fn outputs_behind(&self, channel: u32) -> &[u32] {
        match (self.ends[channel as usize].to.node, self.pfc.as_deref()) {
            (Node::Switch(switch), Some(pfc)) => &pfc.outputs[switch.index()],
            _ => &[],
        }
    }

    /// The queues that wait among these, and those that they may wait for, and so on.
    fn ahead(&self, from: impl Iterator<Item = u32>, priority: u8) -> BTreeSet<u32> {
        let mut open: Vec<u32> = from.filter(|channel| self.is_waiting(*channel, priority)).collect();
        let mut found: BTreeSet<u32> = open.iter().copied().collect();
        while let Some(channel) = open.pop() {
            for next in self.outputs_behind(channel) {
                if !found.contains(next) && self.is_waiting(*next, priority) {
                    found.insert(*next);
                    open.push(*next);
                }
            }
        }
        found
    }

    /// The frames that wait in a queue: the rooms that they take.
    fn holds(&self, channel: u32, priority: u8) -> impl Iterator<Item = u32> + '_ {
        let pfc = self.pfc.as_deref().expect("there are pauses");
        let first = pfc.senders[channel as usize].queues[usize::from(priority)].map(|(first, _)| first);
        let next = |slot: &u32| Some(self.frames.next(*slot)).filter(|next| *next != NIL);
        std::iter::successors(first, next).map(|slot| pfc.tag(slot).hold)
    }

    /// Those of these waiting queues that are stuck. Costs O(their frames) for each that is not.
    fn stuck(&self, mut queues: BTreeSet<u32>, priority: u8) -> BTreeSet<u32> {
        let pfc = self.pfc.as_deref().expect("there are pauses");
        loop {
            let mut bytes: BTreeMap<u32, u64> = BTreeMap::new();
            let mut counted = BTreeSet::new();
            for channel in &queues {
                for hold in self.holds(*channel, priority) {
                    if counted.insert(hold) {
                        let of = pfc.holds[hold as usize];
                        *bytes.entry(of.input).or_default() += u64::from(of.length);
                    }
                }
            }
            let before = queues.len();
            queues.retain(|channel| bytes.get(channel).is_some_and(|bytes| *bytes > pfc.parameters.xon.0));
            if queues.len() == before {
                return queues;
            }
        }
    }

    /// The stuck queues where inputs share room: those of all priorities depend on each other. Costs O(channels +
    /// frames that wait) for each queue that waits and is not stuck.
    fn stuck_with_pools(&self) -> BTreeSet<(u32, u8)> {
        let pfc = self.pfc.as_deref().expect("there are pauses");
        let each = (0..self.channels).flat_map(|channel| (0..PRIORITIES).map(move |of| (channel, of)));
        let mut queues: BTreeSet<(u32, u8)> =
            each.filter(|(channel, priority)| self.is_waiting(*channel, *priority)).collect();
        loop {
            let mut bytes: BTreeMap<(u32, u8), u64> = BTreeMap::new();
            let mut counted = BTreeSet::new();
            for (channel, priority) in &queues {
                for hold in self.holds(*channel, *priority).filter(|hold| counted.insert(*hold)) {
                    let of = pfc.holds[hold as usize];
                    *bytes.entry((of.input, of.priority)).or_default() += u64::from(of.length);
                }
            }
            let (before, keep) = (queues.len(), pfc.keep_paused(&bytes));
            queues.retain(|queue| keep.contains(queue));
            if queues.len() == before {
                return queues;
            }
        }
    }

    /// The queue that a stuck one waits for.
    fn waits_for(&self, channel: u32, stuck: &BTreeSet<u32>, priority: u8) -> u32 {
        let pfc = self.pfc.as_deref().expect("there are pauses");
        let has_one =
            |next: &&u32| self.holds(**next, priority).any(|hold| pfc.holds[hold as usize].input == channel);
        let mut behind = self.outputs_behind(channel).iter().filter(|next| stuck.contains(next));
        // They are in order of ports: the lowest channel is looked for.
        let first = behind.by_ref().filter(has_one).min();
        *first.expect("a stuck queue waits for one that is stuck")
    }

    /// The circles of which no queue is in a deadlock that stands, each from its lowest channel on.
    fn circles(&self, stuck: &BTreeSet<u32>, priority: u8) -> Vec<Vec<u32>> {
        let mut walks: BTreeMap<u32, u32> = BTreeMap::new();
        let mut circles = Vec::new();
        for start in stuck {
            let mut at = *start;
            while !walks.contains_key(&at) {
                walks.insert(at, *start);
                at = self.waits_for(at, stuck, priority);
            }
            if walks[&at] != *start {
                continue;
            }
            let mut circle = vec![at];
            let mut next = self.waits_for(at, stuck, priority);
            while next != at {
                circle.push(next);
                next = self.waits_for(next, stuck, priority);
            }
            let lowest = (0..circle.len()).min_by_key(|place| circle[*place]).unwrap_or(0);
            circle.rotate_left(lowest);
            let members = &self.pfc.as_deref().expect("there are pauses").watch.members;
            if circle.iter().all(|channel| !members.contains_key(&(*channel, priority))) {
                circles.push(circle);
            }
        }
        circles
    }

    fn name<O: Observer<P>>(&mut self, circle: &[u32], priority: u8, observer: &mut O) {
        let member = |channel: &u32| {
            let ends = self.ends[*channel as usize];
            DeadlockMember { output: ends.from, input: ends.to }
        };
        let members = circle.iter().map(member).collect();
        let deadlock = Deadlock { formed: self.now(), priority, members, cleared: None };
        let watch = &mut self.pfc.as_deref_mut().expect("there are pauses").watch;
        let nth = watch.found.len();
        if O::WATCHES {
            observer.deadlocked(nth, &deadlock);
        }
        watch.members.extend(circle.iter().map(|channel| ((*channel, priority), nth)));
        watch.found.push(deadlock);
    }
}
