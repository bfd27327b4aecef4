//! A topological order of channels that is kept while turns are added.

use simnet_base::ids::SwitchId;

use crate::routing::graph::SwitchGraph;

use super::AllowedTurns;

/// An acyclic set of turns with an order of channels in which every turn leads onward.
///
/// # Source
/// Pearce and Kelly 2006, *A dynamic topological sort algorithm for directed acyclic graphs*: a turn that leads
/// backward is tried by a search between the places of its two channels only. Here both searches go on in turn, so
/// that a turn that closes a cycle is refused where they meet.
pub(in crate::routing) struct Ordered<'a> {
    graph: &'a SwitchGraph,
    turns: AllowedTurns,
    /// The same turns from both sides.
    ahead: Neighbours,
    behind: Neighbours,
    /// Per channel its place.
    place: Vec<u32>,
    /// Per channel the side of a search that has come to it: all [`NEITHER`] between two searches.
    seen: Vec<u8>,
    /// The channels that a search finds ahead and behind, and their places.
    found: [Vec<usize>; 2],
    places: Vec<u32>,
}

/// Sides of a search.
const NEITHER: u8 = 0;
const AHEAD: u8 = 1;
const BEHIND: u8 = 2;

impl<'a> Ordered<'a> {
    /// The set `turns`, which must be acyclic. Costs O(turns).
    ///
    /// # Panics
    /// If it is not.
    pub(in crate::routing) fn new(graph: &'a SwitchGraph, turns: AllowedTurns) -> Ordered<'a> {
        let channels = graph.outputs().len();
        let mut before = vec![0u32; channels];
        for by in 0..channels {
            for next in turns.after(graph, by) {
                before[next] += 1;
            }
        }
        let mut open: Vec<usize> = (0..channels).filter(|channel| before[*channel] == 0).collect();
        let mut place = vec![0; channels];
        let mut placed = 0;
        while let Some(channel) = open.pop() {
            place[channel] = placed;
            placed += 1;
            for next in turns.after(graph, channel) {
                before[next] -= 1;
                if before[next] == 0 {
                    open.push(next);
                }
            }
        }
        assert_eq!(placed as usize, channels, "the turns to begin with are acyclic");
        let mut ordered = Ordered {
            graph,
            ahead: Neighbours::none(graph, |by| graph.outputs()[by].to),
            behind: Neighbours::none(graph, |by| graph.sender(by)),
            turns,
            place,
            seen: vec![NEITHER; channels],
            found: [Vec::new(), Vec::new()],
            places: Vec::new(),
        };
        for by in 0..channels {
            for next in ordered.turns.after(graph, by).collect::<Vec<_>>() {
                ordered.set(by, next, true);
            }
        }
        ordered
    }

    /// Allows or forbids a turn.
    fn set(&mut self, by: usize, next: usize, is_allowed: bool) {
        self.turns.set(self.graph, by, next, is_allowed);
        self.ahead.set(by, next, is_allowed);
        self.behind.set(next, self.graph.outputs()[by].reverse as usize, is_allowed);
    }

    /// Allows a turn unless that would close a cycle, and says whether it did.
    ///
    /// Costs nothing but a look where the turn leads onward; else searches from both of its channels, which end where
    /// they meet.
    pub(in crate::routing) fn add(&mut self, by: usize, next: usize) -> bool {
        if self.place[next] < self.place[by] {
            if !self.search(by, next) {
                return false;
            }
            self.reorder();
        }
        self.set(by, next, true);
        true
    }

    /// Whether a turn would close a cycle. Costs as [`Ordered::add`], and changes nothing.
    pub(in crate::routing) fn would_close(&mut self, by: usize, next: usize) -> bool {
        self.place[next] < self.place[by] && !self.search(by, next)
    }

    /// Forbids a turn again: the order of the others stays one.
    pub(in crate::routing) fn remove(&mut self, by: usize, next: usize) {
        self.set(by, next, false);
    }

    /// The set as it now is.
    pub(in crate::routing) fn turns(&self) -> &AllowedTurns {
        &self.turns
    }

    /// Finds the channels that `next` leads to and those that lead to `by`, both within the places between the two;
    /// false as soon as some channel is both. The side with fewer channels left to look at goes on.
    fn search(&mut self, by: usize, next: usize) -> bool {
        let (place, seen, outputs) = (&self.place, &mut self.seen, self.graph.outputs());
        let (low, high) = (place[next], place[by]);
        let [ahead, behind] = &mut self.found;
        ahead.clear();
        behind.clear();
        ahead.push(next);
        behind.push(by);
        (seen[next], seen[by]) = (AHEAD, BEHIND);
        let (mut of_ahead, mut of_behind) = (0, 0);
        let meet = loop {
            let left = (ahead.len() - of_ahead, behind.len() - of_behind);
            let goes_ahead = match left {
                (0, 0) => break false,
                (0, _) => false,
                (_, 0) => true,
                (ahead, behind) => ahead <= behind,
            };
            let is_met = if goes_ahead {
                let channel = ahead[of_ahead];
                of_ahead += 1;
                self.ahead.of(channel).any(|after| {
                    let is_new = place[after] <= high && seen[after] == NEITHER;
                    if is_new {
                        seen[after] = AHEAD;
                        ahead.push(after);
                    }
                    seen[after] == BEHIND
                })
            } else {
                let channel = behind[of_behind];
                of_behind += 1;
                self.behind.of(channel).any(|back| {
                    let before = outputs[back].reverse as usize;
                    let is_new = place[before] >= low && seen[before] == NEITHER;
                    if is_new {
                        seen[before] = BEHIND;
                        behind.push(before);
                    }
                    seen[before] == AHEAD
                })
            };
            if is_met {
                break true;
            }
        };
        ahead.iter().chain(behind.iter()).for_each(|channel| seen[*channel] = NEITHER);
        !meet
    }

    /// Puts all channels found behind before all of those ahead, on the places that they have together.
    fn reorder(&mut self) {
        let [ahead, behind] = &mut self.found;
        behind.sort_unstable_by_key(|channel| self.place[*channel]);
        ahead.sort_unstable_by_key(|channel| self.place[*channel]);
        self.places.clear();
        self.places.extend(behind.iter().chain(ahead.iter()).map(|channel| self.place[*channel]));
        self.places.sort_unstable();
        for (channel, place) in behind.iter().chain(ahead.iter()).zip(&self.places) {
            self.place[*channel] = *place;
        }
    }

    /// The channels in order.
    pub(in crate::routing) fn into_order(self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.place.len()).collect();
        order.sort_unstable_by_key(|channel| self.place[*channel]);
        order
    }

    /// The set alone.
    pub(in crate::routing) fn into_turns(self) -> AllowedTurns {
        self.turns
    }
}

/// Per channel some of the outputs of a switch, as bits: quick to go through.
struct Neighbours {
    /// Per channel the position of that switch's first output.
    first: Vec<u32>,
    /// How many words a channel has.
    words: usize,
    bits: Vec<u64>,
}

impl Neighbours {
    /// None yet of the switches that `switch` says of channels.
    fn none(graph: &SwitchGraph, switch: impl Fn(usize) -> SwitchId) -> Neighbours {
        let channels = graph.outputs().len();
        let first =
            |channel| u32::try_from(graph.range(switch(channel)).start).expect("fewer than 2^32 outputs");
        let most = graph.switch_ids().map(|switch| graph.range(switch).len()).max().unwrap_or(0);
        let words = most.div_ceil(64);
        Neighbours { first: (0..channels).map(first).collect(), words, bits: vec![0; channels * words] }
    }

    fn set(&mut self, channel: usize, output: usize, is_in: bool) {
        let slot = output - self.first[channel] as usize;
        let word = &mut self.bits[channel * self.words + slot / 64];
        *word = *word & !(1 << (slot % 64)) | u64::from(is_in) << (slot % 64);
    }

    /// The outputs of a channel, in order.
    #[inline]
    fn of(&self, channel: usize) -> impl Iterator<Item = usize> + '_ {
        let start = self.first[channel] as usize;
        let words = &self.bits[channel * self.words..(channel + 1) * self.words];
        words.iter().enumerate().flat_map(move |(nth, word)| {
            let left = |word: u64| (word != 0).then_some(word);
            let bits = std::iter::successors(left(*word), move |word| left(word & (word - 1)));
            bits.map(move |word| start + nth * 64 + word.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::generate;
    use rand::{RngExt as _, SeedableRng as _};

    /// Whether turns lead from one channel to another, by looking at all that they lead to.
    fn leads(graph: &SwitchGraph, turns: &AllowedTurns, from: usize, to: usize) -> bool {
        let mut seen = vec![false; graph.outputs().len()];
        let mut open = vec![from];
        while let Some(channel) = open.pop() {
            if channel == to {
                return true;
            }
            for after in turns.after(graph, channel) {
                if !std::mem::replace(&mut seen[after], true) {
                    open.push(after);
                }
            }
        }
        false
    }

    /// Wrong if a turn were refused that closes no cycle, or allowed though it does; or if some turn led backward in
    /// the order that is kept.
    #[test]
    fn turns_are_refused_where_a_plain_search_finds_a_cycle() {
        for seed in 0..20 {
            let size = [("switches", 6 + 2 * (seed % 4)), ("degree", 3 + seed % 3), ("hosts-per-switch", 1)];
            let network = generate::build("random-regular", &size, seed).unwrap();
            let graph = SwitchGraph::new(&network);
            let mut ordered = Ordered::new(&graph, AllowedTurns::none(&graph));
            let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            for _ in 0..1_000 {
                let by = random.random_range(0..graph.outputs().len());
                let all: Vec<usize> = ordered.turns().possible(&graph, by).collect();
                let next = all[random.random_range(0..all.len())];
                if ordered.turns().allows(&graph, by, next) {
                    if random.random_bool(0.3) {
                        ordered.remove(by, next);
                    }
                    continue;
                }
                let closes = leads(&graph, ordered.turns(), next, by);
                assert_eq!(ordered.would_close(by, next), closes, "seed {seed}");
                assert_eq!(ordered.add(by, next), !closes, "seed {seed}");
                assert!(ordered.seen.iter().all(|side| *side == NEITHER), "seed {seed}");
            }
            for by in 0..graph.outputs().len() {
                let mut after = ordered.turns().after(&graph, by);
                assert!(after.all(|next| ordered.place[by] < ordered.place[next]), "seed {seed}");
            }
        }
    }
}
