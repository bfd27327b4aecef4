//! Frames as a capture that Wireshark reads: pcapng.
//!
//! # Scope and limitations
//! One interface a cabled port, called `node:port`. A port's interface has what passes it in either direction, so that
//! a frame is there twice a cable: where it leaves (stamped with its first bit) and where it arrives (stamped with its
//! last). Stamps are in nanoseconds, rounded down, and do not go back. Frames are padded to 60 B as on the wire; there
//! is no preamble and no frame check sequence, and the file says so. PAUSE frames are there as well, stamped where they
//! come in with the instant from which on they are obeyed.
//!
//! What is written is gone from memory. After the requested number of packets, the rest is only counted.
//!
//! # Source
//! See `trace/blocks.rs`.
//!
//! # Validation
//! `tests/it/interop/pcapng.rs`: read back by a reader of its own and by the real tshark, whose count of packets equals
//! the Ethernet's and which has nothing to complain of.

use std::io::{self, Write};

use simnet_base::ids::{HostId, Node, SwitchId};
use simnet_base::units::{BitRate, Time};
use simnet_media::ethernet::{Address, Direction, Frame, MIN_FRAME, Observer, PauseFrame, TRAILER};
use simnet_media::trace::blocks::{
    BROADCAST, Blocks, ETHERNET, INBOUND, Interface, MULTICAST, OUTBOUND, UNICAST,
};
use simnet_network::topology::{End, Network};

const NO_INTERFACE: u32 = u32::MAX;

/// Writes what passes the ports of an Ethernet.
#[derive(Debug)]
pub struct Pcapng<W> {
    blocks: Blocks<W>,
    /// Per switch and per host: its first port and, from that one on, its interfaces.
    switches: Vec<(u16, Vec<u32>)>,
    hosts: Vec<(u16, Vec<u32>)>,
    network: Network,
    limit: u64,
    tally: Tally,
    /// The first failure to write; nothing is written after it.
    failure: Option<io::Error>,
    data: Vec<u8>,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets in the file.
    pub packets: u64,
    /// Packets that came after the last requested one.
    pub left_out: u64,
}

impl<W: Write> Pcapng<W> {
    /// Begins a capture of at most `limit` packets on all cabled ports; `rates` are the cables' by link.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, network: &Network, rates: &[BitRate], limit: u64) -> io::Result<Pcapng<W>> {
        let (mut switches, mut hosts) = (Vec::new(), Vec::new());
        let mut capture = Pcapng {
            blocks: Blocks::new(out)?,
            switches: Vec::new(),
            hosts: Vec::new(),
            network: network.clone(),
            limit,
            tally: Tally::default(),
            failure: None,
            data: Vec::new(),
        };
        for id in network.switch_ids() {
            let first = network.switches()[id.index()].first_port;
            let ports = capture.describe(network, rates, Node::Switch(id), first)?;
            switches.push((first, ports));
        }
        for id in network.host_ids() {
            let first = network.hosts()[id.index()].first_port;
            let ports = capture.describe(network, rates, Node::Host(id), first)?;
            hosts.push((first, ports));
        }
        (capture.switches, capture.hosts) = (switches, hosts);
        Ok(capture)
    }

    /// Ends the capture; gives what it holds.
    ///
    /// # Errors
    /// The first failure of `out` since the beginning.
    pub fn finish(self) -> io::Result<(W, Tally)> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        Ok((self.blocks.finish()?, self.tally))
    }

    /// Whether writing has failed; the capture ends where it did.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Describes the cabled ports of a node; gives their interfaces by position.
    fn describe(
        &mut self,
        network: &Network,
        rates: &[BitRate],
        node: Node,
        first: u16,
    ) -> io::Result<Vec<u32>> {
        let mut ports = Vec::new();
        for (port, link, _) in network.cables(node) {
            ports.resize(usize::from(port.0 - first), NO_INTERFACE);
            let name = format!("{}:{port}", network.name_of(node));
            let speed = rates.get(link.index()).copied();
            let interface = Interface { link_type: ETHERNET, name: &name, description: None, speed };
            ports.push(self.blocks.interface(&interface)?);
        }
        Ok(ports)
    }

    fn interface(&self, end: End) -> Option<u32> {
        let (first, ports) = match end.node {
            Node::Switch(SwitchId(id)) => &self.switches[id as usize],
            Node::Host(HostId(id)) => &self.hosts[id as usize],
        };
        let interface = *ports.get(usize::from(end.port.0.checked_sub(*first)?))?;
        (interface != NO_INTERFACE).then_some(interface)
    }
}

/// Appends the bytes of a packet.
type Fill<'a> = &'a dyn Fn(&mut Vec<u8>);

impl<W: Write> Pcapng<W> {
    /// Writes a packet that passes a port, as long as there is room for one; `to` is whom it is for, by its flags.
    fn packet(&mut self, now: Time, port: End, (way, to): (Direction, u32), fill: Fill<'_>) {
        if self.failure.is_some() {
            return;
        }
        let Some(interface) = self.interface(port) else { return };
        if self.tally.packets == self.limit {
            self.tally.left_out += 1;
            return;
        }
        self.data.clear();
        fill(&mut self.data);
        let least = (MIN_FRAME - TRAILER) as usize;
        if self.data.len() < least {
            self.data.resize(least, 0);
        }
        let direction = match way {
            Direction::In => INBOUND,
            Direction::Out => OUTBOUND,
        };
        let length = u32::try_from(self.data.len()).expect("a frame is short");
        match self.blocks.packet(now, interface, direction | to, &self.data, length) {
            Ok(()) => self.tally.packets += 1,
            Err(failure) => self.failure = Some(failure),
        }
    }
}

impl<P, W: Write> Observer<P> for Pcapng<W> {
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<P>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        let to = match frame.destination {
            Address::Host(_) => UNICAST,
            Address::Broadcast => BROADCAST,
        };
        self.packet(now, port, (way, to), write);
    }

    fn paused(&mut self, now: Time, port: End, way: Direction, says: PauseFrame) {
        let sender = match way {
            Direction::Out => port,
            Direction::In => self.network.peer(port).unwrap_or(port),
        };
        self.packet(now, port, (way, MULTICAST), &|bytes| says.write(sender.node, bytes));
    }
}
