//! Estimates of `check --estimate`, against the messages and times of runs.

use simnet::scenario::{Checked, Estimate, Overrides, read};
use simnet::simulation;

const CHAIN: &str = "[topology.chain]\nswitches = 2\nhosts-per-switch = 1\n[fabric]\n\
    routing-latency = '6.25 ns'\narbitration = 'per-input'\n[routing]\nalgorithm = 'updown'\n[traffic.uniform]\n\
    payload = '32 B'\n";
const STAR: &str = "[topology.star]\nleaves = 4\nhosts-per-switch = 2\n[routing]\nalgorithm = 'updown'\n\
    [traffic.uniform]\npayload = '512 B'\n";
const TORUS: &str = "[topology.torus]\nx = 3\ny = 3\n[routing]\nalgorithm = 'updown'\n[traffic.uniform]\n\
    payload = '64 B'\n";
const MESH: &str = "[topology.mesh]\nx = 8\ny = 8\n[fabric]\nflow = 'credits'\nrate = '8 Gb/s'\n\
    routing-latency = '1 ns'\ncable-length = '0.2 m'\nbuffer = '64 B'\nmtu = '16 B'\n[routing]\n\
    algorithm = 'dimension-order'\n[traffic.uniform]\npayload = '16 B'\n";
const RANDOM: &str = "[topology.random-regular]\nswitches = 16\ndegree = 4\nhosts-per-switch = 4\nseed = 1\n\
    [routing]\nalgorithm = 'updown'\nseed = 1\n[traffic.uniform]\npayload = '32 B'\n";
/// Routes around a ring of one lane with small buffers: it dies.
const RING: &str = "[topology.torus]\nx = 8\ny = 8\n[fabric]\nflow = 'credits'\nrate = '8 Gb/s'\n\
    routing-latency = '1 ns'\ncable-length = '0.2 m'\nbuffer = '16 B'\nmtu = '16 B'\n[routing]\n\
    algorithm = 'dimension-order'\n[traffic.uniform]\npayload = '16 B'\n";
/// Two hosts that fill their cables with messages of a byte while one of them maps.
const BUSY: &str = "[topology.chain]\nswitches = 1\nhosts-per-switch = 2\n[fabric]\nflow = 'credits'\nlanes = 3\n\
    mtu = '256 B'\nrate = '10 Gb/s'\n[routing]\nalgorithm = 'updown'\n[traffic.uniform]\npayload = '1 B'\n";

/// The messages that a run takes are at most so many times those that are estimated, and at least that part of them.
const FACTOR: f64 = 4.0;

fn checked(network: &str, load: &str, measure: &str) -> Checked {
    let text = format!("[scenario]\nname = 'x'\nseed = 5\n{network}loads = [{load}]\n[measure]\n{measure}\n");
    read("s.toml", text.as_bytes(), &Overrides::default())
        .unwrap_or_else(|refusal| panic!("{refusal}\n{text}"))
}

#[expect(clippy::disallowed_methods, reason = "printed, and asserted of no machine")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Runs a scenario: what is estimated, at most, and taken, probes counted in. Prints it, and seconds that are off by
/// more than a factor of ten.
#[expect(clippy::print_stdout, reason = "shown where a test fails, or if asked for")]
fn taken(checked: &Checked, of: &str) -> (f64, f64, f64) {
    let estimate = Estimate::of(checked);
    let begun = now();
    let run = simulation::run(checked, &(), None).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let value = serde_json::to_value(&run.summary).unwrap();
    let probes = value["map"]["sent"].as_f64().unwrap_or(0.0);
    let took = run.messages_delivered as f64 + probes;
    let (likely, most) = (estimate.messages.unwrap(), estimate.messages_most.unwrap());
    println!("{of}: {likely} estimated, at most {most}, {took} taken; {}", value["outcome"]);
    let processor = estimate.processor_s.unwrap();
    if seconds > 0.1 && !(0.1..=10.0).contains(&(processor / seconds)) {
        println!("{of}: {processor} s estimated, {seconds} s taken");
    }
    (likely, most, took)
}

/// Wrong if the messages of a run were far from those that are estimated where that can be known: up to about four
/// fifths of what is carried, and clearly beyond it.
#[test]
fn runs_take_about_the_messages_that_are_estimated() {
    let (near, narrow) = ("precision = 0.05", "precision = 0.02");
    let map = |network: &str, mapping: &str| {
        network.replace("[routing]", &format!("[mapping]\nmapper = 'h0'\n{mapping}\n[routing]"))
    };
    let rows = [
        (CHAIN.to_owned(), "0.2", narrow),
        (CHAIN.to_owned(), "0.66", near),
        (CHAIN.to_owned(), "0.66", "precision = 0.2"),
        (CHAIN.to_owned(), "0.75", narrow),
        (CHAIN.to_owned(), "0.85", near),
        (CHAIN.to_owned(), "0.85", "precision = 0.05\nmessages = 20000"),
        (CHAIN.to_owned(), "0.99", near),
        (MESH.to_owned(), "0.1", near),
        (MESH.to_owned(), "0.2", narrow),
        (MESH.to_owned(), "0.6", near),
        (RANDOM.to_owned(), "0.014", narrow),
        (RANDOM.to_owned(), "0.049", near),
        (RANDOM.to_owned(), "0.105", near),
        (STAR.to_owned(), "0.1", near),
        (STAR.to_owned(), "0.6", near),
        (TORUS.to_owned(), "0.3", near),
        (TORUS.to_owned(), "0.9", near),
        (TORUS.to_owned(), "0.3", "messages = 20000"),
        (TORUS.to_owned(), "0.9", "messages = 20000"),
        (STAR.to_owned(), "0.3", "warmup = '100 us'\nduration = '2 ms'"),
        (STAR.to_owned(), "0.2", "messages = 5000\nfind-saturation = '5 %'"),
        (map(TORUS, ""), "0.1", "messages = 100"),
        (map(TORUS, "algorithm = 'myricom'"), "0.1", "messages = 100"),
        (map(TORUS, "load = 0.02"), "0.1", "messages = 100"),
        (map(BUSY, "load = 0.01"), "0.1", "messages = 100"),
        (map(BUSY, "load = 0.9\nprobe-timeout = '50 us'"), "0.1", "messages = 100"),
    ];
    for (network, load, measure) in rows {
        let of = format!("{} at {load}, {measure}", network.lines().next().unwrap());
        let (likely, most, took) = taken(&checked(&network, load, measure), &of);
        assert!(
            (likely / FACTOR..=likely * FACTOR).contains(&took),
            "{of}: {likely} estimated, {took} taken"
        );
        assert!(took <= most * FACTOR, "{of}: at most {most} estimated, {took} taken");
    }
}

/// Wrong if a run near saturation, or a search, took less than the least or more than the most that is printed, or the
/// simulated time of a point were more than is said.
#[test]
fn runs_near_saturation_stay_between_the_least_and_the_most() {
    let near = "precision = 0.05\nmessages = 300000";
    for (network, load, measure) in [
        (STAR, "0.343", near),
        (TORUS, "0.45", near),
        (TORUS, "0.51", near),
        (RANDOM, "0.07", near),
        (MESH, "0.363", near),
        (MESH, "0.46", near),
        (RANDOM, "0.02", "messages = 3000\nfind-saturation = '10 %'\nhorizon = '2 ms'"),
        (STAR, "0.02", "warmup = '20 us'\nmessages = 1000\nhorizon = '100 us'"),
        (STAR, "0.9", "messages = 1000"),
    ] {
        let scenario = checked(network, load, measure);
        let estimate = Estimate::of(&scenario);
        let run = simulation::run(&scenario, &(), None).unwrap();
        let summary = serde_json::to_value(&run.summary).unwrap();
        let of = format!("{} at {load}, {measure}: {estimate:?}", network.lines().next().unwrap());
        let took = run.messages_delivered as f64;
        assert!(
            took <= estimate.messages_most.unwrap() && took >= estimate.messages_least.unwrap() / 4.0,
            "{of} {took}"
        );
        let point = &summary["points"][0];
        let ms = ["warmup_ms", "measured_ms"].map(|key| point[key].as_f64().unwrap()).iter().sum::<f64>();
        assert!(ms / 1e3 <= estimate.simulated_most_s.unwrap() * 1.000_001, "{of} {ms} ms");
        assert!(ms / 1e3 >= estimate.simulated_least_s.unwrap() / 4.0, "{of} {ms} ms");
    }
}

/// Wrong if a network that dies, or one at the edge of what it carries, took more than is said at most.
#[test]
fn no_run_takes_more_than_is_said_at_most() {
    for (network, load, measure, outcome) in [
        (RING, "0.9", "precision = 0.05", "deadlocked"),
        (RING, "0.9", "messages = 100000", "deadlocked"),
        (CHAIN, "0.9", "precision = 0.005\nmessages = 100000", "drained"),
        (RANDOM, "0.0665", "precision = 0.02\nmessages = 100000", "drained"),
    ] {
        let scenario = checked(network, load, measure);
        let (likely, most, took) = taken(&scenario, outcome);
        assert!(took <= most && likely <= most, "{load}, {measure}: at most {most}, {took} taken");
        let run = simulation::run(&scenario, &(), None).unwrap();
        assert_eq!(serde_json::to_value(&run.summary).unwrap()["outcome"], outcome, "{load}, {measure}");
    }
}
