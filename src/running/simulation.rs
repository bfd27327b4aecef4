//! What a checked scenario becomes: a fabric, hosts, routes, traffic and measures, run to an outcome.
//!
//! ```text
//!   Checked --mapping--> map --routing--> routes --distribution--> interfaces
//!                                            \--> points (one fabric each, in parallel) --> Run
//! ```
//! A run is a function of the checked scenario alone: no wall clock, no thread count, no printing.

pub mod allgather;
mod comparison;
pub mod daemon;
mod decoding;
pub mod discoveries;
pub mod failures;
pub mod hosts;
mod kept;
mod limits;
mod map_files;
pub mod mapping;
mod mappings;
pub mod names;
mod on_request;
mod operation;
mod overlay;
pub mod plan;
pub mod point;
pub mod presumptions;
mod progress;
pub mod ranks;
mod rates;
mod reason;
pub mod rings;
mod routes;
pub mod rtt;
mod saturation;
mod summary;
mod tables;
pub mod traffic;
pub mod zero_load;

pub use comparison::PaperReport;
pub(crate) use comparison::{paper, paper_page};
pub use decoding::{ArbiterReport, BusiestArbiter};
pub use limits::{Lifted, Limits, Resource};
pub use mapping::{DistributionReport, MapReport, measured_ms};
pub use mappings::map;
pub use names::{Names, heading};
pub use progress::{Listener, Progress};
pub use rates::RatesReport;
pub use reason::Reason;
pub use rings::RingReport;
pub use saturation::{Edge, Probe, Saturation, Verdict};
pub use summary::{
    ChannelReport, DeadlockReport, Findings, HotSpots, Outcome, PointReport, Scale, StagesReport, State,
    Summary, port_name,
};

use rayon::prelude::*;
use thiserror::Error;
use tracing::{debug, info};

use simnet_base::ids::LinkId;
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{BuildError, Member, Observer};
use simnet_media::trace::{Recorder, Recording, Scene, WormNames};
use simnet_media::traffic::{Generated, Source, Trace};
use simnet_network::ring::TreeError;
use simnet_network::routing::PlanError;
use simnet_output::report::{Csv, draw_curves};
use simnet_scenario::Checked;
use simnet_scenario::checked::{
    Failure, Generated as GeneratedLoads, Measure, Stages, Trace as TraceFile, Traffic, Work,
};

use failures::{Outage, TooManyFailures};
use kept::Keep;
use plan::Plan;
use point::{Point, PointError, Setup};
use routes::{HostRoutes, Routed};

/// The version of the model: it rises whenever the same scenario and seed give other results, so that what a sweep
/// has kept of an earlier version is not taken for one of this.
pub const MODEL: u32 = 9;

/// Everything that came of a run.
pub struct Run {
    /// The object of `summary.json`.
    pub summary: Summary,
    /// The other result files: name and contents.
    pub files: Vec<(String, String)>,
    /// The latency histogram, from the creation of messages, of the point that hot spots are of: nanoseconds, and how
    /// many took at most so long, in order. Empty without points.
    pub latencies: Vec<(f64, u64)>,
    /// Events of all fabrics together.
    pub events: u64,
    /// Messages delivered over all points, warm-up included, and in the background of a mapping.
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
    /// An all-gather cannot be run on its medium.
    #[error(transparent)]
    Gather(#[from] allgather::GatherError),
    /// Round-trip times cannot be measured.
    #[error(transparent)]
    Discovery(#[from] discoveries::DiscoveryError),
    /// There is no tree of all machines.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Chance would have more fail than anyone wants to see.
    #[error(transparent)]
    Failures(#[from] TooManyFailures),
    /// It was given up, as [`Progress::is_stopped`] asked, before anything was done that could be kept.
    #[error("interrupted before a load point was done")]
    Stopped,
}

impl From<PointError> for RunError {
    fn from(error: PointError) -> RunError {
        match error {
            PointError::Fabric(error) => RunError::Fabric(error),
            PointError::Stopped => RunError::Stopped,
        }
    }
}

/// Runs a checked scenario. `recorder` records the first run of its mapping, its load points, its operation, and the
/// first execution of its all-gather. Where `progress` asks to stop, the load points that are done are all that the run
/// has, and its summary says so; other work goes on to its end.
///
/// # Errors
/// [`RunError`]; of what the reader of scenarios lets through, only sizes and rates beyond reason cause one.
pub fn run(checked: &Checked, progress: &dyn Progress, recorder: Option<&Recorder>) -> Result<Run, RunError> {
    match &checked.work {
        Work::Stages(stages) => in_stages(checked, stages, progress, recorder),
        Work::Operation(operation) => operation::run(checked, operation, progress, recorder),
        Work::Allgather(allgather) => allgather::run(checked, allgather, progress, recorder),
        Work::Ring(rings) => rings::run(checked, rings),
        Work::Discovery(discovery) => discoveries::run(checked, discovery, progress),
    }
}

/// Maps, routes and loads the scenario's network, as far as it wants that.
fn in_stages(
    checked: &Checked,
    stages: &Stages,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Run, RunError> {
    let parameters = checked.fabric_parameters();
    let outages = outages(checked)?;
    let setup = Setup {
        network: &checked.topology.network,
        parameters: &parameters,
        attachments: &checked.topology.attachments,
        failures: in_cycles(&outages, parameters.base_cycle),
        bits_between_errors: bits_between_errors(checked.fabric.bit_error_rate),
        seed: checked.seed,
        listener: Listener(progress),
    };
    let scale = Scale {
        base_cycle: parameters.base_cycle,
        flit_time: checked.load_flit_time(),
        hosts: checked.topology.attachments.iter().flatten().count(),
        switches: checked.topology.network.switches().len(),
        precision: checked.measure.precision,
    };
    let routed = routes::prepare(checked, stages, progress, recorder)?;
    info!(pairs = routed.report.as_ref().map(|report| report.pairs), "routes are ready");
    let stage = LoadPoints { checked, stages, setup: &setup, scale: &scale, progress, recorder };
    let mut search = Search::default();
    let mut found = None;
    let mut asked = 1;
    let points = match (&stages.traffic, &routed.routes) {
        (Some(Traffic::Trace(trace)), Some(routes)) => vec![stage.replay(trace, routes)?],
        (Some(Traffic::Generated(generated)), Some(routes)) => {
            let points = stage.loads(generated, routes)?;
            asked = generated.loads.len();
            if let Some(resolution) = checked.measure.find_saturation {
                search = stage.find_saturation(generated, routes, &points, resolution)?;
            }
            if points.len() == asked && !search.is_stopped {
                match limits::find(&stage, generated, (routes, routed.report.as_ref()), &points, &outages) {
                    Err(RunError::Stopped) => search.is_stopped = true,
                    limits => found = limits?,
                }
            }
            points
        }
        _ => {
            asked = 0;
            Vec::new()
        }
    };
    let is_whole = points.len() == asked && !search.is_stopped;
    let mut run = gather(checked, stages, (&setup, &scale), routed, &points, search);
    if let Some(limits::Found { limits, events, delivered }) = found {
        run.files.extend(tables::limits(&limits));
        run.events += events;
        run.messages_delivered += delivered;
        run.summary.set_limits(limits);
    }
    run.summary.interrupted = !is_whole;
    run.files.extend(tables::outages(&checked.topology.network, &outages));
    run.files.push(tables::network(&checked.topology.network));
    Ok(run)
}

/// Turns what came of a run into its summary and files.
fn gather(
    checked: &Checked,
    stages: &Stages,
    (setup, scale): (&Setup<'_>, &Scale),
    routed: Routed,
    points: &[(Option<f64>, Point)],
    search: Search,
) -> Run {
    let reports: Vec<PointReport> =
        points.iter().map(|(load, p)| PointReport::new(*load, p, scale)).collect();
    let deadlocks = deadlocks(checked, setup, scale, points);
    let periods: Vec<u64> = setup.parameters.links.iter().map(|link| link.period).collect();
    let channels: Vec<Vec<ChannelReport>> =
        points.iter().map(|(_, point)| tables::channel_use(setup.network, point, &periods)).collect();
    let switch = &setup.parameters.switch;
    let arbiters: Vec<Vec<ArbiterReport>> = points
        .iter()
        .zip(&channels)
        .map(|((load, point), channels)| {
            decoding::arbiters(setup.network, setup.parameters, *load, point, channels)
        })
        .collect();
    let busiest_arbiter = decoding::busiest(&reports, &arbiters, switch.arbitration);
    let mut files = routed.files;
    if !points.is_empty() {
        let loads = || points.iter().map(|(load, _)| *load);
        let table = tables::points(&reports, &search.points);
        let drawn = draw_curves("points", &Csv::parse(&table), &checked.name);
        files.extend(drawn.map(|svg| ("latency.svg".to_owned(), svg)));
        files.push(("points.csv".to_owned(), table));
        let uses = loads().zip(channels.iter().map(Vec::as_slice));
        files.push(("channels.csv".to_owned(), tables::channels(uses)));
        let of_hosts = points.iter().map(|(load, point)| (*load, point));
        files.push(("hosts.csv".to_owned(), tables::hosts(&checked.topology, of_hosts, scale)));
        let latencies = points.iter().map(|(load, point)| (*load, point));
        files.push(("latency_histograms.csv".to_owned(), tables::histograms(latencies, scale)));
        files.push(("deadlocks.csv".to_owned(), tables::deadlocks(&deadlocks)));
        files.push(("arbiters.csv".to_owned(), decoding::table(&arbiters)));
    }
    files.extend(on_request::files(checked, stages, points, scale));
    if let Some(saturation) = &search.saturation {
        files.push(("saturation.csv".to_owned(), tables::saturation(saturation)));
    }
    let throughput = match &search.saturation {
        Some(found) => saturation::throughput(&found.probes),
        None => saturation::throughput(&reports.iter().filter_map(Probe::of).collect::<Vec<_>>()),
    };
    let is_late = routed.map.as_ref().is_some_and(|map| mapping::is_the_end(map.time_ms));
    let of_map = if is_late { Outcome::Horizon } else { Outcome::Drained };
    let outcome = reports.iter().map(PointReport::outcome).fold(of_map, Outcome::max);
    let hot_spots = HotSpots::new(&reports, &channels);
    let of_hot_spots = points.iter().find(|(load, _)| *load == hot_spots.hot_spots_load);
    let latencies = of_hot_spots.map_or_else(Vec::new, |(_, point)| tables::latencies(point, scale));
    let report = StagesReport {
        map: routed.map,
        route: routed.report,
        distribution: routed.distribution,
        deadlocks,
        hot_spots,
        throughput_flits_per_cycle_per_host: throughput,
        saturation: search.saturation,
        points: reports,
        limits: None,
        busiest_arbiter,
    };
    let summary = Summary::new(checked, outcome, Findings::Stages(Box::new(report)));
    let events = routed.events + search.events + points.iter().map(|(_, point)| point.events).sum::<u64>();
    let delivered: u64 = points.iter().map(|(_, point)| point.tally.delivered).sum();
    let messages_delivered = routed.delivered + delivered + search.delivered;
    Run { summary, files, latencies, events, messages_delivered }
}

fn deadlocks(
    checked: &Checked,
    setup: &Setup<'_>,
    scale: &Scale,
    points: &[(Option<f64>, Point)],
) -> Vec<DeadlockReport> {
    let names = Names::new(checked);
    let worm = |member: &Member| names.message(member.tag);
    let units = (scale.base_cycle, setup.parameters.lanes());
    let of_point = |(index, (_, point)): (usize, &(Option<f64>, Point))| {
        let report = move |deadlock| DeadlockReport::new(index, deadlock, setup.network, units, worm);
        point.deadlocks.iter().map(report).collect::<Vec<_>>()
    };
    points.iter().enumerate().flat_map(of_point).collect()
}

/// The failures of a scenario, those by chance among them.
fn failures_of(checked: &Checked) -> Result<Vec<Failure>, RunError> {
    let mut all = checked.failures.clone();
    for random in &checked.failures_at_random {
        all.extend(failures::drawn(&checked.topology.network, random, checked.seed)?);
    }
    Ok(all)
}

/// The same as outages of cables.
fn outages(checked: &Checked) -> Result<Vec<Outage>, RunError> {
    Ok(failures::outages(&checked.topology.network, &failures_of(checked)?))
}

/// Outages in base cycles.
fn in_cycles(outages: &[Outage], base_cycle: Duration) -> Vec<(LinkId, Cycle, Option<Cycle>)> {
    let of = |outage: &Outage| {
        let until = outage.until.map(|until| until.to_cycle_ceil(base_cycle));
        (outage.link, outage.from.to_cycle_ceil(base_cycle), until)
    };
    outages.iter().map(of).collect()
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

/// What a search for saturation came to, and what it took.
#[derive(Default)]
struct Search {
    saturation: Option<Saturation>,
    /// The loads that were tried, in the order of the search.
    points: Vec<PointReport>,
    events: u64,
    delivered: u64,
    /// Whether it was given up before it found anything.
    is_stopped: bool,
}

/// What every load point of a run needs.
struct LoadPoints<'a> {
    checked: &'a Checked,
    stages: &'a Stages,
    setup: &'a Setup<'a>,
    scale: &'a Scale,
    progress: &'a dyn Progress,
    recorder: Option<&'a Recorder>,
}

impl LoadPoints<'_> {
    /// The one point of a trace: measured from the start to the end of its last message.
    fn replay(&self, trace: &TraceFile, routes: &HostRoutes) -> Result<(Option<f64>, Point), RunError> {
        self.progress.stage("replaying", 1);
        let source = Trace::new(trace.messages.clone(), self.setup.network.hosts().len());
        let plan = Plan::of_trace(&self.checked.measure, self.scale.base_cycle);
        let point = match self.recorder {
            None => self.point(source, routes, (&plan, self.keep()), &mut ())?,
            Some(recorder) => {
                let mut recording = self.record(recorder, 0, None);
                let point = self.point(source, routes, (&plan, self.keep()), &mut recording)?;
                recorder.close(recording);
                point
            }
        };
        self.ended(0, &point);
        Ok((None, point))
    }

    /// Every load of generated traffic, several at a time; those that are done, where it was stopped.
    ///
    /// # Errors
    /// [`RunError::Stopped`] where none is.
    fn loads(
        &self,
        generated: &GeneratedLoads,
        routes: &HostRoutes,
    ) -> Result<Vec<(Option<f64>, Point)>, RunError> {
        self.progress.stage("loading", generated.loads.len() as u64);
        let loads = generated.loads.par_iter().enumerate();
        let run = |(nth, load): (usize, &f64)| {
            let point = self.one_load(nth, *load, generated, routes);
            point.map(|point| (Some(*load), point))
        };
        let ended: Vec<_> = loads.map(run).collect();
        let kept = ended.into_iter().filter(|point| !matches!(point, Err(RunError::Stopped)));
        let points: Vec<_> = kept.collect::<Result<_, RunError>>()?;
        if points.is_empty() && !generated.loads.is_empty() { Err(RunError::Stopped) } else { Ok(points) }
    }

    /// The `nth` load of generated traffic, recorded if the run is.
    fn one_load(
        &self,
        nth: usize,
        load: f64,
        generated: &GeneratedLoads,
        routes: &HostRoutes,
    ) -> Result<Point, RunError> {
        if self.progress.is_stopped() {
            return Err(RunError::Stopped);
        }
        let plan = self.plan(load, generated);
        let point = match self.recorder {
            None => self.load((load, self.keep()), generated, routes, &plan, &mut ())?,
            Some(recorder) => {
                let mut recording = self.record(recorder, nth, Some(load));
                let point = self.load((load, self.keep()), generated, routes, &plan, &mut recording)?;
                recorder.close(recording);
                point
            }
        };
        self.ended(nth, &point);
        Ok(point)
    }

    /// Bisects the load between the highest that is carried and the lowest that is not.
    fn find_saturation(
        &self,
        generated: &GeneratedLoads,
        routes: &HostRoutes,
        points: &[(Option<f64>, Point)],
        resolution: f64,
    ) -> Result<Search, RunError> {
        self.progress.stage("bisecting", 0);
        let report = |load, point: &Point| PointReport::new(load, point, self.scale);
        let mut probes: Vec<Probe> =
            points.iter().filter_map(|(load, point)| Probe::of(&report(*load, point))).collect();
        let mut search = Search::default();
        while let Some(load) = saturation::next_load(&probes, resolution) {
            let plan = self.search_plan(load, generated);
            let point = match self.load((load, Keep::default()), generated, routes, &plan, &mut ()) {
                Err(RunError::Stopped) => return Ok(Search { is_stopped: true, ..search }),
                point => point?,
            };
            search.events += point.events;
            search.delivered += point.tally.delivered;
            self.ended(probes.len(), &point);
            let tried = PointReport { search: Some(true), ..report(Some(load), &point) };
            probes.extend(Probe::of(&tried));
            search.points.push(tried);
        }
        let scale = self.scale;
        let found =
            saturation::found(probes, |most| scale.per_ns_and_switch(most), |most| scale.bits_per_s(most));
        search.saturation = Some(found);
        Ok(search)
    }

    /// Begins to record the load point at position `nth`; a mapping's scene comes before those of load points.
    fn record<'r>(&'r self, recorder: &Recorder, nth: usize, load: Option<f64>) -> Recording<'r> {
        let point = u32::try_from(nth).expect("few load points");
        let names = Names::new(self.checked);
        let names = WormNames::new(move |worm| names.message(worm.tag));
        recorder.open(Scene::point(point + u32::from(self.stages.mapping.is_some()), point, load), names)
    }

    fn plan(&self, load: f64, generated: &GeneratedLoads) -> Plan {
        self.plan_of(&self.checked.measure, load, generated)
    }

    fn plan_of(&self, measure: &Measure, load: f64, generated: &GeneratedLoads) -> Plan {
        let workload = &generated.workload;
        let gap = workload.mean_gap(load, self.scale.flit_time);
        let senders = workload.pattern.senders() as u64;
        let message = u64::from(workload.sizes.longest()).saturating_mul(self.setup.slowest_period());
        Plan::new(measure, (gap, message), senders, self.scale.base_cycle)
    }

    /// The plan of a load that is only asked whether it is carried.
    fn search_plan(&self, load: f64, generated: &GeneratedLoads) -> Plan {
        let own = self.plan(load, generated);
        let least = Measure { extent: Measure::SEARCHED, until_precise: true, ..self.checked.measure };
        let searched = if least.whole.is_some() { least.quick() } else { least };
        own.for_search(&self.plan_of(&searched, load, generated))
    }

    fn load(
        &self,
        (load, keep): (f64, Keep),
        generated: &GeneratedLoads,
        routes: &HostRoutes,
        plan: &Plan,
        observer: &mut impl Observer,
    ) -> Result<Point, RunError> {
        let source = Generated::new(&generated.workload, load, self.scale.flit_time, self.checked.seed);
        self.point(source, routes, (plan, keep), observer)
    }

    fn point(
        &self,
        source: impl Source,
        routes: &HostRoutes,
        (plan, keep): (&Plan, Keep),
        observer: &mut impl Observer,
    ) -> Result<Point, RunError> {
        debug!(?plan, "a point begins");
        Ok(point::run(self.setup, source, routes, plan, keep, observer)?)
    }

    /// What is kept of each load point in addition to its measures.
    fn keep(&self) -> Keep {
        on_request::keep(&self.checked.output, self.stages.traffic.as_ref(), self.scale.base_cycle)
    }

    fn ended(&self, nth: usize, point: &Point) {
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
    }
}
