//! The replay of the report: its model in JavaScript, run under node, against a straightforward one that applies all
//! events from the first for every question; against the fabric itself; and within its bounds.

mod straight;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use simnet::fabric::{Cause, FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters};
use simnet::ids::{HostId, LinkId, Port, SwitchId, Turn};
use simnet::page::replay::{Encoded, decode, encode, log_data};
use simnet::topology::{End, Network};
use simnet::trace::{
    Bounds, Event, EventKind, Heading, LogEntry, Message, Reader, Recorder, Scene, WormNames,
};
use simnet::units::{Duration, Time};
use tempfile::TempDir;

use straight::{CYCLE_PS, state};
use support_media::engine::{Engine, Manner};
use support_media::oracle::{self, Case, Oracle};
use support_media::random_case::random_case;
use support_network::{cases, peer};

/// Events that a page holds at most.
const SHOWN: usize = 100_000;

/// Runs a case whole and leaves its log.
fn record(case: &Case, folder: &Path, name: impl Fn(u64) -> String + Send) -> PathBuf {
    let heading = Heading {
        scenario: "case".to_owned(),
        network: case.network.clone(),
        base_cycle: Duration::from_ps(CYCLE_PS),
        stop: case.parameters.switch.stop,
        buffer: case.parameters.switch.buffer,
        ..Heading::default()
    };
    let recorder = Recorder::new(heading, Bounds { most: u64::MAX / 4, ..Bounds::default() });
    let scene = Scene { kind: "point".to_owned(), point: Some(0), ..Scene::default() };
    let mut recording = recorder.open(scene, WormNames::new(move |worm| name(worm.tag)));
    Engine::new(case, Manner::default()).run_watched(case.horizon, &mut recording);
    recorder.close(recording);
    let path = folder.join("events.simlog");
    recorder.write_log(&mut fs::File::create(&path).unwrap()).unwrap();
    path
}

fn events(log: &Path) -> Vec<Event> {
    let mut reader = Reader::open(log).unwrap();
    let mut events = Vec::new();
    while let Some(item) = reader.read_entry().unwrap() {
        if let LogEntry::Event(event) = item {
            events.push(event);
        }
    }
    events
}

fn cycle(event: &Event) -> u64 {
    event.at.as_ps() / CYCLE_PS
}

/// Lets the model under node do `jobs`; `None` where there is no node.
fn driven(data: &Value, jobs: &Value) -> Option<Value> {
    let node = peer("node")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new(node)
        .arg(root.join("tests/it/pages/replay/drive.js"))
        .arg(root.join("src/output/page/assets/replay-model.js"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({"data": data, "jobs": jobs}).to_string();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Without what is only compared with the fabric.
fn plain(mut state: Value) -> Value {
    let fields = state.as_object_mut().unwrap();
    fields.remove("rows");
    fields.remove("cables");
    fields.remove("frames");
    state
}

/// Wrong if a seek, forwards or backwards, by keyframes or event by event, came to another state than all events from
/// the first; if an event were lost or changed on its way through the page; or if a seek cost more than it may.
#[test]
fn seeks_come_to_the_state_that_all_events_from_the_first_make() {
    let mut seen = BTreeMap::new();
    for seed in 0..cases(400) {
        let case = random_case(seed);
        let folder = TempDir::new().unwrap();
        let log = record(&case, folder.path(), |tag| format!("#{tag}"));
        let all = events(&log);
        if all.is_empty() || all.len() > SHOWN {
            continue;
        }
        all.iter().for_each(|event| *seen.entry(event.what.name()).or_insert(0_u64) += 1);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let indices: Vec<usize> = (0..12).map(|_| rng.random_range(0..=all.len())).collect();
        let time = |index: usize| index.checked_sub(1).map_or(0, |last| cycle(&all[last]));
        let steps: Vec<Value> =
            indices.iter().map(|index| json!({"index": index, "time": time(*index)})).collect();
        let limits = json!({"every": 64, "perCall": 128});
        let data = log_data(&log).unwrap();
        let Some(done) = driven(&data, &json!([{"scene": 0, "limits": limits, "steps": steps}])) else {
            return;
        };
        for (index, theirs) in indices.iter().zip(done[0]["states"].as_array().unwrap()) {
            let ours = state(&case.network, &all, &all[..*index], time(*index));
            assert_eq!(plain(theirs.clone()), ours, "seed {seed}, after {index} of {} events", all.len());
        }
        assert!(done[0]["work"]["maxPerCall"].as_u64().unwrap() <= 128, "seed {seed}");
    }
    let kinds = [
        "start", "arrive", "wait", "grant", "release", "flow", "stop", "go", "reset", "deadlock", "clear",
        "end", "cable",
    ];
    println!("{seen:?}");
    assert!(kinds.iter().all(|kind| seen.contains_key(kind)), "not all kinds were seen: {seen:?}");
}

/// Compares the page's buffers at some cycles with those of the fabric and of the per-flit oracle.
#[derive(Default)]
struct Compared {
    buffers: u64,
    rows: u64,
    struck_rows: u64,
    struck_wrong: u64,
}

/// Wrong if a buffer were drawn with more or fewer flits than it holds, or with flits of another worm.
#[test]
fn buffers_hold_what_the_fabrics_do() {
    let mut compared = Compared::default();
    for seed in 0..cases(600) {
        let case = random_case(seed);
        if case.parameters.links.iter().any(|link| link.period > 1) || case.parameters.host.receive.is_some()
        {
            continue;
        }
        let folder = TempDir::new().unwrap();
        let log = record(&case, folder.path(), |tag| tag.to_string());
        let all = events(&log);
        if all.is_empty() || all.len() > SHOWN {
            continue;
        }
        let last = all.last().map_or(0, cycle);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut stops: Vec<u64> = (0..12).map(|_| rng.random_range(1..=last.max(1))).collect();
        stops.sort_unstable();
        // As a cycle begins, nothing of it has happened.
        let steps: Vec<Value> = stops.iter().map(|stop| json!({"until": stop - 1, "time": stop})).collect();
        let data = log_data(&log).unwrap();
        let Some(done) = driven(&data, &json!([{"scene": 0, "steps": steps}])) else { return };
        let mut oracle = Oracle::new(&case);
        let mut engine = Engine::new(&case, Manner { unwatched: true, ..Manner::default() });
        for (stop, theirs) in stops.iter().zip(done[0]["states"].as_array().unwrap()) {
            oracle.run_until(*stop);
            engine.run_until(*stop);
            same_buffers(&case, &all, *stop, theirs, (&oracle, &engine), &mut compared)
                .unwrap_or_else(|fault| panic!("seed {seed}, cycle {stop}: {fault}"));
        }
    }
    let Compared { buffers, rows, struck_rows, struck_wrong } = compared;
    println!(
        "{buffers} buffers, {rows} rows of worms, {struck_wrong} of {struck_rows} wrong where worms were destroyed"
    );
    assert!(buffers > 500 && rows > 50, "{buffers} buffers, {rows} rows");
    assert!(struck_wrong * 20 <= struck_rows, "{struck_wrong} of {struck_rows} rows wrong");
}

fn same_buffers(
    case: &Case,
    all: &[Event],
    stop: u64,
    theirs: &Value,
    (oracle, engine): (&Oracle, &Engine),
    compared: &mut Compared,
) -> Result<(), String> {
    let is_struck = all.iter().take_while(|event| cycle(event) < stop).any(|event| {
        matches!(
            event.what,
            EventKind::Reset { .. } | EventKind::Cable { .. } | EventKind::End { fate: Err(_), .. }
        )
    });
    let ends = case.network.links().iter().flat_map(|link| [link.a, link.b]);
    for (number, end) in ends.enumerate() {
        let is_switch = matches!(end.node, simnet::ids::Node::Switch(_));
        if !is_switch {
            continue;
        }
        let key = number.to_string();
        let flits = theirs["buffers"][&key]["flits"].as_u64().unwrap_or(0);
        let held = u64::from(engine.fabric().occupancy(end));
        if flits != held {
            return Err(format!("place {number}: {flits} flits, not {held}"));
        }
        compared.buffers += 1;
        let ours: Vec<Value> =
            oracle.buffer(number ^ 1).iter().map(|(tag, count)| json!([tag.to_string(), count])).collect();
        let rows = theirs["rows"][&key].as_array().cloned().unwrap_or_default();
        if ours.is_empty() && rows.is_empty() {
            continue;
        }
        compared.rows += 1;
        compared.struck_rows += u64::from(is_struck);
        if rows != ours && !is_struck {
            return Err(format!("place {number}: {rows:?}, not {ours:?}"));
        }
        compared.struck_wrong += u64::from(is_struck && rows != ours);
    }
    Ok(())
}

/// A ring of switches with a host each, on which `each` messages of every host go three switches on; in the middle of
/// them all hosts send at once, and the ring locks.
fn ring(switches: usize, each: u64) -> Case {
    let mut network = Network::new("ring");
    for nth in 0..switches {
        network.add_switch(format!("s{nth}"), 4).unwrap();
        network.add_host(format!("h{nth}")).unwrap();
    }
    let end = |nth: usize, port| End::switch(SwitchId::new(nth % switches), port);
    for nth in 0..switches {
        network.connect(end(nth, 1), end(nth + 1, 0)).unwrap();
        network.connect(End::host(HostId::new(nth), 0), end(nth, 2)).unwrap();
    }
    let route = vec![Turn(-1), Turn(1), Turn(1), Turn(2)];
    let messages = (0..switches as u64).map(|host| {
        let message = |nth: u64| {
            // One after the other, but for the one in the middle.
            let alone = (nth * switches as u64 + host) * 700;
            let together = nth == each / 2;
            let created = if together { nth * switches as u64 * 700 } else { alone };
            let payload = if together { 400 } else { 60 };
            oracle::Message {
                created,
                payload,
                route: route.clone(),
                tag: nth * switches as u64 + host,
                time_to_live: None,
            }
        };
        (0..each).map(message).collect()
    });
    let messages = messages.collect();
    let links = vec![LinkTiming { period: 1, delay: 2 }; network.links().len()];
    let switch = SwitchParameters { timeout: Some(20_000), ..SwitchParameters::default() };
    let parameters = Parameters {
        base_cycle: Duration::from_ps(CYCLE_PS),
        switch,
        host: HostParameters::default(),
        links,
        flow: FlowControl::StopGo,
    };
    let horizon = each * switches as u64 * 700 + 1_000_000;
    Case {
        network,
        parameters,
        attachments: vec![Some(Port(0)); switches],
        messages,
        link_events: Vec::new(),
        horizon,
    }
}

/// Wrong if a page held more events than it may, or more bytes; if the deadlock were not in the middle; if what
/// stands at the window's beginning were not as it was; if any frame, at any speed or scrub, applied more events
/// than its bound; or if keyframes took more room than theirs.
#[test]
fn a_hundred_thousand_events_stay_bounded() {
    let case = ring(8, 1_000);
    let folder = TempDir::new().unwrap();
    let log = record(&case, folder.path(), |tag| format!("h{}#{}", tag % 8, tag / 8));
    let all = events(&log);
    let data = log_data(&log).unwrap();
    let scene = &data["scenes"][0];
    let number = |key: &str| usize::try_from(scene[key].as_u64().unwrap()).unwrap();
    let (count, before, first) = (number("count"), number("before"), number("first"));
    let size = data.to_string().len();
    println!(
        "{} events in the log, {count} shown from {first} on, {before} from before, {size} bytes",
        all.len()
    );
    assert!(all.len() > 120_000 && count == 100_000 && before > 0);
    assert!(size < 1_700_000, "{size} bytes");
    let deadlock = all.iter().position(|event| matches!(event.what, EventKind::Deadlock { .. })).unwrap();
    // In the middle, or as near to it as the end of the log allows.
    let wanted = (deadlock - count / 2).min(all.len() - count + before);
    assert!(wanted.abs_diff(first) < 1_000, "{deadlock}, window from {first}, not {wanted} of {}", all.len());

    // The window's first instants against the whole log: what was counted before it began is another matter.
    let same = [first, first + 1, first + 500, deadlock + 1, first + count - before - 1];
    let mut steps: Vec<Value> = same
        .iter()
        .map(|index| json!({"index": index - first + before, "time": cycle(&all[index - 1])}))
        .collect();
    steps.extend(frames(&all[first..first + count - before]));
    let jobs = json!([
        {"scene": 0, "steps": steps, "words": true},
        {"scene": 0, "limits": {"numbers": 20_000}, "steps": &steps[..same.len()]},
    ]);
    let Some(done) = driven(&data, &jobs) else { return };
    for job in 0..2 {
        for (index, theirs) in same.iter().zip(done[job]["states"].as_array().unwrap()) {
            same_window(&case, &all, *index, theirs);
        }
    }
    let work = &done[0]["work"];
    println!("{work}, {} keyframes, {} calls to prepare", done[0]["keyframes"], done[0]["calls"]);
    let bound = done[0]["limits"]["perCall"].as_u64().unwrap();
    assert!(work["maxPerCall"].as_u64().unwrap() <= bound && bound <= 4_096);
    assert!(work["keyframeNumbers"].as_u64().unwrap() <= 4_000_000);
    // With little room for keyframes there are fewer, and the page reports the work that this costs.
    let tight = &done[1];
    assert!(tight["work"]["keyframeNumbers"].as_u64().unwrap() <= 20_000, "{}", tight["work"]);
    assert!(tight["work"]["maxPerCall"].as_u64() <= tight["limits"]["perCall"].as_u64());
    assert_eq!(done[0]["words"].as_array().unwrap().len(), count);
}

/// A second of frames at each of many speeds, and scrubs anywhere.
fn frames(window: &[Event]) -> Vec<Value> {
    let (from, to) = (cycle(&window[0]), cycle(&window[window.len() - 1]));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut steps = Vec::new();
    for speed in 0..18 {
        let mut time = rng.random_range(from..=to) as f64;
        for _ in 0..60 {
            time += f64::from(2_u32.pow(speed)) / 60.0;
            steps.push(json!({"until": time, "quiet": true}));
        }
    }
    let scrubs = (0..500).map(|_| json!({"index": rng.random_range(0..window.len()), "quiet": true}));
    steps.extend(scrubs);
    steps
}

fn same_window(case: &Case, all: &[Event], index: usize, theirs: &Value) {
    let ours = state(&case.network, all, &all[..index], cycle(&all[index - 1]));
    // Worms have other numbers in a window: they are compared by how many there are.
    let shape = |state: &Value| {
        let places = |key: &str| -> Vec<String> { state[key].as_object().unwrap().keys().cloned().collect() };
        let buffers: Vec<Value> = state["buffers"]
            .as_object()
            .unwrap()
            .values()
            .map(|it| json!([it["flits"], it["stop"]]))
            .collect();
        let count = |key: &str| state[key].as_array().map_or(0, Vec::len);
        json!([
            places("buffers"),
            buffers,
            places("outputs"),
            places("waiting").len(),
            count("alive"),
            state["deadlocks"]
        ])
    };
    assert_eq!(shape(theirs), shape(&ours), "after {index} events");
}

/// Wrong if a name were taken for anything but a name.
#[test]
fn hostile_names_stay_names() {
    let names =
        ["</script><script>alert(1)</script>", "__proto__", "\u{202e}\"'\\\n", "constructor", "", "🐛<!--"];
    let mut case = ring(4, 2);
    case.messages.truncate(4);
    let folder = TempDir::new().unwrap();
    let name = |tag: u64| names[usize::try_from(tag).unwrap() % names.len()].to_owned();
    let log = record(&case, folder.path(), name);
    let data = log_data(&log).unwrap();
    let jobs = json!([{"scene": 0, "steps": [{"index": 20, "time": 1_000_000}], "words": true}]);
    let Some(done) = driven(&data, &jobs) else { return };
    let followed: Vec<&str> =
        done[0]["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(followed.len(), 8);
    assert!(followed.iter().all(|name| names.contains(name)), "{followed:?}");
    assert!(done[0]["words"].to_string().contains("__proto__ at p"), "{}", done[0]["words"]);
}

/// Events of the kinds that no fabric reports.
fn of_processes() -> Vec<Event> {
    let message = |kind: &str, route: &[i16]| Message {
        host: HostId(1),
        kind: kind.to_owned(),
        nonce: 1 << 40,
        route: route.iter().map(|turn| Turn(*turn)).collect(),
        length: 300,
        bytes: Vec::new(),
    };
    let port = End::switch(SwitchId(0), 1);
    let frame = |arrives, destination| EventKind::Frame {
        port,
        arrives,
        source: HostId(0),
        destination,
        bytes: 1_518,
    };
    let kinds = [
        EventKind::Send(message("host-probe", &[0, 3, -4, i16::MAX, i16::MIN])),
        EventKind::Receive(message("map-request", &[])),
        EventKind::Send(message("host-probe", &[1])),
        frame(false, None),
        frame(true, Some(HostId(1))),
        EventKind::Cable { link: LinkId(1), up: false },
        EventKind::Cable { link: LinkId(1), up: true },
        EventKind::End { worm: 9, fate: Err(Cause::Expired) },
    ];
    let events = kinds.into_iter().zip([0, 1, 1, 7, 9_999_999, u64::MAX >> 8, u64::MAX >> 8, u64::MAX >> 8]);
    events.map(|(what, ps)| Event { at: Time::from_ps(ps), what }).collect()
}

/// Wrong if a frame on a cable were not known to the page, not from when to when it is there, or not after a jump.
#[test]
fn frames_are_on_their_cables_until_they_arrive() {
    let network = ring(4, 1).network;
    let link = network.links()[0].clone();
    let frame = |arrives: bool, source: u32| EventKind::Frame {
        port: if arrives { link.b } else { link.a },
        arrives,
        source: HostId(source),
        destination: None,
        bytes: 64,
    };
    let followed = [(10, false, 0), (20, false, 1), (30, true, 0), (45, true, 1), (50, false, 2)];
    let event = |(ns, arrives, source): (u64, bool, u32)| Event {
        at: Time::from_ps(ns * 1_000),
        what: frame(arrives, source),
    };
    let events: Vec<Event> = followed.map(event).to_vec();
    let encoded = encode(&network, 1_000, events.iter());
    let bytes = base64::engine::general_purpose::STANDARD.encode(&encoded.bytes);
    let data = json!({
        "network": {"base_cycle_ps": CYCLE_PS, "links": [[0, 0, 1, 0, 1]], "hosts": [0, 0], "names": ["a", "b"]},
        "scenes": [{"unit_ps": encoded.unit_ps, "worms": [], "kinds": [], "count": events.len(), "bytes": bytes}],
    });
    let steps: Vec<Value> = [2, 5, 3].iter().map(|index| json!({"index": index, "time": 0})).collect();
    let limits = json!({"every": 1, "perCall": 1});
    let Some(done) = driven(&data, &json!([{"scene": 0, "limits": limits, "steps": steps}])) else { return };
    let there = |state: usize| done[0]["states"][state]["frames"].clone();
    assert_eq!(there(0), json!([[0, 0, 10_000, 30_000], [0, 1, 20_000, 45_000]]));
    assert_eq!(there(1), json!([[0, 2, 50_000, null]]), "its arrival is not in the log");
    assert_eq!(there(2), json!([[0, 1, 20_000, 45_000]]));
    assert_eq!(done[0]["frames"], json!([true, 22.5]), "only frames move here, and so long");
}

/// Wrong if an event did not come back from its bytes, or damaged bytes made anything but nothing.
#[test]
fn events_come_back_from_their_bytes() {
    let there_and_back = |network: &Network, events: &[Event]| {
        let encoded = encode(network, CYCLE_PS, events.iter());
        assert_eq!(decode(network, &encoded).as_deref(), Some(events));
        encoded
    };
    let network = ring(4, 1).network;
    let encoded = there_and_back(&network, &of_processes());
    assert_eq!(encoded.unit_ps, 1, "times between cycles need picoseconds");
    for end in 0..encoded.bytes.len() {
        let cut = Encoded { bytes: encoded.bytes[..end].to_vec(), ..encoded.clone() };
        assert_eq!(decode(&network, &cut), None);
    }
    let (mut count, mut bytes) = (0, 0);
    for seed in 0..cases(600) {
        let case = random_case(seed);
        let folder = TempDir::new().unwrap();
        let all = events(&record(&case, folder.path(), |tag| format!("#{tag}")));
        let encoded = there_and_back(&case.network, &all);
        count += all.len();
        bytes += encoded.bytes.len();
    }
    println!("{count} events in {bytes} bytes");
    assert!(bytes < 8 * count);
}
