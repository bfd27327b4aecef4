//! The notices of a page on load points, their routes and their deadlocks.

use serde_json::Value;

use super::Place::Notice;
use super::{CREDITS, LOCKED, RING, Ran, Row, STUCK, row};
use crate::command::horizon::LOST;

/// Every fault that a route can have, and bits that are wrong.
const FAULTY: &str = "scenario = { name = 'faulty', seed = 3 }
topology.chain = { switches = 1, hosts-per-switch = 4 }
routing.file = 'faulty.routes'
traffic.uniform = { payload = '64 B', loads = [0.1] }
fabric.bit-error-rate = 1e-5
measure = { warmup = '20 us', messages = 1000 }
";

/// The routes of that: out of the switch, to no end, beyond a host, to a free port, and none.
pub(super) fn faulty() -> String {
    let pairs = (0..4_i32).flat_map(|from| (0..4_i32).map(move |to| (from, to)));
    let turns = |(from, to): (i32, i32)| match (from, to) {
        (1, 2) => None,
        (0, 1) => Some("40".to_owned()),
        (0, 2) => Some(String::new()),
        (0, 3) => Some("3, 1".to_owned()),
        (1, 0) => Some("-2".to_owned()),
        _ => Some((to - from).to_string()),
    };
    let line = |(from, to)| {
        let turns = turns((from, to)).filter(|_| from != to)?;
        Some(format!("{{\"src\": \"h{from}\", \"dst\": \"h{to}\", \"turns\": [{turns}]}}\n"))
    };
    pairs.filter_map(line).collect()
}

pub(super) fn rows() -> Vec<Row> {
    of_means().into_iter().chain(of_losses()).chain(of_routes()).collect()
}

fn of_means() -> Vec<Row> {
    vec![
        row(
            Notice("Sure"),
            &[
                "the mean latency of ",
                "every point",
                " is known within the precision that was asked for: ",
                ". The half-width of its 95 % confidence interval stands beside it below",
            ],
            RING,
            &[],
            |ran| {
                for point in ran.at("points").as_array().unwrap() {
                    let share = point["latency_half_width_ns"].as_f64().unwrap()
                        / point["latency_mean_ns"].as_f64().unwrap();
                    ran.check(point["state"] == "converged" && share <= 0.05, "each is known");
                }
            },
        ),
        row(
            Notice("Sure"),
            &[
                "the mean latency of ",
                "these points",
                " is known within the precision that was asked for: load 0.02.",
            ],
            RING,
            &["traffic.uniform.loads=[0.02, 0.3]"],
            |ran| {
                ran.check(ran.states() == ["converged", "not-converged"], "one of two");
                // The search's loads are points of the page too.
                let searched = ran.again(&["traffic.uniform.loads=[0.02]", "measure.find-saturation=0.5"]);
                ran.check(searched.notice("every point").is_none(), "not every point");
            },
        ),
        row(Notice("Look"), &["load 0.9", " did not get over a deadlock: "], RING, LOCKED, |ran| {
            ran.check(ran.states() == ["converged", "saturated"], "saturated");
            ran.check(ran.notice("the network was saturated").is_some(), "both are said");
            let broken = ran.again(&["fabric.deadlock-timeout='50 us'"]);
            ran.check(broken.notice("did not get over").is_none(), "broken");
        }),
        row(
            Notice("Look"),
            &[
                "at ",
                "load 0.6",
                " the network was saturated: latency has no mean there, and the number only says how long \
               was measured. What it accepted was counted over that time",
            ],
            RING,
            &["traffic.uniform.loads=[0.6]"],
            |ran| {
                let longer = ran.again(&["measure.messages=4000"]);
                let mean = |ran: &Ran| ran.number("points.0.latency_mean_ns");
                ran.check(
                    ran.states() == ["saturated"] && mean(&longer) > 1.5 * mean(ran),
                    "it grows with time",
                );
            },
        ),
        row(
            Notice("Wrong"),
            &["load ", " is dead: ", "a deadlock formed at ", ". What it accepted is no throughput"],
            CREDITS,
            &[],
            |ran| {
                reasons(ran, "deadlocked", " is dead: ");
                let alive = ran.number("points.0.accepted_flits_per_cycle_per_host");
                let throughput = ran.number("throughput_flits_per_cycle_per_host");
                ran.check((throughput - alive).abs() < 1e-12, "that of the load that lives");
            },
        ),
        row(Notice("Look"), &["load ", " has not converged: "], RING, &["measure.messages=30"], |ran| {
            reasons(ran, "not-converged", " has not converged: ")
        }),
    ]
}

/// As many notices as points of a state, each with the reason.
fn reasons(ran: &Ran, state: &str, says: &str) {
    let notices: Vec<String> = ran.notices().into_iter().filter(|notice| notice.contains(says)).collect();
    let points = ran.at("points");
    let points: Vec<&Value> =
        points.as_array().unwrap().iter().filter(|point| point["state"] == state).collect();
    ran.check(notices.len() == points.len(), "one a point");
    for (notice, point) in notices.iter().zip(points) {
        let reason = format!("load {}{says}{}.", point["load"], point["reason"].as_str().unwrap());
        ran.check(notice.contains(&reason), &reason);
        ran.check(ran.text.contains(point["reason"].as_str().unwrap()), "the terminal has it too");
    }
}

fn of_losses() -> Vec<Row> {
    vec![
        row(
            Notice("Look"),
            &[
                "messages were lost: ",
                "corrupted",
                "without a route",
                "stranded",
                "turned to a port that does not exist",
                "sent to a port without a cable",
                "at a host with turns left",
            ],
            FAULTY,
            &[],
            |ran| {
                lost(
                    ran,
                    &[
                        "crc_errors",
                        "unroutable",
                        "stranded",
                        "illegal_turns",
                        "no_such_wire",
                        "host_too_soon",
                    ],
                )
            },
        ),
        row(
            Notice("Look"),
            &["messages were lost: ", "cut by a failing cable"],
            RING,
            &[
                "traffic.uniform.loads=[0.3]",
                "failures=[{link='s1:0', at='25 us'}, {link='s2:0', at='30 us'}, {link='s3:0', at='35 us'}]",
            ],
            |ran| lost(ran, &["link_failures"]),
        ),
        row(
            Notice("Look"),
            &["messages were lost: ", "destroyed by forward resets"],
            CREDITS,
            &["fabric.deadlock-timeout='50 us'"],
            |ran| lost(ran, &["resets"]),
        ),
        row(
            Notice("Look"),
            &["messages were lost: ", "dropped when their time to live was over"],
            CREDITS,
            &["hosts.time-to-live='20 us'"],
            |ran| lost(ran, &["expired"]),
        ),
        row(
            Notice("Look"),
            &["messages were lost: ", ", and more, in "],
            RING,
            &[
                "traffic.uniform.loads=[0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26]",
                "failures=[{link='s1:0', at='25 us'}]",
            ],
            |ran| {
                let lost = ran.rows("points.csv").iter().filter(|row| row["no_such_wire"] != "0").count();
                ran.check(lost > 8, "in points.csv");
            },
        ),
    ]
}

/// The numbers of these losses are those of the summary, and their sum is the terminal's.
fn lost(ran: &Ran, kinds: &[&str]) {
    let points = ran.at("points");
    let point = points.as_array().unwrap().iter().max_by_key(|point| point[kinds[0]].as_u64()).unwrap();
    let notice = ran.notice("messages were lost").unwrap();
    for kind in kinds {
        let count = point[*kind].as_u64().unwrap();
        ran.check(count > 0 && notice.contains(&format!("{count} ")), kind);
    }
    let sum: u64 = LOST.iter().filter_map(|kind| point[*kind].as_u64()).sum();
    let load = point["load"].to_string();
    let row = ran.text.lines().find(|line| line.trim_start().starts_with(&format!("{load} "))).unwrap();
    ran.check(row.split_whitespace().any(|cell| cell == sum.to_string()), &format!("{sum} in {row}"));
}

fn of_routes() -> Vec<Row> {
    vec![
        row(
            Notice("Good"),
            &["the routes cannot deadlock: no cycle of channels exists in which each waits for the next"],
            RING,
            &["traffic.uniform.loads=[0.6]", "traffic.uniform.payload='400 B'"],
            |ran| {
                ran.check(
                    ran.at("route.dependency_cycle").is_null() && ran.number("deadlock_count") == 0.0,
                    "none",
                );
            },
        ),
        row(
            Notice("Look"),
            &["the routes can deadlock: these outputs can wait for each other in a circle: "],
            RING,
            STUCK,
            |ran| {
                let cycle = ran.at("route.dependency_cycle");
                let notice = ran.notice("in a circle").unwrap();
                ran.check(
                    cycle.as_array().unwrap().iter().all(|output| notice.contains(output.as_str().unwrap())),
                    "all",
                );
                ran.check(ran.states().contains(&"deadlocked".to_owned()), "they do");
            },
        ),
        row(
            Notice("Look"),
            &["in a circle: ", " and 2 more"],
            RING,
            &["routing.algorithm='minimal'", "topology.ring.switches=14"],
            |ran| ran.check(ran.at("route.dependency_cycle").as_array().unwrap().len() == 14, "14"),
        ),
        row(Notice("Look"), &[" pairs of hosts have no route"], FAULTY, &[], |ran| {
            let pairs = format!("Look: {} pairs of hosts have no route", ran.at("route.unreachable_pairs"));
            ran.check(ran.notice(&pairs).is_some(), &pairs);
        }),
        row(Notice("Wrong"), &[" of the deadlocks ", "was", " not broken by the end"], CREDITS, &[], |ran| {
            standing(ran, "1 of the deadlocks was not")
        }),
        row(
            Notice("Wrong"),
            &["2 of the deadlocks ", "were", " not broken by the end"],
            CREDITS,
            &["traffic.uniform.loads=[0.8, 0.9]"],
            |ran| standing(ran, "2 of the deadlocks were not"),
        ),
    ]
}

/// As many rows of deadlocks.csv have no end; a terminal says the same.
fn standing(ran: &Ran, says: &str) {
    let count = ran.rows("deadlocks.csv").iter().filter(|row| row["cleared_ns"].is_empty()).count();
    ran.check(says.starts_with(&format!("{count} ")) && ran.notice(says).is_some(), says);
    ran.check(
        ran.next("deadlocks").unwrap().contains(&format!("{count} standing at the end")),
        "the terminal",
    );
}

/// Wrong if the page of a trace of which no message arrives had times.
#[test]
fn a_dead_trace_has_no_times() {
    let set = [
        "routing={algorithm='minimal', select='first'}",
        "topology={file='rings.json'}",
        "fabric.deadlock-timeout='never'",
        "traffic={trace={file='rings.csv'}}",
    ];
    let ran = Ran::new(RING, &set);
    ran.check(ran.states() == ["deadlocked"] && ran.at("points.0.delivered") == 0, "dead");
    let page = ran.sentences();
    ran.check(page.contains("Of the messages of the trace 0 arrived.") && !page.contains('–'), &page);
}

/// Wrong if messages could be lost in a way that no page names.
#[test]
fn every_way_to_lose_a_message_is_named() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (tally, page) =
        (read("src/running/simulation/traffic.rs"), read("src/output/page/summary/points.rs"));
    let fields = tally.split("pub struct Tally {").nth(1).unwrap().split('}').next().unwrap();
    let names = fields.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next());
    let names: Vec<&str> = names.filter(|name| !["sent", "delivered"].contains(name)).collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        assert!(page.contains(&format!("(\"{name}\", \"")), "{name}");
    }
}
