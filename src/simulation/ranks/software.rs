//! What software on a machine costs, and when a send is over.

use crate::units::{Bytes, Duration};

/// What the software of both ends adds to a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overheads {
    /// The sender's work for a message, whatever its length.
    pub send: Duration,
    /// The receiver's work for a message, whatever its length.
    pub receive: Duration,
    /// The sender's work for each byte of data, in picoseconds, before the message is handed to the medium.
    pub send_byte_ps: u64,
    /// The receiver's work for each byte of data, in picoseconds, after its last byte has arrived.
    pub receive_byte_ps: u64,
}

/// What software on every machine costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Software {
    /// For messages of at most [`Software::short_up_to`] bytes of data.
    pub short: Overheads,
    /// For longer ones.
    pub long: Overheads,
    /// The most bytes of data of a short message.
    pub short_up_to: Bytes,
    /// To copy a byte within a machine's memory, in picoseconds: within a rank's buffer, or to another rank of the
    /// same machine.
    pub local_byte_ps: u64,
    /// The library's header before the data of every message.
    pub envelope: Bytes,
    /// How much a piece of work may take more or less, at most, each time anew, in thousandths; up to 1000.
    pub jitter: u32,
}

/// When the sender of a message goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// When its software has handed the message over: it has been copied.
    Copied,
    /// When the last byte has left the sender's memory, as the medium says.
    Left,
    /// When the message is complete at the receiver: its rank has asked for it, and the receiver's software has
    /// done its part. The sender knows at that instant.
    Received,
}

/// When sends are over.
///
/// # Source
/// faraj2008 measures steps that end when the send is complete at the receiver: see [`Protocol::RENDEZVOUS`]. Real
/// libraries switch from one to the other with a message's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// For messages of at most [`Protocol::eager_up_to`] bytes of data.
    pub eager: Completion,
    /// For longer ones.
    pub rendezvous: Completion,
    /// The most bytes of data of an eager message.
    pub eager_up_to: Bytes,
    /// Whether a message that is not eager is announced, and sent only after an answer that its receive is posted;
    /// both travel as messages of an envelope's length. Otherwise it is sent at once.
    pub handshake: bool,
}

impl Protocol {
    /// Every send is over when its message has been copied.
    pub const EAGER: Protocol = Protocol {
        eager: Completion::Copied,
        rendezvous: Completion::Copied,
        eager_up_to: Bytes(u64::MAX),
        handshake: false,
    };

    /// Every send is over when its message is complete at the receiver; nothing is announced.
    pub const RENDEZVOUS: Protocol = Protocol {
        eager: Completion::Received,
        rendezvous: Completion::Received,
        eager_up_to: Bytes(0),
        handshake: false,
    };

    /// Eager up to so many bytes of data, rendezvous beyond.
    pub const fn switched(eager_up_to: Bytes) -> Protocol {
        Protocol { eager: Completion::Copied, eager_up_to, ..Protocol::RENDEZVOUS }
    }

    /// When the send of so many bytes of data is over.
    pub const fn completion(&self, data: Bytes) -> Completion {
        if data.0 <= self.eager_up_to.0 { self.eager } else { self.rendezvous }
    }

    /// Whether a message with so many bytes of data is announced.
    pub const fn is_announced(&self, data: Bytes) -> bool {
        self.handshake && data.0 > self.eager_up_to.0
    }
}

impl Software {
    /// Software that costs nothing and adds nothing.
    pub const NONE: Software = Software {
        short: Overheads::NONE,
        long: Overheads::NONE,
        short_up_to: Bytes(u64::MAX),
        local_byte_ps: 0,
        envelope: Bytes(0),
        jitter: 0,
    };

    /// What software adds to a message with so many bytes of data.
    pub const fn overheads(&self, data: Bytes) -> &Overheads {
        if data.0 <= self.short_up_to.0 { &self.short } else { &self.long }
    }
}

impl Overheads {
    /// Nothing.
    pub const NONE: Overheads =
        Overheads { send: Duration::ZERO, receive: Duration::ZERO, send_byte_ps: 0, receive_byte_ps: 0 };
}
