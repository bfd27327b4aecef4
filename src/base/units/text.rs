//! The text forms of quantities: `"50 ms"`, `"1.28 Gb/s"`, `"108 B"`, `"10 m"`.

use crate::numbers::Thousandths;
use std::fmt;

use thiserror::Error;

use super::{BitRate, Bytes, Duration, Length};

/// Why a text is not a quantity of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseUnitError {
    /// A number without a unit where one is needed.
    #[error("a bare number; {kind} needs a unit, one of {units}")]
    Bare {
        /// What was wanted, such as `a time`.
        kind: &'static str,
        /// The units that fit, comma separated.
        units: String,
    },
    /// A unit that measures something else, or none that is known.
    #[error("unknown unit `{unit}`; {kind} takes one of {units}")]
    Unit {
        /// The unit as written.
        unit: String,
        /// What was wanted.
        kind: &'static str,
        /// The units that fit, comma separated.
        units: String,
    },
    /// No number in front of the unit.
    #[error("`{text}` does not begin with a number, as in \"{example}\"")]
    Number {
        /// The text as written.
        text: String,
        /// A text that would do.
        example: &'static str,
    },
    /// A negative quantity.
    #[error("{kind} cannot be negative")]
    Negative {
        /// What was wanted.
        kind: &'static str,
    },
    /// Finer than the unit in which simnet counts.
    #[error("`{text}` is finer than {grain}")]
    TooFine {
        /// The text as written.
        text: String,
        /// The grain, such as `1 ps`.
        grain: &'static str,
    },
    /// More than 64 bits can count.
    #[error("`{text}` does not fit: {kind} must stay below {limit}")]
    TooLarge {
        /// The text as written.
        text: String,
        /// What was wanted.
        kind: &'static str,
        /// The first value that is too large.
        limit: &'static str,
    },
}

/// A quantity that has a text form with a unit.
pub trait Unit: Sized {
    /// What the quantity is called in messages, such as `a time`.
    const KIND: &'static str;
    /// A text of this quantity.
    const EXAMPLE: &'static str;
    /// The finest step, as text.
    const GRAIN: &'static str;
    /// The bound above, as text.
    const LIMIT: &'static str;
    /// The units with their worth in the grain: `worth * 1 grain`.
    const UNITS: &'static [(&'static str, u64)];
    /// How many grains it is.
    fn grains(&self) -> u64;
    /// Makes the quantity of a count of grains.
    fn from_grains(grains: u64) -> Option<Self>;

    /// Parses a decimal number, optional blanks and a unit; exact, without floats.
    ///
    /// # Errors
    /// A [`ParseUnitError`] that names the units that fit.
    fn parse(text: &str) -> Result<Self, ParseUnitError> {
        let units = || Self::UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix('-')
            && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(ParseUnitError::Negative { kind: Self::KIND });
        }
        let split =
            trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(trimmed.len());
        let (number, unit) = (&trimmed[..split], trimmed[split..].trim_start());
        if !number.starts_with(|c: char| c.is_ascii_digit()) || number.matches('.').count() > 1 {
            return Err(ParseUnitError::Number { text: text.to_owned(), example: Self::EXAMPLE });
        }
        if unit.is_empty() {
            return Err(ParseUnitError::Bare { kind: Self::KIND, units: units() });
        }
        let worth = Self::UNITS.iter().find(|(name, _)| *name == unit).map(|(_, worth)| *worth);
        let worth = worth.ok_or_else(|| ParseUnitError::Unit {
            unit: unit.to_owned(),
            kind: Self::KIND,
            units: units(),
        })?;
        let too_large =
            || ParseUnitError::TooLarge { text: text.to_owned(), kind: Self::KIND, limit: Self::LIMIT };
        let grains = scaled(number, worth).map_err(|fault| match fault {
            Scale::TooFine => ParseUnitError::TooFine { text: text.to_owned(), grain: Self::GRAIN },
            Scale::TooLarge => too_large(),
        })?;
        Self::from_grains(grains).ok_or_else(too_large)
    }
}

enum Scale {
    TooFine,
    TooLarge,
}

/// `number * worth` as an integer, or why there is none.
fn scaled(number: &str, worth: u64) -> Result<u64, Scale> {
    let digits = number.replace('_', "");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 18 {
        return Err(Scale::TooFine);
    }
    let whole: u128 = whole.parse().map_err(|_| Scale::TooLarge)?;
    let parts: u128 = if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| Scale::TooFine)? };
    let ten = 10_u128.pow(u32::try_from(fraction.len()).map_err(|_| Scale::TooFine)?);
    let worth = u128::from(worth);
    if !(parts * worth).is_multiple_of(ten) {
        return Err(Scale::TooFine);
    }
    let total = whole.checked_mul(worth).and_then(|w| w.checked_add(parts * worth / ten));
    total.and_then(|t| u64::try_from(t).ok()).ok_or(Scale::TooLarge)
}

impl Unit for Duration {
    const KIND: &'static str = "a time";
    const EXAMPLE: &'static str = "50 ms";
    const GRAIN: &'static str = "1 ps";
    const LIMIT: &'static str = "213 days";
    const UNITS: &'static [(&'static str, u64)] = &[
        ("ps", 1),
        ("ns", 1_000),
        ("us", 1_000_000),
        ("ms", 1_000_000_000),
        ("s", 1_000_000_000_000),
        ("min", 60_000_000_000_000),
    ];
    fn grains(&self) -> u64 {
        self.as_ps()
    }
    fn from_grains(grains: u64) -> Option<Duration> {
        Some(Duration::from_ps(grains))
    }
}

impl Unit for Bytes {
    const KIND: &'static str = "an amount of data";
    const EXAMPLE: &'static str = "108 B";
    const GRAIN: &'static str = "1 B";
    const LIMIT: &'static str = "2^64 B";
    const UNITS: &'static [(&'static str, u64)] = &[
        ("B", 1),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ];
    fn grains(&self) -> u64 {
        self.0
    }
    fn from_grains(grains: u64) -> Option<Bytes> {
        Some(Bytes(grains))
    }
}

impl Unit for BitRate {
    const KIND: &'static str = "a rate";
    const EXAMPLE: &'static str = "1.28 Gb/s";
    const GRAIN: &'static str = "1 b/s";
    const LIMIT: &'static str = "2^64 b/s and above zero";
    const UNITS: &'static [(&'static str, u64)] = &[
        ("b/s", 1),
        ("Kb/s", 1_000),
        ("Mb/s", 1_000_000),
        ("Gb/s", 1_000_000_000),
        ("B/s", 8),
        ("KB/s", 8_000),
        ("MB/s", 8_000_000),
        ("GB/s", 8_000_000_000),
    ];
    fn grains(&self) -> u64 {
        self.as_bits_per_s()
    }
    fn from_grains(grains: u64) -> Option<BitRate> {
        BitRate::new(grains)
    }
}

impl Unit for Length {
    const KIND: &'static str = "a length";
    const EXAMPLE: &'static str = "2.5 m";
    const GRAIN: &'static str = "1 mm";
    const LIMIT: &'static str = "2^64 mm";
    const UNITS: &'static [(&'static str, u64)] = &[("mm", 1), ("cm", 10), ("m", 1_000), ("km", 1_000_000)];
    fn grains(&self) -> u64 {
        self.as_mm()
    }
    fn from_grains(grains: u64) -> Option<Length> {
        Some(Length::from_mm(grains))
    }
}

/// Writes `grains` in the largest of `units` that gives at most three decimals, exactly.
fn write_exact(f: &mut fmt::Formatter<'_>, grains: u64, units: &[(&str, u64)]) -> fmt::Result {
    let fits = |worth: u64| grains >= worth && (u128::from(grains) * 1_000).is_multiple_of(u128::from(worth));
    let decimal = |worth: u64| worth.to_string().trim_end_matches('0') == "1";
    let best =
        units.iter().filter(|(_, worth)| decimal(*worth) && fits(*worth)).max_by_key(|(_, worth)| *worth);
    let (name, worth) = best.unwrap_or(&units[0]);
    let thousandths = u128::from(grains) * 1_000 / u128::from(*worth);
    write!(f, "{} {name}", Thousandths(thousandths))
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.as_ps(), Duration::UNITS)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.as_bits_per_s(), BitRate::UNITS)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.as_mm(), Length::UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_parse_exactly() {
        assert_eq!(Duration::parse("50 ms"), Ok(Duration::from_ms(50)));
        assert_eq!(Duration::parse("6.25ns"), Ok(Duration::from_ps(6_250)));
        assert_eq!(Bytes::parse("128 KiB"), Ok(Bytes(131_072)));
        assert_eq!(BitRate::parse("1.28 Gb/s"), Ok(BitRate::new(1_280_000_000).unwrap()));
        assert_eq!(Length::parse("2.5 m"), Ok(Length::from_mm(2_500)));
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_its_reason() {
        assert!(matches!(Duration::parse("50"), Err(ParseUnitError::Bare { .. })));
        assert!(matches!(Duration::parse("50 parsec"), Err(ParseUnitError::Unit { .. })));
        assert!(matches!(Duration::parse("ms"), Err(ParseUnitError::Number { .. })));
        assert!(matches!(Duration::parse("-5 ms"), Err(ParseUnitError::Negative { .. })));
        assert!(matches!(Duration::parse("0.1 ps"), Err(ParseUnitError::TooFine { .. })));
        assert!(matches!(Duration::parse("99999999999999 s"), Err(ParseUnitError::TooLarge { .. })));
        assert!(matches!(BitRate::parse("0 Gb/s"), Err(ParseUnitError::TooLarge { .. })));
    }

    #[test]
    fn text_comes_back_as_it_went() {
        for text in ["50 ms", "6.25 ns", "1 ps", "1.5 s"] {
            assert_eq!(Duration::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(BitRate::parse("1.28 Gb/s").unwrap().to_string(), "1.28 Gb/s");
        assert_eq!(BitRate::parse("160 MB/s").unwrap().to_string(), "1.28 Gb/s");
        assert_eq!(Length::parse("2.5 m").unwrap().to_string(), "2.5 m");
    }
}
