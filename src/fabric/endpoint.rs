//! What the fabric asks of its surroundings (the hosts' messages) and what it tells them.

use std::ops::ControlFlow;

use crate::ids::{HostId, Turn};
use crate::topology::End;
use crate::units::Cycle;

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
}

impl Cause {
    /// How a replay calls the end of such a message.
    pub const fn state(self) -> &'static str {
        match self {
            Cause::Reset => "reset",
            Cause::LinkFailure => "cut",
            Cause::Expired => "expired",
            Cause::IllegalTurn | Cause::NoSuchWire | Cause::HostTooSoon | Cause::Stranded => "undeliverable",
        }
    }
}

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

    /// Hears that the tail of what `host` was sending left its interface in cycle `at`, at the end of that cycle
    /// and before what is over in it; hosts of one cycle come by their ids. `Break` ends the run after the
    /// cycle. Told only after [`Fabric::tell_departures`](crate::fabric::Fabric::tell_departures), and not of
    /// messages that a failure of the host's own cable destroyed.
    fn departed(&mut self, _host: HostId, _at: Cycle) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that a message is over, at the end of the cycle in which that happens; messages of one cycle
    /// come by sender and tag. `Break` ends the run after the present cycle.
    fn ended(&mut self, message: &Ended) -> ControlFlow<()>;
}

/// Someone who watches the fabric. Watching changes nothing; every method does nothing unless overridden.
pub trait Observer {
    /// Whether it watches at all; what would be told is not even worked out for one that does not.
    const WATCHES: bool = true;
    /// Output `output` was granted to the worm with this tag, whose head waits at port `input` of that
    /// switch.
    fn granted(&mut self, _now: Cycle, _input: End, _output: End, _tag: u64) {}
    /// A forward reset fired at `output` against the worm with this tag.
    fn reset(&mut self, _now: Cycle, _output: End, _tag: u64) {}
    /// The input port `port` sent STOP (`true`) or GO (`false`) to its peer.
    fn flow_control(&mut self, _now: Cycle, _port: End, _stop: bool) {}
}

impl Observer for () {
    const WATCHES: bool = false;
}
