//! From a table and a recipe to plots: panels, quantities and scales to choose from, each choice a chart that is drawn.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::report::{Axis, Chart, Layer, Mark, Style, Tip, draw_on_page};

use super::super::Csv;
use super::recipes::{Ends, Quantity, Recipe};
use super::words::Label;
use crate::numbers as text;

/// Panels of a plot; the table has them all.
const MOST_PANELS: usize = 12;
/// Series of a chart.
const MOST_SERIES: usize = 16;
/// Marks of a plot, over all choices.
const MOST_MARKS: usize = 6_000;
/// Rows of the table beside a plot.
const MOST_ROWS: usize = 200;

/// Something to choose from: what it is called, and the names of the choices.
pub(in crate::page) struct Choice {
    pub(in crate::page) name: &'static str,
    pub(in crate::page) options: Vec<String>,
    /// Whether it is a row of buttons, and not a list.
    pub(in crate::page) buttons: bool,
}

/// A chart for every combination of choices, the last choice running fastest.
pub(in crate::page) struct Plot {
    pub(in crate::page) title: String,
    pub(in crate::page) about: String,
    pub(in crate::page) choices: Vec<Choice>,
    pub(in crate::page) charts: Vec<String>,
    /// The first that is shown.
    pub(in crate::page) first: usize,
    pub(in crate::page) table: Markup,
    /// What came out, as part of a sentence.
    pub(in crate::page) found: String,
}

impl Plot {
    /// The plot on a page; `id` tells it from the others.
    pub(in crate::page) fn markup(&self, id: &str) -> Markup {
        html! {
            div.plot data-plot=(id) data-first=(self.first) {
                h3 { (self.title) }
                p { (self.about) }
                div.tools {}
                div.scroll.charts {
                    @for (nth, chart) in self.charts.iter().enumerate() {
                        div.chart hidden[nth != self.first] { (PreEscaped(chart)) }
                    }
                }
                details { summary { "The same as a table" } (self.table) }
            }
        }
    }

    /// What the script works on.
    pub(in crate::page) fn data(&self) -> Value {
        let of = |name, options, buttons| json!({ "name": name, "options": options, "buttons": buttons });
        self.choices.iter().map(|choice| of(choice.name, &choice.options, choice.buttons)).collect()
    }
}

/// A table as a recipe sees it.
struct Source<'a> {
    table: &'a Csv,
    recipe: &'a Recipe<'a>,
    /// The column of the horizontal axis.
    x: &'a str,
    /// The columns that tell series apart.
    series: Vec<&'a str>,
    /// The columns that tell panels apart.
    panels: Vec<&'a str>,
}

/// The plot that a recipe makes of a table, if it is its own and has something to show.
pub(super) fn plot<'a>(table: &'a Csv, recipe: &'a Recipe<'a>, id: &str) -> Option<Plot> {
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
    let source = Source { table, recipe, x, series, panels };
    source.plot(id)
}

impl Source<'_> {
    fn plot(&self, id: &str) -> Option<Plot> {
        let panels: Vec<String> = self.keys(&self.panels, &mut self.table.rows.iter(), MOST_PANELS);
        let y: Vec<&Quantity<'_>> =
            self.recipe.y.iter().filter(|quantity| self.numbers(quantity.column).next().is_some()).collect();
        if y.is_empty() || panels.is_empty() {
            return None;
        }
        // A comparison with what is equal makes no sense on other scales.
        let scales: &[bool] = match (self.recipe.diagonal, self.recipe.log_y) {
            (true, _) => &[false],
            (_, true) => &[true, false],
            _ => &[false, true],
        };
        let most = MOST_MARKS / (panels.len() * y.len() * scales.len());
        let mut charts = Vec::new();
        for (panel_nth, panel) in panels.iter().enumerate() {
            for (y_nth, quantity) in y.iter().enumerate() {
                for log in scales {
                    let (chart, tips) = self.chart(panel, quantity, *log, most);
                    let name = format!("{id}-{panel_nth}-{y_nth}-{}", usize::from(*log));
                    let label = format!("{}: {} against {}", self.recipe.title, chart.y.label, chart.x.label);
                    charts.push(draw_on_page(&chart, &name, &label, &tips, self.recipe.hollow));
                }
            }
        }
        let names = |quantity: &&Quantity<'_>| Label::new(quantity.column, 0.0).name;
        let scale = |log: &bool| if *log { "logarithmic" } else { "linear" }.to_owned();
        Some(Plot {
            title: self.recipe.title.to_owned(),
            about: self.recipe.about.to_owned(),
            choices: vec![
                Choice { name: "Shown", options: panels, buttons: false },
                Choice { name: "Quantity", options: y.iter().map(names).collect(), buttons: true },
                Choice { name: "Scale", options: scales.iter().map(scale).collect(), buttons: true },
            ],
            charts,
            first: 0,
            table: self.table(&y),
            found: self.found(y[0].column),
        })
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
        let part = |column: &&str| {
            let cell = self.table.cell(row, column).unwrap_or("–");
            let is_number = cell.parse::<f64>().is_ok();
            let Label { name, unit, scale } = Label::new(column, cell.parse().unwrap_or(0.0));
            match (is_number, unit) {
                (false, _) => cell.to_owned(),
                (true, "") => format!("{name} {cell}"),
                (true, unit) => {
                    let value = cell.parse::<f64>().unwrap_or(0.0) / scale;
                    format!("{} {unit}", text::number(value, 4))
                }
            }
        };
        columns.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    fn numbers<'r>(&'r self, column: &'r str) -> impl Iterator<Item = f64> + 'r {
        self.table.rows.iter().filter_map(move |row| self.table.number(row, column)).filter(|x| x.is_finite())
    }

    /// How an axis calls a column of the whole table.
    fn label(&self, column: &str) -> Label {
        Label::new(column, self.numbers(column).map(f64::abs).fold(0.0, f64::max))
    }

    fn chart(&self, panel: &str, quantity: &Quantity<'_>, log: bool, most: usize) -> (Chart, Vec<Vec<Tip>>) {
        let (x, y) = (self.label(self.x), self.label(quantity.column));
        let rows: Vec<&Vec<String>> =
            self.table.rows.iter().filter(|row| self.key(&self.panels, row) == panel).collect();
        let names = self.keys(&self.series, &mut rows.iter().copied(), MOST_SERIES);
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
            let (marks, told): (Vec<Mark>, Vec<Tip>) = joined(marks, &name, &y).into_iter().unzip();
            layers.push(Layer { name, style: Style::Line, marks });
            tips.push(told);
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
        let chart =
            Chart { x: scaled(&x, self.recipe.log_x), y: scaled(&y, log), layers, ..Chart::default() };
        (chart, tips)
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
        words.push(told(y, own_y));
        if let Some((low, high)) = ends {
            let [low, high] = [low, high].map(|end| text::number(end / y.scale, 4));
            words.push(format!("between {low} and {high} {}", y.unit));
        }
        words.push(told(x, own_x));
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
    fn found(&self, column: &str) -> String {
        let label = self.label(column);
        let ends =
            self.numbers(column).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let [low, high] = [ends.0, ends.1].map(|end| text::number(end / label.scale, 4));
        format!("{} from {low} to {high} {}", label.name, label.unit).trim_end().to_owned()
    }

    /// What the curves are made of, as a table.
    fn table(&self, y: &[&Quantity<'_>]) -> Markup {
        let mut columns: Vec<&str> = self.panels.iter().chain(&self.series).copied().collect();
        columns.push(self.x);
        columns.extend(y.iter().map(|quantity| quantity.column));
        columns
            .extend(["saturated", "converged"].iter().filter(|column| self.table.column(column).is_some()));
        table(self.recipe.table, self.table, &columns)
    }
}

/// Marks at one place, such as those of several seeds, joined into their mean between the least and the greatest.
fn joined(marks: Vec<(Mark, Tip)>, series: &str, y: &Label) -> Vec<(Mark, Tip)> {
    let same = |a: &(Mark, Tip), b: &(Mark, Tip)| a.0.x.total_cmp(&b.0.x).is_eq();
    let join = |group: &[(Mark, Tip)]| {
        let [.., (last, tip)] = group else { return None };
        if group.len() == 1 {
            return Some((*last, tip.clone()));
        }
        let values = || group.iter().map(|(mark, _)| mark.y);
        let mean = values().sum::<f64>() / group.len() as f64;
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let ends = [low, high].map(|end| text::number(end, 4));
        let mut words = vec![format!("{} {} {}", y.name, text::number(mean, 4), y.unit)];
        words.push(format!("mean of {}, from {} to {}", group.len(), ends[0], ends[1]));
        words.extend(tip.words.lines().last().map(str::to_owned));
        words.splice(0..0, (!series.is_empty()).then(|| series.to_owned()));
        let hollow = group.iter().any(|(mark, _)| mark.hollow);
        let mark = Mark { x: last.x, y: mean, low: Some(low), high: Some(high), hollow };
        let y = (mean * y.scale).to_string();
        Some((mark, Tip { x: tip.x.clone(), y, words: words.join("\n") }))
    };
    marks.chunk_by(same).filter_map(join).collect()
}

fn told(label: &Label, value: f64) -> String {
    format!("{} {} {}", label.name, text::number(value / label.scale, 4), label.unit).trim_end().to_owned()
}

/// Some columns of a table, its first rows.
pub(super) fn table(file: &str, table: &Csv, columns: &[&str]) -> Markup {
    let label = |column: &&str| {
        let Label { name, unit, .. } = Label::new(column, 0.0);
        if unit.is_empty() { name } else { format!("{name} ({unit})") }
    };
    let shown = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => (text::number(number, 5), true),
        Err(_) => (cell.to_owned(), false),
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table of " (file) ".csv" } {
            table {
                caption {
                    @if table.rows.len() > MOST_ROWS { "The first " (MOST_ROWS) " of " (table.rows.len()) " rows of " }
                    code { (file) ".csv" }
                }
                thead { tr { @for column in columns { th scope="col" { (label(column)) } } } }
                tbody {
                    @for row in table.rows.iter().take(MOST_ROWS) {
                        tr {
                            @for column in columns {
                                @let (cell, number) = shown(table.cell(row, column).unwrap_or("–"));
                                td.num[number] { bdi { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
