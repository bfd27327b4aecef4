//! What stands out in round-trip times, or keeps an inference from being sure.

use super::Doubt;

/// Something that whoever uses an inferred tree should know; machines are numbered as in the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Something about the paper's inference.
    Doubt(Doubt),
}

impl Finding {
    /// A short name of its kind, which scripts may rely on.
    pub const fn code(&self) -> &'static str {
        match self {
            Finding::Doubt(doubt) => doubt.code(),
        }
    }

    /// The machines that it is about, worst first; none where it is about all.
    pub fn machines(&self) -> Vec<usize> {
        match self {
            Finding::Doubt(doubt) => doubt.machines(),
        }
    }

    /// Says it in one sentence, and what it does to the inference; `names` are the machines'.
    pub fn describe(&self, names: &[String]) -> String {
        match self {
            Finding::Doubt(doubt) => doubt.describe(names),
        }
    }
}
