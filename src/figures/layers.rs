//! Rows as layers of a chart.

use crate::report::{Layer, Mark};

use super::Row;

impl Row {
    /// Ours as a mark at a place of the horizontal axis; none without a number.
    pub fn mark(&self, x: f64) -> Option<Mark> {
        Some(Mark::at(x, self.ours?).between(self.low, self.high).hollow(self.hollow.0))
    }
}

/// The curves of a quantity: a line a configuration, in the order of their first rows, through its rows that have a
/// place on the horizontal axis; then what the paper prints of it there.
pub fn curves(rows: &[Row], quantity: &str) -> Vec<Layer> {
    let rows = || rows.iter().filter(|row| row.quantity == quantity && row.x.is_some());
    let mut names: Vec<&str> = Vec::new();
    for row in rows() {
        if !names.contains(&row.configuration.as_str()) {
            names.push(&row.configuration);
        }
    }
    let line = |name: &&str| {
        let own = rows().filter(|row| row.configuration == *name);
        Layer::line(name, own.filter_map(|row| row.mark(row.x?)).collect())
    };
    let mut layers: Vec<Layer> = names.iter().map(line).collect();
    let printed: Vec<Mark> = rows().filter_map(|row| Some(Mark::at(row.x?, row.paper?))).collect();
    if !printed.is_empty() {
        layers.push(Layer::paper(printed));
    }
    layers
}

/// Rows side by side, at the places 0, 1, 2, ... of named categories: ours under a name, then the paper's.
pub fn side_by_side(name: &str, rows: &[&Row]) -> Vec<Layer> {
    let placed = || rows.iter().enumerate().map(|(place, row)| (place as f64, *row));
    let ours = placed().filter_map(|(x, row)| row.mark(x)).collect();
    let printed: Vec<Mark> = placed().filter_map(|(x, row)| Some(Mark::at(x, row.paper?))).collect();
    let mut layers = vec![Layer::marks(name, ours)];
    if !printed.is_empty() {
        layers.push(Layer::paper(printed));
    }
    layers
}
