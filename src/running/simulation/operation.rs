//! The operation of a network that a scenario asks for, and its files.

use simnet_media::host::daemon::Options;
use simnet_media::host::distribution;
use simnet_media::trace::Recorder;
use simnet_output::report::{Csv, draw_curves, record, table_of};
use simnet_scenario::Checked;
use simnet_scenario::checked::Operation;
use simnet_scenario::mapping::Masters;

use super::daemon::{self, DaemonError, EventReport, IntervalReport, NoticeReport, Report, Task};
use super::hosts::{self, Recorded, Setup};
use super::mappings::MappingRuns;
use super::summary::{Findings, Outcome, Summary};
use super::{Listener, Progress, Run, RunError};

/// Operates a network.
///
/// # Errors
/// [`RunError`]: routes too many to be computed, or more failures by chance than anyone wants to see.
pub(super) fn run(
    checked: &Checked,
    operation: &Operation,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Run, RunError> {
    progress.stage("operating", 1);
    let mapping = &operation.mapping;
    let runs = MappingRuns::new(checked, mapping)?.with_listener(Listener(progress));
    let failures = super::failures_of(checked)?;
    let applications = operation.traffic.as_ref().and_then(|generated| {
        let load = mapping.load.or_else(|| generated.loads.first().copied());
        load.map(|load| (&generated.workload, load))
    });
    let base = runs.task(checked.seed);
    let recorded = |recorder| Recorded { recorder, nth: 0, kind: "operation" };
    let work = base.setup.costs.reply;
    let mut setup = Setup { recorded: recorder.map(recorded), ..base.setup };
    let mut mappers = operation.mappers.clone();
    if mapping.masters == Masters::Election {
        setup.addresses = runs.addresses_in_election();
        let addresses = hosts::addresses(&setup);
        let network = &checked.topology.network;
        mappers.extend(network.host_ids().filter(|host| network.attachment(*host).is_some()));
        mappers.sort_by_key(|host| std::cmp::Reverse(addresses[host.index()]));
    }
    let task = Task {
        setup,
        mappers: &mappers,
        options: Options {
            algorithm: base.algorithm,
            brief: base.brief,
            remap_period: operation.remap_period,
            heartbeat: operation.heartbeat,
            patience: operation.patience,
            confirm: operation.confirm,
            tries: operation.tries,
            distribution: distribution::Options::default(),
            takeover: operation.takeover,
            work,
        },
        choices: operation.choices.clone(),
        failures: &failures,
        applications,
        restraint: mapping.restraint,
        length: operation.length,
        interval: operation.interval,
    };
    let report = daemon::run(&task).map_err(|error| match error {
        DaemonError::Fabric(error) => RunError::Fabric(error),
        DaemonError::Routes(error) => RunError::Routes(error),
    })?;
    progress.step();
    let mut run = gather(checked, report);
    let network = &checked.topology.network;
    run.files.extend(super::tables::outages(network, &super::failures::outages(network, &failures)));
    Ok(run)
}

/// Turns what came of it into a summary and files.
fn gather(checked: &Checked, report: Report) -> Run {
    let series = series(&report);
    let drawn = draw_curves("operation", &Csv::parse(&series), &checked.name);
    let mut files = vec![
        ("operation.csv".to_owned(), series),
        ("failures.csv".to_owned(), failures(&report)),
        ("deeds.csv".to_owned(), table_of(&report.daemon_events).into_csv()),
        super::tables::network(&checked.topology.network),
    ];
    files.extend(drawn.map(|svg| ("operation.svg".to_owned(), svg)));
    let (events, messages_delivered) = (report.fabric_events, report.delivered);
    let summary = Summary::new(checked, Outcome::Horizon, Findings::Operation(Box::new(report)));
    Run { summary, files, latencies: Vec::new(), events, messages_delivered }
}

record! {
    /// What ended in a stretch of time.
    struct IntervalRow {
        /// When the stretch begins.
        pub from_ms: f64,
        /// Payload flits that arrived, a cycle and a host that sends.
        pub accepted_flits_per_cycle_per_sender: f64,
        /// Messages that arrived.
        pub delivered: u64,
        /// Messages that were lost.
        pub lost: u64,
        /// Mean latency of those that arrived.
        pub latency_mean_us: Option<f64>,
    }
}

/// What ended in each interval.
fn series(report: &Report) -> String {
    table_of(&report.series.iter().map(interval_row).collect::<Vec<_>>()).into_csv()
}

/// The row of an interval.
fn interval_row(interval: &IntervalReport) -> IntervalRow {
    IntervalRow {
        from_ms: interval.from_ms,
        accepted_flits_per_cycle_per_sender: interval.accepted,
        delivered: interval.delivered,
        lost: interval.lost,
        latency_mean_us: interval.latency_us,
    }
}

record! {
    /// What failed or returned, and what followed.
    struct FailureRow {
        /// When.
        pub at_ms: f64,
        /// What failed or returned.
        pub what: String,
        /// What showed it to the mapper.
        pub noticed_by: Option<String>,
        /// How long after.
        pub noticed_after_ms: Option<f64>,
        /// How long after it a new map was finished.
        pub mapped_after_ms: Option<f64>,
        /// How long after it the hosts had their routes.
        pub routed_after_ms: Option<f64>,
    }
}

/// What failed and returned, and what followed.
fn failures(report: &Report) -> String {
    let row = |(nth, event)| failure_row(event, report.notices.iter().find(|notice| notice.event == nth));
    table_of(&report.events.iter().enumerate().map(row).collect::<Vec<_>>()).into_csv()
}

/// The row of a failure or return, with what was noticed of it.
fn failure_row(event: &EventReport, notice: Option<&NoticeReport>) -> FailureRow {
    FailureRow {
        at_ms: event.at_ms,
        what: event.what.clone(),
        noticed_by: notice.and_then(|notice| notice.noticed_by).map(str::to_owned),
        noticed_after_ms: notice.and_then(|notice| notice.noticed_ms),
        mapped_after_ms: notice.and_then(|notice| notice.mapped_ms),
        routed_after_ms: notice.and_then(|notice| notice.routed_ms),
    }
}
