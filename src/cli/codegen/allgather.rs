//! `simnet codegen allgather`: a ring's all-gather as a C routine.

use clap::Args;
use serde::Serialize;

use simnet_base::ids::{HostId, Node};
use simnet_network::ring::{Algorithm, Kind, NoTwoHopRing, Ring};
use simnet_network::topology::Network;
use simnet_output::codegen::Allgather;

use super::Place;
use crate::cli::network::NetworkArguments;
use crate::cli::output::{columns, print, print_json};
use crate::cli::ring::{RingOptions, refusal};
use crate::cli::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    ring: RingOptions,
    #[command(flatten)]
    place: Place,
}

/// What was written, or why nothing was.
#[derive(Serialize)]
struct Written {
    algorithm: &'static str,
    tree: &'static str,
    root: String,
    /// In ring order; `null` without a ring, as the next five are.
    hosts: Option<Vec<String>>,
    max_path_length: Option<usize>,
    contention_free: Option<bool>,
    function: Option<String>,
    folder: Option<String>,
    files: Option<Vec<String>>,
    /// The switch that makes a ring impossible, `null` if there is one.
    refused_by: Option<String>,
}

/// Finds the ring and writes the folder, or nothing.
pub(crate) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let prefix = options.place.prefix()?;
    let network = options.network.load()?;
    let tree = options.ring.tree(&options.network, &network, common.seed.unwrap_or(0))?;
    let (algorithm, kind) = (options.ring.algorithm, options.ring.tree);
    let root = network.name_of(Node::Switch(tree.root));
    let mut written = Written {
        algorithm: algorithm.name(),
        tree: kind.name(),
        root: root.to_owned(),
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
    let found_by = found_by(algorithm, kind, root, common.seed);
    let source = Allgather { prefix: &prefix, network: &network, ring: &ring, found_by: &found_by };
    let files = options.place.write(source.files(), options.network.places(), common)?;
    let name = |host: &HostId| network.name_of(Node::Host(*host)).to_owned();
    written.hosts = Some(ring.hosts.iter().map(name).collect());
    written.max_path_length = Some(ring.max_path_length);
    written.contention_free = Some(true);
    written.function = Some(source.function());
    written.folder = Some(options.place.name());
    written.files = Some(files);
    show(&written, &ring, common)
}

/// How the ring was found, for people.
fn found_by(algorithm: Algorithm, kind: Kind, root: &str, seed: Option<u64>) -> String {
    let tree = match kind {
        Kind::Bfs => "a breadth-first tree".to_owned(),
        Kind::Dfs => "a depth-first tree".to_owned(),
        Kind::Random => format!("the random tree of seed {}", seed.unwrap_or(0)),
    };
    format!("{} on {tree} from {root}", algorithm.name().to_uppercase())
}

fn no_ring(
    mut written: Written,
    obstacle: &NoTwoHopRing,
    network: &Network,
    common: &Common,
) -> Result<Exit, Failure> {
    crate::cli::complain(&format!("{}; nothing was written", refusal(obstacle, network)));
    written.refused_by = Some(network.name_of(Node::Switch(obstacle.switch)).to_owned());
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
