//! The integration tests: one binary, one file per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

mod bad_input;
mod balance;
mod cli;
mod closed_forms;
mod comparison;
mod conservation;
mod deadlock_proof;
mod differential;
mod folded_clos;
mod formats;
mod ibnetdiscover;
mod ibsim;
mod mapper;
mod mapper_fabric;
mod mapper_random;
mod measure;
mod oracle;
mod processes;
mod random_network;
mod replay;
mod results;
mod routing;
mod routing_files;
mod routing_oracle;
mod routing_trees;
mod scenario;
mod scenarios;
mod smart;
mod suggest;
mod support;
mod tidy;
mod topology;
mod traffic;
