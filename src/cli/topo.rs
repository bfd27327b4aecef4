//! `simnet topo show|convert|diff|generate`.

use clap::Subcommand;

use super::{Common, Exit, Failure};

#[derive(Subcommand)]
pub(super) enum Action {
    /// Print a network's figures
    Show,
}

pub(super) fn run(action: &Action, _common: &Common) -> Result<Exit, Failure> {
    match action {
        Action::Show => Ok(Exit::Fine),
    }
}
