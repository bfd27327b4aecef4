//! What the report draws of a run, and the files that it draws from.

mod hosts;
mod network;
mod plots;

use std::fs;
use std::path::Path;

pub(super) use plots::{charts, rows};
use serde_json::Value;
use simnet::page::{self, Contents};
use simnet::scenario::{self, Overrides};
use simnet::simulation::{self, Run};

pub(super) fn run(text: &str) -> Run {
    let checked = scenario::read("test.toml", text.as_bytes(), &Overrides::default());
    let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
    simulation::run(&checked, &(), None).unwrap()
}

/// Writes what a run leaves, but for its manifest.
pub(super) fn write(folder: &Path, run: &Run) {
    for (name, contents) in &run.files {
        fs::write(folder.join(name), contents).unwrap();
    }
    fs::write(folder.join("summary.json"), serde_json::to_string(&run.summary).unwrap()).unwrap();
}

/// The report of a folder.
pub(super) fn report(folder: &Path) -> String {
    page::page(&Contents::read(folder).unwrap()).html
}

/// What the scripts of a section work on.
fn data(html: &str, section: &str) -> Value {
    let start = "<script id=\"data\" type=\"application/json\">";
    let from = html.find(start).expect("the data stand in the report") + start.len();
    let text = &html[from..from + html[from..].find("</script>").unwrap()];
    serde_json::from_str::<Value>(text).unwrap()[section].clone()
}

/// The first element of a name from a place on, with all that is in it.
pub(super) fn element<'a>(html: &'a str, begin: &str, end: &str) -> &'a str {
    let from = html.find(begin).unwrap_or_else(|| panic!("no {begin}"));
    &html[from..from + html[from..].find(end).unwrap() + end.len()]
}
