//! Patterns against their definitions, one host at a time.

use super::*;
use crate::traffic::ARRIVALS;
use simnet_base::ids::Node;
use simnet_network::topology::End;

/// Where a silent host would send: nowhere.
fn only(pattern: &Pattern) -> Vec<Option<u32>> {
    match pattern.shape() {
        Shape::Only(to) => to.iter().map(|to| to.map(|host| host.0)).collect(),
        other => panic!("{other:?}"),
    }
}

/// The bits of a number, the highest first.
fn bits(number: usize, bits: usize) -> Vec<usize> {
    (0..bits).rev().map(|bit| number >> bit & 1).collect()
}

fn number(bits: &[usize]) -> usize {
    bits.iter().fold(0, |number, bit| number << 1 | bit)
}

/// Wrong if one bit of one host's destination were not where the definition has it.
#[test]
fn patterns_of_bits_are_those_of_their_definition() {
    for log in 1..=10 {
        let hosts = 1 << log;
        let reversal = only(&Pattern::bit_reversal(Members::all(hosts)).unwrap());
        let transpose = only(&Pattern::transpose(Members::all(hosts)).unwrap());
        for host in 0..hosts {
            let mut own = bits(host, log);
            own.rotate_left(log / 2);
            let to = number(&own);
            assert_eq!(
                transpose[host],
                (to != host).then_some(u32::try_from(to).unwrap()),
                "{host} of {hosts}"
            );
            let mut own = bits(host, log);
            own.reverse();
            let to = number(&own);
            assert_eq!(
                reversal[host],
                (to != host).then_some(u32::try_from(to).unwrap()),
                "{host} of {hosts}"
            );
        }
    }
    // 128 hosts: 16 palindromes of 7 bits; only 0000000 and 1111111 survive a rotation by 3 of 7.
    let silent = |pattern: Pattern| 128 - pattern.senders();
    assert_eq!(silent(Pattern::bit_reversal(Members::all(128)).unwrap()), 16);
    assert_eq!(silent(Pattern::transpose(Members::all(128)).unwrap()), 2);
}

#[test]
fn patterns_of_bits_need_a_power_of_two_of_hosts() {
    for hosts in [0, 3, 5, 6, 7, 100, 127] {
        assert_eq!(Pattern::bit_reversal(Members::all(hosts)), Err(NotAPowerOfTwo { hosts }));
        assert_eq!(Pattern::transpose(Members::all(hosts)), Err(NotAPowerOfTwo { hosts }));
    }
    for hosts in [1, 2] {
        let few = Pattern::transpose(Members::all(hosts)).unwrap();
        assert_eq!(few.senders(), 0, "{hosts} hosts have nobody else");
    }
}

/// Hosts that take no part are skipped in the numbering: wrong if one sent or received.
#[test]
fn hosts_without_a_cable_are_not_numbered() {
    let members = || Members::new([true, false, true, true, false, true]);
    let pattern = Pattern::bit_reversal(members()).unwrap();
    assert_eq!(only(&pattern), [None, None, Some(3), Some(2), None, None]);
    let uniform = Pattern::uniform(members());
    let mut stream = Stream::new(1, ARRIVALS, 0);
    assert_eq!(uniform.draw(HostId(1), &mut stream), None);
    for _ in 0..100 {
        let to = uniform.draw(HostId(2), &mut stream).unwrap();
        assert!([0, 3, 5].contains(&to.0), "{to:?}");
    }
}

/// How well draws fit the weights that [`Pattern::destinations`] gives: chi-square and its degrees of freedom.
fn chi_square(pattern: &Pattern, host: u32, hosts: usize) -> (f64, usize) {
    let draws = 50_000;
    let mut stream = Stream::new(7, ARRIVALS, host);
    let mut seen = vec![0_u32; hosts];
    for _ in 0..draws {
        seen[pattern.draw(HostId(host), &mut stream).unwrap().index()] += 1;
    }
    let wanted = pattern.destinations(HostId(host));
    let sum: u64 = wanted.iter().map(|(_, weight)| weight).sum();
    let drawn: u32 = wanted.iter().map(|(to, _)| seen[to.index()]).sum();
    assert_eq!(drawn, draws, "host {host} drew what it never sends to");
    let square = wanted.iter().map(|(to, weight)| {
        let expected = f64::from(draws) * *weight as f64 / sum as f64;
        (f64::from(seen[to.index()]) - expected).powi(2) / expected
    });
    (square.sum(), wanted.len() - 1)
}

/// Wrong if destinations were not drawn as often as they should be, or a host sent to itself. The bound is the
/// 99.99 % quantile of chi-square by Wilson and Hilferty.
#[test]
fn destinations_are_drawn_as_often_as_defined() {
    let hot = |hosts: &[u32], percent| {
        let hosts = hosts.iter().copied().map(HostId).collect();
        Pattern::hot_spot(Members::all(20), hosts, PARTS / 100 * percent)
    };
    let all = || Members::all(20);
    let pairs = Pattern::pairs(all(), &[(HostId(1), HostId(2)), (HostId(2), HostId(7))]);
    let (tenth, half) = (PARTS / 10, PARTS / 2);
    let patterns = [
        Pattern::uniform(all()),
        hot(&[3], 20),
        hot(&[3, 19, 0], 50),
        hot(&[4, 5], 100),
        Pattern::mix(vec![(half, Pattern::uniform(all())), (half - tenth, hot(&[3], 100)), (tenth, pairs)]),
    ];
    for (nth, pattern) in patterns.iter().enumerate() {
        for host in 0..20 {
            let (square, freedom) = chi_square(pattern, host, 20);
            let k = freedom.max(1) as f64;
            let bound = k * (1.0 - 2.0 / (9.0 * k) + 3.72 * (2.0 / (9.0 * k)).sqrt()).powi(3);
            assert!(square < bound, "pattern {nth}, host {host}: {square} of {freedom}");
        }
    }
}

/// Wrong if a host that is silent in a pattern of a mix lost the messages of its share, or sent by it all the same.
#[test]
fn a_mix_has_the_shares_that_its_hosts_can_send() {
    let all = || Members::all(6);
    let pairs = Pattern::pairs(all(), &[(HostId(0), HostId(1))]);
    let mix = Pattern::mix(vec![(PARTS / 4, pairs.clone()), (PARTS - PARTS / 4, Pattern::uniform(all()))]);
    let share = |from: u32, to: u32| {
        let weights = mix.destinations(HostId(from));
        let sum: u64 = weights.iter().map(|(_, weight)| weight).sum();
        weights.iter().find(|(host, _)| host.0 == to).map_or(0.0, |(_, weight)| *weight as f64 / sum as f64)
    };
    assert!((share(0, 1) - (0.25 + 0.75 / 5.0)).abs() < 1e-6 && (share(0, 2) - 0.15).abs() < 1e-6);
    assert!((share(3, 1) - 0.2).abs() < 1e-6, "who is silent in one part sends by the other alone");
    assert_eq!((mix.senders(), Pattern::mix(vec![(PARTS, pairs)]).senders()), (6, 1));
}

/// The weights against the definition in words. Wrong if a hot host got a share of its own messages, or the rest
/// were not spread over all.
#[test]
fn hot_spots_get_their_share_and_their_part_of_the_rest() {
    let share = |pattern: &Pattern, from: u32, to: u32| {
        let all = pattern.destinations(HostId(from));
        let sum: u64 = all.iter().map(|(_, weight)| weight).sum();
        all.iter().find(|(host, _)| host.0 == to).map_or(0.0, |(_, weight)| *weight as f64 / sum as f64)
    };
    let one = Pattern::hot_spot(Members::all(11), vec![HostId(3)], PARTS / 10);
    assert!((share(&one, 0, 3) - (0.1 + 0.9 / 10.0)).abs() < 1e-12);
    assert!((share(&one, 0, 4) - 0.09).abs() < 1e-12);
    assert!((share(&one, 3, 4) - 0.1).abs() < 1e-12, "the hot host itself sends uniformly");
    let two = Pattern::hot_spot(Members::all(11), vec![HostId(3), HostId(5)], PARTS / 10);
    assert!((share(&two, 0, 3) - (0.05 + 0.09)).abs() < 1e-12);
    assert!((share(&two, 3, 5) - (0.1 + 0.09)).abs() < 1e-12);
}

/// Wrong if two hosts sent to one, or one to itself, for any seed; or if a seed did not matter.
#[test]
fn a_permutation_is_one() {
    for seed in 0..200 {
        for hosts in [2, 3, 4, 17, 128] {
            let to = only(&Pattern::permutation(Members::all(hosts), seed));
            let mut all: Vec<u32> = to.iter().map(|to| to.expect("no host is silent")).collect();
            assert!(all.iter().enumerate().all(|(from, to)| HostId(*to).index() != from), "seed {seed}");
            all.sort_unstable();
            assert!(all.iter().enumerate().all(|(nth, to)| HostId(*to).index() == nth), "seed {seed}");
        }
    }
    let permutation = |seed| only(&Pattern::permutation(Members::all(128), seed));
    assert_eq!(permutation(1), permutation(1));
    assert_ne!(permutation(1), permutation(2));
}

/// Distances between all switches by relaxing every cable until nothing changes.
fn distances(network: &Network) -> Vec<Vec<usize>> {
    let switches = network.switches().len();
    let mut far = vec![vec![usize::MAX; switches]; switches];
    (0..switches).for_each(|switch| far[switch][switch] = 0);
    for _ in 0..switches {
        for link in network.links() {
            if let (Node::Switch(a), Node::Switch(b)) = (link.a.node, link.b.node) {
                for row in &mut far {
                    let (a, b) = (a.index(), b.index());
                    row[a] = row[a].min(row[b].saturating_add(1));
                    row[b] = row[b].min(row[a].saturating_add(1));
                }
            }
        }
    }
    far
}

/// A random network of several components, with hosts on some switches, some without a cable, parallel cables
/// and loops.
fn random_network(seed: u64) -> (Network, Vec<Option<Port>>) {
    let mut stream = Stream::new(seed, ARRIVALS, 0);
    let mut below = |bound: usize| usize::try_from(stream.below(bound as u64)).unwrap();
    let mut network = Network::new("random");
    let switches: Vec<_> =
        (0..2 + below(8)).map(|s| network.add_switch(format!("s{s}"), 64).unwrap()).collect();
    let mut free = vec![0; switches.len()];
    let mut port = |switch: usize| {
        free[switch] += 1;
        free[switch] - 1
    };
    for _ in 0..below(2 * switches.len()) {
        let (a, b) = (below(switches.len()), below(switches.len()));
        let ends = (End::switch(switches[a], port(a)), End::switch(switches[b], port(b)));
        network.connect(ends.0, ends.1).unwrap();
    }
    let mut attachments = Vec::new();
    for host in 0..1 + below(12) {
        let id = network.add_host(format!("h{host}")).unwrap();
        let cabled = below(8) > 0;
        if cabled {
            let switch = below(switches.len());
            network.connect(End::host(id, 0), End::switch(switches[switch], port(switch))).unwrap();
        }
        attachments.push(cabled.then_some(Port(0)));
    }
    (network, attachments)
}

/// Wrong if a host nearer than those drawn existed, or one as near were left out.
#[test]
fn nearest_neighbours_are_the_nearest() {
    for seed in 0..500 {
        let (network, attachments) = random_network(seed);
        let far = distances(&network);
        let switch = |host: HostId| match network.peer(End::host(host, attachments[host.index()]?.0))?.node {
            Node::Switch(switch) => Some(switch.index()),
            Node::Host(_) => None,
        };
        let pattern = Pattern::nearest_neighbours(&network, &attachments);
        for host in network.host_ids() {
            let distance = |other: HostId| match (switch(host), switch(other)) {
                (Some(a), Some(b)) if other != host => Some(far[a][b]).filter(|far| *far < usize::MAX),
                _ => None,
            };
            let reached = || network.host_ids().filter_map(|other| Some((distance(other)?, other)));
            let least = reached().map(|(far, _)| far).filter(|far| *far > 0).min().unwrap_or(0);
            let expected: Vec<(HostId, u64)> =
                reached().filter(|(far, _)| *far == least).map(|(_, other)| (other, 1)).collect();
            assert_eq!(pattern.destinations(host), expected, "seed {seed}, host {host:?}");
            assert_eq!(pattern.sends(host), !expected.is_empty(), "seed {seed}, host {host:?}");
            let mut stream = Stream::new(seed, ARRIVALS, host.0);
            let drawn: Vec<HostId> = (0..20).filter_map(|_| pattern.draw(host, &mut stream)).collect();
            assert_eq!(drawn.len(), if expected.is_empty() { 0 } else { 20 });
            assert!(drawn.iter().all(|to| expected.contains(&(*to, 1))), "seed {seed}, host {host:?}");
        }
    }
}

#[test]
fn nearest_neighbours_are_drawn_equally() {
    let mut network = Network::new("pair");
    let switches = [network.add_switch("a", 8).unwrap(), network.add_switch("b", 8).unwrap()];
    network.connect(End::switch(switches[0], 7), End::switch(switches[1], 7)).unwrap();
    for host in 0..7 {
        let id = network.add_host(format!("h{host}")).unwrap();
        network.connect(End::host(id, 0), End::switch(switches[usize::from(host % 2)], host / 2)).unwrap();
    }
    let pattern = Pattern::nearest_neighbours(&network, &[Some(Port(0)); 7]);
    let (square, freedom) = chi_square(&pattern, 1, 7);
    // 99.99 % quantile with 3 degrees of freedom.
    assert!(freedom == 3 && square < 21.1, "{square}");
}
