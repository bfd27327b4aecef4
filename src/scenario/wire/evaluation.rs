//! What is made of the points of a sweep: `[[sweep.ratios]]`, `[[reference]]` and `[[figure]]`.

use serde_json::{Value as Schema, json as json_schema};

use super::canonical::{Canonical, Key, put};
use super::kinds::Choice;
use super::table::{
    Described, Free, Given, Located, Presence, Reading, Wire, table, table_schema, wrong_type,
};
use crate::diagnostics::Diagnostics;
use crate::printed::Statistic;
use crate::tree::{Item, Value};

use Presence::{Default, Optional, Required};

table! {
    /// A column more: a column's value over its value at another point, the one that differs in these axes only. Of a
    /// column with `*`, positions are left out at which one of the two is saturated.
    "[[sweep.ratios]]" Ratio {
        /// What the column is called; with a `*` if `column` has one.
        name: String = Required;
        /// The column whose values are divided: one of `columns`.
        column: String = Required;
        /// The point to divide by: axes, and the values that they have there.
        over: Pins = Required;
    }
}

table! {
    /// Numbers that a paper prints in one of its tables or figures, compared with ours in paper.csv.
    "[[reference]]" Reference {
        /// The paper, as src/base/papers/reference.csv numbers it.
        paper: String = Required;
        /// The table or figure.
        figure: String = Required;
        /// By quantity, as the paper has it: the column that is ours.
        quantities: Free<Ours> = Required;
        /// By configuration, as the paper has it: axes, and the values that they have there. Without it, every
        /// configuration that the paper prints a quantity of is that of all points.
        configurations: Free<Pins> = Optional;
    }
}

table! {
    /// What is compared with a printed quantity.
    "[reference.quantities.NAME]" Ours {
        /// The column.
        column: String = Required;
        /// Axes, and the values that they have: the points that are compared.
        at: Pins = Default("{}");
        /// What is taken over these points: their mean, the least, the greatest, or the greatest distance from the mean
        /// in per cent of it.
        statistic: Statistic = Default("'mean'");
        /// What ours is multiplied with, to be in the paper's unit.
        scale: f64 = Default("1.0");
    }
}

table! {
    /// A curve or several: `NAME.svg`.
    "[[figure]]" Figure {
        /// The name of its file: letters, digits, `-` and `_`.
        name: String = Required;
        /// What stands above it.
        title: String = Optional;
        /// What goes to the right: an axis or a column. With `*` for the position in a list, as in `points.*.load`, a
        /// point is a curve of its own.
        x: String = Required;
        /// What goes up: a column; means over all points with one `x` on one line.
        y: String = Required;
        /// The axis of which every value has a line of its own.
        lines: String = Optional;
        /// Axes, and the values that they have: the points that are drawn.
        at: Pins = Default("{}");
        /// Whether of these only those are drawn that `nearest` of `[sweep]` finds.
        nearest: bool = Default("false");
        /// Directions in which equal distances are equal factors.
        logarithmic: Vec<Located<Direction>> = Default("[]");
        /// Whether each mark has a band from the least to the greatest of its values.
        spread: bool = Default("false");
        /// What stands at the horizontal axis; `x` if not given.
        x_label: String = Optional;
        /// What stands at the vertical axis; `y` if not given.
        y_label: String = Optional;
    }
}

/// A direction of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    X,
    Y,
}

impl Choice for Direction {
    const CHOICES: &'static [(&'static str, Direction)] = &[("x", Direction::X), ("y", Direction::Y)];
}

impl Choice for Statistic {
    const CHOICES: &'static [(&'static str, Statistic)] = &[
        ("mean", Statistic::Mean),
        ("min", Statistic::Min),
        ("max", Statistic::Max),
        ("variation", Statistic::Variation),
    ];
}

/// Axes and the values that they have, each with its place; tables in tables are paths.
#[derive(Clone, Debug)]
pub(crate) struct Pins(pub(crate) Vec<(Located<String>, Item)>);

impl Wire for Pins {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Pins> {
        let mut pins = Vec::new();
        collect(item, None, &mut pins, diagnostics).then_some(Pins(pins))
    }

    fn schema() -> Schema {
        let scalar = json_schema!({ "type": ["string", "number", "integer", "boolean", "object"] });
        json_schema!({ "type": "object", "additionalProperties": scalar })
    }
}

/// Collects the values below an item by their paths; `false` after a fault.
fn collect(
    item: &Item,
    path: Option<Located<String>>,
    pins: &mut Vec<(Located<String>, Item)>,
    diagnostics: &mut Diagnostics,
) -> bool {
    match (&item.value, path) {
        (Value::Table(entries), path) => entries.iter().fold(true, |sound, entry| {
            let name = match &path {
                Some(path) => format!("{}.{}", path.value, entry.key),
                None => entry.key.clone(),
            };
            collect(&entry.item, Some(Located { value: name, place: entry.place }), pins, diagnostics)
                && sound
        }),
        (Value::Text(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_), Some(path)) => {
            pins.push((path, item.clone()));
            true
        }
        (_, path) => {
            let expected =
                if path.is_some() { "a value of the axis" } else { "a table of axes and their values" };
            wrong_type(item, expected, diagnostics);
            false
        }
    }
}
