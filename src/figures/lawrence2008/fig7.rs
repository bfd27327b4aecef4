//! lawrence2008, Fig. 7: clustering, step by step on Fig. 6's matrix, by the text, the listing and our reading.

use super::fig6::section_3_2;
use crate::rows::with_table;
use crate::{Figure, Page, Results, Row};
use simnet_network::discovery::{Class, Clustering, Intra, Options, Rtts, classes};
use simnet_output::report::sketch::{BLUE, SHADES};
use simnet_output::report::{Anchor, GREY, Pen, Stroke, Words};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig7",
    title: "Fig. 7: the data clustering algorithm",
    scenarios: &["lawrence2008/fig6.toml"],
    whole_when_quick: true,
    make,
};

/// A time in ms of a class's bounds.
fn ms(time: simnet_base::units::Duration) -> f64 {
    time.as_ps() as f64 / 1e9
}

/// The listing's lines 16 to 22 as printed: neighbours are merged where the intra-class distance, the range,
/// is *less* than the inter-class distance over INTER_THRESHOLD.
fn merged_as_listed(mut classes: Vec<Class>, threshold: u64) -> Vec<Class> {
    loop {
        let before = classes.len();
        let mut at = 0;
        while at + 1 < classes.len() {
            let range = classes[at].high.as_ps() - classes[at].low.as_ps();
            let inter = classes[at + 1].center().as_ps() - classes[at].center().as_ps();
            if range * threshold < inter {
                let right = classes.remove(at + 1);
                classes[at].high = right.high;
                classes[at].count += right.count;
            }
            at += 1;
        }
        if classes.len() == before {
            return classes;
        }
    }
}

fn make(results: &Results<'_>) -> Page {
    let file = results.file(0, "rtt.csv");
    let rtts = Rtts::read("fig6.csv", file.as_bytes()).expect("the run wrote the matrix that it read");
    let with = |clustering, inter_threshold| Options { clustering, inter_threshold, ..Options::default() };
    let usual = Options::default();
    let raw = classes(&rtts, &with(usual.clustering, 0));
    let ours = classes(&rtts, &usual);
    let by_text = classes(&rtts, &with(Clustering::Paper(Intra::Range), usual.inter_threshold));
    let by_k_means = classes(&rtts, &with(Clustering::KMeans { classes: None }, usual.inter_threshold));
    let as_listed = merged_as_listed(raw.clone(), u64::from(usual.inter_threshold / 1_000));
    let stages = [
        ("raw classes (lines 4 to 15)", &raw),
        ("merged, our reading", &ours),
        ("merged, the text taken literally", &by_text),
        ("merged, the listing taken literally", &as_listed),
        ("k-means", &by_k_means),
    ];
    let mut rows = section_3_2(results, 0, "discovery");
    for (stage, classes) in stages {
        rows.push(Row::ours("classes", stage, "classes", Some(classes.len() as f64)));
        for (number, class) in classes.iter().enumerate() {
            let of = format!("{stage}; class {number}");
            rows.push(
                Row::ours("centre of a class", &of, "ms", Some(ms(class.center())))
                    .between(Some(ms(class.low)), Some(ms(class.high))),
            );
        }
    }
    for (number, pair) in ours.windows(2).enumerate() {
        let half = |class: &Class| (ms(class.high) - ms(class.low)) / 2.0;
        let of = format!("classes {number} and {}", number + 1);
        let inter = ms(pair[1].center()) - ms(pair[0].center());
        rows.push(Row::ours("inter-class distance", &of, "ms", Some(inter)));
        let intra = half(&pair[0]).max(half(&pair[1]));
        rows.push(Row::ours("greater half-range", &of, "ms", Some(intra)));
        rows.push(Row::ours("how many times", &of, "factor", Some(inter / intra)));
    }
    let shows = with_table(SHOWS, &rows, |row| row.unit == "classes");
    Page { rows, svg: draw(&rtts, &stages), shows, differs: DIFFERS.into() }
}

fn draw(rtts: &Rtts, stages: &[(&str, &Vec<Class>)]) -> String {
    let across = |time: f64| 280.0 + (time - 0.128) / 0.052 * 560.0;
    let mut pen = Pen::titled(
        "From times to classes",
        "the thirty times of Fig. 6, and the classes that each step or reading makes of them",
    );
    let mut times: Vec<f64> = (0..rtts.machines())
        .flat_map(|from| rtts.row(from).iter().map(|time| ms(*time)).filter(|time| *time > 0.0))
        .collect();
    times.sort_by(f64::total_cmp);
    pen.text((264.0, 154.0), Words::new(12.0).anchor(Anchor::End), "sorted times");
    let (mut last, mut high) = (0.0, 0.0);
    for time in &times {
        high = if across(*time) - last < 6.0 { high + 7.0 } else { 0.0 };
        last = across(*time);
        pen.circle((last, 156.0 - high), 3.0, BLUE, None);
    }
    let mut y = 184.0;
    for (stage, classes) in stages {
        pen.text((264.0, y + 18.0), Words::new(12.0).anchor(Anchor::End), stage);
        for (number, class) in classes.iter().enumerate() {
            let (left, right) = (across(ms(class.low)) - 4.0, across(ms(class.high)) + 4.0);
            let text = if right - left > 80.0 {
                format!("{:.3} to {:.3}", ms(class.low), ms(class.high))
            } else {
                number.to_string()
            };
            pen.cell((left, y), (right - left, 28.0), SHADES[number % SHADES.len()], &text);
        }
        y += 44.0;
    }
    for nth in 0..=5 {
        let time = 0.130 + 0.010 * f64::from(nth);
        pen.line((across(time), y), (across(time), y + 6.0), Stroke::new(GREY, 1.0));
        pen.text((across(time), y + 20.0), Words::new(11.0).middle().colour(GREY), &format!("{time:.3}"));
    }
    pen.text((across(0.155), y + 40.0), Words::new(12.0).middle(), "round-trip time (ms)");
    pen.finish_around()
}

const SHOWS: &str = "\
The clustering of Fig. 7 on the matrix of Fig. 6: the sorted times, the raw classes of lines 4 to 15 (a time joins \
the class of the one before it if it is less than 5 us above it), and what merging makes of them. Our reading \
gives the three classes printed in section 3.2; so does k-means.";

const DIFFERS: &str = "\
- *Neither the text nor the listing, taken literally, gives the printed classes.* The text merges where centres \
are less than 4 times the range of a class apart: then all of Fig. 6 becomes one class. The listing merges where \
the range is *less* than a quarter of that distance: that joins classes that are well apart.
- *Our reading*: half the range about the centre, of the two classes the larger, and merge where centres are less \
than 4 times that apart. It gives the printed classes, and the printed centres are midpoints too.
- The last class's upper bound is set after the loop, which the listing forgets.";
