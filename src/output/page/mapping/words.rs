//! What a mapping came to, in sentences.

use maud::{Markup, html};

use crate::page::Contents;
use crate::page::value::{Show, shown};
use simnet_base::numbers;

/// Who mapped what in which time, and whether it is right.
pub(super) fn lead(contents: &Contents, mapper: Option<&str>) -> Markup {
    let is_right = contents.at("map.isomorphic").and_then(serde_json::Value::as_bool).unwrap_or(false);
    let is_sure = contents.at("map.doubts").and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
    html! {
        p.lead {
            "The " (shown(contents, "map.algorithm", Show::Number)) " mapper "
            @if let Some(mapper) = mapper { "on " bdi { (mapper) } " " } "found "
            (shown(contents, "map.hosts", Show::Number)) " hosts, "
            (shown(contents, "map.switches", Show::Number)) " switches and "
            (shown(contents, "map.links", Show::Number)) " cables in "
            (shown(contents, "map.time_ms", Show::Ms)) " with " (numbers::number(sent(contents), 4)) " messages. "
            @if is_right {
                "Its map is " strong.good { "right" } ": " (right(contents)) ". "
            } @else {
                "Its map is " strong.bad { "wrong" } @if let Some(difference) = contents.text("map.difference") {
                    ": " bdi { (difference) }
                } ". "
            }
            @match (is_right, is_sure) {
                (true, true) => "The mapper is sure of it.",
                (false, true) => "The mapper does not know: it is sure of its map.",
                (true, false) => "The mapper itself has doubts.",
                (false, false) => "The mapper says so itself: it has doubts.",
            }
        }
        (doubts(contents))
    }
}

/// All messages of the mapping.
pub(super) fn sent(contents: &Contents) -> f64 {
    let kinds = contents.at("map.probes").and_then(serde_json::Value::as_object);
    let sent = |count: &serde_json::Value| count["sent"].as_f64();
    kinds.map_or(0.0, |kinds| kinds.values().filter_map(sent).sum())
}

fn right(contents: &Contents) -> &'static str {
    match contents.text("map.isomorphic_to") {
        Some("N") => {
            "every host, switch and cable of the network, and nothing else, up to where each switch's ports begin"
        }
        Some("N-F") => {
            "all of the network but the part that no host lets be told apart (in the paper's words, N − F)"
        }
        _ => "all that must be found, and nothing that is not there",
    }
}

fn doubts(contents: &Contents) -> Markup {
    let doubts = contents.at("map.doubts").and_then(serde_json::Value::as_array);
    let doubts: Vec<&str> = doubts.into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
    html! {
        @if !doubts.is_empty() {
            div.notice.warn role="note" {
                p { strong { "Why the mapper doubts its map" } }
                ul { @for doubt in doubts {
                    li { bdi { (doubt) } @if let Some(meaning) = meaning(doubt) { ": " (meaning) } }
                } }
            }
        }
    }
}

/// What a doubt means.
pub(super) fn meaning(doubt: &str) -> Option<&'static str> {
    Some(match doubt {
        "unfinished" => "a limit was reached with switches left to explore",
        "contradiction" => "what was seen cannot be one network: a message was lost or strayed",
        "out-of-memory" => "the model outgrew the memory that the mapper may use",
        "traffic" => "answers took another time than a quiet network explains",
        "loss" => "an answer was lost: it came too late, or when the question was asked again",
        "deadlock" => "messages along routes known to be good did not come back",
        "unstamped" => "switches did not stamp what passed them, though the algorithm relies on it",
        _ => return None,
    })
}

/// A size of the summary.
pub(super) fn bytes(contents: &Contents, path: &str) -> String {
    numbers::bytes(contents.at(path).and_then(serde_json::Value::as_u64).unwrap_or(0))
}

/// What became of messages that did not arrive.
pub(super) fn losses(contents: &Contents) -> Markup {
    let of = |key: &str| contents.number(&format!("map.losses.{key}")).unwrap_or(0.0);
    let all = [
        ("reset", "destroyed by a switch's forward reset"),
        ("failed", "destroyed with a cable that failed"),
        ("expired", "dropped when their time to live was over"),
        ("vl15_dropped", "dropped for want of room on the lane of management"),
        ("corrupted", "dropped for a wrong checksum"),
        ("lost", "lost at the sender's interface"),
    ];
    let lost: Vec<_> = all.into_iter().filter(|(key, _)| of(key) > 0.0).collect();
    html! {
        @if contents.at("map.losses").is_some() {
            p {
                @if of("undeliverable") > 0.0 {
                    (shown(contents, "map.losses.undeliverable", Show::Number))
                    " messages took a route that leads nowhere, as those of questions do whose answer is no. "
                }
                @if lost.is_empty() { "No other message was lost while it worked" } @else { "While it worked" }
                @for (nth, (key, how)) in lost.iter().enumerate() {
                    @if nth > 0 { "," } " " (shown(contents, &format!("map.losses.{key}"), Show::Number)) " were " (how)
                }
                @match of("deadlocks") {
                    0.0 => { ", and no deadlock formed." }
                    1.0 => { ", and " strong { "one deadlock" } " formed." }
                    _ => {
                        ", and " strong { (shown(contents, "map.losses.deadlocks", Show::Number)) " deadlocks" }
                        " formed."
                    }
                }
            }
        }
    }
}

/// How the mapper was elected, how often it was run, and how routes were handed out, where they were.
pub(super) fn around(contents: &Contents) -> Markup {
    html! {
        @if contents.at("map.election").is_some() {
            p {
                "All hosts began to map; " bdi { (shown(contents, "map.election.winner", Show::Number)) }
                " has the highest address and won. " (shown(contents, "map.election.deposed", Show::Number))
                " gave up when they heard of a higher address"
                @if contents.at("map.election.last_deposed_ms").is_some() {
                    ", the last of them after " (shown(contents, "map.election.last_deposed_ms", Show::Ms))
                }
                ". The messages above are those of all mappers; the steps below are the winner's."
            }
        }
        @if contents.text("map.algorithm") == Some("parallel") {
            p {
                "The messages counted here are those of all mappers; the steps above are those of the one that merged \
                 what they found."
            }
        }
        @if contents.at("distribution").is_some() {
            p {
                "Then routes were handed out along the cables themselves: "
                (shown(contents, "distribution.acknowledged", Show::Number)) " of "
                (shown(contents, "distribution.sent", Show::Number)) " tables were acknowledged, "
                @if contents.number("distribution.retries") == Some(0.0) {
                    "none had to be sent again; it took "
                } @else {
                    "after " (shown(contents, "distribution.retries", Show::Number)) " were sent again; it took "
                }
                (shown(contents, "distribution.time_ms", Show::Ms)) " for "
                (bytes(contents, "distribution.bytes")) "."
            }
        }
    }
}
