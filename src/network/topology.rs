//! The network as a port-numbered multigraph: switches, hosts and the cables between their ports.
//!
//! Parallel cables, cables looped back to their own switch and networks in several components are legal.
//! Topology knows wiring only: no routes, no traffic, no time.
//!
//! ```text
//!   presets --+
//!   generate -+--> Network --> metrics, isomorphism, formats::write
//!   formats --+
//! ```

pub mod difference;
pub mod formats;
pub mod generate;
mod graph;
pub mod isomorphism;
mod labels;
pub mod metrics;
pub mod presets;
mod roles;
mod subset;

pub use graph::{CablingError, End, Host, Link, Network, Switch};
pub use roles::Role;
pub use subset::{LeftOut, Subset, SubsetError, with_roles};
