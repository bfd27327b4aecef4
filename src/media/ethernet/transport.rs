//! Transports: how hosts carry messages over an Ethernet.
//!
//! ```text
//!   Medium::send --> Datagram: frames made as the interface asks for them, no recovery
//!                    with DCQCN each flow at its rate
//!                    Tcp: a real TCP/IP stack a host, its bytes on the frames
//! ```
//! Both fulfil [`crate::medium::Medium`], and both let an [`super::Observer`] watch.

mod datagram;
mod dcqcn;
mod pattern;
mod reach;
mod tcp;

pub use datagram::{DATAGRAM_HEADER, Datagram, Losses, Segment, check_datagram};
pub use dcqcn::DcqcnParameters;
pub use pattern::{fill, is_right};
pub use tcp::{Congestion, Packet, Tcp, TcpParameters, check_tcp};

use thiserror::Error;

use super::BuildError;

/// Why a transport cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransportError {
    /// The Ethernet itself cannot be built.
    #[error(transparent)]
    Ethernet(#[from] BuildError),
    /// A frame has no room for anything but headers.
    #[error("an MTU of {mtu} B leaves no room beside headers of {headers} B")]
    NoRoom {
        /// The most bytes of payload of a frame.
        mtu: u32,
        /// What the transport's own headers take of it.
        headers: u32,
    },
    /// An MTU that the IP stack cannot work with.
    #[error("TCP/IP needs an MTU of {least} to {most} B, not {mtu} B")]
    Mtu {
        /// The MTU given.
        mtu: u32,
        /// The least that works.
        least: u32,
        /// The most that works.
        most: u32,
    },
    /// A window that the TCP cannot have.
    #[error("a window must be {least} to {most} B, not {window} B")]
    Window {
        /// The window given.
        window: u32,
        /// The least that works.
        least: u32,
        /// The most that works.
        most: u32,
    },
    /// More hosts than there are addresses.
    #[error("there are {most} addresses in 10.0.0.0/8, and {hosts} hosts")]
    TooManyHosts {
        /// How many hosts there are.
        hosts: usize,
        /// How many there may be.
        most: usize,
    },
}
