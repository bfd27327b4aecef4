//! Routes and forwarding tables that come from elsewhere: the options that name them, and what they hold.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use simnet_base::diagnostics::shown;
use simnet_base::ids::Node;
use simnet_network::routing::{
    Attachments, Lanes, Part, RouteTable, ServiceLevels, Survey, TableTooLarge, read_lfts, read_routes,
    read_service_levels, read_sl2vl,
};
use simnet_network::topology::Network;
use simnet_scenario::checked::{InputFile, Installed};

use super::dump::Dump;
use super::lanes::Signs;
use crate::cli::network::NetworkArguments;
use crate::cli::output::{self, note};
use crate::cli::places::Places;
use crate::cli::{Common, Failure};

/// Which files hold routes, or tables.
#[derive(Args)]
pub(super) struct SourceArguments {
    /// The routes, one JSON object a line, as `simnet route --routes` writes them
    #[arg(long, value_name = "FILE")]
    routes: Option<PathBuf>,
    /// The forwarding tables of a subnet manager: OpenSM's opensm-lfts.dump or .fdbs, or what dump_lfts prints; or the
    /// folder of a dump, with whatever lane files it has
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "routes")]
    lfts: Option<PathBuf>,
    /// Which lane switches give each service level: OpenSM's opensm-sl2vl.dump or ibdiagnet.slvl
    #[arg(long, value_name = "FILE", requires = "lfts")]
    sl2vl: Option<PathBuf>,
    /// The service levels of paths: lines as `slid dlid sl`, or ibdiagnet.psl; a path without one has level 0
    #[arg(long, value_name = "FILE", requires = "lfts")]
    sl: Option<PathBuf>,
}

/// The files that were named.
pub(super) enum Source {
    Routes(PathBuf),
    Tables(Dump),
}

/// What they hold.
pub(super) enum Given {
    Routes(RouteTable),
    Tables {
        installed: Box<Installed>,
        /// What shows that lanes were in use and not looked at.
        signs: Option<Signs>,
    },
}

impl SourceArguments {
    /// The files that are named, if any; says on stderr which of a folder are taken.
    ///
    /// # Errors
    /// [`Failure::Usage`] where service levels come without tables that give them a lane; a folder without tables.
    pub(super) fn source(&self, common: &Common) -> Result<Option<Source>, Failure> {
        if let Some(path) = &self.routes {
            return Ok(Some(Source::Routes(path.clone())));
        }
        let Some(path) = &self.lfts else { return Ok(None) };
        let dump = Dump::of(path, self.sl2vl.as_ref(), self.sl.as_ref())?;
        if dump.levels.is_some() && dump.sl2vl.is_none() {
            let message = "`--sl` needs `--sl2vl`: what lane a service level means is up to each switch";
            return Err(Failure::Usage(message.to_owned()));
        }
        if dump.lfts != *path && !common.quiet {
            note(&format!("{}: reads {}", shown(path), dump.names()));
        }
        Ok(Some(Source::Tables(dump)))
    }
}

impl Source {
    /// Adds the files to those that a command reads.
    pub(super) fn declare(&self, places: Places) -> Places {
        match self {
            Source::Routes(path) => places.reads("the routes", path),
            Source::Tables(Dump { lfts, sl2vl, levels }) => {
                let places = places.reads("the forwarding tables", lfts);
                let lanes = [("the SL2VL tables", sl2vl), ("the service levels", levels)];
                let lanes = lanes.into_iter().filter_map(|(what, path)| Some((what, path.as_ref()?)));
                lanes.fold(places, |places, (what, path)| places.reads(what, path))
            }
        }
    }

    /// Reads the files.
    ///
    /// # Errors
    /// Whatever is wrong with them.
    pub(super) fn read(
        &self,
        network: &NetworkArguments,
        net: &Network,
        attachments: &Attachments,
    ) -> Result<Given, Failure> {
        match self {
            Source::Routes(path) => {
                let too_large = |error: TableTooLarge| Failure::Usage(error.to_string());
                TableTooLarge::unless_held(net.hosts().len()).map_err(too_large)?;
                let (name, bytes) = read(path)?;
                Ok(Given::Routes(read_routes(net, attachments, &name, &bytes)?))
            }
            Source::Tables(dump) => read_tables(dump, &network.kept().port_guids(), net),
        }
    }
}

impl Source {
    /// The file that says where packets go.
    pub(super) fn file(&self) -> InputFile {
        let path = match self {
            Source::Routes(path) => path,
            Source::Tables(dump) => &dump.lfts,
        };
        InputFile { named: shown(path).to_string(), path: path.clone(), hash: String::new() }
    }
}

impl Given {
    /// The tables as they stand when these parts of the network are gone; routes end where theirs do.
    pub(super) fn without(&self, net: &Network, parts: &[Part]) -> Given {
        match self {
            Given::Routes(table) => Given::Routes(table.clone()),
            Given::Tables { installed, .. } => {
                let tables = installed.tables.without(net, parts);
                let lanes = installed.lanes.as_ref().map(|lanes| lanes.without(net, parts));
                Given::Tables { installed: Box::new(Installed { tables, lanes }), signs: None }
            }
        }
    }

    /// What shows that lanes were in use and not looked at.
    pub(super) fn signs(&self) -> Option<&Signs> {
        match self {
            Given::Routes(_) => None,
            Given::Tables { signs, .. } => signs.as_ref(),
        }
    }

    /// The digest of the command that wrote the tables, where simnet did.
    pub(super) fn digest(&self) -> Option<&str> {
        match self {
            Given::Routes(_) => None,
            Given::Tables { installed, .. } => installed.tables.digest(),
        }
    }

    /// By which ports hosts count: routes name hosts, tables know all ports.
    pub(super) fn attachments(&self, net: &Network) -> Attachments {
        match self {
            Given::Routes(_) => Attachments::lowest(net),
            Given::Tables { .. } => Attachments::every_port(net),
        }
    }

    /// Follows all that is given.
    pub(super) fn survey(&self, net: &Network, attachments: &Attachments) -> Survey {
        match self {
            Given::Routes(routes) => Survey::new(net, attachments, routes),
            Given::Tables { installed, .. } => installed.survey(net, attachments),
        }
    }

    /// The routes of a run, the tables that they follow, and the lanes that they need.
    ///
    /// # Errors
    /// [`Failure::Usage`] if they do not fit one table.
    pub(super) fn of_run(
        &self,
        net: &Network,
        attachments: &Attachments,
    ) -> Result<(RouteTable, Option<Box<Installed>>, u8), Failure> {
        match self {
            Given::Routes(table) => Ok((table.clone(), None, 1)),
            Given::Tables { installed, .. } => {
                let found = installed.routes(net, attachments);
                let (table, highest) = found.map_err(|error| Failure::Usage(error.to_string()))?;
                let needed = highest.map_or(1, |highest| highest.lane + 1);
                Ok((table, Some(installed.clone()), needed))
            }
        }
    }
}

fn read_tables(
    dump: &Dump,
    port_guids: &BTreeMap<u64, (String, u16)>,
    net: &Network,
) -> Result<Given, Failure> {
    let (name, bytes) = read(&dump.lfts)?;
    let tables = read_lfts(net, port_guids, &name, &bytes)?;
    for switch in tables.missing() {
        tracing::warn!(switch = net.name_of(Node::Switch(switch)), "no forwarding table");
    }
    let Some(sl2vl) = &dump.sl2vl else {
        let signs = Some(Signs::of_tables(&dump.lfts, &bytes, &tables, net));
        return Ok(Given::Tables { installed: Box::new(Installed { tables, lanes: None }), signs });
    };
    let (name, bytes) = read(sl2vl)?;
    let lane_tables = read_sl2vl(net, &tables, &name, &bytes)?;
    let levels = match &dump.levels {
        Some(path) => {
            let (name, bytes) = read(path)?;
            read_service_levels(net, port_guids, &tables, &name, &bytes)?
        }
        None => ServiceLevels::default(),
    };
    let signs = dump.levels.is_none().then(|| Signs::without_levels(&dump.lfts));
    let lanes = Some(Lanes { tables: lane_tables, levels });
    Ok(Given::Tables { installed: Box::new(Installed { tables, lanes }), signs })
}

pub(super) fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    Ok((shown(&path).to_string(), output::read(path)?))
}
