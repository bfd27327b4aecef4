//! `simnet report`: a folder of results as one HTML file.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use simnet_base::diagnostics::{legible_lines, shown};
use simnet_base::files;
use simnet_output::page::{Contents, Refused, page};
use simnet_output::report::utf8_text;

use super::output::{is_stdout, print, print_data, print_json, write_whole};
use super::places::{Places, is_same_file};
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    /// The folder that `simnet run` or `simnet sweep run` left
    #[arg(value_name = "DIR")]
    folder: PathBuf,
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
    let mut contents = Contents::read(&options.folder)?;
    if let Some(log) = &options.trace {
        files::open(log).map_err(|error| io(log, error))?;
        contents.events = Some(log.clone());
    }
    options.places(&contents).check(common)?;
    options.refuse_results()?;
    let made = page(&contents);
    match to_stdout {
        true => print_data(&legible_lines(&made.html)),
        false => write_whole(&options.out, &made.html),
    }?;
    let complaints = contents.complaints();
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
    fn places(&self, contents: &Contents) -> Places {
        let files = contents.files.iter().map(|file| self.folder.join(&file.name));
        let read = files.chain(self.trace.clone());
        let places = read.fold(Places::new(), |places, file| places.reads("one of the results", file));
        places.writes("--out", Some(&self.out))
    }

    /// Refuses to put the report among the results under a name by which it would be taken for one of them.
    fn refuse_results(&self) -> Result<(), Failure> {
        let is_page = self.out.extension().is_some_and(|extension| extension == "html");
        if is_stdout(&self.out) || is_page || !is_same_file(files::parent_of(&self.out), &self.folder) {
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
