//! `simnet map`: map a network in-band, and compare the map with the truth.

use std::path::PathBuf;

use clap::Args;

use serde::Serialize;
use simnet_base::diagnostics::quoted;
use simnet_base::numbers::{bytes, time};
use simnet_base::units::{Duration, Flits};
use simnet_media::host::Costs;
use simnet_media::host::mapper::Algorithm;
use simnet_media::host::mapper::guarded::COSTS_2003;
use simnet_network::topology::Network;
use simnet_network::topology::formats::{self, Format as FileFormat};
use simnet_output::report::{Drawing, draw_network};
use simnet_running::simulation::{MapReport, map, measured_ms};
use simnet_scenario::checked::Checked;
use simnet_scenario::{self, fabric};

use super::network::{NetworkArguments, quoted_value};
use super::output::{columns, not_stdout, print, print_json, write_whole};
use super::run::outlasts;
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// The host that maps; all others answer
    #[arg(long, value_name = "HOST")]
    mapper: Option<String>,
    /// The algorithm, with what software costs on the hosts of its paper; --set hosts.send-overhead,
    /// hosts.reply-overhead and hosts.loop-overhead change that
    #[arg(long, value_name = "NAME", default_value = "berkeley")]
    algorithm: String,
    /// Write the map to this file, as topology JSON
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    map: Option<PathBuf>,
    /// Write a drawing of the map to this file, as SVG
    #[arg(long, value_name = "FILE", value_parser = not_stdout())]
    drawing: Option<PathBuf>,
    /// Who maps: one `master`, or every host until an `election` is decided
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// What carries messages: `cut-through` (the flit-level fabric), `circuit` or `packet`
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The time that a switch needs to decode a head [default: 150 ns]
    #[arg(long, value_name = "TIME")]
    routing_latency: Option<String>,
    /// How long the mapper waits for an answer [default: 1 ms]
    #[arg(long, value_name = "TIME")]
    probe_timeout: Option<String>,
    /// How often a turn that gave nothing is tried again [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    retries: Option<String>,
    /// The longest string of turns whose switch is explored: a number, `q+d+1`, `q+d` or `2d+1` [default: no bound]
    #[arg(long, value_name = "TURNS", allow_negative_numbers = true)]
    depth: Option<String>,
    /// The order in which the turns at a switch are tried
    #[arg(long, value_name = "ORDER")]
    order: Option<String>,
    /// Leave out ports that a replicate of the switch has found
    #[arg(long)]
    skip_known: bool,
    /// The bytes that the mapper may use for its model [default: as many as it needs]
    #[arg(long, value_name = "BYTES")]
    memory: Option<String>,
    /// What the mapper's software runs on: `host` or `nic`
    #[arg(long, value_name = "COMPUTER")]
    runs_on: Option<String>,
    /// Hosts that answer nothing
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    silent: Vec<String>,
    /// How many hosts run a mapper's software, the master's own among them
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    answering: Option<String>,
    /// Which hosts those are: the first `listed`, or `random` ones
    #[arg(long, value_name = "ORDER")]
    answering_order: Option<String>,
    /// Sets any key of a scenario, as in --set mapping.window=false; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    if net.hosts().len() == 1 {
        let text = format!("{}: this network has a single host; a mapper needs another one", net.name);
        return Err(Failure::Scenario(text));
    }
    if options.mapper.is_none() && options.mode.as_deref() != Some("election") {
        let text = "`--mapper HOST` is missing: the host that maps, or `--mode election`";
        return Err(Failure::Usage(text.to_owned()));
    }
    let section =
        |set: &str| set.split(['.', '=']).next().map(|key| key.trim().trim_matches(['"', '\'']).to_owned());
    if let Some(set) = options.set.iter().find(|set| section(set).as_deref() == Some("topology")) {
        let text = format!("`--set {}` has no effect: the network is {}", quoted(set), quoted(&net.name));
        return Err(Failure::Usage(text));
    }
    let checked = options.scenario(&net, common.seed.unwrap_or(0))?;
    let places = options.network.places().writes("--map", options.map.as_deref());
    places.writes("--drawing", options.drawing.as_deref()).check(common)?;
    let refused = |error| Failure::Usage(format!("{} cannot be mapped on the fabric: {error}", net.name));
    let (report, found) = map(&checked).map_err(refused)?;
    let software = Software::of(checked.mapping().map_or(Costs::NONE, |mapping| mapping.costs));
    if let Some(path) = &options.map {
        write_whole(path, &formats::write(&found, FileFormat::Json))?;
    }
    if let Some(path) = &options.drawing {
        let (title, note) =
            (format!("Map of {}", net.name), "drawn from the mapper's map, not from the truth");
        let apart = checked.topology.utility.map(|host| net.hosts()[host.index()].name.as_str());
        let apart = apart.and_then(|name| found.find_host(name));
        write_whole(path, &draw_network(&Drawing { network: &found, title: &title, note, apart }))?;
    }
    match common.format {
        Format::Json => print_json(&Printed { report: &report, software })?,
        Format::Human => print(&human(&report, &net, &software))?,
    };
    Ok(if report.isomorphic { Exit::Fine } else { Exit::Expectation })
}

impl Options {
    /// The scenario that these options stand for.
    fn scenario(&self, net: &Network, seed: u64) -> Result<Checked, Failure> {
        let checked = self.checked(net, seed, Costs::default())?;
        let own = checked.mapping().map_or_else(Costs::default, |mapping| of_paper(&mapping.algorithm));
        if own == Costs::default() { Ok(checked) } else { self.checked(net, seed, own) }
    }

    /// The scenario with what software on hosts costs where no option says it.
    fn checked(&self, net: &Network, seed: u64, costs: Costs) -> Result<Checked, Failure> {
        let topology = self.network.as_topology(net)?;
        let mut assignments = vec![
            format!("hosts.send-overhead='{}'", costs.send),
            format!("hosts.reply-overhead='{}'", costs.reply),
            format!("hosts.loop-overhead='{}'", costs.loopback),
        ];
        assignments.extend(self.assignments());
        let is_own = assignments.iter().any(|text| text.trim_start().starts_with("fabric.buffer"));
        if !is_own {
            assignments.push("fabric.buffer='65535 B'".to_owned());
        }
        let mut checked =
            simnet_scenario::of_network(topology, &assignments, seed).map_err(Failure::misused)?;
        if !is_own {
            checked.fabric.buffer = buffer(&checked);
        }
        Ok(checked)
    }

    /// What is given, as assignments to a scenario's keys.
    fn assignments(&self) -> Vec<String> {
        let texts = [
            ("mapping.mapper", &self.mapper),
            ("mapping.mode", &self.mode),
            ("mapping.model", &self.model),
            ("mapping.order", &self.order),
            ("mapping.probe-timeout", &self.probe_timeout),
            ("mapping.memory", &self.memory),
            ("mapping.runs-on", &self.runs_on),
            ("mapping.answering-order", &self.answering_order),
            ("fabric.routing-latency", &self.routing_latency),
        ];
        let numbers = [
            ("mapping.retries", &self.retries),
            ("mapping.depth", &self.depth),
            ("mapping.answering", &self.answering),
        ];
        let mut all = vec![format!("mapping.algorithm={}", quoted_value(&self.algorithm))];
        all.extend(
            texts.iter().filter_map(|(key, text)| Some(format!("{key}={}", quoted_value(text.as_ref()?)))),
        );
        all.extend(numbers.iter().filter_map(|(key, text)| Some(format!("{key}={}", text.as_ref()?))));
        if self.skip_known {
            all.push("mapping.skip-known=true".to_owned());
        }
        if !self.silent.is_empty() {
            let names: Vec<String> = self.silent.iter().map(|name| quoted_value(name)).collect();
            all.push(format!("mapping.silent=[{}]", names.join(", ")));
        }
        all.extend(self.set.iter().cloned());
        all
    }
}

/// Costs of software on the hosts of the paper that has the algorithm: its mapping times were measured on them.
fn of_paper(algorithm: &Algorithm) -> Costs {
    match algorithm {
        Algorithm::Guarded(_) => COSTS_2003,
        _ => Costs::default(),
    }
}

/// `map`'s object.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    report: &'a MapReport,
    software: Software,
}

/// Costs of the mapper's software, and whose they are.
#[derive(Serialize)]
struct Software {
    /// The paper whose mapping times gave them; none where they are others.
    paper: Option<&'static str>,
    send_us: f64,
    reply_us: f64,
    loop_us: f64,
}

impl Software {
    fn of(costs: Costs) -> Software {
        let papers = [
            ("mainwaring1997", Costs::default()),
            ("mainwaring1997", Costs::lanai()),
            ("hendriks2004", COSTS_2003),
        ];
        let paper = papers.into_iter().find(|(_, known)| *known == costs).map(|(name, _)| name);
        let us = |cost: Duration| cost.as_ns_f64() / 1e3;
        Software { paper, send_us: us(costs.send), reply_us: us(costs.reply), loop_us: us(costs.loopback) }
    }

    /// For people.
    fn line(&self) -> String {
        let [send, reply, back] = [self.send_us, self.reply_us, self.loop_us].map(|us| time(us * 1e3));
        let whose = self.paper.map_or_else(|| "as set".to_owned(), |paper| format!("fitted to {paper}"));
        format!("{send} to send, {reply} to answer, {back} to see a probe return: {whose}")
    }
}

/// The paper's buffer, or a larger one where a long cable needs it.
fn buffer(checked: &Checked) -> Flits {
    let parameters = checked.fabric_parameters();
    let after_stop = parameters.links.iter().map(|link| fabric::overshoot(*link)).max().unwrap_or(0);
    Flits((after_stop + checked.fabric.stop.0).max(108))
}

fn human(report: &MapReport, net: &Network, software: &Software) -> String {
    let equal = match (report.isomorphic, report.isomorphic_to) {
        (true, Some("N-F")) => "yes: to N-F, all that a mapper can find".to_owned(),
        (true, Some(what)) => format!("yes: to {what}, the whole network"),
        (true, None) => "yes: to all that a mapper can find (N-F), and to some of the rest".to_owned(),
        (false, _) => format!("no: {}", report.difference.as_deref().unwrap_or("it is another network")),
    };
    let doubts = if report.doubts.is_empty() { "none".to_owned() } else { report.doubts.join(", ") };
    let confirmation = &report.confirmation;
    let turns = &report.turns;
    let mut rows = vec![
        ("network", quoted(&net.name)),
        ("algorithm", report.algorithm.to_owned()),
        ("software", software.line()),
        ("hosts", report.hosts.to_string()),
        ("switches", report.switches.to_string()),
        ("links", report.links.to_string()),
        ("isomorphic to the truth", equal),
        ("the mapper's own doubts", doubts),
        ("links on one answer only", confirmation.unconfirmed_links.to_string()),
        ("ports empty on one question only", confirmation.unconfirmed_ports.to_string()),
    ];
    let kinds = [
        ("host probes", "host"),
        ("switch probes", "switch"),
        ("loop probes", "loop"),
        ("compare probes", "compare"),
        ("scouts", "scout"),
        ("guards", "guard"),
    ];
    let sent = kinds.iter().filter_map(|(name, kind)| Some((*name, report.probes.get(kind)?)));
    let sent = sent.filter(|(_, count)| count.sent > 0);
    rows.extend(sent.map(|(name, count)| (name, format!("{} sent, {} answered", count.sent, count.hits))));
    rows.extend([
        ("turns that led to a host", turns.host_hits.to_string()),
        ("turns that led to a switch", turns.switch_hits.to_string()),
        ("turns that led to nothing", turns.nothing.to_string()),
        ("explorations", report.explorations.to_string()),
        ("model, at most", bytes(report.peak_memory_bytes)),
        ("time", measured_ms(report.time_ms).map_or_else(outlasts, |ms| time(ms * 1e6))),
    ]);
    columns(rows)
}
