//! `route check --load`: routes or tables under uniform traffic, on the fabric that was judged.

use clap::{Args, ValueEnum};
use serde::Serialize;

use simnet_base::diagnostics::quoted;
use simnet_base::numbers::fixed;
use simnet_base::units::Bytes;
use simnet_network::routing::{Attachments, sends_on};
use simnet_network::topology::Network;
use simnet_running::simulation::{ChannelReport, DeadlockReport, State, Summary, run};
use simnet_scenario::checked::{Checked, InputFile, RouteSource, Topology};
use simnet_scenario::fabric::{Fabric, IN_TRANSIT};
use simnet_scenario::rates::{self, Rates};

use super::sources::Given;
use crate::cli::Failure;
use crate::cli::output::columns;

/// Traffic and measurement: packets that are as long as any, so that few fill a buffer.
const WORK: [&str; 3] =
    ["traffic.uniform.payload='4 KiB'", "measure.warmup='auto'", "measure.messages=100000"];

/// The generation of switches for tables of a network that gives no rate.
const USUAL: &str = "infiniband-edr";

/// Deadlocks and channels that are named.
const NAMED: usize = 4;

/// Under which load routes are run, and on what.
#[derive(Args)]
pub(super) struct LoadArguments {
    /// Run them under uniform traffic as well, at this load in payload flits per cycle and host, on the fabric that
    /// was judged: what is accepted, which channels are hot, and which deadlocks form
    #[arg(long, value_name = "LOAD", allow_negative_numbers = true)]
    pub(super) load: Option<f64>,
    /// Flow control there; credits if not given, but STOP and GO where hosts send on
    #[arg(long, value_enum, requires = "load")]
    flow: Option<Flow>,
    /// Give a key of the scenario that is run another value, as `fabric.buffer='4 KiB'`; may be given several times
    #[arg(long, value_name = "KEY=VALUE", requires = "load")]
    set: Vec<String>,
}

/// Flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Flow {
    /// Credits for whole packets on each of the lanes that were judged
    Credits,
    /// STOP and GO, on one lane
    StopGo,
}

/// What routes do under traffic.
#[derive(Serialize)]
pub(super) struct UnderLoad {
    load: f64,
    accepted_flits_per_cycle_per_host: f64,
    offered_flits_per_cycle_per_host: f64,
    saturated: bool,
    /// None if nothing was sent.
    state: Option<State>,
    /// The deadlocks that formed.
    deadlock_count: usize,
    /// The first few, with the cycle that closed and when.
    deadlocks: Vec<DeadlockReport>,
    /// The channels that carried most.
    busiest_channels: Vec<ChannelReport>,
    /// The channels that were held longest by worms that could not move.
    most_blocked_channels: Vec<ChannelReport>,
    fabric: Ran,
}

/// The fabric that routes were run on.
#[derive(Serialize)]
struct Ran {
    flow: Flow,
    /// Lanes of each channel.
    lanes: u8,
    /// Room of a port's input for each lane.
    buffer_bytes: u64,
    /// The longest packet; none where messages are not cut.
    mtu_bytes: Option<u64>,
    /// The generation of switches; none where the defaults of a scenario hold.
    preset: Option<&'static str>,
    /// Which cables have which rate, and from where.
    rates: String,
}

/// Routes or tables that are run at a load.
pub(super) struct Loaded<'a> {
    pub(super) given: &'a Given,
    pub(super) file: &'a InputFile,
    pub(super) arguments: &'a LoadArguments,
    pub(super) seed: u64,
}

impl Loaded<'_> {
    /// Runs the routes or tables on a network at this load, on as many lanes as they take there.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the load is none, or the network cannot be run.
    pub(super) fn run(&self, load: f64, topology: Topology) -> Result<UnderLoad, Failure> {
        let LoadArguments { flow, set, .. } = self.arguments;
        if !load.is_finite() {
            return Err(Failure::Usage(format!("`--load {load}`: expected a load above 0 and at most 1")));
        }
        let network = &topology.network;
        let attachments = Attachments::lowest(network);
        let (table, installed, lanes) = self.given.of_run(network, &attachments)?;
        // Hosts send on with STOP and GO alone.
        let sends_on = sends_on(network, &attachments, &table);
        let flow = flow.unwrap_or(if sends_on { Flow::StopGo } else { Flow::Credits });
        if flow == Flow::StopGo && lanes > 1 {
            let message = format!("`--flow stop-go` has one lane, and these tables were judged over {lanes}");
            return Err(Failure::Usage(message));
        }
        let rate = rates::most_frequent(&topology);
        let preset = match flow {
            Flow::Credits => Some(rate.map_or(USUAL, simnet_scenario::preset_of)),
            Flow::StopGo => rate.map(simnet_scenario::preset_of),
        };
        let mut assignments =
            vec!["routing.algorithm='updown'".to_owned(), format!("traffic.uniform.loads=[{load:?}]")];
        assignments.extend(WORK.map(str::to_owned));
        assignments.extend(preset.map(|preset| format!("fabric.preset='{preset}'")));
        if flow == Flow::Credits {
            assignments.extend(["fabric.flow='credits'".to_owned(), format!("fabric.lanes={lanes}")]);
        }
        if sends_on {
            assignments.push(format!("hosts.in-transit-latency='{IN_TRANSIT}'"));
        }
        assignments.extend(set.iter().cloned());
        let name = network.name.clone();
        let refused = |error: String| Failure::Usage(format!("{} cannot be run: {error}", quoted(&name)));
        let checked =
            simnet_scenario::of_network(topology, &assignments, self.seed).map_err(Failure::misused)?;
        let source = RouteSource::File { file: self.file.clone(), table, installed };
        let checked = checked.with_routes(source).map_err(refused)?;
        let summary = run(&checked, &(), None).map_err(|error| refused(error.to_string()))?.summary;
        Ok(UnderLoad::new(load, Ran::new(&checked, flow, preset), &summary))
    }
}

/// The rates of cables in words; what the network does not give is said by the preset.
fn rates_of(fabric: &Fabric, network: &Network, preset: Option<&str>) -> String {
    let rates = Rates::new(fabric, network);
    let text = rates.to_string();
    let text = preset.map_or(text.clone(), |preset| text.replace("[fabric]", preset));
    if rates.given == 0 { format!("{text}; the network gives none") } else { text }
}

impl Ran {
    fn new(checked: &Checked, flow: Flow, preset: Option<&'static str>) -> Ran {
        let fabric = &checked.fabric;
        let credits = fabric.credits.as_ref();
        Ran {
            flow,
            lanes: credits.map_or(1, |credits| credits.lanes),
            buffer_bytes: credits.map_or(fabric.buffer, |credits| credits.buffer).0,
            mtu_bytes: credits.map(|credits| credits.mtu.0),
            preset,
            rates: rates_of(fabric, &checked.topology.network, preset),
        }
    }

    /// One line for people.
    fn human(&self) -> String {
        let room = Bytes(self.buffer_bytes);
        let what = match (self.mtu_bytes, self.lanes) {
            (Some(mtu), 1) => {
                format!("credits, one lane of {room} an input, packets of {} at most", Bytes(mtu))
            }
            (Some(mtu), lanes) => {
                format!("credits, {lanes} lanes of {room} an input, packets of {} at most", Bytes(mtu))
            }
            (None, _) => format!("STOP and GO, one lane of {room} an input"),
        };
        let preset = self.preset.map_or(String::new(), |preset| format!("; all else as {preset}"));
        format!("{what}{preset}")
    }
}

impl UnderLoad {
    fn new(load: f64, fabric: Ran, summary: &Summary) -> UnderLoad {
        let point = summary.points().first();
        let hot = summary.stages().map(|stages| stages.hot_spots.clone()).unwrap_or_default();
        UnderLoad {
            load,
            accepted_flits_per_cycle_per_host: point.map_or(0.0, |p| p.accepted_flits_per_cycle_per_host),
            offered_flits_per_cycle_per_host: point.map_or(0.0, |p| p.offered_flits_per_cycle_per_host),
            saturated: point.is_some_and(|point| point.saturated),
            state: point.map(|point| point.state),
            deadlock_count: summary.deadlock_count(),
            deadlocks: summary.deadlocks().iter().take(NAMED).cloned().collect(),
            busiest_channels: hot.busiest_channels.into_iter().take(NAMED).collect(),
            most_blocked_channels: hot.most_blocked_channels.into_iter().take(NAMED).collect(),
            fabric,
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
        let accepted = match self.state {
            Some(State::Saturated) => format!("{accepted} (saturated)"),
            Some(State::Deadlocked) => "nothing in the end: it is deadlocked".to_owned(),
            _ => accepted,
        };
        let rows = [
            ("load, flits per cycle and host", fixed(Some(self.load), 4)),
            ("fabric", self.fabric.human()),
            ("rates", self.fabric.rates.clone()),
            ("accepted", accepted),
            ("deadlocks in this run", self.deadlock_count.to_string()),
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
