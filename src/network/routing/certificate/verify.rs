//! The check of a certificate: lines, names and their order, and nothing of the proof that wrote them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::from_str;
use simnet_base::diagnostics::{Fault, Faults, decode};
use simnet_base::ids::{Node, Port};

use super::{About, words};
use crate::routing::lfts::{DROPPED, is_digest, two_commands};
use crate::topology::{End, Network};

/// A certificate that holds: what may follow what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Lanes that its lines name; 1 where they name none.
    pub lanes: usize,
    then: BTreeMap<Output, BTreeSet<Output>>,
    names_lanes: bool,
}

/// An output of a switch and its lane; lane 0 where the certificate names none.
type Output = (End, u8);

impl Certificate {
    /// Whether it does not have that a route may take `next` while it holds `channel`. Where it names no lanes, all
    /// those of an output are one.
    pub fn lacks(&self, channel: (End, u8), next: (End, u8)) -> bool {
        let own = |(end, lane)| (end, if self.names_lanes { lane } else { 0 });
        self.then.get(&own(channel)).is_none_or(|then| !then.contains(&own(next)))
    }

    /// What it calls an output of a switch: with its lane where it names lanes, even one, else without.
    pub fn name(&self, network: &Network, (output, lane): (End, u8)) -> String {
        spelt(network, output, self.names_lanes.then_some(lane))
    }

    /// How many outputs it orders, and how many dependencies it has.
    pub fn size(&self) -> (usize, usize) {
        (self.then.len(), self.then.values().map(BTreeSet::len).sum())
    }
}

/// The first line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header<'a> {
    format: Cow<'a, str>,
    network: Cow<'a, str>,
    about: Cow<'a, str>,
    lanes: usize,
    channels: usize,
    dependencies: usize,
    digest: Option<Cow<'a, str>>,
}

/// Any other line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    channel: Cow<'a, str>,
    then: Vec<Cow<'a, str>>,
}

/// A fault's code and message.
type Wrong = (&'static str, String);

/// Checks a certificate that the user calls `file`: all that its first line says is so of `network`, of the lines below
/// and, if they are given, of the routes `of`; each output is one of the network's and stands once, and what follows it
/// leaves the switch that it leads to and stands further down.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(
    network: &Network,
    of: Option<About<'_>>,
    file: &str,
    bytes: &[u8],
) -> Result<Certificate, Box<Faults>> {
    let text = decode(file, bytes)?;
    let place = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    let refuse = |fault: Fault| Box::new(Faults::new(file, text, vec![fault]));
    let refused = |line: &str, (code, message): Wrong| {
        let span = place(line)..place(line) + line.len();
        refuse(Fault::new(code, span, message, "as docs/FILES.md has it"))
    };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let header: Header<'_> = from_str(first).map_err(|_| refused(first, not_one()))?;
    let mut lines = Lines { network, then: BTreeMap::new(), lanes: BTreeSet::new() };
    // From the last line upwards: whatever may follow must have been there before.
    for line in rest.lines().rev() {
        lines.add(line).map_err(|fault| refused(line, fault))?;
    }
    let certificate = lines.end().and_then(|certificate| {
        header.check(network, of, &certificate)?;
        Ok(certificate)
    });
    let certificate = certificate.map_err(|fault| refused(first, fault))?;
    match (&header.digest, of.and_then(|of| of.digest)) {
        (Some(own), Some(theirs)) if own != theirs => Err(refuse(two_commands(theirs, 0..first.len()))),
        _ => Ok(certificate),
    }
}

fn not_one() -> Wrong {
    ("not-a-certificate", "this is no first line of a certificate of simnet".to_owned())
}

impl Header<'_> {
    /// Checks all that it says.
    fn check(&self, network: &Network, of: Option<About<'_>>, lines: &Certificate) -> Result<(), Wrong> {
        if self.format != "simnet-certificate/1"
            || self.digest.as_deref().is_some_and(|digest| !is_digest(digest))
        {
            return Err(not_one());
        }
        if self.network != network.name {
            let message = format!("it is of the network `{}`, and this is `{}`", self.network, network.name);
            return Err(("another-network", message));
        }
        let (channels, dependencies) = lines.size();
        if (self.channels, self.dependencies, self.lanes) != (channels, dependencies, lines.lanes) {
            let lanes = lines.lanes;
            let message = format!(
                "{channels} outputs with {dependencies} dependencies on {lanes} lanes are below this line"
            );
            return Err(("wrong-count", message));
        }
        let hosts = network.hosts().len() as u64;
        let most = hosts * hosts.saturating_sub(1);
        let pairs = self.about.split(' ').next().and_then(|pairs| pairs.parse::<u64>().ok());
        let Some(pairs) = pairs.filter(|pairs| words(*pairs) == self.about && *pairs <= most) else {
            let message = format!("`{}` are no pairs of the network: it has {most}", self.about);
            return Err(("other-routes", message));
        };
        match of {
            Some(of) if of.pairs != pairs => Err((
                "other-routes",
                format!("it is about {pairs} pairs of hosts, and {} have a route", of.pairs),
            )),
            _ => Ok(()),
        }
    }
}

/// The lines below the first, as they are read from the last one upwards.
struct Lines<'n> {
    network: &'n Network,
    then: BTreeMap<Output, BTreeSet<Output>>,
    /// Lanes in names; `None` where one is without.
    lanes: BTreeSet<Option<u8>>,
}

impl Lines<'_> {
    /// Adds a line above those that were added.
    fn add(&mut self, line: &str) -> Result<(), Wrong> {
        let Ok(Line { channel, then: next }) = from_str(line) else {
            return Err(("certificate-line", "this is no line of a certificate".to_owned()));
        };
        let found = output(self.network, &channel);
        let found = found.and_then(|(end, lane)| Some((end, lane, self.network.peer(end)?.node)));
        let Some((end, lane, far @ Node::Switch(_))) = found else {
            return Err(("unknown-channel", format!("`{channel}` leads to no switch of the network")));
        };
        self.spells(lane, &channel)?;
        let mut then = BTreeSet::new();
        for next in &next {
            let Some((leaves, lane)) = output(self.network, next).filter(|(end, _)| end.node == far) else {
                return Err(("no-neighbour", format!("`{next}` does not leave where `{channel}` leads to")));
            };
            self.spells(lane, next)?;
            let next_output = (leaves, lane.unwrap_or(0));
            if !self.then.contains_key(&next_output) || !then.insert(next_output) {
                let message = format!("`{next}` does not stand below, or twice behind `{channel}`");
                return Err(("goes-back", message));
            }
        }
        match self.then.insert((end, lane.unwrap_or(0)), then) {
            Some(_) => Err(("stands-twice", format!("`{channel}` has another line below"))),
            None => Ok(()),
        }
    }

    /// Notes the lane in a name: all names have one, or none has. Otherwise one output could stand in the order twice.
    fn spells(&mut self, lane: Option<u8>, name: &str) -> Result<(), Wrong> {
        self.lanes.insert(lane);
        if self.lanes.contains(&None) && self.lanes.len() > 1 {
            let message = format!("`{name}`: some names of outputs have a lane, others have none");
            return Err(("mixed-spelling", message));
        }
        Ok(())
    }

    /// The certificate of all lines.
    fn end(self) -> Result<Certificate, Wrong> {
        let Lines { network, then, lanes } = self;
        let certificate =
            Certificate { lanes: lanes.len().max(1), then, names_lanes: !lanes.contains(&None) };
        let followed: BTreeSet<&Output> = certificate.then.values().flatten().collect();
        let is_alone =
            |(output, then): &(&Output, &BTreeSet<Output>)| then.is_empty() && !followed.contains(output);
        match certificate.then.iter().find(is_alone) {
            Some((output, _)) => {
                let name = certificate.name(network, *output);
                Err(("alone", format!("`{name}` follows no output, and none follows it")))
            }
            None => Ok(certificate),
        }
    }
}

/// What an output of a switch is called, with its lane if there is one.
fn spelt(network: &Network, output: End, lane: Option<u8>) -> String {
    let lane = lane.map(|lane| format!("/{lane}")).unwrap_or_default();
    format!("{}:{}{lane}", network.name_of(output.node), output.port)
}

/// The end that a name stands for, `switch:port` or `switch:port/lane`, if it is spelt as simnet spells it.
fn output(network: &Network, name: &str) -> Option<(End, Option<u8>)> {
    let (switch, rest) = name.rsplit_once(':')?;
    let (port, lane) = rest.split_once('/').map_or((rest, None), |(port, lane)| (port, Some(lane)));
    let end = End { node: Node::Switch(network.find_switch(switch)?), port: Port(port.parse().ok()?) };
    let lane = lane.map(str::parse::<u8>).transpose().ok()?.filter(|lane| *lane < DROPPED);
    (spelt(network, end, lane) == name).then_some((end, lane))
}
