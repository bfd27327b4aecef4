//! A scenario that cannot be wrong: every value in its unit, every name looked up, every file read.

use std::path::PathBuf;

use simnet_base::ids::{HostId, LinkId, Node, Port};
use simnet_base::units::{BitRate, Duration, Time};
use simnet_media::trace::Bounds;
use simnet_media::traffic::{TraceMessage, Workload};
use simnet_network::routing::{
    Attachments, Choices, DestinationTables, ForwardingTables, HighestLane, Lanes, RouteTable, Survey,
    TableTooLarge,
};
use simnet_network::topology::{End, Network};

use super::allgather::Allgather;
use super::discovery::Discovery;
use super::expect::Expectations;
use super::fabric::{Fabric, Hosts};
use super::mapping::Mapping;
use super::rings::Rings;
use super::sweep::Identity;

/// A whole scenario, ready to be run.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The folder's name under `results/`.
    pub name: String,
    /// What it is about, for people.
    pub description: Option<String>,
    /// What it says, for runs to be known by.
    pub identity: Identity,
    /// The seed of every random choice of the run but those below (a generated network has its own).
    pub seed: u64,
    /// The seed of routes that chance draws, trees of rings and hashes of equal-cost paths among them, where the
    /// scenario gives them none; `seed`, but in repetitions that vary one of the two alone.
    pub routing_seed: u64,
    /// The network and how hosts are attached to it.
    pub topology: Topology,
    /// The fabric, in physical units; [`Checked::fabric_parameters`] converts to flits and base cycles.
    pub fabric: Fabric,
    /// What all hosts share.
    pub hosts: Hosts,
    /// Failures, in the order of the file.
    pub failures: Vec<Failure>,
    /// Failures by chance.
    pub failures_at_random: Vec<RandomFailures>,
    /// What is done on the network.
    pub work: Work,
    /// How long each point is measured.
    pub measure: Measure,
    /// What is written in addition to the summary.
    pub output: Output,
    /// What the results are expected to be.
    pub expect: Expectations,
    /// Sentences about values that are legal but deserve a look, each with its place; to be printed to
    /// stderr.
    pub warnings: Vec<String>,
}

/// What a run does on its network; nothing else happens there.
#[derive(Clone, Debug)]
pub enum Work {
    /// Maps, routes and loads the fabric, as far as it is asked to.
    Stages(Stages),
    /// Operates the fabric for a while.
    Operation(Operation),
    /// Runs an all-gather.
    Allgather(Allgather),
    /// Finds a ring.
    Ring(Rings),
    /// Finds switches.
    Discovery(Discovery),
}

/// The stages of a run on the fabric, each on what the one before it has found.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// The mapper that runs before traffic, if any.
    pub mapping: Option<Mapping>,
    /// Where routes come from, if there are any.
    pub routing: Option<Routing>,
    /// The traffic, if any; with it there is a [`Routing`].
    pub traffic: Option<Traffic>,
}

/// The network of a run: it has at least two hosts with a cable.
#[derive(Clone, Debug)]
pub struct Topology {
    /// The network, whole.
    pub network: Network,
    /// Where it came from.
    pub source: TopologySource,
    /// The host that is left out when `far` picks a root.
    pub utility: Option<HostId>,
    /// Per host: the port that the run uses, `None` for a host without a cable.
    pub attachments: Vec<Option<Port>>,
}

/// Where a network came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopologySource {
    /// A preset, by name.
    Preset(String),
    /// A file.
    File(InputFile),
    /// A generator.
    Generated {
        /// The family, such as `random-regular`.
        family: String,
        /// Every parameter with its value, defaults included, in the family's order.
        parameters: Vec<(String, u64)>,
    },
}

/// A file that the scenario names, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// As the scenario names it: relative to the scenario's folder, or absolute.
    pub named: String,
    /// Where it was found.
    pub path: PathBuf,
    /// The blake3 hash of its bytes, in hexadecimal.
    pub hash: String,
}

/// What fails at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A cable, in both directions.
    Link(LinkId),
    /// A switch or a host, with all its cables.
    Node(Node),
}

/// A failure, and the return that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What fails.
    pub part: Part,
    /// When it fails.
    pub at: Time,
    /// How long it stays down; `None`: for ever.
    pub lasting: Option<Duration>,
}

/// A kind of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Every cable, those of hosts included.
    Links,
    /// Every switch.
    Switches,
    /// Every host.
    Hosts,
}

impl PartKind {
    /// All parts of the kind in a network, in the order of their ids.
    pub fn parts(self, network: &Network) -> Vec<Part> {
        match self {
            PartKind::Links => (0..network.links().len()).map(|link| Part::Link(LinkId::new(link))).collect(),
            PartKind::Switches => network.switch_ids().map(|id| Part::Node(Node::Switch(id))).collect(),
            PartKind::Hosts => network.host_ids().map(|id| Part::Node(Node::Host(id))).collect(),
        }
    }
}

impl Part {
    /// The cables that fail with it.
    pub fn links(self, network: &Network) -> Vec<LinkId> {
        match self {
            Part::Link(link) => vec![link],
            Part::Node(node) => network.cables(node).map(|(_, link, _)| link).collect(),
        }
    }

    /// What it is called in reports: `switch s3`, `host h1`, `cable s3:4 - h1:0`.
    pub fn described(self, network: &Network) -> String {
        match self {
            Part::Node(Node::Switch(id)) => format!("switch {}", network.name_of(Node::Switch(id))),
            Part::Node(Node::Host(id)) => format!("host {}", network.name_of(Node::Host(id))),
            Part::Link(link) => {
                let link = network.link(link);
                let [a, b] =
                    [link.a, link.b].map(|end| format!("{}:{}", network.name_of(end.node), end.port));
                format!("cable {a} - {b}")
            }
        }
    }
}

/// Failures by chance: every part of a kind fails on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomFailures {
    /// What fails.
    pub of: PartKind,
    /// The mean time from the start, or from its last return, to a part's failure; above zero.
    pub mean_uptime: Duration,
    /// The mean time that it is away; `None`: for ever.
    pub mean_repair: Option<Duration>,
    /// Failures begin before this.
    pub until: Time,
}

impl RandomFailures {
    /// The most failures by chance that are expected.
    pub const MOST: u64 = 100_000;

    /// How many failures are to be expected of so many parts; saturates.
    pub fn expected(&self, parts: u64) -> u64 {
        let cycle = self.mean_uptime + self.mean_repair.unwrap_or(Duration::ZERO);
        let span = self.until.since(Time::ZERO).as_ps();
        let each = if self.mean_repair.is_some() { span / cycle.as_ps().max(1) } else { 1.min(span) };
        each.saturating_mul(parts)
    }
}

/// The network in operation, with daemons that remap.
#[derive(Clone, Debug)]
pub struct Operation {
    /// How a daemon maps.
    pub mapping: Mapping,
    /// How it computes the routes that it hands out.
    pub choices: Choices,
    /// What applications send, if anything; at the mapping's load, else at the first of its own.
    pub traffic: Option<Generated>,
    /// How long it is operated; above zero.
    pub length: Duration,
    /// The hosts whose daemons map, the mapper first; none: all hosts, the highest address first.
    pub mappers: Vec<HostId>,
    /// How long after a mapping the next begins in any case; `None`: on suspicion only.
    pub remap_period: Option<Duration>,
    /// The span within which every cable is asked about once; `None`: none is.
    pub heartbeat: Option<Duration>,
    /// How long the answer to such a question is waited for.
    pub patience: Duration,
    /// How often it is asked again.
    pub confirm: u32,
    /// How many maps are made at most until two agree; at least 1.
    pub tries: u32,
    /// How long a backup waits for a sign of the mapper.
    pub takeover: Duration,
    /// The length of the intervals of the series.
    pub interval: Duration,
}

/// Where routes come from.
#[derive(Clone, Debug)]
pub struct Routing {
    /// A file or an algorithm.
    pub source: RouteSource,
    /// Hand the routes to every interface in-band, as acknowledged messages; then there is a [`Mapping`].
    pub distribute: bool,
}

/// A file or an algorithm that gives routes.
#[derive(Clone, Debug)]
pub enum RouteSource {
    /// A file as `simnet route --routes` writes, or of forwarding tables; every message of a trace has a route in it.
    File {
        /// The file.
        file: InputFile,
        /// Its routes.
        table: RouteTable,
        /// The forwarding tables that the routes follow; `None` of routes.
        installed: Option<Box<Installed>>,
    },
    /// Routes to be computed; random choices have the scenario's seed.
    Computed(Choices),
    /// Next hops by destination, paths on lanes: computed already, as more lanes may be needed than there are.
    OnLanes {
        /// The next hops.
        tables: Box<DestinationTables>,
        /// The routes of pairs, their lanes as service levels.
        table: RouteTable,
    },
}

/// Forwarding tables from a file, and the lanes that packets take by tables of their own.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The forwarding tables.
    pub tables: ForwardingTables,
    /// The lane of each service level at each switch, and the service levels of paths; `None` on one lane.
    pub lanes: Option<Lanes>,
}

impl Installed {
    /// Follows the tables from every host to every lid, on the lanes that packets take.
    pub fn survey(&self, network: &Network, attachments: &Attachments) -> Survey {
        match &self.lanes {
            None => Survey::of_tables(network, attachments, &self.tables),
            Some(lanes) => Survey::of_tables_on_lanes(network, attachments, &self.tables, lanes),
        }
    }

    /// Follows the tables from every host to the lowest lid of every other, and finds the highest lane that packets
    /// take, if lanes are known. Costs O(pairs x hops).
    ///
    /// # Errors
    /// [`TableTooLarge`] if the routes do not fit one table.
    pub fn routes(
        &self,
        network: &Network,
        attachments: &Attachments,
    ) -> Result<(RouteTable, Option<HighestLane>), TableTooLarge> {
        match &self.lanes {
            None => Ok((self.tables.routes(network, attachments)?, None)),
            Some(lanes) => self.tables.routes_on_lanes(network, attachments, lanes),
        }
    }
}

/// What hosts send.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Messages from a file.
    Trace(Trace),
    /// Messages drawn by chance.
    Generated(Generated),
}

/// Messages from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file.
    pub file: InputFile,
    /// Its messages in the order of the file; at least one.
    pub messages: Vec<TraceMessage>,
}

/// Messages drawn by chance, at several loads.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The destinations, how irregularly and how much at a time; at least one host sends.
    pub workload: Workload,
    /// Offered payload flits per host that sends and flit time, each above 0 and at most 1; one measured point
    /// each.
    pub loads: Vec<f64>,
}

/// How long each point is measured, and how sure its values have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Simulated time before measuring begins; `None`: until the transient is found to have ended.
    pub warmup: Option<Duration>,
    /// What is measured, at most if it ends when it is precise.
    pub extent: Extent,
    /// Whether a point ends as soon as it is known within the precision.
    pub until_precise: bool,
    /// The relative half-width of the mean latency's 95 % confidence interval that counts as converged.
    pub precision: f64,
    /// When a point ends whatever is still under way, counted from its start; `None`: a generated load
    /// after four times its warm-up and measurement, a trace never.
    pub horizon: Option<Duration>,
    /// How near the loads below and above saturation have to be to each other, relative to the higher; `None`:
    /// saturation is not looked for.
    pub find_saturation: Option<f64>,
    /// Whether a run fails if a point is neither saturated nor converged.
    pub require_convergence: bool,
    /// What is measured by the whole run, if this is its small form.
    pub whole: Option<Extent>,
}

/// What is measured at each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many messages created after the warm-up; at least 1.
    Messages(u64),
    /// The messages created in this span after the warm-up; above zero.
    Duration(Duration),
}

/// What is written in addition to the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `deliveries.csv`: what became of every message of a trace, or of so many messages of each load point.
    pub deliveries: Option<u64>,
    /// `series.csv`: the use of channels in intervals of this length, above zero.
    pub series: Option<Duration>,
    /// `warmup.csv`: the course of each load point from its start on.
    pub warmup: bool,
    /// `events.simlog`: what happened, so much of it.
    pub events: Option<Bounds>,
    /// `limits.csv`: what limits a load.
    pub explain: Explain,
}

/// When what limits a load is looked for, which takes short runs of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explain {
    /// Never.
    #[default]
    Never,
    /// Where the short runs take at most a fifth of the messages of their load.
    IfCheap,
    /// At the least saturated load, whatever that takes.
    Always,
}

/// So many loads are few: of more, the small form of a sweep has every so manieth.
const FEW_LOADS: usize = 4;

impl Checked {
    /// Whether events of it can be recorded.
    pub fn has_events(&self) -> bool {
        match &self.work {
            Work::Stages(stages) => stages.mapping.is_some() || stages.traffic.is_some(),
            Work::Operation(_) | Work::Allgather(_) => true,
            Work::Ring(_) | Work::Discovery(_) => false,
        }
    }

    /// Whether anything is done on the wormhole fabric.
    pub fn uses_fabric(&self) -> bool {
        match &self.work {
            Work::Stages(stages) => stages.mapping.is_some() || stages.traffic.is_some(),
            Work::Operation(_) => true,
            Work::Allgather(allgather) => allgather.medium.ethernet().is_none(),
            Work::Ring(_) | Work::Discovery(_) => false,
        }
    }

    /// The mapping, if there is one.
    pub fn mapping(&self) -> Option<&Mapping> {
        match &self.work {
            Work::Stages(stages) => stages.mapping.as_ref(),
            Work::Operation(operation) => Some(&operation.mapping),
            Work::Allgather(_) | Work::Ring(_) | Work::Discovery(_) => None,
        }
    }

    /// How routes between hosts are computed, if they are.
    pub fn choices(&self) -> Option<&Choices> {
        match &self.work {
            Work::Stages(Stages { routing: Some(routing), .. }) => match &routing.source {
                RouteSource::Computed(choices) => Some(choices),
                RouteSource::File { .. } | RouteSource::OnLanes { .. } => None,
            },
            Work::Operation(operation) => Some(&operation.choices),
            _ => None,
        }
    }

    /// The stages of a run on the fabric, if it is one.
    pub fn stages(&self) -> Option<&Stages> {
        match &self.work {
            Work::Stages(stages) => Some(stages),
            _ => None,
        }
    }

    /// The same scenario at a fraction of its cost: a twentieth of the messages or of the time; of an all-gather
    /// one execution of two repetitions.
    #[must_use]
    pub fn quick(mut self) -> Checked {
        self.measure = self.measure.quick();
        if let Work::Allgather(allgather) = self.work {
            self.work = Work::Allgather(allgather.quick());
        }
        self
    }

    /// The same as a point of the small form of a sweep: as [`Checked::quick`], and of more than four loads with every
    /// fourth, the last among them.
    #[must_use]
    pub(super) fn small(self) -> Checked {
        let mut small = self.quick();
        if let Work::Stages(Stages { traffic: Some(Traffic::Generated(generated)), .. }) = &mut small.work
            && generated.loads.len() > FEW_LOADS
        {
            let nth_from_last = (0..generated.loads.len()).rev();
            let loads = generated.loads.iter().zip(nth_from_last);
            let kept = loads.filter(|(_, nth)| nth % FEW_LOADS == 0).map(|(load, _)| *load);
            generated.loads = kept.collect();
        }
        small
    }
}

impl Topology {
    /// The same switches and machines with those cables that are `wanted` and that machines use, all at `rate` if
    /// one is given.
    ///
    /// # Panics
    /// Never: names and cables are those of a network.
    pub fn used(&self, rate: Option<BitRate>, wanted: impl Fn(LinkId) -> bool) -> Network {
        let network = &self.network;
        let mut part = Network::new(network.name.clone());
        for switch in network.switches() {
            part.push_switch(switch.clone()).expect("names are those of a network");
        }
        for host in network.hosts() {
            part.push_host(host.clone()).expect("names are those of a network");
        }
        let is_used = |end: End| match end.node {
            Node::Host(host) => self.attachments[host.index()] == Some(end.port),
            Node::Switch(_) => true,
        };
        for (nth, link) in network.links().iter().enumerate() {
            if wanted(LinkId::new(nth)) && is_used(link.a) && is_used(link.b) {
                let mut link = link.clone();
                link.rate = rate.or(link.rate);
                part.push_link(link).expect("cables are those of a network");
            }
        }
        part
    }

    /// The port of `host` that the run uses and the far end of its cable, if it has one.
    pub fn attachment(&self, host: HostId) -> Option<(Port, LinkId, End)> {
        let port = self.attachments[host.index()]?;
        let end = End::host(host, port.0);
        Some((port, self.network.link_at(end)?, self.network.peer(end)?))
    }
}

impl Measure {
    /// The most that is measured where a precision is asked for and no limit is given.
    pub const MOST: Extent = Extent::Messages(2_000_000);
    /// What a load is measured for at most, or longer if the scenario says so, that is only asked whether it is
    /// carried.
    pub const SEARCHED: Extent = Extent::Messages(1_000_000);
    /// Loads beyond which a search for saturation goes on in vain.
    pub const MOST_PROBES: usize = 60;
    /// Messages before the first look at a transient: at least so many, and so many a host that sends.
    pub const FIRST_WARMUP: (u64, u64) = (1_000, 8);
    /// Messages before the first look at a mean: at least so many, and so many a host that sends.
    pub const FIRST_WINDOW: (u64, u64) = (7_000, 8);
    /// A search for the end of the transient is given up after as long as the measurement may take, but not before so
    /// many times its first look.
    pub const WARMUP_LOOKS: u64 = 8;

    /// The same with a twentieth of the messages or of the time, at least one message, and no demand to converge.
    ///
    /// As the width of an interval falls with the root of what is measured, a precision to stop at is widened by
    /// that of twenty.
    #[must_use]
    pub fn quick(self) -> Measure {
        let extent = match self.extent {
            Extent::Messages(messages) => Extent::Messages((messages / 20).max(1)),
            Extent::Duration(span) => Extent::Duration(Duration::from_ps((span.as_ps() / 20).max(1))),
        };
        // Never narrower than it was: what is to be known better takes longer.
        let widened = |share: f64| (share * 4.5).min(0.5).max(share);
        let precision = if self.until_precise { widened(self.precision) } else { self.precision };
        let find_saturation = self.find_saturation.map(widened);
        let whole = self.whole.or(Some(self.extent));
        Measure { extent, precision, find_saturation, require_convergence: false, whole, ..self }
    }
}

impl Default for Measure {
    /// What a scenario without `[measure]` gets.
    fn default() -> Measure {
        Measure {
            warmup: None,
            extent: Extent::Messages(20_000),
            until_precise: false,
            precision: 0.05,
            horizon: None,
            find_saturation: None,
            require_convergence: false,
            whole: None,
        }
    }
}
