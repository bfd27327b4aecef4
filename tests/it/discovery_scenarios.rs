//! Scenarios of discoveries: cells are measuring and inferring called by hand, Fig. 6 gives Fig. 8, what is slow is
//! named, what is wrong is told.

use std::fs;
use std::path::Path;

use serde_json::Value;
use simnet::discovery::{Clustering, Intra, Options, Rtts, discover};
use simnet::ethernet::transport::{DATAGRAM_HEADER, Datagram};
use simnet::ids::HostId;
use simnet::scenario::{Checked, Overrides, read};
use simnet::simulation::rtt::{self, Job};
use simnet::simulation::{self, Run, ranks};
use simnet::units::{Bytes, Duration};

use crate::support::cases;

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

/// The item of an id in a list of `discovery`.
fn item<'a>(summary: &'a Value, list: &str, id: &str) -> &'a Value {
    let items = summary["discovery"][list].as_array().unwrap();
    items.iter().find(|item| item["id"] == id).unwrap_or_else(|| panic!("no {id} in {items:?}"))
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
    let text = format!("{CHAIN}{FAST}[discovery]\nsamples = 5\nexecutions = 2\nmethods = ['paper']\n{COSTS}");
    let ran = run(&text);
    let checked = checked(&text);
    let discovery = checked.discovery.as_ref().unwrap();
    let topology = &checked.topology;
    let parameters = checked.ethernet.as_ref().unwrap().parameters(&topology.network, None);
    let costs = ranks::Overheads {
        send: Duration::from_us(20),
        receive: Duration::from_us(20),
        ..ranks::Overheads::default()
    };
    let mut total = 0.0;
    for seed in [7, 8] {
        let mut medium =
            Datagram::new(&topology.network, &parameters, &topology.attachments, DATAGRAM_HEADER, ())
                .unwrap();
        medium.introduce_all();
        let job = Job {
            machines: (0..6).map(HostId::new).collect(),
            names: topology.network.hosts().iter().map(|host| host.name.clone()).collect(),
            plan: discovery.plan,
            software: ranks::Software {
                short: costs,
                long: costs,
                short_up_to: Bytes(u64::MAX),
                jitter: 20,
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
            seed,
        };
        let outcome = rtt::run(&mut medium, &job).unwrap();
        total += (outcome.measuring + outcome.gathering).as_ms_f64() / 1e3;
        let rtts = outcome.rtts.unwrap();
        if seed == 7 {
            assert_eq!(file(&ran, "rtt-chain-3.csv"), rtts.to_csv());
        }
    }
    let told = serde_json::to_value(&ran.summary).unwrap();
    let measured = item(&told, "measurements", "chain-3");
    let mean = measured["rtt_s"]["mean"].as_f64().unwrap();
    assert!((mean / (total / 2.0) - 1.0).abs() < 1e-12, "{mean} is not {}", total / 2.0);
    assert_eq!(
        (&measured["machines"], &measured["switches"], &measured["complete"]),
        (&6.into(), &3.into(), &2.into())
    );
    assert_eq!(item(&told, "results", "chain-3/paper")["recovered"], 2);
}

/// Wrong if an axis were left out, or its values not run; rates, pairs at once, noise and methods all vary.
#[test]
fn every_combination_is_measured_and_every_method_asked() {
    let text = format!(
        "{CHAIN}{FAST}[discovery]\nnetworks = [{{ preset = 'lawrence-fig1' }}]\nrates = ['100 Mb/s', '1 Gb/s']\n\
         at-once = [1, 3]\nnoise-percent = [0, 100]\nsamples = 4\nmethods = ['paper', 'k-means', 'sturdy']\n{COSTS}"
    );
    let ran = run(&text);
    let told = serde_json::to_value(&ran.summary).unwrap();
    let count = |list: &str| told["discovery"][list].as_array().unwrap().len();
    assert_eq!([count("measurements"), count("results"), count("shares")], [16, 48, 24]);
    let seconds = |id: &str| item(&told, "measurements", id)["total_s"]["mean"].as_f64().unwrap();
    let slow = seconds("chain-3/100000000/at-once-1/noise-0");
    let fast = seconds("chain-3/1000000000/at-once-1/noise-0");
    assert!(slow > 2.0 * fast, "{slow} at 100 Mb/s, {fast} at 1 Gb/s");
    let together = seconds("chain-3/1000000000/at-once-3/noise-0");
    assert!(together < 0.5 * fast, "three pairs at once take {together}, one {fast}");
    let share = item(&told, "shares", "sturdy/1000000000/at-once-1/noise-0");
    assert_eq!((&share["executions"], &share["recovered"]), (&2.into(), &2.into()));
    assert_eq!(file(&ran, "discovery.csv").lines().count(), 49);
    assert_eq!(file(&ran, "phases.csv").lines().count(), 17);
    for figure in ["shares.svg", "shares-at-once.svg"] {
        assert!(file(&ran, figure).starts_with("<svg"));
    }
    assert!(file(&ran, "rtt-lawrence-fig1-100000000-at-once-3-noise-100.csv").starts_with(",n0,n1,"));
}

/// Wrong if an Ethernet with loops were judged by another tree than the one on which frames travel, or a branch without
/// machines counted.
#[test]
fn the_truth_is_the_elected_tree() {
    let torus = "[scenario]\nname = 's'\n[topology.torus]\nx = 3\ny = 3\nhosts-per-switch = 2\n";
    let told = summary(&format!("{torus}{FAST}[discovery]\nsamples = 3\n{COSTS}"));
    assert_eq!(item(&told, "measurements", "torus-3")["switches"], 9);
    for method in ["paper", "sturdy"] {
        let result = item(&told, "results", &format!("torus-3/{method}"));
        assert_eq!((&result["recovered"], &result["switches"]), (&1.into(), &9.into()), "{result}");
    }
    let other = summary(&format!(
        "{torus}{FAST}priorities = {{ s4 = 4096 }}\n[discovery]\nsamples = 3\nmethods = ['paper']\n{COSTS}"
    ));
    assert_eq!(item(&other, "results", "torus-3/paper")["recovered"], 1);
    let classes = |told: &Value| item(told, "measurements", "torus-3")["true_classes"].clone();
    assert_ne!(classes(&told), classes(&other), "another root is another tree");
}

/// Wrong if a matrix from elsewhere were taken for something else, if its classes were not those that the paper prints,
/// or if the literal reading of the paper's text did not make one class of all.
#[test]
fn fig6_gives_fig8() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lawrence2008/fig6.toml");
    let text = fs::read(&path).unwrap();
    let checked = read(path.to_str().unwrap(), &text, &Overrides::default()).unwrap();
    let ran = simulation::run(&checked, &(), None).unwrap();
    let told = serde_json::to_value(&ran.summary).unwrap();
    let paper = item(&told, "results", "lawrence-fig1/paper");
    assert_eq!((&paper["recovered"], &paper["switches"]), (&1.into(), &3.into()));
    assert_eq!(item(&told, "results", "lawrence-fig1/paper-range")["classes"].as_array().unwrap().len(), 1);
    let rows = told["discovery"]["paper"].as_array().unwrap();
    assert_eq!(rows.len(), 36, "30 hop counts and 6 bounds");
    for row in rows {
        assert_eq!(row["deviation_percent"], 0.0, "{row}");
    }
    let kept = Rtts::read("kept.csv", file(&ran, "rtt-lawrence-fig1.csv").as_bytes()).unwrap();
    let given = fs::read(path.with_file_name("fig6.csv")).unwrap();
    assert_eq!(kept, Rtts::read("fig6.csv", &given).unwrap());
    let options = Options { clustering: Clustering::Paper(Intra::HalfRange), ..Options::default() };
    assert_eq!(discover(&kept, &options).tree.unwrap().switches, 3);
}

/// Wrong if constants of computing were not counted, or counted per machine instead of per round-trip time.
#[test]
fn computing_is_a_constant_of_the_scenario() {
    let compute = "[discovery.compute]\nclustering = '5 ms'\nclustering-per-rtt = '10 us'\ntree = '4 ms'\n\
                   tree-per-rtt = '1 us'\n";
    let told = summary(&format!("{CHAIN}{FAST}[discovery]\nsamples = 3\n{COSTS}{compute}"));
    let measured = item(&told, "measurements", "chain-3");
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&measured["clustering_s"]) - 0.0053).abs() < 1e-9, "{measured}");
    assert!((number(&measured["tree_s"]) - 0.00403).abs() < 1e-9, "{measured}");
    let whole = number(&measured["rtt_s"]["mean"]) + 0.0053 + 0.00403;
    assert!((number(&measured["total_s"]["mean"]) - whole).abs() < 1e-9);
    let share = number(&measured["rtt_s"]["mean"]) / whole;
    assert!((number(&measured["rtt_share"]) - share).abs() < 1e-9);
}

/// Wrong if a machine's pace were not that of its software, either way, or touched another machine; or if an inference
/// that makes no tree of it stopped the run.
#[test]
fn a_pace_is_that_of_one_machine() {
    let pace = "[[discovery.paces]]\nmachine = 'h3'\ntakes = 1.3\n";
    let quiet = COSTS.replace("jitter = '2 %'", "jitter = '0 %'");
    let ran = run(&format!("{CHAIN}{FAST}[discovery]\nsamples = 5\n{quiet}{pace}"));
    let rtts = Rtts::read("rtts.csv", file(&ran, "rtt-chain-3.csv").as_bytes()).unwrap();
    let machine = |name: &str| rtts.names().iter().position(|other| other == name).unwrap();
    let us = |from: &str, to: &str| rtts.get(machine(from), machine(to)).as_ns_f64() / 1e3;
    // h2 and h3 share a switch, as h0 and h1 do; a round trip has a send and a receive of 20 us at either end.
    for (slow, usual) in [(us("h2", "h3"), us("h0", "h1")), (us("h3", "h2"), us("h1", "h0"))] {
        assert!((slow - usual - 0.3 * 40.0).abs() < 0.01, "{slow} us, usually {usual}");
    }
    assert!((us("h4", "h5") - us("h0", "h1")).abs() < 0.01);
    assert_eq!(ran.summary.discovery.unwrap().results.len(), 2);
}

/// Wrong if a measurement whose results never reach machine 0 hung, hid its losses or came to a tree.
#[test]
fn losses_leave_no_matrix_and_are_told() {
    let text = format!(
        "{CHAIN}{FAST}buffer = '2 KB'\n[discovery]\nsamples = 3\nat-once = [3]\n{COSTS}background = '55 %'\n"
    );
    let told = summary(&text);
    let measured = item(&told, "measurements", "chain-3");
    assert_eq!((&measured["complete"], &measured["total_s"]), (&0.into(), &Value::Null), "{measured}");
    assert!(measured["messages_lost"].as_u64() > Some(0), "{measured}");
    assert!(measured["lost"][0].as_str().unwrap().contains(" > "), "{measured}");
    let result = item(&told, "results", "chain-3/paper");
    assert_eq!((&result["recovered"], &result["without_tree"]), (&0.into(), &1.into()));
    assert_eq!(told["outcome"], "horizon");
}

/// Wrong if the number of threads or a second run changed a byte.
#[test]
fn running_is_a_function() {
    let text = format!(
        "{CHAIN}{FAST}[discovery]\nsamples = 4\nexecutions = 3\nrates = ['100 Mb/s', '1 Gb/s']\n{COSTS}"
    );
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lawrence2008/seeds.toml");
    let text = fs::read(&path).unwrap();
    for seed in 0..cases(20) {
        let set = vec!["discovery.executions=1".to_owned()];
        let overrides = Overrides { set, seed: Some(2_000 + seed) };
        let checked = read(path.to_str().unwrap(), &text, &overrides).unwrap();
        let ran = simulation::run(&checked, &(), None).unwrap();
        let report = ran.summary.discovery.unwrap();
        let missed: Vec<&str> =
            report.results.iter().filter(|row| row.recovered == 0).map(|row| row.id.as_str()).collect();
        assert!(missed.is_empty(), "seed {seed}: {missed:?}");
        for row in &report.measurements {
            let (settled, most) = (row.settled_first_share.unwrap(), row.samples_most.unwrap());
            assert!(settled > 0.98 && most <= 104, "seed {seed}, {}: {settled}, {most}", row.id);
        }
    }
}

/// Wrong if equal scenarios hashed differently, or a matrix or a noise did not count.
#[test]
fn equal_scenarios_hash_equally() {
    let text = |more: &str| format!("{CHAIN}{FAST}[discovery]\n{more}{COSTS}");
    let hash = |more: &str| checked(&text(more)).identity;
    assert_eq!(hash(""), hash("threshold = '3.0 %'\nat-once = [1]\n"));
    for more in ["threshold = '3.1 %'\n", "at-once = [2]\n", "methods = ['paper']\n", "rates = ['1 Gb/s']\n"]
    {
        assert_ne!(hash(""), hash(more), "{more}");
    }
}
