//! The runs behind figures, as points of a sweep: each scenario once, for all figures that need it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use simnet_base::diagnostics::{Faults, Refusal};
use simnet_base::papers;
use simnet_running::simulation::{self, MODEL};
use simnet_running::sweep::{Points, Scenarios, evaluate, run_together};
use simnet_scenario::sweep::{Sweep, is_sweep};
use simnet_scenario::{self, Checked, Files, Overrides, expect};

use super::{Figure, Results, ScenarioRun, scenarios};

/// The runs that some figures need.
pub struct Runs {
    planned: Vec<Planned>,
}

/// One of them.
struct Planned {
    /// The scenario's file, under `scenarios/`.
    file: &'static str,
    /// Whether it is run with `--quick`.
    quick: bool,
    work: Described,
    key: blake3::Hash,
}

/// What a scenario's file describes.
enum Described {
    /// A run.
    Run(Box<Checked>),
    /// A sweep.
    Sweep(Scenarios),
}

/// What costly scenarios cost whole and with `--quick`, in seconds of one core: they are begun first.
const COSTS: &[(&str, f64, f64)] = &[
    ("sancho2000/fig3-64.toml", 300.0, 3.0),
    ("sancho2000/long-64.toml", 200.0, 2.0),
    ("sancho2000/long-32.toml", 150.0, 1.5),
    ("sancho2000/fig3b.toml", 150.0, 1.0),
    ("sancho2000/arbitration-16.toml", 150.0, 1.0),
    ("sancho2000/arbitration-32.toml", 300.0, 1.5),
    ("sancho2000/arbitration-64.toml", 800.0, 4.0),
    ("sancho2000/arbitration-bit-reversal.toml", 170.0, 1.0),
    ("sancho2000/arbitration-transpose.toml", 170.0, 1.0),
    ("sancho2000/networks-16.toml", 150.0, 1.0),
    ("sancho2000/networks-32.toml", 150.0, 1.0),
    ("sancho2000/networks-64.toml", 760.0, 2.0),
    ("sancho2000/networks-bit-reversal.toml", 80.0, 0.5),
    ("sancho2000/networks-transpose.toml", 80.0, 0.5),
    ("sancho2000/fig4a.toml", 150.0, 1.0),
    ("sancho2000/fig4b.toml", 150.0, 1.0),
    ("lawrence2008/seeds.toml", 107.0, 2.0),
    ("sancho2000/fig3a.toml", 80.0, 1.0),
    ("sancho2000/long-16.toml", 80.0, 1.0),
    ("mainwaring1997/load.toml", 600.0, 75.0),
    ("mainwaring1997/time-outs.toml", 900.0, 70.0),
    ("faraj2008/fig10.toml", 62.0, 3.0),
    ("faraj2008/protocols.toml", 45.0, 3.0),
    ("faraj2008/joint.toml", 38.0, 8.0),
    ("faraj2008/fig9.toml", 34.0, 2.0),
    ("mainwaring1997/winners.toml", 20.0, 1.0),
    ("lawrence2008/recovery.toml", 14.0, 2.0),
    ("sancho2000/table1-networks.toml", 12.0, 0.2),
    ("lawrence2008/noise.toml", 10.0, 3.0),
    ("lawrence2008/at-once.toml", 10.0, 4.0),
    ("faraj2008/fig11.toml", 6.0, 0.2),
    ("faraj2008/fig11-waxman.toml", 6.0, 0.2),
    ("faraj2008/table1.toml", 7.5, 0.5),
    ("hendriks2004/sizes.toml", 6.0, 2.0),
    ("lawrence2008/table1.toml", 5.0, 2.0),
];

/// What runs came to, by their places among the points.
pub type Done = BTreeMap<usize, ScenarioRun>;

impl Runs {
    /// The runs of figures, each with `--quick` or without.
    ///
    /// # Errors
    /// The faults of a scenario.
    ///
    /// # Panics
    /// If a figure names a scenario that is not there: a bug of the figure.
    pub fn of(figures: &[(&Figure, bool)]) -> Result<Runs, Box<Refusal>> {
        let mut runs = Runs { planned: Vec::new() };
        for (figure, quick) in figures {
            for file in figure.scenarios {
                if runs.place(file, *quick).is_none() {
                    runs.planned.push(Planned::read(file, *quick)?);
                }
            }
        }
        Ok(runs)
    }

    /// What the scenarios expect and their runs do not hold, as faults of the scenarios.
    pub fn broken(&self, done: &Done) -> Vec<Faults> {
        let of_run = |(point, run): (&usize, &ScenarioRun)| self.planned[*point].broken(run);
        done.iter().flat_map(of_run).collect()
    }

    /// What a figure reads, once all runs are done.
    ///
    /// # Panics
    /// If a run is missing.
    pub fn results<'a>(&self, figure: &Figure, quick: bool, done: &'a Done) -> Results<'a> {
        let run = |file: &&str| {
            let place = self.place(file, quick).expect("the runs were planned for this figure");
            done.get(&place).expect("all runs are done")
        };
        Results { quick, runs: figure.scenarios.iter().map(run).collect() }
    }

    /// The points whose runs a figure needs.
    pub fn points_of(&self, figure: &Figure, quick: bool) -> Vec<usize> {
        figure.scenarios.iter().filter_map(|file| self.place(file, quick)).collect()
    }

    fn place(&self, file: &str, quick: bool) -> Option<usize> {
        self.planned.iter().position(|planned| planned.file == file && planned.quick == quick)
    }
}

impl Points for Runs {
    fn name(&self) -> &str {
        "figures"
    }

    fn len(&self) -> usize {
        self.planned.len()
    }

    fn key(&self, point: usize) -> blake3::Hash {
        self.planned[point].key
    }

    fn cost(&self, point: usize) -> f64 {
        let planned = &self.planned[point];
        let known = COSTS.iter().find(|(file, ..)| *file == planned.file);
        known.map_or(0.5, |(_, whole, quick)| if planned.quick { *quick } else { *whole })
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        let planned = &self.planned[point];
        let (summary, files) = match &planned.work {
            Described::Run(checked) => {
                let run = simulation::run(checked, &(), None);
                let run = run.map_err(|error| format!("scenarios/{}: {error}", planned.file))?;
                (serde_json::to_value(&run.summary), run.files)
            }
            Described::Sweep(plan) => {
                let evaluated = evaluate(plan, run_together(plan, || ()));
                if let Some((_, first, why)) = evaluated.failed {
                    return Err(format!("scenarios/{}: point {first}: {why}", planned.file));
                }
                (serde_json::to_value(&evaluated.summary), evaluated.files)
            }
        };
        let summary = summary.expect("a summary is plain data");
        let files: BTreeMap<String, String> = files.into_iter().collect();
        Ok(json!({ "summary": summary, "files": files }))
    }
}

impl Planned {
    /// What the scenario expects and its run does not hold.
    fn broken(&self, run: &ScenarioRun) -> Vec<Faults> {
        let expected = match &self.work {
            Described::Run(checked) => &checked.expect,
            Described::Sweep(plan) => plan.sweep().expect(),
        };
        expect::report(expected, &expect::evaluate(expected, &run.summary))
    }

    fn read(file: &'static str, quick: bool) -> Result<Planned, Box<Refusal>> {
        let bytes = scenarios::scenario(file).unwrap_or_else(|| panic!("there is no scenarios/{file}"));
        let files = Files::from_copies(
            scenarios::scenarios().iter().map(|(file, bytes)| (placed(file), bytes.to_vec())).collect(),
        );
        let name = placed(file);
        let work = if is_sweep(&name, bytes, &Overrides::default(), &files) {
            let sweep = Sweep::read(name, bytes, &Overrides::default(), &files, MODEL)?;
            Described::Sweep(Scenarios::new(if quick { sweep.quick() } else { sweep }))
        } else {
            let checked = simnet_scenario::read_from(name, bytes, &Overrides::default(), &files)?;
            Described::Run(Box::new(if quick { checked.quick() } else { checked }))
        };
        let mut key = blake3::Hasher::new();
        key.update(format!("model {MODEL}, quick {quick}, {file}").as_bytes())
            .update(papers::TEXT.as_bytes());
        key.update(blake3::hash(bytes).as_bytes());
        for (path, bytes) in files.contents() {
            key.update(path.to_string_lossy().as_bytes()).update(blake3::hash(&bytes).as_bytes());
        }
        Ok(Planned { file, quick, work, key: key.finalize() })
    }
}

/// A kept scenario's name in messages.
fn placed(file: &str) -> PathBuf {
    PathBuf::from("scenarios").join(file)
}

impl ScenarioRun {
    /// The run that a point's result describes; none for what is no such result.
    pub fn of_result(result: &Value) -> Option<ScenarioRun> {
        let text = |(name, text): (&String, &Value)| Some((name.clone(), text.as_str()?.to_owned()));
        let files = result["files"].as_object()?.iter().map(text).collect::<Option<_>>()?;
        Some(ScenarioRun { summary: result.get("summary")?.clone(), files })
    }
}
