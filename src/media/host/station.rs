//! A host whose doings are requests to a kernel.

use std::collections::BTreeMap;

use super::{Address, Host, HostFuture, Message, Received};
use simnet_base::des::process::World;
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// What a process on a host asks of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Send this along these turns; answered by [`Answer::Sent`].
    Send {
        /// The turns.
        route: Vec<Turn>,
        /// The message.
        message: Message,
    },
    /// Wait for a message, at most up to an instant; answered by [`Answer::Received`].
    Receive {
        /// The last instant at which a message may become visible.
        until: Option<Time>,
    },
    /// Wait for an instant; answered by [`Answer::Woken`].
    Sleep {
        /// The instant.
        until: Time,
    },
    /// Work for a while, as long as it takes; answered by [`Answer::Woken`].
    Work {
        /// How long it takes in the mean.
        span: Duration,
    },
    /// Let the interface use these routes from now on; answered at once by [`Answer::Woken`].
    Install {
        /// The routes by the names of their destinations.
        routes: BTreeMap<String, Vec<Turn>>,
    },
}

/// What the kernel answers, each with the instant of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The software has done its part of sending.
    Sent(Time),
    /// A message, or none in time.
    Received(Time, Option<Received>),
    /// The instant slept for has come.
    Woken(Time),
}

/// The handle of a process to its host.
pub struct Station {
    name: String,
    address: Address,
    now: Time,
    world: World<Request, Answer>,
}

impl Station {
    /// The host called `name`, whose process starts at `now` and is run by the holder of `world`'s other end.
    pub fn new(
        name: impl Into<String>,
        address: Address,
        now: Time,
        world: World<Request, Answer>,
    ) -> Station {
        Station { name: name.into(), address, now, world }
    }

    async fn ask(&mut self, request: Request) -> Option<Received> {
        let (now, received) = match self.world.ask(request).await {
            Answer::Sent(now) | Answer::Woken(now) => (now, None),
            Answer::Received(now, received) => (now, received),
        };
        debug_assert!(self.now <= now, "a host's time never goes back");
        self.now = now;
        received
    }

    /// Asks what brings no message.
    fn done(&mut self, request: Request) -> HostFuture<'_, ()> {
        Box::pin(async {
            self.ask(request).await;
        })
    }
}

impl Host for Station {
    fn name(&self) -> &str {
        &self.name
    }

    fn address(&self) -> Address {
        self.address
    }

    fn now(&self) -> Time {
        self.now
    }

    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()> {
        self.done(Request::Send { route: route.to_vec(), message })
    }

    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>> {
        Box::pin(self.ask(Request::Receive { until }))
    }

    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()> {
        let until = self.now + span;
        self.done(Request::Sleep { until })
    }

    fn work(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.done(Request::Work { span })
    }

    fn install<'s>(&'s mut self, routes: &'s BTreeMap<String, Vec<Turn>>) -> HostFuture<'s, ()> {
        self.done(Request::Install { routes: routes.clone() })
    }
}
