//! Lengths of messages: one, two, or those of a CSV file with the columns `payload_bytes,weight`.

use std::ops::Range;

use simnet_base::diagnostics::{Fault, decode, quoted};
use simnet_media::traffic::{PARTS, Sizes};

use super::csv::{Field, MOST_FAULTS, payload_of, positions, rows};
use super::{conflict, files, out_of_range, quantity};
use crate::checked::InputFile;
use crate::diagnostics::{Diagnostics, Place};
use crate::wire::{self, Located, Payload, Share};
use simnet_base::units::Bytes;

const COLUMNS: [&str; 2] = ["payload_bytes", "weight"];

/// The lengths of messages.
pub(super) fn build(payload: &Located<Payload>, diagnostics: &mut Diagnostics) -> Option<Sizes> {
    match &payload.value {
        Payload::Fixed(amount) => Some(Sizes::Fixed(in_flits(*amount))),
        Payload::Table(table) => of_table(table, payload.place, diagnostics),
    }
}

/// An amount of data that a message can have, in flits.
fn in_flits(amount: Bytes) -> u32 {
    u32::try_from(amount.0).expect("the longest message fits 32 bits")
}

fn of_table(table: &wire::Sizes, place: Place, diagnostics: &mut Diagnostics) -> Option<Sizes> {
    let lengths = [table.short.get().map(|at| at.place), table.long.get().map(|at| at.place)];
    let places = lengths.into_iter().chain([table.long_share.get().map(|at| at.place)]);
    if let Some(file) = table.file.get() {
        if let Some(other) = places.flatten().max() {
            conflict(
                other.max(file.place),
                "lengths here and in a file",
                "expected one of the two",
                diagnostics,
            );
        }
        let (file, bytes) = files::open(file, diagnostics)?;
        return read(&file, &bytes, diagnostics);
    }
    if table.file.is_absent() { two_lengths(table, place, diagnostics) } else { None }
}

fn two_lengths(table: &wire::Sizes, place: Place, diagnostics: &mut Diagnostics) -> Option<Sizes> {
    let absent = [
        ("short", table.short.is_absent()),
        ("long", table.long.is_absent()),
        ("long-share", table.long_share.is_absent()),
    ];
    let missing: Vec<&str> = absent.iter().filter(|(_, absent)| *absent).map(|(key, _)| *key).collect();
    if !missing.is_empty() {
        diagnostics.add(place, |span| {
            let message = format!("a table of lengths without {}", missing.join(", "));
            Fault::new("missing-key", span, message, "expected short, long and long-share; or file")
        });
    }
    let (short, long) = (quantity(&table.short), quantity(&table.long));
    let (short, long, share) = (short?, long?, *table.long_share.value()?);
    if long.value <= short.value {
        out_of_range(
            long.place,
            "the long message is not longer than the short one",
            format!("expected above {}", short.value),
            diagnostics,
        );
    }
    Some(two(in_flits(short.value), in_flits(long.value), parts(share)))
}

/// Messages of two lengths, `parts` in [`PARTS`] of them long.
fn two(short: u32, long: u32, parts: u64) -> Sizes {
    Sizes::weighted(&[(short, PARTS - parts), (long, parts)]).expect("weights of a share add up to the whole")
}

/// A share of messages, in [`PARTS`].
pub(super) fn parts(share: Share) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the parts of the whole"
    )]
    let parts = libm::round(share.0 * PARTS as f64) as u64;
    parts
}

/// Reads a table of lengths; `None` after noting faults located in its file.
fn read(file: &InputFile, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<Sizes> {
    let shown = files::title(file);
    let text = match decode(&shown, bytes) {
        Ok(text) => text,
        Err(faults) => {
            diagnostics.add_file(*faults);
            return None;
        }
    };
    let source = diagnostics.add_source(shown, text);
    let mut faults = Vec::new();
    let sizes = table(text, &mut faults);
    let sound = faults.is_empty();
    for fault in faults {
        let place = Place { source, start: fault.span.start, end: fault.span.end };
        diagnostics.add(place, |_| fault);
    }
    sizes.filter(|_| sound)
}

fn table(text: &str, faults: &mut Vec<Fault>) -> Option<Sizes> {
    let mut rows = rows(text);
    let Some(header) = rows.next() else {
        let expected = format!("expected a header row: {}", COLUMNS.join(","));
        faults.push(Fault::new("empty-file", 0..0, "this file is empty", expected));
        return None;
    };
    let positions = positions(&header, COLUMNS, faults)?;
    let mut table = Vec::new();
    for row in rows {
        if faults.len() > MOST_FAULTS {
            break;
        }
        if row.len() == COLUMNS.len() {
            let [payload, weight] = positions.map(|position| row[position].clone());
            let (payload, weight) = (payload_of(&payload, faults), weight_of(&weight, faults));
            table.extend(payload.zip(weight));
        } else {
            let (start, end) = (row[0].1.start, row[row.len() - 1].1.end);
            let message = format!("{} fields where the header has {}", row.len(), COLUMNS.len());
            faults.push(Fault::new(
                "missing-field",
                start..end,
                message,
                "expected a field for every column",
            ));
        }
    }
    let sizes = Sizes::weighted(&table);
    if sizes.is_none() && faults.is_empty() {
        faults.push(no_weight(&table, text.len()..text.len()));
    }
    sizes
}

/// Why no length can be drawn from a table whose rows are sound.
fn no_weight(table: &[(u32, u64)], end: Range<usize>) -> Fault {
    if table.is_empty() {
        Fault::new("empty-file", end, "this table has no length", "expected a row a length")
    } else if table.iter().all(|(_, weight)| *weight == 0) {
        Fault::new("out-of-range", end, "no weight is above zero", "expected a weight above zero")
    } else {
        Fault::new("overflow", end, "these weights are too many and too fine", "expected fewer decimals")
    }
}

/// Decimals that a weight may have.
const DECIMALS: usize = 9;

/// A weight of 0 to a thousand million with up to nine decimals, in thousand-millionths.
fn weight_of((text, range): &Field<'_>, faults: &mut Vec<Fault>) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let shown = quoted(text);
    let (code, message) = if text.starts_with('-') {
        ("negative", "a negative weight".to_owned())
    } else if !digits(whole) || !digits(fraction) {
        ("not-a-number", format!("`{shown}` is no weight"))
    } else if fraction.len() > DECIMALS {
        ("too-fine", format!("`{shown}` has more than {DECIMALS} decimals"))
    } else {
        let scaled = format!("{whole}{fraction:0<DECIMALS$}").parse::<u64>();
        match scaled {
            Ok(weight) if weight <= PARTS * PARTS => return Some(weight),
            _ => ("overflow", format!("`{shown}` is too large")),
        }
    };
    let expected = format!("expected 0 to {PARTS}, with up to {DECIMALS} decimals");
    faults.push(Fault::new(code, range.clone(), message, expected));
    None
}
