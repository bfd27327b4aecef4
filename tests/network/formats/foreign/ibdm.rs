//! ibdm's topology files, with the descriptions of systems beside them.

use std::path::PathBuf;

use super::*;

const SAMPLE: &str = include_str!("../samples/fabric.topo");
const BOX: &str = include_str!("../samples/ibnl/Box.ibnl");

fn rates(net: &Network) -> Vec<Option<u64>> {
    net.links().iter().map(|link| link.rate.map(|rate| rate.as_bits_per_s() / 1_000_000_000)).collect()
}

/// Wrong if a device, a wire inside or a cable outside were lost, or a port were another.
#[test]
fn a_network_is_read_with_what_is_inside_its_systems() {
    let net = good(SAMPLE).network;
    assert_eq!(
        names(&net),
        "B1/spine/U1 B1/spine/U2 B1/leaf1/U1 B1/leaf2/U1 B2/spine/U1 B2/spine/U2 B2/leaf1/U1 | H01 H02"
    );
    let inside = [
        "B1/spine/U1:4 B1/spine/U2:4",
        "B1/spine/U1:1 B1/leaf1/U1:1",
        "B1/spine/U1:2 B1/leaf2/U1:1",
        "B1/spine/U2:1 B1/leaf1/U1:2",
        "B1/spine/U2:2 B1/leaf2/U1:2",
        "B2/spine/U1:4 B2/spine/U2:4",
        "B2/spine/U1:1 B2/leaf1/U1:1",
        "B2/spine/U2:1 B2/leaf1/U1:2",
    ];
    let outside =
        ["B1/leaf1/U1:3 H01:1", "B1/leaf1/U1:4 H01:2", "B1/leaf2/U1:3 H02:1", "B1/leaf2/U1:4 B2/leaf1/U1:5"];
    assert_eq!(cables(&net), [inside.as_slice(), &outside].concat());
    let inner = [None, Some(16), None, None, None, None, Some(16), None];
    assert_eq!(rates(&net), [inner.as_slice(), &[None, Some(16), None, Some(24)]].concat());
    assert_eq!((net.switches()[0].ports, net.switches()[0].first_port, net.hosts()[1].ports), (4, 1, 2));
}

/// Wrong if a cable that both systems list were two, or the order of sections mattered to what is cabled.
#[test]
fn a_cable_may_be_listed_by_either_system_or_both() {
    let once = good(&SAMPLE.replace("  L1/P1-12x -> Box B1 L2/P2\n", "")).network;
    let other = good(&SAMPLE.replace("  L2/P2 -> BOX-8 B2 L1/P1-12x\n", "")).network;
    let both = good(SAMPLE).network;
    assert_eq!(both, once);
    assert_eq!(cables(&other).len(), cables(&both).len());
}

/// Wrong if a type that no file has were not named with the file that it would be in, or named more than once.
#[test]
fn a_missing_description_is_named_with_its_file() {
    let text = SAMPLE.replace("Nic ", "MT99 ");
    let refused = read(&text).unwrap_err();
    assert_eq!(places(&refused), "missing-system 4:12");
    let printed = refused.to_string();
    assert!(printed.contains("no file describes systems of type `MT99`"), "{printed}");
    assert!(printed.contains("MT99.ibnl, or another .ibnl with `TOPSYSTEM MT99`, in `"), "{printed}");
    let alone = ReadOptions { from: Some(Format::Ibdm), ..ReadOptions::default() };
    let refused = formats::read("net", SAMPLE.as_bytes(), &alone).unwrap_err().to_string();
    assert!(refused.contains("a file beside it with `TOPSYSTEM Box`, such as Box.ibnl"), "{refused}");
    assert!(refused.contains("copy the .ibnl files that ibdm has"), "{refused}");
}

/// Reads the sample where `Box.ibnl` says something else.
fn with_box(text: &str) -> Result<Reading, Box<Faults>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Box.ibnl"), text).unwrap();
    std::fs::write(folder.path().join("Nic.ibnl"), include_str!("../samples/ibnl/Nic.ibnl")).unwrap();
    let options = ReadOptions { folder: Some(PathBuf::from(folder.path())), ..ReadOptions::default() };
    formats::read_with_warnings("net", SAMPLE.as_bytes(), &options).map_err(|mut faults| {
        if faults.file != "net" {
            faults.file = "Box.ibnl".to_owned();
        }
        faults
    })
}

/// Wrong if a fault of a description were lost, reported in the topology file, or not in its place.
#[test]
fn faults_of_descriptions_are_in_their_own_files() {
    assert_eq!(with_box(BOX).unwrap().network, good(SAMPLE).network);
    let edits = [
        ("NODE SW 8 MT43132 U1", "NODE SW 8 MT43132"),
        ("NODE SW 8", "NODE SV 8"),
        ("NODE SW 8", "NODE SW 0"),
        ("NODE SW 8", "NODE SW 255"),
        ("   3 -> P3", "   9 -> P3"),
        ("   3 -> P3", "   3 -> P2"),
        ("   3 -> P3", "   3 -> "),
        ("   3 -> P3", "   3 -> P3 4 5"),
        ("   3 -> P3", "   3 P3"),
        ("-10G->", "-20G->"),
        ("-4x-5G->", "-5x-5G->"),
        ("-4x-5G->", "-5G-4x->"),
        ("4 -> U2 4", "4 -> U3 4"),
        ("P2 -> leaf2 P1", "P2 -> leaf3 P1"),
        ("P2 -> leaf2 P1", "P2 -> leaf1 P1"),
        ("4 -> U2 4", "4 -> U1 4"),
        ("SUBSYSTEM LEAF leaf2", "SUBSYSTEM LEAF leaf1"),
        ("SUBSYSTEM LEAF leaf2", "SUBSYSTEM LEAVE leaf2"),
        ("SUBSYSTEM LEAF leaf2", "SUBSYSTEM LEAF"),
        ("SYSTEM SPINE", "SYSTEM"),
        ("SYSTEM SPINE", "SYSTEM LEAF"),
        ("SYSTEM SPINE\n", "SYSTEM SPINE\nSUBSYSTEM SPINE s\n"),
        ("SYSTEM LEAF,LEAF:4x\n", ""),
        ("   P3 -> L2/P1", "SYSTEM X\n"),
        ("spine/U1=isChaBma", "sing along"),
        ("spine/U1=isChaBma", "CFG: a=b"),
        ("SUBSYSTEM SPINE spine\n", ""),
    ];
    pin_damage_of("ibnl", BOX, &edits, with_box);
}

#[test]
fn each_way_to_damage_it_is_refused_in_its_place() {
    pin_damage(
        "ibdm",
        SAMPLE,
        &[
            ("Box B1", "Bax B1"),
            ("Box B1\n", "Box\n"),
            ("Box B1\n", "Box B1 CFG: leaf3=R\n"),
            ("Box B1\n", "Box B1 CFG: leaf2=8x\n"),
            ("Box B1\n", "Box B1 CFG: spine=8x\n"),
            ("Box B1\n", "Box B1 CFG: leaf1\n"),
            ("Box B1\n", "Box B1 CFG: leaf1=R\n"),
            ("Box B1\n", "Box B1 leaf1=R\n"),
            ("Box B1\n", "Box B1\n\n"),
            ("Box B1\n", "Box B/1\n"),
            ("leaf1=12x", "leaf1=12x,leaf1=4x"),
            ("leaf1=12x", "leaf1="),
            ("leaf1=12x", "leaf1=4x"),
            ("BOX-8 B2 CFG", "Box B1 CFG"),
            ("BOX-8 B2 CFG", "Nic B2 CFG"),
            ("L1/P1 -> Nic", "L1/P9 -> Nic"),
            ("L1/P1 -> Nic", "L3/P1 -> Nic"),
            ("-> Nic H01 P1", "-> Nic H01 P3"),
            ("-> Nic H01 P1", "-> Nic H01"),
            ("-> Nic H01 P1", "-> Nic H01 P1 P2"),
            ("-> Nic H01 P1", "-> H01 P1"),
            ("-> Nic H01 P1", "- Nic H01 P1"),
            ("L1/P1 -> Nic H01 P1", "L1/P1 Nic H01 P1"),
            ("-> Nic H01 P1", "-> Box H01 P1"),
            ("-> Nic H01 P1", "-> Nic H01 P2"),
            ("-> Nic H01 P1", "-> Box B1 L1/P1"),
            ("-4X-5G->", "-5X-5G->"),
            ("-4X-5G->", "-4X-20G->"),
            ("-4X-5G->", "-4X-4X->"),
            ("-> Box B1 L2/P2", "-> Box B1 L2/P1"),
            ("L2/P1 -> NIC-2 H02 P1", "L1/P1 -> NIC-2 H02 P1"),
            ("NIC-2 H02", CUT),
        ],
    );
}

/// Wrong if any damage brought the reader down.
#[test]
fn damaged_files_are_read_or_refused() {
    damage_and_read(Format::Ibdm, SAMPLE, b"-> /=,:#4xGRB\n\0 ");
    for seed in 0..cases(4_000) {
        let mut bytes = BOX.as_bytes().to_vec();
        damage(&mut bytes, b"-> /=,:#4xGRB\n\0 ", &mut ChaCha8Rng::seed_from_u64(seed));
        let Err(found) = with_box(&String::from_utf8_lossy(&bytes)) else { continue };
        assert!(found.faults.iter().all(|fault| fault.span.end <= found.text.len()), "seed {seed}");
    }
}
