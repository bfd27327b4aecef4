//! From a network to numbered ports, switches and hosts, and back.

use thiserror::Error;

use super::counters::ChannelUse;
use super::credits::CreditParameters;
use super::parameters::{Arbitration, FlowControl, HostParameters, LinkTiming, Parameters};
use super::ports::{ChannelRate, Host, InPort, NEVER, NO_INPUT, NONE, OutPort, Rates, Switch, WideRequests};
use simnet_base::ids::{HostId, LinkId, Node, Port, SwitchId};
use simnet_network::topology::{End, Network};

/// Why a fabric cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// A buffer that overflows before STOP takes effect.
    #[error(
        "the cable between `{a}` port {a_port} and `{b}` port {b_port} (link {link}) is too long: the buffer \
         of {buffer} flits would need room for {needed}"
    )]
    BufferTooSmall {
        /// The link's position in the network.
        link: usize,
        /// One end's node.
        a: String,
        /// One end's port.
        a_port: u16,
        /// The other end's node.
        b: String,
        /// The other end's port.
        b_port: u16,
        /// The buffer, in flits.
        buffer: u32,
        /// Flits that it has to take: those at which it says STOP, and those on their way until that works.
        needed: u64,
    },
    /// GO would come at or above the level of STOP.
    #[error("`go` ({go} flits) must be below `stop` ({stop} flits)")]
    GoNotBelowStop {
        /// Level of STOP, in flits.
        stop: u32,
        /// Level of GO, in flits.
        go: u32,
    },
    /// A time that must be at least one cycle is not, or is too long to be handled.
    #[error("{what} must be between 1 and {most} cycles")]
    BadTime {
        /// What lasts too short or too long.
        what: &'static str,
        /// The longest possible.
        most: u64,
    },
    /// The lists given do not have one entry a cable and one a host.
    #[error("{what}: {given} given for {there}")]
    WrongCount {
        /// What was counted.
        what: &'static str,
        /// Entries given.
        given: usize,
        /// Entries needed.
        there: usize,
    },
    /// A host is to send on a port that has no cable.
    #[error("host `{host}` has no cable in port {port}")]
    NoCable {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A pipeline of headers where inputs have no unit of their own, or one that is longer than its latency.
    #[error(
        "a routing interval ({interval}) needs a unit at every input, and a latency ({latency}) of at least as long"
    )]
    Interval {
        /// The interval, in cycles.
        interval: u64,
        /// The routing latency, in cycles.
        latency: u64,
    },
    /// A number of lanes that no channel has.
    #[error("a channel has 1 to {most} lanes, not {lanes}")]
    Lanes {
        /// The lanes given.
        lanes: u8,
        /// The most lanes.
        most: u8,
    },
    /// A buffer that has no room for the largest packet, or a largest packet of no bytes.
    #[error("a buffer of {buffer} bytes has no room for a packet of {mtu} bytes")]
    BufferBelowPacket {
        /// Room for each lane in each input port, in bytes.
        buffer: u32,
        /// The most bytes of a packet.
        mtu: u32,
    },
    /// A table names a lane that channels do not have.
    #[error("a table names lane {lane}; channels have {lanes}, from 0 on")]
    NoSuchLane {
        /// The lane named.
        lane: u8,
        /// The lanes of each channel.
        lanes: u8,
    },
    /// No arbitration table has an entry with a weight for a lane: its packets would wait for ever.
    #[error("no arbitration table lets lane {lane} send")]
    LaneNotServed {
        /// The lane.
        lane: u8,
    },
    /// Hosts with a receive buffer and credits at once.
    #[error("with credits, hosts take everything at once: a receive rate is not simulated")]
    ReceiveWithCredits,
    /// Hosts that send worms on and credits at once.
    #[error("with credits, hosts send nothing on")]
    TransitWithCredits,
    /// Hosts are to send worms on, and to take them out of a receive buffer.
    #[error("hosts that send worms on must take at once what arrives: no receive buffer")]
    TransitNeedsSinks,
    /// Buffers or ports beyond what the records can count.
    #[error("too large: {what}")]
    TooLarge {
        /// What is.
        what: &'static str,
    },
}

/// The ports' numbers and their names.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    /// Per switch: the number of its first port; one more entry for the end.
    switch_base: Vec<u32>,
    /// Per switch: its first port's number on the box.
    switch_first: Vec<u16>,
    /// Per host port: the host and the port's number at it.
    host_ports: Vec<(HostId, Port)>,
    /// Per link: the ports at its ends `a` and `b`.
    pub(super) links: Vec<[u32; 2]>,
}

impl Wiring {
    /// Refuses more ports than there are numbers for.
    pub(super) fn check(network: &Network) -> Result<(), BuildError> {
        let of_switches: u64 = network.switches().iter().map(|switch| u64::from(switch.ports)).sum();
        let of_hosts: u64 =
            network.host_ids().map(|host| network.cables(Node::Host(host)).count() as u64).sum();
        // Half the numbers are kept free for transmitters.
        if of_switches + 2 * of_hosts >= u64::from(NONE / 2) { Err(TOO_MANY_PORTS) } else { Ok(()) }
    }

    pub(super) fn new(network: &Network) -> Result<Wiring, BuildError> {
        Wiring::check(network)?;
        let mut switch_base = vec![0u32];
        let mut next = 0u32;
        for switch in network.switches() {
            next += u32::from(switch.ports);
            switch_base.push(next);
        }
        let host_ports: Vec<(HostId, Port)> = network
            .host_ids()
            .flat_map(|host| network.cables(Node::Host(host)).map(move |(port, ..)| (host, port)))
            .collect();
        debug_assert!(host_ports.is_sorted(), "a host's port is found by bisection");
        let switch_first = network.switches().iter().map(|switch| switch.first_port).collect();
        let mut wiring = Wiring { switch_base, switch_first, host_ports, links: Vec::new() };
        wiring.links =
            network.links().iter().map(|link| [link.a, link.b].map(|end| wiring.port(end))).collect();
        debug_assert!(wiring.links.iter().flatten().all(|port| *port != NONE), "a cable ends at ports");
        debug_assert!(wiring.links.iter().all(|ends| ends[0] != ends[1]), "at two of them");
        let of_hosts = wiring.links.iter().flatten().filter(|port| **port >= next).count();
        debug_assert!(of_hosts == wiring.host_ports.len(), "a port of a host has a cable, and only one");
        Ok(wiring)
    }

    /// How many ports switches have together; the hosts' follow.
    pub(super) fn switch_ports(&self) -> u32 {
        self.switch_base[self.switch_base.len() - 1]
    }

    /// How many ports there are.
    pub(super) fn ports(&self) -> usize {
        self.switch_ports() as usize + self.host_ports.len()
    }

    /// The number of a port; [`NONE`] if there is no such port, or it is a host's without a cable.
    pub(super) fn port(&self, end: End) -> u32 {
        match end.node {
            Node::Switch(switch) => {
                let Some(base) = self.switch_base.get(switch.index()) else { return NONE };
                let Some(local) = end.port.0.checked_sub(self.switch_first[switch.index()]) else {
                    return NONE;
                };
                let port = base + u32::from(local);
                if port < self.switch_base[switch.index() + 1] { port } else { NONE }
            }
            Node::Host(host) => match self.host_ports.binary_search(&(host, end.port)) {
                Ok(index) => self.switch_ports() + u32::try_from(index).expect("counted in new"),
                Err(_) => NONE,
            },
        }
    }

    /// The plug with number `port`. Costs O(log switches).
    pub(super) fn end(&self, port: u32) -> End {
        debug_assert!((port as usize) < self.ports(), "a plug's number, not a transmitter's");
        if port >= self.switch_ports() {
            let (host, port) = self.host_ports[(port - self.switch_ports()) as usize];
            return End::host(host, port.0);
        }
        debug_assert!(self.switch_base.is_sorted(), "ports are numbered switch by switch");
        let switch = self.switch_base.partition_point(|base| *base <= port) - 1;
        let local = u16::try_from(port - self.switch_base[switch]).expect("a switch has 16-bit ports");
        let end = End::switch(SwitchId::new(switch), self.switch_first[switch] + local);
        debug_assert!(self.port(end) == port, "a plug has one number");
        end
    }

    /// All host ports: the host and the port's number at it.
    #[inline]
    pub(super) fn host_ports(&self) -> &[(HostId, Port)] {
        &self.host_ports
    }

    /// The host of a host port.
    pub(super) fn host(&self, port: u32) -> HostId {
        debug_assert!(
            port >= self.switch_ports() && (port as usize) < self.ports(),
            "a host's port, not a transmitter"
        );
        self.host_ports[(port - self.switch_ports()) as usize].0
    }
}

const TOO_MANY_PORTS: BuildError = BuildError::TooLarge { what: "more than 2^31 ports" };

/// The longest time that parameters may give, in cycles: far beyond use, and sums of a few fit 64 bits.
const LONGEST: u64 = 1 << 31;

/// Finds everything that forbids this network with these parameters.
pub(super) fn check(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
) -> Result<(), BuildError> {
    check_lists(network, parameters, attachments)?;
    if let FlowControl::Credits(credits) = &parameters.flow {
        return check_credits(network, parameters, credits, attachments);
    }
    let switch = &parameters.switch;
    check_limit("the deadlock timeout", switch.timeout)?;
    if let Some(interval) = switch.routing_interval {
        check_time("the routing interval", interval)?;
        if switch.arbitration != Arbitration::PerInput || interval > switch.routing_latency {
            return Err(BuildError::Interval { interval, latency: switch.routing_latency });
        }
    }
    let levels = |stop, go| if go < stop { Ok(()) } else { Err(BuildError::GoNotBelowStop { stop, go }) };
    levels(switch.stop, switch.go)?;
    if let Some(receive) = parameters.host.receive {
        levels(receive.stop, receive.go)?;
        check_time("the receive period", receive.period)?;
        check_time("the receive overhead", receive.overhead.max(1))?;
    }
    if let Some(latency) = parameters.host.in_transit {
        check_time("the time for a worm in transit", latency)?;
        if parameters.host.receive.is_some() {
            return Err(BuildError::TransitNeedsSinks);
        }
    }
    if switch.buffer > u32::from(u16::MAX) {
        return Err(BuildError::TooLarge { what: "a buffer of more than 65,535 flits" });
    }
    check_attachments(network, attachments)?;
    check_cables(network, parameters)
}

/// The rest of it where there are credits.
fn check_credits(
    network: &Network,
    parameters: &Parameters,
    credits: &CreditParameters,
    attachments: &[Option<Port>],
) -> Result<(), BuildError> {
    credits.check(network)?;
    if parameters.host.receive.is_some() {
        return Err(BuildError::ReceiveWithCredits);
    }
    if parameters.host.in_transit.is_some() {
        return Err(BuildError::TransitWithCredits);
    }
    check_attachments(network, attachments)?;
    parameters.links.iter().try_for_each(|timing| check_timing(*timing))
}

/// What holds whatever stops packets: lists of the right length, and times.
fn check_lists(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
) -> Result<(), BuildError> {
    let count = |what, given: usize, there: usize| {
        if given == there { Ok(()) } else { Err(BuildError::WrongCount { what, given, there }) }
    };
    count("link timings", parameters.links.len(), network.links().len())?;
    count("attachments", attachments.len(), network.hosts().len())?;
    check_time("the routing latency", parameters.switch.routing_latency)?;
    check_time("the send overhead", parameters.host.send_overhead.max(1))
}

/// Refuses hosts that are to send on a port without a cable.
fn check_attachments(network: &Network, attachments: &[Option<Port>]) -> Result<(), BuildError> {
    for (host, attachment) in network.host_ids().zip(attachments) {
        if let Some(port) = attachment
            && network.link_at(End::host(host, port.0)).is_none()
        {
            let host = network.name_of(Node::Host(host)).to_owned();
            return Err(BuildError::NoCable { host, port: port.0 });
        }
    }
    Ok(())
}

/// Refuses times of a cable of no cycles, or of more than can be handled.
fn check_timing(timing: LinkTiming) -> Result<(), BuildError> {
    check_time("the time of flight", timing.delay)?;
    check_time("the flit time", timing.period)
}

/// Refuses a limit of no cycles; one may be as long as it likes, since sums with it saturate.
pub(super) fn check_limit(what: &'static str, limit: Option<u64>) -> Result<(), BuildError> {
    check_time(what, limit.unwrap_or(1).min(LONGEST))
}

/// Refuses a time of no cycles, or of more than can be handled.
pub(super) fn check_time(what: &'static str, cycles: u64) -> Result<(), BuildError> {
    if (1..=LONGEST).contains(&cycles) { Ok(()) } else { Err(BuildError::BadTime { what, most: LONGEST }) }
}

fn check_cables(network: &Network, parameters: &Parameters) -> Result<(), BuildError> {
    for (index, (link, timing)) in network.links().iter().zip(&parameters.links).enumerate() {
        check_timing(*timing)?;
        let into_switch = [link.a, link.b].iter().any(|end| matches!(end.node, Node::Switch(_)));
        let needed = u64::from(parameters.switch.stop) + timing.flits_after_stop();
        if into_switch && needed > u64::from(parameters.switch.buffer) {
            return Err(BuildError::BufferTooSmall {
                link: index,
                a: network.name_of(link.a.node).to_owned(),
                a_port: link.a.port.0,
                b: network.name_of(link.b.node).to_owned(),
                b_port: link.b.port.0,
                buffer: parameters.switch.buffer,
                needed,
            });
        }
    }
    Ok(())
}

/// Whether all flit times are one base cycle, and hosts take everything at once and send nothing on.
pub(super) fn has_equal_rates(parameters: &Parameters) -> bool {
    let HostParameters { receive, in_transit, .. } = parameters.host;
    receive.is_none() && in_transit.is_none() && parameters.links.iter().all(|link| link.period == 1)
}

/// The links on which a stopped channel runs dry before GO takes effect: `go` below `2 delay - 1` flits.
pub fn links_with_gaps(parameters: &Parameters) -> Vec<LinkId> {
    let gap = |timing: LinkTiming| u64::from(parameters.switch.go) < timing.flits_after_stop();
    let links = parameters.links.iter().enumerate();
    links.filter(|(_, timing)| gap(**timing)).map(|(index, _)| LinkId::new(index)).collect()
}

/// The records of all ports, switches and hosts of an idle fabric.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) ins: Vec<InPort>,
    pub(super) outs: Vec<OutPort>,
    pub(super) switches: Vec<Switch>,
    pub(super) output_units: u32,
    pub(super) hosts: Vec<Host>,
    pub(super) rates: Vec<Rates>,
    pub(super) channels: Vec<ChannelRate>,
    pub(super) wide_waits: WideRequests,
    pub(super) wide_pending: WideRequests,
    /// From this number on, input ports are transmitters.
    pub(super) transmitters: u32,
}

/// Lays out an idle fabric. The parameters have been checked.
pub(super) fn records(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
    wiring: &Wiring,
) -> Records {
    let equal = has_equal_rates(parameters);
    let (ports, switch_ports) = (wiring.ports(), wiring.switch_ports());
    debug_assert!(wiring.links.len() == parameters.links.len(), "every cable has its timing");
    debug_assert!(network.hosts().len() == attachments.len(), "every host is given a port or none");
    let mut switches = Vec::with_capacity(network.switches().len());
    let mut ins = Vec::with_capacity(ports);
    let mut outs = vec![idle_output(); ports];
    for (index, switch) in (0..).zip(network.switches()) {
        switches.push(idle_switch(wiring.switch_base[index as usize], switch.ports));
        ins.extend((0..switch.ports).map(|_| InPort::new(index, true)));
    }
    // A host that sends worms on is a switch of one port for them, behind all others.
    let passes_on = parameters.host.in_transit.is_some();
    for ((host, _), plug) in wiring.host_ports.iter().zip(switch_ports..) {
        let node = if passes_on { u32::try_from(switches.len()).expect("checked") } else { host.0 };
        ins.push(InPort::new(node, true));
        if passes_on {
            switches.push(idle_switch(plug, 1));
        }
    }
    let channels = plug_in(parameters, wiring, &mut ins, &mut outs);
    let has_own_buffers = parameters.host.receive.is_some() || passes_on;
    let transmitters = if has_own_buffers { ins.len() } else { switch_ports as usize };
    let transmitters = u32::try_from(transmitters).expect("checked");
    let mut hosts = Vec::with_capacity(network.hosts().len());
    for (host, attachment) in network.host_ids().zip(attachments) {
        let out = attachment.map_or(NONE, |port| wiring.port(End::host(host, port.0)));
        debug_assert!(out == NONE || !outs[out as usize].dead, "a host sends on a port with a cable");
        let mut transmitter = out;
        if has_own_buffers && out != NONE {
            transmitter = u32::try_from(ins.len()).expect("checked");
            ins.push(InPort::new(host.0, false));
        }
        hosts.push(idle_host(transmitter, out));
    }
    debug_assert!(are_paired(&ins, &outs), "a cable is one channel there and one back, equally long");
    debug_assert!(ins.len() >= ports && ins.len() - ports <= hosts.len(), "a transmitter a host at most");
    debug_assert!(
        hosts.iter().all(|host| host.transmitter == NONE || host.transmitter >= transmitters),
        "transmitters come after all other input ports"
    );
    let rates = if equal { Vec::new() } else { vec![NO_FLOW; ins.len()] };
    let most = network.switches().iter().map(|switch| usize::from(switch.ports)).max().unwrap_or(0);
    let words = if most > 64 { most.div_ceil(64) } else { 0 };
    let output_units = u32::try_from(switches.len()).expect("checked");
    if parameters.switch.arbitration == Arbitration::PerOutput {
        let units: Vec<Switch> =
            ins[..switch_ports as usize].iter().map(|port| switches[port.node as usize]).collect();
        switches.extend(units);
    }
    Records {
        wide_waits: WideRequests::new(words, ports),
        wide_pending: WideRequests::new(words, switches.len()),
        ins,
        outs,
        switches,
        output_units,
        hosts,
        rates,
        channels,
        transmitters,
    }
}

/// Joins ports by their cables; gives the rates of channels, none where they are all alike.
fn plug_in(
    parameters: &Parameters,
    wiring: &Wiring,
    ins: &mut [InPort],
    outs: &mut [OutPort],
) -> Vec<ChannelRate> {
    let equal = has_equal_rates(parameters);
    let period_one = ChannelRate { free: 0, period: 1 };
    let mut channels = if equal { Vec::new() } else { vec![period_one; outs.len()] };
    for (ends, timing) in wiring.links.iter().zip(&parameters.links) {
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let out = &mut outs[from as usize];
            // Stays on: two cables in one port would be one channel to two places.
            assert!(out.peer == NONE, "a port has one cable at most");
            out.peer = to;
            out.delay = u32::try_from(timing.delay).expect("checked");
            out.dead = false;
            ins[to as usize].dead = false;
            if !equal {
                channels[from as usize].period = timing.period;
            }
        }
    }
    channels
}

/// Whether each port has a cable in both directions or in none, of the same length.
fn are_paired(ins: &[InPort], outs: &[OutPort]) -> bool {
    let back = |out: &OutPort| outs.get(out.peer as usize).map(|back| (back.peer, back.delay));
    let is_paired = |(port, out): (u32, &OutPort)| out.peer == NONE || back(out) == Some((port, out.delay));
    (0..).zip(outs).all(is_paired) && ins.iter().zip(outs).all(|(port, out)| port.dead == out.dead)
}

const NO_FLOW: Rates = Rates { in_next: 0, in_period: 1, out_next: 0, out_period: 1, take_free: 0 };

fn idle_host(transmitter: u32, out: u32) -> Host {
    Host { free: 0, attempt: NEVER, transmitter, out, next: NONE, backlog: false, waits_for_cable: false }
}

fn idle_switch(base: u32, ports: u16) -> Switch {
    Switch {
        busy: NEVER,
        pending: 0,
        current: NONE,
        base,
        ports,
        pointer: 0,
        queued: NO_INPUT,
        killed: false,
        listed: false,
    }
}

fn idle_output() -> OutPort {
    OutPort {
        used: ChannelUse::default(),
        since: NEVER,
        wait: 0,
        owner: NONE,
        peer: NONE,
        delay: 1,
        pointer: 0,
        go: true,
        dead: true,
        passes: false,
    }
}
