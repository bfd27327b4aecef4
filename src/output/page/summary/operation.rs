//! An operation: parts fail and return, and a daemon maps again under traffic.

use maud::{Markup, html};
use serde_json::Value;

use crate::page::Contents;
use crate::page::markup::{Grade, grid, name, numbers, words};
use crate::page::value::{Show, shown};

use super::{Summary, cut, entries, of};

pub(super) fn summary(contents: &Contents) -> Option<Summary> {
    contents.at("operation")?;
    let number = |path: &str| shown(contents, &format!("operation.{path}"), Show::Number);
    let lost = entries_of(contents);
    let sentences = vec![
        html! {
            "Parts of the network failed and returned " (entries(contents, "operation.events").len())
            " times; the daemon made " (number("maps.made")) " maps and put " (number("maps.adopted"))
            " to use, " (number("maps.correct")) " of them true."
        },
        html! {
            "Of " (number("created")) " messages " (number("delivered")) " arrived. Accepted traffic was "
            (number("throughput.before")) " payload flits per cycle and sender before the first failure, "
            (number("throughput.during")) " while anything was amiss, and " (number("throughput.after")) " after."
        },
    ];
    let mut notices = Vec::new();
    let wrong = contents.number("operation.maps.wrong").unwrap_or(0.0);
    let is_unused = contents.number("operation.maps.adopted") == Some(0.0);
    notices.push(if is_unused {
        (Grade::Warn, html! { "no map was put to use, so that none could be compared with the network." })
    } else if wrong > 0.0 {
        (
            Grade::Bad,
            html! { (number("maps.wrong")) " maps that were put to use were wrong, "
                (number("maps.wrong_and_sure"))
            " of them without a doubt." },
        )
    } else {
        (
            Grade::Good,
            html! { "every map that was put to use was compared with the network at that moment, and \
            was true." },
        )
    });
    if !lost.is_empty() {
        notices
            .push((Grade::Warn, html! { "messages were lost: " (crate::page::markup::listed(&lost)) "." }));
    }
    if contents.number("operation.deadlocks.formed").is_some_and(|formed| formed > 0.0) {
        notices.push((
            Grade::Warn,
            html! { (number("deadlocks.formed")) " deadlocks formed, " (number("deadlocks.while_mixed"))
            " of them while old and new routes mixed." },
        ));
    }
    let body = html! { h3 { "Failures and returns" } (notices_table(contents)) };
    let kind = Some("a network in operation".to_owned());
    Some(Summary { kind, sentences, notices, body, ..Summary::default() })
}

/// What messages were lost to.
fn entries_of(contents: &Contents) -> Vec<Markup> {
    let losses = super::members(contents, "operation.losses");
    let some = losses.iter().filter(|(_, _, count)| count.as_f64().is_some_and(|count| count > 0.0));
    some.map(|(why, path, _)| html! { (shown(contents, path, Show::Number)) " " (why) }).collect()
}

fn notices_table(contents: &Contents) -> Markup {
    let columns = [
        words("What happened"),
        numbers("At", ""),
        numbers("Noticed after", ""),
        words("By"),
        numbers("Mapped after", ""),
        numbers("Routed after", ""),
    ];
    let notices = entries(contents, "operation.notices");
    let (events, more) = cut(entries(contents, "operation.events"));
    let row = |(nth, (path, event)): (usize, &(String, &Value))| {
        let notice = notices.iter().find(|(_, notice)| notice["event"].as_u64() == Some(nth as u64));
        cells_of(contents, path, event, notice.map(|(path, _)| path.as_str()))
    };
    let rows: Vec<Vec<Markup>> = events.iter().enumerate().map(row).collect();
    html! { (grid("Each event, and how long after it was noticed, mapped and routed around", &columns, &rows)) (more) }
}

/// The cells of an event's row; `path` and `notice` are paths in the summary, of the event and of what followed on it.
fn cells_of(contents: &Contents, path: &str, event: &Value, notice: Option<&str>) -> Vec<Markup> {
    let of_notice = |key: &str, show| match notice {
        Some(path) => of(contents, path, key, show),
        None => html! { "–" },
    };
    vec![
        name(event["what"].as_str().unwrap_or_default()),
        of(contents, path, "at_ms", Show::Ms),
        of_notice("noticed_ms", Show::Ms),
        of_notice("noticed_by", Show::Number),
        of_notice("mapped_ms", Show::Ms),
        of_notice("routed_ms", Show::Ms),
    ]
}
