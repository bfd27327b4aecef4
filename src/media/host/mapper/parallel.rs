//! Parallel mappers: every host maps its surroundings at the same time, and one host merges what all have found.
//!
//! All hosts explore the switches up to a small depth, answering each other meanwhile. Then the *holder* asks the
//! hosts on its map for theirs, one after the other; each brings further hosts to ask. What no host has explored in
//! the end, the holder explores alone.
//!
//! # Scope and limitations
//! Assumed: every host runs a mapper, all begin within the time that a local map takes, and one host is known to
//! be the holder (given, or elected before). Hosts that run none are asked in vain. A partial map holds what has
//! been found up to the moment of asking: it may be incomplete, but not untrue, unless messages stray; what it lacks
//! others add. A partial map that was made while answers came late puts the whole in doubt.
//!
//! # Source
//! Mainwaring et al. 1997, section 6: "every network host could map local regions, and upon discovering another
//! host exchange their partial maps. The central question is how to merge such local views". Here the answer is:
//! a partial map names its own host, which the whole knows; a host has one cable, so the two switches at its end are
//! one, with a shift between their ports, and all else follows by the merge list of section 3.3.
//!
//! # Validation
//! `tests/running/processes/parallel.rs`: right on random networks, whether local maps overlap, hosts stay silent, or
//! the holder has to do everything alone; on the NOW in less time than one Berkeley mapper.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use super::berkeley::{confirmed, look_behind_the_cable};
use super::findings::Findings;
use super::model::{Model, Place, Plan, Recognition, VertexId};
use super::probe::{Prober, Response};
use super::sweep::{Order, Sweep};
use super::{Brief, Doubt, Kind, Map, Probes};
use crate::host::passive::{Memory, way_back};
use crate::host::{Attendant, Attended, Body, Disposition, Find, Host, Message, Received, Reply};
use simnet_base::ids::Turn;
use simnet_base::units::{Duration, Time};

/// What parallel mappers do at their own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The longest string of turns whose switch is still explored before maps are exchanged.
    pub depth: usize,
    /// What answering a message takes.
    pub work: Duration,
    /// How much longer an answer is waited for within 20 ms of another mapper's probe.
    pub patience: Duration,
}

impl Options {
    /// The own switch and its neighbours; the work of a daemon at user level; 20 ms, the time that a queue of some
    /// twenty probes at the asked host takes.
    pub const DEFAULT: Options =
        Options { depth: 1, work: Duration::from_us(900), patience: Duration::from_ms(20) };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// How long another mapper's probe is a reason for patience.
const LATELY: Duration = Duration::from_ms(20);

/// What a mapper has found, for itself and for who asks.
#[derive(Clone, Debug, Default)]
struct Log {
    finds: Vec<Find>,
    explored: Vec<bool>,
    doubtful: bool,
}

/// Maps the surroundings and answers whoever asks, for ever; counts in `sent` what it sends.
pub async fn assist(host: &mut dyn Host, brief: &Brief, options: &Options, sent: &Cell<Probes>) {
    let log = Cell::new(Log::default());
    let answering = Answering { sent: Some(sent), ..Answering::new(&log, options) };
    let mut answering = Attended::new(host, answering);
    let mut explorer = Explorer::new(answering.name(), brief, &log);
    explorer.map_around(&mut answering, options.depth).await;
    loop {
        answering.recv(None).await;
    }
}

/// Maps the surroundings, gathers what others have found, and explores the rest alone.
pub async fn hold(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    let log = Cell::new(Log::default());
    let mut answering = Attended::new(host, Answering::new(&log, options));
    let mut explorer = Explorer::new(answering.name(), brief, &log);
    explorer.model.journal.begin(began);
    explorer.map_around(&mut answering, options.depth).await;
    let mut asked = BTreeSet::from([answering.name().to_owned()]);
    let mut given_up = None;
    loop {
        explorer.gather(&mut answering, &mut asked).await;
        let Some(vertex) = explorer.next(None) else { break };
        let is_full = brief.memory.is_some_and(|most| explorer.findings.peak_memory > most);
        if is_full || explorer.findings.explorations == brief.explorations {
            given_up = Some(if is_full { Doubt::OutOfMemory } else { Doubt::Unfinished });
            break;
        }
        explorer.explore(&mut answering, vertex).await;
    }
    if explorer.prober.turns.host_hits + explorer.prober.turns.switch_hits == 0 {
        look_behind_the_cable(&mut answering, &mut explorer.prober, &mut explorer.model).await;
    }
    let (name, time) = (answering.name().to_owned(), answering.now().since(began));
    explorer.finish(&name, time, given_up)
}

/// Answers others while a mapper waits.
struct Answering<'h> {
    log: &'h Cell<Log>,
    options: &'h Options,
    memory: Memory,
    /// When another mapper's probe came last.
    others: Option<Time>,
    /// Where messages are counted.
    sent: Option<&'h Cell<Probes>>,
}

impl<'h> Answering<'h> {
    fn new(log: &'h Cell<Log>, options: &'h Options) -> Answering<'h> {
        Answering { log, options, memory: Memory::default(), others: None, sent: None }
    }

    /// What has been found so far, for who asks.
    fn partial_map(&self, nonce: u64) -> Message {
        let log = self.log.take();
        let Log { finds, explored, doubtful } = log.clone();
        self.log.set(log);
        Message::new(Body::PartialMap { nonce, finds, explored, doubtful })
    }
}

impl Attendant for Answering<'_> {
    fn takes(&mut self, host: &dyn Host, received: Received) -> Disposition {
        let work = self.options.work;
        let is_mine = received.from == host.address();
        match &received.message.body {
            Body::HostProbe { .. } | Body::RouteTable { .. } | Body::MapRequest { .. } if !is_mine => {}
            _ => return Disposition::ForProcess(received),
        }
        self.others = Some(host.now());
        match &received.message.body {
            Body::MapRequest { nonce, back } => {
                let (route, message) = (back.clone(), self.partial_map(*nonce));
                Disposition::Answered(Reply { routes: None, work, route, message })
            }
            _ => Disposition::as_passive(&mut self.memory, host.name(), &received, work),
        }
    }

    fn patience(&self, now: Time) -> Option<Duration> {
        let has_others = self.others.is_some_and(|at| now.since(at) <= LATELY);
        has_others.then_some(self.options.patience)
    }

    fn counts(&mut self, kind: Kind) {
        if let Some(sent) = self.sent {
            let mut probes = sent.get();
            probes.sent(kind);
            sent.set(probes);
        }
    }
}

/// A Berkeley mapper that can begin from what others have found.
struct Explorer<'a> {
    brief: &'a Brief,
    log: &'a Cell<Log>,
    prober: Prober,
    model: Model,
    root: VertexId,
    /// This mapper's own vertices in the order of the log.
    own: Vec<VertexId>,
    frontier: VecDeque<VertexId>,
    /// Hosts in the order in which they were found, with the vertex and the port.
    hosts: Vec<(String, Place)>,
    findings: Findings,
    doubtful: bool,
}

impl<'a> Explorer<'a> {
    fn new(name: &str, brief: &'a Brief, log: &'a Cell<Log>) -> Explorer<'a> {
        let mut model = Model::new(Recognition::Afterwards { keep_merged: false });
        let root = model.host(name);
        let first = model.add_switch(Vec::new(), None);
        model.connect_answered(Place::entry(root), Place::entry(first));
        log.set(Log { explored: vec![false], ..Log::default() });
        Explorer {
            brief,
            log,
            prober: Prober::new(brief),
            model,
            root,
            own: vec![first],
            frontier: VecDeque::from([first]),
            hosts: Vec::new(),
            findings: Findings::default(),
            doubtful: false,
        }
    }

    /// Explores the switches up to `depth` turns away.
    async fn map_around(&mut self, host: &mut dyn Host, depth: usize) {
        while let Some(vertex) = self.next(Some(depth)) {
            if self.findings.explorations == self.brief.explorations {
                return;
            }
            self.explore(host, vertex).await;
        }
    }

    /// The next vertex to be explored, within a depth if one is given; the others stay where they are.
    fn next(&mut self, depth: Option<usize>) -> Option<VertexId> {
        while let Some(vertex) = self.frontier.front().copied() {
            let is_far = depth.is_some_and(|depth| self.model.route(vertex).len() > depth);
            if is_far {
                return None;
            }
            self.frontier.pop_front();
            if !self.model.is_explored(vertex) {
                return Some(vertex);
            }
        }
        None
    }

    /// EXPLORE for one vertex, along the shortest route to it that the model shows.
    async fn explore(&mut self, host: &mut dyn Host, vertex: VertexId) {
        let Some((mut turns, entry)) = self.model.route_to(self.root, vertex) else { return };
        self.findings.explorations += 1;
        self.model.set_explored(vertex);
        let mut sweep = Sweep::new(self.brief.ports, true, Order::Outwards);
        while let Some(turn) = sweep.next() {
            let place = Place { vertex, port: entry + i32::from(turn.0) };
            turns.push(turn);
            let response = self.prober.probe(host, &turns).await;
            turns.pop();
            self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
            sweep.note(turn, response != Response::Nothing);
            match response {
                Response::Host(name) => self.found(place, Some(name)),
                Response::Switch => self.found(place, None),
                Response::Nothing => self.model.deny(place, 1 + self.brief.retries),
            }
        }
        self.findings.note_memory(self.model.bytes(self.model.waiting()));
        self.model.merge();
        self.findings.history.push(self.model.growth(self.model.waiting()));
        self.change(|log, own, late| {
            if let Some(nth) = own.iter().position(|own| *own == vertex) {
                log.explored[nth] = true;
            }
            log.doubtful |= late;
        });
    }

    /// Changes what others get who ask.
    fn change(&self, change: impl FnOnce(&mut Log, &[VertexId], bool)) {
        let mut log = self.log.take();
        change(&mut log, &self.own, self.prober.evidence.late > 0);
        self.log.set(log);
    }

    /// Adds what this mapper itself has found out of a port.
    fn found(&mut self, place: Place, host: Option<String>) {
        let nth = self.own.iter().position(|own| *own == place.vertex);
        let far = self.add(place, host.as_deref());
        if host.is_none() {
            self.frontier.push_back(far);
        }
        // What is found from another's vertex is left out: who asks has asked that other.
        let Some(nth) = nth else { return };
        if host.is_none() {
            self.own.push(far);
        }
        let find = Find { vertex: nth, port: place.port, host };
        self.change(|log, _, _| {
            log.explored.extend(find.host.is_none().then_some(false));
            log.finds.push(find);
        });
    }

    /// Adds a host or a new switch behind a port to the model.
    fn add(&mut self, place: Place, host: Option<&str>) -> VertexId {
        let far = match host {
            Some(name) => {
                self.hosts.push((name.to_owned(), place));
                self.model.host(name)
            }
            None => {
                let mut route = self.model.route(place.vertex).to_vec();
                route.extend(i16::try_from(place.port).map(Turn));
                self.model.add_switch(route, Some(place))
            }
        };
        self.model.connect_answered(place, Place::entry(far));
        far
    }

    /// Asks the hosts on the map that were not asked yet for what they have found, but for those around which all
    /// is known.
    async fn gather(&mut self, host: &mut dyn Host, asked: &mut BTreeSet<String>) {
        let mut nth = 0;
        while let Some((name, place)) = self.hosts.get(nth).cloned() {
            nth += 1;
            if !self.model.is_settled(place.vertex)
                && asked.insert(name.clone())
                && let Some((turns, entry)) = self.model.route_to(self.root, place.vertex)
                && let Ok(last) = i16::try_from(place.port - entry)
            {
                let route: Vec<Turn> = turns.into_iter().chain([Turn(last)]).collect();
                if let Some((finds, explored, doubtful)) = self.ask(host, &route).await {
                    self.doubtful |= doubtful;
                    self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
                    self.merge(&name, &finds, &explored);
                }
            }
        }
    }

    /// Asks the host at the end of `route`.
    async fn ask(&mut self, host: &mut dyn Host, route: &[Turn]) -> Option<(Vec<Find>, Vec<bool>, bool)> {
        for _ in 0..=self.brief.retries {
            let nonce = self.prober.fresh();
            let request = Body::MapRequest { nonce, back: way_back(route) };
            host.send(route, Message::new(request)).await;
            let deadline = host.now() + self.prober.timeout * 4;
            while let Some(received) = host.recv(Some(deadline)).await {
                match received.message.body {
                    Body::PartialMap { nonce: n, finds, explored, doubtful } if n == nonce => {
                        return Some((finds, explored, doubtful));
                    }
                    _ => self.prober.evidence.late += 1,
                }
            }
        }
        None
    }

    /// Merges the partial map of the host called `name`. One that makes no sense is left out from there on.
    fn merge(&mut self, name: &str, finds: &[Find], explored: &[bool]) {
        if explored.is_empty() {
            return;
        }
        let root = self.model.host(name);
        let first = self.model.add_switch(Vec::new(), None);
        self.model.connect_answered(Place::entry(root), Place::entry(first));
        let mut theirs = vec![first];
        for find in finds {
            let Some(vertex) = theirs.get(find.vertex).copied() else { break };
            let far = self.add(Place { vertex, port: find.port }, find.host.as_deref());
            theirs.extend(find.host.is_none().then_some(far));
        }
        for (vertex, explored) in theirs.into_iter().zip(explored) {
            if *explored {
                self.model.set_explored(vertex);
            } else {
                self.frontier.push_back(vertex);
            }
        }
        self.model.merge();
    }

    fn finish(mut self, name: &str, time: Duration, given_up: Option<Doubt>) -> Map {
        self.model.merge();
        self.model.prune();
        let drawing = self.model.draw(&Plan::new(&format!("as mapped by {name}"), self.brief.ports));
        let doubts = &mut self.findings.doubts;
        doubts.extend(self.prober.evidence.doubts());
        doubts.extend(self.model.is_contradictory().then_some(Doubt::Contradiction));
        doubts.extend(given_up);
        doubts.extend(self.doubtful.then_some(Doubt::Loss));
        let map = confirmed(drawing, &self.model);
        self.findings.into_map(map, self.model.journal, self.prober.into_asked(), time)
    }
}
