//! What chance alone makes of ten random networks: what the numbers of section 5.2 are held against.
//!
//! The paper drew ten networks of each size and prints what these came to: a mean, "up to", a variation. Ours are other
//! networks. Ten of a hundred, drawn again and again, tell how far such a number moves from ten networks to ten others;
//! a printed number holds if it lies between the quantiles of that.

use crate::{Results, Row};
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::measure::Spread;

/// The scenarios of a hundred networks each.
pub(super) const SCENARIOS: [&str; 5] = [
    "sancho2000/networks-16.toml",
    "sancho2000/networks-32.toml",
    "sancho2000/networks-64.toml",
    "sancho2000/networks-bit-reversal.toml",
    "sancho2000/networks-transpose.toml",
];

/// Draws of ten networks.
const TEN_OF_A_HUNDRED: Purpose = Purpose(152);
/// Networks that the paper has of a size.
const TEN: usize = 10;
/// How often ten are drawn.
const DRAWS: usize = 10_000;
/// The column of the networks' seeds.
const SEED: &str = "topology.random-regular.seed";

/// What is printed of ten networks.
type Statistic = fn(&Spread) -> f64;

/// A number of section 5.2.
struct Printed {
    quantity: &'static str,
    /// How its configuration begins.
    of: &'static str,
    /// Where its networks are: places in [`SCENARIOS`]. Of several, the greatest is printed.
    scenarios: &'static [usize],
    routing: &'static str,
    column: &'static str,
    statistic: Statistic,
}

const PRINTED: [Printed; 6] = [
    Printed {
        quantity: "throughput gain UD_BFS2 over UD_BFS1",
        of: "16 switches",
        scenarios: &[0],
        routing: "UD_BFS2",
        column: "gain",
        statistic: |ten| ten.mean,
    },
    Printed {
        quantity: "throughput gain UD_DFS2b over UD_DFS2",
        of: "16 switches",
        scenarios: &[0],
        routing: "UD_DFS2b",
        column: "gain-over-UD_DFS2",
        statistic: |ten| ten.mean,
    },
    Printed {
        quantity: "throughput gain UD_BFS2 over UD_BFS1",
        of: "64 switches",
        scenarios: &[2],
        routing: "UD_BFS2",
        column: "gain",
        statistic: |ten| ten.mean,
    },
    Printed {
        quantity: "throughput gain UD_DFS2 over UD_BFS1",
        of: "64 switches",
        scenarios: &[2],
        routing: "UD_DFS2",
        column: "gain",
        statistic: |ten| ten.max,
    },
    Printed {
        quantity: "throughput gain UD_DFS2b over UD_BFS1",
        of: "32 switches",
        scenarios: &[3, 4],
        routing: "UD_DFS2b",
        column: "gain",
        statistic: |ten| ten.max,
    },
    Printed {
        quantity: super::curves::VARIATION,
        of: "each size",
        scenarios: &[0, 1, 2],
        routing: "UD_DFS2b",
        column: "gain",
        statistic: |ten| ten.variation_percent,
    },
];

/// Rows with the 2.5 % and 97.5 % quantiles of ten networks as the ends of those that are numbers of section 5.2, where
/// there are enough networks. `runs` are places in [`SCENARIOS`], each with that of the figure's run.
pub(super) fn held(rows: Vec<Row>, results: &Results<'_>, runs: &[(usize, usize)]) -> Vec<Row> {
    rows.into_iter().map(|row| with_ends(row, results, runs)).collect()
}

fn with_ends(row: Row, results: &Results<'_>, runs: &[(usize, usize)]) -> Row {
    let is_of = |printed: &&Printed| {
        row.quantity == printed.quantity && row.paper.is_some() && row.configuration.starts_with(printed.of)
    };
    let Some(printed) = PRINTED.iter().find(is_of) else { return row };
    let run = |scenario: &usize| Some(runs.iter().find(|(place, _)| place == scenario)?.1);
    let runs = printed.scenarios.iter().filter_map(run);
    let all: Vec<Vec<f64>> = runs.map(|run| on_networks(results, run, printed)).collect();
    let Some((low, high)) = ends(&all, printed.statistic) else { return row };
    let is_gain = row.unit.starts_with('%') && printed.quantity.starts_with("throughput gain");
    let shown = |factor: f64| if is_gain { (factor - 1.0) * 100.0 } else { factor };
    row.between(Some(shown(low)), Some(shown(high)))
}

/// A ratio on each network of a run, in the order of their seeds.
fn on_networks(results: &Results<'_>, run: usize, printed: &Printed) -> Vec<f64> {
    let points = results.csv(run, "points.csv");
    let value = |seed: &String| {
        points.of(&[("routing", printed.routing), (SEED, seed)]).next()?.number(printed.column)
    };
    points.choices(SEED).iter().filter_map(value).collect()
}

/// The 2.5 % and 97.5 % quantiles of what ten networks come to, of several kinds of networks the greatest; none where
/// there are no more than ten.
fn ends(all: &[Vec<f64>], statistic: Statistic) -> Option<(f64, f64)> {
    let count = all.iter().map(Vec::len).min().filter(|count| *count > TEN)?;
    let mut stream = Stream::new(0, TEN_OF_A_HUNDRED, 0);
    let mut order: Vec<usize> = (0..count).collect();
    let mut drawn = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        stream.shuffle(&mut order);
        let of_ten = |networks: &Vec<f64>| {
            let ten: Vec<f64> = order.iter().take(TEN).map(|network| networks[*network]).collect();
            Some(statistic(&Spread::of(&ten)?))
        };
        drawn.extend(all.iter().filter_map(of_ten).reduce(f64::max));
    }
    drawn.sort_by(f64::total_cmp);
    let outside = drawn.len() / 40;
    Some((*drawn.get(outside)?, *drawn.get(drawn.len() - 1 - outside)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least share of draws whose greatest is no more than the networks up to a rank: C(rank, 10) / C(100, 10).
    fn share_below(rank: usize) -> f64 {
        (0..TEN).map(|nth| (rank as f64 - nth as f64).max(0.0) / (100.0 - nth as f64)).product()
    }

    /// Wrong if networks were drawn twice, or another quantile were taken: the greatest of ten has a closed form.
    #[test]
    fn the_greatest_of_ten_is_as_combinatorics_has_it() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let (low, high) = ends(std::slice::from_ref(&hundred), |ten| ten.max).unwrap();
        let [low, high] = [low, high].map(|end| hundred.iter().filter(|value| **value <= end).count());
        assert!(share_below(low - 2) < 0.025 && 0.025 < share_below(low + 1), "{low}");
        assert!(share_below(high - 1) < 0.975 && high == 100, "{high}");
        // Of two kinds the greater counts: as if one had the greater value of each network.
        let reversed: Vec<f64> = hundred.iter().rev().copied().collect();
        let both: Vec<f64> = hundred.iter().zip(&reversed).map(|(a, b)| a.max(*b)).collect();
        assert_eq!(ends(&[hundred, reversed], |ten| ten.max), ends(&[both], |ten| ten.max));
    }

    /// Wrong if the mean of ten scattered as a single network does, or ten networks were held for many.
    #[test]
    fn the_mean_of_ten_scatters_less_than_one_network() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let (low, high) = ends(std::slice::from_ref(&hundred), |ten| ten.mean).unwrap();
        // The standard error of the mean of ten without replacement: sd / sqrt(10) * sqrt(90 / 99) = 8.7.
        assert!((31.0..36.0).contains(&low) && (65.0..70.0).contains(&high), "{low} to {high}");
        assert_eq!(ends(&[hundred[..TEN].to_vec()], |ten| ten.mean), None);
        assert_eq!(ends(&[], |ten| ten.mean), None);
    }
}
