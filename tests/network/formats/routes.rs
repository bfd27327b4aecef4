//! Route files: what is written can be read, what is wrong is refused at its place.

use simnet_base::ids::Turn;
use simnet_network::routing::{Attachments, Choices, Plan, Report, Survey, read_routes, write_routes};
use simnet_network::topology::{Network, presets};

use support_network::cases;
use support_network::routing::random_multigraph;

fn written(net: &Network, choices: &Choices) -> (Plan, Vec<u8>) {
    let attachments = Attachments::lowest(net);
    let plan = Plan::new(net, &attachments, choices).unwrap();
    let mut file = Vec::new();
    write_routes(net, &attachments, &plan.table, &mut file).unwrap();
    (plan, file)
}

/// Wrong if writing and reading lost, added or changed a route, or judged the same routes differently.
#[test]
fn what_is_written_is_read_again() {
    let named = ["now-c", "now-cab"].map(|name| presets::load(name).unwrap());
    for net in named.into_iter().chain((0..cases(2_000)).map(|seed| random_multigraph(seed, 9))) {
        let attachments = Attachments::lowest(&net);
        let (plan, file) = written(&net, &Choices::default());
        let read = read_routes(&net, &attachments, "routes.ndjson", &file)
            .unwrap_or_else(|faults| panic!("{}: {faults}", net.name));
        assert!(read.iter().eq(plan.table.iter()), "{}", net.name);
        let (ours, given) = (plan.report(&net, &attachments), Survey::new(&net, &attachments, &read));
        let given = Report::of_file(&net, &attachments, &given);
        assert_eq!(given.mean_distance, ours.mean_distance);
        assert_eq!(given.unreachable_pairs, ours.unreachable_pairs);
        assert_eq!(given.max_channel_load, ours.max_channel_load);
        assert_eq!(given.dependency_cycle, None);
    }
}

/// Wrong if a line were not exactly as the contract shows it.
#[test]
fn a_line_is_as_documented() {
    let net = presets::load("now-c").unwrap();
    let (_, file) = written(&net, &Choices::default());
    let file = String::from_utf8(file).unwrap();
    let first = file.lines().find(|line| line.contains("\"src\": \"c00\", \"dst\": \"c01\"")).unwrap();
    let expected =
        r#"{"src": "c00", "dst": "c01", "hops": [{"switch": "C1.0", "in": 3, "out": 7}], "turns": [4]}"#;
    assert_eq!(first, expected);
}

/// Wrong if a route that leads nowhere could not be given to a replay, or counted as reaching its
/// destination.
#[test]
fn turns_alone_are_taken_as_they_are() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let file = br#"{"src": "c00", "dst": "c01", "turns": [99, -3]}
{"src": "c00", "dst": "c02", "turns": []}
{"src": "c01", "dst": "c00", "turns": [-4]}
"#;
    let table = read_routes(&net, &attachments, "f", file).unwrap();
    let turns = |a, b| table.turns(net.find_host(a).unwrap(), net.find_host(b).unwrap());
    assert_eq!(turns("c00", "c01"), Some(&[Turn(99), Turn(-3)][..]));
    assert_eq!((turns("c00", "c02"), turns("c02", "c00")), (Some(&[][..]), None));
    let survey = Survey::new(&net, &attachments, &table);
    assert_eq!(survey.pairs - survey.unreachable, 1);
}

/// Wrong if a faulty file were taken, or refused at another place or for another reason.
#[test]
fn faulty_files_are_refused_at_their_place() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let good =
        r#"{"src": "c00", "dst": "c01", "hops": [{"switch": "C1.0", "in": 3, "out": 7}], "turns": [4]}"#;
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replacen(from, to, 1)
    };
    let rows = [
        (changed("c00", "c0O"), "unknown-host", "c0O"),
        (changed("c01", "C1.0"), "unknown-host", "C1.0"),
        (changed("c01", "c00"), "self-route", "c00"),
        (changed("\"C1.0\"", "\"C1.9\""), "unknown-switch", "C1.9"),
        (changed("\"C1.0\"", "\"C1.1\""), "hop-off-cable", "C1.1"),
        (changed("\"in\": 3", "\"in\": 2"), "hop-off-cable", "C1.0"),
        (changed("\"out\": 7", "\"out\": 8"), "no-such-wire", "C1.0"),
        (changed("\"out\": 7", "\"out\": 4"), "turn-mismatch", "C1.0"),
        (changed("[4]", "[5]"), "turn-mismatch", "C1.0"),
        (changed("\"out\": 7", "\"out\": 4").replace("[4]", "[1]"), "hop-off-cable", "C1.0"),
        (changed("[4]", "[4, 0]"), "turn-mismatch", good),
        (changed("[4]", "[]"), "turn-mismatch", good),
        (changed("[4]", "[4000000]"), "not-a-route", ""),
        (changed("[4]", "[4.5]"), "not-a-route", ""),
        (changed("[4]", "4"), "not-a-route", ""),
        (changed(", \"turns\": [4]", ""), "not-a-route", ""),
        (changed("turns", "turn"), "not-a-route", ""),
        (changed("\"src\"", "\"source\""), "not-a-route", ""),
        (changed("\"in\": 3", "\"in\": -3"), "not-a-route", ""),
        (changed("}", "} x"), "not-a-route", ""),
        (format!("{good} {good}"), "not-a-route", ""),
        (good[..50].to_owned(), "not-a-route", ""),
        ("[".repeat(100_000), "not-a-route", ""),
        ("null".to_owned(), "not-a-route", ""),
    ];
    for (line, code, place) in rows {
        let other = r#"{"src": "c01", "dst": "c00", "turns": [-4]}"#;
        let file = format!("{other}\n{line}\n");
        let faults = read_routes(&net, &attachments, "routes.ndjson", file.as_bytes()).unwrap_err();
        assert_eq!(faults.faults.len(), 1, "{line}");
        let fault = &faults.faults[0];
        assert_eq!(fault.code, code, "{line}");
        let text = &file[fault.span.clone()];
        assert!(place == good && text.len() > 80 || text == place, "{line}: the fault is at `{text}`");
        assert!(fault.span.start > other.len() && faults.to_string().contains("routes.ndjson:2:"));
    }
}

/// Wrong if only the first fault were reported, a repeated pair were taken, or bytes that are no text.
#[test]
fn all_faults_are_told_at_once() {
    let net = presets::load("now-c").unwrap();
    let attachments = Attachments::lowest(&net);
    let line = br#"{"src": "c00", "dst": "c01", "turns": [4]}"#;
    let file = [line, &b"\r\n\n{\"src\": \"\xff\"}\nno\n"[..], line].concat();
    let faults = read_routes(&net, &attachments, "f", &file).unwrap_err();
    let codes: Vec<&str> = faults.faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["not-utf8", "not-a-route", "duplicate-pair"]);
    assert_eq!(faults.faults[0].span.start, line.len() + "\r\n\n{\"src\": \"".len());
    assert!(faults.to_string().contains("the pair of line 1"));
    let many = "x\n".repeat(250);
    let faults = read_routes(&net, &attachments, "f", many.as_bytes()).unwrap_err();
    assert_eq!(faults.faults.len(), 250);
    assert!(read_routes(&net, &attachments, "f", b"").unwrap().is_empty());
}
