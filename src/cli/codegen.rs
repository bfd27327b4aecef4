//! `simnet codegen`: source text for machines that exist.

mod allgather;

use clap::Subcommand;

use super::{Common, Exit, Failure};

#[derive(Subcommand)]
pub(super) enum Action {
    /// Write an MPI_Allgather in C with a contention-free ring built in
    Allgather(Box<allgather::Options>),
}

/// Writes what was asked for.
pub(super) fn run(action: &Action, common: &Common) -> Result<Exit, Failure> {
    match action {
        Action::Allgather(options) => allgather::run(options, common),
    }
}
