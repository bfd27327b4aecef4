//! What the names of generated C functions begin with.

use std::fmt;

use thiserror::Error;

/// The most letters: generated names then stay within 127 letters, all significant to every compiler in use.
const MOST_LETTERS: usize = 64;

/// The beginning of names in C: an identifier that programs may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

/// Why a text is no [`Prefix`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadPrefix {
    /// Nothing at all.
    #[error("it is empty")]
    Empty,
    /// Too long.
    #[error("it has more than {MOST_LETTERS} letters")]
    TooLong,
    /// Something that C allows in no identifier, or not at its beginning.
    #[error("a C identifier has only letters of ASCII, digits and `_`, and no digit first; not `{0}`")]
    NotAnIdentifier(char),
    /// C keeps such names for itself.
    #[error("C keeps names that begin with `_` for itself")]
    Reserved,
    /// MPI keeps such names for itself.
    #[error("MPI keeps names that begin with MPI_ or PMPI_ for itself")]
    OfMpi,
}

impl Prefix {
    /// Checks a text. Keywords are allowed: names go on after the prefix.
    ///
    /// # Errors
    /// [`BadPrefix`].
    pub fn new(text: &str) -> Result<Prefix, BadPrefix> {
        let Some(first) = text.chars().next() else { return Err(BadPrefix::Empty) };
        let fits = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
        let stranger = text.chars().find(|letter| !fits(letter));
        if let Some(letter) = stranger.or(Some(first).filter(char::is_ascii_digit)) {
            return Err(BadPrefix::NotAnIdentifier(letter));
        }
        let upper = text.to_ascii_uppercase();
        match upper.split('_').next() {
            Some("") => Err(BadPrefix::Reserved),
            Some("MPI" | "PMPI") => Err(BadPrefix::OfMpi),
            _ if text.len() > MOST_LETTERS => Err(BadPrefix::TooLong),
            _ => Ok(Prefix(text.to_owned())),
        }
    }

    /// In capitals, as macros are written.
    pub(super) fn in_capitals(&self) -> String {
        self.0.to_ascii_uppercase()
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a name got through that no compiler takes, or that belongs to someone else.
    #[test]
    fn only_names_that_a_program_may_use() {
        for fine in ["simnet", "a", "Lab_7", "int", "mpiring", "x_"] {
            assert_eq!(Prefix::new(fine).unwrap().to_string(), fine);
        }
        let refused = [
            ("", BadPrefix::Empty),
            ("9a", BadPrefix::NotAnIdentifier('9')),
            ("a-b", BadPrefix::NotAnIdentifier('-')),
            ("a b", BadPrefix::NotAnIdentifier(' ')),
            ("é", BadPrefix::NotAnIdentifier('é')),
            ("a;", BadPrefix::NotAnIdentifier(';')),
            ("_a", BadPrefix::Reserved),
            ("mpi", BadPrefix::OfMpi),
            ("PMPI_x", BadPrefix::OfMpi),
        ];
        for (text, why) in refused {
            assert_eq!(Prefix::new(text), Err(why), "{text}");
        }
        assert_eq!(Prefix::new(&"a".repeat(65)), Err(BadPrefix::TooLong));
    }
}
