//! What an all-gather comes to: the object `allgather` of `summary.json`.

use serde::Serialize;

use simnet_base::ids::Node;
use simnet_media::host::collective::Algorithm;
use simnet_scenario::ethernet::Transport;

use super::{Counts, Executions, Gather, PauseReport};
use crate::simulation::ranks::{Job, Outcome, Waits};
use crate::simulation::summary::DeadlockReport;
use simnet_base::measure::Spread;

/// The object `allgather` of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct GatherReport {
    /// The network.
    pub network: String,
    /// `ethernet` or `fabric`.
    pub medium: &'static str,
    /// How messages travel on an Ethernet.
    pub transport: Option<&'static str>,
    /// When a send is over.
    pub protocol: &'static str,
    /// The requested all-gather.
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
    /// Whether it ran, and every buffer held what it should.
    pub all_right: bool,
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
    /// Frames that outlived their time to live; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_expired: Option<u64>,
    /// Frames that were marked for congestion; absent where none can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_marked: Option<u64>,
    /// Notifications of congestion that hosts sent; absent but with DCQCN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifications: Option<u64>,
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
    /// What pauses came to; absent without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pauses: Option<PauseReport>,
    /// Deadlocks of paused queues, execution by execution; `deadlocks` of the summary.
    #[serde(skip)]
    pub deadlocks: Vec<DeadlockReport>,
}

/// How many lost messages and ranks that cannot go on are named.
const NAMED: usize = 10;

impl GatherReport {
    pub(super) fn new(gather: &Gather<'_>, job: Option<&Job>, executions: &Executions) -> GatherReport {
        let Gather { checked, allgather, found } = gather;
        let ran = gather.ran();
        let judged = ran.and_then(|ran| found.judgement(ran));
        let bound = gather.bound();
        // What is longer than the simulated clock goes is not known.
        let bound_ms = (bound.as_ps() < u64::MAX).then(|| bound.as_ms_f64());
        let times: Option<Vec<f64>> =
            executions.iter().map(|(outcome, _)| Some(outcome.mean()?.as_ms_f64())).collect();
        let time = times.and_then(|times| Spread::of(&times));
        let sum = |of: fn(&Outcome) -> u64| executions.iter().map(|(outcome, _)| of(outcome)).sum::<u64>();
        let count = |of: fn(&Counts) -> u64| executions.iter().map(move |(_, counts)| of(counts));
        let iterations = job.map_or(0, |job| job.iterations);
        let (right, wrong) = (sum(|outcome| outcome.right), sum(|outcome| outcome.wrong));
        let wanted = allgather.ranks() as u64 * u64::from(iterations) * executions.len() as u64;
        let missing = wanted.saturating_sub(right + wrong);
        let ethernet = allgather.medium.ethernet();
        let names = Names { gather, job, executions };
        GatherReport {
            network: checked.topology.network.name.clone(),
            medium: allgather.medium.kind().name(),
            transport: ethernet.map(|ethernet| ethernet.transport.name()),
            protocol: allgather.protocol.name(),
            algorithm: allgather.algorithm.name(),
            ran: ran.map(Algorithm::name),
            size_bytes: allgather.size.0,
            ranks: allgather.ranks(),
            machines: allgather.machines.len(),
            rate_bits_per_s: gather.slowest().as_bits_per_s(),
            iterations,
            executions: allgather.executions,
            time_mean_ms: time.map(|time| time.mean),
            time_min_ms: time.map(|time| time.min),
            time_max_ms: time.map(|time| time.max),
            bound_ms,
            efficiency: time.and_then(|time| Some(bound_ms? / time.mean)).filter(|share| share.is_finite()),
            all_right: found.refusal().is_none() && wrong == 0 && missing == 0,
            buffers_right: right,
            buffers_wrong: wrong,
            buffers_missing: missing,
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
            frames_expired: ethernet
                .and_then(|ethernet| ethernet.time_to_live)
                .map(|_| count(|counts| counts.expired).sum()),
            frames_marked: ethernet
                .and_then(|ethernet| ethernet.ecn)
                .map(|_| count(|counts| counts.marked).sum()),
            notifications: ethernet
                .filter(|ethernet| ethernet.transport == Transport::Dcqcn)
                .map(|_| count(|counts| counts.notifications).sum()),
            pauses: pauses(executions),
            deadlocks: deadlocks(executions),
        }
    }

    /// Whether it went otherwise than it should without a message lost: its ring does not exist, or a buffer has
    /// something else in it.
    pub fn is_wrong(&self) -> bool {
        self.refused.is_some() || self.buffers_wrong > 0
    }
}

/// What pauses came to in all executions.
fn pauses(executions: &Executions) -> Option<PauseReport> {
    let mut of_each = executions.iter().filter_map(|(_, counts)| Some(&counts.pauses.as_ref()?.report));
    let mut sum = of_each.next()?.clone();
    of_each.for_each(|other| sum.add(other));
    Some(sum)
}

fn deadlocks(executions: &Executions) -> Vec<DeadlockReport> {
    let found = executions.iter().filter_map(|(_, counts)| Some(&counts.pauses.as_ref()?.deadlocks));
    found.flatten().cloned().collect()
}

/// Names of ranks in what went wrong.
struct Names<'a> {
    gather: &'a Gather<'a>,
    job: Option<&'a Job>,
    executions: &'a Executions,
}

impl Names<'_> {
    fn rank(&self, rank: usize) -> String {
        let Some(job) = self.job else { return rank.to_string() };
        let name = self.gather.checked.topology.network.name_of(Node::Host(job.machines[rank]));
        format!("{name} (rank {rank})")
    }

    fn lost(&self) -> Vec<String> {
        let lost = self.executions.iter().flat_map(|(outcome, _)| &outcome.lost);
        lost.take(NAMED).map(|(from, to)| format!("{} > {}", self.rank(*from), self.rank(*to))).collect()
    }

    fn stuck(&self) -> Vec<String> {
        let stuck = self.executions.iter().flat_map(|(outcome, _)| &outcome.stuck);
        let sentences = stuck.take(NAMED).map(|stuck| {
            let waits = stuck.waits.iter().map(|waits| match waits {
                Waits::Message { from } => format!("a message of {}", self.rank(*from)),
                Waits::Send { to } => format!("the end of its send to {}", self.rank(*to)),
                Waits::Barrier => "the others at the barrier".to_owned(),
            });
            let waits = waits.collect::<Vec<_>>().join(" and ");
            format!("{} waits in repetition {} for {waits}", self.rank(stuck.rank), stuck.iteration)
        });
        sentences.collect()
    }
}
