//! The first page: what ran, what came out, how sure that is, and what to look at next.
//!
//! Each kind of work has a file of its own; a run may do several kinds, as one that maps, routes and
//! loads a network. Every number of `summary.json` that is shown carries its path and its exact value, so that a test
//! can compare the page with the file. What no summary has is in the tree of everything at the end.

mod allgather;
mod deadlocks;
mod discovery;
mod everything;
mod limits;
mod mapping;
mod operation;
mod paper;
mod points;
mod rings;
mod routes;

use maud::{Markup, html};
use serde_json::Value;

use super::markup::{Grade, name, notice};
use super::value::{Show, shown};
use super::{Contents, Section, curves, deadlocks as deadlocks_page, network};
use simnet_base::numbers;

/// What the first page says of one kind of work.
#[derive(Default)]
struct Summary {
    /// What it was, in a few words: `8 load points`.
    kind: Option<String>,
    /// What came out, in sentences.
    sentences: Vec<Markup>,
    /// The key numbers: what, the number, and a word on it.
    facts: Vec<(&'static str, Markup, Markup)>,
    /// How sure it is.
    notices: Vec<(Grade, Markup)>,
    /// Tables, with headings from `h3` on.
    body: Markup,
}

/// Summarizes one kind of work; `None` if the run did none of it.
type Summarize = fn(&Contents) -> Option<Summary>;

/// In the order in which a run goes through them.
const SUMMARIES: [Summarize; 9] = [
    mapping::summary,
    routes::summary,
    points::summary,
    allgather::summary,
    rings::summary,
    discovery::summary,
    operation::summary,
    deadlocks::summary,
    paper::summary,
];

/// The summary; it is made after all other sections, and leads to them.
pub(super) fn section(contents: &Contents, others: &[Section]) -> Section {
    let summaries: Vec<Summary> = SUMMARIES.iter().filter_map(|summarize| summarize(contents)).collect();
    let body = html! {
        div.first {
            div {
                (what_ran(contents, &summaries))
                (complaints(contents))
                (cut_short(contents))
                @for sentence in summaries.iter().flat_map(|summary| &summary.sentences) { p { (sentence) } }
            }
            @if let Some((drawing, caption)) = picture(contents) {
                figure #first-picture { (drawing) figcaption { (caption) } }
            }
        }
        @if summaries.iter().any(|summary| !summary.facts.is_empty()) {
            dl.facts { @for (what, number, word) in summaries.iter().flat_map(|summary| &summary.facts) {
                div { dt { (what) } dd { (number) " " small { (word) } } }
            } }
        }
        @if summaries.iter().any(|summary| !summary.notices.is_empty()) {
            h3 { "How sure is this?" }
            @for (grade, words) in summaries.iter().flat_map(|summary| &summary.notices) { (notice(*grade, words)) }
        }
        @for summary in &summaries { (summary.body) }
        (next(contents, others))
        (everything::tree(contents))
    };
    Section {
        id: "summary",
        title: "Summary",
        body,
        data: None,
        script: None,
        style: Some(include_str!("assets/summary.css")),
    }
}

/// So many load points make a curve.
const CURVE: usize = 3;

/// The picture that says most of a run: its curve, the circle of a deadlock, or the network.
fn picture(contents: &Contents) -> Option<(Markup, Markup)> {
    let loads = contents.tables.get("points").filter(|table| table.column("load").is_some());
    let has_curve = loads.is_some_and(|table| table.rows.len() >= CURVE);
    let curve = has_curve.then(|| curves::picture(contents, Some("points"))).flatten();
    curve
        .or_else(|| deadlocks_page::picture(contents))
        .or_else(|| contents.at("map").and_then(|_| network::picture(contents)))
        .or_else(|| curves::picture(contents, None))
        .or_else(|| network::picture(contents))
}

/// The first sentences: what this is about.
fn what_ran(contents: &Contents, summaries: &[Summary]) -> Markup {
    let description = contents.text("description");
    let kinds: Vec<&str> = summaries.iter().filter_map(|summary| summary.kind.as_deref()).collect();
    html! {
        p.lead {
            @match description {
                Some(words) => { bdi { (words) } },
                None if !contents.sweep.is_null() => { "A sweep: many runs of a scenario whose keys take many \
                    values." },
                None if contents.summary.is_null() => { "What came out of this run cannot be read; its tables can." },
                None => { "A run of the scenario " (name(contents.name())) "." },
            }
        }
        @if !contents.summary.is_null() {
            p.soft {
                @if !kinds.is_empty() { "What ran: " (kinds.join(", ")) ". " }
                @if let Some(network) = &contents.network {
                    "The network " (name(&network.name)) " has " (numbers::count(network.hosts().len(), "host")) ", "
                    (numbers::count(network.switches().len(), "switch")) " and "
                    (numbers::count(network.links().len(), "cable")) ". "
                }
                "Seed " (shown(contents, "seed", Show::Number)) "; the run ended " (ending(contents)) "."
            }
        }
    }
}

/// How it ended, with what that means.
fn ending(contents: &Contents) -> Markup {
    let meaning = match contents.text("outcome") {
        // Where messages were counted.
        Some("drained") if contents.at("points.0").is_none() => {
            return shown(contents, "outcome", Show::Number);
        }
        Some("drained") => "all that was measured arrived or was destroyed",
        Some("saturated") => "at some load the network fell behind",
        Some("horizon") => "time ran out with messages under way",
        Some("deadlocked") => "stuck in a deadlock that nothing freed",
        _ => return shown(contents, "outcome", Show::Number),
    };
    html! { (shown(contents, "outcome", Show::Number)) ": " (meaning) }
}

/// What could not be read or shown.
fn complaints(contents: &Contents) -> Markup {
    let complaints = contents.complaints();
    html! {
        @if !complaints.is_empty() {
            div.notice.bad #complaints {
                p { strong { "Not everything of the folder could be read." } }
                ul { @for complaint in &complaints { li { bdi { (complaint) } } } }
            }
        }
    }
}

/// Whether the run was interrupted, so that not all of what was asked for is there.
fn cut_short(contents: &Contents) -> Markup {
    let is_interrupted = contents.at("interrupted").and_then(Value::as_bool).unwrap_or(false);
    let words =
        html! { "This run was interrupted: what was done by then is kept and whole; the rest is missing." };
    html! { @if is_interrupted { (notice(Grade::Warn, &words)) } }
}

/// What to look at next: the other sections, each with a reason.
fn next(contents: &Contents, others: &[Section]) -> Markup {
    html! {
        @if !others.is_empty() {
            h3 { "What to look at next" }
            ul { @for other in others { li {
                a href={ "#" (other.id) } { (other.title) }
                @if !reason(contents, other.id).is_empty() { ": " (reason(contents, other.id)) }
            } } }
        }
    }
}

/// Why to look at the section `id`.
fn reason(contents: &Contents, id: &str) -> &'static str {
    let deadlocks = contents.number("deadlock_count").unwrap_or(0.0) > 0.0;
    let has_loads = contents.tables.get("points").is_some_and(|points| points.column("load").is_some());
    match id {
        "sweep" => "what was swept, and what came of it",
        "curves" if has_loads => "latency and throughput against the load",
        "curves" => "what came out, drawn",
        "network" if contents.tables.contains_key("channels") => {
            "the network, its cables coloured by what they carry and by how long they were blocked"
        }
        "network" => "what hangs together with what",
        "histograms" => "how latencies are spread",
        "mapping" => "how the mapper's picture of the network grew",
        "deadlocks" if deadlocks => "who waited for whom, and what freed them",
        "deadlocks" if contents.number("saturation.load_deadlocked").is_some() => {
            "that only the search found one, and what would be shown"
        }
        "deadlocks" => "that there were none, and what would be shown",
        "replay" if contents.events.is_some() => "the run at work, event by event",
        "replay" => "how to see the run event by event",
        "tables" => "all numbers, to be sorted and filtered",
        "provenance" => "where this comes from, and how to make it again",
        _ => "",
    }
}

/// The entries of a list of the summary, with their paths.
fn entries<'a>(contents: &'a Contents, path: &str) -> Vec<(String, &'a Value)> {
    let list = contents.at(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().enumerate().map(|(nth, value)| (format!("{path}.{nth}"), value)).collect()
}

/// The entries of an object of the summary: their names and their paths.
fn members<'a>(contents: &'a Contents, path: &str) -> Vec<(&'a str, String, &'a Value)> {
    let object = contents.at(path).and_then(Value::as_object);
    let members = object.into_iter().flatten();
    members.map(|(key, value)| (key.as_str(), super::value::join(path, key), value)).collect()
}

/// The most rows of a table of the summary; all of them stand among the tables.
const MOST_ROWS: usize = 60;

/// The rows that a table of the summary has room for, and a sentence if there are more.
fn cut<T>(rows: Vec<T>) -> (Vec<T>, Markup) {
    let more = rows.len().saturating_sub(MOST_ROWS);
    let sentence =
        html! { @if more > 0 { p.soft { (more) " more are among the " a href="#tables" { "tables" } "." } } };
    (rows.into_iter().take(MOST_ROWS).collect(), sentence)
}

/// A value of an entry.
fn of(contents: &Contents, path: &str, key: &str, show: Show) -> Markup {
    shown(contents, &super::value::join(path, key), show)
}
