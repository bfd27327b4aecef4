//! Proofs as files: `--certificate FILE` writes one, `simnet route verify` checks one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use simnet_base::diagnostics::{quoted, shown};
use simnet_base::ids::Node;
use simnet_base::numbers::count;
use simnet_network::routing::{
    About, Attachments, Certificate, DependencyGraph, ForwardingTables, Lanes, Report, RouteTable, Verdict,
    Wiring, verify, write_certificate,
};
use simnet_network::topology::{End, Network};

use super::sources::{Given, SourceArguments, read};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{columns, note, print, print_json, write_whole_by};
use crate::cli::{Common, Exit, Failure, Format};

/// Writes the certificate of a report whose verdict is that a deadlock is impossible, else says that there is none.
/// `digest` is that of the files with the tables.
///
/// # Errors
/// Whatever keeps the file from being written.
pub(super) fn write(
    path: &Path,
    (report, dependencies, digest): (&Report, &DependencyGraph, Option<&str>),
    net: &Network,
    common: &Common,
) -> Result<(), Failure> {
    if report.verdict() != Some(Verdict::Acyclic) {
        if !common.quiet {
            let file = shown(path);
            let chosen = match report.chosen.as_ref().map(|chosen| chosen.verdict) {
                Some(Verdict::Acyclic) => {
                    "; the routes chosen have one of their own: `simnet route check --routes --certificate`"
                }
                _ => "",
            };
            note(&format!(
                "{file} is not written: only that a deadlock is impossible has a certificate{chosen}"
            ));
        }
        return Ok(());
    }
    let about = (About { pairs: report.judged.host_pairs, digest }, report.lanes.is_some());
    write_whole_by(path, |mut out| write_certificate(net, dependencies, about, &mut out).map(|_| ()))
}

#[derive(Args)]
#[command(
    after_help = "A certificate holds if no dependency in it goes back in its order, if what follows a channel leaves \
    the switch that it leads to, and if its first line says what is so. With routes or tables it is also checked that \
    it has all that they do, and is of the same pairs and the same command. docs/FILES.md has the format, and a script \
    that checks one."
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
    let given = source.map(|source| source.read(&options.network, &net, &attachments)).transpose()?;
    let pairs = given.as_ref().map(|given| given.survey(&net, &given.attachments(&net)).reached());
    let about = given.as_ref().zip(pairs).map(|(given, pairs)| About { pairs, digest: given.digest() });
    let certificate = verify(&net, about, &name, &bytes)?;
    let lacking = given.as_ref().map(|given| lacking(&certificate, &net, &attachments, given));
    let (channels, dependencies) = certificate.size();
    let holds = lacking.as_ref().is_none_or(BTreeSet::is_empty);
    let found = Verified { holds, channels, dependencies, lanes: certificate.lanes, pairs, lacking };
    match common.format {
        Format::Json => print_json(&found)?,
        Format::Human => print(&found.human())?,
    }
    Ok(if holds { Exit::Fine } else { Exit::Expectation })
}

/// Findings about a certificate: what it says, and what it lacks.
#[derive(Serialize)]
struct Verified {
    holds: bool,
    channels: usize,
    dependencies: usize,
    lanes: usize,
    /// Pairs of hosts with a route; `None` where no routes were given to count them.
    pairs: Option<u64>,
    lacking: Option<BTreeSet<[String; 2]>>,
}

impl Verified {
    fn human(&self) -> String {
        let Verified { channels, dependencies, lanes, lacking, .. } = self;
        let pairs = self.pairs.unwrap_or_default();
        let routes = match lacking.as_ref().map(BTreeSet::len) {
            None => "not checked: `--routes` or `--lfts` names them".to_owned(),
            Some(0) => format!("of {pairs} pairs of hosts: all of their dependencies are in the certificate"),
            Some(lacking) => {
                format!("of {pairs} pairs of hosts: the certificate lacks {lacking} of their dependencies")
            }
        };
        let order =
            format!("holds: {}, {dependencies} dependencies, none goes back", count(*channels, "output"));
        let rows = [("order", order), ("lanes", lanes.to_string()), ("routes", routes)];
        let line = |[channel, next]: &[String; 2]| format!("  {}, then {}\n", quoted(channel), quoted(next));
        let named: String = lacking.iter().flatten().take(4).map(line).collect();
        format!("{}{named}", columns(rows))
    }
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
        for two in taken.windows(2).filter(|two| certificate.lacks(two[0], two[1])) {
            lacking.insert([two[0], two[1]].map(|output| certificate.name(net, output)));
        }
    };
    match given {
        Given::Routes(table) => of_routes(net, attachments, table, &mut check),
        Given::Tables { installed, .. } => {
            of_tables(net, &installed.tables, installed.lanes.as_ref(), &mut check);
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
