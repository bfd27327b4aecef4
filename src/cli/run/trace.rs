//! The file of `--trace`: gathered out of sight, one load point at a time, and put in its place whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use crate::cli::Failure;
use crate::scenario::Checked;
use crate::simulation::watch::{EventLog, Logged, Names, Watch};

/// How many events of a load point are kept.
pub(super) const MOST_EVENTS: u64 = 1_000_000;

/// A trace in the making.
pub(super) struct TraceFile<'a> {
    place: PathBuf,
    names: Names<'a>,
    /// By position of the load point. The files have no name: they are gone when this process is.
    points: Mutex<Vec<(usize, Logged<BufWriter<File>>)>>,
}

/// A trace that has only to be renamed.
pub(super) struct Ready {
    place: PathBuf,
    file: NamedTempFile,
    /// Load points that had more events than the trace has room for.
    pub(super) full: Vec<usize>,
}

impl<'a> TraceFile<'a> {
    /// A trace of the points of `checked` that is going to stand at `place`.
    ///
    /// # Errors
    /// If no file can be put there.
    pub(super) fn begin(place: &Path, checked: &'a Checked) -> Result<TraceFile<'a>, Failure> {
        let trace =
            TraceFile { place: place.to_owned(), names: Names::new(checked), points: Mutex::new(Vec::new()) };
        if place.is_dir() {
            return Err(trace.failed(io::ErrorKind::IsADirectory.into()));
        }
        tempfile::tempfile_in(beside(place)).map_err(|error| trace.failed(error))?;
        Ok(trace)
    }

    fn failed(&self, error: io::Error) -> Failure {
        Failure::Io { path: self.place.display().to_string(), error }
    }

    /// Joins the points, in their order, in a file beside the place.
    ///
    /// # Errors
    /// If anything could not be written.
    pub(super) fn join(self) -> Result<Ready, Failure> {
        let mut points = std::mem::take(&mut *self.points.lock().expect("no watcher panics"));
        points.sort_by_key(|(point, _)| *point);
        let full = points.iter().filter(|(_, log)| log.is_full).map(|(point, _)| *point).collect();
        let joined = || -> io::Result<NamedTempFile> {
            let mut file = beside_the_place(&self.place)?;
            for (_, log) in points {
                let mut spool = log.out?.into_inner().map_err(io::IntoInnerError::into_error)?;
                spool.rewind()?;
                io::copy(&mut spool, file.as_file_mut())?;
            }
            file.as_file().sync_all()?;
            Ok(file)
        };
        match joined() {
            Ok(file) => Ok(Ready { place: self.place, file, full }),
            Err(error) => Err(self.failed(error)),
        }
    }
}

impl Ready {
    /// Puts the trace in its place.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn publish(mut self) -> Result<(), Failure> {
        let is_special = fs::metadata(&self.place).is_ok_and(|there| !there.is_file());
        let put = if is_special {
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

impl<'a> Watch for TraceFile<'a> {
    type Eye = EventLog<'a, BufWriter<File>>;

    fn open(&self, point: usize) -> Self::Eye {
        let spool = tempfile::tempfile_in(beside(&self.place)).map(BufWriter::new);
        EventLog::new(self.names, point, MOST_EVENTS, spool)
    }

    fn close(&self, point: usize, eye: Self::Eye) {
        self.points.lock().expect("no watcher panics").push((point, eye.finish()));
    }
}

fn beside(place: &Path) -> &Path {
    // What is no plain file, such as a pipe, may stand where no file can.
    if fs::metadata(place).is_ok_and(|there| !there.is_file()) {
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
