//! What is measured of a run: latencies, throughput, and how sure their values are.

mod latency;
mod meter;

pub use latency::Latency;
pub use meter::{Meter, Window};
