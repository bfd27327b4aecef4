//! Source text for real machines: a ring's all-gather as a C routine, measuring round-trip times as a C program.
//!
//! ```text
//!   Network, Ring, Prefix --Allgather--> routine, header, self-check, Makefile
//!   Plan, Prefix --RttProgram--> program, Makefile, README
//! ```

mod allgather;
mod manifest;
mod prefix;
mod rtt;
mod text;

pub use allgather::Allgather;
pub use manifest::{SOURCE, manifest};
pub use prefix::{BadPrefix, Prefix};
pub use rtt::{BadNumber, Number, RttProgram};

/// What `make` reads.
const MAKEFILE: &str = "Makefile";

/// The first line of every [`MAKEFILE`].
const MARK: &str = "# Written by simnet codegen, which replaces this folder.";

/// A file of generated source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, without a folder.
    pub name: String,
    /// What stands in it; ends with a line feed.
    pub text: String,
}
