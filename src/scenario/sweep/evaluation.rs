//! What a sweep's file wants made of its points: ratios, statistics, comparisons with the papers' numbers, figures.
//!
//! Axes are named as in the table of points: by the path of a key, by the name of an axis with labels, or `seed`.
//! Which columns there are shows only when points have been run, unless the file lists them.

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::papers;

use super::axes::{Axis, printed};
use crate::diagnostics::{Diagnostics, Place};
use crate::printed::{PaperNumber, Statistic};
use crate::wire::{self, Direction, Located};

/// The column of the seeds.
pub const SEED: &str = "seed";

/// What is made of the points of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Further columns.
    pub ratios: Vec<Ratio>,
    /// The axes over which statistics are taken; none: no statistics.
    pub over: Vec<String>,
    /// The column to whose means some of their values are nearest, if they are to be found.
    pub nearest: Option<String>,
    /// Printed numbers to compare ours with.
    pub references: Vec<Reference>,
    /// Curves.
    pub plots: Vec<Plot>,
}

/// Axes with the values that they have, printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins(pub Vec<(String, String)>);

/// A column more: values over those of another point.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// What it is called.
    pub name: String,
    /// The column whose values are divided.
    pub column: String,
    /// In what the point to divide by differs.
    pub over: Pins,
}

/// A printed number and what of the points is compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The number.
    pub number: PaperNumber,
    /// The column.
    pub column: String,
    /// The points.
    pub at: Pins,
    /// What is taken over them.
    pub statistic: Statistic,
    /// What ours is multiplied with.
    pub scale: f64,
}

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The name of its file, without its ending.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What goes to the right: an axis or a column.
    pub x: String,
    /// What goes up: a column.
    pub y: String,
    /// The axis with a line for every value.
    pub lines: Option<String>,
    /// The points that are drawn.
    pub at: Pins,
    /// Whether of these only those are drawn that are nearest to the means.
    pub nearest: bool,
    /// Whether equal distances are equal factors, to the right and up.
    pub logarithmic: [bool; 2],
    /// Whether marks have bands from the least to the greatest.
    pub spread: bool,
    /// What stands at the axes.
    pub labels: [String; 2],
}

/// What the keys of an evaluation are checked against.
pub(super) struct Context<'a> {
    pub(super) axes: &'a [Axis],
    /// The columns that the file lists; none: whatever the points have.
    pub(super) columns: &'a [String],
    /// The seeds, if they are listed.
    pub(super) seeds: Option<&'a [u64]>,
}

/// Checks the parts of an evaluation; faults are noted, and what is faulty is left out.
pub(super) fn read(
    sweep: &wire::Sweep,
    references: &[Located<wire::Reference>],
    figures: &[Located<wire::Figure>],
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) -> Evaluation {
    let ratios = sweep.ratios.value().into_iter().flatten();
    let ratios: Vec<Ratio> = ratios.filter_map(|at| context.ratio(&at.value, diagnostics)).collect();
    check_names(
        sweep.ratios.value().into_iter().flatten().filter_map(|at| at.value.name.get()),
        context,
        diagnostics,
    );
    let names: Vec<&str> = ratios.iter().map(|ratio| ratio.name.as_str()).collect();
    let over = sweep.statistics_over.value().into_iter().flatten();
    let over = over.filter_map(|axis| context.axis(axis, diagnostics)).collect();
    let nearest = context.nearest(sweep, &names, diagnostics);
    let references =
        references.iter().flat_map(|at| context.references(&at.value, &names, diagnostics)).collect();
    let plots: Vec<Plot> =
        figures.iter().filter_map(|at| context.plot(&at.value, &names, diagnostics)).collect();
    check_files(figures, diagnostics);
    check_nearest(figures, sweep, diagnostics);
    Evaluation { ratios, over, nearest, references, plots }
}

impl Evaluation {
    /// Whether nothing is made of the points.
    pub fn is_empty(&self) -> bool {
        *self == Evaluation::default()
    }
}

/// Notes ratios that are called like a column that is there already.
fn check_names<'a>(
    names: impl Iterator<Item = &'a Located<String>>,
    context: &Context<'_>,
    diagnostics: &mut Diagnostics,
) {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        let is_taken = context.names().any(|other| other == name.value)
            || context.columns.contains(&name.value)
            || seen.contains(&name.value.as_str());
        if is_taken {
            diagnostics.add(name.place, |span| {
                let message = format!("a column is called `{}` already", quoted(&name.value));
                Fault::new("conflict", span, message, "expected a name of its own")
            });
        }
        seen.push(&name.value);
    }
}

/// Notes figures of one name.
fn check_files(figures: &[Located<wire::Figure>], diagnostics: &mut Diagnostics) {
    let mut seen: Vec<&str> = Vec::new();
    for name in figures.iter().filter_map(|at| at.value.name.get()) {
        if seen.contains(&name.value.as_str()) {
            diagnostics.add(name.place, |span| {
                let message = format!("two figures are called `{}`", quoted(&name.value));
                Fault::new("conflict", span, message, "expected each name once")
            });
        }
        seen.push(&name.value);
    }
}

/// Notes figures of the nearest points where none are to be found.
fn check_nearest(figures: &[Located<wire::Figure>], sweep: &wire::Sweep, diagnostics: &mut Diagnostics) {
    for place in figures.iter().filter_map(|at| at.value.nearest.get()).filter(|at| at.value) {
        if sweep.nearest.is_absent() {
            diagnostics.add(place.place, |span| {
                Fault::new("missing-key", span, "nearest to nothing", "needs `nearest` in [sweep]: a column")
            });
        }
    }
}

impl Context<'_> {
    /// What axes are called: labels and keys, then the seed.
    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.axes.iter().flat_map(Axis::names).chain([SEED])
    }

    /// An axis by its name.
    fn axis(&self, name: &Located<String>, diagnostics: &mut Diagnostics) -> Option<String> {
        if self.names().any(|known| known == name.value) {
            return Some(name.value.clone());
        }
        let all = self.names().map(quoted).collect::<Vec<_>>().join(", ");
        diagnostics.add(name.place, |span| {
            let message = format!("no axis is called `{}`", quoted(&name.value));
            Fault::new("unknown-axis", span, message, format!("expected one of {all}"))
                .with_nearest(&name.value, self.names())
        });
        None
    }

    /// A column by its name: one of those that the file lists, if it lists any, or of `further` ones.
    fn column(
        &self,
        name: &Located<String>,
        further: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let known = || self.columns.iter().map(String::as_str).chain(further.iter().copied());
        if self.columns.is_empty() || known().any(|known| known == name.value) {
            return Some(name.value.clone());
        }
        let all = known().take(LISTED).map(quoted).collect::<Vec<_>>().join(", ");
        diagnostics.add(name.place, |span| {
            let message = format!("`{}` is none of the columns of this sweep", quoted(&name.value));
            Fault::new("unknown-column", span, message, format!("expected one of {all}"))
                .with_help("columns are listed in [sweep]")
                .with_nearest(&name.value, known())
        });
        None
    }

    /// Axes and their values; `None` after a fault.
    fn pins(&self, pins: &wire::Pins, diagnostics: &mut Diagnostics) -> Option<Pins> {
        let checked: Vec<Option<(String, String)>> = pins
            .0
            .iter()
            .map(|(name, value)| {
                let axis = self.axis(name, diagnostics)?;
                let text = printed(value);
                self.check_value(&axis, &text, value.place, diagnostics)?;
                Some((axis, text))
            })
            .collect();
        checked.into_iter().collect::<Option<_>>().map(Pins)
    }

    /// Notes a value that its axis does not have.
    fn check_value(&self, axis: &str, text: &str, place: Place, diagnostics: &mut Diagnostics) -> Option<()> {
        let values: Vec<String> = match (axis, self.seeds) {
            (SEED, Some(seeds)) => seeds.iter().map(u64::to_string).collect(),
            (SEED, None) => return Some(()),
            _ => self.axes.iter().find_map(|known| known.values_of(axis)).unwrap_or_default(),
        };
        if values.iter().any(|value| value == text) {
            return Some(());
        }
        let all = values.iter().take(LISTED).map(|value| quoted(value)).collect::<Vec<_>>().join(", ");
        diagnostics.add(place, |span| {
            let message = format!("`{}` is no value of `{}`", quoted(text), quoted(axis));
            Fault::new("unknown-cell", span, message, format!("expected one of {all}"))
                .with_nearest(text, values.iter().map(String::as_str))
        });
        None
    }

    /// The column whose nearest points are found; `None` without one, or after a fault.
    fn nearest(&self, sweep: &wire::Sweep, ratios: &[&str], diagnostics: &mut Diagnostics) -> Option<String> {
        let name = sweep.nearest.get()?;
        if sweep.statistics_over.is_absent() {
            diagnostics.add(name.place, |span| {
                let expected = "needs `statistics-over`: the axes whose nearest values are to be found";
                Fault::new("missing-key", span, "`nearest` without means", expected)
            });
        }
        if name.value.contains('*') {
            diagnostics.add(name.place, |span| {
                Fault::new("conflict", span, "a column of lists", "expected a column without `*`")
            });
            return None;
        }
        self.column(name, ratios, diagnostics)
    }

    fn ratio(&self, ratio: &wire::Ratio, diagnostics: &mut Diagnostics) -> Option<Ratio> {
        let column = ratio.column.get().and_then(|column| self.column(column, &[], diagnostics));
        let over = ratio.over.value().and_then(|pins| self.pins(pins, diagnostics));
        let over =
            over.filter(|pins| !pins.0.is_empty() || empty(ratio.over.get().map(|at| at.place), diagnostics));
        if let (Some(name), Some(column)) = (ratio.name.get(), &column)
            && name.value.matches('*').count() != column.matches('*').count()
        {
            diagnostics.add(name.place, |span| {
                let message = "one of `name` and `column` goes through a list, the other does not";
                Fault::new("conflict", span, message, "expected `*` in both or in neither")
            });
        }
        Some(Ratio { name: ratio.name.value()?.clone(), column: column?, over: over? })
    }

    /// A reference for every number that the paper prints of the quantities and configurations.
    fn references(
        &self,
        reference: &wire::Reference,
        ratios: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Vec<Reference> {
        let (Some(paper), Some(figure)) = (reference.paper.get(), reference.figure.get()) else {
            return Vec::new();
        };
        let is_known = is_printed(paper, "paper", &papers::choices(&[]), diagnostics)
            && is_printed(figure, "figure", &papers::choices(&[&paper.value]), diagnostics);
        if !is_known {
            return Vec::new();
        }
        let before = [paper.value.as_str(), figure.value.as_str()];
        let mut found = Vec::new();
        for (quantity, ours) in reference.quantities.value().into_iter().flat_map(|all| &all.entries) {
            let column = ours.value.column.get().and_then(|name| self.column(name, ratios, diagnostics));
            let at = ours.value.at.value().and_then(|pins| self.pins(pins, diagnostics));
            if !is_printed(quantity, "quantity", &papers::choices(&before), diagnostics) {
                continue;
            }
            let (Some(column), Some(at)) = (column, at) else { continue };
            let before = [before[0], before[1], quantity.value.as_str()];
            for (configuration, pins) in self.configurations(reference, &before, diagnostics) {
                let Some(printed) = papers::printed(before[0], before[1], before[2], &configuration) else {
                    continue;
                };
                let names = [before[0], before[1], before[2], &configuration].map(str::to_owned);
                found.push(Reference {
                    number: PaperNumber { names, printed },
                    column: column.clone(),
                    at: Pins(at.0.iter().cloned().chain(pins.0).collect()),
                    statistic: ours.value.statistic.value().copied().unwrap_or(Statistic::Mean),
                    scale: ours.value.scale.value().copied().unwrap_or(1.0),
                });
            }
        }
        self.check_configurations(reference, &before, diagnostics);
        found
    }

    /// The configurations for which the paper prints a quantity and that the file wants, with their points.
    fn configurations(
        &self,
        reference: &wire::Reference,
        before: &[&str; 3],
        diagnostics: &mut Diagnostics,
    ) -> Vec<(String, Pins)> {
        let printed = papers::choices(before);
        let Some(wanted) = reference.configurations.value() else {
            return printed.into_iter().map(|name| (name, Pins::default())).collect();
        };
        let of_quantity = wanted.entries.iter().filter(|(name, _)| printed.contains(&name.value));
        // Faults of these are noted once, by `check_configurations`.
        let mut aside = diagnostics.empty_copy();
        of_quantity
            .filter_map(|(name, pins)| Some((name.value.clone(), self.pins(&pins.value, &mut aside)?)))
            .collect()
    }

    /// Notes configurations that none of the quantities has, and faulty values in them.
    fn check_configurations(
        &self,
        reference: &wire::Reference,
        before: &[&str; 2],
        diagnostics: &mut Diagnostics,
    ) {
        let quantities = reference.quantities.value().into_iter().flat_map(|all| &all.entries);
        let printed: Vec<String> = quantities
            .flat_map(|(quantity, _)| papers::choices(&[before[0], before[1], &quantity.value]))
            .collect();
        for (name, pins) in reference.configurations.value().into_iter().flat_map(|all| &all.entries) {
            self.pins(&pins.value, diagnostics);
            is_printed(name, "configuration", &printed, diagnostics);
        }
    }

    fn plot(&self, figure: &wire::Figure, ratios: &[&str], diagnostics: &mut Diagnostics) -> Option<Plot> {
        let name = figure.name.get().and_then(|name| figure_name(name, diagnostics));
        let x = figure.x.get().and_then(|x| match self.names().any(|axis| axis == x.value) {
            true => Some(x.value.clone()),
            false => self.column(x, ratios, diagnostics),
        });
        let y = figure.y.get().and_then(|y| self.column(y, ratios, diagnostics));
        let lines = figure.lines.get().map(|axis| self.axis(axis, diagnostics));
        let at = figure.at.value().and_then(|pins| self.pins(pins, diagnostics));
        let (name, x, y) = (name?, x?, y?);
        if let (Some(at), true) = (figure.y.get(), x.contains('*') != y.contains('*')) {
            diagnostics.add(at.place, |span| {
                let message = "one of `x` and `y` goes through a list, the other does not";
                Fault::new("conflict", span, message, "expected `*` in both or in neither")
            });
            return None;
        }
        let directions = figure.logarithmic.value().map_or(&[][..], Vec::as_slice);
        let is = |direction| directions.iter().any(|at| at.value == direction);
        let label =
            |given: Option<&String>, column: &str| given.map_or_else(|| column.to_owned(), Clone::clone);
        Some(Plot {
            title: figure.title.value().map_or_else(|| name.clone(), Clone::clone),
            labels: [label(figure.x_label.value(), &x), label(figure.y_label.value(), &y)],
            name,
            x,
            y,
            lines: lines.map_or(Some(None), |axis| axis.map(Some))?,
            at: at?,
            nearest: figure.nearest.value().copied().unwrap_or(false),
            logarithmic: [is(Direction::X), is(Direction::Y)],
            spread: figure.spread.value().copied().unwrap_or(false),
        })
    }
}

/// How many names a message lists.
const LISTED: usize = 12;

/// Notes a table of axes without any.
fn empty(place: Option<Place>, diagnostics: &mut Diagnostics) -> bool {
    if let Some(place) = place {
        diagnostics.add(place, |span| {
            Fault::new("empty-list", span, "no axis", "expected an axis and the value that it has there")
        });
    }
    false
}

/// The name of a figure, fit for a file.
fn figure_name(name: &Located<String>, diagnostics: &mut Diagnostics) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.value.chars().all(fits) && name.value.len() <= 100 {
        return Some(name.value.clone());
    }
    diagnostics.add(name.place, |span| {
        let message = format!("`{}` cannot name a figure", quoted(&name.value));
        Fault::new("bad-name", span, message, "expected letters, digits, `-` and `_`, at most 100")
    });
    None
}

/// Whether a name is one of those that the papers' table has there; notes it if not.
fn is_printed(name: &Located<String>, what: &str, choices: &[String], diagnostics: &mut Diagnostics) -> bool {
    if choices.contains(&name.value) {
        return true;
    }
    diagnostics.add(name.place, |span| {
        let message = format!("no such {what} in the numbers of the papers");
        let expected = match choices {
            few if few.len() <= 8 => format!("expected one of {}", few.join(", ")),
            many => format!("expected one of {} in src/base/papers/reference.csv", many.len()),
        };
        Fault::new("unknown-reference", span, message, expected)
            .with_nearest(&name.value, choices.iter().map(String::as_str))
    });
    false
}
