//! Networks: presets against the published wirings, generated families, text formats there and back, and faults of
//! files with their places.

mod faults;
mod isomorphism;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use simnet_base::ids::Node;
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::metrics::measure;
use simnet_network::topology::{Network, generate, presets};

use support_network::formats::random_network;
use support_network::{cases, shared};

/// A cable as the published wirings write it, the lesser end first.
fn cables(net: &Network) -> BTreeSet<String> {
    let end = |end: simnet_network::topology::End| format!("{},{}", net.name_of(end.node), end.port);
    let row = |a: String, b: String| if a <= b { format!("{a},{b}") } else { format!("{b},{a}") };
    net.links().iter().map(|link| row(end(link.a), end(link.b))).collect()
}

fn fingerprint(net: &Network) -> String {
    let text = cables(net).iter().fold(String::new(), |mut text, row| {
        writeln!(text, "{row}").unwrap();
        text
    });
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// Wrong if a single cable of a preset moved: results that depend on the wiring would move with it.
#[test]
fn presets_keep_every_cable() {
    for (name, expected) in [
        ("now-c", "f914d515a3bc2d9c"),
        ("now-ca", "41dd70d04dd70255"),
        ("now-cab", "77794b76d5e3e0bf"),
        ("pink", "017b596a886e5937"),
    ] {
        assert_eq!(fingerprint(&presets::load(name).unwrap()), expected, "{name}");
    }
}

/// The same against the wirings themselves, where they lie next to the project.
#[test]
fn presets_equal_the_published_wirings() {
    for (name, file) in [("now-c", "now_c"), ("now-ca", "now_ca"), ("now-cab", "now_cab"), ("pink", "pink")] {
        let Some(path) = shared(&format!("papers/{file}.csv")) else { continue };
        let text = std::fs::read_to_string(path).unwrap();
        let row = |row: &str| {
            let fields: Vec<&str> = row.split(',').collect();
            let (a, b) = (format!("{},{}", fields[0], fields[1]), format!("{},{}", fields[2], fields[3]));
            if a <= b { format!("{a},{b}") } else { format!("{b},{a}") }
        };
        let expected: BTreeSet<String> = text.lines().skip(1).map(row).collect();
        assert_eq!(cables(&presets::load(name).unwrap()), expected, "{name}");
    }
}

/// Wrong if a switch of the NOW had more than 8 ports, or one of Pink or Lightning a port to spare.
#[test]
fn presets_fill_the_ports_that_they_should() {
    for name in presets::NAMES {
        let net = presets::load(name).unwrap();
        let cabled = |id| net.cables(Node::Switch(id)).count();
        if name == "pink" || name == "lightning" {
            assert!(net.switch_ids().all(|id| cabled(id) == 16));
        } else if name.starts_with("now") {
            assert_eq!(net.switch_ids().map(cabled).max(), Some(8), "{name}");
        }
        assert_eq!(measure(&net).components, 1, "{name}");
    }
}

/// Wrong if a family missed a size that follows from its definition.
#[test]
fn families_have_the_sizes_of_their_definitions() {
    for (family, parameters, hosts, switches, switch_links, ports) in [
        ("random-regular", vec![("switches", 32), ("degree", 4), ("hosts-per-switch", 4)], 128, 32, 64, 8),
        ("mesh", vec![("x", 4), ("y", 3)], 12, 12, 17, 5),
        ("torus", vec![("x", 4), ("y", 3), ("z", 2)], 24, 24, 60, 7),
        ("ring", vec![("switches", 5), ("hosts-per-switch", 2)], 10, 5, 5, 4),
        ("chain", vec![("switches", 5)], 5, 5, 4, 3),
        ("star", vec![("leaves", 5), ("hub-hosts", 2)], 7, 6, 5, 7),
        ("tree", vec![("arity", 3), ("depth", 3), ("hosts-per-switch", 2)], 18, 13, 12, 4),
        ("fat-tree", vec![("arity", 4), ("levels", 3)], 64, 48, 128, 8),
        ("fat-tree", vec![("arity", 4), ("levels", 7)], 16_384, 28_672, 98_304, 8),
        ("leaf-spine", vec![("leaves", 4), ("spines", 2), ("cables", 2)], 4, 6, 16, 8),
        ("clos", vec![("units", 1)], 64, 16, 64, 16),
        ("clos", vec![("units", 3)], 192, 60, 384, 16),
        ("hypercube", vec![("dimensions", 5)], 32, 32, 80, 6),
        ("random-irregular", vec![("switches", 9), ("hosts", 11), ("links", 15)], 11, 9, 15, 8),
        ("random-tree", vec![("switches", 9), ("machines", 30)], 30, 9, 8, 8),
    ] {
        let net = generate::build(family, &parameters, 7).unwrap();
        let metrics = measure(&net);
        assert_eq!((metrics.hosts, metrics.switches), (hosts, switches), "{family}");
        assert_eq!((metrics.switch_links, metrics.components), (switch_links, 1), "{family}");
        assert_eq!(metrics.links, switch_links + hosts, "{family}");
        assert_eq!((metrics.parallel_links, metrics.loopback_links), parallel(family), "{family}");
        assert_eq!(net.switches().iter().map(|switch| switch.ports).max(), Some(ports), "{family}");
    }
}

fn parallel(family: &str) -> (usize, usize) {
    (if family == "leaf-spine" { 8 } else { 0 }, 0)
}

/// Whether cables lead from the first switch to every node.
fn is_connected(net: &Network) -> bool {
    let Some(first) = net.switch_ids().map(Node::Switch).next() else { return net.hosts().len() == 1 };
    let (mut seen, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some(node) = open.pop() {
        open.extend(net.cables(node).map(|(_, _, far)| far.node).filter(|far| seen.insert(*far)));
    }
    seen.len() == net.switches().len() + net.hosts().len()
}

/// Wrong if any mix of parameters ended in a panic, or if a refusal named no parameter.
#[test]
fn families_take_or_refuse_whatever_they_are_given() {
    let values = [0, 1, 2, 3, 5, 17, 64];
    for family in generate::FAMILIES {
        let count = family.parameters.len().min(5);
        let mixes = values.len().pow(u32::try_from(count).unwrap()).min(3_000);
        // 20 and 5 have no divisor in common with the number of values: all of them come up in every place.
        let step = if mixes > 500 { 20 / cases(20) } else { 1 };
        for mix in (0..mixes).step_by(usize::try_from(step).unwrap()) {
            let mut rest = mix;
            let mut parameters = Vec::new();
            for parameter in family.parameters.iter().take(count) {
                parameters.push((parameter.name, values[rest % values.len()]));
                rest /= values.len();
            }
            // Of trees and cubes the second parameter is an exponent: their largest wait for more than the least cases.
            let grown = |pair: &[(&str, u64)]| pair[0].1.saturating_pow(u32::try_from(pair[1].1).unwrap());
            let is_vast = cases(20) == 1 && parameters.get(..2).is_some_and(|pair| grown(pair) > 100_000);
            if is_vast || parameters.iter().map(|(_, value)| value.max(&1)).product::<u64>() > 100_000 {
                continue;
            }
            match generate::build(family.name, &parameters, 3) {
                Ok(net) if net.switches().len() > 1_000 => {}
                Ok(net) => assert!(is_connected(&net), "{} {parameters:?}", family.name),
                Err(error) => assert!(error.parameter().is_some(), "{} {parameters:?}", family.name),
            }
        }
    }
}

/// Wrong if a seed stood for two networks, or did not matter.
#[test]
fn a_seed_names_one_network() {
    for (family, parameters) in [
        ("random-regular", vec![("switches", 32), ("degree", 4), ("hosts-per-switch", 4)]),
        ("random-irregular", vec![("switches", 32), ("hosts", 40), ("links", 60), ("multigraph", 1)]),
        ("random-tree", vec![("switches", 30), ("machines", 40)]),
        ("gt-itm", vec![("switches", 30)]),
        ("waxman", vec![("switches", 30), ("machines", 99)]),
    ] {
        let drawn = |seed| generate::build(family, &parameters, seed).unwrap();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
    let benchmark =
        generate::build("random-regular", &[("switches", 32), ("degree", 4), ("hosts-per-switch", 4)], 1);
    assert_eq!(
        fingerprint(&benchmark.unwrap()),
        "58fb34fea943432d",
        "seed 1 must stay the network that results name"
    );
}

/// Wrong if anything of a network were lost or changed by writing and reading.
#[test]
fn what_is_written_reads_back_equal() {
    for seed in 0..cases(2_000) {
        let net = random_network(seed);
        for format in Format::OWN {
            let text = formats::write(&net, format);
            let back = formats::read("net", text.as_bytes(), &ReadOptions::default());
            let back = back.unwrap_or_else(|faults| panic!("seed {seed}, {}: {faults}", format.name()));
            assert_eq!(back, net, "seed {seed}, {}", format.name());
        }
    }
}

/// Wrong if line ends or a byte order mark changed what a file says.
#[test]
fn line_ends_and_a_byte_order_mark_say_nothing() {
    let net = presets::load("now-c").unwrap();
    for format in Format::OWN {
        let text = formats::write(&net, format);
        for variant in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            assert_eq!(formats::read("net", variant.as_bytes(), &ReadOptions::default()).unwrap(), net);
        }
    }
}

/// Wrong if requested hosts were not put on every switch, or were put into a port in use.
#[test]
fn hosts_are_added_to_a_file_without_any() {
    let bare = generate::build("ring", &[("switches", 3), ("hosts-per-switch", 0)], 0).unwrap();
    let text = formats::write(&bare, Format::Json);
    let options = ReadOptions { hosts_per_switch: Some(2), ..ReadOptions::default() };
    let net = formats::read("ring", text.as_bytes(), &options).unwrap();
    assert_eq!((net.hosts().len(), net.links().len()), (6, 9));
    assert!(net.switch_ids().all(|id| net.cables(Node::Switch(id)).count() == 4));
    let text = formats::write(&net, Format::Json);
    assert!(formats::read("ring", text.as_bytes(), &options).is_err(), "it has hosts already");
}
