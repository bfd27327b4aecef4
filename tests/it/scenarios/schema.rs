//! The scenario reader against its own description: schema, reference and reader know the same keys.

use std::path::{Path, PathBuf};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use simnet::scenario::checked::Traffic;
use simnet::scenario::sweep::{Sweep, is_sweep};
use simnet::scenario::{Files, Overrides, read, reference, schema};

use support_network::cases;

use super::meaning::meaning;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn good(name: &str) -> (String, Vec<u8>) {
    let path = root().join("tests/it/bad_input/good").join(name);
    (path.display().to_string(), std::fs::read(&path).unwrap())
}

/// All scenarios that are fine: those that users are given, and those of the corpus of bad input.
fn scenarios() -> Vec<PathBuf> {
    let folders = [
        "scenarios",
        "scenarios/sancho2000",
        "scenarios/mainwaring1997",
        "scenarios/hendriks2004",
        "scenarios/faraj2008",
        "tests/it/bad_input/good",
    ]
    .map(|name| root().join(name));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect()
}

/// The faults of a scenario in one text.
fn faults(file: &str, text: &[u8], overrides: &Overrides) -> String {
    let refused = if is_sweep(file, text, overrides, &Files::disk()) {
        Sweep::read(file, text, overrides, &Files::disk(), simnet::simulation::MODEL).err()
    } else {
        read(file, text, overrides).err()
    };
    refused.map_or_else(String::new, |refusal| refusal.to_string())
}

/// What of the schema a value breaks: a key it does not know, a type or a word it does not allow.
fn unlike(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(kinds) = schema["anyOf"].as_array() {
        let fits = |kind: &Value| {
            let mut inner = Vec::new();
            unlike(kind, value, at, &mut inner);
            inner.is_empty()
        };
        if !kinds.iter().any(fits) {
            found.push(format!("{at}: none of the kinds allowed"));
        }
        return;
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        found.push(format!("{at}: {value} is not among {words:?}"));
    }
    let type_fits = |name: &str| match name {
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{at}: the schema names the type {other}"),
    };
    let fits = match &schema["type"] {
        Value::String(name) => type_fits(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(type_fits),
        _ => true,
    };
    if !fits {
        found.push(format!("{at}: not of type {}", schema["type"]));
    }
    if let (Some(table), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for (key, inner) in table {
            match properties.get(key) {
                Some(schema) => unlike(schema, inner, &format!("{at}.{key}"), found),
                None => found.push(format!("{at}.{key}: a key that the schema does not know")),
            }
        }
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !table.contains_key(key) {
                found.push(format!("{at}.{key}: missing"));
            }
        }
    }
    if let (Some(list), true) = (value.as_array(), schema["items"].is_object()) {
        for (nth, inner) in list.iter().enumerate() {
            unlike(&schema["items"], inner, &format!("{at}.{nth}"), found);
        }
    }
}

/// Wrong if a scenario that is fine uses a key or a kind of value that the schema does not allow.
#[test]
fn every_scenario_conforms_to_the_schema() {
    let schema = schema();
    for path in scenarios() {
        let text = std::fs::read_to_string(&path).unwrap();
        let value: toml::Value = toml::from_str(&text).unwrap();
        let mut found = Vec::new();
        unlike(&schema, &serde_json::to_value(value).unwrap(), "", &mut found);
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
    }
}

/// Wrong if a scenario that users are given is refused.
#[test]
fn every_scenario_is_fine() {
    for path in scenarios() {
        let name = path.display().to_string();
        let refused = faults(&name, &std::fs::read(&path).unwrap(), &Overrides::default());
        assert!(refused.is_empty(), "{refused}");
    }
}

/// Every path of keys in the schema, with its own schema.
fn keys(schema: &Value, prefix: &str, found: &mut Vec<(String, Value)>) {
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        found.push((path.clone(), value.clone()));
        keys(value, &path, found);
    }
}

/// Wrong if the reader does not know a key of the schema, or reads a value that the schema does not allow.
#[test]
fn the_reader_knows_every_key_of_the_schema() {
    let mut found = Vec::new();
    keys(&schema(), "", &mut found);
    assert!(found.len() > 100, "only {} keys", found.len());
    let (file, text) = good("base.toml");
    for (path, _) in found {
        // A date is never right, so that the reader has to object to the value and not to the key.
        let set = vec![format!("{path}=1979-05-27")];
        let refused = faults(&file, &text, &Overrides { set, seed: None });
        assert!(refused.contains("wrong-type"), "{path}: {refused}");
        assert!(!refused.contains("unknown-key"), "{path}: {refused}");
    }
}

/// Wrong if a default of the schema is not what the reader takes in its absence, or is refused when given.
#[test]
fn every_default_may_be_written_out() {
    let mut found = Vec::new();
    keys(&schema(), "", &mut found);
    let (file, text) = good("base.toml");
    let with = |set: Vec<String>| read(&file, &text, &Overrides { set, seed: None });
    let unset = with(vec![]).unwrap().identity;
    let sections = ["fabric.", "hosts.", "measure.", "output.", "scenario."];
    let defaults = found.iter().filter(|(path, schema)| {
        sections.iter().any(|section| path.starts_with(section)) && !schema["default"].is_null()
    });
    let mut count = 0;
    for (path, schema) in defaults {
        let written = with(vec![format!("{path}={}", schema["default"])]);
        assert_eq!(written.map(|checked| checked.identity).as_ref(), Ok(&unset), "{path}");
        count += 1;
    }
    assert!(count >= 15, "only {count} defaults");
}

/// Wrong if docs/SCENARIO.md says of a key what the reader does not do. `simnet schema --reference` prints
/// the tables as they should be.
#[test]
fn the_reference_is_up_to_date() {
    let page = std::fs::read_to_string(root().join("docs/SCENARIO.md")).unwrap();
    assert!(
        page.contains(&reference()),
        "splice the output of `simnet schema --reference` into docs/SCENARIO.md"
    );
}

/// Wrong if the schema held a null in place of a rule, which no validator takes.
#[test]
fn the_schema_has_no_empty_rules() {
    fn walk(schema: &Value, at: &str) {
        for (key, inner) in schema.as_object().into_iter().flatten() {
            let may_be_anything = ["default", "const", "enum", "examples"].contains(&key.as_str());
            assert!(may_be_anything || !inner.is_null(), "{at}/{key}");
            walk(inner, &format!("{at}/{key}"));
        }
        schema.as_array().into_iter().flatten().for_each(|inner| walk(inner, at));
    }
    walk(&schema(), "");
}

/// Wrong if what a run is known by depends on how a scenario is written, or not on what it means.
#[test]
fn there_is_one_key_for_one_meaning() {
    let (file, text) = good("base.toml");
    let text = String::from_utf8(text).unwrap();
    let key = |text: &str, set: &[&str]| {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let checked = read(&file, text.as_bytes(), &Overrides { set, seed: None }).unwrap();
        checked.identity.key(1, false, checked.seed)
    };
    let plain = key(&text, &[]);
    assert_eq!(plain, key(&format!("# a comment\n{text}[fabric]\nrate = \"160 MB/s\"\n"), &[]));
    assert_eq!(plain, key(&text, &["fabric.deadlock-timeout=0.05 s", "topology.preset=\"now-c\""]));
    assert_ne!(plain, key(&text, &["fabric.deadlock-timeout=55 ms"]));
    assert_ne!(plain, key(&text, &["scenario.seed=1"]));
    assert_ne!(plain, key(&text, &["topology.preset=now-ca"]));
}

/// The same of traffic: wrong if two ways to write one workload differed, or two workloads did not.
#[test]
fn there_is_one_meaning_of_traffic() {
    let (file, text) = good("base.toml");
    let text = String::from_utf8(text).unwrap();
    let traffic = |set: &[&str]| {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        meaning(read(&file, text.as_bytes(), &Overrides { set, seed: None }).unwrap())
    };
    let payload = |payload: &str| traffic(&[&format!("traffic.uniform.payload={payload}")]);
    let arrivals = |arrivals: &str| traffic(&[&format!("traffic.uniform.arrivals={arrivals}")]);
    let two = "{ short = \"16 B\", long = \"48 B\", long-share = \"100 %\" }";
    assert_eq!(payload(two), payload("\"48 B\""));
    assert_eq!(arrivals("poisson"), traffic(&[]));
    let all = [
        traffic(&[]),
        payload("\"31 B\""),
        payload(&two.replace("100", "50")),
        payload(&two.replace("100", "60")),
        arrivals("bernoulli"),
        arrivals("constant"),
        arrivals("{ on = \"1 us\", off = \"2 us\" }"),
        arrivals("{ on = \"1 us\", off = \"3 us\" }"),
        arrivals("{ on = \"1 us\", off = \"3 us\", within = \"constant\" }"),
    ];
    for (nth, one) in all.iter().enumerate() {
        assert!(!all[..nth].contains(one), "{nth}: {one}");
    }
}

/// Wrong if the contract's replay is read otherwise than it says.
#[test]
fn the_contracts_replay_is_read() {
    let (file, text) = good("replay.toml");
    let checked = read(&file, &text, &Overrides { set: Vec::new(), seed: Some(9) }).unwrap();
    assert_eq!((checked.name.as_str(), checked.seed), ("replay", 9));
    let parameters = checked.fabric_parameters();
    assert_eq!(parameters.base_cycle.as_ps(), 6_250);
    assert_eq!((parameters.switch.buffer, parameters.switch.stop, parameters.switch.go), (108, 56, 40));
    assert_eq!((parameters.switch.routing_latency, parameters.switch.timeout), (24, Some(8_000_000)));
    assert!(parameters.links.iter().all(|link| (link.period, link.delay) == (1, 2)));
    let Some(Traffic::Trace(trace)) = &checked.stages().unwrap().traffic else { panic!("a trace") };
    let messages: Vec<_> = trace
        .messages
        .iter()
        .map(|m| (m.name.as_str(), m.created.since(simnet::units::Time::ZERO).as_ps(), m.payload))
        .collect();
    assert_eq!(messages, [("1", 0, 32), ("2", 6_250, 512)]);
}

/// Every scenario of the corpus with bytes changed, removed, doubled and swapped: the reader answers, with
/// faults inside the text, and never panics.
#[test]
fn no_text_makes_the_reader_panic() {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for folder in ["good", "scenarios"] {
        let entries = std::fs::read_dir(root().join("tests/it/bad_input").join(folder)).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let toml = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
        texts.extend(toml.map(|path| std::fs::read(path).unwrap()));
    }
    let file = root().join("tests/it/bad_input/good/mutant.toml").display().to_string();
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut text = texts[rng.random_range(0..texts.len())].clone();
        for _ in 0..rng.random_range(1..4) {
            mutate(&mut text, &texts, &mut rng);
        }
        if let Err(refusal) = read(&file, &text, &Overrides::default()) {
            for faults in &refusal.files {
                let inside = |fault: &simnet::diagnostics::Fault| {
                    fault.span.start <= fault.span.end && fault.span.end <= faults.text.len()
                };
                assert!(faults.faults.iter().all(inside), "seed {seed}: {faults:?}");
            }
            assert!(!refusal.to_string().is_empty(), "seed {seed}");
        }
    }
}

/// Several keys of the schema at once set to values that fit some other key: wrong if a part that is
/// refused leaves nothing noted, or if one part trips over another's fault.
#[test]
fn no_overrides_make_the_reader_panic() {
    const VALUES: [&str; 24] = [
        "0",
        "1",
        "7",
        "-1",
        "0.5",
        "1e-9",
        "true",
        "\"0 ns\"",
        "\"1 ns\"",
        "\"3 ms\"",
        "\"0 B\"",
        "\"5 B\"",
        "\"1 KiB\"",
        "\"9 Gb/s\"",
        "\"1 km\"",
        "\"h1\"",
        "\"s1\"",
        "\"s1:0\"",
        "\"far\"",
        "\"never\"",
        "[]",
        "[0.5, 0.25]",
        "{}",
        "\"net.json\"",
    ];
    let mut found = Vec::new();
    keys(&schema(), "", &mut found);
    found.extend(["failures.0.link", "failures.1.at", "expect.a"].map(|path| (path.to_owned(), Value::Null)));
    let texts = ["base.toml", "everything.toml", "replay.toml"].map(good);
    for seed in 0..cases(20_000) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (file, text) = &texts[rng.random_range(0..texts.len())];
        let mut one = || {
            let (path, _) = &found[rng.random_range(0..found.len())];
            format!("{path}={}", VALUES[rng.random_range(0..VALUES.len())])
        };
        let set: Vec<String> = (0..3).map(|_| one()).collect();
        let overrides = Overrides { set, seed: None };
        let outcome = std::panic::catch_unwind(|| read(file, text, &overrides).err().map(|r| r.to_string()));
        assert!(outcome.is_ok(), "seed {seed}: {file} {:?}", overrides.set);
    }
}

fn mutate(text: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut ChaCha8Rng) {
    const BYTES: &[u8] = b"[]{}=\"'.,#\n\r\0\x1b\xc3\xff 0-ae";
    if text.is_empty() {
        text.extend_from_slice(b"[a]\n");
    }
    let at = rng.random_range(0..text.len());
    let end = (at + rng.random_range(1..12)).min(text.len());
    match rng.random_range(0..5) {
        0 => text[at] = BYTES[rng.random_range(0..BYTES.len())],
        1 => drop(text.drain(at..end)),
        2 => text.insert(at, BYTES[rng.random_range(0..BYTES.len())]),
        3 => {
            let part = text[at..end].to_vec();
            text.splice(at..at, part);
        }
        _ => {
            let other = &others[rng.random_range(0..others.len())];
            if !other.is_empty() {
                let from = rng.random_range(0..other.len());
                let to = (from + rng.random_range(1..60)).min(other.len());
                text.splice(at..end, other[from..to].to_vec());
            }
        }
    }
}

/// Cables of 2.5 m delay by two cycles, so three flits arrive after a STOP. Wrong if the bound is off by
/// one, or if a GO that leaves a pause is refused or passes in silence.
#[test]
fn a_buffer_must_hold_what_still_arrives() {
    let (file, text) = good("base.toml");
    let with = |set: &str| read(&file, &text, &Overrides { set: vec![set.to_owned()], seed: None });
    assert!(with("fabric.stop=105 B").is_ok());
    assert!(with("fabric.stop=106 B").unwrap_err().to_string().contains("buffer-overrun"));
    assert!(with("fabric.go=3 B").unwrap().warnings.is_empty());
    let warnings = with("fabric.go=2 B").unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("warning[bubble]"), "{warnings:?}");
    assert!(warnings[0].contains("--set:1:11"), "{warnings:?}");
}

/// Wrong if `--set` cannot reach a key, a list or a dotted name, or does not win over the file.
#[test]
fn overrides_reach_every_kind_of_place() {
    let (file, text) = good("everything.toml");
    let set = [
        "fabric.rate=2.56 Gb/s",
        "traffic.uniform.loads=[0.5]",
        "failures.1.at=\"30 ms\"",
        "expect.\"map.time_ms\"={ min = 5 }",
        "topology.random-regular.switches=10",
        "mapping.depth=7",
        "mapping.depth=8",
    ];
    let set = set.iter().map(|set| (*set).to_owned()).collect();
    let checked = read(&file, &text, &Overrides { set, seed: None }).unwrap();
    assert_eq!(checked.fabric.rate.as_bits_per_s(), 2_560_000_000);
    assert_eq!(checked.failures[1].at, simnet::units::Time::ZERO + simnet::units::Duration::from_ms(30));
    assert_eq!(checked.topology.network.switches().len(), 10);
    let algorithm = format!("{:?}", checked.mapping().unwrap().algorithm);
    assert!(algorithm.contains("depth: Some(8)"), "{algorithm}");
    let time = checked.expect.list.iter().find(|expectation| expectation.path == "map.time_ms").unwrap();
    assert_eq!(time.wanted.to_string(), "at least 5");
    assert!(Path::new(&file).exists());
}
