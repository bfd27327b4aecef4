//! Frames as a capture that Wireshark reads: pcapng.
//!
//! # Scope and limitations
//! One interface a cabled port, called `node:port`. A port's interface has what passes it in either direction, so that
//! a frame is there twice a cable: where it leaves (stamped with its first bit) and where it arrives (stamped with its
//! last). Stamps are in nanoseconds, rounded down, and do not go back. Frames are padded to 60 B as on the wire; there
//! is no preamble and no frame check sequence, and the file says so.
//!
//! What is written is gone from memory. After so many packets as are asked for, the rest is only counted.
//!
//! # Source
//! draft-ietf-opsawg-pcapng-02: sections 4.1 (Section Header), 4.2 (Interface Description), 4.3 (Enhanced Packet),
//! (its flags word included).
//!
//! # Validation
//! `tests/it/pcapng.rs`: read back by a reader of its own and by the real tshark, whose count of packets equals the
//! Ethernet's and which has nothing to complain of.

use std::io::{self, Write};

use crate::ethernet::{Address, Direction, Frame, MIN_FRAME, Observer, TRAILER};
use crate::ids::{HostId, Node, SwitchId};
use crate::topology::{End, Network};
use crate::units::{BitRate, Time};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const ETHERNET: u32 = 1;
/// Options: the end of them, the name of an interface and of an application, an interface's speed, resolution of
/// stamps and bytes of frame check sequence in every packet, a packet's flags.
const END: u16 = 0;
const NAME: u16 = 2;
const APPLICATION: u16 = 4;
const SPEED: u16 = 8;
const RESOLUTION: u16 = 9;
const FCS_LENGTH: u16 = 13;
const FLAGS: u16 = 2;
const NO_INTERFACE: u32 = u32::MAX;

/// Writes what passes the ports of an Ethernet.
#[derive(Debug)]
pub struct Pcapng<W> {
    out: W,
    /// Per switch and per host: its first port and, from that one on, its interfaces.
    switches: Vec<(u16, Vec<u32>)>,
    hosts: Vec<(u16, Vec<u32>)>,
    limit: u64,
    tally: Tally,
    /// The first failure to write; nothing is written after it.
    failure: Option<io::Error>,
    block: Vec<u8>,
    data: Vec<u8>,
}

/// What a capture holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets in the file.
    pub packets: u64,
    /// Packets that came after the last one that was asked for.
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
            out,
            switches: Vec::new(),
            hosts: Vec::new(),
            limit,
            tally: Tally::default(),
            failure: None,
            block: Vec::new(),
            data: Vec::new(),
        };
        capture.write_section()?;
        let mut interfaces = 0;
        for id in network.switch_ids() {
            let first = network.switches()[id.index()].first_port;
            let ports = capture.describe(network, rates, Node::Switch(id), first, &mut interfaces)?;
            switches.push((first, ports));
        }
        for id in network.host_ids() {
            let first = network.hosts()[id.index()].first_port;
            let ports = capture.describe(network, rates, Node::Host(id), first, &mut interfaces)?;
            hosts.push((first, ports));
        }
        (capture.switches, capture.hosts) = (switches, hosts);
        Ok(capture)
    }

    /// Ends the capture; gives what it holds.
    ///
    /// # Errors
    /// The first failure of `out` since the beginning.
    pub fn finish(mut self) -> io::Result<(W, Tally)> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush()?;
        Ok((self.out, self.tally))
    }

    /// Whether writing has failed; the capture ends where it did.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    fn write_section(&mut self) -> io::Result<()> {
        self.begin(SECTION);
        self.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        self.block.extend(1_u16.to_le_bytes());
        self.block.extend(0_u16.to_le_bytes());
        // The length of the section is not known while it is being written.
        self.block.extend(u64::MAX.to_le_bytes());
        self.option(APPLICATION, b"simnet");
        self.option(END, &[]);
        self.end()
    }

    /// Describes the cabled ports of a node; gives their interfaces by position.
    fn describe(
        &mut self,
        network: &Network,
        rates: &[BitRate],
        node: Node,
        first: u16,
        interfaces: &mut u32,
    ) -> io::Result<Vec<u32>> {
        let mut ports = Vec::new();
        for (port, link, _) in network.cables(node) {
            ports.resize(usize::from(port.0 - first), NO_INTERFACE);
            ports.push(*interfaces);
            *interfaces += 1;
            self.begin(INTERFACE);
            self.block.extend(ETHERNET.to_le_bytes());
            // No limit on the length of a packet.
            self.block.extend(0_u32.to_le_bytes());
            let name = format!("{}:{port}", network.name_of(node));
            self.option(NAME, &name.as_bytes()[..name.len().min(usize::from(u16::MAX))]);
            if let Some(rate) = rates.get(link.index()) {
                self.option(SPEED, &rate.as_bits_per_s().to_le_bytes());
            }
            self.option(RESOLUTION, &[9]);
            self.option(FCS_LENGTH, &[0]);
            self.option(END, &[]);
            self.end()?;
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

    fn write_packet(&mut self, now: Time, interface: u32, flags: u32) -> io::Result<()> {
        let ns = now.as_ps() / 1_000;
        let length = u32::try_from(self.data.len()).expect("a frame is short");
        self.begin(PACKET);
        self.block.extend(interface.to_le_bytes());
        let [a, b, c, d, low @ ..] = ns.to_be_bytes();
        self.block.extend(u32::from_be_bytes([a, b, c, d]).to_le_bytes());
        self.block.extend(u32::from_be_bytes(low).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(&self.data);
        self.pad();
        self.option(FLAGS, &flags.to_le_bytes());
        self.option(END, &[]);
        self.end()
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.block.extend(kind.to_le_bytes());
        self.block.extend([0; 4]);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend(u16::try_from(value.len()).expect("an option is short").to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> io::Result<()> {
        let total = u32::try_from(self.block.len() + 4).expect("a block is short").to_le_bytes();
        self.block[4..8].copy_from_slice(&total);
        self.block.extend(total);
        self.out.write_all(&self.block)
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
        if self.failure.is_some() {
            return;
        }
        let Some(interface) = self.interface(port) else { return };
        if self.tally.packets == self.limit {
            self.tally.left_out += 1;
            return;
        }
        self.data.clear();
        write(&mut self.data);
        let least = (MIN_FRAME - TRAILER) as usize;
        if self.data.len() < least {
            self.data.resize(least, 0);
        }
        let direction = match way {
            Direction::In => 1,
            Direction::Out => 2,
        };
        // Bits 2 to 4: how it was received. Bits 5 to 8: the FCS length, 0 for not known.
        let reception = match frame.destination {
            Address::Host(_) => 1,
            Address::Broadcast => 3,
        };
        match self.write_packet(now, interface, direction | reception << 2) {
            Ok(()) => self.tally.packets += 1,
            Err(failure) => self.failure = Some(failure),
        }
    }
}
