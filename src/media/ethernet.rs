//! Switched Ethernet: frames, store-and-forward switches that learn addresses, a spanning tree, bounded buffers.
//!
//! ```text
//!   Endpoint --next_frame--> NIC ==cable==> switch: learn, look up, queue ==cable==> NIC --received--> Endpoint
//! ```
//! One event a frame and hop: a frame's arrival at a node decides when it leaves the next port. Frames that follow each
//! other, a train, cost two events a hop together where nothing comes between: `ethernet/train.rs`.
//!
//! # Scope and limitations
//! Cables are full-duplex, of any rate each, without errors or failures. Switches store and forward: a frame can leave
//! `switch_latency` after its last bit has come in, ports are first in, first out, and nothing inside a switch is ever
//! short but the buffer. No VLANs, no multicast but broadcast. With [`Flow::Pfc`] switches pause those who send to
//! them, by priority, and nothing is lost: `ethernet/pfc.rs` says what then holds in addition.
//!
//! **Times.** A frame of L bytes, destination address to FCS, padded to 64, whose first bit leaves at t is at the far
//! end at t + (8 + L) byte times + the cable's delay; the next one can leave at t + (8 + L + 12) byte times. Each of
//! the two products is rounded up to a picosecond once, so that at rates of whole picoseconds a byte (10 Mb/s to
//! 400 Gb/s, all the usual ones) nothing is rounded. The last instant of time, 213 days after the start, never comes.
//!
//! **Within an instant**, frames arrive in the order of their channels (cable l has 2l from its end `a` and 2l + 1 from
//! `b`), each handled to its end; then hosts are polled for frames, in their order.
//!
//! **Buffers.** A frame takes L bytes of its output port's buffer from the instant of its arrival until its last bit
//! has left that port; room is free again for arrivals of that very instant. One that does not fit is dropped,
//! whatever may fit after it, or drops one that came to the buffer at the same instant: chance decides, see
//! `ethernet/ties.rs`. The copies of a flood are taken in, and dropped, one by one in the order of the ports'
//! numbers. With a shared buffer the bytes of all output ports of the switch count together.
//!
//! **Addresses.** A forwarding switch notes the port at which it saw a frame's source, and when; then it looks for the
//! destination. A note serves while less than `ageing` has passed. A frame for a noted port goes there, and is filtered
//! if that is where it came from; any other, and every broadcast, goes out of all forwarding ports but that one. A
//! switch's table holds every host (16 B each; at most 2^27 in all tables together). Blocked ports forward, learn and
//! send nothing; what comes to them is lost. A host uses the port of its attachment: what comes to another one is lost,
//! as is what is for someone else.
//!
//! **Tables.** With [`Forwarding::Table`] a switch sends what is for one host by the port that its table gives, over
//! any cable, and nobody learns; broadcasts keep to the spanning tree. What the table sends back where it came from is
//! filtered. Where it gives several ports, a hash of the frame's source and destination chooses ([`FlowHash`]). With a
//! `time_to_live` switches are routers in that: such a frame goes back, and a frame that so many switches have
//! forwarded is dropped by the next one before it is looked up. It takes no room there.
//!
//! # Source
//! IEEE 802.3 for frames, IEEE 802.1D-2004 for bridges: clauses 7.7 and 7.8 for forwarding, filtering and learning (a
//! source is learned whatever becomes of the frame), 7.9 for the table and its ageing; clause 17 for the tree, see
//! [`SpanningTree`], which stands from the start. RFC 1812, 5.3.1, for the time to live: there a router drops a packet
//! whose time comes to 0, so that one of n is forwarded by n - 1 routers, here by n.
//!
//! # Validation
//! `tests/media/oracle/ethernet.rs`: a plain reference that looks at every port at every instant; arrivals, departures,
//! drops and counters of random networks agree exactly, with trains (`ethernet/trains.rs`) and without.
//! `tests/media/closed_forms/ethernet.rs`: closed forms.

mod counters;
mod ecn;
mod engine;
mod flow_hash;
mod forwarding;
mod frame;
mod lossless;
mod parameters;
mod pfc;
mod port;
mod spanning_tree;
mod switch;
mod ties;
mod train;
pub mod transport;
mod wiring;

pub use counters::{ChannelCounters, Counters};
pub use ecn::EcnParameters;
pub use engine::Ethernet;
pub use flow_hash::FlowHash;
pub use forwarding::{Forwarding, ForwardingTable, NotByDestination};
pub use frame::{Address, Frame, GAP, HEADER, MIN_FRAME, PREAMBLE, TRAILER};
pub use parameters::{BRIDGE_PRIORITY, Buffer, Parameters};
pub use pfc::{
    Cause, Deadlock, DeadlockMember, Flow, LEAST_QUANTA, PRIORITIES, PauseCounters, PauseFrame,
    PauseWatchdog, PfcParameters, SharedBuffer,
};
pub use spanning_tree::{Role, SpanningTree};
pub use wiring::{BuildError, check, check_size};

use std::ops::ControlFlow;

use simnet_base::ids::HostId;
use simnet_base::units::Time;
use simnet_network::topology::End;

/// The hosts, as an Ethernet sees them.
pub trait Endpoint<P> {
    /// Gives the next frame of `host`, if there is one, at the instant `now` at which its interface is free.
    ///
    /// Asked again as soon as that frame and the gap after it have left; after `None`, only once the host is
    /// named by `Ethernet::wake`.
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<P>>;

    /// Says, after it has given a frame, whether it may have another one before it hears of anything: if not, it is
    /// only asked again once the host is named by `Ethernet::wake`, as after a `None`.
    fn may_have_more(&self, _host: HostId) -> bool {
        true
    }

    /// Gives, after a frame behind which there may be more, those that follow it, each as soon as the one before has
    /// left, whatever happens until then; says how many, `most` at most. They have the same destination and payload,
    /// and are found by [`Endpoint::nth`]. Asked where frames can pass switches together; a frame that its receiver is
    /// to hear of at once can only be the last of them.
    fn following(&mut self, _host: HostId, _most: u32) -> u32 {
        0
    }

    /// The `nth` one behind a frame of those that followed it.
    fn nth(&self, frame: &Frame<P>, _nth: u32) -> Frame<P>
    where
        P: Clone,
    {
        frame.clone()
    }

    /// Says, after it has given a frame, whether the run ends after this instant.
    fn pauses(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that the last bit of a frame for it has reached `host`. `Break` ends the run after this instant.
    fn received(&mut self, host: HostId, frame: &Frame<P>, now: Time) -> ControlFlow<()>;

    /// As [`Endpoint::received`], of so many frames: one and those that followed it, of which it has not heard yet. The
    /// last that was given with them has come now; if it is not among these, they may all have come before.
    fn received_train(&mut self, host: HostId, first: &Frame<P>, count: u32, now: Time) -> ControlFlow<()>
    where
        P: Clone,
    {
        let mut heard = ControlFlow::Continue(());
        for nth in 0..count {
            if self.received(host, &self.nth(first, nth), now).is_break() {
                heard = ControlFlow::Break(());
            }
        }
        heard
    }

    /// As [`Endpoint::received`], of a frame that was marked for the congestion that it met.
    fn received_marked(&mut self, host: HostId, frame: &Frame<P>, now: Time) -> ControlFlow<()> {
        self.received(host, frame, now)
    }

    /// Hears that a frame found no room in the buffer of a switch behind `port`, at which it was to leave.
    /// `Break` ends the run after this instant.
    fn dropped(&mut self, _port: End, _frame: &Frame<P>, _now: Time) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that a frame that came over the cable from `port` was dropped at the input of the switch at its other end,
    /// for want of headroom. `Break` ends the run after this instant.
    fn starved(&mut self, _port: End, _frame: &Frame<P>, _now: Time) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that a frame for one host that came over the cable from `port` was dropped by the switch at its other end,
    /// as many having forwarded it as may. `Break` ends the run after this instant.
    fn expired(&mut self, _port: End, _frame: &Frame<P>, _now: Time) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The priority of the next frame of `host`, below [`PRIORITIES`]; `None`: that of the parameters. Asked before
    /// each [`Endpoint::next_frame`] where switches pause those who send; while it is paused the host is not asked for
    /// one.
    fn priority(&self, _host: HostId) -> Option<u8> {
        None
    }

    /// Appends the bytes of a frame, from the destination address up to but not including the FCS, without
    /// padding.
    fn write(&self, frame: &Frame<P>, bytes: &mut Vec<u8>);
}

/// Which way a frame passes a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the node.
    In,
    /// Out of the node.
    Out,
}

/// Someone who watches an Ethernet. Watching changes nothing.
pub trait Observer<P> {
    /// Whether it watches at all.
    const WATCHES: bool = true;
    /// A frame's first bit leaves a port (`Out`), or its last bit has come in (`In`). `write` appends its bytes as
    /// [`Endpoint::write`] does.
    fn passed(
        &mut self,
        _now: Time,
        _port: End,
        _way: Direction,
        _frame: &Frame<P>,
        _write: &dyn Fn(&mut Vec<u8>),
    ) {
    }

    /// A PAUSE frame's first bit leaves a port (`Out`), or it is obeyed there from this instant on (`In`).
    fn paused(&mut self, _now: Time, _port: End, _way: Direction, _says: PauseFrame) {}

    /// The pauses of these priorities, a bit each, have run out at a port: it may send them again.
    fn ran_out(&mut self, _now: Time, _port: End, _priorities: u8) {}

    /// A circle of paused queues has closed: this one of [`Ethernet::deadlocks`].
    fn deadlocked(&mut self, _nth: usize, _deadlock: &Deadlock) {}

    /// That one was broken: frames of a queue of it were dropped, which wait at this port.
    fn cleared(&mut self, _now: Time, _nth: usize, _output: End) {}
}

impl<P> Observer<P> for () {
    const WATCHES: bool = false;
}

/// Why a run of an Ethernet paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The endpoint requested it; everything of that instant is done.
    Break,
    /// Everything up to and including the limit is done.
    Limit,
    /// Nothing is under way, and nothing will be until a host is woken.
    Idle,
}
