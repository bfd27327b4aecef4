//! Which events of a log a page holds.

use std::collections::BTreeMap;

use simnet_base::ids::LinkId;
use simnet_media::trace::{Event, EventKind};
use simnet_network::topology::End;

/// Events that a page holds in all its scenes together: smooth to replay, and small enough to open.
pub(super) const MOST: usize = 100_000;

/// What the first pass over a scene found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Its events in the log.
    pub(super) events: u64,
    /// The position of the first deadlock among them.
    pub(super) deadlock: Option<u64>,
}

/// How many events of each scene are shown: all where there is room, else as many of one as of another.
pub(super) fn quotas(scenes: &[Extent], most: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..scenes.len()).collect();
    order.sort_by_key(|scene| scenes[*scene].events);
    let mut quotas = vec![0; scenes.len()];
    let mut room = most;
    for (done, scene) in order.iter().enumerate() {
        let share = room / (scenes.len() - done) as u64;
        quotas[*scene] = scenes[*scene].events.min(share);
        room -= quotas[*scene];
    }
    quotas
}

/// The position of the first event shown: those around the first deadlock, or the first ones.
pub(super) fn first(scene: Extent, quota: u64) -> u64 {
    let Some(deadlock) = scene.deadlock else { return 0 };
    deadlock.saturating_sub(quota / 2).min(scene.events - quota.min(scene.events))
}

/// Gathers what is shown of one scene from all its events, in order.
#[derive(Debug)]
pub(super) struct Window {
    first: u64,
    quota: usize,
    seen: u64,
    standing: Standing,
    before: usize,
    events: Vec<Event>,
}

impl Window {
    /// A window of `quota` events from position `first` on.
    pub(super) fn new(first: u64, quota: u64) -> Window {
        let quota = usize::try_from(quota).unwrap_or(usize::MAX);
        Window { first, quota, seen: 0, standing: Standing::default(), before: 0, events: Vec::new() }
    }

    /// Takes the next event of the scene.
    pub(super) fn take(&mut self, event: Event) {
        if self.seen < self.first {
            self.standing.take(self.seen, event);
        } else {
            if self.seen == self.first {
                self.events = std::mem::take(&mut self.standing).into_events();
                self.before = self.events.len();
            }
            if self.events.len() < self.quota {
                self.events.push(event);
            }
        }
        self.seen += 1;
    }

    /// What is shown: first so many events from before the window that still matter in it, then the window.
    pub(super) fn into_events(self) -> (usize, Vec<Event>) {
        (self.before.min(self.quota), self.events)
    }
}

/// The events that still matter later: those of worms that are in the network, the last words of buffers and cables,
/// deadlocks that stand.
#[derive(Debug, Default)]
struct Standing {
    worms: BTreeMap<u32, Vec<(u64, Event)>>,
    flows: BTreeMap<End, (u64, Event)>,
    stops: BTreeMap<End, (u64, Event)>,
    /// By port that obeys and priority, the last that it was told.
    pauses: BTreeMap<(End, u8), (u64, Event)>,
    cables: BTreeMap<LinkId, (u64, Event)>,
    deadlocks: BTreeMap<u32, (u64, Event)>,
}

impl Standing {
    fn take(&mut self, position: u64, event: Event) {
        let kept = (position, event);
        match &kept.1.what {
            EventKind::Start { worm, .. }
            | EventKind::Arrive { worm, .. }
            | EventKind::Wait { worm, .. }
            | EventKind::Grant { worm, .. }
            | EventKind::Release { worm, .. }
            | EventKind::Reset { worm, .. } => {
                self.worms.entry(*worm).or_default().push(kept);
            }
            EventKind::End { worm, .. } => {
                self.worms.remove(worm);
            }
            EventKind::Flow { port, .. } => {
                self.flows.insert(*port, kept);
            }
            EventKind::Control { port, .. } => {
                self.stops.insert(*port, kept);
            }
            EventKind::Cable { link, .. } => {
                self.cables.insert(*link, kept);
            }
            EventKind::Deadlock { nth, .. } | EventKind::Circle { nth, .. } => {
                self.deadlocks.insert(*nth, kept);
            }
            EventKind::Clear { nth, .. } => {
                self.deadlocks.remove(nth);
            }
            EventKind::Pause { port, obeyed: true, says } => {
                for priority in (0..8).filter(|priority| says.priorities >> priority & 1 == 1) {
                    self.pauses.insert((*port, priority), kept.clone());
                }
            }
            EventKind::Send(_)
            | EventKind::Receive(_)
            | EventKind::Frame { .. }
            | EventKind::Pause { .. } => {}
        }
    }

    fn into_events(self) -> Vec<Event> {
        let worms = self.worms.into_values().flatten();
        let ports = self.flows.into_values().chain(self.stops.into_values());
        let rest = self.cables.into_values().chain(self.deadlocks.into_values());
        let mut events: Vec<(u64, Event)> =
            worms.chain(ports).chain(self.pauses.into_values()).chain(rest).collect();
        events.sort_by_key(|(position, _)| *position);
        // One that speaks of several priorities is there once.
        events.dedup_by_key(|(position, _)| *position);
        events.into_iter().map(|(_, event)| event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::{HostId, SwitchId};
    use simnet_base::units::Time;

    fn extent(events: u64) -> Extent {
        Extent { events, deadlock: None }
    }

    fn at(ps: u64, what: EventKind) -> Event {
        Event { at: Time::from_ps(ps), what }
    }

    /// Wrong if a small scene took room that it does not need, or all together took more than there is.
    #[test]
    fn small_scenes_are_shown_whole_and_large_ones_share_the_rest() {
        assert_eq!(quotas(&[extent(10), extent(500), extent(300)], 100), [10, 45, 45]);
        assert_eq!(quotas(&[extent(3), extent(4)], 100), [3, 4]);
        assert_eq!(quotas(&[], 100), [0; 0]);
    }

    /// Wrong if the deadlock were not in the middle, or room behind the end were wasted.
    #[test]
    fn a_deadlock_stands_in_the_middle() {
        let scene = |deadlock| Extent { events: 1_000, deadlock: Some(deadlock) };
        assert_eq!(first(scene(500), 100), 450);
        assert_eq!(first(scene(20), 100), 0);
        assert_eq!(first(scene(990), 100), 900);
        assert_eq!(first(extent(1_000), 100), 0);
    }

    /// Wrong if an event that says how things stand at the window's beginning were lost, or one that is over kept.
    #[test]
    fn what_still_matters_is_kept() {
        let (here, there) = (End::switch(SwitchId(0), 1), End::switch(SwitchId(1), 0));
        let arrive = |worm| EventKind::Arrive { worm, port: here };
        let control = |port, stop| EventKind::Control { port, stop };
        let mut window = Window::new(6, 100);
        let all = [
            arrive(1),
            arrive(2),
            control(here, true),
            control(here, false),
            control(there, true),
            EventKind::End { worm: 1, fate: Ok(HostId(0)) },
            arrive(3),
        ];
        for (time, what) in all.iter().enumerate() {
            window.take(at(time as u64, what.clone()));
        }
        let (before, events) = window.into_events();
        let kept = [1, 3, 4, 6].map(|nth: usize| at(nth as u64, all[nth].clone()));
        assert_eq!((before, events), (3, kept.to_vec()));
    }
}
