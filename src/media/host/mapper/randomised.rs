//! The randomised mapper: depth-first branches mixed into the Berkeley mapper's breadth-first search.
//!
//! Where explorations in a row find no new host, the search is stuck in a region far from hosts and makes ever
//! more replicates. Then one route is followed at random, deeper and deeper, until it meets a host: a point of
//! reference that lets replicates on the way be merged. What a branch tried is not tried again.
//!
//! # Scope and limitations
//! As [`berkeley`], and no change of hardware or firmware. On networks full of hosts there is
//! nothing to gain.
//!
//! # Source
//! Mainwaring et al. 1997, section 6: "including a randomized depth-first search hybridized with the
//! breadth-first search in the Berkeley Algorithm". When branches are grown, from where and how far, is our
//! choice: from a switch drawn from the frontier, after [`Options::after`] explorations without a new host.
//!
//! # Validation
//! `tests/media/properties/mapper_random.rs`: its maps keep what theory promises, as the Berkeley mapper's do; their
//! cost on the same networks stands in docs/VALIDATION.md.

use super::berkeley::{self, Branches, Search};
use super::{Brief, Map};
use crate::host::Host;
use simnet_base::des::random::{Purpose, Stream};

/// The stream that branches are drawn from.
const BRANCHES: Purpose = Purpose(20);

/// What the randomised mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The search into which branches are mixed.
    pub search: berkeley::Options,
    /// After how many explorations without a new host a branch is grown.
    pub after: u64,
    /// The most turns of a branch.
    pub length: usize,
    /// The most turns tried at each switch of a branch.
    pub tries: u32,
    /// The seed of the branches.
    pub seed: u64,
}

impl Options {
    /// A branch after each exploration that found no new host, up to 12 turns long.
    pub const DEFAULT: Options =
        Options { search: berkeley::Options::DEFAULT, after: 1, length: 12, tries: 4, seed: 0 };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// Maps the network that `host` is cabled to. Costs as [`berkeley::map`], and `length` x `tries` probes for
/// each branch.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let random = Stream::new(options.seed, BRANCHES, 0);
    let branches =
        Branches { after: options.after.max(1), length: options.length, tries: options.tries, random };
    Search::new(brief, &options.search, Some(branches)).run(host).await
}
