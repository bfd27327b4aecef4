//! Why load points have not converged, and what mends it.

use super::Place::Reason;
use super::{RING, Ran, Row, STUCK, row};

pub(super) fn rows() -> Vec<Row> {
    of_ends().into_iter().chain(of_means()).collect()
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
    ]
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
            &["so congested a network may need a window ", " times as long to forget"],
            RING,
            &["traffic.uniform.loads=[0.28]", "measure={warmup='0 ns', messages=600}"],
            doubted,
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
