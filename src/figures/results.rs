//! What figures read off the runs of their scenarios.

use serde_json::Value;

use simnet_output::report::{Csv, Record};
use simnet_scenario::expect::look_up;

use super::{Results, Row, ScenarioRun};

impl Results<'_> {
    /// The object of `summary.json` of a run; runs are numbered as the figure names their scenarios, from 0.
    ///
    /// # Panics
    /// If the figure does not name so many scenarios.
    pub fn summary(&self, nth: usize) -> &Value {
        &self.run(nth).summary
    }

    /// The number at a path of a run's summary, as `[expect]` has it: `points.0.latency_mean_ns`; none if there is
    /// none.
    ///
    /// # Panics
    /// As [`Results::summary`].
    pub fn at(&self, nth: usize, path: &str) -> Option<f64> {
        look_up(self.summary(nth), path)?.as_f64()
    }

    /// A file that a run left, as text.
    ///
    /// # Panics
    /// If it left no such file: a bug of the figure.
    pub fn file(&self, nth: usize, name: &str) -> &str {
        let file = self.run(nth).files.get(name);
        file.unwrap_or_else(|| panic!("run {nth} of the figure leaves no file {name}"))
    }

    /// A table that a run left.
    ///
    /// # Panics
    /// As [`Results::file`].
    pub fn csv(&self, nth: usize, name: &str) -> Csv {
        Csv::parse(self.file(nth, name))
    }

    /// The printed numbers that the scenario names as its references, with ours: its `paper.csv`. None if it
    /// names none.
    ///
    /// # Panics
    /// As [`Results::summary`].
    pub fn printed(&self, nth: usize) -> Vec<Row> {
        let Some(file) = self.run(nth).files.get("paper.csv") else { return Vec::new() };
        Csv::parse(file).records().map(printed_row).collect()
    }

    fn run(&self, nth: usize) -> &ScenarioRun {
        self.runs.get(nth).unwrap_or_else(|| panic!("the figure names no scenario {nth}"))
    }
}

/// The row of a line of a run's `paper.csv`.
fn printed_row(record: Record<'_>) -> Row {
    Row {
        quantity: record.text("quantity").to_owned(),
        configuration: record.text("configuration").to_owned(),
        unit: record.text("unit").to_owned(),
        ours: record.number("ours"),
        low: record.number("ours_min"),
        high: record.number("ours_max"),
        paper: record.number("printed"),
        printed_in: record.text("figure").to_owned(),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Wrong if a cell were found under another name, or a printed number lost its place in the paper.
    #[test]
    fn cells_and_numbers_are_found_by_their_names() {
        let paper = "paper,figure,quantity,configuration,unit,printed,ours,deviation_percent,ours_min,ours_max\n\
                     000,Fig6,host probes,C,msg,200,,,,\n\
                     000,Fig6,\"a, b\",C,msg,200,210,5,190,220\n";
        let files = [("paper.csv".to_owned(), paper.to_owned())].into();
        let run = ScenarioRun { summary: json!({"points": [{"load": 0.5}]}), files };
        let results = Results { quick: false, runs: vec![&run] };
        assert_eq!(results.at(0, "points.0.load"), Some(0.5));
        assert_eq!(results.at(0, "points.1.load"), None);
        let rows = results.printed(0);
        assert_eq!((rows[0].ours, rows[0].paper, rows[0].printed_in.as_str()), (None, Some(200.0), "Fig6"));
        assert_eq!(
            (rows[1].quantity.as_str(), rows[1].low, rows[1].high),
            ("a, b", Some(190.0), Some(220.0))
        );
        let table = results.csv(0, "paper.csv");
        assert_eq!(table.of(&[("quantity", "a, b")]).count(), 1);
        assert_eq!(table.choices("configuration"), ["C"]);
    }
}
