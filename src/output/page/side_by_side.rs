//! Several runs on one page, each with its replay; two of which one is a variant of the other stand side by side.
//!
//! ```text
//!   results folders ──pairs──▶ cases ──replay::pane──▶ one HTML file; replay.js plays every pane, each by itself
//! ```
//! A run is a variant of another where its name begins with the other's and a hyphen: `zoo-ring-updown` of `zoo-ring`.

use maud::{Markup, html};
use serde_json::Value;

use super::document::{MOST_BYTES, document};
use super::markup::name;
use super::{Contents, Page, Section, replay};
use simnet_base::numbers;

const STYLE: &str = concat!(include_str!("assets/replay.css"), include_str!("assets/side-by-side.css"));
const SCRIPT: &str = replay::scripts!(include_str!("assets/side-by-side.js"));

/// The report of several results folders: one HTML document, the same bytes for the same folders in their order.
///
/// Of each it has the replay and what the run came to. Where it would be larger than 4.9 MB, replays show less.
pub fn side_by_side(all: &[Contents]) -> Page {
    Contents::within_all(all, || made(all), |page| page.html.len() <= MOST_BYTES)
}

/// The runs of a case: one, or a run and its variant, by their positions.
type Case = Vec<usize>;

/// Each run, behind it the first that is a variant of it and of none before.
fn cases(names: &[&str]) -> Vec<Case> {
    let is_variant = |of: &str, name: &str| name.strip_prefix(of).is_some_and(|rest| rest.starts_with('-'));
    let mut variant_of: Vec<Option<usize>> = vec![None; names.len()];
    for (nth, name) in names.iter().enumerate() {
        // Of several, the run with the longest name is meant.
        let bases = (0..names.len()).filter(|base| is_variant(names[*base], name));
        variant_of[nth] = bases.max_by_key(|base| names[*base].len());
    }
    let mut cases: Vec<Case> = Vec::new();
    for nth in (0..names.len()).filter(|nth| variant_of[*nth].is_none()) {
        let mut variants = (0..names.len()).filter(|other| variant_of[*other] == Some(nth));
        cases.push([nth].into_iter().chain(variants.next()).collect());
        cases.extend(variants.map(|other| vec![other]));
    }
    // Those that can be compared say most.
    cases.sort_by_key(|case| case.len() < 2);
    // Variants of variants have no place at the side of anything.
    let shown: Vec<usize> = cases.iter().flatten().copied().collect();
    cases.extend((0..names.len()).filter(|nth| !shown.contains(nth)).map(|nth| vec![nth]));
    cases
}

fn made(all: &[Contents]) -> Page {
    let names: Vec<&str> = all.iter().map(Contents::name).collect();
    let cases = cases(&names);
    let panes: Vec<(Markup, Option<Value>)> = all.iter().map(|one| replay::pane(one, all.len())).collect();
    let data: Vec<&Option<Value>> = panes.iter().map(|(_, data)| data).collect();
    let body = html! {
        p.lead {
            (numbers::count(all.len(), "run")) ". "
            @if cases.iter().any(|case| case.len() > 1) {
                "At the left a run, at its side the same with one thing changed: play both, and see what that changes."
            } @else { "Play them, one after the other." }
        }
        (complaints(all))
        nav.cases aria-label="Runs" { ul { @for (nth, case) in cases.iter().enumerate() {
            li { a href={ "#case-" (nth + 1) } { (name(names[case[0]])) } }
        } } }
        @for (nth, case) in cases.iter().enumerate() { (case_of(nth, case, all, &panes)) }
    };
    let section = Section {
        id: "runs",
        title: "Side by side",
        body,
        data: Some(serde_json::json!(data)),
        script: Some(SCRIPT),
        style: Some(STYLE),
    };
    document(&common(&names), &[section])
}

/// What all names begin with, without the hyphen at its end.
fn common(names: &[&str]) -> String {
    let first = names.first().copied().unwrap_or_default();
    let shared = |end: &usize| {
        first.is_char_boundary(*end) && names.iter().all(|name| name.starts_with(&first[..*end]))
    };
    let end = (0..=first.len()).rev().find(shared).unwrap_or(0);
    first[..end].trim_end_matches('-').to_owned()
}

fn complaints(all: &[Contents]) -> Markup {
    html! {
        @if all.iter().any(|one| !one.complaints().is_empty()) {
            div.notice.bad #complaints {
                p { strong { "Not everything of the folders could be read." } }
                ul { @for one in all { @for complaint in one.complaints() {
                    li { (name(one.name())) ": " bdi { (complaint) } }
                } } }
            }
        }
    }
}

fn case_of(nth: usize, case: &Case, all: &[Contents], panes: &[(Markup, Option<Value>)]) -> Markup {
    html! {
        div.case #{ "case-" (nth + 1) } {
            h3 { (name(all[case[0]].name())) }
            @if case.len() > 1 { div.tools.both {} }
            div.panes { @for run in case {
                div.pane.replay data-run=(run) {
                    @if case.len() > 1 { h4 { (name(all[*run].name())) } }
                    @if let Some(words) = all[*run].text("description") { p { bdi { (words) } } }
                    p.soft.outcome { (outcome(&all[*run])) }
                    (panes[*run].0)
                }
            } }
        }
    }
}

/// What a run came to, in a line.
fn outcome(contents: &Contents) -> Markup {
    let counted = |path: &str| {
        let count = contents.at(path).and_then(Value::as_u64)?;
        Some(usize::try_from(count).unwrap_or(usize::MAX))
    };
    let deadlocks = counted("deadlock_count").unwrap_or(0);
    let resets = counted("points.0.resets").unwrap_or(0);
    let class = if deadlocks > 0 { "bad" } else { "good" };
    html! {
        strong class=(class) {
            @if deadlocks == 0 { "no deadlock" } @else { (numbers::count(deadlocks, "deadlock")) }
        }
        @if resets > 0 { ", " (numbers::count(resets, "forward reset")) }
        @if let Some(delivered) = counted("points.0.delivered") {
            ", " (numbers::count(delivered, "message")) " arrived"
        }
        "; the run ended " (contents.text("outcome").unwrap_or("in a way that is not known")) "."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a run stood twice or nowhere, or at the side of one that it is no variant of.
    #[test]
    fn variants_stand_at_the_side_of_what_they_vary() {
        let names = [
            "zoo-jam",
            "zoo-ring",
            "zoo-ring-updown",
            "zoo-ringing",
            "zoo-ring-updown-more",
            "zoo-ring-other",
        ];
        assert_eq!(cases(&names), [vec![1, 2], vec![0], vec![5], vec![3], vec![4]]);
        assert_eq!(common(&names), "zoo");
        assert_eq!((cases(&["a", "a"]), common(&["a", "a"])), (vec![vec![0], vec![1]], "a".to_owned()));
        assert!(cases(&[]).is_empty());
    }
}
