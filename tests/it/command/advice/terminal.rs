//! The lines of one run: its map, routes, cables, loads, deadlocks, and how near it is to its bound.

use super::Place::Next;
use super::{CREDITS, RING, Ran, Row, row, words};
use crate::simnet;

const MAP: &str = "scenario = { name = 'map', seed = 3 }
topology.ring = { switches = 4, hosts-per-switch = 2 }
mapping = { mapper = 'h0' }
";

const ALLGATHER: &str = "scenario = { name = 'allgather', seed = 3 }
topology.preset = 'faraj-f'
ethernet = { rate = '1 Gb/s', cable-length = '5 m' }
allgather = { algorithm = 'ring', size = '1 KiB' }
";

const ON_FABRIC: &str = "scenario = { name = 'on-fabric', seed = 3 }
topology.ring = { switches = 6, hosts-per-switch = 2 }
fabric = {}
routing.algorithm = 'updown'
allgather = { algorithm = 'lr1', ring-routes = 'routing', size = '1 KiB' }
";

const RINGS: &str = "scenario = { name = 'rings', seed = 3 }
topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2 }
rings = { algorithm = 'lr1' }
";

/// Ethernet switches that pause each other in a circle.
pub(super) const PAUSES: &str = "scenario = { name = 'pauses', seed = 3 }
topology.torus = { x = 5, hosts-per-switch = 2 }
ethernet = { rate = '10 Gb/s', flow = 'pfc', xoff = '6 KB', xon = '3 KB', forwarding = 'routes' }
routing.algorithm = 'dimension-order'
allgather = { algorithm = 'shift', size = '64 KiB' }
";

pub(super) fn rows() -> Vec<Row> {
    [of_maps(), of_cables(), of_limits(), of_loads(), of_deadlocks(), of_bounds()]
        .into_iter()
        .flatten()
        .collect()
}

fn of_maps() -> Vec<Row> {
    vec![
        row(
            Next("map"),
            &[
                "not the truth: ",
                " hosts, ",
                " switches, ",
                " cables; compare it by simnet topo diff --up-to-ports",
            ],
            MAP,
            &["mapping.depth=1"],
            |ran| {
                let line = ran.next("map").unwrap();
                let command: Vec<&str> = line.split("simnet ").nth(1).unwrap().split(' ').collect();
                let compared = simnet(&command);
                let text = String::from_utf8(compared.stdout).unwrap();
                ran.check(compared.status.code() == Some(1) && !text.is_empty(), &text);
                let whole = ran.again(&["mapping.depth=10"]);
                let [truth, map] = ["network.json", "map.json"].map(|name| whole.out().join(name));
                let names = ["topo", "diff", "--up-to-ports", truth.to_str().unwrap(), map.to_str().unwrap()];
                ran.check(simnet(&names).status.code() == Some(0), "a true map is the same");
            },
        ),
        row(Next("map"), &["the truth; [routing] would compute routes on it"], MAP, &[], routed),
        row(
            Next("map"),
            &["the truth, as far as a mapper can see; [routing] would compute routes on it"],
            MAP,
            &["topology={file='net.json'}"],
            routed,
        ),
        row(
            Next("map"),
            &["the truth, but the mapper doubts it: "],
            MAP,
            &["mapping.algorithm='guarded'", "mapping.faults.loss=0.02"],
            |ran| {
                let doubts = ran.at("map.doubts");
                let doubts: Vec<&str> =
                    doubts.as_array().unwrap().iter().map(|doubt| doubt.as_str().unwrap()).collect();
                ran.check(ran.next("map").unwrap().ends_with(&doubts.join(", ")), "its doubts");
                ran.check(ran.at("map.isomorphic") == true, "the truth");
            },
        ),
        row(
            Next("routes"),
            &[
                "can deadlock, in a cycle of ",
                " channels; those of algorithm = \"updown\" in [routing] cannot",
            ],
            RING,
            &["routing.algorithm='minimal'"],
            |ran| {
                let cycle = ran.at("route.dependency_cycle");
                let count = format!("a cycle of {} channels", cycle.as_array().unwrap().len());
                ran.check(ran.next("routes").unwrap().contains(&count), &count);
                let other = ran.again(&["routing.algorithm='updown'"]);
                ran.check(
                    other.at("route.dependency_cycle").is_null() && other.next("routes").is_none(),
                    "updown",
                );
            },
        ),
    ]
}

/// `[routing]` routes on the map.
fn routed(ran: &Ran) {
    ran.check(ran.at("map.isomorphic") == true, "the truth");
    let other = ran.again(&["routing.algorithm='updown'"]);
    ran.check(other.number("route.pairs") > 0.0 && other.next("map").is_none(), "routes are computed");
}

fn of_cables() -> Vec<Row> {
    vec![
        row(Next("busiest cable"), &[" to ", ", busy for ", " % of the time at load "], RING, &[], busiest),
        row(
            Next("busiest cable"),
            &[" to ", ", busy for ", " of the time at load ", "; ", " to ", " is blocked for "],
            RING,
            &[],
            busiest,
        ),
        row(
            Next("busiest arbiter"),
            &["that of ", ", busy for ", " of the time at load ", "; its busiest channel for "],
            RING,
            &["traffic.uniform.loads=[0.1, 0.6]"],
            arbiters,
        ),
        row(
            Next("busiest arbiter"),
            &["that of an input of "],
            RING,
            &[
                "traffic.uniform.loads=[0.15]",
                "traffic.uniform.payload='8 B'",
                "fabric.arbitration='per-input'",
            ],
            arbiters,
        ),
        row(
            Next("busiest arbiter"),
            &["that of an output of "],
            RING,
            &[
                "traffic.uniform.loads=[0.2]",
                "traffic.uniform.payload='8 B'",
                "fabric.arbitration='per-output'",
            ],
            arbiters,
        ),
    ]
}

/// The busiest channel, and the most blocked one, are those of channels.csv.
fn busiest(ran: &Ran) {
    let line = ran.next("busiest cable").unwrap();
    let rows = ran.rows("channels.csv");
    let load = ran.number("hot_spots_load");
    let at = |row: &&std::collections::BTreeMap<String, String>| row["load"].parse::<f64>() == Ok(load);
    let most = |key: &str| {
        let share = |row: &&std::collections::BTreeMap<String, String>| row[key].parse::<f64>().unwrap();
        rows.iter().filter(at).max_by(|a, b| share(a).total_cmp(&share(b))).map(|row| share(&row)).unwrap()
    };
    let percent = |share: f64| format!("{} %", (share * 1_000.0).round() / 10.0);
    ran.check(
        line.contains(&format!("busy for {} of the time at load {load}", percent(most("busy_share")))),
        "busy",
    );
    ran.check(line.ends_with(&format!("is blocked for {}", percent(most("blocked_share")))), "blocked");
}

/// The shares of the busiest arbiter are those of arbiters.csv.
fn arbiters(ran: &Ran) {
    let line = ran.next("busiest arbiter").unwrap();
    let shares = |key: &str| {
        ran.rows("arbiters.csv").into_iter().map(|row| row[key].parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (arbiter, channel) = (shares("arbiter_busy_share"), shares("channel_busy_share"));
    let percent = |share: f64| format!("{} %", (share * 1_000.0).round() / 10.0);
    let is_row = arbiter.iter().zip(&channel).any(|(arbiter, channel)| {
        arbiter > channel
            && line.contains(&format!("busy for {} of the time", percent(*arbiter)))
            && line.ends_with(&percent(*channel))
    });
    ran.check(is_row, "a row of arbiters.csv");
}

fn of_limits() -> Vec<Row> {
    const DEAD: &[&str] = &[
        "routing.algorithm='minimal'",
        "topology.ring.switches=6",
        "traffic.uniform.payload='400 B'",
        "traffic.uniform.loads=[0.9]",
        "fabric.deadlock-timeout='never'",
        "--explain",
    ];
    const MANY: &[&str] = &["traffic.uniform.loads=[0.1, 0.6]", "measure.messages=4000"];
    vec![
        row(
            Next("limit"),
            &[
                "not looked for; --explain runs load ",
                " again with one resource at a time made ample, and prints the gains",
            ],
            RING,
            MANY,
            |ran| {
                let explained = ran.again(&["--explain"]);
                ran.check(explained.rows("limits.csv").len() > 2 && ran.at("limits").is_null(), "gains");
            },
        ),
        row(
            Next("limit"),
            &["decoding: with ", " in place of ", ", load 0.6 accepts ", " % more"],
            RING,
            &["traffic.uniform.loads=[0.1, 0.6]", "measure.messages=4000", "--explain"],
            |ran| {
                let first = &ran.rows("limits.csv")[0];
                let gain = first["gain_percent"].parse::<f64>().unwrap();
                let line = ran.next("limit").unwrap();
                ran.check(line.contains(&format!("accepts {gain:.1} % more")), "the first of limits.csv");
                ran.check(first["beyond_chance"] == "true", "beyond chance");
                let is_shown = |text: &str| ran.page().contains(text);
                ran.check(
                    is_shown("What limits a load") && is_shown("limits.lifted.0.gain_percent"),
                    "the page has the gains",
                );
                let faster =
                    ran.again(&["fabric.routing-latency='6.25 ns'", "fabric.arbitration='per-input'"]);
                let accepted = |ran: &Ran| ran.number("points.1.accepted_flits_per_cycle_per_host");
                ran.check(
                    accepted(&faster) > 1.05 * accepted(ran),
                    "switches that decode at once carry more",
                );
            },
        ),
        row(
            Next("limit"),
            &["which is all that is offered within 1 %"],
            RING,
            &[
                "traffic.uniform.loads=[0.1, 0.2]",
                "traffic.uniform.payload='16 B'",
                "measure.messages=4000",
                "--explain",
            ],
            |ran| {
                let first = &ran.rows("limits.csv")[0];
                let accepted = first["accepted_flits_per_cycle_per_host"].parse::<f64>().unwrap();
                let offered = ran.number("limits.offered_flits_per_cycle_per_host");
                ran.check(accepted > 0.985 * offered && first["carried"] == "true", "all");
            },
        ),
        row(
            Next("limit"),
            &["none at load ", ": the network keeps up with what is offered"],
            RING,
            &["measure.messages=20000", "--explain"],
            |ran| ran.check(ran.states()[1] == "converged" && ran.at("limits.load") == 0.1, "carried"),
        ),
        row(
            Next("limit"),
            &["not looked for: load ", " has not converged, and is not known to be saturated"],
            RING,
            &["measure.messages=40", "--explain"],
            |ran| ran.check(ran.states()[1] == "not-converged", "not known"),
        ),
        row(
            Next("limit"),
            &["not found: at load ", " no resource that was lifted gains 1 % and more than chance"],
            RING,
            &[
                "fabric={routing-latency='6.25 ns', arbitration='per-input', buffer='600 B', stop='500 B', go='400 B'}",
                "topology={leaf-spine={leaves=1, spines=0, hosts-per-switch=64}}",
                "traffic.uniform.loads=[1.0]",
                "measure.messages=8000",
                "--explain",
            ],
            |ran| {
                let gains = ran.rows("limits.csv");
                let is_none = |row: &std::collections::BTreeMap<String, String>| {
                    row["beyond_chance"] == "false" || row["gain_percent"].parse::<f64>().unwrap() < 1.0
                };
                ran.check(gains.iter().all(is_none), "no gain");
            },
        ),
        row(Next("limit"), &["not found: the network dies at every load"], RING, DEAD, |ran| {
            ran.check(ran.states().iter().all(|state| state == "deadlocked"), "dead");
        }),
    ]
}

fn of_loads() -> Vec<Row> {
    vec![
        row(
            Next("saturation"),
            &["between loads ", " and ", "; find-saturation in [measure] narrows it"],
            RING,
            &["traffic.uniform.loads=[0.1, 0.6]"],
            |ran| {
                let found = ran.again(&["measure.find-saturation=0.2"]);
                let (low, high) = (found.number("saturation.load_low"), found.number("saturation.load_high"));
                ran.check(0.1 <= low && low < high && high <= 0.6 && high - low < 0.4, "narrower");
                let line = found.next("saturation").unwrap();
                ran.check(!line.contains("find-saturation") && line.starts_with("between loads 0."), &line);
                ran.check(line.len() < 40, "no digits of rounding");
            },
        ),
        row(
            Next("saturation"),
            &["load ", " is carried, at load ", " the network dies; find-saturation in [measure] narrows it"],
            CREDITS,
            &[],
            |ran| {
                let found = ran.again(&["measure.find-saturation=0.2"]);
                ran.check(found.number("saturation.load_high") < 0.9, "narrower");
                // The load at which it dies is the search's alone.
                let alone = found.again(&["traffic.uniform.loads=[0.02]"]);
                ran.check(alone.next("saturation").unwrap().contains(" the network dies"), "of the search");
                ran.check(
                    alone.next("deadlocks").unwrap().starts_with("none but in the search"),
                    "deadlocks",
                );
            },
        ),
        row(
            Next("saturation"),
            &[
                "below load ",
                "; no load that was run is known to be carried; find-saturation in [measure] narrows it",
            ],
            RING,
            &["traffic.uniform.loads=[0.6]"],
            |ran| {
                let found = ran.again(&["measure.find-saturation=0.2"]);
                ran.check(
                    found.number("saturation.load_low") < found.number("saturation.load_high"),
                    "a bracket",
                );
            },
        ),
        row(
            Next("saturation"),
            &["not reached: load ", " is carried; higher ones may reach it"],
            RING,
            &[],
            |ran| {
                let higher = ran.again(&["traffic.uniform.loads=[0.02, 0.6]"]);
                ran.check(higher.states() == ["converged", "saturated"], "a higher load saturates");
                ran.check(
                    higher.next("saturation").unwrap().starts_with("between loads 0.02 and 0.6"),
                    "the line",
                );
            },
        ),
        row(
            Next("saturation"),
            &["not reached: the fullest load is carried"],
            RING,
            &[
                "topology={file='fast.json'}",
                "traffic={permutation={payload='64 B', loads=[1.0], pairs={a='b', b='a'}}}",
                "measure.messages=8000",
            ],
            |ran| ran.check(ran.states() == ["converged"], "carried"),
        ),
        row(
            Next("saturation"),
            &["not found: load ", " is carried, of higher ones that were run it is not known"],
            RING,
            &["traffic.uniform.loads=[0.02, 0.3]"],
            |ran| {
                ran.check(ran.at("points.1.latency_half_width_ns").is_null(), "not known");
                let found = ran.again(&["measure.find-saturation=0.2"]);
                ran.check(found.number("saturation.load_high") > 0.02, "the search finds it");
            },
        ),
        row(
            Next("saturation"),
            &["not found: of no load that was tried is it known whether it is carried"],
            RING,
            &[
                "traffic.uniform.loads=[0.1]",
                "measure.find-saturation=0.5",
                "measure.messages=6",
                "measure.warmup='21800 ns'",
                "measure.horizon='22 us'",
            ],
            |ran| {
                ran.check(
                    ran.at("saturation.load_low").is_null() && ran.at("saturation.load_high").is_null(),
                    "none",
                )
            },
        ),
        row(
            Next("precision"),
            &["load ", " is not known within ", ": more messages in [measure]"],
            RING,
            &["measure.messages=30", "traffic.uniform.loads=[0.02]"],
            |ran| known(ran, "measure.messages=4000"),
        ),
        row(
            Next("precision"),
            &["loads ", " are not known within 5 %: more messages in [measure]"],
            RING,
            &["measure.messages=30"],
            |ran| known(ran, "measure.messages=4000"),
        ),
        row(
            Next("precision"),
            &[" are not known within 5 %: a longer duration in [measure]"],
            RING,
            &["measure={warmup='20 us', duration='20 us'}"],
            |ran| known(ran, "measure.duration='4 ms'"),
        ),
    ]
}

/// A longer measurement knows the loads, and says so; only what is not known was named.
fn known(ran: &Ran, longer: &str) {
    let line = ran.next("precision").unwrap();
    let points = ran.at("points");
    for point in points.as_array().unwrap() {
        let is_named =
            line.contains(&format!("{} ", point["load"])) || line.contains(&format!("{},", point["load"]));
        ran.check(is_named == (point["state"] == "not-converged"), &line);
        ran.check(!is_named || point["reason"].is_string(), "a reason");
    }
    let other = ran.again(&[longer]);
    ran.check(other.states().iter().all(|state| state == "converged"), &other.text);
    ran.check(other.next("precision").is_none(), "the line is gone");
}

fn of_deadlocks() -> Vec<Row> {
    vec![
        row(
            Next("dead"),
            &[
                "at load ",
                ": ",
                " messages are held up for ever; a [fabric] deadlock-timeout breaks the circle; more \
               lanes, or other [routing], may",
            ],
            CREDITS,
            &[],
            |ran| {
                cured(
                    ran,
                    &["fabric.deadlock-timeout='50 us'", "fabric.lanes=2", "routing.algorithm='updown'"],
                )
            },
        ),
        row(
            Next("dead"),
            &[
                "at load ",
                " and ",
                " more: ",
                " messages are held up for ever; a [fabric] deadlock-timeout breaks the \
               circle; other [routing] may",
            ],
            RING,
            &[
                "routing.algorithm='minimal'",
                "topology.ring.switches=6",
                "traffic.uniform.payload='400 B'",
                "traffic.uniform.loads=[0.02, 0.8, 0.9]",
                "fabric.deadlock-timeout='never'",
            ],
            |ran| cured(ran, &["fabric.deadlock-timeout='50 us'", "routing.algorithm='updown'"]),
        ),
        row(
            Next("dead"),
            &["in the trace: 8 messages are held up for ever; a [fabric] deadlock-timeout breaks the circle"],
            RING,
            &[
                "routing={algorithm='minimal', select='first'}",
                "topology={file='rings.json'}",
                "fabric.deadlock-timeout='never'",
                "traffic={trace={file='rings.csv'}}",
            ],
            |ran| cured(ran, &["fabric.deadlock-timeout='50 us'", "routing.algorithm='updown'"]),
        ),
        row(Next("deadlocks"), &["none"], RING, &[], |ran| {
            ran.check(
                ran.number("deadlock_count") == 0.0
                    && ran.notice("deadlock").is_none_or(|it| it.starts_with("Good")),
                "none",
            );
        }),
        row(
            Next("deadlocks"),
            &["none but in the search, at load "],
            CREDITS,
            &["traffic.uniform.loads=[0.02]", "measure.find-saturation=0.2"],
            |ran| {
                let line = ran.next("deadlocks").unwrap();
                let load = ran.number("saturation.load_deadlocked");
                ran.check(line.ends_with(&format!("at load {load}")), &line);
                let there = ran.again(&[&format!("traffic.uniform.loads=[{load}]")]);
                ran.check(there.states() == ["deadlocked"], "the load dies");
            },
        ),
        row(
            Next("deadlocks"),
            &[
                "1, 1 standing at the end; the report replays the first with around = \"deadlock\" in [output.events]",
            ],
            CREDITS,
            &[],
            |ran| {
                ran.check(ran.rows("deadlocks.csv").len() == 1, "one row");
                ran.check(
                    !ran.page().contains("data-scene") && ran.page().contains("kept no event log"),
                    "none yet",
                );
                let kept = ran.again(&["output.events.around='deadlock'"]);
                ran.check(!kept.page().contains("kept no event log"), "a replay");
                ran.check(kept.next("deadlocks").unwrap().ends_with("recorded of them"), "the other line");
            },
        ),
        row(
            Next("deadlocks"),
            &["1, 1 standing at the end; the report replays what [output.events] recorded of them"],
            CREDITS,
            &["output.events.around='deadlock'"],
            |ran| ran.check(!words(ran.page()).contains("kept no event log"), "a replay"),
        ),
        row(
            Next("deadlocks"),
            &["1 of paused queues, 1 standing at the end; deadlocks.csv names them"],
            PAUSES,
            &[],
            |ran| {
                ran.check(ran.rows("deadlocks.csv").len() == 1, "a row");
                ran.check(ran.code == Some(4), "deadlocked");
            },
        ),
    ]
}

/// Either cure keeps the network alive at all loads; the count of messages is that of the points.
fn cured(ran: &Ran, cures: &[&str]) {
    let points = ran.at("points");
    let stuck: u64 = points.as_array().unwrap().iter().map(|point| point["stuck"].as_u64().unwrap()).sum();
    ran.check(ran.next("dead").unwrap().contains(&format!(": {stuck} messages")), "as many as are stuck");
    ran.check(ran.code == Some(4), "deadlocked");
    for cure in cures {
        let other = ran.again(&[cure]);
        ran.check(!other.states().contains(&"deadlocked".to_owned()), cure);
        ran.check(other.next("dead").is_none() && other.code == Some(0), cure);
    }
}

fn of_bounds() -> Vec<Row> {
    vec![
        row(
            Next("ring"),
            &["its messages share channels; algorithm = \"lr3\"", " in [allgather] avoids that"],
            ALLGATHER,
            &[],
            |ran| free(&ran.again(&["allgather.algorithm='lr3'"])),
        ),
        row(
            Next("ring"),
            &["its messages share channels; algorithm = \"lr3\" with ring-routes = \"tree\" in [allgather]"],
            ON_FABRIC,
            &[],
            |ran| free(&ran.again(&["allgather.algorithm='lr3'", "allgather.ring-routes='tree'"])),
        ),
        row(
            Next("time"),
            &[" times the least that cables allow; a [sweep] over allgather.size shows where from"],
            ALLGATHER,
            &["allgather.algorithm='lr3'"],
            |ran| {
                let times = 1.0 / ran.number("allgather.efficiency");
                ran.check(
                    ran.next("time").unwrap().starts_with(&format!("{}", (times * 100.0).round() / 100.0)),
                    "times",
                );
                let swept =
                    "sweep={columns=['allgather.efficiency'], axes=[{'allgather.size'=['1 KiB', '64 KiB']}]}";
                let swept = ran.again(&[swept]);
                let shares = swept
                    .rows("points.csv")
                    .into_iter()
                    .map(|row| row["allgather.efficiency"].parse::<f64>().unwrap());
                let shares: Vec<f64> = shares.collect();
                ran.check(
                    shares.len() == 2 && shares[1] > shares[0],
                    "longer messages are nearer to the bound",
                );
            },
        ),
        row(
            Next("longest path"),
            &[
                "the least possible on that tree; algorithm = \"",
                "\" in [allgather] runs messages on such a ring",
            ],
            RINGS,
            &["rings.algorithm='lr3'"],
            |ran| {
                ran.check(
                    ran.at("rings.max_path_length") == ran.at("rings.max_path_length_bound"),
                    "the least",
                );
                let length = ran.at("rings.max_path_length");
                let run = "scenario = { name = 'on-ring', seed = 3 }
                    topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2 }
                    fabric = {}\nallgather = { algorithm = 'lr3', size = '1 KiB' }";
                ran.check(Ran::new(run, &[]).at("allgather.max_path_length") == length, "the same ring");
            },
        ),
        row(
            Next("longest path"),
            &["up to ", " more than the least possible on that tree; algorithm = \"lr3\" may shorten it"],
            RINGS,
            &[],
            |ran| {
                let shorter = ran.again(&["rings.algorithm='lr3'"]);
                ran.check(
                    shorter.number("rings.max_path_length") < ran.number("rings.max_path_length"),
                    "shorter",
                );
            },
        ),
    ]
}

/// The ring is free of contention, and the line is gone.
fn free(ran: &Ran) {
    ran.check(
        ran.at("allgather.contention_free") == true && ran.next("ring").is_none(),
        "free of contention",
    );
}
