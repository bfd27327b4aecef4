//! Bruck's all-gather: in step s, send all that is known, at most what is missing, to the rank 2^s before.
//!
//! # Source
//! Bruck, Ho, Kipnis, Upfal and Weathersby 1997, section 4, in the form of MPICH and Open MPI: blocks are kept in
//! the order of ranks from one's own, and rotated into place at the end, a copy of all blocks.

use super::{Contents, Rank};

/// Gathers `own` of every rank, in the order of ranks.
pub async fn allgather(rank: &mut impl Rank<Data = Vec<Contents>>, own: Contents) -> Vec<Option<Contents>> {
    let (me, size) = (rank.rank(), rank.size());
    let mut known = vec![own];
    let mut span = 1;
    while span < size {
        let blocks = known[..span.min(size - span)].to_vec();
        let got = rank.exchange((me + size - span) % size, blocks, (me + span) % size).await;
        known.extend(got);
        span *= 2;
    }
    if me > 0 {
        known = rank.copy(known).await;
    }
    let mut gathered = vec![None; size];
    for (nth, block) in known.into_iter().enumerate() {
        gathered[(me + nth) % size] = Some(block);
    }
    gathered
}
