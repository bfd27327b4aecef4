//! Tables that were read: a header and rows of text.

use simnet_base::cells;

/// A table that was read: a header and rows of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csv {
    /// The columns' names, the unit last.
    pub columns: Vec<String>,
    /// The cells, row by row, one a column.
    pub rows: Vec<Vec<String>>,
    /// Rows that the file has beyond these.
    pub left_out: u64,
}

/// A row of such a table, its cells found by the names of their columns.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    columns: &'a [String],
    cells: &'a [String],
}

impl Csv {
    /// Reads a table with a header row, as [`super::Table`] writes it.
    pub fn parse(text: &str) -> Csv {
        let mut rows = cells::records(text);
        Csv { columns: rows.next().unwrap_or_default(), rows: rows.collect(), left_out: 0 }
    }

    /// Its rows.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.rows.iter().map(|cells| Record { columns: &self.columns, cells })
    }

    /// The rows whose cells are these, as in `[("routing", "UD_BFS1"), ("switches", "16")]`.
    pub fn of<'a>(&'a self, wanted: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = Record<'a>> {
        self.records().filter(|row| wanted.iter().all(|(column, text)| row.text(column) == *text))
    }

    /// The different texts of a column, in the order in which they first appear.
    pub fn choices(&self, column: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for text in self.records().map(|row| row.text(column)) {
            if !found.iter().any(|known| known == text) {
                found.push(text.to_owned());
            }
        }
        found
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The cell of a row in the column of this name; `None` if there is no such column or the cell is empty.
    pub fn cell<'a>(&self, row: &'a [String], column: &str) -> Option<&'a str> {
        row.get(self.column(column)?).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// The same as a number; `None` if it is none.
    pub fn number(&self, row: &[String], column: &str) -> Option<f64> {
        self.cell(row, column)?.trim().parse().ok()
    }
}

impl<'a> Record<'a> {
    /// The cell of a column; empty if there is no such column.
    pub fn text(&self, column: &str) -> &'a str {
        let place = self.columns.iter().position(|name| name == column);
        place.and_then(|place| self.cells.get(place)).map_or("", String::as_str)
    }

    /// The number in a column; none if there is none.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }
}
