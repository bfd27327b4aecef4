//! The log as a file: a heading, then scenes in blocks, each of them with a check.
//!
//! ```text
//!   file     magic, heading, scene*, close
//!   scene    S: the scene as JSON,  B: 32 to 4,096 events,  B, ...,  E: the scene as JSON, its counts now true
//!   heading  H: JSON, the network in it as simnet-topology/1
//!   close    Z: how many scenes there are
//!
//!   each part: letter, length (4 bytes, little endian), that many bytes, check (16 bytes)
//! ```
//! A check is the beginning of the BLAKE3 hash of the check before it and of its own part; a scene goes on from the
//! heading's. So no part can be altered, lost or moved unnoticed, and what stands before the damage can be trusted.
//! `code` turns events into bytes.

use std::io::{self, Write};

use serde_json::json;

use simnet_base::units::Time;
use simnet_network::topology::formats::{self, Format};

use super::recorded::WormNumbers;
use super::{Event, EventKind, Heading, Scene, Sink, code};

/// The first bytes of every log. The first is no text in any encoding, and the last is lost where lines are mended.
pub const MAGIC: [u8; 8] = *b"\x89simlog\n";

/// The version of the format, as the heading has it.
pub const FORMAT: &str = "simnet-events/1";

/// Events of the first blocks of a scene.
const FIRST_BLOCK_EVENTS: u32 = 32;
/// Events of a block, at most.
const BLOCK_EVENTS: u32 = 4_096;
/// Bytes of a block from which on no event is added.
const BLOCK_BYTES: usize = 1 << 18;

/// A check of a part and of all before it.
pub(super) type Check = [u8; 16];

/// The check of a part that follows one with the check `before`.
pub(super) fn check(before: &Check, letter: u8, bytes: &[u8]) -> Check {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before).update(&[letter]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    let mut check = Check::default();
    check.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    check
}

/// Writes a part and gives its check.
fn part(before: &Check, letter: u8, bytes: &[u8], out: &mut impl Write) -> io::Result<Check> {
    let check = check(before, letter, bytes);
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("a part of 4 GiB or more"))?;
    out.write_all(&[letter])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(bytes)?;
    out.write_all(&check)?;
    Ok(check)
}

/// The heading as JSON.
fn heading_json(heading: &Heading) -> Vec<u8> {
    let network = formats::write(&heading.network, Format::Json);
    let network: serde_json::Value = serde_json::from_str(&network).expect("networks are written as JSON");
    let value = json!({
        "format": FORMAT,
        "scenario": heading.scenario,
        "description": heading.description,
        "seed": heading.seed,
        "base_cycle_ps": heading.base_cycle.as_ps(),
        "stop_flits": heading.stop,
        "buffer_flits": heading.buffer,
        "network": network,
    });
    value.to_string().into_bytes()
}

/// The beginning of a log.
#[derive(Clone, Debug)]
pub(super) struct Start {
    bytes: Vec<u8>,
    pub(super) mark: Mark,
}

/// What scenes have of the beginning of their log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    base_ps: u64,
    check: Check,
}

impl Start {
    /// The beginning of a log with this heading.
    pub(super) fn new(heading: &Heading) -> Start {
        let mut bytes = MAGIC.to_vec();
        let check = part(&Check::default(), b'H', &heading_json(heading), &mut bytes);
        let check = check.expect("a network is described in less than 4 GiB, and memory can be written to");
        Start { bytes, mark: Mark { base_ps: base_ps(heading), check } }
    }

    /// Writes it.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.bytes)
    }
}

impl Mark {
    /// Writes the end of a log of so many scenes.
    pub(super) fn close(&self, scenes: u32, out: &mut impl Write) -> io::Result<()> {
        part(&self.check, b'Z', &scenes.to_le_bytes(), out).map(|_| ())
    }
}

/// Picoseconds of a base cycle; a network without one counts in picoseconds.
pub(super) fn base_ps(heading: &Heading) -> u64 {
    heading.base_cycle.as_ps().max(1)
}

/// Writes scenes: the log itself as a sink. Worms are numbered afresh, in order of first sight.
#[derive(Debug)]
pub struct LogWriter<W> {
    out: W,
    mark: Mark,
    check: Check,
    block: Vec<u8>,
    in_block: u32,
    before: Time,
    scene: Option<Scene>,
    written: u64,
    scenes: u32,
    worms: WormNumbers,
}

impl<W: Write> LogWriter<W> {
    /// A log with this heading, written to `out`.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(mut out: W, heading: &Heading) -> io::Result<LogWriter<W>> {
        let start = Start::new(heading);
        start.write(&mut out)?;
        Ok(LogWriter::scenes_only(out, start.mark))
    }

    /// The scenes of a log, and neither its beginning nor its end.
    pub(super) fn scenes_only(out: W, mark: Mark) -> LogWriter<W> {
        LogWriter {
            out,
            check: mark.check,
            mark,
            block: Vec::new(),
            in_block: 0,
            before: Time::ZERO,
            scene: None,
            written: 0,
            scenes: 0,
            worms: WormNumbers::default(),
        }
    }

    /// Where it was written to. A scene that has not been ended stays without an end.
    pub(super) fn into_inner(self) -> W {
        self.out
    }

    fn part(&mut self, letter: u8, bytes: &[u8]) -> io::Result<()> {
        self.check = part(&self.check, letter, bytes, &mut self.out)?;
        Ok(())
    }

    fn flush_block(&mut self) -> io::Result<()> {
        if self.in_block == 0 {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        self.part(b'B', &block)?;
        self.block = block;
        self.block.clear();
        self.in_block = 0;
        Ok(())
    }

    /// Ends the scene that is open, if one is.
    fn end_scene(&mut self) -> io::Result<()> {
        self.flush_block()?;
        let Some(scene) = self.scene.take() else { return Ok(()) };
        // What a filter left out counts as left out: the sum is what happened.
        let left_out = scene.left_out + scene.events.saturating_sub(self.written);
        let ended = Scene { events: self.written, left_out, ..scene };
        self.part(b'E', &scene_json(&ended))
    }

    /// Appends an event of the open scene whose worms have their numbers: in order of first sight.
    pub(super) fn append(&mut self, event: &Event) -> io::Result<()> {
        // Blocks grow with the scene, so that little is lost with a block, whether the log is short or long.
        let most = (self.written / 2).clamp(u64::from(FIRST_BLOCK_EVENTS), u64::from(BLOCK_EVENTS));
        if u64::from(self.in_block) >= most || self.block.len() >= BLOCK_BYTES {
            self.flush_block()?;
        }
        code::put(event, self.before, self.mark.base_ps, &mut self.block);
        (self.before, self.in_block, self.written) = (event.at, self.in_block + 1, self.written + 1);
        Ok(())
    }

    fn renumbered(&mut self, event: &Event) -> Event {
        let mut event = event.clone();
        let over = if let EventKind::End { worm, .. } = event.what { Some(worm) } else { None };
        event.what.renumber(|worm| self.worms.number(worm.into()));
        over.into_iter().for_each(|worm| self.worms.forget(worm.into()));
        event
    }
}

fn scene_json(scene: &Scene) -> Vec<u8> {
    serde_json::to_vec(scene).expect("a scene is plain data")
}

impl<W: Write> Sink for LogWriter<W> {
    fn scene(&mut self, scene: &Scene) -> io::Result<()> {
        self.end_scene()?;
        self.check = self.mark.check;
        (self.before, self.written) = (Time::ZERO, 0);
        self.worms = WormNumbers::default();
        self.scenes += 1;
        self.part(b'S', &scene_json(scene))?;
        self.scene = Some(scene.clone());
        Ok(())
    }

    fn event(&mut self, _scene: &Scene, event: &Event) -> io::Result<()> {
        let event = self.renumbered(event);
        self.append(&event)
    }

    fn end(&mut self, scene: &Scene) -> io::Result<()> {
        if let Some(open) = &mut self.scene {
            *open = scene.clone();
        }
        self.end_scene()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.end_scene()?;
        self.mark.close(self.scenes, &mut self.out)?;
        self.out.flush()
    }
}

impl EventKind {
    /// Gives every worm that it names another number.
    pub(super) fn renumber(&mut self, mut number: impl FnMut(u32) -> u32) {
        match self {
            EventKind::Start { worm, .. }
            | EventKind::Arrive { worm, .. }
            | EventKind::Wait { worm, .. }
            | EventKind::Grant { worm, .. }
            | EventKind::Release { worm, .. }
            | EventKind::Reset { worm, .. }
            | EventKind::End { worm, .. } => *worm = number(*worm),
            EventKind::Deadlock { members, .. } => {
                members.iter_mut().for_each(|(worm, _, _)| *worm = number(*worm));
            }
            EventKind::Flow { .. }
            | EventKind::Control { .. }
            | EventKind::Clear { .. }
            | EventKind::Circle { .. }
            | EventKind::Pause { .. }
            | EventKind::Cable { .. }
            | EventKind::Send(_)
            | EventKind::Receive(_)
            | EventKind::Frame { .. } => {}
        }
    }
}
