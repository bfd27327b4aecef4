//! `simnet check`: every fault of every scenario and of every sweep, at once; nothing is run.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::output::{print, print_json};
use super::{Common, Exit, Failure, Format, complain, warn};
use simnet_base::diagnostics::{Faults, MISSING_FILE, Refusal, legible, shown};
use simnet_base::files;
use simnet_base::numbers::{bytes, number, significant, span};
use simnet_running::simulation;
use simnet_running::sweep::Scenarios;
use simnet_scenario::sweep::{self, Sweep};
use simnet_scenario::{self, Estimate, Files, Overrides};

#[derive(Args)]
pub(super) struct Options {
    /// The scenario files
    #[arg(required = true, value_name = "SCENARIO.toml")]
    files: Vec<PathBuf>,
    /// Change a key of every scenario, as in fabric.rate="2.56 Gb/s"
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print how large each scenario is and what it takes: networks, points, messages, memory and time
    #[arg(long)]
    estimate: bool,
}

/// What one file came to.
enum Verdict {
    Fine(Vec<String>),
    Refused(Box<Refusal>),
    Unreadable(std::io::Error),
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let overrides = Overrides { set: options.set.clone(), seed: common.seed };
    let judged = |file: &PathBuf| (shown(file).to_string(), judge(file, &overrides));
    let verdicts: Vec<(String, Verdict)> = options.files.iter().map(judged).collect();
    let estimates: Vec<Option<Estimate>> = match options.estimate {
        true => options.files.iter().map(|file| estimate(file, &overrides)).collect(),
        false => Vec::new(),
    };
    match (common.format, options.estimate) {
        (Format::Human, _) => print_human(&verdicts, &estimates),
        (Format::Json, false) => print_json(&faults_json(&verdicts)),
        (Format::Json, true) => print_json(&json!({
            "faults": faults_json(&verdicts),
            "estimates": estimates_json(&options.files, &estimates),
        })),
    }?;
    let bad = |verdict: &Verdict| matches!(verdict, Verdict::Refused(r) if !r.only_missing_files());
    Ok(match &verdicts {
        all if all.iter().any(|(_, verdict)| bad(verdict)) => Exit::BadInput,
        all if all.iter().all(|(_, verdict)| matches!(verdict, Verdict::Fine(_))) => Exit::Fine,
        _ => Exit::Unreadable,
    })
}

fn judge(file: &Path, overrides: &Overrides) -> Verdict {
    let bytes = match files::read(file, files::LARGEST) {
        Ok(bytes) => bytes,
        Err(error) => return Verdict::Unreadable(error),
    };
    let warnings = if sweep::is_sweep(file, &bytes, overrides, &Files::disk()) {
        let read = Sweep::read(file, &bytes, overrides, &Files::disk(), simulation::MODEL);
        read.and_then(|sweep| {
            let warnings = sweep.warnings().to_vec();
            if sweep.len() > MOST_COMPARED {
                return Ok(warnings);
            }
            let text = String::from_utf8_lossy(&bytes);
            Scenarios::new(sweep).refusal(&shown(file).to_string(), &text).map_or(Ok(warnings), Err)
        })
    } else {
        simnet_scenario::read(file, &bytes, overrides).map(|checked| checked.warnings)
    };
    warnings.map_or_else(Verdict::Refused, Verdict::Fine)
}

/// The most points of a sweep that are compared with each other, which takes seconds.
const MOST_COMPARED: usize = 100_000;

/// The most points of a sweep that are looked at to estimate all of them.
const LOOKED_AT: usize = 100;

/// How large a scenario or a sweep is, as far as that is known.
fn estimate(file: &Path, overrides: &Overrides) -> Option<Estimate> {
    let bytes = files::read(file, files::LARGEST).ok()?;
    if !sweep::is_sweep(file, &bytes, overrides, &Files::disk()) {
        let checked = simnet_scenario::read(file, &bytes, overrides);
        return checked
            .ok()
            .map(|c| Estimate::of(&c))
            .or_else(|| simnet_scenario::declared(file, &bytes, overrides));
    }
    let read = Sweep::read(file, &bytes, overrides, &Files::disk(), simulation::MODEL);
    let Ok(sweep) = read else { return simnet_scenario::declared(file, &bytes, overrides) };
    let (points, looks) = (sweep.len(), sweep.len().min(LOOKED_AT));
    // Each look stands for the points from it to the next one.
    let place = |nth: usize| nth * points / looks;
    let of_look = |nth: usize| {
        let checked = sweep.checked(place(nth)).ok()?;
        Some(Estimate::of(&checked).times((place(nth + 1) - place(nth)) as u64))
    };
    (0..looks).filter_map(of_look).reduce(Estimate::and)
}

fn estimates_json(files: &[PathBuf], estimates: &[Option<Estimate>]) -> Vec<Value> {
    let one = |(file, estimate): (&PathBuf, &Option<Estimate>)| {
        let mut value = json!(estimate.unwrap_or_default());
        value["file"] = json!(shown(file).to_string());
        value
    };
    files.iter().zip(estimates).map(one).collect()
}

/// Where no more than so many times the likely number can be taken, the likely number is enough to say.
const SURE: f64 = 2.5;

fn estimate_text(estimate: &Estimate) -> String {
    let count = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    // What ends as soon as it is precise may take much longer than is likely.
    let about = |[least, likely, most]: [Option<f64>; 3], shown: fn(f64) -> String, of: &str| {
        let Some(((least, likely), most)) = least.zip(likely).zip(most) else { return "unknown".to_owned() };
        match (likely <= SURE * least, most <= SURE * likely) {
            (true, true) => format!("about {}{of}", shown(likely)),
            (true, false) => format!("about {}, at most about {}{of}", shown(likely), shown(most)),
            (false, _) => format!("from about {} to about {}{of}", shown(least), shown(most)),
        }
    };
    let messages = [estimate.messages_least, estimate.messages, estimate.messages_most];
    let simulated = [estimate.simulated_least_s, estimate.simulated_s, estimate.simulated_most_s];
    let processor = [estimate.processor_least_s, estimate.processor_s, estimate.processor_most_s];
    let rows = [
        ("switches", count(estimate.switches)),
        ("hosts", count(estimate.hosts)),
        ("cables", count(estimate.cables)),
        ("ranks", estimate.ranks.map_or_else(|| "none".to_owned(), |ranks| ranks.to_string())),
        ("points", count(estimate.points)),
        ("messages", about(messages, |all| number(significant(all, 3), 3), "")),
        ("memory", format!("about {}", bytes(estimate.memory_bytes))),
        ("simulated time", about(simulated, span, ", of the longest point")),
        ("processor time", about(processor, span, " of one core")),
    ];
    rows.iter().map(|(name, value)| format!("  {name:<14} {value}\n")).collect()
}

fn print_human(verdicts: &[(String, Verdict)], estimates: &[Option<Estimate>]) -> Result<(), Failure> {
    for (nth, (file, verdict)) in verdicts.iter().enumerate() {
        if let Some(Some(estimate)) = estimates.get(nth) {
            print(&format!("{file}:\n{}", estimate_text(estimate)))?;
        }
        match verdict {
            Verdict::Fine(warnings) => {
                for warning in warnings {
                    warn(&format!("{warning}\n"));
                }
                print(&format!("{}: no faults\n", legible(file)))?;
            }
            Verdict::Refused(refusal) => complain(&refusal.to_string()),
            Verdict::Unreadable(error) => complain(&format!("{}: {error}", legible(file))),
        }
    }
    Ok(())
}

/// One list of the faults of all files.
fn faults_json(verdicts: &[(String, Verdict)]) -> Vec<Value> {
    verdicts
        .iter()
        .flat_map(|(file, verdict)| match verdict {
            Verdict::Fine(_) => Vec::new(),
            Verdict::Refused(refusal) => refusal.files.iter().flat_map(of_one_file).collect(),
            Verdict::Unreadable(error) => vec![json!({
                "file": file, "line": null, "column": null, "code": MISSING_FILE,
                "message": error.to_string(), "expected": "a readable file", "help": null,
            })],
        })
        .collect()
}

fn of_one_file(faults: &Faults) -> Vec<Value> {
    let one = |fault: &simnet_base::diagnostics::Fault| {
        let (line, column) = faults.place(fault.span.start);
        json!({
            "file": faults.file, "line": line, "column": column, "code": fault.code,
            "message": fault.message, "expected": fault.expected, "help": fault.help,
        })
    };
    faults.faults.iter().map(one).collect()
}
