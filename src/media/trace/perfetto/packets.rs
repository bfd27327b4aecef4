//! Trace packets: the few kinds of them that a trace of track events needs.
//!
//! # Source
//! Perfetto, `protos/perfetto/trace/`: `trace.proto`, `trace_packet.proto`, `track_event/track_descriptor.proto`,
//! `track_event/process_descriptor.proto`, `track_event/counter_descriptor.proto`, `track_event/track_event.proto` and
//! `track_event/debug_annotation.proto`. Numbers of fields are named after their messages here.

use std::io::{self, Write};

use super::proto::Proto;

mod trace {
    pub(super) const PACKET: u32 = 1;
}

mod trace_packet {
    pub(super) const TIMESTAMP: u32 = 8;
    pub(super) const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub(super) const TRACK_EVENT: u32 = 11;
    pub(super) const SEQUENCE_FLAGS: u32 = 13;
    pub(super) const TRACK_DESCRIPTOR: u32 = 60;
    pub(super) const FIRST_PACKET_ON_SEQUENCE: u32 = 87;
    /// A value of `sequence_flags`.
    pub(super) const SEQ_INCREMENTAL_STATE_CLEARED: u64 = 1;
}

mod track_descriptor {
    pub(super) const UUID: u32 = 1;
    pub(super) const NAME: u32 = 2;
    pub(super) const PROCESS: u32 = 3;
    pub(super) const PARENT_UUID: u32 = 5;
    pub(super) const COUNTER: u32 = 8;
    pub(super) const CHILD_ORDERING: u32 = 11;
    pub(super) const SIBLING_ORDER_RANK: u32 = 12;
    pub(super) const DESCRIPTION: u32 = 14;
    /// A value of `child_ordering`.
    pub(super) const EXPLICIT: u64 = 3;
}

mod process_descriptor {
    pub(super) const PID: u32 = 1;
    pub(super) const PROCESS_NAME: u32 = 6;
}

mod counter_descriptor {
    pub(super) const UNIT_NAME: u32 = 6;
}

mod track_event {
    pub(super) const DEBUG_ANNOTATIONS: u32 = 4;
    pub(super) const TYPE: u32 = 9;
    pub(super) const TRACK_UUID: u32 = 11;
    pub(super) const CATEGORIES: u32 = 22;
    pub(super) const NAME: u32 = 23;
    pub(super) const COUNTER_VALUE: u32 = 30;
    pub(super) const FLOW_IDS: u32 = 47;
    pub(super) const TERMINATING_FLOW_IDS: u32 = 48;
    /// Values of `type`.
    pub(super) const SLICE_BEGIN: u64 = 1;
    pub(super) const SLICE_END: u64 = 2;
    pub(super) const INSTANT: u64 = 3;
    pub(super) const COUNTER: u64 = 4;
}

mod debug_annotation {
    pub(super) const BOOL_VALUE: u32 = 2;
    pub(super) const UINT_VALUE: u32 = 3;
    pub(super) const STRING_VALUE: u32 = 6;
    pub(super) const NAME: u32 = 10;
    pub(super) const DICT_ENTRIES: u32 = 11;
    pub(super) const ARRAY_VALUES: u32 = 12;
}

/// Packets, each written as soon as it is made.
#[derive(Debug)]
pub(super) struct Packets<W> {
    out: W,
    packet: Proto,
    /// The number of the present sequence, from 1.
    sequence: u32,
    /// Whether the sequence has no packet yet.
    is_fresh: bool,
}

/// What a track is.
#[derive(Clone, Debug)]
pub(super) struct Description<'a> {
    pub(super) uuid: u64,
    /// The track below which it stands; a process has none.
    pub(super) parent: Option<u64>,
    pub(super) name: &'a str,
    /// Its rank among its siblings.
    pub(super) rank: u32,
    pub(super) kind: Kind<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'a> {
    /// A process with this number, described for people.
    Process(u32, &'a str),
    /// Slices and instants.
    Slices,
    /// A counter of these.
    Counter(&'a str),
}

/// A flow that a slice or an instant belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlowEnd {
    None,
    /// It begins here, or goes on.
    Through(u64),
    /// It ends here.
    Last(u64),
}

/// A debug annotation: a name and a value.
#[derive(Clone, Debug)]
pub(super) struct Note(pub(super) &'static str, pub(super) Value);

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    Flag(bool),
    Rows(Vec<Vec<Note>>),
}

/// Name, category and annotations of a slice or an instant.
#[derive(Clone, Debug)]
pub(super) struct Label<'a> {
    pub(super) name: &'a str,
    pub(super) category: &'static str,
    pub(super) flow: FlowEnd,
    pub(super) notes: Vec<Note>,
}

impl<W: Write> Packets<W> {
    pub(super) fn new(out: W) -> Packets<W> {
        Packets { out, packet: Proto::default(), sequence: 0, is_fresh: true }
    }

    /// Ends the present sequence; times of the next may begin anew.
    pub(super) fn begin_sequence(&mut self) {
        self.sequence += 1;
        self.is_fresh = true;
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Describes a track; before the first event on it.
    pub(super) fn describe(&mut self, track: &Description<'_>) -> io::Result<()> {
        use track_descriptor as field;
        self.write(|packet| {
            packet.message(trace_packet::TRACK_DESCRIPTOR, |it| {
                it.number(field::UUID, track.uuid);
                if let Some(parent) = track.parent {
                    it.number(field::PARENT_UUID, parent);
                }
                it.text(field::NAME, track.name);
                it.number(field::CHILD_ORDERING, field::EXPLICIT);
                it.number(field::SIBLING_ORDER_RANK, u64::from(track.rank));
                match track.kind {
                    Kind::Slices => {}
                    Kind::Counter(unit) => {
                        it.message(field::COUNTER, |it| it.text(counter_descriptor::UNIT_NAME, unit));
                    }
                    Kind::Process(pid, description) => {
                        it.text(field::DESCRIPTION, description);
                        it.message(field::PROCESS, |it| {
                            it.number(process_descriptor::PID, u64::from(pid));
                            it.text(process_descriptor::PROCESS_NAME, track.name);
                        });
                    }
                }
            });
        })
    }

    /// A slice begins inside those that are open on the track.
    pub(super) fn begin(&mut self, ns: u64, track: u64, label: &Label<'_>) -> io::Result<()> {
        self.event(ns, track, track_event::SLICE_BEGIN, |it| write_label(it, label))
    }

    /// The innermost slice that is open on the track ends.
    pub(super) fn end(&mut self, ns: u64, track: u64, notes: &[Note]) -> io::Result<()> {
        self.event(ns, track, track_event::SLICE_END, |it| write_notes(it, notes))
    }

    /// Something happens in no time.
    pub(super) fn instant(&mut self, ns: u64, track: u64, label: &Label<'_>) -> io::Result<()> {
        self.event(ns, track, track_event::INSTANT, |it| write_label(it, label))
    }

    /// A counter has this value from now on.
    pub(super) fn count(&mut self, ns: u64, track: u64, value: u32) -> io::Result<()> {
        self.event(ns, track, track_event::COUNTER, |it| {
            it.number(track_event::COUNTER_VALUE, u64::from(value));
        })
    }

    fn event(&mut self, ns: u64, track: u64, kind: u64, fill: impl FnOnce(&mut Proto)) -> io::Result<()> {
        self.write(|packet| {
            packet.number(trace_packet::TIMESTAMP, ns);
            packet.message(trace_packet::TRACK_EVENT, |it| {
                it.number(track_event::TYPE, kind);
                it.number(track_event::TRACK_UUID, track);
                fill(it);
            });
        })
    }

    fn write(&mut self, fill: impl FnOnce(&mut Proto)) -> io::Result<()> {
        let (sequence, is_fresh) = (self.sequence, std::mem::take(&mut self.is_fresh));
        self.packet.bytes.clear();
        self.packet.message(trace::PACKET, |packet| {
            fill(packet);
            packet.number(trace_packet::TRUSTED_PACKET_SEQUENCE_ID, u64::from(sequence));
            if is_fresh {
                packet.number(trace_packet::SEQUENCE_FLAGS, trace_packet::SEQ_INCREMENTAL_STATE_CLEARED);
                packet.number(trace_packet::FIRST_PACKET_ON_SEQUENCE, 1);
            }
        });
        self.out.write_all(&self.packet.bytes)
    }
}

fn write_label(it: &mut Proto, label: &Label<'_>) {
    it.text(track_event::NAME, label.name);
    it.text(track_event::CATEGORIES, label.category);
    match label.flow {
        FlowEnd::None => {}
        FlowEnd::Through(id) => it.fixed(track_event::FLOW_IDS, id),
        FlowEnd::Last(id) => it.fixed(track_event::TERMINATING_FLOW_IDS, id),
    }
    write_notes(it, &label.notes);
}

fn write_notes(it: &mut Proto, notes: &[Note]) {
    for note in notes {
        it.message(track_event::DEBUG_ANNOTATIONS, |it| write_note(it, note));
    }
}

fn write_note(it: &mut Proto, Note(name, value): &Note) {
    use debug_annotation as field;
    it.text(field::NAME, name);
    match value {
        Value::Text(text) => it.text(field::STRING_VALUE, text),
        Value::Number(number) => it.number(field::UINT_VALUE, *number),
        Value::Flag(flag) => it.number(field::BOOL_VALUE, u64::from(*flag)),
        Value::Rows(rows) => {
            for row in rows {
                it.message(field::ARRAY_VALUES, |it| {
                    for note in row {
                        it.message(field::DICT_ENTRIES, |it| write_note(it, note));
                    }
                });
            }
        }
    }
}
