//! Watching load points: every grant, reset, STOP and GO, told to whoever asks and changing nothing.
//!
//! ```text
//! {"point":0,"time_ns":168.75,"event":"grant","input":"s0:1","output":"s0:3","message":"c00#17"}
//! {"point":0,"time_ns":900.0,"event":"reset","output":"s0:3","message":"c00#17"}
//! {"point":0,"time_ns":412.5,"event":"stop","port":"s0:1"}        and "go"
//! ```

use std::io::{self, Write};

use serde::Serialize;

use crate::fabric::Observer;
use crate::ids::Node;
use crate::scenario::Checked;
use crate::scenario::checked::{Trace, Traffic};
use crate::topology::End;
use crate::units::{Cycle, Duration};

use super::summary::port_name;
use super::traffic::Tag;

/// Someone who watches load points, several of them at a time.
pub trait Watch: Sync {
    /// Who watches one of them.
    type Eye: Observer;
    /// The load point at position `point` begins.
    fn open(&self, point: usize) -> Self::Eye;
    /// It has ended.
    fn close(&self, point: usize, eye: Self::Eye);
}

impl Watch for () {
    type Eye = ();
    fn open(&self, _point: usize) {}
    fn close(&self, _point: usize, (): ()) {}
}

/// How a run's messages are called.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(&'a Checked);

impl<'a> Names<'a> {
    /// The names of a scenario's messages: those of its trace, or sender and number.
    pub fn new(checked: &'a Checked) -> Names<'a> {
        Names(checked)
    }

    /// The name of the message with this tag.
    ///
    /// # Panics
    /// If it is the tag of no message of this scenario.
    pub fn message(&self, tag: u64) -> String {
        let Tag { source, number, .. } = Tag::unpack(tag);
        match &self.0.traffic {
            Some(Traffic::Trace(Trace { messages, .. })) => {
                messages[usize::try_from(number).expect("a row of the trace")].name.clone()
            }
            _ => format!("{}#{number}", self.0.topology.network.name_of(Node::Host(source))),
        }
    }

    /// The name of a port.
    fn port(&self, end: End) -> String {
        port_name(&self.0.topology.network, end)
    }
}

/// The log of one load point: one JSON object a line, up to a limit.
#[derive(Debug)]
pub struct EventLog<'a, W> {
    names: Names<'a>,
    point: usize,
    base_cycle: Duration,
    left: u64,
    out: io::Result<W>,
}

/// What came of a log.
#[derive(Debug)]
pub struct Logged<W> {
    /// Where it was written, or why it could not be.
    pub out: io::Result<W>,
    /// Whether there was no room for more events, so that some may be missing at the end.
    pub is_full: bool,
}

#[derive(Serialize)]
struct Event<'a> {
    point: usize,
    time_ns: f64,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl<'a, W: Write> EventLog<'a, W> {
    /// The log of the first `limit` events of the point at position `point`, written to `out`.
    pub fn new(names: Names<'a>, point: usize, limit: u64, out: io::Result<W>) -> EventLog<'a, W> {
        let base_cycle = names.0.fabric_parameters().base_cycle;
        EventLog { names, point, base_cycle, left: limit, out }
    }

    /// Ends the log.
    pub fn finish(self) -> Logged<W> {
        let flushed = self.out.and_then(|mut out| out.flush().map(|()| out));
        Logged { out: flushed, is_full: self.left == 0 }
    }

    /// Writes an event that `fill` completes, unless the log is full or broken.
    fn write(&mut self, now: Cycle, event: &'static str, fill: impl FnOnce(&Names<'_>, &mut Event<'_>)) {
        let (true, Ok(out)) = (self.left > 0, &mut self.out) else { return };
        self.left -= 1;
        let time_ns = (now.0 as f64) * self.base_cycle.as_ps() as f64 / 1e3;
        let (port, input, output, message) = (None, None, None, None);
        let mut line = Event { point: self.point, time_ns, event, port, input, output, message };
        fill(&self.names, &mut line);
        let written = serde_json::to_writer(&mut *out, &line)
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"));
        if let Err(error) = written {
            self.out = Err(error);
        }
    }
}

impl<W: Write> Observer for EventLog<'_, W> {
    fn granted(&mut self, now: Cycle, input: End, output: End, tag: u64) {
        self.write(now, "grant", |names, line| {
            line.input = Some(names.port(input));
            line.output = Some(names.port(output));
            line.message = Some(names.message(tag));
        });
    }

    fn reset(&mut self, now: Cycle, output: End, tag: u64) {
        self.write(now, "reset", |names, line| {
            line.output = Some(names.port(output));
            line.message = Some(names.message(tag));
        });
    }

    fn flow_control(&mut self, now: Cycle, port: End, stop: bool) {
        self.write(now, if stop { "stop" } else { "go" }, |names, line| line.port = Some(names.port(port)));
    }
}
