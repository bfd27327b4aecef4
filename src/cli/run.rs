//! `simnet run`.

use clap::Args;

use super::{Common, Exit, Failure};

#[derive(Args)]
pub(super) struct Options {}

pub(super) fn run(_options: &Options, _common: &Common) -> Result<Exit, Failure> {
    Ok(Exit::Fine)
}
