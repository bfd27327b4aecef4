//! What goes with what: the files of each kind of run, and the columns that pages read of a table.
//!
//! `simnet run` writes all of a folder or nothing, so a file that is not there was taken away, and a table without its
//! columns is another one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Csv;
use simnet_base::diagnostics::quoted;

/// The files that always come with this key of the summary: what is expected where no manifest
/// names the files.
const FILES: [(&str, &[&str]); 7] = [
    (
        "points",
        &[
            "points.csv",
            "channels.csv",
            "hosts.csv",
            "latency_histograms.csv",
            "deadlocks.csv",
            "network.json",
        ],
    ),
    ("map", &["growth-steps.csv", "network.json"]),
    ("operation", &["operation.csv", "network.json"]),
    ("allgather", &["network.json"]),
    ("rings", &["network.json"]),
    ("discovery", &["discovery.csv"]),
    ("sweep", &["points.csv"]),
];

/// The columns without which a table of this name shows nothing.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("points", &["load", "accepted_flits_per_cycle_per_host", "latency_mean_ns"]),
    ("channels", &["load", "from", "to", "flits", "busy_share", "blocked_share", "wanted_share"]),
    ("hosts", &["load", "host"]),
    ("latency_histograms", &["load", "kind", "messages", "up_to_latency_ns"]),
    ("outages", &["cable_from", "failed_ns"]),
];

/// What is missing of the files that the manifest names, or else of those that a summary implies, in a sentence.
pub(super) fn missing_files(manifest: &Value, summary: &Value, names: &[String]) -> Option<String> {
    let is_there = |file: &str| names.iter().any(|name| name == file);
    if let Some(files) = manifest.get("files").and_then(Value::as_array) {
        let named = files.iter().filter_map(Value::as_str).filter(|file| *file != "summary.json");
        let missing: Vec<&str> = named.filter(|file| !is_there(file)).collect();
        return missing_sentence(&missing, "which manifest.json names");
    }
    let is_in_summary = |key: &str| match &summary[key] {
        Value::Array(list) => !list.is_empty(),
        other => other.is_object(),
    };
    let written = FILES.iter().filter(|(key, _)| is_in_summary(key));
    let mut missing: Vec<&str> =
        written.flat_map(|(_, files)| *files).copied().filter(|file| !is_there(file)).collect();
    missing.sort_unstable();
    missing.dedup();
    missing_sentence(&missing, "though summary.json has such results")
}

/// A sentence: these files are missing, and how that is known. It names the first 20.
fn missing_sentence(missing: &[&str], how: &str) -> Option<String> {
    const MOST: usize = 20;
    let quoted: Vec<String> = missing.iter().take(MOST).map(|name| quoted(name)).collect();
    let mut shown: Vec<&str> = quoted.iter().map(String::as_str).collect();
    let more = format!("{} more", missing.len().saturating_sub(MOST));
    if missing.len() > MOST {
        shown.push(&more);
    }
    let verb = if missing.len() == 1 { "is" } else { "are" };
    (!missing.is_empty()).then(|| format!("{} {verb} missing, {how}", and(&shown)))
}

/// What columns the tables of a run lack, a sentence a table; the columns of a sweep's points are its own.
pub(super) fn missing_columns(tables: &BTreeMap<String, Csv>, summary: &Value) -> Vec<String> {
    let is_sweep = summary["sweep"].is_object();
    let known = COLUMNS.iter().filter(|(stem, _)| !(is_sweep && *stem == "points"));
    known.filter_map(|(stem, columns)| lacking(stem, tables.get(*stem)?, columns)).collect()
}

/// Which of `columns` the table `stem` lacks, in a sentence; `None` for an empty table or a complete one.
fn lacking(stem: &str, table: &Csv, columns: &[&str]) -> Option<String> {
    if table.columns.is_empty() {
        return None;
    }
    let lacking: Vec<&str> = columns.iter().copied().filter(|name| table.column(name).is_none()).collect();
    (!lacking.is_empty()).then(|| {
        let word = if lacking.len() == 1 { "column" } else { "columns" };
        format!("{stem}.csv has no {word} {}: not the table that simnet writes", and(&lacking))
    })
}

/// `a`, `a and b`, `a, b and c`.
fn and(words: &[&str]) -> String {
    match words {
        [.., _, last] => format!("{} and {last}", words[..words.len() - 1].join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_goes_with_a_summary_is_missed() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let rings = json!({"rings": {"all": 1}, "points": [], "map": null});
        assert_eq!(missing_files(&Value::Null, &rings, &names(&["network.json"])), None);
        let sentence = missing_files(&Value::Null, &rings, &names(&["other.csv"])).unwrap();
        assert!(sentence.starts_with("network.json is missing"), "{sentence}");
        let map = json!({"map": {}});
        let sentence = missing_files(&Value::Null, &map, &[]).unwrap();
        assert!(sentence.starts_with("growth-steps.csv and network.json are missing"), "{sentence}");
    }

    #[test]
    fn what_a_manifest_names_is_missed() {
        let names = ["a.csv".to_owned()];
        let manifest = |files: Value| json!({"files": files});
        let sentence = |files| missing_files(&manifest(files), &json!({"map": {}}), &names);
        assert_eq!(
            sentence(json!(["a.csv", "summary.json"])),
            None,
            "a missing summary is reported elsewhere"
        );
        assert_eq!(
            sentence(json!(["a.csv", "events.simlog"])).unwrap(),
            "events.simlog is missing, which manifest.json names"
        );
        assert_eq!(
            sentence(json!(["b\u{7}", 7, "c.csv"])).unwrap(),
            "b\\u{7} and c.csv are missing, which manifest.json names"
        );
        let many: Vec<String> = (0..30).map(|nth| format!("{nth}.csv")).collect();
        let sentence = sentence(json!(many)).unwrap();
        assert!(sentence.contains("19.csv and 10 more are missing"), "{sentence}");
    }

    #[test]
    fn columns_are_missed_only_of_tables_that_are_there() {
        let table = |columns: &[&str]| Csv {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            ..Csv::default()
        };
        let whole = BTreeMap::from([("hosts".to_owned(), table(&["load", "host", "more"]))]);
        assert_eq!(missing_columns(&whole, &Value::Null), [""; 0]);
        let empty = BTreeMap::from([("hosts".to_owned(), Csv::default())]);
        assert_eq!(missing_columns(&empty, &Value::Null), [""; 0], "that it is empty is reported elsewhere");
        let other = BTreeMap::from([("hosts".to_owned(), table(&["{\"a\": 1}"]))]);
        assert_eq!(
            missing_columns(&other, &Value::Null),
            ["hosts.csv has no columns load and host: not the table that simnet writes"]
        );
        let points = BTreeMap::from([("points".to_owned(), table(&["point", "key"]))]);
        assert_eq!(missing_columns(&points, &json!({"sweep": {"count": 1}})), [""; 0]);
        assert_eq!(missing_columns(&points, &Value::Null).len(), 1);
    }
}
