//! How a number of ours is compared with the printed one: stated with reasons, before anybody looks whether it holds.

use super::names_match;
use crate::cells;

/// What is stated, by the paper's folder.
const TOLERANCES: [(&str, &str); 7] = [
    ("faraj2008", include_str!("tolerances/faraj2008.csv")),
    ("flich2002", include_str!("tolerances/flich2002.csv")),
    ("hendriks2004", include_str!("tolerances/hendriks2004.csv")),
    ("lawrence2008", include_str!("tolerances/lawrence2008.csv")),
    ("lysne2000", include_str!("tolerances/lysne2000.csv")),
    ("mainwaring1997", include_str!("tolerances/mainwaring1997.csv")),
    ("sancho2000", include_str!("tolerances/sancho2000.csv")),
];

/// When a number of ours holds beside the printed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// If it is greater or less by at most so many per cent.
    Within(f64),
    /// If it is at least as great: "more than", "at least".
    AtLeast,
    /// If it is at most as great: "not larger than", "within".
    AtMost,
    /// If the printed number lies between the ends of ours: quantiles of what chance alone makes of it.
    Range,
    /// Never: the numbers cannot be compared.
    Incomparable,
}

/// A stated rule with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// When ours holds.
    pub rule: Rule,
    /// The class of the number in words, what was fitted on it, if anything, and why this rule; one sentence.
    pub why: String,
}

/// A line of `papers/tolerances/<paper>.csv`; a name that ends in `*` matches whatever begins so.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// Figure, quantity and configuration, as `papers/reference.csv` has them.
    pub names: [String; 3],
    /// What it states.
    pub tolerance: Tolerance,
}

/// The tolerance of a number that a paper prints, by the paper's folder, the place in the paper, the quantity and the
/// configuration: that of the first line that matches. Costs a walk through the paper's lines.
pub fn tolerance(paper: &str, figure: &str, quantity: &str, configuration: &str) -> Option<Tolerance> {
    let wanted = [figure, quantity, configuration];
    Some(stated_tolerances(paper).into_iter().find(|line| line.matches(wanted))?.tolerance)
}

/// All lines of a paper's tolerances, in their order.
pub fn stated_tolerances(paper: &str) -> Vec<Stated> {
    let text = TOLERANCES.iter().find(|(of, _)| *of == paper).map_or("", |(_, text)| text);
    let lines = cells::records(text).skip(1);
    lines.filter_map(|cells| <[String; 5]>::try_from(cells).ok()).filter_map(Stated::of_cells).collect()
}

impl Rule {
    /// The rule of a cell: a number of per cent, `at least`, `at most`, `range` or `-`.
    fn of_cell(cell: &str) -> Option<Rule> {
        match cell {
            "at least" => Some(Rule::AtLeast),
            "at most" => Some(Rule::AtMost),
            "range" => Some(Rule::Range),
            "-" => Some(Rule::Incomparable),
            percent => percent.parse().ok().filter(|percent| *percent >= 0.0).map(Rule::Within),
        }
    }

    /// Whether `ours` with its lower and upper end holds beside the printed number, from which it deviates by so many
    /// per cent; none if they cannot be compared.
    pub fn holds(self, ours: f64, ends: Option<(f64, f64)>, printed: f64, deviation: f64) -> Option<bool> {
        // Rounding in the last digits is no miss.
        let slack = 1e-9 * printed.abs();
        match self {
            Rule::Within(percent) => Some(deviation.abs() <= percent + 1e-9),
            Rule::AtLeast => Some(ours >= printed - slack),
            Rule::AtMost => Some(ours <= printed + slack),
            Rule::Range => {
                Some(ends.is_some_and(|(low, high)| low <= printed + slack && printed <= high + slack))
            }
            Rule::Incomparable => None,
        }
    }
}

impl Stated {
    fn of_cells([figure, quantity, configuration, rule, why]: [String; 5]) -> Option<Stated> {
        let tolerance = Tolerance { rule: Rule::of_cell(&rule)?, why };
        Some(Stated { names: [figure, quantity, configuration], tolerance })
    }

    /// Whether the line is about these figure, quantity and configuration.
    pub fn matches(&self, wanted: [&str; 3]) -> bool {
        names_match(&self.names, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::{Reference, references};

    /// The papers' folders in the order of their numbers.
    const PAPERS: [&str; 7] = [
        "mainwaring1997",
        "faraj2008",
        "hendriks2004",
        "lawrence2008",
        "sancho2000",
        "lysne2000",
        "flich2002",
    ];

    /// The printed numbers of a paper, by its folder.
    fn of_paper(paper: &str) -> Vec<Reference> {
        let number = PAPERS.iter().position(|known| *known == paper).expect(paper);
        references().into_iter().filter(|r| r.paper == format!("{number:03}")).collect()
    }

    /// Wrong if a line spoke of nothing that a paper prints, or had neither a rule nor a reason.
    #[test]
    fn every_line_is_about_a_printed_number() {
        for (paper, text) in TOLERANCES {
            let own = of_paper(paper);
            let head = "figure,quantity,configuration,rule,why";
            assert_eq!(text.lines().next(), Some(head), "{paper}");
            let lines = stated_tolerances(paper);
            assert_eq!(
                lines.len(),
                text.lines().count() - 1,
                "{paper}: five cells a line, the fourth a rule"
            );
            for line in lines {
                assert!(
                    own.iter().any(|r| line.matches([&r.figure, &r.quantity, &r.configuration])),
                    "{line:?}"
                );
            }
        }
    }

    /// Wrong if a printed number had no rule, or a rule whose reason does not begin with the number's class and say
    /// more than that.
    #[test]
    fn the_reason_of_every_number_names_its_class() {
        for paper in PAPERS {
            for row in of_paper(paper) {
                let stated = tolerance(paper, &row.figure, &row.quantity, &row.configuration);
                let why = stated.unwrap_or_else(|| panic!("{row:?}: no rule")).why;
                let reason = why.strip_prefix(row.class.words()).and_then(|rest| rest.strip_prefix(": "));
                assert!(reason.is_some_and(|reason| reason.len() > 8), "{row:?}: {why}");
            }
        }
    }

    /// Wrong if a star matched elsewhere than at the end of a name.
    #[test]
    fn a_star_matches_the_rest() {
        let line = ["Fig7", "mapping time*", "C*", "6", "fitted"].map(str::to_owned);
        let line = Stated::of_cells(line).unwrap();
        assert!(line.matches(["Fig7", "mapping time min, one master", "C+A"]));
        assert!(
            !line.matches(["Fig7", "the mapping time", "C"]) && !line.matches(["Fig70", "mapping time", "C"])
        );
    }

    /// Wrong if a number held on the wrong side of a printed one, or a range held what lies outside of it.
    #[test]
    fn rules_have_their_sides() {
        let rows = [
            ("6", 106.0, None, Some(true)),
            ("6", 93.0, None, Some(false)),
            ("at least", 250.0, None, Some(true)),
            ("at least", 99.0, None, Some(false)),
            ("at most", 100.0, None, Some(true)),
            ("at most", 101.0, None, Some(false)),
            ("range", 150.0, Some((100.0, 200.0)), Some(true)),
            ("range", 100.0, Some((101.0, 200.0)), Some(false)),
            ("range", 100.0, None, Some(false)),
            ("-", 100.0, None, None),
        ];
        for (cell, ours, ends, holds) in rows {
            let rule = Rule::of_cell(cell).unwrap();
            assert_eq!(rule.holds(ours, ends, 100.0, ours - 100.0), holds, "{cell}: {ours}");
        }
        assert!(["", "+", "-6", "within"].iter().all(|cell| Rule::of_cell(cell).is_none()));
    }
}
