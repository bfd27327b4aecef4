//! What must change of the directions when a network changes, against all orders of small networks; and that old and
//! new turns together make no cycle outside of it.

use std::collections::BTreeSet;

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use simnet_base::ids::{ChannelId, LinkId, Node, Port, SwitchId};
use simnet_network::routing::{
    Attachments, Changed, DependencyGraph, Directions, Heuristic, Part, Reconfigured, Root, SwitchGraph, Tree,
};
use simnet_network::topology::{End, Network, Switch};

use support_network::cases;
use support_network::routing::{FAR, floyd_warshall, random_multigraph, switch_of};

fn directions(net: &Network, random: &mut ChaCha8Rng) -> Directions {
    let graph = SwitchGraph::new(net);
    // One root per component, so that nothing is to be done without a change.
    let root = [Root::R0, Root::R1, Root::R2][random.random_range(0..3)].clone();
    let tree = [Tree::Bfs, Tree::Dfs(Heuristic::H2)][random.random_range(0..2)];
    Directions::new(&graph, &Attachments::lowest(net), None, &root, tree)
}

fn some_switch(net: &Network, random: &mut ChaCha8Rng) -> SwitchId {
    SwitchId(random.random_range(0..u32::try_from(net.switches().len()).unwrap()))
}

fn free_end(net: &Network, random: &mut ChaCha8Rng) -> Option<End> {
    let switch = some_switch(net, random);
    let (first, ports) = net.port_range(Node::Switch(switch));
    (first..first + ports).map(|port| End::switch(switch, port)).find(|end| net.peer(*end).is_none())
}

/// A network of so many switches at most, changed in one of five ways; none where the change cannot be made.
fn changed(seed: u64, most: u32) -> Option<Changed> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let net = random_multigraph(random.next_u64(), most);
    let before = directions(&net, &mut random);
    match seed % 5 {
        0 if !net.links().is_empty() => {
            let cable = LinkId(random.random_range(0..u32::try_from(net.links().len()).unwrap()));
            Some(Changed::without(&net, &before, &[Part::Cable(cable)]))
        }
        1 if net.switches().len() > 1 => {
            Some(Changed::without(&net, &before, &[Part::Switch(some_switch(&net, &mut random))]))
        }
        2 => {
            let (a, b) = (free_end(&net, &mut random)?, free_end(&net, &mut random)?);
            Changed::with_cable(&net, &before, (a, b)).ok()
        }
        3 => {
            let added =
                Switch { name: "new".to_owned(), ports: 2, first_port: 0, guid: None, description: None };
            let cables = [0, 1].map(|port| Some((Port(port), free_end(&net, &mut random)?)));
            let cables: Vec<(Port, End)> = cables.into_iter().flatten().collect();
            Changed::with_switch(&net, &before, added, &cables).ok()
        }
        4 => {
            let other = random_multigraph(random.next_u64(), most);
            let then = directions(&other, &mut random);
            let ends = (free_end(&net, &mut random)?, free_end(&other, &mut random)?);
            Changed::joined([(&net, &before), (&other, &then)], ends).ok()
        }
        _ => None,
    }
}

/// Cables between different switches with their ends.
fn inner(net: &Network) -> Vec<(LinkId, SwitchId, SwitchId)> {
    let links = (0..).map(LinkId).zip(net.links());
    let ends = |(id, link): (LinkId, &simnet_network::topology::Link)| match (link.a.node, link.b.node) {
        (Node::Switch(a), Node::Switch(b)) if a != b => Some((id, a, b)),
        _ => None,
    };
    links.filter_map(ends).collect()
}

/// Whether the up end of each cable is `b`, by an order.
type Ups<'a> = &'a dyn Fn(SwitchId, SwitchId) -> bool;

/// The skyline by its words: ends of turned cables, and whatever is above one of its own by a cable that was kept.
fn skyline(changed: &Changed, is_up: Ups<'_>) -> BTreeSet<SwitchId> {
    let cables: Vec<_> =
        inner(changed.network()).into_iter().filter(|(link, ..)| changed.is_kept(*link)).collect();
    let turned = cables.iter().filter(|(_, a, b)| changed.was_up(*a, *b) != is_up(*a, *b));
    let mut found: BTreeSet<SwitchId> = turned.flat_map(|(_, a, b)| [*a, *b]).collect();
    loop {
        let before = found.len();
        for (_, a, b) in &cables {
            let (lower, upper) = if is_up(*a, *b) { (a, b) } else { (b, a) };
            if found.contains(lower) {
                found.insert(*upper);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn within(changed: &Changed, skyline: &BTreeSet<SwitchId>) -> usize {
    let both = |(link, a, b): &(LinkId, SwitchId, SwitchId)| {
        changed.is_kept(*link) && skyline.contains(a) && skyline.contains(b)
    };
    inner(changed.network()).iter().filter(|cable| both(cable)).count()
}

/// How many switches have no cable up.
fn tops(net: &Network, is_up: Ups<'_>) -> usize {
    let cables = inner(net);
    let has_up =
        |s: SwitchId| cables.iter().any(|(_, a, b)| *a == s && is_up(s, *b) || *b == s && is_up(s, *a));
    net.switch_ids().filter(|switch| !has_up(*switch)).count()
}

/// All orders of so many switches, as places.
fn orders(switches: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..switches {
        let longer = |order: &Vec<usize>| {
            let rest = (0..switches).filter(|place| !order.contains(place));
            rest.map(|place| [order.as_slice(), &[place]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// Wrong if a component came out with no root or several, a pair of switches in it without a legal path, a cable were
/// turned unseen, or the skyline were not what its words say.
#[test]
fn every_component_has_one_root_and_the_skyline_is_what_it_says() {
    let mut empty = [0; 2];
    for seed in 0..cases(20_000) {
        let Some(changed) = changed(seed, 9) else { continue };
        let net = changed.network();
        let Reconfigured { directions, turned, skyline: found, within: inside } = changed.reconfigured();
        let components = SwitchGraph::new(net).components();
        let is_up = |a, b| directions.is_up(a, b);
        assert_eq!(tops(net, &is_up), components.len(), "seed {seed}");
        let distances = floyd_warshall(net, Some(&directions));
        for component in &components {
            for (a, b) in component.iter().flat_map(|a| component.iter().map(move |b| (a, b))) {
                assert!(distances[a.index()][b.index()] < FAR, "seed {seed}: {a:?} {b:?}");
            }
            assert!(directions.roots().iter().filter(|root| component.contains(root)).count() == 1);
        }
        let wanted: Vec<LinkId> = inner(net)
            .into_iter()
            .filter(|(link, a, b)| changed.is_kept(*link) && changed.was_up(*a, *b) != is_up(*a, *b))
            .map(|(link, ..)| link)
            .collect();
        assert_eq!(turned, wanted, "seed {seed}");
        let wanted = skyline(&changed, &is_up);
        assert_eq!(found, wanted.iter().copied().collect::<Vec<_>>(), "seed {seed}");
        assert_eq!(inside, within(&changed, &wanted), "seed {seed}");
        empty[usize::from(found.is_empty())] += 1;
        if seed % 5 == 2 || seed % 5 == 3 {
            // What is added within a network never asks for anything else, unless it joins parts of it.
            let joined = components.len() < SwitchGraph::new(&without_new(&changed)).components().len();
            assert!(found.is_empty() || joined, "seed {seed}");
        }
    }
    assert!(empty.iter().all(|count| *count >= cases(20_000) / 100), "{empty:?}");
}

/// The changed network without its new cables; a new switch counts as joined to the rest.
fn without_new(changed: &Changed) -> Network {
    let net = changed.network();
    let new: Vec<Part> = (0..net.links().len())
        .map(LinkId::new)
        .filter(|link| !changed.is_kept(*link))
        .map(Part::Cable)
        .collect();
    simnet_network::routing::without(net, &new)
}

/// Wrong if another order left fewer cables within its skyline, or one without a skyline were missed.
#[test]
fn no_order_leaves_less_skyline() {
    let mut several = 0;
    for seed in 0..cases(2_000) {
        let Some(changed) = changed(seed, if seed % 5 == 4 { 3 } else { 6 }) else { continue };
        let net = changed.network();
        let components = SwitchGraph::new(net).components().len();
        let found = changed.reconfigured();
        let mut least = usize::MAX;
        for order in orders(net.switches().len()) {
            let is_up = |a: SwitchId, b: SwitchId| order[b.index()] < order[a.index()];
            if tops(net, &is_up) == components {
                least = least.min(within(&changed, &skyline(&changed, &is_up)));
            }
        }
        assert_eq!(found.within, least, "seed {seed}");
        several += usize::from(least > 0);
    }
    assert!(several > 0, "no case had a skyline");
}

/// Wrong if worms on old and on new routes could wait for each other in a circle that leaves the skyline.
#[test]
fn old_and_new_turns_make_no_cycle_outside_of_the_skyline() {
    let mut cyclic = 0;
    for seed in 0..cases(10_000) {
        let Some(changed) = changed(seed, 10) else { continue };
        let net = changed.network();
        let after = changed.reconfigured();
        let skyline: BTreeSet<SwitchId> = after.skyline.iter().copied().collect();
        let (mut graph, followers) = both_rules(&changed, &after.directions);
        let is_inside = |channel: ChannelId| {
            let link = net.link(channel.link());
            [link.a, link.b].iter().all(|end| skyline.contains(&switch_of(*end)))
        };
        if let Some(cycle) = graph.shortest_cycle() {
            assert!(cycle.iter().all(|channel| is_inside(*channel)), "seed {seed}: {cycle:?}");
            cyclic += 1;
        }
        let outside: Vec<ChannelId> =
            followers.iter().map(|(channel, _)| *channel).filter(|channel| !is_inside(*channel)).collect();
        for channel in outside {
            assert!(!comes_back(&followers, channel), "seed {seed}: {channel:?}");
        }
        // What is new comes in when the inside is done: then the new rule alone holds.
        graph = DependencyGraph::new(net);
        for (channel, output) in turns(net, |_| true, &|a, b| after.directions.is_up(a, b)) {
            graph.add(channel, output);
        }
        assert!(!graph.is_cyclic(), "seed {seed}");
    }
    assert!(cyclic > 0, "no change had a skyline that matters");
}

/// Every turn of a rule: the channel that a worm comes by, and the port that it leaves by.
fn turns(net: &Network, has: impl Fn(LinkId) -> bool, is_up: Ups<'_>) -> Vec<(ChannelId, Port)> {
    let mut found = Vec::new();
    let cables: Vec<_> = inner(net).into_iter().filter(|(link, ..)| has(*link)).collect();
    let channels =
        || cables.iter().flat_map(|(link, a, b)| [(link.forward(), *a, *b), (link.backward(), *b, *a)]);
    for (first, from, at) in channels() {
        for (second, _, to) in channels().filter(|(_, start, _)| *start == at) {
            if is_up(from, at) || !is_up(at, to) {
                found.push((first, sender(net, second).port));
            }
        }
    }
    found
}

fn sender(net: &Network, channel: ChannelId) -> End {
    let link = net.link(channel.link());
    if channel == channel.link().forward() { link.a } else { link.b }
}

/// Channels with those that may follow.
type Followers = Vec<(ChannelId, Vec<ChannelId>)>;

/// What old and new turns allow on the cables that were there before.
fn both_rules(changed: &Changed, after: &Directions) -> (DependencyGraph, Followers) {
    let net = changed.network();
    let kept = |link| changed.is_kept(link);
    let mut all = turns(net, kept, &|a, b| changed.was_up(a, b));
    all.extend(turns(net, kept, &|a, b| after.is_up(a, b)));
    let mut graph = DependencyGraph::new(net);
    let mut followers: Followers = Vec::new();
    for (channel, output) in all {
        graph.add(channel, output);
        let link = net.link(channel.link());
        let at = if channel == channel.link().forward() { link.b } else { link.a };
        let end = End { node: at.node, port: output };
        let next = net.link_at(end).unwrap();
        let next = if net.link(next).a == end { next.forward() } else { next.backward() };
        match followers.iter_mut().find(|(of, _)| *of == channel) {
            Some((_, then)) => then.push(next),
            None => followers.push((channel, vec![next])),
        }
    }
    (graph, followers)
}

fn comes_back(followers: &Followers, start: ChannelId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(channel) = open.pop() {
        let next = followers.iter().find(|(of, _)| *of == channel);
        for then in next.into_iter().flat_map(|(_, then)| then) {
            if *then == start {
                return true;
            }
            if seen.insert(*then) {
                open.push(*then);
            }
        }
    }
    false
}
