//! A reader of Perfetto traces that shares nothing with the writer: any protocol buffer field by field, and of the
//! schema only the numbers below, taken from Perfetto's `perfetto_trace.proto`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The value of a field.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in the order of the file. Panics at what is none.
fn fields(mut rest: &[u8]) -> Vec<(u64, Value<'_>)> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut rest)),
            1 => Value::Number(u64::from_le_bytes(take(&mut rest, 8).try_into().unwrap())),
            2 => {
                let length = usize::try_from(varint(&mut rest)).unwrap();
                Value::Bytes(take(&mut rest, length))
            }
            other => panic!("wire type {other}"),
        };
        assert!(key >> 3 > 0, "no field has number 0");
        fields.push((key >> 3, value));
    }
    fields
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a varint of more than ten bytes");
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

impl<'a> Value<'a> {
    fn number(self) -> u64 {
        let Value::Number(number) = self else { panic!("{self:?} is no number") };
        number
    }

    fn bytes(self) -> &'a [u8] {
        let Value::Bytes(bytes) = self else { panic!("{self:?} has no length") };
        bytes
    }

    fn text(self) -> String {
        String::from_utf8(self.bytes().to_vec()).unwrap()
    }
}

fn all<'a>(message: &[(u64, Value<'a>)], field: u64) -> Vec<Value<'a>> {
    message.iter().filter(|(number, _)| *number == field).map(|(_, value)| *value).collect()
}

/// The only value of a field, if it has one.
fn one<'a>(message: &[(u64, Value<'a>)], field: u64) -> Option<Value<'a>> {
    let values = all(message, field);
    assert!(values.len() <= 1, "field {field} stands there {} times", values.len());
    values.first().copied()
}

/// A track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Track {
    pub(crate) parent: Option<u64>,
    pub(crate) name: String,
    /// The number of the process, if it is one.
    pub(crate) process: Option<u64>,
    pub(crate) is_counter: bool,
}

/// A slice, or an instant, whose end is its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) track: u64,
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) is_instant: bool,
    /// How many slices it lies in.
    pub(crate) depth: usize,
    /// The flows it belongs to, and whether they end here.
    pub(crate) flows: Vec<(u64, bool)>,
    /// Its annotations: name and text, in the order of the file; those of its end too.
    pub(crate) notes: Vec<(String, String)>,
}

/// A trace, read whole.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) tracks: BTreeMap<u64, Track>,
    /// In the order in which they begin.
    pub(crate) slices: Vec<Slice>,
    /// Per sample: the track, the time, the value.
    pub(crate) samples: Vec<(u64, u64, u64)>,
}

impl Trace {
    /// Reads a trace and checks what Perfetto asks for: tracks are described before they are used, slices end in the
    /// reverse order of their beginnings, times of a sequence do not go back, its first packet clears its state.
    pub(crate) fn read(file: &[u8]) -> Trace {
        let mut trace = Trace::default();
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, packet) in fields(file) {
            assert_eq!(number, 1, "a trace has packets only");
            let packet = fields(packet.bytes());
            let sequence = one(&packet, 10).expect("every packet belongs to a sequence").number();
            assert_ne!(sequence, 0);
            let is_first = !last.contains_key(&sequence);
            let flags = one(&packet, 13).map_or(0, Value::number);
            assert_eq!((flags, one(&packet, 87).is_some()), (u64::from(is_first), is_first));
            let before = last.entry(sequence).or_default();
            if let Some(descriptor) = one(&packet, 60) {
                trace.describe(&fields(descriptor.bytes()));
            } else {
                let event = one(&packet, 11).expect("an event or a descriptor").bytes();
                let at = one(&packet, 8).expect("every event has a time").number();
                assert!(*before <= at, "time goes back from {before} to {at}");
                *before = at;
                trace.take(at, &fields(event), &mut open);
            }
        }
        assert!(open.values().all(Vec::is_empty), "slices that do not end: {open:?}");
        trace
    }

    fn describe(&mut self, descriptor: &[(u64, Value<'_>)]) {
        let uuid = one(descriptor, 1).unwrap().number();
        let parent = one(descriptor, 5).map(Value::number);
        assert!(parent.is_none_or(|parent| self.tracks.contains_key(&parent)));
        let name = one(descriptor, 2).unwrap().text();
        let process = one(descriptor, 3).map(|process| {
            let process = fields(process.bytes());
            assert_eq!(one(&process, 6).unwrap().text(), name);
            one(&process, 1).unwrap().number()
        });
        assert_ne!(parent.is_some(), process.is_some(), "only processes have no parent");
        let is_counter = one(descriptor, 8).is_some();
        let before = self.tracks.insert(uuid, Track { parent, name, process, is_counter });
        assert!(before.is_none() && uuid != 0, "two tracks of one number");
    }

    fn take(&mut self, at: u64, event: &[(u64, Value<'_>)], open: &mut BTreeMap<u64, Vec<usize>>) {
        let track = one(event, 11).unwrap().number();
        let described = self.tracks.get(&track).expect("described before it is used");
        let kind = one(event, 9).unwrap().number();
        assert_eq!(described.is_counter, kind == 4);
        let open = open.entry(track).or_default();
        match kind {
            1 | 3 => {
                let slice = slice(track, at, kind == 3, open.len(), event);
                if kind == 1 {
                    open.push(self.slices.len());
                }
                self.slices.push(slice);
            }
            2 => {
                let ended = &mut self.slices[open.pop().expect("an end has a beginning")];
                ended.end = at;
                ended.notes.extend(notes(event));
            }
            4 => self.samples.push((track, at, one(event, 30).unwrap().number())),
            other => panic!("an event of type {other}"),
        }
    }

    /// The names of a track and of all above it, from the process down.
    pub(crate) fn path(&self, track: u64) -> String {
        let track = &self.tracks[&track];
        let above = track.parent.map(|parent| self.path(parent) + " / ").unwrap_or_default();
        above + &track.name
    }

    /// The number of the process that a track belongs to.
    pub(crate) fn process(&self, track: u64) -> u64 {
        let track = &self.tracks[&track];
        track.parent.map_or_else(|| track.process.unwrap(), |parent| self.process(parent))
    }

    /// Everything as text, to be compared with what another reader says.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (uuid, track) in &self.tracks {
            let _ = writeln!(text, "track {} counter={}", self.path(*uuid), u8::from(track.is_counter));
        }
        for slice in &self.slices {
            let kind = if slice.is_instant { "instant" } else { "slice" };
            let path = self.path(slice.track);
            let (name, category, begin, end) = (&slice.name, &slice.category, slice.begin, slice.end);
            let _ = write!(text, "{kind} {path} | {name} [{category}] {begin}..{end} depth={}", slice.depth);
            for (flow, is_last) in &slice.flows {
                let _ = write!(text, " {}={flow}", if *is_last { "last" } else { "flow" });
            }
            for (name, value) in &slice.notes {
                let _ = write!(text, " {name}={value}");
            }
            text.push('\n');
        }
        for (track, at, value) in &self.samples {
            let _ = writeln!(text, "sample {} {at} {value}", self.path(*track));
        }
        text
    }
}

fn slice(track: u64, at: u64, is_instant: bool, depth: usize, event: &[(u64, Value<'_>)]) -> Slice {
    let flows = |field, is_last| all(event, field).into_iter().map(move |id| (id.number(), is_last));
    Slice {
        track,
        name: one(event, 23).expect("a slice has a name").text(),
        category: one(event, 22).expect("and a category").text(),
        begin: at,
        end: at,
        is_instant,
        depth,
        flows: flows(47, false).chain(flows(48, true)).collect(),
        notes: notes(event),
    }
}

fn notes(event: &[(u64, Value<'_>)]) -> Vec<(String, String)> {
    all(event, 4).into_iter().map(|note| note_of(&fields(note.bytes()))).collect()
}

fn note_of(note: &[(u64, Value<'_>)]) -> (String, String) {
    let name = one(note, 10).unwrap().text();
    let rows = all(note, 12);
    let value = match (one(note, 6), one(note, 3), one(note, 2)) {
        (Some(text), None, None) => text.text(),
        (None, Some(number), None) => number.number().to_string(),
        (None, None, Some(flag)) => (flag.number() != 0).to_string(),
        (None, None, None) => {
            let rows = rows.iter().map(|row| {
                let entries = all(&fields(row.bytes()), 11);
                let entries = entries.into_iter().map(|entry| note_of(&fields(entry.bytes())));
                entries.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
            });
            format!("[{}]", rows.collect::<Vec<_>>().join(";"))
        }
        several => panic!("{several:?}"),
    };
    (name, value)
}
