//! Sweeps: many points computed on any number of cores and machines, none lost and none computed twice.
//!
//! ```text
//!   Points ──key, cost──▶ run (longest first, every core) ──lines──▶ shards ──merge──▶ points.csv, in plan order
//!                          ▲                                           │
//!                          └────────── what is whole is kept ──────────┘
//! ```
//! The shards alone say what is done.
//!
//! # A sweep's folder
//! ```text
//!   sweep.json           which sweep this is, and what it was read from
//!   inputs/<hash>/...    copies of everything that was read: the folder needs nothing else, on any machine
//!   shards/*.jsonl       one line a point, each file written by one worker of one process and by no other
//!   lock                 held by the process that runs the sweep; free as soon as that process is gone
//!   points.csv           one row a point, in plan order, as soon as every point is done
//!   evaluation/          what `simnet run` of the same file leaves, if the file asks for more than points
//!   manifest.json        where the table comes from
//! ```
//! # What can go wrong, and what then
//! A process killed at any instant leaves whole lines and at most a torn one at the end of each of its shards. Every
//! line carries a checksum of its own bytes, so that torn and altered lines are recognised; they are
//! reported and their points computed again. Lines reach the disk within about a second, so that a power cut costs
//! no more than the last second's points. Two whole lines that give one key different results are an error: a result
//! is a function of its key, so one of them is wrong and it is unknown which.
//!
//! A panic while a point is computed is a fault of simnet, and is recorded as that point's failure: the others go on.

mod ends;
mod evaluate;
mod known;
mod line;
mod merge;
mod points;
mod run;
mod scenarios;
mod shard;
pub mod slurm;
mod store;

pub use ends::Ends;
pub use evaluate::{Evaluated, SweepReport, SweepSummary, evaluate};
pub use known::{Damage, Known, Reader, Record, ShardContents};
pub use merge::{Merged, merge, outcomes};
pub use points::{Plan, Points};
pub use run::{
    INTERRUPTED, MOST_THREADS, Outcomes, Part, Progress, Ran, RunOptions, assign, run, run_as, run_together,
    run_until,
};
pub use scenarios::Scenarios;
pub use shard::Shard;
pub use store::{Identity, Input, Lock, Store, StoreError};
