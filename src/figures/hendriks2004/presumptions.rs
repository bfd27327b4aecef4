//! Section 3: the presumptions broken one by one.

use crate::cells::{Cell, Column, RIGHT, SENT, Statistic, TIME, cells_of};
use crate::{Figure, Page, Results, Row};
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// The presumptions.
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/presumptions",
    title: "Section 3: the presumptions, each broken in turn",
    scenarios: &["hendriks2004/presumptions.toml"],
    whole_when_quick: false,
    make,
};

const SURE: Column = Column {
    name: "map.right_and_sure",
    quantity: "true maps that the mapper was sure of",
    unit: "runs",
    statistic: Statistic::Count,
};
const MISTAKEN: Column = Column {
    name: "map.wrong_and_sure",
    quantity: "wrong maps that the mapper was sure of",
    unit: "runs",
    statistic: Statistic::Count,
};
/// The axis of what is broken.
const PRESUMPTION: &str = "presumption";

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "points.csv");
    let (cells, variants) = (cells_of(&points), points.choices(PRESUMPTION));
    let of_each = |column: Column| cells.iter().map(move |cell| cell.row(column, cell.text(PRESUMPTION)));
    let count = |(row, cell): (Row, &Cell<'_>)| {
        let (quantity, unit) = ("runs".to_owned(), "count".to_owned());
        Row { quantity, unit, ours: Some(cell.runs() as f64), ..row }
    };
    let mut rows: Vec<Row> = of_each(RIGHT).zip(&cells).map(count).collect();
    rows.extend([RIGHT, SURE, MISTAKEN, TIME, SENT].into_iter().flat_map(of_each));
    let layer = |name, column, scale| layer(&rows, &variants, name, column, scale);
    let chart = |title, label, layers| chart(title, label, layers, &variants);
    let runs = cells.first().map_or(1, Cell::runs) as f64;
    let (label, share) = (format!("maps (% of {runs} runs)"), 100.0 / runs);
    let maps = vec![
        layer("true", RIGHT, 1.0),
        layer("true, and the mapper sure", SURE, share),
        layer("wrong, and the mapper sure", MISTAKEN, share),
    ];
    let charts =
        [chart("maps", &label, maps), chart("time", "mapping time (ms)", vec![layer("time", TIME, 1.0)])];
    Page {
        svg: draw_charts(&charts, 1),
        rows,
        shows: "The guarded mapper on 64 hosts (one unit of Pink) while one of the paper's presumptions does not \
                hold: one message in a thousand sent or received out of order, lost, or overtaken in the \
                network; and scouts of 32 bytes. How often the map is true and the mapper sure of it, whether it \
                is ever sure of a wrong one, and what that costs in time."
            .to_owned(),
        differs: "The paper says that the presumptions \"appear to pan out pretty well in practice\" and breaks \
                none. Here no wrong map was taken for sure: what arrives out of order comes after its guard and \
                is seen. With losses a true map is seldom sure; confirming every no finds what a lost scout hid, \
                and costs as much again. Short scouts do no harm at 150 ns a switch with 2 us between messages; \
                with slower switches and no software between S and G they fail (docs/VALIDATION.md, guarded \
                scouting)."
            .to_owned(),
    }
}

/// What a column has for each variant, times `scale`.
fn layer(rows: &[Row], variants: &[String], name: &str, column: Column, scale: f64) -> Layer {
    let own = variants.iter().enumerate().filter_map(|(place, variant)| {
        let found = |row: &&Row| row.quantity == column.quantity && row.configuration == *variant;
        let mark = rows.iter().find(found)?.mark(place as f64)?;
        Some(Mark { y: mark.y * scale, hollow: false, ..mark })
    });
    Layer::marks(name, own.collect())
}

/// A chart over the variants.
fn chart(title: &str, label: &str, layers: Vec<Layer>, variants: &[String]) -> Chart {
    Chart {
        title: title.to_owned(),
        x: Axis::names("", variants.to_vec()),
        y: Axis::from_zero(label),
        layers,
        bars: true,
        ..Chart::default()
    }
}
