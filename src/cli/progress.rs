//! Progress on a terminal, and nowhere else.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

use crate::simulation::Progress;

/// A line on stderr that shows the present stage; nothing if stderr is no terminal.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    /// A bar, unless it was asked to be quiet.
    pub(super) fn new(quiet: bool) -> Bar {
        Bar((!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{msg:>16} [{bar:40}] {pos}/{len}");
            ProgressBar::new(0).with_style(style.expect("the template is well formed").progress_chars("=> "))
        }))
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, steps: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(steps);
            bar.set_position(0);
            bar.set_message(name.to_owned());
        }
    }

    fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
