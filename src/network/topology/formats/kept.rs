//! What the file of an InfiniBand fabric says and a network does not keep: addresses, the guids of ports and systems,
//! widths and speeds as they are spelt.

use std::collections::BTreeMap;

/// The addresses of a port: 2^`lmc` lids from `base` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lids {
    /// The first.
    pub base: u16,
    /// How many of their last bits differ.
    pub lmc: u8,
}

/// Words of a file on nodes and ports, by the node's name: `S-`, `H-` or `R-` and 16 digits of its guid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// By name.
    pub(super) nodes: BTreeMap<String, Maker>,
    /// By name and number; a switch's own port is number 0.
    pub(super) ports: BTreeMap<(String, u16), Port>,
}

/// Maker of a node, and the guid of the system that it is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Maker {
    pub(super) vendor: u64,
    pub(super) device: u64,
    pub(super) system: Option<u64>,
}

/// Words of a file on a port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) guid: Option<u64>,
    pub(super) lids: Option<Lids>,
    /// Width and speed of its cable, as `4xNDR`.
    pub(super) speed: Option<String>,
}

impl Kept {
    /// The name of the node and the number of the port by the guid of the port, of ports that are no switch's.
    pub fn port_guids(&self) -> BTreeMap<u64, (String, u16)> {
        let hosts = self.ports.iter().filter(|((name, _), _)| !name.starts_with("S-"));
        hosts.filter_map(|(place, port)| Some((port.guid?, place.clone()))).collect()
    }

    /// The lids by guid: those of switches, and of the ports that are no switch's.
    pub fn lids(&self) -> BTreeMap<u64, Lids> {
        let of = |((name, _), port): (&(String, u16), &Port)| {
            let digits = name.strip_prefix("S-").map(|digits| u64::from_str_radix(digits, 16).ok());
            Some((digits.unwrap_or(port.guid)?, port.lids?))
        };
        self.ports.iter().filter_map(of).collect()
    }

    pub(super) fn of(&self, name: &str, port: u16) -> Option<&Port> {
        self.ports.get(&(name.to_owned(), port))
    }

    pub(super) fn port(&mut self, name: &str, port: u16) -> &mut Port {
        self.ports.entry((name.to_owned(), port)).or_default()
    }
}
