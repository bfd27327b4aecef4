//! The one connection of two hosts, and the messages on it.

use std::collections::VecDeque;

use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};

use crate::ethernet::transport::{fill, is_right};
use crate::medium::Message;
use simnet_base::ids::HostId;
use simnet_base::units::Time;

use super::device::Payload;
use super::numbering::Numbering;
use super::stack::Stack;
use super::{Congestion, TcpParameters, stack};

/// Bytes before those of every message: its length and its tag, 8 B each.
pub(super) const FRAMING: usize = 16;
/// The port of whoever waits to be connected to, and the first one of those who connect.
const LISTENS: u16 = 40_000;
const CONNECTS: u16 = 50_000;

/// glibc takes 128 KiB and more from the system.
const FRESH: usize = 256 << 10;

/// Two hosts and what passes between them.
pub(super) struct Pair {
    /// The lesser one first.
    pub(super) hosts: [HostId; 2],
    pub(super) state: Link,
    /// Which of them opens the connection: the first to send.
    pub(super) opener: usize,
    pub(super) sides: [Option<Side>; 2],
    /// What each sends to the other.
    pub(super) streams: [Stream; 2],
    /// When a byte of a message was last read, or the first one handed over after a silence.
    pub(super) moved: Time,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// The opener asks for the other one's hardware address.
    Resolving,
    /// The sockets are on their own.
    Open,
    /// It was given up.
    Broken,
}

/// One end of a connection.
pub(super) struct Side {
    pub(super) sockets: SocketSet<'static>,
    handle: SocketHandle,
    /// Of what goes out.
    pub(super) numbering: Numbering,
}

/// Messages in one direction, in order.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Those with bytes that have not been read.
    pub(super) messages: VecDeque<Message>,
    /// How many of them have been written to the socket, and how far the next one has, framing counted in.
    written: (usize, u64),
    /// How far the first one has been read, framing counted in.
    read: u64,
}

impl Pair {
    pub(super) fn new(hosts: [HostId; 2], opener: usize, now: Time) -> Pair {
        Pair {
            hosts,
            state: Link::Resolving,
            opener,
            sides: [None, None],
            streams: [Stream::default(), Stream::default()],
            moved: now,
        }
    }

    /// Whether no message is under way.
    pub(super) fn is_quiet(&self) -> bool {
        self.streams.iter().all(|stream| stream.messages.is_empty())
    }
}

impl Side {
    fn new(parameters: &TcpParameters) -> Side {
        let buffer = || SocketBuffer::new(zeros(parameters.window as usize));
        let mut socket = Socket::new(buffer(), buffer());
        socket.set_nagle_enabled(parameters.nagle);
        socket.set_ack_delay(parameters.ack_delay.map(|delay| parameters.clock().span(delay)));
        socket.set_congestion_control(match parameters.congestion {
            Congestion::None => CongestionControl::None,
            Congestion::Reno => CongestionControl::Reno,
        });
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(socket);
        Side { sockets, handle, numbering: Numbering::default() }
    }

    /// An end that waits for the other one.
    pub(super) fn listening(parameters: &TcpParameters) -> Side {
        let mut side = Side::new(parameters);
        side.socket().listen(LISTENS).expect("the socket is fresh and the port is not 0");
        side
    }

    /// An end that begins to connect.
    pub(super) fn connecting(parameters: &TcpParameters, stack: &mut Stack, peer: HostId) -> Side {
        let mut side = Side::new(parameters);
        let remote = (stack::address(peer), LISTENS);
        let socket = side.sockets.get_mut::<Socket<'static>>(side.handle);
        socket
            .connect(stack.interface.context(), remote, CONNECTS)
            .expect("the socket is fresh and both addresses are given");
        side
    }

    fn socket(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    /// Ends the connection at once.
    pub(super) fn abort(&mut self) {
        self.socket().abort();
    }

    pub(super) fn is_closed(&mut self) -> bool {
        self.socket().state() == State::Closed
    }

    /// Writes as much of a stream as the socket takes; reports each message that has been written whole.
    pub(super) fn write(&mut self, stream: &mut Stream, payload: Payload, mut left: impl FnMut(u64)) {
        let socket = self.socket();
        while socket.can_send()
            && let Some(message) = stream.messages.get(stream.written.0).copied()
        {
            let at = stream.written.1;
            let total = message.bytes.saturating_add(FRAMING as u64);
            let fill_in = |room: &mut [u8]| {
                let length = room.len().min(usize::try_from(total - at).unwrap_or(usize::MAX));
                if payload == Payload::Real {
                    put(&message, at, &mut room[..length]);
                }
                (length, length as u64)
            };
            let done = socket.send(fill_in).expect("a socket that can send takes bytes");
            stream.written.1 += done;
            if stream.written.1 == total {
                stream.written = (stream.written.0 + 1, 0);
                left(message.tag);
            }
        }
    }

    /// Reads what has arrived of a stream, compares it byte by byte if its bytes are real, and reports each message
    /// that is whole. Whether there was anything.
    ///
    /// # Panics
    /// If a byte is wrong, which only a fault of the simulator can bring about.
    pub(super) fn read(
        &mut self,
        stream: &mut Stream,
        payload: Payload,
        mut arrived: impl FnMut(u64),
    ) -> bool {
        let socket = self.socket();
        let mut any = false;
        while socket.can_recv() {
            any = true;
            let message = *stream.messages.front().expect("only bytes of messages are sent");
            let at = stream.read;
            let total = message.bytes.saturating_add(FRAMING as u64);
            let take = |bytes: &mut [u8]| {
                let length = bytes.len().min(usize::try_from(total - at).unwrap_or(usize::MAX));
                if payload == Payload::Real {
                    assert!(
                        is_as_sent(&message, at, &bytes[..length]),
                        "wrong bytes in {message:?} from {at} on"
                    );
                }
                (length, length as u64)
            };
            stream.read += socket.recv(take).expect("a socket that can receive gives bytes");
            if stream.read == total {
                stream.messages.pop_front();
                stream.read = 0;
                stream.written.0 -= 1;
                arrived(message.tag);
            }
        }
        any
    }
}

/// So many zeros, in a room for at least [`FRESH`]: one that an allocator takes from the system, as common ones take
/// all of this size, which comes zero by itself and takes memory where it is written to. Most buffers never are: those
/// of the direction in which nothing is sent, and without the bytes of messages all send buffers.
fn zeros(bytes: usize) -> Vec<u8> {
    let mut zeros = vec![0; bytes.max(FRESH)];
    zeros.truncate(bytes);
    zeros
}

fn framing(message: &Message) -> [u8; FRAMING] {
    let mut framing = [0; FRAMING];
    framing[..8].copy_from_slice(&message.bytes.to_be_bytes());
    framing[8..].copy_from_slice(&message.tag.to_be_bytes());
    framing
}

/// Writes the bytes of a message and its framing from `at` on.
fn put(message: &Message, at: u64, bytes: &mut [u8]) {
    let framing = framing(message);
    let rest = framing.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
    let head = rest.len().min(bytes.len());
    bytes[..head].copy_from_slice(&rest[..head]);
    fill(message.tag, (at + head as u64).saturating_sub(FRAMING as u64), &mut bytes[head..]);
}

/// Whether these are the bytes of a message and its framing from `at` on.
fn is_as_sent(message: &Message, at: u64, bytes: &[u8]) -> bool {
    let framing = framing(message);
    let rest = framing.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default();
    let head = rest.len().min(bytes.len());
    bytes[..head] == rest[..head]
        && is_right(message.tag, (at + head as u64).saturating_sub(FRAMING as u64), &bytes[head..])
}
