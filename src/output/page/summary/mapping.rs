//! A mapping: whether the map is true, what it took, and comparisons with the paper's numbers.

use maud::{Markup, html};

use crate::page::Contents;
use crate::page::markup::{Grade, grid, listed, numbers, words};
use crate::page::value::{Show, shown};
use simnet_base::numbers;

use super::{Summary, entries, members, of};

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("map")?;
    let value = |path: &str, show| shown(contents, path, show);
    let number = |path: &str| value(path, Show::Number);
    let is_true = contents.at("map.isomorphic").and_then(serde_json::Value::as_bool) == Some(true);
    let sentence = html! {
        "The mapper (" (number("map.algorithm")) ") found " (number("map.hosts")) " hosts, " (number("map.switches"))
        " switches and " (number("map.links")) " cables in " (value("map.time_ms", Show::Ms)) "; its map is "
        @match contents.text("map.isomorphic_to") {
            Some("N") if is_true => "true, to the port.",
            _ if is_true => "true, to the port, for all of the network that a mapper can see.",
            _ => strong { "not the network that was there." },
        }
    };
    let mut notices = vec![verdict(contents, is_true)];
    notices.extend(doubts(contents));
    let kinds = members(contents, "map.probes");
    let sent = kinds.iter().filter_map(|(_, _, kind)| kind["sent"].as_u64()).fold(0, u64::saturating_add);
    let facts = vec![
        ("Mapped in", value("map.time_ms", Show::Ms), html! { "of simulated time" }),
        ("Probes sent", html! { (numbers::number(sent as f64, 6)) }, html! { "messages of all kinds" }),
    ];
    let body = html! {
        h3 { "The mapping" }
        div.cols { (probes(contents)) (paper(contents)) }
        (sensitivity(contents))
    };
    Some(Summary { kind: Some("a mapping".to_owned()), sentences: vec![sentence], facts, notices, body })
}

fn verdict(contents: &Contents, is_true: bool) -> (Grade, Markup) {
    if is_true {
        let is_whole = contents.text("map.isomorphic_to") == Some("N");
        return (
            Grade::Good,
            html! {
                "the map was compared with the network that was there, port by port, and is true"
                @if !is_whole { " for all that a mapper can see" } "."
            },
        );
    }
    let difference = contents.text("map.difference");
    (
        Grade::Bad,
        html! {
            "the map was compared with the network that was there, and differs"
            @if let Some(difference) = difference { ": " bdi { (difference) } } "."
        },
    )
}

/// What the mapper itself is not sure of.
fn doubts(contents: &Contents) -> Option<(Grade, Markup)> {
    let doubts = entries(contents, "map.doubts");
    let shown: Vec<Markup> = doubts
        .iter()
        .take(5)
        .map(|(_, doubt)| html! { bdi { (crate::page::value::exact(doubt)) } })
        .collect();
    (!doubts.is_empty()).then(|| {
        (
            Grade::Warn,
            html! { "the mapper has doubts of its own (" (doubts.len()) "): " (listed(&shown)) "." },
        )
    })
}

fn probes(contents: &Contents) -> Markup {
    let used = |kind: &serde_json::Value| kind["sent"].as_u64() != Some(0);
    let rows: Vec<Vec<Markup>> = members(contents, "map.probes")
        .iter()
        .filter(|(_, _, kind)| used(kind))
        .map(|(kind, path, _)| {
            vec![
                html! { (kind) },
                of(contents, path, "sent", Show::Number),
                of(contents, path, "hits", Show::Number),
            ]
        })
        .collect();
    html! { div { (grid("Probes by kind, as messages truly sent", &[words("Kind"), numbers("Sent", ""),
    numbers("Answered", "")], &rows)) } }
}

/// What mainwaring1997 prints of a mapping: the figure, the quantity, and the path of ours.
const PRINTED: [(&str, &str, &str, &str); 4] = [
    ("Mapping time, ms", "Fig7", "mapping time avg, one master", "map.time_ms"),
    ("Turns that found a host", "Fig6", "host probe hits", "map.turns.host_hits"),
    ("Turns that found a switch", "Fig6", "switch probe hits", "map.turns.switch_hits"),
    (
        "Turns that found nothing",
        "Fig6",
        "turns that found nothing (= host misses = switch misses)",
        "map.turns.nothing",
    ),
];

/// The numbers that the paper prints for the network of this name.
fn paper(contents: &Contents) -> Markup {
    let configuration = match contents.network.as_ref().map(|network| network.name.as_str()) {
        Some("now-c") => Some("C"),
        Some("now-ca") => Some("C+A"),
        Some("now-cab") => Some("C+A+B"),
        _ => None,
    };
    let rows: Vec<Vec<Markup>> = PRINTED
        .iter()
        .map(|(what, figure, quantity, path)| {
            let printed =
                configuration.and_then(|of| simnet_base::papers::reference("000", figure, quantity, of));
            let deviation =
                printed.zip(contents.number(path)).map(|(printed, ours)| (ours / printed - 1.0) * 100.0);
            vec![
                html! { (what) },
                shown(contents, path, Show::Number),
                html! { (printed.map(|printed| numbers::number(printed, 4)).unwrap_or_default()) },
                html! { (deviation.map(super::paper::percent).unwrap_or_default()) },
            ]
        })
        .collect();
    let columns = [words(""), numbers("Here", ""), numbers("Printed", ""), numbers("Deviation", "")];
    match configuration {
        Some(_) => {
            html! { div { (grid("Beside Mainwaring et al. 1997, Figures 6 and 7", &columns, &rows)) } }
        }
        None => {
            let ours: Vec<Vec<Markup>> =
                rows.into_iter().map(|row| row.into_iter().take(2).collect()).collect();
            html! { div { (grid("What the mapper's turns found", &columns[..2], &ours)) } }
        }
    }
}

fn sensitivity(contents: &Contents) -> Markup {
    let others = entries(contents, "map.sensitivity");
    html! {
        @if !others.is_empty() {
            p {
                "The time a switch takes to route is an estimate. "
                @for (path, _) in &others {
                    "At " (of(contents, path, "routing_latency_ns", Show::Ns)) " mapping takes "
                    (of(contents, path, "time_ms", Show::Ms)) ". "
                }
            }
        }
    }
}
