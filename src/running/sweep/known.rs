//! What the shards hold: an index of every whole line by key.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use blake3::Hash;

use super::line::{self, LONGEST, Line, Outcome};
use super::store::StoreError;
use simnet_base::diagnostics::shown;
use simnet_base::files::{Inside, is_link, parent_of};

/// How many damaged lines of a shard are listed one by one.
const LISTED: usize = 5;

/// Where a whole line stands and what kind of outcome it has.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    key: [u8; 32],
    /// The first half of the outcome's BLAKE3: enough to distinguish results.
    digest: [u8; 16],
    offset: u64,
    length: u32,
    shard: u32,
    again: u32,
    /// Whether the point failed.
    pub failed: bool,
}

/// What a shard holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardContents {
    /// The file.
    pub path: PathBuf,
    /// How many whole lines it has.
    pub lines: usize,
    /// How many lines are torn or altered.
    pub damaged: usize,
}

/// Something in the folder that is not as it was written; it is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; `None` if it is about the whole file.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: &'static str,
    /// Whether it is a last line without its end: cut off, or being written at this moment.
    pub at_the_end: bool,
}

/// An index of the shards: 80 bytes a line, whatever the results are.
#[derive(Debug, Default)]
pub struct Known {
    shards: Vec<ShardContents>,
    /// By key, each once.
    records: Vec<Record>,
    damage: Vec<Damage>,
}

impl Known {
    /// Reads every shard of a folder once, a line at a time.
    ///
    /// # Errors
    /// If a shard cannot be read, or if two lines give one key different results.
    pub(super) fn read(folder: &Path) -> Result<Known, StoreError> {
        let mut known = Known::default();
        for path in known.list(folder)? {
            known.add(path)?;
        }
        // Of several lines of a point the one that was computed last counts, then the first in the shards' order.
        known.records.sort_by(|a, b| a.key.cmp(&b.key).then(b.again.cmp(&a.again)));
        known.check_agreement()?;
        known.records.dedup_by(|later, first| later.key == first.key);
        Ok(known)
    }

    /// The files that are shards, in order of name.
    fn list(&mut self, folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let failed = |path: &Path, error| StoreError::Io { path: path.to_owned(), error };
        if is_link(folder) {
            return Err(failed(folder, io::Error::other("it is a link, and none is followed here")));
        }
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| failed(folder, error))?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| failed(folder, error))?.path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let what = match fs::symlink_metadata(&path) {
                // It has just gone.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(&path, error)),
                Ok(there) if there.is_file() => {
                    paths.push(path);
                    continue;
                }
                Ok(there) if there.is_symlink() => "is a link, and none is followed",
                Ok(_) => "is no file",
            };
            self.damage.push(Damage { path, line: None, what, at_the_end: false });
        }
        paths.sort();
        self.damage.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(paths)
    }

    fn add(&mut self, path: PathBuf) -> Result<(), StoreError> {
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let shard = u32::try_from(self.shards.len()).expect("no folder holds four billion shards");
        let mut file = BufReader::with_capacity(1 << 16, open(&path).map_err(failed)?);
        let mut contents = ShardContents { path: path.clone(), lines: 0, damaged: 0 };
        let mut buffer = Vec::new();
        let (mut offset, mut number) = (0, 0);
        loop {
            let read = read_line(&mut file, &mut buffer).map_err(failed)?;
            if read == 0 {
                break;
            }
            number += 1;
            let ended = buffer.last() == Some(&b'\n');
            let text = buffer.strip_suffix(b"\n").unwrap_or(&buffer);
            match line::decode(text) {
                Some(line) => {
                    contents.lines += 1;
                    self.records.push(Record::new(&line, shard, offset, text.len()));
                }
                None => {
                    contents.damaged += 1;
                    if contents.damaged <= LISTED {
                        let at_the_end = !ended && read < LONGEST as u64;
                        let what = if at_the_end { "is torn" } else { "is damaged" };
                        self.damage.push(Damage { path: path.clone(), line: Some(number), what, at_the_end });
                    }
                }
            }
            offset += read;
        }
        self.shards.push(contents);
        Ok(())
    }

    /// Checks that lines of one key and attempt say the same, in time linear in their number.
    fn check_agreement(&self) -> Result<(), StoreError> {
        let differs = |pair: &&[Record]| {
            let (a, b) = (&pair[0], &pair[1]);
            a.key == b.key && a.again == b.again && (a.digest != b.digest || a.failed != b.failed)
        };
        match self.records.windows(2).find(differs) {
            None => Ok(()),
            Some(pair) => Err(StoreError::Conflict {
                key: Hash::from_bytes(pair[0].key).to_hex().to_string(),
                first: self.place(&pair[0])?,
                second: self.place(&pair[1])?,
            }),
        }
    }

    /// `file:line` of a record, for people.
    fn place(&self, record: &Record) -> Result<String, StoreError> {
        let path = &self.shards[record.shard as usize].path;
        let failed = |error| StoreError::Io { path: path.clone(), error };
        let mut before = BufReader::new(open(path).map_err(failed)?).take(record.offset);
        let mut lines = 1_u64;
        loop {
            let chunk = before.fill_buf().map_err(failed)?;
            if chunk.is_empty() {
                return Ok(format!("{}:{lines}", shown(&path)));
            }
            lines += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
            let read = chunk.len();
            before.consume(read);
        }
    }

    /// The record of a point, in time logarithmic in their number.
    pub fn find(&self, key: &Hash) -> Option<&Record> {
        let place = self.records.binary_search_by(|record| record.key.cmp(key.as_bytes())).ok()?;
        Some(&self.records[place])
    }

    /// What a point came to; `None` if the shards do not have it.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn outcome(&self, key: &Hash) -> Result<Option<Outcome>, StoreError> {
        self.find(key).map(|record| self.reader().read(record)).transpose()
    }

    /// A reader of many records.
    pub fn reader(&self) -> Reader<'_> {
        let mut open = Vec::new();
        open.resize_with(self.shards.len(), || None);
        Reader { known: self, open, count: 0, buffer: Vec::new() }
    }

    /// The shards, in order of name.
    pub fn shards(&self) -> &[ShardContents] {
        &self.shards
    }

    /// What is not as it was written, at most some lines of each shard; [`ShardContents`] counts them all.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// How many points the shards have an outcome of.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether they have none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl Record {
    fn new(line: &Line<'_>, shard: u32, offset: u64, length: usize) -> Record {
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(line.outcome).as_bytes()[..16]);
        let length = u32::try_from(length).expect("a line is at most LONGEST bytes long");
        Record { key: line.key, digest, offset, length, shard, again: line.again, failed: line.failed }
    }

    /// How often the point's failure was not believed before.
    pub(super) const fn again(&self) -> u32 {
        self.again
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", shown(&self.path))?;
        if let Some(line) = self.line {
            write!(f, ":{line}: the line")?;
        } else {
            write!(f, ":")?;
        }
        write!(f, " {}; it is left out", self.what)
    }
}

/// How many shards a reader holds open at once.
const MOST_OPEN: usize = 200;

/// Reads records in any order, keeping some shards open.
#[derive(Debug)]
pub struct Reader<'a> {
    known: &'a Known,
    open: Vec<Option<File>>,
    count: usize,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    /// Reads what a point came to.
    ///
    /// # Errors
    /// If the system refuses, or the shard was altered since it was indexed.
    pub fn read(&mut self, record: &Record) -> Result<Outcome, StoreError> {
        let path = &self.known.shards[record.shard as usize].path;
        let failed = |error| StoreError::Io { path: path.clone(), error };
        if self.open[record.shard as usize].is_none() {
            if self.count == MOST_OPEN {
                self.open.fill_with(|| None);
                self.count = 0;
            }
            self.count += 1;
        }
        let file = match &mut self.open[record.shard as usize] {
            Some(file) => file,
            closed @ None => closed.insert(open(path).map_err(failed)?),
        };
        self.buffer.resize(record.length as usize, 0);
        file.seek(SeekFrom::Start(record.offset)).map_err(failed)?;
        let read = file.read_exact(&mut self.buffer);
        let altered = || StoreError::Altered { path: path.clone() };
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(altered()),
            read => read.map_err(failed)?,
        }
        let line = line::decode(&self.buffer).filter(|line| line.key == record.key).ok_or_else(altered)?;
        line.read().ok_or_else(altered)
    }
}

/// Opens a shard by its path.
fn open(path: &Path) -> io::Result<File> {
    Inside(parent_of(path)).open(path.file_name().unwrap_or_default())
}

/// Reads a line with its end into `buffer`; of one that is too long to be ours, its beginning. Gives the number of
/// bytes that were passed, 0 at the end of the file.
fn read_line(file: &mut BufReader<File>, buffer: &mut Vec<u8>) -> io::Result<u64> {
    buffer.clear();
    // A line that was very long once need not stay in memory.
    buffer.shrink_to(1 << 20);
    let mut read = file.take(LONGEST as u64).read_until(b'\n', buffer)? as u64;
    while read >= LONGEST as u64 && buffer.last() != Some(&b'\n') {
        let chunk = file.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let passed = end.map_or(chunk.len(), |end| end + 1);
        file.consume(passed);
        read += passed as u64;
        if end.is_some() {
            break;
        }
    }
    Ok(read)
}
