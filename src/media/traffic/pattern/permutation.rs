//! Random permutations without fixed points.

use crate::traffic::PERMUTATION;
use simnet_base::des::random::Stream;
use simnet_base::ids::HostId;

/// The hosts in an order in which none stands where it stands in `hosts`; a host alone stays where it is.
///
/// # Source
/// Fisher and Yates's shuffle, again until no host stays in its place: 2.7 times on average, and every such order
/// is equally likely.
pub(super) fn without_fixed_points(hosts: &[HostId], seed: u64) -> Vec<HostId> {
    let mut stream = Stream::new(seed, PERMUTATION, 0);
    let mut order = hosts.to_vec();
    while hosts.len() >= 2 {
        order.copy_from_slice(hosts);
        for last in (1..order.len()).rev() {
            let other = usize::try_from(stream.below(last as u64 + 1)).expect("below the number of hosts");
            order.swap(last, other);
        }
        if order.iter().zip(hosts).all(|(to, from)| to != from) {
            break;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if one of the nine ways to move four hosts came up more or less often than the others:
    /// chi-square with 8 degrees of freedom, 99.99 % quantile.
    #[test]
    fn all_permutations_without_fixed_points_are_equally_likely() {
        let hosts: Vec<HostId> = (0..4).map(HostId).collect();
        let mut seen: Vec<(Vec<HostId>, u32)> = Vec::new();
        for seed in 0..9_000 {
            let order = without_fixed_points(&hosts, seed);
            match seen.iter_mut().find(|(other, _)| *other == order) {
                Some((_, count)) => *count += 1,
                None => seen.push((order, 1)),
            }
        }
        assert_eq!(seen.len(), 9);
        let chi_square: f64 = seen.iter().map(|(_, n)| (f64::from(*n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_square < 31.8, "{chi_square}");
        assert_eq!(without_fixed_points(&hosts[..1], 0), [HostId(0)]);
    }
}
