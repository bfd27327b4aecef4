//! A network in operation: parts fail and return, a daemon maps again and hands out routes; not in the paper.

use crate::{Csv, Figure, Page, Record, Results, Row};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// The timeline of a network in operation.
pub(crate) const FIGURE: Figure = Figure {
    id: "mainwaring1997/reconfiguration",
    title: "Reconfiguration: the NOW's C subcluster while parts fail and return",
    scenarios: &["remap-now-c.toml"],
    whole_when_quick: true,
    make,
};

/// What happens after an event: the column of `failures.csv`, the name in the key, the name of the row.
const STEPS: [(&str, &str, &str); 3] = [
    ("noticed_after_ms", "noticed", "noticed after"),
    ("mapped_after_ms", "a new map", "mapped after"),
    ("routed_after_ms", "new routes everywhere", "routed after"),
];

fn make(results: &Results<'_>) -> Page {
    let series = results.csv(0, "operation.csv");
    let events = results.csv(0, "failures.csv");
    let mut rows = Vec::new();
    for (column, quantity, unit) in [
        ("delivered", "delivered", "messages/100 ms"),
        ("lost", "lost", "messages/100 ms"),
        ("latency_mean_us", "mean latency", "us"),
    ] {
        rows.extend(series.records().filter_map(|row| {
            let from = row.number("from_ms")?;
            Some(Row::ours(quantity, "now-c", unit, row.number(column)).at(from / 1e3))
        }));
    }
    for (column, _, quantity) in STEPS {
        let after = |event: Record<'_>| Row::ours(quantity, event.text("what"), "ms", event.number(column));
        rows.extend(events.records().map(after));
    }
    for key in ["made", "correct", "wrong", "false_alarms"] {
        let count = results.at(0, &format!("operation.maps.{key}"));
        rows.push(Row::ours(&format!("maps {}", key.replace('_', " ")), "now-c", "count", count));
    }
    let charts = [timeline(&rows, &events), losses(&rows, &events)];
    Page {
        svg: draw_charts(&charts, 1),
        rows,
        shows: "The hosts of the NOW's C subcluster send to each other while a cable, a leaf switch, a host and the \
                mapper's own switch fail and return, in this order; for the last, a backup mapper takes over. Above, \
                messages delivered in every tenth of a second; the marks above the curve tell when something \
                happens, when the daemon notices (it hears nothing from a host, or hears one again), when it has a \
                new map, and when all interfaces have the routes found on it. Below, messages lost: on dead routes, \
                or for want of a route."
            .to_owned(),
        differs: "The paper leaves exact mapping under traffic as future work (section 6). Its system \
        maps and distributes routes again and again (section 1), but no time of a reconfiguration is \
        printed. Most of the time between a failure and new routes is the mapping \
                  itself, 0.7 to 0.8 s: three times what Fig. 7 has for C without traffic, since under traffic a \
                  missing answer is waited for 3 ms and asked for again. The backup begins 0.4 s after the mapper's \
                  switch has failed, when it has not heard from the mapper for long enough. While a leaf switch is \
                  down its five hosts neither send nor receive, so less is delivered until it returns, however good \
                  the routes."
            .to_owned(),
    }
}

/// The rows of a series as a line.
fn line(rows: &[Row], quantity: &str) -> Layer {
    let marks = rows.iter().filter(|row| row.quantity == quantity).filter_map(|row| row.mark(row.x?));
    Layer::line(quantity, marks.collect())
}

fn timeline(rows: &[Row], events: &Csv) -> Chart {
    let delivered = line(rows, "delivered");
    let most = delivered.marks.iter().map(|mark| mark.y).fold(0.0, f64::max);
    let mut layers = vec![delivered];
    let happened = |event: &Record<'_>| event.number("at_ms");
    let on = |step: usize, at_ms: f64| Mark::at(at_ms / 1e3, most * (1.08 + 0.07 * step as f64));
    let marks = events.records().filter_map(|event| Some(on(0, happened(&event)?)));
    layers.push(Layer::marks("a part fails or returns", marks.collect()));
    for (nth, (column, name, _)) in (1..).zip(STEPS) {
        let marks =
            events.records().filter_map(|event| Some(on(nth, happened(&event)? + event.number(column)?)));
        layers.push(Layer::marks(name, marks.collect()));
    }
    Chart {
        title: "delivered in 100 ms".to_owned(),
        x: Axis::from_zero("time (s)"),
        y: Axis::from_zero("messages"),
        layers,
        ..Chart::default()
    }
}

fn losses(rows: &[Row], events: &Csv) -> Chart {
    let at = |event: Record<'_>| Some(Mark::at(event.number("at_ms")? / 1e3, 0.0));
    Chart {
        title: "lost in 100 ms".to_owned(),
        x: Axis::from_zero("time (s)"),
        y: Axis::from_zero("messages"),
        layers: vec![
            line(rows, "lost"),
            Layer::marks("a part fails or returns", events.records().filter_map(at).collect()),
        ],
        ..Chart::default()
    }
}
