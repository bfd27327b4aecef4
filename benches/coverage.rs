//! How often the interval of a converged load point holds the mean: the table of docs/VALIDATION.md.
//!
//! ```text
//!     cargo bench --bench coverage                       the table, 200 seeds a row; half an hour of two cores
//!     cargo bench --bench coverage -- --seeds 20         the same with fewer seeds, printed and not written
//!     cargo bench --bench coverage -- --references 60    the means that the rows of simulated networks are held to
//! ```
#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::fs;
use std::path::Path;

use rayon::prelude::*;

#[path = "../tests/running/oracle/coverage/rows.rs"]
mod rows;

use rows::{Coverage, Row, rows};

/// Seeds of the committed table.
const SEEDS: u64 = 200;
/// Seeds of references begin here: no judged point has one of them.
const OTHER_SEEDS: u64 = 1_000_000;
/// Where the table stands in the document.
const MARKS: [&str; 2] =
    ["<!-- coverage: made by cargo bench --bench coverage -->\n", "<!-- /coverage -->\n"];

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.get(place + 1)?.parse::<u64>().ok()
    };
    if let Some(runs) = number("--references") {
        return references(runs);
    }
    let seeds = number("--seeds").unwrap_or(SEEDS);
    let text = table(seeds);
    println!("{text}");
    if seeds == SEEDS {
        write(&text);
    }
}

/// Prints the mean latencies of long runs with half the widths of their intervals over runs.
fn references(runs: u64) {
    for row in rows() {
        let mean = |run| row.run("warmup = 'auto'\nmessages = 1000000", OTHER_SEEDS + run).latency_mean_ns;
        let means: Vec<f64> = (0..runs).into_par_iter().filter_map(mean).collect();
        let half = simnet_base::measure::half_width(&means).unwrap_or(f64::NAN);
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        println!("{}, load {}: {mean:.3} ns ± {half:.3}; in the table {}", row.name, row.load, row.mean);
    }
}

/// A row of the table.
fn measured(row: &Row, seeds: u64) -> (Coverage, u64) {
    let points: Vec<_> = (0..seeds).into_par_iter().map(|seed| row.run("precision = 0.05", seed)).collect();
    let mut own = Coverage::default();
    points.iter().for_each(|point| own.take(point, row.mean));
    let mut messages: Vec<u64> = points.iter().map(|point| point.messages).collect();
    messages.sort_unstable();
    (own, messages[messages.len() / 2])
}

fn table(seeds: u64) -> String {
    let head = "| network | load | of saturation | mean, ns | converged | hold the mean | bias | messages, median |\n\
                |---|--:|--:|--:|--:|--:|--:|--:|\n";
    let (mut text, mut rare) = (head.to_owned(), Coverage::default());
    for row in rows() {
        let (own, median) = measured(&row, seeds);
        let verdict = if own.is_usual() && own.is_rejected() { " (rejected)" } else { "" };
        text += &format!(
            "| {} | {:.4} | {:.0} % | {:.1} | {} of {} | {}{verdict} | {:+.2} % | {median} |\n",
            row.name,
            row.load,
            row.of_saturation * 100.0,
            row.mean,
            own.converged,
            own.seeds,
            own.held,
            own.bias() * 100.0
        );
        println!("{}", text.lines().last().unwrap_or_default());
        if !own.is_usual() {
            rare = rare.and(own);
        }
    }
    let verdict = if rare.is_rejected() { " (rejected)" } else { "" };
    let bias = rare.bias() * 100.0;
    text += &format!(
        "| rows of which fewer than half converged | | | | {} of {} | {}{verdict} | {bias:+.2} % | |\n",
        rare.converged, rare.seeds, rare.held
    );
    text
}

/// Puts the table in its place in the document.
fn write(text: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/VALIDATION.md");
    let document = fs::read_to_string(&place).expect("the document is there");
    let [begin, end] = MARKS.map(|mark| document.find(mark).expect("the document has a place for the table"));
    let whole = format!("{}\n{text}\n{}", &document[..begin + MARKS[0].len()], &document[end..]);
    fs::write(&place, whole).expect("the document can be written");
}
