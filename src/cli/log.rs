//! The log that `SIMNET_LOG` turns on: a `tracing` filter, written to stderr.

use std::env;
use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::uptime;

use super::Failure;

/// The variable that holds the filter.
const VARIABLE: &str = "SIMNET_LOG";

/// Begins to log if the environment asks for it.
pub(super) fn begin() -> Result<(), Failure> {
    let bad =
        |why: String| Failure::Usage(format!("{VARIABLE}: {why}; expected a filter, as in simnet=debug"));
    let filter = match env::var(VARIABLE) {
        Err(env::VarError::NotPresent) => return Ok(()),
        Ok(filter) if filter.trim().is_empty() => return Ok(()),
        Ok(filter) => filter,
        Err(error @ env::VarError::NotUnicode(_)) => return Err(bad(error.to_string())),
    };
    let filter = EnvFilter::builder().parse(filter).map_err(|error| bad(error.to_string()))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_timer(uptime());
    log.with_writer(io::stderr).with_ansi(false).init();
    Ok(())
}
