//! Numbers and times for people: the same words as `simnet.number` and `simnet.time` in `assets/common.js`.

/// Between groups of three digits: a narrow space at which no line breaks.
const GROUP: char = '\u{202f}';

/// A number with so many digits that matter: `0.00843`, `3 283`, `1.2e15`. Whole numbers below 10^15 keep all digits.
pub(crate) fn number(value: f64, digits: usize) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() {
            "no number"
        } else if value > 0.0 {
            "∞"
        } else {
            "−∞"
        }
        .to_owned();
    }
    if size >= 1e15 || (size > 0.0 && size < 1e-4) {
        return signed(&exponential(value, digits));
    }
    let is_whole = size.fract() == 0.0;
    let decimals = if is_whole { 0 } else { decimals(size, digits) };
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    signed(&grouped(text))
}

/// A time in nanoseconds with the unit that fits: `850 ns`, `3.283 µs`, `1.2 ms`, `2 s`.
pub(crate) fn time(ns: f64) -> String {
    let (unit, size) = match ns.abs() {
        short if short < 1e3 => ("ns", 1.0),
        short if short < 1e6 => ("µs", 1e3),
        long if long < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{} {unit}", number(rounded(ns / size, 4), 4))
}

/// A size in bytes.
pub(crate) fn bytes(count: u64) -> String {
    let size = count as f64;
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", number(rounded(size / 1e3, 3), 3)),
        1_000_000..1_000_000_000 => format!("{} MB", number(rounded(size / 1e6, 3), 3)),
        _ => format!("{} GB", number(rounded(size / 1e9, 3), 3)),
    }
}

/// A count and its noun: `1 host`, `2 hosts`.
pub(crate) fn count(count: usize, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{} {noun}{}", number(count as f64, 4), if count == 1 { "" } else { plural })
}

/// How many decimals show so many digits that matter of a positive number below 10^15.
fn decimals(size: f64, digits: usize) -> usize {
    let mut decimals = digits.saturating_sub(1);
    let mut left = size;
    while left >= 10.0 && decimals > 0 {
        (left, decimals) = (left / 10.0, decimals - 1);
    }
    while left < 1.0 && decimals < 12 {
        (left, decimals) = (left * 10.0, decimals + 1);
    }
    decimals
}

/// The number rounded to so many digits that matter.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

fn exponential(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').expect("it is written so");
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}e{exponent}")
}

/// The digits before the point in groups of three, if there are more than four.
fn grouped(text: &str) -> String {
    let (whole, rest) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let digits = whole.trim_start_matches('-').len();
    if digits <= 4 {
        return text.to_owned();
    }
    let mut grouped = String::new();
    for (nth, digit) in whole.trim_start_matches('-').chars().enumerate() {
        if nth > 0 && (digits - nth) % 3 == 0 {
            grouped.push(GROUP);
        }
        grouped.push(digit);
    }
    let sign = if whole.starts_with('-') { "-" } else { "" };
    format!("{sign}{grouped}{rest}")
}

/// With a true minus sign.
fn signed(text: &str) -> String {
    text.strip_prefix('-').map_or_else(|| text.to_owned(), |rest| format!("−{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_wrong_by_more_than_their_last_digit() {
        let shown = |value| number(value, 4);
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (3_283.456_7, "3283"),
            (12_345.6, "12\u{202f}346"),
            (0.008_43, "0.00843"),
            (-2.5, "−2.5"),
            (1e15, "1e15"),
            (1.5e-7, "1.5e-7"),
            (1_234_567.0, "1\u{202f}234\u{202f}567"),
            (f64::NAN, "no number"),
            (f64::NEG_INFINITY, "−∞"),
            (-1.2345e300, "−1.234e300"),
            (99.999, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(shown(value), text);
        }
    }

    #[test]
    fn times_and_sizes_have_the_unit_that_fits() {
        let cases = [
            (0.0, "0 ns"),
            (850.0, "850 ns"),
            (3_283.456, "3.283 µs"),
            (51_560_675.0, "51.56 ms"),
            (2e9, "2 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text);
        }
        assert_eq!((bytes(512), bytes(4_321_000)), ("512 B".to_owned(), "4.32 MB".to_owned()));
        assert_eq!((count(1, "host"), count(2, "switch")), ("1 host".to_owned(), "2 switches".to_owned()));
    }
}
