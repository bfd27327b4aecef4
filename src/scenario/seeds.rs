//! Seeds of a run: the parts that chance draws, each with a seed.

/// Parts of a scenario that chance draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chance {
    /// All that is chance while the run goes on: arrivals, destinations, errors, noise, failures.
    Traffic,
    /// Routes, and trees for rings.
    Routing,
    /// A generated network.
    Topology,
}

impl Chance {
    /// All of them with the word of the key `vary`.
    pub(crate) const ALL: &'static [(&'static str, Chance)] =
        &[("traffic", Chance::Traffic), ("routing", Chance::Routing), ("topology", Chance::Topology)];

    /// The word of the key `vary`.
    pub(crate) fn name(self) -> &'static str {
        Chance::ALL[self as usize].0
    }
}

/// The seeds of a run, where its sections give none of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunSeeds {
    /// The seed of [`Chance::Traffic`].
    pub(crate) traffic: u64,
    /// The seed of [`Chance::Routing`].
    pub(crate) routing: u64,
    /// The seed of [`Chance::Topology`]; `None`: the network's own, 0 if it gives none.
    pub(crate) topology: Option<u64>,
}

impl RunSeeds {
    /// The seeds of a single run: one for all but the network.
    pub(crate) fn of_run(seed: u64) -> RunSeeds {
        RunSeeds { traffic: seed, routing: seed, topology: None }
    }
}
