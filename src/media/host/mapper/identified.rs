//! The mapper for switches that identify themselves: one question a port.
//!
//! # Scope and limitations
//! It assumes switches that write their own number and the port of entry into every message that enters them
//! ([`Hardware::stamps`](crate::host::Hardware::stamps)): a change of the switches. Where they do not, the map
//! shows no more than the mapper's own switch and says [`Doubt::Unstamped`]. Nothing is pruned: the map shows
//! all that can be reached.
//!
//! # Source
//! Mainwaring et al. 1997, section 6: "if a probe made it to a switch and back, it would carry a unique
//! identifier and the exploration process would be simpler". The rest is our choice: breadth first; each port
//! whose cable is not known is asked for a host, then for a switch ([`Options::one_message`]: for both at once,
//! where hosts read what reaches them too soon). A switch's stamp names it and the port of entry, so that a
//! cable is known from both ends at once, and of every port it is known whether it exists.
//!
//! # Validation
//! `tests/media/properties/mapper_future.rs`: maps of thousands of random networks are all of N; probes on the
//! reconstructed NOW compared with those of the other mappers.

use std::collections::{BTreeMap, VecDeque};

use super::findings::Findings;
use super::model::{Far, Model, Place, VertexId};
use super::myricom::finish;
use super::probe::there_and_back;
use super::{Brief, Doubt, Kind, Map, Prober};
use crate::host::{Host, Stamp};
use simnet_base::ids::Turn;

/// What this mapper does at its own discretion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether a port is asked for a host and for a switch by one message, which comes back from a switch and is
    /// read too soon by a host. It needs [`Hardware::reads_early`](crate::host::Hardware::reads_early).
    pub one_message: bool,
}

/// Maps the network that `host` is cabled to. Costs at most two messages for each port of each switch.
pub async fn map(host: &mut dyn Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    let mut mapper = Mapper {
        brief,
        options,
        prober: Prober::new(brief),
        model: Model::without_replicates(host.name()),
        known: BTreeMap::new(),
        entries: BTreeMap::new(),
        frontier: VecDeque::new(),
        findings: Findings::default(),
    };
    mapper.model.journal.begin(began);
    mapper.begin(host).await;
    while let Some(switch) = mapper.frontier.pop_front() {
        if mapper.findings.explorations >= brief.explorations {
            mapper.findings.doubts.insert(Doubt::Unfinished);
            break;
        }
        mapper.explore(host, switch).await;
        if brief.memory.is_some_and(|memory| mapper.findings.peak_memory > memory) {
            mapper.findings.doubts.insert(Doubt::OutOfMemory);
            break;
        }
    }
    finish(mapper.findings, host.name(), mapper.model, mapper.prober, brief, host.now().since(began))
}

struct Mapper<'a> {
    brief: &'a Brief,
    options: &'a Options,
    prober: Prober,
    model: Model,
    /// The switches by the numbers that they stamp.
    known: BTreeMap<u64, VertexId>,
    /// Per switch: its number, and the port at which it was entered first, which the model counts from.
    entries: BTreeMap<VertexId, Stamp>,
    frontier: VecDeque<VertexId>,
    findings: Findings,
}

/// What answered at the end of a port's cable.
enum Answer {
    Host(String),
    /// A switch, with its stamp if it has one.
    Switch(Option<Stamp>),
}

impl Mapper<'_> {
    /// Finds out what is behind the mapper's own cable.
    async fn begin(&mut self, host: &mut dyn Host) {
        let answer = self.prober.stamps_of(host, Kind::Switch, &[Turn(0)]).await;
        self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
        match answer {
            Some(stamps) => match stamps.first() {
                Some(stamp) => self.enter(None, Vec::new(), *stamp),
                None => {
                    self.findings.doubts.insert(Doubt::Unstamped);
                    self.model.enter(None, Vec::new());
                }
            },
            None => {
                if let Some(name) = self.prober.host_at(host, &[]).await {
                    self.model.face_host(&name);
                }
            }
        }
    }

    /// Adds a switch that was not known.
    fn enter(&mut self, from: Option<Place>, route: Vec<Turn>, stamp: Stamp) {
        let switch = self.model.enter(from, route);
        self.known.insert(stamp.switch, switch);
        self.entries.insert(switch, stamp);
        self.frontier.push_back(switch);
    }

    /// Asks all ports of a switch that are not known yet.
    async fn explore(&mut self, host: &mut dyn Host, switch: VertexId) {
        self.findings.explorations += 1;
        let entry = i32::from(self.entries[&switch].port);
        for port in (-entry..i32::from(self.brief.ports) - entry).filter(|port| *port != 0) {
            let at = Place { vertex: switch, port };
            if i16::try_from(port).is_err() || matches!(self.model.far(at), Far::Cable(_)) {
                continue;
            }
            let route = self.model.route_out(at);
            let answer = self.ask(host, switch, &route).await;
            self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
            match answer {
                Some(Answer::Host(name)) => {
                    self.prober.turns.host_hits += 1;
                    self.model.place_host(at, &name);
                    self.model.credit(at);
                }
                Some(Answer::Switch(stamp)) => {
                    self.prober.turns.switch_hits += 1;
                    self.model.credit(at);
                    self.meet(at, route, stamp);
                }
                None => self.prober.turns.nothing += 1,
            }
        }
        self.model.set_surveyed(switch);
        self.findings.note(&self.model, self.frontier.len());
    }

    /// Lays the cable from a port to the switch that answered there.
    fn meet(&mut self, at: Place, route: Vec<Turn>, stamp: Option<Stamp>) {
        let Some(stamp) = stamp else {
            self.findings.doubts.insert(Doubt::Unstamped);
            self.model.open(at);
            return;
        };
        match self.known.get(&stamp.switch) {
            Some(switch) => {
                let port = i32::from(stamp.port) - i32::from(self.entries[switch].port);
                self.model.connect_free(at, Place { vertex: *switch, port });
            }
            None => self.enter(Some(at), route, stamp),
        }
    }

    /// Asks what is at the end of `route`, whose last turn is taken at `switch`.
    async fn ask(&mut self, host: &mut dyn Host, switch: VertexId, route: &[Turn]) -> Option<Answer> {
        let round = there_and_back(route);
        if !self.options.one_message {
            if let Some((name, stamps)) = self.prober.stamped_host_at(host, route).await {
                // The answer enters the host's own switch first.
                let is_from_elsewhere =
                    stamps.first().is_some_and(|stamp| stamp.switch != self.entries[&switch].switch);
                if is_from_elsewhere {
                    self.model.contradict();
                }
                return Some(Answer::Host(name));
            }
            let stamps = self.prober.stamps_of(host, Kind::Switch, &round).await?;
            return Some(Answer::Switch(stamps.get(route.len()).copied()));
        }
        let (name, used, stamps) = self.prober.first_host(host, &round).await?;
        if used == route.len() {
            return Some(Answer::Host(name));
        }
        Some(Answer::Switch(stamps.get(route.len()).copied())).filter(|_| used == round.len())
    }
}
