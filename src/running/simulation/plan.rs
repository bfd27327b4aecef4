//! When a load point measures and ends: its scenario's spans, in base cycles.

use simnet_base::units::{Cycle, Duration, Time};
use simnet_scenario::checked::{self, Measure};

use super::saturation::CARRIED;

/// When a load point measures and ends, in base cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How long it warms up.
    pub warmup: Warmup,
    /// How long it measures.
    pub extent: Extent,
    /// When it ends whatever is still under way; if not given, after four times the warm-up and the measurement.
    pub horizon: Option<Cycle>,
    /// The last cycle of the simulated clock: no point goes on beyond it.
    pub clock: Cycle,
    /// If this is the small form of a run: the first and the last length of the whole one's window.
    pub whole: Option<(u64, u64)>,
    /// Cycles that the longest message takes over a host's cable; 0 for a trace.
    pub message: u64,
    /// Whether hosts go on offering a load, so that the network can fall behind.
    pub can_saturate: bool,
}

/// How long a load point warms up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// Until this cycle.
    Given(Cycle),
    /// Until a transient has ended in the first half of what was seen, as MSER-5 finds: so many cycles at first, and
    /// twice as many each time after, but not more than `most`.
    Detected {
        /// Cycles before the first look; above zero.
        first: u64,
        /// Cycles after which the search is given up.
        most: u64,
    },
}

/// How long a load point measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// So many cycles; above zero.
    Fixed(u64),
    /// Until the mean latency is known well enough, or the limit.
    Precise {
        /// Cycles before the first look; above zero.
        first: u64,
        /// Cycles after which it ends in any case; at least `first`.
        most: u64,
        /// Half the width of the 95 % confidence interval of the mean that is wanted, relative to the mean.
        precision: f64,
    },
}

/// Without a horizon of its own, a point may take this many times as long as its warm-up and window.
const PATIENCE: u64 = 4;

impl Plan {
    /// The plan of generated traffic: each of `senders` hosts sends a message every `mean_gap`; the longest takes
    /// `message` cycles over a host's cable.
    pub fn new(
        measure: &Measure,
        (mean_gap, message): (Duration, u64),
        senders: u64,
        base_cycle: Duration,
    ) -> Plan {
        let senders = senders.max(1);
        let span = |messages: u64| mean_gap * messages.div_ceil(senders);
        let cycles = |span: Duration| cycles_in(span, base_cycle);
        let look =
            |(least, a_host): (u64, u64)| cycles(span(least.max(a_host.saturating_mul(senders)))).max(1);
        let length_of = |extent: checked::Extent| match extent {
            checked::Extent::Duration(length) => length,
            checked::Extent::Messages(messages) => span(messages),
        };
        let in_cycles =
            |extent: checked::Extent| cycles_after(measure.warmup, length_of(extent), base_cycle).max(1);
        let length = in_cycles(measure.extent);
        let whole = measure.whole.map(in_cycles);
        let first =
            |most: u64| if measure.until_precise { look(Measure::FIRST_WINDOW).min(most) } else { most };
        let whole = whole.map(|most| (first(most), most));
        let warmup = measure.warmup.map_or_else(
            || {
                let first = look(Measure::FIRST_WARMUP);
                Warmup::Detected { first, most: length.max(first.saturating_mul(Measure::WARMUP_LOOKS)) }
            },
            |given| Warmup::Given(Cycle(cycles(given))),
        );
        let extent = match measure.until_precise {
            false => Extent::Fixed(length),
            true => Extent::Precise { first: first(length), most: length, precision: measure.precision },
        };
        let horizon = measure.horizon.map(|horizon| Cycle(cycles(horizon)));
        Plan { warmup, extent, horizon, clock: Cycle::last(base_cycle), whole, message, can_saturate: true }
    }

    /// The plan of a trace: everything is measured, until the last message has ended or the horizon comes.
    pub fn of_trace(measure: &Measure, base_cycle: Duration) -> Plan {
        let clock = Cycle::last(base_cycle);
        let horizon =
            measure.horizon.map_or(clock, |horizon| (Time::ZERO + horizon).to_cycle_ceil(base_cycle));
        Plan {
            warmup: Warmup::Given(Cycle::ZERO),
            extent: Extent::Fixed(horizon.0.max(1)),
            horizon: Some(horizon),
            clock,
            whole: None,
            message: 0,
            can_saturate: false,
        }
    }

    /// The same for a load that is only asked whether it is carried: until the mean is known well enough to say so,
    /// within what is measured at least as long as `searched` may be.
    #[must_use]
    pub fn for_search(self, searched: &Plan) -> Plan {
        let (first, _) = searched.lengths();
        let most = self.lengths().1.max(searched.lengths().1);
        let extent = Extent::Precise { first: first.min(most), most, precision: CARRIED };
        Plan { extent, ..self }
    }

    /// When a point ends whose window ends at `to`, whatever is still under way.
    pub fn horizon(&self, to: Cycle) -> Cycle {
        self.horizon.unwrap_or(self.latest(to)).min(self.clock)
    }

    /// When the messages of a window that ends at `to` would have ended, if the network carried them.
    pub fn latest(&self, to: Cycle) -> Cycle {
        Cycle(to.0.saturating_mul(PATIENCE))
    }

    /// How long the messages of a window are followed that begins at `from` and has this length. A whole run that falls
    /// behind follows none beyond its own first window, so that its small form must not either: it would measure more.
    pub fn patience(&self, from: Cycle, to: Cycle, length: u64) -> Cycle {
        let horizon = self.horizon(to);
        match self.whole {
            Some((first, most)) if length < first.max(from.0).min(most) => {
                horizon.min(from + first.max(from.0).min(most))
            }
            _ => horizon,
        }
    }

    /// The last cycle that a window may reach: the horizon that was given, or the end of the simulated clock.
    pub fn limit(&self) -> Cycle {
        self.horizon.map_or(self.clock, |horizon| horizon.min(self.clock))
    }

    /// The first and the last length of the window, in cycles.
    pub fn lengths(&self) -> (u64, u64) {
        match self.extent {
            Extent::Fixed(length) => (length, length),
            Extent::Precise { first, most, .. } => (first, most),
        }
    }
}

/// The cycles that a span takes, a begun one counted in.
fn cycles_in(span: Duration, base_cycle: Duration) -> u64 {
    (Time::ZERO + span).to_cycle_ceil(base_cycle).0
}

/// The cycles of a measurement of some length that follows a given warm-up: both are rounded as one span, not as two.
fn cycles_after(warmup: Option<Duration>, length: Duration, base_cycle: Duration) -> u64 {
    let warmup = warmup.unwrap_or(Duration::ZERO);
    cycles_in(warmup + length, base_cycle).saturating_sub(cycles_in(warmup, base_cycle))
}
