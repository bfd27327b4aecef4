//! Proofs as files: `--certificate FILE` writes one, `simnet route verify` checks one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use simnet_base::diagnostics::shown;
use simnet_base::ids::Node;
use simnet_network::routing::{
    Attachments, Certificate, DependencyGraph, ForwardingTables, Lanes, Report, RouteTable, Verdict, Wiring,
    verify, write_certificate,
};
use simnet_network::topology::{End, Network};
use simnet_scenario::checked::Installed;

use super::judged;
use super::sources::{Given, SourceArguments, read};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{columns, note, print, print_json, write_whole_by};
use crate::cli::{Common, Exit, Failure, Format};

/// Writes the certificate of a report whose verdict is that a deadlock is impossible, else says that there is none.
///
/// # Errors
/// Whatever keeps the file from being written.
pub(super) fn write(
    path: &Path,
    (report, dependencies): (&Report, &DependencyGraph),
    net: &Network,
    common: &Common,
) -> Result<(), Failure> {
    if report.verdict() != Some(Verdict::Acyclic) {
        if !common.quiet {
            let file = shown(path);
            note(&format!("{file} is not written: only that a deadlock is impossible has a certificate"));
        }
        return Ok(());
    }
    let about = judged::about(report);
    let about = (about.as_str(), report.lanes.map(|used| used.lanes));
    write_whole_by(path, |mut out| write_certificate(net, dependencies, about, &mut out).map(|_| ()))
}

#[derive(Args)]
#[command(
    after_help = "A certificate holds if no dependency in it goes back in its order, and if what follows a channel \
    leaves the switch that it leads to. With routes or tables it is also checked that it has all that they do. \
    docs/FILES.md has the format, and a script that checks one."
)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// The certificate, as `--certificate` of `simnet route` and `route check` writes it
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
    #[command(flatten)]
    source: SourceArguments,
}

/// Checks a certificate by itself, and against routes or tables if there are any.
///
/// # Errors
/// Whatever is wrong with the files.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let attachments = Attachments::lowest(&net);
    let source = options.source.source(common)?;
    let (name, bytes) = read(&options.certificate)?;
    let certificate = verify(&net, &name, &bytes)?;
    let given = source.map(|source| source.read(&options.network, &net, &attachments)).transpose()?;
    let lacking = given.map(|given| lacking(&certificate, &net, &attachments, &given));
    match common.format {
        Format::Json => print_json(&as_json(&certificate, lacking.as_ref()))?,
        Format::Human => print(&human(&certificate, lacking.as_ref()))?,
    }
    Ok(if lacking.is_none_or(|lacking| lacking.is_empty()) { Exit::Fine } else { Exit::Expectation })
}

fn as_json(certificate: &Certificate, lacking: Option<&BTreeSet<[String; 2]>>) -> Value {
    let (channels, dependencies) = certificate.size();
    json!({
        "holds": lacking.is_none_or(BTreeSet::is_empty),
        "channels": channels,
        "dependencies": dependencies,
        "lanes": certificate.header["lanes"],
        "about": certificate.header["about"],
        "lacking": lacking,
    })
}

fn human(certificate: &Certificate, lacking: Option<&BTreeSet<[String; 2]>>) -> String {
    let (channels, dependencies) = certificate.size();
    let routes = match lacking.map(BTreeSet::len) {
        None => "not checked: `--routes` or `--lfts` names them".to_owned(),
        Some(0) => "all of their dependencies are in the certificate".to_owned(),
        Some(lacking) => format!("the certificate lacks {lacking} of their dependencies"),
    };
    let about = certificate.header["about"].as_str().unwrap_or("-").to_owned();
    let rows = [
        ("about", simnet_base::diagnostics::quoted(&about)),
        ("order", format!("holds: {channels} outputs, {dependencies} dependencies, none goes back")),
        ("routes", routes),
    ];
    let line = |[channel, next]: &[String; 2]| format!("  {channel}, then {next}\n");
    let named: String = lacking.into_iter().flatten().take(4).map(line).collect();
    format!("{}{named}", columns(rows))
}

/// The dependencies of routes or tables that a certificate lacks: every route is walked, hop by hop. Where no file
/// gives lanes all are in lane 0; where the certificate names none, those of files are one, which only adds
/// dependencies.
fn lacking(
    certificate: &Certificate,
    net: &Network,
    attachments: &Attachments,
    given: &Given,
) -> BTreeSet<[String; 2]> {
    let mut lacking = BTreeSet::new();
    let mut check = |taken: &[(End, u8)]| {
        let taken: Vec<String> =
            taken.iter().map(|(output, lane)| certificate.name(net, *output, *lane)).collect();
        for two in taken.windows(2).filter(|two| certificate.lacks(&two[0], &two[1])) {
            lacking.insert([two[0].clone(), two[1].clone()]);
        }
    };
    match given {
        Given::Routes(table) => of_routes(net, attachments, table, &mut check),
        Given::Tables { installed: Installed { tables, lanes }, .. } => {
            of_tables(net, tables, lanes.as_ref(), &mut check)
        }
    }
    lacking
}

/// Walks all routes of a table, and gives the outputs to switches that each takes.
fn of_routes(
    net: &Network,
    attachments: &Attachments,
    table: &RouteTable,
    check: &mut impl FnMut(&[(End, u8)]),
) {
    let wiring = Wiring::new(net);
    for (source, _, turns) in table.iter() {
        let Some(from) = attachments.of(source) else { continue };
        let mut taken = Vec::new();
        let _ = wiring.walk(from.far, turns, |switch, _, output, wire| {
            if let Node::Switch(_) = wire.to.node {
                taken.push((End { node: Node::Switch(switch), port: output }, 0));
            } else {
                check(&std::mem::take(&mut taken));
            }
        });
        check(&taken);
    }
}

/// Walks from every port of a host to every lid, and gives the outputs to switches that each path takes.
fn of_tables(
    net: &Network,
    tables: &ForwardingTables,
    lanes: Option<&Lanes>,
    check: &mut impl FnMut(&[(End, u8)]),
) {
    for (lid, end) in tables.lids() {
        let levels: std::collections::BTreeMap<u16, u8> =
            lanes.map(|lanes| lanes.levels.toward(*lid).collect()).unwrap_or_default();
        let mut starts = BTreeSet::new();
        for node in net.host_ids().map(Node::Host) {
            for (port, _, far) in net.cables(node).filter(|(port, _, _)| End { node, port: *port } != *end) {
                let own = tables.lids().iter().filter(|(_, own)| *own == End { node, port });
                let mut own: BTreeSet<u8> =
                    own.map(|(own, _)| levels.get(own).copied().unwrap_or(0)).collect();
                if own.is_empty() {
                    own.insert(0);
                }
                starts.extend(own.into_iter().map(|level| (far, level)));
            }
        }
        for (from, level) in starts {
            check(&path(net, tables, lanes, (from, *lid, level)));
        }
    }
}

/// The outputs to switches that a path takes, and their lanes, until it ends or is at a port of a switch again.
fn path(
    net: &Network,
    tables: &ForwardingTables,
    lanes: Option<&Lanes>,
    (from, lid, level): (End, u16, u8),
) -> Vec<(End, u8)> {
    let (mut at, mut taken, mut seen) = (from, Vec::new(), BTreeSet::new());
    let mut is_new = true;
    while let (Node::Switch(switch), true) = (at.node, is_new) {
        is_new = seen.insert(at);
        let Some(output) = tables.output(switch, lid) else { break };
        let leaves = End { node: at.node, port: output };
        let Some(far) = net.peer(leaves) else { break };
        let lane = lanes.map_or(0, |lanes| lanes.tables.lane(switch, at.port, output, level));
        if lane == simnet_network::routing::DROPPED || matches!(far.node, Node::Host(_)) {
            break;
        }
        taken.push((leaves, lane));
        at = far;
    }
    taken
}
