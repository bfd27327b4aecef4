//! Rows with the verdict on them, as the lines of `data.csv`.

use simnet_base::papers::{self, Kind, Rule, Tolerance, tolerance};
use simnet_output::report::{Yes, record, table_of};

use super::{Csv, PAPERS, Record, Row};

/// A row and its remark.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The row.
    pub row: Row,
    /// When it holds beside the printed number, where there is one.
    pub tolerance: Option<Tolerance>,
    /// Tells a printed number from one computed or read from words.
    pub kind: Kind,
}

impl ComparedRow {
    /// Judges a row of a paper's figure, by the tolerances of that paper.
    pub fn new(paper: &str, row: Row) -> ComparedRow {
        let stated = || tolerance(paper, &row.printed_in, &row.quantity, &row.configuration);
        let tolerance = row.paper.and_then(|_| stated());
        let number = PAPERS.iter().find(|known| known.name == paper).map_or("", |known| known.number);
        let listed = || papers::kind(number, &row.printed_in, &row.quantity, &row.configuration);
        let kind = row.paper.and_then(|_| listed()).unwrap_or(Kind::Stated);
        ComparedRow { row, tolerance, kind }
    }

    /// The rule by which ours is compared; none where there is nothing to compare.
    pub fn rule(&self) -> Option<Rule> {
        self.tolerance.as_ref().map(|stated| stated.rule).filter(|rule| *rule != Rule::Incomparable)
    }

    /// The tolerance in per cent, where the rule is one.
    pub fn tolerance_percent(&self) -> Option<f64> {
        match self.rule()? {
            Rule::Within(percent) => Some(percent),
            _ => None,
        }
    }

    /// Whether ours holds beside the printed number by its rule; none where there is nothing to compare.
    pub fn holds(&self) -> Option<bool> {
        let (printed, rule) = self.row.paper.zip(self.rule())?;
        let Some(ours) = self.row.ours else { return Some(false) };
        // Of a printed zero nothing can deviate by a share.
        let deviation =
            self.row.deviation_percent().unwrap_or(if ours.abs() > 0.0 { f64::INFINITY } else { 0.0 });
        rule.holds(ours, self.row.low.zip(self.row.high), printed, deviation)
    }
}

record! {
    /// A line of `data.csv`.
    struct Line {
        /// The row; where it is printed stands behind the verdict.
        #[serde(flatten)]
        pub row: Row,
        /// How far ours is from the printed number.
        pub deviation_percent: Option<f64>,
        /// How far it may be; none where the rule is another, as at least or at most.
        pub tolerance_percent: Option<f64>,
        /// Whether it holds by its rule, `yes` or `no`.
        pub holds: Option<String>,
    }
}

/// Rows as `data.csv`.
pub(super) fn data_csv(rows: &[ComparedRow]) -> String {
    let line = |judged: &ComparedRow| Line {
        row: judged.row.clone(),
        deviation_percent: judged.row.deviation_percent(),
        tolerance_percent: judged.tolerance_percent(),
        holds: judged.holds().map(|holds| if holds { "yes" } else { "no" }.to_owned()),
    };
    table_of(&rows.iter().map(line).collect::<Vec<_>>()).ending_with("printed_in").into_csv()
}

/// The rows of a paper's `data.csv`.
pub fn read_data_csv(paper: &str, text: &str) -> Vec<ComparedRow> {
    Csv::parse(text).records().map(row_of).map(|row| ComparedRow::new(paper, row)).collect()
}

/// The row of a line of `data.csv`.
fn row_of(record: Record<'_>) -> Row {
    Row {
        quantity: record.text("quantity").to_owned(),
        configuration: record.text("configuration").to_owned(),
        x: record.number("x"),
        unit: record.text("unit").to_owned(),
        ours: record.number("ours"),
        low: record.number("low"),
        high: record.number("high"),
        hollow: Yes(record.text("hollow") == "yes"),
        paper: record.number("paper"),
        printed_in: record.text("printed_in").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(ours: Option<f64>, paper: f64, rule: Rule) -> ComparedRow {
        let row = Row { paper: Some(paper), ..Row::ours("a, \"b\"", "c", "ms", ours) };
        ComparedRow {
            row,
            tolerance: Some(Tolerance { rule, why: "because".to_owned() }),
            kind: Kind::Stated,
        }
    }

    /// Wrong if a number beyond its tolerance, or none at all, held, or if one that cannot be compared were judged.
    #[test]
    fn a_verdict_needs_a_tolerance() {
        let rows = [
            (Some(103.0), 100.0, Rule::Within(3.0), Some(true)),
            (Some(96.9), 100.0, Rule::Within(3.0), Some(false)),
            (None, 100.0, Rule::Within(3.0), Some(false)),
            (None, 100.0, Rule::AtMost, Some(false)),
            (Some(0.0), 0.0, Rule::Within(0.0), Some(true)),
            (Some(1.0), 0.0, Rule::Within(50.0), Some(false)),
            (Some(103.0), 100.0, Rule::AtLeast, Some(true)),
            (Some(103.0), 100.0, Rule::Range, Some(false)),
            (Some(103.0), 100.0, Rule::Incomparable, None),
        ];
        for (ours, paper, rule, verdict) in rows {
            assert_eq!(judged(ours, paper, rule).holds(), verdict, "{ours:?} {paper} {rule:?}");
        }
    }

    /// Wrong if reading a table lost or changed a number.
    #[test]
    fn what_is_written_is_read() {
        let rows = [Row::ours("q, \"x\"", "c", "ms", Some(0.1 + 0.2)).at(1e-7).between(None, Some(3e40))];
        let rows = rows.map(|row| ComparedRow::new("sancho2000", Row { hollow: Yes(true), ..row }));
        assert_eq!(read_data_csv("sancho2000", &data_csv(&rows)), rows);
    }
}
