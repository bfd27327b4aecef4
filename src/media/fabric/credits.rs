//! Virtual cut-through with credits and lanes: exact to the byte, paid for by the packet and hop.
//!
//! # Scope and limitations
//! Hosts send messages along routes of relative turns. The sending interface cuts a message into packets of `mtu`
//! bytes, but the last, which follow one another on the same route; no route byte travels. Each input port of a switch
//! has a queue of `buffer` bytes for each lane, first in, first out; a packet is sent only with credits for all of it.
//! Lanes by service level, arbitration of lanes by two tables of weights, limits to how long a packet waits and lives,
//! a time to live. A lane of management (VL15), if there is one, goes ahead of all of it: `management.rs`. Not
//! simulated: bytes of credit packets and of headers, retransmission, bit errors, receive buffers of hosts (a host
//! takes what comes at once, and no credits are needed for it). Time is an integer number of base cycles; a byte is a
//! flit.
//!
//! | phase | what happens in cycle t |
//! |---|---|
//! | P0 | cables fail and return |
//! | P1 | bytes and credits sent in t - d arrive; hosts take what arrives |
//! | P2 | front packets that are ready ask for an output or are turned away, as are those that wait too long |
//! | P3 | hosts start messages |
//! | P4 | idle outputs and hosts' interfaces take a packet: credits, lane tables, round robin |
//! | P5 | each output that has a packet sends a byte, `period` cycles after the byte before; what is destroyed goes |
//!
//! * **Ready.** A packet whose head arrives in a is decoded in a + R, all of an input port's and all ports' at once:
//!   how switches of the wormhole fabric share their routing units does not apply. It is *in front* from the cycle
//!   after the last byte of the packet before it has left the queue. It is *ready* when it is in front, decoded, and
//!   no byte would be missing if it left from now on: with an input slower than the output, when the last byte would
//!   be in time.
//! * **Grant.** An output is idle from `period` cycles after the last byte that it sent. In P4 it takes one of the
//!   ready packets that ask for it and for whose bytes their lane has credits. First the lane is chosen among those
//!   that have such a packet (`lanes.rs`), then the queue, round robin over the input ports and, within a port, its
//!   lanes, with a pointer for each lane of the output. A small packet may so pass by a large one that lacks credits
//!   in another queue. A packet is sent whole and evenly from the cycle of its grant on, while its tail may not have
//!   arrived.
//! * **Memory.** The queues of an input port are read independently of each other, each by one output at a time.
//! * **Credits.** Each lane begins with the credits of the queue at its far end. The grant takes the packet's bytes at
//!   once; when its last byte leaves that queue in t they are sent back, and may be used from P4 of t + d on, d being
//!   the delay of the cable back.
//! * **Lanes.** The lane of a packet on a channel is by its service level, or by tables at hosts and at each (switch,
//!   input, output). It asks for that lane of the output.
//! * **Hosts.** An interface has one message at a time. It starts a message as the wormhole fabric does (creation, send
//!   overhead, its cable idle), and then sends its packets one after the other as credits allow. A message is over when
//!   all its packets are; it is delivered if all of them were, with the first one's head and the last one's tail.
//! * **Limits.** A ready packet that has not been granted its output in `head_of_line_limit` cycles is turned away in
//!   P2 of the cycle after them ([`Cause::Reset`]), and so is one in front and ready `lifetime_limit` cycles after its
//!   head arrived in that switch, or later. A message with a time to live of l, started in s, is passed on by no
//!   switch from s + l on ([`Cause::Expired`]).
//! * **Turned away.** What cannot go on (a wrong turn, no cable, no turn left, a limit) is found out when the packet is
//!   ready. It stays in front until its tail has arrived, is destroyed then all at once in P5, and its credits go
//!   back as if it had left. Of several causes the earliest counts, in one cycle the first in the order of [`Cause`].
//! * **Failures.** `failure.rs`: what is on the cable is spoilt and keeps its schedule; credits are never lost.
//!
//! A packet of data that waits for credits waits for one queue, so a deadlock is a circle of queues (`deadlock.rs`),
//! named in the cycle at whose end it is closed. Packets of management wait for no credits: they pass by it.
//!
//! `ChannelUse` counts bytes that were sent, cycles from a grant to the last byte (`held`), and cycles at whose end a
//! ready packet waits for the channel, whoever has it (`blocked`); at a host, those in which its interface lacks
//! credits. Bytes of spoilt packets count. `heads_decoded` counts front packets that became ready.
//!
//! The result does not depend on the order of processing within a phase: nothing crosses between switches within a
//! cycle, and no two outputs want one queue.
//!
//! ```text
//!   output | lanes: credits --packet--> [queue per lane] front --request--> (output: lane tables, round robin) --> ...
//!          ^------------------credits, when its last byte has left-------------------'
//! ```
//!
//! # Source
//! InfiniBand Architecture Specification, volume 1, chapter 7 (credits per virtual lane, VL arbitration, packets not
//! interleaved on a link), section 18.2.5 (head-of-queue life, switch lifetime limit), as from memory. Virtual
//! cut-through: Kermani and Kleinrock 1979. Departures: credits are counted in bytes, not in blocks of 64; they are
//! returned one packet at a time, without flow-control packets that take up the channel.
//!
//! # Validation
//! An independent oracle that moves every byte in every cycle judges whole random runs in the integration tests; closed
//! forms for latency, the bandwidth of a credit loop and deadlocks on a ring.
//!
//! [`Cause::Reset`]: super::Cause::Reset
//! [`Cause::Expired`]: super::Cause::Expired

mod deadlock;
mod engine;
mod failure;
mod forwarding;
mod hosts;
mod inspect;
mod lanes;
mod management;
mod messages;
mod parameters;
mod records;
mod reporting;

pub(super) use engine::Engine;
pub use management::{MANAGEMENT_LANE, MOST_MANAGEMENT};
pub use parameters::{
    CreditParameters, LaneArbitration, LaneWeight, MOST_LANES, SERVICE_LEVELS, ServiceLanes,
};
