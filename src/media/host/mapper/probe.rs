//! Asking what is at the end of a string of turns.

use std::collections::BTreeMap;

use super::findings::Asked;
use super::{Brief, Evidence};
use crate::host::{Body, Host, Message, Received, Stamp};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// What is at the end of a string of turns, as far as can be seen.
///
/// # Source
/// Mainwaring et al. 1997, section 2.3: the response R of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The host of this name.
    Host(String),
    /// Some switch.
    Switch,
    /// Nothing that answers.
    Nothing,
}

/// The kinds of messages that mappers send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Asks the host at the end of its route for its name.
    Host,
    /// Turns round at a switch, if there is one, and comes back.
    Switch,
    /// Looks for a cable that leads back to the switch it came from.
    Loop,
    /// Goes to one switch and comes back from another, if they are the same.
    Compare,
    /// Turns round at a switch with a guard behind it.
    Scout,
    /// Follows a scout along a route known to be good.
    Guard,
}

impl Kind {
    /// All kinds, as reports list them.
    pub const ALL: [Kind; 6] =
        [Kind::Host, Kind::Switch, Kind::Loop, Kind::Compare, Kind::Scout, Kind::Guard];

    /// The kind's name, as reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Switch => "switch",
            Kind::Loop => "loop",
            Kind::Compare => "compare",
            Kind::Scout => "scout",
            Kind::Guard => "guard",
        }
    }
}

/// Messages of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many were sent.
    pub sent: u64,
    /// How many were answered in time.
    pub hits: u64,
}

/// Probe messages truly sent, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probes([Count; Kind::ALL.len()]);

impl Probes {
    /// The messages of one kind.
    pub fn of(&self, kind: Kind) -> Count {
        self.0[kind as usize]
    }

    /// Counts a message sent.
    pub fn sent(&mut self, kind: Kind) {
        self.0[kind as usize].sent += 1;
    }

    /// Counts a message answered in time.
    pub fn hit(&mut self, kind: Kind) {
        self.0[kind as usize].hits += 1;
    }

    /// All messages, whatever their kind.
    pub fn total(&self) -> Count {
        let sum = |field: fn(&Count) -> u64| self.0.iter().map(field).sum();
        Count { sent: sum(|count| count.sent), hits: sum(|count| count.hits) }
    }

    /// Adds the answers that another count has, and not what was sent for them.
    pub fn add_hits(&mut self, other: &Probes) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.hits += theirs.hits;
        }
    }

    /// Adds what another mapper sent.
    pub fn add(&mut self, other: &Probes) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.sent += theirs.sent;
            mine.hits += theirs.hits;
        }
    }
}

/// Turns tried, by what was found.
///
/// # Source
/// Mainwaring et al. 1997, Fig. 6. It counts one host probe for a turn that found a host, one switch probe
/// for a turn that found a switch, and one of each for a turn that found nothing: its misses are equal in
/// both columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Turns that led to a host.
    pub host_hits: u64,
    /// Turns that led to a switch.
    pub switch_hits: u64,
    /// Turns that led to nothing that answers.
    pub nothing: u64,
}

/// What each turn of a probe adds to the time-out.
///
/// # Source
/// Mainwaring et al. 1997, section 1.1: a switch takes up to 550 ns, and an answer passes it twice. Without
/// this a time-out near a host's own time to answer would hide hosts behind some dozens of switches.
const PER_TURN: Duration = Duration::from_us(2);

/// Sends probes from a host, counts them, and keeps evidence of what happens to them.
#[derive(Debug)]
pub struct Prober {
    /// How long an answer is waited for once both probes of a turn are sent, and 2 us more for each turn.
    pub timeout: Duration,
    /// How often a turn that gave nothing is tried again.
    pub retries: u32,
    /// The messages sent so far.
    pub probes: Probes,
    /// The turns tried so far.
    pub turns: Turns,
    /// What is known of losses and of other traffic.
    pub evidence: Evidence,
    /// How long the last question took that was answered in time, from interface to interface.
    pub round_trip: Duration,
    /// The least length of a probe, in bytes.
    length: u32,
    nonce: u64,
    /// The turns of probes that brought nothing so far, by nonce.
    unanswered: BTreeMap<u64, Vec<Turn>>,
    late: Vec<(Vec<Turn>, Response)>,
}

impl Prober {
    /// A prober that has sent nothing.
    pub fn new(brief: &Brief) -> Prober {
        Prober {
            timeout: brief.timeout,
            retries: brief.retries,
            probes: Probes::default(),
            turns: Turns::default(),
            evidence: Evidence::default(),
            round_trip: Duration::ZERO,
            length: brief.length,
            nonce: 0,
            unanswered: BTreeMap::new(),
            late: Vec::new(),
        }
    }

    /// Tells what is at the end of `turns`: sends a host probe and a switch probe, one after the other, and
    /// waits for the first answer to either, or for the time-out.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 2.3, "let a probe be a pair of the two above tests". The paper does
    /// not say in which order the two are sent, nor whether the second waits for the first; here it does not.
    pub async fn probe(&mut self, host: &mut dyn Host, turns: &[Turn]) -> Response {
        let asked = |asker: &mut Prober| {
            vec![asker.host_probe(turns), {
                let round = Message::new(Body::LoopProbe { nonce: asker.fresh() });
                (Kind::Switch, there_and_back(turns), round)
            }]
        };
        let first = self.nonce;
        let response = match self.ask(host, turns.len(), When::AtTheEnd, asked).await {
            Some((Kind::Host, received)) => Response::Host(sender(host, received)),
            Some(_) => Response::Switch,
            None => Response::Nothing,
        };
        if response == Response::Nothing {
            self.unanswered.extend((first..self.nonce).map(|nonce| (nonce, turns.to_vec())));
        }
        match response {
            // The cable of the mapper itself is no turn.
            _ if turns.is_empty() => {}
            Response::Host(_) => self.turns.host_hits += 1,
            Response::Switch => self.turns.switch_hits += 1,
            Response::Nothing => self.turns.nothing += 1,
        }
        response
    }

    /// Tells which host is at the end of `turns`, by a host probe alone.
    pub async fn host_at(&mut self, host: &mut dyn Host, turns: &[Turn]) -> Option<String> {
        self.stamped_host_at(host, turns).await.map(|(name, _)| name)
    }

    /// As [`Prober::host_at`]; gives the stamps of the answer's way too, if switches stamp what passes.
    pub async fn stamped_host_at(
        &mut self,
        host: &mut dyn Host,
        turns: &[Turn],
    ) -> Option<(String, Vec<Stamp>)> {
        let asked = |asker: &mut Prober| vec![asker.host_probe(turns)];
        let (_, mut received) = self.ask(host, turns.len(), When::AtTheEnd, asked).await?;
        let stamps = std::mem::take(&mut received.stamps);
        Some((sender(host, received), stamps))
    }

    /// Tells which host a message along `turns` reaches first, after how many of them, and what the answer was
    /// stamped with; needs hosts that read what reaches them too soon, but for the last turn.
    pub async fn first_host(
        &mut self,
        host: &mut dyn Host,
        turns: &[Turn],
    ) -> Option<(String, usize, Vec<Stamp>)> {
        let asked = |asker: &mut Prober| vec![asker.host_probe(turns)];
        let (_, mut received) = self.ask(host, turns.len(), When::Anywhere, asked).await?;
        let used = turns.len().saturating_sub(usize::from(left_over(&received)));
        let stamps = std::mem::take(&mut received.stamps);
        Some((sender(host, received), used, stamps))
    }

    /// Tells whether a message of this kind, sent along `route`, comes back to its sender.
    pub async fn comes_back(&mut self, host: &mut dyn Host, kind: Kind, route: &[Turn]) -> bool {
        self.stamps_of(host, kind, route).await.is_some()
    }

    /// The stamps of a message of this kind, sent along `route`, if it comes back to its sender; empty where
    /// switches stamp nothing.
    pub async fn stamps_of(&mut self, host: &mut dyn Host, kind: Kind, route: &[Turn]) -> Option<Vec<Stamp>> {
        let asked = |asker: &mut Prober| {
            vec![(kind, route.to_vec(), Message::new(Body::LoopProbe { nonce: asker.fresh() }))]
        };
        // A route that returns is twice as long as what it leads to.
        let (_, received) = self.ask(host, route.len() / 2, When::AtTheEnd, asked).await?;
        Some(received.stamps)
    }

    fn host_probe(&mut self, turns: &[Turn]) -> (Kind, Vec<Turn>, Message) {
        let probe = Message::new(Body::HostProbe { nonce: self.fresh(), turns: turns.to_vec() });
        (Kind::Host, turns.to_vec(), probe)
    }

    /// Whether a message to the switch at the end of `turns`, known to be there, comes back; `took` is how long
    /// that took before.
    pub async fn control(&mut self, host: &mut dyn Host, turns: &[Turn], took: Option<Duration>) -> bool {
        let back = self.comes_back(host, Kind::Guard, &there_and_back(turns)).await;
        match took {
            _ if !back => self.evidence.lost_guards += 1,
            Some(took) => self.evidence.repeated(took, self.round_trip),
            None => {}
        }
        back
    }

    /// What was asked in all.
    pub(super) fn into_asked(self) -> Asked {
        Asked { probes: self.probes, turns: self.turns, evidence: self.evidence }
    }

    /// The answers to [`Prober::probe`] that came too late, with the turns they are about; each once.
    pub fn take_late(&mut self) -> Vec<(Vec<Turn>, Response)> {
        std::mem::take(&mut self.late)
    }

    /// A nonce that was not used yet.
    pub fn fresh(&mut self) -> u64 {
        self.nonce += 1;
        self.nonce - 1
    }

    /// Asks a question of one or two messages, again where it brings nothing; `turns` is its depth. Gives the
    /// kind of the message that was answered, and what arrived.
    async fn ask(
        &mut self,
        host: &mut dyn Host,
        turns: usize,
        when: When,
        question: impl Fn(&mut Prober) -> Vec<(Kind, Vec<Turn>, Message)>,
    ) -> Option<(Kind, Received)> {
        for attempt in 0..=self.retries {
            let length = self.length;
            let padded = |(kind, route, message): (Kind, _, Message)| (kind, route, message.padded(length));
            let messages = question(self).into_iter().map(padded).collect();
            let answer = self.once(host, turns, when, messages).await;
            if answer.is_some() {
                self.evidence.recovered += u64::from(attempt > 0);
                return answer;
            }
        }
        *(if self.retries > 0 {
            &mut self.evidence.confirmed_noes
        } else {
            &mut self.evidence.single_noes
        }) += 1;
        None
    }

    async fn once(
        &mut self,
        host: &mut dyn Host,
        turns: usize,
        when: When,
        messages: Vec<(Kind, Vec<Turn>, Message)>,
    ) -> Option<(Kind, Received)> {
        let mut sent: Vec<(Kind, u64, Time)> = Vec::with_capacity(messages.len());
        for (kind, route, message) in messages {
            self.probes.sent(kind);
            host.count(kind);
            let nonce = message.body.nonce();
            host.send(&route, message).await;
            sent.push((kind, nonce, host.now()));
        }
        let deadline = host.now() + self.timeout + PER_TURN * turns as u64;
        while let Some(received) = host.recv(Some(deadline)).await {
            let mine = received.from == host.address();
            let body = &received.message.body;
            let nonce = body.nonce();
            let unused = left_over(&received);
            let Some((kind, _, at)) =
                sent.iter().find(|(kind, n, _)| *n == nonce && answers(body, *kind, mine))
            else {
                self.take_stray(received, mine, host.name());
                continue;
            };
            if unused > 0 && when == When::AtTheEnd {
                // It reached a host too soon: what it asks about was not reached.
                continue;
            }
            self.probes.hit(*kind);
            self.round_trip = received.at.since(*at);
            // A host probe that came round to its own sender is answered sooner than by another host.
            if !matches!(received.message.body, Body::HostProbe { .. }) {
                let used = turns.saturating_sub(usize::from(unused));
                self.evidence.answered(*kind, used, self.round_trip);
            }
            return Some((*kind, received));
        }
        None
    }

    /// Takes note of a message that answers no question still open; `me` is the host's name, and `mine` says
    /// that it sent the message itself.
    fn take_stray(&mut self, received: Received, mine: bool, me: &str) {
        let (nonce, too_soon) = (received.message.body.nonce(), left_over(&received) > 0);
        let response = match received.message.body {
            Body::HostReply { name, .. } => Response::Host(name),
            Body::LoopProbe { .. } if mine => Response::Switch,
            Body::HostProbe { .. } if mine => Response::Host(me.to_owned()),
            _ => return,
        };
        self.evidence.late += 1;
        if let Some(turns) = self.unanswered.remove(&nonce).filter(|_| !too_soon) {
            self.late.push((turns, response));
        }
    }
}

/// Where on its way a message may reach a host for the answer to count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// When all its turns are used.
    AtTheEnd,
    /// Also with turns left.
    Anywhere,
}

/// Whether a message is the answer to a probe of this kind; `mine`: its sender is the mapper itself.
fn answers(body: &Body, kind: Kind, mine: bool) -> bool {
    match body {
        Body::HostReply { .. } => kind == Kind::Host,
        Body::HostProbe { .. } => kind == Kind::Host && mine,
        Body::LoopProbe { .. } => kind != Kind::Host && mine,
        Body::RouteTable { .. }
        | Body::MapRequest { .. }
        | Body::PartialMap { .. }
        | Body::Acknowledgement { .. } => false,
    }
}

/// How many of a question's turns were left when it reached the host that answered.
fn left_over(received: &Received) -> u16 {
    match &received.message.body {
        Body::HostReply { unused, .. } => received.unused.max(*unused),
        _ => received.unused,
    }
}

/// The name of the host that an answer to a host probe gives: the probe itself gives its own sender's.
fn sender(host: &dyn Host, received: Received) -> String {
    match received.message.body {
        Body::HostReply { name, .. } => name,
        _ => host.name().to_owned(),
    }
}

/// The route of a switch probe: out along `turns`, back out of the port of entry, home.
pub(super) fn there_and_back(turns: &[Turn]) -> Vec<Turn> {
    let home = turns.iter().rev().map(|turn| turn.back());
    turns.iter().copied().chain([Turn(0)]).chain(home).collect()
}
