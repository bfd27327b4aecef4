//! The shift ring: in step s, every rank sends its own block s ranks up and receives from s ranks below.
//!
//! # Source
//! The reading of issue and paper: faraj2008 speaks of rings only; this is the pairwise or "shift" all-gather of
//! Thakur et al. 2004 and of Open MPI's pairwise all-to-all, with the same block to everyone. It needs no order of
//! ranks, forwards nothing, and meets contention that changes from step to step.

use super::{Contents, Rank};

/// Gathers `own` of every rank, in the order of ranks.
pub async fn allgather(rank: &mut impl Rank<Data = Vec<Contents>>, own: Contents) -> Vec<Option<Contents>> {
    let (me, size) = (rank.rank(), rank.size());
    let mut gathered = vec![None; size];
    gathered[me] = Some(own);
    for step in 1..size {
        let from = (me + size - step) % size;
        gathered[from] = Some(rank.exchange((me + step) % size, vec![own], from).await[0]);
    }
    gathered
}
