//! MPI ranks on machines that any [`Medium`] connects, all on one clock; an all-gather by them, repeated and measured.
//!
//! ```text
//!   rank (async all-gather) --send, recv--> software of its machine --message--> Medium
//!                           <--answer------ software of its machine <--Delivered-+
//! ```
//! As faraj2008 measures (its Fig. 7): all ranks meet at a barrier, then every rank repeats the operation back to
//! back; what counts is the mean over ranks of the time from the barrier to a rank's last repetition's end, divided
//! by the repetitions.
//!
//! # Scope and limitations
//! * A machine has one processor: the software of all its ranks ([`Software`]) is done one piece after the other, in
//!   the order in which it falls due. Copies are not overlapped with the wire: a message is handed to the medium when
//!   the sender's software has done all of its part, and reaches its rank when the receiver's has.
//! * Messages that come before their receive is posted are kept, as many as come (unlimited buffering). A receive
//!   takes the next message of its sender; a message that the medium lost blocks those after it, as a rank that
//!   waits for it would wait for ever: the run ends and says which rank waits for what ([`Outcome::stuck`]).
//! * The barrier is free: all ranks go on at the instant at which the last one comes to it.
//! * Ranks of one machine copy through its memory, at [`Software::copy_byte`]; nothing of that reaches the medium.
//! * Data is real: every rank's buffer is compared with what it must hold after every repetition.
//!
//! # Validation
//! `tests/running/processes/allgather.rs`: closed forms over [`Ideal`](simnet_media::medium::Ideal), frame arithmetic
//! on Ethernet, loss; `tests/running/papers/faraj_table1.rs`: the times of faraj2008.

mod allgather;
pub(in crate::simulation) mod kernel;
mod noise;
mod outcome;
mod software;
pub mod worms;

pub use noise::Noise;
pub use outcome::{Lap, Outcome, Stuck, Waits};
pub use software::{Completion, LAM_LEAST_TIMEOUT, LAM_PORT_BUFFER, Overheads, Protocol, Software};

use allgather::Gatherer;
use kernel::Cluster;
use thiserror::Error;

use simnet_base::ids::HostId;
use simnet_base::units::{BitRate, Bytes, Duration};
use simnet_media::host::collective::{Algorithm, Contents};
use simnet_media::medium::Medium;

/// An all-gather to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// By rank, its machine; several ranks may have the same one.
    pub machines: Vec<HostId>,
    /// What each rank contributes.
    pub block: Bytes,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The order of ranks on the logical ring; `None`: by rank. Only [`Algorithm::Ring`] follows it: the ring that
    /// a selection comes to, or that stands in for another algorithm, goes by rank.
    pub order: Option<Vec<usize>>,
    /// What software costs.
    pub software: Software,
    /// When sends are over.
    pub protocol: Protocol,
    /// How often the operation is repeated, at least once.
    pub iterations: u32,
    /// For the contents of blocks, and for chance where software has any.
    pub seed: u64,
}

/// Why a job cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JobError {
    /// There is no rank.
    #[error("there are no ranks")]
    NoRanks,
    /// Nothing is repeated.
    #[error("the operation is to be repeated no times")]
    NoIterations,
    /// A block without bytes.
    #[error("a block has no bytes")]
    NoBytes,
    /// The whole buffer's size, or what its copies take, is beyond what can be counted.
    #[error("{ranks} blocks of {block} bytes are more than can be simulated")]
    TooLarge {
        /// How many blocks.
        ranks: usize,
        /// Bytes of each.
        block: u64,
    },
    /// The order of the ring is not one of these ranks.
    #[error("the order of the ring does not name each of {ranks} ranks once")]
    Order {
        /// How many ranks there are.
        ranks: usize,
    },
}

/// The most bytes of a whole buffer: at 1 Mb/s, so many take 102 simulated days.
const MOST_BYTES: u64 = 1 << 40;

impl Job {
    /// Looks for what makes the job impossible.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn check(&self) -> Result<(), JobError> {
        let ranks = self.machines.len();
        let block = self.block.0;
        let total = block.checked_mul(ranks as u64).and_then(|all| all.checked_add(self.software.envelope.0));
        match () {
            () if ranks == 0 => Err(JobError::NoRanks),
            () if self.iterations == 0 => Err(JobError::NoIterations),
            () if block == 0 => Err(JobError::NoBytes),
            () if total.is_none_or(|total| total > MOST_BYTES) => Err(JobError::TooLarge { ranks, block }),
            () if !self.order.as_deref().is_none_or(|order| is_permutation(order, ranks)) => {
                Err(JobError::Order { ranks })
            }
            () => Ok(()),
        }
    }

    fn cluster(&self) -> Cluster<'_> {
        Cluster {
            machines: &self.machines,
            software: &self.software,
            protocol: &self.protocol,
            noise: &Noise::NONE,
            paces: &[],
            seed: self.seed,
        }
    }

    fn ring(&self) -> Vec<usize> {
        match &self.order {
            Some(order) if self.algorithm == Algorithm::Ring => order.clone(),
            _ => (0..self.machines.len()).collect(),
        }
    }
}

fn is_permutation(order: &[usize], ranks: usize) -> bool {
    let mut named = vec![false; ranks];
    let is_new = |rank: &usize| named.get_mut(*rank).is_some_and(|named| !std::mem::replace(named, true));
    order.len() == ranks && order.iter().all(is_new)
}

/// Runs an all-gather over a medium, from the start of its clock, until every rank has ended or none can go on.
///
/// # Errors
/// [`JobError`]; nothing has been sent then.
pub fn run(medium: &mut impl Medium, job: &Job) -> Result<Outcome, JobError> {
    job.check()?;
    let ring = job.ring();
    let choice = job.algorithm.choose(job.machines.len(), job.block.0);
    Ok(allgather::run(medium, job, &async |rank: &mut Gatherer, own: Contents| {
        choice.allgather(rank, own, &ring).await
    }))
}

/// The order of ranks on a logical ring of machines: machines in the order of the ring, the ranks of a machine in
/// theirs. `None` if the machines of the ranks are not those of the ring.
pub fn order_on_ring(machines: &[HostId], ring: &[HostId]) -> Option<Vec<usize>> {
    let hosts = machines.iter().chain(ring).map(|host| host.index() + 1).max().unwrap_or(0);
    let mut ranks = vec![Vec::new(); hosts];
    for (rank, machine) in machines.iter().enumerate() {
        ranks[machine.index()].push(rank);
    }
    let order: Vec<usize> = ring.iter().flat_map(|host| std::mem::take(&mut ranks[host.index()])).collect();
    (order.len() == machines.len() && ring.iter().all(|host| machines.contains(host))).then_some(order)
}

/// The least time in which `ranks` ranks on machines with `on_fullest` on the fullest can gather blocks of `block`:
/// what that machine must receive, through one port.
///
/// # Source
/// faraj2008, section 1 and footnote 1: (P - N) x msize / B.
pub fn bound(ranks: usize, on_fullest: usize, block: Bytes, rate: BitRate) -> Duration {
    let blocks = ranks.saturating_sub(on_fullest) as u64;
    rate.time_for(Bytes(blocks.saturating_mul(block.0)))
}
