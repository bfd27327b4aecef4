//! Which hosts send to which.
//!
//! # Scope and limitations
//! Hosts without a cable take no part; the others are numbered in order from 0, and `n` is how many they are. No
//! host ever sends to itself: one for which a pattern would have it so is silent. Destinations do not depend on
//! what was sent before. In a mix, a host that is silent in some of the patterns sends all its messages by the others,
//! in proportion to their shares.
//!
//! | pattern | the host with number `i` sends to |
//! |---|---|
//! | uniform | every other host, equally likely |
//! | bit reversal | the host whose number is `i` with its log2(n) bits in reverse order |
//! | transpose | the host whose number is `i` with its b = log2(n) bits rotated left by floor(b / 2) |
//! | hot spot | with a given chance one of the hot hosts, else any other host, hot ones among them |
//! | permutation | one host that no other host sends to: drawn by chance, or given |
//! | nearest neighbours | the hosts at the nearest other switches that have hosts, equally likely |
//! | mix | by one of several patterns, drawn by their shares for each message |
//!
//! # Source
//! Bit reversal and transpose are those that Sancho and Robles 2000, section 5.1, name and do not define. The
//! paper's 128 hosts have 7 bits, for which a transpose is not defined: rotating by floor(b / 2) is the project's
//! reading, and is the usual swap of halves where b is even. The hot spot is that of Pfister and Norton 1985.
//!
//! # Validation
//! Bit patterns against their definition bit by bit, the draws by chi-square, permutations for being some, and
//! nearest neighbours against a search over all pairs in random networks.

mod nearest;
mod permutation;

use std::collections::BTreeMap;

use thiserror::Error;

use simnet_base::des::random::Stream;
use simnet_base::ids::{HostId, Port};
use simnet_network::topology::Network;

use super::{Members, PARTS};
use nearest::Neighbours;

/// Which hosts send to which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    members: Members,
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rule {
    Uniform,
    HotSpot {
        hot: Vec<HostId>,
        /// Per host its position in `hot`.
        places: Vec<Option<u32>>,
        parts: u64,
    },
    /// Per host its only destination.
    Only(Vec<Option<HostId>>),
    Nearest(Neighbours),
    /// Patterns, each with its share in [`PARTS`].
    Mix(Vec<(u64, Pattern)>),
}

/// The parameters of a pattern, apart from the hosts that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape<'a> {
    /// Every other host.
    Uniform,
    /// Some hosts more often than others.
    HotSpot {
        /// These, in the order given.
        hosts: &'a [HostId],
        /// The chance of a message to go to one of them, in [`PARTS`].
        parts: u64,
    },
    /// Per host of the network its only destination; `None` for a silent one.
    Only(&'a [Option<HostId>]),
    /// The hosts at the nearest other switches.
    NearestNeighbours,
    /// Patterns, each with its share in [`PARTS`].
    Mix(&'a [(u64, Pattern)]),
}

/// A pattern of bits needs as many hosts as bits can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{hosts} hosts are no power of two")]
pub struct NotAPowerOfTwo {
    /// How many there are.
    pub hosts: usize,
}

impl Pattern {
    /// Every other host, equally likely.
    pub fn uniform(members: Members) -> Pattern {
        Pattern { members, rule: Rule::Uniform }
    }

    /// One of the `hot` hosts other than the sender with a chance of `parts` in [`PARTS`], all equally likely;
    /// else any other host, hot ones among them. Where no other host is hot, any other host always.
    ///
    /// # Panics
    /// If `hot` names a host that takes no part, or one twice, or if `parts` exceeds the whole.
    pub fn hot_spot(members: Members, hot: Vec<HostId>, parts: u64) -> Pattern {
        assert!(parts <= PARTS, "a share is at most the whole");
        let mut places = vec![None; members.network_hosts()];
        for (place, host) in hot.iter().enumerate() {
            assert!(members.number(*host).is_some(), "a hot host takes part");
            let before = places[host.index()].replace(HostId::new(place).0);
            assert!(before.is_none(), "a host is hot once");
        }
        Pattern { members, rule: Rule::HotSpot { hot, places, parts } }
    }

    /// The host whose number has the sender's bits in reverse order.
    ///
    /// # Errors
    /// If the number of hosts is no power of two.
    pub fn bit_reversal(members: Members) -> Result<Pattern, NotAPowerOfTwo> {
        Pattern::of_bits(members, |number, bits| number.reverse_bits() >> (usize::BITS - bits))
    }

    /// The host whose number has the sender's `b` bits rotated left by floor(b / 2).
    ///
    /// # Errors
    /// If the number of hosts is no power of two.
    pub fn transpose(members: Members) -> Result<Pattern, NotAPowerOfTwo> {
        Pattern::of_bits(members, |number, bits| {
            let (low, half) = (bits - bits / 2, bits / 2);
            (number >> low) | (number & ((1 << low) - 1)) << half
        })
    }

    /// The pattern that `permute` makes of numbers of so many bits, at least one.
    fn of_bits(members: Members, permute: impl Fn(usize, u32) -> usize) -> Result<Pattern, NotAPowerOfTwo> {
        let hosts = members.list().len();
        if !hosts.is_power_of_two() {
            return Err(NotAPowerOfTwo { hosts });
        }
        let bits = hosts.trailing_zeros();
        let to = |number: usize| if bits == 0 { number } else { permute(number, bits) };
        let pairs: Vec<(HostId, HostId)> =
            (0..hosts).map(|number| (members.list()[number], members.list()[to(number)])).collect();
        Ok(Pattern::pairs(members, &pairs))
    }

    /// A permutation without fixed points, all of them equally likely; one host alone is silent.
    ///
    /// Costs O(hosts) on average.
    pub fn permutation(members: Members, seed: u64) -> Pattern {
        let to = permutation::without_fixed_points(members.list(), seed);
        let pairs: Vec<(HostId, HostId)> = members.list().iter().copied().zip(to).collect();
        Pattern::pairs(members, &pairs)
    }

    /// For each host named first in a pair the host named second; a later pair of a host replaces an earlier one.
    ///
    /// # Panics
    /// If a pair names a host beyond the network's.
    pub fn pairs(members: Members, pairs: &[(HostId, HostId)]) -> Pattern {
        let mut only = vec![None; members.network_hosts()];
        for (from, to) in pairs {
            only[from.index()] = (from != to).then_some(*to);
        }
        Pattern { members, rule: Rule::Only(only) }
    }

    /// The hosts at the nearest other switches that have hosts, over the network's own distances, whatever the
    /// routes; where the network has no other such switch within reach, the other hosts of the same switch.
    ///
    /// `attachments` has per host the port that it uses, `None` for those that take no part. Costs O(switches *
    /// cables) at most, and far less where most switches have hosts.
    pub fn nearest_neighbours(network: &Network, attachments: &[Option<Port>]) -> Pattern {
        let members = Members::new(attachments.iter().map(Option::is_some));
        let neighbours = Neighbours::new(network, attachments);
        Pattern { members, rule: Rule::Nearest(neighbours) }
    }

    /// For each message one of these patterns, drawn by their shares in [`PARTS`].
    ///
    /// # Panics
    /// If there is none, or if they are not of the same hosts.
    pub fn mix(patterns: Vec<(u64, Pattern)>) -> Pattern {
        let (_, first) = patterns.first().expect("a mix has patterns");
        let members = first.members.clone();
        assert!(patterns.iter().all(|(_, one)| one.members == members), "a mix is of the same hosts");
        Pattern { members, rule: Rule::Mix(patterns) }
    }

    /// What makes the pattern.
    pub fn shape(&self) -> Shape<'_> {
        match &self.rule {
            Rule::Uniform => Shape::Uniform,
            Rule::HotSpot { hot, parts, .. } => Shape::HotSpot { hosts: hot, parts: *parts },
            Rule::Only(only) => Shape::Only(only),
            Rule::Nearest(_) => Shape::NearestNeighbours,
            Rule::Mix(patterns) => Shape::Mix(patterns),
        }
    }

    /// The hosts that take part.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// How many hosts send. Costs O(hosts).
    pub fn senders(&self) -> usize {
        self.members.list().iter().filter(|host| self.sends(**host)).count()
    }

    /// Whether a host sends; costs O(1), of a mix O(patterns).
    pub fn sends(&self, host: HostId) -> bool {
        self.members.number(host).is_some()
            && match &self.rule {
                Rule::Uniform | Rule::HotSpot { .. } => self.members.list().len() >= 2,
                Rule::Only(only) => only[host.index()].is_some(),
                Rule::Nearest(neighbours) => neighbours.of(host) > 0,
                Rule::Mix(patterns) => patterns.iter().any(|(share, one)| *share > 0 && one.sends(host)),
            }
    }

    /// What a host may send to: each destination with its weight, in order of the hosts; the weights of a mix are
    /// rounded to a millionth of a share. Costs O(hosts), of a mix for each pattern.
    pub fn destinations(&self, host: HostId) -> Vec<(HostId, u64)> {
        if !self.sends(host) {
            return Vec::new();
        }
        let others = || self.members.list().iter().copied().filter(|other| *other != host);
        match &self.rule {
            Rule::Uniform => others().map(|other| (other, 1)).collect(),
            Rule::HotSpot { hot, places, parts } => {
                let spots = (hot.len() - usize::from(places[host.index()].is_some())) as u64;
                let all = self.members.list().len() as u64 - 1;
                let (parts, spots) = if spots == 0 { (0, 1) } else { (*parts, spots) };
                let weight = |other: HostId| {
                    let extra = if places[other.index()].is_some() { parts * all } else { 0 };
                    (PARTS - parts) * spots + extra
                };
                others().map(|other| (other, weight(other))).filter(|(_, weight)| *weight > 0).collect()
            }
            Rule::Only(only) => only[host.index()].map(|to| (to, 1)).into_iter().collect(),
            Rule::Nearest(neighbours) => neighbours.list(host).map(|other| (other, 1)).collect(),
            Rule::Mix(patterns) => mixed(patterns, host),
        }
    }

    /// Draws the destination of a host's next message; `None` if the host is silent.
    #[inline]
    pub(super) fn draw(&self, host: HostId, stream: &mut Stream) -> Option<HostId> {
        match &self.rule {
            Rule::Uniform => self.draw_other(host, stream),
            Rule::HotSpot { hot, places, parts } => {
                let own = places[host.index()];
                let spots = hot.len() as u64 - u64::from(own.is_some());
                if spots > 0 && stream.below(PARTS) < *parts {
                    Some(hot[other_than(own, spots, stream)])
                } else {
                    self.draw_other(host, stream)
                }
            }
            Rule::Only(only) => only[host.index()],
            Rule::Nearest(neighbours) => neighbours.draw(host, stream),
            Rule::Mix(patterns) => drawn_of(patterns, host, stream)?.draw(host, stream),
        }
    }

    /// Draws any other host.
    #[inline]
    fn draw_other(&self, host: HostId, stream: &mut Stream) -> Option<HostId> {
        let number = self.members.number(host)?;
        let others = (self.members.list().len() as u64).checked_sub(1).filter(|others| *others > 0)?;
        Some(self.members.list()[other_than(Some(number), others, stream)])
    }
}

/// Draws one of the patterns by which a host sends, by their shares.
fn drawn_of<'p>(patterns: &'p [(u64, Pattern)], host: HostId, stream: &mut Stream) -> Option<&'p Pattern> {
    let sending = || patterns.iter().filter(|(_, one)| one.sends(host));
    let all: u64 = sending().map(|(share, _)| *share).sum();
    let mut left = if all > 0 { stream.below(all) } else { return None };
    for (share, one) in sending() {
        match left.checked_sub(*share) {
            Some(rest) => left = rest,
            None => return Some(one),
        }
    }
    None
}

/// What a host sends to in a mix, each destination with its weight.
fn mixed(patterns: &[(u64, Pattern)], host: HostId) -> Vec<(HostId, u64)> {
    const MILLION: u128 = 1_000_000;
    let mut weights: BTreeMap<HostId, u64> = BTreeMap::new();
    for (share, one) in patterns {
        let own = one.destinations(host);
        let all: u128 = own.iter().map(|(_, weight)| u128::from(*weight)).sum();
        for (destination, weight) in own {
            let part = u128::from(*share) * MILLION * u128::from(weight) / all;
            *weights.entry(destination).or_default() += u64::try_from(part).expect("at most 10^15");
        }
    }
    weights.into_iter().filter(|(_, weight)| *weight > 0).collect()
}

/// Draws one of `others + 1` positions (of `others` where none is `own`), but not `own`.
#[inline]
fn other_than(own: Option<u32>, others: u64, stream: &mut Stream) -> usize {
    let drawn = usize::try_from(stream.below(others)).expect("below the number of hosts");
    match own {
        Some(own) if drawn >= HostId(own).index() => drawn + 1,
        _ => drawn,
    }
}

#[cfg(test)]
mod tests;
