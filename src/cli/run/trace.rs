//! What a run records: `events.simlog` in its folder, and the file of `--trace`, put in its place whole.

use std::fs;
use std::io::{self, BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cli::output::is_written_as_it_is;
use crate::cli::trace::{Form, Selection, convert};
use crate::cli::{Failure, warn};
use crate::report::{Folder, FolderError, of_the_system};
use crate::scenario::Checked;
use crate::simulation;
use crate::trace::{Bounds, Reader, Recorder, Scene};

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

/// A trace that has only to be renamed.
pub(super) struct Ready {
    place: PathBuf,
    file: NamedTempFile,
}

impl Recorded {
    /// Prepares to record `checked` if it says so or `place` wants it.
    ///
    /// # Errors
    /// If no file can be put at `place`.
    pub(super) fn begin(place: Option<&Path>, checked: &Checked) -> Result<Recorded, Failure> {
        if let Some(place) = place {
            probe(place).map_err(|error| failed(place, error))?;
        }
        let events = checked.output.events.filter(|_| checked.has_events());
        let wanted = events.is_some() || place.is_some();
        let bounds = events.unwrap_or_default();
        let recorder = wanted.then(|| Recorder::new(simulation::heading(checked), bounds));
        Ok(Recorded { recorder, bounds, in_results: events.is_some(), place: place.map(Path::to_owned) })
    }

    /// Who records.
    pub(super) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Puts the log among the results, if they are to have one; tells of what it lacks.
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

    /// Writes the file of `--trace` beside its place, in the form that its name tells.
    ///
    /// # Errors
    /// If anything could not be written.
    pub(super) fn file(self) -> Result<Option<Ready>, Failure> {
        let (Some(recorder), Some(place)) = (&self.recorder, &self.place) else { return Ok(None) };
        let written = || -> Result<NamedTempFile, Failure> {
            let io = |error| failed(place, error);
            let mut file = beside_the_place(place).map_err(io)?;
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
            file.as_file().sync_all().map_err(io)?;
            self.complain(&place.display().to_string(), &scenes);
            Ok(file)
        };
        Ok(Some(Ready { file: written()?, place: place.clone() }))
    }

    /// Tells of scenes of which there was more than `most` events.
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

fn failed(place: &Path, error: io::Error) -> Failure {
    Failure::Io { path: place.display().to_string(), error: of_the_system(error) }
}

/// Checks that a file can be put at `place`.
fn probe(place: &Path) -> io::Result<()> {
    if place.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    tempfile::tempfile_in(beside(place)).map(|_| ())
}

impl Ready {
    /// Puts the trace in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn publish(mut self) -> Result<(), Failure> {
        let put = if is_written_as_it_is(&self.place) {
            // A pipe or a device is written to as it is.
            self.file.rewind().and_then(|()| {
                let mut out = fs::OpenOptions::new().write(true).open(&self.place)?;
                io::copy(self.file.as_file_mut(), &mut out)?;
                out.flush()
            })
        } else {
            self.file.persist(&self.place).map(|_| ()).map_err(|error| error.error)
        };
        put.map_err(|error| Failure::Io { path: self.place.display().to_string(), error })
    }
}

fn beside(place: &Path) -> &Path {
    // What is no plain file, such as a pipe, may stand where no file can.
    if is_written_as_it_is(place) {
        return Path::new(".");
    }
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file with the permissions of any other new file.
fn beside_the_place(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".simnet-").tempfile_in(beside(place))
}
