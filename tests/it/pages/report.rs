//! The report: what it says is what the files say, it is sound HTML whatever they hold, and what is no folder of
//! results is refused.

mod bad_input;
mod hostile;
pub(super) mod html;
mod numbers;
mod style;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use html::{Token, text_of, tokens};

use crate::simnet;

/// The most bytes of a usual report.
const MOST_BYTES: usize = 5_000_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The small form of a scenario run into `room`; the folder of its results.
fn run(scenario: &str, room: &Path) -> PathBuf {
    let folder = room.join(scenario.replace('/', "-"));
    let file = root().join("scenarios").join(format!("{scenario}.toml"));
    let out = folder.to_str().unwrap();
    let output = simnet(&["run", file.to_str().unwrap(), "--quick", "--quiet", "--out", out]);
    let code = output.status.code().unwrap();
    assert!([0, 1, 4, 5].contains(&code), "{scenario}: {}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// The report of a folder, which ends with `code`; the text, and what was printed on stderr.
fn report(folder: &Path, code: i32) -> (String, String) {
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("report.html");
    let output = simnet(&["report", folder.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{}: {err}", folder.display());
    assert!(!err.contains("panicked"), "{err}");
    let shown_by = String::from_utf8(output.stdout).unwrap();
    let entries = fs::read_dir(room.path()).unwrap().count();
    if !out.exists() {
        assert_eq!((shown_by.as_str(), entries), ("", 0), "nothing is written, and nothing said to be");
        return (String::new(), err);
    }
    assert_eq!((shown_by.trim_end(), entries), (out.to_str().unwrap(), 1));
    (fs::read_to_string(out).unwrap(), err)
}

fn json_of(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// Everything that is so for every report.
pub(super) fn check_sound(text: &str, tokens: &[Token]) {
    assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
    let with = |name: &'static str| tokens.iter().filter_map(move |token| token.attribute(name));
    let ids: Vec<&str> = with("id").collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(ids.len(), distinct.len(), "an id stands twice");
    for link in with("href") {
        let place = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the file"));
        let section = place.split('/').next().unwrap();
        assert!(ids.contains(&place) || ids.contains(&section), "{link} leads nowhere");
    }
    for name in ["src", "srcset", "action", "data", "poster", "background", "formaction"] {
        assert_eq!(with(name).next(), None, "{name} loads something");
    }
    for token in tokens {
        let Token::Open(name, attributes) = token else { continue };
        for (key, value) in attributes {
            assert!(!key.starts_with("on"), "<{name} {key}> is a script");
            let is_name = key == "xmlns";
            assert!(
                is_name || !value.contains("http:") && !value.contains("https:"),
                "<{name} {key}={value}>"
            );
        }
        assert!(!["iframe", "object", "embed", "base", "link", "form"].contains(&name.as_str()), "<{name}>");
    }
    for labelled in ["aria-labelledby", "aria-describedby", "aria-controls", "for"] {
        for names in with(labelled) {
            assert!(names.split(' ').all(|name| ids.contains(&name)), "{labelled}={names} names nothing");
        }
    }
    check_outline(tokens);
    check_words(tokens);
}

/// One title, one first heading, no level left out, landmarks, a link that skips to the content.
fn check_outline(tokens: &[Token]) {
    let count = |name: &str| tokens.iter().filter(|token| token.opens() == Some(name)).count();
    assert_eq!(["html", "h1", "main", "header", "footer"].map(count), [1; 5]);
    // Drawings may have titles of their own.
    let body = tokens.iter().position(|token| token.opens() == Some("body")).unwrap();
    assert_eq!(tokens[..body].iter().filter(|token| token.opens() == Some("title")).count(), 1);
    let language = tokens.iter().find(|token| token.opens() == Some("html")).unwrap().attribute("lang");
    assert_eq!(language, Some("en"));
    let first = tokens.iter().find(|token| token.opens() == Some("a")).unwrap();
    assert_eq!(first.attribute("href"), Some("#main"));
    let levels = tokens.iter().filter_map(|token| match token.opens()? {
        heading if heading.len() == 2 && heading.starts_with('h') => heading[1..].parse::<u32>().ok(),
        _ => None,
    });
    let levels: Vec<u32> = levels.collect();
    for pair in levels.windows(2) {
        assert!(pair[1] <= pair[0] + 1, "a heading of level {} follows one of level {}", pair[1], pair[0]);
    }
    for token in tokens.iter().filter(|token| token.opens() == Some("section")) {
        assert!(token.attribute("aria-labelledby").or(token.attribute("aria-label")).is_some(), "{token:?}");
    }
}

/// No text shows that something went wrong behind it, and every table says what it is.
fn check_words(tokens: &[Token]) {
    for (place, token) in tokens.iter().enumerate() {
        match token.opens() {
            Some("script" | "style") => {}
            Some("p" | "dd" | "li" | "h2" | "h3") => {
                let text = text_of(tokens, place);
                for wrong in ["NaN", "undefined", "[object", "None", "Some("] {
                    assert!(!text.contains(wrong), "{wrong} in {text}");
                }
            }
            Some("table") => {
                let next = tokens[place + 1..].iter().find_map(Token::opens);
                assert_eq!(next, Some("caption"), "a table says what it is: {:?}", &tokens[place..place + 6]);
            }
            Some("th") => assert!(token.attribute("scope").is_some(), "{token:?}"),
            _ => {}
        }
    }
}

/// The scenarios of every kind of run that are done in a moment.
const EVERY_KIND: [&str; 11] = [
    "curve32",
    "deadlock-ring",
    "credit-loops",
    "now-c",
    "now100",
    "sancho2000/fig3a",
    "mainwaring1997/fig3",
    "faraj2008/cluster",
    "faraj2008/loss",
    "lawrence2008/fig6",
    "lawrence2008/discovered",
];

/// Wrong if a kind of run made a report that is no sound HTML, or showed another number than its summary.json.
#[test]
fn reports_of_every_kind_of_run_are_sound_and_say_what_the_summary_says() {
    let room = tempfile::tempdir().unwrap();
    let all = support_network::cases(20) == 20;
    let scenarios: Vec<String> = if all { every_scenario() } else { EVERY_KIND.map(str::to_owned).to_vec() };
    for scenario in scenarios {
        let folder = run(&scenario, room.path());
        let (text, err) = report(&folder, 0);
        assert_eq!(err, "", "{scenario}");
        let tokens = tokens(&text);
        check_sound(&text, &tokens);
        numbers::check(&tokens, &json_of(&folder, "summary.json"));
        assert_eq!(report(&folder, 0).0, text, "{scenario}: the same folder, the same bytes");
    }
}

/// All scenarios that `simnet run` takes.
fn every_scenario() -> Vec<String> {
    let folder = root().join("scenarios");
    let mut folders = vec![folder.clone()];
    let mut found = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            match name.strip_suffix(".toml") {
                Some(stem) if !stem.starts_with("sweep-") => found.push(stem.to_owned()),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Wrong if the summary promised what another page does not have, or the replay named a command that keeps no log.
#[test]
fn what_is_said_of_other_pages_is_so() {
    let room = tempfile::tempdir().unwrap();
    let shown_by = |scenario: &str| {
        let (text, _) = report(&run(scenario, room.path()), 0);
        let tokens = tokens(&text);
        let of = |id: &str| {
            let place = tokens.iter().position(|token| token.attribute("id") == Some(id));
            place.map(|place| text_of(&tokens, place))
        };
        (of("summary").unwrap(), of("replay"), of("deadlocks"))
    };
    let (ring, ..) = shown_by("faraj2008/cluster");
    assert!(!ring.contains("Curves: ") && !ring.contains("arrived or was destroyed"), "{ring}");
    let (discovery, replay, _) = shown_by("lawrence2008/setup");
    assert!(
        discovery.contains("Network: what hangs together") && !discovery.contains("event by event"),
        "{discovery}"
    );
    assert_eq!(replay, None, "a discovery keeps no log");
    let (loads, replay, deadlocks) = shown_by("credit-loops");
    for words in
        ["Curves: latency and throughput", "Network: the network, its cables coloured", "Replay: how to see"]
    {
        assert!(loads.contains(words), "{words}: {loads}");
    }
    assert!(replay.unwrap().contains("--set 'output.events.around=\"deadlock\"'"));
    assert!(deadlocks.unwrap().contains("at load 0.4"), "the load is named, not its position");

    let (_, replay, _) = shown_by("faraj2008/setup");
    let replay = replay.unwrap();
    let command =
        replay.lines().next().unwrap().split("simnet ").nth(1).unwrap().split("or with").next().unwrap();
    let mut words: Vec<&str> = command.split_whitespace().collect();
    let out = room.path().join("again");
    words.extend(["--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(simnet(&words).status.code(), Some(0), "{words:?}");
    assert!(out.join("events.simlog").is_file(), "{words:?} keeps a log");
}

/// Wrong if `--format json` did not list what was made, or a report among the results changed the next one.
#[test]
fn a_report_may_stand_in_the_folder_that_it_is_about() {
    let room = tempfile::tempdir().unwrap();
    let folder = run("deadlock-ring", room.path());
    let out = folder.join("report.html");
    let make = || {
        let arguments =
            ["report", folder.to_str().unwrap(), "--out", out.to_str().unwrap(), "--format", "json"];
        let output = simnet(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        (made, fs::read_to_string(&out).unwrap())
    };
    let (made, text) = make();
    assert_eq!(make(), (made.clone(), text.clone()));
    assert_eq!(made["path"], json!(out.to_str().unwrap()));
    assert_eq!((&made["bytes"], &made["complaints"]), (&json!(text.len()), &json!([])));
    let sections = made["sections"].as_array().unwrap();
    assert_eq!((&sections[0], sections.last().unwrap()), (&json!("summary"), &json!("provenance")));
    // A report is the user's to keep: the results are made again when it has been taken away.
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/deadlock-ring.toml");
    let again = simnet(&["run", scenario, "--quiet", "--out", folder.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(7));
    assert!(String::from_utf8_lossy(&again.stderr).contains("report.html"));
    fs::rename(&out, room.path().join("kept.html")).unwrap();
    run("deadlock-ring", room.path());
}

/// Wrong if the folder of a sweep had no report, complete or not.
#[test]
fn a_sweep_has_a_report() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("sweep");
    fs::create_dir(&folder).unwrap();
    let mark = json!({"format": "simnet-sweep/1", "name": "loads", "quick": false, "inputs": [
        {"path": "a.toml", "copy": "inputs/0/a.toml", "blake3": "00"}]});
    fs::write(folder.join("sweep.json"), mark.to_string()).unwrap();
    let (text, _) = report(&folder, 0);
    assert!(text.contains("is not complete"), "{text}");
    check_sound(&text, &tokens(&text));

    let table = "point,key,load,routing,seed,status,error,mean_ns,saturated\n\
                 0,a,0.1,updown,1,done,,10,false\n1,b,0.2,updown,1,done,,30,true\n2,c,0.3,smart,1,failed,no routes,,\n";
    fs::write(folder.join("points.csv"), table).unwrap();
    let (text, _) = report(&folder, 0);
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    let place = tokens.iter().position(|token| token.attribute("id") == Some("sweep")).unwrap();
    let shown_by = text_of(&tokens, place);
    for words in [
        "ran 3 points",
        "load and routing",
        "1 of 3 points failed",
        "1 of 3 points were saturated",
        "mean_ns10302",
        "saturated1 true2",
    ] {
        assert!(shown_by.contains(words), "{words}: {shown_by}");
    }
}
