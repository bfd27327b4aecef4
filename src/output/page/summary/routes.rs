//! Routes: how they were chosen, whether they can deadlock, and how they were handed out.

use maud::html;
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, listed, name};
use crate::page::value::{Show, shown};

use super::Summary;

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("route")?;
    let number = |path: &str| shown(contents, path, Show::Number);
    let above = |path: &str| contents.number(path).is_some_and(|count| count > 0.0);
    let mut sentences = vec![html! {
        "Routes (" (number("route.algorithm")) ")"
        @if let Some(root) = contents.text("route.root") { " from the root " (name(root)) }
        " lead between " (number("route.pairs")) " ordered pairs of hosts, over " (number("route.mean_distance"))
        " cables between switches on average; the busiest channel is on " (number("route.max_channel_load"))
        " of them."
        @if above("route.non_minimal_pairs") {
            " For " (number("route.non_minimal_pairs")) " pairs a shorter path exists that the rule forbids."
        }
    }];
    if contents.at("distribution").is_some() {
        sentences.push(html! {
            "They were handed to the hosts in " (shown(contents, "distribution.time_ms", Show::Ms)) ": "
            (number("distribution.sent")) " tables sent, " (number("distribution.acknowledged")) " acknowledged, "
            (number("distribution.retries")) " sent again."
        });
    }
    let mut notices = Vec::new();
    let cycle = contents.route_cycle().unwrap_or_default();
    if cycle.is_empty() {
        notices.push((
            Grade::Good,
            html! {
                "the routes cannot deadlock: no cycle of channels exists in which each waits for the next."
            },
        ));
    } else {
        let outputs: Vec<_> =
            cycle.iter().take(12).map(|port| name(port.as_str().unwrap_or_default())).collect();
        notices.push((Grade::Warn, html! {
            "the routes can deadlock: these outputs can wait for each other in a circle: " (listed(&outputs))
            @if cycle.len() > outputs.len() { " and " (cycle.len() - outputs.len()) " more" } "."
        }));
    }
    if above("route.unreachable_pairs") {
        notices.push((
            Grade::Warn,
            html! { (number("route.unreachable_pairs")) " pairs of hosts have no route." },
        ));
    }
    if contents.at("distribution.missing").and_then(Value::as_u64).is_some_and(|missing| missing > 0) {
        notices
            .push((Grade::Warn, html! { (number("distribution.missing")) " hosts never got their routes." }));
    }
    Some(Summary { kind: Some("routing".to_owned()), sentences, notices, ..Summary::default() })
}
