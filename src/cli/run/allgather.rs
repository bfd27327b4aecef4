//! What `simnet run` says of an all-gather and of a ring.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use simnet_base::numbers::{fixed, or_dash, percent, time};

use crate::cli::Failure;
use crate::cli::output::write_whole_by;
use simnet_base::diagnostics::{legible, shown};
use simnet_running::simulation::allgather::{self as gathers, GatherReport};
use simnet_running::simulation::{Findings, RingReport, Summary};
use simnet_scenario::Checked;
use simnet_scenario::allgather::{Allgather, Medium};
use simnet_scenario::checked::Work;

/// Losses that are listed one by one.
const LOSSES: usize = 3;

/// An all-gather as text: what ran, how long it took, what it did to the channels, and what was lost.
pub(super) fn text(report: &GatherReport) -> String {
    let mut text = String::new();
    let ran = report.ran.unwrap_or("nothing");
    let _ = writeln!(
        text,
        "\nAll-gather: {} ranks, {} B each; {} ran over {}",
        report.ranks,
        report.size_bytes,
        if ran == report.algorithm { ran.to_owned() } else { format!("{ran}, for {},", report.algorithm) },
        report.transport.unwrap_or(report.medium)
    );
    let _ = writeln!(
        text,
        "Time: {}, at least {} by what a machine's cable carries (efficiency {})",
        or_dash(report.time_mean_ms.map(|ms| time(ms * 1e6))),
        or_dash(report.bound_ms.map(|ms| time(ms * 1e6))),
        fixed(report.efficiency, 3)
    );
    let _ = writeln!(
        text,
        "Data: {} of all buffers are right; {} of {} messages lost, {} frames dropped",
        percent(report.correct, 1),
        report.messages_lost,
        report.messages,
        report.frames_dropped
    );
    if let (Some(length), Some(load)) = (report.max_path_length, report.max_channel_load) {
        let _ = writeln!(
            text,
            "Ring: paths of up to {length} switches, {load} messages over the busiest channel{}",
            if report.contention_free == Some(true) { ": free of contention" } else { ": CONTENTION" }
        );
    }
    if let Some(pauses) = &report.pauses {
        let _ = writeln!(
            text,
            "Pauses: {} sent, {} ports paused ({} of hosts) for {} in all; {} frames dropped for want of headroom, \
             {} by the watchdog",
            pauses.xoff,
            pauses.ports_paused,
            pauses.hosts_paused,
            time(pauses.paused_ms * 1e6),
            pauses.frames_starved,
            pauses.frames_discarded
        );
    }
    for lost in report.lost.iter().take(LOSSES) {
        let _ = writeln!(text, "  lost: {}", legible(lost));
    }
    for stuck in report.stuck.iter().take(LOSSES) {
        let _ = writeln!(text, "  {}", legible(stuck));
    }
    text
}

/// A ring as text.
pub(super) fn ring(report: &RingReport) -> String {
    let RingReport { algorithm, tree, root, machines, .. } = report;
    let found = match (&report.refused, report.contention_free) {
        (Some(why), _) => legible(why).into_owned(),
        (None, Some(true)) => "free of contention".to_owned(),
        (None, _) => "CONTENTION".to_owned(),
    };
    let [length, bound] = [report.max_path_length, report.max_path_length_bound].map(or_dash);
    let root = legible(root);
    format!(
        "\nRing: {algorithm} on the {tree} tree of {machines} machines from {root}: {found}\n\
         Longest path: {length} switches; the least possible on that tree: {bound}\n"
    )
}

/// How many packets a capture holds at most.
const MOST_PACKETS: u64 = 1_000_000;

/// Whether a scenario has an all-gather over frames.
pub(super) fn has_frames(checked: &Checked) -> bool {
    matches!(&checked.work, Work::Allgather(Allgather { medium: Medium::Ethernet(_), .. }))
}

/// Writes the frames of a scenario's all-gather over an Ethernet to a file, whole or not at all.
///
/// # Errors
/// [`Failure::Io`] if the file cannot be written, [`Failure::Scenario`] if nothing can be run.
pub(super) fn capture(scenario: &Path, file: &Path, checked: &Checked) -> Result<(), Failure> {
    let mut refused = None;
    let mut tally = None;
    let written = write_whole_by(file, |out| match gathers::capture(checked, out, MOST_PACKETS) {
        Ok(captured) => captured.map(|captured| tally = captured),
        Err(error) => {
            refused = Some(Failure::Scenario(format!("{}: {error}", shown(&scenario))));
            Err(io::Error::other("nothing to capture"))
        }
    });
    if let Some(refused) = refused {
        return Err(refused);
    }
    written?;
    if let Some(left_out) = tally.map(|tally| tally.left_out).filter(|left_out| *left_out > 0) {
        let file = shown(file);
        crate::cli::warn(&format!(
            "{file} holds the first {MOST_PACKETS} packets; {left_out} more are left out"
        ));
    }
    Ok(())
}

/// Tells on stderr of a ring that does not exist, of wrong buffers and of losses; whether the run has failed by that.
pub(super) fn complain(summary: &Summary) -> bool {
    let Findings::Allgather(report) = &summary.findings else { return false };
    if let Some(why) = &report.refused {
        crate::cli::complain(&format!("{}: {}", report.algorithm, legible(why)));
    }
    if report.buffers_wrong > 0 {
        crate::cli::complain(&format!("{} buffers hold something else", report.buffers_wrong));
    }
    if report.buffers_missing > 0 {
        let (missing, lost) = (report.buffers_missing, report.messages_lost);
        crate::cli::complain(&format!("{missing} buffers were never filled, {lost} messages were lost"));
    }
    report.is_wrong()
}
