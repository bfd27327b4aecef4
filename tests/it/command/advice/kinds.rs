//! The notices of a page on maps, rings, all-gathers, discoveries and operations.

use super::Place::{Next, Notice};
use super::{Ran, Row, row};

const MAP: &str = "scenario = { name = 'map', seed = 3 }
topology.ring = { switches = 4, hosts-per-switch = 2 }
mapping = { mapper = 'h0' }
";

const OPERATION: &str = "scenario = { name = 'operation', seed = 1 }
topology.ring = { switches = 4, hosts-per-switch = 2 }
mapping = { mapper = 'h0' }
routing.algorithm = 'updown'
traffic.uniform = { payload = '64 B', loads = [0.01] }
failures = [{ link = 's1:0', at = '20 ms', lasting = '100 ms' }]
operation = { length = '300 ms', remap-period = 'never' }
";

const ALLGATHER: &str = "scenario = { name = 'allgather', seed = 3 }
topology.preset = 'faraj-f'
ethernet = { rate = '1 Gb/s', cable-length = '5 m' }
allgather = { algorithm = 'ring', size = '4 KiB', protocol = 'eager' }
";

const RINGS: &str = "scenario = { name = 'rings', seed = 3 }
topology.random-regular = { switches = 8, degree = 3, hosts-per-switch = 2 }
rings = { algorithm = 'lr3' }
";

const DISCOVERY: &str = "scenario = { name = 'discovery', seed = 1 }
topology.preset = 'lawrence-fig1'
ethernet = { rate = '1 Gb/s', header = '52 B', cable-length = '0 m' }
discovery = { methods = ['paper', 'sturdy'], samples = 4, software = { send = '21 us', receive = '21 us' } }
";

pub(super) fn rows() -> Vec<Row> {
    of_maps().into_iter().chain(of_allgathers()).chain(of_rings()).chain(of_operations()).collect()
}

fn of_maps() -> Vec<Row> {
    vec![
        row(
            Notice("Good"),
            &["the map was compared with the network that was there, port by port, and is true."],
            MAP,
            &[],
            |ran| {
                ran.check(
                    ran.at("map.isomorphic_to") == "N" && ran.next("map").unwrap().starts_with("the truth;"),
                    "whole",
                )
            },
        ),
        row(
            Notice("Good"),
            &[
                "the map was compared with the network that was there, port by port, and is true",
                " for all that a mapper can see",
            ],
            MAP,
            &["topology={file='net.json'}"],
            |ran| ran.check(ran.at("map.isomorphic_to") == "N-F" && ran.at("map.switches") == 1, "a part"),
        ),
        row(
            Notice("Wrong"),
            &["the map was compared with the network that was there, and differs"],
            MAP,
            &["mapping.depth=1"],
            |ran| {
                ran.check(
                    ran.at("map.isomorphic") == false
                        && ran.next("map").unwrap().starts_with("not the truth"),
                    "both",
                )
            },
        ),
        row(
            Notice("Look"),
            &["the mapper has doubts of its own (", "): "],
            MAP,
            &["mapping.algorithm='guarded'", "mapping.faults.loss=0.02"],
            |ran| {
                let doubts = ran.at("map.doubts");
                let doubts = doubts.as_array().unwrap();
                let notice = ran.notice("doubts of its own").unwrap();
                ran.check(notice.contains(&format!("({})", doubts.len())), "as many");
                ran.check(doubts.iter().all(|doubt| notice.contains(doubt.as_str().unwrap())), "each");
            },
        ),
        row(
            Notice("Look"),
            &[" hosts never got their routes"],
            MAP,
            &[
                "routing={algorithm='updown', distribute=true}",
                "mapping.retries=3",
                "mapping.faults.loss=0.3",
                "scenario.seed=1",
            ],
            |ran| {
                let missing = format!("Look: {} hosts never", ran.at("distribution.missing"));
                ran.check(ran.notice(&missing).is_some(), &missing);
                let sound = ran.again(&["mapping.faults.loss=0.0"]);
                ran.check(
                    sound.at("distribution.missing") == 0 && sound.notice("never got").is_none(),
                    "sound",
                );
            },
        ),
    ]
}

fn of_allgathers() -> Vec<Row> {
    vec![
        row(
            Notice("Good"),
            &["every machine ended with everybody's data, byte by byte (all right: "],
            ALLGATHER,
            &[],
            |ran| {
                let buffers =
                    ["allgather.buffers_wrong", "allgather.buffers_missing"].map(|path| ran.at(path));
                ran.check(
                    buffers.iter().all(|count| *count == 0) && ran.at("allgather.buffers_right") == 32,
                    "all",
                );
            },
        ),
        row(
            Notice("Wrong"),
            &[" buffers are wrong and ", " were never filled (all right: "],
            ALLGATHER,
            &["ethernet.buffer='4 KiB'"],
            |ran| {
                let said = format!(
                    "Wrong: {} buffers are wrong and {} were",
                    ran.at("allgather.buffers_wrong"),
                    ran.at("allgather.buffers_missing")
                );
                ran.check(ran.notice(&said).is_some(), &said);
                ran.check(
                    ran.again(&["ethernet.buffer='1 MiB'"]).at("allgather.all_right") == true,
                    "with room",
                );
            },
        ),
        row(
            Notice("Look"),
            &["messages of the ring share cables (free of contention: "],
            ALLGATHER,
            &[],
            |ran| {
                ran.check(
                    ran.at("allgather.contention_free") == false && ran.next("ring").is_some(),
                    "the terminal",
                );
                ran.check(ran.again(&["allgather.algorithm='lr3'"]).notice("share cables").is_none(), "lr3");
            },
        ),
        row(
            Notice("Wrong"),
            &["32", " ranks never ended", ", among them", ": "],
            ALLGATHER,
            &["ethernet.buffer='4 KiB'"],
            |ran| {
                let stuck = ran.at("allgather.stuck");
                let stuck = stuck.as_array().unwrap();
                ran.check(ran.at("allgather.stuck_ranks") == 32 && stuck.len() < 32, "some of them");
                let notice = ran.notice("never ended").unwrap();
                ran.check(stuck.iter().all(|rank| notice.contains(rank.as_str().unwrap())), "named");
            },
        ),
        row(
            Notice("Look"),
            &[" frames were dropped by full switches; what TCP sent again is in the time"],
            ALLGATHER,
            &["ethernet={rate='1 Gb/s', buffer='4 KiB', transport='tcp'}"],
            |ran| {
                ran.check(ran.at("allgather.all_right") == true, "TCP sends again");
                let roomy = ran.again(&["ethernet.buffer='1 MiB'"]);
                ran.check(
                    roomy.number("allgather.time_mean_ms") < ran.number("allgather.time_mean_ms"),
                    "it takes time",
                );
            },
        ),
        row(
            Notice("Look"),
            &[" frames were dropped by full switches."],
            ALLGATHER,
            &["ethernet.buffer='4 KiB'"],
            |ran| {
                let dropped = format!("Look: {} frames were", ran.at("allgather.frames_dropped"));
                ran.check(
                    ran.notice(&dropped).is_some() && ran.notice("TCP").is_none(),
                    "datagrams are lost",
                );
            },
        ),
        row(
            Notice("Look"),
            &["nothing ran: "],
            ALLGATHER,
            &[
                "topology={random-regular={switches=8, degree=3, hosts-per-switch=2}}",
                "allgather.algorithm='lr2'",
            ],
            |ran| {
                let notice = ran.notice("nothing ran").unwrap();
                ran.check(notice.contains(ran.at("allgather.refused").as_str().unwrap()), "why");
                ran.check(ran.notice("buffers are wrong").is_none(), "no buffer is wrong where nothing ran");
            },
        ),
    ]
}

fn of_rings() -> Vec<Row> {
    vec![
        row(
            Notice("Good"),
            &["no two neighbours' paths share a cable in one direction (free of contention: "],
            RINGS,
            &[],
            |ran| ran.check(ran.at("rings.contention_free") == true, "free"),
        ),
        row(Notice("Look"), &["there is none: "], RINGS, &["rings.algorithm='lr2'"], |ran| {
            let refused = ran.at("rings.refused");
            ran.check(ran.notice(refused.as_str().unwrap()).is_some(), "why");
            ran.check(ran.at("rings.hosts").is_null() && ran.next("longest path").is_none(), "none");
        }),
        row(
            Notice("Good"),
            &[
                "every method's tree was compared with the one that is there, and is the same (all recovered: ",
            ],
            DISCOVERY,
            &[],
            |ran| {
                ran.check(ran.at("discovery.all_recovered") == true, "all");
                ran.check(ran.next("missed").is_none(), "the terminal");
            },
        ),
        row(
            Notice("Look"),
            &[" of ", " methods did not find the tree that is there (all recovered: "],
            DISCOVERY,
            NOISY,
            |ran| {
                ran.check(ran.at("discovery.all_recovered") == false, "not all");
                ran.check(ran.next("missed").is_some(), "the terminal");
            },
        ),
        row(Next("true trees"), &["paper, sturdy"], DISCOVERY, &[], |ran| methods(ran, "true trees", true)),
        row(Next("missed"), &["paper"], DISCOVERY, NOISY, |ran| methods(ran, "missed", false)),
        row(
            Next("true trees"),
            &[", and 1 more"],
            DISCOVERY,
            &["discovery.methods=['paper', 'paper-range', 'k-means', 'sturdy']", "discovery.samples=4"],
            |ran| {
                let methods = ran.at("discovery.methods");
                let right =
                    methods.as_object().unwrap().values().filter(|of| of["recovered"] == true).count();
                ran.check(right == 4, "three are named");
            },
        ),
    ]
}

/// Measurements that are disturbed.
const NOISY: &[&str] = &[
    "discovery.noise={jitter='90 %', drift='50 %', outliers='5 %', outlier-mean='1 ms'}",
    "discovery.samples=2",
    "discovery.most-samples=2",
];

/// The line names the methods that did, or did not, find the tree.
fn methods(ran: &Ran, title: &str, recovered: bool) {
    let methods = ran.at("discovery.methods");
    let methods = methods.as_object().unwrap().iter().filter(|(_, of)| of["recovered"] == recovered);
    let names: Vec<&str> = methods.map(|(name, _)| name.as_str()).collect();
    let line = ran.next(title).unwrap();
    ran.check(names.len() == line.split(", ").count() && names.iter().all(|name| line.contains(name)), title);
}

fn of_operations() -> Vec<Row> {
    vec![
        row(
            Notice("Good"),
            &["every map that was put to use was compared with the network at that moment, and was true"],
            OPERATION,
            &[],
            |ran| {
                let [used, right] =
                    ["operation.maps.adopted", "operation.maps.correct"].map(|path| ran.at(path));
                ran.check(used != 0 && used == right, "all");
            },
        ),
        row(
            Notice("Look"),
            &["no map was put to use, so that none could be compared with the network"],
            OPERATION,
            &["failures=[]", "operation.length='10 ms'"],
            |ran| ran.check(ran.at("operation.maps.adopted") == 0, "none"),
        ),
        row(
            Notice("Wrong"),
            &[" maps that were put to use were wrong, ", " of them without a doubt"],
            OPERATION,
            &["mapping.depth=1"],
            |ran| {
                let said = format!(
                    "Wrong: {} maps that were put to use were wrong, {} of",
                    ran.at("operation.maps.wrong"),
                    ran.at("operation.maps.wrong_and_sure")
                );
                ran.check(ran.notice(&said).is_some(), &said);
            },
        ),
        row(Notice("Look"), &["messages were lost: "], OPERATION, &[], |ran| {
            let losses = ran.at("operation.losses");
            let notice = ran.notice("messages were lost").unwrap().replace('\u{202f}', "");
            for (kind, count) in losses.as_object().unwrap() {
                ran.check(notice.contains(kind.as_str()) == (count.as_u64() != Some(0)), kind);
            }
        }),
        row(
            Notice("Look"),
            &[" deadlocks formed, ", " of them while old and new routes mixed"],
            OPERATION,
            &[
                "routing.algorithm='minimal'",
                "traffic.uniform.payload='400 B'",
                "traffic.uniform.loads=[0.3]",
                "operation.length='100 ms'",
            ],
            |ran| {
                let formed = ran.number("operation.deadlocks.formed");
                ran.check(ran.next("deadlocks").unwrap().starts_with(&format!("{formed}")), "the terminal");
            },
        ),
    ]
}
