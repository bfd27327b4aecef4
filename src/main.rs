//! Entry: parse the command line, dispatch to a verb, turn its ending into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    simnet::cli::main()
}
