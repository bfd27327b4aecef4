//! Loads of trees with exceptions.

use std::collections::BTreeSet;

use simnet_base::des::random::{Purpose, Stream};
use simnet_base::ids::{LinkId, SwitchId};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, DestinationTables, Directions, Engine, Part, Plan, Root, Rule,
    Selection, SwitchGraph, Tree, without,
};
use simnet_network::topology::{End, Network};

use support_network::cases;

const CHANCE: Purpose = Purpose(9_462);

fn below(stream: &mut Stream, bound: usize) -> usize {
    usize::try_from(stream.below(bound as u64)).unwrap()
}

fn spines() -> Algorithm {
    Algorithm::UpDown { tree: Tree::Bfs, root: Root::Spines }
}

fn small(seed: u64) -> Network {
    let mut stream = Stream::new(seed, CHANCE, 0);
    let mut net = Network::new("small");
    let (leaves, spines) = (2 + below(&mut stream, 4), 2 + below(&mut stream, 2));
    let cables = 1 + below(&mut stream, 2);
    let most = 2 + below(&mut stream, 5);
    let uneven = below(&mut stream, 2) == 0;
    let name = |nth: usize| if nth < leaves { format!("leaf{nth}") } else { format!("spine{}", nth - leaves) };
    let all: Vec<SwitchId> = (0..leaves + spines).map(|nth| net.add_switch(name(nth), 32).unwrap()).collect();
    let mut ports = vec![0; all.len()];
    let mut port = |switch: SwitchId| {
        ports[switch.index()] += 1;
        End::switch(switch, ports[switch.index()] - 1)
    };
    let mut hosts = 0;
    let mut trunks = Vec::new();
    for at in &all[..leaves] {
        let own = if uneven { 2 + below(&mut stream, most - 1) } else { most };
        for _ in 0..own {
            let host = net.add_host(format!("host{hosts}")).unwrap();
            hosts += 1;
            net.connect(End::host(host, 0), port(*at)).unwrap();
        }
        for spine in &all[leaves..] {
            for _ in 0..cables {
                net.connect(port(*at), port(*spine)).unwrap();
                trunks.push(LinkId::new(net.links().len() - 1));
            }
        }
    }
    for spine in &all[leaves..] {
        if below(&mut stream, 2) == 0 {
            let host = net.add_host(format!("host{hosts}")).unwrap();
            hosts += 1;
            net.connect(End::host(host, 0), port(*spine)).unwrap();
        }
    }
    let gone = below(&mut stream, 1 + trunks.len() / 4);
    let cut: Vec<Part> = (0..gone).map(|_| Part::Cable(trunks[below(&mut stream, trunks.len())])).collect();
    without(&net, &cut)
}

/// Parallel cables in one direction.
struct Bundle {
    ends: (SwitchId, SwitchId),
    cables: u64,
    is_up: bool,
}

/// What one switch sends another: so many units, each whole on one path, of so many routes.
struct Need {
    ends: (SwitchId, SwitchId),
    units: u64,
    weight: u64,
    paths: Vec<Path>,
}

/// The bundles of a path, and the turns from down to up on it.
#[derive(Clone)]
struct Path {
    bundles: Vec<usize>,
    turns: Vec<(usize, usize)>,
}

/// A tree as parallel cables and what goes over them.
struct Demand {
    bundles: Vec<Bundle>,
    needs: Vec<Need>,
    hosts: Vec<u32>,
    /// Whether next hops by destination are asked for: a unit is then all that a switch sends to one host.
    by_destination: bool,
}

impl Demand {
    fn new(graph: &SwitchGraph, directions: &Directions, hosts: &[u32], by_destination: bool) -> Demand {
        let mut bundles: Vec<Bundle> = Vec::new();
        for (nth, output) in graph.outputs().iter().enumerate() {
            let ends = (graph.sender(nth), output.to);
            match bundles.iter_mut().find(|bundle| bundle.ends == ends) {
                Some(bundle) => bundle.cables += 1,
                None => bundles.push(Bundle { ends, cables: 1, is_up: directions.is_up(ends.0, ends.1) }),
            }
        }
        let mut demand = Demand { bundles, needs: Vec::new(), hosts: hosts.to_vec(), by_destination };
        let with_hosts: Vec<SwitchId> = graph.switch_ids().filter(|s| hosts[s.index()] > 0).collect();
        for ends in with_hosts.iter().flat_map(|from| with_hosts.iter().map(move |to| (*from, *to))) {
            if ends.0 != ends.1 {
                demand.add_need(ends);
            }
        }
        demand
    }

    fn add_need(&mut self, (from, to): (SwitchId, SwitchId)) {
        let mut paths = Vec::new();
        self.extend((from, to), &mut Vec::new(), &mut paths);
        if !ANY_PAIR_TURNS && paths.iter().any(|path| path.turns.is_empty()) {
            paths.retain(|path| path.turns.is_empty());
        }
        let of = |switch: SwitchId| u64::from(self.hosts[switch.index()]);
        let (units, weight) = if self.by_destination { (of(to), of(from)) } else { (of(from) * of(to), 1) };
        if !paths.is_empty() {
            self.needs.push(Need { ends: (from, to), units, weight, paths });
        }
    }

    /// All paths that pass no switch twice.
    fn extend(&self, (at, to): (SwitchId, SwitchId), so_far: &mut Vec<usize>, paths: &mut Vec<Path>) {
        if at == to {
            let turn = |pair: &[usize]| (!self.bundles[pair[0]].is_up && self.bundles[pair[1]].is_up).then_some((pair[0], pair[1]));
            let turns = so_far.windows(2).filter_map(turn).collect();
            paths.push(Path { bundles: so_far.clone(), turns });
            return;
        }
        for (nth, bundle) in self.bundles.iter().enumerate().filter(|(_, bundle)| bundle.ends.0 == at) {
            let next = bundle.ends.1;
            let passed = so_far.iter().any(|before| self.bundles[*before].ends.0 == next);
            if !passed {
                so_far.push(nth);
                self.extend((next, to), so_far, paths);
                so_far.pop();
            }
        }
    }

    /// The turns from down to up that paths take.
    fn turns(&self) -> BTreeSet<(usize, usize)> {
        self.needs.iter().flat_map(|need| &need.paths).flat_map(|path| path.turns.iter().copied()).collect()
    }

    /// Some turns of these that close a circle whichever of parallel cables they take: after each comes one at
    /// another switch, from where it led.
    fn circle(&self, turns: &BTreeSet<(usize, usize)>) -> Option<Vec<(usize, usize)>> {
        let at = |turn: &(usize, usize)| self.bundles[turn.1].ends;
        let follows = |one: &(usize, usize), other: &(usize, usize)| {
            at(one).1 == self.bundles[other.0].ends.0 && at(one).0 != at(other).0
        };
        let all: Vec<(usize, usize)> = turns.iter().copied().collect();
        // The shortest one: a search from each turn back to itself.
        let mut best: Option<Vec<(usize, usize)>> = None;
        for start in 0..all.len() {
            let mut before = vec![usize::MAX; all.len()];
            let mut open = vec![start];
            let mut next = 0;
            while let Some(&one) = open.get(next) {
                next += 1;
                for other in (0..all.len()).filter(|other| follows(&all[one], &all[*other])) {
                    if before[other] == usize::MAX {
                        before[other] = one;
                        if other != start {
                            open.push(other);
                        }
                    }
                }
            }
            if before[start] != usize::MAX {
                let mut circle = vec![all[start]];
                let mut one = before[start];
                while one != start {
                    circle.push(all[one]);
                    one = before[one];
                }
                if best.as_ref().is_none_or(|best| circle.len() < best.len()) {
                    best = Some(circle);
                }
            }
        }
        best
    }

    /// Looks whether no routes by any acyclic set of these turns keep all channels at `most` or below.
    fn search(&self, turns: &BTreeSet<(usize, usize)>, kept: &BTreeSet<(usize, usize)>, most: u64, budget: &mut usize) -> Found {
        if *budget == 0 {
            return Found::Unknown;
        }
        *budget -= 1;
        match self.fractions(turns, most) {
            Found::None => return Found::None,
            _ => {}
        }
        let Some(circle) = self.circle(turns) else { return Found::Unknown };
        let (mut turns, mut kept) = (turns.clone(), kept.clone());
        for turn in circle {
            // The circle ends with its first turn that goes; those before it stay.
            if kept.contains(&turn) {
                continue;
            }
            turns.remove(&turn);
            if self.search(&turns, &kept, most, budget) == Found::Unknown {
                return Found::Unknown;
            }
            turns.insert(turn);
            kept.insert(turn);
        }
        Found::None
    }

    /// Whether not even fractions of units, shared out among the paths of these turns, keep all at `most` or below:
    /// weights of channels show it by which what is to be carried costs more than what can be.
    fn fractions(&self, turns: &BTreeSet<(usize, usize)>, most: u64) -> Found {
        let none = Path { bundles: Vec::new(), turns: Vec::new() };
        let _ = none;
        let n = self.bundles.len();
        let mut rows: Vec<f64> = Vec::with_capacity(2 * n);
        let usable: Vec<Vec<&Path>> = self
            .needs
            .iter()
            .map(|need| {
                // What turns at a switch takes the cable there that the switch's own routes take.
                let own = |turn: &(usize, usize)| u64::from(self.hosts[self.bundles[turn.1].ends.0.index()]);
                let fits = |turn: &(usize, usize)| !self.by_destination || need.weight + own(turn) <= most;
                let is_usable = |turn: &(usize, usize)| turns.contains(turn) && fits(turn);
                need.paths.iter().filter(|path| path.turns.iter().all(is_usable)).collect()
            })
            .collect();
        if usable.iter().any(|paths: &Vec<&Path>| paths.is_empty()) {
            return Found::None;
        }
        // By bundle the weights of what may take it.
        for nth in 0..n {
            let mut weights = BTreeSet::new();
            for (need, paths) in self.needs.iter().zip(&usable) {
                if paths.iter().any(|path| path.bundles.contains(&nth)) {
                    weights.insert(need.weight);
                }
            }
            rows.push((self.bundles[nth].cables * reach(&weights, most)) as f64);
        }
        for bundle in &self.bundles {
            let own = u64::from(self.hosts[bundle.ends.0.index()]).max(1);
            let weight = if self.by_destination { own } else { 1 };
            rows.push((bundle.cables * (most / weight * weight)) as f64);
        }
        let mut log = vec![0.0; 2 * n];
        let mut length = vec![1.0; 2 * n];
        let mut total = vec![0.0; 2 * n];
        // A row that can carry nothing must not be needed.
        for round in 1..=ROUNDS {
            let volume: f64 = length.iter().zip(&rows).map(|(length, cap)| length * cap).sum();
            let mut sum = 0.0;
            let mut flow = vec![0.0; 2 * n];
            for (need, paths) in self.needs.iter().zip(&usable) {
                let cost = |path: &Path| -> f64 {
                    let own = path.bundles.first().map_or(0.0, |first| length[n + first]);
                    own + path.bundles.iter().map(|nth| length[*nth]).sum::<f64>()
                };
                let (least, path) = paths.iter().map(|path| (cost(path), path)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                let amount = (need.units * need.weight) as f64;
                sum += least * amount;
                path.bundles.iter().for_each(|nth| flow[*nth] += amount);
                path.bundles.first().iter().for_each(|first| flow[n + **first] += amount);
            }
            if sum > volume * (1.0 + 1e-9) {
                return Found::None;
            }
            let full = |flow: &[f64]| -> f64 {
                (0..2 * n).map(|r| if flow[r] == 0.0 { 0.0 } else { flow[r] / rows[r].max(1e-9) }).fold(1e-9, f64::max)
            };
            let widest = full(&flow);
            for r in 0..2 * n {
                total[r] += flow[r];
                log[r] += flow[r] / rows[r].max(1e-9) / widest / (round as f64).sqrt();
            }
            let even: Vec<f64> = total.iter().map(|t| t / round as f64).collect();
            if full(&even) <= 1.0 {
                return Found::Fractions;
            }
            let top = log.iter().copied().fold(0.0, f64::max);
            for r in 0..2 * n {
                length[r] = (log[r] - top).exp();
            }
        }
        Found::Unknown
    }

    /// Whether no routes have a busiest channel below `goal`.
    fn none_below(&self, goal: u64, budget: &mut usize) -> bool {
        goal == 0 || self.search(&self.turns(), &BTreeSet::new(), goal - 1, budget) == Found::None
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    None,
    Fractions,
    Unknown,
}

/// The largest sum up to `most` of any number of each of these.
fn reach(weights: &BTreeSet<u64>, most: u64) -> u64 {
    let mut sums = vec![false; most as usize + 1];
    sums[0] = true;
    for sum in 1..=most {
        sums[sum as usize] = weights.iter().any(|w| *w <= sum && sums[(sum - w) as usize]);
    }
    (0..=most).rev().find(|sum| sums[*sum as usize]).unwrap_or(0)
}

const ROUNDS: usize = 3_000;
const ANY_PAIR_TURNS: bool = true;

#[test]
fn measure() {
    let (mut seed, mut done, mut no) = (0, 0, 0);
    let mut failed = [0; 2];
    while done < cases(500) {
        seed += 1;
        let net = small(seed);
        let (graph, attachments) = (SwitchGraph::new(&net), Attachments::lowest(&net));
        let hosts = attachments.per_switch(graph.switches(), None);
        let rule = Rule::new(&spines(), &graph, &attachments, None);
        let directions: &Directions = rule.directions().unwrap();
        if !directions.are_spines() {
            no += 1;
            println!("seed {seed}: no tree {} switches, hosts {hosts:?}", graph.switches());
            continue;
        }
        let Some(exceptions) = directions.exceptions() else { continue };
        assert!(exceptions.apart().is_empty());
        done += 1;
        let choices = Choices { algorithm: spines(), selection: Selection::Balanced, ..Choices::default() };
        let plan = Plan::new(&net, &attachments, &choices).unwrap().report(&net, &attachments).max_channel_load;
        let tables =
            DestinationTables::new(&net, &attachments, &Engine::Rule(spines()), (None, 0, None)).unwrap();
        let tables = tables.report(&net, &attachments).max_channel_load;
        for (nth, (ours, by)) in [(plan, false), (tables, true)].into_iter().enumerate() {
            let demand = Demand::new(&graph, directions, &hosts, by);
            let mut budget = 300;
            let goal = (10 * ours).div_ceil(11);
            if !demand.none_below(goal, &mut budget) {
                failed[nth] += 1;
                let mut least = goal;
                while least > 0 && !demand.none_below(least, &mut 300) {
                    least -= 1;
                }
                let cables: Vec<String> = demand.bundles.iter().filter(|b| b.ends.0 < b.ends.1).map(|b| format!("{}-{}x{}", b.ends.0.0, b.ends.1.0, b.cables)).collect();
                println!("seed {seed}: {} {ours}, at least {least} shown, budget left {budget}, hosts {hosts:?} {}", if by { "tables" } else { "plan" }, cables.join(" "));
            }
        }
    }
    println!("{seed} seeds, {no} no trees, {done} done, failed {failed:?}");
}
