//! Frames and what they take on the wire.
//!
//! # Source
//! IEEE 802.3: preamble and start delimiter 8 B, addresses and type 14 B, FCS 4 B, gap 12 B, at least 64 B from the
//! destination address to the FCS.

use crate::ids::HostId;

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
    /// For whom it is.
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
