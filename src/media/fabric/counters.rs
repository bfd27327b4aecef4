//! What can be asked between cycles: use of channels, buffers, worms still there.

use super::engine::Engine;
use super::parameters::Arbitration;
use super::ports::{InPort, NEVER, NONE, State};
use super::runs::Run;
use simnet_base::ids::{HostId, Port};
use simnet_network::topology::End;

/// What a channel has done since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelUse {
    /// Flits put on the cable.
    pub flits: u64,
    /// Cycles in which a worm owned the channel while a head waited for it or it was stopped.
    pub blocked: u64,
    /// Cycles in which a worm owned the channel, whether or not a flit of it moved.
    pub held: u64,
}

/// A message that is in the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// The tag it was sent with.
    pub tag: u64,
    /// Its sender.
    pub source: HostId,
}

impl<const EQUAL: bool> Engine<EQUAL> {
    /// What flows in and out of `port` from what it is accounted to on, if nothing happens.
    pub(super) fn runs(&self, port: u32) -> (Run, Run) {
        let entry = &self.ins[port as usize];
        let (mut inflow, mut outflow) = (Run::NOTHING, Run::NOTHING);
        let (mut in_pace, mut out_pace) = ((entry.t, 1), (entry.t, 1));
        if !EQUAL {
            let rates = &self.rates[port as usize];
            in_pace = (rates.in_next, rates.in_period);
            out_pace = (rates.out_next, rates.out_period);
        }
        if entry.in_on {
            debug_assert!(entry.in_rem > 0, "a flow has a flit left");
            debug_assert!(in_pace.0 >= entry.t, "what is accounted for is not to come again");
            inflow = Run { next: in_pace.0, period: in_pace.1, left: u64::from(entry.in_rem) };
        }
        if entry.turn > 0 {
            let turn = u64::from(entry.turn);
            if entry.in_on {
                inflow.left = turn;
            } else {
                inflow = Run { next: entry.t + turn, period: 1, left: u64::from(entry.in_rem) };
            }
        }
        if entry.out_on {
            debug_assert!(entry.out_rem > 0, "a flow has a flit left");
            debug_assert!(out_pace.0 >= entry.t, "what has left does not leave again");
            outflow = Run { next: out_pace.0, period: out_pace.1, left: u64::from(entry.out_rem) };
        }
        (inflow, outflow)
    }

    /// Flits that arrive at and leave `port` from what it is accounted to up to now.
    fn flows(&self, port: u32) -> (u64, u64) {
        if self.ins[port as usize].t >= self.now {
            return (0, 0);
        }
        let (inflow, outflow) = self.runs(port);
        let (arrived, left) = (inflow.until(self.now - 1), outflow.until(self.now - 1));
        let there = u64::from(self.ins[port as usize].occ);
        debug_assert!(left <= there + arrived, "what leaves a buffer was in it");
        (arrived, left)
    }

    /// The first cycle from which on no flit moves, if nothing happens. Costs O(ports) while there are messages.
    pub(super) fn standstill(&self) -> u64 {
        if self.in_flight == 0 {
            return 0;
        }
        let ports = (0..self.ins.len()).map(|port| self.runs(u32::try_from(port).expect("a port's number")));
        let runs = ports.flat_map(|(inflow, outflow)| [inflow, outflow]).filter(|run| run.left > 0);
        let still = runs.map(|run| run.at(run.left - 1) + 1).max().unwrap_or(0);
        // A change without an event takes its cycle as one with an event does.
        let turns = self.ins.iter().filter(|entry| entry.turn > 0);
        turns.map(|entry| entry.t + u64::from(entry.turn) + 1).max().unwrap_or(0).max(still)
    }

    fn channel_use_of(&self, out: u32) -> ChannelUse {
        let output = &self.outs[out as usize];
        let ChannelUse { mut flits, mut blocked, mut held } = self.outs[out as usize].used;
        debug_assert!(output.owner != NONE || output.since == NEVER, "an output nobody owns is not blocked");
        if output.owner != NONE {
            let owner = &self.ins[output.owner as usize];
            held = held.wrapping_add(if owner.has_finished(self.now) { owner.exit + 1 } else { self.now });
            let unsent = u64::from(self.ins[output.owner as usize].out_rem) - self.flows(output.owner).1;
            // Stay on, as the sums below: they are results.
            assert!(unsent <= flits, "what is to be sent was counted when the output was granted");
            flits -= unsent;
            if output.since != NEVER {
                blocked += self.now - output.since;
            }
        }
        assert!(
            flits <= held && blocked <= held,
            "a channel moves flits and is blocked while a worm owns it"
        );
        assert!(held <= self.now, "one worm at a time owns a channel");
        ChannelUse { flits, blocked, held }
    }

    pub(super) fn channel_use(&self) -> Vec<ChannelUse> {
        self.wiring.links.iter().flatten().map(|out| self.channel_use_of(*out)).collect()
    }

    pub(super) fn heads_decoded(&self) -> Vec<u64> {
        let at = |out: u32| match self.switch.arbitration {
            Arbitration::Serial | Arbitration::PerInput => self.outs[out as usize].peer,
            Arbitration::PerOutput => out,
        };
        let decoded = |port: u32| self.decoded.get(port as usize).copied().unwrap_or(0);
        self.wiring.links.iter().flatten().map(|out| decoded(at(*out))).collect()
    }

    /// The input port at a plug, if it is one with a buffer.
    fn buffer(&self, end: End) -> Option<(u32, &InPort)> {
        let port = self.wiring.port(end);
        (port != NONE && port < self.transmitters).then(|| (port, &self.ins[port as usize]))
    }

    pub(super) fn occupancy(&self, end: End) -> u32 {
        let Some((port, entry)) = self.buffer(end) else { return 0 };
        if entry.state == State::Idle && entry.segments == 0 {
            debug_assert!(entry.occ == 0 && entry.in_rem == 0, "a port without worms is empty");
            return 0;
        }
        let (arrived, left) = self.flows(port);
        assert!(left <= u64::from(entry.occ) + arrived, "what leaves a buffer was in it");
        let occupancy = u32::try_from(u64::from(entry.occ) + arrived - left).expect("a buffer's flits");
        assert!(occupancy <= self.switch.buffer || port >= self.switch_ports, "the buffer overflows");
        occupancy
    }

    pub(super) fn stop_sent(&self, end: End) -> bool {
        self.buffer(end).is_some_and(|(_, entry)| entry.stop_sent)
    }

    pub(super) fn go(&self, end: End) -> bool {
        let port = self.wiring.port(end);
        port == NONE || self.outs[port as usize].go
    }

    pub(super) fn live(&self) -> Vec<Live> {
        let mut live: Vec<Live> =
            self.worms.started().map(|it| Live { tag: it.tag, source: HostId(it.source) }).collect();
        assert_eq!(live.len(), self.in_flight, "every message in flight is known");
        live.sort_unstable_by_key(|worm| (worm.source, worm.tag));
        live
    }

    pub(super) fn host_port(&self, host: HostId) -> Option<Port> {
        let out = self.hosts.get(host.index())?.out;
        debug_assert!(out == NONE || self.wiring.host(out) == host, "a host sends on a port of its own");
        (out != NONE).then(|| self.wiring.end(out).port)
    }
}
