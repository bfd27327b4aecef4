//! What software on a machine costs, and when a send is over.

use simnet_base::units::{Bytes, Duration};

pub use simnet_scenario::allgather::{Overheads, Software};

/// Room for waiting frames at each port of the switches behind [`Software::LAM_ON_P4`].
///
/// # Source
/// Fitted to MPICH's and LAM's times on topology (f) of faraj2008, together with [`LAM_LEAST_TIMEOUT`]; the paper names
/// the switches (Dell PowerConnect 2224 and 2324) but no size. Eight windows of 64 KiB are 512 KiB: a little less makes
/// TCP lose now and then, as the paper's 3,595 ms against 2,740 ms without loss suggest. From 495 to 520 kB MPICH comes
/// out within 11 % and LAM within 13 %; without loss, LAM's eight broadcasts over one cable end together, and its time
/// is 31 % too long.
pub const LAM_PORT_BUFFER: Bytes = Bytes(505_000);

/// The least time after which TCP sends again behind [`Software::LAM_ON_P4`].
///
/// # Source
/// RFC 6298. Linux sends again after 0.2 s, but then the simulated TCP, which has no selective acknowledgements, has
/// MPICH 9 to 13 % short and LAM 12 to 22 % long on topology (f), at any buffer from 430 to 500 kB.
pub const LAM_LEAST_TIMEOUT: Duration = Duration::from_ms(1_000);

/// When the sender of a message goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// When its software has handed the message over: it has been copied.
    Copied,
    /// When the last byte has left the sender's memory, as the medium says.
    Left,
    /// When the message is complete at the receiver: its rank has requested it, and the receiver's software has
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

    /// Every send is over when its last byte has left the sender's memory: over TCP, when it is in the socket's
    /// buffer, as MPI_Send of LAM/MPI 7.1 (`ssi_rpi_tcp_low.c`).
    pub const SOCKET: Protocol = Protocol {
        eager: Completion::Left,
        rendezvous: Completion::Left,
        eager_up_to: Bytes(0),
        handshake: false,
    };

    /// When the send of so many bytes of data is over.
    pub const fn completion(&self, data: Bytes) -> Completion {
        if data.0 <= self.eager_up_to.0 { self.eager } else { self.rendezvous }
    }

    /// Whether a message with so many bytes of data is announced.
    pub const fn is_announced(&self, data: Bytes) -> bool {
        self.handshake && data.0 > self.eager_up_to.0
    }
}
