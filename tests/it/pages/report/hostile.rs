//! Names from files are data: whatever they hold, the page is built the same, and shows them as text.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use simnet::diagnostics::{is_hidden, legible_lines};

use super::html::{Token, text_of, tokens};
use super::{check_sound, report};

/// Names that have broken pages before.
fn hostile() -> Vec<String> {
    let names = [
        "<script>alert(1)</script>",
        "</script><script>alert(2)</script>",
        "</title></style><svg onload=alert(3)>",
        "\"><img src=x onerror=alert(4)>",
        "' onmouseover='alert(5)",
        "<!-- --><!--",
        "]]>&lt;b&gt;&amp;#60;",
        "\u{202e}gnp.exe\u{202c} \u{200f}",
        "line\nbreak\ttab",
        "\u{2028}\u{2029}\u{0}\u{7}",
        "{{constructor.constructor('alert(6)')()}}",
        "javascript:alert(7)",
        "__proto__",
        "../../etc/passwd",
        "=1+1",
        "",
    ];
    let mut names = names.map(str::to_owned).to_vec();
    names.push("x".repeat(10_000));
    names.push("<b>".repeat(3_000));
    names
}

/// A folder of results whose every name is `name`, or as it is numbered.
fn folder(place: &Path, name: &str) {
    let of = |nth: usize| format!("{nth}{name}");
    let point = json!({"load": 0.1, "latency_mean_ns": 5.5, "state": of(0), "end": of(1), "saturated": false,
        "converged": false, "accepted_bits_per_s": 1e9, "resets": 3});
    let channel = json!({"from": of(0), "to": of(1), "busy": 0.5, "blocked": 0.25, "idle": 0.25});
    let summary = json!({
        "scenario": name, "seed": 1, "outcome": of(2), "description": of(3),
        "points": [point], "busiest_channels": [channel], "most_blocked_channels": [],
        "deadlock_count": 1,
        "deadlocks": [{"point": 0, "formed_ns": 1.0, "cycle": [of(0), of(1)], "worms": [of(2), of(3)],
            "cleared_by": of(4), "cleared_ns": 2.0}],
        "map": {"algorithm": of(0), "hosts": 1, "isomorphic": false, "isomorphic_to": of(1), "difference": of(2),
            "doubts": [of(3)], "probes": {"host": {"sent": 1, "hits": 1}}},
        "route": {"algorithm": of(0), "root": of(1), "dependency_cycle": [of(2)]},
        "sweep": {"axes": [of(0)], "points": [{"id": of(5)}], "nearest": of(6),
            "paper": [{"quantity": of(1), "configuration": of(2), "figure": of(3), "unit": of(4)}]},
        "allgather": {"all_right": true, "medium": of(0), "refused": of(1), "ran": of(2), "stuck": [of(3)],
            "stuck_ranks": 1},
        "rings": {"tree": of(0), "algorithm": of(1), "hosts": [of(2)], "refused": of(3), "root": of(4)},
        "discovery": {"machines": 2, "methods": {of(0): {"findings": [{"id": of(1)}]}}},
        "operation": {"events": [{"what": of(0), "at_ms": 1}], "notices": [{"event": 0, "noticed_by": of(1)}],
            "losses": {}},
        of(9): {of(8): of(7)},
    });
    let manifest = json!({"scenario": name, "scenario_hash": of(0), "host": of(1), "version": of(2), "commit": of(3),
        "argv": ["simnet", "run", of(4)], "seed": 1});
    let network = json!({"format": "simnet-topology/1", "name": of(0),
        "switches": [{"name": of(1), "ports": 4}], "hosts": [{"name": of(2)}, {"name": of(3)}],
        "links": [{"a": of(2), "a_port": 0, "b": of(1), "b_port": 0},
            {"a": of(3), "a_port": 0, "b": of(1), "b_port": 1}]});
    fs::create_dir_all(place).unwrap();
    let write = |file: &str, value: &Value| fs::write(place.join(file), value.to_string()).unwrap();
    write("summary.json", &summary);
    write("manifest.json", &manifest);
    write("network.json", &network);
    fill(place);
    let mut table = csv::Writer::from_path(place.join("deliveries.csv")).unwrap();
    table.write_record([&of(0), "from", &of(1)]).unwrap();
    for row in 0..14 {
        table.write_record([&of(row), name, "1"]).unwrap();
    }
    table.flush().unwrap();
    // What a file can be called: no slash, no zero, not too long.
    let plain: String = name.chars().filter(|letter| !"/\0".contains(*letter)).take(60).collect();
    fs::write(place.join(format!("a{plain}z.csv")), "a,b\n1,2\n").unwrap();
}

/// The tables that such a summary comes with, without rows.
fn fill(place: &Path) {
    let tables = [
        ("points", "load,accepted_flits_per_cycle_per_host,latency_mean_ns"),
        ("channels", "load,from,to,flits,busy_share,blocked_share,wanted_share"),
        ("hosts", "load,host"),
        ("latency_histograms", "load,kind,messages,up_to_latency_ns"),
    ];
    for (stem, columns) in tables {
        fs::write(place.join(format!("{stem}.csv")), format!("{columns}\n")).unwrap();
    }
    let others = ["deadlocks", "discovery", "growth-steps", "mappings", "operation", "routes"];
    for stem in others {
        fs::write(place.join(format!("{stem}.csv")), "a\n").unwrap();
    }
}

/// The rows of the table of deliveries, as its script has them.
fn deliveries(tokens: &[Token]) -> Value {
    let tables = data(tokens)["tables"]["tables"].take();
    let found = tables.as_array().unwrap().iter().find(|table| table["caption"] == "Deliveries");
    found.expect("it is there")["rows"].clone()
}

/// The elements of a page and the names of their attributes: all that a name must never change.
fn build(tokens: &[Token]) -> Vec<String> {
    let shape = |token: &Token| match token {
        Token::Open(name, attributes) => {
            let keys: Vec<&str> = attributes.iter().map(|(key, _)| key.as_str()).collect();
            Some(format!("<{name} {}>", keys.join(" ")))
        }
        Token::Close(name) => Some(format!("</{name}>")),
        Token::Text(_) => None,
    };
    tokens.iter().filter_map(shape).collect()
}

/// The data that scripts work on.
fn data(tokens: &[Token]) -> Value {
    let place = tokens.iter().position(|token| token.attribute("id") == Some("data")).unwrap();
    serde_json::from_str(&text_of(tokens, place)).unwrap()
}

/// Wrong if any name opened, closed or changed an element, ended the data of the scripts, or was not shown.
#[test]
fn no_name_changes_how_the_page_is_built() {
    let room = tempfile::tempdir().unwrap();
    let place = room.path().join("harmless");
    folder(&place, "harmless");
    let (harmless, err) = report(&place, 0);
    assert_eq!(err, "");
    let expected = tokens(&harmless);
    check_sound(&harmless, &expected);
    assert!(text_of(&expected, 0).contains("0harmless"));
    for (nth, name) in hostile().iter().enumerate() {
        let place = room.path().join(nth.to_string());
        folder(&place, name);
        let (text, _) = report(&place, 0);
        let tokens = tokens(&text);
        check_sound(&text, &tokens);
        let (built, wanted) = (build(&tokens), build(&expected));
        let differs = built.iter().zip(&wanted).position(|(a, b)| a != b);
        assert_eq!(differs.map(|at| &built[at.saturating_sub(3)..at + 3]), None, "{name:?}");
        assert_eq!(built.len(), wanted.len(), "{name:?}");
        let legible = legible_lines(name);
        assert_eq!(deliveries(&tokens)[0][1], json!(legible), "the script gets the name as it is shown");
        let shown: String = legible.chars().take(20).collect();
        assert!(text_of(&tokens, 0).contains(&shown), "{name:?} is shown");
        assert!(!text.contains(|c| is_hidden(c) && !"\n\t".contains(c)), "{name:?} hides something");
    }
}

/// Wrong if a number of a file that no browser can hold broke the page.
#[test]
fn odd_numbers_are_shown_or_kept_as_text() {
    let room = tempfile::tempdir().unwrap();
    let place = room.path().join("odd");
    fs::create_dir(&place).unwrap();
    let summary = r#"{"scenario": "odd", "seed": 18446744073709551615, "outcome": "drained", "points": [
        {"load": -1e-300, "latency_mean_ns": 1.7976931348623157e308, "latency_p99_ns": -5, "messages": 0,
         "accepted_bits_per_s": 1e-200, "accepted_flits_per_cycle_per_host": -0.0}]}"#;
    fs::write(place.join("summary.json"), summary).unwrap();
    fs::write(
        place.join("manifest.json"),
        r#"{"scenario_hash": "", "wall_s": -1e300, "max_rss_bytes": 1e99}"#,
    )
    .unwrap();
    fill(&place);
    fs::write(
        place.join("network.json"),
        "{\"format\": \"simnet-topology/1\", \"name\": \"n\", \"switches\": [], \
        \"hosts\": [], \"links\": []}",
    )
    .unwrap();
    fs::write(place.join("deliveries.csv"), "a,b,c\nNaN,1e999,-0\ninf,99999999999999999999,\n").unwrap();
    let (text, err) = report(&place, 0);
    assert_eq!(err, "");
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    super::numbers::check(&tokens, &super::json_of(&place, "summary.json"));
    let rows = deliveries(&tokens);
    assert_eq!(rows, json!([["NaN", "1e999", 0], ["inf", "99999999999999999999", ""]]));
}

/// Wrong if counts that nothing can count together made a panic, or a wrong sum.
#[test]
fn counts_beyond_all_bounds_make_a_report() {
    let room = tempfile::tempdir().unwrap();
    let place = room.path();
    folder(place, "much");
    let most = u64::MAX;
    let mut summary = super::json_of(place, "summary.json");
    summary["discovery"] = json!({"machines": most, "messages_lost": most, "methods": {}});
    summary["allgather"] = json!({"all_right": false, "buffers_wrong": most, "stuck_ranks": most});
    summary["map"]["probes"] = json!({"host": {"sent": most}, "switch": {"sent": most}});
    summary["sweep"]["count"] = json!(most);
    summary["deadlocks"][0]["point"] = json!(most);
    fs::write(place.join("summary.json"), summary.to_string()).unwrap();
    let kinds = format!("0.1,creation,{most},5\n0.1,creation,{most},7\n0.1,network,{most},5\n");
    let table = format!("load,kind,messages,up_to_latency_ns\n{kinds}{kinds}");
    fs::write(place.join("latency_histograms.csv"), table).unwrap();
    let (text, err) = report(place, 0);
    assert_eq!(err, "");
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    assert!(text_of(&tokens, 0).contains("Of 1.845e19 messages"), "not less than there are");
}
