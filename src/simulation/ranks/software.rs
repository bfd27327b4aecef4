//! What software on a machine costs, and when a send is over.

use crate::units::{Bytes, Duration};

pub use crate::scenario::allgather::{Overheads, Software};

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

impl Software {
    /// Software that costs nothing and adds nothing.
    pub const NONE: Software = Software {
        short: Overheads::NONE,
        long: Overheads::NONE,
        short_up_to: Bytes(u64::MAX),
        copy_byte: Duration::ZERO,
        envelope: Bytes(0),
        jitter: 0,
    };

    /// LAM/MPI 7.1.1 over TCP/IP on faraj2008's machines (2.8 GHz Pentium 4, Linux 2.6, 100 Mb/s Ethernet): the one set
    /// of constants behind its Table 1 and Fig. 10, to be used with [`Protocol::SOCKET`], TCP with windows of 64 KiB
    /// and
    /// switches with [`LAM_PORT_BUFFER`].
    ///
    /// # Source
    /// Read: LAM's envelope is six words of 4 B, its sockets' buffers are as long as a short message, and messages
    /// above
    /// 64 KiB go by its long protocol, which asks before it sends (`ssi_rpi_tcp.c`). Fitted, to topology (a) of Table
    /// 1:
    /// 0.15 ms a message, and 3.1 ms a long one, half of each at either end; TCP itself adds the rest of what the
    /// paper's
    /// times have beyond the wire (0.245, 0.21, 0.41, 2.43 and 3.54 ms a step for 32, 48, 64, 96 and 128 KB). That a
    /// long
    /// message costs so much *once*, whatever its length, stands for the question, the answer and the copies that
    /// nothing
    /// overlaps with: at most a socket's buffer at either end. A cost a byte (25 ns) fits Table 1 as well, but then
    /// LAM's
    /// own messages of 4 MB would cost 0.1 s each, and its time on (f) comes out 31 % too long. How memory is copied
    /// within a machine decides none of the paper's numbers: 1 ns a byte is a guess.
    pub const LAM_ON_P4: Software = Software {
        short: Overheads { send: Duration::from_us(75), receive: Duration::from_us(75), ..Overheads::NONE },
        long: Overheads {
            send: Duration::from_us(1_550),
            receive: Duration::from_us(1_550),
            ..Overheads::NONE
        },
        short_up_to: Bytes(65_536),
        copy_byte: Duration::from_ps(1_000),
        envelope: Bytes(24),
        jitter: 0,
    };

    /// What software adds to a message with so many bytes of data.
    pub const fn overheads(&self, data: Bytes) -> &Overheads {
        if data.0 <= self.short_up_to.0 { &self.short } else { &self.long }
    }
}

impl Overheads {
    /// Nothing.
    pub const NONE: Overheads = Overheads {
        send: Duration::ZERO,
        receive: Duration::ZERO,
        send_byte: Duration::ZERO,
        receive_byte: Duration::ZERO,
    };
}
