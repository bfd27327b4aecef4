//! `simnet codegen allgather`: a ring's all-gather as a C routine.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::codegen::{Allgather, MAKEFILE, MARK, Prefix, Source};
use crate::diagnostics::quoted;
use crate::report::{Folder, Like};
use crate::ring::{Algorithm, Kind, NoTwoHopRing, Ring, Tree};
use crate::topology::Network;

use super::super::network::NetworkArguments;
use super::super::output::{columns, print, print_json};
use super::super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// How the ring is found
    #[arg(long, value_enum)]
    algorithm: AlgorithmName,
    /// The spanning tree on which it is found; a random one is drawn by --seed
    #[arg(long, value_enum, default_value_t)]
    tree: TreeName,
    /// Where to write; the folder is new, empty, or one that this verb wrote
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the names of files, functions and macros begin with
    #[arg(long, value_name = "PREFIX", default_value = "simnet")]
    name: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AlgorithmName {
    /// Machines in depth-first order
    Lr1,
    /// No message over more than two switches, where there is such a ring
    Lr2,
    /// The shortest longest path of any contention-free ring of the tree
    Lr3,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum TreeName {
    /// Breadth first
    #[default]
    Bfs,
    /// Depth first
    Dfs,
    /// Cables in random order
    Random,
}

/// What was written, or why nothing was.
#[derive(Serialize)]
struct Written {
    algorithm: &'static str,
    tree: &'static str,
    /// `null` without a ring; so are the next five.
    hosts: Option<Vec<String>>,
    max_path_length: Option<usize>,
    contention_free: Option<bool>,
    function: Option<String>,
    folder: Option<String>,
    files: Option<Vec<String>>,
    /// The switch because of which there is no ring, `null` if there is one.
    refused_by: Option<String>,
}

/// Finds the ring and writes the folder, or nothing.
pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let prefix = Prefix::new(&options.name)
        .map_err(|error| Failure::Usage(format!("`--name {}`: {error}", options.name)))?;
    let network = options.network.load()?;
    let tree = tree(options, &network, common.seed.unwrap_or(0))?;
    let algorithm = Algorithm::from(options.algorithm);
    let kind = Kind::from(options.tree);
    let mut written = Written {
        algorithm: algorithm.name(),
        tree: kind.name(),
        hosts: None,
        max_path_length: None,
        contention_free: None,
        function: None,
        folder: None,
        files: None,
        refused_by: None,
    };
    let ring = match algorithm.ring(&tree) {
        Ok(ring) => ring,
        Err(obstacle) => return no_ring(written, &obstacle, &network, common),
    };
    let found_by = found_by(algorithm, kind, common.seed);
    let source = Allgather { prefix: &prefix, network: &network, ring: &ring, found_by: &found_by };
    let files = source.files();
    write(options, &files)?;
    let name = |host: &crate::ids::HostId| network.hosts()[host.index()].name.clone();
    written.hosts = Some(ring.hosts.iter().map(name).collect());
    written.max_path_length = Some(ring.max_path_length);
    written.contention_free = Some(true);
    written.function = Some(source.function());
    written.folder = Some(options.out.display().to_string());
    written.files = Some(files.into_iter().map(|file| file.name).collect());
    show(&written, &ring, common)
}

/// The tree on which the ring is found, from the first machine's switch as `simnet ring` does.
fn tree(options: &Options, network: &Network, seed: u64) -> Result<Tree, Failure> {
    let found =
        Tree::first_root(network).and_then(|root| Tree::new(network, options.tree.into(), root, seed));
    found.map_err(|error| Failure::Scenario(format!("{}: {error}", options.network.topology)))
}

/// How the ring was found, for people.
fn found_by(algorithm: Algorithm, kind: Kind, seed: Option<u64>) -> String {
    let algorithm = algorithm.name().to_uppercase();
    match kind {
        Kind::Bfs => format!("{algorithm} on a breadth-first tree"),
        Kind::Dfs => format!("{algorithm} on a depth-first tree"),
        Kind::Random => format!("{algorithm} on a random tree, seed {}", seed.unwrap_or(0)),
    }
}

fn write(options: &Options, files: &[Source]) -> Result<(), Failure> {
    let folder = Folder::begin_like(&options.out, Like::Source { file: MAKEFILE, line: MARK })?;
    for file in files {
        folder.add(&file.name, &file.text)?;
    }
    Ok(folder.finish()?)
}

fn no_ring(
    mut written: Written,
    obstacle: &NoTwoHopRing,
    network: &Network,
    common: &Common,
) -> Result<Exit, Failure> {
    let switch = &network.switches()[obstacle.switch.index()].name;
    let NoTwoHopRing { machines, switches, .. } = obstacle;
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    super::super::warn(&format!(
        "no ring has paths of two switches at most: switch {} has {} for {} next to it in the tree; nothing was written",
        quoted(switch),
        plural(*machines, "machine", "machines"),
        plural(*switches, "switch", "switches"),
    ));
    written.refused_by = Some(switch.clone());
    if common.format == Format::Json {
        print_json(&written)?;
    }
    Ok(Exit::Expectation)
}

fn show(written: &Written, ring: &Ring, common: &Common) -> Result<Exit, Failure> {
    match common.format {
        Format::Json => print_json(written)?,
        Format::Human => print(&human(written, ring))?,
    }
    Ok(Exit::Fine)
}

fn human(written: &Written, ring: &Ring) -> String {
    let files = written.files.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
    columns([
        ("ring", format!("{} on a {} tree, contention-free", written.algorithm, written.tree)),
        ("machines", ring.hosts.len().to_string()),
        ("longest path, switches", ring.max_path_length.to_string()),
        ("routine", written.function.clone().unwrap_or_default()),
        ("folder", written.folder.clone().unwrap_or_default()),
        ("files", files),
        ("next", "make && make check in that folder, where mpicc and mpirun are".to_owned()),
    ])
}

impl From<AlgorithmName> for Algorithm {
    fn from(name: AlgorithmName) -> Algorithm {
        match name {
            AlgorithmName::Lr1 => Algorithm::Lr1,
            AlgorithmName::Lr2 => Algorithm::Lr2,
            AlgorithmName::Lr3 => Algorithm::Lr3,
        }
    }
}

impl From<TreeName> for Kind {
    fn from(name: TreeName) -> Kind {
        match name {
            TreeName::Bfs => Kind::Bfs,
            TreeName::Dfs => Kind::Dfs,
            TreeName::Random => Kind::Random,
        }
    }
}
