//! What is measured of a run: latencies, throughput, and how sure their values are.

mod batches;
mod by_host;
mod estimate;
mod latency;
mod meter;
mod spread;
mod trend;
mod warmup;

pub use batches::{Slot, half_width};
pub use by_host::{ByHost, HostLatency, HostTotals};
pub use estimate::{Congestion, Doubt, Estimate};
pub use latency::Latency;
pub use meter::{Arrival, Meter, SLOTS, Spent, Totals, Window};
pub use spread::Spread;
pub use trend::{Trend, TrendSlot};
pub use warmup::mser;
