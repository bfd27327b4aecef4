//! How long bytes take at a rate.

use crate::units::{BitRate, Bytes};

/// A rate, ready to be multiplied with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pace {
    /// A byte takes a whole number of picoseconds.
    Whole(u64),
    /// It does not: times are rounded up.
    Broken(BitRate),
}

impl Pace {
    pub(super) fn new(rate: BitRate) -> Pace {
        const BYTE: u64 = 8_000_000_000_000;
        let rest = BYTE % rate.as_bits_per_s();
        if rest == 0 { Pace::Whole(BYTE / rate.as_bits_per_s()) } else { Pace::Broken(rate) }
    }

    /// The picoseconds that so many bytes take together, rounded up once; saturates.
    pub(super) fn time(self, bytes: u32) -> u64 {
        match self {
            Pace::Whole(byte) => byte.saturating_mul(u64::from(bytes)),
            Pace::Broken(rate) => rate.time_for(Bytes(u64::from(bytes))).as_ps(),
        }
    }

    /// As [`Pace::time`], for many bytes.
    pub(super) fn time_of_many(self, bytes: u64) -> u64 {
        match self {
            Pace::Whole(byte) => byte.saturating_mul(bytes),
            Pace::Broken(rate) => rate.time_for(Bytes(bytes)).as_ps(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the fast way rounded otherwise than the slow one.
    #[test]
    fn a_pace_is_the_rate_rounded_up_once() {
        for rate in [1, 7, 10_000_000, 33_333_333, 100_000_000, 622_080_000, 10u64.pow(10), 4 * 10u64.pow(11)]
        {
            let rate = BitRate::new(rate).unwrap();
            for bytes in [0, 1, 12, 72, 1_526, 1_538, 9_038, u32::MAX] {
                let exact = rate.time_for(Bytes(u64::from(bytes))).as_ps();
                assert_eq!(Pace::new(rate).time(bytes), exact, "{bytes} B at {rate:?}");
            }
        }
    }
}
