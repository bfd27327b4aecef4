//! A medium that loses a message, for all that must end in a report then.

use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};
use simnet_media::medium::{Event, Ideal, Medium, Message};

/// Loses one message of the ranks on another medium.
pub(super) struct Losing {
    inner: Ideal,
    /// How many messages of ranks until the one that is lost.
    until: u64,
    lost: Option<u64>,
    /// How many messages of other tags than the ranks' there were.
    pub(super) others: u64,
}

impl Losing {
    /// Loses message `until` of the ranks, counted from 0.
    pub(super) fn new(inner: Ideal, until: u64) -> Losing {
        Losing { inner, until, lost: None, others: 0 }
    }
}

impl Medium for Losing {
    fn send(&mut self, message: Message, now: Time) {
        if message.tag >= 1 << 63 {
            self.others += 1;
        } else {
            if self.until == 0 {
                self.lost = Some(message.tag);
            }
            self.until = self.until.wrapping_sub(1);
        }
        self.inner.send(message, now);
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        let (at, event) = self.inner.advance(until)?;
        match event {
            Event::Delivered(tag) if self.lost == Some(tag) => {
                self.lost = None;
                Some((at, Event::Lost(tag)))
            }
            other => Some((at, other)),
        }
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        self.inner.occupies(source, bytes)
    }
}
