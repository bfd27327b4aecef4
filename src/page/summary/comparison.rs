//! A comparison of routings over many random networks.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, join, shown};

use super::{Told, members, of};

pub(super) fn told(contents: &Contents) -> Option<Told> {
    contents.at("comparison")?;
    let sizes = members(contents, "comparison.sizes");
    let runs: u64 = sizes
        .iter()
        .map(|(_, path, size)| {
            let routings = members(contents, &join(path, "routings")).len() as u64;
            size["networks"].as_u64().unwrap_or(0).saturating_mul(routings)
        })
        .fold(0, u64::saturating_add);
    let base = contents.text("comparison.base").unwrap_or_default();
    let sentences = sizes.iter().map(|(size, path, _)| best(contents, size, path, base)).collect();
    let body = html! {
        h3 { "Routings, size by size" }
        p { "Means over random networks. Distance is in cables between switches; crossing paths, restrictions and the \
             busiest channel are the metrics of Sancho and Robles 2000; gains are over " (name(base)) "." }
        @for (size, path, value) in &sizes { (table(contents, size, path, value, base)) }
    };
    let notices = vec![(
        Grade::Good,
        html! {
            "every number is a mean over random networks; the least and the greatest beside a gain show how much \
             networks differ."
        },
    )];
    let kind = format!("a comparison of routings, {runs} runs");
    Some(Told { kind: Some(kind), sentences, notices, body, ..Told::default() })
}

/// The routing that accepts most at this size.
fn best(contents: &Contents, size: &str, path: &str, base: &str) -> Markup {
    let routings = members(contents, &join(path, "routings"));
    let throughput = |routing: &Value| routing["throughput_flits_per_cycle_per_host"]["mean"].as_f64();
    let judged = routings.iter().filter_map(|(who, path, routing)| Some((throughput(routing)?, *who, path)));
    let networks = of(contents, path, "networks", Show::Number);
    match judged.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, who, at)) => {
            let gain = join(&join(&join(at, "over"), base), "throughput.mean");
            let gain = gain.replace("throughput\\.mean", "throughput.mean");
            html! {
                "On " (networks) " networks of " (size) " switches, " (name(who)) " accepts most: "
                (shown(contents, &format!("{at}.throughput_flits_per_cycle_per_host.mean"), Show::Number))
                " payload flits per cycle and host"
                @if who != base && contents.at(&gain).is_some() {
                    ", " (shown(contents, &gain, Show::Number)) " times what " (name(base)) " does"
                }
                "."
            }
        }
        None => {
            html! { "The routes of " (networks) " networks of " (size) " switches were measured, without traffic." }
        }
    }
}

fn table(contents: &Contents, size: &str, path: &str, value: &Value, base: &str) -> Markup {
    let columns = [
        words("Routing"),
        numbers("Distance", ""),
        numbers("Crossing paths", ""),
        numbers("Restrictions", "a switch"),
        numbers("Busiest channel", "routes"),
        numbers("Throughput", "flits/cycle/host"),
        numbers("Gain", "mean"),
        numbers("least", ""),
        numbers("greatest", ""),
        numbers("With cycles", "networks"),
    ];
    let row = |(who, path, _): &(&str, String, &Value)| {
        let mean = |key: &str| shown(contents, &format!("{path}.{key}.mean"), Show::Number);
        let over = join(&format!("{path}.over"), base);
        let gain = |key: &str| shown(contents, &format!("{over}.throughput.{key}"), Show::Number);
        vec![
            name(who),
            mean("switch_mean_distance"),
            mean("crossing_paths"),
            mean("restrictions_per_switch"),
            mean("max_channel_load"),
            mean("throughput_flits_per_cycle_per_host"),
            gain("mean"),
            gain("min"),
            gain("max"),
            of(contents, path, "cyclic", Show::Number),
        ]
    };
    let rows: Vec<Vec<Markup>> = members(contents, &join(path, "routings")).iter().map(row).collect();
    let networks = value["networks"].as_u64().unwrap_or(0);
    grid(&format!("{networks} networks of {size} switches"), &columns, &rows)
}
