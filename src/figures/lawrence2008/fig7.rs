//! lawrence2008, Fig. 7: clustering, step by step on Fig. 6's matrix, by the text, the listing and our reading.

use crate::discovery::{Class, Clustering, Intra, Options, Rtts, classes};
use crate::figures::diagram::{Anchor, COLOURS, Diagram, GREY, INK, SHADES, pixels};
use crate::figures::told::told;
use crate::figures::{Figure, Page, Results, Row};

pub(super) const FIGURE: Figure = Figure {
    id: "lawrence2008/fig7",
    title: "Fig. 7: the data clustering algorithm",
    scenarios: &["lawrence2008/fig6.toml"],
    whole_when_quick: true,
    make,
};

/// A time in ms of a class's bounds.
fn ms(time: crate::units::Duration) -> f64 {
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
    let file = results.file(0, "rtt-lawrence-fig1.csv");
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
    let mut rows: Vec<Row> = results.printed(0).into_iter().filter(|row| row.printed_in == "3.2").collect();
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
    let shows = told(SHOWS, &rows, |row| row.unit == "classes");
    Page { rows, svg: draw(&rtts, &stages), shows, differs: DIFFERS.into() }
}

fn draw(rtts: &Rtts, stages: &[(&str, &Vec<Class>)]) -> String {
    let across = |time: f64| 280 + pixels((time - 0.128) / 0.052 * 560.0);
    let mut diagram = Diagram::new(
        "From times to classes",
        "the thirty times of Fig. 6, and the classes that each step or reading makes of them",
    );
    let mut times: Vec<f64> = (0..rtts.machines())
        .flat_map(|from| rtts.row(from).iter().map(|time| ms(*time)).filter(|time| *time > 0.0))
        .collect();
    times.sort_by(f64::total_cmp);
    diagram.text((264, 154), 12, Anchor::End, INK, "sorted times");
    let (mut last, mut high) = (0, 0);
    for time in &times {
        high = if across(*time) - last < 6 { high + 7 } else { 0 };
        last = across(*time);
        diagram.dot((last, 156 - high), 3, COLOURS[0]);
    }
    let mut y = 184;
    for (stage, classes) in stages {
        diagram.text((264, y + 18), 12, Anchor::End, INK, stage);
        for (number, class) in classes.iter().enumerate() {
            let (left, right) = (across(ms(class.low)) - 4, across(ms(class.high)) + 4);
            let text = if right - left > 80 {
                format!("{:.3} to {:.3}", ms(class.low), ms(class.high))
            } else {
                number.to_string()
            };
            diagram.cell((left, y), (right - left, 28), SHADES[number % SHADES.len()], &text);
        }
        y += 44;
    }
    for nth in 0..=5 {
        let time = 0.130 + 0.010 * f64::from(nth);
        diagram.line(&[(across(time), y), (across(time), y + 6)], GREY, 1);
        diagram.text((across(time), y + 20), 11, Anchor::Middle, GREY, &format!("{time:.3}"));
    }
    diagram.text((across(0.155), y + 40), 12, Anchor::Middle, INK, "round-trip time (ms)");
    diagram.finish()
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
