//! Forwarding tables as OpenSM lists them (`.fdbs`), for the sample of a subnet.

use std::collections::BTreeMap;

use simnet_base::ids::{Node, SwitchId};
use simnet_network::routing::{ForwardingTables, read_lfts};
use support_network::damage::damage;
use support_network::shared;

use super::*;

const SAMPLE: &str = include_str!("../samples/tables.fdbs");
const LST: &str = include_str!("../samples/subnet.lst");

fn tables(text: &str) -> Result<ForwardingTables, Box<Faults>> {
    read_lfts(&good(LST).network, &BTreeMap::new(), "net", text.as_bytes())
}

/// The output of every switch for the lids up to `last`.
fn outputs(net: &Network, tables: &ForwardingTables, last: u16) -> Vec<Vec<Option<u16>>> {
    let row =
        |switch: SwitchId| (0..=last).map(|lid| tables.output(switch, lid).map(|port| port.0)).collect();
    net.switch_ids().map(row).collect()
}

/// Wrong if a port were another, or a lid were not of the host that its own switch hands it to.
#[test]
fn tables_are_read_whole() {
    let net = good(LST).network;
    let tables = tables(SAMPLE).unwrap_or_else(|faults| panic!("{faults}"));
    let (one, two, all) = (Some(1), Some(2), Some(18));
    assert_eq!(
        outputs(&net, &tables, 5),
        [[None, None, one, one, two, None], [None, all, None, one, two, None]]
    );
    let lids: Vec<(u16, String)> =
        tables.lids().iter().map(|(lid, end)| (*lid, net.port_label(*end))).collect();
    assert_eq!(lids, [(3, "node01 mlx5_0:1".to_owned()), (4, "node02 mlx5_0:2".to_owned())]);
    assert_eq!(tables.missing().count(), 0);
}

/// Wrong if the tables of a subnet were others than in the dump of the same manager.
#[test]
fn real_tables_are_those_of_the_dump() {
    let text = |file: &str| Some(std::fs::read_to_string(shared(&format!("topologies/{file}"))?).unwrap());
    for engine in ["lash", "nue", "dfsssp"] {
        let read = |file: &str| text(&format!("lanes/random16-{engine}/{file}"));
        let Some(list) = read("opensm-subnet.lst") else { continue };
        let net = good(&list).network;
        let guids = formats::port_guids(list.as_bytes());
        let tables = |file: &str| read_lfts(&net, &guids, file, read(file).unwrap().as_bytes()).unwrap();
        let (short, long) = (tables("opensm.fdbs"), tables("opensm-lfts.dump"));
        assert_eq!(short.lids(), long.lids(), "{engine}");
        let last = short.lids().last().unwrap().0;
        assert_eq!(outputs(&net, &short, last), outputs(&net, &long, last), "{engine}");
    }
    if let Some(list) = text("subnet-lst/subnet.lst") {
        let net = good(&list).network;
        let tables =
            read_lfts(&net, &BTreeMap::new(), "fdbs", text("subnet-lst/osm.fdbs").unwrap().as_bytes())
                .unwrap();
        assert_eq!((tables.missing().count(), tables.lids().len()), (0, 3));
        assert!(tables.lids().iter().all(|(_, end)| matches!(end.node, Node::Host(_))));
    }
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage_of(
        "fdbs",
        SAMPLE,
        &[
            ("dump_ucast_routes: Switch 0x0002c90300000100\n", ""),
            ("dump_ucast_routes: Switch 0x0002c90300000200\n", ""),
            ("Switch 0x0002c90300000200", "Switch 0x0002c90300000100"),
            ("Switch 0x0002c90300000200", "Switch 0x0002c90300000300"),
            ("Switch 0x0002c90300000200", "Switch 0002c90300000200"),
            ("Switch 0x0002c90300000200", "Switch 0x"),
            ("Switch 0x0002c90300000200", "Switch 0x00002c90300000200"),
            ("Switch 0x0002c90300000200", "Switch 0x0002c903000x0200"),
            ("Switch 0x0002c90300000200", "Switch"),
            ("LID    : Port : Hops : Optimal\n", "LID    : Port\n"),
            ("0x0001 : 018  : 01   : yes\n", ""),
            (
                "0x0003 : 001  : 02   : yes\n0x0004 : 002  : 02   : yes\n",
                "0x0004 : 002  : 02   : yes\n0x0003 : 001  : 02   : yes\n",
            ),
            ("0x0003 : 001  : 02   : yes", "0x0002 : 001  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x10003 : 001  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x000g : 001  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0003 : 001  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : 256  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : -01  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : one  : 02   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : 001  : 02"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : 001  : xx   : yes"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : 001"),
            ("0x0003 : 001  : 02   : yes", "0x0003"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : UNREACHABLE : 02"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : UNREACHED"),
            ("0x0003 : 001  : 02   : yes", "0x0003 : 000  : 02   : yes\n0x0003 : 000  : 02   : yes"),
            ("0x0002 : 001  : 01   : yes", "0x0002 : 000  : 01   : yes"),
            ("dump_ucast_routes: Switch 0x0002c90300000200\n", CUT),
            ("0x0002 : 000  : 00   : yes\n", CUT),
            ("0x0001 : 018", CUT),
        ],
        tables,
    );
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    let net = good(LST).network;
    for seed in 0..cases(20_000) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        damage(&mut bytes, b"0x1279 :\nLIDswyesUNREACHABLE\0", &mut ChaCha8Rng::seed_from_u64(seed));
        if let Err(found) = read_lfts(&net, &BTreeMap::new(), "net", &bytes) {
            assert!(found.faults.iter().all(|fault| fault.span.end <= found.text.len()), "seed {seed}");
        }
    }
}
