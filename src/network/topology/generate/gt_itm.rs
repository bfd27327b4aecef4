//! Random clusters as the generator GT-ITM draws flat graphs, with machines placed uniformly.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::topology::Network;

use super::layout::{check_size, wire};
use super::{GenerateError, Size, invalid};

/// The most switches: every pair of them is drawn for.
pub(super) const MOST_SWITCHES: u64 = 1 << 14;
/// How often a graph that fell apart is drawn anew, at most.
const ATTEMPTS: u64 = 1_000;
/// For how many pairs of switches is drawn in all attempts together, about.
const PAIRS: u64 = 1 << 22;

/// A connected random graph of switches with a mean degree, and machines on switches drawn at random.
///
/// A switch has its neighbours on its first ports, in order of their numbers, its machines on those after
/// them; machine 0 is placed first.
///
/// # Source
/// faraj2008, section 5: GT-ITM (Zegura, Calvert and Bhattacharjee 1996, *How to model an internetwork*) "with an
/// average nodal degree of 4", "each machine is randomly distributed to any switch with an equal probability".
/// Neither the method nor its parameters are printed. Here are GT-ITM's method 3, *pure random*: an edge
/// between any two with probability alpha = degree / (switches - 1); and its method 1, *Waxman*: nodes in a
/// square, an edge with probability alpha exp(-d / (beta L)) for two that are d apart, L the diagonal, beta
/// given and alpha computed from the nodes' places so that the mean degree is expected to be the one asked
/// for.
///
/// Departures: both are drawn anew until connected, as GT-ITM does, but only for a time, since at degree 4
/// a graph of 200 switches is connected once in forty drawings and one of 2,000 never (about two switches in
/// a hundred have no neighbour). After that each part of the last drawing is joined to those before it by
/// one cable between switches drawn at random, which adds about one cable in a hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GtItm {
    family: &'static str,
    switches: u64,
    machines: u64,
    degree: u64,
    /// GT-ITM's beta, for Waxman's method.
    beta: Option<f64>,
}

type Edges = Vec<(u64, u64)>;

impl GtItm {
    /// Pure random graphs.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] for no switch or more than the size limits.
    pub fn pure_random(switches: u32, machines: u32, degree: u32) -> Result<GtItm, GenerateError> {
        GtItm::new("gt-itm", [switches, machines, degree], None)
    }

    /// Waxman's graphs, with beta in hundredths.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] for no switch or more than the size limits.
    pub fn waxman(switches: u32, machines: u32, degree: u32, beta: u32) -> Result<GtItm, GenerateError> {
        GtItm::new("waxman", [switches, machines, degree], Some(f64::from(beta.max(1)) / 100.0))
    }

    fn new(family: &'static str, sizes: [u32; 3], beta: Option<f64>) -> Result<GtItm, GenerateError> {
        let [switches, machines, degree] = sizes.map(u64::from);
        if switches == 0 || switches > MOST_SWITCHES {
            return Err(invalid(family, "switches", format!("must be from 1 to {MOST_SWITCHES}")));
        }
        check_size(family, "machines", switches, machines, 0)?;
        Ok(GtItm { family, switches, machines, degree, beta })
    }

    /// How large it is likely to be: how many cables there are is chance, with the mean given here.
    pub fn size(&self) -> Size {
        let mean = self.switches * self.degree.min(self.switches - 1) / 2;
        let cables = mean.max(self.switches - 1);
        Size::new(self.switches, self.machines, cables, 2 * cables + self.machines)
    }

    /// Draws the network that `seed` stands for. Costs O(switches^2) an attempt.
    ///
    /// # Errors
    /// [`GenerateError::Invalid`] if a switch would need more ports than any has.
    pub fn build(&self, seed: u64) -> Result<Network, GenerateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pairs = self.switches * (self.switches - 1) / 2;
        let attempts = PAIRS.checked_div(pairs).unwrap_or(1).clamp(1, ATTEMPTS);
        let mut edges = self.draw(&mut rng);
        for _ in 1..attempts {
            if parts(self.switches, &edges).len() == 1 {
                break;
            }
            edges = self.draw(&mut rng);
        }
        join(self.switches, &mut edges, &mut rng);
        let places: Vec<u64> = (0..self.machines).map(|_| rng.random_range(0..self.switches)).collect();
        wire(self.family, self.switches, &edges, &places)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Edges {
        match self.beta {
            None => self.draw_pure(rng),
            Some(beta) => self.draw_waxman(beta, rng),
        }
    }

    fn draw_pure(&self, rng: &mut ChaCha8Rng) -> Edges {
        let others = self.switches - 1;
        pairs(self.switches).filter(|_| rng.random_range(0..others) < self.degree).collect()
    }

    fn draw_waxman(&self, beta: f64, rng: &mut ChaCha8Rng) -> Edges {
        let places: Vec<[f64; 2]> = (0..self.switches).map(|_| [rng.random(), rng.random()]).collect();
        let of = |switch: u64| places[usize::try_from(switch).expect("a position in the list")];
        let weight = |(a, b): (u64, u64)| {
            let ([xa, ya], [xb, yb]) = (of(a), of(b));
            let distance = libm::sqrt((xa - xb) * (xa - xb) + (ya - yb) * (ya - yb));
            libm::exp(-distance / (beta * std::f64::consts::SQRT_2))
        };
        let weights: Vec<f64> = pairs(self.switches).map(weight).collect();
        let edges = self.switches as f64 * self.degree as f64 / 2.0;
        let alpha = edges / weights.iter().sum::<f64>();
        let drawn =
            pairs(self.switches).zip(weights).filter(|(_, weight)| rng.random::<f64>() < alpha * weight);
        drawn.map(|(pair, _)| pair).collect()
    }
}

/// All pairs of switches, the lower number first.
fn pairs(switches: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..switches).flat_map(move |a| (a + 1..switches).map(move |b| (a, b)))
}

/// The parts that edges leave a graph in, in order of their first switches.
fn parts(switches: u64, edges: &Edges) -> Vec<Vec<u64>> {
    let mut neighbours = vec![Vec::new(); usize::try_from(switches).expect("few enough to be drawn")];
    let at = |switch: u64| usize::try_from(switch).expect("a switch");
    for (a, b) in edges {
        neighbours[at(*a)].push(*b);
        neighbours[at(*b)].push(*a);
    }
    let mut seen = vec![false; neighbours.len()];
    let mut found = Vec::new();
    for first in 0..switches {
        if std::mem::replace(&mut seen[at(first)], true) {
            continue;
        }
        let mut part = vec![first];
        let mut open = vec![first];
        while let Some(switch) = open.pop() {
            for other in &neighbours[at(switch)] {
                if !std::mem::replace(&mut seen[at(*other)], true) {
                    part.push(*other);
                    open.push(*other);
                }
            }
        }
        found.push(part);
    }
    found
}

/// Joins every part to those before it by one edge; leaves edges in order.
fn join(switches: u64, edges: &mut Edges, rng: &mut ChaCha8Rng) {
    let mut joined: Vec<u64> = Vec::new();
    for part in parts(switches, edges) {
        if !joined.is_empty() {
            let a = joined[rng.random_range(0..joined.len())];
            let b = part[rng.random_range(0..part.len())];
            edges.push((a.min(b), a.max(b)));
        }
        joined.extend(part);
    }
    edges.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if a cluster fell apart, had two cables between neighbours, missed its degree or its machines,
    /// or if a seed stood for two clusters.
    #[test]
    fn clusters_are_connected_and_have_their_degree() {
        for (switches, machines, seeds) in
            [(1, 5, 3), (2, 2, 3), (20, 100, 20), (150, 750, 4), (1_000, 5_000, 1)]
        {
            let pure = GtItm::pure_random(switches, machines, 4).unwrap();
            let waxman = GtItm::waxman(switches, machines, 4, 20).unwrap();
            for family in [pure, waxman] {
                let mut cables = 0;
                for seed in 0..seeds {
                    let net = family.build(seed).unwrap();
                    assert_eq!(net, family.build(seed).unwrap(), "{switches} seed {seed}");
                    let edges: Edges = (net.links().iter())
                        .filter_map(|link| match (link.a.node, link.b.node) {
                            (simnet_base::ids::Node::Switch(a), simnet_base::ids::Node::Switch(b)) => {
                                Some((u64::from(a.0), u64::from(b.0)))
                            }
                            _ => None,
                        })
                        .collect();
                    assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{switches} seed {seed}");
                    assert_eq!(parts(u64::from(switches), &edges).len(), 1, "{switches} seed {seed}");
                    assert_eq!(net.hosts().len(), machines as usize);
                    cables += edges.len();
                }
                // Degree 4 is twice as many cables as switches; being connected favours dense graphs.
                let degree = 2.0 * cables as f64 / f64::from(switches) / seeds as f64;
                assert!(switches < 20 || (3.8..4.5).contains(&degree), "{family:?}: {degree}");
            }
        }
    }

    /// Wrong if distance did not matter to Waxman's graphs.
    #[test]
    fn waxman_cables_are_short() {
        let triangles = |family: GtItm| {
            let net = family.build(3).unwrap();
            let mut count = 0;
            for switch in net.switch_ids() {
                let near = |id| {
                    let far = net.cables(simnet_base::ids::Node::Switch(id)).map(|(_, _, far)| far.node);
                    far.filter_map(|node| match node {
                        simnet_base::ids::Node::Switch(other) => Some(other),
                        simnet_base::ids::Node::Host(_) => None,
                    })
                    .collect::<Vec<_>>()
                };
                count += near(switch)
                    .into_iter()
                    .flat_map(near)
                    .filter(|two| near(*two).contains(&switch))
                    .count();
            }
            count
        };
        let random = triangles(GtItm::pure_random(400, 0, 4).unwrap());
        let short = triangles(GtItm::waxman(400, 0, 4, 5).unwrap());
        assert!(short > 3 * random, "{short} triangles against {random}");
    }
}
