//! Beyond the paper: the speed-up over the size of the network, Lightning among them.

use crate::cells::{SENT, TIME, cells_of};
use crate::{Figure, Page, Results, Row, curves};
use simnet_base::papers::reference;
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// Sizes.
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/sizes",
    title: "Beyond the paper: the speed-up over the size of the network",
    scenarios: &["hendriks2004/sizes.toml"],
    whole_when_quick: false,
    make,
};

/// The hosts of Pink.
const PINK: f64 = 1024.0;

fn make(results: &Results<'_>) -> Page {
    let mut rows = results.printed(0);
    let table = results.csv(0, "points.csv");
    let mut points: Vec<Row> = Vec::new();
    for column in [TIME, SENT] {
        points.extend(cells_of(&table).iter().filter_map(|cell| {
            let name = match cell.text("mapping.algorithm") {
                "guarded" => "with guards",
                _ => "by time-out",
            };
            let point = cell.row(column, name).at(cell.number("map.hosts")?);
            let seconds = |row: Row| Row { unit: "s".to_owned(), ours: row.ours.map(|ms| ms / 1e3), ..row };
            Some(if column.unit == "ms" { seconds(point) } else { point })
        }));
    }
    let time = |name: &str, hosts: f64| {
        let own =
            |row: &&Row| row.quantity == TIME.quantity && row.configuration == name && row.x == Some(hosts);
        points.iter().find(own)?.ours
    };
    let sizes: Vec<f64> =
        points.iter().filter(|row| row.configuration == "with guards").filter_map(|row| row.x).collect();
    let mut ratios: Vec<Row> = Vec::new();
    for hosts in sizes {
        if ratios.iter().any(|row| row.x == Some(hosts)) {
            continue;
        }
        let ratio =
            time("by time-out", hosts).zip(time("with guards", hosts)).map(|(slow, quick)| slow / quick);
        ratios.push(Row::ours("speed-up over size", "time-outs over guards", "factor", ratio).at(hosts));
    }
    let printed = |quantity: &str, of: &str, scale: f64| {
        Some(Mark::at(PINK, reference("002", "text", quantity, of)? * scale))
    };
    let mut times = curves(&points, TIME.quantity);
    let both = [
        printed("mapping time, guarded", "Pink, quiet", 1.0),
        printed("mapping time, timeout-based", "Pink, quiet", 60.0),
    ];
    times.push(Layer::paper(both.into_iter().flatten().collect()));
    let mut factors = curves(&ratios, "speed-up over size");
    factors.push(Layer::paper(printed("speed-up", "Pink", 1.0).into_iter().collect()));
    let charts = [
        chart("time of a mapping", Axis::log("time (s)"), times),
        chart("speed-up", Axis::from_zero("time-outs over guards (factor)"), factors),
    ];
    rows.extend(points);
    rows.extend(ratios);
    Page {
        svg: draw_charts(&charts, 2),
        rows,
        shows: "How mapping times grow with the network, with guards and by time-outs, and their ratio: Clos \
                networks of 16-port switches with 64 to 1,408 hosts. 1,024 is Pink, where the paper prints its \
                numbers (diamonds), 1,408 is ASCI Lightning, of which it prints the hosts."
            .to_owned(),
        differs: "The paper prints times for Pink alone; its \"between one and two orders of magnitude\" \
        names no sizes, and ours are our choice. Networks below it and Lightning are *reconstructions* of the \
                same family: units of 64 hosts under spines; Lightning's 22 units are each cabled to 64 of 88 \
                spines. The speed-up comes near its bound, a time-out over the time of a guarded question, only \
                from some hundred hosts on: in small networks host scouts, which nothing guards, weigh more. \
                \"Between one and two orders of magnitude\" holds from 128 hosts on, and not with 64."
            .to_owned(),
    }
}

/// A chart over the size of the network.
fn chart(title: &str, y: Axis, layers: Vec<Layer>) -> Chart {
    Chart { title: title.to_owned(), x: Axis::log("hosts"), y, layers, ..Chart::default() }
}
