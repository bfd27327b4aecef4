//! Fig. 4: the map of subcluster C.

use crate::{Figure, Page, Results, Row};

use super::levels::mapped;

/// Fig. 4.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig4",
    title: "Fig. 4: network topology of the C subcluster",
    scenarios: &["mainwaring1997/fig4.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let levels = mapped("now-c");
    let uplinks = levels.switches.first().and_then(|leaves| leaves.iter().map(|(_, below)| *below).min());
    let printed = |quantity: &str, ours: Option<usize>| {
        Row::printed("000", "Fig4", quantity, "C", ours.map(|count| count as f64))
    };
    let mut rows: Vec<Row> = [
        printed("hosts in top row", Some(levels.hosts)),
        printed("switch levels", Some(levels.switches.len())),
        printed("uplinks of the middle level-1 switch", uplinks),
    ]
    .into_iter()
    .flatten()
    .collect();
    rows.extend(levels.rows("C"));
    Page {
        rows,
        svg: results.file(0, "map.svg").to_owned(),
        shows: "The map of subcluster C, drawn from what our Berkeley mapper found on the fabric (its switches \
                have no names but the order of discovery): 35 hosts, three levels of switches, and the utility \
                host, which runs the mapper, at a root. One switch of the first level has two cables upwards \
                where the others have three, and the switches of the second and third levels have ports to \
                spare, as the paper says."
            .to_owned(),
        differs: "The paper gives the wiring as a picture, which we do not have; its text names no ports: which \
                switch of the second level a cable goes \
                to, and in which port it is, is a *reconstruction* that keeps every count and every statement of \
                the text. Which of the first level's switches lacks a cable (the middle one in the paper) \
                depends on the order in which they are drawn, which is ours."
            .to_owned(),
    }
}
