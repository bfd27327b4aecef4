//! The proof's construction carried out: paths copied and pasted until two replicates are known to be one switch.
//!
//! ```text
//!   purple, red   from the mapper h0 to a switch v, and from v on to a host h; together no longer than any
//!   green         another way from h0 to v: the replicate v'
//!   g             the next stretch that purple shares with green, d the last that red does
//!   (1)  h' : green as far as d, then red
//!   (2)  h'': purple as far as g, green to d, red      v'': purple to g, green
//! ```
//!
//! The model M under circuit routing holds exactly the ways from the mapper that pass no cable twice, up to the
//! depth searched; so a pasted path exists in M if it is such a way, which is checked here for every one.
//!
//! # Scope and limitations
//! Networks of a handful of switches: all ways are listed.
//!
//! # Source
//! Mainwaring et al. 1997, sections 3.2.4 to 3.2.6. Where no stretch of green lies ahead on purple, or none on red,
//! the text is silent: g is then v itself, and d the end of green.
//!
//! # Validation
//! Tests below; Q against `host::mapper::depth`; figures 1 and 2 carry it out on random networks.

use std::collections::BTreeMap;

use simnet_base::ids::{HostId, LinkId, Node};
use simnet_media::host::mapper::depth;
use simnet_network::topology::{End, Network};

/// A cable passed in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hop {
    /// The cable.
    pub(super) link: LinkId,
    /// The port that it is entered by.
    pub(super) from: End,
    /// The port that it leads to.
    pub(super) to: End,
}

impl Hop {
    fn back(self) -> Hop {
        Hop { from: self.to, to: self.from, ..self }
    }
}

/// A way from the mapper, cable by cable.
pub(super) type Path = Vec<Hop>;

/// The model tree M: all ways from the mapper that a search of depth Q + D + 1 takes under circuit routing.
#[derive(Debug)]
pub(super) struct Model {
    /// The vertices by their ways, the shortest first; that of the mapper is empty.
    pub(super) paths: Vec<Path>,
    index: BTreeMap<Path, usize>,
    /// How many cables the longest way may have: Q + D + 1.
    pub(super) longest: usize,
    /// D.
    pub(super) diameter: usize,
    mapper: HostId,
}

impl Model {
    /// The model of a network; `None` if the mapper has no cable, or the model more than `most` vertices.
    pub(super) fn new(network: &Network, mapper: HostId, most: usize) -> Option<Model> {
        let diameter = depth::diameter(network, mapper);
        let longest = depth::q(network, mapper) + diameter + 1;
        let (port, link, to) = network.attachment(mapper)?;
        let first = Hop { link, from: End { node: Node::Host(mapper), port }, to };
        let mut paths: Vec<Path> = vec![Path::new(), vec![first]];
        let mut next = 1;
        while let Some(path) = paths.get(next).cloned() {
            next += 1;
            let Some(end @ Node::Switch(_)) = end_of(&path).filter(|_| path.len() < longest) else {
                continue;
            };
            for (port, link, to) in network.cables(end) {
                let hop = Hop { link, from: End { node: end, port }, to };
                // Only the mapper's own cable may be passed twice, on the way home.
                if hop == first.back() || path.iter().all(|passed| passed.link != link) {
                    paths.push([path.as_slice(), &[hop]].concat());
                }
            }
            if paths.len() > most {
                return None;
            }
        }
        let index = paths.iter().cloned().enumerate().map(|(nth, path)| (path, nth)).collect();
        Some(Model { paths, index, longest, diameter, mapper })
    }

    /// The vertex that a way leads to, if it is in the model.
    pub(super) fn vertex(&self, path: &[Hop]) -> Option<usize> {
        self.index.get(path).copied()
    }

    /// Purple and red of a switch: the shortest way through it to a host, cut at its first visit; none in F.
    pub(super) fn by_way_of(&self, switch: Node) -> Option<(Path, Path)> {
        let to_hosts = self.paths.iter().filter(|path| matches!(end_of(path), Some(Node::Host(_))));
        to_hosts.into_iter().find_map(|path| {
            let at = path.iter().position(|hop| hop.to.node == switch)?;
            Some((path[..=at].to_vec(), path[at + 1..].to_vec()))
        })
    }

    /// The classes of vertices that the labeller forms, after each of its rounds; the first are those before it: hosts
    /// by their names. A round sees what the rounds before it have found, and nothing of its own.
    ///
    /// Costs O(rounds x vertices).
    pub(super) fn labels(&self) -> Vec<Vec<usize>> {
        let mut hosts = BTreeMap::from([(self.mapper, 0)]);
        let first = self.paths.iter().enumerate().map(|(nth, path)| match end_of(path) {
            Some(Node::Host(host)) => *hosts.entry(host).or_insert(nth),
            _ => nth,
        });
        let mut rounds: Vec<Vec<usize>> = vec![first.collect()];
        loop {
            let last = rounds.last().expect("there is one");
            let next = self.round(last);
            if next == *last {
                return rounds;
            }
            rounds.push(next);
        }
    }

    /// One round: what is behind one port of one class is one class.
    fn round(&self, class: &[usize]) -> Vec<usize> {
        let mut behind: BTreeMap<(usize, End), usize> = BTreeMap::new();
        let mut merged: Vec<usize> = (0..class.len()).collect();
        for (nth, path) in self.paths.iter().enumerate() {
            let Some((hop, before)) = path.split_last() else { continue };
            let before = self.index[before];
            for (near, port, far) in [(before, hop.from, nth), (nth, hop.to, before)] {
                let other = *behind.entry((class[near], port)).or_insert(class[far]);
                let (a, b) = (root(&mut merged, other), root(&mut merged, class[far]));
                merged[a.max(b)] = a.min(b);
            }
        }
        class.iter().map(|class| root(&mut merged, *class)).collect()
    }
}

/// The representative of a class in a forest; halves the way to it.
fn root(forest: &mut [usize], mut at: usize) -> usize {
    while forest[at] != at {
        forest[at] = forest[forest[at]];
        at = forest[at];
    }
    at
}

/// The way along nodes of these names; `None` where there is no cable from one to the next.
pub(super) fn path(network: &Network, names: &[&str]) -> Option<Path> {
    let hop = |pair: &[&str]| {
        let (from, to) = (network.find(pair[0])?, network.find(pair[1])?);
        let (port, link, to) = network.cables(from).find(|(_, _, end)| end.node == to)?;
        Some(Hop { link, from: End { node: from, port }, to })
    };
    names.windows(2).map(hop).collect()
}

/// The node that a way ends at; none for the empty one.
pub(super) fn end_of(path: &[Hop]) -> Option<Node> {
    path.last().map(|hop| hop.to.node)
}

/// One step of the induction: what is pasted, and the green path that it gives.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Whether green runs into purple again after it has left it.
    pub(super) meets_purple: bool,
    /// Whether green runs into red.
    pub(super) meets_red: bool,
    /// (1): along green to d', then red to h'.
    pub(super) to_h1: Path,
    /// (2): along purple to g, green to d'', red to h''.
    pub(super) to_h2: Path,
    /// The new green path: along purple to g, then green to v''.
    pub(super) green: Path,
    /// How many cables the new green path shares with purple from the start.
    pub(super) shared: usize,
    /// Two vertices with parallel paths to h' and h'', and how many cables these have: g' and g, then v' and v''.
    pub(super) parallel: [(Path, Path, usize); 2],
}

/// Carries out the induction for one replicate, to where green is purple. Every step lengthens what they share, so
/// there are at most as many as purple has cables.
pub(super) fn induction(purple: &[Hop], red: &[Hop], green: &[Hop]) -> Vec<Step> {
    let (mut steps, mut green) = (Vec::new(), green.to_vec());
    while green != purple && steps.len() <= purple.len() {
        let step = step(purple, red, &green);
        green.clone_from(&step.green);
        steps.push(step);
    }
    steps
}

/// A stretch that purple shares with green: its cables on each, and whether they pass it in the same direction.
struct Chunk {
    purple: std::ops::Range<usize>,
    green: std::ops::Range<usize>,
    alike: bool,
}

fn step(purple: &[Hop], red: &[Hop], green: &[Hop]) -> Step {
    let g0 = purple.iter().zip(green).take_while(|(purple, green)| purple == green).count();
    let chunk = next_chunk(purple, green, g0);
    let meets_purple = chunk.is_some();
    let g = chunk.unwrap_or(Chunk {
        purple: purple.len()..purple.len(),
        green: green.len()..green.len(),
        alike: true,
    });
    // The ports of green at which purple arrives when it has not yet, or has, passed the stretch.
    let arriving = |at_green: usize| {
        let passed = (at_green == g.green.end) == g.alike;
        &purple[..if passed { g.purple.end } else { g.purple.start }]
    };
    let (top, above, meets_red) = highest(red, green);
    let to_h1 = [&green[..top], above].concat();
    let (start, between): (usize, Path) = if top >= g.green.end {
        (g.green.end, green[g.green.end..top].to_vec())
    } else {
        (g.green.start, green[top..g.green.start].iter().rev().map(|hop| hop.back()).collect())
    };
    let to_h2 = [arriving(start), &between, above].concat();
    let new_green = [arriving(g.green.end), &green[g.green.end..]].concat();
    let shared = purple.iter().zip(&new_green).take_while(|(purple, green)| purple == green).count();
    let parallel = [
        (green[..start].to_vec(), arriving(start).to_vec(), between.len() + above.len()),
        (green.to_vec(), new_green.clone(), green.len() - top + above.len()),
    ];
    Step { meets_purple, meets_red, to_h1, to_h2, green: new_green, shared, parallel }
}

/// The first stretch on purple from position `from` on that green shares.
fn next_chunk(purple: &[Hop], green: &[Hop], from: usize) -> Option<Chunk> {
    let on_green = |hop: &Hop| green.iter().position(|other| other.link == hop.link);
    let first = (from..purple.len()).find(|nth| on_green(&purple[*nth]).is_some())?;
    let at = on_green(&purple[first])?;
    let alike = green[at] == purple[first];
    let (mut low, mut high, mut end) = (at, at + 1, first + 1);
    while let Some(hop) = purple.get(end) {
        let next = if alike { Some(high) } else { low.checked_sub(1) };
        let Some(next) = next.filter(|next| {
            green.get(*next).is_some_and(|other| *other == if alike { *hop } else { hop.back() })
        }) else {
            break;
        };
        (low, high, end) = (low.min(next), high.max(next + 1), end + 1);
    }
    Some(Chunk { purple: first..end, green: low..high, alike })
}

/// Where the highest stretch that red shares with green ends, as a count of green's cables, and what of red lies above;
/// the end of green, and all of red, if there is none.
fn highest<'a>(red: &'a [Hop], green: &[Hop]) -> (usize, &'a [Hop], bool) {
    // Coming home over the mapper's own cable is no collision.
    let comes_home = |hop: &Hop| green.first().is_some_and(|first| *hop == first.back());
    let found = red.iter().enumerate().rev().find_map(|(nth, hop)| {
        let at = green.iter().position(|other| other.link == hop.link)?;
        (!comes_home(hop)).then_some((nth, at, green[at] == *hop))
    });
    match found {
        Some((nth, at, alike)) => (at + usize::from(alike), &red[nth + 1..], true),
        None => (green.len(), red, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mainwaring1997::claims::{example, random};

    /// Wrong if Q were not what the mapper's own reckoning gives, or a replicate were left without a class.
    #[test]
    fn the_model_is_what_theory_says() {
        for seed in 0..40 {
            let (network, mapper) = random(seed);
            let Some(model) = Model::new(&network, mapper, 3_000) else { continue };
            for switch in network.switch_ids() {
                let ways = model.by_way_of(Node::Switch(switch));
                let length = ways.map(|(purple, red)| purple.len() + red.len());
                assert_eq!(length, depth::q_of(&network, mapper, switch), "seed {seed}");
            }
        }
    }

    /// Wrong if the example did not show what figure 1 shows: a g and a d, both stretches of cables.
    #[test]
    fn the_example_needs_the_construction() {
        let example = example();
        let steps = induction(&example.purple, &example.red, &example.green);
        assert!(steps[0].meets_purple && steps[0].meets_red);
        assert_eq!(steps.last().map(|step| &step.green), Some(&example.purple));
        let model = Model::new(&example.network, example.mapper, 100_000).unwrap();
        for step in &steps {
            for path in [&step.to_h1, &step.to_h2, &step.green] {
                assert!(model.vertex(path).is_some(), "{path:?}");
            }
        }
    }
}
