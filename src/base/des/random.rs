//! Random streams that no other stream's draws can shift, and distributions that are the same on every platform.
//!
//! A [`Stream`] is ChaCha8 under the run's seed, on a stream of its own for every pair of a purpose and a
//! component: adding a component, or a draw for another purpose, changes no other stream.
//!
//! # Scope and limitations
//! All arithmetic is in integers: no `ln` of any platform takes part. [`Stream::exponential`] interpolates the
//! logarithm linearly between 257 exact points, so that its quantiles are off by less than 3 parts in a million
//! of the mean; it cannot exceed 44.4 means (probability 5e-20).
//!
//! # Validation
//! Golden values, the mean and the variance of a million draws, and the table against its defining property.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Mixes the bits of a number so that each of its result's depends on all: a hash whose results are all different.
///
/// # Source
/// The finaliser of SplitMix64: Steele, Lea and Flood 2014.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What a stream of chance is for; one number each, unique in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Purpose(pub u32);

/// A stream of chance for one purpose of one component.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `component` for `purpose` under `seed`.
    pub fn new(seed: u64, purpose: Purpose, component: u32) -> Stream {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::from(purpose.0) << 32 | u64::from(component));
        Stream(rng)
    }

    /// Draws 64 equally likely bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.random()
    }

    /// Draws a number below `bound`, all equally likely to within `bound / 2^64`.
    ///
    /// # Panics
    /// If `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        let drawn = high(self.bits(), bound);
        debug_assert!(drawn < bound, "{drawn} is not below {bound}");
        drawn
    }

    /// Puts `all` into a random order, every order equally likely to within its length / 2^64. Costs O(length).
    ///
    /// # Source
    /// Fisher and Yates, from the last place to the first.
    #[expect(clippy::missing_panics_doc, reason = "what is below a position in memory is one")]
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            let other = self.below(last as u64 + 1);
            all.swap(last, usize::try_from(other).expect("a position in the list"));
        }
    }

    /// Draws from the exponential distribution with this mean, rounded down; saturates.
    ///
    /// # Source
    /// Inversion, `-mean * ln(u)`, with `u` uniform on the multiples of 2^-64 in (0, 1].
    #[inline]
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let product = u128::from(mean) * u128::from(minus_ln(self.bits()));
        debug_assert!(product >> FRACTION <= 45 * u128::from(mean), "64 bits reach 44.4 means");
        u64::try_from(product >> FRACTION).unwrap_or(u64::MAX)
    }
}

/// The high 64 bits of a product: `a * b / 2^64`.
fn high(a: u64, b: u64) -> u64 {
    let [_, high] = halves(u128::from(a) * u128::from(b));
    debug_assert!(high <= a && high <= b, "a share is no more than the whole");
    high
}

fn halves(wide: u128) -> [u64; 2] {
    let bytes = wide.to_le_bytes();
    let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let [low, high] = [half(0), half(8)];
    debug_assert!(u128::from(high) << 64 | u128::from(low) == wide, "two halves are the whole");
    [low, high]
}

/// Fractional bits of the fixed-point numbers below.
const FRACTION: u32 = 32;
/// ln 2 in fixed point: floor(2^32 * 0.693147180559945...).
const LN_2: u64 = 2_977_044_471;
/// `log2(1 + i / 256)` in fixed point, for i in 0..=256.
const LOG2: [u64; 257] = log2_table();

/// `-ln((x + 1) / 2^64)` in fixed point.
#[inline]
fn minus_ln(x: u64) -> u64 {
    let Some(u) = x.checked_add(1) else { return 0 };
    let whole = 63 - u.leading_zeros();
    let mantissa = u << (63 - whole);
    debug_assert!(mantissa >> 63 == 1 && mantissa >> (63 - whole) == u, "no bit is lost");
    let index = usize::try_from((mantissa >> 55) & 0xff).expect("8 bits");
    let between = (mantissa >> (55 - FRACTION)) & ((1 << FRACTION) - 1);
    let (below, above) = (LOG2[index], LOG2[index + 1]);
    let fraction = below + (((above - below) * between) >> FRACTION);
    let log2 = (u64::from(whole) << FRACTION) + fraction;
    debug_assert!(
        (below..above).contains(&fraction),
        "between two points of the table it does not leave them"
    );
    debug_assert!(log2 < 64 << FRACTION, "the number lies below 2^64");
    let minus_log2 = (64 << FRACTION) - log2;
    // At most 2^38 * 2^32 = 2^70: the product needs more than 64 bits.
    u64::try_from((u128::from(minus_log2) * u128::from(LN_2)) >> FRACTION)
        .expect("at most 44.4 in fixed point")
}

const fn log2_table() -> [u64; 257] {
    let mut table = [0; 257];
    let mut i = 0;
    while i < 257 {
        table[i] = log2_of(256 + i as u64);
        assert!(i == 0 || table[i - 1] < table[i], "logarithms rise");
        i += 1;
    }
    assert!(table[0] == 0 && table[256] == 1 << FRACTION, "from that of 1 to that of 2");
    table
}

/// `log2(n / 256)` in fixed point for n in 256..=512, bit by bit: squaring doubles a logarithm.
const fn log2_of(n: u64) -> u64 {
    assert!(256 <= n && n <= 512, "the table spans one octave");
    if n == 512 {
        return 1 << FRACTION;
    }
    let one: u128 = 1 << 62;
    let mut x = (n as u128) << 54;
    let mut log = 0;
    let mut bit = 0;
    while bit < FRACTION {
        x = (x * x) >> 62;
        log <<= 1;
        if x >= 2 * one {
            x >>= 1;
            log |= 1;
        }
        assert!(one <= x && x < 2 * one, "what is left after the whole bits lies in [1, 2)");
        bit += 1;
    }
    assert!(log < 1 << FRACTION, "a number below the octave's end has a logarithm below 1");
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Purpose = Purpose(9_999);

    /// Wrong if the hash changed, and with it everything that it chooses: the first numbers of SplitMix64 from seed 0
    /// and 1234567.
    #[test]
    fn the_hash_is_splitmix64() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn the_streams_never_change() {
        let mut stream = Stream::new(1, TEST, 7);
        let drawn: Vec<u64> = (0..4).map(|_| stream.exponential(1_000_000)).collect();
        assert_eq!(drawn, GOLDEN_EXPONENTIAL);
        let mut stream = Stream::new(1, TEST, 7);
        assert_eq!(stream.bits(), GOLDEN_BITS);
    }

    const GOLDEN_EXPONENTIAL: [u64; 4] = [480_525, 1_990_735, 226_894, 486_990];
    const GOLDEN_BITS: u64 = 11_408_549_951_813_238_169;

    #[test]
    fn streams_are_apart() {
        let first = |seed, purpose, component| Stream::new(seed, Purpose(purpose), component).bits();
        let all = [first(0, 1, 0), first(0, 1, 1), first(0, 2, 0), first(1, 1, 0)];
        for (nth, bits) in all.iter().enumerate() {
            assert!(!all[..nth].contains(bits));
        }
    }

    #[test]
    fn the_logarithm_is_right_to_three_in_a_million() {
        for x in [
            0,
            1,
            2,
            255,
            1 << 20,
            12_345_678_901_234_567,
            u64::MAX / 3,
            u64::MAX / 2,
            u64::MAX - 1,
            u64::MAX,
        ] {
            let exact = 64.0 * std::f64::consts::LN_2 - libm::log(x as f64 + 1.0);
            let ours = minus_ln(x) as f64 / f64::from(1_u32 << 16) / f64::from(1_u32 << 16);
            assert!((exact - ours).abs() < 3e-6, "x = {x}: {exact} against {ours}");
        }
    }

    #[test]
    fn exponential_draws_have_mean_and_variance_of_the_distribution() {
        let (mut stream, draws, mean) = (Stream::new(3, TEST, 0), 1_000_000_u32, 1_000_000_u64);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..draws {
            let x = stream.exponential(mean) as f64 / mean as f64;
            sum += x;
            squares += x * x;
        }
        let (first, second) = (sum / f64::from(draws), squares / f64::from(draws));
        // Standard errors 0.001 and 0.0045: four of each.
        assert!((first - 1.0).abs() < 0.004, "mean {first}");
        assert!((second - 2.0).abs() < 0.018, "second moment {second}");
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut stream = Stream::new(4, TEST, 0);
        let mut seen = [0_u32; 7];
        for _ in 0..70_000 {
            seen[usize::try_from(stream.below(7)).unwrap()] += 1;
        }
        // Standard deviation 93: five of it.
        assert!(seen.iter().all(|n| n.abs_diff(10_000) < 465), "{seen:?}");
    }
}
