//! Questions of the guarded mapper, several to a burst.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Answer, Options, Watch};
use crate::host::mapper::probe::there_and_back;
use crate::host::mapper::{Brief, Evidence, Kind, Probes};
use crate::host::{Body, Host, Message};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// What each turn of a question adds to the time-out, as for other mappers.
const PER_TURN: Duration = Duration::from_us(2);

/// After how many questions that stayed without any answer the mapper gives up.
///
/// # Source
/// Our choice: the paper says nothing of a network in which nothing comes back any more.
const MOST_UNDECIDED: u32 = 16;

/// Messages of one kind sent one right after the other; their nonces follow each other.
#[derive(Clone, Copy, Debug)]
struct Volley {
    kind: Kind,
    first: u64,
    count: usize,
    /// When the software had done its part of sending the first.
    began: Time,
    /// How many turns the first takes.
    turns: usize,
}

impl Volley {
    fn position(&self, nonce: u64) -> Option<usize> {
        let nth = usize::try_from(nonce.checked_sub(self.first)?).ok()?;
        (nth < self.count).then_some(nth)
    }

    fn nonces(&self) -> Range<u64> {
        self.first..self.first + self.count as u64
    }
}

/// What came first.
#[derive(Debug)]
enum Heard {
    /// The nth message of the volley or its answer, with the name of the host that answered.
    Scout(usize, Option<String>),
    /// The guard.
    Guard,
    /// Nothing in time.
    Silence,
}

/// Asks questions, counts messages, and keeps evidence of what happens to them.
pub(super) struct Asker<'a> {
    options: &'a Options,
    /// Is called with every answer that the mapper goes by.
    watch: &'a mut Watch<'a>,
    timeout: Duration,
    retries: u32,
    /// How long a guard is waited for; grows where guards come late.
    patience: Duration,
    /// Questions whose guards never came back.
    undecided: u32,
    /// The messages sent so far.
    pub(super) probes: Probes,
    /// What is known of losses and of other traffic.
    pub(super) evidence: Evidence,
    /// Messages that are no longer waited for, though they may return.
    stragglers: BTreeMap<u64, Kind>,
    nonce: u64,
}

impl<'a> Asker<'a> {
    pub(super) fn new(brief: &Brief, options: &'a Options, watch: &'a mut Watch<'a>) -> Asker<'a> {
        Asker {
            options,
            watch,
            timeout: brief.timeout,
            retries: brief.retries,
            patience: brief.timeout,
            undecided: 0,
            probes: Probes::default(),
            evidence: Evidence::default(),
            stragglers: BTreeMap::new(),
            nonce: 0,
        }
    }

    /// Whether so many questions stayed without any answer that no more are asked.
    pub(super) fn gives_up(&self) -> bool {
        self.undecided > MOST_UNDECIDED
    }

    /// Finds out whether the mapper's own cable leads to a switch. Nothing is known yet that could guard it.
    pub(super) async fn is_switch_at_hand(&mut self, host: &mut dyn Host) -> bool {
        for _ in 0..=self.retries {
            let volley =
                self.send(host, Kind::Scout, &[there_and_back(&[])], |nonce| self_probe(nonce, 0)).await;
            let until = host.now() + self.timeout;
            if let Heard::Scout(..) = self.hear(host, &volley, None, until).await.0 {
                return true;
            }
        }
        false
    }

    /// Finds which hosts are at the ends of `routes`, by time-out, in one burst.
    ///
    /// `enough` ends the waiting at a host that shows all there is to know.
    ///
    /// # Source
    /// hendriks2004, section 2: only the other two questions can be guarded, since a host's own answer may
    /// come after any guard.
    pub(super) async fn hosts(
        &mut self,
        host: &mut dyn Host,
        routes: &[Vec<Turn>],
        enough: impl Fn(&str) -> bool,
    ) -> Vec<Option<String>> {
        let mut found: Vec<Option<String>> = vec![None; routes.len()];
        let depth = routes.iter().map(Vec::len).max().unwrap_or(0);
        for attempt in 0..=self.retries {
            let open: Vec<usize> = (0..routes.len()).filter(|nth| found[*nth].is_none()).collect();
            if open.is_empty() {
                break;
            }
            let asked: Vec<Vec<Turn>> = open.iter().map(|nth| routes[*nth].clone()).collect();
            let ask = |nonce, route: &[Turn]| Message::new(Body::HostProbe { nonce, turns: route.to_vec() });
            let volley = self.send_each(host, Kind::Host, &asked, ask).await;
            let until = host.now() + self.timeout + PER_TURN * depth as u64;
            let mut left = open.len();
            while left > 0 {
                let (Heard::Scout(nth, name), at) = self.hear(host, &volley, None, until).await else {
                    break;
                };
                let name = name.unwrap_or_else(|| host.name().to_owned());
                if nth == 0 && name != host.name() {
                    // Those after it may have waited for it somewhere.
                    self.evidence.answered(Kind::Host, depth, at.since(volley.began));
                }
                self.evidence.recovered += u64::from(attempt > 0);
                let last = enough(&name);
                found[open[nth]] = Some(name);
                left -= 1;
                if last {
                    self.forget(&volley);
                    for nth in (0..routes.len()).filter(|nth| found[*nth].is_some()) {
                        (self.watch)(Answer { kind: Kind::Host, route: &routes[nth], yes: true });
                    }
                    return found;
                }
            }
        }
        for (route, name) in routes.iter().zip(&found) {
            (self.watch)(Answer { kind: Kind::Host, route, yes: name.is_some() });
        }
        self.note_noes(found.iter().filter(|name| name.is_none()).count(), self.retries > 0);
        found
    }

    /// Finds out whether there are switches behind `turns` of the switch at the end of `to`, in one burst:
    /// S = T b 0 -b -T for each, then G = T 0 -T.
    ///
    /// # Source
    /// hendriks2004, section 4.
    pub(super) async fn switches(&mut self, host: &mut dyn Host, to: &[Turn], turns: &[Turn]) -> Vec<bool> {
        let mut found = vec![false; turns.len()];
        let routes: Vec<Vec<Turn>> =
            turns.iter().map(|turn| there_and_back(&joined(to, &[*turn], &[]))).collect();
        let attempts = if self.options.guards { self.options.confirm_no } else { self.retries };
        for attempt in 0..=attempts {
            let open: Vec<usize> = (0..turns.len()).filter(|nth| !found[*nth]).collect();
            if open.is_empty() {
                break;
            }
            let asked: Vec<Vec<Turn>> = open.iter().map(|nth| routes[*nth].clone()).collect();
            let burst =
                Burst { kind: Kind::Scout, length: self.options.scout, routes: &asked, to, via: None };
            for nth in self.burst(host, &burst).await {
                found[open[nth]] = true;
                self.evidence.recovered += u64::from(attempt > 0);
            }
        }
        for (route, yes) in routes.iter().zip(&found) {
            (self.watch)(Answer { kind: Kind::Scout, route, yes: *yes });
        }
        self.note_noes(found.iter().filter(|yes| !**yes).count(), attempts > 0);
        found
    }

    /// Finds by which of `turns` a message that came along `to` leaves its switch along the way back of `via`,
    /// if both lead to one switch: S = T X -U for each, then G1 = T 0 -T, and once it is back G2 = U 0 -U.
    ///
    /// # Source
    /// hendriks2004, section 5.
    pub(super) async fn compare(
        &mut self,
        host: &mut dyn Host,
        kind: Kind,
        to: &[Turn],
        turns: &[Turn],
        via: &[Turn],
    ) -> Option<Turn> {
        let home: Vec<Turn> = via.iter().rev().map(|turn| turn.back()).collect();
        let routes: Vec<Vec<Turn>> = turns.iter().map(|turn| joined(to, &[*turn], &home)).collect();
        let burst = Burst { kind, length: self.options.comparison, routes: &routes, to, via: Some(via) };
        let attempts = if self.options.guards { self.options.confirm_no } else { self.retries };
        for attempt in 0..=attempts {
            if let Some(nth) = self.burst(host, &burst).await.into_iter().next() {
                self.evidence.recovered += u64::from(attempt > 0);
                (self.watch)(Answer { kind, route: &routes[nth], yes: true });
                return Some(turns[nth]);
            }
        }
        for route in &routes {
            (self.watch)(Answer { kind, route, yes: false });
        }
        self.note_noes(turns.len(), attempts > 0);
        None
    }

    fn note_noes(&mut self, count: usize, confirmed: bool) {
        let noes = if confirmed { &mut self.evidence.confirmed_noes } else { &mut self.evidence.single_noes };
        *noes += count as u64;
    }

    /// Asks one burst; the positions of those that came back.
    async fn burst(&mut self, host: &mut dyn Host, burst: &Burst<'_>) -> BTreeSet<usize> {
        let mut back = BTreeSet::new();
        if self.gives_up() {
            return back;
        }
        if !self.options.guards {
            self.timed(host, burst, &mut back).await;
            return back;
        }
        let mut back_off = self.options.back_off;
        for _ in 0..=self.options.guard_retries {
            let Err((volley, guard)) = self.guarded(host, burst, &mut back).await else { return back };
            // Neither came: a deadlock, most likely. Lets the network clear itself, and takes the guard that
            // comes meanwhile for the sign that it has. What the scouts met with is not known: they are sent
            // again.
            self.evidence.lost_guards += 1;
            self.forget(&volley);
            let until = host.now() + back_off;
            loop {
                match self.hear(host, &volley, Some(guard), until).await.0 {
                    Heard::Scout(nth, _) => {
                        back.insert(nth);
                    }
                    Heard::Guard => {
                        // Late, not lost: from now on there is more time.
                        self.stragglers.remove(&guard);
                        self.patience = (self.patience * 2).min(self.options.back_off.max(self.timeout));
                        break;
                    }
                    Heard::Silence => break,
                }
            }
            if burst.is_answered_by(&back) {
                return back;
            }
            back_off = back_off * 2;
        }
        self.undecided += 1;
        back
    }

    /// One burst with its guards; where a guard does not come back, the volley and the guard.
    async fn guarded(
        &mut self,
        host: &mut dyn Host,
        burst: &Burst<'_>,
        back: &mut BTreeSet<usize>,
    ) -> Result<(), (Volley, u64)> {
        let length = burst.length;
        let volley = self.send(host, burst.kind, burst.routes, |nonce| self_probe(nonce, length)).await;
        for along in [Some(burst.to), burst.via].into_iter().flatten() {
            let route = [there_and_back(along)];
            let guard = self.send(host, Kind::Guard, &route, |nonce| self_probe(nonce, 0)).await.first;
            let sent = host.now();
            let until = sent + self.patience + PER_TURN * along.len() as u64;
            loop {
                match self.hear(host, &volley, Some(guard), until).await {
                    (Heard::Scout(nth, _), _) => back.insert(nth),
                    (Heard::Guard, at) if burst.via == Some(along) => {
                        // Alone on its way: S and G1 are through.
                        self.evidence.answered(Kind::Guard, along.len(), at.since(sent));
                        break;
                    }
                    (Heard::Guard, _) => break,
                    (Heard::Silence, _) => {
                        self.stragglers.insert(guard, Kind::Guard);
                        return Err((volley, guard));
                    }
                };
                if burst.is_answered_by(back) {
                    self.stragglers.insert(guard, Kind::Guard);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One burst without guards: what has not come back by the time-out does not.
    async fn timed(&mut self, host: &mut dyn Host, burst: &Burst<'_>, back: &mut BTreeSet<usize>) {
        // With nothing behind it that could overtake it a scout need not be long.
        let volley = self.send(host, burst.kind, burst.routes, |nonce| self_probe(nonce, 0)).await;
        let until = host.now() + self.timeout + PER_TURN * burst.to.len() as u64;
        while let Heard::Scout(nth, _) = self.hear(host, &volley, None, until).await.0 {
            back.insert(nth);
            if burst.is_answered_by(back) {
                break;
            }
        }
    }

    async fn send(
        &mut self,
        host: &mut dyn Host,
        kind: Kind,
        routes: &[Vec<Turn>],
        message: impl Fn(u64) -> Message,
    ) -> Volley {
        self.send_each(host, kind, routes, |nonce, _| message(nonce)).await
    }

    async fn send_each(
        &mut self,
        host: &mut dyn Host,
        kind: Kind,
        routes: &[Vec<Turn>],
        message: impl Fn(u64, &[Turn]) -> Message,
    ) -> Volley {
        let turns = routes.first().map_or(0, Vec::len);
        let mut volley = Volley { kind, first: self.nonce, count: routes.len(), began: host.now(), turns };
        for (nth, route) in routes.iter().enumerate() {
            self.probes.sent(kind);
            host.count(kind);
            let nonce = self.nonce;
            self.nonce += 1;
            host.send(route, message(nonce, route)).await;
            if nth == 0 {
                volley.began = host.now();
            }
        }
        volley
    }

    /// Does not wait for the messages of a volley any more.
    fn forget(&mut self, volley: &Volley) {
        self.stragglers.extend(volley.nonces().map(|nonce| (nonce, volley.kind)));
    }

    /// Waits for a message of `volley`, for the guard, or for the instant `until`; with the instant at which
    /// it reached the interface.
    async fn hear(
        &mut self,
        host: &mut dyn Host,
        volley: &Volley,
        guard: Option<u64>,
        until: Time,
    ) -> (Heard, Time) {
        while let Some(received) = host.recv(Some(until)).await {
            let mine = received.from == host.address();
            let body = received.message.body;
            let nonce = body.nonce();
            let name = match body {
                Body::HostReply { name, .. } => Some(name),
                // A host scout that came round to its own sender, and everything that turned round.
                Body::HostProbe { .. } | Body::LoopProbe { .. } if mine => None,
                _ => continue,
            };
            if Some(nonce) == guard {
                self.probes.hit(Kind::Guard);
                return (Heard::Guard, received.at);
            }
            if let Some(nth) = volley.position(nonce) {
                self.probes.hit(volley.kind);
                if nth == 0 && volley.kind != Kind::Host {
                    // Those after it may have waited for it somewhere.
                    self.evidence.answered(volley.kind, volley.turns, received.at.since(volley.began));
                }
                return (Heard::Scout(nth, name), received.at);
            }
            match self.stragglers.remove(&nonce) {
                Some(kind) => self.probes.hit(kind),
                None => self.evidence.late += 1,
            }
        }
        (Heard::Silence, until)
    }
}

/// Scouts of one burst, and the routes of their guards.
struct Burst<'a> {
    kind: Kind,
    length: u32,
    routes: &'a [Vec<Turn>],
    /// The route along which all scouts go.
    to: &'a [Turn],
    /// The route along whose reverse a scout comes back, if it is not the first.
    via: Option<&'a [Turn]>,
}

impl Burst<'_> {
    /// Whether there is nothing more to learn: two routes meet in one way at most, other questions each have
    /// their own answer.
    fn is_answered_by(&self, back: &BTreeSet<usize>) -> bool {
        back.len() == if self.via.is_some() { 1 } else { self.routes.len() }
    }
}

/// A message that its sender is to see again, of at least so many bytes.
fn self_probe(nonce: u64, length: u32) -> Message {
    Message::new(Body::LoopProbe { nonce }).padded(length)
}

fn joined(to: &[Turn], turn: &[Turn], home: &[Turn]) -> Vec<Turn> {
    [to, turn, home].concat()
}
