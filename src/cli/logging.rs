//! The log on stderr: off unless the environment variable `SIMNET_LOG` holds a filter, such as `debug`.

use std::env::{self, VarError};
use std::io::{self, Write};

use tracing_subscriber::EnvFilter;

use super::Failure;
use crate::diagnostics::legible_lines;

/// Stderr, to which a log's lines go with hidden characters escaped.
struct Legible;

impl Write for Legible {
    /// Takes whole lines, as the log writes them.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(legible_lines(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

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
        .with_writer(|| Legible)
        .with_ansi(false)
        .without_time()
        .init();
    Ok(())
}
