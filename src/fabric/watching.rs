//! What those who watch are told, and when.
//!
//! The fabric leaves undone what nobody cares for: a run of flits ends without an event, and a tail may have left a
//! port long before anybody looks at the port again. Where somebody watches, such things are foreseen here and told
//! in time: before the first cycle after theirs, or before the run comes back. Nothing here changes the state of
//! the fabric, and nothing is done where nobody watches.
//!
//! ```text
//!   P4: evaluate --> what flows in this cycle is settled --> [witness] --> told; next change foreseen
//!                                                                             | by itself, later
//!   next cycle run  <--- all foreseen before it is told  <---  agenda  <-----+
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::endpoint::{Flow, Observer, WormId};
use super::engine::Engine;
use super::ports::{NEVER, State};
use super::runs::Run;
use crate::ids::HostId;
use crate::topology::End;
use crate::units::Cycle;

/// What has been told, and what is foreseen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Per input port; empty where nobody has watched yet.
    ports: Vec<SeenPort>,
    agenda: BinaryHeap<Reverse<Due>>,
    /// How many deadlocks have been told, and which of them still stand.
    deadlocks: usize,
    standing: Vec<usize>,
}

/// What has been told of an input port.
#[derive(Clone, Copy, Debug)]
struct SeenPort {
    told: Stretch,
    /// When to look again at what flows: it may change by itself then.
    changes: u64,
    /// When the tail in front will leave, if nothing happens before.
    leaves: u64,
    /// The worm that holds an output here and whose release has not been told.
    holder: Option<WormId>,
    /// Whether it has been told that the head in front waits.
    waits: bool,
}

const UNSEEN: SeenPort =
    SeenPort { told: Stretch::EMPTY, changes: NEVER, leaves: NEVER, holder: None, waits: false };

/// Something foreseen; in order of time, then as it is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    at: u64,
    what: What,
    port: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// This head arrives.
    Arrival(WormId),
    /// What flows changes.
    Flow,
    /// The tail in front leaves.
    Release,
}

/// Flits evenly spaced, without an end in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    /// The next flit; [`NEVER`] if none flows.
    next: u64,
    /// 0 if none flows.
    period: u64,
}

/// What is in a buffer at the beginning of a cycle, and what flows from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    occupancy: u64,
    inflow: Pace,
    outflow: Pace,
}

impl Pace {
    const NOTHING: Pace = Pace { next: NEVER, period: 0 };

    /// What is left of a run from cycle `at` on, and the flits before.
    fn of(run: Run, at: u64) -> (Pace, u64) {
        let before = if at == 0 { 0 } else { run.until(at - 1) };
        if run.left == before {
            return (Pace::NOTHING, before);
        }
        (Pace { next: run.at(before), period: run.period }, before)
    }

    /// The same from cycle `at` on, and the flits before.
    fn from(self, at: u64) -> (Pace, u64) {
        if at <= self.next {
            return (self, 0);
        }
        let before = (at - 1 - self.next) / self.period + 1;
        (Pace { next: self.next + before * self.period, ..self }, before)
    }
}

impl Stretch {
    const EMPTY: Stretch = Stretch { occupancy: 0, inflow: Pace::NOTHING, outflow: Pace::NOTHING };

    /// What those who were told this take it to be from cycle `at` on.
    fn from(self, at: u64) -> Stretch {
        let ((inflow, arrived), (outflow, left)) = (self.inflow.from(at), self.outflow.from(at));
        let occupancy = self.occupancy.wrapping_add(arrived).wrapping_sub(left);
        Stretch { occupancy, inflow, outflow }
    }

    fn flow(&self) -> Flow {
        let narrow = |number: u64| u32::try_from(number).expect("a period or a buffer's flits");
        Flow {
            occupancy: narrow(self.occupancy),
            inflow: narrow(self.inflow.period),
            outflow: narrow(self.outflow.period),
        }
    }
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Somebody watches from now on.
    pub(super) fn begin_to_watch(&mut self) {
        self.seen.ports.resize(self.ins.len(), UNSEEN);
    }

    /// Who a worm is, for those who watch.
    pub(super) fn identity(&self, worm: u32) -> WormId {
        let message = self.worms.message(worm);
        WormId { serial: message.serial, source: HostId(message.source), tag: message.tag }
    }

    /// The plug of an input port; of a transmitter that of its host's cable.
    fn plug(&self, port: u32, out: u32) -> End {
        self.wiring.end(if port < self.transmitters { port } else { out })
    }

    /// The worm in front of `port` holds an output from now on.
    pub(super) fn note_holder(&mut self, port: u32) {
        self.seen.ports[port as usize].holder = Some(self.identity(self.ins[port as usize].front));
    }

    /// The worm in front of `port` holds `out` no longer: its tail has left in cycle `at`, or it is destroyed.
    pub(super) fn tell_release<O: Observer>(&mut self, port: u32, out: u32, at: u64, observer: &mut O) {
        if let Some(worm) = self.seen.ports[port as usize].holder.take() {
            observer.released(Cycle(at), self.plug(port, out), self.wiring.end(out), worm);
        }
    }

    /// A head that nobody has entered into the calendar will arrive.
    pub(super) fn foresee_arrival(&mut self, port: u32, worm: u32, at: u64) {
        let what = What::Arrival(self.identity(worm));
        self.seen.agenda.push(Reverse(Due { at, what, port }));
        if port < self.transmitters {
            self.look_at(port, at);
        }
    }

    /// A head has asked for an output in this cycle; `waits`: it has been told that it waits.
    pub(super) fn note_request(&mut self, port: u32, waits: bool) {
        self.seen.ports[port as usize].waits = waits;
    }

    /// P3c: an output has been granted; the others that have asked for it in this cycle wait.
    pub(super) fn tell_waiting<O: Observer>(&mut self, out: u32, node: u32, t: u64, observer: &mut O) {
        let unit = &self.switches[node as usize];
        for port in unit.base..unit.base + u32::from(unit.ports) {
            let entry = &self.ins[port as usize];
            let waits = entry.state == State::Waiting && entry.out == out;
            if waits && !std::mem::replace(&mut self.seen.ports[port as usize].waits, true) {
                let (input, output) = (self.wiring.end(port), self.wiring.end(out));
                observer.waits(Cycle(t), input, output, self.identity(entry.front));
            }
        }
    }

    /// After P4: tells what leaves and flows at a port in cycle `t`, before it is accounted to the end of it.
    pub(super) fn witness<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        let entry = &self.ins[port as usize];
        if entry.t > t {
            self.witness_end(port, t, observer);
            return;
        }
        if entry.state == State::Connected && entry.exit != NEVER {
            let (out, exit) = (entry.out, entry.exit);
            if exit == t {
                self.tell_release(port, out, t, observer);
            } else if std::mem::replace(&mut self.seen.ports[port as usize].leaves, exit) != exit {
                self.seen.agenda.push(Reverse(Due { at: exit, what: What::Release, port }));
            }
        }
        if port < self.transmitters {
            self.tell_flow(port, t, observer);
        }
    }

    /// The port is accounted to the end of cycle `t` already, or to the arrival of a head: what flows then is seen when
    /// that has come. What was destroyed at the end of the cycle is told now, as if nothing had flowed in it.
    fn witness_end<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        if port >= self.transmitters {
            return;
        }
        let (at, occupancy) = (self.ins[port as usize].t, u64::from(self.ins[port as usize].occ));
        let told = &mut self.seen.ports[port as usize].told;
        if told.from(at).occupancy != occupancy {
            *told = Stretch { occupancy, ..Stretch::EMPTY };
            observer.flow(Cycle(t), self.wiring.end(port), told.flow());
        }
        self.look_at(port, at);
    }

    /// Tells what flows from cycle `at` on, if that is not what it is taken to be.
    fn tell_flow<O: Observer>(&mut self, port: u32, at: u64, observer: &mut O) {
        let (stretch, changes) = self.stretch(port, at);
        let told = &mut self.seen.ports[port as usize].told;
        if told.from(at) != stretch {
            *told = stretch;
            observer.flow(Cycle(at), self.wiring.end(port), stretch.flow());
        }
        self.seen.ports[port as usize].changes = NEVER;
        self.look_at(port, changes);
    }

    /// What flows at a port is to be looked at in cycle `at`, unless it is before.
    fn look_at(&mut self, port: u32, at: u64) {
        let changes = &mut self.seen.ports[port as usize].changes;
        if at < *changes {
            *changes = at;
            self.seen.agenda.push(Reverse(Due { at, what: What::Flow, port }));
        }
    }

    /// What is in a port's buffer at the beginning of cycle `at` and flows from then on, and when that ends by
    /// itself.
    fn stretch(&self, port: u32, at: u64) -> (Stretch, u64) {
        let entry = &self.ins[port as usize];
        if entry.t > at {
            // Nothing is there before the head for which the port is reserved.
            return (Stretch::EMPTY, entry.t);
        }
        let (inflow, outflow) = self.runs(port);
        let end = |run: Run| if run.left == 0 { NEVER } else { run.at(run.left - 1) + 1 };
        let ends = [inflow, outflow].map(end).into_iter().filter(|end| *end > at);
        let ((inflow, arrived), (outflow, left)) = (Pace::of(inflow, at), Pace::of(outflow, at));
        let occupancy = u64::from(entry.occ) + arrived - left;
        (Stretch { occupancy, inflow, outflow }, ends.min().unwrap_or(NEVER))
    }

    /// Tells all that was foreseen for cycles before `t` and has come.
    pub(super) fn tell_before<O: Observer>(&mut self, t: u64, observer: &mut O) {
        while let Some(Reverse(due)) = self.seen.agenda.peek().copied()
            && due.at < t
        {
            self.seen.agenda.pop();
            let Due { at, what, port } = due;
            match what {
                What::Arrival(worm) => self.tell_arrival(port, worm, at, observer),
                What::Flow => {
                    if self.seen.ports[port as usize].changes == at {
                        self.tell_flow(port, at, observer);
                    }
                }
                What::Release => {
                    let entry = &self.ins[port as usize];
                    if entry.state == State::Connected && entry.exit == at {
                        self.tell_release(port, entry.out, at, observer);
                    }
                }
            }
        }
    }

    /// P1: tells of the heads that arrive in `t` without an event of their own.
    pub(super) fn tell_arrivals<O: Observer>(&mut self, t: u64, observer: &mut O) {
        while let Some(Reverse(Due { at, what: What::Arrival(worm), port })) =
            self.seen.agenda.peek().copied()
            && at == t
        {
            self.seen.agenda.pop();
            self.tell_arrival(port, worm, at, observer);
        }
    }

    /// Tells of a head that was to arrive in cycle `at`, if it has.
    fn tell_arrival<O: Observer>(&self, port: u32, worm: WormId, at: u64, observer: &mut O) {
        let entry = &self.ins[port as usize];
        let has_come = if self.is_sink(port) {
            !self.is_lost(port, at)
        } else {
            entry.state == State::Routing && entry.segments == 1 && entry.t == at
        };
        if has_come {
            observer.arrived(Cycle(at), self.wiring.end(port), worm);
        }
    }

    /// The end of cycle `t`: deadlocks that were broken, and those that have formed.
    pub(super) fn tell_deadlocks<O: Observer>(&mut self, observer: &mut O) {
        let found = &self.watch.found;
        self.seen.standing.retain(|nth| match found[*nth].cleared {
            Some(cleared) => {
                observer.cleared(cleared.at, *nth, cleared.output);
                false
            }
            None => true,
        });
        while self.seen.deadlocks < self.watch.found.len() {
            let nth = self.seen.deadlocks;
            let deadlock = &self.watch.found[nth];
            let front = |end: End| self.ins[self.wiring.port(end) as usize].front;
            let worms: Vec<WormId> =
                deadlock.members.iter().map(|member| self.identity(front(member.input))).collect();
            observer.deadlocked(deadlock.formed, nth, &deadlock.members, &worms);
            self.seen.deadlocks += 1;
            self.seen.standing.push(nth);
        }
    }
}
