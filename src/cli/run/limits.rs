//! What limits a load, as it was found: each resource that was made ample, and what was gained.

use std::fmt::Write as _;

use simnet_base::diagnostics::quoted;
use simnet_base::numbers::{fixed, or_dash};
use simnet_network::topology::Network;
use simnet_running::simulation::{Lifted, Limits, Resource, StagesReport};

use crate::cli::output::Table;

/// A gain below this, in per cent, is not called a limit.
const LEAST_GAIN: f64 = 1.0;

/// Every resource that was lifted, the largest gain first; nothing where none was.
pub(super) fn text(report: &StagesReport, network: &Network) -> String {
    let Some(limits) = report.limits.as_ref().filter(|limits| limits.saturated) else { return String::new() };
    let Limits { load, runs, .. } = limits;
    let [offered, accepted] =
        [limits.offered_flits_per_cycle_per_host, limits.accepted_flits_per_cycle_per_host].map(|it| fixed(it, 4));
    let mut text = format!(
        "\nWhat limits load {load}, one resource at a time made ample ({runs} short runs; {accepted} of {offered} \
         accepted as it is):\n"
    );
    let mut table = Table::with_numbers(&["resource, as it is -> made", "accepted", "gain", "± 95 %", ""]);
    for lifted in &limits.lifted {
        table.add_row([
            format!("{}: {} -> {}", name(lifted, network), lifted.was, lifted.made),
            or_dash(lifted.accepted_flits_per_cycle_per_host.map(|accepted| fixed(accepted, 4))),
            or_dash(lifted.gain_percent.map(|gain| format!("{gain:+.1} %"))),
            or_dash(lifted.gain_half_width_percent.map(|half| format!("{half:.1} %"))),
            verdict(lifted).to_owned(),
        ]);
    }
    let _ = writeln!(text, "{table}");
    text
}

fn verdict(lifted: &Lifted) -> &'static str {
    match lifted.accepted_flits_per_cycle_per_host {
        None => "the network dies in a deadlock",
        Some(_) if !lifted.beyond_chance => "no gain beyond chance",
        Some(_) if lifted.carried => "all that is offered",
        Some(_) => "",
    }
}

/// A resource by its name.
fn name(lifted: &Lifted, network: &Network) -> String {
    let end = |end: &Option<String>| quoted(&network.labelled(end.as_deref().unwrap_or_default()));
    match lifted.resource {
        Resource::Cable => format!("cable {} - {}", end(&lifted.from), end(&lifted.to)),
        Resource::Decoding => "decoding".to_owned(),
        Resource::Buffers => "buffers".to_owned(),
        Resource::Interfaces => "interfaces of hosts".to_owned(),
        Resource::Root => "routes, another root".to_owned(),
        Resource::Routes => "routes".to_owned(),
    }
}

/// The largest gain; that there is none; or how to find it. Nothing where no load was found to be saturated.
pub(super) fn next(report: &StagesReport, network: &Network) -> Option<String> {
    let Some(limits) = &report.limits else {
        let saturated = report.points.iter().filter(|point| point.saturated).filter_map(|point| point.load);
        let load = saturated.min_by(f64::total_cmp)?;
        return Some(format!(
            "not looked for; --explain runs load {load} again with one resource at a time made ample, and prints the \
             gains"
        ));
    };
    let load = limits.load;
    if !limits.saturated {
        return Some(format!("none at load {load}: the network carries what is offered"));
    }
    let is_gain = |lifted: &&Lifted| lifted.beyond_chance && lifted.gain_percent >= Some(LEAST_GAIN);
    let Some((first, gain)) =
        limits.lifted.iter().find(is_gain).and_then(|first| Some((first, first.gain_percent?)))
    else {
        return Some(format!("not found: at load {load} no resource that was lifted gains 1 % beyond chance"));
    };
    let all = if first.carried { ", all that is offered" } else { "" };
    Some(format!("{}: at load {load} made {}, it gains {gain:+.1} %{all}", name(first, network), first.made))
}
