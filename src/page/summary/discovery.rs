//! Discoveries: the switches behind round-trip times, measured and inferred.

use maud::{Markup, html};
use serde_json::Value;

use crate::numbers;
use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{Told, cut, entries, of};

pub(super) fn told(contents: &Contents) -> Option<Told> {
    contents.at("discovery")?;
    let results = entries(contents, "discovery.results");
    let measurements = entries(contents, "discovery.measurements");
    let total =
        |key: &str| results.iter().filter_map(|(_, row)| row[key].as_u64()).fold(0, u64::saturating_add);
    let (right, tried) = (total("recovered"), total("executions"));
    let sentences = vec![html! {
        "From the round-trip times between machines, " (right) " of " (tried)
        " inferences found the switches that were there, by " (numbers::count(results.len(), "combination"))
        " of cluster, rate and method."
    }];
    let grade = if right == tried { Grade::Good } else { Grade::Warn };
    let notices = vec![(
        grade,
        html! {
            "every inferred tree was compared with the one that was there: all recovered is "
            (shown(contents, "discovery.all_recovered", Show::Number)) "."
        },
    )];
    let body = html! {
        h3 { "What was measured" }
        (measured(contents, &measurements))
        h3 { "What was inferred" }
        (inferred(contents, &results))
    };
    let kind = numbers::count(measurements.len(), "discovery").replace("discoverys", "discoveries");
    Some(Told { kind: Some(kind), sentences, notices, body, ..Told::default() })
}

fn measured(contents: &Contents, measurements: &[(String, &Value)]) -> Markup {
    let columns = [
        words("Cluster"),
        numbers("Machines", ""),
        numbers("Switches", ""),
        numbers("Time", "s, mean"),
        numbers("least", ""),
        numbers("greatest", ""),
        numbers("Measuring", ""),
        numbers("Most samples", "a pair"),
        numbers("Lost", "messages"),
    ];
    let (measurements, more) = cut(measurements.iter().collect());
    let row = |(path, one): &&(String, &Value)| {
        let number = |key: &str| of(contents, path, key, Show::Number);
        let total = |key: &str| shown(contents, &format!("{path}.total_s.{key}"), Show::Number);
        vec![
            name(one["id"].as_str().unwrap_or_default()),
            number("machines"),
            number("switches"),
            total("mean"),
            total("min"),
            total("max"),
            of(contents, path, "rtt_share", Show::Share),
            number("samples_most"),
            number("messages_lost"),
        ]
    };
    let rows: Vec<Vec<Markup>> = measurements.iter().map(row).collect();
    html! { (grid("Measuring: how long it took, and the share of the time that went into round trips", &columns,
    &rows)) (more) }
}

fn inferred(contents: &Contents, results: &[(String, &Value)]) -> Markup {
    let columns = [
        words("Cluster and method"),
        numbers("Recovered", ""),
        numbers("of", "executions"),
        numbers("No tree fits", ""),
        numbers("Wrong pairs", "mean"),
        numbers("Greatest error", "hops"),
        numbers("Switches", ""),
    ];
    let (results, more) = cut(results.iter().collect());
    let row = |(path, one): &&(String, &Value)| {
        let number = |key: &str| of(contents, path, key, Show::Number);
        vec![
            name(one["id"].as_str().unwrap_or_default()),
            number("recovered"),
            number("executions"),
            number("without_tree"),
            number("wrong_pairs_mean"),
            number("hop_error_max"),
            number("switches"),
        ]
    };
    let rows: Vec<Vec<Markup>> = results.iter().map(row).collect();
    html! { (grid("Inferring: trees that are the one that was there", &columns, &rows)) (more) }
}
