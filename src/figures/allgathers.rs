//! The all-gathers of a sweep, as the figures read them.

use super::{Results, Row};
use simnet_output::report::{Axis, Chart, Csv, Layer, Mark, Record, Style};

/// One all-gather: a row of a sweep's `points.csv`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllgatherPoint<'a>(Record<'a>);

/// The points of the sweep of the `nth` scenario.
pub(super) fn points(results: &Results<'_>, nth: usize) -> Csv {
    results.csv(nth, "points.csv")
}

/// All-gathers in the order of the plan, those that differ in size alone from the smallest to the largest.
pub(super) fn allgather_points(points: &Csv) -> Vec<AllgatherPoint<'_>> {
    let mut all: Vec<AllgatherPoint<'_>> = points.records().map(AllgatherPoint).collect();
    // After a point's number and key stand the axes, then its seed.
    let axes = points.columns.iter().skip(2).take_while(|name| *name != "seed");
    let axes: Vec<&String> = axes.filter(|axis| *axis != "allgather.size").collect();
    let is_alike =
        |a: &AllgatherPoint<'_>, b: &AllgatherPoint<'_>| axes.iter().all(|axis| a.name(axis) == b.name(axis));
    for line in all.chunk_by_mut(is_alike) {
        line.sort_by(|a, b| a.kilobytes().total_cmp(&b.kilobytes()));
    }
    all
}

impl<'a> AllgatherPoint<'a> {
    /// What stands under the name of an axis.
    pub(super) fn name(&self, axis: &str) -> &'a str {
        self.0.text(axis)
    }

    /// A number of the all-gather, as `time_mean_ms`.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.0.number(&format!("allgather.{key}"))
    }

    /// The block in KiB, which the papers call KB.
    pub(super) fn kilobytes(&self) -> f64 {
        self.number("size_bytes").unwrap_or(0.0) / 1024.0
    }

    /// The mean time in milliseconds, if every rank ended.
    pub(super) fn time(&self) -> Option<f64> {
        self.number("time_mean_ms")
    }

    /// The bound over the time.
    pub(super) fn efficiency(&self) -> Option<f64> {
        self.number("efficiency")
    }

    /// Whether what stands under the names of some axes is this, as in `[("network", "topology (d)")]`.
    pub(super) fn is(&self, wanted: &[(&str, &str)]) -> bool {
        wanted.iter().all(|(axis, name)| self.name(axis) == *name)
    }

    /// Its time as a row at its size.
    pub(super) fn row(&self, configuration: &str) -> Row {
        Row::ours("all-gather time", configuration, "ms", self.time()).at(self.kilobytes())
    }
}

/// Lines of one value over another, one for each name, in the order in which the names come.
pub(super) fn lines<'a, 'b: 'a>(
    cells: impl IntoIterator<Item = &'a AllgatherPoint<'b>>,
    name: impl Fn(&AllgatherPoint<'b>) -> String,
    x: impl Fn(&AllgatherPoint<'b>) -> f64,
    y: impl Fn(&AllgatherPoint<'b>) -> Option<f64>,
) -> Vec<Layer> {
    let mut layers: Vec<Layer> = Vec::new();
    for cell in cells {
        let Some(y) = y(cell) else { continue };
        let mark = Mark { x: x(cell), y, ..Mark::default() };
        let name = name(cell);
        match layers.iter_mut().find(|layer| layer.name == name) {
            Some(layer) => layer.marks.push(mark),
            None => layers.push(Layer { name, style: Style::Line, marks: vec![mark] }),
        }
    }
    layers
}

/// The bound as a line over the sizes of some all-gathers on one network.
pub(super) fn bound<'a, 'b: 'a>(cells: impl IntoIterator<Item = &'a AllgatherPoint<'b>>) -> Layer {
    let mut marks: Vec<Mark> = Vec::new();
    for cell in cells {
        let at = cell.kilobytes();
        if let Some(y) = cell.number("bound_ms").filter(|_| marks.iter().all(|mark| mark.x < at)) {
            marks.push(Mark { x: at, y, ..Mark::default() });
        }
    }
    Layer { name: "lower bound".to_owned(), style: Style::Line, marks }
}

/// Bars of one value at every size, side by side, one for each name in the order in which the names come.
pub(super) fn bars<'b>(
    cells: &[AllgatherPoint<'b>],
    (title, label): (&str, &str),
    name: impl Fn(&AllgatherPoint<'b>) -> String,
    y: impl Fn(&AllgatherPoint<'b>) -> Option<f64>,
) -> Chart {
    let mut sizes: Vec<f64> = cells.iter().map(AllgatherPoint::kilobytes).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let place = |cell: &AllgatherPoint<'_>| sizes.partition_point(|size| *size < cell.kilobytes()) as f64;
    // A name without any value keeps its layer, so that its bars would stand at the same side in every chart.
    let mut layers = lines(cells, name, place, |cell| Some(y(cell).unwrap_or(f64::NAN)));
    for layer in &mut layers {
        layer.style = Style::Marks;
        layer.marks.retain(|mark| !mark.y.is_nan());
    }
    Chart {
        title: title.to_owned(),
        x: Axis::names("message size", sizes.iter().map(|size| format!("{size} KB"))),
        y: Axis::from_zero(label),
        layers,
        bars: true,
        ..Chart::default()
    }
}
