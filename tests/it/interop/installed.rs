//! Tables of ours that the real OpenSM installs on a simulated subnet: read back they are the same, and the real
//! ibdmchk finds no credit loop in them; skipped, saying so, where these are not installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use simnet::routing::{
    Algorithm, Attachments, DestinationTables, Engine, ForwardingTables, OpenSm, Root, Survey, Tree,
    read_lfts,
};
use simnet::topology::formats::{self, Format, ReadOptions, kept, port_guids};
use simnet::topology::{End, Network, generate};

use support_network::{cases, peer, shared};

use super::subnet::Subnet;

const UP_DOWN: Engine = Engine::Rule(Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far });
const SMART: Engine = Engine::Rule(Algorithm::Smart { tree: Tree::Bfs, root: Root::Far });

fn read(bytes: &[u8]) -> Network {
    formats::read("net", bytes, &ReadOptions::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// A network as a net file, and as it reads back: with guids everywhere.
fn written(net: &Network, path: &Path) -> Network {
    let text = formats::write(net, Format::Ibnetdiscover);
    fs::write(path, &text).unwrap();
    read(text.as_bytes())
}

/// All entries for ports of hosts: per port its addresses in order, each with the output of every switch.
fn entries(net: &Network, tables: &ForwardingTables) -> Vec<(End, Vec<Option<u16>>)> {
    let mut all: Vec<_> = tables.lids().iter().map(|(lid, end)| (*end, *lid)).collect();
    all.sort();
    let outputs =
        |lid: u16| net.switch_ids().map(move |s| tables.output(s, lid).map(|port| port.0)).collect();
    all.into_iter().map(|(end, lid)| (end, outputs(lid))).collect()
}

/// Installs tables and compares; `None` where a program is missing.
fn install(path: &Path, engine: &Engine, lmc: u8) -> Option<()> {
    let bytes = fs::read(path).unwrap();
    let (net, guids) = (read(&bytes), port_guids(&bytes));
    let attachments = Attachments::lowest(&net);
    let ours = DestinationTables::new(&net, &attachments, engine, (None, lmc, None)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let files = OpenSm::new(&net, &ours, &kept(&bytes)).unwrap();
    let write = |name: &str, fill: &dyn Fn(&mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut text = Vec::new();
        fill(&mut text).unwrap();
        fs::write(file(name), text).unwrap();
    };
    write("lfts", &|out| files.write_tables(out));
    write("matrix", &|out| files.write_lid_matrix(out));
    write("psl", &|out| files.write_service_levels(out));
    write("slvl", &|out| files.write_sl_to_vl(out));
    let subnet = Subnet::start(path)?;
    let left = subnet.run("opensm", |command| {
        command
            .env("OSM_TMP_DIR", folder.path())
            .env("OSM_CACHE_DIR", folder.path())
            .current_dir(folder.path());
        command
            .args(["-o", "-D", "0x43", "-R", "file", "-l", &lmc.to_string(), "-f"])
            .arg(file("opensm.log"));
        command.arg("-U").arg(file("lfts")).arg("-M").arg(file("matrix"));
    })?;
    assert!(left.status.success(), "opensm: {}", left.stderr);
    let log = fs::read_to_string(file("opensm.log")).unwrap();
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("ERR")).collect();
    assert!(
        !complaints.iter().any(|line| line.contains("ucast_file") || line.contains("do_ucast")),
        "{complaints:?}"
    );
    let tables = |name: &str| {
        let dump = fs::read(file(name)).unwrap();
        read_lfts(&net, &guids, name, &dump).unwrap_or_else(|faults| panic!("{faults}"))
    };
    let (sent, installed) = (tables("lfts"), tables("opensm-lfts.dump"));
    let what = format!("{}, {}, lmc {lmc}", path.display(), engine.name());
    assert_eq!(entries(&net, &sent), entries(&net, &installed), "{what}");
    let (own, theirs) = (ours.survey(&net, &attachments), Survey::of_tables(&net, &attachments, &installed));
    assert_eq!((own.sum_of_distances, &own.load), (theirs.sum_of_distances, &theirs.load), "{what}");
    // All addresses count for the verdict.
    assert!(ours.hops.lanes() > 1 || !theirs.dependencies.is_cyclic(), "{what}");
    let rows = |name: &str| guids_and_hops(&fs::read(file(name)).unwrap());
    // OpenSM takes the addresses of a matrix as they are: without those of the running subnet it may mean others.
    let numbers = |name: &str| {
        let dump = fs::read_to_string(file(name)).unwrap();
        let heads = dump.lines().filter_map(|line| line.split_once(" of switch Lid "));
        heads.map(|(_, head)| head.split(" (").next().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    if numbers("lfts") == numbers("opensm-lfts.dump") {
        assert_eq!(rows("matrix"), rows("opensm-lid-matrix.dump"), "{what}");
    }
    let dump = subnet.dumped()?;
    let own = |line: &str| {
        let (lid, guid) = line.split_once(" guid 0x").unwrap();
        (u64::from_str_radix(guid, 16).unwrap(), lid.parse().unwrap())
    };
    let running: BTreeMap<u64, u16> = numbers("opensm-lfts.dump").iter().map(|line| own(line)).collect();
    let dumped = kept(&dump).lids();
    let dumped = running.keys().map(|guid| (*guid, dumped[guid].base)).collect();
    assert_eq!(running, dumped, "{what}: the lids of the running subnet");
    judged(folder.path(), ours.hops.lanes(), &what)
}

/// The rows of a lid matrix by switch and guid, whatever the addresses.
fn guids_and_hops(dump: &[u8]) -> Vec<(String, String, String)> {
    let text = String::from_utf8_lossy(dump);
    let (mut rows, mut switch) = (Vec::new(), "");
    for line in text.lines() {
        match line.split_once(": ").zip(line.split_once(" # ")) {
            Some(((_, row), (_, guid))) => {
                let hops = row.split_once(" #").unwrap().0.trim();
                rows.push((switch.to_owned(), guid.to_owned(), hops.to_owned()));
            }
            None if line.starts_with('#') => {}
            None => switch = line,
        }
    }
    rows.sort();
    rows
}

/// What the real ibdmchk says of what OpenSM left in a folder: no credit loop, and one if it does not know of lanes. It
/// looks at the first address of each port, as it takes no subnet whose switches have single addresses and whose hosts
/// have several.
fn judged(folder: &Path, lanes: u8, what: &str) -> Option<()> {
    let program = peer("ibdmchk")?;
    let says = |more: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(folder).args(["-s", "opensm-subnet.lst", "-f", "opensm.fdbs"]);
        let output = command.args(["-m", "opensm.mcfdbs"]).args(more).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said = says(if lanes > 1 { &["-c", "psl", "-d", "slvl"] } else { &[] });
    assert!(said.contains("no credit loops found"), "{what}: {said}");
    // Nue on several lanes may have none on one; the others take a lane only for a cycle.
    assert!(lanes == 1 || says(&[]).contains("credit loops in routing"), "{what}");
    Some(())
}

/// Wrong if OpenSM did not take a file of ours, installed something else, with several addresses a port too, or ibdmchk
/// found a cycle in what it installed.
#[test]
fn tables_are_installed_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    let parameters = [("switches", 16), ("degree", 4), ("hosts-per-switch", 4)];
    for seed in 1..=cases(10) {
        written(&generate::build("random-regular", &parameters, seed).unwrap(), &path);
        let engines =
            [UP_DOWN, SMART, Engine::Rule(Algorithm::Minimal), Engine::Lash, Engine::Dfsssp, Engine::Nue];
        for (nth, engine) in (0..).zip(engines) {
            if install(&path, &engine, if (seed + nth) % 4 == 0 { 2 } else { 0 }).is_none() {
                return;
            }
        }
    }
}

/// Wrong if ibdmchk found a cycle in tables on one lane of the networks on which it finds one in OpenSM's own `updn`.
/// That of 64 switches waits for more than the least cases.
#[test]
fn tables_on_one_lane_are_free_of_credit_loops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.topo");
    for seed in 1..=cases(10) {
        for switches in [16, 32, 64].into_iter().filter(|switches| *switches < 64 || cases(20) > 1) {
            let parameters = [("switches", switches), ("degree", 4), ("hosts-per-switch", 4)];
            written(&generate::build("random-regular", &parameters, seed).unwrap(), &path);
            for engine in [UP_DOWN, SMART, Engine::Nue] {
                if install(&path, &engine, 0).is_none() {
                    return;
                }
            }
        }
    }
}

/// Wrong if a real fabric, whose hosts have two ports, could not be given tables.
#[test]
fn real_fabrics_are_given_tables() {
    let folder = "topologies/ibnetdiscover";
    for file in ["loginoff-stage-2014", "credit-loops", "gnu-stallion-64"] {
        let Some(mut path) = shared(&format!("{folder}/{file}.topo")) else { return };
        let room = tempfile::tempdir().unwrap();
        let net = read(&fs::read(&path).unwrap());
        // Without guids in the file ibsim makes up its own: a file that simnet writes has them.
        if net.switches().iter().any(|switch| switch.guid.is_none()) {
            path = room.path().join("net.topo");
            written(&net, &path);
        }
        for engine in [UP_DOWN, SMART] {
            if install(&path, &engine, 0).is_none() {
                return;
            }
        }
    }
}
