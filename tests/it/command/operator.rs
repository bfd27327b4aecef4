//! docs/OPERATOR.md: its commands, run one block after the other.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The shell blocks of the page, in order.
fn blocks() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/OPERATOR.md");
    let page = fs::read_to_string(page).unwrap();
    let parts = page.split("```sh operator\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// Runs a script as the shell would, `simnet` being the program under test.
fn shell(script: &str, room: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_simnet")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).current_dir(room).env("PATH", format!("{}:{path}", program.display()));
    shell.output().unwrap()
}

/// Wrong if a command of the page failed, or did not print what the page says of it.
#[test]
fn the_hour_of_an_operator_is_as_told() {
    let room = tempfile::tempdir().unwrap();
    // A variable of one block is used in the next.
    let mut before = String::new();
    let mut texts = Vec::new();
    for block in blocks() {
        let script = format!("{before}{block}");
        let output = shell(&script, room.path());
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{block}{out}{error}");
        texts.push(out.into_owned());
        before = block
            .lines()
            .filter(|line| line.starts_with("worst="))
            .map(|line| format!("{line}\n"))
            .chain([before])
            .collect();
    }
    let [_, ranked, one, required, roots, file, ring] = &texts[..] else { panic!("seven blocks") };
    let mut lines = ranked.lines();
    let (cable, switch) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(cable.starts_with("worst cable: ") && cable.contains("no pair loses its route"), "{ranked}");
    assert!(cable.contains("busiest channel 60.0 -> 80.0 routes; no deadlock"), "{ranked}");
    assert!(
        switch.starts_with("worst switch: ") && switch.contains("492 pairs lose their route"),
        "{ranked}"
    );
    assert!(one.contains("\nwithout ") && one.contains("whole"), "{one}");
    assert!(required.contains("sound as it is") && required.contains("\nreachable without S-"), "{required}");
    assert!(roots.contains("all 16 spines of a levelled tree"), "{roots}");
    assert!(file.contains("root"), "{file}");
    assert!(
        ring.contains("a cycle of 4 channels") && ring.contains("other rules end the deadlock"),
        "{ring}"
    );
}
