//! What `simnet run` says of an operation.

use std::fmt::Write as _;

use simnet_base::diagnostics::legible;
use simnet_base::numbers::{fixed, or_dash, time};
use simnet_network::topology::Network;
use simnet_running::simulation::daemon::Report;

use crate::cli::output::Table;

/// Events that are listed one by one; failures.csv has all.
const TOLD: usize = 20;

/// The operation as text: each failure and return with what followed, then maps, losses and throughput.
pub(super) fn text(report: &Report, network: &Network) -> String {
    let mut text = String::new();
    if !report.events.is_empty() {
        let mut table =
            Table::with_numbers(&["failures and returns", "at", "noticed after", "mapped", "routed", "by"]);
        for (nth, event) in report.events.iter().enumerate().take(TOLD) {
            let notice = report.notices.iter().find(|notice| notice.event == nth);
            let after = |ms: Option<f64>| or_dash(ms.map(|ms| time(ms * 1e6)));
            table.add_row([
                legible(&network.labelled_words(&event.what)).into_owned(),
                time(event.at_ms * 1e6),
                after(notice.and_then(|notice| notice.noticed_ms)),
                after(notice.and_then(|notice| notice.mapped_ms)),
                after(notice.and_then(|notice| notice.routed_ms)),
                notice.and_then(|notice| notice.noticed_by).unwrap_or("-").to_owned(),
            ]);
        }
        let _ = writeln!(text, "\n{table}");
        if report.events.len() > TOLD {
            let _ = writeln!(text, "  and {} more, in failures.csv", report.events.len() - TOLD);
        }
    }
    let maps = &report.maps;
    let _ = writeln!(
        text,
        "\nMaps: {} made, {} put to use: {} true, {} not ({} of these without a doubt); {} false alarms",
        maps.made, maps.adopted, maps.correct, maps.wrong, maps.wrong_and_sure, maps.false_alarms
    );
    let losses = &report.losses;
    let _ = writeln!(
        text,
        "Messages: {} sent, {} delivered; {} cut off, {} reset, {} expired, {} on dead routes, {} without a route",
        report.created,
        report.delivered,
        losses.failed,
        losses.reset,
        losses.expired,
        losses.undeliverable,
        losses.unroutable
    );
    if losses.vl15_dropped > 0 {
        let _ =
            writeln!(text, "  {} dropped for want of room on the lane of management", losses.vl15_dropped);
    }
    let _ = writeln!(
        text,
        "Deadlocks: {}, {} of them while old and new routes mixed ({})",
        report.deadlocks.formed,
        report.deadlocks.while_mixed,
        time(report.mixed_ms * 1e6)
    );
    let throughput = &report.throughput;
    let _ = writeln!(
        text,
        "Accepted, flits per cycle and sender: {} before, {} during, {} after",
        fixed(throughput.before, 5),
        fixed(throughput.during, 5),
        fixed(throughput.after, 5)
    );
    text
}
