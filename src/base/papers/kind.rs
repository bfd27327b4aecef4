//! Kinds of numbers that ours are compared with: printed in a paper, computed from such, or read from words.

/// Says where a paper's number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The paper prints the number.
    Stated,
    /// We computed it from numbers that the paper prints: a sum, a difference, a ratio.
    Derived,
    /// We read it from words: the paper prints no number.
    Words,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Stated, Kind::Derived, Kind::Words];

    /// Returns the kind that `papers/reference.csv` calls by this name.
    pub(super) fn named(name: &str) -> Option<Kind> {
        match name {
            "stated" => Some(Kind::Stated),
            "derived" => Some(Kind::Derived),
            "words" => Some(Kind::Words),
            _ => None,
        }
    }

    /// Returns the name of numbers of this kind, behind their count on a page.
    pub const fn counted(self) -> &'static str {
        match self {
            Kind::Stated => "printed numbers",
            Kind::Derived => "numbers computed from printed ones",
            Kind::Words => "numbers read from words",
        }
    }

    /// Returns the remark behind a number of this kind; empty behind a printed one.
    pub const fn remark(self) -> &'static str {
        match self {
            Kind::Stated => "",
            Kind::Derived => " (computed)",
            Kind::Words => " (from words)",
        }
    }
}
