//! The scenario: text that says what is cabled, what runs, what to measure and what to expect.
//!
//! ```text
//!   text (TOML) --toml--> tree of located values --wire--> keys and types --checked--> Checked
//! ```
//! Reads, never runs. Every fault of every file is reported at once.

pub mod checked;
pub mod cycles;
pub mod expect;

pub use checked::Checked;
