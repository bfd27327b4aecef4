//! The `[topology]` section: its own keys, and one table a family of generated networks.

use serde_json::{Map, Value as Schema, json};

use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::BitRate;
use simnet_network::topology::generate::{FAMILIES, Family};

use super::canonical::{Canonical, Key, Put, put};
use super::kinds::{FileName, Quantity};
use super::table::{Described, table_schema};
use super::table::{Free, Given, Located, Presence, Reading, Wire, table, wrong_type};
use crate::diagnostics::{Diagnostics, Place};
use crate::tree::{Entry, Item, Value};

table! {
    /// The network: a preset, a file or a generator, exactly one of them.
    "[topology]" PlainTopology {
        /// A network known by name: now-c, now-ca, now-cab, pink, lightning, faraj-a to faraj-f, faraj-fig5,
        /// lawrence-1 to lawrence-5, lawrence-fig1.
        preset: String = Presence::Optional;
        /// A file in any supported format, relative to the scenario's folder.
        file: FileName = Presence::Optional;
        /// The host that is left out when `far` picks a root; c-util in the now-* presets, none elsewhere.
        utility: String = Presence::Optional;
        /// Hosts that are added to every switch, for file formats without hosts.
        hosts_per_switch: u16 = Presence::Optional;
        /// Leave out the hosts that switches of a file bring along for in-network aggregation.
        drop_aggregation_nodes: bool = Presence::Default("false");
        /// Keep one plane of a file alone: that of this switch, host or `host:port`.
        plane: String = Presence::Optional;
        /// Leave out nodes of a file by name or description, and ports of hosts as `name:port`; `*` stands for any
        /// text.
        leave_out: Vec<Located<String>> = Presence::Optional;
        /// Leave out cables of hosts of a file that are slower than this.
        least_rate: Quantity<BitRate> = Presence::Optional;
        /// For hosts with several cables: the port that the run uses, as `"host" = port`.
        attach: Free<u16> = Presence::Default("{}");
    }
}

/// The `[topology]` section: its own keys and the generators.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub(crate) place: Place,
    pub(crate) plain: PlainTopology,
    /// The requested generators; `None` where one is faulty.
    pub(crate) generators: Vec<Located<Option<Generator>>>,
    /// Whether it has keys that mean nothing, one of which may have been meant as the network.
    pub(crate) has_unknown_keys: bool,
}

/// A generator and its parameters, each known to the family and in its range.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) family: &'static Family,
    pub(crate) parameters: Vec<(&'static str, Located<u64>)>,
    /// The seed of the file; `None`: that of the run's network, 0 if it has none.
    pub(crate) seed: Option<u64>,
}

impl Wire for Topology {
    fn read(item: &Item, diagnostics: &mut Diagnostics) -> Option<Topology> {
        let mut reading = Reading::open("[topology]", item, diagnostics)?;
        let plain = PlainTopology::take_from(&mut reading, diagnostics);
        let families: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let mut generators = Vec::new();
        for entry in reading.take_rest(&families) {
            let family = FAMILIES.iter().find(|family| family.name == entry.key);
            let value = family.and_then(|family| generator(family, &entry.item, diagnostics));
            generators.push(Located { value, place: entry.place });
        }
        let has_unknown_keys = reading.close(diagnostics);
        Some(Topology { place: item.place, plain, generators, has_unknown_keys })
    }

    fn schema() -> Schema {
        let mut schema = PlainTopology::schema();
        if let Some(Schema::Object(properties)) = schema.get_mut("properties") {
            for family in FAMILIES {
                properties.insert(family.name.to_owned(), family_schema(family));
            }
        }
        schema
    }

    fn canonical(item: &Item, canonical: &mut Canonical<'_>) {
        let mut keys = PlainTopology::keys();
        let of_families = FAMILIES.iter().zip(PUT_FAMILY);
        keys.extend(of_families.map(|(family, put)| Key {
            field: family.name,
            presence: Presence::Optional,
            put,
        }));
        canonical.table(&keys, item);
    }
}

/// How the table of each family is written, in the order of [`FAMILIES`].
const PUT_FAMILY: [Put; FAMILIES.len()] = [
    put_family::<0>,
    put_family::<1>,
    put_family::<2>,
    put_family::<3>,
    put_family::<4>,
    put_family::<5>,
    put_family::<6>,
    put_family::<7>,
    put_family::<8>,
    put_family::<9>,
    put_family::<10>,
    put_family::<11>,
    put_family::<12>,
    put_family::<13>,
    put_family::<14>,
    put_family::<15>,
    put_family::<16>,
];

/// Writes the table of the family at a position: a pointer to a function cannot hold the family itself.
fn put_family<const NTH: usize>(item: &Item, canonical: &mut Canonical<'_>) {
    let family = &FAMILIES[NTH];
    let given = match &item.value {
        Value::Table(given) => given,
        Value::Hole(hole) => return canonical.gap(*hole, put_family::<NTH>, |_, _| {}),
        _ => return canonical.raw(item),
    };
    let seed = family.random.then_some(("seed", Some(0)));
    let all = family.parameters.iter().map(|parameter| (parameter.name, parameter.default)).chain(seed);
    let absent = all.filter(|(name, _)| given.iter().all(|entry| entry.key != *name));
    let whole = given.iter().cloned().chain(absent.filter_map(|(name, default)| {
        let item = Item { place: item.place, value: Value::Integer(Some(i128::from(default?))) };
        Some(Entry { key: name.to_owned(), place: item.place, item })
    }));
    canonical.free(&Item { place: item.place, value: Value::Table(whole.collect()) }, put::<u64>);
}

/// Reads a family's table: its parameters, and a seed where chance plays a part.
fn generator(family: &'static Family, item: &Item, diagnostics: &mut Diagnostics) -> Option<Generator> {
    let Value::Table(entries) = &item.value else {
        wrong_type(item, &format!("a table with the parameters of {}", family.name), diagnostics);
        return None;
    };
    let names = || family.parameters.iter().map(|p| p.name).chain(family.random.then_some("seed"));
    let all = names().collect::<Vec<_>>().join(", ");
    let mut sound = true;
    for entry in entries.iter().filter(|entry| !names().any(|name| name == entry.key)) {
        sound = false;
        diagnostics.add(entry.place, |span| {
            let message = format!("unknown key `{}` in [topology.{}]", quoted(&entry.key), family.name);
            Fault::new("unknown-key", span, message, format!("expected one of {all}"))
                .with_nearest(&entry.key, names())
        });
    }
    let mut parameters = Vec::new();
    for parameter in family.parameters {
        match entries.iter().find(|entry| entry.key == parameter.name) {
            Some(entry) => match in_range(&entry.item, parameter.least, parameter.most, diagnostics) {
                Some(value) => parameters.push((parameter.name, Located { value, place: entry.item.place })),
                None => sound = false,
            },
            None if parameter.default.is_none() => {
                sound = false;
                diagnostics.add(item.place, |span| {
                    let name = parameter.name;
                    let message = format!("the key `{name}` is missing from [topology.{}]", family.name);
                    Fault::new("missing-key", span, message, format!("needs `{name}`: {}", parameter.about))
                });
            }
            None => {}
        }
    }
    let seed = entries.iter().find(|entry| family.random && entry.key == "seed");
    let given = seed.map(|entry| u64::read(&entry.item, diagnostics));
    (sound && given != Some(None)).then(|| Generator { family, parameters, seed: given.flatten() })
}

fn in_range(item: &Item, least: u64, most: u64, diagnostics: &mut Diagnostics) -> Option<u64> {
    if !matches!(item.value, Value::Integer(Some(number)) if number > i128::from(most)) {
        let value = u64::read(item, diagnostics)?;
        if (least..=most).contains(&value) {
            return Some(value);
        }
    }
    diagnostics.add(item.place, |span| {
        Fault::new("out-of-range", span, "out of range", format!("expected {least} to {most}"))
    });
    None
}

fn family_schema(family: &Family) -> Schema {
    let mut properties = Map::new();
    for parameter in family.parameters {
        let mut schema = json!({
            "description": parameter.about,
            "type": "integer",
            "minimum": parameter.least,
            "maximum": parameter.most,
        });
        if let Some(default) = parameter.default {
            schema["default"] = json!(default);
        }
        properties.insert(parameter.name.to_owned(), schema);
    }
    if family.random {
        let about =
            "The seed of the network; the scenario's own matters to it only where `[sweep] vary` says so.";
        let seed = json!({ "description": about, "type": "integer", "minimum": 0, "default": 0 });
        properties.insert("seed".to_owned(), seed);
    }
    let needed = family.parameters.iter().filter(|parameter| parameter.default.is_none());
    let required: Vec<&str> = needed.map(|parameter| parameter.name).collect();
    let mut schema = json!({
        "title": format!("[topology.{}]", family.name),
        "description": family.about,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
