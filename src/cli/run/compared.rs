//! What to look at next of a result: what went wrong, and what it is farthest from: its bound, the truth, or print.

use simnet_base::numbers::rounded;
use simnet_running::simulation::allgather::GatherReport;
use simnet_running::simulation::discoveries::DiscoveryReport;
use simnet_running::simulation::{Findings, PaperReport, RingReport, Summary};

/// What a line is about, and what it says.
type Row = (&'static str, String);

/// How many are named one by one.
const NAMED: usize = 3;

/// The lines of an all-gather, a ring or the methods of a discovery.
pub(super) fn rows(summary: &Summary) -> Vec<Row> {
    match &summary.findings {
        Findings::Allgather(report) => gather(report).into_iter().collect(),
        Findings::Ring(report) => ring(report).into_iter().collect(),
        Findings::Discovery(report) => discovery(report),
        Findings::Stages(_) | Findings::Operation(_) => Vec::new(),
    }
}

/// What an all-gather's time suffers from; nothing where it did not end.
fn gather(report: &GatherReport) -> Option<Row> {
    if report.contention_free == Some(false) {
        let tree = match report.judged_on {
            Some("routes") => " with ring-routes = \"tree\"",
            _ => "",
        };
        return Some((
            "ring",
            format!("its messages share channels; algorithm = \"lr3\"{tree} in [allgather] avoids that"),
        ));
    }
    let times = rounded(1.0 / report.efficiency.filter(|share| *share > 0.0)?, 2);
    let text =
        format!("{times} times the least that cables allow; a [sweep] over allgather.size shows where from");
    Some(("time", text))
}

/// How long a ring's longest path is compared with the least possible.
fn ring(report: &RingReport) -> Option<Row> {
    let (length, bound) = (report.max_path_length?, report.max_path_length_bound?);
    let algorithm = report.algorithm;
    let text = match length.saturating_sub(bound) {
        0 => {
            format!(
                "the least possible on that tree; algorithm = \"{algorithm}\" in [allgather] runs messages on such a \
                 ring"
            )
        }
        more if algorithm == "lr3" => format!("within {more} of the least possible on that tree"),
        more => format!(
            "up to {more} more than the least possible on that tree; algorithm = \"lr3\" may shorten it"
        ),
    };
    Some(("longest path", text))
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
