//! `simnet figures`: the papers' tables and figures, each a folder of numbers, drawing and page.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::diagnostics::did_you_mean;
use crate::figures::{self, Done, Figure, Made, PAPERS, Runs, ScenarioRun};
use crate::simulation::Progress as _;
use crate::sweep::Points as _;

use super::interrupt::Interruptions;
use super::output::{print, print_json, write_whole};
use super::progress::Bar;
use super::{Common, Exit, Failure, Format};

#[derive(Args)]
pub(super) struct Options {
    /// Figures, as in sancho2000/table1; a paper's name stands for all of its figures
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// All figures
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// A small version: fewer networks, loads and repetitions
    #[arg(long)]
    quick: bool,
    /// Where the figures stand; without it `results`, with --quick `results/quick`
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
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
    if options.ids.is_empty() && !options.all && !options.quick {
        return list(common);
    }
    let figures = chosen(&options.ids)?;
    let place = options.out.clone();
    let place =
        place.unwrap_or_else(|| PathBuf::from(if options.quick { "results/quick" } else { "results" }));
    let made = make(&figures, options.quick, &place, common)?;
    for made in &made {
        let (put, interrupted) = interruptions.hold(|| made.put(&place));
        put?;
        if interrupted {
            return Ok(Exit::Interrupted);
        }
    }
    Ok(Exit::Fine)
}

/// Lists all figures.
fn list(common: &Common) -> Result<Exit, Failure> {
    match common.format {
        Format::Human => {
            let lines = figures::all().map(|figure| format!("{:32} {}\n", figure.id, figure.title));
            print(&lines.collect::<String>())?;
        }
        Format::Json => {
            let figure = |figure: &Figure| json!({ "id": figure.id, "title": figure.title, "scenarios": figure.scenarios });
            print_json(&json!({ "figures": figures::all().map(figure).collect::<Vec<Value>>() }))?;
        }
    }
    Ok(Exit::Fine)
}

/// The figures of these names, in the order of the papers; all for no names.
fn chosen(ids: &[String]) -> Result<Vec<&'static Figure>, Failure> {
    for id in ids {
        let known = figures::find(id).is_some() || PAPERS.iter().any(|paper| paper.name == id);
        if !known {
            let names = figures::all().map(|figure| figure.id).chain(PAPERS.iter().map(|paper| paper.name));
            let near = did_you_mean(id, names);
            let id = crate::diagnostics::quoted(id);
            return Err(Failure::Usage(format!("there is no figure {id}{near} (simnet figures lists them)")));
        }
    }
    let wanted =
        |figure: &&Figure| ids.is_empty() || ids.iter().any(|id| id == figure.id || id == figure.paper());
    Ok(figures::all().filter(wanted).collect())
}

fn make(
    figures: &[&'static Figure],
    quick: bool,
    place: &Path,
    common: &Common,
) -> Result<Vec<Made>, Failure> {
    let needed: Vec<(&Figure, bool)> =
        figures.iter().flat_map(|figure| variants(figure, quick).map(|quick| (*figure, quick))).collect();
    let runs = Runs::of(&needed)?;
    let done = run_all(&runs, &place.join(".figures"), common)?;
    let made = figures.iter().map(|figure| {
        let mut made = Made::new(figure, quick, &runs, &done);
        if !quick && !figure.whole_when_quick {
            made.add_quick(&Made::new(figure, true, &runs, &done));
        }
        made
    });
    Ok(made.collect())
}

/// Whether a figure needs its scenarios whole (false) or quick (true), or both.
fn variants(figure: &Figure, quick: bool) -> impl Iterator<Item = bool> + use<> {
    let whole = !quick || figure.whole_when_quick;
    let small = !figure.whole_when_quick;
    [false, true].into_iter().filter(move |variant| if *variant { small } else { whole })
}

/// Runs what an earlier run has not left in the folder.
fn run_all(runs: &Runs, folder: &Path, common: &Common) -> Result<Done, Failure> {
    let io = |path: &Path| {
        let path = path.display().to_string();
        move |error| Failure::Io { path, error }
    };
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    let progress = Bar::new(common.quiet);
    progress.stage("scenarios", runs.len() as u64);
    let mut done = Done::new();
    for point in 0..runs.len() {
        let file = folder.join(format!("{}.json", runs.key(point).to_hex()));
        let kept = std::fs::read_to_string(&file).ok();
        let kept = kept.and_then(|text| serde_json::from_str(&text).ok());
        let result = match kept {
            Some(result) => result,
            None => {
                let result = runs.compute(point).map_err(Failure::Scenario)?;
                write_whole(&file, &result.to_string())?;
                result
            }
        };
        let run = ScenarioRun::of_result(&result);
        let run = run.ok_or_else(|| Failure::Scenario(format!("{}: not a run", file.display())))?;
        done.insert(point, run);
        progress.step();
    }
    Ok(done)
}
