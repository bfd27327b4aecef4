//! What a fabric is made of, in flits and base cycles.

use super::credits::CreditParameters;
use simnet_base::units::Duration;

/// How a switch decodes the heads of worms: whose routing unit it is that takes one header at a time, each for the
/// routing latency. A worm that meets no other passes a switch in the same time with each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arbitration {
    /// One routing unit a switch: one header at a time, round robin over the input ports.
    ///
    /// # Source
    /// Sancho and Robles 2000, section 5.1: "a crossbar whose arbiter processes one message header at a
    /// time".
    #[default]
    Serial,
    /// A routing unit at every input port.
    PerInput,
    /// A routing unit at every output port: one header at a time of those that ask for that output, round robin over
    /// the input ports.
    ///
    /// What [`Serial`](Self::Serial) is for a switch this is for an output. Its unit decodes whether or not a worm
    /// owns the output: heads decoded meanwhile wait for it and are granted it round robin, without further delay. A
    /// head destroyed while it is decoded leaves the unit busy to the end of its time. A head whose turn names no
    /// port of the switch, or that has no turn left, asks for no output: its port finds that out by itself in the
    /// same time.
    ///
    /// # Source
    /// A reading of Sancho and Robles 2000, section 5.1, which gives 150 ns as "the latency through the switch for the
    /// first flit": headers to different outputs of a crossbar need not wait for each other.
    PerOutput,
}

/// The parameters that all switches share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchParameters {
    /// Room of a port's input buffer, in flits.
    pub buffer: u32,
    /// Occupancy at which the input port sends STOP (`S_hi`), in flits.
    pub stop: u32,
    /// Occupancy at which it sends GO again (`S_lo`), in flits.
    pub go: u32,
    /// Time to decode a head, in base cycles; at least 1.
    pub routing_latency: u64,
    /// How heads are decoded.
    pub arbitration: Arbitration,
    /// Base cycles from the beginning of one head's decoding at an input to that of the next, with a unit at every
    /// input, which then decodes several at a time, also behind a worm in front; at least 1, at most the latency.
    /// `None`: a unit takes a head that has come to the front, and no other until it is done.
    pub routing_interval: Option<u64>,
    /// How long an output may stay blocked before it sends a forward reset, in base cycles; `None`: for ever.
    pub timeout: Option<u64>,
}

/// What a scenario's fabric has unless it says otherwise, in cycles of 6.25 ns: 150 ns a head, one after the other, and
/// 50 ms before a forward reset.
///
/// # Source
/// 108 flits a port and 50 ms: Mainwaring et al. 1997, section 1.1 (its section 2.2 has 55 ms). 150 ns, one head at a
/// time: Sancho and Robles 2000, section 5.1. The papers give no levels of STOP and GO. Ours are 56 and 40: up to 26
/// cycles of flight no buffer overflows (56 + 2 d - 1 flits), up to 20 none runs dry before GO works (2 d - 1).
impl Default for SwitchParameters {
    fn default() -> SwitchParameters {
        SwitchParameters {
            buffer: 108,
            stop: 56,
            go: 40,
            routing_latency: 24,
            arbitration: Arbitration::Serial,
            routing_interval: None,
            timeout: Some(8_000_000),
        }
    }
}

/// The buffer of a host that does not take everything at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// Occupancy at which the host's port sends STOP, in flits.
    pub stop: u32,
    /// Occupancy at which it sends GO again, in flits.
    pub go: u32,
    /// Base cycles between two flits that the interface takes out of the buffer; at least 1.
    pub period: u64,
    /// Base cycles that the interface rests after it has taken out a tail.
    pub overhead: u64,
}

/// The parameters that all hosts share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostParameters {
    /// Base cycles that the interface needs to set up a message: it starts no earlier than this after the
    /// later of the message's creation and the cycle in which the interface became free.
    pub send_overhead: u64,
    /// The receive buffer; `None`: the host takes what arrives at once.
    pub receive: Option<Receive>,
    /// The time to live, in base cycles from a message's start, that interfaces write into the link-level
    /// header of every message that brings none of its own; `None`: no bound.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 6, wishes for "programmable time-to-live fields at the link-layer" and
    /// says no more of them.
    pub time_to_live: Option<u64>,
    /// Base cycles from the arrival of a head in transit until the host can send it on, at least 1; `None`: hosts send
    /// nothing on, and what reaches one with turns left is destroyed.
    ///
    /// A worm that reaches a host with the turn 0 next is *in transit*: the host keeps it in memory of its own, which
    /// is never full, takes that turn off, and sends the worm out of the port by which it came, also while it is still
    /// arriving. Worms in transit go one by one in the order of their arrival, the next is seen to when the one before
    /// has left, and they go before messages of the host's own that have not started. Any other turn is illegal.
    /// Needs hosts that take everything at once, and cables that do not fail.
    ///
    /// # Source
    /// Flich, Lopez, Malumbres and Duato 2002, *Boosting the performance of Myrinet networks*, of which the abstract
    /// was
    /// at hand: packets are ejected at an intermediate host and re-injected later. A turn as the mark, the order of
    /// what waits, memory that is never full, and sending on what is still arriving are our choices.
    pub in_transit: Option<u64>,
}

/// The timing of one cable, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTiming {
    /// Base cycles between two flits; at least 1.
    pub period: u64,
    /// Base cycles of flight; at least 1.
    pub delay: u64,
}

impl LinkTiming {
    /// How many flits arrive at most from the cycle on at whose end a buffer has reached its mark until its STOP is
    /// obeyed: those of `2 delay - 1` cycles.
    pub(super) fn flits_after_stop(self) -> u64 {
        debug_assert!(self.delay > 0 && self.period > 0, "both times have been checked");
        (2 * self.delay - 1).div_ceil(self.period)
    }
}

/// What keeps buffers from overflowing, and with it how packets are moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FlowControl {
    /// STOP and GO, by the levels of [`SwitchParameters`]: wormhole routing, flit by flit, on one lane.
    #[default]
    StopGo,
    /// Credits: virtual cut-through of packets, on lanes. Of [`SwitchParameters`] the routing latency alone counts, and
    /// hosts have no receive buffer.
    Credits(Box<CreditParameters>),
}

/// All parameters of a fabric except its wiring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The length of a base cycle: the greatest common divisor of all flit times.
    pub base_cycle: Duration,
    /// The switches.
    pub switch: SwitchParameters,
    /// The hosts.
    pub host: HostParameters,
    /// One entry a cable, in the network's order.
    pub links: Vec<LinkTiming>,
    /// What keeps buffers from overflowing.
    pub flow: FlowControl,
}

impl Parameters {
    /// How many lanes each channel has for data.
    pub fn lanes(&self) -> u8 {
        match &self.flow {
            FlowControl::StopGo => 1,
            FlowControl::Credits(credits) => credits.lanes,
        }
    }
}
