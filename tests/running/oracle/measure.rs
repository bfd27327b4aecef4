//! What the program finds by itself: the end of the warm-up, how long to measure, where a network saturates.

use simnet_running::simulation::{self, PointReport, Run, State};
use simnet_scenario::{self as scenario, Overrides};

use support_network::long_cases;

/// Two hosts, two switches: each host's cable is a queue of its own, served in payload + 2 cycles (the route flits).
const TWO_HOSTS: &str = "[scenario]\nname = \"two\"\n[topology.chain]\nswitches = 2\nhosts-per-switch = 1\n\
                         [fabric]\nrouting-latency = \"6.25 ns\"\narbitration = \"per-input\"\n\
                         [routing]\nalgorithm = \"updown\"\n";

fn run(head: &str, tail: &str, seed: u64) -> Run {
    let overrides = Overrides { seed: Some(seed), ..Overrides::default() };
    let checked = scenario::read("test.toml", format!("{head}{tail}").as_bytes(), &overrides);
    let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    simulation::run(&checked, &(), None).unwrap()
}

fn queue(load: f64, measure: &str, seed: u64) -> PointReport {
    let traffic = format!("[traffic.uniform]\npayload = \"32 B\"\nloads = [{load}]\n[measure]\n{measure}\n");
    run(TWO_HOSTS, &traffic, seed).summary.points()[0].clone()
}

/// The mean wait of M/D/1 in nanoseconds, at a load of payload flits.
fn wait_ns(load: f64) -> f64 {
    let (service, used) = (34.0, load * 34.0 / 32.0);
    used * service / (2.0 * (1.0 - used)) * 6.25
}

/// The mean wait at a host, from what a point reports.
fn waited(point: &PointReport) -> f64 {
    point.latency_mean_ns.unwrap() - point.network_latency_mean_ns.unwrap()
}

/// Everything is left to the program: the warm-up, the length. About nineteen of twenty intervals must hold the wait
/// of M/D/1. Wrong if measuring began too early, if correlated batches were believed, or if stopping at the first
/// narrow interval made intervals too narrow.
#[test]
fn m_d_1_is_found_within_the_interval_without_help() {
    let seeds = long_cases(600);
    for (load, precision) in [(0.3, "1 %"), (0.6, "2 %"), (0.75, "3 %")] {
        let mut held = 0;
        let mut mean = 0.0;
        for seed in 0..seeds {
            let point = queue(load, &format!("precision = \"{precision}\""), seed);
            assert_eq!(point.state, State::Converged, "load {load}, seed {seed}: {point:?}");
            let off = (waited(&point) - wait_ns(load)).abs();
            held += u64::from(off <= point.latency_half_width_ns.unwrap());
            mean += waited(&point) / seeds as f64;
        }
        println!("load {load}: {held} of {seeds} intervals hold {:.2} ns; mean {mean:.2}", wait_ns(load));
        // Three standard deviations below 95 %.
        let expected = 0.95 * seeds as f64;
        assert!(held as f64 >= expected - 3.0 * (expected * 0.05).sqrt(), "load {load}: {held} of {seeds}");
        assert!((mean / wait_ns(load) - 1.0).abs() < 0.02, "load {load}: {mean} ns");
    }
}

/// Wrong if a point went on after it was known, ended before, or passed its limit.
#[test]
fn a_point_ends_when_it_is_precise_or_at_its_limit() {
    let rough = queue(0.6, "precision = \"5 %\"", 1);
    let fine = queue(0.6, "precision = 0.01", 1);
    for (point, precision) in [(&rough, 0.05), (&fine, 0.01)] {
        let share = point.latency_half_width_ns.unwrap() / point.latency_mean_ns.unwrap();
        assert!(point.converged && share <= precision, "{point:?}");
    }
    assert!(rough.messages * 4 < fine.messages && fine.messages < 400_000, "{rough:?} {fine:?}");
    assert!(rough.transient_ms <= rough.warmup_ms);
    let limited = queue(0.6, "precision = \"0.1 %\"\nmessages = 20000", 1);
    assert_eq!((limited.state, limited.converged), (State::NotConverged, false));
    assert!(limited.messages.abs_diff(20_000) < 600, "{limited:?}");
    let fixed = queue(0.6, "warmup = \"10 us\"\nmessages = 20000", 1);
    assert!((fixed.warmup_ms.unwrap() - 0.01).abs() < 1e-9 && fixed.transient_ms.is_none(), "{fixed:?}");
    assert!(fixed.messages.abs_diff(20_000) < 600, "{fixed:?}");
}

/// Of ten flits on a host's cable eight are payload. Wrong if saturation were found elsewhere.
#[test]
fn saturation_is_where_the_cable_is_full() {
    let measure = "find-saturation = \"1 %\"\nprecision = \"2 %\"\nmessages = 200000";
    let traffic = format!("[traffic.uniform]\npayload = \"8 B\"\nloads = [0.2]\n[measure]\n{measure}\n");
    let found = run(TWO_HOSTS, &traffic, 1).summary.stages().unwrap().saturation.clone().unwrap();
    let (low, high, full) = (found.load_low.unwrap(), found.load_high.unwrap(), 8.0 / 10.0);
    println!("saturation between {low} and {high}, {} accepted", found.accepted_max_flits_per_cycle_per_host);
    // The truth lies between; loads near it cannot be decided in any finite time.
    assert!(low < full && high > full && low > 0.92 * full && high < 1.05 * full, "{found:?}");
    let accepted = found.accepted_max_flits_per_cycle_per_host;
    assert!((accepted / full - 1.0).abs() < 0.01, "{found:?}");
}

/// Wrong if a saturated point were followed for ever, took the share of what it accepted from a time in which the
/// network still filled up, or passed for a value.
#[test]
fn a_saturated_point_ends_early_and_says_what_it_accepted() {
    let traffic = "[traffic.uniform]\npayload = \"8 B\"\nloads = [0.3, 1]\n[measure]\nprecision = \"1 %\"\n";
    let run = run(TWO_HOSTS, traffic, 1);
    let point = &run.summary.points()[1];
    assert_eq!((point.state, run.summary.outcome), (State::Saturated, simulation::Outcome::Saturated));
    assert!(point.tally.delivered < 60_000, "{point:?}");
    let accepted = point.accepted_flits_per_cycle_per_host;
    assert!((accepted / (8.0 / 10.0) - 1.0).abs() < 0.01, "{point:?}");
    assert!(run.summary.points()[0].converged);
}

/// At 0.034 this network carries what it is offered, at 0.045 it accepts 0.037 to 0.039: the hosts behind one switch
/// starve, whose backlog grows by fits and starts. Wrong if a load that it does not carry only ran out of time, or one
/// that it does were called saturated.
#[test]
fn a_few_hosts_that_starve_saturate_a_network() {
    let head = "[scenario]\nname = \"starving\"\n\
                [topology.random-regular]\nswitches = 32\ndegree = 4\nhosts-per-switch = 4\nseed = 1\n\
                [routing]\nalgorithm = \"updown\"\nroot = \"far\"\nselect = \"random\"\nseed = 1\n";
    let state = |load: f64, seed: u64| {
        let traffic = format!("[traffic.uniform]\npayload = \"32 B\"\nloads = [{load}]\n");
        let measure = "[measure]\nwarmup = \"auto\"\nprecision = \"5 %\"\nmessages = 250000\n";
        run(head, &(traffic + measure), seed).summary.points()[0].state
    };
    for seed in 0..long_cases(60) {
        assert_eq!(state(0.045, seed), State::Saturated, "seed {seed}");
        assert_ne!(state(0.034, seed), State::Saturated, "seed {seed}");
    }
}
