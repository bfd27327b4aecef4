//! What all-gathers come to: the object `allgather` of `summary.json`.

use serde::Serialize;

use crate::host::collective::Algorithm;
use crate::scenario::allgather::{Allgather, Cell, Method, Quantity, Reference};

use super::super::beside::{PaperReport, Spread};
use super::super::ranks::{Outcome, Waits};
use super::{Outcomes, Results, bound, slowest};

/// The object `allgather` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct AllgatherReport {
    /// One entry for every combination, networks before media, rates, transports, protocols, algorithms and sizes.
    pub results: Vec<GatherReport>,
    /// Whether every buffer of every run held what it should, and every run had one.
    pub all_right: bool,
    /// The printed numbers and ours.
    pub paper: Vec<PaperReport>,
}

/// What came of one combination.
#[derive(Clone, Debug, Serialize)]
pub struct GatherReport {
    /// The network, the algorithm and the size, and what varies beside these, with slashes between.
    pub id: String,
    /// The network.
    pub network: String,
    /// `ethernet` or `fabric`.
    pub medium: &'static str,
    /// How messages travel on an Ethernet.
    pub transport: Option<&'static str>,
    /// When a send is over.
    pub protocol: &'static str,
    /// The all-gather asked for.
    pub algorithm: &'static str,
    /// What ran; none if there is no ring.
    pub ran: Option<&'static str>,
    /// What each rank contributes.
    pub size_bytes: u64,
    /// How many ranks.
    pub ranks: usize,
    /// How many machines.
    pub machines: usize,
    /// The rate of the slowest cable to a machine.
    pub rate_bits_per_s: u64,
    /// How often the operation was repeated between two readings of the clock.
    pub iterations: u32,
    /// How often that was measured.
    pub executions: u32,
    /// Mean time of the operation over machines and executions; none unless every rank ended.
    pub time_mean_ms: Option<f64>,
    /// Of the execution that took least.
    pub time_min_ms: Option<f64>,
    /// Of the execution that took longest.
    pub time_max_ms: Option<f64>,
    /// The time below which none can be: (P - N) m / B.
    pub bound_ms: Option<f64>,
    /// The bound over the mean time.
    pub efficiency: Option<f64>,
    /// Buffers that held what they should, over all ranks, repetitions and executions.
    pub buffers_right: u64,
    /// Buffers that held something else.
    pub buffers_wrong: u64,
    /// Buffers that were never filled, as their rank could not go on.
    pub buffers_missing: u64,
    /// The share of right ones in all of these.
    pub correct: f64,
    /// Messages between ranks.
    pub messages: u64,
    /// Messages that were lost.
    pub messages_lost: u64,
    /// The first of them, `sender > receiver` by machine and rank.
    pub lost: Vec<String>,
    /// The first ranks that cannot go on, and what they wait for.
    pub stuck: Vec<String>,
    /// Ranks that cannot go on.
    pub stuck_ranks: usize,
    /// Frames or worms that machines sent, all executions together.
    pub frames: u64,
    /// Frames over cables, each once a cable; none on the fabric.
    pub frame_hops: u64,
    /// Frames that found no room in a switch.
    pub frames_dropped: u64,
    /// Frames that switches sent to all others.
    pub frames_flooded: u64,
    /// The most bytes that were behind one port of a switch at once.
    pub buffer_peak_bytes: u64,
    /// The most switches that a message of the ring passes; none if what ran is no ring.
    pub max_path_length: Option<usize>,
    /// The least that this can be on that tree, as far as it is known; of found rings only.
    pub max_path_length_bound: Option<usize>,
    /// Whether no channel carries two messages of the ring; none if what ran is no ring.
    pub contention_free: Option<bool>,
    /// The most messages of the ring over one channel.
    pub max_channel_load: Option<usize>,
    /// What was judged: the `tree` that all messages keep to, or the `routes` that they take.
    pub judged_on: Option<&'static str>,
    /// Why nothing ran: there is no such ring.
    pub refused: Option<String>,
}

/// How many lost messages and ranks that cannot go on are named.
const NAMED: usize = 10;

impl AllgatherReport {
    pub(super) fn new(results: &Results<'_>) -> AllgatherReport {
        let reports: Vec<GatherReport> =
            results.cells.iter().map(|outcomes| GatherReport::new(results, outcomes)).collect();
        let all_right = reports.iter().all(GatherReport::is_right);
        let references = &results.allgather.references;
        let paper = references.iter().map(|reference| beside(results, &reports, reference)).collect();
        AllgatherReport { results: reports, all_right, paper }
    }
}

impl GatherReport {
    fn new(results: &Results<'_>, outcomes: &Outcomes) -> GatherReport {
        let Results { checked, allgather, found, .. } = results;
        let cell = outcomes.cell;
        let network = &allgather.networks[cell.network];
        let machines = network.machines.len();
        let found = &found[&super::Key::of(cell)];
        let ran = ran(allgather, cell, machines, found.refusal().is_some());
        let judged = ran.and_then(|ran| found.judgement(ran));
        let bound = bound(checked, allgather, cell);
        // What is longer than the simulated clock goes is not known.
        let bound_ms = (bound.as_ps() < u64::MAX).then(|| bound.as_ms_f64());
        let executions = &outcomes.executions;
        let times: Option<Vec<f64>> =
            executions.iter().map(|(outcome, _)| Some(outcome.mean()?.as_ms_f64())).collect();
        let time = times.and_then(|times| Spread::of(&times));
        let sum = |of: fn(&Outcome) -> u64| executions.iter().map(|(outcome, _)| of(outcome)).sum::<u64>();
        let count = |of: fn(&super::Counts) -> u64| executions.iter().map(move |(_, counts)| of(counts));
        let iterations = outcomes.job.as_ref().map_or(0, |job| job.iterations);
        let ranks = machines * allgather.ranks_per_machine as usize;
        let (right, wrong) = (sum(|outcome| outcome.right), sum(|outcome| outcome.wrong));
        let wanted = ranks as u64 * u64::from(iterations) * executions.len() as u64;
        let names = Names { results, outcomes };
        GatherReport {
            id: allgather.id(cell),
            network: network.name.clone(),
            medium: allgather.media[cell.medium].name(),
            transport: cell.transport.map(|nth| allgather.transports[nth].name()),
            protocol: allgather.protocols[cell.protocol].name(),
            algorithm: allgather.algorithms[cell.algorithm].name(),
            ran: ran.map(Algorithm::name),
            size_bytes: allgather.sizes[cell.size].0,
            ranks,
            machines,
            rate_bits_per_s: slowest(checked, allgather, cell).as_bits_per_s(),
            iterations,
            executions: allgather.executions,
            time_mean_ms: time.map(|time| time.mean),
            time_min_ms: time.map(|time| time.min),
            time_max_ms: time.map(|time| time.max),
            bound_ms,
            efficiency: time.and_then(|time| Some(bound_ms? / time.mean)).filter(|share| share.is_finite()),
            buffers_right: right,
            buffers_wrong: wrong,
            buffers_missing: wanted.saturating_sub(right + wrong),
            correct: if wanted == 0 { 0.0 } else { right as f64 / wanted as f64 },
            messages: sum(|outcome| outcome.messages),
            messages_lost: sum(|outcome| outcome.lost.len() as u64),
            lost: names.lost(),
            stuck: names.stuck(),
            stuck_ranks: executions.iter().map(|(outcome, _)| outcome.stuck.len()).sum(),
            frames: count(|counts| counts.sent).sum(),
            frame_hops: count(|counts| counts.hops).sum(),
            frames_dropped: count(|counts| counts.dropped).sum(),
            frames_flooded: count(|counts| counts.floods).sum(),
            buffer_peak_bytes: count(|counts| counts.peak_bytes).max().unwrap_or(0),
            max_path_length: judged.map(|judged| judged.max_path_length),
            max_path_length_bound: found.ring_bound(),
            contention_free: judged.map(|judged| judged.contention_free),
            max_channel_load: judged.map(|judged| judged.max_channel_load),
            judged_on: judged.map(|judged| judged.judged_on),
            refused: found.refusal().map(str::to_owned),
        }
    }

    /// Whether everything ran and every buffer held what it should.
    pub fn is_right(&self) -> bool {
        self.refused.is_none() && self.buffers_wrong == 0 && self.buffers_missing == 0
    }

    /// Whether something ran otherwise than it should without a message lost: a ring that does not exist, or a buffer
    /// with something else in it.
    pub fn is_wrong(&self) -> bool {
        self.refused.is_some() || self.buffers_wrong > 0
    }

    /// A quantity of it.
    pub(super) fn value(&self, quantity: Quantity) -> Option<f64> {
        match quantity {
            Quantity::Time => self.time_mean_ms,
            Quantity::Bound => self.bound_ms,
            Quantity::Efficiency => self.efficiency,
            Quantity::Hops => Some(self.frame_hops as f64),
            Quantity::Dropped => Some(self.frames_dropped as f64),
            Quantity::PathLength => self.max_path_length.map(|length| length as f64),
            // That is of several sizes together.
            Quantity::RingFrom => None,
        }
    }
}

/// What runs for a cell; none if there is no ring.
fn ran(allgather: &Allgather, cell: Cell, machines: usize, is_refused: bool) -> Option<Algorithm> {
    let ranks = machines * allgather.ranks_per_machine as usize;
    match allgather.algorithms[cell.algorithm] {
        Method::Found(_) => Some(Algorithm::Ring).filter(|_| !is_refused),
        Method::Blind(algorithm) => Some(algorithm.choose(ranks, allgather.sizes[cell.size].0).algorithm),
    }
}

/// Names of ranks in what went wrong.
struct Names<'a> {
    results: &'a Results<'a>,
    outcomes: &'a Outcomes,
}

impl Names<'_> {
    fn rank(&self, rank: usize) -> String {
        let Some(job) = &self.outcomes.job else { return rank.to_string() };
        let network = &self.results.allgather.networks[self.outcomes.cell.network].topology.network;
        let name = network.name_of(crate::ids::Node::Host(job.machines[rank]));
        format!("{name} (rank {rank})")
    }

    fn lost(&self) -> Vec<String> {
        let lost = self.outcomes.executions.iter().flat_map(|(outcome, _)| &outcome.lost);
        lost.take(NAMED).map(|(from, to)| format!("{} > {}", self.rank(*from), self.rank(*to))).collect()
    }

    fn stuck(&self) -> Vec<String> {
        let stuck = self.outcomes.executions.iter().flat_map(|(outcome, _)| &outcome.stuck);
        let told = stuck.take(NAMED).map(|stuck| {
            let waits = stuck.waits.iter().map(|waits| match waits {
                Waits::Message { from } => format!("a message of {}", self.rank(*from)),
                Waits::Send { to } => format!("the end of its send to {}", self.rank(*to)),
                Waits::Barrier => "the others at the barrier".to_owned(),
            });
            let waits = waits.collect::<Vec<_>>().join(" and ");
            format!("{} waits in repetition {} for {waits}", self.rank(stuck.rank), stuck.iteration)
        });
        told.collect()
    }
}

/// A printed number beside ours.
fn beside(results: &Results<'_>, reports: &[GatherReport], reference: &Reference) -> PaperReport {
    let Reference { number, measure, cell, over } = reference;
    let report = |cell: Cell| {
        let nth = results.cells.iter().position(|outcomes| outcomes.cell == cell)?;
        reports.get(nth)
    };
    let unit = number.printed.unit.split(' ').next().unwrap_or_default();
    let value = |cell: Cell| match measure {
        Quantity::RingFrom => ring_from(results, cell),
        _ => report(cell)?.value(*measure),
    };
    let divisor = over.map(|algorithm| value(Cell { algorithm, ..*cell }));
    // Our times are milliseconds and our sizes bytes; "KB" is 1,024 B in faraj2008.
    let scale = match (measure, unit) {
        _ if over.is_some() => 1.0,
        (Quantity::Time | Quantity::Bound, "s") => 1e-3,
        (Quantity::RingFrom, "KB") => 1.0 / 1_024.0,
        _ => 1.0,
    };
    let ours = |value: f64| match divisor {
        Some(by) => by.filter(|by| *by > 0.0).map(|by| value / by),
        None => Some(value * scale),
    };
    let bounds = report(*cell).filter(|report| report.executions > 1 && *measure == Quantity::Time);
    let bounds = bounds.and_then(|report| Some((ours(report.time_min_ms?)?, ours(report.time_max_ms?)?)));
    PaperReport::new(number, value(*cell).and_then(ours), bounds)
}

/// The least size of the scenario from which on a selection comes to the ring.
fn ring_from(results: &Results<'_>, cell: Cell) -> Option<f64> {
    let allgather = results.allgather;
    let machines = allgather.networks[cell.network].machines.len();
    let mut sizes: Vec<usize> = (0..allgather.sizes.len()).collect();
    sizes.sort_by_key(|nth| allgather.sizes[*nth]);
    let is_ring = |nth: &usize| {
        let cell = Cell { size: *nth, ..cell };
        ran(allgather, cell, machines, false) == Some(Algorithm::Ring)
    };
    let first = sizes.iter().rposition(|nth| !is_ring(nth)).map_or(0, |last| last + 1);
    sizes.get(first).map(|nth| allgather.sizes[*nth].0 as f64)
}
