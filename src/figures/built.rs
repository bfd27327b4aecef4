//! Figures made, as the files that they are committed as.

use std::collections::BTreeMap;
use std::path::Path;

use simnet_base::files::{Folder, FolderError, Kind, Listed};

use super::claims::claims;
use super::compared::data_csv;
use super::runs::{Done, Runs};
use super::text::{README_MARK, page_text};
use super::{ComparedRow, Figure, FilesOf};

/// A figure's folder: known by its `README.md`, as a manifest describes the machine and is not committed.
const FIGURE: Kind = Kind { what: "a figure that simnet made", mark: "README.md", listed };

/// The files of a figure's folder, if this is its `README.md`.
fn listed(text: &[u8]) -> Option<Listed> {
    let is_ours = text.strip_prefix(README_MARK.as_bytes()).is_some_and(|rest| rest.starts_with(b"\n"));
    is_ours.then(|| BuiltFigure::NAMES.into_iter().map(|name| (name.to_owned(), None)).collect())
}

/// A figure that has been made.
#[derive(Clone, Debug)]
pub struct BuiltFigure {
    /// Which.
    pub figure: &'static Figure,
    /// The rows of its `data.csv`.
    pub rows: Vec<ComparedRow>,
    /// Its files: name and contents.
    pub files: BTreeMap<&'static str, String>,
}

impl BuiltFigure {
    /// The names that a figure's files have.
    pub const NAMES: [&str; 4] = ["README.md", "data.csv", "figure.svg", "quick.csv"];

    /// Makes a figure of the runs of its scenarios: `data.csv`, `figure.svg` and `README.md`.
    pub fn new(figure: &'static Figure, quick: bool, runs: &Runs, done: &Done) -> BuiltFigure {
        let mut page = (figure.make)(&runs.results(figure, quick && !figure.whole_when_quick, done));
        page.rows.extend(claims(figure.id, &page.rows));
        let rows: Vec<ComparedRow> =
            page.rows.iter().map(|row| ComparedRow::new(figure.paper(), row.clone())).collect();
        let text = page_text(figure, &page, &rows, quick);
        let files = [("data.csv", data_csv(&rows)), ("figure.svg", page.svg), ("README.md", text)];
        BuiltFigure { figure, rows, files: files.into() }
    }

    /// The same with `quick.csv`: the rows as `--quick` makes them.
    #[must_use]
    pub fn with_quick(mut self, quick: BuiltFigure) -> BuiltFigure {
        self.files.extend(quick.only_quick().files);
        self
    }

    /// `quick.csv` alone.
    ///
    /// # Panics
    /// If there is nothing else already.
    #[must_use]
    pub fn only_quick(mut self) -> BuiltFigure {
        let rows = self.files.remove("data.csv").expect("every figure has rows");
        BuiltFigure { files: [("quick.csv", rows)].into(), ..self }
    }

    /// Its files as bytes.
    pub fn as_files(&self) -> FilesOf {
        self.files.iter().map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes())).collect()
    }

    /// Checks that [`BuiltFigure::put`] would find nothing in its way.
    ///
    /// # Errors
    /// If something else stands there, or the system would refuse.
    pub fn probe(figure: &Figure, out: &Path) -> Result<(), FolderError> {
        Folder::probe(&out.join(figure.id), FIGURE)
    }

    /// Puts the figure's folder in its place under `out`, instead of an earlier one.
    ///
    /// # Errors
    /// If something else stands there, or the system refuses.
    pub fn put(&self, out: &Path) -> Result<(), FolderError> {
        let folder = Folder::begin(&out.join(self.figure.id), FIGURE)?;
        for (name, contents) in &self.files {
            folder.add(name, contents)?;
        }
        folder.finish()
    }
}
