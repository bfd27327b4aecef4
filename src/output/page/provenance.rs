//! Where the results come from, and how to make them again.

use maud::{Markup, html};
use serde_json::Value;

use super::markup::{grid, name, numbers, words};
use super::{Contents, Section};
use simnet_base::numbers;

pub(super) fn section(contents: &Contents) -> Option<Section> {
    let manifest = &contents.manifest;
    let body = html! {
        p.lead {
            "Where these results come from, and how to make them again. "
            @if !manifest.is_null() { "The same scenario, seed and version give the same bytes on any machine." }
        }
        @if manifest.is_null() {
            p { "The folder has no manifest.json: which version made it, from what and where, is not known." }
        } @else {
            (facts(manifest))
        }
        (reproduce(contents))
        (inputs(contents))
        (files(contents))
        (papers(contents))
    };
    Some(Section {
        id: "provenance",
        title: "Provenance",
        body,
        data: None,
        script: None,
        style: Some(include_str!("assets/provenance.css")),
    })
}

/// A key of the manifest, what it is, and how it is shown.
type Fact = (&'static str, &'static str, fn(&Value) -> Option<String>);

const FACTS: [Fact; 18] = [
    ("version", "simnet", plain),
    ("commit", "Commit", plain),
    ("scenario", "Scenario", plain),
    ("scenario_hash", "Scenario's BLAKE3, all defaults and files resolved", plain),
    ("seed", "Seed", plain),
    ("sweep", "Sweep", plain),
    ("plan_hash", "Plan's BLAKE3", plain),
    ("model", "Version of the model", plain),
    ("points", "Points", plain),
    ("computed", "Points computed by this command", plain),
    ("failed", "Points that failed", plain),
    ("quick", "Small form", plain),
    ("host", "Machine", plain),
    ("wall_s", "Time it took", seconds),
    ("cpu_s", "Time of processors", seconds),
    ("max_rss_bytes", "Memory at most", size),
    ("events", "Events of fabrics", count),
    ("messages_delivered", "Messages delivered, warm-up included", count),
];

fn plain(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| super::value::exact(value))
}

fn seconds(value: &Value) -> Option<String> {
    value.as_f64().map(|seconds| numbers::time(seconds * 1e9))
}

fn size(value: &Value) -> Option<String> {
    value.as_u64().map(numbers::bytes)
}

fn count(value: &Value) -> Option<String> {
    value.as_f64().map(|count| numbers::number(count, 6))
}

fn facts(manifest: &Value) -> Markup {
    html! {
        dl.pairs { @for (key, what, shown) in FACTS {
            @if let Some(text) = manifest.get(key).and_then(shown) {
                dt { (what) }
                dd data-manifest=(key) { (name(&text)) }
            }
        } }
    }
}

/// The command that made the folder, as one would type it.
fn reproduce(contents: &Contents) -> Markup {
    let argv = contents.manifest.get("argv").and_then(Value::as_array);
    let Some(argv) = argv.filter(|argv| argv.len() > 1) else { return html! {} };
    let arguments = argv.iter().skip(1).map(|argument| quoted(argument.as_str().unwrap_or_default()));
    let command: Vec<String> = std::iter::once("simnet".to_owned()).chain(arguments).collect();
    html! {
        h3 { "How to make it again" }
        pre { code { (command.join(" ")) } }
        p { "from the folder in which it was given; files that the scenario names are looked up beside it." }
    }
}

/// An argument as a shell takes it.
pub(super) fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

/// What a sweep was read from.
fn inputs(contents: &Contents) -> Markup {
    let inputs = contents.sweep.get("inputs").and_then(Value::as_array);
    let Some(inputs) = inputs.filter(|inputs| !inputs.is_empty()) else { return html! {} };
    let row = |input: &Value| {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        vec![name(text("path")), name(text("copy")), html! { code { (text("blake3")) } }]
    };
    let rows: Vec<Vec<Markup>> = inputs.iter().take(500).map(row).collect();
    html! {
        h3 { "What it was read from" }
        (grid("Files that the sweep was read from, and their copies", &[words("File"), words("Copy"),
            words("BLAKE3")], &rows))
    }
}

/// The most files that are listed.
const MOST_FILES: usize = 1_000;

fn files(contents: &Contents) -> Markup {
    let row = |file: &super::FileEntry| {
        vec![
            name(&file.name),
            html! { span title={ (file.bytes) " bytes" } { (numbers::bytes(file.bytes)) } },
            html! { code { (file.blake3) } },
        ]
    };
    let rows: Vec<Vec<Markup>> = contents.files.iter().take(MOST_FILES).map(row).collect();
    let more = contents.files.len().saturating_sub(MOST_FILES);
    html! {
        h3 { "Files" }
        (grid("The files of the folder that this report was made of", &[words("File"), numbers("Size", ""),
            words("BLAKE3")], &rows))
        @if more > 0 { p.soft { (more) " more files are not listed." } }
    }
}

/// The papers that simnet reproduces: what a run of each is known by, and where it was printed.
const PAPERS: [(&str, &[&str], &str); 5] = [
    (
        "mainwaring1997",
        &["map", "operation"],
        "A. M. Mainwaring, B. N. Chun, S. Schleimer, D. S. Wilkerson: System Area Network Mapping. Proceedings \
            of the ninth \
         ACM Symposium on Parallel Algorithms and Architectures (SPAA), 1997.",
    ),
    (
        "sancho2000",
        &["route"],
        "J. C. Sancho, A. Robles: Improving the Up*/Down* Routing Scheme for Networks of Workstations. Euro-Par 2000.",
    ),
    ("hendriks2004", &[], "M. Hendriks: Fast Mapping on Myrinet Networks. 2004."),
    (
        "faraj2008",
        &["allgather", "rings"],
        "A. Faraj, P. Patarasuk, X. Yuan: Bandwidth Efficient All-to-All Broadcast on Switched Clusters. 2008.",
    ),
    (
        "lawrence2008",
        &["discovery"],
        "J. Lawrence, X. Yuan: An MPI Tool for Automatically Discovering the Switch Level Topologies of Ethernet \
            Clusters. 2008.",
    ),
];

/// The papers behind what was run, as plain text.
fn papers(contents: &Contents) -> Markup {
    let named = contents.name().to_lowercase();
    let cited: Vec<&str> = PAPERS
        .iter()
        .filter(|(id, keys, _)| named.starts_with(id) || keys.iter().any(|key| contents.at(key).is_some()))
        .map(|(.., citation)| *citation)
        .collect();
    html! {
        @if !cited.is_empty() {
            h3 { "Papers" }
            p { "What was run follows these:" }
            ul { @for citation in &cited { li { (citation) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        for (argument, text) in [("--quick", "--quick"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''")]
        {
            assert_eq!(quoted(argument), text);
        }
    }
}
