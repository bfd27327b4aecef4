//! How much of what happens is kept.

use std::collections::BTreeMap;

use simnet_base::ids::LinkId;
use simnet_base::units::Time;
use simnet_network::topology::End;

use super::Event;
use super::recorded::{Key, RecordedEvent, RecordedKind};
use crate::ethernet::PRIORITIES;

/// What is kept of each scene: `[output.events]` of a scenario.
///
/// What happened before the first event that is kept and still matters then is kept as well, and not counted: all that
/// worms did which are not over, what flows at each port, the last STOP or GO that it sent, cables that have changed,
/// deadlocks that stand. So a replay is right from its first instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From this instant on.
    pub from: Option<Time>,
    /// Up to this instant, and not at it.
    pub until: Option<Time>,
    /// At most so many events.
    pub most: u64,
    /// Those around the first deadlock: the last `most / 2` before it, and as many from it on. A scene without a
    /// deadlock keeps the last `most / 2`.
    pub around_deadlock: bool,
}

/// Events of a scene that are kept by default.
pub const MOST: u64 = 1_000_000;

/// What `most` may be: an event takes some 40 bytes of memory until its scene is over.
pub const LARGEST_MOST: u64 = 20_000_000;

impl Default for Bounds {
    /// The first [`MOST`] events.
    fn default() -> Bounds {
        Bounds { from: None, until: None, most: MOST, around_deadlock: false }
    }
}

/// The events of a scene that are kept, while they come in.
#[derive(Debug)]
pub(super) struct Bounded {
    bounds: Bounds,
    /// How many events came in.
    seen: u64,
    before: Before,
    /// The instant of the first event that came too late to be kept.
    too_late: Option<u64>,
    keep: Keep,
}

/// What is kept of a scene.
#[derive(Debug)]
pub(super) struct KeptScene {
    /// In the order of the log.
    pub(super) events: Vec<RecordedEvent>,
    /// Events that came in and are not among them.
    pub(super) left_out: u64,
    /// From when on they are all there.
    pub(super) from: Time,
    /// The first that is missing at the end.
    pub(super) until: Option<Time>,
}

#[derive(Debug)]
enum Keep {
    /// The first ones.
    First(First),
    /// Those around a deadlock; `deadlock` is where it stands.
    Around { past: Last, future: First, deadlock: Option<Key> },
}

impl Bounded {
    pub(super) fn new(bounds: Bounds) -> Bounded {
        let most = usize::try_from(bounds.most).unwrap_or(usize::MAX);
        let keep = if bounds.around_deadlock {
            let half = most.div_ceil(2);
            Keep::Around { past: Last::new(half), future: First::new(half), deadlock: None }
        } else {
            Keep::First(First::new(most))
        };
        Bounded { bounds, seen: 0, before: Before::default(), too_late: None, keep }
    }

    /// An event comes in. Within a cycle any order will do, and a worm's start comes before all else of it.
    pub(super) fn note(&mut self, event: RecordedEvent) {
        self.seen += 1;
        if self.bounds.from.is_some_and(|from| event.at < from.as_ps()) {
            self.before.pass(event);
        } else if self.bounds.until.is_some_and(|until| event.at >= until.as_ps()) {
            self.miss(event.at);
        } else {
            self.keep(event);
        }
    }

    fn keep(&mut self, event: RecordedEvent) {
        match &mut self.keep {
            Keep::First(first) => first.push(event),
            Keep::Around { past, future, deadlock } => {
                if deadlock.is_none() && event.what.is_deadlock() {
                    let key = event.key();
                    *deadlock = Some(key);
                    past.split_off(key).into_iter().for_each(|later| future.push(later));
                }
                if deadlock.is_some_and(|key| event.key() >= key) {
                    future.push(event);
                } else {
                    past.push(event, &mut self.before);
                }
            }
        }
    }

    fn miss(&mut self, at: u64) {
        self.too_late = Some(self.too_late.map_or(at, |earliest| earliest.min(at)));
    }

    /// The scene has ended.
    pub(super) fn finish(mut self) -> KeptScene {
        let mut from = self.bounds.from.unwrap_or_default();
        let mut within = match self.keep {
            Keep::First(ref mut first) => first.take(),
            Keep::Around { ref mut past, ref mut future, .. } => {
                let (mut events, begins_late) = past.take(&mut self.before);
                events.append(&mut future.take());
                if let (true, Some(first)) = (begins_late, events.first()) {
                    from = Time::from_ps(first.at);
                }
                events
            }
        };
        if let Keep::First(first) | Keep::Around { future: first, .. } = &self.keep
            && let Some((at, ..)) = first.limit
        {
            self.miss(at);
        }
        let mut events = self.before.into_events();
        events.append(&mut within);
        let left_out = self.seen - events.len() as u64;
        KeptScene { events, left_out, from, until: self.too_late.map(Time::from_ps) }
    }
}

/// Room beyond what is kept, so that sorting and shifting is seldom.
fn slack(most: usize) -> usize {
    most / 4 + 1_024
}

/// The first events.
#[derive(Debug)]
struct First {
    most: usize,
    kept: Vec<RecordedEvent>,
    /// Where the first one stands that is not kept; what comes after it is not, either.
    limit: Option<Key>,
}

impl First {
    fn new(most: usize) -> First {
        First { most, kept: Vec::new(), limit: None }
    }

    fn push(&mut self, event: RecordedEvent) {
        if self.limit.is_some_and(|(at, ..)| event.at > at) {
            return;
        }
        self.kept.push(event);
        if self.kept.len() >= self.most.saturating_add(slack(self.most)) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        sort(&mut self.kept);
        if let Some(first) = self.kept.get(self.most) {
            let limit = first.key();
            self.limit = Some(self.limit.map_or(limit, |before| before.min(limit)));
            self.kept.truncate(self.most);
        }
    }

    fn take(&mut self) -> Vec<RecordedEvent> {
        self.cut();
        std::mem::take(&mut self.kept)
    }
}

/// The last events.
#[derive(Debug)]
struct Last {
    most: usize,
    kept: Vec<RecordedEvent>,
    /// Where the last one stands that is not kept any more.
    floor: Option<Key>,
}

impl Last {
    fn new(most: usize) -> Last {
        Last { most, kept: Vec::new(), floor: None }
    }

    fn push(&mut self, event: RecordedEvent, before: &mut Before) {
        if self.floor.is_some_and(|floor| event.key() < floor) {
            before.pass(event);
            return;
        }
        self.kept.push(event);
        if self.kept.len() >= self.most + slack(self.most) {
            self.cut(before);
        }
    }

    fn cut(&mut self, before: &mut Before) {
        sort(&mut self.kept);
        let too_many = self.kept.len().saturating_sub(self.most);
        for event in self.kept.drain(..too_many) {
            self.floor = Some(event.key());
            before.pass(event);
        }
    }

    /// Takes away those that stand at `key` and later.
    fn split_off(&mut self, key: Key) -> Vec<RecordedEvent> {
        sort(&mut self.kept);
        self.kept.split_off(self.kept.partition_point(|event| event.key() < key))
    }

    /// Those that are kept, and whether there were others before.
    fn take(&mut self, before: &mut Before) -> (Vec<RecordedEvent>, bool) {
        self.cut(before);
        (std::mem::take(&mut self.kept), self.floor.is_some())
    }
}

/// What happened before a part of a scene that is cut out, as far as it still matters there: what bounds keep as well.
#[derive(Debug, Default)]
pub struct Earlier(Before);

impl Earlier {
    /// An event before the part has passed.
    pub fn pass(&mut self, event: &Event) {
        self.0.pass(RecordedEvent::of(event));
    }

    /// The part begins: what still matters, in the order of the log.
    ///
    /// # Panics
    /// Never: the numbers of worms are those that were passed.
    pub fn take(&mut self) -> Vec<Event> {
        let number = &mut |worm| u32::try_from(worm).expect("it was a number of 32 bits");
        std::mem::take(&mut self.0).into_events().into_iter().map(|kept| kept.into_event(number)).collect()
    }
}

/// What happened before what is kept, as far as it still matters: as much as there are worms, ports and cables.
#[derive(Debug, Default)]
struct Before {
    /// By serial: what worms did that are not over.
    worms: BTreeMap<u64, Vec<RecordedEvent>>,
    flows: BTreeMap<End, RecordedEvent>,
    controls: BTreeMap<End, RecordedEvent>,
    /// By port that obeys and priority, the last that it was told.
    pauses: BTreeMap<(End, u8), RecordedEvent>,
    cables: BTreeMap<LinkId, RecordedEvent>,
    deadlocks: BTreeMap<u32, RecordedEvent>,
}

impl Before {
    /// An event has passed.
    fn pass(&mut self, event: RecordedEvent) {
        match event.what {
            RecordedKind::Start(_) => {
                let worm = event.worm().expect("a start has a worm");
                self.worms.insert(worm, vec![event]);
            }
            RecordedKind::Step { worm, .. } => {
                // One that is over does not come back.
                if let Some(done) = self.worms.get_mut(&worm) {
                    done.push(event);
                }
            }
            RecordedKind::End(worm, _) => {
                self.worms.remove(&worm);
            }
            RecordedKind::Flow(port, _) => replace(&mut self.flows, port, event),
            RecordedKind::Control(port, _) => replace(&mut self.controls, port, event),
            RecordedKind::Cable(link, _) => replace(&mut self.cables, link, event),
            RecordedKind::Deadlock(ref formed) => {
                self.deadlocks.insert(formed.nth, event);
            }
            RecordedKind::Circle(ref formed) => {
                self.deadlocks.insert(formed.nth, event);
            }
            RecordedKind::Clear(nth, _) => {
                self.deadlocks.remove(&nth);
            }
            RecordedKind::Pause { port, obeyed: true, says } => {
                for priority in (0..PRIORITIES).filter(|priority| says.priorities >> priority & 1 == 1) {
                    self.pauses.insert((port, priority), event.clone());
                }
            }
            RecordedKind::Send(_)
            | RecordedKind::Receive(_)
            | RecordedKind::Frame { .. }
            | RecordedKind::Pause { .. } => {}
        }
    }

    /// What still matters, in the order of the log.
    fn into_events(self) -> Vec<RecordedEvent> {
        let worms = self.worms.into_values().flatten();
        let ports = self.flows.into_values().chain(self.controls.into_values());
        let others = self.cables.into_values().chain(self.deadlocks.into_values());
        // One that speaks of several priorities is there once.
        let pauses: BTreeMap<(End, u64), RecordedEvent> =
            self.pauses.into_iter().map(|((port, _), event)| ((port, event.at), event)).collect();
        let mut events: Vec<RecordedEvent> =
            worms.chain(ports).chain(pauses.into_values()).chain(others).collect();
        sort(&mut events);
        events
    }
}

/// Brings events into the order of the log; those alike stay in the order in which they were reported.
///
/// Observers hear of events in order of time, so that only those of one instant are to be ordered. Exact for any
/// order: where time goes back, all are sorted.
fn sort(events: &mut [RecordedEvent]) {
    if !events.is_sorted_by_key(|event| event.at) {
        events.sort_by_key(RecordedEvent::key);
        return;
    }
    for instant in events.chunk_by_mut(|before, after| before.at == after.at) {
        instant.sort_by_key(RecordedEvent::key);
    }
}

/// Puts the later of two in its place.
fn replace<K: Ord>(last: &mut BTreeMap<K, RecordedEvent>, key: K, event: RecordedEvent) {
    if last.get(&key).is_none_or(|before| before.at <= event.at) {
        last.insert(key, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::PauseFrame;
    use crate::fabric::Flow;
    use crate::trace::recorded::{CircleStart, DeadlockStart, Step, WormStart};
    use simnet_base::ids::{HostId, SwitchId};

    /// A small generator of numbers, so that a case is its seed.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    fn random_pause(dice: &mut Dice) -> RecordedKind {
        let port = End::switch(SwitchId(0), u16::try_from(dice.below(4)).unwrap());
        let (obeyed, paused) = (dice.below(4) > 0, u8::from(dice.below(2) == 0) << 3);
        RecordedKind::Pause {
            port,
            obeyed,
            says: PauseFrame { priorities: 1 << 3, paused, quanta: u16::MAX },
        }
    }

    /// Events such as a fabric of four ports reports: worms start, act and end; some are reported late.
    fn random_events(dice: &mut Dice) -> Vec<RecordedEvent> {
        let port = |nth: u64| End::switch(SwitchId(0), u16::try_from(nth).unwrap());
        let (mut alive, mut open, mut events) = (Vec::new(), Vec::new(), Vec::new());
        let (mut now, mut worms, mut deadlocks) = (0, 0, 0);
        for _ in 0..dice.below(400) {
            now += dice.below(3);
            let at = now;
            let mut report = |at, what| events.push(RecordedEvent { at, what });
            let nth = usize::try_from(dice.below(alive.len().max(1) as u64)).unwrap();
            // A worm that starts in this cycle is nowhere else yet.
            let acts = alive.get(nth).is_some_and(|(_, since)| *since < now);
            match dice.below(14) {
                0 | 1 => {
                    let name = format!("w{worms}");
                    let port = End::host(HostId(0), 0);
                    let start = WormStart { worm: worms, port, name, turns: 1, payload: 8 };
                    report(at, RecordedKind::Start(Box::new(start)));
                    alive.push((worms, now));
                    worms += 1;
                }
                2..=5 if acts => {
                    let (worm, since) = alive[nth];
                    let nth = usize::try_from(dice.below(4)).expect("few");
                    let step = [Step::Arrive, Step::Wait, Step::Grant, Step::Reset][nth];
                    let (input, output) = (port(dice.below(4)), port(dice.below(4)));
                    // A release is reported late.
                    let (step, at) = if dice.below(4) == 0 {
                        (Step::Release, since.max(now.saturating_sub(dice.below(5))))
                    } else {
                        (step, at)
                    };
                    let (node, input, output) = (input.node, input.port, output.port);
                    report(at, RecordedKind::Step { step, worm, node, input, output });
                }
                6 if !alive.is_empty() => {
                    let (worm, _) = alive.swap_remove(nth);
                    report(at, RecordedKind::End(worm, Ok(HostId(0))));
                }
                7 => {
                    let flow =
                        Flow { occupancy: u32::try_from(dice.below(99)).unwrap(), inflow: 1, outflow: 1 };
                    report(at, RecordedKind::Flow(port(dice.below(4)), flow));
                }
                8 => report(at, RecordedKind::Control(port(dice.below(4)), dice.below(2) == 0)),
                9 => report(at, RecordedKind::Cable(LinkId(0), dice.below(2) == 0)),
                10 if dice.below(4) == 0 && !alive.is_empty() => {
                    let members = vec![(alive[nth].0, port(0), port(1))];
                    report(at, RecordedKind::Deadlock(Box::new(DeadlockStart { nth: deadlocks, members })));
                    open.push((deadlocks, now));
                    deadlocks += 1;
                }
                12 => report(at, random_pause(dice)),
                13 if dice.below(4) == 0 => {
                    let members = vec![(port(0), port(1))];
                    let circle = CircleStart { nth: deadlocks, priority: 3, members };
                    report(at, RecordedKind::Circle(Box::new(circle)));
                    open.push((deadlocks, now));
                    deadlocks += 1;
                }
                11 if open.first().is_some_and(|(_, formed)| *formed < now) => {
                    report(at, RecordedKind::Clear(open.remove(0).0, port(2)));
                }
                _ => {
                    let (port, source) = (port(0), HostId(0));
                    report(
                        at,
                        RecordedKind::Frame { port, arrives: true, source, destination: None, bytes: 64 },
                    );
                }
            }
        }
        events
    }

    /// The same by keeping everything: (events, how many of them were before, from, until).
    fn slowly(events: &[RecordedEvent], bounds: Bounds) -> (Vec<RecordedEvent>, Time, Option<Time>) {
        let mut all = events.to_vec();
        all.sort_by_key(RecordedEvent::key);
        let from = bounds.from.map_or(0, Time::as_ps);
        let until = bounds.until.map_or(u64::MAX, Time::as_ps);
        let begin = all.iter().filter(|event| event.at < from).count();
        let end = all.iter().filter(|event| event.at < until).count().max(begin);
        let most = usize::try_from(bounds.most).unwrap();
        let (first, last) = if bounds.around_deadlock {
            let half = most.div_ceil(2);
            let is_deadlock = |event: &RecordedEvent| event.what.is_deadlock();
            let deadlock = all[begin..end].iter().position(is_deadlock).map(|nth| begin + nth);
            let middle = deadlock.unwrap_or(end);
            (begin.max(middle.saturating_sub(half)), end.min(middle + half))
        } else {
            (begin, end.min(begin + most))
        };
        let mut kept = Vec::new();
        for (nth, event) in all[..first].iter().enumerate() {
            let later = &all[nth + 1..first];
            let matters = match &event.what {
                RecordedKind::End(..)
                | RecordedKind::Clear(..)
                | RecordedKind::Frame { .. }
                | RecordedKind::Pause { obeyed: false, .. }
                | RecordedKind::Send(_)
                | RecordedKind::Receive(_) => false,
                RecordedKind::Pause { port, .. } => {
                    let is_later = |it: &RecordedEvent| match &it.what {
                        RecordedKind::Pause { port: p, obeyed: true, .. } => p == port,
                        _ => false,
                    };
                    !later.iter().any(is_later)
                }
                RecordedKind::Start(_) | RecordedKind::Step { .. } => {
                    let own = event.worm();
                    let over = |it: &RecordedEvent| matches!(it.what, RecordedKind::End(worm, _) if Some(worm) == own);
                    !all[..first].iter().any(over)
                }
                RecordedKind::Flow(port, _) => {
                    !later.iter().any(|it| matches!(&it.what, RecordedKind::Flow(p, _) if p == port))
                }
                RecordedKind::Control(port, _) => {
                    !later.iter().any(|it| matches!(&it.what, RecordedKind::Control(p, _) if p == port))
                }
                RecordedKind::Cable(link, _) => {
                    !later.iter().any(|it| matches!(&it.what, RecordedKind::Cable(l, _) if l == link))
                }
                RecordedKind::Deadlock(_) | RecordedKind::Circle(_) => {
                    let number = event.key().2;
                    let clears = |it: &RecordedEvent| match it.what {
                        RecordedKind::Clear(nth, _) => u64::from(nth) == number,
                        _ => false,
                    };
                    !later.iter().any(clears)
                }
            };
            if matters {
                kept.push(event.clone());
            }
        }
        kept.extend_from_slice(&all[first..last]);
        let cut = (first > begin && first < last).then(|| Time::from_ps(all[first].at));
        let from = cut.unwrap_or(bounds.from.unwrap_or_default());
        (kept, from, all.get(last).map(|event| Time::from_ps(event.at)))
    }

    /// What a replay shows at the end of each instant from `from` on, before `until`: where worms are, what flows, who
    /// sent STOP, which cables are cut, which deadlocks stand.
    fn shown(events: &[RecordedEvent], from: Time, until: Option<Time>) -> Vec<(u64, String)> {
        let mut state: BTreeMap<(&str, u64), String> = BTreeMap::new();
        let (mut shown, mut events) = (Vec::new(), events.iter().peekable());
        while let Some(event) = events.next() {
            let text = format!("{:?}", event.what);
            match &event.what {
                RecordedKind::Start(start) => drop(state.insert(("worm", start.worm), text)),
                RecordedKind::Step { worm, .. } => state.entry(("worm", *worm)).or_default().push_str(&text),
                RecordedKind::End(worm, _) => drop(state.remove(&("worm", *worm))),
                RecordedKind::Flow(port, _) => drop(state.insert(("flow", u64::from(port.port.0)), text)),
                RecordedKind::Control(port, _) => drop(state.insert(("stop", u64::from(port.port.0)), text)),
                RecordedKind::Cable(..) => drop(state.insert(("cable", 0), text)),
                RecordedKind::Deadlock(formed) => drop(state.insert(("deadlock", formed.nth.into()), text)),
                RecordedKind::Circle(formed) => drop(state.insert(("deadlock", formed.nth.into()), text)),
                RecordedKind::Clear(nth, _) => drop(state.remove(&("deadlock", (*nth).into()))),
                RecordedKind::Pause { port, obeyed: true, .. } => {
                    drop(state.insert(("pause", u64::from(port.port.0)), text));
                }
                RecordedKind::Pause { .. } => {}
                RecordedKind::Send(_) | RecordedKind::Receive(_) | RecordedKind::Frame { .. } => {}
            }
            let ends = events.peek().is_none_or(|next| next.at > event.at);
            let is_within = event.at >= from.as_ps() && until.is_none_or(|until| event.at < until.as_ps());
            if ends && is_within {
                shown.push((event.at, format!("{state:?}")));
            }
        }
        shown
    }

    /// Wrong if bounds kept something else than what they say, with what matters of the time before, or if a replay
    /// of what they keep showed something else than a replay of everything.
    #[test]
    fn what_is_kept_is_what_bounds_say() {
        let mut kept_before = 0;
        for seed in 0..3_000 {
            let dice = &mut Dice(seed);
            let events = random_events(dice);
            let last = events.iter().map(|event| event.at).max().unwrap_or(0);
            let mut instant = || (dice.below(2) == 0).then(|| Time::from_ps(dice.below(last + 2)));
            let (from, until) = (instant(), instant());
            let until = until.filter(|until| *until > from.unwrap_or_default());
            let most = 1 + dice.below(events.len() as u64 + 2);
            let bounds = Bounds { from, until, most, around_deadlock: dice.below(2) == 0 };
            let mut bounded = Bounded::new(bounds);
            events.iter().for_each(|event| bounded.note(event.clone()));
            let fast = bounded.finish();
            let (slow, from, until) = slowly(&events, bounds);
            let text = |events: &[RecordedEvent]| {
                events.iter().map(|event| format!("{event:?}")).collect::<Vec<_>>()
            };
            let differ = text(&fast.events).into_iter().zip(text(&slow)).find(|(fast, slow)| fast != slow);
            assert_eq!(differ, None, "seed {seed}, {bounds:?}");
            assert_eq!(fast.events.len(), slow.len(), "seed {seed}, {bounds:?}");
            assert_eq!(fast.left_out, (events.len() - slow.len()) as u64, "seed {seed}");
            assert_eq!((fast.from, fast.until), (from, until), "seed {seed}, {bounds:?}");
            let mut all = events.clone();
            all.sort_by_key(RecordedEvent::key);
            assert!(shown(&fast.events, from, until) == shown(&all, from, until), "seed {seed}, {bounds:?}");
            kept_before += usize::from(slow.first().is_some_and(|event| event.at < from.as_ps()));
        }
        assert!(kept_before > 300, "{kept_before} logs begin with what came before");
    }

    /// Wrong if a ring or a count held much more than it keeps.
    #[test]
    fn what_is_kept_needs_no_more_room_than_bounds_say() {
        for around_deadlock in [false, true] {
            let mut bounded = Bounded::new(Bounds { most: 100, around_deadlock, ..Bounds::default() });
            for at in 0..100_000 {
                bounded.note(RecordedEvent {
                    at,
                    what: RecordedKind::Control(End::host(HostId(0), 0), at % 2 == 0),
                });
                let held = match &bounded.keep {
                    Keep::First(first) => first.kept.len(),
                    Keep::Around { past, future, .. } => past.kept.len() + future.kept.len(),
                };
                assert!(held <= 100 + slack(100), "{held} events are held");
            }
        }
    }
}
