//! `simnet route --per-destination`: tables of next hops, their lanes, and the files that OpenSM takes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use simnet_base::ids::HostId;
use simnet_base::numbers::count;
use simnet_network::routing::{
    self, Attachments, Choices, DestinationTables, Engine, OpenSm, Part, Report, write_gm_routes,
    write_routes,
};
use simnet_network::topology::Network;

use super::without::{self, Beside, Shown};
use super::{Options, certificate, judged, lanes, rows};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{not_stdout, note, print, print_json, write_whole_by};
use crate::cli::{Common, Exit, Failure, Format};

/// What goes with tables of next hops only.
#[derive(Args)]
pub(super) struct DestinationOptions {
    /// One next hop per switch and destination, as a subnet manager installs it, in place of a route per pair of hosts;
    /// `lash`, `dfsssp` and `nue` have no other
    #[arg(long)]
    pub(super) per_destination: bool,
    /// How many virtual lanes there are [default: the fewest found]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=15), allow_negative_numbers = true)]
    pub(super) lanes: Option<u8>,
    /// Give each port of a host 2^N addresses, with next hops of their own (LMC) [default: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7), allow_negative_numbers = true)]
    lmc: Option<u8>,
    /// Whose files `--out`, `--lid-matrix`, `--sl` and `--sl2vl` are
    #[arg(long, value_enum, value_name = "MANAGER", requires = "out")]
    to: Option<Manager>,
    /// Write the forwarding tables to this file, as `opensm -R file -U FILE` takes them
    #[arg(long, value_name = "FILE", value_parser = not_stdout(), requires = "to")]
    out: Option<PathBuf>,
    /// Write the hops to all switches to this file, as `opensm -M FILE` takes them
    #[arg(long, value_name = "FILE", value_parser = not_stdout(), requires = "to")]
    lid_matrix: Option<PathBuf>,
    /// Write the service level of every path to this file, as `ibdmchk -c FILE` takes them; it passes over lines of
    /// hosts whose ports have different ones
    #[arg(long, value_name = "FILE", value_parser = not_stdout(), requires = "to")]
    sl: Option<PathBuf>,
    /// Write the lane of every service level to this file, as `ibdmchk -d FILE` takes them
    #[arg(long, value_name = "FILE", value_parser = not_stdout(), requires = "to")]
    sl2vl: Option<PathBuf>,
}

/// A subnet manager that installs tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Manager {
    /// OpenSM
    Opensm,
}

impl DestinationOptions {
    /// What is given, for a verb that goes without.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let per_destination = self.per_destination.then_some("--per-destination");
        per_destination.or_else(|| self.without_tables())
    }

    /// What is given of all that needs tables of next hops.
    fn without_tables(&self) -> Option<&'static str> {
        let all =
            [(self.lanes.is_some(), "--lanes"), (self.lmc.is_some(), "--lmc"), (self.to.is_some(), "--to")];
        all.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}

/// The engine among those that make tables only, by name.
pub(super) fn engine(name: Option<&str>) -> Option<&'static Engine> {
    Engine::ALL.iter().find(|(own, _)| Some(*own) == name).map(|(_, engine)| engine)
}

/// Computes tables, if some are asked for; `None` if not.
///
/// # Errors
/// [`Failure::Usage`] for options that do not go together and for too few lanes, and whatever is wrong with the files.
pub(super) fn run(
    options: &Options,
    network: &NetworkArguments,
    common: &Common,
) -> Result<Option<Exit>, Failure> {
    let own = &options.destination;
    let special = engine(options.routing.algorithm.as_deref());
    if special.is_none() && !own.per_destination {
        return own.without_tables().map_or(Ok(None), |option| {
            Err(Failure::Usage(format!(
                "`{option}` goes with `--per-destination`, `lash`, `dfsssp` or `nue`"
            )))
        });
    }
    refuse(options, special.is_some())?;
    let net = network.load()?;
    let topology = network.as_topology(&net)?;
    let engine = match special {
        Some(engine) => engine.clone(),
        None => Engine::Rule(options.routing.choices(&topology, None, common)?.algorithm),
    };
    if let Engine::Rule(algorithm) = &engine
        && algorithm.needs_hosts()
    {
        return Err(Failure::Usage(
            "tables of switches know no hosts in transit: `in-transit` goes without `--per-destination`"
                .to_owned(),
        ));
    }
    if own.lanes.is_some_and(|lanes| lanes > 1) && !engine.takes_lanes() {
        return Err(Failure::Usage(format!(
            "`--lanes`: {} needs one lane, and uses no others",
            engine.name()
        )));
    }
    check_places(options, network, common)?;
    let parts = without::parts(&net, &options.without)?;
    refuse_new_guids(&net, &parts, own)?;
    let left = routing::without(&net, &parts);
    let how = (own.lanes, own.lmc.unwrap_or(0), topology.utility);
    let attachments = Attachments::every_port(&left);
    let tables = found(&left, &engine_without(&net, &parts, &engine), how)?;
    let digest = write(options, network, (&left, &attachments), &tables)?;
    let (report, dependencies) = tables.judge(&left, &attachments);
    if let Some(path) = &options.certificate {
        certificate::write(path, (&report, &dependencies, digest.as_deref()), &left, common)?;
    }
    if parts.is_empty() {
        show(&report, OfTables::new(&tables), &left, common)?;
    } else {
        let whole = found(&net, &engine, how)?.report(&net, &Attachments::every_port(&net));
        let (of_left, whole) = (Shown::of(&report), Shown::of(&whole));
        let names = parts.iter().map(|part| without::name(&net, *part)).collect();
        let tables = Some(OfTables::new(&tables));
        without::show(Beside { left: of_left, whole, recomputed: None, tables }, &left, names, common)?;
    }
    let sound = options.require.iter().all(|required| report.holds(required.of_routes()));
    Ok(Some(if sound { Exit::Fine } else { Exit::Expectation }))
}

/// Refuses files that cannot be written beside each other and what is read.
fn check_places(options: &Options, network: &NetworkArguments, common: &Common) -> Result<(), Failure> {
    let own = &options.destination;
    let places = network.places().writes("--routes", options.routes.as_deref());
    let places =
        places.writes("--gm-routes", options.gm_routes.as_deref()).writes("--out", own.out.as_deref());
    let places = places.writes("--lid-matrix", own.lid_matrix.as_deref()).writes("--sl", own.sl.as_deref());
    let places = places.writes("--sl2vl", own.sl2vl.as_deref());
    places.writes("--certificate", options.certificate.as_deref()).check(common)
}

/// The engine on what is left: a rule from those of its roots that are left.
fn engine_without(net: &Network, parts: &[Part], engine: &Engine) -> Engine {
    let Engine::Rule(algorithm) = engine else { return engine.clone() };
    let choices = Choices { algorithm: algorithm.clone(), ..Choices::default() };
    Engine::Rule(routing::choices_without(net, parts, &choices).algorithm)
}

/// Refuses files of a network without a switch whose other nodes would get guids: they are counted through all nodes,
/// and those of the whole network would be others.
fn refuse_new_guids(net: &Network, parts: &[Part], own: &DestinationOptions) -> Result<(), Failure> {
    let mut guids = net.switches().iter().map(|s| s.guid).chain(net.hosts().iter().map(|h| h.guid));
    let has_no_switch = parts.iter().any(|part| matches!(part, Part::Switch(_)));
    if own.to.is_none() || !has_no_switch || guids.all(|guid| guid.is_some()) {
        return Ok(());
    }
    Err(Failure::Usage(
        "`--to` without a switch needs nodes with guids: `topo convert --to ibnetdiscover` gives them some"
            .to_owned(),
    ))
}

/// The tables of an engine.
///
/// # Errors
/// [`Failure::Usage`] where the network gets none.
pub(super) fn found(
    net: &Network,
    engine: &Engine,
    how: (Option<u8>, u8, Option<HostId>),
) -> Result<DestinationTables, Failure> {
    let attachments = Attachments::every_port(net);
    DestinationTables::new(net, &attachments, engine, how).map_err(|error| Failure::Usage(error.to_string()))
}

/// Why `--select` is refused.
const NO_SELECTION: &str = "`--select` does not go with these tables: it picks one of a pair's several routes, and a \
    table has one next hop per switch and destination for all pairs";

/// Refuses options of routes per pair.
fn refuse(options: &Options, is_special: bool) -> Result<(), Failure> {
    let routing = &options.routing;
    if options.select.is_some() {
        return Err(Failure::Usage(NO_SELECTION.to_owned()));
    }
    let own = [
        (is_special && routing.tree.is_some(), "--tree"),
        (is_special && routing.root.is_some(), "--root"),
        (is_special && routing.root_file.is_some(), "--root-file"),
        (is_special && routing.relabel, "--relabel"),
        (is_special && routing.heuristic.is_some(), "--heuristic"),
    ];
    let given = own.into_iter().find(|(given, _)| *given);
    given.map_or(Ok(()), |(_, name)| Err(Failure::Usage(format!("`{name}` does not go with these tables"))))
}

/// Writes the files that were asked for; returns the digest of those for a subnet manager.
fn write(
    options: &Options,
    network: &NetworkArguments,
    (net, attachments): (&Network, &Attachments),
    tables: &DestinationTables,
) -> Result<Option<String>, Failure> {
    let own = &options.destination;
    if options.routes.is_some() || options.gm_routes.is_some() {
        let table =
            tables.route_table(net, attachments).map_err(|error| Failure::Usage(error.to_string()))?;
        if let Some(path) = &options.routes {
            write_whole_by(path, |mut out| write_routes(net, attachments, &table, &mut out))?;
        }
        if let Some(path) = &options.gm_routes {
            write_whole_by(path, |mut out| write_gm_routes(net, &table, &mut out))?;
        }
    }
    let Some(Manager::Opensm) = own.to else { return Ok(None) };
    let without = net.switches().iter().filter(|switch| switch.guid.is_none()).count();
    if without > 0 {
        note(&format!(
            "{without} switches have no guid: the files name those that `topo convert --to ibnetdiscover` gives them"
        ));
    }
    let kept = network.kept();
    let nodes: BTreeSet<String> = kept.port_guids().into_values().map(|(name, _)| name).collect();
    let left_out = nodes.iter().filter(|name| net.find(name).is_none()).count();
    if left_out > 0 {
        let nodes = count(left_out, "node");
        note(&format!("{nodes} of the network's file left out: these files have no route to them"));
    }
    let files = OpenSm::new(net, tables, &kept);
    let files = files.map_err(|error| Failure::Usage(error.to_string()))?;
    if !kept.lids().is_empty() && !files.keeps_lids() {
        note(
            "the files count lids of their own: those of the network's file are not one for every path of every port",
        );
    }
    let path = |path: &Option<PathBuf>| path.as_deref().map(Path::to_owned);
    path(&own.out).map_or(Ok(()), |path| write_whole_by(&path, |out| files.write_tables(out)))?;
    path(&own.lid_matrix).map_or(Ok(()), |path| write_whole_by(&path, |out| files.write_lid_matrix(out)))?;
    path(&own.sl).map_or(Ok(()), |path| write_whole_by(&path, |out| files.write_service_levels(out)))?;
    path(&own.sl2vl).map_or(Ok(()), |path| write_whole_by(&path, |out| files.write_sl_to_vl(out)))?;
    Ok(Some(files.digest().to_owned()))
}

/// What tables of next hops show beyond what all routes do.
#[derive(Clone, Copy, Serialize)]
pub(super) struct OfTables {
    tables: &'static str,
    addresses_per_port: usize,
    /// How many lanes they use.
    #[serde(skip)]
    lanes: u8,
}

impl OfTables {
    fn new(tables: &DestinationTables) -> OfTables {
        let lanes = tables.hops.lanes();
        OfTables { tables: PER_DESTINATION, addresses_per_port: tables.paths, lanes }
    }

    /// The same for people.
    pub(super) fn rows(&self) -> [(&'static str, String); 2] {
        let tables = "one next hop per switch and destination".to_owned();
        [("tables", tables), ("lanes", self.lanes.to_string())]
    }
}

/// The figures of tables, as `--format json` prints them.
#[derive(Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    judged: lanes::Judged<'a>,
    #[serde(flatten)]
    own: OfTables,
}

fn show(report: &Report, own: OfTables, net: &Network, common: &Common) -> Result<(), Failure> {
    match common.format {
        Format::Json => print_json(&Figures { judged: lanes::Judged::new(report, false), own }),
        Format::Human => {
            print(&rows(report, net, own.rows(), [("deadlock", judged::verdict(report, false))]))
        }
    }
}

/// What tables of next hops are called in results.
pub(super) const PER_DESTINATION: &str = "per destination";
