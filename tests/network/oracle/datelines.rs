//! Dimension order on the two lanes of a torus: lanes by coordinates, cycles sought over (channel, lane), and the
//! tables that are written for OpenSM read back.

use std::collections::{BTreeMap, BTreeSet};

use simnet_base::ids::{Node, Port, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, DestinationTables, Engine, Lanes, OpenSm, Survey, SwitchGraph, TablesError,
    Target, read_lfts, read_service_levels, read_sl2vl,
};
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::{Network, generate};

const ENGINE: Engine = Engine::Rule(Algorithm::DimensionOrder);

fn torus(sizes: &[u64], hosts: u64) -> Network {
    let sizes = ["x", "y", "z", "u", "v", "w"].into_iter().zip(sizes.iter().copied());
    let parameters: Vec<(&str, u64)> = sizes.chain([("hosts-per-switch", hosts)]).collect();
    generate::build("torus", &parameters, 0).unwrap()
}

fn tables(net: &Network, lanes: Option<u8>) -> Result<DestinationTables, TablesError> {
    DestinationTables::new(net, &Attachments::lowest(net), &ENGINE, (lanes, 0, None))
}

/// The coordinates of a switch by the number in its name, which the generator gives in their order.
fn coordinates(net: &Network, switch: SwitchId, sizes: &[u64]) -> Vec<u64> {
    let mut number: u64 = net.name_of(Node::Switch(switch)).trim_start_matches('s').parse().unwrap();
    let mut next = |size: &u64| {
        let coordinate = number % size;
        number /= size;
        coordinate
    };
    sizes.iter().map(&mut next).collect()
}

/// A lane of an output of a switch.
type OnLane = (SwitchId, Port, u8);

/// Whether what follows what has a cycle: what nothing leads to is taken away until nothing is.
fn is_cyclic(mut follows: BTreeMap<OnLane, BTreeSet<OnLane>>) -> bool {
    loop {
        let reached: BTreeSet<OnLane> = follows.values().flatten().copied().collect();
        let before = follows.len();
        follows.retain(|lane, _| reached.contains(lane));
        if follows.len() == before {
            return before > 0;
        }
    }
}

/// Walks to all hosts from all switches, and gives what follows what; checks that no way is longer than need be, and
/// that the lane in each dimension says whether the way goes over the dateline there.
fn walked(net: &Network, tables: &DestinationTables, sizes: &[u64]) -> BTreeMap<OnLane, BTreeSet<OnLane>> {
    let graph = SwitchGraph::new(net);
    let mut follows: BTreeMap<OnLane, BTreeSet<OnLane>> = BTreeMap::new();
    for column in 0..tables.hops.columns() {
        let (Target::Host(..), to) = tables.hops.target(column) else { continue };
        let goal = coordinates(net, to, sizes);
        for from in net.switch_ids() {
            let level = tables.hops.service_level(column, from);
            let (mut at, mut taken, mut crossed) = (from, Vec::new(), vec![false; sizes.len()]);
            let start = coordinates(net, from, sizes);
            while at != to {
                let by = tables.hops.next(&graph, column, at).expect("all ways arrive");
                let output = &graph.outputs()[by];
                let [here, there] = [at, output.to].map(|switch| coordinates(net, switch, sizes));
                let dimension = (0..sizes.len()).find(|d| here[*d] != there[*d]).unwrap();
                crossed[dimension] |= sizes[dimension] > 3 && here[dimension].abs_diff(there[dimension]) > 1;
                taken.push((dimension, (at, output.port, tables.hops.lane(level, by))));
                at = output.to;
            }
            let shortest = |d: usize| {
                let apart = start[d].abs_diff(goal[d]);
                apart.min(sizes[d] - apart)
            };
            assert_eq!(taken.len() as u64, (0..sizes.len()).map(shortest).sum::<u64>(), "{sizes:?}");
            for (dimension, (_, _, lane)) in &taken {
                assert_eq!(*lane, u8::from(crossed[*dimension]), "{sizes:?}: {start:?} to {goal:?}");
            }
            for pair in taken.windows(2) {
                follows.entry(pair[0].1).or_default().insert(pair[1].1);
            }
        }
    }
    follows
}

/// Wrong if a path were on another lane than its coordinates say, took a longer way, if the two lanes left a cycle, or
/// if the proof said so of lanes that have none.
#[test]
fn two_lanes_leave_no_cycle_on_any_torus() {
    let all: [(&[u64], u8); 12] = [
        (&[4], 2),
        (&[5], 2),
        (&[9], 2),
        (&[3, 3], 1),
        (&[3, 4], 2),
        (&[4, 4], 2),
        (&[5, 4], 2),
        (&[8, 6], 2),
        (&[2, 5, 3], 2),
        (&[4, 4, 4], 2),
        (&[5, 6, 4], 2),
        (&[4, 4, 4, 4], 2),
    ];
    for (sizes, lanes) in all {
        let net = torus(sizes, 1);
        let tables = tables(&net, None).unwrap();
        assert_eq!(tables.hops.lanes(), lanes, "{sizes:?}");
        assert!(!is_cyclic(walked(&net, &tables, sizes)), "{sizes:?}");
        let attachments = Attachments::lowest(&net);
        let report = tables.report(&net, &attachments);
        assert_eq!((report.dependency_cycle, report.unreachable_pairs), (None, 0), "{sizes:?}");
        assert_eq!(report.non_minimal_pairs, 0, "{sizes:?}");
    }
    let refused = tables(&torus(&[5, 4], 1), Some(1)).unwrap_err();
    assert_eq!(refused, TablesError::Lanes { needed: 2, given: 1 });
    // More lanes than two are not needed, and not used.
    assert_eq!(tables(&torus(&[5, 4], 1), Some(6)).unwrap().hops.lanes(), 2);
}

/// Wrong if the files that are written for a subnet manager had another verdict, other lanes or other routes than the
/// tables that they were written from.
#[test]
fn written_tables_are_read_back_alike() {
    for sizes in [&[5, 4][..], &[4, 3, 4]] {
        let net = torus(sizes, 2);
        let text = formats::write(&net, Format::Ibnetdiscover);
        let net = formats::read("net", text.as_bytes(), &ReadOptions::default()).unwrap();
        let attachments = Attachments::lowest(&net);
        let tables = tables(&net, Some(2)).unwrap();
        let guids = formats::port_guids(text.as_bytes());
        let files = OpenSm::new(&net, &tables, &formats::kept(text.as_bytes())).unwrap();
        let [mut lfts, mut levels, mut sl2vl] = [Vec::new(), Vec::new(), Vec::new()];
        files.write_tables(&mut lfts).unwrap();
        files.write_service_levels(&mut levels).unwrap();
        files.write_sl_to_vl(&mut sl2vl).unwrap();
        let read = read_lfts(&net, &guids, "lfts", &lfts).unwrap();
        let lanes = Lanes {
            tables: read_sl2vl(&net, &read, "sl2vl", &sl2vl).unwrap(),
            levels: read_service_levels(&net, &guids, &read, "levels", &levels).unwrap(),
        };
        let survey = Survey::of_tables_on_lanes(&net, &attachments, &read, &lanes);
        assert_eq!(survey.lanes.unwrap().lanes, 2, "{sizes:?}");
        assert!(!survey.dependencies.is_cyclic(), "{sizes:?}");
        assert_eq!(survey.dependencies.len(), tables.dependencies(&net).len(), "{sizes:?}");
        assert!(
            Survey::of_tables(&net, &attachments, &read).dependencies.is_cyclic(),
            "{sizes:?}: on one lane"
        );
    }
}
