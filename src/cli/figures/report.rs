//! What `simnet figures` prints.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use simnet_base::diagnostics::shown;
use simnet_figures::{self, BuiltFigure, ComparedRow, Difference, Figure};

use crate::cli::output::{print, print_json};
use crate::cli::{Common, Exit, Failure, Format};

/// The most moved cells that are listed one by one.
const MOST_LISTED: usize = 60;

/// Lists all figures.
pub(super) fn list(common: &Common) -> Result<Exit, Failure> {
    match common.format {
        Format::Human => {
            let longest = simnet_figures::all().map(|figure| figure.id.len()).max().unwrap_or(0);
            let lines =
                simnet_figures::all().map(|figure| format!("{:longest$}  {}\n", figure.id, figure.title));
            print(&lines.collect::<String>())?;
        }
        Format::Json => {
            let figure = |f: &Figure| json!({ "id": f.id, "title": f.title, "scenarios": f.scenarios });
            print_json(&json!({ "figures": simnet_figures::all().map(figure).collect::<Vec<Value>>() }))?;
        }
    }
    Ok(Exit::Fine)
}

/// What was written, and how near it comes.
pub(super) fn written(made: &[BuiltFigure], place: &Path, common: &Common) -> Result<(), Failure> {
    let (judged, holding) =
        made.iter().map(|made| counts(&made.rows)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    match common.format {
        Format::Human => {
            let mut text = String::new();
            for made in made {
                let folder = place.join(made.figure.id);
                let numbers = match counts(&made.rows) {
                    (0, _) => String::new(),
                    (judged, holding) => format!(": {holding} of {judged} numbers hold"),
                };
                let _ = writeln!(text, "{}{numbers}", shown(&folder));
            }
            let _ = writeln!(text, "{} figures, {holding} of {judged} numbers hold", made.len());
            print(&text)
        }
        Format::Json => {
            let figure = |made: &BuiltFigure| {
                let (judged, holding) = counts(&made.rows);
                let folder = place.join(made.figure.id).to_string_lossy().into_owned();
                let files: Vec<&str> = made.files.keys().copied().collect();
                let id = made.figure.id;
                json!({ "id": id, "folder": folder, "files": files, "printed": judged, "holding": holding })
            };
            let figures: Vec<Value> = made.iter().map(figure).collect();
            print_json(&json!({ "figures": figures, "printed": judged, "holding": holding }))
        }
    }
}

/// What a check found.
pub(super) fn checked(figures: usize, found: &[Difference], common: &Common) -> Result<(), Failure> {
    match common.format {
        Format::Human => {
            let mut text = String::new();
            for difference in found.iter().take(MOST_LISTED) {
                let _ = writeln!(text, "{difference}");
            }
            if found.len() > MOST_LISTED {
                let _ = writeln!(text, "... and {} more", found.len() - MOST_LISTED);
            }
            let verdict = match found.len() {
                0 => "all are as they stand".to_owned(),
                1 => "1 difference".to_owned(),
                many => format!("{many} differences"),
            };
            let _ = writeln!(text, "{figures} figures made again: {verdict}");
            print(&text)
        }
        Format::Json => print_json(&json!({ "figures": figures, "differences": found })),
    }
}

/// Counts the papers' numbers that are judged, and those of them that hold.
fn counts(rows: &[ComparedRow]) -> (usize, usize) {
    let verdicts = || rows.iter().filter_map(ComparedRow::holds);
    (verdicts().count(), verdicts().filter(|holds| *holds).count())
}
