//! A system of some type: all its devices, what is on its panel, and the wires inside.

use std::collections::BTreeMap;
use std::ops::Range;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;

use crate::topology::formats::MOST_HOSTS;

use super::ibnl::{Board, Description, Kind};

/// How deep boards may be on boards.
const DEEPEST: usize = 16;
/// What a board that is not there is set to.
const REMOVED: [&str; 3] = ["R", "X", "Removed"];

/// What boards of a system are set to, by their names, and where that stands.
pub(super) type Boards = BTreeMap<String, (String, Range<usize>)>;

/// A system's insides.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) devices: Vec<Device>,
    /// By the names on its panel; one that leads to a board that is not there is left out.
    pub(super) panel: BTreeMap<String, Panel>,
    pub(super) wires: Vec<Wired>,
}

/// A switch or a channel adapter.
#[derive(Debug)]
pub(super) struct Device {
    /// The boards that it is on, and its name.
    pub(super) path: String,
    pub(super) is_switch: bool,
    pub(super) ports: u16,
}

/// A port of a device that can be reached from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    pub(super) device: usize,
    pub(super) port: u16,
    /// The rate that the wires behind it give, the slowest of them.
    pub(super) rate: Option<BitRate>,
}

/// A cable inside.
#[derive(Debug)]
pub(super) struct Wired {
    pub(super) ends: [(usize, u16); 2],
    pub(super) rate: Option<BitRate>,
}

/// Why a system cannot be built: faults of its description, or of what its boards are set to.
pub(super) enum Unbuilt {
    Description(Vec<Fault>),
    Boards(Vec<Fault>),
}

/// Builds a system. Costs O(its size · log).
///
/// # Errors
/// A board that is set and that it has not; a kind of board that it has not; wires that contradict each other; boards
/// on themselves.
pub(super) fn build(description: &Description, set: &Boards) -> Result<System, Unbuilt> {
    let mut builder = Builder {
        description,
        set,
        used: Vec::new(),
        instances: 0,
        devices: BTreeMap::new(),
        system: System::default(),
        wired: BTreeMap::new(),
        faults: Vec::new(),
        set_faults: Vec::new(),
    };
    let top = &description.boards[description.top];
    let changes = set.iter().map(|(board, (kind, _))| (board.clone(), kind.clone())).collect();
    builder.board(top, "", &changes, 0);
    for (name, (_, span)) in set.iter().filter(|(name, _)| !builder.used.contains(name)) {
        let message = format!("this system has no board `{}`", quoted(name));
        let fault = Fault::new("unknown-board", span.clone(), message, "a board of it");
        builder.set_faults.push(fault.with_nearest(name, top.by_name.keys().map(String::as_str)));
    }
    for (name, connector) in &top.panel {
        let given = connector.speed.rate();
        if let Some(end) = builder.resolve(top, connector.part, &connector.port, "", &changes) {
            let rate = given.into_iter().chain(end.rate).min();
            builder.system.panel.insert(name.clone(), Panel { rate, ..end });
        }
    }
    match (builder.faults.is_empty(), builder.set_faults.is_empty()) {
        (true, true) => Ok(builder.system),
        (false, _) => Err(Unbuilt::Description(builder.faults)),
        _ => Err(Unbuilt::Boards(builder.set_faults)),
    }
}

/// What boards below are set to, by their paths from the top.
type Changes = BTreeMap<String, String>;

struct Builder<'d> {
    description: &'d Description,
    set: &'d Boards,
    /// The boards among those that are set that were met.
    used: Vec<String>,
    instances: usize,
    /// By path.
    devices: BTreeMap<String, usize>,
    system: System,
    /// By end, the wire.
    wired: BTreeMap<(usize, u16), usize>,
    faults: Vec<Fault>,
    set_faults: Vec<Fault>,
}

impl<'d> Builder<'d> {
    /// The board that a part is; none where it is not there.
    fn board_of(&mut self, part: &'d Kind, path: &str, changes: &Changes) -> Option<&'d Board> {
        let Kind::Board { name, .. } = part else { return None };
        let kind = match changes.get(path) {
            None => name.clone(),
            Some(kind) if REMOVED.contains(&kind.as_str()) => return None,
            Some(kind) => format!("{name}:{kind}"),
        };
        let found = self.description.by_name.get(&kind);
        if found.is_none()
            && let Some((_, span)) = self.set.get(path)
        {
            let message = format!("no board is called `{}`", quoted(&kind));
            let known = self
                .description
                .by_name
                .keys()
                .filter_map(|known| known.strip_prefix(name.as_str())?.strip_prefix(':'));
            let known: Vec<&str> = known.collect();
            let expected = match known.is_empty() {
                true => "R, which removes it".to_owned(),
                false => format!("R, which removes it, or {}", known.join(", ")),
            };
            if !self.set_faults.iter().any(|fault| fault.span == *span) {
                self.set_faults.push(Fault::new("unknown-board", span.clone(), message, expected));
            }
        }
        found.map(|position| &self.description.boards[*position])
    }

    /// The changes that hold below a part, with its own.
    fn below(kind: &Kind, path: &str, changes: &Changes) -> Changes {
        let mut all = changes.clone();
        if let Kind::Board { changes: own, .. } = kind {
            for (board, kind) in own {
                all.entry(format!("{path}/{board}")).or_insert_with(|| kind.clone());
            }
        }
        all
    }

    /// Adds the devices of a board and of those on it, then the wires between its parts.
    fn board(&mut self, board: &'d Board, prefix: &str, changes: &Changes, depth: usize) {
        for part in &board.parts {
            self.instances += 1;
            let path = format!("{prefix}{}", part.name);
            if self.instances > MOST_HOSTS || depth > DEEPEST {
                if self.faults.is_empty() {
                    let message = "boards on boards without an end, or too many".to_owned();
                    let expected = format!("at most {DEEPEST} deep, and {MOST_HOSTS} in all");
                    self.faults.push(Fault::new("too-many-names", part.span(), message, expected));
                }
                return;
            }
            match &part.kind {
                Kind::Device { is_switch, ports } => {
                    self.devices.insert(path.clone(), self.system.devices.len());
                    self.system.devices.push(Device { path, is_switch: *is_switch, ports: *ports });
                }
                kind @ Kind::Board { .. } => {
                    if self.set.contains_key(&path) {
                        self.used.push(path.clone());
                    }
                    let changes = Self::below(kind, &path, changes);
                    if let Some(inner) = self.board_of(kind, &path, &changes) {
                        self.board(inner, &format!("{path}/"), &changes, depth + 1);
                    }
                }
            }
        }
        self.wires(board, prefix, changes);
    }

    fn wires(&mut self, board: &'d Board, prefix: &str, changes: &Changes) {
        for (nth, part) in board.parts.iter().enumerate() {
            for wire in &part.wires {
                let Some(far) = board.by_name.get(&wire.to) else { continue };
                let near = self.resolve(board, nth, &wire.port, prefix, changes);
                let far = self.resolve(board, *far, &wire.to_port, prefix, changes);
                // A board that is not there, or another kind of it, may lack the connector.
                let (Some(near), Some(far)) = (near, far) else { continue };
                let rate = wire.speed.rate().or_else(|| near.rate.into_iter().chain(far.rate).min());
                self.wire([(near.device, near.port), (far.device, far.port)], rate, &wire.span);
            }
        }
    }

    /// Lays a wire, which both of its parts may list.
    fn wire(&mut self, ends: [(usize, u16); 2], rate: Option<BitRate>, span: &Range<usize>) {
        let [a, b] = ends;
        match (self.wired.get(&a).copied(), self.wired.get(&b).copied()) {
            (None, None) if a != b => {
                self.wired.extend([a, b].map(|end| (end, self.system.wires.len())));
                self.system.wires.push(Wired { ends, rate });
            }
            (Some(one), Some(other)) if one == other && a != b => {
                let wired = &mut self.system.wires[one];
                wired.rate = wired.rate.into_iter().chain(rate).min();
            }
            _ => {
                let [a, b] =
                    ends.map(|(device, port)| format!("`{}` port {port}", self.system.devices[device].path));
                let message = format!("{a} and {b} cannot be wired: one of them is already");
                self.faults.push(Fault::new("port-in-use", span.clone(), message, "each port once"));
            }
        }
    }

    /// The device and its port behind a port of a part.
    fn resolve(
        &mut self,
        board: &'d Board,
        part: usize,
        port: &str,
        prefix: &str,
        changes: &Changes,
    ) -> Option<Panel> {
        let (mut board, mut part, mut port) = (board, part, port);
        let (mut prefix, mut changes) = (prefix.to_owned(), changes.clone());
        let mut rate: Option<BitRate> = None;
        for _ in 0..=DEEPEST {
            let at = &board.parts[part];
            let path = format!("{prefix}{}", at.name);
            if let Kind::Device { ports, .. } = at.kind {
                let port = port.parse().ok().filter(|port| (1..=ports).contains(port))?;
                return Some(Panel { device: *self.devices.get(&path)?, port, rate });
            }
            changes = Self::below(&at.kind, &path, &changes);
            let inner = self.board_of(&at.kind, &path, &changes)?;
            let connector = inner.panel.get(port)?;
            rate = connector.speed.rate().into_iter().chain(rate).min();
            (board, part, port) = (inner, connector.part, &connector.port);
            prefix = format!("{path}/");
        }
        None
    }
}
