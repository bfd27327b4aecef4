//! Section 5.4: the Myricom algorithm against the Berkeley algorithm.

use crate::cells::{SENT, by_configuration, cells, network_and_mapper, pick};
use crate::{Figure, Page, Results, Row, side_by_side};
use simnet_base::numbers;
use simnet_base::papers::reference;
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

use super::SYSTEMS;

/// Section 5.4.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/ratios",
    title: "Section 5.4: Myricom's mapper over Berkeley's",
    scenarios: &["mainwaring1997/fig10.toml"],
    whole_when_quick: true,
    make,
};

const RATIOS: [(&str, &str, &str, &str); 2] = [
    ("message", "Myricom/Berkeley message ratio (text)", "Myricom total probes", "total probes"),
    ("time", "Myricom/Berkeley time ratio (text)", "Myricom mapping time", "mapping time avg, one master"),
];

fn make(results: &Results<'_>) -> Page {
    let mut rows = results.printed(0);
    rows.retain(|row| row.printed_in == "5.4");
    by_configuration(&mut rows, &SYSTEMS);
    let mut charts = Vec::new();
    for (name, quantity, above, below) in RATIOS {
        let mut layers = side_by_side("ours", &pick(&rows, quantity, &SYSTEMS));
        let mut marks = Vec::new();
        for (place, system) in SYSTEMS.iter().enumerate() {
            let below_in = if name == "message" { "Fig6" } else { "Fig7" };
            let tables =
                reference("000", "Fig10", above, system).zip(reference("000", below_in, below, system));
            let Some(ratio) = tables.map(|(above, below)| above / below) else { continue };
            marks.push(Mark::at(place as f64, ratio));
            let of = format!("{name} ratio of the paper's tables");
            rows.push(Row::ours(&of, system, "factor", Some(ratio)));
        }
        layers.push(Layer::marks("the paper's tables", marks));
        charts.push(Chart {
            title: format!("{name}s"),
            x: Axis::names("system", SYSTEMS),
            y: Axis::from_zero("Myricom over Berkeley (factor)"),
            layers,
            bars: true,
            ..Chart::default()
        });
    }
    let sent = cells(results, 0, SENT, network_and_mapper);
    let of = |system: &str, mapper: &str| {
        pick(&sent, SENT.quantity, &[&format!("{system}, {mapper}")]).first()?.ours
    };
    let truly = SYSTEMS.map(|system| Some(of(system, "myricom")? / of(system, "berkeley")?));
    let named = SYSTEMS.iter().zip(truly);
    rows.extend(
        named.map(|(system, ratio)| Row::ours("ratio of messages truly sent", system, "factor", ratio)),
    );
    let [c, c_a, c_a_b] =
        truly.map(|ratio| ratio.map_or_else(String::new, |ratio| numbers::rounded(ratio, 1)));
    Page {
        rows,
        svg: draw_charts(&charts, 2),
        shows:
            "How many times the messages and the time of the Berkeley algorithm Myricom's takes. The text of \
        section 5.4 prints these ratios; beside ours stand those (diamonds) and the ratios of the \
                paper's own tables, Fig. 10 over Figs. 6 and 7."
                .to_owned(),
        differs: format!(
            "The text contradicts the tables: it says 5.4 times the messages for C+A+B, where 8413 over 2011 \
                is 4.18, and 3.9 times the time for C+A, where 2197 over 522 ms is 4.21. Ours follow the tables: \
                on C+A+B we miss the text's 5.4 by 29 %, and the tables' 4.18 by 9 % (Myricom's total is 12.5 % \
                low there, Berkeley's 4.1 %). These ratios divide the messages of Myricom's mapper, each of them \
                sent, by \
             Berkeley's as Fig. 6 counts them, by turns. Over the messages that our Berkeley mapper truly sends, two \
             at \
             every turn, Myricom's are {c}, {c_a} and {c_a_b} times as many on C, C+A and C+A+B."
        ),
    }
}
