//! What pauses came to on an Ethernet: the object `allgather.pauses` of `summary.json`, and `pauses.csv`.

use std::collections::BTreeMap;

use serde::Serialize;

use simnet_base::ids::ChannelId;
use simnet_media::ethernet::{Ethernet, Flow, PRIORITIES, Parameters};
use simnet_network::topology::{End, Network};
use simnet_output::report::{record, table_of};

use crate::simulation::summary::{DeadlockReport, port_name};

/// The object `allgather.pauses` of `summary.json`: of all executions together, but where the first is named.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PauseReport {
    /// Bytes at an input above which its sender is paused.
    pub xoff_bytes: u64,
    /// At or below it the sender may send again.
    pub xon_bytes: u64,
    /// The buffer that the inputs of each switch share, in the place of these two; null if each has its own room.
    pub shared_bytes: Option<u64>,
    /// The most bytes of it that were in use at once in one switch; null without one.
    pub shared_peak_bytes: Option<u64>,
    /// Room above `xoff`, or in addition to that buffer.
    pub headroom_bytes: u64,
    /// The headroom with which nothing is dropped behind any cable of the network.
    pub headroom_needed_bytes: u64,
    /// The outputs of a shortest circle along which the next hops let paused queues wait for each other, `switch:port`;
    /// null if there is none, so that no deadlock can close, broadcasts aside.
    pub dependency_cycle: Option<Vec<String>>,
    /// How often a sender was told to pause.
    pub xoff: u64,
    /// How often one was told to send again.
    pub xon: u64,
    /// How often one was told once more to stay paused.
    pub refreshed: u64,
    /// How often a pause ran out before that.
    pub expired: u64,
    /// Ports that were paused at least once in the first execution.
    pub ports_paused: u64,
    /// Ports of hosts among them.
    pub hosts_paused: u64,
    /// For how long ports were paused, all together, up to the end of the run.
    pub paused_ms: f64,
    /// Frames dropped for want of headroom.
    pub frames_starved: u64,
    /// How often the watchdog found a queue blocked.
    pub storms: u64,
    /// Frames that the watchdog dropped.
    pub frames_discarded: u64,
    /// The most bytes that counted at one input at once.
    pub input_peak_bytes: u64,
}

record! {
    /// A priority on a channel that was paused, or whose frames were dropped.
    pub struct PauseRow {
        /// The port that was paused, `node:port`.
        pub paused: String,
        /// The input of the switch that paused it.
        pub by: String,
        /// The output of that switch that most of the frames were for by which it came to that; `by` and `behind` of
        /// all rows are the tree of pauses.
        pub behind: Option<String>,
        /// How many of the pauses that is of.
        pub behind_count: u64,
        /// The priority.
        pub priority: u64,
        /// How often it was told to pause.
        pub xoff: u64,
        /// How often it was told to send again.
        pub xon: u64,
        /// How often it was told once more to stay paused.
        pub refreshed: u64,
        /// How often its pause ran out before that.
        pub expired: u64,
        /// How often it began to obey.
        pub obeyed: u64,
        /// For how long it was paused, in all, up to the end of the run.
        pub paused_ms: f64,
        /// Frames dropped at the input for want of headroom.
        pub frames_starved: u64,
        /// The most bytes that counted at the input at once.
        pub peak_bytes: u64,
        /// How often the watchdog found the queue blocked.
        pub storms: u64,
        /// Frames that it dropped.
        pub frames_discarded: u64,
    }
}

/// What pauses came to in one execution.
#[derive(Clone, Debug)]
pub(super) struct Pauses {
    pub(super) report: PauseReport,
    pub(super) rows: Vec<PauseRow>,
    pub(super) deadlocks: Vec<DeadlockReport>,
}

impl Pauses {
    /// What has happened on an Ethernet; `None` without pauses. Costs O(channels).
    pub(super) fn of<P: Clone>(
        ethernet: &Ethernet<P>,
        network: &Network,
        parameters: &Parameters,
        (needed, dependency_cycle): (u64, Option<Vec<String>>),
    ) -> Option<Pauses> {
        let Flow::Pfc(pfc) = &parameters.flow else { return None };
        let rows = rows(ethernet, network);
        let sum = |of: fn(&PauseRow) -> u64| rows.iter().map(of).sum::<u64>();
        let paused = rows.iter().filter(|row| row.obeyed > 0);
        let hosts: Vec<&str> = network.hosts().iter().map(|host| host.name.as_str()).collect();
        let is_host =
            |row: &&PauseRow| row.paused.rsplit_once(':').is_some_and(|(name, _)| hosts.contains(&name));
        let peaks = &ethernet.counters().shared_peaks;
        let report = PauseReport {
            xoff_bytes: pfc.xoff.0,
            xon_bytes: pfc.xon.0,
            shared_bytes: pfc.shared.map(|of| of.pool.0),
            shared_peak_bytes: pfc.shared.map(|_| peaks.iter().map(|peak| peak.0).max().unwrap_or(0)),
            headroom_bytes: pfc.headroom.0,
            headroom_needed_bytes: needed,
            dependency_cycle,
            xoff: sum(|row| row.xoff),
            xon: sum(|row| row.xon),
            refreshed: sum(|row| row.refreshed),
            expired: sum(|row| row.expired),
            ports_paused: paused.clone().count() as u64,
            hosts_paused: paused.filter(is_host).count() as u64,
            paused_ms: rows.iter().map(|row| row.paused_ms).sum::<f64>().abs(),
            frames_starved: sum(|row| row.frames_starved),
            storms: sum(|row| row.storms),
            frames_discarded: sum(|row| row.frames_discarded),
            input_peak_bytes: rows.iter().map(|row| row.peak_bytes).max().unwrap_or(0),
        };
        let ns = |at: simnet_base::units::Time| at.as_ps() as f64 / 1e3;
        let deadlocks = ethernet.deadlocks().iter().map(|deadlock| {
            let queue = |end: End| format!("{}/{}", port_name(network, end), deadlock.priority);
            DeadlockReport {
                point: 0,
                formed_ns: ns(deadlock.formed),
                cycle: deadlock.members.iter().map(|member| queue(member.output)).collect(),
                worms: Vec::new(),
                cleared_by: deadlock.cleared.map(|(_, output)| queue(output)),
                cleared_ns: deadlock.cleared.map(|(at, _)| ns(at)),
            }
        });
        Some(Pauses { report, deadlocks: deadlocks.collect(), rows })
    }
}

impl PauseReport {
    /// Adds what came of another execution, but the ports, which are those of the first.
    pub(super) fn add(&mut self, other: &PauseReport) {
        self.xoff += other.xoff;
        self.xon += other.xon;
        self.refreshed += other.refreshed;
        self.expired += other.expired;
        self.paused_ms += other.paused_ms;
        self.frames_starved += other.frames_starved;
        self.storms += other.storms;
        self.frames_discarded += other.frames_discarded;
        self.shared_peak_bytes = self.shared_peak_bytes.max(other.shared_peak_bytes);
        self.input_peak_bytes = self.input_peak_bytes.max(other.input_peak_bytes);
    }
}

fn rows<P: Clone>(ethernet: &Ethernet<P>, network: &Network) -> Vec<PauseRow> {
    let mut causes: BTreeMap<(ChannelId, u8), (u64, ChannelId)> = BTreeMap::new();
    for (cause, count) in ethernet.causes() {
        let most = causes.entry((cause.paused, cause.priority)).or_insert((count, cause.behind));
        if count > most.0 {
            *most = (count, cause.behind);
        }
    }
    let ends = |channel: ChannelId| {
        let link = &network.links()[channel.0 as usize / 2];
        if channel.0.is_multiple_of(2) { (link.a, link.b) } else { (link.b, link.a) }
    };
    let channels = (0..2 * network.links().len()).map(ChannelId::new);
    let each = channels.flat_map(|channel| (0..PRIORITIES).map(move |priority| (channel, priority)));
    let row = |(channel, priority): (ChannelId, u8)| {
        let counted = ethernet.pauses(channel, priority)?;
        let is_worth_it = counted.xoff + counted.starved + counted.storms + counted.discarded > 0;
        let most = causes.get(&(channel, priority));
        let (from, to) = ends(channel);
        is_worth_it.then(|| PauseRow {
            paused: port_name(network, from),
            by: port_name(network, to),
            behind: most.map(|(_, behind)| port_name(network, ends(*behind).0)),
            behind_count: most.map_or(0, |(count, _)| *count),
            priority: u64::from(priority),
            xoff: counted.xoff,
            xon: counted.xon,
            refreshed: counted.refreshed,
            expired: counted.expired,
            obeyed: counted.obeyed,
            paused_ms: counted.paused.as_ms_f64(),
            frames_starved: counted.starved,
            peak_bytes: counted.peak.0,
            storms: counted.storms,
            frames_discarded: counted.discarded,
        })
    };
    each.filter_map(row).collect()
}

/// `pauses.csv`: a row for each port and priority that was paused, or whose frames were dropped.
pub(super) fn table(rows: &[PauseRow]) -> String {
    table_of(rows).into_csv()
}
