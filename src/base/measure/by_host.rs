//! What every host of a load point sent and received.
//!
//! # Scope and limitations
//! Traffic is counted from the start of the point on, to be read at both ends of the window; latencies and losses are
//! those of the messages created in the window, however late they end, as in [`Meter`](super::Meter).
//!
//! # Validation
//! Their sums over all hosts are the figures of the point, in `tests/it/pages/drawings.rs`.

use crate::ids::HostId;
use crate::units::Cycle;

use super::Window;

/// Traffic of one host since the start of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTotals {
    /// Messages that it planned.
    pub planned: u64,
    /// Their payload flits.
    pub planned_flits: u64,
    /// Payload flits of its messages that arrived sound.
    pub sent_flits: u64,
    /// Messages that it received sound.
    pub received: u64,
    /// Their payload flits.
    pub received_flits: u64,
}

/// What became of the messages that one host created in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostLatency {
    /// Messages that arrived sound.
    pub delivered: u64,
    /// Messages that ended otherwise.
    pub lost: u64,
    /// The latencies from creation of those that arrived, all together, in cycles.
    pub sum: u128,
    /// The longest of them.
    pub max: u64,
}

/// The books of all hosts of a load point.
#[derive(Clone, Debug, Default)]
pub struct ByHost {
    totals: Vec<HostTotals>,
    kept: Vec<HostLatency>,
    /// Messages created after the window.
    later: Vec<HostLatency>,
}

impl ByHost {
    /// Empty books of so many hosts.
    pub fn new(hosts: usize) -> ByHost {
        ByHost {
            totals: vec![HostTotals::default(); hosts],
            kept: vec![HostLatency::default(); hosts],
            later: vec![HostLatency::default(); hosts],
        }
    }

    /// Notes that `host` created a message of `payload` flits.
    #[inline]
    pub fn created(&mut self, host: HostId, payload: u32) {
        let totals = &mut self.totals[host.index()];
        totals.planned += 1;
        totals.planned_flits += u64::from(payload);
    }

    /// Notes that a message arrived sound, its last flit in cycle `tail`.
    #[inline]
    pub fn delivered(
        &mut self,
        (from, to): (HostId, HostId),
        (created, tail): (Cycle, Cycle),
        payload: u32,
        window: Window,
    ) {
        self.totals[from.index()].sent_flits += u64::from(payload);
        let receiver = &mut self.totals[to.index()];
        receiver.received += 1;
        receiver.received_flits += u64::from(payload);
        if let Some(own) = self.latency_of(from, created, window) {
            let cycles = tail.0 - created.0;
            own.delivered += 1;
            own.sum += u128::from(cycles);
            own.max = own.max.max(cycles);
        }
    }

    /// Notes that a message ended otherwise.
    pub fn lost(&mut self, from: HostId, created: Cycle, window: Window) {
        if let Some(own) = self.latency_of(from, created, window) {
            own.lost += 1;
        }
    }

    /// Notes that the window now reaches further: what was created after it belongs to it.
    pub fn extend(&mut self) {
        for (kept, later) in self.kept.iter_mut().zip(&mut self.later) {
            *kept = kept.and(std::mem::take(later));
        }
    }

    /// Traffic since the start, by host.
    pub fn totals(&self) -> &[HostTotals] {
        &self.totals
    }

    /// What became of the messages of the window, by host.
    pub fn latencies(&self) -> &[HostLatency] {
        &self.kept
    }

    #[inline]
    fn latency_of(&mut self, from: HostId, created: Cycle, window: Window) -> Option<&mut HostLatency> {
        let of = if created < window.to { &mut self.kept } else { &mut self.later };
        (created >= window.from).then(|| &mut of[from.index()])
    }
}

impl HostTotals {
    /// What was added since `before`.
    #[must_use]
    pub fn since(self, before: HostTotals) -> HostTotals {
        HostTotals {
            planned: self.planned - before.planned,
            planned_flits: self.planned_flits - before.planned_flits,
            sent_flits: self.sent_flits - before.sent_flits,
            received: self.received - before.received,
            received_flits: self.received_flits - before.received_flits,
        }
    }
}

impl HostLatency {
    fn and(self, other: HostLatency) -> HostLatency {
        HostLatency {
            delivered: self.delivered + other.delivered,
            lost: self.lost + other.lost,
            sum: self.sum + other.sum,
            max: self.max.max(other.max),
        }
    }

    /// The mean latency in cycles; `None` if nothing arrived.
    pub fn mean(&self) -> Option<f64> {
        (self.delivered > 0).then(|| self.sum as f64 / self.delivered as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if what was created before the window were measured, or what was created after it lost.
    #[test]
    fn a_window_that_grows_takes_what_was_created_after_it() {
        let mut hosts = ByHost::new(2);
        let window = |to| Window { from: Cycle(10), to: Cycle(to) };
        let ends = (HostId(0), HostId(1));
        for created in [5, 10, 19, 20] {
            hosts.created(ends.0, 32);
            hosts.delivered(ends, (Cycle(created), Cycle(created + 7)), 32, window(20));
        }
        hosts.lost(HostId(1), Cycle(25), window(20));
        let own = HostLatency { delivered: 2, lost: 0, sum: 14, max: 7 };
        assert_eq!(hosts.latencies(), [own, HostLatency::default()]);
        hosts.extend();
        let other = HostLatency { lost: 1, ..HostLatency::default() };
        assert_eq!(hosts.latencies(), [HostLatency { delivered: 3, sum: 21, ..own }, other]);
        assert_eq!((hosts.totals()[0].planned, hosts.totals()[1].received_flits), (4, 128));
        assert_eq!((own.mean(), other.mean()), (Some(7.0), None));
    }
}
