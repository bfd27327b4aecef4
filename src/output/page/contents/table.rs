//! A table of a results folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

use crate::report::Csv;
use simnet_base::cells;

/// The most cells of a table that are kept; rows beyond are counted.
pub(in crate::page) const MOST_CELLS: usize = 1_000_000;
/// The most bytes of cells that are kept.
const MOST_BYTES: usize = 64 << 20;

/// What was amiss with the rows of a table.
#[derive(Default)]
struct Amiss {
    ragged: u64,
    first_ragged: Option<(u64, usize)>,
    not_utf8: Option<u64>,
    /// The line of the last row, where the file ends before its end.
    cut: Option<u64>,
}

impl Csv {
    /// Reads a table, streaming: memory is bounded by what is kept. Returns also what is wrong with it, in a sentence.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn read(file: File) -> io::Result<(Csv, Option<String>)> {
        let ended = ends_a_line(&file)?;
        let (mut reader, mut record) = (BufReader::new(file), Vec::new());
        let (mut table, mut amiss) = (Csv::default(), Amiss::default());
        let mut room = MOST_BYTES;
        // The line of the last row, and whether that is the last one kept.
        let mut last = (1, false);
        let mut next_line = 1;
        loop {
            let line = next_line;
            match cells::read_record(&mut reader, &mut record)? {
                0 => break,
                lines => next_line += lines as u64,
            }
            if record.trim_ascii().is_empty() {
                continue;
            }
            last = (line, false);
            if table.columns.is_empty() {
                table.columns = amiss.decoded(&record, line);
                continue;
            }
            let row = amiss.decoded(&record, line);
            if row.len() != table.columns.len() {
                amiss.ragged += 1;
                amiss.first_ragged.get_or_insert((line, row.len()));
                continue;
            }
            let full = table.rows.len() * table.columns.len() >= MOST_CELLS || room < record.len();
            if full || table.left_out > 0 {
                table.left_out += 1;
                continue;
            }
            room -= record.len();
            table.rows.push(row);
            last.1 = true;
        }
        if !ended {
            amiss.cut = Some(last.0);
            if last.1 {
                table.rows.pop();
            }
        }
        let complaint = amiss.sentence(&table);
        Ok((table, complaint))
    }
}

impl Amiss {
    fn decoded(&mut self, record: &[u8], line: u64) -> Vec<String> {
        let text = String::from_utf8_lossy(record);
        if matches!(text, Cow::Owned(_)) {
            self.not_utf8.get_or_insert(line);
        }
        cells::split(&text)
    }

    fn sentence(&self, table: &Csv) -> Option<String> {
        let mut parts = Vec::new();
        if table.columns.is_empty() {
            parts.push("is empty, and a table has at least a row of columns' names".to_owned());
        }
        if let Some((line, cells)) = self.first_ragged.filter(|(line, _)| Some(*line) != self.cut) {
            let columns = table.columns.len();
            let times = if self.ragged > 1 {
                format!(", as the first of {} such rows", self.ragged)
            } else {
                String::new()
            };
            parts.push(format!("line {line} has {cells} cells, not {columns}{times}; it is left out"));
        }
        if let Some(line) = self.not_utf8 {
            parts.push(format!("line {line} is not UTF-8; what cannot be read is shown as \u{fffd}"));
        }
        if let Some(line) = self.cut.filter(|_| !table.columns.is_empty()) {
            parts.push(format!("it is cut off within line {line}, which is left out"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Whether a file ends with the end of a line, as every table does that was written to its end. Leaves it at its
/// beginning.
fn ends_a_line(mut file: &File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    file.rewind()?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (Csv, Option<String>) {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("a.csv");
        std::fs::write(&path, bytes).unwrap();
        Csv::read(File::open(&path).unwrap()).unwrap()
    }

    #[test]
    fn what_is_amiss_is_told_and_the_rest_is_kept() {
        let (table, complaint) = read(b"a,b\n1,2\n3\n\"x\ny\",4\n5,\xff\n6,7,8\n");
        assert_eq!(table.rows, [["1", "2"], ["x\ny", "4"], ["5", "\u{fffd}"]]);
        let complaint = complaint.unwrap();
        assert!(complaint.contains("line 3 has 1 cells, not 2, as the first of 2"), "{complaint}");
        assert!(complaint.contains("line 6 is not UTF-8"), "{complaint}");
        assert!(read(b"").1.unwrap().contains("is empty"));
        // What was cut may have been a longer number.
        for (text, rows, line) in [(&b"a,b\n1,2\n3,4"[..], 1, 3), (b"a,b\n1,2\n3", 1, 3), (b"a,b", 0, 1)] {
            let (table, complaint) = read(text);
            assert_eq!(table.rows.len(), rows);
            assert_eq!(complaint.unwrap(), format!("it is cut off within line {line}, which is left out"));
        }
        assert_eq!(read(b"a,b\n"), (Csv { columns: vec!["a".into(), "b".into()], ..Csv::default() }, None));
    }

    #[test]
    fn a_long_table_is_cut_and_counted() {
        let rows = MOST_CELLS / 2 + 7;
        let text = format!("a,b\n{}", "1,2\n".repeat(rows));
        let (table, complaint) = read(text.as_bytes());
        assert_eq!((table.rows.len(), table.left_out, complaint), (MOST_CELLS / 2, 7, None));
    }
}
