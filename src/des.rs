//! Discrete events: what every simulated thing needs and that knows no networking word.

pub mod process;
pub mod random;
pub mod timers;
