//! Sweeps: many points computed on any number of cores and machines, none lost and none computed twice.
//!
//! ```text
//!   Points ──key, cost──▶ run (longest first, every core) ──lines──▶ shards ──merge──▶ points.csv, in plan order
//!                          ▲                                           │
//!                          └────────── what is whole is kept ──────────┘
//! ```
//! The shards are the truth: what is done is what they hold, whoever wrote it.

#[cfg(feature = "parquet")]
pub mod parquet;
mod points;
pub mod slurm;

pub use points::Points;
