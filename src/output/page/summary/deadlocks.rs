//! Deadlocks: how many, and what freed them.

use maud::html;
use simnet_base::numbers;

use crate::page::Contents;
use crate::page::markup::Grade;
use crate::page::value::{Show, shown};

use super::{Summary, entries};

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    let deadlocks = entries(contents, "deadlocks");
    let open = deadlocks.iter().filter(|(_, deadlock)| deadlock["cleared_ns"].is_null()).count();
    if deadlocks.is_empty() {
        return None;
    }
    let longest = deadlocks
        .iter()
        .filter_map(|(_, one)| Some(one["cleared_ns"].as_f64()? - one["formed_ns"].as_f64()?));
    let longest = longest.fold(0.0, f64::max);
    let (formed, cleared) = (&deadlocks[0].0, deadlocks.len() - open);
    let sentence = html! {
        "Deadlocks formed: " (shown(contents, "deadlock_count", Show::Number)) ". The first closed "
        (shown(contents, &format!("{formed}.formed_ns"), Show::Ns)) " into its point, as a cycle of "
        (numbers::count(deadlocks[0].1["cycle"].as_array().map_or(0, Vec::len), "output"))
        ", each blocked by the worm that needs the next. "
        @if cleared > 0 {
            "Of those listed " (cleared) " were broken, the longest after " (numbers::time(longest)) "."
        }
    };
    let mut notices = Vec::new();
    // A forward reset of a point that ended earlier would have come later.
    if open > 0 {
        notices.push((
            Grade::Bad,
            html! { (open) " of the deadlocks " @if open == 1 { "was" } @else { "were" } " not broken by the end." },
        ));
    }
    Some(Summary { sentences: vec![sentence], notices, ..Summary::default() })
}
