//! All-gather by recursive doubling: in step s, exchange all that is known with the rank 2^s away.
//!
//! # Source
//! Thakur, Rabenseifner and Gropp 2004, section 4.1 (faraj2008's MPICH). Powers of two only: MPICH 2-1.0.x has a
//! form for other numbers of ranks but never selects it, and Open MPI gives way to Bruck's algorithm.

use super::{Contents, Rank};

/// Gathers `own` of every rank, in the order of ranks.
///
/// # Panics
/// If the number of ranks is no power of two.
pub async fn allgather(rank: &mut impl Rank<Data = Vec<Contents>>, own: Contents) -> Vec<Option<Contents>> {
    let (me, size) = (rank.rank(), rank.size());
    assert!(size.is_power_of_two(), "recursive doubling serves powers of two");
    let mut gathered = vec![None; size];
    gathered[me] = Some(own);
    let mut span = 1;
    while span < size {
        let (mine, theirs) = (me & !(span - 1), (me ^ span) & !(span - 1));
        let known = gathered[mine..mine + span].iter().flatten().copied().collect();
        let got = rank.exchange(me ^ span, known, me ^ span).await;
        for (place, block) in gathered[theirs..].iter_mut().zip(got) {
            *place = Some(block);
        }
        span *= 2;
    }
    gathered
}
