//! What the fabric requires of its endpoint (the hosts' messages) and what it reports to it.

use std::ops::ControlFlow;

use super::deadlock::Member;
use simnet_base::ids::{HostId, LinkId, Turn};
use simnet_base::units::Cycle;
use simnet_network::topology::End;

/// The turns of a message about to be sent, filled in by [`Endpoint::next_message`].
pub type RouteBuffer = Vec<Turn>;

/// A message that a host has created or is going to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The cycle in which the host creates it; it may lie ahead.
    pub created: Cycle,
    /// Its flits after all route flits are stripped (header, data, CRC-8 and tail counted in); at least 1.
    pub payload: u32,
    /// Handed back when the message has ended; any number.
    pub tag: u64,
    /// Base cycles from its start after which no switch passes its head on; `None`: as the interface sets it
    /// ([`HostParameters::time_to_live`](crate::fabric::HostParameters::time_to_live)).
    pub time_to_live: Option<u64>,
    /// The service level that its packets carry, 0 to 15: switches choose their lanes by it. With STOP and GO there is
    /// one lane, and it is ignored.
    pub service_level: u8,
}

/// Why a message was destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A forward reset.
    Reset,
    /// A cable on which it lay failed.
    LinkFailure,
    /// A turn out of the switch's port numbers.
    IllegalTurn,
    /// A turn to a port without a (working) cable.
    NoSuchWire,
    /// A host was reached with route flits left.
    HostTooSoon,
    /// The route was used up at a switch.
    Stranded,
    /// Its time to live was over while its head was in a switch.
    Expired,
    /// It was of management, and its head reached a switch without room for it: what InfiniBand counts as
    /// `VL15Dropped`.
    Vl15Dropped,
}

impl Cause {
    /// All causes, in the order of their numbers in files: a new one comes last.
    pub const ALL: [Cause; 8] = [
        Cause::Reset,
        Cause::LinkFailure,
        Cause::IllegalTurn,
        Cause::NoSuchWire,
        Cause::HostTooSoon,
        Cause::Stranded,
        Cause::Expired,
        Cause::Vl15Dropped,
    ];

    /// Its position in [`ALL`](Self::ALL).
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// How a replay calls the end of such a message.
    pub const fn state(self) -> &'static str {
        match self {
            Cause::Reset => "reset",
            Cause::LinkFailure => "cut",
            Cause::Expired => "expired",
            Cause::Vl15Dropped => "dropped",
            _ => "undeliverable",
        }
    }

    /// Whether the route was wrong: it failed in one of the four ways.
    pub const fn is_of_route(self) -> bool {
        matches!(self, Cause::IllegalTurn | Cause::NoSuchWire | Cause::HostTooSoon | Cause::Stranded)
    }
}

const _: () = {
    let mut place = 0;
    while place < Cause::ALL.len() {
        assert!(Cause::ALL[place].number() as usize == place, "a cause has its number as its place");
        place += 1;
    }
};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Taken by a host whole.
    Delivered {
        /// The host.
        host: HostId,
        /// The cycle in which the host's interface took its first flit.
        head: Cycle,
        /// The cycle in which it took the last.
        tail: Cycle,
    },
    /// Destroyed; the first cause counts.
    Destroyed {
        /// Why.
        cause: Cause,
        /// The cycle in which the first cause struck.
        at: Cycle,
    },
}

/// How many messages ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    /// Delivered whole, with a right CRC.
    pub delivered: u64,
    /// Delivered whole, with a wrong CRC: the interface dropped them.
    pub corrupted: u64,
    /// By the causes' numbers.
    destroyed: [u64; Cause::ALL.len()],
}

impl Fates {
    /// Counts a message; `corrupted` if bit errors have struck it.
    pub fn count(&mut self, fate: Fate, corrupted: bool) {
        debug_assert!(
            !matches!(fate, Fate::Delivered { head, tail, .. } if tail < head),
            "a head is taken before its tail: {fate:?}"
        );
        let counter = match fate {
            Fate::Delivered { .. } if corrupted => &mut self.corrupted,
            Fate::Delivered { .. } => &mut self.delivered,
            Fate::Destroyed { cause, .. } => &mut self.destroyed[usize::from(cause.number())],
        };
        *counter += 1;
    }

    /// Those that `cause` destroyed.
    pub const fn destroyed(&self, cause: Cause) -> u64 {
        self.destroyed[cause.number() as usize]
    }

    /// Those destroyed because their routes were wrong.
    pub fn undeliverable(&self) -> u64 {
        Cause::ALL.into_iter().filter(|cause| cause.is_of_route()).map(|cause| self.destroyed(cause)).sum()
    }

    /// Those that were not delivered sound.
    pub fn lost(&self) -> u64 {
        self.corrupted + self.destroyed.iter().sum::<u64>()
    }
}

/// A message that is over: no flit of it is left in the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The tag it was sent with.
    pub tag: u64,
    /// Its sender.
    pub source: HostId,
    /// The flits after its route flits.
    pub payload: u32,
    /// When it was created.
    pub created: Cycle,
    /// When its first flit was put on the cable, or could first have been if the cable was stopped.
    pub started: Cycle,
    /// What became of it.
    pub fate: Fate,
}

/// The hosts, as the fabric sees them.
pub trait Endpoint {
    /// Gives the next message of `host`, if one is known, and writes its turns to `route` (cleared before).
    ///
    /// Asked once at the start, and again as soon as the previous message of that host has started to leave
    /// its interface; after `None`, only once [`Fabric::wake`](crate::fabric::Fabric::wake) names the host.
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing>;

    /// The same for messages of management, of at most [`MOST_MANAGEMENT`](crate::fabric::MOST_MANAGEMENT) bytes: they
    /// have a lane of their own, on which they pass by what the host sends otherwise. Asked only by a fabric that has
    /// such a lane ([`Fabric::has_management`](crate::fabric::Fabric::has_management)), for the next one as soon as the
    /// one before has started; their service levels are ignored.
    fn next_management(&mut self, _host: HostId, _route: &mut RouteBuffer) -> Option<Outgoing> {
        None
    }

    /// Hears that the tail of what `host` was sending left its interface in cycle `at`, at the end of that cycle
    /// and before what is over in it; hosts of one cycle come by their ids. `Break` ends the run after the
    /// cycle. Reported only after [`Fabric::report_departures`](crate::fabric::Fabric::report_departures), and not of
    /// messages that a failure of the host's own cable destroyed.
    fn departed(&mut self, _host: HostId, _at: Cycle) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that a message is over, at the end of the cycle in which that happens; messages of one cycle
    /// come by sender and tag. `Break` ends the run after the present cycle.
    fn ended(&mut self, message: &Ended) -> ControlFlow<()>;
}

/// A worm as those see it who watch: no two worms of a fabric are the same, whatever their tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WormId {
    /// Counts the messages of the fabric in the order in which they start, from 0.
    pub serial: u64,
    /// Its sender.
    pub source: HostId,
    /// The tag that it was sent with.
    pub tag: u64,
}

/// What flows in and out of the buffer of an input port from the beginning of a cycle on, until the next report.
///
/// After `t` cycles it holds `occupancy + t / inflow - t / outflow` flits (exactly so where all channels carry a flit
/// a cycle; else a flit more or less for each of the two). What is taken off in that cycle otherwise is not counted: a
/// route flit, a worm that is destroyed there.
/// The last worm whose head has arrived flows in, the first one that is still there flows out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Flits in the buffer.
    pub occupancy: u32,
    /// Base cycles from each arrival of a flit to the next; 0: none arrives.
    pub inflow: u32,
    /// Base cycles from each departure of a flit to the next; 0: none departs.
    pub outflow: u32,
}

/// An observer of the fabric. It changes nothing; every method does nothing unless overridden.
///
/// A report carries the cycle `at` in which the event happens, and comes before those of later cycles. Within a cycle
/// no order is promised, except that reports of a worm come between its start and its end. Once
/// [`Fabric::run_until`](crate::fabric::Fabric::run_until) returns, all before
/// [`Fabric::now`](crate::fabric::Fabric::now) has been reported.
pub trait Observer {
    /// Whether it watches at all; without that, reports are not even computed.
    const WATCHES: bool = true;
    /// The first flit of a worm of `turns` route flits and `payload` others is put on the cable at a host's port,
    /// or could be if the cable were not stopped.
    fn started(&mut self, _at: Cycle, _port: End, _worm: WormId, _turns: u32, _payload: u32) {}
    /// The head of a worm has arrived at an input port, of a switch or of a host.
    fn arrived(&mut self, _at: Cycle, _port: End, _worm: WormId) {}
    /// The head at port `input` is decoded, and waits for `output`, which another worm holds.
    fn waits(&mut self, _at: Cycle, _input: End, _output: End, _worm: WormId) {}
    /// Output `output` was granted to the worm whose head waits at port `input` of that switch.
    fn granted(&mut self, _at: Cycle, _input: End, _output: End, _worm: WormId) {}
    /// The tail of a worm has left `input` through `output`, which is free from the next cycle on; at a host that
    /// sends, both are its port. Reported once for every start and every grant. A worm that is destroyed gives up its
    /// outputs one by one as well; what is still in the buffer of `input` then, or on its way there, is eaten there,
    /// as [`Observer::flow`] reports. So is a worm that never was granted an output. It has left the buffer when the
    /// next worm there is granted one or waits for one, and at the latest when it ends.
    fn released(&mut self, _at: Cycle, _input: End, _output: End, _worm: WormId) {}
    /// What flows in and out of an input port of a switch, or of a host with a receive buffer, has changed.
    /// Reported twice where something is destroyed there at the end of the cycle: the second counts.
    fn flow(&mut self, _at: Cycle, _port: End, _flow: Flow) {}
    /// The input port `port` sent STOP (`true`) or GO (`false`) to its peer.
    fn flow_control(&mut self, _at: Cycle, _port: End, _stop: bool) {}
    /// A forward reset fired at `output` against this worm.
    fn reset(&mut self, _at: Cycle, _output: End, _worm: WormId) {}
    /// The deadlock at position `nth` of [`Fabric::deadlocks`](crate::fabric::Fabric::deadlocks) has formed.
    fn deadlocked(&mut self, _at: Cycle, _nth: usize, _members: &[Member], _worms: &[WormId]) {}
    /// It was broken at this output.
    fn cleared(&mut self, _at: Cycle, _nth: usize, _output: End) {}
    /// A worm is over.
    fn ended(&mut self, _at: Cycle, _worm: WormId, _fate: &Fate) {}
    /// A cable failed (`false`) or returned (`true`), with GO at both ends.
    fn cable(&mut self, _at: Cycle, _link: LinkId, _up: bool) {}
}

impl Observer for () {
    const WATCHES: bool = false;
}
