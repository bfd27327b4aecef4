//! What priority-based flow control is told.

use simnet_base::units::{BitRate, Bytes, Duration};

use crate::ethernet::frame::{GAP, HEADER, MIN_FRAME, PREAMBLE, TRAILER};
use crate::ethernet::port::Pace;

/// How many priorities there are.
pub const PRIORITIES: u8 = 8;

/// What stops those who send faster than a switch passes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Nothing: frames are dropped where there is no room.
    #[default]
    None,
    /// PAUSE frames, for each priority.
    Pfc(PfcParameters),
}

/// Priority-based flow control, the same at every port of every switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfcParameters {
    /// Bytes of a priority at an input; above it is to be paused.
    pub xoff: Bytes,
    /// At or below it may be sent again; at most `xoff`.
    pub xon: Bytes,
    /// Room above `xoff` for what is still under way.
    pub headroom: Bytes,
    /// The priority of frames whose senders name none, below [`PRIORITIES`].
    pub priority: u8,
    /// From a PAUSE frame's last bit to the instant from which on it is obeyed.
    pub reaction: Duration,
    /// What becomes of queues that stay paused; `None`: they wait.
    pub watchdog: Option<PauseWatchdog>,
    /// How long a pause lasts, in units of 512 bit times of the cable, at least [`LEAST_QUANTA`]; `None`: until XON.
    pub quanta: Option<u16>,
    /// The pool that the inputs of a switch share, in the place of `xoff` and `xon`; `None`: each has its own room.
    pub shared: Option<SharedBuffer>,
}

/// Room that all inputs and priorities of a switch share, with a threshold for each that falls as the pool fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedBuffer {
    /// The bytes of the pool of every switch; what is reserved, and headroom, come in addition.
    pub pool: Bytes,
    /// How many times what is free of the pool one priority of an input may have of it, as numerator and denominator,
    /// both above zero.
    pub alpha: (u32, u32),
    /// Bytes of each priority of an input that come first and are not of the pool.
    pub reserved: Bytes,
    /// By how many bytes it must be below that threshold before it may be sent again.
    pub xon_offset: Bytes,
}

impl SharedBuffer {
    /// Whether `own` bytes of one priority of an input are above `alpha` times what is free of a pool of which `used`
    /// are in use.
    pub(super) fn is_above(&self, own: u64, used: u64) -> bool {
        let (numerator, denominator) = self.alpha;
        let free = self.pool.0.saturating_sub(used);
        u128::from(own) * u128::from(denominator) > u128::from(free) * u128::from(numerator)
    }

    /// Whether a priority of an input that is paused stays so, with so many bytes of the pool and of headroom.
    pub(super) fn keeps_paused(&self, own: u64, headroom: u64, used: u64) -> bool {
        headroom > 0 || own > 0 && self.is_above(own.saturating_add(self.xon_offset.0), used)
    }
}

/// The fewest quanta of a pause: of fewer, half of the time is over before the PAUSE frame and its gap, so that their
/// port would send nothing else.
pub const LEAST_QUANTA: u16 = 3;

/// When a queue that stays paused is emptied, and when it serves again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseWatchdog {
    /// How long it is paused with frames in it before they are dropped; above zero.
    pub detection: Duration,
    /// How long it must not have been paused before it takes frames again; above zero.
    pub restoration: Duration,
}

impl PauseWatchdog {
    /// As it is shipped.
    ///
    /// # Source
    /// SONiC's documentation of the PFC watchdog, as from memory: 200 ms each.
    pub const USUAL: PauseWatchdog =
        PauseWatchdog { detection: Duration::from_ms(200), restoration: Duration::from_ms(200) };
}

impl PfcParameters {
    /// These thresholds for priority 3, as is usual for RoCE; obeyed at once and until XON, without a watchdog.
    pub const fn new(xoff: Bytes, xon: Bytes, headroom: Bytes) -> PfcParameters {
        PfcParameters {
            xoff,
            xon,
            headroom,
            priority: 3,
            reaction: Duration::ZERO,
            watchdog: None,
            quanta: None,
            shared: None,
        }
    }

    /// Whether a pause is always said again before it runs out, on a cable of this rate with frames of at most `mtu`
    /// bytes of payload; so it is without quanta.
    ///
    /// With T = `quanta` x 64 byte times and F = `mtu` + 18 the longest frame: the next PAUSE frame is due T / 2 after
    /// one has begun, and waits for a frame that began a picosecond before, and its gap (8 + F + 12 byte times). That
    /// has to be T at most.
    pub fn lasts(&self, rate: BitRate, mtu: u32) -> bool {
        let Some(quanta) = self.quanta else { return true };
        let pace = Pace::new(rate, mtu);
        let time = pause_time(pace, quanta);
        let wait = pace.time_of_many(u64::from(PREAMBLE + GAP) + longest(mtu)).saturating_sub(1);
        (time / 2).saturating_add(wait) <= time
    }

    /// The quanta that pauses need to be said again before they run out, with frames of at most `mtu` bytes of payload:
    /// twice the longest frame, its preamble and its gap. A byte time that is no whole number of picoseconds may do
    /// with one less.
    pub fn quanta_needed(mtu: u32) -> u64 {
        (2 * (u64::from(PREAMBLE + GAP) + longest(mtu))).div_ceil(QUANTUM)
    }

    /// The headroom with which no frame is ever dropped behind a cable of this rate and delay, with frames of at most
    /// `mtu` bytes of payload and PAUSE frames obeyed after `reaction`; with a byte less, the worst case drops one, if
    /// a byte takes a whole number of picoseconds (else it is enough). Of pauses that last: see
    /// [`PfcParameters::lasts`]. Saturates.
    ///
    /// With F = `mtu` + 18 the longest frame: the frame that passes `xoff` may pass it by F. On the cable back a
    /// frame may have begun a picosecond before; the PAUSE frame waits for it and its gap (8 + F + 12 byte times),
    /// takes 8 + 64, the delay and the reaction. The sender, whose frame had ended a delay before, sends until then:
    /// frames whose gaps, preambles and lengths fit in that span, and one of F more that begins before its end. In all
    ///
    /// ```text
    ///   F + best(S) + F,   S = (2 delay + reaction + (8 + F + 12) + (8 + 64) byte times) x rate - 12, rounded down,
    ///   best(S) = max over n of min(n F, S - 20 n): the most bytes of n frames that begin before another begins in S
    /// ```
    /// which is at most (2 delays + reaction) x rate + 3 F + 80 B.
    ///
    /// # Source
    /// The terms of IEEE 802.1Q, annex N (delays, longest frames of either direction, PAUSE frame, response), to the
    /// byte for this model; there an upper bound.
    pub fn headroom_needed(rate: BitRate, delay: Duration, mtu: u32, reaction: Duration) -> Bytes {
        let longest = longest(mtu);
        let pace = Pace::new(rate, mtu);
        let wait = pace.time_of_many(u64::from(PREAMBLE + GAP) + longest).saturating_sub(1);
        let pause = pace.time_of_many(u64::from(PREAMBLE + MIN_FRAME));
        let obeyed =
            [delay, delay, reaction].into_iter().map(Duration::as_ps).fold(wait, u64::saturating_add);
        // Frames begin before that instant.
        let span = obeyed.saturating_add(pause).saturating_sub(1);
        let bytes = u128::from(span) * u128::from(rate.as_bits_per_s()) / 8_000_000_000_000;
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_sub(u64::from(GAP));
        Bytes(longest.saturating_mul(2).saturating_add(most_of(bytes, longest)))
    }
}

/// How long a pause of so many quanta lasts, in picoseconds, rounded up; saturates.
///
/// # Source
/// IEEE 802.3, 31B.2: a quantum is 512 bit times.
pub(in crate::ethernet) fn pause_time(pace: Pace, quanta: u16) -> u64 {
    pace.time_of_many(QUANTUM * u64::from(quanta))
}

/// Byte times of a quantum: IEEE 802.3, 31B.
const QUANTUM: u64 = 64;

/// The longest frame with at most `mtu` bytes of payload.
fn longest(mtu: u32) -> u64 {
    u64::from((HEADER + TRAILER).saturating_add(mtu).max(MIN_FRAME))
}

/// The most bytes of frames of [`MIN_FRAME`] to `longest` that take `span` bytes at most, preambles and gaps counted
/// in.
fn most_of(span: u64, longest: u64) -> u64 {
    let each = u64::from(PREAMBLE + GAP);
    let full = span / (longest + each);
    let shorter = span.saturating_sub((full + 1).saturating_mul(each));
    let is_legal = shorter >= (full + 1).saturating_mul(u64::from(MIN_FRAME));
    (full * longest).max(if is_legal { shorter } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the most bytes of frames in a span were not what trying all of them finds.
    #[test]
    fn the_most_bytes_of_frames_in_a_span() {
        for longest in [64, 65, 100, 300] {
            let mut best = vec![0u64; 1_500];
            for span in 0..best.len() {
                let lengths = 64..=longest;
                let last = lengths.filter(|length| length + 20 <= span as u64);
                let index = |length: u64| span - usize::try_from(length + 20).unwrap();
                best[span] = last.map(|length| best[index(length)] + length).max().unwrap_or(0);
                // What a shorter span holds is held as well.
                best[span] = best[span].max(if span > 0 { best[span - 1] } else { 0 });
                assert_eq!(most_of(span as u64, longest), best[span], "{span} B, {longest} B");
            }
        }
    }
}
