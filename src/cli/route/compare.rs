//! `simnet route compare`: all routings of one network in one table, and which one to take.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use simnet_base::ids::HostId;
use simnet_base::numbers::{fixed, or_dash};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Engine, Plan, PlanError, Report, Selection, Survey, SwitchGraph, Verdict,
};
use simnet_network::topology::Network;

use super::destination::{PER_DESTINATION, engines, found};
use super::{RouteOptions, judged};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{Table, print, print_json};
use crate::cli::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    /// How many virtual lanes there are at most
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=15),
          allow_negative_numbers = true)]
    lanes: u8,
}

/// What routes per pair of hosts are called in results.
const PER_PAIR: &str = "per pair";

/// One routing.
#[derive(Serialize)]
struct Row {
    algorithm: &'static str,
    tables: &'static str,
    /// `None` where the network gets no such routes.
    figures: Option<Figures>,
    /// Why it gets none.
    refused: Option<String>,
}

#[derive(Serialize)]
struct Figures {
    unreachable_pairs: u64,
    mean_distance: Option<f64>,
    non_minimal_pairs: u64,
    max_channel_load: u64,
    /// The standard deviation of the loads of all channels between switches, in percent of their mean.
    load_deviation_percent: Option<f64>,
    lanes: u8,
    verdict: Option<Verdict>,
}

/// Which routing is taken, and why.
#[derive(Serialize)]
struct Taken {
    algorithm: &'static str,
    tables: &'static str,
    why: String,
}

/// Prints the table and what is taken of it.
///
/// # Errors
/// Whatever is wrong with the network.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let topology = options.network.as_topology(&net)?;
    let graph = SwitchGraph::new(&net);
    let mut algorithms = Vec::new();
    for (name, _) in Algorithm::ALL.iter().filter(|(_, algorithm)| algorithm.check(&graph).is_ok()) {
        algorithms.push(RouteOptions::of(name).choices(&topology, None, common)?.algorithm);
    }
    let mut rows: Vec<Row> =
        algorithms.iter().map(|algorithm| per_pair(&net, algorithm, topology.utility)).collect();
    let how = (options.lanes, topology.utility);
    rows.extend(engines(algorithms).iter().map(|engine| per_destination(&net, engine, how)));
    let taken: Vec<Taken> = [PER_PAIR, PER_DESTINATION]
        .into_iter()
        .filter_map(|tables| best(&rows, tables, options.lanes))
        .collect();
    match common.format {
        Format::Json => print_json(&json!({ "lanes": options.lanes, "routings": rows, "taken": taken }))?,
        Format::Human => print(&human(&rows, &taken))?,
    }
    Ok(Exit::Fine)
}

/// Why a routing is not computed for a comparison: it keeps a set of turns free of cycles while it grows, which takes
/// very long where there are many.
fn too_long(net: &Network, engine: &Engine) -> Option<String> {
    const MOST_STEPS: usize = 60_000_000;
    let is_slow = matches!(engine, Engine::Nue | Engine::Rule(Algorithm::Smart { .. }));
    let steps = net.hosts().len() * net.links().len();
    (is_slow && steps > MOST_STEPS).then(|| "takes long here, and is left out: ask for it alone".to_owned())
}

/// Routes per pair of hosts, balanced where there are not too many.
fn per_pair(net: &Network, algorithm: &Algorithm, utility: Option<HostId>) -> Row {
    let engine = Engine::Rule(algorithm.clone());
    if let Some(why) = too_long(net, &engine) {
        return row(engine.name(), PER_PAIR, Err(why));
    }
    let attachments = Attachments::lowest(net);
    let plan = |selection| {
        Plan::new(net, &attachments, &Choices { algorithm: algorithm.clone(), selection, utility })
    };
    let plan = match plan(Selection::Balanced) {
        Err(PlanError::Balance(_)) => plan(Selection::RoundRobin),
        other => other,
    };
    let figures = plan.map(|plan| {
        let survey = Survey::new(net, &attachments, &plan.table);
        figures(net, &plan.report(net, &attachments), &survey, 1)
    });
    row(engine.name(), PER_PAIR, figures.map_err(|error| error.to_string()))
}

/// Tables of next hops on as few lanes as are found.
fn per_destination(net: &Network, engine: &Engine, (lanes, utility): (u8, Option<HostId>)) -> Row {
    if let Some(why) = too_long(net, engine) {
        return row(engine.name(), PER_DESTINATION, Err(why));
    }
    let attachments = Attachments::lowest(net);
    // Nue takes all lanes that it gets; the others tell how many they need.
    let given = (*engine == Engine::Nue).then_some(lanes);
    let figures = found(net, engine, (given, 0, utility)).map(|tables| {
        let survey = tables.survey(net, &attachments);
        figures(net, &tables.report(net, &attachments), &survey, tables.hops.lanes())
    });
    row(engine.name(), PER_DESTINATION, figures.map_err(|error| error.to_string()))
}

fn row(algorithm: &'static str, tables: &'static str, figures: Result<Figures, String>) -> Row {
    let (figures, refused) = match figures {
        Ok(figures) => (Some(figures), None),
        Err(refused) => (None, Some(refused)),
    };
    Row { algorithm, tables, figures, refused }
}

fn figures(net: &Network, report: &Report, survey: &Survey, lanes: u8) -> Figures {
    let graph = SwitchGraph::new(net);
    let loads = graph.outputs().iter().map(|output| survey.load[output.channel.index()] as f64);
    let count = graph.outputs().len() as f64;
    let mean = loads.clone().sum::<f64>() / count;
    let variance = loads.map(|load| (load - mean) * (load - mean)).sum::<f64>() / count;
    Figures {
        unreachable_pairs: report.unreachable_pairs,
        mean_distance: report.mean_distance,
        non_minimal_pairs: report.non_minimal_pairs,
        max_channel_load: report.max_channel_load,
        load_deviation_percent: (mean > 0.0).then(|| 100.0 * libm::sqrt(variance) / mean),
        lanes,
        verdict: report.verdict(),
    }
}

/// The best routing of a kind: out of those that cannot deadlock, reach all pairs that any does, and have lanes
/// enough, the one with the fewest routes over the busiest channel, then the shortest, then on the fewest lanes.
fn best(rows: &[Row], tables: &'static str, lanes: u8) -> Option<Taken> {
    let figures = || rows.iter().filter_map(|row| Some((row, row.figures.as_ref()?)));
    let reached = figures().map(|(_, figures)| figures.unreachable_pairs).min()?;
    let is_sound = |figures: &Figures| {
        let is_free = figures.verdict == Some(Verdict::Acyclic);
        is_free && figures.unreachable_pairs == reached && figures.lanes <= lanes
    };
    let of_kind = || figures().filter(|(row, _)| row.tables == tables);
    let worth = |figures: &Figures| {
        let distance = figures.mean_distance.unwrap_or(0.0);
        (figures.max_channel_load, distance, figures.lanes)
    };
    let sound: Vec<_> = of_kind().filter(|(_, figures)| is_sound(figures)).collect();
    let (row, taken) = sound
        .iter()
        .min_by(|(_, a), (_, b)| worth(a).partial_cmp(&worth(b)).expect("distances are numbers"))?;
    let why = format!(
        "of {} routings {tables}, {} cannot deadlock on at most {lanes} lanes and reach all pairs that can be reached; \
         of these the fewest routes, {}, go over its busiest channel, at a mean distance of {}, on {} lane{}",
        of_kind().count(),
        sound.len(),
        taken.max_channel_load,
        fixed(taken.mean_distance, 4),
        taken.lanes,
        if taken.lanes == 1 { "" } else { "s" },
    );
    Some(Taken { algorithm: row.algorithm, tables, why })
}

fn human(rows: &[Row], taken: &[Taken]) -> String {
    let mut table = Table::new();
    table.set_header([
        "routing",
        "tables",
        "mean distance",
        "longer than minimal",
        "busiest channel",
        "deviation of loads",
        "lanes",
        "deadlock",
        "unreachable",
    ]);
    for row in rows {
        let Some(figures) = &row.figures else {
            table.add_row([row.algorithm, row.tables, row.refused.as_deref().unwrap_or("-")]);
            continue;
        };
        table.add_row([
            row.algorithm.to_owned(),
            row.tables.to_owned(),
            fixed(figures.mean_distance, 4),
            figures.non_minimal_pairs.to_string(),
            figures.max_channel_load.to_string(),
            or_dash(figures.load_deviation_percent.map(|percent| format!("{percent:.1} %"))),
            figures.lanes.to_string(),
            judged::word(figures.verdict).to_owned(),
            figures.unreachable_pairs.to_string(),
        ]);
    }
    let mut text = format!("{}\n\n", table.trim_fmt());
    for Taken { algorithm, tables, why } in taken {
        text += &format!("take {algorithm} {tables}: {why}\n");
    }
    if taken.is_empty() {
        text += "none can be taken: none is free of deadlock\n";
    }
    text
}
