//! `simnet route rank-failures`: which cable or switch would hurt most if it failed.

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{RouteOptions, judged, without};
use crate::cli::network::NetworkArguments;
use crate::cli::output::{Table, print, print_json};
use crate::cli::progress::Parts;
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::diagnostics::quoted;
use simnet_base::ids::Node;
use simnet_base::numbers::{count, fixed};
use simnet_network::routing::{Effect, Failures, Part, Verdict, rank_failures};
use simnet_network::topology::Network;

#[derive(Args)]
#[command(
    after_help = "Loads are means over random choices among the shortest legal paths of all pairs. Routes are \
    computed anew after every failure, roots included. Worst are the failures that leave pairs without a route, then \
    those that make a deadlock possible, then those that make routes longer, then those that crowd the busiest channel."
)]
pub(super) struct Options {
    #[command(flatten)]
    network: NetworkArguments,
    #[command(flatten)]
    routing: RouteOptions,
    /// How many failures to list, the worst first
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..),
          allow_negative_numbers = true)]
    top: u32,
}

/// The figures of the routes on a network, or on what is left of it.
#[derive(Serialize)]
struct Figures {
    unreachable_pairs: u64,
    longer_pairs: u64,
    mean_distance: Option<f64>,
    expected_max_channel_load: f64,
    verdict: Option<Verdict>,
}

impl Figures {
    fn new(effect: &Effect) -> Figures {
        Figures {
            unreachable_pairs: effect.unreachable,
            longer_pairs: effect.longer,
            mean_distance: effect.mean_distance(),
            expected_max_channel_load: effect.expected_load(),
            verdict: effect.verdict,
        }
    }
}

/// One failure.
#[derive(Serialize)]
struct Ranked {
    kind: &'static str,
    /// As `--without` takes it.
    name: String,
    #[serde(flatten)]
    after: Figures,
}

/// Tries all failures and prints the worst.
///
/// # Errors
/// Whatever is wrong with the network or the options.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let net = options.network.load()?;
    let choices = options.routing.choices(&options.network.as_topology(&net)?, None, common)?;
    options.network.places().check(common)?;
    let progress = Parts::new(common.quiet);
    let failures = rank_failures(&net, &choices, &|done, all| progress.tell((done, all), "failures tried"));
    drop(progress);
    match common.format {
        Format::Json => print_json(&as_json(&net, &failures, options))?,
        Format::Human => print(&human(&net, &failures, options))?,
    }
    Ok(Exit::Fine)
}

fn as_json(net: &Network, failures: &Failures, options: &Options) -> serde_json::Value {
    let ranked = |(part, effect): &(Part, Effect)| Ranked {
        kind: kind(*part),
        name: without::name(net, *part),
        after: Figures::new(effect),
    };
    let listed: Vec<Ranked> = failures.parts.iter().take(options.top as usize).map(ranked).collect();
    let cables = failures.parts.iter().filter(|(part, _)| kind(*part) == "cable").count();
    let worst = |wanted| {
        let found = failures.parts.iter().find(|(part, _)| kind(*part) == wanted);
        found.map(|(part, _)| without::name(net, *part))
    };
    let mut found = json!({
        "worst_cable": worst("cable"),
        "worst_switch": worst("switch"),
        "whole": Figures::new(&failures.whole),
        "pairs": failures.whole.routed + failures.whole.unreachable,
        "tried": { "cables": cables, "switches": failures.parts.len() - cables },
        "host_cables": failures.host_cables,
        "failures": listed,
    });
    if let Some(ports) = other_ports(net) {
        found["other_ports"] = ports.into();
    }
    found
}

/// Counts the cabled ports of hosts by which no pair counts here; `None` if there are none.
fn other_ports(net: &Network) -> Option<usize> {
    let further = |host| net.cables(Node::Host(host)).count().saturating_sub(1);
    Some(net.host_ids().map(further).sum()).filter(|ports| *ports > 0)
}

fn kind(part: Part) -> &'static str {
    match part {
        Part::Cable(_) => "cable",
        Part::Switch(_) => "switch",
    }
}

fn human(net: &Network, failures: &Failures, options: &Options) -> String {
    let worst = |wanted| failures.parts.iter().find(|(part, _)| kind(*part) == wanted);
    let worst = ["cable", "switch"].map(worst);
    let mut text: String =
        worst.iter().flatten().map(|failure| sentence(net, failure, &failures.whole)).collect();
    if worst[0].is_none() {
        text = format!(
            "no cable joins two switches of {}, or is one of several of a host\n{text}",
            quoted(&net.name)
        );
    }
    let cables = failures.parts.iter().filter(|(part, _)| kind(*part) == "cable").count();
    text += &format!(
        "{}: {} and {} tried; {} not, as each is a host's only one\n\n",
        quoted(&net.name),
        count(cables, "cable"),
        count(failures.parts.len() - cables, "switch"),
        count(failures.host_cables, "cable"),
    );
    if let Some(ports) = other_ports(net) {
        text += &format!(
            "each host counts by its lowest cabled port alone, {} by none: `--plane` takes one plane\n\n",
            count(ports, "other port")
        );
    }
    text + &table(net, failures, options.top as usize)
}

/// What a failure does, in a line.
fn sentence(net: &Network, (part, after): &(Part, Effect), whole: &Effect) -> String {
    let lost = after.unreachable.saturating_sub(whole.unreachable);
    let lost = if lost == 0 {
        "no pair loses its route".to_owned()
    } else {
        format!("{lost} pairs lose their route")
    };
    let longer = if after.longer == 0 {
        "none gets longer".to_owned()
    } else {
        format!("{} get longer", after.longer)
    };
    let deadlock = match (after.verdict, whole.verdict) {
        (Some(Verdict::Cyclic), Some(Verdict::Cyclic)) => "deadlock stays possible",
        (Some(Verdict::Cyclic), _) => "deadlock becomes possible",
        (Some(Verdict::Acyclic), Some(Verdict::Cyclic)) => "deadlock becomes impossible",
        (Some(Verdict::Acyclic), _) => "no deadlock",
        (None, _) => "nothing is left to judge",
    };
    format!(
        "worst {}: {} ({lost}, {longer}; busiest channel {} -> {} routes; {deadlock})\n",
        kind(*part),
        quoted(&without::name(net, *part)),
        fixed(whole.expected_load(), 1),
        fixed(after.expected_load(), 1),
    )
}

fn table(net: &Network, failures: &Failures, top: usize) -> String {
    let mut table = Table::new();
    table.add_row(["", "fails", "unreachable", "longer", "mean distance", "busiest channel", "deadlock"]);
    table.add_row(row("-", "nothing", &failures.whole));
    for (part, effect) in failures.parts.iter().take(top) {
        table.add_row(row(kind(*part), &without::name(net, *part), effect));
    }
    format!("{}\n", table.trim_fmt())
}

fn row(kind: &str, name: &str, effect: &Effect) -> [String; 7] {
    [
        kind.to_owned(),
        quoted(name),
        effect.unreachable.to_string(),
        effect.longer.to_string(),
        fixed(effect.mean_distance(), 4),
        fixed(effect.expected_load(), 1),
        judged::word(effect.verdict).to_owned(),
    ]
}
