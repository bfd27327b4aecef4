//! The drawing of the network: what stands where, on random networks, and what is shown of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use roxmltree::{Document, Node as Element};
use simnet::ids::Node;
use simnet::topology::formats::{self, Format};
use simnet::topology::{End, Network};

use super::{data, element, report, run, write};
use support_network::cases;

/// Names that would do harm if they were taken for markup.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "a&amp;b",
    "' onload='",
    "]]>",
    "\u{202e}evil",
];

/// A network of any kind: parallel cables, loops, several parts, lone nodes, hosts on hosts and on two switches.
fn random(seed: u64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut network = Network::new("random");
    let name = |kind: &str, nth: usize| match (seed + nth as u64) % 9 {
        place @ 0..6 => format!("{}{kind}{nth}", HOSTILE[usize::try_from(place).unwrap()]),
        _ => format!("{kind}{nth}"),
    };
    let switches: Vec<_> = (0..random.random_range(1..30_usize))
        .map(|nth| network.add_switch(name("s", nth), 40).unwrap())
        .collect();
    let free = |network: &Network, node: Node| {
        let (first, last) = network.port_range(node);
        (first..=last)
            .map(|port| End { node, port: simnet::ids::Port(port) })
            .find(|end| network.link_at(*end).is_none())
    };
    for _ in 0..random.random_range(0..3 * switches.len()) {
        let pick = |random: &mut ChaCha8Rng| Node::Switch(switches[random.random_range(0..switches.len())]);
        let (a, b) = (pick(&mut random), pick(&mut random));
        if let Some(from) = free(&network, a) {
            let to = (0..40).map(|port| End { node: b, port: simnet::ids::Port(port) });
            let to = to.filter(|end| *end != from).find(|end| network.link_at(*end).is_none());
            to.map(|to| network.connect(from, to).unwrap());
        }
    }
    let mut last = None;
    for nth in 0..random.random_range(0..40_usize) {
        let host = network.add_host(name("h", nth)).unwrap();
        let own = End::host(host, 0);
        match (random.random_range(0..12), last) {
            (0, _) => last = Some(host),
            (1, Some(other)) => {
                network.connect(own, End::host(other, 0)).unwrap();
                last = None;
            }
            _ => {
                let switch = Node::Switch(switches[random.random_range(0..switches.len())]);
                free(&network, switch).map(|far| network.connect(own, far).unwrap());
            }
        }
    }
    network
}

/// The report of a folder that holds a network, and routes with this root.
fn drawn(network: &Network, root: Option<&str>) -> String {
    let room = tempfile::tempdir().unwrap();
    let summary = serde_json::json!({ "scenario": "drawn", "outcome": "drained", "route": { "root": root } });
    fs::write(room.path().join("summary.json"), summary.to_string()).unwrap();
    fs::write(room.path().join("network.json"), formats::write(network, Format::Json)).unwrap();
    report(room.path())
}

fn number(element: Element<'_, '_>, attribute: &str) -> f64 {
    element.attribute(attribute).unwrap().parse().unwrap()
}

fn with_class<'a, 'i>(svg: &'a Document<'i>, class: &'a str) -> impl Iterator<Item = Element<'a, 'i>> {
    svg.descendants()
        .filter(move |e| e.attribute("class").is_some_and(|own| own.split(' ').any(|own| own == class)))
}

/// No two boxes overlap, nothing lies off the sheet, no two dots are one.
fn stands_apart(svg: &Document<'_>, seed: u64) {
    let view: Vec<f64> =
        svg.root_element().attribute("viewBox").unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let boxes: Vec<[f64; 4]> = svg
        .descendants()
        .filter(|e| e.has_tag_name(("http://www.w3.org/2000/svg", "rect")))
        .map(|e| {
            let [x, y, wide, high] = ["x", "y", "width", "height"].map(|name| number(e, name));
            [x, y, x + wide, y + high]
        })
        .collect();
    for (nth, a) in boxes.iter().enumerate() {
        assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= view[2] && a[3] <= view[3], "{seed}: box {nth} is off");
        for b in &boxes[..nth] {
            let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(apart, "{seed}: {a:?} lies on {b:?}");
        }
    }
    let mut dots = BTreeSet::new();
    for host in with_class(svg, "host") {
        let circle = host.first_element_child().unwrap();
        let (x, y) = (number(circle, "cx"), number(circle, "cy"));
        assert!(x >= 0.0 && y >= 0.0 && x <= view[2] && y <= view[3], "{seed}: a host is off");
        assert!(dots.insert((x.to_bits(), y.to_bits())), "{seed}: two hosts at {x} {y}");
        let inside = |b: &[f64; 4]| x > b[0] && x < b[2] && y > b[1] && y < b[3];
        assert!(!boxes.iter().any(inside), "{seed}: a host stands in a box");
    }
}

/// Every cable once, with a lane each way that begin and end where the other ends and begins, at its nodes.
fn is_cabled(svg: &Document<'_>, network: &Network, seed: u64) {
    let cables: Vec<_> = with_class(svg, "cable").collect();
    let links: Vec<usize> =
        cables.iter().map(|e| e.attribute("data-link").unwrap().parse().unwrap()).collect();
    assert_eq!(links, (0..network.links().len()).collect::<Vec<_>>(), "{seed}");
    for cable in cables {
        let lanes: Vec<_> = cable
            .children()
            .filter(|e| e.attribute("class").is_some_and(|c| c.starts_with("lane")))
            .collect();
        assert_eq!(lanes.len(), 2, "{seed}");
        for lane in lanes {
            let way = lane.attribute("d").or(lane.attribute("points")).unwrap();
            assert!(way.len() > 8, "{seed}: {way}");
        }
    }
}

/// Distances from the root, by a search of its own.
fn distances(network: &Network, root: Node) -> BTreeMap<Node, usize> {
    let mut found = BTreeMap::from([(root, 0)]);
    let mut open = VecDeque::from([root]);
    while let Some(node) = open.pop_front() {
        for link in network.links() {
            for (a, b) in [(link.a.node, link.b.node), (link.b.node, link.a.node)] {
                if a == node && matches!(b, Node::Switch(_)) && !found.contains_key(&b) {
                    found.insert(b, found[&node] + 1);
                    open.push_back(b);
                }
            }
        }
    }
    found
}

fn row_of(svg: &Document<'_>, switch: usize) -> usize {
    let own = with_class(svg, "switch").find(|e| e.attribute("data-node") == Some(&switch.to_string()));
    own.unwrap().attribute("data-row").unwrap().parse().unwrap()
}

/// The middles of all boxes of switches, in their order.
fn middles(svg: &Document<'_>) -> Vec<[f64; 2]> {
    let number =
        |element: &Element<'_, '_>, name: &str| -> f64 { element.attribute(name).unwrap().parse().unwrap() };
    let middle = |switch: Element<'_, '_>| {
        let frame = switch.children().find(|child| child.has_tag_name("rect")).unwrap();
        let along = |start: &str, size: &str| number(&frame, start) + number(&frame, size) / 2.0;
        [along("x", "width"), along("y", "height")]
    };
    with_class(svg, "switch").map(middle).collect()
}

/// Wrong if a ring were no ring on the page of the network, or the replay had a layout of its own.
#[test]
fn a_ring_is_drawn_as_a_ring_on_all_pages() {
    let room = tempfile::tempdir().unwrap();
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/zoo/ring.toml");
    let out = room.path().join("ring");
    let output = crate::simnet(&["run", scenario, "--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let html = report(&out);
    assert!(html.contains("Switches stand on a circle"));
    let text = element(&html, "<svg id=\"network-drawing\"", "</svg>");
    let text = text.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    let boxes = middles(&Document::parse(&text).unwrap());
    let at: Vec<[f64; 2]> = serde_json::from_value(data(&html, "replay")["network"]["at"].clone()).unwrap();
    let apart = |at: &[[f64; 2]], a: usize, b: usize| (at[a][0] - at[b][0]).hypot(at[a][1] - at[b][1]);
    let scale = apart(&at, 0, 3) / apart(&boxes, 0, 3);
    for a in 0..6 {
        let next = (a + 1) % 6;
        assert!((apart(&boxes, a, next) / apart(&boxes, 0, 1) - 1.0).abs() < 0.03, "{boxes:?}");
        for b in 0..a {
            assert!((apart(&at, a, b) / apart(&boxes, a, b) / scale - 1.0).abs() < 0.01, "{a} and {b}");
        }
    }
}

/// Wrong if two boxes lay on each other, a cable were drawn twice or not at all, or a switch stood in another row than
/// its distance from the root, or its tier, says; or if a name became markup; or if anything but the folder decided.
#[test]
fn random_networks_are_drawn_right() {
    let (mut tiers, mut distant, mut circles) = (0, 0, 0);
    for seed in 0..cases(2_000) {
        let network = random(seed);
        if network.links().is_empty() {
            continue;
        }
        let root = network.switches()[0].name.clone();
        let html = drawn(&network, Some(&root));
        assert_eq!(html, drawn(&network, Some(&root)), "{seed}");
        assert!(!html.contains("<script>alert") && !html.contains("<img"), "{seed}: a name is markup");
        let text = element(&html, "<svg id=\"network-drawing\"", "</svg>");
        let text = text.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
        let svg = Document::parse(&text).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert_eq!(with_class(&svg, "switch").count(), network.switches().len(), "{seed}");
        assert_eq!(with_class(&svg, "host").count(), network.hosts().len(), "{seed}");
        stands_apart(&svg, seed);
        is_cabled(&svg, &network, seed);
        if html.contains("stand in tiers") {
            tiers += 1;
            let between = network.links().iter().filter_map(|link| match (link.a.node, link.b.node) {
                (Node::Switch(a), Node::Switch(b)) => Some((a.index(), b.index())),
                _ => None,
            });
            let steps: Vec<usize> = between.map(|(a, b)| row_of(&svg, a).abs_diff(row_of(&svg, b))).collect();
            assert!(steps.iter().filter(|step| **step == 1).count() * 10 >= steps.len() * 9, "{seed}");
        } else if html.contains("stand on a circle") {
            circles += 1;
            let middles = middles(&svg);
            let middle =
                [0, 1].map(|axis| middles.iter().map(|at| at[axis]).sum::<f64>() / middles.len() as f64);
            let radii: Vec<f64> =
                middles.iter().map(|at| (at[0] - middle[0]).hypot(at[1] - middle[1])).collect();
            assert!(radii.iter().all(|radius| (radius - radii[0]).abs() < 2.5), "{seed}: {radii:?}");
        } else {
            distant += 1;
            for (node, distance) in distances(&network, network.find(&root).unwrap()) {
                let Node::Switch(switch) = node else { panic!("only switches are counted") };
                assert_eq!(row_of(&svg, switch.index()), distance, "{seed}: {}", network.name_of(node));
            }
        }
    }
    println!("{tiers} in tiers, {distant} by distance, {circles} on a circle");
    assert!(distant > 0 && circles > 0);
}

/// Wrong if the report showed other figures of a channel than `channels.csv`, or those of another channel or load.
#[test]
fn figures_of_channels_are_those_of_the_table() {
    let run = run("scenario = { name = 'drawn', seed = 5 }
        topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2, seed = 2 }
        routing = { algorithm = 'updown', select = 'random' }
        failures = [{ link = 's0:0', at = '30 us', lasting = '5 us' }]
        traffic.uniform = { payload = '32 B', loads = [0.01, 0.05, 0.6] }
        measure = { warmup = '20 us', messages = 400 }");
    let room = tempfile::tempdir().unwrap();
    write(room.path(), &run);
    let html = report(room.path());
    let data = data(&html, "network");
    let names: Vec<&str> =
        data["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let port = |node: &serde_json::Value, port: &serde_json::Value| {
        format!("{}:{port}", names[usize::try_from(node.as_u64().unwrap()).unwrap()])
    };
    let mut rows = csv::Reader::from_path(room.path().join("channels.csv")).unwrap();
    let (mut nth, links) = (0, data["links"].as_array().unwrap().len());
    for row in rows.deserialize::<BTreeMap<String, String>>().map(Result::unwrap) {
        let (load, channel) = (nth / (2 * links), nth % (2 * links));
        let own = &data["loads"][load];
        let link = &data["links"][channel / 2];
        let ends = [port(&link[0], &link[1]), port(&link[2], &link[3])];
        let (from, to) = if channel % 2 == 0 { (0, 1) } else { (1, 0) };
        assert_eq!((&row["from"], &row["to"]), (&ends[from], &ends[to]));
        assert_eq!(own["load"].as_str().unwrap(), row["load"]);
        for (key, column) in [
            ("busy", "busy_share"),
            ("blocked", "blocked_share"),
            ("wanted", "wanted_share"),
            ("flits", "flits"),
        ] {
            let drawn = own[key][channel].as_f64().unwrap();
            assert_eq!(drawn.to_bits(), row[column].parse::<f64>().unwrap().to_bits(), "{key} of {row:?}");
        }
        nth += 1;
    }
    assert_eq!(nth, 3 * 2 * links);
    // The cable that failed is marked, and its time shown.
    let failed = data["outages"].as_array().unwrap();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0][1].as_f64(), failed[0][2].as_f64()), (Some(30_000.0), Some(35_000.0)));
    let marked = format!("<g class=\"cable failed\" data-link=\"{}\">", failed[0][0]);
    assert_eq!(html.matches("cable failed").count(), 1);
    assert!(html.contains(&marked));
}

/// Wrong if a large network made a large file, or none at all.
#[test]
fn pink_is_drawn_in_a_small_file() {
    let network = simnet::topology::presets::load("pink").unwrap();
    let html = drawn(&network, None);
    assert!(html.contains("stand in tiers") && html.len() < 5_000_000, "{} bytes", html.len());
    let text = element(&html, "<svg id=\"network-drawing\"", "</svg>");
    let text = text.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    let svg = Document::parse(&text).unwrap();
    stands_apart(&svg, 0);
    is_cabled(&svg, &network, 0);
}
