//! The page of several runs, as docs/TEACHING.md makes it of the zoo.

use std::fs;

use support_network::root;

use super::report::{check_sound, html::tokens};
use crate::command::shown::{followed, page, texts};
use crate::simnet;

/// The most bytes of the page.
const MOST_BYTES: usize = 5_000_000;

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

/// Wrong if a command of the page did not do what it says there, or the page of the zoo were too large, needed more,
/// lacked a run, or did not have a run without a deadlock at the side of one with it.
#[test]
fn the_teachers_commands_make_one_page_of_the_zoo() {
    let page = page("docs/TEACHING.md");
    let room = room();
    let blocks = texts(&page, "sh");
    assert_eq!(blocks.len(), 2);
    let [_, judged] = [0, 1].map(|nth: usize| followed("docs/TEACHING.md", blocks[nth], room.path()));
    assert!(judged.contains("these can deadlock"));
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
