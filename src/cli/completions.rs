//! `simnet completions`: what a shell needs to complete simnet's command line.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::output::print_data;
use super::{Cli, Common, Exit, Failure};

#[derive(Args)]
pub(super) struct Options {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script of a shell, made from the declaration of the command line.
pub(super) fn run(options: &Options, _common: &Common) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "simnet", &mut script);
    print_data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
