//! `simnet route` and `simnet route check`: compute routes or read them, and judge whether they can deadlock.

mod check;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::diagnostics::{did_you_mean, quoted};
use crate::ids::Node;
use crate::routing::{
    Algorithm, Attachments, Choices, Heuristic, Plan, Report, Root, Selection, Tree, write_routes,
};
use crate::topology::Network;

use super::network::{NetworkArguments, ReadingArguments};
use super::output::{columns, print, print_json, write_whole_by};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// A preset (now-c, now-ca, now-cab, pink) or a file in any format that simnet reads
    #[arg(value_name = "TOPO")]
    topology: Option<String>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    finding: Finding,
    /// Which of several shortest routes is taken [default: random]
    #[arg(long, value_enum)]
    select: Option<SelectionName>,
    /// Write the routes to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    routes: Option<PathBuf>,
}

/// How routes are found; what is not given takes its default.
#[derive(Args)]
struct Finding {
    /// How routes are found [default: updown]
    #[arg(long, value_enum)]
    algorithm: Option<AlgorithmName>,
    /// How the up ends of cables are found [default: bfs]
    #[arg(long, value_enum)]
    tree: Option<TreeName>,
    /// far, r0, r1, r2, or names of switches with commas between [default: far]
    #[arg(long, value_name = "far|r0|r1|r2|NAME[,NAME...]")]
    root: Option<String>,
    /// Which neighbour a depth-first tree visits next [default: h2]
    #[arg(long, value_enum)]
    heuristic: Option<HeuristicName>,
}

#[derive(Subcommand)]
enum Action {
    /// Judge routes that were computed elsewhere
    Check(check::Options),
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
    /// Those that are left when paths over the fullest channels go first
    Balanced,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    match (&options.action, &options.topology) {
        (Some(Action::Check(check)), _) => match options.first_given() {
            None => check::run(check, common),
            Some(given) => {
                Err(Failure::Usage(format!("`{given}` stands before `check`, which goes without it")))
            }
        },
        (None, Some(topology)) => {
            let network = NetworkArguments { topology: topology.clone(), reading: options.reading.clone() };
            run_plan(options, &network, common)
        }
        (None, None) => Err(Failure::Usage("`simnet route` needs a TOPO: a preset or a file".to_owned())),
    }
}

/// Computes the routes, writes them where asked for, and prints their figures. Fine whatever it finds.
fn run_plan(options: &Options, network: &NetworkArguments, common: &Common) -> Result<Exit, Failure> {
    let selection = match options.select.unwrap_or_default() {
        SelectionName::First => Selection::First,
        SelectionName::Random => Selection::Random { seed: common.seed.unwrap_or(0) },
        SelectionName::RoundRobin => Selection::RoundRobin,
        SelectionName::Balanced => Selection::Balanced,
    };
    options.finding.is_consistent()?;
    let net = network.load()?;
    let algorithm = options.finding.algorithm(&net)?;
    let choices = Choices { algorithm, selection, utility: network.utility(&net)? };
    let attachments = Attachments::lowest(&net);
    let plan = Plan::new(&net, &attachments, &choices).map_err(|error| Failure::Usage(error.to_string()))?;
    tracing::debug!(routes = plan.table.len(), "found the routes");
    if let Some(path) = &options.routes {
        write_whole_by(path, |mut out| write_routes(&net, &attachments, &plan.table, &mut out))?;
    }
    show(&plan.report(&net, &attachments), &net, common)?;
    Ok(Exit::Fine)
}

impl Options {
    /// What is given of all that only routes to be computed go with.
    fn first_given(&self) -> Option<&'static str> {
        let own = [
            (self.topology.is_some(), "TOPO"),
            (self.finding.algorithm.is_some(), "--algorithm"),
            (self.finding.tree.is_some(), "--tree"),
            (self.finding.root.is_some(), "--root"),
            (self.finding.heuristic.is_some(), "--heuristic"),
            (self.select.is_some(), "--select"),
            (self.routes.is_some(), "--routes"),
        ];
        let own = own.into_iter().find(|(given, _)| *given).map(|(_, name)| name);
        own.or_else(|| self.reading.first_given())
    }
}

impl Finding {
    /// Refuses what would be given in vain.
    fn is_consistent(&self) -> Result<(), Failure> {
        let up_down = matches!(self.algorithm.unwrap_or_default(), AlgorithmName::Updown);
        let breadth_first = matches!(self.tree.unwrap_or_default(), TreeName::Bfs);
        let vain = [
            (
                !up_down && self.tree.is_some(),
                "`--tree` is for `--algorithm updown`: minimal routes have no tree",
            ),
            (
                !up_down && self.root.is_some(),
                "`--root` is for `--algorithm updown`: minimal routes have no root",
            ),
            (
                self.heuristic.is_some() && (!up_down || breadth_first),
                "`--heuristic` is for `--algorithm updown --tree dfs`: nothing else chooses a neighbour",
            ),
        ];
        match vain.into_iter().find(|(given, _)| *given) {
            Some((_, text)) => Err(Failure::Usage(text.to_owned())),
            None => Ok(()),
        }
    }

    fn algorithm(&self, net: &Network) -> Result<Algorithm, Failure> {
        Ok(match self.algorithm.unwrap_or_default() {
            AlgorithmName::Minimal => Algorithm::Minimal,
            AlgorithmName::Updown => Algorithm::UpDown {
                tree: match (self.tree.unwrap_or_default(), self.heuristic.unwrap_or_default()) {
                    (TreeName::Bfs, _) => Tree::Bfs,
                    (TreeName::Dfs, HeuristicName::H1) => Tree::Dfs(Heuristic::H1),
                    (TreeName::Dfs, HeuristicName::H2) => Tree::Dfs(Heuristic::H2),
                },
                root: root(net, self.root.as_deref().unwrap_or("far"))?,
            },
        })
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
    let near = did_you_mean(name, names);
    let text = match net.find(name) {
        Some(Node::Host(_)) => format!("`--root {name}`: that is a host, and a root is a switch"),
        _ => format!("`--root {name}`: {} has no switch of that name{near}", quoted(&net.name)),
    };
    Failure::Usage(text)
}

fn show(report: &Report, net: &Network, common: &Common) -> Result<(), Failure> {
    match common.format {
        Format::Json => print_json(report),
        Format::Human => print(&human(report, net)),
    }
}

fn human(report: &Report, net: &Network) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
    let verdict = match &report.dependency_cycle {
        None => "impossible: the channel dependency graph is acyclic".to_owned(),
        Some(cycle) => format!("possible: a cycle of {} channels", cycle.len()),
    };
    let rows = [
        ("network", quoted(&net.name)),
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
    let cycle = report.dependency_cycle.iter().flatten();
    let outputs = cycle.map(|output| format!("  waits for {output}\n"));
    format!("{}{}", columns(rows), outputs.collect::<String>())
}
