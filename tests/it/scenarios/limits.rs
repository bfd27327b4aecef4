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
    let mut links: Vec<Value> =
        names.clone().map(|nth| link(format!("h{nth}"), 0, ["s0", "s1"][nth / hosts], nth % hosts)).collect();
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
const STOP_GO: &str =
    "fabric = { rate = '1.28 Gb/s', routing-latency = '10 ns', arbitration = 'per-input' }\n";
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
    seeded(3, rest, explain)
}

fn seeded(seed: u64, rest: &str, explain: Explain) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in networks() {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text = format!("scenario = {{ name = 's', seed = {seed} }}\n{rest}");
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

/// Spans that are given, so that a short run is the load point itself.
const GIVEN: &str = "measure = { warmup = '300 us', duration = '500 us' }\n\
                     traffic.uniform = { payload = '256 B', loads = [0.9] }\n";

/// Wrong if the interval of a pipeline of headers were not lifted by itself, or were where it is a cycle already.
#[test]
fn an_interval_is_lifted_alone() {
    let text = |interval: &str| {
        format!(
            "{STAR}{UPDOWN}fabric = {{ routing-latency = '1 us', arbitration = 'per-input', routing-interval = \
             '{interval}' }}\nmeasure = {{ warmup = '300 us', duration = '100 us' }}\n\
             traffic.uniform = {{ payload = '16 B', loads = [0.5] }}\n"
        )
    };
    let lifted = |interval: &str| -> Vec<Lifted> {
        let limits = limits(&run(&text(interval), Explain::Always)).unwrap().clone();
        limits.lifted.into_iter().filter(|lifted| lifted.made == "one every 6.25 ns at an input").collect()
    };
    let [interval] = &lifted("500 ns")[..] else { panic!("one of them") };
    let found = interval.accepted_flits_per_cycle_per_host.unwrap();
    let by_hand = accepted(&text("6.25 ns"));
    assert!((found - by_hand).abs() < 1e-12 && interval.beyond_chance, "{by_hand} {interval:?}");
    assert_eq!(lifted("6.25 ns"), []);
}

/// What is accepted on the mean of the seeds that a short run has, by plain runs.
fn accepted(rest: &str) -> f64 {
    let of_seed =
        |seed: u64| seeded(seed, rest, Explain::Never).summary.points()[0].accepted_flits_per_cycle_per_host;
    (3..6).map(of_seed).sum::<f64>() / 3.0
}

fn of(limits: &Limits, resource: Resource) -> &Lifted {
    limits.lifted.iter().find(|lifted| lifted.resource == resource).unwrap()
}

/// Wrong if a resource were lifted otherwise than as it says: keys changed by hand come to the same, to the bit.
#[test]
fn a_lifting_is_what_its_keys_do_by_hand() {
    let routed =
        |root: &str| format!("routing = {{ algorithm = 'updown', select = 'balanced', root = '{root}' }}\n");
    let fabric = |latency: &str, buffers: &str| {
        format!("fabric = {{ rate = '1.28 Gb/s', routing-latency = '{latency}', {buffers} }}\n")
    };
    let usual = "arbitration = 'serial', buffer = '108 B', stop = '56 B', go = '40 B'";
    let text = |fabric: String, root: &str| format!("{CLOS}{GIVEN}{}{fabric}", routed(root));
    let own = text(fabric("300 ns", usual), "s4");
    let limits = limits(&run(&own, Explain::Always)).unwrap().clone();
    let is = |found: Option<f64>, text: &str| {
        assert!((found.unwrap() - accepted(text)).abs() < 1e-12, "{found:?} {}\n{limits:#?}", accepted(text));
    };
    is(Some(limits.accepted_flits_per_cycle_per_host), &own);
    let decoding = of(&limits, Resource::Decoding);
    assert_eq!(decoding.made, "6.25 ns a head, at every input");
    let at_once = usual.replace("serial", "per-input");
    is(decoding.accepted_flits_per_cycle_per_host, &text(fabric("6.25 ns", &at_once), "s4"));
    let buffers = of(&limits, Resource::Buffers);
    assert_eq!(buffers.made, "262 B at a port, STOP at 259 B, GO at 243 B");
    let ample = "arbitration = 'serial', buffer = '262 B', stop = '259 B', go = '243 B'";
    is(buffers.accepted_flits_per_cycle_per_host, &text(fabric("300 ns", ample), "s4"));
    let root = of(&limits, Resource::Root);
    assert_eq!(root.made, "updown from roots s4 and 3 more, balanced");
    is(root.accepted_flits_per_cycle_per_host, &text(fabric("300 ns", usual), "spines"));
}

/// Wrong if a resource were lifted that is not there, or anything where no load is known to be saturated.
#[test]
fn nothing_is_lifted_that_is_not_there() {
    let kinds = |limits: &Limits| limits.lifted.iter().map(|lifted| lifted.resource).collect::<Vec<_>>();
    let fast = "fabric = { rate = '1.28 Gb/s', routing-latency = '6.25 ns', arbitration = 'per-input', \
                buffer = '600 B', stop = '500 B', go = '400 B' }\n";
    let ample = explained(&[STAR, UPDOWN, fast, HOT].concat());
    assert_eq!(kinds(&ample), [Resource::Cable], "{ample:#?}");
    let credits = "fabric = { flow = 'credits', rate = '1.28 Gb/s', mtu = '256 B', buffer = '16 KiB', \
                   routing-latency = '6.25 ns' }\n";
    let ample = explained(&[STAR, UPDOWN, credits, HOT].concat());
    assert_eq!(kinds(&ample), [Resource::Cable], "{ample:#?}");
    let slow = "hosts = { nic-send-overhead = '20 us' }\n";
    let hosts = explained(&[STAR, UPDOWN, fast, slow, UNIFORM].concat());
    assert_eq!(
        (hosts.lifted[0].resource, hosts.lifted[0].was.as_str()),
        (Resource::Interfaces, "20 us to set up a message")
    );

    let light = "traffic.uniform = { payload = '256 B', loads = [0.02, 0.05] }\n";
    let carried = explained(&[STAR, STOP_GO, UPDOWN, light, "measure.precision = 0.5\n"].concat());
    assert_eq!((carried.load, carried.runs, carried.lifted.len()), (0.05, 0, 0), "{carried:#?}");
    assert!(limits(&run(&[STAR, STOP_GO, UPDOWN, HOT].concat(), Explain::Never)).is_none());
}

/// Wrong if the short runs were run unasked where they take more than a fifth of their load, were not where they take
/// less, or came to something else then.
#[test]
fn what_is_cheap_is_explained_unasked() {
    let text = |messages: u64| {
        let slow = "fabric = { routing-latency = '1 us', arbitration = 'per-input' }\n";
        let traffic = "traffic.permutation = { payload = '16 B', loads = [0.5] }\n";
        let measure = format!("measure = {{ warmup = '25 us', messages = {messages} }}\n");
        [STAR, slow, UPDOWN, traffic, &measure].concat()
    };
    assert!(limits(&run(&text(500_000), Explain::IfCheap)).is_none());
    let (unasked, asked) = (run(&text(1_000_000), Explain::IfCheap), run(&text(1_000_000), Explain::Always));
    assert_eq!(limits(&unasked).unwrap().lifted[0].resource, Resource::Decoding);
    assert_eq!((limits(&unasked), &unasked.files), (limits(&asked), &asked.files));
    assert!(unasked.files.iter().any(|(name, _)| name == "limits.csv"));
}

/// Wrong if the number of threads moved a bit.
#[test]
fn threads_change_nothing() {
    let text =
        [CLOS, STOP_GO, "routing.algorithm = 'updown'\n", UNIFORM, "measure.messages = 1000\n"].concat();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let run = pool.install(|| run(&text, Explain::Always));
        (serde_json::to_string(&run.summary).unwrap(), run.files, run.events)
    };
    assert_eq!(with(1), with(4));
}

/// The keys of `limits` in `summary.json`, and of a resource that was lifted.
#[test]
fn the_keys_are_these() {
    let run = run(&["measure.messages = 1000\n", STAR, STOP_GO, UPDOWN, HOT].concat(), Explain::Always);
    let summary = serde_json::to_value(&run.summary).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&summary["limits"]),
        "accepted_flits_per_cycle_per_host lifted load offered_flits_per_cycle_per_host runs state"
    );
    assert_eq!(
        keys(&summary["limits"]["lifted"][0]),
        "accepted_flits_per_cycle_per_host beyond_chance carried from gain_half_width_percent gain_percent made \
         resource to was"
    );
}

/// Wrong if `--explain` were taken in vain where there are no loads.
#[test]
fn explain_is_refused_without_loads() {
    let folder = tempfile::tempdir().unwrap();
    let ring = "topology.ring = { switches = 4, hosts-per-switch = 2 }\n";
    let trace = "message,time_ns,source,destination,payload_bytes\na,0,h0,h1,32\n";
    std::fs::write(folder.path().join("t.csv"), trace).unwrap();
    let cases = [
        ("mapping = { mapper = 'h0' }", "has no loads in [traffic]"),
        ("ethernet.rate = '1 Gb/s'\nallgather = { algorithm = 'ring', size = '1 KiB' }", "has no loads"),
        ("routing.algorithm = 'updown'\ntraffic.trace.file = 't.csv'", "has no loads"),
        (
            "routing.algorithm = 'updown'\ntraffic.uniform = { payload = '32 B', loads = [0.1] }\n\
             [[sweep.axes]]\nfabric.buffer = ['108 B', '200 B']",
            "describes a sweep",
        ),
    ];
    for (rest, expected) in cases {
        let file = folder.path().join("s.toml");
        std::fs::write(&file, format!("scenario = {{ name = 's' }}\n{ring}{rest}\n")).unwrap();
        let out = folder.path().join("out");
        let ended =
            crate::simnet(&["run", file.to_str().unwrap(), "--explain", "--out", out.to_str().unwrap()]);
        let err = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code() == Some(2) && err.contains(expected), "{rest}: {err}");
        assert!(!out.exists());
    }
}
