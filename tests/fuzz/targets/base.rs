//! Quantities, tables and the printing of faults.

use std::fmt::Display;

use simnet_base::cells::{self, Rows};
use simnet_base::diagnostics::{Fault, Faults};
use simnet_base::units::{BitRate, Bytes, Duration, Length, Unit};

use super::located;
use crate::seeds;

/// Quantities and short texts.
pub(super) fn texts() -> Vec<Vec<u8>> {
    let texts =
        ["50 ms", "1.28 Gb/s", "108 B", "10 m", "0.5 KiB", "160 MB/s", "2_000 ps", "-3 s", "\u{e4}\u{202e}x"];
    texts.into_iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Every table of the tree.
pub(super) fn tables() -> Vec<Vec<u8>> {
    seeds::contents(&[".csv"])
}

pub(super) fn units(input: &[u8]) -> bool {
    fn taken<U: Unit + Display + PartialEq + std::fmt::Debug>(text: &str) -> bool {
        let Ok(quantity) = U::parse(text) else { return false };
        assert_eq!(U::parse(&quantity.to_string()).as_ref(), Ok(&quantity), "{text}");
        true
    }
    let Ok(text) = str::from_utf8(input) else { return false };
    let each = [taken::<Duration>(text), taken::<Bytes>(text), taken::<BitRate>(text), taken::<Length>(text)];
    each.contains(&true)
}

pub(super) fn csv(input: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(input) else { return false };
    let mut last = 0;
    for row in Rows::new(text) {
        assert_eq!(row.cells.len(), row.count);
        for cell in &row.cells {
            assert!(
                last <= cell.span.start && cell.span.start <= cell.span.end && cell.span.end <= text.len()
            );
            last = cell.span.end;
            let _ = (cell.content(text), cell.meaning(text));
        }
    }
    let rows: Vec<Vec<String>> = cells::records(text).collect();
    let mut again = String::new();
    rows.iter().for_each(|row| cells::add_row(&mut again, row));
    // A row of one empty cell is a blank line, which is no row.
    let kept = rows.into_iter().filter(|row| row.len() > 1 || !row[0].is_empty());
    assert_eq!(cells::records(&again).collect::<Vec<_>>(), kept.collect::<Vec<_>>(), "{again:?}");
    true
}

/// The first bytes are the span of a fault, the others the text, as far as it is one.
pub(super) fn faults(input: &[u8]) -> bool {
    let Some((&[a, b], text)) = input.split_first_chunk() else { return false };
    let text = String::from_utf8_lossy(text).into_owned();
    let place = |byte: u8| {
        (0..=text.len()).filter(|at| text.is_char_boundary(*at)).nth(usize::from(byte)).unwrap_or(text.len())
    };
    let (start, end) = (place(a.min(b)), place(a.max(b)));
    let fault = Fault::new(
        "code",
        start..end,
        format!("`{}`", simnet_base::diagnostics::quoted(&text)),
        "another text",
    );
    located(&Faults { file: "a file".to_owned(), text, faults: vec![fault] });
    true
}
