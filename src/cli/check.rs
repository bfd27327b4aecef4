//! `simnet check`: every fault of every scenario, at once; nothing is run.

use std::io::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::{Common, Exit, Failure, Format};
use crate::diagnostics::{Faults, MISSING_FILE, Refusal};
use crate::scenario::{self, Overrides};

#[derive(Args)]
pub(super) struct Options {
    /// The scenario files
    #[arg(required = true, value_name = "SCENARIO.toml")]
    files: Vec<String>,
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
    let verdicts: Vec<(&str, Verdict)> =
        options.files.iter().map(|file| (file.as_str(), judge(file, &overrides))).collect();
    let printed = match common.format {
        Format::Human => print_human(&verdicts, common.quiet),
        Format::Json => print_json(&verdicts),
    };
    printed.map_err(|error| Failure::Io { path: "stdout".to_owned(), error })?;
    let bad = |verdict: &Verdict| matches!(verdict, Verdict::Refused(r) if !r.only_missing_files());
    Ok(match &verdicts {
        all if all.iter().any(|(_, verdict)| bad(verdict)) => Exit::BadInput,
        all if all.iter().all(|(_, verdict)| matches!(verdict, Verdict::Fine(_))) => Exit::Fine,
        _ => Exit::Unreadable,
    })
}

fn judge(file: &str, overrides: &Overrides) -> Verdict {
    match std::fs::read(file).map(|bytes| scenario::read(file, &bytes, overrides)) {
        Ok(Ok(checked)) => Verdict::Fine(checked.warnings),
        Ok(Err(refusal)) => Verdict::Refused(refusal),
        Err(error) => Verdict::Unreadable(error),
    }
}

fn print_human(verdicts: &[(&str, Verdict)], quiet: bool) -> std::io::Result<()> {
    for (file, verdict) in verdicts {
        match verdict {
            Verdict::Fine(warnings) => {
                for warning in warnings {
                    writeln!(std::io::stderr(), "{warning}\n")?;
                }
                if !quiet {
                    writeln!(std::io::stdout(), "{file}: no faults")?;
                }
            }
            Verdict::Refused(refusal) => writeln!(std::io::stderr(), "{refusal}")?,
            Verdict::Unreadable(error) => writeln!(std::io::stderr(), "{file}: {error}")?,
        }
    }
    Ok(())
}

/// One list of the faults of all files.
fn print_json(verdicts: &[(&str, Verdict)]) -> std::io::Result<()> {
    let faults: Vec<Value> = verdicts
        .iter()
        .flat_map(|(file, verdict)| match verdict {
            Verdict::Fine(_) => Vec::new(),
            Verdict::Refused(refusal) => refusal.files.iter().flat_map(faults_json).collect(),
            Verdict::Unreadable(error) => vec![json!({
                "file": file, "line": null, "column": null, "code": MISSING_FILE,
                "message": error.to_string(), "expected": "a readable file", "help": null,
            })],
        })
        .collect();
    writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&faults)?)
}

fn faults_json(faults: &Faults) -> Vec<Value> {
    let one = |fault: &crate::diagnostics::Fault| {
        let (line, column) = faults.place(fault.span.start);
        json!({
            "file": faults.file, "line": line, "column": column, "code": fault.code,
            "message": fault.message, "expected": fault.expected, "help": fault.help,
        })
    };
    faults.faults.iter().map(one).collect()
}
