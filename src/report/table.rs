//! Tables as CSV: a header row, the unit last in each column's name.

use crate::cells;

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
