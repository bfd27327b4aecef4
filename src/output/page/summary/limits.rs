//! What limits a load: each resource that was made ample, and what was gained.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{entries, of};

/// The resources that were lifted, the largest gain first; nothing where that was not asked for.
pub(super) fn section(contents: &Contents) -> Markup {
    let Some(limits) = contents.at("limits") else { return html! {} };
    let number = |key: &str| of(contents, "limits", key, Show::Number);
    let lifted = entries(contents, "limits.lifted");
    html! {
        h3 { "What limits a load" }
        @if limits["state"] == "converged" {
            p { "Nothing limits load " (number("load")) ": the network keeps up with what is offered." }
        } @else if limits["state"] != "saturated" {
            p {
                "Load " (number("load")) " has not converged, and is not known to be saturated: nothing was made ample."
            }
        } @else {
            p {
                "Load " (number("load")) " was run again, short, with one resource at a time made ample and the same \
                messages. As it is, the network accepts " (number("accepted_flits_per_cycle_per_host")) " of "
                (number("offered_flits_per_cycle_per_host")) " offered flits per cycle and host in these runs. A \
                resource limits the load as far as more is accepted once it is ample."
            }
            (table(contents, &lifted))
        }
    }
}

fn table(contents: &Contents, lifted: &[(String, &Value)]) -> Markup {
    let columns = [
        words("Resource"),
        numbers("Accepted", "flits/cycle/host"),
        numbers("Gain", "%"),
        numbers("±\u{a0}95\u{a0}%", "%"),
        words("Verdict"),
        words("As it is"),
        words("Made"),
    ];
    let row = |(path, one): &(String, &Value)| {
        let number = |key: &str| shown(contents, &format!("{path}.{key}"), Show::Number);
        let text = |key: &str| name(one[key].as_str().unwrap_or_default());
        vec![
            html! {
                (of(contents, path, "resource", Show::Number))
                @if one["from"].is_string() { " " (text("from")) " – " (text("to")) }
            },
            number("accepted_flits_per_cycle_per_host"),
            number("gain_percent"),
            number("gain_half_width_percent"),
            html! { (verdict(one)) },
            text("was"),
            text("made"),
        ]
    };
    let rows: Vec<Vec<Markup>> = lifted.iter().map(row).collect();
    grid("What was gained by making one resource ample, the largest gain first", &columns, &rows)
}

/// What a gain is worth.
fn verdict(one: &Value) -> &'static str {
    let is = |key: &str| one[key] == Value::Bool(true);
    match one["accepted_flits_per_cycle_per_host"].is_null() {
        true => "the network dies in a deadlock",
        false if !is("beyond_chance") => "no gain beyond chance",
        false if is("carried") => "all that is offered is accepted, within 1 %",
        false => "a gain beyond chance",
    }
}
