//! `simnet ring` as a process: keys, exit codes, where errors point.

use serde_json::{Value, json};

use crate::simnet;

/// Runs to this exit code; gives stdout and stderr.
fn ends(arguments: &[&str], code: i32) -> (String, String) {
    let output = simnet(arguments);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    assert!(!err.contains("panicked"), "{arguments:?}: {err}");
    assert!(code < 2 || out.is_empty() && !err.is_empty(), "{arguments:?}: {out}");
    (out, err)
}

fn ring(arguments: &[&str], code: i32) -> Value {
    let line = [&["ring", "--format", "json"], arguments].concat();
    serde_json::from_str(&ends(&line, code).0).unwrap()
}

/// A file with these contents.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Wrong if the paper's clusters had other rings than it says: LR1 four hops and LR2 two on (d) and in Fig. 5,
/// one hop on (a); or if LR1 did not begin with machine 0 and go on switch by switch.
#[test]
fn the_papers_clusters_have_the_papers_rings() {
    for (preset, lr1, best) in [
        ("faraj-a", 1, 1),
        ("faraj-b", 2, 2),
        ("faraj-c", 3, 2),
        ("faraj-d", 4, 2),
        ("faraj-e", 3, 2),
        ("faraj-f", 3, 2),
        ("faraj-fig5", 4, 2),
    ] {
        for (algorithm, longest) in [("lr1", lr1), ("lr2", best), ("lr3", best)] {
            let found = ring(&[preset, "--algorithm", algorithm], 0);
            let context = format!("{preset} {algorithm}: {found}");
            assert_eq!(found["algorithm"], algorithm, "{context}");
            assert_eq!(found["max_path_length"], longest, "{context}");
            assert_eq!(found["bound"], best, "{context}");
            assert_eq!(found["contention_free"], true, "{context}");
            let machines = found["machines"].as_u64().unwrap();
            let switches = found["switches"].as_u64().unwrap();
            assert_eq!(found["total_path_length"], machines + 2 * (switches - 1), "{context}");
            assert_eq!(found["hosts"].as_array().unwrap().len() as u64, machines, "{context}");
        }
    }
    let in_blocks = ring(&["faraj-e", "--algorithm", "lr1"], 0);
    let ranks: Vec<String> = (0..32).map(|rank| format!("n{rank}")).collect();
    assert_eq!(in_blocks["hosts"], json!(ranks), "MPICH's ring is LR1's on (e)");
    let dealt = ring(&["faraj-f", "--algorithm", "lr1"], 0);
    let ranks: Vec<String> =
        (0..4).flat_map(|switch| (0..8).map(move |nth| format!("n{}", 4 * nth + switch))).collect();
    assert_eq!(dealt["hosts"], json!(ranks));
}

/// Wrong if a ring that cannot be were printed, or its absence were no expectation that failed, or if the
/// switch were not named.
#[test]
fn a_ring_that_cannot_be_names_its_switch() {
    // Two leaves of two machines round a hub of one.
    let text = r#"{"format": "simnet-topology/1", "name": "n",
 "switches": [{"name": "hub", "ports": 4}, {"name": "left", "ports": 4}, {"name": "right", "ports": 4}],
 "hosts": [{"name": "m"}, {"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
 "links": [{"a": "m", "a_port": 0, "b": "hub", "b_port": 0},
           {"a": "a", "a_port": 0, "b": "left", "b_port": 0},
           {"a": "b", "a_port": 0, "b": "left", "b_port": 1},
           {"a": "c", "a_port": 0, "b": "right", "b_port": 0},
           {"a": "d", "a_port": 0, "b": "right", "b_port": 1},
           {"a": "hub", "a_port": 1, "b": "left", "b_port": 2},
           {"a": "hub", "a_port": 2, "b": "right", "b_port": 2}]}"#;
    let (_folder, path) = file("net.json", text);
    let found = ring(&[&path, "--algorithm", "lr2"], 1);
    for key in ["hosts", "max_path_length", "contention_free", "bound"] {
        assert_eq!(found[key], Value::Null, "{key}");
    }
    assert_eq!((&found["algorithm"], &found["refused_by"]), (&json!("lr2"), &json!("hub")));
    assert_eq!((&found["refused_by_machines"], &found["refused_by_switches"]), (&json!(1), &json!(2)));
    let (out, err) = ends(&["ring", &path, "--algorithm", "lr2"], 1);
    assert!(out.contains("hub") && err.contains("switch hub has 1 machine for 2 switches"), "{out}{err}");
    assert_eq!(ring(&[&path, "--algorithm", "lr3"], 0)["max_path_length"], 3);
}

/// Wrong if machines that no tree connects, or too few of them, had a ring, or if the error did not point at
/// the machine in the file.
#[test]
fn what_has_no_tree_is_refused_where_it_stands() {
    let switches = r#""switches": [{"name": "A", "ports": 8}, {"name": "B", "ports": 4}]"#;
    let net = |hosts: &str, links: &str| {
        format!(
            "{{\"format\": \"simnet-topology/1\", \"name\": \"n\", {switches},\n\
             \"hosts\": [{hosts}],\n\"links\": [{links}]}}"
        )
    };
    let host = |name: &str| format!(r#"{{"name": "{name}"}}"#);
    let link =
        |a: &str, b: &str, port: u32| format!(r#"{{"a": "{a}", "a_port": 0, "b": "{b}", "b_port": {port}}}"#);
    let two = format!("{}, {}", host("h"), host("k"));
    for (hosts, links, place, words) in [
        (two.as_str(), [link("h", "A", 3), link("k", "B", 1)].join(", "), ":2:", vec!["`h`", "`k`"]),
        (&two, link("h", "A", 3), ":2:", vec!["`k` has no cable"]),
        (&two, link("h", "k", 0), ":2:", vec!["`h`", "`k`", "not to a switch"]),
        (&host("h"), link("h", "A", 3), ":1:", vec!["two machines"]),
        ("", String::new(), ":1:", vec!["two machines"]),
    ] {
        let (_folder, path) = file("net.json", &net(hosts, &links));
        for algorithm in ["lr1", "lr2", "lr3"] {
            let (_, err) = ends(&["ring", &path, "--algorithm", algorithm], 3);
            let place = format!("net.json{place}");
            for word in words.iter().chain([&place.as_str()]) {
                assert!(err.contains(word), "{word}: {err}");
            }
        }
    }
    let apart = net(&two, &[link("h", "A", 3), link("k", "A", 1)].join(", "));
    let (_folder, path) = file("net.json", &apart);
    ends(&["ring", &path, "--algorithm", "lr1"], 0);
    let (_, err) = ends(&["ring", &path, "--algorithm", "lr1", "--root", "B"], 2);
    assert!(err.contains("`--root B`"), "{err}");
}

/// Wrong if a mistake on the command line were not one, or left the user without the right word.
#[test]
fn bad_names_are_mistakes_of_usage() {
    for (arguments, word) in [
        (vec!["faraj-d", "--algorithm", "lr4"], "lr1, lr2, lr3"),
        (vec!["faraj-d"], "--algorithm"),
        (vec!["faraj-d", "--algorithm", "lr1", "--tree", "wide"], "bfs, dfs, random"),
        (vec!["faraj-d", "--algorithm", "lr1", "--root", "s9"], "no switch of that name; did you mean `s"),
        (vec!["faraj-d", "--algorithm", "lr1", "--root", "n0"], "that is a host"),
        (vec!["faraj-d", "--algorithm", "lr1", "--seed", "x"], "--seed"),
    ] {
        let (_, err) = ends(&[vec!["ring"], arguments].concat(), 2);
        assert!(err.contains(word), "{word}: {err}");
    }
    let (_, err) = ends(&["ring", "faraj-g", "--algorithm", "lr1"], 7);
    assert!(err.contains("did you mean the preset `faraj-"), "{err}");
}

/// Wrong if the table for people left a machine out or a path's length, or claimed more of a bound than is known.
#[test]
fn people_get_a_table() {
    let (out, _) = ends(&["ring", "faraj-fig5", "--algorithm", "lr1"], 0);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["n7", "s3", "4"]), "{out}");
    assert!(lines.contains(&vec!["n0", "s0", "1"]), "{out}");
    assert!(out.contains("4; every contention-free ring of this tree has 2 at least"), "{out}");
    let (out, _) = ends(&["ring", "faraj-fig5", "--algorithm", "lr3"], 0);
    assert!(out.contains("2: no contention-free ring of this tree has less"), "{out}");
}

/// Wrong if the seed did not matter where chance does, or mattered elsewhere.
#[test]
fn seeds_matter_where_chance_does() {
    let found = |arguments: &[&str], seed: &str| {
        ring(&[&["now-cab", "--algorithm", "lr1", "--seed", seed], arguments].concat(), 0)
    };
    for arguments in [&["--tree", "random"][..], &["--root", "random"]] {
        assert_eq!(found(arguments, "1"), found(arguments, "1"));
        assert_ne!(found(arguments, "1"), found(arguments, "3"));
    }
    assert_eq!(found(&["--tree", "dfs"], "1"), found(&["--tree", "dfs"], "3"));
    let (out, _) = ends(&["ring", "now-cab", "--algorithm", "lr3", "--root", "C3.1"], 0);
    assert!(out.contains("bfs from C3.1"), "{out}");
}
