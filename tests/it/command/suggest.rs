//! `simnet route suggest` as a process.

use std::process::Command;

use simnet::routing::{Attachments, Choices, Plan};
use simnet::topology::{End, presets};

fn simnet(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Wrong if a suggestion named a port that is not free, if laying the cable did not give the figures given with
/// it, or if any of the documented keys were missing.
#[test]
fn the_command_line_names_cables_and_what_they_bring() {
    let (code, out, _) = simnet(&["route", "suggest", "now-c", "--format", "json", "--top", "2"]);
    assert_eq!(code, Some(0));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let figure = |figures: &serde_json::Value, key: &str| figures[key].as_f64().unwrap();
    let before = figure(&answer["before"], "expected_max_channel_load");
    assert_eq!(answer["candidates"]["possible"], answer["candidates"]["tried"]);
    let suggestions = answer["suggestions"].as_array().unwrap();
    assert!(!suggestions.is_empty());
    for found in suggestions {
        let mut net = presets::load("now-c").unwrap();
        for cable in found["cables"].as_array().unwrap() {
            let end = |node: &str, port: &str| {
                let switch = net.find_switch(cable[node].as_str().unwrap()).unwrap();
                End::switch(switch, cable[port].as_u64().unwrap().try_into().unwrap())
            };
            let (a, b) = (end("a", "a_port"), end("b", "b_port"));
            net.connect(a, b).unwrap();
        }
        let (attachments, utility) = (Attachments::lowest(&net), net.find_host("c-util"));
        let choices = Choices { utility, ..Choices::default() };
        let report = Plan::new(&net, &attachments, &choices).unwrap().report(&net, &attachments);
        assert_eq!(report.mean_distance, found["after"]["mean_distance"].as_f64());
        assert_eq!(report.max_channel_load, found["after"]["max_channel_load"].as_u64().unwrap());
        assert!(figure(&found["after"], "expected_max_channel_load") <= before);
    }
    let (code, out, _) = simnet(&["route", "suggest", "now-c", "--cables", "1", "--by", "distance"]);
    assert!(code == Some(0) && out.contains("[1] add ") && out.contains("0 from the root"), "{out}");
    let (code, out, _) = simnet(&["route", "suggest", "pink", "--cables", "1"]);
    assert!(code == Some(0) && out.contains("`--ports extra`"), "{out}");
}

/// Wrong if an option that goes with nothing were taken in silence.
#[test]
fn suggestions_have_usage_errors() {
    for arguments in [
        &["route", "--select", "first", "suggest", "now-c"][..],
        &["route", "suggest", "now-c", "--cables", "3"],
        &["route", "suggest", "now-c", "--algorithm", "minimal", "--root", "r0"],
        &["route", "suggest", "now-c", "--top", "0"],
        &["route", "suggest", "now-c", "--root", "nowhere"],
    ] {
        let (code, out, error) = simnet(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {error}");
    }
    assert_eq!(simnet(&["route", "suggest", "no-such-file"]).0, Some(7));
}

/// Wrong if routes that can deadlock got cables that leave it so, no other rule that ends it, or no verdict before and
/// after.
#[test]
fn a_deadlock_is_ended_first() {
    let room = tempfile::tempdir().unwrap();
    let ring = |switches: &str| {
        let path = room.path().join(format!("ring{switches}.json")).to_str().unwrap().to_owned();
        let size = ["--switches", switches, "--hosts-per-switch", "1", "--to", "json", "--out", &path];
        assert_eq!(simnet(&[&["topo", "generate", "ring"], &size[..]].concat()).0, Some(0));
        path
    };
    let ask = |path: &str, more: &[&str]| {
        let asked = ["route", "suggest", path, "--algorithm", "minimal", "--ports", "extra", "--cables", "1"];
        simnet(&[&asked, more].concat())
    };
    for (switches, is_ended) in [("4", true), ("8", false)] {
        let path = ring(switches);
        let (code, out, _) = ask(&path, &["--format", "json"]);
        let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, &answer["before"]["verdict"]), (Some(0), &"cyclic".into()));
        let suggestions = answer["suggestions"].as_array().unwrap();
        assert_eq!(suggestions.is_empty(), !is_ended, "{out}");
        assert!(suggestions.iter().all(|found| found["after"]["verdict"] == "acyclic"), "{out}");
        let remedies = answer["remedies"].as_array().unwrap();
        assert_eq!(remedies.len(), 2);
        for remedy in remedies {
            assert_eq!(remedy["after"]["verdict"], "acyclic");
            // The options that are named give these routes.
            let options = remedy["options"].as_str().unwrap();
            let again = [
                &["route", &path, "--require", "acyclic,reachable"],
                &options.split(' ').collect::<Vec<_>>()[..],
            ]
            .concat();
            assert_eq!(simnet(&again).0, Some(0), "{options}");
        }
        let (_, human, _) = ask(&path, &[]);
        assert_eq!(human.contains("none of them ends the deadlock"), !is_ended, "{human}");
        assert!(
            human.contains("other rules end the deadlock") && human.contains("--algorithm smart"),
            "{human}"
        );
    }
    // Routes that cannot deadlock need no other rule.
    let (_, out, _) = simnet(&["route", "suggest", &ring("5"), "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&answer["before"]["verdict"], &answer["remedies"]),
        (&"acyclic".into(), &serde_json::json!([]))
    );
}
