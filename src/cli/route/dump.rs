//! The files that a subnet manager leaves: which of a folder's files say where packets go, and on which lanes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use simnet_base::diagnostics::shown;
use simnet_base::files;

use crate::cli::Failure;

/// The files that a verdict on forwarding tables needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dump {
    pub(super) lfts: PathBuf,
    pub(super) sl2vl: Option<PathBuf>,
    pub(super) levels: Option<PathBuf>,
}

/// What a file is, by how it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lfts,
    Sl2vl,
    Levels,
}

/// How subnet managers and ibdiagnet call such files; where a folder has several of a kind, the first here is taken.
const NAMES: [&str; 6] = [
    "opensm-lfts.dump",
    "opensm.fdbs",
    "ibdiagnet.fdbs",
    "opensm-sl2vl.dump",
    "ibdiagnet.slvl",
    "ibdiagnet.psl",
];

/// How many bytes of a file show what it is.
const HEAD: u64 = 4096;

impl Dump {
    /// The files that were named, and those of the folder `lfts` if it is one.
    ///
    /// # Errors
    /// [`Failure::Io`] if the folder cannot be read, [`Failure::Place`] if it has no tables.
    pub(super) fn of(
        lfts: &Path,
        sl2vl: Option<&PathBuf>,
        levels: Option<&PathBuf>,
    ) -> Result<Dump, Failure> {
        let (sl2vl, levels) = (sl2vl.cloned(), levels.cloned());
        if !lfts.is_dir() {
            return Ok(Dump { lfts: lfts.to_owned(), sl2vl, levels });
        }
        let found = recognised(lfts)?;
        let first = |kind| found.iter().find(|(of, _)| *of == kind).map(|(_, path)| path.clone());
        let Some(tables) = first(Kind::Lfts) else {
            let message = "it is a folder, and none of its files is a dump of forwarding tables";
            return Err(Failure::Place(format!("{}: {message}", shown(lfts))));
        };
        let sl2vl = sl2vl.or_else(|| first(Kind::Sl2vl));
        // Levels that nobody named say nothing without a table that makes lanes of them.
        let levels = levels.or_else(|| first(Kind::Levels).filter(|_| sl2vl.is_some()));
        Ok(Dump { lfts: tables, sl2vl, levels })
    }

    /// The files in words.
    pub(super) fn names(&self) -> String {
        let all = [Some(&self.lfts), self.sl2vl.as_ref(), self.levels.as_ref()];
        let names =
            all.into_iter().flatten().map(|path| shown(path.file_name().unwrap_or_default()).to_string());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The first file of a folder that says how lanes are used: SL2VL tables, and service levels.
pub(super) fn lane_files(folder: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let found = recognised(folder).unwrap_or_default();
    let first = |kind| found.iter().find(|(of, _)| *of == kind).map(|(_, path)| path.clone());
    (first(Kind::Sl2vl), first(Kind::Levels))
}

/// The files of a folder that are of some kind, those with a known name first, then by name.
fn recognised(folder: &Path) -> Result<Vec<(Kind, PathBuf)>, Failure> {
    let failed = |error| Failure::Io { path: shown(folder).to_string(), error };
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    let rank = |path: &PathBuf| {
        NAMES.iter().position(|name| path.file_name().is_some_and(|own| own == *name)).unwrap_or(NAMES.len())
    };
    paths.sort_by_key(|path| (rank(path), path.clone()));
    Ok(paths.into_iter().filter_map(|path| Some((kind(&path)?, path))).collect())
}

/// What a file is; none of these if it cannot be read.
fn kind(path: &Path) -> Option<Kind> {
    let mut head = Vec::new();
    if !path.is_file() {
        return None;
    }
    files::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head);
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("ibwarn:");
    of_line(text.trim_start_matches('\u{feff}').lines().map(str::trim).find(is_said)?)
}

/// What a file is that begins with a line.
fn of_line(line: &str) -> Option<Kind> {
    let nodes = ["Switch 0x", "Channel Adapter 0x", "Router 0x"];
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number =
        |word: &&str| word.strip_prefix("0x").unwrap_or(word).bytes().all(|b| b.is_ascii_hexdigit());
    // Lids and levels are decimal: OpenSM's own guid2lid has two lids in hexadecimal.
    let is_decimal = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    if line.starts_with("Unicast lids ") || line.contains("dump_ucast_routes: Switch 0x") {
        return Some(Kind::Lfts);
    }
    if nodes.iter().any(|node| line.starts_with(node)) && line.contains(", base LID ") {
        return Some(Kind::Sl2vl);
    }
    match words.len() {
        11 if words[0].starts_with("0x") && words.iter().all(is_number) => Some(Kind::Sl2vl),
        3 if is_number(&words[0]) && words[1..].iter().all(is_decimal) => Some(Kind::Levels),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a file of a dump were taken for another one, or a log or a table of hops for one.
    #[test]
    fn files_are_known_by_how_they_begin() {
        for (line, kind) in [
            ("Unicast lids [0-32] of switch Lid 1 guid 0x1 ('s0'):", Some(Kind::Lfts)),
            ("Switch 0x0200000000010000, base LID 1, \"s0\"", Some(Kind::Sl2vl)),
            ("0x0200000000010000 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67", Some(Kind::Sl2vl)),
            ("17 18 1", Some(Kind::Levels)),
            ("0x0200000000110000 18 0", Some(Kind::Levels)),
            ("Switch: guid 0x0002c9000100d050", None),
            ("Nov 25 02:58:17 [12345678]", None),
            ("17 18 high", None),
            ("0x0200000000010000 0x0001 0x0001", None),
            ("dump_ucast_routes: Switch 0x0200000000010000", Some(Kind::Lfts)),
            ("osm_ucast_mgr_dump_ucast_routes: Switch 0x0200000000010000", Some(Kind::Lfts)),
        ] {
            assert_eq!(of_line(line), kind, "{line}");
        }
    }
}
