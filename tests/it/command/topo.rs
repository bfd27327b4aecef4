//! The verb `topo` as a process: what it prints, what it writes, how it ends.

use crate::simnet;

fn stdout(arguments: &[&str], code: i32) -> String {
    let output = simnet(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert_eq!(stderr.is_empty(), matches!(code, 0 | 1), "{arguments:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Wrong if a key were missing, renamed, or held another figure.
#[test]
fn show_prints_the_agreed_keys() {
    let expected = concat!(
        r#"{"hosts":36,"switches":13,"links":64,"switch_links":28,"parallel_links":0,"loopback_links":0,"#,
        r#""components":1,"switch_diameter":3,"switch_mean_distance":1.7435897435897436,"is_tree":false}"#,
        "\n"
    );
    assert_eq!(stdout(&["topo", "show", "now-c", "--format", "json"], 0), expected);
    assert!(stdout(&["topo", "show", "now-c"], 0).contains("hosts                        36\n"));
}

/// Wrong if the command did not find the systems' descriptions beside a topology file of ibdm.
#[test]
fn descriptions_of_systems_are_found_beside_a_topology_of_ibdm() {
    let file = "tests/network/formats/samples/fabric.topo";
    let shown: serde_json::Value =
        serde_json::from_str(&stdout(&["topo", "show", file, "--format", "json"], 0)).unwrap();
    assert_eq!((&shown["hosts"], &shown["switches"], &shown["links"]), (&2.into(), &7.into(), &12.into()));
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("alone.topo");
    std::fs::copy(file, &alone).unwrap();
    let refused = simnet(&["topo", "show", alone.to_str().unwrap()]);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{message}");
    assert!(message.contains("error[missing-system]: no file describes systems of type `Box`"), "{message}");
    assert!(
        message.contains("alone.topo:3:1") && message.contains("Box.ibnl, or another .ibnl"),
        "{message}"
    );
}

/// Wrong if a mistake ended with another code, which scripts rely on.
#[test]
fn mistakes_end_with_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{").unwrap();
    let bad = bad.to_str().unwrap();
    for (arguments, code) in [
        (vec!["topo", "show", "now-d"], 7),
        (vec!["topo", "show", bad], 3),
        (vec!["topo", "show", "/"], 7),
        (vec!["topo", "show", bad, "--from", "jsn"], 2),
        (vec!["topo", "show", bad, "--from", "toml"], 3),
        (vec!["topo", "show", "now-c", "--hosts-per-switch", "4"], 2),
        (vec!["topo", "show", "now-c", "--utility", "c-utl"], 2),
        (vec!["topo", "show"], 2),
        (vec!["topo", "convert", "now-c", "--to", "xml"], 2),
        (vec!["topo", "convert", "now-c", "--to", "json", "--out", "/nonexistent/x.json"], 7),
        (vec!["topo", "generate", "rimg"], 2),
        (vec!["topo", "generate", "ring", "--switches", "2"], 2),
        (vec!["topo", "generate", "random-regular", "--switches", "5", "--degree", "3"], 2),
    ] {
        assert_eq!(stdout(&arguments, code), "");
    }
}

/// Wrong if a file came out other than what stdout shows, or were left half-written.
#[test]
fn convert_writes_the_file_that_it_would_print() {
    let folder = tempfile::tempdir().unwrap();
    let [json, toml] = ["net.txt", "other.txt"].map(|name| folder.path().join(name));
    let (json, toml) = (json.to_str().unwrap(), toml.to_str().unwrap());
    assert_eq!(stdout(&["topo", "convert", "now-cab", "--to", "json", "--out", json], 0), "");
    let printed = stdout(&["topo", "convert", "now-cab", "--to", "json"], 0);
    assert_eq!(std::fs::read_to_string(json).unwrap(), printed);
    stdout(&["topo", "convert", json, "--to", "toml", "--out", toml], 0);
    assert_eq!(stdout(&["topo", "convert", toml, "--to", "json"], 0), printed);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(stdout(&["topo", "diff", toml, "now-cab"], 0), "no difference\n");
    assert_eq!(stdout(&["topo", "diff", toml, "now-cab", "--up-to-ports"], 0), "no difference\n");
}

/// Wrong if a difference were overlooked or ended with code 0.
#[test]
fn diff_names_what_differs() {
    let shown = stdout(&["topo", "diff", "now-c", "now-ca"], 1);
    assert!(shown.contains("nodes only in now-ca: 47\n  A1.0\n"), "{shown}");
    let json = stdout(&["topo", "diff", "now-c", "now-ca", "--format", "json"], 1);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["equal"], false);
    let cables = json["difference"]["links_only_in_b"].as_array().unwrap();
    assert!(cables.len() == 64 && cables.iter().any(|cable| cable == "A3.0:5 - C3.1:2"), "{cables:?}");
    stdout(&["topo", "diff", "now-c", "now-ca", "--up-to-ports"], 1);
}

/// Wrong if the command line's parameters were not the library's.
#[test]
fn generate_builds_what_the_library_builds() {
    let arguments = [
        "topo",
        "generate",
        "random-regular",
        "--switches",
        "32",
        "--degree",
        "4",
        "--hosts-per-switch",
        "4",
        "--seed",
        "1",
        "--to",
        "json",
    ];
    let net = simnet::topology::generate::build(
        "random-regular",
        &[("switches", 32), ("degree", 4), ("hosts-per-switch", 4)],
        1,
    );
    let expected = simnet::topology::formats::write(&net.unwrap(), simnet::topology::formats::Format::Json);
    assert_eq!(stdout(&arguments, 0), expected);
}

/// Wrong if two networks that have nothing in common filled the screen, or a program lost what a person is spared.
#[test]
fn a_difference_is_told_in_bounds() {
    let text = stdout(&["topo", "diff", "pink", "now-cab"], 1);
    assert!(text.lines().count() < 120, "{} lines", text.lines().count());
    assert!(text.contains("nodes only in pink: 1"), "{text}");
    assert!(text.contains("more; --format json has all"), "{text}");
    let all = stdout(&["topo", "diff", "pink", "now-cab", "--format", "json"], 1);
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert!(
        all["nodes_only_in_a"].is_null()
            && all["difference"]["nodes_only_in_a"].as_array().unwrap().len() > 1000
    );
}

/// Wrong if a format that lists cables left out nodes without one in silence, or if one were written that cannot count
/// the ports of a switch or a host.
#[test]
fn what_a_format_has_no_words_for_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.json");
    let convert = |ports: u16, port: u16, format: &str| {
        let text = format!(
            "{{\"format\": \"simnet-topology/1\", \"name\": \"net\", \
             \"switches\": [{{\"name\": \"s\", \"ports\": {ports}}}], \
             \"hosts\": [{{\"name\": \"h\"}}, {{\"name\": \"alone\"}}], \
             \"links\": [{{\"a\": \"h\", \"a_port\": {port}, \"b\": \"s\", \"b_port\": 0}}]}}"
        );
        std::fs::write(&file, text).unwrap();
        let output = simnet(&["topo", "convert", file.to_str().unwrap(), "--to", format]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for format in ["csv", "subnet-lst"] {
        let (code, told) = convert(254, 0, format);
        assert_eq!(code, Some(0), "{format}: {told}");
        assert!(told.contains("1 node without a cable left out"), "{format}: {told}");
    }
    for (ports, port, told) in [(255, 0, "`s` has 255 ports"), (8, 300, "`h` has 301 ports")] {
        let (code, message) = convert(ports, port, "subnet-lst");
        assert_eq!(code, Some(3), "{message}");
        assert!(message.contains(told) && message.contains("subnet-lst counts 254 at most"), "{message}");
    }
    assert_eq!(convert(255, 0, "json"), (Some(0), String::new()));
}
