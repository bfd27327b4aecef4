//! Parts of a scenario that differ from repetition to repetition, and those that chance draws at all.

use simnet_base::diagnostics::Fault;
use simnet_network::routing::Engine;
use simnet_network::topology::generate::FAMILIES;

use super::Sweep;
use super::check::Firsts;
use crate::diagnostics::Diagnostics;
use crate::layers::find;
use crate::seeds::{Chance, RunSeeds};
use crate::tree::{Item, Value};
use crate::wire;

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts([bool; Chance::ALL.len()]);

impl Parts {
    pub(super) fn has(self, part: Chance) -> bool {
        self.0[part as usize]
    }

    /// The names of its parts, in the order of [`Chance::ALL`].
    pub(super) fn names(self) -> Vec<&'static str> {
        Chance::ALL.iter().filter(|(_, part)| self.has(*part)).map(|(name, _)| *name).collect()
    }

    fn with(mut self, part: Chance, is_there: bool) -> Parts {
        self.0[part as usize] |= is_there;
        self
    }

    fn or(self, other: Parts) -> Parts {
        Chance::ALL.iter().fold(self, |parts, (_, part)| parts.with(*part, other.has(*part)))
    }

    /// The seeds of a repetition whose seed is `seed`, of a scenario whose seed is `own`: the parts of this set have
    /// the first, others the second.
    pub(super) fn seeds(self, own: u64, seed: u64) -> RunSeeds {
        let of = |part| if self.has(part) { seed } else { own };
        RunSeeds {
            traffic: of(Chance::Traffic),
            routing: of(Chance::Routing),
            topology: self.has(Chance::Topology).then_some(seed),
        }
    }

    /// The seeds that a point's own seed does not give, as far as the parts of `drawn` need them.
    pub(super) fn other_seeds(
        self,
        drawn: Parts,
        own: u64,
        seed: u64,
    ) -> impl Iterator<Item = (Chance, u64)> {
        let RunSeeds { traffic, routing, topology } = self.seeds(own, seed);
        let kept = [(Chance::Traffic, traffic), (Chance::Routing, routing)];
        let kept = kept.into_iter().filter(move |(_, kept)| *kept != seed);
        let all = kept.chain(topology.map(|seed| (Chance::Topology, seed)));
        all.filter(move |(part, _)| drawn.has(*part))
    }
}

/// The parts that vary, as the file has them; notes a part that stands there twice, and an empty list.
pub(super) fn read(described: &wire::Sweep, diagnostics: &mut Diagnostics) -> Parts {
    let Some(listed) = described.vary.get() else { return Parts::default().with(Chance::Traffic, true) };
    if listed.value.is_empty() {
        diagnostics.add(listed.place, |span| {
            Fault::new("empty-list", span, "an empty list", "expected at least one part that varies")
        });
    }
    let mut parts = Parts::default();
    for part in &listed.value {
        if parts.has(part.value) {
            diagnostics.add(part.place, |span| {
                let message = format!("`{}` is there twice", part.value.name());
                Fault::new("conflict", span, message, "expected each part once")
            });
        }
        parts = parts.with(part.value, true);
    }
    parts
}

/// The sections in which something is drawn while a run goes on.
const RUNNING: [&str; 6] =
    ["traffic", "mapping", "operation", "allgather", "discovery", "failures-at-random"];

/// The keys that decide whether routes are drawn.
const DECIDING: [[&str; 2]; 7] = [
    ["routing", "algorithm"],
    ["routing", "select"],
    ["fabric", "lanes"],
    ["ethernet", "forwarding"],
    ["rings", "tree"],
    ["rings", "root"],
    ["allgather", "tree"],
];

/// The keys of a scenario that decide which parts it draws with the seeds of its run.
#[derive(Debug)]
pub(super) struct Draws {
    /// The parts that no single value decides.
    sure: Parts,
    /// Whether `[routing]` gives a seed.
    has_seed: bool,
    /// The values of [`DECIDING`], which may be holes.
    values: [Option<Value>; DECIDING.len()],
}

impl Draws {
    /// Of a scenario with holes where axes put values.
    pub(super) fn of(root: &Item) -> Draws {
        let at = |[section, key]: [&str; 2]| find(root, section).and_then(|section| find(section, key));
        let runs = RUNNING.iter().any(|section| find(root, section).is_some());
        let seedless = |table: &Item| matches!(table.value, Value::Table(_)) && find(table, "seed").is_none();
        let is_random = |family: &str| at(["topology", family]).is_some_and(seedless);
        Draws {
            sure: Parts::default().with(Chance::Traffic, runs).with(
                Chance::Topology,
                FAMILIES.iter().any(|family| family.random && is_random(family.name)),
            ),
            has_seed: at(["routing", "seed"]).is_some(),
            values: DECIDING.map(|key| at(key).map(|item| item.value.clone())),
        }
    }

    /// The parts, where `fill` gives the value of a hole; `None` for one that may be any.
    pub(super) fn parts(&self, fill: impl Fn(usize) -> Option<Value>) -> Parts {
        let value = |value: &Option<Value>| match value {
            Some(Value::Hole(hole)) => fill(*hole).map_or(Some(Value::Hole(*hole)), Some),
            other => other.clone(),
        };
        let [algorithm, select, lanes, forwarding, tree, root, own_tree] = self.values.each_ref().map(value);
        let can_be = |value: &Option<Value>, word: &str| match value {
            Some(Value::Text(text)) => text == word,
            Some(Value::Hole(_)) => true,
            _ => false,
        };
        // Frames follow next hops, whichever routes are selected.
        let on_frames = matches!(&forwarding, Some(Value::Text(by)) if by == "routes");
        let selects = !self.has_seed && !on_frames && can_select(algorithm.as_ref(), lanes.as_ref());
        let is_drawn = selects && (select.is_none() || can_be(&select, "random"))
            || [tree, root, own_tree].iter().any(|by| can_be(by, "random"))
            || can_be(&forwarding, "ecmp");
        self.sure.with(Chance::Routing, is_drawn)
    }
}

/// Returns whether an algorithm can select among routes: none does that finds next hops by destination, on lanes.
fn can_select(algorithm: Option<&Value>, lanes: Option<&Value>) -> bool {
    let name = match algorithm {
        Some(Value::Text(name)) => name,
        Some(Value::Hole(_)) => return true,
        _ => return false,
    };
    let has_lanes = matches!(lanes, Some(Value::Integer(Some(2..))));
    let engine = Engine::ROUTERS.iter().find(|(other, _)| other == name).map(|(_, engine)| engine);
    engine.is_some_and(|engine| matches!(engine, Engine::Rule(_)) && !(has_lanes && engine.takes_lanes()))
}

/// Notes parts that are to vary and that no point draws; without `vary`, at the seeds, if traffic is none.
pub(super) fn check(sweep: &Sweep, firsts: &Firsts, described: &wire::Sweep, diagnostics: &mut Diagnostics) {
    let wanted = sweep.wanted(firsts).into_iter();
    let drawn = wanted.fold(Parts::default(), |parts, combination| parts.or(sweep.drawn(combination)));
    for part in described.vary.value().into_iter().flatten().filter(|part| !drawn.has(part.value)) {
        let (message, expected) = missing(part.value);
        diagnostics.add(part.place, |span| Fault::new("nothing-drawn", span, message, expected));
    }
    let place = described.repetitions.get().map(|at| at.place);
    let place = place.or(described.seeds.get().map(|at| at.place)).filter(|_| described.vary.is_absent());
    if let Some(place) = place.filter(|_| sweep.seeds() > 1 && !drawn.has(Chance::Traffic)) {
        diagnostics.add(place, |span| {
            let message = "seeds vary traffic alone, and nothing here is chance while it goes on";
            let other = Chance::ALL.iter().find(|(_, part)| drawn.has(*part));
            let expected = match other {
                Some((name, _)) => format!("expected vary = [\"{name}\"]"),
                None => "expected a single repetition: nothing is drawn by chance".to_owned(),
            };
            Fault::new("nothing-drawn", span, message, expected)
        });
    }
}

/// The message of a part that is to vary and is not drawn, and what is expected.
fn missing(part: Chance) -> (&'static str, &'static str) {
    match part {
        Chance::Traffic => (
            "nothing is chance while a run goes on",
            "expected [traffic], [mapping] or another section that runs",
        ),
        Chance::Routing => (
            "no routes are drawn by chance with the seed of the run",
            "expected [routing] with an algorithm, select = \"random\" and no `seed`",
        ),
        Chance::Topology => (
            "no network is drawn by chance with the seed of the run",
            "expected a generator such as [topology.random-regular], without `seed`",
        ),
    }
}
