//! Why load points have not converged, and what mends it.

use crate::command::horizon::LOST;
use crate::simnet;

use super::Place::Reason;
use super::{LOCKED, RING, Ran, Row, STUCK, row};

pub(super) fn rows() -> Vec<Row> {
    of_ends().into_iter().chain(of_means()).chain(of_traces()).collect()
}

fn of_ends() -> Vec<Row> {
    vec![
        row(
            Reason,
            &["a deadlock formed at ", " that nothing breaks; it holds up ", " messages"],
            RING,
            STUCK,
            |ran| {
                let standing =
                    ran.rows("deadlocks.csv").iter().filter(|row| row["cleared_ns"].is_empty()).count();
                let stuck = format!("it holds up {} messages", ran.at("points.1.stuck"));
                ran.check(
                    standing == 1 && ran.at("points.1.reason").as_str().unwrap().contains(&stuck),
                    "one",
                );
                let broken = ran.again(&["fabric.deadlock-timeout='50 us'"]);
                ran.check(!broken.states().contains(&"deadlocked".to_owned()), "broken");
            },
        ),
        row(
            Reason,
            &[" deadlocks formed that nothing breaks, the first at ", "; they hold up ", " messages"],
            RING,
            &[
                "routing.algorithm='minimal'",
                "topology={file='rings.json'}",
                "fabric.deadlock-timeout='never'",
                "traffic={trace={file='rings.csv'}}",
                "routing.select='first'",
            ],
            |ran| {
                let standing =
                    ran.rows("deadlocks.csv").iter().filter(|row| row["cleared_ns"].is_empty()).count();
                ran.check(
                    ran.at("points.0.reason").as_str().unwrap().starts_with(&format!("{standing} deadlocks")),
                    "count",
                );
            },
        ),
        row(
            Reason,
            &["the network falls behind what is offered"],
            RING,
            &["traffic.uniform.loads=[0.6]"],
            |ran| {
                let offered = ran.number("points.0.offered_flits_per_cycle_per_host");
                ran.check(ran.states() == ["saturated"], "saturated");
                ran.check(
                    ran.number("points.0.accepted_flits_per_cycle_per_host") < 0.95 * offered,
                    "behind",
                );
            },
        ),
        row(
            Reason,
            &["the simulated clock ends after ", " and before the ", " does"],
            RING,
            &["traffic.uniform.loads=[1e-13]"],
            |ran| {
                ran.check(
                    ran.again(&["traffic.uniform.loads=[0.1]"]).states() == ["converged"],
                    "a higher load",
                )
            },
        ),
        row(
            Reason,
            &["the horizon comes before the end of the measurement"],
            RING,
            &["measure.horizon='60 us'"],
            |ran| later(ran, "measure.horizon='40 ms'"),
        ),
        row(
            Reason,
            &["the window of ", " is shorter than a message of "],
            RING,
            &["measure={warmup='1 us', duration='300 ns'}"],
            |ran| {
                ran.check(
                    ran.next("precision").unwrap().contains("a longer duration in [measure]"),
                    "advice",
                );
                later(ran, "measure.duration='2 ms'");
            },
        ),
        row(
            Reason,
            &["measured messages were still under way at the end: at the horizon, or four times as late"],
            RING,
            &[
                "traffic.uniform.loads=[0.1]",
                "measure={warmup='20 us', duration='900 us', horizon='920.01 us'}",
            ],
            |ran| later(ran, "measure.horizon='2 ms'"),
        ),
        row(Reason, &["a deadlock stood at the end that could be broken only later"], RING, LOCKED, |ran| {
            ran.check(ran.states() == ["converged", "saturated"] && ran.code == Some(0), "saturated");
            let reason = ran.at("points.1.reason").as_str().unwrap().to_owned();
            ran.check(ran.text.contains(&format!("load 0.9: {reason}")), "the terminal has it too");
            let standing = ran.rows("deadlocks.csv").iter().any(|row| row["cleared_ns"].is_empty());
            ran.check(standing, "a deadlock stands");
            let broken = ran.again(&["fabric.deadlock-timeout='50 us'"]);
            ran.check(broken.at("points.1.reason") != reason.as_str(), "broken in time");
        }),
    ]
}

/// Messages of a file, on a network of two rings.
const NET: &str = "topology={file='rings.json'}";
const FILE: &str = "traffic={trace={file='rings.csv'}}";
const TRACE: [&str; 4] = [NET, "measure={}", "routing.algorithm='updown'", FILE];

fn of_traces() -> Vec<Row> {
    vec![
        row(
            Reason,
            &["the mean is that of these messages, and no interval says how others would fare"],
            RING,
            &TRACE,
            |ran| {
                ran.check(ran.states() == ["not-converged"] && ran.code == Some(0), "not converged");
                ran.check(ran.at("points.0.latency_half_width_ns").is_null(), "no interval");
                ran.check(ran.notice("Sure: ").is_none() && ran.next("precision").is_none(), "no advice");
                let required = ran.again(&["measure.require-convergence=true"]);
                ran.check(required.code == Some(5), "required");
                // What a trace makes nothing of is warned of: the warm-up and the messages of the scenario.
                let file = ran.room.path().join("scenario.toml");
                let set = [NET, FILE].into_iter().flat_map(|set| ["--set", set]);
                let check: Vec<&str> = ["check", file.to_str().unwrap()].into_iter().chain(set).collect();
                let warned = String::from_utf8(simnet(&check).stderr).unwrap();
                let both = warned.contains("no-effect") && warned.contains("2 warnings of this kind");
                ran.check(both && warned.contains("a trace is replayed from end to end"), &warned);
            },
        ),
        row(
            Reason,
            &["a message was lost, and only the others have latencies"],
            RING,
            &[NET, FILE, "measure={}", "failures=[{link='as0:1', at='10 us'}]"],
            lost,
        ),
        row(
            Reason,
            &[" messages were lost, and only the others have latencies"],
            RING,
            &[NET, FILE, "measure={}", "failures=[{link='as1:1', at='10 us'}]"],
            lost,
        ),
        row(
            Reason,
            &["a message had not left its host at the end"],
            RING,
            &[NET, FILE, "measure={}", "failures=[{link='a0:0', at='0 ns'}]"],
            |ran| waiting(ran, 1),
        ),
        row(
            Reason,
            &["2 messages had not left their hosts at the end"],
            RING,
            &[NET, FILE, "measure={}", "failures=[{link='a0:0', at='0 ns'}, {link='b0:0', at='0 ns'}]"],
            |ran| waiting(ran, 2),
        ),
    ]
}

/// So many messages of the eight were not sent, and none is under way.
fn waiting(ran: &Ran, count: u64) {
    ran.check(ran.at("points.0.sent") == 8 - count && ran.at("points.0.in_flight") == 0, "not sent");
    ran.check(ran.states() == ["not-converged"], "not converged");
}

/// A trace that lost messages has not converged, and its reason says how many.
fn lost(ran: &Ran) {
    let lost: u64 = LOST.iter().filter_map(|kind| ran.at(&format!("points.0.{kind}")).as_u64()).sum();
    let reason = ran.at("points.0.reason").as_str().unwrap().to_owned();
    ran.check(reason.starts_with(&if lost == 1 { "a ".to_owned() } else { lost.to_string() }), &reason);
    ran.check(ran.states() == ["not-converged"] && lost > 0, "lost");
}

/// With this all loads converge.
fn later(ran: &Ran, set: &str) {
    let other = ran.again(&[set]);
    ran.check(other.states().iter().all(|state| state == "converged"), &other.text);
}

fn of_means() -> Vec<Row> {
    vec![
        row(Reason, &[" messages are too few to judge their mean"], RING, &["measure.messages=30"], |ran| {
            let reason = format!("{} messages are", ran.at("points.0.messages"));
            ran.check(ran.at("points.0.reason").as_str().unwrap().starts_with(&reason), &reason);
            later(ran, "measure.messages=4000");
        }),
        row(
            Reason,
            &["no end of the warm-up was found in what was measured"],
            RING,
            &["traffic.uniform.loads=[0.05]", "measure={duration='190 us', horizon='400 us'}"],
            |ran| {
                ran.check(ran.at("points.0.transient_ms").is_null(), "none");
                ran.check(ran.next("precision").is_some(), "advice");
                later(ran, "measure={duration='2 ms', horizon='4 ms'}");
            },
        ),
        row(
            Reason,
            &["latencies still depend on those of long before: the window is too short to judge their mean"],
            RING,
            &["traffic.uniform.loads=[0.3]", "measure.messages=3000"],
            doubted,
        ),
        row(
            Reason,
            &["latency is not steady: the first half of the window is unlike the whole"],
            RING,
            &["traffic.uniform.loads=[0.25]", "measure.messages=3000"],
            doubted,
        ),
        row(
            Reason,
            &["so congested a network may need a window about ", " times as long to forget"],
            RING,
            &["traffic.uniform.loads=[0.28]", "measure={warmup='0 ns', messages=600}"],
            |ran| {
                doubted(ran);
                let reason = ran.at("points.0.reason").as_str().unwrap().to_owned();
                let times = reason.split("about ").nth(1).unwrap().split(' ').next().unwrap();
                ran.check(times.parse::<f64>().unwrap() > 1.0 && times.len() < 5, &reason);
            },
        ),
        row(
            Reason,
            &["the mean is known within ", " and not within "],
            RING,
            &["scenario.seed=5", "traffic.uniform.loads=[0.15]", "measure.messages=800"],
            |ran| {
                let share =
                    ran.number("points.0.latency_half_width_ns") / ran.number("points.0.latency_mean_ns");
                let said = format!("known within {} %", (share * 1_000.0).round() / 10.0);
                ran.check(share > 0.05 && ran.at("points.0.reason").as_str().unwrap().contains(&said), &said);
                later(ran, "measure.messages=40000");
            },
        ),
    ]
}

/// A mean that is doubted has no interval; more messages have it.
fn doubted(ran: &Ran) {
    ran.check(ran.at("points.0.latency_half_width_ns").is_null(), "no interval");
    ran.check(ran.next("precision").is_some(), "advice");
    later(ran, "measure.messages=400000");
}
