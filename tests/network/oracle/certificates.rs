//! Certificates: written of random routes, checked by a few lines of the test's own, damaged, and refused.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use simnet_network::routing::{
    Algorithm, Attachments, Choices, Plan, Root, Survey, Tree, Verdict, verify, write_certificate,
};
use simnet_network::topology::Network;

use support_network::cases;
use support_network::routing::{random_multigraph, ring_with_chords};

/// The check as a script does it: from the last line upwards, all that may follow was there before.
fn holds(text: &str) -> bool {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut seen = BTreeSet::new();
    let sound = lines[1..].iter().rev().all(|line| {
        let then = line["then"].as_array().unwrap();
        then.iter().all(|next| seen.contains(next.as_str().unwrap()))
            && seen.insert(line["channel"].as_str().unwrap())
    });
    sound && lines[0]["channels"] == lines.len() - 1
}

/// The certificate of a plan's verdict; none where a deadlock is possible, or nothing was judged.
fn certificate(net: &Network, plan: &Plan) -> Option<String> {
    let (report, dependencies) = plan.judge(net, &Attachments::lowest(net));
    let mut text = Vec::new();
    let is_written = write_certificate(net, &dependencies, ("a test", None), &mut text).unwrap();
    assert_eq!(is_written, report.dependency_cycle.is_none(), "{}", net.name);
    (report.verdict() == Some(Verdict::Acyclic)).then(|| String::from_utf8(text).unwrap())
}

/// The text with two of its lines in each other's place.
fn swapped(text: &str, one: usize, other: usize) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(one, other);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A line and one below it that may follow it, if there is any dependency.
fn across_a_dependency(text: &str, random: &mut ChaCha8Rng) -> Option<(usize, usize)> {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let with_next: Vec<usize> = (1..lines.len()).filter(|nth| lines[*nth]["then"][0].is_string()).collect();
    let one = *with_next.get(random.random_range(0..with_next.len().max(1)))?;
    let then = lines[one]["then"].as_array().unwrap();
    let next = &then[random.random_range(0..then.len())];
    Some((one, lines.iter().position(|line| line["channel"] == *next).unwrap()))
}

/// Wrong if a proof that a deadlock is impossible had no certificate that holds, for us and for a script; if it lacked
/// what a route does; or if one passed with two channels swapped across a dependency, a line or a dependency less, or
/// a dependency more that goes back.
#[test]
fn certificates_of_random_networks_are_verified() {
    let (wanted, mut verified, mut damaged) = (cases(10_000), 0, 0);
    // Minimal routes of some networks can deadlock and have none: as many others are tried in their place.
    for seed in 0.. {
        if verified == wanted {
            break;
        }
        assert!(seed < 100 + 3 * wanted, "{verified} certificates of {seed} networks");
        let net = if seed % 2 == 0 { random_multigraph(seed, 9) } else { ring_with_chords(seed) };
        let algorithm = match seed % 3 {
            0 => Algorithm::Minimal,
            1 => Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far },
            _ => Algorithm::Smart { tree: Tree::Bfs, root: Root::Far },
        };
        let attachments = Attachments::lowest(&net);
        let plan = Plan::new(&net, &attachments, &Choices { algorithm, ..Choices::default() }).unwrap();
        let Some(text) = certificate(&net, &plan) else { continue };
        assert!(holds(&text), "seed {seed}: {text}");
        let read =
            verify(&net, "certificate", text.as_bytes()).unwrap_or_else(|f| panic!("seed {seed}: {f}"));
        verified += 1;
        let survey = Survey::new(&net, &attachments, &plan.table);
        for (channel, next) in survey.dependencies.order().expect("some of what has an order") {
            let name = |lane: &simnet_network::routing::ChannelLane| {
                let sender = survey.dependencies.sender(lane.channel);
                format!("{}:{}", net.name_of(sender.node), sender.port)
            };
            assert!(next.iter().all(|next| !read.lacks(&name(&channel), &name(next))), "seed {seed}");
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let Some((one, other)) = across_a_dependency(&text, &mut random) else { continue };
        let swap = swapped(&text, one, other);
        assert!(!holds(&swap), "seed {seed}");
        let faults = verify(&net, "certificate", swap.as_bytes()).expect_err("swapped");
        assert_eq!(faults.faults[0].code, "goes-back", "seed {seed}");
        let lines: Vec<&str> = text.lines().collect();
        let without = |nth: usize| {
            let left = lines.iter().enumerate().filter(|(n, _)| *n != nth);
            left.map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        assert!(verify(&net, "certificate", without(one).as_bytes()).is_err(), "seed {seed}");
        assert!(verify(&net, "certificate", without(0).as_bytes()).is_err(), "seed {seed}");
        let mut line: Value = serde_json::from_str(lines[one]).unwrap();
        line["then"].as_array_mut().unwrap().pop();
        let less = text.replacen(lines[one], &line.to_string(), 1);
        assert!(verify(&net, "certificate", less.as_bytes()).is_err(), "seed {seed}");
        damaged += 1;
    }
    assert!(damaged * 2 > verified, "{damaged} of {verified} had a dependency to swap across");
}
