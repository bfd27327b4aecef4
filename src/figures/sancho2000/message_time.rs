//! Where the time of a message goes against load; not in the paper.

use crate::{Figure, Page, Record, Results, Row, curves};
use simnet_output::report::{Axis, Chart, Layer, Mark, Yes, draw_charts};

/// Where the time goes.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/message-time",
    title: "Where the time of a message goes: queueing, blocked and moving against load",
    scenarios: &["sancho2000/message-time.toml"],
    whole_when_quick: false,
    make,
};

/// The parts from the bottom up: column, name, what the key says.
const PARTS: [(&str, &str, &str); 3] = [
    ("points.*.moving_mean_ns", "moving", "moving: what the message takes alone"),
    ("points.*.blocked_mean_ns", "blocked", "blocked: in the network, in the way of others"),
    ("points.*.queueing_mean_ns", "queueing", "queueing: at its host, before its first flit"),
];
/// Curves end where a message takes so many times as long as at the lowest load: then nearly all of it is queueing.
const MOST_TIMES: f64 = 6.0;
const LOAD: &str = "load (flits / cycle / host)";

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "curves.csv");
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    for routing in points.choices("routing") {
        for (column, name, _) in PARTS {
            let of_routing = [("routing", routing.as_str())];
            let own = points.of(&of_routing);
            rows.extend(own.filter_map(|point| row(&point, column, name, &routing)));
        }
        charts.push(stack(&rows, &routing));
    }
    charts.extend(PARTS[1..].iter().map(|(_, name, _)| all_routings(&rows, name)));
    let shows = "The mean time of a message from its creation to its last flit's arrival, in its three parts, on the \
                 network of 32 switches that Fig. 3(b) finds nearest to the average: messages of 32 flits, uniform \
                 destinations. The parts lie on top of each other and make the mean latency, up to six times that of \
                 the lowest load; the last two panels have the routings beside each other. Hollow marks are \
                 saturated or have not converged. Every message counts with the time that its own route and length \
                 take in an empty network, exact to the cycle."
        .to_owned();
    let differs = "The papers have no such figure. A message moves for the same time at every load: only the routes \
                   decide, so the lowest area compares routings as an empty network does (beyond saturation it \
                   shrinks a little: those that have far to go do not arrive). What grows first is the time \
                   *blocked* behind other worms; *queueing* at the host stays small until the network saturates, and \
                   is then everything: a blocked worm leaves its host's cable late, and the messages behind it wait \
                   there."
        .to_owned();
    Page { rows, svg: draw_charts(&charts, 3), shows, differs }
}

fn row(point: &Record<'_>, column: &str, name: &str, routing: &str) -> Option<Row> {
    let row = Row::ours(name, routing, "ns", point.number(column)).at(point.number("points.*.load")?);
    Some(Row { hollow: Yes(point.text("points.*.converged") != "true"), ..row })
}

/// A part of the messages of all routings.
fn all_routings(rows: &[Row], name: &str) -> Chart {
    Chart {
        title: format!("{name}, all routings"),
        x: Axis::from_zero(LOAD),
        y: Axis::log(&format!("mean time {name} (ns)")),
        layers: curves(rows, name),
        ..Chart::default()
    }
}

/// The parts of a routing's messages, one on top of the other.
fn stack(rows: &[Row], routing: &str) -> Chart {
    let part = |name: &str| {
        rows.iter()
            .filter(move |row| row.quantity == name && row.configuration == routing)
            .collect::<Vec<_>>()
    };
    let parts = PARTS.map(|(_, name, _)| part(name));
    let mut layers = Vec::new();
    let mut below: Vec<f64> = vec![0.0; parts[0].len()];
    let whole = |place: usize| parts.iter().filter_map(|part| part[place].ours).sum::<f64>();
    let shown = (0..parts[0].len()).take_while(|place| whole(*place) <= MOST_TIMES * whole(0)).count();
    for ((_, _, label), part) in PARTS.iter().zip(&parts) {
        let mut marks = Vec::new();
        for (row, below) in part.iter().zip(&mut below).take(shown) {
            let (Some(x), Some(ours)) = (row.x, row.ours) else { continue };
            let top = *below + ours;
            let mark = Mark::at(x, top / 1e3).between(Some(*below / 1e3), Some(top / 1e3));
            marks.push(mark.hollow(row.hollow.0));
            *below = top;
        }
        layers.push(Layer::line(label, marks));
    }
    Chart {
        title: routing.to_owned(),
        x: Axis::from_zero(LOAD),
        y: Axis::from_zero("mean time of a message (us)"),
        layers,
        ..Chart::default()
    }
}
