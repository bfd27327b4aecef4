//! `simnet figures`: the papers' tables and figures, each a folder of numbers, drawing and page.

mod report;
mod runs;
mod times;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use simnet_base::diagnostics::{did_you_mean, quoted, shown};
use simnet_base::files::{Inside, LARGEST, WriteError, begins_like_ours};
use simnet_figures::{self, BuiltFigure, Difference, Done, Figure, FilesOf, INDEX, PAPERS, Runs};

use super::interrupt::Interruptions;
use super::output::{failed, print_error, write_whole};
use super::places;
use super::{Common, Exit, Failure};
use runs::RunOptions;
use times::{Stopwatch, Times};

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
    /// How many threads run scenarios; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = super::sweep::parse_jobs)]
    jobs: Option<usize>,
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

/// Figures to be made or checked.
#[derive(Clone, Copy)]
struct Work<'a> {
    figures: &'a [&'static Figure],
    form: Form,
    place: &'a Path,
    how: RunOptions<'a>,
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
        return report::list(common);
    }
    let figures = chosen(&options.ids)?;
    let (form, place) = match (options.quick, options.check) {
        (false, _) => (Form::Whole, "results"),
        (true, false) => (Form::Small, "results/quick"),
        (true, true) => (Form::Soon, "results"),
    };
    let place = options.out.clone().unwrap_or_else(|| PathBuf::from(place));
    let how = RunOptions { jobs: options.jobs.unwrap_or(0), quiet: common.quiet, interruptions };
    let work = Work { figures: &figures, form, place: &place, how };
    if options.check { work.check(common, options.ids.is_empty()) } else { work.write(common) }
}

/// The figures of these names, in the order of the papers; all for no names.
fn chosen(ids: &[String]) -> Result<Vec<&'static Figure>, Failure> {
    for id in ids {
        let known = simnet_figures::find(id).is_some() || PAPERS.iter().any(|paper| paper.name == id);
        if !known {
            let names =
                simnet_figures::all().map(|figure| figure.id).chain(PAPERS.iter().map(|paper| paper.name));
            let near = did_you_mean(id, names);
            let message = format!("there is no figure {}{near} (simnet figures lists all)", quoted(id));
            return Err(Failure::Usage(message));
        }
    }
    let wanted =
        |figure: &&Figure| ids.is_empty() || ids.iter().any(|id| id == figure.id || id == figure.paper());
    Ok(simnet_figures::all().filter(wanted).collect())
}

impl Work<'_> {
    /// Makes the figures and puts them in their places, the index after them.
    fn write(self, common: &Common) -> Result<Exit, Failure> {
        let index = self.place.join(INDEX);
        self.tidy(common);
        for figure in self.figures {
            BuiltFigure::probe(figure, self.place)?;
        }
        if index.exists() && !begins_like_ours(&index).map_err(|error| failed(&index, error.into()))? {
            return Err(failed(&index, WriteError::Foreign));
        }
        let Some((runs, done, made)) = self.make(&self.place.join(".figures").join("runs"))? else {
            return Ok(Exit::Interrupted);
        };
        let put = || {
            made.iter().try_for_each(|made| made.put(self.place))?;
            write_whole(&index, &simnet_figures::index(&standing(self.place), self.form != Form::Whole))
        };
        let (put, interrupted) = self.how.interruptions.hold(put);
        put?;
        if interrupted {
            return Ok(Exit::Interrupted);
        }
        report::written(&made, self.place, common)?;
        Ok(expected(&runs, &done))
    }

    /// Clears away what processes that died left where figures and the index stand.
    fn tidy(self, common: &Common) {
        let papers: BTreeSet<&str> = self.figures.iter().map(|figure| figure.paper()).collect();
        places::tidy(self.place, common.quiet);
        papers.into_iter().for_each(|paper| places::tidy(&self.place.join(paper), common.quiet));
    }

    /// Makes the figures and compares them with what stands there.
    fn check(self, common: &Common, all: bool) -> Result<Exit, Failure> {
        let io = |error| Failure::Io { path: shown(&self.place).to_string(), error };
        fs::metadata(self.place).map_err(io)?;
        let folder = runs::CheckFolder::of_check(self.place)?;
        let Some((runs, done, made)) = self.make(folder.path())? else { return Ok(Exit::Interrupted) };
        folder.leave();
        let found = differences(&made, &self, all).map_err(io)?;
        report::checked(self.figures.len(), &found, common)?;
        let expected = expected(&runs, &done);
        Ok(if found.is_empty() { expected } else { Exit::Expectation })
    }

    /// The runs that the figures need, each with whether it is quick.
    fn needed(self) -> Vec<(&'static Figure, bool)> {
        let of = |figure: &&'static Figure| {
            let whole = self.form == Form::Whole || figure.whole_when_quick;
            let quick = !figure.whole_when_quick;
            let both = [whole.then_some((*figure, false)), quick.then_some((*figure, true))];
            both.into_iter().flatten().collect::<Vec<_>>()
        };
        self.figures.iter().flat_map(of).collect()
    }

    /// Makes the figures of their runs, which are kept in `folder`, and tells how long that took; none if it was
    /// interrupted.
    fn make(self, folder: &Path) -> Result<Option<(Runs, Done, Vec<BuiltFigure>)>, Failure> {
        let (watch, mut times) = (Stopwatch::start(), Times::default());
        let needed = self.needed();
        let runs = Runs::of(&needed)?;
        let Some((done, seconds)) = runs::run_all(&runs, folder, self.how)? else { return Ok(None) };
        times.add_runs(&runs, &needed, &seconds);
        let mut made = Vec::new();
        for figure in self.figures {
            let own = Stopwatch::start();
            made.push(self.made(figure, &runs, &done));
            times.add(figure.id, own.seconds());
        }
        if !self.how.quiet && self.figures.len() > 1 {
            print_error(&times.report(watch.seconds(), self.how.jobs));
        }
        Ok(Some((runs, done, made)))
    }

    fn made(self, figure: &'static Figure, runs: &Runs, done: &Done) -> BuiltFigure {
        let made = |quick| BuiltFigure::new(figure, quick, runs, done);
        match self.form {
            Form::Small => made(true),
            Form::Whole | Form::Soon if figure.whole_when_quick => made(false),
            Form::Whole => made(false).with_quick(made(true)),
            Form::Soon => made(true).only_quick(),
        }
    }
}

/// What stands otherwise than it was made; `all` if all figures were.
fn differences(made: &[BuiltFigure], work: &Work<'_>, all: bool) -> std::io::Result<Vec<Difference>> {
    let mut found = Vec::new();
    for made in made {
        found.extend(simnet_figures::differences(work.place, made)?);
    }
    let known: Vec<String> = found.iter().map(|difference| difference.file.clone()).collect();
    let others = simnet_figures::against_index(work.place, work.figures)?;
    found.extend(others.into_iter().filter(|other| !known.contains(&other.file)));
    if all {
        found.extend(simnet_figures::strangers(work.place)?);
    }
    if all && found.is_empty() {
        let index = simnet_figures::index(&standing(work.place), false);
        found.extend(simnet_figures::index_differs(work.place, &index)?);
    }
    Ok(found)
}

/// The files of all figures as they stand in a folder.
fn standing(place: &Path) -> BTreeMap<&'static str, FilesOf> {
    let files = |figure: &'static Figure| {
        let folder = place.join(figure.id);
        let read = |name: &&str| Some(((*name).to_owned(), Inside(&folder).read(name, LARGEST).ok()?));
        let files: FilesOf = BuiltFigure::NAMES.iter().filter_map(read).collect();
        (!files.is_empty()).then_some((figure.id, files))
    };
    simnet_figures::all().filter_map(files).collect()
}

/// Tells which expectations of the scenarios do not hold.
fn expected(runs: &Runs, done: &Done) -> Exit {
    let broken = runs.broken(done);
    for faults in &broken {
        super::complain(&faults.to_string());
    }
    if broken.is_empty() { Exit::Fine } else { Exit::Expectation }
}
