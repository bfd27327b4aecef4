//! Physical quantities as integers: instants, spans of time, amounts of data, rates and lengths.
//!
//! Every quantity is a newtype over an integer, so that a span cannot be taken for an instant or a byte for
//! a bit, and nothing that decides an event is ever a float. `Time + Time` does not compile.
//!
//! ```text
//!   text "50 ms" --parse--> Duration (u64 ps) --/ base cycle--> Cycle (fabric code counts only these)
//! ```
//!
//! # Source
//! Picoseconds make a byte time exact on the usual links (6 250 ps at 1.28 Gb/s, 80 ps at 100 Gb/s) and
//! overflow after 213 simulated days. Text forms follow the project's scenario language: `b` is bit, `B` is
//! byte, `K M G` are decimal, `Ki Mi Gi` binary.

mod text;

pub use text::{ParseUnitError, Unit};

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant of simulated time, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of simulated time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// An instant of the wormhole fabric, in base cycles since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle(pub u64);

/// An amount of data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// An amount of data on the wormhole fabric, in flits; one flit is one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flits(pub u64);

/// A data rate, in bits per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

/// A length of cable, in millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(u64);

impl Time {
    /// The start of a run.
    pub const ZERO: Time = Time(0);
    /// The end of the simulated clock, after 213 days: whatever would come later saturates here, so that nothing that
    /// happens at this instant was measured.
    pub const END: Time = Time(u64::MAX);
    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }
    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// The span from `earlier` to `self`; zero if `earlier` is the later one.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
    /// The first cycle that does not begin before `self`, for a base cycle of length `cycle`.
    ///
    /// # Panics
    /// If `cycle` is zero.
    pub const fn to_cycle_ceil(self, cycle: Duration) -> Cycle {
        Cycle(self.0.div_ceil(cycle.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// A span of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }
    /// A span of `ns` nanoseconds; saturates.
    pub const fn from_ns(ns: u64) -> Duration {
        Duration(ns.saturating_mul(1_000))
    }
    /// A span of `us` microseconds; saturates.
    pub const fn from_us(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000_000))
    }
    /// A span of `ms` milliseconds; saturates.
    pub const fn from_ms(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000_000))
    }
    /// Its picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// Its nanoseconds, for reports only.
    pub fn as_ns_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// Its milliseconds, for reports only.
    pub fn as_ms_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The least number of whole cycles of length `cycle` that last at least this long.
    ///
    /// # Panics
    /// If `cycle` is zero.
    pub const fn to_cycles_ceil(self, cycle: Duration) -> u64 {
        self.0.div_ceil(cycle.0)
    }
}

impl Cycle {
    /// The first cycle of a run.
    pub const ZERO: Cycle = Cycle(0);
    /// The last cycle that the simulated clock can count, for a base cycle of length `cycle`.
    ///
    /// # Panics
    /// If `cycle` is zero.
    pub const fn last(cycle: Duration) -> Cycle {
        Cycle((Time::END.0 - 1) / cycle.0)
    }
    /// The instant at which this cycle begins, for a base cycle of length `cycle`; saturates.
    pub const fn to_time(self, cycle: Duration) -> Time {
        Time(self.0.saturating_mul(cycle.0))
    }
}

impl BitRate {
    /// A rate of `bits_per_s` bits per second, `None` if that is zero.
    pub const fn new(bits_per_s: u64) -> Option<BitRate> {
        if bits_per_s == 0 { None } else { Some(BitRate(bits_per_s)) }
    }
    /// Its bits per second.
    pub const fn as_bits_per_s(self) -> u64 {
        self.0
    }
    /// The time that `amount` takes at this rate, rounded up to a picosecond; saturates.
    pub fn time_for(self, amount: Bytes) -> Duration {
        let bits = u128::from(amount.0) * 8;
        let ps = (bits * 1_000_000_000_000).div_ceil(u128::from(self.0));
        Duration(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

impl Length {
    /// A length of `mm` millimetres.
    pub const fn from_mm(mm: u64) -> Length {
        Length(mm)
    }
    /// Its millimetres.
    pub const fn as_mm(self) -> u64 {
        self.0
    }
    /// The time of flight over this length at 5 ns/m; saturates.
    ///
    /// # Source
    /// Copper and fibre both carry a signal at about 5 ns/m; the project's fabric fixes that figure.
    pub const fn flight_time(self) -> Duration {
        Duration(self.0.saturating_mul(5))
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, times: u64) -> Duration {
        Duration(self.0.saturating_mul(times))
    }
}

impl Add<u64> for Cycle {
    type Output = Cycle;
    fn add(self, cycles: u64) -> Cycle {
        Cycle(self.0.saturating_add(cycles))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}
