//! Cabling plans as CSV.

use simnet_network::topology::{generate, presets};

use super::*;

const SAMPLE: &str = include_str!("../samples/cables.csv");

/// Wrong if a cable, a port, a rate or a length were lost or another.
#[test]
fn a_plan_is_read_whole() {
    let net = good(SAMPLE).network;
    assert_eq!(names(&net), "leaf01 spine01 leaf02 | node01 node02 node03");
    let expected = [
        "leaf01:49 spine01:1",
        "leaf01:50 spine01:2",
        "leaf02:49 spine01:3",
        "node01:0 leaf01:1",
        "node02:0 leaf02:1",
        "node03:0 leaf02:2",
    ];
    assert_eq!(cables(&net), expected);
    let link = &net.links()[0];
    assert_eq!(link.rate.unwrap().to_string(), "100 Gb/s");
    assert_eq!(link.length.unwrap().to_string(), "10 m");
    assert!(net.links()[2].length.is_none() && net.links()[5].rate.is_none());
    assert_eq!(warnings(SAMPLE), "no-types 1:1");
}

/// Wrong if headings in other words, another order, or a cable listed from both ends made another network.
#[test]
fn plans_in_other_words_are_the_same() {
    let plan = "start device,start type,start port,end device,end type,end port\na,switch,1,b,switch,2\nh,host,,a,switch,3\n";
    let other = "\u{feff}TO PORT,From Node,from type,From_Port,to host,To Type\r\n2,a,Switch,1,b,SWITCH\r\n1,b,switch,2,a,switch\r\n3,h,host,,a,switch\r\n";
    assert_eq!(good(other).network, good(plan).network);
    assert_eq!(warnings(plan), "");
}

/// Wrong if a network did not come back from its plan, but for what a plan has no words for.
#[test]
fn what_is_written_is_read() {
    let ring = generate::build("ring", &[("switches", 5), ("hosts-per-switch", 2)], 1).unwrap();
    for net in [ring, presets::load("now-c").unwrap(), good(SAMPLE).network] {
        let again = good(&formats::write(&net, Format::Csv)).network;
        let plain =
            |net: &Network| net.links().iter().map(|link| (link.rate, link.length)).collect::<Vec<_>>();
        assert_eq!((cables(&again), plain(&again)), (cables(&net), plain(&net)), "{}", net.name);
        let kinds = (net.switches().len(), net.hosts().len());
        assert_eq!((again.switches().len(), again.hosts().len()), kinds, "{}", net.name);
        assert_eq!(good(&formats::write(&again, Format::Csv)).network, again);
    }
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "csv",
        SAMPLE,
        &[
            ("Start device", "Strat device"),
            ("Start port", "Start pot"),
            ("End device", "End"),
            ("End port", "End device"),
            ("Rate", "Length"),
            ("Start device,Start port,", "Start device;Start port;"),
            ("Remark", "Start type"),
            ("leaf01,49", "leaf01"),
            ("leaf01,49", "leaf01,49,49"),
            ("leaf01,49", ",49"),
            ("leaf01,49", "\"leaf01,49"),
            ("leaf01,49", "\"leaf01\"x,49"),
            ("leaf01,49", "leaf01\u{7},49"),
            ("leaf01,49", "leaf01,50"),
            ("leaf01,49,spine01,1", "leaf01,49,leaf01,49"),
            ("leaf01,49,spine01,1", "leaf01,49,leaf01,50"),
            ("leaf01,49,spine01,1", "leaf01,49,spine01,2"),
            ("leaf01,49,spine01,1", "leaf01,49,leaf02,49"),
            ("100 Gb/s", "100"),
            ("100 Gb/s", "fast"),
            ("100 Gb/s", "-1 Gb/s"),
            ("10 m", "10"),
            ("10 m", "10 furlongs"),
            ("\"left, then up\"", "left, then up"),
            ("\"left, then up\"", "\"left, then up"),
            ("node01,eth0,leaf01,1", "leaf01,51,leaf02,1"),
            ("node03,,leaf02,", "node03,,,"),
            ("Remark\n", CUT),
        ],
    );
}

/// Wrong if types that contradict each other, or are none, were taken.
#[test]
fn types_are_checked() {
    let plan = |rows: &str| {
        faults(&format!("start device,start type,start port,end device,end type,end port\n{rows}"))
    };
    assert_eq!(plan("a,switch,1,b,host,1\nb,switch,2,a,switch,2\n"), "other-type 3:3");
    assert_eq!(plan("a,leaf,1,b,host,1\n"), "node-type 2:3");
    assert_eq!(plan("a,,1,b,host,1\n"), "node-type 2:3");
    assert_eq!(plan("a,host,1,b,host,1\n"), "no-switch 2:18");
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Csv, SAMPLE, b",\"\n\r0129 mGb/s\0");
}
