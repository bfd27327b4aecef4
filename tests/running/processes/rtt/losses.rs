//! Lost messages: a report of which rank waits for which, never an endless wait.

use simnet_base::units::{Bytes, Duration};
use simnet_media::medium::Ideal;
use simnet_running::simulation::ranks::{Noise, Waits};
use simnet_running::simulation::rtt;

use super::super::losing::Losing;
use super::{job, megabits};
use support_network::cases;

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
            let mut medium = Losing::new(inner, nth);
            let outcome = rtt::run(&mut medium, &with).unwrap();
            let [(from, to)] = outcome.lost[..] else { panic!("message {nth}: {:?}", outcome.lost) };
            let waits = vec![Waits::Message { from }];
            assert!(
                outcome.stuck.iter().any(|stuck| stuck.rank == to && stuck.waits == waits),
                "message {nth}"
            );
            assert_eq!(outcome.rtts, None, "message {nth}");
            assert_eq!(medium.others > 0, background_ppm > 0);
        }
    }
}
