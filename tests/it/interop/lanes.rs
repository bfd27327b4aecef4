//! The real OpenSM's engines on simulated subnets, with and without lanes: simnet's verdict, that of ibdmchk, and
//! that of a search of this test's own over what OpenSM wrote. Skipped, saying so, where OpenSM or ibsim is not
//! installed; without ibdmchk the other two are compared.

#![expect(clippy::disallowed_methods, reason = "processes are waited for by the clock")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use simnet::topology::formats::{self, Format, ReadOptions};
use simnet::topology::{Network, generate};
use support_network::{cases, peer, shared};

use super::subnet::Subnet;

/// OpenSM's engines that need no lanes, and those that do.
const ENGINES: [(&str, bool); 9] = [
    ("minhop", false),
    ("updn", false),
    ("dnup", false),
    ("ftree", false),
    ("dor", false),
    ("lash", true),
    ("dfsssp", true),
    ("nue", true),
    ("torus-2QoS", true),
];

/// The most hosts for which the service level of every pair is asked for: each costs more than ten milliseconds.
fn most_asked() -> usize {
    if cases(20) == 20 { 25 } else { 12 }
}

/// A network and, for a torus, how many switches there are along each dimension.
struct Case {
    net: Network,
    torus: Option<[u64; 2]>,
}

/// Networks of many kinds, the small ones first and last the large.
fn networks() -> Vec<Case> {
    let build = |family: &str, parameters: &[(&str, u64)], seed| {
        let net = generate::build(family, parameters, seed).unwrap_or_else(|e| panic!("{family}: {e}"));
        Case { net, torus: None }
    };
    let random = |switches, seed| {
        build("random-regular", &[("switches", switches), ("degree", 4), ("hosts-per-switch", 1)], seed)
    };
    let tree = |arity, levels| build("fat-tree", &[("arity", arity), ("levels", levels)], 0);
    let torus = |x: u64, y: u64| {
        let built = generate::build("torus", &[("x", x), ("y", y), ("hosts-per-switch", 1)], 0);
        Case { net: built.unwrap_or_else(|e| panic!("torus: {e}")), torus: Some([x, y]) }
    };
    let ring = |n| build("ring", &[("switches", n), ("hosts-per-switch", 1)], 0);
    let mut all = vec![ring(6), torus(3, 3), tree(2, 3), random(8, 1), random(10, 1), ring(8), random(12, 1)];
    all.extend([torus(4, 4), random(16, 1), torus(5, 5), tree(4, 2), tree(2, 4)]);
    let real = ["credit-loops", "gnu-stallion-64", "loginoff-stage-2014"];
    for name in real {
        let path = shared(&format!("topologies/ibnetdiscover/{name}.topo"));
        all.extend(path.map(|path| Case { net: read(&fs::read(path).unwrap()), torus: None }));
    }
    all.extend((2..=8).map(|seed| random(16, seed)));
    all.extend((1..=5).map(|seed| random(32, seed)));
    all.extend((1..=3).map(|seed| random(64, seed)));
    all.extend((2..=12).map(|seed| random(12, seed)));
    all.extend((9..=24).map(|seed| random(16, seed)));
    all.extend((6..=12).map(|seed| random(32, seed)));
    all
}

fn read(bytes: &[u8]) -> Network {
    formats::read("net", bytes, &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// A switch, its output and the lane there.
type Lane = (u64, u64, u64);

/// What OpenSM left in a folder, read by a few lines of this test: cables, tables, lanes and levels.
#[derive(Default)]
struct Dump {
    /// From (node's guid, port) to the same.
    cables: BTreeMap<(u64, u64), (u64, u64)>,
    /// The port of a channel adapter that has a lid.
    lids: BTreeMap<u64, (u64, u64)>,
    /// From (switch, lid) to the port.
    outputs: BTreeMap<(u64, u64), u64>,
    /// From (switch, in, out) to the lanes.
    lanes: BTreeMap<(u64, u64, u64), Vec<u64>>,
    /// From (source, destination) to the level.
    levels: BTreeMap<(u64, u64), u64>,
}

fn after<'t>(line: &'t str, mark: &str) -> &'t str {
    let (_, rest) = line.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {line}"));
    rest.split([' ', '}', ',']).next().unwrap()
}

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("{text}"))
}

impl Dump {
    fn of(folder: &Path, levels: &str) -> Dump {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let mut dump = Dump::default();
        for line in text("opensm-subnet.lst").lines() {
            let mut ends = Vec::new();
            for part in line.split("{ ").filter(|part| part.contains("NodeGUID:")).take(2) {
                let node = hexadecimal(after(part, "NodeGUID:"));
                let end = (node, hexadecimal(after(part, " PN:")));
                if part.trim_start().starts_with("CA") {
                    dump.lids.insert(hexadecimal(after(part, " LID:")), end);
                }
                ends.push(end);
            }
            dump.cables.insert(ends[0], ends[1]);
            dump.cables.insert(ends[1], ends[0]);
        }
        let mut switch = 0;
        for line in text("opensm-lfts.dump").lines() {
            if line.starts_with("Unicast") {
                switch = hexadecimal(after(line, "guid "));
            } else if line.starts_with("0x") {
                let words: Vec<&str> = line.split(' ').collect();
                dump.outputs.insert((switch, hexadecimal(words[0])), words[1].parse().unwrap());
            }
        }
        for line in text("opensm-sl2vl.dump").lines().filter(|line| !line.starts_with('#')) {
            if let Some((ports, lanes)) = line.split_once(" :") {
                let ports: Vec<u64> = ports.split_whitespace().map(|word| word.parse().unwrap()).collect();
                let lanes = lanes.split_whitespace().map(|word| word.parse().unwrap()).collect();
                dump.lanes.insert((switch, ports[0], ports[1]), lanes);
            } else if line.contains("base LID") {
                switch = hexadecimal(after(line, " 0x"));
            }
        }
        for line in levels.lines() {
            let words: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            dump.levels.insert((words[0], words[1]), words[2]);
        }
        dump
    }

    /// Whether following every pair of lids finds a cycle of (switch, port, lane); on lane 0 alone without lanes.
    fn is_cyclic(&self, with_lanes: bool) -> bool {
        let mut after: BTreeMap<Lane, BTreeSet<Lane>> = BTreeMap::new();
        for (source, end) in &self.lids {
            for destination in self.lids.keys().filter(|lid| *lid != source) {
                let level = self.levels.get(&(*source, *destination)).copied().unwrap_or(0);
                let (mut at, mut held, mut hops) = (self.cables.get(end).copied(), None, 0);
                while let Some((switch, input)) = at.filter(|_| hops < 200) {
                    let Some(output) = self.outputs.get(&(switch, *destination)) else { break };
                    let row = self.lanes.get(&(switch, input, *output)).filter(|_| with_lanes);
                    let next = (switch, *output, row.map_or(0, |row| row[usize::try_from(level).unwrap()]));
                    if let Some(held) = held.replace(next) {
                        after.entry(held).or_default().insert(next);
                    }
                    at = self.cables.get(&(switch, *output)).copied();
                    hops += 1;
                }
            }
        }
        // What nothing leads to goes, until nothing is left or a cycle.
        loop {
            let led_to: BTreeSet<_> = after.values().flatten().copied().collect();
            let before = after.len();
            after.retain(|channel, _| led_to.contains(channel));
            if after.len() == before {
                return !after.is_empty();
            }
        }
    }

    /// The service levels and lanes as ibdiagnet has them.
    fn for_ibdmchk(&self) -> [String; 2] {
        let (mut levels, mut lanes) = (String::new(), String::new());
        for ((source, destination), level) in &self.levels {
            writeln!(levels, "{:#018x} {destination} {level}", self.lids[source].0).unwrap();
        }
        let switches: BTreeSet<u64> = self.outputs.keys().map(|(switch, _)| *switch).collect();
        for ((switch, input, output), row) in self.lanes.iter().filter(|((s, _, _), _)| switches.contains(s))
        {
            write!(lanes, "{switch:#018x} {input} {output}").unwrap();
            row.chunks(2).for_each(|two| write!(lanes, " 0x{:x}{:x}", two[0], two[1]).unwrap());
            lanes.push('\n');
        }
        [levels, lanes]
    }
}

/// What ibdmchk says of credit loops, with service levels and lanes if there are any; none where it is not installed.
fn ibdmchk(program: Option<&Path>, folder: &Path, levels_and_lanes: Option<[String; 2]>) -> Option<bool> {
    let mut command = Command::new(program?);
    command.current_dir(folder).args(["-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "none.mcfdbs"]);
    fs::write(folder.join("none.mcfdbs"), "").unwrap();
    if let Some(texts) = levels_and_lanes {
        for (option, name, text) in [("-c", "its.psl", &texts[0]), ("-d", "its.slvl", &texts[1])] {
            fs::write(folder.join(name), text).unwrap();
            command.args([option, name]);
        }
    }
    let said = command.output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let is_free = said.contains("no credit loops found");
    assert!(is_free || said.contains("credit loop"), "ibdmchk says nothing of loops: {said}");
    Some(!is_free)
}

/// Runs OpenSM with an engine; gives the service levels of all pairs, if they were asked for. None where the engine
/// does not route the network.
fn route(subnet: &Subnet, folder: &Path, case: &Case, engine: &str, ask: bool) -> Option<String> {
    let mut options =
        vec!["-R".to_owned(), engine.to_owned(), "-D".to_owned(), "0x43".to_owned(), "-f".to_owned()];
    options.push(folder.join("opensm.log").to_str().unwrap().to_owned());
    if engine == "updn" {
        fs::write(folder.join("roots"), format!("{:#x}\n", case.net.switches()[0].guid.unwrap())).unwrap();
        options.extend(["-a".to_owned(), folder.join("roots").to_str().unwrap().to_owned()]);
    }
    if engine == "torus-2QoS" {
        fs::write(folder.join("torus.conf"), torus(case)?).unwrap();
        options.extend(["--torus_config".to_owned(), folder.join("torus.conf").to_str().unwrap().to_owned()]);
    }
    let prepare = |command: &mut Command| {
        command.env("OSM_TMP_DIR", folder).env("OSM_CACHE_DIR", folder).current_dir(folder).args(&options);
    };
    let mut levels = String::new();
    if ask {
        let opensm = subnet.start_tool("opensm", |command| {
            prepare(command);
            command.arg("-Q");
        })?;
        wait_for(&folder.join("opensm-subnet.lst"));
        let lids: Vec<u64> = Dump::of(folder, "").lids.into_keys().collect();
        for source in &lids {
            let known = levels_from(subnet, folder, *source);
            for destination in lids.iter().filter(|lid| *lid != source) {
                let level = known.get(destination);
                let level = level.copied().unwrap_or_else(|| level_of(subnet, folder, *source, *destination));
                writeln!(levels, "{source} {destination} {level}").unwrap();
            }
        }
        opensm.end();
    } else {
        let left = subnet.run("opensm", |command| {
            prepare(command);
            command.arg("-o");
        })?;
        assert!(left.status.success(), "opensm: {}", left.stderr);
    }
    let log = fs::read_to_string(folder.join("opensm.log")).unwrap();
    log.contains(&format!("{engine} tables configured on all switches")).then_some(levels)
}

/// Waits until a file is there and has not grown for a while: it is the last that a sweep writes.
pub(super) fn wait_for(file: &Path) {
    let (started, mut before) = (Instant::now(), 0);
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let size = fs::metadata(file).map_or(0, |metadata| metadata.len());
        if size > 0 && size == before {
            return;
        }
        before = size;
        assert!(started.elapsed() < Duration::from_secs(60), "{} is not written", file.display());
    }
}

/// What the running manager says of paths.
fn path_records(subnet: &Subnet, folder: &Path, which: &[(&str, u64)]) -> String {
    let left = subnet.run("saquery", |command| {
        command.current_dir(folder).arg("PR");
        for (option, lid) in which {
            command.args([*option, &lid.to_string()]);
        }
    });
    left.map(|left| String::from_utf8_lossy(&left.stdout).into_owned()).unwrap_or_default()
}

/// The service levels by destination of as many paths from a lid as the manager tells in one answer.
fn levels_from(subnet: &Subnet, folder: &Path, source: u64) -> BTreeMap<u64, u64> {
    let (mut levels, mut destination) = (BTreeMap::new(), 0);
    for line in path_records(subnet, folder, &[("--slid", source)]).lines().map(str::trim_start) {
        let value = line.rsplit('.').next().unwrap_or_default();
        if line.starts_with("dlid..") {
            destination = value.parse().unwrap_or_else(|_| panic!("{line}"));
        } else if line.starts_with("sl...") {
            levels.insert(destination, hexadecimal(value));
        }
    }
    levels
}

/// The service level of a pair of lids, asked of the running manager.
pub(super) fn level_of(subnet: &Subnet, folder: &Path, source: u64, destination: u64) -> u64 {
    for _ in 0..20 {
        let said = path_records(subnet, folder, &[("--slid", source), ("--dlid", destination)]);
        let line = said.lines().find(|line| line.trim_start().starts_with("sl..."));
        if let Some(level) = line.and_then(|line| line.rsplit('.').next()) {
            return hexadecimal(level);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("no path record from {source} to {destination}");
}

/// The file that torus-2QoS wants: the sizes, and which cables lead along each dimension.
fn torus(case: &Case) -> Option<String> {
    let [x, y] = case.torus?;
    let guid = |nth: u64| case.net.switches()[usize::try_from(nth).unwrap()].guid.unwrap();
    let (first, along_x, along_y) = (guid(0), guid(1), guid(x));
    Some(format!("torus {x} {y} 1\nxp_link {first:#x} {along_x:#x}\nyp_link {first:#x} {along_y:#x}\n"))
}

/// The exit code and report of `route check`.
fn check(folder: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["route", "check", "net.topo", "--format", "json", "--lfts", "opensm-lfts.dump"]).args(more);
    let output = command.current_dir(folder).output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))))
}

/// Judges what an engine left in a folder, in all ways.
fn judge(program: Option<&Path>, folder: &Path, levels: &str, what: &str) -> (bool, Option<bool>) {
    let dump = Dump::of(folder, levels);
    let on_one = dump.is_cyclic(false);
    let (code, report) = check(folder, &[]);
    assert_eq!(report["dependency_cycle"].is_array(), on_one, "{what}: {report}");
    assert!(code == Some(0) || on_one || report["unreachable_pairs"] != 0, "{what}: {code:?} {report}");
    let theirs = ibdmchk(program, folder, None);
    assert!(
        theirs.is_none_or(|theirs| theirs == on_one),
        "{what}: ibdmchk says {theirs:?}, on one lane {on_one}"
    );
    if levels.is_empty() {
        return (on_one, None);
    }
    fs::write(folder.join("psl.txt"), levels).unwrap();
    let with_lanes = dump.is_cyclic(true);
    let (_, report) = check(folder, &["--sl2vl", "opensm-sl2vl.dump", "--sl", "psl.txt"]);
    assert_eq!(report["dependency_cycle"].is_array(), with_lanes, "{what} with lanes: {report}");
    let theirs = ibdmchk(program, folder, Some(dump.for_ibdmchk()));
    assert!(
        theirs.is_none_or(|theirs| theirs == with_lanes),
        "{what}: ibdmchk says {theirs:?}, with lanes {with_lanes}"
    );
    if on_one {
        let (code, report) = check(folder, &[]);
        assert_eq!((code, &report["verdict"]), (Some(5), &Value::from("one-lane")), "{what}");
    }
    (on_one, Some(with_lanes))
}

/// Tables that were judged: how many, those cyclic on one lane, and of these the ones that lanes set free.
#[derive(Default)]
struct Judged {
    tables: u64,
    cyclic: u64,
    broken: u64,
}

/// Judges the tables of OpenSM's engines on a network; `None` where a program is not installed.
fn judge_engines(case: &Case, program: Option<&Path>) -> Option<Judged> {
    let mut judged = Judged::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    fs::write(&path, formats::write(&case.net, Format::Ibnetdiscover)).unwrap();
    let case = Case { net: read(&fs::read(&path).unwrap()), torus: case.torus };
    // The engines without lanes are much alike: one is enough unless more cases are requested.
    let some =
        ENGINES.into_iter().filter(|(engine, has_lanes)| cases(20) > 1 || *has_lanes || *engine == "updn");
    for (engine, has_lanes) in some {
        let ask = has_lanes && case.net.hosts().len() <= most_asked();
        let subnet = Subnet::start(&path)?;
        peer("opensm")?;
        peer("saquery")?;
        for old in ["opensm-subnet.lst", "opensm-lfts.dump", "opensm-sl2vl.dump", "opensm.log"] {
            let _ = fs::remove_file(folder.path().join(old));
        }
        let Some(levels) = route(&subnet, folder.path(), &case, engine, ask) else { continue };
        let what = format!("{engine} on {}", case.net.name);
        let (on_one, with_lanes) = judge(program, folder.path(), &levels, &what);
        assert_ne!(with_lanes, Some(true), "{what} is free of deadlock");
        judged.tables += 1;
        judged.cyclic += u64::from(on_one);
        judged.broken += u64::from(on_one && with_lanes == Some(false));
    }
    Some(judged)
}

/// Wrong if the verdict on the tables of any of OpenSM's engines were not that of ibdmchk and of a search over what
/// OpenSM wrote, on one lane or with its lanes; or if its engines with lanes were not free of deadlock by them.
#[test]
fn every_engine_is_judged_as_ibdmchk_does() {
    let all = networks();
    let program = peer("ibdmchk");
    let count = match cases(20) {
        1 => 2,
        20 => all.len(),
        _ => all.len() / 5,
    };
    // OpenSM waits more than it computes.
    let workers = 4.min(count);
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| all[..count].get(next.fetch_add(1, Ordering::Relaxed)));
        mine.map(|case| judge_engines(case, program.as_deref())).collect::<Option<Vec<Judged>>>()
    };
    let found = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let found = workers.into_iter().map(|worker| worker.join().unwrap());
        found.collect::<Option<Vec<_>>>()
    });
    let Some(found) = found else { return };
    let of = |what: fn(&Judged) -> u64| found.iter().flatten().map(what).sum::<u64>();
    let (judged, cyclic, broken) = (of(|it| it.tables), of(|it| it.cyclic), of(|it| it.broken));
    println!(
        "{judged} tables on {count} networks, {cyclic} cyclic on one lane, {broken} of them free by lanes"
    );
    assert!(judged > 0 && cyclic > 0 && broken > 0, "{judged} {cyclic} {broken}");
}

/// Wrong if OpenSM's UP*/DOWN* tables that have a cycle did not deadlock at load 0.9, named and when; or if our own
/// from the same root did.
#[test]
fn cyclic_tables_deadlock_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let parameters = [("switches", 16), ("degree", 4), ("hosts-per-switch", 4)];
    let net = generate::build("random-regular", &parameters, 3).unwrap();
    let path = folder.path().join("net.topo");
    fs::write(&path, formats::write(&net, Format::Ibnetdiscover)).unwrap();
    let case = Case { net: read(&fs::read(&path).unwrap()), torus: None };
    let Some(subnet) = Subnet::start(&path) else { return };
    if peer("opensm").is_none() {
        return;
    }
    route(&subnet, folder.path(), &case, "updn", false).expect("UP*/DOWN* routes every network");
    let load = ["--load", "0.9", "--set", "fabric.buffer='4 KiB'"];
    let (code, theirs) = check(folder.path(), &load);
    assert_eq!((code, &theirs["verdict"]), (Some(1), &Value::from("cyclic")));
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command
        .args(["route", "net.topo", "--root", "s0", "--quiet", "--routes", "ours"])
        .current_dir(folder.path());
    assert!(command.status().unwrap().success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["route", "check", "net.topo", "--format", "json", "--routes", "ours"]).args(load);
    let output = command.current_dir(folder.path()).output().unwrap();
    let ours: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (theirs, ours) = (&theirs["under_load"], &ours["under_load"]);
    let accepted = |under: &Value| under["accepted_flits_per_cycle_per_host"].as_f64().unwrap();
    println!("accepted at load 0.9: OpenSM's {}, ours {}", accepted(theirs), accepted(ours));
    assert_eq!(theirs["state"], "deadlocked");
    assert!(theirs["deadlock_count"] != 0 && theirs["deadlocks"][0]["cycle"].is_array(), "{theirs}");
    assert_eq!(ours["deadlock_count"], 0, "{ours}");
}

/// Wrong if the tables of engines with lanes that were recorded elsewhere were not cyclic on one lane and free of
/// deadlock with lanes, or either verdict were another than ibdmchk's where it can read them.
#[test]
fn recorded_tables_are_judged_with_their_lanes() {
    let Some(shared) = shared("topologies/lanes") else { return };
    let program = peer("ibdmchk");
    let program = program.as_deref();
    for (net, dump, lanes) in [
        ("random16.net", "random16-lash", 3),
        ("random16.net", "random16-dfsssp", 8),
        ("random16.net", "random16-nue", 4),
        ("torus5x5.net", "torus5x5-qos", 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(shared.join(net), folder.path().join("net.topo")).unwrap();
        for entry in fs::read_dir(shared.join(dump)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        let (code, report) = check(folder.path(), &[]);
        assert_eq!((code, &report["verdict"]), (Some(5), &Value::from("one-lane")), "{dump}");
        let (code, report) = check(folder.path(), &["--sl2vl", "opensm-sl2vl.dump", "--sl", "psl.txt"]);
        assert_eq!((code, &report["verdict"]), (Some(0), &Value::from("acyclic")), "{dump}");
        assert_eq!(report["lanes"], lanes, "{dump}");
        if folder.path().join("opensm.fdbs").is_file() {
            let levels = fs::read_to_string(folder.path().join("psl.txt")).unwrap();
            let ours = Dump::of(folder.path(), &levels);
            assert_eq!((ours.is_cyclic(false), ours.is_cyclic(true)), (true, false), "{dump}");
            assert!(ibdmchk(program, folder.path(), None).is_none_or(|cyclic| cyclic), "{dump}");
            assert!(
                ibdmchk(program, folder.path(), Some(ours.for_ibdmchk())).is_none_or(|cyclic| !cyclic),
                "{dump}"
            );
        }
        if dump == "random16-lash" {
            let with = ["--sl2vl", "ibdiagnet.slvl", "--sl", "ibdiagnet.psl"];
            assert_eq!(check(folder.path(), &with), (code, report), "{dump}");
        }
    }
}
