//! Where events go: what all writers have in common.
//!
//! ```text
//!   Reader ──scene──▶ Sink          scene, (event | skip)*, end, scene, ..., finish
//!            event
//! ```

use std::collections::BTreeMap;
use std::io;

use super::{Event, EventKind, Scene};
use simnet_base::units::Time;

/// Someone who takes a log scene by scene and event by event, and writes it as something. Made from where it writes and
/// the log's heading; holds no more in memory than what is alive at an instant.
///
/// A filter calls [`Sink::event`] for what is kept and [`Sink::skip`] for what is not. So a writer must put up
/// with beginnings without ends and the reverse: a release whose grant was left out is no fault.
pub trait Sink {
    /// A scene begins. Its counts may not be known yet.
    ///
    /// # Errors
    /// Those of writing.
    fn scene(&mut self, scene: &Scene) -> io::Result<()>;

    /// An event of the scene; they come in order of time.
    ///
    /// # Errors
    /// Those of writing.
    fn event(&mut self, scene: &Scene, event: &Event) -> io::Result<()>;

    /// An event of the scene that is left out by a filter: a writer that calls worms by their names learns them here.
    fn skip(&mut self, _scene: &Scene, _event: &Event) {}

    /// The scene has ended; its counts are known.
    ///
    /// # Errors
    /// Those of writing.
    fn end(&mut self, _scene: &Scene) -> io::Result<()> {
        Ok(())
    }

    /// Nothing comes after this; what was held back is written.
    ///
    /// # Errors
    /// Those of writing.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The names of the worms that are alive, as a log's events give them. One a scene.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: BTreeMap<u32, String>,
    /// Worms that have ended, each with its instant: other events of that instant may still name them.
    over: Vec<(Time, u32)>,
}

impl Names {
    /// Takes note of an event before it is written.
    pub fn learn(&mut self, event: &Event) {
        if self.over.first().is_some_and(|(at, _)| *at < event.at) {
            for (_, worm) in self.over.drain(..) {
                self.names.remove(&worm);
            }
        }
        match &event.what {
            EventKind::Start { worm, name, .. } => {
                self.names.insert(*worm, name.clone());
            }
            EventKind::End { worm, .. } => self.over.push((event.at, *worm)),
            _ => {}
        }
    }

    /// The name of a worm; `None` if the log has no start of it.
    pub fn name(&self, worm: u32) -> Option<&str> {
        self.names.get(&worm).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Cause;
    use simnet_base::ids::HostId;
    use simnet_network::topology::End;

    /// Wrong if a worm lost its name before the instant of its end was over, or kept it for ever.
    #[test]
    fn names_last_as_long_as_their_worms() {
        let port = End::host(HostId(0), 0);
        let event = |at, what| Event { at: Time::from_ps(at), what };
        let start =
            |worm, name: &str| EventKind::Start { worm, port, name: name.into(), turns: 1, payload: 8 };
        let mut names = Names::default();
        names.learn(&event(1, start(0, "h0#0")));
        names.learn(&event(2, start(1, "h0#1")));
        names.learn(&event(5, EventKind::End { worm: 0, fate: Err(Cause::Reset) }));
        names.learn(&event(5, EventKind::Release { worm: 0, input: port, output: port }));
        assert_eq!((names.name(0), names.name(1), names.name(2)), (Some("h0#0"), Some("h0#1"), None));
        names.learn(&event(6, EventKind::Arrive { worm: 1, port }));
        assert_eq!((names.name(0), names.name(1)), (None, Some("h0#1")));
    }
}
