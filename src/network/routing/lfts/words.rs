//! Lines and numbers of the files that subnet managers write.

use std::ops::Range;

/// The lines of a text without the blanks around them and a byte order mark, each with its place.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let unmarked = line.trim_start_matches('\u{feff}').trim_start();
        let at = start + line.len() - unmarked.len();
        start += line.len();
        let line = unmarked.trim_end();
        (line, at..at + line.len())
    })
}

/// A number in hexadecimal without `0x`.
pub(super) fn hexadecimal(digits: &str) -> Option<u64> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u64::from_str_radix(digits, 16).ok())?
}
