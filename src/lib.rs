//! simnet: a discrete-event simulator of switched cluster networks.
//!
//! # The guided tour
//!
//! A *scenario* says what is cabled, what runs, what to measure and what to expect. Reading it gives a value that
//! cannot be wrong, and running that value is a function: the same scenario and seed give the same results.
//!
//! ```
//! use simnet::scenario::{self, Overrides};
//! use simnet::simulation::{self, Outcome};
//!
//! let text = r#"
//!     [scenario]
//!     name = "tour"
//!     seed = 1
//!
//!     [topology.ring]                # four switches in a ring, one host at each
//!     switches = 4
//!     hosts-per-switch = 1
//!
//!     [routing]
//!     algorithm = "updown"           # deadlock-free, and proved to be
//!
//!     [traffic.uniform]
//!     payload = "32 B"
//!     loads = [0.01, 0.02]           # payload flits per cycle and host: two points
//!
//!     [measure]
//!     messages = 1000
//! "#;
//! let checked = scenario::read("tour.toml", text.as_bytes(), &Overrides::default())?;
//! let run = simulation::run(&checked, &(), None)?;
//!
//! assert_eq!(run.summary.outcome, Outcome::Drained);
//! assert_eq!(run.summary.stages().unwrap().route.as_ref().unwrap().dependency_cycle, None);
//! let [low, high] = run.summary.points() else { panic!("two loads") };
//! assert!(low.latency_mean_ns < high.latency_mean_ns);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crates, from the lowest:
//!
//! 1. [`units`] and [`ids`]: integer quantities, small ids; [`files`]: the disk, and what is never done to it.
//! 2. [`des`]: the calendar, timers, processes and random streams. It knows no networking word.
//! 3. [`topology`]: the port-numbered multigraph, its presets, generators and files; [`routing`]: routes and the
//!    proof that they cannot deadlock.
//! 4. [`fabric`]: the wormhole fabric, exact to the flit, paid for by the run of flits.
//! 5. [`ring`]: spanning trees and the logical rings on them; [`discovery`]: the tree of switches behind round-trip
//!    times; [`ethernet`]: frames, store-and-forward switches,
//!    transports; [`medium`]: what a fabric and an Ethernet have in common for those who only send messages.
//! 6. [`host`]: what runs on hosts, mappers and MPI ranks among it; it sees a handle, never a switch.
//! 7. [`traffic`] and [`measure`]: who sends what to whom, and what is made of it.
//! 8. [`scenario`] reads, [`simulation`] runs, [`report`] and [`codegen`] write, [`cli`] prints.
//! 9. [`trace`]: what happens, event by event; [`page`]: a run as one HTML file.
//! 10. [`sweep`]: many runs, none lost; [`figures`]: the papers' tables and figures from one command.

pub mod cli;

pub use simnet_base::{cells, des, diagnostics, files, ids, measure, numbers, papers, units};
pub use simnet_figures as figures;
pub use simnet_media::{ethernet, fabric, host, medium, trace, traffic};
pub use simnet_network::{discovery, ring, routing, topology};
pub use simnet_output::{codegen, page, report};
pub use simnet_running::{simulation, sweep};
pub use simnet_scenario as scenario;
