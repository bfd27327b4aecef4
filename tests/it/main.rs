//! What needs the command, figures or pages: one binary, one folder per kind of check.
#![allow(clippy::unwrap_used, reason = "what fails in a test may panic")]

use std::process::{Command, Output};

/// What is faulty is refused, at its place; what a check lets through is run.
mod bad_input {
    mod files;
    mod limits;
    mod schema_cases;
}

/// The command as a process, verb by verb: what it prints, what it writes, how it ends.
mod command {
    mod advice;
    mod classes;
    mod cli;
    mod dead;
    mod discover;
    mod documented;
    mod documents;
    mod dumps;
    mod estimates;
    mod horizon;
    mod interrupted;
    mod lanes;
    mod lfts;
    mod loaded;
    mod map;
    mod names;
    mod one_judge;
    mod operator;
    mod planes;
    mod printed;
    mod quiet;
    mod real_files;
    mod results;
    mod ring;
    mod route;
    mod shell;
    pub(crate) mod shown;
    mod suggest;
    mod tables;
    mod terminal;
    mod topo;
    mod trace;
}

mod disk;
mod figures;
mod index;
mod quotations;

/// Other people's programs on what simnet writes, and simnet on what they write. Skipped where they are absent.
mod interop {
    mod browser;
    mod caminos;
    mod codegen;
    mod codegen_rtt;
    mod discover_walkthrough;
    mod ibdm;
    mod ibsim;
    mod installed;
    mod lanes;
    mod mpi;
    mod ndr;
    mod opensm;
    mod pcapng;
    mod perfetto;
    mod probes;
    mod slurm;
    mod subnet;
}

/// Whole runs against slow, plain simulators, proofs and formulas.
mod oracle {
    mod conservation;
    mod deadlock_burst;
    mod replay;
}

/// The report and its drawings.
mod pages {
    mod drawings;
    mod growth;
    mod honest;
    mod replay;
    mod report;
    mod teaching;
}

/// Scenario files: keys, layers, what the committed ones expect, and what their results are pinned to.
mod scenarios {
    mod committed;
    mod dimension_order;
    mod discovery;
    mod gather;
    mod in_transit;
    mod include;
    mod limits;
    mod mapping;
    pub(crate) mod meaning;
    mod mix;
    mod model;
    mod output;
    mod rates;
    mod schema;
    mod traffic;
    mod watching;
    mod zoo;
}

/// Many runs: files of sweeps, their folders, what survives, what is made of them.
mod sweep {
    mod clashes;
    mod cli;
    mod ended;
    mod file;
    mod killed;
    mod matrix;
    pub(crate) mod small;
    mod store;
    mod vary;
}

mod tidy;

/// Runs the command in the folder of the workspace, with no more log than it has by itself.
fn simnet(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("SIMNET_LOG").output().unwrap()
}
