//! What is kept of a load point in addition to its measures, where a scenario asks for it: messages one by one, the
//! use of channels in intervals, the course of the warm-up. Everything here is bounded, and changes no other result.

use simnet_base::ids::HostId;
use simnet_base::units::Cycle;
use simnet_media::fabric::{ChannelUse, Ended, Fate};

use super::point::between;

/// What is to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The end of every message of a trace.
    pub deliveries: bool,
    /// Messages of the window, at most so many.
    pub messages: Option<usize>,
    /// Latency and accepted traffic from the start of the point on.
    pub trend: bool,
    /// The use of channels, in intervals of so many cycles; above zero.
    pub interval: Option<u64>,
}

/// A message that was created in the window and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its sender.
    pub source: HostId,
    /// Its destination.
    pub destination: HostId,
    /// Its number at its sender, from 0.
    pub number: u64,
    /// Its payload flits.
    pub payload: u32,
    /// When its host created it.
    pub created: Cycle,
    /// When its first flit was put on its host's cable.
    pub started: Cycle,
    /// Its end.
    pub fate: Fate,
    /// Whether bit errors spoilt it, so that the receiver dropped it.
    pub spoilt: bool,
}

/// Messages one by one: all of them, or every second, fourth, eighth, ... where they are too many.
#[derive(Clone, Debug)]
pub struct Sample {
    most: usize,
    /// A message is kept if this divides the sum of its number and its sender's.
    step: u64,
    kept: Vec<Message>,
}

impl Sample {
    /// Keeps at most so many messages, at least one.
    pub fn new(most: usize) -> Sample {
        Sample { most: most.max(1), step: 1, kept: Vec::new() }
    }

    /// Takes in a message that ended.
    pub fn ended(&mut self, message: &Ended, destination: HostId, number: u64, spoilt: bool) {
        let Ended { source, created, started, payload, fate, .. } = *message;
        let message = Message { source, destination, number, payload, created, started, fate, spoilt };
        if self.is_kept(&message) {
            self.kept.push(message);
        }
        while self.kept.len() > self.most {
            self.step *= 2;
            let kept = std::mem::take(&mut self.kept);
            self.kept = kept.into_iter().filter(|message| self.is_kept(message)).collect();
        }
    }

    fn is_kept(&self, message: &Message) -> bool {
        (message.number + u64::from(message.source.0)).is_multiple_of(self.step)
    }

    /// For how many messages each of those stands that were kept.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The messages created before `to`, in order of their creation and sender.
    pub fn created_before(&self, to: Cycle) -> Vec<Message> {
        let mut kept: Vec<Message> = self.kept.iter().copied().filter(|one| one.created < to).collect();
        kept.sort_by_key(|message| (message.created, message.source, message.number));
        kept
    }
}

/// The most intervals of a series.
const MOST_INTERVALS: usize = 1_024;
/// The most entries of a series: intervals times channels.
const MOST_ENTRIES: usize = 1 << 20;

/// The use of every channel, interval by interval, from the start of the point on.
#[derive(Clone, Debug)]
pub struct Series {
    /// The length of an interval in cycles; twice, four times, ... as long as requested where there would be too many.
    interval: u64,
    /// What channels had done at the end of the last interval.
    before: Vec<ChannelUse>,
    intervals: Vec<Vec<ChannelUse>>,
}

impl Series {
    /// A series of so many channels that has not begun.
    pub fn new(interval: u64, channels: usize) -> Series {
        let nothing = ChannelUse { flits: 0, blocked: 0, held: 0 };
        Series { interval: interval.max(1), before: vec![nothing; channels], intervals: Vec::new() }
    }

    /// When the present interval ends.
    pub fn end(&self) -> Cycle {
        Cycle(self.interval.saturating_mul(self.intervals.len() as u64 + 1))
    }

    /// Ends an interval, in which channels came to have done this.
    pub fn close(&mut self, now: Vec<ChannelUse>) {
        let used = now.iter().zip(&self.before).map(|(after, before)| between(before, after));
        self.intervals.push(used.collect());
        self.before = now;
        let most = (MOST_ENTRIES / self.before.len().max(1)).clamp(2, MOST_INTERVALS);
        // Only pairs are joined, so that the next interval begins where the last one ends.
        if self.intervals.len() >= most && self.intervals.len().is_multiple_of(2) {
            self.interval = self.interval.saturating_mul(2);
            self.intervals = self.intervals.chunks(2).map(joined).collect();
        }
    }

    /// The length of an interval in cycles.
    pub fn interval(&self) -> u64 {
        self.interval
    }

    /// The intervals, each with the use of all channels; the last may be shorter.
    pub fn intervals(&self) -> &[Vec<ChannelUse>] {
        &self.intervals
    }
}

/// Two intervals as one.
fn joined(pair: &[Vec<ChannelUse>]) -> Vec<ChannelUse> {
    let [first, second] = pair else { return pair.concat() };
    let both = |(a, b): (&ChannelUse, &ChannelUse)| ChannelUse {
        flits: a.flits + b.flits,
        blocked: a.blocked + b.blocked,
        held: a.held + b.held,
    };
    first.iter().zip(second).map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: u32, number: u64) -> (Ended, HostId, u64) {
        let (created, tail) = (Cycle(number), Cycle(number + 9));
        let fate = Fate::Delivered { host: HostId(9), head: tail, tail };
        let source = HostId(source);
        (Ended { source, tag: 0, created, started: created, payload: 8, fate }, HostId(9), number)
    }

    /// Wrong if a sample outgrew its bound, favoured a host, or did not say how many each stands for.
    #[test]
    fn a_sample_is_bounded_and_even() {
        let mut sample = Sample::new(100);
        for number in 0..1_000 {
            for source in 0..4 {
                let (ended, destination, number) = message(source, number);
                sample.ended(&ended, destination, number, false);
            }
        }
        let kept = sample.created_before(Cycle(u64::MAX));
        // Multiples of 64: 16 from 0 to 999, and 15 each from 1 to 1,000, 2 to 1,001 and 3 to 1,002.
        assert_eq!((sample.step(), kept.len()), (64, 16 + 3 * 15));
        for host in 0..4 {
            let own = kept.iter().filter(|message| message.source == HostId(host)).count();
            assert!((15..=16).contains(&own), "{own} of host {host}");
        }
        assert!(kept.is_sorted_by_key(|message| (message.created, message.source)));
        assert_eq!(sample.created_before(Cycle(0)).len(), 0);
    }

    /// Wrong if joined intervals lost flits, or the next interval did not begin where the last one ends.
    #[test]
    fn a_series_is_bounded_and_whole() {
        let mut series = Series::new(10, 1);
        for nth in 1..=5_000_u64 {
            let now = series.end();
            assert_eq!(now.0, series.interval() * (series.intervals().len() as u64 + 1));
            series.close(vec![ChannelUse { flits: nth * nth, blocked: 0, held: now.0 }]);
        }
        let used = series.intervals().iter().map(|interval| interval[0]);
        assert!(series.intervals().len() <= MOST_INTERVALS);
        assert_eq!(used.clone().map(|used| used.flits).sum::<u64>(), 5_000 * 5_000);
        assert!(used.map(|used| used.held).all(|held| held == series.interval()));
    }
}
