//! Tables made once: columns that say what they hold, rows of typed cells. CSV, JSON, Markdown and the terminal are
//! renderers of the same table.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::markdown;
use simnet_base::cells;
use simnet_base::numbers::{exact, rounded};

/// A table under construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// What a column holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its name, the unit last: `latency_mean_ns`.
    pub name: String,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// What kind of cells it has.
    pub kind: Kind,
    /// What it means, for people: a sentence without its full stop.
    pub meaning: String,
}

/// What kind of cells a column has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    #[default]
    Words,
    /// Numbers, and nothing where there is none.
    Numbers,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// There is no value.
    #[default]
    Nothing,
    /// A text, or a number that was printed already.
    Text(String),
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// True or false.
    Truth(bool),
}

impl Column {
    /// A column of words.
    pub fn words(name: &str, meaning: &str) -> Column {
        Column { name: name.to_owned(), meaning: meaning.to_owned(), ..Column::default() }
    }

    /// A column of numbers in a unit, which may be empty.
    pub fn numbers(name: &str, unit: &'static str, meaning: &str) -> Column {
        Column { unit, kind: Kind::Numbers, ..Column::words(name, meaning) }
    }
}

impl Table {
    /// An empty table with these columns.
    pub fn of(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the row has not one cell a column.
    pub fn row<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let row: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.columns.len(), "a row has one cell a column");
        self.rows.push(row);
    }

    /// The same without those of these columns that are empty, or zero, in every row.
    #[must_use]
    pub fn without_empty(mut self, names: &[&str]) -> Table {
        let is_idle =
            |nth: usize| self.rows.iter().all(|row| matches!(row[nth], Cell::Nothing | Cell::Count(0)));
        let goes = |nth: usize| names.contains(&self.columns[nth].name.as_str()) && is_idle(nth);
        // From the last on, so that the places of the others stay.
        let gone: Vec<usize> = (0..self.columns.len()).rev().filter(|nth| goes(*nth)).collect();
        for nth in gone {
            self.columns.remove(nth);
            self.rows.iter_mut().for_each(|row| drop(row.remove(nth)));
        }
        self
    }

    /// The same with the column of this name behind all others.
    #[must_use]
    pub fn ending_with(mut self, name: &str) -> Table {
        if let Some(nth) = self.columns.iter().position(|column| column.name == name) {
            self.columns[nth..].rotate_left(1);
            self.rows.iter_mut().for_each(|row| row[nth..].rotate_left(1));
        }
        self
    }

    /// Its columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Its rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The table as CSV: a header row, then the rows. What CSV needs quoted is quoted, and what a spreadsheet would
    /// run is not run.
    pub fn into_csv(self) -> String {
        let mut text = String::new();
        cells::add_row(&mut text, self.columns.iter().map(|column| column.name.as_str()));
        for row in &self.rows {
            cells::add_row(&mut text, row.iter().map(Cell::text));
        }
        text
    }

    /// The table as JSON: a list of objects, a key a column.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let names = self.columns.iter().map(|column| column.name.clone());
            Value::Object(names.zip(row.iter().map(Cell::json)).collect::<Map<_, _>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// The table as Markdown, numbers to the right and with at most four digits after the point; nothing without rows.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        if self.rows.is_empty() {
            return text;
        }
        let line = |text: &mut String, cells: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
        };
        line(&mut text, &mut self.columns.iter().map(|column| markdown(&column.name)));
        line(&mut text, &mut self.columns.iter().map(|column| column.kind.rule().to_owned()));
        for row in &self.rows {
            line(&mut text, &mut row.iter().map(|cell| markdown(&cell.short())));
        }
        text
    }
}

impl Table {
    /// Its first row upright, for people: a row for each of its columns that has a value, and what that means.
    #[must_use]
    pub fn upright(&self) -> Table {
        let mut table = Table::of(vec![
            Column::words("quantity", "the quantity, its unit last"),
            Column::numbers("value", "", "its value"),
            Column::words("meaning", "what it is"),
        ]);
        let cells = self.columns.iter().zip(self.rows.first().into_iter().flatten());
        for (column, cell) in cells.filter(|(_, cell)| **cell != Cell::Nothing) {
            table.row([Cell::from(column.name.as_str()), cell.clone(), Cell::from(column.meaning.as_str())]);
        }
        table
    }
}

impl Kind {
    /// How Markdown aligns such a column.
    fn rule(self) -> &'static str {
        match self {
            Kind::Words => "---",
            Kind::Numbers => "--:",
        }
    }
}

impl Cell {
    /// The cell in full: what is read back is the same value.
    pub fn text(&self) -> String {
        match self {
            Cell::Nothing => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => exact(*number),
            Cell::Count(count) => count.to_string(),
            Cell::Truth(truth) => truth.to_string(),
        }
    }

    /// The cell for people: numbers with at most four digits after the point.
    pub fn short(&self) -> String {
        match self {
            Cell::Number(number) if number.is_finite() && number.abs() >= 1e-3 => rounded(*number, 4),
            _ => self.text(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Nothing => Value::Null,
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Number(number) => Value::from(*number),
            Cell::Count(count) => Value::from(*count),
            Cell::Truth(truth) => Value::from(*truth),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Cell {
        number.map_or(Cell::Nothing, Cell::Number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        Cell::Number(number)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Count(count)
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Cell {
        Cell::Truth(truth)
    }
}

impl From<&Value> for Cell {
    fn from(value: &Value) -> Cell {
        match value {
            Value::Null => Cell::Nothing,
            Value::Bool(truth) => Cell::Truth(*truth),
            Value::String(text) => Cell::Text(text.clone()),
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(count), _) => Cell::Count(count),
                (None, Some(number)) => Cell::Number(number),
                (None, None) => Cell::Text(number.to_string()),
            },
            other => Cell::Text(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_from_files_stay_data() {
        let mut table = Table::of(vec![Column::words("name", ""), Column::numbers("latency_ns", "ns", "")]);
        table.row(["a \"b\", c", "7"]);
        assert_eq!(table.into_csv(), "name,latency_ns\n\"a \"\"b\"\", c\",7\n");
    }

    /// Wrong if a value stood at another's name, or what is not there stood there.
    #[test]
    fn a_row_stands_upright() {
        let columns = vec![
            Column::numbers("time_ms", "ms", "how long"),
            Column::numbers("lost", "", "how many"),
            Column::words("name", "what it is"),
        ];
        let mut table = Table::of(columns);
        table.row([Cell::from(1.5), Cell::Nothing, Cell::from("a")]);
        assert_eq!(
            table.upright().into_csv(),
            "quantity,value,meaning\ntime_ms,1.5,how long\nname,a,what it is\n"
        );
    }

    /// Wrong if a column moved without its cells, or another did.
    #[test]
    fn a_column_goes_behind_all_others_with_its_cells() {
        let mut table = Table::of(["a", "b", "c"].map(|name| Column::words(name, "")).to_vec());
        table.row(["1", "2", "3"]);
        assert_eq!(table.clone().ending_with("a").into_csv(), "b,c,a\n2,3,1\n");
        assert_eq!(table.clone().ending_with("c"), table);
    }

    /// Wrong if a renderer left a value out, rounded where it must not, or took nothing for zero.
    #[test]
    fn one_table_is_rendered_in_several_ways() {
        let columns = vec![Column::words("name", "what it is"), Column::numbers("time_ms", "ms", "how long")];
        let mut table = Table::of(columns);
        table.row([Cell::from("a|b"), Cell::from(1.0 / 3.0)]);
        table.row([Cell::from("c"), Cell::Nothing]);
        assert_eq!(
            table.json(),
            json!([{"name": "a|b", "time_ms": 1.0 / 3.0}, {"name": "c", "time_ms": null}])
        );
        assert_eq!(table.markdown(), "| name | time_ms |\n| --- | --: |\n| a\\|b | 0.3333 |\n| c |  |\n");
        assert_eq!(table.into_csv(), "name,time_ms\na|b,0.3333333333333333\nc,\n");
    }
}
