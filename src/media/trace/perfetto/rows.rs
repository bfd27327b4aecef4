//! Tracks, and the slices that are open on them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::packets::{Description, Kind, Label, Note, Packets, Value};
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_base::units::Time;
use simnet_network::topology::{End, Network};

/// A row of slices: as many tracks of one name as slices overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    /// What happens to the scene as a whole.
    Scene,
    /// Deadlocks that are not broken.
    Deadlocks,
    /// A cable's failures.
    Cable(LinkId),
    /// Worms or frames in an input port.
    In(End),
    /// Worms or frames that leave by an output port.
    Out(End),
    /// The process of a host.
    Process(HostId),
}

/// Who a slice is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Worm(u32),
    Deadlock(u32),
    Frame(u64),
    Failure,
}

/// A track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Track {
    Scene,
    Cables,
    Node(Node),
    Lane(Row, usize),
    Buffer(End),
}

#[derive(Debug)]
struct Lane {
    track: u64,
    open: Option<Open>,
}

/// A slice that has begun, and perhaps one of waiting inside it.
#[derive(Debug)]
struct Open {
    who: Who,
    /// Counts the slices of the scene.
    nth: u64,
    is_waiting: bool,
}

/// The tracks of the present scene.
#[derive(Debug)]
pub(super) struct Rows<W> {
    out: Packets<W>,
    network: Network,
    /// The labels of every scene.
    about: String,
    scene: (u32, String),
    tracks: BTreeMap<Track, u64>,
    lanes: BTreeMap<Row, Vec<Lane>>,
    slices: u64,
    ns: u64,
}

impl<W: Write> Rows<W> {
    pub(super) fn new(out: W, network: Network, about: String) -> Rows<W> {
        let (tracks, lanes) = (BTreeMap::new(), BTreeMap::new());
        Rows {
            out: Packets::new(out),
            network,
            about,
            scene: (0, String::new()),
            tracks,
            lanes,
            slices: 0,
            ns: 0,
        }
    }

    /// The scene at position `nth` begins: a process and a sequence of packets of its own.
    pub(super) fn begin_scene(&mut self, nth: u32, title: String) -> io::Result<()> {
        self.scene = (nth, title);
        self.tracks.clear();
        self.lanes.clear();
        (self.slices, self.ns) = (0, 0);
        self.out.begin_sequence();
        self.track(Track::Scene).map(|_| ())
    }

    /// The instant of what comes next. Nanoseconds, rounded down; they never go back.
    pub(super) fn at(&mut self, at: Time) {
        self.ns = self.ns.max(at.as_ps() / 1_000);
    }

    /// Begins a slice in the first lane of a row that has none open.
    pub(super) fn open(&mut self, row: Row, who: Who, label: &Label<'_>) -> io::Result<()> {
        let lane = self
            .lanes
            .get(&row)
            .map_or(0, |lanes| lanes.iter().position(|lane| lane.open.is_none()).unwrap_or(lanes.len()));
        let track = self.lane(row, lane)?;
        let nth = self.slices;
        self.slices += 1;
        self.lanes.get_mut(&row).expect("made above")[lane].open = Some(Open { who, nth, is_waiting: false });
        self.out.begin(self.ns, track, label)
    }

    /// Ends a slice, and what is inside it. Of several of one owner the first; nothing if it has none in this row.
    pub(super) fn close(&mut self, row: Row, who: Who, notes: &[Note]) -> io::Result<()> {
        let Some(lane) = self.held(row, |open| open.who == who) else { return Ok(()) };
        let (track, was) = (lane.track, lane.open.take());
        if was.is_some_and(|open| open.is_waiting) {
            self.out.end(self.ns, track, &[])?;
        }
        self.out.end(self.ns, track, notes)
    }

    /// Ends whatever slices are open in a row.
    pub(super) fn vacate(&mut self, row: Row) -> io::Result<()> {
        while let Some(who) = self.held(row, |_| true).and_then(|lane| Some(lane.open.as_ref()?.who)) {
            self.close(row, who, &[])?;
        }
        Ok(())
    }

    /// Begins a slice of waiting inside one of this owner that does not wait yet.
    pub(super) fn wait(&mut self, row: Row, who: Who, label: &Label<'_>) -> io::Result<()> {
        let Some(lane) = self.held(row, |open| open.who == who && !open.is_waiting) else { return Ok(()) };
        let track = lane.track;
        lane.open.as_mut().expect("it is held").is_waiting = true;
        self.out.begin(self.ns, track, label)
    }

    /// Ends it.
    pub(super) fn resume(&mut self, row: Row, who: Who) -> io::Result<()> {
        let Some(lane) = self.held(row, |open| open.who == who && open.is_waiting) else { return Ok(()) };
        let track = lane.track;
        lane.open.as_mut().expect("it is held").is_waiting = false;
        self.out.end(self.ns, track, &[])
    }

    /// Something happens in no time: in the slice of this owner, if it has one there.
    pub(super) fn instant(&mut self, row: Row, who: Option<Who>, label: &Label<'_>) -> io::Result<()> {
        let track = match self.held(row, |open| Some(open.who) == who) {
            Some(lane) => lane.track,
            None => self.lane(row, 0)?,
        };
        self.out.instant(self.ns, track, label)
    }

    /// The buffer of a port holds so many flits from now on.
    pub(super) fn count(&mut self, port: End, flits: u32) -> io::Result<()> {
        let track = self.track(Track::Buffer(port))?;
        self.out.count(self.ns, track, flits)
    }

    /// Ends all slices that are open: nothing more is known of them.
    pub(super) fn end_scene(&mut self) -> io::Result<()> {
        for lane in self.lanes.values_mut().flatten() {
            let Some(open) = lane.open.take() else { continue };
            if open.is_waiting {
                self.out.end(self.ns, lane.track, &[])?;
            }
            self.out.end(self.ns, lane.track, &[Note("open", Value::Flag(true))])?;
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The lane of a row whose open slice is such, the first begun of several.
    fn held(&mut self, row: Row, is_such: impl Fn(&Open) -> bool) -> Option<&mut Lane> {
        let lanes = self.lanes.get_mut(&row)?.iter_mut();
        lanes
            .filter(|lane| lane.open.as_ref().is_some_and(&is_such))
            .min_by_key(|lane| lane.open.as_ref().map(|open| open.nth))
    }

    /// The track of a row's lane, described if it is new.
    fn lane(&mut self, row: Row, lane: usize) -> io::Result<u64> {
        let track = match row {
            Row::Scene => self.track(Track::Scene)?,
            _ => self.track(Track::Lane(row, lane))?,
        };
        let lanes = self.lanes.entry(row).or_default();
        if lanes.len() <= lane {
            lanes.push(Lane { track, open: None });
        }
        Ok(track)
    }

    /// The number of a track, described, and those above it before it, if it is new.
    fn track(&mut self, track: Track) -> io::Result<u64> {
        if let Some(uuid) = self.tracks.get(&track) {
            return Ok(*uuid);
        }
        let parent = self.parent(track).map(|parent| self.track(parent)).transpose()?;
        let uuid = (u64::from(self.scene.0) + 1) << 32 | (self.tracks.len() as u64 + 1);
        self.tracks.insert(track, uuid);
        let (rank, name) = (self.rank(track), self.name(track));
        let kind = match track {
            Track::Scene => Kind::Process(self.scene.0 + 1, &self.about),
            Track::Buffer(_) => Kind::Counter("flits"),
            Track::Cables | Track::Node(_) | Track::Lane(..) => Kind::Slices,
        };
        self.out.describe(&Description { uuid, parent, name: &name, rank, kind })?;
        Ok(uuid)
    }

    fn parent(&self, track: Track) -> Option<Track> {
        Some(match track {
            Track::Scene => return None,
            Track::Buffer(port) | Track::Lane(Row::In(port) | Row::Out(port), _) => Track::Node(port.node),
            Track::Lane(Row::Process(host), _) => Track::Node(Node::Host(host)),
            Track::Lane(Row::Cable(_), _) => Track::Cables,
            Track::Cables | Track::Node(_) | Track::Lane(Row::Scene | Row::Deadlocks, _) => Track::Scene,
        })
    }

    /// Deadlocks and cables first, then switches, then hosts; at a node its process, then per port what comes in, the
    /// buffer, what goes out.
    fn rank(&self, track: Track) -> u32 {
        let of_port = |port: Port, row: u32| 3 * u32::from(port.0) + row + 1;
        match track {
            Track::Scene => self.scene.0,
            Track::Lane(Row::Scene | Row::Deadlocks | Row::Process(_), _) => 0,
            Track::Cables => 1,
            Track::Node(Node::Switch(id)) => 2 + id.0,
            Track::Node(Node::Host(id)) => 2 + id.0 + SwitchId::new(self.network.switches().len()).0,
            Track::Lane(Row::Cable(link), _) => link.0,
            Track::Lane(Row::In(End { port, .. }), _) => of_port(port, 0),
            Track::Buffer(End { port, .. }) => of_port(port, 1),
            Track::Lane(Row::Out(End { port, .. }), _) => of_port(port, 2),
        }
    }

    fn name(&self, track: Track) -> String {
        match track {
            Track::Scene | Track::Lane(Row::Scene, _) => self.scene.1.clone(),
            Track::Cables => "cables".to_owned(),
            Track::Node(node) => self.network.name_of(node).to_owned(),
            Track::Lane(Row::Deadlocks, _) => "deadlocks".to_owned(),
            Track::Lane(Row::Cable(link), _) => {
                let link = self.network.link(link);
                format!("{} - {}", self.port(link.a), self.port(link.b))
            }
            Track::Lane(Row::In(port), _) => format!("{} in", self.port(port)),
            Track::Buffer(port) => format!("{} buffer", self.port(port)),
            Track::Lane(Row::Out(port), _) => format!("{} out", self.port(port)),
            Track::Lane(Row::Process(host), _) => {
                format!("{} process", self.network.name_of(Node::Host(host)))
            }
        }
    }

    /// `node:port`.
    pub(super) fn port(&self, end: End) -> String {
        format!("{}:{}", self.network.name_of(end.node), end.port)
    }

    pub(super) fn network(&self) -> &Network {
        &self.network
    }
}
