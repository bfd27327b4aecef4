//! Events reported to observers, in order of time.
//!
//! The fabric skips what has no effect: a run of flits ends without an event, and a tail may have left a port long
//! before the port is evaluated again. With an observer, such events are foreseen here and reported in time: before
//! the first cycle after theirs, or before the run returns. Nothing here changes the state of the fabric, and without
//! an observer nothing is done.
//!
//! ```text
//!   P4: evaluate --> what flows in this cycle is settled --> [report_port] --> reported; next change foreseen
//!                                                                                | by itself, later
//!   next cycle run  <--- all foreseen before it is reported  <---  agenda  <----+
//! ```

use super::endpoint::{Flow, Observer, WormId};
use super::engine::Engine;
use super::ports::{NEVER, NONE, State};
use super::runs::Run;
use simnet_base::des::agenda::{Agenda, Due};
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;
use simnet_network::topology::End;

/// What has been reported, and what is foreseen.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// Per input port; empty without an observer.
    ports: Vec<ReportedPort>,
    /// The plugs by their numbers, as [`Wiring::end`](super::wiring::Wiring::end) finds
    /// them; empty without an observer.
    ends: Vec<End>,
    /// What is foreseen at a port, by cycle; within one, in the order in which it is to be reported.
    agenda: Agenda<(), (What, u32), u64>,
    /// How many deadlocks have been reported, and which of them are not cleared.
    deadlocks: usize,
    standing: Vec<usize>,
}

/// What has been reported of an input port.
#[derive(Clone, Copy, Debug)]
struct ReportedPort {
    reported: Stretch,
    /// When to look again at what flows: it may change by itself then.
    changes: u64,
    /// When the tail in front will leave, if nothing happens before.
    leaves: u64,
    /// The worm that holds an output here and whose release has not been reported.
    holder: Option<WormId>,
    /// Whether it has been reported that the head in front waits.
    waits: bool,
}

const UNREPORTED: ReportedPort =
    ReportedPort { reported: Stretch::EMPTY, changes: NEVER, leaves: NEVER, holder: None, waits: false };

/// Something foreseen, in the order in which it is to be reported.
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
        debug_assert!(before <= run.left, "no more flits come than the run has");
        if run.left == before {
            return (Pace::NOTHING, before);
        }
        let next = run.at(before);
        debug_assert!(next >= at, "the flits before a cycle are counted");
        (Pace { next, period: run.period }, before)
    }

    /// The same from cycle `at` on, and the flits before.
    fn from(self, at: u64) -> (Pace, u64) {
        if at <= self.next {
            return (self, 0);
        }
        debug_assert!(self.period > 0, "what flows has a pace");
        let before = (at - 1 - self.next) / self.period + 1;
        let next = self.next + before * self.period;
        debug_assert!((at..at + self.period).contains(&next), "no flit is left out, none is counted twice");
        (Pace { next, ..self }, before)
    }
}

impl Stretch {
    const EMPTY: Stretch = Stretch { occupancy: 0, inflow: Pace::NOTHING, outflow: Pace::NOTHING };

    /// What follows of this from cycle `at` on, if nothing else is reported.
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
    /// There is an observer from now on.
    pub(super) fn begin_to_watch(&mut self) {
        self.reported.ports.resize(self.ins.len(), UNREPORTED);
        if self.reported.ends.is_empty() {
            let ports = u32::try_from(self.wiring.ports()).expect("a port's number");
            self.reported.ends = (0..ports).map(|port| self.wiring.end(port)).collect();
        }
        self.schedule_turns();
    }

    /// Who a worm is, for observers.
    pub(super) fn identity(&self, worm: u32) -> WormId {
        let message = self.worms.message(worm);
        debug_assert!(message.serial < self.starts, "only what has started is reported");
        WormId { serial: message.serial, source: HostId(message.source), tag: message.tag }
    }

    /// The plug with number `port`. Costs O(1).
    fn end(&self, port: u32) -> End {
        self.reported.ends[port as usize]
    }

    /// The plug of an input port; of a transmitter that of its host's cable.
    fn plug(&self, port: u32, out: u32) -> End {
        debug_assert!(port < self.transmitters || out != NONE, "a transmitter holds its host's output");
        self.end(if port < self.transmitters { port } else { out })
    }

    /// The worm in front of `port` holds an output from now on.
    pub(super) fn note_holder(&mut self, port: u32) {
        debug_assert!(
            self.reported.ports[port as usize].holder.is_none(),
            "what was held before is released"
        );
        let entry = &self.ins[port as usize];
        debug_assert!(
            entry.state == State::Connected && self.outs[entry.out as usize].owner == port,
            "who holds an output owns it"
        );
        self.reported.ports[port as usize].holder = Some(self.identity(self.ins[port as usize].front));
    }

    /// The worm in front of `port` holds `out` no longer: its tail has left in cycle `at`, or it is destroyed.
    pub(super) fn report_release<O: Observer>(&mut self, port: u32, out: u32, at: u64, observer: &mut O) {
        debug_assert!(at <= self.now, "what is reported has happened");
        debug_assert!(self.outs[out as usize].owner == port, "what is released has been held up to now");
        if let Some(worm) = self.reported.ports[port as usize].holder.take() {
            observer.released(Cycle(at), self.plug(port, out), self.end(out), worm);
        }
    }

    /// A head will arrive that has no event in the calendar.
    pub(super) fn foresee_arrival(&mut self, port: u32, worm: u32, at: u64) {
        debug_assert!(at > self.now, "what is foreseen lies ahead");
        let what = What::Arrival(self.identity(worm));
        self.reported.agenda.schedule_in(at, (what, port), ());
        if port < self.transmitters {
            self.look_at(port, at);
        }
    }

    /// A head has requested an output in this cycle; `waits`: it has been reported that it waits.
    pub(super) fn note_request(&mut self, port: u32, waits: bool) {
        debug_assert!(
            self.ins[port as usize].state == State::Waiting,
            "a head that has asked waits, if not for long"
        );
        self.reported.ports[port as usize].waits = waits;
    }

    /// P3c: an output has been granted; the others that have requested it in this cycle wait.
    pub(super) fn report_waiting<O: Observer>(&mut self, out: u32, node: u32, t: u64, observer: &mut O) {
        debug_assert!(self.outs[out as usize].owner != NONE, "what has been granted is owned");
        let unit = &self.switches[node as usize];
        debug_assert!(self.ins[out as usize].node == node, "heads wait at the switch of their output");
        for port in unit.base..unit.base + u32::from(unit.ports) {
            let entry = &self.ins[port as usize];
            let waits = entry.state == State::Waiting && entry.out == out;
            if waits && !std::mem::replace(&mut self.reported.ports[port as usize].waits, true) {
                let (input, output) = (self.end(port), self.end(out));
                observer.waits(Cycle(t), input, output, self.identity(entry.front));
            }
        }
    }

    /// After P4: reports what leaves and flows at a port in cycle `t`, before it is accounted to the end of it.
    pub(super) fn report_port<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        debug_assert!(t == self.now, "a port is reported in the cycle that changes it");
        let entry = &self.ins[port as usize];
        if entry.t > t {
            self.report_port_after(port, t, observer);
            return;
        }
        if entry.state == State::Connected && entry.exit != NEVER {
            let (out, exit) = (entry.out, entry.exit);
            if exit == t {
                self.report_release(port, out, t, observer);
            } else if exit > t
                && std::mem::replace(&mut self.reported.ports[port as usize].leaves, exit) != exit
            {
                // A tail that left before this cycle did so before there was an observer.
                self.reported.agenda.schedule_in(exit, (What::Release, port), ());
            }
        }
        if port < self.transmitters {
            self.report_flow(port, t, observer);
        }
    }

    /// The port is accounted to the end of cycle `t` already, or to the arrival of a head: what flows then is seen when
    /// that has come. What was destroyed at the end of the cycle is reported now, as if nothing had flowed in it.
    fn report_port_after<O: Observer>(&mut self, port: u32, t: u64, observer: &mut O) {
        debug_assert!(self.ins[port as usize].t > t, "it is accounted for beyond this cycle");
        if port >= self.transmitters {
            return;
        }
        let (at, occupancy) = (self.ins[port as usize].t, u64::from(self.ins[port as usize].occ));
        let end = self.end(port);
        let reported = &mut self.reported.ports[port as usize].reported;
        if reported.from(at).occupancy != occupancy {
            *reported = Stretch { occupancy, ..Stretch::EMPTY };
            observer.flow(Cycle(t), end, reported.flow());
        }
        self.look_at(port, at);
    }

    /// Reports what flows from cycle `at` on, if it does not follow from what was reported.
    fn report_flow<O: Observer>(&mut self, port: u32, at: u64, observer: &mut O) {
        debug_assert!(port < self.transmitters, "what a transmitter holds is no one's to see");
        let (stretch, changes) = self.stretch(port, at);
        debug_assert!(changes > at, "what flows now changes later");
        debug_assert!(
            stretch.occupancy <= u64::from(self.switch.buffer) || port >= self.switch_ports,
            "no more is in a buffer than it holds"
        );
        let end = self.end(port);
        let reported = &mut self.reported.ports[port as usize].reported;
        if reported.from(at) != stretch {
            *reported = stretch;
            observer.flow(Cycle(at), end, stretch.flow());
        }
        self.reported.ports[port as usize].changes = NEVER;
        self.look_at(port, changes);
    }

    /// What flows at a port is to be looked at in cycle `at`, unless it is before.
    fn look_at(&mut self, port: u32, at: u64) {
        let changes = &mut self.reported.ports[port as usize].changes;
        if at < *changes {
            *changes = at;
            self.reported.agenda.schedule_in(at, (What::Flow, port), ());
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
        debug_assert!(left <= u64::from(entry.occ) + arrived, "what leaves a buffer was in it");
        let occupancy = u64::from(entry.occ) + arrived - left;
        (Stretch { occupancy, inflow, outflow }, ends.min().unwrap_or(NEVER))
    }

    /// Reports all that was foreseen for cycles before `t` and has come.
    pub(super) fn report_before<O: Observer>(&mut self, t: u64, observer: &mut O) {
        let Some(before) = t.checked_sub(1) else { return };
        while let Some(Due { at, phase: (what, port), .. }) = self.reported.agenda.pop_due(Some(before)) {
            match what {
                What::Arrival(worm) => self.report_arrival(port, worm, at, observer),
                What::Flow => {
                    if self.reported.ports[port as usize].changes == at {
                        self.report_flow(port, at, observer);
                    }
                }
                What::Release => {
                    let entry = &self.ins[port as usize];
                    if entry.state == State::Connected && entry.exit == at {
                        self.report_release(port, entry.out, at, observer);
                    }
                }
            }
        }
    }

    /// P1: reports the heads that arrive in `t` without an event of their own.
    pub(super) fn report_arrivals<O: Observer>(&mut self, t: u64, observer: &mut O) {
        while let Some(&Due { at, phase: (What::Arrival(worm), port), .. }) = self.reported.agenda.peek()
            && at == t
        {
            self.reported.agenda.pop();
            self.report_arrival(port, worm, at, observer);
        }
        debug_assert!(self.reported.agenda.next().is_none_or(|next| next >= t), "nothing is reported late");
    }

    /// Reports a head that was to arrive in cycle `at`, if it has.
    fn report_arrival<O: Observer>(&self, port: u32, worm: WormId, at: u64, observer: &mut O) {
        let entry = &self.ins[port as usize];
        let has_come = if self.is_sink(port) {
            // What is in transit there is never taken back, cables do not fail.
            !self.is_lost(port, at)
        } else {
            entry.state == State::Routing && entry.segments == 1 && entry.t == at
        };
        debug_assert!(
            !has_come || self.is_sink(port) || self.identity(entry.front) == worm,
            "what was foreseen is what has come"
        );
        if has_come {
            observer.arrived(Cycle(at), self.end(port), worm);
        }
    }

    /// The end of cycle `t`: deadlocks that were broken, and those that have formed.
    pub(super) fn report_deadlocks<O: Observer>(&mut self, observer: &mut O) {
        let found = &self.watch.found;
        self.reported.standing.retain(|nth| match found[*nth].cleared {
            Some(cleared) => {
                observer.cleared(cleared.at, *nth, cleared.output);
                false
            }
            None => true,
        });
        while self.reported.deadlocks < self.watch.found.len() {
            let nth = self.reported.deadlocks;
            let deadlock = &self.watch.found[nth];
            let front = |end: End| self.ins[self.wiring.port(end) as usize].front;
            let worms: Vec<WormId> =
                deadlock.members.iter().map(|member| self.identity(front(member.input))).collect();
            debug_assert!(deadlock.cleared.is_none(), "a deadlock is reported before it is broken");
            observer.deadlocked(deadlock.formed, nth, &deadlock.members, &worms);
            self.reported.deadlocks += 1;
            self.reported.standing.push(nth);
        }
        debug_assert!(
            self.reported.standing.is_empty() != self.watch.has_members(),
            "ports are in deadlocks as long as one stands"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if flits before an instant were miscounted: by hand, they come in cycles 10, 13, 16.
    #[test]
    fn the_flits_before_a_cycle_are_counted() {
        let pace = Pace { next: 10, period: 3 };
        for (at, next, before) in
            [(9, 10, 0), (10, 10, 0), (11, 13, 1), (13, 13, 1), (14, 16, 2), (17, 19, 3)]
        {
            assert_eq!(pace.from(at), (Pace { next, period: 3 }, before), "from cycle {at} on");
        }
    }
}
