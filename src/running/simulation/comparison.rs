//! Comparisons with the papers' numbers, and what reports of several runs have in common.

use std::fmt::Write as _;

use simnet_base::diagnostics::legible_lines;
use simnet_base::measure::Spread;
use simnet_base::numbers::{self, deviation, or_dash};
use simnet_output::report::{README_MARK, markdown, record, table_of};
use simnet_scenario::Checked;
use simnet_scenario::printed::{PaperNumber, Statistic};

record! {
    /// A printed number and ours.
    pub struct PaperReport {
        /// The paper.
        pub paper: String,
        /// The table or figure.
        pub figure: String,
        /// The quantity.
        pub quantity: String,
        /// The configuration.
        pub configuration: String,
        /// Its unit, with what the paper says about it.
        pub unit: String,
        /// The printed number.
        pub printed: f64,
        /// Ours, in the same unit.
        pub ours: Option<f64>,
        /// How much ours is greater; of gains in per cent, how much the factor is greater.
        pub deviation_percent: Option<f64>,
        /// The least of ours over the networks or runs.
        pub ours_min: Option<f64>,
        /// The greatest of ours over the networks or runs.
        pub ours_max: Option<f64>,
    }
}

impl PaperReport {
    /// Compares a statistic of ours with a printed number. Gains printed in per cent are ratios of ours, and are
    /// compared as the factors that they stand for: 1.25 is 4 % more than 1.20.
    pub(crate) fn of(
        number: &PaperNumber,
        ours: Option<Spread>,
        taken: Statistic,
        is_ratio: bool,
    ) -> PaperReport {
        let gain = is_ratio && number.printed.unit.starts_with('%') && taken != Statistic::Variation;
        let unit = |value: f64| if gain { (value - 1.0) * 100.0 } else { value };
        let bounds = ours.filter(|_| taken != Statistic::Variation).map(|s| (unit(s.min), unit(s.max)));
        let ours = ours.map(|spread| unit(taken.of(spread)));
        let report = PaperReport::new(number, ours, bounds);
        let factor = |value: f64| 1.0 + value / 100.0;
        let as_factors = ours.map(|ours| (factor(ours) / factor(number.printed.value) - 1.0) * 100.0);
        let of_factors = as_factors.filter(|percent| gain && percent.is_finite());
        PaperReport { deviation_percent: of_factors.or(report.deviation_percent.filter(|_| !gain)), ..report }
    }

    /// Compares ours with a printed number, both in its unit, with the least and the greatest of ours.
    pub(super) fn new(number: &PaperNumber, ours: Option<f64>, bounds: Option<(f64, f64)>) -> PaperReport {
        let deviation = ours.map(|ours| (ours / number.printed.value - 1.0) * 100.0);
        let [paper, figure, quantity, configuration] = number.names.clone();
        PaperReport {
            paper,
            figure,
            quantity,
            configuration,
            unit: number.printed.unit.clone(),
            printed: number.printed.value,
            ours,
            deviation_percent: deviation.filter(|deviation| deviation.is_finite()),
            ours_min: bounds.map(|(min, _)| min),
            ours_max: bounds.map(|(_, max)| max),
        }
    }
}

/// The comparisons with printed numbers as `paper.csv`.
pub(crate) fn paper(rows: &[PaperReport]) -> String {
    table_of(rows).into_csv()
}

/// The same as a table of a page; nothing for no rows.
pub(crate) fn paper_page(rows: &[PaperReport]) -> String {
    let mut text = String::new();
    if !rows.is_empty() {
        text.push_str("\n| printed | | unit | paper | ours | deviation | ours, least to greatest |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
    }
    for row in rows {
        let range = row.ours_min.zip(row.ours_max);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            markdown(&row.quantity),
            markdown(&row.configuration),
            markdown(&row.unit),
            row.printed,
            or_dash(row.ours.map(short)),
            or_dash(row.deviation_percent.map(deviation)),
            range.map(|(min, max)| format!("{} to {}", short(min), short(max))).unwrap_or_default(),
        );
    }
    text
}

/// The head of a folder's page: what it is about, what was run on which networks, and what each file holds.
pub(super) fn page_head(
    checked: &Checked,
    methods: &[&str],
    networks: &[&str],
    files: &[(String, String)],
    about: impl Fn(&str) -> &'static str,
) -> String {
    let (name, seed) = (&checked.name, checked.seed);
    let mut text = format!("{README_MARK}\n# {name}\n\n");
    if let Some(description) = &checked.description {
        let _ = writeln!(text, "{}\n", legible_lines(description));
    }
    let (methods, networks) = (methods.join(", "), few(networks));
    let _ = writeln!(
        text,
        "Made by `simnet run` of the scenario `{name}` (seed {seed}): {methods} on {networks}.\n"
    );
    for (name, _) in files {
        let _ = writeln!(text, "* `{name}`: {}", about(name));
    }
    text
}

/// Some names, in Markdown, and how many more there are.
pub(super) fn few(names: &[&str]) -> String {
    match names {
        [first, _, _, _, _, .., last] => {
            format!("{} to {} ({} networks)", markdown(first), markdown(last), names.len())
        }
        few => few.iter().map(|name| markdown(name)).collect::<Vec<_>>().join(", "),
    }
}

/// A number for people, rounded to three decimals.
pub(super) fn short(value: f64) -> String {
    numbers::rounded(value, 3)
}
