//! Networks of switches, hosts and cables: read, routed, proved free of deadlock, found from round-trip times.
//!
//! # The guided tour
//!
//! A network comes from a preset, a generator or a file of another tool, and can be written again:
//!
//! ```
//! use simnet_network::topology::formats::{self, Format, ReadOptions};
//! use simnet_network::topology::presets;
//!
//! let now = presets::load("now-c").unwrap();
//! let text = formats::write(&now, Format::Toml);
//! let again = formats::read("now-c.toml", text.as_bytes(), &ReadOptions::default())?;
//! assert_eq!((again.switches().len(), again.links().len()), (now.switches().len(), now.links().len()));
//!
//! // What cannot be read is refused with file, line and column.
//! let cut = &text.as_bytes()[..text.len() / 2];
//! let fault = formats::read("cut.toml", cut, &ReadOptions::default()).unwrap_err();
//! assert!(fault.to_string().contains("--> cut.toml:"), "{fault}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Routes are a plan: directions of cables, legal paths, one route a pair. The dependency graph of their channels
//! proves that they cannot deadlock, or names the shortest cycle that could close:
//!
//! ```
//! use simnet_network::routing::{Algorithm, Attachments, Choices, Plan};
//! use simnet_network::topology::generate;
//!
//! let network = generate::build("ring", &[("switches", 5), ("hosts-per-switch", 1)], 1)?;
//! let hosts = Attachments::lowest(&network);
//! let updown = Plan::new(&network, &hosts, &Choices::default())?.report(&network, &hosts);
//! assert_eq!(updown.dependency_cycle, None);
//!
//! let shortest = Choices { algorithm: Algorithm::Minimal, ..Choices::default() };
//! let minimal = Plan::new(&network, &hosts, &shortest)?.report(&network, &hosts);
//! assert_eq!(minimal.dependency_cycle.map(|cycle| cycle.len()), Some(5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A logical ring on a spanning tree is free of contention, and its messages are followed to show it:
//!
//! ```
//! use simnet_network::ring::{Tree, judge, lr3};
//! use simnet_network::topology::presets;
//!
//! let network = presets::load("faraj-a").unwrap();
//! let tree = Tree::bfs(&network, Tree::first_root(&network).unwrap())?;
//! let ring = lr3(&tree);
//! assert!(judge(&tree, &ring.hosts).contention_free);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`topology`] knows no routes and no time; [`discovery`] knows neither how times were measured nor on what.

pub mod discovery;
pub mod ring;
pub mod routing;
pub mod topology;
