//! Lost messages: a report, never a wait without end, and never another message in the lost one's place.

use simnet_base::units::{Bytes, Duration};
use simnet_media::host::collective::Algorithm;
use simnet_media::medium::Ideal;
use simnet_running::simulation::ranks::{self, Protocol, Stuck, Waits};

use super::super::losing::Losing;
use super::{job, megabits};
use support_network::cases;

fn losing(ranks: usize, until: u64) -> Losing {
    Losing::new(Ideal::new(ranks, megabits(100), Duration::from_us(1)), until)
}

/// Wrong if a later message took the lost one's place, or the report named another rank.
#[test]
fn a_rank_waits_for_the_lost_message_and_says_so() {
    // Rank 0's first message to rank 1 is the first message; eagerly, rank 0 goes on until its own receive fails.
    let outcome = ranks::run(&mut losing(3, 0), &job(Algorithm::Ring, 3, 500, Protocol::EAGER)).unwrap();
    assert_eq!((outcome.lost, outcome.wrong), (vec![(0, 1)], 0));
    let waits = |rank, from| Stuck { rank, iteration: 0, waits: vec![Waits::Message { from }] };
    assert_eq!(outcome.stuck, [waits(1, 0), waits(2, 1)]);
    let outcome = ranks::run(&mut losing(2, 0), &job(Algorithm::Ring, 2, 500, Protocol::RENDEZVOUS)).unwrap();
    let expected = [
        Stuck { rank: 0, iteration: 0, waits: vec![Waits::Send { to: 1 }] },
        Stuck { rank: 1, iteration: 0, waits: vec![Waits::Message { from: 0 }] },
    ];
    assert_eq!(outcome.stuck, expected);
    assert_eq!((outcome.mean(), outcome.share_right()), (None, 0.0));
}

/// Wrong if some loss anywhere made a run hang, gave a wrong buffer, or went unsaid.
#[test]
fn any_loss_ends_in_a_report() {
    for case in 0..cases(2_000) {
        let ranks = 2 + usize::try_from(case % 9).unwrap();
        let algorithm = Algorithm::ALL[usize::try_from(case % 7).unwrap()];
        let protocol = match case % 3 {
            0 => Protocol::EAGER,
            1 => Protocol::RENDEZVOUS,
            _ => Protocol { handshake: true, ..Protocol::switched(Bytes(400)) },
        };
        let job = ranks::Job { iterations: 2, ..job(algorithm, ranks, 300, protocol) };
        let outcome = ranks::run(&mut losing(ranks, case * 7 % 31), &job).unwrap();
        assert_eq!(outcome.wrong, 0, "case {case}");
        assert_eq!(outcome.lost.is_empty(), outcome.is_complete(), "case {case}: {:?}", outcome.stuck);
        let all = 2 * ranks as u64;
        assert_eq!(outcome.right == all, outcome.lost.is_empty(), "case {case}");
    }
}
