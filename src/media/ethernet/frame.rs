//! Frames and what they take on the wire.
//!
//! # Source
//! IEEE 802.3: preamble and start delimiter 8 B, addresses and type 14 B, FCS 4 B, gap 12 B, at least 64 B from the
//! destination address to the FCS.

use simnet_base::ids::HostId;

/// Bytes of preamble and start-of-frame delimiter.
pub const PREAMBLE: u32 = 8;
/// Bytes of addresses and type.
pub const HEADER: u32 = 14;
/// Bytes of the frame check sequence.
pub const TRAILER: u32 = 4;
/// Bytes of silence after a frame.
pub const GAP: u32 = 12;
/// The least bytes of a frame from its destination address to its FCS; shorter ones are padded.
pub const MIN_FRAME: u32 = 64;

/// The bytes that a frame takes of a cable's time, preamble and gap counted in, whose payload has so many.
const fn wire_bytes(payload: u64) -> u64 {
    let length = HEADER as u64 + payload + TRAILER as u64;
    let length = if length < MIN_FRAME as u64 { MIN_FRAME as u64 } else { length };
    PREAMBLE as u64 + length + GAP as u64
}

/// The bytes that data takes of a cable's time, cut into frames with at most `room` of it and a header each.
pub(super) const fn wire_bytes_of(data: u64, room: u32, header: u32) -> u64 {
    let data = if data == 0 { 1 } else { data };
    let full = (data - 1) / room as u64;
    let rest = data - full * room as u64;
    // What is left is no more than `room`.
    full.saturating_mul(wire_bytes(room as u64 + header as u64))
        .saturating_add(wire_bytes(rest + header as u64))
}

/// A hardware address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// The interface of a host.
    Host(HostId),
    /// Everyone.
    Broadcast,
}

/// A frame; `P` is what the endpoint wants to find again in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<P> {
    /// Who sends it.
    pub source: HostId,
    /// The destination.
    pub destination: Address,
    /// Its payload in bytes, without header, padding and FCS; at most the MTU.
    pub payload: u32,
    /// The endpoint's own.
    pub content: P,
}

impl<P> Frame<P> {
    /// Its bytes from the destination address to the FCS, padding counted in.
    pub fn length(&self) -> u32 {
        (HEADER + self.payload + TRAILER).max(MIN_FRAME)
    }
}

impl Address {
    /// The six bytes of an address: locally administered, `02:00` and the host's position.
    pub fn bytes(self) -> [u8; 6] {
        match self {
            Address::Broadcast => [0xff; 6],
            Address::Host(host) => {
                let [a, b, c, d] = host.0.to_be_bytes();
                [2, 0, a, b, c, d]
            }
        }
    }
}
