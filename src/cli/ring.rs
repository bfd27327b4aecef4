//! `simnet ring`: the best logical ring of a network's machines, and the proof that it is free of contention.

use crate::cli::output::Table;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use simnet_base::diagnostics::{did_you_mean, quoted};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::ring::{Algorithm, Kind, NoTwoHopRing, Ring, Tree, TreeError, Verdict, judge};
use simnet_network::topology::Network;

use super::network::NetworkArguments;
use super::output::{columns, print, print_json};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    ring: RingOptions,
}

/// How a ring is found.
#[derive(Args)]
pub(super) struct RingOptions {
    /// How the ring is found
    #[arg(long, value_parser = one_of(&ALGORITHMS, Algorithm::name))]
    pub(super) algorithm: Algorithm,
    /// The spanning tree on which it is found; a random one is drawn by --seed
    #[arg(long, value_parser = one_of(&KINDS, Kind::name), default_value = Kind::Bfs.name())]
    pub(super) tree: Kind,
    /// The tree's root: `first` for the first machine's switch, `random` for one drawn by --seed, or a switch
    #[arg(long, value_name = "first|random|NAME", default_value = "first")]
    root: String,
}

/// The algorithms by their names, each with what it looks for.
const ALGORITHMS: [(Algorithm, &str); 3] = [
    (Algorithm::Lr1, "Machines in depth-first order"),
    (Algorithm::Lr2, "No message over more than two switches, where there is such a ring"),
    (Algorithm::Lr3, "The shortest longest path of any contention-free ring of the tree"),
];

/// The kinds of trees, each with how it is made.
const KINDS: [(Kind, &str); 3] =
    [(Kind::Bfs, "Breadth first"), (Kind::Dfs, "Depth first"), (Kind::Random, "Cables in random order")];

/// Reads one of several values by its name; help shows the description of each.
fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [(T, &'static str)],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let possible = values.iter().map(move |(value, help)| PossibleValue::new(name(*value)).help(*help));
    PossibleValuesParser::new(possible).map(move |wanted| {
        let found = values.iter().find(|(value, _)| name(*value) == wanted);
        found.expect("no name passes the parser but theirs").0
    })
}

/// What was found; `null` without a ring, but for the tree.
#[derive(Serialize)]
struct Report {
    algorithm: &'static str,
    /// In ring order.
    hosts: Option<Vec<String>>,
    /// In switches.
    max_path_length: Option<usize>,
    contention_free: Option<bool>,
    /// What no contention-free ring of the tree is known to undercut.
    bound: Option<usize>,
    total_path_length: Option<usize>,
    tree: &'static str,
    root: String,
    machines: usize,
    /// Those of the tree: leaves without a machine are not.
    switches: usize,
    /// The switch that makes a ring impossible, `null` if there is one.
    refused_by: Option<String>,
    /// Its machines.
    refused_by_machines: Option<usize>,
    /// The switches next to it in the tree.
    refused_by_switches: Option<usize>,
}

/// Finds the ring, follows its messages and prints both; exit code 1 where there is none.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let network = options.network.load()?;
    let tree = options.ring.tree(&options.network, &network, common.seed.unwrap_or(0))?;
    let algorithm = options.ring.algorithm;
    let mut report = Report::of_tree(algorithm, options.ring.tree, &tree, &network);
    let ring = match algorithm.ring(&tree) {
        Ok(ring) => ring,
        Err(obstacle) => {
            report.refuse(&obstacle, &network);
            super::complain(&refusal(&obstacle, &network));
            match common.format {
                Format::Json => print_json(&report)?,
                Format::Human => print(&columns(report.rows(&network)))?,
            }
            return Ok(Exit::Expectation);
        }
    };
    let verdict = judge(&tree, &ring.hosts);
    report.find(&ring, &verdict, &network);
    match common.format {
        Format::Json => print_json(&report)?,
        Format::Human => print(&human(&report, &ring, &verdict, &tree, &network))?,
    }
    Ok(Exit::Fine)
}

impl RingOptions {
    /// The requested tree.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a root that is no switch, or is not connected with the machines; else what
    /// [`NetworkArguments::refuse`] makes of a network without such a tree.
    pub(super) fn tree(
        &self,
        arguments: &NetworkArguments,
        network: &Network,
        seed: u64,
    ) -> Result<Tree, Failure> {
        let found = match self.root.as_str() {
            "first" => Tree::first_root(network),
            "random" => Tree::random_root(network, seed),
            name => Ok(named_root(network, name)?),
        };
        let found = found.and_then(|root| Tree::new(network, self.tree, root, seed));
        found.map_err(|error| match &error {
            TreeError::Elsewhere { .. } => Failure::Usage(format!("`--root {}`: {error}", self.root)),
            _ => arguments.refuse(error.code(), &error.to_string(), error.node()),
        })
    }
}

fn named_root(network: &Network, name: &str) -> Result<SwitchId, Failure> {
    network.find_switch(name).ok_or_else(|| {
        let names = network.switches().iter().map(|switch| switch.name.as_str()).chain(["first", "random"]);
        let near = did_you_mean(name, names);
        Failure::Usage(match network.find(name) {
            Some(Node::Host(_)) => format!("`--root {name}`: that is a host, and a root is a switch"),
            _ => format!("`--root {name}`: {} has no switch of that name{near}", quoted(&network.name)),
        })
    })
}

/// Why there is no ring of two hops, naming the switch.
pub(super) fn refusal(obstacle: &NoTwoHopRing, network: &Network) -> String {
    let NoTwoHopRing { machines, switches, .. } = obstacle;
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    format!(
        "no ring has paths of two switches at most: switch {} has {} for {} next to it in the tree",
        quoted(network.label(Node::Switch(obstacle.switch))),
        plural(*machines, "machine", "machines"),
        plural(*switches, "switch", "switches"),
    )
}

impl Report {
    fn of_tree(algorithm: Algorithm, kind: Kind, tree: &Tree, network: &Network) -> Report {
        Report {
            algorithm: algorithm.name(),
            hosts: None,
            max_path_length: None,
            contention_free: None,
            bound: None,
            total_path_length: None,
            tree: kind.name(),
            root: network.name_of(Node::Switch(tree.root)).to_owned(),
            machines: tree.homes.len(),
            switches: tree.switches.len(),
            refused_by: None,
            refused_by_machines: None,
            refused_by_switches: None,
        }
    }

    fn refuse(&mut self, obstacle: &NoTwoHopRing, network: &Network) {
        self.refused_by = Some(network.name_of(Node::Switch(obstacle.switch)).to_owned());
        self.refused_by_machines = Some(obstacle.machines);
        self.refused_by_switches = Some(obstacle.switches);
    }

    fn find(&mut self, ring: &Ring, verdict: &Verdict, network: &Network) {
        let name = |host: &HostId| network.name_of(Node::Host(*host)).to_owned();
        self.hosts = Some(ring.hosts.iter().map(name).collect());
        self.max_path_length = Some(verdict.max_path_length);
        self.contention_free = Some(verdict.contention_free);
        self.total_path_length = Some(verdict.total_path_length);
        self.bound = Some(ring.bound);
    }

    fn rows(&self, network: &Network) -> Vec<(&'static str, String)> {
        let switches = format!("{} of the network's {}", self.switches, network.switches().len());
        let mut rows = vec![
            ("network", quoted(&network.name)),
            ("algorithm", self.algorithm.to_owned()),
            ("tree", format!("{} from {}", self.tree, quoted(&network.labelled_with_name(&self.root)))),
            ("machines", self.machines.to_string()),
            ("switches", switches),
        ];
        if let Some(switch) = &self.refused_by {
            rows.push((
                "ring of two hops",
                format!("none, because of {}", quoted(&network.labelled(switch))),
            ));
        }
        let (Some(longest), Some(bound)) = (self.max_path_length, self.bound) else { return rows };
        let known = match longest == bound {
            true => format!("{longest}: no contention-free ring of this tree has less"),
            false => format!("{longest}; every contention-free ring of this tree has {bound} at least"),
        };
        let free = self.contention_free == Some(true);
        rows.extend([
            ("longest path, switches", known),
            ("all paths, switches", self.total_path_length.map(|n| n.to_string()).unwrap_or_default()),
            ("channels that carry two messages", if free { "none" } else { "some" }.to_owned()),
        ]);
        rows
    }
}

/// What was found, and a line per machine in ring order.
fn human(report: &Report, ring: &Ring, verdict: &Verdict, tree: &Tree, network: &Network) -> String {
    let mut table = Table::new();
    table.add_row(["machine", "at switch", "switches to the next"]);
    for (nth, host) in ring.hosts.iter().enumerate() {
        let home = tree.homes[host.index()];
        let cells = [
            quoted(&network.labelled_with_name(network.name_of(Node::Host(*host)))),
            quoted(&network.labelled_with_name(network.name_of(Node::Switch(home)))),
            verdict.lengths[nth].to_string(),
        ];
        table.add_row(cells);
    }
    format!("{}\n{}\n", columns(report.rows(network)), table.trim_fmt())
}
