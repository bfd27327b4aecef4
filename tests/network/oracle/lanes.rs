//! Tables with lanes against walks of every path, hop by hop.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_network::routing::{
    About, Attachments, ChannelLane, DestinationTables, Engine, ForwardingTables, Lanes, OpenSm, Routes as _,
    Survey, Target, read_lfts, read_service_levels, read_sl2vl, verify, write_certificate,
};
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::{End, Network};

use support_network::cases;
use support_network::routing::{FAR, floyd_warshall, random_multigraph};

use super::lfts::{Tables, dump, guid, random_tables};

/// What every switch makes of (input, output, level): ports as the switch counts them, from 1.
type Rows = BTreeMap<(SwitchId, u16, u16), [u8; 16]>;

/// The levels of paths: source lid, destination lid.
type Levels = BTreeMap<(u16, u16), u8>;

/// A row for all ports; those of the way back through a port are not always there.
fn random_rows(net: &Network, lanes: u8, random: &mut ChaCha8Rng) -> Rows {
    let mut rows = Rows::new();
    for switch in net.switch_ids() {
        let (_, ports) = net.port_range(Node::Switch(switch));
        for (input, output) in (0..=ports).flat_map(|input| (1..=ports).map(move |output| (input, output))) {
            let row = std::array::from_fn(|_| {
                if random.random_bool(0.01) { 15 } else { random.random_range(0..lanes) }
            });
            if input != output || random.random_bool(0.5) {
                rows.insert((switch, input, output), row);
            }
        }
    }
    rows
}

fn opensm(net: &Network, rows: &Rows) -> String {
    let mut text = String::new();
    for switch in net.switch_ids() {
        let (name, guid) = (net.name_of(Node::Switch(switch)), guid(net, switch));
        writeln!(text, "Switch {guid:#018x}, base LID 9, \"{name}\"\n#in out : 0 ..\n#-----").unwrap();
        for ((_, input, output), lanes) in rows.range((switch, 0, 0)..=(switch, u16::MAX, u16::MAX)) {
            write!(text, "{input:<3} {output:<3} :").unwrap();
            lanes.iter().for_each(|lane| write!(text, " {lane:<2}").unwrap());
            text.push('\n');
        }
        text.push_str("#-----\n\n");
    }
    text
}

fn ibdiagnet(net: &Network, rows: &Rows) -> String {
    let mut text = String::new();
    for ((switch, input, output), lanes) in rows {
        write!(text, "{:#018x} {input} {output}", guid(net, *switch)).unwrap();
        lanes.chunks(2).for_each(|two| write!(text, " 0x{:x}{:x}", two[0], two[1]).unwrap());
        text.push('\n');
    }
    text
}

/// The lids of hosts that a dump says anything of, by port.
fn known(tables: &Tables) -> BTreeMap<u16, End> {
    let is_told = |lid: &u16| tables.outputs.iter().any(|column| column[usize::from(*lid)] != 255);
    tables.lids.iter().filter(|(lid, _)| is_told(lid)).map(|(lid, end)| (*lid, *end)).collect()
}

/// How a walk ended.
#[derive(PartialEq)]
enum Ending {
    Arrived,
    Dropped,
    Lost,
}

/// A walk from the far end of a host's cable: the lanes of outputs to other switches that it takes until it ends, or
/// comes by the same port again.
struct Walk {
    taken: Vec<(End, u8)>,
    ending: Ending,
}

fn walk(net: &Network, (tables, rows): (&Tables, &Rows), from: End, lid: u16, level: u8) -> Walk {
    let (mut at, mut taken, mut seen) = (from, Vec::new(), BTreeSet::new());
    let mut ending = Ending::Lost;
    while let Node::Switch(switch) = at.node {
        let (first, ports) = net.port_range(at.node);
        let port = u16::from(tables.outputs[switch.index()][usize::from(lid)]);
        if port == 0 || port > ports {
            break;
        }
        let out = End { node: at.node, port: Port(port - 1 + first) };
        let Some(next) = net.peer(out) else { break };
        let row = rows.get(&(switch, at.port.0 - first + 1, port));
        let lane = row.map_or(0, |row| row[usize::from(level)]);
        if lane == 15 {
            ending = Ending::Dropped;
            break;
        }
        if let Node::Switch(_) = next.node {
            taken.push((out, lane));
        } else if next == tables.lids[&lid] {
            ending = Ending::Arrived;
        }
        if !seen.insert(at) {
            break;
        }
        at = next;
    }
    Walk { taken, ending }
}

/// Whether the tables alone lead from a port of a switch to a lid, and over how many cables between switches.
fn distance(net: &Network, tables: &Tables, from: End, lid: u16) -> Option<u64> {
    let none = Rows::new();
    let walk = walk(net, (tables, &none), from, lid, 0);
    (walk.ending == Ending::Arrived).then_some(walk.taken.len() as u64)
}

type Dependencies = BTreeMap<(End, u8), BTreeSet<(End, u8)>>;

/// The length of a shortest cycle: a breadth-first search from every lane of a channel.
fn shortest_cycle(dependencies: &Dependencies) -> Option<usize> {
    let through = |start: &(End, u8)| {
        let mut length = BTreeMap::from([(*start, 1)]);
        let mut queue = VecDeque::from([*start]);
        while let Some(channel) = queue.pop_front() {
            for next in dependencies.get(&channel).into_iter().flatten() {
                if next == start {
                    return Some(length[&channel]);
                }
                if !length.contains_key(next) {
                    length.insert(*next, length[&channel] + 1);
                    queue.push_back(*next);
                }
            }
        }
        None
    };
    dependencies.keys().filter_map(through).min()
}

/// All that a survey says, found by walking.
#[derive(Debug, Default, PartialEq)]
struct Found {
    unreachable: u64,
    distances: u64,
    longer: u64,
    busiest: u64,
    lanes: usize,
    without_level: u64,
    dependencies: usize,
    cycle: Option<usize>,
}

fn found(net: &Network, (tables, rows, levels): (&Tables, &Rows, &Levels)) -> (Found, Dependencies) {
    let mut found = Found::default();
    let known = known(tables);
    let mut dependencies = Dependencies::new();
    let mut used = BTreeSet::new();
    let ends: BTreeSet<End> = tables.lids.values().copied().collect();
    for (end, (lid, to)) in ends.iter().flat_map(|end| known.iter().map(move |lid| (end, lid))) {
        let own: Vec<u16> = known.iter().filter(|(_, e)| *e == end).map(|(lid, _)| *lid).collect();
        let own: Vec<Option<u16>> =
            if own.is_empty() { vec![None] } else { own.into_iter().map(Some).collect() };
        for source in own.into_iter().filter(|_| end != to) {
            let level = source.and_then(|source| levels.get(&(source, *lid)));
            found.without_level += u64::from(level.is_none());
            let level = level.copied().unwrap_or(0);
            let Walk { taken, .. } = walk(net, (tables, rows), net.peer(*end).unwrap(), *lid, level);
            used.extend(taken.iter().map(|(_, lane)| *lane));
            for two in taken.windows(2) {
                dependencies.entry(two[0]).or_default().insert(two[1]);
            }
        }
    }
    let attachments = Attachments::lowest(net);
    let minimal = floyd_warshall(net, None);
    let mut loads: BTreeMap<End, u64> = BTreeMap::new();
    let base = |host: HostId| {
        let port = End { node: Node::Host(host), port: attachments.of(host)?.port };
        known.iter().find(|(_, end)| **end == port).map(|(lid, _)| *lid)
    };
    for (source, end) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
        if source == end {
            continue;
        }
        let ends = attachments.of(source).map(|cable| cable.far).zip(base(end));
        let level = base(source).zip(base(end)).and_then(|pair| levels.get(&pair)).copied().unwrap_or(0);
        let walked = ends.map(|(from, lid)| (from, walk(net, (tables, rows), from, lid, level)));
        let Some((from, Walk { taken, ending: Ending::Arrived })) = walked else {
            found.unreachable += 1;
            continue;
        };
        found.distances += taken.len() as u64;
        let Node::Switch(from) = from.node else { panic!("hosts are cabled to switches") };
        let least = minimal[from.index()][attachments.switch(end).unwrap().0.index()];
        assert!(least < FAR);
        found.longer += u64::from(taken.len() as u64 > u64::from(least));
        taken.iter().for_each(|(output, _)| *loads.entry(*output).or_default() += 1);
    }
    found.busiest = loads.values().copied().max().unwrap_or(0);
    found.lanes = used.len().max(1);
    found.dependencies = dependencies.values().map(BTreeSet::len).sum();
    found.cycle = shortest_cycle(&dependencies);
    (found, dependencies)
}

fn as_survey_says(survey: &Survey) -> Found {
    let used = survey.lanes.unwrap();
    Found {
        unreachable: survey.unreachable,
        distances: survey.sum_of_distances,
        longer: survey.non_minimal,
        busiest: survey.busiest().map_or(0, |(_, load)| load),
        lanes: used.lanes as usize,
        without_level: used.paths_without_level,
        dependencies: survey.dependencies.len(),
        cycle: survey.dependencies.shortest_cycle_on_lanes().map(|cycle| cycle.len()),
    }
}

/// Levels of most paths, and the file that says so.
fn random_levels(tables: &Tables, random: &mut ChaCha8Rng) -> (Levels, String) {
    let (mut levels, mut text) = (Levels::new(), String::from("# slid dlid sl\n"));
    let known = known(tables);
    for (source, destination) in known.keys().flat_map(|s| known.keys().map(move |d| (*s, *d))) {
        if random.random_bool(0.9) {
            let level = random.random_range(0..4);
            levels.insert((source, destination), level);
            writeln!(text, "{source} {destination} {level}").unwrap();
        }
    }
    (levels, text)
}

/// Wrong if any reach, distance, load, lane or dependency of tables with lanes differed from what walks of every path
/// find, or the order of lanes that proves them sound were none, with tables that lead astray, in circles and nowhere,
/// packets that are dropped, and paths without a level.
#[test]
fn lanes_are_judged_as_walked() {
    let (mut cyclic, mut broken, mut dropped) = (0, 0, 0);
    for seed in 0..cases(4_000) {
        let net = random_multigraph(seed, 9);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tables = random_tables(&net, [0.0, 0.05, 0.5][(seed % 3) as usize], &mut random);
        if tables.lids.is_empty() || known(&tables).is_empty() {
            continue;
        }
        let text = dump(&net, &tables, true);
        let read = read_lfts(&net, &tables.port_guids, "lfts", text.as_bytes()).unwrap();
        let rows = random_rows(&net, [1, 2, 5][(seed / 3 % 3) as usize], &mut random);
        let (levels, text) = random_levels(&tables, &mut random);
        if levels.is_empty() {
            continue;
        }
        let levels_read =
            read_service_levels(&net, &tables.port_guids, &read, "levels", text.as_bytes()).unwrap();
        let by_guid = net.switches().iter().all(|switch| switch.guid.is_some());
        let texts = [Some(opensm(&net, &rows)), by_guid.then(|| ibdiagnet(&net, &rows))];
        let (expected, dependencies) = found(&net, (&tables, &rows, &levels));
        let attachments = Attachments::lowest(&net);
        for text in texts.into_iter().flatten() {
            let lanes = read_sl2vl(&net, &read, "sl2vl", text.as_bytes());
            let lanes = lanes.unwrap_or_else(|faults| panic!("seed {seed}: {faults}"));
            let lanes = Lanes { tables: lanes, levels: levels_read.clone() };
            let survey = Survey::of_tables_on_lanes(&net, &attachments, &read, &lanes);
            assert_eq!(as_survey_says(&survey), expected, "seed {seed}");
            check_order(&survey, &dependencies, seed);
            check_pairs(&net, (&tables, &rows, &levels), &read, &lanes);
            check_certificate(&net, &survey, seed);
        }
        let on_one = Survey::of_tables(&net, &attachments, &read);
        dropped += u64::from(on_one.unreachable < expected.unreachable);
        cyclic += u64::from(expected.cycle.is_some());
        broken += u64::from(on_one.dependencies.is_cyclic() && expected.cycle.is_none());
    }
    assert!(cyclic > 0 && broken > 0 && dropped > 0, "{cyclic} {broken} {dropped}");
}

/// Checks that each pair of hosts has a route if the walk of its level arrives, with that level, and that the highest
/// lane of all these walks is the one that is named.
fn check_pairs(
    net: &Network,
    (tables, rows, levels): (&Tables, &Rows, &Levels),
    read: &ForwardingTables,
    lanes: &Lanes,
) {
    let attachments = Attachments::lowest(net);
    let (table, highest) = read.routes_on_lanes(net, &attachments, lanes).unwrap();
    let known = known(tables);
    let base = |host: HostId| {
        let port = End { node: Node::Host(host), port: attachments.of(host)?.port };
        known.iter().find(|(_, end)| **end == port).map(|(lid, _)| *lid)
    };
    let mut most = None;
    for (source, to) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
        let level = base(source).zip(base(to)).and_then(|pair| levels.get(&pair)).copied().unwrap_or(0);
        let ends = attachments.of(source).map(|cable| cable.far).zip(base(to)).filter(|_| source != to);
        let walked = ends.map(|(from, lid)| walk(net, (tables, rows), from, lid, level));
        let arrives = walked.as_ref().is_some_and(|walk| walk.ending == Ending::Arrived);
        assert_eq!(table.turns(source, to).is_some(), arrives);
        if source != to {
            assert_eq!(table.service_level(source, to), level);
        }
        let lanes = walked.filter(|_| arrives).into_iter().flat_map(|walk| walk.taken);
        most = most.max(lanes.map(|(_, lane)| lane).max());
    }
    // The walk does not note the lane of the last cable.
    assert!(most <= highest.map(|highest| highest.lane));
}

/// Checks that the order of lanes is one, and has all dependencies.
fn check_order(survey: &Survey, dependencies: &Dependencies, seed: u64) {
    let Some(order) = survey.dependencies.order() else {
        assert!(shortest_cycle(dependencies).is_some(), "seed {seed}");
        return;
    };
    let named = |lane: &ChannelLane| (survey.dependencies.sender(lane.channel), lane.lane);
    let place: BTreeMap<_, _> = order.iter().enumerate().map(|(nth, (lane, _))| (named(lane), nth)).collect();
    assert_eq!(place.len(), order.len(), "seed {seed}");
    let mut listed = Dependencies::new();
    for (nth, (lane, next)) in order.iter().enumerate() {
        for next in next.iter().map(named) {
            assert!(place[&next] > nth, "seed {seed}: a dependency leads back");
            listed.entry(named(lane)).or_default().insert(next);
        }
    }
    assert_eq!(listed, *dependencies, "seed {seed}");
}

/// Checks that the certificate of lanes is verified, if there is one.
fn check_certificate(net: &Network, survey: &Survey, seed: u64) {
    let mut text = Vec::new();
    let about = (About { pairs: survey.reached(), digest: None }, survey.lanes.is_some());
    let is_written = write_certificate(net, &survey.dependencies, about, &mut text).unwrap();
    assert_eq!(is_written, !survey.dependencies.is_cyclic(), "seed {seed}");
    if is_written {
        let certificate =
            verify(net, Some(about.0), "certificate", &text).unwrap_or_else(|f| panic!("seed {seed}: {f}"));
        assert_eq!(certificate.size().1, survey.dependencies.len(), "seed {seed}");
    }
}

/// Wrong if tables with one lane for all were judged otherwise than without lanes.
#[test]
fn one_lane_for_all_is_as_none() {
    for seed in 0..cases(1_000) {
        let net = random_multigraph(seed, 9);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tables = random_tables(&net, 0.0, &mut random);
        if known(&tables).is_empty() {
            continue;
        }
        let text = dump(&net, &tables, true);
        let read = read_lfts(&net, &tables.port_guids, "lfts", text.as_bytes()).unwrap();
        let mut rows = random_rows(&net, 1, &mut random);
        rows.values_mut().for_each(|row| *row = [0; 16]);
        let lanes = read_sl2vl(&net, &read, "sl2vl", opensm(&net, &rows).as_bytes()).unwrap();
        let lanes = Lanes { tables: lanes, levels: Default::default() };
        let attachments = Attachments::lowest(&net);
        let with = Survey::of_tables_on_lanes(&net, &attachments, &read, &lanes);
        let without = Survey::of_tables(&net, &attachments, &read);
        assert_eq!(with.dependencies.shortest_cycle(), without.dependencies.shortest_cycle(), "seed {seed}");
        assert_eq!(with.dependencies.len(), without.dependencies.len(), "seed {seed}");
        let of = |s: &Survey| (s.unreachable, s.sum_of_distances, s.non_minimal, s.load.clone());
        assert_eq!(of(&with), of(&without), "seed {seed}");
        let far = |end: &End| distance(&net, &tables, net.peer(*end).unwrap(), 1);
        assert!(tables.lids.values().all(|end| far(end).is_none_or(|d| d < net.switches().len() as u64)));
    }
}

/// Wrong if service levels were written for other paths than there are: from another port of a host, or from none.
#[test]
fn written_levels_are_those_of_every_port() {
    let mut several = 0;
    for seed in 0..cases(300) {
        let text = formats::write(&random_multigraph(seed, 9), Format::Ibnetdiscover);
        let Ok(net) = formats::read("net", text.as_bytes(), &ReadOptions::default()) else { continue };
        let guids = formats::port_guids(text.as_bytes());
        let engine = [Engine::Lash, Engine::Dfsssp, Engine::Nue][usize::try_from(seed % 3).unwrap()].clone();
        let Ok(tables) =
            DestinationTables::new(&net, &Attachments::lowest(&net), &engine, (Some(4), 0, None))
        else {
            continue;
        };
        let files = OpenSm::new(&net, &tables, &formats::kept(text.as_bytes())).unwrap();
        let [mut lfts, mut levels, mut sl2vl] = [Vec::new(), Vec::new(), Vec::new()];
        files.write_tables(&mut lfts).unwrap();
        files.write_service_levels(&mut levels).unwrap();
        files.write_sl_to_vl(&mut sl2vl).unwrap();
        let Ok(read) = read_lfts(&net, &guids, "lfts", &lfts) else { continue };
        let Ok(levels) = read_service_levels(&net, &guids, &read, "levels", &levels) else { continue };
        let ends: BTreeMap<u16, End> = read.lids().iter().map(|(lid, end)| (*lid, *end)).collect();
        let columns: BTreeMap<End, usize> = (0..tables.hops.columns())
            .filter_map(|column| match tables.hops.target(column).0 {
                Target::Host(host, port) => Some((End { node: Node::Host(host), port }, column)),
                Target::Switch(_) => None,
            })
            .collect();
        for (lid, end) in &ends {
            let found: BTreeMap<u16, u8> = levels.toward(*lid).collect();
            let expected = ends.iter().filter(|(_, from)| *from != end).filter_map(|(source, from)| {
                let Some(End { node: Node::Switch(switch), .. }) = net.peer(*from) else { return None };
                Some((*source, tables.hops.service_level(columns[end], switch)))
            });
            several += ends.iter().filter(|(source, from)| *source != lid && from.node == end.node).count();
            assert_eq!(found, expected.collect(), "seed {seed}, to {lid}");
        }
        let lanes = Lanes { tables: read_sl2vl(&net, &read, "sl2vl", &sl2vl).unwrap(), levels };
        let survey = Survey::of_tables_on_lanes(&net, &Attachments::lowest(&net), &read, &lanes);
        assert!(!survey.dependencies.is_cyclic(), "seed {seed}");
    }
    assert!(several > 0, "no host had two ports");
}
