//! Shortest legal paths between switches, by search over states of a worm.
//!
//! # Scope and limitations
//! UP*/DOWN*: a legal path goes up any number of channels, then down any number, never up again. Whether a
//! worm may still go up is its phase; a path is a walk over states (switch, phase), and each legal path is
//! exactly one such walk, so counting walks counts paths. Minimal routing is the same search with every
//! channel called up. A rule of single turns has one state per channel by which a worm arrived, and one
//! per switch where it starts; again a path is exactly one walk.
//!
//! ```text
//!   (u, may go up) --up--> (v, may go up)      (u, may go up) --down--> (v, went down)
//!                                              (u, went down) --down--> (v, went down)
//!
//!   (u, start) --any--> (v, by that channel)   (u, by c) --d, if the turn c -> d is allowed--> (v, by d)
//! ```
//!
//! Path counts saturate at `u64::MAX`; beyond that a random choice is no longer uniform, but still legal.
//!
//! # Source
//! Mainwaring et al. 1997, section 5.5. The paper runs Floyd-Warshall over the same states; searching
//! backwards from each destination gives the same distances (the tests compare them) at O(switches x links),
//! for a rule of turns O(switches x turns).
//!
//! # Validation
//! tests/network/oracle/routing.rs and tests/network/oracle/smart.rs: distances against Floyd-Warshall, counts against
//! enumeration.

use simnet_base::ids::SwitchId;

use super::allowed_turns::AllowedTurns;
use super::directions::Directions;
use super::graph::{Output, SwitchGraph, UNREACHED};

/// The channels of a graph, with the rule which may follow which.
#[derive(Clone, Debug)]
pub struct LegalMoves<'a> {
    graph: &'a SwitchGraph,
    rule: Rule<'a>,
    has_exceptions: bool,
}

#[derive(Clone, Debug)]
enum Rule<'a> {
    /// Never up after down: per output whether it leads up.
    Phases(Vec<bool>),
    /// Any path of these turns.
    Turns(&'a AllowedTurns),
}

/// A switch together with what the past of a worm there allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    /// Twice the switch's position, and one more after a channel down; with a rule of turns, twice the number
    /// of switches plus the position of the output by which the worm came.
    index: u32,
    switch: SwitchId,
}

impl State {
    /// A worm at `switch` that may still take any output: where every path begins.
    pub fn start(switch: SwitchId) -> State {
        State::new(switch, false)
    }
    fn new(switch: SwitchId, went_down: bool) -> State {
        State { index: switch.0 * 2 + u32::from(went_down), switch }
    }
    /// The switch.
    pub fn switch(self) -> SwitchId {
        self.switch
    }
    /// Whether it is the one in which paths begin. UP*/DOWN* paths may come through it, too.
    pub fn is_start(self) -> bool {
        self.index == self.switch.0 * 2
    }
    pub(super) fn index(self) -> usize {
        self.index as usize
    }
}

impl<'a> LegalMoves<'a> {
    /// The UP*/DOWN* rule for the given directions, with their exceptions. Costs O(links).
    pub fn up_down(graph: &'a SwitchGraph, directions: &'a Directions) -> LegalMoves<'a> {
        match directions.exceptions() {
            Some(exceptions) => {
                LegalMoves { has_exceptions: true, ..LegalMoves::turns(graph, exceptions.turns()) }
            }
            None => LegalMoves::plain(graph, directions),
        }
    }

    /// The same without exceptions.
    pub(super) fn plain(graph: &'a SwitchGraph, directions: &Directions) -> LegalMoves<'a> {
        let of = |s: SwitchId| graph.of(s).iter().map(move |o| directions.is_up(s, o.to));
        LegalMoves::of(graph, Rule::Phases(graph.switch_ids().flat_map(of).collect()))
    }

    /// No rule: every path is legal, and shortest paths are minimal. Routes may deadlock.
    pub fn unrestricted(graph: &'a SwitchGraph) -> LegalMoves<'a> {
        LegalMoves::of(graph, Rule::Phases(vec![true; graph.outputs().len()]))
    }

    /// Every path whose turns are all allowed. `allowed` must be of the same graph.
    pub fn turns(graph: &'a SwitchGraph, allowed: &'a AllowedTurns) -> LegalMoves<'a> {
        LegalMoves::of(graph, Rule::Turns(allowed))
    }

    fn of(graph: &'a SwitchGraph, rule: Rule<'a>) -> LegalMoves<'a> {
        LegalMoves { graph, rule, has_exceptions: false }
    }

    /// Whether they are UP*/DOWN* with turns from down to up.
    pub(super) fn has_exceptions(&self) -> bool {
        self.has_exceptions
    }

    /// The graph.
    pub fn graph(&self) -> &'a SwitchGraph {
        self.graph
    }

    /// One more than the highest index of a state.
    pub(super) fn states(&self) -> usize {
        let own = match self.rule {
            Rule::Phases(_) => 0,
            Rule::Turns(_) => self.graph.outputs().len(),
        };
        self.graph.switches() * 2 + own
    }

    /// The legal moves from `state`: the position of the output, and the state that it leads to.
    pub fn from(&self, state: State) -> impl Iterator<Item = (usize, State)> + '_ {
        let range = self.graph.range(state.switch);
        let legal = range.filter(move |nth| match &self.rule {
            Rule::Phases(up) => state.is_start() || !up[*nth],
            Rule::Turns(turns) => self.arrived_by(state).is_none_or(|by| turns.allows(self.graph, by, *nth)),
        });
        legal.map(|nth| (nth, self.after(nth)))
    }

    /// The state of a worm that has just taken the output at this position.
    fn after(&self, nth: usize) -> State {
        let to = self.graph.outputs()[nth].to;
        match &self.rule {
            Rule::Phases(up) => State::new(to, !up[nth]),
            Rule::Turns(_) => {
                let index = self.graph.switches() * 2 + nth;
                State { index: u32::try_from(index).expect("fewer than 2^31 cables"), switch: to }
            }
        }
    }

    /// With a rule of turns, the position of the output by which a worm came to this state; `None` at its
    /// start.
    pub(super) fn arrived_by(&self, state: State) -> Option<usize> {
        state.index().checked_sub(self.graph.switches() * 2)
    }

    /// The states at `switch` in which a path that ends there may end.
    fn ends(&self, switch: SwitchId) -> Vec<State> {
        match self.rule {
            Rule::Phases(_) => vec![State::new(switch, false), State::new(switch, true)],
            Rule::Turns(_) => {
                let arriving = self.graph.of(switch).iter().map(|output| self.after(output.reverse as usize));
                [State::start(switch)].into_iter().chain(arriving).collect()
            }
        }
    }

    /// Calls `visit` with every state from which one move leads to `state`, and the position of that move's output.
    fn before(&self, state: State, mut visit: impl FnMut(State, u32)) {
        match &self.rule {
            Rule::Phases(up) => {
                for output in self.graph.of(state.switch) {
                    // A move into `state` uses the other direction of one of its switch's own cables.
                    let goes_up = up[output.reverse as usize];
                    if goes_up == state.is_start() {
                        visit(State::new(output.to, false), output.reverse);
                        if !goes_up {
                            visit(State::new(output.to, true), output.reverse);
                        }
                    }
                }
            }
            Rule::Turns(turns) => {
                let Some(by) = self.arrived_by(state) else { return };
                let (sender, nth) = (self.graph.sender(by), self.graph.position(&self.graph.outputs()[by]));
                visit(State::start(sender), nth);
                let slot = by - self.graph.range(sender).start;
                for output in self.graph.of(sender) {
                    if turns.allows_slot(output.reverse as usize, slot) {
                        visit(self.after(output.reverse as usize), nth);
                    }
                }
            }
        }
    }
}

/// All shortest legal paths to one switch: distances and numbers of paths from every state.
///
/// Made to be filled again and again, one destination after the other, without allocating.
#[derive(Clone, Debug)]
pub struct Toward {
    distance: Vec<u32>,
    paths: Vec<u64>,
    /// The states that reach the destination, nearest first.
    reached: Vec<State>,
}

impl Toward {
    /// An empty search over `graph`, for [`Toward::search`] to fill.
    pub fn new(graph: &SwitchGraph) -> Toward {
        let states = graph.switches() * 2;
        Toward { distance: vec![UNREACHED; states], paths: vec![0; states], reached: Vec::new() }
    }

    /// Searches backwards from `destination`, forgetting what was here. Costs O(switches + links), with a rule
    /// of turns O(turns).
    pub fn search(&mut self, moves: &LegalMoves<'_>, destination: SwitchId) {
        self.search_with(moves, destination, |_| ());
    }

    /// As [`Toward::search`], calling `step` for every step of a shortest path: those from a state after those that go
    /// on from where they lead.
    pub(super) fn search_with(
        &mut self,
        moves: &LegalMoves<'_>,
        destination: SwitchId,
        mut step: impl FnMut(FoundStep),
    ) {
        for state in self.reached.drain(..) {
            self.distance[state.index()] = UNREACHED;
            self.paths[state.index()] = 0;
        }
        self.distance.resize(moves.states(), UNREACHED);
        self.paths.resize(moves.states(), 0);
        for state in moves.ends(destination) {
            self.distance[state.index()] = 0;
            self.paths[state.index()] = 1;
            self.reached.push(state);
        }
        let mut next = 0;
        while let Some(&state) = self.reached.get(next) {
            next += 1;
            self.extend_back(moves, state, &mut step);
        }
    }

    /// Adds the states from which one move leads to `state`. All shortest paths from `state` are counted by
    /// now, since every nearer state was popped before.
    fn extend_back(&mut self, moves: &LegalMoves<'_>, state: State, step: &mut impl FnMut(FoundStep)) {
        let (distance, paths) = (self.distance[state.index()] + 1, self.paths[state.index()]);
        moves.before(state, |from, nth| {
            let at = from.index();
            if self.distance[at] == UNREACHED {
                self.distance[at] = distance;
                self.reached.push(from);
            }
            if self.distance[at] == distance {
                self.paths[at] = self.paths[at].saturating_add(paths);
                step(FoundStep { from, nth, to: state });
            }
        });
    }

    /// The least number of channels from `state` to the destination, `None` if no legal path leads there.
    pub fn distance(&self, state: State) -> Option<u32> {
        Some(self.distance[state.index()]).filter(|d| *d != UNREACHED)
    }

    /// How many shortest legal paths lead from `state` to the destination; saturates.
    pub fn paths(&self, state: State) -> u64 {
        self.paths[state.index()]
    }

    /// The states that reach the destination, nearest first; the destination's own lead.
    pub fn reached(&self) -> &[State] {
        &self.reached
    }

    /// The moves from `state` that lie on a shortest path, in order of port: the position of the output, the
    /// state it leads to.
    pub fn steps<'b>(
        &'b self,
        moves: &'b LegalMoves<'_>,
        state: State,
    ) -> impl Iterator<Item = (usize, State)> + 'b {
        let left = self.distance[state.index()];
        let nearer = move |next: State| left != 0 && self.distance[next.index()] == left.wrapping_sub(1);
        moves.from(state).filter(move |(_, next)| left != UNREACHED && nearer(*next))
    }
}

/// One move on a shortest path, as a search meets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundStep {
    pub(super) from: State,
    /// The position of the output.
    pub(super) nth: u32,
    pub(super) to: State,
}

/// The shortest paths to one switch as lists of steps, for choosing many routes quickly.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// The steps as the search met them.
    found: Vec<FoundStep>,
    /// Per state where its steps begin and end.
    range: Vec<(u32, u32)>,
    /// Per state the number of paths of each step, where all its steps have equally many; else 0.
    even: Vec<u64>,
    steps: Vec<Step>,
}

/// One move on a shortest path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) output: Output,
    pub(super) next: State,
    /// How many shortest paths there are behind it.
    pub(super) paths: u64,
}

impl Steps {
    /// Searches with `toward`, and collects the steps in one go: exactly what [`Steps::collect`] lists afterwards,
    /// since a search meets every step of a shortest path once. Costs O(switches + links).
    pub(super) fn search(&mut self, moves: &LegalMoves<'_>, toward: &mut Toward, destination: SwitchId) {
        self.found.clear();
        toward.search_with(moves, destination, |step| self.found.push(step));
        self.range.clear();
        self.range.resize(toward.distance.len(), (0, 0));
        self.even.clear();
        self.even.resize(toward.distance.len(), 0);
        self.found.iter().for_each(|step| self.range[step.from.index()].1 += 1);
        let mut start = 0;
        for state in &toward.reached {
            let (first, end) = &mut self.range[state.index()];
            (*first, start) = (start, start + *end);
            *end = *first;
        }
        self.place_found(moves, toward);
        for state in &toward.reached {
            let (first, end) = self.range[state.index()];
            let steps = &mut self.steps[first as usize..end as usize];
            steps.sort_unstable_by_key(|step| step.output.port);
            self.even[state.index()] = evenly(steps);
        }
    }

    /// Puts the steps that were found into their ranges, which are empty yet.
    fn place_found(&mut self, moves: &LegalMoves<'_>, toward: &Toward) {
        let step = |found: &FoundStep| Step {
            output: moves.graph.outputs()[found.nth as usize],
            next: found.to,
            paths: toward.paths(found.to),
        };
        self.steps.clear();
        self.steps.extend(self.found.first().map(step));
        let filler = self.steps.first().copied();
        filler.into_iter().for_each(|any| self.steps.resize(self.found.len(), any));
        for found in &self.found {
            let end = &mut self.range[found.from.index()].1;
            self.steps[*end as usize] = step(found);
            *end += 1;
        }
    }

    /// The steps of all shortest paths from a state, in order of port.
    pub(super) fn of(&self, state: State) -> &[Step] {
        let (start, end) = self.range[state.index()];
        &self.steps[start as usize..end as usize]
    }

    /// Collects the steps of all shortest paths of `toward`, forgetting what was here.
    pub(super) fn collect(&mut self, moves: &LegalMoves<'_>, toward: &Toward) {
        self.range.clear();
        self.range.resize(toward.distance.len(), (0, 0));
        self.even.clear();
        self.even.resize(toward.distance.len(), 0);
        self.steps.clear();
        for state in &toward.reached {
            let start = self.steps.len();
            self.steps.extend(toward.steps(moves, *state).map(|(nth, next)| Step {
                output: moves.graph.outputs()[nth],
                next,
                paths: toward.paths(next),
            }));
            let steps = &self.steps[start..];
            self.even[state.index()] = evenly(steps);
            let bound = |n| u32::try_from(n).expect("a state has no more steps than there are channels");
            self.range[state.index()] = (bound(start), bound(start + steps.len()));
        }
    }

    /// Calls `visit` with the outputs of the path of rank `rank` from `state`, paths ordered by their ports.
    ///
    /// `rank` must be below the number of paths. Costs O(length x steps per state).
    pub(super) fn nth_path(&self, mut state: State, mut rank: u64, mut visit: impl FnMut(&Output)) {
        loop {
            let steps = self.of(state);
            let Some(last) = steps.len().checked_sub(1) else { return };
            let even = self.even[state.index()];
            // Saturated counts may leave a rank beyond the last step: then the last one it is.
            let mut nth = 0;
            if let Some(quotient) = rank.checked_div(even) {
                nth = usize::try_from(quotient).map_or(last, |n| n.min(last));
                rank %= even;
            } else {
                while nth < last && rank >= steps[nth].paths {
                    rank -= steps[nth].paths;
                    nth += 1;
                }
            }
            let chosen = &steps[nth];
            visit(&chosen.output);
            state = chosen.next;
        }
    }
}

/// How many paths there are behind each of these steps, if behind all equally many, else 0.
fn evenly(steps: &[Step]) -> u64 {
    let first = steps.first().map_or(0, |step| step.paths);
    let even = first != u64::MAX && steps.iter().all(|step| step.paths == first);
    if even { first } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::allowed_turns::AllowedTurns;
    use super::super::attachments::Attachments;
    use super::super::directions::{Root, Tree};
    use super::*;
    use crate::topology::generate;

    /// Wrong if a step that a search meets were left out or put elsewhere than a look at all moves finds it.
    #[test]
    fn steps_met_by_a_search_are_those_that_a_look_at_all_moves_finds() {
        for (seed, degree) in [(1, 3), (2, 4), (3, 6)] {
            let size = [("switches", 24), ("degree", degree), ("hosts-per-switch", 1)];
            let network = generate::build("random-regular", &size, seed).unwrap();
            let graph = SwitchGraph::new(&network);
            let directions =
                Directions::new(&graph, &Attachments::lowest(&network), None, &Root::R0, Tree::Bfs);
            let turns = AllowedTurns::up_down(&graph, &directions);
            let all = [LegalMoves::up_down(&graph, &directions), LegalMoves::unrestricted(&graph)];
            for moves in all.iter().chain([&LegalMoves::turns(&graph, &turns)]) {
                let (mut met, mut looked, mut toward) =
                    (Steps::default(), Steps::default(), Toward::new(&graph));
                for destination in graph.switch_ids() {
                    met.search(moves, &mut toward, destination);
                    looked.collect(moves, &toward);
                    assert_eq!((&met.range, &met.even), (&looked.range, &looked.even));
                    let shown = |steps: &Steps| format!("{:?}", steps.steps);
                    assert_eq!(shown(&met), shown(&looked), "degree {degree}, to {destination:?}");
                }
            }
        }
    }
}
