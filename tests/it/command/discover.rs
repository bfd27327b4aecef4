//! `simnet discover`: what it says of matrices good and bad, and what it leaves behind.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use simnet::discovery::{Hops, SwitchTree};
use simnet::ids::Node;
use simnet::topology::formats::{self, ReadOptions};
use simnet::topology::{Network, generate, presets};
use tempfile::TempDir;

use support_network::cases;

/// The CSV of Fig. 6 that ships with the project.
const FIG6: &str = include_str!("../../../scenarios/lawrence2008/fig6.csv");

/// A place for files.
struct Room(TempDir);

/// What a run ended with, and what it printed.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

impl Room {
    fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `discover` on a text.
    fn discover(&self, csv: &str, arguments: &[&str]) -> Ended {
        fs::write(self.at("rtt.csv"), csv).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
        let output =
            command.current_dir(self.0.path()).args(["discover", "rtt.csv"]).args(arguments).output();
        let output = output.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn discovered(csv: &str, arguments: &[&str]) -> Ended {
    Room::new().discover(csv, &[&["--format", "json"], arguments].concat())
}

/// A CSV of the times that hop counts make, with a few microseconds of noise that differ by cell.
fn csv(names: &[String], hops: &Hops, base_ns: u64, step_ns: u64, noise_ns: u64) -> String {
    let mut text = String::new();
    names.iter().for_each(|name| write!(text, ",{name}").unwrap());
    for (from, name) in names.iter().enumerate() {
        write!(text, "\n{name}").unwrap();
        for to in 0..names.len() {
            let noise = (((from * 7919 + to * 104_729) as u64 * 2_654_435_761) >> 16) % (noise_ns + 1);
            let ns = base_ns + step_ns * u64::from(hops.between(from, to)) + noise;
            match from == to {
                true => text.push_str(",0"),
                false => write!(text, ",{}.{:06}", ns / 1_000_000, ns % 1_000_000).unwrap(),
            }
        }
    }
    text.push('\n');
    text
}

/// The tree that a network is.
fn as_tree(net: &Network) -> SwitchTree {
    let homes = net.host_ids().map(|host| match net.attachment(host) {
        Some((_, _, end)) => match end.node {
            Node::Switch(switch) => switch.0,
            Node::Host(_) => panic!("a cable between machines"),
        },
        None => panic!("a loose machine"),
    });
    let links = net.links().iter().filter_map(|link| match (link.a.node, link.b.node) {
        (Node::Switch(a), Node::Switch(b)) => Some((a.0, b.0)),
        _ => None,
    });
    let switches = u32::try_from(net.switches().len()).unwrap();
    SwitchTree { homes: homes.collect(), switches, links: links.collect() }
}

fn names(net: &Network) -> Vec<String> {
    net.hosts().iter().map(|host| host.name.clone()).collect()
}

/// The network that a result's `topology` is.
fn network(topology: &Value) -> Network {
    formats::read("result", topology.to_string().as_bytes(), &ReadOptions::default()).unwrap()
}

fn rows(hops: &Hops) -> Value {
    json!((0..hops.machines()).map(|machine| hops.row(machine)).collect::<Vec<_>>())
}

/// Wrong if Fig. 6 gave anything but Fig. 8's hop counts, section 3.2's classes and Fig. 1's tree.
#[test]
fn fig6_gives_fig8_and_fig1() {
    let ended = discovered(FIG6, &[]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let found = ended.json();
    let expected = json!([
        [0, 1, 2, 2, 3, 3],
        [1, 0, 2, 2, 3, 3],
        [2, 2, 0, 1, 2, 2],
        [2, 2, 1, 0, 2, 2],
        [3, 3, 2, 2, 0, 1],
        [3, 3, 2, 2, 1, 0]
    ]);
    assert_eq!(found["hop_counts"], expected);
    let net = network(&found["topology"]);
    assert_eq!(
        (names(&net), net.name.as_str()),
        (names(&presets::load("lawrence-fig1").unwrap()), "discovered")
    );
    assert_eq!(rows(&as_tree(&net).hops()), expected);
    assert_eq!(as_tree(&net).switches, 3);
    let classes = found["classes"].as_array().unwrap();
    let ends =
        classes.iter().map(|class| json!([class["low_ms"], class["high_ms"], class["hops"], class["count"]]));
    assert_eq!(
        ends.collect::<Value>(),
        json!([[0.131, 0.134, 1, 6], [0.155, 0.16, 2, 16], [0.173, 0.177, 3, 8]])
    );
    assert_eq!(found["machines"], json!(["n0", "n1", "n2", "n3", "n4", "n5"]));
    assert_eq!(
        (&found["method"], &found["asymmetric"], &found["nearest"]),
        (&json!("sturdy"), &json!([]), &json!(null))
    );
    assert_eq!((&found["methods_agree"], &found["other_topology"]), (&json!(true), &json!(null)));
    let sure = found["confidence"].as_array().unwrap();
    assert!(sure.len() == 3 && sure.iter().all(|sure| sure.as_f64().unwrap() >= 0.98), "{sure:?}");
    let paper = discovered(FIG6, &["--method", "paper"]).json();
    assert_eq!((&paper["method"], &paper["sturdy"]), (&json!("paper"), &json!(null)));
    for same in ["hop_counts", "topology", "classes"] {
        assert_eq!(paper[same], found[same], "{same}");
    }
}

/// Wrong if the tree of a cluster whose times jitter by a tenth to half of what a switch adds were another, or not
/// sure; if the paper's method, which sees one switch there, did not say that the other one disagrees; or if a tree
/// that leaves far less of exact times were not shown beside.
#[test]
fn jitter_makes_no_wrong_tree_sure() {
    let tree = SwitchTree {
        homes: (0..24).map(|machine| machine % 4).collect(),
        switches: 4,
        links: vec![(0, 1), (0, 2), (2, 3)],
    };
    let names: Vec<String> = (0..24).map(|nth| format!("n{nth}")).collect();
    for (case, jitter_ns) in [1_000, 2_000, 3_000, 4_000, 5_000].into_iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(case as u64);
        let mut normal = || (0..12).map(|_| random.random_range(0.0..1.0)).sum::<f64>() - 6.0;
        let mut text = csv(&names, &tree.hops(), 0, 0, 0);
        for (from, line) in names.iter().enumerate() {
            let us = |to: usize, jitter: f64| 60.0 + 10.0 * f64::from(tree.hops().between(from, to)) + jitter;
            let row: Vec<String> = (0..24)
                .map(|to| match to == from {
                    true => "0".to_owned(),
                    false => format!("{:.6}", us(to, normal() * f64::from(jitter_ns) / 1e3) / 1e3),
                })
                .collect();
            let old = text.lines().nth(from + 1).unwrap().to_owned();
            text = text.replacen(&format!("\n{old}\n"), &format!("\n{line},{}\n", row.join(",")), 1);
        }
        let ended = discovered(&text, &[]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{jitter_ns} ns: {}", ended.out);
        assert_eq!(ended.json()["hop_counts"], rows(&tree.hops()), "{jitter_ns} ns");
        let paper = discovered(&text, &["--method", "paper"]);
        let agrees = paper.json()["hop_counts"] == rows(&tree.hops());
        assert!(
            agrees || paper.err.contains("the two methods disagree") || paper.code == Some(5),
            "{}",
            paper.err
        );
    }
    let small = SwitchTree { homes: vec![0, 0, 1, 1, 2, 2], switches: 3, links: vec![(0, 1), (1, 2)] };
    let text = csv(&names[..6], &small.hops(), 100_000, 1_000, 0);
    let room = Room::new();
    let ended = room.discover(&text, &["--clustering", "paper", "--noise", "100 ns", "--format", "json"]);
    assert_eq!(ended.json()["hop_counts"], rows(&small.hops()));
    let wide = csv(&names[..6], &small.hops(), 200_000, 6_000, 0);
    let human = room.discover(&wide, &[]);
    let found = discovered(&wide, &[]);
    let (code, found) = (found.code, found.json());
    let both = [&found["topology"], &found["other_topology"]];
    let is_there =
        both.iter().any(|one| one.is_object() && rows(&as_tree(&network(one)).hops()) == rows(&small.hops()));
    assert!(is_there && (code == Some(0) || both[1].is_object()), "{code:?} {found}");
    assert_eq!(human.code == Some(5), human.out.contains("The other tree that fits"), "{}", human.out);
}

/// Wrong if a reconstruction of the paper's clusters were not recovered from clean times, or machines were put into
/// another order than the CSV's.
#[test]
fn the_papers_clusters_are_recovered() {
    for name in presets::NAMES.iter().filter(|name| name.starts_with("lawrence")) {
        let net = presets::load(name).unwrap();
        let hops = as_tree(&net).hops();
        for step_ns in [23_648, 236_480] {
            let found = discovered(&csv(&names(&net), &hops, 85_000, step_ns, 1_500), &["--name", name]);
            assert_eq!((found.code, found.err.as_str()), (Some(0), ""), "{name}");
            let found = found.json();
            assert_eq!(found["hop_counts"], rows(&hops), "{name}");
            let found = network(&found["topology"]);
            assert_eq!((found.name.as_str(), names(&found)), (*name, names(&net)));
            assert_eq!(rows(&as_tree(&found).hops()), rows(&hops), "{name}");
        }
    }
}

/// Wrong if random trees whose classes the heuristic can count were not recovered, by any clustering.
#[test]
fn random_trees_are_recovered() {
    let mut tried = 0;
    for seed in 0..cases(200) {
        let machines = 4 + seed % 23;
        let size = [("switches", 2 + seed % 9), ("machines", machines)];
        let net = generate::build("random-tree", &size, seed).unwrap();
        let hops = as_tree(&net).hops();
        let all: Vec<u32> = (0..hops.machines()).flat_map(|machine| hops.row(machine).to_vec()).collect();
        if !all.contains(&1) || !all.contains(&2) {
            continue;
        }
        tried += 1;
        let text = csv(&names(&net), &hops, 90_000, 23_648, 1_000);
        for arguments in [&[][..], &["--clustering", "k-means"], &["--rate", "1 Gb/s"], &["--intra", "range"]]
        {
            let ended = discovered(&text, arguments);
            let found = ended.json();
            if found["method"] == "sturdy" && ended.code == Some(5) {
                assert!(found["other_topology"].is_object(), "seed {seed}, {arguments:?}: {}", ended.err);
                continue;
            }
            assert_eq!(ended.code, Some(0), "seed {seed}, {arguments:?}: {}", ended.err);
            assert_eq!(found["hop_counts"], rows(&hops), "seed {seed}, {arguments:?}");
        }
    }
    assert!(tried > 0, "no tree was tried");
}

/// Wrong if what is known did not mend what the heuristic cannot know: no two machines on one switch.
#[test]
fn known_pairs_and_rates_mend_the_heuristic() {
    let tree = SwitchTree { homes: vec![0, 1, 2, 3], switches: 4, links: vec![(0, 1), (1, 2), (2, 3)] };
    let names = ["a", "b", "c", "d"].map(str::to_owned);
    let text = csv(&names, &tree.hops(), 85_000, 23_648, 0);
    let plain = discovered(&text, &["--method", "paper"]).json();
    assert_ne!(plain["hop_counts"], rows(&tree.hops()));
    for arguments in [
        &["--known", "a,b=2", "--known", "a,d=4"][..],
        &["--known", "b,c=2", "--rate", "1 Gb/s"],
        &["--known", "a,b=2", "--rate", "1 Gb/s", "--message", "1400 B"],
    ] {
        let found = discovered(&text, arguments);
        assert_eq!(found.code, Some(0), "{arguments:?}: {}", found.err);
        assert_eq!(found.json()["hop_counts"], rows(&tree.hops()), "{arguments:?}");
    }
}

/// Hop counts that no tree has: n0 is as far from n1 as from n2, which share a switch, but for one pair.
fn spoilt() -> String {
    FIG6.replace("n0,0,0.131,0.157", "n0,0,0.131,0.133").replace("n2,0.16,0.155", "n2,0.133,0.155")
}

/// Wrong if hop counts without a tree ended well, were not printed, or left the user without the nearest tree.
#[test]
fn no_tree_is_exit_code_5_with_the_nearest() {
    let room = Room::new();
    let ended = room.discover(&spoilt(), &["--topology", "net.json", "--format", "json"]);
    assert_eq!(ended.code, Some(5), "{}", ended.err);
    let found = ended.json();
    assert_eq!(found["topology"], Value::Null);
    assert_eq!(found["hop_counts"][0], json!([0, 1, 1, 2, 3, 3]));
    let nearest = &found["nearest"];
    assert_eq!(nearest["wrong"], json!([["n0", "n2"]]));
    assert_eq!(nearest["wrong_pairs"], json!(1));
    let whole = discovered(FIG6, &[]).json();
    assert_eq!(rows(&as_tree(&network(&nearest["topology"])).hops()), whole["hop_counts"]);
    let culprits = nearest["machines"].as_array().unwrap();
    assert!(culprits.contains(&json!("n0")) || culprits.contains(&json!("n2")), "{nearest}");
    assert!(
        ended.err.contains("no tree has these hop counts")
            && ended.err.contains("net.json has the nearest tree")
    );
    let written: Value = serde_json::from_str(&fs::read_to_string(room.at("net.json")).unwrap()).unwrap();
    assert_eq!(written, nearest["topology"]);
    let human = room.discover(&spoilt(), &[]);
    assert_eq!(human.code, Some(5));
    assert!(
        human.out.contains("Nearest tree") && human.out.contains("but for 1 pair of machines"),
        "{}",
        human.out
    );
}

/// Wrong if what people see changed unnoticed.
#[test]
fn the_human_form_is_known() {
    let room = Room::new();
    let ended = room.discover(FIG6, &["--topology", "net.json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("discover");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("fig6", ended.out);
        insta::assert_snapshot!("fig6-topology", fs::read_to_string(room.at("net.json")).unwrap());
        insta::assert_snapshot!("no-tree", room.discover(&spoilt(), &[]).out);
    });
    let written = fs::read(room.at("net.json")).unwrap();
    let again = room.discover(FIG6, &["--topology", "net.json"]);
    assert_eq!((again.out, fs::read(room.at("net.json")).unwrap()), (ended.out, written));
}

/// Wrong if a CSV that is none were taken, or its fault had no row and column.
#[test]
fn bad_csvs_are_refused_with_their_place() {
    for (text, place) in [
        ("", "rtt.csv:1:1"),
        ("\n", "rtt.csv:1:1"),
        (",a,b\na,0,0.1\n", "rtt.csv:"),
        (",a,b\na,0\nb,0.1,0\n", "rtt.csv:2:"),
        (",a,b\na,0,\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,-0.1\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,0\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,0.1,0.2\nb,0.1,0\n", "rtt.csv:2:"),
        (",a,a\na,0,0.1\na,0.1,0\n", "rtt.csv:1:4"),
        (",a,b\na,0,nan\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,inf\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,1e999\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,x\nb,0.1,0\n", "rtt.csv:2:5"),
        (",a,b\na,0,0.1\nc,0.1,0\n", "rtt.csv:3:1"),
        (",a,b\na,0,0.1\nb,0.1,0.5\n", "rtt.csv:3:7"),
    ] {
        for format in ["json", "human"] {
            let room = Room::new();
            let ended = room.discover(text, &["--format", format, "--topology", "net.json"]);
            assert_eq!((ended.code, ended.out.as_str()), (Some(3), ""), "{text:?}: {}", ended.err);
            assert!(ended.err.contains(place), "{text:?}: {}", ended.err);
            assert!(!room.at("net.json").exists());
        }
    }
}

/// Wrong if a mistake on the command line ended well, in a panic, or without naming its option.
#[test]
fn mistakes_on_the_command_line_are_usage() {
    for (arguments, complaint) in [
        (&["--known", "n0,m5=3"][..], "did you mean `n5`"),
        (&["--known", "n0,zzzzzzzz=3"], "no machine is called `zzzzzzzz`"),
        (&["--known", "n0=3"], "--known n0=3"),
        (&["--known", "n0,n1=0"], "from 1 to 65536"),
        (&["--known", "n0,n0=1"], "to itself"),
        (&["--classes", "3"], "`--classes` is for `--clustering k-means`"),
        (&["--clustering", "k-means", "--classes", "0"], "at least 1"),
        (&["--clustering", "k-means", "--intra", "range"], "--intra"),
        (&["--inter-threshold", "0"], "--inter-threshold 0"),
        (&["--noise", "5"], "bare number"),
        (&["--rate", "fast"], "--rate fast"),
        (&["--rate", "0 b/s"], "--rate"),
        (&["--message", "1400 B"], "--message"),
        (&["--rate", "1 Gb/s", "--message", "0 B"], "--message"),
        (&["--method", "sturdy", "--known", "n0,n1=1"], "--known"),
        (&["--method", "guess"], "--method"),
    ] {
        let ended = discovered(FIG6, arguments);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(complaint), "{arguments:?}: {}", ended.err);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_simnet"));
    let output = command.args(["discover", "/no/such/rtt.csv"]).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(7) && complaint.contains("/no/such/rtt.csv"), "{complaint}");
    let ended = Room::new().discover(FIG6, &["--topology", "no/such/folder/net.json"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(7), ""), "{}", ended.err);
}

/// Wrong if an option did nothing, or huge values of it ended in a panic.
#[test]
fn options_matter_and_take_what_is_huge() {
    let one_class = discovered(FIG6, &["--intra", "range"]).json();
    assert_eq!(one_class["classes"].as_array().unwrap().len(), 1, "the paper's text merges all of Fig. 6");
    let one_class = discovered(FIG6, &["--noise", "1 ms"]).json();
    assert_eq!(one_class["classes"].as_array().unwrap().len(), 1);
    assert_eq!(
        discovered(FIG6, &["--inter-threshold", "1000000"]).json()["classes"].as_array().unwrap().len(),
        1
    );
    let three = discovered(FIG6, &["--clustering", "k-means", "--classes", "3"]).json();
    assert_eq!(three["hop_counts"], discovered(FIG6, &[]).json()["hop_counts"]);
    for arguments in [
        &["--noise", "200 days"][..],
        &["--noise", "0 ps"],
        &["--inter-threshold", "4000000"],
        &["--clustering", "k-means", "--classes", "18446744073709551615"],
        &["--known", "n0,n1=65536"],
        &["--known", "n0,n1=65536", "--known", "n4,n5=1", "--known", "n0,n5=2"],
        &["--rate", "1 b/s"],
        &["--rate", "100 Gb/s", "--message", "9223372036854775807 B"],
        &["--rate", "18000 Pb/s"],
        &["--seed", "7"],
    ] {
        let ended = discovered(FIG6, arguments);
        assert!(matches!(ended.code, Some(0 | 2 | 5)), "{arguments:?}: {:?} {}", ended.code, ended.err);
        assert!(!ended.err.contains("panicked"), "{arguments:?}: {}", ended.err);
    }
}

/// Wrong if names that end other things ended something here, or a single machine were no cluster.
#[test]
fn names_may_be_anything() {
    let text = FIG6.replace("n0", "\"a,\"\"b\"\"\"").replace("n1", "s0").replace("n2", "*/ \u{202e}x");
    let found = discovered(&text, &["--known", "a,\"b\",s0=1"]).json();
    assert_eq!(found["machines"], json!(["a,\"b\"", "s0", "*/ \u{202e}x", "n3", "n4", "n5"]));
    let net = network(&found["topology"]);
    assert_eq!(json!(names(&net)), found["machines"]);
    assert!(net.find_switch("_s0").is_some());
    let alone = discovered(",a\na,0\n", &[]);
    assert_eq!((alone.code, &alone.json()["hop_counts"]), (Some(0), &json!([[0]])), "{}", alone.err);
    let two = discovered(",a,b\na,,0.5\nb,0.4,\n", &[]);
    assert_eq!((two.code, &two.json()["hop_counts"]), (Some(0), &json!([[0, 1], [1, 0]])), "{}", two.err);
}

/// Wrong if a large cluster were not discovered.
#[test]
fn two_thousand_machines_are_discovered() {
    let machines = if cases(20) == 20 { 2_000 } else { 500 };
    let net = generate::build("random-tree", &[("switches", 60), ("machines", machines)], 5).unwrap();
    let hops = as_tree(&net).hops();
    // What a round trip takes over no switch has a frame's time on the first and the last cable in it.
    let ended = discovered(&csv(&names(&net), &hops, 85_000 + 236_480, 236_480, 1_500), &[]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert_eq!(ended.json()["hop_counts"], rows(&hops));
}
