//! What can be asked between cycles: use of channels, buffers, credits, messages still there.

use super::engine::Engine;
use super::management::MANAGEMENT_LANE;
use super::records::bytes_before;
use crate::fabric::ports::{NEVER, NONE};
use crate::fabric::{ChannelUse, Live};
use simnet_base::ids::{HostId, Port};
use simnet_network::topology::End;

impl Engine {
    /// How many events there were.
    pub(in crate::fabric) fn events(&self) -> u64 {
        self.events
    }

    /// The first cycle from which on no byte moves, now that no event is left. Costs O(packets).
    pub(super) fn standstill(&self) -> u64 {
        let there = self.records.packets.iter().filter(|packet| packet.bytes > 0);
        there.map(|packet| packet.tail_in + 1).max().unwrap_or(0)
    }

    fn channel_use_of(&self, out: u32) -> ChannelUse {
        let output = &self.outs[out as usize];
        let mut used = output.used;
        let period = u64::from(output.period);
        let unsent = output.bytes - bytes_before(self.now, output.from, period, output.bytes);
        used.flits -= u64::from(unsent);
        if output.bytes > 0 {
            let after = output.from + u64::from(output.bytes - 1) * period + 1;
            used.held -= after.saturating_sub(self.now.max(output.from));
        }
        if output.since != NEVER {
            used.blocked += self.now - output.since;
        }
        used
    }

    pub(in crate::fabric) fn channel_use(&self) -> Vec<ChannelUse> {
        self.wiring.links.iter().flatten().map(|out| self.channel_use_of(*out)).collect()
    }

    pub(in crate::fabric) fn heads_decoded(&self) -> Vec<u64> {
        let lanes = usize::from(self.parameters.lanes);
        let decoded = |out: &u32| {
            let peer = self.outs[*out as usize].peer;
            let first = peer as usize * lanes;
            let queues = self.queues.get(first..first + lanes).into_iter().flatten();
            queues.map(|queue| queue.decoded).sum::<u64>() + self.management_decoded(peer)
        };
        self.wiring.links.iter().flatten().map(decoded).collect()
    }

    /// Bytes in the queue of `lane` at a port of a switch before cycle `now`.
    pub(super) fn queue_before(&self, port: u32, lane: u8, now: u64) -> u32 {
        let entry = &self.queues[self.lane_of(port, lane)];
        let period = u64::from(self.outs[port as usize].period);
        let mut bytes = entry.leaving.left_in(now, period);
        let mut packet = entry.front;
        while packet != NONE {
            let record = &self.records.packets[packet as usize];
            bytes += bytes_before(now, record.head_in, period, record.bytes);
            packet = record.next;
        }
        // Stays on: it is what credits are for.
        assert!(bytes <= self.parameters.buffer, "the buffer overflows");
        bytes
    }

    /// The port of a switch at a plug.
    fn switch_port(&self, end: End) -> Option<u32> {
        let port = self.wiring.port(end);
        (port < self.switch_ports).then_some(port)
    }

    pub(in crate::fabric) fn occupancy(&self, end: End) -> u32 {
        let data: u32 = (0..self.parameters.lanes).map(|lane| self.lane_occupancy(end, lane)).sum();
        data + self.lane_occupancy(end, MANAGEMENT_LANE)
    }

    pub(in crate::fabric) fn lane_occupancy(&self, end: End, lane: u8) -> u32 {
        if lane == MANAGEMENT_LANE {
            let port = self.switch_port(end);
            return port.map_or(0, |port| self.management_before(port, self.now));
        }
        let is_there = lane < self.parameters.lanes;
        let port = self.switch_port(end).filter(|_| is_there);
        port.map_or(0, |port| self.queue_before(port, lane, self.now))
    }

    pub(in crate::fabric) fn credits(&self, end: End, lane: u8) -> Option<u32> {
        let port = self.wiring.port(end);
        let output = self.outs.get(port as usize)?;
        if output.peer == NONE || output.to_host || lane >= self.parameters.lanes {
            return None;
        }
        Some(self.lanes[self.lane_of(port, lane)].credits_before(self.now))
    }

    /// Credits know no STOP.
    #[expect(clippy::unused_self, reason = "the facade asks all engines alike")]
    pub(in crate::fabric) fn stop_sent(&self, _end: End) -> bool {
        false
    }

    /// Whether some lane of an output has credits for the largest packet.
    pub(in crate::fabric) fn go(&self, end: End) -> bool {
        let mut credits = (0..self.parameters.lanes).map(|lane| self.credits(end, lane));
        credits.any(|credits| credits.is_none_or(|credits| credits >= self.parameters.mtu))
    }

    pub(in crate::fabric) fn live(&self) -> Vec<Live> {
        let live = self.records.started();
        let mut live: Vec<Live> = live.map(|it| Live { tag: it.tag, source: HostId(it.source) }).collect();
        assert_eq!(live.len(), self.in_flight, "every message in flight is known");
        live.sort_unstable_by_key(|message| (message.source, message.tag));
        live
    }

    pub(in crate::fabric) fn host_port(&self, host: HostId) -> Option<Port> {
        let out = self.hosts.get(host.index())?.out;
        (out != NONE).then(|| self.wiring.end(out).port)
    }
}
