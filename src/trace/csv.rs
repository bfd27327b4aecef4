//! A log as one CSV table: a column for everything that some kind of event has, empty where it has not.
//!
//! Turns are separated by blanks, bytes are hexadecimal, members of a deadlock are JSON.

use std::io::{self, Write};

use crate::topology::Network;

use super::row::{COLUMNS, Row};
use super::{Event, Heading, Names, Scene, Sink};

/// Writes CSV.
#[derive(Debug)]
pub struct Csv<W: Write> {
    out: csv::Writer<W>,
    network: Network,
    names: Names,
}

/// What the system said: whoever writes to a pipe asks whether it is broken.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

impl<W: Write> Csv<W> {
    /// The events of a log with this heading, written to `out`; the header row is written at once.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(out: W, heading: &Heading) -> io::Result<Csv<W>> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(COLUMNS).map_err(plain)?;
        Ok(Csv { out, network: heading.network.clone(), names: Names::default() })
    }
}

impl<W: Write> Sink for Csv<W> {
    fn scene(&mut self, _scene: &Scene) -> io::Result<()> {
        self.names = Names::default();
        Ok(())
    }

    fn event(&mut self, scene: &Scene, event: &Event) -> io::Result<()> {
        self.names.learn(event);
        let row = Row::new(&self.network, &self.names, scene, event);
        let fields = row.texts().try_for_each(|text| self.out.write_field(text.as_bytes()));
        fields.and_then(|()| self.out.write_record(None::<&[u8]>)).map_err(plain)
    }

    fn skip(&mut self, _scene: &Scene, event: &Event) {
        self.names.learn(event);
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
