//! Fig. 2: how the cables of a switch may lead up and down in a tree, and how often they do.

use crate::{Figure, Page, Results, Row, scenarios, side_by_side};
use simnet_network::routing::{Algorithm, Attachments, Choices, Directions, SwitchGraph};
use simnet_output::report::{Axis, Chart, Layer, Pen, Spot, Words, draw_charts};
use simnet_scenario::Checked;

use super::orientations;
use super::restrictions::{pairs, restrictions, ups};

/// Fig. 2.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/fig2",
    title: "Fig. 2: link orientation patterns of a switch, and how often trees have them",
    scenarios: &[],
    whole_when_quick: true,
    make,
};

/// The networks and routings are those of Table 1.
const SCENARIO: &str = "sancho2000/table1.toml";
/// Cables to other switches a switch.
const DEGREE: usize = 4;

fn make(_: &Results<'_>) -> Page {
    let counted = counted();
    let rows: Vec<Row> = groups(&counted).iter().flat_map(|group| rows_of(group)).collect();
    let charts: Vec<Chart> = sizes(&counted).iter().map(|size| chart(&rows, &counted, *size)).collect();
    let mut pen = Pen::default();
    for up in 1..=DEGREE {
        pattern(&mut pen, up);
    }
    let below = draw_charts(&charts, 3);
    pen.inset((0.0, 215.0), &below);
    let height = 215.0 + height_of(&below);
    Page {
        rows,
        svg: pen.finish((900.0, height)),
        shows: "Above: a switch of which one, two, three or four cables to other switches lead up; arrows point up, \
                a dashed arc forbids going down one cable and up the other. u cables that lead up make u (u - 1) \
                restrictions. Below: how many switches have how many, over the ten random networks of each size in \
                Table 1 (means; whiskers from the least to the greatest). Their mean u (u - 1) is Table 1's number \
                of restrictions per switch."
            .to_owned(),
        differs: "The paper draws three patterns as a picture only and tells of them that (a) and (b) have fewer \
                  restrictions than (c), and that H2 makes (a) and (b) more frequent. Ours are all four that a \
                  switch can have, a root apart. The counts bear it out: since every cable leads up from one end, a \
                  network has two such cables a switch on average whatever the tree, and restrictions are fewest \
                  where all switches have about two; H2 has more of these than H1, and both more than breadth-first \
                  trees from R1."
            .to_owned(),
    }
}

/// What one routing comes to on one network.
struct Counted {
    /// Switches of the network.
    size: usize,
    /// What the routing is called.
    routing: String,
    /// The share of switches, in per cent, by the number of cables that lead up.
    shares: [f64; DEGREE + 1],
    /// Restrictions a switch.
    restrictions: f64,
}

/// Every routing on every network of Table 1, size by size.
fn counted() -> Vec<Counted> {
    let sweep = scenarios::sweep(SCENARIO);
    let one = |point: usize| {
        let checked = sweep.checked(point).expect("every point is sound");
        let routing = sweep.text(point, "routing").expect("the sweep has an axis of routings");
        Counted::of(&checked, routing).expect("its routes are computed")
    };
    (0..sweep.len()).map(one).collect()
}

/// Those of one size and routing.
fn groups(counted: &[Counted]) -> Vec<&[Counted]> {
    counted.chunk_by(|a, b| (a.size, &a.routing) == (b.size, &b.routing)).collect()
}

impl Counted {
    fn of(checked: &Checked, routing: String) -> Option<Counted> {
        let Choices { algorithm: Algorithm::UpDown { tree, root }, utility, .. } = checked.choices()? else {
            return None;
        };
        let topology = &checked.topology;
        let graph = SwitchGraph::new(&topology.network);
        let attachments = Attachments::by_ports(&topology.network, &topology.attachments);
        let directions = Directions::new(&graph, &attachments, *utility, root, *tree);
        let mut shares = [0.0; DEGREE + 1];
        let mut all = 0;
        for switch in graph.switch_ids() {
            let ups = ups(&graph, &directions, switch).len();
            shares[ups.min(DEGREE)] += 100.0 / graph.switches() as f64;
            all += restrictions(ups);
        }
        let restrictions = all as f64 / graph.switches() as f64;
        Some(Counted { size: graph.switches(), routing, shares, restrictions })
    }
}

fn sizes(counted: &[Counted]) -> Vec<usize> {
    let mut sizes: Vec<usize> = counted.iter().map(|one| one.size).collect();
    sizes.dedup();
    sizes
}

fn rows_of(counted: &[Counted]) -> Vec<Row> {
    let (routing, size) = (&counted[0].routing, counted[0].size);
    let row = |quantity: &str, unit: &str, values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let ends = [f64::min, f64::max].map(|end| values.iter().copied().reduce(end));
        Row::ours(quantity, &format!("{routing}; {size} switches"), unit, Some(mean))
            .between(ends[0], ends[1])
    };
    let mut rows: Vec<Row> = (0..=DEGREE)
        .map(|up| row(&quantity(up), "% of switches", counted.iter().map(|one| one.shares[up]).collect()))
        .collect();
    let restrictions = counted.iter().map(|one| one.restrictions).collect();
    rows.push(row("restrictions per switch", "restrictions", restrictions));
    rows
}

fn quantity(up: usize) -> String {
    format!("switches with {up} up")
}

fn chart(rows: &[Row], counted: &[Counted], size: usize) -> Chart {
    let of_size = groups(counted).into_iter().map(|group| &group[0]).filter(|one| one.size == size);
    Chart {
        title: format!("{size} switches"),
        x: Axis::names("cables that lead up", (0..=DEGREE).map(|up| up.to_string())),
        y: Axis::from_zero("% of switches"),
        layers: of_size.flat_map(|one| of_routing(rows, &one.routing, size)).collect(),
        bars: true,
        ..Chart::default()
    }
}

/// A routing's shares of switches, by how many of their cables lead up.
fn of_routing(rows: &[Row], routing: &str, size: usize) -> Vec<Layer> {
    let find = |up: usize| {
        let configuration = format!("{routing}; {size} switches");
        rows.iter().find(|row| row.quantity == quantity(up) && row.configuration == configuration)
    };
    let own: Vec<&Row> = (0..=DEGREE).filter_map(find).collect();
    side_by_side(routing, &own)
}

/// A switch with so many of its cables leading up.
fn pattern(pen: &mut Pen, up: usize) {
    let middle: Spot = (900.0 / DEGREE as f64 * (up as f64 - 0.5), 118.0);
    let row = |count: usize, nth: usize| {
        let step = if count == DEGREE { 56.0 } else { 64.0 };
        middle.0 + step * (nth as f64 - (count as f64 - 1.0) / 2.0)
    };
    let above: Vec<Spot> = (0..up).map(|nth| (row(up, nth), 48.0)).collect();
    let below: Vec<Spot> = (0..DEGREE - up).map(|nth| (row(DEGREE - up, nth), 178.0)).collect();
    above.iter().for_each(|to| orientations::cable(pen, middle, *to, false, true));
    below.iter().for_each(|from| orientations::cable(pen, *from, middle, false, true));
    for (nth, (one, other)) in pairs(&above).enumerate() {
        orientations::restriction(pen, middle, one, other, nth);
    }
    orientations::switch(pen, middle, "", false);
    let words = format!("{up} up: {} restrictions", restrictions(up));
    pen.text((middle.0, 24.0), Words::new(14.0).middle().bold(), &words);
}

/// The height that an SVG gives itself.
fn height_of(svg: &str) -> f64 {
    let height = svg.split("height=\"").nth(1).and_then(|rest| rest.split('"').next());
    height.and_then(|height| height.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use simnet_network::routing::restrictions_per_switch;

    /// Wrong if counting patterns came to other restrictions than the router's own metric.
    #[test]
    fn patterns_make_the_restrictions_of_table_1() {
        let sweep = scenarios::sweep(SCENARIO);
        // Three networks of sixteen switches with each routing.
        for point in (0..40).filter(|point| point % 10 < 3) {
            let checked = sweep.checked(point).unwrap();
            let Algorithm::UpDown { tree, root } = &checked.choices().unwrap().algorithm else { panic!() };
            let graph = SwitchGraph::new(&checked.topology.network);
            let attachments = Attachments::lowest(&checked.topology.network);
            let directions = Directions::new(&graph, &attachments, None, root, *tree);
            let counted = Counted::of(&checked, String::new()).unwrap();
            assert!((counted.restrictions - restrictions_per_switch(&graph, &directions)).abs() < 1e-9);
            assert!((counted.shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        }
    }
}
