//! Runs of one mapper: what the numbers of a map come to, and what happens during it.

use serde_json::Value;
use simnet::scenario::{Overrides, read};
use simnet::simulation;

/// The summary of a scenario that maps now-c from its utility host; `rest` is more of it.
fn summary(rest: &str) -> Value {
    let head =
        "[scenario]\nname = 's'\nseed = 4\n[topology]\npreset = 'now-c'\n[mapping]\nmapper = 'c-util'\n";
    let text = format!("{head}{rest}");
    let checked = read("s.toml", text.as_bytes(), &Overrides::default()).unwrap_or_else(|no| panic!("{no}"));
    serde_json::to_value(&simulation::run(&checked, &(), None).unwrap().summary).unwrap()
}

/// Wrong if probes that the papers count by turns were counted as messages, or messages by turns; if shares were of
/// something else; or if a doubted map were sure.
#[test]
fn what_a_map_cost_is_counted_as_the_papers_count() {
    let sent = |map: &Value| {
        map["probes"].as_object().unwrap().values().map(|kind| kind["sent"].as_u64().unwrap()).sum::<u64>()
    };
    let turns = &summary("model = 'circuit'\n")["map"];
    let of = |key: &str| turns["turns"][key].as_u64().unwrap();
    let (hosts, switches, nothing) = (of("host_hits"), of("switch_hits"), of("nothing"));
    assert!(hosts > 30 && switches > 30 && nothing > 30, "{turns}");
    assert_eq!((of("host_probes"), of("switch_probes")), (hosts + nothing, switches + nothing));
    assert_eq!(turns["probes_as_printed"].as_u64(), Some(hosts + switches + 2 * nothing));
    assert_eq!(turns["sent"].as_u64(), Some(sent(turns)));
    assert!(sent(turns) > hosts + switches + 2 * nothing, "both probes of a turn go out");
    let percent = turns["turns"]["host_hit_percent"].as_f64().unwrap();
    assert!((percent - 100.0 * hosts as f64 / (hosts + nothing) as f64).abs() < 1e-9, "{percent}");
    let found = turns["hosts"].as_u64().unwrap() + turns["switches"].as_u64().unwrap();
    assert!(turns["peak_nodes"].as_u64() > Some(found), "replicates are merged in time: {turns}");

    let messages = &summary("model = 'circuit'\nalgorithm = 'myricom'\n")["map"];
    assert_eq!(messages["probes_as_printed"].as_u64(), Some(sent(messages)));
    for (rest, right, sure) in
        [("", true, true), ("depth = 1\n", false, true), ("explorations = 3\n", false, false)]
    {
        let map = &summary(&format!("model = 'circuit'\n{rest}"))["map"];
        let verdicts =
            ["isomorphic", "right_and_sure", "wrong_and_sure"].map(|key| map[key].as_bool().unwrap());
        assert_eq!(verdicts, [right, right && sure, !right && sure], "{rest}");
        assert_eq!(map["doubts"].as_array().unwrap().is_empty(), sure, "{rest}");
    }
}

/// Wrong if traffic without loads of its own did not run during the mapping, or ran after it.
#[test]
fn traffic_may_be_there_beside_the_mapper_alone() {
    let with = |load: &str, loads: &str| {
        summary(&format!(
            "load = {load}\n[routing]\nalgorithm = 'updown'\n[traffic.uniform]\npayload = '4 KiB'\nloads = {loads}\n\
             [measure]\nmessages = 10\n"
        ))
    };
    let [quiet, alone, followed] = [with("0", "[]"), with("0.2", "[]"), with("0.2", "[0.01]")];
    assert_eq!(alone["points"].as_array().unwrap().len(), 0);
    assert_eq!(followed["points"].as_array().unwrap().len(), 1);
    assert_eq!(alone["map"], followed["map"]);
    assert!(alone["map"]["time_ms"].as_f64() > quiet["map"]["time_ms"].as_f64());
}
