//! Networks as text: one file per format, recognised by what the text says and never by a file's name.
//!
//! ```text
//!   bytes --> text --> recognise --> json / toml --> tree of values with places --> document --> Network
//!                                --> ibnetdiscover / slurm / graphml / anynet / gm ----------> Network
//! ```
//!
//! A reader reports every fault of a file in one go, each with its place, and warns of what a format cannot
//! say or what looks like a slip. simnet's own formats read back equal; the others keep what they have words
//! for.

mod anynet;
mod cabling;
mod cabling_plan;
mod db_csv;
mod document;
mod dot;
mod gm;
mod graphml;
mod ibdm;
mod ibnetdiscover;
mod infiniband;
mod json;
mod kept;
mod lines;
mod lldp;
mod netloc;
mod netq;
mod reader;
mod slurm;
mod subnet_lst;
mod toml;
mod tree;
mod unread;
mod yaml;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use simnet_base::diagnostics::{self, Fault, Faults, did_you_mean};
use simnet_base::ids::{Node, SwitchId};

use super::subset::{LeftOut, Subset, SubsetError};
use super::{End, Network};

pub use gm::gm_host_names;
pub use ibnetdiscover::{NodeGuids, node_guids};
pub use kept::{Kept, Lids};

/// A text format for networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// simnet's own, as JSON.
    Json,
    /// simnet's own, as TOML.
    Toml,
    /// What `ibnetdiscover` prints, and ibsim's net files.
    Ibnetdiscover,
    /// Slurm's `topology.conf` of the tree plugin.
    Slurm,
    /// Slurm's `topology.yaml`, of which a tree is read.
    SlurmYaml,
    /// GraphML, as of the Internet Topology Zoo.
    GraphMl,
    /// The network file of BookSim's `anynet`.
    Anynet,
    /// The map of Myricom's GM mapper.
    Gm,
    /// The static networks of netloc, as JSON.
    Netloc,
    /// A topology file of ibdm, with its descriptions of systems.
    Ibdm,
    /// The list of cables of OpenSM and ibdiagnet.
    SubnetLst,
    /// The tables of ibdiagnet2.
    DbCsv,
    /// NetQ's graph of a network.
    Netq,
    /// A cabling plan as CSV.
    Csv,
    /// What lldpctl prints of the neighbours of all machines.
    Lldp,
    /// Graphviz's graph language.
    Dot,
}

impl Format {
    /// All formats, in the order in which they are tried on a text, but for `BEFORE_JSON`: those that look least like
    /// others first.
    pub const ALL: [Format; 16] = [
        Format::Json,
        Format::Ibnetdiscover,
        Format::SubnetLst,
        Format::DbCsv,
        Format::Csv,
        Format::GraphMl,
        Format::SlurmYaml,
        Format::Slurm,
        Format::Netloc,
        Format::Netq,
        Format::Lldp,
        Format::Ibdm,
        Format::Anynet,
        Format::Gm,
        Format::Toml,
        Format::Dot,
    ];

    /// simnet's own formats, which say all that a network is.
    pub const OWN: [Format; 2] = [Format::Json, Format::Toml];

    /// What `--from` and `--to` call it.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Toml => "toml",
            Format::Ibnetdiscover => "ibnetdiscover",
            Format::Slurm => "slurm",
            Format::SlurmYaml => "slurm-yaml",
            Format::GraphMl => "graphml",
            Format::Anynet => "anynet",
            Format::Gm => "gm",
            Format::Netloc => "netloc",
            Format::Ibdm => "ibdm",
            Format::SubnetLst => "subnet-lst",
            Format::DbCsv => "db-csv",
            Format::Netq => "netq",
            Format::Csv => "csv",
            Format::Lldp => "lldp",
            Format::Dot => "dot",
        }
    }

    /// Whether simnet reads it.
    pub const fn reads(self) -> bool {
        !matches!(self, Format::Dot)
    }

    /// Whether simnet writes it.
    pub const fn writes(self) -> bool {
        match self {
            Format::Json | Format::Toml | Format::Ibnetdiscover | Format::SubnetLst => true,
            Format::Csv | Format::Gm | Format::Dot => true,
            Format::Slurm | Format::SlurmYaml | Format::GraphMl | Format::Anynet | Format::Netloc => false,
            Format::Ibdm | Format::DbCsv | Format::Netq | Format::Lldp => false,
        }
    }

    /// Whether its files may be in the encoding latin-1, since its encoding was never specified.
    fn may_be_latin1(self, text: &str) -> bool {
        match self {
            Format::GraphMl => graphml::declares_latin1(text),
            Format::Ibnetdiscover
            | Format::SubnetLst
            | Format::DbCsv
            | Format::Slurm
            | Format::SlurmYaml
            | Format::Gm
            | Format::Ibdm => true,
            _ => false,
        }
    }

    /// The format called `name`, to read a file in.
    ///
    /// # Errors
    /// A sentence that names the formats that simnet reads and the nearest of them.
    pub fn to_read(name: &str) -> Result<Format, String> {
        Format::called(name, Format::reads, "read")
    }

    /// The format called `name`, to write a network in.
    ///
    /// # Errors
    /// A sentence that names the formats that simnet writes and the nearest of them.
    pub fn to_write(name: &str) -> Result<Format, String> {
        Format::called(name, Format::writes, "write")
    }

    fn called(name: &str, fits: fn(Format) -> bool, verb: &str) -> Result<Format, String> {
        let names = || Format::ALL.into_iter().filter(|format| fits(*format)).map(Format::name);
        let list = || names().collect::<Vec<_>>().join(", ");
        match Format::ALL.into_iter().find(|format| format.name() == name) {
            Some(format) if fits(format) => Ok(format),
            Some(_) => Err(format!("simnet does not {verb} {name}, only {}", list())),
            None => {
                Err(format!("no format is called `{name}`, only {}{}", list(), did_you_mean(name, names())))
            }
        }
    }

    fn recognises(self, text: &str) -> bool {
        match self {
            Format::Json => json::recognises(text),
            Format::Toml => toml::recognises(text),
            Format::Ibnetdiscover => ibnetdiscover::recognises(text),
            Format::Slurm => slurm::recognises(text),
            Format::SlurmYaml => slurm::yaml::recognises(text),
            Format::GraphMl => graphml::recognises(text),
            Format::Anynet => anynet::recognises(text),
            Format::Gm => gm::recognises(text),
            Format::Netloc => netloc::recognises(text),
            Format::Ibdm => ibdm::recognises(text),
            Format::SubnetLst => subnet_lst::recognises(text),
            Format::DbCsv => db_csv::recognises(text),
            Format::Netq => netq::recognises(text),
            Format::Csv => cabling_plan::recognises(text),
            Format::Lldp => lldp::recognises(text),
            Format::Dot => dot::recognises(text),
        }
    }

    fn read(self, text: &str, options: &ReadOptions) -> Result<Parsed, Unread> {
        Ok(match self {
            Format::Json => document::network(&json::parse(text)?).map(Parsed::from)?,
            Format::Toml => document::network(&toml::parse(text)?).map(Parsed::from)?,
            Format::Ibnetdiscover => ibnetdiscover::read(text)?,
            Format::Slurm => slurm::read(text)?,
            Format::SlurmYaml => slurm::yaml::read(text)?,
            Format::GraphMl => graphml::read(text)?,
            Format::Anynet => anynet::read(text)?,
            Format::Gm => gm::read(text)?,
            Format::Netloc => netloc::read(text)?,
            Format::SubnetLst => subnet_lst::read(text)?,
            Format::DbCsv => db_csv::read(text)?,
            Format::Netq => netq::read(text)?,
            Format::Csv => cabling_plan::read(text)?,
            Format::Lldp => lldp::read(text)?,
            Format::Ibdm => ibdm::read(text, options.folder.as_deref())?,
            Format::Dot => return Err(vec![dot::refusal(text)].into()),
        })
    }
}

/// What a reader makes of a text without faults.
struct Parsed {
    network: Network,
    /// In any order.
    warnings: Vec<Fault>,
}

impl From<Network> for Parsed {
    fn from(network: Network) -> Parsed {
        Parsed { network, warnings: Vec::new() }
    }
}

/// What is wrong with a file: in its own text, or in a file that it needs.
enum Unread {
    /// In any order.
    Here(Vec<Fault>),
    Elsewhere(Box<Faults>),
}

impl From<Vec<Fault>> for Unread {
    fn from(faults: Vec<Fault>) -> Unread {
        Unread::Here(faults)
    }
}

impl From<Box<Faults>> for Unread {
    fn from(faults: Box<Faults>) -> Unread {
        Unread::Elsewhere(faults)
    }
}

/// A network that was read, and what its reader warns of.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The network.
    pub network: Network,
    /// What of the file's network was not asked for.
    pub left_out: LeftOut,
    /// What should be looked at before the network is trusted, if anything: each with its place.
    pub warnings: Option<Box<Faults>>,
}

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` recognises it by content.
    pub from: Option<Format>,
    /// How many hosts every switch is given, in a file that has no hosts.
    pub hosts_per_switch: Option<u16>,
    /// The part of the network that is asked for.
    pub subset: Subset,
    /// The folder that the file lies in, for formats whose files name others beside them; `None` finds none.
    pub folder: Option<PathBuf>,
}

/// Formats that begin as JSON does; what none of them is, is simnet's own.
const BEFORE_JSON: [Format; 4] = [Format::SubnetLst, Format::Netloc, Format::Netq, Format::Lldp];
/// The most ports of a node: more could not be turned between, since a turn has 16 bits.
pub const MOST_PORTS: u16 = 32_767;
/// The most hosts that are added to a file, or that a few words of one may stand for.
const MOST_HOSTS: usize = 1 << 20;

/// Reads a network from the text of a file, which messages call `file`; what its reader warns of is dropped.
///
/// # Errors
/// Every fault of the file, each with its place; among them: not UTF-8, empty, not recognised, and hosts
/// requested for a file that has some. Or every fault of the first file faulty that it needs.
pub fn read(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Network, Box<Faults>> {
    read_with_warnings(file, bytes, options).map(|reading| reading.network)
}

/// Reads a network as [`read`] does, and reports what should be checked before it is trusted.
///
/// # Errors
/// As [`read`].
pub fn read_with_warnings(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Reading, Box<Faults>> {
    let (original, not_utf8) = match diagnostics::decode(file, bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        // In latin-1 a byte is a character, so that places hold in the text that is shown.
        Err(faults) => (Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()), Some(faults)),
    };
    let list = |mut faults: Vec<Fault>| {
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        Box::new(Faults::new(file, original.as_ref(), faults))
    };
    // A byte order mark means nothing in UTF-8; blanks in its stead leave every place where it was.
    let unmarked = original.strip_prefix('\u{feff}').map(|rest| format!("   {rest}"));
    let text = unmarked.as_deref().unwrap_or(&original);
    let format = options.from.map_or_else(|| recognise(text), Ok);
    if let Some(faults) = not_utf8
        && !format.as_ref().is_ok_and(|format| format.may_be_latin1(text))
    {
        return Err(faults);
    }
    let format = format.map_err(|fault| list(vec![fault]))?;
    let mut parsed = format.read(text, options).map_err(|unread| match unread {
        Unread::Here(faults) => list(faults),
        Unread::Elsewhere(faults) => faults,
    })?;
    if parsed.network.name.is_empty() && !Format::OWN.contains(&format) {
        parsed.network.name = called_after(file, format);
    }
    if options.subset.drop_aggregation_nodes {
        parsed.warnings.retain(|warning| warning.code != infiniband::AGGREGATION_WARNING);
    }
    let warnings = Some(parsed.warnings).filter(|found| !found.is_empty()).map(list);
    let (net, left_out) = match options.subset.is_whole() {
        true => (parsed.network, LeftOut::default()),
        false => {
            let of_network = |error: SubsetError| {
                list(vec![Fault::new("no-such-part", 0..0, error.to_string(), "a part that the network has")])
            };
            options.subset.of(&parsed.network).map_err(of_network)?
        }
    };
    let network = match options.hosts_per_switch {
        None => net,
        Some(count) => with_hosts(&net, count).map_err(|fault| list(vec![fault]))?,
    };
    Ok(Reading { network, left_out, warnings })
}

/// What a network is called whose file does not say it: as the file is, without folders and extension.
fn called_after(file: &str, format: Format) -> String {
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| format.name().to_owned())
}

/// Reads what a dump of ibnetdiscover, a list of OpenSM's cables or tables of ibdiagnet2 say that a network does not
/// keep; nothing of any other file. Tables of ibdiagnet2 are read for the guids of ports alone, the list has no word
/// for the lmc.
pub fn kept(bytes: &[u8]) -> Kept {
    let text = String::from_utf8_lossy(bytes);
    if subnet_lst::recognises(&text) {
        return subnet_lst::kept(&text);
    }
    if db_csv::recognises(&text) {
        return db_csv::kept(&text);
    }
    ibnetdiscover::kept(&text)
}

/// The name of the node and the port by the guid of the port, as [`kept`] has them.
pub fn port_guids(bytes: &[u8]) -> std::collections::BTreeMap<u64, (String, u16)> {
    kept(bytes).port_guids()
}

/// Writes a network.
///
/// [`read`] gives it back from [`Format::OWN`], but for a guid that only a name implies; the other formats
/// lose what they have no words for.
///
/// # Panics
/// If simnet does not write the format: see [`Format::writes`].
pub fn write(net: &Network, format: Format) -> String {
    write_with(net, format, &Kept::default())
}

/// The same with what the network's own file says of addresses, guids, widths and speeds, in the formats that have
/// words for these.
///
/// # Panics
/// As [`write()`].
pub fn write_with(net: &Network, format: Format, kept: &Kept) -> String {
    match format {
        Format::Json => json::write(net),
        Format::Toml => toml::write(net),
        Format::Ibnetdiscover => ibnetdiscover::write(net, kept),
        Format::Dot => dot::write(net),
        Format::Gm => gm::write(net),
        Format::SubnetLst => subnet_lst::write(net, kept),
        Format::Csv => cabling_plan::write(net),
        other => panic!("simnet does not write {}", other.name()),
    }
}

/// How many switches and hosts a format that lists cables has no line for.
pub fn left_out(net: &Network, format: Format) -> usize {
    let nodes = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host));
    match format {
        Format::SubnetLst | Format::Csv => nodes.filter(|node| net.cables(*node).next().is_none()).count(),
        _ => 0,
    }
}

/// A switch or host with more ports than a format can count, and how many that is.
pub fn too_large(net: &Network, format: Format) -> Option<(Node, u16)> {
    let most = if format == Format::SubnetLst { subnet_lst::MOST_PORTS } else { u16::MAX };
    let mut nodes = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host));
    Some((nodes.find(|node| net.port_range(*node).1 > most)?, most))
}

fn recognise(text: &str) -> Result<Format, Fault> {
    let formats = || {
        let names = Format::ALL.into_iter().filter(|format| format.reads()).map(Format::name);
        names.collect::<Vec<_>>().join(", ")
    };
    if text.trim().is_empty() {
        let expected = format!("one of the formats {}", formats());
        return Err(Fault::new("empty-file", 0..0, "the file is empty", expected));
    }
    if let Some(fault) = unread::refusal(text) {
        return Err(fault);
    }
    BEFORE_JSON.into_iter().chain(Format::ALL).find(|format| format.recognises(text)).ok_or_else(|| {
        let start = text.len() - text.trim_start().len();
        let end = start + text[start..].chars().next().map_or(0, char::len_utf8);
        let expected = format!("the beginning of one of the formats {}", formats());
        Fault::new("unknown-format", start..end, "no known format of networks looks like this", expected)
            .with_help("`--from` names the format of a file that is not recognised")
    })
}

/// The network with `count` hosts on the lowest free ports of every switch; switches grow ports they lack.
fn with_hosts(net: &Network, count: u16) -> Result<Network, Fault> {
    if !net.hosts().is_empty() {
        let message =
            format!("hosts for every switch were asked for, but the file has {}", net.hosts().len());
        return Err(Fault::new("hosts-present", 0..0, message, "a file without hosts")
            .with_help("leave out `--hosts-per-switch`, or `hosts-per-switch` in a scenario"));
    }
    if net.switches().len() * usize::from(count) > MOST_HOSTS {
        let message = format!("{count} hosts on each of {} switches are too many", net.switches().len());
        return Err(Fault::new("too-many-hosts", 0..0, message, format!("at most {MOST_HOSTS} in all")));
    }
    let mut grown = Network::new(net.name.as_str());
    let free_ports = |id: SwitchId| {
        let switch = &net.switches()[id.index()];
        let all = (switch.first_port..MOST_PORTS).map(move |port| End::switch(id, port));
        all.filter(|end| net.link_at(*end).is_none()).take(usize::from(count)).collect::<Vec<_>>()
    };
    for id in net.switch_ids() {
        let mut switch = net.switches()[id.index()].clone();
        let free = free_ports(id);
        if free.len() < usize::from(count) {
            let message = format!("switch `{}` has no room for {count} hosts", switch.name);
            return Err(Fault::new("too-many-hosts", 0..0, message, format!("at most {MOST_PORTS} ports")));
        }
        let highest = free.last().map_or(0, |end| end.port.0 - switch.first_port + 1);
        switch.ports = switch.ports.max(highest);
        grown.push_switch(switch).expect("names were distinct");
    }
    for link in net.links() {
        grown.push_link(link.clone()).expect("ports were used once");
    }
    for id in net.switch_ids() {
        for (nth, end) in free_ports(id).into_iter().enumerate() {
            let name = free_name(&grown, &format!("{}-h{nth}", net.switches()[id.index()].name));
            let host = grown.add_host(name).expect("the name is free");
            grown.connect(End::host(host, 0), end).expect("the port is free");
        }
    }
    Ok(grown)
}

fn free_name(net: &Network, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while net.named(&name).is_some() {
        name.push('\'');
    }
    name
}
