//! The `[mapping]` section: who maps, how, on what model of the network, and with what beside it.

use serde_json::{Value as Schema, json as json_schema};

use super::super::book::Book;
use super::super::mapping::{Computer, Direction, MapModel};
use super::super::tree::{Item, Value};
use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, Quantity, Share};
use super::mappers::{
    Berkeley, Coupon, Faults, Guarded, Identified, Myricom, Parallel, Randomised, Restraint,
};
use super::table::{At, Described, Given, Presence, Reading, Wire, table, table_schema, wrong_type};
use crate::diagnostics::Fault;
use crate::host::mapper::{
    self, Algorithm, Order, berkeley, coupon, guarded, identified, myricom, parallel, randomised, simplified,
};
use crate::units::{Bytes, Duration};

use Presence::{Default, Optional};

table! {
    /// A mapper that runs in-band before traffic.
    "[mapping]" Mapping {
        /// How it explores.
        algorithm: Algorithm = Default("'berkeley'");
        /// Who maps: one `master`, all others answering; or every host until an `election` is decided.
        mode: Mode = Default("'master'");
        /// The host on which the master runs; an election has none.
        mapper: Master = Optional;
        /// What carries its messages: the flit-level fabric, or a walk over the cables on which a message fails
        /// when it uses one twice in the same direction (`circuit`) or never (`packet`); these take no time.
        model: MapModel = Default("'cut-through'");
        /// How long it waits for the answer to a probe; if not given, 1 ms on a host, 450 us on an interface.
        probe_timeout: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// How often a turn that gave nothing is tried again.
        retries: u32 = Default("0");
        /// Explorations of switches after which the mapper gives up.
        explorations: u64 = Default("20000"), 1..;
        /// The bytes that the mapper may use for its model; without it as many as it needs.
        memory: Quantity<Bytes> = Optional, Bytes(1)..;
        /// What the software of the mapper and of the daemons runs on: the host's processor, or that of the
        /// interface, whose first work is routing traffic; if not given, the interface for the Myricom mapper and
        /// those that share its ways, the host for others.
        runs_on: Computer = Optional;
        /// Software time to send a message; if not given, that of `[hosts]` on a host, 20 us on an interface.
        send_overhead: Quantity<Duration> = Optional;
        /// Software time between a probe's arrival and the answer; if not given, that of `[hosts]` on a host,
        /// 30 us on an interface.
        reply_overhead: Quantity<Duration> = Optional;
        /// Software time between the return of a mapper's own probe and its seeing it; if not given, that of
        /// `[hosts]` on a host, 20 us on an interface.
        loop_overhead: Quantity<Duration> = Optional;
        /// How far each single cost of software may lie above or below its value.
        jitter: Share = Default("'0 %'"), Share(0.0)..=Share(1.0);
        /// Hosts without a daemon: they answer nothing.
        silent: Vec<At<String>> = Default("[]");
        /// How many hosts run a mapper's software, the master's own among them, at least 1; without it all but
        /// the silent ones.
        answering: u32 = Optional;
        /// Which hosts those are: the first of the network's list, or some that the seed draws; `listed` if not
        /// given.
        answering_order: Direction = Optional;
        /// Options of the algorithms `berkeley` and `randomised`.
        berkeley: Berkeley = Optional;
        /// Options of the algorithm `randomised`.
        randomised: Randomised = Optional;
        /// Options of the algorithm `myricom`.
        myricom: Myricom = Optional;
        /// Options of the algorithms `guarded` and `timed`.
        guarded: Guarded = Optional;
        /// Options of the algorithm `coupon`.
        coupon: Coupon = Optional;
        /// Options of the algorithm `identified`.
        identified: Identified = Optional;
        /// Options of the algorithm `parallel`.
        parallel: Parallel = Optional;
        /// What goes wrong with the mappers' messages.
        faults: Faults = Optional;
        /// How applications hold themselves back while there are mappers' messages.
        restraint: Restraint = Optional;
        /// The load of `[traffic]` beside the mapper; quiet if not given.
        load: f64 = Optional, 0.0..=1.0;
        /// Whether what fails in the scenario fails while it maps, too.
        failures: bool = Default("false");
        /// The longest string of turns whose switch is explored: 1 to 1000, or what an oracle computes for the
        /// network, `q+d+1`, `q+d` or `2d+1`. If not given there is no bound; for `simplified` it is `q+d+1`, or
        /// `2d+1` on the model `packet`.
        depth: Depth = Optional;
        /// The order in which the turns at a switch are tried; `outwards` if not given.
        order: Order = Optional;
        /// Whether answers bound the turns worth trying to as many as a switch has ports; `true` if not given.
        window: bool = Optional;
        /// Whether ports that a replicate of the switch has found are left out; `false` if not given.
        skip_known: bool = Optional;
        /// Whether branches that end in switches are cut off in the end; if not given, they are but on the model
        /// `packet`, where all can be told apart.
        prune: bool = Optional;
        /// Other routing latencies, at which the mapping is timed again to show what they change.
        also_at_routing_latency: Vec<At<Quantity<Duration>>> = Default("[]"), ABOVE_ZERO;
    }
}

impl Choice for Algorithm {
    const CHOICES: &'static [(&'static str, Algorithm)] = &[
        ("berkeley", Algorithm::Berkeley(berkeley::Options::DEFAULT)),
        ("simplified", Algorithm::Simplified(simplified::Options::DEFAULT)),
        ("randomised", Algorithm::Randomised(randomised::Options::DEFAULT)),
        ("myricom", Algorithm::Myricom(myricom::Options::DEFAULT)),
        ("guarded", Algorithm::Guarded(guarded::Options::DEFAULT)),
        ("timed", Algorithm::Guarded(guarded::Options { guards: false, ..guarded::Options::DEFAULT })),
        ("coupon", Algorithm::Coupon(coupon::Options::DEFAULT)),
        ("identified", Algorithm::Identified(identified::Options { one_message: false })),
        ("parallel", Algorithm::Parallel(parallel::Options::DEFAULT)),
    ];
}

/// The name of the one host that maps.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Master(pub(in super::super) At<String>);

impl Wire for Master {
    fn read(item: &Item, book: &mut Book) -> Option<Master> {
        match &item.value {
            Value::List(masters) if masters.len() > 1 => {
                book.add(masters[1].place, |span| {
                    let message = format!("{} masters where one is asked for", masters.len());
                    let expected = "expected one host, or mode = \"election\" without `mapper`";
                    Fault::new("two-masters", span, message, expected)
                });
                None
            }
            _ => String::read(item, book).map(|value| Master(At { value, place: item.place })),
        }
    }

    fn schema() -> Schema {
        String::schema()
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        canonical.list_or_one(item, put::<String>);
    }
}

/// Who maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Mode {
    Master,
    Election,
}

impl Choice for Mode {
    const CHOICES: &'static [(&'static str, Mode)] =
        &[("master", Mode::Master), ("election", Mode::Election)];
}

impl Choice for MapModel {
    const CHOICES: &'static [(&'static str, MapModel)] = &[
        ("cut-through", MapModel::CutThrough),
        ("circuit", MapModel::Circuit),
        ("packet", MapModel::Packet),
    ];
}

impl Choice for Computer {
    const CHOICES: &'static [(&'static str, Computer)] = &[("host", Computer::Host), ("nic", Computer::Nic)];
}

impl Choice for Direction {
    const CHOICES: &'static [(&'static str, Direction)] =
        &[("listed", Direction::Listed), ("random", Direction::Random)];
}

impl Choice for Order {
    const CHOICES: &'static [(&'static str, Order)] = &[
        ("outwards", Order::Outwards),
        ("outwards-up", Order::OutwardsUp),
        ("ascending", Order::Ascending),
        ("alternating", Order::Alternating),
        ("one-side", Order::OneSide),
    ];
}

/// A search depth: so many turns, or what the network's oracle makes of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Depth(pub(in super::super) mapper::Depth);

/// The formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Formula(mapper::Depth);

impl Choice for Formula {
    const CHOICES: &'static [(&'static str, Formula)] = &[
        ("q+d+1", Formula(mapper::Depth::QPlusDPlusOne)),
        ("q+d", Formula(mapper::Depth::QPlusD)),
        ("2d+1", Formula(mapper::Depth::TwiceDPlusOne)),
    ];
}

impl Wire for Depth {
    fn read(item: &Item, book: &mut Book) -> Option<Depth> {
        match &item.value {
            Value::Integer(_) => match u32::read(item, book)? {
                turns @ 1..=1000 => Some(Depth(mapper::Depth::Turns(turns as usize))),
                _ => {
                    book.add(item.place, |span| {
                        let message = "no depth that a search can have";
                        Fault::new("out-of-range", span, message, "expected 1 to 1000 turns")
                    });
                    None
                }
            },
            Value::Text(_) => Formula::read(item, book).map(|formula| Depth(formula.0)),
            _ => {
                wrong_type(item, "1 to 1000 turns, or \"q+d+1\", \"q+d\" or \"2d+1\"", book);
                None
            }
        }
    }

    fn schema() -> Schema {
        json_schema!({ "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": 1000 },
            Formula::schema(),
        ] })
    }
}
