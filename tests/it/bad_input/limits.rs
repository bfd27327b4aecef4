//! What a check refuses before anything is built, and that a run refuses nothing that a check lets through.
#![expect(clippy::disallowed_methods, reason = "what is refused before it is built is refused at once")]

use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use simnet::scenario::{Estimate, Overrides, declared, read};
use simnet::simulation;
use simnet::topology::generate::{self, FAMILIES, Size};

use support_network::cases;

fn checked(text: &str) -> Result<simnet::scenario::Checked, String> {
    read("s.toml", text.as_bytes(), &Overrides::default()).map_err(|refusal| refusal.to_string())
}

/// Wrong if the size of a network were not what its declaration says.
#[test]
fn a_declared_size_is_that_of_the_network() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut compared = vec![0; FAMILIES.len()];
    for case in 0..cases(8_000) {
        let nth = usize::try_from(case).unwrap() % FAMILIES.len();
        let family = &FAMILIES[nth];
        let draw = |rng: &mut ChaCha8Rng, most: u64| rng.random_range(0..=most);
        let values: Vec<(&str, u64)> =
            family.parameters.iter().map(|p| (p.name, (p.least + draw(&mut rng, 5)).min(p.most))).collect();
        let declared_size = generate::size(family.name, &values);
        let Ok(network) = generate::build(family.name, &values, case) else { continue };
        let (declared_size, there) =
            (declared_size.unwrap_or_else(|e| panic!("{values:?}: {e}")), Size::of(&network));
        let context = format!("{} {values:?}", family.name);
        assert_eq!((declared_size.switches, declared_size.hosts), (there.switches, there.hosts), "{context}");
        match family.name {
            "gt-itm" | "waxman" => {}
            "decayed-torus" | "decayed-hypercube" => {
                assert!(declared_size.cables >= there.cables, "{context}")
            }
            // Switches of a tree have as many ports as cables and more, rounded up to what boxes have.
            "random-tree" => assert_eq!(declared_size.cables, there.cables, "{context}"),
            _ => assert_eq!(declared_size, there, "{context}"),
        }
        compared[nth] += 1;
    }
    assert!(compared.iter().filter(|count| **count > 0).count() >= 12, "{compared:?}");
}

const UPDOWN: &str = "[routing]\nalgorithm = \"updown\"\n";

fn chain(switches: u32) -> String {
    format!("[scenario]\nname = \"x\"\n[topology.chain]\nswitches = {switches}\n")
}

fn gather(topology: &str, rest: &str) -> String {
    format!(
        "[scenario]\nname = \"x\"\n{topology}\n[allgather]\nalgorithm = \"ring\"\nsize = \"1 KiB\"\n{rest}\n"
    )
}

/// A scenario, and what its refusal names: the number, and the limit.
fn refused() -> Vec<(String, [&'static str; 2])> {
    vec![
        (gather("[topology.random-regular]\nswitches = 1048576\ndegree = 4", ""), ["1048576 ranks", "4096"]),
        (gather("[topology.fat-tree]\narity = 16\nlevels = 4", ""), ["65536 ranks", "4096"]),
        (gather("[topology.torus]\nx = 64\ny = 64", "ranks-per-machine = 2"), ["8192 ranks", "4096"]),
        (gather("[topology]\npreset = \"now-c\"\n[fabric]\nrate = \"100 Gb/s\"", ""), ["313 B", "108 B"]),
        (
            gather("[topology]\npreset = \"now-c\"\n[ethernet]\nmtu = \"100 B\"\ntransport = \"tcp\"", ""),
            ["100 B", "576"],
        ),
        (
            gather("[topology]\npreset = \"now-c\"", "software = { envelope = \"64 B\" }")
                .replace("1 KiB", "30541989660 B"),
            ["36 ranks", "at most"],
        ),
    ]
}

/// The same of routes, of memory, of failures, of measurements and of random networks.
fn refused_beside_gathers() -> Vec<(String, [&'static str; 2])> {
    let loaded = "[traffic.uniform]\npayload = \"64 B\"\nloads = [0.1]\n";
    let failing = "[mapping]\nmapper = \"h0\"\n[[failures-at-random]]\nof = \"links\"\nmean-uptime = \"1 ms\"\n\
                   mean-repair = \"1 ms\"\nuntil = \"1000000 s\"\n";
    vec![
        (chain(8_192) + UPDOWN, ["8192 hosts", "1073741824"]),
        (chain(2_600) + UPDOWN + loaded, ["2600 hosts", "1073741824"]),
        (chain(20_000) + UPDOWN, ["20000 hosts", "16384"]),
        (
            chain(3_000) + "[routing]\nalgorithm = \"minimal\"\nselect = \"random\"\n",
            ["3000 hosts", "1073741824"],
        ),
        (
            "[scenario]\nname = \"x\"\n[topology.torus]\nx = 32\ny = 32\n[routing]\n\
             algorithm = \"minimal\"\nselect = \"balanced\"\n"
                .to_owned(),
            ["1024 hosts", "16777216"],
        ),
        (
            "[scenario]\nname = \"x\"\n[topology.random-irregular]\nswitches = 1000000\nhosts = 100\n\
             links = 1000000\nports = 4096\n[mapping]\nmapper = \"h0\"\n"
                .to_owned(),
            ["GiB", "16 GiB"],
        ),
        (
            "[scenario]\nname = \"x\"\n[topology.random-tree]\nswitches = 70000\nmachines = 2\n".to_owned()
                + UPDOWN,
            ["70000 turns", "65535"],
        ),
        (
            "[scenario]\nname = \"x\"\n[topology.chain]\nswitches = 3\n".to_owned()
                + UPDOWN
                + &loaded.replace("64 B", "4294967295 B"),
            ["4294967295 B", "4294901760"],
        ),
        (chain(4) + failing, ["failures are to be expected", "100000"]),
        (chain(600) + "[ethernet]\n[discovery]\n", ["600 machines", "512"]),
        (
            "[scenario]\nname = \"x\"\n[topology.random-regular]\nswitches = 600000\ndegree = 4\n".to_owned()
                + UPDOWN,
            ["600000", "16384"],
        ),
    ]
}

/// Wrong if a scenario that no run could hold were let through, refused without its place, or built first.
#[test]
fn sizes_are_refused_before_they_are_built() {
    for (text, named) in refused().into_iter().chain(refused_beside_gathers()) {
        let begun = Instant::now();
        let refusal = checked(&text).map(|_| ()).err().unwrap_or_else(|| panic!("let through:\n{text}"));
        let took = begun.elapsed();
        for part in named {
            assert!(refusal.contains(part), "no {part} in\n{refusal}\nof\n{text}");
        }
        assert!(refusal.contains("--> s.toml:"), "{refusal}");
        // What is refused takes seconds, and for ever if it were built first; the machine may be shared.
        assert!(took < Duration::from_secs(120), "{took:?} for\n{text}");
    }
}

/// Wrong if a limit stood apart from the sizes that it is about, and were not counted with them.
#[test]
fn the_largest_that_fits_is_let_through() {
    for text in [
        chain(64) + UPDOWN,
        gather("[topology.torus]\nx = 8\ny = 8", ""),
        gather("[topology]\npreset = \"now-c\"", "").replace("1 KiB", "1 GiB"),
    ] {
        assert!(checked(&text).is_ok(), "{text}\n{}", checked(&text).unwrap_err());
    }
}

/// Wrong if an estimate were none for what is refused, or another for what is not.
#[test]
fn what_is_refused_is_estimated_too() {
    let text = gather("[topology.fat-tree]\narity = 16\nlevels = 4", "");
    let declared_size = declared("s.toml", text.as_bytes(), &Overrides::default()).unwrap();
    assert_eq!(
        (declared_size.switches, declared_size.hosts, declared_size.ranks),
        (Some(16_384), Some(65_536), Some(65_536))
    );
    assert!(declared_size.memory_bytes > 1 << 34 && declared_size.processor_s.is_none());
    let small = gather("[topology.fat-tree]\narity = 4\nlevels = 2", "iterations = 3");
    let declared_size = declared("s.toml", small.as_bytes(), &Overrides::default()).unwrap();
    let whole = Estimate::of(&checked(&small).unwrap());
    let sizes = |e: &Estimate| (e.switches, e.hosts, e.cables, e.ranks, e.memory_bytes);
    assert_eq!(sizes(&declared_size), sizes(&whole));
    assert_eq!(whole.points, Some(1));
    assert!(whole.processor_s.unwrap() > 0.0 && whole.simulated_s.unwrap() > 0.0);
}

/// A network, what runs on it, and with what, each drawn from a list.
fn drawn(rng: &mut ChaCha8Rng) -> String {
    let mut of = |list: &[&str]| list[rng.random_range(0..list.len())].to_owned();
    let topology = of(&[
        "[topology.chain]\nswitches = 9\n",
        "[topology.star]\nleaves = 5\n",
        "[topology.torus]\nx = 4\ny = 3\n",
        "[topology.fat-tree]\narity = 2\nlevels = 3\n",
        "[topology.random-tree]\nswitches = 6\nmachines = 7\n",
        "[topology.gt-itm]\nswitches = 5\n",
        "[topology]\npreset = \"now-c\"\n",
    ]);
    let fabric = of(&[
        "",
        "[fabric]\nrate = \"100 Gb/s\"\n",
        "[fabric]\nbuffer = \"64 KiB\"\n",
        "[fabric]\nrate = \"1 Mb/s\"\n",
        "[fabric]\nrouting-latency = \"10 s\"\n",
        "[fabric]\ncable-length = \"100 km\"\nbuffer = \"65535 B\"\n",
        "[hosts]\nreceive-buffer = \"256 B\"\nreceive-rate = \"3 Mb/s\"\n",
    ]);
    let ethernet = of(&[
        "[ethernet]\n",
        "[ethernet]\nmtu = \"64 B\"\n",
        "[ethernet]\ntransport = \"tcp\"\nwindow = \"2 KiB\"\n",
    ]);
    let algorithm = of(&["updown", "minimal", "smart"]);
    let select = of(&["first", "random", "round-robin", "balanced"]);
    let routing = format!("[routing]\nalgorithm = \"{algorithm}\"\nselect = \"{select}\"\n");
    let payload = of(&["1 B", "64 B", "100 KiB"]);
    let load = of(&["1e-15", "1e-9", "0.01", "0.9"]);
    let extent = of(&[
        "messages = 20",
        "warmup = \"1 us\"\nduration = \"2 us\"",
        "messages = 5\nhorizon = \"10 us\"",
        "precision = 0.6\nmessages = 60",
    ]);
    let traffic =
        format!("[traffic.uniform]\npayload = \"{payload}\"\nloads = [{load}]\n[measure]\n{extent}\n");
    let medium = of(&["fabric", "ethernet"]);
    let extra = of(&["", "ranks-per-machine = 2\n", "packet = \"256 B\"\n", "ring-routes = \"routing\"\n"]);
    let method = of(&["ring", "lr1", "lr2", "open-mpi", "bruck"]);
    let gathers =
        format!("[allgather]\nalgorithm = \"{method}\"\nsize = \"1 KiB\"\nmedium = \"{medium}\"\n{extra}");
    let part = match rng.random_range(0..5) {
        0 => routing + &traffic,
        1 => ethernet + &gathers,
        2 => gathers,
        3 => "[rings]\nalgorithm = \"lr1\"\n".to_owned(),
        _ => routing,
    };
    format!("[scenario]\nname = \"x\"\n{topology}{fabric}{part}")
}

/// Wrong if a run refused what a check lets through: whatever it needs has to be known before.
#[test]
fn what_is_let_through_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..cases(2_000) {
        let text = drawn(&mut rng);
        let Ok(checked) = checked(&text) else {
            refused += 1;
            continue;
        };
        let run = simulation::run(&checked, &(), None);
        assert!(run.is_ok(), "{}\n{text}", run.err().unwrap());
        ran += 1;
    }
    assert!(ran > refused / 4, "{ran} ran, {refused} were refused");
}

/// Wrong if a scenario that no machine ends in a lifetime passed without a word, or one that ends in minutes did not.
#[test]
fn messages_beyond_reason_are_questioned() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.toml");
    let warned = |messages: &str| {
        let text = "[scenario]\nname = \"s\"\n[topology]\npreset = \"now-c\"\n[routing]\nalgorithm = \"updown\"\n\
                    [traffic.uniform]\npayload = \"32 B\"\nloads = [0.01]\n[measure]\nmessages = ";
        std::fs::write(&file, format!("{text}{messages}\n")).unwrap();
        let output = crate::simnet(&["check", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(warned("2000000"), "");
    let text = warned("9223372036854775807");
    assert!(text.contains("warning[too-many-messages]") && text.contains("s.toml:11:12"), "{text}");
    assert!(text.contains("e18 messages, about ") && text.contains(" days of one core"), "{text}");
}
