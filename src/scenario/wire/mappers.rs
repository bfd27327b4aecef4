//! The `[mapping]` section: who maps, how, on what model of the network; the options of each mapper; what goes wrong or
//! stands aside meanwhile.

use serde_json::Value as Schema;

use super::bounds::ABOVE_ZERO;
use super::canonical::{Canonical, Key, put};
use super::kinds::{Choice, Quantity, Share};
use super::mapping::{Depth, Master, Mode};
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema};
use crate::diagnostics::Diagnostics;
use crate::mapping::{Computer, Direction, MapModel};
use crate::tree::Item;
use simnet_base::units::{Bytes, Duration};
use simnet_media::host::mapper::berkeley::{Merging, SecondLook};
use simnet_media::host::mapper::guarded::{Candidates, First, Landing, Recency};
use simnet_media::host::mapper::myricom::{Filter, Loops, Survey};
use simnet_media::host::mapper::{
    Algorithm, Order, berkeley, coupon, guarded, identified, myricom, parallel, randomised, simplified,
};

use Presence::{Default, Optional, Required, Usually};

/// The longest span of an election's starts, and the longest patience.
const MOST_STARTS: Duration = Duration::from_ms(3_600_000);

/// The longest scout.
const MOST_SCOUT: Bytes = Bytes(1 << 20);

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
        /// How long it waits for the answer to a probe; if not given, 1 ms on a host, 440 us on an interface.
        probe_timeout: Quantity<Duration> = Optional, ABOVE_ZERO;
        /// The least length of a probe: shorter ones are padded; if not given, they are as long as what they say, 32
        /// bytes and more.
        probe_length: Quantity<Bytes> = Optional, Bytes(1)..=MOST_SCOUT;
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
        silent: Vec<Located<String>> = Default("[]");
        /// How many hosts run a mapper's software, the master's own among them, at least 1; without it all but
        /// the silent ones.
        answering: u32 = Optional;
        /// Which hosts those are: the first of the network's list, or some that the seed draws; `listed` if not
        /// given.
        answering_order: Direction = Optional;
        /// How an election goes.
        election: Election = Optional;
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
        /// The load of `[traffic]` during the mapping; quiet if not given.
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
        /// `packet`, where all can be distinguished.
        prune: bool = Optional;
        /// Other routing latencies, at which the mapping is timed again to show what they change.
        also_at_routing_latency: Vec<Located<Quantity<Duration>>> = Default("[]"), ABOVE_ZERO;
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

table! {
    /// How an election goes; for mode `election`.
    "[mapping.election]" Election {
        /// How often its winner maps at most: it maps again where late answers make it doubt its map.
        attempts: u32 = Default("4"), 1..;
        /// The span within which all begin, each at an instant that the seed draws.
        starts: Quantity<Duration> = Default("'10 ms'"), ..=MOST_STARTS;
        /// Whether hosts name the highest mapper that they have heard of, in what they send; if not, only themselves.
        gossip: bool = Default("true");
        /// How much longer an answer is waited for within 20 ms of another mapper's probe.
        patience: Quantity<Duration> = Default("'5 ms'"), ..=MOST_STARTS;
        /// What draws who has which address, the highest of which wins. Interfaces keep their addresses: on a network
        /// the same host wins in every run; 0 if not given.
        addresses: u64 = Optional;
        /// Whether every run draws addresses anew, by its seed.
        redrawn: bool = Default("false");
    }
}

table! {
    /// What the Berkeley mapper, and the randomised one that is made of it, may do in addition to
    /// `order`, `window`, `skip-known`, `depth` and `prune`.
    "[mapping.berkeley]" Berkeley {
        /// When vertices that must be one switch are merged.
        merging: Merging = Default("'each-switch'");
        /// Whether the reported sizes of the model count vertices that were merged away.
        keep_merged: bool = Default("false");
        /// Whether after each no a message goes to the switch where it was asked and back: if that is lost, the
        /// question is asked again after `pause`.
        control: bool = Default("false");
        /// When everything that was asked once is asked once more in the end.
        second_look: SecondLook = Default("'never'");
        /// What is waited before a question is asked again for want of trust.
        pause: Quantity<Duration> = Default("'60 ms'");
    }
}

table! {
    /// What the randomised mapper may do in addition to what the Berkeley mapper does.
    "[mapping.randomised]" Randomised {
        /// After how many explorations without a new host a branch is grown.
        after: u64 = Default("1"), 1..;
        /// The most turns of a branch.
        length: u32 = Default("12"), 1..;
        /// The most turns tried at each switch of a branch.
        tries: u32 = Default("4"), 1..;
    }
}

table! {
    /// What the Myricom mapper does at its own discretion.
    "[mapping.myricom]" Myricom {
        /// With which known switches a switch without hosts is compared.
        filter: Filter = Default("'hostless'");
        /// Whether the switches found first are compared first.
        oldest_first: bool = Default("false");
        /// Whether comparisons are bound to the window that the known switch's ports leave.
        bound_comparisons: bool = Default("true");
        /// Whether hosts bound the turns worth scanning to as many as a switch has ports.
        window: bool = Default("true");
        /// Whether the scan that is to recognise a switch ends at the first host.
        stop_at_first: bool = Default("false");
        /// Whether a new switch is scanned for hosts again from the start.
        rescan: bool = Default("true");
        /// Whether a switch is left out when its cable is known by then from its other end.
        skip_told: bool = Default("false");
        /// What loop probes look for: cables that lead back into their own port, cables between two ports of a
        /// switch, or nothing.
        loops: Loops = Default("'plugs'");
        /// Which turns at a new switch get a loop probe (where these look for plugs) and a switch probe: those that
        /// lead to no host; for loop probes, or for both, all that can be ports by what the scan for hosts found.
        survey: Survey = Usually("'window'");
        /// Whether a switch probe is sent again to a switch before it is compared with others.
        switch_again: bool = Usually("true");
        /// How long it waits before its first probe; part of its time.
        start_up: Quantity<Duration> = Default("'830 ms'");
    }
}

table! {
    /// What the guarded mapper, and the one with time-outs in place of guards, do at their own discretion.
    "[mapping.guarded]" Guarded {
        /// The least length of a scout for a switch: it must reach from the input to the output of the port where
        /// its guard turns round.
        scout: Quantity<Bytes> = Default("'300 B'"), Bytes(1)..=MOST_SCOUT;
        /// The least length of a comparison's scout.
        comparison: Quantity<Bytes> = Default("'32 B'"), Bytes(1)..=MOST_SCOUT;
        /// How many questions go out before their guard, or before their time-out begins.
        burst: u16 = Default("1"), 1..;
        /// How often a no is asked again, in case that a scout was lost alone.
        confirm_no: u32 = Default("0");
        /// How often a question is asked again whose guard did not come back.
        guard_retries: u32 = Default("5");
        /// How long it waits the first time that a guard did not come back; twice as long each time.
        back_off: Quantity<Duration> = Default("'60 ms'");
        /// What is looked for first.
        first: First = Default("'switches'");
        /// Which switches are compared: those without hosts, or all.
        candidates: Candidates = Default("'hostless'");
        /// In which order.
        recency: Recency = Default("'newest-first'");
        /// At which of their ports: within the window of the cabled ones, or behind those where some
        /// unidentified switch is known.
        landing: Landing = Default("'window'");
    }
}

table! {
    /// What the coupon-collecting mapper does at its own discretion.
    "[mapping.coupon]" Coupon {
        /// The turns of a message.
        depth: u16 = Default("12"), 1..;
        /// How many messages in a row may show no new host before collecting ends.
        patience: u32 = Default("12");
        /// The most messages that are spent on collecting.
        most: u32 = Default("10000");
    }
}

table! {
    /// What the mapper for switches that identify themselves does at its own discretion.
    "[mapping.identified]" Identified {
        /// Whether one message asks a port for a host and for a switch; hosts then read what reaches them too
        /// soon.
        one_message: bool = Default("false");
    }
}

table! {
    /// What parallel mappers do at their own discretion; the mapper named in `[mapping]` merges their maps.
    "[mapping.parallel]" Parallel {
        /// The longest string of turns whose switch each explores before maps are exchanged.
        depth: u16 = Default("1");
        /// How much longer an answer is waited for shortly after another mapper's probe.
        patience: Quantity<Duration> = Default("'20 ms'");
    }
}

table! {
    /// What goes wrong with the mappers' messages, each by chance and on its own.
    "[mapping.faults]" Faults {
        /// The chance that a message is lost at the sender's interface.
        loss: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the sender's interface lets the next message go first.
        reorder_sends: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the receiver's interface lets the next message go first.
        reorder_receives: f64 = Default("0.0"), 0.0..1.0;
        /// The chance that the next message of the same sender to the same receiver overtakes it in the network.
        overtaking: f64 = Default("0.0"), 0.0..1.0;
        /// How long a message is held back at most.
        hold: Quantity<Duration> = Default("'100 us'"), ABOVE_ZERO;
    }
}

table! {
    /// How applications hold themselves back after each message of a mapper that their interface sends or
    /// receives.
    "[mapping.restraint]" Restraint {
        /// How long.
        span: Quantity<Duration> = Required, ABOVE_ZERO;
        /// How many times slower they send meanwhile; they pause if not given.
        slower: u32 = Optional, 2..;
    }
}

impl Choice for Merging {
    const CHOICES: &'static [(&'static str, Merging)] =
        &[("each-switch", Merging::EachSwitch), ("each-turn", Merging::EachTurn)];
}

impl Choice for SecondLook {
    const CHOICES: &'static [(&'static str, SecondLook)] =
        &[("never", SecondLook::Never), ("in-doubt", SecondLook::InDoubt), ("always", SecondLook::Always)];
}

impl Choice for Filter {
    const CHOICES: &'static [(&'static str, Filter)] =
        &[("hostless", Filter::Hostless), ("all", Filter::All)];
}

impl Choice for Loops {
    const CHOICES: &'static [(&'static str, Loops)] =
        &[("plugs", Loops::Plugs), ("cables", Loops::Cables), ("nothing", Loops::Nothing)];
}

impl Choice for Survey {
    const CHOICES: &'static [(&'static str, Survey)] = &[
        ("hostless", Survey::Hostless),
        ("loops-in-window", Survey::LoopsInWindow),
        ("window", Survey::Window),
    ];
}

impl Choice for First {
    const CHOICES: &'static [(&'static str, First)] =
        &[("switches", First::Switches), ("hosts", First::Hosts)];
}

impl Choice for Candidates {
    const CHOICES: &'static [(&'static str, Candidates)] =
        &[("hostless", Candidates::HostLess), ("all", Candidates::All)];
}

impl Choice for Recency {
    const CHOICES: &'static [(&'static str, Recency)] =
        &[("newest-first", Recency::NewestFirst), ("oldest-first", Recency::OldestFirst)];
}

impl Choice for Landing {
    const CHOICES: &'static [(&'static str, Landing)] =
        &[("window", Landing::Window), ("open", Landing::Open)];
}
