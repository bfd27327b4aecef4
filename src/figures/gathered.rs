//! The all-gathers of a run, as the figures read them.

use serde::Deserialize;

use super::{Results, Row};
use crate::report::{Axis, Chart, Layer, Mark, Style};

/// One all-gather of a run, as `summary.json` has it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Gathered {
    pub(super) network: String,
    pub(super) medium: String,
    pub(super) transport: Option<String>,
    pub(super) protocol: String,
    pub(super) algorithm: String,
    pub(super) rate_bits_per_s: u64,
    pub(super) size_bytes: u64,
    pub(super) time_mean_ms: Option<f64>,
    pub(super) time_min_ms: Option<f64>,
    pub(super) time_max_ms: Option<f64>,
    pub(super) bound_ms: Option<f64>,
    pub(super) efficiency: Option<f64>,
    pub(super) messages_lost: u64,
    pub(super) frames_dropped: u64,
    pub(super) iterations: u32,
    pub(super) max_path_length: Option<u64>,
    pub(super) max_channel_load: Option<u64>,
}

/// The all-gathers of the `nth` run.
pub(super) fn gathered(results: &Results<'_>, nth: usize) -> Vec<Gathered> {
    let cells = results.runs.get(nth).and_then(|run| run.summary.pointer("/allgather/results"));
    cells.and_then(|cells| Vec::deserialize(cells).ok()).unwrap_or_default()
}

impl Gathered {
    /// The block in KiB, which the papers call KB.
    pub(super) fn kilobytes(&self) -> f64 {
        self.size_bytes as f64 / 1024.0
    }

    /// The algorithm as the papers call it.
    pub(super) fn algorithm(&self) -> &str {
        match self.algorithm.as_str() {
            "lr1" => "LR1",
            "lr2" => "LR2",
            "lr3" => "LR3",
            "lam" => "LAM",
            "mpich" => "MPICH-LAM",
            "open-mpi" => "Open MPI",
            "ring" => "ring by rank",
            other => other,
        }
    }

    /// The network: `topology (d)` for `faraj-d`, any other by its own name.
    pub(super) fn network(&self) -> String {
        match self.network.strip_prefix("faraj-") {
            Some(letter) => format!("topology ({letter})"),
            None => self.network.clone(),
        }
    }

    /// Its time as a row at its size, with the least and the greatest of its executions where they differ.
    pub(super) fn row(&self, configuration: &str) -> Row {
        let row = Row::ours("all-gather time", configuration, "ms", self.time_mean_ms).at(self.kilobytes());
        if self.time_min_ms == self.time_max_ms {
            row
        } else {
            row.between(self.time_min_ms, self.time_max_ms)
        }
    }
}

/// Lines of one value over another, one for each name, in the order in which the names come.
pub(super) fn lines<'a>(
    cells: impl IntoIterator<Item = &'a Gathered>,
    name: impl Fn(&Gathered) -> String,
    x: impl Fn(&Gathered) -> f64,
    y: impl Fn(&Gathered) -> Option<f64>,
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
pub(super) fn bound<'a>(cells: impl IntoIterator<Item = &'a Gathered>) -> Layer {
    let mut marks: Vec<Mark> = Vec::new();
    for cell in cells {
        let at = cell.kilobytes();
        if let Some(y) = cell.bound_ms.filter(|_| marks.iter().all(|mark| mark.x < at)) {
            marks.push(Mark { x: at, y, ..Mark::default() });
        }
    }
    Layer { name: "lower bound".to_owned(), style: Style::Line, marks }
}

/// Bars of one value at every size, side by side, one for each name in the order in which the names come.
pub(super) fn bars(
    cells: &[Gathered],
    (title, label): (&str, &str),
    name: impl Fn(&Gathered) -> String,
    y: impl Fn(&Gathered) -> Option<f64>,
) -> Chart {
    let mut sizes: Vec<u64> = cells.iter().map(|cell| cell.size_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let place = |cell: &Gathered| sizes.partition_point(|size| *size < cell.size_bytes) as f64;
    // A name without any value keeps its layer, so that its bars would stand at the same side in every chart.
    let mut layers = lines(cells, name, place, |cell| Some(y(cell).unwrap_or(f64::NAN)));
    for layer in &mut layers {
        layer.style = Style::Marks;
        layer.marks.retain(|mark| !mark.y.is_nan());
    }
    Chart {
        title: title.to_owned(),
        x: Axis::names("message size", sizes.iter().map(|size| format!("{} KB", *size as f64 / 1024.0))),
        y: Axis::from_zero(label),
        layers,
        bars: true,
        ..Chart::default()
    }
}
