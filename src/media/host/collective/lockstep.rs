//! Ranks in lock step: every message takes one round, and a rank sends and receives one a round. What an algorithm does
//! without any network.
//!
//! ```text
//!   round        0         1         2         3
//!   rank 0       |-- A --> 1         |                 a rank that sends twice at once is busy for two rounds,
//!                |         |-- A --> 2                 and goes on when both are sent
//!   rank 1       |<- waits-|  goes on with A
//! ```
//! A round is a picosecond of the kernel's clock.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use super::Contents;
use crate::host::rank::{Answer, Member, Request};
use simnet_base::des::executor::{self, Kernel, Scheduler};
use simnet_base::des::process::Process;
use simnet_base::units::Time;

/// What a message holds.
type Blocks = Vec<Contents>;

/// What ranks did together.
#[derive(Clone, Debug)]
pub struct LockStep<T> {
    /// What each rank returned.
    pub results: Vec<T>,
    /// All messages that were received, in the order of their rounds.
    pub received: Vec<Received>,
    /// Rounds until the last rank had ended.
    pub rounds: u64,
}

/// A message that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The round after which its receiver goes on, from one.
    pub round: u64,
    /// Its receiver.
    pub rank: usize,
    /// What it holds.
    pub blocks: Vec<Contents>,
}

/// Runs `program` on `size` ranks in lock step. Barriers and work take no round.
///
/// # Panics
/// If ranks wait for one another for ever.
pub fn run<T>(size: usize, program: impl AsyncFn(Member<Vec<Contents>, ()>) -> T) -> LockStep<T> {
    let program = &program;
    let mut kernel = Rounds {
        under_way: BTreeMap::new(),
        waits: (0..size).map(|_| None).collect(),
        results: (0..size).map(|_| None).collect(),
        received: Vec::new(),
    };
    let mut scheduler = Scheduler::default();
    let process = |rank| Some(Process::new(move |world| program(Member::new(rank, size, Time::ZERO, world))));
    executor::run(&mut kernel, &mut scheduler, (0..size).map(process).collect());
    let results: Vec<T> = kernel.results.into_iter().flatten().collect();
    assert!(results.len() == size, "ranks wait for one another");
    LockStep { results, received: kernel.received, rounds: scheduler.now().as_ps() }
}

/// The kernel.
struct Rounds<T> {
    /// By sender and receiver, the messages that were sent and not received, with the rounds in which they arrive.
    under_way: BTreeMap<(usize, usize), VecDeque<(Time, Blocks)>>,
    /// By rank, what it waits for.
    waits: Vec<Option<Wait>>,
    /// By rank, once it has ended.
    results: Vec<Option<T>>,
    received: Vec<Received>,
}

/// What a rank waits for.
#[derive(Clone, Copy)]
struct Wait {
    /// The end of its last send, or of the round in which it receives.
    ready: Time,
    /// From whom it receives.
    from: Option<usize>,
}

impl<T> Rounds<T> {
    /// Lets a rank that has all it waits for be woken when that is there.
    fn wake_if_ready(&self, scheduler: &mut Scheduler<()>, rank: usize) {
        let Some(Wait { ready, from }) = self.waits[rank] else { return };
        let arrives = match from {
            None => Some(ready),
            Some(from) => {
                self.under_way.get(&(from, rank)).and_then(VecDeque::front).map(|(arrives, _)| *arrives)
            }
        };
        if let Some(arrives) = arrives {
            scheduler.wake(rank, ready.max(arrives));
        }
    }
}

impl<T> Kernel for Rounds<T> {
    type Request = Request<Blocks, ()>;
    type Answer = Answer<Blocks>;
    type Output = T;
    type Event = ();

    fn ask(
        &mut self,
        scheduler: &mut Scheduler<()>,
        rank: usize,
        request: Request<Blocks, ()>,
    ) -> Option<Answer<Blocks>> {
        let now = scheduler.now();
        let (sends, from) = match request {
            Request::Move { sends, receive } => (sends, receive),
            Request::Copy(blocks) => return Some(Answer { now, data: Some(blocks) }),
            Request::Work(_) | Request::Barrier | Request::Note(()) => {
                return Some(Answer { now, data: None });
            }
        };
        let round = |nth: usize| Time::from_ps(now.as_ps() + nth as u64);
        self.waits[rank] = Some(Wait { ready: round(sends.len().max(usize::from(from.is_some()))), from });
        for (nth, (to, blocks)) in sends.into_iter().enumerate() {
            self.under_way.entry((rank, to)).or_default().push_back((round(nth + 1), blocks));
            self.wake_if_ready(scheduler, to);
        }
        self.wake_if_ready(scheduler, rank);
        None
    }

    fn wake(&mut self, scheduler: &mut Scheduler<()>, rank: usize) -> Option<Answer<Blocks>> {
        let Wait { from, .. } = self.waits[rank].take().expect("who is woken has waited");
        let now = scheduler.now();
        let data = from.map(|from| {
            let messages = self.under_way.get_mut(&(from, rank));
            let (_, blocks) =
                messages.and_then(VecDeque::pop_front).expect("woken for a message that is there");
            self.received.push(Received { round: now.as_ps(), rank, blocks: blocks.clone() });
            blocks
        });
        Some(Answer { now, data })
    }

    fn handle(&mut self, _scheduler: &mut Scheduler<()>, (): ()) {}

    fn ended(&mut self, rank: usize, output: T) -> ControlFlow<()> {
        self.results[rank] = Some(output);
        ControlFlow::Continue(())
    }

    fn advance(&mut self, _scheduler: &mut Scheduler<()>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
