//! Where nothing but PAUSE frames is left that say again what holds: they stand still, so that a run can end.
//!
//! # Scope and limitations
//! Everything is looked at only at the end of an instant at which such a frame began, or at which PAUSE frames went on
//! again. See [`pfc`](crate::ethernet::pfc) for what that means for times.
//!
//! # Validation
//! `tests/media/oracle/pfc.rs`, with the same rule on a state without events.

use simnet_base::ids::Node;

use super::state::{Pfc, bit};
use super::{PRIORITIES, PauseFrame};
use crate::ethernet::engine::{Ethernet, opposite};

impl Pfc {
    /// Whether the watchdog is going to do something to a queue.
    fn is_watched(&self, channel: usize) -> bool {
        let sender = &self.senders[channel];
        let restores = sender.stormy & !sender.paused != 0;
        let bites = sender.paused & sender.filled & !sender.stormy != 0;
        self.parameters.watchdog.is_some() && (restores || bites)
    }

    /// Whether PAUSE frames to the sender of a channel, and what waits there, leave all as it is for ever: the sender
    /// has only paused frames, and no pause runs out before it is said again.
    fn stays(&self, channel: u32, now: u64) -> bool {
        let (sender, input) = (&self.senders[channel as usize], &self.inputs[channel as usize]);
        let mut until = self.runs_out(channel);
        let lasts = self.senders[opposite(channel) as usize].controls.iter().all(|control| {
            let PauseFrame { priorities, paused, .. } = control.says;
            let is_in_time =
                control.at <= std::mem::replace(&mut until, control.at.saturating_add(input.lasting));
            is_in_time && paused == priorities && paused & !sender.paused == 0
        });
        lasts
            && (input.wanted, input.told) == (sender.paused, sender.paused)
            && input.refresh > now
            && sender.filled & !sender.paused == 0
            && sender.leaving.is_none()
            && !self.is_watched(channel as usize)
    }
}

impl<P: Clone> Ethernet<P> {
    /// Lets PAUSE frames stand still if nothing else can happen any more. Costs O(channels) if no frame is on a cable.
    pub(super) fn stand_still_if_quiet(&mut self) {
        let Some(pfc) = self.pfc.as_deref() else { return };
        let hosts = 2 * self.channels..2 * self.channels + self.hosts();
        let is_quiet = self.frames.len() == pfc.waiting
            && (0..self.channels).all(|channel| pfc.stays(channel, self.now))
            && hosts.into_iter().all(|number| self.due.due(number).is_none())
            && (0..self.channels).all(|channel| !self.is_busy_host(channel));
        if !is_quiet {
            return;
        }
        for number in 0..3 * self.channels + self.hosts() + 1 {
            if self.due.due(number).is_some() {
                self.due.cancel(number);
            }
        }
        let now = self.now;
        let pfc = self.pfc_mut();
        pfc.still_since = Some(now);
        for (channel, sender) in (0..).zip(&pfc.senders) {
            let filled = (0..PRIORITIES).filter(|priority| sender.filled & bit(*priority) != 0);
            filled.for_each(|priority| pfc.watch.suspect(channel, priority));
        }
    }

    /// Whether a channel begins at a host that cannot send at once.
    fn is_busy_host(&self, channel: u32) -> bool {
        let is_host = matches!(self.ends[channel as usize].from.node, Node::Host(_));
        is_host && self.outputs[channel as usize].free > self.now
    }

    /// Lets PAUSE frames go on as they stood, later by as long as they did.
    pub(in crate::ethernet) fn go_on(&mut self) {
        let now = self.now;
        let Some(pfc) = self.pfc.as_deref_mut() else { return };
        let Some(since) = pfc.still_since.take() else { return };
        let stood = now - since;
        for sender in &mut pfc.senders {
            sender.controls.iter_mut().for_each(|control| control.at = control.at.saturating_add(stood));
            let paused = sender.paused;
            for priority in (0..PRIORITIES).filter(|priority| paused & bit(*priority) != 0) {
                let until = &mut sender.until[usize::from(priority)];
                *until = until.saturating_add(stood);
            }
        }
        for input in &mut pfc.inputs {
            input.refresh = input.refresh.saturating_add(stood);
        }
        pfc.may_be_quiet = true;
        for channel in 0..self.channels {
            self.set_control(channel);
            self.poke(opposite(channel));
        }
        self.set_alarm();
        self.set_look();
    }
}
