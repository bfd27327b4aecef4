//! Discoveries, as the figures read them.

use simnet_base::numbers;
use simnet_base::units::{Duration, Unit as _};
use simnet_network::discovery::Rtts;
use simnet_output::report::Record;

use super::Results;

/// A method as figures call it.
pub(super) fn method(name: &str) -> &str {
    match name {
        "paper" => "the paper's",
        "paper-range" => "the paper's text, taken literally",
        "sturdy" => "sturdy",
        other => other,
    }
}

/// The column of what a method came to, in the tables of sweeps.
pub(super) fn column(method: &str, key: &str) -> String {
    format!("discovery.methods.{method}.{key}")
}

/// One for true, zero for false; none for anything else.
pub(super) fn truth(row: Record<'_>, column: &str) -> Option<f64> {
    row.text(column).parse::<bool>().ok().map(|truth| f64::from(u8::from(truth)))
}

/// The first matrix of a sweep whose points keep theirs.
///
/// # Panics
/// If there is none: a bug of the figure.
pub(super) fn first_matrix(results: &Results<'_>, nth: usize) -> Rtts {
    let time =
        |from: usize, to: usize| results.at(nth, &format!("sweep.points.0.discovery.rtt_ms.{from}.{to}"));
    let machines = (0..).take_while(|to| time(0, *to).is_some()).count();
    let cells = (0..machines).flat_map(|from| (0..machines).filter_map(move |to| time(from, to)));
    // Printed, the times are whole picoseconds again.
    let span =
        |ms: f64| Duration::parse(&format!("{} ms", numbers::exact(ms))).expect("a time that was measured");
    let cells: Vec<Duration> = cells.map(span).collect();
    let names = (0..machines).map(|machine| format!("n{machine}")).collect();
    Rtts::new(names, cells).expect("the points keep their matrices")
}
