//! All-gather as LAM does it: everything to rank 0, then everything from rank 0.
//!
//! # Source
//! LAM/MPI 7.1 (`ssi_coll_lam_basic_gather.c`, `ssi_coll_lam_basic_bcast.c`): rank 0 receives from the others one
//! after the other, in the order of ranks; then all blocks go down a binomial tree in one message a hop, each rank
//! sending to its farthest child, with the largest subtree, first, by blocking sends. Up to [`LINEAR`] ranks, rank 0
//! sends to all others at once.

use super::{Contents, Rank};

/// The most ranks to which a broadcast goes straight from rank 0.
pub const LINEAR: usize = 4;

/// Gathers `own` of every rank, in the order of ranks.
pub async fn allgather(rank: &mut impl Rank<Data = Vec<Contents>>, own: Contents) -> Vec<Option<Contents>> {
    let size = rank.size();
    let mut all = Vec::new();
    if rank.rank() == 0 {
        all.push(own);
        for from in 1..size {
            all.extend(rank.recv(from).await);
        }
    } else {
        rank.send(0, vec![own]).await;
    }
    let all = if size <= LINEAR { from_root(rank, all).await } else { down_the_tree(rank, all).await };
    all.into_iter().map(Some).collect()
}

async fn from_root(rank: &mut impl Rank<Data = Vec<Contents>>, all: Vec<Contents>) -> Vec<Contents> {
    if rank.rank() > 0 {
        return rank.recv(0).await;
    }
    let others: Vec<usize> = (1..rank.size()).collect();
    rank.send_all(&others, all.clone()).await;
    all
}

async fn down_the_tree(rank: &mut impl Rank<Data = Vec<Contents>>, mut all: Vec<Contents>) -> Vec<Contents> {
    let (me, size) = (rank.rank(), rank.size());
    let mut span = if me == 0 { size.next_power_of_two() } else { 1 << me.trailing_zeros() };
    if me > 0 {
        all = rank.recv(me - span).await;
    }
    while span > 1 {
        span /= 2;
        if me + span < size {
            rank.send(me + span, all.clone()).await;
        }
    }
    all
}
