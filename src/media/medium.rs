//! What moves messages between hosts, whatever it is made of: the wormhole fabric with routes, an Ethernet with a
//! transport, or an ideal network.
//!
//! ```text
//!   ranks (host::collective) --send--> Medium <-- fabric + routes | ethernet + transport | Ideal
//!                            <-Event--
//! ```
//! The one who drives a medium never looks behind it: it hands messages over at instants that do not go back, and
//! lets the medium run up to its own next instant.

mod ideal;

pub use ideal::Ideal;

use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};

/// A message of any length on its way between two different hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who sends it.
    pub source: HostId,
    /// Who is to have it.
    pub destination: HostId,
    /// Its length in bytes, the headers of whoever hands it over counted in, those of the medium not; at least 1.
    pub bytes: u64,
    /// Handed back with what becomes of it; unique among the messages under way.
    pub tag: u64,
}

/// What becomes of a message. Each is `Delivered`, `Lost` or `Stuck` once; `Left` comes before that, at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Its last byte has left the sender's memory.
    Left(u64),
    /// Its last byte has arrived, and every byte of it is right.
    Delivered(u64),
    /// It will never arrive whole.
    Lost(u64),
    /// Some of it waits for ever, in a deadlock that nothing breaks; nothing of it is lost.
    Stuck(u64),
}

/// Something that moves messages.
///
/// Messages between the same two hosts arrive in the order in which they were handed over, unless one is lost.
pub trait Medium {
    /// Takes a message over at `now`, which is no earlier than any instant the medium has run up to.
    fn send(&mut self, message: Message, now: Time);

    /// Runs until something happens to a message, at most up to and including the instant `until`; without one,
    /// until nothing is under way. Events of one instant come one a call, in an order that depends on nothing but
    /// the messages.
    ///
    /// `None`: nothing more happens up to `until`.
    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)>;

    /// For how long a message of so many bytes, alone, keeps the cable of `source` busy, the medium's own headers
    /// counted in; acknowledgements, if it has any, not. Zero where there is no cable.
    fn occupies(&self, source: HostId, bytes: u64) -> Duration;
}
