//! The page of a sweep's folder: what it is about, what each file holds, and the papers' numbers compared with ours.

use std::fmt::Write as _;

use crate::simulation::{PaperReport, paper_page};
use simnet_base::diagnostics::legible_lines;
use simnet_output::report::{README_MARK, markdown};

use super::{Points, Statistics, listed};
use crate::sweep::store::TABLE;

/// The most rows of statistics that stand on the page.
const MOST_ROWS: usize = 200;

pub(super) fn readme(
    points: &Points<'_>,
    statistics: &Statistics,
    compared: &[PaperReport],
    files: &[(String, String)],
) -> String {
    let sweep = points.sweep;
    let (name, count) = (sweep.name(), points.outcomes.len());
    let mut text = format!("{README_MARK}\n# {name}\n\n");
    if let Some(description) = sweep.description() {
        let _ = writeln!(text, "{}\n", legible_lines(description));
    }
    let axes: Vec<String> = sweep.axes_in_short().iter().map(|axis| markdown(axis)).collect();
    let varied = if axes.is_empty() { String::new() } else { format!(" over {}", axes.join(", ")) };
    let repeated = if sweep.seeds() > 1 {
        format!(", {} seeds each, which vary {}", sweep.seeds(), listed(&sweep.varied()))
    } else {
        String::new()
    };
    let _ = writeln!(text, "Made by `simnet run` of the sweep `{name}`: {count} points{varied}{repeated}.\n");
    for (name, _) in files {
        let _ = writeln!(text, "* `{name}`: {}", about(name));
    }
    text.push_str(&paper_page(compared));
    if let (Some(nearest), Some(column)) = (&statistics.nearest, &sweep.evaluation().nearest) {
        let (id, column) = (markdown(&nearest.id), markdown(column));
        let _ = writeln!(text, "\nNearest to the means of {column}: {id}.");
    }
    let table = statistics.table(&points.columns);
    if !statistics.is_empty() && table.rows().len() <= MOST_ROWS {
        let _ = write!(text, "\n{}", table.markdown());
    }
    if let Some(meaning) = statistics.half_width() {
        let _ = writeln!(text, "\n`half_width` is {}.", markdown(&meaning));
    }
    text
}

/// What a file holds.
fn about(name: &str) -> &'static str {
    match name {
        TABLE => "every point: the axes, the seed, how it ended, and its columns",
        "curves.csv" => "every point and position of its lists: the columns with `*`",
        "statistics.csv" => {
            "mean, least, greatest and spread of every column, over the axes that are left out"
        }
        "paper.csv" => "what the paper prints, and ours",
        _ => "a figure",
    }
}
