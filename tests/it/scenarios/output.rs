//! `[output]`: messages one by one, channels in intervals, the warm-up; that none of them changes another result.

use std::collections::BTreeMap;

use simnet::report::Csv;
use simnet::scenario::{Overrides, read};
use simnet::simulation::{self, Run};

const SCENARIO: &str = "[scenario]\nname = 'kept'\nseed = 3\n[topology.ring]\nswitches = 5\nhosts-per-switch = 2\n\
                        [routing]\nalgorithm = 'updown'\n[traffic.uniform]\npayload = '32 B'\nloads = [0.05, 0.1, 0.6]\n\
                        [measure]\nmessages = 2000\n";

const ALL: &str = "[output]\ndeliveries = true\nseries = '20 us'\nwarmup = true\n";

fn run(output: &str) -> Run {
    let checked = read("s.toml", format!("{SCENARIO}{output}").as_bytes(), &Overrides::default()).unwrap();
    assert!(checked.warnings.is_empty(), "{:?}", checked.warnings);
    simulation::run(&checked, &(), None).unwrap()
}

fn table(run: &Run, name: &str) -> Csv {
    let (_, text) = run.files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}"));
    Csv::parse(text)
}

/// A count that a table has as a number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of messages")]
fn count(sum: f64) -> u64 {
    sum as u64
}

/// The sum of a column over the rows of a load for which `is` holds.
fn sum(table: &Csv, load: &str, column: &str, is: impl Fn(&[String]) -> bool) -> f64 {
    let rows = table.rows.iter().filter(|row| table.cell(row, "load") == Some(load) && is(row));
    rows.map(|row| table.number(row, column).unwrap()).sum()
}

/// Wrong if a run that keeps more came to anything else: its summary, or any other file.
#[test]
fn what_is_kept_changes_no_other_result() {
    let (plain, all) = (run(""), run(ALL));
    assert_eq!(serde_json::to_string(&plain.summary).unwrap(), serde_json::to_string(&all.summary).unwrap());
    let files: BTreeMap<_, _> = all.files.iter().cloned().collect();
    for (name, text) in &plain.files {
        assert_eq!(files.get(name), Some(text), "{name}");
    }
    let more = ["deliveries.csv", "series.csv", "warmup.csv", "warmup.svg"];
    assert_eq!(files.len(), plain.files.len() + more.len());
    assert!(more.iter().all(|name| files.contains_key(*name)));
}

/// Wrong if a message of a window were missing, counted twice, or had other times than those that the mean is of.
#[test]
fn messages_are_those_of_the_window() {
    let all = run(ALL);
    let (messages, hosts) = (table(&all, "deliveries.csv"), table(&all, "hosts.csv"));
    for (load, point) in ["0.05", "0.1", "0.6"].into_iter().zip(all.summary.points()) {
        let rows: Vec<_> =
            messages.rows.iter().filter(|row| messages.cell(row, "load") == Some(load)).collect();
        let ended =
            sum(&hosts, load, "delivered_messages", |_| true) + sum(&hosts, load, "lost_messages", |_| true);
        assert_eq!(rows.len() as u64, count(ended), "{load}");
        let delivered = rows.iter().filter(|row| messages.cell(row, "state") == Some("delivered"));
        let latency: Vec<f64> = delivered
            .map(|row| messages.number(row, "tail_ns").unwrap() - messages.number(row, "created_ns").unwrap())
            .collect();
        let mean = latency.iter().sum::<f64>() / latency.len() as f64;
        match point.latency_mean_ns {
            Some(wanted) => assert!((mean - wanted).abs() < 1e-6 * wanted, "{load}: {mean} and {wanted}"),
            None => assert!(latency.is_empty() && load == "0.6", "{load}"),
        }
        for host in ["h0", "h7"] {
            let own = rows.iter().filter(|row| messages.cell(row, "source") == Some(host)).count();
            let is_own = |row: &[String]| hosts.cell(row, "host") == Some(host);
            let ended =
                sum(&hosts, load, "delivered_messages", is_own) + sum(&hosts, load, "lost_messages", is_own);
            assert_eq!(own as u64, count(ended), "{load}, {host}");
        }
        assert!(rows.iter().all(|row| messages.cell(row, "source") != messages.cell(row, "destination")));
    }
}

/// Wrong if a bound were ignored, or the rows that are left did not stand for all.
#[test]
fn many_messages_are_thinned() {
    let bounded = run("[output]\ndeliveries = true\ndeliveries-most = 300\n");
    let messages = table(&bounded, "deliveries.csv");
    for (load, point) in ["0.05", "0.1"].into_iter().zip(bounded.summary.points()) {
        let rows = messages.rows.iter().filter(|row| messages.cell(row, "load") == Some(load)).count();
        assert!((100..=300).contains(&rows), "{load}: {rows}");
        let stands_for = sum(&messages, load, "weight", |_| true);
        let all = point.messages as f64;
        assert!((stands_for - all).abs() < 0.1 * all, "{load}: {stands_for} of {all}");
    }
}

/// Wrong if flits of a channel were lost between intervals: those within the window are the window's.
#[test]
fn intervals_hold_what_channels_carried() {
    let all = run("[output]\nseries = '5 us'\nwarmup = true\n");
    let (series, warmup) = (table(&all, "series.csv"), table(&all, "warmup.csv"));
    let channels = table(&all, "channels.csv");
    for load in ["0.05", "0.1"] {
        let end = |column: &str| {
            let row = warmup.rows.iter().find(|row| warmup.cell(row, "load") == Some(load)).unwrap();
            warmup.number(row, column).unwrap()
        };
        let (from, to) = (end("warmup_end_ns"), end("window_end_ns"));
        let is_inside = |row: &[String]| {
            series.number(row, "begin_ns").unwrap() >= from && series.number(row, "end_ns").unwrap() <= to
        };
        let touches = |row: &[String]| {
            series.number(row, "end_ns").unwrap() > from && series.number(row, "begin_ns").unwrap() < to
        };
        let carried = sum(&channels, load, "flits", |_| true);
        let inside = sum(&series, load, "flits", is_inside);
        let around = sum(&series, load, "flits", touches);
        assert!(inside <= carried && carried <= around, "{load}: {inside} {carried} {around}");
        assert!(inside > 0.5 * carried, "{load}: {inside} of {carried}");
        for row in &series.rows {
            let share = |column| series.number(row, column).unwrap();
            assert!(share("busy_share") + share("blocked_share") < 1.0 + 1e-9, "{row:?}");
        }
    }
}

/// Wrong if the course of a point lost messages, or its end of the warm-up were not where the window begins.
#[test]
fn the_warm_up_is_marked_where_it_ends() {
    let all = run("[output]\nwarmup = true\n");
    let warmup = table(&all, "warmup.csv");
    for (load, point) in ["0.05", "0.1"].into_iter().zip(all.summary.points()) {
        let arrived = sum(&warmup, load, "messages", |_| true);
        assert_eq!(count(arrived), point.tally.delivered, "{load}");
        let rows = warmup.rows.iter().filter(|row| warmup.cell(row, "load") == Some(load));
        for row in rows {
            assert!(warmup.number(row, "transient_end_ns") <= warmup.number(row, "warmup_end_ns"), "{row:?}");
        }
    }
    let (_, svg) = all.files.iter().find(|(name, _)| name == "warmup.svg").unwrap();
    assert!(svg.contains("warm-up ends"), "{svg}");
}

/// Wrong if a key that does nothing were taken in silence.
#[test]
fn keys_without_effect_are_warned_of() {
    let silent = SCENARIO.split("[traffic").next().unwrap();
    let text = format!("{silent}{ALL}");
    let checked = read("s.toml", text.as_bytes(), &Overrides::default()).unwrap();
    let warnings = checked.warnings.concat();
    assert!(
        warnings.contains("has no effect here") && warnings.contains("3 warnings of this kind"),
        "{warnings}"
    );
}
