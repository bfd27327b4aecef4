//! Table 2: what the acronyms of the routings stand for, and what each of ours comes to.

use std::fmt::Write as _;

use super::table1::by_size;
use crate::{Figure, Page, Results, Row, scenarios};
use simnet_network::routing::{Algorithm, Choices, Heuristic, Root, Selection, Tree};
use simnet_output::report::draw_charts;
use simnet_scenario::sweep::Pins;

/// Table 2.
pub(super) const FIGURE: Figure = Figure {
    id: "sancho2000/table2",
    title: "Table 2: the routings and what they come to",
    scenarios: SCENARIOS,
    whole_when_quick: true,
    make,
};

const SCENARIOS: &[&str] = &["sancho2000/table2.toml"];

/// What is measured of routes: the column, the name, the unit.
const METRICS: [(&str, &str, &str); 4] = [
    ("route.switch_mean_distance", "average distance", "links"),
    ("route.crossing_paths", "crossing paths", "paths"),
    ("route.max_channel_load", "routes over the busiest channel", "routes"),
    ("route.restrictions_per_switch", "restrictions per switch", "restrictions"),
];

fn make(results: &Results<'_>) -> Page {
    let points = results.csv(0, "points.csv");
    let (routings, sizes) = (points.choices("routing"), points.choices("topology.random-regular.switches"));
    let mut rows = Vec::new();
    for (column, quantity, unit) in METRICS {
        for routing in &routings {
            for size in &sizes {
                let of =
                    |of: &str| results.at(0, &format!("sweep.statistics.{size}/{routing}.{column}.{of}"));
                let row = Row::ours(quantity, &format!("{routing}; {size} switches"), unit, of("mean"));
                rows.push(row.between(of("min"), of("max")));
            }
        }
    }
    let charts = METRICS.map(|(_, quantity, unit)| by_size(&rows, quantity, unit, &routings, &sizes));
    Page {
        svg: draw_charts(&charts, 2),
        rows,
        shows: format!(
            "What the six acronyms resolve to here, read off the scenario:\n\n{}\nThe bars are means over ten random \
             networks of each size, whiskers from the least to the greatest.",
            acronyms()
        ),
        differs: "The paper's Table 2 is the table above and has no numbers. UD_BFS1 has R1 and both depth-first \
                  routings have R2, as Table 2 says. \"No\" balancing is one shortest legal route a pair \
                  of hosts, that of the lowest ports: the paper names random and round robin as policies that can be \
                  applied and \
                  does not say what it used; by the rule of `sancho2000/arbitration` it is this. \
                  Balancing changes only which of the shortest legal routes are taken, so only the load of the \
                  busiest channel differs between a routing and its `b`."
            .to_owned(),
    }
}

/// The table of acronyms, in Markdown.
fn acronyms() -> String {
    let sweep = scenarios::sweep(SCENARIOS[0]);
    let pin = |key: &str, value: &str| (format!("topology.random-regular.{key}"), value.to_owned());
    let on_first = Pins(vec![pin("switches", "16"), pin("seed", "0")]);
    let mut text = "| routing | spanning tree | root heuristic | path heuristic | traffic balancing \
         |\n|---|---|---|---|---|\n"
        .to_owned();
    for point in (0..sweep.len()).filter(|point| sweep.holds(*point, &on_first)) {
        let checked = sweep.checked(point).expect("every point is sound");
        let (Some(name), Some(choices)) = (sweep.text(point, "routing"), checked.choices()) else { continue };
        let Choices { algorithm: Algorithm::UpDown { tree, root }, selection, .. } = choices else {
            continue;
        };
        let (tree, path) = match tree {
            Tree::Bfs => ("BFS", "-"),
            Tree::Dfs(Heuristic::H1) => ("DFS", "H1"),
            Tree::Dfs(Heuristic::H2) => ("DFS", "H2"),
        };
        let root = match root {
            Root::R1 => "R1",
            Root::R2 => "R2",
            _ => "other",
        };
        let balanced = if *selection == Selection::Balanced { "yes" } else { "no" };
        let _ = writeln!(text, "| {name} | {tree} | {root} | {path} | {balanced} |");
    }
    text
}
