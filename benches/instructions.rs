//! How many instructions a message, a frame-hop, a probe and a route pair cost, counted by valgrind's cachegrind: the
//! same on any machine, whatever else it does.
//!
//! `cargo bench -p simnet-running --bench instructions`. Each count is the difference between two sizes of one
//! input, over the difference of what was counted in them, so that reading and start-up cancel. More than 3 % above
//! `benches/instructions.csv` fails; `-- --bless` writes what was counted there, which declares it.

#![allow(clippy::print_stdout, reason = "a measurement prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use simnet_running::simulation::{self, Run};
use simnet_scenario::{self as scenario, Overrides};

/// What costs instructions, and where it is counted.
struct Quantity {
    name: &'static str,
    /// The scenario, below the project's folder.
    file: &'static str,
    /// What is set in it; `{}` stands for the size.
    set: &'static [&'static str],
    sizes: [u32; 2],
    count: fn(&Run) -> Option<u64>,
}

const NETWORK: &str = "benches/instructions.toml";
const RING: &str = "scenarios/faraj2008/loss.toml";

const QUANTITIES: [Quantity; 8] = [
    Quantity {
        name: "message of 32 flits",
        file: "scenarios/random32.toml",
        set: &["measure.messages={}"],
        sizes: [20_000, 60_000],
        count: |run| Some(run.messages_delivered),
    },
    Quantity {
        name: "message of 512 flits",
        file: "scenarios/random32.toml",
        set: &["measure.messages={}", "traffic.uniform.payload=512 B", "traffic.uniform.loads=[0.025]"],
        sizes: [10_000, 30_000],
        count: |run| Some(run.messages_delivered),
    },
    Quantity {
        name: "message with credits",
        file: NETWORK,
        set: &[
            "measure.messages={}",
            "fabric.flow=credits",
            "fabric.mtu=32 B",
            "fabric.buffer=128 B",
            "routing.algorithm=updown",
            "routing.root=far",
            "traffic.uniform.payload=32 B",
            "traffic.uniform.loads=[0.0144]",
        ],
        sizes: [20_000, 60_000],
        count: |run| Some(run.messages_delivered),
    },
    Quantity {
        name: "frame-hop of datagrams",
        file: RING,
        set: &["allgather.size={} KiB", "ethernet.buffer=64 MiB", "ethernet.transport=datagram"],
        sizes: [16, 96],
        count: |run| found(run, "/allgather/frame_hops"),
    },
    Quantity {
        name: "frame-hop in trains",
        file: RING,
        set: &[
            "allgather.size={} KiB",
            "ethernet.buffer=64 MiB",
            "ethernet.buffer-sharing=per-port",
            "ethernet.transport=datagram",
        ],
        sizes: [16, 96],
        count: |run| found(run, "/allgather/frame_hops"),
    },
    Quantity {
        name: "frame-hop of TCP",
        file: RING,
        set: &["allgather.size={} KiB", "ethernet.buffer=64 MiB"],
        sizes: [4, 24],
        count: |run| found(run, "/allgather/frame_hops"),
    },
    Quantity {
        name: "probe",
        file: NETWORK,
        set: &["topology.random-regular.switches={}", "mapping.algorithm=berkeley", "mapping.mapper=h0"],
        sizes: [32, 96],
        count: |run| found(run, "/map/sent"),
    },
    Quantity {
        name: "route pair",
        file: NETWORK,
        set: &["topology.random-regular.switches={}", "routing.algorithm=updown", "routing.root=far"],
        sizes: [32, 96],
        count: |run| found(run, "/route/pairs"),
    },
];

/// A number of the summary.
fn found(run: &Run, pointer: &str) -> Option<u64> {
    serde_json::to_value(&run.summary).ok()?.pointer(pointer)?.as_u64()
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.as_slice() {
        [of, name, size] if of == OF => run(name, size),
        _ if support_network::peer("valgrind").is_some() => {
            compare(words.iter().any(|word| word == "--bless"))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The first word of a process that runs one quantity at one size and prints how many there were.
const OF: &str = "--of";

fn run(name: &str, size: &str) -> ExitCode {
    let quantity = QUANTITIES.iter().find(|quantity| quantity.name == name).expect("the parent names one");
    let set = quantity.set.iter().map(|assignment| assignment.replace("{}", size)).collect();
    let file = support_network::root().join(quantity.file);
    let bytes = std::fs::read(&file).expect("the file is part of the project");
    let checked = scenario::read(&file, &bytes, &Overrides { set, seed: None }).expect("it has no faults");
    let run = simulation::run(&checked, &(), None).expect("it can be run");
    println!("{}", (quantity.count)(&run).expect("what the scenario does is counted"));
    ExitCode::SUCCESS
}

/// Counts all quantities and compares them with the committed counts.
fn compare(bless: bool) -> ExitCode {
    let committed = committed();
    println!("{:<24} {:>10} {:>10} {:>8}", "instructions a", "committed", "now", "change");
    let mut counted = String::from("quantity,instructions\n");
    let mut grown = false;
    for quantity in &QUANTITIES {
        let now = marginal(quantity);
        let before = committed.get(quantity.name).copied();
        let change = before.map(|before| (now / before - 1.0) * 100.0);
        grown |= change.is_none_or(|percent| percent > 3.0);
        let before = before.map_or_else(|| "-".into(), |before| format!("{before:.0}"));
        let change = change.map_or_else(|| "-".into(), |percent| format!("{percent:+.1} %"));
        println!("{:<24} {before:>10} {now:>10.0} {change:>8}", quantity.name);
        counted += &format!("{},{now:.0}\n", quantity.name);
    }
    if bless {
        std::fs::write(path(), counted).expect("the project's folder can be written to");
    } else if grown {
        println!("More than 3 % above {COMMITTED}. A commit that means it changes that file: -- --bless");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The committed counts, below the project's folder.
const COMMITTED: &str = "benches/instructions.csv";

fn path() -> PathBuf {
    support_network::root().join(COMMITTED)
}

/// The committed counts by quantity.
fn committed() -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let rows = text.lines().skip(1).filter_map(|line| line.split_once(','));
    rows.filter_map(|(name, count)| Some((name.to_owned(), count.parse().ok()?))).collect()
}

/// Instructions for one more of `quantity`.
fn marginal(quantity: &Quantity) -> f64 {
    // Both run at once.
    let [small, large] = quantity.sizes.map(|size| start(quantity.name, size)).map(counts);
    (large.0 as f64 - small.0 as f64) / (large.1 - small.1) as f64
}

/// Runs `name` at `size` under valgrind.
fn start(name: &str, size: u32) -> Child {
    let own = std::env::current_exe().expect("this program has a file");
    Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .args([Path::new(&own), Path::new(OF), Path::new(name), Path::new(&size.to_string())])
        // Threads that wait for work count instructions.
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("valgrind is there")
}

/// How many instructions a process took, and how many it says that it counted.
fn counts(process: Child) -> (u64, u64) {
    let output = process.wait_with_output().expect("it was started");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    let instructions =
        report.lines().find_map(|line| line.split_once("refs:")).expect("cachegrind reports them").1;
    let instructions = instructions.trim().replace(',', "").parse().expect("a number");
    let counted = String::from_utf8_lossy(&output.stdout).trim().parse().expect("it prints a number");
    (instructions, counted)
}
