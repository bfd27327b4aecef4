//! An output port: its queue, the frames on the cable behind it, and the room they take.

use std::collections::VecDeque;

use super::frame::{Frame, GAP, PREAMBLE};
use super::pace::Pace;

/// A frame that waits at a port, or is on the cable behind it.
#[derive(Clone, Debug)]
pub(super) struct Flight<P> {
    /// When its last bit is at the far end, in picoseconds.
    pub(super) arrival: u64,
    pub(super) frame: Frame<P>,
}

/// A port and its cable. Since the queue is first in, first out, a frame's arrival at the far end is known as soon as
/// it is taken in: waiting costs no event.
#[derive(Clone, Debug)]
pub(super) struct Output<P> {
    /// The frames that have not arrived at the far end yet, in order.
    pub(super) flights: VecDeque<Flight<P>>,
    /// The first instant at which another frame can begin to leave.
    pub(super) free: u64,
    /// From one end of the cable to the other.
    delay: u64,
    pub(super) pace: Pace,
    /// How many of `flights`, from the front, are known to have left the port.
    left: usize,
    /// The bytes of the others.
    pub(super) occupied: u64,
}

impl<P> Output<P> {
    pub(super) fn new(pace: Pace, delay: u64) -> Output<P> {
        Output { flights: VecDeque::new(), free: 0, delay, pace, left: 0, occupied: 0 }
    }

    /// Takes in a frame that can leave from `ready` on; gives the instants at which its first bit leaves and at which
    /// its last one is at the far end.
    pub(super) fn send(&mut self, frame: Frame<P>, ready: u64) -> (u64, u64) {
        let length = frame.length();
        let start = ready.max(self.free);
        let arrival = start.saturating_add(self.pace.time(PREAMBLE + length)).saturating_add(self.delay);
        self.free = start.saturating_add(self.pace.time(PREAMBLE + length + GAP));
        self.occupied += u64::from(length);
        self.flights.push_back(Flight { arrival, frame });
        (start, arrival)
    }

    /// Takes the frame that is at the far end off the cable; gives it with the bytes that became free with it.
    pub(super) fn arrived(&mut self) -> Option<(Frame<P>, u64)> {
        let flight = self.flights.pop_front()?;
        if self.left > 0 {
            self.left -= 1;
            return Some((flight.frame, 0));
        }
        let freed = u64::from(flight.frame.length());
        self.occupied -= freed;
        Some((flight.frame, freed))
    }

    /// Frees the room of the frames whose last bit has left by `now`; gives their bytes.
    pub(super) fn settle(&mut self, now: u64) -> u64 {
        let mut freed = 0;
        while let Some(flight) = self.flights.get(self.left)
            && flight.arrival - self.delay <= now
        {
            freed += u64::from(flight.frame.length());
            self.left += 1;
        }
        self.occupied -= freed;
        freed
    }
}
