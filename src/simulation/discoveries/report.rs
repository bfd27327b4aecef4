//! What a discovery came to: the object `discovery` of `summary.json`.

use serde::Serialize;

use crate::discovery::{Class, Finding, Rtts};
use crate::ids::Node;
use crate::scenario::discovery::{Cell, Method};
use crate::units::Duration;

use super::super::beside::{PaperReport, Spread};
use super::super::ranks::Waits;
use super::super::rtt::Outcome;
use super::infer::{Inferred, classes, rate};
use super::{Execution, Outcomes, Results};

mod beside;

/// The object `discovery` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct DiscoveryReport {
    /// What was measured, by network, rate, number of pairs at once and noise.
    pub measurements: Vec<MeasurementReport>,
    /// What was inferred: each of these by every method.
    pub results: Vec<ResultReport>,
    /// The same over all networks.
    pub shares: Vec<ShareReport>,
    /// Whether every method recovered every network every time.
    pub all_recovered: bool,
    /// Random clusters recovered from made-up matrices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovery: Vec<RecoveryReport>,
    /// The printed numbers and ours.
    pub paper: Vec<PaperReport>,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct MeasurementReport {
    /// The network, and what varies beside, with slashes between.
    pub id: String,
    /// The network.
    pub network: String,
    /// The rate of cables that give none of their own; none where nothing was measured.
    pub rate_bits_per_s: Option<u64>,
    /// How many pairs measured at once.
    pub at_once: u32,
    /// How much of the scenario's noise there was.
    pub noise_percent: u32,
    /// Machines.
    pub machines: usize,
    /// Switches that machines can tell apart from nothing: those on the ways between them.
    pub switches: usize,
    /// How often it was measured.
    pub executions: u32,
    /// How often every machine's results reached machine 0.
    pub complete: u32,
    /// The whole run of the tool, over the complete executions.
    pub total_s: Option<Spread>,
    /// Of that, measuring and gathering: RTT in the paper.
    pub rtt_s: Option<Spread>,
    /// Of that, gathering the results.
    pub gathering_s: Option<Spread>,
    /// Of that, classes and hop counts: DCHC in the paper; a constant of the scenario.
    pub clustering_s: f64,
    /// Of that, the tree: TC in the paper; a constant of the scenario.
    pub tree_s: f64,
    /// The share of the run that is measuring and gathering.
    pub rtt_share: Option<f64>,
    /// The share of measurements that settled at their first set of samples, over all executions.
    pub settled_first_share: Option<f64>,
    /// The most samples of a measurement's last set.
    pub samples_most: Option<u32>,
    /// How many measurements took how many samples, over all executions.
    pub samples: Vec<SamplesReport>,
    /// The times of every true hop count, in the first execution.
    pub true_classes: Vec<HopClassReport>,
    /// Messages between machines, background not counted in, over all executions.
    pub messages: u64,
    /// Those that the network lost.
    pub messages_lost: u64,
    /// The first of these, as sender and receiver.
    pub lost: Vec<String>,
    /// What ranks that could not go on wait for, of the first executions.
    pub stuck: Vec<String>,
    /// Frames over cables, each once a cable.
    pub frame_hops: u64,
    /// Frames that found no room.
    pub frames_dropped: u64,
}

/// How many measurements ended with sets of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SamplesReport {
    /// Samples of the last set.
    pub samples: u32,
    /// How many measurements.
    pub measurements: u64,
}

/// The round-trip times of one true hop count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HopClassReport {
    /// The switches between the machines.
    pub hops: u32,
    /// How many ordered pairs of machines.
    pub pairs: u64,
    /// The least time.
    pub low_ms: f64,
    /// The greatest.
    pub high_ms: f64,
}

/// A class of round-trip times that a method made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassReport {
    /// The least time.
    pub low_ms: f64,
    /// The greatest time.
    pub high_ms: f64,
    /// How many times.
    pub count: u64,
    /// The switches that they were taken for.
    pub hops: u32,
}

/// Something that a method found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingReport {
    /// Its kind, and the first machine that it is about, with a slash between.
    pub id: String,
    /// Its kind.
    pub code: &'static str,
    /// The machines that it is about.
    pub machines: Vec<String>,
    /// The sentence.
    pub text: String,
}

/// What a method inferred.
#[derive(Clone, Debug, Serialize)]
pub struct ResultReport {
    /// The measurement's id and the method, with a slash between.
    pub id: String,
    /// The measurement's id.
    pub measurement: String,
    /// The method.
    pub method: &'static str,
    /// How often it was asked.
    pub executions: u32,
    /// How often the tree was the true one.
    pub recovered: u32,
    /// The same as a share.
    pub recovered_share: f64,
    /// How often it gave no tree, incomplete measurements counted in.
    pub without_tree: u32,
    /// Pairs of machines with a wrong hop count, mean over the complete executions.
    pub wrong_pairs_mean: Option<f64>,
    /// The greatest error of a hop count over all executions.
    pub hop_error_max: u32,
    /// Switches of the tree in the first execution.
    pub switches: Option<u32>,
    /// The classes in the first execution.
    pub classes: Vec<ClassReport>,
    /// What was found in the first execution.
    pub findings: Vec<FindingReport>,
}

/// How often a method recovered the networks.
#[derive(Clone, Debug, Serialize)]
pub struct ShareReport {
    /// The method, and what varies beside networks, with slashes between.
    pub id: String,
    /// The method.
    pub method: &'static str,
    /// The rate, if that varies.
    pub rate_bits_per_s: Option<u64>,
    /// How many pairs measured at once.
    pub at_once: u32,
    /// How much noise.
    pub noise_percent: u32,
    /// Measurements, over networks and executions.
    pub executions: u32,
    /// How many of them gave the true tree.
    pub recovered: u32,
    /// The same as a share.
    pub share: f64,
}

/// How many random clusters a method recovered.
#[derive(Clone, Debug, Serialize)]
pub struct RecoveryReport {
    /// Switches, method and noise, with slashes between.
    pub id: String,
    /// The method.
    pub method: &'static str,
    /// Switches of each cluster.
    pub switches: u64,
    /// Machines of each.
    pub machines: u64,
    /// The standard deviation of a time, in thousandths of what one more switch adds.
    pub noise_permille: u32,
    /// How many clusters.
    pub clusters: u32,
    /// How many of them were recovered.
    pub recovered: u32,
    /// How many came to no tree; the others came to a wrong one.
    pub refused: u32,
    /// The same as a share.
    pub share: f64,
}

/// How many losses, waiting ranks and findings are named.
const NAMED: usize = 10;

impl DiscoveryReport {
    pub(super) fn new(results: &Results<'_>, recovery: Vec<RecoveryReport>) -> DiscoveryReport {
        let of = |outcomes: &Outcomes| MeasurementReport::new(results, outcomes);
        let measurements: Vec<MeasurementReport> = results.cells.iter().map(of).collect();
        let inferred = results.cells.iter().flat_map(|outcomes| {
            let methods = results.discovery.methods.iter().enumerate();
            methods.map(|(nth, method)| ResultReport::new(results, outcomes, nth, *method))
        });
        let inferred: Vec<ResultReport> = inferred.collect();
        let mut report = DiscoveryReport {
            shares: shares(results, &inferred),
            all_recovered: inferred.iter().all(|result| result.recovered == result.executions),
            measurements,
            results: inferred,
            recovery,
            paper: Vec::new(),
        };
        report.paper = beside::all(results, &report);
        report
    }
}

impl MeasurementReport {
    fn new(results: &Results<'_>, outcomes: &Outcomes) -> MeasurementReport {
        let Results { checked, discovery, .. } = results;
        let cell = outcomes.cell;
        let network = &discovery.networks[cell.network];
        let machines = network.machines.len();
        let measured = || outcomes.executions.iter().filter_map(|execution| execution.outcome.as_ref());
        let complete = || {
            let whole = outcomes.executions.iter().filter(|execution| !execution.inferred.is_empty());
            whole.filter_map(|execution| execution.outcome.as_ref())
        };
        let clustering = discovery.compute.clustering_of(machines);
        let tree = discovery.compute.tree_of(machines);
        let rtt = |outcome: &Outcome| outcome.measuring + outcome.gathering;
        let spread = |time: &dyn Fn(&Outcome) -> Duration| {
            Spread::of(&complete().map(|outcome| seconds(time(outcome))).collect::<Vec<_>>())
        };
        let total_s = spread(&|outcome| rtt(outcome) + clustering + tree);
        let rtt_s = spread(&rtt);
        let samples = samples(complete());
        let pairs: u64 = samples.iter().map(|of| of.measurements).sum();
        let first = samples.iter().find(|of| of.samples == discovery.plan.first);
        let rtts = outcomes.executions.first().and_then(|execution| execution.rtts.as_ref());
        let true_classes = rtts.map(|rtts| classes(rtts, &outcomes.truth)).unwrap_or_default();
        let names = Names { results, outcomes };
        MeasurementReport {
            id: discovery.id(cell),
            network: network.name.clone(),
            rate_bits_per_s: measured().next().map(|_| rate(checked, discovery, cell).as_bits_per_s()),
            at_once: discovery.at_once[cell.at_once],
            noise_percent: discovery.noise_percent[cell.noise],
            machines,
            switches: super::truth::switches(checked, discovery, cell),
            executions: discovery.executions,
            complete: count(outcomes.executions.iter().filter(|execution| !execution.inferred.is_empty())),
            rtt_share: total_s.zip(rtt_s).map(|(total, rtt)| rtt.mean / total.mean),
            total_s,
            rtt_s,
            gathering_s: spread(&|outcome| outcome.gathering),
            clustering_s: seconds(clustering),
            tree_s: seconds(tree),
            settled_first_share: (pairs > 0)
                .then(|| first.map_or(0.0, |of| of.measurements as f64 / pairs as f64)),
            samples_most: samples.last().map(|of| of.samples),
            samples,
            true_classes: true_classes.iter().map(HopClassReport::new).collect(),
            messages: measured().map(|outcome| outcome.messages).sum(),
            messages_lost: measured().map(|outcome| outcome.lost.len() as u64).sum(),
            lost: names.lost(),
            stuck: names.stuck(),
            frame_hops: outcomes.executions.iter().map(|execution| execution.hops).sum(),
            frames_dropped: outcomes.executions.iter().map(|execution| execution.dropped).sum(),
        }
    }
}

impl ResultReport {
    fn new(results: &Results<'_>, outcomes: &Outcomes, nth: usize, method: Method) -> ResultReport {
        let discovery = results.discovery;
        let measurement = discovery.id(outcomes.cell);
        let inferred = || outcomes.executions.iter().filter_map(move |execution| execution.inferred.get(nth));
        let errors: Vec<(u32, u32)> = inferred().map(|inferred| errors(outcomes, inferred)).collect();
        let recovered = count(inferred().filter(|inferred| is_recovered(outcomes, inferred)));
        let with_tree = count(inferred().filter(|inferred| inferred.tree.is_some()));
        let wrong: Vec<f64> = errors.iter().map(|(pairs, _)| f64::from(*pairs)).collect();
        let first = outcomes.executions.first().and_then(|execution| execution.inferred.get(nth));
        let names = machine_names(results, outcomes);
        let findings = first.into_iter().flat_map(|first| &first.findings).take(NAMED);
        ResultReport {
            id: format!("{measurement}/{}", method.name()),
            measurement,
            method: method.name(),
            executions: discovery.executions,
            recovered,
            recovered_share: f64::from(recovered) / f64::from(discovery.executions),
            without_tree: discovery.executions - with_tree,
            wrong_pairs_mean: Spread::of(&wrong).map(|wrong| wrong.mean),
            hop_error_max: errors.iter().map(|(_, error)| *error).max().unwrap_or(0),
            switches: first.and_then(|first| Some(first.tree.as_ref()?.switches)),
            classes: first.into_iter().flat_map(|first| &first.classes).map(ClassReport::new).collect(),
            findings: findings.map(|finding| FindingReport::new(finding, &names)).collect(),
        }
    }
}

impl HopClassReport {
    fn new(class: &Class) -> HopClassReport {
        let (low_ms, high_ms) = (class.low.as_ms_f64(), class.high.as_ms_f64());
        HopClassReport { hops: class.hops, pairs: class.count, low_ms, high_ms }
    }
}

impl ClassReport {
    fn new(class: &Class) -> ClassReport {
        let (low_ms, high_ms) = (class.low.as_ms_f64(), class.high.as_ms_f64());
        ClassReport { low_ms, high_ms, count: class.count, hops: class.hops }
    }
}

impl FindingReport {
    fn new(finding: &Finding, names: &[String]) -> FindingReport {
        let name = |machine: &usize| names.get(*machine).cloned().unwrap_or_default();
        let machines: Vec<String> = finding.machines().iter().map(name).collect();
        let id = match machines.first() {
            Some(first) => format!("{}/{first}", finding.code()),
            None => finding.code().to_owned(),
        };
        FindingReport { id, code: finding.code(), machines, text: finding.describe(names) }
    }
}

/// How often every method recovered the networks, by what varies beside these.
fn shares(results: &Results<'_>, inferred: &[ResultReport]) -> Vec<ShareReport> {
    let discovery = results.discovery;
    let mut shares: Vec<ShareReport> = Vec::new();
    let each = discovery.methods.len();
    for (nth, result) in inferred.iter().enumerate() {
        let cell = results.cells[nth / each].cell;
        let without = Cell { network: 0, ..cell };
        let varied = discovery.id(without);
        let varied = varied.strip_prefix(&discovery.networks[0].name).unwrap_or_default();
        let id = format!("{}{varied}", result.method);
        let at = shares.iter().position(|share| share.id == id).unwrap_or_else(|| {
            shares.push(ShareReport {
                id,
                method: result.method,
                rate_bits_per_s: cell.rate.map(|nth| discovery.rates[nth].as_bits_per_s()),
                at_once: discovery.at_once[cell.at_once],
                noise_percent: discovery.noise_percent[cell.noise],
                executions: 0,
                recovered: 0,
                share: 0.0,
            });
            shares.len() - 1
        });
        let share = &mut shares[at];
        share.executions += result.executions;
        share.recovered += result.recovered;
        share.share = f64::from(share.recovered) / f64::from(share.executions);
    }
    shares
}

/// How many pairs of machines have a wrong hop count, and the greatest error.
fn errors(outcomes: &Outcomes, inferred: &Inferred) -> (u32, u32) {
    let machines = outcomes.truth.machines();
    let pairs = (0..machines).flat_map(|a| (a + 1..machines).map(move |b| (a, b)));
    let error = |(a, b): (usize, usize)| outcomes.truth.between(a, b).abs_diff(inferred.hops.between(a, b));
    pairs
        .map(error)
        .filter(|error| *error > 0)
        .fold((0, 0), |(pairs, most), error| (pairs + 1, most.max(error)))
}

/// Whether the tree is the true one.
fn is_recovered(outcomes: &Outcomes, inferred: &Inferred) -> bool {
    inferred.tree.as_ref().is_some_and(|tree| tree.hops() == outcomes.truth)
}

/// How many measurements ended with how many samples, fewest first.
fn samples<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Vec<SamplesReport> {
    let mut counted = std::collections::BTreeMap::new();
    for samples in outcomes.flat_map(|outcome| &outcome.samples).filter(|samples| **samples > 0) {
        *counted.entry(*samples).or_insert(0) += 1;
    }
    counted.into_iter().map(|(samples, measurements)| SamplesReport { samples, measurements }).collect()
}

/// The names of the machines of a cell.
pub(super) fn machine_names(results: &Results<'_>, outcomes: &Outcomes) -> Vec<String> {
    let network = &results.discovery.networks[outcomes.cell.network];
    let name = |host: &_| network.topology.network.name_of(Node::Host(*host)).to_owned();
    network.machines.iter().map(name).collect()
}

/// Names in what went wrong.
struct Names<'a> {
    results: &'a Results<'a>,
    outcomes: &'a Outcomes,
}

impl Names<'_> {
    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.executions.iter().filter_map(|execution| execution.outcome.as_ref())
    }

    fn lost(&self) -> Vec<String> {
        let names = machine_names(self.results, self.outcomes);
        let lost = self.outcomes().flat_map(|outcome| &outcome.lost).take(NAMED);
        lost.map(|(from, to)| format!("{} > {}", names[*from], names[*to])).collect()
    }

    fn stuck(&self) -> Vec<String> {
        let names = machine_names(self.results, self.outcomes);
        let stuck = self.outcomes().flat_map(|outcome| &outcome.stuck).take(NAMED);
        let told = stuck.map(|stuck| {
            let waits = stuck.waits.iter().map(|waits| match waits {
                Waits::Message { from } => format!("a message of {}", names[*from]),
                Waits::Send { to } => format!("the end of its send to {}", names[*to]),
                Waits::Barrier => "the others".to_owned(),
            });
            format!("{} waits for {}", names[stuck.rank], waits.collect::<Vec<_>>().join(" and "))
        });
        told.collect()
    }
}

impl Execution {
    /// A time of the first matrix, if there is one.
    fn time(&self, from: usize, to: usize) -> Option<Duration> {
        self.rtts.as_ref().map(|rtts: &Rtts| rtts.get(from, to))
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).expect("executions are numbered by a u32")
}

fn seconds(time: Duration) -> f64 {
    time.as_ms_f64() / 1e3
}
