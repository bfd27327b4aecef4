//! The mapper's work: what it found and whether it is right, and its model growing step by step.
//!
//! ```text
//!   growth-steps.csv ──film──▶ lives of vertices and cables ──layout──▶ places ──▶ the page ──▶ mapping.js
//! ```

mod curve;
mod film;
mod layout;
mod paper;
mod words;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::value::{Show, shown};
use super::{Contents, Section};
use simnet_base::numbers;
use simnet_media::host::mapper::model::Place;

use film::{EVENTS, Film, Span};

const SCRIPT: &str = include_str!("assets/mapping.js");
const STYLE: &str = include_str!("assets/mapping.css");

/// The section of a run with a map.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    contents.at("map.algorithm")?;
    let film = contents.tables.get("growth-steps").map(|table| {
        let (film, complaint) = Film::of(table, contents.thrifty(film::MOST_STEPS));
        complaint.into_iter().for_each(|complaint| contents.complain(complaint));
        film
    });
    let film = film.filter(|film| !film.vertices.is_empty());
    let body = html! {
        (words::lead(contents, film.as_ref().and_then(Film::mapper)))
        @if let Some(film) = &film { (growth(film, contents)) }
        h3 { "What it asked, and what got lost" }
        (words::losses(contents))
        (words::around(contents))
        div.cols {
            (messages(contents))
            (comparisons(contents))
            (sensitivity(contents))
        }
    };
    let data = film.as_ref().map(data);
    let script = data.is_some().then_some(SCRIPT);
    Some(Section { id: "mapping", title: "Mapping", body, data, script, style: Some(STYLE) })
}

/// The curves and the model itself.
fn growth(film: &Film, contents: &Contents) -> Markup {
    let left_out = contents.tables.get("growth-steps").map_or(0, |table| table.rows.len() - film.rows.len());
    let merges = film.rows.iter().filter(|row| EVENTS[row.event] == "merged").count();
    html! {
        h3 #mapping-growth { "How its model grew" }
        div #mapping-player {
            p.soft { "With scripts, the model is drawn here, step by step." }
        }
        p {
            "Every answer adds to the mapper's model of the network. "
            @if merges > 0 {
                "It cannot tell at once whether a switch that answers is one that it knows: the same switch may stand \
                 in the model many times, as vertices that are merged when a host, or a cable that is known, betrays \
                 them."
            } @else {
                "This mapper asks first whether a switch that answers is one that it knows, so no switch stands in its \
                 model twice."
            }
        }
        figure {
            div.tools #mapping-by {}
            (curve::draw(film))
            figcaption {
                "Vertices are hosts and switches, among them those that will be found to be one; merged are those that \
                 have been. " span.when-scripted { "Point at the curve to go to a step." }
            }
        }
        p.soft {
            @if left_out > 0 {
                "The drawing shows the first " (numbers::count(film.rows.len(), "step")) "; "
                (numbers::number(left_out as f64, 4)) " more are in the table. "
            }
            "The same as a table: growth-steps.csv, under " a href="#tables" { "Tables" } "."
        }
    }
}

/// The messages by kind.
fn messages(contents: &Contents) -> Markup {
    const KINDS: [(&str, &str); 6] = [
        ("host", "which host is there?"),
        ("switch", "is there a switch?"),
        ("loop", "does this cable lead back?"),
        ("compare", "are these two one switch?"),
        ("scout", "is there a switch? A guard follows."),
        ("guard", "is the way still good?"),
    ];
    let count = |kind: &str, what: &str| contents.number(&format!("map.probes.{kind}.{what}")).unwrap_or(0.0);
    html! {
        div.card {
            h4 { "Messages" }
            div.scroll { table {
                caption { "Messages sent and answered in time, by kind" }
                thead { tr {
                    th scope="col" { "Kind" } th.num scope="col" { "Sent" } th.num scope="col" { "Answered" }
                    th.num scope="col" { "Share" }
                } }
                tbody { @for (kind, question) in KINDS.iter().filter(|(kind, _)| count(kind, "sent") > 0.0) { tr {
                    th scope="row" { (kind) br; small { (question) } }
                    td.num { (shown(contents, &format!("map.probes.{kind}.sent"), Show::Number)) }
                    td.num { (shown(contents, &format!("map.probes.{kind}.hits"), Show::Number)) }
                    td.num { (Show::Share.text(count(kind, "hits") / count(kind, "sent"))) }
                } } }
            } }
            p {
                (shown(contents, "map.explorations", Show::Number))
                " times it asked the ports of a switch. At its largest the model took "
                (words::bytes(contents, "map.peak_memory_bytes")) " of a firmware's memory."
            }
        }
    }
}

/// Compares ours with the papers' numbers.
fn comparisons(contents: &Contents) -> Markup {
    let rows = paper::comparisons(contents);
    let source = rows.first().map_or("", |row| row.source);
    let value = |value: f64, is_time: bool| {
        if is_time { numbers::time(value * 1e6) } else { numbers::number(value, 4) }
    };
    html! {
        @if !rows.is_empty() {
            div.card {
                h4 { "Beside the paper" }
                div.scroll { table {
                    caption { "What " (source) " prints of this network and algorithm" }
                    thead { tr {
                        th scope="col" { "Number" } th.num scope="col" { "Paper" } th.num scope="col" { "Here" }
                        th.num scope="col" { "Differs by" }
                    } }
                    tbody { @for row in &rows { tr {
                        th scope="row" { (row.what) " " small { (row.place) } }
                        td.num { (value(row.paper, row.is_time)) }
                        td.num { (value(row.ours, row.is_time)) }
                        td.num { (signed((row.ours / row.paper - 1.0) * 100.0)) }
                    } } }
                } }
                p.soft { "The networks are reconstructions: the papers print their wiring as pictures only." }
            }
        }
    }
}

/// Per cent with a sign.
fn signed(percent: f64) -> String {
    let sign = if percent >= 0.05 {
        "+"
    } else if percent <= -0.05 {
        "−"
    } else {
        ""
    };
    format!("{sign}{:.1} %", percent.abs())
}

/// The mapping time at other routing latencies.
fn sensitivity(contents: &Contents) -> Markup {
    let rows = contents.at("map.sensitivity").and_then(Value::as_array).map_or(0, Vec::len);
    html! {
        @if rows > 0 {
            div.card {
                h4 { "With other switches" }
                div.scroll { table {
                    caption { "The mapping time where a switch takes another time to route" }
                    thead { tr { th.num scope="col" { "Routing latency" } th.num scope="col" { "Mapping time" } } }
                    tbody { @for nth in 0..rows { tr {
                        td.num { (shown(contents, &format!("map.sensitivity.{nth}.routing_latency_ns"), Show::Ns)) }
                        td.num { (shown(contents, &format!("map.sensitivity.{nth}.time_ms"), Show::Ms)) }
                    } } }
                } }
            }
        }
    }
}

/// What the script draws: columns of numbers, a step or a vertex a place; -1 where there is none.
fn data(film: &Film) -> Value {
    let step = |of: Option<usize>| of.map_or(-1, |of| i64::try_from(of).unwrap_or(-1));
    let place = |of: Option<Place>| of.map_or((-1, 0), |of| (step(Some(of.vertex)), of.port));
    let rows = &film.rows;
    let near: Vec<_> = rows.iter().map(|row| place(row.near)).collect();
    let far: Vec<_> = rows.iter().map(|row| place(row.far)).collect();
    let doubts: std::collections::BTreeMap<usize, String> = (rows.iter().enumerate())
        .filter(|(_, row)| EVENTS[row.event] == "doubted")
        .map(|(nth, row)| {
            (
                nth,
                words::meaning(&row.name)
                    .map_or_else(|| row.name.clone(), |words| format!("{}: {words}", row.name)),
            )
        })
        .collect();
    let lives = &film.vertices;
    let names: std::collections::BTreeMap<usize, &str> =
        lives.iter().enumerate().filter_map(|(nth, life)| Some((nth, life.host.as_deref()?))).collect();
    let (x, y): (Vec<i64>, Vec<i64>) = layout::places(film).into_iter().unzip();
    json!({
        "events": EVENTS,
        "curve": curve::scale(film),
        "steps": {
            "time_ns": rows.iter().map(|row| row.time_ns.round()).collect::<Vec<_>>(),
            "probes": rows.iter().map(|row| row.probes).collect::<Vec<_>>(),
            "event": rows.iter().map(|row| row.event).collect::<Vec<_>>(),
            "near": near.iter().map(|near| near.0).collect::<Vec<_>>(),
            "near_port": near.iter().map(|near| near.1).collect::<Vec<_>>(),
            "far": far.iter().map(|far| far.0).collect::<Vec<_>>(),
            "far_port": far.iter().map(|far| far.1).collect::<Vec<_>>(),
            "hosts": rows.iter().map(|row| row.sizes[0]).collect::<Vec<_>>(),
            "switches": rows.iter().map(|row| row.sizes[1]).collect::<Vec<_>>(),
            "cables": rows.iter().map(|row| row.sizes[2]).collect::<Vec<_>>(),
            "merged": rows.iter().map(|row| row.sizes[3]).collect::<Vec<_>>(),
        },
        "doubts": doubts,
        "names": names,
        "vertices": {
            "x": x, "y": y,
            "made": lives.iter().map(|life| life.made).collect::<Vec<_>>(),
            "gone": lives.iter().map(|life| step(life.gone)).collect::<Vec<_>>(),
            "into": lives.iter().map(|life| step(life.into)).collect::<Vec<_>>(),
            "explored": lives.iter().map(|life| step(life.explored)).collect::<Vec<_>>(),
            "home": lives.iter().map(|life| life.home).collect::<Vec<_>>(),
        },
        "cables": spans(&film.cables),
        "stubs": spans(&film.stubs),
    })
}

fn spans(spans: &[Span]) -> Value {
    let step = |of: Option<usize>| of.map_or(-1, |of| i64::try_from(of).unwrap_or(-1));
    json!({
        "a": spans.iter().map(|span| span.a).collect::<Vec<_>>(),
        "b": spans.iter().map(|span| step(span.b)).collect::<Vec<_>>(),
        "from": spans.iter().map(|span| span.from).collect::<Vec<_>>(),
        "to": spans.iter().map(|span| step(span.to)).collect::<Vec<_>>(),
    })
}
