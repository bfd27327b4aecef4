//! What runs on hosts: processes that read like the papers' pseudo-code.
//!
//! A process sees its machine as a [`Host`]: it sends messages along routes, receives, sleeps. It never sees
//! a switch, and does not know whether a flit-level fabric or a plain graph lies behind its interface.
//!
//! ```text
//!   mapper, daemons, route distribution      async functions over `dyn Host`
//!        |  send / recv / sleep
//!        +--> Station --> requests --> a kernel with a fabric      (simulated flit by flit)
//!        +--> Plain                                                (a walk over the cabling, for tests)
//! ```

mod attended;
pub mod collective;
pub mod daemon;
pub mod distribution;
pub mod election;
pub mod mapper;
mod message;
pub mod passive;
pub mod plain;
pub mod rank;
pub mod rtt;
mod station;

pub use attended::{Attendant, Attended, Disposition, Reply};
pub use message::{Body, Find, Message, RouteEntry, encode, push_name, push_turns};
pub use station::{Answer, Request, Station};

use std::collections::BTreeMap;
use std::pin::Pin;

use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// The address of an interface, which every message carries; the highest wins an election.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(pub u64);

/// A message that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The message.
    pub message: Message,
    /// Its sender.
    pub from: Address,
    /// When its last flit reached the interface; software saw it later.
    pub at: Time,
    /// How many of its turns were left; above 0 only where hosts read what reaches them too soon
    /// ([`Hardware::reads_early`]).
    pub unused: u16,
    /// The switches that it passed and the ports by which it entered them, in order; empty unless switches
    /// stamp what passes them ([`Hardware::stamps`]).
    pub stamps: Vec<Stamp>,
}

/// What a switch that identifies itself writes into a message that enters it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// The switch's own number, which no other has.
    pub switch: u64,
    /// The port of entry.
    pub port: u16,
}

/// What interfaces and switches can do beyond what the papers' could.
///
/// # Source
/// Mainwaring et al. 1997, section 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Hosts read messages that reach them with turns left ("too soon"), instead of dropping them.
    pub reads_early: bool,
    /// Switches stamp every message that enters them.
    pub stamps: bool,
}

/// What a process of a host awaits. Behind a pointer, so that a mapper is compiled once for all kinds of hosts.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A machine, as a process on it sees it.
pub trait Host {
    /// The machine's name, which no other has.
    fn name(&self) -> &str;

    /// The machine's address, which no other has.
    fn address(&self) -> Address;

    /// The present instant.
    fn now(&self) -> Time;

    /// Hands a message to the interface and goes on when the software has done its part of sending.
    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()>;

    /// Waits for the next message, at most up to the instant `until`; without one, for ever.
    ///
    /// A message that becomes visible exactly at `until` is still received.
    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>>;

    /// Does nothing for a while; messages that arrive meanwhile are kept.
    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()>;

    /// Lets software work for a span of time, which may vary from one time to the next; messages that arrive
    /// meanwhile are kept.
    fn work(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.sleep(span)
    }

    /// Hears that a mapper on this host is about to send a message of this kind.
    fn count(&mut self, _kind: mapper::Kind) {}

    /// Gives the interface the routes, by the names of their destinations, that applications use from now on;
    /// without effect where there are no applications.
    fn install<'s>(&'s mut self, _routes: &'s BTreeMap<String, Vec<Turn>>) -> HostFuture<'s, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// What software on a host costs.
///
/// # Source
/// Mainwaring et al. 1997 give none of these; they are fitted to its Fig. 7 (see [`Costs::default`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The processor's work to hand one message to the interface.
    pub send: Duration,
    /// A daemon's work between the last flit of a message and handing over the answer.
    pub reply: Duration,
    /// From the last flit of a loop-back probe, which returns to its sender, to the process that sees it.
    pub loopback: Duration,
}

impl Costs {
    /// Software that costs nothing.
    pub const NONE: Costs = Costs { send: Duration::ZERO, reply: Duration::ZERO, loopback: Duration::ZERO };

    /// The costs of firmware in an interface whose processor runs at 37.5 MHz, which give the mapping times of
    /// Myricom's mapper together with a probe time-out of 440 us and 830 ms before the first probe
    /// ([`myricom::TIMEOUT`](mapper::myricom::TIMEOUT) and [`START_UP`](mapper::myricom::START_UP)).
    ///
    /// # Source
    /// Fitted to mainwaring1997, Fig. 10, times for C and C+A (1414 and 2197 ms), on the probes that are counted
    /// here; C+A+B was left out. Sending is 750 instructions of that processor, answering some more, neither of
    /// much weight: 86 % of the probes bring nothing and cost the time-out. Start-up and time-out are the round
    /// values that come within 1 % of both times; an exact fit would be 0.843 s and 0.433 ms.
    pub const fn lanai() -> Costs {
        let us = Duration::from_us;
        Costs { send: us(20), reply: us(30), loopback: us(20) }
    }

    /// From a message's last flit at the interface to the process that sees it.
    pub fn seeing(&self, body: &Body) -> Duration {
        match body {
            Body::LoopProbe { .. } => self.loopback,
            _ => Duration::ZERO,
        }
    }
}

impl Default for Costs {
    /// The costs that give the mapping times of the paper, together with a probe time-out of 1 ms.
    ///
    /// # Source
    /// Fitted to the averages of mainwaring1997, Fig. 7, one master: 256 ms for C and 522 ms for C+A; C+A+B
    /// was left out of the fit. With the turns found here a turn costs about 0.94 ms where a host answers (a
    /// process at user level), 0.36 ms where the probe itself comes back, and 1.03 ms where nothing does. Two
    /// equations leave one of the three open: the paper says that the time-out is longer than an average
    /// round trip, and 1 ms is the round value for which both can be met. The cost of sending is a guess of
    /// little weight.
    fn default() -> Costs {
        Costs { send: Duration::from_us(15), reply: Duration::from_us(900), loopback: Duration::from_us(330) }
    }
}
