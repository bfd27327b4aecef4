//! The README's way from round-trip times to an all-gather, its commands one by one.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::mpi::mpi;
use crate::command::shown::{followed, page, texts};

/// The commands of the README's walkthrough, without their comments.
fn commands(readme: &str) -> Vec<String> {
    let [block] = texts(readme, "sh walkthrough")[..] else { panic!("the README has one walkthrough") };
    block.lines().map(|line| line.split("  #").next().unwrap().trim_end().to_owned()).collect()
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
    let readme = page("README.md");
    let (room, mpi) = (room(), mpi());
    let all = commands(&readme);
    assert!(all.len() >= 7, "{all:?}");
    for command in &all {
        if command.starts_with("make") && mpi.is_none() {
            continue;
        }
        let printed = followed("README.md", command, room.path());
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
