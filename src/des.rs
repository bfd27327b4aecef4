//! Discrete events, with no networking word in it: the calendar of cycles and phases.

pub mod calendar;
