//! Finding the switches of a cluster from round-trip times between its machines.
//!
//! ```text
//!   Rtts (ms, from CSV or a simulation) --classes--> --hop counts--> Hops --tree--> SwitchTree --> Network
//! ```
//! Knows neither how the times were measured nor on what: what measures them is `host::rtt`.
//!
//! # Source
//! lawrence2008: the switches of an Ethernet form a tree, every switch on a path stores and forwards, so that a
//! round trip over h switches takes c + 2(h + 1)x; a tree follows from its hop counts alone (Theorem 1).

mod finding;
mod hops;
mod nearest;
mod odd;
mod rtts;
mod search;
mod sturdy;
mod switch_tree;

pub use finding::Finding;
pub use hops::Hops;
pub use nearest::{Nearest, nearest};
pub use odd::odd;
pub use rtts::{Rtts, RttsError};
pub use sturdy::{Sturdy, SturdyOptions, sturdy};
pub use switch_tree::SwitchTree;
