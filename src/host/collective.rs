//! The collective operations of MPI, written on what a [rank](super::rank) sees of its peers.
//!
//! ```text
//!   Algorithm --choose(P, m)--> Choice --allgather--> ring | doubling | bruck | neighbour | shift | gather_broadcast
//!                                                        |  send / recv / exchange over `impl Rank`
//!                                                        v
//!                                      a kernel on a medium, or a unit test's lock step
//! ```

pub mod algorithm;
pub mod bruck;
pub mod contents;
pub mod doubling;
pub mod gather_broadcast;
#[cfg(test)]
mod lockstep;
pub mod neighbour;
pub mod ring;
pub mod selection;
pub mod shift;

pub use algorithm::{Algorithm, Choice, UnknownAlgorithm};
pub use contents::Contents;

use super::rank::Rank;
