//! What a run records: `events.simlog` in its folder, and the file of `--trace`, put in its place whole.

use std::io::{self, BufReader, BufWriter, Seek as _};
use std::path::{Path, PathBuf};

use crate::cli::output;
use crate::cli::trace::{Form, Selection, convert};
use crate::cli::{Failure, warn};
use simnet_base::diagnostics::shown;
use simnet_base::files::{Folder, FolderError, NewFile, WriteError};
use simnet_media::trace::{Bounds, Reader, Recorder, Scene};
use simnet_running::simulation;
use simnet_scenario::Checked;

/// The log in a results folder.
const LOG: &str = "events.simlog";

/// What is recorded of a run, if anything is.
pub(super) struct Recorded {
    recorder: Option<Recorder>,
    bounds: Bounds,
    /// Whether the results are to hold the log.
    in_results: bool,
    /// Where `--trace` wants it.
    place: Option<PathBuf>,
}

impl Recorded {
    /// Prepares to record `checked` if it says so or `place` wants it.
    pub(super) fn begin(place: Option<&Path>, checked: &Checked) -> Recorded {
        let events = checked.output.events.filter(|_| checked.has_events());
        let wanted = events.is_some() || place.is_some();
        let bounds = events.unwrap_or_default();
        let recorder = wanted.then(|| Recorder::new(simulation::heading(checked), bounds));
        Recorded { recorder, bounds, in_results: events.is_some(), place: place.map(Path::to_owned) }
    }

    /// Who records.
    pub(super) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Puts the log among the results, if they are to have one; prints what it lacks.
    ///
    /// # Errors
    /// If it could not be written.
    pub(super) fn add_log(&self, folder: &Folder) -> Result<(), FolderError> {
        if let Some(recorder) = self.recorder.as_ref().filter(|_| self.in_results) {
            let scenes = folder.add_by(LOG, |out| recorder.write_log(out))?;
            if self.place.is_none() {
                self.complain(LOG, &scenes);
            }
        }
        Ok(())
    }

    /// Writes the file of `--trace` to a temporary file, in the form that its name gives; what is left is to finish it.
    ///
    /// # Errors
    /// If anything could not be written.
    pub(super) fn file(self) -> Result<Option<(NewFile, PathBuf)>, Failure> {
        let (Some(recorder), Some(place)) = (&self.recorder, &self.place) else { return Ok(None) };
        let io = |error: io::Error| failed(place, error);
        let mut file = NewFile::begin(place).map_err(|error| failed(place, error))?;
        let scenes = match Form::of_name(place) {
            Form::Log => recorder.write_log(file.as_file_mut()).map_err(io)?,
            form => {
                let mut log = tempfile::tempfile().map_err(io)?;
                let scenes = recorder.write_log(&mut log).map_err(io)?;
                log.rewind().map_err(io)?;
                let mut reader = Reader::new("the recorded events", Box::new(BufReader::new(log)))?;
                let out = BufWriter::new(file.as_file_mut());
                let sink = form.sink(out, reader.heading()).map_err(io)?;
                let converted = convert(&mut reader, &mut Selection::all(), sink);
                converted.result.map_err(io)?;
                converted.damage.map_or(Ok(()), Err)?;
                scenes
            }
        };
        file.sync().map_err(io)?;
        self.complain(&shown(&place).to_string(), &scenes);
        Ok(Some((file, place.clone())))
    }

    /// Prints the scenes that had more than `most` events.
    fn complain(&self, file: &str, scenes: &[Scene]) {
        if self.bounds.around_deadlock {
            return;
        }
        let ends =
            |scene: &&Scene| scene.until.is_some_and(|end| self.bounds.until.is_none_or(|until| end < until));
        for scene in scenes.iter().filter(ends) {
            let name = match scene.point {
                Some(point) => format!("point {point}"),
                None => format!("the {}", scene.kind),
            };
            let (most, left_out) = (self.bounds.most, scene.left_out);
            warn(&format!("{file} holds the first {most} events of {name} only: {left_out} are left out"));
        }
    }
}

fn failed(place: &Path, error: impl Into<WriteError>) -> Failure {
    output::failed(place, error.into())
}
