//! Events reported to observers, in order of time.
//!
//! Nothing stops a packet once it is granted an output: when it arrives and has left is known then, and kept until its
//! cycle has come. What an observer is told of packets that were on their way before it came begins with their next
//! hop.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::engine::Engine;
use crate::fabric::endpoint::{Flow, Observer, WormId};
use crate::fabric::ports::NONE;
use simnet_base::ids::HostId;
use simnet_base::units::Cycle;

/// What is to be reported.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    later: BinaryHeap<Reverse<(u64, Report)>>,
    /// Queues whose front packet has become ready in this cycle.
    pub(super) watched: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Report {
    Arrived { port: u32, worm: WormId },
    Released { input: u32, output: u32, worm: WormId },
    Flow { port: u32 },
}

impl Reports {
    /// The flow at a port changes with cycle `at`.
    pub(super) fn flow_from(&mut self, port: u32, at: u64) {
        self.later.push(Reverse((at, Report::Flow { port })));
    }

    /// The tail of a message leaves `output` in cycle `at`.
    pub(super) fn released(&mut self, at: u64, input: u32, output: u32, worm: WormId) {
        self.later.push(Reverse((at, Report::Released { input, output, worm })));
    }
}

impl Engine {
    pub(super) fn identity_of(&self, message: u32) -> WormId {
        let record = &self.records.messages[message as usize];
        WormId { serial: record.serial, source: HostId(record.source), tag: record.tag }
    }

    pub(super) fn identity(&self, packet: u32) -> WormId {
        self.identity_of(self.records.packets[packet as usize].message)
    }

    /// The front packet of the queue leaves from cycle `t` on.
    pub(super) fn report_grant<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        let entry = &self.queues[queue as usize];
        let (bytes, output) =
            (self.records.packets[entry.front as usize].bytes, &self.outs[entry.out as usize]);
        let last = t + u64::from(bytes - 1) * u64::from(output.period);
        let (port, out, worm) = (entry.port, entry.out, self.identity(entry.front));
        observer.granted(Cycle(t), self.wiring.end(port), self.wiring.end(out), worm);
        self.reports.released(last, port, out, worm);
        self.reports.flow_from(port, t);
        self.reports.flow_from(port, last + 1);
    }

    /// The packet has been sent to the port that its record names.
    pub(super) fn report_sent(&mut self, packet: u32) {
        let record = &self.records.packets[packet as usize];
        let (port, head, tail, worm) = (record.port, record.head_in, record.tail_in, self.identity(packet));
        self.reports.later.push(Reverse((head, Report::Arrived { port, worm })));
        if port < self.switch_ports {
            self.reports.flow_from(port, head);
            self.reports.flow_from(port, tail + 1);
        }
    }

    /// Reports the packets that have become ready in this cycle and have not been granted their output in it.
    pub(super) fn report_waits<O: Observer>(&mut self, t: u64, observer: &mut O) {
        for queue in std::mem::take(&mut self.reports.watched) {
            let entry = &self.queues[queue as usize];
            if entry.waits {
                let worm = self.identity(entry.front);
                observer.waits(Cycle(t), self.wiring.end(entry.port), self.wiring.end(entry.out), worm);
            }
        }
    }

    /// Reports what was foreseen for the cycles before `t`.
    pub(super) fn report_before<O: Observer>(&mut self, t: u64, observer: &mut O) {
        while let Some(&Reverse((at, report))) = self.reports.later.peek() {
            if at >= t {
                break;
            }
            self.reports.later.pop();
            match report {
                Report::Arrived { port, worm } => observer.arrived(Cycle(at), self.wiring.end(port), worm),
                Report::Released { input, output, worm } => {
                    observer.released(Cycle(at), self.wiring.end(input), self.wiring.end(output), worm);
                }
                Report::Flow { port } => {
                    observer.flow(Cycle(at), self.wiring.end(port), self.flow_at(port, at));
                }
            }
        }
    }

    /// What flows in and out of all lanes of a port together from the beginning of cycle `t` on. Where several lanes
    /// are read at once, the pace of all is rounded to whole cycles.
    fn flow_at(&self, port: u32, t: u64) -> Flow {
        const WHOLE: u32 = 1 << 20;
        let mut flow = Flow::default();
        let mut rate = 0;
        let is_coming = |head: u64, tail: u64| head <= t && t <= tail;
        for lane in 0..self.parameters.lanes {
            flow.occupancy += self.queue_before(port, lane, t);
            let entry = &self.queues[self.lane_of(port, lane)];
            let leaving = &entry.leaving;
            let mut comes = leaving.packet != NONE && is_coming(leaving.head_in, leaving.tail_in);
            let mut packet = entry.front;
            while packet != NONE {
                let record = &self.records.packets[packet as usize];
                comes |= is_coming(record.head_in, record.tail_in);
                packet = record.next;
            }
            if comes {
                flow.inflow = self.outs[port as usize].period;
            }
            if leaving.period > 0 && is_coming(leaving.from, entry.free - 1) {
                rate += WHOLE / leaving.period;
            }
        }
        rate += WHOLE.checked_div(self.management_flow(port, t, &mut flow)).unwrap_or(0);
        flow.outflow = WHOLE.checked_div(rate).map_or(0, |period| period.max(1));
        flow
    }
}
