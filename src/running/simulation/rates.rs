//! What a run says of the rates of its cables: which it took, and from where.

use serde::Serialize;

use simnet_scenario::Checked;

/// Which rates the cables of a fabric have, and from where.
#[derive(Clone, Debug, Serialize)]
pub struct RatesReport {
    /// Cables.
    pub cables: usize,
    /// Those that have the rate that the network gives them.
    pub cables_of_network: usize,
    /// The slowest of these rates.
    pub slowest_bits_per_s: u64,
    /// The fastest.
    pub fastest_bits_per_s: u64,
    /// How many of these cables have another rate in `[fabric]`, which was not taken.
    pub cables_differing: usize,
    /// The rate of the other cables, and what `[fabric]` says if it says one.
    pub usual_bits_per_s: u64,
    /// Where that comes from: `fabric`, `network` or `default`.
    pub usual_from: &'static str,
    /// The rate in whose byte times loads are counted.
    pub load_bits_per_s: u64,
}

impl RatesReport {
    /// Of a run on a fabric whose network gives rates; of others nothing is to be said.
    pub(super) fn new(checked: &Checked) -> Option<RatesReport> {
        let rates = checked.uses_fabric().then(|| checked.rates())?;
        let (slowest, fastest) = rates.range?;
        Some(RatesReport {
            cables: rates.cables,
            cables_of_network: rates.given,
            slowest_bits_per_s: slowest.as_bits_per_s(),
            fastest_bits_per_s: fastest.as_bits_per_s(),
            cables_differing: rates.differing,
            usual_bits_per_s: rates.usual.as_bits_per_s(),
            usual_from: rates.source.name(),
            load_bits_per_s: rates.of_loads.as_bits_per_s(),
        })
    }
}
