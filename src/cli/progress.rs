//! Progress on stderr: a bar on a terminal, elsewhere a line every ten seconds, nothing if it is to be quiet.

use std::io::IsTerminal as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration as WallTime;

use indicatif::{ProgressBar, ProgressStyle};

use simnet_base::diagnostics::legible;
use simnet_base::units::Duration;
use simnet_running::simulation::Progress;

use simnet_base::numbers::span;

use super::interrupt::Stop;
use super::output::print_error;

/// Parts of a step that the bar distinguishes.
const PARTS: f64 = 1_000.0;
/// The line changes no more often: in seconds.
const EVERY: f64 = 0.1;
/// What is left is a guess; before so many seconds, and before this share of the stage is done, a bad one.
const GUESS: (f64, f64) = (2.0, 0.02);

/// Where stderr is no terminal, a long run says so often how far it has come.
const SAID_EVERY: WallTime = WallTime::from_secs(10);

/// What shows how far a run has come: a bar that is drawn on a terminal; elsewhere one that is not, and a thread that
/// prints a line of it now and then.
pub(super) struct Display {
    pub(super) bar: ProgressBar,
    ticks: Option<Ticks>,
}

impl Display {
    /// A display, unless it was asked to be quiet. `template` is for terminals, `line` for what is no terminal.
    pub(super) fn new(quiet: bool, template: &str, line: fn(&ProgressBar) -> String) -> Option<Display> {
        if quiet {
            return None;
        }
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template(template).expect("the template is well formed");
            let bar = ProgressBar::new(0).with_style(style.progress_chars("=> "));
            return Some(Display { bar, ticks: None });
        }
        let bar = ProgressBar::hidden();
        let shown = bar.clone();
        let ticks = Ticks::every(SAID_EVERY, move || print_error(&line(&shown)));
        Some(Display { bar, ticks })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.ticks.take();
        self.bar.finish_and_clear();
    }
}

/// Shows how many parts of a search are done, and what it is at.
pub(super) struct Parts(Option<Display>);

impl Parts {
    /// Of this kind, unless it was asked to be quiet; how many there are comes later.
    pub(super) fn new(quiet: bool) -> Parts {
        Parts(Display::new(quiet, "[{bar:30}] {pos}/{len} {msg}", |bar| {
            let (done, all) = (bar.position(), bar.length().unwrap_or(0));
            let elapsed = span(bar.elapsed().as_secs_f64());
            format!("{done}/{all} {}, {elapsed} so far", bar.message())
        }))
    }

    /// Tells that so many of so many are done, and which is next or what they are.
    pub(super) fn tell(&self, (done, all): (usize, usize), what: &str) {
        if let Some(Display { bar, .. }) = &self.0 {
            bar.set_length(all as u64);
            bar.set_message(what.to_owned());
            bar.set_position(done as u64);
        }
    }
}

/// A thread that does something again and again until this is dropped.
struct Ticks(Option<(mpsc::Sender<()>, JoinHandle<()>)>);

impl Ticks {
    /// Does it after every such span of time; none if the system gives no thread.
    fn every(span: WallTime, mut tick: impl FnMut() + Send + 'static) -> Option<Ticks> {
        let (ended, wait) = mpsc::channel::<()>();
        let ticking = move || {
            while wait.recv_timeout(span) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        };
        let thread = std::thread::Builder::new().spawn(ticking).ok()?;
        Some(Ticks(Some((ended, thread))))
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        if let Some((ended, thread)) = self.0.take() {
            drop(ended);
            let _panicked = thread.join();
        }
    }
}

/// How far a run has come: the present stage, its steps, how much time was simulated and how fast, and what is left.
pub(super) struct Bar(Option<(Display, Mutex<Stage>)>);

/// How far the present stage has come.
#[derive(Debug, Default)]
struct Stage {
    steps: u64,
    done: u64,
    /// Shares of the steps that are under way, added up.
    under_way: f64,
    /// Simulated time of all steps, those side by side added up.
    simulated_ps: u64,
    /// When the line was last written, in seconds since the stage began.
    written: f64,
}

impl Stage {
    /// The share of it that is done.
    fn share(&self) -> f64 {
        ((self.done as f64 + self.under_way) / self.steps.max(1) as f64).clamp(0.0, 1.0)
    }

    /// The text next to the bar after so many seconds of the stage.
    fn text(&self, elapsed: f64) -> String {
        let mut text = match self.steps {
            0 => self.done.to_string(),
            steps => format!("{}/{steps}", self.done),
        };
        if self.simulated_ps > 0 {
            let simulated = self.simulated_ps as f64 / 1e12;
            let (time, rate) = (span(simulated), span(simulated / elapsed.max(1e-3)));
            text += &format!("  {time} simulated, {rate} a second");
        }
        let share = self.share();
        if elapsed >= GUESS.0 && share >= GUESS.1 && share < 1.0 && self.steps > 0 {
            text += &format!("  about {} left", span(elapsed * (1.0 / share - 1.0)));
        }
        text
    }
}

impl Bar {
    /// A bar, unless it was asked to be quiet.
    pub(super) fn new(quiet: bool) -> Bar {
        let display = Display::new(quiet, "{prefix:>13} [{bar:30}] {elapsed} {msg}", |bar| {
            format!("{}: {}, {} so far", bar.prefix(), bar.message(), span(bar.elapsed().as_secs_f64()))
        });
        Bar(display.map(|display| (display, Mutex::default())))
    }

    /// Changes what is known of the stage, and the line if it is time or if it `must` be.
    fn change(&self, must: bool, change: impl FnOnce(&mut Stage)) {
        let Some((Display { bar, .. }, stage)) = &self.0 else { return };
        let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stage);
        let elapsed = bar.elapsed().as_secs_f64();
        if must || elapsed - stage.written >= EVERY {
            stage.written = elapsed;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and few")]
            bar.set_position((stage.share() * stage.steps as f64 * PARTS) as u64);
            bar.set_message(stage.text(elapsed));
        }
    }
}

/// A bar of what can be interrupted.
pub(super) struct Stoppable<'a>(pub(super) &'a Bar, pub(super) &'a Stop);

impl Progress for Stoppable<'_> {
    fn stage(&self, name: &str, steps: u64) {
        self.0.stage(name, steps);
    }

    fn step(&self) {
        self.0.step();
    }

    fn pass(&self, simulated: Duration, share: f64) {
        self.0.pass(simulated, share);
    }

    fn is_stopped(&self) -> bool {
        self.1.hear()
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, steps: u64) {
        if let Some((Display { bar, .. }, _)) = &self.0 {
            bar.set_length(steps * 1_000);
            bar.reset_elapsed();
            bar.set_prefix(legible(name).into_owned());
        }
        self.change(true, |stage| *stage = Stage { steps, ..Stage::default() });
    }

    fn step(&self) {
        self.change(true, |stage| stage.done += 1);
    }

    fn pass(&self, simulated: Duration, share: f64) {
        self.change(false, |stage| {
            stage.simulated_ps = stage.simulated_ps.saturating_add(simulated.as_ps());
            stage.under_way = (stage.under_way + share).max(0.0);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if nothing ticked, or something still did when the run was over.
    #[test]
    fn ticks_end_with_what_they_tell_of() {
        let (tick, ticked) = mpsc::channel();
        let ticks = Ticks::every(WallTime::from_millis(1), move || tick.send(()).unwrap());
        (0..3).for_each(|_| ticked.recv().unwrap());
        drop(ticks);
        assert!(ticked.iter().count() < 1_000, "the sender is gone, or this would wait for ever");
    }

    /// Wrong if a line shows other figures than the stage has, or guessed what is left from too little.
    #[test]
    fn lines_tell_time_rate_and_what_is_left() {
        let stage =
            |done, under_way, simulated_ps| Stage { steps: 8, done, under_way, simulated_ps, written: 0.0 };
        assert_eq!(stage(0, 0.0, 0).text(9.0), "0/8");
        let ms = 1_000_000_000;
        assert_eq!(stage(2, 0.0, 12 * ms).text(1.0), "2/8  12.00 ms simulated, 12.00 ms a second");
        let text = "2/8  12.00 ms simulated, 3.00 ms a second  about 12.0 s left";
        assert_eq!(stage(2, 0.0, 12 * ms).text(4.0), text);
        assert!(stage(1, 1.0, 12 * ms).text(4.0).ends_with("about 12.0 s left"));
        assert_eq!(stage(8, 0.0, 4_000 * ms).text(4.0), "8/8  4.0 s simulated, 1.0 s a second");
        let search = Stage { done: 3, simulated_ps: 1_500_000, ..Stage::default() };
        assert_eq!(search.text(2.0), "3  1.50 µs simulated, 0.75 µs a second");
    }
}
