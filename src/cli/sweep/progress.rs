//! One line on a terminal: points done, the rate, the time left.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};

use simnet_base::numbers::span;
use simnet_running::sweep::{Damage, Progress};

/// A line on stderr that shows how far a sweep is; nothing if stderr is no terminal.
pub(in crate::cli) struct Line {
    bar: Option<ProgressBar>,
    /// Whether other processes may be writing to the folder.
    shared: bool,
    count: Mutex<Count>,
}

#[derive(Default)]
struct Count {
    computed: u64,
    failed: u64,
    cost_done: f64,
    cost: f64,
}

impl Line {
    /// A line, unless it was asked to be quiet.
    pub(in crate::cli) fn new(quiet: bool, shared: bool) -> Line {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("[{bar:30}] {pos}/{len} points {msg}");
            ProgressBar::new(0).with_style(style.expect("the template is well formed").progress_chars("=> "))
        });
        Line { bar, shared, count: Mutex::default() }
    }
}

impl Progress for Line {
    fn begin(&self, points: usize, kept: usize, cost: f64) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).cost = cost;
        if let Some(bar) = &self.bar {
            bar.set_length(points as u64);
            bar.set_position(kept as u64);
            bar.reset_elapsed();
        }
    }

    fn done(&self, cost: f64, failed: bool) {
        let Some(bar) = &self.bar else { return };
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        count.computed += 1;
        count.failed += u64::from(failed);
        count.cost_done += cost;
        let elapsed = bar.elapsed().as_secs_f64();
        let rate = count.computed as f64 / elapsed.max(1e-3);
        let left = elapsed * (count.cost / count.cost_done.max(1e-9) - 1.0).max(0.0);
        let failed = if count.failed == 0 { String::new() } else { format!(", {} failed", count.failed) };
        bar.set_message(format!("{rate:.1}/s, {} left{failed}", span(left)));
        bar.inc(1);
    }

    fn damaged(&self, damage: &Damage) {
        super::warn_of_damage(std::slice::from_ref(damage), self.shared);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
