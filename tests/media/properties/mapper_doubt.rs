//! What the Berkeley mapper says of how far its map can be trusted, and what it does about it.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet_base::des::process::run_at_once;
use simnet_base::ids::{HostId, Port, Turn};
use simnet_base::units::{Duration, Time};
use simnet_media::host::mapper::berkeley::{self, Options, SecondLook};
use simnet_media::host::mapper::{Brief, Doubt, Kind, Map};
use simnet_media::host::plain::{Collision, Plain};
use simnet_media::host::{Address, Costs, Host, HostFuture, Message, Received};
use simnet_network::topology::{End, Network, isomorphism, presets};

use support_network::cases;
use support_network::mapping::network;

/// Hosts a, b and c at the ports 2, 3 and 7 of a switch, and a switch without hosts at port 5.
fn star() -> Network {
    let mut net = Network::new("star");
    let [x, y] = ["x", "y"].map(|name| net.add_switch(name, 8).unwrap());
    for (name, port) in [("a", 2), ("b", 3), ("c", 7)] {
        let host = net.add_host(name).unwrap();
        net.connect(End::host(host, 0), End::switch(x, port)).unwrap();
    }
    net.connect(End::switch(x, 5), End::switch(y, 0)).unwrap();
    net
}

fn map(host: &mut dyn Host, options: &Options) -> Map {
    run_at_once(berkeley::map(host, &Brief::default(), options))
}

fn is_true(map: &Map, net: &Network, mapper: HostId) -> bool {
    isomorphism::compare(&map.network, net, mapper).isomorphic
}

#[test]
fn a_quiet_map_says_what_rests_on_one_answer_and_what_cannot_be_told() {
    // Wrong if the account of answers lost a cable, or took an excluded port for one not asked.
    let net = star();
    let quiet = map(&mut Plain::new(&net, HostId(0), Collision::Circuit), &Options::default());
    assert!(quiet.doubts.is_empty() && is_true(&quiet, &net, HostId(0)));
    // The cables of b and c are seen once, from the one exploration of x; the mapper's own by every answer.
    let named = |end: End| quiet.network.name_of(end.node).to_owned();
    let once: BTreeSet<String> =
        quiet.unconfirmed_links.iter().map(|link| named(quiet.network.link(*link).b)).collect();
    assert_eq!(once, ["b", "c"].map(str::to_owned).into());
    // Port 2 of x is the map's port 0: 1, 4 and 6 of x were asked once, and so were those beyond 5.
    let asked: Vec<u16> = quiet.unconfirmed_ports.iter().map(|end| end.port.0).collect();
    assert_eq!(asked, [2, 4, 6, 7]);
    let hidden: Vec<Port> = quiet.evidence.hidden.iter().map(|end| end.port).collect();
    assert_eq!(hidden, [Port(3)], "the way to y");
    let again = Options { second_look: SecondLook::Always, ..Options::default() };
    let sure = map(&mut Plain::new(&net, HostId(0), Collision::Circuit), &again);
    assert!(sure.doubts.is_empty() && is_true(&sure, &net, HostId(0)));
    assert_eq!((sure.unconfirmed_links.len(), sure.unconfirmed_ports.len()), (0, 0));
    assert_eq!(sure.turns, quiet.turns, "what Fig. 6 counts is the search");
}

#[test]
fn growth_and_memory_are_those_of_the_model() {
    // Wrong if merged vertices were counted, or still counted where they are to be kept.
    let net = presets::load("now-cab").unwrap();
    let mapper = net.find_host("c-util").unwrap();
    let of = |options: Options| map(&mut Plain::new(&net, mapper, Collision::Circuit), &options);
    let merged = of(Options::default());
    let most = |map: &Map| map.history.iter().map(|growth| growth.nodes).max().unwrap();
    assert_eq!((merged.history.len() as u64, most(&merged)), (merged.explorations, 458));
    let last = merged.history.last().unwrap();
    assert_eq!((last.nodes, last.edges, last.frontier), (140, 193, 0), "Fig. 3: 100 hosts, 40 switches");
    let kept = of(Options { keep_merged: true, ..Options::default() });
    // Every switch hit, the first switch, and each host once.
    assert_eq!(most(&kept), 707 + 1 + 100);
    assert!(kept.peak_memory > merged.peak_memory);
    let brief = Brief { memory: Some(merged.peak_memory), ..Brief::default() };
    let within = |brief: &Brief| {
        run_at_once(berkeley::map(
            &mut Plain::new(&net, mapper, Collision::Circuit),
            brief,
            &Options::default(),
        ))
    };
    assert!(within(&brief).doubts.is_empty());
    let brief = Brief { memory: Some(merged.peak_memory - 1), ..brief };
    assert_eq!(within(&brief).doubts, [Doubt::OutOfMemory].into());
}

/// A host whose nth messages received are handed over later by so much.
struct Slow<'a> {
    plain: Plain<'a>,
    delays: BTreeMap<u64, Duration>,
    received: u64,
    held: Vec<(Time, Received)>,
}

impl Slow<'_> {
    async fn receive(&mut self, until: Option<Time>) -> Option<Received> {
        loop {
            let now = self.plain.now();
            if let Some(due) = self.held.iter().position(|(at, _)| *at <= now) {
                return Some(self.held.remove(due).1);
            }
            let next = self.held.iter().map(|(at, _)| *at).min();
            let until_next = [next, until].into_iter().flatten().min();
            match self.plain.recv(until_next).await {
                Some(mut received) => {
                    let nth = self.received;
                    self.received += 1;
                    let Some(delay) = self.delays.get(&nth) else { return Some(received) };
                    received.at = received.at + *delay;
                    self.held.push((self.plain.now() + *delay, received));
                }
                None if next.is_some_and(|next| until.is_none_or(|until| next <= until)) => {}
                None => return None,
            }
        }
    }
}

impl Host for Slow<'_> {
    fn name(&self) -> &str {
        self.plain.name()
    }

    fn address(&self) -> Address {
        self.plain.address()
    }

    fn now(&self) -> Time {
        self.plain.now()
    }

    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()> {
        self.plain.send(route, message)
    }

    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>> {
        Box::pin(self.receive(until))
    }

    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.plain.sleep(span)
    }
}

fn slow<'a>(net: &'a Network, delays: impl IntoIterator<Item = (u64, Duration)>) -> Slow<'a> {
    let plain = Plain::new(net, HostId(0), Collision::Circuit).with_costs(Costs::default());
    Slow { plain, delays: delays.into_iter().collect(), received: 0, held: Vec::new() }
}

#[test]
fn an_answer_that_comes_late_is_used_and_gives_cause_for_doubt() {
    // Wrong if a late answer were lost, or passed for a quiet network's.
    let net = star();
    for nth in 0..3 {
        let late = map(&mut slow(&net, [(nth, Duration::from_us(1_500))]), &Options::default());
        assert_eq!(late.evidence.late, 1, "answer {nth}");
        assert!(late.doubts.contains(&Doubt::Loss), "answer {nth}: {:?}", late.doubts);
        assert!(is_true(&late, &net, HostId(0)), "answer {nth}");
    }
}

#[test]
fn an_answer_held_up_gives_cause_for_doubt() {
    // Wrong if a delay that no cable explains went unnoticed although the cable was passed again.
    let net = presets::load("now-c").unwrap();
    let (mut noticed, mut all) = (0, 0);
    for nth in 0..260 {
        let held = map(&mut slow(&net, [(nth, Duration::from_us(5))]), &Options::default());
        assert!(is_true(&held, &net, HostId(0)), "a delay below the time-out costs nothing");
        noticed += u32::from(held.doubts == [Doubt::Traffic].into());
        all += 1;
    }
    // Hosts take what time they like, and what a cable adds can be compared where two answers came over it.
    assert!(noticed * 2 > all, "{noticed} of {all} delays of 5 us");
}

#[test]
fn a_lost_answer_is_found_again_by_a_second_look() {
    // Wrong if a no were believed for ever, or if the doubt stayed when everything was asked once more.
    let net = star();
    let again = Options { second_look: SecondLook::Always, ..Options::default() };
    for nth in 0..30 {
        let lossy = || Plain::new(&net, HostId(0), Collision::Circuit).with_lost([nth]);
        let map = map(&mut lossy(), &again);
        assert!(is_true(&map, &net, HostId(0)) && map.doubts.is_empty(), "message {nth}");
    }
}

#[test]
fn a_lost_control_is_waited_for() {
    // Wrong if a no were believed while messages along a good route do not return.
    let net = star();
    let careful = Options { control: true, ..Options::default() };
    let mut seen = 0;
    for nth in 0..40 {
        // The question, its answer and the control are all lost.
        let lossy = Plain::new(&net, HostId(0), Collision::Circuit).with_lost(nth..nth + 3);
        let map = map(&mut { lossy }, &careful);
        assert!(map.probes.of(Kind::Guard).sent >= map.turns.nothing);
        if map.evidence.lost_guards > 0 {
            seen += 1;
            assert!(map.doubts.contains(&Doubt::Deadlock));
            assert!(is_true(&map, &net, HostId(0)), "message {nth}");
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_careful_map_under_losses_is_true_or_owns_up() {
    // Wrong if what was lost at random could make a wrong map pass for a sure one.
    let (mut sure, mut noticed) = (0, 0);
    for seed in 0..cases(4_000) {
        let (net, mapper) = network(seed);
        if net.switches().len() > 12 {
            continue;
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let one_in = [300, 100, 30][random.random_range(0..3usize)];
        let lost: Vec<u64> = (0..20_000).filter(|_| random.random_ratio(1, one_in)).collect();
        let mut host = Plain::new(&net, mapper, Collision::Circuit).with_lost(lost);
        let brief = Brief { explorations: 2_000, retries: 2, ..Brief::for_switches_of(&net) };
        let map = run_at_once(berkeley::map(&mut host, &brief, &Options::default().careful()));
        let holds = is_true(&map, &net, mapper);
        assert!(holds || !map.doubts.is_empty(), "seed {seed}, one in {one_in}: {:?}", map.evidence);
        sure += u32::from(map.doubts.is_empty());
        noticed += u32::from(map.evidence.recovered > 0);
    }
    assert!(sure > 10 && noticed > 10, "{sure} sure, {noticed} noticed losses");
}
