//! Networks gathered from files that name the ports at both ends of a cable, by numbers or by what is printed at them.
//!
//! A cable is listed once, or once from each of its ends; a port holds one. A node whose ports have names is given
//! numbers: those that the names end in, where all names begin alike and no two end in the same (`swp1`, `swp2`); else
//! the places of the names in their order, from 0, digits in them compared as numbers. A port that a file leaves open
//! is the lowest that is left.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::topology::Network;
use simnet_base::diagnostics::{Fault, quoted};
use simnet_base::units::{BitRate, Length};

use super::MOST_PORTS;
use super::lines::{Draft, DraftCable, DraftNode};

/// What a file calls a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PortName {
    Number(u16),
    Label(String),
}

/// An end of a cable, as a file gives it.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// The node, by position.
    pub(super) node: usize,
    /// `None` where the file leaves it open.
    pub(super) port: Option<PortName>,
    /// Where a fault about this end is shown.
    pub(super) span: Range<usize>,
}

/// A node and a port of it.
type Place = (usize, Option<PortName>);

#[derive(Debug)]
struct Cable {
    ends: [Place; 2],
    /// Where it is listed first.
    span: Range<usize>,
    rate: Option<BitRate>,
    length: Option<Length>,
    /// Whether it is listed from its second end too.
    both_ways: bool,
}

/// The nodes and cables found so far, and what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Cabling {
    pub(super) nodes: Vec<DraftNode>,
    pub(super) faults: Vec<Fault>,
    by_key: BTreeMap<String, usize>,
    cables: Vec<Cable>,
    in_port: BTreeMap<(usize, PortName), usize>,
    /// Cables listed from their first ends alone, by their ends.
    one_way: BTreeMap<[Place; 2], Vec<usize>>,
}

impl PortName {
    /// The port that a word names: a number where it is one that a port can have.
    pub(super) fn of(word: &str) -> PortName {
        let is_plain = word == "0" || !word.starts_with('0') && word.bytes().all(|b| b.is_ascii_digit());
        match word.parse() {
            Ok(number) if is_plain && number < MOST_PORTS => PortName::Number(number),
            _ => PortName::Label(word.to_owned()),
        }
    }

    fn text(&self) -> String {
        match self {
            PortName::Number(number) => number.to_string(),
            PortName::Label(label) => quoted(label),
        }
    }
}

impl Cabling {
    /// Reports a fault.
    pub(super) fn fault(&mut self, code: &'static str, span: Range<usize>, message: String, expected: &str) {
        self.faults.push(Fault::new(code, span, message, expected));
    }

    /// The node that the file knows by `key`, by position.
    pub(super) fn find(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// What the file knows nodes by.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// Adds a node that the file knows by `key`, which no other has.
    pub(super) fn add(&mut self, key: &str, node: DraftNode) -> usize {
        let position = self.nodes.len();
        self.by_key.insert(key.to_owned(), position);
        self.nodes.push(node);
        position
    }

    /// Lays a cable, or finds it as one that is listed from its other end already; the slower of two rates is its own.
    /// Costs O(log cables).
    pub(super) fn cable(&mut self, sides: [Side; 2], rate: Option<BitRate>) {
        self.measured_cable(sides, rate, None);
    }

    /// The same for a cable whose length may be given.
    pub(super) fn measured_cable(&mut self, sides: [Side; 2], rate: Option<BitRate>, length: Option<Length>) {
        let [a, b] = sides.clone().map(|side| (side.node, side.port));
        let from_the_other_end = self.one_way.get_mut(&[b.clone(), a.clone()]).and_then(Vec::pop);
        if let Some(cable) = from_the_other_end {
            let cable = &mut self.cables[cable];
            cable.both_ways = true;
            cable.rate = cable.rate.into_iter().chain(rate).min();
            cable.length = cable.length.or(length);
            return;
        }
        if a == b && a.1.is_some() {
            let message =
                format!("port {} is cabled to itself", a.1.as_ref().map(PortName::text).unwrap_or_default());
            return self.fault("same-port", sides[1].span.clone(), message, "another port or another node");
        }
        if !sides.iter().all(|side| self.is_free(side)) {
            return;
        }
        let position = self.cables.len();
        for (node, port) in [&a, &b] {
            if let Some(port) = port {
                self.in_port.insert((*node, port.clone()), position);
            }
        }
        self.one_way.entry([a.clone(), b.clone()]).or_default().push(position);
        let span = sides[0].span.clone();
        self.cables.push(Cable { ends: [a, b], span, rate, length, both_ways: false });
    }

    /// Whether the port is there and has no cable; a fault where not.
    fn is_free(&mut self, side: &Side) -> bool {
        let Some(port) = &side.port else { return true };
        let node = &self.nodes[side.node];
        let (first, last) = (node.first_port, (node.first_port + node.ports).saturating_sub(1));
        if let PortName::Number(number) = port
            && node.ports > 0
            && !(first..=last).contains(number)
        {
            let message = format!("`{}` has no port {number}", quoted(&node.name));
            let expected = format!("a port from {first} to {last}");
            self.faults.push(Fault::new("no-such-port", side.span.clone(), message, expected));
            return false;
        }
        let Some(cable) = self.in_port.get(&(side.node, port.clone())) else { return true };
        let far = self.cables[*cable].ends.iter().find(|end| **end != (side.node, Some(port.clone())));
        let far = far.map_or(String::new(), |(far, far_port)| {
            let far_port = far_port.as_ref().map_or(String::new(), |port| format!(", port {}", port.text()));
            format!(" to `{}`{far_port}", quoted(&self.nodes[*far].name))
        });
        let message = format!("port {} of `{}` has a cable{far} already", port.text(), quoted(&node.name));
        self.fault(
            "port-in-use",
            side.span.clone(),
            message,
            "each port once, or once from each end of a cable",
        );
        false
    }

    /// The places of the cables that are listed from one end alone.
    pub(super) fn one_way(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.cables.iter().filter(|cable| !cable.both_ways).map(|cable| cable.span.clone())
    }

    /// Whether some cable is listed from both of its ends.
    pub(super) fn any_both_ways(&self) -> bool {
        self.cables.iter().any(|cable| cable.both_ways)
    }

    /// How many cables a node has.
    pub(super) fn degrees(&self) -> Vec<usize> {
        let mut degrees = vec![0; self.nodes.len()];
        for (node, _) in self.cables.iter().flat_map(|cable| &cable.ends) {
            degrees[*node] += 1;
        }
        degrees
    }

    /// The network, its ports numbered; `end` is where the text ends. Costs O(size · log size).
    ///
    /// # Errors
    /// What was found so far; a node with more ports than one can have; no switch.
    pub(super) fn network(mut self, end: usize) -> Result<Network, Vec<Fault>> {
        self.count_ports();
        if self.faults.is_empty() && !self.nodes.iter().any(|node| node.is_switch) {
            self.fault("no-switch", end..end, "the file has no switch".to_owned(), "a switch");
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let numbers = self.numbers();
        let Cabling { mut nodes, cables, .. } = self;
        for (node, numbers) in nodes.iter_mut().zip(&numbers) {
            if node.ports == 0 {
                node.first_port = numbers.first_port;
            }
        }
        let mut open: Vec<OpenPorts> = numbers.iter().map(OpenPorts::of).collect();
        let mut draft = Draft { nodes, cables: Vec::new() };
        for Cable { ends, rate, length, .. } in cables {
            let ends = ends.map(|(node, port)| match port {
                Some(port) => (node, numbers[node].of[&port]),
                None => (node, open[node].take()),
            });
            draft.cables.push(DraftCable { ends, rate, length });
        }
        Ok(draft.network(""))
    }

    fn count_ports(&mut self) {
        let degrees = self.degrees();
        let Some(node) = degrees.iter().position(|degree| *degree > usize::from(MOST_PORTS)) else { return };
        let span = self.cables.iter().find(|cable| cable.ends.iter().any(|end| end.0 == node));
        let span = span.map_or(0..0, |cable| cable.span.clone());
        let message = format!("`{}` has {} ends of cables", quoted(&self.nodes[node].name), degrees[node]);
        self.faults.push(Fault::new("too-many-ports", span, message, format!("at most {MOST_PORTS}")));
    }

    fn numbers(&self) -> Vec<Numbers> {
        let mut names: Vec<BTreeSet<&PortName>> = vec![BTreeSet::new(); self.nodes.len()];
        for (node, port) in self.cables.iter().flat_map(|cable| &cable.ends) {
            names[*node].extend(port.as_ref());
        }
        names.into_iter().map(Numbers::of).collect()
    }
}

/// The numbers of a node's named ports.
struct Numbers {
    of: BTreeMap<PortName, u16>,
    first_port: u16,
}

impl Numbers {
    fn of(names: BTreeSet<&PortName>) -> Numbers {
        let labels: Vec<String> = names
            .iter()
            .map(|name| match name {
                PortName::Number(number) => number.to_string(),
                PortName::Label(label) => label.clone(),
            })
            .collect();
        let are_numbers = names.iter().all(|name| matches!(name, PortName::Number(_)));
        let numbers = if are_numbers {
            labels.iter().map(|label| label.parse().expect("it is a number's text")).collect()
        } else {
            numbers_at_the_ends(&labels).unwrap_or_else(|| places_in_order(&labels))
        };
        let first_port = numbers.iter().min().map_or(0, |least| u16::from(*least > 0));
        Numbers { of: names.into_iter().cloned().zip(numbers).collect(), first_port }
    }
}

/// The numbers that labels end in, if all begin alike and no two end in the same.
fn numbers_at_the_ends(labels: &[String]) -> Option<Vec<u16>> {
    let parts = |label: &String| -> Option<(usize, u16)> {
        let stem = label.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((stem, label[stem..].parse().ok().filter(|number| *number < MOST_PORTS)?))
    };
    let parts: Vec<(usize, u16)> = labels.iter().map(parts).collect::<Option<_>>()?;
    let stem = &labels[0][..parts[0].0];
    let alike = labels.iter().zip(&parts).all(|(label, (length, _))| label[..*length] == *stem);
    let distinct: BTreeSet<u16> = parts.iter().map(|(_, number)| *number).collect();
    (alike && distinct.len() == labels.len()).then(|| parts.into_iter().map(|(_, number)| number).collect())
}

/// The place of each label in their order.
fn places_in_order(labels: &[String]) -> Vec<u16> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|a, b| natural(&labels[*a], &labels[*b]));
    let mut places = vec![0; labels.len()];
    for (place, label) in order.into_iter().enumerate() {
        places[label] = u16::try_from(place).expect("the ports of a node were counted");
    }
    places
}

/// Compares texts, digits in a row as numbers; equal only where the texts are.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let [p, q] = [left, right].map(|text| {
                let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
                text[..text.len() - rest.len()].trim_start_matches('0')
            });
            let digits = |text: &mut &str| *text = text.trim_start_matches(|c: char| c.is_ascii_digit());
            digits(&mut left);
            digits(&mut right);
            p.len().cmp(&q.len()).then_with(|| p.cmp(q))
        } else {
            left = &left[x.len_utf8()..];
            right = &right[y.len_utf8()..];
            x.cmp(&y)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The ports of a node that no name has, from the lowest on.
struct OpenPorts {
    taken: BTreeSet<u16>,
    next: u16,
}

impl OpenPorts {
    fn of(numbers: &Numbers) -> OpenPorts {
        OpenPorts { taken: numbers.of.values().copied().collect(), next: numbers.first_port }
    }

    fn take(&mut self) -> u16 {
        while self.taken.contains(&self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(labels: &[&str]) -> Vec<(String, u16)> {
        let names: Vec<PortName> = labels.iter().map(|label| PortName::of(label)).collect();
        let numbers = Numbers::of(names.iter().collect());
        names.iter().map(|name| (name.text(), numbers.of[name])).collect()
    }

    /// Wrong if a port were numbered otherwise than what is printed at it says, or two alike.
    #[test]
    fn ports_are_numbered_as_they_are_called() {
        let rows: [(&[&str], &[u16]); 7] = [
            (&["3", "0", "17"], &[3, 0, 17]),
            (&["swp10", "swp9"], &[10, 9]),
            (&["Ethernet1/2", "Ethernet1/10", "Ethernet2/1"], &[0, 1, 2]),
            (&["swp1", "swp01"], &[1, 0]),
            (&["eth0", "ib0", "2"], &[1, 2, 0]),
            (&["swp17s0", "swp2s3", "swp2s1"], &[2, 1, 0]),
            (&["1", "p99999"], &[0, 1]),
        ];
        for (labels, expected) in rows {
            let found: Vec<u16> = numbers(labels).into_iter().map(|(_, number)| number).collect();
            assert_eq!(found, expected, "{labels:?}");
        }
    }
}
