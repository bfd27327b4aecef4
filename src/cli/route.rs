//! `simnet route` and `simnet route check`: compute routes or read them, judge whether they can deadlock, and prove it.

mod certificate;
mod check;
mod compare;
mod cost;
mod destination;
mod dump;
mod failures;
mod judged;
mod lanes;
mod load;
mod roots;
mod sources;
mod suggest;
mod without;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::cli::output::Table;
use clap::{Args, Subcommand};
use simnet_base::numbers::{fixed, or_dash};

use simnet_base::diagnostics::quoted;
use simnet_base::ids::{HostId, Node, Port, Turn};
use simnet_network::routing::{
    self, Algorithm, Attachments, Choices, DependencyGraph, Engine, Judged, Plan, Report, write_gm_routes,
    write_routes,
};
use simnet_network::topology::{End, Network};
use simnet_scenario as scenario;
use simnet_scenario::checked::{RouteSource, Topology};

use super::network::{NetworkArguments, ReadingArguments, quoted_value};
use super::output::{columns, not_stdout, note, print, print_json, write_whole_by};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
#[command(after_help = lanes::HELP)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// A preset (now-c, pink, faraj-d, ...) or a file in any format that simnet reads
    #[arg(value_name = "TOPO")]
    topology: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    routing: RouteOptions,
    #[command(flatten)]
    destination: destination::DestinationOptions,
    /// Which of several shortest routes is taken: that of the lowest ports (`first`), any (`random`), all in turn
    /// (`round-robin`), or those left when paths over the fullest channels go first (`balanced`) [default: random]
    #[arg(long, value_name = "NAME")]
    select: Option<String>,
    /// Write the routes to this file, one JSON object a line
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    routes: Option<PathBuf>,
    /// Write the routes to this file as Myricom's GM reads them (`topo convert --to gm` writes the map)
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    gm_routes: Option<PathBuf>,
    /// Write the proof to this file where a deadlock is impossible, for `simnet route verify` or a check of your own
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    certificate: Option<PathBuf>,
    /// What has to hold, with commas between; else the exit code is 1, after all output. Without it, `route` exits 0
    /// whatever it finds. Where nothing could be judged, nothing holds
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    require: Vec<judged::Required>,
    /// Leave out a cable (`SWITCH:PORT`, or both ends as `A:PORT-B:PORT`) or a switch, by name or by the description
    /// that it alone has, and compare with the whole network; may be given several times
    #[arg(long, value_name = "CABLE|SWITCH", visible_alias = "without-switch")]
    without: Vec<String>,
}

/// How routes are found; what is not given takes its default.
#[derive(Args, Default)]
struct RouteOptions {
    #[arg(long, value_name = "NAME", help = algorithms())]
    algorithm: Option<String>,
    /// How the up ends of cables are found: breadth first (`bfs`) or depth first (`dfs`) [default: bfs]
    #[arg(long, value_name = "TREE")]
    tree: Option<String>,
    /// far, r0, r1, r2, spines (all spines of a fat tree or another levelled tree), or names of switches with commas
    /// between [default: spines in a levelled tree (not with `--tree dfs`, `--relabel` or a utility host), else far]
    #[arg(long, value_name = "far|r0|r1|r2|spines|NAME[,NAME...]")]
    root: Option<String>,
    /// Take the roots from a file of guids, one a line as 0x..., as `opensm -a` reads it; a host's guid stands for its
    /// switch
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    root_file: Option<PathBuf>,
    /// Relabel the switches that no route from these roots would cross, as `far` does: `--root X --relabel` gives again
    /// what `far` gave with the root X
    #[arg(long)]
    relabel: bool,
    /// Which neighbour a depth-first tree visits next: the one farthest, on average, from the switches not visited yet
    /// (`h1`), or that with most cables into the tree, then as h1 (`h2`) [default: h2]
    #[arg(long, value_name = "NAME")]
    heuristic: Option<String>,
}

/// What each algorithm does.
fn algorithms() -> String {
    let one = |(name, algorithm): &(&str, Algorithm)| format!("{} (`{name}`)", algorithm.about());
    let tables = |(name, engine): &(&str, Engine)| format!("{} (`{name}`)", engine.about());
    let all: Vec<String> = Algorithm::ALL.iter().map(one).chain(Engine::ALL.iter().map(tables)).collect();
    format!("How routes are found: {} [default: {}]", all.join("; "), Algorithm::ALL[0].0)
}

#[derive(Subcommand)]
enum Action {
    /// Judge routes that were computed elsewhere
    Check(check::Options),
    /// Check a certificate: that an order of channels proves a deadlock impossible
    Verify(certificate::Options),
    /// Name the one or two cables to add that improve the routes most, or what ends a deadlock
    Suggest(Box<suggest::Options>),
    /// Compare all routings of a network, and say which one to take
    Compare(compare::Options),
    /// Say which cable or switch would hurt most if it failed
    RankFailures(Box<failures::Options>),
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    match (&options.action, &options.topology) {
        (Some(action), _) => {
            let (name, instead) = match action {
                Action::Check(_) => ("check", "which goes without it"),
                Action::Verify(_) => ("verify", "which goes without it"),
                Action::Suggest(_) => ("suggest", "not behind it"),
                Action::Compare(_) => ("compare", "not behind it"),
                Action::RankFailures(_) => ("rank-failures", "not behind it"),
            };
            if let Some(given) = options.first_given() {
                return Err(Failure::Usage(format!("`{given}` stands before `{name}`, {instead}")));
            }
            match action {
                Action::Check(check) => check::run(check, common),
                Action::Verify(options) => certificate::run(options, common),
                Action::Suggest(options) => suggest::run(options, common),
                Action::Compare(options) => compare::run(options, common),
                Action::RankFailures(options) => failures::run(options, common),
            }
        }
        (None, Some(topology)) => {
            let network = NetworkArguments { topology: topology.clone(), reading: options.reading.clone() };
            match destination::run(options, &network, common)? {
                Some(exit) => Ok(exit),
                None => run_plan(options, &network, common),
            }
        }
        (None, None) => Err(Failure::Usage("`simnet route` needs a TOPO: a preset or a file".to_owned())),
    }
}

/// Computes the routes, writes them where requested, and prints their figures. Fine whatever it finds, unless what
/// is required does not hold.
fn run_plan(options: &Options, network: &NetworkArguments, common: &Common) -> Result<Exit, Failure> {
    let net = network.load()?;
    let topology = network.as_topology(&net)?;
    let choices = options.routing.choices(&topology, options.select.as_deref(), common)?;
    if let Some(text) = cost::slow_choice_note(&choices.algorithm, &net).filter(|_| !common.quiet) {
        note(&text);
    }
    let places = network.places().writes("--routes", options.routes.as_deref());
    let places = places.writes("--certificate", options.certificate.as_deref());
    places.writes("--gm-routes", options.gm_routes.as_deref()).check(common)?;
    let parts = without::parts(&net, &options.without)?;
    let left = routing::without(&net, &parts);
    let (report, dependencies, pairs) =
        judged_and_written(options, &left, &routing::choices_without(&net, &parts, &choices))?;
    if let Some(path) = &options.certificate {
        let written = Report { judged: Judged { host_pairs: pairs, ..report.judged }, ..report.clone() };
        certificate::write(path, (&written, &dependencies, None), &left, common)?;
    }
    if parts.is_empty() {
        show((&report, None), None, false, &left, common)?;
    } else {
        let (attachments, plan) = planned(&net, &choices)?;
        let names = parts.iter().map(|part| without::name(&net, *part)).collect();
        let whole = plan.report(&net, &attachments);
        let (of_left, whole) = (without::Shown::of(&report), without::Shown::of(&whole));
        let beside = without::Beside { left: of_left, whole, recomputed: None, tables: None };
        without::show(beside, &left, names, common)?;
    }
    let sound = options.require.iter().all(|required| report.holds(required.of_routes()));
    Ok(if sound { Exit::Fine } else { Exit::Expectation })
}

/// Judges the routes, and writes them where requested, how many pairs have one last: a file has those of the port by
/// which each host counts. What is not written is not kept either.
fn judged_and_written(
    options: &Options,
    net: &Network,
    choices: &Choices,
) -> Result<(Report, DependencyGraph, u64), Failure> {
    if options.routes.is_none() && options.gm_routes.is_none() {
        let judged = Plan::judge_at_once(net, &Attachments::every_port(net), choices);
        let (report, dependencies) = judged.map_err(|error| Failure::Usage(error.to_string()))?;
        let pairs = report.judged.host_pairs;
        return Ok((report, dependencies, pairs));
    }
    let (attachments, plan) = planned(net, choices)?;
    tracing::debug!(routes = plan.table.len(), "found the routes");
    if let Some(path) = &options.routes {
        write_whole_by(path, |mut out| write_routes(net, &attachments, &plan.table, &mut out))?;
    }
    if let Some(path) = &options.gm_routes {
        write_whole_by(path, |mut out| write_gm_routes(net, &plan.table, &mut out))?;
    }
    let (report, dependencies) = plan.judge(net, &attachments);
    let hosts = net.hosts().len();
    let written = |(source, destination, _): &(HostId, HostId, &[Turn])| {
        source.index() < hosts && destination.index() < hosts
    };
    Ok((report, dependencies, plan.table.iter().filter(written).count() as u64))
}

fn planned(net: &Network, choices: &Choices) -> Result<(Attachments, Plan), Failure> {
    let attachments = Attachments::every_port(net);
    let plan = Plan::new(net, &attachments, choices).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok((attachments, plan))
}

impl Options {
    /// What is given of all that only routes to be computed go with.
    fn first_given(&self) -> Option<&'static str> {
        let own = [
            (self.topology.is_some(), "TOPO"),
            (self.routing.algorithm.is_some(), "--algorithm"),
            (self.routing.tree.is_some(), "--tree"),
            (self.routing.root.is_some(), "--root"),
            (self.routing.root_file.is_some(), "--root-file"),
            (self.routing.relabel, "--relabel"),
            (self.routing.heuristic.is_some(), "--heuristic"),
            (self.select.is_some(), "--select"),
            (self.routes.is_some(), "--routes"),
            (self.gm_routes.is_some(), "--gm-routes"),
            (self.certificate.is_some(), "--certificate"),
            (!self.require.is_empty(), "--require"),
            (!self.without.is_empty(), "--without"),
        ];
        let own = own.into_iter().find(|(given, _)| *given).map(|(_, name)| name);
        own.or_else(|| self.destination.first_given()).or_else(|| self.reading.first_given())
    }
}

impl RouteOptions {
    /// An algorithm with all defaults.
    fn of(algorithm: &str) -> RouteOptions {
        RouteOptions { algorithm: Some(algorithm.to_owned()), ..RouteOptions::default() }
    }

    /// What `[routing]` makes of these options, and of a selection if one is given.
    fn choices(
        &self,
        topology: &Topology,
        select: Option<&str>,
        common: &Common,
    ) -> Result<Choices, Failure> {
        let algorithm = self.algorithm.as_deref().or(Some("updown"));
        let texts = [
            ("algorithm", algorithm),
            ("tree", self.tree.as_deref()),
            ("heuristic", self.heuristic.as_deref()),
            ("select", select),
        ];
        let given = texts.iter().filter_map(|(key, text)| Some((*key, quoted_value((*text)?))));
        let root = self.root_value(&topology.network)?.map(|value| ("root", value));
        let relabel = self.relabel.then(|| ("relabel", "true".to_owned()));
        let assignments: Vec<String> =
            given.chain(root).chain(relabel).map(|(key, value)| format!("routing.{key}={value}")).collect();
        let seed = common.seed.unwrap_or(0);
        let routing = scenario::routing_of_network(topology, &assignments, seed).map_err(Failure::misused)?;
        match routing.source {
            RouteSource::Computed(choices) => Ok(choices),
            RouteSource::File { .. } | RouteSource::OnLanes { .. } => {
                unreachable!("no option names a file of routes, or lanes")
            }
        }
    }
}

impl RouteOptions {
    /// What `routing.root` is to be, if it is given.
    fn root_value(&self, net: &Network) -> Result<Option<String>, Failure> {
        if let Some(path) = &self.root_file {
            return roots::of_file(net, path).map(Some);
        }
        Ok(self.root.as_deref().map(|text| roots(net, text)))
    }
}

/// The root that `text` asks for, as `routing.root` has it: a rule, one switch, or several with commas between, each
/// once.
fn roots(net: &Network, text: &str) -> String {
    if !text.contains(',') || net.find_switch(text).is_some() {
        return quoted_value(text);
    }
    let mut seen = BTreeSet::new();
    let names = text.split(',').filter(|name| seen.insert(net.find_switch(name).ok_or(*name)));
    format!("[{}]", names.map(quoted_value).collect::<Vec<_>>().join(", "))
}

/// Prints a report, with the verdict on all classes of nodes where it is of hosts alone; `cannot_tell` where lanes that
/// were not looked at may break its cycle.
fn show(
    (report, under_load): (&Report, Option<load::UnderLoad>),
    all: Option<&lanes::AllClasses>,
    cannot_tell: bool,
    net: &Network,
    common: &Common,
) -> Result<(), Failure> {
    match common.format {
        Format::Json => print_json(&lanes::Judged::new(report, cannot_tell).with(all, under_load)),
        Format::Human => {
            let under_load = under_load.map_or(String::new(), |under_load| under_load.human(net));
            let verdict = ("deadlock", judged::verdict(report, cannot_tell));
            let all = all.map(|all| ("deadlock, all classes of nodes", all.human()));
            print(&format!("{}{under_load}", rows(report, net, [], [verdict].into_iter().chain(all))))
        }
    }
}

/// The figures for people, some of a kind of tables' own among them.
fn rows(
    report: &Report,
    net: &Network,
    own: impl IntoIterator<Item = (&'static str, String)>,
    verdicts: impl IntoIterator<Item = (&'static str, String)>,
) -> String {
    let busiest = report.busiest_channel.as_ref();
    let busiest = or_dash(
        busiest.map(|b| format!("{} -> {}", quoted(&net.labelled(&b.from)), quoted(&net.labelled(&b.to)))),
    );
    let first = [("network", quoted(&net.name)), ("algorithm", report.algorithm.to_owned())];
    let rest = [
        ("root", roots::human(report, net)),
        ("pairs of hosts", report.pairs.to_string()),
        ("unreachable pairs", report.unreachable_pairs.to_string()),
        ("mean distance, switch links", fixed(report.mean_distance, 4)),
        ("pairs longer than minimal", report.non_minimal_pairs.to_string()),
        ("mean distance of switches", fixed(report.switch_mean_distance, 4)),
        ("crossing paths", or_dash(report.crossing_paths)),
        ("restrictions per switch", fixed(report.restrictions_per_switch, 4)),
    ];
    let transits = report.mean_hosts_in_transit.map(|mean| ("mean hosts in transit", fixed(Some(mean), 4)));
    let uncut = report.uncut_pairs.map(|pairs| ("pairs without a host to send on", pairs.to_string()));
    let exceptions =
        report.exceptions.as_ref().map(|turns| ("turns from down to up", roots::turns(turns, net)));
    let other_ports = report.other_ports.map(|ports| {
        ("other ports of hosts", format!("{ports}: pairs count by the lowest cabled port of each host alone"))
    });
    let ports = report.ports.as_ref().map(|ports| ("ports of hosts", judged::ports(ports)));
    let last = [
        ("routes over the busiest channel", report.max_channel_load.to_string()),
        ("busiest channel", busiest),
        ("judged", judged::about(report)),
    ];
    // The cycle that follows is that of the verdict.
    let chosen = judged::chosen(report).map(|text| ("deadlock of those chosen", text));
    let last = last.into_iter().chain(chosen).chain(verdicts);
    let rows = first
        .into_iter()
        .chain(own)
        .chain(rest)
        .chain(ports)
        .chain(other_ports)
        .chain(exceptions)
        .chain(transits)
        .chain(uncut)
        .chain(last);
    let (cycle, load) = (cycle(report, net), load_by_distance(report));
    format!("{}{}{}{cycle}{load}", columns(rows), unreachable(report, net), uncut_pairs(report, net))
}

/// The first few pairs whose messages no host could send on, and how many others there are.
fn uncut_pairs(report: &Report, net: &Network) -> String {
    let shown = |name: &str| quoted(&net.labelled_with_name(name));
    let line = |(from, to): &(String, String)| {
        format!(
            "  up, then down from {} to {}: no host where a shortest route is cut\n",
            shown(from),
            shown(to)
        )
    };
    let named: String = report.uncut_examples.iter().map(line).collect();
    match report.uncut_pairs.unwrap_or(0).saturating_sub(report.uncut_examples.len() as u64) {
        0 => named,
        others => format!("{named}  and {others} other such pairs\n"),
    }
}

/// The first few pairs without a route, and how many others there are.
fn unreachable(report: &Report, net: &Network) -> String {
    let shown = |name: &str| quoted(&net.labelled_with_name(name));
    let line = |(from, to): &(String, String)| format!("  no route from {} to {}\n", shown(from), shown(to));
    let named: String = report.unreachable_examples.iter().map(line).collect();
    match report.unreachable_pairs.saturating_sub(report.unreachable_examples.len() as u64) {
        0 => named,
        others => format!("{named}  and {others} other pairs without a route\n"),
    }
}

/// The cables of the cycle, each with the end by which a worm leaves it and waits for the next.
fn cycle(report: &Report, net: &Network) -> String {
    let far = |output: &str| {
        let (switch, port) = output.rsplit_once(':')?;
        let port = port.split('/').next()?;
        let end = End { node: Node::Switch(net.find_switch(switch)?), port: Port(port.parse().ok()?) };
        let far = net.peer(end)?;
        Some(format!(" -> {}", quoted(&net.port_label(far))))
    };
    let outputs = report.dependency_cycle.iter().flatten();
    let line = |output: &String| {
        format!("  waits for {}{}\n", quoted(&net.labelled(output)), far(output).unwrap_or_default())
    };
    outputs.map(line).collect()
}

/// A line per distance from the root.
fn load_by_distance(report: &Report) -> String {
    let Some(rings) = &report.channel_load_by_root_distance else { return String::new() };
    let mut table = Table::new();
    table.add_row(["distance from the root", "channels", "routes over each, mean", "most"]);
    for ring in rings {
        let mean = fixed(ring.routes_mean, 1);
        let cells = [ring.distance.to_string(), ring.channels.to_string(), mean, ring.routes_max.to_string()];
        table.add_row(cells);
    }
    format!("\n{}\n", table.trim_fmt())
}
