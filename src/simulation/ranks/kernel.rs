//! The kernel that runs ranks over a medium.
//!
//! A message's life: the sender's software prepares it, the medium carries it, it waits for its receive, the
//! receiver's software takes it in. One that is announced goes through announcement and answer before that.
//! Within an instant, what the medium reports comes before what software does, and software's pieces come in the
//! order in which they were begun.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::des::process::{Process, Step};
use crate::host::rank::{Answer, Request};
use crate::ids::HostId;
use crate::medium::{Event, Medium, Parcel};
use crate::units::{Bytes, Duration, Time};

use super::noise::{BACKGROUND, Background, Noise, Unrest};
use super::{Completion, Protocol, Software, Stuck, Waits};

/// What runs on the ranks: what their messages hold, and who hears what they tell.
pub(in crate::simulation) trait Program {
    /// What a message holds.
    type Data: 'static;
    /// What a rank tells.
    type Note: 'static;

    /// How long a message is, the envelope not counted in.
    fn bytes(&self, data: &Self::Data) -> Bytes;

    /// Hears what a rank tells.
    fn hear(&mut self, rank: usize, note: Self::Note, now: Time);

    /// How much of what it does a rank has ended: which repetition, from 0, it is in.
    fn ended(&self, rank: usize) -> usize;
}

/// A rank's process.
pub(in crate::simulation) type Life<'k, P> =
    Process<'k, Request<<P as Program>::Data, <P as Program>::Note>, Answer<<P as Program>::Data>, ()>;

/// The machines of ranks: what their software costs, and what disturbs it.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct Cluster<'k> {
    /// By rank, its machine.
    pub(in crate::simulation) machines: &'k [HostId],
    /// What software costs.
    pub(in crate::simulation) software: &'k Software,
    /// When sends are over.
    pub(in crate::simulation) protocol: &'k Protocol,
    /// What disturbs it beside its jitter.
    pub(in crate::simulation) noise: &'k Noise,
    /// Machines that take other than the usual time, in thousandths of it.
    pub(in crate::simulation) paces: &'k [(HostId, u32)],
    /// For chance.
    pub(in crate::simulation) seed: u64,
}

/// What ranks sent one another, and who did not come to an end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::simulation) struct Traffic {
    /// Messages that the medium lost, as sender and receiver, in the order in which that became known.
    pub(in crate::simulation) lost: Vec<(usize, usize)>,
    /// Ranks that cannot go on.
    pub(in crate::simulation) stuck: Vec<Stuck>,
    /// Messages between ranks, those within a machine counted in, announcements not.
    pub(in crate::simulation) messages: u64,
    /// Bytes of data in these messages, envelopes not counted in.
    pub(in crate::simulation) bytes: u64,
    /// Parcels that were handed to the medium, announcements counted in.
    pub(in crate::simulation) parcels: u64,
    /// The instant of the last event.
    pub(in crate::simulation) end: Time,
}

/// Runs a process on every rank until all have ended or none can go on. Background traffic ends with them.
pub(in crate::simulation) fn run<'k, P: Program>(
    medium: &mut impl Medium,
    cluster: &Cluster<'k>,
    program: P,
    lives: Vec<Life<'k, P>>,
) -> (P, Traffic) {
    Kernel::new(medium, *cluster, program, lives).run()
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

struct Message<D> {
    from: usize,
    to: usize,
    /// What it holds, until its receiver has it.
    data: Option<D>,
    length: Bytes,
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

struct Seat<'k, P: Program> {
    /// `None` once it has ended.
    process: Option<Life<'k, P>>,
    /// To whom it waits for its sends to be over.
    sends: Vec<usize>,
    /// From whom it waits for a message.
    receive: Option<usize>,
    /// What came of the receive, or of a copy.
    got: Option<P::Data>,
    is_at_barrier: bool,
    /// The messages to it that it has not received, in the order in which they were sent.
    inbound: Vec<usize>,
}

/// What a parcel is, beside the message to which it belongs: its tag is 3 x message + kind.
const DATA: u64 = 0;
const ANNOUNCEMENT: u64 = 1;
const ANSWER: u64 = 2;

struct Kernel<'k, 'm, M, P: Program> {
    medium: &'m mut M,
    cluster: Cluster<'k>,
    program: P,
    seats: Vec<Seat<'k, P>>,
    /// Per host, until when its processor has work.
    busy: Vec<Time>,
    unrest: Unrest,
    background: Option<Background>,
    messages: Vec<Message<P::Data>>,
    /// Positions in `messages` that are free.
    free: Vec<usize>,
    /// Parcels of messages that the medium has.
    under_way: usize,
    agenda: BinaryHeap<Reverse<(Time, u64, Chore)>>,
    noted: u64,
    at_barrier: usize,
    now: Time,
    traffic: Traffic,
}

impl<'k, 'm, M: Medium, P: Program> Kernel<'k, 'm, M, P> {
    fn new(
        medium: &'m mut M,
        cluster: Cluster<'k>,
        program: P,
        lives: Vec<Life<'k, P>>,
    ) -> Kernel<'k, 'm, M, P> {
        let hosts = cluster.machines.iter().map(|host| host.index() + 1).max().unwrap_or(0);
        let seat = |process| Seat {
            process: Some(process),
            sends: Vec::new(),
            receive: None,
            got: None,
            is_at_barrier: false,
            inbound: Vec::new(),
        };
        Kernel {
            background: Background::new(medium, &cluster),
            medium,
            program,
            seats: lives.into_iter().map(seat).collect(),
            busy: vec![Time::ZERO; hosts],
            unrest: Unrest::new(&cluster),
            cluster,
            messages: Vec::new(),
            free: Vec::new(),
            under_way: 0,
            agenda: BinaryHeap::new(),
            noted: 0,
            at_barrier: 0,
            now: Time::ZERO,
            traffic: Traffic::default(),
        }
    }

    fn run(mut self) -> (P, Traffic) {
        for rank in 0..self.seats.len() {
            if let Some(step) = self.seats[rank].process.as_mut().map(Process::start) {
                self.take(rank, step);
            }
        }
        while self.step() {}
        self.traffic.end = self.now;
        self.traffic.stuck = (0..self.seats.len())
            .filter(|rank| self.seats[*rank].process.is_some())
            .map(|r| self.stuck(r))
            .collect();
        (self.program, self.traffic)
    }

    /// Goes on to what happens next. `false` if nothing does before the end of the simulated clock.
    fn step(&mut self) -> bool {
        let chore = self.agenda.peek().map(|Reverse((at, ..))| *at);
        let beside = self.background.as_ref().map(Background::next);
        if beside.is_some() && chore.is_none() && self.under_way == 0 {
            return false;
        }
        let next = chore.into_iter().chain(beside).min();
        if let Some((at, event)) = self.medium.advance(next) {
            if at >= Time::END {
                return false;
            }
            self.now = at;
            self.hear(event);
        } else if let (Some(at), Some(background)) = (beside, &mut self.background)
            && chore.is_none_or(|chore| at < chore)
        {
            self.medium.send(background.parcel(), at);
        } else if let Some(Reverse((at, _, chore))) = self.agenda.pop() {
            if at >= Time::END {
                return false;
            }
            self.now = at;
            match chore {
                Chore::HandOver(message) => self.hand_over(message),
                Chore::Receive(message) => self.receive(message),
                Chore::GoOn(rank) => self.go_on(rank),
            }
        } else {
            return false;
        }
        true
    }

    fn stuck(&self, rank: usize) -> Stuck {
        let seat = &self.seats[rank];
        let message = seat.receive.map(|from| Waits::Message { from });
        let sends = seat.sends.iter().map(|to| Waits::Send { to: *to });
        let barrier = seat.is_at_barrier.then_some(Waits::Barrier);
        let iteration = self.program.ended(rank);
        Stuck { rank, iteration, waits: message.into_iter().chain(sends).chain(barrier).collect() }
    }

    /// Takes what a rank has done, up to where it waits.
    fn take(&mut self, rank: usize, mut step: Step<Request<P::Data, P::Note>, ()>) {
        loop {
            let request = match step {
                Step::Done(()) => {
                    self.seats[rank].process = None;
                    return;
                }
                Step::Asks(request) => request,
            };
            match request {
                Request::Note(note) => self.program.hear(rank, note, self.now),
                Request::Move { sends, receive } => {
                    self.seats[rank].receive = receive;
                    for (to, data) in sends {
                        self.begin_send(rank, to, data);
                    }
                    if receive.is_some() {
                        self.look_for_mail(rank);
                    } else if self.seats[rank].sends.is_empty() {
                        self.note(self.now, Chore::GoOn(rank));
                    }
                    return;
                }
                Request::Copy(data) => {
                    let span = per_byte(self.cluster.software.copy_byte, self.program.bytes(&data));
                    self.seats[rank].got = Some(data);
                    let at = self.work(rank, span);
                    self.note(at, Chore::GoOn(rank));
                    return;
                }
                Request::Work(span) => {
                    let at = self.work(rank, span);
                    self.note(at, Chore::GoOn(rank));
                    return;
                }
                Request::Barrier => {
                    self.come_to_barrier(rank);
                    return;
                }
            }
            let answer = Answer { now: self.now, data: None };
            let Some(process) = &mut self.seats[rank].process else { return };
            step = process.resume(answer);
        }
    }

    fn go_on(&mut self, rank: usize) {
        let seat = &mut self.seats[rank];
        let answer = Answer { now: self.now, data: seat.got.take() };
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

    fn begin_send(&mut self, from: usize, to: usize, data: P::Data) {
        let (software, protocol) = (self.cluster.software, self.cluster.protocol);
        let length = self.program.bytes(&data);
        let overheads = software.overheads(length);
        let by_bytes = match () {
            () if self.is_local(from, to) => per_byte(software.copy_byte, length),
            () if protocol.is_announced(length) => Duration::ZERO,
            () => per_byte(overheads.send_byte, length),
        };
        let at = self.work(from, overheads.send + by_bytes);
        let completion = protocol.completion(length);
        let data = Some(data);
        let message =
            Message { from, to, data, length, phase: Phase::Prepared, completion, is_awaited: true };
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
        self.traffic.messages += 1;
        self.traffic.bytes = self.traffic.bytes.saturating_add(length.0);
        self.seats[from].sends.push(to);
        self.seats[to].inbound.push(id);
        self.note(at, Chore::HandOver(id));
    }

    /// The sender's software has done its part.
    fn hand_over(&mut self, id: usize) {
        let Message { from, to, length, phase, completion, .. } = self.messages[id];
        if self.is_local(from, to) {
            self.arrived(id);
            if completion != Completion::Received {
                self.sent(id);
            }
            return;
        }
        let envelope = self.cluster.software.envelope.0;
        if phase == Phase::Prepared && self.cluster.protocol.is_announced(length) {
            self.messages[id].phase = Phase::Announcing;
            self.post(id, ANNOUNCEMENT, from, to, envelope);
            return;
        }
        self.messages[id].phase = Phase::UnderWay;
        self.post(id, DATA, from, to, length.0 + envelope);
        if completion == Completion::Copied {
            self.sent(id);
        }
    }

    fn post(&mut self, id: usize, kind: u64, from: usize, to: usize, bytes: u64) {
        let (source, destination) = (self.cluster.machines[from], self.cluster.machines[to]);
        let parcel = Parcel { source, destination, bytes: bytes.max(1), tag: 3 * id as u64 + kind };
        self.traffic.parcels += 1;
        self.under_way += 1;
        self.medium.send(parcel, self.now);
    }

    /// Hears what has become of a parcel.
    fn hear(&mut self, event: Event) {
        let (Event::Left(tag) | Event::Delivered(tag) | Event::Lost(tag)) = event;
        if tag >= BACKGROUND {
            return;
        }
        if !matches!(event, Event::Left(_)) {
            self.under_way -= 1;
        }
        let id = usize::try_from(tag / 3).expect("a tag that was given out");
        match (event, tag % 3) {
            (Event::Left(_), DATA) if self.messages[id].completion == Completion::Left => self.sent(id),
            (Event::Left(_), _) => {}
            (Event::Lost(_), _) => {
                let Message { from, to, .. } = self.messages[id];
                self.messages[id].phase = Phase::Lost;
                self.traffic.lost.push((from, to));
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
                let Message { from, length, .. } = self.messages[id];
                self.messages[id].phase = Phase::Answered;
                let at = self.work(from, per_byte(self.cluster.software.overheads(length).send_byte, length));
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
        let Message { from, to, length, phase, .. } = self.messages[id];
        match phase {
            Phase::Announced => {
                self.messages[id].phase = Phase::Answering;
                self.post(id, ANSWER, to, from, self.cluster.software.envelope.0);
            }
            Phase::Arrived => {
                self.messages[id].phase = Phase::Received;
                let overheads = self.cluster.software.overheads(length);
                let is_local = self.is_local(from, to);
                let by_bytes = if is_local { Duration::ZERO } else { overheads.receive_byte };
                let at = self.work(rank, overheads.receive + per_byte(by_bytes, length));
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
        let (rank, data) = (message.to, message.data.take());
        self.free.push(id);
        let seat = &mut self.seats[rank];
        seat.inbound.retain(|other| *other != id);
        (seat.got, seat.receive) = (data, None);
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
        let span = self.unrest.span(rank, self.now, span);
        let busy = &mut self.busy[self.cluster.machines[rank].index()];
        *busy = self.now.max(*busy) + span;
        *busy
    }

    fn is_local(&self, a: usize, b: usize) -> bool {
        self.cluster.machines[a] == self.cluster.machines[b]
    }
}

fn per_byte(byte: Duration, length: Bytes) -> Duration {
    Duration::from_ps(byte.as_ps().saturating_mul(length.0))
}
