//! A log as one CSV table: a column for everything that some kind of event has, empty where it has not.
//!
//! Turns are separated by blanks, bytes are hexadecimal, members of a deadlock are JSON.

use std::io::{self, Write};

use simnet_base::cells;
use simnet_network::topology::Network;

use super::row::{COLUMNS, Row};
use super::{Event, Heading, Names, Scene, Sink};

/// Writes CSV.
#[derive(Debug)]
pub struct Csv<W: Write> {
    out: W,
    /// The row that is being written.
    line: String,
    network: Network,
    names: Names,
}

impl<W: Write> Csv<W> {
    /// The events of a log with this heading, written to `out`; the header row is written at once.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(mut out: W, heading: &Heading) -> io::Result<Csv<W>> {
        let mut line = String::new();
        cells::add_row(&mut line, COLUMNS);
        out.write_all(line.as_bytes())?;
        Ok(Csv { out, line, network: heading.network.clone(), names: Names::default() })
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
        self.line.clear();
        cells::add_row(&mut self.line, row.texts());
        self.out.write_all(self.line.as_bytes())
    }

    fn skip(&mut self, _scene: &Scene, event: &Event) {
        self.names.learn(event);
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
