//! Figures made, as the files that they are committed as.

use std::collections::BTreeMap;
use std::path::Path;

use crate::report::{Folder, FolderError, Like};

use super::judged::data_csv;
use super::runs::{Done, Runs};
use super::text::page_text;
use super::{Figure, Judged};

/// A figure that has been made.
#[derive(Clone, Debug)]
pub struct Made {
    /// Which.
    pub figure: &'static Figure,
    /// The rows of its `data.csv`.
    pub rows: Vec<Judged>,
    /// Its files: name and contents.
    pub files: BTreeMap<&'static str, String>,
}

impl Made {
    /// Makes a figure of the runs of its scenarios: `data.csv`, `figure.svg` and `README.md`.
    pub fn new(figure: &'static Figure, quick: bool, runs: &Runs, done: &Done) -> Made {
        let page = (figure.make)(&runs.results(figure, quick && !figure.whole_when_quick, done));
        let rows: Vec<Judged> =
            page.rows.iter().map(|row| Judged::new(figure.paper(), row.clone())).collect();
        let text = page_text(figure, &page, &rows, quick);
        let files = [("data.csv", data_csv(&rows)), ("figure.svg", page.svg), ("README.md", text)];
        Made { figure, rows, files: files.into() }
    }

    /// Adds `quick.csv`: the rows as `--quick` makes them.
    pub fn add_quick(&mut self, quick: &Made) {
        let rows = quick.files.get("data.csv").cloned().unwrap_or_default();
        self.files.insert("quick.csv", rows);
    }

    /// Puts the figure's folder in its place under `out`, instead of an earlier one.
    ///
    /// # Errors
    /// If something else stands there, or the system refuses.
    pub fn put(&self, out: &Path) -> Result<(), FolderError> {
        let folder = Folder::begin_like(&out.join(self.figure.id), Like::Figure)?;
        for (name, contents) in &self.files {
            folder.add(name, contents)?;
        }
        folder.finish()
    }
}
