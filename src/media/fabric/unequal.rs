//! Flows where channels, or hosts, differ in their rates: an inflow and an outflow are runs of evenly spaced flits.
//!
//! What [`super::flow`] says of a flit a cycle is said here of a flit every so many cycles: up to when a port is
//! accounted for, what P4 decides, and when a buffer runs dry.

use super::endpoint::Observer;
use super::engine::Engine;
use super::ports::{NEVER, State};
use super::runs::{self, Run};

impl<const EQUAL: bool> Engine<EQUAL> {
    /// [`sync`](Self::sync) with unequal rates.
    pub(super) fn sync_runs(&mut self, port: u32, t: u64) {
        let (inflow, outflow) = (self.inflow(port), self.outflow(port));
        let (arrived, left) = (inflow.until(t - 1), outflow.until(t - 1));
        let entry = &mut self.ins[port as usize];
        let rates = &mut self.rates[port as usize];
        let narrow = |flits: u64| u32::try_from(flits).expect("no more than the remainder");
        // What arrives in a cycle may leave in it, here as with equal rates: both are counted up to the end of t - 1.
        debug_assert!(left <= u64::from(entry.occ) + arrived, "a run ends where the buffer has no flit left");
        entry.t = t;
        entry.in_rem -= narrow(arrived);
        entry.occ += narrow(arrived);
        entry.in_on &= entry.in_rem > 0;
        rates.in_next += arrived * rates.in_period;
        entry.out_rem -= narrow(left);
        entry.occ -= narrow(left);
        entry.out_on &= entry.out_rem > 0;
        rates.out_next += left * rates.out_period;
        // The pace is the channel's (or the host's), not the worm's: the next worm finds it still busy.
        if left > 0 {
            let last = outflow.at(left - 1);
            match entry.state {
                State::Connected => {
                    let channel = &mut self.channels[entry.out as usize];
                    channel.free = last + channel.period;
                }
                State::Taking => rates.take_free = last + self.receive.map_or(1, |receive| receive.period),
                _ => {}
            }
            debug_assert!(entry.out_rem > 0 || entry.exit < t, "no tail leaves that was not foreseen");
        }
        debug_assert!(
            port >= self.switch_ports || self.ins[port as usize].occ <= self.switch.buffer,
            "STOP comes in time for what is on the cable"
        );
    }

    /// What flows into a port from what it is accounted to on.
    pub(super) fn inflow(&self, port: u32) -> Run {
        let (entry, rates) = (&self.ins[port as usize], &self.rates[port as usize]);
        if !entry.in_on {
            return Run::NOTHING;
        }
        debug_assert!(
            entry.in_rem > 0 && rates.in_next >= entry.t,
            "what is accounted for is not to come again"
        );
        Run { next: rates.in_next, period: rates.in_period, left: u64::from(entry.in_rem) }
    }

    /// What flows out of it.
    pub(super) fn outflow(&self, port: u32) -> Run {
        let (entry, rates) = (&self.ins[port as usize], &self.rates[port as usize]);
        if !entry.out_on {
            return Run::NOTHING;
        }
        debug_assert!(entry.out_rem > 0 && rates.out_next >= entry.t, "what has left does not leave again");
        Run { next: rates.out_next, period: rates.out_period, left: u64::from(entry.out_rem) }
    }

    /// [`evaluate`](Self::evaluate) with unequal rates, of a port whose output may send or may not.
    pub(super) fn evaluate_runs<O: Observer>(&mut self, port: u32, t: u64, go: bool) {
        let (free, period) = self.pace(port);
        let (entry, rates) = (&self.ins[port as usize], &self.rates[port as usize]);
        debug_assert!(!entry.in_on || rates.in_next >= t, "what arrives next has not arrived");
        debug_assert!(!entry.out_on || rates.out_next >= t, "what leaves next has not left");
        let arriving = entry.in_on && rates.in_next == t;
        let leaves = go && free <= t && (entry.occ > 0 || arriving);
        // An outflow slower than its channel follows the inflow; it keeps its pace only while it stays in step with it.
        let follows = rates.out_period != period;
        let in_step = entry.in_on && (rates.in_next, rates.in_period) == (rates.out_next, rates.out_period);
        let (connected, head_sent, out_on) = (entry.state == State::Connected, entry.head_sent, entry.out_on);
        let keeps = out_on && go && rates.out_next > t && (!follows || in_step);
        if leaves && !keeps {
            // An empty buffer passes on what arrives, as it arrives.
            let passes = entry.segments == 1 && entry.occ == 0 && rates.in_period > period;
            let pace = if passes { rates.in_period } else { period };
            let changed = !out_on || (rates.out_next, rates.out_period) != (t, pace);
            let rates = &mut self.rates[port as usize];
            (rates.out_next, rates.out_period) = (t, pace);
            self.ins[port as usize].out_on = true;
            let narrow = u32::try_from(pace).expect("checked when built");
            if connected && !head_sent {
                self.send_head::<O>(port, narrow, t);
            } else if connected && changed {
                self.send_resume::<O>(port, narrow, t);
            } else if !connected && !head_sent {
                self.ins[port as usize].head_sent = true;
                let front = self.ins[port as usize].front;
                if self.ins[port as usize].state == State::Taking {
                    self.worms[front].head_at = t;
                }
            }
        } else if out_on && !keeps {
            self.ins[port as usize].out_on = false;
            if connected {
                self.send_pause::<O>(port, t);
            }
        }
        let outflow = self.outflow(port);
        let exit = if outflow.left > 0 && self.starves(port).is_none() {
            outflow.at(outflow.left - 1)
        } else {
            NEVER
        };
        debug_assert!(exit >= t, "a tail that leaves has not left");
        self.ins[port as usize].exit = exit;
    }

    /// From when on and how often the port's front worm may send a flit.
    pub(super) fn pace(&self, port: u32) -> (u64, u64) {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.is_leaving(), "only what leaves has a pace");
        let (free, period) = match entry.state {
            State::Connected => {
                let channel = self.channels[entry.out as usize];
                (channel.free, channel.period)
            }
            State::Taking => {
                let period = self.receive.map_or(1, |receive| receive.period);
                (self.rates[port as usize].take_free, period)
            }
            _ => (0, 1),
        };
        debug_assert!(period > 0, "two flits never leave in one cycle");
        (free, period)
    }

    /// The first departure that would find no flit.
    pub(super) fn starves(&self, port: u32) -> Option<u64> {
        let entry = &self.ins[port as usize];
        debug_assert!(entry.out_on && entry.out_rem > 0, "only a flow runs dry");
        if entry.segments > 1 {
            return None;
        }
        let starved = runs::starvation(u64::from(entry.occ), self.inflow(port), self.outflow(port));
        debug_assert!(starved.is_none_or(|at| at >= entry.t), "a departure that finds no flit lies ahead");
        starved
    }
}
