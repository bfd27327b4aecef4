//! The chart of a mapper that never keeps a switch twice: every switch is identified before it is added.
//!
//! A switch numbers its ports from the one at which it was entered first, which is its port 0. What lies
//! behind a port is asked once; a switch that answers there is *open* until it has been identified.
//!
//! # Source
//! Mainwaring et al. 1997, section 4, and hendriks2004, section 2: both mappers compare a switch with those
//! they have, and add it only if it is none of them.

use std::collections::{BTreeMap, VecDeque};

use crate::host::mapper::growth::{Change, Journal, Spot, Vertex};
use crate::host::mapper::{Growth, Memory};
use crate::ids::{LinkId, Turn};
use crate::topology::{End, Network};

/// A port of a charted switch, numbered from the port at which the switch was entered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) switch: usize,
    pub(super) port: i32,
}

/// What is known to lie behind a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// This host.
    Host(String),
    /// A switch that has not been identified yet.
    Open,
    /// This port of a charted switch.
    Cable(Place),
    /// Nothing that answers.
    Nothing,
}

/// A switch of the chart.
#[derive(Debug, Default)]
pub(super) struct Charted {
    /// The journal's number for it.
    vertex: Vertex,
    /// The turns that lead to it; it is entered at its port 0.
    pub(super) route: Vec<Turn>,
    /// What lies behind those of its ports that were asked.
    pub(super) ports: BTreeMap<i32, Behind>,
    /// Whether a host is cabled to it.
    pub(super) has_hosts: bool,
}

impl Charted {
    /// The ports that are cabled, in order.
    pub(super) fn cabled(&self) -> impl DoubleEndedIterator<Item = i32> + '_ {
        self.ports.iter().filter(|(_, behind)| **behind != Behind::Nothing).map(|(port, _)| *port)
    }

    /// The least and the greatest port that a switch of `ports` ports can have, given those that are cabled.
    pub(super) fn window(&self, ports: u16) -> (i32, i32) {
        let (low, high) = (self.cabled().next().unwrap_or(0), self.cabled().next_back().unwrap_or(0));
        (high - (i32::from(ports) - 1), low + (i32::from(ports) - 1))
    }
}

/// The network as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Chart {
    pub(super) switches: Vec<Charted>,
    /// Where each host is cabled, how often it has answered, and the journal's number for it.
    hosts: BTreeMap<String, (Option<Place>, u64, Vertex)>,
    /// Places that were open when they were found, in order; some have been identified since.
    open: VecDeque<Place>,
    cables: u64,
    most_bytes: u64,
    /// Whether what was seen cannot be one network.
    pub(super) contradiction: bool,
    /// Cables found in ports that were said to be empty.
    pub(super) recovered: u64,
    /// How the chart grew.
    pub(super) journal: Journal,
}

impl Chart {
    /// Adds a switch entered by `route`, and says which it is.
    pub(super) fn add(&mut self, route: Vec<Turn>) -> usize {
        let vertex = self.journal.switch();
        self.switches.push(Charted { vertex, route, ..Charted::default() });
        self.switches.len() - 1
    }

    /// The turns that lead out of a place: to whatever is behind it.
    pub(super) fn route_through(&self, place: Place) -> Vec<Turn> {
        let mut route = self.switches[place.switch].route.clone();
        route.push(turn(place.port));
        route
    }

    /// Where the host called `name` is cabled, if it is on the chart.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        self.hosts.get(name).and_then(|(place, ..)| *place)
    }

    /// A place as the journal knows it.
    fn spot(&self, place: Place) -> Spot {
        Spot { vertex: self.switches[place.switch].vertex, port: place.port }
    }

    /// Notes that a host has answered, cabled to a port of a switch or to no switch.
    pub(super) fn add_host(&mut self, name: &str, place: Option<Place>) {
        let journal = &mut self.journal;
        let known = self.hosts.entry(name.to_owned()).or_insert_with(|| (place, 0, journal.host(name)));
        known.1 += 1;
        self.contradiction |= known.0 != place;
        let far = Spot { vertex: known.2, port: 0 };
        let Some(Place { switch, port }) = place else { return };
        let here = Behind::Host(name.to_owned());
        match self.switches[switch].ports.get(&port) {
            Some(Behind::Nothing) => self.recovered += 1,
            Some(there) => {
                self.contradiction |= *there != here;
                return;
            }
            None => {}
        }
        self.journal.cable(self.spot(Place { switch, port }), far);
        self.switches[switch].ports.insert(port, here);
        self.switches[switch].has_hosts = true;
        self.cables += 1;
    }

    /// Notes that some switch lies behind a place.
    pub(super) fn add_open(&mut self, place: Place) {
        let at = self.spot(place);
        let ports = &mut self.switches[place.switch].ports;
        if ports.get(&place.port).is_none_or(|behind| *behind == Behind::Nothing) {
            self.journal.note(Change::Open { at });
            ports.insert(place.port, Behind::Open);
            self.open.push_back(place);
        }
    }

    /// Notes that nothing answers behind a place, unless something is known to; says whether it was noted.
    pub(super) fn add_nothing(&mut self, place: Place) -> bool {
        let known = self.switches[place.switch].ports.entry(place.port).or_insert(Behind::Nothing);
        *known == Behind::Nothing
    }

    /// Lays a cable between two places.
    pub(super) fn lay(&mut self, a: Place, b: Place) {
        if [a, b].iter().any(|place| i16::try_from(place.port).is_err()) {
            // Only false answers lead so far from the port of entry.
            self.contradiction = true;
            return;
        }
        self.cables += 1;
        self.journal.cable(self.spot(a), self.spot(b));
        for (near, far) in [(a, b), (b, a)] {
            let ports = &mut self.switches[near.switch].ports;
            match ports.insert(near.port, Behind::Cable(far)) {
                None | Some(Behind::Open) => {}
                Some(Behind::Nothing) => self.recovered += 1,
                Some(there) => {
                    // The older knowledge stays; one of the two is wrong, and the map says so.
                    self.contradiction |= there != Behind::Cable(far);
                    ports.insert(near.port, there);
                }
            }
        }
    }

    /// The next switch to be identified, by the place it lies behind.
    pub(super) fn next_open(&mut self) -> Option<Place> {
        while let Some(place) = self.open.pop_front() {
            if self.switches[place.switch].ports.get(&place.port) == Some(&Behind::Open) {
                return Some(place);
            }
        }
        None
    }

    /// The size of the chart.
    pub(super) fn growth(&self) -> Growth {
        Growth {
            nodes: (self.hosts.len() + self.switches.len()) as u64,
            edges: self.cables,
            frontier: self.open.len() as u64,
        }
    }

    /// The bytes that a firmware would need for the chart as it is, and the most that it needed so far. Costs
    /// O(switches).
    pub(super) fn bytes(&mut self) -> (u64, u64) {
        let switch = |switch: &Charted| {
            Memory::NODE + Memory::PORT * switch.ports.len() as u64 + Memory::TURN * switch.route.len() as u64
        };
        let bytes = self.switches.iter().map(switch).sum::<u64>()
            + Memory::NODE * self.hosts.len() as u64
            + Memory::ENTRY * self.open.len() as u64;
        self.most_bytes = self.most_bytes.max(bytes);
        (bytes, self.most_bytes)
    }

    /// The chart as a network: hosts by name with `mapper` first, switches `s0`, `s1`, ... in order of
    /// discovery, of `ports` ports or as many as their cables span; their lowest cabled port is 0. Beside each
    /// cable whether only one answer speaks for it, and the ports taken for empty.
    pub(super) fn network(&mut self, name: &str, mapper: &str, ports: u16) -> Drawn {
        let mut drawn = Drawn { network: Network::new(name), once: Vec::new(), empty: Vec::new() };
        let others = self.hosts.keys().map(String::as_str).filter(|host| *host != mapper);
        let ids: BTreeMap<String, End> = std::iter::once(mapper)
            .chain(others)
            .map(|host| {
                (host.to_owned(), End::host(drawn.network.add_host(host).expect("names are keys"), 0))
            })
            .collect();
        let mut ends = Vec::with_capacity(self.switches.len());
        let mut number = 0;
        for switch in &self.switches {
            let low = switch.cabled().next().unwrap_or(0);
            let span = i64::from(switch.cabled().next_back().unwrap_or(0)) - i64::from(low) + 1;
            let span = u16::try_from(span).unwrap_or(u16::MAX);
            self.contradiction |= span > ports;
            let name = free_name(&drawn.network, &mut number);
            ends.push((drawn.network.add_switch(name, span.max(ports)).expect("the name is free"), low));
        }
        let end = |place: Place| {
            let (switch, low) = ends[place.switch];
            Some(End::switch(switch, u16::try_from(place.port - low).ok()?))
        };
        for (number, switch) in self.switches.iter().enumerate() {
            for (port, behind) in &switch.ports {
                let near = Place { switch: number, port: *port };
                let (far, once) = match behind {
                    Behind::Host(host) => (ids.get(host).copied(), self.hosts[host].1 < 2 && host != mapper),
                    Behind::Cable(far) if near <= *far => (end(*far), false),
                    Behind::Cable(_) | Behind::Open => continue,
                    Behind::Nothing => {
                        let inside = |end: &End| drawn.network.port_range(end.node).1 > end.port.0;
                        drawn.empty.extend(end(near).filter(inside));
                        continue;
                    }
                };
                let laid = end(near).zip(far).map(|(a, b)| drawn.network.connect(a, b));
                self.contradiction |= !matches!(laid, Some(Ok(_)));
                drawn.once.extend(laid.and_then(Result::ok).filter(|_| once));
            }
        }
        drawn
    }
}

/// A chart as a network.
pub(super) struct Drawn {
    pub(super) network: Network,
    /// Cables for which only one answer speaks.
    pub(super) once: Vec<LinkId>,
    /// Ports taken for empty.
    pub(super) empty: Vec<End>,
}

/// The next name `s0`, `s1`, ... that no host has.
fn free_name(network: &Network, next: &mut u32) -> String {
    loop {
        let name = format!("s{next}");
        *next += 1;
        if network.find(&name).is_none() {
            return name;
        }
    }
}

/// The turn of this number.
pub(super) fn turn(number: i32) -> Turn {
    Turn(i16::try_from(number).expect("fewer than 32768 ports"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(switch: usize, port: i32) -> Place {
        Place { switch, port }
    }

    /// The mapper `h` at port 0 of switch 0, whose port 2 leads to some switch.
    fn begun() -> Chart {
        let mut chart = Chart::default();
        chart.add(Vec::new());
        chart.add_host("h", Some(place(0, 0)));
        chart.add_open(place(0, 2));
        chart
    }

    #[test]
    fn a_cable_is_identified_from_one_end_only() {
        // Wrong if the far end of an identified cable were asked again.
        let mut chart = begun();
        assert_eq!(chart.next_open(), Some(place(0, 2)));
        assert_eq!(chart.route_through(place(0, 2)), [Turn(2)]);
        let new = chart.add(vec![Turn(2)]);
        chart.lay(place(0, 2), place(new, 0));
        for port in [-1, 3] {
            chart.add_open(place(new, port));
        }
        // Its port -1 leads back into its port 3.
        assert_eq!(chart.next_open(), Some(place(new, -1)));
        chart.lay(place(new, -1), place(new, 3));
        assert_eq!(chart.next_open(), None);
        assert_eq!(chart.switches[new].window(8), (-4, 6));
        let drawn = chart.network("map", "h", 8);
        let counts =
            (drawn.network.hosts().len(), drawn.network.switches().len(), drawn.network.links().len());
        assert_eq!((counts, chart.contradiction, chart.recovered), ((1, 2, 3), false, 0));
    }

    #[test]
    fn what_cannot_be_is_noted_and_what_was_missed_is_made_good() {
        // Wrong if a host in two places, two cables in one port or a false no went unnoticed.
        let mut chart = begun();
        chart.add_host("h", Some(place(0, 5)));
        assert!(chart.contradiction, "one host in two places");
        let mut chart = begun();
        let new = chart.add(vec![Turn(2)]);
        chart.lay(place(0, 2), place(new, 0));
        chart.lay(place(new, 1), place(0, 2));
        assert!(chart.contradiction, "two cables in one port");
        let mut chart = begun();
        assert!(chart.add_nothing(place(0, 3)) && !chart.add_nothing(place(0, 2)));
        let new = chart.add(vec![Turn(2)]);
        chart.lay(place(0, 2), place(new, 0));
        chart.lay(place(new, 1), place(0, 3));
        assert_eq!((chart.contradiction, chart.recovered), (false, 1));
        chart.lay(place(new, 40_000), place(0, 4));
        assert!(chart.contradiction, "no turn leads so far");
        chart.network("map", "h", 8);
    }

    #[test]
    fn one_answer_is_little_and_empty_ports_are_told() {
        // Wrong if the map claimed more certainty than it has.
        let mut chart = begun();
        chart.add_host("g", Some(place(0, 1)));
        chart.add_host("f", Some(place(0, 3)));
        chart.add_host("f", Some(place(0, 3)));
        chart.add_nothing(place(0, 4));
        let drawn = chart.network("map", "h", 8);
        let names: Vec<&str> =
            drawn.once.iter().map(|id| drawn.network.name_of(drawn.network.link(*id).b.node)).collect();
        assert_eq!((names, drawn.empty.len()), (vec!["g"], 1));
        assert_eq!(drawn.network.hosts()[0].name, "h");
    }
}
