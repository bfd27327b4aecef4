//! All routes to one switch followed together, counted by the path that they take.
//!
//! The paths of a state are numbered in order of port, so that those of one step follow each other: the routes counted
//! there are, slice by slice, those of the states that its steps lead to. What the routes of many sources have in
//! common is followed once.
//!
//! ```text
//!   state, 5 paths   [2 0 1 | 4 0]     routes by number of path
//!                       |      |
//!       first step, 3 paths   second step, 2 paths: added to what the states there have counted
//! ```

use crate::routing::graph::UNREACHED;
use crate::routing::paths::{LegalMoves, State, Steps, Toward};
use crate::routing::survey::Survey;

/// Of every path from every state to one switch how many routes take it.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    /// Per state where those of its paths begin.
    first: Vec<u32>,
    routes: Vec<u32>,
}

impl Counted {
    /// Makes room for the paths of `toward`, none of which is taken yet; `false` where they are more than `most`.
    pub(super) fn begin(&mut self, moves: &LegalMoves<'_>, toward: &Toward, most: usize) -> bool {
        self.first.resize(moves.states(), 0);
        let mut all = 0_usize;
        for state in toward.reached() {
            self.first[state.index()] = u32::try_from(all).expect("no more than `most` so far");
            let paths = usize::try_from(toward.paths(*state)).unwrap_or(usize::MAX);
            all = all.saturating_add(paths);
            if all > most {
                return false;
            }
        }
        self.routes.clear();
        self.routes.resize(all, 0);
        true
    }

    /// Counts a route that takes the path of this rank.
    pub(super) fn add(&mut self, from: State, rank: u64) {
        let rank = usize::try_from(rank).expect("below the number of paths, which has room");
        self.routes[self.first[from.index()] as usize + rank] += 1;
    }

    /// Surveys all routes that were counted; `minimal` has the least distances of switches.
    pub(super) fn follow(
        &mut self,
        survey: &mut Survey,
        (toward, steps): (&Toward, &Steps),
        minimal: &[u32],
    ) {
        for state in toward.reached().iter().filter(|state| state.is_start()) {
            let least = minimal[state.switch().index()];
            if least != UNREACHED && toward.distance(*state).is_some_and(|distance| distance > least) {
                let first = self.first[state.index()] as usize;
                let paths = room(toward.paths(*state));
                survey.non_minimal += sum(&self.routes[first..first + paths]);
            }
        }
        // Farthest first, so that all routes through a state are counted there before they go on.
        for state in toward.reached().iter().rev() {
            self.pass_on(survey, steps, *state);
        }
    }

    /// Takes all routes counted in a state on by one step.
    fn pass_on(&mut self, survey: &mut Survey, steps: &Steps, state: State) {
        let (nearer, mut own) = self.routes.split_at_mut(self.first[state.index()] as usize);
        for step in steps.of(state) {
            let (passing, others) = own.split_at_mut(room(step.paths));
            own = others;
            let routes = sum(passing);
            if routes == 0 {
                continue;
            }
            survey.load[step.output.channel.index()] += routes;
            survey.sum_of_distances += routes;
            let first = self.first[step.next.index()] as usize;
            let next = &mut nearer[first..first + passing.len()];
            next.iter_mut().zip(passing.iter()).for_each(|(count, more)| *count += more);
            let mut passing = &*passing;
            for then in steps.of(step.next) {
                let (through, others) = passing.split_at(room(then.paths));
                passing = others;
                if through.iter().any(|count| *count > 0) {
                    survey.dependencies.add(step.output.channel, then.output.port);
                }
            }
        }
    }
}

fn sum(counts: &[u32]) -> u64 {
    counts.iter().copied().map(u64::from).sum()
}

/// How many counts so many paths have.
fn room(paths: u64) -> usize {
    usize::try_from(paths).expect("no more paths than there is room for")
}
