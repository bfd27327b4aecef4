//! What came of an all-gather.

use simnet_base::units::{Duration, Time};

/// One repetition on one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lap {
    /// When the rank began.
    pub begin: Time,
    /// When it ended.
    pub end: Time,
}

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A message from this rank.
    Message {
        /// The sender.
        from: usize,
    },
    /// The end of its own send to this rank.
    Send {
        /// The receiver.
        to: usize,
    },
    /// The other ranks at the barrier.
    Barrier,
}

/// A rank that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The rank.
    pub rank: usize,
    /// In which repetition, from 0.
    pub iteration: usize,
    /// What it waits for.
    pub waits: Vec<Waits>,
}

/// What came of an all-gather.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// By rank, its repetitions that ended.
    pub laps: Vec<Vec<Lap>>,
    /// Buffers that held what they should, over all ranks and repetitions that ended.
    pub right: u64,
    /// Buffers that did not.
    pub wrong: u64,
    /// Messages that the medium lost, as sender and receiver, in the order in which that became known.
    pub lost: Vec<(usize, usize)>,
    /// Ranks that cannot go on.
    pub stuck: Vec<Stuck>,
    /// Messages between ranks, those within a machine counted in, announcements not.
    pub messages: u64,
    /// Bytes of data in these messages, envelopes not counted in.
    pub bytes: u64,
    /// Messages handed to the medium, announcements counted in.
    pub carried: u64,
    /// The instant of the last event.
    pub end: Time,
}

impl Outcome {
    /// Whether every rank ended every repetition.
    pub fn is_complete(&self) -> bool {
        self.stuck.is_empty()
    }

    /// The share of buffers that held what they should, of those of repetitions that ended; 0 without any.
    pub fn share_right(&self) -> f64 {
        let all = self.right + self.wrong;
        if all == 0 { 0.0 } else { self.right as f64 / all as f64 }
    }

    /// What faraj2008 reports: the mean over ranks of a rank's time for all its repetitions, divided by their
    /// number; `None` unless every rank ended.
    pub fn mean(&self) -> Option<Duration> {
        if !self.is_complete() {
            return None;
        }
        let span = |laps: &Vec<Lap>| Some(laps.last()?.end.since(laps.first()?.begin).as_ps());
        let mut total = 0_u128;
        let mut laps = 0_u128;
        for of_rank in &self.laps {
            total += u128::from(span(of_rank)?);
            laps += of_rank.len() as u128;
        }
        let mean = total.checked_div(laps)?;
        Some(Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX)))
    }

    /// From the first begin to the last end of a repetition, over all ranks; `None` if a rank did not end it.
    pub fn lap(&self, iteration: usize) -> Option<Duration> {
        let mut laps = self.laps.iter().map(|laps| laps.get(iteration));
        let first = (*laps.next()??, true);
        let (whole, is_whole) = laps.fold(first, |(whole, is_whole), lap| match lap {
            Some(lap) => (Lap { begin: whole.begin.min(lap.begin), end: whole.end.max(lap.end) }, is_whole),
            None => (whole, false),
        });
        is_whole.then(|| whole.end.since(whole.begin))
    }
}
