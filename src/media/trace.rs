//! What happens on a network, event by event: recorded by wrappers round what is observed, kept in bounds, written
//! compactly, read back, and turned into what other tools open.
//!
//! ```text
//!   fabric ───── Observer ───────┐
//!   processes ── ProcessObserver ┼─▶ Recording (one a scene, bounded) ──▶ Recorder ──▶ log file ──▶ Reader ─┐
//!   Ethernet ─── Observer ───────┘                                                                          │
//!                                                            simnet trace, simnet report ◀──────────────────┘
//! ```
//! A *scene* is a stretch of simulated time with a clock of its own: the mapping, a load point, the operation.
//! Recording changes no result.

pub mod blocks;
pub mod bounds;
mod capture;
mod code;
mod csv;
pub mod event;
pub mod file;
mod foreign;
pub mod leb128;
mod ndjson;
mod perfetto;
mod reader;
mod record;
mod recorded;
mod row;
pub mod sink;

pub use bounds::Bounds;
pub use capture::Capture;
pub use csv::Csv;
pub use event::{Event, EventKind, Heading, Message, Scene};
pub use file::LogWriter;
pub use ndjson::Ndjson;
pub use perfetto::Perfetto;
pub use reader::{LogEntry, LogFault, Reader};
pub use record::{ProcessObserver, Recorder, Recording, WormNames};
pub use row::{cause_name, port_name};
pub use sink::{Names, Sink};
