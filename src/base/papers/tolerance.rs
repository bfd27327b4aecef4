//! How near to a printed number ours is meant to come: stated with reasons, before anybody looks whether it does.

use crate::cells;

/// What is stated, by the paper's folder.
const TOLERANCES: [(&str, &str); 5] = [
    ("faraj2008", include_str!("tolerances/faraj2008.csv")),
    ("hendriks2004", include_str!("tolerances/hendriks2004.csv")),
    ("lawrence2008", include_str!("tolerances/lawrence2008.csv")),
    ("mainwaring1997", include_str!("tolerances/mainwaring1997.csv")),
    ("sancho2000", include_str!("tolerances/sancho2000.csv")),
];

/// A stated tolerance, or the reason why there can be none.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// How much ours may be greater or less, in per cent; none where the numbers cannot be compared.
    pub percent: Option<f64>,
    /// Why that much, or why not at all.
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
    lines.filter_map(|cells| <[String; 5]>::try_from(cells).ok()).map(Stated::new).collect()
}

impl Stated {
    fn new([figure, quantity, configuration, percent, why]: [String; 5]) -> Stated {
        let tolerance = Tolerance { percent: percent.parse().ok(), why };
        Stated { names: [figure, quantity, configuration], tolerance }
    }

    /// Whether the line is about these figure, quantity and configuration.
    pub fn matches(&self, wanted: [&str; 3]) -> bool {
        self.names.iter().zip(wanted).all(|(name, want)| match name.strip_suffix('*') {
            Some(beginning) => want.starts_with(beginning),
            None => name == want,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::references;

    /// The papers' folders in the order of their numbers.
    const PAPERS: [&str; 5] = ["mainwaring1997", "faraj2008", "hendriks2004", "lawrence2008", "sancho2000"];

    /// Wrong if a line spoke of nothing that a paper prints, or had neither a number nor a reason.
    #[test]
    fn every_line_is_about_a_printed_number() {
        for (paper, text) in TOLERANCES {
            let number = PAPERS.iter().position(|known| *known == paper).expect(paper);
            let own: Vec<_> =
                references().into_iter().filter(|r| r.paper == format!("{number:03}")).collect();
            let head = "figure,quantity,configuration,tolerance_percent,why";
            assert_eq!(text.lines().next(), Some(head), "{paper}");
            assert_eq!(
                stated_tolerances(paper).len(),
                text.lines().count() - 1,
                "{paper}: five cells a line"
            );
            for line in stated_tolerances(paper) {
                assert!(
                    own.iter().any(|r| line.matches([&r.figure, &r.quantity, &r.configuration])),
                    "{line:?}"
                );
                assert!(!line.tolerance.why.is_empty(), "{line:?}");
            }
            for line in cells::records(text).skip(1) {
                let percent = &line[3];
                assert!(percent == "-" || percent.parse::<f64>().is_ok_and(|p| p >= 0.0), "{line:?}");
            }
        }
    }

    /// Wrong if a star matched elsewhere than at the end of a name.
    #[test]
    fn a_star_matches_the_rest() {
        let line = ["Fig7", "mapping time*", "C*", "6", "fitted"].map(str::to_owned);
        let line = Stated::new(line);
        assert!(line.matches(["Fig7", "mapping time min, one master", "C+A"]));
        assert!(
            !line.matches(["Fig7", "the mapping time", "C"]) && !line.matches(["Fig70", "mapping time", "C"])
        );
    }
}
