//! Whole documents: a sound one that was changed, or one of nothing but what the schema says.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::bad_input::schema_cases::chance::Chance;
use crate::bad_input::schema_cases::document::Node;
use crate::bad_input::schema_cases::keys::{self, Key};
use crate::bad_input::schema_cases::sweeps;
use crate::bad_input::schema_cases::values::{Mood, strange, table, value};

/// The folder of the sound documents and of the files that they name.
pub(super) const GOOD: &str = "tests/it/bad_input/good";

/// Small ones that name nothing of their networks, so that those may be exchanged, and a sweep of routings.
const MORE: [&str; 5] = [
    "scenario.name = 'compared'\ntopology.random-regular = { switches = 4, degree = 3, hosts-per-switch = 1 }\n\
     traffic.uniform = { payload = '32 B', loads = [0.01] }\n[sweep]\nnearest = 'gain'\n\
     statistics-over = ['topology.random-regular.seed']\n\
     ratios = [{ name = 'gain', column = 'throughput_flits_per_cycle_per_host', over = { routing = 'one' } }]\n\
     axes = [{ name = 'routing', labels = ['one', 'two'], \
     routing = [{ algorithm = 'updown' }, { algorithm = 'minimal' }] }, \
     { topology.random-regular.seed = [0, 1] }]\n",
    "scenario.name = 'map'\ntopology.star = { leaves = 2, hosts-per-switch = 2 }\nmapping.mapper = 'h0'\n\
     [output.events]\n",
    "scenario.name = 'gathered'\ntopology.chain = { switches = 4, hosts-per-switch = 2 }\n[ethernet]\n[allgather]\n\
     algorithm = 'lr3'\nsize = '1 KiB'\n",
    "scenario.name = 'found'\ntopology.chain = { switches = 3, hosts-per-switch = 2 }\n[ethernet]\n[discovery]\n\
     samples = 5\n",
    "scenario.name = 'routed'\ntopology.star = { leaves = 2, hosts-per-switch = 2 }\nrouting.algorithm = 'updown'\n\
     traffic.uniform = { payload = '32 B', loads = [0.01] }\n",
];

/// What cases are made of.
pub(super) struct Maker {
    pub(super) root: Json,
    sound: Vec<Node>,
}

/// One case: a document, a file that it may include, and what the command line says.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) number: u64,
    pub(super) document: Node,
    pub(super) layer: Node,
    pub(super) sets: Vec<String>,
    pub(super) seed: Option<u64>,
}

impl Case {
    /// The document and the file that it may include, as text.
    pub(super) fn texts(&self) -> [String; 2] {
        let mut chance = Chance::new(self.number | 1 << 63);
        [self.document.write(&mut chance), self.layer.write(&mut chance)]
    }
}

impl Maker {
    pub(super) fn new() -> Maker {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(GOOD);
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        names.sort();
        let texts = names.iter().map(|path| std::fs::read_to_string(path).unwrap());
        let sound = texts.chain(MORE.map(str::to_owned)).map(|text| Node::parse(&text)).collect();
        let mut root = simnet::scenario::schema();
        let needs = root["then"].take();
        require(&mut root, &needs);
        Maker { root, sound }
    }

    /// The case of a number; `keys` are all keys of the schema, and every case has another one.
    pub(super) fn case(&self, number: u64, keys: &[Key<'_>]) -> Case {
        let mut chance = Chance::new(number);
        let mood = [Mood::Mild, Mood::Mild, Mood::Mixed, Mood::Wild][chance.below(4)];
        let chance = &mut chance;
        let own = &keys[usize::try_from(number).unwrap() % keys.len()];
        let mut document = match chance.below(12) {
            0 if mood > Mood::Mild => table(&self.root, "", &self.root, mood, chance),
            _ => self.sound_with(own, chance),
        };
        keys::put(&mut document, own, &self.root, mood, chance);
        self.change(&mut document, keys, mood, chance);
        let mut case = Case { number, document, layer: Node::table(), sets: Vec::new(), seed: None };
        if chance.of(1, 8) {
            self.layers(&mut case, mood, chance);
        }
        if chance.of(2, 5) {
            sweeps::Grounds { root: &self.root, keys, mood }.add(&mut case.document, chance);
        }
        if chance.of(1, 8) {
            self.commands(&mut case, keys, mood, chance);
        }
        case
    }

    /// A sound document, if there is one with the section of a key.
    fn sound_with(&self, key: &Key<'_>, chance: &mut Chance) -> Node {
        let section = key.path.split(['.', '[']).next().unwrap_or_default();
        // Where further networks are wanted, one that names nothing of its own.
        let sound = if key.path.contains("networks[") {
            &self.sound[self.sound.len() - MORE.len()..]
        } else {
            &self.sound
        };
        let with: Vec<&Node> = sound.iter().filter(|sound| sound.get(section).is_some()).collect();
        let among = if with.is_empty() { self.sound.iter().collect() } else { with };
        among[chance.below(among.len())].clone()
    }

    /// Changes a document here and there: other values, other sections, keys that are missing, unknown or twice.
    fn change(&self, document: &mut Node, keys: &[Key<'_>], mood: Mood, chance: &mut Chance) {
        let changes = match mood {
            Mood::Mild => chance.below(2),
            Mood::Mixed => chance.below(4),
            Mood::Wild | Mood::Edge => chance.below(7),
        };
        for _ in 0..changes {
            match chance.below(7) {
                3 if mood > Mood::Mild => self.stretch(document, keys, chance),
                0 if mood > Mood::Mild => {
                    let other = &self.sound[chance.below(self.sound.len())];
                    let Node::Table(entries) = other else { continue };
                    let (key, section) = &entries[chance.below(entries.len())];
                    *document.child(key) = section.clone();
                }
                1 if mood > Mood::Mild && document.size() > 0 => {
                    *document = document.without(chance.below(document.size()));
                }
                2 if mood == Mood::Wild => slip(document, chance),
                _ => self.change_one(document, keys, mood, chance),
            }
        }
    }

    /// Puts several keys of a section at their bounds at once: what is fine alone may overflow together.
    fn stretch(&self, document: &mut Node, keys: &[Key<'_>], chance: &mut Chance) {
        let mut present = BTreeSet::new();
        keys::present(document, &self.root, "", &mut present);
        let sections: Vec<&String> = present.iter().filter(|path| !path.contains('.')).collect();
        let sections =
            ["fabric", "hosts", "measure"].into_iter().chain(sections.into_iter().map(String::as_str));
        let sections: Vec<&str> = sections.collect();
        let section = format!("{}.", chance.pick(&sections));
        let is_number = |key: &&Key<'_>| {
            key.schema["examples"].is_array()
                || ["integer", "number"].iter().any(|kind| key.schema["type"] == **kind)
        };
        let near = keys.iter().filter(|key| key.path.starts_with(&section) && !key.path.contains(['[', '*']));
        let near: Vec<&Key<'_>> = near.filter(is_number).collect();
        for _ in 0..(1 + chance.below(4)) * usize::from(!near.is_empty()) {
            keys::put(document, near[chance.below(near.len())], &self.root, Mood::Edge, chance);
        }
    }

    /// Gives another value to a key of a section that is there, or anywhere.
    fn change_one(&self, document: &mut Node, keys: &[Key<'_>], mood: Mood, chance: &mut Chance) {
        let mut present = BTreeSet::new();
        keys::present(document, &self.root, "", &mut present);
        let sections: Vec<String> =
            present.iter().filter(|path| !path.contains('.')).map(|path| format!("{path}.")).collect();
        let is_near = |key: &&Key<'_>| sections.iter().any(|section| key.path.starts_with(section.as_str()));
        let among: Vec<&Key<'_>> = match chance.below(10) {
            0 if mood > Mood::Mild => keys.iter().collect(),
            1..=6 => keys.iter().filter(|key| present.contains(&key.path)).collect(),
            _ => keys.iter().filter(is_near).collect(),
        };
        if !among.is_empty() {
            keys::put(document, among[chance.below(among.len())], &self.root, mood, chance);
        }
    }

    /// Moves sections into a profile or into a file that is included.
    fn layers(&self, case: &mut Case, mood: Mood, chance: &mut Chance) {
        let entries = case.document.entries();
        if entries.is_empty() {
            return;
        }
        let (key, section) = entries.remove(chance.below(entries.len()));
        if chance.of(1, 2) {
            case.layer.entries().push((key, section));
            if mood == Mood::Wild && chance.of(1, 3) {
                let file = chance.pick(&["layer.toml", "case.toml", "nowhere.toml", "sizes.csv"]);
                case.layer.entries().push(("include".to_owned(), Node::text(file)));
            }
            entries.insert(0, ("include".to_owned(), Node::text("layer.toml")));
            return;
        }
        let mut profile = Node::Table(vec![(key, section)]);
        if chance.of(1, 3) {
            profile.entries().push(("extends".to_owned(), Node::text(self.profile(mood, chance))));
        }
        let other = value(&self.root["properties"]["scenario"], "scenario", &self.root, mood, chance);
        let base = Node::Table(vec![("scenario".to_owned(), other)]);
        let profiles = Node::Table(vec![("small".to_owned(), profile), ("base".to_owned(), base)]);
        entries.push(("profiles".to_owned(), profiles));
        if mood == Mood::Mild || chance.of(4, 5) {
            let name = if mood == Mood::Mild { "small" } else { chance.pick(&["small", "base", "smal", ""]) };
            entries.insert(0, ("profile".to_owned(), Node::text(name)));
        }
        if chance.of(1, 3) {
            let names = [Node::text("small"), Node::text(self.profile(mood, chance))];
            let axis = Node::Table(vec![("profile".to_owned(), Node::List(names.to_vec()))]);
            case.document.child("sweep").child("axes").items().push(axis);
        }
    }

    /// The name of a profile, or one that is none.
    fn profile(&self, mood: Mood, chance: &mut Chance) -> &'static str {
        if mood == Mood::Mild { "base" } else { chance.pick(&["base", "small", "none"]) }
    }

    /// What the command line says: keys that it sets, and the seed.
    fn commands(&self, case: &mut Case, keys: &[Key<'_>], mood: Mood, chance: &mut Chance) {
        let mut present = BTreeSet::new();
        keys::present(&case.document, &self.root, "", &mut present);
        let among: Vec<&Key<'_>> =
            keys.iter().filter(|key| mood == Mood::Wild || present.contains(&key.path)).collect();
        for _ in 0..(1 + chance.below(2)) * usize::from(!among.is_empty()) {
            let key = among[chance.below(among.len())];
            let made = value(key.schema, &key.path, &self.root, mood, chance).inline();
            let path = key.path.replace("[]", ".0").replace('*', "s0");
            case.sets.push(match chance.below(if mood == Mood::Wild { 6 } else { 3 }) {
                4 => format!("sweep.axes.0.{path}=[{made}]"),
                5 => strange(chance).to_owned(),
                _ => format!("{path}={made}"),
            });
        }
        if chance.of(1, 2) {
            case.seed = Some([0, 1, u64::MAX, u64::MAX - 1][chance.below(4)]);
        }
    }
}

/// Puts the keys that a whole scenario must have, which the schema says apart, where the tables are.
fn require(schema: &mut Json, needs: &Json) {
    if needs["required"].is_array() {
        schema["required"] = needs["required"].clone();
    }
    for (key, inner) in needs["properties"].as_object().into_iter().flatten() {
        require(&mut schema["properties"][key], inner);
    }
}

/// A slip of the hand: a key that is not known, one that is there twice, a section that is none.
fn slip(document: &mut Node, chance: &mut Chance) {
    let entries = document.entries();
    if entries.is_empty() {
        return;
    }
    let nth = chance.below(entries.len());
    match chance.below(4) {
        0 => entries.push((strange(chance).to_owned(), Node::Raw("1".to_owned()))),
        1 => {
            let copy = entries[nth].clone();
            entries.push(copy);
        }
        2 => entries[nth].1 = Node::Raw(chance.pick(&["1", "[]", "'text'", "[{}]", "1979-05-27"]).to_owned()),
        _ => {
            let key = strange(chance).to_owned();
            entries[nth].1.entries().push((key, Node::text(strange(chance))));
        }
    }
}
