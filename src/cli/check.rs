//! `simnet check`: every fault of every scenario and of every sweep, at once; nothing is run.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::output::{print, print_json};
use super::{Common, Exit, Failure, Format, warn};
use crate::diagnostics::{Faults, MISSING_FILE, Refusal, legible, shown};
use crate::files;
use crate::scenario::sweep::{self, Sweep};
use crate::scenario::{self, Files, Overrides};
use crate::simulation;

#[derive(Args)]
pub(super) struct Options {
    /// The scenario files
    #[arg(required = true, value_name = "SCENARIO.toml")]
    files: Vec<PathBuf>,
    /// Change a key of every scenario, as in fabric.rate="2.56 Gb/s"
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// What one file came to.
enum Verdict {
    Fine(Vec<String>),
    Refused(Box<Refusal>),
    Unreadable(std::io::Error),
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let overrides = Overrides { set: options.set.clone(), seed: common.seed };
    let judged = |file: &PathBuf| (shown(&file).to_string(), judge(file, &overrides));
    let verdicts: Vec<(String, Verdict)> = options.files.iter().map(judged).collect();
    match common.format {
        Format::Human => print_human(&verdicts, common.quiet),
        Format::Json => print_json(&faults_json(&verdicts)),
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
    let warnings = if sweep::is_sweep(&bytes) {
        let read = Sweep::read(file, &bytes, overrides, &Files::disk(), simulation::MODEL);
        read.map(|sweep| sweep.warnings().to_vec())
    } else {
        scenario::read(file, &bytes, overrides).map(|checked| checked.warnings)
    };
    warnings.map_or_else(Verdict::Refused, Verdict::Fine)
}

fn print_human(verdicts: &[(String, Verdict)], quiet: bool) -> Result<(), Failure> {
    for (file, verdict) in verdicts {
        match verdict {
            Verdict::Fine(warnings) => {
                for warning in warnings {
                    warn(&format!("{warning}\n"));
                }
                if !quiet {
                    print(&format!("{}: no faults\n", legible(file)))?;
                }
            }
            Verdict::Refused(refusal) => warn(&refusal.to_string()),
            Verdict::Unreadable(error) => warn(&format!("{}: {error}", legible(file))),
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
    let one = |fault: &crate::diagnostics::Fault| {
        let (line, column) = faults.place(fault.span.start);
        json!({
            "file": faults.file, "line": line, "column": column, "code": fault.code,
            "message": fault.message, "expected": fault.expected, "help": fault.help,
        })
    };
    faults.faults.iter().map(one).collect()
}
