//! Recording: observers that keep events, within bounds.

use std::fmt;
use std::io::{self, Seek as _, Write};
use std::sync::Mutex;

use tempfile::SpooledTempFile;

use crate::ethernet::{self, Address, Direction, Frame, PauseFrame};
use crate::fabric::{Cause, Fate, Flow, Member, Observer, WormId};
use crate::host;
use simnet_base::ids::{HostId, LinkId, Turn};
use simnet_base::units::{Cycle, Duration, Time};
use simnet_network::topology::End;

use super::bounds::Bounded;
use super::file::{LogWriter, Mark, Start};
use super::recorded::{
    CircleStart, DeadlockStart, RecordedEvent, RecordedKind, Step, WormNumbers, WormStart,
};
use super::{Bounds, Heading, Message, Scene, Sink as _};

/// Bytes of a scene that are kept in memory once it is over; more go to a file without a name.
const SPOOL: usize = 1 << 22;

/// An observer of processes and of the fabric. Observing changes no result.
pub trait ProcessObserver: Observer {
    /// The process of `host` hands a message to its interface.
    fn sends(&mut self, _at: Time, _host: HostId, _route: &[Turn], _message: &host::Message) {}
    /// The process of `host` is given a message.
    fn receives(&mut self, _at: Time, _host: HostId, _message: &host::Message) {}
}

impl ProcessObserver for () {}

/// Gathers the scenes of a run. Scenes may be recorded at once by several threads.
///
/// While a scene runs, its events are held in memory, at most `most` and a quarter; then they are bytes of a log.
#[derive(Debug)]
pub struct Recorder {
    /// What the log says first.
    pub heading: Heading,
    bounds: Bounds,
    start: Start,
    scenes: Mutex<Vec<(Scene, io::Result<SpooledTempFile>)>>,
}

/// What the worms of a scene are called. Asked once a worm, when it starts, in the order in which worms start.
pub struct WormNames<'a>(Box<dyn FnMut(WormId) -> String + Send + 'a>);

impl<'a> WormNames<'a> {
    /// WormNames that this function gives.
    pub fn new(names: impl FnMut(WormId) -> String + Send + 'a) -> WormNames<'a> {
        WormNames(Box::new(names))
    }

    /// The name of a worm that starts.
    pub fn of(&mut self, worm: WormId) -> String {
        (self.0)(worm)
    }
}

impl fmt::Debug for WormNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WormNames")
    }
}

/// The recording of one scene.
#[derive(Debug)]
pub struct Recording<'a> {
    scene: Scene,
    base_cycle: Duration,
    names: WormNames<'a>,
    bounded: Bounded,
}

impl Recorder {
    /// A recorder that keeps so much of each scene.
    pub fn new(heading: Heading, bounds: Bounds) -> Recorder {
        let start = Start::new(&heading);
        Recorder { heading, bounds, start, scenes: Mutex::new(Vec::new()) }
    }

    /// A scene begins, whose worms are called so. `scene` says what it is, as [`Scene::of`] and [`Scene::point`] make
    /// it; its counts are filled in by the recorder.
    pub fn open<'a>(&self, scene: Scene, names: WormNames<'a>) -> Recording<'a> {
        let bounded = Bounded::new(self.bounds);
        Recording { scene, base_cycle: self.heading.base_cycle, names, bounded }
    }

    /// It has ended.
    ///
    /// # Panics
    /// If another thread panicked while it closed a scene.
    pub fn close(&self, recording: Recording<'_>) {
        let kept = recording.bounded.finish();
        let (events, left_out) = (kept.events.len() as u64, kept.left_out);
        let scene = Scene { events, left_out, from: kept.from, until: kept.until, ..recording.scene };
        let spooled = spool(&scene, kept.events, self.start.mark);
        self.scenes.lock().expect("no recorder panics").push((scene, spooled));
    }

    /// Writes the log of the scenes that have ended; gives them, in their order.
    ///
    /// # Errors
    /// Those of writing, now or when a scene ended.
    ///
    /// # Panics
    /// If another thread panicked while it closed a scene.
    pub fn write_log(&self, out: &mut dyn Write) -> io::Result<Vec<Scene>> {
        let mut scenes = self.scenes.lock().expect("no recorder panics");
        scenes.sort_by_key(|(scene, _)| scene.nth);
        let mut out = io::BufWriter::new(out);
        self.start.write(&mut out)?;
        for (_, spool) in scenes.iter_mut() {
            match spool {
                Ok(spool) => {
                    spool.rewind()?;
                    io::copy(spool, &mut out)?;
                }
                Err(error) => return Err(io::Error::new(error.kind(), error.to_string())),
            }
        }
        let count = u32::try_from(scenes.len()).map_err(|_| io::Error::other("2^32 scenes or more"))?;
        self.start.mark.close(count, &mut out)?;
        out.flush()?;
        Ok(scenes.iter().map(|(scene, _)| scene.clone()).collect())
    }
}

/// A scene as it stands in a log.
fn spool(scene: &Scene, events: Vec<RecordedEvent>, mark: Mark) -> io::Result<SpooledTempFile> {
    let out = io::BufWriter::new(SpooledTempFile::new(SPOOL));
    let (mut log, mut numbers) = (LogWriter::scenes_only(out, mark), WormNumbers::default());
    log.scene(scene)?;
    for event in events {
        log.append(&numbers.event(event))?;
    }
    log.end(scene)?;
    log.into_inner().into_inner().map_err(io::IntoInnerError::into_error)
}

impl Recording<'_> {
    fn note(&mut self, at: Cycle, what: RecordedKind) {
        self.note_at(at.to_time(self.base_cycle), what);
    }

    fn note_at(&mut self, at: Time, what: RecordedKind) {
        self.bounded.note(RecordedEvent { at: at.as_ps(), what });
    }

    fn step(&mut self, at: Cycle, step: Step, input: End, output: End, worm: WormId) {
        debug_assert_eq!(input.node, output.node, "a worm goes from port to port of one node");
        let (node, input, output) = (input.node, input.port, output.port);
        self.note(at, RecordedKind::Step { step, worm: worm.serial, node, input, output });
    }
}

impl Observer for Recording<'_> {
    fn started(&mut self, at: Cycle, port: End, worm: WormId, turns: u32, payload: u32) {
        // Names are requested in the order of starts, whether they are kept or not.
        let name = self.names.of(worm);
        self.note(
            at,
            RecordedKind::Start(Box::new(WormStart { worm: worm.serial, port, name, turns, payload })),
        );
    }

    fn arrived(&mut self, at: Cycle, port: End, worm: WormId) {
        self.step(at, Step::Arrive, port, port, worm);
    }

    fn waits(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.step(at, Step::Wait, input, output, worm);
    }

    fn granted(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.step(at, Step::Grant, input, output, worm);
    }

    fn released(&mut self, at: Cycle, input: End, output: End, worm: WormId) {
        self.step(at, Step::Release, input, output, worm);
    }

    fn flow(&mut self, at: Cycle, port: End, flow: Flow) {
        self.note(at, RecordedKind::Flow(port, flow));
    }

    fn flow_control(&mut self, at: Cycle, port: End, stop: bool) {
        self.note(at, RecordedKind::Control(port, stop));
    }

    fn reset(&mut self, at: Cycle, output: End, worm: WormId) {
        self.step(at, Step::Reset, output, output, worm);
    }

    fn deadlocked(&mut self, at: Cycle, nth: usize, members: &[Member], worms: &[WormId]) {
        let members = members.iter().zip(worms);
        let members = members.map(|(member, worm)| (worm.serial, member.input, member.output)).collect();
        self.note(at, RecordedKind::Deadlock(Box::new(DeadlockStart { nth: narrow(nth), members })));
    }

    fn cleared(&mut self, at: Cycle, nth: usize, output: End) {
        self.note(at, RecordedKind::Clear(narrow(nth), output));
    }

    fn ended(&mut self, at: Cycle, worm: WormId, fate: &Fate) {
        let fate: Result<HostId, Cause> = match *fate {
            Fate::Delivered { host, .. } => Ok(host),
            Fate::Destroyed { cause, .. } => Err(cause),
        };
        self.note(at, RecordedKind::End(worm.serial, fate));
    }

    fn cable(&mut self, at: Cycle, link: LinkId, up: bool) {
        self.note(at, RecordedKind::Cable(link, up));
    }
}

fn narrow(nth: usize) -> u32 {
    u32::try_from(nth).expect("fewer deadlocks than 2^32")
}

impl ProcessObserver for Recording<'_> {
    fn sends(&mut self, at: Time, host: HostId, route: &[Turn], message: &host::Message) {
        self.note_at(at, RecordedKind::Send(Box::new(recorded(host, route, message))));
    }

    fn receives(&mut self, at: Time, host: HostId, message: &host::Message) {
        self.note_at(at, RecordedKind::Receive(Box::new(recorded(host, &[], message))));
    }
}

fn recorded(host: HostId, route: &[Turn], message: &host::Message) -> Message {
    Message {
        host,
        kind: message.body.kind().to_owned(),
        nonce: message.body.nonce(),
        route: route.to_vec(),
        length: message.length,
        bytes: host::encode(message),
    }
}

impl<P> ethernet::Observer<P> for Recording<'_> {
    fn passed(&mut self, now: Time, port: End, way: Direction, frame: &Frame<P>, _: &dyn Fn(&mut Vec<u8>)) {
        let destination = match frame.destination {
            Address::Host(host) => Some(host),
            Address::Broadcast => None,
        };
        let (arrives, source, bytes) = (way == Direction::In, frame.source, frame.length());
        self.note_at(now, RecordedKind::Frame { port, arrives, source, destination, bytes });
    }

    fn paused(&mut self, now: Time, port: End, way: Direction, says: PauseFrame) {
        self.note_at(now, RecordedKind::Pause { port, obeyed: way == Direction::In, says });
    }

    fn ran_out(&mut self, now: Time, port: End, priorities: u8) {
        let says = PauseFrame { priorities, paused: 0, quanta: 0 };
        self.note_at(now, RecordedKind::Pause { port, obeyed: true, says });
    }

    fn deadlocked(&mut self, nth: usize, deadlock: &ethernet::Deadlock) {
        let before = deadlock.members.iter().cycle().skip(deadlock.members.len() - 1);
        let members =
            deadlock.members.iter().zip(before).map(|(member, before)| (before.input, member.output));
        let (nth, priority, members) = (narrow(nth), deadlock.priority, members.collect());
        self.note_at(deadlock.formed, RecordedKind::Circle(Box::new(CircleStart { nth, priority, members })));
    }

    fn cleared(&mut self, now: Time, nth: usize, output: End) {
        self.note_at(now, RecordedKind::Clear(narrow(nth), output));
    }
}
