//! `simnet report`: a folder of results as one HTML file, or several with their replays side by side.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use simnet_base::diagnostics::{legible_lines, shown};
use simnet_base::files;
use simnet_output::page::{Contents, Refused, page, side_by_side};
use simnet_output::report::utf8_text;

use super::output::{is_stdout, print, print_data, print_json, write_whole};
use super::places::{Places, is_same_file};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    /// The folder that `simnet run` or `simnet sweep run` left; of several, the replays on one page, a run
    /// NAME-SOMETHING at the side of NAME
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Where the report goes; - for stdout
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// The event log to replay, where it is not events.simlog of the folder
    #[arg(long, value_name = "LOG")]
    trace: Option<PathBuf>,
}

/// What was made.
#[derive(Serialize)]
struct Made<'a> {
    path: String,
    bytes: usize,
    sections: &'a [&'static str],
    complaints: &'a [String],
}

/// Writes the report; exit code 3 where not everything of the folder could be shown.
pub(super) fn run(options: &Options, common: &Common) -> Result<Exit, Failure> {
    let to_stdout = is_stdout(&options.out);
    if to_stdout && common.format == Format::Json {
        let message = "--out - sends the page to stdout, where --format json has its object: name a file";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut all =
        options.folders.iter().map(|folder| Contents::read(folder)).collect::<Result<Vec<_>, _>>()?;
    if let Some(log) = &options.trace {
        let [only] = &mut all[..] else {
            let message = "--trace is the log of one run: with several folders each has its own, or none";
            return Err(Failure::Usage(message.to_owned()));
        };
        files::open(log).map_err(|error| io(log, error))?;
        only.events = Some(log.clone());
    }
    options.places(&all).check(common)?;
    options.refuse_results()?;
    let made = match &all[..] {
        [only] => page(only),
        all => side_by_side(all),
    };
    match to_stdout {
        true => print_data(&legible_lines(&made.html)),
        false => write_whole(&options.out, &made.html),
    }?;
    let complaints: Vec<String> = all.iter().flat_map(Contents::complaints).collect();
    complaints.iter().for_each(|complaint| super::complain(complaint));
    match common.format {
        Format::Human if to_stdout => {}
        Format::Human => print(&format!("{}\n", shown(&options.out)))?,
        Format::Json => print_json(&Made {
            path: utf8_text(options.out.as_os_str()),
            bytes: made.html.len(),
            sections: &made.sections,
            complaints: &complaints,
        })?,
    }
    Ok(if complaints.is_empty() { Exit::Fine } else { Exit::BadInput })
}

impl Options {
    /// What the report is made of, and where it goes.
    fn places(&self, all: &[Contents]) -> Places {
        let of_folder = |contents: &Contents| -> Vec<PathBuf> {
            contents.files.iter().map(|file| contents.folder.join(&file.name)).collect()
        };
        let files = all.iter().flat_map(of_folder);
        let read = files.chain(self.trace.clone());
        let places = read.fold(Places::new(), |places, file| places.reads("one of the results", file));
        places.writes("--out", Some(&self.out))
    }

    /// Refuses to put the report among the results under a name by which it would be taken for one of them.
    fn refuse_results(&self) -> Result<(), Failure> {
        let is_page = self.out.extension().is_some_and(|extension| extension == "html");
        let parent = files::parent_of(&self.out);
        if is_stdout(&self.out) || is_page || !self.folders.iter().any(|folder| is_same_file(parent, folder))
        {
            return Ok(());
        }
        let message =
            "--out names a place among the results themselves; a report there is called something.html";
        Err(Failure::Usage(message.to_owned()))
    }
}

fn io(path: &Path, error: std::io::Error) -> Failure {
    Failure::Io { path: shown(&path).to_string(), error }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        match refused {
            Refused::Io { path, error } => io(&path, error),
            foreign @ Refused::Foreign { .. } => Failure::Scenario(foreign.to_string()),
        }
    }
}
