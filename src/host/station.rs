//! A host whose doings are requests to a kernel.

use std::collections::BTreeMap;

use super::{Address, Host, Message, Received};
use crate::des::process::World;
use crate::ids::Turn;
use crate::units::{Duration, Time};

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
    /// The host called `name`, whose process starts at `now` and is run by whoever answers `world`.
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

    async fn send(&mut self, route: &[Turn], message: Message) {
        self.ask(Request::Send { route: route.to_vec(), message }).await;
    }

    async fn recv(&mut self, until: Option<Time>) -> Option<Received> {
        self.ask(Request::Receive { until }).await
    }

    async fn sleep(&mut self, span: Duration) {
        let until = self.now + span;
        self.ask(Request::Sleep { until }).await;
    }
    async fn work(&mut self, span: Duration) {
        self.ask(Request::Work { span }).await;
    }

    async fn install(&mut self, routes: &BTreeMap<String, Vec<Turn>>) {
        self.ask(Request::Install { routes: routes.clone() }).await;
    }
}
