//! A folder of results or of generated source: it appears whole or not at all, and only ever replaces its like.
//!
//! ```text
//!   begin    the place is vacant, or what stands there is ours to the last entry
//!   add ..   files gather in `.simnet-<process>-<random>` next to the place
//!   finish   the same look again; then both are exchanged in one step; then the old files go, one by one
//! ```
//! Where the system cannot exchange two folders in one step (some network file systems), the old one is moved aside
//! first: a process that dies before the new one is in its place leaves the old one to [`super::clear_litter`], which
//! puts it back.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::temporary::{HeldFolder, folder_in};
use super::whole::sync_folder;
use super::{Inside, LARGEST, of_the_system, parent_of};
use crate::diagnostics::shown;

/// What folders of some kind are known by.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it is, as in "the results of an earlier run".
    pub what: &'static str,
    /// The file that says so.
    pub mark: &'static str,
    /// Reads from that file which other files the folder holds; `None` if it is no such file.
    pub listed: fn(&[u8]) -> Option<Listed>,
}

/// The files of a folder, by name; of one that is only ours as it was written, also the BLAKE3 of its bytes.
pub type Listed = BTreeMap<String, Option<blake3::Hash>>;

/// Why results cannot be put where they were wanted.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Something stands there that is not ours.
    #[error("{}: {why}; take it away or choose another --out", shown(&path))]
    Foreign {
        /// What is in the way.
        path: PathBuf,
        /// Why it is.
        why: String,
    },
    /// The system refused.
    #[error("{}: {error}", shown(&path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
}

/// A folder that is being written: its files gather next to its final place.
#[derive(Debug)]
pub struct Folder {
    place: PathBuf,
    kind: Kind,
    gathered: HeldFolder,
}

/// What stands where a folder is wanted.
enum Existing {
    /// Nothing, or an empty folder.
    Nothing,
    /// A folder of ours with these files.
    Ours(Vec<String>),
}

impl Folder {
    /// Starts a folder that will stand at `place`, whose parents are made if need be.
    ///
    /// # Errors
    /// If something else than an empty folder or its like stands there, or the system refuses.
    pub fn begin(place: &Path, kind: Kind) -> Result<Folder, FolderError> {
        kind.standing(place)?;
        let parent = parent_of(place);
        fs::create_dir_all(parent).map_err(|error| refused(parent, error))?;
        // A link to the folder stays a link, and `.` has a name.
        let place = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
        let gathered = folder_in(parent_of(&place)).map_err(|error| refused(parent_of(&place), error))?;
        Ok(Folder { place, kind, gathered })
    }

    /// Checks that a folder can be put at `place`, and leaves no trace of having tried.
    ///
    /// # Errors
    /// If something else than an empty folder or its like stands there, or the system would refuse.
    pub fn probe(place: &Path, kind: Kind) -> Result<(), FolderError> {
        kind.standing(place)?;
        let nearest = nearest_parent(place);
        folder_in(nearest).map(drop).map_err(|error| refused(nearest, error))
    }

    /// Adds a file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn add(&self, name: &str, contents: &str) -> Result<(), FolderError> {
        self.add_by(name, |out| out.write_all(contents.as_bytes()))
    }

    /// Adds a file that `fill` writes; gives what it gives.
    ///
    /// # Errors
    /// If `fill` fails, or the system refuses.
    pub fn add_by<T>(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn io::Write) -> io::Result<T>,
    ) -> Result<T, FolderError> {
        let path = self.path().join(name);
        let written = File::create_new(&path).and_then(|mut file| {
            let filled = fill(&mut file)?;
            file.sync_all()?;
            Ok(filled)
        });
        // The user never heard of where it gathers.
        written.map_err(|error| refused(&self.place.join(name), error))
    }

    /// The names of the files that were added so far, in order.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn names(&self) -> Result<Vec<String>, FolderError> {
        let of = |error| refused(&self.place, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path()).map_err(of)? {
            names.push(entry.map_err(of)?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Puts the folder in its place, instead of an earlier one.
    ///
    /// # Errors
    /// If something else has come to stand there, or the system refuses; what was there is then still there.
    pub fn finish(self) -> Result<(), FolderError> {
        let of = |error| refused(&self.place, error);
        open_to_all(self.path()).map_err(of)?;
        sync_folder(self.path());
        match self.kind.standing(&self.place)? {
            Existing::Nothing => fs::rename(self.path(), &self.place).map_err(of)?,
            Existing::Ours(names) => self.replace(&names)?,
        }
        sync_folder(parent_of(&self.place));
        // It has moved: there is nothing left to clean up.
        let _ = self.gathered.keep();
        Ok(())
    }

    fn path(&self) -> &Path {
        self.gathered.folder.path()
    }

    /// Exchanges the folder for the one that stands there, and removes the files that this is known to have had.
    fn replace(&self, names: &[String]) -> Result<(), FolderError> {
        let of = |error| refused(&self.place, error);
        let old = match exchange(self.path(), &self.place) {
            Ok(()) => self.path().to_owned(),
            Err(error) if is_unknown(&error) => return move_in(self.path(), &self.place, names).map_err(of),
            Err(error) => return Err(of(error)),
        };
        // The new one stands: what goes wrong from here on leaves leftovers at most.
        remove_or_show(&old, &self.place, names);
        Ok(())
    }
}

impl Kind {
    /// What stands at a place.
    ///
    /// # Errors
    /// [`FolderError::Foreign`] with the name of what is in the way, if a folder of this kind may not replace it.
    fn standing(self, place: &Path) -> Result<Existing, FolderError> {
        let entries = match fs::read_dir(place) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Existing::Nothing),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(in_the_way(place, "no folder".to_owned()));
            }
            entries => entries.map_err(|error| refused(place, error))?,
        };
        let entries = entries.collect::<io::Result<Vec<_>>>().map_err(|error| refused(place, error))?;
        if entries.is_empty() {
            return Ok(Existing::Nothing);
        }
        let listed = self.read_mark(place)?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            let ours = name.to_str().filter(|name| *name == self.mark || listed.contains_key(*name));
            let Some(name) = ours else {
                return Err(in_the_way(
                    &entry.path(),
                    format!("not of {}, which its {} lists", self.what, self.mark),
                ));
            };
            self.check_entry(&entry, listed.get(name).copied().flatten())?;
            names.push(name.to_owned());
        }
        names.sort_unstable();
        Ok(Existing::Ours(names))
    }

    /// What the folder's mark says that it holds.
    fn read_mark(self, place: &Path) -> Result<Listed, FolderError> {
        let text = Inside(place).read(self.mark, LARGEST);
        let listed = text.ok().and_then(|text| (self.listed)(&text));
        listed.ok_or_else(|| {
            in_the_way(place, format!("not {} (it has no {} that says so)", self.what, self.mark))
        })
    }

    /// Refuses an entry that has become something else, or whose bytes are no longer those that were written.
    fn check_entry(self, entry: &fs::DirEntry, wanted: Option<blake3::Hash>) -> Result<(), FolderError> {
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            return Err(in_the_way(&path, format!("not the file of {} that it was", self.what)));
        }
        let Some(wanted) = wanted else { return Ok(()) };
        let bytes = super::read(&path, LARGEST).map_err(|error| refused(&path, error))?;
        match blake3::hash(&bytes) == wanted {
            true => Ok(()),
            false => Err(in_the_way(&path, "changed since it was written".to_owned())),
        }
    }
}

/// Removes files of a folder, and the folder if nothing else is in it; what cannot be removed stays.
pub fn remove_listed(folder: &Path, names: &[String]) {
    for name in names {
        let _stays = fs::remove_file(folder.join(name));
    }
    let _stays = fs::remove_dir(folder);
}

/// Exchanges what two names stand for, in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_a: &Path, _b: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Whether the system or the file system does not know how to exchange.
fn is_unknown(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

/// Moves the folder at `place` aside and a new one there, in two steps. Who dies between them leaves the old one alone
/// in a folder that no process holds, under the name that it had.
fn move_in(new: &Path, place: &Path, names: &[String]) -> io::Result<()> {
    let aside = folder_in(parent_of(place))?;
    let name = place.file_name().ok_or(ErrorKind::InvalidInput)?;
    let old = aside.folder.path().join(name);
    fs::rename(place, &old)?;
    if let Err(error) = fs::rename(new, place) {
        fs::rename(&old, place)?;
        return Err(error);
    }
    remove_or_show(&old, place, names);
    Ok(())
}

/// Removes a folder that was replaced. If something was put into it at the last moment, it is given a name that
/// people see and that nothing clears away.
fn remove_or_show(old: &Path, place: &Path, names: &[String]) {
    remove_listed(old, names);
    if old.exists() {
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(format!(".kept-{}", std::process::id()));
        let _stays = fs::rename(old, place.with_file_name(name));
    }
}

/// The nearest folder above a place that is there.
pub fn nearest_parent(place: &Path) -> &Path {
    let parents = place.ancestors().skip(1);
    let mut there = parents.map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    there.find(|parent| parent.exists()).unwrap_or(Path::new("."))
}

/// Gives a folder the permissions of any other; temporary ones are made for their owner alone.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_all(_folder: &Path) -> io::Result<()> {
    Ok(())
}

fn in_the_way(path: &Path, why: String) -> FolderError {
    FolderError::Foreign { path: path.to_owned(), why }
}

fn refused(path: &Path, error: io::Error) -> FolderError {
    FolderError::Io { path: path.to_owned(), error: of_the_system(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "manifest.json";
    const KIND: Kind = Kind { what: "results", mark: MARK, listed };

    /// A list of names; `name=text` of a file that must be as it was written.
    fn listed(text: &[u8]) -> Option<Listed> {
        let names: Vec<String> = serde_json::from_slice(text).ok()?;
        let entry = |name: String| match name.split_once('=') {
            Some((name, text)) => (name.to_owned(), Some(blake3::hash(text.as_bytes()))),
            None => (name, None),
        };
        Some(names.into_iter().map(entry).collect())
    }

    fn entries(folder: &Path) -> Vec<String> {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Puts a folder with these files at a place.
    fn put(place: &Path, files: &[(&str, &str)]) -> Result<(), FolderError> {
        let folder = Folder::begin(place, KIND)?;
        files.iter().try_for_each(|(name, text)| folder.add(name, text))?;
        folder.finish()
    }

    /// Checks that a folder is refused, names what is in the way, and stays as it is.
    fn refuses(place: &Path, in_the_way: &str) {
        let before = entries(place);
        let refused = put(place, &[(MARK, "[]")]).unwrap_err().to_string();
        assert!(refused.contains(in_the_way), "{refused}");
        assert_eq!(entries(place), before);
        assert!(Folder::probe(place, KIND).is_err());
    }

    /// Wrong if a folder appeared before it was whole, or old files stayed, or anything else did.
    #[test]
    fn a_folder_appears_whole_and_replaces_its_like() {
        let room = tempfile::tempdir().unwrap();
        let place = room.path().join("results/a");
        let folder = Folder::begin(&place, KIND).unwrap();
        folder.add("one.csv", "1\n").unwrap();
        assert!(!place.exists());
        folder.add(MARK, "[\"one.csv\"]").unwrap();
        assert_eq!(folder.names().unwrap(), [MARK, "one.csv"]);
        folder.finish().unwrap();
        assert_eq!(entries(&place), [MARK, "one.csv"]);
        put(&place, &[(MARK, "[]")]).unwrap();
        assert_eq!(
            (entries(&place), entries(&room.path().join("results"))),
            (vec![MARK.into()], vec!["a".into()])
        );
    }

    /// Wrong if anything of a user's were in danger: a folder of another program's, notes among results, a file that
    /// became something else, source that was edited.
    #[test]
    fn what_is_not_ours_stays() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        for name in ["app", "mark", "notes", "kind", "edited", "link"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("app/manifest.json"), "{\"name\": \"my web app\"}").unwrap();
        refuses(&at("app"), "no manifest.json that says so");
        fs::create_dir(at("mark/manifest.json")).unwrap();
        refuses(&at("mark"), "no manifest.json that says so");
        for folder in ["notes", "kind", "edited"] {
            fs::write(at(folder).join(MARK), "[\"a.csv\", \"b.c=int b;\"]").unwrap();
            fs::write(at(folder).join("b.c"), "int b;").unwrap();
        }
        put(&at("edited"), &[(MARK, "[\"b.c=int b;\"]"), ("b.c", "int b;")]).unwrap();
        fs::write(at("edited/b.c"), "int b; // mine").unwrap();
        refuses(&at("edited"), "b.c: changed since");
        fs::write(at("notes/thesis.txt"), "dear").unwrap();
        refuses(&at("notes"), "thesis.txt");
        fs::create_dir(at("kind/a.csv")).unwrap();
        refuses(&at("kind"), "a.csv: not the file");
        fs::write(at("file"), "dear").unwrap();
        assert!(matches!(put(&at("file"), &[]), Err(FolderError::Foreign { .. })));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("file"), at("link/manifest.json")).unwrap();
            refuses(&at("link"), "no manifest.json that says so");
        }
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "dear");
    }

    /// Wrong if probing changed anything, or answered yes where there is no place.
    #[test]
    fn probing_leaves_nothing_behind() {
        let room = tempfile::tempdir().unwrap();
        Folder::probe(&room.path().join("results/deep/a"), KIND).unwrap();
        Folder::probe(room.path(), KIND).unwrap();
        assert!(entries(room.path()).is_empty());
        fs::write(room.path().join("thesis.txt"), "dear").unwrap();
        assert!(Folder::probe(&room.path().join("thesis.txt/a"), KIND).is_err());
        assert!(matches!(Folder::probe(room.path(), KIND), Err(FolderError::Foreign { .. })));
        assert_eq!(entries(room.path()), ["thesis.txt"]);
    }

    /// Wrong if a file that was put into the old folder at the last moment went with it.
    #[test]
    fn what_comes_at_the_last_moment_is_kept_where_people_see_it() {
        let room = tempfile::tempdir().unwrap();
        let (old, place) = (room.path().join(".simnet-1-aaaaaa"), room.path().join("results"));
        fs::create_dir(&old).unwrap();
        fs::write(old.join("a.csv"), "1").unwrap();
        fs::write(old.join("thesis.txt"), "dear").unwrap();
        remove_or_show(&old, &place, &["a.csv".to_owned()]);
        let kept = format!("results.kept-{}", std::process::id());
        assert_eq!(
            (entries(room.path()), entries(&room.path().join(&kept))),
            (vec![kept], vec!["thesis.txt".into()])
        );
    }

    /// Wrong if a system that cannot exchange folders lost the old one, or left something behind.
    #[test]
    fn two_steps_do_what_one_does() {
        let room = tempfile::tempdir().unwrap();
        let (place, new) = (room.path().join("results"), room.path().join("new"));
        put(&place, &[(MARK, "[\"a.csv\"]"), ("a.csv", "1")]).unwrap();
        fs::create_dir(&new).unwrap();
        fs::write(new.join("b.csv"), "2").unwrap();
        let names = [MARK.to_owned(), "a.csv".to_owned()];
        move_in(&new, &place, &names).unwrap();
        assert_eq!((entries(room.path()), entries(&place)), (vec!["results".into()], vec!["b.csv".into()]));
        // A new one that cannot be moved leaves the old one.
        assert!(move_in(&room.path().join("none"), &place, &[]).is_err());
        assert_eq!((entries(room.path()), entries(&place)), (vec!["results".into()], vec!["b.csv".into()]));
    }
}
