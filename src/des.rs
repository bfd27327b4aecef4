//! Discrete-event machinery: what happens next, who waits for it, and chance. No networking word in it.

pub mod random;
