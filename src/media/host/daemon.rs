//! The remapping daemon: it keeps watch over the network it has mapped, maps it again when something seems to
//! have changed, and hands out new routes while everyone goes on with the old ones.
//!
//! ```text
//!   watch --(period over, or a question answered otherwise than expected)--> map --same as before--> watch
//!     ^                                                                       |
//!     +--- hand out, acknowledged <--- compute routes <--- another network ---+
//! ```
//! *Heart-beats.* Within each span [`Options::heartbeat`] every cable of the map is asked about once, one
//! question at a time: each host along the mapper's own route to it, and each cable that none of these routes
//! uses by a message that turns round behind it. A question that brings nothing is asked again a few times;
//! then something has failed. Questions that a former map answered and the present one does not are asked too:
//! an answer means that something has come back.
//!
//! *Maps that the mapper doubts* (losses, other traffic, lost guards) are made again until two in a row show
//! the same network, a bounded number of times. A map without any other host is not taken for the network: the
//! mapper is cut off and waits.
//!
//! *Several mappers* have an order. Each but the first keeps quiet as long as it hears of one before it, and
//! steps down when it does so again.
//!
//! # Scope and limitations
//! Suspicions come from the mapper's own questions, from tables that are not acknowledged and from the doubts
//! of maps. Messages of applications are not acknowledged, so their losses arouse none; what has been added
//! to the network where nothing was is found by the periodic mapping alone. Old and new routes mix for as long
//! as tables are being handed out, and may deadlock together.
//!
//! # Source
//! Mainwaring et al. 1997 map "periodically" a network that "may reconfigure" (sections 1 and 5.5) and leave
//! open how (section 6); the heart-beats, the agreement of maps and the order of mappers are ours.
//!
//! # Validation
//! Tests below on a plain graph that changes; `tests/running/processes/daemon.rs` on the fabric, under traffic.

mod heartbeat;
mod sessions;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::distribution::{self, RoutesByName, distribute};
use super::mapper::{Algorithm, Brief, Doubt, Map};
use super::passive::Memory;
use super::{Address, Attended, Body, Host, Message};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::Network;
use simnet_network::topology::isomorphism::difference;

use heartbeat::round_trip;
use sessions::Sessions;

pub use heartbeat::{Question, is_answered, questions};

/// How a daemon goes about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How it explores.
    pub algorithm: Algorithm,
    /// The mapper's brief.
    pub brief: Brief,
    /// How long after the end of a mapping the next begins in any case; `None`: only on suspicion.
    pub remap_period: Option<Duration>,
    /// The span within which every cable of the map is asked about once; `None`: no heart-beats.
    pub heartbeat: Option<Duration>,
    /// How long the answer to a heart-beat's question is waited for.
    pub patience: Duration,
    /// How often a question that brought nothing is asked again before something is taken to have failed.
    pub confirm: u32,
    /// How many maps are made at most until two in a row agree, where the mapper doubts them; at least 1.
    pub tries: u32,
    /// How tables are handed out.
    pub distribution: distribution::Options,
    /// How long the second mapper waits for a sign of the first before it takes over; the third waits twice
    /// as long, and so on.
    pub takeover: Duration,
    /// What it costs to answer a question or to take a table into use.
    pub work: Duration,
}

impl Default for Options {
    /// Heart-beats every 100 ms, three tries a question of 5 ms each, a mapping every 10 s, a takeover after
    /// half a second of silence.
    ///
    /// # Source
    /// Our choices; now-c has 64 cables and is mapped in a quarter of a second.
    fn default() -> Options {
        Options {
            algorithm: Algorithm::Berkeley(super::mapper::berkeley::Options::default()),
            brief: Brief { timeout: Duration::from_ms(3), retries: 1, ..Brief::default() },
            remap_period: Some(Duration::from_ms(10_000)),
            heartbeat: Some(Duration::from_ms(100)),
            patience: Duration::from_ms(5),
            confirm: 2,
            tries: 3,
            distribution: distribution::Options::default(),
            takeover: Duration::from_ms(500),
            work: Duration::from_us(900),
        }
    }
}

/// Why a daemon maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It has no map yet.
    Start,
    /// The period is over.
    Period,
    /// A question brought nothing, or another answer than expected.
    Silence,
    /// A question that a former map answered, but not the present one, was answered again.
    Return,
    /// A table was not acknowledged.
    Unacknowledged,
}

impl Reason {
    /// The reason's name, as reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Start => "start",
            Reason::Period => "period",
            Reason::Silence => "silence",
            Reason::Return => "return",
            Reason::Unacknowledged => "unacknowledged",
        }
    }

    /// Whether the reason is something that seemed wrong.
    pub const fn is_suspicion(self) -> bool {
        matches!(self, Reason::Silence | Reason::Return | Reason::Unacknowledged)
    }
}

/// An event of a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaemonEvent {
    /// It took over.
    TookOver,
    /// It stepped down.
    SteppedDown,
    /// It found a reason to map.
    Roused(Reason),
    /// It finished a map.
    Mapped {
        /// The map.
        network: Network,
        /// The mapper's doubts.
        doubts: BTreeSet<Doubt>,
        /// Whether routes are computed on it.
        adopted: bool,
    },
    /// It began to hand out routes.
    HandingOut,
    /// It was done with that.
    HandedOut(distribution::Report),
}

/// What a daemon did, and when, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal(pub Vec<(Time, DaemonEvent)>);

/// What a daemon knows when it starts.
pub struct Configuration<'a, P> {
    /// All mappers, the one that others stand back for first. A host that is not among them only serves.
    pub mappers: &'a [Address],
    /// How it goes about it.
    pub options: &'a Options,
    /// The map that the routes in use were computed on, the mapper's host in it by its name; `None`: none yet.
    pub known: Option<&'a Network>,
    /// Computes the routes for a map; `None` where there are none.
    pub plan: P,
}

/// Serves others for ever; maps, watches and hands out routes whenever it is this host's turn. What it does is
/// noted in `journal`.
pub async fn serve<P>(
    host: &mut dyn Host,
    memory: &mut Memory,
    configuration: &Configuration<'_, P>,
    journal: &mut Journal,
) where
    P: Fn(&Network) -> Option<RoutesByName>,
{
    let address = host.address();
    let rank = configuration.mappers.iter().position(|mapper| *mapper == address);
    let betters = &configuration.mappers[..rank.unwrap_or(0)];
    let host = Attended::new(host, Sessions::new(memory, configuration.options.work, betters));
    let mut daemon = Daemon {
        host,
        configuration,
        journal,
        known: None,
        questions: Vec::new(),
        next: 0,
        missing: BTreeSet::new(),
    };
    match rank {
        None => daemon.only_serve().await,
        Some(0) => {}
        Some(_) => daemon.stand_by(rank).await,
    }
    if let (Some(0), Some(known)) = (rank, configuration.known) {
        daemon.adopt(known.clone());
    }
    loop {
        daemon.rule().await;
        daemon.note(DaemonEvent::SteppedDown);
        daemon.stand_by(rank).await;
    }
}

struct Daemon<'a, 'p, P> {
    host: Attended<'a, Sessions<'a>>,
    configuration: &'p Configuration<'p, P>,
    journal: &'a mut Journal,
    known: Option<Known>,
    /// Asked in turn; whether the map in use answers each.
    questions: Vec<(Question, bool)>,
    /// The question that comes next.
    next: usize,
    /// Hosts that have not acknowledged the present routes.
    missing: BTreeSet<String>,
}

/// A map in use and its routes.
struct Known {
    network: Network,
    routes: RoutesByName,
}

/// Questions that only a former map answers are kept up to so many.
const MOST_REMEMBERED: usize = 1_000;

impl<P: Fn(&Network) -> Option<RoutesByName>> Daemon<'_, '_, P> {
    fn note(&mut self, event: DaemonEvent) {
        self.journal.0.push((self.host.now(), event));
    }

    async fn only_serve(&mut self) {
        loop {
            self.host.recv(None).await;
        }
    }

    /// Serves until no mapper before this one has been heard of for long enough.
    async fn stand_by(&mut self, rank: Option<usize>) {
        let silence = self.configuration.options.takeover * rank.unwrap_or(0) as u64;
        let since = self.host.now();
        loop {
            let until = self.host.attendant.heard().unwrap_or(since).max(since) + silence;
            if until <= self.host.now() {
                break;
            }
            self.host.recv(Some(until)).await;
        }
        self.note(DaemonEvent::TookOver);
    }

    /// Keeps watch, and maps when there is reason to, until a better mapper is heard of.
    async fn rule(&mut self) {
        let since = self.host.now();
        let mut reason = if self.known.is_none() { Some(Reason::Start) } else { None };
        while !self.is_deposed(since) {
            reason = match reason {
                Some(reason) => {
                    self.note(DaemonEvent::Roused(reason));
                    self.map(reason, since).await
                }
                None => self.watch(since).await,
            };
        }
    }

    fn is_deposed(&self, since: Time) -> bool {
        self.host.attendant.heard().is_some_and(|heard| heard > since)
    }

    /// Asks about one cable after the other until there is reason to map; `None` if a better mapper was heard
    /// of.
    async fn watch(&mut self, since: Time) -> Option<Reason> {
        let options = self.configuration.options;
        let begun = self.host.now();
        let end = options.remap_period.map(|period| begun + period);
        // Hosts that did not acknowledge get another chance after a while.
        let again = (!self.missing.is_empty()).then(|| begun + options.distribution.timeout * 10);
        let gap = options
            .heartbeat
            .map(|span| Duration::from_ps((span.as_ps() / self.questions.len().max(1) as u64).max(1)));
        let mut slot = begun;
        loop {
            let beat = gap.filter(|_| !self.questions.is_empty()).map(|gap| slot + gap);
            let until = [beat, end, again].into_iter().flatten().min();
            while until.is_none_or(|until| self.host.now() < until) {
                self.host.recv(until).await;
                if self.is_deposed(since) {
                    return None;
                }
            }
            let now = self.host.now();
            if again.is_some_and(|again| again <= now) {
                return Some(Reason::Unacknowledged);
            }
            if end.is_some_and(|end| end <= now) {
                return Some(Reason::Period);
            }
            if let Some(reason) = self.beat().await {
                return Some(reason);
            }
            // Questions that took longer than they may delay the next ones; these do not bunch.
            let late = self.host.now().since(Time::ZERO) - gap.unwrap_or(Duration::ZERO);
            slot = beat.unwrap_or(now).max(Time::ZERO + late);
        }
    }

    /// Asks the next question.
    async fn beat(&mut self) -> Option<Reason> {
        self.next %= self.questions.len().max(1);
        let (question, expected) = self.questions.get(self.next)?.clone();
        let tries = if expected { self.configuration.options.confirm } else { 0 };
        let is_answered = self.ask(&question, tries).await;
        if expected || !is_answered {
            self.next += 1;
            return (!is_answered && expected).then_some(Reason::Silence);
        }
        // If the next map does not show why it was answered, it is not asked again.
        self.questions.remove(self.next);
        Some(Reason::Return)
    }

    /// Asks a question, up to `again` times more; whether it was answered as expected.
    async fn ask(&mut self, question: &Question, again: u32) -> bool {
        for _ in 0..=again {
            self.host.attendant.begin();
            let (route, body) = match question {
                Question::Host { turns, .. } => {
                    (turns.clone(), Body::HostProbe { nonce: 0, turns: turns.clone() })
                }
                Question::Cable { turns } => (round_trip(turns), Body::LoopProbe { nonce: 0 }),
            };
            self.host.send(&route, Message::new(body)).await;
            let deadline = self.host.now() + self.configuration.options.patience;
            while let Some(received) = self.host.recv(Some(deadline)).await {
                let is_answer = match (&received.message.body, question) {
                    (Body::HostReply { name, .. }, Question::Host { name: expected, .. }) => name == expected,
                    (Body::LoopProbe { .. }, Question::Cable { .. }) => true,
                    _ => false,
                };
                if is_answer {
                    return true;
                }
            }
        }
        false
    }

    /// Makes maps until one is believed, and hands out its routes if the network is another than before.
    async fn map(&mut self, reason: Reason, since: Time) -> Option<Reason> {
        let mut maps: Vec<Map> = Vec::new();
        for left in (0..self.configuration.options.tries.max(1)).rev() {
            self.host.attendant.begin();
            let map = self
                .configuration
                .options
                .algorithm
                .map(&mut self.host, &self.configuration.options.brief)
                .await;
            if self.is_deposed(since) {
                return None;
            }
            let is_sure = map.doubts.is_empty();
            let agrees = maps.last().is_some_and(|last| difference(&last.network, &map.network).is_none());
            maps.push(map);
            if is_sure || agrees || left == 0 {
                break;
            }
            self.note_map(&maps[maps.len() - 1], false);
        }
        let believed = believed(maps)?;
        let is_cut_off = believed.network.hosts().len() < 2;
        self.note_map(&believed, !is_cut_off);
        if is_cut_off {
            self.lose_sight();
            return None;
        }
        let same = self.known.as_ref().is_some_and(|it| difference(&it.network, &believed.network).is_none());
        if !same {
            self.adopt(believed.network);
            self.hand_out(false).await;
        } else if reason == Reason::Unacknowledged {
            self.hand_out(true).await;
        }
        None
    }

    fn note_map(&mut self, map: &Map, adopted: bool) {
        let (network, doubts) = (map.network.clone(), map.doubts.clone());
        self.note(DaemonEvent::Mapped { network, doubts, adopted });
    }

    /// The mapper has been cut off: whatever answers next is news.
    fn lose_sight(&mut self) {
        self.known = None;
        for (_, expected) in &mut self.questions {
            *expected = false;
        }
    }

    /// Takes a map for the network from now on.
    fn adopt(&mut self, network: Network) {
        let routes = (self.configuration.plan)(&network).unwrap_or_default();
        let Some(me) = network.find_host(self.host.name()) else { return };
        let none = BTreeMap::new();
        let fresh = questions(&network, me, routes.get(self.host.name()).unwrap_or(&none));
        let former = std::mem::take(&mut self.questions).into_iter().map(|(question, _)| question);
        let mut lost: Vec<Question> =
            former.filter(|question| !is_answered(&network, me, question)).collect();
        lost.drain(..lost.len().saturating_sub(MOST_REMEMBERED));
        let fresh = fresh.into_iter().map(|question| (question, true));
        self.questions = fresh.chain(lost.into_iter().map(|question| (question, false))).collect();
        self.next = 0;
        self.known = Some(Known { network, routes });
    }

    /// Hands out the routes of the map in use, or, `again`, only to those that have not acknowledged them.
    async fn hand_out(&mut self, again: bool) {
        let Some(known) = &self.known else { return };
        let mut routes = known.routes.clone();
        let me = self.host.name().to_owned();
        if again {
            routes.retain(|name, _| *name == me || self.missing.contains(name));
        }
        self.note(DaemonEvent::HandingOut);
        self.host.attendant.begin();
        let report = distribute(&mut self.host, &routes, &self.configuration.options.distribution).await;
        self.missing = report.missing.iter().cloned().collect();
        self.note(DaemonEvent::HandedOut(report));
    }
}

/// The map to go by: the last one if it is sure or agrees with the one before, else, of all, one without
/// contradictions, and of these the one with most cables.
fn believed(mut maps: Vec<Map>) -> Option<Map> {
    let last = maps.pop()?;
    let agrees = maps.last().is_some_and(|before| difference(&before.network, &last.network).is_none());
    if last.doubts.is_empty() || agrees {
        return Some(last);
    }
    maps.push(last);
    let unusable = [Doubt::Contradiction, Doubt::Unfinished, Doubt::OutOfMemory];
    let is_usable = |map: &Map| !unusable.iter().any(|doubt| map.doubts.contains(doubt));
    maps.into_iter().max_by_key(|map| (is_usable(map), map.network.links().len()))
}
