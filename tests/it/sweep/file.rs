//! Sweep files: which points they describe, what points are known by, and every fault that they can have.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use simnet::scenario::checked::Traffic;
use simnet::scenario::sweep::{Sweep, is_sweep};
use simnet::scenario::{Files, Overrides, read_from};

use support_network::cases;

use crate::scenarios::meaning::{self, kept};

/// A scenario on a small network.
const BASE: &str = r#"
[scenario]
name = "base"
[topology.random-regular]
switches = 4
degree = 2
hosts-per-switch = 1
[routing]
algorithm = "updown"
[traffic.uniform]
payload = "64 B"
loads = [0.1]
"#;

fn sweep_with(text: &str, files: &[(&str, &str)], overrides: &Overrides) -> Result<Sweep, String> {
    Sweep::read("s.toml", text.as_bytes(), overrides, &kept(files), 1).map_err(|refusal| refusal.to_string())
}

/// The sweep over the base of these axes.
fn sweep(text: &str) -> Result<Sweep, String> {
    sweep_with(&format!("include = 'base.toml'\n{text}"), &[("base.toml", BASE)], &Overrides::default())
}

/// The values of all points, as text.
fn rows(sweep: &Sweep) -> Vec<String> {
    let row = |point| format!("{} #{}", sweep.values(point).join(" "), sweep.seed(point));
    (0..sweep.len()).map(row).collect()
}

/// What a point means: its scenario resolved, but for what a key does not see.
fn meaning(sweep: &Sweep, point: usize) -> String {
    meaning::meaning(sweep.checked(point).unwrap_or_else(|refusal| panic!("{refusal}")))
}

/// Wrong if points come in another order, or a range has other values.
#[test]
fn points_come_in_their_order() {
    let text = "sweep.repetitions = 2\nscenario.seed = 5\n\
        [[sweep.axes]]\ntraffic.uniform.loads = { from = '0.1', to = '0.3', step = '0.1' }\n\
        [[sweep.axes]]\nrouting.tree = ['bfs', 'dfs']\n'routing.select' = ['first', 'balanced']";
    let all = sweep(text).unwrap();
    assert_eq!(all.axes(), ["traffic.uniform.loads", "routing.tree", "routing.select"]);
    assert_eq!(
        rows(&all),
        [
            "0.1 bfs first #5",
            "0.1 bfs first #6",
            "0.1 dfs balanced #5",
            "0.1 dfs balanced #6",
            "0.2 bfs first #5",
            "0.2 bfs first #6",
            "0.2 dfs balanced #5",
            "0.2 dfs balanced #6",
            "0.3 bfs first #5",
            "0.3 bfs first #6",
            "0.3 dfs balanced #5",
            "0.3 dfs balanced #6",
        ]
    );
    let keys = all.keys(0..all.len());
    assert!((0..all.len()).all(|point| keys[point] == all.key(point)));
    let constraint = "not (routing.tree == 'dfs' and traffic.uniform.loads > 0.1)";
    let constraint = format!("sweep.constraints = [\"{constraint}\"]\nscenario.seed");
    let constrained = text.replace("scenario.seed", &constraint);
    assert_eq!(rows(&sweep(&constrained).unwrap()).len(), 8);
    let seeds = text.replace("repetitions = 2", "seeds = [9, 3]");
    assert_eq!(rows(&sweep(&seeds).unwrap())[1], "0.1 bfs first #3");
}

/// Wrong if the values of a range are rounded, lose their unit or miss an end.
#[test]
fn ranges_have_the_values_that_they_say() {
    for (key, range, wanted) in [
        ("traffic.uniform.loads", "from = 0.05, to = 0.2, step = 0.05", "0.05 0.1 0.15 0.2"),
        ("traffic.uniform.loads", "from = '0.01', to = '0.08', factor = '2'", "0.01 0.02 0.04 0.08"),
        ("traffic.uniform.loads", "from = 0.1, to = 0.9, points = 3", "0.1 0.5 0.9"),
        ("traffic.uniform.loads", "from = '0.001', to = '1', points = 4, scale = 'log'", "0.001 0.01 0.1 1"),
        ("measure.warmup", "from = '1 us', to = '1 ms', factor = 10", "1 us 10 us 100 us 1000 us"),
        ("measure.warmup", "from = '50 us', to = '0.1 ms', step = '25 us'", "50 us 75 us 100 us"),
        (
            "traffic.uniform.payload",
            "from = '64 B', to = '1 KiB', points = 3, scale = 'log'",
            "64 B 256 B 1024 B",
        ),
        ("measure.messages", "from = 1, to = 1000, points = 3, scale = 'log'", "1 32 1000"),
        ("fabric.go", "from = '40 B', to = '40 B', step = '1 B'", "40 B"),
        ("measure.precision", "from = '1 %', to = '3 %', step = '1 %'", "1 % 2 % 3 %"),
    ] {
        let one = sweep(&format!("sweep.axes = [{{ '{key}' = {{ {range} }} }}]")).unwrap();
        let values: Vec<String> = (0..one.len()).map(|point| one.values(point)[0].clone()).collect();
        assert_eq!(values.join(" "), wanted, "{range}");
        assert!((0..one.len()).all(|point| one.checked(point).is_ok()), "{range}");
    }
}

/// Wrong if the small version is not every fourth value and two seeds, or has the keys of the whole one.
#[test]
fn the_small_version_is_small() {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/sweep-random32.toml")).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/sweep-random32.toml");
    let whole = Sweep::read(file, &text, &Overrides::default(), &Files::disk(), 1).unwrap();
    let small = whole.quick();
    assert_eq!((whole.len(), small.len()), (400, 40));
    assert_ne!(whole.key(0), small.key(0));
    assert!(small.checked(39).unwrap().measure.extent != whole.checked(399).unwrap().measure.extent);
    assert!(small.cost(0) > 0.0 && whole.cost(399) > whole.cost(0));
}

/// Wrong if a scenario that only its axes make whole is refused, a profile or a table cannot vary, or a place in a list
/// cannot.
#[test]
fn any_key_can_vary() {
    let bare = "scenario.name = 'x'\nrouting.algorithm = 'updown'\ntopology.star.leaves = 3\ntopology.star.hosts-per-switch = 1\n\
        traffic.uniform.payload = '64 B'\n";
    let with = |axes: &str| sweep_with(&format!("{bare}{axes}"), &[], &Overrides::default());
    assert_eq!(with("sweep.axes = [{ traffic.uniform.loads = [0.1, 0.2] }]").unwrap().len(), 2);
    let profiles = "profiles.a.routing.tree = 'dfs'\nprofiles.b.fabric.go = '30 B'\n\
        sweep.axes = [{ profile = ['a', 'b'] }, { 'traffic.uniform.loads' = [[0.1, 0.2], 0.3] }]\n\
        sweep.constraints = ['fabric.go <= \"40 B\"']";
    let both = with(profiles).unwrap();
    assert_eq!(both.values(0), ["a", "[0.1, 0.2]"]);
    assert_ne!(both.key(1), both.key(3));
    let alone = with("routing.tree = 'dfs'\nsweep.axes = [{ traffic.uniform.loads = [0.3] }]").unwrap();
    assert_eq!(both.key(1), alone.key(0));
    let tables = "traffic.uniform.loads = [0.1]\nfailures = [{ host = 'h0', at = '1 us' }]\nsweep.axes = [\
        { routing = [{ algorithm = 'minimal' }, { algorithm = 'smart', tree = 'dfs' }] }, \
        { routing.select = ['first', 'balanced'] }, { 'failures.0.at' = ['2 us', '3 us'] }, \
        { topology.ring.switches = [3, 4] }]";
    let tables = with(tables);
    let refused = tables.as_ref().err().cloned().unwrap_or_default();
    assert!(refused.is_empty() || refused.contains("topology.ring"), "{refused}");
}

/// Wrong if a table of an axis replaced other keys of the file, a choice stayed that the table excludes, or
/// a constraint saw another value than the point has.
#[test]
fn tables_of_an_axis_are_laid_over_those_of_the_file() {
    let text = "scenario.name = 'x'\ntopology = { star = { leaves = 3, hosts-per-switch = 1 }, attach = { h0 = 0 } }\n\
        mapping = { mapper = 'h0', retries = 2, guarded = { burst = 4 }, algorithm = 'guarded' }\n\
        sweep.axes = [{ topology = [{ star.leaves = 4 }, { ring = { switches = 5, hosts-per-switch = 2 } }] }, \
        { mapping = [{}, { retries = 3 }, { guarded.confirm-no = 1 }] }, { mapping.guarded = [{}, { burst = 5 }] }]";
    let whole = sweep(text).unwrap();
    let mappings = |point: usize| whole.checked(point).unwrap().mapping().unwrap().clone();
    let hosts = |point: usize| whole.checked(point).unwrap().topology.network.hosts().len();
    assert_eq!((whole.len(), hosts(0), hosts(6)), (12, 4, 10));
    assert_eq!([0, 2, 4].map(|point| mappings(point).brief.retries), [2, 3, 2]);
    let options = [0, 3, 4, 5].map(|point| format!("{:?}", mappings(point).algorithm));
    let says = |nth: usize, what: &str| options[nth].contains(what);
    assert!(says(0, "burst: 4") && says(1, "burst: 5") && says(2, "burst: 4") && says(3, "burst: 5"));
    assert!(!says(0, "confirm_no: 1") && says(2, "confirm_no: 1") && says(3, "confirm_no: 1"), "{options:?}");
    let keys: std::collections::BTreeSet<_> = (0..12).map(|point| whole.key(point).to_hex()).collect();
    assert_eq!(keys.len(), 12);
    let some = sweep(&format!("{text}\nsweep.constraints = ['mapping.retries == 2']")).unwrap();
    assert_eq!(some.len(), 8);
}

/// Keys with their values, those of a row meaning the same; `-`: not given.
const SETTINGS: &[(&str, &[&[&str]])] = &[
    ("fabric.go", &[&["-", "'40 B'", "'0.04 KB'"], &["'30 B'"]]),
    ("fabric.stop", &[&["-", "'56 B'"], &["'50 B'", "'0.05 KB'"]]),
    ("fabric.routing-latency", &[&["-", "'150 ns'", "'0.15 us'"], &["'200 ns'"]]),
    ("fabric.deadlock-timeout", &[&["-", "'50 ms'", "'0.05 s'"], &["'never'"]]),
    ("fabric.bit-error-rate", &[&["-", "0", "0.0"], &["1e-9"]]),
    ("hosts.time-to-live", &[&["-"], &["'1 ms'", "'1000 us'"], &["'2 ms'"]]),
    ("hosts.send-overhead", &[&["-", "'15 us'"], &["'1 us'"]]),
    ("routing.tree", &[&["-", "'bfs'"], &["'dfs'"]]),
    ("routing.select", &[&["-", "'random'"], &["'first'"], &["'balanced'"]]),
    ("routing.root", &[&["'far'", "['far']"], &["'r1'"], &["'s1'", "['s1']"], &["['s1', 's2']"]]),
    ("measure.messages", &[&["-", "20000", "20_000"], &["1000"]]),
    ("measure.warmup", &[&["-", "'auto'"], &["'10 us'", "'0.01 ms'"]]),
    ("measure.find-saturation", &[&["-"], &["'2 %'", "0.02"], &["0.03"]]),
    ("traffic.uniform.arrivals", &[&["-", "'poisson'"], &["'constant'"], &["{ on = '1 us', off = '2 us' }"]]),
    ("traffic.uniform.payload", &[&["'64 B'"], &["'1 KiB'", "'1024 B'"]]),
    ("traffic.uniform.loads", &[&["[0.1]"], &["[0.1, 0.2]"], &["[1]", "[1.0]"]]),
    ("topology.random-regular.seed", &[&["-", "0"], &["3"]]),
    ("scenario.seed", &[&["-", "0"], &["7"]]),
    ("output.deliveries", &[&["-", "false"], &["true"]]),
];

fn pick<'a, T>(rng: &mut ChaCha8Rng, list: &'a [T]) -> &'a T {
    &list[rng.random_range(0..list.len())]
}

/// A sweep in which every setting stands somewhere: in the file, in one that it includes, in a profile or on an axis.
/// `chosen` gives the meaning of each.
fn drawn(rng: &mut ChaCha8Rng, chosen: &[usize]) -> (String, String) {
    let (mut own, mut included, mut axes) = (String::new(), String::new(), Vec::new());
    own += &format!("include = 'base.toml'\nprofile = 'p'\nscenario.name = 'x{}'\n", rng.random_range(0..9));
    if rng.random_range(0..2) == 0 {
        own += "scenario.description = 'some'\nexpect.outcome = 'drained'\n";
    }
    own += "profiles.p.hosts.nic-send-overhead = '0 us'\n";
    for ((key, rows), first) in SETTINGS.iter().zip(chosen) {
        let place = rng.random_range(0..6);
        if place == 0 && axes.len() < 3 {
            let count: usize = rng.random_range(1..=2);
            let different = (0..count.min(rows.len())).map(|nth| rows[(first + nth) % rows.len()]);
            let values = different.map(|row| row[rng.random_range(0..row.len())]);
            let values: Vec<&str> = values.filter(|value| *value != "-").collect();
            if !values.is_empty() {
                axes.push(format!("{{ '{key}' = [{}] }}", values.join(", ")));
                continue;
            }
        }
        match *pick(rng, rows[*first]) {
            "-" => {}
            value if place % 3 == 0 => own += &format!("{key} = {value}\n"),
            value if place % 3 == 1 => own += &format!("profiles.p.{key} = {value}\n"),
            value => included += &format!("{key} = {value}\n"),
        }
    }
    for nth in (1..axes.len()).rev() {
        axes.swap(nth, rng.random_range(0..=nth));
    }
    own += &format!("sweep.repetitions = 2\nsweep.axes = [{}]\n", axes.join(", "));
    let network = "topology.random-regular = { switches = 4, degree = 2, hosts-per-switch = 1 }\n";
    let network = network.replace("topology.random-regular = { ", "").replace(" }", "");
    let network: String =
        network.split(", ").map(|part| format!("topology.random-regular.{}\n", part.trim())).collect();
    (own, format!("{included}{network}routing.algorithm = 'updown'\n"))
}

/// Wrong if two points with one key mean different scenarios, or two that mean the same have different keys.
#[test]
fn keys_are_equal_where_points_mean_the_same() {
    let mut equal = 0;
    for seed in 0..cases(6_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut chosen: Vec<usize> =
            SETTINGS.iter().map(|(_, rows)| rng.random_range(0..rows.len())).collect();
        let mut read = |rng: &mut ChaCha8Rng| {
            // The other sweep differs in one meaning at most.
            let changed = rng.random_range(0..SETTINGS.len());
            chosen[changed] = rng.random_range(0..SETTINGS[changed].1.len());
            let (own, included) = drawn(rng, &chosen);
            let sweep = sweep_with(&own, &[("base.toml", &included)], &Overrides::default());
            sweep.unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}\n{own}\n{included}"))
        };
        let points: Vec<(blake3::Hash, String)> = (0..2)
            .flat_map(|_| {
                let sweep = read(&mut rng);
                (0..sweep.len()).map(|point| (sweep.key(point), meaning(&sweep, point))).collect::<Vec<_>>()
            })
            .collect();
        for (nth, (key, means)) in points.iter().enumerate() {
            for (other, also) in &points[..nth] {
                assert_eq!(key == other, means == also, "seed {seed}: {means} {also}");
                equal += u64::from(key == other);
            }
        }
    }
    assert!(equal > cases(6_000) / 2, "points that mean the same were met {equal} times only");
}

/// Wrong if a file counts by its name rather than by what is in it.
#[test]
fn files_count_by_their_contents() {
    let network = |name: &str| {
        format!(
            r#"{{"format": "simnet-topology/1", "name": "{name}", "switches": [{{"name": "s", "ports": 4}}],
            "hosts": [{{"name": "a"}}, {{"name": "b"}}],
            "links": [{{"a": "a", "a_port": 0, "b": "s", "b_port": 0}},
                {{"a": "b", "a_port": 0, "b": "s", "b_port": 1}}]}}"#
        )
    };
    let (one, other) = (network("n"), network("m"));
    let files = [("a.json", one.as_str()), ("d/b.json", one.as_str()), ("c.json", other.as_str())];
    let text = "scenario.name = 'x'\nrouting.algorithm = 'updown'\n\
        sweep.axes = [{ topology.file = ['a.json', 'd/b.json', 'c.json'] }]";
    let sweep = sweep_with(text, &files, &Overrides::default()).unwrap();
    assert_eq!(sweep.key(0), sweep.key(1));
    assert_ne!(sweep.key(0), sweep.key(2));
}

/// Wrong if a fault is missed, or reported at another place than where it is.
#[test]
fn faults_of_sweeps_have_their_place() {
    let cases: &[(&str, &[&str])] = &[
        ("fabric.goo = ['40 B']", &["unknown-key", "s.toml:4:8", "`go`"]),
        ("'fabrik.go' = ['40 B']", &["unknown-key", "s.toml:4:1", "`fabric`"]),
        ("fabric.go = []", &["empty-list", "s.toml:4:13"]),
        ("fabric.go = '3 B'", &["wrong-type", "s.toml:4:13"]),
        ("'fabric..go' = ['3 B']", &["syntax", "s.toml:4:1"]),
        (
            "fabric.go = { from = '3 B', to = '1 B', step = '1 B' }",
            &["empty-range", "s.toml:4:13", "backwards"],
        ),
        (
            "fabric.go = { from = '1 B', to = '3 B', step = '0 B' }",
            &["out-of-range", "s.toml:4:48", "above zero"],
        ),
        ("fabric.go = { from = '1 B', to = '3 B', step = '-1 B' }", &["out-of-range", "s.toml:4:48"]),
        (
            "fabric.go = { from = '1 B', to = '4 B', step = '2 B' }",
            &["empty-range", "never reaches", "\"3 B\""],
        ),
        (
            "fabric.go = { from = '1 B', to = '5 B', factor = 2 }",
            &["empty-range", "never reaches", "\"4 B\""],
        ),
        ("fabric.go = { from = '1 B', to = '4 ms', step = '2 B' }", &["unknown-unit", "s.toml:4:34"]),
        ("fabric.go = { from = '1 B', to = '4 B' }", &["not-a-range", "s.toml:4:13"]),
        ("fabric.go = { from = 'x', to = '4 B', points = 3 }", &["not-a-quantity", "s.toml:4:22"]),
        ("fabric.go = { from = '1 B', to = '4 B', points = 0 }", &["out-of-range", "s.toml:4:50"]),
        ("fabric.go = { from = '1 B', to = '4 B', points = 9 }", &["out-of-range", "only 4 are different"]),
        (
            "fabric.go = { from = '0 B', to = '4 B', points = 3, scale = 'log' }",
            &["out-of-range", "logarithm"],
        ),
        ("fabric.go = { from = 1, to = 4, step = 1 }", &["needs-unit", "s.toml:4:13"]),
        ("traffic.uniform.loads = { from = 0, to = 1e30, step = 1e-30 }", &["not-a-quantity"]),
        ("traffic.uniform.loads = { from = '0.1', to = '0.9', factor = '1.000000001' }", &["too-fine"]),
        ("scenario.seed = { from = 0, to = 1e20, step = 1 }", &["too-many-points"]),
        ("fabric.go = ['40 B', '30 B']\nfabric.stop = ['56 B']", &["lock-step", "s.toml:5:15"]),
        ("fabric.go = ['40 B']\n[[sweep.axes]]\n'fabric.go' = ['4 B']", &["duplicate-key", "s.toml:6:1"]),
        ("fabric.go = ['40 B', '60 B', 3]", &["out-of-range", "s.toml:4:22", "needs-unit", "s.toml:4:30"]),
        ("routing.tree = ['bfs', 'dsf']", &["unknown-choice", "s.toml:4:24", "`dfs`"]),
        ("topology.random-regular.degree = [2, 9]", &["out-of-range", "s.toml:4:"]),
        ("fabric.stop = ['50 B', '30 B']", &["at the point fabric.stop = 30 B", "out-of-range"]),
        ("failures.0.at = ['1 us']", &["wrong-type", "s.toml:4:1"]),
        ("sweep.repetitions = [1]", &["unknown-key", "cannot vary"]),
        ("profile = ['x']", &["unknown-profile", "s.toml:4:12"]),
        ("fabric = [3]", &["wrong-type", "s.toml:4:11"]),
    ];
    for (axes, wanted) in cases {
        let text = format!("include = 'base.toml'\n[sweep]\n[[sweep.axes]]\n{axes}\n");
        let files = [("base.toml", &*format!("{BASE}[fabric]\ngo = '40 B'\n"))];
        let refused = sweep_with(&text, &files, &Overrides::default()).unwrap_err();
        for part in *wanted {
            assert!(refused.contains(part), "{axes} lacks {part}: {refused}");
        }
    }
}

/// The same of what stands in the section itself.
#[test]
fn faults_of_the_section_have_their_place() {
    let cases: &[(&str, &[&str])] = &[
        ("repetitions = 0", &["out-of-range", "s.toml:3:15"]),
        ("repetitions = 2\nseeds = [1]", &["conflict", "s.toml:4:9"]),
        ("seeds = []", &["empty-list", "s.toml:3:9"]),
        ("seeds = [1, 2, 1]", &["conflict", "s.toml:3:16"]),
        ("vary = []", &["empty-list", "s.toml:3:8"]),
        ("vary = ['routing', 'routing']", &["conflict", "s.toml:3:20"]),
        ("vary = ['rooting']", &["unknown-choice", "s.toml:3:9", "`routing`"]),
        ("vary = 'routing'", &["wrong-type", "s.toml:3:8"]),
        (
            "vary = ['routing']\naxes = [{ routing = [{ select = 'first' }] }]",
            &["nothing-drawn", "s.toml:3:9"],
        ),
        ("columns = ['outcome', 'seed']", &["conflict", "s.toml:3:23", "`seed` already"]),
        ("axis = []", &["unknown-key", "s.toml:3:1", "`axes`"]),
        ("axes = [3]", &["wrong-type", "s.toml:3:9"]),
        ("axes = [{}]", &["empty-list", "s.toml:3:9"]),
        ("constraints = ['fabric.go < ']", &["syntax", "s.toml:3:29", "too early"]),
        ("constraints = [\"fabric.goo < \\\"3 B\\\"\"]", &["unknown-key", "s.toml:3:17", "`go`"]),
        ("constraints = [\"routing.tree == \\\"dsf\\\"\"]", &["unknown-choice", "s.toml:3:33", "`dfs`"]),
        ("constraints = ['fabric.go < 40']", &["not-comparable", "s.toml:3:17", "a bare number"]),
        ("constraints = ['fabric < 40']", &["not-comparable", "a table"]),
        ("constraints = ['fabric.go > fabric.stop', 'true']", &["no-points", "s.toml:3:16"]),
        ("constraints = ['scenario.seed > 3', 'scenario.seed < 2']", &["no-points", "s.toml:3:16"]),
        (
            "repetitions = 1000000\naxes = [{ measure.messages = { from = 1, to = 50, step = 1 } }]",
            &["too-many-points"],
        ),
    ];
    for (section, wanted) in cases {
        let refused = sweep(&format!("[sweep]\n{section}\n")).unwrap_err();
        for part in *wanted {
            assert!(refused.contains(part), "{section} lacks {part}: {refused}");
        }
    }
    let set = Overrides { set: vec!["fabric.go=3 B".to_owned()], seed: None };
    let text = "include = 'base.toml'\nsweep.axes = [{ fabric.go = ['40 B'] }]";
    let refused = sweep_with(text, &[("base.toml", BASE)], &set).unwrap_err();
    assert!(refused.contains("the axis `fabric.go` gives this already"), "{refused}");
    assert!(sweep("").unwrap_err().contains("missing-section"));
}

/// Wrong if the small form of a sweep had many loads or networks, or not the last load.
#[test]
fn the_small_form_has_few_loads_and_networks() {
    let loads = |loads: &str| {
        let small = sweep(&format!("traffic.uniform.loads = [{loads}]\n[sweep]\n")).unwrap().quick();
        match &small.checked(0).unwrap().stages().unwrap().traffic {
            Some(Traffic::Generated(generated)) => generated.loads.clone(),
            _ => panic!("uniform traffic"),
        }
    };
    assert_eq!(loads("0.1, 0.2, 0.3, 0.4"), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(loads("0.1, 0.2, 0.3, 0.4, 0.5, 0.6"), [0.2, 0.6]);
    let networks = "sweep.axes = [{ topology.random-regular.seed = { from = 3, to = 9, step = 1 } }]";
    assert_eq!(rows(&sweep(networks).unwrap().quick()), ["3 #0", "4 #0"]);
}

/// Wrong if a single scenario is taken for a sweep, or a sweep is run as a scenario.
#[test]
fn a_sweep_is_no_scenario() {
    let files = kept(&[("base.toml", BASE), ("swept.toml", "include = 'base.toml'\n[sweep]\n")]);
    let is = |text: &str, set: &[&str]| {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        is_sweep("s.toml", text.as_bytes(), &Overrides { set, seed: None }, &files)
    };
    let (including, broken) = ("include = 'swept.toml'\nscenario.name = 'x'\n", "sweep.axes = []\n= broken");
    assert!(is("[sweep]\n", &[]) && is(broken, &[]) && is(including, &[]));
    assert!(is("include = 'base.toml'\n", &["sweep.repetitions=2"]));
    assert!(
        !is("[other.sweep]", &[]) && !is("include = 'base.toml'\n", &[]) && !is("include = 'none.toml'", &[])
    );
    let text = b"include = 'base.toml'\n[sweep]\n";
    let refused = read_from("s.toml", text, &Overrides::default(), &files).unwrap_err().to_string();
    assert!(refused.contains("is-a-sweep"), "{refused}");
    assert_eq!(
        sweep_with(
            including,
            &[("base.toml", BASE), ("swept.toml", "include = 'base.toml'\n[sweep]\n")],
            &Overrides::default()
        )
        .unwrap()
        .len(),
        1
    );
}

/// Wrong if the first values alone break a constraint and the sweep is refused for it.
#[test]
fn only_points_that_are_kept_are_checked() {
    let text = "sweep.constraints = ['fabric.go < fabric.stop']\n\
        sweep.axes = [{ fabric.stop = ['40 B', '50 B'] }, { fabric.go = ['45 B', '30 B'] }]";
    assert_eq!(rows(&sweep(text).unwrap()), ["40 B 30 B #0", "50 B 45 B #0", "50 B 30 B #0"]);
}

/// Wrong if an example of docs/SCENARIO.md is refused.
#[test]
fn the_examples_of_the_documentation_are_fine() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SCENARIO.md")).unwrap();
    let part = page.split("## Includes and profiles").nth(1).unwrap();
    let part = part.split("\n## Files that a scenario names").next().unwrap();
    let blocks: Vec<&str> =
        part.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let name = |block: &&str| block.lines().next().unwrap().trim_start_matches("# ").to_owned();
    let named: Vec<(String, &str)> = blocks.iter().map(|block| (name(block), *block)).collect();
    let files: Vec<(&str, &str)> = named.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    assert_eq!(files.len(), 4);
    let files = kept(&files);
    for (name, text) in named.iter().filter(|(name, _)| name != "setup.toml") {
        let refused = if is_sweep(name, text.as_bytes(), &Overrides::default(), &files) {
            Sweep::read(name, text.as_bytes(), &Overrides::default(), &files, 1).err()
        } else {
            read_from(name, text.as_bytes(), &Overrides::default(), &files).err()
        };
        assert!(refused.is_none(), "{name}: {}", refused.unwrap());
    }
}

/// Sweep files with bytes changed, removed and doubled: the reader answers, and never panics.
#[test]
fn no_text_makes_the_reader_of_sweeps_panic() {
    let whole = "include = 'base.toml'\nprofile = 'p'\n[profiles.p]\nextends = 'q'\nfabric.go = '30 B'\n[profiles.q]\n\
        [sweep]\nrepetitions = 2\nconstraints = [\"fabric.go < fabric.stop and not (routing.tree in ['dfs'])\"]\n\
        [[sweep.axes]]\ntraffic.uniform.loads = { from = '0.1', to = '0.4', step = '0.1' }\n\
        [[sweep.axes]]\nmeasure.warmup = { from = '1 us', to = '1 ms', points = 4, scale = 'log' }\n\
        [[sweep.axes]]\nrouting.tree = ['bfs', 'dfs']\n'routing.select' = ['first', 'balanced']\n";
    assert!(sweep(&whole["include = 'base.toml'\n".len()..]).is_ok());
    for seed in 0..cases(10_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut text = whole.as_bytes().to_vec();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..text.len());
            match rng.random_range(0..4) {
                0 => text[at] = *pick(&mut rng, b"0123456789.'\"[]{}=<> -,#\n"),
                1 => drop(text.remove(at)),
                2 => {
                    let end = rng.random_range(at..text.len().min(at + 30));
                    let piece = text[at..end].to_vec();
                    text.splice(at..at, piece);
                }
                _ => text.insert(at, *pick(&mut rng, b"9e-_.'\\")),
            }
        }
        let files = kept(&[("base.toml", BASE)]);
        if let Ok(sweep) = Sweep::read("s.toml", &text, &Overrides::default(), &files, 1) {
            assert!(!sweep.is_empty());
            let _ = (
                sweep.key(0),
                sweep.values(sweep.len() - 1),
                sweep.checked(sweep.len() - 1),
                sweep.quick().len(),
            );
        }
    }
}
