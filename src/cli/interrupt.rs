//! Interruption (SIGINT, as by Ctrl-C, and SIGTERM, as by a batch system): exit code 130 at once, but never between two
//! files of a result, and a sweep first finishes the points that need no time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration as WallTime;

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use super::output::note;

/// Watches for interruptions for as long as the process lives.
pub(super) struct Interruptions {
    /// Whether an interruption ends the process at once.
    at_once: Arc<AtomicBool>,
    /// Whether there was one.
    struck: Arc<AtomicBool>,
    /// The exit code.
    code: u8,
}

/// How often patience looks for an interruption.
const LOOK_EVERY: WallTime = WallTime::from_millis(50);

/// How many looks what is under way has to come to an end.
const GRACE: u32 = 20;

impl Interruptions {
    /// From now on an interruption ends the process with this code.
    ///
    /// # Errors
    /// If the system refuses to tell of signals.
    pub(super) fn watch(code: u8) -> std::io::Result<Interruptions> {
        let interruptions = Interruptions {
            at_once: Arc::new(AtomicBool::new(true)),
            struck: Arc::new(AtomicBool::new(false)),
            code,
        };
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&interruptions.struck))?;
            flag::register_conditional_shutdown(signal, i32::from(code), Arc::clone(&interruptions.at_once))?;
        }
        // A file that may not grow further is an error like a full disk, not the end of the process.
        flag::register(SIGXFSZ, Arc::default())?;
        Ok(interruptions)
    }

    /// Does something that must not be left half done; then says whether there was an interruption meanwhile.
    pub(super) fn hold<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        self.at_once.store(false, Ordering::SeqCst);
        let done = work();
        self.at_once.store(true, Ordering::SeqCst);
        (done, self.struck.load(Ordering::SeqCst))
    }

    /// Does something that stops soon once the flag it is given is set, and that may be cut off anywhere. An
    /// interruption sets the flag; if the work has not ended a second later, or if there is another interruption, the
    /// process ends.
    pub(super) fn patiently<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        let stop = AtomicBool::new(false);
        let (ended, wait) = mpsc::channel::<()>();
        self.at_once.store(false, Ordering::SeqCst);
        let done = std::thread::scope(|scope| {
            let stop = &stop;
            scope.spawn(move || self.look(stop, &wait));
            let done = work(stop);
            drop(ended);
            done
        });
        self.at_once.store(true, Ordering::SeqCst);
        done
    }

    /// Looks for an interruption until the work has ended.
    fn look(&self, stop: &AtomicBool, wait: &mpsc::Receiver<()>) {
        let mut looks = 0;
        while wait.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            if !self.struck.load(Ordering::SeqCst) {
                continue;
            }
            stop.store(true, Ordering::SeqCst);
            self.at_once.store(true, Ordering::SeqCst);
            looks += 1;
            if looks > GRACE {
                let text = "interrupted: points under way are dropped, finished ones are kept; \
                            the same command goes on";
                note(text);
                std::process::exit(i32::from(self.code));
            }
        }
    }
}
