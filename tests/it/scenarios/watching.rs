//! Runs that are recorded: their results are those of runs that are not, and the log shows what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use serde_json::json;
use simnet::ids::Node;
use simnet::scenario::{self, Checked, Overrides};
use simnet::simulation::{self, Run};
use simnet::topology::formats::{Format, write};
use simnet::topology::{End, Network};
use simnet::trace::{Bounds, Event, EventKind, LogEntry, Message, Reader, Recorder, Scene};

/// A run of every kind that is recorded, with the kinds of its scenes.
const RUNS: [(&str, &[&str], &str); 7] = [
    (
        "load points",
        &["point", "point"],
        "topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2, seed = 1 }
         routing = { algorithm = 'updown', select = 'random' }
         traffic.uniform = { payload = '32 B', loads = [0.01, 0.2] }
         measure.messages = 1000",
    ),
    (
        "deadlocks",
        &["point"],
        "topology.ring = { switches = 4, hosts-per-switch = 2 }
         routing.algorithm = 'minimal'
         fabric.deadlock-timeout = '100 us'
         traffic.uniform = { payload = '512 B', loads = [0.5] }
         measure = { warmup = '0 ns', messages = 300 }",
    ),
    ("a map", &["mapping"], "topology.preset = 'now-c'\nmapping = { mapper = 'c-util', jitter = '5 %' }"),
    ("an election", &["mapping"], "topology.preset = 'now-c'\nmapping = { mode = 'election' }"),
    (
        "mappers in parallel",
        &["mapping"],
        "topology.preset = 'now-c'\nmapping = { mapper = 'c-util', algorithm = 'parallel' }",
    ),
    (
        "a mapping under load",
        &["mapping", "point"],
        "topology.preset = 'now-c'
         mapping = { mapper = 'c-util', load = 0.05, retries = 1 }
         routing = { algorithm = 'updown', root = 'far' }
         traffic.uniform = { payload = '512 B', loads = [0.02] }
         measure = { warmup = '0 ns', duration = '1 ms' }",
    ),
    (
        "an operation",
        &["operation"],
        "topology.preset = 'now-c'
         fabric.deadlock-timeout = '50 ms'
         mapping = { mapper = 'c-util', retries = 1 }
         routing = { algorithm = 'updown', root = 'far' }
         traffic.uniform = { payload = '512 B', loads = [0.002] }
         failures = [{ link = 'C1.0:5', at = '30 ms', lasting = '200 ms' }]
         operation = { length = '300 ms', backups = ['c00'], remap-period = 'never', interval = '100 ms' }",
    ),
];

fn checked(name: &str, text: &str) -> Checked {
    let checked = scenario::read(name, text.as_bytes(), &Overrides::default());
    checked.unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

fn of_text(name: &str, text: &str) -> Checked {
    checked(name, &format!("scenario = {{ name = 'recorded', seed = 7 }}\n{text}"))
}

/// Runs a scenario recorded; the run, and the scenes with their events as the log has them.
fn recorded(checked: &Checked) -> (Run, Vec<(Scene, Vec<Event>)>) {
    let recorder = Recorder::new(simulation::heading(checked), Bounds::default());
    let run = simulation::run(checked, &(), Some(&recorder)).unwrap();
    let mut log = Vec::new();
    recorder.write_log(&mut log).unwrap();
    let mut reader = Reader::new("log", Box::new(Cursor::new(log))).unwrap();
    let (mut scenes, mut events) = (Vec::new(), Vec::new());
    while let Some(item) = reader.read_entry().unwrap() {
        match item {
            LogEntry::Scene(_) => {}
            LogEntry::Event(event) => events.push(event),
            LogEntry::SceneEnd(scene) => scenes.push((scene, std::mem::take(&mut events))),
        }
    }
    (run, scenes)
}

/// Wrong if recording changed a result, if a scene were missing, or if messages of processes went by other names
/// than the processes give them.
#[test]
fn recorded_runs_are_the_same_runs() {
    for (name, kinds, text) in RUNS {
        let checked = of_text(name, text);
        let plain = simulation::run(&checked, &(), None).unwrap();
        let (run, scenes) = recorded(&checked);
        let summary = |run: &Run| serde_json::to_string(&run.summary).unwrap();
        assert_eq!(summary(&run), summary(&plain), "{name}");
        assert_eq!(run.files, plain.files, "{name}");
        assert_eq!(run.events, plain.events, "{name}");
        let found: Vec<&str> = scenes.iter().map(|(scene, _)| scene.kind.as_str()).collect();
        assert_eq!(found, kinds, "{name}");
        for (scene, events) in &scenes {
            whole(name, scene, events);
        }
        let failed = scenes
            .iter()
            .flat_map(|(_, events)| events)
            .any(|event| matches!(event.what, EventKind::Cable { up: false, .. }));
        assert_eq!(failed, name == "an operation");
    }
}

/// Checks that a scene can be what it says it is.
fn whole(name: &str, scene: &Scene, events: &[Event]) {
    assert!(events.is_sorted_by_key(|event| event.at), "{name}: in order of time");
    assert_eq!(scene.left_out > 0, events.len() as u64 == Bounds::default().most, "{name}");
    let mut sent: BTreeSet<(u32, &str, u64)> = BTreeSet::new();
    let mut names: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut started, mut received) = (0u64, 0u64);
    for event in events {
        match &event.what {
            EventKind::Send(Message { host, kind, nonce, .. }) => {
                sent.insert((host.0, kind, *nonce));
            }
            EventKind::Receive(_) => received += 1,
            EventKind::Start { name: worm, port, .. } => {
                started += 1;
                *names.entry(worm).or_default() += 1;
                if let [_, kind, nonce] = worm.split(' ').collect::<Vec<_>>()[..] {
                    let Node::Host(host) = port.node else { panic!("hosts send") };
                    let key = (host.0, kind, nonce.parse().unwrap());
                    assert!(sent.contains(&key), "{name}: {worm} starts and was not sent");
                } else {
                    assert!(worm.contains('#'), "{name}: {worm}");
                }
            }
            _ => {}
        }
    }
    assert!(started > 0, "{name}");
    assert_eq!(scene.kind != "point", !sent.is_empty() && received > 0, "{name}: processes");
    let twice: Vec<_> = names.iter().filter(|(worm, count)| worm.contains('#') && **count > 1).collect();
    assert!(twice.is_empty(), "{name}: {twice:?}");
}

/// Wrong if a deadlock during a mapping were not reported one by one, or otherwise in the log than in the summary.
#[test]
fn deadlocks_beside_a_mapper_have_names() {
    let place = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/zoo/scout.toml");
    let text = std::fs::read_to_string(&place).unwrap();
    let checked = checked(place.to_str().unwrap(), &text);
    let (run, scenes) = recorded(&checked);
    let map = run.summary.stages().unwrap().map.as_ref().unwrap();
    let [deadlock] = &map.deadlocks[..] else { panic!("{:?}", map.deadlocks) };
    assert_eq!(map.losses.deadlocks, 1);
    assert!(
        deadlock.worms.iter().all(|worm| worm.contains('#')),
        "the scout holds nothing: {:?}",
        deadlock.worms
    );
    let (scene, events) = &scenes[0];
    assert_eq!(scene.kind, "mapping");
    let mut names = Vec::new();
    for event in events {
        match &event.what {
            EventKind::Start { name, .. } => names.push(name.clone()),
            EventKind::Deadlock { nth: 0, members } => {
                assert!(
                    (event.at.since(simnet::units::Time::ZERO).as_ns_f64() - deadlock.formed_ns).abs() < 1e-6
                );
                let listed: BTreeSet<&str> =
                    members.iter().map(|(worm, ..)| names[*worm as usize].as_str()).collect();
                let wanted: BTreeSet<&str> = deadlock.worms.iter().map(String::as_str).collect();
                assert!(listed.is_superset(&wanted), "{listed:?}");
                assert!(listed.iter().any(|worm| worm.starts_with("h1 ")), "the scout waits: {listed:?}");
            }
            _ => {}
        }
    }
    let cleared = |event: &&Event| matches!(event.what, EventKind::Clear { nth: 0, .. });
    assert_eq!(events.iter().filter(cleared).count(), usize::from(deadlock.cleared_by.is_some()));
}

/// Wrong if deadlocks that form in one cycle went by other numbers in the log than in the summary.
#[test]
fn deadlocks_of_one_instant_are_numbered_as_in_the_summary() {
    const RINGS: usize = 4;
    const SWITCHES: usize = 5;
    let (mut switches, mut hosts, mut links, mut messages) =
        (Vec::new(), Vec::new(), Vec::new(), String::new());
    let cable = |a: &str, a_port: u8, b: &str, b_port: u8| json!({"a": a, "a_port": a_port, "b": b, "b_port": b_port});
    for ring in 0..RINGS {
        for nth in 0..SWITCHES {
            let at =
                |nth: usize| (format!("r{ring}s{}", nth % SWITCHES), format!("r{ring}h{}", nth % SWITCHES));
            let ((switch, host), (next, _), (_, opposite)) = (at(nth), at(nth + 1), at(nth + 2));
            switches.push(json!({"name": switch, "ports": 3}));
            hosts.push(json!({"name": host}));
            links.push(cable(&host, 0, &switch, 0));
            links.push(cable(&switch, 1, &next, 2));
            messages += &format!("{host},0,{host},{opposite},3000\n");
        }
    }
    let network = json!({
        "format": "simnet-topology/1", "name": "rings", "switches": switches, "hosts": hosts, "links": links
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rings.json"), network.to_string()).unwrap();
    let header = "message,time_ns,source,destination,payload_bytes\n";
    std::fs::write(folder.path().join("rings.csv"), format!("{header}{messages}")).unwrap();
    let text = "scenario.name = 'rings'\ntopology.file = 'rings.json'\nrouting = { algorithm = 'minimal', select = \
                'first' }\nfabric.deadlock-timeout = '1 ms'\ntraffic.trace.file = 'rings.csv'\n";
    let (run, scenes) = recorded(&checked(folder.path().join("rings.toml").to_str().unwrap(), text));
    let summary: Vec<&str> =
        run.summary.deadlocks().iter().map(|deadlock| deadlock.cycle[0].as_str()).collect();
    assert_eq!(summary, ["r0s0:1", "r1s0:1", "r2s0:1", "r3s0:1"]);
    let (_, events) = &scenes[0];
    let (mut formed, mut cleared) = (Vec::new(), Vec::new());
    for event in events {
        match &event.what {
            EventKind::Deadlock { nth, members } => formed.push((*nth as usize, members[0].1.node)),
            EventKind::Clear { nth, output } => cleared.push((*nth as usize, output.node)),
            _ => {}
        }
    }
    // Switches of a ring come one after the other.
    let ring = |node: Node| match node {
        Node::Switch(id) => id.index() / SWITCHES,
        Node::Host(_) => panic!("no host is in a deadlock"),
    };
    assert_eq!(formed.iter().map(|(nth, _)| *nth).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(formed.iter().all(|(nth, node)| ring(*node) == *nth), "{formed:?}");
    assert!(cleared.len() == RINGS && cleared.iter().all(|(nth, node)| ring(*node) == *nth), "{cleared:?}");
}

/// Wrong if the routes of one part of a network went to the hosts of another that elects a mapper of its own.
#[test]
fn parts_that_elect_their_own_mappers_have_their_own_routes() {
    let parts = [[2, 3], [2, 2], [3, 2]];
    for (nth, (parts, seed)) in
        parts.iter().flat_map(|parts| (0..4).map(move |seed| (parts, seed))).enumerate()
    {
        let mut network = Network::new("parts");
        for (part, hosts) in parts.iter().enumerate() {
            let switch = network.add_switch(format!("s{part}"), 8).unwrap();
            for host in 0..*hosts {
                let host_id = network.add_host(format!("h{part}-{host}")).unwrap();
                network.connect(End::host(host_id, 0), End::switch(switch, 2 * host)).unwrap();
            }
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("net.json"), write(&network, Format::Json)).unwrap();
        let distribute = nth % 2 == 0;
        let text = format!(
            "scenario = {{ name = 's', seed = {seed} }}\ntopology.file = 'net.json'\nmapping.mode = 'election'\n\
             routing = {{ algorithm = 'updown', distribute = {distribute} }}\n\
             traffic.uniform = {{ payload = '32 B', loads = [0.01] }}\nmeasure = {{ messages = 100, warmup = '1 us' }}"
        );
        let file = folder.path().join("s.toml");
        let checked = scenario::read(&file, text.as_bytes(), &Overrides::default()).unwrap();
        let run = simulation::run(&checked, &(), None).unwrap();
        let summary = serde_json::to_value(&run.summary).unwrap();
        let point = &summary["points"][0];
        assert_eq!(point["delivered"], point["sent"], "{parts:?}, seed {seed}: {point}");
        assert!(point["sent"].as_u64() > Some(0), "{parts:?}, seed {seed}: {point}");
        assert_eq!(summary["route"]["verdict"], "acyclic", "{parts:?}, seed {seed}");
        assert_eq!(summary["route"]["lanes"], 1);
    }
}
