//! Closed forms over an ideal network: what Hockney's model gives for every algorithm.

use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::collective::Algorithm;
use simnet_media::medium::Ideal;
use simnet_running::simulation::ranks::{self, JobError, Overheads, Protocol, Software};

use super::{job, megabits, run, time};

const LATENCY: Duration = Duration::from_us(7);
/// Picoseconds a byte at 100 Mb/s.
const BYTE: u64 = 80_000;

fn software(envelope: u64) -> Software {
    let short = Overheads {
        send: Duration::from_us(3),
        receive: Duration::from_us(5),
        send_byte: Duration::from_ps(1_100),
        receive_byte: Duration::from_ps(700),
    };
    let envelope = Bytes(envelope);
    Software { short, envelope, copy_byte: Duration::from_ps(900), ..Software::NONE }
}

/// Picoseconds of a message of `blocks` blocks of `block` bytes through idle software and network.
fn message(software: &Software, blocks: u64, block: u64) -> u64 {
    let (data, costs) = (blocks * block, software.short);
    costs.send.as_ps()
        + costs.receive.as_ps()
        + data * (costs.send_byte.as_ps() + costs.receive_byte.as_ps())
        + LATENCY.as_ps()
        + (data + software.envelope.0) * BYTE
}

/// Picoseconds of an all-gather in which every rank sends and receives one message a step; `None` where it is not.
fn closed_form(algorithm: Algorithm, ranks: u64, block: u64, software: &Software) -> Option<u64> {
    let steps = |steps: u64, blocks: u64| steps * message(software, blocks, block);
    let doubling = || {
        let spans = (0..64).map(|step| 1 << step).take_while(|span| *span < ranks);
        spans.map(|span: u64| steps(1, span.min(ranks - span))).sum::<u64>()
    };
    match algorithm.choose(ranks.try_into().unwrap(), block).algorithm {
        Algorithm::Ring | Algorithm::Shift => Some(steps(ranks - 1, 1)),
        Algorithm::RecursiveDoubling => Some(doubling()),
        // The last to end is one that must rotate its buffer.
        Algorithm::Bruck => Some(doubling() + ranks * block * software.copy_byte.as_ps()),
        Algorithm::NeighbourExchange => Some(steps(1, 1) + steps(ranks / 2 - 1, 2)),
        _ => None,
    }
}

/// Wrong if software, wire or steps were counted twice or forgotten.
#[test]
fn step_algorithms_take_their_closed_forms() {
    for algorithm in Algorithm::ALL {
        for ranks in [2_usize, 3, 4, 7, 8, 16, 22, 32] {
            for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS, Protocol::switched(Bytes(3_000))] {
                let (block, software) = (2_048, software(40));
                let mut medium = Ideal::new(ranks, megabits(100), LATENCY);
                let job = ranks::Job { software, ..job(algorithm, ranks, block, protocol) };
                let Some(expected) = closed_form(algorithm, ranks as u64, block, &software) else { continue };
                let outcome = run(&mut medium, &job);
                assert_eq!(time(&outcome).as_ps(), expected, "{algorithm} on {ranks}, {protocol:?}");
            }
        }
    }
}

/// Wrong if the gather did not fill rank 0's port, or the tree were not of the least depth.
#[test]
fn gather_and_broadcast_take_their_closed_form() {
    for (ranks, hops) in [(2, 0), (3, 0), (4, 0), (8, 3), (16, 4), (32, 5)] {
        for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS] {
            let block = 4_096;
            let mut medium = Ideal::new(ranks, megabits(100), LATENCY);
            let outcome = run(&mut medium, &job(Algorithm::Lam, ranks, block, protocol));
            let ranks = ranks as u64;
            let all = ranks * block * BYTE;
            let gather = LATENCY.as_ps() + (ranks - 1) * block * BYTE;
            let broadcast = match hops {
                0 => LATENCY.as_ps() + (ranks - 1) * all,
                hops => hops * (LATENCY.as_ps() + all),
            };
            assert_eq!(time(&outcome).as_ps(), gather + broadcast, "{ranks} ranks, {protocol:?}");
            assert_eq!(outcome.bytes, (ranks - 1) * block * (1 + ranks));
        }
    }
}

/// Wrong if announcement and answer were free, or went by another way.
#[test]
fn a_handshake_costs_two_envelopes_a_message() {
    let (ranks, block, software) = (6, 10_000, software(24));
    let protocol = Protocol { handshake: true, ..Protocol::switched(Bytes(9_999)) };
    let mut medium = Ideal::new(ranks, megabits(100), LATENCY);
    let outcome = run(&mut medium, &ranks::Job { software, ..job(Algorithm::Ring, ranks, block, protocol) });
    let both = 2 * (LATENCY.as_ps() + 24 * BYTE);
    assert_eq!(time(&outcome).as_ps(), 5 * (message(&software, 1, block) + both));
    assert_eq!((outcome.messages, outcome.carried), (30, 90));
    let mut medium = Ideal::new(ranks, megabits(100), LATENCY);
    let outcome = run(&mut medium, &ranks::Job { software, ..job(Algorithm::Ring, ranks, 9_999, protocol) });
    assert_eq!(outcome.carried, 30, "short messages are not announced");
}

/// Wrong if long messages cost what short ones do, or the limit were off by one.
#[test]
fn long_messages_have_costs_of_their_own() {
    let long = Overheads { send: Duration::from_us(100), ..Overheads::NONE };
    let software = Software { long, short_up_to: Bytes(1_000), ..Software::NONE };
    for (block, extra) in [(1_000, 0), (1_001, 100_000_000)] {
        let mut medium = Ideal::new(2, megabits(100), LATENCY);
        let outcome =
            run(&mut medium, &ranks::Job { software, ..job(Algorithm::Ring, 2, block, Protocol::EAGER) });
        assert_eq!(time(&outcome).as_ps(), extra + LATENCY.as_ps() + block * BYTE);
    }
}

/// Wrong if messages within a machine used the network, or a machine's ranks had a processor each.
#[test]
fn ranks_of_a_machine_share_it() {
    let (on_each, machines, block) = (3, 4, 50_000);
    let hosts: Vec<HostId> = (0..machines * on_each).map(|rank| HostId::new(rank / on_each)).collect();
    for algorithm in Algorithm::ALL {
        for protocol in [Protocol::EAGER, Protocol::RENDEZVOUS] {
            let mut medium = Ideal::new(machines, megabits(100), LATENCY);
            let job = ranks::Job { machines: hosts.clone(), ..job(algorithm, hosts.len(), block, protocol) };
            let outcome = run(&mut medium, &job);
            let bound = ranks::bound(hosts.len(), on_each, Bytes(block), megabits(100));
            assert!(time(&outcome) >= bound, "{algorithm} beats (P - N) m / B");
            assert!(outcome.carried < outcome.messages, "{algorithm} sends nothing within a machine");
        }
    }
    // Two ranks of one machine: each sends, and copies, in turn on one processor.
    let software = software(40);
    let mut medium = Ideal::new(1, megabits(100), LATENCY);
    let machines = vec![HostId(0); 2];
    let both = ranks::Job { machines, software, ..job(Algorithm::Ring, 2, block, Protocol::EAGER) };
    let outcome = run(&mut medium, &both);
    let each =
        software.short.send.as_ps() + software.short.receive.as_ps() + block * software.copy_byte.as_ps();
    assert_eq!((time(&outcome).as_ps(), outcome.carried), (2 * each, 0));
}

/// Wrong if repetitions were parted by anything, or the mean were not Fig. 7's.
#[test]
fn repetitions_go_back_to_back() {
    let mut medium = Ideal::new(8, megabits(100), LATENCY);
    let many = ranks::Job { iterations: 20, ..job(Algorithm::Ring, 8, 1_000, Protocol::RENDEZVOUS) };
    let outcome = run(&mut medium, &many);
    let one = 7 * (LATENCY.as_ps() + 1_000 * BYTE);
    assert_eq!(outcome.mean().unwrap().as_ps(), one);
    assert_eq!(outcome.laps[3][19].end.as_ps(), 20 * one);
    // Bruck's ranks end at different instants: rank 0 rotates nothing.
    let software = Software { copy_byte: Duration::from_ps(500), ..Software::NONE };
    let mut medium = Ideal::new(3, megabits(100), LATENCY);
    let bruck = ranks::Job { software, ..job(Algorithm::Bruck, 3, 1_000, Protocol::EAGER) };
    let outcome = run(&mut medium, &bruck);
    let base = 2 * (LATENCY.as_ps() + 1_000 * BYTE);
    assert_eq!(outcome.mean().unwrap().as_ps(), base + 2 * 3_000 * 500 / 3);
}

/// Wrong if chance were another for the same seed, the same for another, or moved the mean.
#[test]
fn jitter_is_chance_of_the_seed() {
    let short = Overheads { send: Duration::from_us(400), ..Overheads::NONE };
    let software = Software { short, jitter: 300, ..Software::NONE };
    let with = |seed, jitter| {
        let mut medium = Ideal::new(2, megabits(100), LATENCY);
        let software = Software { jitter, ..software };
        let base = job(Algorithm::Ring, 2, 100, Protocol::RENDEZVOUS);
        run(&mut medium, &ranks::Job { software, seed, iterations: 400, ..base })
    };
    assert_eq!(with(5, 300), with(5, 300));
    assert_ne!(with(5, 300).mean(), with(6, 300).mean());
    let (exact, mean) = (with(5, 0).mean().unwrap().as_ps(), with(5, 300).mean().unwrap().as_ps());
    // Two ranks wait for the slower one: the larger of two uniform draws is a sixth of the width above the mean.
    let expected = exact + 400_000_000 * 300 * 2 / 1000 / 6;
    assert!(mean.abs_diff(expected) < exact / 50, "{mean} ps against {expected} ps");
}

/// Wrong if a job that cannot be run were run, or refused for another reason.
#[test]
fn impossible_jobs_are_refused() {
    let base = || job(Algorithm::Ring, 4, 100, Protocol::EAGER);
    let order = |order: &[usize]| ranks::Job { order: Some(order.to_vec()), ..base() };
    let software = Software { envelope: Bytes(u64::MAX), ..Software::NONE };
    for (job, expected) in [
        (ranks::Job { machines: Vec::new(), ..base() }, JobError::NoRanks),
        (ranks::Job { iterations: 0, ..base() }, JobError::NoIterations),
        (ranks::Job { block: Bytes(0), ..base() }, JobError::NoBytes),
        (ranks::Job { block: Bytes(u64::MAX), ..base() }, JobError::TooLarge { ranks: 4, block: u64::MAX }),
        (ranks::Job { software, ..base() }, JobError::TooLarge { ranks: 4, block: 100 }),
        (order(&[0, 1, 2]), JobError::Order { ranks: 4 }),
        (order(&[0, 1, 2, 2]), JobError::Order { ranks: 4 }),
        (order(&[0, 1, 2, 4]), JobError::Order { ranks: 4 }),
    ] {
        let mut medium = Ideal::new(4, megabits(100), LATENCY);
        assert_eq!(ranks::run(&mut medium, &job), Err(expected));
    }
}

/// Wrong if one rank alone hung, or sent anything.
#[test]
fn one_rank_is_done_at_once() {
    for algorithm in Algorithm::ALL {
        let mut medium = Ideal::new(1, megabits(100), LATENCY);
        let outcome = run(&mut medium, &job(algorithm, 1, 100, Protocol::RENDEZVOUS));
        assert_eq!((outcome.messages, time(&outcome)), (0, Duration::ZERO), "{algorithm}");
    }
}

/// Wrong if the ring of machines were not the ring of their ranks.
#[test]
fn rings_of_machines_become_rings_of_ranks() {
    let hosts = |ids: &[u32]| ids.iter().copied().map(HostId).collect::<Vec<_>>();
    let order = |machines: &[u32], ring: &[u32]| ranks::order_on_ring(&hosts(machines), &hosts(ring));
    assert_eq!(order(&[5, 3, 4], &[3, 4, 5]), Some(vec![1, 2, 0]));
    assert_eq!(order(&[0, 1, 0, 1], &[1, 0]), Some(vec![1, 3, 0, 2]));
    assert_eq!(order(&[0, 1, 2], &[1, 0]), None);
    assert_eq!(order(&[0, 1], &[1, 0, 2]), None);
    assert_eq!(order(&[0, 1], &[1, 0, 0]), Some(vec![1, 0]), "a machine named twice has its ranks once");
}
