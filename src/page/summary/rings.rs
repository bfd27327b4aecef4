//! Logical rings on trees: whether neighbours' paths share a cable, and how long they are.

use maud::{Markup, html};
use serde_json::Value;

use crate::numbers;
use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::Show;

use super::{Told, cut, entries, of};

pub(super) fn told(contents: &Contents) -> Option<Told> {
    contents.at("rings")?;
    let (own, clusters) = (entries(contents, "rings.network"), entries(contents, "rings.clusters"));
    let total =
        |key: &str| clusters.iter().filter_map(|(_, row)| row[key].as_u64()).fold(0, u64::saturating_add);
    let free = own.iter().filter(|(_, ring)| ring["contention_free"] == Value::Bool(true)).count();
    let mut sentences = Vec::new();
    if !own.is_empty() {
        sentences.push(html! {
            "Of " (numbers::count(own.len(), "ring")) " of the scenario's own network, " (free)
            " are free of contention: no two neighbours' paths share a cable in one direction."
        });
    }
    if !clusters.is_empty() {
        sentences.push(html! {
            "On " (total("clusters")) " random clusters " (total("rings")) " rings exist; " (total("contention_free"))
            " of them are free of contention."
        });
    }
    let mut notices = Vec::new();
    let refused = own.iter().filter(|(_, ring)| ring["refused"].is_string()).count();
    if refused > 0 {
        notices.push((Grade::Warn, html! { (refused) " rings cannot exist; the table says why." }));
    }
    let body =
        html! { h3 { "Ring by ring" } (own_table(contents, &own)) (cluster_table(contents, &clusters)) };
    let kind = Some("logical rings".to_owned());
    Some(Told { kind, sentences, notices, body, ..Told::default() })
}

fn own_table(contents: &Contents, rings: &[(String, &Value)]) -> Markup {
    if rings.is_empty() {
        return html! {};
    }
    let columns = [
        words("Tree"),
        words("Algorithm"),
        numbers("Longest path", "switches"),
        words("Free of contention"),
        words("Machines in order"),
    ];
    let row = |(path, ring): &(String, &Value)| {
        let hosts = ring["hosts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let order: Vec<&str> = hosts.iter().take(24).filter_map(Value::as_str).collect();
        let order = match ring["refused"].as_str() {
            Some(why) => html! { span.warn { bdi { (why) } } },
            None => html! { (name(&order.join(" "))) @if hosts.len() > order.len() { " …" } },
        };
        let words = |key: &str| of(contents, path, key, Show::Number);
        vec![words("tree"), words("algorithm"), words("max_path_length"), words("contention_free"), order]
    };
    grid("Rings of the scenario's own network", &columns, &rings.iter().map(row).collect::<Vec<_>>())
}

fn cluster_table(contents: &Contents, clusters: &[(String, &Value)]) -> Markup {
    if clusters.is_empty() {
        return html! {};
    }
    let columns = [
        words("Family"),
        numbers("Machines", ""),
        words("Tree"),
        words("Algorithm"),
        numbers("Clusters", ""),
        numbers("Rings", ""),
        numbers("Free of contention", ""),
        numbers("Longest path", "mean, switches"),
    ];
    let (clusters, more) = cut(clusters.iter().collect());
    let row = |(path, _): &&(String, &Value)| {
        let value = |key: &str| of(contents, path, key, Show::Number);
        vec![
            value("family"),
            value("machines"),
            value("tree"),
            value("algorithm"),
            value("clusters"),
            value("rings"),
            value("contention_free"),
            of(contents, path, "max_path_length_mean", Show::Number),
        ]
    };
    let rows: Vec<Vec<Markup>> = clusters.iter().map(row).collect();
    html! { (grid("Rings of random clusters", &columns, &rows)) (more) }
}
