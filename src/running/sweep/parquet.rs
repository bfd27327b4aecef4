//! A sweep's table as Parquet, typed by column, for programs that read that sooner than CSV.
//!
//! The table is what `points.csv` holds, neither more nor less: a column all of whose cells are `true` or `false`,
//! whole numbers or numbers has that type, every other is text; an empty cell is null. A number that its type could
//! not hold exactly makes its column text.

use std::io::{self, BufRead, Seek};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use simnet_base::cells;

/// How many rows are held at a time, and written together.
const ROWS: usize = 1 << 16;

/// The largest whole number up to which every one is a `f64`.
const EXACT: u64 = 1 << 53;

/// The Parquet file of a CSV table with a header row. Reads the table twice, and holds the file and 65,536 rows.
///
/// # Errors
/// If the table cannot be read, is no UTF-8 or no CSV, or if a row has not one cell a column.
pub fn from_csv(csv: &mut (impl BufRead + Seek)) -> io::Result<Vec<u8>> {
    let mut cells = Vec::new();
    csv.rewind()?;
    read_record(csv, &mut cells)?;
    let names = cells.clone();
    let mut kinds = vec![Kind::Nothing; names.len()];
    while read_row(csv, &mut cells, names.len())? {
        kinds.iter_mut().zip(&cells).for_each(|(kind, cell)| *kind = kind.join(Kind::of(cell)));
    }
    csv.rewind()?;
    read_record(csv, &mut cells)?;
    write(&names, &kinds, csv).map_err(io::Error::other)
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Empty, all of them.
    Nothing,
    Boolean,
    /// Whole numbers that a real one holds exactly.
    Small,
    Integer,
    Real,
    Text,
}

impl Kind {
    fn of(cell: &str) -> Kind {
        if cell.is_empty() {
            return Kind::Nothing;
        }
        if cell == "true" || cell == "false" {
            return Kind::Boolean;
        }
        if let Ok(integer) = cell.parse::<i64>() {
            return match integer.unsigned_abs() <= EXACT {
                _ if integer.to_string() != cell => Kind::Text,
                true => Kind::Small,
                false => Kind::Integer,
            };
        }
        let is_real = cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
            && cell.contains(['.', 'e', 'E'])
            && cell.parse::<f64>().is_ok_and(f64::is_finite);
        if is_real { Kind::Real } else { Kind::Text }
    }

    /// What a column is that has cells of both kinds.
    fn join(self, other: Kind) -> Kind {
        match (self, other) {
            (kind, Kind::Nothing) | (Kind::Nothing, kind) => kind,
            (a, b) if a == b => a,
            (Kind::Small, Kind::Integer) | (Kind::Integer, Kind::Small) => Kind::Integer,
            (Kind::Small, Kind::Real) | (Kind::Real, Kind::Small) => Kind::Real,
            _ => Kind::Text,
        }
    }

    fn column(self, name: &str) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self {
            Kind::Boolean => (Physical::BOOLEAN, None),
            Kind::Small | Kind::Integer => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Text | Kind::Nothing => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(column.with_logical_type(logical).build()?))
    }
}

/// Writes the rows that `csv` still has.
fn write(names: &[String], kinds: &[Kind], csv: &mut impl BufRead) -> Result<Vec<u8>, ParquetError> {
    let columns = names.iter().zip(kinds).map(|(name, kind)| kind.column(name));
    let columns = columns.collect::<Result<Vec<TypePtr>, ParquetError>>()?;
    let schema = Arc::new(Type::group_type_builder("points").with_fields(columns).build()?);
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::builder().build()))?;
    loop {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut cells = Vec::new();
        while rows.len() < ROWS && read_row(csv, &mut cells, names.len())? {
            rows.push(std::mem::take(&mut cells));
        }
        if rows.is_empty() {
            break;
        }
        let mut group = writer.next_row_group()?;
        for (column, kind) in kinds.iter().enumerate() {
            let cells: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            match kind {
                Kind::Boolean => write_column::<BoolType>(&mut group, &cells, |cell| Some(cell == "true"))?,
                Kind::Small | Kind::Integer => {
                    write_column::<Int64Type>(&mut group, &cells, |cell| cell.parse().ok())?;
                }
                Kind::Real => write_column::<DoubleType>(&mut group, &cells, |cell| cell.parse().ok())?,
                Kind::Text | Kind::Nothing => {
                    write_column::<ByteArrayType>(&mut group, &cells, |cell| Some(ByteArray::from(cell)))?;
                }
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// Writes the next column of a group of rows; empty cells are null.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    cells: &[&str],
    value: impl Fn(&str) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let present: Vec<i16> = cells.iter().map(|cell| i16::from(!cell.is_empty())).collect();
    let values: Vec<T::T> =
        cells.iter().filter(|cell| !cell.is_empty()).filter_map(|cell| value(cell)).collect();
    let mut column = group.next_column()?.expect("the group has a column for every kind");
    column.typed::<T>().write_batch(&values, Some(&present), None)?;
    column.close()
}

/// Reads a row of so many cells; whether there was one.
fn read_row(csv: &mut impl BufRead, cells: &mut Vec<String>, columns: usize) -> io::Result<bool> {
    let is_there = read_record(csv, cells)?;
    if is_there && cells.len() != columns {
        let message = format!("a row of {} cells in a table of {columns} columns", cells.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(is_there)
}

/// Reads a record; whether there was one.
fn read_record(csv: &mut impl BufRead, cells: &mut Vec<String>) -> io::Result<bool> {
    let mut record = Vec::new();
    if cells::read_record(csv, &mut record)? == 0 {
        return Ok(false);
    }
    let record =
        String::from_utf8(record).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    *cells = cells::split(&record);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    /// Reads a file back: the kind of every field, and its text as the CSV has it.
    fn read(bytes: &[u8]) -> Vec<Vec<(&'static str, String)>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let fields = |row: parquet::record::Row| {
            let field = |(_, field): (&String, &Field)| match field {
                Field::Null => ("null", String::new()),
                Field::Bool(value) => ("bool", value.to_string()),
                Field::Long(value) => ("long", value.to_string()),
                Field::Double(value) => ("double", value.to_string()),
                Field::Str(value) => ("str", value.clone()),
                other => panic!("{other:?}"),
            };
            row.get_column_iter().map(field).collect()
        };
        reader.get_row_iter(None).unwrap().map(|row| fields(row.unwrap())).collect()
    }

    /// Wrong if a cell came back as another, or of a type that is not its column's.
    #[test]
    fn what_is_read_back_is_the_csv() {
        let csv = "seed,load,select,saturated,error,huge,\"odd, one\"\n\
                   1,0.01,random,true,,18446744073709551615,\n\
                   2,1,\"a \"\"b\"\",\nc\",false,\"no, it's bad\",3,\n\
                   -3,1e-7,007,,,4,\n";
        let rows = read(&from_csv(&mut Cursor::new(csv)).unwrap());
        let expected = [
            vec!["1", "0.01", "random", "true", "", "18446744073709551615", ""],
            vec!["2", "1", "a \"b\",\nc", "false", "no, it's bad", "3", ""],
            vec!["-3", "0.0000001", "007", "", "", "4", ""],
        ];
        let kinds = ["long", "double", "str", "bool", "str", "str", "null"];
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(&expected) {
            for ((cell, expected), kind) in row.iter().zip(expected).zip(kinds) {
                assert_eq!(cell.1, *expected);
                assert!(cell.0 == kind || cell.0 == "null", "{cell:?} is no {kind}");
            }
        }
    }

    /// Wrong if rows were lost between groups of them, or a table without rows were no table.
    #[test]
    fn tables_of_any_length() {
        for length in [0, 1, ROWS - 1, ROWS, ROWS + 1] {
            let csv: String =
                std::iter::once("n\n".to_owned()).chain((0..length).map(|n| format!("{n}\n"))).collect();
            let rows = read(&from_csv(&mut Cursor::new(csv)).unwrap());
            assert!(rows.iter().map(|row| row[0].1.parse::<usize>().unwrap()).eq(0..length), "{length}");
        }
    }

    /// Wrong if a table that is none were taken for one.
    #[test]
    fn a_ragged_table_is_refused() {
        assert!(from_csv(&mut Cursor::new("a,b\n1\n")).is_err());
        assert!(from_csv(&mut Cursor::new(b"a\n\xff\n".as_slice())).is_err());
    }
}
