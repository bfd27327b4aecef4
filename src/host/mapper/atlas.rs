//! The model of mappers that know of each switch, before they explore it, whether they have seen it before.
//!
//! Unlike the Berkeley mapper's model graph it never holds replicates: a switch is entered when it is known to
//! be new, with its ports numbered from the one at which it was entered first (*its own port 0*). A port holds
//! nothing, a host, a cable to a port of another switch, or a switch that is still *untold*: something there
//! turns messages round, and it is not known yet which switch that is.

use std::collections::{BTreeMap, BTreeSet};

use super::growth::{Change, Journal, Spot, Vertex};
use super::{Growth, Memory};
use crate::ids::{HostId, LinkId, Port, Turn};
use crate::topology::{End, Network};

/// A port of a switch, numbered from the one at which the switch was entered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) switch: usize,
    pub(super) port: i32,
}

/// What is at the other end of a port's cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Far {
    /// A host, by order of discovery; the mapper's is 0.
    Host(usize),
    /// A port of a switch.
    Switch(At),
    /// Some switch.
    Untold,
}

#[derive(Debug)]
struct Switch {
    /// The journal's number for it.
    vertex: Vertex,
    /// The turns that lead to it.
    route: Vec<Turn>,
    /// The port that those turns leave last; `None` for the switch of the mapper's own cable.
    from: Option<At>,
    ports: BTreeMap<i32, Far>,
    /// Per port: answers that came through it.
    answers: BTreeMap<i32, u64>,
    /// Whether all its ports were asked.
    surveyed: bool,
}

#[derive(Debug)]
struct Known {
    /// The journal's number for it.
    vertex: Vertex,
    name: String,
    /// The port that it is cabled to.
    place: Option<At>,
}

/// What is known of the network.
#[derive(Debug)]
pub(super) struct Atlas {
    switches: Vec<Switch>,
    hosts: Vec<Known>,
    by_name: BTreeMap<String, usize>,
    /// A host behind the mapper's own cable, where there is no switch at all.
    peer: Option<String>,
    cables: u64,
    /// Bytes by [`Memory`]'s account.
    bytes: u64,
    contradiction: bool,
    /// How the model grew.
    pub(super) journal: Journal,
}

/// The map that an atlas amounts to.
pub(super) struct Drawing {
    pub(super) network: Network,
    pub(super) unconfirmed_links: BTreeSet<LinkId>,
    pub(super) unconfirmed_ports: BTreeSet<End>,
    /// Whether what was seen cannot be one network.
    pub(super) contradiction: bool,
}

impl Atlas {
    /// Nothing but the mapper's own host.
    pub(super) fn new(mapper: &str) -> Atlas {
        let mut atlas = Atlas {
            switches: Vec::new(),
            hosts: Vec::new(),
            by_name: BTreeMap::new(),
            peer: None,
            cables: 0,
            bytes: 0,
            contradiction: false,
            journal: Journal::default(),
        };
        atlas.host(mapper);
        atlas
    }

    /// Forgets all but the mapper's own host, and goes on with the same journal.
    pub(super) fn forget(&mut self) {
        let mut journal = std::mem::take(&mut self.journal);
        journal.note(Change::Forgotten);
        let mapper = self.hosts[0].name.clone();
        let vertex = journal.host(&mapper);
        *self = Atlas { journal, ..Atlas::new(&mapper) };
        self.hosts[0].vertex = vertex;
    }

    /// A port as the journal knows it.
    fn spot(&self, at: At) -> Spot {
        Spot { vertex: self.switches[at.switch].vertex, port: at.port }
    }

    /// A host's end of its cable as the journal knows it.
    fn host_spot(&self, host: usize) -> Spot {
        Spot { vertex: self.hosts[host].vertex, port: 0 }
    }

    /// The host called `name`, made if it is new. Costs O(log hosts).
    fn host(&mut self, name: &str) -> usize {
        if let Some(host) = self.by_name.get(name) {
            return *host;
        }
        let host = self.hosts.len();
        self.by_name.insert(name.to_owned(), host);
        let vertex = self.journal.host(name);
        self.hosts.push(Known { vertex, name: name.to_owned(), place: None });
        self.bytes += Memory::NODE;
        host
    }

    /// Makes a switch that was not known: entered by `route`, whose last turn leaves the port `from`.
    pub(super) fn add_switch(&mut self, from: Option<At>, route: Vec<Turn>) -> usize {
        let switch = self.switches.len();
        self.bytes += Memory::NODE + Memory::TURN * route.len() as u64;
        let vertex = self.journal.switch();
        self.switches.push(Switch {
            vertex,
            route,
            from,
            ports: BTreeMap::new(),
            answers: BTreeMap::new(),
            surveyed: false,
        });
        let entry = At { switch, port: 0 };
        match from {
            Some(from) => self.connect(from, entry),
            None => self.attach(entry, 0),
        }
        switch
    }

    /// Notes that a host is cabled to a port.
    pub(super) fn place_host(&mut self, at: At, name: &str) {
        let host = self.host(name);
        self.attach(at, host);
    }

    fn attach(&mut self, at: At, host: usize) {
        match (self.hosts[host].place, self.far(at)) {
            (None, None) => {
                self.hosts[host].place = Some(at);
                self.cables += 1;
                // What was known before leads to what was not.
                let (near, far) = (self.spot(at), self.host_spot(host));
                let (near, far) = if far.vertex < near.vertex { (far, near) } else { (near, far) };
                self.journal.cable(near, far);
                self.set(at, Far::Host(host));
            }
            (Some(place), Some(Far::Host(there))) if (place, there) == (at, host) => {}
            _ => self.contradiction = true,
        }
    }

    /// Notes a cable between ports of two switches, or of one.
    pub(super) fn connect(&mut self, a: At, b: At) {
        let free = |far: Option<Far>| matches!(far, None | Some(Far::Untold));
        match (self.far(a), self.far(b)) {
            (Some(Far::Switch(there)), Some(Far::Switch(here))) if (there, here) == (b, a) => {}
            (from, to) if a != b && free(from) && free(to) => {
                self.cables += 1;
                self.journal.cable(self.spot(a), self.spot(b));
                self.set(a, Far::Switch(b));
                self.set(b, Far::Switch(a));
            }
            _ => self.contradiction = true,
        }
    }

    /// Notes that some switch is at the end of a port's cable.
    pub(super) fn leave_untold(&mut self, at: At) {
        match self.far(at) {
            None => {
                self.journal.note(Change::Open { at: self.spot(at) });
                self.set(at, Far::Untold);
            }
            Some(Far::Untold | Far::Switch(_)) => {}
            Some(Far::Host(_)) => self.contradiction = true,
        }
    }

    fn set(&mut self, at: At, far: Far) {
        let known = self.switches[at.switch].ports.insert(at.port, far);
        self.bytes += if known.is_none() { Memory::PORT } else { 0 };
    }

    /// Notes that the mapper's cable leads to another host.
    pub(super) fn face_host(&mut self, name: &str) {
        self.peer = Some(name.to_owned());
        let vertex = self.journal.host(name);
        self.journal.cable(self.host_spot(0), Spot { vertex, port: 0 });
    }

    /// Notes that all ports of a switch were asked.
    pub(super) fn set_surveyed(&mut self, switch: usize) {
        self.switches[switch].surveyed = true;
    }

    /// Notes something that cannot be.
    pub(super) fn contradict(&mut self) {
        self.contradiction = true;
    }

    /// Notes that an answer came through a port, and so through all that lie between it and the mapper.
    pub(super) fn credit(&mut self, at: At) {
        let mut on = Some(at);
        // A switch is made after the one that leads to it, so this ends.
        while let Some(at) = on {
            self.note_answer(at);
            on = self.switches[at.switch].from;
        }
    }

    /// Notes that an answer came through this port; what else it came through is noted apart.
    pub(super) fn note_answer(&mut self, at: At) {
        *self.switches[at.switch].answers.entry(at.port).or_default() += 1;
    }

    /// How many switches are known.
    pub(super) fn len(&self) -> usize {
        self.switches.len()
    }

    /// How many hosts are known, the mapper's included.
    pub(super) fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// The turns that lead to a switch.
    pub(super) fn route(&self, switch: usize) -> &[Turn] {
        &self.switches[switch].route
    }

    /// The turns that lead out of a port.
    pub(super) fn route_out(&self, at: At) -> Vec<Turn> {
        let mut route = self.switches[at.switch].route.clone();
        route.push(turn(at.port));
        route
    }

    /// What is known to be at the end of a port's cable.
    pub(super) fn far(&self, at: At) -> Option<Far> {
        self.switches[at.switch].ports.get(&at.port).copied()
    }

    /// Whether the switch that a port leads to is known.
    pub(super) fn is_told(&self, at: At) -> bool {
        self.peer(at).is_some()
    }

    /// The port at the other end of the cable of a port, if it leads to a switch that is known.
    pub(super) fn peer(&self, at: At) -> Option<At> {
        match self.far(at) {
            Some(Far::Switch(peer)) => Some(peer),
            _ => None,
        }
    }

    /// Where the host called `name` is cabled to, if that is known. Costs O(log hosts).
    pub(super) fn place(&self, name: &str) -> Option<At> {
        self.hosts[*self.by_name.get(name)?].place
    }

    /// The ports of a switch that hosts are known at.
    pub(super) fn host_ports(&self, switch: usize) -> impl Iterator<Item = i32> + '_ {
        let ports = self.switches[switch].ports.iter();
        ports.filter(|(_, far)| matches!(far, Far::Host(_))).map(|(port, _)| *port)
    }

    /// The lowest and the highest port of a switch that have a cable.
    pub(super) fn extent(&self, switch: usize) -> (i32, i32) {
        let ports = &self.switches[switch].ports;
        let end = |entry: Option<(&i32, &Far)>| entry.map_or(0, |(port, _)| *port);
        (end(ports.first_key_value()), end(ports.last_key_value()))
    }

    /// The size of the model, with so many ports on the frontier.
    pub(super) fn growth(&self, frontier: usize) -> Growth {
        Growth {
            nodes: (self.hosts.len() + self.switches.len()) as u64,
            edges: self.cables,
            frontier: frontier as u64,
        }
    }

    /// The model's bytes, with so many ports on the frontier.
    pub(super) fn bytes(&self, frontier: usize) -> u64 {
        self.bytes + Memory::ENTRY * frontier as u64
    }

    /// Draws the map of switches with so many ports; `confirmed`: whether noes were asked for twice. Costs
    /// O(cables log cables).
    ///
    /// A switch that spans more ports is a contradiction. The lowest cabled port of each is 0.
    pub(super) fn draw(&self, ports: u16, confirmed: bool) -> Drawing {
        let mapper = &self.hosts[0].name;
        let mut drawing = Drawing {
            network: Network::new(format!("as mapped by {mapper}")),
            unconfirmed_links: BTreeSet::new(),
            unconfirmed_ports: BTreeSet::new(),
            contradiction: self.contradiction,
        };
        for host in &self.hosts {
            drawing.network.add_host(host.name.as_str()).expect("a name has one entry");
        }
        let ends = self.draw_switches(ports, &mut drawing);
        for (switch, known) in self.switches.iter().enumerate() {
            for (port, far) in &known.ports {
                self.draw_cable(At { switch, port: *port }, *far, &ends, &mut drawing);
            }
        }
        if let Some(peer) = &self.peer {
            let (network, end) = (&mut drawing.network, |host| End::host(HostId(host), 0));
            let cabled = network.add_host(peer.as_str()).is_ok() && network.connect(end(0), end(1)).is_ok();
            drawing.contradiction |= !cabled;
        }
        for (switch, known) in self.switches.iter().enumerate() {
            if !(confirmed && known.surveyed) {
                let node = ends[switch].0.node;
                let ports = (0..ports).map(|port| End { node, port: Port(port) });
                let empty = ports.filter(|end| drawing.network.link_at(*end).is_none());
                drawing.unconfirmed_ports.extend(empty);
            }
        }
        drawing
    }

    /// Draws the switches; gives for each an end at its own lowest cabled port, and that port.
    fn draw_switches(&self, ports: u16, drawing: &mut Drawing) -> Vec<(End, i32)> {
        let mut nth = 0;
        let mut ends = Vec::with_capacity(self.switches.len());
        for switch in 0..self.switches.len() {
            let drawn = |far: &Far| !matches!(far, Far::Untold);
            let mut cabled = self.switches[switch].ports.iter().filter(|(_, far)| drawn(far));
            let low = cabled.next().map_or(0, |(port, _)| *port);
            let high = cabled.next_back().map_or(low, |(port, _)| *port);
            let span = u16::try_from(high - low + 1).unwrap_or(u16::MAX);
            drawing.contradiction |= span > ports;
            let name = super::model::free_name(&drawing.network, &mut nth);
            let id = drawing.network.add_switch(name, span.max(ports)).expect("the name is free");
            ends.push((End::switch(id, 0), low));
        }
        ends
    }

    fn draw_cable(&self, at: At, far: Far, ends: &[(End, i32)], drawing: &mut Drawing) {
        let end = |at: At| {
            let (end, low) = ends[at.switch];
            Some(End { node: end.node, port: Port(u16::try_from(at.port - low).ok()?) })
        };
        let (other, answers) = match far {
            Far::Untold => return,
            Far::Switch(other) if other < at => return,
            Far::Switch(other) => (end(other), self.answers(at) + self.answers(other)),
            // Every answer comes through the mapper's own cable.
            Far::Host(0) => (Some(End::host(HostId(0), 0)), 2),
            Far::Host(host) => (Some(End::host(HostId::new(host), 0)), self.answers(at)),
        };
        match end(at).zip(other).map(|(a, b)| drawing.network.connect(a, b)) {
            Some(Ok(link)) if answers < 2 => {
                drawing.unconfirmed_links.insert(link);
            }
            Some(Ok(_)) => {}
            None | Some(Err(_)) => drawing.contradiction = true,
        }
    }

    fn answers(&self, at: At) -> u64 {
        self.switches[at.switch].answers.get(&at.port).copied().unwrap_or(0)
    }
}

/// A turn from a port 0.
pub(super) fn turn(port: i32) -> Turn {
    Turn(i16::try_from(port).expect("a turn spans fewer than 32768 ports"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(switch: usize, port: i32) -> At {
        At { switch, port }
    }

    /// The mapper at port 0 of switch 0, whose port 2 leads to switch 1 with host g at 3.
    fn two() -> Atlas {
        let mut atlas = Atlas::new("h");
        assert_eq!(atlas.add_switch(None, Vec::new()), 0);
        atlas.leave_untold(at(0, 2));
        assert_eq!(atlas.add_switch(Some(at(0, 2)), vec![Turn(2)]), 1);
        atlas.place_host(at(1, 3), "g");
        atlas
    }

    #[test]
    fn a_map_starts_at_the_lowest_cabled_port_and_knows_what_rests_on_one_answer() {
        // Wrong if an answer from beyond a cable did not speak for it, or if a shift were applied twice.
        let mut atlas = two();
        atlas.leave_untold(at(1, -1));
        atlas.connect(at(1, -1), at(0, 5));
        atlas.credit(at(1, 3));
        atlas.credit(at(0, 2));
        atlas.credit(at(0, 5));
        let drawing = atlas.draw(8, false);
        let (net, host) = (&drawing.network, |name| drawing.network.find_host(name).unwrap());
        assert_eq!((net.switches().len(), net.links().len(), drawing.contradiction), (2, 4, false));
        let (_, link, far) = net.attachment(host("g")).unwrap();
        assert_eq!(far.port, Port(4), "its switch's lowest cabled port is -1");
        assert!(drawing.unconfirmed_links.contains(&link));
        assert_eq!(drawing.unconfirmed_links.len(), 2, "g's cable and the second between the switches");
        assert_eq!(drawing.unconfirmed_ports.len(), 2 * 8 - 6);
        atlas.set_surveyed(0);
        assert_eq!(atlas.draw(8, true).unconfirmed_ports.len(), 8 - 3);
        assert_eq!((atlas.place("g"), atlas.extent(1)), (Some(at(1, 3)), (-1, 3)));
        assert_eq!(atlas.host_ports(1).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn what_cannot_be_is_noted_and_drawn_all_the_same() {
        let cases: [fn(&mut Atlas); 6] = [
            |atlas| atlas.place_host(at(0, 2), "f"),
            |atlas| atlas.place_host(at(0, 3), "g"),
            |atlas| atlas.connect(at(0, 2), at(0, 4)),
            |atlas| atlas.connect(at(0, 4), at(0, 4)),
            |atlas| atlas.place_host(at(0, -7), "f"),
            |atlas| atlas.leave_untold(at(1, 3)),
        ];
        for (nth, contradict) in cases.iter().enumerate() {
            let mut atlas = two();
            contradict(&mut atlas);
            assert!(atlas.draw(8, true).contradiction, "case {nth}");
        }
        assert!(!two().draw(8, true).contradiction);
    }

    #[test]
    fn two_hosts_on_one_cable() {
        let mut atlas = Atlas::new("h");
        atlas.face_host("g");
        let drawing = atlas.draw(8, true);
        assert_eq!((drawing.network.links().len(), drawing.contradiction), (1, false));
    }
}
