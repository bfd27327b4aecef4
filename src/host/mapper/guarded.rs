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
//! `tests/it/guarded.rs`: maps of thousands of random networks on the plain graph and on the fabric; each of
//! the paper's presumptions broken in turn; Pink.

mod questions;

use std::collections::BTreeSet;

use super::chart::{Behind, Chart, Place, turn};
use super::{Brief, Doubt, Growth, Kind, Map, Turns};
use crate::host::{Costs, Host};
use crate::ids::Turn;
use crate::units::Duration;

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

/// Is told every answer that a mapper goes by; it changes nothing.
pub type Watch<'a> = dyn FnMut(Answer<'_>) + 'a;

/// Maps the network that `host` is cabled to. Costs at most `explorations` x 4 x `ports` messages, and one
/// for each port at which each switch may be compared with each.
pub async fn map(host: &mut impl Host, brief: &Brief, options: &Options) -> Map {
    map_watched(host, brief, options, &mut |_| ()).await
}

/// The same, and `watch` is told every answer that the mapper goes by.
pub async fn map_watched<'a>(
    host: &mut impl Host,
    brief: &'a Brief,
    options: &'a Options,
    watch: &'a mut Watch<'a>,
) -> Map {
    let began = host.now();
    let mut mapper = Mapper {
        brief,
        options,
        asker: Asker::new(brief, options, watch),
        chart: Chart::default(),
        turns: Turns::default(),
        explorations: 0,
        history: Vec::new(),
        doubts: BTreeSet::new(),
    };
    mapper.chart.journal.begin(began);
    mapper.begin(host).await;
    while let Some(place) = mapper.chart.next_open() {
        if mapper.explorations >= brief.explorations {
            mapper.doubts.insert(Doubt::Unfinished);
            break;
        }
        mapper.explore(host, place).await;
        if mapper.asker.gives_up() {
            mapper.doubts.insert(Doubt::Unfinished);
            break;
        }
        let (bytes, _) = mapper.chart.bytes();
        if brief.memory.is_some_and(|most| bytes > most) {
            mapper.doubts.insert(Doubt::OutOfMemory);
            break;
        }
    }
    mapper.finish(host.name(), host.now().since(began))
}

struct Mapper<'a> {
    brief: &'a Brief,
    options: &'a Options,
    asker: Asker<'a>,
    chart: Chart,
    turns: Turns,
    explorations: u64,
    history: Vec<Growth>,
    doubts: BTreeSet<Doubt>,
}

/// What scans of a switch have shown, by the turn from its port of entry.
#[derive(Default)]
struct Scanned {
    hosts: Vec<(Turn, String)>,
    switches: Vec<Turn>,
    /// Turns at which no switch was found.
    others: Vec<Turn>,
}

impl Mapper<'_> {
    /// The mapper's own host, and what its cable leads to.
    async fn begin(&mut self, host: &mut impl Host) {
        let name = host.name().to_owned();
        if self.asker.is_switch_at_hand(host).await {
            let first = self.chart.add(Vec::new());
            self.chart.add_host(&name, Some(Place { switch: first, port: 0 }));
            self.explorations += 1;
            self.stamp(host);
            // No message along these turns comes back to the mapper, so none leads to a host on the chart.
            let (scanned, _) = self.scan(host, &[]).await;
            let scanned = self.scan_on(host, &[], scanned).await;
            self.stamp(host);
            self.fill(first, scanned);
            return;
        }
        self.chart.add_host(&name, None);
        for other in self.asker.hosts(host, &[Vec::new()], |_| true).await.into_iter().flatten() {
            self.stamp(host);
            self.chart.add_host(&other, None);
        }
    }

    /// Tells the journal the time, and what was sent by now.
    fn stamp(&mut self, host: &impl Host) {
        self.chart.journal.stamp(host.now(), &self.asker.probes, &self.asker.evidence);
    }

    /// Finds out which switch lies behind a place; puts it on the chart if it is none of those there.
    async fn explore(&mut self, host: &mut impl Host, place: Place) {
        self.explorations += 1;
        let route = self.chart.route_through(place);
        if let Some(landing) = self.look_for_loop(host, place, &route).await {
            self.stamp(host);
            self.chart.lay(place, landing);
            self.history.push(self.chart.growth());
            return;
        }
        let (scanned, mut landing) = self.scan(host, &route).await;
        let by_comparison = scanned.hosts.is_empty() || self.options.candidates == Candidates::All;
        if landing.is_none() && by_comparison {
            landing = self.compare(host, &route).await;
        }
        if let Some(landing) = landing {
            self.stamp(host);
            self.chart.lay(place, landing);
            // Hosts that are not on the chart belong there too: they had not answered before.
            for (at, name) in scanned.hosts {
                let port = landing.port + i32::from(at.0);
                self.chart.add_host(&name, Some(Place { port, ..landing }));
            }
        } else {
            let scanned = self.scan_on(host, &route, scanned).await;
            self.stamp(host);
            let new = self.chart.add(route);
            self.chart.lay(place, Place { switch: new, port: 0 });
            self.fill(new, scanned);
        }
        self.history.push(self.chart.growth());
    }

    /// The port of its own switch into which a cable leads back, if it does.
    ///
    /// On the way round such a cable a long scout would meet its own tail.
    async fn look_for_loop(&mut self, host: &mut impl Host, place: Place, route: &[Turn]) -> Option<Place> {
        let switch = &self.chart.switches[place.switch];
        let open = switch.ports.iter().filter(|(_, behind)| **behind == Behind::Open).map(|(port, _)| *port);
        let landings: Vec<i32> = open.filter(|port| *port != place.port).collect();
        for burst in landings.chunks(usize::from(self.options.burst.max(1))) {
            let turns: Vec<Turn> = burst.iter().map(|port| turn(-port)).collect();
            let hit = self.asker.compare(host, Kind::Loop, route, &turns, &switch.route).await;
            if let Some(hit) = hit {
                return Some(Place { port: -i32::from(hit.0), ..place });
            }
        }
        None
    }

    /// Scans the switch at the end of `route` as far as is needed to know whether it has hosts, or up to one
    /// that is on the chart: then the place at which it was entered is known.
    async fn scan(&mut self, host: &mut impl Host, route: &[Turn]) -> (Scanned, Option<Place>) {
        let mut scanned = Scanned::default();
        if self.options.first == First::Switches {
            self.scan_for_switches(host, route, &mut scanned).await;
        }
        let entered = self.scan_for_hosts(host, route, &mut scanned).await;
        (scanned, entered)
    }

    /// What [`Mapper::scan`] has left out of a switch that turned out to be new.
    async fn scan_on(&mut self, host: &mut impl Host, route: &[Turn], mut scanned: Scanned) -> Scanned {
        if self.options.first == First::Hosts {
            self.scan_for_switches(host, route, &mut scanned).await;
        }
        scanned
    }

    async fn scan_for_hosts(
        &mut self,
        host: &mut impl Host,
        route: &[Turn],
        scanned: &mut Scanned,
    ) -> Option<Place> {
        let mut sweep = Sweep::new(self.brief.ports, scanned.switches.iter().copied());
        loop {
            let turns = sweep.burst(self.options.burst);
            if turns.is_empty() {
                return None;
            }
            let routes: Vec<Vec<Turn>> = turns.iter().map(|turn| [route, &[*turn]].concat()).collect();
            let chart = &self.chart;
            let names = self.asker.hosts(host, &routes, |name| chart.place_of(name).is_some()).await;
            let mut known = None;
            for (at, name) in turns.iter().zip(names) {
                let Some(name) = name else { continue };
                sweep.note(*at);
                self.turns.host_hits += 1;
                let entered = |place: Place| Place { port: place.port - i32::from(at.0), ..place };
                known = known.or(self.chart.place_of(&name).map(entered));
                scanned.hosts.push((*at, name));
            }
            if known.is_some() {
                return known;
            }
        }
    }

    async fn scan_for_switches(&mut self, host: &mut impl Host, route: &[Turn], scanned: &mut Scanned) {
        let mut sweep = Sweep::new(self.brief.ports, scanned.hosts.iter().map(|(turn, _)| *turn));
        loop {
            let turns = sweep.burst(self.options.burst);
            if turns.is_empty() {
                return;
            }
            let answers = self.asker.switches(host, route, &turns).await;
            for (at, yes) in turns.iter().zip(answers) {
                if yes {
                    sweep.note(*at);
                    self.turns.switch_hits += 1;
                    scanned.switches.push(*at);
                } else {
                    scanned.others.push(*at);
                }
            }
        }
    }

    /// The place at which `route` enters a switch of the chart, as comparisons tell.
    async fn compare(&mut self, host: &mut impl Host, route: &[Turn]) -> Option<Place> {
        let count = self.chart.switches.len();
        for nth in 0..count {
            if self.asker.gives_up() {
                return None;
            }
            let known = match self.options.recency {
                Recency::NewestFirst => count - 1 - nth,
                Recency::OldestFirst => nth,
            };
            if self.options.candidates == Candidates::HostLess && self.chart.switches[known].has_hosts {
                continue;
            }
            let landings = self.landings(known);
            for burst in landings.chunks(usize::from(self.options.burst.max(1))) {
                // Entered at port p, a message leaves by port 0 with turn -p.
                let turns: Vec<Turn> = burst.iter().map(|port| turn(-port)).collect();
                let via = &self.chart.switches[known].route;
                if let Some(hit) = self.asker.compare(host, Kind::Compare, route, &turns, via).await {
                    return Some(Place { switch: known, port: -i32::from(hit.0) });
                }
            }
        }
        None
    }

    /// The ports of a known switch at which it may have been entered unknowingly.
    fn landings(&self, known: usize) -> Vec<i32> {
        let switch = &self.chart.switches[known];
        match self.options.landing {
            Landing::Window => {
                let (low, high) = switch.window(self.brief.ports);
                (low..=high).filter(|port| *port != 0).collect()
            }
            Landing::Open => {
                let open = switch.ports.iter().filter(|(_, behind)| **behind == Behind::Open);
                open.map(|(port, _)| *port).collect()
            }
        }
    }

    /// Puts what was found at a new switch on the chart.
    fn fill(&mut self, new: usize, scanned: Scanned) {
        let place = |turn: Turn| Place { switch: new, port: i32::from(turn.0) };
        for (at, name) in &scanned.hosts {
            self.chart.add_host(name, Some(place(*at)));
        }
        for at in scanned.switches {
            self.chart.add_open(place(at));
        }
        for at in scanned.others {
            self.turns.nothing += u64::from(self.chart.add_nothing(place(at)));
        }
    }

    fn finish(mut self, name: &str, time: Duration) -> Map {
        let drawn = self.chart.network(&format!("as mapped by {name}"), name, self.brief.ports);
        let mut evidence = self.asker.evidence;
        evidence.recovered += self.chart.recovered;
        self.doubts.extend(evidence.doubts());
        self.doubts.extend(self.chart.contradiction.then_some(Doubt::Contradiction));
        let confirmed = if self.options.guards { self.options.confirm_no } else { self.brief.retries } > 0;
        Map {
            network: drawn.network,
            journal: self.chart.journal.clone().finish(time, &self.asker.probes, &self.doubts),
            probes: self.asker.probes,
            turns: self.turns,
            explorations: self.explorations,
            time,
            doubts: self.doubts,
            evidence,
            unconfirmed_links: drawn.once.into_iter().collect(),
            unconfirmed_ports: drawn.empty.into_iter().filter(|_| !confirmed).collect(),
            history: self.history,
            peak_memory: self.chart.bytes().1,
        }
    }
}

/// The turns at one switch still to try, outwards from the port of entry on both sides, within the window that
/// known ports leave.
struct Sweep {
    ports: i32,
    /// Turns not yet handed out, the next one last.
    left: Vec<i32>,
    known: (i32, i32),
}

impl Sweep {
    /// Turns at a switch of `ports` ports of which some are known to be cabled.
    fn new(ports: u16, cabled: impl IntoIterator<Item = Turn>) -> Sweep {
        let ports = i32::from(ports);
        let mut sweep = Sweep { ports, left: Vec::new(), known: (0, 0) };
        let cabled: BTreeSet<i32> = cabled.into_iter().map(|turn| i32::from(turn.0)).collect();
        for port in &cabled {
            sweep.note(turn(*port));
        }
        sweep.left = (1..ports).rev().flat_map(|out| [-out, out]).collect();
        sweep.left.retain(|port| !cabled.contains(port));
        sweep
    }

    /// The next turns worth trying, at most `most`.
    fn burst(&mut self, most: u16) -> Vec<Turn> {
        let mut burst = Vec::new();
        while burst.len() < usize::from(most.max(1)) {
            let Some(next) = self.left.pop() else { break };
            if next - self.known.0 < self.ports && self.known.1 - next < self.ports {
                burst.push(turn(next));
            }
        }
        burst
    }

    /// Notes that a turn leads to something.
    fn note(&mut self, turn: Turn) {
        let turn = i32::from(turn.0);
        self.known = (self.known.0.min(turn), self.known.1.max(turn));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_go_outwards_within_the_window() {
        // Wrong if a turn that can be a port were left out, or one that cannot were tried.
        let tried = |cabled: &[i16], hits: &[i16], most: u16| {
            let mut sweep = Sweep::new(4, cabled.iter().copied().map(Turn));
            let mut all = Vec::new();
            loop {
                let burst = sweep.burst(most);
                if burst.is_empty() {
                    return all;
                }
                burst.iter().filter(|turn| hits.contains(&turn.0)).for_each(|turn| sweep.note(*turn));
                all.extend(burst.iter().map(|turn| turn.0));
            }
        };
        assert_eq!(tried(&[], &[], 1), [1, -1, 2, -2, 3, -3]);
        assert_eq!(tried(&[], &[1, 2], 1), [1, -1, 2, 3], "-2 lies 4 from 2");
        assert_eq!(tried(&[], &[1, 2], 8), [1, -1, 2, -2, 3, -3], "a burst knows nothing of its own answers");
        assert_eq!(tried(&[-2], &[], 0), [1, -1, -3], "2 lies 4 from -2");
    }
}
