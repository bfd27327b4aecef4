//! Which events of a log are wanted.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::cli::Failure;
use simnet_base::diagnostics::{did_you_mean, nearest, quoted};
use simnet_base::ids::{HostId, LinkId, Node, Port};
use simnet_base::units::{Duration, Time, Unit as _};
use simnet_media::trace::{Event, EventKind, Scene};
use simnet_network::topology::{End, Link, Network};

use super::Filters;

/// What becomes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is selected.
    Keep,
    /// It is before what is selected, and may still matter there.
    Earlier,
    /// It is not.
    Skip,
}

/// Which events are wanted: those that fit everything that is given.
#[derive(Clone, Default)]
pub(in crate::cli) struct Selection {
    only: Option<BTreeSet<&'static str>>,
    scene: Option<u32>,
    point: Option<u32>,
    from: Option<Time>,
    until: Option<Time>,
    message: Option<String>,
    node: Option<Node>,
    port: Option<End>,
    first: Option<u64>,
    links: Rc<[Link]>,
    /// Whether what was before and still matters is wanted too, and every start, which gives names.
    pub(super) carries: bool,
    /// Set once an event is selected.
    pub(super) found: Rc<Cell<bool>>,
    kept: u64,
    /// Scenes and points that were seen: how many, and the highest point.
    scenes: u32,
    points: u32,
    is_scene_found: bool,
    is_message_found: bool,
    /// The name most like the message's that was seen.
    near: Option<String>,
    /// In the present scene: the worms of that name, the deadlocks that they are part of.
    worms: BTreeSet<u32>,
    deadlocks: BTreeSet<u32>,
}

impl Selection {
    /// Everything.
    pub(in crate::cli) fn all() -> Selection {
        Selection::default()
    }

    /// What the filters want of a log of this network.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a kind, a node, a port or a time that is none.
    pub(super) fn new(filters: &Filters, network: &Network) -> Result<Selection, Failure> {
        let selection = Selection::of(filters, network).map_err(Failure::Usage)?;
        if let (Some(from), Some(until)) = (selection.from, selection.until)
            && until <= from
        {
            let message = "nothing is between --from and --until: --until must be later";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(selection)
    }

    /// Reads each filter by itself; what is wrong with the first wrong one, in a sentence.
    fn of(filters: &Filters, network: &Network) -> Result<Selection, String> {
        let only = filters.only.iter().map(|name| kind(name)).collect::<Result<BTreeSet<_>, _>>()?;
        let instant =
            |option, text: &Option<String>| text.as_ref().map(|text| time(option, text)).transpose();
        Ok(Selection {
            only: (!only.is_empty()).then_some(only),
            scene: filters.scene,
            point: filters.point,
            from: instant("--from", &filters.from)?,
            until: instant("--until", &filters.until)?,
            message: filters.message.clone(),
            node: filters.node.as_deref().map(|name| node("--node", name, network)).transpose()?,
            port: filters.port.as_deref().map(|name| port(name, network)).transpose()?,
            first: filters.first,
            links: network.links().into(),
            ..Selection::default()
        })
    }

    /// A scene begins; whether it is wanted.
    pub(super) fn begin(&mut self, scene: &Scene) -> bool {
        self.worms.clear();
        self.deadlocks.clear();
        self.scenes = self.scenes.max(scene.nth.saturating_add(1));
        self.points = self.points.max(scene.point.map_or(0, |point| point.saturating_add(1)));
        let is_wanted = self.scene.is_none_or(|nth| nth == scene.nth)
            && self.point.is_none_or(|point| Some(point) == scene.point);
        self.is_scene_found |= is_wanted;
        is_wanted
    }

    /// The scene as it is after cutting.
    pub(super) fn cut(&self, scene: Scene) -> Scene {
        let from = self.from.map_or(scene.from, |from| from.max(scene.from));
        let until = [scene.until, self.until].into_iter().flatten().min();
        Scene { from, until, ..scene }
    }

    /// Whether no more events are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.first.is_some_and(|first| self.kept >= first)
    }

    /// What becomes of an event of a scene that is wanted.
    pub(super) fn judge(&mut self, event: &Event) -> Verdict {
        let is_meant = self.is_of_message(&event.what);
        let names = self.carries && matches!(event.what, EventKind::Start { .. }) && is_meant;
        let fits = is_meant
            && self.only.as_ref().is_none_or(|only| only.contains(event.what.name()))
            && (self.node.is_none() && self.port.is_none() || self.is_at_place(&event.what));
        // What is over does not matter any more, whether its end is wanted or not.
        let is_over = self.carries && matches!(event.what, EventKind::End { .. } | EventKind::Clear { .. });
        if self.from.is_some_and(|from| event.at < from) {
            return if self.carries && (fits || names || is_over) { Verdict::Earlier } else { Verdict::Skip };
        }
        if self.until.is_some_and(|until| event.at >= until) || !(fits || names) {
            return Verdict::Skip;
        }
        self.kept += u64::from(fits);
        self.found.set(true);
        Verdict::Keep
    }

    /// Whether it happens to the message that is wanted, if one is.
    fn is_of_message(&mut self, what: &EventKind) -> bool {
        let Some(wanted) = &self.message else { return true };
        match what {
            EventKind::Start { worm, name, .. } => {
                if name == wanted {
                    self.is_message_found = true;
                    self.worms.insert(*worm);
                    return true;
                }
                if !self.is_message_found {
                    let seen = [Some(name.as_str()), self.near.as_deref()].into_iter().flatten();
                    self.near = nearest(wanted, seen).map(str::to_owned);
                }
                false
            }
            EventKind::Arrive { worm, .. }
            | EventKind::Wait { worm, .. }
            | EventKind::Grant { worm, .. }
            | EventKind::Release { worm, .. }
            | EventKind::Reset { worm, .. }
            | EventKind::End { worm, .. } => self.worms.contains(worm),
            EventKind::Deadlock { nth, members } => {
                let takes_part = members.iter().any(|(worm, ..)| self.worms.contains(worm));
                if takes_part {
                    self.deadlocks.insert(*nth);
                }
                takes_part
            }
            EventKind::Clear { nth, .. } => self.deadlocks.contains(nth),
            EventKind::Flow { .. }
            | EventKind::Control { .. }
            | EventKind::Cable { .. }
            | EventKind::Send(_)
            | EventKind::Receive(_)
            | EventKind::Frame { .. }
            | EventKind::Circle { .. }
            | EventKind::Pause { .. } => false,
        }
    }

    /// Whether it happens at the node and at the port that are wanted.
    fn is_at_place(&self, what: &EventKind) -> bool {
        let (ends, hosts) = places(what, &self.links);
        let at_node = |node| {
            let host = |id: &HostId| Node::Host(*id) == node;
            ends.iter().any(|end| end.node == node) || hosts.iter().any(host)
        };
        self.node.is_none_or(at_node) && self.port.is_none_or(|port| ends.contains(&port))
    }

    /// Checks that what was requested by name was there.
    ///
    /// # Errors
    /// [`Failure::Usage`] with the nearest that was.
    pub(super) fn check_found(&self) -> Result<(), Failure> {
        if self.is_full() {
            return Ok(());
        }
        let message = match (self.scene, self.point, &self.message) {
            (Some(scene), _, _) if !self.is_scene_found => {
                format!("--scene: the log has no scene {scene}: {}", counted("scenes", self.scenes))
            }
            (_, Some(point), _) if !self.is_scene_found => {
                format!("--point: the log has no load point {point}: {}", counted("load points", self.points))
            }
            (_, _, Some(name)) if !self.is_message_found => {
                let near = did_you_mean(name, self.near.as_deref());
                format!("--message: no message `{}` starts in what was looked through{near}", quoted(name))
            }
            _ => return Ok(()),
        };
        Err(Failure::Usage(message))
    }
}

fn counted(what: &str, count: u32) -> String {
    match count.checked_sub(1) {
        None => format!("it has no {what}"),
        Some(0) => format!("its {what} are 0 only"),
        Some(last) => format!("its {what} are 0 to {last}"),
    }
}

/// The ports that an event is about, and its other hosts.
fn places(what: &EventKind, links: &[Link]) -> (Vec<End>, Vec<HostId>) {
    let link = |id: LinkId| links.get(id.index()).map_or_else(Vec::new, |link| vec![link.a, link.b]);
    match what {
        EventKind::Start { port, .. }
        | EventKind::Arrive { port, .. }
        | EventKind::Flow { port, .. }
        | EventKind::Pause { port, .. }
        | EventKind::Control { port, .. } => (vec![*port], Vec::new()),
        EventKind::Wait { input, output, .. }
        | EventKind::Grant { input, output, .. }
        | EventKind::Release { input, output, .. } => (vec![*input, *output], Vec::new()),
        EventKind::Reset { output, .. } | EventKind::Clear { output, .. } => (vec![*output], Vec::new()),
        EventKind::Deadlock { members, .. } => {
            (members.iter().flat_map(|(_, input, output)| [*input, *output]).collect(), Vec::new())
        }
        EventKind::Circle { members, .. } => {
            (members.iter().flat_map(|(input, output)| [*input, *output]).collect(), Vec::new())
        }
        EventKind::End { fate, .. } => (Vec::new(), fate.iter().copied().collect()),
        EventKind::Cable { link: id, .. } => (link(*id), Vec::new()),
        EventKind::Send(message) | EventKind::Receive(message) => (Vec::new(), vec![message.host]),
        EventKind::Frame { port, source, destination, .. } => {
            (vec![*port], [Some(*source), *destination].into_iter().flatten().collect())
        }
    }
}

fn kind(name: &str) -> Result<&'static str, String> {
    let found = EventKind::NAMES.iter().find(|known| **known == name).copied();
    found.ok_or_else(|| {
        let near = did_you_mean(name, EventKind::NAMES);
        let all = EventKind::NAMES.join(", ");
        format!("--only: `{}` is no kind of event: expected some of {all}{near}", quoted(name))
    })
}

fn time(option: &str, text: &str) -> Result<Time, String> {
    let span = Duration::parse(text).map_err(|error| format!("{option}: {error}"))?;
    Ok(Time::ZERO + span)
}

fn node(option: &str, name: &str, network: &Network) -> Result<Node, String> {
    network.find(name).ok_or_else(|| {
        let switches = network.switches().iter().map(|switch| switch.name.as_str());
        let names = switches.chain(network.hosts().iter().map(|host| host.name.as_str()));
        let near = did_you_mean(name, names);
        format!("{option}: the log's network has no node `{}`{near}", quoted(name))
    })
}

fn port(text: &str, network: &Network) -> Result<End, String> {
    let shape = || format!("--port: `{}` is no port: expected NODE:PORT, as in s0:3", quoted(text));
    let (name, number) = text.rsplit_once(':').ok_or_else(shape)?;
    let node = node("--port", name, network)?;
    let number: u16 = number.parse().map_err(|_| shape())?;
    let (first, ports) = network.port_range(node);
    if number.checked_sub(first).is_none_or(|nth| nth >= ports) {
        let last = first.saturating_add(ports.saturating_sub(1));
        return Err(format!("--port: `{}` has ports {first} to {last}, not {number}", quoted(name)));
    }
    Ok(End { node, port: Port(number) })
}
