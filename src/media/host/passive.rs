//! The daemon of a host that maps nothing itself: it answers probes and keeps the routes it is given.
//!
//! # Scope and limitations
//! One message at a time: what arrives while the daemon works waits. Loop-back probes need no daemon, since
//! they turn round at a switch and come back to their sender.
//!
//! # Validation
//! The mapper's tests, on the plain graph and on the fabric.

use std::collections::BTreeMap;

use super::{Attendant, Attended, Body, Disposition, Host, Message, Received};
use simnet_base::ids::Turn;
use simnet_base::units::Duration;

/// What a passive host remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The routes it was given last, by the name of the destination; `None` before the first table.
    pub routes: Option<BTreeMap<String, Vec<Turn>>>,
}

/// The turns of the way back: reversed, and each negated.
///
/// # Source
/// Mainwaring et al. 1997, section 2.3: turns are relative to the port of entry, so that the way back through
/// a switch is the same turn with the other sign.
pub fn way_back(turns: &[Turn]) -> Vec<Turn> {
    turns.iter().rev().map(|turn| turn.back()).collect()
}

impl Memory {
    /// Takes note of a message to the host called `name`; gives the answer and its route, if there is to be
    /// one.
    ///
    /// A host that knows no routes answers a host probe along the turns that the probe carries.
    /// A probe that arrived too soon is answered along those of its turns that it has used.
    pub fn take(&mut self, name: &str, received: &Received) -> Option<(Vec<Turn>, Message)> {
        match &received.message.body {
            Body::HostProbe { nonce, turns } => {
                let unused = received.unused;
                let used = turns.len().saturating_sub(usize::from(unused));
                let reply = Body::HostReply { nonce: *nonce, name: name.to_owned(), unused };
                Some((way_back(&turns[..used]), Message::new(reply)))
            }
            Body::RouteTable { nonce, back, routes } => {
                let entries = routes.iter().map(|entry| (entry.destination.clone(), entry.turns.clone()));
                self.routes = Some(entries.collect());
                Some((back.clone(), Message::new(Body::Acknowledgement { nonce: *nonce })))
            }
            // A host that maps nothing has nothing to announce.
            Body::MapRequest { nonce, back } => {
                let (nonce, finds, explored) = (*nonce, Vec::new(), Vec::new());
                let map = Body::PartialMap { nonce, finds, explored, doubtful: false };
                Some((back.clone(), Message::new(map)))
            }
            Body::LoopProbe { .. }
            | Body::HostReply { .. }
            | Body::PartialMap { .. }
            | Body::Acknowledgement { .. } => None,
        }
    }
}

/// Answers whatever arrives, for ever; `work` is the time that an answer takes.
pub async fn serve(host: &mut dyn Host, memory: &mut Memory, work: Duration) {
    let mut host = Attended::new(host, Daemon { memory, work });
    loop {
        host.recv(None).await;
    }
}

/// All that goes on at a passive host: there is no process that a message could be for.
struct Daemon<'m> {
    memory: &'m mut Memory,
    work: Duration,
}

impl Attendant for Daemon<'_> {
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition {
        Disposition::as_passive(self.memory, host.name(), &received, self.work)
    }
}
