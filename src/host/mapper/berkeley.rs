//! The Berkeley mapper: explores a tree of routes breadth first and merges what must be the same switch.
//!
//! # Scope and limitations
//! One master; all other hosts answer. Nothing else may load the network. Every host has one cable: a host
//! with several makes the mapper merge different ports, and the map says [`Doubt::Contradiction`]. The map
//! holds what hosts can tell apart: switches that a bridge between two switches parts from every host are
//! pruned or, where messages can pass a cable twice, shown if they lie on a cycle.
//!
//! # Source
//! Mainwaring et al. 1997, section 3.1 as changed by 3.3 ("towards the actual algorithm"). The reading that
//! reproduces its Fig. 6: the frontier is first in, first out; a vertex that was merged into an explored
//! switch meanwhile is skipped; all ports of an explored vertex are probed, those that another replicate of
//! it knows too; turns go outwards from the port of entry and change sides at each miss; ports that answer
//! bound the others to a window; replicates are merged after each switch. Departures:
//! - without a bound on depth the search ends when the frontier is empty (the paper's bound Q + D + 1 uses
//!   what the mapper cannot know); a limit on explorations makes it end on every network;
//! - a time-out grows by 2 us a turn, so that far hosts are not missed;
//! - "until(anyDeleted? = true)" of PRUNE and MERGE is meant as "= false", and turn 0 is never tried.
//!
//! # Validation
//! `tests/it/mapper.rs`: on a plain graph with circuit collisions the reconstructed NOW gives host hits,
//! switch hits and empty turns of 111/156/94 (C), 227/309/189 (C+A) and 337/707/452 (C+A+B) against the
//! paper's 107/157/93, 216/295/196 and 324/727/480: within 6 %. `tests/it/mapper_fabric.rs`: on the fabric,
//! whose buffers let a probe of 32 bytes pass a cable twice, 111/157/93, 227/310/188 and 337/716/438: within
//! 6 % but for the last figure, which is 8.8 % low; mapping times within 2 % of Fig. 7.
//! `tests/it/mapper_random.rs`: every map of thousands of random networks (parallel and looped cables, parts
//! without hosts) holds N - F, under packet and circuit routing and on the fabric.

use std::collections::{BTreeSet, VecDeque};

use super::model::{Model, Place, VertexId};
use super::probe::{Prober, Response};
use super::sweep::{Order, Sweep};
use super::{Brief, Doubt, Growth, Map};
use crate::host::Host;
use crate::ids::Turn;
use crate::units::Duration;

/// What the Berkeley mapper does at its own discretion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether answers bound the turns worth trying to a window of as many as a switch has ports.
    pub window: bool,
    /// The order of turns.
    pub order: Order,
    /// Whether ports that a replicate of the switch has found are left out, replicates being merged after
    /// each turn. It halves the host hits, which Fig. 6 refutes.
    pub skip_known: bool,
    /// The longest string of turns whose switch is still explored (`SearchDepth`); `None`: no bound.
    pub depth: Option<usize>,
    /// Whether branches that end in switches are taken away in the end. Under packet routing the whole network
    /// can be told, and theory's promise of N asks for no pruning.
    pub prune: bool,
}

impl Default for Options {
    /// The reading that reproduces Fig. 6.
    fn default() -> Options {
        Options { window: true, order: Order::Outwards, skip_known: false, depth: None, prune: true }
    }
}

/// Maps the network that `host` is cabled to. Costs at most `explorations` times 4 x (`ports` - 1) messages.
pub async fn map(host: &mut impl Host, brief: &Brief, options: &Options) -> Map {
    let began = host.now();
    let mut mapper = Mapper {
        brief,
        options,
        prober: Prober::new(brief),
        history: Vec::new(),
        model: Model::default(),
        frontier: VecDeque::new(),
        explorations: 0,
    };
    // INITIALIZATION: the mapper's own host, and the switch at the other end of its cable.
    let root = mapper.model.host(host.name());
    let first = mapper.model.add_switch(Vec::new());
    mapper.model.connect(Place { vertex: root, port: 0 }, Place { vertex: first, port: 0 });
    mapper.frontier.push_back(first);
    let mut unfinished = false;
    while let Some(vertex) = mapper.frontier.pop_front() {
        if mapper.model.is_explored(vertex) || !mapper.is_within_depth(vertex) {
            continue;
        }
        if mapper.explorations == brief.explorations {
            unfinished = true;
            break;
        }
        mapper.explore(host, vertex).await;
        mapper.model.merge();
    }
    if mapper.prober.turns.host_hits + mapper.prober.turns.switch_hits == 0 {
        mapper.look_behind_the_cable(host).await;
    }
    mapper.finish(host.name(), host.now().since(began), unfinished)
}

struct Mapper<'a> {
    brief: &'a Brief,
    options: &'a Options,
    prober: Prober,
    model: Model,
    frontier: VecDeque<VertexId>,
    explorations: u64,
    history: Vec<Growth>,
}

impl Mapper<'_> {
    fn is_within_depth(&self, vertex: VertexId) -> bool {
        self.options.depth.is_none_or(|depth| self.model.route(vertex).len() <= depth)
    }

    /// EXPLORE for one vertex: tries its turns and adds a vertex for each that answers.
    async fn explore(&mut self, host: &mut impl Host, vertex: VertexId) {
        self.explorations += 1;
        self.model.set_explored(vertex);
        let mut sweep = Sweep::new(self.brief.ports, self.options.window, self.options.order);
        let mut turns = self.model.route(vertex).to_vec();
        while let Some(turn) = sweep.next() {
            let place = Place { vertex, port: i32::from(turn.0) };
            let known = self.options.skip_known && self.model.is_known(place);
            turns.push(turn);
            let found = known || self.try_turn(host, place, &turns).await;
            turns.pop();
            sweep.note(turn, found);
            if self.options.skip_known {
                // The first host that is known already makes the ports of its switch known.
                self.model.merge();
            }
        }
    }

    /// Asks what is at the end of `turns`, out of the port `place`; says whether anything is.
    async fn try_turn(&mut self, host: &mut impl Host, place: Place, turns: &[Turn]) -> bool {
        let found = match self.prober.probe(host, turns).await {
            Response::Host(name) => self.model.host(&name),
            Response::Switch => {
                let vertex = self.model.add_switch(turns.to_vec());
                self.frontier.push_back(vertex);
                vertex
            }
            Response::Nothing => return false,
        };
        // A switch is entered at its own port 0, and a host has no other.
        self.model.connect(place, Place { vertex: found, port: 0 });
        true
    }

    /// Where no turn of the first switch answered, finds out whether it is a switch at all.
    ///
    /// # Source
    /// A departure: the paper takes it for granted that the mapper's cable leads to a switch.
    async fn look_behind_the_cable(&mut self, host: &mut impl Host) {
        let behind = self.prober.probe(host, &[]).await;
        if behind == Response::Switch {
            return;
        }
        self.model = Model::default();
        let root = self.model.host(host.name());
        if let Response::Host(name) = behind {
            let other = self.model.host(&name);
            self.model.connect(Place { vertex: root, port: 0 }, Place { vertex: other, port: 0 });
        }
    }

    fn finish(mut self, name: &str, time: Duration, unfinished: bool) -> Map {
        self.model.merge();
        if self.options.prune {
            self.model.prune();
        }
        let network = self.model.network(&format!("as mapped by {name}"), self.brief.ports);
        let mut doubts: BTreeSet<Doubt> = self.prober.evidence.doubts().collect();
        doubts.extend(self.model.is_contradictory().then_some(Doubt::Contradiction));
        doubts.extend(unfinished.then_some(Doubt::Unfinished));
        Map {
            network,
            probes: self.prober.probes,
            turns: self.prober.turns,
            explorations: self.explorations,
            time,
            doubts,
            evidence: self.prober.evidence,
            unconfirmed_links: BTreeSet::new(),
            unconfirmed_ports: BTreeSet::new(),
            history: self.history,
            peak_memory: 0,
        }
    }
}
