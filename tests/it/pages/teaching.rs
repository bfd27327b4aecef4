//! The page of several runs, as docs/TEACHING.md makes it of the zoo.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::report::{check_sound, html::tokens};
use crate::simnet;

/// The most bytes of the page.
const MOST_BYTES: usize = 5_000_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A place with what the commands take from the project.
fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    let scenarios = room.path().join("scenarios");
    fs::create_dir_all(scenarios.join("zoo")).unwrap();
    fs::copy(root().join("scenarios/credit-loops.json"), scenarios.join("credit-loops.json")).unwrap();
    for entry in fs::read_dir(root().join("scenarios/zoo")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, scenarios.join("zoo").join(path.file_name().unwrap())).unwrap();
    }
    room
}

/// Runs commands as the shell would, `simnet` being the program under test; what they print.
fn shell(commands: &str, room: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_simnet")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output =
        Command::new("sh").args(["-ec", commands]).current_dir(room).env("PATH", path).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{commands}: {printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// Wrong if a command of the page did not do what it says there, or the page of the zoo were too large, needed more,
/// lacked a run, or did not have a run without a deadlock at the side of one with it.
#[test]
fn the_teachers_commands_make_one_page_of_the_zoo() {
    let page = fs::read_to_string(root().join("docs/TEACHING.md")).unwrap();
    let room = room();
    let blocks: Vec<&str> =
        page.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2);
    shell(blocks[0], room.path());
    assert!(shell(blocks[1], room.path()).contains("these can deadlock"));
    let html = fs::read_to_string(room.path().join("zoo.html")).unwrap();
    assert!(html.len() < MOST_BYTES, "{} bytes", html.len());
    check_sound(&html, &tokens(&html));
    assert_eq!(html.matches("class=\"pane replay\"").count(), 10);
    assert_eq!(html.matches("simnet.replay = (() =>").count(), 1, "one replay's code for all");
    let case = |name: &str| {
        let from = html.find(&format!("<h3><bdi>{name}</bdi></h3>")).unwrap_or_else(|| panic!("no {name}"));
        html[from..].split("<div class=\"case\"").next().unwrap()
    };
    for name in ["zoo-ring", "zoo-credit-loops", "zoo-mixed-tables", "zoo-own-tail"] {
        let [_, with, without] = case(name).split("class=\"pane replay\"").collect::<Vec<_>>()[..] else {
            panic!("{name} has not two panes")
        };
        assert!(with.contains("class=\"bad\">1 ") && without.contains("class=\"good\">no "), "{name}");
    }
    assert_eq!(case("zoo-jam").matches("class=\"pane replay\"").count(), 1);
}

/// Wrong if the log of one run were taken for those of several.
#[test]
fn the_log_of_one_run_is_not_that_of_several() {
    let output = simnet(&["report", "a", "b", "--trace", "c.simlog"]);
    assert!(matches!(output.status.code(), Some(2 | 7)), "{output:?}");
}
