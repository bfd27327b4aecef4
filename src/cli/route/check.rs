//! `simnet route check`: judge routes, or forwarding tables, that come from elsewhere.

use std::path::PathBuf;

use clap::Args;

use simnet_network::routing::{Attachments, Report, Requirement, Survey};

use super::lanes::{self, Signs};
use super::sources::{Given, SourceArguments};
use super::{certificate, load, show};
use crate::cli::network::NetworkArguments;
use crate::cli::output::not_stdout;
use crate::cli::{Common, Exit, Failure, warn};

#[derive(Args)]
#[command(after_help = lanes::HELP, group = clap::ArgGroup::new("tables").args(["routes", "lfts"]).required(true))]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    source: SourceArguments,
    /// Write the proof to this file where a deadlock is impossible, for `simnet route verify` or a check of your own
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    certificate: Option<PathBuf>,
    #[arg(long, value_name = "LOAD", help = load::HELP, allow_negative_numbers = true)]
    load: Option<f64>,
}

/// Reads routes or tables and prints their figures.
///
/// # Errors
/// Whatever is wrong with the files.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let attachments = Attachments::lowest(&net);
    let Some(source) = options.source.source(common)? else {
        return Err(Failure::Usage("`--routes` or `--lfts` has to be given".to_owned()));
    };
    let places = source.declare(options.network.places());
    places.writes("--certificate", options.certificate.as_deref()).check(common)?;
    let given = source.read(&options.network, &net, &attachments)?;
    let under_load = options.load.map(|load| {
        let topology = options.network.as_topology(&net)?;
        let table = given.as_routes(&net, &attachments)?;
        load::under_load(topology, (table, source.file()), load, common.seed.unwrap_or(0))
    });
    let under_load = under_load.transpose()?;
    let (survey, signs) = match given {
        Given::Routes(routes) => (Survey::new(&net, &attachments, &routes), None),
        Given::Tables { tables, lanes: None, signs } => {
            (Survey::of_tables(&net, &attachments, &tables), signs)
        }
        Given::Tables { tables, lanes: Some(lanes), signs } => {
            (Survey::of_tables_on_lanes(&net, &attachments, &tables, &lanes), signs)
        }
    };
    let report = Report::of_file(&net, &survey);
    if let Some(path) = &options.certificate {
        certificate::write(path, (&report, &survey.dependencies), &net, common)?;
    }
    let cannot_tell = report.dependency_cycle.is_some() && signs.as_ref().is_some_and(Signs::are_any);
    show((&report, under_load), cannot_tell, &net, common)?;
    if let Some(signs) = signs.filter(|_| report.dependency_cycle.is_some() && !common.quiet) {
        warn(&signs.caution());
    }
    Ok(match (report.holds(Requirement::Acyclic), report.holds(Requirement::Reachable)) {
        (true, true) => Exit::Fine,
        (false, true) if cannot_tell => Exit::OneLane,
        _ => Exit::Expectation,
    })
}
