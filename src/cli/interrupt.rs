//! Interruption (SIGINT, as by Ctrl-C, SIGTERM, as by a batch system, and SIGHUP, as by a terminal that closes): exit
//! code 130, but never between two files of a result, and what is done is kept: the points of a sweep, the load points
//! of a run. One code for all signals: a script that looks for 130 finds every interruption.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration as WallTime;

use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
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

/// The exit code where the system gives no memory: as for anything else that it refuses.
const OUT_OF_MEMORY: u8 = 7;

/// How many looks what is under way has to come to an end.
const GRACE: u32 = 20;
/// The same of work that has heard that it is to end.
const GRACE_IF_HEARD: u32 = 400;

/// Tells work to end soon.
#[derive(Default)]
pub(super) struct Stop {
    wanted: AtomicBool,
    heard: AtomicBool,
}

impl Stop {
    /// What is set once the work is to end.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.wanted
    }

    /// Whether the work is to end; whoever asks and is told so does end it.
    pub(super) fn hear(&self) -> bool {
        let wanted = self.wanted.load(Ordering::Relaxed);
        if wanted {
            self.heard.store(true, Ordering::Relaxed);
        }
        wanted
    }

    fn grace(&self) -> u32 {
        if self.heard.load(Ordering::Relaxed) { GRACE_IF_HEARD } else { GRACE }
    }
}

impl Interruptions {
    /// From now on an interruption ends the process with this code.
    ///
    /// # Errors
    /// If the system refuses to report signals.
    pub(super) fn watch(code: u8) -> std::io::Result<Interruptions> {
        let interruptions = Interruptions {
            at_once: Arc::new(AtomicBool::new(true)),
            struck: Arc::new(AtomicBool::new(false)),
            code,
        };
        // A user who starts a command with nohup wants it to go on.
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            flag::register(signal, Arc::clone(&interruptions.struck))?;
            flag::register_conditional_shutdown(signal, i32::from(code), Arc::clone(&interruptions.at_once))?;
        }
        // A file that may not grow further is an error like a full disk, not the end of the process.
        flag::register(SIGXFSZ, Arc::default())?;
        // Memory that the system does not give ends the process with the message that the allocator prints, and with
        // the code of what the system refuses.
        flag::register_conditional_shutdown(
            SIGABRT,
            i32::from(OUT_OF_MEMORY),
            Arc::new(AtomicBool::new(true)),
        )?;
        Ok(interruptions)
    }

    /// Does something that must not be left half done; then says whether there was an interruption meanwhile.
    pub(super) fn hold<T>(&self, work: impl FnOnce() -> T) -> (T, bool) {
        self.at_once.store(false, Ordering::SeqCst);
        let done = work();
        self.at_once.store(true, Ordering::SeqCst);
        (done, self.struck.load(Ordering::SeqCst))
    }

    /// Does something that ends soon once it is told to, and that may be cut off anywhere. An interruption tells it; if
    /// it has not ended a second later (20 seconds, if it has heard), `late` is done and the process ends, as it does
    /// at once if there is another interruption.
    pub(super) fn patiently<T>(&self, work: impl FnOnce(&Stop) -> T, late: impl FnOnce() + Send) -> T {
        let stop = Stop::default();
        let (ended, wait) = mpsc::channel::<()>();
        self.at_once.store(false, Ordering::SeqCst);
        let done = std::thread::scope(|scope| {
            let stop = &stop;
            let looks = std::thread::Builder::new().spawn_scoped(scope, move || self.look(stop, &wait, late));
            // Without a thread that looks, an interruption ends the process at once.
            self.at_once.store(looks.is_err(), Ordering::SeqCst);
            let done = work(stop);
            drop(ended);
            done
        });
        self.at_once.store(true, Ordering::SeqCst);
        done
    }

    /// Looks for an interruption until the work has ended.
    fn look(&self, stop: &Stop, wait: &mpsc::Receiver<()>, late: impl FnOnce()) {
        let mut looks = 0;
        while wait.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            if !self.struck.load(Ordering::SeqCst) {
                continue;
            }
            stop.wanted.store(true, Ordering::SeqCst);
            self.at_once.store(true, Ordering::SeqCst);
            looks += 1;
            if looks > stop.grace() {
                self.hold(late);
                std::process::exit(i32::from(self.code));
            }
        }
    }
}

/// Says that the points of a sweep's folder that were under way are lost, and no others.
pub(super) fn drop_points() {
    note("interrupted: points under way are dropped, finished ones are kept; the same command goes on");
}

/// Whether this process was started with a signal ignored.
///
/// # Source
/// Linux, proc(5): `SigIgn` in /proc/self/status is a mask in hexadecimal, whose lowest bit is signal 1.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
