//! The guarded scouting mapper: a fast no, by a second message that cannot overtake the first.
//!
//! # Scope and limitations
//! One master; all other hosts answer. A host scout is answered or times out; only the questions "is there a
//! switch?" and "is it this one?" are guarded. What the guards rest on is hendriks2004's section 3: sends and
//! receives keep their order, cables are first in first out, few messages are lost. Where that fails, a no may
//! be false; a scout that comes after its guard is counted in [`Evidence::late`](super::Evidence::late).
//! Nothing is pruned: the map shows F, and on a quiet network is the whole of what the mapper can reach.
//!
//! ```text
//!   switch:      S  = T b 0 -b -T      G  = T 0 -T  right behind it      S first: yes; G first: no
//!   comparison:  S  = T X -U           G1 = T 0 -T  right behind it      S first: yes; G1: S is through
//!                                      G2 = U 0 -U  once G1 is back      S first: yes; G2 first: no
//!   neither comes back: wait, ask again
//! ```
//!
//! # Source
//! Hendriks 2004, *Fast Mapping on Myrinet Networks*, sections 3 to 5. What the paper leaves open:
//! - It changes how Myricom's mapper asks, not what. Exploration and the choice of comparisons follow the
//!   reading of that mapper which fits mainwaring1997, Fig. 10: frontier first in first out; hosts first; a
//!   known host identifies a switch; a switch without hosts is compared with those without hosts, the newest
//!   first, up to the first yes. Departures: a port that an identification has explained is not asked again,
//!   and the scan for hosts is not repeated at a new switch.
//! - A cable that leads back to its own switch is looked for before a switch is scanned: a long scout that goes
//!   round such a cable twice would meet its own tail.
//! - Several questions may go out in one burst with one guard behind them ([`Options::burst`]); with one at a
//!   time this exploration has as many noes as fit into the paper's 7 minutes at a millisecond each.
//! - Only scouts for switches are padded: a comparison's scout has left the input of port A when G1 enters
//!   it, however short it is. Short, it fits into the buffer of one port, so that it never blocks itself on
//!   its way through the wrong switches.
//! - "The mapper waits and retries": it waits twice as long each time, so that it outlasts the switches'
//!   time-out without knowing it. Where guards come late instead of not at all, it waits longer for the next.
//!
//! With [`Options::guards`] off this is the mapper that it improves on: the same questions in the same bursts,
//! and a no is a time-out.
//!
//! # Validation
//! `tests/running/processes/guarded.rs`: maps of thousands of random networks on the plain graph and on the fabric;
//! each of the paper's presumptions broken in turn; Pink.

mod questions;

use std::collections::VecDeque;

use super::findings::{Asked, Confirmed, Findings};
use super::model::{CONFIRMED, Far, Model, Place, Plan, Recognition, VertexId, turn};
use super::sweep::Sweep;
use super::{Brief, Doubt, Kind, Map, Turns};
use crate::host::{Costs, Host};
use simnet_base::ids::Turn;
use simnet_base::units::Duration;

use questions::Asker;

/// Which known switches an unknown one is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// Those without hosts, and only if the unknown one has none: hosts have been looked for on both.
    #[default]
    HostLess,
    /// All of them.
    All,
}

/// In which order known switches are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recency {
    /// The switch found last comes first.
    #[default]
    NewestFirst,
    /// The switch found first comes first.
    OldestFirst,
}

/// At which ports of a known switch an unknown one may turn out to have been entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Landing {
    /// At all that lie with its cabled ports within as many as a switch has, its port of entry excepted.
    #[default]
    Window,
    /// At those behind which some unidentified switch is known.
    Open,
}

/// What is looked for first at a switch that has not been identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// Switches: their noes are quick, and leave fewer turns at which a host may be waited for in vain.
    #[default]
    Switches,
    /// Hosts: the first that is known identifies the switch.
    Hosts,
}

/// What the guarded mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether guards follow the scouts; without, a no is a time-out.
    pub guards: bool,
    /// The least length of a scout for a switch with a guard behind it, in bytes: it must reach from the input
    /// to the output of the port where its guard turns round.
    pub scout: u32,
    /// The least length of a comparison's scout, in bytes.
    pub comparison: u32,
    /// How many questions go out before their guard, or before their time-out begins; 0 counts as 1.
    pub burst: u16,
    /// How often a no is asked again, in case that a scout was lost alone.
    pub confirm_no: u32,
    /// How often a question is asked again whose guard did not come back.
    pub guard_retries: u32,
    /// How long the mapper waits the first time that a guard did not come back; twice as long each time.
    pub back_off: Duration,
    /// What is looked for first.
    pub first: First,
    /// Which switches are compared.
    pub candidates: Candidates,
    /// In which order.
    pub recency: Recency,
    /// At which of their ports.
    pub landing: Landing,
}

impl Options {
    /// Guards behind single scouts, those for switches of 300 bytes, no confirmation; after a lost guard up to
    /// five more attempts within two seconds.
    pub const DEFAULT: Options = Options {
        guards: true,
        scout: 300,
        comparison: 32,
        burst: 1,
        confirm_no: 0,
        guard_retries: 5,
        back_off: Duration::from_ms(60),
        first: First::Switches,
        candidates: Candidates::HostLess,
        recency: Recency::NewestFirst,
        landing: Landing::Window,
    };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// What software of 2003 costs on a host of Pink.
///
/// # Source
/// Fitted, with [`Options::default`] and a time-out of 1 ms, to hendriks2004's 7 minutes and 15 seconds: of the
/// 420 s the 0.4 million noes leave no choice, and of the 15 s each of the 1.2 million messages has its sending
/// and each of the 0.8 million guards its way back. Sending and seeing together lie near GM's round trip on
/// such hosts, some 15 us. The reply's cost is a guess of little weight.
pub const COSTS_2003: Costs =
    Costs { send: Duration::from_us(2), reply: Duration::from_us(20), loopback: Duration::from_us(12) };

impl Options {
    /// The same without guards.
    pub fn timed() -> Options {
        Options { guards: false, ..Options::default() }
    }
}

/// An answer that the mapper goes by, for those who know the truth.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'r> {
    /// What was asked: [`Kind::Host`], [`Kind::Scout`], [`Kind::Loop`] or [`Kind::Compare`].
    pub kind: Kind,
    /// The route of the question.
    pub route: &'r [Turn],
    /// What the mapper took for the answer.
    pub yes: bool,
}

/// Is called with every answer that a mapper goes by; it changes nothing.
pub type Watch<'a> = dyn FnMut(Answer<'_>) + 'a;

/// Maps the network that `host` is cabled to. Costs at most `explorations` x 4 x `ports` messages, and one
/// for each port at which each switch may be compared with each.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    map_watched(host, brief, options, &mut |_| ()).await
}

/// The same, and `watch` is called with every answer that the mapper goes by.
pub async fn map_watched<'a>(
    host: &mut dyn Host,
    brief: &'a Brief,
    options: &'a Options,
    watch: &'a mut Watch<'a>,
) -> Map {
    let began = host.now();
    let mut mapper = Mapper::new(brief, options, watch);
    mapper.model.journal.begin(began);
    mapper.begin(host).await;
    while let Some(place) = mapper.next_open() {
        if mapper.findings.explorations >= brief.explorations {
            mapper.findings.doubts.insert(Doubt::Unfinished);
            break;
        }
        mapper.explore(host, place).await;
        if mapper.asker.gives_up() {
            mapper.findings.doubts.insert(Doubt::Unfinished);
            break;
        }
        let bytes = mapper.model.bytes(mapper.open.len() as u64);
        if brief.memory.is_some_and(|most| bytes > most) {
            mapper.findings.doubts.insert(Doubt::OutOfMemory);
            break;
        }
    }
    mapper.finish(host.name(), host.now().since(began))
}

struct Mapper<'a> {
    brief: &'a Brief,
    options: &'a Options,
    asker: Asker<'a>,
    model: Model,
    /// Ports behind which some switch answered, in order; some have been identified since.
    open: VecDeque<Place>,
    turns: Turns,
    findings: Findings,
}

/// What scans of a switch have shown, by the turn from its port of entry.
#[derive(Default)]
struct Scanned {
    hosts: Vec<(Turn, String)>,
    switches: Vec<Turn>,
    /// Turns at which no switch was found.
    others: Vec<Turn>,
}

impl<'a> Mapper<'a> {
    /// A mapper that has asked nothing.
    fn new(brief: &'a Brief, options: &'a Options, watch: &'a mut Watch<'a>) -> Mapper<'a> {
        Mapper {
            brief,
            options,
            asker: Asker::new(brief, options, watch),
            model: Model::new(Recognition::Before),
            open: VecDeque::new(),
            turns: Turns::default(),
            findings: Findings::default(),
        }
    }

    /// The mapper's own host, and what its cable leads to.
    async fn begin(&mut self, host: &mut dyn Host) {
        let name = host.name().to_owned();
        if self.asker.is_switch_at_hand(host).await {
            let first = self.model.add_switch(Vec::new(), None);
            self.note_host(&name, Some(Place::entry(first)));
            // Every answer comes through the mapper's own cable.
            self.model.credit_one(Place::entry(first));
            self.findings.explorations += 1;
            self.stamp(host);
            // No message along these turns comes back to the mapper, so none leads to a host in the model.
            let (scanned, _) = self.scan(host, &[]).await;
            let scanned = self.scan_on(host, &[], scanned).await;
            self.stamp(host);
            self.fill(first, scanned);
            return;
        }
        self.note_host(&name, None);
        for other in self.asker.hosts(host, &[Vec::new()], |_| true).await.into_iter().flatten() {
            self.stamp(host);
            self.note_host(&other, None);
        }
    }

    /// Gives the journal the time, and what was sent by now.
    fn stamp(&mut self, host: &dyn Host) {
        self.model.journal.stamp(host.now(), &self.asker.probes, &self.asker.evidence);
    }

    /// Finds out which switch lies behind a place; puts it in the model if it is none of those there.
    async fn explore(&mut self, host: &mut dyn Host, place: Place) {
        self.findings.explorations += 1;
        let route = self.model.route_out(place);
        if let Some(landing) = self.look_for_loop(host, place, &route).await {
            self.stamp(host);
            self.lay(place, landing);
            self.findings.note(&self.model, self.open.len());
            return;
        }
        let (scanned, mut landing) = self.scan(host, &route).await;
        let by_comparison = scanned.hosts.is_empty() || self.options.candidates == Candidates::All;
        if landing.is_none() && by_comparison {
            landing = self.compare(host, &route).await;
        }
        if let Some(landing) = landing {
            self.stamp(host);
            self.lay(place, landing);
            // Hosts that are not in the model belong there too: they had not answered before.
            for (at, name) in scanned.hosts {
                let port = landing.port + i32::from(at.0);
                self.note_host(&name, Some(Place { port, ..landing }));
            }
        } else {
            let scanned = self.scan_on(host, &route, scanned).await;
            self.stamp(host);
            let new = self.model.add_switch(route, Some(place));
            self.lay(place, Place::entry(new));
            self.fill(new, scanned);
        }
        self.findings.note(&self.model, self.open.len());
    }

    /// The port of its own switch into which a cable leads back, if it does.
    ///
    /// On the way round such a cable a long scout would meet its own tail.
    async fn look_for_loop(&mut self, host: &mut dyn Host, place: Place, route: &[Turn]) -> Option<Place> {
        let landings: Vec<i32> = self.open_ports(place.vertex).filter(|port| *port != place.port).collect();
        let via = self.model.route(place.vertex);
        for burst in landings.chunks(usize::from(self.options.burst.max(1))) {
            let turns: Vec<Turn> = burst.iter().map(|port| turn(-port)).collect();
            let hit = self.asker.compare(host, Kind::Loop, route, &turns, via).await;
            if let Some(hit) = hit {
                return Some(Place { port: -i32::from(hit.0), ..place });
            }
        }
        None
    }

    /// Scans the switch at the end of `route` as far as is needed to know whether it has hosts, or up to one
    /// that is in the model: then the place at which it was entered is known.
    async fn scan(&mut self, host: &mut dyn Host, route: &[Turn]) -> (Scanned, Option<Place>) {
        let mut scanned = Scanned::default();
        if self.options.first == First::Switches {
            self.scan_for_switches(host, route, &mut scanned).await;
        }
        let entered = self.scan_for_hosts(host, route, &mut scanned).await;
        (scanned, entered)
    }

    /// What [`Mapper::scan`] has left out of a switch that turned out to be new.
    async fn scan_on(&mut self, host: &mut dyn Host, route: &[Turn], mut scanned: Scanned) -> Scanned {
        if self.options.first == First::Hosts {
            self.scan_for_switches(host, route, &mut scanned).await;
        }
        scanned
    }

    async fn scan_for_hosts(
        &mut self,
        host: &mut dyn Host,
        route: &[Turn],
        scanned: &mut Scanned,
    ) -> Option<Place> {
        let mut sweep = Sweep::upwards_without(self.brief.ports, scanned.switches.iter().copied());
        loop {
            let turns = sweep.burst(self.options.burst);
            if turns.is_empty() {
                return None;
            }
            let routes: Vec<Vec<Turn>> = turns.iter().map(|turn| [route, &[*turn]].concat()).collect();
            let model = &self.model;
            let place_of = |name: &str| model.found_from(*model.hosts().get(name)?);
            let names = self.asker.hosts(host, &routes, |name| place_of(name).is_some()).await;
            let mut known = None;
            for (at, name) in turns.iter().zip(names) {
                let Some(name) = name else { continue };
                sweep.add_port(*at);
                self.turns.host_hits += 1;
                let entered = |place: Place| Place { port: place.port - i32::from(at.0), ..place };
                known = known.or_else(|| place_of(&name).map(entered));
                scanned.hosts.push((*at, name));
            }
            if known.is_some() {
                return known;
            }
        }
    }

    async fn scan_for_switches(&mut self, host: &mut dyn Host, route: &[Turn], scanned: &mut Scanned) {
        let mut sweep = Sweep::upwards_without(self.brief.ports, scanned.hosts.iter().map(|(turn, _)| *turn));
        loop {
            let turns = sweep.burst(self.options.burst);
            if turns.is_empty() {
                return;
            }
            let answers = self.asker.switches(host, route, &turns).await;
            for (at, yes) in turns.iter().zip(answers) {
                if yes {
                    sweep.add_port(*at);
                    self.turns.switch_hits += 1;
                    scanned.switches.push(*at);
                } else {
                    scanned.others.push(*at);
                }
            }
        }
    }

    /// The place at which `route` enters a switch of the model, as comparisons show.
    async fn compare(&mut self, host: &mut dyn Host, route: &[Turn]) -> Option<Place> {
        let mut switches: Vec<VertexId> = self.model.switches().collect();
        if self.options.recency == Recency::NewestFirst {
            switches.reverse();
        }
        for known in switches {
            if self.asker.gives_up() {
                return None;
            }
            let has_hosts = self.model.host_ports(known).next().is_some();
            if self.options.candidates == Candidates::HostLess && has_hosts {
                continue;
            }
            let landings = self.landings(known);
            for burst in landings.chunks(usize::from(self.options.burst.max(1))) {
                // Entered at port p, a message leaves by port 0 with turn -p.
                let turns: Vec<Turn> = burst.iter().map(|port| turn(-port)).collect();
                let via = self.model.route(known);
                if let Some(hit) = self.asker.compare(host, Kind::Compare, route, &turns, via).await {
                    return Some(Place { vertex: known, port: -i32::from(hit.0) });
                }
            }
        }
        None
    }

    /// The ports of a known switch at which it may have been entered unknowingly.
    fn landings(&self, known: VertexId) -> Vec<i32> {
        match self.options.landing {
            Landing::Window => {
                let (low, high) = self.model.extent(known).unwrap_or_default();
                let most = i32::from(self.brief.ports) - 1;
                (high - most..=low + most).filter(|port| *port != 0).collect()
            }
            Landing::Open => self.open_ports(known).collect(),
        }
    }

    /// The ports of a known switch behind which some switch answered that is not identified.
    fn open_ports(&self, known: VertexId) -> impl Iterator<Item = i32> + '_ {
        self.model.ports(known).filter(|(_, far)| *far == Far::Open).map(|(port, _)| port)
    }

    /// The next switch to be identified, by the place it lies behind.
    fn next_open(&mut self) -> Option<Place> {
        while let Some(place) = self.open.pop_front() {
            if self.model.far(place) == Far::Open {
                return Some(place);
            }
        }
        None
    }

    /// Notes that a host has answered, cabled to a port of a switch or to no switch.
    fn note_host(&mut self, name: &str, place: Option<Place>) {
        let known = self.model.hosts().get(name).copied();
        let host = known.unwrap_or_else(|| self.model.add_host(name, place));
        let end = Place::entry(host);
        self.model.credit_one(end);
        if self.model.found_from(host) != place {
            self.model.contradict();
        }
        let Some(place) = place else { return };
        match self.model.far(place) {
            Far::Nothing => self.model.connect(place, end, 0),
            Far::Cable(there) if there == end => {}
            Far::Cable(_) | Far::Open => self.model.contradict(),
        }
    }

    /// Lays a cable between two places, which a comparison or a loop scout has identified.
    fn lay(&mut self, a: Place, b: Place) {
        if [a, b].iter().any(|place| i16::try_from(place.port).is_err()) {
            // Only false answers lead so far from the port of entry.
            return self.model.contradict();
        }
        self.model.connect(a, b, CONFIRMED);
    }

    /// Adds what was found at a new switch to the model.
    fn fill(&mut self, new: VertexId, scanned: Scanned) {
        let place = |turn: Turn| Place { vertex: new, port: i32::from(turn.0) };
        for (at, name) in &scanned.hosts {
            self.note_host(name, Some(place(*at)));
        }
        for at in scanned.switches {
            if self.model.open(place(at)) {
                self.open.push_back(place(at));
            }
        }
        for at in scanned.others {
            if self.model.far(place(at)) == Far::Nothing {
                self.model.deny(place(at), 1);
                self.turns.nothing += 1;
            }
        }
    }

    fn finish(mut self, name: &str, time: Duration) -> Map {
        self.findings.note_memory(self.model.bytes(self.open.len() as u64));
        let mapper = self.model.host(name);
        let others = self.model.hosts().values().copied().filter(|host| *host != mapper);
        let hosts = std::iter::once(mapper).chain(others).collect();
        let title = format!("as mapped by {name}");
        let mut plan = Plan::new(&title, self.brief.ports);
        (plan.hosts, plan.open_ports) = (Some(hosts), true);
        let drawing = self.model.draw(&plan);
        let mut evidence = self.asker.evidence;
        evidence.recovered += self.model.recovered();
        self.findings.doubts.extend(evidence.doubts());
        self.findings.doubts.extend(self.model.is_contradictory().then_some(Doubt::Contradiction));
        let confirmed = if self.options.guards { self.options.confirm_no } else { self.brief.retries } > 0;
        let model = &self.model;
        let was_asked = |place| model.far(place) == Far::Nothing && model.noes(place) > 0;
        let map = Confirmed::new(
            drawing,
            |_, far| model.answers(far) < CONFIRMED,
            |_, place| !confirmed && was_asked(place),
        );
        let asked = Asked { probes: self.asker.probes, turns: self.turns, evidence };
        self.findings.into_map(map, self.model.journal, asked, time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_is_little_and_a_host_has_one_place() {
        // Wrong if the map claimed more certainty than it has, or if a host in two places went unnoticed.
        let (brief, options) = (Brief::default(), Options::default());
        let mut watch = |_: Answer<'_>| ();
        let mut mapper = Mapper::new(&brief, &options, &mut watch);
        let first = mapper.model.add_switch(Vec::new(), None);
        let place = |port| Place { vertex: first, port };
        for (name, port) in [("h", 0), ("g", 1), ("f", 3), ("h", 0), ("f", 3)] {
            mapper.note_host(name, Some(place(port)));
        }
        mapper.model.deny(place(4), 1);
        assert!(!mapper.model.is_contradictory());
        mapper.note_host("g", Some(place(5)));
        assert!(mapper.model.is_contradictory());
        mapper.lay(place(7), place(40_000));
        assert_eq!(mapper.model.far(place(7)), Far::Nothing, "no turn leads so far");
        let map = mapper.finish("h", Duration::ZERO);
        let names: Vec<&str> = map.network.hosts().iter().map(|host| host.name.as_str()).collect();
        assert_eq!((names, map.unconfirmed_ports.len()), (vec!["h", "f", "g"], 1));
        assert!(map.unconfirmed_links.is_empty(), "g has answered twice by now, in two places");
    }
}
