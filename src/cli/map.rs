//! `simnet map`: map a network in-band, and compare the map with the truth.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::diagnostics::quoted;
use crate::fabric::{Arbitration, Parameters};
use crate::host::mapper::{Algorithm, Brief, berkeley};
use crate::scenario::checked::{Fabric, Hosts};
use crate::scenario::cycles;
use crate::simulation::MapReport;
use crate::simulation::hosts::Setup;
use crate::simulation::mapping::{self, Task};
use crate::topology::Network;
use crate::topology::formats::{self, Format as FileFormat};
use crate::units::{BitRate, Duration, Flits, Length, Unit as _};

use super::network::{NetworkArguments, find_host};
use super::output::{columns, print, print_json, write_whole};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// The host that maps; all others answer
    #[arg(long, value_name = "HOST")]
    mapper: String,
    /// How it explores
    #[arg(long, value_enum, default_value_t)]
    algorithm: AlgorithmName,
    /// Write the map to this file, as topology JSON
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// The time that a switch needs to decode a head
    #[arg(long, value_name = "TIME", default_value = "150 ns", value_parser = duration)]
    routing_latency: Duration,
    /// How long the mapper waits for an answer
    #[arg(long, value_name = "TIME", default_value = "1 ms", value_parser = duration)]
    probe_timeout: Duration,
    /// How often a turn that gave nothing is tried again
    #[arg(long, value_name = "N", default_value_t = 0)]
    retries: u32,
    /// The longest string of turns whose switch is explored [default: no bound]
    #[arg(long, value_name = "TURNS")]
    depth: Option<usize>,
    /// Leave out ports that a replicate of the switch has found
    #[arg(long)]
    skip_known: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum AlgorithmName {
    /// Explores a tree of routes and merges replicates (mainwaring1997)
    #[default]
    Berkeley,
    /// Compares switches by probes (not there yet)
    Myricom,
    /// Guards its scouts (not there yet)
    Guarded,
}

fn duration(text: &str) -> Result<Duration, String> {
    match Duration::parse(text) {
        Ok(Duration::ZERO) => Err("must be above zero".to_owned()),
        Ok(span) => Ok(span),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    if options.algorithm != AlgorithmName::Berkeley {
        let text = "this `--algorithm` is not there yet: use berkeley";
        return Err(Failure::Usage(text.to_owned()));
    }
    let net = options.network.load()?;
    let mapper = find_host(&net, &options.mapper)?;
    let parameters = parameters(&net, options.routing_latency);
    let setup = Setup { seed: common.seed.unwrap_or(0), ..Setup::new(&net, &parameters) };
    let (algorithm, brief) = options.mapper(&net);
    let task = Task { setup, mapper, algorithm, brief };
    let refused = |error: crate::fabric::BuildError| {
        Failure::Usage(format!("{} cannot be mapped on the fabric: {error}", net.name))
    };
    let mapped = mapping::run(&task, |_| None).map_err(refused)?;
    if let Some(path) = &options.map {
        write_whole(path, &formats::write(&mapped.map.network, FileFormat::Json))?;
    }
    let report = MapReport::new(&mapped, &task);
    match common.format {
        Format::Json => print_json(&report)?,
        Format::Human => print(&human(&report, &net))?,
    };
    Ok(if report.isomorphic { Exit::Fine } else { Exit::Expectation })
}

impl Options {
    fn mapper(&self, net: &Network) -> (Algorithm, Brief) {
        let brief =
            Brief { timeout: self.probe_timeout, retries: self.retries, ..Brief::for_switches_of(net) };
        let options = berkeley::Options {
            depth: self.depth,
            skip_known: self.skip_known,
            ..berkeley::Options::default()
        };
        (Algorithm::Berkeley(options), brief)
    }
}

/// The fabric of a scenario that says nothing about it, with this routing latency; its buffers are larger
/// where a long cable needs it.
fn parameters(net: &Network, routing_latency: Duration) -> Parameters {
    let fabric = Fabric {
        rate: BitRate::new(1_280_000_000).expect("above zero"),
        buffer: Flits(108),
        stop: Flits(56),
        go: Flits(40),
        routing_latency,
        arbitration: Arbitration::Serial,
        deadlock_timeout: Some(Duration::from_ms(50)),
        cable_length: Length::from_mm(2_500),
        bit_error_rate: 0.0,
    };
    let mut parameters = cycles::parameters(&fabric, &Hosts::default(), net);
    let after_stop = |link: &crate::fabric::LinkTiming| (2 * link.delay - 1).div_ceil(link.period);
    let most = parameters.links.iter().map(after_stop).max().unwrap_or(0);
    let needed = u32::try_from(most).unwrap_or(u32::MAX).saturating_add(parameters.switch.stop);
    parameters.switch.buffer = parameters.switch.buffer.max(needed);
    parameters
}

fn human(report: &MapReport, net: &Network) -> String {
    let equal = match (report.isomorphic, report.isomorphic_to) {
        (true, Some(what)) => format!("yes: to {what}"),
        (true, None) => "yes: between N-F and N".to_owned(),
        (false, _) => format!("no: {}", report.difference.as_deref().unwrap_or("it is another network")),
    };
    let probes = |kind: &str| {
        let count = report.probes.get(kind).copied();
        count.map_or("0".to_owned(), |count| format!("{} sent, {} answered", count.sent, count.hits))
    };
    let doubts = if report.doubts.is_empty() { "none".to_owned() } else { report.doubts.join(", ") };
    let turns = &report.turns;
    let rows = [
        ("network", quoted(&net.name)),
        ("algorithm", report.algorithm.to_owned()),
        ("hosts", report.hosts.to_string()),
        ("switches", report.switches.to_string()),
        ("links", report.links.to_string()),
        ("isomorphic to the truth", equal),
        ("the mapper's own doubts", doubts),
        ("host probes", probes("host")),
        ("switch probes", probes("switch")),
        ("turns that led to a host", turns.host_hits.to_string()),
        ("turns that led to a switch", turns.switch_hits.to_string()),
        ("turns that led to nothing", turns.nothing.to_string()),
        ("explorations", report.explorations.to_string()),
        ("time, ms", format!("{:.3}", report.time_ms)),
    ];
    columns(rows)
}
