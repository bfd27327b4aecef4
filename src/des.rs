//! Discrete events: the calendar that orders them, and random streams. No networking word in here.

pub mod calendar;
pub mod random;
