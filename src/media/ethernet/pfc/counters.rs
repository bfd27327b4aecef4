//! What is counted of pauses.

use simnet_base::ids::ChannelId;
use simnet_base::units::{Bytes, Duration};

/// What has happened to a priority on one channel: at the port that it begins at, whose frames are stopped, and at the
/// input of the switch behind it, which stops them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCounters {
    /// How often the far end told the sender to pause it, counted as the PAUSE frame begins.
    pub xoff: u64,
    /// How often it told it to send again.
    pub xon: u64,
    /// How often it told it once more to stay paused, before the time of the pause was over.
    pub refreshed: u64,
    /// How often the sender began to obey.
    pub obeyed: u64,
    /// How often the time of a pause was over before another PAUSE frame came.
    pub expired: u64,
    /// For how long it has been paused, in all; a pause that lasts counts up to the present.
    pub paused: Duration,
    /// Frames dropped at the far end for want of headroom.
    pub starved: u64,
    /// The most bytes that counted at the far end at once.
    pub peak: Bytes,
    /// How often the watchdog found the queue blocked.
    pub storms: u64,
    /// Frames that it dropped.
    pub discarded: u64,
}

/// Who made an input pause its sender: the output that the frame was for with which `xoff` was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// The channel whose sender is paused.
    pub paused: ChannelId,
    /// The priority.
    pub priority: u8,
    /// The channel out of the same switch behind which frames wait; of a flooded frame the least.
    pub behind: ChannelId,
}
