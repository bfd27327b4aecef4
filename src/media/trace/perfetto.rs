//! A log as a trace that ui.perfetto.dev and trace_processor open: native track events, protocol buffers.
//!
//! ```text
//!   point 3, load 0.006            a process a scene
//!     deadlocks, cables            slices from forming to breaking, from failing to returning
//!     s0                           a track a node, and below it
//!       s0:1 in                      a slice a worm, from the arrival of its head to the departure of its tail;
//!                                    inside it one of waiting; instants: STOP, GO, PAUSE
//!       s0:1 buffer                  a counter: flits
//!       s0:3 out                     a slice a worm, from grant to release; instants: resets, pauses obeyed
//!     c00                          at a host as well
//!       c00 process                  instants: what its process sends and receives
//! ```
//! Worms that lie in one buffer overlap without one being inside the other, which a track cannot show. So a port has as
//! many tracks of the same name as worms are in it at once; Perfetto draws siblings of one name as one, in several
//! lines. A worm's slice begins with its head's true arrival, wherever it stands in the queue.
//!
//! A flow joins the slices of a worm, hop by hop. It begins where a process sends, if that is known, and goes on
//! through the answer; it ends where the receiver's process has it, or else where the worm does.
//!
//! # Scope and limitations
//! Times are the scene's, from 0, on Perfetto's default clock (boot time), in whole nanoseconds, rounded down from
//! picoseconds: scenes lie one below the other, not one after the other. Each scene is a packet sequence, in which
//! times never go back. Tracks are described when something first happens on them. A counter has a sample at every
//! change of flow, and, from the rates at which flits flow, at every arrival, grant, release, STOP and GO there; the
//! truth in between is a slope. An Ethernet frame is a slice from its first bit's departure to its last bit's arrival
//! at the other end. Slices whose end a log does not have end with the last event of the scene, annotated `open`.
//! Memory grows with what is alive, not with the log.
//!
//! # Source
//! Perfetto's documentation, "Writing TrackEvent protos synthetically", and its `protos/perfetto/trace`; see
//! `perfetto/packets.rs` for the fields.
//!
//! # Validation
//! `tests/it/interop/perfetto.rs`: decoded by a reader of its own and by Perfetto's Python package, and counted against
//! the log.

mod flows;
mod packets;
mod proto;
mod rows;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

use self::flows::MessageFlows;
use self::packets::{FlowEnd, Label, Note, Value};
use self::rows::{Row, Rows, Who};
use super::{Event, EventKind, Heading, Message, Names, Scene, Sink, cause_name};
use crate::ethernet::PauseFrame;
use crate::fabric::{Cause, Flow};
use simnet_base::ids::{HostId, Node};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::End;

/// Writes a Perfetto trace.
#[derive(Debug)]
pub struct Perfetto<W> {
    rows: Rows<W>,
    base_cycle: Duration,
    names: Names,
    flows: MessageFlows,
    /// Per worm that is alive: its flow, whether that has begun and ended, and where it is.
    worms: BTreeMap<u32, Worm>,
    /// Per buffer: when its flow last changed, to what, and the last sample.
    buffers: BTreeMap<End, (Time, Flow, u32)>,
    /// Per port: frames that have left it and have not arrived.
    frames: BTreeMap<End, VecDeque<Frame>>,
    now: Time,
}

#[derive(Debug)]
struct Worm {
    flow: u64,
    has_begun: bool,
    /// Its head has reached a host.
    has_ended: bool,
    rows: Vec<Row>,
}

#[derive(Debug, PartialEq, Eq)]
struct Frame {
    flow: u64,
    what: (HostId, Option<HostId>, u32),
}

impl<W: Write> Perfetto<W> {
    /// Begins a trace of a log with this heading.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, heading: &Heading) -> io::Result<Perfetto<W>> {
        let about = format!(
            "simnet: {}, seed {}. Simulated time from 0, in ns, rounded down from ps.",
            heading.scenario, heading.seed
        );
        Ok(Perfetto {
            rows: Rows::new(out, heading.network.clone(), about),
            base_cycle: heading.base_cycle,
            names: Names::default(),
            flows: MessageFlows::default(),
            worms: BTreeMap::new(),
            buffers: BTreeMap::new(),
            frames: BTreeMap::new(),
            now: Time::ZERO,
        })
    }

    fn name(&self, worm: u32) -> String {
        self.names.name(worm).map_or_else(|| format!("worm {worm}"), str::to_owned)
    }

    /// The flow of a worm where it is seen once more.
    fn flow(&mut self, worm: u32, is_last: bool) -> FlowEnd {
        let flows = &mut self.flows;
        let new = || Worm { flow: flows.fresh(), has_begun: false, has_ended: false, rows: Vec::new() };
        let worm = self.worms.entry(worm).or_insert_with(new);
        if worm.has_ended {
            return FlowEnd::None;
        }
        worm.has_ended = is_last;
        // What is seen once only has nothing to be joined to.
        match (is_last, std::mem::replace(&mut worm.has_begun, true)) {
            (true, true) => FlowEnd::Last(worm.flow),
            (true, false) => FlowEnd::None,
            (false, _) => FlowEnd::Through(worm.flow),
        }
    }

    /// Begins a worm's slice.
    fn enter(&mut self, row: Row, worm: u32, is_last: bool, notes: Vec<Note>) -> io::Result<()> {
        let flow = self.flow(worm, is_last);
        let name = self.name(worm);
        if let Some(worm) = self.worms.get_mut(&worm) {
            worm.rows.push(row);
        }
        self.rows.open(row, Who::Worm(worm), &Label { name: &name, category: "worm", flow, notes })
    }

    /// Ends it.
    fn leave(&mut self, row: Row, worm: u32) -> io::Result<()> {
        if let Some(worm) = self.worms.get_mut(&worm)
            && let Some(position) = worm.rows.iter().position(|other| *other == row)
            && worm.rows.len() > 1
        {
            // The last one is kept: an end without a host is reported there.
            worm.rows.remove(position);
        }
        self.rows.close(row, Who::Worm(worm), &[])
    }

    fn starts(&mut self, worm: u32, port: End, turns: u32, payload: u32) -> io::Result<()> {
        if let Node::Host(host) = port.node
            && let Some(flow) = self.flows.started(worm, host, turns, payload)
        {
            self.worms.insert(worm, Worm { flow, has_begun: true, has_ended: false, rows: Vec::new() });
        }
        let notes = vec![
            Note("route flits", Value::Number(turns.into())),
            Note("other flits", Value::Number(payload.into())),
        ];
        self.rows.vacate(Row::Out(port))?;
        self.enter(Row::Out(port), worm, false, notes)
    }

    fn arrives(&mut self, worm: u32, port: End) -> io::Result<()> {
        let is_last = match port.node {
            Node::Host(_) => !self.flows.carries(worm),
            Node::Switch(_) => false,
        };
        self.enter(Row::In(port), worm, is_last, Vec::new())?;
        self.sample(port)
    }

    fn waits(&mut self, worm: u32, input: End, output: End) -> io::Result<()> {
        let name = format!("waits for {}", self.rows.port(output));
        let label = Label { name: &name, category: "wait", flow: FlowEnd::None, notes: Vec::new() };
        self.rows.wait(Row::In(input), Who::Worm(worm), &label)
    }

    fn is_granted(&mut self, worm: u32, input: End, output: End) -> io::Result<()> {
        self.rows.resume(Row::In(input), Who::Worm(worm))?;
        // Its last owner's release may have been left out.
        self.rows.vacate(Row::Out(output))?;
        let notes = vec![Note("from", Value::Text(self.rows.port(input)))];
        self.enter(Row::Out(output), worm, false, notes)?;
        self.sample(input)
    }

    fn releases(&mut self, worm: u32, input: End, output: End) -> io::Result<()> {
        self.leave(Row::Out(output), worm)?;
        // A worm that turns back leaves a switch by the port by which it came; its sender it leaves as it began.
        if matches!(input.node, Node::Switch(_)) {
            self.leave(Row::In(input), worm)?;
            self.sample(input)?;
        }
        Ok(())
    }

    fn buffer(&mut self, port: End, flow: Flow) -> io::Result<()> {
        self.buffers.insert(port, (self.now, flow, flow.occupancy));
        self.rows.count(port, flow.occupancy)
    }

    /// Writes how full a buffer has become at the rates that were last reported, unless that was written.
    fn sample(&mut self, port: End) -> io::Result<()> {
        let Some((since, flow, last)) = self.buffers.get_mut(&port) else { return Ok(()) };
        let flits = occupancy_after(*flow, self.now.since(*since), self.base_cycle);
        if flits == *last {
            return Ok(());
        }
        *last = flits;
        self.rows.count(port, flits)
    }

    fn is_reset(&mut self, worm: u32, output: End) -> io::Result<()> {
        let name = format!("reset of {}", self.name(worm));
        let label = Label { name: &name, category: "reset", flow: FlowEnd::None, notes: Vec::new() };
        self.rows.instant(Row::Out(output), Some(Who::Worm(worm)), &label)
    }

    fn is_deadlocked(&mut self, nth: u32, members: &[(u32, End, End)]) -> io::Result<()> {
        let rows = members.iter().map(|member| self.member_notes(member)).collect();
        let notes = vec![Note("members", Value::Rows(rows))];
        let name = format!("deadlock {nth}");
        let label = Label { name: &name, category: "deadlock", flow: FlowEnd::None, notes };
        self.rows.open(Row::Deadlocks, Who::Deadlock(nth), &label)?;
        let label = Label { notes: Vec::new(), ..label };
        for (worm, input, _) in members {
            self.rows.instant(Row::In(*input), Some(Who::Worm(*worm)), &label)?;
        }
        Ok(())
    }

    fn has_closed(&mut self, nth: u32, priority: u8, members: &[(End, End)]) -> io::Result<()> {
        let port = |end| Value::Text(self.rows.port(end));
        let notes =
            |(input, output): &(End, End)| vec![Note("input", port(*input)), Note("output", port(*output))];
        let rows = members.iter().map(notes).collect();
        let notes =
            vec![Note("priority", Value::Number(priority.into())), Note("members", Value::Rows(rows))];
        let name = format!("deadlock {nth}");
        let label = Label { name: &name, category: "deadlock", flow: FlowEnd::None, notes };
        self.rows.open(Row::Deadlocks, Who::Deadlock(nth), &label)?;
        let label = Label { notes: Vec::new(), ..label };
        members.iter().try_for_each(|(_, output)| self.rows.instant(Row::Out(*output), None, &label))
    }

    fn pauses(&mut self, port: End, obeyed: bool, says: PauseFrame) -> io::Result<()> {
        let list = |set: u8| {
            let of: Vec<String> =
                (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
            of.join(" ")
        };
        let notes = vec![
            Note("XOFF", Value::Text(list(says.paused))),
            Note("XON", Value::Text(list(says.priorities & !says.paused))),
        ];
        let (name, row) = if obeyed { ("obeys PAUSE", Row::Out(port)) } else { ("PAUSE", Row::In(port)) };
        self.rows.instant(row, None, &Label { name, category: "flow control", flow: FlowEnd::None, notes })
    }

    /// The notes on a worm of a deadlock: what it is called, and the ports between which it waits.
    fn member_notes(&self, (worm, input, output): &(u32, End, End)) -> Vec<Note> {
        vec![
            Note("message", Value::Text(self.name(*worm))),
            Note("input", Value::Text(self.rows.port(*input))),
            Note("output", Value::Text(self.rows.port(*output))),
        ]
    }

    fn is_cleared(&mut self, nth: u32, output: End) -> io::Result<()> {
        let name = format!("deadlock {nth} cleared");
        let notes = vec![Note("output", Value::Text(self.rows.port(output)))];
        self.rows.close(Row::Deadlocks, Who::Deadlock(nth), &notes)?;
        let label = Label { name: &name, category: "clear", flow: FlowEnd::None, notes: Vec::new() };
        self.rows.instant(Row::Out(output), None, &label)
    }

    fn ends(&mut self, worm: u32, fate: Result<HostId, Cause>) -> io::Result<()> {
        self.flows.ended(worm, fate.ok());
        let name = self.name(worm);
        let (name, notes) = match fate {
            Ok(_) => (format!("{name} delivered"), Vec::new()),
            Err(cause) => {
                let cause = cause_name(cause).to_owned();
                (format!("{name} destroyed"), vec![Note("cause", Value::Text(cause))])
            }
        };
        let known = self.worms.remove(&worm);
        let flow = match &known {
            Some(worm) if fate.is_err() && worm.has_begun && !worm.has_ended => FlowEnd::Last(worm.flow),
            _ => FlowEnd::None,
        };
        let rows = known.map(|worm| worm.rows).unwrap_or_default();
        for row in &rows {
            self.rows.close(*row, Who::Worm(worm), &[])?;
        }
        let row = rows.last().copied().unwrap_or(Row::Scene);
        self.rows.instant(row, None, &Label { name: &name, category: "end", flow, notes })
    }

    fn cable(&mut self, link: simnet_base::ids::LinkId, up: bool) -> io::Result<()> {
        let name = if up { "returns" } else { "fails" };
        let label = Label { name, category: "cable", flow: FlowEnd::None, notes: Vec::new() };
        let row = Row::Cable(link);
        self.rows.close(row, Who::Failure, &[])?;
        if !up {
            self.rows.open(row, Who::Failure, &Label { name: "down", ..label.clone() })?;
        }
        self.rows.instant(row, None, &label)
    }

    fn controls(&mut self, port: End, stop: bool) -> io::Result<()> {
        let name = if stop { "STOP" } else { "GO" };
        self.sample(port)?;
        let label = Label { name, category: "flow control", flow: FlowEnd::None, notes: Vec::new() };
        self.rows.instant(Row::In(port), None, &label)
    }

    fn says(&mut self, message: &Message, is_sent: bool) -> io::Result<()> {
        let (verb, flow) = if is_sent {
            ("sends", FlowEnd::Through(self.flows.sent(message)))
        } else {
            let flow = match self.flows.received(message) {
                None => FlowEnd::None,
                Some((flow, false)) => FlowEnd::Through(flow),
                Some((flow, true)) => FlowEnd::Last(flow),
            };
            ("receives", flow)
        };
        let mut notes = vec![
            Note("nonce", Value::Number(message.nonce)),
            Note("length", Value::Number(message.length.into())),
        ];
        if is_sent {
            let turns: Vec<String> = message.route.iter().map(ToString::to_string).collect();
            notes.push(Note("route", Value::Text(turns.join(" "))));
        }
        let name = format!("{verb} {}", message.kind);
        let label = Label { name: &name, category: "process", flow, notes };
        self.rows.instant(Row::Process(message.host), None, &label)
    }

    fn frame(
        &mut self,
        port: End,
        arrives: bool,
        source: HostId,
        destination: Option<HostId>,
        bytes: u32,
    ) -> io::Result<()> {
        let network = self.rows.network();
        let to = destination.map_or("everybody", |host| network.name_of(Node::Host(host)));
        let name = format!("{} to {to}, {bytes} B", network.name_of(Node::Host(source)));
        let what = (source, destination, bytes);
        let label = |flow| Label { name: &name, category: "frame", flow, notes: Vec::new() };
        if !arrives {
            let flow = self.flows.fresh();
            self.frames.entry(port).or_default().push_back(Frame { flow, what });
            return self.rows.open(Row::Out(port), Who::Frame(flow), &label(FlowEnd::Through(flow)));
        }
        let sender = network.peer(port);
        let mut flow = FlowEnd::None;
        // A frame that another overtakes was lost with its cable.
        if let Some((sender, frames)) =
            sender.and_then(|sender| Some((sender, self.frames.get_mut(&sender)?)))
            && let Some(position) = frames.iter().position(|frame| frame.what == what)
        {
            for frame in frames.drain(..=position) {
                self.rows.close(Row::Out(sender), Who::Frame(frame.flow), &[])?;
                flow = FlowEnd::Last(frame.flow);
            }
        }
        self.rows.instant(Row::In(port), None, &label(flow))
    }
}

impl<W: Write> Sink for Perfetto<W> {
    fn scene(&mut self, scene: &Scene) -> io::Result<()> {
        self.names = Names::default();
        self.flows = MessageFlows::for_scene(scene.nth);
        self.worms.clear();
        self.buffers.clear();
        self.frames.clear();
        self.now = Time::ZERO;
        self.rows.begin_scene(scene.nth, scene.to_string())
    }

    fn event(&mut self, _scene: &Scene, event: &Event) -> io::Result<()> {
        self.names.learn(event);
        self.rows.at(event.at);
        self.now = self.now.max(event.at);
        match &event.what {
            EventKind::Start { worm, port, turns, payload, .. } => {
                self.starts(*worm, *port, *turns, *payload)
            }
            EventKind::Arrive { worm, port } => self.arrives(*worm, *port),
            EventKind::Wait { worm, input, output } => self.waits(*worm, *input, *output),
            EventKind::Grant { worm, input, output } => self.is_granted(*worm, *input, *output),
            EventKind::Release { worm, input, output } => self.releases(*worm, *input, *output),
            EventKind::Flow { port, flow } => self.buffer(*port, *flow),
            EventKind::Control { port, stop } => self.controls(*port, *stop),
            EventKind::Reset { worm, output } => self.is_reset(*worm, *output),
            EventKind::Deadlock { nth, members } => self.is_deadlocked(*nth, members),
            EventKind::Circle { nth, priority, members } => self.has_closed(*nth, *priority, members),
            EventKind::Pause { port, obeyed, says } => self.pauses(*port, *obeyed, *says),
            EventKind::Clear { nth, output } => self.is_cleared(*nth, *output),
            EventKind::End { worm, fate } => self.ends(*worm, *fate),
            EventKind::Cable { link, up } => self.cable(*link, *up),
            EventKind::Send(message) => self.says(message, true),
            EventKind::Receive(message) => self.says(message, false),
            EventKind::Frame { port, arrives, source, destination, bytes } => {
                self.frame(*port, *arrives, *source, *destination, *bytes)
            }
        }
    }

    fn skip(&mut self, _scene: &Scene, event: &Event) {
        self.names.learn(event);
    }

    fn end(&mut self, _scene: &Scene) -> io::Result<()> {
        self.rows.end_scene()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        // Does nothing where the last scene was ended.
        self.rows.end_scene()?;
        self.rows.finish()
    }
}

/// What a buffer holds after some time, at the rates of its flow.
fn occupancy_after(flow: Flow, time: Duration, base_cycle: Duration) -> u32 {
    let cycles = time.as_ps() / base_cycle.as_ps().max(1);
    let moved = |interval: u32| cycles.checked_div(interval.into()).unwrap_or(0);
    let flits = (u64::from(flow.occupancy) + moved(flow.inflow)).saturating_sub(moved(flow.outflow));
    u32::try_from(flits).unwrap_or(u32::MAX)
}
