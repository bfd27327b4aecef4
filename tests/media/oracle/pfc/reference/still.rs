//! Pauses that run out, and instants from which on nothing but PAUSE frames could be sent.

use simnet_base::units::Duration;
use simnet_media::ethernet::{Direction, Frame, PauseFrame};

use super::Reference;

impl Reference<'_> {
    /// When the pauses of a sender run out.
    pub(super) fn ends_of_pauses(&self, at: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let channel = &self.channels[at];
        (0..8)
            .filter(|priority| channel.paused[*priority])
            .map(|priority| (priority, channel.until[priority]))
    }

    /// Whether a pause of a channel's sender ends although it is said again and again.
    pub(super) fn lapses(&self, at: usize) -> bool {
        let Some(quanta) = self.case.pfc.quanta else { return false };
        let (channel, longest) = (&self.channels[at], u64::from(self.case.case.parameters.mtu + 18).max(64));
        let time = channel.time(64 * u64::from(quanta));
        time / 2 + channel.time(8 + longest + 12) - 1 > time
    }

    /// Whether nothing can ever happen but that PAUSE frames say again what holds.
    pub(super) fn is_still(&self, now: u64) -> bool {
        let stays = |at: usize| {
            let channel = &self.channels[at];
            let mut until = self.ends_of_pauses(at).map(|(_, until)| until).min();
            self.channels[at ^ 1].controls.iter().all(|(arrival, says)| {
                let is_in_time = until.is_some_and(|until| *arrival <= until);
                until = Some(arrival + channel.time(64 * u64::from(says.quanta)));
                let is_paused =
                    |priority: usize| says.priorities >> priority & 1 == 0 || channel.paused[priority];
                is_in_time && says.paused == says.priorities && (0..8).all(is_paused)
            })
        };
        let channels = self.channels.iter().enumerate().all(|(at, channel)| {
            channel.cable.is_empty()
                && channel.leaving.is_none()
                && [channel.wanted, channel.told] == [channel.paused; 2]
                && self.says(at ^ 1).is_none_or(|at| at > now)
                && channel.fronts().next().is_none()
                && stays(at)
                && (0..8).all(|priority| self.alarm(at, priority).is_none())
        });
        channels
            && (0..self.waiting.len()).all(|host| {
                let Some(at) = self.interfaces[host] else { return true };
                let front = self.waiting[host].front();
                let waits =
                    |frame: &Frame<u64>| self.channels[at].paused[usize::from(self.case.priority(frame))];
                self.channels[at].free <= now && front.is_none_or(waits)
            })
    }

    /// PAUSE frames have stood still.
    pub(super) fn go_on(&mut self, span: u64) {
        self.may_be_still = true;
        for channel in &mut self.channels {
            channel.controls.iter_mut().for_each(|(at, _)| *at += span);
            channel.until.iter_mut().for_each(|until| *until = until.saturating_add(span));
            channel.last_pause += span;
        }
    }

    /// Pauses of a sender whose time is over end.
    pub(super) fn run_out(&mut self, at: usize, now: u64) {
        let over: Vec<usize> =
            self.ends_of_pauses(at).filter(|(_, until)| *until <= now).map(|it| it.0).collect();
        let sender = &mut self.channels[at];
        for priority in &over {
            sender.paused[*priority] = false;
            sender.counted[*priority].expired += 1;
            sender.counted[*priority].paused += Duration::from_ps(now - sender.since[*priority]);
            sender.since[*priority] = now;
        }
        if !over.is_empty() {
            let priorities = over.iter().fold(0, |mask, priority| mask | 1 << priority);
            self.seen.pauses.push((
                now,
                sender.from,
                Direction::In,
                PauseFrame { priorities, paused: 0, quanta: 0 },
            ));
        }
    }
}
