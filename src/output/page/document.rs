//! The page as a whole: its head, its sections, its data and its scripts.
//!
//! # How a section is added
//! 1. A file `src/output/page/<id>.rs` with `pub(super) fn section(contents: &Contents) -> Option<Section>`; `None`
//!    where the folder has nothing for it. `mod <id>;` in `src/output/page.rs`, and its line in [`SECTIONS`] below, in
//!    reading order.
//! 2. [`Section::body`] is what stands in the section below its heading (an `h2`, made here): first `p.lead`, one or
//!    two sentences on what this shows and what came out in this run; its own headings begin with `h3`. It must make
//!    sense without scripts, and every drawing has a table that says the same.
//! 3. [`Section::script`], if any, is one file of `assets/`: `"use strict";` and
//!    `simnet.section("<id>", function (root, data) { ... })`, where `root` is the section's element and `data` is
//!    [`Section::data`]. It is run once, when the section is first shown, so what is measured there has a size. Scripts
//!    stand in one scope: everything of theirs is inside that function.
//! 4. [`Section::style`], if any, is a file of `assets/` too; every selector begins with `#<id>`.
//! 5. What cannot be shown is reported with [`Contents::complain`] on the summary page.
//!
//! The heads of `assets/common.js` and `assets/page.css` describe what they give to sections. A link of a report leads
//! only to places of its own, `#id`; to a section, `#<section>`, or `#<section>/<anything>`, which the section hears of
//! as an event `simnet:go` at its element with `detail` = `<anything>`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use simnet_base::diagnostics::{is_hidden, legible_lines};

use super::markup::shortened;
use super::{Contents, glossary};

/// A part of the report that the navigation names.
pub struct Section {
    /// Its anchor, lower case: `summary`, `curves`, `network`, `histograms`, `mapping`, `deadlocks`, `replay`,
    /// `tables`,
    /// `provenance`.
    pub id: &'static str,
    /// What the navigation calls it.
    pub title: &'static str,
    /// What it shows, also without scripts.
    pub body: Markup,
    /// What its script works on: `simnet.data[id]`.
    pub data: Option<Value>,
    /// Its script: calls `simnet.section(id, function (root, data) { ... })`, run when the section is first shown.
    pub script: Option<&'static str>,
    /// Its style.
    pub style: Option<&'static str>,
}

/// A report, made.
pub struct Page {
    /// The HTML document.
    pub html: String,
    /// The ids of its sections, in order.
    pub sections: Vec<&'static str>,
}

/// A maker of a section.
type Maker = fn(&Contents) -> Option<Section>;

/// All sections in the order in which the navigation has them, but for the summary, which is the first and made last:
/// it shows what the others complain of, and leads to them.
const SECTIONS: &[Maker] = &[
    // A line each, so that those who add one do not meet.
    super::sweep::section,
    super::curves::section,
    super::network::section,
    super::histograms::section,
    super::mapping::section,
    super::deadlocks::section,
    super::replay::section,
    super::tables::section,
    super::provenance::section,
];

const STYLE: &str = include_str!("assets/page.css");
const COMMON: &str = include_str!("assets/common.js");
/// Before anything is drawn: scripts run, so one section is shown at a time, in the colours that were chosen last.
const FIRST: &str = include_str!("assets/first.js");

/// What the page may load: nothing. Its own style and scripts stand in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; \
                      worker-src blob:; base-uri 'none'; form-action 'none'";

/// The most bytes of a page, if there is any way: mail and phones still take it.
pub(super) const MOST_BYTES: usize = 4_900_000;

/// The report of a results folder: one HTML document. The same bytes for the same folder. Where it would be larger than
/// 4.9 MB, sections show less, and say so.
pub fn page(contents: &Contents) -> Page {
    contents.within(|| made(contents), |page| page.html.len() <= MOST_BYTES)
}

fn made(contents: &Contents) -> Page {
    let others: Vec<Section> = SECTIONS.iter().filter_map(|make| make(contents)).collect();
    let mut sections = vec![super::summary::section(contents, &others)];
    sections.extend(others);
    document(contents.name(), &sections)
}

/// The document of some sections; what it is about stands at its top.
pub(super) fn document(name: &str, sections: &[Section]) -> Page {
    let title = match name {
        "" => "simnet report".to_owned(),
        name => format!("{} – simnet report", shortened(name)),
    };
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content={ "simnet " (crate::report::VERSION) };
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
                @for style in sections.iter().filter_map(|section| section.style) { style { (PreEscaped(style)) } }
                script { (PreEscaped(FIRST)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (header(name, sections))
                main #main tabindex="-1" { @for section in sections { (framed(section)) } }
                footer {
                    (glossary::list())
                    p { "Made by simnet " (crate::report::VERSION) " from the files of a results folder. \
                        This file needs no network and no other file." }
                }
                script #data type="application/json" { (PreEscaped(data(sections))) }
                script { (PreEscaped(COMMON)) }
                @for script in sections.iter().filter_map(|section| section.script) {
                    script { (PreEscaped(script)) }
                }
            }
        }
    };
    Page {
        html: legible_page(&html.into_string()),
        sections: sections.iter().map(|section| section.id).collect(),
    }
}

fn header(name: &str, sections: &[Section]) -> Markup {
    html! {
        header.top {
            h1.brand {
                bdi { @if name.is_empty() { "simnet report" } @else { (shortened(name)) } }
            }
            nav aria-label="Sections" {
                ul { @for section in sections { li { a href={ "#" (section.id) } { (section.title) } } } }
            }
            button #theme type="button" hidden { "Dark" }
        }
    }
}

fn framed(section: &Section) -> Markup {
    let heading = format!("{}-heading", section.id);
    html! {
        section.page #(section.id) aria-labelledby=(heading) data-section=(section.id) tabindex="-1" {
            h2 #(heading) { (section.title) }
            (glossary::explained(&section.body))
        }
    }
}

/// The page with hidden characters escaped: it is for reading. Only exact values, in `data-value`, have
/// them as references.
fn legible_page(html: &str) -> String {
    let exact = |value: &str| {
        value.chars().fold(String::new(), |mut text, c| {
            let _ = match is_hidden(c) {
                true => write!(text, "&#{};", u32::from(c)),
                false => text.write_char(c),
            };
            text
        })
    };
    let mut pieces = html.split(EXACT);
    let mut out = legible_lines(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let (value, rest) = piece.split_once('"').unwrap_or((piece, ""));
        out.extend([EXACT, &exact(value), "\"", &legible_lines(rest)]);
    }
    out
}

/// The prefix of the attribute that has the exact value.
const EXACT: &str = " data-value=\"";

/// The data of all sections, legible, as JSON that can stand in a script element: no `<` is left in it.
fn data(sections: &[Section]) -> String {
    let data: BTreeMap<&str, Value> = sections
        .iter()
        .filter_map(|section| Some((section.id, legible_value(section.data.as_ref()?))))
        .collect();
    serde_json::to_string(&data).expect("JSON values print").replace('<', "\\u003c")
}

/// A value whose texts have escapes for hidden characters: scripts show them as they are.
fn legible_value(value: &Value) -> Value {
    let text = |text: &str| legible_lines(text).into_owned();
    match value {
        Value::String(words) => Value::String(text(words)),
        Value::Array(list) => list.iter().map(legible_value).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| (text(key), legible_value(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_ends_no_script() {
        let hostile = json!({"</script>": "<!--\u{2028}"});
        let section = Section {
            id: "x",
            title: "X",
            body: html! {},
            data: Some(hostile.clone()),
            script: None,
            style: None,
        };
        let text = data(&[section]);
        assert!(!text.contains(['<', '\u{2028}']), "{text}");
        let legible = json!({"x": {"</script>": "<!--\\u{2028}"}});
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), legible);
    }

    /// Wrong if a hidden character stood in the page, or an exact value were not.
    #[test]
    fn pages_are_legible_and_exact_values_exact() {
        let html = "<p title=\"\u{1b}\" data-value=\"a\u{202e}b\">a\u{202e}b</p>\n";
        let wanted = "<p title=\"\\u{1b}\" data-value=\"a&#8238;b\">a\\u{202e}b</p>\n";
        assert_eq!(legible_page(html), wanted);
    }
}
