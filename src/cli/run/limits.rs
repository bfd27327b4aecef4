//! What limits a load, as it was found: each resource that was made ample, and what was gained.

use std::fmt::Write as _;

use simnet_base::diagnostics::quoted;
use simnet_base::numbers::{deviation, fixed, or_dash};
use simnet_network::topology::Network;
use simnet_running::simulation::{Lifted, Limits, Resource, StagesReport, State};
use simnet_scenario::Checked;
use simnet_scenario::checked::Explain;

use crate::cli::output::Table;

/// A gain below this, in per cent, is not called a limit.
const LEAST_GAIN: f64 = 1.0;

/// Every resource that was lifted, the largest gain first; nothing where none was.
pub(super) fn text(report: &StagesReport, network: &Network) -> String {
    let Some(limits) = report.limits.as_ref().filter(|limits| limits.runs > 0) else { return String::new() };
    let Limits { load, runs, .. } = limits;
    let [offered, accepted] =
        [limits.offered_flits_per_cycle_per_host, limits.accepted_flits_per_cycle_per_host]
            .map(|it| fixed(it, 4));
    let mut text = format!(
        "\nWhat limits load {load}: {runs} short runs, one resource at a time made ample; as it is {accepted} of \
         {offered} are accepted\n"
    );
    let mut table = Table::with_numbers(&["resource, as it is -> made", "accepted", "gain", "± 95 %", ""]);
    for lifted in &limits.lifted {
        table.add_row([
            format!("{}: {} -> {}", name(lifted, network), lifted.was, lifted.made),
            or_dash(lifted.accepted_flits_per_cycle_per_host.map(|accepted| fixed(accepted, 4))),
            or_dash(lifted.gain_percent.map(gain)),
            or_dash(lifted.gain_half_width_percent.map(|half| format!("{half:.1} %"))),
            verdict(lifted).to_owned(),
        ]);
    }
    let _ = writeln!(text, "{table}");
    text
}

/// A gain; what rounds to none has no sign of a loss.
fn gain(percent: f64) -> String {
    deviation(if percent.abs() < 0.05 { 0.0 } else { percent })
}

fn verdict(lifted: &Lifted) -> &'static str {
    match lifted.accepted_flits_per_cycle_per_host {
        None => "the network dies in a deadlock",
        Some(_) if !lifted.beyond_chance => "no gain beyond chance",
        Some(_) if lifted.carried => "all that is offered, within 1 %",
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

/// The largest gain; that there is none; or how to find it. Nothing where that was not asked for and no load is
/// saturated.
pub(super) fn next(checked: &Checked, report: &StagesReport) -> Option<String> {
    let Some(limits) = &report.limits else {
        let saturated = report.points.iter().filter(|point| point.saturated).filter_map(|point| point.load);
        let Some(load) = saturated.min_by(f64::total_cmp) else {
            let is_asked = checked.output.explain == Explain::Always;
            return is_asked.then(|| "not found: the network dies at every load".to_owned());
        };
        return Some(format!(
            "not looked for; --explain runs load {load} again with one resource at a time made ample, and prints the \
             gains"
        ));
    };
    let load = limits.load;
    let is_gain = |lifted: &&Lifted| lifted.beyond_chance && lifted.gain_percent >= Some(LEAST_GAIN);
    let first = limits.lifted.iter().find(is_gain);
    Some(match (limits.state, first.and_then(|first| Some((first, first.gain_percent?)))) {
        (State::Saturated, Some((first, gain))) => {
            let all = if first.carried { ", which is all that is offered within 1 %" } else { "" };
            let (name, Lifted { was, made, .. }) = (name(first, &checked.topology.network), first);
            format!("{name}: with {made} in place of {was}, load {load} accepts {gain:.1} % more{all}")
        }
        (State::Saturated, None) => {
            format!("not found: at load {load} no resource that was lifted gains 1 % and more than chance")
        }
        (State::Converged, _) => format!("none at load {load}: the network keeps up with what is offered"),
        _ => format!("not looked for: load {load} has not converged, and is not known to be saturated"),
    })
}
