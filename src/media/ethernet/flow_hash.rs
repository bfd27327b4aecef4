//! Which of several equally good ports a switch takes for a flow.
//!
//! # Scope and limitations
//! A flow is all that one host sends to another: frames of one flow keep to one path, and so their order. The load of
//! an output plays no part, and nothing is dealt out anew when a cable fails.
//!
//! ```text
//!   x = mix(seed, or mix(seed) ^ (the switch's number + 1))      by a hash shared by all switches, or one for each
//!   choice = floor(n mix(x ^ (source << 32 | destination)) / 2^64)   of n ports in order of their numbers
//! ```
//! With a shared hash all flows that a switch sends to another by its first port are such as a hash has put first: the
//! other one, with as many ports, sends all of them by its first port too (*polarization*).
//!
//! # Source
//! RFC 2992 for a hash over the ends of a flow (its *modulo-N*). `mix` is the finaliser of SplitMix64 (Steele, Lea and
//! Flood 2014), as in routes of folded Clos networks.

use simnet_base::des::random::mix;
use simnet_base::ids::{HostId, SwitchId};

/// By what switches choose among several ports for a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowHash {
    /// The seed of the hash.
    pub seed: u64,
    /// All switches hash alike.
    pub is_shared: bool,
}

impl FlowHash {
    /// Which of `ports` ports, at least one, a switch takes for what one host sends to another. Costs O(1).
    #[expect(clippy::missing_panics_doc, reason = "the upper half of a product is below either factor")]
    #[inline]
    pub fn choice(self, switch: SwitchId, [source, destination]: [HostId; 2], ports: usize) -> usize {
        debug_assert!(ports > 0, "there is a port to be taken");
        let own = if self.is_shared { self.seed } else { mix(self.seed) ^ (u64::from(switch.0) + 1) };
        let flow = u64::from(source.0) << 32 | u64::from(destination.0);
        let drawn = u128::from(mix(mix(own) ^ flow)) * ports as u128;
        usize::try_from(drawn >> 64).expect("below the number of ports")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if some port were taken much more often than others, or if switches with hashes of their own chose alike.
    #[test]
    fn flows_are_spread_evenly() {
        for ports in 1..=9 {
            let hash = FlowHash { seed: 7, is_shared: false };
            let flows = || (0..100).flat_map(|source| (0..100).map(move |to| [HostId(source), HostId(to)]));
            let choices = |switch| flows().map(move |flow| hash.choice(SwitchId(switch), flow, ports));
            let mut taken = vec![0; ports];
            choices(0).for_each(|choice| taken[choice] += 1);
            // Four standard deviations of a binomial distribution.
            let mean = 10_000.0 / ports as f64;
            let most = 4.0 * (mean * (1.0 - 1.0 / ports as f64)).sqrt();
            assert!(taken.iter().all(|count| (f64::from(*count) - mean).abs() <= most), "{taken:?}");
            let alike = choices(0).zip(choices(1)).filter(|(one, other)| one == other).count() as f64;
            assert!((alike - mean).abs() <= most, "{alike} of 10,000 alike with {ports} ports");
        }
    }

    /// Wrong if switches with a shared hash choose differently, or a flow twice.
    #[test]
    fn a_shared_hash_is_polarized() {
        let hash = FlowHash { seed: 3, is_shared: true };
        for flow in (0..200).map(|source| [HostId(source), HostId(source * 7 % 31)]) {
            let choices = [0, 1, 2, 0].map(|switch| hash.choice(SwitchId(switch), flow, 4));
            assert!(choices.iter().all(|choice| *choice == choices[0]), "{choices:?}");
        }
    }
}
