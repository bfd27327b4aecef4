//! Beyond the tables: what the order of turns costs (sections 3.1 and 3.3).

use crate::cells::{Column, Statistic, TIME, cells, network_and_mapper};
use crate::{Figure, Page, Results, Row};
use simnet_base::papers::reference;
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

use super::SYSTEMS;

/// The order of turns.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/turn-orders",
    title: "Beyond the tables: what the order of turns costs",
    scenarios: &["mainwaring1997/turn-orders.toml"],
    whole_when_quick: true,
    make,
};

const PROBES: Column = Column {
    name: "map.probes_as_printed",
    quantity: "total probes",
    unit: "msg",
    statistic: Statistic::Mean,
};
const NOTHING: Column = Column {
    name: "map.turns.nothing",
    quantity: "turns that found nothing",
    unit: "turns",
    statistic: Statistic::Mean,
};

fn make(results: &Results<'_>) -> Page {
    let columns = [PROBES, NOTHING, TIME];
    let rows: Vec<Row> =
        columns.into_iter().flat_map(|column| cells(results, 0, column, network_and_mapper)).collect();
    let variants = results.csv(0, "points.csv").choices("mapper");
    let mut layers: Vec<Layer> = variants.iter().map(|variant| probes_of(&rows, variant)).collect();
    // The paper's count stands over the order that comes nearest to it.
    let printed = SYSTEMS.iter().enumerate().filter_map(|(place, system)| {
        Some(Mark::at(place as f64, reference("000", "Fig6", PROBES.quantity, system)?))
    });
    let nearest = variants.iter().position(|variant| variant == "reversing-at-a-miss").unwrap_or(0);
    layers.insert(nearest + 1, Layer::paper(printed.collect()));
    let chart = Chart {
        title: "Probes by the order in which turns are tried".to_owned(),
        x: Axis::names("system", SYSTEMS),
        y: Axis::from_zero("probes, counted by turns"),
        layers,
        bars: true,
        ..Chart::default()
    };
    Page {
        svg: draw_charts(&[chart], 1),
        rows,
        shows: "Section 3.3 says that the order in which the ports of a switch are explored matters, and how: \
                outwards from the port of entry, in the other direction after a miss, within a window of eight \
                ports. Each order on C, C+A and C+A+B; as printed is the pseudo-code's -7 to 7. Diamonds: the \
                totals of Fig. 6, over the order that comes nearest."
            .to_owned(),
        differs: "The paper does not say with which order Fig. 6 was measured. It gives one number for a \
        change of order: section 5.4 suspects that a clever sequence of ports saves \"factors of 2 or \
        more\". Reversing at a miss is within \
                4.1 % of its totals, alternating 9 to 21 % above, the others 20 to 40 %; without the window the \
                pseudo-code's order takes about twice as many. Every map is the same, and true."
            .to_owned(),
    }
}

/// The probes of an order of turns, by system.
fn probes_of(rows: &[Row], variant: &str) -> Layer {
    let own = SYSTEMS.iter().enumerate().filter_map(|(place, system)| {
        let name = format!("{system}, {variant}");
        rows.iter()
            .find(|row| row.quantity == PROBES.quantity && row.configuration == name)?
            .mark(place as f64)
    });
    Layer::marks(&variant.replace('-', " "), own.collect())
}
