//! MPI ranks: what a program sees of its peers, and the collective operations written on that.
//!
//! A rank sends to and receives from other ranks by number, as MPI's point-to-point calls do. What a message costs
//! and when a send is over is for whoever runs the ranks to say.
//!
//! ```text
//!   Algorithm --choose(P, m)--> Choice --allgather--> ring | doubling | bruck | neighbour | shift | gather_broadcast
//!                                                        |  send / recv / exchange over `impl Rank`
//!                                                        v
//!                                      a kernel on a medium, or a unit test's lock step
//! ```

pub mod algorithm;
pub mod bruck;
pub mod contents;
pub mod doubling;
pub mod gather_broadcast;
#[cfg(test)]
mod lockstep;
mod member;
pub mod neighbour;
pub mod ring;
pub mod selection;
pub mod shift;

pub use algorithm::{Algorithm, Choice, UnknownAlgorithm};
pub use contents::Contents;
pub use member::{Answer, Member, Request};

use crate::units::Time;

/// A process of a parallel program, as its own code sees it.
pub trait Rank {
    /// Its number, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The present instant.
    fn now(&self) -> Time;

    /// Sends blocks to another rank; over when MPI_Send would return.
    fn send(&mut self, to: usize, blocks: Vec<Contents>) -> impl Future<Output = ()>;

    /// Waits for the next message of another rank; messages of one sender come in the order sent.
    fn recv(&mut self, from: usize) -> impl Future<Output = Vec<Contents>>;

    /// Sends to one rank and receives from another at the same time, as MPI_Sendrecv; over when both are.
    fn exchange(
        &mut self,
        to: usize,
        blocks: Vec<Contents>,
        from: usize,
    ) -> impl Future<Output = Vec<Contents>>;

    /// Sends the same blocks to several ranks at the same time, as MPI_Isend to each in this order and
    /// MPI_Waitall; over when all are.
    fn send_all(&mut self, to: &[usize], blocks: Vec<Contents>) -> impl Future<Output = ()>;

    /// Copies so many blocks within its own memory.
    fn copy(&mut self, blocks: usize) -> impl Future<Output = ()>;

    /// Waits until all ranks have come to their barrier of the same number.
    fn barrier(&mut self) -> impl Future<Output = ()>;
}
