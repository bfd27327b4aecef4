//! A study of mappings: algorithms, networks and loads, each several times.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{Told, cut, entries, members, of};

/// A cell: the network, the algorithm, its path, itself.
type Cell<'a> = (&'a str, &'a str, String, &'a Value);

pub(super) fn told(contents: &Contents) -> Option<Told> {
    contents.at("study")?;
    let networks = members(contents, "study.networks");
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for (network, path, _) in &networks {
        for (who, path, _) in members(contents, path) {
            cells
                .extend(entries(contents, &path).into_iter().map(|(path, cell)| (*network, who, path, cell)));
        }
    }
    let total =
        |key: &str| cells.iter().filter_map(|(.., cell)| cell[key].as_u64()).fold(0, u64::saturating_add);
    let (runs, right) = (total("runs"), total("right_and_sure") + total("right_and_unsure"));
    let (deceived, unsure) = (total("wrong_and_sure"), total("wrong_and_unsure"));
    let mut sentences = vec![html! {
        "Of " (runs) " mappings " (right) " ended with a true map, " (unsure) " with a wrong one of which the \
            mapper was \
         not sure, and " (deceived) " with a wrong one of which it was."
    }];
    sentences.extend(networks.iter().filter_map(|(network, path, _)| fastest(contents, network, path)));
    let mut notices = Vec::new();
    if deceived > 0 {
        notices.push((
            Grade::Bad,
            html! { (deceived) " mappings were wrong although the mapper was sure of them." },
        ));
    } else if runs > 0 {
        notices.push((
            Grade::Good,
            html! { "no mapper was sure of a wrong map; every map was compared with the network." },
        ));
    }
    let body = html! { h3 { "Mapping by mapping" } (table(contents, &cells)) };
    let kind = format!("a study of {runs} mappings");
    Some(Told { kind: Some(kind), sentences, notices, body, ..Told::default() })
}

/// Who maps a network fastest, where several do and the conditions are the same.
fn fastest(contents: &Contents, network: &str, path: &str) -> Option<Markup> {
    let algorithms = members(contents, path);
    let judged = algorithms.iter().filter_map(|(who, path, cells)| {
        let time = cells.get(0)?["time_ms"]["mean"].as_f64()?;
        Some((time, *who, format!("{path}.0.time_ms.mean")))
    });
    let (_, who, path) = judged.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(html! {
        "On " (name(network)) " "
        @if algorithms.len() > 1 { (name(who)) " is the fastest of " (algorithms.len()) ": " } @else { "mapping \
            takes " }
        (shown(contents, &path, Show::Ms)) " on average."
    })
}

fn table(contents: &Contents, cells: &[Cell<'_>]) -> Markup {
    let columns = [
        words("Network"),
        words("Mapper"),
        numbers("Load", "flits/cycle/host"),
        numbers("Tries again", ""),
        numbers("Runs", ""),
        numbers("True and sure", ""),
        numbers("True, unsure", ""),
        numbers("Wrong, unsure", ""),
        numbers("Wrong, sure", ""),
        numbers("Time", "mean"),
        numbers("least", ""),
        numbers("greatest", ""),
        numbers("Messages", "mean"),
    ];
    let (cells, more) = cut(cells.iter().collect());
    let row = |(network, who, path, _): &&Cell<'_>| {
        let number = |key: &str| of(contents, path, key, Show::Number);
        let time = |key: &str| shown(contents, &format!("{path}.time_ms.{key}"), Show::Ms);
        vec![
            name(network),
            name(who),
            number("load"),
            number("retries"),
            number("runs"),
            number("right_and_sure"),
            number("right_and_unsure"),
            number("wrong_and_unsure"),
            number("wrong_and_sure"),
            time("mean"),
            time("min"),
            time("max"),
            shown(contents, &format!("{path}.sent.mean"), Show::Number),
        ]
    };
    let rows: Vec<Vec<Markup>> = cells.iter().map(row).collect();
    html! { (grid("Maps by network, mapper and conditions; a map is true if it is the network that was there",
    &columns, &rows)) (more) }
}
