//! Networks in other tools' formats: what files say, every fault in its place, damage at random.

mod anynet;
mod cabling_plan;
mod fdbs;
mod gm;
mod graphml;
mod ibdm;
mod lldp;
mod netloc;
mod netq;
mod slurm;
mod slurm_yaml;
mod subnet_lst;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use simnet_base::diagnostics::Faults;
use simnet_network::topology::formats::{self, Format, ReadOptions, Reading};
use simnet_network::topology::{End, Network};

use support_network::cases;
use support_network::damage::damage;

/// The folder of the samples, from that in which tests are run.
const SAMPLES: &str = "../../tests/network/formats/samples";

fn read(text: &str) -> Result<Reading, Box<Faults>> {
    let options = ReadOptions { folder: Some(SAMPLES.into()), ..ReadOptions::default() };
    formats::read_with_warnings("net", text.as_bytes(), &options)
}

fn good(text: &str) -> Reading {
    read(text).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Faults as `code line:column`, one after another.
fn places(faults: &Faults) -> String {
    let row = |fault: &simnet_base::diagnostics::Fault| {
        let (line, column) = faults.place(fault.span.start);
        format!("{} {line}:{column}", fault.code)
    };
    faults.faults.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// The faults of a text.
fn faults(text: &str) -> String {
    match read(text) {
        Ok(reading) => panic!("no fault in {text:?}: {:?}", reading.network),
        Err(faults) => {
            let printed = faults.to_string();
            assert!(
                printed.len() < 60_000 && printed.lines().all(|line| line.chars().count() < 600),
                "{printed}"
            );
            places(&faults)
        }
    }
}

/// Asserts that every row's faults (or warnings) are the expected ones, in any order, and shows all rows that
/// are not.
fn compare<'r>(rows: impl IntoIterator<Item = (&'r str, &'r str)>, found: impl Fn(&str) -> String) {
    let sorted = |text: &str| {
        let mut parts: Vec<String> = text.split(", ").map(str::to_owned).collect();
        parts.sort_unstable();
        parts.join(", ")
    };
    let rows = rows.into_iter().map(|(text, expected)| (text, sorted(&found(text)), sorted(expected)));
    let wrong = rows.filter(|(_, found, expected)| found != expected);
    let wrong: Vec<String> =
        wrong.map(|(text, found, expected)| format!("{text}\n  {found}\n  not {expected}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where an edit cuts a file off.
const CUT: &str = "\0cut";

/// Damages a good file in one way after another, each the first place of one text put in another's stead (or the file
/// cut off behind it), and pins how each is refused. Wrong if a message changes its place, its sense or its suggestion.
fn pin_damage(format: &str, sample: &str, edits: &[(&str, &str)]) {
    pin_damage_of(format, sample, edits, read);
}

/// The same for a file that is read otherwise.
fn pin_damage_of<T: std::fmt::Debug>(
    format: &str,
    sample: &str,
    edits: &[(&str, &str)],
    read: fn(&str) -> Result<T, Box<Faults>>,
) {
    assert!(read(sample).is_ok(), "{}", read(sample).unwrap_err());
    assert!(edits.len() >= 25, "only {} ways to damage it", edits.len());
    let mut pinned = String::new();
    for (from, to) in edits {
        let at = sample.find(from).unwrap_or_else(|| panic!("{format} has no {from:?}"));
        let (head, tail) = (&sample[..at], &sample[at + from.len()..]);
        let text = if *to == CUT { format!("{head}{from}") } else { format!("{head}{to}{tail}") };
        let Err(refused) = read(&text) else { panic!("{format}: {from:?} -> {to:?} is read") };
        let to = if *to == CUT { "(cut off)" } else { to };
        pinned += &format!("{from:?} -> {to:?}\n{refused}\n");
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/network/formats/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("damaged-{format}"), pinned));
}

/// What is warned of in a text.
fn warnings(text: &str) -> String {
    good(text).warnings.map(|faults| places(&faults)).unwrap_or_default()
}

/// The cables as `node:port node:port`, in order.
fn cables(net: &Network) -> Vec<String> {
    let end = |end: End| format!("{}:{}", net.name_of(end.node), end.port);
    net.links().iter().map(|link| format!("{} {}", end(link.a), end(link.b))).collect()
}

fn names(net: &Network) -> String {
    let hosts = net.hosts().iter().map(|host| host.name.as_str());
    let all = net.switches().iter().map(|switch| switch.name.as_str()).chain(["|"]).chain(hosts);
    all.collect::<Vec<_>>().join(" ")
}

/// Damages a good file again and again: it is read or refused, with every fault inside the text and reported
/// briefly.
fn damage_and_read(format: Format, good: &str, alphabet: &[u8]) {
    let folder = Some(SAMPLES.into());
    let options = ReadOptions { from: Some(format), folder, ..ReadOptions::default() };
    for seed in 0..cases(20_000) {
        let mut bytes = good.as_bytes().to_vec();
        damage(&mut bytes, alphabet, &mut ChaCha8Rng::seed_from_u64(seed));
        let Err(found) = formats::read_with_warnings("net", &bytes, &options) else { continue };
        assert!(!found.faults.is_empty(), "seed {seed}");
        for fault in &found.faults {
            assert!(
                fault.span.start <= fault.span.end && fault.span.end <= found.text.len(),
                "seed {seed}: {fault:?}"
            );
            assert!(!fault.message.is_empty() && !fault.expected.is_empty(), "seed {seed}: {fault:?}");
        }
        assert!(found.to_string().contains("net:"), "seed {seed}");
    }
}

/// Wrong if a text were taken for another format than the one that it is in, however it is called.
#[test]
fn formats_are_recognised_by_content() {
    for (text, code) in [
        ("SwitchName=a Nodes=b Level=1\n", "unknown-key"),
        ("  switchname = a Nodez=b\n", "unknown-key"),
        ("# a comment\r\n\r\nSWITCHNAME=a b\r\n", "not-a-key"),
        ("router 0 node\n", "cut"),
        ("Router 0 node 0\n", "unknown-word"),
        ("<?xml version=\"1.0\"?><svg/>", "not-graphml"),
        ("2 1\ns 8 \"a\"\n", "cut"),
        ("{\"network_info\": 0, \"node_info\": 0}", "missing-key"),
        ("Box B1\n  P1 -4x-> Nic H1 P1\n", "no-such-port"),
        ("{ SW Ports:24 }\n", "unexpected"),
        ("# of ibdiagnet\nSTART_NODES\n", "cut-off"),
        ("# Slurm\n- topology: x\n", "topology-kind"),
        ("{\"compounded_links\": 0}", "missing-key"),
        ("{\"lldp\": 0}", "one-machine"),
        ("from node,from port\n", "no-column"),
        ("two words\n", "unknown-format"),
        ("", "empty-file"),
        (" \n\r\n", "empty-file"),
    ] {
        assert_eq!(faults(text).split(' ').next(), Some(code), "{text}");
    }
}

/// Wrong if a format that is only read could be asked to be written, or the other way round.
#[test]
fn only_what_simnet_can_do_is_promised() {
    for format in Format::ALL {
        assert_eq!(Format::to_read(format.name()).ok(), format.reads().then_some(format));
        assert_eq!(Format::to_write(format.name()).ok(), format.writes().then_some(format));
    }
    let refused = Format::to_write("slurm").unwrap_err();
    assert!(
        refused.starts_with("simnet does not write slurm, only json, ") && refused.contains("dot"),
        "{refused}"
    );
    assert!(Format::to_read("dot").unwrap_err().starts_with("simnet does not read dot, only json, "));
    assert!(Format::to_write("jsn").unwrap_err().contains("did you mean `json`?"));
}
