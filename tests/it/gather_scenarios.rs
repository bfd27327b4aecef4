//! Scenarios of all-gathers and rings: cells are the kernel's own runs, results stand where the page says, and losses,
//! refusals and captures end as they should.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use simnet::ring;
use simnet::scenario::{Checked, Overrides, read};
use simnet::simulation::rings::{Study, study};
use simnet::simulation::{self, Run};

fn checked(text: &str) -> Checked {
    read("s.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|refused| panic!("{refused}"))
}

fn run(text: &str) -> Run {
    simulation::run(&checked(text), &(), None).unwrap()
}

fn summary(text: &str) -> Value {
    serde_json::to_value(&run(text).summary).unwrap()
}

const CHAIN: &str = "[scenario]\nname = 's'\n[topology.chain]\nswitches = 4\nhosts-per-switch = 2\n";

/// The result of an id.
fn result<'a>(summary: &'a Value, id: &str) -> &'a Value {
    let results = summary["allgather"]["results"].as_array().unwrap();
    results.iter().find(|result| result["id"] == id).unwrap_or_else(|| panic!("no {id} in {results:?}"))
}

fn ms(result: &Value) -> f64 {
    result["time_mean_ms"].as_f64().unwrap_or_else(|| panic!("no time: {result}"))
}

/// Wrong by more than a thousandth if frames, steps or the protocol were others than the arithmetic's. With rendezvous
/// a step lasts until the last frame has arrived: on one switch the same for all; on several between that of one
/// switch and that of the longest path, and longer for LR1 than for LR2.
#[test]
fn a_ring_takes_what_frames_take() {
    let rest = "[ethernet]\ncable-length = '200 m'\nheader = '40 B'\n[allgather]\n\
                algorithms = ['lr1', 'lr2']\nsizes = ['128 KiB']\nprotocols = ['rendezvous']\n";
    let byte = 8.0 / 100e6 * 1e3;
    // 89 frames of 1,460 B of data and one of 1,132 B; 38 B beside the payload, 12 of them a gap. Through d switches
    // the last full frame is sent d times more, and the short one behind it; cables of 1 us.
    let frames = (89.0 * (1_500.0 + 38.0) + (1_132.0 + 40.0 + 26.0)) * byte;
    let step = |switches: f64| frames + switches * (1_500.0 + 26.0) * byte + 1e-3 * (switches + 1.0);
    let one = "[scenario]\nname = 's'\n[topology.chain]\nswitches = 1\nhosts-per-switch = 8\n";
    let told = summary(&format!("{one}{rest}"));
    let ours = ms(result(&told, "chain-1/lr1/131072"));
    assert!((ours / (7.0 * step(1.0)) - 1.0).abs() < 1e-3, "{ours} is not {}", 7.0 * step(1.0));
    let bound = 7.0 * 131_072.0 * byte;
    assert!((result(&told, "chain-1/lr1/131072")["bound_ms"].as_f64().unwrap() / bound - 1.0).abs() < 1e-9);
    let told = summary(&format!("{CHAIN}{rest}"));
    let [lr1, lr2] = ["chain-4/lr1/131072", "chain-4/lr2/131072"].map(|id| result(&told, id));
    for (result, switches) in [(lr1, 4_u32), (lr2, 2)] {
        let (least, most) = (7.0 * step(1.0), 7.0 * step(f64::from(switches)));
        assert!((least..=most * 1.001).contains(&ms(result)), "{result} is not {least} to {most}");
        assert_eq!(result["max_path_length"], switches);
        assert_eq!((&result["contention_free"], &result["correct"]), (&true.into(), &1.0.into()));
    }
    assert!(ms(lr1) > ms(lr2));
}

/// Wrong if an axis were left out of ids, or its values not run; media, rates, transports and protocols all vary.
#[test]
fn every_combination_is_a_result() {
    let text = format!(
        "{CHAIN}[ethernet]\n[allgather]\nalgorithms = ['lr3', 'mpich']\nsizes = ['1 KiB', '2 KiB']\n\
         media = ['ethernet', 'fabric']\nrates = ['100 Mb/s', '1 Gb/s']\ntransports = ['tcp', 'datagram']\n\
         protocols = ['eager', 'rendezvous']\nranks-per-machine = 2\n"
    );
    let told = summary(&text);
    let results = told["allgather"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2 * 2 * 2 * 2 * 2 + 2 * 2 * 2 * 2);
    assert_eq!(told["allgather"]["all_right"], true);
    assert_eq!(told["outcome"], "drained");
    let slow = result(&told, "chain-4/lr3/ethernet/100000000/datagram/rendezvous/2048");
    let fast = result(&told, "chain-4/lr3/ethernet/1000000000/datagram/rendezvous/2048");
    assert!(ms(slow) > 5.0 * ms(fast));
    assert_eq!((&slow["ranks"], &slow["machines"]), (&16.into(), &8.into()));
    let worms = result(&told, "chain-4/lr3/fabric/1000000000/rendezvous/2048");
    assert!(ms(worms) < ms(fast), "cut through is faster than stored and forwarded");
    // (P - N) m / B.
    let bound = 14.0 * 2_048.0 * 8.0 / 1e9 * 1e3;
    assert!((worms["bound_ms"].as_f64().unwrap() / bound - 1.0).abs() < 1e-9);
    let eager = result(&told, "chain-4/mpich/fabric/1000000000/eager/1024");
    assert_eq!((&eager["ran"], &eager["contention_free"]), (&"recursive-doubling".into(), &Value::Null));
}

/// Wrong if rings on an Ethernet with loops were judged on, or found on, a tree that frames do not keep to.
#[test]
fn rings_follow_the_elected_tree() {
    let torus = "[scenario]\nname = 's'\n[topology.torus]\nx = 3\ny = 3\nhosts-per-switch = 2\n[ethernet]\n";
    let rest = "[allgather]\nalgorithms = ['lr1', 'lr3', 'ring']\nsizes = ['4 KiB']\n";
    let told = summary(&format!("{torus}{rest}"));
    for id in ["torus-3/lr1/4096", "torus-3/lr3/4096"] {
        assert_eq!(result(&told, id)["contention_free"], true, "{id}");
        assert_eq!(result(&told, id)["correct"], 1.0, "{id}");
    }
    let other = summary(&format!("{torus}{rest}tree = 'dfs'\n"));
    assert_eq!(
        result(&other, "torus-3/lr1/4096")["contention_free"],
        false,
        "frames do not keep to that tree"
    );
    assert_eq!(result(&other, "torus-3/lr1/4096")["correct"], 1.0);
    let fabric = rest.replace("sizes", "media = ['fabric']\nsizes");
    let worms = summary(&format!("{torus}{fabric}tree = 'dfs'\n"));
    assert_eq!(
        result(&worms, "torus-3/lr1/4096")["contention_free"],
        true,
        "worms follow the ring's own tree"
    );
    let routed = summary(&format!("{torus}{fabric}tree = 'dfs'\nring-routes = 'routing'\n"));
    assert_eq!(result(&routed, "torus-3/lr1/4096")["judged_on"], "routes");
}

/// Wrong if a lossy run hung, or hid what it lost; TCP on the same switches loses frames and no byte.
#[test]
fn losses_are_told_and_tcp_recovers() {
    let text = "[scenario]\nname = 's'\n[topology]\npreset = 'faraj-f'\n[ethernet]\nbuffer = '16 KiB'\n\
                [allgather]\nalgorithms = ['ring']\nsizes = ['16 KiB']\nprotocols = ['eager']\n\
                transports = ['datagram', 'tcp']\n";
    let told = summary(text);
    let lossy = result(&told, "faraj-f/ring/datagram/16384");
    assert!(
        lossy["messages_lost"].as_u64() > Some(0) && lossy["frames_dropped"].as_u64() > Some(0),
        "{lossy}"
    );
    assert!(lossy["buffers_missing"].as_u64() > Some(0) && lossy["time_mean_ms"].is_null());
    assert_eq!(lossy["buffers_wrong"], 0);
    assert!(lossy["lost"][0].as_str().unwrap().contains("(rank "), "{lossy}");
    assert!(lossy["stuck"][0].as_str().unwrap().contains("waits in repetition 0 for"), "{lossy}");
    let whole = result(&told, "faraj-f/ring/tcp/16384");
    assert_eq!((&whole["correct"], &whole["messages_lost"]), (&1.0.into(), &0.into()));
    assert!(whole["frames_dropped"].as_u64() > Some(0));
    assert_eq!(told["outcome"], "horizon");
}

/// Wrong if references named other cells, or ratios and unit conversions were wrong.
#[test]
fn printed_numbers_stand_beside_ours() {
    let text = "[scenario]\nname = 's'\n[topology]\npreset = 'faraj-f'\n[ethernet]\n\
                [allgather]\nalgorithms = ['mpich', 'lr1']\nsizes = ['8 KiB', '16 KiB', '128 KiB']\n\
                [[allgather.references]]\npaper = '001'\nfigure = '5 text'\n\
                quantity = 'speed-up LR1 over MPICH'\nconfiguration = 'topology (f); 128 KB'\n\
                algorithm = 'mpich'\nover = 'lr1'\nsize = '128 KiB'\n\
                [[allgather.references]]\npaper = '001'\nfigure = '5 text'\n\
                quantity = 'MPICH switch to ring at message size'\nconfiguration = '32 machines'\n\
                algorithm = 'mpich'\nours = 'ring-from'\n";
    let told = summary(text);
    let paper = &told["allgather"]["paper"];
    let ratio = ms(result(&told, "faraj-f/mpich/131072")) / ms(result(&told, "faraj-f/lr1/131072"));
    assert!((paper[0]["ours"].as_f64().unwrap() - ratio).abs() < 1e-9 && ratio > 4.0, "{paper}");
    assert_eq!((&paper[1]["ours"], &paper[1]["printed"]), (&16.0.into(), &16.0.into()));
}

/// Wrong if the rings of a scenario were not those of the study, or Fig. 5's rings had other paths.
#[test]
fn rings_are_those_of_the_study() {
    let told = summary(
        "[scenario]\nname = 's'\nseed = 9\n[topology]\npreset = 'faraj-fig5'\n[rings]\n\
         algorithms = ['lr1', 'lr2', 'lr3']\ntrees = ['bfs']\nfamilies = ['waxman']\nmachines = [60]\ninstances = 4\n",
    );
    let lengths: Vec<u64> =
        (0..3).map(|nth| told["rings"]["network"][nth]["max_path_length"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [4, 2, 2]);
    let rows = study(&Study {
        family: "waxman",
        degree: 4,
        machines_per_switch: 5,
        sizes: vec![60],
        instances: 4,
        trees: vec![ring::Kind::Bfs],
        algorithms: vec![ring::Algorithm::Lr1, ring::Algorithm::Lr2, ring::Algorithm::Lr3],
        seed: 9,
    });
    for (nth, row) in rows.unwrap().iter().enumerate() {
        let ours = &told["rings"]["clusters"][nth];
        assert_eq!(ours["max_path_length_mean"].as_f64(), row.mean(), "{ours}");
        assert_eq!(ours["contention_free"], ours["rings"]);
    }
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

/// Wrong if LR2 where Theorem 2 fails ended well, or did not name the switch, or kept the others from running.
#[test]
fn a_ring_that_cannot_exist_names_the_switch() {
    let star = "[scenario]\nname = 's'\n[topology.star]\nleaves = 3\nhosts-per-switch = 2\n[ethernet]\n\
                [allgather]\nalgorithms = ['lr1', 'lr2']\nsizes = ['1 KiB']\n";
    let room = room(star);
    let output = simnet(&room, &["--quiet"]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("star-3/lr2/1024: no ring of two hops: switch "), "{complaint}");
    let told: Value =
        serde_json::from_slice(&fs::read(room.path().join("results/s/summary.json")).unwrap()).unwrap();
    assert_eq!(result(&told, "star-3/lr1/1024")["correct"], 1.0);
    assert!(result(&told, "star-3/lr2/1024")["ran"].is_null());
}

/// Wrong if a capture changed a result, was refused where there are frames, or was written where there are none.
#[test]
fn frames_are_captured_where_there_are_any() {
    let text = format!(
        "{CHAIN}[ethernet]\n[allgather]\nalgorithms = ['lr1']\nsizes = ['1 KiB']\ntransports = ['tcp', 'datagram']\n"
    );
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
