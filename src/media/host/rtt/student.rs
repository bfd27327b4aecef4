//! The quantile of Student's t that a 95 % confidence interval needs, in integers.
//!
//! # Source
//! Up to 20 degrees of freedom a table; beyond, the expansion of Abramowitz and Stegun 26.7.5 (after Cornish and
//! Fisher) about the normal quantile z = 1.959963985, up to the fourth power of 1/v:
//! t = z + (z³ + z)/4v + (5z⁵ + 16z³ + 3z)/96v² + (3z⁷ + 19z⁵ + 17z³ - 15z)/384v³ +
//! (79z⁹ + 776z⁷ + 1482z⁵ - 1920z³ - 945z)/92160v⁴.
//!
//! # Validation
//! Unit tests: published values, and for 1 to 999 degrees of freedom the distribution function, integrated numerically,
//! at what is given here.

/// By degrees of freedom from 1 on, in millionths.
const TABLE: [u64; 20] = [
    12_706_205, 4_302_653, 3_182_446, 2_776_445, 2_570_582, 2_446_912, 2_364_624, 2_306_004, 2_262_157,
    2_228_139, 2_200_985, 2_178_813, 2_160_369, 2_144_787, 2_131_450, 2_119_905, 2_109_816, 2_100_922,
    2_093_024, 2_085_963,
];

/// The coefficients of the powers of 1/v from 0 on, in thousand-millionths.
const EXPANSION: [u64; 5] = [1_959_963_985, 2_372_271_230, 2_822_498_616, 2_555_849_680, 1_589_534_053];

/// The 97.5 % quantile of Student's t with so many degrees of freedom, in millionths, right to one of them up to 999
/// degrees.
///
/// # Panics
/// If there are none.
pub fn quantile_ppm(degrees: u64) -> u64 {
    assert!(degrees > 0, "one sample has no interval");
    let place = usize::try_from(degrees - 1).unwrap_or(usize::MAX);
    if let Some(exact) = TABLE.get(place) {
        return *exact;
    }
    let sum = EXPANSION.iter().rev().copied().reduce(|sum, next| next + sum / degrees);
    (sum.unwrap_or(0) + 500) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values printed in every table: wrong if table or expansion were mistyped.
    #[test]
    fn published_values() {
        let printed =
            [(1, 12.706), (10, 2.228), (20, 2.086), (25, 2.060), (30, 2.042), (51, 2.008), (103, 1.983)];
        for (degrees, t) in printed {
            let ours = quantile_ppm(degrees) as f64 / 1e6;
            assert!((ours - t).abs() < 0.0006, "{degrees}: {ours}");
        }
    }

    /// The probability that Student's t with v degrees of freedom lies within ±t, by Simpson's rule: with
    /// t = sqrt(v) tan(a) the density is a power of a cosine.
    fn within(t: f64, v: f64) -> f64 {
        let end = libm::atan(t / v.sqrt());
        let steps = 2_000;
        let integral = |to: f64| {
            let h = to / f64::from(steps);
            let weight = |i| {
                if i == 0 || i == steps {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                }
            };
            let term = |i| weight(i) * libm::pow(libm::cos(f64::from(i) * h), v - 1.0);
            (0..=steps).map(term).sum::<f64>() * h / 3.0
        };
        integral(end) / integral(std::f64::consts::FRAC_PI_2)
    }

    /// Wrong if a quantile were off by more than a millionth: 95 % lie within just above it, not just below.
    #[test]
    fn the_distribution_function_agrees() {
        for degrees in 1..=999_u32 {
            let t = quantile_ppm(u64::from(degrees)) as f64 / 1e6;
            let (low, high) = (within(t - 2e-6, f64::from(degrees)), within(t + 2e-6, f64::from(degrees)));
            assert!(low < 0.95 && 0.95 < high, "{degrees} degrees: {low} to {high}");
        }
    }
}
