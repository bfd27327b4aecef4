//! A discovery: the switches behind round-trip times, measured and inferred.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{Summary, members, of};

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("discovery")?;
    let methods = members(contents, "discovery.methods");
    let right = methods.iter().filter(|(.., method)| method["recovered"].as_bool() == Some(true)).count();
    let sentences = vec![html! {
        "From the round-trip times between machines, " (right) " of " (methods.len())
        " methods found the switches that are there."
    }];
    let all = shown(contents, "discovery.all_recovered", Show::Number);
    let notices = vec![if right == methods.len() {
        (
            Grade::Good,
            html! {
                "every method's tree was compared with the one that is there, and is the same (all recovered: "
                (all) ")."
            },
        )
    } else {
        (
            Grade::Warn,
            html! {
                (methods.len() - right) " of " (methods.len()) " methods did not find the tree that is there (all \
                    recovered: " (all) ")."
            },
        )
    }];
    let number = |key: &str, show: Show| of(contents, "discovery", key, show);
    let facts = vec![
        (
            "machines",
            number("machines", Show::Number),
            html! { "on " (number("switches", Show::Number)) " switches" },
        ),
        ("the whole run of the tool", number("total_s", Show::Number), html! { "s" }),
        ("measuring", number("rtt_share", Show::Share), html! { "of that" }),
        ("most samples", number("samples_most", Show::Number), html! { "of a pair" }),
        ("messages lost", number("messages_lost", Show::Number), html! {}),
    ];
    let columns = [
        words("Method"),
        numbers("Recovered", ""),
        numbers("No tree fits", ""),
        numbers("Wrong pairs", ""),
        numbers("Greatest error", "hops"),
        numbers("Switches", ""),
    ];
    let keys = ["recovered", "without_tree", "wrong_pairs", "hop_error_max", "switches"];
    let row = |(method, path, _): &(&str, String, &Value)| {
        let cells = keys.iter().map(|key| of(contents, path, key, Show::Number));
        std::iter::once(name(method)).chain(cells).collect::<Vec<Markup>>()
    };
    let rows: Vec<Vec<Markup>> = methods.iter().map(row).collect();
    let body = html! {
        h3 { "What was inferred" }
        (grid("Methods, and whether their tree is the one that is there", &columns, &rows))
    };
    Some(Summary { kind: Some("a discovery".to_owned()), sentences, facts, notices, body })
}
