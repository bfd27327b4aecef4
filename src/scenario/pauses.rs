//! What `[ethernet]` says of pauses, and of tables to forward by.
//!
//! # Source
//! IEEE 802.1Q, clause 36: priority-based flow control. The watchdog's times are SONiC's. The usual thresholds are our
//! choice: `xoff` of 32 of the longest frames, `xon` of half of that, and as much headroom as every cable needs.

use std::collections::BTreeSet;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{HostId, Node, Port, SwitchId};
use simnet_base::units::{Bytes, Duration};
use simnet_media::ethernet::{
    FlowHash, ForwardingTable, HEADER, PauseWatchdog, PfcParameters, SharedBuffer, TRAILER,
};
use simnet_network::routing::{Attachments, DestinationTables, Engine};
use simnet_network::topology::{End, Network};

use super::check::{conflict, names, out_of_range, quantity};
use super::checked::{RouteSource, Routing, Topology};
use super::diagnostics::{Diagnostics, Place};
use super::ethernet::{Ethernet, Transport};
use super::wire::{self, Document, EthernetFlow, ForwardingKind, Free, Given, HashKind};

/// The longest frames that `xoff` has room for where nothing is said of it.
const USUAL_FRAMES: u64 = 32;

/// What stops senders; the inner `None`: nothing. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn pauses(
    wire: &wire::Ethernet,
    mtu: Option<u64>,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Pauses>> {
    if wire.flow.value() != Some(&EthernetFlow::Pfc) {
        only_pfc(wire, diagnostics);
        return Some(None);
    }
    if let Some(buffer) = wire.buffer.get() {
        let message = "`buffer` beside pauses";
        let expected = "room is counted at inputs with flow = \"pfc\": `xoff` and `headroom`";
        conflict(buffer.place, message, expected, diagnostics);
    }
    let shared = shared(wire, diagnostics);
    let longest = mtu? + u64::from(HEADER + TRAILER);
    let given = |key: &Given<wire::Quantity<Bytes>>| match key {
        Given::Absent => Some(None),
        key => quantity(key).map(Some),
    };
    let (xoff, xon, headroom) = (given(&wire.xoff)?, given(&wire.xon)?, given(&wire.headroom)?);
    let above = xoff.map_or(Bytes(USUAL_FRAMES * longest), |xoff| xoff.value);
    let too_high = xon.filter(|xon| xon.value > above);
    if let Some(xon) = too_high {
        let message = format!("`xon` of {} is above `xoff` of {above}", xon.value);
        out_of_range(xon.place, message, format!("expected at most {above}"), diagnostics);
    }
    if !wire.buffer.is_absent() || too_high.is_some() {
        return None;
    }
    let watchdog = match &wire.watchdog {
        Given::Absent => None,
        given => {
            let of = given.value()?;
            let (detection, restoration) = (quantity(&of.detection)?.value, quantity(&of.restoration)?.value);
            Some(PauseWatchdog { detection, restoration })
        }
    };
    let reaction = match &wire.reaction {
        Given::Absent => Duration::ZERO,
        given => quantity(given)?.value,
    };
    let priority = wire.priority.value().map_or(3, |priority| u8::try_from(*priority).unwrap_or(u8::MAX));
    Some(Some(Pauses {
        xoff: above,
        xon: xon.map_or(Bytes(above.0 / 2), |xon| xon.value),
        headroom: headroom.map(|headroom| headroom.value),
        priority,
        reaction,
        watchdog,
        shared: shared?,
        quanta: wire.quanta.value().and_then(|quanta| u16::try_from(*quanta).ok()),
    }))
}

/// Priority-based flow control in physical units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// Bytes at an input above which its sender is paused.
    pub xoff: Bytes,
    /// At or below it the sender may send again.
    pub xon: Bytes,
    /// Room above `xoff`; `None`: what the cable that needs most of it needs.
    pub headroom: Option<Bytes>,
    /// The priority of all frames.
    pub priority: u8,
    /// From a PAUSE frame's last bit until it is obeyed.
    pub reaction: Duration,
    /// What becomes of queues that stay paused.
    pub watchdog: Option<PauseWatchdog>,
    /// The buffer that all inputs of a switch share, in the place of `xoff` and `xon`; `None`: each has its own room.
    pub shared: Option<SharedBuffer>,
    /// How many quanta a pause lasts; `None`: until XON.
    pub quanta: Option<u16>,
}

impl Pauses {
    /// The same for an engine, whose cables need `needed` of headroom.
    pub fn parameters(&self, needed: Bytes) -> PfcParameters {
        PfcParameters {
            priority: self.priority,
            reaction: self.reaction,
            watchdog: self.watchdog,
            quanta: self.quanta,
            shared: self.shared,
            ..PfcParameters::new(self.xoff, self.xon, self.headroom.unwrap_or(needed))
        }
    }
}

/// The buffer that inputs share; the inner `None`: there is none. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
fn shared(wire: &wire::Ethernet, diagnostics: &mut Diagnostics) -> Option<Option<SharedBuffer>> {
    if let Given::Absent = wire.shared {
        return Some(None);
    }
    let of = wire.shared.value()?;
    let own = [("xoff", &wire.xoff), ("xon", &wire.xon)];
    let own = own.into_iter().filter_map(|(key, given)| Some((key, given.get()?.place)));
    let mut is_sound = true;
    for (key, place) in own {
        let message = format!("`{key}` beside a shared buffer");
        conflict(place, message, "its `alpha` says when inputs pause their senders", diagnostics);
        is_sound = false;
    }
    let (pool, reserved, xon_offset): (_, _, _) = (
        quantity::<Bytes>(&of.buffer)?,
        quantity::<Bytes>(&of.reserved)?,
        quantity::<Bytes>(&of.xon_offset)?,
    );
    let alpha = of.alpha.value()?;
    is_sound.then_some(Some(SharedBuffer {
        pool: pool.value,
        alpha: (alpha.0, alpha.1),
        reserved: reserved.value,
        xon_offset: xon_offset.value,
    }))
}

/// Notes keys that belong to pauses alone.
fn only_pfc(wire: &wire::Ethernet, diagnostics: &mut Diagnostics) {
    let given = [
        ("xoff", wire.xoff.get().map(|at| at.place)),
        ("xon", wire.xon.get().map(|at| at.place)),
        ("headroom", wire.headroom.get().map(|at| at.place)),
        ("priority", wire.priority.get().map(|at| at.place)),
        ("reaction", wire.reaction.get().map(|at| at.place)),
        ("shared", wire.shared.get().map(|at| at.place)),
        ("quanta", wire.quanta.get().map(|at| at.place)),
        ("watchdog", wire.watchdog.get().map(|at| at.place)),
    ];
    let preset = wire.preset.get().map(|at| at.place);
    for (key, place) in given {
        let Some(place) = place.filter(|place| Some(*place) != preset) else { continue };
        let message = format!("`{key}` means nothing where nobody is paused");
        conflict(place, message, "belongs to flow = \"pfc\"", diagnostics);
    }
}

/// Notes headroom that is less than the network's cables need: legal, as frames may be meant to be dropped.
pub(super) fn check_headroom(
    wire: &wire::Ethernet,
    ethernet: &Ethernet,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) {
    let Some(given) = quantity(&wire.headroom) else { return };
    let needed = ethernet.headroom_needed(&topology.network, None);
    if given.value < needed {
        diagnostics.warn(given.place, |span| {
            let message = format!("{} of headroom: frames may be dropped", given.value);
            let expected = format!("{needed} are enough for every cable of this network");
            Fault::new("short-headroom", span, message, expected)
        });
    }
}

/// Notes quanta that run out before a PAUSE frame can say them again: legal, but senders then begin frames although
/// they are to be paused, for which there may be no headroom.
pub(super) fn check_quanta(
    wire: &wire::Ethernet,
    ethernet: &Ethernet,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) {
    let Some(given) = wire.quanta.get() else { return };
    if !ethernet.pauses_last(&topology.network) {
        diagnostics.warn(given.place, |span| {
            let message = format!("pauses of {} quanta run out before they can be said again", given.value);
            let needed = PfcParameters::quanta_needed(ethernet.mtu);
            let expected = format!("{needed} quanta are enough: twice the longest frame and its gap");
            Fault::new("short-quanta", span, message, expected)
        });
    }
}

/// Notes next hops along which a circle of paused queues can close.
pub(super) fn check_circles(
    wire: &wire::Ethernet,
    ethernet: &Ethernet,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) {
    let Some(at) = wire.forwarding.get().filter(|_| ethernet.pauses.is_some()) else { return };
    let Some(circle) = ethernet.circle(topology) else { return };
    diagnostics.warn(at.place, |span| {
        let message = format!("a circle of paused queues can close: {}", quoted(&circle.join(", ")));
        let expected = "next hops whose channels do not follow each other in a circle cannot deadlock";
        Fault::new("deadlock", span, message, expected)
    });
}

/// Notes frames that leave the spanning tree where it is what is to be found, and flows with rates where round trips
/// are.
pub(super) fn check_discovery(document: &Document, diagnostics: &mut Diagnostics) {
    let transport = document.ethernet.value().and_then(|wire| wire.transport.get());
    if let Some(at) = transport.filter(|at| at.value == Transport::Dcqcn)
        && !document.discovery.is_absent()
    {
        let message = "DCQCN where round trips are measured";
        conflict(at.place, message, "expected \"datagram\" or \"tcp\"", diagnostics);
    }
    let forwarding = document.ethernet.value().and_then(|wire| wire.forwarding.get());
    if let Some(at) = forwarding.filter(|at| at.value != ForwardingKind::SpanningTree)
        && !document.discovery.is_absent()
    {
        let message = "frames by next hops where round trips are measured";
        conflict(at.place, message, "what is found there is the spanning tree", diagnostics);
    }
}

/// The table to forward by; the inner `None`: the spanning tree. `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
pub(super) fn table(
    wire: &wire::Ethernet,
    (routing, topology): (Option<&Routing>, Option<&Topology>),
    diagnostics: &mut Diagnostics,
) -> Option<Option<ForwardingTable>> {
    let (kind, place) =
        wire.forwarding.get().map_or((ForwardingKind::SpanningTree, None), |at| (at.value, Some(at.place)));
    refuse_without(wire, kind, diagnostics);
    let mut table = match (kind, place) {
        (ForwardingKind::Routes, Some(place)) => {
            if routing.is_none() {
                diagnostics.add(place, |span| {
                    Fault::new("missing-section", span, "there are no routes", "needs a [routing] section")
                });
            }
            let both = routing.zip(topology);
            both.and_then(|(routing, topology)| of_source(&routing.source, topology, place, diagnostics))
        }
        (ForwardingKind::Ecmp, _) => topology.map(|Topology { network, attachments, .. }| {
            let is_shared = wire.flow_hash.get().is_some_and(|at| at.value == HashKind::Shared);
            let attachments = Attachments::by_ports(network, attachments);
            ForwardingTable::of_shortest_paths(network, &attachments, FlowHash { seed: 0, is_shared })
        }),
        _ => return Some(None),
    };
    if let Some(given) = wire.next_hops.get() {
        let topology = topology?;
        let set = set_next_hops(&given.value, &topology.network, table.as_mut(), diagnostics)?;
        if let Some(table) = table.as_ref().filter(|_| wire.time_to_live.is_absent()) {
            refuse_circles(&set, table, topology, diagnostics)?;
        }
    }
    table.map(Some)
}

/// Notes keys that belong to other ways of forwarding.
fn refuse_without(wire: &wire::Ethernet, kind: ForwardingKind, diagnostics: &mut Diagnostics) {
    let tree = "means nothing on the spanning tree";
    let table = (kind == ForwardingKind::SpanningTree)
        .then_some((tree, "belongs to forwarding = \"routes\" or \"ecmp\""));
    let several = (kind != ForwardingKind::Ecmp)
        .then_some(("means nothing where there is one next hop", "belongs to forwarding = \"ecmp\""));
    let given = [
        ("next-hops", wire.next_hops.get().map(|at| at.place), table),
        ("time-to-live", wire.time_to_live.get().map(|at| at.place), table),
        ("flow-hash", wire.flow_hash.get().map(|at| at.place), several),
    ];
    for (key, place, fault) in given {
        let Some((place, (message, expected))) = place.zip(fault) else { continue };
        conflict(place, format!("`{key}` {message}"), expected, diagnostics);
    }
}

/// A next hop that the routes do not give.
type NextHop = (SwitchId, HostId, Place);

/// Sets next hops that the routes do not give, if there is a table; `None` after a fault.
fn set_next_hops(
    given: &Free<Free<u16>>,
    network: &Network,
    mut table: Option<&mut ForwardingTable>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<NextHop>> {
    let (mut set, mut is_sound) = (Vec::new(), true);
    for (switch, of_hosts) in &given.entries {
        let found = names::switch_alone(switch, network, diagnostics);
        for (host, port) in &of_hosts.value.entries {
            let (switch, host) = (found, names::host(host, network, diagnostics));
            let Some((switch, host)) = switch.zip(host) else {
                is_sound = false;
                continue;
            };
            let node = Node::Switch(switch);
            if network.link_at(End { node, port: Port(port.value) }).is_none() {
                let message =
                    format!("`{}` has no cable in port {}", quoted(network.name_of(node)), port.value);
                out_of_range(port.place, message, names::cabled_ports(network, node), diagnostics);
                is_sound = false;
            }
            if let Some(table) = table.as_deref_mut() {
                table.set(switch, host, Port(port.value));
            }
            set.push((switch, host, port.place));
        }
    }
    is_sound.then_some(set)
}

/// Notes next hops by which frames go round in a circle that nothing ends; `None` if there are such. Others have none:
/// each is nearer to its host, or on a way to it.
fn refuse_circles(
    set: &[NextHop],
    table: &ForwardingTable,
    Topology { network, attachments, .. }: &Topology,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let hosts: BTreeSet<HostId> = set.iter().map(|(_, host, _)| *host).collect();
    let mut is_sound = true;
    for host in hosts {
        let Some(mut circle) = table.circle_towards(network, attachments, host) else { continue };
        let on_circle = |(switch, of, _): &&NextHop| *of == host && circle.contains(switch);
        let of_host = |(_, of, _): &&NextHop| *of == host;
        let Some((first, _, place)) = set.iter().find(on_circle).or_else(|| set.iter().find(of_host)) else {
            continue;
        };
        let start = circle.iter().position(|switch| switch == first).unwrap_or(0);
        circle.rotate_left(start);
        circle.push(circle[0]);
        let names: Vec<&str> = circle.iter().map(|at| network.name_of(Node::Switch(*at))).collect();
        let to = quoted(network.name_of(Node::Host(host)));
        diagnostics.add(*place, |span| {
            let message = format!("frames for `{to}` can go round for ever: {}", quoted(&names.join(" -> ")));
            let expected = "expected next hops without a circle, or a `time-to-live`, which ends it";
            Fault::new("routing-loop", span, message, expected)
        });
        is_sound = false;
    }
    is_sound.then_some(())
}

fn of_source(
    source: &RouteSource,
    topology: &Topology,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<ForwardingTable> {
    let network = &topology.network;
    let attachments = Attachments::by_ports(network, &topology.attachments);
    let made = match source {
        RouteSource::OnLanes { tables, .. } => {
            return Some(ForwardingTable::of_next_hops(network, &attachments, &tables.hops));
        }
        RouteSource::Computed(choices) => {
            let engine = Engine::Rule(choices.algorithm.clone());
            DestinationTables::new(network, &attachments, &engine, (None, 0, choices.utility))
                .map(|tables| ForwardingTable::of_next_hops(network, &attachments, &tables.hops))
                .map_err(|error| (error.to_string(), "expected another algorithm".to_owned()))
        }
        RouteSource::File { table, .. } => {
            ForwardingTable::of_routes(network, &attachments, table).map_err(|error| {
                let [switch, host] = [Node::Switch(error.switch), Node::Host(error.destination)]
                    .map(|node| quoted(network.name_of(node)));
                let [first, other] = error.ports;
                let message =
                    format!("routes to `{host}` leave `{switch}` by port {first} and by port {other}");
                (message, "expected one next hop for each switch and destination".to_owned())
            })
        }
    };
    made.map_err(|(message, expected)| conflict(place, message, expected, diagnostics)).ok()
}
