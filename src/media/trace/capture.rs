//! A log as a capture that Wireshark reads: pcapng of what processes say to each other, and of Ethernet frames.
//!
//! ```text
//!   packet   u8 version (1), u8 direction (1 sent, 2 received), u8 kind, u8 0, u32 scene, u64 nonce,
//!            u32 length on the cable, name of the host, turns of the route (none where received), body
//!   kind     1 host-probe, 2 loop-probe, 3 host-reply, 4 route-table, 5 map-request, 6 partial-map,
//!            7 acknowledgement, 0 another
//! ```
//! Names, turns and bodies are those of [`host::encode`](crate::host::encode); numbers are big-endian. A message has
//! the link type `LINKTYPE_USER0` (147); `docs/simnet.lua` shows Wireshark its fields.
//!
//! # Scope and limitations
//! One interface a host with a process, and one an Ethernet port, described when something first passes it; those of
//! another scene are others, named alike, whose descriptions name the scene. Stamps are the scene's, in nanoseconds,
//! rounded down: they go back where a scene begins. A frame's payload is not in the log, so that a capture has its
//! addresses and its true length, cut after them (`simnet run --pcap` writes whole frames). PAUSE frames are whole.
//! Everything else in the log has no packet.
//!
//! # Source
//! See `trace/blocks.rs`.
//!
//! # Validation
//! `tests/it/interop/probes.rs`: the real tshark, with the dissector, finds in every packet what the log says, and
//! nothing to complain of; damaged packets are called so.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::blocks::{BROADCAST, Blocks, ETHERNET, INBOUND, Interface, MULTICAST, OUTBOUND, UNICAST, USER0};
use super::{Event, EventKind, Heading, Message, Scene, Sink};
use crate::ethernet::{Address, MIN_FRAME, TRAILER};
use crate::host;
use simnet_base::ids::{HostId, Node};
use simnet_base::units::Time;
use simnet_network::topology::{End, Network};

const VERSION: u8 = 1;
/// The type of local experiments: nothing is known of what is in such a frame.
const EXPERIMENTAL: [u8; 2] = [0x88, 0xb5];
/// In the order of their numbers, from 1.
const KINDS: [&str; 7] = [
    "host-probe",
    "loop-probe",
    "host-reply",
    "route-table",
    "map-request",
    "partial-map",
    "acknowledgement",
];

/// Writes a capture.
#[derive(Debug)]
pub struct Capture<W> {
    blocks: Blocks<W>,
    network: Network,
    /// Interfaces of the present scene.
    processes: BTreeMap<HostId, u32>,
    ports: BTreeMap<End, u32>,
    data: Vec<u8>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture of a log with this heading.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(out: W, heading: &Heading) -> io::Result<Capture<W>> {
        let (processes, ports) = (BTreeMap::new(), BTreeMap::new());
        let network = heading.network.clone();
        Ok(Capture { blocks: Blocks::new(out)?, network, processes, ports, data: Vec::new() })
    }

    fn message(&mut self, at: Time, scene: &Scene, message: &Message, is_sent: bool) -> io::Result<()> {
        let name = self.network.name_of(Node::Host(message.host));
        self.data.clear();
        let kind = KINDS.iter().position(|kind| *kind == message.kind).map_or(0, |position| position + 1);
        let kind = u8::try_from(kind).expect("there are few kinds");
        self.data.extend([VERSION, if is_sent { 1 } else { 2 }, kind, 0]);
        self.data.extend(scene.nth.to_be_bytes());
        self.data.extend(message.nonce.to_be_bytes());
        self.data.extend(message.length.to_be_bytes());
        host::push_name(&mut self.data, name);
        host::push_turns(&mut self.data, &message.route);
        self.data.extend(&message.bytes);
        let interface = match self.processes.get(&message.host) {
            Some(interface) => *interface,
            None => {
                let description = scene.to_string();
                let interface =
                    Interface { link_type: USER0, name, description: Some(&description), speed: None };
                let interface = self.blocks.interface(&interface)?;
                self.processes.insert(message.host, interface);
                interface
            }
        };
        let flags = if is_sent { OUTBOUND } else { INBOUND };
        let length = u32::try_from(self.data.len()).expect("a message is short");
        self.blocks.packet(at, interface, flags, &self.data, length)
    }

    fn port(&mut self, scene: &Scene, port: End) -> io::Result<u32> {
        if let Some(interface) = self.ports.get(&port) {
            return Ok(*interface);
        }
        let name = format!("{}:{}", self.network.name_of(port.node), port.port);
        let speed = self.network.link_at(port).and_then(|link| self.network.link(link).rate);
        let description = scene.to_string();
        let interface =
            Interface { link_type: ETHERNET, name: &name, description: Some(&description), speed };
        let interface = self.blocks.interface(&interface)?;
        self.ports.insert(port, interface);
        Ok(interface)
    }
}

impl<W: Write> Sink for Capture<W> {
    fn scene(&mut self, _scene: &Scene) -> io::Result<()> {
        self.processes.clear();
        self.ports.clear();
        Ok(())
    }

    fn event(&mut self, scene: &Scene, event: &Event) -> io::Result<()> {
        match &event.what {
            EventKind::Send(message) => self.message(event.at, scene, message, true),
            EventKind::Receive(message) => self.message(event.at, scene, message, false),
            EventKind::Frame { port, arrives, source, destination, bytes } => {
                let interface = self.port(scene, *port)?;
                let to = destination.map_or(Address::Broadcast, Address::Host).bytes();
                let header = [&to[..], &Address::Host(*source).bytes(), &EXPERIMENTAL].concat();
                let reception = if destination.is_some() { UNICAST } else { BROADCAST };
                let direction = if *arrives { INBOUND } else { OUTBOUND };
                let length = bytes.saturating_sub(TRAILER).max(14);
                self.blocks.packet(event.at, interface, direction | reception, &header, length)
            }
            // What runs out is said by no frame.
            EventKind::Pause { says, .. } if says.quanta == 0 => Ok(()),
            EventKind::Pause { port, obeyed, says } => {
                let interface = self.port(scene, *port)?;
                // It is of the port at the other end where it is obeyed.
                let sender = if *obeyed { self.network.peer(*port).unwrap_or(*port) } else { *port };
                self.data.clear();
                says.write(sender.node, &mut self.data);
                let direction = if *obeyed { INBOUND } else { OUTBOUND };
                let length = MIN_FRAME - TRAILER;
                self.blocks.packet(event.at, interface, direction | MULTICAST, &self.data, length)
            }
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.blocks.finish().map(|_| ())
    }
}
