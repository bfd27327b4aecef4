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

/// Whether the routes of a file can wait for each other in a circle.
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
    goes_round(waits)
}

/// Whether a circle is left when what waits for nothing is taken away, again and again.
fn goes_round<T: Ord + Clone>(mut waits: BTreeMap<T, BTreeSet<T>>) -> bool {
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

/// The verdict of a scenario that has these routes, each host on its first cable.
fn run(folder: &Path, routing: &str) -> Value {
    let net: Value = serde_json::from_str(&fs::read_to_string(folder.join("n.json")).unwrap()).unwrap();
    let second = net["links"].as_array().unwrap().iter().filter(|link| link["a_port"] == 1);
    let hosts = second.filter(|link| link["a"].as_str().unwrap().starts_with('h'));
    let attach: String = hosts.map(|link| format!("{} = 0\n", link["a"])).collect();
    let attach = if attach.is_empty() { attach } else { format!("[topology.attach]\n{attach}") };
    let head = format!("[scenario]\nname = 'judged'\n[topology]\nfile = 'n.json'\n{attach}[routing]\n");
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
        assert_eq!(run(folder, "file = 'r.ndjson'"), chosen, "case {case}");
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
        assert_eq!(run(folder, "lfts = 't.dump'"), read["verdict"], "case {case}");
    }
    println!(
        "{cases} networks: {cyclic} sets of routes are cyclic; {differ} are not, though shortest paths are"
    );
    assert!(cyclic > 0 && differ > 0, "{cyclic} {differ}");
}

/// The tables of a network with lanes, as its files have them.
struct Laned {
    /// Where each end of a cable leads, by node and port.
    far: BTreeMap<(String, u64), (String, u64)>,
    /// Next hops, by switch and lid.
    next: BTreeMap<(String, u64), u64>,
    /// The hosts' lids.
    lids: BTreeMap<u64, String>,
    /// Service levels, by lids of both ends; 0 where there is none.
    levels: BTreeMap<(u64, u64), usize>,
    /// The lane of each service level, by switch and ports.
    lanes: BTreeMap<(String, u64, u64), Vec<u64>>,
}

/// The number of a text such as `0x1f` or `31`.
fn number(text: &str) -> u64 {
    text.strip_prefix("0x").map_or_else(|| text.parse(), |hex| u64::from_str_radix(hex, 16)).unwrap()
}

impl Laned {
    /// Reads `n.json`, `t.dump`, `sl` and `sl2vl`; what the manager's files count from 1 begins at 0 in here.
    fn read(folder: &Path) -> Laned {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let net: Value = serde_json::from_str(&text("n.json")).unwrap();
        let mut far = BTreeMap::new();
        for link in net["links"].as_array().unwrap() {
            let end = |name: &str, port: &str| {
                (link[name].as_str().unwrap().to_owned(), link[port].as_u64().unwrap_or(0))
            };
            let [a, b] = [end("a", "a_port"), end("b", "b_port")];
            far.insert(a.clone(), b.clone());
            far.insert(b, a);
        }
        let (mut next, mut lids, mut guids) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut hosts, mut at) = (BTreeSet::new(), String::new());
        for line in text("t.dump").lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let quoted = line.split('\'').nth(1).unwrap_or_default().to_owned();
            if line.starts_with("Unicast") {
                let guid = words.iter().position(|word| *word == "guid").unwrap() + 1;
                guids.insert(words[guid].to_owned(), quoted.clone());
                at = quoted;
            } else if line.starts_with("0x") {
                let lid = number(words[0]);
                if line.contains("Channel Adapter") {
                    // Of port 1, which counts on from its host's.
                    let port = words.iter().position(|word| *word == "portguid").unwrap() + 1;
                    hosts.insert((number(words[port].trim_end_matches(':')) - 1, lid));
                    lids.insert(lid, quoted);
                }
                next.insert((at.clone(), lid), number(words[1].trim_start_matches('0').max("0")));
            }
        }
        let data = |name| {
            let lines = text(name);
            let lines = lines.lines().filter(|line| !line.starts_with('#'));
            lines
                .map(|line| line.split_whitespace().map(str::to_owned).collect())
                .collect::<Vec<Vec<String>>>()
        };
        let mut levels = BTreeMap::new();
        for line in data("sl") {
            let (source, to) = (number(&line[0]), number(&line[1]));
            let of_host = hosts.iter().filter(|(guid, _)| *guid == source).map(|(_, lid)| *lid);
            let sources = if line[0].starts_with("0x") { of_host.collect() } else { vec![source] };
            levels.extend(sources.into_iter().map(|from| ((from, to), index(number(&line[2])))));
        }
        let lanes = data("sl2vl").into_iter().map(|line| {
            let bytes = line[3..].iter().map(|byte| number(byte));
            let lanes = bytes.flat_map(|byte| [byte >> 4, byte & 15]).collect();
            ((guids[&line[0]].clone(), number(&line[1]), number(&line[2])), lanes)
        });
        Laned { far, next, lids, levels, lanes: lanes.collect() }
    }

    /// Whether lanes of channels can wait for each other in a circle, by the paths between all lids of different hosts.
    fn is_cyclic(&self) -> bool {
        let mut waits: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (from, host) in &self.lids {
            for (to, _) in self.lids.iter().filter(|(_, other)| *other != host) {
                let level = self.levels.get(&(*from, *to)).copied().unwrap_or(0);
                let mut at = self.far[&(host.clone(), 0)].clone();
                let mut path = Vec::new();
                while let Some(out) = self.next.get(&(at.0.clone(), *to)) {
                    let lanes = self.lanes.get(&(at.0.clone(), at.1 + 1, *out));
                    path.push((at.0.clone(), *out, lanes.map_or(0, |lanes| lanes[level])));
                    at = self.far[&(at.0, out - 1)].clone();
                }
                assert_eq!(&at.0, &self.lids[to], "{from} to {to}");
                for pair in path.windows(2) {
                    waits.entry(pair[0].clone()).or_default().insert(pair[1].clone());
                }
            }
        }
        goes_round(waits)
    }
}

/// Tables on lanes, with and without the service levels that their engine gave them. Wrong if one of those who judge
/// them said something else than the others, or than a search that knows the files alone.
#[test]
fn all_who_judge_the_same_lanes_agree() {
    let cases = long_cases(1_000);
    let (mut cyclic, mut laned) = (0, 0);
    for case in 0..cases {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path();
        // None of those whose hosts have two cables.
        network(folder, case + 1 + case / 2);
        let algorithm = ["lash", "dfsssp", "nue"][index(case / 2 % 3)];
        let lmc = (case / 6 % 3).to_string();
        let seed = case.to_string();
        let find = ["route", "n.json", "--algorithm", algorithm, "--seed", &seed, "--lmc", &lmc, "--quiet"];
        let files = ["--to", "opensm", "--out", "t.dump", "--sl", "sl", "--sl2vl", "sl2vl"];
        let (code, made, told) = simnet(folder, &[&find[..], &files, &["--format", "json"]].concat());
        assert_eq!(code, 0, "case {case}: {told}");
        if case.is_multiple_of(2) {
            // All on the lanes of level 0.
            let levels = fs::read_to_string(folder.join("sl")).unwrap();
            let level = |line: &str| match line.rsplit_once(' ') {
                Some((path, _)) if !line.starts_with('#') => format!("{path} 0\n"),
                _ => format!("{line}\n"),
            };
            fs::write(folder.join("sl"), levels.lines().map(level).collect::<String>()).unwrap();
        } else {
            assert_eq!(made["verdict"], "acyclic", "case {case}");
        }
        let searched = if Laned::read(folder).is_cyclic() { "cyclic" } else { "acyclic" };
        let check = ["route", "check", "n.json", "--format", "json", "--quiet", "--lfts", "t.dump"];
        let (_, read, told) = simnet(folder, &[&check[..], &["--sl", "sl", "--sl2vl", "sl2vl"]].concat());
        assert_eq!(read["verdict"], searched, "case {case}: {read} {told}");
        let routing = "lfts = 't.dump'\nsl = 'sl'\nsl2vl = 'sl2vl'\n[fabric]\nflow = 'credits'\nlanes = 15";
        assert_eq!(run(folder, routing), searched, "case {case}");
        cyclic += u64::from(searched == "cyclic");
        laned += u64::from(made["lanes"].as_u64().unwrap() > 1);
    }
    println!("{cases} tables on lanes: {laned} need several, {cyclic} are cyclic");
    assert!(cyclic > 0 && laned > 0, "{cyclic} {laned}");
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
