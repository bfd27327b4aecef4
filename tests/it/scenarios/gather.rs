//! Scenarios of all-gathers and rings: runs are the kernel's own, and losses, refusals and captures end as they should.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use simnet::ethernet::transport::{Datagram, Segment};
use simnet::ethernet::{Direction, Frame, Observer, Parameters};
use simnet::ids::{HostId, Node};
use simnet::medium::{Medium as _, Message};
use simnet::scenario::allgather::Medium;
use simnet::scenario::checked::Work;
use simnet::scenario::{Checked, Overrides, read};
use simnet::simulation;
use simnet::topology::End;
use simnet::units::Time;

fn checked(text: &str) -> Checked {
    read("s.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

fn summary(text: &str) -> Value {
    serde_json::to_value(&simulation::run(&checked(text), &(), None).unwrap().summary).unwrap()
}

/// What an all-gather comes to on a network, both as lines of a scenario.
fn gathered(network: &str, gather: &str) -> Value {
    summary(&format!("{network}[allgather]\n{gather}"))["allgather"].take()
}

const CHAIN: &str = "[scenario]\nname = 's'\n[topology.chain]\nswitches = 4\nhosts-per-switch = 2\n";

fn ms(result: &Value) -> f64 {
    result["time_mean_ms"].as_f64().unwrap_or_else(|| panic!("no time: {result}"))
}

/// Wrong by more than a thousandth if frames, steps or the protocol were others than the arithmetic's. With rendezvous
/// a step lasts until the last frame has arrived: on one switch the same for all; on several between that of one
/// switch and that of the longest path, and longer for LR1 than for LR2.
#[test]
fn a_ring_takes_what_frames_take() {
    let ethernet = "[ethernet]\ncable-length = '200 m'\nheader = '40 B'\n";
    let gather = |algorithm: &str| format!("algorithm = '{algorithm}'\nsize = '128 KiB'\n");
    let byte = 8.0 / 100e6 * 1e3;
    // 89 frames of 1,460 B of data and one of 1,132 B; 38 B around the payload, 12 of them a gap. Through d switches
    // the last full frame is sent d times more, and the short one behind it; cables of 1 us.
    let frames = (89.0 * (1_500.0 + 38.0) + (1_132.0 + 40.0 + 26.0)) * byte;
    let step = |switches: f64| frames + switches * (1_500.0 + 26.0) * byte + 1e-3 * (switches + 1.0);
    let one = "[scenario]\nname = 's'\n[topology.chain]\nswitches = 1\nhosts-per-switch = 8\n";
    let alone = gathered(&format!("{one}{ethernet}"), &gather("lr1"));
    assert!((ms(&alone) / (7.0 * step(1.0)) - 1.0).abs() < 1e-3, "{alone} is not {}", 7.0 * step(1.0));
    let bound = 7.0 * 131_072.0 * byte;
    assert!((alone["bound_ms"].as_f64().unwrap() / bound - 1.0).abs() < 1e-9);
    let chain = format!("{CHAIN}{ethernet}");
    let [lr1, lr2] = ["lr1", "lr2"].map(|algorithm| gathered(&chain, &gather(algorithm)));
    for (result, switches) in [(&lr1, 4_u32), (&lr2, 2)] {
        let (least, most) = (7.0 * step(1.0), 7.0 * step(f64::from(switches)));
        assert!((least..=most * 1.001).contains(&ms(result)), "{result} is not {least} to {most}");
        assert_eq!(result["max_path_length"], switches);
        assert_eq!((&result["contention_free"], &result["correct"]), (&true.into(), &1.0.into()));
    }
    assert!(ms(&lr1) > ms(&lr2));
}

/// Wrong if equal-cost multipath used one path of a folded Clos network only, as a spanning tree does, if a hash that
/// all switches share were worth as much as one for each, or if the seed of the scenario did not reach it.
#[test]
fn several_paths_take_less_time_than_a_tree() {
    let tree = "[topology.fat-tree]\narity = 4\nlevels = 3\n[ethernet]\nbuffer = '64 MiB'\n";
    let gather = |ethernet: &str, seed: u64| {
        let network = format!("[scenario]\nname = 's'\nseed = {seed}\n{tree}{ethernet}");
        gathered(&network, "algorithm = 'shift'\nsize = '8 KiB'\n")
    };
    let tree = gather("", 1);
    let own = gather("forwarding = 'ecmp'\n", 1);
    let shared = gather("forwarding = 'ecmp'\nflow-hash = 'shared'\n", 1);
    assert!(2.0 * ms(&own) < ms(&tree), "{own} {tree}");
    assert!(ms(&own) < ms(&shared) && ms(&shared) < ms(&tree), "{own} {shared} {tree}");
    assert_eq!(own, gather("forwarding = 'ecmp'\n", 1));
    assert_ne!(own["time_mean_ms"], gather("forwarding = 'ecmp'\n", 2)["time_mean_ms"]);
    assert!([&own, &shared].iter().all(|result| result["correct"] == 1.0));
}

/// Wrong if the medium, its rate, its transport or the protocol were not those that the scenario names.
#[test]
fn a_run_is_what_its_scenario_says() {
    let run = |ethernet: &str, gather: &str| {
        let fabric = "[fabric]\nrate = '1 Gb/s'\n";
        let network = format!("{CHAIN}{fabric}[ethernet]\n{ethernet}");
        let gather = format!("size = '2 KiB'\nranks-per-machine = 2\n{gather}");
        let summary = gathered(&network, &gather);
        assert_eq!(summary["all_right"], true, "{summary}");
        summary
    };
    let (slow, fast) = (run("", "algorithm = 'lr3'\n"), run("rate = '1 Gb/s'\n", "algorithm = 'lr3'\n"));
    assert!(ms(&slow) > 5.0 * ms(&fast));
    assert_eq!((&slow["ranks"], &slow["machines"]), (&16.into(), &8.into()));
    assert_eq!((&slow["medium"], &slow["transport"]), (&"ethernet".into(), &"datagram".into()));
    let tcp = run("transport = 'tcp'\n", "algorithm = 'lr3'\nprotocol = 'eager'\n");
    assert_eq!((&tcp["transport"], &tcp["protocol"]), (&"tcp".into(), &"eager".into()));
    let worms = run("", "algorithm = 'lr3'\nmedium = 'fabric'\n");
    assert!(ms(&worms) < ms(&fast), "cut through is faster than stored and forwarded");
    assert_eq!((&worms["transport"], &worms["rate_bits_per_s"]), (&Value::Null, &1_000_000_000_u64.into()));
    // (P - N) m / B.
    let bound = 14.0 * 2_048.0 * 8.0 / 1e9 * 1e3;
    assert!((worms["bound_ms"].as_f64().unwrap() / bound - 1.0).abs() < 1e-9);
    let selected = run("", "algorithm = 'mpich'\nmedium = 'fabric'\nprotocol = 'eager'\n");
    assert_eq!(
        (&selected["ran"], &selected["contention_free"]),
        (&"recursive-doubling".into(), &Value::Null)
    );
}

/// Wrong if rings on an Ethernet with loops were judged on, or found on, a tree that frames do not keep to.
#[test]
fn rings_follow_the_elected_tree() {
    let torus = "[scenario]\nname = 's'\n[topology.torus]\nx = 3\ny = 3\nhosts-per-switch = 2\n[ethernet]\n";
    let run = |more: &str| gathered(torus, &format!("size = '4 KiB'\n{more}"));
    for algorithm in ["lr1", "lr3"] {
        let summary = run(&format!("algorithm = '{algorithm}'\n"));
        assert_eq!(
            (&summary["contention_free"], &summary["correct"]),
            (&true.into(), &1.0.into()),
            "{algorithm}"
        );
    }
    assert_eq!(run("algorithm = 'ring'\n")["contention_free"], false, "ranks know no tree");
    let other = "algorithm = 'lr1'\ntree = 'dfs'\n";
    let summary = run(other);
    assert_eq!(summary["contention_free"], false, "frames do not keep to that tree");
    assert_eq!(summary["correct"], 1.0);
    let worms = run(&format!("{other}medium = 'fabric'\n"));
    assert_eq!(worms["contention_free"], true, "worms follow the ring's own tree");
    let routed = run(&format!("{other}medium = 'fabric'\nring-routes = 'routing'\n"));
    assert_eq!(routed["judged_on"], "routes");
}

/// Wrong if a lossy run hung, or hid what it lost; TCP on the same switches loses frames and no byte.
#[test]
fn losses_are_told_and_tcp_recovers() {
    let run = |transport: &str| {
        let network =
            "[scenario]\nname = 's'\n[topology]\npreset = 'faraj-f'\n[ethernet]\nbuffer = '16 KiB'\n";
        let gather = "[allgather]\nalgorithm = 'ring'\nsize = '16 KiB'\nprotocol = 'eager'\n";
        summary(&format!("{network}transport = '{transport}'\n{gather}"))
    };
    let summary = run("datagram");
    let lossy = &summary["allgather"];
    assert!(
        lossy["messages_lost"].as_u64() > Some(0) && lossy["frames_dropped"].as_u64() > Some(0),
        "{lossy}"
    );
    assert!(lossy["buffers_missing"].as_u64() > Some(0) && lossy["time_mean_ms"].is_null());
    assert_eq!((&lossy["buffers_wrong"], &lossy["all_right"]), (&0.into(), &false.into()));
    assert!(lossy["lost"][0].as_str().unwrap().contains("(rank "), "{lossy}");
    assert!(lossy["stuck"][0].as_str().unwrap().contains("waits in repetition 0 for"), "{lossy}");
    assert_eq!(summary["outcome"], "horizon");
    let summary = run("tcp");
    let whole = &summary["allgather"];
    assert_eq!((&whole["correct"], &whole["messages_lost"]), (&1.0.into(), &0.into()));
    assert!(whole["frames_dropped"].as_u64() > Some(0));
    assert_eq!(summary["outcome"], "drained");
}

/// Wrong if Fig. 5's rings had other paths, a ring left a machine out, or a root by chance did not follow the seed.
#[test]
fn rings_are_found_as_the_scenario_says() {
    let ring = |keys: &str, seed: u64| {
        let text = format!(
            "[scenario]\nname = 's'\nseed = {seed}\n[topology]\npreset = 'faraj-fig5'\n[rings]\n{keys}"
        );
        summary(&text)["rings"].take()
    };
    for (algorithm, longest) in [("lr1", 4), ("lr2", 2), ("lr3", 2)] {
        let summary = ring(&format!("algorithm = '{algorithm}'\n"), 0);
        assert_eq!(
            (&summary["max_path_length"], &summary["contention_free"]),
            (&longest.into(), &true.into())
        );
        assert_eq!(summary["hosts"].as_array().unwrap().len(), 8);
    }
    let roots: std::collections::BTreeSet<String> =
        (0..20).map(|seed| ring("root = 'random'\n", seed)["root"].to_string()).collect();
    assert!(roots.len() > 1 && roots.len() <= 4, "{roots:?}");
}

fn simnet(room: &tempfile::TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    command.args(["run", "s.toml"]).args(arguments).current_dir(room.path()).output().unwrap()
}

fn room(text: &str) -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("s.toml"), text).unwrap();
    room
}

/// Wrong if LR2 where Theorem 2 fails ended well, or did not name the switch.
#[test]
fn a_ring_that_cannot_exist_names_the_switch() {
    let star = "[scenario]\nname = 's'\n[topology.star]\nleaves = 3\nhosts-per-switch = 2\n[ethernet]\n\
                [allgather]\nalgorithm = 'lr2'\nsize = '1 KiB'\n";
    let room = room(star);
    let output = simnet(&room, &["--quiet"]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("lr2: no ring of two hops: switch "), "{complaint}");
    let summary: Value =
        serde_json::from_slice(&fs::read(room.path().join("results/s/summary.json")).unwrap()).unwrap();
    assert!(summary["allgather"]["ran"].is_null());
}

/// Wrong if a capture changed a result, was refused where there are frames, or was written where there are none.
#[test]
fn frames_are_captured_where_there_are_any() {
    let text =
        format!("{CHAIN}[ethernet]\ntransport = 'tcp'\n[allgather]\nalgorithm = 'lr1'\nsize = '1 KiB'\n");
    let captured = room(&text);
    let plain = room(&text);
    assert!(simnet(&captured, &["--quiet", "--pcap", "frames.pcapng"]).status.success());
    assert!(simnet(&plain, &["--quiet"]).status.success());
    let bytes = fs::read(captured.path().join("frames.pcapng")).unwrap();
    assert_eq!(bytes[..4], 0x0a0d_0d0a_u32.to_le_bytes());
    assert!(bytes.len() > 10_000, "some frames of a TCP run");
    let results = |room: &tempfile::TempDir| fs::read(room.path().join("results/s/summary.json")).unwrap();
    assert_eq!(results(&captured), results(&plain));
    let other = room(&format!("{CHAIN}[routing]\nalgorithm = 'updown'\n"));
    let output = simnet(&other, &["--pcap", "frames.pcapng"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1, "something was written");
}

/// Frames by their source that are sent and do not come to the first host.
struct Lost(Vec<i64>);

impl Observer<Segment> for Lost {
    fn passed(
        &mut self,
        _now: Time,
        port: End,
        way: Direction,
        frame: &Frame<Segment>,
        _write: &dyn Fn(&mut Vec<u8>),
    ) {
        let lost = &mut self.0[frame.source.index()];
        match (way, port.node) {
            (Direction::Out, Node::Host(_)) => *lost += 1,
            (Direction::In, Node::Host(HostId(0))) => *lost -= 1,
            _ => {}
        }
    }
}

/// Frames that each of so many machines loses that send 256 KiB to one at the same instant, over one switch.
fn losses(senders: u32, seed: u64) -> Vec<i64> {
    let network = format!("[topology.chain]\nswitches = 1\nhosts-per-switch = {}\n", senders + 1);
    let ethernet = "[ethernet]\nrate = '1 Gb/s'\nbuffer = '32 KiB'\nbuffer-sharing = 'per-port'\n";
    let gather = "[allgather]\nalgorithm = 'gather-broadcast'\nsize = '256 KiB'\nprotocol = 'eager'\n";
    let text = format!("[scenario]\nname = 'tie'\nseed = {seed}\n{network}{ethernet}{gather}");
    let checked = checked(&text);
    let Work::Allgather(work) = &checked.work else { panic!("an all-gather") };
    let Medium::Ethernet(ethernet) = &work.medium else { panic!("an Ethernet") };
    let topology = &checked.topology;
    let parameters = Parameters { seed, ..ethernet.parameters(&topology.network, None) };
    let lost = Lost(vec![0; topology.network.hosts().len()]);
    let mut medium =
        Datagram::new(&topology.network, &parameters, &topology.attachments, ethernet.header, lost).unwrap();
    medium.introduce_all();
    for source in 1..=senders {
        let (source, destination) = (HostId(source), HostId(0));
        medium.send(Message { source, destination, bytes: 256 << 10, tag: 0 }, Time::ZERO);
    }
    while medium.advance(None).is_some() {}
    let lost = medium.into_observer().0.split_off(1);
    // The same without an observer, in trains.
    assert_eq!(summary(&text)["allgather"]["frames_dropped"], lost.iter().sum::<i64>());
    lost
}

/// Wrong if a full buffer preferred a sender among those that send at once: over many seeds by a fifth of what each
/// loses, or with one seed by more than twice.
#[test]
fn senders_at_once_share_their_losses() {
    for senders in [2, 8] {
        let mut all = vec![0; senders as usize];
        for seed in 0..20 {
            let lost = losses(senders, seed);
            let (least, most) = (lost.iter().min().unwrap(), lost.iter().max().unwrap());
            assert!(*least > 0 && *most <= 2 * least, "seed {seed}: {lost:?}");
            all.iter_mut().zip(lost).for_each(|(sum, lost)| *sum += lost);
        }
        println!("{senders} senders lose {all:?} frames with 20 seeds");
        let spread = all.iter().max().unwrap() - all.iter().min().unwrap();
        let mean = all.iter().sum::<i64>() as f64 / f64::from(senders);
        assert!((spread as f64) < 0.2 * mean, "{all:?}");
    }
}
