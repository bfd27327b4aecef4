//! What an Ethernet is made of.

use crate::units::{BitRate, Bytes, Duration};

/// Room for frames that wait in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// As much as it takes.
    Unbounded,
    /// So much for each output port.
    PerPort(Bytes),
    /// So much for all output ports of a switch together.
    Shared(Bytes),
}

/// The parameters of an Ethernet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The rate of every cable of the network, by link.
    pub rates: Vec<BitRate>,
    /// From one end of every cable to the other, by link.
    pub delays: Vec<Duration>,
    /// From a frame's last bit in a switch to the first instant at which it can leave.
    pub switch_latency: Duration,
    /// Room for waiting frames in every switch.
    pub buffer: Buffer,
    /// How long a learned address is remembered after it was last seen.
    pub ageing: Duration,
    /// The most bytes of payload of a frame.
    pub mtu: u32,
}
