//! `simnet route` and `simnet route check`: compute routes or read them, and judge whether they can deadlock.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};
use comfy_table::{Table, presets};

use crate::diagnostics::nearest;
use crate::ids::Node;
use crate::routing::{
    Algorithm, Attachments, Choices, Heuristic, Plan, Report, Root, RouteTable, Selection, Survey, Tree,
    read_routes, write_routes,
};
use crate::topology::Network;

use super::network::{NetworkArguments, ReadingArguments};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// A preset (now-c, now-ca, now-cab, pink) or a file in any format that simnet reads
    #[arg(value_name = "TOPO")]
    topology: Option<String>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// How routes are found
    #[arg(long, value_enum, default_value_t)]
    algorithm: AlgorithmName,
    /// How the up ends of cables are found
    #[arg(long, value_enum, default_value_t)]
    tree: TreeName,
    /// far, r0, r1, r2, or names of switches with commas between
    #[arg(long, default_value = "far", value_name = "far|r0|r1|r2|NAME[,NAME...]")]
    root: String,
    /// Which neighbour a depth-first tree visits next
    #[arg(long, value_enum, default_value_t)]
    heuristic: HeuristicName,
    /// Which of several shortest routes is taken
    #[arg(long, value_enum, default_value_t)]
    select: SelectionName,
    /// Write the routes to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    routes: Option<String>,
}

#[derive(Subcommand)]
enum Action {
    /// Judge routes that were computed elsewhere
    Check(CheckOptions),
}

#[derive(Args)]
struct CheckOptions {
    #[command(flatten)]
    network: NetworkArguments,
    /// The routes, one JSON object a line, as `simnet route --routes` writes them
    #[arg(long, value_name = "FILE", required_unless_present = "lfts")]
    routes: Option<String>,
    /// The forwarding tables of a subnet manager (not there yet)
    #[arg(long, value_name = "FILE", conflicts_with = "routes")]
    lfts: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum AlgorithmName {
    /// Shortest routes that go up, then down: free of deadlock
    #[default]
    Updown,
    /// Shortest routes of any kind: a baseline that may deadlock
    Minimal,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum TreeName {
    /// Breadth first
    #[default]
    Bfs,
    /// Depth first
    Dfs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum HeuristicName {
    /// The one farthest from all others
    H1,
    /// The one with most cables into the tree, then as h1
    #[default]
    H2,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum SelectionName {
    /// The lowest ports
    First,
    /// Any, all equally likely
    #[default]
    Random,
    /// All in turn
    RoundRobin,
    /// Those that leave the busiest channels (not there yet)
    Balanced,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    match (&options.action, &options.topology) {
        (Some(Action::Check(check)), _) => run_check(check, common),
        (None, Some(topology)) => {
            let network = NetworkArguments { topology: topology.clone(), reading: options.reading.clone() };
            run_plan(options, &network, common)
        }
        (None, None) => Err(Failure::Usage("`simnet route` needs a TOPO: a preset or a file".to_owned())),
    }
}

/// Computes the routes, writes them where asked for, and prints their figures. Fine whatever it finds.
fn run_plan(options: &Options, network: &NetworkArguments, common: &Common) -> Result<Exit, Failure> {
    let selection = match options.select {
        SelectionName::First => Selection::First,
        SelectionName::Random => Selection::Random { seed: common.seed.unwrap_or(0) },
        SelectionName::RoundRobin => Selection::RoundRobin,
        SelectionName::Balanced => {
            let text = "`--select balanced` is not there yet: use first, random or round-robin";
            return Err(Failure::Usage(text.to_owned()));
        }
    };
    let net = network.load()?;
    let algorithm = match options.algorithm {
        AlgorithmName::Updown => Algorithm::UpDown { tree: options.tree(), root: root(&net, &options.root)? },
        AlgorithmName::Minimal => Algorithm::Minimal,
    };
    let choices = Choices { algorithm, selection, utility: network.utility(&net)? };
    let attachments = Attachments::lowest(&net);
    let too_large = |error: crate::routing::TableTooLarge| Failure::Usage(error.to_string());
    let plan = Plan::new(&net, &attachments, &choices).map_err(too_large)?;
    if let Some(path) = &options.routes {
        write_whole(&net, &attachments, &plan.table, path)
            .map_err(|error| Failure::Io { path: path.clone(), error })?;
    }
    print(&plan.report(&net, &attachments), &net, common)?;
    Ok(Exit::Fine)
}

/// Reads routes and prints their figures.
fn run_check(options: &CheckOptions, common: &Common) -> Result<Exit, Failure> {
    let Some(path) = &options.routes else {
        let text = "`--lfts` is not there yet: only `--routes` files can be checked";
        return Err(Failure::Usage(text.to_owned()));
    };
    let net = options.network.load()?;
    let attachments = Attachments::lowest(&net);
    let bytes = std::fs::read(path).map_err(|error| Failure::Io { path: path.clone(), error })?;
    let table = read_routes(&net, &attachments, path, &bytes)?;
    let report = Report::of_file(&net, &Survey::new(&net, &attachments, &table));
    print(&report, &net, common)?;
    let sound = report.dependency_cycle.is_none() && report.unreachable_pairs == 0;
    Ok(if sound { Exit::Fine } else { Exit::Expectation })
}

impl Options {
    fn tree(&self) -> Tree {
        match (self.tree, self.heuristic) {
            (TreeName::Bfs, _) => Tree::Bfs,
            (TreeName::Dfs, HeuristicName::H1) => Tree::Dfs(Heuristic::H1),
            (TreeName::Dfs, HeuristicName::H2) => Tree::Dfs(Heuristic::H2),
        }
    }
}

/// The root that `text` asks for: a rule, one switch, or several with commas between.
fn root(net: &Network, text: &str) -> Result<Root, Failure> {
    match text {
        "far" => return Ok(Root::Far),
        "r0" => return Ok(Root::R0),
        "r1" => return Ok(Root::R1),
        "r2" => return Ok(Root::R2),
        _ => {}
    }
    if let Some(switch) = net.find_switch(text) {
        return Ok(Root::Named(vec![switch]));
    }
    let mut switches = Vec::new();
    for name in text.split(',') {
        let switch = net.find_switch(name).ok_or_else(|| not_a_root(net, name))?;
        if !switches.contains(&switch) {
            switches.push(switch);
        }
    }
    Ok(Root::Named(switches))
}

fn not_a_root(net: &Network, name: &str) -> Failure {
    let names = net.switches().iter().map(|s| s.name.as_str()).chain(["far", "r0", "r1", "r2"]);
    let near = nearest(name, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let text = match net.find(name) {
        Some(Node::Host(_)) => format!("`--root {name}`: that is a host, and a root is a switch"),
        _ => format!("`--root {name}`: {} has no switch of that name{near}", net.name),
    };
    Failure::Usage(text)
}

/// Writes a route file whole or not at all: beside its place, synced, then renamed. What is there and is no
/// plain file, such as a pipe, is written to as it is.
fn write_whole(
    net: &Network,
    attachments: &Attachments,
    table: &RouteTable,
    path: &str,
) -> std::io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        write_routes(net, attachments, table, &mut out)?;
        return out.flush();
    }
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut out = BufWriter::new(temporary().tempfile_in(folder.unwrap_or(Path::new(".")))?);
    write_routes(net, attachments, table, &mut out)?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Temporary files with the permissions of any other new file.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn print(report: &Report, net: &Network, common: &Common) -> Result<(), Failure> {
    let text = match common.format {
        Format::Json => serde_json::to_string_pretty(report).expect("a report is plain data"),
        Format::Human => human(report, net),
    };
    match writeln!(std::io::stdout().lock(), "{text}") {
        // A reader that has gone away is no failure.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Io { path: "stdout".to_owned(), error })
        }
        _ => Ok(()),
    }
}

fn human(report: &Report, net: &Network) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
    let verdict = match &report.dependency_cycle {
        None => "impossible: the channel dependency graph is acyclic".to_owned(),
        Some(cycle) => format!("possible: a cycle of {} channels", cycle.len()),
    };
    let rows = [
        ("network", net.name.clone()),
        ("algorithm", report.algorithm.to_owned()),
        ("root", report.root.clone().unwrap_or("-".to_owned())),
        ("pairs of hosts", report.pairs.to_string()),
        ("unreachable pairs", report.unreachable_pairs.to_string()),
        ("mean distance, switch links", number(report.mean_distance)),
        ("pairs longer than minimal", report.non_minimal_pairs.to_string()),
        ("mean distance of switches", number(report.switch_mean_distance)),
        ("crossing paths", report.crossing_paths.map_or("-".to_owned(), |n| n.to_string())),
        ("restrictions per switch", number(report.restrictions_per_switch)),
        ("routes over the busiest channel", report.max_channel_load.to_string()),
        ("deadlock", verdict),
    ];
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.add_rows(rows.map(|(name, value)| [name.to_owned(), value]));
    let cycle = report.dependency_cycle.iter().flatten();
    let outputs = cycle.map(|output| format!("\n  waits for {output}"));
    format!("{}{}", table.trim_fmt(), outputs.collect::<String>())
}
