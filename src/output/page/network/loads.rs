//! What every direction of every cable carried at every load, and what every host sent and received.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use simnet_base::ids::Node;
use simnet_network::topology::{End, Network};

use crate::page::{Contents, Csv};
use simnet_base::numbers;

/// What cables are coloured by, with the column of `channels.csv`.
pub(super) const QUANTITIES: [(&str, &str, &str); 4] = [
    ("busy", "busy_share", "Busy"),
    ("blocked", "blocked_share", "Blocked"),
    ("wanted", "wanted_share", "In the way"),
    ("flits", "flits", "Flits"),
];

/// What a panel shows of a host, by the columns of `hosts.csv`.
const OF_HOSTS: [&str; 7] = [
    "offered_flits_per_cycle",
    "received_flits_per_cycle",
    "latency_mean_ns",
    "latency_max_ns",
    "delivered_messages",
    "lost_messages",
    "received_messages",
];

/// The most numbers of channels and hosts that a report carries; of more loads than that allows, some are left out.
const MOST_NUMBERS: usize = 240_000;
/// Steps of colour, not counting that of no load.
pub(super) const STEPS: usize = 9;

/// One load point.
#[derive(Debug)]
pub(super) struct Load {
    /// The load as the file has it; empty for a trace.
    pub(super) load: String,
    /// Per quantity and channel: the number; none where the file says nothing.
    pub(super) values: [Vec<Option<f64>>; 4],
    /// Per host: the numbers of [`OF_HOSTS`].
    hosts: Vec<Vec<Option<f64>>>,
}

/// All load points that are drawn.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// In the order of the file.
    pub(super) all: Vec<Load>,
    /// The position of the one that is shown first.
    pub(super) shown: usize,
    /// How many the file has.
    pub(super) of: usize,
}

impl Loads {
    /// Reads `channels.csv` and `hosts.csv`.
    pub(super) fn read(contents: &Contents, network: &Network) -> Loads {
        let Some(table) = contents.tables.get("channels") else { return Loads::default() };
        let loads = in_order(table);
        let a_load = 8 * network.links().len() + OF_HOSTS.len() * network.hosts().len();
        let most = (contents.thrifty(MOST_NUMBERS) / a_load.max(1)).max(2);
        let hot = contents.number("hot_spots_load");
        let is_hot = |load: &str| hot.is_none() || load.parse().ok() == hot;
        let hot = loads.iter().position(|load| is_hot(load)).unwrap_or(0);
        let kept = thinned(loads.len(), most, hot);
        let mut all: Vec<Load> = kept.iter().map(|nth| Load::empty(&loads[*nth], network)).collect();
        let place: BTreeMap<&str, usize> =
            kept.iter().enumerate().map(|(place, nth)| (loads[*nth].as_str(), place)).collect();
        let unknown = read_channels(table, network, &place, &mut all);
        if unknown > 0 {
            let rows = numbers::count(unknown, "row");
            contents.complain(format!(
                "channels.csv: {rows} of cables that network.json does not have, not drawn"
            ));
        }
        if let Some(table) = contents.tables.get("hosts") {
            read_hosts(table, network, &place, &mut all);
        }
        let shown = kept.iter().position(|nth| *nth == hot).unwrap_or(0);
        Loads { all, shown, of: loads.len() }
    }

    /// Per quantity, where its colours end: a round number that no load exceeds.
    pub(super) fn tops(&self) -> [f64; 4] {
        let most = |quantity: usize| {
            let values = self.all.iter().flat_map(|load| load.values[quantity].iter().flatten());
            values.copied().fold(0.0, f64::max)
        };
        [0, 1, 2, 3].map(|quantity| round_above(most(quantity)))
    }

    /// What the script works on.
    pub(super) fn data(&self) -> Value {
        let load = |load: &Load| {
            let mut object = json!({ "load": load.load, "hosts": load.hosts });
            for ((key, ..), values) in QUANTITIES.iter().zip(&load.values) {
                object[*key] = json!(values);
            }
            object
        };
        json!({
            "loads": self.all.iter().map(load).collect::<Vec<_>>(),
            "shown": self.shown,
            "tops": self.tops(),
        })
    }
}

impl Load {
    fn empty(load: &str, network: &Network) -> Load {
        let channels = || vec![None; 2 * network.links().len()];
        Load {
            load: load.to_owned(),
            values: [channels(), channels(), channels(), channels()],
            hosts: vec![Vec::new(); network.hosts().len()],
        }
    }

    /// What people call it.
    pub(super) fn title(&self) -> String {
        if self.load.is_empty() { "the trace".to_owned() } else { format!("load {}", self.load) }
    }

    /// A number of a channel.
    pub(super) fn value(&self, quantity: usize, channel: usize) -> Option<f64> {
        self.values[quantity][channel]
    }

    /// The channels with most of a quantity, the first of equal ones first; those with none are left out.
    pub(super) fn hottest(&self, quantity: usize, most: usize) -> Vec<usize> {
        let value = |channel: &usize| self.values[quantity][*channel].unwrap_or(0.0);
        let mut channels: Vec<usize> =
            (0..self.values[quantity].len()).filter(|channel| value(channel) > 0.0).collect();
        channels.sort_by(|a, b| value(b).total_cmp(&value(a)));
        channels.truncate(most);
        channels
    }
}

/// The step of colour of a value: 0 for nothing, then up to [`STEPS`]. The script does the same.
pub(super) fn step(value: Option<f64>, top: f64) -> usize {
    let value = value.unwrap_or(0.0);
    if value <= 0.0 || top <= 0.0 {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of steps"
    )]
    let step = (value / top * STEPS as f64) as usize;
    (1 + step).min(STEPS)
}

/// The name of a port, as the tables have it.
pub(super) fn port_name(network: &Network, end: End) -> String {
    format!("{}:{}", network.name_of(end.node), end.port)
}

/// The loads of a table, each once.
fn in_order(table: &Csv) -> Vec<String> {
    let mut loads: Vec<String> = Vec::new();
    let Some(column) = table.column("load") else { return loads };
    for row in &table.rows {
        if loads.last() != Some(&row[column]) && !loads.contains(&row[column]) {
            loads.push(row[column].clone());
        }
    }
    loads
}

/// At most so many positions of so many, evenly, the first, the last and a given one among them.
fn thinned(count: usize, most: usize, given: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let mut kept: Vec<usize> = (0..most).map(|nth| nth * (count - 1) / (most - 1).max(1)).collect();
    if !kept.contains(&given) {
        let inner = &mut kept[..most - 1];
        let nearest = inner.iter_mut().min_by_key(|own| own.abs_diff(given));
        if let Some(nearest) = nearest {
            *nearest = given;
        }
    }
    kept
}

/// Reads the numbers of channels; gives how many rows are of no cable of the network.
fn read_channels(table: &Csv, network: &Network, place: &BTreeMap<&str, usize>, all: &mut [Load]) -> usize {
    let mut channels: BTreeMap<String, usize> = BTreeMap::new();
    for (nth, link) in network.links().iter().enumerate() {
        channels.insert(port_name(network, link.a), 2 * nth);
        channels.insert(port_name(network, link.b), 2 * nth + 1);
    }
    let column = |name: &str| table.column(name);
    let (Some(load), Some(from)) = (column("load"), column("from")) else { return 0 };
    let columns = QUANTITIES.map(|(_, name, _)| column(name));
    let mut unknown = 0;
    for row in &table.rows {
        let Some(load) = place.get(row[load].as_str()) else { continue };
        let Some(channel) = channels.get(&row[from]) else {
            unknown += 1;
            continue;
        };
        for (quantity, column) in columns.iter().enumerate() {
            all[*load].values[quantity][*channel] = column.and_then(|column| finite(&row[column]));
        }
    }
    unknown
}

fn read_hosts(table: &Csv, network: &Network, place: &BTreeMap<&str, usize>, all: &mut [Load]) {
    let (Some(load), Some(host)) = (table.column("load"), table.column("host")) else { return };
    let columns = OF_HOSTS.map(|name| table.column(name));
    for row in &table.rows {
        let Some(load) = place.get(row[load].as_str()) else { continue };
        let Some(Node::Host(host)) = network.named(&row[host]) else { continue };
        let numbers = columns.iter().map(|column| column.and_then(|column| finite(&row[column])));
        all[*load].hosts[host.index()] = numbers.collect();
    }
}

fn finite(cell: &str) -> Option<f64> {
    cell.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this; 1 for nothing.
fn round_above(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::log10(value).floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= value * (1.0 - 1e-9)).unwrap_or(steps[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if the load that is shown first were left out, or one of the ends.
    #[test]
    fn of_many_loads_some_are_kept() {
        assert_eq!(thinned(3, 5, 1), [0, 1, 2]);
        assert_eq!(thinned(20, 4, 0), [0, 6, 12, 19]);
        for given in 0..20 {
            let kept = thinned(20, 4, given);
            assert!(kept.contains(&given) && kept.is_sorted() && kept.len() == 4, "{given}: {kept:?}");
        }
    }

    #[test]
    fn colours_end_at_round_numbers() {
        for (value, above) in [(0.0, 1.0), (0.03, 0.05), (0.2, 0.2), (0.7, 1.0), (3.0, 5.0)] {
            assert!((round_above(value) - above).abs() < 1e-12, "{value}");
        }
        assert_eq!([0.0, 1e-9, 0.5, 1.0, 2.0].map(|value| step(Some(value), 1.0)), [0, 1, 5, 9, 9]);
    }
}
