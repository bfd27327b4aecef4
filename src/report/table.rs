//! Tables as CSV: a header row, the unit last in each column's name.

use crate::cells::{self, unguarded};

/// A table under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: usize,
    text: String,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[&str]) -> Table {
        let mut table = Table { columns: columns.len(), text: String::new() };
        table.row(columns.iter().copied());
        table
    }

    /// Adds a row; what CSV needs quoted is quoted, and what a spreadsheet would run is not run.
    ///
    /// # Panics
    /// If the row has not one cell a column.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut count = 0;
        cells::add_row(&mut self.text, cells.into_iter().inspect(|_| count += 1));
        assert_eq!(count, self.columns, "a row has one cell a column");
    }

    /// The table as CSV.
    pub fn into_csv(self) -> String {
        self.text
    }
}

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
    /// A table as [`Table`] writes it.
    ///
    /// # Panics
    /// If a row has not one cell a column.
    pub fn of(text: &str) -> Csv {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut rows = reader.records().map(|row| {
            let row = row.expect("a table has one cell a column");
            row.iter().map(|cell| unguarded(cell).to_owned()).collect()
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_stay_data() {
        let mut table = Table::new(&["name", "latency_ns"]);
        table.row(["a \"b\", c", "7"]);
        assert_eq!(table.into_csv(), "name,latency_ns\n\"a \"\"b\"\", c\",7\n");
    }
}
