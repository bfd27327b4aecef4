//! The kernel that couples the processes on hosts to a fabric, on one clock.
//!
//! One process is the *master*, whose end ends the run; every other host that has a daemon serves it. What a
//! process does at an instant takes effect in the first cycle that does not begin before it; a message whose
//! last flit arrives in cycle t is there at the end of t, so that an answer cannot start before t + 1.
//!
//! ```text
//!   process --Send--> (software) --> queue --next_message--> Fabric
//!           <-Received-- (software) <-- mailbox <--ended--------+
//! ```
//!
//! # Scope and limitations
//! Software on a host does one thing at a time; only its costs are modelled, not the sharing of its processor
//! or bus. A message that is destroyed, or whose CRC is wrong when it arrives, is gone without a word.
//!
//! # Validation
//! `tests/it/processes.rs`: the time of an exchange in closed form; the mapper's tests compare counts and
//! maps with those on a plain graph.

mod post;

use std::collections::BTreeMap;

use crate::des::process::{Process, Step};
use crate::des::timers::Timers;
use crate::fabric::{BuildError, Deadlock, Fabric, Parameters, Pause};
use crate::host::passive::{self, Memory};
use crate::host::{Address, Answer, Costs, Message, Received, Request, Station};
use crate::ids::{HostId, Node, Port, Turn};
use crate::topology::{End, Network};
use crate::units::{Cycle, Time};

use post::{Arrival, Letter, Post};

pub use post::Losses;

/// Everything beside the processes.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The network.
    pub network: &'a Network,
    /// The fabric's parameters for it.
    pub parameters: &'a Parameters,
    /// Per host, the port that it uses, its only one as far as processes are concerned; `None`: the
    /// lowest-numbered cabled one.
    pub attachments: &'a [Option<Port>],
    /// What software costs.
    pub costs: Costs,
    /// The mean number of bits between two bit errors; `None`: no errors.
    pub bits_between_errors: Option<u64>,
    /// The seed of the bit errors.
    pub seed: u64,
}

/// What came of a run of processes.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// What the master returned; `None` if it waits for what can never come.
    pub result: Option<T>,
    /// When it ended.
    pub time: Time,
    /// Per host, what its daemon remembers.
    pub memories: Vec<Memory>,
    /// Messages that did not arrive.
    pub losses: Losses,
    /// The deadlocks that formed.
    pub deadlocks: Vec<Deadlock>,
    /// Messages handed to interfaces.
    pub messages: u64,
    /// Events that the fabric handled.
    pub events: u64,
}

/// Runs `program` on the host `master` until it ends, and a daemon on every other host for which `serves`
/// holds.
///
/// # Errors
/// What the fabric finds wrong with its parameters.
pub fn run<'a, T, F>(
    setup: &Setup<'a>,
    master: HostId,
    program: impl FnOnce(Station) -> F,
    serves: impl Fn(HostId) -> bool,
) -> Result<Outcome<T>, BuildError>
where
    T: 'a,
    F: Future<Output = T> + 'a,
{
    let (network, parameters) = attached(setup);
    let ports: Vec<Option<Port>> = network.host_ids().map(|host| Some(network.attachment(host)?.0)).collect();
    let fabric = Fabric::new(&network, &parameters, &ports)?;
    let mut memories = vec![Memory::default(); setup.network.hosts().len()];
    let reply = setup.costs.reply;
    let name = |host: HostId| setup.network.hosts()[host.index()].name.clone();
    let daemons = memories.iter_mut().enumerate().map(|(nth, memory)| {
        let host = HostId::new(nth);
        (host != master && serves(host)).then(|| {
            Process::new(|world| {
                let mut station = Station::new(name(host), address(host), Time::ZERO, world);
                async move { passive::serve(&mut station, memory, reply).await }
            })
        })
    });
    let seats = daemons.map(|daemon| Seat { daemon, ..Seat::default() }).collect();
    let program =
        Process::new(|world| program(Station::new(name(master), address(master), Time::ZERO, world)));
    let mut kernel = Kernel::new(setup, fabric, seats, master, program);
    let result = kernel.run();
    let ended = (kernel.now, kernel.post.losses, kernel.post.sent);
    let (deadlocks, events) = (kernel.fabric.deadlocks().to_vec(), kernel.fabric.events());
    drop(kernel);
    let (time, losses, messages) = ended;
    Ok(Outcome { result, time, memories, losses, deadlocks, messages, events })
}

/// Addresses follow the list of hosts.
fn address(host: HostId) -> Address {
    Address(host.index() as u64)
}

/// The network and its parameters without the cables of hosts that are in other ports than the host uses.
///
/// A process answers along the way a message came, so a host must not receive on a cable on which it cannot
/// send.
fn attached(setup: &Setup<'_>) -> (Network, Parameters) {
    let (network, parameters) = (setup.network, setup.parameters);
    let lowest = |host| network.attachment(host).map(|(port, _, _)| port);
    let port = |host: HostId| setup.attachments.get(host.index()).copied().flatten().or_else(|| lowest(host));
    let used = |end: End| match end.node {
        Node::Host(host) => port(host) == Some(end.port),
        Node::Switch(_) => true,
    };
    let mut reduced = Network::new(network.name.as_str());
    for switch in network.switches() {
        reduced.push_switch(switch.clone()).expect("names stay distinct");
    }
    for host in network.hosts() {
        reduced.push_host(host.clone()).expect("names stay distinct");
    }
    let mut links = Vec::with_capacity(parameters.links.len());
    for (link, timing) in network.links().iter().zip(&parameters.links) {
        if used(link.a) && used(link.b) {
            reduced.push_link(link.clone()).expect("ports stay distinct");
            links.push(*timing);
        }
    }
    (reduced, Parameters { links, ..parameters.clone() })
}

/// A host as the kernel sees it.
#[derive(Default)]
struct Seat<'m> {
    /// The host's daemon; the master's process stands beside the seats.
    daemon: Option<Process<'m, Request, Answer, ()>>,
    /// What its process waits for.
    waits: Waits,
    /// Messages that have arrived, by the instant at which software sees them, then in order of arrival.
    mailbox: BTreeMap<(Time, u64), Received>,
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

struct Kernel<'m, T> {
    fabric: Fabric,
    post: Post,
    seats: Vec<Seat<'m>>,
    master: HostId,
    program: Process<'m, Request, Answer, T>,
    /// Per host, when its process is to go on.
    timers: Timers<HostId>,
    costs: Costs,
    now: Time,
    arrivals: u64,
}

impl<'m, T> Kernel<'m, T> {
    fn new(
        setup: &Setup<'_>,
        fabric: Fabric,
        seats: Vec<Seat<'m>>,
        master: HostId,
        program: Process<'m, Request, Answer, T>,
    ) -> Kernel<'m, T> {
        let (costs, now) = (setup.costs, Time::ZERO);
        Kernel {
            fabric,
            post: Post::new(setup),
            seats,
            master,
            program,
            timers: Timers::new(),
            costs,
            now,
            arrivals: 0,
        }
    }

    /// Runs until the master ends (its result), or until nothing can happen any more.
    fn run(&mut self) -> Option<T> {
        // Lets the fabric ask every host once, so that from now on it is woken for every message.
        self.fabric.run_until(Cycle::ZERO, &mut self.post, &mut ());
        for nth in 0..self.seats.len() {
            if let Some(Step::Asks(request)) = self.seats[nth].daemon.as_mut().map(Process::start) {
                self.take_request(HostId::new(nth), request);
            }
        }
        let mut step = self.program.start();
        loop {
            match step {
                Step::Done(result) => return Some(result),
                Step::Asks(request) => self.take_request(self.master, request),
            }
            step = self.until_the_master_goes_on()?;
        }
    }

    /// Lets time pass until the master has been resumed once.
    fn until_the_master_goes_on(&mut self) -> Option<Step<Request, T>> {
        loop {
            let due = self.timers.next_due();
            let limit = due.map_or(Cycle(u64::MAX), |at| at.to_cycle_ceil(self.post.base_cycle));
            let pause = self.fabric.run_until(limit, &mut self.post, &mut ());
            self.take_mail();
            if pause == Pause::Break {
                continue;
            }
            // Nothing in the fabric happens before the next timer, if there is one.
            let (host, at) = self.timers.pop_due(due?)?;
            self.now = at;
            let Some(answer) = self.answer(host) else { continue };
            if host == self.master {
                return Some(self.program.resume(answer));
            }
            if let Some(Step::Asks(request)) =
                self.seats[host.index()].daemon.as_mut().map(|d| d.resume(answer))
            {
                self.take_request(host, request);
            }
        }
    }

    /// Notes what the process of `host` asks for, and when it is to go on.
    fn take_request(&mut self, host: HostId, request: Request) {
        let seat = &mut self.seats[host.index()];
        match request {
            Request::Send { route, message } => {
                seat.waits = Waits::Send { route, message };
                self.timers.set(host, self.now + self.costs.send);
            }
            Request::Sleep { until } => {
                seat.waits = Waits::Sleep;
                self.timers.set(host, until.max(self.now));
            }
            Request::Receive { until } => {
                seat.waits = Waits::Receive { until };
                self.set_alarm(host);
            }
        }
    }

    /// Wakes a process that waits for a message when it sees the next one, or when it has waited long enough.
    fn set_alarm(&mut self, host: HostId) {
        let seat = &self.seats[host.index()];
        let Waits::Receive { until } = seat.waits else { return };
        let next = seat.mailbox.first_key_value().map(|((seen, _), _)| *seen);
        if let Some(at) = [next, until].into_iter().flatten().min() {
            self.timers.set(host, at.max(self.now));
        }
    }

    /// What the process of `host` is told, now that its timer has fired.
    fn answer(&mut self, host: HostId) -> Option<Answer> {
        let seat = &mut self.seats[host.index()];
        match std::mem::take(&mut seat.waits) {
            Waits::Nothing => None,
            Waits::Sleep => Some(Answer::Woken(self.now)),
            Waits::Send { route, message } => {
                let created = self.now.to_cycle_ceil(self.post.base_cycle);
                if self.post.hand_over(host, Letter::new(route, message, created)) {
                    self.fabric.wake(host, created);
                }
                Some(Answer::Sent(self.now))
            }
            Waits::Receive { .. } => {
                let first = seat.mailbox.first_entry().filter(|entry| entry.key().0 <= self.now);
                Some(Answer::Received(self.now, first.map(|entry| entry.remove())))
            }
        }
    }

    /// Puts what has arrived into the mailboxes.
    fn take_mail(&mut self) {
        for Arrival { host, last, from, message } in std::mem::take(&mut self.post.arrived) {
            let at = (last + 1).to_time(self.post.base_cycle);
            let seen = at + self.costs.seeing(&message.body);
            let seat = &mut self.seats[host.index()];
            if host != self.master && seat.daemon.is_none() {
                continue;
            }
            let received = Received { message, from: address(from), at, unused: 0, stamps: Vec::new() };
            seat.mailbox.insert((seen, self.arrivals), received);
            self.arrivals += 1;
            self.set_alarm(host);
        }
    }
}
