//! Sweeps on a real Slurm, started here on loopback; and what is submitted where there is none.

mod cluster;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::Value;

use support_network::{cases, peer};

use crate::sweep::small as sweep;
use cluster::{Cluster, Programs};

const LOADS: usize = 5;
const REPETITIONS: usize = 5;
const POINTS: usize = 4 * LOADS * REPETITIONS;

/// The programs of a cluster; none where Slurm is not installed.
fn programs() -> Option<Programs> {
    let _sbatch = peer("sbatch")?;
    Some(Programs { munged: peer("munged")?, slurmctld: peer("slurmctld")?, slurmd: peer("slurmd")? })
}

/// Submits what is missing of a sweep, and gives what simnet printed of it.
fn submit(cluster: &Cluster, file: &Path, out: &Path) -> Value {
    let more =
        ["--executor", "slurm", "--tasks", "100", "--format", "json", "--sbatch=--comment=it's a test"];
    let mut command = sweep::command(file, out, &more);
    let output = cluster.set(&mut command).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// How many points the shards of a folder hold.
fn done(out: &Path) -> usize {
    let Ok(entries) = fs::read_dir(out.join("shards")) else { return 0 };
    let lines = |path: PathBuf| fs::read(path).unwrap().iter().filter(|byte| **byte == b'\n').count();
    entries.map(|entry| lines(entry.unwrap().path())).sum()
}

/// Waits until nothing of the cluster's jobs is left, then gives the table that the merging job made.
fn table(cluster: &Cluster, out: &Path) -> Vec<u8> {
    let is_over = |cluster: &Cluster| cluster.ask("squeue", &["-h"]).is_empty();
    let ended = cluster.wait_for(Duration::from_secs(300), is_over);
    let report = || {
        let logs = fs::read_dir(out.join("slurm")).unwrap().map(|entry| entry.unwrap().path());
        let logs: Vec<_> = logs.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect();
        format!("{logs:?}\n{}\n{}", cluster.ask("squeue", &[]), cluster.logs())
    };
    assert!(ended && out.join("points.csv").exists(), "no table: {}", report());
    sweep::table(out)
}

/// Wrong if a node that dies cost a point or doubled one, if a second submission did, or if it mattered to a byte of
/// the table where its points were computed.
#[test]
fn a_node_that_dies_loses_nothing() {
    let Some(programs) = programs() else { return };
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("sweep.toml");
    sweep::write(&file, "on-slurm", LOADS, REPETITIONS, 50_000);
    let out = |name: &str| room.path().join(name);
    let mut cluster = Cluster::start(&room.path().join("cluster"), &programs, 4, 2);

    let submitted = submit(&cluster, &file, &out("it's undisturbed"));
    assert_eq!(submitted["tasks"], 9, "MaxArraySize of the cluster: {submitted}");
    let undisturbed = table(&cluster, &out("it's undisturbed"));

    let disturbed = out("a node\nfewer");
    let first = submit(&cluster, &file, &disturbed);
    let is_under_way = |_: &Cluster| done(&disturbed) >= POINTS / 10;
    assert!(cluster.wait_for(Duration::from_secs(60), is_under_way), "{}", cluster.logs());
    let second = submit(&cluster, &file, &disturbed);
    let victim = cluster.busy_nodes().pop().expect("some node computes");
    cluster.kill(&victim);
    assert!(done(&disturbed) < POINTS, "the node died too late to matter");
    if cases(20) == 1 {
        // Slurm finds out by itself, within some ten seconds; tests that are not thorough tell it.
        let down = ["update", &format!("NodeName={victim}"), "State=DOWN", "Reason=killed"];
        cluster.ask("scontrol", &down);
    }
    let killed = table(&cluster, &disturbed);
    let jobs = cluster.ask("scontrol", &["show", "job", first["array_job"].as_str().unwrap()]);
    assert!(jobs.contains("Restarts=1"), "no task was requeued: {jobs}");
    assert_ne!(first["array_job"], second["array_job"]);
    drop(cluster);

    let rows: Vec<&[u8]> = killed.split(|byte| *byte == b'\n').filter(|row| !row.is_empty()).collect();
    assert_eq!(rows.len(), 1 + POINTS);
    assert_eq!(rows.iter().collect::<BTreeSet<_>>().len(), rows.len(), "a row is there twice");
    sweep::run(&file, &out("here"), &["--jobs", "2"]);
    let here = blake3::hash(&sweep::table(&out("here")));
    for (table, name) in [(undisturbed, "Slurm"), (killed, "a dead node")] {
        assert_eq!(blake3::hash(&table), here, "{name}");
    }
}

/// What `--executor slurm` says of a sweep where PATH has no Slurm.
fn without_slurm(out: &Path, more: &[&str]) -> Output {
    let file = out.with_extension("toml");
    sweep::write(&file, "nowhere", 2, 1, 50);
    let mut command = sweep::command(&file, out, &["--executor", "slurm"]);
    command.args(more).env("PATH", "").output().unwrap()
}

/// Wrong if a dry run needed Slurm, left something behind, or did not show what would be submitted.
#[test]
fn a_dry_run_needs_nothing_and_leaves_nothing() {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("out of 'order'");
    let output = without_slurm(&out, &["--dry-run", "--cpus-per-task", "2", "--sbatch", "--partition=long"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let script = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "#SBATCH --array=0-3",
        "#SBATCH --requeue",
        "#SBATCH --open-mode=append",
        "#SBATCH --cpus-per-task=2",
        "sbatch --parsable --partition=long",
        "--dependency=\"afterany:",
        "--task \"$SLURM_ARRAY_TASK_ID\" --of 4",
        r"out of '\''order'\'''",
        "sweep merge",
    ] {
        assert!(script.contains(expected), "{expected} is not in\n{script}");
    }
    assert!(!out.exists(), "a dry run wrote something");
}

/// Wrong if a machine without Slurm were left with a folder, or its user without a hint.
#[test]
fn without_slurm_it_says_what_is_missing() {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("out");
    let output = without_slurm(&out, &[]);
    assert_eq!(output.status.code(), Some(7));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("slurm-client") && stderr.contains("--dry-run"), "{stderr}");
    assert!(!out.exists(), "it wrote something");
}

/// Wrong if options that would part tasks from their points reached `sbatch`.
#[test]
fn options_that_are_not_the_users_are_refused() {
    let room = tempfile::tempdir().unwrap();
    for option in ["--array=1-3", "--dependency=singleton", "-a1", "partition", "--wrap=true"] {
        let output = without_slurm(&room.path().join("out"), &["--dry-run", &format!("--sbatch={option}")]);
        assert_eq!(output.status.code(), Some(2), "{option}");
    }
}
