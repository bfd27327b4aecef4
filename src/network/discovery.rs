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

mod classes;
mod discover;
mod doubt;
mod finding;
mod hop_counts;
mod hops;
mod kmeans;
mod nearest;
mod no_tree;
mod options;
mod rtts;
mod search;
mod sturdy;
mod switch_tree;
mod tree;

pub use classes::Class;
pub use discover::{Discovery, discover};
pub use doubt::Doubt;
pub use finding::Finding;
pub use hop_counts::{Conflict, Counted, Reading, classes, hop_counts};
pub use hops::Hops;
pub use nearest::{Nearest, nearest};
pub use no_tree::NoTree;
pub use options::{Clustering, Intra, Known, Options};
pub use rtts::{Rtts, RttsError};
pub use sturdy::{Rival, Sturdy, SturdyOptions, sturdy, sturdy_beside};
pub use switch_tree::SwitchTree;
pub use tree::tree;
