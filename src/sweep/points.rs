//! What a sweep computes: points that are known by their keys.

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

    /// What a point is likely to cost, in seconds of one core; the costly ones are begun first.
    fn cost(&self, point: usize) -> f64;

    /// Computes a point. The result is a function of the key.
    ///
    /// # Errors
    /// Why it has no result, for people; that too is a function of the key.
    fn compute(&self, point: usize) -> Result<Value, String>;
}
