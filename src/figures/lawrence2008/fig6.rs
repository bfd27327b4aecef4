//! lawrence2008, Fig. 6: the matrix of round-trip times, printed and simulated, and how the times are spread.

use super::PAPER;
use super::trees::{matrix, shade};
use crate::{Figure, Page, Results, Row};
use simnet_base::papers;
use simnet_output::report::sketch::{BLUE, GREEN, ORANGE};
use simnet_output::report::{Anchor, GREY, Pen, Spot, Stroke, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig6",
    title: "Fig. 6: a round-trip-time matrix",
    scenarios: &["lawrence2008/fig1.toml"],
    whole_when_quick: true,
    make,
};

const MACHINES: usize = 6;
/// The times, in ms, at which the strip of times begins and ends.
const FROM: f64 = 0.125;
const TO: f64 = 0.185;
/// The colours of one, two and three switches between machines.
const OF_HOPS: [&str; 3] = [BLUE, ORANGE, GREEN];

fn configuration(from: usize, to: usize) -> String {
    format!("machine {from} to {to}")
}

fn printed(from: usize, to: usize) -> Option<f64> {
    papers::reference(PAPER, "Fig6", "raw RTT", &configuration(from, to))
}

fn hops(from: usize, to: usize) -> u32 {
    let printed = papers::reference(PAPER, "Fig8", "hop count", &configuration(from, to));
    (1..=3).find(|hops| printed == Some(f64::from(*hops))).unwrap_or(0)
}

fn make(results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    let pairs = (0..MACHINES).flat_map(|from| (0..MACHINES).map(move |to| (from, to)));
    for (from, to) in pairs.filter(|(from, to)| from != to) {
        let of = |statistic: &str| {
            results.at(0, &format!("sweep.statistics.0.discovery.rtt_ms.{from}.{to}.{statistic}"))
        };
        let row = Row::printed(PAPER, "Fig6", "raw RTT", &configuration(from, to), of("mean"));
        rows.extend(row.map(|row| row.between(of("min"), of("max"))));
    }
    // The classes of the printed times themselves are Fig. 7's.
    rows.extend(section_3_2(results, 0, "sweep.points.0.discovery").into_iter().map(|mut row| {
        row.quantity.push_str(", simulated");
        row
    }));
    let simulated = |from: usize, to: usize| {
        let of = configuration(from, to);
        rows.iter().find(|row| row.printed_in == "Fig6" && row.configuration == of)?.ours
    };
    let mut pen = Pen::titled(
        "Round-trip times between the machines of Fig. 1, in ms",
        "shades: 1, 2 and 3 switches between the machines",
    );
    let text = |value: Option<f64>| value.map_or_else(|| "0.0".to_owned(), |value| format!("{value:.3}"));
    matrix(&mut pen, (60.0, 124.0), "as printed", MACHINES, |a, b| (text(printed(a, b)), shade(hops(a, b))));
    matrix(&mut pen, (440.0, 124.0), "simulated, mean of five executions", MACHINES, |a, b| {
        (text(simulated(a, b)), shade(hops(a, b)))
    });
    strip(&mut pen, 410.0, "as printed", printed);
    strip(&mut pen, 530.0, "simulated", simulated);
    for nth in 0..=6 {
        let time = FROM + (TO - FROM) * f64::from(nth) / 6.0;
        pen.text((across(time), 570.0), Words::new(11.0).middle().colour(GREY), &format!("{time:.3}"));
    }
    pen.text((across((FROM + TO) / 2.0), 592.0), Words::new(12.0).middle(), "round-trip time (ms)");
    Page { rows, svg: pen.finish_around(), shows: SHOWS.into(), differs: DIFFERS.into() }
}

/// The bounds of the paper's classes, next to those of section 3.2; at this path of a run's summary is a discovery.
pub(super) fn section_3_2(results: &Results<'_>, nth: usize, discovery: &str) -> Vec<Row> {
    let bounds = (0..3).flat_map(|class| [(class, "lower", "low_ms"), (class, "upper", "high_ms")]);
    let row = |(class, end, key): (usize, &str, &str)| {
        let ours = results.at(nth, &format!("{discovery}.methods.paper.classes.{class}.{key}"));
        let quantity = format!("RTT class {end} bound");
        Row::printed(PAPER, "3.2", &quantity, &format!("class {class}"), ours)
    };
    bounds.filter_map(row).collect()
}

fn across(time: f64) -> f64 {
    120.0 + (time - FROM) / (TO - FROM) * 580.0
}

/// The thirty times as dots over an axis, equal ones above each other.
fn strip(pen: &mut Pen, y: f64, name: &str, time: impl Fn(usize, usize) -> Option<f64>) {
    pen.text((108.0, y + 4.0), Words::new(12.0).anchor(Anchor::End), name);
    pen.line((across(FROM), y + 12.0), (across(TO), y + 12.0), Stroke::new("#b8b8b8", 1.0));
    let mut stacked: Vec<Spot> = Vec::new();
    for (from, to) in (0..MACHINES).flat_map(|from| (0..MACHINES).map(move |to| (from, to))) {
        let Some(time) = time(from, to).filter(|_| from != to) else { continue };
        let x = across(time);
        let near = stacked.iter().filter(|(other, _)| (other - x).abs() < 6.0);
        let high = near.map(|(_, high)| *high + 7.0).fold(0.0, f64::max);
        stacked.push((x, high));
        pen.circle((x, y + 6.0 - high), 3.0, OF_HOPS[hops(from, to).max(1) as usize - 1], None);
    }
}

const SHOWS: &str = "\
The round-trip times that the tool measures between the six machines of Fig. 1: printed, and simulated at 1 Gb/s \
with the constants that serve Tables 1 to 3 too (1,400 B, five round trips a sample, 26 samples and more). Rows \
compare all thirty times and the bounds of the classes of section 3.2.";

const DIFFERS: &str = "\
- The software's part of a round trip, 85 us, is fitted to this matrix; what a switch adds, 23.6 us, is the time \
of 1,478 B stored and forwarded, twice. The paper's classes are 25 and 18 us apart. It does not say at \
what rate or with what packets Fig. 6 was measured; we take 1 Gb/s and the 1,400 B of section 4, with \
which no switch adds as little as 18 us, so that three hops come out up to 4 % too long. With 1,000 B, \
the size named beside Fig. 6, one could.
- The printed times are one example; they scatter about the middle of a class by 1.1 to 1.6 %, ours by 0.9 %.";
