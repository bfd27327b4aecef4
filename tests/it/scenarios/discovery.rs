//! Scenarios of discoveries: a run is measuring and inferring called by hand, Fig. 6 gives Fig. 8, what is slow is
//! named, what is wrong is reported.

use std::fs;
use std::path::Path;

use serde_json::Value;
use simnet::discovery::{Clustering, Intra, Options, Rtts, discover};
use simnet::ethernet::transport::{DATAGRAM_HEADER, Datagram};
use simnet::host::rtt::{Plan, Schedule};
use simnet::ids::HostId;
use simnet::papers::reference;
use simnet::scenario::checked::Work;
use simnet::scenario::discovery::{Discovery, Method, Source};
use simnet::scenario::sweep::Sweep;
use simnet::scenario::{Checked, Files, Overrides, read};
use simnet::simulation::rtt::{self, Job};
use simnet::simulation::{self, Findings, MODEL, Run, ranks};
use simnet::sweep::{Scenarios, evaluate, run_together};
use simnet::units::{Bytes, Duration};

use support_network::cases;

fn checked(text: &str) -> Checked {
    read("s.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

fn run(text: &str) -> Run {
    simulation::run(&checked(text), &(), None).unwrap()
}

fn summary(text: &str) -> Value {
    serde_json::to_value(&run(text).summary).unwrap()
}

fn file<'a>(run: &'a Run, name: &str) -> &'a str {
    let found = run.files.iter().find(|(other, _)| other == name);
    &found.unwrap_or_else(|| panic!("no {name}")).1
}

const CHAIN: &str =
    "[scenario]\nname = 's'\nseed = 7\n[topology.chain]\nswitches = 3\nhosts-per-switch = 2\n";
const FAST: &str = "[ethernet]\nrate = '1 Gb/s'\n";
/// Costs of about those that lawrence2008 shows, and a little jitter.
const COSTS: &str = "[discovery.software]\nsend = '20 us'\nreceive = '20 us'\npause = '10 us'\n\
                     [discovery.noise]\njitter = '2 %'\n";

/// Wrong if what a scenario says reached the measurement otherwise than as it says it, or a matrix that is kept were
/// not the one that was measured, to the picosecond.
#[test]
fn a_cell_is_the_measurement_called_by_hand() {
    let text = format!(
        "{CHAIN}{FAST}[discovery]\nsamples = 5\nat-once = 3\nnoise-percent = 50\nmethods = ['paper']\n{COSTS}"
    );
    let ran = run(&text);
    let checked = checked(&text);
    let topology = &checked.topology;
    let Work::Discovery(Discovery { source: Source::Measured(ethernet), .. }) = &checked.work else {
        panic!()
    };
    let parameters = ethernet.parameters(&topology.network, None);
    let costs = ranks::Overheads {
        send: Duration::from_us(20),
        receive: Duration::from_us(20),
        ..ranks::Overheads::default()
    };
    let mut medium =
        Datagram::new(&topology.network, &parameters, &topology.attachments, DATAGRAM_HEADER, ()).unwrap();
    medium.introduce_all();
    let job = Job {
        machines: (0..6).map(HostId::new).collect(),
        names: topology.network.hosts().iter().map(|host| host.name.clone()).collect(),
        plan: Plan { first: 5, schedule: Schedule::AtOnce(3), ..Plan::default() },
        software: ranks::Software {
            short: costs,
            long: costs,
            short_up_to: Bytes(u64::MAX),
            jitter: 10,
            ..ranks::Software::default()
        },
        pause: Duration::from_us(10),
        noise: rtt::Noise {
            outlier_mean: Duration::from_us(100),
            drift_period: Duration::from_ms(1_000),
            background_message: Bytes(1_400),
            ..rtt::Noise::default()
        },
        paces: Vec::new(),
        seed: 7,
    };
    let outcome = rtt::run(&mut medium, &job).unwrap();
    assert_eq!(file(&ran, "rtt.csv"), outcome.rtts.unwrap().to_csv());
    let Findings::Discovery(report) = ran.summary.findings else { panic!() };
    let time = (outcome.measuring + outcome.gathering).as_ms_f64() / 1e3;
    let measured = report.measured;
    assert_eq!(measured.rtt_s, Some(time));
    assert_eq!((measured.machines, measured.switches, measured.complete), (6, 3, true));
    assert!(report.methods[&Method::Paper].recovered);
}

/// Wrong if the rate, the pairs at once or the amount of noise did not reach the measurement, or a method were not
/// asked.
#[test]
fn what_a_scenario_says_tells_in_the_times() {
    let of = |rate: &str, more: &str| {
        let ethernet = format!("[ethernet]\nrate = '{rate}'\n");
        let methods = "methods = ['paper', 'k-means', 'sturdy']\nsamples = 4\n";
        let found =
            summary(&format!("{CHAIN}{ethernet}[discovery]\n{methods}{more}{COSTS}"))["discovery"].take();
        assert_eq!(found["methods"].as_object().unwrap().len(), 3);
        assert_eq!(found["all_recovered"], true, "{found}");
        found
    };
    let seconds = |found: &Value| found["total_s"].as_f64().unwrap();
    let (slow, fast) = (of("100 Mb/s", ""), of("1 Gb/s", ""));
    assert!(seconds(&slow) > 2.0 * seconds(&fast), "{slow}, {fast}");
    let together = of("1 Gb/s", "at-once = 3\n");
    assert!(seconds(&together) < 0.5 * seconds(&fast), "{together}, {fast}");
    let quiet = of("1 Gb/s", "noise-percent = 0\n");
    let class = &quiet["true_classes"][0];
    assert_eq!(class["low_ms"], class["high_ms"], "without noise all times over one switch are alike");
    assert_ne!(fast["true_classes"][0]["low_ms"], fast["true_classes"][0]["high_ms"]);
}

/// Wrong if a sweep's columns were not those of the runs, or did not have the matrix that a run has.
#[test]
fn a_matrix_is_columns_of_a_sweep() {
    let text = format!(
        "{CHAIN}{FAST}[discovery]\nsamples = 4\nkeep-matrices = true\n{COSTS}[sweep]\nrepetitions = 2\n"
    );
    let files = Files::disk();
    let sweep = Sweep::read("s.toml", text.as_bytes(), &Overrides::default(), &files, MODEL).unwrap();
    let plan = Scenarios::new(sweep);
    let evaluated = evaluate(&plan, run_together(&plan, || ()));
    let found = serde_json::to_value(&evaluated.summary).unwrap();
    let alone = run(&text.split("[sweep]").next().unwrap().replace("seed = 7", "seed = 8"));
    let rtts = Rtts::read("rtt.csv", file(&alone, "rtt.csv").as_bytes()).unwrap();
    for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
        let kept = &found["sweep"]["points"][1]["discovery"]["rtt_ms"][from.to_string()][to.to_string()];
        assert_eq!(kept.as_f64(), Some(rtts.get(from, to).as_ms_f64()));
    }
}

/// Wrong if an Ethernet with loops were judged by another tree than the one on which frames travel, or a branch without
/// machines counted.
#[test]
fn the_truth_is_the_elected_tree() {
    let torus = "[scenario]\nname = 's'\n[topology.torus]\nx = 3\ny = 3\nhosts-per-switch = 2\n";
    let found = summary(&format!("{torus}{FAST}[discovery]\nsamples = 3\n{COSTS}"))["discovery"].take();
    assert_eq!(found["switches"], 9);
    for method in ["paper", "sturdy"] {
        let result = &found["methods"][method];
        assert_eq!((&result["recovered"], &result["switches"]), (&true.into(), &9.into()), "{result}");
    }
    let other = summary(&format!(
        "{torus}{FAST}priorities = {{ s4 = 4096 }}\n[discovery]\nsamples = 3\nmethods = ['paper']\n{COSTS}"
    ));
    let other = &other["discovery"];
    assert_eq!(other["methods"]["paper"]["recovered"], true);
    assert_ne!(found["true_classes"], other["true_classes"], "another root is another tree");
}

/// Wrong if a matrix from elsewhere were taken for something else, if its classes were not those that the paper prints,
/// or if the literal reading of the paper's text did not make one class of all.
#[test]
fn fig6_gives_fig8() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lawrence2008/fig6.toml");
    let text = fs::read(&path).unwrap();
    let checked = read(path.to_str().unwrap(), &text, &Overrides::default()).unwrap();
    let ran = simulation::run(&checked, &(), None).unwrap();
    let found = serde_json::to_value(&ran.summary).unwrap();
    let methods = &found["discovery"]["methods"];
    assert_eq!((&methods["paper"]["recovered"], &methods["paper"]["switches"]), (&true.into(), &3.into()));
    assert_eq!(methods["paper-range"]["classes"].as_array().unwrap().len(), 1);
    let kept = Rtts::read("kept.csv", file(&ran, "rtt.csv").as_bytes()).unwrap();
    let given = fs::read(path.with_file_name("fig6.csv")).unwrap();
    assert_eq!(kept, Rtts::read("fig6.csv", &given).unwrap());
    let options = Options { clustering: Clustering::Paper(Intra::HalfRange), ..Options::default() };
    let found = discover(&kept, &options);
    assert_eq!(found.tree.unwrap().switches, 3);
    for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        let printed = reference("003", "Fig8", "hop count", &format!("machine {from} to {to}"));
        assert_eq!(printed, Some(f64::from(found.counted.hops.between(from, to))));
    }
}

/// Wrong if constants of computing were not counted, or counted per machine instead of per round-trip time.
#[test]
fn computing_is_a_constant_of_the_scenario() {
    let compute = "[discovery.compute]\nclustering = '5 ms'\nclustering-per-rtt = '10 us'\ntree = '4 ms'\n\
                   tree-per-rtt = '1 us'\n";
    let found = summary(&format!("{CHAIN}{FAST}[discovery]\nsamples = 3\n{COSTS}{compute}"));
    let measured = &found["discovery"];
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&measured["clustering_s"]) - 0.0053).abs() < 1e-9, "{measured}");
    assert!((number(&measured["tree_s"]) - 0.00403).abs() < 1e-9, "{measured}");
    let whole = number(&measured["rtt_s"]) + 0.0053 + 0.00403;
    assert!((number(&measured["total_s"]) - whole).abs() < 1e-9);
    let share = number(&measured["rtt_s"]) / whole;
    assert!((number(&measured["rtt_share"]) - share).abs() < 1e-9);
}

/// Wrong if a machine's pace were not that of its software, either way, or touched another machine; or if an inference
/// that makes no tree of it stopped the run.
#[test]
fn a_pace_is_that_of_one_machine() {
    let pace = "[[discovery.paces]]\nmachine = 'h3'\ntakes = 1.3\n";
    let quiet = COSTS.replace("jitter = '2 %'", "jitter = '0 %'");
    let ran = run(&format!("{CHAIN}{FAST}[discovery]\nsamples = 5\n{quiet}{pace}"));
    let rtts = Rtts::read("rtts.csv", file(&ran, "rtt.csv").as_bytes()).unwrap();
    let machine = |name: &str| rtts.names().iter().position(|other| other == name).unwrap();
    let us = |from: &str, to: &str| rtts.get(machine(from), machine(to)).as_ns_f64() / 1e3;
    // h2 and h3 share a switch, as h0 and h1 do; a round trip has a send and a receive of 20 us at either end.
    for (slow, usual) in [(us("h2", "h3"), us("h0", "h1")), (us("h3", "h2"), us("h1", "h0"))] {
        assert!((slow - usual - 0.3 * 40.0).abs() < 0.01, "{slow} us, usually {usual}");
    }
    assert!((us("h4", "h5") - us("h0", "h1")).abs() < 0.01);
    assert!(matches!(ran.summary.findings, Findings::Discovery(report) if report.methods.len() == 2));
}

/// Wrong if a measurement whose results never reach machine 0 hung, hid its losses or came to a tree.
#[test]
fn losses_leave_no_matrix_and_are_told() {
    let text = format!(
        "{CHAIN}{FAST}buffer = '2 KB'\n[discovery]\nsamples = 3\nat-once = 3\n{COSTS}background = '55 %'\n"
    );
    let found = summary(&text);
    let measured = &found["discovery"];
    assert_eq!((&measured["complete"], &measured["total_s"]), (&false.into(), &Value::Null), "{measured}");
    assert!(measured["messages_lost"].as_u64() > Some(0), "{measured}");
    assert!(measured["lost"][0].as_str().unwrap().contains(" > "), "{measured}");
    let result = &measured["methods"]["paper"];
    assert_eq!((&result["recovered"], &result["without_tree"]), (&false.into(), &true.into()));
    assert_eq!(found["outcome"], "horizon");
}

/// Wrong if the number of threads or a second run changed a byte.
#[test]
fn running_is_a_function() {
    let text = format!("{CHAIN}{FAST}[discovery]\nsamples = 4\n{COSTS}");
    let one = run(&text);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let two = pool.install(|| run(&text));
    assert_eq!(one.files, two.files);
    assert_eq!(serde_json::to_value(&one.summary).unwrap(), serde_json::to_value(&two.summary).unwrap());
}

/// Wrong if a cluster of the paper were not recovered at both speeds, whatever the seed, with the noise of its
/// machines; `results/lawrence2008/seeds` has a hundred seeds.
#[test]
fn the_clusters_of_the_paper_are_recovered() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lawrence2008/setup.toml");
    let text = fs::read(&path).unwrap();
    for seed in 0..cases(20) {
        for (topology, rate) in
            (1..=5).flat_map(|topology| ["100 Mb/s", "1 Gb/s"].map(|rate| (topology, rate)))
        {
            let set = [format!("topology.preset='lawrence-{topology}'"), format!("ethernet.rate='{rate}'")];
            let overrides = Overrides { set: set.to_vec(), seed: Some(2_000 + seed) };
            let checked = read(path.to_str().unwrap(), &text, &overrides).unwrap();
            let findings = simulation::run(&checked, &(), None).unwrap().summary.findings;
            let Findings::Discovery(report) = findings else { panic!() };
            assert!(report.all_recovered, "seed {seed}, {set:?}");
            let (settled, most) =
                (report.measured.settled_first_share.unwrap(), report.measured.samples_most.unwrap());
            assert!(settled > 0.98 && most <= 104, "seed {seed}, {set:?}: {settled}, {most}");
        }
    }
}

/// Wrong if equal scenarios hashed differently, or a matrix or a noise did not count.
#[test]
fn equal_scenarios_hash_equally() {
    let text = |more: &str| format!("{CHAIN}{FAST}[discovery]\n{more}{COSTS}");
    let hash = |more: &str| checked(&text(more)).identity;
    assert_eq!(hash(""), hash("threshold = '3.0 %'\nat-once = 1\n"));
    for more in ["threshold = '3.1 %'\n", "at-once = 2\n", "methods = ['paper']\n", "noise-percent = 99\n"] {
        assert_ne!(hash(""), hash(more), "{more}");
    }
}
