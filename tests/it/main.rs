//! The integration tests: one binary, one file per kind of check.
mod mapper;
