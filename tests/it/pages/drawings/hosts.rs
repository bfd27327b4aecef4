//! `hosts.csv` and `network.json`: what every host sent and received, and the network that it did it on.

use std::collections::BTreeMap;

use simnet::simulation::{PointReport, Run};
use simnet::topology::formats::{self, Format};

use super::run;
use support_network::cases;

fn file<'a>(run: &'a Run, name: &str) -> &'a str {
    &run.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// The rows of a CSV file without quotes, by column.
fn rows(text: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| columns.iter().copied().zip(line.split(',')).collect()).collect()
}

fn number(row: &BTreeMap<&str, &str>, column: &str) -> f64 {
    row[column].parse().unwrap_or(0.0)
}

fn near(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{what}: {a} is not {b}");
}

/// Everything that the hosts of a point did, added up, is what the point says.
fn adds_up(point: &PointReport, hosts: &[&BTreeMap<&str, &str>], what: &str) {
    let sum = |column| hosts.iter().map(|row| number(row, column)).sum::<f64>();
    let each = |column| sum(column) / hosts.len() as f64;
    near(each("offered_flits_per_cycle"), point.offered_flits_per_cycle_per_host, what);
    near(each("sent_flits_per_cycle"), point.accepted_flits_per_cycle_per_host, what);
    near(each("received_flits_per_cycle"), point.accepted_flits_per_cycle_per_host, what);
    near(sum("delivered_messages"), point.messages as f64, what);
    let ended = sum("delivered_messages") + sum("lost_messages");
    let created = sum("created_messages");
    assert!(ended <= created, "{what}: {ended} of {created}");
    if point.converged {
        near(ended, created, what);
    }
    let weighted =
        |row: &&BTreeMap<&str, &str>| number(row, "latency_mean_ns") * number(row, "delivered_messages");
    if let Some(mean) = point.latency_mean_ns {
        near(hosts.iter().map(weighted).sum::<f64>() / point.messages as f64, mean, what);
        let longest = hosts.iter().map(|row| number(row, "latency_max_ns")).fold(0.0, f64::max);
        // The point's longest is that of a histogram of three digits.
        let maximum = point.latency_max_ns.unwrap();
        assert!(longest <= maximum && maximum <= longest * 1.002, "{what}: {longest} is not {maximum}");
    }
}

/// Wrong if a message were counted at no host or at two, or in another window than the point's: loads below and beyond
/// saturation, windows that are given and that grow, bit errors, deadlocks and resets.
#[test]
fn what_hosts_did_adds_up_to_what_the_point_says() {
    let families = [
        "topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2, seed = SEED }
         routing = { algorithm = 'updown', select = 'random' }",
        "topology.ring = { switches = 4, hosts-per-switch = 2 }
         routing.algorithm = 'minimal'\nfabric.deadlock-timeout = '100 us'",
        "topology.chain = { switches = 2, hosts-per-switch = 3 }\nrouting.algorithm = 'updown'
         fabric.bit-error-rate = 1e-6",
    ];
    let measures =
        ["messages = 900\nwarmup = '20 us'", "precision = '10 %'\nmessages = 20000", "duration = '50 us'"];
    let mut lost = 0.0;
    for case in 0..cases(400).max(18) {
        let place = |nth: u64, of: usize| usize::try_from(nth).unwrap() % of;
        let family = families[place(case, families.len())].replace("SEED", &(case + 1).to_string());
        let measure = measures[place(case / 3, measures.len())];
        let what = format!(
            "scenario = {{ name = 'hosts', seed = {case} }}\n{family}
             traffic.uniform = {{ payload = '128 B', loads = [0.01, 0.1, 0.9] }}\n[measure]\n{measure}\n"
        );
        let run = run(&what);
        let rows = rows(file(&run, "hosts.csv"));
        let each = rows.len() / run.summary.points().len();
        assert_eq!(rows.len() % run.summary.points().len(), 0);
        for (nth, point) in run.summary.points().iter().enumerate() {
            let hosts: Vec<_> = rows[nth * each..(nth + 1) * each].iter().collect();
            assert!(hosts.iter().all(|row| row["load"] == point.load.unwrap().to_string()));
            adds_up(point, &hosts, &format!("{what}point {nth}"));
            lost += hosts.iter().map(|row| number(row, "lost_messages")).sum::<f64>();
        }
    }
    assert!(lost > 0.0, "nothing was ever lost: the test tests less than it says");
}

/// Wrong if the network that a report draws were another than that of the run, or a run of several had one.
#[test]
fn the_network_of_a_run_lies_beside_its_results() {
    let head = "scenario.name = 'n'\ntopology.preset = 'faraj-c'\n";
    let loads = "routing.algorithm = 'updown'\ntraffic.uniform = { payload = '32 B', loads = [0.01] }
                 measure = { warmup = '10 us', messages = 50 }";
    let gathers = "ethernet.rate = '100 Mb/s'\nallgather = { algorithm = 'lr1', size = '1 KiB' }";
    let discovers = "ethernet.rate = '1 Gb/s'\ndiscovery.methods = ['paper']";
    let expected = simnet::topology::presets::load("faraj-c").unwrap();
    let expected = formats::write(&expected, Format::Json);
    for tail in ["routing.algorithm = 'updown'", loads, gathers, discovers] {
        assert_eq!(file(&run(&format!("{head}{tail}")), "network.json"), expected, "{tail}");
    }
}

/// Wrong if what a scenario says of itself were lost on the way, or a scenario that says nothing had a summary of
/// other bytes than before.
#[test]
fn a_summary_repeats_the_description() {
    let text = |about: &str| {
        format!(
            "[scenario]\nname = 'd'\n{about}\n[topology]\npreset = 'now-c'\n[routing]\nalgorithm = 'updown'"
        )
    };
    let summary = |about| serde_json::to_value(run(&text(about)).summary).unwrap();
    assert_eq!(summary("description = '<b>what & why</b>'")["description"], "<b>what & why</b>");
    assert!(summary("").get("description").is_none());
}
