//! Tables, curves, drawings, pages and generated source: what becomes of results.
//!
//! # The guided tour
//!
//! A table is made of records: a field is a column, and the sentence above it says what it means.
//!
//! ```
//! use simnet_output::report::{record, table_of};
//!
//! record! {
//!     /// What a load came to.
//!     pub struct Point {
//!         /// Payload flits a cycle and host.
//!         pub load: f64,
//!         /// The mean time from creation to arrival.
//!         pub latency_mean_ns: f64,
//!     }
//! }
//!
//! let points = [Point { load: 0.01, latency_mean_ns: 1_850.0 }, Point { load: 0.02, latency_mean_ns: 2_041.5 }];
//! let table = table_of(&points);
//! assert_eq!(table.into_csv(), "load,latency_mean_ns\n0.01,1850\n0.02,2041.5\n");
//! ```
//!
//! [`page`] makes one HTML file of a folder of results, [`codegen`] source for real machines. Neither runs anything.

pub mod codegen;
pub mod page;
pub mod report;
