//! What a checked scenario becomes: a fabric, hosts, routes, traffic and measures, run to an outcome.
//!
//! ```text
//!   Checked --mapping--> map --routing--> routes --distribution--> interfaces
//!                                            \--> points (one fabric each, in parallel) --> Run
//! ```
//! A run is a function of the checked scenario alone: no wall clock, no thread count, no printing.

pub mod hosts;
pub mod mapping;
mod overlay;
pub mod point;
mod routes;
mod summary;
mod tables;
pub mod traffic;
pub mod watch;

pub use mapping::{DistributionReport, MapReport};
pub use summary::{ChannelReport, DeadlockReport, Outcome, PointReport, Scale, Summary, port_name};
pub use watch::Watch;

use rayon::prelude::*;
use thiserror::Error;
use tracing::{debug, info};

use crate::fabric::BuildError;
use crate::ids::LinkId;
use crate::measure::Window;
use crate::report::{Curve, CurvePoint, draw};
use crate::routing::PlanError;
use crate::scenario::Checked;
use crate::scenario::checked::{
    Extent, Generated as GeneratedLoads, LinkFailure, Measure, Trace as TraceFile, Traffic,
};
use crate::scenario::cycles::flit_time;
use crate::traffic::{Generated, Source, Trace, Workload};
use crate::units::{Cycle, Duration, Time};

use point::{Point, Setup};
use routes::{HostRoutes, Routed};
use watch::Names;

/// Everything that came of a run.
pub struct Run {
    /// The object of `summary.json`.
    pub summary: Summary,
    /// The other result files: name and contents.
    pub files: Vec<(String, String)>,
    /// Events of all fabrics together.
    pub events: u64,
    /// Messages delivered over all points, warm-up included.
    pub messages_delivered: u64,
}

/// Why a checked scenario cannot be run after all.
#[derive(Debug, Error)]
pub enum RunError {
    /// The fabric refuses its parameters.
    #[error(transparent)]
    Fabric(#[from] BuildError),
    /// The network is too large for routes of all pairs.
    #[error(transparent)]
    Routes(#[from] PlanError),
}

/// Hears how far a run has come; for progress bars. May be called from several threads.
pub trait Progress: Sync {
    /// A new stage begins, of `steps` steps.
    fn stage(&self, name: &str, steps: u64);
    /// A step of the stage is done.
    fn step(&self);
}

impl Progress for () {
    fn stage(&self, _name: &str, _steps: u64) {}
    fn step(&self) {}
}

/// Runs a checked scenario, with `watch` watching its load points.
///
/// # Errors
/// [`RunError`]; nothing that the reader of scenarios lets through causes one.
pub fn run<W: Watch>(checked: &Checked, progress: &dyn Progress, watch: &W) -> Result<Run, RunError> {
    let parameters = checked.fabric_parameters();
    let setup = Setup {
        network: &checked.topology.network,
        parameters: &parameters,
        attachments: &checked.topology.attachments,
        failures: failures(checked, parameters.base_cycle),
        bits_between_errors: bits_between_errors(checked.fabric.bit_error_rate),
        seed: checked.seed,
    };
    let scale = Scale {
        base_cycle: parameters.base_cycle,
        flit_time: flit_time(checked.fabric.rate),
        hosts: checked.topology.attachments.iter().flatten().count(),
        precision: checked.measure.precision,
    };
    let routed = routes::prepare(checked, progress)?;
    info!(pairs = routed.report.as_ref().map(|report| report.pairs), "routes are ready");
    let stage = Stage { checked, setup: &setup, scale: &scale, progress, watch };
    let points = match (&checked.traffic, &routed.routes) {
        (Some(Traffic::Trace(trace)), Some(routes)) => vec![stage.replay(trace, routes)?],
        (Some(Traffic::Generated(generated)), Some(routes)) => stage.loads(generated, routes)?,
        _ => Vec::new(),
    };
    Ok(gather(checked, &setup, &scale, routed, &points))
}

/// Turns what came of a run into its summary and files.
fn gather(
    checked: &Checked,
    setup: &Setup<'_>,
    scale: &Scale,
    routed: Routed,
    points: &[(Option<f64>, Point)],
) -> Run {
    let reports: Vec<PointReport> =
        points.iter().map(|(load, p)| PointReport::new(*load, p, scale)).collect();
    let deadlocks = deadlocks(checked, setup, scale, points);
    let periods: Vec<u64> = setup.parameters.links.iter().map(|link| link.period).collect();
    let channels: Vec<Vec<ChannelReport>> =
        points.iter().map(|(_, point)| tables::channel_use(setup.network, point, &periods)).collect();
    let mut files = routed.files;
    if !points.is_empty() {
        let loads = || points.iter().map(|(load, _)| *load);
        files.push(("points.csv".to_owned(), tables::points(&reports)));
        let uses = loads().zip(channels.iter().map(Vec::as_slice));
        files.push(("channels.csv".to_owned(), tables::channels(uses)));
        let latencies = points.iter().map(|(load, point)| (*load, point));
        files.push(("latency_histograms.csv".to_owned(), tables::histograms(latencies, scale)));
        files.push(("deadlocks.csv".to_owned(), tables::deadlocks(&deadlocks)));
    }
    if let (Some(Traffic::Trace(trace)), [(_, point)], true) =
        (&checked.traffic, points, checked.output.deliveries)
    {
        files.push(("deliveries.csv".to_owned(), tables::deliveries(&trace.messages, point, scale)));
    }
    if let Some(svg) = curve(checked, &reports) {
        files.push(("latency.svg".to_owned(), svg));
    }
    let outcome = reports.iter().map(PointReport::outcome).max().unwrap_or(Outcome::Drained);
    let summary = Summary {
        scenario: checked.name.clone(),
        seed: checked.seed,
        outcome,
        map: routed.map,
        route: routed.report,
        distribution: routed.distribution,
        deadlock_count: deadlocks.len(),
        deadlocks,
        busiest_channels: busiest(&reports, channels),
        points: reports,
    };
    let events = routed.events + points.iter().map(|(_, point)| point.events).sum::<u64>();
    let messages_delivered = points.iter().map(|(_, point)| point.tally.delivered).sum();
    Run { summary, files, events, messages_delivered }
}

fn deadlocks(
    checked: &Checked,
    setup: &Setup<'_>,
    scale: &Scale,
    points: &[(Option<f64>, Point)],
) -> Vec<DeadlockReport> {
    let names = Names::new(checked);
    let worm = |tag| names.message(tag);
    let of_point = |(index, (_, point)): (usize, &(Option<f64>, Point))| {
        let report = move |deadlock| DeadlockReport::new(index, deadlock, setup.network, scale, worm);
        point.deadlocks.iter().map(report).collect::<Vec<_>>()
    };
    points.iter().enumerate().flat_map(of_point).collect()
}

/// How many of the busiest channels a summary names.
const BUSIEST: usize = 5;

/// The busiest channels of the highest load that was not saturated; ties in order of channel id.
fn busiest(reports: &[PointReport], channels: Vec<Vec<ChannelReport>>) -> Vec<ChannelReport> {
    let sure = reports.iter().zip(channels).rev().find(|(report, _)| !report.saturated);
    let Some((_, mut channels)) = sure else { return Vec::new() };
    channels.sort_by(|a, b| b.busy.total_cmp(&a.busy));
    channels.truncate(BUSIEST);
    channels.retain(|channel| channel.flits > 0);
    channels
}

/// The latency/throughput curve, if there are two points or more to draw.
fn curve(checked: &Checked, reports: &[PointReport]) -> Option<String> {
    let point = |report: &PointReport| {
        Some(CurvePoint {
            accepted: report.accepted_flits_per_cycle_per_host,
            mean_ns: report.latency_mean_ns?,
            p99_ns: report.latency_p99_ns?,
            doubtful: !report.converged,
        })
    };
    let points: Vec<CurvePoint> = reports.iter().filter_map(point).collect();
    (points.len() >= 2).then(|| {
        let title = format!("{}: latency against accepted traffic", checked.name);
        draw(&Curve { title, points }).expect("finite values can be drawn")
    })
}

/// The failures of cables, in base cycles.
fn failures(checked: &Checked, base_cycle: Duration) -> Vec<(LinkId, Cycle, Option<Cycle>)> {
    let of = |failure: &LinkFailure| {
        let until = failure.lasting.map(|lasting| (failure.at + lasting).to_cycle_ceil(base_cycle));
        (failure.link, failure.at.to_cycle_ceil(base_cycle), until)
    };
    checked.failures.iter().map(of).collect()
}

/// The mean number of bits between two errors: the inverse of the rate, rounded.
fn bits_between_errors(rate: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate in (0, 1) has an inverse above 1; the cast saturates"
    )]
    (rate > 0.0).then(|| (1.0 / rate) as u64)
}

/// What every load point of a run needs.
struct Stage<'a, W> {
    checked: &'a Checked,
    setup: &'a Setup<'a>,
    scale: &'a Scale,
    progress: &'a dyn Progress,
    watch: &'a W,
}

impl<W: Watch> Stage<'_, W> {
    /// The one point of a trace: measured from the start to the end of its last message.
    fn replay(&self, trace: &TraceFile, routes: &HostRoutes) -> Result<(Option<f64>, Point), RunError> {
        self.progress.stage("replaying", 1);
        let source = Trace::new(trace.messages.clone(), self.setup.network.hosts().len());
        let horizon = horizon(&self.checked.measure, self.scale.base_cycle).unwrap_or(Cycle(u64::MAX));
        let window = Window { from: Cycle::ZERO, to: horizon };
        Ok((None, self.point(0, source, routes, window, horizon)?))
    }

    /// Every load of generated traffic, several at a time.
    fn loads(
        &self,
        generated: &GeneratedLoads,
        routes: &HostRoutes,
    ) -> Result<Vec<(Option<f64>, Point)>, RunError> {
        self.progress.stage("loading", generated.loads.len() as u64);
        let one = |(nth, load): (usize, &f64)| {
            let workload = &generated.workload;
            let plan = Plan::new(*load, workload, &self.checked.measure, self.scale);
            let source = Generated::new(workload, *load, self.scale.flit_time, self.checked.seed);
            Ok((Some(*load), self.point(nth, source, routes, plan.window, plan.horizon)?))
        };
        generated.loads.par_iter().enumerate().map(one).collect()
    }

    fn point(
        &self,
        nth: usize,
        source: impl Source,
        routes: &HostRoutes,
        window: Window,
        horizon: Cycle,
    ) -> Result<Point, RunError> {
        debug!(point = nth, from = window.from.0, to = window.to.0, horizon = horizon.0, "a point begins");
        let mut eye = self.watch.open(nth);
        let keep = self.checked.output.deliveries;
        let point = point::run(self.setup, source, routes, window, horizon, keep, &mut eye)?;
        self.watch.close(nth, eye);
        self.progress.step();
        info!(
            point = nth,
            end = ?point.end,
            cycles = point.last.0,
            events = point.events,
            delivered = point.tally.delivered,
            deadlocks = point.deadlocks.len(),
            "a point ends"
        );
        Ok(point)
    }
}

fn horizon(measure: &Measure, base_cycle: Duration) -> Option<Cycle> {
    measure.horizon.map(|horizon| (Time::ZERO + horizon).to_cycle_ceil(base_cycle))
}

/// When a load point measures and ends.
struct Plan {
    window: Window,
    horizon: Cycle,
}

/// Without a horizon of its own, a point may take this many times as long as its warm-up and window.
const PATIENCE: u64 = 4;

impl Plan {
    fn new(load: f64, workload: &Workload, measure: &Measure, scale: &Scale) -> Plan {
        let length = match measure.extent {
            Extent::Duration(length) => length,
            Extent::Messages(messages) => {
                let senders = workload.pattern.senders().max(1) as u64;
                workload.mean_gap(load, scale.flit_time) * messages.div_ceil(senders)
            }
        };
        let from = (Time::ZERO + measure.warmup).to_cycle_ceil(scale.base_cycle);
        let to = (Time::ZERO + measure.warmup + length).to_cycle_ceil(scale.base_cycle);
        let window = Window { from, to: to.max(from + 1) };
        let horizon =
            horizon(measure, scale.base_cycle).unwrap_or(Cycle(window.to.0.saturating_mul(PATIENCE)));
        Plan { window, horizon }
    }
}
