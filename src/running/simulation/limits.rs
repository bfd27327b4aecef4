//! What limits a load, by evidence: the load is run again, short, with one resource at a time made ample.
//!
//! ```text
//!   least saturated load --short runs--> accepted as it is     (seed, seed + 1, seed + 2)
//!                        --decoding at once--> accepted then   (the same messages)   gain, ± 95 %
//!                        --a cable twice as fast--> ...
//!                        --other routes--> ...                 largest gain first
//! ```
//! A resource limits the load if more is accepted once it is ample, and by more than chance: the gains of the seeds
//! are pairs of runs of the same messages, and the half-width of their mean is Student's.
//!
//! # Scope and limitations
//! One resource is lifted at a time: where two limit a load together, neither may show a gain. A gain ends at what is
//! offered. The short runs warm up as long as the load point did and measure its window, or the first look of one that
//! measures until it is precise, if that is shorter. A resource that is there already, or of which the engine takes no
//! more, is not lifted; other routes that change nothing are not shown.
//!
//! # Validation
//! Twelve small networks with one known bottleneck each, in `tests/it/scenarios/limits.rs`.

mod liftings;

use rayon::prelude::*;
use serde::Serialize;

use simnet_base::measure::half_width;
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::traffic::Generated;
use simnet_network::routing::Report;
use simnet_network::topology::Network;
use simnet_output::report::{record, words};
use simnet_scenario::checked::{Explain, Generated as GeneratedLoads, Measure};
use simnet_scenario::fabric;

use super::failures::Outage;
use super::kept::Keep;
use super::plan::{Extent, Plan, Warmup};
use super::point::{self, Point, PointEnd, Setup};
use super::routes::HostRoutes;
use super::summary::{PointReport, Scale, State};
use super::{LoadPoints, RunError};
use liftings::{Lifting, Parts};

/// What limits a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// The load: the least saturated one, else the largest.
    pub load: f64,
    /// What its load point is worth. Nothing was lifted unless it is saturated.
    pub state: State,
    /// What was offered at it in the short runs; where there are none, at its load point.
    pub offered_flits_per_cycle_per_host: f64,
    /// What was accepted of that as the network is.
    pub accepted_flits_per_cycle_per_host: f64,
    /// How many short runs there were.
    pub runs: usize,
    /// Every resource that was lifted, the largest gain first.
    pub lifted: Vec<Lifted>,
}

/// A kind of resource. In this order gains are listed that chance does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// One cable.
    Cable,
    /// The time in which switches decode heads.
    Decoding,
    /// The buffers of switches.
    Buffers,
    /// The interfaces of hosts.
    Interfaces,
    /// The root of the routes.
    Root,
    /// The routes.
    Routes,
}

words!(Resource);

record! {
    /// A resource that was made ample, and what was accepted then.
    #[derive(PartialEq)]
    pub struct Lifted {
        /// The kind of resource.
        pub resource: Resource,
        /// One end of a cable, `node:port`; none of other resources.
        pub from: Option<String>,
        /// Its other end.
        pub to: Option<String>,
        /// The resource as it is.
        pub was: String,
        /// The resource as it was in these short runs.
        pub made: String,
        /// What was accepted then; none where the network died in a deadlock.
        pub accepted_flits_per_cycle_per_host: Option<f64>,
        /// How much more that is, in per cent.
        pub gain_percent: Option<f64>,
        /// Half the width of the 95 % confidence interval of the gain.
        pub gain_half_width_percent: Option<f64>,
        /// Whether the gain is more than chance: its interval begins above 0.
        pub beyond_chance: bool,
        /// Whether what is accepted then is within 1 % of what is offered, where a gain ends.
        pub carried: bool,
    }
}

/// Seeds that each lifting is run with: the scenario's and those that follow.
const SEEDS: u64 = 3;

/// The short runs together take at most this part of the messages of their load point where they were not asked for.
const SHARE: u64 = 5;

/// What is accepted is all that is offered, but for the ends of the window, from this share on.
const CARRIED: f64 = 0.99;

/// What a short run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Short {
    offered: f64,
    accepted: f64,
    dead: bool,
    events: u64,
    delivered: u64,
}

/// What was found, and what it took.
pub(super) struct Found {
    pub(super) limits: Limits,
    pub(super) events: u64,
    pub(super) delivered: u64,
}

/// Finds what limits the least saturated load, where that was asked for or takes little; `None` where neither is so, or
/// where the network died at every load.
///
/// # Errors
/// [`RunError::Stopped`] if it was given up.
pub(super) fn find(
    stage: &LoadPoints<'_>,
    generated: &GeneratedLoads,
    (routes, report): (&HostRoutes, Option<&Report>),
    points: &[(Option<f64>, Point)],
    outages: &[Outage],
) -> Result<Option<Found>, RunError> {
    let asked = stage.checked.output.explain;
    let reports = points.iter().map(|(load, point)| (PointReport::new(*load, point, stage.scale), point));
    let of_loads: Vec<_> =
        reports.filter_map(|(report, point)| Some((report.load?, report, point))).collect();
    let saturated = of_loads.iter().filter(|(_, report, _)| report.saturated);
    let Some((load, _, point)) = saturated.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        let carried = of_loads.iter().filter(|(_, report, _)| report.is_carried());
        let largest = carried.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|_| asked == Explain::Always);
        return Ok(largest.map(|(load, report, _)| Found::of_unsaturated(*load, report)));
    };
    if asked == Explain::Never {
        return Ok(None);
    }
    let trial = Trial::new(stage, (generated, routes), (*load, point), outages);
    // Before all routes are weighed: there are a lifting and the network as it is, at least.
    if asked == Explain::IfCheap && !trial.is_cheap(2 * SEEDS, point) {
        return Ok(None);
    }
    let liftings = liftings::all(stage.checked, stage.setup.parameters, (generated, point), report);
    let runs = SEEDS * (1 + liftings.len() as u64);
    if asked == Explain::IfCheap && !trial.is_cheap(runs, point) {
        return Ok(None);
    }
    stage.progress.stage("explaining", runs);
    trial.run(liftings).map(Some)
}

impl Found {
    /// A load that is not saturated: nothing is lifted.
    fn of_unsaturated(load: f64, report: &PointReport) -> Found {
        let limits = Limits {
            load,
            state: report.state,
            offered_flits_per_cycle_per_host: report.offered_flits_per_cycle_per_host,
            accepted_flits_per_cycle_per_host: report.accepted_flits_per_cycle_per_host,
            runs: 0,
            lifted: Vec::new(),
        };
        Found { limits, events: 0, delivered: 0 }
    }
}

/// What all short runs of a load share.
struct Trial<'a> {
    stage: &'a LoadPoints<'a>,
    generated: &'a GeneratedLoads,
    routes: &'a HostRoutes,
    outages: &'a [Outage],
    load: f64,
    /// How long a run warms up, and how long it measures.
    spans: (Duration, Duration),
}

impl<'a> Trial<'a> {
    fn new(
        stage: &'a LoadPoints<'a>,
        (generated, routes): (&'a GeneratedLoads, &'a HostRoutes),
        (load, point): (f64, &Point),
        outages: &'a [Outage],
    ) -> Trial<'a> {
        let workload = &generated.workload;
        let senders = (workload.pattern.senders() as u64).max(1);
        let gap = workload.mean_gap(load, stage.scale.flit_time);
        let span = |(least, a_host): (u64, u64)| gap * least.div_ceil(senders).max(a_host);
        let time = |cycles: u64| Duration::from_ps(cycles.saturating_mul(stage.scale.base_cycle.as_ps()));
        let warmup = time(point.window.from.0).max(span(Measure::FIRST_WARMUP));
        let window = time(point.window.cycles()).min(span(Measure::FIRST_WINDOW));
        Trial { stage, generated, routes, outages, load, spans: (warmup, window) }
    }

    /// Whether so many runs offer no more messages than a share of those of their point.
    fn is_cheap(&self, runs: u64, point: &Point) -> bool {
        let (warmup, window) = self.spans;
        let short = u128::from(warmup.as_ps()) + u128::from(window.as_ps());
        let whole = u128::from(point.window.to.0) * u128::from(self.stage.scale.base_cycle.as_ps());
        short * u128::from(runs) * u128::from(SHARE) <= whole
    }

    /// Runs the load as it is and with each lifting.
    fn run(&self, liftings: Vec<Lifting>) -> Result<Found, RunError> {
        let all: Vec<Option<Lifting>> = std::iter::once(None).chain(liftings.into_iter().map(Some)).collect();
        let ran: Vec<Option<Vec<Short>>> =
            all.par_iter().map(|lifting| self.lifted(lifting.as_ref())).collect::<Result<_, _>>()?;
        let spent = |of: fn(&Short) -> u64| ran.iter().flatten().flatten().map(of).sum();
        let (events, delivered) = (spent(|short| short.events), spent(|short| short.delivered));
        let runs = ran.iter().flatten().flatten().count();
        let mut each = all.into_iter().zip(ran).filter_map(|(lifting, ran)| Some((lifting, ran?)));
        let Some((_, own)) = each.next() else { return Err(RunError::Stopped) };
        // Of routes that lead to the very same runs the first are shown; of those that the network has, none.
        let mut seen = vec![own.clone()];
        let mut lifted = Vec::new();
        for (lifting, ran) in each {
            let Some(lifting) = lifting else { continue };
            if lifting.is_of_routes() && seen.contains(&ran) {
                continue;
            }
            lifted.push(judged(lifting, &own, &ran));
            seen.push(ran);
        }
        let limits = Limits {
            load: self.load,
            state: State::Saturated,
            offered_flits_per_cycle_per_host: mean(&own, |short| short.offered),
            accepted_flits_per_cycle_per_host: mean(&own, |short| short.accepted),
            runs,
            lifted: in_order(lifted),
        };
        Ok(Found { limits, events, delivered })
    }

    /// The runs with a lifting, one a seed; `None` if the engine refuses it or there are no such routes.
    fn lifted(&self, lifting: Option<&Lifting>) -> Result<Option<Vec<Short>>, RunError> {
        let checked = self.stage.checked;
        let own = || Parts { network: None, fabric: checked.fabric.clone(), hosts: checked.hosts };
        let parts = lifting.map_or_else(own, |lifting| lifting.parts(checked));
        let other = lifting.filter(|lifting| lifting.is_of_routes());
        let table = match other.map(|lifting| lifting.routes(checked)) {
            None => None,
            Some(Some(table)) => Some(table),
            Some(None) => return Ok(None),
        };
        let routes = table.as_ref().unwrap_or(self.routes);
        let seeds = (0..SEEDS).into_par_iter();
        let ran: Result<Vec<Short>, RunError> = seeds.map(|nth| self.short(&parts, routes, nth)).collect();
        match ran {
            Err(RunError::Fabric(_)) if lifting.is_some() => Ok(None),
            ran => ran.map(Some),
        }
    }

    /// One short run, under the `nth` seed.
    fn short(&self, parts: &Parts, routes: &HostRoutes, nth: u64) -> Result<Short, RunError> {
        let (checked, stage) = (self.stage.checked, self.stage);
        let network: &Network = parts.network.as_ref().unwrap_or(&checked.topology.network);
        let parameters = fabric::parameters(&parts.fabric, &parts.hosts, network);
        let base_cycle = parameters.base_cycle;
        let seed = checked.seed.wrapping_add(nth);
        let setup = Setup {
            network,
            parameters: &parameters,
            attachments: &checked.topology.attachments,
            failures: super::in_cycles(self.outages, base_cycle),
            bits_between_errors: stage.setup.bits_between_errors,
            seed,
            listener: stage.setup.listener,
        };
        let cycle = |span: Duration| (Time::ZERO + span).to_cycle_ceil(base_cycle);
        let (warmup, window) = self.spans;
        let (from, to) = (cycle(warmup), cycle(warmup + window));
        let payload = u64::from(self.generated.workload.sizes.longest());
        let plan = Plan {
            warmup: Warmup::Given(from),
            extent: Extent::Fixed((to.0 - from.0).max(1)),
            // Nothing but what is accepted in the window is asked for: messages are not followed beyond it.
            horizon: Some(Cycle(to.0.max(from.0 + 1))),
            clock: Cycle::last(base_cycle),
            whole: None,
            message: payload.saturating_mul(setup.slowest_period()),
            can_saturate: true,
        };
        let workload = &self.generated.workload;
        let source = Generated::new(workload, self.load, stage.scale.flit_time, seed);
        let point = point::run(&setup, source, routes, &plan, Keep::default(), &mut ())?;
        stage.progress.step();
        let scale = Scale { base_cycle, ..*stage.scale };
        let cycles = point.window.cycles();
        Ok(Short {
            offered: scale.rate(point.offered_flits, cycles),
            accepted: scale.rate(point.accepted_flits, cycles),
            dead: point.end == PointEnd::Deadlocked,
            events: point.events,
            delivered: point.tally.delivered,
        })
    }
}

fn mean(ran: &[Short], of: fn(&Short) -> f64) -> f64 {
    ran.iter().map(of).sum::<f64>() / ran.len().max(1) as f64
}

/// What a lifting gained over the runs as the network is, seed by seed.
fn judged(lifting: Lifting, own: &[Short], ran: &[Short]) -> Lifted {
    let is_dead = ran.iter().any(|short| short.dead);
    let accepted = (!is_dead).then(|| mean(ran, |short| short.accepted));
    let before = mean(own, |short| short.accepted);
    let gain = accepted.filter(|_| before > 0.0).map(|accepted| (accepted / before - 1.0) * 100.0);
    let pairs = own.iter().zip(ran);
    let gains: Vec<f64> = pairs.map(|(own, ran)| (ran.accepted - own.accepted) / before * 100.0).collect();
    let half = gain.and_then(|_| half_width(&gains));
    let Lifting { resource, ends, was, made, .. } = lifting;
    let (from, to) = ends.unzip();
    Lifted {
        resource,
        from,
        to,
        was,
        made,
        accepted_flits_per_cycle_per_host: accepted,
        gain_percent: gain,
        gain_half_width_percent: half,
        beyond_chance: gain.zip(half).is_some_and(|(gain, half)| gain > half),
        carried: accepted.is_some_and(|accepted| accepted >= CARRIED * mean(ran, |short| short.offered)),
    }
}

/// The largest gain first; of gains that differ by no more than chance the first kind of resource. Those of networks
/// that died are last.
fn in_order(mut lifted: Vec<Lifted>) -> Vec<Lifted> {
    lifted.sort_by_key(|one| one.resource);
    let mut ordered = Vec::with_capacity(lifted.len());
    let gain = |one: &Lifted| one.gain_percent.unwrap_or(f64::NEG_INFINITY);
    let half = |one: &Lifted| one.gain_half_width_percent.unwrap_or(0.0);
    while let Some(best) = lifted.iter().max_by(|a, b| gain(a).total_cmp(&gain(b))) {
        let is_as_good = |one: &Lifted| gain(one) + half(one).min(half(best)) >= gain(best);
        let first = lifted.iter().position(is_as_good).unwrap_or(0);
        ordered.push(lifted.remove(first));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(resource: Resource, gain: Option<f64>, half: f64) -> Lifted {
        Lifted {
            resource,
            from: None,
            to: None,
            was: String::new(),
            made: String::new(),
            accepted_flits_per_cycle_per_host: gain,
            gain_percent: gain,
            gain_half_width_percent: gain.map(|_| half),
            beyond_chance: gain.is_some_and(|gain| gain > half),
            carried: false,
        }
    }

    /// Wrong if a smaller gain came first that chance tells apart from the largest, if the order of liftings decided
    /// between equal ones, or if a network that died were taken for a gain.
    #[test]
    fn gains_are_in_order() {
        let lifted = vec![
            one(Resource::Routes, None, 0.0),
            one(Resource::Root, Some(20.5), 1.0),
            one(Resource::Decoding, Some(20.0), 1.0),
            one(Resource::Buffers, Some(5.0), 60.0),
            one(Resource::Cable, Some(10.0), 0.1),
        ];
        let order: Vec<Resource> = in_order(lifted).iter().map(|one| one.resource).collect();
        let expected =
            [Resource::Decoding, Resource::Root, Resource::Cable, Resource::Buffers, Resource::Routes];
        assert_eq!(order, expected);
    }

    /// Wrong if a gain were beyond chance that one seed of three contradicts, or one of equal gains were not.
    #[test]
    fn a_gain_within_the_noise_is_none() {
        let short = |accepted| Short { offered: 1.0, accepted, dead: false, events: 0, delivered: 0 };
        let own = [0.5, 0.5, 0.5].map(short);
        let lifting = || Lifting::decoding(String::new(), String::new());
        let noisy = judged(lifting(), &own, &[0.6, 0.49, 0.52].map(short));
        assert!(!noisy.beyond_chance && noisy.gain_percent.is_some_and(|gain| gain > 0.0), "{noisy:?}");
        let sure = judged(lifting(), &own, &[0.55, 0.55, 0.551].map(short));
        assert!(sure.beyond_chance, "{sure:?}");
        assert!(!judged(lifting(), &own, &own).beyond_chance);
        let idle = judged(lifting(), &[0.0; 3].map(short), &own);
        assert!(idle.gain_percent.is_none() && !idle.beyond_chance, "{idle:?}");
    }
}
