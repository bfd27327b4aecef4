//! How far a sweep is: points done, the rate, the time left.

use std::sync::{Mutex, PoisonError};

use simnet_base::numbers::span;
use simnet_running::sweep::{Damage, Progress};

use crate::cli::progress::Display;

/// Shows on stderr how far a sweep is.
pub(in crate::cli) struct Line {
    display: Option<Display>,
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
        let display = Display::new(quiet, "[{bar:30}] {pos}/{len} points {msg}", |bar| {
            let (done, all) = (bar.position(), bar.length().unwrap_or(0));
            let elapsed = span(bar.elapsed().as_secs_f64());
            format!("{done}/{all} points {}, {elapsed} so far", bar.message())
        });
        Line { display, shared, count: Mutex::default() }
    }
}

impl Progress for Line {
    fn begin(&self, points: usize, kept: usize, cost: f64) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).cost = cost;
        if let Some(Display { bar, .. }) = &self.display {
            bar.set_length(points as u64);
            bar.set_position(kept as u64);
            bar.reset_elapsed();
        }
    }

    fn done(&self, cost: f64, failed: bool) {
        let Some(Display { bar, .. }) = &self.display else { return };
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
