//! Virtual cut-through with credits and lanes: exact to the byte, paid for by the packet and hop.
//!
mod deadlock;
mod engine;
mod failure;
mod forwarding;
mod hosts;
mod inspect;
mod lanes;
mod messages;
mod parameters;
mod records;
mod reporting;

pub(super) use engine::Engine;
pub use parameters::{
    CreditParameters, LaneArbitration, LaneWeight, MOST_LANES, SERVICE_LEVELS, ServiceLanes,
};
