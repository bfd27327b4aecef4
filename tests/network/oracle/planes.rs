//! Hosts with cables to several planes, or several to one: what is said of them is what a search over all ports finds.

use std::collections::BTreeSet;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, DestinationTables, Engine, OpenSm, Plan, Report, Root, Selection,
    Survey, SwitchGraph, Target, Tree, Verdict, read_lfts,
};
use simnet_network::topology::formats::{self, Format, ReadOptions, kept, port_guids};
use simnet_network::topology::{End, Host, Network, Subset};

use support_network::cases;

const CHANCE: Purpose = Purpose(9_463);

fn below(stream: &mut Stream, bound: usize) -> usize {
    usize::try_from(stream.below(bound as u64)).unwrap()
}

/// One to three planes, each a ring, a star or a random connected graph of a few switches, and hosts with one to three
/// cables to any of them.
fn fabric(seed: u64) -> Network {
    let mut stream = Stream::new(seed, CHANCE, 0);
    let mut net = Network::new("planes");
    let mut free: Vec<Vec<u16>> = Vec::new();
    for _ in 0..1 + below(&mut stream, 3) {
        let first = free.len();
        let size = 1 + below(&mut stream, 6);
        for nth in first..first + size {
            net.add_switch(format!("s{nth}"), 24).unwrap();
            free.push((0..24).rev().collect());
        }
        let mut join = |a: usize, b: usize, free: &mut Vec<Vec<u16>>| {
            let ends = [a, b].map(|at| End::switch(SwitchId::new(at), free[at].pop().unwrap()));
            net.connect(ends[0], ends[1]).unwrap();
        };
        for nth in first + 1..first + size {
            let to = if seed.is_multiple_of(3) { nth - 1 } else { first + below(&mut stream, nth - first) };
            join(nth, to, &mut free);
        }
        for _ in 0..below(&mut stream, size + 1) {
            let (a, b) = (first + below(&mut stream, size), first + below(&mut stream, size));
            if a != b {
                join(a, b, &mut free);
            }
        }
    }
    for nth in 0..2 + below(&mut stream, 7) {
        let host = Host { name: format!("h{nth}"), ports: 3, first_port: 0, guid: None, description: None };
        let host = net.push_host(host).unwrap();
        for port in 0..3 {
            if port == 0 || below(&mut stream, 2) == 0 {
                let switch = below(&mut stream, free.len());
                let far = End::switch(SwitchId::new(switch), free[switch].pop().unwrap());
                net.connect(End::host(host, port), far).unwrap();
            }
        }
    }
    net
}

/// Ports of hosts and their switches.
fn plugs(net: &Network) -> Vec<(HostId, SwitchId)> {
    let of = |host: HostId| {
        net.cables(Node::Host(host)).filter_map(move |(_, _, far)| match far.node {
            Node::Switch(switch) => Some((host, switch)),
            Node::Host(_) => None,
        })
    };
    net.host_ids().flat_map(of).collect()
}

/// The switches that cables join to one.
fn joined(net: &Network, from: SwitchId) -> BTreeSet<SwitchId> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for (_, _, far) in net.cables(Node::Switch(at)) {
            if let Node::Switch(next) = far.node
                && seen.insert(next)
            {
                open.push(next);
            }
        }
    }
    seen
}

/// Pairs of hosts without two ports for which `reaches` holds, and pairs of ports on one plane and of those the lost.
fn reach(net: &Network, reaches: impl Fn(SwitchId, (HostId, SwitchId)) -> bool) -> (u64, u64, u64) {
    let plugs = plugs(net);
    let (mut hosts, mut pairs, mut lost) = (0, 0, 0);
    for a in net.host_ids() {
        for b in net.host_ids().filter(|b| *b != a) {
            let mut has_route = false;
            for (_, from) in plugs.iter().filter(|plug| plug.0 == a) {
                let plane = joined(net, *from);
                for to in plugs.iter().filter(|plug| plug.0 == b && plane.contains(&plug.1)) {
                    let arrives = reaches(*from, *to);
                    has_route |= arrives;
                    pairs += 1;
                    lost += u64::from(!arrives);
                }
            }
            hosts += u64::from(!has_route);
        }
    }
    (hosts, pairs, lost)
}

/// Whether one of these, each before another, comes back to itself.
fn is_cyclic(follows: &BTreeSet<(usize, usize)>) -> bool {
    let mut left = follows.clone();
    loop {
        let firsts: BTreeSet<usize> = left.iter().map(|pair| pair.0).collect();
        let before = left.len();
        left.retain(|pair| firsts.contains(&pair.1));
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

/// By two channels whether one follows the other on a shortest path from a switch with a port of a host to one.
fn all_shortest(net: &Network, graph: &SwitchGraph) -> BTreeSet<(usize, usize)> {
    let switches: BTreeSet<SwitchId> = plugs(net).into_iter().map(|plug| plug.1).collect();
    let mut follows = BTreeSet::new();
    for to in &switches {
        let distance = graph.distances([*to]);
        for from in switches.iter().filter(|from| joined(net, **from).contains(to)) {
            // All switches that shortest paths from `from` come to, and from there each pair of channels.
            let (mut here, mut seen) = (vec![*from], BTreeSet::from([*from]));
            while let Some(at) = here.pop() {
                for by in graph.range(at) {
                    let next = graph.outputs()[by].to;
                    if distance[next.index()] >= distance[at.index()] {
                        continue;
                    }
                    for after in graph.range(next) {
                        if distance[graph.outputs()[after].to.index()] < distance[next.index()] {
                            follows.insert((by, after));
                        }
                    }
                    if seen.insert(next) {
                        here.push(next);
                    }
                }
            }
        }
    }
    follows
}

/// The same of a report; of hosts with one cable each pairs of ports are not told.
fn said(report: &Report, expected: (u64, u64, u64)) -> (u64, u64, u64) {
    let ports = report.ports.as_ref().map(|ports| (ports.pairs, ports.unreachable_pairs));
    let (pairs, lost) = ports.unwrap_or((expected.1, expected.2));
    (report.unreachable_pairs, pairs, lost)
}

/// Wrong if a pair of hosts counted as lost that some two ports join, or the other way round; if a verdict left out the
/// routes of a port; or if a table of next hops, written and read again, said otherwise than before.
#[test]
fn all_ports_count() {
    let (mut several, mut cyclic, mut apart) = (0, 0, 0);
    for seed in 0..cases(2_000) {
        let net = fabric(seed);
        let graph = SwitchGraph::new(&net);
        let attachments = Attachments::every_port(&net);
        let up_down = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
        for algorithm in [up_down.clone(), Algorithm::Minimal] {
            let choices = Choices { algorithm, selection: Selection::Balanced, ..Choices::default() };
            let plan = Plan::new(&net, &attachments, &choices).unwrap();
            let report = plan.report(&net, &attachments);
            let expected = reach(&net, |_, _| true);
            assert_eq!(said(&report, expected), expected, "seed {seed}");
            assert_eq!(report, Plan::judge_at_once(&net, &attachments, &choices).unwrap().0, "seed {seed}");
            several += usize::from(report.ports.as_ref().is_some_and(|ports| ports.planes > 1));
            apart += usize::from(report.unreachable_pairs > 0);
            if choices.algorithm == Algorithm::Minimal && report.judged.switch_pairs == 0 {
                let expected = is_cyclic(&all_shortest(&net, &graph));
                assert_eq!(report.verdict() == Some(Verdict::Cyclic), expected, "seed {seed}");
                cyclic += usize::from(expected);
            }
        }
        let text = formats::write(&net, Format::Ibnetdiscover);
        let read = formats::read("net", text.as_bytes(), &ReadOptions::default()).unwrap();
        for engine in [Engine::Rule(up_down), Engine::Rule(Algorithm::Minimal)] {
            tables(&read, text.as_bytes(), &engine, seed);
        }
    }
    println!("{several} on several planes, {cyclic} cyclic, {apart} with hosts apart");
    assert!(several > 0 && cyclic > 0 && apart > 0);
}

/// Holds tables of next hops, and the same read as a subnet manager's dump, against walks hop by hop.
fn tables(net: &Network, bytes: &[u8], engine: &Engine, seed: u64) {
    let (graph, attachments) = (SwitchGraph::new(net), Attachments::every_port(net));
    let tables = DestinationTables::new(net, &attachments, engine, (None, 0, None)).unwrap();
    let sources: BTreeSet<SwitchId> = plugs(net).into_iter().map(|plug| plug.1).collect();
    let mut follows = BTreeSet::new();
    let mut arrives = BTreeSet::new();
    for column in 0..tables.hops.columns() {
        let (Target::Host(host, _), end) = tables.hops.target(column) else { continue };
        for from in &sources {
            let (mut at, mut before, mut steps) = (*from, None, 0);
            while let Some(by) = tables.hops.next(&graph, column, at).filter(|_| at != end && steps < 99) {
                follows.extend(before.map(|before| (before, by)));
                (before, at, steps) = (Some(by), graph.outputs()[by].to, steps + 1);
            }
            if at == end {
                arrives.insert((*from, host, end));
            }
        }
    }
    let expected = reach(net, |from, (host, switch)| arrives.contains(&(from, host, switch)));
    let report = tables.report(net, &attachments);
    assert_eq!(said(&report, expected), expected, "seed {seed}");
    // Of tables on several lanes the verdict is by lane.
    if tables.hops.lanes() == 1 {
        assert_eq!(report.dependency_cycle.is_some(), is_cyclic(&follows), "seed {seed}");
    }
    let mut dump = Vec::new();
    OpenSm::new(net, &tables, &kept(bytes)).unwrap().write_tables(&mut dump).unwrap();
    let read = read_lfts(net, &port_guids(bytes), "lfts", &dump).unwrap_or_else(|faults| panic!("{faults}"));
    let survey = Survey::of_tables(net, &attachments, &read);
    let of_file = Report::of_file(net, &attachments, &survey);
    assert_eq!(said(&of_file, expected), expected, "seed {seed}");
    assert_eq!(of_file.dependency_cycle.is_some(), is_cyclic(&follows), "seed {seed}");
    // On each plane alone, the others' switches and hosts in the dump passed over.
    let mut planes = BTreeSet::new();
    for switch in net.switch_ids() {
        let plane = joined(net, switch);
        if !planes.insert(plane.clone()) {
            continue;
        }
        let name = net.name_of(Node::Switch(switch)).to_owned();
        let (part, left_out) = Subset { plane: Some(name), ..Subset::default() }.of(net).unwrap();
        assert_eq!(left_out.switches, net.switches().len() - plane.len(), "seed {seed}");
        let on_plane = plugs(net).into_iter().filter(|plug| plane.contains(&plug.1));
        let hosts: BTreeSet<HostId> = on_plane.map(|plug| plug.0).collect();
        let attachments = Attachments::every_port(&part);
        let read = read_lfts(&part, &port_guids(bytes), "lfts", &dump);
        let read = read.unwrap_or_else(|faults| panic!("{faults}"));
        let survey = Survey::of_tables(&part, &attachments, &read);
        let report = Report::of_file(&part, &attachments, &survey);
        let pairs = (hosts.len() * hosts.len().saturating_sub(1)) as u64;
        assert_eq!((report.pairs, report.unreachable_pairs), (pairs, 0), "seed {seed}");
    }
    assert_eq!(
        (of_file.mean_distance, of_file.max_channel_load),
        (report.mean_distance, report.max_channel_load)
    );
}
