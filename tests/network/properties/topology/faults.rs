//! Bad files: every fault found, each in its place, never a panic.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use simnet_base::diagnostics::Faults;
use simnet_network::topology::formats::{self, Format, ReadOptions};
use simnet_network::topology::presets;

use support_network::cases;
use support_network::damage::damage;

fn faults(bytes: &[u8]) -> Faults {
    *formats::read("net", bytes, &ReadOptions::default()).expect_err("the file is bad")
}

/// The faults of a text as `code line:column`.
fn places(text: &str) -> Vec<String> {
    let found = faults(text.as_bytes());
    let place = |at: usize| {
        let before = &found.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    };
    let row = |fault: &simnet_base::diagnostics::Fault| {
        let (line, column) = place(fault.span.start);
        format!("{} {line}:{column}", fault.code)
    };
    found.faults.iter().map(row).collect()
}

/// A small network with one line replaced.
fn with(old: &str, new: &str) -> String {
    let good = r#"{"format": "simnet-topology/1", "name": "n",
 "switches": [{"name": "s", "ports": 4}],
 "hosts": [{"name": "h"}, {"name": "i"}],
 "links": [
  {"a": "h", "a_port": 0, "b": "s", "b_port": 1},
  {"a": "i", "a_port": 0, "b": "s", "b_port": 2}
]}
"#;
    assert!(formats::read("net", good.as_bytes(), &ReadOptions::default()).is_ok());
    assert!(good.contains(old), "{old}");
    good.replacen(old, new, 1)
}

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let mut wrong = Vec::new();
    for (old, new, expected) in [
        ("simnet-topology/1", "simnet-topology/2", "format 1:12"),
        (r#""name": "n","#, "", "missing-key 1:1"),
        (r#""ports": 4"#, r#""ports": 4, "prots": 4"#, "unknown-key 2:41"),
        (r#", "ports": 4"#, "", "missing-key 2:15"),
        (r#""ports": 4"#, r#""ports": 4, "ports": 5"#, "duplicate-key 2:41"),
        (r#""ports": 4"#, r#""ports": 0"#, "out-of-range 2:38"),
        (r#""ports": 4"#, r#""ports": 40000"#, "out-of-range 2:38"),
        (r#""ports": 4"#, r#""ports": "4""#, "wrong-type 2:38"),
        (r#"{"name": "i"}"#, r#"{"name": "s"}"#, "duplicate-name 3:36"),
        (r#"{"name": "i"}"#, r#"{"name": "i", "guid": "12"}"#, "guid 3:49"),
        (r#"{"name": "i"}"#, r#"{"name": "i", "guid": "0x00112233445566778"}"#, "guid 3:49"),
        (r#""b_port": 1"#, r#""b_port": 4"#, "no-such-port 5:47"),
        (r#""b_port": 2"#, r#""b_port": 1"#, "port-in-use 6:47"),
        (r#""b_port": 2"#, r#""b_port": -1"#, "out-of-range 6:47"),
        (r#""b_port": 2"#, r#""b_port": 1.5"#, "out-of-range 6:47"),
        (r#""b_port": 2"#, r#""b_port": 1e30"#, "out-of-range 6:47"),
        (r#""b_port": 2"#, r#""b_port": 99999999999999999999"#, "out-of-range 6:47"),
        (r#""b_port": 2"#, r#""b_port": null"#, "wrong-type 6:47"),
        (r#""a": "i", "a_port": 0"#, r#""a": "s", "a_port": 2"#, "same-port 6:47"),
        (r#""b_port": 2"#, r#""b_port": 2, "rate": 5"#, "quantity 6:58"),
        (r#""b_port": 2"#, r#""b_port": 2, "rate": "5 m""#, "quantity 6:58"),
        (r#""b_port": 2"#, r#""b_port": 2, "length": "-5 m""#, "quantity 6:60"),
        (r#""b": "s", "b_port": 2"#, r#""b": "t", "b_port": 2"#, "unknown-node 6:32"),
        (r#"[{"name": "h"}, {"name": "i"}]"#, r#""none""#, "wrong-type 3:11"),
        ("]}\n", "]", "syntax 7:1"),
        ("]}\n", "],}\n", "syntax 7:3"),
        ("]}\n", "]}\nx", "syntax 8:1"),
        (r#""name": "n""#, "\"name\": \"n\u{0}\"", "syntax 1:43"),
        (r#""name": "n""#, "\"name\": \"\\ud800\"", "syntax 1:42"),
    ] {
        let found = places(&with(old, new));
        let cascade = expected.starts_with("duplicate-name") || expected == "wrong-type 3:11";
        if !found.iter().any(|fault| fault == expected) || found.len() > 1 && !cascade {
            wrong.push(format!("{new}: {found:?} for {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Wrong if only the first fault of a file were reported.
#[test]
fn all_faults_come_in_one_go() {
    let text = with(r#""ports": 4"#, r#""ports": -4"#).replacen(r#""b": "s""#, r#""b": "q""#, 1).replacen(
        r#""hosts""#,
        r#""hots""#,
        1,
    );
    let found = places(&text);
    for code in ["missing-key", "out-of-range", "unknown-key", "unknown-node"] {
        assert!(found.iter().any(|fault| fault.starts_with(code)), "{code} in {found:?}");
    }
    let shown = faults(text.as_bytes()).to_string();
    assert!(shown.contains("net:2:38") && shown.contains("did you mean `hosts`?"), "{shown}");
}

/// Wrong if a file that is no text, or no network, were taken for one, or brought the reader down.
#[test]
fn what_is_no_network_is_refused() {
    // A mebibyte of it is deep enough for any stack; ten are read where more than the least cases are requested.
    let bytes = if cases(20) > 1 { 10 << 20 } else { 1 << 20 };
    let deep = |open: &str| open.repeat(bytes / open.len());
    for (text, code) in [
        (String::new(), "empty-file"),
        (" \n\n".to_owned(), "empty-file"),
        ("hello".to_owned(), "unknown-format"),
        ("\0\0\0".to_owned(), "unknown-format"),
        ("{".to_owned(), "syntax"),
        ("[]".to_owned(), "wrong-type"),
        ("{}".to_owned(), "missing-key"),
        (deep("["), "syntax"),
        (deep("{\"a\":"), "syntax"),
        (format!("{}{}", "[".repeat(bytes / 2), "]".repeat(bytes / 2)), "syntax"),
        (format!("format = {}", deep("[")), "syntax"),
        (format!("format = {}", deep("{a=")), "syntax"),
        ("format = 1\nname = ".to_owned(), "syntax"),
        ("format = 1979-05-27\nname = 1.5\nswitches = []\nhosts = []\nlinks = []".to_owned(), "wrong-type"),
    ] {
        let found = faults(text.as_bytes());
        let beginning: String = text.chars().take(20).collect();
        assert!(found.faults.iter().any(|fault| fault.code == code), "{beginning}: {:?}", found.faults);
        assert!(found.to_string().len() < 100_000, "{beginning}");
    }
    assert_eq!(faults(b"{\"format\": \"\xff\"}").faults[0].code, "not-utf8");
    assert_eq!(faults(b"{\"format\": \"\xff\"}").faults[0].span.start, 12);
}

/// Wrong if any damage to a good file brought the reader down, or left a fault outside the text.
#[test]
fn damaged_files_are_read_or_refused() {
    let good = presets::load("now-c").unwrap();
    for seed in 0..cases(20_000) {
        let format = Format::OWN[usize::try_from(seed).unwrap() % Format::OWN.len()];
        let mut bytes = formats::write(&good, format).into_bytes();
        damage(&mut bytes, b"{}[]\",:\\\n\r\0e-.0=", &mut ChaCha8Rng::seed_from_u64(seed));
        let Err(found) = formats::read("net", &bytes, &ReadOptions::default()) else { continue };
        assert!(!found.faults.is_empty(), "seed {seed}");
        for fault in &found.faults {
            assert!(fault.span.start <= found.text.len(), "seed {seed}");
        }
        assert!(found.to_string().contains("net:"), "seed {seed}");
    }
}
