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
use simnet_base::measure::Spread;
use simnet_base::numbers;
pub use words::Label;

/// Panels of a table.
const MOST_PANELS: usize = 12;
/// Series of a chart of a report.
const MOST_SERIES: usize = 16;

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
        Some(Curves { table, recipe, x, series, panels, most_series: MOST_SERIES })
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

    /// The scales that a vertical axis may have, logarithmic or not; the first is the better one.
    pub fn scales(&self) -> &'static [bool] {
        // A comparison with what is equal makes no sense on other scales.
        match (self.recipe.diagonal, self.recipe.log_y) {
            (true, _) => &[false],
            (_, true) => &[true, false],
            _ => &[false, true],
        }
    }

    /// Every panel and quantity, each under a title that begins with this one.
    pub fn sheet(&self, title: &str) -> Vec<Chart> {
        let mut charts = Vec::new();
        for panel in self.panel_names() {
            for quantity in self.quantities() {
                let (chart, _) = self.chart(&panel, quantity, self.scales()[0], usize::MAX);
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
            let own = rows.iter().filter(|row| self.key(&self.series, row) == name);
            let mark = |row: &&Vec<String>| self.mark(row, quantity, &name, (&x, &y));
            let mut marks: Vec<(Mark, Tip)> = own.filter_map(mark).take(left).collect();
            left -= marks.len();
            // Beyond saturation accepted traffic falls: there the line follows the loads, and turns back.
            if !self.recipe.in_order {
                marks.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
            }
            let (marks, own_tips): (Vec<Mark>, Vec<Tip>) = joined(marks, &name, &y).into_iter().unzip();
            layers.push(Layer { name, style: Style::Line, marks });
            tips.push(own_tips);
        }
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
        let (own_x, own_y) = (number(self.x)?, number(quantity.column)?);
        let ends = match quantity.ends {
            Ends::Unknown => None,
            Ends::HalfWidth(column) => number(column).map(|half| (own_y - half, own_y + half)),
            Ends::Columns(low, high) => number(low).zip(number(high)),
        };
        let is = |column: &str, value: &str| self.table.cell(row, column) == Some(value);
        let (saturated, unsure) = (is("saturated", "true"), is("converged", "false"));
        let lossy = number("lost").is_some_and(|lost| lost > 0.0) && quantity.column != "lost";
        let mut words = Vec::new();
        words.extend((!series.is_empty()).then(|| series.to_owned()));
        words.extend(self.table.cell(row, "load").map(|load| format!("load {load}")));
        words.push(with_unit(y, own_y));
        if let Some((low, high)) = ends {
            let [low, high] = [low, high].map(|end| numbers::number(end / y.scale, 4));
            words.push(format!("between {low} and {high} {}", y.unit));
        }
        words.push(with_unit(x, own_x));
        words.extend(
            match (saturated, unsure, lossy) {
                (true, ..) => Some("saturated"),
                (_, true, _) => Some("not converged: known less well than asked for"),
                (.., true) => Some("messages were lost"),
                _ => None,
            }
            .map(str::to_owned),
        );
        let ends = ends.filter(|(low, high)| low < high);
        let mark = Mark {
            x: own_x / x.scale,
            y: own_y / y.scale,
            low: ends.map(|(low, _)| low / y.scale),
            high: ends.map(|(_, high)| high / y.scale),
            hollow: saturated || unsure || lossy,
        };
        let cell = |column: &str| self.table.cell(row, column).unwrap_or_default().to_owned();
        Some((mark, Tip { x: cell(self.x), y: cell(quantity.column), words: words.join("\n") }))
    }

    /// Between which values a quantity lies.
    pub fn found(&self, column: &str) -> String {
        let label = self.label(column);
        let ends =
            self.numbers(column).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let [low, high] = [ends.0, ends.1].map(|end| numbers::number(end / label.scale, 4));
        format!("{} from {low} to {high} {}", label.name, label.unit).trim_end().to_owned()
    }
}

/// Marks at one place, such as those of several seeds, joined into their mean between the least and the greatest.
fn joined(marks: Vec<(Mark, Tip)>, series: &str, y: &Label) -> Vec<(Mark, Tip)> {
    let same = |a: &(Mark, Tip), b: &(Mark, Tip)| a.0.x.total_cmp(&b.0.x).is_eq();
    marks.chunk_by(same).filter_map(|group| mean_of(group, series, y)).collect()
}

/// The mean of marks at one place with its tip; a single mark as it is, `None` for no mark.
fn mean_of(group: &[(Mark, Tip)], series: &str, y: &Label) -> Option<(Mark, Tip)> {
    let [.., (last, tip)] = group else { return None };
    if group.len() == 1 {
        return Some((*last, tip.clone()));
    }
    let Spread { mean, min: low, max: high, .. } =
        Spread::of(&group.iter().map(|(mark, _)| mark.y).collect::<Vec<_>>())?;
    let ends = [low, high].map(|end| numbers::number(end, 4));
    let mut words = vec![format!("{} {} {}", y.name, numbers::number(mean, 4), y.unit)];
    words.push(format!("mean of {}, from {} to {}", group.len(), ends[0], ends[1]));
    words.extend(tip.words.lines().last().map(str::to_owned));
    words.splice(0..0, (!series.is_empty()).then(|| series.to_owned()));
    let hollow = group.iter().any(|(mark, _)| mark.hollow);
    let mark = Mark { x: last.x, y: mean, low: Some(low), high: Some(high), hollow };
    let y = (mean * y.scale).to_string();
    Some((mark, Tip { x: tip.x.clone(), y, words: words.join("\n") }))
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
