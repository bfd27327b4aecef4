//! All-gather by neighbour exchange: pairs of ranks swap pairs of blocks with their two neighbours in turn.
//!
//! # Source
//! Chen, Zhang, Zhang and Lu 2005, "Performance evaluation of Allgather algorithms on Terascale Linux cluster with
//! fast Ethernet", as Open MPI 4.1 has it (`coll_base_allgather.c`): P/2 steps, the first of one block, the others
//! of the two blocks that the step before brought. Even numbers of ranks only.

use super::{Contents, Rank};

/// Gathers `own` of every rank, in the order of ranks.
///
/// # Panics
/// If the number of ranks is odd.
pub async fn allgather(rank: &mut impl Rank<Data = Vec<Contents>>, own: Contents) -> Vec<Option<Contents>> {
    let (me, size) = (rank.rank(), rank.size());
    assert!(size.is_multiple_of(2), "neighbour exchange serves even numbers of ranks");
    let mut gathered = vec![None; size];
    gathered[me] = Some(own);
    // An even rank's partners are, in turn, the next rank and the one before; an odd rank's the other way round.
    let partners = [(me + 1) % size, (me + size - 1) % size];
    let turn = me % 2;
    let first = partners[turn];
    gathered[first] = Some(rank.exchange(first, vec![own], first).await[0]);
    // What goes on is the pair of blocks (2k, 2k + 1) that came last, at first one's own pair.
    let mut last = me / 2;
    for step in 1..size / 2 {
        let partner = partners[(turn + step) % 2];
        let blocks = gathered[2 * last..2 * last + 2].iter().flatten().copied().collect();
        let got = rank.exchange(partner, blocks, partner).await;
        last = pair_got(me, size / 2, step);
        for (place, block) in gathered[2 * last..].iter_mut().zip(got) {
            *place = Some(block);
        }
    }
    gathered
}

/// Which of the `pairs` pairs of blocks reaches `rank` in step `step`, from 1.
///
/// An even rank hears from below in odd steps and from above in even ones, each time from one pair farther off;
/// an odd rank the other way round.
fn pair_got(rank: usize, pairs: usize, step: usize) -> usize {
    let (own, away) = (rank / 2, step.div_ceil(2));
    let is_from_below = rank.is_multiple_of(2) != step.is_multiple_of(2);
    if is_from_below { (own + pairs - away) % pairs } else { (own + away) % pairs }
}
