//! What an Ethernet is made of.

use simnet_base::units::{BitRate, Bytes, Duration};

use super::ecn::EcnParameters;
use super::forwarding::Forwarding;
use super::pfc::Flow;

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
    /// Room for waiting frames in every switch; unbounded where senders are paused, since room is at inputs then.
    pub buffer: Buffer,
    /// What stops senders.
    pub flow: Flow,
    /// When frames are marked for congestion; `None`: never.
    pub ecn: Option<EcnParameters>,
    /// By what switches forward.
    pub forwarding: Forwarding,
    /// How many switches forward a frame for one host, with a table; the next one drops it. At least 1; `None`: any
    /// number.
    pub time_to_live: Option<u16>,
    /// How long a learned address is remembered after it was last seen.
    pub ageing: Duration,
    /// The most bytes of payload of a frame.
    pub mtu: u32,
    /// The bridge priority of every switch, by switch; a missing one is [`BRIDGE_PRIORITY`]. The least is elected
    /// root.
    pub bridge_priorities: Vec<u16>,
    /// The seed of all that chance decides: marks, and which of several frames that come to a full buffer at one
    /// instant are dropped.
    pub seed: u64,
}

/// The priority of a bridge by default.
///
/// # Source
/// IEEE 802.1D-2004, table 17-2.
pub const BRIDGE_PRIORITY: u16 = 0x8000;

impl Parameters {
    /// An Ethernet of `links` equal cables: no switch latency, unbounded buffers, no pauses, no marks, no time to live,
    /// addresses remembered for 300 s, an MTU of 1,500 B, equal bridges, the seed 0.
    ///
    /// # Source
    /// IEEE 802.1D-2004, table 7-5, for the ageing time; IEEE 802.3 for the MTU.
    pub fn uniform(links: usize, rate: BitRate, delay: Duration) -> Parameters {
        Parameters {
            rates: vec![rate; links],
            delays: vec![delay; links],
            switch_latency: Duration::ZERO,
            buffer: Buffer::Unbounded,
            flow: Flow::None,
            ecn: None,
            forwarding: Forwarding::SpanningTree,
            time_to_live: None,
            ageing: Duration::from_ms(300_000),
            mtu: 1_500,
            bridge_priorities: Vec::new(),
            seed: 0,
        }
    }
}
