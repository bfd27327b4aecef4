//! Histograms: how the latencies of messages were spread, at every load.
//!
//! # Scope and limitations
//! The cells of `latency_histograms.csv` are gathered into bars of equal width on the axis that is shown; a cell
//! belongs to the bar that its upper end lies in. Cells are exact to three digits.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::json;

use crate::report::{Axis, Chart, Layer, Mark, Style, Tip, draw_on_page};

use super::curves::{self, Choice, Plot};
use super::{Contents, Csv, Section};
use simnet_base::numbers;

/// Loads that are drawn; of more, some in between are left out.
const MOST_LOADS: usize = 20;
/// Bars of a histogram.
const BARS: usize = 44;
/// Points of a line of the chart of all loads: so many that they are drawn without marks.
const POINTS: usize = 64;
/// Where the hundredth message takes so many times as long as the median, latencies are shown on a logarithmic axis.
const WIDE: f64 = 8.0;
/// Lines of the chart of all loads.
const MOST_LINES: usize = 7;

/// The latencies of one load and kind: upper ends in nanoseconds with counts, ascending.
struct Spread {
    load: String,
    cells: Vec<(f64, u64)>,
}

/// The section, if latencies were measured.
pub(super) fn section(contents: &Contents) -> Option<Section> {
    let table = contents.tables.get("latency_histograms")?;
    let kinds = [("creation", "from creation"), ("network", "from the first flit on a cable")];
    let spreads: Vec<(&str, Vec<Spread>)> = kinds
        .iter()
        .map(|(kind, title)| (*title, read(table, kind)))
        .filter(|(_, all)| !all.is_empty())
        .collect();
    let spreads = aligned(spreads);
    let of = spreads.first().map_or(0, |(_, all)| all.len());
    let most = contents.thrifty(MOST_LOADS).max(1);
    let spreads: Vec<(&str, Vec<Spread>)> =
        spreads.into_iter().map(|(title, all)| (title, thinned(all, most))).collect();
    let (_, first) = spreads.first()?;
    let hot = contents.number("hot_spots_load");
    let shown = first.iter().position(|spread| spread.load.parse().ok() == hot).unwrap_or(0);
    let plots = [histogram(&spreads, shown), cumulative(&spreads)];
    let body = html! {
        p.lead { (lead(&first[shown])) }
        @if first.len() < of {
            p.notice { "Of " (of) " loads, " (first.len()) " are drawn here, so that this file stays small. All \
                numbers are in " code { "latency_histograms.csv" } "." }
        }
        @for (nth, plot) in plots.iter().enumerate() { (plot.markup(&format!("histograms-{nth}"))) }
    };
    let alone = !curves::exist(contents);
    Some(Section {
        id: "histograms",
        title: "Histograms",
        body,
        data: Some(json!({ "plots": plots.iter().map(Plot::data).collect::<Vec<_>>() })),
        // The page of curves brings both along.
        script: alone.then_some(curves::SCRIPT),
        style: alone.then_some(curves::STYLE),
    })
}

fn read(table: &Csv, kind: &str) -> Vec<Spread> {
    let mut all: Vec<Spread> = Vec::new();
    for row in table.rows.iter().filter(|row| table.cell(row, "kind") == Some(kind)) {
        let load = table.cell(row, "load").unwrap_or_default();
        let number = table.number(row, "up_to_latency_ns").filter(|ns| ns.is_finite());
        let count = table.cell(row, "messages").and_then(|cell| cell.parse().ok());
        let Some(cell) = number.zip(count) else { continue };
        match all.iter_mut().find(|spread| spread.load == load) {
            Some(spread) => spread.cells.push(cell),
            None => all.push(Spread { load: load.to_owned(), cells: vec![cell] }),
        }
    }
    for spread in &mut all {
        spread.cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

/// All kinds with the loads of the first, in its order.
fn aligned(mut spreads: Vec<(&str, Vec<Spread>)>) -> Vec<(&str, Vec<Spread>)> {
    let loads: Vec<String> =
        spreads.iter().take(1).flat_map(|(_, all)| all.iter().map(|spread| spread.load.clone())).collect();
    for (_, all) in spreads.iter_mut().skip(1) {
        let mut own: BTreeMap<String, Spread> =
            all.drain(..).map(|spread| (spread.load.clone(), spread)).collect();
        let of = |load: &String| {
            own.remove(load).unwrap_or_else(|| Spread { load: load.clone(), cells: Vec::new() })
        };
        *all = loads.iter().map(of).collect();
    }
    spreads
}

/// So many of all loads and the last one.
fn thinned(all: Vec<Spread>, most: usize) -> Vec<Spread> {
    let last = all.len().saturating_sub(1);
    let step = all.len().div_ceil(most).max(1);
    let kept = all.into_iter().enumerate().filter(|(nth, _)| nth % step == 0 || *nth == last);
    kept.map(|(_, spread)| spread).collect()
}

impl Spread {
    fn title(&self) -> String {
        if self.load.is_empty() { "the trace".to_owned() } else { format!("load {}", self.load) }
    }

    fn messages(&self) -> u64 {
        self.cells.iter().fold(0, |all, (_, count)| all.saturating_add(*count))
    }

    /// The end of the cell that this share of the messages does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = self.messages() as f64 * share;
        let mut seen = 0_u64;
        for (end, count) in &self.cells {
            seen = seen.saturating_add(*count);
            if seen as f64 >= wanted {
                return *end;
            }
        }
        self.cells.last().map_or(0.0, |(end, _)| *end)
    }

    fn ends(&self) -> (f64, f64) {
        (self.cells.first().map_or(1.0, |cell| cell.0), self.cells.last().map_or(1.0, |cell| cell.0))
    }

    /// The cells in bars: from, to, how many.
    fn bars(&self, log: bool, count: usize) -> Vec<(f64, f64, u64)> {
        let (low, high) = self.ends();
        let low = if log { low.max(1e-3) } else { low };
        let (low, high) = if high > low { (low, high) } else { (low * 0.9, low * 1.1 + 1.0) };
        let edge = |nth: usize| {
            let share = nth as f64 / count as f64;
            if log { low * libm::pow(high / low, share) } else { low + (high - low) * share }
        };
        let mut bars: Vec<(f64, f64, u64)> = (0..count).map(|nth| (edge(nth), edge(nth + 1), 0)).collect();
        for (end, count) in &self.cells {
            let place = bars.partition_point(|(_, to, _)| *to < *end).min(bars.len() - 1);
            bars[place].2 = bars[place].2.saturating_add(*count);
        }
        bars
    }
}

fn lead(spread: &Spread) -> Markup {
    html! {
        "Of " (numbers::number(spread.messages() as f64, 4)) " messages at " (spread.title()) ", half took at most "
        (numbers::time(spread.quantile(0.5)))
        ", and one in a hundred longer than " (numbers::time(spread.quantile(0.99))) "."
    }
}

/// One chart a kind, load and scale.
fn histogram(spreads: &[(&str, Vec<Spread>)], shown: usize) -> Plot {
    let mut charts = Vec::new();
    for (kind_nth, (kind, all)) in spreads.iter().enumerate() {
        for (load_nth, spread) in all.iter().enumerate() {
            for log in [false, true] {
                let name = format!("histogram-{kind_nth}-{load_nth}-{}", usize::from(log));
                charts.push(bars(spread, kind, log, &name));
            }
        }
    }
    let is_wide = spreads[0].1[shown].quantile(0.99) > WIDE * spreads[0].1[shown].quantile(0.5);
    let kinds = spreads.iter().map(|(kind, _)| format!("Latency {kind}")).collect();
    let loads = spreads
        .first()
        .map_or_else(Vec::new, |(_, all)| all.iter().map(|spread| spread.load.clone()).collect());
    Plot {
        title: "How latencies are spread".to_owned(),
        about: "Each bar is a span of latencies and the messages that took so long.".to_owned(),
        choices: vec![
            Choice { name: "Latency", options: kinds, buttons: false },
            Choice { name: "Load", options: loads, buttons: false },
            Choice {
                name: "Scale",
                options: vec!["linear".to_owned(), "logarithmic".to_owned()],
                buttons: true,
            },
        ],
        charts,
        first: 2 * shown + usize::from(is_wide),
        table: quantiles(spreads),
        found: String::new(),
    }
}

fn bars(spread: &Spread, kind: &str, log: bool, name: &str) -> String {
    let all = spread.messages().max(1) as f64;
    let (unit, scale) = unit(spread.ends().1);
    let (mut marks, mut tips, mut seen) = (Vec::new(), Vec::new(), 0);
    for (from, to, count) in spread.bars(log, BARS) {
        seen = count.saturating_add(seen);
        if count == 0 {
            continue;
        }
        let share = |count: u64| numbers::number(count as f64 / all * 100.0, 3);
        let words = format!(
            "{} to {}\n{} messages, {} %\n{} % took no longer",
            numbers::time(from),
            numbers::time(to),
            numbers::number(count as f64, 4),
            share(count),
            share(seen)
        );
        let (low, high) = (Some(from / scale), Some(to / scale));
        marks.push(Mark { x: from / scale, y: count as f64, low, high, hollow: false });
        tips.push(Tip { x: to.to_string(), y: count.to_string(), words });
    }
    let mut layers = vec![Layer { name: String::new(), style: Style::Columns, marks }];
    for (share, title) in [(0.5, "median"), (0.9, "90 %"), (0.99, "99 %")] {
        let at = Mark { x: spread.quantile(share) / scale, y: 0.0, ..Mark::default() };
        layers.push(Layer { name: title.to_owned(), style: Style::Rule, marks: vec![at] });
    }
    let label = format!("latency {kind} ({unit})");
    let x = if log { Axis::log(&label) } else { Axis::from_zero(&label) };
    let chart = Chart { x, y: Axis::from_zero("messages"), layers, ..Chart::default() };
    draw_on_page(&chart, name, &format!("Histogram of latency {kind} at {}", spread.title()), &[tips])
}

/// All loads together: the share of messages that took at most so long.
fn cumulative(spreads: &[(&str, Vec<Spread>)]) -> Plot {
    let mut charts = Vec::new();
    for (kind_nth, (kind, all)) in spreads.iter().enumerate() {
        let longest = all.iter().map(|spread| spread.ends().1).fold(0.0, f64::max);
        let (unit, scale) = unit(longest);
        let step = all.len().div_ceil(MOST_LINES).max(1);
        let (mut layers, mut tips) = (Vec::new(), Vec::new());
        for spread in all.iter().step_by(step) {
            let messages = spread.messages().max(1) as f64;
            let (mut marks, mut own_tips, mut seen) = (Vec::new(), Vec::new(), 0);
            for (_, to, count) in spread.bars(true, POINTS) {
                seen = count.saturating_add(seen);
                let y = seen as f64 / messages;
                marks.push(Mark { x: to / scale, y, ..Mark::default() });
                let words = format!(
                    "{}\n{} % took at most {}",
                    spread.title(),
                    numbers::number(y * 100.0, 4),
                    numbers::time(to)
                );
                own_tips.push(Tip { x: to.to_string(), y: y.to_string(), words });
            }
            layers.push(Layer { name: spread.title(), style: Style::Line, marks });
            tips.push(own_tips);
        }
        let x = Axis::log(&format!("latency {kind} ({unit})"));
        let chart = Chart { x, y: Axis::from_zero("share of messages"), layers, ..Chart::default() };
        let label = format!("Share of messages by latency {kind}, one line a load");
        charts.push(draw_on_page(&chart, &format!("cumulative-{kind_nth}"), &label, &tips));
    }
    let kinds = spreads.iter().map(|(kind, _)| format!("Latency {kind}")).collect();
    Plot {
        title: "All loads together".to_owned(),
        about:
            "The share of messages that took at most so long: the further right a line, the longer they took."
                .to_owned(),
        choices: vec![Choice { name: "Latency", options: kinds, buttons: false }],
        charts,
        first: 0,
        table: quantiles(spreads),
        found: String::new(),
    }
}

/// The unit in which times up to this are shown, in nanoseconds.
fn unit(longest: f64) -> (&'static str, f64) {
    match longest {
        ..2e3 => ("ns", 1.0),
        ..2e6 => ("µs", 1e3),
        ..2e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    }
}

/// What the histograms say, in numbers.
fn quantiles(spreads: &[(&str, Vec<Spread>)]) -> Markup {
    const SHARES: [f64; 6] = [0.1, 0.5, 0.9, 0.99, 0.999, 1.0];
    html! {
        div.scroll tabindex="0" role="region" aria-label="Quantiles of latency" {
            table {
                caption { "The latency that a share of the messages did not exceed" }
                thead {
                    tr {
                        th scope="col" { "Latency" }
                        th scope="col" { "Load" }
                        th.num scope="col" { "Messages" }
                        @for share in SHARES { th.num scope="col" { (numbers::number(share * 100.0, 4)) " %" } }
                    }
                }
                tbody {
                    @let rows = spreads.iter().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one)));
                    @for (kind, spread) in rows {
                        tr {
                            td { (kind) }
                            th scope="row" { bdi { (spread.load) } }
                            td.num { (numbers::number(spread.messages() as f64, 4)) }
                            @for share in SHARES { td.num { (numbers::time(spread.quantile(share))) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a message were lost between two bars or counted in both.
    #[test]
    fn bars_hold_every_message_once() {
        for cells in [vec![(10.0, 3), (11.0, 4), (500.0, 1)], vec![(7.0, 9)], vec![(0.0, 2), (0.5, 1)]] {
            let spread = Spread { load: String::new(), cells };
            for log in [false, true] {
                let bars = spread.bars(log, BARS);
                assert_eq!(bars.iter().map(|bar| bar.2).sum::<u64>(), spread.messages());
                assert!(bars.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-9 && pair[0].0 < pair[0].1));
            }
        }
        let huge = Spread { load: String::new(), cells: vec![(1.0, u64::MAX), (1.0, u64::MAX), (9.0, 5)] };
        assert_eq!(
            (huge.messages(), huge.bars(false, 2)[0].2),
            (u64::MAX, u64::MAX),
            "as many as can be counted"
        );
        let spread = Spread { load: String::new(), cells: vec![(10.0, 50), (20.0, 49), (90.0, 1)] };
        let quantiles = [0.5, 0.51, 0.99, 1.0].map(|share| format!("{}", spread.quantile(share)));
        assert_eq!(quantiles, ["10", "20", "20", "90"]);
    }
}
