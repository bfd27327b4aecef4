//! Rates of cables: what the network gives, what `[fabric]` gives, and which of them a run takes.
//!
//! A cable keeps the rate that the network gives it. The others take the one of `[fabric]`; where that is silent, the
//! rate that most hosts' cables have; where nothing is known of any cable, the default of `[fabric]`.

use std::collections::BTreeMap;
use std::fmt;

use simnet_base::units::BitRate;
use simnet_network::topology::{Link, Network};

use super::checked::Topology;
use super::fabric::Fabric;

/// Where the rate of cables that give none comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// `[fabric]` says it, by its key or by its preset.
    Fabric,
    /// The cables that give one: what most hosts' cables have.
    Network,
    /// The default of `[fabric]`: nothing is known of any cable.
    Default,
}

impl RateSource {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            RateSource::Fabric => "fabric",
            RateSource::Network => "network",
            RateSource::Default => "default",
        }
    }
}

/// Which rates a run takes, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Cables.
    pub cables: usize,
    /// Those with a rate of their own, which they keep.
    pub given: usize,
    /// The slowest and the fastest rate that the network gives; none where it gives none.
    pub range: Option<(BitRate, BitRate)>,
    /// How many of these are not what `[fabric]` says; 0 where it says nothing.
    pub differing: usize,
    /// The rate of the others.
    pub usual: BitRate,
    /// Where that comes from.
    pub source: RateSource,
    /// The rate in whose byte times loads are counted.
    pub of_loads: BitRate,
}

impl Rates {
    /// The rates that a fabric takes on a network. Costs O(links).
    pub fn new(fabric: &Fabric, network: &Network) -> Rates {
        let given = || network.links().iter().filter_map(|link| link.rate);
        let speaks = fabric.rate_source == RateSource::Fabric;
        Rates {
            cables: network.links().len(),
            given: given().count(),
            range: given().min().zip(given().max()),
            differing: given().filter(|rate| speaks && *rate != fabric.rate).count(),
            usual: fabric.rate,
            source: fabric.rate_source,
            of_loads: fabric.load_rate,
        }
    }

    /// Cables that take the usual rate.
    pub fn others(&self) -> usize {
        self.cables - self.given
    }
}

/// One line: which rates how many cables take, from where, and in whose byte times loads are counted.
impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cables, others) = (self.cables, self.others());
        if let Some((slowest, fastest)) = self.range {
            write!(f, "{} of {cables} cables as the network gives them, {slowest}", self.given)?;
            if slowest != fastest {
                write!(f, " to {fastest}")?;
            }
            if self.differing > 0 {
                write!(f, " ([fabric] says {})", self.usual)?;
            }
            if others > 0 {
                f.write_str("; ")?;
            }
        }
        if others > 0 {
            let source = match self.source {
                RateSource::Fabric => "as [fabric] says",
                RateSource::Network => "as most that give one",
                RateSource::Default => "the default: neither the network nor [fabric] gives one",
            };
            write!(f, "{others} of {cables} cables at {}, {source}", self.usual)?;
        }
        if self.range.is_some_and(|(slowest, fastest)| slowest != fastest || slowest != self.of_loads) {
            write!(f, "; loads count in byte times of {}", self.of_loads)?;
        }
        Ok(())
    }
}

/// The rate that most of the cables have which hosts use and which give one, else most of all cables; of rates that
/// are equally frequent the fastest.
pub fn most_frequent(topology: &Topology) -> Option<BitRate> {
    let all = || topology.network.links().iter();
    frequent(of_hosts(topology).filter_map(|link| link.rate))
        .or_else(|| frequent(all().filter_map(|l| l.rate)))
}

/// The rate in whose byte times loads are counted: that of most cables that hosts use, where those that give none have
/// the `usual` one.
pub(super) fn of_loads(topology: &Topology, usual: BitRate) -> BitRate {
    frequent(of_hosts(topology).map(|link| link.rate.unwrap_or(usual))).unwrap_or(usual)
}

/// The cables that hosts use.
fn of_hosts(topology: &Topology) -> impl Iterator<Item = &Link> {
    let network = &topology.network;
    network.host_ids().filter_map(|host| Some(network.link(topology.attachment(host)?.1)))
}

/// The most frequent rate, of several the fastest.
fn frequent(rates: impl Iterator<Item = BitRate>) -> Option<BitRate> {
    let mut counts: BTreeMap<BitRate, usize> = BTreeMap::new();
    for rate in rates {
        *counts.entry(rate).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(rate, count)| (*count, *rate)).map(|(rate, _)| rate)
}
