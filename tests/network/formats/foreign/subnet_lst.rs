//! OpenSM's and ibdiagnet's lists of cables, and ibdiagnet2's tables, of the same subnet as a dump of ibnetdiscover.

use std::collections::BTreeSet;

use simnet_base::units::BitRate;
use simnet_network::topology::{generate, presets};
use support_network::shared;

use super::*;

const LST: &str = include_str!("../samples/subnet.lst");
const DUMP: &str = include_str!("../samples/subnet.dump");
const TABLES: &str = include_str!("../samples/fabric.db_csv");

/// All cables whichever end is named first, with their rates; nodes by their labels.
fn sorted(net: &Network) -> BTreeSet<([String; 2], Option<BitRate>)> {
    let ends = |a: String, b: String| if a < b { [a, b] } else { [b, a] };
    net.links().iter().map(|link| (ends(net.port_label(link.a), net.port_label(link.b)), link.rate)).collect()
}

/// Wrong if a list and a dump of one subnet were two networks.
#[test]
fn all_lists_of_a_subnet_are_the_network_that_ibnetdiscover_sees() {
    let dump = good(DUMP).network;
    for (name, text) in [("list", LST), ("tables", TABLES)] {
        let net = good(text).network;
        assert_eq!(net, dump, "{name}");
        assert_eq!(formats::port_guids(text.as_bytes()), formats::port_guids(DUMP.as_bytes()), "{name}");
    }
}

/// Wrong if a cable that ibdiagnet lists once were read otherwise than one that OpenSM lists twice.
#[test]
fn a_cable_may_be_listed_once_or_from_both_ends() {
    let once: String = LST.split_inclusive('\n').take(4).collect();
    assert_eq!(good(&once).network, good(LST).network);
    let reversed: String = LST.split_inclusive('\n').skip(4).collect();
    assert_eq!(sorted(&good(&reversed).network), sorted(&good(LST).network));
    assert_eq!(faults(&LST.split_inclusive('\n').take(7).collect::<String>()), "missing-half 4:158");
}

/// Wrong if a link without power were cabled, or peculiar nodes were read without a word.
#[test]
fn peculiarities_are_told() {
    let down = LST.replace("LOG=ACT SPD=10", "LOG=DWN SPD=10");
    assert_eq!(warnings(&down), "inactive 2:344, inactive 6:344");
    assert_eq!(good(&down).network.links().len(), 3);
    let router =
        LST.replace("CA Ports:02 SystemGUID:0002c90300000013", "Rt Ports:02 SystemGUID:0002c90300000013");
    assert_eq!(warnings(&router), "router 3:214");
    assert_eq!(good(&router).network.hosts()[0].name, "R-0002c90300000010");
    let sharp = LST.replace("node01 mlx5_0", "Mellanox Technologies Aggregation Node");
    assert_eq!(warnings(&sharp), "aggregation-node 3:214");
    let tables = TABLES.replace("node01 mlx5_0", "Mellanox Technologies Aggregation Node");
    assert_eq!(warnings(&tables), "aggregation-node 6:69");
    let without_speed =
        LST.replace(" SPD=14", "").replace(" SPD=10", "").replace(" SPD=25", "").replace(" SPD=???", "");
    assert!(good(&without_speed).network.links().iter().all(|link| link.rate.is_none()));
}

/// Wrong if a network did not come back from its list, but for what the list has no words for.
#[test]
fn what_is_written_is_read() {
    let again = |net: &Network| good(&formats::write(net, Format::SubnetLst)).network;
    let dump = good(DUMP).network;
    assert_eq!(again(&dump), dump);
    let ring = generate::build("ring", &[("switches", 5), ("hosts-per-switch", 2)], 1).unwrap();
    for net in [ring, presets::load("now-c").unwrap()] {
        let dump = good(&formats::write(&net, Format::Ibnetdiscover)).network;
        assert_eq!(sorted(&again(&net)), sorted(&dump), "{}", net.name);
    }
}

/// Wrong if a host, a switch or a cable of a real file were lost or made up.
#[test]
fn real_lists_have_the_figures_that_are_known() {
    let text = |file: &str| Some(std::fs::read_to_string(shared(&format!("topologies/{file}"))?).unwrap());
    if let Some(list) = text("subnet-lst/subnet.lst") {
        let net = good(&list).network;
        assert_eq!(
            (net.hosts().len() + net.switches().len(), net.hosts().len(), net.links().len()),
            (65, 3, 172)
        );
    }
    for engine in ["lash", "nue", "dfsssp"] {
        let Some(list) = text(&format!("lanes/random16-{engine}/opensm-subnet.lst")) else { continue };
        let net = good(&text("lanes/random16.net").unwrap()).network;
        let ends = |net: &Network| sorted(net).into_iter().map(|(ends, _)| ends).collect::<BTreeSet<_>>();
        assert_eq!(ends(&good(&list).network), ends(&net), "{engine}");
    }
}

#[test]
fn each_way_to_damage_a_list_is_refused_in_its_place() {
    pin_damage(
        "subnet-lst",
        LST,
        &[
            ("{ SW Ports:24", "{ SX Ports:24"),
            ("{ SW-SM Ports:24", "{ SW-XM Ports:24"),
            ("{ SW-SM Ports:24", "SW-SM Ports:24"),
            ("Ports:24", "Ports:00"),
            ("Ports:24", "Ports:FF"),
            ("Ports:24 SystemGUID:0002c90300000200", "Ports:08 SystemGUID:0002c90300000200"),
            ("} { SW-SM Ports:24", "} { CA Ports:24"),
            ("SystemGUID:", "SysGUID:"),
            ("NodeGUID:0002c90300000200", "NodeGUID:0002c9030000x200"),
            ("NodeGUID:0002c90300000200", "NodeGUID:00002c90300000200"),
            ("NodeGUID:0002c90300000200", "NodeGUID:<redacted>"),
            ("NodeGUID:0002c90300000200", "NodeGUID:"),
            ("PortGUID:0002c90300000200", "PortGUID:hello"),
            ("VenID:0002C9 ", ""),
            ("{MF0;spine:SX6036/U1}", "MF0;spine:SX6036/U1}"),
            ("{MF0;spine:SX6036/U1}", "{MF0;spine:SX6036/U1"),
            (" LID:0001", ""),
            ("LID:0001", "LID:1G"),
            ("PN:01 }", "PN:25 }"),
            ("PN:01 }", "PN:1FF }"),
            ("PN:01 }", "PN:00 }"),
            ("PN:01 }", "PN:02 }"),
            ("PN:01 }", "PN:01"),
            (" PHY=4x", ""),
            ("PHY=4x", "PHY=5x"),
            (" LOG=ACT", ""),
            ("SPD=14", "SPD=15"),
            ("SPD=14", "SPEED=14"),
            ("SPD=14", "SPD=14 x"),
            ("PN:11 } PHY", "PN:12 } PHY"),
            ("LID:0001 PN:02 } PHY=4x LOG=ACT SPD=10\n", CUT),
            ("{ CA Ports:02", CUT),
            ("NodeGUID:0002c90300000010", "NodeGUID:0002c90300000100"),
        ],
    );
}

#[test]
fn each_way_to_damage_tables_is_refused_in_its_place() {
    pin_damage(
        "db-csv",
        TABLES,
        &[
            ("START_NODES\n", ""),
            ("END_NODES\n", ""),
            ("START_LINKS\n", ""),
            ("END_LINKS\n", ""),
            ("START_LINKS\n", "START_LINKS\n\nEND_LINKS\nSTART_LINKS\n"),
            ("START_LINKS", "START_CABLES"),
            ("START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n", "START_LINKS\n"),
            ("START_PORTS", "START_NODES"),
            ("NodeDesc,NumPorts", "NodeDesc,NumPort"),
            ("NodeType", "Kind"),
            (",NodeGUID,", ",Node,"),
            ("NodeGuid2", "NodeGuid3"),
            ("LinkSpeedActv", "LinkSpeed"),
            ("\"leaf {2}\"", "\"leaf {2}"),
            ("\"leaf {2}\",36", "\"leaf {2}\",0"),
            ("\"leaf {2}\",36", "\"leaf {2}\",255"),
            ("\"leaf {2}\",36,2", "\"leaf {2}\",36,4"),
            ("\"leaf {2}\",36,2", "\"leaf {2}\",36"),
            (
                "\"leaf {2}\",36,2,1,1,0x0002c90300000200,0x0002c90300000200",
                "\"leaf {2}\",36,2,1,1,0x0002c90300000200,0xswitch2",
            ),
            (
                "\"leaf {2}\",36,2,1,1,0x0002c90300000200,0x0002c90300000200",
                "\"leaf {2}\",24,2,1,1,0x0002c90300000100,0x0002c90300000100",
            ),
            (
                "\"leaf {2}\",36,2,1,1,0x0002c90300000200,0x0002c90300000200,0x0002c90300000200,51000,8,161,713,1\n",
                "",
            ),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,1,0x0002c90300000200"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,1,0x0002c90300000200,37"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,0,0x0002c90300000200,17"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,1,0x0002c90300000200,18"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,1,0x0002c90300000100,1"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,1,0x0002c90300000300,17"),
            ("0x0002c90300000100,1,0x0002c90300000200,17", "0x0002c90300000100,one,0x0002c90300000200,17"),
            ("0x0002c90300000100,0x0002c90300000100,1,0x0", "0x0002c90300000100,0x0002c90300000100,300,0x0"),
            ("0x0002c90300000200,1,0x0002c90300000010,1\n", CUT),
            ("node01 mlx5_0", CUT),
        ],
    );
}

/// Wrong if any damage brought a reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::SubnetLst, LST, b"{}:=-SWCA0xPN \n\0?");
    damage_and_read(Format::DbCsv, TABLES, b"\",_0x129ENDSTART \n\0");
}
