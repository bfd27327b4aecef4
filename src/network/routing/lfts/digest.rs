//! What binds the files of one command: a digest in the first line of each, so that those of two are told apart.
//!
//! ```text
//!   # Written by simnet: forwarding tables of dfsssp on 3 lanes, digest 9f86d081884c7d659a2feaa0c55ad015
//! ```
//!
//! # Scope and limitations
//! Each file appears whole, one after the other: a command that is killed between two of them leaves files of two runs.
//! The digest is of tables, service levels and lanes together, so that the same ones have the same. Files of other
//! programs have none, and go with all.

use std::io;
use std::ops::Range;

use simnet_base::diagnostics::Fault;

use super::ForwardingTables;

/// A digest of what is written to it.
#[derive(Default)]
pub(in crate::routing) struct Digest(blake3::Hasher);

impl Digest {
    /// The digest of all that was written: 32 hexadecimal digits.
    pub(in crate::routing) fn finish(&self) -> String {
        self.0.finalize().to_hex()[..DIGITS].to_owned()
    }
}

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How many hexadecimal digits a digest has.
const DIGITS: usize = 32;

/// What stands before the digest in a first line.
const BEFORE: &str = ", digest ";

/// The end of a first line that carries a digest.
pub(in crate::routing) fn digest_of(digest: &str) -> String {
    format!("{BEFORE}{digest}")
}

/// Returns whether a text is spelt as a digest.
pub(in crate::routing) fn is_digest(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The digest in the first line of a file that simnet wrote, and its place.
pub(super) fn of_head(text: &str) -> Option<(&str, Range<usize>)> {
    let line = text.strip_prefix("# Written by simnet: ")?.lines().next()?;
    let (_, digest) = line.rsplit_once(BEFORE)?;
    let start = digest.as_ptr().addr() - text.as_ptr().addr();
    is_digest(digest).then_some((digest, start..start + digest.len()))
}

/// What is wrong with a file that is of another command than `tables`.
pub(super) fn of_another(tables: &ForwardingTables, text: &str) -> Option<Fault> {
    let (own, (digest, span)) = (tables.digest()?, of_head(text)?);
    (digest != own).then(|| two_commands(own, span))
}

/// The fault of a file whose digest, at `span`, is not that of the tables.
pub(in crate::routing) fn two_commands(tables: &str, span: Range<usize>) -> Fault {
    let message = "another command wrote this file than the forwarding tables";
    Fault::new("two-commands", span, message, format!("the digest {tables}"))
        .with_help("write the tables and all that goes with them by one command")
}
