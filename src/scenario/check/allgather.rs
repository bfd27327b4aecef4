//! An all-gather: its network looked through, ranks dealt to machines, sizes and times within reason.

use std::collections::BTreeMap;

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::ids::{HostId, Node};
use simnet_base::units::{BitRate, Bytes, Duration};
use simnet_media::host::collective;
use simnet_network::routing::{Algorithm, Choices, Root, Selection, Tree};

use super::traffic::Context;
use super::{conflict, in_bytes, names, out_of_range, quantity, shared};
use crate::allgather::{Allgather, Iterations, Medium, MediumKind, Method, Overheads, Packets, Software};
use crate::checked::{RouteSource, Routing, Topology};
use crate::diagnostics::{Diagnostics, Place};
use crate::ethernet::Ethernet;
use crate::wire::{self, Document, Given, Located, RingRoutes};

/// The most ranks: every one of them holds a number for each of them.
pub(super) const MOST_RANKS: u64 = 4_096;
/// The most bytes of all ranks together.
const MOST_BYTES: u64 = 1 << 40;
/// The most repetitions and executions.
const MOST_TIMES: u32 = 100_000;
/// The longest that repetitions may take at least: overflow is far off then.
const LONGEST: Duration = Duration::from_ms(86_400_000);
/// The most that software spends on a message, and on a byte.
pub(super) const MOST_WORK: [Duration; 2] = [Duration::from_ms(1_000), Duration::from_us(1)];
/// How many names a message lists.
const LISTED: usize = 5;

/// The all-gather of a scenario on the network of `context`.
pub(super) fn allgather(
    wire: &Located<wire::Allgather>,
    (ethernet, routing): (Option<&Ethernet>, Option<&Routing>),
    document: &Document,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Allgather> {
    shared::alone("[allgather]", document, diagnostics);
    let value = &wire.value;
    let size = size(value, diagnostics);
    let medium = medium(value, document, diagnostics);
    let software = value.software.value().and_then(|wire| software(wire, diagnostics));
    let packets = packets(value, diagnostics);
    let times = times(value, diagnostics);
    let each = ranks_per_machine(&value.ranks_per_machine, diagnostics);
    let own = document.topology.value().map(|topology| topology.place).zip(context.topology);
    let machines = own.and_then(|(place, topology)| machines(value, topology, place, diagnostics));
    if let (Some(routing), true, Some(MediumKind::Ethernet)) =
        (document.routing.get(), value.medium.is_absent(), medium)
        && ethernet.is_some_and(|ethernet| ethernet.table.is_none())
    {
        conflict(routing.place, "routes of no fabric", "frames keep to the spanning tree", diagnostics);
    }
    if let (Some((place, topology)), Some(machines), Some(each)) = (own, &machines, each) {
        let (ranks, name) = (machines.len() as u64 * u64::from(each), quoted(&topology.network.name));
        if ranks > MOST_RANKS {
            let expected = format!("expected at most {MOST_RANKS} ranks");
            out_of_range(place, format!("{ranks} ranks on {name}"), expected, diagnostics);
            return None;
        }
        if let Some(algorithm) = value.algorithm.get() {
            check_algorithm(algorithm, ranks, &name, diagnostics);
        }
        if let (Some(size), Some((iterations, _)), Some(software)) = (size, times, software) {
            let rate = ethernet.map(|ethernet| ethernet.rate).or(context.fabric.map(|fabric| fabric.rate));
            check_size(size, ranks, (software.envelope, rate), iterations, diagnostics);
        }
    }
    let (iterations, executions) = times?;
    Some(Allgather {
        algorithm: *value.algorithm.value()?,
        size: size?.value,
        medium: match medium? {
            MediumKind::Ethernet => Medium::Ethernet(ethernet?.clone()),
            MediumKind::Fabric => Medium::Fabric(routing.map_or_else(usual_routes, |of| of.source.clone())),
        },
        protocol: *value.protocol.value()?,
        threshold: quantity(&value.threshold)?.value,
        handshake: *value.handshake.value()?,
        software: software?,
        tree: given(&value.tree)?,
        machines: machines?,
        ranks_per_machine: each?,
        placement: *value.placement.value()?,
        packets: packets?,
        rings_follow_trees: *value.ring_routes.value()? == RingRoutes::Tree,
        iterations,
        executions,
    })
}

/// Where routes come from where the scenario does not say: shortest legal UP*/DOWN* ones, balanced.
fn usual_routes() -> RouteSource {
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    RouteSource::Computed(Choices { algorithm, selection: Selection::Balanced, utility: None })
}

/// What is given, if anything; `None` after a fault.
#[expect(clippy::option_option, reason = "the outer one says whether there was a fault")]
fn given<T: Copy>(given: &Given<T>) -> Option<Option<T>> {
    match given {
        Given::Absent => Some(None),
        Given::Faulty => None,
        Given::Is(at) => Some(Some(at.value)),
    }
}

/// What each rank contributes, something each time.
fn size(wire: &wire::Allgather, diagnostics: &mut Diagnostics) -> Option<Located<Bytes>> {
    let size = quantity(&wire.size)?;
    if (1..=MOST_BYTES).contains(&size.value.0) {
        return Some(size);
    }
    let message = format!("{} from each rank is out of range", size.value);
    out_of_range(size.place, message, "expected 1 B to 1024 GiB of all ranks together", diagnostics);
    None
}

/// Whether the scenario's all-gather, if it has one, is one of frames: said, or not said beside an Ethernet.
pub(super) fn is_on_frames(document: &Document) -> bool {
    document.allgather.value().is_some_and(|wire| match &wire.medium {
        Given::Absent => !document.ethernet.is_absent(),
        medium => medium.value() == Some(&MediumKind::Ethernet),
    })
}

/// What the cables carry.
fn medium(wire: &wire::Allgather, document: &Document, diagnostics: &mut Diagnostics) -> Option<MediumKind> {
    let has_frames = !document.ethernet.is_absent();
    let Some(medium) = given(&wire.medium)? else {
        return Some(if has_frames { MediumKind::Ethernet } else { MediumKind::Fabric });
    };
    if let (MediumKind::Ethernet, false, Some(at)) = (medium, has_frames, wire.medium.get()) {
        diagnostics.add(at.place, |span| {
            Fault::new("missing-section", span, "there is no Ethernet", "needs an [ethernet] section")
        });
        return None;
    }
    Some(medium)
}

/// What software costs.
fn software(wire: &wire::Software, diagnostics: &mut Diagnostics) -> Option<Software> {
    let short = overheads(&wire.short, diagnostics);
    let long = match &wire.long {
        Given::Absent => short,
        given => {
            if let (true, Some(at)) = (wire.short_up_to.is_absent(), given.get()) {
                let expected = "needs `short-up-to`: without it all messages are short";
                diagnostics.add(at.place, |span| {
                    Fault::new("missing-key", span, "what long messages cost, and none is long", expected)
                });
            }
            given.value().and_then(|wire| overheads(&wire.costs, diagnostics))
        }
    };
    let envelope = quantity(&wire.envelope).and_then(|at| in_bytes(at, 0..=65_536, diagnostics));
    let copy = quantity(&wire.copy_per_byte).and_then(|at| at_most(at, MOST_WORK[1], diagnostics));
    let jitter = wire.jitter.get()?;
    if jitter.value.0 > 1.0 {
        out_of_range(jitter.place, "more than all of it", "expected at most \"100 %\"", diagnostics);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 0 to 1")]
    let jitter = (jitter.value.0.min(1.0) * 1_000.0).round() as u32;
    let short_up_to = match &wire.short_up_to {
        Given::Absent => Bytes(u64::MAX),
        given => quantity(given)?.value,
    };
    Some(Software {
        short: short?,
        long: long?,
        short_up_to,
        copy_byte: copy?,
        envelope: Bytes(envelope?),
        jitter,
    })
}

/// What a message costs at its two ends.
pub(super) fn overheads(wire: &wire::Overheads, diagnostics: &mut Diagnostics) -> Option<Overheads> {
    let [message, byte] = MOST_WORK;
    let costs = [(&wire.send, message), (&wire.receive, message), (&wire.send_per_byte, byte)];
    let costs = costs.into_iter().chain([(&wire.receive_per_byte, byte)]);
    let costs: Vec<_> = costs.map(|(cost, most)| at_most(quantity(cost)?, most, diagnostics)).collect();
    let &[send, receive, send_byte, receive_byte] = costs.as_slice() else { return None };
    Some(Overheads { send: send?, receive: receive?, send_byte: send_byte?, receive_byte: receive_byte? })
}

/// A span of at most `most`.
pub(super) fn at_most(
    span: Located<Duration>,
    most: Duration,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    if span.value <= most {
        return Some(span.value);
    }
    out_of_range(
        span.place,
        format!("{} is out of range", span.value),
        format!("expected at most {most}"),
        diagnostics,
    );
    None
}

/// What the fabric carries messages in.
fn packets(wire: &wire::Allgather, diagnostics: &mut Diagnostics) -> Option<Packets> {
    let data = match &wire.packet {
        Given::Absent => Some(None),
        given => quantity(given).and_then(|at| in_bytes(at, 1..=1 << 30, diagnostics)).map(Some),
    };
    let header = quantity(&wire.packet_header).and_then(|at| in_bytes(at, 1..=1_024, diagnostics));
    let data = match data? {
        Some(data) => Some(u32::try_from(data).ok()?),
        None => None,
    };
    Some(Packets { data, header: u32::try_from(header?).ok()? })
}

/// Repetitions and executions.
fn times(wire: &wire::Allgather, diagnostics: &mut Diagnostics) -> Option<(Iterations, u32)> {
    let mut once_at_least = |number: u32, place: Place| is_once_at_least(number, place, diagnostics);
    let (iterations, executions) = (wire.iterations.get()?, wire.executions.get()?);
    let sound = match iterations.value {
        Iterations::Paper => true,
        Iterations::Number(number) => once_at_least(number, iterations.place),
    };
    (once_at_least(executions.value, executions.place) && sound)
        .then_some((iterations.value, executions.value))
}

/// Whether something is done as often as it can be; a fault at `place` if not.
fn is_once_at_least(number: u32, place: Place, diagnostics: &mut Diagnostics) -> bool {
    let sound = (1..=MOST_TIMES).contains(&number);
    if !sound {
        out_of_range(place, "out of range", format!("expected 1 to {MOST_TIMES}"), diagnostics);
    }
    sound
}

fn ranks_per_machine(given: &Given<u32>, diagnostics: &mut Diagnostics) -> Option<u32> {
    let at = given.get()?;
    if (1..=MOST_RANKS).contains(&u64::from(at.value)) {
        return Some(at.value);
    }
    out_of_range(at.place, "out of range", format!("expected 1 to {MOST_RANKS}"), diagnostics);
    None
}

/// The machines in the order of ranks; all of them are connected.
fn machines(
    wire: &wire::Allgather,
    topology: &Topology,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<HostId>> {
    let machines = match &wire.ranks {
        Given::Absent => Some(attached(topology).collect()),
        given => given.get().and_then(|ranks| ranked(ranks, topology, diagnostics)),
    };
    check_connected(topology, place, diagnostics)?;
    machines
}

/// The machines of a network that have a cable.
pub(super) fn attached(topology: &Topology) -> impl Iterator<Item = HostId> {
    let ports = topology.attachments.iter().enumerate();
    ports.filter(|(_, port)| port.is_some()).map(|(host, _)| HostId::new(host))
}

/// The machines in the order given, each once and none left out.
fn ranked(
    ranks: &Located<Vec<Located<String>>>,
    topology: &Topology,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<HostId>> {
    let mut first: BTreeMap<HostId, ()> = BTreeMap::new();
    let mut order = Vec::new();
    let mut sound = true;
    for name in &ranks.value {
        let Some(host) = names::attached_host(name, topology, diagnostics) else {
            sound = false;
            continue;
        };
        if first.insert(host, ()).is_some() {
            conflict(
                name.place,
                format!("`{}` twice", quoted(&name.value)),
                "expected each machine once",
                diagnostics,
            );
            sound = false;
        }
        order.push(host);
    }
    let missing: Vec<String> = attached(topology)
        .filter(|host| !first.contains_key(host))
        .map(|host| format!("`{}`", quoted(topology.network.name_of(Node::Host(host)))))
        .collect();
    if !missing.is_empty() {
        let more = missing.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let listed = missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        diagnostics.add(ranks.place, |span| {
            let message = format!("machines of the network without a rank: {listed}{more}");
            Fault::new("missing-machine", span, message, "expected every machine with a cable")
        });
        sound = false;
    }
    sound.then_some(order)
}

/// Notes machines that no tree connects; `None` after such a fault. Costs O(nodes + cables).
pub(super) fn check_connected(
    topology: &Topology,
    place: Place,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let network = &topology.network;
    let mut first = None;
    let mut reached = vec![false; network.switches().len()];
    for host in attached(topology) {
        let name = |host| quoted(network.name_of(Node::Host(host)));
        let message = match topology.attachment(host)?.2.node {
            Node::Host(other) => format!("`{}` is cabled to `{}` and to no switch", name(host), name(other)),
            Node::Switch(switch) => match first {
                None => {
                    first = Some(host);
                    spread(network, switch, &mut reached);
                    continue;
                }
                Some(_) if reached[switch.index()] => continue,
                Some(first) => format!("no tree connects `{}` and `{}`", name(first), name(host)),
            },
        };
        diagnostics.add(place, |span| {
            Fault::new("not-connected", span, message, "expected cables between all machines over switches")
        });
        return None;
    }
    Some(())
}

/// Marks all switches that cables connect with `start`.
fn spread(
    network: &simnet_network::topology::Network,
    start: simnet_base::ids::SwitchId,
    reached: &mut [bool],
) {
    let mut open = vec![start];
    reached[start.index()] = true;
    while let Some(switch) = open.pop() {
        for (_, _, far) in network.cables(Node::Switch(switch)) {
            if let Node::Switch(next) = far.node
                && !std::mem::replace(&mut reached[next.index()], true)
            {
                open.push(next);
            }
        }
    }
}

/// Notes a number of ranks that an algorithm cannot serve.
fn check_algorithm(algorithm: &Located<Method>, ranks: u64, network: &str, diagnostics: &mut Diagnostics) {
    let expected = match algorithm.value {
        Method::Blind(collective::Algorithm::RecursiveDoubling) if !ranks.is_power_of_two() => {
            "expected a power of two; open-mpi and mpich choose by themselves"
        }
        Method::Blind(collective::Algorithm::NeighbourExchange) if !ranks.is_multiple_of(2) => {
            "expected an even number; open-mpi chooses by itself"
        }
        _ => return,
    };
    diagnostics.add(algorithm.place, |span| {
        let message = format!("{} cannot serve the {ranks} ranks on {network}", algorithm.value.name());
        Fault::new("unfit-algorithm", span, message, expected)
    });
}

/// Notes a size that comes to more bytes, or to more time, than can be counted.
fn check_size(
    size: Located<Bytes>,
    ranks: u64,
    (envelope, rate): (Bytes, Option<BitRate>),
    iterations: Iterations,
    diagnostics: &mut Diagnostics,
) {
    let total = size.value.0.checked_mul(ranks).filter(|total| *total <= MOST_BYTES - envelope.0);
    let Some(total) = total else {
        diagnostics.add(size.place, |span| {
            let message = format!("{} from each of {ranks} ranks is too much", size.value);
            let most = Bytes((MOST_BYTES - envelope.0) / ranks.max(1));
            Fault::new("overflow", span, message, format!("expected at most {most} from each"))
        });
        return;
    };
    let often = iterations.of(size.value);
    let least = rate.map(|rate| rate.time_for(Bytes(total)) * u64::from(often));
    if let Some(least) = least.filter(|least| *least > LONGEST) {
        diagnostics.add(size.place, |span| {
            let message = format!("{often} times {total} B take at least {least}");
            Fault::new("overflow", span, message, format!("expected at most {LONGEST}"))
        });
    }
}
