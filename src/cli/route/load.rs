//! `route check --load`: routes or tables under uniform traffic, on the wormhole fabric with one lane.

use serde::Serialize;

use simnet_base::diagnostics::quoted;
use simnet_base::numbers::fixed;
use simnet_network::routing::{Attachments, RouteTable, sends_on};
use simnet_network::topology::Network;
use simnet_running::simulation::{ChannelReport, DeadlockReport, Summary, run};
use simnet_scenario::checked::{InputFile, RouteSource, Topology, Work};
use simnet_scenario::fabric::IN_TRANSIT;

use crate::cli::Failure;
use crate::cli::output::columns;

/// What `--help` says of it.
pub(super) const HELP: &str = "Run them under uniform traffic as well, at this load in flits per cycle and host: \
    what is accepted, which channels are hot, and which deadlocks form, on a wormhole fabric of one lane";

/// What hosts send, and how long the network warms up and is measured.
const SPANS: [&str; 3] =
    ["traffic.uniform.payload='128 B'", "measure.warmup='1 ms'", "measure.duration='9 ms'"];

/// How many deadlocks and channels are named.
const NAMED: usize = 4;

/// What routes do under traffic.
#[derive(Serialize)]
pub(super) struct UnderLoad {
    load: f64,
    accepted_flits_per_cycle_per_host: f64,
    offered_flits_per_cycle_per_host: f64,
    saturated: bool,
    /// How many deadlocks formed.
    deadlock_count: usize,
    /// The first few, with the cycle that closed and when.
    deadlocks: Vec<DeadlockReport>,
    /// The channels that carried most.
    busiest_channels: Vec<ChannelReport>,
    /// The channels that were held longest by worms that could not move.
    most_blocked_channels: Vec<ChannelReport>,
}

/// Runs the routes of a file at a load.
///
/// # Errors
/// [`Failure::Usage`] if the load is none, or the network cannot be run.
pub(super) fn under_load(
    topology: Topology,
    (table, file): (RouteTable, InputFile),
    load: f64,
    seed: u64,
) -> Result<UnderLoad, Failure> {
    if !load.is_finite() {
        return Err(Failure::Usage(format!("`--load {load}`: expected a load above 0 and at most 1")));
    }
    let loads = format!("traffic.uniform.loads=[{load:?}]");
    let mut assignments = vec!["routing.algorithm='minimal'".to_owned(), loads];
    assignments.extend(SPANS.map(str::to_owned));
    if sends_on(&topology.network, &Attachments::lowest(&topology.network), &table) {
        assignments.push(format!("hosts.in-transit-latency='{IN_TRANSIT}'"));
    }
    let name = topology.network.name.clone();
    let mut checked = simnet_scenario::of_network(topology, &assignments, seed).map_err(Failure::misused)?;
    if let Work::Stages(stages) = &mut checked.work
        && let Some(routing) = &mut stages.routing
    {
        routing.source = RouteSource::File { file, table, on_lanes: None };
    }
    let refused = |error| Failure::Usage(format!("{} cannot be run: {error}", quoted(&name)));
    Ok(UnderLoad::new(load, &run(&checked, &(), None).map_err(refused)?.summary))
}

impl UnderLoad {
    fn new(load: f64, summary: &Summary) -> UnderLoad {
        let point = summary.points().first();
        let hot = summary.stages().map(|stages| stages.hot_spots.clone()).unwrap_or_default();
        UnderLoad {
            load,
            accepted_flits_per_cycle_per_host: point.map_or(0.0, |p| p.accepted_flits_per_cycle_per_host),
            offered_flits_per_cycle_per_host: point.map_or(0.0, |p| p.offered_flits_per_cycle_per_host),
            saturated: point.is_some_and(|point| point.saturated),
            deadlock_count: summary.deadlock_count(),
            deadlocks: summary.deadlocks().iter().take(NAMED).cloned().collect(),
            busiest_channels: hot.busiest_channels.into_iter().take(NAMED).collect(),
            most_blocked_channels: hot.most_blocked_channels.into_iter().take(NAMED).collect(),
        }
    }

    /// What was accepted, in flits per cycle and host.
    pub(super) fn accepted(&self) -> f64 {
        self.accepted_flits_per_cycle_per_host
    }

    /// How many deadlocks formed.
    pub(super) fn deadlocks(&self) -> usize {
        self.deadlock_count
    }

    /// The same for people.
    pub(super) fn human(&self, net: &Network) -> String {
        let shown = |text: &str| quoted(&net.labelled(text));
        let accepted = fixed(Some(self.accepted_flits_per_cycle_per_host), 4);
        let rows = [
            ("load, flits per cycle and host", fixed(Some(self.load), 4)),
            ("accepted", format!("{accepted}{}", if self.saturated { " (saturated)" } else { "" })),
            ("deadlocks", self.deadlock_count.to_string()),
        ];
        let mut text = format!("\n{}", columns(rows));
        for deadlock in &self.deadlocks {
            let cycle: Vec<_> = deadlock.cycle.iter().map(|output| shown(output)).collect();
            let formed = fixed(Some(deadlock.formed_ns / 1e3), 1);
            text += &format!("  closed after {formed} us: {}\n", cycle.join(", "));
        }
        for channel in &self.busiest_channels {
            let busy = fixed(Some(channel.busy * 100.0), 1);
            text +=
                &format!("  busy {busy} % of the time: {} -> {}\n", shown(&channel.from), shown(&channel.to));
        }
        text
    }
}
