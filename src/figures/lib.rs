//! The tables and figures of the papers, and some that they do not have, each made by one command.
//!
//! ```text
//!   scenarios ──run, or found in an earlier run's shards──▶ Results ──Figure::make──▶ Page
//!                                                                                      │
//!              results/<paper>/<figure>/{data.csv, figure.svg, README.md} ◀────────────┤
//!              results/README.md: every printed number, ours, the verdict ◀────────────┘
//! ```
//! A figure, or a few alike, is one file: which scenarios it needs, and what it makes of their results. Scenarios are
//! part of the program, so that figures are made anywhere.

mod allgathers;
mod built;
mod cells;
mod check;
mod claims;
mod classes;
mod compared;
mod discoveries;
mod examples;
mod faraj2008;
mod flich2002;
mod hendriks2004;
mod index;
mod lawrence2008;
mod lysne2000;
mod mainwaring1997;
mod mechanisms;
mod page;
mod restated;
mod results;
mod rows;
mod runs;
mod sancho2000;
mod scenarios;
mod text;

pub use built::BuiltFigure;
pub use check::{Difference, against_index, differences, index_differs, strangers};
pub use compared::{ComparedRow, read_data_csv};
pub use index::{FILE as INDEX, FilesOf, INDEX_MARK, index, unanswered};
pub use page::{Page, Row};
pub use restated::restated;
pub use rows::{curves, side_by_side};
pub use runs::{Done, Runs};
pub use simnet_output::report::{Csv, Record};

use serde_json::Value;
use std::collections::BTreeMap;

/// A table or figure.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its folder under `results/`: `mainwaring1997/fig6`.
    pub id: &'static str,
    /// What it shows, as a heading.
    pub title: &'static str,
    /// The scenarios that it needs, as files under `scenarios/`: `mainwaring1997/fig6.toml`.
    pub scenarios: &'static [&'static str],
    /// Whether `--quick` runs the scenarios whole all the same, as they cost next to nothing.
    pub whole_when_quick: bool,
    /// Makes it.
    pub make: fn(&Results<'_>) -> Page,
}

/// What a figure's scenarios came to, in the order in which it names them.
#[derive(Clone, Debug)]
pub struct Results<'a> {
    /// Whether the scenarios were run with `--quick`: smaller, with wider intervals and fewer values.
    pub quick: bool,
    /// The runs.
    pub runs: Vec<&'a ScenarioRun>,
}

/// What one scenario came to.
#[derive(Clone, Debug)]
pub struct ScenarioRun {
    /// The object of `summary.json`.
    pub summary: Value,
    /// The other files of its results folder, by name.
    pub files: BTreeMap<String, String>,
}

/// A paper: its folder, its number in `papers/reference.csv`, its figures.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its folder under `results/`.
    pub name: &'static str,
    /// Its number in `papers/reference.csv`.
    pub number: &'static str,
    /// Its authors and year.
    pub cited: &'static str,
    /// Its tables and figures, and what goes beyond it.
    pub figures: &'static [Figure],
}

impl Paper {
    /// Whether its whole text is at hand, and not its abstract alone.
    pub fn is_whole(&self) -> bool {
        !self.cited.ends_with("(the abstract)")
    }
}

/// All figures, paper by paper; those of which the abstract alone is at hand come last.
pub static PAPERS: [Paper; 7] = [
    Paper {
        name: "mainwaring1997",
        number: "000",
        cited: "Mainwaring, Chun, Schleimer and Wilkerson 1997",
        figures: mainwaring1997::FIGURES,
    },
    Paper {
        name: "faraj2008",
        number: "001",
        cited: "Faraj, Patarasuk and Yuan 2008",
        figures: faraj2008::FIGURES,
    },
    Paper { name: "hendriks2004", number: "002", cited: "Hendriks 2004", figures: hendriks2004::FIGURES },
    Paper {
        name: "lawrence2008",
        number: "003",
        cited: "Lawrence and Yuan 2008",
        figures: lawrence2008::FIGURES,
    },
    Paper {
        name: "sancho2000",
        number: "004",
        cited: "Sancho and Robles 2000",
        figures: sancho2000::FIGURES,
    },
    Paper {
        name: "lysne2000",
        number: "005",
        cited: "Lysne and Duato 2000 (the abstract)",
        figures: lysne2000::FIGURES,
    },
    Paper {
        name: "flich2002",
        number: "006",
        cited: "Flich, Lopez, Malumbres and Duato 2002 (the abstract)",
        figures: flich2002::FIGURES,
    },
];

/// A figure by its id.
pub fn find(id: &str) -> Option<&'static Figure> {
    all().find(|figure| figure.id == id)
}

/// All figures, in the order of [`PAPERS`].
pub fn all() -> impl Iterator<Item = &'static Figure> {
    PAPERS.iter().flat_map(|paper| paper.figures)
}

impl Figure {
    /// The paper's folder: what the id begins with.
    pub fn paper(&self) -> &'static str {
        self.id.split('/').next().unwrap_or_default()
    }
}

/// What tests of several papers' figures ask.
#[cfg(test)]
mod proved {
    use super::{Figure, Results};

    /// Fails if a figure without scenarios looked at no `cases`, or counted any of them `against` what is claimed.
    pub(crate) fn none_of(figure: &Figure, cases: &str, against: &str) {
        let page = (figure.make)(&Results { quick: false, runs: Vec::new() });
        let count = |quantity: &str| page.rows.iter().find(|row| row.quantity == quantity).unwrap().ours;
        assert!(count(cases).unwrap() >= 1.0, "{}: {cases}", figure.id);
        assert_eq!(count(against), Some(0.0), "{}: {against}", figure.id);
    }
}
