//! Which all-gather a library runs for a number of ranks and a size.
//!
//! # Scope and limitations
//! Blocks of one contiguous type; no tuning files, no switches of the user. What a library then cannot run for that
//! number of ranks, [`Algorithm::choose`] replaces.
//!
//! # Source
//! MPICH 2-1.0.x: `src/mpi/coll/allgather.c`, with `MPIR_ALLGATHER_SHORT_MSG` 81,920 B and
//! `MPIR_ALLGATHER_LONG_MSG` 524,288 B. Open MPI 4.1: `coll_tuned_decision_fixed.c`,
//! `ompi_coll_tuned_allgather_intra_dec_fixed`. Departure: for two ranks Open MPI has a routine of its own, one
//! exchange of one block, which is what recursive doubling comes to.
//!
//! # Validation
//! Unit tests: the boundaries one byte below and at each limit, those stated in faraj2008 among them.

use super::Algorithm;

use Algorithm::{Bruck, NeighbourExchange, RecursiveDoubling, Ring};

/// Below so many bytes in all, MPICH doubles recursively where it can.
const MPICH_LONG: u64 = 524_288;
/// Below so many bytes in all, MPICH runs Bruck's algorithm.
const MPICH_SHORT: u64 = 81_920;

/// What MPICH 2-1.0.x runs on `ranks` ranks with blocks of `block` bytes.
pub fn mpich(ranks: usize, block: u64) -> Algorithm {
    let total = block.saturating_mul(ranks as u64);
    if ranks.is_power_of_two() && total < MPICH_LONG {
        RecursiveDoubling
    } else if total < MPICH_SHORT {
        Bruck
    } else {
        Ring
    }
}

/// A row of Open MPI's table: below so many bytes a block, this.
type Limit = (u64, Algorithm);

/// Open MPI's table: below so many ranks, the limits, and what runs above them all.
const OPEN_MPI: [(usize, &[Limit], Algorithm); 8] = [
    (32, &[], RecursiveDoubling),
    (64, &[(1024, RecursiveDoubling), (65_536, NeighbourExchange)], Ring),
    (128, &[(512, RecursiveDoubling), (65_536, NeighbourExchange)], Ring),
    (
        256,
        &[
            (512, RecursiveDoubling),
            (131_072, NeighbourExchange),
            (524_288, Ring),
            (1_048_576, NeighbourExchange),
        ],
        Ring,
    ),
    (
        512,
        &[
            (32, RecursiveDoubling),
            (128, Bruck),
            (1024, RecursiveDoubling),
            (131_072, NeighbourExchange),
            (524_288, Ring),
            (1_048_576, NeighbourExchange),
        ],
        Ring,
    ),
    (1024, &[(64, RecursiveDoubling), (256, Bruck), (2048, RecursiveDoubling)], NeighbourExchange),
    (
        2048,
        &[
            (4, RecursiveDoubling),
            (8, Bruck),
            (16, RecursiveDoubling),
            (32, Bruck),
            (256, RecursiveDoubling),
            (512, Bruck),
            (4096, RecursiveDoubling),
        ],
        NeighbourExchange,
    ),
    (
        4096,
        &[(32, Bruck), (128, RecursiveDoubling), (512, Bruck), (4096, RecursiveDoubling)],
        NeighbourExchange,
    ),
];

/// Open MPI's limits for more ranks than its table has rows for.
const OPEN_MPI_MOST: &[Limit] =
    &[(2, RecursiveDoubling), (8, Bruck), (16, RecursiveDoubling), (512, Bruck), (4096, RecursiveDoubling)];

/// What Open MPI 4.1 selects for `ranks` ranks with blocks of `block` bytes.
pub fn open_mpi(ranks: usize, block: u64) -> Algorithm {
    let (limits, otherwise) = OPEN_MPI
        .iter()
        .find(|(below, ..)| ranks < *below)
        .map_or((OPEN_MPI_MOST, NeighbourExchange), |(_, limits, otherwise)| (*limits, *otherwise));
    limits.iter().find(|(below, _)| block < *below).map_or(otherwise, |(_, algorithm)| *algorithm)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if MPICH changed its algorithm anywhere but where faraj2008 saw it: at 32 KB on 16 machines, at
    /// 16 KB on 32.
    #[test]
    fn mpich_changes_where_the_paper_says() {
        for (ranks, block, expected) in [
            (16, 32_767, RecursiveDoubling),
            (16, 32_768, Ring),
            (32, 16_383, RecursiveDoubling),
            (32, 16_384, Ring),
            (5, 16_383, Bruck),
            (5, 16_384, Ring),
            (6, 87_381, Ring),
            (1, u64::MAX, Ring),
        ] {
            assert_eq!(mpich(ranks, block), expected, "{ranks} ranks, {block} B");
        }
    }

    /// Wrong if a row of the table or a limit were another.
    #[test]
    fn open_mpi_changes_at_its_limits() {
        for (ranks, block, expected) in [
            (2, u64::MAX, RecursiveDoubling),
            (31, 1 << 30, RecursiveDoubling),
            (32, 1023, RecursiveDoubling),
            (32, 1024, NeighbourExchange),
            (63, 65_535, NeighbourExchange),
            (63, 65_536, Ring),
            (64, 512, NeighbourExchange),
            (255, 131_072, Ring),
            (255, 524_288, NeighbourExchange),
            (255, 1_048_576, Ring),
            (256, 32, Bruck),
            (512, 2048, NeighbourExchange),
            (512, u64::MAX, NeighbourExchange),
            (1024, 4, Bruck),
            (2048, 31, Bruck),
            (4096, 1, RecursiveDoubling),
            (100_000, 4096, NeighbourExchange),
        ] {
            assert_eq!(open_mpi(ranks, block), expected, "{ranks} ranks, {block} B");
        }
    }
}
