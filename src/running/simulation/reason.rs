//! Why a load point has not converged, in words.
//!
//! # Validation
//! Every reason is brought about, and what it advises is followed, in `tests/it/command/advice.rs`.

use std::fmt;

use serde::{Serialize, Serializer};

use simnet_base::measure::{Doubt, Estimate};
use simnet_base::numbers::{number, percent, significant, time};
use simnet_output::report::words;

use super::point::{Cut, Point, PointEnd};
use super::summary::Scale;

/// Why a load point has not converged.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Deadlocks stand that nothing breaks: how many, when the first of them formed in ns, the messages they hold up.
    Dead(usize, f64, u64),
    /// The network fell behind what was offered.
    Behind,
    /// The simulated clock ends before the warm-up, or before the measurement.
    Clock(&'static str),
    /// The horizon cuts the measurement.
    Cut,
    /// The window is shorter than a message: both in ns.
    Window(f64, f64),
    /// The horizon comes before the last measured message has ended.
    Horizon,
    /// A deadlock stood at the end, and what may break it came too late.
    Locked,
    /// So many messages of a trace had not begun to leave their hosts, and none was under way.
    Waiting(u64),
    /// So many messages of a trace were lost.
    Lost(u64),
    /// Messages of a trace cannot be cut into batches that say how well their mean is known.
    Trace,
    /// The warm-up had no end within what was measured.
    Warmup,
    /// Too few messages to judge them: how many.
    Few(u64),
    /// The interval of the mean cannot be trusted.
    Doubt(Doubt),
    /// Half the interval is this share of the mean, and more than the share that was asked for.
    Wide(f64, f64),
}

/// How long the simulated clock goes.
const CLOCK: &str = "213 days";

impl Reason {
    /// The first reason that keeps a point at `load` from having converged; none if nothing does. A trace has to arrive
    /// as well.
    pub(super) fn of(load: Option<f64>, point: &Point, scale: &Scale) -> Option<Reason> {
        let cycles = |cycles: u64| scale.ns(cycles as f64);
        if point.end == PointEnd::Deadlocked {
            let standing = || point.deadlocks.iter().filter(|deadlock| deadlock.cleared.is_none());
            let formed = standing().map(|deadlock| deadlock.formed).min().unwrap_or(point.last);
            return Some(Reason::Dead(standing().count(), scale.instant_ns(formed), point.in_flight));
        }
        let by_time = match point.cut {
            _ if point.is_locked => Some(Reason::Locked),
            _ if point.is_warmup_cut => Some(Reason::Clock("warm-up")),
            Some(Cut::Clock) => Some(Reason::Clock("measurement")),
            _ if point.saturated => Some(Reason::Behind),
            Some(Cut::Horizon) => Some(Reason::Cut),
            None if point.window.cycles() < point.message => {
                Some(Reason::Window(cycles(point.window.cycles()), cycles(point.message)))
            }
            None => None,
        };
        by_time
            .or_else(|| match point.meter.open() {
                _ if point.end == PointEnd::Drained => None,
                waiting if load.is_none() && point.in_flight == 0 && waiting > 0 => {
                    Some(Reason::Waiting(waiting))
                }
                _ => Some(Reason::Horizon),
            })
            .or_else(|| Reason::of_mean(load.is_none(), point, scale))
    }

    fn of_mean(is_trace: bool, point: &Point, scale: &Scale) -> Option<Reason> {
        let lost = point.tally.lost() + point.tally.unroutable;
        if is_trace && lost > 0 {
            return Some(Reason::Lost(lost));
        }
        let Some(Estimate { relative_half_width, doubt, .. }) = point.estimate else {
            let messages = point.meter.latency().count();
            return Some(if is_trace { Reason::Trace } else { Reason::Few(messages) });
        };
        match doubt {
            _ if !point.is_warm => Some(Reason::Warmup),
            Some(doubt) => Some(Reason::Doubt(doubt)),
            None if relative_half_width <= scale.precision => None,
            None => Some(Reason::Wide(relative_half_width, scale.precision)),
        }
    }

    /// Whether more messages may mend it.
    pub fn is_short(&self) -> bool {
        matches!(
            self,
            Reason::Window(..) | Reason::Warmup | Reason::Few(_) | Reason::Doubt(_) | Reason::Wide(..)
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Dead(0, _, stuck) => {
                write!(f, "nothing is left to happen, and {stuck} messages have not arrived")
            }
            Reason::Dead(1, formed, stuck) => {
                write!(
                    f,
                    "a deadlock formed at {} that nothing breaks; it holds up {stuck} messages",
                    time(*formed)
                )
            }
            Reason::Dead(count, formed, stuck) => write!(
                f,
                "{count} deadlocks formed that nothing breaks, the first at {}; they hold up {stuck} messages",
                time(*formed)
            ),
            Reason::Behind => f.write_str("the network falls behind what is offered"),
            Reason::Clock(what) => {
                write!(f, "the simulated clock ends after {CLOCK} and before the {what} does")
            }
            Reason::Cut => f.write_str("the horizon comes before the end of the measurement"),
            Reason::Window(window, message) => {
                write!(f, "the window of {} is shorter than a message of {}", time(*window), time(*message))
            }
            Reason::Horizon => f.write_str(
                "measured messages were still under way at the end: at the horizon, or four times as late",
            ),
            Reason::Locked => f.write_str("a deadlock stood at the end that could be broken only later"),
            Reason::Waiting(1) => f.write_str("a message had not left its host at the end"),
            Reason::Waiting(waiting) => write!(f, "{waiting} messages had not left their hosts at the end"),
            Reason::Lost(1) => f.write_str("a message was lost, and only the others have latencies"),
            Reason::Lost(lost) => {
                write!(f, "{lost} messages were lost, and only the others have latencies")
            }
            Reason::Trace => {
                f.write_str("the mean is that of these messages, and no interval says how others would fare")
            }
            Reason::Warmup => f.write_str("no end of the warm-up was found in what was measured"),
            Reason::Few(messages) => write!(f, "{messages} messages are too few to judge their mean"),
            Reason::Doubt(Doubt::Correlated) => f.write_str(
                "latencies still depend on those of long before: the window is too short to judge their mean",
            ),
            Reason::Doubt(Doubt::Unsteady) => {
                f.write_str("latency is not steady: the first half of the window is unlike the whole")
            }
            Reason::Doubt(Doubt::Short(times)) => write!(
                f,
                "so congested a network may need a window about {} times as long to forget",
                number(significant(*times * 1.05, 2), 2)
            ),
            Reason::Wide(half, precision) => {
                write!(
                    f,
                    "the mean is known within {} and not within {}",
                    percent(*half, 1),
                    percent(*precision, 1)
                )
            }
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

words!(Reason);
