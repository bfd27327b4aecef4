//! Ranks in lock step, for unit tests: every message takes one round, a rank sends and receives one a round.

use std::collections::{BTreeMap, VecDeque};

use super::Contents;
use crate::des::process::{Process, Step};
use crate::host::rank::{Answer, Member, Request};
use crate::units::Time;

/// What the ranks did together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Messages.
    pub messages: usize,
    /// Blocks in all messages.
    pub blocks: usize,
    /// Rounds until the last rank had ended.
    pub rounds: usize,
}

/// What a message holds.
type Blocks = Vec<Contents>;

/// A message: the round in which it arrives, and what it holds.
type Message = (usize, Blocks);

#[derive(Default)]
struct Net {
    under_way: BTreeMap<(usize, usize), VecDeque<Message>>,
    /// Per rank, the round in which it is.
    rounds: Vec<usize>,
    /// Per rank, the rank from which it waits for a message, and since which round.
    waits: Vec<Option<(usize, usize)>>,
    /// Per rank, what it has copied.
    copies: Vec<Option<Blocks>>,
    counts: Counts,
}

impl Net {
    fn take(&mut self, rank: usize, request: Request<Blocks, ()>) {
        let (sends, receive) = match request {
            Request::Move { sends, receive } => (sends, receive),
            Request::Copy(blocks) => {
                self.copies[rank] = Some(blocks);
                return;
            }
            Request::Work(_) | Request::Barrier | Request::Note(()) => return,
        };
        let began = self.rounds[rank];
        self.rounds[rank] += sends.len();
        for (nth, (to, blocks)) in sends.into_iter().enumerate() {
            self.counts.messages += 1;
            self.counts.blocks += blocks.len();
            self.under_way.entry((rank, to)).or_default().push_back((began + nth + 1, blocks));
        }
        self.waits[rank] = receive.map(|from| (from, began));
    }

    /// What the rank is told, unless it still waits.
    fn answer(&mut self, rank: usize) -> Option<Answer<Blocks>> {
        let mut got = self.copies[rank].take();
        if let Some((from, began)) = self.waits[rank] {
            let (arrived, blocks) = self.under_way.get_mut(&(from, rank))?.pop_front()?;
            self.rounds[rank] = self.rounds[rank].max(began + 1).max(arrived);
            got = Some(blocks);
        }
        self.waits[rank] = None;
        Some(Answer { now: Time::ZERO, data: got })
    }
}

/// Runs `program` on every rank; the results by rank.
pub(super) fn run<T>(size: usize, program: impl AsyncFn(Member<Blocks, ()>) -> T) -> (Vec<T>, Counts) {
    let program = &program;
    let mut net =
        Net { rounds: vec![0; size], waits: vec![None; size], copies: vec![None; size], ..Net::default() };
    let mut results: Vec<Option<T>> = (0..size).map(|_| None).collect();
    let mut ranks: Vec<_> = (0..size)
        .map(|rank| Process::new(move |world| program(Member::new(rank, size, Time::ZERO, world))))
        .collect();
    let mut steps: Vec<_> = ranks.iter_mut().map(Process::start).map(Some).collect();
    while results.iter().any(Option::is_none) {
        let mut is_stuck = true;
        for rank in 0..size {
            match steps[rank].take() {
                Some(Step::Done(result)) => results[rank] = Some(result),
                Some(Step::Asks(request)) => net.take(rank, request),
                None => {}
            }
            let is_done = results[rank].is_some();
            if let Some(answer) = (!is_done).then(|| net.answer(rank)).flatten() {
                steps[rank] = Some(ranks[rank].resume(answer));
                is_stuck = false;
            }
        }
        assert!(!is_stuck || results.iter().all(Option::is_some), "ranks wait for one another");
    }
    net.counts.rounds = net.rounds.into_iter().max().unwrap_or(0);
    (results.into_iter().flatten().collect(), net.counts)
}
