//! What `simnet run` says of the numbers that the papers print.

use crate::cli::output::Table;

use crate::simulation::PaperReport;

use super::summary::columns;

/// The printed numbers beside ours.
pub(super) fn paper(rows: &[PaperReport]) -> Table {
    let mut table = columns(&["printed", "", "paper", "ours", "deviation"]);
    for row in rows {
        table.add_row([
            format!("{} ({})", row.quantity, row.configuration),
            row.unit.clone(),
            row.printed.to_string(),
            row.ours.map_or_else(|| "-".to_owned(), |ours| format!("{ours:.3}")),
            row.deviation_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:+.1} %")),
        ]);
    }
    table
}
