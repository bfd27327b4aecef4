//! From a table and a recipe to plots: panels, quantities and scales to choose from, each choice a chart that is drawn.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::report::{Csv, Curves, Label, Quantity, SAME_AS, draw_on_page};

use simnet_base::numbers as text;

/// Marks of a plot, over all choices.
const MOST_MARKS: usize = 6_000;
/// Rows of the table next to a plot.
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
    /// The plot on a page; `id` distinguishes it from the others.
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

/// The plot of some curves, if there is something to show.
pub(super) fn plot(curves: &Curves<'_>, id: &str) -> Option<Plot> {
    let (panels, quantities) = (curves.panel_names(), curves.quantities());
    let scales = curves.scales(quantities.first()?);
    if panels.is_empty() {
        return None;
    }
    let recipe = curves.recipe;
    let most = MOST_MARKS / (panels.len() * quantities.len() * scales.len());
    let mut charts = Vec::new();
    let mut has_same = false;
    for (panel_nth, panel) in panels.iter().enumerate() {
        for (y_nth, quantity) in quantities.iter().enumerate() {
            for log in scales {
                let (chart, tips) = curves.chart(panel, quantity, *log, most);
                has_same |= chart.layers.iter().any(|layer| layer.name.contains(SAME_AS));
                let name = format!("{id}-{panel_nth}-{y_nth}-{}", usize::from(*log));
                let label = format!("{}: {} against {}", recipe.title, chart.y.label, chart.x.label);
                charts.push(draw_on_page(&chart, &name, &label, &tips));
            }
        }
    }
    let names = |quantity: &&Quantity<'_>| Label::new(quantity.column, 0.0).name;
    let scale = |log: &bool| if *log { "logarithmic" } else { "linear" }.to_owned();
    Some(Plot {
        title: recipe.title.to_owned(),
        about: match has_same {
            false => recipe.about.to_owned(),
            true => format!("{} Curves that are identical are one, with all their names.", recipe.about),
        },
        choices: vec![
            Choice { name: "Shown", options: panels, buttons: false },
            Choice { name: "Quantity", options: quantities.iter().map(names).collect(), buttons: true },
            Choice { name: "Scale", options: scales.iter().map(scale).collect(), buttons: true },
        ],
        charts,
        first: 0,
        found: curves.found(quantities[0]),
        table: all_columns(curves, &quantities),
    })
}

/// What the curves are made of, as a table.
fn all_columns(curves: &Curves<'_>, quantities: &[&Quantity<'_>]) -> Markup {
    let mut columns: Vec<&str> = curves.panels.iter().chain(&curves.series).copied().collect();
    columns.push(curves.x);
    columns.extend(quantities.iter().map(|quantity| quantity.column));
    columns.extend(["saturated", "converged"].iter().filter(|column| curves.table.column(column).is_some()));
    let is_drawn = |row: &&Vec<String>| quantities.iter().any(|quantity| !curves.is_dead(row, quantity));
    let rows: Vec<&Vec<String>> = curves.table.rows.iter().filter(is_drawn).collect();
    let shown = |row: &[String], column: &str| {
        let own = quantities.iter().find(|quantity| quantity.column == column);
        own.is_none_or(|quantity| !curves.is_dead(row, quantity))
    };
    table(curves.recipe.table, curves.table, &rows, &columns, &shown)
}

/// Some columns of some rows of a table, the first of these; a cell that is not to be shown is a dash.
pub(super) fn table(
    file: &str,
    table: &Csv,
    rows: &[&Vec<String>],
    columns: &[&str],
    is_shown: &dyn Fn(&[String], &str) -> bool,
) -> Markup {
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
                    @if rows.len() > MOST_ROWS { "The first " (MOST_ROWS) " of " (rows.len()) " rows of " }
                    code { (file) ".csv" }
                }
                thead { tr { @for column in columns { th scope="col" { (label(column)) } } } }
                tbody {
                    @for row in rows.iter().take(MOST_ROWS) {
                        tr {
                            @for column in columns {
                                @let own = table.cell(row, column).filter(|_| is_shown(row, column));
                                @let (cell, number) = shown(own.unwrap_or("–"));
                                td.num[number] { bdi { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
