//! Cables that failed in the course of a run: `outages.csv`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use simnet_network::topology::Network;

use super::loads::port_name;
use crate::page::Contents;

/// A cable that failed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outage {
    /// The position of the cable.
    pub(super) link: usize,
    /// When it failed.
    pub(super) from_ns: f64,
    /// When it returned, if it did.
    pub(super) until_ns: Option<f64>,
}

/// All of them, in the order of the file.
pub(super) fn read(contents: &Contents, network: &Network) -> Vec<Outage> {
    let Some(table) = contents.tables.get("outages") else { return Vec::new() };
    let mut links: BTreeMap<String, usize> = BTreeMap::new();
    for (nth, link) in network.links().iter().enumerate() {
        links.insert(port_name(network, link.a), nth);
        links.insert(port_name(network, link.b), nth);
    }
    let outage = |row: &Vec<String>| {
        let link = *links.get(table.cell(row, "cable_from")?)?;
        let (from_ns, until_ns) = (table.number(row, "failed_ns")?, table.number(row, "returned_ns"));
        Some(Outage { link, from_ns, until_ns })
    };
    table.rows.iter().filter_map(outage).collect()
}

/// What the script works on.
pub(super) fn data(outages: &[Outage]) -> Value {
    outages.iter().map(|outage| json!([outage.link, outage.from_ns, outage.until_ns])).collect()
}
