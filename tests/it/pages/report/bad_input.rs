//! What is no folder of results, or only half of one: a message that says what it is, and what could be shown.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::html::{text_of, tokens};
use super::{check_sound, report, run};
use crate::simnet;

/// Ends with `code`, writes nothing, and says each of `words`.
fn refused(folder: &Path, code: i32, words: &[&str]) {
    let (text, err) = report(folder, code);
    assert_eq!(text, "", "nothing is written");
    for word in words {
        assert!(err.contains(word), "{word:?} is not in: {err}");
    }
    assert_eq!(err.trim_end().lines().count(), 1, "one sentence: {err}");
}

/// Ends with code 3, but writes a report that says each of `words` where it complains, as stderr does.
fn complains(folder: &Path, words: &[&str]) -> String {
    let (text, err) = report(folder, 3);
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    let place =
        tokens.iter().position(|token| token.attribute("id") == Some("complaints")).expect("it complains");
    let shown = text_of(&tokens, place);
    for word in words {
        assert!(shown.contains(word), "{word:?} is not in: {shown}");
        assert!(err.contains(word), "{word:?} is not in: {err}");
    }
    text
}

/// Wrong if something else than a folder of results made a report, or the message did not say what was expected and
/// what is there instead.
#[test]
fn what_is_no_folder_of_results_is_refused() {
    let room = tempfile::tempdir().unwrap();
    let inside = |name: &str| room.path().join(name);
    refused(&inside("missing"), 7, &["missing", "No such file"]);
    let folder = run("deadlock-ring", room.path());
    refused(room.path(), 3, &["simnet run --out", "no summary.json", "did you mean", "deadlock-ring"]);
    refused(&folder.join("summary.json"), 3, &["a file", "a folder of results", "give its folder"]);
    refused(&super::root().join("scenarios/now100.toml"), 3, &["a scenario", "simnet run"]);
    refused(&super::root().join("results/sancho2000/fig3a"), 3, &["simnet figures", "data.csv"]);
    refused(&super::root().join("src"), 3, &["no summary.json"]);
    fs::create_dir(inside("empty")).unwrap();
    refused(&inside("empty"), 3, &["empty"]);
    for (name, text) in [
        ("list", "[1, 2]"),
        ("other", "{\"total\": 3}"),
        ("scenario", "{\"scenario\": 3}"),
        ("text", "Dear diary"),
        ("nothing", ""),
        ("deep", &"[".repeat(100_000)),
    ] {
        fs::create_dir(inside(name)).unwrap();
        fs::write(inside(name).join("summary.json"), text).unwrap();
        refused(&inside(name), 3, &["summary.json", "not a folder of results"]);
    }
    fs::create_dir(inside("sweep")).unwrap();
    fs::write(inside("sweep").join("sweep.json"), "{\"format\": \"other/1\"}").unwrap();
    refused(&inside("sweep"), 3, &["sweep.json"]);
}

/// Wrong if what is left of a folder were not shown, or what is amiss not reported.
#[test]
fn half_a_folder_is_shown_as_far_as_it_goes() {
    let room = tempfile::tempdir().unwrap();
    let folder = run("deadlock-ring", room.path());
    let whole = |name: &str| fs::read(folder.join(name)).unwrap();
    let with = |name: &str, bytes: &[u8], words: &[&str]| {
        let kept = fs::read(folder.join(name)).ok();
        fs::write(folder.join(name), bytes).unwrap();
        let text = complains(&folder, words);
        match kept {
            Some(kept) => fs::write(folder.join(name), kept).unwrap(),
            None => fs::remove_file(folder.join(name)).unwrap(),
        }
        text
    };
    let summary = whole("summary.json");
    with("summary.json", &summary[..summary.len() / 2], &["summary.json", "ends too early"]);
    with("summary.json", b"", &["summary.json", "ends too early"]);
    with("summary.json", b"{\"a\": 1e999}", &["summary.json", "not JSON"]);
    let manifest = whole("manifest.json");
    with("manifest.json", &manifest[..40], &["manifest.json", "where the results come from is not known"]);
    with(
        "channels.csv",
        b"load,from,to\n1,a,b\n1,a\n1,a,b,c\n",
        &["channels.csv", "line 3 has 2 cells, not 3"],
    );
    with("channels.csv", b"load,from,to\n1,\xff\xfe,b\n", &["channels.csv", "not UTF-8"]);
    with("points.csv", b"", &["points.csv", "is empty"]);
    let network = whole("network.json");
    with("network.json", &network[..network.len() - 20], &["network.json", "cannot be read"]);
    with("network.json", b"{\"format\": \"simnet-topology/9\"}", &["network.json"]);
    with("events.simlog", b"nonsense", &["events.simlog"]);
    // What was damaged is whole again, and so is the report.
    report(&folder, 0);

    fs::remove_file(folder.join("manifest.json")).unwrap();
    complains(&folder, &["manifest.json is missing"]);
    fs::write(folder.join("manifest.json"), manifest).unwrap();
    fs::remove_file(folder.join("summary.json")).unwrap();
    let text = complains(&folder, &["summary.json is missing"]);
    assert!(text.contains("deadlock-ring"), "the manifest still says what it was");
    fs::create_dir(folder.join("summary.json")).unwrap();
    complains(&folder, &["summary.json", "it is a folder"]);
}

/// Wrong if a table that was taken away, cut within its last number or replaced by something else were not missed, or
/// if the rest were not shown.
#[test]
fn tables_that_are_gone_cut_or_others_are_told() {
    let room = tempfile::tempdir().unwrap();
    let folder = run("zoo/ring", room.path());
    report(&folder, 0);
    let gone = [
        "points.csv",
        "channels.csv",
        "hosts.csv",
        "latency_histograms.csv",
        "deadlocks.csv",
        "network.json",
    ];
    for name in gone {
        let path = folder.join(name);
        let whole = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        complains(&folder, &[name, "is missing, which manifest.json names"]);
        if name != "network.json" {
            fs::write(&path, &whole[..whole.len() - 2]).unwrap();
            complains(&folder, &[name, "it is cut off within line"]);
        }
        if !["deadlocks.csv", "network.json"].contains(&name) {
            fs::write(&path, "{\"scenario\": [1, 2]}\n").unwrap();
            let text = complains(&folder, &[name, "has no column", "not the table that simnet writes"]);
            assert!(text.contains("zoo-ring"), "the rest is shown");
        }
        fs::write(&path, whole).unwrap();
    }
    report(&folder, 0);
    // The log is no table, and only the manifest says that there was one.
    let log = fs::read(folder.join("events.simlog")).unwrap();
    fs::remove_file(folder.join("events.simlog")).unwrap();
    complains(&folder, &["events.simlog is missing, which manifest.json names"]);
    fs::write(folder.join("events.simlog"), log).unwrap();
    // Results from before manifests named files, and committed ones, which have none.
    fs::remove_file(folder.join("manifest.json")).unwrap();
    fs::remove_file(folder.join("hosts.csv")).unwrap();
    complains(&folder, &["hosts.csv is missing, though summary.json has such results"]);
}

/// Wrong if a run of hundreds of switches and many loads made a page too large to mail, or lost the rows that its
/// table of cables opens with.
#[test]
fn a_large_run_stays_small_and_shows_the_load_that_hurts() {
    let room = tempfile::tempdir().unwrap();
    let (switches, loads) = (300_usize, 24);
    let links: Vec<Value> = (0..switches * 4)
        .map(|nth| {
            let (a, b, port) = (nth % switches, (nth * 7 + nth / switches + 1) % switches, nth / switches);
            json!({"a": format!("s{a}"), "a_port": port, "b": format!("s{b}"), "b_port": 8 + port})
        })
        .collect();
    let mut used = std::collections::BTreeSet::new();
    let links: Vec<Value> = links
        .into_iter()
        .filter(|link| used.insert((link["b"].to_string(), link["b_port"].to_string())))
        .collect();
    let nodes: Vec<Value> =
        (0..switches).map(|nth| json!({"name": format!("s{nth}"), "ports": 16})).collect();
    let format = "simnet-topology/1";
    let network = json!({"format": format, "name": "large", "switches": nodes, "hosts": [], "links": links});
    let write = |name: &str, text: String| fs::write(room.path().join(name), text).unwrap();
    write("network.json", network.to_string());
    let mut channels = "load,from,to,flits,busy_share,blocked_share,idle_share,wanted_share\n".to_owned();
    for load in 1..=loads {
        for (nth, link) in links.iter().enumerate() {
            for (from, to) in [("a", "b"), ("b", "a")] {
                let end =
                    |end: &str| format!("{}:{}", link[end].as_str().unwrap(), link[format!("{end}_port")]);
                let share = (nth * 31 + load * 17) as f64 / 99_991.7;
                let (half, third) = (share / 2.0, share / 3.0);
                channels += &format!(
                    "{load},{},{},{},{share},{half},{third},{third}\n",
                    end(from),
                    end(to),
                    nth * 1_000
                );
            }
        }
    }
    write("channels.csv", channels);
    write("summary.json", json!({"scenario": "large", "points": [], "hot_spots_load": 23}).to_string());
    write("manifest.json", json!({"scenario": "large", "scenario_hash": "00"}).to_string());
    let (text, _) = report(room.path(), 0);
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    let place = tokens.iter().position(|token| token.attribute("id") == Some("data")).unwrap();
    let data: Value = serde_json::from_str(&text_of(&tokens, place)).unwrap();
    let table = &data["tables"]["tables"][0];
    assert_eq!(table["start"]["filter"], json!([0, "=23"]));
    let rows = table["rows"].as_array().unwrap();
    assert!(rows.len() < 2 * links.len() * loads, "it is cut");
    // Of the load that hurts there is all, or nothing but that.
    let hot = rows.iter().filter(|row| row[0] == 23).count();
    assert!(hot > 1_000 && (hot == 2 * links.len() || hot == rows.len()), "{hot} of {} rows", rows.len());
    assert!(text_of(&tokens, 0).contains("those at load 23 among them"), "it is cut in words");
}

/// Wrong if a table that no page can hold were read whole, or cut without a word.
#[test]
fn a_huge_table_is_cut_and_says_so() {
    let room = tempfile::tempdir().unwrap();
    let folder = run("deadlock-ring", room.path());
    let rows = 1_500_000;
    let text = format!("message,state,head_ns,tail_ns\n{}", "a,delivered,1,2\n".repeat(rows));
    fs::write(folder.join("deliveries.csv"), text).unwrap();
    let (text, _) = report(&folder, 0);
    let tokens = tokens(&text);
    check_sound(&text, &tokens);
    assert!(text_of(&tokens, 0).contains("of 1\u{202f}500\u{202f}000 rows are here"), "it is cut in words");
}

/// Wrong if `--out` could do harm, or an impossible one ended as if it had worked.
#[test]
fn the_report_goes_only_where_it_may() {
    let room = tempfile::tempdir().unwrap();
    let folder = run("deadlock-ring", room.path());
    let folder = folder.to_str().unwrap();
    let before = fs::read(format!("{folder}/summary.json")).unwrap();
    let missing = room.path().join("missing/report.html");
    for (out, code, word) in [
        (missing.to_str().unwrap().to_owned(), 7, "No such file"),
        (folder.to_owned(), 7, "directory"),
        (format!("{folder}/summary.json"), 2, "one of the results, which is read"),
        (
            format!("{folder}/../{}/report", Path::new(folder).file_name().unwrap().to_str().unwrap()),
            2,
            "among",
        ),
    ] {
        let output = simnet(&["report", folder, "--out", &out]);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{out}: {err}");
        assert!(err.contains(word) && output.stdout.is_empty(), "{out}: {err}");
    }
    assert_eq!(fs::read(format!("{folder}/summary.json")).unwrap(), before);
    let no_log = simnet(&["report", folder, "--trace", "no-such.simlog", "--out", missing.to_str().unwrap()]);
    assert_eq!(no_log.status.code(), Some(7));
    assert!(String::from_utf8_lossy(&no_log.stderr).contains("no-such.simlog"));
}
