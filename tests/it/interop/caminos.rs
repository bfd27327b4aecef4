//! Credits beside CAMINOS's virtual cut-through, on a mesh of 8 x 8 switches under dimension-order routes: latency
//! below saturation, and what is accepted beyond it.
//!
//! Compared with what CAMINOS 0.6.3 gave when it was recorded, and with the program itself where it is installed
//! (`cargo install caminos --locked`). No package of Debian's has it, so that `SIMNET_REQUIRE_PEERS` does not ask for
//! it.
//!
//! Both: one lane, buffers of two packets of 32 flits, a host a switch, a flit a cycle, two cycles from switch to
//! switch. CAMINOS counts a cycle more at a host, gives room back phit by phit where simnet returns that of a packet
//! at once, and lets chance choose among inputs where simnet goes round.

use std::fs;
use std::path::Path;
use std::process::Command;

use simnet::scenario::{self, Overrides};
use simnet::simulation;

use support_network::installed;

/// Loads, in flits a cycle and host, from a tenth to eight tenths of saturation, with the latency that CAMINOS gave:
/// the mean from creation to delivery, in cycles. 50,000 cycles of warm-up, 250,000 measured.
const RECORDED: [(f64, f64); 8] = [
    (0.033, 48.59),
    (0.066, 52.02),
    (0.099, 56.15),
    (0.131, 61.59),
    (0.164, 68.66),
    (0.197, 78.32),
    (0.23, 92.78),
    (0.263, 117.87),
];
/// What a host received when each was to send half a flit a cycle, in flits a cycle.
const RECORDED_SATURATION: f64 = 0.32859;

/// A flit of one byte takes 8 ns.
const CYCLE_NS: f64 = 8.0;

const OURS: &str = r#"
[scenario]
name = "mesh"
seed = 1
[topology.mesh]
x = 8
y = 8
hosts-per-switch = 1
[fabric]
flow = "credits"
rate = "1 Gb/s"
routing-latency = "8 ns"
cable-length = "1.6 m"
mtu = "32 B"
buffer = "64 B"
[routing]
algorithm = "dimension-order"
[traffic.uniform]
payload = "32 B"
"#;

/// Mean latency in cycles and accepted flits a cycle and host, at each load.
fn ours(loads: &[f64]) -> Vec<(f64, f64)> {
    let text = format!("{OURS}loads = {loads:?}\n[measure]\nwarmup = \"0.4 ms\"\nduration = \"2 ms\"\n");
    let checked = scenario::read("mesh.toml", text.as_bytes(), &Overrides::default());
    let run = simulation::run(&checked.unwrap_or_else(|refusal| panic!("{refusal}")), &(), None).unwrap();
    let points = run.summary.points().iter();
    points
        .map(|point| (point.latency_mean_ns.unwrap() / CYCLE_NS, point.accepted_flits_per_cycle_per_host))
        .collect()
}

fn assert_near(what: &str, ours: f64, theirs: f64) {
    eprintln!("{what}: ours {ours:.3}, CAMINOS {theirs:.3}, {:+.1} %", (ours / theirs - 1.0) * 100.0);
    assert!((ours / theirs - 1.0).abs() < 0.05, "{what}: {ours} where CAMINOS has {theirs}");
}

/// Wrong if a packet waited for room that it has, or went on without, if packets behind the first did not move while it
/// is being sent, or if a credit came back later than the cable's delay: each moves the curve by more.
#[test]
fn a_mesh_is_as_caminos_has_it() {
    let loads: Vec<f64> = RECORDED.iter().map(|(load, _)| *load).chain([0.5]).collect();
    let ours = ours(&loads);
    for ((load, theirs), (latency, accepted)) in RECORDED.iter().zip(&ours) {
        assert_near(&format!("latency at {load}"), *latency, *theirs);
        assert!((accepted / load - 1.0).abs() < 0.02, "{accepted} of {load} arrive");
    }
    let (_, accepted) = ours[RECORDED.len()];
    assert_near("accepted beyond saturation", accepted, RECORDED_SATURATION);
}

/// The number after `name:` in what CAMINOS prints.
fn number(text: &str, name: &str) -> f64 {
    let (_, rest) = text.split_once(&format!("{name}:")).unwrap_or_else(|| panic!("no {name} in {text}"));
    rest.trim_start().split([',', '\n']).next().unwrap().trim().parse().unwrap()
}

/// What CAMINOS makes of a load: mean latency in cycles, accepted phits a cycle and server.
fn theirs(program: &Path, folder: &Path, load: f64) -> (f64, f64) {
    let configuration = format!(
        "Configuration {{ random_seed: 42, warmup: 20000, measured: 30000, \
         topology: Mesh {{ sides: [8,8], servers_per_router: 1 }}, \
         traffic: HomogeneousTraffic {{ pattern: Uniform, servers: 64, load: {load}, message_size: 32 }}, \
         maximum_packet_size: 32, \
         router: Basic {{ virtual_channels: 1, virtual_channel_policies: [ EnforceFlowControl, Random ], delay: 0, \
         buffer_size: 64, bubble: false, flit_size: 32, intransit_priority: false, allow_request_busy_port: true, \
         output_prioritize_lowest_label: false, output_buffer_size: 0, }}, \
         routing: DOR {{ order: [0,1] }}, \
         link_classes: [ LinkClass {{ delay: 2 }}, LinkClass {{ delay: 2 }}, LinkClass {{ delay: 2 }} ] }}"
    );
    let [file, results] = ["mesh.cfg", "results"].map(|name| folder.join(name));
    fs::write(&file, configuration).unwrap();
    let run =
        Command::new(program).arg(&file).arg(format!("--results={}", results.display())).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let results = fs::read_to_string(results).unwrap();
    (number(&results, "average_message_delay"), number(&results, "accepted_load"))
}

/// Wrong as above; and if what was recorded were not what CAMINOS says.
#[test]
fn a_mesh_is_as_the_installed_caminos_has_it() {
    let Some(program) = installed("caminos") else {
        eprintln!("skipped: no caminos");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let loads = [0.131, 0.23, 0.5];
    let ours = ours(&loads);
    for ((load, ours), beyond) in loads.iter().zip(ours).zip([false, false, true]) {
        let theirs = theirs(&program, folder.path(), *load);
        if beyond {
            assert_near("accepted beyond saturation", ours.1, theirs.1);
        } else {
            assert_near(&format!("latency at {load}"), ours.0, theirs.0);
        }
    }
}
