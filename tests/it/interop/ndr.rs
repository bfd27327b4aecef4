//! A fabric of today over ibsim: 40 switches with 542 hosts and the 40 aggregation nodes (SHARP) of these switches, as
//! `ibnetdiscover` dumped it. What OpenSM's engines make of it is judged by simnet, by ibdmchk and by a walk of this
//! test's own; tables of ours are installed, read back and taken back; the hour that docs/INFINIBAND.md tells is lived
//! through. Skipped, saying so, where the dump, OpenSM, ibsim or ibdmchk is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support_network::{cases, peer, shared};

use super::lanes::{level_of, wait_for};
use super::subnet::Subnet;
use crate::command::shown::{followed, page, texts};

/// All ordered pairs of hosts and aggregation nodes, and those of hosts alone.
const PAIRS: (usize, usize) = (338_142, 293_222);

/// What a dump says of an aggregation node.
const UNIT: &str = "Aggregation Node";

/// A node by its guid, and a port.
type End = (u64, u64);

/// What `ibnetdiscover` prints, read by a few lines of this test.
#[derive(Default)]
struct Fabric {
    /// From an end of a cable to the other.
    cables: BTreeMap<End, End>,
    /// The port of a host or of an aggregation node that has a lid.
    lids: BTreeMap<u64, End>,
    /// The guid of the port that has a lid, those of switches among them.
    ports: BTreeMap<u64, u64>,
    /// Those lids that aggregation nodes have.
    units: BTreeSet<u64>,
    /// The guids of switches.
    switches: BTreeSet<u64>,
}

/// The number behind a mark.
fn number(line: &str, mark: &str, radix: u32) -> u64 {
    let (_, rest) = line.split_once(mark).unwrap_or_else(|| panic!("no {mark} in {line}"));
    let digits: String = rest.chars().take_while(|digit| digit.is_digit(radix)).collect();
    u64::from_str_radix(&digits, radix).unwrap_or_else(|error| panic!("{line}: {error}"))
}

impl Fabric {
    /// Reads a dump.
    fn of(dump: &str) -> Fabric {
        let (mut fabric, mut node, mut is_switch, mut is_unit) = (Fabric::default(), 0, false, false);
        for line in dump.lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with("Switch") || line.starts_with("Ca") {
                is_switch = line.starts_with("Switch");
                is_unit = line.contains(UNIT);
                node = number(line, if is_switch { "\"S-" } else { "\"H-" }, 16);
                if is_switch {
                    fabric.switches.insert(node);
                    fabric.ports.insert(number(line, " lid ", 10), node);
                }
            } else if line.starts_with('[') {
                let (_, far) = line.split_once('"').expect("a cable leads to a node");
                let own = (node, number(line, "[", 10));
                fabric.cables.insert(own, (number(far, "-", 16), number(far, "[", 10)));
                if !is_switch {
                    let lid = number(line, "# lid ", 10);
                    fabric.lids.insert(lid, own);
                    fabric.ports.insert(lid, number(line, "](", 16));
                    fabric.units.extend(is_unit.then_some(lid));
                }
            }
        }
        fabric
    }

    /// The lids of hosts, those of aggregation nodes left out.
    fn hosts(&self) -> BTreeSet<u64> {
        self.lids.keys().copied().filter(|lid| !self.units.contains(lid)).collect()
    }

    /// The switches that hosts have no cable to.
    fn spines(&self) -> impl Iterator<Item = u64> {
        let leaves: BTreeSet<u64> = self.hosts().iter().map(|lid| self.cables[&self.lids[lid]].0).collect();
        self.switches.iter().copied().filter(move |switch| !leaves.contains(switch))
    }

    /// Follows every lid of `whose` from every switch that has another of them, by any of `all` tables at each switch.
    fn follow(&self, all: &[&Tables], whose: &BTreeSet<u64>) -> Found {
        let mut sources: BTreeMap<u64, usize> = BTreeMap::new();
        for lid in whose {
            *sources.entry(self.cables[&self.lids[lid]].0).or_default() += 1;
        }
        let (mut lost, mut waits) = (0, BTreeSet::new());
        for lid in whose {
            let (owner, next) =
                (self.lids[lid], |switch: u64| all.iter().map(move |t| t.get(&(switch, *lid))));
            let home = self.cables[&owner].0;
            for (start, count) in &sources {
                let count = count - usize::from(*start == home);
                let mut ahead: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
                let mut open = vec![(*start, None)];
                let mut seen = BTreeSet::new();
                let mut arrives = count > 0;
                while let Some((switch, held)) = open.pop().filter(|_| count > 0) {
                    if !seen.insert((switch, held)) {
                        continue;
                    }
                    for port in next(switch) {
                        let far = port.and_then(|port| self.cables.get(&(switch, *port)));
                        match far {
                            Some(end) if *end == owner => {}
                            Some((far, _)) if self.switches.contains(far) => {
                                let taken = (switch, *port.unwrap());
                                waits.extend(held.map(|held| (held, taken)));
                                ahead.entry(switch).or_default().insert(*far);
                                open.push((*far, Some(taken)));
                            }
                            _ => arrives = false,
                        }
                    }
                }
                arrives &= !has_circle(ahead.iter().flat_map(|(a, far)| far.iter().map(move |b| (*a, *b))));
                lost += if arrives { 0 } else { count };
            }
        }
        Found { lost, is_cyclic: has_circle(waits) }
    }

    /// The pairs of lids whose ways take part in circles of outputs that wait for each other.
    fn in_circles(&self, tables: &Tables) -> BTreeSet<(u64, u64)> {
        let mut waits: BTreeMap<(End, End), Vec<(u64, u64)>> = BTreeMap::new();
        for (source, end) in &self.lids {
            for destination in self.lids.keys().filter(|lid| *lid != source) {
                let (mut at, mut held) = (self.cables[end].0, None);
                while let Some(port) = tables.get(&(at, *destination)) {
                    let taken = (at, *port);
                    at = self.cables[&taken].0;
                    if !self.switches.contains(&at) {
                        break;
                    }
                    if let Some(held) = held.replace(taken) {
                        waits.entry((held, taken)).or_default().push((*source, *destination));
                    }
                }
            }
        }
        // What nothing leads to goes, and what leads no further.
        loop {
            let (from, to): (BTreeSet<End>, BTreeSet<End>) = waits.keys().copied().unzip();
            let before = waits.len();
            waits.retain(|(held, taken), _| to.contains(held) && from.contains(taken));
            if waits.len() == before {
                return waits.into_values().flatten().collect();
            }
        }
    }
}

/// Whether some go round: what nothing leads to is taken away until there is no more of it.
fn has_circle<T: Ord + Copy>(steps: impl IntoIterator<Item = (T, T)>) -> bool {
    let (mut into, mut ahead): (BTreeMap<T, usize>, BTreeMap<T, Vec<T>>) = Default::default();
    for (from, to) in steps {
        into.entry(from).or_default();
        *into.entry(to).or_default() += 1;
        ahead.entry(from).or_default().push(to);
    }
    let mut free: Vec<T> = into.iter().filter(|(_, count)| **count == 0).map(|(one, _)| *one).collect();
    let mut taken = 0;
    while let Some(one) = free.pop() {
        taken += 1;
        for to in ahead.get(&one).into_iter().flatten() {
            let count = into.get_mut(to).expect("all are counted");
            *count -= 1;
            free.extend((*count == 0).then_some(*to));
        }
    }
    taken < into.len()
}

/// What following tables finds.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    /// Pairs without a route.
    lost: usize,
    /// Whether outputs wait for each other in a circle.
    is_cyclic: bool,
}

/// From (switch, lid) to the port.
type Tables = BTreeMap<(u64, u64), u64>;

/// The entries of a file of tables, OpenSM's own or what `dump_lfts` prints.
fn entries(file: &Path) -> Tables {
    let (mut switch, mut found) = (0, Tables::new());
    for line in fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())).lines() {
        if line.starts_with("Unicast") {
            switch = number(line, " guid 0x", 16);
        } else if line.starts_with("0x") {
            let port = line.split_whitespace().nth(1).unwrap().parse().unwrap();
            found.insert((switch, number(line, "0x", 16)), port);
        }
    }
    found
}

/// The dump of the fabric, as it is shared.
fn dump() -> Option<PathBuf> {
    shared("topologies/ibnetdiscover/ndr-sharp-582.topo")
}

/// The fabric as it runs in a subnet, its dump put into a file.
fn running(subnet: &Subnet, file: &Path) -> Option<Fabric> {
    let bytes = subnet.dumped()?;
    fs::write(file, &bytes).unwrap();
    let fabric = Fabric::of(&String::from_utf8(bytes).unwrap());
    assert_eq!((fabric.lids.len(), fabric.units.len(), fabric.switches.len()), (582, 40, 40));
    Some(fabric)
}

/// One sweep of OpenSM, which leaves its files in a folder: its log.
fn sweep(subnet: &Subnet, folder: &Path, options: &[&str]) -> Option<String> {
    fs::create_dir_all(folder).unwrap();
    let left = subnet.run("opensm", |command| {
        command.env("OSM_TMP_DIR", folder).env("OSM_CACHE_DIR", folder).current_dir(folder);
        command.args(["-o", "-D", "0x43", "-f"]).arg(folder.join("opensm.log")).args(options);
    })?;
    assert!(left.status.success(), "opensm {options:?}: {}", left.stderr);
    let log = fs::read_to_string(folder.join("opensm.log")).unwrap();
    assert!(log.contains("tables configured on all switches"), "{options:?}: {log}");
    Some(log)
}

/// Installs a file of tables by one sweep: what OpenSM then has.
fn install(subnet: &Subnet, folder: &Path, tables: &Path) -> Option<Tables> {
    let log = sweep(subnet, folder, &["-R", "file", "-U", tables.to_str().unwrap()])?;
    assert!(log.contains("file tables configured on all switches"), "{log}");
    Some(entries(&folder.join("opensm-lfts.dump")))
}

/// The command's exit code, and what it printed as JSON.
fn simnet(arguments: &[&str], files: &[&Path]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let mut files = files.iter();
    for argument in arguments {
        match *argument {
            "FILE" => command.arg(files.next().expect("a file for each")),
            other => command.arg(other),
        };
    }
    let output = command.args(["--format", "json"]).output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    assert!(!json.is_null() || !output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), json)
}

/// Tables of a network's file, made by an algorithm.
fn make(network: &Path, algorithm: &str, out: &Path) -> Value {
    let arguments = ["route", "FILE", "--per-destination", "--algorithm", algorithm];
    // The others need no more than one.
    let lanes = if algorithm == "nue" { &["--lanes", "1"][..] } else { &[] };
    let arguments = [&arguments[..], lanes, &["--to", "opensm", "--out", "FILE"]].concat();
    let (code, json) = simnet(&arguments, &[network, out]);
    assert_eq!((code, &json["verdict"]), (Some(0), &"acyclic".into()), "{algorithm}: {json}");
    json
}

/// What ibdmchk says of the files that OpenSM left in a folder: missing paths, or without any whether there is a credit
/// loop.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Missing(usize),
    Loops(bool),
}

/// Asks ibdmchk of all lids, or of all but those in `without`.
fn ibdmchk(program: &Path, folder: &Path, without: &BTreeSet<u64>) -> (Said, usize) {
    let is_kept = |line: &str| {
        let lid = line.strip_prefix("0x").map(|rest| u64::from_str_radix(&rest[..4], 16).unwrap());
        (without.is_empty() || !line.contains(UNIT)) && lid.is_none_or(|lid| !without.contains(&lid))
    };
    for (from, to) in [("opensm-subnet.lst", "asked.lst"), ("opensm.fdbs", "asked.fdbs")] {
        let text = fs::read_to_string(folder.join(from)).unwrap();
        let kept = text.lines().filter(|line| is_kept(line)).flat_map(|line| [line, "\n"]);
        fs::write(folder.join(to), kept.collect::<String>()).unwrap();
    }
    fs::write(folder.join("none.mcfdbs"), "").unwrap();
    let mut command = Command::new(program);
    command.args(["-s", "asked.lst", "-f", "asked.fdbs", "-m", "none.mcfdbs"]);
    let said = command.current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout);
    let count = |before: &str, after: &str| {
        let line = said.lines().find(|line| line.starts_with(before) && line.ends_with(after))?;
        line.split([' ', ':']).find_map(|word| word.parse::<usize>().ok())
    };
    if let Some(missing) = count("-E- Found ", " paths") {
        let (_, all) = said.split_once("missing paths out of:").expect("it says of how many");
        return (Said::Missing(missing), all.split(' ').next().unwrap().parse().unwrap());
    }
    let pairs = count("-I- Scanned:", " CA to CA paths ").expect("it says how many paths there are");
    let is_free = said.contains("no credit loops found");
    assert!(is_free || said.contains("credit loops in routing"), "{said}");
    (Said::Loops(!is_free), pairs)
}

/// What an engine of OpenSM 3.3.23 makes of the fabric: its options, where `ROOTS` and `HOSTS` are files of guids; the
/// name under which the log has the tables; and of all pairs those without a route and whether there is a cycle. Hosts
/// among themselves have all routes and no cycle by every engine.
const ENGINES: [(&[&str], &str, Found); 7] = [
    (&["-R", "minhop"], "minhop", Found { lost: 0, is_cyclic: true }),
    // Without the roots it takes 38 of 40 switches for roots.
    (&["-R", "updn"], "updn", Found { lost: 0, is_cyclic: true }),
    (&["-R", "updn", "-a", "ROOTS"], "updn", Found { lost: 432, is_cyclic: false }),
    // Aggregation nodes on spines are hosts to it, which it wants on leaves: it gives up.
    (&["-R", "ftree"], "minhop", Found { lost: 0, is_cyclic: true }),
    (&["-R", "ftree", "-a", "ROOTS", "-u", "HOSTS"], "ftree", Found { lost: 432, is_cyclic: false }),
    (&["-R", "dfsssp"], "dfsssp", Found { lost: 0, is_cyclic: true }),
    (&["-R", "nue"], "nue", Found { lost: 0, is_cyclic: false }),
];

/// Wrong if the verdict on the tables of any engine, on hosts or on all, were not that of ibdmchk and of a walk, or any
/// of the three counted other pairs.
#[test]
fn every_engine_has_one_verdict_for_hosts_and_one_for_all() {
    let Some(path) = dump() else { return };
    let Some(subnet) = Subnet::start(&path) else { return };
    let room = tempfile::tempdir().unwrap();
    let network = room.path().join("fabric.topo");
    let Some(fabric) = running(&subnet, &network) else { return };
    let (program, none) = (peer("ibdmchk"), BTreeSet::new());
    let (roots, hosts) = (room.path().join("roots"), room.path().join("hosts"));
    let guids = |of: &mut dyn Iterator<Item = u64>| of.map(|guid| format!("{guid:#x}\n")).collect::<String>();
    fs::write(&roots, guids(&mut fabric.spines())).unwrap();
    fs::write(&hosts, guids(&mut fabric.hosts().iter().map(|lid| fabric.ports[lid]))).unwrap();
    for (nth, (options, name, of_all)) in ENGINES.iter().enumerate() {
        let folder = room.path().join(format!("{nth}-{name}"));
        let named = options.iter().map(|option| match *option {
            "ROOTS" => roots.to_str().unwrap(),
            "HOSTS" => hosts.to_str().unwrap(),
            other => other,
        });
        let Some(log) = sweep(&subnet, &folder, &named.collect::<Vec<_>>()) else { return };
        let what = options.join(" ");
        assert!(log.contains(&format!(" {name} tables configured on all switches")), "{what}: {log}");
        let lfts = folder.join("opensm-lfts.dump");
        let installed = entries(&lfts);
        let (code, json) = simnet(&["route", "check", "FILE", "--lfts", "FILE"], &[&network, &lfts]);
        assert_eq!((code, &json["verdict"]), (Some(0), &"acyclic".into()), "{what}: {json}");
        let all = &json["all_classes"];
        let whose = [
            (fabric.lids.keys().copied().collect(), all, of_all),
            (fabric.hosts(), &json, &Found { lost: 0, is_cyclic: false }),
        ];
        for (lids, report, found) in whose {
            assert_eq!(fabric.follow(&[&installed], &lids), *found, "{what}");
            assert_eq!(report["unreachable_pairs"], found.lost, "{what}: {report}");
            assert_eq!(report["pairs"], lids.len() * (lids.len() - 1), "{what}: {report}");
            assert_eq!(report["dependency_cycle"].is_array(), found.is_cyclic, "{what}: {report}");
            let without = if lids.len() == 582 { &none } else { &fabric.units };
            let said = program.as_ref().map(|program| ibdmchk(program, &folder, without));
            let expected =
                if found.lost > 0 { Said::Missing(found.lost) } else { Said::Loops(found.is_cyclic) };
            if let Some(said) = &said {
                assert_eq!(*said, (expected, lids.len() * (lids.len() - 1)), "{what}");
            }
            eprintln!("{what}, {} lids: {}, {found:?}; ibdmchk: {said:?}", lids.len(), report["verdict"]);
        }
        // DFSSSP's name stands in the path: it has lanes, which nobody looked at.
        let expected = match (of_all.is_cyclic, *name) {
            (false, _) => "acyclic",
            (true, "dfsssp") => "one-lane",
            (true, _) => "cyclic",
        };
        assert_eq!(all["verdict"], expected, "{what}: {all}");
        let (code, _) = simnet(
            &["route", "check", "FILE", "--lfts", "FILE", "--require", "all-classes"],
            &[&network, &lfts],
        );
        assert_eq!(code == Some(0), *of_all == Found { lost: 0, is_cyclic: false }, "{what}");
    }
}

/// Wrong if the lanes of DFSSSP's tables did not break their cycles, aggregation nodes included. OpenSM is asked for
/// the service levels of the pairs that take part in cycles on one lane, one by one, which takes minutes: with
/// `SIMNET_THOROUGH=1` alone. What is in no cycle on one lane is in none on several, whatever its level.
#[test]
fn lanes_break_the_cycles_of_dfsssp() {
    if cases(20) < 20 {
        eprintln!("skipped: service levels are asked for with SIMNET_THOROUGH=1");
        return;
    }
    let Some(path) = dump() else { return };
    let Some(subnet) = Subnet::start(&path) else { return };
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let Some(fabric) = running(&subnet, &file("fabric.topo")) else { return };
    let started = subnet.start_tool("opensm", |command| {
        command.env("OSM_TMP_DIR", room.path()).env("OSM_CACHE_DIR", room.path()).current_dir(room.path());
        command.args(["-Q", "-R", "dfsssp", "-D", "0x43", "-f"]).arg(file("opensm.log"));
    });
    let (Some(opensm), Some(_)) = (started, peer("saquery")) else { return };
    wait_for(&file("opensm-subnet.lst"));
    let asked: Vec<_> = fabric.in_circles(&entries(&file("opensm-lfts.dump"))).into_iter().collect();
    let ask = |pairs: &[(u64, u64)]| {
        let level = |(from, to): &(u64, u64)| level_of(&subnet, room.path(), *from, *to);
        let lines = pairs.iter().map(|pair| format!("{} {} {}\n", pair.0, pair.1, level(pair)));
        lines.collect::<String>()
    };
    let ask = &ask;
    let levels: String = std::thread::scope(|scope| {
        let workers: Vec<_> = asked.chunks(asked.len().div_ceil(4).max(1)).collect();
        let workers: Vec<_> = workers.into_iter().map(|pairs| scope.spawn(move || ask(pairs))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    opensm.end();
    fs::write(file("levels"), levels).unwrap();
    let arguments = [
        "route",
        "check",
        "FILE",
        "--lfts",
        "FILE",
        "--sl2vl",
        "FILE",
        "--sl",
        "FILE",
        "--require",
        "all-classes",
    ];
    let files = ["fabric.topo", "opensm-lfts.dump", "opensm-sl2vl.dump", "levels"].map(file);
    let (code, json) = simnet(&arguments, &files.each_ref().map(PathBuf::as_path));
    assert_eq!((code, &json["all_classes"]["verdict"]), (Some(0), &"acyclic".into()), "{json}");
    eprintln!("{} pairs asked for: {}", asked.len(), json["all_classes"]);
}

/// Wrong if tables of ours, made from what ibnetdiscover prints and installed, left a pair of 338,142 without a route
/// or could deadlock; if OpenSM's own did not come back as they were; or if a pair of hosts could lose its route, or
/// hosts deadlock, while some switches have the tables of before and others those of after.
#[test]
fn tables_are_installed_and_taken_back() {
    let Some(path) = dump() else { return };
    let Some(subnet) = Subnet::start(&path) else { return };
    let room = tempfile::tempdir().unwrap();
    let network = room.path().join("fabric.topo");
    let Some(fabric) = running(&subnet, &network) else { return };
    let all: BTreeSet<u64> = fabric.lids.keys().copied().collect();
    assert_eq!((all.len() * (all.len() - 1), fabric.hosts().len() * (fabric.hosts().len() - 1)), PAIRS);
    let sound = Found { lost: 0, is_cyclic: false };
    let steps = [("minhop", "nue"), ("updn", "smart"), ("dfsssp", "updown")];
    // The first is that of docs/INFINIBAND.md, and enough unless more cases are requested.
    for (engine, algorithm) in steps.into_iter().take(if cases(20) > 1 { 3 } else { 1 }) {
        let file = |name: &str| room.path().join(format!("{engine}-{name}"));
        let Some(_) = sweep(&subnet, &file("saved"), &["-R", engine]) else { return };
        let saved = file("saved").join("opensm-lfts.dump");
        let (before, made) = (entries(&saved), file("tables.dump"));
        let report = make(&network, algorithm, &made);
        // Smart routing goes round where all is full; the other two have no reason to.
        assert!(algorithm == "smart" || report["non_minimal_pairs"] == 0, "{algorithm}: {report}");
        let Some(after) = install(&subnet, &file("installed"), &made) else { return };
        assert_eq!(after, entries(&made), "{algorithm}");
        assert_eq!(fabric.follow(&[&after], &all), sound, "{algorithm}");
        assert_eq!(fabric.follow(&[&before, &after], &fabric.hosts()), sound, "from {engine} to {algorithm}");
        let Some(back) = install(&subnet, &file("back"), &saved) else { return };
        assert_eq!(back, before, "{engine}");
        let moved = before.iter().filter(|(at, port)| after.get(at) != Some(port)).count();
        eprintln!("{engine} to {algorithm}: {moved} of {} entries move", before.len());
    }
}

/// Wrong if a fault in a file of tables were not told before OpenSM installs it, or OpenSM did with such a file what
/// docs/INFINIBAND.md does not say: one that is cut off or lacks a lid it installs as far as it goes, one that is not
/// there it replaces by `minhop`.
#[test]
fn files_that_opensm_takes_as_they_are_do_not_pass() {
    let Some(path) = dump() else { return };
    let Some(subnet) = Subnet::start(&path) else { return };
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let network = file("fabric.topo");
    let Some(fabric) = running(&subnet, &network) else { return };
    let all: BTreeSet<u64> = fabric.lids.keys().copied().collect();
    make(&network, "updown", &file("tables.dump"));
    let whole = fs::read_to_string(file("tables.dump")).unwrap();
    let lid = fabric.hosts().into_iter().next_back().unwrap();
    let lack = whole.lines().filter(|line| !line.starts_with(&format!("0x{lid:04x} ")));
    let lack: String = lack.flat_map(|line| [line, "\n"]).collect();
    let garbled = whole.replace(&format!("\n0x{lid:04x} "), "\nlid 0x");
    let cases = [
        ("cut", &whole[..whole.len() / 2], 300_000),
        ("lack", lack.as_str(), 581),
        ("garbled", garbled.as_str(), 581),
    ];
    for (name, text, at_least) in cases {
        fs::write(file(name), text).unwrap();
        let (code, _) = simnet(&["route", "check", "FILE", "--lfts", "FILE"], &[&network, &file(name)]);
        assert_eq!(code, Some(3), "{name}");
        let Some(installed) = install(&subnet, &file("installed"), &file(name)) else { return };
        let lost = fabric.follow(&[&installed], &all).lost;
        assert!(lost >= at_least && (name == "cut" || lost == at_least), "{name}: {lost}");
        eprintln!("{name}: OpenSM installs it, and {lost} of {} pairs have no route", PAIRS.0);
    }
    let nowhere = file("nowhere");
    let options = ["-R", "file", "-U", nowhere.to_str().unwrap()];
    let Some(log) = sweep(&subnet, &file("none"), &options) else { return };
    assert!(log.contains(" minhop tables configured on all switches"), "{log}");
}

/// Wrong if OpenSM routed round a cable that went while it has tables from a file, or `route check --without` told
/// other losses beforehand.
#[test]
fn what_a_cable_takes_along_is_told_beforehand() {
    let Some(path) = dump() else { return };
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let (network, tables) = (file("fabric.topo"), file("tables.dump"));
    let Some(whole) = Subnet::start(&path).and_then(|subnet| running(&subnet, &network)) else { return };
    make(&network, "updown", &tables);
    let spine = whole.spines().next().unwrap();
    let (one, other) = whole.cables.range((spine, 0)..).next().unwrap();
    let ends = [(one, other), (other, one)].map(|((switch, port), (far, far_port))| {
        (format!("S-{switch:016x}"), format!("[{port}]\t\"S-{far:016x}\"[{far_port}]"))
    });
    let mut left = String::new();
    let mut node = "";
    let text = fs::read_to_string(&path).unwrap();
    for line in text.lines() {
        if line.starts_with("Switch") || line.starts_with("Ca") {
            node = line.split('"').nth(1).unwrap();
        }
        if !ends.iter().any(|(own, cable)| own == node && line.starts_with(cable)) {
            writeln!(left, "{line}").unwrap();
        }
    }
    assert_eq!(text.lines().count(), left.lines().count() + 2);
    fs::write(file("less.topo"), left).unwrap();
    let Some(subnet) = Subnet::start(&file("less.topo")) else { return };
    let Some(less) = running(&subnet, &file("less.dump")) else { return };
    let Some(installed) = install(&subnet, &file("installed"), &tables) else { return };
    assert_eq!(installed, entries(&tables));
    let lost = less.follow(&[&installed], &less.hosts()).lost;
    let cable = format!("S-{:016x}:{}", one.0, one.1);
    let arguments = ["route", "check", "FILE", "--lfts", "FILE", "--without", &cable];
    let (code, json) = simnet(&arguments, &[&network, &tables]);
    assert_eq!(code, Some(1), "{json}");
    assert_eq!(json["unreachable_pairs"], lost, "{json}");
    assert!(lost > 0);
    eprintln!("{cable}: {lost} of {} pairs of hosts lose their route", PAIRS.1);
    // Tables for what is left give all pairs a route again.
    make(&file("less.dump"), "updown", &file("left.dump"));
    let Some(installed) = install(&subnet, &file("again"), &file("left.dump")) else { return };
    let all = less.lids.keys().copied().collect();
    assert_eq!(less.follow(&[&installed], &all), Found { lost: 0, is_cyclic: false });
}

/// The lines of a file of tables without the ports that lead there: switch, lid, kind, guid of the port.
fn names(file: &Path) -> BTreeSet<(u64, u64, String, u64)> {
    let (mut switch, mut found) = (0, BTreeSet::new());
    for line in fs::read_to_string(file).unwrap().lines() {
        if line.starts_with("Unicast") {
            switch = number(line, " guid 0x", 16);
        } else if line.starts_with("0x") {
            let (_, kind) = line.split_once("# ").unwrap();
            let (kind, rest) = kind.split_once(" portguid 0x").unwrap();
            found.insert((switch, number(line, "0x", 16), kind.to_owned(), number(rest, "", 16)));
        }
    }
    found
}

/// Wrong if tables made from the dump as it is shared named other lids or guids of ports than OpenSM does on that
/// fabric, line by line, or could not be installed there. ibsim gives a port the guid of its node and the port's
/// number: it reads a dump with guids of nodes to fit.
#[test]
fn tables_of_the_dump_name_its_lids_and_ports() {
    let Some(path) = dump() else { return };
    let room = tempfile::tempdir().unwrap();
    let file = |name: &str| room.path().join(name);
    let text = fs::read_to_string(&path).unwrap();
    let fitting = text.lines().flat_map(|line| {
        let node = line.strip_prefix("caguid=0x").map(|guid| u64::from_str_radix(guid, 16).unwrap());
        [node.map_or(line.to_owned(), |guid| format!("caguid={:#x}", guid - 1)), "\n".to_owned()]
    });
    fs::write(file("fitting.topo"), fitting.collect::<String>()).unwrap();
    let Some(subnet) = Subnet::start(&file("fitting.topo")) else { return };
    let Some(fabric) = running(&subnet, &file("running.topo")) else { return };
    assert_eq!(fabric.ports, Fabric::of(&text).ports, "lids and guids of ports as the dump has them");
    let Some(_) = sweep(&subnet, &file("own"), &["-R", "minhop"]) else { return };
    make(&path, "updown", &file("tables.dump"));
    let (theirs, ours) = (names(&file("own").join("opensm-lfts.dump")), names(&file("tables.dump")));
    assert_eq!(ours.len(), 40 * 622);
    let alone: Vec<_> = ours.symmetric_difference(&theirs).take(5).collect();
    assert!(alone.is_empty(), "{alone:?}");
    let Some(installed) = install(&subnet, &file("installed"), &file("tables.dump")) else { return };
    assert_eq!(installed, entries(&file("tables.dump")));
    let all = fabric.lids.keys().copied().collect();
    assert_eq!(fabric.follow(&[&installed], &all), Found { lost: 0, is_cyclic: false });
}

/// Wrong if a command of the hour in docs/INFINIBAND.md failed on the fabric, or did not end as the page says. All
/// its blocks are run as they stand, one after the other in one folder, OpenSM's tools in a simulated subnet; the
/// comparison of all routings, which takes a minute, only with `SIMNET_THOROUGH=1`.
#[test]
fn the_hour_is_as_told() {
    let Some(path) = dump() else { return };
    let Some(subnet) = Subnet::start(&path) else { return };
    let Some(tools) = subnet.tools(&["opensm", "ibnetdiscover", "dump_lfts"]) else { return };
    let room = tempfile::tempdir().unwrap();
    let Some(_) = sweep(&subnet, &room.path().join("before"), &["-R", "minhop"]) else { return };
    let page = page("docs/INFINIBAND.md");
    let (mut functions, mut printed) = (tools, Vec::new());
    let blocks = texts(&page, "sh fabric");
    for block in &blocks {
        let is_due = |line: &&str| cases(20) == 20 || !line.starts_with("simnet route compare");
        let due: String = block.lines().filter(is_due).flat_map(|line| [line, "\n"]).collect();
        printed.push(followed("docs/INFINIBAND.md", &format!("{functions}{due}"), room.path()));
        // What one block defines is used in the next.
        let defined = block.lines().filter(|line| line.contains("() {"));
        functions.extend(defined.flat_map(|line| [line, "\n"]));
    }
    let [saved, judged, made, checked, installed, verified, back] = &printed[..] else {
        panic!("{printed:#?}")
    };
    assert_eq!(saved, "");
    assert!(judged.contains("deadlock, all classes of nodes   possible: a cycle"), "{judged}");
    assert!(made.contains("unreachable pairs                0\n"), "{made}");
    assert!(checked.contains("40 aggregation nodes included, 338142 pairs, 0 without a route"), "{checked}");
    assert!(checked.contains("of 338142 pairs of hosts: all of their dependencies"), "{checked}");
    assert!(installed.contains("file tables configured on all switches"), "{installed}");
    assert!(
        verified.contains("40 aggregation nodes included, 338142 pairs, 0 without a route"),
        "{verified}"
    );
    assert!(back.contains("file tables configured on all switches"), "{back}");
    // The same by the file of options.
    let [options] = texts(&page, "text opensm.conf")[..] else { panic!("one file of options") };
    let here = options.replace("/etc/opensm", room.path().to_str().unwrap());
    fs::write(room.path().join("opensm.conf"), here).unwrap();
    let folder = room.path().join("by-options");
    let conf = room.path().join("opensm.conf");
    let Some(log) = sweep(&subnet, &folder, &["-F", conf.to_str().unwrap()]) else { return };
    assert!(log.contains(" file tables configured on all switches"), "{log}");
    assert_eq!(entries(&folder.join("opensm-lfts.dump")), entries(&room.path().join("tables.dump")));
}
