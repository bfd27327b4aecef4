//! The columns of a table of points: those that the file lists and, of every load point among them, what it is worth.
//!
//! A mean without its interval, or from a load at which the network fell behind, must not look like any other: whoever
//! asks for a number of a load point is given these too.

/// What stands for every position of a list, and the list of load points.
const ANY: &str = "*";
const POINTS: &str = "points.";

/// A mean of a load point, and half the width of its confidence interval.
const MEAN: &str = "latency_mean_ns";
const HALF_WIDTH: &str = "latency_half_width_ns";

/// What says whether numbers of a load point can be trusted.
const WORTH: [&str; 3] = ["saturated", "converged", "state"];

/// The columns that are `listed`, in their order; the half-width behind its mean, and behind the last column of a load
/// point whether it was saturated, whether it converged, and its state. What is listed itself stands where it was
/// listed.
pub(super) fn with_their_worth(listed: &[String]) -> Vec<String> {
    let mut columns = Vec::new();
    for (nth, column) in listed.iter().enumerate() {
        columns.push(column.clone());
        let Some((point, quantity)) = load_point(column) else { continue };
        let is_last =
            !listed[nth + 1..].iter().any(|other| load_point(other).is_some_and(|(at, _)| at == point));
        let half_width = (quantity == MEAN).then_some(HALF_WIDTH);
        let worth = WORTH.into_iter().filter(|_| is_last);
        let more = half_width.into_iter().chain(worth).map(|name| format!("{point}.{name}"));
        columns.extend(more.filter(|name| !listed.contains(name)));
    }
    columns
}

/// The load point that a column is of, `points.0` or `points.*`, and what of it.
fn load_point(column: &str) -> Option<(&str, &str)> {
    let (position, quantity) = column.strip_prefix(POINTS)?.split_once('.')?;
    let is_position = position == ANY || position.bytes().all(|digit| digit.is_ascii_digit());
    is_position.then(|| (&column[..POINTS.len() + position.len()], quantity))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a number of a load point came without what it is worth, or anything stood twice.
    #[test]
    fn columns_of_load_points_bring_along_what_they_are_worth() {
        let columns = |listed: &str| {
            let listed: Vec<String> = listed.split(' ').map(str::to_owned).collect();
            with_their_worth(&listed).join(" ")
        };
        assert_eq!(columns("route.pairs map.time_ms points"), "route.pairs map.time_ms points");
        assert_eq!(
            columns("points.0.latency_mean_ns points.0.messages route.pairs"),
            "points.0.latency_mean_ns points.0.latency_half_width_ns points.0.messages points.0.saturated \
             points.0.converged points.0.state route.pairs"
        );
        assert_eq!(
            columns("points.*.latency_p99_ns points.1.saturated"),
            "points.*.latency_p99_ns points.*.saturated points.*.converged points.*.state points.1.saturated \
             points.1.converged points.1.state"
        );
        let whole = "points.0.latency_half_width_ns points.0.latency_mean_ns points.0.converged \
                     points.0.saturated points.0.state";
        assert_eq!(columns(whole), whole);
    }
}
