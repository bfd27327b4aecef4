//! What `simnet run` says of the numbers that the papers print.

use crate::cli::output::Table;
use crate::numbers::{deviation, fixed, or_dash};

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
            fixed(row.ours, 3),
            or_dash(row.deviation_percent.map(deviation)),
        ]);
    }
    table
}
