//! The operation of a network that a scenario asks for, and its files.

use crate::host::daemon::Options;
use crate::host::distribution;
use crate::numbers::cell;
use crate::report::{Csv, Table, draw_curves};
use crate::scenario::Checked;
use crate::scenario::checked::{Operation, RouteSource, Routing, Traffic};
use crate::trace::Recorder;

use super::daemon::{self, DaemonError, Report, Task};
use super::hosts::{Recorded, Restraint, Setup};
use super::mappings::Ground;
use super::summary::{Outcome, Summary};
use super::{Listener, Progress, Run, RunError};

/// Operates a network.
///
/// # Errors
/// [`RunError`]: routes too many to be computed, or more failures by chance than anyone wants to see.
///
/// # Panics
/// If the scenario has no mapper or no computed routes.
pub(super) fn run(
    checked: &Checked,
    operation: &Operation,
    progress: &dyn Progress,
    recorder: Option<&Recorder>,
) -> Result<Run, RunError> {
    progress.stage("operating", 1);
    let mapping = checked.mapping.as_ref().expect("an operation has a mapper");
    let Some(Routing { source: RouteSource::Computed(choices), .. }) = &checked.routing else {
        panic!("an operation computes its routes");
    };
    let ground = Ground::new(checked, mapping)?.heard_by(Listener(progress));
    let failures = super::failures_of(checked)?;
    let applications = match (&checked.traffic, mapping.load) {
        (Some(Traffic::Generated(generated)), load) => {
            let first = load.or_else(|| generated.loads.first().copied());
            first.map(|load| (&generated.workload, load))
        }
        _ => None,
    };
    let base = ground.task(checked.seed);
    let recorded = |recorder| Recorded { recorder, nth: 0, kind: "operation" };
    let task = Task {
        setup: Setup { recorded: recorder.map(recorded), ..base.setup },
        mappers: &operation.mappers,
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
            work: base.setup.costs.reply,
        },
        choices: choices.clone(),
        failures: &failures,
        applications,
        restraint: mapping.restraint.map(|held| Restraint { span: held.span, slower: held.slower }),
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
fn gather(checked: &Checked, mut report: Report) -> Run {
    let series = series(&report);
    let drawn = draw_curves("operation", &Csv::parse(&series), &checked.name);
    let mut files = vec![
        ("operation.csv".to_owned(), series),
        ("failures.csv".to_owned(), failures(&report)),
        ("deeds.csv".to_owned(), deeds(&report)),
        super::tables::network(&checked.topology.network),
    ];
    files.extend(drawn.map(|svg| ("operation.svg".to_owned(), svg)));
    let (events, messages_delivered) = (report.fabric_events, report.delivered);
    let deadlock_count = usize::try_from(report.deadlocks.formed).unwrap_or(usize::MAX);
    let bare = Summary::new(checked, Outcome::Horizon);
    let deadlocks = std::mem::take(&mut report.locked);
    let summary = Summary { deadlock_count, deadlocks, operation: Some(report), ..bare };
    Run { summary, files, latencies: Vec::new(), events, messages_delivered }
}

/// What ended in each interval.
fn series(report: &Report) -> String {
    let columns = ["from_ms", "accepted_flits_per_cycle_per_sender", "delivered", "lost", "latency_mean_us"];
    let mut table = Table::new(&columns);
    for interval in &report.series {
        table.row([
            interval.from_ms.to_string(),
            interval.accepted.to_string(),
            interval.delivered.to_string(),
            interval.lost.to_string(),
            cell(interval.latency_us),
        ]);
    }
    table.into_csv()
}

/// What failed and returned, and what followed.
fn failures(report: &Report) -> String {
    let columns = ["at_ms", "what", "noticed_by", "noticed_after_ms", "mapped_after_ms", "routed_after_ms"];
    let mut table = Table::new(&columns);
    for (nth, event) in report.events.iter().enumerate() {
        let notice = report.notices.iter().find(|notice| notice.event == nth);
        table.row([
            event.at_ms.to_string(),
            event.what.clone(),
            notice.and_then(|notice| notice.noticed_by).unwrap_or_default().to_owned(),
            cell(notice.and_then(|notice| notice.noticed_ms)),
            cell(notice.and_then(|notice| notice.mapped_ms)),
            cell(notice.and_then(|notice| notice.routed_ms)),
        ]);
    }
    table.into_csv()
}

/// What the mappers did.
fn deeds(report: &Report) -> String {
    let mut table = Table::new(&["at_ms", "mapper", "what"]);
    for deed in &report.deeds {
        table.row([deed.at_ms.to_string(), deed.mapper.clone(), deed.what.clone()]);
    }
    table.into_csv()
}
