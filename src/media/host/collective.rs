//! The collective operations of MPI, written on what a [rank](super::rank) sees of its peers.
//!
//! ```text
//!   Algorithm --choose(P, m)--> Choice --allgather--> ring | doubling | bruck | neighbour | shift | gather_broadcast
//!                                                        |  send / recv / exchange over `impl Rank`
//!                                                        v
//!                                      a kernel on a medium, or lock step
//! ```

pub mod algorithm;
pub mod bruck;
pub mod doubling;
pub mod gather_broadcast;
pub mod lockstep;
pub mod neighbour;
pub mod ring;
pub mod selection;
pub mod shift;

pub use algorithm::{Algorithm, Choice, UnknownAlgorithm};

use super::rank::Rank;

/// The contents of a block of data: a number that stands for all its bytes, and does not show whose they are.
///
/// Blocks move between ranks as these numbers; where real bytes travel, they follow from the number, so that a
/// buffer is right exactly when its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contents(pub u64);

impl Contents {
    /// What `rank` contributes in repetition `round` of an operation of a run with this seed; different for each.
    pub fn of(seed: u64, rank: usize, round: u32) -> Contents {
        // SplitMix64's finaliser over the three numbers: a bijection of each for fixed others.
        let mut x = seed ^ ((rank as u64) << 32 | u64::from(round)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Contents(x ^ (x >> 31))
    }
}
