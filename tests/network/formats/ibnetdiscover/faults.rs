//! Malformed dumps: each refused, with its reason and its place.

use simnet_base::diagnostics::Faults;
use simnet_network::topology::formats::{self, Format, ReadOptions};

use super::SMALL;

fn faults(bytes: &[u8]) -> Faults {
    let options = ReadOptions { from: Some(Format::Ibnetdiscover), ..ReadOptions::default() };
    *formats::read("net", bytes, &options).expect_err("the file is bad")
}

/// The faults of a text as `code line:column`.
fn places(text: &str) -> Vec<String> {
    let found = faults(text.as_bytes());
    let row = |fault: &simnet_base::diagnostics::Fault| {
        let (line, column) = found.place(fault.span.start);
        format!("{} {line}:{column}", fault.code)
    };
    found.faults.iter().map(row).collect()
}

/// What is replaced, by what, and the faults that follow.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// Headers.
const HEADERS: &[Row] = &[
    ("Switch\t36 \"S-0002c90300000002\"", "Switch\t0 \"S-0002c90300000002\"", &["port-count 22:8"]),
    ("Switch\t36 \"S-0002c90300000002\"", "Switch\t\"S-0002c90300000002\"", &["port-count 22:8"]),
    ("Switch\t36 \"S-0002c90300000002\"", "Switch\t99999 \"S-0002c90300000002\"", &["port-count 22:8"]),
    ("Switch\t36 \"S-0002c90300000002\"", "Switch\t36 S-0002c90300000002\"", &["node-id 22:11"]),
    (
        "Switch\t36 \"S-0002c90300000002\"",
        "Swich\t36 \"S-0002c90300000002\"",
        &["unknown-line 22:1", "no-header 23:1"],
    ),
    ("# \"MF0;rack1:SX6036/U1\" enhanced", "# \"MF0;rack1:SX6036/U1 enhanced", &["unbalanced-quote 10:35"]),
    ("\t\t# \"lone\"", "\t\t\"lone\"", &["unexpected 54:28"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"H-0002c90300000400", &["unbalanced-quote 54:6"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"H-0002c90300000100\"", &["duplicate-id 54:7"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"\"", &["node-id 54:7"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"H-0002c9030000040g\"", &["bad-hex 54:7"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"H-0002c9030000040\"", &["bad-hex 54:7"]),
    ("Ca\t1 \"H-0002c90300000400\"", "Ca\t1 \"H-<redacted>\"", &["redacted 54:7"]),
];

/// Ids before headers.
const IDS: &[Row] = &[
    ("caguid=0x2c90300000400", "caguid=0x2c9030000040g", &["bad-hex 53:10"]),
    ("caguid=0x2c90300000400", "caguid=0x", &["bad-hex 53:10"]),
    ("caguid=0x2c90300000400", "caguid=", &["bad-hex 53:8"]),
    ("caguid=0x2c90300000400", "caguid=0x12345678901234567", &["bad-hex 53:10"]),
    ("caguid=0x2c90300000400", "caguid=0x<redacted>", &["redacted 53:10"]),
    ("caguid=0x2c90300000400", "caguid=0x2c90300000300", &["duplicate-guid 54:7"]),
    ("caguid=0x2c90300000400", "switchguid=0x2c90300000400", &["guid-kind 53:1"]),
    ("caguid=0x2c90300000400", "cagiud=0x2c90300000400", &["unknown-line 53:1"]),
    ("caguid=0x2c90300000400", "caguid=0x2c90300000400 x", &["unexpected 53:24"]),
    ("(2c90300000001)\n", "(2c90300000001\n", &["unbalanced-bracket 9:41"]),
    ("Ca\t1 \"H-0002c90300000400\"\t\t# \"lone\"\n", "", &["cut-off 53:1"]),
    (
        "Switch\t36 \"S-0002c90300000002\"\t\t# \"Voltaire 4036 # v4036\" base port 0 lid 3 lmc 3\n",
        "",
        &["no-header 22:1"],
    ),
];

/// Ports.
const PORTS: &[Row] = &[
    ("[36]\t\"H-", "[37]\t\"H-", &["no-such-port 26:2", "no-such-port"]),
    (
        "\"S-0002c90300000002\"[36]",
        "\"S-0002c90300000002\"[37]",
        &["half-differs 26:7", "no-such-port 48:42"],
    ),
    ("[36]\t\"H-", "[0]\t\"H-", &["no-such-port 26:2"]),
    ("[36]\t\"H-", "[]\t\"H-", &["port-number 26:2"]),
    ("[36]\t\"H-", "[-1]\t\"H-", &["port-number 26:2"]),
    ("[36]\t\"H-", "[99999]\t\"H-", &["port-number 26:2"]),
    ("[36]\t\"H-", "[36\t\"H-", &["unbalanced-bracket 26:4"]),
    ("[36]\t\"H-", "36]\t\"H-", &["unknown-line 26:1"]),
    ("[36]\t\"H-", "[36]\tH-", &["node-id 26:6"]),
    ("[36]\t\"H-", "[9]\t\"H-", &["duplicate-port 26:2"]),
    ("[36]\t\"H-0002c90300000300\"", "[36]\t\"H-0002c90300000300", &["unbalanced-quote 26:6"]),
    ("[36]\t\"H-0002c90300000300\"[1]", "[36]\t\"H-0002c90300000300\"[1", &["unbalanced-bracket 26:28"]),
    ("[36]\t\"H-0002c90300000300\"[1]", "[36]\t\"H-0002c90300000300\"", &["port-number 26:26"]),
    (
        "[36]\t\"H-0002c90300000300\"[1]",
        "[36]\t\"H-0002c90300000300\"[2]",
        &["no-such-port 26:27", "half-differs 48:22"],
    ),
    (
        "[36]\t\"H-0002c90300000300\"[1]",
        "[36]\t\"H-0002c90300000301\"[1]",
        &["unknown-id 26:7", "half-differs 48:22"],
    ),
    ("[1](2c90300000300)", "[1](2c9030000030x)", &["bad-hex 26:30"]),
    ("[1](2c90300000300)", "[1](2c90300000300", &["unbalanced-bracket 26:43"]),
    (
        "[20]\t\"S-0002c90300000001\"[21]",
        "[20]\t\"S-0002c90300000001\"[20]",
        &["same-port 15:7", "half-differs 16:7"],
    ),
];

/// Halves of cables.
const HALVES: &[Row] = &[
    (
        "[8]\t\"S-0002c90300000002\"[9]",
        "[8]\t\"S-0002c90300000002\"[7]",
        &["half-differs 14:6", "half-differs 25:6"],
    ),
    (
        "[8]\t\"S-0002c90300000002\"[9]",
        "[8]\t\"S-0002c90300000002\"[10]",
        &["half-missing 14:6", "half-differs 25:6"],
    ),
    ("[9]\t\"S-0002c90300000001\"[8]\t\t# \"MF0;rack1:SX6036/U1\" lid 2 4xDDR\n", "", &["half-missing 14:6"]),
    (
        "[1](2c90300000300) \t\"S-0002c90300000002\"[36]",
        "[1](2c90300000300) \t\"S-0002c90300000002\"[35]",
        &["half-differs 26:7", "half-missing 48:22"],
    ),
];

/// Comments.
const COMMENTS: &[Row] = &[
    ("lid 7 4xEDR\n", "lid 7 4xZDR\n", &["unknown-speed 26:96"]),
    ("lid 7 4xEDR\n", "lid 7 5xEDR\n", &["unknown-speed 26:96"]),
    ("lid 7 4xEDR\n", "lid 7\n", &["cut-comment"]),
    (
        "# lid 7 lmc 0 \"Voltaire 4036 # v4036\" lid 3 4xEDR\n",
        "# lid 7 lmc 0 \"Voltaire\n",
        &["unbalanced-quote 48:61"],
    ),
    ("# lid 7 lmc 0 \"Voltaire 4036 # v4036\" lid 3 4xEDR\n", "# lid 7 lmc\n", &["cut-comment"]),
];

/// What ibsim has besides.
const IBSIM_ONLY: &[Row] = &[
    ("Ca\t1 \"H-0002c90300000400\"", "include \"x.net\"\nCa\t1 \"H-0002c90300000400\"", &["ibsim-only 54:1"]),
    ("Ca\t1 \"H-0002c90300000400\"", "do Link \"a\"\nCa\t1 \"H-0002c90300000400\"", &["ibsim-only 54:1"]),
    ("Ca\t1 \"H-0002c90300000400\"", "module=\"m\"\nCa\t1 \"H-0002c90300000400\"", &["ibsim-only 54:1"]),
    ("\t\t# \"lone\"\n", "\t\t# \"lone\"\n@[1] \"alias\"\n", &["ibsim-only 55:1"]),
];

/// Wrong if a fault were overlooked, reported elsewhere, or hid another one.
#[test]
fn each_fault_is_found_in_its_place() {
    let mut wrong = Vec::new();
    for (old, new, expected) in [HEADERS, IDS, PORTS, HALVES, COMMENTS, IBSIM_ONLY].concat() {
        assert!(SMALL.contains(old), "{old}");
        let found = places(&SMALL.replacen(old, new, 1));
        let each = expected.iter().all(|fault| found.iter().any(|f| f.starts_with(fault)));
        if !each || found.len() > expected.len() {
            wrong.push(format!("{new:?}: {found:?} for {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Wrong if only the first fault of a file were reported.
#[test]
fn all_faults_come_in_one_go() {
    let text = SMALL
        .replacen("lid 7 4xEDR", "lid 7 4xERD", 1)
        .replacen("Switch\t36", "Switch\t0", 1)
        .replacen("caguid=0x2c90300000400", "caguid=0xg", 1)
        .replacen("\"H-0002c90300000200\"[2]", "\"H-0002c90300000220\"[2]", 1);
    let found = places(&text);
    for code in ["unknown-speed", "port-count", "bad-hex", "unknown-id"] {
        assert!(found.iter().any(|fault| fault.starts_with(code)), "{code} in {found:?}");
    }
    let shown = faults(text.as_bytes()).to_string();
    assert!(
        shown.contains("did you mean `4xEDR`?") && shown.contains("did you mean `H-0002c90300000200`?"),
        "{shown}"
    );
    assert!(shown.contains("net:10:8"), "{shown}");
}

/// Wrong if a file that is no dump were taken for one, or were long in being refused.
#[test]
fn what_is_no_dump_is_refused() {
    let mega = "x".repeat(1 << 20);
    for (text, code) in [
        (String::new(), "no-switch"),
        ("# Topology file: generated on x\n".to_owned(), "no-switch"),
        ("Ca\t1 \"H-1\"\n[1] \"H-2\"[1]\nCa 1 \"H-2\"\n[1] \"H-1\"[1]\n".to_owned(), "no-switch"),
        (SMALL.replace("lone", &mega), "long-line"),
        (SMALL.replacen("[36]", &format!("[36]{mega}"), 1), "long-line"),
        (SMALL.replacen("\"S-", &format!("\"S-{mega}"), 1), "long-line"),
        (SMALL.replacen("\n\n", &format!("\n{mega}\n"), 1), "long-line"),
        (mega.clone(), "long-line"),
        ("[1]\n".repeat(300_000), "no-header"),
        ("Switch 1 \"S\"\n[1]\n".repeat(50_000), "duplicate-id"),
        (format!("Switch 1 \"S\"\n{}", "[1] \"S-0002c90300000001\"[1]\n".repeat(200_000)), "unknown-id"),
        (format!("Switch 1 \"S\"\n{}", "@\n".repeat(200_000)), "ibsim-only"),
        ("Switch\t36 \"S-1\"\t\t# \"spine\" base port 0 lid 1 lmc 0\n".to_owned(), "cut-off"),
        ("\0\u{1}\n".to_owned(), "unknown-line"),
    ] {
        let found = faults(text.as_bytes());
        let beginning: String = text.chars().take(20).collect();
        assert!(found.faults.iter().any(|fault| fault.code == code), "{beginning}: {:?}", &found.faults[0]);
        assert!(found.to_string().len() < 100_000, "{beginning}");
    }
}

/// Wrong if another report of the same tools were called malformed, instead of by its name.
#[test]
fn near_misses_are_refused_by_name() {
    for (text, name) in [
        ("SW     2 36 0x0002c90300000001 4x ???                                     'spine'\n", "-p"),
        ("CA     4  1 0x0002c90300000101 4x QDR - SW     2  1 0x0002c90300000001 ( 'a' - 'b' )\n", "-p"),
        ("Ca\t : 0x0002c90300000100 ports 2 devid 0x1003 vendid 0x2c9 \"node 1\"\n", "-l"),
        ("Switch\t : 0x0002c90300000001 ports 36 devid 0xc738 vendid 0x2c9 \"MF0\"\n", "-l"),
        ("< Switch\t36 \"S-0002c90300000001\"\n", "--diff"),
        (
            "CA: node 1 mlx4_0:\n      0x0002c90300000101      4    1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>\n",
            "iblinkinfo",
        ),
    ] {
        let found = *formats::read("net", text.as_bytes(), &ReadOptions::default()).expect_err("no dump");
        assert_eq!((found.faults.len(), found.faults[0].code), (1, "near-miss"), "{text}");
        assert!(found.faults[0].message.contains(name), "{}", found.faults[0].message);
        assert!(found.faults[0].help.as_ref().is_some_and(|help| help.contains("ibnetdiscover")), "{text}");
    }
}

/// Wrong if a damaged beginning made a dump a file of no known format.
#[test]
fn a_damaged_beginning_is_still_a_dump() {
    for text in [
        SMALL.replacen("Switch\t36", "Switch\t", 1),
        SMALL[SMALL.find("[1]").unwrap()..].to_owned(),
        format!("ibwarn: [1] something\n{SMALL}"),
        "Switch\t36 \"S-0002".to_owned(),
        "# Topology file: generated on x\n".to_owned(),
        "vendid=0x2c9\n".to_owned(),
    ] {
        let found = formats::read("net", text.as_bytes(), &ReadOptions::default()).expect_err("damaged");
        assert!(found.faults.iter().all(|fault| fault.code != "unknown-format"), "{:?}", found.faults);
    }
}
