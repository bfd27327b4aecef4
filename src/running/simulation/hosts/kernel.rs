//! The clock that processes, applications and the fabric share.

use std::ops::ControlFlow;
use std::sync::mpsc::Sender;

use simnet_base::des::agenda::Agenda;
use simnet_base::des::executor::{self, Kernel, Scheduler};
use simnet_base::des::process::Process;
use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{HostId, Turn};
use simnet_base::units::{Cycle, Duration, Time};
use simnet_media::fabric::{Deadlock, Fabric, Member, Pause};
use simnet_media::host::passive::Memory;
use simnet_media::host::{Address, Answer, Costs, Message, Received, Request};
use simnet_media::trace::ProcessObserver;
use simnet_network::topology::Network;

use super::application::{Action, Application, jittered};
use super::attached::addresses;
use super::faults::Dice;
use super::interfaces::{Arrival, Interfaces, Named, Packet, Queued};
use super::{End, Locked, Outcome, Residence, Setup};
use crate::simulation::progress::Pulse;

/// The stream of the costs of a host's software, where they vary.
const COSTS: Purpose = Purpose(23);

/// How long software in the background of an interface waits at most.
const PATIENCE: Duration = Duration::from_ms(1);

/// The process of a host, which ends the run if it breaks.
pub(super) type HostProcess<'p, T> = Process<'p, Request, Answer, ControlFlow<T>>;

/// A host as the kernel sees it.
#[derive(Default)]
struct HostState {
    /// What its process waits for.
    waits: Waits,
    /// Messages that have arrived, by the instant at which software sees them.
    mailbox: Agenda<Received>,
    /// A message that the interface holds back before it is sent.
    held: Option<Packet>,
    /// Messages that arrived and are held back, until any other or another of the same sender has arrived.
    overtaken: Vec<(Received, bool)>,
    /// Until when the interface is busy with an application, and since when software has waited for it.
    busy: Time,
    waiting_since: Option<Time>,
}

/// What a process waits for.
#[derive(Default)]
enum Waits {
    /// Nothing: there is no process, or it has ended, or it is running.
    #[default]
    Nothing,
    /// The end of its software's part of sending.
    Send { route: Vec<Turn>, message: Message },
    /// A message, at most up to an instant.
    Receive { until: Option<Time> },
    /// An instant.
    Sleep,
}

/// What is scheduled, other than that processes go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The application of a host acts.
    Application(HostId),
    /// An interface sends what it has held back.
    Send(HostId),
    /// An interface passes on what it has held back.
    Receive(HostId),
}

/// Processes and applications of hosts on a fabric, before the eyes of `W`; processes end with `T`.
pub(super) struct HostKernel<'n, 'w, T, W> {
    fabric: Fabric,
    interfaces: Interfaces<'n>,
    application: Option<Application<'n>>,
    /// By host, which is the number of its process too.
    hosts: Vec<HostState>,
    addresses: Vec<Address>,
    dice: Dice,
    /// Messages of processes lost at their interfaces.
    lost: u64,
    /// Per host, the stream of its software's costs; empty where they do not vary.
    costs_vary: Vec<Stream>,
    jitter: u32,
    costs: Costs,
    residence: Residence,
    until: Option<Time>,
    pulse: Pulse<'n>,
    observer: &'w mut W,
    /// Why the run has ended, and with what.
    end: Option<(End, Option<T>)>,
}

impl<'n, 'w, T, W: ProcessObserver> HostKernel<'n, 'w, T, W> {
    pub(super) fn new(
        setup: &Setup<'n>,
        network: &'n Network,
        fabric: Fabric,
        observer: &'w mut W,
    ) -> HostKernel<'n, 'w, T, W> {
        let hosts = network.hosts().len();
        let vary = |host| Stream::new(setup.seed, COSTS, HostId::new(host).0);
        let application = setup.load.map(|load| Application::new(load, setup.parameters, hosts, setup.seed));
        let mut pulse = Pulse::new(setup.listener);
        if let Some(until) = setup.until {
            pulse.aim(until);
        }
        let mut interfaces = Interfaces::new(setup, network, fabric.has_management());
        interfaces.application_arrivals = (setup.residence == Residence::Nic).then(Vec::new);
        HostKernel {
            fabric,
            interfaces,
            application,
            hosts: (0..hosts).map(|_| HostState::default()).collect(),
            addresses: addresses(setup),
            dice: Dice::new(setup.faults, hosts, setup.seed),
            lost: 0,
            costs_vary: (0..if setup.jitter > 0 { hosts } else { 0 }).map(vary).collect(),
            jitter: setup.jitter,
            costs: setup.costs,
            residence: setup.residence,
            until: setup.until,
            pulse,
            observer,
            end: None,
        }
    }

    /// From now on sends the name of each worm, in the order in which each host sends.
    pub(super) fn send_names(&mut self, to: Sender<Named>) {
        self.interfaces.recorded = Some(to);
    }

    /// Runs until a process says that this is the end, until the horizon, or until no process can go on.
    pub(super) fn run<'p>(mut self, processes: Vec<Option<HostProcess<'p, T>>>) -> Outcome<T> {
        // Lets the fabric ask every host once, so that from now on it is woken for every message.
        self.fabric.run_until(Cycle::ZERO, &mut self.interfaces, self.observer);
        let mut scheduler = Scheduler::default();
        for (host, at) in self.application.iter().flat_map(Application::first) {
            scheduler.schedule(at, Event::Application(host));
        }
        executor::run(&mut self, &mut scheduler, processes);
        self.into_outcome(scheduler.now())
    }

    fn into_outcome(self, time: Time) -> Outcome<T> {
        let (locked, traffic) = (self.locked(), self.interfaces.traffic_at_end());
        let (end, result) = self.end.unwrap_or((End::Nothing, None));
        Outcome {
            result,
            end,
            time,
            memories: self.interfaces.memories,
            fates: self.interfaces.fates,
            lost: self.lost,
            traffic,
            locked,
            deadlocks: self.fabric.deadlocks().to_vec(),
            messages: self.interfaces.sent,
            events: self.fabric.events(),
        }
    }

    /// The deadlocks with the names of the worms that took part.
    fn locked(&self) -> Vec<Locked> {
        let of = |deadlock: &Deadlock| {
            let name = |member: &Member| self.interfaces.name(member.source, member.tag, deadlock.formed);
            Locked { deadlock: deadlock.clone(), worms: deadlock.members.iter().map(name).collect() }
        };
        self.fabric.deadlocks().iter().map(of).collect()
    }

    /// Lets the fabric run up to the next instant of the agenda; why the run ends, if there is none that matters.
    fn run_fabric(&mut self, scheduler: &mut Scheduler<Event>) -> Option<End> {
        loop {
            let next = scheduler.next();
            let horizon = self.until.filter(|until| next.is_none_or(|next| *until <= next));
            let limit =
                horizon.or(next).map_or(Cycle(u64::MAX), |at| at.to_cycle_ceil(self.interfaces.base_cycle));
            // Only applications go on; without a horizon, they would do so for ever.
            let is_over = !scheduler.wakes_any() && self.interfaces.packets == 0 && !self.holds_anything();
            if is_over && (self.until.is_none() || self.application.is_none()) {
                return Some(End::Nothing);
            }
            let pause = self.fabric.run_until(limit, &mut self.interfaces, self.observer);
            self.take_mail(scheduler);
            if pause == Pause::Break {
                continue;
            }
            if let Some(horizon) = horizon {
                scheduler.advance_to(horizon.max(scheduler.now()));
                return Some(End::Horizon);
            }
            if let Some(next) = next {
                self.pulse.beat(|| next);
                return None;
            }
            if pause == Pause::Idle && scheduler.next().is_none() {
                return Some(End::Nothing);
            }
        }
    }

    fn holds_anything(&self) -> bool {
        self.dice.is_thrown()
            && self.hosts.iter().any(|state| state.held.is_some() || !state.overtaken.is_empty())
    }

    /// Whether the software of `host` stands back behind an application; if so, it is set to go on later.
    fn must_wait(&mut self, host: HostId, scheduler: &mut Scheduler<Event>) -> bool {
        let (state, now) = (&mut self.hosts[host.index()], scheduler.now());
        let since = state.waiting_since.unwrap_or(now);
        if self.residence == Residence::Host || state.busy <= now || now.since(since) >= PATIENCE {
            state.waiting_since = None;
            return false;
        }
        state.waiting_since = Some(since);
        let at = state.busy.min(since + PATIENCE);
        scheduler.wake(host.index(), at);
        true
    }

    /// What software on `host` takes this time, where it takes `span` in the mean.
    fn cost(&mut self, host: HostId, span: Duration) -> Duration {
        match self.costs_vary.get_mut(host.index()) {
            Some(stream) => jittered(span, self.jitter, stream),
            None => span,
        }
    }

    /// Wakes a process that waits for a message when it sees the next one, or when it has waited long enough.
    fn wait_for_mail(&self, host: HostId, scheduler: &mut Scheduler<Event>) {
        let state = &self.hosts[host.index()];
        let Waits::Receive { until } = state.waits else { return };
        if let Some(at) = [state.mailbox.next(), until].into_iter().flatten().min() {
            scheduler.wake(host.index(), at.max(scheduler.now()));
        }
    }

    /// A process has handed a message to its interface.
    fn send(&mut self, host: HostId, packet: Packet, scheduler: &mut Scheduler<Event>) {
        let now = scheduler.now();
        if let Some(application) = &mut self.application {
            application.sees_a_process(host, now);
        }
        let (is_lost, is_held) = self.dice.sends(host);
        if is_lost {
            self.lost += 1;
        } else if let Some(held) = self.hosts[host.index()].held.take() {
            self.queue(host, packet, now);
            self.queue(host, held, now);
        } else if is_held {
            self.hosts[host.index()].held = Some(packet);
            scheduler.schedule(now + self.dice.hold(), Event::Send(host));
        } else {
            self.queue(host, packet, now);
        }
    }

    fn queue(&mut self, host: HostId, packet: Packet, now: Time) {
        let now = now.to_cycle_ceil(self.interfaces.base_cycle);
        if self.interfaces.hand_over(host, Queued::Process(packet)) {
            self.fabric.wake(host, now);
        }
    }

    fn application_acts(&mut self, host: HostId, scheduler: &mut Scheduler<Event>) {
        let Some(application) = &mut self.application else { return };
        let now = scheduler.now();
        let next = match application.act(host, now, self.interfaces.waiting(host)) {
            None => None,
            Some(Action::Waits(at)) => Some(at),
            Some(Action::Sends(planned, next)) => {
                let state = &mut self.hosts[host.index()];
                state.busy = state.busy.max(now + application.busy(planned.payload));
                let created = now.to_cycle_ceil(self.interfaces.base_cycle);
                let (destination, payload) = (planned.destination, planned.payload);
                if self.interfaces.hand_over(host, Queued::Application { created, destination, payload }) {
                    self.fabric.wake(host, created);
                }
                next
            }
        };
        if let Some(at) = next {
            scheduler.schedule(at.max(now), Event::Application(host));
        }
    }

    /// Puts what has arrived in the last cycle into the mailboxes.
    fn take_mail(&mut self, scheduler: &mut Scheduler<Event>) {
        self.keep_busy();
        if self.interfaces.arrived.is_empty() {
            return;
        }
        let at = self.fabric.now().to_time(self.interfaces.base_cycle);
        let mut arrived = std::mem::take(&mut self.interfaces.arrived);
        for Arrival { host, from, message, unused, stamps } in arrived.drain(..) {
            if let Some(application) = &mut self.application {
                application.sees_a_process(host, at);
            }
            if scheduler.runs(host.index()) {
                let from = self.addresses[from.index()];
                self.receive(host, Received { message, from, at, unused, stamps }, scheduler);
            }
        }
        self.interfaces.arrived = arrived;
    }

    /// Keeps the interfaces busy that applications' messages have reached.
    fn keep_busy(&mut self) {
        let arrivals = &mut self.interfaces.application_arrivals;
        let (Some(arrivals), Some(application)) = (arrivals, &self.application) else { return };
        for (host, tail, payload) in arrivals.drain(..) {
            let state = &mut self.hosts[host.index()];
            let arrived = (tail + 1).to_time(self.interfaces.base_cycle);
            state.busy = state.busy.max(arrived + application.busy(payload));
        }
    }

    /// A message has reached the interface of a host with a process.
    fn receive(&mut self, host: HostId, received: Received, scheduler: &mut Scheduler<Event>) {
        if !self.dice.is_thrown() {
            self.put_into_mailbox(host, received, scheduler);
            return;
        }
        let (any_first, same_first) = self.dice.receives(host);
        let (from, at) = (received.from, received.at);
        let is_released = |held: &(Received, bool)| held.1 || held.0.from == from;
        let overtaken = &mut self.hosts[host.index()].overtaken;
        let released: Vec<_> = overtaken.extract_if(.., |held| is_released(held)).collect();
        let is_held = overtaken.iter().any(|held| held.0.from == from);
        if released.is_empty() && !is_held && (any_first || same_first) {
            overtaken.push((received, any_first));
            scheduler.schedule(at + self.dice.hold(), Event::Receive(host));
            return;
        }
        self.put_into_mailbox(host, received, scheduler);
        for (held, _) in released {
            self.put_into_mailbox(host, Received { at, ..held }, scheduler);
        }
    }

    fn put_into_mailbox(&mut self, host: HostId, received: Received, scheduler: &mut Scheduler<Event>) {
        let work = self.costs.seeing(&received.message.body);
        let seen = received.at + if work == Duration::ZERO { work } else { self.cost(host, work) };
        self.hosts[host.index()].mailbox.schedule(seen, received);
        self.wait_for_mail(host, scheduler);
    }
}

impl<T, W: ProcessObserver> Kernel for HostKernel<'_, '_, T, W> {
    type Request = Request;
    type Answer = Answer;
    type Output = ControlFlow<T>;
    type Event = Event;

    fn ask(&mut self, scheduler: &mut Scheduler<Event>, process: usize, request: Request) -> Option<Answer> {
        let (host, now) = (HostId::new(process), scheduler.now());
        let (waits, at) = match request {
            Request::Install { routes } => {
                self.interfaces.install(host, Memory { routes: Some(routes) });
                return Some(Answer::Woken(now));
            }
            Request::Send { route, message } => {
                (Waits::Send { route, message }, now + self.cost(host, self.costs.send))
            }
            Request::Sleep { until } => (Waits::Sleep, until.max(now)),
            Request::Work { span } => (Waits::Sleep, now + self.cost(host, span)),
            Request::Receive { until } => {
                self.hosts[process].waits = Waits::Receive { until };
                self.wait_for_mail(host, scheduler);
                return None;
            }
        };
        self.hosts[process].waits = waits;
        scheduler.wake(process, at);
        None
    }

    fn wake(&mut self, scheduler: &mut Scheduler<Event>, process: usize) -> Option<Answer> {
        let (host, now) = (HostId::new(process), scheduler.now());
        if self.must_wait(host, scheduler) {
            return None;
        }
        let state = &mut self.hosts[process];
        match std::mem::take(&mut state.waits) {
            Waits::Nothing => None,
            Waits::Sleep => Some(Answer::Woken(now)),
            Waits::Send { route, message } => {
                let created = now.to_cycle_ceil(self.interfaces.base_cycle);
                self.observer.sends(now, host, &route, &message);
                self.send(host, Packet { route, message, created, corrupted: false }, scheduler);
                Some(Answer::Sent(now))
            }
            Waits::Receive { .. } => {
                let received = state.mailbox.pop_due(Some(now)).map(|due| due.event);
                if let Some(received) = &received {
                    self.observer.receives(now, host, &received.message);
                }
                Some(Answer::Received(now, received))
            }
        }
    }

    fn handle(&mut self, scheduler: &mut Scheduler<Event>, event: Event) {
        let now = scheduler.now();
        match event {
            Event::Application(host) => self.application_acts(host, scheduler),
            Event::Send(host) => {
                if let Some(packet) = self.hosts[host.index()].held.take() {
                    self.queue(host, packet, now);
                }
            }
            Event::Receive(host) => {
                for (received, _) in std::mem::take(&mut self.hosts[host.index()].overtaken) {
                    self.put_into_mailbox(host, Received { at: now, ..received }, scheduler);
                }
            }
        }
    }

    fn ended(&mut self, process: usize, output: ControlFlow<T>) -> ControlFlow<()> {
        let ControlFlow::Break(result) = output else { return ControlFlow::Continue(()) };
        self.end = Some((End::Process(HostId::new(process)), Some(result)));
        ControlFlow::Break(())
    }

    fn advance(&mut self, scheduler: &mut Scheduler<Event>) -> ControlFlow<()> {
        match self.run_fabric(scheduler) {
            Some(end) => {
                self.end = Some((end, None));
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}
