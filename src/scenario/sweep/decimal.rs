//! Decimal numbers, exact: what ranges count in, so that 0.1 + 0.2 is 0.3.

use std::cmp::Ordering;
use std::fmt;

/// The most digits behind the point.
const FINEST: u32 = 30;

/// `digits` over ten to the power of `scale`; without trailing zeros behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    pub(super) const ZERO: Decimal = Decimal { digits: 0, scale: 0 };

    /// A number without point.
    pub(super) fn whole(digits: i128) -> Decimal {
        Decimal { digits, scale: 0 }
    }

    fn new(mut digits: i128, mut scale: u32) -> Decimal {
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        Decimal { digits, scale }
    }

    /// Reads `-12.5`, with `_` between digits if wished; `None` for anything else and for more than 30 digits.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        if !whole.starts_with(|c: char| c.is_ascii_digit()) || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let fraction = fraction.replace('_', "");
        let fraction = fraction.trim_end_matches('0');
        let digits = whole.replace('_', "") + fraction;
        if digits.trim_start_matches('0').len() > FINEST as usize || fraction.len() > FINEST as usize {
            return None;
        }
        let digits: i128 = digits.parse().ok()?;
        Some(Decimal::new(sign * digits, u32::try_from(fraction.len()).ok()?))
    }

    /// A float, rounded to 6 significant digits; `None` if it is not finite or beyond reason.
    pub(super) fn rounded(number: f64) -> Option<Decimal> {
        let text = format!("{number:.5e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let (mantissa, exponent) = (Decimal::parse(mantissa)?, exponent.parse::<i32>().ok()?);
        let shift = i64::from(mantissa.scale) - i64::from(exponent);
        match u32::try_from(shift) {
            Ok(scale) if scale <= FINEST => Some(Decimal::new(mantissa.digits, scale)),
            Ok(_) => None,
            Err(_) => {
                let power = 10_i128.checked_pow(u32::try_from(-shift).ok()?)?;
                Some(Decimal::whole(mantissa.digits.checked_mul(power)?))
            }
        }
    }

    /// The digits of both at one scale; `None` if they are too many.
    fn aligned(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let lift = |number: Decimal| number.digits.checked_mul(10_i128.checked_pow(scale - number.scale)?);
        Some((lift(self)?, lift(other)?, scale))
    }

    pub(super) fn plus(self, other: Decimal) -> Option<Decimal> {
        let (a, b, scale) = self.aligned(other)?;
        Some(Decimal::new(a.checked_add(b)?, scale))
    }

    pub(super) fn minus(self, other: Decimal) -> Option<Decimal> {
        self.plus(Decimal { digits: other.digits.checked_neg()?, scale: other.scale })
    }

    /// The product; `None` if it has too many digits.
    pub(super) fn times(self, other: Decimal) -> Option<Decimal> {
        let product = Decimal::new(self.digits.checked_mul(other.digits)?, self.scale + other.scale);
        (product.scale <= FINEST).then_some(product)
    }

    /// How often `part` goes into it, if that is a whole number.
    pub(super) fn over(self, part: Decimal) -> Option<i128> {
        let (all, part, _) = self.aligned(part)?;
        (part != 0 && all % part == 0).then(|| all / part)
    }

    /// How often `part` goes into it, rounded towards zero.
    pub(super) fn times_within(self, part: Decimal) -> Option<i128> {
        let (all, part, _) = self.aligned(part)?;
        all.checked_div(part)
    }

    /// The number divided by a whole one, exactly or, where that takes more than 12 digits, rounded to 6 significant
    /// ones.
    pub(super) fn divided(self, by: i128) -> Option<Decimal> {
        let mut digits = self.digits;
        for scale in self.scale..=self.scale.max(12) {
            if digits % by == 0 {
                return Some(Decimal::new(digits / by, scale));
            }
            digits = digits.checked_mul(10)?;
        }
        #[expect(clippy::cast_precision_loss, reason = "rounded to 6 digits anyway")]
        Decimal::rounded(self.approximately() / by as f64)
    }

    /// The nearest float.
    pub(super) fn approximately(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The nearest whole number, halves away from zero.
    pub(super) fn nearest_whole(self) -> Option<i128> {
        let power = 10_i128.checked_pow(self.scale)?;
        let half = power / 2 * self.digits.signum();
        Some(self.digits.checked_add(half)? / power)
    }

    /// Compares; numbers with too many digits to be compared exactly are compared as floats.
    pub(super) fn compare(self, other: Decimal) -> Ordering {
        match self.aligned(other) {
            Some((a, b, _)) => a.cmp(&b),
            None => self.approximately().total_cmp(&other.approximately()),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scale == 0 {
            return write!(f, "{}", self.digits);
        }
        let digits = self.digits.unsigned_abs().to_string();
        let width = self.scale as usize + 1;
        let padded = format!("{digits:0>width$}");
        let (whole, fraction) = padded.split_at(padded.len() - self.scale as usize);
        let sign = if self.digits < 0 { "-" } else { "" };
        write!(f, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    /// Wrong if a number changes by being read and printed, or a sum is rounded.
    #[test]
    fn numbers_are_exact() {
        for (text, printed) in
            [("0.10", "0.1"), ("-0.05", "-0.05"), ("1_000", "1000"), ("7.", "7"), ("00.5", "0.5")]
        {
            assert_eq!(of(text).to_string(), printed);
        }
        assert_eq!(of("0.1").plus(of("0.2")), Some(of("0.3")));
        assert_eq!(of("0.95").minus(of("0.05")).unwrap().over(of("0.05")), Some(18));
        assert_eq!(of("1").over(of("0.3")), None);
        assert_eq!(of("1.5").times(of("1.5")), Some(of("2.25")));
        for bad in ["", "x", "1e3", ".5", "--1", "1.2.3", "+1", "0x10", &"9".repeat(31)] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
    }

    /// Wrong if rounding loses the size of a number.
    #[test]
    fn numbers_are_rounded_to_six_digits() {
        for (number, printed) in
            [(0.1 + 0.2, "0.3"), (1.0 / 3.0, "0.333333"), (1234567.8, "1234570"), (1e-7, "0.0000001")]
        {
            assert_eq!(Decimal::rounded(number).unwrap().to_string(), printed);
        }
        assert_eq!(of("1").divided(8).unwrap(), of("0.125"));
        assert_eq!(of("2").divided(3).unwrap(), of("0.666667"));
        assert_eq!(of("-2.5").nearest_whole(), Some(-3));
        assert_eq!(Decimal::rounded(f64::INFINITY), None);
        assert_eq!(Decimal::rounded(1e300), None);
    }
}
