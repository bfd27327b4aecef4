//! An event as a row of named cells: what NDJSON and CSV have in common.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::ethernet::PauseFrame;
use crate::fabric::Cause;
use simnet_base::diagnostics::legible_json;
use simnet_base::ids::{HostId, Node, Turn};
use simnet_network::topology::{End, Network};

use super::{Event, EventKind, Message, Names, Scene};

/// The name of a port: node, colon, number.
pub fn port_name(network: &Network, end: End) -> String {
    format!("{}:{}", network.name_of(end.node), end.port)
}

/// The name of a cause.
pub fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Reset => "reset",
        Cause::LinkFailure => "link-failure",
        Cause::IllegalTurn => "illegal-turn",
        Cause::NoSuchWire => "no-such-wire",
        Cause::HostTooSoon => "host-too-soon",
        Cause::Stranded => "stranded",
        Cause::Expired => "expired",
        Cause::Vl15Dropped => "vl15-dropped",
    }
}

macro_rules! columns {
    ($($column:ident $name:literal,)*) => {
        /// A column: every name that some kind of event has.
        #[derive(Clone, Copy)]
        enum Column { $($column,)* }

        /// The names of the columns, in their order.
        pub(super) const COLUMNS: &[&str] = &[$($name,)*];
    };
}

columns! {
    Scene "scene",
    Nth "nth",
    Point "point",
    Time "time_ns",
    Event "event",
    Port "port",
    Input "input",
    Output "output",
    Message "message",
    RouteFlits "route_flits",
    PayloadFlits "payload_flits",
    Occupancy "occupancy_flits",
    Inflow "inflow_cycles",
    Outflow "outflow_cycles",
    Deadlock "deadlock",
    Members "members",
    Fate "fate",
    Cause "cause",
    A "a",
    B "b",
    Up "up",
    Host "host",
    Kind "kind",
    Nonce "nonce",
    Route "route",
    Length "length_flits",
    Bytes "bytes",
    Arrives "arrives",
    Source "source",
    Destination "destination",
    LengthBytes "length_bytes",
    Priority "priority",
    Obeyed "obeyed",
    Priorities "priorities",
    Paused "paused",
    Quanta "quanta",
}

/// A member of a deadlock: message, none of a queue, input, output.
type Member = (Option<String>, String, String);

/// What stands in a column.
enum Cell<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Count(u64),
    /// Picoseconds, to be written as nanoseconds.
    Instant(u64),
    Flag(bool),
    Turns(&'a [Turn]),
    /// Those of a set of bits.
    Bits(u8),
    Hex(&'a [u8]),
    Members(Vec<Member>),
}

/// An event's cells.
pub(super) struct Row<'a> {
    network: &'a Network,
    names: &'a Names,
    cells: Vec<Cell<'a>>,
}

impl<'a> Row<'a> {
    /// The row of an event. Its message's name has been learnt.
    pub(super) fn new(network: &'a Network, names: &'a Names, scene: &'a Scene, event: &'a Event) -> Row<'a> {
        let cells = COLUMNS.iter().map(|_| Cell::Nothing).collect();
        let mut row = Row { network, names, cells };
        if let Some(point) = scene.point {
            row.count(Column::Point, point);
        } else {
            row.text(Column::Scene, scene.kind.as_str());
            row.count(Column::Nth, scene.nth);
        }
        row.set(Column::Time, Cell::Instant(event.at.as_ps()));
        row.text(Column::Event, event.what.name());
        row.fill(&event.what);
        row
    }

    fn set(&mut self, column: Column, cell: Cell<'a>) {
        self.cells[column as usize] = cell;
    }

    fn text(&mut self, column: Column, text: impl Into<Cow<'a, str>>) {
        self.set(column, Cell::Text(text.into()));
    }

    fn count(&mut self, column: Column, count: u32) {
        self.set(column, Cell::Count(u64::from(count)));
    }

    fn port(&mut self, column: Column, end: End) {
        self.text(column, port_name(self.network, end));
    }

    fn host(&mut self, column: Column, host: HostId) {
        self.text(column, self.network.name_of(Node::Host(host)));
    }

    fn name(&self, worm: u32) -> Cow<'a, str> {
        // A log has every start that matters; another's log may not.
        self.names.name(worm).map_or_else(|| format!("worm {worm}").into(), Cow::Borrowed)
    }

    fn worm(&mut self, worm: u32) {
        self.text(Column::Message, self.name(worm));
    }

    fn fill(&mut self, what: &'a EventKind) {
        match what {
            EventKind::Start { worm, port, turns, payload, .. } => {
                self.worm(*worm);
                self.port(Column::Port, *port);
                self.count(Column::RouteFlits, *turns);
                self.count(Column::PayloadFlits, *payload);
            }
            EventKind::Arrive { worm, port } => {
                self.worm(*worm);
                self.port(Column::Port, *port);
            }
            EventKind::Wait { worm, input, output }
            | EventKind::Grant { worm, input, output }
            | EventKind::Release { worm, input, output } => {
                self.worm(*worm);
                self.port(Column::Input, *input);
                self.port(Column::Output, *output);
            }
            EventKind::Flow { port, flow } => {
                self.port(Column::Port, *port);
                self.count(Column::Occupancy, flow.occupancy);
                self.count(Column::Inflow, flow.inflow);
                self.count(Column::Outflow, flow.outflow);
            }
            EventKind::Control { port, .. } => self.port(Column::Port, *port),
            EventKind::Reset { worm, output } => {
                self.worm(*worm);
                self.port(Column::Output, *output);
            }
            EventKind::Deadlock { nth, members } => {
                self.count(Column::Deadlock, *nth);
                let port = |end| port_name(self.network, end);
                let members = members.iter();
                let members =
                    members.map(|(worm, i, o)| (Some(self.name(*worm).into_owned()), port(*i), port(*o)));
                let members = members.collect();
                self.set(Column::Members, Cell::Members(members));
            }
            EventKind::Circle { nth, priority, members } => self.circle(*nth, *priority, members),
            EventKind::Pause { port, obeyed, says } => self.pause(*port, *obeyed, *says),
            EventKind::Clear { nth, output } => {
                self.count(Column::Deadlock, *nth);
                self.port(Column::Output, *output);
            }
            EventKind::End { worm, fate } => self.end(*worm, fate),
            EventKind::Cable { link, up } => {
                let link = self.network.link(*link);
                self.port(Column::A, link.a);
                self.port(Column::B, link.b);
                self.set(Column::Up, Cell::Flag(*up));
            }
            EventKind::Send(message) => {
                self.describe(message);
                self.set(Column::Route, Cell::Turns(&message.route));
            }
            EventKind::Receive(message) => self.describe(message),
            EventKind::Frame { port, arrives, source, destination, bytes } => {
                self.port(Column::Port, *port);
                self.set(Column::Arrives, Cell::Flag(*arrives));
                self.host(Column::Source, *source);
                if let Some(destination) = destination {
                    self.host(Column::Destination, *destination);
                }
                self.count(Column::LengthBytes, *bytes);
            }
        }
    }

    fn circle(&mut self, nth: u32, priority: u8, members: &[(End, End)]) {
        self.count(Column::Deadlock, nth);
        self.count(Column::Priority, u32::from(priority));
        let port = |end| port_name(self.network, end);
        let members = members.iter().map(|(i, o)| (None, port(*i), port(*o))).collect();
        self.set(Column::Members, Cell::Members(members));
    }

    fn pause(&mut self, port: End, obeyed: bool, says: PauseFrame) {
        self.port(Column::Port, port);
        self.set(Column::Obeyed, Cell::Flag(obeyed));
        self.set(Column::Priorities, Cell::Bits(says.priorities));
        self.set(Column::Paused, Cell::Bits(says.paused));
        if says.quanta < u16::MAX {
            self.count(Column::Quanta, u32::from(says.quanta));
        }
    }

    fn end(&mut self, worm: u32, fate: &Result<HostId, Cause>) {
        self.worm(worm);
        match fate {
            Ok(host) => {
                self.text(Column::Fate, "delivered");
                self.host(Column::Host, *host);
            }
            Err(cause) => {
                self.text(Column::Fate, cause.state());
                self.text(Column::Cause, cause_name(*cause));
            }
        }
    }

    fn describe(&mut self, message: &'a Message) {
        self.host(Column::Host, message.host);
        self.text(Column::Kind, message.kind.as_str());
        self.set(Column::Nonce, Cell::Count(message.nonce));
        self.count(Column::Length, message.length);
        self.set(Column::Bytes, Cell::Hex(&message.bytes));
    }

    /// The row as a JSON object: what it does not have is not there.
    ///
    /// # Errors
    /// Those of writing.
    pub(super) fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let mut before = '{';
        for (name, cell) in COLUMNS.iter().zip(&self.cells) {
            if !matches!(cell, Cell::Nothing) {
                write!(out, "{before}\"{name}\":")?;
                cell.write_json(out)?;
                before = ',';
            }
        }
        out.write_all(b"}\n")
    }

    /// The row as texts, one a column.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.cells.iter().map(Cell::text)
    }
}

/// The numbers of the bits of a set, the least first.
fn bits_of(set: u8) -> impl Iterator<Item = u8> {
    (0..8).filter(move |bit| set >> bit & 1 == 1)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Nanoseconds; picoseconds are exact up to 2.5 simulated hours.
pub(super) fn nanoseconds(ps: u64) -> f64 {
    ps as f64 / 1e3
}

impl Cell<'_> {
    fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Cell::Nothing => out.write_all(b"null"),
            Cell::Text(text) => {
                let json = serde_json::Value::from(text.as_ref()).to_string();
                out.write_all(legible_json(&json).as_bytes())
            }
            Cell::Count(count) => write!(out, "{count}"),
            Cell::Instant(ps) => serde_json::to_writer(out, &nanoseconds(*ps)).map_err(io::Error::from),
            Cell::Flag(flag) => write!(out, "{flag}"),
            Cell::Turns(turns) => {
                let turns: Vec<i16> = turns.iter().map(|turn| turn.0).collect();
                serde_json::to_writer(out, &turns).map_err(io::Error::from)
            }
            Cell::Bits(bits) => {
                serde_json::to_writer(out, &bits_of(*bits).collect::<Vec<_>>()).map_err(io::Error::from)
            }
            Cell::Hex(bytes) => write!(out, "\"{}\"", hex(bytes)),
            Cell::Members(members) => out.write_all(legible_json(&members_json(members)).as_bytes()),
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Cell::Nothing => "".into(),
            Cell::Text(text) => text.as_ref().into(),
            Cell::Count(count) => count.to_string().into(),
            Cell::Instant(ps) => serde_json::Value::from(nanoseconds(*ps)).to_string().into(),
            Cell::Flag(flag) => if *flag { "true" } else { "false" }.into(),
            Cell::Turns(turns) => turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into(),
            Cell::Bits(bits) => {
                bits_of(*bits).map(|bit| bit.to_string()).collect::<Vec<_>>().join(" ").into()
            }
            Cell::Hex(bytes) => hex(bytes).into(),
            Cell::Members(members) => members_json(members).into(),
        }
    }
}

fn members_json(members: &[Member]) -> String {
    let members = members.iter().map(|(message, input, output)| match message {
        Some(message) => serde_json::json!({ "message": message, "input": input, "output": output }),
        None => serde_json::json!({ "input": input, "output": output }),
    });
    serde_json::Value::from(members.collect::<Vec<_>>()).to_string()
}
