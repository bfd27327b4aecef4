//! The integration tests: one binary, one file per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

mod mapper;
mod mapper_random;
mod support;
