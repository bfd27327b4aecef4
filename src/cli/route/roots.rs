//! Roots on the command line: the file of guids, the default on levelled trees, and what gives the same routes again.

use std::path::Path;

use simnet_base::diagnostics::{quoted, shown};
use simnet_base::ids::Node;
use simnet_network::routing::{Attachments, ExceptionalTurns, Report, Root, SwitchGraph, read_root_guids};
use simnet_network::topology::Network;

use crate::cli::Failure;
use crate::cli::network::quoted_value;
use crate::cli::output::read;

/// How many roots are named for people.
const MOST_NAMED: usize = 4;

/// The roots of a file of guids, as `routing.root` has them.
///
/// # Errors
/// [`Failure::Io`] for a file that cannot be read, [`Failure::Input`] for one that is wrong.
pub(super) fn of_file(net: &Network, path: &Path) -> Result<String, Failure> {
    let bytes = read(path)?;
    let roots = read_root_guids(net, &Attachments::lowest(net), &shown(&path).to_string(), &bytes)?;
    let names = roots.into_iter().map(|root| quoted_value(net.name_of(Node::Switch(root))));
    Ok(format!("[{}]", names.collect::<Vec<_>>().join(", ")))
}

/// The options that give the roots of a report again, the same relabelling included; none without a root.
pub(super) fn options(report: &Report) -> Option<String> {
    let root = report.root.as_deref()?;
    if report.has_spines && report.relabelled.is_empty() {
        return Some("--root spines".to_owned());
    }
    let relabel = if report.relabelled.is_empty() { "" } else { " --relabel" };
    Some(format!("--root {}{relabel}", for_shell(root)))
}

/// A word as a shell takes it.
pub(super) fn for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:,-/@+".contains(c);
    if word.chars().all(is_plain) && !word.is_empty() {
        word.to_owned()
    } else {
        format!("'{}'", quoted(word).replace('\'', r"'\''"))
    }
}

/// Names with commas between.
fn listed(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| quoted(name.as_ref())).collect::<Vec<_>>().join(",")
}

/// The roots for people, as their files describe them, and what was done to find them.
pub(super) fn human(report: &Report, net: &Network) -> String {
    let Some(root) = report.root.as_deref() else { return "-".to_owned() };
    let names: Vec<&str> = root.split(',').collect();
    let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| net.labelled_with_name(name)).collect();
    let mut text = listed(&shown);
    if names.len() > MOST_NAMED {
        text += &format!(" and {} others", names.len() - MOST_NAMED);
    }
    if report.has_spines {
        let all =
            if names.len() == 1 { "the one spine".to_owned() } else { format!("all {} spines", names.len()) };
        text += &format!(" ({all} of a levelled tree: `--root spines`)");
    } else if !report.relabelled.is_empty() {
        let options = options(report).unwrap_or_default();
        let relabelled = &report.relabelled[..report.relabelled.len().min(MOST_NAMED)];
        let others = report.relabelled.len() - relabelled.len();
        let others = if others > 0 { format!(" and {others} others") } else { String::new() };
        text += &format!(" (relabelled: {}{others}; the same again: `{options}`)", listed(relabelled));
        let attachments = Attachments::lowest(net).with_every_port(net);
        if Root::has_nearly_spines(&SwitchGraph::new(net), &attachments) {
            text += ", nearly a levelled tree, but not enough for all its spines to be roots";
        }
    }
    text
}

/// The turns of pairs without a common ancestor, for people.
pub(super) fn turns(turns: &ExceptionalTurns, net: &Network) -> String {
    let names: Vec<String> =
        turns.switches.iter().take(MOST_NAMED).map(|name| net.labelled_with_name(name)).collect();
    let others = turns.switches.len() - names.len();
    let others = if others > 0 { format!(" and {others} others") } else { String::new() };
    let (pairs, at) = (turns.pairs_of_switches, listed(&names));
    format!("{}, for {pairs} pairs of switches without a common ancestor, at {at}{others}", turns.turns)
}

/// The roots for a column of a table.
pub(super) fn short(report: &Report) -> String {
    let Some(root) = report.root.as_deref() else { return "-".to_owned() };
    match root.split(',').count() {
        _ if report.has_spines => format!("{} spines", root.split(',').count()),
        1..=2 => quoted(root),
        count => format!("{count} switches"),
    }
}
