//! What all of simnet stands on: quantities, faults in files, the disk, event calendar, statistics.
//!
//! # The guided tour
//!
//! Quantities are integers that read and print their units; faults of a file name the place and the nearest spelling:
//!
//! ```
//! use simnet_base::diagnostics::nearest;
//! use simnet_base::units::{BitRate, Bytes, Duration, Unit as _};
//!
//! let rate = BitRate::parse("1.28 Gb/s")?;
//! assert_eq!(rate.time_for(Bytes(1)), Duration::from_ps(6_250));
//! assert_eq!(nearest("updwn", ["updown", "minimal"]), Some("updown"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Events happen in order of time and phase, and in the order in which they were scheduled within a phase:
//!
//! ```
//! use simnet_base::des::calendar::Calendar;
//!
//! let mut calendar = Calendar::new(2);
//! calendar.schedule(7, 1, "a worm moves");
//! calendar.schedule(7, 0, "a cable fails");
//! let time = calendar.next_before(u64::MAX).unwrap();
//! calendar.open(time);
//! assert_eq!((time, calendar.pop(0), calendar.pop(1)), (7, Some("a cable fails"), Some("a worm moves")));
//! ```
//!
//! [`files`] is the disk, and what is never done to it; [`papers`] holds the numbers that five papers print;
//! [`measure`] finds the end of a warm-up and the confidence of a mean.

pub mod cells;
pub mod des;
pub mod diagnostics;
pub mod files;
pub mod ids;
pub mod measure;
pub mod numbers;
pub mod papers;
pub mod units;
