//! A log as NDJSON: one JSON object an event and line.
//!
//! ```text
//! {"point":0,"time_ns":168.75,"event":"grant","input":"s0:1","output":"s0:3","message":"c00#17"}
//! {"scene":"mapping","nth":0,"time_ns":912.5,"event":"stop","port":"s0:1"}
//! ```
//! What an event does not have is left out; docs/TRACES.md lists what each kind has.

use std::io::{self, Write};

use simnet_network::topology::Network;

use super::row::Row;
use super::{Event, Heading, Names, Scene, Sink};

/// Writes NDJSON.
#[derive(Debug)]
pub struct Ndjson<W> {
    out: W,
    network: Network,
    names: Names,
}

impl<W: Write> Ndjson<W> {
    /// The events of a log with this heading, written to `out`.
    ///
    /// # Errors
    /// None yet.
    pub fn new(out: W, heading: &Heading) -> io::Result<Ndjson<W>> {
        Ok(Ndjson { out, network: heading.network.clone(), names: Names::default() })
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn scene(&mut self, _scene: &Scene) -> io::Result<()> {
        self.names = Names::default();
        Ok(())
    }

    fn event(&mut self, scene: &Scene, event: &Event) -> io::Result<()> {
        self.names.learn(event);
        Row::new(&self.network, &self.names, scene, event).write_json(&mut self.out)
    }

    fn skip(&mut self, _scene: &Scene, event: &Event) {
        self.names.learn(event);
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
