//! The wormhole fabric: exact to the flit, paid for by the run of flits. With [`FlowControl::Credits`] it moves whole
//! packets on lanes instead, behind the same [`Fabric`]: `fabric/credits.rs` has that model.
//!
//! # Scope and limitations
//! Hosts send worms, a route of relative turns and a payload, through switches with input buffers, STOP and GO,
//! header decoding by a unit a switch, an input or an output, round-robin arbitration, forward resets after a
//! timeout, and, if requested, a time to live. One lane a channel, no retransmission, no bit errors (the interface's
//! CRC-8 belongs to the layer above). Time is an integer number of base cycles. The effects of a phase are visible to
//! the later phases of the same cycle; nothing crosses between ports within a cycle.
//!
//! | phase | what happens in cycle t |
//! |---|---|
//! | P0 | cables fail and return |
//! | P1 | flits sent in t - d arrive |
//! | P2 | STOP and GO sent in t - d arrive; then heads in front of idle ports become pending |
//! | P2a | waiting heads whose time to live ends in t are turned away: their worms are drained |
//! | P3a | routing units finish (started in t - R): the head waits for its output, or its worm is drained |
//! | P3b | idle units take a pending head, round robin over the input ports |
//! | P3c | free outputs take a waiting head, round robin; the route flit is taken off; hosts start messages |
//! | P4 | every owned output that may go and whose worm has a flit sends one; drained ports eat one |
//! | P4.5a | forward resets sent in t - d arrive |
//! | P4.5b | outputs blocked for the whole timeout fire |
//! | P5 | STOP at `stop` flits or more, GO at `go` or fewer, each once |
//!
//! No event is spent on a flit. A flow in or out of a buffer runs evenly until something changes it, so a
//! buffer's occupancy is known at any time, and events happen only where a run begins, ends or is
//! interrupted:
//!
//! ```text
//!   transmitter --run--> [in-port | occ, inflow, outflow | ] --run--> [in-port ...] --run--> host
//!                          ^ settled to the beginning of cycle `t`; next change predicted
//! ```
//! The result does not depend on the order of processing within a phase; [`Fabric::shuffle`] lets tests
//! check. Nor does it depend on when a phase is carried out for a port that nothing else can befall in a cycle: a worm
//! that meets no other passes a switch in one step (`hop.rs`), and one that is stopped, or goes on, in cycles in which
//! nothing else happens is accounted for in one (`stopped.rs`), each under conditions under which that is exact.
//!
//! Where hosts send worms on ([`HostParameters::in_transit`]), a host is a switch of one port to a worm that reaches it
//! with turns left: its head is decoded for that time in P3a and P3b and gets the host's output in P3c, before hosts
//! start messages; its buffer is never full and says no STOP, and the host sends no forward reset. A worm that has no
//! turn left is taken at once as ever.
//!
//! What the phase table leaves open is settled so: a tail that leaves in P4 of t ends the blocked time of its output,
//! which does not fire in P4.5b of t. The blocked time of an output begins when it is owned and a head begins to wait
//! for it or STOP arrives, begins anew at each grant, and ends with the release, with a GO that finds no head
//! waiting, or with the destruction of the last waiting head while it may go. Draining eats a flit a base cycle
//! whatever the rates. A channel's rate is the channel's, not the worm's: it holds across worms and failures. A head
//! destroyed in a routing unit of a switch or an output leaves that busy to the end of its time; the unit of an
//! output decodes whether or not the output is owned. A failure in P0 of t loses all that is on the cable; the
//! upstream worm drains in P4 of t already, the downstream one is flushed in P4.5a of t, and within P0 `LinkFailure`
//! comes before `NoSuchWire`.
//!
//! A message started in s with a time to live of l is granted no output of a switch from cycle s + l on. A head
//! that waits for one is turned away in P2a of s + l; one that is decoded then or later is turned away in P3a,
//! whatever it asks for. The worm is drained at that port, and its tail follows as far as its path is free: no
//! forward reset is needed, since nothing of it is downstream. A head that no switch looks at (it is on a
//! cable, or behind another worm) is dropped when its turn to be decoded comes, and one that has left its last
//! switch is delivered however late. A worm that has come round into the buffer that its own tail is leaving
//! therefore still needs the forward reset.
//!
//! # Source
//! The switch follows Mainwaring et al. 1997, section 2, and Sancho and Robles 2000, section 5.1. Departure:
//! the figures of both (108-flit buffers, 24-cycle decoding) are parameters here.
//!
//! # Validation
//! Unit tests check closed forms and single mechanisms; an independent per-flit, per-cycle oracle in the
//! integration tests judges whole random runs to the cycle.

mod counters;
mod credits;
mod deadlock;
mod endpoint;
mod engine;
mod failure;
mod flow;
mod headers;
mod hop;
mod hosts;
mod invariants;
mod parameters;
mod ports;
mod prediction;
mod prefetch;
mod reporting;
mod reset;
mod routing_unit;
mod runs;
mod stopped;
mod unequal;
mod wiring;
mod worm;

#[cfg(test)]
mod tests;

pub use counters::{ChannelUse, Live};
pub use credits::{
    CreditParameters, LaneArbitration, LaneWeight, MANAGEMENT_LANE, MOST_LANES, MOST_MANAGEMENT,
    SERVICE_LEVELS, ServiceLanes,
};
pub use deadlock::{Cleared, Deadlock, Member};
pub use endpoint::{Cause, Ended, Endpoint, Fate, Fates, Flow, Observer, Outgoing, RouteBuffer, WormId};
pub use parameters::{
    Arbitration, FlowControl, HostParameters, LinkTiming, Parameters, Receive, SwitchParameters,
};
pub use wiring::{BuildError, links_with_gaps};

use engine::Engine;
use rand::SeedableRng;
use wiring::Wiring;

use simnet_base::ids::{HostId, LinkId, Port};
use simnet_base::units::Cycle;
use simnet_network::topology::{End, Network};

/// Why [`Fabric::run_until`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// All cycles before the limit have been run.
    Limit,
    /// The endpoint ended it.
    Break,
    /// Nothing is left to happen, and no flit moves any more. Worms still in flight have deadlocked for ever.
    Idle,
}

/// A fabric with all that is in it: a wormhole fabric, or one with credits and lanes.
#[derive(Debug)]
pub struct Fabric {
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Equal(Box<Engine<true>>),
    Unequal(Box<Engine<false>>),
    Credits(Box<credits::Engine>),
}

macro_rules! on_engine {
    ($self:expr, $engine:ident => $body:expr) => {
        match $self {
            Inner::Equal($engine) => $body,
            Inner::Unequal($engine) => $body,
            Inner::Credits($engine) => $body,
        }
    };
}

impl Fabric {
    /// Looks for everything that keeps a fabric from being built, without building it. Costs O(nodes + cables).
    ///
    /// # Errors
    /// As [`Fabric::new`].
    pub fn check(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
    ) -> Result<(), BuildError> {
        wiring::check(network, parameters, attachments)?;
        Wiring::check(network)
    }

    /// Builds an idle fabric at cycle 0.
    ///
    /// `attachments` gives per host the port that it sends on; `None` for a host without cable. Worms may
    /// arrive at any cabled host port. A `go` level below the flits that a GO takes to fetch is allowed
    /// (see [`links_with_gaps`]).
    ///
    /// # Errors
    /// [`BuildError`]: a buffer too small for its cable, a time that is zero, `go` not below `stop`, an
    /// attachment without a cable, too many ports, or lists of the wrong length. With credits: no lanes or too many, a
    /// buffer without room for the largest packet, tables with lanes that are not there or that leave one out, hosts
    /// with a receive buffer; STOP and GO are not looked at.
    pub fn new(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
    ) -> Result<Fabric, BuildError> {
        wiring::check(network, parameters, attachments)?;
        let wiring = Wiring::new(network)?;
        if let FlowControl::Credits(credits) = &parameters.flow {
            let engine = credits::Engine::new(network, parameters, credits, wiring, attachments);
            return Ok(Fabric { inner: Inner::Credits(Box::new(engine)) });
        }
        let records = wiring::records(network, parameters, attachments, &wiring);
        let inner = if wiring::has_equal_rates(parameters) {
            Inner::Equal(Box::new(Engine::new(parameters, wiring, records)))
        } else {
            Inner::Unequal(Box::new(Engine::new(parameters, wiring, records)))
        };
        Ok(Fabric { inner })
    }

    /// The next cycle to be run.
    pub fn now(&self) -> Cycle {
        Cycle(on_engine!(&self.inner, engine => engine.now))
    }

    /// Runs all cycles before `limit`. Ends early after a cycle in which [`Endpoint::ended`] returned `Break`, or
    /// when nothing is left to happen; [`Fabric::now`] is then the cycle after the last in which a flit moved
    /// or an event was handled.
    ///
    /// When it returns, the observer has had all that happened before [`Fabric::now`], and nothing else.
    pub fn run_until<E: Endpoint, O: Observer>(
        &mut self,
        limit: Cycle,
        endpoint: &mut E,
        observer: &mut O,
    ) -> Pause {
        let before = self.now();
        let pause = on_engine!(&mut self.inner, engine => engine.run_until(limit, endpoint, observer));
        debug_assert!(
            self.now() >= before && self.now() <= limit.max(before),
            "time goes on, up to the limit"
        );
        debug_assert!(
            pause != Pause::Limit || self.now() >= limit,
            "what is said to have been run has been run"
        );
        pause
    }

    /// Notes that `host` has something to send again: it is asked in cycle `at`, or in the next cycle if that
    /// is over. Does nothing then if the host has a message to be started; asks for data and for management apart.
    pub fn wake(&mut self, host: HostId, at: Cycle) {
        on_engine!(&mut self.inner, engine => engine.wake(host.0, at.0));
    }

    /// From now on reports to the endpoint when tails leave hosts ([`Endpoint::departed`]). Changes no result; costs
    /// an event a message.
    pub fn report_departures(&mut self) {
        on_engine!(&mut self.inner, engine => engine.tells_departures = true);
    }

    /// Lets a cable fail in P0 of cycle `at`, or of the next cycle if that is over.
    ///
    /// # Panics
    /// If hosts send worms on: what is in transit is not followed where cables fail.
    pub fn fail_link(&mut self, link: LinkId, at: Cycle) {
        on_engine!(&mut self.inner, engine => engine.schedule_link(link.0, at.0, false));
    }

    /// Lets a failed cable return in P0 of cycle `at`, or of the next cycle if that is over.
    pub fn restore_link(&mut self, link: LinkId, at: Cycle) {
        on_engine!(&mut self.inner, engine => engine.schedule_link(link.0, at.0, true));
    }

    /// Whether there is a lane of management: hosts are asked for such messages.
    pub fn has_management(&self) -> bool {
        matches!(&self.inner, Inner::Credits(engine) if engine.has_management())
    }

    /// What each channel has done up to now, worms in flight counted in; indexed by `ChannelId`. Costs
    /// O(links).
    pub fn channel_use(&self) -> Vec<ChannelUse> {
        on_engine!(&self.inner, engine => engine.channel_use())
    }

    /// How many heads have been decoded up to now at the far end of each channel, or, with units at outputs, for it
    /// at its near end; 0 where that end is a host. Indexed by `ChannelId`. Costs O(links).
    pub fn heads_decoded(&self) -> Vec<u64> {
        on_engine!(&self.inner, engine => engine.heads_decoded())
    }

    /// All deadlocks so far, in the order of their formation.
    pub fn deadlocks(&self) -> &[Deadlock] {
        on_engine!(&self.inner, engine => &engine.watch.found)
    }

    /// How many messages have started and are not over.
    pub fn in_flight(&self) -> usize {
        on_engine!(&self.inner, engine => engine.in_flight)
    }

    /// The messages that have started and are not over, by sender and tag. Costs O(messages).
    pub fn live(&self) -> Vec<Live> {
        on_engine!(&self.inner, engine => engine.live())
    }

    /// How many events there were, whether they needed handling or not; arrivals of heads at switches are part of their
    /// decoding, and what was foreseen and did not come is none. Costs O(ports) at most.
    pub fn events(&self) -> u64 {
        on_engine!(&self.inner, engine => engine.events())
    }

    /// Flits in the buffer of an input port at the end of the last cycle run.
    pub fn occupancy(&self, port: End) -> u32 {
        on_engine!(&self.inner, engine => engine.occupancy(port))
    }

    /// Bytes in the queue of one lane of an input port of a switch at the end of the last cycle run. With STOP and GO
    /// lane 0 has all; [`MANAGEMENT_LANE`] is that of management.
    pub fn lane_occupancy(&self, port: End, lane: u8) -> u32 {
        match &self.inner {
            Inner::Credits(engine) => engine.lane_occupancy(port, lane),
            _ if lane == 0 => self.occupancy(port),
            _ => 0,
        }
    }

    /// Bytes that an output port may send on a lane, by the credits that it had at the end of the last cycle run;
    /// `None` where it needs none: it has no such lane or no cable, the far end is a host, or the fabric has STOP and
    /// GO.
    pub fn credits(&self, port: End, lane: u8) -> Option<u32> {
        match &self.inner {
            Inner::Credits(engine) => engine.credits(port, lane),
            _ => None,
        }
    }

    /// Whether the last that an input port sent is STOP. Never with credits.
    pub fn stop_sent(&self, port: End) -> bool {
        on_engine!(&self.inner, engine => engine.stop_sent(port))
    }

    /// Whether an output port may send; with credits, whether some lane of it has enough for the largest packet.
    pub fn go(&self, port: End) -> bool {
        on_engine!(&self.inner, engine => engine.go(port))
    }

    /// The port that a host sends on.
    pub fn sending_port(&self, host: HostId) -> Option<Port> {
        on_engine!(&self.inner, engine => engine.host_port(host))
    }

    /// From now on handles the events of each phase in a random order, which must not change any result.
    pub fn shuffle(&mut self, seed: u64) {
        let rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        on_engine!(&mut self.inner, engine => engine.shuffle = Some(rng));
    }
}
