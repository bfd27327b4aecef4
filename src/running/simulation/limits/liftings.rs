//! Resources that can be lifted: each as it is, and made ample.

use simnet_base::ids::{LinkId, Node, SwitchId};
use simnet_base::numbers;
use simnet_base::units::{BitRate, Bytes, Duration, Flits};
use simnet_media::fabric::{Arbitration, Parameters};
use simnet_network::routing::{
    Algorithm, Attachments, Choices, DestinationTables, Directions, Engine, Plan, Report, Requirement, Root,
    Selection, SwitchGraph, Tree,
};
use simnet_network::topology::{End, Network};
use simnet_scenario::Checked;
use simnet_scenario::checked::{Generated, RouteSource};
use simnet_scenario::fabric::{Fabric, Hosts, overshoot, parameters};

use super::Resource;
use crate::simulation::point::Point;
use crate::simulation::routes::HostRoutes;
use crate::simulation::summary::port_name;

/// A resource, and how it is made ample.
pub(super) struct Lifting {
    pub(super) resource: Resource,
    /// The ends of a cable.
    pub(super) ends: Option<(String, String)>,
    pub(super) was: String,
    pub(super) made: String,
    change: Change,
}

/// What is changed.
enum Change {
    /// Heads are decoded in no time, at every input.
    Decoding,
    /// Inputs begin with a head every base cycle.
    Interval,
    /// Buffers, STOP and GO of switches; with credits the buffers of their lanes.
    Buffers([u64; 3]),
    /// Interfaces of hosts send and receive at once.
    Interfaces,
    /// A cable has this rate, and STOP and GO the buffers that it needs.
    Rate(LinkId, BitRate, u64),
    /// Other routes.
    Routes(Choices),
    /// Routes of a manager of so many lanes.
    OnLanes(u8),
}

/// The network, fabric and hosts of a short run.
pub(super) struct Parts {
    /// None where it is the scenario's.
    pub(super) network: Option<Network>,
    pub(super) fabric: Fabric,
    pub(super) hosts: Hosts,
}

/// A time of decoding that is none: of any fabric it is one base cycle.
const AT_ONCE: Duration = Duration::from_ps(1);

/// Rules that weigh all trees or all turns are left out on networks of more switches.
const FEW_SWITCHES: usize = 128;

/// Roots are compared by the routes of all pairs on networks of at most so many hosts.
const FEW_HOSTS: usize = 1_024;

/// The largest buffer of a port under STOP and GO.
const MOST_BUFFER: u64 = u16::MAX as u64;

/// The packets in a lane's buffer in addition to what is on its way: one that is sent, one that leaves, and one for
/// each of the two cables whose rates may differ.
const PACKETS: u64 = 4;

/// Everything of a scenario that can be lifted; `point` is its load as it is, `report` is of its routes.
pub(super) fn all(
    checked: &Checked,
    own: &Parameters,
    (generated, point): (&Generated, &Point),
    report: Option<&Report>,
) -> Vec<Lifting> {
    let longest = u64::from(generated.workload.sizes.longest());
    let single =
        [decoding(checked, own), interval(checked, own), buffers(checked, own, longest), interfaces(checked)];
    let cables = cables(checked, own, point);
    single.into_iter().flatten().chain(cables).chain(routes(checked, report)).collect()
}

impl Lifting {
    /// Decoding at once.
    pub(super) fn decoding(was: String, made: String) -> Lifting {
        Lifting { resource: Resource::Decoding, ends: None, was, made, change: Change::Decoding }
    }

    /// Whether routes are lifted.
    pub(super) fn is_of_routes(&self) -> bool {
        matches!(self.change, Change::Routes(_) | Change::OnLanes(_))
    }

    /// The network, fabric and hosts of its runs.
    pub(super) fn parts(&self, checked: &Checked) -> Parts {
        let (fabric, hosts) = (checked.fabric.clone(), checked.hosts);
        let mut parts = Parts { network: None, fabric, hosts };
        match &self.change {
            Change::Decoding => {
                parts.fabric.routing_latency = AT_ONCE;
                parts.fabric.arbitration = Arbitration::PerInput;
            }
            Change::Interval => parts.fabric.routing_interval = Some(AT_ONCE),
            Change::Buffers([buffer, stop, go]) => match &mut parts.fabric.credits {
                Some(credits) => credits.buffer = Flits(*buffer),
                None => {
                    [parts.fabric.buffer, parts.fabric.stop, parts.fabric.go] =
                        [*buffer, *stop, *go].map(Flits)
                }
            },
            Change::Interfaces => {
                parts.hosts.nic_send_overhead = Duration::ZERO;
                parts.hosts.receive = None;
            }
            Change::Rate(link, rate, buffer) => {
                parts.network = Some(with_rate(&checked.topology.network, *link, *rate));
                parts.fabric.buffer = Flits(*buffer);
            }
            // A lane is the number of a service level, as these routes have them.
            Change::Routes(_) | Change::OnLanes(_) => {
                if let Some(credits) = &mut parts.fabric.credits {
                    credits.service_lanes = None;
                }
            }
        }
        parts
    }

    /// Its routes, on the network itself; `None` if there are none that cannot deadlock.
    pub(super) fn routes(&self, checked: &Checked) -> Option<HostRoutes> {
        let network = &checked.topology.network;
        let attachments =
            Attachments::by_ports(network, &checked.topology.attachments).with_every_port(network);
        let table = match &self.change {
            Change::Routes(choices) => {
                let plan = Plan::new(network, &attachments, choices).ok()?;
                // Routes from roots go up*, then down*, or over turns that close no circle.
                let is_safe = !plan.rule.roots().is_empty()
                    || plan.report(network, &attachments).holds(Requirement::Acyclic);
                is_safe.then_some(plan.table)?
            }
            Change::OnLanes(lanes) => {
                let given = (Some(*lanes), 0, checked.topology.utility);
                let made = DestinationTables::new(network, &attachments, &Engine::Dfsssp, given).ok()?;
                made.route_table(network, &attachments).ok()?
            }
            _ => return None,
        };
        Some(HostRoutes::of_network(table))
    }
}

/// Decoding, unless it takes no time already.
fn decoding(checked: &Checked, own: &Parameters) -> Option<Lifting> {
    let (has_credits, arbitration) = (checked.fabric.credits.is_some(), checked.fabric.arbitration);
    let pipeline = checked.fabric.routing_interval.map(|interval| every(&interval.to_string()));
    let (unit, is_shared) = match arbitration {
        _ if has_credits => ("all at once", false),
        Arbitration::Serial => ("one after the other at a switch", true),
        Arbitration::PerInput => (pipeline.as_deref().unwrap_or("one after the other at an input"), false),
        Arbitration::PerOutput => ("one after the other at an output", true),
    };
    if own.switch.routing_latency == 1 && !is_shared {
        return None;
    }
    let made = if has_credits { unit } else { "at every input" };
    let was = format!("{} a head, {unit}", checked.fabric.routing_latency);
    Some(Lifting::decoding(was, format!("{} a head, {made}", own.base_cycle)))
}

/// The interval of a pipeline of headers, unless one begins every base cycle already.
fn interval(checked: &Checked, own: &Parameters) -> Option<Lifting> {
    let interval = checked.fabric.routing_interval.filter(|_| own.switch.routing_interval > Some(1))?;
    let [was, made] = [interval, own.base_cycle].map(|interval| every(&interval.to_string()));
    Some(Lifting { resource: Resource::Decoding, ends: None, was, made, change: Change::Interval })
}

/// How often an input begins with a head.
fn every(interval: &str) -> String {
    format!("one every {interval} at an input")
}

/// Buffers, unless they hold a round trip, what a pipeline of headers decodes and the longest message, with credits
/// four packets, already.
fn buffers(checked: &Checked, own: &Parameters, longest: u64) -> Option<Lifting> {
    let fabric = &checked.fabric;
    let lifting = |was, made, sizes| {
        let change = Change::Buffers(sizes);
        Some(Lifting { resource: Resource::Buffers, ends: None, was, made, change })
    };
    if let Some(credits) = &fabric.credits {
        let latency = own.switch.routing_latency;
        let trips = own.links.iter().map(|link| (2 * link.delay + latency).div_ceil(link.period));
        let ample = trips.max()? + PACKETS * credits.mtu.0;
        let of = |size: u64| format!("{} a lane of a port, packets of {}", Bytes(size), Bytes(credits.mtu.0));
        let own = credits.buffer.0;
        return if ample > own { lifting(of(own), of(ample), [ample, 0, 0]) } else { None };
    }
    // GO comes while so much is left that the flow does not pause, and STOP once the longest message has room, behind
    // what a pipeline of headers decodes meanwhile.
    let longest = longest + own.switch.routing_interval.map_or(0, |_| own.switch.routing_latency);
    let trip = own.links.iter().map(|link| overshoot(*link)).max()?;
    let [buffer, stop, go] = [fabric.buffer.0, fabric.stop.0, fabric.go.0];
    let most_stop = MOST_BUFFER.checked_sub(trip)?;
    let ample = stop.max((trip + longest).min(most_stop));
    let ample = [buffer.max(ample + trip), ample, go.max(ample.saturating_sub(stop - go))];
    let of = |[buffer, stop, go]: [u64; 3]| {
        format!("{} at a port, STOP at {}, GO at {}", Bytes(buffer), Bytes(stop), Bytes(go))
    };
    let own = [buffer, stop, go];
    if ample == own { None } else { lifting(of(own), of(ample), ample) }
}

/// Interfaces of hosts, unless they send and receive at once already.
fn interfaces(checked: &Checked) -> Option<Lifting> {
    let hosts = &checked.hosts;
    let sends = hosts.nic_send_overhead;
    let sends = (sends != Duration::ZERO).then(|| format!("{sends} to set up a message"));
    let receives = hosts.receive.map(|receive| {
        let rest = receive.overhead;
        let rest =
            if rest == Duration::ZERO { String::new() } else { format!(", {rest} after each message") };
        format!("receive buffers of {} emptied at {}{rest}", Bytes(receive.buffer.0), receive.rate)
    });
    let was: Vec<String> = sends.into_iter().chain(receives).collect();
    let (was, made) = (was.join(", "), "at once".to_owned());
    let lifting =
        Lifting { resource: Resource::Interfaces, ends: None, was, made, change: Change::Interfaces };
    (!lifting.was.is_empty()).then_some(lifting)
}

/// The busiest cable of a host and the busiest between switches, each twice as fast.
fn cables(checked: &Checked, own: &Parameters, point: &Point) -> Vec<Lifting> {
    let network = &checked.topology.network;
    let busy = |link: usize| {
        let flits = point.channels[2 * link].flits.max(point.channels[2 * link + 1].flits);
        u128::from(flits) * u128::from(own.links[link].period)
    };
    let is_host = |end: End| matches!(end.node, Node::Host(_));
    let of_host = |link: usize| {
        let link = network.link(LinkId::new(link));
        is_host(link.a) || is_host(link.b)
    };
    let busiest = |wanted: bool| {
        let links = (0..network.links().len()).filter(|link| of_host(*link) == wanted && busy(*link) > 0);
        links.rev().max_by_key(|link| busy(*link))
    };
    [busiest(false), busiest(true)]
        .into_iter()
        .flatten()
        .filter_map(|link| cable(checked, LinkId::new(link)))
        .collect()
}

/// A cable twice as fast, with the buffers that STOP and GO need for it.
fn cable(checked: &Checked, id: LinkId) -> Option<Lifting> {
    let network = &checked.topology.network;
    let link = network.link(id);
    let rate = link.rate.unwrap_or(checked.fabric.rate);
    let twice = BitRate::new(rate.as_bits_per_s().checked_mul(2)?)?;
    let faster = parameters(&checked.fabric, &checked.hosts, &with_rate(network, id, twice));
    let own = checked.fabric.buffer.0;
    let arrives = faster.links.iter().map(|link| overshoot(*link)).max()?;
    let buffer = match checked.fabric.credits {
        Some(_) => own,
        None => own.max(checked.fabric.stop.0 + arrives),
    };
    let grown =
        if buffer > own { format!(", and buffers of {} at all ports", Bytes(buffer)) } else { String::new() };
    Some(Lifting {
        resource: Resource::Cable,
        ends: Some((port_name(network, link.a), port_name(network, link.b))),
        was: rate.to_string(),
        made: format!("{twice}{grown}"),
        change: Change::Rate(id, twice, buffer),
    })
}

/// The same network, one of whose cables has this rate.
fn with_rate(network: &Network, faster: LinkId, rate: BitRate) -> Network {
    let mut changed = Network::new(network.name.clone());
    for switch in network.switches() {
        changed.push_switch(switch.clone()).expect("names are those of a network");
    }
    for host in network.hosts() {
        changed.push_host(host.clone()).expect("names are those of a network");
    }
    for (nth, link) in network.links().iter().enumerate() {
        let mut link = link.clone();
        if LinkId::new(nth) == faster {
            link.rate = Some(rate);
        }
        changed.push_link(link).expect("cables are those of a network");
    }
    changed
}

/// Other routes, the smaller changes first: another root, balanced over equal paths, another algorithm.
fn routes(checked: &Checked, report: Option<&Report>) -> Vec<Lifting> {
    let Some(routing) = checked.stages().and_then(|stages| stages.routing.as_ref()) else {
        return Vec::new();
    };
    let network = &checked.topology.network;
    let attachments = Attachments::by_ports(network, &checked.topology.attachments).with_every_port(network);
    let graph = SwitchGraph::new(network);
    let around = Around { checked, network, attachments: &attachments, graph: &graph };
    let (own, was) = match &routing.source {
        RouteSource::Computed(own) => {
            let own = around.settled(own, report);
            let was = around.described(&own);
            (Some(own), was)
        }
        RouteSource::OnLanes { tables, .. } => {
            let lanes = numbers::count(usize::from(tables.hops.lanes()), "lane");
            (None, format!("{} on {lanes}", tables.engine))
        }
        RouteSource::File { file, .. } => (None, format!("those of {}", file.named)),
    };
    let others = around.others(own.as_ref());
    let lifting = |resource, made, change| Lifting { resource, ends: None, was: was.clone(), made, change };
    let mut liftings: Vec<Lifting> = others
        .into_iter()
        .map(|(resource, other)| lifting(resource, around.described(&other), Change::Routes(other)))
        .collect();
    let lanes = checked.fabric.credits.as_ref().map_or(1, |credits| credits.lanes);
    if lanes > 1 {
        let made = format!("dfsssp on {lanes} lanes");
        liftings.push(lifting(Resource::Routes, made, Change::OnLanes(lanes)));
    }
    liftings.retain(|lifting| lifting.was != lifting.made);
    liftings
}

/// What routes are found on.
struct Around<'a> {
    checked: &'a Checked,
    network: &'a Network,
    attachments: &'a Attachments,
    graph: &'a SwitchGraph,
}

impl Around<'_> {
    /// Other routes than these, or than those of a file or on lanes; of computed ones one choice differs.
    fn others(&self, own: Option<&Choices>) -> Vec<(Resource, Choices)> {
        let usual = self.usual(own.map_or(Selection::Balanced, |own| own.selection));
        let is_rooted = |choices: &&Choices| choices.algorithm.tree_and_root().is_some();
        let root = own.and_then(|own| self.other_root(own));
        let balanced = own.map(|own| Choices { selection: Selection::Balanced, ..own.clone() });
        let smart = self.smart(own.filter(is_rooted).unwrap_or(&usual));
        let minimal = Choices { algorithm: Algorithm::Minimal, ..usual.clone() };
        let routes = [balanced, Some(usual), smart, Some(minimal)].into_iter().flatten();
        let routes = routes.map(|routes| (Resource::Routes, routes));
        root.map(|root| (Resource::Root, root)).into_iter().chain(routes).collect()
    }

    /// The choices with the roots that routes came to have: on a map ties may be decided otherwise than here.
    fn settled(&self, own: &Choices, report: Option<&Report>) -> Choices {
        let names = report.and_then(|report| report.root.as_deref()).unwrap_or_default();
        let roots: Vec<SwitchId> =
            names.split(',').filter_map(|name| self.network.find_switch(name)).collect();
        let mut own = own.clone();
        let is_other = !roots.is_empty() && roots != self.roots(&own);
        if let Some((_, root)) = own.algorithm.tree_and_root_mut().filter(|_| is_other) {
            let relabels = matches!(root, Root::Far | Root::Spines | Root::Relabelled(_));
            let named = Root::Named(roots);
            *root = if relabels { Root::Relabelled(Box::new(named)) } else { named };
        }
        own
    }

    fn is_small(&self) -> bool {
        self.graph.switches() <= FEW_SWITCHES
    }

    /// UP*/DOWN* from the usual root.
    fn usual(&self, selection: Selection) -> Choices {
        let has_spines = Root::spines(self.graph, self.attachments).is_some();
        let root = if has_spines { Root::Spines } else { Root::Far };
        let algorithm = Algorithm::UpDown { tree: Tree::Bfs, root };
        Choices { algorithm, selection, utility: self.checked.topology.utility }
    }

    /// Smart routes from the same tree, selected alike; none on large networks.
    fn smart(&self, choices: &Choices) -> Option<Choices> {
        let (tree, root) = choices.algorithm.tree_and_root().filter(|_| self.is_small())?;
        let algorithm = Algorithm::Smart { tree, root: root.clone() };
        Some(Choices { algorithm, ..choices.clone() })
    }

    fn roots(&self, choices: &Choices) -> Vec<SwitchId> {
        let Some((tree, root)) = choices.algorithm.tree_and_root() else { return Vec::new() };
        Directions::new(self.graph, self.attachments, choices.utility, root, tree).roots().to_vec()
    }

    /// The same from another root: of those that rules choose the one with the fewest routes over the busiest channel.
    fn other_root(&self, own: &Choices) -> Option<Choices> {
        let own_roots = self.roots(own);
        let mut rules = vec![Root::Spines, Root::R1, Root::Far, Root::R0];
        if self.is_small() {
            rules.push(Root::R2);
        }
        let mut others: Vec<(Vec<SwitchId>, Choices)> = Vec::new();
        for rule in rules {
            if rule == Root::Spines && Root::spines(self.graph, self.attachments).is_none() {
                continue;
            }
            let mut other = own.clone();
            if let Some((_, root)) = other.algorithm.tree_and_root_mut() {
                *root = rule;
            }
            let roots = self.roots(&other);
            if roots != own_roots && !roots.is_empty() && others.iter().all(|(known, _)| *known != roots) {
                others.push((roots, other));
            }
        }
        if self.attachments.hosts() > FEW_HOSTS {
            return others.into_iter().next().map(|(_, other)| other);
        }
        let load = |other: &Choices| {
            let surveyed = Plan::survey_at_once(self.network, self.attachments, other);
            surveyed.map_or(u64::MAX, |(report, _)| report.max_channel_load)
        };
        others.into_iter().map(|(_, other)| other).min_by_key(load)
    }

    /// An algorithm with its roots and its selection, in words.
    fn described(&self, choices: &Choices) -> String {
        let roots = self.roots(choices);
        let name = |root: &SwitchId| self.network.label(Node::Switch(*root));
        let from = match roots.as_slice() {
            [] => String::new(),
            [root] => format!(" from root {}", name(root)),
            [first, others @ ..] => format!(" from roots {} and {} more", name(first), others.len()),
        };
        let selection = match choices.selection {
            Selection::First => ", lowest ports",
            Selection::Random { .. } => ", at random",
            Selection::RoundRobin => ", round robin",
            Selection::Balanced => ", balanced",
        };
        format!("{}{from}{selection}", Engine::Rule(choices.algorithm.clone()).name())
    }
}
