//! What limits a load: networks whose one bottleneck is known name it first, and nothing else is lifted.

use serde_json::{Value, json};

use simnet::scenario::checked::Explain;
use simnet::scenario::{self, Overrides};
use simnet::simulation::{self, Lifted, Limits, Resource, Run};

/// Two switches with so many hosts each, and so many cables between them of a rate and a length.
fn two(hosts: usize, cables: usize, (rate, length): (&str, &str)) -> String {
    let names = 0..2 * hosts;
    let link = |a: String, a_port: usize, b: &str, b_port: usize| -> Value {
        json!({"a": a, "a_port": a_port, "b": b, "b_port": b_port})
    };
    let mut links: Vec<Value> = names
        .clone()
        .map(|nth| link(format!("h{nth}"), 0, ["s0", "s1"][nth / hosts], nth % hosts))
        .collect();
    for cable in 0..cables {
        let mut cable = link("s0".to_owned(), hosts + cable, "s1", hosts + cable);
        cable["rate"] = rate.into();
        cable["length"] = length.into();
        links.push(cable);
    }
    let hosts: Vec<Value> = names.map(|nth| json!({"name": format!("h{nth}")})).collect();
    let switches = ["s0", "s1"].map(|name| json!({"name": name, "ports": hosts.len() / 2 + cables}));
    json!({"format": "simnet-topology/1", "name": "two", "switches": switches, "hosts": hosts, "links": links})
        .to_string()
}

/// The networks that scenarios name.
fn networks() -> [(&'static str, String); 3] {
    [
        ("slow.json", two(2, 1, ("640 Mb/s", "2.5 m"))),
        ("long.json", two(1, 1, ("1.28 Gb/s", "1 km"))),
        ("parallel.json", two(4, 4, ("1.28 Gb/s", "2.5 m"))),
    ]
}

const STAR: &str = "topology.leaf-spine = { leaves = 1, spines = 0, hosts-per-switch = 8 }\n";
const CLOS: &str = "topology.leaf-spine = { leaves = 4, spines = 4, hosts-per-switch = 4 }\n";
const STOP_GO: &str = "fabric = { rate = '1.28 Gb/s', routing-latency = '10 ns', arbitration = 'per-input' }\n";
const CREDITS: &str = "fabric = { flow = 'credits', rate = '1.28 Gb/s', mtu = '256 B', buffer = '1 KiB', \
                       routing-latency = '10 ns' }\n";
const UPDOWN: &str = "routing.algorithm = 'updown'\n";
const UNIFORM: &str = "traffic.uniform = { payload = '256 B', loads = [0.05, 0.9] }\n";
const HOT: &str =
    "traffic.hot-spot = { payload = '256 B', loads = [0.05, 0.8], hosts = ['h1'], share = '50 %' }\n";

/// A scenario with one bottleneck: its name, its parts, and what it is named by: the kind of resource, and of a cable
/// its end.
type Bottleneck = (&'static str, Vec<&'static str>, (Resource, &'static str));

fn bottlenecks() -> Vec<Bottleneck> {
    let slow = "topology.file = 'slow.json'\n";
    let first = "routing = { algorithm = 'updown', select = 'first' }\n";
    let one_spine = "routing = { algorithm = 'updown', select = 'balanced', root = 's4' }\n";
    vec![
        ("a slow cable", vec![slow, STOP_GO, UPDOWN, UNIFORM], (Resource::Cable, "s0:2")),
        ("a slow cable, credits", vec![slow, CREDITS, UPDOWN, UNIFORM], (Resource::Cable, "s0:2")),
        (
            "decoding at a switch",
            vec![
                STAR,
                UPDOWN,
                "fabric.routing-latency = '550 ns'\n",
                "traffic.uniform = { payload = '16 B', loads = [0.001, 0.2] }\n",
            ],
            (Resource::Decoding, ""),
        ),
        (
            "decoding at an input",
            vec![
                STAR,
                UPDOWN,
                "fabric = { routing-latency = '1 us', arbitration = 'per-input' }\n",
                "traffic.permutation = { payload = '16 B', loads = [0.001, 0.5] }\n",
            ],
            (Resource::Decoding, ""),
        ),
        (
            "buffers under STOP and GO",
            vec![
                "topology.star = { leaves = 4, hosts-per-switch = 2 }\n",
                UPDOWN,
                "fabric = { rate = '1.28 Gb/s', routing-latency = '10 ns', arbitration = 'per-input', \
                 cable-length = '200 m', buffer = '400 B', stop = '60 B', go = '40 B' }\n",
                UNIFORM,
            ],
            (Resource::Buffers, ""),
        ),
        (
            "credits",
            vec![
                "topology.file = 'long.json'\n",
                UPDOWN,
                "fabric = { flow = 'credits', rate = '1.28 Gb/s', mtu = '256 B', buffer = '512 B', \
                 routing-latency = '10 ns' }\n",
                "traffic.permutation = { payload = '256 B', loads = [0.01, 0.9] }\n",
            ],
            (Resource::Buffers, ""),
        ),
        (
            "a hot route",
            vec!["topology.file = 'parallel.json'\n", STOP_GO, first, UNIFORM],
            (Resource::Routes, ""),
        ),
        ("a hot route, credits", vec![CLOS, CREDITS, first, UNIFORM], (Resource::Routes, "")),
        ("a hot host", vec![STAR, STOP_GO, UPDOWN, HOT], (Resource::Cable, "h1:0")),
        ("a hot host, credits", vec![STAR, CREDITS, UPDOWN, HOT], (Resource::Cable, "h1:0")),
        ("a root", vec![CLOS, STOP_GO, one_spine, UNIFORM], (Resource::Root, "")),
        ("a root, credits", vec![CLOS, CREDITS, one_spine, UNIFORM], (Resource::Root, "")),
    ]
}

/// The run of a scenario that is to be explained, as `explain` says.
fn run(rest: &str, explain: Explain) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in networks() {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text = format!("scenario = {{ name = 's', seed = 3 }}\n{rest}");
    let file = folder.path().join("s.toml");
    let checked = scenario::read(&file, text.as_bytes(), &Overrides::default());
    let mut checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    checked.output.explain = explain;
    simulation::run(&checked, &(), None).unwrap()
}

fn limits(run: &Run) -> Option<&Limits> {
    run.summary.stages().unwrap().limits.as_ref()
}

fn explained(rest: &str) -> Limits {
    let run = run(&format!("measure.messages = 2000\n{rest}"), Explain::Always);
    limits(&run).unwrap_or_else(|| panic!("{rest}")).clone()
}

/// Wrong if another resource than the known bottleneck were named first, or if it were named within chance.
#[test]
fn a_known_bottleneck_is_named_first() {
    let found = bottlenecks().into_iter().map(|(name, parts, expected)| {
        let limits = explained(&parts.concat());
        let first = &limits.lifted[0];
        let is_named = first.resource == expected.0
            && first.beyond_chance
            && first.gain_percent > Some(5.0)
            && [first.from.as_deref(), first.to.as_deref(), Some("")].contains(&Some(expected.1));
        (is_named, format!("{name}: {limits:#?}"))
    });
    let failed: Vec<String> = found.filter(|(is_named, _)| !is_named).map(|(_, text)| text).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
