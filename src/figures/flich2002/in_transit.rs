//! Routes with hosts in transit against UP*/DOWN*: latency against accepted traffic, 16, 32 and 64 switches.

use crate::rows::with_table;
use crate::sancho2000::curves;
use crate::{Figure, Page, Results, Row};

/// 16 switches.
pub(super) const SMALL: Figure = Figure {
    id: "flich2002/in-transit-16",
    title: "Hosts in transit: latency against accepted traffic, 16 switches, uniform",
    scenarios: &["flich2002/in-transit-16.toml"],
    whole_when_quick: false,
    make: |results| {
        page(results, 16, "The claim is about medium and large networks; here the gain is smaller.")
    },
};

/// 32 switches.
pub(super) const MEDIUM: Figure = Figure {
    id: "flich2002/in-transit-32",
    title: "Hosts in transit: latency against accepted traffic, 32 switches, uniform",
    scenarios: &["flich2002/in-transit-32.toml"],
    whole_when_quick: false,
    make: |results| page(results, 32, &format!("\"Medium\" is read as 32 switches. {MORE}")),
};

/// 64 switches.
pub(super) const LARGE: Figure = Figure {
    id: "flich2002/in-transit-64",
    title: "Hosts in transit: latency against accepted traffic, 64 switches, uniform",
    scenarios: &["flich2002/in-transit-64.toml"],
    whole_when_quick: false,
    make: |results| page(results, 64, &format!("\"Large\" is read as 64 switches. {MORE}")),
};

/// The column of how many hosts send a route's messages on.
const HOSTS: &str = "route.mean_hosts_in_transit";

fn page(results: &Results<'_>, switches: u32, read: &str) -> Page {
    let differs = format!("{KNOWN} {read}\n{OURS}");
    let mut page = curves::page(results, switches, SHOWS, &differs);
    page.rows.push(over_depth_first(results));
    page.rows.extend(hosts_in_transit(results));
    let is_ours = |row: &Row| row.paper.is_none() && !row.quantity.starts_with("latency");
    page.shows = with_table(&page.shows, &page.rows, is_ours);
    page
}

/// What hosts in transit gain on the depth-first tree, over UP*/DOWN* on that tree.
fn over_depth_first(results: &Results<'_>) -> Row {
    let of = |of: &str| results.at(0, &format!("sweep.statistics.ITB_DFS2.gain-over-UD_DFS2.{of}"));
    Row::ours("throughput over UD_DFS2", "ITB_DFS2", "factor", of("mean")).between(of("min"), of("max"))
}

/// How many hosts are in transit on a route: the mean of the networks, the least and the greatest.
fn hosts_in_transit(results: &Results<'_>) -> Vec<Row> {
    let points = results.csv(0, "points.csv");
    let mut rows = Vec::new();
    for routing in points.choices("routing") {
        let of_routing = [("routing", routing.as_str())];
        let means: Vec<f64> = points.of(&of_routing).filter_map(|point| point.number(HOSTS)).collect();
        if means.is_empty() {
            continue;
        }
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|pick| means.iter().copied().reduce(pick));
        rows.push(
            Row::ours("hosts in transit on a route", &routing, "hosts", Some(mean)).between(least, most),
        );
    }
    rows
}

const SHOWS: &str = "\
    UP\\*/DOWN\\* routes (`UD`) of breadth-first and depth-first trees against shortest routes on the same trees \
    that hosts take out of the network and send on where they would go up again (`ITB`); messages of 512 flits to \
    hosts drawn at random.";

const KNOWN: &str = "\
    * **Known from abstracts alone**: that the mechanism \"is able to double the network throughput on medium and \
    large NOWs\" (Flich, Lopez, Malumbres and Duato 2002, *Boosting the performance of Myrinet networks*), and that \
    in a first implementation \"code overhead is only about 125 ns per packet\" and messages take \"around 1.3\" us \
    longer for each host in transit (Coll, Flich, Malumbres, Lopez, Duato and Mora 2001). Both are in our hosts: \
    125 ns to set up any message, 1.3 us from the arrival of a head until it can be sent on.";

const MORE: &str = "\
    The number is missed from above, by a rule stated before it was looked at: that 2 lies between the least and the \
    greatest of our five networks. All five more than double; of \"at least double\" both sizes would hold.";

const OURS: &str = "\
    * **Ours**: networks, switches and buffers are those of sancho2000, messages of 512 flits its long ones; which \
    shortest route is taken (one at random, however many cuts it needs), which host (spread over those of the \
    switch), memory of hosts that is never full, and UP\\*/DOWN\\* on the tree from R1 as what is doubled. The \
    abstract's networks, patterns and lengths are not told; nothing here was chosen by its number.\n* **What hangs on \
    the base**: a breadth-first tree with one random path a pair crowds its root, the more so the larger the network. \
    On the depth-first tree from R2, which does so less, hosts in transit gain less over UP\\*/DOWN\\*: the last of \
    the factors above.\n* **What it costs**: at low load messages with hosts in transit are slower, by their share of \
    1.3 us a host and 125 ns each; the curves cross where the tree's root fills.";
