//! The sentences under "What to look at next" of a terminal and "How sure is this?" of a page, and the reasons of load
//! points: one table, a row a sentence. Each is brought about by a run; then what it says is held against the files, or
//! what it advises is followed.
//!
//! A sentence that has no row fails `every_sentence_has_a_row`, which reads the sources.
#![expect(clippy::too_many_lines, reason = "a table, a row a sentence")]

mod kinds;
mod points;
mod reasons;
mod source;
mod sweeps;
mod terminal;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use simnet::page::{self, Contents};

use crate::simnet;

/// The place of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In a line of the terminal's "What to look at next" that begins with this.
    Next(&'static str),
    /// In a notice of the page that begins with this: `Good`, `Sure`, `Look` or `Wrong`.
    Notice(&'static str),
    /// In the reason of a load point.
    Reason,
}

/// A sentence.
struct Row {
    place: Place,
    /// Its fixed parts, in their order.
    says: &'static [&'static str],
    /// A scenario that brings it about, and the keys to set in it.
    scenario: (&'static str, &'static [&'static str]),
    /// Holds it against the files, or follows it.
    follow: fn(&Ran),
}

/// A row.
const fn row(
    place: Place,
    says: &'static [&'static str],
    scenario: &'static str,
    set: &'static [&'static str],
    follow: fn(&Ran),
) -> Row {
    Row { place, says, scenario: (scenario, set), follow }
}

/// All rows.
fn table() -> Vec<Row> {
    [terminal::rows(), reasons::rows(), points::rows(), kinds::rows(), sweeps::rows()]
        .into_iter()
        .flatten()
        .collect()
}

/// A run of the command: what it printed, and its results.
struct Ran {
    room: tempfile::TempDir,
    scenario: String,
    set: Vec<String>,
    code: Option<i32>,
    text: String,
    page: OnceCell<String>,
}

/// A ring without a way for messages to die; with `minimal` routes one in which they can.
const RING: &str = "scenario = { name = 'ring', seed = 3 }
topology.ring = { switches = 4, hosts-per-switch = 2 }
routing.algorithm = 'updown'
traffic.uniform = { payload = '64 B', loads = [0.02, 0.1] }
measure = { warmup = '20 us', messages = 1000 }
";

/// A ring of switches with credits, which dies under load.
const CREDITS: &str = "scenario = { name = 'credits', seed = 3 }
topology.ring = { switches = 6, hosts-per-switch = 2 }
fabric = { flow = 'credits', buffer = '128 B', mtu = '64 B' }
routing.algorithm = 'minimal'
traffic.uniform = { payload = '64 B', loads = [0.02, 0.9] }
measure = { warmup = '20 us', messages = 1000 }
";

/// Shortest routes round a ring under STOP and GO, which no forward reset ends.
const STUCK: &[&str] = &[
    "routing.algorithm='minimal'",
    "topology.ring.switches=6",
    "traffic.uniform.payload='400 B'",
    "traffic.uniform.loads=[0.02, 0.9]",
    "fabric.deadlock-timeout='never'",
];

/// The same with forward resets that come after the end.
const LOCKED: &[&str] = &[
    "routing.algorithm='minimal'",
    "topology.ring.switches=6",
    "traffic.uniform.payload='400 B'",
    "traffic.uniform.loads=[0.02, 0.9]",
];

impl Ran {
    fn new(scenario: &str, set: &[&str]) -> Ran {
        Ran::with(scenario, set.iter().map(|text| (*text).to_owned()).collect())
    }

    fn with(scenario: &str, set: Vec<String>) -> Ran {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("scenario.toml");
        fs::write(&file, scenario).unwrap();
        fs::write(room.path().join("net.json"), BEYOND).unwrap();
        fs::write(room.path().join("fast.json"), FAST).unwrap();
        fs::write(room.path().join("rings.json"), rings().to_string()).unwrap();
        fs::write(room.path().join("rings.csv"), round_two_rings()).unwrap();
        fs::write(room.path().join("faulty.routes"), points::faulty()).unwrap();
        let out = room.path().join("out");
        let mut arguments = vec!["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()];
        for one in &set {
            let is_option = one.starts_with("--");
            arguments.extend((!is_option).then_some("--set").into_iter().chain([one.as_str()]));
        }
        let output = simnet(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(out.join("summary.json").is_file(), "{set:?}: {err}");
        let scenario = scenario.to_owned();
        Ran { room, scenario, set, code: output.status.code(), text, page: OnceCell::new() }
    }

    /// The same scenario with more keys set.
    fn again(&self, set: &[&str]) -> Ran {
        let more = set.iter().map(|text| (*text).to_owned());
        Ran::with(&self.scenario, self.set.iter().cloned().chain(more).collect())
    }

    fn out(&self) -> PathBuf {
        self.room.path().join("out")
    }

    /// A value of the summary, by its path; null if it is not there.
    fn at(&self, path: &str) -> Value {
        let text = fs::read_to_string(self.out().join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        let step = |value: Value, key: &str| match key.parse::<usize>() {
            Ok(nth) => value[nth].clone(),
            Err(_) => value[key].clone(),
        };
        path.split('.').fold(summary, step)
    }

    fn number(&self, path: &str) -> f64 {
        self.at(path).as_f64().unwrap_or_else(|| panic!("{path} is {}", self.at(path)))
    }

    /// The states of the load points.
    fn states(&self) -> Vec<String> {
        let points = self.at("points");
        let states = points.as_array().unwrap().iter().map(|point| point["state"].as_str().unwrap());
        states.map(str::to_owned).collect()
    }

    /// The lines of the terminal's last part: what each is about, and what it says.
    fn lines(&self) -> Vec<(String, String)> {
        let mut lines = self.text.lines().skip_while(|line| *line != "What to look at next:").skip(1);
        let lines = lines.by_ref().take_while(|line| !line.is_empty());
        let parted = |line: &str| {
            let (what, text) = line.trim_start().split_once("  ").unwrap();
            (what.to_owned(), text.trim_start().to_owned())
        };
        lines.map(parted).collect()
    }

    /// The line of the terminal under this title; nothing if there is none.
    fn next(&self, title: &str) -> Option<String> {
        self.lines().into_iter().find(|(what, _)| what == title).map(|(_, text)| text)
    }

    fn page(&self) -> &str {
        self.page.get_or_init(|| page::page(&Contents::read(&self.out()).unwrap()).html)
    }

    /// The words of the page's notices.
    fn notices(&self) -> Vec<String> {
        let parts = self.page().split("<div class=\"notice ").skip(1);
        parts.map(|part| words(part.split_once('>').unwrap().1.split("</div>").next().unwrap())).collect()
    }

    /// The first notice in which this stands.
    fn notice(&self, says: &str) -> Option<String> {
        self.notices().into_iter().find(|notice| notice.contains(says))
    }

    /// The page's first sentences, without tags.
    fn sentences(&self) -> String {
        let page = self.page();
        let from = page.find("<div class=\"first\">").unwrap();
        words(&page[from..from + page[from..].find("</figure>").unwrap_or(4_000.min(page.len() - from))])
    }

    fn rows(&self, file: &str) -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.out().join(file)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// The text of a place.
    fn texts(&self, place: Place) -> Vec<String> {
        match place {
            Place::Next(title) => self.next(title).into_iter().collect(),
            Place::Notice(word) => {
                self.notices().into_iter().filter(|notice| notice.starts_with(&format!("{word}: "))).collect()
            }
            Place::Reason => {
                let points = self.at("points");
                let reasons = points.as_array().unwrap().iter().filter_map(|point| point["reason"].as_str());
                reasons.map(str::to_owned).collect()
            }
        }
    }

    fn check(&self, is_so: bool, what: &str) {
        assert!(is_so, "{what} {:?}\n{}\n{:#?}", self.set, self.text, self.notices());
    }
}

/// Sentences that no small run here brings about, and why.
const UNREACHED: [(&str, &str); 6] = [
    (
        "nothing is left to happen, and",
        "a fabric that stops without a circle would be a fault of the simulator",
    ),
    ("messages have not arrived", "the same"),
    ("of the least possible on that tree", "LR3 reaches its bound on the networks that were tried"),
    ("neighbours' paths share cables (free of contention", "rings are proved free where they are found"),
    ("only the first", "`sweeps::a_page_of_a_long_table_says_so` brings it about"),
    ("points are read here; nothing is said of the others", "the same"),
];

/// A network that has a part beyond a bridge: no mapper can see it.
const BEYOND: &str = r#"{"format": "simnet-topology/1", "name": "beyond",
"switches": [{"name": "s0", "ports": 4}, {"name": "s1", "ports": 4}],
"hosts": [{"name": "h0"}, {"name": "h1"}],
"links": [{"a": "h0", "a_port": 0, "b": "s0", "b_port": 0}, {"a": "h1", "a_port": 0, "b": "s0", "b_port": 1},
{"a": "s0", "a_port": 2, "b": "s1", "b_port": 0}]}"#;

/// A network on which two hosts have faster cables than most.
const FAST: &str = r#"{"format": "simnet-topology/1", "name": "fast", "switches": [{"name": "s0", "ports": 8}],
"hosts": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}, {"name": "e"}],
"links": [{"a": "a", "a_port": 0, "b": "s0", "b_port": 0, "rate": "10 Gb/s"},
{"a": "b", "a_port": 0, "b": "s0", "b_port": 1, "rate": "10 Gb/s"},
{"a": "c", "a_port": 0, "b": "s0", "b_port": 2, "rate": "1 Gb/s"},
{"a": "d", "a_port": 0, "b": "s0", "b_port": 3, "rate": "1 Gb/s"},
{"a": "e", "a_port": 0, "b": "s0", "b_port": 4, "rate": "1 Gb/s"}]}"#;

/// Two rings of four switches, with a cable between them.
fn rings() -> Value {
    let each = |name: fn(&str, usize) -> Value| {
        let names = ["a", "b"].into_iter().flat_map(|ring| (0..4).map(move |nth| (ring, nth)));
        names.map(|(ring, nth)| name(ring, nth)).collect::<Vec<Value>>()
    };
    let link = |a: String, a_port: u8, b: String, b_port: u8| -> Value {
        json!({"a": a, "a_port": a_port, "b": b, "b_port": b_port})
    };
    let mut links = vec![link("as0".to_owned(), 2, "bs0".to_owned(), 2)];
    for ring in ["a", "b"] {
        for nth in 0..4 {
            links.push(link(format!("{ring}{nth}"), 0, format!("{ring}s{nth}"), 3));
            links.push(link(format!("{ring}s{nth}"), 1, format!("{ring}s{}", (nth + 1) % 4), 0));
        }
    }
    json!({"format": "simnet-topology/1", "name": "rings", "links": links,
        "switches": each(|ring, nth| json!({"name": format!("{ring}s{nth}"), "ports": 4})),
        "hosts": each(|ring, nth| json!({"name": format!("{ring}{nth}")}))})
}

/// Long messages round both of them, all at once.
fn round_two_rings() -> String {
    let names = ["a", "b"].into_iter().flat_map(|ring| (0..4).map(move |nth| (ring, nth)));
    let lines = names.map(|(ring, nth)| format!("{ring}{nth},0,{ring}{nth},{ring}{},4000\n", (nth + 2) % 4));
    format!("message,time_ns,source,destination,payload_bytes\n{}", lines.collect::<String>())
}

/// The text of a part of a page, without its tags.
fn words(html: &str) -> String {
    let parts = html.split('<').enumerate();
    let text: String = parts
        .map(|(nth, part)| if nth == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) })
        .collect();
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns whether these parts stand in a text one after the other.
fn holds(text: &str, parts: &[&str]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Brings the sentences of some rows about, and follows them.
fn follow(rows: &[Row]) {
    let is_true = |row: &Row| {
        let ran = Ran::new(row.scenario.0, row.scenario.1);
        let texts = ran.texts(row.place);
        let is_said = texts.iter().any(|text| holds(text, row.says));
        assert!(is_said, "{:?} {:?} in {texts:#?} of\n{}", row.place, row.says, ran.text);
        (row.follow)(&ran);
    };
    // All that fail are shown, not the first alone.
    let caught = |row: &Row| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| is_true(row))).is_err();
    let failed: Vec<_> = rows.iter().filter(|row| caught(row)).map(|row| (row.place, row.says)).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Wrong if a line of the terminal were false, or its advice led nowhere.
#[test]
fn the_lines_of_a_run_are_true() {
    follow(&terminal::rows());
}

/// Wrong if a load point gave a reason that is none, or a longer measurement did not mend what it said it would.
#[test]
fn reasons_are_true() {
    follow(&reasons::rows());
}

/// Wrong if a page said more of a load point than its summary.
#[test]
fn the_notices_of_load_points_are_true() {
    follow(&points::rows());
}

/// Wrong if a page said more of a map, a ring, an all-gather, a discovery or an operation than its summary.
#[test]
fn the_notices_of_other_kinds_are_true() {
    follow(&kinds::rows());
}

/// Wrong if a sweep's lines or notices were other than its table.
#[test]
fn the_lines_and_notices_of_sweeps_are_true() {
    follow(&sweeps::rows());
}

/// Wrong if a sentence were added to a terminal, a page or the reasons without a row that follows it.
#[test]
fn every_sentence_has_a_row() {
    let rows = table();
    let mut parts: Vec<&str> = rows.iter().flat_map(|row| row.says).copied().collect();
    parts.extend(UNREACHED.iter().map(|(says, _)| *says));
    parts.extend(rows.iter().filter_map(|row| match row.place {
        Place::Next(title) => Some(title),
        Place::Notice(_) | Place::Reason => None,
    }));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sentences = source::sentences(root);
    assert!(sentences.len() > 100, "{}", sentences.len());
    let missing: Vec<_> = sentences
        .iter()
        .filter(|(_, sentence)| !parts.iter().any(|part| part.contains(sentence.as_str())))
        .collect();
    assert!(missing.is_empty(), "without a row: {missing:#?}");
}

/// Wrong if a terminal and a page disagreed on where a network saturates.
#[test]
fn a_terminal_and_a_page_agree_on_saturation() {
    let wide = &["traffic.uniform.loads=[0.1, 0.25]", "measure.messages=800"][..];
    for (scenario, set) in [
        (RING, &[][..]),
        (RING, &["traffic.uniform.loads=[0.1, 0.6]"]),
        (RING, &["traffic.uniform.loads=[0.6]"]),
        (RING, &["measure.messages=30"]),
        (RING, wide),
        (CREDITS, &[]),
        (CREDITS, &["traffic.uniform.loads=[0.02]", "measure.find-saturation=0.2"]),
    ] {
        let ran = Ran::new(scenario, set);
        let (line, page) = (ran.next("saturation").unwrap_or_default(), ran.sentences());
        let said = |words: &str| line.contains(words);
        let pairs = [
            (said("between loads") || said("is carried, at load"), "lies between"),
            (said("not reached") || said("not found: load"), "The network carries load"),
            (said("below load"), "no lower load that was run is known to be carried"),
            (said("dies"), "dies in a deadlock"),
            (line.is_empty() || said("not found: of no load"), "No load that was run is known to be carried"),
        ];
        for (is_said, sentence) in pairs {
            ran.check(is_said == page.contains(sentence), &format!("{line:?} beside {page:?}"));
        }
    }
}
