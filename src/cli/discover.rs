//! `simnet discover`: the switches between machines, inferred from the round-trip times that they measured.

mod arguments;
mod drawing;
mod report;

use std::path::PathBuf;

use clap::Args;

use simnet_base::diagnostics::shown;
use simnet_network::discovery::{Rtts, SwitchTree, discover};
use simnet_network::topology::Network;
use simnet_network::topology::formats::{self, Format as FileFormat};

use super::output::{not_stdout, print, print_json, read, write_whole};
use super::places::Places;
use super::{Common, Exit, Failure, Format};
use arguments::Inferring;
use report::Report;

#[derive(Args)]
pub(super) struct Options {
    /// Round-trip times in milliseconds: a header row `,name0,name1,...`, then a row `name,time,...` a machine
    #[arg(value_name = "RTT.csv")]
    rtts: PathBuf,
    /// Write the tree to this file, as topology JSON; the nearest one where none fits
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    topology: Option<PathBuf>,
    /// The tree's name
    #[arg(long, value_name = "NAME", default_value = "discovered")]
    name: String,
    #[command(flatten)]
    inferring: Inferring,
}

/// Infers the tree and prints it; exit code 5 where there is none, or a second one.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let bytes = read(&options.rtts)?;
    let rtts = Rtts::read(&shown(&options.rtts).to_string(), &bytes)?;
    let plan = options.inferring.plan(&rtts)?;
    let places = Places::new().reads("the table of round-trip times", &options.rtts);
    places.writes("--topology", options.topology.as_deref()).check(common)?;
    let found = discover(&rtts, &plan.options);
    let report = Report::new(options, &rtts, &plan, &found)?;
    report.warnings().iter().for_each(|warning| super::warn(warning));
    if let Some(path) = &options.topology {
        write_whole(path, &formats::write(report.best(), FileFormat::Json))?;
    }
    match common.format {
        Format::Json => print_json(&report.json())?,
        Format::Human => print(&report.human())?,
    }
    Ok(if report.is_settled() { Exit::Fine } else { Exit::NoTree })
}

impl Options {
    /// A tree of switches as a network of this name.
    fn network(&self, tree: &SwitchTree, rtts: &Rtts) -> Result<Network, Failure> {
        let network = tree.network(&self.name, rtts.names());
        network.map_err(|error| Failure::Scenario(format!("the tree is no network: {error}")))
    }
}
