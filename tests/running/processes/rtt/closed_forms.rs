//! Without noise every number has a closed form.

use simnet_base::units::Duration;
use simnet_media::host::rtt::Schedule;
use simnet_media::medium::Ideal;
use simnet_running::simulation::rtt;

use super::{Tree, job, megabits, run, wire};
use support_network::cases;

/// Wrong if a round trip held anything but four pieces of software and 2(h + 1) times a ping's time on a cable, to the
/// picosecond, or if machine 0's matrix were not what each machine measured.
#[test]
fn a_round_trip_on_any_tree_is_c_and_twice_h_plus_one_cables() {
    for seed in 0..cases(400) {
        let pick = |of: u64, most: u64| usize::try_from(1 + (seed / of) % most).unwrap();
        let (switches, machines) = (pick(1, 9), pick(2, 13));
        let tree = Tree::random(switches, machines, seed);
        let rate = megabits([10, 100, 1_000][pick(1, 3) - 1]);
        let mut with = job(machines);
        with.plan.round_trips = 2;
        with.plan.first = 3;
        if seed % 2 == 1 {
            with.plan.schedule = Schedule::Sequence;
        }
        let outcome = run(&mut tree.ethernet(rate), &with);
        let rtts = outcome.rtts.unwrap();
        for (from, to) in (0..machines).flat_map(|a| (0..machines).map(move |b| (a, b))) {
            let cables = 2 * (tree.hops(from, to) + 1);
            let expected =
                if from == to { Duration::ZERO } else { Duration::from_us(85) + wire(rate) * cables };
            assert_eq!(rtts.get(from, to), expected, "seed {seed}: {from} to {to}");
            assert_eq!(outcome.samples[from * machines + to], if from == to { 0 } else { 3 });
        }
    }
}

/// Wrong if an ideal network, without switches, gave anything but twice latency and wire.
#[test]
fn a_round_trip_over_an_ideal_network_has_no_hops() {
    for machines in [1, 2, 3, 9] {
        let latency = Duration::from_us(7);
        let mut medium = Ideal::new(machines, megabits(1_000), latency);
        let outcome = rtt::run(&mut medium, &job(machines)).unwrap();
        let rtts = outcome.rtts.unwrap();
        let expected = Duration::from_us(85) + (latency + Duration::from_ns(11_200)) * 2;
        for (from, to) in (0..machines).flat_map(|a| (0..machines).map(move |b| (a, b))) {
            assert_eq!(rtts.get(from, to), if from == to { Duration::ZERO } else { expected });
        }
        let pairs = machines * (machines - 1);
        assert_eq!(outcome.samples.iter().map(|n| *n as usize).sum::<usize>(), 26 * pairs);
        // Every ping and its answer, a verdict a measurement, a turn a machine, the results requested and sent.
        let (pairs, others) = (pairs as u64, machines as u64 - 1);
        let turns = if machines > 1 { machines as u64 } else { 0 };
        assert_eq!(outcome.messages, pairs * (26 * 5 * 2 + 1) + turns + 2 * others);
    }
}
