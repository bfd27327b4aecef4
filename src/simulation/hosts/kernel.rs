//! The clock that processes, applications and the fabric share.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use crate::des::process::{Process, Step};
use crate::des::random::{Purpose, Stream};
use crate::fabric::{Deadlock, Fabric, Member, Pause};
use crate::host::passive::Memory;
use crate::host::{Address, Answer, Costs, Message, Received, Request, Station};
use crate::ids::{HostId, Turn};
use crate::topology::Network;
use crate::trace::Witness;
use crate::units::{Cycle, Duration, Time};

use super::super::progress::Pulse;
use super::application::{Application, Doing, jittered};
use super::attached::addresses;
use super::faults::Dice;
use super::post::{Arrival, Item, Letter, Post};
use super::{End, Locked, Outcome, Residence, Setup};

/// The stream of the costs of a host's software, where they vary.
const COSTS: Purpose = Purpose(23);

/// How long software in the background of an interface waits at most.
const PATIENCE: Duration = Duration::from_ms(1);

/// A host as the kernel sees it.
struct Seat<'m, T> {
    process: Option<Process<'m, Request, Answer, ControlFlow<T>>>,
    /// What its process waits for.
    waits: Waits,
    /// When its process is to go on; other entries of the agenda for it are void.
    alarm: Option<(Time, u64)>,
    /// Messages that have arrived, by the instant at which software sees them, then in order of arrival.
    mailbox: VecDeque<(Time, Received)>,
    /// A message that the interface holds back before it is sent.
    held: Option<Letter>,
    /// Messages that arrived and are held back, until any other or another of the same sender has arrived.
    overtaken: Vec<(Received, bool)>,
    /// Until when the interface is busy with an application, and since when software has waited for it.
    busy: Time,
    waiting_since: Option<Time>,
}

/// What a process waits for.
enum Waits {
    /// Nothing: there is no process, or it has ended, or it is running.
    Nothing,
    /// The end of its software's part of sending.
    Send { route: Vec<Turn>, message: Message },
    /// A message, at most up to an instant.
    Receive { until: Option<Time> },
    /// An instant.
    Sleep,
}

/// What is to be done at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Chore {
    /// The process of a host goes on.
    Process(HostId),
    /// The application of a host acts.
    Application(HostId),
    /// An interface sends what it has held back.
    Send(HostId),
    /// An interface passes on what it has held back.
    Receive(HostId),
}

pub(super) struct Kernel<'m, 'n, T> {
    fabric: Fabric,
    post: Post<'n>,
    application: Option<Application<'n>>,
    seats: Vec<Seat<'m, T>>,
    agenda: BinaryHeap<Reverse<(Time, u64, Chore)>>,
    noted: u64,
    /// Seats with an alarm.
    alarms: usize,
    addresses: Vec<Address>,
    dice: Dice,
    /// Per host, the stream of its software's costs; empty where they do not vary.
    costs_vary: Vec<Stream>,
    jitter: u32,
    costs: Costs,
    residence: Residence,
    until: Option<Time>,
    now: Time,
    pulse: Pulse<'n>,
}

impl<'m, 'n, T: 'm> Kernel<'m, 'n, T> {
    pub(super) fn new<F>(
        setup: &Setup<'n>,
        network: &'n Network,
        fabric: Fabric,
        runs: impl Fn(HostId) -> bool,
        mut program: impl FnMut(HostId, Station) -> F,
    ) -> Kernel<'m, 'n, T>
    where
        F: Future<Output = ControlFlow<T>> + 'm,
    {
        let hosts = network.hosts().len();
        let addresses = addresses(setup);
        let seat = |host: HostId| {
            let (name, address) = (network.hosts()[host.index()].name.clone(), addresses[host.index()]);
            let station = |world| Station::new(name, address, Time::ZERO, world);
            let process = runs(host).then(|| Process::new(|world| program(host, station(world))));
            Seat::new(process)
        };
        let seats = network.host_ids().map(seat).collect();
        let vary = |host| Stream::new(setup.seed, COSTS, HostId::new(host).0);
        let application = setup.load.map(|load| Application::new(load, setup.parameters, hosts, setup.seed));
        let mut pulse = Pulse::new(setup.listener);
        if let Some(until) = setup.until {
            pulse.aim(until);
        }
        let mut post = Post::new(setup, network);
        post.parcels = (setup.residence == Residence::Nic).then(Vec::new);
        Kernel {
            fabric,
            post,
            application,
            seats,
            agenda: BinaryHeap::new(),
            noted: 0,
            alarms: 0,
            addresses,
            dice: Dice::new(setup.faults, hosts, setup.seed),
            costs_vary: (0..if setup.jitter > 0 { hosts } else { 0 }).map(vary).collect(),
            jitter: setup.jitter,
            costs: setup.costs,
            residence: setup.residence,
            until: setup.until,
            now: Time::ZERO,
            pulse,
        }
    }

    pub(super) fn into_outcome(self, end: End, result: Option<T>) -> Outcome<T> {
        let (locked, traffic) = (self.locked(), self.post.traffic_at_end());
        Outcome {
            result,
            end,
            time: self.now,
            memories: self.post.memories,
            losses: self.post.losses,
            traffic,
            locked,
            deadlocks: self.fabric.deadlocks().to_vec(),
            messages: self.post.sent,
            events: self.fabric.events(),
        }
    }

    /// The deadlocks with the names of the worms that took part.
    fn locked(&self) -> Vec<Locked> {
        let of = |deadlock: &Deadlock| {
            let name = |member: &Member| self.post.name(member.source, member.tag, deadlock.formed);
            Locked { deadlock: deadlock.clone(), worms: deadlock.members.iter().map(name).collect() }
        };
        self.fabric.deadlocks().iter().map(of).collect()
    }

    /// From now on tells what each worm is called, in the order in which each host sends.
    pub(super) fn tell_names(&mut self, to: Sender<(HostId, String)>) {
        self.post.recorded = Some(to);
    }

    /// Runs until a process says that this is the end, until the horizon, or until no process can go on.
    pub(super) fn run<W: Witness>(&mut self, witness: &mut W) -> (End, Option<T>) {
        // Lets the fabric ask every host once, so that from now on it is woken for every message.
        self.fabric.run_until(Cycle::ZERO, &mut self.post, witness);
        if let Some(application) = &self.application {
            let first: Vec<_> = application.first().collect();
            for (host, at) in first {
                self.note(at, Chore::Application(host));
            }
        }
        for host in (0..self.seats.len()).map(HostId::new) {
            let step = self.seats[host.index()].process.as_mut().map(Process::start);
            if let Some(result) = step.and_then(|step| self.go_on(host, step)) {
                return (End::Process(host), Some(result));
            }
        }
        loop {
            if let Some(end) = self.advance(witness) {
                return (end, None);
            }
            let Some(Reverse((at, nth, chore))) = self.agenda.pop() else { continue };
            self.now = at;
            self.pulse.beat(|| at);
            if let Some((host, result)) = self.act(nth, chore, witness) {
                return (End::Process(host), Some(result));
            }
        }
    }

    /// Lets the fabric run up to the next chore; why the run ends, if there is none that matters.
    fn advance<W: Witness>(&mut self, witness: &mut W) -> Option<End> {
        loop {
            let next = self.agenda.peek().map(|Reverse((at, _, _))| *at);
            let horizon = self.until.filter(|until| next.is_none_or(|next| *until <= next));
            let limit = horizon.or(next).map_or(Cycle(u64::MAX), |at| at.to_cycle_ceil(self.post.base_cycle));
            // Only applications go on; without a horizon, they would do so for ever.
            let is_over = self.alarms == 0 && self.post.letters == 0 && !self.holds_anything();
            if is_over && (self.until.is_none() || self.application.is_none()) {
                return Some(End::Nothing);
            }
            let pause = self.fabric.run_until(limit, &mut self.post, witness);
            self.take_mail();
            if pause == Pause::Break {
                continue;
            }
            if let Some(horizon) = horizon {
                self.now = self.now.max(horizon);
                return Some(End::Horizon);
            }
            if next.is_some() {
                return None;
            }
            if pause == Pause::Idle && self.agenda.is_empty() {
                return Some(End::Nothing);
            }
        }
    }

    fn holds_anything(&self) -> bool {
        self.dice.is_thrown()
            && self.seats.iter().any(|seat| seat.held.is_some() || !seat.overtaken.is_empty())
    }

    fn note(&mut self, at: Time, chore: Chore) -> u64 {
        let nth = self.noted;
        self.noted += 1;
        self.agenda.push(Reverse((at, nth, chore)));
        nth
    }

    /// Does what has become due; the result of a process that ends the run.
    fn act<W: Witness>(&mut self, nth: u64, chore: Chore, witness: &mut W) -> Option<(HostId, T)> {
        match chore {
            Chore::Process(host) => {
                let seat = &mut self.seats[host.index()];
                if seat.alarm.is_none_or(|(_, valid)| valid != nth) {
                    return None;
                }
                seat.alarm = None;
                self.alarms -= 1;
                if self.must_wait(host) {
                    return None;
                }
                let answer = self.answer(host, witness)?;
                let step = self.seats[host.index()].process.as_mut()?.resume(answer);
                return self.go_on(host, step).map(|result| (host, result));
            }
            Chore::Application(host) => self.application_acts(host),
            Chore::Send(host) => {
                if let Some(letter) = self.seats[host.index()].held.take() {
                    self.queue(host, letter);
                }
            }
            Chore::Receive(host) => {
                for (received, _) in std::mem::take(&mut self.seats[host.index()].overtaken) {
                    self.put_into_mailbox(host, Received { at: self.now, ..received });
                }
            }
        }
        None
    }

    /// Whether the software of `host` stands back behind an application; if so, it is set to go on later.
    fn must_wait(&mut self, host: HostId) -> bool {
        let (seat, now) = (&mut self.seats[host.index()], self.now);
        let since = seat.waiting_since.unwrap_or(now);
        if self.residence == Residence::Host || seat.busy <= now || now.since(since) >= PATIENCE {
            seat.waiting_since = None;
            return false;
        }
        seat.waiting_since = Some(since);
        let at = seat.busy.min(since + PATIENCE);
        self.set_alarm(host, at);
        true
    }

    /// Takes what a process has done, up to where it waits; its result, if that ends the run.
    fn go_on(&mut self, host: HostId, mut step: Step<Request, ControlFlow<T>>) -> Option<T> {
        loop {
            match step {
                Step::Done(flow) => {
                    self.seats[host.index()].process = None;
                    return match flow {
                        ControlFlow::Break(result) => Some(result),
                        ControlFlow::Continue(()) => None,
                    };
                }
                Step::Asks(request) => {
                    let answer = self.take_request(host, request)?;
                    step = self.seats[host.index()].process.as_mut()?.resume(answer);
                }
            }
        }
    }

    /// Notes what the process of `host` asks for, and when it is to go on; the answer, if there is one at once.
    fn take_request(&mut self, host: HostId, request: Request) -> Option<Answer> {
        let (waits, at) = match request {
            Request::Install { routes } => {
                self.post.install(host, Memory { routes: Some(routes) });
                return Some(Answer::Woken(self.now));
            }
            Request::Send { route, message } => {
                (Waits::Send { route, message }, self.now + self.cost(host, self.costs.send))
            }
            Request::Sleep { until } => (Waits::Sleep, until.max(self.now)),
            Request::Work { span } => (Waits::Sleep, self.now + self.cost(host, span)),
            Request::Receive { until } => {
                self.seats[host.index()].waits = Waits::Receive { until };
                self.wait_for_mail(host);
                return None;
            }
        };
        self.seats[host.index()].waits = waits;
        self.set_alarm(host, at);
        None
    }

    /// What software on `host` takes this time, where it takes `span` in the mean.
    fn cost(&mut self, host: HostId, span: Duration) -> Duration {
        match self.costs_vary.get_mut(host.index()) {
            Some(stream) => jittered(span, self.jitter, stream),
            None => span,
        }
    }

    fn set_alarm(&mut self, host: HostId, at: Time) {
        if self.seats[host.index()].alarm.is_some_and(|(set, _)| set == at) {
            return;
        }
        let nth = self.note(at, Chore::Process(host));
        let before = self.seats[host.index()].alarm.replace((at, nth));
        self.alarms += usize::from(before.is_none());
    }

    /// Wakes a process that waits for a message when it sees the next one, or when it has waited long enough.
    fn wait_for_mail(&mut self, host: HostId) {
        let seat = &self.seats[host.index()];
        let Waits::Receive { until } = seat.waits else { return };
        let next = seat.mailbox.front().map(|(seen, _)| *seen);
        if let Some(at) = [next, until].into_iter().flatten().min() {
            self.set_alarm(host, at.max(self.now));
        }
    }

    /// What the process of `host` is told, now that its time has come.
    fn answer<W: Witness>(&mut self, host: HostId, witness: &mut W) -> Option<Answer> {
        let seat = &mut self.seats[host.index()];
        match std::mem::replace(&mut seat.waits, Waits::Nothing) {
            Waits::Nothing => None,
            Waits::Sleep => Some(Answer::Woken(self.now)),
            Waits::Send { route, message } => {
                let created = self.now.to_cycle_ceil(self.post.base_cycle);
                witness.sends(self.now, host, &route, &message);
                self.send(host, Letter { route, message, created, spoilt: false });
                Some(Answer::Sent(self.now))
            }
            Waits::Receive { .. } => {
                let is_seen = seat.mailbox.front().is_some_and(|(seen, _)| *seen <= self.now);
                let received = if is_seen { seat.mailbox.pop_front() } else { None };
                let received = received.map(|(_, received)| received);
                if let Some(received) = &received {
                    witness.receives(self.now, host, &received.message);
                }
                Some(Answer::Received(self.now, received))
            }
        }
    }

    /// A process has handed a message to its interface.
    fn send(&mut self, host: HostId, letter: Letter) {
        if let Some(application) = &mut self.application {
            application.sees_a_process(host, self.now);
        }
        let (is_lost, is_held) = self.dice.sends(host);
        if is_lost {
            self.post.losses.lost += 1;
        } else if let Some(held) = self.seats[host.index()].held.take() {
            self.queue(host, letter);
            self.queue(host, held);
        } else if is_held {
            self.seats[host.index()].held = Some(letter);
            self.note(self.now + self.dice.hold(), Chore::Send(host));
        } else {
            self.queue(host, letter);
        }
    }

    fn queue(&mut self, host: HostId, letter: Letter) {
        let now = self.now.to_cycle_ceil(self.post.base_cycle);
        if self.post.hand_over(host, Item::Letter(letter)) {
            self.fabric.wake(host, now);
        }
    }

    fn application_acts(&mut self, host: HostId) {
        let Some(application) = &mut self.application else { return };
        let next = match application.act(host, self.now, self.post.waiting(host)) {
            None => None,
            Some(Doing::Waits(at)) => Some(at),
            Some(Doing::Sends(planned, next)) => {
                let seat = &mut self.seats[host.index()];
                seat.busy = seat.busy.max(self.now + application.busy(planned.payload));
                let created = self.now.to_cycle_ceil(self.post.base_cycle);
                let (destination, payload) = (planned.destination, planned.payload);
                if self.post.hand_over(host, Item::Parcel { created, destination, payload }) {
                    self.fabric.wake(host, created);
                }
                next
            }
        };
        if let Some(at) = next {
            self.note(at.max(self.now), Chore::Application(host));
        }
    }

    /// Puts what has arrived in the last cycle into the mailboxes.
    fn take_mail(&mut self) {
        self.note_parcels();
        if self.post.arrived.is_empty() {
            return;
        }
        let at = self.fabric.now().to_time(self.post.base_cycle);
        let mut arrived = std::mem::take(&mut self.post.arrived);
        for Arrival { host, from, message, unused, stamps } in arrived.drain(..) {
            if let Some(application) = &mut self.application {
                application.sees_a_process(host, at);
            }
            if self.seats[host.index()].process.is_none() {
                continue;
            }
            let from = self.addresses[from.index()];
            self.receive(host, Received { message, from, at, unused, stamps });
        }
        self.post.arrived = arrived;
    }

    /// Keeps the interfaces busy that applications' messages have reached.
    fn note_parcels(&mut self) {
        let (Some(parcels), Some(application)) = (&mut self.post.parcels, &self.application) else { return };
        for (host, tail, payload) in parcels.drain(..) {
            let seat = &mut self.seats[host.index()];
            let arrived = (tail + 1).to_time(self.post.base_cycle);
            seat.busy = seat.busy.max(arrived + application.busy(payload));
        }
    }

    /// A message has reached the interface of a host with a process.
    fn receive(&mut self, host: HostId, received: Received) {
        if !self.dice.is_thrown() {
            self.put_into_mailbox(host, received);
            return;
        }
        let (any_first, same_first) = self.dice.receives(host);
        let (from, at) = (received.from, received.at);
        let is_released = |held: &(Received, bool)| held.1 || held.0.from == from;
        let overtaken = &mut self.seats[host.index()].overtaken;
        let released: Vec<_> = overtaken.extract_if(.., |held| is_released(held)).collect();
        let is_held = overtaken.iter().any(|held| held.0.from == from);
        if released.is_empty() && !is_held && (any_first || same_first) {
            overtaken.push((received, any_first));
            self.note(at + self.dice.hold(), Chore::Receive(host));
            return;
        }
        self.put_into_mailbox(host, received);
        for (held, _) in released {
            self.put_into_mailbox(host, Received { at, ..held });
        }
    }

    fn put_into_mailbox(&mut self, host: HostId, received: Received) {
        let work = self.costs.seeing(&received.message.body);
        let seen = received.at + if work == Duration::ZERO { work } else { self.cost(host, work) };
        let mailbox = &mut self.seats[host.index()].mailbox;
        let place = mailbox.iter().rposition(|(other, _)| *other <= seen).map_or(0, |last| last + 1);
        mailbox.insert(place, (seen, received));
        self.wait_for_mail(host);
    }
}

impl<'m, T> Seat<'m, T> {
    fn new(process: Option<Process<'m, Request, Answer, ControlFlow<T>>>) -> Seat<'m, T> {
        Seat {
            process,
            waits: Waits::Nothing,
            alarm: None,
            mailbox: VecDeque::new(),
            held: None,
            overtaken: Vec::new(),
            busy: Time::ZERO,
            waiting_since: None,
        }
    }
}
