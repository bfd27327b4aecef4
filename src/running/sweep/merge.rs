//! The table of all points, in plan order: its bytes are a function of the plan and the model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use blake3::Hash;
use rayon::prelude::*;
use serde_json::Value;

use super::ends::Ends;
use super::known::{Damage, Known, Record};
use super::line::Outcome;
use super::points::Plan;
use super::run::INTERRUPTED;
use super::store::{Store, StoreError, TABLE};

/// What a merge came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many points the plan has.
    pub points: usize,
    /// How many of them no shard has yet. If there are any, nothing was written.
    pub missing: usize,
    /// How many failed.
    pub failed: usize,
    /// What decides how the sweep ends, of the other points; none if points are missing.
    pub ends: Ends,
    /// The first failures: the point and why.
    pub failures: Vec<(usize, String)>,
    /// Columns that were requested and that no point has.
    pub empty_columns: Vec<String>,
    /// What of the shards is not as it was written.
    pub damage: Vec<Damage>,
}

/// How many failures are listed.
const LISTED: usize = 3;

/// How many points a thread reads at a time.
const CHUNK: usize = 512;

/// How many chunks are in memory at once.
const CHUNKS: usize = 32;

/// What the table has of every point, before its results.
const FIXED: [&str; 4] = ["key", "seed", "status", "error"];

/// How many hexadecimal digits of a key the table shows: enough to find its line in the shards.
const KEY_DIGITS: usize = 16;

/// Writes `points.csv` if every point is done: `point`, `key` (its first digits), a column an axis, `seed`, `status`
/// (`done` or `failed`), `error`, and then what the plan wants to see of the results, by default every scalar of any
/// result in order of first appearance. A result that lacks a column leaves the cell empty. The file appears whole.
///
/// Reads every result once, or twice where the columns have to be found first; memory holds an index of the shards and
/// some thousand results.
///
/// # Errors
/// If the shards cannot be read or disagree, or the system refuses.
pub fn merge<P: Plan + ?Sized>(plan: &P, store: &Store) -> Result<Merged, StoreError> {
    let known = store.known()?;
    let mut merged = Merged { points: plan.len(), damage: known.damage().to_vec(), ..Merged::default() };
    let mut rows = Vec::with_capacity(plan.len());
    let mut reader = known.reader();
    for (point, key) in plan.keys(0..plan.len()).into_iter().enumerate() {
        let Some(record) = known.find(&key) else {
            merged.missing += 1;
            continue;
        };
        rows.push(record);
        merged.failed += usize::from(record.failed);
        if record.failed && merged.failures.len() < LISTED {
            merged.failures.push((point, reader.read(record)?.err().unwrap_or_default()));
        }
    }
    if merged.missing > 0 {
        return Ok(merged);
    }
    let table = Table { plan, known: &known, rows };
    let columns = match plan.columns() {
        [] => table.columns()?,
        // Those with a value for every position of a list are a table of their own.
        columns => columns.iter().filter(|name| !name.contains('*')).cloned().collect(),
    };
    let columns = beside_axes(&columns, plan.axes());
    let mut failure = None;
    let written = store.write(TABLE, |out| {
        out.write_all(header(plan.axes(), &columns).as_bytes())?;
        let (mut seen, mut all) = (vec![false; columns.len()], Ends::default());
        let filled = table.each_chunk(
            |chunk| table.text(chunk, &columns),
            |(text, found, ends)| {
                all = all.and(ends);
                seen.iter_mut().zip(found).for_each(|(seen, found)| *seen |= found);
                out.write_all(text.as_bytes()).map_err(Failed::System)
            },
        );
        let empty = columns.iter().zip(seen).filter(|(_, seen)| !seen).map(|(column, _)| column.clone());
        (merged.ends, merged.empty_columns) = (all, empty.collect());
        filled.map_err(|failed| match failed {
            Failed::System(error) => error,
            Failed::Store(error) => {
                failure = Some(error);
                std::io::Error::other("the shards cannot be read")
            }
        })
    });
    match failure {
        Some(error) => Err(error),
        None => written.map(|()| merged),
    }
}

/// What every point came to, in plan order.
///
/// # Errors
/// As [`merge`]; a point that is missing has failed.
pub fn outcomes<P: Plan + ?Sized>(plan: &P, store: &Store) -> Result<Vec<Outcome>, StoreError> {
    let known = store.known()?;
    let outcome =
        |key| Ok(known.outcome(&key)?.unwrap_or_else(|| Err("it has not been computed".to_owned())));
    plan.keys(0..plan.len()).into_iter().map(outcome).collect()
}

/// Why a chunk was not written.
enum Failed {
    Store(StoreError),
    System(std::io::Error),
}

struct Table<'a, P: ?Sized> {
    plan: &'a P,
    known: &'a Known,
    /// Of every point, in plan order.
    rows: Vec<&'a Record>,
}

impl<P: Plan + ?Sized> Table<'_, P> {
    /// Makes something of every chunk of rows, on all cores, and takes it in their order.
    fn each_chunk<T: Send>(
        &self,
        make: impl Fn(Range<usize>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let chunks = self.rows.len().div_ceil(CHUNK);
        for first in (0..chunks).step_by(CHUNKS) {
            let some = first..(first + CHUNKS).min(chunks);
            let range = |chunk: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(self.rows.len());
            let made: Vec<Result<T, StoreError>> =
                some.into_par_iter().map(|chunk| make(range(chunk))).collect();
            for made in made {
                take(made.map_err(Failed::Store)?)?;
            }
        }
        Ok(())
    }

    /// The scalars of all results, in order of first appearance.
    fn columns(&self) -> Result<Vec<String>, StoreError> {
        let mut columns: Vec<String> = Vec::new();
        let mut known: BTreeMap<String, ()> = FIXED.iter().map(|name| ((*name).to_owned(), ())).collect();
        known.insert("point".to_owned(), ());
        known.extend(self.plan.axes().iter().map(|axis| (axis.clone(), ())));
        let gathered = self.each_chunk(
            |chunk| self.names(chunk),
            |names| {
                for name in names {
                    if known.insert(name.clone(), ()).is_none() {
                        columns.push(name);
                    }
                }
                Ok(())
            },
        );
        match gathered {
            Err(Failed::Store(error)) => Err(error),
            _ => Ok(columns),
        }
    }

    /// The scalars of some results, each once, in order of first appearance.
    fn names(&self, chunk: Range<usize>) -> Result<Vec<String>, StoreError> {
        let mut reader = self.known.reader();
        let mut names: Vec<String> = Vec::new();
        let mut known: BTreeMap<String, ()> = BTreeMap::new();
        for record in &self.rows[chunk] {
            for (name, _) in cells(reader.read(record)?.ok().as_ref()) {
                if !known.contains_key(&*name) {
                    known.insert(name.to_string(), ());
                    names.push(name.into_owned());
                }
            }
        }
        Ok(names)
    }

    /// The rows of some points, which columns any of them has, and what of them decides how the sweep ends.
    fn text(&self, chunk: Range<usize>, columns: &[String]) -> Result<(String, Vec<bool>, Ends), StoreError> {
        let mut reader = self.known.reader();
        let mut text = String::new();
        let mut seen = vec![false; columns.len()];
        let mut ends = Ends::default();
        for point in chunk {
            let outcome = reader.read(self.rows[point])?;
            if let Ok(result) = &outcome {
                ends = ends.and(Ends::of_point(self.plan, point, result));
            }
            let outcome = outcome.as_ref().map_err(String::as_str);
            add_row(&mut text, &Row::of(self.plan, point), outcome, columns, &mut seen);
        }
        Ok((text, seen, ends))
    }
}

/// What stands before a point's results in its row.
pub(super) struct Row {
    point: usize,
    key: Hash,
    values: Vec<String>,
    seed: u64,
}

impl Row {
    /// The row of a point.
    pub(super) fn of<P: Plan + ?Sized>(plan: &P, point: usize) -> Row {
        Row { point, key: plan.key(point), values: plan.values(point), seed: plan.seed(point) }
    }
}

/// These columns without those of axes, which a table has already.
pub(super) fn beside_axes(columns: &[String], axes: &[String]) -> Vec<String> {
    columns.iter().filter(|column| !axes.contains(column)).cloned().collect()
}

/// The header of the table.
pub(super) fn header(axes: &[String], columns: &[String]) -> String {
    let mut text = String::from("point,key");
    let axes = axes.iter().map(String::as_str);
    for name in axes.chain(["seed", "status", "error"]).chain(columns.iter().map(String::as_str)) {
        add_cell(&mut text, name);
    }
    text.push('\n');
    text
}

/// Adds a point's row, its results as they are in a shard or by their paths; notes in `seen` which columns it has.
pub(super) fn add_row(
    text: &mut String,
    row: &Row,
    outcome: Result<&Value, &str>,
    columns: &[String],
    seen: &mut [bool],
) {
    text.push_str(&row.point.to_string());
    add_cell(text, &row.key.to_hex()[..KEY_DIGITS]);
    row.values.iter().for_each(|value| add_cell(text, value));
    add_cell(text, &row.seed.to_string());
    add_cell(text, status(outcome.err()));
    add_cell(text, outcome.err().unwrap_or_default());
    let cells: BTreeMap<Cow<'_, str>, &Value> = cells(outcome.ok()).into_iter().collect();
    for (column, seen) in columns.iter().zip(seen) {
        let value = cells.get(column.as_str());
        *seen |= value.is_some();
        match value {
            None | Some(Value::Null) => text.push(','),
            Some(Value::String(value)) => add_cell(text, value),
            Some(value) => add_cell(text, &value.to_string()),
        }
    }
    text.push('\n');
}

/// What a point's row says of it, by why it has no result.
fn status(error: Option<&str>) -> &'static str {
    match error {
        None => "done",
        Some(INTERRUPTED) => "interrupted",
        Some(_) => "failed",
    }
}

/// The scalars of a result by their paths, in its order.
fn cells(result: Option<&Value>) -> Vec<(Cow<'_, str>, &Value)> {
    fn collect<'a>(name: Cow<'a, str>, value: &'a Value, all: &mut Vec<(Cow<'a, str>, &'a Value)>) {
        let below =
            |part: &'a str| if name.is_empty() { part.into() } else { format!("{name}.{part}").into() };
        match value {
            Value::Object(entries) => entries.iter().for_each(|(key, value)| collect(below(key), value, all)),
            Value::Array(list) => {
                for (nth, value) in list.iter().enumerate() {
                    collect(format!("{name}.{nth}").into(), value, all);
                }
            }
            _ => all.push((name, value)),
        }
    }
    let mut all = Vec::new();
    if let Some(result) = result {
        collect("".into(), result, &mut all);
    }
    all
}

/// Adds a comma and a cell.
fn add_cell(text: &mut String, cell: &str) {
    text.push(',');
    simnet_base::cells::add(text, cell);
}
