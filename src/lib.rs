//! simnet: a discrete-event simulator of switched cluster networks.

pub mod cli;
pub mod des;
pub mod diagnostics;
pub mod fabric;
pub mod host;
pub mod ids;
pub mod measure;
pub mod report;
pub mod routing;
pub mod scenario;
pub mod simulation;
pub mod topology;
pub mod traffic;
pub mod units;
