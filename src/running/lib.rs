//! Scenarios run: what a checked scenario becomes, and many of them as a sweep.
//!
//! # The guided tour
//!
//! Running a scenario is a function of its text and seed:
//!
//! ```
//! use simnet_running::simulation::{self, Outcome};
//! use simnet_scenario::{self as scenario, Overrides};
//!
//! let text = r#"
//!     [scenario]
//!     name = "tour"
//!     seed = 1
//!
//!     [topology]
//!     preset = "now-c"
//!
//!     [mapping]
//!     algorithm = "berkeley"
//!     mapper = "c-util"
//! "#;
//! let checked = scenario::read("tour.toml", text.as_bytes(), &Overrides::default())?;
//! let run = simulation::run(&checked, &(), None)?;
//! assert_eq!(run.summary.outcome, Outcome::Drained);
//! let again = simulation::run(&checked, &(), None)?;
//! assert_eq!(format!("{:?}", run.summary), format!("{:?}", again.summary));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`sweep`] runs many, none of them twice, and evaluates them together.

pub mod simulation;
pub mod sweep;

/// Whether a value says nothing more than its absence would: summaries leave it out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
