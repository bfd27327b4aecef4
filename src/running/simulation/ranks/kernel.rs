//! The kernel that runs ranks over a medium.
//!
//! A message's life: the sender's software prepares it, the medium carries it, it waits for its receive, the
//! receiver's software takes it in. One that is announced goes through announcement and answer before that.
//! Within an instant, what the medium reports comes before what software does, and software's pieces come in the
//! order in which they were begun.

use std::ops::ControlFlow;

use simnet_base::des::executor::{self, Kernel, Scheduler};
use simnet_base::des::process::Process;
use simnet_base::ids::HostId;
use simnet_base::units::{Bytes, Duration, Time};
use simnet_media::host::rank::{Answer, Request};
use simnet_media::medium::{self, Medium};

use super::noise::{BACKGROUND, Background, Noise, SoftwareNoise};
use super::{Completion, Protocol, Software, Stuck, Waits};

/// What runs on the ranks: what their messages hold, and who receives what they report.
pub(in crate::simulation) trait Program {
    /// What a message holds.
    type Data: 'static;
    /// What a rank reports.
    type Note: 'static;

    /// How long a message is, the envelope not counted in.
    fn bytes(&self, data: &Self::Data) -> Bytes;

    /// Receives what a rank reports.
    fn hear(&mut self, rank: usize, note: Self::Note, now: Time);

    /// How much of what it does a rank has ended: which repetition, from 0, it is in.
    fn ended(&self, rank: usize) -> usize;
}

/// A rank's process.
pub(in crate::simulation) type RankProcess<'k, P> =
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
    /// What disturbs it, other than its jitter.
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
    /// Messages handed to the medium, announcements counted in.
    pub(in crate::simulation) carried: u64,
    /// The instant of the last event.
    pub(in crate::simulation) end: Time,
}

/// Runs a process on every rank until all have ended or none can go on. Background traffic ends with them.
pub(in crate::simulation) fn run<'k, P: Program>(
    medium: &mut impl Medium,
    cluster: &Cluster<'k>,
    program: P,
    processes: Vec<RankProcess<'k, P>>,
) -> (P, Traffic) {
    let mut kernel = RankKernel::new(medium, *cluster, program);
    let mut scheduler = Scheduler::default();
    executor::run(&mut kernel, &mut scheduler, processes.into_iter().map(Some).collect());
    kernel.into_traffic(&scheduler)
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

/// What software has done at an instant.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Its part of sending this message: the message is handed over.
    HandOver(usize),
    /// Its part of receiving this message: its rank has it.
    Receive(usize),
}

/// A rank as the kernel sees it.
struct RankState<D> {
    /// The ranks to which its sends must be over before it goes on.
    sends: Vec<usize>,
    /// The rank from which it waits for a message.
    receive: Option<usize>,
    /// What came of the receive, or of a copy.
    got: Option<D>,
    is_at_barrier: bool,
    /// The messages to it that it has not received, in the order in which they were sent.
    inbound: Vec<usize>,
}

impl<D> Default for RankState<D> {
    fn default() -> RankState<D> {
        RankState { sends: Vec::new(), receive: None, got: None, is_at_barrier: false, inbound: Vec::new() }
    }
}

/// What the medium's message is for a rank's: its tag is 3 x the rank's message + kind.
const DATA: u64 = 0;
const ANNOUNCEMENT: u64 = 1;
const ANSWER: u64 = 2;

struct RankKernel<'k, 'm, M, P: Program> {
    medium: &'m mut M,
    cluster: Cluster<'k>,
    program: P,
    /// By rank, which is the number of its process too.
    ranks: Vec<RankState<P::Data>>,
    /// Per host, until when its processor has work.
    busy: Vec<Time>,
    noise: SoftwareNoise,
    background: Option<Background>,
    messages: Vec<Message<P::Data>>,
    /// Positions in `messages` that are free.
    free: Vec<usize>,
    /// Messages of ranks that the medium has, announcements and answers counted in.
    under_way: usize,
    at_barrier: usize,
    traffic: Traffic,
}

impl<'k, 'm, M: Medium, P: Program> RankKernel<'k, 'm, M, P> {
    fn new(medium: &'m mut M, cluster: Cluster<'k>, program: P) -> RankKernel<'k, 'm, M, P> {
        let hosts = cluster.machines.iter().map(|host| host.index() + 1).max().unwrap_or(0);
        RankKernel {
            background: Background::new(medium, &cluster),
            medium,
            program,
            ranks: cluster.machines.iter().map(|_| RankState::default()).collect(),
            busy: vec![Time::ZERO; hosts],
            noise: SoftwareNoise::new(&cluster),
            cluster,
            messages: Vec::new(),
            free: Vec::new(),
            under_way: 0,
            at_barrier: 0,
            traffic: Traffic::default(),
        }
    }

    fn into_traffic(mut self, scheduler: &Scheduler<Event>) -> (P, Traffic) {
        self.traffic.end = scheduler.now();
        let stuck = (0..self.ranks.len()).filter(|rank| scheduler.runs(*rank));
        self.traffic.stuck = stuck.map(|rank| self.stuck(rank)).collect();
        (self.program, self.traffic)
    }

    fn stuck(&self, rank: usize) -> Stuck {
        let state = &self.ranks[rank];
        let message = state.receive.map(|from| Waits::Message { from });
        let sends = state.sends.iter().map(|to| Waits::Send { to: *to });
        let barrier = state.is_at_barrier.then_some(Waits::Barrier);
        let iteration = self.program.ended(rank);
        Stuck { rank, iteration, waits: message.into_iter().chain(sends).chain(barrier).collect() }
    }

    fn come_to_barrier(&mut self, rank: usize, scheduler: &mut Scheduler<Event>) {
        self.ranks[rank].is_at_barrier = true;
        self.at_barrier += 1;
        if self.at_barrier < self.ranks.len() {
            return;
        }
        self.at_barrier = 0;
        for rank in 0..self.ranks.len() {
            self.ranks[rank].is_at_barrier = false;
            scheduler.wake(rank, scheduler.now());
        }
    }

    fn begin_send(&mut self, from: usize, to: usize, data: P::Data, scheduler: &mut Scheduler<Event>) {
        let (software, protocol) = (self.cluster.software, self.cluster.protocol);
        let length = self.program.bytes(&data);
        let overheads = software.overheads(length);
        let by_bytes = match () {
            () if self.is_local(from, to) => per_byte(software.copy_byte, length),
            () if protocol.is_announced(length) => Duration::ZERO,
            () => per_byte(overheads.send_byte, length),
        };
        let at = self.work(from, scheduler.now(), overheads.send + by_bytes);
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
        self.ranks[from].sends.push(to);
        self.ranks[to].inbound.push(id);
        scheduler.schedule(at, Event::HandOver(id));
    }

    /// The sender's software has done its part.
    fn hand_over(&mut self, id: usize, scheduler: &mut Scheduler<Event>) {
        let Message { from, to, length, phase, completion, .. } = self.messages[id];
        if self.is_local(from, to) {
            self.arrived(id, scheduler);
            if completion != Completion::Received {
                self.sent(id, scheduler);
            }
            return;
        }
        let envelope = self.cluster.software.envelope.0;
        if phase == Phase::Prepared && self.cluster.protocol.is_announced(length) {
            self.messages[id].phase = Phase::Announcing;
            self.send(id, ANNOUNCEMENT, from, to, envelope, scheduler.now());
            return;
        }
        self.messages[id].phase = Phase::UnderWay;
        self.send(id, DATA, from, to, length.0 + envelope, scheduler.now());
        if completion == Completion::Copied {
            self.sent(id, scheduler);
        }
    }

    fn send(&mut self, id: usize, kind: u64, from: usize, to: usize, bytes: u64, now: Time) {
        let (source, destination) = (self.cluster.machines[from], self.cluster.machines[to]);
        let message = medium::Message { source, destination, bytes: bytes.max(1), tag: 3 * id as u64 + kind };
        self.traffic.carried += 1;
        self.under_way += 1;
        self.medium.send(message, now);
    }

    /// Hears what has become of a message that the medium had.
    fn hear(&mut self, event: medium::Event, scheduler: &mut Scheduler<Event>) {
        use medium::Event::{Delivered, Left, Lost, Stuck};

        let (Left(tag) | Delivered(tag) | Lost(tag) | Stuck(tag)) = event;
        if tag >= BACKGROUND {
            return;
        }
        if !matches!(event, Left(_)) {
            self.under_way -= 1;
        }
        let id = usize::try_from(tag / 3).expect("a tag that was given out");
        match (event, tag % 3) {
            (Left(_), DATA) if self.messages[id].completion == Completion::Left => self.sent(id, scheduler),
            (Left(_), _) => {}
            (Lost(_), _) => {
                let Message { from, to, .. } = self.messages[id];
                self.messages[id].phase = Phase::Lost;
                self.traffic.lost.push((from, to));
            }
            (Stuck(_), _) => self.messages[id].phase = Phase::Lost,
            (Delivered(_), DATA) => {
                if self.messages[id].completion == Completion::Left {
                    self.sent(id, scheduler);
                }
                self.arrived(id, scheduler);
            }
            (Delivered(_), ANNOUNCEMENT) => {
                self.messages[id].phase = Phase::Announced;
                self.look_for_mail(self.messages[id].to, scheduler);
            }
            (Delivered(_), _) => {
                let Message { from, length, .. } = self.messages[id];
                self.messages[id].phase = Phase::Answered;
                let by_bytes = per_byte(self.cluster.software.overheads(length).send_byte, length);
                let at = self.work(from, scheduler.now(), by_bytes);
                scheduler.schedule(at, Event::HandOver(id));
            }
        }
    }

    fn arrived(&mut self, id: usize, scheduler: &mut Scheduler<Event>) {
        self.messages[id].phase = Phase::Arrived;
        self.look_for_mail(self.messages[id].to, scheduler);
    }

    /// Looks whether the next message for which a rank waits can be answered or taken in.
    fn look_for_mail(&mut self, rank: usize, scheduler: &mut Scheduler<Event>) {
        let state = &self.ranks[rank];
        let is_next = |id: &&usize| state.receive == Some(self.messages[**id].from);
        let Some(id) = state.inbound.iter().find(is_next).copied() else { return };
        let Message { from, to, length, phase, .. } = self.messages[id];
        match phase {
            Phase::Announced => {
                self.messages[id].phase = Phase::Answering;
                self.send(id, ANSWER, to, from, self.cluster.software.envelope.0, scheduler.now());
            }
            Phase::Arrived => {
                self.messages[id].phase = Phase::Received;
                let overheads = self.cluster.software.overheads(length);
                let is_local = self.is_local(from, to);
                let by_bytes = if is_local { Duration::ZERO } else { overheads.receive_byte };
                let at = self.work(rank, scheduler.now(), overheads.receive + per_byte(by_bytes, length));
                scheduler.schedule(at, Event::Receive(id));
            }
            _ => {}
        }
    }

    /// The receiver's software has done its part.
    fn receive(&mut self, id: usize, scheduler: &mut Scheduler<Event>) {
        if self.messages[id].completion == Completion::Received {
            self.sent(id, scheduler);
        }
        let message = &mut self.messages[id];
        debug_assert!(!message.is_awaited, "a send is over no later than its receive");
        let (rank, data) = (message.to, message.data.take());
        self.free.push(id);
        let state = &mut self.ranks[rank];
        state.inbound.retain(|other| *other != id);
        (state.got, state.receive) = (data, None);
        self.go_on_if_free(rank, scheduler);
    }

    /// A send is over.
    fn sent(&mut self, id: usize, scheduler: &mut Scheduler<Event>) {
        let message = &mut self.messages[id];
        if !std::mem::replace(&mut message.is_awaited, false) {
            return;
        }
        let (rank, to) = (message.from, message.to);
        let sends = &mut self.ranks[rank].sends;
        let place = sends.iter().position(|other| *other == to).expect("a send that is awaited");
        sends.remove(place);
        self.go_on_if_free(rank, scheduler);
    }

    fn go_on_if_free(&self, rank: usize, scheduler: &mut Scheduler<Event>) {
        let state = &self.ranks[rank];
        if state.sends.is_empty() && state.receive.is_none() {
            scheduler.wake(rank, scheduler.now());
        }
    }

    /// Gives the processor of a rank's machine a piece of work; when that will be done.
    fn work(&mut self, rank: usize, now: Time, span: Duration) -> Time {
        let span = self.noise.span(rank, now, span);
        let busy = &mut self.busy[self.cluster.machines[rank].index()];
        *busy = now.max(*busy) + span;
        *busy
    }

    fn is_local(&self, a: usize, b: usize) -> bool {
        self.cluster.machines[a] == self.cluster.machines[b]
    }
}

impl<M: Medium, P: Program> Kernel for RankKernel<'_, '_, M, P> {
    type Request = Request<P::Data, P::Note>;
    type Answer = Answer<P::Data>;
    type Output = ();
    type Event = Event;

    fn ask(
        &mut self,
        scheduler: &mut Scheduler<Event>,
        rank: usize,
        request: Self::Request,
    ) -> Option<Answer<P::Data>> {
        let now = scheduler.now();
        match request {
            Request::Note(note) => {
                self.program.hear(rank, note, now);
                return Some(Answer { now, data: None });
            }
            Request::Move { sends, receive } => {
                self.ranks[rank].receive = receive;
                for (to, data) in sends {
                    self.begin_send(rank, to, data, scheduler);
                }
                if receive.is_some() {
                    self.look_for_mail(rank, scheduler);
                } else {
                    self.go_on_if_free(rank, scheduler);
                }
            }
            Request::Copy(data) => {
                let span = per_byte(self.cluster.software.copy_byte, self.program.bytes(&data));
                self.ranks[rank].got = Some(data);
                scheduler.wake(rank, self.work(rank, now, span));
            }
            Request::Work(span) => scheduler.wake(rank, self.work(rank, now, span)),
            Request::Barrier => self.come_to_barrier(rank, scheduler),
        }
        None
    }

    fn wake(&mut self, scheduler: &mut Scheduler<Event>, rank: usize) -> Option<Answer<P::Data>> {
        Some(Answer { now: scheduler.now(), data: self.ranks[rank].got.take() })
    }

    fn handle(&mut self, scheduler: &mut Scheduler<Event>, event: Event) {
        match event {
            Event::HandOver(message) => self.hand_over(message, scheduler),
            Event::Receive(message) => self.receive(message, scheduler),
        }
    }

    fn ended(&mut self, _rank: usize, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Lets the medium and background traffic go on. Ends the run where nothing more happens before the end of the
    /// simulated clock.
    fn advance(&mut self, scheduler: &mut Scheduler<Event>) -> ControlFlow<()> {
        loop {
            let software = scheduler.next();
            let background = self.background.as_ref().map(Background::next);
            if background.is_some() && software.is_none() && self.under_way == 0 {
                return ControlFlow::Break(());
            }
            let next = software.into_iter().chain(background).min();
            if let Some((at, event)) = self.medium.advance(next) {
                if at >= Time::END {
                    return ControlFlow::Break(());
                }
                scheduler.advance_to(at);
                self.hear(event, scheduler);
            } else if let (Some(at), Some(background)) = (background, &mut self.background)
                && software.is_none_or(|software| at < software)
            {
                self.medium.send(background.take(), at);
            } else if software.is_none_or(|software| software >= Time::END) {
                return ControlFlow::Break(());
            } else {
                return ControlFlow::Continue(());
            }
        }
    }
}

fn per_byte(byte: Duration, length: Bytes) -> Duration {
    Duration::from_ps(byte.as_ps().saturating_mul(length.0))
}
