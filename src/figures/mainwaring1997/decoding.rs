//! Section 1.1 read in other ways: what the network carries, by how its switches decode heads.

use crate::{Figure, Page, Results, Row, curves};
use simnet_output::report::{Axis, Chart, draw_charts};

/// Six ways of decoding.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/decoding",
    title: "Section 1.1 read in other ways: how switches decode heads",
    scenarios: &["mainwaring1997/decoding.toml"],
    whole_when_quick: false,
    make,
};

/// What the vertical axes show.
const ACCEPTED: &str = "accepted traffic";
const LATENCY: &str = "mean latency";

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "curves.csv");
    let (mut accepted, mut latencies) = (Vec::new(), Vec::new());
    for point in points.records() {
        let number = |column: &str| point.number(&format!("points.*.{column}"));
        let Some(load) = number("load") else { continue };
        let row = |quantity, unit, ours| Row::ours(quantity, point.text("switches"), unit, ours).at(load);
        accepted.push(row(ACCEPTED, "flits / cycle / host", number("accepted_flits_per_cycle_per_host")));
        if point.text("points.*.saturated") == "false" {
            latencies.push(row(LATENCY, "ns", number("latency_mean_ns")));
        }
    }
    let chart = |title: &str, rows: &[Row], quantity, y| Chart {
        title: title.to_owned(),
        x: Axis::from_zero("load (flits / cycle / host)"),
        y,
        layers: curves(rows, quantity),
        ..Chart::default()
    };
    let charts = [
        chart("accepted traffic", &accepted, ACCEPTED, Axis::from_zero("accepted (flits / cycle / host)")),
        chart(
            "latency up to saturation",
            &latencies,
            LATENCY,
            Axis { log: true, ..Axis::from_zero("latency (ns)") },
        ),
    ];
    let most = results.csv(0, "points.csv");
    let throughput = most.records().map(|point| {
        let ours = point.number("throughput_flits_per_cycle_per_host");
        Row::ours("throughput", point.text("switches"), "flits / cycle / host", ours)
    });
    let rows: Vec<Row> = throughput.chain(accepted).chain(latencies).collect();
    Page { svg: draw_charts(&charts, 2), differs: differs(&rows), shows: SHOWS.to_owned(), rows }
}

/// What was run, and why.
const SHOWS: &str = "\
The paper gives one number, \"the worst case switch latency with no output port contention is 550 ns\", and does not \
say how many heads a switch decodes in that time. Sancho and Robles 2000 have one arbiter a switch that is busy for \
150 ns a header (`serial`). Uniform messages of 32 B on the network of 100 hosts, UP*/DOWN* routes: latency and \
arbiter of \
each paper in all combinations, an arbiter at every input (`per input`), and inputs that decode in a pipeline: a head \
takes as long as before, and the next one begins a flit time later.

";

/// What each reading carries.
fn differs(rows: &[Row]) -> String {
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.quantity == "throughput" && row.configuration == name);
        row.and_then(|row| row.ours).unwrap_or(f64::NAN)
    };
    let (mixed, pipeline) = (of("550 ns, serial"), of("550 ns, pipeline"));
    format!(
        "* **550 ns and one arbiter a switch** mix two papers: {mixed:.3} flits a cycle and host, where a pipeline of \
         the same latency carries {pipeline:.3}, {:.1} times as much. `scenarios/now100.toml` and the other \
         scenarios of the NOW have the pipeline; no paper prints what the NOW carries.\n",
        pipeline / mixed
    )
}
