//! A rank whose doings are requests to a kernel.

use super::Rank;
use simnet_base::des::process::World;
use simnet_base::units::{Duration, Time};

/// What a rank asks of the kernel: its messages hold `D`, and it reports `N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request<D, N> {
    /// Begin these sends in this order and this receive; answered when all of them are over.
    Move {
        /// The destination, and what.
        sends: Vec<(usize, D)>,
        /// The sender.
        receive: Option<usize>,
    },
    /// Copy this within memory; answered with it when that is done.
    Copy(D),
    /// Work for so long; answered when that is done.
    Work(Duration),
    /// Wait until all ranks have called this equally often.
    Barrier,
    /// Hear this; answered at once.
    Note(N),
}

/// What the kernel answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<D> {
    /// The instant of the answer.
    pub now: Time,
    /// What was received or copied, if that was requested.
    pub data: Option<D>,
}

/// The handle of a process to the rank that it is.
pub struct Member<D, N> {
    rank: usize,
    size: usize,
    now: Time,
    world: World<Request<D, N>, Answer<D>>,
}

impl<D, N> Member<D, N> {
    /// Rank `rank` of `size`, whose process starts at `now` and is run by the holder of `world`'s other end.
    pub fn new(rank: usize, size: usize, now: Time, world: World<Request<D, N>, Answer<D>>) -> Member<D, N> {
        Member { rank, size, now, world }
    }

    async fn ask(&mut self, request: Request<D, N>) -> Option<D> {
        let Answer { now, data } = self.world.ask(request).await;
        debug_assert!(self.now <= now, "a rank's time never goes back");
        self.now = now;
        data
    }
}

/// Why an answer holds data.
const IS_ASKED_FOR: &str = "the kernel answers with the requested data";

impl<D: Clone, N> Rank for Member<D, N> {
    type Data = D;
    type Note = N;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn now(&self) -> Time {
        self.now
    }

    async fn send(&mut self, to: usize, data: D) {
        self.ask(Request::Move { sends: vec![(to, data)], receive: None }).await;
    }

    async fn recv(&mut self, from: usize) -> D {
        let request = Request::Move { sends: Vec::new(), receive: Some(from) };
        self.ask(request).await.expect(IS_ASKED_FOR)
    }

    async fn exchange(&mut self, to: usize, data: D, from: usize) -> D {
        let request = Request::Move { sends: vec![(to, data)], receive: Some(from) };
        self.ask(request).await.expect(IS_ASKED_FOR)
    }

    async fn send_all(&mut self, to: &[usize], data: D) {
        let sends = to.iter().map(|to| (*to, data.clone())).collect();
        self.ask(Request::Move { sends, receive: None }).await;
    }

    async fn copy(&mut self, data: D) -> D {
        self.ask(Request::Copy(data)).await.expect(IS_ASKED_FOR)
    }

    async fn work(&mut self, span: Duration) {
        self.ask(Request::Work(span)).await;
    }

    async fn barrier(&mut self) {
        self.ask(Request::Barrier).await;
    }

    async fn note(&mut self, note: N) {
        self.ask(Request::Note(note)).await;
    }
}
