//! The all-gather algorithms by name, and what runs for a number of ranks and a size.
//!
//! # Scope and limitations
//! Blocks of one size, one from each rank, in the order of ranks. An algorithm that cannot serve a number of ranks
//! gives way to the one that stands for it in the library it comes from; [`Choice`] says which and why.
//!
//! # Validation
//! Unit tests: every algorithm on 1 to 40 ranks gives every rank the right buffer; numbers of messages and blocks
//! equal closed forms; the choice for every number of ranks is one that can serve it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Contents, Rank, bruck, doubling, gather_broadcast, neighbour, ring, selection, shift};

/// An all-gather: an algorithm, or a library's way to select one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// The logical ring, over any order of the ranks.
    Ring,
    /// Recursive doubling.
    RecursiveDoubling,
    /// Bruck's algorithm.
    Bruck,
    /// Neighbour exchange.
    NeighbourExchange,
    /// The shift ring: every rank sends its own block to all others.
    Shift,
    /// Linear gather to rank 0, then a broadcast of all blocks.
    GatherBroadcast,
    /// The selection of MPICH 2-1.0.x.
    Mpich,
    /// The selection of LAM 7.1.
    Lam,
    /// The selection of Open MPI 4.1.
    OpenMpi,
}

/// What an [`Algorithm`] comes to for a number of ranks and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What runs: never a selection, and always able to serve that number of ranks.
    pub algorithm: Algorithm,
    /// What was to run but cannot serve that number of ranks.
    pub instead_of: Option<Algorithm>,
}

/// A name that no all-gather has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no all-gather")]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 9] = [
        Algorithm::Ring,
        Algorithm::RecursiveDoubling,
        Algorithm::Bruck,
        Algorithm::NeighbourExchange,
        Algorithm::Shift,
        Algorithm::GatherBroadcast,
        Algorithm::Mpich,
        Algorithm::Lam,
        Algorithm::OpenMpi,
    ];

    /// Its name in scenarios and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Ring => "ring",
            Algorithm::RecursiveDoubling => "recursive-doubling",
            Algorithm::Bruck => "bruck",
            Algorithm::NeighbourExchange => "neighbour-exchange",
            Algorithm::Shift => "shift",
            Algorithm::GatherBroadcast => "gather-broadcast",
            Algorithm::Mpich => "mpich",
            Algorithm::Lam => "lam",
            Algorithm::OpenMpi => "open-mpi",
        }
    }

    /// Says what runs on `ranks` ranks with blocks of `block` bytes.
    ///
    /// # Source
    /// Recursive doubling needs a power of two; Open MPI 4.1 (`coll_base_allgather.c`) runs Bruck's algorithm
    /// otherwise. Neighbour exchange needs an even number; Open MPI runs the ring otherwise.
    pub fn choose(self, ranks: usize, block: u64) -> Choice {
        let wanted = match self {
            Algorithm::Mpich => selection::mpich(ranks, block),
            Algorithm::Lam => Algorithm::GatherBroadcast,
            Algorithm::OpenMpi => selection::open_mpi(ranks, block),
            other => other,
        };
        let algorithm = match wanted {
            Algorithm::RecursiveDoubling if !ranks.is_power_of_two() => Algorithm::Bruck,
            Algorithm::NeighbourExchange if !ranks.is_multiple_of(2) => Algorithm::Ring,
            able => able,
        };
        Choice { algorithm, instead_of: (algorithm != wanted).then_some(wanted) }
    }
}

impl Choice {
    /// Gathers `own` of every rank, in the order of ranks; `None` where nothing came. The ring goes over `order`,
    /// the others by rank.
    ///
    /// # Panics
    /// If the choice was made for another number of ranks, or `order` is not a permutation of them.
    pub async fn allgather(
        self,
        rank: &mut impl Rank<Data = Vec<Contents>>,
        own: Contents,
        order: &[usize],
    ) -> Vec<Option<Contents>> {
        match self.algorithm {
            Algorithm::Ring => ring::allgather(rank, own, order).await,
            Algorithm::RecursiveDoubling => doubling::allgather(rank, own).await,
            Algorithm::Bruck => bruck::allgather(rank, own).await,
            Algorithm::NeighbourExchange => neighbour::allgather(rank, own).await,
            Algorithm::Shift => shift::allgather(rank, own).await,
            Algorithm::GatherBroadcast => gather_broadcast::allgather(rank, own).await,
            Algorithm::Mpich | Algorithm::Lam | Algorithm::OpenMpi => {
                unreachable!("a choice is never a selection")
            }
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        Algorithm::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::collective::lockstep::{self, LockStep};

    const SEED: u64 = 7;

    fn run(choice: Choice, ranks: usize, order: &[usize]) -> LockStep<Vec<Option<Contents>>> {
        let ran = lockstep::run(ranks, async |mut rank| {
            let own = Contents::of(SEED, rank.rank(), 0);
            choice.allgather(&mut rank, own, order).await
        });
        let right: Vec<_> = (0..ranks).map(|rank| Some(Contents::of(SEED, rank, 0))).collect();
        for (rank, gathered) in ran.results.iter().enumerate() {
            assert_eq!(*gathered, right, "{} on {ranks} ranks: rank {rank}", choice.algorithm);
        }
        ran
    }

    /// Wrong if some algorithm mislaid a block on some number of ranks.
    #[test]
    fn every_rank_gets_every_block() {
        for algorithm in Algorithm::ALL {
            for ranks in 1..=40 {
                let order: Vec<usize> = (0..ranks).collect();
                run(algorithm.choose(ranks, 1024), ranks, &order);
            }
        }
    }

    /// Wrong if the ring hung on the order of ranks.
    #[test]
    fn the_ring_goes_over_any_order() {
        for ranks in [2, 3, 8, 13] {
            let order: Vec<usize> = (0..ranks).map(|i| (i * 5 + 3) % ranks).collect();
            let ran = run(Algorithm::Ring.choose(ranks, 1), ranks, &order);
            assert_eq!(ran.received.len(), ranks * (ranks - 1));
        }
    }

    /// Wrong if an algorithm sent more or less, or took more rounds, than its paper says.
    #[test]
    fn messages_blocks_and_rounds_are_those_of_the_closed_forms() {
        for ranks in 2..=40_usize {
            let order: Vec<usize> = (0..ranks).collect();
            let log = ranks.next_power_of_two().ilog2() as usize;
            let all = ranks * (ranks - 1);
            for algorithm in Algorithm::ALL {
                let choice = algorithm.choose(ranks, 1);
                let ran = run(choice, ranks, &order);
                let expected = match choice.algorithm {
                    Algorithm::Ring | Algorithm::Shift => (all, all, ranks - 1),
                    Algorithm::RecursiveDoubling | Algorithm::Bruck => (ranks * log, all, log),
                    Algorithm::NeighbourExchange => (ranks * ranks / 2, all, ranks / 2),
                    _ => {
                        let down = if ranks <= gather_broadcast::LINEAR { ranks - 1 } else { log };
                        (2 * (ranks - 1), (ranks - 1) * (1 + ranks), ranks - 1 + down)
                    }
                };
                let blocks = ran.received.iter().map(|message| message.blocks.len()).sum::<usize>();
                let found = (ran.received.len(), blocks, usize::try_from(ran.rounds).unwrap());
                assert_eq!(found, expected, "{choice:?} on {ranks} ranks");
            }
        }
    }

    /// Wrong if a name were not its own, or an algorithm had none.
    #[test]
    fn names_are_read_as_they_are_written() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
        }
        assert_eq!("lamb".parse::<Algorithm>(), Err(UnknownAlgorithm("lamb".to_owned())));
    }
}
