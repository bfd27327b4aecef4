//! The questions of Figs. 1 to 4 on a network each: where the answer is yes, where it is no, and in a deadlock.

use crate::{Row, scenarios};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};
use simnet_media::host::mapper::Kind;
use simnet_media::host::mapper::guarded::{COSTS_2003, Options};
use simnet_network::topology::isomorphism::compare;
use simnet_network::topology::{End, Host, Network};
use simnet_scenario::fabric;

use super::asking::{Mapping, Scene, Sent, Shot, Way, Worm, ways};

/// How long an application's worm is: far longer than the buffers on its way.
const WORM: u32 = 4_096;

/// How long the messages of a question are watched.
const WATCHED: Duration = Duration::from_us(100);

/// One question in one situation.
pub(super) struct Case {
    /// The situation: `switch there`, `deadlock`, ...
    pub(super) name: &'static str,
    /// The messages of the question: S and its guards.
    pub(super) sent: Vec<Sent>,
    /// Their ways, then those of the worms.
    pub(super) shots: Vec<Shot>,
    /// Per message of the question, when it was back at the interface, and seen.
    pub(super) heard: Vec<Option<(Time, Time)>>,
    /// Whether the mapper sends guards.
    pub(super) guarded: bool,
    /// When the mapper went on to its next question, or asked again; after the last, when it saw the answer.
    pub(super) went_on: Option<Time>,
    /// The time of the first deadlock, if one formed, and how long it stood.
    pub(super) deadlock: Option<(Time, Option<Duration>)>,
    /// Whether the map is true: all that the mapper could reach.
    pub(super) right: bool,
    /// Whether the mapper was sure of it.
    pub(super) sure: bool,
    /// Guards that did not come back.
    pub(super) lost_guards: u64,
}

/// A network on which a kind of question is shown.
pub(super) struct Stage {
    /// The network.
    pub(super) network: Network,
    /// The turns of S where the answer is yes.
    pub(super) yes: Vec<Turn>,
    /// Tells S where the answer is no.
    pub(super) no: fn(&Sent) -> bool,
    /// The worms that deadlock with the first: host, turns, and when they are sent, in ns behind S.
    pub(super) worms: Vec<(&'static str, Vec<i16>, u64)>,
    /// Whether a host answers the mapper.
    pub(super) answers: fn(&str) -> bool,
}

/// A scout for a switch: h0 on SW1, SW2 behind its port 3, and a triangle in which worms wait for each other.
pub(super) fn scouting() -> Stage {
    let network = network(
        // Of two switches at the same distance from the root, SW3, the one that is listed first is up.
        &["SW3", "SW4", "SW1", "SW2"],
        &["h0", "h1", "h2", "h3", "h4"],
        &[
            ("h0", 0, "SW1", 1),
            ("h1", 0, "SW1", 5),
            ("SW1", 3, "SW2", 2),
            ("h2", 0, "SW2", 4),
            ("SW1", 6, "SW3", 1),
            ("SW1", 7, "SW4", 1),
            ("SW3", 2, "SW4", 2),
            ("h3", 0, "SW3", 3),
            ("h4", 0, "SW4", 3),
        ],
    );
    Stage {
        network,
        yes: [2, 0, -2].map(Turn).to_vec(),
        // Port 2 of SW1 is empty.
        no: |sent| sent.route == [Turn(1), Turn(0), Turn(-1)],
        worms: vec![
            // SW2 to SW1 to SW3; SW1 to SW3 to SW4; SW3 to SW4 to SW1; SW4 to SW1 to SW2.
            ("h2", vec![-2, 3, 2], 20),
            ("h1", vec![1, 1, 1], 20),
            ("h3", vec![-1, -1, -2], 20),
            ("h4", vec![-2, -4, 2], 20),
        ],
        answers: |_| true,
    }
}

/// A comparison: SW2 behind both SWa and SWb, which lie behind SW1; of the hosts h1 alone answers the mapper.
pub(super) fn comparing() -> Stage {
    let network = network(
        &["SW1", "SWa", "SWb", "SW2"],
        &["h0", "h1", "h3", "ha", "hb", "h2"],
        &[
            ("h0", 0, "SW1", 1),
            ("h1", 0, "SW1", 4),
            ("h3", 0, "SW1", 5),
            ("SW1", 2, "SWa", 1),
            ("SW1", 3, "SWb", 2),
            ("SWa", 3, "SW2", 2),
            ("SWb", 4, "SW2", 5),
            ("ha", 0, "SWa", 5),
            ("hb", 0, "SWb", 6),
            ("h2", 0, "SW2", 7),
        ],
    );
    Stage {
        network,
        // By SWb to SW2, from its port 5 to port 2, and home by SWa.
        yes: [2, 2, -3, -2, -1].map(Turn).to_vec(),
        // By SWb, compared with SWa: no turn but one of these leads anywhere.
        no: |sent| sent.route.len() == 3 && sent.route[0] == Turn(2) && sent.route[2] == Turn(-1),
        worms: vec![
            // SW2 to SWa to SW1; SWa to SW1 to SWb; SW1 to SWb to SW2, right behind S.
            ("h2", vec![-5, -2, 2], 0),
            ("ha", vec![-4, 1, 4], 0),
            ("h3", vec![-2, 2, 2], 30),
        ],
        answers: |name| name == "h1",
    }
}

fn network(switches: &[&str], hosts: &[&str], cables: &[(&str, u16, &str, u16)]) -> Network {
    let mut network = Network::new("stage");
    for name in switches {
        network.add_switch(*name, 8).expect("the name is free");
    }
    for name in hosts {
        network.add_host(*name).expect("the name is free");
    }
    for (a, a_port, b, b_port) in cables {
        let end = |name: &str, port: u16| End {
            node: network.find(name).expect("it is listed"),
            port: simnet_base::ids::Port(port),
        };
        let (a, b) = (end(a, *a_port), end(b, *b_port));
        network.connect(a, b).expect("the ports are free");
    }
    network
}

/// Asks the questions of a stage: where the answer is yes, where it is no, and in a deadlock. `kind` is that of S.
pub(super) fn cases(stage: &Stage, kind: Kind, options: Options) -> [Case; 3] {
    let scenario = scenarios::sweep("hendriks2004/pink.toml").checked(0).expect("it is without faults");
    let parameters = fabric::parameters(&scenario.fabric, &fabric::Hosts::default(), &stage.network);
    let mapper = stage.network.find_host("h0").expect("every stage has it");
    let (network, answers, costs) = (&stage.network, stage.answers, COSTS_2003);
    let scene = Scene { network, parameters: &parameters, costs, mapper, answers, options };
    let quiet = scene.map(&[]);
    let of_kind = |sent: &&Sent| sent.kind == kind;
    let yes = position(&quiet, |sent| of_kind(&sent) && sent.route == stage.yes);
    let is_no = |first: usize, sent: &Sent| {
        of_kind(&sent) && (stage.no)(sent) && is_lost_at_once(&scene, quiet.log.question(first))
    };
    let no = (0..quiet.log.sent.len()).find(|first| is_no(*first, &quiet.log.sent[*first]));
    let no = no.expect("the mapper asks it on every stage");
    let sent_at = quiet.log.sent[yes].at;
    let worm = |(host, route, after): &(&str, Vec<i16>, u64)| Worm {
        from: stage.network.find_host(host).expect("it is listed"),
        at: sent_at + Duration::from_ns(*after),
        route: route.iter().copied().map(Turn).collect(),
        length: WORM,
    };
    let worms: Vec<Worm> = stage.worms.iter().map(worm).collect();
    let busy = scene.map(&worms);
    let [is_there, is_not] = match kind {
        Kind::Scout => ["switch there", "nothing there"],
        _ => ["the same switch", "different switches"],
    };
    [
        Case::new(is_there, &scene, &quiet, yes, &[]),
        Case::new(is_not, &scene, &quiet, no, &[]),
        Case::new("deadlock", &scene, &busy, yes, &worms),
    ]
}

/// Whether the first of these messages is lost before a second switch passes it on.
fn is_lost_at_once(scene: &Scene<'_>, question: &[Sent]) -> bool {
    let shots = ways(scene, question, &[], WATCHED);
    matches!(shots[0].fate, Way::Lost(..)) && shots[0].passes.len() < 2
}

/// What the mapper can map: the network without the hosts that do not answer it. The mapper is its first host, too.
fn answering(scene: &Scene<'_>) -> Network {
    let mut network = Network::new("as far as it answers");
    for switch in scene.network.switches() {
        network.push_switch(switch.clone()).expect("the names are those of a network");
    }
    let serves = |(nth, host): &(usize, &Host)| *nth == 0 || (scene.answers)(&host.name);
    for (_, host) in scene.network.hosts().iter().enumerate().filter(serves) {
        network.push_host(host.clone()).expect("the names are those of a network");
    }
    for link in scene.network.links() {
        let ends = [link.a, link.b]
            .map(|end| Some(End { node: network.find(scene.network.name_of(end.node))?, port: end.port }));
        if let [Some(a), Some(b)] = ends {
            network.connect(a, b).expect("the ports are those of a network");
        }
    }
    network
}

fn position(mapping: &Mapping, wanted: impl Fn(&Sent) -> bool) -> usize {
    mapping.log.sent.iter().position(wanted).expect("the mapper asks it on every stage")
}

impl Case {
    fn new(name: &'static str, scene: &Scene<'_>, mapping: &Mapping, first: usize, worms: &[Worm]) -> Case {
        let log = &mapping.log;
        let sent = log.question(first).to_vec();
        let deadlock = mapping
            .deadlocks
            .first()
            .map(|(formed, cleared)| (*formed, cleared.map(|cleared| cleared.since(*formed))));
        Case {
            name,
            shots: ways(scene, &sent, worms, WATCHED),
            heard: sent.iter().map(|sent| log.heard(sent)).collect(),
            guarded: scene.options.guards,
            went_on: log.went_on(first, scene.costs).or_else(|| Some(log.heard(&sent[0])?.1)),
            deadlock,
            right: compare(&mapping.map.network, &answering(scene), scene.mapper).isomorphic,
            sure: mapping.map.doubts.is_empty(),
            lost_guards: mapping.map.evidence.lost_guards,
            sent,
        }
    }

    /// When a message of the question was back and seen, if the mapper had not gone on by then.
    pub(super) fn in_time(&self, nth: usize) -> Option<(Time, Time)> {
        let heard = self.heard.get(nth).copied().flatten();
        heard.filter(|(_, seen)| self.went_on.is_none_or(|went_on| *seen <= went_on))
    }

    /// Microseconds since S was handed over.
    pub(super) fn us(&self, at: Time) -> f64 {
        at.since(self.sent[0].at).as_ns_f64() / 1e3
    }

    /// What the messages of the question are called: S, then G, or G1 and G2.
    pub(super) fn names(&self) -> Vec<&'static str> {
        match self.sent[0].kind {
            Kind::Scout => vec!["S", "G"],
            _ => vec!["S", "G1", "G2"],
        }
    }

    /// The rows of the case, in the order of its messages.
    pub(super) fn rows(&self) -> Vec<Row> {
        let row = |quantity: &str, unit: &str, ours: Option<f64>| Row::ours(quantity, self.name, unit, ours);
        let mut rows = Vec::new();
        for (nth, name) in self.names().iter().enumerate() {
            let Some(sent) = self.sent.get(nth) else { continue };
            let heard = self.in_time(nth);
            rows.push(row(&format!("{name}: handed to the interface"), "us", Some(self.us(sent.at))));
            for (hop, (at, ..)) in self.shots[nth].passes.iter().enumerate() {
                let passed =
                    row(&format!("{name}: head passed on by its nth switch"), "us", Some(self.us(*at)));
                rows.push(passed.at(hop as f64 + 1.0));
            }
            let lost = match self.shots[nth].fate {
                Way::Lost(at) => Some(self.us(at)),
                Way::Arrived(..) | Way::Waits => None,
            };
            rows.push(row(&format!("{name}: lost"), "us", lost));
            rows.push(row(&format!("{name}: back at the interface"), "us", heard.map(|(at, _)| self.us(at))));
            rows.push(row(
                &format!("{name}: seen by the mapper"),
                "us",
                heard.map(|(_, seen)| self.us(seen)),
            ));
        }
        rows.push(row("the mapper goes on", "us", self.went_on.map(|at| self.us(at))));
        rows.push(row("deadlocks", "count", Some(f64::from(u8::from(self.deadlock.is_some())))));
        if let Some((formed, stood)) = self.deadlock {
            rows.push(row("deadlock formed", "us", Some(self.us(formed))));
            rows.push(row("deadlock stood", "ms", stood.map(|stood| stood.as_ms_f64())));
        }
        rows.push(row(
            "guards that did not come back, in the whole mapping",
            "count",
            Some(self.lost_guards as f64),
        ));
        rows.push(row("the map is true", "1 or 0", Some(f64::from(u8::from(self.right)))));
        rows.push(row("the mapper was sure of its map", "1 or 0", Some(f64::from(u8::from(self.sure)))));
        rows.push(row("messages that arrive otherwise when sent again", "count", Some(self.strays() as f64)));
        rows
    }

    /// Messages whose watched arrival is not the one that the mapper heard.
    fn strays(&self) -> usize {
        let differs = |(shot, heard): &(&Shot, &Option<(Time, Time)>)| self.is_stray(shot, **heard);
        self.shots.iter().zip(&self.heard).filter(differs).count()
    }

    /// Whether what was watched of a message is not what the mapper heard.
    fn is_stray(&self, shot: &Shot, heard: Option<(Time, Time)>) -> bool {
        match (shot.fate, heard) {
            (Way::Arrived(_, tail), Some((at, _))) => tail != at,
            // Once it has its answer the mapper does not wait for guards.
            (Way::Arrived(..), None) => self.in_time(0).is_none(),
            (_, Some((at, _))) => at <= self.sent[0].at + WATCHED,
            (_, None) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_base::ids::Node;
    use simnet_media::host::plain::{Collision, walk};
    use simnet_network::routing::{Directions, SwitchGraph, Tree};

    /// The messages that were back, and seen, before the mapper went on, in the order in which they were seen.
    fn back(case: &Case) -> Vec<&'static str> {
        let named = case.names().into_iter().enumerate();
        let mut seen: Vec<(Time, &str)> =
            named.filter_map(|(nth, name)| Some((case.in_time(nth)?.1, name))).collect();
        seen.sort();
        seen.into_iter().map(|(_, name)| name).collect()
    }

    /// Wrong if another message came first than the paper says, or if the ways drawn were not those of the mapper's
    /// messages.
    #[test]
    fn what_comes_back_first_is_what_the_paper_says() {
        let deadlocked: [&str; 0] = [];
        let asked = [
            (cases(&scouting(), Kind::Scout, Options::default()), ["S", "G"]),
            (cases(&comparing(), Kind::Compare, Options::default()), ["S", "G1"]),
        ];
        for (asked, firsts) in &asked {
            for (case, first) in asked.iter().zip(firsts) {
                assert_eq!(back(case).first(), Some(first), "{}", case.name);
                assert_eq!(case.strays(), 0, "{}", case.name);
            }
            assert_eq!(back(&asked[2]), deadlocked);
            assert!(asked[2].deadlock.is_some() && asked[2].lost_guards > 0 && !asked[2].sure);
            assert!(asked[0].deadlock.is_none() && asked[0].sure && asked[0].right);
        }
        assert_eq!(back(&asked[1].0[1]), ["G1", "G2"]);
    }

    /// Wrong if a mapper without guards learned anything from a deadlock.
    #[test]
    fn without_guards_a_deadlock_looks_like_a_no() {
        for (stage, kind) in [(scouting(), Kind::Scout), (comparing(), Kind::Compare)] {
            let [yes, no, deadlock] = cases(&stage, kind, Options::timed());
            assert_eq!((back(&yes).len(), back(&no).len(), back(&deadlock).len()), (1, 0, 0));
            let waited = |case: &Case| case.went_on.map(|at| case.us(at)).unwrap();
            // The time-out of a millisecond, and a little for every turn.
            for case in [&no, &deadlock] {
                assert!((990.0..1_020.0).contains(&waited(case)), "{}: {}", case.name, waited(case));
            }
            assert!(deadlock.deadlock.is_some() && yes.right && !deadlock.right);
        }
    }

    /// Wrong if the worms of applications could deadlock without the scout.
    #[test]
    fn the_worms_keep_to_up_down_routes_and_the_scout_does_not() {
        for (stage, root) in [(scouting(), "SW3"), (comparing(), "SW1")] {
            let network = &stage.network;
            let graph = SwitchGraph::new(network);
            let root = network.find_switch(root).unwrap();
            let directions = Directions::from_roots(&graph, vec![root], Tree::Bfs);
            let is_legal = |host: &str, route: &[Turn]| {
                let host = network.find_host(host).unwrap();
                let way = walk(network, host, route, Collision::Packet).unwrap();
                let switch = |end: &End| match end.node {
                    Node::Switch(switch) => switch,
                    Node::Host(_) => unreachable!("hosts pass nothing on"),
                };
                let switches: Vec<_> = way.passed.iter().map(switch).collect();
                let ups: Vec<bool> =
                    switches.windows(2).map(|pair| directions.is_up(pair[0], pair[1])).collect();
                ups.windows(2).all(|pair| pair[0] || !pair[1])
            };
            for (host, route, _) in &stage.worms {
                let route: Vec<Turn> = route.iter().copied().map(Turn).collect();
                assert!(is_legal(host, &route), "{host}");
            }
            assert!(!is_legal("h0", &stage.yes));
        }
    }
}
