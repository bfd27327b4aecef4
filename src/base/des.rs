//! Discrete events, with no networking word in it: what happens next, who waits for it, and chance.

pub mod agenda;
pub mod calendar;
pub mod executor;
pub mod process;
pub mod random;
pub mod timers;
pub mod wheel;
