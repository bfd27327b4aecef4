//! `simnet figures`: the papers' tables and figures, each a folder of numbers, drawing and page.

mod runs;
mod told;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::diagnostics::{did_you_mean, quoted};
use crate::figures::{self, Difference, Done, Figure, FilesOf, INDEX, INDEX_MARK, Made, PAPERS, Runs};

use super::interrupt::Interruptions;
use super::output::write_whole;
use super::{Common, Exit, Failure};

#[derive(Args)]
pub(super) struct Options {
    /// Figures, as in sancho2000/table1; a paper's name stands for all of its figures. Without any, all are listed
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// All figures
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// Make them again and compare with what stands there: exit code 1 and what moved, if anything did
    #[arg(long)]
    check: bool,
    /// A small version: fewer networks, loads and repetitions
    #[arg(long)]
    quick: bool,
    /// Where the figures stand; without it `results`, for their small versions `results/quick`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What is made of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// All that is committed.
    Whole,
    /// Small versions of all files.
    Small,
    /// What can be compared soon: figures that cost little as a whole, of others `quick.csv`.
    Soon,
}

pub(super) fn run(
    options: &Options,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    if common.seed.is_some() {
        return Err(Failure::Usage(
            "figures are made with the seeds of their scenarios: no --seed".to_owned(),
        ));
    }
    if options.ids.is_empty() && !(options.all || options.check || options.quick) {
        return told::list(common);
    }
    let figures = chosen(&options.ids)?;
    let (form, place) = match (options.quick, options.check) {
        (false, _) => (Form::Whole, "results"),
        (true, false) => (Form::Small, "results/quick"),
        (true, true) => (Form::Soon, "results"),
    };
    let place = options.out.clone().unwrap_or_else(|| PathBuf::from(place));
    if options.check {
        check(&figures, form, &place, common, options.ids.is_empty())
    } else {
        write(&figures, form, &place, common, interruptions)
    }
}

/// The figures of these names, in the order of the papers; all for no names.
fn chosen(ids: &[String]) -> Result<Vec<&'static Figure>, Failure> {
    for id in ids {
        let known = figures::find(id).is_some() || PAPERS.iter().any(|paper| paper.name == id);
        if !known {
            let names = figures::all().map(|figure| figure.id).chain(PAPERS.iter().map(|paper| paper.name));
            let near = did_you_mean(id, names);
            let message = format!("there is no figure {}{near} (simnet figures lists all)", quoted(id));
            return Err(Failure::Usage(message));
        }
    }
    let wanted =
        |figure: &&Figure| ids.is_empty() || ids.iter().any(|id| id == figure.id || id == figure.paper());
    Ok(figures::all().filter(wanted).collect())
}

/// Makes figures and puts them in their places, the index after them.
fn write(
    figures: &[&'static Figure],
    form: Form,
    place: &Path,
    common: &Common,
    interruptions: &Interruptions,
) -> Result<Exit, Failure> {
    for figure in figures {
        Made::probe(figure, place)?;
    }
    let old = fs::read(place.join(INDEX)).unwrap_or_default();
    if !old.is_empty() && !old.starts_with(INDEX_MARK.as_bytes()) {
        let message =
            format!("{}: not an index that simnet made; choose another --out", place.join(INDEX).display());
        return Err(Failure::Place(message));
    }
    let runs = Runs::of(&needed(figures, form))?;
    let done = runs::run_all(&runs, &place.join(".figures").join("runs"), common)?;
    let made: Vec<Made> = figures.iter().map(|figure| make(figure, form, &runs, &done)).collect();
    let put = || {
        made.iter().try_for_each(|made| made.put(place))?;
        let index = figures::index(&standing(place), form != Form::Whole);
        write_whole(&place.join(INDEX), &index)
    };
    let (put, interrupted) = interruptions.hold(put);
    put?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    told::written(&made, place, common)?;
    Ok(expected(&runs, &done))
}

/// Makes figures and compares them with what stands there.
fn check(
    figures: &[&'static Figure],
    form: Form,
    place: &Path,
    common: &Common,
    all: bool,
) -> Result<Exit, Failure> {
    fs::metadata(place).map_err(|error| Failure::Io { path: place.display().to_string(), error })?;
    let runs = Runs::of(&needed(figures, form))?;
    let room = runs::Room::of_check(place)?;
    let done = runs::run_all(&runs, room.path(), common)?;
    let made: Vec<Made> = figures.iter().map(|figure| make(figure, form, &runs, &done)).collect();
    room.leave();
    let found = differences(&made, figures, form, place, all);
    let found = found.map_err(|error| Failure::Io { path: place.display().to_string(), error })?;
    told::checked(figures.len(), &found, common)?;
    let expected = expected(&runs, &done);
    Ok(if found.is_empty() { expected } else { Exit::Expectation })
}

fn differences(
    made: &[Made],
    figures: &[&'static Figure],
    form: Form,
    place: &Path,
    all: bool,
) -> std::io::Result<Vec<Difference>> {
    let mut found = Vec::new();
    for made in made {
        found.extend(figures::differences(place, made)?);
    }
    let known: Vec<String> = found.iter().map(|difference| difference.file.clone()).collect();
    let others = figures::against_index(place, figures)?;
    found.extend(others.into_iter().filter(|other| !known.contains(&other.file)));
    if all {
        found.extend(figures::strangers(place)?);
        let files = match form {
            Form::Whole => made.iter().map(|made| (made.figure.id, made.as_files())).collect(),
            Form::Small | Form::Soon => standing(place),
        };
        if found.is_empty() {
            found.extend(figures::index_differs(place, &figures::index(&files, false))?);
        }
    }
    Ok(found)
}

/// The files of all figures as they stand in a folder.
fn standing(place: &Path) -> BTreeMap<&'static str, FilesOf> {
    let files = |figure: &'static Figure| {
        let read = |name: &&str| Some(((*name).to_owned(), fs::read(place.join(figure.id).join(name)).ok()?));
        let files: FilesOf = Made::NAMES.iter().filter_map(read).collect();
        (!files.is_empty()).then_some((figure.id, files))
    };
    figures::all().filter_map(files).collect()
}

/// The runs that figures need, each with whether it is quick.
fn needed(figures: &[&'static Figure], form: Form) -> Vec<(&'static Figure, bool)> {
    let of = |figure: &&'static Figure| {
        let whole = form == Form::Whole || figure.whole_when_quick;
        let quick = !figure.whole_when_quick;
        let both = [whole.then_some((*figure, false)), quick.then_some((*figure, true))];
        both.into_iter().flatten().collect::<Vec<_>>()
    };
    figures.iter().flat_map(of).collect()
}

fn make(figure: &'static Figure, form: Form, runs: &Runs, done: &Done) -> Made {
    match form {
        Form::Small => Made::new(figure, true, runs, done),
        Form::Whole | Form::Soon if figure.whole_when_quick => Made::new(figure, false, runs, done),
        Form::Whole => Made::new(figure, false, runs, done).with_quick(Made::new(figure, true, runs, done)),
        Form::Soon => Made::new(figure, true, runs, done).only_quick(),
    }
}

/// Tells which expectations of the scenarios do not hold.
fn expected(runs: &Runs, done: &Done) -> Exit {
    let broken = runs.broken(done);
    for faults in &broken {
        super::warn(&faults.to_string());
    }
    if broken.is_empty() { Exit::Fine } else { Exit::Expectation }
}
