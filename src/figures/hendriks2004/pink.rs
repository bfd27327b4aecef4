//! The text's numbers: Pink mapped with guards and with time-outs.

use crate::cells::{Column, SENT, Statistic, cells, pick};
use crate::{Figure, Page, Results, Row};
use simnet_base::papers::reference;
use simnet_output::report::{Axis, Chart, Layer, Mark, draw_charts};

/// Pink.
pub(super) const FIGURE: Figure = Figure {
    id: "hendriks2004/pink",
    title: "Sections 1 and 6: Pink, 7 minutes and 15 seconds",
    scenarios: &["hendriks2004/pink.toml"],
    whole_when_quick: true,
    make,
};

const VARIANTS: [(&str, &str); 2] = [("guarded", "with guards"), ("timed", "by time-out")];
/// The axis of the algorithms.
const ALGORITHM: &str = "mapping.algorithm";
/// Columns by kind of message.
const KINDS: [(&str, &str); 5] = [
    ("map.probes.host.sent", "host scouts"),
    ("map.probes.scout.sent", "switch scouts"),
    ("map.probes.loop.sent", "loop scouts"),
    ("map.probes.compare.sent", "comparisons"),
    ("map.probes.guard.sent", "guards"),
];

fn make(results: &Results<'_>) -> Page {
    let mut rows = results.printed(0);
    let name = |variant: &str| {
        VARIANTS.iter().find(|(known, _)| *known == variant).map_or(variant, |(_, name)| name).to_owned()
    };
    let columns =
        KINDS.map(|(name, quantity)| Column { name, quantity, unit: "msg", statistic: Statistic::Mean });
    for column in columns.into_iter().chain([SENT]) {
        rows.extend(cells(results, 0, column, |cell| name(cell.text(ALGORITHM))));
    }
    Page {
        svg: draw_charts(&[times(results), messages(&rows), speed_up(&rows)], 3),
        rows,
        shows: SHOWS.to_owned(),
        differs: DIFFERS.to_owned(),
    }
}

const SHOWS: &str = "Pink (1,024 hosts, 320 switches of 16 ports, 3,072 cables; quiet) mapped with guarded scouts \
                and, the same questions, with time-outs of a millisecond: the two times that the paper \
                prints, and their ratio, which is ours as the millisecond is. Both maps are true. The middle \
                panel shows what is asked: a no costs a time-out \
                there, and two or three messages here.";

const DIFFERS: &str = "- Both times are fits, and the ratio with them: of two free costs (2 us to send a \
                message, 12 us to see what came back) one more equation would be needed to test the 15 s; the \
                7 minutes are 0.41 million noes at a millisecond each, and which questions are asked was read so that \
                there are as \
                many. With other sizes the same costs predict (`hendriks2004/sizes`).\n\
                - Section 2 lists the three questions of a mapper and how they are asked; the paper does not say \
                which its own asks where, nor how many. With all that the reading of Myricom's \
                mapper asks (mainwaring1997, Fig. 10) it would be 3 million comparisons, 5 us each for 15 s, \
                less than a round trip; asking no port again that an identification has explained leaves 0.37 \
                million.\n\
                - Host scouts alone wait for a time-out, so there must be few: switches are looked for first \
                (3,944 host scouts); hosts first would need 42,000, 40 s of waiting.\n\
                - Bursts of questions behind one guard are an option that was tried and is not needed.";

fn times(results: &Results<'_>) -> Chart {
    let table = results.csv(0, "points.csv");
    let mut ours = Vec::new();
    let mut printed = Vec::new();
    for (place, (variant, _)) in VARIANTS.iter().enumerate() {
        let time = table.of(&[(ALGORITHM, variant)]).find_map(|record| record.number("map.time_ms"));
        ours.extend(time.map(|ms| Mark::at(place as f64, ms / 1e3)));
        let paper = match *variant {
            "guarded" => reference("002", "text", "mapping time, guarded", "Pink, quiet"),
            _ => reference("002", "text", "mapping time, timeout-based", "Pink, quiet").map(|min| min * 60.0),
        };
        printed.extend(paper.map(|seconds| Mark::at(place as f64, seconds)));
    }
    Chart {
        title: "time of a mapping".to_owned(),
        x: Axis::names("", VARIANTS.map(|(_, name)| name)),
        y: Axis::from_zero("time (s)"),
        layers: vec![Layer::marks("ours", ours), Layer::paper(printed)],
        bars: true,
        ..Chart::default()
    }
}

fn messages(rows: &[Row]) -> Chart {
    Chart {
        title: "what is sent".to_owned(),
        x: Axis::names("", ["host", "switch", "loop", "compare", "guard"]),
        y: Axis::from_zero("messages"),
        layers: VARIANTS.iter().map(|(_, name)| by_kind(rows, name)).collect(),
        bars: true,
        ..Chart::default()
    }
}

/// The messages of a variant, by their kinds.
fn by_kind(rows: &[Row], name: &str) -> Layer {
    let own = KINDS
        .iter()
        .enumerate()
        .filter_map(|(place, (_, kind))| pick(rows, kind, &[name]).first()?.mark(place as f64));
    Layer::marks(name, own.collect())
}

fn speed_up(rows: &[Row]) -> Chart {
    let own = pick(rows, "speed-up", &["Pink"]);
    Chart {
        title: "speed-up".to_owned(),
        x: Axis::names("", ["Pink"]),
        y: Axis::from_zero("time-outs over guards (factor)"),
        layers: crate::side_by_side("ours", &own),
        bars: true,
        ..Chart::default()
    }
}
