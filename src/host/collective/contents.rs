//! What is in a block of data, as a number.

/// The contents of a block of data: a number that stands for all its bytes, and tells nothing of whose they are.
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
