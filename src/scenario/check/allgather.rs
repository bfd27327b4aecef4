//! All-gathers: every network built, ranks dealt to its machines, every list looked through.

use std::collections::BTreeMap;

use crate::diagnostics::{Fault, quoted};
use crate::host::collective;
use crate::ids::{HostId, Node};
use crate::routing::{Algorithm, Choices, Root, Selection, Tree};
use crate::units::{BitRate, Bytes, Duration};

use super::super::allgather::{
    Allgather, Cell, GatheredNetwork, Iterations, MediumKind, Method, Overheads, Packets, Plot, Reference,
    Software,
};
use super::super::book::{Book, Place};
use super::super::checked::{RouteSource, Routing, Topology};
use super::super::ethernet::{Ethernet, Transport};
use super::super::wire::{self, At, Document, Given, Quantity, RingRoutes};
use super::traffic::Context;
use super::{conflict, ethernet, in_bytes, names, out_of_range, quantity, routing, shared};

/// The most ranks: every one of them holds a number for each of them.
pub(super) const MOST_RANKS: u64 = 4_096;
/// The most bytes of all ranks together.
const MOST_BYTES: u64 = 1 << 40;
/// The most repetitions and executions.
const MOST_TIMES: u32 = 100_000;
/// The most cells.
const MOST_CELLS: usize = 100_000;
/// The longest that repetitions may take at least: overflow is far off then.
const LONGEST: Duration = Duration::from_ms(86_400_000);
/// The most that software spends on a message, and on a byte.
pub(super) const MOST_WORK: [Duration; 2] = [Duration::from_ms(1_000), Duration::from_us(1)];
/// How many names a message lists.
const LISTED: usize = 5;

/// The all-gathers of a scenario whose own network is that of `context`.
pub(super) fn allgather(
    wire: &At<wire::Allgather>,
    medium: Option<&Ethernet>,
    document: &Document,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Allgather> {
    shared::alone("[allgather]", document, book);
    let value = &wire.value;
    let algorithms = shared::each_once(&value.algorithms, "algorithm", |m| m.name().to_owned(), book);
    let sizes = sizes(&value.sizes, book);
    let media = media(value, document, book);
    let rates = rates(value, media.as_deref(), book);
    let transports = transports(value, media.as_deref(), medium, book);
    let protocols = shared::each_once(&value.protocols, "protocol", |p| p.name().to_owned(), book);
    let software = value.software.value().and_then(|wire| software(wire, book));
    let packets = packets(value, book);
    let times = times(value, book);
    let each = ranks_per_machine(&value.ranks_per_machine, book);
    let networks = networks(value, document, context, book);
    if let (Some(routing), Some([MediumKind::Ethernet])) = (document.routing.get(), media.as_deref()) {
        conflict(routing.place, "routes of no fabric", "frames keep to the spanning tree", book);
    }
    if let (Some(networks), Some(each)) = (&networks, each) {
        check_ranks(networks, each, algorithms.as_deref().unwrap_or_default(), book);
        let sizes = sizes.as_deref().unwrap_or_default();
        let envelope = software.map_or(Bytes(0), |software| software.envelope);
        check_sizes((networks, each), (sizes, envelope), (medium, context), times, book);
    }
    let (iterations, executions) = times?;
    let mut allgather = Allgather {
        networks: networks?.into_iter().map(|(_, network)| network).collect(),
        algorithms: algorithms?.iter().map(|at| at.value).collect(),
        sizes: sizes?.iter().map(|at| at.value).collect(),
        media: media?,
        rates: rates?,
        transports: transports?,
        protocols: protocols?.iter().map(|at| at.value).collect(),
        threshold: quantity(&value.threshold)?.value,
        handshake: *value.handshake.value()?,
        software: software?,
        tree: given(&value.tree)?,
        ranks_per_machine: each?,
        placement: *value.placement.value()?,
        packets: packets?,
        rings_follow_trees: *value.ring_routes.value()? == RingRoutes::Tree,
        iterations,
        executions,
        figures: Vec::new(),
        references: Vec::new(),
    };
    if allgather.count() > MOST_CELLS {
        out_of_range(
            wire.place,
            "too many combinations",
            format!("expected at most {MOST_CELLS} combinations"),
            book,
        );
        return None;
    }
    let figures = value.figures.value()?.iter().filter_map(|wire| plot(&wire.value, &allgather, book));
    let figures = figures.collect();
    let references = value.references.value()?.iter();
    let references = references.filter_map(|wire| reference(&wire.value, &allgather, book)).collect();
    (allgather.figures, allgather.references) = (figures, references);
    Some(allgather)
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
fn sizes(given: &Given<Vec<At<Quantity<Bytes>>>>, book: &mut Book) -> Option<Vec<At<Bytes>>> {
    let list = shared::each_once(given, "size", |size| size.0.to_string(), book)?;
    let mut sound = true;
    for size in list.iter().filter(|size| !(1..=MOST_BYTES).contains(&size.value.0.0)) {
        sound = false;
        out_of_range(
            size.place,
            format!("{} from each rank is out of range", size.value.0),
            "expected 1 B to 1024 GiB of all ranks together",
            book,
        );
    }
    sound.then(|| list.iter().map(|at| At { value: at.value.0, place: at.place }).collect())
}

/// What the cables carry.
fn media(wire: &wire::Allgather, document: &Document, book: &mut Book) -> Option<Vec<MediumKind>> {
    let usual = if document.ethernet.is_absent() { MediumKind::Fabric } else { MediumKind::Ethernet };
    if wire.media.is_absent() {
        return Some(vec![usual]);
    }
    let list = shared::each_once(&wire.media, "medium", |medium| medium.name().to_owned(), book)?;
    let framed = list.iter().find(|at| at.value == MediumKind::Ethernet);
    if let (Some(at), true) = (framed, document.ethernet.is_absent()) {
        book.add(at.place, |span| {
            Fault::new("missing-section", span, "there is no Ethernet", "needs an [ethernet] section")
        });
        return None;
    }
    Some(list.iter().map(|at| at.value).collect())
}

/// Rates of all cables.
fn rates(wire: &wire::Allgather, media: Option<&[MediumKind]>, book: &mut Book) -> Option<Vec<BitRate>> {
    if wire.rates.is_absent() {
        return Some(Vec::new());
    }
    let list = shared::each_once(&wire.rates, "rate", |rate| rate.0.to_string(), book)?;
    let framed = media?.contains(&MediumKind::Ethernet);
    let checked = |at: &At<Quantity<BitRate>>, book: &mut Book| {
        let rate = At { value: at.value.0, place: at.place };
        if framed { ethernet::checked_rate(rate, book) } else { Some(rate.value) }
    };
    let checked: Vec<_> = list.iter().map(|at| checked(at, book)).collect();
    checked.into_iter().collect()
}

/// The transports of the Ethernet; none without one.
fn transports(
    wire: &wire::Allgather,
    media: Option<&[MediumKind]>,
    medium: Option<&Ethernet>,
    book: &mut Book,
) -> Option<Vec<Transport>> {
    let framed = media?.contains(&MediumKind::Ethernet);
    if wire.transports.is_absent() {
        return if framed { Some(vec![medium?.transport]) } else { Some(Vec::new()) };
    }
    let list = shared::each_once(&wire.transports, "transport", |t| t.name().to_owned(), book)?;
    if !framed {
        conflict(
            wire.transports.get()?.place,
            "transports of no Ethernet",
            "needs the medium ethernet",
            book,
        );
        return None;
    }
    Some(list.iter().map(|at| at.value).collect())
}

/// What software costs.
fn software(wire: &wire::Software, book: &mut Book) -> Option<Software> {
    let short = overheads(&wire.short, book);
    let long = match &wire.long {
        Given::Absent => short,
        given => {
            if let (true, Some(at)) = (wire.short_up_to.is_absent(), given.get()) {
                let expected = "needs `short-up-to`: without it all messages are short";
                book.add(at.place, |span| {
                    Fault::new("missing-key", span, "what long messages cost, and none is long", expected)
                });
            }
            given.value().and_then(|wire| overheads(&wire.costs, book))
        }
    };
    let envelope = quantity(&wire.envelope).and_then(|at| in_bytes(at, 0..=65_536, book));
    let copy = quantity(&wire.copy_per_byte).and_then(|at| at_most(at, MOST_WORK[1], book));
    let jitter = wire.jitter.get()?;
    if jitter.value.0 > 1.0 {
        out_of_range(jitter.place, "more than all of it", "expected at most \"100 %\"", book);
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
pub(super) fn overheads(wire: &wire::Overheads, book: &mut Book) -> Option<Overheads> {
    let [message, byte] = MOST_WORK;
    let costs = [(&wire.send, message), (&wire.receive, message), (&wire.send_per_byte, byte)];
    let costs = costs.into_iter().chain([(&wire.receive_per_byte, byte)]);
    let costs: Vec<_> = costs.map(|(cost, most)| at_most(quantity(cost)?, most, book)).collect();
    let &[send, receive, send_byte, receive_byte] = costs.as_slice() else { return None };
    Some(Overheads { send: send?, receive: receive?, send_byte: send_byte?, receive_byte: receive_byte? })
}

/// A span of at most `most`.
pub(super) fn at_most(span: At<Duration>, most: Duration, book: &mut Book) -> Option<Duration> {
    if span.value <= most {
        return Some(span.value);
    }
    out_of_range(
        span.place,
        format!("{} is out of range", span.value),
        format!("expected at most {most}"),
        book,
    );
    None
}

/// What the fabric carries messages in.
fn packets(wire: &wire::Allgather, book: &mut Book) -> Option<Packets> {
    let data = match &wire.packet {
        Given::Absent => Some(None),
        given => quantity(given).and_then(|at| in_bytes(at, 1..=1 << 30, book)).map(Some),
    };
    let header = quantity(&wire.packet_header).and_then(|at| in_bytes(at, 1..=1_024, book));
    let data = match data? {
        Some(data) => Some(u32::try_from(data).ok()?),
        None => None,
    };
    Some(Packets { data, header: u32::try_from(header?).ok()? })
}

/// Repetitions and executions.
fn times(wire: &wire::Allgather, book: &mut Book) -> Option<(Iterations, u32)> {
    let mut once_at_least = |number: u32, place: Place| {
        let sound = (1..=MOST_TIMES).contains(&number);
        if !sound {
            out_of_range(place, "out of range", format!("expected 1 to {MOST_TIMES}"), book);
        }
        sound
    };
    let (iterations, executions) = (wire.iterations.get()?, wire.executions.get()?);
    let sound = match iterations.value {
        Iterations::Paper => true,
        Iterations::Number(number) => once_at_least(number, iterations.place),
    };
    (once_at_least(executions.value, executions.place) && sound)
        .then_some((iterations.value, executions.value))
}

fn ranks_per_machine(given: &Given<u32>, book: &mut Book) -> Option<u32> {
    let at = given.get()?;
    if (1..=MOST_RANKS).contains(&u64::from(at.value)) {
        return Some(at.value);
    }
    out_of_range(at.place, "out of range", format!("expected 1 to {MOST_RANKS}"), book);
    None
}

/// Every network with the place that asks for it: the scenario's own first.
fn networks(
    wire: &wire::Allgather,
    document: &Document,
    context: &Context<'_>,
    book: &mut Book,
) -> Option<Vec<(Place, GatheredNetwork)>> {
    let own = (document.topology.value()?, context.topology);
    let further = wire.networks.value()?;
    if let [_, ..] = further.as_slice() {
        let named = document.ethernet.value().and_then(|ethernet| ethernet.priorities.get());
        let named = named.filter(|free| !free.value.entries.is_empty()).map(|free| free.place);
        let places = [wire.ranks.get().map(|ranks| ranks.place), named];
        for place in places.into_iter().flatten() {
            let expected = "expected no `networks` beside it";
            conflict(place, "names of one network beside further networks", expected, book);
        }
    }
    let built = shared::networks(own, further, 1, book)?;
    let networks = built.into_iter().map(|(name, place, topology)| {
        let machines = match &wire.ranks {
            Given::Absent => Some(attached(&topology).collect()),
            given => given.get().and_then(|ranks| ranked(ranks, &topology, book)),
        };
        check_connected(&topology, place, book)?;
        let routing = match document.routing.get() {
            Some(wire) => routing::routing(wire, Some(&topology), context.seed, book)?,
            None => usual_routing(),
        };
        Some((place, GatheredNetwork { name, machines: machines?, routing, topology }))
    });
    // A fault of one does not hide those of the others.
    let networks: Vec<_> = networks.collect();
    networks.into_iter().collect()
}

/// The machines of a network that have a cable.
pub(super) fn attached(topology: &Topology) -> impl Iterator<Item = HostId> {
    let ports = topology.attachments.iter().enumerate();
    ports.filter(|(_, port)| port.is_some()).map(|(host, _)| HostId::new(host))
}

/// The machines in the order given, each once and none left out.
fn ranked(ranks: &At<Vec<At<String>>>, topology: &Topology, book: &mut Book) -> Option<Vec<HostId>> {
    let mut first: BTreeMap<HostId, ()> = BTreeMap::new();
    let mut order = Vec::new();
    let mut sound = true;
    for name in &ranks.value {
        let Some(host) = names::attached_host(name, topology, book) else {
            sound = false;
            continue;
        };
        if first.insert(host, ()).is_some() {
            conflict(
                name.place,
                format!("`{}` twice", quoted(&name.value)),
                "expected each machine once",
                book,
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
        book.add(ranks.place, |span| {
            let message = format!("machines of the network without a rank: {listed}{more}");
            Fault::new("missing-machine", span, message, "expected every machine with a cable")
        });
        sound = false;
    }
    sound.then_some(order)
}

/// Notes machines that no tree connects; `None` after such a fault. Costs O(nodes + cables).
pub(super) fn check_connected(topology: &Topology, place: Place, book: &mut Book) -> Option<()> {
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
        book.add(place, |span| {
            Fault::new("not-connected", span, message, "expected cables between all machines over switches")
        });
        return None;
    }
    Some(())
}

/// Marks all switches that cables connect with `start`.
fn spread(network: &crate::topology::Network, start: crate::ids::SwitchId, reached: &mut [bool]) {
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

/// Notes numbers of ranks that are too large, or that an algorithm cannot serve.
fn check_ranks(networks: &[(Place, GatheredNetwork)], each: u32, algorithms: &[At<Method>], book: &mut Book) {
    for (place, network) in networks {
        let (name, ranks) = (&network.name, network.machines.len() as u64 * u64::from(each));
        if ranks > MOST_RANKS {
            out_of_range(
                *place,
                format!("{ranks} ranks on {}", quoted(name)),
                format!("expected at most {MOST_RANKS} ranks"),
                book,
            );
            continue;
        }
        for algorithm in algorithms {
            let expected = match algorithm.value {
                Method::Blind(collective::Algorithm::RecursiveDoubling) if !ranks.is_power_of_two() => {
                    "expected a power of two; open-mpi and mpich choose by themselves"
                }
                Method::Blind(collective::Algorithm::NeighbourExchange) if ranks % 2 != 0 => {
                    "expected an even number; open-mpi chooses by itself"
                }
                _ => continue,
            };
            book.add(algorithm.place, |span| {
                let message =
                    format!("{} cannot serve the {ranks} ranks on {}", algorithm.value.name(), quoted(name));
                Fault::new("unfit-algorithm", span, message, expected)
            });
        }
    }
}

/// Notes sizes that come to more bytes, or to more time, than can be counted.
fn check_sizes(
    (networks, each): (&[(Place, GatheredNetwork)], u32),
    (sizes, envelope): (&[At<Bytes>], Bytes),
    (ethernet, context): (Option<&Ethernet>, &Context<'_>),
    times: Option<(Iterations, u32)>,
    book: &mut Book,
) {
    let ranks = networks.iter().map(|(_, network)| network.machines.len() as u64 * u64::from(each)).max();
    let (Some(ranks), Some(times)) = (ranks, times) else { return };
    let rate = ethernet.map(|ethernet| ethernet.rate).or(context.fabric.map(|fabric| fabric.rate));
    let often = match times.0 {
        Iterations::Paper => 50,
        Iterations::Number(number) => number,
    };
    for size in sizes {
        let total = size.value.0.checked_mul(ranks).filter(|total| *total <= MOST_BYTES - envelope.0);
        let Some(total) = total else {
            book.add(size.place, |span| {
                let message = format!("{} from each of {ranks} ranks is too much", size.value);
                let most = Bytes((MOST_BYTES - envelope.0) / ranks.max(1));
                Fault::new("overflow", span, message, format!("expected at most {most} from each"))
            });
            continue;
        };
        let least = rate.map(|rate| rate.time_for(Bytes(total)) * u64::from(often));
        if let Some(least) = least.filter(|least| *least > LONGEST) {
            book.add(size.place, |span| {
                let message = format!("{often} times {total} B take at least {least}");
                Fault::new("overflow", span, message, format!("expected at most {LONGEST}"))
            });
        }
    }
}

/// The routes of the fabric where a scenario names none: shortest legal UP*/DOWN* ones, balanced.
fn usual_routing() -> Routing {
    let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root: Root::Far };
    let choices = Choices { algorithm, selection: Selection::Balanced, utility: None };
    Routing { source: RouteSource::Computed(choices), distribute: false }
}

fn method(at: &At<Method>, allgather: &Allgather, book: &mut Book) -> Option<usize> {
    let given = Given::Is(*at);
    let found = shared::among(&given, &allgather.algorithms, "algorithm", Method::name, book)??;
    allgather.algorithms.iter().position(|other| *other == found)
}

fn size(at: &At<Quantity<Bytes>>, allgather: &Allgather, book: &mut Book) -> Option<usize> {
    let given = Given::Is(At { value: at.value.0, place: at.place });
    let found = shared::among(&given, &allgather.sizes, "size", |size| size, book)??;
    allgather.sizes.iter().position(|other| *other == found)
}

fn network(name: &At<String>, allgather: &Allgather, book: &mut Book) -> Option<usize> {
    let names = allgather.networks.iter().map(|network| network.name.as_str());
    shared::position(name, names, shared::NETWORKS, book)
}

/// A figure.
fn plot(wire: &wire::GatherPlot, allgather: &Allgather, book: &mut Book) -> Option<Plot> {
    let name = shared::figure_name(wire.name.get()?, book)?;
    let algorithms: Vec<_> = wire.algorithms.value()?.iter().map(|at| method(at, allgather, book)).collect();
    let networks: Vec<_> = wire.networks.value()?.iter().map(|at| network(at, allgather, book)).collect();
    let sizes: Vec<_> = wire.sizes.value()?.iter().map(|at| size(at, allgather, book)).collect();
    Some(Plot {
        name,
        title: wire.title.value().cloned(),
        x: *wire.x.value()?,
        y: *wire.y.value()?,
        bound: *wire.bound.value()?,
        algorithms: algorithms.into_iter().collect::<Option<_>>()?,
        networks: networks.into_iter().collect::<Option<_>>()?,
        sizes: sizes.into_iter().collect::<Option<_>>()?,
    })
}

/// A printed number, found, and what stands beside it.
fn reference(wire: &wire::GatherReference, allgather: &Allgather, book: &mut Book) -> Option<Reference> {
    let number = shared::printed(&wire.printed, book);
    let own = wire.algorithm.get().and_then(|at| method(at, allgather, book));
    let over = match &wire.over {
        Given::Absent => Some(None),
        given => given.get().and_then(|at| method(at, allgather, book)).map(Some),
    };
    let size = match &wire.size {
        Given::Absent => Some(0),
        given => given.get().and_then(|at| size(at, allgather, book)),
    };
    let network = match &wire.network {
        Given::Absent => Some(0),
        given => given.get().and_then(|at| network(at, allgather, book)),
    };
    let first = |length: usize| length.checked_sub(1).map(|_| 0);
    let framed = allgather.media.first() == Some(&MediumKind::Ethernet);
    let cell = Cell {
        network: network?,
        medium: 0,
        rate: first(allgather.rates.len()),
        transport: first(allgather.transports.len()).filter(|_| framed),
        protocol: 0,
        algorithm: own?,
        size: size?,
    };
    Some(Reference { number: number?, measure: *wire.ours.value()?, cell, over: over? })
}
