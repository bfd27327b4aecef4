//! What a sweep computes: points that are known by their keys.

use std::ops::Range;

use serde_json::Value;

/// Points that can be computed in any order, on any machine, each on its own.
///
/// A sweep of scenarios is one, the scenarios behind the papers' figures are another.
pub trait Points: Sync {
    /// What they are called together; a folder holds the points of one name.
    fn name(&self) -> &str;

    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a point is known by: equal keys stand for equal results.
    fn key(&self, point: usize) -> blake3::Hash;

    /// What several points are known by, for points whose keys are found faster together.
    fn keys(&self, points: Range<usize>) -> Vec<blake3::Hash> {
        points.map(|point| self.key(point)).collect()
    }

    /// What a point is likely to cost, in seconds of one core; the costly ones are begun first.
    fn cost(&self, point: usize) -> f64;

    /// Computes a point. The result is a function of the key.
    ///
    /// # Errors
    /// Why it has no result, for people; that too is a function of the key.
    fn compute(&self, point: usize) -> Result<Value, String>;
}

/// Points that make a table: each has a value on every axis, and a seed.
pub trait Plan: Points {
    /// What the axes are called; the columns of [`Plan::values`].
    fn axes(&self) -> &[String];

    /// The values of the axes at a point, printed.
    fn values(&self, point: usize) -> Vec<String>;

    /// The seed of a point.
    fn seed(&self, point: usize) -> u64;

    /// The paths into the results that the table shows; empty: every scalar that any result has.
    fn columns(&self) -> &[String];

    /// Whether a sweep ends well only if every load of this point has converged or is saturated.
    fn requires_convergence(&self, _point: usize) -> bool {
        false
    }
}
