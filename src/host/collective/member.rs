//! A rank whose doings are requests to a kernel.

use super::{Contents, Rank};
use crate::des::process::World;
use crate::units::Time;

/// What a rank asks of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Begin these sends in this order and this receive; answered when all of them are over.
    Move {
        /// To whom, and what.
        sends: Vec<(usize, Vec<Contents>)>,
        /// From whom.
        receive: Option<usize>,
    },
    /// Copy so many blocks within memory; answered when that is done.
    Copy {
        /// How many.
        blocks: usize,
    },
    /// Wait until all ranks have asked for this so many times.
    Barrier,
    /// Note that a repetition of the operation is over; answered at once.
    Finished {
        /// When it began.
        begun: Time,
        /// Whether the buffer holds what it should.
        right: bool,
    },
}

/// What the kernel answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The instant of the answer.
    pub now: Time,
    /// What was received, if that was asked for.
    pub blocks: Vec<Contents>,
}

/// The handle of a process to the rank that it is.
pub struct Member {
    rank: usize,
    size: usize,
    now: Time,
    world: World<Request, Answer>,
}

impl Member {
    /// Rank `rank` of `size`, whose process starts at `now` and is run by whoever answers `world`.
    pub fn new(rank: usize, size: usize, now: Time, world: World<Request, Answer>) -> Member {
        Member { rank, size, now, world }
    }

    /// Notes that a repetition that began at `begun` is over, and whether its buffer is right.
    pub async fn finished(&mut self, begun: Time, right: bool) {
        self.ask(Request::Finished { begun, right }).await;
    }

    async fn ask(&mut self, request: Request) -> Vec<Contents> {
        let Answer { now, blocks } = self.world.ask(request).await;
        debug_assert!(self.now <= now, "a rank's time never goes back");
        self.now = now;
        blocks
    }
}

impl Rank for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        self.now
    }

    async fn send(&mut self, to: usize, blocks: Vec<Contents>) {
        self.ask(Request::Move { sends: vec![(to, blocks)], receive: None }).await;
    }

    async fn recv(&mut self, from: usize) -> Vec<Contents> {
        self.ask(Request::Move { sends: Vec::new(), receive: Some(from) }).await
    }

    async fn exchange(&mut self, to: usize, blocks: Vec<Contents>, from: usize) -> Vec<Contents> {
        self.ask(Request::Move { sends: vec![(to, blocks)], receive: Some(from) }).await
    }

    async fn send_all(&mut self, to: &[usize], blocks: Vec<Contents>) {
        let sends = to.iter().map(|to| (*to, blocks.clone())).collect();
        self.ask(Request::Move { sends, receive: None }).await;
    }

    async fn copy(&mut self, blocks: usize) {
        self.ask(Request::Copy { blocks }).await;
    }

    async fn barrier(&mut self) {
        self.ask(Request::Barrier).await;
    }
}
