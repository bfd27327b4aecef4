//! A host where something else goes on in addition to its process: it answers others, marks messages, logs times.
//!
//! ```text
//!   process --send / recv / sleep--> Attended --marked------------> host
//!                                       ^  \-- takes each message: hands it on, answers it, drops it, withholds it
//!                                       +-- Attendant: what attends to others here
//! ```
//! A mapper that answers other mappers, a daemon that answers while it maps, a log: each is an [`Attendant`], and its
//! process notices none of it but the time that answers take. Attended hosts may be attended to in turn.

use std::collections::BTreeMap;

use super::mapper::Kind;
use super::passive::Memory;
use super::{Address, Host, HostFuture, Message, Received};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// Who attends to what a host's process is not to see.
pub trait Attendant {
    /// What becomes of a message that has arrived at `host`.
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition;

    /// The process's message as it leaves along a route.
    fn marks(&mut self, _host: &dyn Host, _route: &[Turn], message: Message) -> Message {
        message
    }

    /// How much longer the process waits, now that nothing came in time; asked once a wait.
    fn patience(&self, _now: Time) -> Option<Duration> {
        None
    }

    /// Hears that the process is about to send a message of this kind.
    fn counts(&mut self, _kind: Kind) {}

    /// Hears that the work of an answer is done, before the answer is sent.
    fn answered(&mut self) {}
}

/// What becomes of a message.
pub enum Disposition {
    /// The process gets it.
    ForProcess(Received),
    /// It is answered; the process does not see it.
    Answered(Reply),
    /// Nothing.
    Dropped,
    /// The process hears no more, and is to be given up; the next that receives here gets the message first.
    Withheld(Received),
}

/// An answer to a message.
pub struct Reply {
    /// Routes that the interface uses from now on.
    pub routes: Option<BTreeMap<String, Vec<Turn>>>,
    /// The work that comes before it is sent.
    pub work: Duration,
    /// The way of the answer.
    pub route: Vec<Turn>,
    /// The answer.
    pub message: Message,
}

impl Disposition {
    /// What a passive host called `name` does: it answers what asks for an answer, after `work`.
    pub fn as_passive(memory: &mut Memory, name: &str, received: &Received, work: Duration) -> Disposition {
        let Some((route, message)) = memory.take(name, received) else { return Disposition::Dropped };
        let routes = received.message.body.is_table().then(|| memory.routes.clone()).flatten();
        Disposition::Answered(Reply { routes, work, route, message })
    }
}

/// A host with an attendant.
pub struct Attended<'h, A> {
    host: &'h mut dyn Host,
    /// Who attends.
    pub attendant: A,
    withheld: Option<Received>,
}

impl<'h, A: Attendant> Attended<'h, A> {
    /// `host`, attended to by `attendant` from now on.
    pub fn new(host: &'h mut dyn Host, attendant: A) -> Attended<'h, A> {
        Attended { host, attendant, withheld: None }
    }

    async fn answer(&mut self, reply: Reply) {
        if let Some(routes) = &reply.routes {
            self.host.install(routes).await;
        }
        self.host.work(reply.work).await;
        self.attendant.answered();
        self.host.send(&reply.route, reply.message).await;
    }

    /// Attends to whatever arrives until there is a message for the process, or none up to the instant `until`.
    async fn receive(&mut self, mut until: Option<Time>) -> Option<Received> {
        let mut is_extended = false;
        loop {
            let received = match self.withheld.take() {
                Some(received) => Some(received),
                None => self.host.recv(until).await,
            };
            let Some(received) = received else {
                let longer = self.attendant.patience(self.host.now()).filter(|_| !is_extended)?;
                is_extended = true;
                until = Some(self.host.now() + longer);
                continue;
            };
            match self.attendant.takes(self.host, received) {
                Disposition::ForProcess(received) => return Some(received),
                Disposition::Answered(reply) => self.answer(reply).await,
                Disposition::Dropped => {}
                Disposition::Withheld(received) => {
                    self.withheld = Some(received);
                    return std::future::pending().await;
                }
            }
        }
    }
}

impl<A: Attendant> Host for Attended<'_, A> {
    fn name(&self) -> &str {
        self.host.name()
    }

    fn address(&self) -> Address {
        self.host.address()
    }

    fn now(&self) -> Time {
        self.host.now()
    }

    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()> {
        let marked = self.attendant.marks(self.host, route, message);
        self.host.send(route, marked)
    }

    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>> {
        Box::pin(self.receive(until))
    }

    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.host.sleep(span)
    }

    fn work(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.host.work(span)
    }

    fn count(&mut self, kind: Kind) {
        self.attendant.counts(kind);
        self.host.count(kind);
    }

    fn install<'s>(&'s mut self, routes: &'s BTreeMap<String, Vec<Turn>>) -> HostFuture<'s, ()> {
        self.host.install(routes)
    }
}
