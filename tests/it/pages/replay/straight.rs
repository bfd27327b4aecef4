//! The state of a network after some events of a log, in the most straightforward way: all of them, from the first.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use simnet::fabric::Flow;
use simnet::ids::Node;
use simnet::topology::{End, Network};
use simnet::trace::{Event, EventKind};

/// Picoseconds of a base cycle, as cases have it.
pub(crate) const CYCLE_PS: u64 = 6_250;

/// The number of a port by its cable.
pub(crate) fn place(network: &Network, end: End) -> u64 {
    let link = network.link_at(end).expect("only cabled ports are told of");
    2 * u64::from(link.0) + u64::from(network.link(link).a != end)
}

/// All that is known.
#[derive(Default)]
struct State {
    numbers: BTreeMap<u32, u64>,
    flows: BTreeMap<u64, (u64, Flow)>,
    /// Per buffer its worms in order, each with the cycle from which on it is gone.
    queues: BTreeMap<u64, Vec<(u64, Option<u64>)>>,
    owners: BTreeMap<u64, (u64, u64)>,
    tails: BTreeMap<u64, (u64, u64)>,
    stops: BTreeSet<u64>,
    /// By place, the priorities that it has paused.
    paused: BTreeMap<u64, u8>,
    waits: BTreeMap<u64, (u64, u64)>,
    alive: BTreeSet<u64>,
    struck: BTreeSet<u64>,
    deadlocks: BTreeSet<u32>,
    down: BTreeSet<u32>,
    delivered: u64,
    destroyed: u64,
    resets: u64,
}

/// The state after `events` at cycle `time`. `whole`: all events of the scene, which say which ports have buffers.
pub(crate) fn state(network: &Network, whole: &[Event], events: &[Event], time: u64) -> Value {
    let buffered: BTreeSet<u64> = whole
        .iter()
        .filter_map(|event| match &event.what {
            EventKind::Flow { port, .. } => Some(place(network, *port)),
            _ => None,
        })
        .collect();
    let mut state = State::default();
    for event in events {
        state.apply(network, &buffered, event.at.as_ps() / CYCLE_PS, &event.what);
    }
    state.shown(time)
}

impl State {
    fn worm(&mut self, worm: u32) -> u64 {
        let next = self.numbers.len() as u64;
        *self.numbers.entry(worm).or_insert(next)
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind of event")]
    fn apply(&mut self, network: &Network, buffered: &BTreeSet<u64>, now: u64, what: &EventKind) {
        let at = |end: &End| place(network, *end);
        match what {
            EventKind::Start { worm, port, .. } => {
                let worm = self.worm(*worm);
                self.alive.insert(worm);
                self.owners.insert(at(port), (worm, at(port)));
            }
            EventKind::Arrive { worm, port } => {
                let worm = self.worm(*worm);
                if buffered.contains(&at(port)) {
                    self.queues.entry(at(port)).or_default().push((worm, None));
                }
                self.waits.remove(&worm);
            }
            EventKind::Wait { worm, input, output } => {
                let worm = self.worm(*worm);
                self.in_front(at(input), worm);
                self.waits.insert(worm, (at(input), at(output)));
            }
            EventKind::Grant { worm, input, output } => {
                let worm = self.worm(*worm);
                self.in_front(at(input), worm);
                self.waits.remove(&worm);
                self.owners.insert(at(output), (worm, at(input)));
            }
            EventKind::Release { worm, input, output } => {
                let worm = self.worm(*worm);
                if self.owners.get(&at(output)).is_some_and(|(owner, _)| *owner == worm) {
                    self.owners.remove(&at(output));
                    self.tails.insert(at(output), (worm, now));
                }
                let queue = self.queues.entry(at(input)).or_default();
                let leaving = queue.iter_mut().find(|(other, until)| *other == worm && until.is_none());
                if let Some((_, until)) = leaving
                    && matches!(input.node, Node::Switch(_))
                    && !self.struck.contains(&worm)
                {
                    *until = Some(now + 1);
                }
            }
            EventKind::Flow { port, flow } => {
                self.flows.insert(at(port), (now, *flow));
            }
            EventKind::Control { port, stop: true } => {
                self.stops.insert(at(port));
            }
            EventKind::Control { port, stop: false } => {
                self.stops.remove(&at(port));
            }
            EventKind::Reset { worm, .. } => {
                let worm = self.worm(*worm);
                self.strike(worm, now);
                self.resets += 1;
            }
            EventKind::Deadlock { nth, members } => {
                members.iter().for_each(|(worm, ..)| {
                    self.worm(*worm);
                });
                self.deadlocks.insert(*nth);
            }
            EventKind::Circle { nth, .. } => {
                self.deadlocks.insert(*nth);
            }
            EventKind::Pause { port, obeyed: true, says } => {
                let far = at(port) ^ 1;
                let paused = self.paused.entry(far).or_default();
                *paused = *paused & !says.priorities | says.paused;
                if *paused == 0 {
                    self.stops.remove(&far);
                } else {
                    self.stops.insert(far);
                }
            }
            EventKind::Pause { .. } => {}
            EventKind::Clear { nth, .. } => {
                self.deadlocks.remove(nth);
            }
            EventKind::End { worm, fate } => {
                let worm = self.worm(*worm);
                self.end(worm);
                self.delivered += u64::from(fate.is_ok());
                self.destroyed += u64::from(fate.is_err());
            }
            EventKind::Cable { link, up: true } => {
                self.down.remove(&link.0);
                // Both ends begin anew, without a STOP.
                for place in [0, 1] {
                    self.stops.remove(&(2 * u64::from(link.0) + place));
                }
            }
            EventKind::Cable { link, up: false } => self.fail(link.0, now),
            EventKind::Send(_) | EventKind::Receive(_) | EventKind::Frame { .. } => {}
        }
    }

    /// Whatever stands before the worm in a buffer is gone: its head is in front.
    fn in_front(&mut self, place: u64, worm: u64) {
        let queue = self.queues.entry(place).or_default();
        if let Some(nth) = queue.iter().position(|entry| *entry == (worm, None)) {
            queue.drain(..nth);
        }
    }

    fn strike(&mut self, worm: u64, now: u64) {
        self.struck.insert(worm);
        for (other, until) in self.queues.values_mut().flatten() {
            // What has left for good before is not brought back.
            if *other == worm && until.is_some_and(|until| until > now) {
                *until = None;
            }
        }
    }

    fn fail(&mut self, link: u32, now: u64) {
        self.down.insert(link);
        for place in [2 * u64::from(link), 2 * u64::from(link) + 1] {
            let owner = self.owners.get(&place).map(|(worm, _)| *worm);
            let left = self.tails.get(&place).filter(|(_, at)| *at == now).map(|(worm, _)| *worm);
            if let Some(worm) = owner.or(left).filter(|worm| self.alive.contains(worm)) {
                self.strike(worm, now);
            }
        }
    }

    fn end(&mut self, worm: u64) {
        self.alive.remove(&worm);
        self.struck.remove(&worm);
        self.waits.remove(&worm);
        self.owners.retain(|_, (owner, _)| *owner != worm);
        self.queues.values_mut().for_each(|queue| queue.retain(|(other, _)| *other != worm));
    }

    fn shown(&self, time: u64) -> Value {
        let mut buffers = serde_json::Map::new();
        let places: BTreeSet<u64> =
            self.flows.keys().chain(self.queues.keys()).chain(&self.stops).copied().collect();
        for place in places {
            let flits = self.flows.get(&place).map_or(0, |(since, flow)| held(*since, flow, time));
            let queue = self.queues.get(&place).map_or(&[][..], Vec::as_slice);
            let worms = queue.iter().filter(|(_, until)| until.is_none_or(|until| until > time));
            let worms: Vec<u64> = worms.map(|(worm, _)| *worm).collect();
            let stop = self.stops.contains(&place);
            if flits > 0 || !worms.is_empty() || stop {
                buffers.insert(place.to_string(), json!({"flits": flits, "worms": worms, "stop": stop}));
            }
        }
        json!({
            "buffers": buffers, "outputs": self.owners, "waiting": self.waits, "alive": self.alive,
            "deadlocks": self.deadlocks, "down": self.down, "delivered": self.delivered,
            "destroyed": self.destroyed, "resets": self.resets,
        })
    }
}

/// Whole flits in a buffer whose flow has been so since a cycle.
fn held(since: u64, flow: &Flow, time: u64) -> u64 {
    let wide = |number: u32| i128::from(number.max(1));
    let cycles = i128::from(time) - i128::from(since);
    let (inflow, outflow) = (wide(flow.inflow), wide(flow.outflow));
    let arrived = if flow.inflow > 0 { cycles * outflow } else { 0 };
    let left = if flow.outflow > 0 { cycles * inflow } else { 0 };
    let sum = i128::from(flow.occupancy) * inflow * outflow + arrived - left;
    u64::try_from(sum.div_euclid(inflow * outflow).max(0)).unwrap()
}
