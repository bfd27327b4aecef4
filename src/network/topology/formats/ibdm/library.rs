//! The `.ibnl` files that can be found, by the types of systems that they describe.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use simnet_base::diagnostics::{Fault, Faults, quoted, shown};
use simnet_base::files;

use super::ibnl::{self, Description};
use super::system::{self, Boards, System, Unbuilt};

/// The largest such file, bytes; ibdm's own have less than 100 kB.
const LARGEST: u64 = 1 << 24;
/// The folder beside a topology file that is looked into after its own.
const FOLDER: &str = "ibnl";

/// The files, and what was read of them.
#[derive(Default)]
pub(super) struct Library {
    /// The folders that were looked into.
    places: Vec<PathBuf>,
    files: Vec<(PathBuf, String)>,
    /// By type, the file.
    by_type: BTreeMap<String, usize>,
    descriptions: BTreeMap<usize, Rc<Description>>,
    /// Systems as they come, by type.
    plain: BTreeMap<String, Rc<System>>,
}

impl Library {
    /// The files beside a topology file in `folder`; of a text from nowhere there are none.
    pub(super) fn of(folder: Option<&Path>) -> Library {
        let mut library = Library::default();
        for place in folder.into_iter().flat_map(|folder| [folder.to_owned(), folder.join(FOLDER)]) {
            library.look_into(&place);
            library.places.push(place);
        }
        library
    }

    fn look_into(&mut self, place: &Path) {
        let Ok(entries) =
            std::fs::read_dir(if place.as_os_str().is_empty() { Path::new(".") } else { place })
        else {
            return;
        };
        let paths = entries.filter_map(|entry| Some(place.join(entry.ok()?.file_name())));
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|e| e == "ibnl")).collect();
        paths.sort();
        for path in paths {
            // One that cannot be read may be none that is asked for; if it is, its type is missing.
            let Ok(bytes) = files::read(&path, LARGEST) else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            for kind in ibnl::types(&text) {
                self.by_type.entry(kind.to_owned()).or_insert(self.files.len());
            }
            self.files.push((path, text));
        }
    }

    /// The system of a type, its boards as they are set; `None` where no file has the type, and faults where the boards
    /// are none of its own.
    ///
    /// # Errors
    /// The faults of the file that describes it.
    #[expect(clippy::type_complexity, reason = "nothing, faults of the topology file, or faults of another")]
    pub(super) fn system(
        &mut self,
        kind: &str,
        boards: &Boards,
    ) -> Result<Option<Result<Rc<System>, Vec<Fault>>>, Box<Faults>> {
        if boards.is_empty()
            && let Some(known) = self.plain.get(kind)
        {
            return Ok(Some(Ok(known.clone())));
        }
        let Some(&file) = self.by_type.get(kind) else { return Ok(None) };
        let description = self.description(file)?;
        match system::build(&description, boards) {
            Ok(system) => {
                let system = Rc::new(system);
                if boards.is_empty() {
                    self.plain.insert(kind.to_owned(), system.clone());
                }
                Ok(Some(Ok(system)))
            }
            Err(Unbuilt::Boards(faults)) => Ok(Some(Err(faults))),
            Err(Unbuilt::Description(faults)) => Err(self.faulty(file, faults)),
        }
    }

    fn description(&mut self, file: usize) -> Result<Rc<Description>, Box<Faults>> {
        if let Some(known) = self.descriptions.get(&file) {
            return Ok(known.clone());
        }
        let read = ibnl::read(&self.files[file].1).map_err(|faults| self.faulty(file, faults))?;
        let read = Rc::new(read);
        self.descriptions.insert(file, read.clone());
        Ok(read)
    }

    fn faulty(&self, file: usize, mut faults: Vec<Fault>) -> Box<Faults> {
        let (path, text) = &self.files[file];
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        Box::new(Faults::new(&path.to_string_lossy(), text.as_str(), faults))
    }

    /// The fault that no file describes a type.
    pub(super) fn missing(&self, kind: &str, span: Range<usize>) -> Fault {
        let message = format!("no file describes systems of type `{}`", quoted(kind));
        let places: Vec<String> =
            self.places.iter().map(|place| format!("`{}`", shown(&place.join("")))).collect();
        let expected = match places.is_empty() {
            true => {
                format!("a file beside it with `TOPSYSTEM {}`, such as {}.ibnl", quoted(kind), quoted(kind))
            }
            false => format!(
                "{}.ibnl, or another .ibnl with `TOPSYSTEM {}`, in {}",
                quoted(kind),
                quoted(kind),
                places.join(" or ")
            ),
        };
        let fault = Fault::new("missing-system", span, message, expected);
        if self.by_type.is_empty() {
            return fault.with_help(
                "copy the .ibnl files that ibdm has (lib/ibdm*/ibnl where it is installed) there",
            );
        }
        fault.with_nearest(kind, self.by_type.keys().map(String::as_str))
    }
}
