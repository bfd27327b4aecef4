//! What goes with what: the files of each kind of run, and the columns that pages read of a table.
//!
//! `simnet run` writes all of a folder or nothing, so a file that is not there was taken away, and a table without its
//! columns is another one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Csv;

/// The files that are always written beside what stands in the summary under this key.
const FILES: [(&str, &[&str]); 8] = [
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
    ("allgather", &["allgather.csv"]),
    ("comparison", &["routes.csv"]),
    ("study", &["mappings.csv"]),
    ("rings", &["rings.csv"]),
    ("discovery", &["discovery.csv"]),
];

/// The columns without which a table of this name shows nothing.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("points", &["load", "accepted_flits_per_cycle_per_host", "latency_mean_ns"]),
    ("channels", &["load", "from", "to", "flits", "busy_share", "blocked_share", "wanted_share"]),
    ("hosts", &["load", "host"]),
    ("latency_histograms", &["load", "kind", "messages", "up_to_latency_ns"]),
    ("outages", &["cable_from", "failed_ns"]),
];

/// What is missing beside a summary, in a sentence.
pub(super) fn missing_files(summary: &Value, names: &[String]) -> Option<String> {
    let is_told = |key: &str| match &summary[key] {
        Value::Array(list) => !list.is_empty(),
        other => other.is_object(),
    };
    let told = FILES.iter().filter(|(key, _)| is_told(key));
    let mut missing: Vec<&str> = told
        .flat_map(|(_, files)| *files)
        .copied()
        .filter(|file| !names.iter().any(|name| name == file))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    (!missing.is_empty())
        .then(|| format!("{} {verb} missing, though summary.json tells of such results", and(&missing)))
}

/// What columns the tables of a run lack, a sentence a table.
pub(super) fn missing_columns(tables: &BTreeMap<String, Csv>) -> Vec<String> {
    let lacks = |(stem, columns): &(&str, &[&str])| {
        let table = tables.get(*stem).filter(|table| !table.columns.is_empty())?;
        let lacking: Vec<&str> =
            columns.iter().copied().filter(|name| table.column(name).is_none()).collect();
        (!lacking.is_empty()).then(|| {
            let word = if lacking.len() == 1 { "column" } else { "columns" };
            format!("{stem}.csv has no {word} {}: not the table that simnet writes", and(&lacking))
        })
    };
    COLUMNS.iter().filter_map(lacks).collect()
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
        assert_eq!(missing_files(&rings, &names(&["rings.csv"])), None);
        let told = missing_files(&rings, &names(&["other.csv"])).unwrap();
        assert!(told.starts_with("rings.csv is missing"), "{told}");
        let map = json!({"map": {}});
        let told = missing_files(&map, &[]).unwrap();
        assert!(told.starts_with("growth-steps.csv and network.json are missing"), "{told}");
    }

    #[test]
    fn columns_are_missed_only_of_tables_that_are_there() {
        let table = |columns: &[&str]| Csv {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            ..Csv::default()
        };
        let whole = BTreeMap::from([("hosts".to_owned(), table(&["load", "host", "more"]))]);
        assert_eq!(missing_columns(&whole), [""; 0]);
        let empty = BTreeMap::from([("hosts".to_owned(), Csv::default())]);
        assert_eq!(missing_columns(&empty), [""; 0], "that it is empty is told elsewhere");
        let other = BTreeMap::from([("hosts".to_owned(), table(&["{\"a\": 1}"]))]);
        assert_eq!(
            missing_columns(&other),
            ["hosts.csv has no columns load and host: not the table that simnet writes"]
        );
    }
}
