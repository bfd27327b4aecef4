//! The `[traffic]` section: a trace, or one pattern with what all patterns share.

use std::ops::{Bound, RangeInclusive};

use serde_json::{Value as Schema, json as json_schema};

use simnet_base::diagnostics::Fault;
use simnet_base::units::{Bytes, Duration};
use simnet_media::traffic::{Arrivals, Within};

use super::bounds::{ABOVE_ZERO, Limited};
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, FileName, Quantity, Share};
use super::table::{Described, Free, Given, Located, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::tree::{Item, Value};

use Presence::{Default, Optional, Required};

/// The shares of messages that can be drawn: one part of [`PARTS`](simnet_media::traffic::PARTS) at least.
const PARTS: RangeInclusive<Share> = Share(0.000_000_1 / 100.0)..=Share(1.0);
/// The longest message: with 65,535 turns before them its flits are counted in 32 bits.
pub(crate) const MOST_PAYLOAD: Bytes = Bytes(u32::MAX as u64 - u16::MAX as u64);

table! {
    /// What hosts send: a trace or one pattern. Hosts without a cable take no part; the others are numbered in
    /// order.
    "[traffic]" Kinds {
        /// Messages from a file.
        trace: Trace = Optional;
        /// Every other host, equally likely.
        uniform: Uniform = Optional;
        /// The host whose number has the sender's bits in reverse order; needs a power of two of hosts.
        bit_reversal: BitReversal = Optional;
        /// The host whose number has the sender's b bits rotated left by floor(b / 2); needs a power of two of
        /// hosts.
        transpose: Transpose = Optional;
        /// Some hosts more often than others.
        hot_spot: HotSpot = Optional;
        /// Every host to one other that no other host sends to: drawn by chance under the scenario's seed, or
        /// given.
        permutation: Permutation = Optional;
        /// The hosts at the nearest other switches that have hosts, equally likely; those of the same switch
        /// where there is no other.
        nearest_neighbours: NearestNeighbours = Optional;
        /// Several of these patterns at once, each message by one of them.
        mix: Mix = Optional;
    }
}

table! {
    /// Messages from a file.
    "[traffic.trace]" Trace {
        /// A CSV file with the columns message, time_ns, source, destination, payload_bytes.
        file: FileName = Required;
    }
}

table! {
    /// What all patterns share.
    "a pattern" Pattern {
        /// A message's flits after its route flits (header, data, CRC-8 and tail counted in); a table for messages
        /// of several lengths.
        payload: Payload = Required, Bytes(1)..=MOST_PAYLOAD;
        /// When hosts create messages: with exponential gaps, or none in every cycle by the toss of a coin, or
        /// at equal gaps from a random phase on; a table for bursts.
        arrivals: GivenArrivals = Default("'poisson'");
        /// Offered payload flits per host that sends and flit time; one measured point each. None where the traffic
        /// only runs during a mapping.
        loads: Vec<Located<f64>> = Required, (Bound::Excluded(0.0), Bound::Included(1.0));
    }
}

table! {
    /// Every other host, equally likely.
    "[traffic.uniform]" Uniform {
        ..pattern: Pattern;
    }
}

table! {
    /// The host whose number has the sender's bits in reverse order; the others are silent.
    "[traffic.bit-reversal]" BitReversal {
        ..pattern: Pattern;
    }
}

table! {
    /// The host whose number has the sender's b bits rotated left by floor(b / 2); hosts that would send to
    /// themselves are silent.
    "[traffic.transpose]" Transpose {
        ..pattern: Pattern;
    }
}

table! {
    /// Some hosts more often than others.
    "[traffic.hot-spot]" HotSpot {
        ..pattern: Pattern;
        /// The hot hosts, at least one.
        hosts: Vec<Located<String>> = Required;
        /// The share of a host's messages that goes to one of them; the rest goes to any other host, hot ones
        /// among them.
        share: Share = Required, PARTS;
    }
}

table! {
    /// Every host to one other that no other host sends to.
    "[traffic.permutation]" Permutation {
        ..pattern: Pattern;
        /// The pairs, as `"sender" = "receiver"`; hosts that send to nobody are silent. If not given, a random
        /// permutation of all hosts in which none stays in its place.
        pairs: Free<String> = Optional;
    }
}

table! {
    /// The hosts at the nearest other switches that have hosts, equally likely.
    "[traffic.nearest-neighbours]" NearestNeighbours {
        ..pattern: Pattern;
    }
}

table! {
    /// Several patterns at once: for each message one of them is drawn by their shares. A host that is silent in some
    /// of them sends all its messages by the others.
    "[traffic.mix]" Mix {
        ..pattern: Pattern;
        /// The patterns, at least two; their shares make 100 %.
        parts: Vec<Located<Part>> = Required;
    }
}

table! {
    /// A pattern of a mix.
    "[[traffic.mix.parts]]" Part {
        /// The share of messages that are sent by it.
        share: Share = Required, PARTS;
        /// Which it is, as a section of its own is called; of `hot-spot` all messages go to one of the hot hosts.
        pattern: PartPattern = Required;
        /// The hot hosts of `hot-spot`, at least one.
        hosts: Vec<Located<String>> = Optional;
        /// The pairs of `permutation`, as in its own section.
        pairs: Free<String> = Optional;
    }
}

table! {
    /// Messages of two lengths, or of the lengths of a file.
    "the `payload` table" Sizes {
        /// The one length.
        short: Quantity<Bytes> = Optional, Bytes(1)..=MOST_PAYLOAD;
        /// The other length, above `short`.
        long: Quantity<Bytes> = Optional, Bytes(1)..=MOST_PAYLOAD;
        /// The share of messages that are long.
        long_share: Share = Optional, PARTS;
        /// Instead: a CSV file with the columns payload_bytes and weight, relative to the scenario's folder.
        file: FileName = Optional;
    }
}

table! {
    /// Bursts: messages are created in some spans of time only. The mean load stays the requested one.
    "the `arrivals` table" Bursts {
        /// The mean length of a burst; lengths are exponential.
        on: Quantity<Duration> = Required, ABOVE_ZERO;
        /// The mean time between two bursts; times are exponential.
        off: Quantity<Duration> = Required, ABOVE_ZERO;
        /// When messages are created within bursts: with exponential gaps, or at equal gaps.
        within: Within = Default("'poisson'");
    }
}

/// A pattern by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartPattern {
    Uniform,
    BitReversal,
    Transpose,
    HotSpot,
    Permutation,
    NearestNeighbours,
}

impl Choice for PartPattern {
    const CHOICES: &'static [(&'static str, PartPattern)] = &[
        ("uniform", PartPattern::Uniform),
        ("bit-reversal", PartPattern::BitReversal),
        ("transpose", PartPattern::Transpose),
        ("hot-spot", PartPattern::HotSpot),
        ("permutation", PartPattern::Permutation),
        ("nearest-neighbours", PartPattern::NearestNeighbours),
    ];
}

/// How long messages are.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Fixed(Bytes),
    Table(Sizes),
}

impl Wire for Payload {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Payload> {
        match &item.value {
            Value::Table(_) => Sizes::read(item, diagnostics).map(Payload::Table),
            _ => Quantity::<Bytes>::read(item, diagnostics).map(|amount| Payload::Fixed(amount.0)),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [Quantity::<Bytes>::schema(), Sizes::schema()] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        match item.value {
            Value::Table(_) => Sizes::canonical(item, canonical),
            _ => canonical.quantity::<Bytes>(item),
        }
    }
}

impl Limited for Payload {
    type Limit = Bytes;

    fn limited(&self) -> Option<Bytes> {
        match self {
            Payload::Fixed(amount) => Some(*amount),
            Payload::Table(_) => None,
        }
    }
}

/// When messages are created.
#[derive(Clone, Debug)]
pub(crate) enum GivenArrivals {
    Plain(Arrivals),
    Bursts(Bursts),
}

/// The arrivals that a word says.
#[derive(Clone, Copy, Debug)]
struct PlainArrivals(Arrivals);

impl Choice for PlainArrivals {
    const CHOICES: &'static [(&'static str, PlainArrivals)] = &[
        ("poisson", PlainArrivals(Arrivals::Poisson)),
        ("bernoulli", PlainArrivals(Arrivals::Bernoulli)),
        ("constant", PlainArrivals(Arrivals::Constant)),
    ];
}

impl Choice for Within {
    const CHOICES: &'static [(&'static str, Within)] =
        &[("poisson", Within::Poisson), ("constant", Within::Constant)];
}

impl Wire for GivenArrivals {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<GivenArrivals> {
        match &item.value {
            Value::Table(_) => Bursts::read(item, diagnostics).map(GivenArrivals::Bursts),
            Value::Text(text) if text == "bursts" => {
                diagnostics.add(item.place, |span| {
                    let expected = "expected a table, as in { on = \"10 us\", off = \"90 us\" }";
                    Fault::new("missing-key", span, "bursts need their mean lengths", expected)
                });
                None
            }
            _ => PlainArrivals::read(item, diagnostics).map(|plain| GivenArrivals::Plain(plain.0)),
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [PlainArrivals::schema(), Bursts::schema()] })
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        match item.value {
            Value::Table(_) => Bursts::canonical(item, canonical),
            _ => canonical.raw(item),
        }
    }
}

/// The `[traffic]` section.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) kinds: Kinds,
    /// Whether it has keys that mean nothing, one of which may have been meant as the traffic.
    pub(crate) has_unknown_keys: bool,
}

impl Wire for Traffic {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Traffic> {
        let mut reading = Reading::open("[traffic]", item, diagnostics)?;
        let kinds = Kinds::take_from(&mut reading, diagnostics);
        Some(Traffic { kinds, has_unknown_keys: reading.close(diagnostics) })
    }

    fn schema() -> Schema {
        Kinds::schema()
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        Kinds::canonical(item, canonical);
    }
}

impl Kinds {
    /// Every pattern that is given, with what it shares with the others.
    pub(crate) fn patterns(&self) -> Vec<Given<&Pattern>> {
        let Kinds {
            uniform, bit_reversal, transpose, hot_spot, permutation, nearest_neighbours, mix, ..
        } = self;
        let all = [
            uniform.map_ref(|wire| &wire.pattern),
            bit_reversal.map_ref(|wire| &wire.pattern),
            transpose.map_ref(|wire| &wire.pattern),
            hot_spot.map_ref(|wire| &wire.pattern),
            permutation.map_ref(|wire| &wire.pattern),
            nearest_neighbours.map_ref(|wire| &wire.pattern),
            mix.map_ref(|wire| &wire.pattern),
        ];
        all.into_iter().filter(|given| !given.is_absent()).collect()
    }
}
