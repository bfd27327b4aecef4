//! The end of P5: in which cycle an input port changes next by itself, if nothing touches it before.
//!
//! Between two changes the level of a buffer is a straight line (the time line of [`super::flow`]), so that the cycle
//! in which it crosses a mark, runs dry or lets its tail go follows from it at once.

use super::engine::{Engine, Event, FLOW};
use super::ports::{InPort, NEVER, State};
use super::runs;

impl<const EQUAL: bool> Engine<EQUAL> {
    /// Occupancies at which the port sends STOP and GO.
    #[inline]
    pub(super) fn levels(&self, port: u32) -> (u32, u32) {
        match self.receive {
            // What a host keeps of worms in transit never fills its memory.
            _ if self.is_relay(port) => (u32::MAX, u32::MAX - 1),
            Some(receive) if port >= self.switch_ports => (receive.stop, receive.go),
            _ => (self.switch.stop, self.switch.go),
        }
    }

    /// Finds the next cycle in which the port changes by itself, and enters it into the calendar.
    #[inline]
    pub(super) fn predict(&mut self, port: u32) {
        let due = if EQUAL { self.predict_equal(port) } else { self.predict_runs(port) };
        self.expect_change(port, due);
    }

    /// A port changes in cycle `due` by itself, and in none before.
    #[inline]
    pub(super) fn expect_change(&mut self, port: u32, due: u64) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(due >= entry.t, "what is predicted lies ahead of what is accounted for");
        if due != entry.pred {
            entry.pred = due;
            if due != NEVER {
                self.calendar.schedule(due, FLOW, Event::Predicted { port });
            }
        }
    }

    #[inline]
    fn predict_equal(&self, port: u32) -> u64 {
        let entry = &self.ins[port as usize];
        debug_assert!(!entry.out_on || entry.is_leaving(), "what flows out is let out");
        let (stop, go) = (self.switch.stop, self.switch.go);
        let occ = entry.occ;
        debug_assert!(
            occ < stop || entry.stop_sent || port >= self.transmitters || entry.dead,
            "STOP is said first"
        );
        if entry.out_on {
            debug_assert!(entry.exit >= entry.t, "the tail is not gone");
            debug_assert!(
                entry.exit == NEVER || entry.exit == entry.t + u64::from(entry.out_rem) - 1,
                "the tail leaves after as many cycles as flits are to leave"
            );
            debug_assert!(
                entry.exit != NEVER || (!entry.in_on && entry.in_rem > 0 && entry.segments == 1),
                "a tail is not foreseen only where its worm has paused"
            );
            // Without a foreseen tail the inflow has paused: the buffer is empty after as many cycles as it holds
            // flits.
            let mut due = if entry.exit == NEVER {
                self.dries(port, entry)
            } else if self.cares_for_exit(port, entry) {
                entry.exit
            } else {
                NEVER
            };
            if entry.stop_sent && occ > go {
                // While flits arrive as fast as they leave, the level stands still; it falls once the arrivals end.
                let falling_from = if entry.in_on { entry.in_rem } else { 0 };
                let departures = falling_from + (occ - go);
                if departures <= entry.out_rem {
                    due = due.min(entry.t + u64::from(departures) - 1);
                }
            }
            return due;
        }
        let mut due = NEVER;
        if entry.in_on && !entry.stop_sent && occ < stop && entry.in_rem >= stop - occ {
            // Nothing leaves: the level rises by one a cycle. A head under decoding may be granted before, which is an
            // event anyhow.
            //
            //   cycle            t       t + 1    ...   t + (stop - occ) - 1
            //   at its end     occ + 1   occ + 2        stop: P5 of this cycle sends STOP
            let crossing = entry.t + u64::from(stop - occ) - 1;
            if entry.state != State::Routing || crossing < entry.exit {
                due = crossing;
            }
        }
        if entry.state == State::Draining && (occ > 0 || entry.in_on) {
            due = entry.t;
        }
        due
    }

    /// When the buffer of a port runs dry whose inflow has paused; [`NEVER`] while a GO of it is on the cable whose
    /// answer comes no later than that: [`go_arrives`] has the port predict again if there is nothing to answer with.
    ///
    /// [`go_arrives`]: Self::go_arrives
    #[inline]
    fn dries(&self, port: u32, entry: &InPort) -> u64 {
        let dry = entry.t + u64::from(entry.occ);
        let heard = self.watch.heard(port);
        let is_asked = port < self.switch_ports && !entry.stop_sent && heard > self.now;
        if is_asked && heard + u64::from(self.outs[port as usize].delay) <= dry { NEVER } else { dry }
    }

    /// Whether the buffer of a port runs dry without anything [foreseeing](Self::dries) it.
    #[inline]
    pub(super) fn runs_dry(&self, port: u32) -> bool {
        let entry = &self.ins[port as usize];
        EQUAL && entry.out_on && entry.exit == NEVER && entry.pred == NEVER && !entry.touched
    }

    fn predict_runs(&self, port: u32) -> u64 {
        let (stop, go) = self.levels(port);
        let entry = &self.ins[port as usize];
        let rates = &self.rates[port as usize];
        debug_assert!(!entry.out_on || entry.is_leaving(), "what flows out is let out");
        let (inflow, mut outflow) = (self.inflow(port), self.outflow(port));
        let occ = u64::from(entry.occ);
        let mut due = NEVER;
        // First what the outflow does. One that runs dry ends there: what crosses a mark is asked of the rest alone.
        if entry.out_on {
            debug_assert!(
                entry.exit == NEVER || entry.exit == outflow.at(outflow.left - 1),
                "a tail that is foreseen is the last flit of the run"
            );
            due = match self.starves(port) {
                Some(starved) => {
                    outflow.left = outflow.until(starved - 1);
                    starved
                }
                None if self.cares_for_exit(port, entry) => entry.exit,
                None => NEVER,
            };
        } else if entry.is_leaving() && (entry.state != State::Connected || self.outs[entry.out as usize].go)
        {
            let (free, _) = self.pace(port);
            if entry.occ > 0 {
                due = free.max(entry.t);
            } else if entry.in_on {
                due = free.max(rates.in_next);
            }
        }
        if port >= self.transmitters || entry.dead {
            return due;
        }
        let crossing = if entry.stop_sent {
            runs::fall(occ, inflow, outflow, u64::from(go))
        } else {
            runs::rise(occ, inflow, outflow, u64::from(stop))
        };
        match crossing {
            // A head under decoding may be granted before, which is an event anyhow.
            Some(crossing) if entry.state != State::Routing || crossing < entry.exit => due.min(crossing),
            _ => due,
        }
    }

    /// Whether anything happens when the front worm's tail leaves, beyond what can be made good later.
    #[inline]
    pub(super) fn cares_for_exit(&self, port: u32, entry: &InPort) -> bool {
        debug_assert!(entry.out_on && entry.exit != NEVER, "only a tail that is foreseen is cared for");
        // Of the tails of a lightly loaded network hardly any: most events saved are saved here. `owner_at`, `bring_to`
        // and `reserve` find the tails that have left meanwhile.
        entry.segments > 1
            || entry.state != State::Connected
            || self.outs[entry.out as usize].wait != 0
            || (port >= self.transmitters && self.hosts[entry.node as usize].backlog)
            || (self.is_relay(port) && self.hosts[self.wiring.host(port).index()].backlog)
    }

    /// From now on someone cares when the front worm's tail leaves.
    pub(super) fn care_for_exit(&mut self, port: u32) {
        let entry = &mut self.ins[port as usize];
        debug_assert!(
            entry.state == State::Connected,
            "only the tail of a worm with an output is waited for"
        );
        debug_assert!(self.outs[entry.out as usize].owner == port, "and it is the worm that owns it");
        debug_assert!(entry.exit >= self.now, "a tail that has left is not waited for");
        debug_assert!(
            entry.exit != NEVER || !entry.out_on || entry.in_rem > 0,
            "a tail that comes is foreseen"
        );
        if entry.exit < entry.pred && !entry.touched {
            entry.pred = entry.exit;
            self.calendar.schedule(entry.exit, FLOW, Event::Predicted { port });
        }
    }
}
