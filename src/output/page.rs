//! The report of a run: one HTML file that opens from disk and needs nothing else.
//!
//! ```text
//!   results folder ──▶ Contents ──▶ sections (one file each) ──▶ one HTML file: text, data, style, scripts
//! ```
//! Names from files are data: markup is made by `maud`, which escapes; scripts make elements and set their text.
//! The head of `document.rs` describes how to add a section.
//!
//! # Scope and limitations
//! It reads what a results folder holds, and never runs anything.

mod contents;
mod curves;
mod deadlocks;
mod document;
mod glossary;
mod histograms;
mod mapping;
mod markup;
mod network;
mod provenance;
pub mod replay;
mod side_by_side;
mod summary;
mod sweep;
mod tables;
mod value;

pub use crate::report::Csv;
pub use contents::{Contents, FileEntry, Refused};
pub use document::{Page, Section, page};
pub use side_by_side::side_by_side;
