//! Files of guids as roots: what is read, and what is refused where.

use simnet_base::ids::SwitchId;
use simnet_network::routing::{Attachments, read_root_guids};
use simnet_network::topology::{End, Host, Network, Switch};

/// Two switches with the guids 0x10 and 0x20, and a host with 0x99 at the second.
fn network() -> Network {
    let mut net = Network::new("guids");
    for (name, guid) in [("spine", 0x10), ("leaf", 0x20)] {
        let (name, guid) = (name.to_owned(), Some(guid));
        net.push_switch(Switch { name, ports: 4, first_port: 0, guid, description: None }).unwrap();
    }
    for (name, guid) in [("h0", 0x99), ("loose", 0x98)] {
        let (name, guid) = (name.to_owned(), Some(guid));
        net.push_host(Host { name, ports: 1, first_port: 0, guid, description: None }).unwrap();
    }
    let host = net.find_host("h0").unwrap();
    net.connect(End::host(host, 0), End::switch(SwitchId(1), 0)).unwrap();
    net.connect(End::switch(SwitchId(0), 1), End::switch(SwitchId(1), 1)).unwrap();
    net
}

fn read(text: &[u8]) -> Result<Vec<u32>, String> {
    let net = network();
    let roots = read_root_guids(&net, &Attachments::lowest(&net), "roots.txt", text);
    roots.map(|roots| roots.iter().map(|root| root.0).collect()).map_err(|faults| faults.to_string())
}

/// Wrong if comments, empty lines, capitals or zeros in front hid a guid, a channel adapter did not stand for its
/// switch, or a switch were a root twice.
#[test]
fn guids_of_switches_and_adapters_are_roots() {
    assert_eq!(read(b"0x10\n"), Ok(vec![0]));
    assert_eq!(read(b"# spines\n\n  0X0000000000000020  # leaf\r\n0x10"), Ok(vec![1, 0]));
    assert_eq!(read(b"0x99\n0x20\n0x99\n"), Ok(vec![1]));
}

/// Wrong if a fault had no place, another line were blamed, only one of several were reported, or the nearest node
/// not named.
#[test]
fn faults_have_their_places_and_the_nearest_nodes() {
    for (text, wanted) in [
        ("0x10\n  spine\n", &["roots.txt:2:3", "`spine` is no guid", "0x0000000000000010"][..]),
        ("0x21\n0x10\nzz\n", &["roots.txt:1:1", "no node has the guid 0x21", "`leaf`", "roots.txt:3:1"]),
        ("0x98\n", &["roots.txt:1:1", "`loose` has no cable to a switch"]),
        ("# nothing\n", &["no guid is in this file"]),
        ("0x11112222333344445\n", &["roots.txt:1:1", "no guid"]),
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(wanted.iter().all(|part| error.contains(part)), "{text:?}: {error}");
    }
    assert!(read(b"\xff\n").is_err());
}
