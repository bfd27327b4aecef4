//! The `[sweep]` section.

use serde_json::{Value as Schema, json as json_schema};

use super::canonical::{Canonical, Key, put};
use super::evaluation::Ratio;
use super::kinds::Choice;
use super::table::{Described, Given, Located, Presence, Reading, Wire, table, table_schema, wrong_type};
use crate::diagnostics::Diagnostics;
use crate::seeds::Chance;
use crate::tree::{Item, Value};

use Presence::{Default, Optional, Usually};

table! {
    /// A sweep: every combination of the values of all axes, with every seed, is a point.
    "[sweep]" Sweep {
        /// The axes, the last of which varies fastest. Each is a table of keys of the scenario, nested or as a path in
        /// quotes, and each key has a list of values or a range; the keys of one axis go in lock-step. With `name` and
        /// `labels`, a list of texts, the axis and its values are called so in tables.
        axes: Vec<Located<Axis>> = Default("[]");
        /// What every point must meet, as in `"fabric.go < fabric.stop and not (routing.tree == 'dfs')"`.
        constraints: Vec<Located<String>> = Default("[]");
        /// How many seeds every combination is run with: the scenario's and those after it, 1 to 1000000; 1 if
        /// not given.
        repetitions: u32 = Optional;
        /// Instead: the seeds, each once.
        seeds: Vec<Located<u64>> = Optional;
        /// The parts that these seeds vary: `traffic` is all that is chance while a run goes on (arrivals,
        /// destinations, errors, noise, failures); `routing` is routes drawn by chance, trees of rings among them;
        /// `topology` is a generated network. Parts that are not listed are as the scenario's own seed draws them, and
        /// so is what has a `seed` of its own; `['traffic']` if not given.
        vary: Vec<Located<Chance>> = Usually("['traffic']");
        /// What points.csv shows of every point's summary: paths as in `[expect]`; every number, text and truth
        /// value if not given. Load points bring along what they are worth: the half-width of their mean latency,
        /// `saturated` and `converged`.
        columns: Vec<Located<String>> = Default("[]");
        /// Further columns: a column's value over that at another point.
        ratios: Vec<Located<Ratio>> = Optional;
        /// Axes, `seed` among them, over which statistics are taken: statistics.csv has the mean, the least, the
        /// greatest and the spread of every column for each combination of the others; over the seeds, where there
        /// are several, if not given.
        statistics_over: Vec<Located<String>> = Optional;
        /// A column: of the values of the axes of `statistics-over`, those are found at which it is nearest to its
        /// means, by the sum of squared distances over all combinations of the others.
        nearest: String = Optional;
    }
}

impl Choice for Chance {
    const CHOICES: &'static [(&'static str, Chance)] = Chance::ALL;
}

/// An axis, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Axis(pub(crate) Item);

impl Wire for Axis {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Axis> {
        if !matches!(item.value, Value::Table(_)) {
            wrong_type(item, "a table of keys and their values", diagnostics);
            return None;
        }
        Some(Axis(item.clone()))
    }

    fn schema() -> Schema {
        json_schema!({
            "title": "[[sweep.axes]]",
            "description": "Keys of the scenario that go in lock-step, each with a list of values or a range.",
            "type": "object"
        })
    }
}
