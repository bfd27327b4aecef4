//! Source text for real machines: a ring's all-gather as a C routine.
//!
//! ```text
//!   Network, Ring, Prefix --Allgather--> routine, header, self-check, Makefile
//! ```

mod allgather;
mod prefix;
mod text;

pub use allgather::{Allgather, MAKEFILE, MARK};
pub use prefix::{BadPrefix, Prefix};

/// A file of generated source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, without a folder.
    pub name: String,
    /// What stands in it; ends with a line feed.
    pub text: String,
}
