//! What a figure comes to: rows of numbers, a drawing, and remarks about them.

use simnet_output::report::{Yes, record};

/// A figure that has been made.
#[derive(Clone, Debug)]
pub struct Page {
    /// The rows of `data.csv`.
    pub rows: Vec<Row>,
    /// `figure.svg`.
    pub svg: String,
    /// What it shows: one paragraph, in Markdown.
    pub shows: String,
    /// What differs from the paper and why, and what was tried where its numbers cannot be met: a few sentences or
    /// bullets, in Markdown.
    pub differs: String,
}

record! {
    /// A number of ours, with the paper's where it prints one.
    #[derive(Default, PartialEq)]
    pub struct Row {
        /// What it is: `host probes`, `latency`; for a printed number as `papers/reference.csv` has it.
        pub quantity: String,
        /// Of what: `C+A`, `UD_DFS2b`; for a printed number as `papers/reference.csv` has it.
        pub configuration: String,
        /// Where on the horizontal axis, if it is a point of a curve.
        pub x: Option<f64>,
        /// The unit of the number.
        pub unit: String,
        /// Ours; none where nothing came out.
        pub ours: Option<f64>,
        /// The lower end of ours: of a confidence interval, or the least over networks or runs.
        pub low: Option<f64>,
        /// The upper end.
        pub high: Option<f64>,
        /// Not to be trusted: beyond saturation, or not converged.
        pub hollow: Yes,
        /// The number that the paper prints.
        pub paper: Option<f64>,
        /// Where it prints it, as `papers/reference.csv` has it: `Fig6`, `5.4`; empty if it prints none.
        pub printed_in: String,
    }
}

impl Row {
    /// A number of ours that the paper does not print.
    pub fn ours(quantity: &str, configuration: &str, unit: &str, ours: Option<f64>) -> Row {
        let text = str::to_owned;
        Row {
            quantity: text(quantity),
            configuration: text(configuration),
            unit: text(unit),
            ours,
            ..Row::default()
        }
    }

    /// The same at a place of the horizontal axis.
    #[must_use]
    pub fn at(self, x: f64) -> Row {
        Row { x: Some(x), ..self }
    }

    /// The same with its lower and upper end.
    #[must_use]
    pub fn between(self, low: Option<f64>, high: Option<f64>) -> Row {
        Row { low, high, ..self }
    }

    /// Compares ours with the number of these names in `papers/reference.csv`, in its unit; none if it has none.
    pub fn printed(
        paper: &str,
        printed_in: &str,
        quantity: &str,
        of: &str,
        ours: Option<f64>,
    ) -> Option<Row> {
        let printed = simnet_base::papers::printed(paper, printed_in, quantity, of)?;
        let row = Row::ours(quantity, of, &printed.unit, ours);
        Some(Row { paper: Some(printed.value), printed_in: printed_in.to_owned(), ..row })
    }

    /// How much ours is greater than the paper's, in per cent; none without both, or where the paper's is zero.
    ///
    /// Gains in per cent are compared as the factors that they stand for: 25 % is 4 % more than 20 %.
    pub fn deviation_percent(&self) -> Option<f64> {
        let gain = self.quantity.starts_with("throughput gain") && self.unit.starts_with('%');
        let factor = |value: f64| if gain { 1.0 + value / 100.0 } else { value };
        let (ours, paper) = (factor(self.ours?), factor(self.paper?));
        Some((ours / paper - 1.0) * 100.0).filter(|deviation| deviation.is_finite())
    }
}
