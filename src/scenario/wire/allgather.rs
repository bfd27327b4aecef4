//! The `[allgather]` section.

use serde_json::{Value as Schema, json as json_schema};

use super::canonical::{Canonical, Key, put};
use super::kinds::{self, Choice};
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema, wrong_type};
use crate::allgather::{Iterations, MediumKind, Method, Placement, Protocol};
use crate::diagnostics::Diagnostics;
use crate::tree::{Item, Value};
use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::collective;
use simnet_network::ring;

use Presence::{Default, Optional, Required};

/// An amount of data.
type Amount = kinds::Quantity<Bytes>;
/// A span of time.
type Span = kinds::Quantity<Duration>;

table! {
    /// An all-gather: every rank contributes as much, and in the end every rank has all.
    "[allgather]" Allgather {
        /// The operation: a ring found on the network, an algorithm that knows nothing of it, a library's selection.
        algorithm: Method = Required;
        /// How much each rank contributes; that of all ranks together is at most 1024 GiB.
        size: Amount = Required;
        /// What the cables carry: frames of `[ethernet]`, worms of `[fabric]`. Frames if there is an `[ethernet]`
        /// and nothing else is given, worms otherwise.
        medium: MediumKind = Optional;
        /// When a send is over: as soon as the message has been handed over (`eager`), when its last byte has left,
        /// over TCP into the socket's buffer (`socket`), or when the receiver has it (`rendezvous`); or eager up to
        /// `threshold` and rendezvous beyond (`threshold`).
        protocol: Protocol = Default("'rendezvous'");
        /// The most data of a message that needs no receiver yet: it is eager under the protocol `threshold`, and never
        /// announced.
        threshold: Amount = Default("'64 KiB'");
        /// Whether a message beyond `threshold` that is not eager is announced, and sent only after an answer that its
        /// receiver is ready.
        handshake: bool = Default("false");
        /// What software costs.
        software: Software = Default("{}");
        /// The machines in the order of ranks, each once; in the network's order if not given.
        ranks: Vec<Located<String>> = Optional;
        /// How many ranks a machine has, at least 1; there are at most 4096 ranks.
        ranks_per_machine: u32 = Default("1");
        /// The first ranks to the first machine, or one to each and from the beginning.
        placement: Placement = Default("'block'");
        /// The spanning tree of LR1, LR2 and LR3; if not given the one that an Ethernet's switches elect, and a
        /// breadth-first one on the fabric.
        tree: ring::Kind = Optional;
        /// On the fabric: the most bytes of a message in a packet, 1 B to 1 GiB; messages travel whole if not given.
        packet: Amount = Optional;
        /// On the fabric: what a packet carries other than data and route (header flit, CRC-8 and tail), 1 B to 1024 B.
        packet_header: Amount = Default("'3 B'");
        /// On the fabric: whether messages of LR1, LR2 and LR3 follow the ring's own tree, or the routes of
        /// `[routing]` as all others do (UP*/DOWN* if there is none).
        ring_routes: RingRoutes = Default("'tree'");
        /// How often the operation is repeated between two readings of the clock, at least once; `"paper"` for 50
        /// times up to 12 KiB, 20 times up to 96 KiB, else 10 times.
        iterations: Iterations = Default("1");
        /// How often that is measured, at least once.
        executions: u32 = Default("1");
    }
}

table! {
    /// What software costs at either end of a message.
    "[allgather.software]" Software {
        ..short: Overheads;
        /// The most data of a short message; without it all are short.
        short_up_to: Amount = Optional;
        /// What longer messages cost; as short ones if not given.
        long: LongOverheads = Optional;
        /// To copy a byte within a machine's memory, at most 1 us.
        copy_per_byte: Span = Default("'0 ns'");
        /// The library's header before the data of every message, at most 64 KiB.
        envelope: Amount = Default("'0 B'");
        /// How much a piece of work may take more or less, each time anew, at most `"100 %"`.
        jitter: kinds::Share = Default("'0 %'");
    }
}

table! {
    /// What a message costs at its two ends.
    "what a message costs" Overheads {
        /// The sender's work for a message, at most 1 s.
        send: Span = Default("'0 ns'");
        /// The receiver's work for a message, at most 1 s.
        receive: Span = Default("'0 ns'");
        /// The sender's work for each byte, at most 1 us.
        send_per_byte: Span = Default("'0 ns'");
        /// The receiver's work for each byte, at most 1 us.
        receive_per_byte: Span = Default("'0 ns'");
    }
}

table! {
    /// What a message longer than `short-up-to` costs at its two ends.
    "[allgather.software.long]" LongOverheads {
        ..costs: Overheads;
    }
}

/// What ring messages follow on the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RingRoutes {
    /// The ring's own tree.
    Tree,
    /// The routes that all messages follow.
    Routing,
}

impl Choice for RingRoutes {
    const CHOICES: &'static [(&'static str, RingRoutes)] =
        &[("tree", RingRoutes::Tree), ("routing", RingRoutes::Routing)];
}

impl Choice for Method {
    const CHOICES: &'static [(&'static str, Method)] = &METHODS;
}

/// How many rings are found by a rule.
const FOUND: usize = ring::Algorithm::CHOICES.len();

/// Rings that are found on the network, then what knows no network.
const METHODS: [(&str, Method); FOUND + collective::Algorithm::ALL.len()] = {
    let mut all =
        [("", Method::Blind(collective::Algorithm::Ring)); FOUND + collective::Algorithm::ALL.len()];
    let mut nth = 0;
    while nth < all.len() {
        all[nth] = if nth < FOUND {
            let (word, found) = ring::Algorithm::CHOICES[nth];
            (word, Method::Found(found))
        } else {
            let blind = collective::Algorithm::ALL[nth - FOUND];
            (blind.name(), Method::Blind(blind))
        };
        nth += 1;
    }
    all
};

impl Choice for MediumKind {
    const CHOICES: &'static [(&'static str, MediumKind)] =
        &[("ethernet", MediumKind::Ethernet), ("fabric", MediumKind::Fabric)];
}

impl Choice for Protocol {
    const CHOICES: &'static [(&'static str, Protocol)] = &[
        ("eager", Protocol::Eager),
        ("socket", Protocol::Socket),
        ("rendezvous", Protocol::Rendezvous),
        ("threshold", Protocol::Threshold),
    ];
}

impl Choice for Placement {
    const CHOICES: &'static [(&'static str, Placement)] =
        &[("block", Placement::Block), ("cyclic", Placement::Cyclic)];
}

impl Choice for ring::Kind {
    const CHOICES: &'static [(&'static str, ring::Kind)] =
        &[("bfs", ring::Kind::Bfs), ("dfs", ring::Kind::Dfs), ("random", ring::Kind::Random)];
}

impl Wire for Iterations {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Iterations> {
        match &item.value {
            Value::Text(text) if text == "paper" => Some(Iterations::Paper),
            Value::Integer(_) => u32::read(item, diagnostics).map(Iterations::Number),
            Value::Text(text) => {
                diagnostics.add(item.place, |span| {
                    let message = format!("`{}` is no number of iterations", quoted(text));
                    Fault::new(
                        "wrong-type",
                        span,
                        message,
                        "expected a whole number without quotes, or \"paper\"",
                    )
                    .with_nearest(text, ["paper"])
                });
                None
            }
            _ => {
                wrong_type(item, "a whole number, or \"paper\"", diagnostics);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [{ "const": "paper" }, u32::schema()] })
    }
}
