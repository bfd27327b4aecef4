//! Random replays: a network, routes and messages, as files for the command and as a case for the oracle.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use simnet::fabric::{Arbitration, FlowControl, HostParameters, LinkTiming, Parameters, SwitchParameters};
use simnet::ids::{HostId, Node, Port, SwitchId, Turn};
use simnet::topology::{End, Network, presets};
use simnet::units::Duration;

use support_media::oracle::{Case, Message};
use support_media::random_case::{ARBITRATIONS, Wiring, wired};

/// The length of a cycle at 1.28 Gb/s.
pub(crate) const CYCLE_PS: u64 = 6_250;
/// Far enough for everything: the oracle passes over cycles in which nothing happens.
const FOR_EVER: u64 = 1 << 40;

/// A row of `messages.csv`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) time_ps: u64,
    pub(crate) source: HostId,
    pub(crate) destination: HostId,
    pub(crate) payload: u32,
}

/// A line of `routes.ndjson`.
#[derive(Clone, Debug)]
struct Route {
    turns: Vec<Turn>,
    with_hops: bool,
}

/// A switch, the port by which a route comes in, and the one by which it leaves.
type Hop = (SwitchId, Port, Port);

/// One replay.
#[derive(Debug)]
pub(crate) struct Replay {
    wiring: Wiring,
    preset: Option<&'static str>,
    switch: SwitchParameters,
    /// The delay of cables that give no length.
    delay: u64,
    /// Per link: its own delay, if it gives a length.
    delays: Vec<Option<u64>>,
    /// By how much each written time or length falls short of a whole cycle: 0 to 999 thousandths.
    short: u64,
    routes: BTreeMap<(HostId, HostId), Route>,
    pub(crate) rows: Vec<Row>,
}

impl Replay {
    /// The replay with this seed.
    pub(crate) fn random(seed: u64) -> Replay {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let preset =
            *[None, None, None, None, None, None, Some("now-c"), Some("now-ca")].choose(&mut rng).unwrap();
        let wiring = match preset {
            Some(name) => of_preset(name),
            None => std::iter::repeat_with(|| attached(wired(&mut rng)))
                .find(|wiring| wiring.network.hosts().len() >= 2)
                .unwrap(),
        };
        let links = wiring.network.links().len();
        let own = |rng: &mut ChaCha8Rng| {
            (preset.is_none() && rng.random_bool(0.4)).then(|| rng.random_range(1..=12))
        };
        let delays: Vec<Option<u64>> = (0..links).map(|_| own(&mut rng)).collect();
        let mut replay = Replay {
            wiring,
            preset,
            switch: random_switch(&mut rng),
            delay: *[2, 2, rng.random_range(1..=12)].choose(&mut rng).unwrap(),
            delays,
            short: if rng.random() { 0 } else { rng.random_range(0..1_000) },
            routes: BTreeMap::new(),
            rows: Vec::new(),
        };
        replay.add_routes(&mut rng);
        replay.add_rows(&mut rng);
        replay
    }

    /// Gives every host a few routes: good ones with or without hops, wrong ones, some to itself.
    fn add_routes(&mut self, rng: &mut ChaCha8Rng) {
        let hosts: Vec<HostId> = self.wiring.network.host_ids().collect();
        let walks = *[0.0, 0.3, 1.0].choose(rng).unwrap();
        let tree = rng.random_bool(0.4);
        let wrong = if rng.random_bool(0.6) { 0.0 } else { 0.2 };
        for host in &hosts {
            for _ in 0..rng.random_range(1..=6) {
                let wiring = &self.wiring;
                let mut turns = if rng.random_bool(walks) {
                    wiring.walk(rng, *host)
                } else {
                    wiring.path(rng, *host, |link| !tree || wiring.tree[link.index()])
                };
                let is_wrong = rng.random_bool(wrong);
                if is_wrong {
                    spoil(rng, &mut turns);
                }
                let landing = self.hops(*host, &turns).map(|(_, landing)| landing);
                let destination = match landing.filter(|_| !is_wrong) {
                    Some(to) => to,
                    None => *hosts.choose(rng).unwrap(),
                };
                let leads_there = landing == Some(destination) && destination != *host;
                let route = Route { turns, with_hops: leads_there && rng.random() };
                self.routes.entry((*host, destination)).or_insert(route);
            }
        }
    }

    fn add_rows(&mut self, rng: &mut ChaCha8Rng) {
        let pairs: Vec<(HostId, HostId)> = self.routes.keys().copied().collect();
        let longest = *[1, 3, 40, 150, 600].choose(rng).unwrap();
        let window_ps = *[1, CYCLE_PS, 1_000_000, 30_000_000, 300_000_000].choose(rng).unwrap();
        let count = match rng.random_range(0..12) {
            0 => 1,
            1 => rng.random_range(1_000..1_500),
            _ => rng.random_range(2..200),
        };
        let whole = rng.random_bool(0.3);
        for _ in 0..count {
            let (source, destination) = *pairs.choose(rng).unwrap();
            let time_ps = rng.random_range(0..window_ps);
            let time_ps = if whole { time_ps / CYCLE_PS * CYCLE_PS } else { time_ps };
            self.rows.push(Row { time_ps, source, destination, payload: rng.random_range(1..=longest) });
        }
        if rng.random() {
            self.rows.sort_by_key(|row| row.time_ps);
        } else {
            self.rows.shuffle(rng);
        }
    }

    /// The hops of a route and the host where it ends, if it ends at one and has no mistake.
    fn hops(&self, from: HostId, turns: &[Turn]) -> Option<(Vec<Hop>, HostId)> {
        let network = &self.wiring.network;
        let port = self.wiring.attachments[from.index()]?;
        let mut at = network.peer(End { node: Node::Host(from), port })?;
        let mut hops = Vec::new();
        for turn in turns {
            let Node::Switch(switch) = at.node else { return None };
            let out = at.port.turned(*turn)?;
            hops.push((switch, at.port, out));
            at = network.peer(End { node: at.node, port: out })?;
        }
        match at.node {
            // Another cable of a host is not where routes lead to.
            Node::Host(host) if self.wiring.attachments[host.index()] == Some(at.port) => Some((hops, host)),
            _ => None,
        }
    }

    /// The same for the oracle: the tag of a message is its row.
    pub(crate) fn case(&self) -> Case {
        let mut messages: Vec<Vec<Message>> = vec![Vec::new(); self.wiring.network.hosts().len()];
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|row| self.rows[*row].time_ps);
        for tag in order {
            let Row { time_ps, source, destination, payload } = self.rows[tag];
            let route = self.routes[&(source, destination)].turns.clone();
            let created = time_ps.div_ceil(CYCLE_PS);
            messages[source.index()].push(Message {
                created,
                payload,
                route,
                tag: tag as u64,
                time_to_live: None,
            });
        }
        let timing = |delay: &Option<u64>| LinkTiming { period: 1, delay: delay.unwrap_or(self.delay) };
        Case {
            network: self.wiring.network.clone(),
            parameters: Parameters {
                base_cycle: Duration::from_ps(CYCLE_PS),
                switch: self.switch,
                host: HostParameters {
                    send_overhead: 0,
                    receive: None,
                    time_to_live: None,
                    in_transit: None,
                },
                links: self.delays.iter().map(timing).collect(),
                flow: FlowControl::StopGo,
            },
            attachments: self.wiring.attachments.clone(),
            messages,
            link_events: Vec::new(),
            horizon: FOR_EVER,
        }
    }

    /// Writes `replay.toml` and what it names; gives the names of the messages.
    pub(crate) fn write(&self, folder: &Path) -> Vec<String> {
        fs::write(folder.join("net.json"), self.network_file()).unwrap();
        fs::write(folder.join("routes.ndjson"), self.routes_file()).unwrap();
        fs::write(folder.join("replay.toml"), self.scenario()).unwrap();
        let names: Vec<String> = (0..self.rows.len()).map(|row| format!("{}", row * 7 + 3)).collect();
        let mut csv = "message,time_ns,source,destination,payload_bytes\n".to_owned();
        for (row, name) in self.rows.iter().zip(&names) {
            let (source, destination) = (self.host(row.source), self.host(row.destination));
            let time = ns(row.time_ps);
            writeln!(csv, "{name},{time},{source},{destination},{}", row.payload).unwrap();
        }
        fs::write(folder.join("messages.csv"), csv).unwrap();
        names
    }

    fn host(&self, host: HostId) -> &str {
        self.wiring.network.name_of(Node::Host(host))
    }

    fn network_file(&self) -> String {
        let network = &self.wiring.network;
        let switches: Vec<_> = network
            .switches()
            .iter()
            .map(|s| json!({"name": s.name, "ports": s.ports, "first_port": s.first_port}))
            .collect();
        let hosts: Vec<_> = network
            .hosts()
            .iter()
            .map(|h| json!({"name": h.name, "ports": h.ports, "first_port": h.first_port}))
            .collect();
        let link = |(link, delay): (&simnet::topology::Link, &Option<u64>)| {
            let mut value = json!({
                "a": network.name_of(link.a.node), "a_port": link.a.port.0,
                "b": network.name_of(link.b.node), "b_port": link.b.port.0,
            });
            if let Some(delay) = delay {
                value["length"] = json!(self.metres(*delay));
            }
            value
        };
        let links: Vec<_> = network.links().iter().zip(&self.delays).map(link).collect();
        json!({"format": "simnet-topology/1", "name": "random", "switches": switches, "hosts": hosts, "links": links})
            .to_string()
    }

    fn routes_file(&self) -> String {
        let mut text = String::new();
        for ((source, destination), route) in &self.routes {
            let turns: Vec<i16> = route.turns.iter().map(|turn| turn.0).collect();
            let mut line = json!({"src": self.host(*source), "dst": self.host(*destination), "turns": turns});
            if route.with_hops {
                let (hops, _) = self.hops(*source, &route.turns).expect("checked when it was made");
                let hop = |(switch, input, output): &Hop| {
                    let name = self.wiring.network.name_of(Node::Switch(*switch));
                    json!({"switch": name, "in": input.0, "out": output.0})
                };
                line["hops"] = hops.iter().map(hop).collect();
            }
            writeln!(text, "{line}").unwrap();
        }
        text
    }

    fn scenario(&self) -> String {
        let SwitchParameters { buffer, stop, go, routing_latency, arbitration, routing_interval, timeout } =
            self.switch;
        let topology = match self.preset {
            Some(name) => format!("preset = \"{name}\""),
            None => "file = \"net.json\"".to_owned(),
        };
        let arbitration = match arbitration {
            Arbitration::Serial => "serial",
            Arbitration::PerInput => "per-input",
            Arbitration::PerOutput => "per-output",
        };
        let timeout =
            timeout.map_or_else(|| "never".to_owned(), |cycles| format!("{} ns", self.cycles_ns(cycles)));
        format!(
            "[scenario]\nname = \"replay\"\nseed = 1\n\n[topology]\n{topology}\n{attach}\n[fabric]\n\
             rate = \"1.28 Gb/s\"\nbuffer = \"{buffer} B\"\nstop = \"{stop} B\"\ngo = \"{go} B\"\n\
             routing-latency = \"{latency} ns\"\narbitration = \"{arbitration}\"\n{interval}\
             deadlock-timeout = \"{timeout}\"\ncable-length = \"{length}\"\n\n\
             [routing]\nfile = \"routes.ndjson\"\n\n[traffic.trace]\nfile = \"messages.csv\"\n\n\
             [output]\ndeliveries = true\n",
            attach = self.attach(),
            latency = self.cycles_ns(routing_latency),
            interval = routing_interval.map_or_else(String::new, |cycles| {
                format!("routing-interval = \"{} ns\"\n", self.cycles_ns(cycles))
            }),
            length = self.metres(self.delay),
        )
    }

    /// Names the port of every host with several cables.
    fn attach(&self) -> String {
        let network = &self.wiring.network;
        let several: Vec<HostId> =
            network.host_ids().filter(|host| network.cables(Node::Host(*host)).count() > 1).collect();
        if several.is_empty() {
            return String::new();
        }
        let mut text = "[topology.attach]\n".to_owned();
        for host in several {
            let port = self.wiring.attachments[host.index()].expect("every host here has one");
            writeln!(text, "\"{}\" = {port}", self.host(host)).unwrap();
        }
        text
    }

    /// A time that is so many cycles when rounded up.
    fn cycles_ns(&self, cycles: u64) -> String {
        ns(cycles * CYCLE_PS - self.short)
    }

    /// A length of so many cycles of flight when rounded up: 5 ns a metre, 1.25 m a cycle.
    fn metres(&self, cycles: u64) -> String {
        format!("{} mm", cycles * 1_250 - self.short)
    }
}

/// Picoseconds as nanoseconds.
fn ns(ps: u64) -> String {
    format!("{}.{:03}", ps / 1_000, ps % 1_000)
}

fn random_switch(rng: &mut ChaCha8Rng) -> SwitchParameters {
    let stop = *[56, 1, 2, rng.random_range(1..=12), rng.random_range(1..=108)].choose(rng).unwrap();
    let timeout = match rng.random_range(0..10) {
        0..3 => None,
        3 => Some(8_000_000),
        4..6 => Some(rng.random_range(8..100)),
        6..8 => Some(rng.random_range(100..1_000)),
        _ => Some(rng.random_range(1_000..50_000)),
    };
    let routing_latency = *[24, rng.random_range(1..=26)].choose(rng).unwrap();
    let arbitration = ARBITRATIONS[rng.random_range(0..ARBITRATIONS.len())];
    let is_pipelined = arbitration == Arbitration::PerInput && rng.random();
    SwitchParameters {
        buffer: stop + 23 + rng.random_range(0..30),
        stop,
        go: rng.random_range(0..stop),
        routing_latency,
        arbitration,
        routing_interval: is_pipelined.then(|| rng.random_range(1..=routing_latency)),
        timeout,
    }
}

/// The same wiring with every host attached by a port that has a cable.
fn attached(mut wiring: Wiring) -> Wiring {
    for host in wiring.network.host_ids() {
        let lowest = || wiring.network.attachment(host).map(|(port, _, _)| port);
        let port = wiring.attachments[host.index()].or_else(lowest);
        wiring.attachments[host.index()] = port;
    }
    wiring
}

fn of_preset(name: &str) -> Wiring {
    let network: Network = presets::load(name).expect("a preset");
    let attachments =
        network.host_ids().map(|host| network.attachment(host).map(|(port, _, _)| port)).collect();
    Wiring { tree: vec![true; network.links().len()], attachments, network }
}

/// Puts one mistake into a route.
fn spoil(rng: &mut ChaCha8Rng, route: &mut Vec<Turn>) {
    let wild = Turn(*[i16::MIN, i16::MAX, rng.random_range(-9..=9), 0].choose(rng).unwrap());
    let at = rng.random_range(0..=route.len());
    match rng.random_range(0..3) {
        0 => route.truncate(at),
        1 => route.insert(at, wild),
        _ => route.push(wild),
    }
}
