//! The deadlock zoo, `scenarios/zoo`: every case shows what it says it shows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use simnet::topology::{End, Network};
use simnet::trace::{Event, EventKind, LogEntry, Reader, Scene};

use crate::simnet;

/// The file of a case.
fn file(case: &str) -> String {
    format!("scenarios/zoo/{case}")
}

/// The names of all cases.
fn cases() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/zoo");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let scenarios = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let mut names: Vec<String> = scenarios.map(|path| stem(&path)).collect();
    names.sort();
    names
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The cases that end in a deadlock which nothing recovers.
const ENDS_STUCK: [&str; 6] =
    ["credit-ring", "credit-ring-managed", "for-ever", "pfc-clos", "pfc-loop", "pfc-ring"];

/// A case that has been run, whole.
struct Shown {
    summary: Value,
    code: Option<i32>,
    /// What was printed on stderr.
    stderr: String,
    room: tempfile::TempDir,
}

fn shown(case: &str, more: &[&str]) -> Shown {
    let room = tempfile::tempdir().unwrap();
    let (scenario, out) = (file(&format!("{case}.toml")), room.path().join("out"));
    let fixed = ["run", &scenario, "--quiet", "--format", "json", "--out", out.to_str().unwrap()];
    let output = simnet(&[&fixed, more].concat());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{case}: {stderr}"));
    Shown { summary, code: output.status.code(), stderr, room }
}

impl Shown {
    fn out(&self) -> PathBuf {
        self.room.path().join("out")
    }

    /// Messages by what became of them, as `deliveries.csv` has it.
    fn states(&self) -> BTreeSet<(String, String)> {
        let csv = fs::read_to_string(self.out().join("deliveries.csv")).unwrap();
        let rows = csv.lines().skip(1).map(|line| line.split(','));
        rows.map(|mut cells| (cells.next().unwrap().to_owned(), cells.next().unwrap().to_owned())).collect()
    }
}

/// Whether routes can deadlock, in the judgement of `simnet route check`.
fn can_deadlock(network: &str, routes: &str) -> bool {
    let (network, routes) = (file(network), file(routes));
    let output = simnet(&["route", "check", &network, "--routes", &routes, "--format", "json"]);
    let judged: Value = serde_json::from_slice(&output.stdout).unwrap();
    !judged["dependency_cycle"].is_null()
}

#[test]
fn every_case_ends_as_it_says() {
    // Wrong if a case of the zoo missed what it expects, had nothing to explain, or ended with another exit code.
    let cases = cases();
    let of_worms = ["cable", "credit-loops", "for-ever", "jam", "mixed-tables", "own-tail", "ring", "scout"];
    for wanted in of_worms.into_iter().chain(["pfc-clos", "pfc-loop", "pfc-ring", "pfc-watchdog"]) {
        assert!(cases.iter().any(|case| case == wanted), "no {wanted}");
    }
    for case in cases {
        let shown = shown(&case, &[]);
        let text = fs::read_to_string(file(&format!("{case}.toml"))).unwrap();
        assert!(!shown.stderr.contains("error"), "{case}: {}", shown.stderr);
        assert_eq!(
            shown.code,
            Some(if ENDS_STUCK.contains(&&*case) { 4 } else { 0 }),
            "{case}: {}",
            shown.stderr
        );
        let description = text.lines().find_map(|line| line.strip_prefix("description = "));
        assert!(description.is_some_and(|text| text.matches(". ").count() >= 1), "{case}: a sentence or two");
        assert!(text.contains("deadlock"), "{case}");
    }
}

#[test]
fn the_proof_knew_it() {
    // Wrong if something that does deadlock were judged free of deadlock, or if mixing were not what makes it possible.
    for (network, routes, cyclic) in [
        ("square.json", "tables-old.routes", false),
        ("square.json", "tables-new.routes", false),
        ("square.json", "mixed-tables.routes", true),
        ("square.json", "scout.routes", false),
        ("triangle.json", "own-tail.routes", true),
    ] {
        assert_eq!(can_deadlock(network, routes), cyclic, "{routes}");
    }
    for case in
        ["ring", "cable", "for-ever", "jam", "credit-loops", "credit-ring", "own-tail", "mixed-tables"]
    {
        let shown = shown(case, &[]);
        assert!(shown.summary["route"]["dependency_cycle"].is_array(), "{case}");
    }
}

/// Wrong if the next hops of an Ethernet that deadlocks were not warned of before, the circle that closes were not the
/// one that the proof names, or a case that is mended were warned of as well.
#[test]
fn the_proof_of_next_hops_knew_it() {
    for (case, cyclic) in [
        ("pfc-clos", true),
        ("pfc-clos-updown", false),
        ("pfc-loop", true),
        ("pfc-loop-slow", true),
        ("pfc-ring", true),
        ("pfc-ring-updown", false),
        ("pfc-watchdog", true),
    ] {
        let checked = simnet(&["check", &file(&format!("{case}.toml"))]);
        assert_eq!(checked.status.code(), Some(0), "{case}");
        let warned = String::from_utf8_lossy(&checked.stderr).contains("a circle of paused queues can close");
        let summary = shown(case, &[]).summary;
        let proved = &summary["allgather"]["pauses"]["dependency_cycle"];
        assert_eq!((warned, proved.is_array()), (cyclic, cyclic), "{case}");
        for deadlock in summary["deadlocks"].as_array().unwrap() {
            let ports = |queue: &Value| queue.as_str().unwrap().strip_suffix("/3").unwrap().to_owned();
            let formed: Vec<String> = deadlock["cycle"].as_array().unwrap().iter().map(ports).collect();
            let turned = |by: usize| json!([&formed[by..], &formed[..by]].concat()) == *proved;
            assert!((0..formed.len()).any(turned), "{case}: {formed:?}, {proved:?}");
        }
    }
    let (network, routes) = (file("clos.json"), file("pfc-clos.routes"));
    let output = simnet(&["route", "check", &network, "--routes", &routes]);
    assert_eq!(output.status.code(), Some(1), "paths that bounce are refused by `route check`");
}

/// Wrong if pauses that can run out before they are said again were not warned of, or those were that cannot: twice the
/// longest frame of 1,518 B with preamble and gap are 3,076 byte times, 48 quanta of 64 are fewer and 49 are enough.
#[test]
fn short_quanta_are_warned_of() {
    let text = fs::read_to_string("scenarios/pfc-ring.toml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pauses.toml");
    for (quanta, is_short) in [(3, true), (48, true), (49, false), (65_535, false)] {
        let given = format!("flow = \"pfc\"\nquanta = {quanta}");
        fs::write(&path, text.replace("flow = \"pfc\"", &given)).unwrap();
        let checked = simnet(&["check", path.to_str().unwrap()]);
        let err = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert_eq!(checked.status.code(), Some(0), "{err}");
        assert_eq!(
            err.contains("warning[short-quanta]") && err.contains("49 quanta are enough"),
            is_short,
            "{err}"
        );
    }
}

/// Wrong if a message all of which has left its host, and that waits in a deadlock of pauses, were called lost.
#[test]
fn what_waits_in_a_deadlock_of_pauses_is_not_lost() {
    let keys = ["allgather.size=1400 B", "allgather.protocol=eager", "topology.torus.hosts-per-switch=6"];
    let marks = ["ethernet.xoff=1000 B", "ethernet.xon=0 B"];
    let sets: Vec<&str> = keys.iter().chain(&marks).flat_map(|key| ["--set", *key]).collect();
    let shown = shown("../pfc-ring", &sets);
    assert_eq!((&shown.summary["outcome"], shown.code), (&json!("deadlocked"), Some(4)));
    let gathered = &shown.summary["allgather"];
    assert_eq!((&gathered["messages_lost"], &gathered["pauses"]["frames_starved"]), (&json!(0), &json!(0)));
    assert!(shown.stderr.contains("never filled, 0 messages were lost"), "{}", shown.stderr);
}

#[test]
fn a_deadlock_closes_a_cycle_that_the_proof_has() {
    // Wrong if what closed were not what the proof warned of; of several cycles the proof names a shortest.
    for case in ["ring", "cable", "for-ever", "credit-loops", "credit-ring", "own-tail", "mixed-tables"] {
        let summary = shown(case, &[]).summary;
        let formed = summary["deadlocks"][0]["cycle"].as_array().unwrap();
        let proved = summary["route"]["dependency_cycle"].as_array().unwrap();
        let turned = |by: usize| formed[by..].iter().chain(&formed[..by]).eq(proved);
        assert!((0..formed.len()).any(turned), "{case}: {formed:?}, {proved:?}");
    }
}

#[test]
fn each_table_alone_carries_what_the_mix_does_not() {
    // Wrong if it were the messages, or one of the tables, that deadlock, and not their being mixed.
    for table in ["tables-old", "tables-new"] {
        let routes = format!("routing.file={table}.routes");
        let summary = shown("mixed-tables", &["--set", &routes]).summary;
        assert_eq!(summary["deadlock_count"], 0, "{table}");
        assert_eq!(summary["route"]["dependency_cycle"], Value::Null, "{table}");
        assert_eq!(summary["points"][0]["delivered"], 8, "{table}");
        assert_eq!(summary["points"][0]["resets"], 0, "{table}");
    }
    let lines = |name: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file(name))).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let (old, new, mixed) =
        (lines("tables-old.routes"), lines("tables-new.routes"), lines("mixed-tables.routes"));
    let of = |hosts: [&str; 2], table: &BTreeSet<String>| -> BTreeSet<String> {
        let of_them =
            |line: &&String| hosts.iter().any(|host| line.starts_with(&format!("{{\"src\": \"{host}\"")));
        table.iter().filter(of_them).cloned().collect()
    };
    assert_eq!(mixed, &of(["h0", "h3"], &old) | &of(["h1", "h2"], &new));
    assert_eq!(lines("scout.routes"), old);
}

#[test]
fn the_tables_are_what_route_writes() {
    // Wrong if the tables were not those of UP*/DOWN* from the two roots.
    let room = tempfile::tempdir().unwrap();
    for (root, name) in [("s0", "tables-old.routes"), ("s2", "tables-new.routes")] {
        let out = room.path().join(name);
        let network = file("square.json");
        let output = simnet(&["route", &network, "--root", root, "--routes", out.to_str().unwrap()]);
        assert!(output.status.success());
        let ours = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file(name))).unwrap();
        assert!(fs::read(out).unwrap() == ours, "{name}");
    }
}

#[test]
fn a_time_to_live_ends_what_waits_for_ever() {
    // Wrong if the key did not reach the interfaces, counted from another instant than the worm's start, or if `never`
    // were not the same as no key.
    let with = |life: &str| shown("for-ever", &["--set", &format!("hosts.time-to-live={life}")]);
    let short = with("100 us");
    let lost: Vec<_> = short.states().into_iter().filter(|(_, state)| state != "delivered").collect();
    assert_eq!(lost, [("worm-5".to_owned(), "expired".to_owned())]);
    assert_eq!(short.summary["points"][0]["expired"], 1);
    assert_eq!(short.summary["deadlocks"][0]["cleared_ns"], 105_000.0, "the worms start at 5 us");
    assert_eq!(with("never").summary, shown("for-ever", &[]).summary);
}

#[test]
fn one_reset_is_enough_for_the_ring() {
    // Wrong if the ring's reset destroyed more than the one worm that the lesson is about.
    let lost = |(_, state): &(String, String)| state != "delivered";
    let states = shown("ring", &[]).states();
    assert_eq!(states.len(), 8);
    let lost: Vec<_> = states.into_iter().filter(lost).collect();
    assert_eq!(lost, [("worm-5".to_owned(), "reset".to_owned())]);
}

#[test]
fn a_jam_is_no_deadlock() {
    // Wrong if waiting in a line were taken for waiting in a circle, even where nothing would ever be reset.
    let summary = shown("jam", &["--set", "fabric.deadlock-timeout=\"never\""]).summary;
    assert_eq!(summary["deadlock_count"], 0);
    assert_eq!(summary["outcome"], "drained");
}

// --- the event log says the same ---------------------------------------------------------------------------------

/// How ports stand at an instant, rebuilt from events alone.
#[derive(Default)]
struct Standing {
    /// The worms in each input port, the front first.
    queues: BTreeMap<End, VecDeque<u32>>,
    /// The input port from which the worm goes that holds an output.
    holders: BTreeMap<End, End>,
    /// The output that the head in front of an input port waits for.
    waits: BTreeMap<End, End>,
    /// The input ports that sent STOP, and no GO since.
    stopped: BTreeSet<End>,
    /// The output ports that obey a pause, by priority.
    paused: BTreeSet<(End, u8)>,
}

impl Standing {
    fn apply(&mut self, what: &EventKind) {
        match *what {
            EventKind::Arrive { worm, port } => self.queues.entry(port).or_default().push_back(worm),
            EventKind::Wait { input, output, .. } => {
                self.waits.insert(input, output);
            }
            EventKind::Grant { input, output, .. } => {
                self.waits.remove(&input);
                self.holders.insert(output, input);
            }
            EventKind::Release { input, output, worm } => {
                self.holders.remove(&output);
                let queue = self.queues.entry(input).or_default();
                if let Some(at) = queue.iter().position(|one| *one == worm) {
                    queue.remove(at);
                }
            }
            EventKind::End { worm, .. } => {
                self.queues.values_mut().for_each(|queue| queue.retain(|one| *one != worm))
            }
            EventKind::Control { port, stop: true } => {
                self.stopped.insert(port);
            }
            EventKind::Control { port, stop: false } => {
                self.stopped.remove(&port);
            }
            EventKind::Pause { port, obeyed: true, says } => {
                for priority in (0..8).filter(|priority| says.priorities >> priority & 1 == 1) {
                    if says.paused >> priority & 1 == 1 {
                        self.paused.insert((port, priority));
                    } else {
                        self.paused.remove(&(port, priority));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the worm in front of `member` waits for the one in front of `next`: for its output, since it is stopped
    /// there, or, on one lane, for credits.
    fn waits(&self, network: &Network, member: (u32, End, End), next: (u32, End, End)) -> bool {
        let ((worm, input, output), (_, next, _)) = (member, next);
        let is_in_front = self.queues.get(&input).and_then(VecDeque::front) == Some(&worm);
        let for_output = self.waits.get(&input) == Some(&output) && self.holders.get(&output) == Some(&next);
        let is_stopped = self.holders.get(&output) == Some(&input)
            && network.peer(output) == Some(next)
            && self.stopped.contains(&next);
        is_in_front && (for_output || is_stopped || self.waits_for_credits(network, member, next))
    }

    /// Whether a packet waits for room in the buffer that `next` is.
    fn waits_for_credits(&self, network: &Network, (_, input, output): (u32, End, End), next: End) -> bool {
        self.waits.get(&input) == Some(&output) && network.peer(output) == Some(next)
    }
}

/// A log's events, scene by scene.
fn scenes(log: &Path) -> (Network, Vec<(Scene, Vec<Event>)>) {
    let mut reader = Reader::open(log).unwrap();
    let network = reader.heading().network.clone();
    let mut scenes: Vec<(Scene, Vec<Event>)> = Vec::new();
    while let Some(item) = reader.read_entry().unwrap() {
        match item {
            LogEntry::Scene(scene) => scenes.push((scene, Vec::new())),
            LogEntry::Event(event) => scenes.last_mut().unwrap().1.push(event),
            LogEntry::SceneEnd(_) => {}
        }
    }
    (network, scenes)
}

fn port_name(network: &Network, end: End) -> String {
    format!("{}:{}", network.name_of(end.node), end.port)
}

fn ns(event: &Event) -> f64 {
    event.at.as_ps() as f64 / 1e3
}

/// A deadlock of a scene as its events have it.
struct Circle {
    formed_ns: f64,
    /// The outputs that are held, as summaries name them.
    outputs: Vec<String>,
    worms: Vec<String>,
    cleared: Option<(f64, String)>,
}

/// The deadlocks of a scene, each proved to be one from the events before it, and its end to have a reason.
fn circles(network: &Network, events: &[Event]) -> Vec<Circle> {
    let (mut standing, mut names, mut circles) = (Standing::default(), BTreeMap::new(), Vec::new());
    for (nth, event) in events.iter().enumerate() {
        standing.apply(&event.what);
        match &event.what {
            EventKind::Start { worm, name, .. } => {
                names.insert(*worm, name.clone());
            }
            EventKind::Deadlock { nth, members } => {
                assert_eq!(*nth as usize, circles.len());
                let next = members.iter().cycle().skip(1);
                for (member, next) in members.iter().zip(next) {
                    assert!(standing.waits(network, *member, *next), "{member:?} does not wait for {next:?}");
                }
                let next = members.iter().cycle().skip(1);
                let holds = |(member, next): &(&(u32, End, End), &(u32, End, End))| {
                    standing.holders.get(&member.2) == Some(&member.1)
                        || standing.waits_for_credits(network, **member, next.1)
                };
                let holders: Vec<_> =
                    members.iter().zip(next).filter(holds).map(|(member, _)| member).collect();
                circles.push(Circle {
                    formed_ns: ns(event),
                    outputs: holders.iter().map(|member| port_name(network, member.2)).collect(),
                    worms: holders.iter().map(|member| names[&member.0].clone()).collect(),
                    cleared: None,
                });
            }
            EventKind::Circle { nth, priority, members } => {
                assert_eq!(*nth as usize, circles.len());
                for ((_, output), (next, _)) in members.iter().zip(members.iter().cycle().skip(1)) {
                    assert!(standing.paused.contains(&(*output, *priority)), "{output:?} may send");
                    assert_eq!(network.peer(*output), Some(*next), "{output:?} is paused by {next:?}");
                }
                let queue = |(_, output): &(End, End)| format!("{}/{priority}", port_name(network, *output));
                circles.push(Circle {
                    formed_ns: ns(event),
                    outputs: members.iter().map(queue).collect(),
                    worms: Vec::new(),
                    cleared: None,
                });
            }
            // A watchdog takes what is paused.
            EventKind::Clear { nth: which, output }
                if standing.paused.iter().any(|(end, _)| end == output) =>
            {
                let priority = standing.paused.iter().find(|(end, _)| end == output).unwrap().1;
                let queue = format!("{}/{priority}", port_name(network, *output));
                circles[*which as usize].cleared = Some((ns(event), queue));
            }
            EventKind::Clear { nth: which, output } => {
                let now = events.iter().filter(|other| other.at == event.at);
                let link = network.link_at(*output);
                let has_reason = now.clone().any(|other| match &other.what {
                    EventKind::Reset { output: at, .. } => at == output,
                    EventKind::Cable { link: failed, up: false } => Some(*failed) == link,
                    _ => false,
                });
                assert!(has_reason, "event {nth}: nothing breaks the deadlock");
                circles[*which as usize].cleared = Some((ns(event), port_name(network, *output)));
            }
            _ => {}
        }
    }
    circles
}

#[test]
fn the_log_proves_every_deadlock_and_its_end() {
    // Wrong if the circle that a summary names were none in the log: someone in it could move, or nothing broke it.
    for case in cases() {
        let room = tempfile::tempdir().unwrap();
        let log = room.path().join("events.simlog");
        let summary = shown(&case, &["--trace", log.to_str().unwrap()]).summary;
        let (network, scenes) = scenes(&log);
        let mapping = summary["map"]["deadlocks"].as_array().cloned().unwrap_or_default();
        let locks_while_mapped = ["credit-ring-managed", "scout"].contains(&&*case);
        assert_eq!(mapping.len(), usize::from(locks_while_mapped), "{case}");
        for (scene, events) in &scenes {
            let is_mapping = scene.kind == "mapping";
            let listed = if is_mapping { &mapping } else { summary["deadlocks"].as_array().unwrap() };
            let found = circles(&network, events);
            assert_eq!(found.len(), listed.len(), "{case}");
            for (circle, listed) in found.iter().zip(listed) {
                assert_eq!(json!(circle.outputs), listed["cycle"], "{case}");
                assert_eq!(json!(circle.worms), listed["worms"], "{case}");
                assert_eq!(json!(circle.formed_ns), listed["formed_ns"], "{case}");
                let cleared = circle.cleared.clone();
                assert_eq!(json!(cleared.as_ref().map(|(at, _)| at)), listed["cleared_ns"], "{case}");
                assert_eq!(json!(cleared.map(|(_, output)| output)), listed["cleared_by"], "{case}");
            }
        }
    }
}

#[test]
fn a_scout_takes_part_in_its_deadlock() {
    // Wrong if the scout's deadlock were one of applications alone, or if it came from the mapper's host by chance.
    let room = tempfile::tempdir().unwrap();
    let log = room.path().join("events.simlog");
    shown("scout", &["--trace", log.to_str().unwrap()]);
    let (network, scenes) = scenes(&log);
    let (_, events) = scenes.iter().find(|(scene, _)| scene.kind == "mapping").unwrap();
    let deadlock = |event: &Event| match &event.what {
        EventKind::Deadlock { members, .. } => Some((event.at, members.clone())),
        _ => None,
    };
    let (formed, members) = events.iter().find_map(deadlock).unwrap();
    let sender = |worm: u32| {
        let start = |event: &Event| match &event.what {
            EventKind::Start { worm: one, port, .. } if *one == worm => {
                Some(network.name_of(port.node).to_owned())
            }
            _ => None,
        };
        events.iter().find_map(start).unwrap()
    };
    let senders: BTreeSet<String> = members.iter().map(|(worm, ..)| sender(*worm)).collect();
    // h1 sends nothing but the mapper's messages.
    assert!(senders.contains("h1") && senders.len() > 1, "{senders:?}");
    let mapper = network.find_host("h1").unwrap();
    let mut before = events.iter().rev().skip_while(|event| event.at >= formed);
    let asked = |event: &Event| match &event.what {
        EventKind::Send(message) if message.host == mapper => Some(message.kind.clone()),
        _ => None,
    };
    let last = before.find_map(asked).unwrap();
    assert!(last.contains("probe"), "{last}");
}
