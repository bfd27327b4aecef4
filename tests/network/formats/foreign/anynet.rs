//! BookSim's anynet.

use simnet_network::topology::formats::{self, Format, ReadOptions};

use super::{cables, compare, damage_and_read, faults, good, names, warnings};

const SMALL: &str = "router 1 node 2 node 0 router 0 15\nnode 1 router 0 3\nrouter 0 router 1\n";

/// Wrong if a cable were lost or laid twice, or ports were not BookSim's.
#[test]
fn a_network_is_read_as_booksim_builds_it() {
    for text in [SMALL.to_owned(), SMALL.replace('\n', "\r\n"), SMALL.replace(' ', "\t ")] {
        let net = good(&text).network;
        assert_eq!(names(&net), "router1 router0 | node2 node0 node1");
        assert_eq!(
            cables(&net),
            ["router1:1 node2:0", "router1:0 node0:0", "router1:2 router0:1", "node1:0 router0:0"]
        );
    }
    let net = good("router 0 router 0 node 0").network;
    assert_eq!(cables(&net), ["router0:1 router0:2", "router0:0 node0:0"]);
    assert_eq!(names(&good("router 0").network), "router0 |");
}

/// Wrong if what is dropped or merged were dropped or merged silently.
#[test]
fn what_is_lost_is_told() {
    assert_eq!(warnings(SMALL), "latencies 1:33");
    assert_eq!(warnings("router 0 node 0 router 1 1\nrouter 1 router 0 1"), "");
    assert_eq!(warnings("router 0 router 1\nrouter 0 router 1"), "listed-twice 2:10");
    assert_eq!(warnings("router 0 node 0\nnode 0 router 0"), "");
}

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let rows = [
        ("router 0 node 0\nrouter 1 node 0", "two-routers 2:10"),
        ("router 0 node 0\nnode 1 node 0", "two-nodes 2:8"),
        ("router 0 swich 1\nrouter 0 node x", "unknown-word 1:10, bad-number 2:15"),
        ("Router 0 Node 0", "unknown-word 1:1"),
        ("router 0 node 0\n# no comments here", "unknown-word 2:1"),
        ("router 0 node", "cut 1:14"),
        ("router", "cut 1:7"),
        ("router 0 node -1", "bad-number 1:15"),
        ("router 0 router 1 0", "bad-number 1:19"),
        ("router 0 router 1 -4", "bad-number 1:19"),
        ("router 0 router 1 4x", "bad-number 1:19"),
        ("router 0 router 99999999999", "bad-number 1:17"),
        ("router 0 router 2", "id-gap 1:10"),
        ("router 0 node 1\nrouter 1 node 5", "id-gap 2:10"),
        ("router 0\nnode 0", "no-router 2:1"),
        ("router 0 node 0 7 7", "unknown-word 1:19"),
    ];
    let options = ReadOptions { from: Some(Format::Anynet), ..ReadOptions::default() };
    compare(rows, |text| match formats::read("net", text.as_bytes(), &options) {
        Ok(net) => format!("{net:?}"),
        Err(found) => super::places(&found),
    });
}

/// Wrong if a router could have more ports than there are turns, or a long line were a burden.
#[test]
fn large_files_are_bounded() {
    let many: String = (0..40_000).map(|n| format!(" node {n}")).collect();
    assert_eq!(faults(&format!("router 0{many}")), "too-many-ports 1:1");
    assert_eq!(faults(&format!("router 0 {}", "x".repeat(1 << 20))), "unknown-word 1:10");
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Anynet, SMALL, b"router node 0129-\n\r\0 ");
}
