//! Beyond the paper: all mappers on the same networks.

use crate::cells::{Column, RIGHT, SENT, Statistic, TIME, cells, network_and_mapper};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Layer, draw_charts};

use super::SYSTEMS;

/// All mappers.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/mappers",
    title: "Beyond the paper: all mappers on the same networks",
    scenarios: &["mainwaring1997/mappers.toml"],
    whole_when_quick: true,
    make,
};

const EXPLORATIONS: Column =
    Column { name: "map.explorations", quantity: "explorations", unit: "count", statistic: Statistic::Mean };
const MEMORY: Column = Column {
    name: "map.peak_memory_bytes",
    quantity: "the model at its largest",
    unit: "B",
    statistic: Statistic::Mean,
};

fn make(results: &Results<'_>) -> Page {
    let columns = [TIME, SENT, EXPLORATIONS, MEMORY, RIGHT];
    let rows: Vec<Row> =
        columns.into_iter().flat_map(|column| cells(results, 0, column, network_and_mapper)).collect();
    let variants = results.csv(0, "points.csv").choices("mapper");
    let chart = |column, title, label| chart(&rows, &variants, column, title, label);
    let charts = [
        chart(TIME, "time of a mapping", "mapping time (ms)"),
        chart(SENT, "messages", "messages truly sent"),
    ];
    Page {
        svg: draw_charts(&charts, 1),
        rows,
        shows: "Nine mappers on C, C+A and C+A+B, with the costs of the processor that each runs on: Berkeley's, \
                the simplified algorithm of section 3.1 (all routes to a depth of 5 turns, then labels), \
                Myricom's, Hendriks's guarded scouts and the same questions with time-outs, and \
                what section 6 leaves as future work: a randomised search, coupon-collecting, \
                switches that identify themselves, and \
                all hosts mapping around them in parallel."
            .to_owned(),
        differs: "Figs. 6, 7 and 10 print Berkeley's and Myricom's, which are compared on those pages; no \
        paper prints the others on these networks. \
        Every map is true. Myricom's mapper runs on the interface's processor \
                with the start-up that is fitted to Fig. 10, \
                all others on the host's. Coupon-collecting does not pay on the \
                NOW, where a message of random turns finds a host one time in twenty; parallel mapping gains \
                nothing either, since local maps do not meet on switches without hosts. What helps is switches \
                that identify themselves: a sixth to an eighth of Berkeley's messages."
            .to_owned(),
    }
}

/// What a column has for each variant of the mapper, by system.
fn chart(rows: &[Row], variants: &[String], column: Column, title: &str, label: &str) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::names("", variants.to_vec()),
        y: Axis::log(label),
        layers: SYSTEMS.iter().map(|system| of_system(rows, variants, column, system)).collect(),
        ..Chart::default()
    }
}

/// What a column has for each variant of the mapper on a system.
fn of_system(rows: &[Row], variants: &[String], column: Column, system: &str) -> Layer {
    let own = variants.iter().enumerate().filter_map(|(place, variant)| {
        let name = format!("{system}, {variant}");
        let row = rows.iter().find(|row| row.quantity == column.quantity && row.configuration == name)?;
        row.mark(place as f64)
    });
    Layer::marks(system, own.collect())
}
