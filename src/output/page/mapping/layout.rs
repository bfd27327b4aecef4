//! Where the vertices of a growing model are drawn: at places that never change while it grows.
//!
//! Each switch of the final model has a *home*: homes stand in layers by their distance from the mapper, ordered so
//! that few cables cross. A vertex that turns out to be a switch known before stands in the arcs above that switch's
//! home, and hosts hang in arcs below it. A place in an arc is free again when its vertex is merged.
//!
//! ```text
//!             . . .            vertices that will be found to be this switch
//!              (o)             the home of a switch
//!             h h h            its hosts
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::film::Film;

/// Layers of more switches are drawn in several rows, unless the network is so large that rows must be longer.
const WIDEST_ROW: usize = 16;
/// How often layers are put in order of their neighbours.
const SWEEPS: usize = 12;

/// Arcs of places round a home.
struct Arcs {
    /// The radius of the first.
    first: f64,
    /// From one to the next.
    step: f64,
    /// From one place to the next in an arc.
    gap: f64,
}

const REPLICATES: Arcs = Arcs { first: 19.0, step: 9.0, gap: 9.0 };
const HOSTS: Arcs = Arcs { first: 31.0, step: 15.0, gap: 14.0 };
/// How far the mapper's host stands above all that its switch has round it.
const ABOVE: f64 = 24.0;
/// The angle that an arc spans, in radians.
const SPAN: f64 = 2.4;

impl Arcs {
    /// The nth place, above the home; so many in all are wanted, which are spread evenly.
    fn place(&self, nth: usize, all: usize) -> (f64, f64) {
        let (mut arc, mut left, mut rest) = (0, nth, all);
        let holds = |arc: usize| usize::try_from(whole(SPAN * self.radius(arc) / self.gap)).unwrap_or(0) + 1;
        while left >= holds(arc) {
            left -= holds(arc);
            rest = rest.saturating_sub(holds(arc));
            arc += 1;
        }
        let (radius, count) = (self.radius(arc), holds(arc).min(rest.max(left + 1)));
        // From the middle outwards where the arc is not full.
        let angle = (left as f64 - (count - 1) as f64 / 2.0) * self.gap / radius;
        (radius * angle.sin(), -radius * angle.cos())
    }

    fn radius(&self, arc: usize) -> f64 {
        self.first + self.step * arc as f64
    }

    /// The radius of the arc that so many reach.
    fn reach(&self, all: usize) -> f64 {
        (0..all).map(|nth| self.place(nth, all)).map(|(x, y)| x.hypot(y)).fold(0.0, f64::max)
    }
}

/// Where every vertex is, as whole numbers.
pub(super) fn places(film: &Film) -> Vec<(i64, i64)> {
    let mut plan = Plan::new(film);
    let rows = plan.rows();
    plan.stand(&rows);
    plan.places
}

struct Plan<'a> {
    film: &'a Film,
    /// Which switches of the final model ever had a cable between them.
    near: BTreeMap<usize, BTreeSet<usize>>,
    /// The hosts of each switch, and the vertices that turn out to be it with their place in its arcs.
    hosts: BTreeMap<usize, Vec<usize>>,
    replicates: BTreeMap<usize, Vec<(usize, usize)>>,
    /// The mapper's host and its switch: it stands above it.
    mapper: Option<(usize, usize)>,
    places: Vec<(i64, i64)>,
}

impl<'a> Plan<'a> {
    fn new(film: &'a Film) -> Plan<'a> {
        let places = vec![(0, 0); film.vertices.len()];
        let (hosts, replicates, mut near) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut home_of_host: BTreeMap<usize, usize> = BTreeMap::new();
        for (vertex, life) in film.vertices.iter().enumerate() {
            if life.home == vertex && life.host.is_none() {
                near.insert(vertex, BTreeSet::new());
            }
        }
        for span in &film.cables {
            let Some(b) = span.b else { continue };
            let (a, b) = (film.vertices[span.a].home, film.vertices[b].home);
            match (near.contains_key(&a), near.contains_key(&b)) {
                (true, true) if a != b => {
                    near.entry(a).or_default().insert(b);
                    near.entry(b).or_default().insert(a);
                }
                (true, false) => _ = home_of_host.insert(b, a),
                (false, true) => _ = home_of_host.insert(a, b),
                _ => {}
            }
        }
        let mapper = film.vertices.iter().position(|life| life.host.is_some());
        let mapper = mapper.and_then(|mapper| Some((mapper, *home_of_host.get(&mapper)?)));
        let mut plan = Plan { film, near, hosts, replicates, mapper, places };
        for (host, life) in film.vertices.iter().enumerate().filter(|(_, life)| life.host.is_some()) {
            match home_of_host.get(&host) {
                Some(home) if mapper == Some((host, *home)) => {}
                Some(home) => plan.hosts.entry(*home).or_default().push(host),
                // A host that no cable holds stands by itself, as a switch would.
                None => _ = plan.near.entry(life.home).or_default(),
            }
        }
        plan.give_arcs();
        plan
    }

    /// Gives each replicate the lowest place round its home that is free while it lives.
    fn give_arcs(&mut self) {
        let mut taken: BTreeMap<usize, Vec<Option<usize>>> = BTreeMap::new();
        for (vertex, life) in self.film.vertices.iter().enumerate() {
            if life.home == vertex || life.host.is_some() {
                continue;
            }
            let slots = taken.entry(life.home).or_default();
            let free = slots.iter().position(|until| until.is_some_and(|until| until <= life.made));
            let slot = free.unwrap_or_else(|| {
                slots.push(None);
                slots.len() - 1
            });
            slots[slot] = life.gone;
            self.replicates.entry(life.home).or_default().push((vertex, slot));
        }
    }

    /// The homes in rows: by distance from the mapper, then by the middle of their neighbours.
    fn rows(&self) -> Vec<Vec<usize>> {
        let mut layers: Vec<Vec<usize>> = Vec::new();
        let mut reached = BTreeSet::new();
        // The mapper's own switch is made before all others; what nothing leads to comes last.
        for start in self.near.keys() {
            if !reached.insert(*start) {
                continue;
            }
            let base = if reached.len() == 1 { 0 } else { layers.len() };
            let mut queue = VecDeque::from([(*start, base)]);
            while let Some((home, layer)) = queue.pop_front() {
                layers.resize(layers.len().max(layer + 1), Vec::new());
                layers[layer].push(home);
                queue.extend(
                    self.near[&home]
                        .iter()
                        .filter(|next| reached.insert(**next))
                        .map(|next| (*next, layer + 1)),
                );
            }
        }
        for sweep in 0..SWEEPS {
            let order: Vec<usize> =
                if sweep % 2 == 0 { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
            for layer in order {
                let at: BTreeMap<usize, f64> = layers.iter().flat_map(|homes| middles(homes)).collect();
                let middle = |home: &usize| {
                    let others: Vec<f64> =
                        self.near[home].iter().filter_map(|other| at.get(other).copied()).collect();
                    let sum: f64 = others.iter().sum();
                    if others.is_empty() { at[home] } else { sum / others.len() as f64 }
                };
                let mut sorted: Vec<(f64, usize)> =
                    layers[layer].iter().map(|home| (middle(home), *home)).collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                layers[layer] = sorted.into_iter().map(|(_, home)| home).collect();
            }
        }
        layers
    }

    /// Places the homes, and what belongs to each round it.
    fn stand(&mut self, layers: &[Vec<usize>]) {
        // Far more wide than high.
        let widest = WIDEST_ROW.max(3 * self.near.len().isqrt());
        let mut y = 0.0;
        for layer in layers {
            let rows = layer.len().div_ceil(widest).max(1);
            let (above, below) = layer
                .iter()
                .map(|home| self.room(*home))
                .fold((0.0, 0.0), |most: (f64, f64), room| (most.0.max(room.0), most.1.max(room.1)));
            let pitch = (2.0 * above.max(below)).max(44.0) + 18.0;
            for (nth, home) in layer.iter().enumerate() {
                // Neighbours in the order stand in different rows, so that the order still shows.
                let x = (nth as f64 - (layer.len() - 1) as f64 / 2.0) * pitch / rows as f64;
                let row = (nth % rows) as f64;
                self.stand_one(*home, x, y + above + row * (above + below + 34.0));
            }
            y += rows as f64 * (above + below + 34.0) + 30.0;
        }
    }

    /// How far what belongs to a home reaches above it and below.
    fn room(&self, home: usize) -> (f64, f64) {
        let slots = self
            .replicates
            .get(&home)
            .map_or(0, |all| all.iter().map(|(_, slot)| slot + 1).max().unwrap_or(0));
        let hosts = self.hosts.get(&home).map_or(0, Vec::len);
        let mapper = if self.mapper.is_some_and(|(_, own)| own == home) { ABOVE } else { 0.0 };
        (REPLICATES.reach(slots).max(12.0) + mapper, HOSTS.reach(hosts).max(12.0))
    }

    fn stand_one(&mut self, home: usize, x: f64, y: f64) {
        let at = |(dx, dy): (f64, f64)| (whole((x + dx).round()), whole((y + dy).round()));
        self.places[home] = at((0.0, 0.0));
        let slots = self.replicates.get(&home).into_iter().flatten();
        let most = slots.clone().map(|(_, slot)| slot + 1).max().unwrap_or(0);
        for (vertex, slot) in slots {
            self.places[*vertex] = at(REPLICATES.place(*slot, most));
        }
        if let Some((mapper, _)) = self.mapper.filter(|(_, own)| *own == home) {
            self.places[mapper] = at((0.0, -REPLICATES.reach(most).max(12.0) - ABOVE));
        }
        let hosts = self.hosts.get(&home).into_iter().flatten();
        for (nth, host) in hosts.clone().enumerate() {
            let (dx, dy) = HOSTS.place(nth, hosts.clone().count());
            self.places[*host] = at((dx, -dy));
        }
    }
}

/// The whole part of a number that is no larger than a drawing.
#[expect(
    clippy::cast_possible_truncation,
    reason = "drawings are smaller by far, and what is not is cut off"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

/// Where the homes of a layer are in it, from 0 to 1.
fn middles(homes: &[usize]) -> impl Iterator<Item = (usize, f64)> + '_ {
    homes.iter().enumerate().map(|(nth, home)| (*home, (nth as f64 + 0.5) / homes.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_arcs_keep_apart() {
        // Wrong if two vertices that live at the same time stood on each other.
        for arcs in [&REPLICATES, &HOSTS] {
            for all in 1..90 {
                let places: Vec<(f64, f64)> = (0..all).map(|nth| arcs.place(nth, all)).collect();
                for (nth, a) in places.iter().enumerate() {
                    assert!(a.1 < 0.0, "above the home");
                    for b in &places[..nth] {
                        let apart = (a.0 - b.0).hypot(a.1 - b.1);
                        assert!(apart > 0.9 * arcs.gap.min(arcs.step), "{all}: {a:?} and {b:?}");
                    }
                }
            }
        }
    }
}
