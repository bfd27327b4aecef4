//! Statistics over some axes: for every combination of the others, what each column's values are like.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use simnet_base::measure::{Spread, half_width};
use simnet_output::report::{Cell, Column, Table};
use simnet_scenario::sweep::SEED;

use super::{Points, listed, nested, seeds};

/// The statistics of a sweep.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    /// The axes that are left, and the seed if it is.
    axes: Vec<String>,
    groups: Vec<Group>,
    /// The axes and seeds over which they are taken, in words; `None` if there are none.
    pub(super) over: Option<String>,
    /// The values of the other axes that are nearest to the means, if they were looked for.
    pub(super) nearest: Option<Nearest>,
}

/// Points that have the same values on the axes over which statistics are taken.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    /// These values.
    pub(super) id: String,
    /// The points.
    pub(super) points: BTreeSet<usize>,
}

/// Points that differ only in the axes over which statistics are taken.
#[derive(Clone, Debug)]
struct Group {
    id: String,
    /// What they have in common, axis by axis.
    values: Vec<String>,
    points: Vec<usize>,
    /// Of each column that has numbers: its name and what they are like.
    columns: Vec<(String, Found)>,
}

/// What numbers are like.
#[derive(Clone, Copy, Debug)]
struct Found {
    count: usize,
    spread: Spread,
    /// Half the width of the 95 % confidence interval of the mean; none for a single number.
    half_width: Option<f64>,
}

/// Numbers that differ by a smaller share are one number, rounded differently.
const ROUNDING: f64 = 1e-12;

impl Statistics {
    /// Takes the statistics that the sweep's file wants; none if it wants none.
    pub(super) fn new(points: &Points<'_>) -> Statistics {
        let sweep = points.sweep;
        // Where seeds are all that points differ in, their mean is what is looked for.
        let seed = [SEED.to_owned()];
        let over = match sweep.evaluation().over.as_slice() {
            [] if sweep.seeds() > 1 => seed.as_slice(),
            over => over,
        };
        if over.is_empty() {
            return Statistics::default();
        }
        let named = |axis: &String| if axis == SEED { seeds(sweep) } else { axis.clone() };
        let in_words = listed(&over.iter().map(named).collect::<Vec<_>>());
        let left_out = sweep.in_step_with(over);
        let has_seed = sweep.seeds() > 1 && !over.iter().any(|axis| axis == SEED);
        let axes = sweep.axes_in_short().into_iter().filter(|axis| !left_out.contains(axis));
        let axes: Vec<String> = axes.chain(has_seed.then(|| SEED.to_owned())).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut known = BTreeMap::new();
        for point in 0..points.outcomes.len() {
            let values: Vec<String> = axes.iter().filter_map(|axis| points.sweep.text(point, axis)).collect();
            let nth = *known.entry(values.clone()).or_insert_with(|| {
                groups.push(Group {
                    id: sweep.id(point, over),
                    values,
                    points: Vec::new(),
                    columns: Vec::new(),
                });
                groups.len() - 1
            });
            groups[nth].points.push(point);
        }
        let columns = points.all_columns();
        groups.iter_mut().for_each(|group| group.take(points, &columns));
        let mut statistics = Statistics { axes, groups, over: Some(in_words), nearest: None };
        let column = sweep.evaluation().nearest.as_deref();
        statistics.nearest = column.and_then(|column| statistics.nearest(points, column));
        statistics
    }

    /// The values of the axes over which statistics are taken at which a column is nearest to its means: by the sum of
    /// squared distances over all combinations of the others; the first of equals. A point without a number has part in
    /// no mean, and only values with a number in the most combinations are compared.
    fn nearest(&self, points: &Points<'_>, column: &str) -> Option<Nearest> {
        let mut found: Vec<(Nearest, f64)> = Vec::new();
        let mut known = BTreeMap::new();
        for group in &self.groups {
            let numbered =
                group.points.iter().filter_map(|point| Some((point, points.number(*point, column)?)));
            let numbered: Vec<(&usize, f64)> = numbered.collect();
            let numbers: Vec<f64> = numbered.iter().map(|(_, number)| *number).collect();
            let Some(Spread { mean, .. }) = Spread::of(&numbers) else { continue };
            for (point, number) in numbered {
                let id = points.sweep.id(*point, &self.axes);
                let place = *known.entry(id.clone()).or_insert_with(|| {
                    found.push((Nearest { id, points: BTreeSet::new() }, 0.0));
                    found.len() - 1
                });
                found[place].0.points.insert(*point);
                found[place].1 += (number - mean) * (number - mean);
            }
        }
        // Where constraints or failures leave some of them out, a sum has fewer terms, and is smaller for that alone.
        let most = found.iter().map(|(nearest, _)| nearest.points.len()).max()?;
        let whole = found.into_iter().filter(|(nearest, _)| nearest.points.len() == most);
        whole.reduce(|best, other| if other.1 < best.1 { other } else { best }).map(|(nearest, _)| nearest)
    }

    /// The meaning of a half-width, with what varies; `None` if there are none.
    pub(super) fn half_width(&self) -> Option<String> {
        let over = self.over.as_ref()?;
        Some(format!("half the width of the mean's 95 % confidence interval, over {over}"))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// A row for every combination and every one of these columns: of all of them, `statistics.csv`.
    pub(super) fn table(&self, of: &[String]) -> Table {
        let mut columns: Vec<Column> =
            self.axes.iter().map(|axis| Column::words(axis, "a value of the axis")).collect();
        columns.extend([
            Column::words("column", "the column of points.csv"),
            Column::numbers("points", "", "how many points have a number there"),
            Column::numbers("mean", "", "their mean"),
            Column::numbers("min", "", "the least of them"),
            Column::numbers("max", "", "the greatest of them"),
            Column::numbers("variation_percent", "%", "the greatest distance from the mean, of the mean"),
            Column::numbers("half_width", "", &self.half_width().unwrap_or_default()),
        ]);
        let mut table = Table::of(columns);
        for group in &self.groups {
            for name in of {
                let Some((_, found)) = group.columns.iter().find(|(column, _)| column == name) else {
                    continue;
                };
                let spread = found.spread;
                let cells = group.values.iter().map(|value| Cell::from(value.as_str()));
                let numbers = [
                    Cell::from(name.as_str()),
                    Cell::from(found.count as u64),
                    Cell::from(spread.mean),
                    Cell::from(spread.min),
                    Cell::from(spread.max),
                    Cell::from(spread.variation_percent),
                    Cell::from(found.half_width),
                ];
                table.row(cells.chain(numbers));
            }
        }
        table
    }

    /// What `summary.json` has of them.
    pub(super) fn report(&self) -> Vec<Value> {
        let of_group = |group: &Group| {
            let columns = group.columns.iter().map(|(name, found)| (name.as_str(), found.report()));
            nested(&group.id, columns)
        };
        self.groups.iter().map(of_group).collect()
    }
}

impl Group {
    /// Looks at these columns of its points; at positions of lists only if every point has a number there, as means of
    /// fewer would not make a curve.
    fn take(&mut self, points: &Points<'_>, columns: &[String]) {
        for (nth, name) in columns.iter().enumerate() {
            // What a dead network accepted, and how long that took, belongs to no mean.
            let alive = self.points.iter().filter(|point| !points.is_dead(**point, name));
            let numbers: Vec<f64> = alive.filter_map(|point| points.number(*point, name)).collect();
            if nth >= points.columns.len() && numbers.len() < self.points.len() {
                continue;
            }
            if let Some(spread) = Spread::of(&numbers) {
                // Of equal numbers only rounding is left.
                let is_constant = spread.max - spread.min <= ROUNDING * spread.max.abs();
                let half_width = half_width(&numbers).map(|half| if is_constant { 0.0 } else { half });
                let found = Found { count: numbers.len(), spread, half_width };
                self.columns.push((name.clone(), found));
            }
        }
    }
}

impl Found {
    fn report(&self) -> Value {
        let Spread { mean, min, max, variation_percent } = self.spread;
        json!({
            "points": self.count, "mean": mean, "min": min, "max": max, "variation_percent": variation_percent,
            "half_width": self.half_width,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sweep::{Evaluated, Scenarios, evaluate};
    use simnet_scenario::sweep::Sweep;
    use simnet_scenario::{Files, Overrides};

    /// What two trees with four loads each come to, whose results are these.
    fn evaluated(columns: &str, results: [Result<Value, String>; 8]) -> Evaluated {
        let text = format!(
            "scenario.name = 'x'\nrouting.algorithm = 'updown'\n\
             topology.star = {{ leaves = 3, hosts-per-switch = 1 }}\ntraffic.uniform.payload = '64 B'\n\
             [sweep]\n{columns}\nstatistics-over = ['traffic.uniform.loads']\n\
             [[sweep.axes]]\nrouting.tree = ['bfs', 'dfs']\n\
             [[sweep.axes]]\ntraffic.uniform.loads = [0.1, 0.2, 0.3, 0.4]\n"
        );
        let sweep = Sweep::read("s.toml", text.as_bytes(), &Overrides::default(), &Files::disk(), 1);
        evaluate(&Scenarios::new(sweep.unwrap()), results.to_vec())
    }

    /// Wrong if a point without a number kept others of its combination from being compared, or values with fewer
    /// numbers were nearest for that alone: squared distances are 0.25, 0, 1, 0.25 and 1, 4, none, 1.
    #[test]
    fn points_without_a_number_are_left_out_of_the_nearest() {
        let numbers = [1.5, 2.0, 3.0, 1.5, 6.0, 9.0, 0.0, 6.0];
        for lacks in [Err("it failed".to_owned()), Ok(json!({"y": 1}))] {
            let mut results = numbers.map(|x| Ok(json!({"x": x})));
            results[6] = lacks;
            let summary = evaluated("columns = ['x']\nnearest = 'x'", results).summary;
            assert_eq!(summary.sweep.nearest.as_deref(), Some("0.1"));
        }
    }

    /// Wrong if a combination and a column had two rows where a list and a position of it are columns.
    #[test]
    fn a_column_of_a_combination_has_one_row() {
        let results = [(); 8].map(|()| Ok(json!({"points.0.x": 1, "points.1.x": 2})));
        let files = evaluated("columns = ['points.0.x', 'points.*.x']", results).files;
        let (_, table) = files.iter().find(|(name, _)| name == "statistics.csv").unwrap();
        let rows: Vec<&str> = table.lines().filter_map(|row| row.split(",4,").next()).collect();
        assert_eq!(rows[1..], ["bfs,points.0.x", "bfs,points.1.x", "dfs,points.0.x", "dfs,points.1.x"]);
    }
}
