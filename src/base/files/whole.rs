//! Files that appear whole or not at all: they are written next to their place, are synced and renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

use super::ours::begins_like_ours;
use super::temporary::file_in;
use super::{of_the_system, parent_of};

/// Why a file was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// Something stands there that simnet did not write.
    #[error("it is there, and does not begin as files of simnet do: take it away or choose another name")]
    Foreign,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A file in the making.
#[derive(Debug)]
pub struct NewFile {
    place: PathBuf,
    making: Making,
}

#[derive(Debug)]
enum Making {
    /// It will be renamed to its place.
    Temporary(NamedTempFile),
    /// It will be copied to what stands there, such as a pipe.
    Apart(File),
}

impl NewFile {
    /// Starts a file that will stand at `place`.
    ///
    /// # Errors
    /// If something else than a file of simnet's stands there, or the system refuses.
    pub fn begin(place: &Path) -> Result<NewFile, WriteError> {
        let place = behind_links(place);
        vacant(&place)?;
        let making = match is_written_as_it_is(&place) {
            true => Making::Apart(tempfile::tempfile()?),
            false => Making::Temporary(file_in(parent_of(&place)).map_err(of_the_system)?),
        };
        Ok(NewFile { place, making })
    }

    /// The file, to be written to.
    pub fn as_file_mut(&mut self) -> &mut File {
        match &mut self.making {
            Making::Temporary(file) => file.as_file_mut(),
            Making::Apart(file) => file,
        }
    }

    /// Makes what was written last.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn sync(&mut self) -> io::Result<()> {
        self.as_file_mut().sync_all().map_err(of_the_system)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If the system refuses; what was there is then untouched.
    pub fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        match self.making {
            Making::Temporary(file) => {
                file.persist(&self.place).map_err(|error| error.error)?;
                sync_folder(parent_of(&self.place));
                Ok(())
            }
            Making::Apart(mut file) => {
                file.rewind()?;
                let mut out = OpenOptions::new().write(true).open(&self.place)?;
                io::copy(&mut file, &mut out)?;
                out.flush()
            }
        }
    }
}

/// Writes a file whole or not at all. An existing special file, such as a pipe, is written to in place.
///
/// # Errors
/// If something else than a file of simnet's stands there, or the system refuses; what was there is then untouched.
pub fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    if is_written_as_it_is(path) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        fill(&mut out)?;
        return Ok(out.flush()?);
    }
    let mut file = NewFile::begin(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, file.as_file_mut());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    Ok(file.finish()?)
}

/// Whether a file is written to as it is: a pipe, a device, or what stands for one, such as `/dev/stdout`. To put a new
/// file in its place would take it from everybody.
pub fn is_written_as_it_is(path: &Path) -> bool {
    let is_systems = path.starts_with("/dev") || path.starts_with("/proc");
    fs::metadata(path)
        .is_ok_and(|there| (!there.is_file() && !there.is_dir()) || (is_systems && !there.is_dir()))
}

/// Makes new names in a folder last as long as what they name, where the system can.
pub fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Checks that a file may be put at a place.
fn vacant(place: &Path) -> Result<(), WriteError> {
    match fs::metadata(place) {
        Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
        Ok(there) if there.is_file() && there.len() > 0 => match begins_like_ours(place)? {
            true => Ok(()),
            false => Err(WriteError::Foreign),
        },
        // Whatever else is there, or is not, is found when the file is put there.
        _ => Ok(()),
    }
}

/// The file that a link leads to, be it there or not: the link stays. A path that is no link stays as it is, and so
/// does one of links that lead round in a circle, or to what has no name, as a pipe behind `/dev/stderr`.
pub fn behind_links(place: &Path) -> PathBuf {
    if !super::is_link(place) {
        return place.to_owned();
    }
    if place.exists() {
        return fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    }
    let mut at = place.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&at) else { return at };
        at = at.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    place.to_owned()
}

/// Links behind each other that are followed; Linux follows as many.
const MOST_LINKS: usize = 40;
