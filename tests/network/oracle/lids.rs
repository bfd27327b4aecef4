//! Tables for a subnet manager name the lids that the fabric has, each one that is in the dump.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::Node;
use simnet_network::routing::{Algorithm, Attachments, DestinationTables, Engine, OpenSm, Root, Tree};
use simnet_network::topology::formats::{self, Format, Kept, ReadOptions};
use simnet_network::topology::{Network, generate};

use support_network::{cases, shared};

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
                "\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{:x}\nswitchguid=0x{own:x}({own:x})\n\
                 Switch\t{ports} \"S-{own:016x}\"\t\t# \"a lid 9\" enhanced port 0 lid {base} lmc 0",
                own + 0x40
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
                let called = if word == 'H' { "b" } else { "a lid 9" };
                writeln!(text, "{named}\t\t# \"{called}\" lid {far_lid} 4xEDR")
            }
            .unwrap();
        }
    }
    (text, nodes.iter().map(|node| (port_guid(*node), lid[node])).collect())
}

/// Wrong if an address of the dump were missing from tables that are made for it, stood for another port, or one that
/// is not in the dump were there; or if tables for more paths than the dump has addresses named those.
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
        let kept = formats::kept(text.as_bytes());
        let lids = kept.lids();
        let bases: BTreeMap<u64, u16> = lids.iter().map(|(guid, lids)| (*guid, lids.base)).collect();
        assert_eq!(bases, expected, "seed {seed}");
        let attachments = Attachments::lowest(&net);
        let engine = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Spines });
        let tables = DestinationTables::new(&net, &attachments, &engine, (None, asked, None)).unwrap();
        let files = OpenSm::new(&net, &tables, &kept).unwrap();
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

/// What a dump says, by node and port: all but the head, the blanks and how a switch's own port is called.
fn said(text: &str) -> BTreeSet<String> {
    let mut node = String::new();
    let mut said = BTreeSet::new();
    let mut heads = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let line = line
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(" enhanced port 0 ", " base port 0 ");
        if line.starts_with('[') {
            said.insert(format!("{node}: {line}"));
        } else if line.contains('=') && !line.contains('"') {
            heads.push(line);
        } else {
            node = line.split('"').nth(1).unwrap_or_default().to_owned();
            said.extend(heads.drain(..).map(|head| format!("{node}: {head}")));
            said.insert(line);
        }
    }
    said
}

/// Wrong if a dump that is read and written again said anything else: a lid, an lmc, the guid of a node, port or
/// system, a maker, a width and speed, a name, a cable.
#[test]
fn a_dump_written_again_says_the_same() {
    for seed in 0..cases(200) {
        let mut stream = Stream::new(seed, CHANCE, 1);
        let size =
            [("leaves", 2 + stream.below(4)), ("spines", 1 + stream.below(3)), ("hosts-per-switch", 1)];
        let drawn = generate::build("leaf-spine", &size, 1).unwrap();
        let lmc = u8::try_from(stream.below(3)).unwrap();
        let (text, _) = dump(&drawn, lmc, &mut stream);
        let (bytes, options) = (text.as_bytes(), ReadOptions::default());
        let (net, kept) = (formats::read("dump", bytes, &options).unwrap(), formats::kept(bytes));
        let again = formats::write_with(&net, Format::Ibnetdiscover, &kept);
        assert_eq!(said(&again), said(&text), "seed {seed}");
        assert_eq!(formats::kept(again.as_bytes()), kept, "seed {seed}");
        // OpenSM's list has no word for the lmc.
        let list = formats::write_with(&net, Format::SubnetLst, &kept);
        let listed = formats::kept(list.as_bytes());
        let bases = |kept: &Kept| -> BTreeMap<u64, u16> {
            kept.lids().into_iter().map(|(guid, lids)| (guid, lids.base)).collect()
        };
        assert_eq!((listed.port_guids(), bases(&listed)), (kept.port_guids(), bases(&kept)), "seed {seed}");
    }
}

/// Wrong if a real dump that is read and written again lost a lid, a guid, a maker, a width or a speed.
#[test]
fn real_dumps_written_again_keep_what_they_say() {
    let Some(folder) = shared("topologies/ibnetdiscover") else { return };
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let Ok(net) = formats::read("dump", &bytes, &ReadOptions::default()) else { continue };
        let kept = formats::kept(&bytes);
        let again = formats::write_with(&net, Format::Ibnetdiscover, &kept);
        assert_eq!(formats::kept(again.as_bytes()).lids(), kept.lids(), "{}", path.display());
        let written = formats::read("dump", again.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(written.links(), net.links(), "{}", path.display());
        if path.ends_with("ndr-sharp-582.topo") {
            assert_eq!(formats::kept(again.as_bytes()), kept);
        }
    }
}
