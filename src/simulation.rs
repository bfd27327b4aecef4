//! What a checked scenario becomes: a fabric, hosts, routes, traffic and measures, run to an outcome.
//!
//! ```text
//!   Checked --mapping--> map --routing--> routes --distribution--> interfaces
//!                                            \--> points (one fabric each, in parallel) --> Run
//! ```
//! A run is a function of the checked scenario alone: no wall clock, no thread count, no printing.

pub mod point;
mod summary;
mod tables;
pub mod traffic;

pub use summary::{DeadlockReport, Outcome, PointReport, Scale, Summary, port_name};

use rayon::prelude::*;
use thiserror::Error;

use crate::fabric::{BuildError, Parameters};
use crate::ids::HostId;
use crate::measure::Window;
use crate::routing::RouteTable;
use crate::scenario::Checked;
use crate::scenario::checked::{Extent, Measure, Traffic, Uniform as UniformLoads};
use crate::scenario::cycles::flit_time;
use crate::traffic::{Trace, Uniform};
use crate::units::{Cycle, Duration};

use point::{Point, Setup};
use summary::message_name;

/// Everything that came of a run.
pub struct Run {
    /// The object of `summary.json`.
    pub summary: Summary,
    /// The other result files: name and contents.
    pub files: Vec<(String, String)>,
    /// Events of all fabrics together.
    pub events: u64,
    /// Messages delivered over all points, warm-up included.
    pub messages_delivered: u64,
}

/// Why a checked scenario cannot be run after all.
#[derive(Debug, Error)]
pub enum RunError {
    /// The fabric refuses its parameters.
    #[error(transparent)]
    Fabric(#[from] BuildError),
}

/// Hears how far a run has come; for progress bars. May be called from several threads.
pub trait Progress: Sync {
    /// A new stage begins, of `steps` steps.
    fn stage(&self, name: &str, steps: u64);
    /// A step of the stage is done.
    fn step(&self);
}

impl Progress for () {
    fn stage(&self, _name: &str, _steps: u64) {}
    fn step(&self) {}
}
