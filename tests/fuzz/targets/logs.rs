//! Event logs: as they come, and with the checks made right, so that more than the check is tried.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use simnet_base::ids::{HostId, LinkId, SwitchId, Turn};
use simnet_base::units::{Duration, Time};
use simnet_media::ethernet::PauseFrame;
use simnet_media::fabric::{Cause, Flow};
use simnet_media::trace::{
    Capture, Csv, Event, EventKind, Heading, LogEntry, LogWriter, Message, Ndjson, Perfetto, Reader, Scene,
    Sink,
};
use simnet_network::topology::End;

use super::networks;

/// The bytes before the first part.
const MAGIC: &[u8] = b"\x89simlog\n";
/// The bytes of a part's check.
const CHECK: usize = 16;

/// A log of one scene with an event of every kind.
pub(super) fn logs() -> Vec<Vec<u8>> {
    let heading = Heading {
        network: networks::small(),
        base_cycle: Duration::from_ps(6_250),
        stop: 56,
        buffer: 108,
        ..Heading::default()
    };
    let mut log = Vec::new();
    write(&heading, &items(), |shared, heading| Ok(Box::new(LogWriter::new(shared, heading)?)), &mut log);
    vec![log]
}

fn items() -> Vec<LogEntry> {
    let (host, input, output) =
        (End::host(HostId(0), 0), End::switch(SwitchId(0), 0), End::switch(SwitchId(0), 1));
    let message = Message {
        host: HostId(1),
        kind: "host-probe".to_owned(),
        nonce: u64::MAX,
        route: vec![Turn(-3), Turn(i16::MAX)],
        length: 32,
        bytes: vec![0, 255],
    };
    let what = vec![
        EventKind::Cable { link: LinkId(1), up: false },
        EventKind::Send(message.clone()),
        EventKind::Start { worm: 0, port: host, name: "<b>#0".to_owned(), turns: 1, payload: 300 },
        EventKind::Arrive { worm: 0, port: input },
        EventKind::Flow { port: input, flow: Flow { occupancy: 3, inflow: 1, outflow: 0 } },
        EventKind::Wait { worm: 0, input, output },
        EventKind::Grant { worm: 0, input, output },
        EventKind::Control { port: input, stop: true },
        EventKind::Deadlock { nth: 0, members: vec![(0, input, output)] },
        EventKind::Clear { nth: 0, output },
        EventKind::Pause {
            port: input,
            obeyed: true,
            says: PauseFrame { priorities: 9, paused: 8, quanta: 5 },
        },
        EventKind::Circle { nth: 1, priority: 3, members: vec![(input, output), (output, input)] },
        EventKind::Release { worm: 0, input, output },
        EventKind::End { worm: 0, fate: Ok(HostId(1)) },
        EventKind::Start { worm: 1, port: host, name: String::new(), turns: 0, payload: 1 },
        EventKind::Reset { worm: 1, output },
        EventKind::End { worm: 1, fate: Err(Cause::Expired) },
        EventKind::Receive(message),
        EventKind::Frame { port: host, arrives: true, source: HostId(0), destination: None, bytes: 64 },
    ];
    let count = what.len() as u64;
    let at = |nth: u64| Time::from_ps(nth * 6_250 + nth % 2);
    let scene = Scene { events: count, ..Scene::point(0, 0, Some(0.5)) };
    let events = what.into_iter().zip(0..).map(|(what, nth)| LogEntry::Event(Event { at: at(nth), what }));
    [LogEntry::Scene(scene.clone())].into_iter().chain(events).chain([LogEntry::SceneEnd(scene)]).collect()
}

/// Memory that several hold.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a log in the form that `begin` makes.
fn write(
    heading: &Heading,
    items: &[LogEntry],
    begin: impl Fn(Shared, &Heading) -> io::Result<Box<dyn Sink>>,
    out: &mut Vec<u8>,
) {
    let shared = Shared::default();
    let mut sink = begin(shared.clone(), heading).expect("memory takes all");
    let mut open = Scene::default();
    for item in items {
        match item {
            LogEntry::Scene(scene) => {
                open = scene.clone();
                sink.scene(scene)
            }
            LogEntry::Event(event) => sink.event(&open, event),
            LogEntry::SceneEnd(scene) => sink.end(scene),
        }
        .expect("memory takes all");
    }
    sink.finish().expect("memory takes all");
    out.append(&mut shared.0.lock().expect("one thread"));
}

/// The log's letters, lengths and contents, without the checks.
pub(super) fn parts() -> Vec<Vec<u8>> {
    let without = |log: Vec<u8>| {
        let mut rest = &log[MAGIC.len()..];
        let mut parts = Vec::new();
        while let Some((head, more)) = rest.split_at_checked(5) {
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            parts.extend([head, &more[..length]].concat());
            rest = &more[length + CHECK..];
        }
        parts
    };
    logs().into_iter().map(without).collect()
}

/// Reads a log whose parts are those of the input, each with the check that it should have; a length beyond the input
/// is cut.
pub(super) fn read_parts(input: &[u8]) -> bool {
    let mut log = MAGIC.to_vec();
    let (mut rest, mut start, mut before) = (input, None, [0; CHECK]);
    while let Some((head, more)) = rest.split_at_checked(5) {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let (bytes, after) = more.split_at(length.min(more.len()));
        let from = if matches!(head[0], b'S' | b'Z') { start.unwrap_or(before) } else { before };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&from).update(&head[..1]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        before.copy_from_slice(&hasher.finalize().as_bytes()[..CHECK]);
        start.get_or_insert(before);
        log.push(head[0]);
        log.extend(u32::try_from(bytes.len()).expect("inputs are small").to_le_bytes());
        log.extend(bytes);
        log.extend(before);
        rest = after;
    }
    read_log(&log)
}

pub(super) fn read_log(input: &[u8]) -> bool {
    let Some((heading, items, is_whole)) = items_of(input) else { return false };
    let mut log = Vec::new();
    let as_log = |shared, heading: &Heading| -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(LogWriter::new(shared, heading)?))
    };
    write(&heading, &items, as_log, &mut log);
    let (heading, items, _) = items_of(&log).expect("what was written is read");
    let mut again = Vec::new();
    write(&heading, &items, as_log, &mut again);
    assert!(log == again, "a log that is copied twice differs");
    let mut out = Vec::new();
    write(&heading, &items, |shared, heading| Ok(Box::new(Csv::new(shared, heading)?)), &mut out);
    write(&heading, &items, |shared, heading| Ok(Box::new(Ndjson::new(shared, heading)?)), &mut out);
    write(&heading, &items, |shared, heading| Ok(Box::new(Perfetto::new(shared, heading)?)), &mut out);
    write(&heading, &items, |shared, heading| Ok(Box::new(Capture::new(shared, heading)?)), &mut out);
    is_whole
}

/// What of a log can be read, and whether that is all.
fn items_of(log: &[u8]) -> Option<(Heading, Vec<LogEntry>, bool)> {
    let mut reader = match Reader::new("a log", Box::new(io::Cursor::new(log.to_vec()))) {
        Ok(reader) => reader,
        Err(fault) => {
            assert!(fault.to_string().starts_with("a log: "), "{fault}");
            return None;
        }
    };
    let mut items = Vec::new();
    loop {
        match reader.read_entry() {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return Some((reader.heading().clone(), items, true)),
            Err(fault) => {
                assert!(fault.to_string().starts_with("a log: byte "), "{fault}");
                return Some((reader.heading().clone(), items, false));
            }
        }
    }
}
