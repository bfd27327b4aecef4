//! Tables in CSV files: a header row that names the columns, a row a line.

use std::borrow::Cow;
use std::ops::Range;

use simnet_base::cells::{Cell, Rows};
use simnet_base::diagnostics::{Fault, quoted};

use crate::wire::MOST_PAYLOAD;

/// A field of a row and where it stands.
pub(super) type Field<'a> = (Cow<'a, str>, Range<usize>);

/// After so many faults the rest of a file is not looked at.
pub(super) const MOST_FAULTS: usize = 1_000;

/// The rows of a file that are not blank.
pub(super) fn rows(text: &str) -> impl Iterator<Item = Vec<Field<'_>>> {
    let field = |cell: &Cell| (cell.meaning(text), cell.span.clone());
    Rows::new(text).map(move |row| row.cells.iter().map(field).collect())
}

/// Where in a row each of `columns` stands, in any order; `None` after a fault.
pub(super) fn positions<const N: usize>(
    header: &[Field<'_>],
    columns: [&str; N],
    faults: &mut Vec<Fault>,
) -> Option<[usize; N]> {
    let before = faults.len();
    let all =
        header.first().map_or(0, |(_, range)| range.start)..header.last().map_or(0, |(_, range)| range.end);
    for (nth, (name, range)) in header.iter().enumerate() {
        if !columns.contains(&&**name) {
            let message = format!("unknown column `{}`", quoted(name));
            let fault = Fault::new(
                "unknown-column",
                range.clone(),
                message,
                format!("expected {}", columns.join(",")),
            );
            faults.push(fault.with_nearest(name, columns));
        } else if header[..nth].iter().any(|(other, _)| other == name) {
            let message = format!("the column `{name}` is there twice");
            faults.push(Fault::new("duplicate-column", range.clone(), message, "expected each column once"));
        }
    }
    let position = |column: &str| header.iter().position(|(name, _)| name == column);
    let missing: Vec<&str> = columns.into_iter().filter(|column| position(column).is_none()).collect();
    if !missing.is_empty() {
        let message = format!("no column {}", missing.join(", "));
        faults.push(Fault::new("missing-column", all, message, format!("expected {}", columns.join(","))));
    }
    (faults.len() == before).then(|| columns.map(|column| position(column).unwrap_or_default()))
}

/// A number of bytes that 32 bits hold, at least 1.
pub(super) fn payload_of((text, range): &Field<'_>, faults: &mut Vec<Fault>) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<u32>().ok().filter(|payload| digits && u64::from(*payload) <= MOST_PAYLOAD.0);
    if let Some(payload @ 1..) = number {
        return Some(payload);
    }
    let shown = quoted(text);
    let (code, message) = match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
            ("negative", "a negative payload".to_owned())
        }
        _ if number.is_some() => ("out-of-range", "a message without payload".to_owned()),
        _ if digits => ("overflow", format!("`{shown}` bytes are too many")),
        _ => ("not-a-number", format!("`{shown}` is no number of bytes")),
    };
    faults.push(Fault::new(code, range.clone(), message, format!("expected 1 to {}", MOST_PAYLOAD.0)));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a quoted field were parted at its comma, kept its quotes, or stood elsewhere than it does.
    #[test]
    fn fields_may_stand_in_quotes() {
        let text = "a,b\n\n \"h,\"\"0\"\" \" , '=1\n";
        let rows: Vec<_> = rows(text).collect();
        let fields: Vec<_> = rows[1].iter().map(|(field, range)| (&**field, &text[range.clone()])).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(fields, [("h,\"0\" ", "\"h,\"\"0\"\" \""), ("=1", "'=1")]);
    }
}
