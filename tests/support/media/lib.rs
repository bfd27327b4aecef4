//! What tests share that need nothing above `simnet-media`.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "what fails in a test may panic")]

pub mod credits;
pub mod engine;
pub mod ethernet;
pub mod mapping;
pub mod oracle;
pub mod random_case;
pub mod theory;
