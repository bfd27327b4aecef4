//! Fig. 6: host and switch probes, and how many of them hit.

use crate::cells::{SENT, by_configuration, cells, network_and_mapper, pick};
use crate::text::short;
use crate::{Figure, Page, Results, Row, side_by_side};
use simnet_output::report::{Axis, Chart, draw_charts};

use super::SYSTEMS;

/// Fig. 6.
pub(super) const FIGURE: Figure = Figure {
    id: "mainwaring1997/fig6",
    title: "Fig. 6: host and switch probes and their hit ratios",
    scenarios: &["mainwaring1997/fig6.toml"],
    whole_when_quick: true,
    make,
};

/// The panels: title, unit, quantities.
const PANELS: [(&str, &str, &[&str]); 4] = [
    ("probes", "probes, counted by turns", &["host probes", "switch probes"]),
    ("hits", "hits", &["host probe hits", "switch probe hits"]),
    ("turns that found nothing", "turns", &["turns that found nothing (= host misses = switch misses)"]),
    ("hit ratios", "hits (% of probes)", &["host hit ratio", "switch hit ratio"]),
];

fn make(results: &Results<'_>) -> Page {
    let mut rows = results.printed(0);
    by_configuration(&mut rows, &SYSTEMS);
    let svg = draw_charts(&PANELS.map(|panel| chart(&rows, panel)), 2);
    let sent = cells(results, 0, SENT, network_and_mapper);
    let unanswered: Vec<Row> = sent.iter().filter_map(|sent| unanswered(&rows, sent)).collect();
    let told = sent.iter().zip(&unanswered).find(|(_, none)| none.configuration == "C, berkeley");
    let number = |row: &Row| row.ours.map_or_else(String::new, short);
    let of_c =
        told.map_or_else(String::new, |(all, none)| format!(" (C: {} of {})", number(none), number(all)));
    rows.extend(sent);
    rows.extend(unanswered);
    Page {
        rows,
        svg,
        shows: format!(
            "How many probes the Berkeley mapper asks, from the utility host, and how many find something. \
                The paper calls these probes sent and messages; we read them as *turns*: \
                a turn that finds a host is one host probe, one that finds a switch \
                one switch probe, one that finds nothing one of each (its misses are equal in both columns: 93, \
                196, 480). *Probes without response* are counted by turns too: two for each turn that found nothing. \
                In our runs both probes go out at every turn, and of those messages far more are never \
                answered{of_c}, as a turn that finds a host loses its switch probe, and the other way round: \
                `data.csv` has them."
        ),
        differs: "- C+A+B: 438 turns find nothing where the paper's counts leave 480 (-8.8 %), and the host hit ratio \
                follows. Under circuit routing (`circuit` in the scenario, a walk over the cables) it is 452 \
                (-5.8 %), and every count is within 6 %. On the fabric a probe of 32 bytes fits into one port's \
                buffer, so that nine more probes pass where a circuit would meet itself.\n\
                - Tried to bring that number nearer on the fabric: probes of 64 to 512 bytes (no change up to \
                128; from 160 on a probe that meets itself blocks for 50 ms and others fail with it: 880 misses \
                and more); depth bounds of 5 to 10 turns (no change); starting on the other side, along or \
                against the last turn, alternating sides (each worse; see \
                [turn-orders](../turn-orders/README.md)).\n\
                - The port numbering of the reconstruction was chosen, out of sixty, by these counts: with ports \
                as drawn they are up to 17 % off, over all sixty 12 % in the mean of the worst."
            .to_owned(),
    }
}

/// The messages of a row of those sent that brought no answer: those of the printed systems, whose hits are rows.
fn unanswered(rows: &[Row], sent: &Row) -> Option<Row> {
    let system = sent.configuration.strip_suffix(", berkeley")?;
    let hits = |kind: &str| pick(rows, &format!("{kind} probe hits"), &[system]).first()?.ours;
    let none = sent.ours? - hits("host")? - hits("switch")?;
    Some(Row::ours("messages truly sent without response", &sent.configuration, "msg", Some(none)))
}

/// A panel: some quantities next to each other.
fn chart(rows: &[Row], (title, label, quantities): (&str, &str, &[&str])) -> Chart {
    let layers = quantities.iter().flat_map(|quantity| {
        let name = quantity.split(' ').next().unwrap_or_default();
        let name = if name == "turns" { "neither" } else { name };
        side_by_side(name, &pick(rows, quantity, &SYSTEMS))
    });
    Chart {
        title: title.to_owned(),
        x: Axis::names("system", SYSTEMS),
        y: Axis::from_zero(label),
        layers: layers.collect(),
        bars: true,
        ..Chart::default()
    }
}
