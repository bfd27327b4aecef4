//! What an Ethernet counts.

use simnet_base::ids::{ChannelId, SwitchId};
use simnet_base::units::{Bytes, Duration};

use super::frame::PREAMBLE;
use super::port::Pace;

/// What has happened on one channel: an output port and the cable behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelCounters {
    /// Frames that have arrived whole at the far end.
    pub frames: u64,
    /// Their bytes from the destination address to the FCS.
    pub bytes: u64,
    /// How long these frames and their preambles took to be sent; the gaps between them are not counted.
    pub busy: Duration,
    /// Frames that found no room behind the port.
    pub dropped: u64,
    /// The most bytes of frames that were behind the port at once, the one being sent counted in; zero for hosts.
    pub peak: Bytes,
}

impl ChannelCounters {
    /// Counts a frame of so many bytes that has crossed the cable.
    #[inline(always)]
    pub(super) fn count(&mut self, length: u32, pace: Pace) {
        self.count_many(1, length, pace);
    }

    /// Counts so many frames, each of so many bytes, that have crossed the cable.
    #[inline(always)]
    pub(super) fn count_many(&mut self, frames: u64, length: u32, pace: Pace) {
        self.frames += frames;
        self.bytes += frames * u64::from(length);
        self.busy += Duration::from_ps(frames * pace.time(PREAMBLE + length));
    }
}

/// What has happened on an Ethernet. Once nothing is under way,
/// `sent + forwarded + copies = hops() + dropped()` and
/// `hops() = delivered + unwanted + blocked + filtered + forwarded + floods + unrouted + expired`; with pauses frames
/// dropped for want of headroom ([`PauseCounters::starved`](super::PauseCounters::starved)) are hops as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// By channel.
    pub channels: Vec<ChannelCounters>,
    /// Per switch, the most bytes of frames that were in its shared buffer at once; zero without one.
    pub shared_peaks: Vec<Bytes>,
    /// Frames taken from hosts.
    pub sent: u64,
    /// Frames that their hosts have received; a broadcast counts for each.
    pub delivered: u64,
    /// Frames at a host that they are not for, or at a port that the host does not use.
    pub unwanted: u64,
    /// Frames at a blocked port.
    pub blocked: u64,
    /// Frames at a switch that knew the destination to be where they came from.
    pub filtered: u64,
    /// Frames at a switch that sent them where it knew the destination to be.
    pub forwarded: u64,
    /// Frames at a switch that sent them to all others: broadcasts, and those of unknown destination.
    pub floods: u64,
    /// Frames that floods made of these: one a port.
    pub copies: u64,
    /// Frames at a switch whose table has no port for their destination.
    pub unrouted: u64,
    /// Frames that were marked for congestion, each once.
    pub marked: u64,
    /// Frames at a switch that as many had forwarded before as they may.
    pub expired: u64,
}

impl Counters {
    pub(super) fn new(channels: usize, switches: usize) -> Counters {
        Counters {
            channels: vec![ChannelCounters::default(); channels],
            shared_peaks: vec![Bytes(0); switches],
            ..Counters::default()
        }
    }

    /// What has happened on a channel.
    pub fn channel(&self, channel: ChannelId) -> &ChannelCounters {
        &self.channels[channel.0 as usize]
    }

    /// The most bytes that were at once in the shared buffer of a switch.
    pub fn shared_peak(&self, switch: SwitchId) -> Bytes {
        self.shared_peaks[switch.index()]
    }

    /// Frames that have crossed a cable, each once for every cable. Costs O(channels).
    pub fn hops(&self) -> u64 {
        self.channels.iter().map(|channel| channel.frames).sum()
    }

    /// Frames that found no room in a switch. Costs O(channels).
    pub fn dropped(&self) -> u64 {
        self.channels.iter().map(|channel| channel.dropped).sum()
    }

    /// The most bytes that were behind one port at once. Costs O(channels).
    pub fn peak(&self) -> Bytes {
        self.channels.iter().map(|channel| channel.peak).max().unwrap_or_default()
    }
}
