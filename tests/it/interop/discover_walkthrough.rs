//! The README's way from round-trip times to an all-gather, its commands one by one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::mpi::mpi;

/// The commands of the README's walkthrough, without their comments.
fn commands(readme: &str) -> Vec<String> {
    let block = readme.split("```sh walkthrough\n").nth(1).expect("the README has a walkthrough");
    let lines = block.split("```").next().unwrap().lines();
    lines.map(|line| line.split("  #").next().unwrap().trim_end().to_owned()).collect()
}

/// Runs a command as the shell would, `simnet` being the program under test.
fn shell(command: &str, room: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_simnet")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(room).env("PATH", format!("{}:{path}", program.display()));
    shell.env_remove("MPIRUNFLAGS").output().unwrap()
}

/// A place with what the commands take from the project.
fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = "scenarios/lawrence2008";
    fs::create_dir_all(room.path().join(folder)).unwrap();
    for name in ["fig6.csv", "discovered.toml"] {
        fs::copy(project.join(folder).join(name), room.path().join(folder).join(name)).unwrap();
    }
    room
}

/// Wrong if a command of the README did not do what it says there, or left behind what is of no use to the next.
#[test]
fn the_readmes_commands_lead_to_an_all_gather() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (room, mpi) = (room(), mpi());
    let all = commands(&readme);
    assert!(all.len() >= 7, "{all:?}");
    for command in &all {
        if command.starts_with("make") && mpi.is_none() {
            continue;
        }
        let output = shell(command, room.path());
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command}: {printed}{}", String::from_utf8_lossy(&output.stderr));
        let check = |text: &str| assert!(printed.contains(text), "{command}: {printed}");
        match command.split(' ').take(2).collect::<Vec<_>>()[..] {
            ["simnet", "discover"] => {
                assert!(readme.contains(printed.trim_end()), "the README shows another: {printed}")
            }
            ["simnet", "ring"] => check("n5"),
            ["make", _] if command.contains("ring-c") => check("OK: 6 ranks"),
            ["make", _] => check("OK: round-trip times of 3 machines"),
            _ => {}
        }
    }
    let summary = fs::read_to_string(room.path().join("gathered/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let points = summary["sweep"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    assert!(points.iter().all(|point| point["allgather"]["all_right"] == true), "{points:?}");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lawrence2008/fig1.json");
    let found = fs::read_to_string(room.path().join("net.json")).unwrap();
    assert_eq!(fs::read_to_string(shipped).unwrap(), found, "fig1.json is what discover makes of fig6.csv");
}
