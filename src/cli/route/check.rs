//! `simnet route check`: judge routes, or forwarding tables, that come from elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use simnet_base::diagnostics::shown;
use simnet_base::ids::Node;
use simnet_network::routing::{
    Attachments, Report, Requirement, Survey, TableTooLarge, read_lfts, read_routes,
};
use simnet_network::topology::Network;
use simnet_network::topology::formats::port_guids;

use super::{lanes, show};
use crate::cli::network::NetworkArguments;
use crate::cli::output;
use crate::cli::{Common, Exit, Failure, warn};

#[derive(Args)]
#[command(after_help = lanes::HELP, group = clap::ArgGroup::new("tables").args(["routes", "lfts"]).required(true))]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// The routes, one JSON object a line, as `simnet route --routes` writes them
    #[arg(long, value_name = "FILE")]
    routes: Option<PathBuf>,
    /// The forwarding tables of a subnet manager: OpenSM's opensm-lfts.dump or .fdbs, or what dump_lfts prints
    #[arg(long, value_name = "FILE", conflicts_with = "routes")]
    lfts: Option<PathBuf>,
}

/// Reads routes or tables and prints their figures.
///
/// # Errors
/// Whatever is wrong with the files.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let attachments = Attachments::lowest(&net);
    let mut caution = None;
    let survey = match (&options.routes, &options.lfts) {
        (Some(path), _) => {
            let too_large = |error: TableTooLarge| Failure::Usage(error.to_string());
            TableTooLarge::unless_held(net.hosts().len()).map_err(too_large)?;
            let (name, bytes) = read(path)?;
            Survey::new(&net, &attachments, &read_routes(&net, &attachments, &name, &bytes)?)
        }
        (None, Some(path)) => {
            let (name, bytes) = read(path)?;
            caution = Some(lanes::caution(path, &bytes));
            of_tables(options, &net, &attachments, &name, &bytes)?
        }
        (None, None) => return Err(Failure::Usage("`--routes` or `--lfts` has to be given".to_owned())),
    };
    let report = Report::of_file(&net, &survey);
    show(&report, &net, common)?;
    if let Some(caution) = caution.filter(|_| report.dependency_cycle.is_some() && !common.quiet) {
        warn(&caution);
    }
    let sound = [Requirement::Acyclic, Requirement::Reachable].into_iter().all(|one| report.holds(one));
    Ok(if sound { Exit::Fine } else { Exit::Expectation })
}

fn of_tables(
    options: &Options,
    net: &Network,
    attachments: &Attachments,
    name: &str,
    bytes: &[u8],
) -> Result<Survey, Failure> {
    let tables = read_lfts(net, &own_port_guids(options), name, bytes)?;
    for switch in tables.missing() {
        tracing::warn!(switch = net.name_of(Node::Switch(switch)), "no forwarding table");
    }
    Ok(Survey::of_tables(net, attachments, &tables))
}

/// The guids of ports in the network's file, read a second time where that can be done.
fn own_port_guids(options: &Options) -> BTreeMap<u64, (String, u16)> {
    let NetworkArguments { topology, reading } = &options.network;
    match reading.preset(topology) {
        Some(_) => BTreeMap::new(),
        None => output::read(topology).map(|bytes| port_guids(&bytes)).unwrap_or_default(),
    }
}

fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    Ok((shown(&path).to_string(), output::read(path)?))
}
