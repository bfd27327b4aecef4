//! Forwarding tables against walks hop by hop, and damaged dumps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_network::routing::{Attachments, ForwardingTables, Part, Survey, read_lfts, without};
use simnet_network::topology::{End, Network};

use support_network::cases;
use support_network::damage::damage;
use support_network::lfts::{PAIR, SOUND};
use support_network::routing::{Dependencies, FAR, floyd_warshall, random_multigraph, shortest_cycle};

/// Tables as a subnet manager has them, and what a dump says of the lids.
pub(super) struct Tables {
    /// Per switch, per lid.
    pub(super) outputs: Vec<Vec<u8>>,
    /// Per lid the port of a host.
    pub(super) lids: BTreeMap<u16, End>,
    pub(super) port_guids: BTreeMap<u64, (String, u16)>,
}

pub(super) fn guid(net: &Network, switch: SwitchId) -> u64 {
    net.switches()[switch.index()].guid.unwrap_or(0xa000 + switch.index() as u64)
}

pub(super) fn port_guid(end: End) -> u64 {
    let Node::Host(host) = end.node else { panic!("a host's port") };
    (1 << 40) + ((host.index() as u64) << 8) + u64::from(end.port.0)
}

/// Two lids for every wired port of a host; half of the entries are any port, 0, or none, the others near the
/// host.
pub(super) fn random_tables(net: &Network, wild: f64, random: &mut ChaCha8Rng) -> Tables {
    let distance = floyd_warshall(net, None);
    let mut tables = Tables { outputs: Vec::new(), lids: BTreeMap::new(), port_guids: BTreeMap::new() };
    for host in net.host_ids() {
        for (port, _, _) in net.cables(Node::Host(host)) {
            let end = End { node: Node::Host(host), port };
            tables.port_guids.insert(port_guid(end), (net.name_of(end.node).to_owned(), port.0));
            for _ in 0..2 {
                let lid = u16::try_from(tables.lids.len() + 1).unwrap();
                tables.lids.insert(lid, end);
            }
        }
    }
    for switch in net.switch_ids() {
        let (first, ports) = net.port_range(Node::Switch(switch));
        let mut column = vec![255];
        for end in tables.lids.values() {
            let far = net.peer(*end).unwrap();
            let Node::Switch(last) = far.node else { panic!("hosts are cabled to switches") };
            let nearer = net.cables(Node::Switch(switch)).find(|(_, _, to)| match to.node {
                Node::Switch(next) => {
                    distance[next.index()][last.index()] + 1 == distance[switch.index()][last.index()]
                }
                Node::Host(_) => *to == *end,
            });
            let port = match nearer {
                Some((port, _, _)) if !random.random_bool(wild) => port.0 - first + 1,
                _ => [0, 255, random.random_range(1..=ports), random.random_range(1..=ports)]
                    [random.random_range(0..4)],
            };
            column.push(u8::try_from(port).unwrap());
        }
        tables.outputs.push(column);
    }
    tables
}

/// A dump in the words of OpenSM, or of `dump_lfts`.
pub(super) fn dump(net: &Network, tables: &Tables, opensm: bool) -> String {
    let mut text = String::new();
    for switch in net.switch_ids() {
        let (name, guid) = (net.name_of(Node::Switch(switch)), guid(net, switch));
        let last = tables.lids.len();
        if opensm {
            writeln!(text, "Unicast lids [0-{last}] of switch Lid 9 guid {guid:#018x} ('{name}'):").unwrap();
        } else {
            let path = "DR path slid 0; dlid 0; 0,3";
            writeln!(text, "Unicast lids [0x0-{last:#x}] of switch {path} guid {guid:#018x} ({name}):")
                .unwrap();
            text.push_str("  Lid  Out   Destination\n       Port     Info \n");
        }
        let mut lines = 0;
        for (lid, end) in &tables.lids {
            let port = tables.outputs[switch.index()][usize::from(*lid)];
            if port == 255 {
                continue;
            }
            lines += 1;
            let (owner, name) = (port_guid(*end), net.name_of(end.node));
            let owner_comment = format!("Channel Adapter portguid {owner:#018x}: '{name}'");
            match (opensm, lid % 2) {
                (true, _) => writeln!(text, "{lid:#06x} {port:03} # {owner_comment}").unwrap(),
                (false, 1) => writeln!(text, "{lid:#06x} {port:03} : ({owner_comment})").unwrap(),
                (false, _) => {
                    writeln!(text, "{lid:#06x} {port:03} : (path #2 out of 2: portguid {owner:#018x})")
                        .unwrap();
                }
            }
        }
        if opensm {
            writeln!(text, "{last} lids dumped").unwrap();
        } else {
            writeln!(text, "{lines} valid lids dumped ").unwrap();
        }
    }
    text
}

/// The outputs to other switches that a packet for a lid takes from a switch, and whether it arrives; a
/// circle is cut where it is closed.
fn walk(net: &Network, tables: &Tables, from: SwitchId, lid: u16) -> (Vec<End>, bool) {
    let (mut at, mut taken) = (from, Vec::new());
    loop {
        let port = tables.outputs[at.index()][usize::from(lid)];
        let (first, ports) = net.port_range(Node::Switch(at));
        if port == 0 || u16::from(port) > ports {
            return (taken, false);
        }
        let out = End { node: Node::Switch(at), port: Port(u16::from(port) - 1 + first) };
        match net.peer(out) {
            None => return (taken, false),
            Some(end @ End { node: Node::Host(_), .. }) => return (taken, end == tables.lids[&lid]),
            Some(End { node: Node::Switch(next), .. }) => {
                let closed = taken.contains(&out);
                taken.push(out);
                if closed {
                    return (taken, false);
                }
                at = next;
            }
        }
    }
}

/// Checks that as routes of worms tables come to what their survey says.
fn check_routes(net: &Network, tables: &ForwardingTables, survey: &Survey, seed: u64) {
    let attachments = Attachments::lowest(net);
    let routes = tables.routes(net, &attachments).unwrap();
    let routed = Survey::new(net, &attachments, &routes);
    let of = |s: &Survey| (s.unreachable, s.sum_of_distances, s.non_minimal, s.load.clone());
    assert_eq!(of(&routed), of(survey), "seed {seed}");
}

/// Wrong if any reach, distance, load or dependency of tables differed from what walks of every pair find, in
/// either format, with tables that lead astray, in circles, to ports without a cable and nowhere.
#[test]
fn tables_are_judged_as_walked() {
    let (mut cyclic, mut lost, mut sound) = (0, 0, 0);
    for seed in 0..cases(4_000) {
        let net = random_multigraph(seed, 9);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tables = random_tables(&net, [0.0, 0.05, 0.5][(seed % 3) as usize], &mut random);
        if tables.lids.is_empty() {
            continue;
        }
        let text = dump(&net, &tables, seed % 2 == 0);
        let read = read_lfts(&net, &tables.port_guids, "lfts", text.as_bytes())
            .unwrap_or_else(|faults| panic!("seed {seed}: {faults}"));
        let attachments = Attachments::lowest(&net);
        let survey = Survey::of_tables(&net, &attachments, &read);
        check_routes(&net, &read, &survey, seed);
        let minimal = floyd_warshall(&net, None);
        let mut dependencies = Dependencies::new();
        let switch = |host: HostId| attachments.switch(host).map(|(switch, _)| switch);
        // Every cabled port of a host may send.
        let sources = tables.lids.values().filter_map(|end| match net.peer(*end)?.node {
            Node::Switch(source) => Some(source),
            Node::Host(_) => None,
        });
        for (source, lid) in sources.flat_map(|s| tables.lids.keys().map(move |l| (s, *l))) {
            let (taken, _) = walk(&net, &tables, source, lid);
            for two in taken.windows(2) {
                dependencies.entry(two[0]).or_default().insert(two[1]);
            }
        }
        let (mut unreachable, mut sum, mut longer) = (0, 0, 0);
        let mut loads: BTreeMap<End, u64> = BTreeMap::new();
        for (source, end) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
            if source == end {
                continue;
            }
            let port = attachments.of(end).map(|cable| End { node: Node::Host(end), port: cable.port });
            // A lid that every table drops is in no line of the dump.
            let owner_comment =
                |lid: &u16| tables.outputs.iter().any(|column| column[usize::from(*lid)] != 255);
            let lid = tables
                .lids
                .iter()
                .find(|(lid, e)| Some(**e) == port && owner_comment(lid))
                .map(|(lid, _)| *lid);
            let ways = switch(source).zip(lid).map(|(from, lid)| (from, walk(&net, &tables, from, lid)));
            let Some((from, (taken, true))) = ways else {
                unreachable += 1;
                continue;
            };
            sum += taken.len() as u64;
            let least = minimal[from.index()][switch(end).unwrap().index()];
            assert!(least < FAR);
            longer += u64::from(taken.len() as u64 > u64::from(least));
            for output in taken {
                *loads.entry(output).or_default() += 1;
            }
        }
        assert_eq!(
            (survey.unreachable, survey.sum_of_distances, survey.non_minimal),
            (unreachable, sum, longer),
            "seed {seed}"
        );
        let busiest = loads.values().copied().max().unwrap_or(0);
        assert_eq!(survey.busiest().map_or(0, |(_, load)| load), busiest, "seed {seed}");
        let cycle = survey.dependencies.shortest_cycle();
        assert_eq!(cycle.map(|cycle| cycle.len()), shortest_cycle(&dependencies), "seed {seed}");
        let all: usize = dependencies.values().map(|after| after.len()).sum();
        assert_eq!(survey.dependencies.len(), all, "seed {seed}");
        cyclic += u64::from(shortest_cycle(&dependencies).is_some());
        lost += u64::from(unreachable > 0);
        sound += u64::from(unreachable == 0);
    }
    assert!(cyclic > 0 && lost > 0 && sound > 0, "{cyclic} {lost} {sound}");
}

/// Wrong if a dump cut off anywhere, but behind its last word, passed; or if any damage made the reader
/// panic.
#[test]
fn no_dump_is_half_read() {
    let net = simnet_network::topology::formats::read("pair", PAIR.as_bytes(), &Default::default()).unwrap();
    let none = BTreeMap::new();
    for end in 0..SOUND.len() - 1 {
        assert!(read_lfts(&net, &none, "lfts", &SOUND.as_bytes()[..end]).is_err(), "cut off at {end}");
    }
    for seed in 0..cases(20_000) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = SOUND.as_bytes().to_vec();
        damage(&mut bytes, SOUND.as_bytes(), &mut random);
        if let Ok(tables) = read_lfts(&net, &none, "lfts", &bytes) {
            Survey::of_tables(&net, &Attachments::lowest(&net), &tables);
        }
    }
}

/// Whether the cable at an end is gone with these parts.
fn is_gone(net: &Network, parts: &[Part], end: End) -> bool {
    let far = net.peer(end).expect("a cable");
    let switch_is_gone = |node| matches!(node, Node::Switch(switch) if parts.contains(&Part::Switch(switch)));
    let cable = Part::Cable(net.link_at(end).expect("a cable"));
    parts.contains(&cable) || switch_is_gone(end.node) || switch_is_gone(far.node)
}

/// Wrong if tables in a network that lost a cable and a switch delivered a pair over what is gone, or lost a pair that
/// does not come by it.
#[test]
fn installed_tables_lose_what_goes_over_lost_parts() {
    let (mut lost, mut kept) = (0, 0);
    for seed in 0..cases(2_000) {
        let net = random_multigraph(seed, 9);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let tables = random_tables(&net, [0.0, 0.05][(seed % 2) as usize], &mut random);
        if tables.lids.is_empty() {
            continue;
        }
        let text = dump(&net, &tables, true);
        let read = read_lfts(&net, &tables.port_guids, "lfts", text.as_bytes()).unwrap();
        let mut parts = vec![Part::Cable(LinkId::new(random.random_range(0..net.links().len())))];
        if seed % 3 == 0 {
            parts.push(Part::Switch(SwitchId::new(random.random_range(0..net.switches().len()))));
        }
        let left = without(&net, &parts);
        let (attachments, read) = (Attachments::lowest(&left), read.without(&net, &parts));
        let routes = read.routes(&left, &attachments).unwrap();
        let port = |host| attachments.of(host).map(|cable| End { node: Node::Host(host), port: cable.port });
        let mut unreachable = 0;
        for (source, end) in net.host_ids().flat_map(|s| net.host_ids().map(move |d| (s, d))) {
            if source == end {
                continue;
            }
            let is_told = |lid: &u16| tables.outputs.iter().any(|column| column[usize::from(*lid)] != 255);
            let own = tables.lids.iter().find(|(lid, owner)| Some(**owner) == port(end) && is_told(lid));
            let from = port(source).and_then(|port| net.peer(port)).map(|far| far.node);
            let arrives = from.zip(own).is_some_and(|(from, (lid, _))| {
                let Node::Switch(from) = from else { panic!("hosts are cabled to switches") };
                let (taken, arrives) = walk(&net, &tables, from, *lid);
                arrives && taken.iter().all(|out| !is_gone(&net, &parts, *out))
            });
            assert_eq!(routes.turns(source, end).is_some(), arrives, "seed {seed}: {source:?} to {end:?}");
            unreachable += u64::from(!arrives);
            kept += u64::from(arrives);
        }
        lost += unreachable;
        assert_eq!(Survey::of_tables(&left, &attachments, &read).unreachable, unreachable, "seed {seed}");
    }
    assert!(lost > 0 && kept > 0, "{lost} {kept}");
}
