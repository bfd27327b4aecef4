//! What `simnet run` says of a discovery.

use std::fmt::Write as _;

use crate::cli::output::Table;
use crate::diagnostics::legible;
use crate::report::table_of;
use crate::simulation::discoveries::DiscoveryReport;

/// A discovery as text: what was measured, what was inferred and found.
pub(super) fn text(report: &DiscoveryReport) -> String {
    let mut text = String::new();
    if report.measured.messages > 0 {
        let _ = writeln!(text, "\n{}", Table::of(&table_of([&report.measured]).upright()));
    }
    let _ = writeln!(text, "\n{}", Table::of(&report.inferred()));
    for remark in report.remarks() {
        let _ = writeln!(text, "\n{}", legible(&remark));
    }
    text
}
