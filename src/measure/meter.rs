//! The meter of one load point: which messages count, and what they say.
//!
//! ```text
//!   0 ......... warm-up ......... from ......... window ......... to ........ drain
//!                                  | created here: latency is measured, however late they arrive
//!                                  | delivered here: accepted traffic
//! ```
//!
//! # Scope and limitations
//! The warm-up is given, not detected. The confidence interval takes the means of 20 batches of the window for
//! independent, which holds once batches are much longer than the network's memory.
//!
//! # Validation
//! Offered against accepted traffic below saturation, and M/D/1 waiting times, in the integration tests.

use crate::units::Cycle;

use super::Latency;

/// How many batches a window is cut into.
const BATCHES: usize = 20;
/// The 97.5 % quantile of Student's t with 19 degrees of freedom.
const STUDENT_T: f64 = 2.093;

/// The cycles in which messages are measured: `from <= cycle < to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first cycle.
    pub from: Cycle,
    /// The cycle after the last.
    pub to: Cycle,
}

impl Window {
    /// Whether `cycle` lies in it.
    pub fn contains(&self, cycle: Cycle) -> bool {
        self.from <= cycle && cycle < self.to
    }

    /// How many cycles it has.
    pub fn cycles(&self) -> u64 {
        self.to.0 - self.from.0
    }
}

/// Measures the messages of one load point.
#[derive(Clone, Debug)]
pub struct Meter {
    window: Window,
    batches: [(u128, u64); BATCHES],
    offered_flits: u64,
    accepted_flits: u64,
    open: u64,
    /// Latency from creation.
    pub latency: Latency,
    /// Latency from the first flit on the first cable.
    pub network_latency: Latency,
}

impl Meter {
    /// A meter that has seen nothing yet.
    pub fn new(window: Window) -> Meter {
        Meter {
            window,
            batches: [(0, 0); BATCHES],
            offered_flits: 0,
            accepted_flits: 0,
            open: 0,
            latency: Latency::default(),
            network_latency: Latency::default(),
        }
    }

    /// Its window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Notes that a host created a message of `payload` flits.
    pub fn created(&mut self, created: Cycle, payload: u32) {
        if self.window.contains(created) {
            self.offered_flits += u64::from(payload);
            self.open += 1;
        }
    }

    /// Notes that a message was delivered whole and sound.
    pub fn delivered(&mut self, created: Cycle, started: Cycle, tail: Cycle, payload: u32) {
        if self.window.contains(tail) {
            self.accepted_flits += u64::from(payload);
        }
        if self.window.contains(created) {
            self.open -= 1;
            let cycles = tail.0 - created.0;
            self.latency.record(cycles);
            self.network_latency.record(tail.0 - started.0);
            let batch = &mut self.batches[self.batch_of(created)];
            *batch = (batch.0 + u128::from(cycles), batch.1 + 1);
        }
    }

    /// Notes that a message ended without being delivered.
    pub fn lost(&mut self, created: Cycle) {
        if self.window.contains(created) {
            self.open -= 1;
        }
    }

    fn batch_of(&self, created: Cycle) -> usize {
        let into = u128::from(created.0 - self.window.from.0) * BATCHES as u128;
        usize::try_from(into / u128::from(self.window.cycles())).expect("below the number of batches")
    }

    /// How many measured messages have not ended yet.
    pub fn open(&self) -> u64 {
        self.open
    }

    /// Payload flits of the messages created in the window.
    pub fn offered_flits(&self) -> u64 {
        self.offered_flits
    }

    /// Payload flits of the messages whose tail arrived in the window.
    pub fn accepted_flits(&self) -> u64 {
        self.accepted_flits
    }

    /// Half the width of the 95 % confidence interval of the mean latency, relative to that mean.
    ///
    /// `None` if a batch is empty.
    ///
    /// # Source
    /// Batch means over equal shares of the window, by creation.
    pub fn relative_half_width(&self) -> Option<f64> {
        if self.batches.iter().any(|(_, count)| *count == 0) {
            return None;
        }
        let means = self.batches.map(|(sum, count)| sum as f64 / count as f64);
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let square: f64 = means.iter().map(|m| (m - mean) * (m - mean)).sum();
        let deviation = libm::sqrt(square / (BATCHES as f64 - 1.0));
        Some(STUDENT_T * deviation / libm::sqrt(BATCHES as f64) / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_created_in_the_window_are_measured() {
        let mut meter = Meter::new(Window { from: Cycle(100), to: Cycle(200) });
        for created in [50, 100, 199, 200] {
            meter.created(Cycle(created), 10);
            meter.delivered(Cycle(created), Cycle(created + 1), Cycle(created + 60), 10);
        }
        assert_eq!((meter.open(), meter.latency.count()), (0, 2));
        assert_eq!(meter.latency.mean(), Some(60.0));
        assert_eq!(meter.network_latency.mean(), Some(59.0));
        // Tails at 110 and 160 fall into the window, at 259 and 260 do not.
        assert_eq!((meter.offered_flits(), meter.accepted_flits()), (20, 20));
        assert_eq!(meter.relative_half_width(), None);
    }

    #[test]
    fn equal_batches_leave_no_doubt_and_unequal_ones_do() {
        let mut meter = Meter::new(Window { from: Cycle(0), to: Cycle(2_000) });
        let mut other = meter.clone();
        for created in 0..2_000 {
            meter.created(Cycle(created), 1);
            meter.delivered(Cycle(created), Cycle(created), Cycle(created + 7), 1);
            other.created(Cycle(created), 1);
            other.delivered(Cycle(created), Cycle(created), Cycle(created + 1 + created / 100 % 2), 1);
        }
        assert_eq!(meter.relative_half_width(), Some(0.0));
        // Batch means 1 and 2 in turn: deviation sqrt(20 / 19) / 2.
        let expected = 2.093 * (20.0_f64 / 19.0).sqrt() / 2.0 / 20.0_f64.sqrt() / 1.5;
        assert!((other.relative_half_width().unwrap() - expected).abs() < 1e-9);
    }
}
