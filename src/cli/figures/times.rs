//! How long figures took, and how that divides among them.
//!
//! It is printed on stderr, and no time enters a result. The time of a run that several figures need counts for each
//! of them in equal parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;

use simnet_base::numbers::span;
use simnet_figures::{Figure, Runs};
use simnet_output::report::Usage;
use simnet_running::sweep::Points;

/// Parts of the whole that are listed by name: this share of it and more.
const LISTED: f64 = 0.01;

/// Tells how much time has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Instant);

/// By point, the seconds of a run on the thread that computed it.
pub(super) type Seconds = BTreeMap<usize, f64>;

/// Runs of figures, each timed while it is computed.
pub(super) struct TimedRuns<'a> {
    runs: &'a Runs,
    seconds: Mutex<Seconds>,
}

/// Seconds that figures took, by what they are called.
#[derive(Debug, Default)]
pub(super) struct Times(BTreeMap<&'static str, f64>);

impl Stopwatch {
    /// Starts now.
    pub(super) fn start() -> Stopwatch {
        #[expect(clippy::disallowed_methods, reason = "stderr tells how long figures took")]
        let now = Instant::now();
        Stopwatch(now)
    }

    /// Seconds since its start.
    pub(super) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

impl<'a> TimedRuns<'a> {
    /// Runs that have taken no time yet.
    pub(super) fn new(runs: &'a Runs) -> TimedRuns<'a> {
        TimedRuns { runs, seconds: Mutex::default() }
    }

    /// The seconds of runs that were computed here, by point.
    pub(super) fn into_seconds(self) -> Seconds {
        self.seconds.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Points for TimedRuns<'_> {
    fn name(&self) -> &str {
        self.runs.name()
    }

    fn len(&self) -> usize {
        self.runs.len()
    }

    fn key(&self, point: usize) -> blake3::Hash {
        self.runs.key(point)
    }

    fn cost(&self, point: usize) -> f64 {
        self.runs.cost(point)
    }

    fn compute(&self, point: usize) -> Result<Value, String> {
        let watch = Stopwatch::start();
        let result = self.runs.compute(point);
        let mut seconds = self.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        seconds.insert(point, watch.seconds());
        result
    }
}

impl Times {
    /// Adds the time of runs to the figures that need them; `seconds` is by point, `needed` has a figure once for its
    /// whole and once for its small version.
    pub(super) fn add_runs(&mut self, runs: &Runs, needed: &[(&'static Figure, bool)], seconds: &Seconds) {
        let mut users: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
        for (figure, quick) in needed {
            for point in runs.points_of(figure, *quick) {
                users.entry(point).or_default().push(figure.id);
            }
        }
        for (point, figures) in users {
            let each = seconds.get(&point).map_or(0.0, |seconds| seconds / figures.len() as f64);
            figures.into_iter().for_each(|figure| self.add(figure, each));
        }
    }

    /// Adds time to a figure.
    pub(super) fn add(&mut self, figure: &'static str, seconds: f64) {
        *self.0.entry(figure).or_default() += seconds;
    }

    /// What is printed after `wall` seconds on so many threads, 0 for one a core.
    pub(super) fn report(&self, wall: f64, jobs: usize) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if jobs == 0 { cores } else { jobs.min(cores) };
        self.divided(wall, Usage::of_this_process(wall).cpu_s, threads)
    }

    /// The figures in `wall` seconds with so many seconds of `cores`; then each with its share, longest first.
    fn divided(&self, wall: f64, busy: Option<f64>, cores: usize) -> String {
        let all: f64 = self.0.values().sum();
        let mut text = format!("{} figures in {}", self.0.len(), span(wall));
        if let Some(busy) = busy {
            let share = busy / (wall.max(1e-3) * cores as f64) * 100.0;
            let _ = write!(text, ", {share:.0} % of {cores} cores busy");
        }
        let mut figures: Vec<(&str, f64)> = self.0.iter().map(|(figure, took)| (*figure, *took)).collect();
        figures.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let listed = figures.iter().take_while(|(_, took)| *took >= LISTED * all && *took > 0.0).count();
        for (figure, took) in &figures[..listed] {
            add_line(&mut text, figure, *took, all);
        }
        let others = &figures[listed..];
        if !others.is_empty() {
            let took: f64 = others.iter().map(|(_, took)| took).sum();
            add_line(&mut text, &format!("{} others", others.len()), took, all);
        }
        text
    }
}

/// Adds a line with seconds and their share of all.
fn add_line(text: &mut String, what: &str, took: f64, all: f64) {
    let share = if all > 0.0 { took / all * 100.0 } else { 0.0 };
    let _ = write!(text, "\n{:>10}  {share:>3.0} %  {what}", span(took));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a figure's share were not of all that was computed, the longest were not first, or a time lost.
    #[test]
    fn the_report_divides_the_time_among_figures() {
        let mut times = Times::default();
        for (figure, seconds) in
            [("a/small", 0.2), ("a/large", 70.0), ("b/middle", 29.0), ("a/large", 0.5), ("b/none", 0.0)]
        {
            times.add(figure, seconds);
        }
        let expected = "4 figures in 1.0 min, 80 % of 2 cores busy\n   1.2 min   71 %  a/large\n    29.0 s   29 %  \
            b/middle\n 200.00 ms    0 %  2 others";
        assert_eq!(times.divided(62.5, Some(100.0), 2), expected);
    }

    /// Wrong if a run that two figures share counted for both as a whole, or a run that was kept took time.
    #[test]
    fn a_shared_run_counts_in_equal_parts() {
        let figures: Vec<&'static Figure> = ["lawrence2008/fig7", "lawrence2008/fig8"]
            .map(simnet_figures::find)
            .into_iter()
            .flatten()
            .collect();
        let needed: Vec<(&Figure, bool)> = figures.iter().map(|figure| (*figure, true)).collect();
        let runs = Runs::of(&needed).unwrap();
        let named: usize = figures.iter().map(|figure| figure.scenarios.len()).sum();
        assert!(figures.len() == 2 && (1..named).contains(&runs.len()), "they share a run");
        let seconds: Seconds = (0..runs.len()).map(|point| (point, 2.0)).collect();
        let mut times = Times::default();
        times.add_runs(&runs, &needed, &seconds);
        let all: f64 = times.0.values().sum();
        assert!((all - 2.0 * runs.len() as f64).abs() < 1e-9, "{times:?}");
        let mut kept = Times::default();
        kept.add_runs(&runs, &needed, &BTreeMap::new());
        assert!(kept.0.len() == needed.len() && kept.0.values().all(|took| took.abs() < 1e-12));
    }
}
