//! `simnet codegen`: source text for machines that exist.

mod allgather;
mod rtt;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use simnet_base::files::Folder;
use simnet_output::codegen::{Prefix, SOURCE, Source, manifest};
use simnet_output::report::utf8_text;

use super::places::Places;
use super::{Common, Exit, Failure};

#[derive(Subcommand)]
pub(super) enum Action {
    /// Write an MPI_Allgather in C with a contention-free ring built in
    Allgather(Box<allgather::Options>),
    /// Write a program in C and MPI that measures round-trip times for `simnet discover`
    Rtt(rtt::Options),
}

/// Where source text goes, and what it is called.
#[derive(Args)]
struct Place {
    /// Where to write; the folder is new, empty, or as `codegen` wrote it (`make clean` takes away what `make` made)
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the names of files, functions and macros begin with
    #[arg(long, value_name = "PREFIX", default_value = "simnet")]
    name: String,
}

/// Writes the requested files.
pub(super) fn run(action: &Action, common: &Common) -> Result<Exit, Failure> {
    match action {
        Action::Allgather(options) => allgather::run(options, common),
        Action::Rtt(options) => rtt::run(options, common),
    }
}

impl Place {
    /// The requested prefix.
    ///
    /// # Errors
    /// [`Failure::Usage`] if C does not take it.
    fn prefix(&self) -> Result<Prefix, Failure> {
        Prefix::new(&self.name).map_err(|error| Failure::Usage(format!("`--name {}`: {error}", self.name)))
    }

    /// The folder, as it is named.
    fn name(&self) -> String {
        utf8_text(self.out.as_os_str())
    }

    /// Writes the folder, whole or not at all; gives the names of the files except the manifest. `places` has what was
    /// read for it.
    ///
    /// # Errors
    /// If something else than an empty folder or its like stands there, or the system refuses.
    fn write(&self, files: Vec<Source>, places: Places, common: &Common) -> Result<Vec<String>, Failure> {
        Folder::probe(&self.out, SOURCE)?;
        places.replaces("--out", &self.out).check(common)?;
        let folder = Folder::begin(&self.out, SOURCE)?;
        for file in files.iter().chain([&manifest(crate::cli::COMMIT, &files)]) {
            folder.add(&file.name, &file.text)?;
        }
        folder.finish()?;
        Ok(files.into_iter().map(|file| file.name).collect())
    }
}
