//! The integration tests: one binary, one file per kind of check.

mod folded_clos;
mod routing;
mod routing_oracle;
mod support;
