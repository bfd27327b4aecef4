//! The page of a figure: one screen of what it shows, how close it is, and what differs.

use simnet_base::numbers;
use simnet_base::papers::{Kind, Rule};
use std::fmt::Write as _;

use super::{ComparedRow, Figure, Page, Row};

/// The first line of a figure's `README.md`.
pub(super) const README_MARK: &str = "<!-- Written by simnet figures, which replaces this folder. -->";

/// Printed numbers that a page shows in full; of more, it shows the worst.
const MOST_ROWS: usize = 24;
/// How many of more are shown.
const WORST: usize = 10;

/// `README.md`.
pub(super) fn page_text(figure: &Figure, page: &Page, rows: &[ComparedRow], quick: bool) -> String {
    let Figure { id, title, .. } = figure;
    let mut text =
        format!("{README_MARK}\n# {title}\n\n{}\n\n![{}](figure.svg)\n", page.shows.trim(), alt(title));
    text.push_str("\n## How close it is\n\n");
    text.push_str(&closeness(rows));
    let _ = write!(text, "\n## What differs and why\n\n{}\n\n## How it is made\n\n", page.differs.trim());
    let scenarios = figure.scenarios.iter().map(|file| format!("`scenarios/{file}`"));
    let scenarios = scenarios.collect::<Vec<_>>().join(", ");
    let from = if scenarios.is_empty() { String::new() } else { format!(" from {scenarios}") };
    let quick = if quick { " --quick" } else { "" };
    let _ = writeln!(text, "`simnet figures {id}{quick}`{from}. All numbers: [data.csv](data.csv).");
    text
}

/// How near the numbers come to the printed ones, in a sentence and a table.
pub(super) fn closeness(rows: &[ComparedRow]) -> String {
    let printed: Vec<&ComparedRow> = rows.iter().filter(|judged| judged.row.paper.is_some()).collect();
    if printed.is_empty() {
        return format!(
            "No row of [data.csv](data.csv) is compared with a number of the paper.\n{}",
            same_routes(rows)
        );
    }
    let mut text = summary(&printed);
    let shown: Vec<&ComparedRow> = if printed.len() <= MOST_ROWS {
        printed
    } else {
        let _ =
            write!(text, " The {WORST} that are farthest off, of {} in [data.csv](data.csv):", printed.len());
        worst_first(printed).into_iter().take(WORST).collect()
    };
    text.push_str("\n\n| | | unit | paper | ours | ours, from to | deviation | tolerance | |\n");
    text.push_str("|---|---|---|--:|--:|---|--:|--:|---|\n");
    for judged in shown {
        text.push_str(&line(judged));
    }
    text + &same_routes(rows)
}

/// The quantity of a routing's curve under load.
const CURVE: &str = "latency";

/// Says which routings are one: chance is the same for all, so that only equal routes have latencies that are equal to
/// the last digit at every load.
fn same_routes(rows: &[ComparedRow]) -> String {
    type Place = (Option<f64>, Option<f64>);
    let mut curves: Vec<(&str, Vec<Place>)> = Vec::new();
    for Row { configuration, x, ours, .. } in
        rows.iter().map(|judged| &judged.row).filter(|row| row.quantity == CURVE)
    {
        match curves.iter_mut().find(|(name, _)| name == configuration) {
            Some((_, places)) => places.push((*x, *ours)),
            None => curves.push((configuration, vec![(*x, *ours)])),
        }
    }
    let mut text = String::new();
    for (nth, (name, places)) in curves.iter().enumerate() {
        let first = curves[..nth].iter().find(|(_, others)| others == places);
        if let Some((other, _)) = first.filter(|_| places.len() > 1) {
            let _ = writeln!(
                text,
                "\n{} and {} have the same routes here: their latencies are equal to the last digit at every load, and \
                 neither is compared with the other.",
                cell(other),
                cell(name)
            );
        }
    }
    text
}

/// Counts those of each kind that hold, and says how far off the median and the worst are.
fn summary(printed: &[&ComparedRow]) -> String {
    let verdicts = |kind| printed.iter().filter(move |j| j.kind == kind).filter_map(|j| j.holds());
    let of = |kind: Kind| {
        let (judged, holding) = (verdicts(kind).count(), verdicts(kind).filter(|holds| *holds).count());
        (judged > 0).then(|| format!("{holding} of {judged} {}", kind.counted()))
    };
    let counts: Vec<String> = Kind::ALL.into_iter().filter_map(of).collect();
    let mut text = match &counts[..] {
        [] => "None of these numbers has a tolerance".to_owned(),
        counts => format!("Within their stated tolerance: {}", counts.join(", ")),
    };
    let open = printed.iter().filter(|judged| judged.holds().is_none()).count();
    if open > 0 && !counts.is_empty() {
        let _ = write!(text, " ({open} more have none)");
    }
    let mut off: Vec<f64> = printed.iter().filter_map(|j| j.row.deviation_percent()).map(f64::abs).collect();
    off.sort_by(f64::total_cmp);
    if let Some(worst) = off.last() {
        let median = (off[(off.len() - 1) / 2] + off[off.len() / 2]) / 2.0;
        let _ = write!(text, "; the median deviation is {median:.1} %, the worst {worst:.1} %");
    }
    text.push('.');
    text
}

/// What does not hold first, then by deviation.
fn worst_first(mut printed: Vec<&ComparedRow>) -> Vec<&ComparedRow> {
    let off = |judged: &ComparedRow| judged.row.deviation_percent().map_or(f64::INFINITY, f64::abs);
    printed.sort_by(|a, b| {
        let missed = |judged: &ComparedRow| judged.holds() == Some(false);
        missed(b).cmp(&missed(a)).then(off(b).total_cmp(&off(a)))
    });
    printed
}

fn line(judged: &ComparedRow) -> String {
    let row = &judged.row;
    let range = row.low.zip(row.high).map(|(low, high)| format!("{} to {}", short(low), short(high)));
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        cell(&row.quantity),
        cell(&row.configuration),
        cell(&row.unit),
        row.paper.map(|paper| short(paper) + judged.kind.remark()).unwrap_or_default(),
        row.ours.map_or_else(|| "-".to_owned(), short),
        range.unwrap_or_default(),
        percent_of(judged),
        rule_of(judged),
        verdict(judged),
    )
}

/// The deviation, for people.
pub(super) fn percent_of(judged: &ComparedRow) -> String {
    judged.row.deviation_percent().map(numbers::deviation).unwrap_or_default()
}

/// The rule by which it is compared, for people.
pub(super) fn rule_of(judged: &ComparedRow) -> String {
    match judged.rule() {
        Some(Rule::Within(percent)) => format!("{percent} %"),
        Some(Rule::AtLeast) => "at least".to_owned(),
        Some(Rule::AtMost) => "at most".to_owned(),
        Some(Rule::Range) => "in range".to_owned(),
        Some(Rule::Incomparable) | None => String::new(),
    }
}

/// The verdict, for people.
pub(super) fn verdict(judged: &ComparedRow) -> &'static str {
    match judged.holds() {
        Some(true) => "holds",
        Some(false) => "**missed**",
        None => "",
    }
}

/// A number for people: at most four digits that matter after the point.
pub(super) fn short(value: f64) -> String {
    let digits = match value.abs() {
        large if large >= 1000.0 => 0,
        some if some >= 10.0 => 1,
        few if few >= 1.0 => 3,
        _ => 5,
    };
    numbers::rounded(value, digits)
}

/// A text as a cell of a table in Markdown.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace('*', "\\*")
}

/// A text between the brackets of an image.
fn alt(title: &str) -> String {
    title.replace(['[', ']'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if two routings with the same routes went unnoticed, or two that differ at one load were called one.
    #[test]
    fn routings_with_the_same_routes_are_named() {
        let curve = |routing: &str, latencies: [f64; 2]| {
            latencies.map(|ns| {
                ComparedRow::new("sancho2000", Row::ours(CURVE, routing, "ns", Some(ns)).at(ns.floor()))
            })
        };
        let alike =
            [curve("UD_DFS1", [1.0, 2.0]), curve("UD_DFS2", [1.0, 2.0]), curve("UD_BFS1", [1.0, 2.25])]
                .concat();
        let text = same_routes(&alike);
        assert!(text.contains("UD_DFS1 and UD_DFS2 have the same routes here"), "{text}");
        assert!(!text.contains("BFS1"), "{text}");
    }
}
