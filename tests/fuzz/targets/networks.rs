//! Networks, in every format.

use simnet_base::units::Unit;
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::{Network, Subset, generate, presets};

use super::located;
use crate::seeds;

const SLURM: &str = "# two leaves\nSwitchName=top Switches=leaf[0-1] LinkSpeed=100\nswitchname=leaf0 NODES=n[08-10]\n\
                     SwitchName=leaf1 \\\n   Nodes=\"m1,m[2,5-7]x\"\n";
const ANYNET: &str = "router 1 node 2 node 0 router 0 15\nnode 1 router 0 3\nrouter 0 router 1\n";
const GM: &str = "2 1\ns 8 \"s 0\"\n2\n0 h - \"a\" 0\n5 s 4 \"s1\" 3\nlabel \"the first\"\n\ns 4 \"s1\"\n3\n\
                  0 s 4 \"s1\" 1\n1 s 4 \"s1\" 0\n3 s 8 \"s 0\" 5\n\nh - \"a\"\n1\n0 s 8 \"s 0\" 0\naddress 0060dd7f\n";
const GRAPHML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" for="node" id="d1" /><key attr.name="LinkSpeedRaw" for="edge" id="d7" />
  <key attr.name="Internal" for="node" id="d2"><default>1</default></key>
  <graph edgedefault="undirected">
    <node id="7"><data key="d1">Bern</data></node><node id="b"><data key="d2">0</data></node>
    <edge source="7" target="b"><data key="d7">1.0E10</data></edge><edge source="b" target="b"/>
  </graph>
</graphml>
"#;

/// A small network that has all that simnet's formats can say.
pub(super) fn small() -> Network {
    generate::build("ring", &[("switches", 4), ("hosts-per-switch", 1)], 1).expect("a ring")
}

/// What simnet writes of a few networks.
fn written(format: Format) -> Vec<Vec<u8>> {
    let networks = [small(), presets::load("now-c").expect("a preset")];
    networks.iter().map(|network| formats::write(network, format).into_bytes()).collect()
}

fn with(text: &str, more: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let text = (!text.is_empty()).then(|| text.as_bytes().to_vec());
    text.into_iter().chain(more).collect()
}

pub(super) fn json() -> Vec<Vec<u8>> {
    with("", written(Format::Json).into_iter().chain(seeds::contents(&[".json"])))
}

pub(super) fn toml() -> Vec<Vec<u8>> {
    with("", written(Format::Toml).into_iter().chain(seeds::contents(&["links.toml"])))
}

pub(super) fn ibnetdiscover() -> Vec<Vec<u8>> {
    with("", written(Format::Ibnetdiscover).into_iter().chain(seeds::contents(&[".dump"])))
}

pub(super) fn slurm() -> Vec<Vec<u8>> {
    with(SLURM, seeds::contents(&[".conf"]))
}

pub(super) fn slurm_yaml() -> Vec<Vec<u8>> {
    seeds::contents(&["topology.yaml"])
}

pub(super) fn graphml() -> Vec<Vec<u8>> {
    with(GRAPHML, seeds::contents(&[".graphml", ".xml"]))
}

pub(super) fn anynet() -> Vec<Vec<u8>> {
    with(ANYNET, seeds::contents(&["anynet-faults.txt", "anynet-gap.txt"]))
}

pub(super) fn gm() -> Vec<Vec<u8>> {
    with(GM, written(Format::Gm).into_iter().chain(seeds::contents(&[".map"])))
}

pub(super) fn netloc() -> Vec<Vec<u8>> {
    seeds::contents(&["netloc.json"])
}

pub(super) fn ibdm() -> Vec<Vec<u8>> {
    seeds::contents(&[".topo"])
}

pub(super) fn subnet_lst() -> Vec<Vec<u8>> {
    with("", written(Format::SubnetLst).into_iter().chain(seeds::contents(&[".lst"])))
}

pub(super) fn db_csv() -> Vec<Vec<u8>> {
    seeds::contents(&[".db_csv"])
}

pub(super) fn netq() -> Vec<Vec<u8>> {
    seeds::contents(&["netq.json"])
}

pub(super) fn lldp() -> Vec<Vec<u8>> {
    seeds::contents(&["lldp.json"])
}

pub(super) fn plans() -> Vec<Vec<u8>> {
    with("", written(Format::Csv).into_iter().chain(seeds::contents(&["cables.csv"])))
}

pub(super) fn all() -> Vec<Vec<u8>> {
    let mut all =
        [json(), toml(), ibnetdiscover(), slurm(), graphml(), anynet(), gm(), ibdm(), subnet_lst(), db_csv()]
            .concat();
    all.extend(seeds::contents(&[".gv"]));
    all
}

/// A network in whatever format it seems to be in, with the options that change what is read.
pub(super) fn recognised(input: &[u8]) -> bool {
    let _ = formats::port_guids(input);
    let subset = Subset {
        drop_aggregation_nodes: true,
        leave_out: vec!["*1:*".to_owned()],
        least_rate: Unit::parse("10 Gb/s").ok(),
        plane: None,
    };
    let changed = ReadOptions { hosts_per_switch: Some(2), subset, from: None, folder: None };
    if let Err(faults) = formats::read_with_warnings("a file", input, &changed) {
        located(&faults);
    }
    read(input, None)
}

pub(super) fn read_json(input: &[u8]) -> bool {
    read(input, Some(Format::Json))
}

pub(super) fn read_toml(input: &[u8]) -> bool {
    read(input, Some(Format::Toml))
}

pub(super) fn read_ibnetdiscover(input: &[u8]) -> bool {
    read(input, Some(Format::Ibnetdiscover))
}

pub(super) fn read_slurm(input: &[u8]) -> bool {
    read(input, Some(Format::Slurm))
}

pub(super) fn read_graphml(input: &[u8]) -> bool {
    read(input, Some(Format::GraphMl))
}

pub(super) fn read_anynet(input: &[u8]) -> bool {
    read(input, Some(Format::Anynet))
}

pub(super) fn read_gm(input: &[u8]) -> bool {
    read(input, Some(Format::Gm))
}

pub(super) fn read_netloc(input: &[u8]) -> bool {
    read(input, Some(Format::Netloc))
}

pub(super) fn read_ibdm(input: &[u8]) -> bool {
    read(input, Some(Format::Ibdm))
}

pub(super) fn read_subnet_lst(input: &[u8]) -> bool {
    read(input, Some(Format::SubnetLst))
}

pub(super) fn read_db_csv(input: &[u8]) -> bool {
    read(input, Some(Format::DbCsv))
}

pub(super) fn read_slurm_yaml(input: &[u8]) -> bool {
    read(input, Some(Format::SlurmYaml))
}

pub(super) fn read_netq(input: &[u8]) -> bool {
    read(input, Some(Format::Netq))
}

pub(super) fn read_lldp(input: &[u8]) -> bool {
    read(input, Some(Format::Lldp))
}

pub(super) fn read_plan(input: &[u8]) -> bool {
    read(input, Some(Format::Csv))
}

/// The folder with the descriptions of the systems that a topology file of ibdm may name.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../network/formats/samples");

fn read(input: &[u8], from: Option<Format>) -> bool {
    let options = |from| ReadOptions { from, folder: Some(FOLDER.into()), ..ReadOptions::default() };
    let network = match formats::read_with_warnings("a file", input, &options(from)) {
        Ok(reading) => {
            reading.warnings.iter().for_each(|warnings| located(warnings));
            reading.network
        }
        Err(faults) => {
            located(&faults);
            return false;
        }
    };
    for format in Format::ALL.into_iter().filter(|format| format.writes()) {
        let text = formats::write(&network, format);
        if Format::OWN.contains(&format) {
            let again = formats::read("written", text.as_bytes(), &options(Some(format)));
            assert_eq!(again.as_ref(), Ok(&network), "{}:\n{text}", format.name());
        }
    }
    true
}
