//! A logical ring on a tree: whether neighbours' paths share a cable, and how long they are.

use maud::html;
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, name};
use crate::page::value::{Show, shown};

use super::Summary;

/// How many machines are named.
const NAMED: usize = 48;

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("rings")?;
    let number = |key: &str| shown(contents, &format!("rings.{key}"), Show::Number);
    let sentences = vec![html! {
        "A ring of " (number("machines")) " machines on " (number("switches")) " switches: " (number("algorithm"))
        " on the " (number("tree")) " tree from " (number("root")) "."
    }];
    let facts = vec![
        ("Longest path", number("max_path_length"), html! { "switches" }),
        ("Least possible", number("max_path_length_bound"), html! { "on that tree, as far as it is known" }),
    ];
    let mut notices = Vec::new();
    match contents.at("rings.contention_free").and_then(Value::as_bool) {
        Some(true) => notices.push((
            Grade::Good,
            html! {
                "no two neighbours' paths share a cable in one direction (free of contention: "
                (number("contention_free")) ")."
            },
        )),
        Some(false) => notices.push((
            Grade::Bad,
            html! {
                "neighbours' paths share cables (free of contention: " (number("contention_free")) ")."
            },
        )),
        None => notices.push((Grade::Warn, html! { "there is none: " (number("refused")) "." })),
    }
    let hosts = contents.at("rings.hosts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let order: Vec<&str> = hosts.iter().take(NAMED).filter_map(Value::as_str).collect();
    let body = html! { @if !order.is_empty() {
        h3 { "The machines in order" }
        p { (name(&order.join(" "))) @if hosts.len() > order.len() { " …" } }
    } };
    Some(Summary { kind: Some("a logical ring".to_owned()), sentences, facts, notices, body })
}
