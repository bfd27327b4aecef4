//! Routes with hosts in transit against UP*/DOWN*: latency against accepted traffic, 16, 32 and 64 switches.

use crate::sancho2000::curves;
use crate::{Figure, Page, Results};

/// 16 switches.
pub(super) const SMALL: Figure = Figure {
    id: "flich2002/in-transit-16",
    title: "Hosts in transit: latency against accepted traffic, 16 switches, uniform",
    scenarios: &["flich2002/in-transit-16.toml"],
    whole_when_quick: false,
    make: |results| {
        page(results, 16, "The abstract speaks of medium and large networks; this is a small one.")
    },
};

/// 32 switches.
pub(super) const MEDIUM: Figure = Figure {
    id: "flich2002/in-transit-32",
    title: "Hosts in transit: latency against accepted traffic, 32 switches, uniform",
    scenarios: &["flich2002/in-transit-32.toml"],
    whole_when_quick: false,
    make: |results| page(results, 32, "\"Medium\" is read as 32 switches."),
};

/// 64 switches.
pub(super) const LARGE: Figure = Figure {
    id: "flich2002/in-transit-64",
    title: "Hosts in transit: latency against accepted traffic, 64 switches, uniform",
    scenarios: &["flich2002/in-transit-64.toml"],
    whole_when_quick: false,
    make: |results| page(results, 64, "\"Large\" is read as 64 switches."),
};

fn page(results: &Results<'_>, switches: u32, read: &str) -> Page {
    let shows = "UP\\*/DOWN\\* routes (`UD`) of breadth-first and depth-first trees against shortest routes on the same \
                 trees that hosts take out of the network and send on where they would go up again (`ITB`), 1.3 us a \
                 host in transit; messages of 512 flits to hosts drawn at random.";
    let differs = format!(
        "**Known from abstracts alone**: that the mechanism \"is able to double the network throughput on medium and \
         large\" networks (Flich, Lopez, Malumbres and Duato 2002), and that a first implementation costs 125 ns of \
         code a packet and adds about 1.3 us for each host in transit. Networks, switches and buffers are those of \
         sancho2000, the length of messages is ours, and so are which shortest route is taken (one at random, however \
         many cuts it needs) and which host (spread over those of the switch). {read}"
    );
    curves::page(results, switches, shows, &differs)
}
