//! Deadlocks, by a search of the whole wait-for graph at the end of every cycle.
//!
//! An input port waits for another one if it is connected to a stopped output whose far end has sent STOP
//! and nothing since, with no reset on its way, or if its head waits for an output that the other one
//! holds. Each port waits for at most one other, so a deadlock is a cycle of this function.

use simnet_network::topology::End;

use super::{Oracle, Owner, State};

/// A wait cycle of input ports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadlock {
    /// The first cycle at whose end it was there.
    pub formed: u64,
    /// The ports, each with the worm at its front, sorted.
    pub members: Vec<(End, u64)>,
}

impl Oracle {
    pub(super) fn find_deadlocks(&mut self, now: u64) {
        if !self.moved {
            return;
        }
        let next: Vec<Option<usize>> = (0..self.inputs.len()).map(|input| self.waits_for(input)).collect();
        let mut cycles = Vec::new();
        for first in (0..next.len()).filter(|input| next[*input].is_some()) {
            // Each cycle is found from its first port: one that leads to a port before it is another's.
            let walk =
                std::iter::successors(next[first], |input| next[*input]).take_while(|input| *input >= first);
            let walk = walk.take(next.len());
            if let Some(end) = walk.clone().position(|input| input == first) {
                let mut members: Vec<usize> = walk.take(end + 1).collect();
                members.sort_unstable();
                cycles.push(members);
            }
        }
        for members in cycles.iter().filter(|members| !self.standing.contains(members)) {
            let named = |input: &usize| (self.inputs[*input].end, self.worms[self.front(*input)].message.tag);
            let mut members: Vec<_> = members.iter().map(named).collect();
            members.sort_unstable();
            self.deadlocks.push(Deadlock { formed: now, members });
        }
        self.standing = cycles;
    }

    fn front(&self, input: usize) -> usize {
        match self.inputs[input].state {
            State::Connected { output } => self.outputs[output].worm,
            _ => self.inputs[input].buffer[0].worm,
        }
    }

    /// The input port that must move before this one can.
    fn waits_for(&self, input: usize) -> Option<usize> {
        match self.inputs[input].state {
            State::Connected { output } => {
                let out = &self.outputs[output];
                let stopped = !out.go && self.inputs[output].stop_sent;
                // A reset on its way may dissolve what is there.
                let stopped = stopped && out.control.is_empty() && out.tokens.is_empty();
                stopped.then_some(output)
            }
            State::Waiting { output } => match self.outputs[output].owner {
                Some(Owner::Input(holder)) => Some(holder),
                _ => None,
            },
            _ => None,
        }
    }
}
