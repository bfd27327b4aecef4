//! One set of routes, one verdict: by the command that finds them, by the one that reads them, and by a run of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support_network::long_cases;

/// The exit code and what was printed as JSON.
fn simnet(folder: &Path, arguments: &[&str]) -> (i32, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(arguments).current_dir(folder).env_remove("SIMNET_LOG").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), printed, told)
}

/// Whether the routes of a file can wait for each other in a circle: a search that takes away, again and again, outputs
/// that wait for none.
fn is_cyclic(routes: &str) -> bool {
    let mut waits: BTreeMap<(String, u64), BTreeSet<(String, u64)>> = BTreeMap::new();
    for line in routes.lines() {
        let route: Value = serde_json::from_str(line).unwrap();
        let hops = route["hops"].as_array().unwrap().iter();
        let outputs: Vec<(String, u64)> = hops
            .map(|hop| (hop["switch"].as_str().unwrap().to_owned(), hop["out"].as_u64().unwrap()))
            .collect();
        for pair in outputs.windows(2) {
            waits.entry(pair[0].clone()).or_default().insert(pair[1].clone());
        }
    }
    loop {
        let count = waits.len();
        let open: BTreeSet<_> = waits.keys().cloned().collect();
        waits.values_mut().for_each(|next| next.retain(|output| open.contains(output)));
        waits.retain(|_, next| !next.is_empty());
        if waits.len() == count {
            return count > 0;
        }
    }
}

/// A network with as many kinds of ports as random ones have; hosts of some have two cables.
fn network(folder: &Path, case: u64) {
    let [seed, switches] = [case.to_string(), (3 + case % 6).to_string()];
    let family: &[&str] = match case % 4 {
        0 => &["ring", "--switches", &switches],
        1 => &["torus", "--x", "3", "--y", "3"],
        2 => &["hypercube", "--dimensions", "3"],
        _ => &["random-regular", "--switches", "8", "--degree", "3"],
    };
    let (code, _, told) =
        simnet(folder, &[&["topo", "generate"], family, &["--seed", &seed, "--out", "n.json"]].concat());
    assert_eq!(code, 0, "case {case}: {told}");
    if case.is_multiple_of(3) {
        // A second cable of every host to the next switch.
        let mut net: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("n.json")).unwrap()).unwrap();
        let count = net["switches"].as_array().unwrap().len();
        let mut links = net["links"].as_array().unwrap().clone();
        for place in 0..net["hosts"].as_array().unwrap().len() {
            let switch = &mut net["switches"][(place + 1) % count];
            let port = switch["ports"].as_u64().unwrap();
            switch["ports"] = (port + 1).into();
            let (host, name) = (format!("h{place}"), switch["name"].clone());
            links.push(serde_json::json!({"a": host, "a_port": 1, "b": name, "b_port": port}));
        }
        net["links"] = links.into();
        fs::write(folder.join("n.json"), net.to_string()).unwrap();
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

/// The verdict of a scenario that has these routes.
fn run(folder: &Path, routing: &str) -> Value {
    let head = "[scenario]\nname = 'judged'\n[topology]\nfile = 'n.json'\n[routing]\n";
    fs::write(folder.join("s.toml"), format!("{head}{routing}\n")).unwrap();
    let (code, _, told) = simnet(folder, &["run", "s.toml", "--quiet", "--out", "out"]);
    assert_eq!(code, 0, "{routing}: {told}");
    let text = fs::read_to_string(folder.join("out/summary.json")).unwrap();
    fs::remove_dir_all(folder.join("out")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let cycle = &summary["route"]["dependency_cycle"];
    if cycle.is_null() { "acyclic".into() } else { "cyclic".into() }
}

/// Wrong if one of those who judge the same routes or tables said something else than the others, or than a search
/// that knows the file alone.
#[test]
fn all_who_judge_the_same_paths_agree() {
    let (mut cyclic, mut differ) = (0, 0);
    let cases = long_cases(2_000);
    for case in 0..cases {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path();
        network(folder, case);
        let algorithm = ["minimal", "updown", "smart"][index(case / 4 % 3)];
        let select = ["first", "random", "round-robin", "balanced"][index(case / 12 % 4)];
        let seed = case.to_string();
        let find =
            ["route", "n.json", "--algorithm", algorithm, "--format", "json", "--seed", &seed, "--quiet"];
        let select = ["--select", select, "--routes", "r.ndjson", "--require", "acyclic"];
        let (code, found, told) = simnet(folder, &[&find[..], &select].concat());
        let chosen =
            found.get("chosen").filter(|chosen| !chosen.is_null()).unwrap_or(&found)["verdict"].clone();
        differ += u64::from(chosen != found["verdict"]);
        let searched = is_cyclic(&fs::read_to_string(folder.join("r.ndjson")).unwrap());
        assert_eq!((chosen == "cyclic", code == 1), (searched, searched), "case {case}: {found} {told}");
        let check = ["route", "check", "n.json", "--format", "json", "--quiet"];
        let (code, read, _) = simnet(folder, &[&check[..], &["--routes", "r.ndjson"]].concat());
        assert_eq!((&read["verdict"], code), (&chosen, i32::from(searched)), "case {case}: {read}");
        // A scenario says which of several cables a host uses, and none of these does.
        let is_run = !case.is_multiple_of(3);
        if is_run {
            assert_eq!(run(folder, "file = 'r.ndjson'"), chosen, "case {case}");
        }
        cyclic += u64::from(searched);
        let algorithm = if algorithm == "minimal" { "updown" } else { algorithm };
        let lmc = (case / 3 % 3).to_string();
        let tables = ["route", "n.json", "--algorithm", algorithm, "--per-destination", "--lmc", &lmc];
        let tables =
            [&tables[..], &["--to", "opensm", "--out", "t.dump", "--format", "json", "--quiet"]].concat();
        let (code, made, told) = simnet(folder, &tables);
        assert_eq!(code, 0, "case {case}: {told}");
        let (_, read, told) = simnet(folder, &[&check[..], &["--lfts", "t.dump"]].concat());
        assert_eq!(read["verdict"], made["verdict"], "case {case}: {read} {told}");
        if is_run {
            assert_eq!(run(folder, "lfts = 't.dump'"), read["verdict"], "case {case}");
        }
    }
    println!(
        "{cases} networks: {cyclic} sets of routes are cyclic; {differ} are not, though shortest paths are"
    );
    assert!(cyclic > 0 && differ > 0, "{cyclic} {differ}");
}

/// Wrong if routes that cannot deadlock failed `--require acyclic` because others could, or if nobody said how they get
/// their certificate.
#[test]
fn routes_chosen_have_a_certificate_of_their_own() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path();
    let made = ["topo", "generate", "hypercube", "--dimensions", "3", "--out", "n.json"];
    assert_eq!(simnet(folder, &made).0, 0);
    let find = ["route", "n.json", "--algorithm", "minimal", "--select", "first", "--routes", "r.ndjson"];
    let more = ["--require", "acyclic", "--certificate", "c.ndjson", "--format", "json"];
    let (code, found, told) = simnet(folder, &[&find[..], &more].concat());
    assert_eq!(
        (code, &found["verdict"], &found["chosen"]["verdict"]),
        (0, &"cyclic".into(), &"acyclic".into())
    );
    assert!(told.contains("the routes chosen have one of their own"), "{told}");
    assert!(!folder.join("c.ndjson").exists());
    let check = ["route", "check", "n.json", "--routes", "r.ndjson", "--certificate", "c.ndjson"];
    assert_eq!(simnet(folder, &check).0, 0);
    let verify = ["route", "verify", "n.json", "c.ndjson", "--routes", "r.ndjson"];
    assert_eq!(simnet(folder, &verify).0, 0);
    // A run of them says the same on the terminal and on its page.
    let text = "[scenario]\nname = 'chosen'\n[topology]\nfile = 'n.json'\n[routing]\nalgorithm = 'minimal'\n\
                select = 'first'\n";
    fs::write(folder.join("s.toml"), text).unwrap();
    let line = ["run", "s.toml", "--out", "out"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let told = command.args(line).current_dir(folder).output().unwrap().stdout;
    assert!(String::from_utf8(told).unwrap().contains("they cannot deadlock"));
    assert_eq!(simnet(folder, &["report", "out", "--out", "page.html"]).0, 0);
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    let says = |words: &str| page.contains(words);
    assert!(says("no cycle of channels exists") && !says("these outputs can wait for each other"));
}
