//! Who attends to others at a daemon's host, whatever the daemon is doing.

use crate::host::passive::Memory;
use crate::host::{Address, Attendant, Body, Disposition, Host, Message, Received};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// Answers questions of others and takes their tables into use, while a mapper, a distribution or the daemon's own
/// questions go on, one session after the other. Nonces are separate by session, so that an answer to a question of
/// an earlier session is dropped.
pub(super) struct Sessions<'a> {
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

impl<'a> Sessions<'a> {
    pub(super) fn new(memory: &'a mut Memory, work: Duration, betters: &'a [Address]) -> Sessions<'a> {
        Sessions { memory, work, session: 0, betters, heard: None }
    }

    /// Begins a session: what earlier ones have asked is answered in vain from now on.
    pub(super) fn begin(&mut self) {
        self.session += 1;
    }

    /// When a mapper that comes before this one was last heard of.
    pub(super) fn heard(&self) -> Option<Time> {
        self.heard
    }

    /// An answer to a question of this session as it was asked; nothing of an earlier one's.
    fn of_this_session(&self, received: Received) -> Disposition {
        let nonce = received.message.body.nonce();
        if nonce / SESSION != self.session {
            return Disposition::Dropped;
        }
        let body = received.message.body.with_nonce(nonce % SESSION);
        let message = Message { body, ..received.message };
        Disposition::ForProcess(Received { message, ..received })
    }
}

impl Attendant for Sessions<'_> {
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition {
        let others = received.from != host.address();
        match &received.message.body {
            Body::HostProbe { .. } if others => {}
            Body::RouteTable { .. } => {}
            _ => return self.of_this_session(received),
        }
        if self.betters.contains(&received.from) {
            self.heard = Some(host.now());
        }
        Disposition::as_passive(self.memory, host.name(), &received, self.work)
    }

    fn marks(&mut self, _host: &dyn Host, _route: &[Turn], message: Message) -> Message {
        let nonce = message.body.nonce() % SESSION + self.session * SESSION;
        Message { body: message.body.with_nonce(nonce), ..message }
    }
}
