//! What a shell and `man` get: completions and pages, made from the declaration of the command line.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

const VERBS: [&str; 15] = [
    "run",
    "check",
    "schema",
    "topo",
    "route",
    "map",
    "ring",
    "discover",
    "figures",
    "sweep",
    "report",
    "trace",
    "codegen",
    "completions",
    "man",
];

fn simnet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap()
}

/// What is printed by a command that ends well.
fn printed(arguments: &[&str]) -> String {
    let output = simnet(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Wrong if a shell's script lacked a verb or an option that has come since, or were for another command.
#[test]
fn every_shell_completes_every_verb() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["completions", shell]);
        for word in VERBS.iter().chain(&["generate", "suggest", "heuristic"]) {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    let refused = simnet(&["completions", "cmd.exe"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Wrong if bash did not take the script, or did not complete a verb from its first letters with it.
#[test]
fn bash_completes_a_verb() {
    let script = printed(&["completions", "bash"]);
    let Some(bash) = support_network::peer("bash") else { return };
    let mut bash =
        Command::new(bash).arg("--norc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let ask =
        "COMP_WORDS=(simnet disc); COMP_CWORD=1; _simnet simnet disc simnet; echo \"${COMPREPLY[*]}\"\n";
    bash.stdin.take().unwrap().write_all(format!("{script}\n{ask}").as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "discover\n");
}

/// Wrong if a verb had no page, a page lacked its verb's options, or a folder of other pages were replaced.
#[test]
fn every_verb_has_a_page() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("man");
    let out = folder.to_str().unwrap();
    printed(&["man", "--out", out]);
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["man", "--out", out, "--format", "json"])).unwrap();
    let files: Vec<&str> =
        json["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for verb in VERBS {
        assert!(files.contains(&format!("simnet-{verb}.1").as_str()), "no page of {verb}: {files:?}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), files.len());
    let page = fs::read_to_string(folder.join("simnet-topo-generate.1")).unwrap();
    assert_eq!(page, printed(&["man", "topo", "generate"]));
    assert!(page.contains("simnet\\-topo\\-generate") && page.contains("\\-\\-format"), "{page}");
    assert_eq!(simnet(&["man", "topo", "nothing"]).status.code(), Some(2));
    fs::write(folder.join("mine.1"), "mine").unwrap();
    assert_eq!(simnet(&["man", "--out", out]).status.code(), Some(7));
}

/// Wrong if `man` could not read a page.
#[test]
fn man_reads_a_page() {
    let Some(groff) = support_network::peer("groff") else { return };
    let page = printed(&["man", "run"]);
    let mut groff = Command::new(groff);
    groff.args(["-man", "-Tutf8"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut groff = groff.spawn().unwrap();
    groff.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = groff.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("The scenario file"), "{text}");
}
