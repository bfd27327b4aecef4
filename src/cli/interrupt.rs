//! Interruption (SIGINT, as by Ctrl-C): exit code 130 at once, but never between two files of a result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Watches for interruptions for as long as the process lives.
pub(super) struct Interruptions {
    /// Whether an interruption ends the process at once.
    at_once: Arc<AtomicBool>,
    /// Whether there was one.
    struck: Arc<AtomicBool>,
}

impl Interruptions {
    /// From now on an interruption ends the process with this code.
    pub(super) fn watch(code: u8) -> std::io::Result<Interruptions> {
        let interruptions = Interruptions {
            at_once: Arc::new(AtomicBool::new(true)),
            struck: Arc::new(AtomicBool::new(false)),
        };
        flag::register(SIGINT, Arc::clone(&interruptions.struck))?;
        flag::register_conditional_shutdown(SIGINT, i32::from(code), Arc::clone(&interruptions.at_once))?;
        Ok(interruptions)
    }

    /// Does something that must not be left half done; then says whether there was an interruption meanwhile.
    pub(super) fn hold<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        self.at_once.store(false, Ordering::SeqCst);
        let done = work();
        self.at_once.store(true, Ordering::SeqCst);
        (done, self.struck.load(Ordering::SeqCst))
    }
}
