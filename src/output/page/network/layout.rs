//! Where everything stands: boxes of switches in rows, hosts as dots at their switches, cables as two lanes each.
//!
//! ```text
//!        ┌────────┐        tiers: hosts hang below        distances: hosts stand at the sides,
//!        │  name  │        their switch, in a comb        out of the way of cables to the next row
//!        └┬┬┬┬┬┬┬┬┘
//!         ••••••••
//! ```
//! A row that is too wide is broken into several, in turns, so that its order from left to right stays.
//!
//! # Scope and limitations
//! For some thousands of nodes. A cable over several rows may pass behind a box.
//!
//! # Validation
//! `tests/it/pages/drawings/network.rs`: boxes apart, every cable once, rows against a search of its own.

use std::collections::BTreeMap;

use crate::report::{Boxes, Layers, landings};
use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_network::topology::{Link, Network};

use crate::report::Spot;

use super::circle;
use super::levels::{self, Kind};

/// A place on the sheet, in pixels at full size.
pub(super) type Place = (i64, i64);

/// A box on the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Its middle.
    pub(super) at: Place,
    /// Half its width.
    pub(super) half: i64,
    /// Half its height.
    pub(super) half_height: i64,
}

/// A way over the sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// A straight one, from one spot to the other.
    Straight([Spot; 2]),
    /// From the first spot towards the next two to the last.
    Curved([Spot; 4]),
}

/// The ways of a cable's two directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cable {
    /// From its end `a` to its end `b`.
    pub(super) forward: Way,
    /// Back.
    pub(super) backward: Way,
    /// Between the two, to be pointed at.
    pub(super) middle: Way,
}

/// A network on a sheet.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) width: i64,
    pub(super) height: i64,
    /// What the rows are.
    pub(super) kind: Kind,
    /// Per switch, its row from the top.
    pub(super) rows: Vec<usize>,
    /// Per switch, its box.
    pub(super) boxes: Vec<Frame>,
    /// Per host, the middle of its dot.
    pub(super) hosts: Vec<Place>,
    /// Per cable.
    pub(super) cables: Vec<Cable>,
}

/// The radius of a host's dot.
pub(super) const DOT: i64 = 4;
/// The most letters of a name in a box.
pub(super) const LETTERS: usize = 12;
const LETTER: i64 = 9;
const MARGIN: i64 = 28;
/// Between the rooms of two switches.
const GAP: i64 = 18;
/// Rows wider than this are broken, if that leaves several boxes in each.
const WIDEST: i64 = 2_400;
/// Between two parts of a broken row.
const PART_GAP: i64 = 26;
/// How long a host's cable is at least.
const STUB: i64 = 18;
/// From one switch of a circle to the next, at least.
const LEAST_STEP: i64 = 110;
/// From one cable of a circle to the next between the same two nodes.
const BESIDE: f64 = 9.0;
/// Half the distance of a cable's lanes.
const LANE: f64 = 1.8;

/// What a switch takes with its hosts.
struct Room {
    frame: (i64, i64),
    /// Hosts hang below, or stand at both sides.
    below: bool,
    /// The hosts' dots, seen from the middle of the box.
    dots: Vec<Place>,
    /// From the middle to the left and right, and from the middle down.
    half: i64,
    down: i64,
}

impl Layout {
    /// The layout of a network; `roots` are those of its routes.
    pub(super) fn new(network: &Network, roots: &[SwitchId]) -> Layout {
        match circle::order(network) {
            Some(order) => Layout::round(network, &order),
            None => Layout::in_rows(network, roots),
        }
    }

    /// Switches on a circle in this order.
    fn round(network: &Network, order: &[SwitchId]) -> Layout {
        let rooms: Vec<Room> =
            network.switches().iter().map(|switch| Room::new(&switch.name, 0, false)).collect();
        let widest = rooms.iter().map(|room| room.half).max().unwrap_or(0);
        let step = (2 * widest + 60).max(LEAST_STEP);
        let (mut switches, mut hosts) = circle::places(network, order, step as f64);
        let all = || switches.iter().chain(&hosts);
        let border = MARGIN + widest;
        let [left, top] =
            [all().map(|at| at.0).min(), all().map(|at| at.1).min()].map(|at| at.unwrap_or(0) - border);
        let [right, bottom] =
            [all().map(|at| at.0).max(), all().map(|at| at.1).max()].map(|at| at.unwrap_or(0) + border);
        switches.iter_mut().chain(&mut hosts).for_each(|at| *at = (at.0 - left, at.1 - top));
        let frame =
            |(at, room): (&Place, &Room)| Frame { at: *at, half: room.frame.0, half_height: room.frame.1 };
        let mut layout = Layout {
            width: right - left,
            height: bottom - top,
            kind: Kind::Circle,
            rows: vec![0; rooms.len()],
            boxes: switches.iter().zip(&rooms).map(frame).collect(),
            hosts,
            cables: Vec::new(),
        };
        layout.cables = layout.chords(network);
        layout
    }

    /// Straight cables from middle to middle; those of the same two nodes lie side by side.
    fn chords(&self, network: &Network) -> Vec<Cable> {
        let at = |node: Node| match node {
            Node::Switch(switch) => self.boxes[switch.index()].at,
            Node::Host(host) => self.hosts[host.index()],
        };
        let pair = |link: &Link| (link.a.node.min(link.b.node), link.a.node.max(link.b.node));
        let mut of: BTreeMap<(Node, Node), usize> = BTreeMap::new();
        network.links().iter().for_each(|link| *of.entry(pair(link)).or_default() += 1);
        let mut seen: BTreeMap<(Node, Node), usize> = BTreeMap::new();
        let mut cables = Vec::with_capacity(network.links().len());
        for link in network.links() {
            let (low, high) = pair(link);
            let nth = seen.entry((low, high)).or_default();
            let aside = (*nth as f64 - (of[&(low, high)] as f64 - 1.0) / 2.0) * BESIDE;
            *nth += 1;
            let cable = apart_by(at(low), at(high), aside);
            cables.push(if low == link.a.node { cable } else { cable.turned() });
        }
        cables
    }

    /// Switches in rows.
    fn in_rows(network: &Network, roots: &[SwitchId]) -> Layout {
        let (kind, rows) = levels::rows(network, roots);
        let switches = network.switches().len();
        let mut hosts: Vec<Vec<usize>> = vec![Vec::new(); switches];
        let mut apart = Vec::new();
        for host in network.host_ids() {
            match network.attachment(host).map(|(_, _, far)| far.node) {
                Some(Node::Switch(switch)) => hosts[switch.index()].push(host.index()),
                _ => apart.push(host.index()),
            }
        }
        let rooms: Vec<Room> = network
            .switch_ids()
            .zip(&hosts)
            .map(|(switch, hosts)| (network.label(Node::Switch(switch)), hosts.len()))
            .map(|(label, hosts)| Room::new(label, hosts, kind == Kind::Tiers))
            .collect();
        let between: Vec<(usize, usize)> = trunks(network).map(|(_, a, b)| (a, b)).collect();
        let layers = Layers::new(&rows, &between);
        let mut layout = Layout {
            width: 0,
            height: 0,
            kind,
            rows,
            boxes: Vec::new(),
            hosts: vec![(0, 0); network.hosts().len()],
            cables: Vec::new(),
        };
        layout.place_boxes(&layers, &rooms);
        for (switch, hosts) in hosts.iter().enumerate() {
            let (x, y) = layout.boxes[switch].at;
            for (host, (dx, dy)) in hosts.iter().zip(&rooms[switch].dots) {
                layout.hosts[*host] = (x + dx, y + dy);
            }
        }
        layout.place_apart(&apart);
        layout.draw_cables(network, &layers, &rooms);
        layout
    }

    /// Rows from the top, each as wide as the widest.
    fn place_boxes(&mut self, layers: &Layers, rooms: &[Room]) {
        let needed = |row: &[usize]| row.iter().map(|node| 2 * rooms[*node].half + GAP).sum::<i64>();
        let parts: Vec<Vec<Vec<usize>>> = layers.rows.iter().map(|row| broken(row, needed(row))).collect();
        let widest = parts.iter().flatten().map(|part| needed(part)).max().unwrap_or(0).max(480);
        // Cables between rows need the more height the more sideways they go.
        let row_gap = (widest / 7).clamp(96, 300);
        self.width = widest + 2 * MARGIN;
        self.boxes = vec![Frame { at: (0, 0), half: 0, half_height: 0 }; rooms.len()];
        let mut y = MARGIN;
        for (nth, parts) in parts.iter().enumerate() {
            for (part_nth, part) in parts.iter().enumerate() {
                if part_nth > 0 {
                    y += PART_GAP;
                }
                let up = part.iter().map(|node| rooms[*node].frame.1).max().unwrap_or(0);
                let down = part.iter().map(|node| rooms[*node].down).max().unwrap_or(0);
                let spare = (widest - needed(part)) / part.len().max(1) as i64;
                let mut x = MARGIN;
                for node in part {
                    let room = &rooms[*node];
                    x += room.half + (GAP + spare) / 2;
                    self.boxes[*node] =
                        Frame { at: (x, y + up), half: room.frame.0, half_height: room.frame.1 };
                    x += room.half + (GAP + spare + 1) / 2;
                }
                y += up + down;
            }
            y += if nth + 1 < layers.rows.len() { row_gap } else { 0 };
        }
        self.height = y + MARGIN;
    }

    /// Hosts that hang on no switch, in rows below everything.
    fn place_apart(&mut self, hosts: &[usize]) {
        let each = usize::try_from((self.width - 2 * MARGIN) / 24).unwrap_or(1).max(1);
        for (nth, host) in hosts.iter().enumerate() {
            let (column, row) = ((nth % each) as i64, (nth / each) as i64);
            self.hosts[*host] = (MARGIN + 12 + 24 * column, self.height + 24 * row);
        }
        if !hosts.is_empty() {
            self.height += 24 * hosts.len().div_ceil(each) as i64 + MARGIN / 2;
        }
    }

    fn draw_cables(&mut self, network: &Network, layers: &Layers, rooms: &[Room]) {
        let trunks: Vec<(LinkId, usize, usize)> = trunks(network).collect();
        let between: Vec<(usize, usize)> = trunks.iter().map(|(_, a, b)| (*a, *b)).collect();
        let at: Vec<Place> = self.boxes.iter().map(|frame| frame.at).collect();
        let half: Vec<i64> = self.boxes.iter().map(|frame| frame.half - 5).collect();
        let half_height: Vec<i64> = self.boxes.iter().map(|frame| frame.half_height).collect();
        let landed = landings(layers, &between, &Boxes { at: &at, half: &half, half_height: &half_height });
        let nowhere = Way::Straight([(0.0, 0.0); 2]);
        let none = Cable { forward: nowhere, backward: nowhere, middle: nowhere };
        self.cables = vec![none; network.links().len()];
        let mut deepest = self.height;
        for ((link, a, b), (from, to)) in trunks.iter().zip(landed) {
            let same = layers.spots[*a].0 == layers.spots[*b].0;
            self.cables[link.index()] = if same {
                let bow = 26 + (from.0 - to.0).abs() / 12;
                deepest = deepest.max(from.1.max(to.1) + bow * 3 / 4 + MARGIN / 2);
                bowed(from, to, bow)
            } else {
                curved(from, to)
            };
        }
        self.height = deepest;
        for host in network.host_ids() {
            for (nth, (port, link, far)) in network.cables(Node::Host(host)).enumerate() {
                let end = network.link(link);
                // A cable between two hosts is drawn at the end that it names first.
                let first = (end.a.node, end.a.port) == (Node::Host(host), port);
                if matches!(far.node, Node::Host(_)) && !first {
                    continue;
                }
                let own = self.hosts[host.index()];
                let other = match far.node {
                    Node::Switch(switch) => {
                        let own_switch = nth == 0;
                        self.socket(switch, own, &rooms[switch.index()], own_switch)
                    }
                    Node::Host(other) => self.hosts[other.index()],
                };
                let cable = straight(own, other);
                self.cables[link.index()] = if first { cable } else { cable.turned() };
            }
        }
    }

    /// Where a host's cable meets the box of a switch.
    fn socket(&self, switch: SwitchId, host: Place, room: &Room, is_first: bool) -> Place {
        let Frame { at: (x, y), half, half_height } = self.boxes[switch.index()];
        match (is_first, room.below) {
            (true, true) => (host.0, y + half_height),
            (true, false) => (if host.0 < x { x - half } else { x + half }, host.1),
            (false, _) => (x, y + half_height),
        }
    }
}

impl Room {
    fn new(name: &str, hosts: usize, tiers: bool) -> Room {
        let letters = name.chars().count().min(LETTERS) as i64;
        let count = hosts as i64;
        let (half, half_height) = ((letters * LETTER / 2 + 7).max(20), 14);
        let below = tiers || hosts > 16;
        if hosts == 0 {
            return Room { frame: (half, half_height), below, dots: Vec::new(), half, down: half_height };
        }
        if below {
            // Many hosts stand in two or three rows, so that their cables are nearer to each other than their dots.
            let (pitch, rows) = match hosts {
                0..=10 => (13, 1),
                11..=20 => (7, 2),
                _ => (5, 3),
            };
            let half = half.max(pitch * count / 2 + 2);
            let dot =
                |nth: i64| (pitch * nth - pitch * (count - 1) / 2, half_height + STUB + (nth % rows) * 12);
            let down = half_height + STUB + (rows - 1) * 12 + DOT;
            return Room {
                frame: (half, half_height),
                below,
                dots: (0..count).map(dot).collect(),
                half,
                down,
            };
        }
        // At the right first, then at the left too.
        let right = if count > 5 { (count + 1) / 2 } else { count };
        let half_height = half_height.max(right * 11 / 2 + 1);
        let dot = |nth: i64| {
            let (side, place, of) =
                if nth < right { (1, nth, right) } else { (-1, nth - right, count - right) };
            (side * (half + STUB), 11 * place - 11 * (of - 1) / 2)
        };
        let dots = (0..count).map(dot).collect();
        Room { frame: (half, half_height), below, dots, half: half + STUB + DOT, down: half_height }
    }
}

impl Cable {
    fn turned(self) -> Cable {
        Cable { forward: self.backward, backward: self.forward, middle: self.middle }
    }
}

/// The cables between switches, with the positions of these.
fn trunks(network: &Network) -> impl Iterator<Item = (LinkId, usize, usize)> + '_ {
    let links = network.links().iter().enumerate();
    links.filter_map(|(nth, link)| match (link.a.node, link.b.node) {
        (Node::Switch(a), Node::Switch(b)) => Some((LinkId::new(nth), a.index(), b.index())),
        _ => None,
    })
}

/// A row in parts that are not too wide, dealt in turns.
fn broken(row: &[usize], width: i64) -> Vec<Vec<usize>> {
    let parts = usize::try_from(width / WIDEST).unwrap_or(0) + 1;
    let parts = parts.min(row.len().div_ceil(4)).max(1);
    (0..parts).map(|part| row.iter().copied().skip(part).step_by(parts).collect()).collect()
}

/// Between rows: the lane of what goes down is at the left.
fn curved((x1, y1): Place, (x2, y2): Place) -> Cable {
    let middle = (y1 + y2) as f64 / 2.0;
    let path = |aside: f64| {
        let (x1, x2) = (x1 as f64 + aside, x2 as f64 + aside);
        Way::Curved([(x1, y1 as f64), (x1, middle), (x2, middle), (x2, y2 as f64)])
    };
    let side = if y1 <= y2 { -LANE } else { LANE };
    Cable { forward: path(side), backward: path(-side), middle: path(0.0) }
}

/// Within a row, below it: the lane of what goes to the right is the outer one.
fn bowed((x1, y1): Place, (x2, y2): Place, bow: i64) -> Cable {
    let outward = if x1 <= x2 { -1.0 } else { 1.0 };
    let path = |out: f64| {
        let (x1, x2) = (x1 as f64 + out * outward, x2 as f64 - out * outward);
        let depth = (y1.max(y2) + bow) as f64 + out * 1.4;
        Way::Curved([(x1, y1 as f64), (x1, depth), (x2, depth), (x2, y2 as f64)])
    };
    let side = if x1 <= x2 { LANE } else { -LANE };
    Cable { forward: path(side), backward: path(-side), middle: path(0.0) }
}

/// A host's cable: traffic keeps to its right.
fn straight(from: Place, to: Place) -> Cable {
    apart_by(from, to, 0.0)
}

/// A straight cable, so far to the right of the line between two places.
fn apart_by((x1, y1): Place, (x2, y2): Place, aside: f64) -> Cable {
    let (dx, dy) = ((x2 - x1) as f64, (y2 - y1) as f64);
    let length = libm::sqrt(dx * dx + dy * dy).max(1.0);
    let path = |out: f64| {
        let out = out + aside;
        let (ox, oy) = (-dy / length * out, dx / length * out);
        Way::Straight([(x1 as f64 + ox, y1 as f64 + oy), (x2 as f64 + ox, y2 as f64 + oy)])
    };
    Cable { forward: path(LANE), backward: path(-LANE), middle: path(0.0) }
}
