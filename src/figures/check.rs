//! Whether what stands in a folder is what the program makes, and what moved if it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use serde::Serialize;

use simnet_base::diagnostics::shown;
use simnet_base::files::{Inside, LARGEST, parent_of};

use super::{BuiltFigure, Csv, Figure, Record, index};

/// Something that stands otherwise than it is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The file, below the folder of results.
    pub file: String,
    /// What is otherwise, for people.
    pub what: String,
    /// The row of a table: quantity, configuration, place on the horizontal axis.
    pub row: Option<String>,
    /// The row's column.
    pub column: Option<String>,
    /// What stands there.
    pub old: Option<String>,
    /// What is made now.
    pub new: Option<String>,
}

/// The files of a figure's folder that differ from those made now. Of a figure for which only `quick.csv` was
/// made, nothing else is compared.
///
/// # Errors
/// If the system refuses to read.
pub fn differences(out: &Path, made: &BuiltFigure) -> io::Result<Vec<Difference>> {
    let id = made.figure.id;
    let folder = out.join(id);
    let mut found = Vec::new();
    for (name, new) in &made.files {
        let file = format!("{id}/{name}");
        match read(&folder.join(name))? {
            None => found.push(Difference::of(&file, "is missing")),
            Some(old) if old == new.as_bytes() => {}
            Some(old) if name.ends_with(".csv") => {
                found.extend(moved(&file, &String::from_utf8_lossy(&old), new));
            }
            Some(old) => found.push(first_line(&file, &String::from_utf8_lossy(&old), new)),
        }
    }
    if made.files.contains_key("data.csv") {
        for name in names(&folder)?.into_iter().filter(|name| !made.files.contains_key(name.as_str())) {
            found.push(Difference::of(&format!("{id}/{name}"), "is not made by simnet figures"));
        }
    }
    Ok(found)
}

/// Folders of papers that no figure of ours is in.
///
/// # Errors
/// If the system refuses to read.
pub fn strangers(out: &Path) -> io::Result<Vec<Difference>> {
    let mut found = Vec::new();
    for paper in &super::PAPERS {
        for name in names(&out.join(paper.name))? {
            let id = format!("{}/{name}", paper.name);
            if super::find(&id).is_none() {
                found.push(Difference::of(&id, "is no figure"));
            }
        }
    }
    Ok(found)
}

/// What the index says of files, against the files: of those figures, each file that is not what the index has the
/// hash of.
///
/// # Errors
/// If the system refuses to read.
pub fn against_index(out: &Path, figures: &[&'static Figure]) -> io::Result<Vec<Difference>> {
    let Some(text) = read(&out.join(index::FILE))? else {
        return Ok(vec![Difference::of(index::FILE, "is missing")]);
    };
    let recorded: BTreeMap<String, String> = index::hashes(&String::from_utf8_lossy(&text));
    let mut found = Vec::new();
    for figure in figures {
        let inside: BTreeSet<String> =
            index::FILES.iter().map(|name| format!("{}/{name}", figure.id)).collect();
        for file in &inside {
            let hash = read(&out.join(file))?.map(|bytes| index::hash(&bytes));
            match (recorded.get(file), hash) {
                (recorded, hash) if recorded == hash.as_ref() => {}
                (_, None) => found.push(Difference::of(file, "is missing")),
                (None, _) => found.push(Difference::of(file, "is not in the index")),
                (Some(_), Some(_)) => {
                    found.push(Difference::of(file, "is not what the index has the hash of"))
                }
            }
        }
    }
    Ok(found)
}

/// The index against what it would be now.
///
/// # Errors
/// If the system refuses to read.
pub fn index_differs(out: &Path, new: &str) -> io::Result<Option<Difference>> {
    Ok(match read(&out.join(index::FILE))? {
        None => Some(Difference::of(index::FILE, "is missing")),
        Some(old) if old == new.as_bytes() => None,
        Some(old) => Some(first_line(index::FILE, &String::from_utf8_lossy(&old), new)),
    })
}

impl Difference {
    fn of(file: &str, what: &str) -> Difference {
        Difference {
            file: file.to_owned(),
            what: what.to_owned(),
            row: None,
            column: None,
            old: None,
            new: None,
        }
    }

    fn between(self, old: &str, new: &str) -> Difference {
        Difference { old: Some(old.to_owned()), new: Some(new.to_owned()), ..self }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.what)
    }
}

/// The cells of a table that moved.
fn moved(file: &str, old: &str, new: &str) -> Vec<Difference> {
    let (olds, news) = (Csv::parse(old), Csv::parse(new));
    let (before, after) = (by_name(&olds), by_name(&news));
    let mut found = Vec::new();
    for (row, old) in &before {
        let Some(new) = after.get(row) else {
            let gone = Difference::of(file, &format!("{}: the row is gone", named(row)));
            found.push(Difference { row: Some(named(row)), ..gone });
            continue;
        };
        for column in &news.columns {
            let (old, new) = (old.text(column), new.text(column));
            if old != new {
                let what = format!("{}: {column} {} -> {}", named(row), or_nothing(old), or_nothing(new));
                let moved = Difference::of(file, &what).between(old, new);
                found.push(Difference { row: Some(named(row)), column: Some(column.clone()), ..moved });
            }
        }
    }
    for row in after.keys().filter(|row| !before.contains_key(row)) {
        let new = Difference::of(file, &format!("{}: the row is new", named(row)));
        found.push(Difference { row: Some(named(row)), ..new });
    }
    if found.is_empty() {
        found.push(first_line(file, old, new));
    }
    found
}

/// What a row is known by: quantity, configuration, x, where it is printed, and which of several such rows it is.
type RowName<'a> = (&'a str, &'a str, &'a str, &'a str, usize);

fn by_name(table: &Csv) -> BTreeMap<RowName<'_>, Record<'_>> {
    let mut rows: BTreeMap<RowName<'_>, Record<'_>> = BTreeMap::new();
    for record in table.records() {
        let [a, b, c, d] = ["quantity", "configuration", "x", "printed_in"].map(|column| record.text(column));
        let nth = rows.range((a, b, c, d, 0)..=(a, b, c, d, usize::MAX)).count();
        rows.insert((a, b, c, d, nth), record);
    }
    rows
}

fn named((quantity, configuration, x, _, nth): &RowName<'_>) -> String {
    let at = if x.is_empty() { String::new() } else { format!(" at {x}") };
    let of = if configuration.is_empty() { String::new() } else { format!(", {configuration}") };
    let nth = if *nth == 0 { String::new() } else { format!(" (#{})", nth + 1) };
    format!("{quantity}{of}{at}{nth}")
}

fn or_nothing(cell: &str) -> &str {
    if cell.is_empty() { "nothing" } else { cell }
}

/// The first line in which two texts differ.
fn first_line(file: &str, old: &str, new: &str) -> Difference {
    let (mut olds, mut news) = (old.split('\n'), new.split('\n'));
    for line in 1.. {
        match (olds.next(), news.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => {
                let what = format!("line {line}: {} -> {}", clipped(old), clipped(new));
                return Difference::of(file, &what).between(old.unwrap_or_default(), new.unwrap_or_default());
            }
        }
    }
    Difference::of(file, "differs in bytes that are no text")
}

/// A line in quotes, cut after 120 characters.
fn clipped(text: Option<&str>) -> String {
    match text {
        None => "nothing".to_owned(),
        Some(text) if text.chars().count() > 120 => {
            format!("`{}...`", text.chars().take(120).collect::<String>())
        }
        Some(text) => format!("`{text}`"),
    }
}

/// A file's bytes; none if there is no file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match Inside(parent_of(path)).read(path.file_name().unwrap_or_default(), LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", shown(path)))),
    }
}

/// The names in a folder but those that begin with a point, sorted; none if there is no folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str =
        "quantity,configuration,x,ours,printed_in\na,c,,1,\nb,\"d, e\",0.1,2,\nb,\"d, e\",0.1,3,\n";

    /// Wrong if a moved cell is reported at another row or column, or a row that came or went is not reported.
    #[test]
    fn what_moved_is_reported_by_row_and_column() {
        let new = "quantity,configuration,x,ours,printed_in\nb,\"d, e\",0.1,2,\nb,\"d, e\",0.1,,\nz,,,1,\n";
        let reported: Vec<String> = moved("f", OLD, new).iter().map(ToString::to_string).collect();
        let wanted =
            ["f: a, c: the row is gone", "f: b, d, e at 0.1 (#2): ours 3 -> nothing", "f: z: the row is new"];
        assert_eq!(reported, wanted);
        let turned =
            "quantity,configuration,x,ours,printed_in\nb,\"d, e\",0.1,2,\nb,\"d, e\",0.1,3,\na,c,,1,\n";
        assert_eq!(moved("f", OLD, turned)[0].what, "line 2: `a,c,,1,` -> `b,\"d, e\",0.1,2,`");
    }
}
