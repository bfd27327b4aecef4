//! The numbers of a cell.

use crate::scenario::study::{Cell, Quantity};

use super::super::beside::Spread;
use super::super::mapping::{MapReport, measured_ms};
use super::{Outcomes, Results, Trial};

impl Results<'_> {
    /// The spread of a quantity over the runs of a cell.
    pub(super) fn spread(&self, cell: Cell, quantity: Quantity) -> Option<Spread> {
        match quantity {
            Quantity::WithinTwice => self.within(cell, 2.0),
            Quantity::WithinHalfMore => self.within(cell, 1.5),
            _ => Spread::of(&self.of(cell)?.values(quantity)?),
        }
    }

    /// The fewest answering hosts with which mapping takes at most `factor` times as long as with the most.
    fn within(&self, cell: Cell, factor: f64) -> Option<Spread> {
        let mut all: Vec<(u32, f64)> = Vec::new();
        for (nth, count) in self.study.answering.iter().enumerate() {
            let time = self.spread(Cell { answering: Some(nth), ..cell }, Quantity::Time)?;
            all.push((*count, time.mean));
        }
        all.sort_by_key(|(count, _)| *count);
        let limit = all.last()?.1 * factor;
        let last_above = all.iter().rposition(|(_, time)| *time > limit);
        let (count, _) = all.get(last_above.map_or(0, |nth| nth + 1))?;
        Spread::of(&[f64::from(*count)])
    }
}

impl Outcomes {
    /// A quantity of every run; `None` if some run did not come to it: what is known of the others is no sample.
    pub(super) fn values(&self, quantity: Quantity) -> Option<Vec<f64>> {
        self.runs.iter().map(|run| run.value(quantity)).collect()
    }

    /// The mean of a quantity over the runs; `None` if some run did not come to it.
    pub(super) fn mean(&self, quantity: Quantity) -> Option<f64> {
        let values = self.values(quantity)?;
        Some(Spread::of(&values).map_or(0.0, |spread| spread.mean))
    }

    /// How many runs gave a map that is right (or not) and that the mapper was sure of (or not).
    pub(super) fn count(&self, right: bool, sure: bool) -> usize {
        let fits = |report: &MapReport| report.isomorphic == right && report.doubts.is_empty() == sure;
        self.runs.iter().filter(|run| fits(&run.report)).count()
    }
}

impl Trial {
    /// A quantity of this run; `None` for the time of a mapping that outlasts the simulated clock.
    fn value(&self, quantity: Quantity) -> Option<f64> {
        let (report, turns) = (&self.report, &self.report.turns);
        let (hosts, switches, nothing) =
            (turns.host_hits as f64, turns.switch_hits as f64, turns.nothing as f64);
        let ratio = |part: f64, rest: f64| if part + rest > 0.0 { part / (part + rest) * 100.0 } else { 0.0 };
        let percent = |holds: bool| if holds { 100.0 } else { 0.0 };
        Some(match quantity {
            Quantity::Hosts => report.hosts as f64,
            Quantity::Switches => report.switches as f64,
            Quantity::Links => report.links as f64,
            Quantity::HostHits => hosts,
            Quantity::SwitchHits => switches,
            Quantity::Nothing => nothing,
            Quantity::HostProbes => hosts + nothing,
            Quantity::SwitchProbes => switches + nothing,
            Quantity::HostHitRatio => ratio(hosts, nothing),
            Quantity::SwitchHitRatio => ratio(switches, nothing),
            Quantity::Probes => self.as_printed(),
            Quantity::SilentProbes => 2.0 * nothing,
            Quantity::SentHost => self.sent("host"),
            Quantity::SentSwitch => self.sent("switch"),
            Quantity::SentLoop => self.sent("loop"),
            Quantity::SentCompare => self.sent("compare"),
            Quantity::SentScout => self.sent("scout"),
            Quantity::SentGuard => self.sent("guard"),
            Quantity::Sent => self.all_sent(),
            Quantity::Time => return measured_ms(report.time_ms),
            Quantity::Explorations => report.explorations as f64,
            Quantity::PeakNodes => self.peak_nodes as f64,
            Quantity::FinalNodes => (report.hosts + report.switches) as f64,
            Quantity::PeakMemory => report.peak_memory_bytes as f64,
            Quantity::Right => percent(report.isomorphic),
            Quantity::SurelyWrong => percent(!report.isomorphic && report.doubts.is_empty()),
            // These are of several cells together.
            Quantity::WithinTwice | Quantity::WithinHalfMore => 0.0,
        })
    }

    fn sent(&self, kind: &str) -> f64 {
        self.report.probes.get(kind).map_or(0.0, |count| count.sent as f64)
    }

    fn all_sent(&self) -> f64 {
        self.report.probes.values().map(|count| count.sent as f64).sum()
    }

    /// Probes as the papers count: by turns where both probes of a turn are one question, else messages.
    fn as_printed(&self) -> f64 {
        let turns = &self.report.turns;
        let other = ["loop", "compare", "scout", "guard"].iter().any(|kind| self.sent(kind) > 0.0);
        if other { self.all_sent() } else { (turns.host_hits + turns.switch_hits + 2 * turns.nothing) as f64 }
    }
}
