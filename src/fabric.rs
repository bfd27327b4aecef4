//! The wormhole fabric: exact to the flit, paid for by the run of flits.

mod endpoint;
mod parameters;

pub use endpoint::{Cause, Ended, Endpoint, Fate, Observer, Outgoing, RouteBuffer};
pub use parameters::{Arbitration, HostParameters, LinkTiming, Parameters, Receive, SwitchParameters};
