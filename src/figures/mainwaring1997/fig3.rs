//! Fig. 3: interfaces, switches and links of the subclusters.

use crate::cells::pick;
use crate::{Figure, Page, Results, Row, side_by_side};
use simnet_output::report::{Axis, Chart, draw_charts};

/// Fig. 3.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig3",
    title: "Fig. 3: components of the subclusters A, B and C",
    scenarios: &["mainwaring1997/fig3.toml"],
    whole_when_quick: true,
    make,
};

const SYSTEMS: [&str; 5] = ["A", "B", "C", "C+A", "C+A+B"];

/// The parts that are mapped as differences: one network without the other.
const PARTS: [(&str, [&str; 2]); 2] = [("A", ["C+A", "C"]), ("B", ["C+A+B", "C+A"])];

fn make(results: &Results<'_>) -> Page {
    let mut rows = Vec::new();
    for of_quantity in results.printed(0).chunk_by(|a, b| a.quantity == b.quantity) {
        let quantity = &of_quantity[0].quantity;
        let ours = |of: &str| of_quantity.iter().find(|row| row.configuration == of)?.ours;
        let part = |(name, [whole, rest]): (&str, [&str; 2])| {
            let count = ours(whole).zip(ours(rest)).map(|(whole, rest)| whole - rest);
            Row::printed("000", "Fig3", quantity, name, count)
        };
        rows.extend(of_quantity.iter().take(1).cloned());
        rows.extend(PARTS.into_iter().filter_map(part));
        rows.extend(of_quantity.iter().skip(1).cloned());
    }
    Page {
        svg: draw_charts(&["interfaces", "switches", "links"].map(|quantity| chart(&rows, quantity)), 3),
        rows,
        shows: "The components of the three subclusters of the Berkeley NOW, counted on the maps that our \
                Berkeley mapper makes of C, C+A and C+A+B; A is what the second has more than the first, B what \
                the third has more than the second. A cable between a host and a switch counts as a link."
            .to_owned(),
        differs: "Nothing in the counts: they were given when the networks were put together. The wiring itself \
                is a *reconstruction*, since the paper prints it as pictures only: every count and every \
                statement of the text holds, but which port a cable is in was chosen, out of sixty numberings, \
                by the counts of Fig. 6. The rows of A and B are read as shares of a whole: 64 + 64 + 65 = 193, \
                so that the cables between subclusters belong to A's and B's rows."
            .to_owned(),
    }
}

/// The chart of a count.
fn chart(rows: &[Row], quantity: &str) -> Chart {
    Chart {
        title: quantity.to_owned(),
        x: Axis::names("system", SYSTEMS),
        y: Axis::from_zero(quantity),
        layers: side_by_side("counted on our map", &pick(rows, quantity, &SYSTEMS)),
        bars: true,
        ..Chart::default()
    }
}
