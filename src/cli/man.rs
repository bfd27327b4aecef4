//! `simnet man`: the command line's declaration as manual pages, one a verb.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;
use serde::Serialize;

use simnet_base::files::{Folder, Kind, Listed};
use simnet_output::report::utf8_text;

use super::output::{print, print_data, print_json};
use super::places::Places;
use super::{Cli, Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    /// The verb whose page is printed, as `topo show`; without it the page of simnet itself
    #[arg(value_name = "VERB", conflicts_with = "out")]
    verb: Vec<String>,
    /// Write all pages to this folder, which is new, empty, or as `man` wrote it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The page of simnet itself, whose first line lists the others.
const MARK: &str = "simnet.1";

/// What that line begins with: a comment in roff.
const COMMENT: &str = ".\\\" Written by simnet man, which replaces this folder:";

/// A folder of manual pages.
const PAGES: Kind = Kind { what: "manual pages that simnet man wrote", mark: MARK, listed };

/// What was written.
#[derive(Serialize)]
struct Written {
    folder: String,
    files: Vec<String>,
}

/// Prints one page, or writes all of them.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(out) = &options.out else {
        let page = page(find(&command, &options.verb)?);
        print_data(&page)?;
        return Ok(Exit::Fine);
    };
    Folder::probe(out, PAGES)?;
    Places::new().replaces("--out", out).check(common)?;
    let mut pages = BTreeMap::new();
    gather(&command, &mut pages);
    let files: Vec<String> = pages.keys().cloned().collect();
    let listed = format!("{COMMENT} {}\n", files.join(" "));
    pages.entry(MARK.to_owned()).and_modify(|page| page.insert_str(0, &listed));
    let folder = Folder::begin(out, PAGES)?;
    for (name, text) in &pages {
        folder.add(name, text)?;
    }
    folder.finish()?;
    let written = Written { folder: utf8_text(out.as_os_str()), files };
    match common.format {
        Format::Json => print_json(&written)?,
        Format::Human => print(&format!("{} pages in {}\n", written.files.len(), written.folder))?,
    }
    Ok(Exit::Fine)
}

/// The command of these words below `command`.
fn find<'a>(command: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    words.iter().try_fold(command, |command, word| {
        let missing = || Failure::Usage(format!("simnet has no verb `{}`", words.join(" ")));
        command.find_subcommand(word).ok_or_else(missing)
    })
}

/// Adds the pages of a command and of all below it, by the names of their files.
fn gather(command: &Command, pages: &mut BTreeMap<String, String>) {
    pages.insert(Man::new(command.clone()).get_filename(), page(command));
    command.get_subcommands().for_each(|below| gather(below, pages));
}

/// The page of a command, in roff.
fn page(command: &Command) -> String {
    let mut page = Vec::new();
    let source = format!("simnet {}", super::version());
    let written: io::Result<()> = Man::new(command.clone()).source(source).render(&mut page);
    written.expect("a vector takes all that is written to it");
    String::from_utf8_lossy(&page).into_owned()
}

/// What the first line of a page of simnet lists; `None` of another text.
fn listed(text: &[u8]) -> Option<Listed> {
    let text = str::from_utf8(text).ok()?;
    let names = text.lines().next()?.strip_prefix(COMMENT)?.split_whitespace();
    Some(names.filter(|name| *name != MARK).map(|name| (name.to_owned(), None)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a page that another program wrote were taken for ours, or one of ours did not list the others.
    #[test]
    fn only_our_own_page_lists_others() {
        let text = format!("{COMMENT} simnet-run.1 simnet.1\n.TH simnet 1\n");
        let names: Vec<String> = listed(text.as_bytes()).unwrap().into_keys().collect();
        assert_eq!(names, ["simnet-run.1"]);
        assert!(listed(b".TH simnet 1\n").is_none() && listed(b"\xff").is_none());
    }
}
