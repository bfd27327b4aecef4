//! The log on stderr: off unless the environment variable `SIMNET_LOG` holds a filter, such as `debug`.

use std::env::{self, VarError};

use tracing_subscriber::EnvFilter;

use super::Failure;
use super::output::LegibleLines;

const VARIABLE: &str = "SIMNET_LOG";

/// Turns the log on if it is asked for. It tells no time, so that two logs can be compared.
///
/// # Errors
/// [`Failure::Usage`] for what is no filter.
pub(super) fn begin() -> Result<(), Failure> {
    let wrong = |why: &dyn std::fmt::Display| {
        let text = format!("{VARIABLE}: {why}; a filter is `debug`, or `simnet::cli=debug,warn`");
        Failure::Usage(text)
    };
    let filter = match env::var(VARIABLE) {
        Ok(filter) => filter,
        Err(VarError::NotPresent) => return Ok(()),
        Err(error) => return Err(wrong(&error)),
    };
    let filter = EnvFilter::builder().parse(filter).map_err(|error| wrong(&error))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| LegibleLines::new(std::io::stderr()))
        .with_ansi(false)
        .without_time()
        .init();
    Ok(())
}
