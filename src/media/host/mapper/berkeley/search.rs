//! The search itself: explore, merge, look again, draw the map.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Merging, Options, SecondLook};
use crate::host::Host;
use crate::host::mapper::findings::{Confirmed, Findings};
use crate::host::mapper::model::{CONFIRMED, Drawing, Model, Place, Plan, Recognition, VertexId};
use crate::host::mapper::probe::{Prober, Response};
use crate::host::mapper::sweep::Sweep;
use crate::host::mapper::{Brief, Doubt, Map};
use simnet_base::des::random::Stream;
use simnet_base::ids::{Node, Turn};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::{End, Network, isomorphism};

/// How often a question is repeated for want of trust, and how often everything is looked at again.
const PATIENCE: u32 = 3;

/// After how many controls lost the mapper no longer waits: the network is too busy, and the map will be doubted.
const MOST_LOST: u64 = 20;

/// Depth-first branches mixed into the breadth-first search.
#[derive(Debug)]
pub(crate) struct Branches {
    /// After how many explorations in a row that found no new host a branch is grown.
    pub(crate) after: u64,
    /// The most turns of a branch.
    pub(crate) length: usize,
    /// The most turns tried at each of its switches.
    pub(crate) tries: u32,
    /// Which turns.
    pub(crate) random: Stream,
}

/// A search under way.
pub(crate) struct Search<'a> {
    brief: &'a Brief,
    options: &'a Options,
    branches: Option<Branches>,
    prober: Prober,
    model: Model,
    frontier: VecDeque<VertexId>,
    findings: Findings,
    /// The questions that brought nothing, and the places that they asked about.
    noes: BTreeMap<Vec<Turn>, Place>,
    /// What turns tried on branches found, by vertex: they are not tried again when it is explored.
    tried: BTreeMap<VertexId, BTreeMap<Turn, bool>>,
    /// How long the round trip to a switch took.
    round_trips: BTreeMap<Vec<Turn>, Duration>,
    /// By how many picoseconds the cable at a place made a round trip longer than that to its switch.
    added: Vec<(Place, i64)>,
    hosts_seen: usize,
    /// Explorations since a new host was seen.
    without_host: u64,
    /// Whether the last look at everything brought nothing new and no reason for doubt.
    settled: bool,
}

impl<'a> Search<'a> {
    /// A search that has asked nothing.
    pub(crate) fn new(brief: &'a Brief, options: &'a Options, branches: Option<Branches>) -> Search<'a> {
        Search {
            brief,
            options,
            branches,
            prober: Prober::new(brief),
            model: Model::new(Recognition::Afterwards { keep_merged: options.keep_merged }),
            frontier: VecDeque::new(),
            findings: Findings::default(),
            noes: BTreeMap::new(),
            tried: BTreeMap::new(),
            round_trips: BTreeMap::new(),
            added: Vec::new(),
            hosts_seen: 1,
            without_host: 0,
            settled: false,
        }
    }

    /// Maps the network.
    pub(crate) async fn run(mut self, host: &mut dyn Host) -> Map {
        let began = host.now();
        self.model.journal.begin(began);
        // INITIALIZATION: the mapper's own host, and the switch at the other end of its cable.
        let root = self.model.host(host.name());
        let cable = Place::entry(root);
        let first = self.model.add_switch(Vec::new(), Some(cable));
        self.model.connect_answered(cable, Place::entry(first));
        self.wait(first);
        self.explore_all(host).await;
        if self.prober.turns.host_hits + self.prober.turns.switch_hits == 0 {
            let is_switch = look_behind_the_cable(host, &mut self.prober, &mut self.model).await;
            if !is_switch {
                self.noes.clear();
            }
        }
        for _ in 0..PATIENCE {
            let in_doubt = self.prober.evidence.doubts().next().is_some() || self.model.is_contradictory();
            let wanted = match self.options.second_look {
                SecondLook::Never => false,
                SecondLook::InDoubt => in_doubt,
                SecondLook::Always => true,
            };
            if !wanted || self.settled || !self.findings.doubts.is_empty() {
                break;
            }
            self.look_again(host).await;
        }
        self.finish(host, began)
    }

    /// EXPLORE and MERGE, until the frontier is empty or a limit is reached.
    async fn explore_all(&mut self, host: &mut dyn Host) {
        while let Some(vertex) = self.frontier.pop_front() {
            self.model.set_waiting(vertex, false);
            self.findings.popped += 1;
            if self.model.is_explored(vertex) || !self.is_within_depth(vertex) {
                continue;
            }
            if self.findings.explorations == self.brief.explorations {
                self.findings.doubts.insert(Doubt::Unfinished);
                return;
            }
            self.explore(host, vertex).await;
            self.model.merge();
            self.take_late_answers();
            self.findings.history.push(self.model.growth(self.model.waiting()));
            if self.is_out_of_memory() {
                return;
            }
            self.grow_a_branch(host).await;
        }
    }

    /// Puts a vertex on the frontier.
    fn wait(&mut self, vertex: VertexId) {
        self.frontier.push_back(vertex);
        self.model.set_waiting(vertex, true);
    }

    fn is_within_depth(&self, vertex: VertexId) -> bool {
        self.options.depth.is_none_or(|depth| self.model.route(vertex).len() <= depth)
    }

    fn is_out_of_memory(&mut self) -> bool {
        let bytes = self.model.bytes(self.model.waiting());
        self.findings.note_memory(bytes);
        if self.brief.memory.is_some_and(|most| bytes > most) {
            self.findings.doubts.insert(Doubt::OutOfMemory);
        }
        self.findings.doubts.contains(&Doubt::OutOfMemory)
    }

    /// EXPLORE for one vertex: tries its turns and adds a vertex for each that answers.
    async fn explore(&mut self, host: &mut dyn Host, vertex: VertexId) {
        self.findings.explorations += 1;
        self.without_host += 1;
        self.model.set_explored(vertex);
        let already = self.tried.remove(&vertex).unwrap_or_default();
        let mut sweep = Sweep::new(self.brief.ports, self.options.window, self.options.order);
        let mut turns = self.model.route(vertex).to_vec();
        while let Some(turn) = sweep.next() {
            let place = Place { vertex, port: i32::from(turn.0) };
            let found = if let Some(found) = already.get(&turn) {
                *found
            } else if self.options.skip_known && self.model.is_known(place) {
                true
            } else {
                turns.push(turn);
                let found = self.try_turn(host, place, &turns).await;
                turns.pop();
                found.is_some()
            };
            sweep.note(turn, found);
            if self.options.merging == Merging::EachTurn {
                // The first host that is known already makes the ports of its switch known.
                self.model.merge();
            }
            if self.is_out_of_memory() {
                return;
            }
        }
    }

    /// Asks what is at the end of `turns`, out of the port `place`; the vertex that it found, if any.
    async fn try_turn(&mut self, host: &mut dyn Host, place: Place, turns: &[Turn]) -> Option<VertexId> {
        let mut response = self.prober.probe(host, turns).await;
        let (_, parent) = turns.split_last()?;
        for _ in 0..PATIENCE {
            let hopeless = self.prober.evidence.lost_guards >= MOST_LOST;
            if response != Response::Nothing || !self.options.control || hopeless {
                break;
            }
            let took = self.round_trips.get(parent).copied();
            if self.prober.control(host, parent, took).await {
                break;
            }
            host.sleep(self.options.pause).await;
            response = self.prober.probe(host, turns).await;
        }
        self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
        if response == Response::Nothing {
            self.model.deny(place, 1 + self.prober.retries);
            self.noes.insert(turns.to_vec(), place);
            return None;
        }
        if response == Response::Switch {
            self.note_time(place, turns);
        }
        Some(self.take(place, turns, &response))
    }

    /// Adds what an answer showed to the model.
    fn take(&mut self, place: Place, turns: &[Turn], response: &Response) -> VertexId {
        let found = if let Response::Host(name) = response {
            self.model.host(name)
        } else {
            let vertex = self.model.add_switch(turns.to_vec(), Some(place));
            self.wait(vertex);
            vertex
        };
        // A switch is entered at its own port 0, and a host has no other.
        self.model.connect_answered(place, Place::entry(found));
        let hosts = self.model.hosts().len();
        if hosts > self.hosts_seen {
            (self.hosts_seen, self.without_host) = (hosts, 0);
        }
        found
    }

    /// Notes how long the round trip to a switch took, and how much of that the last cable added.
    fn note_time(&mut self, place: Place, turns: &[Turn]) {
        let took = self.prober.round_trip;
        self.round_trips.insert(turns.to_vec(), took);
        let before = turns.split_last().and_then(|(_, parent)| self.round_trips.get(parent));
        self.added.extend(before.map(|before| (place, longer_by(took, *before))));
    }

    /// Takes what answers say that came after their time-out: the noes were wrong.
    fn take_late_answers(&mut self) {
        for (turns, response) in self.prober.take_late() {
            if let Some(place) = self.noes.remove(&turns) {
                self.take(place, &turns, &response);
            }
        }
        self.model.merge();
    }

    /// Where the last explorations found no new host, tries one route deeper and deeper until it meets one.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 6.
    async fn grow_a_branch(&mut self, host: &mut dyn Host) {
        let Some(branches) = self.branches.as_mut().filter(|branches| self.without_host >= branches.after)
        else {
            return;
        };
        if self.frontier.is_empty() {
            return;
        }
        let (length, tries) = (branches.length, branches.tries);
        let nth = branches.random.below(self.frontier.len() as u64);
        let mut vertex = self.frontier[usize::try_from(nth).expect("below a length")];
        self.without_host = 0;
        for _ in 0..length {
            if self.model.is_explored(vertex) || !self.is_within_depth(vertex) {
                break;
            }
            match self.step(host, vertex, tries).await {
                Some(next) if !self.model.is_host(next) => vertex = next,
                _ => break,
            }
        }
        self.model.merge();
    }

    /// Tries random turns at a vertex until one leads on.
    async fn step(&mut self, host: &mut dyn Host, vertex: VertexId, tries: u32) -> Option<VertexId> {
        let span = u64::from(self.brief.ports.saturating_sub(1));
        for _ in 0..tries {
            let random = &mut self.branches.as_mut()?.random;
            let drawn = i16::try_from(random.below((2 * span).max(1))).ok()?;
            let most = i16::try_from(span).ok()?;
            let turn = Turn(if drawn < most { drawn - most } else { drawn - most + 1 });
            let place = Place { vertex, port: i32::from(turn.0) };
            let tried = self.tried.get(&vertex).is_some_and(|tried| tried.contains_key(&turn));
            if tried || !self.model.may_be_port(place, self.brief.ports) {
                continue;
            }
            let mut turns = self.model.route(vertex).to_vec();
            turns.push(turn);
            let found = self.try_turn(host, place, &turns).await;
            self.tried.entry(vertex).or_default().insert(turn, found.is_some());
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Asks again whatever brought nothing, and whatever a single answer speaks for; explores what is new.
    async fn look_again(&mut self, host: &mut dyn Host) {
        host.sleep(self.options.pause).await;
        let before = std::mem::take(&mut self.prober.evidence);
        let (sizes, counts) = (self.model.growth(self.model.waiting()), self.prober.turns);
        let mut news = false;
        for (turns, place) in self.noes.clone() {
            if self.model.is_known(place) || !self.model.may_be_port(place, self.brief.ports) {
                continue;
            }
            if self.try_turn(host, place, &turns).await.is_some() {
                self.noes.remove(&turns);
                self.prober.evidence.recovered += 1;
                news = true;
            }
        }
        for (turns, place) in self.model.once_seen() {
            match self.prober.probe(host, &turns).await {
                Response::Nothing => self.prober.evidence.recovered += 1,
                _ => self.model.credit(place),
            }
        }
        // Fig. 6 counts what the search tried.
        self.prober.turns = counts;
        self.take_late_answers();
        self.explore_all(host).await;
        self.settled = !news
            && self.model.growth(self.model.waiting()) == sizes
            && self.prober.evidence.doubts().next().is_none()
            && !self.model.is_contradictory();
        self.prober.evidence.add(before);
    }

    fn finish(mut self, host: &dyn Host, began: Time) -> Map {
        let time = host.now().since(began);
        self.model.journal.stamp(host.now(), &self.prober.probes, &self.prober.evidence);
        self.model.merge();
        self.compare_times();
        if self.options.prune {
            self.model.prune();
        }
        // A bound on depth may have left switches out that nothing has merged with explored ones.
        let unfinished = self.options.depth.is_some() && self.model.is_unexplored();
        self.findings.doubts.extend(unfinished.then_some(Doubt::Unfinished));
        let name = format!("as mapped by {}", host.name());
        let drawing = self.model.draw(&Plan::new(&name, self.brief.ports));
        self.findings.doubts.extend(self.model.is_contradictory().then_some(Doubt::Contradiction));
        // A second look without a sign of others dispels doubts, but not where messages were held up so long that
        // what they hid may still be hidden.
        let evidence = &self.prober.evidence;
        if !self.settled || evidence.late + evidence.lost_guards > 0 {
            self.findings.doubts.extend(evidence.doubts());
        }
        self.prober.evidence.hidden = hidden(&drawing.network, host.name(), &drawing.pruned);
        let map = confirmed(drawing, &self.model);
        self.findings.into_map(map, self.model.journal, self.prober.into_asked(), time)
    }

    /// Compares the times that each cable added to the round trips that ended with it.
    fn compare_times(&mut self) {
        for (place, more) in std::mem::take(&mut self.added) {
            let cable = self.model.cable_at(place);
            self.prober.evidence.added(cable, more);
        }
    }
}

/// Where no turn of the first switch answered, finds out whether it is a switch at all; if not, the model shows what it
/// is instead.
///
/// # Source
/// A departure: the paper takes it for granted that the mapper's cable leads to a switch.
pub(crate) async fn look_behind_the_cable(
    host: &mut dyn Host,
    prober: &mut Prober,
    model: &mut Model,
) -> bool {
    let behind = prober.probe(host, &[]).await;
    if behind == Response::Switch {
        return true;
    }
    model.journal.stamp(host.now(), &prober.probes, &prober.evidence);
    model.forget();
    let mapper = model.host(host.name());
    if let Response::Host(name) = behind {
        let other = model.host(&name);
        model.connect_answered(Place::entry(mapper), Place::entry(other));
    }
    false
}

/// By how many picoseconds the first span is longer.
fn longer_by(one: Duration, other: Duration) -> i64 {
    let ps = |span: Duration| i64::try_from(span.as_ps()).unwrap_or(i64::MAX);
    ps(one).saturating_sub(ps(other))
}

/// What of a drawing rests on one answer: cables over which one came, ports taken for empty on one probe or none.
pub(crate) fn confirmed(drawing: Drawing, model: &Model) -> Confirmed {
    let pruned = drawing.pruned.clone();
    let is_empty = |place| model.peer(place).is_none() && model.noes(place) < CONFIRMED;
    Confirmed::new(
        drawing,
        |near, _| model.answers(near) < CONFIRMED,
        |end, place| is_empty(place) && !pruned.contains(&end),
    )
}

/// The ports of a map behind which there is something that it may not show as it is: what was pruned, and
/// switches that one cable parts from every host.
fn hidden(map: &Network, mapper: &str, pruned: &BTreeSet<End>) -> BTreeSet<End> {
    let mut hidden = pruned.clone();
    if let Some(mapper) = map.find_host(mapper) {
        let core = isomorphism::core(map, mapper);
        for link in map.links() {
            for (near, far) in [(link.a, link.b), (link.b, link.a)] {
                let lies_behind = matches!(far.node, Node::Switch(_)) && !core.contains(far.node);
                hidden.extend((core.contains(near.node) && lies_behind).then_some(near));
            }
        }
    }
    hidden
}
