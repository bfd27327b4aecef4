//! The sections of a scenario and their keys. The sentences here are what the schema and the reference say.

use serde_json::Value as Schema;

use super::allgather::Allgather;
use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::credits::{FlowKind, LaneArbitration};
use super::discovery::Discovery;
use super::ethernet::Ethernet;
use super::evaluation::{Figure, Reference};
use super::expected::Expected;
use super::include::{Include, Profiles};
use super::kinds::{Choice, FileName, NeverOr, Quantity, RootNames, ScenarioName};
use super::mappers::Mapping;
use super::measure::Measure;
use super::operation::{Failure, Operation, RandomFailures};
use super::rings::Rings;
use super::sweep::Sweep;
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema};
use super::topology::Topology;
use super::traffic::Traffic;
use crate::diagnostics::Diagnostics;
use crate::generation::{FABRIC, PresetOf};
use crate::tree::{Entry, Item, Value};
use simnet_base::units::{BitRate, Bytes, Duration, Length};
use simnet_media::fabric::{Arbitration, MOST_LANES, MOST_MANAGEMENT};
use simnet_media::trace::bounds::LARGEST_MOST;
use simnet_network::routing::{Engine, Heuristic, Selection, Tree};

use Presence::{Default, Following, Optional, Preset, Required, Usually};

/// The most messages of a load point that are written one by one.
const MOST_DELIVERIES: u64 = 1_000_000;

/// The most that a buffer holds, as the fabric itself has it.
pub(crate) const MOST_BUFFER: Bytes = Bytes(u16::MAX as u64);

/// Room for management: for one datagram at least.
const MANAGEMENT_ROOM: std::ops::RangeInclusive<Bytes> = Bytes(MOST_MANAGEMENT as u64)..=MOST_BUFFER;

table! {
    /// A simnet scenario: what is cabled, what runs, what to measure and what to expect.
    "the scenario" Document {
        /// Files whose keys these are laid over: one name or a list, each relative to this file, the later ones over
        /// the earlier ones.
        include: Include = Optional;
        /// The name of the profile that is laid over the scenario.
        profile: String = Optional;
        /// Profiles, as `[profiles.NAME]`: parts of a scenario, each with a name; `extends = "OTHER"` lays one over
        /// another.
        profiles: Profiles = Optional;
        /// What the run is called, and its seed.
        scenario: Scenario = Required;
        /// The network: a preset, a file or a generator, exactly one of them.
        topology: Topology = Required;
        /// The wormhole fabric; one flit is one byte.
        fabric: Fabric = Default("{}");
        /// Switched Ethernet, for all-gathers and for measuring round-trip times over frames.
        ethernet: Ethernet = Optional;
        /// What all hosts share: interfaces and software.
        hosts: Hosts = Default("{}");
        /// Cables, switches and hosts that fail, in any order.
        failures: Vec<Located<Failure>> = Default("[]");
        /// Failures by chance.
        failures_at_random: Vec<Located<RandomFailures>> = Default("[]");
        /// A mapper that runs in-band before traffic.
        mapping: Mapping = Optional;
        /// Where routes come from; traffic needs it.
        routing: Routing = Optional;
        /// What hosts send: a trace or one pattern.
        traffic: Traffic = Optional;
        /// The network in operation: failures, and a daemon that maps again and hands out routes.
        operation: Operation = Optional;
        /// An all-gather, over an Ethernet or the fabric.
        allgather: Allgather = Optional;
        /// A logical ring of all machines, found and followed; nothing is sent.
        rings: Rings = Optional;
        /// Switches found from round-trip times that machines measure over an Ethernet, or from a matrix.
        discovery: Discovery = Optional;
        /// How long each point is measured.
        measure: Measure = Default("{}");
        /// What is written in addition to the summary.
        output: Output = Default("{}");
        /// A sweep: which keys take which values.
        sweep: Sweep = Optional;
        /// Numbers that papers print, to compare those of a sweep with.
        reference: Vec<Located<Reference>> = Optional;
        /// Curves of a sweep.
        figure: Vec<Located<Figure>> = Optional;
        /// Expectations: a path into summary.json, joined by dots and in quotes, and what is wanted there.
        expect: Expected = Default("{}");
    }
}

table! {
    /// What the run is called, and its seed.
    "[scenario]" Scenario {
        /// The name of the folder under results/: letters, digits, `.`, `_` and `-`; `/` between folders in
        /// folders.
        name: ScenarioName = Required;
        /// The seed of every random choice of the run, of its routes too unless `routing.seed` is given; `--seed`
        /// replaces it.
        seed: u64 = Default("0");
        /// What the scenario is about, for people.
        description: String = Optional;
    }
}

table! {
    /// The wormhole fabric; one flit is one byte.
    "[fabric]" Fabric {
        /// A generation of switches, which gives `rate`, `buffer`, `stop`, `go`, `routing-latency` and `arbitration`
        /// their values; keys that are given beside it override it.
        preset: PresetOf<FABRIC> = Optional;
        /// The rate of every cable to which the network gives none; without it that of most hosts' cables, where the
        /// network gives them one.
        rate: Quantity<BitRate> = Preset(&Default("'1.28 Gb/s'"));
        /// What keeps a sender from overrunning a buffer: STOP and GO on one lane, or credits for whole packets on each
        /// of `lanes`; `stop-go` if not given.
        flow: FlowKind = Usually("'stop-go'");
        /// Room of a switch port's input buffer; with credits that of each of its lanes, four times `mtu` if not
        /// given, whatever the preset.
        buffer: Quantity<Bytes> = Preset(&Default("'108 B'")), Bytes(1)..=MOST_BUFFER;
        /// With credits: how many lanes each channel has for data; 1 if not given.
        lanes: u32 = Usually("1"), 1..=MOST_LANES as u32;
        /// With credits: the longest packet; longer messages are cut. 4 KiB, or what `buffer` has room for, if not
        /// given.
        mtu: Quantity<Bytes> = Optional, Bytes(1)..=MOST_BUFFER;
        /// With credits: how long after the arrival of its head a switch may pass a packet on; later it is discarded.
        /// `never`, as without the key: however late.
        packet_lifetime: NeverOr<Duration> = Optional, ABOVE_ZERO;
        /// With credits, where a mapper runs: room of a switch port's input buffer for what mappers and daemons send,
        /// which has a lane of its own without flow control; what does not fit is dropped. 1 KiB if not given.
        management_buffer: Quantity<Bytes> = Optional, MANAGEMENT_ROOM;
        /// With credits: how an output chooses among its lanes, as the tables of InfiniBand do; in turn, a packet each,
        /// if not given.
        lane_arbitration: LaneArbitration = Optional;
        /// Occupancy at which an input port sends STOP, at most `buffer`; what still arrives afterwards has
        /// to fit.
        stop: Quantity<Bytes> = Preset(&Default("'56 B'")), Bytes(1)..=MOST_BUFFER;
        /// Occupancy at which it sends GO again, below `stop`.
        go: Quantity<Bytes> = Preset(&Default("'40 B'")), ..=MOST_BUFFER;
        /// Time that a switch needs to decode a head.
        routing_latency: Quantity<Duration> = Preset(&Default("'150 ns'")), ABOVE_ZERO;
        /// How heads are decoded: one at a time in each switch, one at a time at each input port, or one at a time of
        /// those for each output port.
        arbitration: Arbitration = Preset(&Default("'serial'"));
        /// With `arbitration = "per-input"`: time from the beginning of one head's decoding at an input to that of the
        /// next, which it takes on meanwhile, also behind a worm in front; at most `routing-latency`. Without it an
        /// input takes the head in front, and no other until it is done.
        routing_interval: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// How long an output may stay blocked before its switch sends a forward reset; with credits, how long a packet
        /// may wait in front of its queue before it is discarded. 50 ms if not given; with credits `never`, as nothing
        /// is lost there.
        deadlock_timeout: NeverOr<Duration> = Following(deadlock_timeout), ABOVE_ZERO;
        /// The length of every cable that gives none of its own; 5 ns/m.
        cable_length: Quantity<Length> = Default("'2.5 m'");
        /// Chance that a bit is wrong on its way over a cable.
        bit_error_rate: f64 = Default("0.0"), 0.0..1.0;
    }
}

/// How long an output may stay blocked where the scenario does not say: Myrinet's forward reset, which credits do not
/// have.
fn deadlock_timeout(others: &[Entry]) -> &'static str {
    let is_credits = |entry: &Entry| {
        entry.key == "flow" && matches!(&entry.item.value, Value::Text(flow) if flow == "credits")
    };
    if others.iter().any(is_credits) { "'never'" } else { "'50 ms'" }
}

table! {
    /// What all hosts share: interfaces and software.
    "[hosts]" Hosts {
        /// Time that the interface needs to set up a message.
        nic_send_overhead: Quantity<Duration> = Default("'0 ns'");
        /// Room of the interface's receive buffer; without it a host takes at once what arrives.
        receive_buffer: Quantity<Bytes> = Optional, Bytes(1)..=MOST_BUFFER;
        /// Occupancy at which the interface sends STOP; half the receive buffer if not given.
        receive_stop: Quantity<Bytes> = Optional, Bytes(1)..=MOST_BUFFER;
        /// Occupancy at which it sends GO again; a quarter of the receive buffer if not given.
        receive_go: Quantity<Bytes> = Optional, ..=MOST_BUFFER;
        /// The rate at which the interface empties its receive buffer; that of most hosts' cables if not given.
        receive_rate: Quantity<BitRate> = Optional;
        /// Time that the interface rests after it has emptied a message's last byte.
        receive_overhead: Quantity<Duration> = Optional;
        /// How long a message lives from its start on: a switch drops it where its head is when that time
        /// is over; `never`, as without the key, lets it wait for ever.
        time_to_live: NeverOr<Duration> = Optional, ABOVE_ZERO;
        /// Time from the arrival of the head of a message in transit until its host can send it on; without the key
        /// `'1.3 us'` for routes of `algorithm = 'in-transit'`, and with others hosts send nothing on.
        in_transit_latency: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// Software time that a process needs to send a message.
        send_overhead: Quantity<Duration> = Default("'15 us'");
        /// Software time between the arrival of a probe and a passive host's answer.
        reply_overhead: Quantity<Duration> = Default("'900 us'");
        /// Software time between the return of a loop-back probe and the mapper's seeing it.
        loop_overhead: Quantity<Duration> = Default("'330 us'");
    }
}

table! {
    /// Where routes come from: a file, forwarding tables or an algorithm.
    "[routing]" Routing {
        /// A file as `simnet route --routes` writes, relative to the scenario's folder.
        file: FileName = Optional;
        /// The forwarding tables of a subnet manager, OpenSM's `opensm-lfts.dump` or what `dump_lfts` prints, relative
        /// to the scenario's folder: every message takes the way that they have for the lid of its destination.
        lfts: FileName = Optional;
        /// With `lfts` and credits: the lane that each switch gives a service level from one port to another, OpenSM's
        /// `opensm-sl2vl.dump` or `ibdiagnet.slvl`; without it all packets are on lane 0.
        sl2vl: FileName = Optional;
        /// With `sl2vl`: the service levels of paths, lines as `slid dlid sl`, or `ibdiagnet.psl`; a path without one
        /// has level 0.
        sl: FileName = Optional;
        /// How routes are computed; `simnet route --help` says what each algorithm does, and which may deadlock.
        /// `lash`, `dfsssp` and `nue` find next hops by destination and put paths on the fabric's `lanes`, and so do
        /// `minimal` and `dimension-order` where there are several.
        algorithm: Engine = Optional;
        /// How an algorithm that starts from a tree labels switches: breadth first or depth first; `bfs` if not
        /// given.
        tree: Tree = Usually("'bfs'");
        /// Which neighbour a depth-first tree visits next; `h2` if not given.
        heuristic: Heuristic = Usually("'h2'");
        /// The root of that: `far`, `r0`, `r1`, `r2`, `spines` (all spines of a levelled tree, as a fat tree or a
        /// folded Clos network), the name of a switch or a list of names. If not given, `spines` for a breadth-first
        /// tree on a levelled tree without a `utility`, else `far`.
        root: RootNames = Optional;
        /// Relabel the switches that no route from these roots would cross, as `far` does; for a breadth-first tree.
        relabel: bool = Optional;
        /// Which of several equally good routes is taken; `random` if not given. Next hops by destination, on several
        /// lanes, are balanced whatever this would say: `balanced` alone may stand there.
        select: Selection = Usually("'random'");
        /// The seed of the algorithm's random choices, where it makes some; the scenario's if not given.
        seed: u64 = Optional;
        /// Hand the routes to every interface in-band, as acknowledged messages; needs `[mapping]`.
        distribute: bool = Default("false");
    }
}

table! {
    /// What is written in addition to the summary.
    "[output]" Output {
        /// deliveries.csv: what became of every message of a trace, or of every message of generated traffic that was
        /// created in the window of its load point and ended.
        deliveries: bool = Default("false");
        /// Messages of generated traffic in that file at each load, at most; 100,000 if not given. Of more, every
        /// second, fourth, eighth, ... is there, whose `weight` says for how many it stands.
        deliveries_most: u64 = Optional, 1..=MOST_DELIVERIES;
        /// series.csv: what every channel carried in intervals of this length, from the start of each load point on;
        /// twice, four times, ... as long where there would be more than 1,024 of them, or a million of intervals times
        /// channels.
        series: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// warmup.csv and warmup.svg: latency and accepted traffic from the start of each load point on, and where the
        /// warm-up ends.
        warmup: bool = Optional;
        /// Record what happens in the mapping, at each load point, in the operation and in each all-gather, event by
        /// event, in events.simlog, for `simnet report` and `simnet trace`; the other results do not depend on it.
        events: Events = Optional;
    }
}

table! {
    /// How much is recorded of each of them. What happened before and still matters is kept as well and not counted:
    /// worms under way, flow at ports, deadlocks that stand.
    "[output.events]" Events {
        /// Events that are kept of each, at most; each takes some 40 bytes of memory meanwhile.
        most: u64 = Default("1000000"), 1..=LARGEST_MOST;
        /// Only what happens from this instant on.
        from: Quantity<Duration> = Optional;
        /// Only what happens before this instant, which must come after `from`.
        until: Quantity<Duration> = Optional;
        /// Keep `most / 2` events before the first deadlock and as many from it on; without a deadlock the last
        /// `most / 2`.
        around: Around = Optional;
    }
}

/// What recorded events are kept around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    Deadlock,
}

impl Choice for Around {
    const CHOICES: &'static [(&'static str, Around)] = &[("deadlock", Around::Deadlock)];
}

/// Trees, roots and seeds stand in keys of their own.
impl Choice for Engine {
    const CHOICES: &'static [(&'static str, Engine)] = Engine::ROUTERS;
}

impl Choice for Arbitration {
    const CHOICES: &'static [(&'static str, Arbitration)] = &[
        ("serial", Arbitration::Serial),
        ("per-input", Arbitration::PerInput),
        ("per-output", Arbitration::PerOutput),
    ];
}

impl Choice for Tree {
    const CHOICES: &'static [(&'static str, Tree)] = &[("bfs", Tree::Bfs), ("dfs", Tree::Dfs(Heuristic::H2))];
}

impl Choice for Heuristic {
    const CHOICES: &'static [(&'static str, Heuristic)] = &[("h1", Heuristic::H1), ("h2", Heuristic::H2)];
}

impl Choice for Selection {
    const CHOICES: &'static [(&'static str, Selection)] = &[
        ("first", Selection::First),
        ("random", Selection::Random { seed: 0 }),
        ("round-robin", Selection::RoundRobin),
        ("balanced", Selection::Balanced),
    ];
}
