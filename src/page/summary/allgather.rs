//! All-gathers: how long they took, against the bound, and whether every machine got everything.

use maud::{Markup, html};
use serde_json::Value;

use crate::numbers;
use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{Told, cut, entries, of};

pub(super) fn told(contents: &Contents) -> Option<Told> {
    contents.at("allgather")?;
    let results = entries(contents, "allgather.results");
    let time = |result: &Value| result["time_mean_ms"].as_f64();
    let timed = || results.iter().filter_map(|(path, result)| Some((time(result)?, path, *result)));
    let mut sentences = Vec::new();
    let efficient =
        results.iter().filter_map(|(path, result)| Some((result["efficiency"].as_f64()?, path, result)));
    if let Some((_, path, result)) = efficient.max_by(|a, b| a.0.total_cmp(&b.0)) {
        sentences.push(html! {
            (numbers::count(results.len(), "all-gather")) ": machines exchange their data until every one has all \
                of it. The one \
             nearest to its bound is " (name(result["id"].as_str().unwrap_or_default())) ": "
            (of(contents, path, "time_mean_ms", Show::Ms)) " against at least " (of(contents, path, "bound_ms",
                Show::Ms))
            " (efficiency " (of(contents, path, "efficiency", Show::Number)) ")."
        });
    }
    if let Some((_, path, result)) = timed().max_by(|a, b| a.0.total_cmp(&b.0)) {
        sentences.push(html! {
            "The longest is " (name(result["id"].as_str().unwrap_or_default())) " with "
            (of(contents, path, "time_mean_ms", Show::Ms)) "."
        });
    }
    let body = html! { h3 { "All-gather by all-gather" } (table(contents, &results)) };
    let kind = numbers::count(results.len(), "all-gather");
    Some(Told { kind: Some(kind), sentences, notices: notices(contents, &results), body, ..Told::default() })
}

fn notices(contents: &Contents, results: &[(String, &Value)]) -> Vec<(Grade, Markup)> {
    let total = |key: &str| {
        results.iter().filter_map(|(_, result)| result[key].as_u64()).fold(0, u64::saturating_add)
    };
    let mut notices = Vec::new();
    let all_right = contents.at("allgather.all_right").and_then(Value::as_bool);
    let verdict = shown(contents, "allgather.all_right", Show::Number);
    match all_right {
        Some(true) => notices.push((Grade::Good, html! {
            "every machine ended with everybody's data, byte by byte (all right: " (verdict) ")."
        })),
        Some(false) => notices.push((Grade::Bad, html! {
            (total("buffers_wrong")) " buffers are wrong and " (total("buffers_missing")) " were never filled \
                (all right: "
            (verdict) ")."
        })),
        None => {}
    }
    let refused = results.iter().filter(|(_, result)| result["refused"].is_string()).count();
    if refused > 0 {
        notices.push((Grade::Warn, html! { (refused) " could not be run at all; the table says why." }));
    }
    if total("stuck_ranks") > 0 {
        notices.push((Grade::Bad, html! { (total("stuck_ranks")) " ranks never ended." }));
    }
    if total("frames_dropped") > 0 {
        notices.push((Grade::Warn, html! {
            (total("frames_dropped")) " frames were dropped by full switches; what TCP sent again is in the times."
        }));
    }
    notices
}

fn table(contents: &Contents, results: &[(String, &Value)]) -> Markup {
    let columns = [
        words("All-gather"),
        words("Ran"),
        numbers("Machines", ""),
        numbers("Size", "bytes"),
        numbers("Time", "mean"),
        numbers("least", ""),
        numbers("greatest", ""),
        numbers("Bound", ""),
        numbers("Efficiency", ""),
        numbers("Dropped", "frames"),
        words("Contention"),
    ];
    let (results, more) = cut(results.iter().collect());
    let row = |(path, result): &&(String, &Value)| {
        let number = |key: &str| of(contents, path, key, Show::Number);
        let time = |key: &str| of(contents, path, key, Show::Ms);
        let contention = match (result["refused"].as_str(), result["contention_free"].as_bool()) {
            (Some(why), _) => html! { span.warn { "refused: " bdi { (why) } } },
            (_, Some(true)) => html! { span.good { "none" } },
            (_, Some(false)) => html! { span.warn { "yes" } },
            _ => html! { "–" },
        };
        vec![
            name(result["id"].as_str().unwrap_or_default()),
            number("ran"),
            number("machines"),
            number("size_bytes"),
            time("time_mean_ms"),
            time("time_min_ms"),
            time("time_max_ms"),
            time("bound_ms"),
            number("efficiency"),
            number("frames_dropped"),
            contention,
        ]
    };
    let rows: Vec<Vec<Markup>> = results.iter().map(row).collect();
    html! { (grid("All-gathers; the bound is what the slowest cable needs", &columns, &rows)) (more) }
}
