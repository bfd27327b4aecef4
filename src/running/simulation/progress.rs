//! How far a run has come, reported now and then. Reports change no result.

use std::fmt;

use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};
use simnet_media::medium::{Event, Medium, Message};

/// Hears how far a run has come; for progress bars. May be called from several threads.
pub trait Progress: Sync {
    /// A new stage begins, of `steps` steps.
    fn stage(&self, name: &str, steps: u64);
    /// A step of the stage is done.
    fn step(&self);
    /// Within a step that is not done, this much more simulated time has passed, and this share more of the step is
    /// done: less than 0 where it turns out to be longer than it seemed, and all of it taken back before it is done.
    fn pass(&self, _simulated: Duration, _share: f64) {}
    /// Whether the run is to end now: load points that are done are kept, those under way are given up. Once it is, it
    /// stays so. Asked at every message that ends.
    fn is_stopped(&self) -> bool {
        false
    }
}

impl Progress for () {
    fn stage(&self, _name: &str, _steps: u64) {}
    fn step(&self) {}
}

/// Receives how far a run has come; by default nothing does.
#[derive(Clone, Copy)]
pub struct Listener<'a>(pub &'a dyn Progress);

impl Default for Listener<'_> {
    fn default() -> Self {
        Listener(&())
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// Beats between two tellings: few enough to see a long run move, too many to cost anything.
const BEATS: u32 = 1_024;
/// The same where a beat is what becomes of a message, which is many frames or flits.
const MESSAGE_BEATS: u32 = 16;

/// The pulse of one step. What it has reported is taken back when it is dropped, before the step counts whole.
#[derive(Debug)]
pub(super) struct Pulse<'a> {
    listener: Listener<'a>,
    beats: u32,
    every: u32,
    reported: Time,
    share: f64,
    /// When the step seems to be over, if that is known.
    end: Option<Time>,
    /// Whether the step was found to be given up.
    stopped: bool,
}

impl<'a> Pulse<'a> {
    /// The pulse of a step that begins at instant 0 of its clock.
    pub(super) fn new(listener: Listener<'a>) -> Pulse<'a> {
        Pulse {
            listener,
            beats: 0,
            every: BEATS,
            reported: Time::ZERO,
            share: 0.0,
            end: None,
            stopped: false,
        }
    }

    /// From now on the step seems to end at this instant.
    pub(super) fn aim(&mut self, end: Time) {
        self.end = Some(end);
    }

    /// Asks whether the step is to be given up.
    #[inline]
    pub(super) fn ask_stop(&mut self) -> bool {
        self.stopped |= self.listener.0.is_stopped();
        self.stopped
    }

    /// Whether the step was found to be given up, so that its figures mean nothing.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Something has happened; of many beats one is reported. Costs next to nothing.
    #[inline]
    pub(super) fn beat(&mut self, now: impl FnOnce() -> Time) {
        self.beats += 1;
        if self.beats == self.every {
            self.beats = 0;
            self.report(now());
        }
    }

    #[cold]
    fn report(&mut self, now: Time) {
        let now = now.max(self.reported);
        let share = self.end.map_or(0.0, |end| now.as_ps() as f64 / end.as_ps().max(1) as f64).min(1.0);
        self.listener.0.pass(now.since(self.reported), share - self.share);
        (self.reported, self.share) = (now, share);
    }
}

impl Drop for Pulse<'_> {
    fn drop(&mut self) {
        if self.share > 0.0 {
            self.listener.0.pass(Duration::from_ps(0), -self.share);
        }
    }
}

/// A medium whose events are the beats of a pulse. Messages pass through as they are.
#[derive(Debug)]
pub(super) struct Heard<'a, M> {
    medium: &'a mut M,
    pulse: Pulse<'a>,
}

impl<'a, M> Heard<'a, M> {
    /// The medium, idle before, heard from the start of its clock.
    pub(super) fn new(medium: &'a mut M, listener: Listener<'a>) -> Heard<'a, M> {
        let mut pulse = Pulse::new(listener);
        pulse.every = MESSAGE_BEATS;
        Heard { medium, pulse }
    }
}

impl<M: Medium> Medium for Heard<'_, M> {
    fn send(&mut self, message: Message, now: Time) {
        self.medium.send(message, now);
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        let next = self.medium.advance(until);
        if let Some((at, _)) = next {
            self.pulse.beat(|| at);
        }
        next
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        self.medium.occupies(source, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<(u64, f64)>>);

    impl Progress for Heard {
        fn stage(&self, _name: &str, _steps: u64) {}
        fn step(&self) {}
        fn pass(&self, simulated: Duration, share: f64) {
            self.0.lock().unwrap().push((simulated.as_ps(), share));
        }
    }

    /// Wrong if each beat is reported, time is reported twice, or a share stays after its step.
    #[test]
    fn shares_add_up_and_are_taken_back() {
        let heard = Heard::default();
        let mut pulse = Pulse::new(Listener(&heard));
        pulse.aim(Time::from_ps(8_192));
        for now in 1..=2_048 {
            pulse.beat(|| Time::from_ps(now));
        }
        pulse.aim(Time::from_ps(16_384));
        (2_049..=3_072).for_each(|now| pulse.beat(|| Time::from_ps(now)));
        drop(pulse);
        let heard = heard.0.into_inner().unwrap();
        assert_eq!(heard, [(1_024, 0.125), (1_024, 0.125), (1_024, -0.0625), (0, -0.1875)]);
    }
}
