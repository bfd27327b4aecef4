//! The check of a certificate: lines, names and their order, and nothing of the proof that wrote them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, from_str};
use simnet_base::diagnostics::{Fault, Faults, decode};
use simnet_base::ids::{Node, Port};

use crate::topology::{End, Network};

/// A certificate that holds: what may follow what, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What its first line says of it.
    pub header: Value,
    then: BTreeMap<String, BTreeSet<String>>,
    names_lanes: bool,
}

impl Certificate {
    /// Whether it does not have that a route may take `next` while it holds `channel`.
    pub fn lacks(&self, channel: &str, next: &str) -> bool {
        self.then.get(channel).is_none_or(|then| !then.contains(next))
    }

    /// What it calls an output of a switch: with its lane where it names lanes, even one, else without. Whichever it
    /// is, one and the same output and lane has one name: an order of names is one of outputs and their lanes.
    pub fn name(&self, network: &Network, output: End, lane: u8) -> String {
        let lane = if self.names_lanes { format!("/{lane}") } else { String::new() };
        format!("{}:{}{lane}", network.name_of(output.node), output.port)
    }

    /// How many outputs it orders, and how many dependencies it has.
    pub fn size(&self) -> (usize, usize) {
        (self.then.len(), self.then.values().map(BTreeSet::len).sum())
    }
}

/// Checks a certificate about `network` that the user calls `file`: all its lines are there, each output is one of the
/// network's and stands once, and what follows it leaves the switch that it leads to and stands further down.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(network: &Network, file: &str, bytes: &[u8]) -> Result<Certificate, Box<Faults>> {
    let text = decode(file, bytes)?;
    let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let refused = |line: &str, (code, message): (&'static str, String)| {
        let span = place(line)..place(line) + line.len();
        Box::new(Faults::new(file, text, vec![Fault::new(code, span, message, "as docs/FILES.md has it")]))
    };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let header: Value = from_str(first).unwrap_or_default();
    if header["format"] != "simnet-certificate/1" {
        return Err(refused(first, ("not-a-certificate", "this is no certificate of simnet".to_owned())));
    }
    let mut certificate = Certificate { header, then: BTreeMap::new(), names_lanes: false };
    // From the last line upwards: whatever may follow must have been there before.
    for line in rest.lines().rev() {
        certificate.add(network, line).map_err(|fault| refused(line, fault))?;
    }
    let (channels, dependencies) = certificate.size();
    let header = &certificate.header;
    if header["channels"] != channels || header["dependencies"] != dependencies {
        let message = format!("{channels} outputs and {dependencies} dependencies are below this line");
        return Err(refused(first, ("wrong-count", message)));
    }
    Ok(certificate)
}

impl Certificate {
    fn add(&mut self, network: &Network, line: &str) -> Result<(), (&'static str, String)> {
        let object: Value = from_str(line).unwrap_or_default();
        let (Some(channel), Some(next)) = (object["channel"].as_str(), object["then"].as_array()) else {
            return Err(("certificate-line", "this is no line of a certificate".to_owned()));
        };
        let far = output(network, channel).and_then(|end| Some(network.peer(end)?.node));
        let Some(far @ Node::Switch(_)) = far else {
            return Err(("unknown-channel", format!("`{channel}` leads to no switch of the network")));
        };
        let mut then = BTreeSet::new();
        for next in next.iter().map(|next| next.as_str().unwrap_or_default()) {
            if output(network, next).is_none_or(|end| end.node != far) {
                return Err(("no-neighbour", format!("`{next}` does not leave where `{channel}` leads to")));
            }
            if !self.then.contains_key(next) || !then.insert(next.to_owned()) {
                return Err((
                    "goes-back",
                    format!("`{next}` does not stand below, or twice behind `{channel}`"),
                ));
            }
        }
        self.names_lanes |= channel.rsplit_once(':').is_some_and(|(_, port)| port.contains('/'));
        match self.then.insert(channel.to_owned(), then) {
            Some(_) => Err(("stands-twice", format!("`{channel}` has another line below"))),
            None => Ok(()),
        }
    }
}

/// The end that a name stands for, `switch:port` or `switch:port/lane`, if it is spelt as simnet spells it.
fn output(network: &Network, name: &str) -> Option<End> {
    let (switch, rest) = name.rsplit_once(':')?;
    let (port, lane) = rest.split_once('/').map_or((rest, None), |(port, lane)| (port, Some(lane)));
    let end = End { node: Node::Switch(network.find_switch(switch)?), port: Port(port.parse().ok()?) };
    let lane = lane.map(str::parse::<u8>).transpose().ok()?.map_or(String::new(), |lane| format!("/{lane}"));
    (format!("{}:{}{lane}", network.name_of(end.node), end.port) == name).then_some(end)
}
