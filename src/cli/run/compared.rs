//! What to look at next where several things are compared: what went wrong, and what is farthest from print.

use crate::simulation::discoveries::DiscoveryReport;
use crate::simulation::{PaperReport, Summary};

/// What a line is about, and what it says.
type Row = (&'static str, String);

/// How many are named one by one.
const NAMED: usize = 3;

/// The lines of what a run has compared: the methods of a discovery.
pub(super) fn rows(summary: &Summary) -> Vec<Row> {
    summary.discovery.as_ref().map(discovery).unwrap_or_default()
}

/// Which methods found the true tree, and which did not.
fn discovery(report: &DiscoveryReport) -> Vec<Row> {
    let of = |recovered: bool| {
        let methods = report.methods.iter().filter(|(_, of)| of.recovered == recovered);
        methods.map(|(method, _)| method.name().to_owned()).collect::<Vec<_>>()
    };
    some("true trees", &of(true)).into_iter().chain(some("missed", &of(false))).collect()
}

/// The printed number that ours is farthest from.
pub(super) fn printed(paper: &[PaperReport]) -> Option<Row> {
    let known = paper.iter().filter_map(|row| Some((row, row.deviation_percent?)));
    let (row, percent) = known.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let text = format!("{} ({}): ours is {percent:+.1} % off", row.quantity, row.configuration);
    Some(("farthest from print", text))
}

/// A line that names the first few of some; nothing where there are none.
fn some(what: &'static str, names: &[String]) -> Option<Row> {
    if names.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some((what, format!("{}{more}", names[..names.len().min(NAMED)].join(", "))))
}
