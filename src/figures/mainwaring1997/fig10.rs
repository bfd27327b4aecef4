//! Fig. 10: the Myricom algorithm's probes and time.

use crate::cells::{by_configuration, pick};
use crate::{Figure, Page, Results, Row, side_by_side};
use simnet_output::report::{Axis, Chart, draw_charts};

use super::SYSTEMS;

/// Fig. 10.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig10",
    title: "Fig. 10: Myricom algorithm performance summary",
    scenarios: &["mainwaring1997/fig10.toml"],
    whole_when_quick: true,
    make,
};

const KINDS: [&str; 5] = ["loop", "host", "switch", "compare", "total"];

fn make(results: &Results<'_>) -> Page {
    let mut rows = results.printed(0);
    rows.retain(|row| row.printed_in == "Fig10");
    by_configuration(&mut rows, &SYSTEMS);
    let mut charts: Vec<Chart> = SYSTEMS.iter().map(|system| probes(&rows, system)).collect();
    charts.push(Chart {
        title: "mapping time".to_owned(),
        x: Axis::names("system", SYSTEMS),
        y: Axis::from_zero("time (ms)"),
        layers: side_by_side("ours", &pick(&rows, "Myricom mapping time", &SYSTEMS)),
        bars: true,
        ..Chart::default()
    });
    Page {
        rows,
        svg: draw_charts(&charts, 2),
        shows: "How many probes of which kind Myricom's mapper sends, and how long it takes, on the same \
                systems: loops (cables that lead back into their own port's switch), hosts, switches, and \
                comparisons with switches that it knows. It runs on the interface's own processor."
            .to_owned(),
        differs: "- Section 4 says that \"a variety of heuristics\" reduces the probes and names none. Ours: \
                hosts tell switches apart, so that only switches without hosts are compared, with known ones of \
                that kind, newest first, bounded by the known ports. Tried on C+A+B instead: oldest first (+36 \
                to 118 % comparisons), all fourteen turns (+52 to 90 %), all switches (+153 to 294 %), no second \
                scan (-15 to 25 % host probes), no window (+16 % host probes).\n\
                - Which turns get loop and switch probes, and the switch probe before a comparison, are the \
                reading that comes nearest of those in `mainwaring1997/mechanisms`.\n\
                - C and C+A come within 1 % in total; C+A+B stays 12.5 % below, from comparisons (-18 %) and \
                switch probes (-16 %), which follow them. How many comparisons there are depends on B's wiring: \
                `mainwaring1997/held-out`.\n\
                - Start-up (0.83 s) and time-out (0.44 ms) are fitted to the times of C and C+A; C+A+B is \
                predicted.\n\
                - The paper's columns for C+A+B add up to 8417, not to its 8413."
            .to_owned(),
    }
}

fn probes(rows: &[Row], system: &str) -> Chart {
    let find = |kind: &&str| {
        let quantity = format!("Myricom {kind} probes");
        rows.iter().find(|row| row.quantity == quantity && row.configuration == system)
    };
    let own: Vec<&Row> = KINDS.iter().filter_map(find).collect();
    Chart {
        title: system.to_owned(),
        x: Axis::names("kind of probe", KINDS),
        y: Axis::from_zero("messages"),
        layers: side_by_side("ours", &own),
        bars: true,
        ..Chart::default()
    }
}
