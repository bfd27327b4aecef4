//! The integration tests: one binary, one file per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

mod bad_input;
mod closed_forms;
mod differential;
mod folded_clos;
mod oracle;
mod random_network;
mod routing;
mod routing_oracle;
mod support;
