//! Fig. 5: the map of the 100-node NOW.

use crate::{Figure, Page, Results, Row};

use super::levels::mapped;

/// Fig. 5.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig5",
    title: "Fig. 5: the map of the 100-node NOW",
    scenarios: &["mainwaring1997/fig5.toml"],
    whole_when_quick: true,
    make,
};

fn make(results: &Results<'_>) -> Page {
    let levels = mapped("now-cab");
    let found = |name| Row::ours(name, "C+A+B", "count", results.at(0, &format!("map.{name}")));
    let mut rows: Vec<Row> = ["hosts", "switches", "links"].map(found).into();
    rows.push(Row::ours("hosts in top row", "C+A+B", "count", Some(levels.hosts as f64)));
    rows.push(Row::ours("switch levels", "C+A+B", "count", Some(levels.switches.len() as f64)));
    rows.extend(levels.rows("C+A+B"));
    Page {
        rows,
        svg: results.file(0, "map.svg").to_owned(),
        shows: "The map of all three subclusters, drawn from what our Berkeley mapper found on the fabric: 100 \
                hosts, 40 switches and 193 cables, a map that is the truth up to the numbering of ports. As in \
                the paper, irregularities persist: switches of one level differ in their cables upwards."
            .to_owned(),
        differs: "The paper prints this map as a picture. Its abstract has the counts (100 nodes, 40 switches, \
        193 links), which [fig3](../fig3/README.md) compares. How \
                the subclusters are joined is our *reconstruction*: two cables from A to C, and a fourteenth \
                switch of B as a hub with a cable to each of the six roots. Among seven such readings this one \
                came nearest to the probe counts of Fig. 6 for C+A; its rivals are 9 to 35 % off there."
            .to_owned(),
    }
}
