//! The tables of a study, and its page.

use std::fmt::Write as _;

use crate::diagnostics::legible_lines;
use crate::report::{README_MARK, Table, markdown};
use crate::scenario::Checked;
use crate::scenario::study::{Axis, Cell, Quantity};

use super::super::beside::{few, paper, paper_page, short};
use super::super::mapping::{MapReport, measured_ms};
use super::{Results, StudyReport};
use crate::numbers::{cell as maybe, exact as number};

/// Every table that has rows: name and contents.
pub(super) fn all(results: &Results<'_>, report: &StudyReport) -> Vec<(String, String)> {
    let mut files = vec![("mappings.csv".to_owned(), mappings(results))];
    if results.cells.iter().any(|outcomes| outcomes.runs.len() > 1) {
        files.push(("runs.csv".to_owned(), runs(results)));
    }
    if results.study.figures.iter().any(|plot| plot.x == Axis::Explorations) {
        files.push(("growth.csv".to_owned(), growth(results)));
    }
    if !report.paper.is_empty() {
        files.push(("paper.csv".to_owned(), paper(&report.paper)));
    }
    files
}

const KEY: [&str; 5] = ["network", "variant", "answering", "retries", "load_flits_per_cycle_per_host"];

/// What begins a row: the cell.
fn key(results: &Results<'_>, cell: Cell) -> [String; 5] {
    let study = results.study;
    let mapping = study.mapping(cell);
    let network = &study.networks[cell.network];
    let cabled = network.topology.attachments.iter().flatten().count();
    let answering = mapping.silence.answering.map_or(cabled, |count| count as usize);
    [
        network.name.clone(),
        study.names[cell.variant].clone(),
        answering.saturating_sub(mapping.silence.hosts.len()).to_string(),
        mapping.brief.retries.to_string(),
        number(mapping.load.unwrap_or(0.0)),
    ]
}

/// The quantities of `mappings.csv`, means over the runs of a cell.
const MEANS: [(&str, Quantity); 17] = [
    ("hosts", Quantity::Hosts),
    ("switches", Quantity::Switches),
    ("links", Quantity::Links),
    ("turns_host_hits", Quantity::HostHits),
    ("turns_switch_hits", Quantity::SwitchHits),
    ("turns_nothing", Quantity::Nothing),
    ("probes_as_printed", Quantity::Probes),
    ("sent", Quantity::Sent),
    ("sent_host", Quantity::SentHost),
    ("sent_switch", Quantity::SentSwitch),
    ("sent_loop", Quantity::SentLoop),
    ("sent_compare", Quantity::SentCompare),
    ("sent_scout", Quantity::SentScout),
    ("sent_guard", Quantity::SentGuard),
    ("explorations", Quantity::Explorations),
    ("peak_nodes", Quantity::PeakNodes),
    ("peak_memory_bytes", Quantity::PeakMemory),
];

/// A row a cell.
fn mappings(results: &Results<'_>) -> String {
    let counts =
        ["runs", "right_and_sure", "right_and_unsure", "wrong_and_sure", "wrong_and_unsure"].into_iter();
    let times = ["time_min_ms", "time_mean_ms", "time_max_ms"];
    let columns = KEY.into_iter().chain(counts).chain(times).chain(MEANS.map(|(name, _)| name));
    let mut table = Table::new(&columns.collect::<Vec<_>>());
    for outcomes in &results.cells {
        let counts = [(true, true), (true, false), (false, true), (false, false)];
        let counts = counts.map(|(right, sure)| outcomes.count(right, sure).to_string());
        let time = results.spread(outcomes.cell, Quantity::Time);
        let times = [time.map(|t| t.min), time.map(|t| t.mean), time.map(|t| t.max)].map(maybe);
        let means = MEANS.map(|(_, quantity)| maybe(outcomes.mean(quantity)));
        let runs = [outcomes.runs.len().to_string()];
        let key = key(results, outcomes.cell).into_iter();
        table.row(key.chain(runs).chain(counts).chain(times).chain(means));
    }
    table.into_csv()
}

/// A row a run.
fn runs(results: &Results<'_>) -> String {
    let own = ["run", "isomorphic", "doubts", "sent", "explorations", "time_ms"];
    let mut table = Table::new(&KEY.into_iter().chain(own).collect::<Vec<_>>());
    for outcomes in &results.cells {
        for (nth, run) in outcomes.runs.iter().enumerate() {
            let MapReport { isomorphic, doubts, probes, explorations, time_ms, .. } = &run.report;
            let sent: u64 = probes.values().map(|count| count.sent).sum();
            let own = [
                nth.to_string(),
                isomorphic.to_string(),
                doubts.join(" "),
                sent.to_string(),
                explorations.to_string(),
                maybe(measured_ms(*time_ms)),
            ];
            table.row(key(results, outcomes.cell).into_iter().chain(own));
        }
    }
    table.into_csv()
}

/// The model after each exploration, of the first run of every cell.
fn growth(results: &Results<'_>) -> String {
    let own = ["exploration", "nodes", "edges", "frontier"];
    let mut table = Table::new(&KEY.into_iter().chain(own).collect::<Vec<_>>());
    for outcomes in &results.cells {
        let history = outcomes.runs.first().map(|run| run.history.as_slice()).unwrap_or_default();
        for (nth, growth) in history.iter().enumerate() {
            let own = [nth as u64 + 1, growth.nodes, growth.edges, growth.frontier];
            table.row(key(results, outcomes.cell).into_iter().chain(own.map(|value| value.to_string())));
        }
    }
    table.into_csv()
}

/// The page of the folder: what stands in it, what made it, and the printed numbers beside ours.
pub(super) fn readme(
    checked: &Checked,
    results: &Results<'_>,
    report: &StudyReport,
    files: &[(String, String)],
) -> String {
    let study = results.study;
    let mut text = format!("{README_MARK}\n# {}\n\n", checked.name);
    if let Some(description) = &checked.description {
        let _ = writeln!(text, "{}\n", legible_lines(description));
    }
    let networks: Vec<&str> = study.networks.iter().map(|network| network.name.as_str()).collect();
    let variants = study.names.iter().map(|name| markdown(name)).collect::<Vec<_>>().join(", ");
    let (name, seed) = (&checked.name, checked.seed);
    let _ = writeln!(
        text,
        "Made by `simnet run` of the scenario `{name}` (seed {seed}): {variants}, on {}.\n",
        few(&networks)
    );
    if networks.iter().any(|name| name.starts_with("now-")) {
        text.push_str(RECONSTRUCTION);
    }
    for (name, _) in files {
        let _ = writeln!(text, "* `{name}`: {}", about(name));
    }
    text += &overview(results);
    text += &paper_page(&report.paper);
    text
}

const RECONSTRUCTION: &str = "The now networks are reconstructions: the paper prints their wiring as pictures \
                              only, and which port a cable is in was chosen by the counts of Fig. 6.\n\n";

/// Cells in a page: more are left to the table.
const MOST_ROWS: usize = 60;

/// The cells at a glance.
fn overview(results: &Results<'_>) -> String {
    if results.cells.len() > MOST_ROWS {
        return String::new();
    }
    let header =
        "| network | variant | answering | retries | load | true maps | sure and wrong | messages | ms |";
    let mut text = format!("\n{header}\n|---|---|---|---|---|---|---|---|---|\n");
    for outcomes in &results.cells {
        let [network, variant, answering, retries, load] =
            key(results, outcomes.cell).map(|name| markdown(&name));
        let none = || "-".to_owned();
        let _ = writeln!(
            text,
            "| {network} | {variant} | {answering} | {retries} | {load} | {} of {} | {} | {} | {} |",
            outcomes.count(true, true) + outcomes.count(true, false),
            outcomes.runs.len(),
            outcomes.count(false, true),
            outcomes.mean(Quantity::Sent).map_or_else(none, short),
            outcomes.mean(Quantity::Time).map_or_else(none, short),
        );
    }
    text
}

/// What a file of a study holds, in a sentence.
fn about(name: &str) -> &'static str {
    match name {
        "mappings.csv" => "every cell: how often the map was true, times, and means over its runs",
        "runs.csv" => "every run of every cell",
        "growth.csv" => "the model after each exploration, in the first run of every cell",
        "paper.csv" => "the printed numbers, ours, and the deviation",
        map if map.starts_with("map-") => "the mapper's own map, drawn",
        _ => "a figure; hollow marks: not every run had a true map",
    }
}
