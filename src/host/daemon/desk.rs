//! The desk of a daemon: what others ask of it is answered on the side, whatever the daemon is doing.

use crate::host::passive::Memory;
use crate::host::{Address, Body, Host, Message, Received};
use crate::ids::Turn;
use crate::units::{Duration, Time};

/// A host through which a mapper, a distribution and the daemon's own questions go, one session after the
/// other.
///
/// Questions of others are answered and tables of others taken into use without their noticing. Nonces are
/// told apart by session, so that an answer to a question of an earlier session is dropped.
pub(super) struct Desk<'a, H> {
    host: &'a mut H,
    memory: &'a mut Memory,
    /// What an answer costs.
    work: Duration,
    session: u64,
    /// Mappers that come before this one.
    betters: &'a [Address],
    /// When one of them was last heard of.
    heard: Option<Time>,
}

/// Nonces that a session may use.
const SESSION: u64 = 1 << 32;

impl<'a, H: Host> Desk<'a, H> {
    pub(super) fn new(
        host: &'a mut H,
        memory: &'a mut Memory,
        work: Duration,
        betters: &'a [Address],
    ) -> Desk<'a, H> {
        Desk { host, memory, work, session: 0, betters, heard: None }
    }

    /// Begins a session: what earlier ones have asked is answered in vain from now on.
    pub(super) fn begin_session(&mut self) {
        self.session += 1;
    }

    /// When a mapper that comes before this one was last heard of.
    pub(super) fn heard(&self) -> Option<Time> {
        self.heard
    }

    /// Takes this host's own routes into use.
    pub(super) async fn use_routes(&mut self, routes: std::collections::BTreeMap<String, Vec<Turn>>) {
        self.host.install(&routes).await;
        self.memory.routes = Some(routes);
    }

    /// Deals with what others ask; hands on what answers this session.
    async fn take(&mut self, received: Received) -> Option<Received> {
        let others = received.from != self.host.address();
        match &received.message.body {
            Body::HostProbe { .. } if others => {}
            Body::RouteTable { .. } => {}
            _ => {
                let nonce = received.message.body.nonce();
                if nonce / SESSION != self.session {
                    return None;
                }
                let body = received.message.body.with_nonce(nonce % SESSION);
                let message = Message { body, ..received.message };
                return Some(Received { message, ..received });
            }
        }
        if self.betters.contains(&received.from) {
            self.heard = Some(self.host.now());
        }
        if let Some((route, answer)) = self.memory.take(self.host.name(), &received) {
            if let (Body::RouteTable { .. }, Some(routes)) = (&received.message.body, &self.memory.routes) {
                self.host.install(routes).await;
            }
            self.host.work(self.work).await;
            self.host.send(&route, answer).await;
        }
        None
    }
}

impl<H: Host> Host for Desk<'_, H> {
    fn name(&self) -> &str {
        self.host.name()
    }

    fn address(&self) -> Address {
        self.host.address()
    }

    fn now(&self) -> Time {
        self.host.now()
    }

    async fn send(&mut self, route: &[Turn], message: Message) {
        let nonce = message.body.nonce() % SESSION + self.session * SESSION;
        self.host.send(route, Message { body: message.body.with_nonce(nonce), ..message }).await;
    }

    async fn recv(&mut self, until: Option<Time>) -> Option<Received> {
        loop {
            let received = self.host.recv(until).await?;
            if let Some(received) = self.take(received).await {
                return Some(received);
            }
        }
    }

    async fn sleep(&mut self, span: Duration) {
        self.host.sleep(span).await;
    }

    async fn work(&mut self, span: Duration) {
        self.host.work(span).await;
    }
}
