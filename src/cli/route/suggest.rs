//! `simnet route suggest`: which cable to add.

use crate::cli::output::Table;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;
use simnet_base::numbers::{fixed, or_dash};

use super::{RouteOptions, judged, roots};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{print, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::diagnostics::quoted;
use simnet_network::routing::{
    Algorithm, Answer, Attachments, Choices, Judgement, Objective, Plan, Question, Report, Root, Verdict,
    judgement, suggest, with_cables, with_extra_ports,
};
use simnet_network::topology::{End, Network};

#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    routing: RouteOptions,
    /// What is to improve first
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Between which ports of switches cables are sought
    #[arg(long, value_enum, default_value_t)]
    ports: Ports,
    /// Seek one cable only, or two as well
    #[arg(long, value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2),
          allow_negative_numbers = true)]
    cables: u8,
    /// How many single cables to name, the best first
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..),
          allow_negative_numbers = true)]
    top: u16,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum By {
    /// The load of the busiest channel, then the mean distance
    #[default]
    Load,
    /// The mean distance, then the load of the busiest channel
    Distance,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Ports {
    /// Those without a cable
    #[default]
    Free,
    /// Those without a cable, and up to two more on every switch that has fewer than two such
    Extra,
}

/// The figures of the routes, chosen at random, with what such a choice comes to on the mean.
#[derive(Serialize)]
struct Figures {
    #[serde(flatten)]
    report: Report,
    expected_max_channel_load: f64,
    verdict: Option<Verdict>,
}

/// Other rules that end a deadlock.
#[derive(Serialize)]
struct Remedy {
    /// The options of `route` that give these routes.
    options: String,
    after: Figures,
}

/// A cable by the names of its switches.
#[derive(Serialize)]
struct Cable {
    a: String,
    a_port: u16,
    b: String,
    b_port: u16,
}

#[derive(Serialize)]
struct Suggested {
    cables: Vec<Cable>,
    after: Figures,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let mut net = options.network.load()?;
    if options.ports == Ports::Extra {
        net = with_extra_ports(&net, 2).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    let choices = options.routing.choices(&options.network.as_topology(&net)?, None, common)?;
    let by = match options.by {
        By::Load => Objective::Load,
        By::Distance => Objective::Distance,
    };
    let (pairs, most) = (options.cables == 2, options.top.into());
    let Choices { algorithm, utility, .. } = choices.clone();
    let question = Question { algorithm, utility, by, pairs, most, steps: None };
    let answer = suggest(&net, &question).map_err(|error| Failure::Usage(error.to_string()))?;
    let before = figures(&net, &choices, &answer.before)?;
    let mut suggestions = Vec::new();
    for found in &answer.suggestions {
        let after = figures(&with_cables(&net, &found.cables), &choices, &found.after)?;
        suggestions
            .push(Suggested { cables: found.cables.iter().map(|ends| cable(&net, *ends)).collect(), after });
    }
    let remedies = if answer.before.is_cyclic { remedies(&net, &choices)? } else { Vec::new() };
    match common.format {
        Format::Json => print_json(&json!({
            "by": match by { Objective::Load => "load", Objective::Distance => "distance" },
            "candidates": { "possible": answer.possible, "tried": answer.tried, "all_pairs": answer.all_pairs },
            "before": before,
            "suggestions": suggestions,
            "remedies": remedies,
        }))?,
        Format::Human => {
            let text = human(&net, options, &answer, &before, &suggestions);
            print(&(text + &remedies_for_people(&remedies)))?;
        }
    }
    Ok(Exit::Fine)
}

fn figures(net: &Network, choices: &Choices, judged: &Judgement) -> Result<Figures, Failure> {
    let attachments = Attachments::every_port(net);
    let plan = Plan::new(net, &attachments, choices).map_err(|error| Failure::Usage(error.to_string()))?;
    let report = plan.report(net, &attachments);
    let verdict = report.verdict();
    Ok(Figures { report, expected_max_channel_load: judged.expected_load(), verdict })
}

/// The routes of the rules without a deadlock: other roots and turns on the same cables.
fn remedies(net: &Network, choices: &Choices) -> Result<Vec<Remedy>, Failure> {
    let is_remedy = |algorithm: &Algorithm| algorithm.tree_and_root().is_some() && !algorithm.needs_hosts();
    let rules = Algorithm::ALL.iter().filter(|(_, algorithm)| is_remedy(algorithm));
    rules.map(|(name, algorithm)| remedy(net, choices, name, algorithm.clone())).collect()
}

fn remedy(net: &Network, choices: &Choices, name: &str, mut algorithm: Algorithm) -> Result<Remedy, Failure> {
    if let Some((_, root)) = algorithm.tree_and_root_mut() {
        // As `route` takes them by default.
        *root = Root::Spines;
    }
    let choices = Choices { algorithm, ..choices.clone() };
    let after = figures(net, &choices, &judgement(net, &choices))?;
    let roots = roots::options(&after.report).unwrap_or_default();
    Ok(Remedy { options: format!("--algorithm {name} {roots}"), after })
}

fn remedies_for_people(remedies: &[Remedy]) -> String {
    if remedies.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.add_row([
        "",
        "deadlock",
        "unreachable",
        "mean distance",
        "busiest channel",
        "turns forbidden a switch",
    ]);
    for Remedy { options, after } in remedies {
        table.add_row([
            quoted(options),
            judged::word(after.verdict).to_owned(),
            after.report.unreachable_pairs.to_string(),
            fixed(after.report.mean_distance, 4),
            fixed(after.expected_max_channel_load, 4),
            fixed(after.report.restrictions_per_switch, 4),
        ]);
    }
    format!("\nwithout a new cable, other rules end the deadlock:\n{}\n", table.trim_fmt())
}

fn cable(net: &Network, (a, b): (End, End)) -> Cable {
    let name = |end: End| net.name_of(end.node).to_owned();
    Cable { a: name(a), a_port: a.port.0, b: name(b), b_port: b.port.0 }
}

fn human(net: &Network, options: &Options, answer: &Answer, before: &Figures, found: &[Suggested]) -> String {
    let Answer { possible, tried, .. } = answer;
    let mut text = match (possible, options.ports) {
        (0, Ports::Free) => format!(
            "{}: no two switches have a free port; `--ports extra` supposes that they had\n",
            quoted(&net.name)
        ),
        _ => format!("{}: {tried} of {possible} possible cables between switches tried", quoted(&net.name)),
    };
    if *possible > 0 {
        let pairs =
            if answer.all_pairs { ", and every two of these" } else { ", and the most promising two" };
        text += if options.cables == 2 { pairs } else { "" };
        text += "\n";
    }
    for (number, suggested) in (1..).zip(found) {
        let each = suggested.cables.iter().map(|c| {
            let [a, b] = [&c.a, &c.b].map(|name| quoted(&net.labelled_with_name(name)));
            format!("{a} port {} to {b} port {}", c.a_port, c.b_port)
        });
        text += &format!("  [{number}] add {}\n", each.collect::<Vec<_>>().join(", and "));
    }
    if found.is_empty() && *possible > 0 {
        text += if answer.before.is_cyclic {
            "none of them ends the deadlock\n"
        } else {
            "none of them improves the routes\n"
        };
    }
    text + &comparison(before, found)
}

/// A column for the network as it is and one for each suggestion.
fn comparison(before: &Figures, found: &[Suggested]) -> String {
    let all: Vec<&Figures> =
        [before].into_iter().chain(found.iter().map(|suggested| &suggested.after)).collect();
    let mut table = Table::new();
    let numbers = (1..=found.len()).map(|number| format!("[{number}]"));
    table.add_row([String::new(), "as it is".to_owned()].into_iter().chain(numbers));
    let mut row = |name: &str, value: &dyn Fn(&Figures) -> String| {
        table.add_row([name.to_owned()].into_iter().chain(all.iter().map(|figures| value(figures))));
    };
    row("deadlock", &|f| judged::word(f.verdict).to_owned());
    row("root", &|f| roots::short(&f.report));
    row("unreachable pairs", &|f| f.report.unreachable_pairs.to_string());
    row("mean distance, switch links", &|f| fixed(f.report.mean_distance, 4));
    row("pairs longer than minimal", &|f| f.report.non_minimal_pairs.to_string());
    row("mean distance of switches", &|f| fixed(f.report.switch_mean_distance, 4));
    row("crossing paths", &|f| or_dash(f.report.crossing_paths));
    row("restrictions per switch", &|f| fixed(f.report.restrictions_per_switch, 4));
    row("routes over the busiest channel", &|f| f.report.max_channel_load.to_string());
    row("  on the mean of random choices", &|f| fixed(f.expected_max_channel_load, 4));
    let rings = |f: &Figures| f.report.channel_load_by_root_distance.as_ref().map_or(0, Vec::len);
    for ring in 0..all.iter().map(|figures| rings(figures)).max().unwrap_or(0) {
        let name = format!("busiest channel {ring} from the root");
        row(&name, &|f| {
            let rings = f.report.channel_load_by_root_distance.as_ref();
            or_dash(rings.and_then(|rings| rings.get(ring)).map(|ring| ring.routes_max))
        });
    }
    format!("{}\n", table.trim_fmt())
}
