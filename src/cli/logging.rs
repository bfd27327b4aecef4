//! The log on stderr: off unless the environment variable `SIMNET_LOG` holds a filter, such as `debug`.

use std::env::{self, VarError};

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::Failure;
use super::output::LegibleLines;

const VARIABLE: &str = "SIMNET_LOG";

/// Turns the log on if requested. It prints no time, so that two logs can be compared.
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
    let filter: Targets = filter.parse().map_err(|error| wrong(&error))?;
    let is_path = |name: &str| name.split("::").all(|part| !part.is_empty() && part.chars().all(is_of_name));
    if let Some((name, _)) = filter.iter().find(|(name, _)| !is_path(name)) {
        return Err(wrong(&format_args!("`{name}` names no module")));
    }
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| LegibleLines::new(std::io::stderr()))
        .with_ansi(false)
        .without_time();
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
    Ok(())
}

/// Whether a name of Rust may have this in it.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
