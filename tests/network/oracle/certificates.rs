//! Certificates: written of random routes, checked by a few lines of the test's own, damaged, and refused.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use simnet_network::routing::{
    About, Algorithm, Attachments, Choices, DestinationTables, Engine, Plan, Root, Survey, Tree, Verdict,
    verify, write_certificate, write_routes,
};
use simnet_network::topology::Network;
use simnet_network::topology::formats::{Format, write};
use simnet_network::topology::generate;

use support_network::routing::{random_multigraph, ring_with_chords};
use support_network::{cases, peer, root};

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
    let about = About { pairs: report.judged.host_pairs, digest: None };
    let is_written = write_certificate(net, &dependencies, (about, false), &mut text).unwrap();
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
            verify(&net, None, "certificate", text.as_bytes()).unwrap_or_else(|f| panic!("seed {seed}: {f}"));
        verified += 1;
        let survey = Survey::new(&net, &attachments, &plan.table);
        for (channel, next) in survey.dependencies.order().expect("some of what has an order") {
            let output = |lane: &simnet_network::routing::ChannelLane| {
                (survey.dependencies.sender(lane.channel), lane.lane)
            };
            assert!(next.iter().all(|next| !read.lacks(output(&channel), output(next))), "seed {seed}");
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let Some((one, other)) = across_a_dependency(&text, &mut random) else { continue };
        let swap = swapped(&text, one, other);
        assert!(!holds(&swap), "seed {seed}");
        let faults = verify(&net, None, "certificate", swap.as_bytes()).expect_err("swapped");
        assert_eq!(faults.faults[0].code, "goes-back", "seed {seed}");
        let lines: Vec<&str> = text.lines().collect();
        let without = |nth: usize| {
            let left = lines.iter().enumerate().filter(|(n, _)| *n != nth);
            left.map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        assert!(verify(&net, None, "certificate", without(one).as_bytes()).is_err(), "seed {seed}");
        assert!(verify(&net, None, "certificate", without(0).as_bytes()).is_err(), "seed {seed}");
        let mut line: Value = serde_json::from_str(lines[one]).unwrap();
        line["then"].as_array_mut().unwrap().pop();
        let less = text.replacen(lines[one], &line.to_string(), 1);
        assert!(verify(&net, None, "certificate", less.as_bytes()).is_err(), "seed {seed}");
        damaged += 1;
    }
    assert!(damaged * 2 > verified, "{damaged} of {verified} had a dependency to swap across");
}

/// A proof with what it is of: the network, the certificate, the routes where the proof is on one lane, and the pairs.
struct Proof {
    net: Network,
    certificate: String,
    routes: Option<String>,
    /// Routes do all that it says: of minimal ones it has all shortest paths.
    is_exact: bool,
    pairs: u64,
}

/// The proof of some routes or tables of a random network; `None` where a deadlock is possible, or nothing was judged.
fn proof(seed: u64) -> Option<Proof> {
    let net = match seed % 4 {
        0 => ring_with_chords(seed),
        1 => generate::build("torus", &[("x", 4), ("y", 3), ("hosts-per-switch", 1)], seed).unwrap(),
        _ => random_multigraph(seed, 9),
    };
    let attachments = Attachments::lowest(&net);
    let digest = format!("{seed:032x}");
    let digest = seed.is_multiple_of(2).then_some(&*digest);
    let [mut text, mut routes] = [Vec::new(), Vec::new()];
    let engine = &Engine::ROUTERS[usize::try_from(seed / 4).unwrap() % Engine::ROUTERS.len()].1;
    let (report, dependencies, has_routes) =
        if let (Engine::Rule(algorithm), true) = (engine, !seed.is_multiple_of(3)) {
            let choices = Choices { algorithm: algorithm.clone(), ..Choices::default() };
            let plan = Plan::new(&net, &attachments, &choices).ok()?;
            let (report, dependencies) = plan.judge(&net, &attachments);
            write_routes(&net, &attachments, &plan.table, &mut routes).unwrap();
            (report, dependencies, true)
        } else {
            let lmc = u8::try_from(seed % 3).unwrap();
            let tables = DestinationTables::new(&net, &attachments, engine, (None, lmc, None)).ok()?;
            let (report, survey) = tables.judge_survey(&net, &attachments);
            let table = tables.route_table(&net, &attachments).unwrap();
            write_routes(&net, &attachments, &table, &mut routes).unwrap();
            (report, survey.dependencies, tables.hops.lanes() == 1)
        };
    let pairs = report.judged.host_pairs;
    (report.verdict() == Some(Verdict::Acyclic)).then(|| {
        let about = (About { pairs, digest }, report.lanes.is_some());
        assert!(write_certificate(&net, &dependencies, about, &mut text).unwrap());
        let [certificate, routes] = [text, routes].map(|text| String::from_utf8(text).unwrap());
        let is_exact = *engine != Engine::Rule(Algorithm::Minimal);
        Proof { net, certificate, routes: has_routes.then_some(routes), is_exact, pairs }
    })
}

/// The script that docs/FILES.md has.
fn script() -> String {
    let page = fs::read_to_string(root().join("docs/FILES.md")).unwrap();
    page.split("```python\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// Runs the script on each of many proofs, all in one process, and returns which it accepts.
fn accepted(python: &Path, proofs: &[(&Proof, String)]) -> Vec<bool> {
    let folder = tempfile::tempdir().unwrap();
    let write_in = |name: String, text: &str| {
        fs::write(folder.path().join(&name), text).unwrap();
        name
    };
    let mut names = String::new();
    for (nth, (proof, certificate)) in proofs.iter().enumerate() {
        names.push_str(&write_in(format!("{nth}.json"), &write(&proof.net, Format::Json)));
        names.push_str(&format!(" {}", write_in(format!("{nth}.proof"), certificate)));
        if let Some(routes) = &proof.routes {
            names.push_str(&format!(" {}", write_in(format!("{nth}.routes"), routes)));
        }
        names.push('\n');
    }
    fs::write(folder.path().join("script.py"), script()).unwrap();
    let all = "import sys\ncode = compile(open('script.py').read(), 'script.py', 'exec')\nfor line in sys.stdin:\n \
               sys.argv = ['script.py', *line.split()]\n try:\n  exec(code, {})\n  print('holds')\n \
               except Exception as error:\n  print('refused', repr(error)[:200])\n";
    let mut command = Command::new(python);
    let command = command.args(["-c", all]).current_dir(folder.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || stdin.write_all(names.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    let lines: Vec<bool> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line == "holds").collect();
    assert_eq!(lines.len(), proofs.len());
    lines
}

/// Proofs of random networks, so many.
fn proofs(wanted: u64) -> Vec<Proof> {
    let found: Vec<Proof> =
        (0..40 * wanted + 100).filter_map(proof).take(usize::try_from(wanted).unwrap()).collect();
    assert_eq!(found.len() as u64, wanted);
    found
}

/// Wrong if the script that the documentation has, or the check, refused a certificate of ours: of routes through hosts
/// in transit or not, of tables on lanes, of hosts with two cables and of several addresses.
#[test]
fn the_documented_script_accepts_all_certificates() {
    let proofs = proofs(cases(1_000));
    let is_dual = |proof: &Proof| {
        let net = &proof.net;
        net.host_ids().any(|host| net.cables(simnet_base::ids::Node::Host(host)).count() > 1)
    };
    let with = |is: &dyn Fn(&Proof) -> bool| proofs.iter().filter(|proof| is(proof)).count();
    let counts = [
        with(&is_dual),
        with(&|proof| !proof.certificate.contains("\"lanes\": 1,")),
        with(&|proof| proof.routes.is_some()),
    ];
    assert!(counts.iter().all(|count| *count >= proofs.len() / 20), "{counts:?}");
    for proof in &proofs {
        let about = About { pairs: proof.pairs, digest: None };
        let read = verify(&proof.net, Some(about), "certificate", proof.certificate.as_bytes());
        read.unwrap_or_else(|faults| panic!("{faults}"));
    }
    let Some(python) = peer("python3") else { return };
    let all: Vec<_> = proofs.iter().map(|proof| (proof, proof.certificate.clone())).collect();
    let accepted = accepted(&python, &all);
    let refused: Vec<_> = accepted.iter().enumerate().filter(|(_, one)| !**one).map(|(nth, _)| nth).collect();
    assert!(refused.is_empty(), "{refused:?}: {}", proofs[refused[0]].certificate);
}

/// A certificate tampered with in each of many ways; those that change nothing of it are left out.
#[expect(clippy::too_many_lines, reason = "a row a way")]
fn tampered(proof: &Proof) -> Vec<(&'static str, String)> {
    let text = &proof.certificate;
    let lines: Vec<&str> = text.lines().collect();
    let object = |nth: usize| serde_json::from_str::<Value>(lines[nth]).unwrap();
    let nth = (1..lines.len()).find(|nth| object(*nth)["then"][0].is_string()).expect("a dependency");
    let channel = object(nth)["channel"].as_str().unwrap().to_owned();
    let next = object(nth)["then"][0].as_str().unwrap().to_owned();
    let count = |key: &str| object(0)[key].as_u64().unwrap();
    let head = |key: &str, value: u64| {
        text.replacen(&format!("\"{key}\": {}", count(key)), &format!("\"{key}\": {value}"), 1)
    };
    let about = |words: &str| text.replacen(object(0)["about"].as_str().unwrap(), words, 1);
    let put = |nth: usize, line: &str| {
        let lines = lines.iter().enumerate().map(|(n, old)| if n == nth { line } else { *old });
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    let bare = |name: &str| name.rsplit_once('/').map_or(name.to_owned(), |(output, _)| output.to_owned());
    let other = |name: &str| if name.contains('/') { bare(name) } else { format!("{name}/0") };
    let quoted = |name: &str| format!("\"{name}\"");
    let renamed = |name: &str, new: &str| text.replace(&quoted(name), &quoted(new));
    let once = |name: &str, new: &str| put(nth, &lines[nth].replacen(&quoted(name), &quoted(new), 1));
    let at_next = (1..lines.len()).find(|nth| object(*nth)["channel"] == next.as_str()).unwrap();
    let less = once(&next, "").replacen("\"\"", "", 1).replacen("[, ", "[", 1);
    let dependencies = count("dependencies");
    let fewer = format!("\"dependencies\": {}", dependencies - 1);
    // The circle of the issue: the same output once more at the end, spelt otherwise, and the first one behind it.
    let circle = format!("{text}{{\"channel\": {}, \"then\": []}}\n", quoted(&other(&channel)));
    let circle = circle.replacen(
        &format!("\"channels\": {}", count("channels")),
        &format!("\"channels\": {}", count("channels") + 1),
        1,
    );
    let port = |name: &str, to: &str| {
        let (switch, port) = name.rsplit_once(':').unwrap();
        format!("{switch}:{to}{port}")
    };
    let all = vec![
        ("another network", text.replacen(&proof.net.name, "another", 1)),
        ("99 lanes", head("lanes", 99)),
        ("no lanes", head("lanes", 0)),
        ("9,900 pairs", about("9900 pairs of hosts")),
        ("pairs with a comma", about("9,900 pairs of hosts")),
        ("all pairs", about("all pairs of hosts")),
        ("a zero in front", about(&format!("0{}", object(0)["about"].as_str().unwrap()))),
        ("other words", about(&format!("{} pairs of switches", proof.pairs))),
        ("a pair more", about(&format!("{} pairs of hosts", proof.pairs + 1))),
        ("a pair less", about(&format!("{} pairs of hosts", proof.pairs.wrapping_sub(1)))),
        ("a channel more", head("channels", count("channels") + 1)),
        ("a dependency more", head("dependencies", dependencies + 1)),
        ("another version", text.replacen("certificate/1", "certificate/2", 1)),
        ("a key more", text.replacen('{', "{\"proves\": \"all\", ", 1)),
        ("a key twice", text.replacen('{', "{\"lanes\": 1, ", 1)),
        ("a digest that is none", text.replacen('{', "{\"digest\": \"x\", ", 1)),
        ("no first line", text[lines[0].len() + 1..].to_owned()),
        ("cut off", text[..text.len() - 3].to_owned()),
        ("a line less", put(at_next, "").replacen("\n\n", "\n", 1)),
        ("a line twice", format!("{text}{}\n", lines[nth])),
        ("an empty line", put(nth, "")),
        ("a key in a line", put(nth, &lines[nth].replacen('{', "{\"but\": 1, ", 1))),
        ("two lines swapped", swapped(text, nth, at_next)),
        (
            "upside down",
            format!("{}\n{}\n", lines[0], lines[1..].iter().rev().copied().collect::<Vec<_>>().join("\n")),
        ),
        ("waits for itself", once(&next, &channel)),
        ("a circle by spelling", circle),
        ("one name spelt otherwise", once(&next, &other(&next))),
        ("one channel spelt otherwise", once(&channel, &other(&channel))),
        ("a zero in a port", renamed(&channel, &port(&channel, "0"))),
        ("a plus in a port", renamed(&channel, &port(&channel, "+"))),
        ("a blank in a port", renamed(&channel, &port(&channel, " "))),
        ("a lane of management", renamed(&channel, &format!("{}/15", bare(&channel)))),
        ("a lane that is a word", renamed(&channel, &format!("{}/x", bare(&channel)))),
        ("another switch", renamed(&channel, "nowhere:1")),
        ("an output to a host", once(&next, "h0:0")),
        ("a dependency twice", once(&next, &format!("{next}\", \"{next}"))),
        ("a dependency less", less.replacen(&format!("\"dependencies\": {dependencies}"), &fewer, 1)),
    ];
    all.into_iter().filter(|(_, tampered)| tampered != text).collect()
}

/// Wrong if a certificate that was tampered with in any of 30 ways passed, the check or the documented script; with the
/// routes at hand, those included that only they show.
#[test]
fn certificates_that_were_tampered_with_are_refused() {
    let proofs = proofs(cases(1_000));
    let is_fit = |proof: &&Proof| {
        proof.routes.is_some() && proof.is_exact && !proof.certificate.contains("\"dependencies\": 0")
    };
    let mut all = Vec::new();
    let mut ways = BTreeSet::new();
    for proof in proofs.iter().filter(is_fit).take(50) {
        for (way, text) in tampered(proof) {
            let about = About { pairs: proof.pairs, digest: None };
            let read = verify(&proof.net, Some(about), "certificate", text.as_bytes());
            assert!(read.is_err() || way == "a dependency less", "{way}: {}\n{text}", proof.certificate);
            ways.insert(way);
            all.push((proof, way, text));
        }
    }
    assert!(ways.len() >= 30, "{ways:?}");
    let Some(python) = peer("python3") else { return };
    let tampered: Vec<_> = all.iter().map(|(proof, _, text)| (*proof, text.clone())).collect();
    for ((proof, way, text), holds) in all.iter().zip(accepted(&python, &tampered)) {
        assert!(!holds, "{way}: {}\n{text}", proof.certificate);
    }
}
