//! How near to a printed number ours is meant to come: stated with reasons, before anybody looks whether it does.

use crate::cells;

include!(concat!(env!("OUT_DIR"), "/tolerances.rs"));

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
    let file = TOLERANCES.iter().find(|(path, _)| path.strip_suffix(".csv") == Some(paper));
    let text = file.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok()).unwrap_or_default();
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
    use super::super::references;
    use super::*;

    /// The papers' folders in the order of their numbers.
    const PAPERS: [&str; 5] = ["mainwaring1997", "faraj2008", "hendriks2004", "lawrence2008", "sancho2000"];

    /// Wrong if a line spoke of nothing that a paper prints, or had neither a number nor a reason.
    #[test]
    fn every_line_is_about_a_printed_number() {
        for (path, bytes) in TOLERANCES {
            let paper = path.strip_suffix(".csv").unwrap();
            let number = PAPERS.iter().position(|known| *known == paper).expect(path);
            let own: Vec<_> =
                references().into_iter().filter(|r| r.paper == format!("{number:03}")).collect();
            let text = std::str::from_utf8(bytes).unwrap();
            assert_eq!(
                text.lines().next(),
                Some("figure,quantity,configuration,tolerance_percent,why"),
                "{path}"
            );
            assert_eq!(stated_tolerances(paper).len(), text.lines().count() - 1, "{path}: five cells a line");
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
