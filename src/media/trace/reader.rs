//! Reading a log: one block in memory at a time, and nothing in it trusted before its check was right.

use std::io::{self, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use simnet_base::diagnostics::shown;
use simnet_base::units::{Duration, Time};
use simnet_network::topology::formats::{self, ReadOptions};

use super::code::{Cursor, World};
use super::file::{self, Check, FORMAT, MAGIC};
use super::foreign::seems;
use super::{Event, Heading, Scene};

/// Bytes of a part other than the heading, at most: a block has a quarter of a MiB and one event more.
const MOST_BYTES: u32 = 1 << 26;
/// Bytes of the heading, at most.
const MOST_HEADING: u32 = 1 << 30;

/// Scenes of a run, at most: a sweep has fewer points.
const MOST_SCENES: u32 = 1 << 24;

/// Why a log cannot be read, or not to its end.
#[derive(Debug, Error)]
pub enum LogFault {
    /// It cannot be read: exit 7.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The system's message.
        error: io::Error,
    },
    /// It is something else: exit 3.
    #[error(
        "{path}: not an event log: {seems}; expected what `simnet run --trace` or [output.events] leaves"
    )]
    Foreign {
        /// The file.
        path: String,
        /// What it seems to be, in words.
        seems: String,
    },
    /// It is cut off or was altered. What was read before holds: exit 3.
    #[error("{path}: byte {offset}: {message}")]
    Damaged {
        /// The file.
        path: String,
        /// Where the first part begins that is not whole.
        offset: u64,
        /// What is wrong there.
        message: String,
    },
}

/// What a log says next.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEntry {
    /// A scene begins. Its counts are those of the recording; a log that was filtered has fewer events.
    Scene(Scene),
    /// An event of the scene.
    Event(Event),
    /// The scene has ended; its counts are those of this log.
    SceneEnd(Scene),
}

/// A log that is being read. Its memory is that of one block, whatever the log's length.
pub struct Reader {
    from: Box<dyn Read + Send>,
    path: String,
    heading: Heading,
    /// The heading's check, where every scene goes on from.
    start: Check,
    check: Check,
    /// Where in the file the next part begins.
    offset: u64,
    /// Where the block began.
    block_offset: u64,
    block: Vec<u8>,
    position: usize,
    before: Time,
    worms: u32,
    scene: Option<Scene>,
    events: u64,
    scenes: u32,
    last_nth: Option<u32>,
    done: bool,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("path", &self.path)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct RawHeading {
    scenario: String,
    description: Option<String>,
    seed: u64,
    base_cycle_ps: u64,
    stop_flits: u32,
    buffer_flits: u32,
    network: Value,
}

impl Reader {
    /// Opens a log and reads its heading.
    ///
    /// # Errors
    /// [`LogFault`].
    pub fn open(path: &Path) -> Result<Reader, LogFault> {
        let name = shown(path).to_string();
        match simnet_base::files::open(path) {
            Ok(file) => Reader::new(&name, Box::new(BufReader::with_capacity(1 << 16, file))),
            Err(error) => Err(LogFault::Io { path: name, error }),
        }
    }

    /// Reads a log from anywhere; messages call it `path`.
    ///
    /// # Errors
    /// [`LogFault`].
    pub fn new(path: &str, from: Box<dyn Read + Send>) -> Result<Reader, LogFault> {
        let mut reader = Reader {
            from,
            path: path.to_owned(),
            heading: Heading::default(),
            start: Check::default(),
            check: Check::default(),
            offset: 0,
            block_offset: 0,
            block: Vec::new(),
            position: 0,
            before: Time::ZERO,
            worms: 0,
            scene: None,
            events: 0,
            scenes: 0,
            last_nth: None,
            done: false,
        };
        reader.magic()?;
        let (letter, bytes) = reader.part(MOST_HEADING)?;
        if letter != b'H' {
            return Err(reader.damaged("no heading"));
        }
        reader.heading = heading(&bytes).map_err(|message| reader.damaged(message))?;
        reader.start = reader.check;
        Ok(reader)
    }

    /// What the log says first.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// What comes next; `None` at the end of a log that is whole, and after a fault.
    ///
    /// # Errors
    /// [`LogFault`], once. What was read before it holds.
    pub fn read_entry(&mut self) -> Result<Option<LogEntry>, LogFault> {
        if self.done {
            return Ok(None);
        }
        let next = self.advance();
        self.done = !matches!(next, Ok(Some(_)));
        next
    }

    fn advance(&mut self) -> Result<Option<LogEntry>, LogFault> {
        loop {
            if self.position < self.block.len() {
                return self.event().map(|event| Some(LogEntry::Event(event)));
            }
            self.block_offset = self.offset;
            let (letter, bytes) = self.part(MOST_BYTES)?;
            match (letter, self.scene.is_some()) {
                (b'S', false) => return self.begin(&bytes).map(|scene| Some(LogEntry::Scene(scene))),
                (b'B', true) => (self.block, self.position) = (bytes, 0),
                (b'E', true) => return self.end(&bytes).map(|scene| Some(LogEntry::SceneEnd(scene))),
                (b'Z', false) => return self.close(&bytes).map(|()| None),
                _ => return Err(self.damaged("a part that does not belong here")),
            }
        }
    }

    fn event(&mut self) -> Result<Event, LogFault> {
        let base_ps = file::base_ps(&self.heading);
        let mut world = World { network: &self.heading.network, base_ps, worms: self.worms };
        let mut cursor = Cursor { bytes: &self.block, position: self.position };
        let event = world.take(&mut cursor, self.before);
        (self.worms, self.position) = (world.worms, cursor.position);
        let event = event.map_err(|message| self.damaged(message))?;
        self.before = event.at;
        self.events += 1;
        Ok(event)
    }

    fn begin(&mut self, bytes: &[u8]) -> Result<Scene, LogFault> {
        let scene = self.scene_of(bytes)?;
        if self.last_nth.is_some_and(|last| scene.nth <= last) {
            return Err(self.damaged("scenes out of order"));
        }
        (self.before, self.worms, self.events) = (Time::ZERO, 0, 0);
        self.last_nth = Some(scene.nth);
        self.scenes += 1;
        self.scene = Some(scene.clone());
        Ok(scene)
    }

    fn end(&mut self, bytes: &[u8]) -> Result<Scene, LogFault> {
        let scene = self.scene_of(bytes)?;
        if scene.events != self.events {
            let message =
                format!("the scene is said to have {} events and has {}", scene.events, self.events);
            return Err(self.damaged(message));
        }
        self.scene = None;
        Ok(scene)
    }

    fn scene_of(&self, bytes: &[u8]) -> Result<Scene, LogFault> {
        let scene: Scene = serde_json::from_slice(bytes)
            .map_err(|error| self.damaged(format!("a scene that is none: {error}")))?;
        let position = scene.nth.max(scene.point.unwrap_or(0));
        if position >= MOST_SCENES || scene.events.checked_add(scene.left_out).is_none() {
            return Err(self.damaged("a scene that no run has: its numbers are too great"));
        }
        Ok(scene)
    }

    fn close(&mut self, bytes: &[u8]) -> Result<(), LogFault> {
        let stored = <[u8; 4]>::try_from(bytes).map(u32::from_le_bytes).ok();
        if stored != Some(self.scenes) {
            return Err(self.damaged("the log has fewer or more scenes than its end says"));
        }
        self.block_offset = self.offset;
        match self.fill(1)?.len() {
            0 => Ok(()),
            _ => Err(self.damaged("something follows the end of the log")),
        }
    }

    fn magic(&mut self) -> Result<(), LogFault> {
        let first = self.fill(4_096.max(MAGIC.len() as u64))?;
        if first.len() >= MAGIC.len() && first.starts_with(&MAGIC) {
            // What was read too far is read again.
            let rest = io::Cursor::new(first[MAGIC.len()..].to_vec());
            let from = std::mem::replace(&mut self.from, Box::new(io::empty()));
            self.from = Box::new(rest.chain(from));
            self.offset = MAGIC.len() as u64;
            return Ok(());
        }
        if !first.is_empty() && MAGIC.starts_with(&first) {
            return Err(self.damaged("the log is cut off in its first bytes"));
        }
        Err(LogFault::Foreign { path: self.path.clone(), seems: seems(&first) })
    }

    /// Up to `most` bytes: fewer at the end of the file.
    fn fill(&mut self, most: u64) -> Result<Vec<u8>, LogFault> {
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(most).read_to_end(&mut bytes);
        read.map_err(|error| LogFault::Io { path: self.path.clone(), error })?;
        Ok(bytes)
    }

    /// The next part, its check found right.
    fn part(&mut self, most: u32) -> Result<(u8, Vec<u8>), LogFault> {
        self.block_offset = self.offset;
        let cut = "the log is cut off: it ends before its end";
        let head = self.fill(5)?;
        let &[letter, a, b, c, d] = head.as_slice() else { return Err(self.damaged(cut)) };
        let length = u32::from_le_bytes([a, b, c, d]);
        if !b"HSBEZ".contains(&letter) || length > most {
            return Err(self.damaged("the log was altered here: no part of it begins so"));
        }
        let bytes = self.fill(u64::from(length))?;
        let stored = self.fill(16)?;
        if bytes.len() < length as usize || stored.len() < 16 {
            return Err(self.damaged(cut));
        }
        let before = if matches!(letter, b'S' | b'Z') { &self.start } else { &self.check };
        let check = file::check(before, letter, &bytes);
        if stored != check {
            return Err(self.damaged("the log was altered in the part that begins here: its check is wrong"));
        }
        self.check = check;
        self.offset += 5 + u64::from(length) + 16;
        Ok((letter, bytes))
    }

    fn damaged(&self, message: impl Into<String>) -> LogFault {
        LogFault::Damaged { path: self.path.clone(), offset: self.block_offset, message: message.into() }
    }
}

fn heading(bytes: &[u8]) -> Result<Heading, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("the heading is no JSON: {error}"))?;
    let format = value["format"].as_str().unwrap_or_default();
    if format != FORMAT {
        return Err(format!("the log's format is `{format}`; this version reads `{FORMAT}`"));
    }
    let raw: RawHeading =
        serde_json::from_value(value).map_err(|error| format!("the heading is not whole: {error}"))?;
    let network =
        formats::read("the heading's network", raw.network.to_string().as_bytes(), &ReadOptions::default());
    let network = network.map_err(|faults| format!("the heading's network: {}", faults.faults[0].message))?;
    Ok(Heading {
        scenario: raw.scenario,
        description: raw.description,
        seed: raw.seed,
        network,
        base_cycle: Duration::from_ps(raw.base_cycle_ps),
        stop: raw.stop_flits,
        buffer: raw.buffer_flits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::PauseFrame;
    use crate::fabric::{Cause, Flow};
    use crate::trace::{EventKind, LogWriter, Message, Sink as _};
    use simnet_base::ids::{HostId, LinkId, SwitchId, Turn};
    use simnet_network::topology::{End, Network};

    fn heading() -> Heading {
        let mut network = Network::new("two");
        let switch = network.add_switch("s", 4).unwrap();
        for (port, name) in [(1, "<b>"), (3, "h\"1")] {
            let host = network.add_host(name).unwrap();
            network.connect(End::host(host, 0), End::switch(switch, port)).unwrap();
        }
        Heading {
            scenario: "hand-made".to_owned(),
            description: Some("every kind".to_owned()),
            seed: 7,
            network,
            base_cycle: Duration::from_ps(6_250),
            stop: 56,
            buffer: 108,
        }
    }

    /// One event of every kind and more, in order of time.
    fn events() -> Vec<Event> {
        let (h0, h1) = (End::host(HostId(0), 0), End::host(HostId(1), 0));
        let (one, three) = (End::switch(SwitchId(0), 1), End::switch(SwitchId(0), 3));
        let message = Message {
            host: HostId(1),
            kind: "host-probe".to_owned(),
            nonce: u64::MAX,
            route: vec![Turn(-3), Turn(0), Turn(i16::MAX), Turn(i16::MIN)],
            length: 32,
            bytes: vec![0, 255, 128],
        };
        let flow = |occupancy| Flow { occupancy, inflow: 1, outflow: 0 };
        let (input, output) = (one, three);
        let what = vec![
            EventKind::Cable { link: LinkId(1), up: false },
            EventKind::Send(message.clone()),
            EventKind::Start { worm: 0, port: h0, name: "<b>#0".to_owned(), turns: 1, payload: 300 },
            EventKind::Start { worm: 1, port: h1, name: String::new(), turns: 1, payload: u32::MAX },
            EventKind::Arrive { worm: 0, port: one },
            EventKind::Flow { port: one, flow: flow(3) },
            EventKind::Wait { worm: 0, input, output },
            EventKind::Grant { worm: 0, input, output },
            EventKind::Control { port: one, stop: true },
            EventKind::Control { port: one, stop: false },
            EventKind::Deadlock { nth: 0, members: vec![(0, one, three), (1, three, one)] },
            EventKind::Reset { worm: 1, output },
            EventKind::Pause {
                port: one,
                obeyed: false,
                says: PauseFrame { priorities: 255, paused: 9, quanta: 77 },
            },
            EventKind::Pause {
                port: one,
                obeyed: true,
                says: PauseFrame { priorities: 8, paused: 0, quanta: u16::MAX },
            },
            EventKind::Circle { nth: 1, priority: 7, members: vec![(one, three), (three, one)] },
            EventKind::Clear { nth: 0, output },
            EventKind::Release { worm: 0, input, output },
            EventKind::End { worm: 1, fate: Err(Cause::Expired) },
            EventKind::End { worm: 0, fate: Ok(HostId(1)) },
            EventKind::Receive(message),
            EventKind::Cable { link: LinkId(1), up: true },
            EventKind::Frame { port: h0, arrives: false, source: HostId(0), destination: None, bytes: 64 },
            EventKind::Frame {
                port: h1,
                arrives: true,
                source: HostId(0),
                destination: Some(HostId(1)),
                bytes: 1_518,
            },
        ];
        // On the fabric's clock and off it, and one very late.
        let at = |nth: usize| Time::from_ps(nth as u64 / 2 * 6_250 + u64::from(nth == 17) + (1 << 50));
        what.into_iter().enumerate().map(|(nth, what)| Event { at: at(nth), what }).collect()
    }

    fn scene(nth: u32, events: u64) -> Scene {
        let until = (nth == 1).then_some(Time::from_ps(9));
        Scene {
            nth,
            kind: "point".to_owned(),
            point: Some(nth),
            load: Some(0.1),
            events,
            until,
            ..Scene::default()
        }
    }

    fn log() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = LogWriter::new(&mut bytes, &heading()).unwrap();
        for nth in 0..2 {
            let scene = scene(nth, events().len() as u64);
            out.scene(&scene).unwrap();
            for event in events() {
                out.event(&scene, &event).unwrap();
            }
            out.end(&scene).unwrap();
        }
        Box::new(out).finish().unwrap();
        bytes
    }

    fn items(bytes: &[u8]) -> (Vec<LogEntry>, Option<LogFault>) {
        let mut reader = match Reader::new("log", Box::new(io::Cursor::new(bytes.to_vec()))) {
            Ok(reader) => reader,
            Err(fault) => return (Vec::new(), Some(fault)),
        };
        assert_eq!(reader.heading(), &heading());
        let mut items = Vec::new();
        loop {
            match reader.read_entry() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => return (items, None),
                Err(fault) => {
                    assert!(reader.read_entry().unwrap().is_none(), "a fault is reported once");
                    return (items, Some(fault));
                }
            }
        }
    }

    /// Wrong if something of an event, a scene or the heading were lost.
    /// Wrong if numbers that no run has were taken on trust: what comes after counts on from them.
    #[test]
    fn a_scene_that_no_run_has_is_refused() {
        let fine = scene(0, 1);
        for (scene, is_fine) in [
            (fine.clone(), true),
            (Scene { nth: MOST_SCENES, ..fine.clone() }, false),
            (Scene { point: Some(u32::MAX), ..fine.clone() }, false),
            (Scene { left_out: u64::MAX, ..fine }, false),
        ] {
            let mut log = Vec::new();
            let mut out = LogWriter::new(&mut log, &heading()).unwrap();
            out.scene(&scene).unwrap();
            out.event(&scene, &events()[0]).unwrap();
            Box::new(out).finish().unwrap();
            let fault = items(&log).1;
            assert_eq!(fault.is_none(), is_fine, "{fault:?}");
        }
    }

    #[test]
    fn a_log_reads_back_equal() {
        let mut expected = Vec::new();
        for nth in 0..2 {
            let scene = scene(nth, events().len() as u64);
            expected.push(LogEntry::Scene(scene.clone()));
            expected.extend(events().into_iter().map(LogEntry::Event));
            expected.push(LogEntry::SceneEnd(scene));
        }
        let (items, fault) = items(&log());
        assert!(fault.is_none(), "{fault:?}");
        assert_eq!(items, expected);
    }

    /// Wrong if a cut went unnoticed, or cost more than the part that it is in.
    #[test]
    fn a_cut_log_is_read_up_to_the_cut() {
        let (log, whole) = (log(), items(&log()).0);
        for length in 0..log.len() {
            let (read, fault) = items(&log[..length]);
            assert!(whole.starts_with(&read), "cut at {length}");
            let is_cut =
                matches!(&fault, Some(LogFault::Damaged { message, .. }) if message.contains("cut off"));
            let is_empty = length == 0 && matches!(&fault, Some(LogFault::Foreign { .. }));
            assert!(is_cut || is_empty, "cut at {length}: {fault:?}");
        }
        // Without its last part it lacks nothing but that.
        assert_eq!(items(&log[..log.len() - 1]).0, whole);
    }

    /// Wrong if an altered byte went unnoticed, or altered what is read before it.
    #[test]
    fn an_altered_log_is_read_up_to_the_damage() {
        let (log, whole) = (log(), items(&log()).0);
        for at in 0..log.len() {
            for bit in [0, 3, 7] {
                let mut altered = log.clone();
                altered[at] ^= 1 << bit;
                let (read, fault) = items(&altered);
                assert!(whole.starts_with(&read), "bit {bit} of byte {at}");
                assert!(fault.is_some(), "bit {bit} of byte {at}");
            }
        }
        let longer = [log.as_slice(), b"x"].concat();
        let (read, fault) = items(&longer);
        assert_eq!((read, fault.is_some()), (whole, true));
    }
}
