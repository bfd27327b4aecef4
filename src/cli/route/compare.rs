//! `simnet route compare`: all routings of one network in one table, and which one to take.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use simnet_base::numbers::{fixed, or_dash};
use simnet_network::routing::{
    Algorithm, Attachments, DestinationTables, Engine, Plan, PlanError, Report, Rule, Selection, Survey,
    SwitchGraph, Verdict,
};
use simnet_network::topology::Network;

use super::destination::PER_DESTINATION;
use super::{RouteOptions, judged, lanes};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{Table, print, print_json};
use crate::cli::progress::Parts;
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
struct Row {
    algorithm: &'static str,
    tables: &'static str,
    /// What its routes come to, or why the network gets none.
    figures: Result<Figures, String>,
}

struct Figures {
    report: Report,
    /// The standard deviation of the loads of all channels between switches, in percent of their mean.
    load_deviation_percent: Option<f64>,
}

/// A row as `--format json` prints it: with the keys of `route`, or with why there are none.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown<'a> {
    Judged {
        #[serde(flatten)]
        judged: Box<lanes::Judged<'a>>,
        tables: &'static str,
        load_deviation_percent: Option<f64>,
    },
    Refused {
        algorithm: &'static str,
        tables: &'static str,
        refused: &'a str,
    },
}

impl Row {
    fn shown(&self) -> Shown<'_> {
        let (algorithm, tables) = (self.algorithm, self.tables);
        match &self.figures {
            Ok(Figures { report, load_deviation_percent }) => Shown::Judged {
                judged: Box::new(lanes::Judged::new(report, false)),
                tables,
                load_deviation_percent: *load_deviation_percent,
            },
            Err(refused) => Shown::Refused { algorithm, tables, refused },
        }
    }
}

impl Figures {
    fn lanes(&self) -> u32 {
        self.report.lanes_used()
    }
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
    let attachments = Attachments::every_port(&net);
    let mut engines: Vec<(Engine, Option<Rule>)> = Vec::new();
    let progress = Parts::new(common.quiet);
    // What switches do alone is compared.
    let is_possible = |algorithm: &Algorithm| !algorithm.needs_hosts() && algorithm.check(&graph).is_ok();
    for (name, _) in Algorithm::ALL.iter().filter(|(_, algorithm)| is_possible(algorithm)) {
        progress.tell((0, 1), &format!("routings: the rule of {name}"));
        let engine = Engine::Rule(RouteOptions::of(name).choices(&topology, None, common)?.algorithm);
        let rule = match &engine {
            Engine::Rule(algorithm) if !takes_too_long(&net, &engine) => {
                Some(Rule::new(algorithm, &graph, &attachments, topology.utility))
            }
            _ => None,
        };
        engines.push((engine, rule));
    }
    let ground = (&net, &attachments);
    let all = 2 * engines.len() + Engine::ALL.len();
    let mut rows: Vec<Row> = Vec::new();
    for (engine, rule) in &engines {
        progress.tell((rows.len(), all), &format!("routings: {} {PER_PAIR}", engine.name()));
        rows.push(per_pair(ground, engine, rule.as_ref()));
    }
    engines.extend(Engine::ALL.iter().map(|(_, engine)| (engine.clone(), None)));
    for (engine, rule) in &engines {
        progress.tell((rows.len(), all), &format!("routings: {} {PER_DESTINATION}", engine.name()));
        rows.push(per_destination(ground, (engine, rule.as_ref()), options.lanes));
    }
    drop(progress);
    let taken: Vec<Taken> = [PER_PAIR, PER_DESTINATION]
        .into_iter()
        .filter_map(|tables| best(&rows, tables, options.lanes))
        .collect();
    match common.format {
        Format::Json => {
            let shown: Vec<Shown<'_>> = rows.iter().map(Row::shown).collect();
            print_json(&json!({ "lanes": options.lanes, "routings": shown, "taken": taken }))?;
        }
        Format::Human => print(&human(&rows, &taken))?,
    }
    Ok(Exit::Fine)
}

/// The reason for which a routing is not computed for a comparison.
const TOO_LONG: &str = "takes long here, and is left out: ask for it alone";

/// Tells a routing that is left out: it keeps a set of turns free of cycles while it grows, which takes very long where
/// there are many.
fn takes_too_long(net: &Network, engine: &Engine) -> bool {
    const MOST_STEPS: usize = 60_000_000;
    let is_slow = matches!(engine, Engine::Nue | Engine::Rule(Algorithm::Smart { .. }));
    is_slow && net.hosts().len() * net.links().len() > MOST_STEPS
}

/// Routes per pair of hosts, balanced where there are not too many.
fn per_pair(ground: (&Network, &Attachments), engine: &Engine, rule: Option<&Rule>) -> Row {
    let row = |figures| Row { algorithm: engine.name(), tables: PER_PAIR, figures };
    let Some(rule) = rule else { return row(Err(TOO_LONG.to_owned())) };
    let judged = match Plan::survey_by(rule, ground, Selection::Balanced) {
        Err(PlanError::Balance(_)) => Plan::survey_by(rule, ground, Selection::RoundRobin),
        other => other,
    };
    let figures = judged.map(|(report, survey)| figures(ground.0, report, &survey));
    row(figures.map_err(|error| error.to_string()))
}

/// Tables of next hops on as few lanes as are found.
fn per_destination(
    (net, attachments): (&Network, &Attachments),
    (engine, rule): (&Engine, Option<&Rule>),
    lanes: u8,
) -> Row {
    let row = |figures| Row { algorithm: engine.name(), tables: PER_DESTINATION, figures };
    if takes_too_long(net, engine) {
        return row(Err(TOO_LONG.to_owned()));
    }
    // Nue takes all lanes that it gets; the others tell how many they need.
    let given = (*engine == Engine::Nue).then_some(lanes);
    let tables = DestinationTables::by_rule(net, attachments, (engine, rule), (given, 0));
    let figures = tables.map(|tables| {
        let (report, survey) = tables.judge_survey(net, attachments);
        figures(net, report, &survey)
    });
    row(figures.map_err(|error| error.to_string()))
}

fn figures(net: &Network, report: Report, survey: &Survey) -> Figures {
    let graph = SwitchGraph::new(net);
    let loads = graph.outputs().iter().map(|output| survey.load[output.channel.index()] as f64);
    let count = graph.outputs().len() as f64;
    let mean = loads.clone().sum::<f64>() / count;
    let variance = loads.map(|load| (load - mean) * (load - mean)).sum::<f64>() / count;
    Figures { report, load_deviation_percent: (mean > 0.0).then(|| 100.0 * libm::sqrt(variance) / mean) }
}

/// The best routing of a kind: out of those that cannot deadlock, reach all pairs that any does, and have lanes
/// enough, the one with the fewest routes over the busiest channel, then the shortest, then on the fewest lanes.
fn best(rows: &[Row], tables: &'static str, lanes: u8) -> Option<Taken> {
    let figures = || rows.iter().filter_map(|row| Some((row, row.figures.as_ref().ok()?)));
    let reached = figures().map(|(_, figures)| figures.report.unreachable_pairs).min()?;
    let is_sound = |figures: &Figures| {
        let is_free = figures.report.verdict() == Some(Verdict::Acyclic);
        is_free && figures.report.unreachable_pairs == reached && figures.lanes() <= u32::from(lanes)
    };
    let of_kind = || figures().filter(|(row, _)| row.tables == tables);
    let worth = |figures: &Figures| {
        let distance = figures.report.mean_distance.unwrap_or(0.0);
        (figures.report.max_channel_load, distance, figures.lanes())
    };
    let sound: Vec<_> = of_kind().filter(|(_, figures)| is_sound(figures)).collect();
    let (row, taken) = sound
        .iter()
        .min_by(|(_, a), (_, b)| worth(a).partial_cmp(&worth(b)).expect("distances are numbers"))?;
    let plural = |count: u32| if count == 1 { "" } else { "s" };
    let why = format!(
        "of {} routings {tables}, {} cannot deadlock on at most {lanes} lane{} and reach all pairs that can be \
         reached; of these the fewest routes, {}, go over its busiest channel, at a mean distance of {}, on {} lane{}",
        of_kind().count(),
        sound.len(),
        plural(u32::from(lanes)),
        taken.report.max_channel_load,
        fixed(taken.report.mean_distance, 4),
        taken.lanes(),
        plural(taken.lanes()),
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
        let figures = match &row.figures {
            Ok(figures) => figures,
            Err(refused) => {
                table.add_row([row.algorithm, row.tables, refused]);
                continue;
            }
        };
        let report = &figures.report;
        table.add_row([
            row.algorithm.to_owned(),
            row.tables.to_owned(),
            fixed(report.mean_distance, 4),
            report.non_minimal_pairs.to_string(),
            report.max_channel_load.to_string(),
            or_dash(figures.load_deviation_percent.map(|percent| format!("{percent:.1} %"))),
            figures.lanes().to_string(),
            judged::word(report.verdict()).to_owned(),
            report.unreachable_pairs.to_string(),
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
