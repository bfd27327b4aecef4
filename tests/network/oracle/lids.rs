//! Tables for a subnet manager name the lids that the fabric has, each one that is in the dump.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::Node;
use simnet_network::routing::{Algorithm, Attachments, DestinationTables, Engine, OpenSm, Root, Tree};
use simnet_network::topology::formats::{self, ReadOptions};
use simnet_network::topology::{Network, generate};

use support_network::cases;

const CHANCE: Purpose = Purpose(9_462);

/// The guid of a node, and of the port of a host behind it.
fn guid(node: Node) -> u64 {
    match node {
        Node::Switch(switch) => 0x5000_0000 + 0x100 * u64::from(switch.0),
        Node::Host(host) => 0x9000_0000 + 0x100 * u64::from(host.0),
    }
}

/// A dump of a network by hand, and the lids in it by guid: drawn without order, as those of a fabric that has grown.
fn dump(net: &Network, lmc: u8, stream: &mut Stream) -> (String, BTreeMap<u64, u16>) {
    let nodes: Vec<Node> = net.switch_ids().map(Node::Switch).chain(net.host_ids().map(Node::Host)).collect();
    let mut bases: Vec<u16> = (1..=u16::try_from(2 * nodes.len()).unwrap()).map(|nth| nth << lmc).collect();
    for last in (1..bases.len()).rev() {
        bases.swap(last, usize::try_from(stream.below(last as u64 + 1)).unwrap());
    }
    let lid: BTreeMap<Node, u16> = nodes.iter().copied().zip(bases).collect();
    let port_guid = |node: Node| if let Node::Host(_) = node { guid(node) + 0x7 } else { guid(node) };
    let mut text = String::from("#\n# Topology file: by hand\n#\n");
    for node in &nodes {
        let (own, base) = (guid(*node), lid[node]);
        let ports = net.port_range(*node).1;
        match node {
            Node::Switch(_) => writeln!(
                text,
                "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{own:x}\nswitchguid=0x{own:x}({own:x})\n\
                 Switch\t{ports} \"S-{own:016x}\"\t\t# \"a lid 9\" enhanced port 0 lid {base} lmc 0"
            ),
            Node::Host(_) => writeln!(
                text,
                "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x{own:x}\ncaguid=0x{own:x}\n\
                 Ca\t{ports} \"H-{own:016x}\"\t\t# \"b\""
            ),
        }
        .unwrap();
        for (port, _, far) in net.cables(*node) {
            let (near, there) = (port.0 + 1, far.port.0 + 1);
            let (word, far_guid, far_lid) =
                (if let Node::Host(_) = far.node { 'H' } else { 'S' }, guid(far.node), lid[&far.node]);
            let behind = if word == 'H' { format!("({:x})", port_guid(far.node)) } else { String::new() };
            if let Node::Host(_) = node {
                let own = port_guid(*node);
                writeln!(
                    text,
                    "[{near}]({own:x}) \t\"{word}-{far_guid:016x}\"[{there}]\t\t# lid {base} lmc {lmc} \"a lid 9\" lid \
                     {far_lid} 4xEDR"
                )
            } else {
                let named = format!("[{near}]\t\"{word}-{far_guid:016x}\"[{there}]{behind}");
                writeln!(text, "{named}\t\t# \"b\" lid {far_lid} 4xEDR")
            }
            .unwrap();
        }
    }
    (text, nodes.iter().map(|node| (port_guid(*node), lid[node])).collect())
}

/// Wrong if an address of the dump were missing from tables that are made for it, stood for another port, or one that is
/// not in the dump were there; or if tables for more paths than the dump has addresses named those.
#[test]
fn tables_name_the_lids_of_the_dump() {
    for seed in 0..cases(200) {
        let mut stream = Stream::new(seed, CHANCE, 0);
        let size = [
            ("leaves", 2 + stream.below(4)),
            ("spines", 1 + stream.below(3)),
            ("hosts-per-switch", 1 + stream.below(4)),
        ];
        let drawn = generate::build("leaf-spine", &size, 1).unwrap();
        let (of_dump, asked) =
            (u8::try_from(stream.below(3)).unwrap(), u8::try_from(stream.below(3)).unwrap());
        let (text, expected) = dump(&drawn, of_dump, &mut stream);
        let net = formats::read("dump", text.as_bytes(), &ReadOptions::default()).unwrap();
        let lids = formats::lids(text.as_bytes());
        let bases: BTreeMap<u64, u16> = lids.iter().map(|(guid, lids)| (*guid, lids.base)).collect();
        assert_eq!(bases, expected, "seed {seed}");
        let attachments = Attachments::lowest(&net);
        let engine = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Spines });
        let tables = DestinationTables::new(&net, &attachments, &engine, (None, asked, None)).unwrap();
        let files = OpenSm::new(&net, &tables, &formats::port_guids(text.as_bytes()), &lids).unwrap();
        assert_eq!(files.keeps_lids(), asked <= of_dump, "seed {seed}");
        if !files.keeps_lids() {
            continue;
        }
        let mut written = Vec::new();
        files.write_tables(&mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        let hex = |digits: &str| u64::from_str_radix(digits.trim_start_matches("0x"), 16).unwrap();
        let wanted: BTreeSet<(u64, u64)> = expected
            .iter()
            .flat_map(|(guid, base)| {
                let count = if lids[guid].lmc == 0 { 1 } else { 1_u64 << lids[guid].lmc };
                (0..count).map(|nth| (u64::from(*base) + nth, *guid))
            })
            .collect();
        for table in written.split("Unicast lids ").skip(1) {
            let entry = |line: &str| {
                let (lid, rest) = line.split_once(' ')?;
                let (_, guid) = rest.split_once(" portguid ")?;
                Some((hex(lid), hex(guid.split(':').next()?)))
            };
            let found: BTreeSet<(u64, u64)> = table.lines().filter_map(entry).collect();
            assert_eq!(found, wanted, "seed {seed}");
            let head = table.lines().next().unwrap();
            let own: Vec<&str> = head.split_whitespace().collect();
            let at = own.iter().position(|word| *word == "guid").unwrap();
            assert_eq!(
                expected[&hex(own[at + 1])],
                own[at - 1].parse::<u16>().unwrap(),
                "seed {seed}: {head}"
            );
        }
    }
}
