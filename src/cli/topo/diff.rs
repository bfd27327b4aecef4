//! `simnet topo diff A B`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::cli::network::ReadingArguments;
use crate::cli::output::{print, print_json};
use crate::cli::{Common, Exit, Failure, Format};
use simnet_base::diagnostics::{legible, shown};
use simnet_base::numbers::number;
use simnet_network::topology::{difference, isomorphism};

#[derive(Args)]
pub(in crate::cli) struct Options {
    /// The first network: a preset or a file
    a: PathBuf,
    /// The second network
    b: PathBuf,
    /// Let switches have other names and shifted ports: compare as a map with the truth
    #[arg(long)]
    up_to_ports: bool,
    #[command(flatten)]
    reading: ReadingArguments,
}

pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let (a, b) = (options.reading.load(&options.a)?, options.reading.load(&options.b)?);
    let equal = if options.up_to_ports {
        let found = isomorphism::difference(&a, &b);
        match common.format {
            Format::Json => print_json(&json!({"equal": found.is_none(), "difference": found}))?,
            Format::Human => print(&format!("{}\n", found.as_deref().unwrap_or("no difference")))?,
        }
        found.is_none()
    } else {
        let found = difference::between(&a, &b);
        match common.format {
            Format::Json => print_json(&json!({"equal": found.is_empty(), "difference": found}))?,
            Format::Human => print(&as_text(options, &found))?,
        }
        found.is_empty()
    };
    Ok(if equal { Exit::Fine } else { Exit::Expectation })
}

/// The most entries of a list that people are shown.
const MOST_SHOWN: usize = 20;

/// A list with its title; nothing for an empty one.
fn listed(title: &str, list: &[String]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let rows: String = list.iter().take(MOST_SHOWN).map(|row| format!("  {}\n", legible(row))).collect();
    let more = match list.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        more => format!("  and {} more; --format json has all\n", number(more as f64, 4)),
    };
    format!("{title}: {}\n{rows}{more}", number(list.len() as f64, 4))
}

fn as_text(options: &Options, found: &difference::Difference) -> String {
    if found.is_empty() {
        return "no difference\n".to_owned();
    }
    let only =
        |what: &str, file: &Path, list: &[String]| listed(&format!("{what} only in {}", shown(file)), list);
    let changed = listed("in both, but not alike", &found.changed);
    [
        only("nodes", &options.a, &found.nodes_only_in_a),
        only("nodes", &options.b, &found.nodes_only_in_b),
        only("cables", &options.a, &found.links_only_in_a),
        only("cables", &options.b, &found.links_only_in_b),
        changed,
    ]
    .concat()
}
