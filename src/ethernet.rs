//! Switched Ethernet: frames, store-and-forward switches that learn addresses, a spanning tree, bounded buffers.
//!
//! ```text
//!   Endpoint --next_frame--> NIC ==cable==> switch: learn, look up, queue ==cable==> NIC --received--> Endpoint
//! ```
//! One event chain a frame and hop: a frame's arrival at a node decides when it leaves the next port.

mod counters;
mod engine;
mod frame;
mod pace;
mod parameters;
mod port;
mod schedule;
mod spanning_tree;
mod switch;
pub mod transport;
mod wiring;

pub use counters::{ChannelCounters, Counters};
pub use engine::Ethernet;
pub use frame::{Address, Frame, GAP, HEADER, MIN_FRAME, PREAMBLE, TRAILER};
pub use parameters::{BRIDGE_PRIORITY, Buffer, Parameters};
pub use spanning_tree::{Role, SpanningTree};
pub use wiring::BuildError;

use std::ops::ControlFlow;

use crate::ids::HostId;
use crate::topology::End;
use crate::units::Time;

/// The hosts, as an Ethernet sees them.
pub trait Endpoint<P> {
    /// Gives the next frame of `host`, if there is one, at the instant `now` at which its interface is free.
    ///
    /// Asked again as soon as that frame and the gap after it have left; after `None`, only once the host is
    /// named by `Ethernet::wake`.
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<P>>;

    /// Says, after it has given a frame, whether the run ends after this instant.
    fn pauses(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Hears that the last bit of a frame for it has reached `host`. `Break` ends the run after this instant.
    fn received(&mut self, host: HostId, frame: &Frame<P>, now: Time) -> ControlFlow<()>;

    /// Hears that a frame found no room in the buffer of a switch behind `port`, at which it was to leave.
    /// `Break` ends the run after this instant.
    fn dropped(&mut self, _port: End, _frame: &Frame<P>, _now: Time) -> ControlFlow<()> {
        ControlFlow::Continue(())
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
}

impl<P> Observer<P> for () {
    const WATCHES: bool = false;
}

/// Why a run of an Ethernet paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The endpoint asked for it; everything of that instant is done.
    Break,
    /// Everything up to and including the limit is done.
    Limit,
    /// Nothing is under way, and nothing will be until a host is woken.
    Idle,
}
