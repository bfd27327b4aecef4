//! Route files, forwarding tables and matrices of round-trip times.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use simnet_network::discovery::Rtts;
use simnet_network::routing::{
    About, Attachments, Choices, ForwardingTables, Lanes, Plan, ServiceLevels, Survey, read_lfts,
    read_routes, read_service_levels, read_sl2vl, verify, write_certificate, write_routes,
};
use simnet_network::topology::Network;

use super::{located, networks};
use crate::seeds;

/// The network that routes and tables are read for.
fn network() -> &'static (Network, Attachments) {
    static NETWORK: OnceLock<(Network, Attachments)> = OnceLock::new();
    NETWORK.get_or_init(|| {
        let network = networks::small();
        let attachments = Attachments::lowest(&network);
        (network, attachments)
    })
}

/// All routes of the network, and the route files of the tree.
pub(super) fn files() -> Vec<Vec<u8>> {
    let (network, attachments) = network();
    let plan = Plan::new(network, attachments, &Choices::default()).expect("UP*/DOWN* routes every network");
    let mut all = Vec::new();
    write_routes(network, attachments, &plan.table, &mut all).expect("memory takes all");
    let mut files = seeds::contents(&[".routes", ".ndjson"]);
    files.push(all);
    files
}

pub(super) fn read_file(input: &[u8]) -> bool {
    let (network, attachments) = network();
    let routes = match read_routes(network, attachments, "a file", input) {
        Ok(routes) => routes,
        Err(faults) => {
            located(&faults);
            return false;
        }
    };
    let mut text = Vec::new();
    write_routes(network, attachments, &routes, &mut text).expect("memory takes all");
    let again = read_routes(network, attachments, "written", &text).expect("what was written is read");
    // A route to oneself is only ever read.
    let others = routes.iter().filter(|(source, destination, _)| source != destination);
    assert_eq!(again.iter().collect::<Vec<_>>(), others.collect::<Vec<_>>());
    true
}

/// A dump of OpenSM's and one of `dump_lfts`, for the network.
pub(super) fn dumps() -> Vec<Vec<u8>> {
    let opensm = |switch: usize| {
        format!(
            "Unicast lids [0-4] of switch Lid 9 guid {:#018x} ('s{switch}'):\n0x0001 001 # Channel Adapter portguid \
             0x0000000000000101: 'h0'\n0x0002 002 # Switch portguid 0x000000000000a001: 's1'\n0x0003 255\n4 lids dumped\n",
            0xa000 + switch
        )
    };
    let plain = "Unicast lids [0x0-0x2] of switch DR path slid 0; dlid 0; 0,3 guid 0x000000000000a000 (s0):\n  Lid  Out   \
                 Destination\n       Port     Info \n0x0001 001 : (Channel Adapter portguid 0x0000000000000101: 'h0')\n\
                 0x0002 002 : (path #2 out of 2: portguid 0x0000000000000101)\n2 valid lids dumped \n";
    let listed = |switch: usize| {
        format!(
            "dump_ucast_routes: Switch {:#018x}\nLID    : Port : Hops : Optimal\n0x0001 : 001  : 01   : yes\n\
             0x0002 : 000  : 00   : yes\n0x0003 : UNREACHABLE\n",
            0xa000 + switch
        )
    };
    let tables = [(0..4).map(opensm).collect::<String>(), plain.to_owned(), (0..4).map(listed).collect()];
    tables.map(String::into_bytes).into_iter().chain(seeds::contents(&[".fdbs"])).collect()
}

pub(super) fn read_dump(input: &[u8]) -> bool {
    let (network, _) = network();
    let guids = BTreeMap::from([(0x101, ("h0".to_owned(), 0))]);
    match read_lfts(network, &guids, "a file", input) {
        Ok(tables) => {
            let lids = (0..=u16::MAX).step_by(251).chain(tables.lids().iter().map(|(lid, _)| *lid));
            for lid in lids {
                for switch in network.switch_ids() {
                    let _ = tables.output(switch, lid);
                }
            }
            true
        }
        Err(faults) => {
            located(&faults);
            false
        }
    }
}

/// The network's tables, by the first dump.
fn tables() -> ForwardingTables {
    let guids = BTreeMap::from([(0x101, ("h0".to_owned(), 0))]);
    read_lfts(&network().0, &guids, "a file", &dumps()[0]).expect("a sound dump")
}

/// SL2VL tables of OpenSM's and of ibdiagnet, for the network.
pub(super) fn lane_tables() -> Vec<Vec<u8>> {
    let (network, _) = network();
    let (mut opensm, mut ibdiagnet) = (String::new(), String::new());
    for switch in 0..network.switches().len() {
        let (guid, ports) = (0xa000 + switch, network.switches()[switch].ports);
        opensm += &format!("Switch {guid:#018x}, base LID 9, \"s{switch}\"\n#in out : 0 ..\n#----\n");
        for (input, output) in (0..=ports).flat_map(|input| (1..=ports).map(move |output| (input, output))) {
            opensm += &format!("{input}   {output}   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15\n");
            ibdiagnet += &format!("{guid:#018x} {input} {output} 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x6f\n");
        }
        opensm += "#----\n\n";
    }
    opensm +=
        "Channel Adapter 0x101, base LID 1, \"h0\"\n#----\n0 0 : 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\n#----\n";
    vec![opensm.into_bytes(), ibdiagnet.into_bytes()]
}

pub(super) fn read_lane_tables(input: &[u8]) -> bool {
    let (network, attachments) = network();
    let tables = tables();
    match read_sl2vl(network, &tables, "a file", input) {
        Ok(lanes) => {
            let lanes = Lanes { tables: lanes, levels: ServiceLevels::default() };
            let survey = Survey::of_tables_on_lanes(network, attachments, &tables, &lanes);
            assert_eq!(survey.dependencies.order().is_none(), survey.dependencies.is_cyclic());
            true
        }
        Err(faults) => {
            located(&faults);
            false
        }
    }
}

/// Service levels by lids and by guids.
pub(super) fn levels() -> Vec<Vec<u8>> {
    vec![b"1 1 3\n# none\n1 2 15\n".to_vec(), b"0x0000000000000101 1 2\n0x101 2 0\n".to_vec()]
}

pub(super) fn read_levels(input: &[u8]) -> bool {
    let guids = BTreeMap::from([(0x101, ("h0".to_owned(), 0))]);
    match read_service_levels(&network().0, &guids, &tables(), "a file", input) {
        Ok(levels) => {
            let each = |lid: u16| levels.toward(lid).count();
            assert_eq!((0..=u16::MAX).map(each).sum::<usize>(), levels.len());
            true
        }
        Err(faults) => {
            located(&faults);
            false
        }
    }
}

/// The certificate of the network's routes.
pub(super) fn certificates() -> Vec<Vec<u8>> {
    let (network, attachments) = network();
    let plan = Plan::new(network, attachments, &Choices::default()).expect("UP*/DOWN* routes every network");
    let (_, dependencies) = plan.judge(network, attachments);
    let mut text = Vec::new();
    write_certificate(network, &dependencies, (About { pairs: 0, digest: None }, false), &mut text)
        .expect("memory takes all");
    vec![text]
}

pub(super) fn read_certificate(input: &[u8]) -> bool {
    verify(&network().0, None, "a file", input).map_err(|faults| located(&faults)).is_ok()
}

pub(super) fn read_rtts(input: &[u8]) -> bool {
    match Rtts::read("a file", input) {
        Ok(rtts) => {
            assert_eq!(Rtts::read("written", rtts.to_csv().as_bytes()).as_ref(), Ok(&rtts));
            true
        }
        Err(faults) => {
            located(&faults);
            false
        }
    }
}
