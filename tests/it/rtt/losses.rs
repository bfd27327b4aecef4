//! Lost messages: a report of who waits for whom, never a wait without end.

use simnet::ids::HostId;
use simnet::medium::{Event, Ideal, Medium, Parcel};
use simnet::simulation::ranks::{Noise, Waits};
use simnet::simulation::rtt;
use simnet::units::{Bytes, Duration, Time};

use super::{job, megabits};
use crate::support::cases;

/// Loses one parcel of the ranks on another medium.
struct Losing {
    inner: Ideal,
    /// How many parcels of ranks until the one that is lost.
    until: u64,
    lost: Option<u64>,
    /// How many parcels of other tags than the ranks' there were.
    beside: u64,
}

impl Medium for Losing {
    fn send(&mut self, parcel: Parcel, now: Time) {
        if parcel.tag >= 1 << 63 {
            self.beside += 1;
        } else {
            if self.until == 0 {
                self.lost = Some(parcel.tag);
            }
            self.until = self.until.wrapping_sub(1);
        }
        self.inner.send(parcel, now);
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

/// Wrong if a loss hung the run, if background traffic kept it going, or if the report named another rank.
#[test]
fn whoever_waits_for_a_lost_message_is_named() {
    let machines = 4;
    let mut with = job(machines);
    with.plan.first = 2;
    with.plan.round_trips = 1;
    let all = rtt::run(&mut Ideal::new(machines, megabits(100), Duration::ZERO), &with).unwrap().messages;
    for nth in 0..cases(all * 20).min(all) {
        for background_ppm in [0, 200_000] {
            with.noise = Noise { background_ppm, background_message: Bytes(700), ..Noise::NONE };
            let inner = Ideal::new(machines, megabits(100), Duration::from_us(1));
            let mut medium = Losing { inner, until: nth, lost: None, beside: 0 };
            let outcome = rtt::run(&mut medium, &with).unwrap();
            let [(from, to)] = outcome.lost[..] else { panic!("message {nth}: {:?}", outcome.lost) };
            let waits = vec![Waits::Message { from }];
            assert!(
                outcome.stuck.iter().any(|stuck| stuck.rank == to && stuck.waits == waits),
                "message {nth}"
            );
            assert_eq!(outcome.rtts, None, "message {nth}");
            assert_eq!(medium.beside > 0, background_ppm > 0);
        }
    }
}
