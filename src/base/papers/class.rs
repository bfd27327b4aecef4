//! What a number of ours owes to the printed one, and what was fitted on which numbers.

use super::names_match;
use crate::cells;

/// What was chosen by which printed numbers: paper, what, where it stands, figure, quantity, configuration, how.
const FITS: &str = include_str!("fits.csv");

/// What a number of ours owes to the printed one that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing: no parameter and no reading was chosen by it, and no copy of a fitted number would hold in its place.
    Predicted,
    /// Nothing was chosen by it, but a copy of a fitted number beside it would hold as well: it tests nothing.
    Copied,
    /// A parameter or a reading was chosen by it.
    Fitted,
    /// It is an input, or a count that the input has by construction.
    Given,
    /// It is computed from other printed numbers.
    FromInput,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 5] =
        [Class::Predicted, Class::Copied, Class::Fitted, Class::Given, Class::FromInput];

    /// As `papers/reference.csv` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Predicted => "predicted",
            Class::Copied => "copied",
            Class::Fitted => "fitted",
            Class::Given => "given",
            Class::FromInput => "from-input",
        }
    }

    /// In words, as every reason for a rule begins.
    pub const fn words(self) -> &'static str {
        match self {
            Class::FromInput => "from input",
            other => other.name(),
        }
    }

    /// The class of this name.
    pub(super) fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// A line of `papers/fits.csv`: something that was chosen by printed numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The paper's number: `000` is mainwaring1997.
    pub paper: String,
    /// What was chosen: a constant with its value, or a reading.
    pub what: String,
    /// The file that has it, from the project's folder.
    pub place: String,
    /// Figure, quantity and configuration of the numbers, as `papers/reference.csv` has them; a name that ends in `*`
    /// stands for whatever begins so.
    pub names: [String; 3],
    /// How it was chosen.
    pub how: String,
}

impl Fit {
    /// Whether it was chosen by the number of this paper, figure, quantity and configuration.
    pub fn is_on(&self, paper: &str, wanted: [&str; 3]) -> bool {
        self.paper == paper && names_match(&self.names, wanted)
    }
}

/// All lines of `papers/fits.csv`, in their order.
pub fn fits() -> Vec<Fit> {
    let lines = cells::records(FITS).skip(1);
    lines.filter_map(|cells| <[String; 7]>::try_from(cells).ok()).map(fit_of).collect()
}

fn fit_of([paper, what, place, figure, quantity, configuration, how]: [String; 7]) -> Fit {
    Fit { paper, what, place, names: [figure, quantity, configuration], how }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::references;

    /// Wrong if a number were called predicted, given or computed although something was chosen by it, or fitted
    /// although nothing was.
    #[test]
    fn what_is_fitted_and_nothing_else_has_a_fit() {
        let fits = fits();
        for row in references() {
            let wanted = [row.figure.as_str(), &row.quantity, &row.configuration];
            let is_chosen_by = fits.iter().any(|fit| fit.is_on(&row.paper, wanted));
            assert_eq!(is_chosen_by, row.class == Class::Fitted, "{row:?}");
        }
    }

    /// Wrong if a line had other cells, or spoke of nothing that a paper prints.
    #[test]
    fn every_fit_is_on_a_printed_number() {
        assert_eq!(FITS.lines().next(), Some("paper,what,place,figure,quantity,configuration,how"));
        assert_eq!(fits().len(), FITS.lines().count() - 1, "seven cells a line");
        for fit in fits() {
            let is_about = |row: &crate::papers::Reference| {
                fit.is_on(&row.paper, [&row.figure, &row.quantity, &row.configuration])
            };
            assert!(references().iter().any(is_about), "{fit:?}");
            assert!(!fit.what.is_empty() && !fit.how.is_empty(), "{fit:?}");
        }
    }
}
