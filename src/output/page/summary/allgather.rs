//! An all-gather: how long it took, against the bound, and whether every machine got everything.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, listed};
use crate::page::value::{Show, shown};

use super::{Summary, entries};

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("allgather")?;
    let value = |key: &str, show| shown(contents, &format!("allgather.{key}"), show);
    let number = |key: &str| value(key, Show::Number);
    let sentences = vec![html! {
        (number("ranks")) " ranks on " (number("machines")) " machines exchange " (number("size_bytes"))
        " bytes each until every one has all of it: " (number("algorithm")) ", for which " (number("ran"))
        " ran, over the " (number("medium")) "."
    }];
    let facts = vec![
        ("Time", value("time_mean_ms", Show::Ms), html! { "a repetition, over ranks and executions" }),
        ("Bound", value("bound_ms", Show::Ms), html! { "what the slowest cable needs" }),
        ("Efficiency", number("efficiency"), html! { "the bound over the time" }),
        ("Longest path", number("max_path_length"), html! { "switches, of a message of the ring" }),
        ("Busiest channel", number("max_channel_load"), html! { "messages of the ring" }),
    ];
    let kind = Some("an all-gather".to_owned());
    Some(Summary { kind, sentences, facts, notices: notices(contents, &number), ..Summary::default() })
}

fn notices(contents: &Contents, number: &dyn Fn(&str) -> Markup) -> Vec<(Grade, Markup)> {
    let is_some = |key: &str| contents.number(&format!("allgather.{key}")).is_some_and(|count| count > 0.0);
    let truth = |key: &str| contents.at(&format!("allgather.{key}")).and_then(Value::as_bool);
    let mut notices = Vec::new();
    match truth("all_right") {
        Some(true) => notices.push((Grade::Good, html! {
            "every machine ended with everybody's data, byte by byte (all right: " (number("all_right")) ")."
        })),
        Some(false) if contents.at("allgather.refused").is_none() => notices.push((Grade::Bad, html! {
            (number("buffers_wrong")) " buffers are wrong and " (number("buffers_missing")) " were never filled \
                (all right: " (number("all_right")) ")."
        })),
        Some(false) | None => {}
    }
    if contents.at("allgather.refused").is_some() {
        notices.push((Grade::Warn, html! { "nothing ran: " (number("refused")) "." }));
    }
    if truth("contention_free") == Some(false) {
        notices.push((
            Grade::Warn,
            html! { "messages of the ring share cables (free of contention: "
            (number("contention_free")) ")." },
        ));
    }
    if is_some("stuck_ranks") {
        let stuck = entries(contents, "allgather.stuck");
        let stuck: Vec<Markup> = stuck.iter().map(|(path, _)| shown(contents, path, Show::Number)).collect();
        let all = contents.number("allgather.stuck_ranks").unwrap_or(0.0);
        let is_more = all > stuck.len() as f64;
        notices.push((Grade::Bad, html! {
            (number("stuck_ranks")) " ranks never ended" @if is_more { ", among them" } ": " (listed(&stuck)) "."
        }));
    }
    if is_some("frames_dropped") {
        let is_tcp = contents.text("allgather.transport") == Some("tcp");
        notices.push((
            Grade::Warn,
            html! {
                (number("frames_dropped")) " frames were dropped by full switches"
                @if is_tcp { "; what TCP sent again is in the time" } "."
            },
        ));
    }
    notices
}
