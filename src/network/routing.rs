//! Routes: directions of cables, legal paths, selections, the proof against deadlock, figures of merit, route
//! files.
//!
//! ```text
//!   Network -> SwitchGraph -> Directions -> LegalMoves -> select_routes -> RouteTable -> Survey -> Report
//!                                                                            ^   |
//!                                                    a --routes file --------+   +--> turns of every message
//! ```

mod algorithm;
mod allowed_turns;
mod attachments;
mod balance;
mod certificate;
mod dependency;
mod destination;
mod dimension_order;
mod directions;
mod exceptions;
mod failures;
mod folded_clos;
mod gm_routes;
mod graph;
mod in_transit;
mod judged;
mod lfts;
mod metrics;
mod paths;
mod plan;
mod relief;
mod root_file;
mod roots;
mod routes_file;
mod select;
mod skyline;
mod smart;
mod spines;
mod spread;
mod suggest;
mod survey;
mod table;

pub use algorithm::{Algorithm, Rule};
pub use allowed_turns::AllowedTurns;
pub use attachments::{Attachment, Attachments, PortsJudged};
pub use balance::{BalanceTooLarge, Candidates};
pub use certificate::{About, Certificate, verify, write_certificate};
pub use dependency::{ChannelLane, DependencyGraph};
pub use destination::{DestinationTables, Engine, NextHops, OpenSm, TablesError, Target, TooManyPorts};
pub use dimension_order::{Dimension, DimensionOrder, NotAGrid};
pub use directions::{Directions, Heuristic, Root, Tree};
pub use exceptions::Exceptions;
pub use failures::{Effect, Failures, Part, choices_without, rank_failures, without};
pub use folded_clos::{FoldedClos, NotFoldedClos};
pub use gm_routes::write_gm_routes;
pub use graph::{Landing, Output, SwitchGraph, UNREACHED, Wire, Wiring};
pub use in_transit::{Uncut, sends_on};
pub use judged::{Judged, Requirement, Verdict};
pub use lfts::{
    DROPPED, ForwardingTables, HighestLane, LaneTables, Lanes, ServiceLevels, read_lfts, read_service_levels,
    read_sl2vl,
};
pub use metrics::{SwitchMetrics, restrictions_per_switch};
pub use paths::{LegalMoves, State, Toward};
pub use plan::{BusiestChannel, Choices, Chosen, ExceptionalTurns, LoadAtDistance, Plan, PlanError, Report};
pub use root_file::read_root_guids;
pub use routes_file::{read_routes, write_routes};
pub use select::{Selection, balanced_routes, select_routes};
pub use skyline::{Changed, Reconfigured};
pub use smart::Smart;
pub use spread::{PAIR, Spread};
pub use suggest::{
    Answer, Judgement, Objective, Question, Suggestion, TooManySwitches, judgement, suggest, with_cables,
    with_extra_ports,
};
pub use survey::{LaneUse, Survey};
pub use table::{RouteTable, Routes, TableTooLarge};
