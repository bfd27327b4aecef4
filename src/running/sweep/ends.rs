//! What a sweep's points came to that decides how the sweep ends.

use serde::Deserialize as _;
use serde_json::Value;

use crate::simulation::Outcome;

use super::line;
use super::points::Plan;

/// How many points that did not fail are not as a run alone would have to be to end well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// They ended in a deadlock that nothing recovered.
    pub deadlocked: usize,
    /// They require convergence, and some load of theirs has not converged.
    pub not_converged: usize,
}

/// The state of a load point that has not converged, as results have it.
const NOT_CONVERGED: &str = "not-converged";

impl Ends {
    /// Of all points of a plan, by what they came to.
    pub(super) fn of<P: Plan + ?Sized>(plan: &P, outcomes: &[line::Outcome]) -> Ends {
        let of_point = |(point, outcome): (usize, &line::Outcome)| {
            outcome.as_ref().map_or_else(|_| Ends::default(), |result| Ends::of_point(plan, point, result))
        };
        outcomes.iter().enumerate().map(of_point).fold(Ends::default(), Ends::and)
    }

    /// Of one point with this result.
    pub(super) fn of_point<P: Plan + ?Sized>(plan: &P, point: usize, result: &Value) -> Ends {
        let outcome = result.get("outcome").and_then(|outcome| Outcome::deserialize(outcome).ok());
        let is_doubtful = has_doubtful_load(result) && plan.requires_convergence(point);
        Ends {
            deadlocked: usize::from(outcome == Some(Outcome::Deadlocked)),
            not_converged: usize::from(is_doubtful),
        }
    }

    /// Of these points and others.
    pub(super) fn and(self, other: Ends) -> Ends {
        Ends {
            deadlocked: self.deadlocked + other.deadlocked,
            not_converged: self.not_converged + other.not_converged,
        }
    }
}

/// Whether a load point of a result, `points.N.state`, has not converged.
fn has_doubtful_load(result: &Value) -> bool {
    let is_state = |path: &str| {
        let position = path.strip_prefix("points.").and_then(|rest| rest.strip_suffix(".state"));
        position.is_some_and(|position| position.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let mut scalars = result.as_object().into_iter().flatten();
    scalars.any(|(path, value)| value == NOT_CONVERGED && is_state(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::State;
    use serde_json::json;

    /// Wrong if a load point's state were called otherwise than in results, or another text of that name counted.
    #[test]
    fn loads_that_have_not_converged_are_found() {
        let state = json!(State::NotConverged);
        assert_eq!(state, NOT_CONVERGED);
        assert!(has_doubtful_load(&json!({"outcome": "drained", "points.10.state": state})));
        let others = json!({"points.0.state": "saturated", "points.1.state": "converged",
            "map.state": state, "points.0.reason": state, "points.0.search.state": state});
        assert!(!has_doubtful_load(&others));
    }
}
