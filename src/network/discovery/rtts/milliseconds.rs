//! Decimal milliseconds as whole picoseconds, without floats.

use simnet_base::units::Duration;

/// A millisecond is `10^PLACES` picoseconds.
const PLACES: i64 = 9;

/// The longest time that is taken for a round trip: an hour.
pub(super) const LONGEST: Duration = Duration::from_ms(3_600_000);

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTime {
    /// It is no decimal number.
    NotANumber,
    /// It is one below zero.
    Negative,
    /// It is more than [`LONGEST`].
    TooLong,
}

/// Reads a decimal number of milliseconds, an exponent allowed, to the nearest picosecond; halves go up.
pub(super) fn parse(text: &str) -> Result<Duration, NoTime> {
    let bytes = text.as_bytes();
    let (negative, bytes) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, rest) = bytes.split_at(digits);
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at(rest.iter().take_while(|byte| byte.is_ascii_digit()).count()),
        rest => (&[][..], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(NoTime::NotANumber);
    }
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', exponent @ ..] => exponent_of(exponent)?,
        _ => return Err(NoTime::NotANumber),
    };
    let ps = shifted(whole, fraction, exponent.saturating_add(PLACES)).ok_or(NoTime::TooLong);
    match ps {
        Ok(0) => Ok(Duration::ZERO),
        _ if negative => Err(NoTime::Negative),
        Ok(ps) if ps <= LONGEST.as_ps() => Ok(Duration::from_ps(ps)),
        _ => Err(NoTime::TooLong),
    }
}

/// An exponent; one beyond any use saturates.
fn exponent_of(text: &[u8]) -> Result<i64, NoTime> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NoTime::NotANumber);
    }
    let add = |sum: i64, digit: &u8| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
    let size = digits.iter().fold(0_i64, add);
    Ok(if negative { -size } else { size })
}

/// `whole.fraction x 10^shift`, rounded; `None` if 64 bits do not hold it.
fn shifted(whole: &[u8], fraction: &[u8], shift: i64) -> Option<u64> {
    let digits = whole.iter().chain(fraction).map(|digit| u64::from(digit - b'0'));
    // So many digits stand before the point of the result.
    let before = i64::try_from(whole.len()).ok()?.saturating_add(shift);
    let mut value = 0_u64;
    let mut place = 0_i64;
    for digit in digits {
        if place >= before {
            let up = place == before && digit >= 5;
            return value.checked_add(u64::from(up));
        }
        value = value.checked_mul(10)?.checked_add(digit)?;
        place += 1;
    }
    while place < before && value > 0 {
        value = value.checked_mul(10)?;
        place += 1;
    }
    Some(value)
}

/// Appends a time as decimal milliseconds, exact.
pub(super) fn push(text: &mut String, time: Duration) {
    let scale = 10_u64.pow(9);
    let (whole, mut rest) = (time.as_ps() / scale, time.as_ps() % scale);
    match u8::try_from(whole) {
        Ok(digit @ 0..=9) => text.push(char::from(b'0' + digit)),
        _ => text.push_str(&whole.to_string()),
    }
    if rest == 0 {
        return;
    }
    text.push('.');
    let mut place = scale / 10;
    while rest > 0 {
        text.push(char::from_digit(u32::try_from(rest / place).unwrap_or(0), 10).unwrap_or('0'));
        rest %= place;
        place /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a form of a number were misread, or a digit lost on the way to picoseconds.
    #[test]
    fn decimals_are_exact_to_the_picosecond() {
        let ps = |text| parse(text).map(Duration::as_ps);
        for (text, want) in [
            ("0.131", 131_000_000),
            (".131", 131_000_000),
            ("+1.5e-1", 150_000_000),
            ("1.5E+1", 15_000_000_000),
            ("2.", 2_000_000_000),
            ("0.000000001", 1),
            ("0.0000000005", 1),
            ("0.00000000049999999999999999999999999", 0),
            ("1234567.123456789499", 1_234_567_123_456_789),
            ("3600000", 3_600_000_000_000_000),
            ("3600000.0000000004", 3_600_000_000_000_000),
            ("0000000000000000000000000000000000000.131", 131_000_000),
            ("0.000131e3", 131_000_000),
            ("-0.0", 0),
            ("0e999999999999999999999", 0),
            ("1e-999999999999999999999", 0),
            ("1311111111111111111111111111111e-31", 131_111_111),
        ] {
            assert_eq!(ps(text), Ok(want), "{text}");
        }
    }

    /// Wrong if something that is no time passed for one.
    #[test]
    fn what_is_no_time_is_distinguished() {
        for text in
            ["", ".", "+", "e5", "1e", "1e+", "nan", "inf", "0x1", "1_0", "1,5", "1 ms", "--1", "1.2.3", "١"]
        {
            assert_eq!(parse(text), Err(NoTime::NotANumber), "{text}");
        }
        for text in ["-1", "-0.000000001", "-1e999999999999"] {
            assert_eq!(parse(text), Err(NoTime::Negative), "{text}");
        }
        for text in ["3600000.000000001", "1e7", "1e999999999999999999999", "99999999999999999999999999"] {
            assert_eq!(parse(text), Err(NoTime::TooLong), "{text}");
        }
    }
}
