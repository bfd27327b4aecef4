//! Curves: what a table says about how one thing depends on another. A recipe describes them once, for paper and page.
//!
//! ```text
//!   table + recipe ──▶ Curves ──▶ a chart for every panel and quantity ──▶ a sheet of them all, or one at a time
//! ```
//! # Scope and limitations
//! Panels and series are bounded; the table has everything.

mod recipes;
mod words;

use std::collections::BTreeSet;

use super::{Axis, Chart, Csv, Layer, Mark, Style, Tip, draw_charts};
pub use recipes::{Ends, Quantity, RECIPES, Recipe};
use simnet_base::measure::{Spread, half_width};
use simnet_base::numbers;
pub use words::Label;

/// Panels of a table.
const MOST_PANELS: usize = 12;
/// Series of a chart of a report.
const MOST_SERIES: usize = 16;
/// The units of times, at the end of a column's name.
const TIMES: [&str; 4] = ["_ns", "_us", "_ms", "_s"];
/// Where the longest time is so many times the shortest, they are shown on a logarithmic axis.
const WIDE: f64 = 20.0;

/// A table as a recipe sees it.
#[derive(Clone, Debug)]
pub struct Curves<'a> {
    /// The table.
    pub table: &'a Csv,
    /// The recipe.
    pub recipe: &'a Recipe<'a>,
    /// The column of the horizontal axis.
    pub x: &'a str,
    /// The columns that distinguish series.
    pub series: Vec<&'a str>,
    /// The columns that distinguish panels.
    pub panels: Vec<&'a str>,
    /// Series of a chart at most.
    pub most_series: usize,
    /// What the band of a mean shows.
    pub band: Band,
}

/// What the band of a mean over several rows at one place shows, such as those of several seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Band {
    /// The 95 % confidence interval of the mean.
    #[default]
    Interval,
    /// From the least to the greatest.
    Spread,
    /// Nothing.
    Nothing,
}

/// Draws the first curves that there are recipes for in the table of this name: all panels and quantities, on paper.
pub fn draw_curves(name: &str, table: &Csv, title: &str) -> Option<String> {
    let own = |recipe: &&Recipe<'_>| recipe.table == name;
    let curves = RECIPES.iter().filter(own).find_map(|recipe| Curves::new(table, recipe))?;
    let sheet = curves.sheet(title);
    (!sheet.is_empty()).then(|| draw_charts(&sheet, 2))
}

impl<'a> Curves<'a> {
    /// The curves that a recipe finds in a table, if it is its own and has several places on a horizontal axis.
    pub fn new(table: &'a Csv, recipe: &'a Recipe<'a>) -> Option<Curves<'a>> {
        table.column(recipe.mark)?;
        let values = |column: &str| {
            let at = table.column(column);
            at.map_or_else(BTreeSet::new, |at| table.rows.iter().map(|row| row[at].as_str()).collect())
        };
        let x = *recipe.x.iter().find(|column| {
            let numbers = |row: &&Vec<String>| table.number(row, column).is_some_and(f64::is_finite);
            values(column).len() > 1 && table.rows.iter().filter(numbers).count() > 1
        })?;
        let varies = |columns: &'a [&'a str]| -> Vec<&'a str> {
            columns.iter().copied().filter(|column| *column != x && values(column).len() > 1).collect()
        };
        let panels = varies(recipe.panels);
        let mut series = varies(recipe.series);
        series.retain(|column| !panels.contains(column));
        Some(Curves { table, recipe, x, series, panels, most_series: MOST_SERIES, band: Band::default() })
    }
}

impl Curves<'_> {
    /// What panels are called.
    pub fn panel_names(&self) -> Vec<String> {
        self.keys(&self.panels, &mut self.table.rows.iter(), MOST_PANELS)
    }

    /// The recipe's quantities that the table has.
    pub fn quantities(&self) -> Vec<&Quantity<'_>> {
        let quantities = self.recipe.y.iter();
        quantities.filter(|quantity| self.numbers(quantity.column).next().is_some()).collect()
    }

    /// The scales that a vertical axis may have for a quantity, logarithmic or not; the first is the better one.
    pub fn scales(&self, quantity: &Quantity<'_>) -> &'static [bool] {
        // A comparison with what is equal makes no sense on other scales.
        match (self.recipe.diagonal, self.recipe.log_y || self.is_wide(quantity)) {
            (true, _) => &[false],
            (_, true) => &[true, false],
            _ => &[false, true],
        }
    }

    /// Whether a quantity is a time whose sure values differ so much that the small ones could not be told apart on a
    /// linear axis.
    fn is_wide(&self, quantity: &Quantity<'_>) -> bool {
        let is_time = TIMES.iter().any(|unit| quantity.column.ends_with(unit));
        let sure = self.table.rows.iter().filter(|row| !self.worth(row, quantity).is_doubtful());
        let times = sure.filter_map(|row| self.table.number(row, quantity.column));
        let (least, most) = times
            .filter(|time| time.is_finite() && *time > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
        is_time && most > WIDE * least
    }

    /// Whether a column of a quantity's own load point, or else of the row, says this.
    fn is(&self, row: &[String], quantity: &Quantity<'_>, (name, value): (&str, &str)) -> bool {
        let own = quantity.column.rsplit_once('.').map(|(point, _)| format!("{point}.{name}"));
        let cell = own.and_then(|own| self.table.cell(row, &own)).or_else(|| self.table.cell(row, name));
        cell == Some(value)
    }

    /// Whether the network died at a quantity's load point: what it accepted there, and how long that took, is no part
    /// of a curve.
    pub fn is_dead(&self, row: &[String], quantity: &Quantity<'_>) -> bool {
        self.is(row, quantity, ("state", "deadlocked"))
    }

    /// What a value in a row is worth: as the columns of its own load point say, or else as the row does.
    fn worth(&self, row: &[String], quantity: &Quantity<'_>) -> Worth {
        let is = |name: &str, value: &str| self.is(row, quantity, (name, value));
        let lost = self.table.number(row, "lost").is_some_and(|lost| lost > 0.0);
        match (is("saturated", "true"), is("converged", "false")) {
            (true, _) => Worth::Saturated,
            (_, true) => Worth::NotConverged,
            _ if lost && quantity.column != "lost" => Worth::Lossy,
            _ => Worth::Sure,
        }
    }

    /// Every panel and quantity, each under a title that begins with this one.
    pub fn sheet(&self, title: &str) -> Vec<Chart> {
        let mut charts = Vec::new();
        for panel in self.panel_names() {
            for quantity in self.quantities() {
                let (chart, _) = self.chart(&panel, quantity, self.scales(quantity)[0], usize::MAX);
                let quantity = Label::new(quantity.column, 0.0).name;
                let of = [title, &panel, &quantity].into_iter().filter(|part| !part.is_empty());
                charts.push(Chart { title: of.collect::<Vec<_>>().join(": "), ..chart });
            }
        }
        charts
    }

    /// The different values of some columns, in order of first sight, as names.
    fn keys(
        &self,
        columns: &[&str],
        rows: &mut dyn Iterator<Item = &Vec<String>>,
        most: usize,
    ) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for row in rows {
            let key = self.key(columns, row);
            if !keys.contains(&key) && keys.len() < most {
                keys.push(key);
            }
        }
        keys
    }

    fn key(&self, columns: &[&str], row: &[String]) -> String {
        let part = |column: &&str| with_column(column, self.table.cell(row, column).unwrap_or("–"));
        columns.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    fn numbers<'r>(&'r self, column: &'r str) -> impl Iterator<Item = f64> + 'r {
        self.table.rows.iter().filter_map(move |row| self.table.number(row, column)).filter(|x| x.is_finite())
    }

    /// How an axis calls a column of the whole table.
    fn label(&self, column: &str) -> Label {
        Label::new(column, self.numbers(column).map(f64::abs).fold(0.0, f64::max))
    }

    /// The chart of a panel and a quantity with at most so many marks, and what each of them shows.
    pub fn chart(
        &self,
        panel: &str,
        quantity: &Quantity<'_>,
        log: bool,
        most: usize,
    ) -> (Chart, Vec<Vec<Tip>>) {
        let (x, y) = (self.label(self.x), self.label(quantity.column));
        let rows: Vec<&Vec<String>> =
            self.table.rows.iter().filter(|row| self.key(&self.panels, row) == panel).collect();
        let names = self.keys(&self.series, &mut rows.iter().copied(), self.most_series);
        let mut left = most;
        let (mut layers, mut tips) = (Vec::new(), Vec::new());
        for name in names {
            let mut own: Vec<&Vec<String>> =
                rows.iter().copied().filter(|row| self.key(&self.series, row) == name).collect();
            // Beyond saturation accepted traffic falls: there the line follows the loads, and turns back. Those of a
            // search for saturation stand behind the others in their table.
            if self.recipe.in_order {
                let load = |row: &[String]| self.table.number(row, "load").unwrap_or(0.0);
                own.sort_by(|a, b| load(a).total_cmp(&load(b)));
            }
            let mark = |row: &&Vec<String>| self.mark(row, quantity, &name, (&x, &y));
            let mut marks: Vec<(Mark, Tip)> = own.iter().filter_map(mark).take(left).collect();
            left -= marks.len();
            if !self.recipe.in_order {
                marks.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
            }
            let joined = joined(marks, self.band, &name, &y);
            let (marks, own_tips): (Vec<Mark>, Vec<Tip>) = joined.into_iter().unzip();
            layers.push(Layer { name, style: Style::Line, marks });
            tips.push(own_tips);
        }
        join_identical(&mut layers, &mut tips);
        if let Some((column, name)) = self.recipe.rule {
            let mut places: Vec<f64> = rows.iter().filter_map(|row| self.table.number(row, column)).collect();
            places.sort_by(f64::total_cmp);
            places.dedup();
            let marks = places.into_iter().map(|at| Mark::at(at / x.scale, 0.0)).collect();
            layers.push(Layer { name: name.to_owned(), style: Style::Rule, marks });
            tips.push(Vec::new());
        }
        if self.recipe.diagonal {
            let far = layers.iter().flat_map(|layer| &layer.marks).map(|mark| mark.x).fold(0.0, f64::max);
            let ends = [0.0, far].map(|at| Mark { x: at, y: at, ..Mark::default() });
            layers.push(Layer {
                name: "accepted as offered".to_owned(),
                style: Style::Guide,
                marks: ends.to_vec(),
            });
            tips.push(Vec::new());
        }
        let scaled = |label: &Label, log: bool| match log {
            true => Axis::log(&label.axis()),
            false => Axis::from_zero(&label.axis()),
        };
        let (x, y) = (scaled(&x, self.recipe.log_x), scaled(&y, log));
        let hollow = self.recipe.hollow.to_owned();
        (Chart { x, y, layers, hollow, ..Chart::default() }, tips)
    }

    fn mark(
        &self,
        row: &[String],
        quantity: &Quantity<'_>,
        series: &str,
        (x, y): (&Label, &Label),
    ) -> Option<(Mark, Tip)> {
        let number = |column: &str| self.table.number(row, column).filter(|x| x.is_finite());
        if self.is_dead(row, quantity) {
            return None;
        }
        let (own_x, own_y) = (number(self.x)?, number(quantity.column)?);
        let ends = match quantity.ends {
            Ends::Unknown => None,
            Ends::HalfWidth(column) => number(column).map(|half| (own_y - half, own_y + half)),
            Ends::Columns(low, high) => number(low).zip(number(high)),
        };
        let worth = self.worth(row, quantity);
        let mut words = Vec::new();
        words.extend((!series.is_empty()).then(|| series.to_owned()));
        words.extend(self.table.cell(row, "load").map(|load| format!("load {load}")));
        words.push(with_unit(y, own_y));
        if let Some((low, high)) = ends {
            let [low, high] = [low, high].map(|end| numbers::number(end / y.scale, 4));
            words.push(format!("between {low} and {high} {}", y.unit));
        }
        words.push(with_unit(x, own_x));
        words.extend(worth.words().map(str::to_owned));
        let ends = ends.filter(|(low, high)| low < high);
        let mark = Mark {
            x: own_x / x.scale,
            y: own_y / y.scale,
            low: ends.map(|(low, _)| low / y.scale),
            high: ends.map(|(_, high)| high / y.scale),
            hollow: worth.is_doubtful(),
        };
        let cell = |column: &str| self.table.cell(row, column).unwrap_or_default().to_owned();
        Some((mark, Tip { x: cell(self.x), y: cell(quantity.column), words: words.join("\n") }))
    }

    /// Between which values a quantity lies, at loads at which the network lives.
    pub fn found(&self, quantity: &Quantity<'_>) -> String {
        let column = quantity.column;
        let label = self.label(column);
        let alive = self.table.rows.iter().filter(|row| !self.is_dead(row, quantity));
        let numbers = alive.filter_map(|row| self.table.number(row, column)).filter(|x| x.is_finite());
        let ends = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if ends.0 > ends.1 {
            return format!("{} of dead networks alone", label.name);
        }
        let [low, high] = [ends.0, ends.1].map(|end| numbers::number(end / label.scale, 4));
        format!("{} from {low} to {high} {}", label.name, label.unit).trim_end().to_owned()
    }
}

/// What a value is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Worth {
    Sure,
    Saturated,
    NotConverged,
    Lossy,
}

impl Worth {
    const ALL: [Worth; 4] = [Worth::Sure, Worth::Saturated, Worth::NotConverged, Worth::Lossy];

    fn is_doubtful(self) -> bool {
        self != Worth::Sure
    }

    /// What is amiss, as a tip says it.
    fn words(self) -> Option<&'static str> {
        match self {
            Worth::Sure => None,
            Worth::Saturated => Some("saturated"),
            Worth::NotConverged => Some("not converged: known less well than asked for"),
            Worth::Lossy => Some("messages were lost"),
        }
    }
}

/// What stands between the names of curves that are one.
pub const SAME_AS: &str = " = ";

/// Makes one layer of those whose marks are the same to the last bit: the later ones would lie unseen below the first.
fn join_identical(layers: &mut Vec<Layer>, tips: &mut Vec<Vec<Tip>>) {
    let place = |mark: &Mark| [mark.x.to_bits(), mark.y.to_bits()];
    let same =
        |a: &Layer, b: &Layer| !a.marks.is_empty() && a.marks.iter().map(place).eq(b.marks.iter().map(place));
    let mut nth = 0;
    while nth < layers.len() {
        match (0..nth).find(|first| same(&layers[*first], &layers[nth])) {
            None => nth += 1,
            Some(first) => {
                let twin = layers.remove(nth);
                tips.remove(nth);
                layers[first].name.extend([SAME_AS, &twin.name]);
            }
        }
    }
}

/// Marks at one place, such as those of several seeds, joined into their mean.
fn joined(marks: Vec<(Mark, Tip)>, band: Band, series: &str, y: &Label) -> Vec<(Mark, Tip)> {
    let same = |a: &(Mark, Tip), b: &(Mark, Tip)| a.0.x.total_cmp(&b.0.x).is_eq();
    marks.chunk_by(same).filter_map(|group| mean_of(group, band, series, y)).collect()
}

/// The mean of marks at one place with its tip; a single mark as it is, `None` for no mark.
fn mean_of(group: &[(Mark, Tip)], band: Band, series: &str, y: &Label) -> Option<(Mark, Tip)> {
    let [.., (last, tip)] = group else { return None };
    if group.len() == 1 {
        return Some((*last, tip.clone()));
    }
    let values: Vec<f64> = group.iter().map(|(mark, _)| mark.y).collect();
    let Spread { mean, min, max, .. } = Spread::of(&values)?;
    let half = half_width(&values);
    let ends = match band {
        Band::Spread => Some((min, max)),
        // What is never below zero is not there either, however little is known of it.
        Band::Interval if min >= 0.0 => half.map(|half| ((mean - half).max(0.0), mean + half)),
        Band::Interval => half.map(|half| (mean - half, mean + half)),
        Band::Nothing => None,
    };
    let number = |value: f64| numbers::number(value, 4);
    let mut words = vec![format!("{} {} {}", y.name, number(mean), y.unit)];
    words.push(match half {
        Some(half) => format!(
            "mean of {} ± {} (95 %), from {} to {}",
            group.len(),
            number(half),
            number(min),
            number(max)
        ),
        None => format!("mean of {}, from {} to {}", group.len(), number(min), number(max)),
    });
    let place =
        tip.words.lines().rev().find(|line| Worth::ALL.iter().all(|worth| worth.words() != Some(line)));
    words.extend(place.map(str::to_owned));
    words.splice(0..0, (!series.is_empty()).then(|| series.to_owned()));
    words.extend(doubts(group));
    let hollow = group.iter().any(|(mark, _)| mark.hollow);
    let mark =
        Mark { x: last.x, y: mean, low: ends.map(|ends| ends.0), high: ends.map(|ends| ends.1), hollow };
    let y = (mean * y.scale).to_string();
    Some((mark, Tip { x: tip.x.clone(), y, words: words.join("\n") }))
}

/// How many of these marks are doubtful, if any is.
fn doubts(group: &[(Mark, Tip)]) -> Option<String> {
    let doubtful = group.iter().filter(|(mark, _)| mark.hollow).count();
    (doubtful > 0).then(|| format!("{doubtful} of them saturated, not converged or with losses"))
}

/// A value with its name and unit, as a tip shows it.
fn with_unit(label: &Label, value: f64) -> String {
    format!("{} {} {}", label.name, numbers::number(value / label.scale, 4), label.unit).trim_end().to_owned()
}

/// A cell with what its column says about it: the name of a bare number, or its unit.
fn with_column(column: &str, cell: &str) -> String {
    let is_number = cell.parse::<f64>().is_ok();
    let Label { name, unit, scale } = Label::new(column, cell.parse().unwrap_or(0.0));
    match (is_number, unit) {
        (false, _) => cell.to_owned(),
        // Of a column without a name the values say enough.
        (true, "") => format!("{name} {cell}").trim_start().to_owned(),
        (true, unit) => {
            let value = cell.parse::<f64>().unwrap_or(0.0) / scale;
            format!("{} {unit}", numbers::number(value, 4))
        }
    }
}
