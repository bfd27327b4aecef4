//! Captures of logs: read by the real tshark with the dissector of `docs/simnet.lua`.

use std::path::Path;
use std::process::Command;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet::host::{self, Address, Body, Find, RouteEntry};
use simnet::ids::{HostId, Node, Turn};
use simnet::trace::blocks::{Blocks, Interface, OUTBOUND, USER0};
use simnet::trace::{Capture, Event, EventKind, Message};
use simnet::units::Time;

use super::perfetto::made::{self, Log};
use support_network::{cases, peer};

fn capture(log: &Log) -> Vec<u8> {
    let mut file = Vec::new();
    log.replay(Box::new(Capture::new(&mut file, &log.heading).unwrap()), |_| true);
    file
}

/// What tshark prints for these arguments; empty lines and what it says of its user are left out of its complaints.
fn tshark(program: &Path, file: &[u8], arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("log.pcapng");
    std::fs::write(&place, file).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/simnet.lua");
    let output = Command::new(program)
        .arg("-X")
        .arg(format!("lua_script:{}", script.display()))
        .arg("-r")
        .arg(&place)
        .args(arguments)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let stderr: Vec<&str> =
        stderr.lines().filter(|line| !line.is_empty() && !line.contains("Running as user")).collect();
    assert!(output.status.success(), "{stderr:?}");
    (String::from_utf8(output.stdout).unwrap(), stderr.join("\n"))
}

/// Fields of a packet, one line a packet, with what tshark complains of in the last column.
fn fields(program: &Path, file: &[u8], names: &[&str]) -> Vec<Vec<String>> {
    let mut arguments =
        vec!["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"];
    for name in names {
        arguments.extend(["-e", name]);
    }
    arguments.extend(["-e", "_ws.expert.message"]);
    let (text, stderr) = tshark(program, file, &arguments);
    assert_eq!(stderr, "");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn joined(turns: &[Turn]) -> String {
    turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A message of any kind, with any contents.
fn any_message(random: &mut ChaCha8Rng) -> host::Message {
    let nonce = random.random();
    let names = ["h0", "c-util", "\u{fc}ber", "<script>", "", "a name of many words"];
    let turns = |random: &mut ChaCha8Rng| -> Vec<Turn> {
        (0..random.random_range(0..12)).map(|_| Turn(random.random_range(-300..300))).collect()
    };
    let name = |random: &mut ChaCha8Rng| (*names.choose(random).unwrap()).to_owned();
    let body = match random.random_range(0..7) {
        0 => Body::HostProbe { nonce, turns: turns(random) },
        1 => Body::LoopProbe { nonce },
        2 => Body::HostReply { nonce, name: name(random), unused: random.random() },
        3 => Body::RouteTable {
            nonce,
            back: turns(random),
            routes: (0..random.random_range(0..9))
                .map(|_| RouteEntry { destination: name(random), turns: turns(random) })
                .collect(),
        },
        4 => Body::MapRequest { nonce, back: turns(random) },
        5 => Body::PartialMap {
            nonce,
            finds: (0..random.random_range(0..9))
                .map(|_| Find {
                    vertex: random.random_range(0..99),
                    port: random.random_range(-20..20),
                    host: random.random_bool(0.5).then(|| name(random)),
                })
                .collect(),
            explored: (0..random.random_range(0..9)).map(|_| random.random()).collect(),
            doubtful: random.random(),
        },
        _ => Body::Acknowledgement { nonce },
    };
    let mapper = random.random_bool(0.3).then(|| Address(random.random()));
    host::Message { mapper, ..host::Message::new(body) }
}

/// What the fields of a body should be: mapper, turns, back, name, unused, entries, finds, explored, doubtful.
fn columns(message: &host::Message) -> [String; 9] {
    let mut columns: [String; 9] = Default::default();
    columns[0] = message.mapper.map(|address| address.0.to_string()).unwrap_or_default();
    match &message.body {
        Body::HostProbe { turns, .. } => columns[1] = joined(turns),
        Body::HostReply { name, unused, .. } => (columns[3], columns[4]) = (name.clone(), unused.to_string()),
        Body::RouteTable { back, routes, .. } => {
            columns[2] = joined(back);
            let entries =
                routes.iter().map(|entry| format!("{}: {}", entry.destination, joined(&entry.turns)));
            columns[5] = entries.collect::<Vec<_>>().join(";");
        }
        Body::MapRequest { back, .. } => columns[2] = joined(back),
        Body::PartialMap { finds, explored, doubtful, .. } => {
            let finds = finds.iter().map(|Find { vertex, port, host }| {
                let what = host.as_deref().unwrap_or("a switch");
                format!("port {port} of switch {vertex}: {what}")
            });
            columns[6] = finds.collect::<Vec<_>>().join(";");
            columns[7] = explored.iter().map(|flag| if *flag { '1' } else { '0' }).collect();
            columns[8] = u8::from(*doubtful).to_string();
        }
        Body::LoopProbe { .. } | Body::Acknowledgement { .. } => {}
    }
    columns
}

const HEADER: [&str; 9] = [
    "frame.interface_name",
    "frame.time_epoch",
    "simnet.direction",
    "simnet.kind",
    "simnet.scene",
    "simnet.nonce",
    "simnet.length",
    "simnet.host",
    "simnet.route",
];

/// Wrong if a field of a header, a stamp or an interface were not what the log says, a message or a frame were missing,
/// or tshark had anything to complain of.
#[test]
fn tshark_sees_messages_as_the_log_has_them() {
    let Some(program) = peer("tshark") else { return };
    let mut messages = 0;
    for seed in 0..cases(100) {
        let log = made::log(seed);
        let mut expected = Vec::new();
        for (scene, events) in &log.scenes {
            for Event { at, what } in events {
                let stamp = {
                    let ns = at.as_ps() / 1_000;
                    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
                };
                let (message, direction) = match what {
                    EventKind::Send(message) => (message, "send"),
                    EventKind::Receive(message) => (message, "receive"),
                    EventKind::Frame { port, .. } => {
                        let name = log.heading.network.name_of(port.node).replace('\n', "\\n");
                        let mut line = vec![format!("{name}:{}", port.port), stamp];
                        line.extend(std::iter::repeat_n(String::new(), 8));
                        expected.push(line);
                        continue;
                    }
                    _ => continue,
                };
                let host = log.heading.network.name_of(Node::Host(message.host)).replace('\n', "\\n");
                expected.push(vec![
                    host.clone(),
                    stamp,
                    direction.to_owned(),
                    message.kind.clone(),
                    scene.nth.to_string(),
                    message.nonce.to_string(),
                    message.length.to_string(),
                    host,
                    joined(&message.route),
                    String::new(),
                ]);
                messages += 1;
            }
        }
        assert_eq!(fields(&program, &capture(&log), &HEADER), expected);
    }
    assert!(messages > 20, "{messages}");
}

/// Wrong if what tshark shows of a real mapping were not what NDJSON has of it, message by message.
#[test]
fn tshark_sees_a_mapping_as_ndjson_has_it() {
    let Some(program) = peer("tshark") else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let scenario = format!("{}/scenarios/zoo/scout.toml", env!("CARGO_MANIFEST_DIR"));
    let (results, log, capture) = (at("results"), at("x.simlog"), at("x.pcapng"));
    let simnet =
        |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_simnet")).args(arguments).output().unwrap();
    simnet(&["run", &scenario, "--quiet", "--out", &results, "--trace", &log]);
    let output = simnet(&["trace", &log, "--to", "pcapng", "--out", &capture]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ndjson = simnet(&["trace", &log, "--to", "ndjson", "--only", "send,receive"]).stdout;
    let names =
        ["simnet.direction", "simnet.kind", "simnet.nonce", "simnet.length", "simnet.host", "simnet.route"];
    let lines = fields(&program, &std::fs::read(&capture).unwrap(), &names);
    let ndjson = String::from_utf8(ndjson).unwrap();
    assert_eq!(lines.len(), ndjson.lines().count());
    assert!(lines.len() > 10);
    for (line, record) in lines.iter().zip(ndjson.lines()) {
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        let turns =
            record["route"].as_array().map(|turns| turns.iter().map(ToString::to_string).collect::<Vec<_>>());
        let expected = [
            text("event"),
            text("kind"),
            record["nonce"].to_string(),
            record["length_flits"].to_string(),
            text("host"),
            turns.unwrap_or_default().join(" "),
            String::new(),
        ];
        assert_eq!(line, &expected);
    }
}

/// A log of one scene in which these messages are sent, one a microsecond.
fn sends(messages: &[host::Message], cut: impl Fn(Vec<u8>) -> Vec<u8>) -> Log {
    let mut log = made::log(0);
    let (mut scene, _) = log.scenes.swap_remove(0);
    let events = messages.iter().enumerate().map(|(nth, message)| {
        let bytes = cut(host::encode(message));
        let kind = message.body.kind().to_owned();
        let (host, nonce, length) = (HostId(0), message.body.nonce(), message.length);
        let what = EventKind::Send(Message { host, kind, nonce, route: vec![Turn(-3)], length, bytes });
        Event { at: Time::from_ps(nth as u64 * 1_000_000), what }
    });
    let events: Vec<Event> = events.collect();
    scene.events = events.len() as u64;
    log.scenes = vec![(scene, events)];
    log
}

/// Wrong if a body were taken apart into anything else than was put in it, or did not end where the packet does.
#[test]
fn tshark_takes_bodies_apart() {
    let Some(program) = peer("tshark") else { return };
    let names = [
        "simnet.mapper",
        "simnet.turns",
        "simnet.back",
        "simnet.name",
        "simnet.unused",
        "simnet.entry",
        "simnet.find",
        "simnet.explored",
        "simnet.doubtful",
    ];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let messages: Vec<host::Message> = (0..1_000).map(|_| any_message(&mut random)).collect();
    let lines = fields(&program, &capture(&sends(&messages, |bytes| bytes)), &names);
    assert_eq!(lines.len(), messages.len());
    for (line, message) in lines.iter().zip(&messages) {
        let mut expected = columns(message).to_vec();
        expected.push(String::new());
        assert_eq!(line, &expected, "{message:?}");
    }
}

/// Wrong if a packet that ends too early, goes on too long or is something else altogether stopped the dissector, or
/// was taken for a sound one.
#[test]
fn damaged_messages_are_called_so() {
    let Some(program) = peer("tshark") else { return };
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let messages: Vec<host::Message> = (0..200).map(|_| any_message(&mut random)).collect();
    let problems = |cut: &dyn Fn(Vec<u8>) -> Vec<u8>| -> Vec<String> {
        let lines = fields(&program, &capture(&sends(&messages, cut)), &["simnet.nonce"]);
        assert_eq!(lines.len(), messages.len());
        lines.into_iter().map(|line| line[1].clone()).collect()
    };
    let short = problems(&|bytes| bytes[..bytes.len() - 1].to_vec());
    for (problem, message) in short.iter().zip(&messages) {
        // A body of one byte is no body at all without it.
        let expected = if host::encode(message).len() == 1 { "" } else { "The message ends too early" };
        assert_eq!(problem, expected, "{message:?}");
    }
    let long = problems(&|bytes| [bytes, vec![0]].concat());
    assert!(long.iter().all(|problem| problem == "The message goes on after its end"), "{long:?}");
}

/// Wrong if any byte whatsoever made the dissector fail.
#[test]
fn no_bytes_make_the_dissector_fail() {
    let Some(program) = peer("tshark") else { return };
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let messages: Vec<host::Message> = (0..500).map(|_| any_message(&mut random)).collect();
    let file = capture(&sends(&messages, |bytes| bytes));
    let mut blocks = Blocks::new(Vec::new()).unwrap();
    let interface = Interface { link_type: USER0, name: "odd", description: None, speed: None };
    let interface = blocks.interface(&interface).unwrap();
    let packets = packets(&file);
    for (start, length) in &packets {
        let mut data = file[*start..start + length].to_vec();
        for _ in 0..random.random_range(0..4) {
            // Never the version: everything after another one is left alone.
            data[random.random_range(1..*length)] = random.random();
        }
        data.truncate(random.random_range(0..=2 * length));
        let length = u32::try_from(data.len()).unwrap();
        blocks.packet(Time::ZERO, interface, OUTBOUND, &data, length).unwrap();
    }
    let (text, stderr) = tshark(&program, &blocks.finish().unwrap(), &["-V"]);
    assert_eq!(text.matches("Frame Number:").count(), packets.len());
    for complaint in ["Lua Error", "lua", "traceback"] {
        assert!(!text.contains(complaint), "{text}");
    }
    assert_eq!(stderr, "");
}

/// Where the data of every packet is: its first byte and its length.
fn packets(file: &[u8]) -> Vec<(usize, usize)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let (mut packets, mut at) = (Vec::new(), 0);
    while at < file.len() {
        if word(at) == 6 {
            packets.push((at + 28, word(at + 20)));
        }
        at += word(at + 4);
    }
    packets
}

/// Wrong if the dissector could not be named in Wireshark's preferences, where something else has the link type.
#[test]
fn the_dissector_goes_by_its_name_too() {
    let Some(program) = peer("tshark") else { return };
    let table = r#"uat:user_dlts:"User 0 (DLT=147)","simnet","0","","0","""#;
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let messages = vec![any_message(&mut random)];
    let file = capture(&sends(&messages, |bytes| bytes));
    let (text, _) = tshark(&program, &file, &["-o", table, "-T", "fields", "-e", "simnet.kind"]);
    assert_eq!(text.trim(), messages[0].body.kind());
}
