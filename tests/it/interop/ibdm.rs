//! Networks of ibdm as the real ibdm builds them from the same files; skipped, saying so, where it is not installed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use simnet::ids::Node;
use simnet::topology::formats::{self, Format, ReadOptions};
use simnet::topology::{End, Network, generate, presets};
use support_network::{found_or_skipped, peer};

/// Prints all nodes and all ends of cables of a file that `PARSE` reads, nodes by what `NAME` gives.
const SCRIPT: &str = r#"
set f [new_IBFabric]
PARSE $f $file
foreach pair [IBFabric_NodeByName_get $f] {
  set node [lindex $pair 1]
  set ports [IBNode_numPorts_get $node]
  puts "NODE [NAME $node] [IBNode_type_get $node] $ports"
  for {set p 1} {$p <= $ports} {incr p} {
    set port [IBNode_getPort $node $p]
    if {$port == ""} continue
    set far [IBPort_p_remotePort_get $port]
    if {$far == ""} continue
    puts "CABLE [NAME $node] $p [NAME [IBPort_p_node_get $far]] [IBPort_num_get $far]"
  }
}
"#;

/// The folder in which ibdm keeps its descriptions of systems.
fn descriptions() -> Option<PathBuf> {
    let folders =
        |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let libraries = [Path::new("/usr/lib"), Path::new("/usr/lib64")];
    let candidates = libraries
        .into_iter()
        .flat_map(folders)
        .flat_map(|path| [vec![path.clone()], folders(&path).collect()].concat());
    let is_ibdms =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ibdm1"));
    let found = candidates.filter(is_ibdms).map(|path| path.join("ibnl")).find(|path| path.is_dir());
    found_or_skipped("ibdm's folder of .ibnl files", found)
}

/// What ibdm makes of a file: nodes with kind and ports, and ends of cables.
fn theirs(ibdmsh: &Path, file: &Path, parse: &str, name: &str) -> BTreeSet<String> {
    let script = file.with_extension("tcl");
    let text = SCRIPT.replace("PARSE", parse).replace("NAME", name);
    std::fs::write(&script, format!("set file {}\n{text}", file.display())).unwrap();
    let output = Command::new(ibdmsh).stdin(std::fs::File::open(&script).unwrap()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let complaints: Vec<&str> =
        text.lines().filter(|line| line.starts_with("-E-") || line.contains("Wrong syntax")).collect();
    assert!(complaints.is_empty(), "{}: {complaints:?}", file.display());
    text.lines()
        .filter(|line| line.starts_with("NODE ") || line.starts_with("CABLE "))
        .map(str::to_owned)
        .collect()
}

/// The same of a network that simnet read, its nodes by what `name` gives.
fn ours(net: &Network, name: impl Fn(Node) -> String) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let switches = net.switch_ids().map(Node::Switch);
    for node in switches.chain(net.host_ids().map(Node::Host)) {
        let (first, ports) = net.port_range(node);
        assert_eq!(first, 1);
        let kind = if matches!(node, Node::Switch(_)) { 2 } else { 1 };
        found.insert(format!("NODE {} {kind} {ports}", name(node)));
    }
    let end = |end: End| format!("{} {}", name(end.node), end.port);
    for link in net.links() {
        found.insert(format!("CABLE {} {}", end(link.a), end(link.b)));
        found.insert(format!("CABLE {} {}", end(link.b), end(link.a)));
    }
    found
}

/// What ibdm calls a node: the device of a system with one device by its own name too.
fn by_name(net: &Network, node: Node) -> String {
    match net.name_of(node) {
        name if name.contains('/') => name.to_owned(),
        name => format!("{name}/U1"),
    }
}

fn by_guid(net: &Network, node: Node) -> String {
    let guid = match node {
        Node::Switch(id) => net.switches()[id.index()].guid,
        Node::Host(id) => net.hosts()[id.index()].guid,
    };
    format!("{:#018x}", guid.unwrap())
}

fn read(topology: &Path) -> Network {
    let options = ReadOptions { folder: topology.parent().map(Path::to_owned), ..ReadOptions::default() };
    let bytes = std::fs::read(topology).unwrap();
    formats::read("topo", &bytes, &options)
        .unwrap_or_else(|faults| panic!("{}: {faults}", topology.display()))
}

fn first_difference(ours: &BTreeSet<String>, theirs: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for (whose, line) in ours
        .difference(theirs)
        .map(|l| ("ours", l))
        .chain(theirs.difference(ours).map(|l| ("ibdm's", l)))
        .take(5)
    {
        writeln!(text, "{whose} alone: {line}").unwrap();
    }
    text
}

/// Wrong if a device, a port or a cable of ibdm's own topologies, or of any of its systems, were another than to ibdm.
#[test]
fn topologies_mean_the_same_to_both() {
    let (Some(ibdmsh), Some(from)) = (peer("ibdmsh"), descriptions()) else { return };
    let room = tempfile::tempdir().unwrap();
    let mut topologies = Vec::new();
    for entry in std::fs::read_dir(&from).unwrap() {
        let path = entry.unwrap().path();
        let Some(extension) = path.extension().map(|e| e.to_string_lossy().into_owned()) else { continue };
        let copy = room.path().join(path.file_name().unwrap());
        if ["ibnl", "topo"].contains(&extension.as_str()) {
            std::fs::copy(&path, &copy).unwrap();
        }
        if extension == "topo" {
            topologies.push(copy);
        } else if extension == "ibnl" {
            topologies.push(with_every_kind(&copy));
        }
    }
    assert!(topologies.len() > 20, "{} topologies", topologies.len());
    for topology in topologies {
        let net = read(&topology);
        let ours = ours(&net, |node| by_name(&net, node));
        let theirs = theirs(&ibdmsh, &topology, "IBFabric_parseTopology", "IBNode_name_get");
        assert!(ours == theirs, "{}: {}", topology.display(), first_difference(&ours, &theirs));
    }
}

/// Wrong if a list that simnet writes were another network to ibdm than to simnet.
#[test]
fn written_lists_mean_the_same_to_both() {
    let Some(ibdmsh) = peer("ibdmsh") else { return };
    let room = tempfile::tempdir().unwrap();
    let ring = generate::build("ring", &[("switches", 5), ("hosts-per-switch", 2)], 1).unwrap();
    for net in [ring, presets::load("now-c").unwrap()] {
        let list = room.path().join("written.lst");
        std::fs::write(&list, formats::write(&net, Format::SubnetLst)).unwrap();
        let net = read(&list);
        let ours = ours(&net, |node| by_guid(&net, node));
        let theirs = theirs(&ibdmsh, &list, "IBFabric_parseSubnetLinks", "IBNode_guid_get");
        assert!(ours == theirs, "{}: {}", net.name, first_difference(&ours, &theirs));
    }
}

/// A topology file with two systems of the first type that a description has, and a host.
fn with_every_kind(description: &Path) -> PathBuf {
    let text = std::fs::read_to_string(description).unwrap();
    let names = text.lines().find_map(|line| line.trim().strip_prefix("TOPSYSTEM ")).unwrap();
    let kind = names.split(',').next().unwrap().trim();
    let port = text.split("TOPSYSTEM").nth(1).unwrap().lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next().filter(|arrow| arrow.ends_with("->"))?;
        let port = words.next()?;
        words.next().is_none().then(|| port.to_owned())
    });
    let port = port.unwrap();
    let path = description.with_extension("all.topo");
    // A network has a switch.
    std::fs::write(&path, format!("{kind} A\n  {port} -> {kind} B {port}\n\n{kind} C\n\nBuffalo D\n"))
        .unwrap();
    path
}
