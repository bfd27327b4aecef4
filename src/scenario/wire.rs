//! The scenario's keys: one description from which the reader, the JSON Schema and the reference all come.
//!
//! `table!` declares a section: its keys, each with its sentences, its kind of value, whether it must be
//! given, and its range. What it makes reads a tree of located values into a struct of [`Given`] fields, notes every
//! unknown, missing or ill-typed key and every value out of range, and describes itself as JSON Schema. Whether
//! values fit each other is for [`check`](super::check) to judge.

mod allgather;
mod bounds;
mod canonical;
mod credits;
mod discovery;
mod ethernet;
mod evaluation;
mod expected;
mod include;
mod kinds;
mod mappers;
mod mapping;
mod measure;
mod operation;
mod rings;
mod sections;
mod sweep;
mod table;
mod topology;
mod traffic;

pub(super) use allgather::{Allgather, Overheads, RingRoutes, Software};
pub(super) use bounds::{Bounded, Limited};
pub(super) use canonical::{Canonical, Gap};
pub(super) use credits::{FlowKind, LaneArbitration, LaneWeight};
pub(super) use discovery::{Compute, Discovery, KnownPair, MadeUp, Noise, Pace, PingSoftware};
pub(super) use ethernet::{Ethernet, EthernetFlow, ForwardingKind, HashKind, LONGEST_CABLE, RATES, Sharing};
pub(super) use evaluation::{Direction, Figure, Pins, Ratio, Reference};
pub(super) use expected::Expected;
pub(super) use include::Include;
pub(super) use kinds::{FileName, Quantity, Share};
pub(super) use mappers::{
    Berkeley, Coupon, Faults, Guarded, Identified, Mapping, Myricom, Parallel, Randomised, Restraint,
};
pub(super) use mapping::Mode;
pub(super) use measure::Measure;
pub(super) use operation::{Failure, Operation, RandomFailures};
pub(super) use rings::Rings;
pub(super) use sections::{Document, Events, Fabric, Hosts, MOST_BUFFER, Output, Routing};
pub(super) use sweep::Sweep;
pub(super) use table::{Free, Given, Located, Presence, Wire, key_of};
pub(super) use topology::{Generator, PlainTopology, Topology};
pub(super) use traffic::{
    Bursts, GivenArrivals, HotSpot, Kinds, MOST_PAYLOAD, Mix, Part, PartPattern, Pattern, Payload, Sizes,
    Traffic,
};
