//! P0: cables fail and return.
//!
//! A packet of which a byte is on a cable that fails, or is still to be sent over it by a grant that was given, is
//! *spoilt*: its message is destroyed in that cycle, and it keeps the schedule of what it has been granted, as a bad
//! packet does that InfiniBand switches pass on. It ends where it would next wait for an output (at once, if it waits
//! already), or at its host. Credits on their way are not lost: the state of both ends is set right when the cable is
//! trained again, and no buffer can overflow.

use super::engine::Engine;
use crate::fabric::endpoint::{Cause, Observer};
use crate::fabric::ports::NONE;
use simnet_base::ids::LinkId;
use simnet_base::units::Cycle;

impl Engine {
    /// Both directions of the cable spoil what is on them and go dead. Costs O(packets).
    pub(super) fn fail<O: Observer>(&mut self, link: u32, t: u64, observer: &mut O) {
        let ends = self.wiring.links[link as usize];
        if self.outs[ends[0] as usize].dead {
            return;
        }
        if O::WATCHES {
            observer.cable(Cycle(t), LinkId(link), false);
        }
        for (out, port) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            self.outs[out as usize].dead = true;
            for packet in self.on_cable(port, t) {
                self.spoil::<O>(packet, t);
            }
            if out < self.switch_ports {
                self.turn_away_waiting(out, t, observer);
            } else {
                let host = self.wiring.host(out).0;
                if self.hosts[host as usize].out == out {
                    self.drop_unsent::<O>(host, t);
                }
            }
        }
    }

    /// The packets whose tail has not reached `port` before cycle `t`, though they have been sent to it.
    fn on_cable(&self, port: u32, t: u64) -> Vec<u32> {
        if port >= self.switch_ports {
            let is_here = |packet: &super::messages::Packet| {
                packet.bytes > 0 && packet.port == port && packet.tail_in >= t
            };
            let packets = (0..).zip(&self.records.packets);
            return packets.filter(|(_, packet)| is_here(packet)).map(|(number, _)| number).collect();
        }
        let lanes = usize::from(self.parameters.lanes);
        let mut found = Vec::new();
        self.management_on_cable(port, t, &mut found);
        for queue in &self.queues[port as usize * lanes..(port as usize + 1) * lanes] {
            if queue.leaving.packet != NONE && queue.leaving.tail_in >= t {
                found.push(queue.leaving.packet);
            }
            let mut packet = queue.front;
            while packet != NONE {
                let record = &self.records.packets[packet as usize];
                if record.tail_in >= t {
                    found.push(packet);
                }
                packet = record.next;
            }
        }
        found
    }

    fn spoil<O: Observer>(&mut self, packet: u32, t: u64) {
        let record = &mut self.records.packets[packet as usize];
        record.spoilt = true;
        let (message, port) = (record.message, record.port);
        self.records.strike(message, Cause::LinkFailure, t);
        if port >= self.switch_ports {
            return;
        }
        self.spoil_management::<O>(packet, port, t);
        let lanes = u32::from(self.parameters.lanes);
        for queue in port * lanes..(port + 1) * lanes {
            let entry = &self.queues[queue as usize];
            if entry.waits && entry.front == packet {
                self.destroy::<O>(queue, t);
            }
        }
    }

    /// Packets that wait for a failed output have requested no output.
    fn turn_away_waiting<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        self.turn_away_management::<O>(out, t);
        let output = &self.outs[out as usize];
        if output.waiting == 0 {
            return;
        }
        let queues = output.first_queue..output.first_queue + output.words * 64;
        let queues = queues.take_while(|queue| (*queue as usize) < self.queues.len());
        let waits = |queue: &u32| {
            let entry = &self.queues[*queue as usize];
            entry.waits && entry.out == out
        };
        for queue in queues.filter(waits).collect::<Vec<_>>() {
            self.turn_away(queue, Cause::NoSuchWire, t, observer);
        }
    }

    /// The cable carries packets again.
    pub(super) fn restore<O: Observer>(&mut self, link: u32, t: u64, observer: &mut O) {
        let ends = self.wiring.links[link as usize];
        if !self.outs[ends[0] as usize].dead {
            return;
        }
        if O::WATCHES {
            observer.cable(Cycle(t), LinkId(link), true);
        }
        for port in ends {
            self.outs[port as usize].dead = false;
            if port >= self.switch_ports {
                let host = self.wiring.host(port).0;
                if self.hosts[host as usize].out == port {
                    self.retry_host(host);
                    self.retry_management(host);
                }
            }
        }
    }
}
