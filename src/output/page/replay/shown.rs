//! What of an event log a page shows: read in two passes, so that a log may be larger than memory.

use simnet_media::trace::{Event, Heading, LogEntry, LogFault, Reader, Scene};

use super::window::{Extent, Window, first, quotas};

/// The scenes of a log as a page shows them.
#[derive(Debug)]
pub(super) struct Shown {
    /// What the log says first.
    pub(super) heading: Heading,
    /// Its scenes that have events.
    pub(super) scenes: Vec<ShownScene>,
    /// What is wrong with the log; what was whole is shown all the same.
    pub(super) complaint: Option<String>,
}

/// A scene as a page shows it.
#[derive(Debug)]
pub(super) struct ShownScene {
    /// What it is.
    pub(super) scene: Scene,
    /// The position in the log of the first event after those from before.
    pub(super) first: u64,
    /// So many events at the beginning are from before: they say how things stand when it begins.
    pub(super) before: usize,
    /// What is shown.
    pub(super) events: Vec<Event>,
    /// The events that the log has.
    pub(super) in_log: u64,
}

/// Reads what a page shows of a log: at most so many events.
///
/// # Errors
/// [`LogFault`] if not even the heading can be read.
pub(super) fn read(open: impl Fn() -> Result<Reader, LogFault>, most: usize) -> Result<Shown, LogFault> {
    let mut reader = open()?;
    let heading = reader.heading().clone();
    let mut extents: Vec<Extent> = Vec::new();
    let fault = each(&mut reader, |step| match step {
        Step::Scene(_) => extents.push(Extent::default()),
        Step::Event(event) => {
            let Some(extent) = extents.last_mut() else { return };
            if event.what.is_deadlock() {
                extent.deadlock = extent.deadlock.or(Some(extent.events));
            }
            extent.events += 1;
        }
    });
    let shares = quotas(&extents, most as u64);
    let mut firsts: Vec<u64> =
        extents.iter().zip(&shares).map(|(extent, share)| first(*extent, *share)).collect();
    let mut scenes = gather(open()?, &extents, &firsts, &shares);
    // Where nearly all the room is needed to say how things stand, the beginning says more.
    let mut again = false;
    for (nth, shown) in scenes.iter().enumerate() {
        if shown.first > 0 && shown.before as u64 > shares[nth] / 2 {
            firsts[nth] = 0;
            again = true;
        }
    }
    if again {
        scenes = gather(open()?, &extents, &firsts, &shares);
    }
    scenes.retain(|shown| !shown.events.is_empty());
    Ok(Shown { heading, scenes, complaint: fault.map(|fault| fault.to_string()) })
}

enum Step {
    Scene(Scene),
    Event(Event),
}

/// Tells what a log holds up to its end, or to where it is damaged.
fn each(reader: &mut Reader, mut show: impl FnMut(Step)) -> Option<LogFault> {
    loop {
        match reader.read_entry() {
            Ok(Some(LogEntry::Scene(scene))) => show(Step::Scene(scene)),
            Ok(Some(LogEntry::Event(event))) => show(Step::Event(event)),
            Ok(Some(LogEntry::SceneEnd(_))) => {}
            Ok(None) => return None,
            Err(fault) => return Some(fault),
        }
    }
}

fn gather(mut reader: Reader, extents: &[Extent], firsts: &[u64], shares: &[u64]) -> Vec<ShownScene> {
    let mut windows: Vec<(Scene, Window)> = Vec::new();
    // The first pass has reported the fault.
    each(&mut reader, |step| match step {
        Step::Scene(scene) => {
            let nth = windows.len();
            let (begin, share) = (firsts.get(nth).copied(), shares.get(nth).copied());
            windows.push((scene, Window::new(begin.unwrap_or(0), share.unwrap_or(0))));
        }
        Step::Event(event) => {
            if let Some((_, window)) = windows.last_mut() {
                window.take(event);
            }
        }
    });
    let scenes = windows.into_iter().zip(firsts).zip(extents);
    scenes
        .map(|(((scene, window), first), extent)| {
            let (mut before, events) = window.into_events();
            if *first == 0 {
                // A log that was recorded in bounds begins with such events of its own.
                before = events.iter().take_while(|event| event.at < scene.from).count();
            }
            ShownScene { scene, first: *first, before, events, in_log: extent.events }
        })
        .collect()
}
