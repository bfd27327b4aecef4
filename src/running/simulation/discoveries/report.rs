//! What a discovery came to: the object `discovery` of `summary.json`.

use std::collections::BTreeMap;

use serde::Serialize;

use simnet_base::units::Duration;
use simnet_network::discovery::{Class, Finding, Rtts};
use simnet_output::report::{Listed, Table, record, table_of};
use simnet_scenario::discovery::Method;

use super::infer::Inferred;
use super::{Found, truth};
use crate::simulation::comparison::short;
use crate::simulation::ranks::Waits;
use crate::simulation::rtt::Outcome;

/// The object `discovery` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct DiscoveryReport {
    /// What was measured.
    #[serde(flatten)]
    pub measured: MeasurementReport,
    /// How many pairs took how many samples.
    pub samples: Vec<SamplesReport>,
    /// The times of every true hop count.
    pub true_classes: Vec<HopClassReport>,
    /// The first messages that the network lost, as sender and receiver.
    pub lost: Vec<String>,
    /// What ranks that could not go on wait for.
    pub stuck: Vec<String>,
    /// What each method inferred.
    pub methods: BTreeMap<Method, MethodReport>,
    /// Whether every method recovered the tree.
    pub all_recovered: bool,
    /// The times, row by row, if they are to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_ms: Option<Vec<Vec<f64>>>,
}

record! {
    /// What was measured. There are no times if nothing was, or not all.
    pub struct MeasurementReport {
        /// Machines.
        pub machines: usize,
        /// Switches that can be found: those on the ways between machines.
        pub switches: usize,
        /// Whether there is a matrix: whether every machine's results reached machine 0.
        pub complete: bool,
        /// The whole run of the tool.
        pub total_s: Option<f64>,
        /// Of that, measuring and gathering: RTT in the paper.
        pub rtt_s: Option<f64>,
        /// Of that, gathering the results.
        pub gathering_s: Option<f64>,
        /// Of the whole, classes and hop counts: DCHC in the paper, a constant of the scenario.
        pub clustering_s: f64,
        /// Of the whole, the tree: TC in the paper, a constant of the scenario.
        pub tree_s: f64,
        /// The share of the run that is measuring and gathering.
        pub rtt_share: Option<f64>,
        /// The share of pairs that settled at their first set of samples.
        pub settled_first_share: Option<f64>,
        /// The most samples of a pair's last set.
        pub samples_most: Option<u32>,
        /// Messages between machines, background not counted in.
        pub messages: u64,
        /// Those that the network lost.
        pub messages_lost: u64,
        /// Frames over cables, each once a cable.
        pub frame_hops: u64,
        /// Frames that found no room.
        pub frames_dropped: u64,
    }
}

/// How many pairs ended with sets of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SamplesReport {
    /// Samples of the last set.
    pub samples: u32,
    /// How many ordered pairs of machines.
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

record! {
    /// What a method inferred.
    pub struct MethodReport {
        /// How switches were inferred.
        #[serde(skip)]
        pub method: String,
        /// Whether the tree is the true one.
        pub recovered: bool,
        /// Whether there is no tree, as without a matrix.
        pub without_tree: bool,
        /// Pairs of machines with a wrong hop count.
        pub wrong_pairs: Option<u32>,
        /// The greatest error of a hop count.
        pub hop_error_max: Option<u32>,
        /// Switches of the tree.
        pub switches: Option<u32>,
        /// The classes of times in ms, and the switches that they were taken for.
        pub classes: Vec<ClassReport>,
        /// What was found, at most ten things: kinds.
        pub findings: Vec<FindingReport>,
    }
}

impl Listed for ClassReport {
    fn listed(classes: &[ClassReport]) -> String {
        let one = |class: &ClassReport| {
            format!("{}..{} ({})", short(class.low_ms), short(class.high_ms), class.hops)
        };
        let mut shown: Vec<String> = classes.iter().take(MOST_CLASSES).map(one).collect();
        if classes.len() > MOST_CLASSES {
            shown.push(format!("and {} more", classes.len() - MOST_CLASSES));
        }
        shown.join(", ")
    }
}

impl Listed for FindingReport {
    fn listed(findings: &[FindingReport]) -> String {
        let mut codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        codes.dedup();
        codes.join(" ")
    }
}

/// Classes that a table lists.
const MOST_CLASSES: usize = 6;
/// How many losses, waiting ranks and findings are named.
const NAMED: usize = 10;

impl DiscoveryReport {
    pub(super) fn new(found: &Found<'_>) -> DiscoveryReport {
        let Found { checked, discovery, names, outcome, rtts, .. } = found;
        let measured = outcome.as_ref();
        let complete = measured.filter(|_| rtts.is_some());
        let clustering = discovery.compute.clustering_of(names.len());
        let tree = discovery.compute.tree_of(names.len());
        let rtt = complete.map(|outcome| outcome.measuring + outcome.gathering);
        let total_s = rtt.map(|rtt| seconds(rtt + clustering + tree));
        let rtt_s = rtt.map(seconds);
        let samples = complete.map(samples).unwrap_or_default();
        let pairs: u64 = samples.iter().map(|of| of.measurements).sum();
        let settled = samples.iter().find(|of| of.samples == discovery.plan.first);
        let settled = settled.map_or(0, |of| of.measurements);
        let true_classes = rtts.iter().flat_map(|rtts| Class::of_hops(rtts, &found.truth));
        let methods = discovery.methods.iter().map(|method| (*method, MethodReport::new(*method, found)));
        let methods: BTreeMap<Method, MethodReport> = methods.collect();
        DiscoveryReport {
            measured: MeasurementReport {
                machines: names.len(),
                switches: truth::switches(checked, discovery),
                complete: rtts.is_some(),
                total_s,
                rtt_s,
                gathering_s: complete.map(|outcome| seconds(outcome.gathering)),
                clustering_s: seconds(clustering),
                tree_s: seconds(tree),
                rtt_share: total_s.zip(rtt_s).map(|(total, rtt)| rtt / total),
                settled_first_share: (pairs > 0).then(|| settled as f64 / pairs as f64),
                samples_most: samples.last().map(|of| of.samples),
                messages: measured.map_or(0, |outcome| outcome.messages),
                messages_lost: measured.map_or(0, |outcome| outcome.lost.len() as u64),
                frame_hops: found.hops,
                frames_dropped: found.dropped,
            },
            samples,
            true_classes: true_classes.map(|class| HopClassReport::new(&class)).collect(),
            lost: measured.map(|outcome| lost(outcome, names)).unwrap_or_default(),
            stuck: measured.map(|outcome| stuck(outcome, names)).unwrap_or_default(),
            all_recovered: methods.values().all(|method| method.recovered),
            methods,
            rtt_ms: rtts.as_ref().filter(|_| discovery.keep_matrices).map(in_ms),
        }
    }
}

impl DiscoveryReport {
    /// What was inferred, a row a method.
    pub fn inferred(&self) -> Table {
        table_of(self.methods.values())
    }

    /// What methods found, and what kept a matrix from being made, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let MeasurementReport { complete, messages, messages_lost, .. } = self.measured;
        if !complete {
            remarks.push(format!("NO matrix: LOST {messages_lost} of {messages} messages"));
            remarks.extend(self.lost.iter().map(|lost| format!("lost: {lost}")));
            remarks.extend(self.stuck.iter().cloned());
        }
        for (method, of) in &self.methods {
            remarks.extend(of.findings.iter().map(|finding| format!("{}: {}", method.name(), finding.text)));
        }
        remarks
    }
}

impl MethodReport {
    fn new(method: Method, found: &Found<'_>) -> MethodReport {
        let inferred = found.inferred.get(&method);
        let tree = inferred.and_then(|inferred| inferred.tree.as_ref());
        let (wrong_pairs, hop_error_max) = inferred.map(|inferred| errors(found, inferred)).unzip();
        let classes = inferred.map_or(&[][..], |inferred| &inferred.classes);
        let findings = inferred.map_or(&[][..], |inferred| &inferred.findings).iter().take(NAMED);
        MethodReport {
            method: method.name().to_owned(),
            recovered: tree.is_some_and(|tree| tree.hops() == found.truth),
            without_tree: tree.is_none(),
            wrong_pairs,
            hop_error_max,
            switches: tree.map(|tree| tree.switches),
            classes: classes.iter().map(ClassReport::new).collect(),
            findings: findings.map(|finding| FindingReport::new(finding, &found.names)).collect(),
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

/// How many pairs of machines have a wrong hop count, and the greatest error.
fn errors(found: &Found<'_>, inferred: &Inferred) -> (u32, u32) {
    let machines = found.truth.machines();
    let pairs = (0..machines).flat_map(|a| (a + 1..machines).map(move |b| (a, b)));
    let error = |(a, b): (usize, usize)| found.truth.between(a, b).abs_diff(inferred.hops.between(a, b));
    pairs
        .map(error)
        .filter(|error| *error > 0)
        .fold((0, 0), |(pairs, most), error| (pairs + 1, most.max(error)))
}

/// How many pairs ended with how many samples, fewest first.
fn samples(outcome: &Outcome) -> Vec<SamplesReport> {
    let mut counted = BTreeMap::new();
    for samples in outcome.samples.iter().filter(|samples| **samples > 0) {
        *counted.entry(*samples).or_insert(0) += 1;
    }
    counted.into_iter().map(|(samples, measurements)| SamplesReport { samples, measurements }).collect()
}

fn lost(outcome: &Outcome, names: &[String]) -> Vec<String> {
    let lost = outcome.lost.iter().take(NAMED);
    lost.map(|(from, to)| format!("{} > {}", names[*from], names[*to])).collect()
}

fn stuck(outcome: &Outcome, names: &[String]) -> Vec<String> {
    let sentences = outcome.stuck.iter().take(NAMED).map(|stuck| {
        let waits = stuck.waits.iter().map(|waits| match waits {
            Waits::Message { from } => format!("a message of {}", names[*from]),
            Waits::Send { to } => format!("the end of its send to {}", names[*to]),
            Waits::Barrier => "the others".to_owned(),
        });
        format!("{} waits for {}", names[stuck.rank], waits.collect::<Vec<_>>().join(" and "))
    });
    sentences.collect()
}

/// All times in ms, row by row.
fn in_ms(rtts: &Rtts) -> Vec<Vec<f64>> {
    let row = |from| rtts.row(from).iter().map(|time| time.as_ms_f64()).collect();
    (0..rtts.machines()).map(row).collect()
}

fn seconds(time: Duration) -> f64 {
    time.as_ms_f64() / 1e3
}
