//! `simnet schema`: the scenario file's JSON Schema, or its reference in Markdown.

use clap::Args;

use super::output::print_data;
use super::{Common, Exit, Failure};
use simnet_scenario as scenario;

#[derive(Args)]
pub(super) struct Options {
    /// Print the tables of docs/SCENARIO.md instead
    #[arg(long)]
    reference: bool,
}

pub(super) fn run(options: &Options, _common: &Common) -> Result<Exit, Failure> {
    let text = if options.reference { scenario::reference() } else { format!("{:#}\n", scenario::schema()) };
    print_data(&text)?;
    Ok(Exit::Fine)
}
