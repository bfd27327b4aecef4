//! Tables that were read: a header and rows of text.

use crate::cells;

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

impl Csv {
    /// A table as [`super::Table`] writes it.
    pub fn of(text: &str) -> Csv {
        let mut rows = cells::records(text);
        Csv { columns: rows.next().unwrap_or_default(), rows: rows.collect(), left_out: 0 }
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
