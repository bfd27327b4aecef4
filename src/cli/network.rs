//! The arguments of every verb that takes a network, and how it is loaded.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;

use simnet_base::diagnostics::{Fault, Faults, did_you_mean, nearest, quoted, shown};
use simnet_base::units::{BitRate, Unit};
use simnet_network::topology::formats::{self, Format, Kept, ReadOptions};
use simnet_network::topology::{Network, Subset, presets};
use simnet_scenario::checked::{Topology, TopologySource};

use super::Failure;
use super::output::{note, read};
use super::places::Places;

/// The network that a verb works on.
#[derive(Args, Clone, Debug)]
pub(super) struct NetworkArguments {
    /// A preset (now-c, pink, faraj-d, ...) or a file in any format that simnet reads
    #[arg(value_name = "TOPO")]
    pub(super) topology: PathBuf,
    #[command(flatten)]
    pub(super) reading: ReadingArguments,
}

/// How a verb reads its network.
#[derive(Args, Clone, Debug)]
pub(super) struct ReadingArguments {
    /// The file's format, instead of recognising it by its content
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Hosts to put on every switch of a file that has none
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) hosts_per_switch: Option<u16>,
    /// Leave out the hosts that are the aggregation units of switches
    #[arg(long)]
    pub(super) drop_aggregation_nodes: bool,
    /// Keep one plane alone: that of this switch, host or `HOST:PORT`
    #[arg(long, value_name = "NODE")]
    pub(super) plane: Option<String>,
    /// Leave out nodes of this name or description, and ports of hosts as `NAME:PORT`; `*` stands for any text; may be
    /// given several times
    #[arg(long, value_name = "PATTERN")]
    pub(super) leave_out: Vec<String>,
    /// Leave out cables of hosts slower than this, as "200 Gb/s"
    #[arg(long, value_name = "RATE", value_parser = <BitRate as Unit>::parse)]
    pub(super) least_rate: Option<BitRate>,
    /// The host left out of account when `far` picks a root [default: c-util in the now presets]
    #[arg(long, value_name = "HOST")]
    pub(super) utility: Option<String>,
}

impl NetworkArguments {
    /// Loads the network: the preset of that name, else the file.
    ///
    /// # Errors
    /// [`Failure::Usage`] for an unknown format or utility host, [`Failure::Io`] for a file that cannot be read,
    /// [`Failure::Input`] for one that is wrong.
    pub(super) fn load(&self) -> Result<Network, Failure> {
        let net = self.reading.load(&self.topology)?;
        let (hosts, switches, links) = (net.hosts().len(), net.switches().len(), net.links().len());
        tracing::debug!(name = net.name, hosts, switches, links, "loaded a network");
        self.utility(&net)?;
        Ok(net)
    }

    /// The utility host: the requested one, else the preset's, if any.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the network has no such host.
    pub(super) fn utility(&self, net: &Network) -> Result<Option<simnet_base::ids::HostId>, Failure> {
        match &self.reading.utility {
            Some(name) => find_host(net, name).map(Some),
            None => {
                let preset = self.topology.to_str().and_then(presets::utility_host);
                Ok(preset.and_then(|name| net.find_host(name)))
            }
        }
    }

    /// Reads the network's file a second time, where that can be done, for what a network does not keep.
    pub(super) fn kept(&self) -> Kept {
        match self.reading.preset(&self.topology) {
            Some(_) => Kept::default(),
            None => read(&self.topology).map(|bytes| formats::kept(&bytes)).unwrap_or_default(),
        }
    }

    /// The network as a scenario has it: every host by its lowest cabled port.
    ///
    /// # Errors
    /// As [`NetworkArguments::utility`].
    pub(super) fn as_topology(&self, net: &Network) -> Result<Topology, Failure> {
        Ok(Topology {
            network: net.clone(),
            source: TopologySource::Preset(net.name.clone()),
            utility: self.utility(net)?,
            attachments: net.host_ids().map(|host| net.attachment(host).map(|(port, _, _)| port)).collect(),
        })
    }

    /// The files of a command that reads this network.
    pub(super) fn places(&self) -> Places {
        match self.reading.preset(&self.topology) {
            Some(_) => Places::new(),
            None => Places::new().reads("the network", &self.topology),
        }
    }
}

impl NetworkArguments {
    /// A refusal of the network: located where the file first names `node`, if a file it is and names it.
    pub(super) fn refuse(&self, code: &'static str, message: &str, node: Option<&str>) -> Failure {
        let file = shown(&self.topology).to_string();
        let text = match self.reading.preset(&self.topology) {
            Some(_) => None,
            None => read(&self.topology).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        };
        let Some(text) = text else {
            return Failure::Scenario(format!("{}: {message}", quoted(&file)));
        };
        let span = node.and_then(|node| naming(&text, node)).unwrap_or(0..0);
        let fault = Fault::new(code, span, message, "all machines on one tree of switches");
        Failure::Input(Box::new(Faults { file, text, faults: vec![fault] }))
    }
}

/// Where a text names a node: the first place that stands alone and follows the key `name`, else the first that
/// stands alone.
fn naming(text: &str, node: &str) -> Option<std::ops::Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    let alone = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + node.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    };
    let places = || text.match_indices(node).map(|(at, _)| at).filter(alone);
    let declares = |at: &usize| {
        let before = text[..*at].trim_end_matches(['"', '\'', ' ', ':', '=']);
        before.ends_with("name")
    };
    let at = places().find(declares).or_else(|| places().next())?;
    Some(at..at + node.len())
}

impl ReadingArguments {
    /// The first of these options that is given, if any is.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let options = [
            (self.from.is_some(), "--from"),
            (self.hosts_per_switch.is_some(), "--hosts-per-switch"),
            (self.drop_aggregation_nodes, "--drop-aggregation-nodes"),
            (self.plane.is_some(), "--plane"),
            (!self.leave_out.is_empty(), "--leave-out"),
            (self.least_rate.is_some(), "--least-rate"),
            (self.utility.is_some(), "--utility"),
        ];
        options.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// The preset that a network's name stands for, if it does.
    pub(super) fn preset<'a>(&self, topology: &'a Path) -> Option<&'a str> {
        topology.to_str().filter(|name| self.from.is_none() && presets::NAMES.contains(name))
    }

    /// Loads the network called `topology`: the preset of that name, else the file.
    ///
    /// # Errors
    /// As [`NetworkArguments::load`].
    pub(super) fn load(&self, topology: &Path) -> Result<Network, Failure> {
        let from = self.from.as_deref().map(Format::to_read).transpose().map_err(Failure::Usage)?;
        if let Some(name) = self.preset(topology)
            && let Some(preset) = presets::load(name)
        {
            if self.hosts_per_switch.is_some() {
                let text = format!("`--hosts-per-switch` is for files without hosts; {name} has its own");
                return Err(Failure::Usage(text));
            }
            if self.subset().is_whole() {
                return Ok(preset);
            }
            let (network, left_out) =
                self.subset().of(&preset).map_err(|error| Failure::Usage(error.to_string()))?;
            note(&left_out.to_string());
            return Ok(network);
        }
        let bytes = read(topology).map_err(|failure| missing(topology, failure))?;
        let options = ReadOptions {
            from,
            hosts_per_switch: self.hosts_per_switch,
            subset: self.subset(),
            folder: topology.parent().map(Path::to_owned),
        };
        let reading = formats::read_with_warnings(&shown(&topology).to_string(), &bytes, &options)?;
        if let Some(warnings) = reading.warnings {
            super::warn(&warnings.as_warnings());
        }
        if !self.subset().is_whole() {
            note(&reading.left_out.to_string());
        }
        Ok(reading.network)
    }

    /// The part of the network that is asked for.
    fn subset(&self) -> Subset {
        Subset {
            drop_aggregation_nodes: self.drop_aggregation_nodes,
            leave_out: self.leave_out.clone(),
            least_rate: self.least_rate,
            plane: self.plane.clone(),
        }
    }
}

/// A text as a value of a scenario's key, on one line: TOML's texts are JSON's but for the sign for deletion.
pub(super) fn quoted_value(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// The host called `name` in a network that was loaded.
///
/// # Errors
/// [`Failure::Usage`] with the nearest name.
pub(super) fn find_host(net: &Network, name: &str) -> Result<simnet_base::ids::HostId, Failure> {
    net.find_host(name).ok_or_else(|| {
        let near = match net.find(name) {
            Some(_) => "; that is a switch".to_owned(),
            None => did_you_mean(name, net.hosts().iter().map(|host| host.name.as_str())),
        };
        Failure::Usage(format!("no host of {} is called `{name}`{near}", quoted(&net.name)))
    })
}

/// A file that cannot be read; one that is not there may be a preset misspelt.
fn missing(topology: &Path, failure: Failure) -> Failure {
    let Failure::Io { path, error } = failure else { return failure };
    if error.kind() != ErrorKind::NotFound {
        return Failure::Io { path, error };
    }
    let near = topology.to_str().and_then(|name| nearest(name, presets::NAMES));
    let near = near.map(|near| format!("; did you mean the preset `{near}`?"));
    let presets = presets::NAMES.join(", ");
    let text = format!("no such file, and no preset of that name ({presets}){}", near.unwrap_or_default());
    Failure::Io { path, error: std::io::Error::new(error.kind(), text) }
}
