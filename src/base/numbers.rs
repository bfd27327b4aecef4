//! Numbers as text: exactly in the cells of tables, rounded for people.
//!
//! [`number`] and [`time`] write what `simnet.number` and `simnet.time` do in a report (`page/assets/common.js`).

use std::fmt;

use serde::{Serialize, Serializer};

/// Between groups of three digits: a narrow space at which no line breaks.
const GROUP: char = '\u{202f}';

/// A number as short as it can be read back exactly, without exponent.
pub fn exact(value: f64) -> String {
    value.to_string()
}

/// A cell of a table: the value exactly, nothing where there is none.
pub fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A value for people, a dash where there is none.
pub fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A number with so many digits after the point, a dash where there is none.
pub fn fixed(value: impl Into<Option<f64>>, decimals: usize) -> String {
    or_dash(value.into().map(|value| format!("{value:.decimals$}")))
}

/// A number with at most so many digits after the point, without idle zeros: `0.25`, `3`.
pub fn rounded(value: f64, decimals: usize) -> String {
    without_idle_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// So many thousandths, shown exactly and without idle zeros: `6250` is `6.25`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thousandths(pub u128);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Thousandths(count) = self;
        f.write_str(without_idle_zeros(&format!("{}.{:03}", count / 1_000, count % 1_000)))
    }
}

impl Serialize for Thousandths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A share in per cent with so many digits after the point: `0.125` is `12.5 %`.
pub fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", share * 100.0)
}

/// A deviation in per cent, with its sign: `+3.2 %`.
pub fn deviation(percent: f64) -> String {
    format!("{percent:+.1} %")
}

/// The value of a column whose name ends with a unit of time or size, with the unit that fits: of `latency_mean_ns`
/// 1e10 is `10 s`; none if the name has no such unit, or is of a rate.
pub fn quantity(name: &str, value: f64) -> Option<String> {
    let (rest, unit) = name.rsplit_once('_')?;
    if rest.ends_with("_per") || !value.is_finite() {
        return None;
    }
    match unit {
        "ns" => Some(time(value)),
        "us" => Some(time(value * 1e3)),
        "ms" => Some(time(value * 1e6)),
        "s" => Some(time(value * 1e9)),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        "bytes" if value >= 0.0 => Some(bytes(value as u64)),
        _ => None,
    }
}

/// The name of a column without the unit that [`quantity`] shows with its values.
pub fn without_unit(name: &str) -> &str {
    match quantity(name, 0.0) {
        Some(_) => name.rsplit_once('_').map_or(name, |(rest, _)| rest),
        None => name,
    }
}

/// A time in seconds with the unit that fits, up to days: `12.00 ms`, `4.0 s`, `2.5 h`.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s <= 0.0 => "0 s".to_owned(),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3_600.0 => format!("{:.1} min", s / 60.0),
        s if s < 48.0 * 3_600.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// A number with so many digits that matter: `0.00843`, `3 283`, `1.2e15`. Whole numbers below 10^15 keep all digits.
pub fn number(value: f64, digits: usize) -> String {
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
    signed(&grouped(&rounded(value, decimals)))
}

/// A time in nanoseconds with the unit that fits: `850 ns`, `3.283 µs`, `1.2 ms`, `2 s`.
pub fn time(ns: f64) -> String {
    let (unit, size) = match ns.abs() {
        short if short < 1e3 => ("ns", 1.0),
        short if short < 1e6 => ("µs", 1e3),
        long if long < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{} {unit}", number(significant(ns / size, 4), 4))
}

/// A size in bytes.
pub fn bytes(count: u64) -> String {
    let size = count as f64;
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", number(significant(size / 1e3, 3), 3)),
        1_000_000..1_000_000_000 => format!("{} MB", number(significant(size / 1e6, 3), 3)),
        _ => format!("{} GB", number(significant(size / 1e9, 3), 3)),
    }
}

/// A count and its noun: `1 host`, `2 hosts`.
pub fn count(count: usize, noun: &str) -> String {
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

/// The number rounded to so many digits that matter: of two, 43 062.9 is 43 000.
pub fn significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

fn exponential(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').expect("it is written so");
    format!("{}e{exponent}", without_idle_zeros(mantissa))
}

/// The text of a number without the zeros that end its decimals.
fn without_idle_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
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

    /// Wrong if a zero that matters went with the idle ones, or a value that is not there were shown.
    #[test]
    fn decimals_end_where_they_matter() {
        let cases =
            [(100.0, 0, "100"), (0.25, 4, "0.25"), (2.999_96, 4, "3"), (-0.04, 1, "-0"), (10.0, 1, "10")];
        for (value, decimals, text) in cases {
            assert_eq!(rounded(value, decimals), text);
        }
        let shown = |count| Thousandths(count).to_string();
        assert_eq!((shown(6_250), shown(100_000)), ("6.25".to_owned(), "100".to_owned()));
        assert_eq!((fixed(2.0, 2), fixed(None, 2)), ("2.00".to_owned(), "-".to_owned()));
        assert_eq!((cell(Some(1.5)), cell::<f64>(None)), ("1.5".to_owned(), String::new()));
    }

    /// Wrong if a time had a unit that does not fit.
    #[test]
    fn spans_go_from_microseconds_to_days() {
        let cases = [
            (0.0, "0 s"),
            (2e-6, "2.00 µs"),
            (0.012, "12.00 ms"),
            (4.0, "4.0 s"),
            (90.0, "1.5 min"),
            (7_200.0, "2.0 h"),
        ];
        for (seconds, text) in cases {
            assert_eq!(span(seconds), text);
        }
        assert_eq!(span(259_200.0), "3.0 days");
    }

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
        let shown = |name, value| quantity(name, value).unwrap_or_default();
        assert_eq!(shown("points.0.latency_mean_ns", 5_049_548_793.8), "5.05 s");
        assert_eq!(
            (shown("map.time_ms", 0.25), shown("simulated_s", 90.0)),
            ("250 µs".into(), "90 s".into())
        );
        assert_eq!(
            (shown("size_bytes", 4_321_000.0), shown("bits_per_s", 1e9)),
            ("4.32 MB".into(), String::new())
        );
        assert_eq!(
            (shown("accepted_flits_per_ns", 1.0), shown("hosts", 1.0)),
            (String::new(), String::new())
        );
        assert_eq!((without_unit("latency_ns"), without_unit("flits_per_ns")), ("latency", "flits_per_ns"));
        assert_eq!((bytes(512), bytes(4_321_000)), ("512 B".to_owned(), "4.32 MB".to_owned()));
        assert_eq!((count(1, "host"), count(2, "switch")), ("1 host".to_owned(), "2 switches".to_owned()));
    }
}
