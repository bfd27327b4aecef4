//! The points of a sweep of scenarios: each a scenario that is run, and kept as the scalars of its summary.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use blake3::Hash;
use rayon::slice::ParallelSliceMut as _;
use serde_json::{Map, Value};

use crate::simulation;
use simnet_base::diagnostics::{Fault, Faults, Refusal};
use simnet_scenario::sweep::Sweep;

use super::points::{Plan, Points};

/// A sweep of scenarios with the keys of its points: 32 bytes a point.
#[derive(Debug)]
pub struct Scenarios {
    sweep: Sweep,
    keys: Vec<Hash>,
    spent: [AtomicU64; 2],
}

impl Scenarios {
    /// Finds the keys of all points, on all cores.
    pub fn new(sweep: Sweep) -> Scenarios {
        Scenarios { keys: sweep.keys(0..sweep.len()), sweep, spent: Default::default() }
    }

    /// The events and the delivered messages of all points that were computed here, for the manifest.
    pub fn spent(&self) -> [u64; 2] {
        self.spent.each_ref().map(|count| count.load(Ordering::SeqCst))
    }

    /// Two points that are one and the same scenario under two names, the first such pair in order of keys. An axis
    /// then has no effect, as another displaces it, or two of its values mean the same.
    ///
    /// Sorts the keys: O(points log points).
    pub fn twins(&self) -> Option<(usize, usize)> {
        let mut order: Vec<u32> = (0_u32..).take(self.keys.len()).collect();
        order.par_sort_unstable_by_key(|point| (*self.keys[*point as usize].as_bytes(), *point));
        let pair =
            order.windows(2).find(|pair| self.keys[pair[0] as usize] == self.keys[pair[1] as usize])?;
        Some((pair[0] as usize, pair[1] as usize))
    }

    /// The fault of a sweep with [`twins`](Scenarios::twins), in the text of the file that the user calls `file`.
    pub fn refusal(&self, file: &str, text: &str) -> Option<Box<Refusal>> {
        let (one, other) = self.twins()?;
        let (first, second) = (self.describe(one), self.describe(other));
        let message = format!("points {one} and {other} are one and the same scenario: {first}; {second}");
        // Where the sweep stands in another file, or in other words, the first line.
        let mut lines = text.split_inclusive('\n').scan(0, |start, line| {
            *start += line.len();
            Some((*start - line.len(), line.trim_end()))
        });
        let first = lines.clone().next();
        let table = lines.find(|(_, line)| line.starts_with("[sweep]") || line.starts_with("[[sweep."));
        let (start, line) = table.or(first).unwrap_or((0, ""));
        let end = start + line.len();
        let expected = "expected values that each make another scenario";
        let fault = Fault::new("same-point", start..end, message, expected);
        Some(Box::new(Faults::new(file, text, vec![fault])).into())
    }

    /// A point in words: its values and its seed.
    fn describe(&self, point: usize) -> String {
        let values = self.sweep.axes().iter().zip(self.sweep.values(point));
        let values = values.map(|(axis, value)| format!("{axis} = {value}, "));
        format!("{}seed {}", values.collect::<String>(), self.sweep.seed(point))
    }

    /// The parts that differ from seed to seed; empty with a single seed.
    pub fn varied(&self) -> Vec<&'static str> {
        if self.sweep.seeds() > 1 { self.sweep.varied() } else { Vec::new() }
    }

    /// The description of the sweep.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }
}

impl Points for Scenarios {
    fn name(&self) -> &str {
        self.sweep.name()
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn key(&self, point: usize) -> Hash {
        self.keys[point]
    }

    fn keys(&self, points: Range<usize>) -> Vec<Hash> {
        self.keys[points].to_vec()
    }

    fn cost(&self, point: usize) -> f64 {
        self.sweep.cost(point)
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        let checked = self.sweep.checked(point).map_err(|refusal| one_line(&refusal))?;
        let run = simulation::run(&checked, &(), None).map_err(|error| error.to_string())?;
        for (count, more) in self.spent.iter().zip([run.events, run.messages_delivered]) {
            count.fetch_add(more, Ordering::SeqCst);
        }
        let summary = serde_json::to_value(&run.summary).map_err(|error| error.to_string())?;
        Ok(scalars(&summary))
    }
}

impl Plan for Scenarios {
    fn axes(&self) -> &[String] {
        self.sweep.axes()
    }

    fn values(&self, point: usize) -> Vec<String> {
        self.sweep.values(point)
    }

    fn seed(&self, point: usize) -> u64 {
        self.sweep.seed(point)
    }

    fn columns(&self) -> &[String] {
        self.sweep.columns()
    }

    fn requires_convergence(&self, point: usize) -> bool {
        self.sweep.requires_convergence(point)
    }
}

/// The faults of a combination of values, without the files' names: where the files lie must not change the result.
fn one_line(refusal: &Refusal) -> String {
    let faults = refusal.files.iter().flat_map(|file| &file.faults);
    let lines: Vec<String> = faults.map(|fault| format!("{} ({})", fault.message, fault.expected)).collect();
    lines.join("; ")
}

/// What of a summary is not kept: lists of places in the network, and what the sweep's table says itself.
const LEFT_OUT: [&str; 8] = [
    "busiest_channels",
    "most_blocked_channels",
    "deadlocks",
    "route.channel_load_by_root_distance",
    "rings.hosts",
    "scenario",
    "description",
    "seed",
];

/// The most scalars that are kept of a summary.
const MOST_SCALARS: usize = 2_000;

/// The longest text that is kept, in characters.
const LONGEST_TEXT: usize = 200;

/// The scalars of a summary by their paths (`points.0.latency_mean_ns`), about 3 KB of a load point's. Of lists that
/// are too long all together, only the first entries are kept, as many of each as there is room for.
fn scalars(summary: &Value) -> Value {
    let mut all = Vec::new();
    collect(summary, &mut String::new(), 0, &mut all);
    let mut at_position: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, _, position) in &all {
        *at_position.entry(*position).or_default() += 1;
    }
    let (mut room, mut end) = (MOST_SCALARS, 0);
    for (position, count) in at_position {
        if count > room {
            break;
        }
        (room, end) = (room - count, position + 1);
    }
    let kept = all.into_iter().filter(|(_, _, position)| *position < end.max(1)).take(MOST_SCALARS);
    Value::Object(kept.map(|(path, value, _)| (path, value)).collect::<Map<_, _>>())
}

/// Collects scalars with their paths and their largest position in a list, 0 outside of lists.
fn collect(value: &Value, path: &mut String, position: usize, all: &mut Vec<(String, Value, usize)>) {
    if LEFT_OUT.contains(&path.as_str()) {
        return;
    }
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                collect_below(name, value, path, position, all);
            }
        }
        Value::Array(list) => {
            for (nth, value) in list.iter().enumerate() {
                collect_below(&nth.to_string(), value, path, position.max(nth), all);
            }
        }
        Value::String(text) => {
            all.push((path.clone(), Value::String(text.chars().take(LONGEST_TEXT).collect()), position));
        }
        scalar => all.push((path.clone(), scalar.clone(), position)),
    }
}

/// Collects the scalars of the value that is called `name` at a path.
fn collect_below(
    name: &str,
    value: &Value,
    path: &mut String,
    position: usize,
    all: &mut Vec<(String, Value, usize)>,
) {
    let depth = path.len();
    if depth > 0 {
        path.push('.');
    }
    path.push_str(name);
    collect(value, path, position, all);
    path.truncate(depth);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Wrong if a scalar were lost, or a result could grow without bound.
    #[test]
    fn a_summary_is_kept_as_scalars() {
        let summary = json!({"scenario": "x", "description": "y", "outcome": "drained", "map": null,
            "busiest_channels": [{"busy": 1}],
            "points": [{"load": 0.5, "saturated": false}, {"load": 0.75}], "route": {"pairs": 12}});
        let expected = json!({"outcome": "drained", "map": null, "points.0.load": 0.5, "points.0.saturated": false,
            "points.1.load": 0.75, "route.pairs": 12});
        assert_eq!(scalars(&summary), expected);
        let long = json!({"a": vec![1; 10_000], "b": {"c": vec!["long ".repeat(100); 10_000]}, "d": 1});
        let kept = scalars(&long);
        let kept = kept.as_object().unwrap();
        assert_eq!(kept.len(), 1 + 2 * 999);
        assert_eq!((&kept["d"], &kept["a.998"]), (&json!(1), &json!(1)));
        assert_eq!(kept["b.c.998"].as_str().unwrap().len(), LONGEST_TEXT);
    }
}
