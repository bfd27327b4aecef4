//! Which combinations of values there are: all, or those that meet every constraint.

use std::ops::Range;

use super::axes::Axis;
use super::constraint::Expression;
use super::scalar::Scalar;
use crate::diagnostics::Place;

/// The constraints of a sweep.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    pub(super) all: Vec<Limit<Side>>,
}

/// A constraint, its sides as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Limit<K> {
    pub(super) expression: Expression<K>,
    /// Where its text stands.
    pub(super) place: Place,
}

/// A side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Side {
    Fixed(Scalar),
    /// A value for every position of a whole axis.
    Varied {
        axis: usize,
        values: Vec<Scalar>,
    },
}

/// What keeps a constraint from being judged.
pub(super) struct Unjudged {
    /// Which constraint.
    pub(super) limit: usize,
    /// Where in its text.
    pub(super) at: Range<usize>,
    pub(super) message: String,
}

impl Limits {
    /// The combinations that meet every constraint, in order; `None` if there are no constraints.
    ///
    /// # Errors
    /// The first comparison that cannot be made.
    pub(super) fn satisfying(&self, axes: &[Axis]) -> Result<Option<Vec<u32>>, Unjudged> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let mut kept = Vec::new();
        let mut digits = Vec::new();
        for combination in 0..product(axes) {
            write_digits(axes, combination, &mut digits);
            let mut is_met = true;
            for (limit, constraint) in self.all.iter().enumerate() {
                let holds = constraint.holds(axes, &digits);
                is_met &= holds.map_err(|(at, message)| Unjudged { limit, at, message })?;
                if !is_met {
                    break;
                }
            }
            if is_met {
                kept.push(u32::try_from(combination).expect("there are at most 10 million combinations"));
            }
        }
        Ok(Some(kept))
    }

    /// The constraints that no combination meets even on its own.
    pub(super) fn hopeless(&self, axes: &[Axis]) -> Vec<Place> {
        let alone = |limit: &&Limit<Side>| {
            let only = Limits { all: vec![(*limit).clone()] };
            matches!(only.satisfying(axes), Ok(Some(kept)) if kept.is_empty())
        };
        self.all.iter().filter(alone).map(|limit| limit.place).collect()
    }
}

impl Limit<Side> {
    fn holds(&self, axes: &[Axis], digits: &[usize]) -> Result<bool, (Range<usize>, String)> {
        self.expression.holds(&|side| side.at(axes, digits)).map_err(|trouble| (trouble.at, trouble.message))
    }
}

impl Side {
    fn at(&self, axes: &[Axis], digits: &[usize]) -> &Scalar {
        match self {
            Side::Fixed(scalar) => scalar,
            Side::Varied { axis, values } => &values[axes[*axis].whole_position(digits[*axis])],
        }
    }
}

/// How many combinations of values there are; saturates.
pub(super) fn product(axes: &[Axis]) -> usize {
    axes.iter().map(Axis::len).fold(1, usize::saturating_mul)
}

/// Where every axis stands in a combination; the last one varies fastest.
pub(super) fn write_digits(axes: &[Axis], combination: usize, digits: &mut Vec<usize>) {
    digits.clear();
    let mut rest = combination;
    for axis in axes.iter().rev() {
        digits.push(rest % axis.len());
        rest /= axis.len();
    }
    assert_eq!(rest, 0, "there is no such point");
    digits.reverse();
}
