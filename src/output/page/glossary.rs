//! The words of the field, explained where a page first uses them.
//!
//! Their meanings are those of the glossary in docs/ARCHITECTURE.md, and stand nowhere else. A word is explained where
//! it is pointed at, focused or tapped, and in a list below every page, which needs no script.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};

const ARCHITECTURE: &str = include_str!("../../../docs/ARCHITECTURE.md");

/// A word of the glossary, and its forms in running text.
type Word = (&'static str, &'static [&'static str]);

/// The words that are explained.
const WORDS: [Word; 14] = [
    ("worm", &["worm", "worms", "Worms"]),
    ("flit", &["flit", "flits"]),
    ("channel", &["channel", "channels"]),
    ("cable", &["cable", "cables", "Cables"]),
    ("stop/go", &["STOP"]),
    ("deadlock", &["deadlock", "deadlocks", "Deadlock", "Deadlocks"]),
    ("forward reset", &["forward reset", "forward resets", "Forward resets"]),
    ("route", &["route", "routes", "Routes"]),
    ("host", &["host", "hosts", "Hosts"]),
    ("switch", &["switch", "switches", "Switches"]),
    ("message", &["message", "messages", "Messages"]),
    ("load", &["load", "loads"]),
    ("latency", &["latency", "latencies", "Latency"]),
    ("load point", &["load point", "load points"]),
];

/// Elements in which nothing is explained: names and numbers, what is pressed, and headings.
const SILENT: [&str; 18] = [
    "a", "abbr", "bdi", "button", "code", "h2", "h3", "h4", "label", "noscript", "option", "pre", "script",
    "select", "style", "summary", "svg", "th",
];

/// What the glossary says of a word, as plain text.
fn meaning(word: &str) -> String {
    let row = ARCHITECTURE.lines().find_map(|line| line.strip_prefix(&format!("| {word} | ")));
    row.and_then(|row| row.split(" |").next()).unwrap_or_default().replace('`', "")
}

/// The list of all words with their meanings.
pub(super) fn list() -> Markup {
    html! {
        details #words {
            summary { "The words of this page" }
            dl.pairs { @for (word, forms) in WORDS {
                dt data-forms=(forms.join("|")) { (word) }
                dd { (meaning(word)) }
            } }
        }
    }
}

/// A piece of markup in which each word is explained where it stands first in running text.
pub(super) fn explained(markup: &Markup) -> Markup {
    let mut words: Vec<Word> = WORDS.to_vec();
    let mut silent: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(markup.0.len() + 2_000);
    let mut rest = markup.0.as_str();
    while let Some((text, tag, after)) = next_tag(rest) {
        add(&mut out, text, silent.is_empty(), &mut words);
        let _ = write!(out, "<{tag}>");
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        match (SILENT.contains(&name), tag.starts_with('/')) {
            (true, false) => silent.push(name),
            (true, true) if silent.last() == Some(&name) => _ = silent.pop(),
            _ => {}
        }
        rest = after;
    }
    add(&mut out, rest, silent.is_empty(), &mut words);
    PreEscaped(out)
}

/// The text up to the next tag, the tag without its brackets, and what follows. No attribute holds a bracket: they are
/// escaped.
fn next_tag(markup: &str) -> Option<(&str, &str, &str)> {
    let (text, after) = markup.split_once('<')?;
    let (tag, after) = after.split_once('>')?;
    Some((text, tag, after))
}

/// Adds a text, with its words explained that have not been.
fn add(out: &mut String, text: &str, speaks: bool, words: &mut Vec<Word>) {
    let mut rest = text;
    while speaks && let Some((at, form, nth)) = first_word(rest, words) {
        let (word, _) = words.remove(nth);
        let abbr = html! { abbr.word tabindex="0" title=(meaning(word)) { (form) } };
        out.extend([&rest[..at], &abbr.0]);
        rest = &rest[at + form.len()..];
    }
    out.push_str(rest);
}

/// The first of these words in a text: where it stands, its form there, and which it is. The longest of those that
/// begin at the same place.
fn first_word<'w>(text: &str, words: &[Word]) -> Option<(usize, &'w str, usize)> {
    let forms =
        words.iter().enumerate().flat_map(|(nth, (_, forms))| forms.iter().map(move |form| (nth, *form)));
    let found = forms.filter_map(|(nth, form)| Some((whole_word(text, form)?, form, nth)));
    found.min_by_key(|(at, form, _)| (*at, usize::MAX - form.len()))
}

/// Where a word stands in a text by itself, and not as a part of another or of a name.
fn whole_word(text: &str, word: &str) -> Option<usize> {
    let joins = |letter: char| letter.is_alphanumeric() || "-_/&".contains(letter);
    let stands_alone = |at: usize| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        !before.is_some_and(|letter| joins(letter) || letter == '.') && !after.is_some_and(joins)
    };
    text.match_indices(word).map(|(at, _)| at).find(|at| stands_alone(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the glossary lost a word that pages explain, or explained one by itself.
    #[test]
    fn every_word_has_a_meaning() {
        for (word, forms) in WORDS {
            let meaning = meaning(word);
            assert!(meaning.len() > 15 && !meaning.contains('|') && meaning != word, "{word}: {meaning}");
            assert!(!forms.is_empty());
        }
        assert!(meaning("flit").starts_with("the unit of flow control"));
    }

    /// Wrong if a word were explained twice, inside of a name, a tag or a number, or as a part of another word.
    #[test]
    fn a_word_is_explained_where_it_stands_first() {
        let markup = html! {
            p title="worm" { "A " bdi { "worm" } " and bookworms, hot-load: a worm of flits. Worms again." }
            p { code { "latency" } " 7 routes" }
        };
        let text = explained(&markup).into_string();
        assert_eq!(text.matches("<abbr").count(), 3, "{text}");
        assert!(text.contains("<bdi>worm</bdi>") && text.contains("bookworms, hot-load: a <abbr"), "{text}");
        assert!(text.contains(">flits</abbr>. Worms again"), "{text}");
        let plain = |markup: &str| -> String {
            markup.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
        };
        assert_eq!(plain(&text), plain(&markup.0));
    }
}
