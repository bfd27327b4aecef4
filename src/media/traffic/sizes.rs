//! How long messages are: all of one length, or drawn from a table of lengths and weights.
//!
//! # Scope and limitations
//! Lengths are drawn independently of each other, of the destination and of the time since the last message.
//!
//! # Validation
//! The shares of the lengths drawn are tested here; the waiting times of two lengths at one output against the
//! formula of Pollaczek and Khinchine in the integration tests.

use simnet_base::des::random::Stream;

/// How long messages are, in flits after the route flits.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All of one length.
    Fixed(u32),
    /// Several lengths, each with its weight.
    Weighted(Weighted),
}

/// Several lengths with their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighted {
    /// The sums of the weights up to and with each length: rising, and the last the sum of all.
    sums: Vec<u64>,
    payloads: Vec<u32>,
    mean: f64,
}

impl Sizes {
    /// Lengths with their weights, which need not add up to anything; a length may stand there several times.
    ///
    /// `None` if no weight is above zero, or if their sum without common factors is 2^64 or more.
    pub fn weighted(table: &[(u32, u64)]) -> Option<Sizes> {
        let common = table.iter().fold(0, |common, (_, weight)| gcd(common, *weight));
        let (mut sum, mut flits) = (0_u64, 0.0);
        let (mut sums, mut payloads) = (Vec::new(), Vec::new());
        for (payload, weight) in table.iter().filter(|(_, weight)| *weight > 0) {
            let weight = weight / common;
            sum = sum.checked_add(weight)?;
            flits += f64::from(*payload) * weight as f64;
            sums.push(sum);
            payloads.push(*payload);
        }
        let first = *payloads.first()?;
        if payloads.iter().all(|payload| *payload == first) {
            return Some(Sizes::Fixed(first));
        }
        Some(Sizes::Weighted(Weighted { sums, payloads, mean: flits / sum as f64 }))
    }

    /// The mean length in flits.
    pub fn mean(&self) -> f64 {
        match self {
            Sizes::Fixed(payload) => f64::from(*payload),
            Sizes::Weighted(weighted) => weighted.mean,
        }
    }

    /// The longest length in flits.
    pub fn longest(&self) -> u32 {
        match self {
            Sizes::Fixed(payload) => *payload,
            Sizes::Weighted(weighted) => weighted.payloads.iter().copied().max().unwrap_or(0),
        }
    }

    /// The lengths with their weights without common factors, in the order given.
    pub fn table(&self) -> Vec<(u32, u64)> {
        match self {
            Sizes::Fixed(payload) => vec![(*payload, 1)],
            Sizes::Weighted(Weighted { sums, payloads, .. }) => {
                let before = std::iter::once(0).chain(sums.iter().copied());
                let weights = sums.iter().zip(before).map(|(sum, before)| sum - before);
                payloads.iter().copied().zip(weights).collect()
            }
        }
    }
}

impl Weighted {
    /// Draws a length; costs O(log(lengths)).
    pub(super) fn draw(&self, stream: &mut Stream) -> u32 {
        let drawn = stream.below(self.sums[self.sums.len() - 1]);
        self.payloads[self.sums.partition_point(|sum| *sum <= drawn)]
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::SIZES;

    fn weighted(table: &[(u32, u64)]) -> Weighted {
        match Sizes::weighted(table) {
            Some(Sizes::Weighted(weighted)) => weighted,
            other => panic!("{other:?}"),
        }
    }

    /// Wrong if a length were drawn more or less often than its weight says: chi-square with 3 degrees of
    /// freedom, 99.99 % quantile.
    #[test]
    fn lengths_are_drawn_by_their_weights() {
        let table = [(8, 100), (64, 300), (256, 0), (512, 590), (4096, 10)];
        let (lengths, mut stream) = (weighted(&table), Stream::new(5, SIZES, 0));
        let drawn: Vec<u32> = (0..100_000).map(|_| lengths.draw(&mut stream)).collect();
        let chi_square: f64 = table
            .iter()
            .filter(|(_, weight)| *weight > 0)
            .map(|(payload, weight)| {
                let (seen, wanted) =
                    (drawn.iter().filter(|d| *d == payload).count() as f64, *weight as f64 * 100.0);
                (seen - wanted) * (seen - wanted) / wanted
            })
            .sum();
        assert!(drawn.iter().all(|payload| *payload != 256) && chi_square < 21.1, "{chi_square}");
        assert!((lengths.mean - (8.0 * 0.1 + 64.0 * 0.3 + 512.0 * 0.59 + 4096.0 * 0.01)).abs() < 1e-9);
    }

    #[test]
    fn tables_that_leave_no_choice_are_recognised() {
        assert_eq!(Sizes::weighted(&[]), None);
        assert_eq!(Sizes::weighted(&[(8, 0)]), None);
        assert_eq!(Sizes::weighted(&[(8, u64::MAX), (9, 1)]), None);
        assert_eq!(Sizes::weighted(&[(8, 3), (9, 0), (8, 4)]), Some(Sizes::Fixed(8)));
        assert_eq!(Sizes::weighted(&[(8, u64::MAX), (9, u64::MAX)]).unwrap().table(), [(8, 1), (9, 1)]);
        assert_eq!(Sizes::weighted(&[(8, 30), (9, 20)]).unwrap().table(), [(8, 3), (9, 2)]);
    }
}
