//! All-gather on a logical ring: P - 1 steps, each forwards what the step before brought.
//!
//! # Source
//! faraj2008, section 3.1.

use super::{Contents, Rank};

/// Gathers `own` of every rank, in the order of ranks, over the ring `order` of all ranks.
///
/// # Panics
/// If `order` is not a permutation of the ranks.
pub async fn allgather(
    rank: &mut impl Rank<Data = Vec<Contents>>,
    own: Contents,
    order: &[usize],
) -> Vec<Option<Contents>> {
    let size = rank.size();
    let mut gathered = vec![None; size];
    gathered[rank.rank()] = Some(own);
    let place = order.iter().position(|r| *r == rank.rank()).expect("the ring holds every rank");
    let (next, before) = (order[(place + 1) % size], order[(place + size - 1) % size]);
    let mut last = own;
    for step in 0..size - 1 {
        let got = rank.exchange(next, vec![last], before).await;
        last = got[0];
        gathered[order[(place + 2 * size - 1 - step) % size]] = Some(last);
    }
    gathered
}
