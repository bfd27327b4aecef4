//! The lines and notices of sweeps.

use super::Place::{Next, Notice};
use super::{CREDITS, RING, Ran, Row, row};

/// Loads and seeds.
const LOADS: &str = "sweep={repetitions=2, columns=['points.0.latency_mean_ns'], \
    axes=[{'traffic.uniform.loads'=[0.02, 0.1]}]}";
/// One of them is known to be too much.
const TOO_MUCH: &str =
    "sweep={columns=['points.0.latency_mean_ns'], axes=[{'traffic.uniform.loads'=[0.02, 0.9]}]}";
/// One of them cannot be run: GO above STOP.
const FAILS: &str = "sweep={columns=['points.0.latency_mean_ns'], \
    axes=[{fabric.stop=['56 B', '50 B']}, {fabric.go=['40 B', '52 B']}]}";
/// Rings beside the paper's numbers.
const PRINTED: &str = "scenario = { name = 'printed' }
topology.preset = 'faraj-d'
ethernet = { rate = '100 Mb/s' }
allgather = { algorithm = 'lr1', size = '32 KiB' }
[sweep]
columns = ['allgather.time_mean_ms']
[[sweep.axes]]
name = 'ring'
labels = ['LR1 (4-hop)', 'LR2 (2-hop)']
allgather.algorithm = ['lr1', 'lr2']
[[reference]]
paper = '001'
figure = 'Table1'
[reference.quantities]
'all-gather time LR1 (4-hop)' = { column = 'allgather.time_mean_ms', at = { ring = 'LR1 (4-hop)' } }
'all-gather time LR2 (2-hop)' = { column = 'allgather.time_mean_ms', at = { ring = 'LR2 (2-hop)' } }
[reference.configurations]
'topology (d); 32 KB' = {}
";

pub(super) fn rows() -> Vec<Row> {
    of_terminal().into_iter().chain(of_page()).collect()
}

fn count(ran: &Ran, column: &str, value: &str) -> usize {
    ran.rows("points.csv").iter().filter(|row| row.get(column).is_some_and(|cell| cell == value)).count()
}

fn of_terminal() -> Vec<Row> {
    vec![
        row(Next("points"), &["4 points", " in points.csv, a row each"], RING, &[LOADS], |ran| {
            ran.check(ran.rows("points.csv").len() == 4, "four rows");
        }),
        row(Next("statistics"), &["2 combinations", " in statistics.csv"], RING, &[LOADS], |ran| {
            let rows = ran.rows("statistics.csv");
            let loads: std::collections::BTreeSet<&String> =
                rows.iter().map(|row| &row["traffic.uniform.loads"]).collect();
            ran.check(loads.len() == 2, "two loads");
            let dead = Ran::new(CREDITS, &[TOO_MUCH, "sweep.repetitions=2"]);
            ran.check(dead.next("statistics").unwrap().starts_with("1 combination in"), "no dead load");
        }),
        row(
            Next("nearest to the average"),
            &[""],
            RING,
            &["sweep={repetitions=3, statistics-over=['seed'], nearest='points.0.latency_mean_ns', \
               columns=['points.0.latency_mean_ns'], axes=[{'traffic.uniform.loads'=[0.02]}]}"],
            |ran| {
                let rows = ran.rows("points.csv");
                let mean = |row: &std::collections::BTreeMap<String, String>| {
                    row["points.0.latency_mean_ns"].parse::<f64>().unwrap()
                };
                let average = rows.iter().map(mean).sum::<f64>() / rows.len() as f64;
                let off = |row: &&std::collections::BTreeMap<String, String>| (mean(row) - average).abs();
                let nearest = rows.iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap();
                ran.check(
                    ran.next("nearest to the average").as_deref() == Some(&nearest["seed"]),
                    &nearest["seed"],
                );
            },
        ),
        row(Next("failed"), &["1 point", ", the first is point "], RING, &[FAILS], |ran| {
            let rows = ran.rows("points.csv");
            let failed = rows.iter().find(|row| row["status"] == "failed").unwrap();
            ran.check(ran.next("failed").unwrap().ends_with(&format!("point {}", failed["point"])), "which");
            ran.check(ran.code == Some(6) && !failed["error"].is_empty(), "why");
        }),
        row(
            Next("farthest from print"),
            &["all-gather time ", "): ours is ", " % off"],
            PRINTED,
            &[],
            |ran| {
                let rows = ran.rows("paper.csv");
                let off = |row: &std::collections::BTreeMap<String, String>| {
                    row["deviation_percent"].parse::<f64>().unwrap()
                };
                let most = rows.iter().max_by(|a, b| off(a).abs().total_cmp(&off(b).abs())).unwrap();
                let said = format!(
                    "{} ({}): ours is {:+.1} % off",
                    most["quantity"],
                    most["configuration"],
                    off(most)
                );
                ran.check(rows.len() == 2 && ran.next("farthest from print") == Some(said), "of two");
            },
        ),
        row(
            Next("dead"),
            &["1 point", " ended in a deadlock that nothing breaks: no throughput, and in no curve"],
            CREDITS,
            &[TOO_MUCH],
            |ran| {
                ran.check(count(ran, "points.0.state", "deadlocked") == 1 && ran.code == Some(4), "one");
                let dead = ran
                    .rows("points.csv")
                    .into_iter()
                    .find(|row| row["points.0.state"] == "deadlocked")
                    .unwrap();
                ran.check(dead["points.0.latency_half_width_ns"].is_empty(), "no interval");
            },
        ),
    ]
}

fn of_page() -> Vec<Row> {
    vec![
        row(Notice("Good"), &["no point failed"], RING, &[LOADS], |ran| {
            ran.check(count(ran, "status", "done") == 4, "four are done");
        }),
        row(
            Notice("Good"),
            &["no point was saturated, and all converged"],
            RING,
            &["sweep={columns=['points.0.messages'], axes=[{'traffic.uniform.loads'=[0.02, 0.1]}]}"],
            |ran| {
                ran.check(count(ran, "points.0.state", "converged") == 2, "both");
                let rows = ran.rows("points.csv");
                ran.check(!rows[0].contains_key("points.0.latency_half_width_ns"), "without intervals");
            },
        ),
        row(Notice("Wrong"), &["1 of 4 points", " failed; their rows say why"], RING, &[FAILS], |ran| {
            ran.check(ran.next("failed").unwrap().starts_with("1 point,"), "the terminal");
            ran.check(ran.notice("Sure: ").is_none(), "nothing is said of those that failed");
        }),
        row(
            Notice("Look"),
            &["this is the small form of the sweep (--quick), with fewer points and messages"],
            RING,
            &[LOADS, "--quick"],
            |ran| {
                let whole = ran.rows("points.csv").len();
                ran.check(ran.at("sweep.quick") == true && whole <= 4, "small");
            },
        ),
        row(
            Notice("Sure"),
            &[
                "no point was saturated, and the mean latency of each is known within the precision that was asked for\
               ; its half-width stands beside it in points.csv",
            ],
            RING,
            &[LOADS],
            |ran| {
                ran.check(count(ran, "points.0.state", "converged") == 4, "four have converged");
                let rows = ran.rows("points.csv");
                ran.check(
                    rows.iter().all(|row| !row["points.0.latency_half_width_ns"].is_empty()),
                    "with intervals",
                );
            },
        ),
        row(
            Notice("Wrong"),
            &[
                "1 of 2 points",
                " ended in a deadlock that nothing breaks: what they accepted is no throughput, and no curve \
               shows them",
            ],
            CREDITS,
            &[TOO_MUCH],
            |ran| {
                ran.check(ran.next("dead").unwrap().starts_with("1 point "), "as the terminal");
                ran.check(
                    ran.notice("Sure: ").is_none() && ran.notice("all converged").is_none(),
                    "nothing else",
                );
            },
        ),
        row(
            Notice("Look"),
            &[
                "1 of 2 points",
                " were saturated: latency has no mean there, and only says how long was measured",
            ],
            RING,
            &[TOO_MUCH],
            |ran| ran.check(count(ran, "points.0.state", "saturated") == 1, "one"),
        ),
        row(
            Notice("Look"),
            &["3 loads of 2 of 2 points", " were saturated: latency has no mean there"],
            RING,
            &["sweep={columns=['points.0.messages', 'points.1.messages'], \
               axes=[{'traffic.uniform.loads'=[[0.02, 0.9], [0.8, 0.9]]}]}"],
            |ran| {
                let [first, second] =
                    ["points.0.state", "points.1.state"].map(|of| count(ran, of, "saturated"));
                ran.check((first, second) == (1, 2), "three");
            },
        ),
        row(
            Notice("Wrong"),
            &["1 of 2 points", " ended in a deadlock that nothing breaks"],
            CREDITS,
            &["sweep={columns=['route.pairs'], axes=[{'traffic.uniform.loads'=[0.02, 0.9]}]}"],
            |ran| {
                let rows = ran.rows("points.csv");
                ran.check(!rows[0].keys().any(|column| column.ends_with("state")), "no column says it");
                ran.check(ran.at("sweep.deadlocked") == 1 && ran.code == Some(4), "one");
            },
        ),
        row(
            Notice("Look"),
            &[
                "2 of 2 points",
                " have not converged: their means are not known as precisely as was asked for",
            ],
            RING,
            &[
                "measure.messages=30",
                "sweep={columns=['points.0.latency_mean_ns'], axes=[{'traffic.uniform.loads'=[0.02, 0.1]}]}",
            ],
            |ran| {
                ran.check(count(ran, "points.0.state", "not-converged") == 2, "two");
                let longer = ran.again(&["measure.messages=4000"]);
                ran.check(
                    longer.notice("have not converged").is_none() && longer.notice("Sure: ").is_some(),
                    "longer",
                );
            },
        ),
    ]
}

/// Wrong if a page that has no room for all points of a sweep said anything of the others.
#[test]
fn a_page_of_a_long_table_says_so() {
    let ran = Ran::new(RING, &["sweep={axes=[{'traffic.uniform.loads'=[0.02, 0.1]}]}"]);
    let file = ran.out().join("points.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let many = 1_000_000 / header.split(',').count() + 10;
    std::fs::write(&file, format!("{header}\n{}", rows.repeat(many))).unwrap();
    let notice = ran.notice("only the first ").unwrap();
    ran.check(notice.ends_with(" points are read here; nothing is said of the others."), &notice);
    ran.check(ran.notice("Sure: ").is_none() && ran.notice("all converged").is_none(), "nothing else");
}
