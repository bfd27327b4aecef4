//! Values for a key of the JSON Schema: mostly what it wants, sometimes at its bounds, sometimes nothing like it.

use serde_json::Value as Json;

use crate::bad_input::schema_cases::chance::Chance;
use crate::bad_input::schema_cases::document::Node;

/// How far values go from what their keys want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mood {
    /// As the schema wants them, and small.
    Mild,
    /// One in six at a bound of its range or just beyond it.
    Mixed,
    /// One in three at a bound, one in six of another kind.
    Wild,
    /// All at their bounds.
    Edge,
}

/// Texts that are no name, no file and no quantity of anything.
const STRANGE: [&str; 16] = [
    "",
    " ",
    "\u{0}",
    "\u{1b}[31m",
    "é漢字🙂",
    "\u{202e}gnol",
    "٣ ms",
    "a/b",
    "..",
    "no-such-thing",
    "5 parsecs",
    "50",
    "1e3 ms",
    "-1 B",
    "\u{301}",
    "99999999999999999999999999999999999999999 ms",
];

/// What is written where a value should stand, of whatever kind.
const RAW: [&str; 26] = [
    "0",
    "-1",
    "1",
    "18446744073709551615",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999",
    "4294967296",
    "65536",
    "0x10",
    "0.0",
    "-0.0",
    "1e308",
    "5e-324",
    "1e400",
    "nan",
    "-inf",
    "true",
    "1979-05-27",
    "07:32:00",
    "[]",
    "{}",
    "[[[[]]]]",
    "{ a = { b = { c = 1 } } }",
    "'''\nlines\n'''",
    "[1, 'two', 3.0, { four = 4 }]",
];

const HOSTS: [&str; 9] = ["h0", "h1", "h2", "h3", "c-util", "c00", "c01", "alpha", "nobody"];
const SWITCHES: [&str; 6] = ["s0", "s1", "s2", "C1.0", "s0:0", "h0"];
const FILES: [&str; 9] = [
    "net.json",
    "routes.ndjson",
    "messages.csv",
    "sizes.csv",
    "rtts.csv",
    "uncabled.json",
    "layer.toml",
    "nowhere.csv",
    "",
];

/// A value for a key; `path` is what the key is called, keys joined by dots, and `root` the whole schema.
pub(super) fn value(schema: &Json, path: &str, root: &Json, mood: Mood, chance: &mut Chance) -> Node {
    match mood {
        Mood::Mild => {}
        Mood::Mixed if chance.of(1, 6) => return bound(schema, path, root, chance),
        Mood::Mixed => {}
        Mood::Wild if chance.of(1, 3) => return bound(schema, path, root, chance),
        Mood::Wild if chance.of(1, 4) => return foreign(schema, chance),
        Mood::Wild => {}
        Mood::Edge => return bound(schema, path, root, chance),
    }
    fitting(schema, path, root, mood, chance)
}

/// A table with the keys that it must have and nothing else.
pub(super) fn bare(schema: &Json, path: &str, root: &Json, chance: &mut Chance) -> Node {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let made = |key: &str| {
        let made = value(&schema["properties"][key], &format!("{path}.{key}"), root, Mood::Mild, chance);
        (key.to_owned(), made)
    };
    Node::Table(required.map(made).collect())
}

/// Whether a table is one where a key excludes most others: a network or a pattern of traffic.
fn is_choice(schema: &Json) -> bool {
    let has = |key: &str| schema["properties"].get(key).is_some();
    (has("preset") && has("torus")) || (has("trace") && has("uniform"))
}

/// Whether a key of a table excludes most of its other keys.
pub(super) fn is_source(schema: &Json, key: &str) -> bool {
    let is_one = |inner: &Json| inner["properties"].is_object() || ["preset", "file"].contains(&key);
    is_choice(schema) && schema["properties"].get(key).is_some_and(is_one)
}

/// A table with all keys that it must have and some that it may have.
pub(super) fn table(schema: &Json, path: &str, root: &Json, mood: Mood, chance: &mut Chance) -> Node {
    if is_choice(schema) && (mood < Mood::Wild || chance.of(2, 3)) {
        let kinds = schema["properties"].as_object().into_iter().flatten();
        let kinds: Vec<(&String, &Json)> = kinds.filter(|(key, _)| is_source(schema, key)).collect();
        let (key, inner) = kinds[chance.below(kinds.len())];
        return Node::Table(vec![(key.clone(), value(inner, &format!("{path}.{key}"), root, mood, chance))]);
    }
    let mut table = Node::table();
    let required = schema["required"].as_array();
    let is_required = |key: &str| required.is_some_and(|all| all.iter().any(|other| other == key));
    let properties = schema["properties"].as_object();
    let count = properties.map_or(1, serde_json::Map::len).max(1);
    for (key, inner) in properties.into_iter().flatten() {
        let is_wanted = match is_required(key) {
            true => mood < Mood::Wild || !chance.of(1, 12),
            // About two optional ones, however many there are.
            false => chance.of(2, count + 1),
        };
        if is_wanted {
            let made = value(inner, &format!("{path}.{key}"), root, mood, chance);
            table.entries().push((key.clone(), made));
        }
    }
    if schema["additionalProperties"].is_object() {
        let inner = &schema["additionalProperties"];
        for _ in 0..chance.below(3) {
            let key = match path {
                "expect" => chance.pick(&["outcome", "map.isomorphic", "points.0.load", "a..b", ""]),
                _ => chance.pick(&SWITCHES),
            };
            let made = value(inner, &format!("{path}.*"), root, mood, chance);
            table.entries().push((key.to_owned(), made));
        }
    }
    table
}

fn fitting(schema: &Json, path: &str, root: &Json, mood: Mood, chance: &mut Chance) -> Node {
    if let Some(target) = schema["$ref"].as_str() {
        // What refers to itself ends after a few rounds.
        let inner = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return inner
            .filter(|_| chance.of(1, 2))
            .map_or_else(Node::table, |inner| table(inner, path, root, mood, chance));
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        let kind = &kinds[chance.below(kinds.len())];
        return value(kind, path, root, mood, chance);
    }
    if let Some(words) = schema["enum"].as_array() {
        return Node::Raw(words[chance.below(words.len())].to_string());
    }
    if !schema["const"].is_null() {
        return Node::Raw(schema["const"].to_string());
    }
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds[chance.below(kinds.len())].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => table(schema, path, root, mood, chance),
        Some("array") => {
            let count = if mood == Mood::Mild { 1 + chance.below(2) } else { chance.below(4) };
            let item = &schema["items"];
            let mut items: Vec<Node> =
                (0..count).map(|_| value(item, &format!("{path}[]"), root, mood, chance)).collect();
            if mood > Mood::Mild && chance.of(1, 8) {
                items.extend(items.first().cloned());
            }
            Node::List(items)
        }
        Some("integer") => integer(schema, path, chance),
        Some("number") => number(schema, chance),
        Some("boolean") => Node::Raw(chance.pick(&["true", "false"]).to_owned()),
        _ => text(schema, path, mood, chance),
    }
}

/// Whether a number at this place may become a network, so that only small ones and those beyond all bounds are
/// given: judging a network of a million hosts is judging its size.
fn is_size(path: &str) -> bool {
    let is_part = |part: &str| path.contains(part);
    ["topology", "networks", "switches", "ranks", "machines", "instances", "hosts", "iterations"]
        .into_iter()
        .any(is_part)
}

fn integer(schema: &Json, path: &str, chance: &mut Chance) -> Node {
    let least = schema["minimum"].as_i64().unwrap_or(0);
    let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
    if let (true, Some(default)) = (chance.of(1, 3), schema["default"].as_i64()) {
        return Node::Raw(default.to_string());
    }
    // A tree has a power of its levels.
    let span = match path.ends_with("levels") {
        true => 3,
        false if is_size(path) => 4,
        false => [3, 20, 3_000][chance.below(3)],
    };
    let least = if is_size(path) && chance.of(3, 4) { least.max(2) } else { least };
    let above = i64::try_from(chance.below(span)).unwrap();
    Node::Raw(least.saturating_add(above).min(most).to_string())
}

fn number(schema: &Json, chance: &mut Chance) -> Node {
    if schema["default"].is_number() && chance.of(1, 3) {
        return Node::Raw(schema["default"].to_string());
    }
    Node::Raw(chance.pick(&["0.01", "0.5", "0.25", "0.9", "1", "0.000001", "2.5", "1e-9"]).to_owned())
}

fn text(schema: &Json, path: &str, mood: Mood, chance: &mut Chance) -> Node {
    if let (true, Some(default)) = (chance.of(1, 3), schema["default"].as_str()) {
        return Node::text(default);
    }
    let example = schema["examples"][0].as_str();
    if let Some(unit) = example.and_then(|example| example.split_once(' ')).map(|(_, unit)| unit) {
        return quantity(unit, mood, chance);
    }
    let key = path.rsplit('.').next().unwrap_or(path);
    let (hosts, switches) =
        if mood == Mood::Mild { (&HOSTS[..4], &SWITCHES[..2]) } else { (&HOSTS[..], &SWITCHES[..]) };
    let name = match key.trim_end_matches("[]") {
        "file" | "matrix" | "include" => chance.pick(&FILES),
        "switch" | "root" | "attach" | "link" => chance.pick(switches),
        "profile" | "extends" => chance.pick(&["small", "large", "other"]),
        "name" => chance.pick(&["one", "two", "time", "now-c"]),
        "paper" => chance.pick(&["001", "003", "005", "9"]),
        "topology" | "preset" | "network" => chance.pick(&["now-c", "now-ca", "now-cab"]),
        _ => chance.pick(hosts),
    };
    Node::text(name)
}

/// The units of the kind of quantity to which `unit` belongs.
fn units(unit: &str) -> &'static [&'static str] {
    match unit {
        "ms" => &["ps", "ns", "us", "ms", "s", "min"],
        "B" => &["B", "KB", "MB", "KiB", "MiB", "GiB"],
        "Gb/s" => &["b/s", "Kb/s", "Mb/s", "Gb/s", "MB/s", "GB/s"],
        "m" => &["mm", "cm", "m", "km"],
        _ => &["%"],
    }
}

fn quantity(unit: &str, mood: Mood, chance: &mut Chance) -> Node {
    let unit = if chance.of(1, 2) { unit } else { chance.pick(units(unit)) };
    let number = match mood {
        Mood::Mild => chance.pick(&["1", "2", "5", "10", "64", "100", "0.5"]),
        _ => chance.pick(&["0", "1", "2.5", "64", "1_000", "0.000001", "65535", "4294967296", "0.333333"]),
    };
    Node::text(&format!("{number} {unit}"))
}

/// A value at a bound of what the key takes, or one beyond it.
fn bound(schema: &Json, path: &str, root: &Json, chance: &mut Chance) -> Node {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    if schema["type"] == "integer" {
        let outside = [least.map(|least| least.saturating_sub(1)), most.map(|most| most.saturating_add(1))];
        let inside = [least, most.filter(|_| !is_size(path))];
        let known: Vec<i64> = outside.into_iter().chain(inside).flatten().collect();
        return match chance.below(known.len() + 2).checked_sub(2) {
            Some(nth) => Node::Raw(known[nth].to_string()),
            None => Node::Raw(chance.pick(&RAW[..6]).to_owned()),
        };
    }
    if schema["type"] == "number" {
        return Node::Raw(chance.pick(&["0", "1", "-1", "1.0000001", "0.0", "1e308", "5e-324"]).to_owned());
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return bound(&kinds[chance.below(kinds.len())], path, root, chance);
    }
    if schema["type"] == "array" {
        let count = [0, 0, 1, 7][chance.below(4)];
        let item = fitting(&schema["items"], &format!("{path}[]"), root, Mood::Mild, chance);
        return Node::List(vec![item; count]);
    }
    match schema["examples"][0].as_str().and_then(|example| example.split_once(' ')) {
        Some((_, "%")) => {
            Node::text(chance.pick(&["0 %", "100 %", "100.0000001 %", "0.0000000001 %", "1000000 %"]))
        }
        // The finest unit counts in grains: as many as there can be, half of them, one.
        Some((_, unit)) if chance.of(2, 3) => {
            let number =
                chance.pick(&["18446744073709551615", "9223372036854775808", "4294967295", "1", "0"]);
            Node::text(&format!("{number} {}", units(unit)[0]))
        }
        Some((_, unit)) => {
            let number = chance.pick(&["18446744073709551616", "0.0000000000001", "1", "213"]);
            Node::text(&format!("{number} {}", chance.pick(units(unit))))
        }
        None if schema["enum"].is_array() => misspelt(schema, chance),
        None => fitting(schema, path, root, Mood::Mild, chance),
    }
}

/// A word of an enumeration with a letter left out or in capitals.
fn misspelt(schema: &Json, chance: &mut Chance) -> Node {
    let words = schema["enum"].as_array().map_or(&[][..], Vec::as_slice);
    let word = words[chance.below(words.len())].as_str().unwrap_or("auto");
    if chance.of(1, 2) {
        return Node::text(&word.to_uppercase());
    }
    let left_out = chance.below(word.len());
    Node::text(
        &word.chars().enumerate().filter(|(nth, _)| *nth != left_out).map(|(_, c)| c).collect::<String>(),
    )
}

/// A value of another kind than the key wants.
fn foreign(schema: &Json, chance: &mut Chance) -> Node {
    match chance.below(4) {
        0 if schema["enum"].is_array() => misspelt(schema, chance),
        0 | 1 => Node::text(chance.pick(&STRANGE)),
        _ => Node::Raw(chance.pick(&RAW).to_owned()),
    }
}

/// A text that means nothing.
pub(super) fn strange(chance: &mut Chance) -> &'static str {
    chance.pick(&STRANGE)
}
