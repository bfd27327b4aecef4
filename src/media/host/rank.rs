//! MPI ranks: what a program sees of its peers.
//!
//! A rank sends to and receives from other ranks by number, as MPI's point-to-point calls do. What messages hold is the
//! program's own; how long they are, what they cost and when a send is over is for the runner of the ranks to say.
//!
//! ```text
//!   host::collective, host::rtt: async functions over `impl Rank`
//!        |  send / recv / exchange / work
//!        +--> Member --> requests --> a kernel on a medium, or a unit test's lock step
//! ```

mod member;

pub use member::{Answer, Member, Request};

use simnet_base::units::{Duration, Time};

/// A process of a parallel program, as its own code sees it.
pub trait Rank {
    /// What a message holds.
    type Data;
    /// What it reports to its runner.
    type Note;

    /// Its number, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The present instant, on the clock that all ranks share.
    fn now(&self) -> Time;

    /// Sends to another rank; over when MPI_Send would return.
    fn send(&mut self, to: usize, data: Self::Data) -> impl Future<Output = ()>;

    /// Waits for the next message of another rank; messages of one sender come in the order sent.
    fn recv(&mut self, from: usize) -> impl Future<Output = Self::Data>;

    /// Sends to one rank and receives from another at the same time, as MPI_Sendrecv; over when both are.
    fn exchange(&mut self, to: usize, data: Self::Data, from: usize) -> impl Future<Output = Self::Data>;

    /// Sends the same to several ranks at the same time, as MPI_Isend to each in this order and MPI_Waitall; over
    /// when all are.
    fn send_all(&mut self, to: &[usize], data: Self::Data) -> impl Future<Output = ()>;

    /// Copies data within its own memory; gives the copy.
    fn copy(&mut self, data: Self::Data) -> impl Future<Output = Self::Data>;

    /// Works for so long, as its machine counts: longer on a slow one, and after what that has to do already.
    fn work(&mut self, span: Duration) -> impl Future<Output = ()>;

    /// Waits until all ranks have come to their barrier of the same number. Takes no time and no messages: what a
    /// program does before it is measured.
    fn barrier(&mut self) -> impl Future<Output = ()>;

    /// Reports to its runner; takes no time.
    fn note(&mut self, note: Self::Note) -> impl Future<Output = ()>;
}
