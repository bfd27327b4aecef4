//! The kernel that runs ranks over a medium.
//!
//! A message's life: the sender's software prepares it, the medium carries it, it waits for its receive, the
//! receiver's software takes it in. One that is announced goes through announcement and answer before that.
//! Within an instant, what the medium reports comes before what software does, and software's pieces come in the
//! order in which they were begun.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::des::process::{Process, Step};
use crate::des::random::{Purpose, Stream};
use crate::host::collective::{Answer, Contents, Member, Rank as _, Request};
use crate::medium::{Event, Medium, Parcel};
use crate::simulation::hosts::jittered;
use crate::units::{Bytes, Duration, Time};

use super::{Completion, Job, Lap, Outcome, Stuck, Waits};

/// How long software takes, one stream a rank.
const WORK: Purpose = Purpose(60);

/// Runs `program` on every rank of a job that has been checked.
pub(super) fn run<P>(medium: &mut impl Medium, job: &Job, program: &P) -> Outcome
where
    P: AsyncFn(&mut Member, Contents) -> Vec<Option<Contents>>,
{
    let size = job.machines.len();
    let life =
        |rank| Process::new(move |world| live(Member::new(rank, size, Time::ZERO, world), job, program));
    Kernel::new(medium, job, (0..size).map(life).collect()).run()
}

/// What every rank does.
async fn live<P>(mut rank: Member, job: &Job, program: &P)
where
    P: AsyncFn(&mut Member, Contents) -> Vec<Option<Contents>>,
{
    let is_right = |gathered: &[Option<Contents>], round| {
        gathered.len() == job.machines.len()
            && (0..).zip(gathered).all(|(rank, block)| *block == Some(Contents::of(job.seed, rank, round)))
    };
    rank.barrier().await;
    for round in 0..job.iterations {
        let begun = rank.now();
        let own = Contents::of(job.seed, rank.rank(), round);
        let gathered = program(&mut rank, own).await;
        rank.finished(begun, is_right(&gathered, round)).await;
    }
}

/// What has become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The sender's software prepares it, or its announcement.
    Prepared,
    /// Its announcement is under way.
    Announcing,
    /// It has been announced, and waits for its receive.
    Announced,
    /// The answer to the announcement is under way.
    Answering,
    /// The sender's software prepares it after an answer.
    Answered,
    /// It is under way.
    UnderWay,
    /// It has arrived, and waits for its receive.
    Arrived,
    /// The receiver's software takes it in.
    Received,
    /// It will never arrive.
    Lost,
}

struct Message {
    from: usize,
    to: usize,
    blocks: Vec<Contents>,
    data: Bytes,
    phase: Phase,
    completion: Completion,
    /// Whether the sender still waits for it.
    is_awaited: bool,
}

/// What software does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Chore {
    /// Hand this message over.
    HandOver(usize),
    /// Give this message to its rank.
    Receive(usize),
    /// Let this rank go on.
    GoOn(usize),
}

struct Seat<'k> {
    /// `None` once it has ended.
    process: Option<Process<'k, Request, Answer, ()>>,
    /// To whom it waits for its sends to be over.
    sends: Vec<usize>,
    /// From whom it waits for a message.
    receive: Option<usize>,
    /// What came of the receive.
    got: Vec<Contents>,
    is_at_barrier: bool,
    /// The messages to it that it has not received, in the order in which they were sent.
    inbound: Vec<usize>,
}

/// What a parcel is, beside the message to which it belongs: its tag is 3 x message + kind.
const DATA: u64 = 0;
const ANNOUNCEMENT: u64 = 1;
const ANSWER: u64 = 2;

struct Kernel<'k, M> {
    medium: &'k mut M,
    job: &'k Job,
    seats: Vec<Seat<'k>>,
    /// Per host, until when its processor has work.
    busy: Vec<Time>,
    /// Per rank, how long its software takes; empty without jitter.
    varies: Vec<Stream>,
    messages: Vec<Message>,
    /// Positions in `messages` that are free.
    free: Vec<usize>,
    agenda: BinaryHeap<Reverse<(Time, u64, Chore)>>,
    noted: u64,
    at_barrier: usize,
    now: Time,
    outcome: Outcome,
}

impl<'k, M: Medium> Kernel<'k, M> {
    fn new(
        medium: &'k mut M,
        job: &'k Job,
        processes: Vec<Process<'k, Request, Answer, ()>>,
    ) -> Kernel<'k, M> {
        let ranks = processes.len();
        let hosts = job.machines.iter().map(|host| host.index() + 1).max().unwrap_or(0);
        let streams = if job.software.jitter > 0 { ranks } else { 0 };
        let component = |rank| u32::try_from(rank).expect("fewer than 2^32 ranks");
        let seat = |process| Seat {
            process: Some(process),
            sends: Vec::new(),
            receive: None,
            got: Vec::new(),
            is_at_barrier: false,
            inbound: Vec::new(),
        };
        Kernel {
            medium,
            job,
            seats: processes.into_iter().map(seat).collect(),
            busy: vec![Time::ZERO; hosts],
            varies: (0..streams).map(|rank| Stream::new(job.seed, WORK, component(rank))).collect(),
            messages: Vec::new(),
            free: Vec::new(),
            agenda: BinaryHeap::new(),
            noted: 0,
            at_barrier: 0,
            now: Time::ZERO,
            outcome: Outcome { laps: vec![Vec::new(); ranks], ..Outcome::default() },
        }
    }

    fn run(mut self) -> Outcome {
        for rank in 0..self.seats.len() {
            if let Some(step) = self.seats[rank].process.as_mut().map(Process::start) {
                self.take(rank, step);
            }
        }
        loop {
            let next = self.agenda.peek().map(|Reverse((at, ..))| *at);
            if let Some((at, event)) = self.medium.advance(next) {
                self.now = at;
                self.hear(event);
            } else if let Some(Reverse((at, _, chore))) = self.agenda.pop() {
                self.now = at;
                match chore {
                    Chore::HandOver(message) => self.hand_over(message),
                    Chore::Receive(message) => self.receive(message),
                    Chore::GoOn(rank) => self.go_on(rank),
                }
            } else {
                break;
            }
        }
        self.outcome.end = self.now;
        self.outcome.stuck = (0..self.seats.len())
            .filter(|rank| self.seats[*rank].process.is_some())
            .map(|r| self.stuck(r))
            .collect();
        self.outcome
    }

    fn stuck(&self, rank: usize) -> Stuck {
        let seat = &self.seats[rank];
        let message = seat.receive.map(|from| Waits::Message { from });
        let sends = seat.sends.iter().map(|to| Waits::Send { to: *to });
        let barrier = seat.is_at_barrier.then_some(Waits::Barrier);
        let iteration = self.outcome.laps[rank].len();
        Stuck { rank, iteration, waits: message.into_iter().chain(sends).chain(barrier).collect() }
    }

    /// Takes what a rank has done, up to where it waits.
    fn take(&mut self, rank: usize, mut step: Step<Request, ()>) {
        loop {
            let request = match step {
                Step::Done(()) => {
                    self.seats[rank].process = None;
                    return;
                }
                Step::Asks(request) => request,
            };
            match request {
                Request::Finished { begun, right } => {
                    self.outcome.laps[rank].push(Lap { begin: begun, end: self.now });
                    *(if right { &mut self.outcome.right } else { &mut self.outcome.wrong }) += 1;
                }
                Request::Move { sends, receive } => {
                    self.seats[rank].receive = receive;
                    for (to, blocks) in sends {
                        self.begin_send(rank, to, blocks);
                    }
                    if receive.is_some() {
                        self.look_for_mail(rank);
                    } else if self.seats[rank].sends.is_empty() {
                        self.note(self.now, Chore::GoOn(rank));
                    }
                    return;
                }
                Request::Copy { blocks } => {
                    let span = per_byte(self.job.software.local_byte_ps, self.data(blocks));
                    let at = self.work(rank, span);
                    self.note(at, Chore::GoOn(rank));
                    return;
                }
                Request::Barrier => {
                    self.come_to_barrier(rank);
                    return;
                }
            }
            let answer = Answer { now: self.now, blocks: Vec::new() };
            let Some(process) = &mut self.seats[rank].process else { return };
            step = process.resume(answer);
        }
    }

    fn go_on(&mut self, rank: usize) {
        let seat = &mut self.seats[rank];
        let answer = Answer { now: self.now, blocks: std::mem::take(&mut seat.got) };
        if let Some(step) = seat.process.as_mut().map(|process| process.resume(answer)) {
            self.take(rank, step);
        }
    }

    fn come_to_barrier(&mut self, rank: usize) {
        self.seats[rank].is_at_barrier = true;
        self.at_barrier += 1;
        if self.at_barrier < self.seats.len() {
            return;
        }
        self.at_barrier = 0;
        for rank in 0..self.seats.len() {
            self.seats[rank].is_at_barrier = false;
            self.note(self.now, Chore::GoOn(rank));
        }
    }

    fn begin_send(&mut self, from: usize, to: usize, blocks: Vec<Contents>) {
        let (job, data) = (self.job, self.data(blocks.len()));
        let overheads = job.software.overheads(data);
        let by_bytes = match () {
            () if self.is_local(from, to) => per_byte(job.software.local_byte_ps, data),
            () if job.protocol.is_announced(data) => Duration::ZERO,
            () => per_byte(overheads.send_byte_ps, data),
        };
        let at = self.work(from, overheads.send + by_bytes);
        let completion = job.protocol.completion(data);
        let message =
            Message { from, to, blocks, data, phase: Phase::Prepared, completion, is_awaited: true };
        let id = match self.free.pop() {
            Some(id) => {
                self.messages[id] = message;
                id
            }
            None => {
                self.messages.push(message);
                self.messages.len() - 1
            }
        };
        self.outcome.messages += 1;
        self.outcome.bytes = self.outcome.bytes.saturating_add(data.0);
        self.seats[from].sends.push(to);
        self.seats[to].inbound.push(id);
        self.note(at, Chore::HandOver(id));
    }

    /// The sender's software has done its part.
    fn hand_over(&mut self, id: usize) {
        let Message { from, to, data, phase, completion, .. } = self.messages[id];
        if self.is_local(from, to) {
            self.arrived(id);
            if completion != Completion::Received {
                self.sent(id);
            }
            return;
        }
        let envelope = self.job.software.envelope.0;
        if phase == Phase::Prepared && self.job.protocol.is_announced(data) {
            self.messages[id].phase = Phase::Announcing;
            self.post(id, ANNOUNCEMENT, from, to, envelope);
            return;
        }
        self.messages[id].phase = Phase::UnderWay;
        self.post(id, DATA, from, to, data.0 + envelope);
        if completion == Completion::Copied {
            self.sent(id);
        }
    }

    fn post(&mut self, id: usize, kind: u64, from: usize, to: usize, bytes: u64) {
        let (source, destination) = (self.job.machines[from], self.job.machines[to]);
        let parcel = Parcel { source, destination, bytes: bytes.max(1), tag: 3 * id as u64 + kind };
        self.outcome.parcels += 1;
        self.medium.send(parcel, self.now);
    }

    /// Hears what has become of a parcel.
    fn hear(&mut self, event: Event) {
        let (Event::Left(tag) | Event::Delivered(tag) | Event::Lost(tag)) = event;
        let id = usize::try_from(tag / 3).expect("a tag that was given out");
        match (event, tag % 3) {
            (Event::Left(_), DATA) if self.messages[id].completion == Completion::Left => self.sent(id),
            (Event::Left(_), _) => {}
            (Event::Lost(_), _) => {
                let Message { from, to, .. } = self.messages[id];
                self.messages[id].phase = Phase::Lost;
                self.outcome.lost.push((from, to));
            }
            (Event::Delivered(_), DATA) => {
                if self.messages[id].completion == Completion::Left {
                    self.sent(id);
                }
                self.arrived(id);
            }
            (Event::Delivered(_), ANNOUNCEMENT) => {
                self.messages[id].phase = Phase::Announced;
                self.look_for_mail(self.messages[id].to);
            }
            (Event::Delivered(_), _) => {
                let Message { from, data, .. } = self.messages[id];
                self.messages[id].phase = Phase::Answered;
                let at = self.work(from, per_byte(self.job.software.overheads(data).send_byte_ps, data));
                self.note(at, Chore::HandOver(id));
            }
        }
    }

    fn arrived(&mut self, id: usize) {
        self.messages[id].phase = Phase::Arrived;
        self.look_for_mail(self.messages[id].to);
    }

    /// Looks whether the next message for which a rank waits can be answered or taken in.
    fn look_for_mail(&mut self, rank: usize) {
        let seat = &self.seats[rank];
        let is_next = |id: &&usize| seat.receive == Some(self.messages[**id].from);
        let Some(id) = seat.inbound.iter().find(is_next).copied() else { return };
        let Message { from, to, data, phase, .. } = self.messages[id];
        match phase {
            Phase::Announced => {
                self.messages[id].phase = Phase::Answering;
                self.post(id, ANSWER, to, from, self.job.software.envelope.0);
            }
            Phase::Arrived => {
                self.messages[id].phase = Phase::Received;
                let overheads = self.job.software.overheads(data);
                let is_local = self.is_local(from, to);
                let by_bytes = if is_local { 0 } else { overheads.receive_byte_ps };
                let at = self.work(rank, overheads.receive + per_byte(by_bytes, data));
                self.note(at, Chore::Receive(id));
            }
            _ => {}
        }
    }

    /// The receiver's software has done its part.
    fn receive(&mut self, id: usize) {
        if self.messages[id].completion == Completion::Received {
            self.sent(id);
        }
        let message = &mut self.messages[id];
        debug_assert!(!message.is_awaited, "a send is over no later than its receive");
        let (rank, blocks) = (message.to, std::mem::take(&mut message.blocks));
        self.free.push(id);
        let seat = &mut self.seats[rank];
        seat.inbound.retain(|other| *other != id);
        (seat.got, seat.receive) = (blocks, None);
        self.go_on_if_free(rank);
    }

    /// A send is over.
    fn sent(&mut self, id: usize) {
        let message = &mut self.messages[id];
        if !std::mem::replace(&mut message.is_awaited, false) {
            return;
        }
        let (rank, to) = (message.from, message.to);
        let sends = &mut self.seats[rank].sends;
        let place = sends.iter().position(|other| *other == to).expect("a send that is awaited");
        sends.remove(place);
        self.go_on_if_free(rank);
    }

    fn go_on_if_free(&mut self, rank: usize) {
        let seat = &self.seats[rank];
        if seat.sends.is_empty() && seat.receive.is_none() {
            self.note(self.now, Chore::GoOn(rank));
        }
    }

    fn note(&mut self, at: Time, chore: Chore) {
        self.agenda.push(Reverse((at, self.noted, chore)));
        self.noted += 1;
    }

    /// Gives the processor of a rank's machine a piece of work; when that will be done.
    fn work(&mut self, rank: usize, span: Duration) -> Time {
        let span = match self.varies.get_mut(rank) {
            Some(stream) => jittered(span, self.job.software.jitter, stream),
            None => span,
        };
        let busy = &mut self.busy[self.job.machines[rank].index()];
        *busy = self.now.max(*busy) + span;
        *busy
    }

    fn is_local(&self, a: usize, b: usize) -> bool {
        self.job.machines[a] == self.job.machines[b]
    }

    fn data(&self, blocks: usize) -> Bytes {
        Bytes(self.job.block.0.saturating_mul(blocks as u64))
    }
}

fn per_byte(ps: u64, data: Bytes) -> Duration {
    Duration::from_ps(ps.saturating_mul(data.0))
}
