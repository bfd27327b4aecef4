//! A host's TCP/IP stack: smoltcp's interface, without its sockets.
//!
//! Each connection has a socket set of its own, so that a frame or a timer costs the same however many connections a
//! host has.

use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::time::Instant;
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, HardwareAddress,
    IpCidr, Ipv4Address,
};

use crate::ethernet::{Address, Frame, HEADER};
use simnet_base::ids::HostId;
use simnet_base::units::{Duration, Time};

use super::device::{Device, Packet, Payload, Room};

/// Bits of a host's part of its address.
const HOST_BITS: u32 = 24;
/// The most hosts: the first and the last address of the net are not theirs.
pub(super) const MOST_HOSTS: usize = (1 << HOST_BITS) - 2;

/// A host's stack.
pub(super) struct Stack {
    host: HostId,
    clock: Clock,
    pub(super) interface: Interface,
    pub(super) device: Device,
}

/// What kind of frame has come in, and its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An ARP request or reply.
    Arp,
    /// An IPv4 packet.
    Ip,
}

/// smoltcp's clock, which counts whole microseconds of its own: those that are over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// How long such a microsecond takes.
    pub(super) tick: Duration,
}

impl Clock {
    fn at(self, now: Time) -> Instant {
        Instant::from_micros(
            i64::try_from(now.as_ps() / self.tick.as_ps()).expect("a tick takes 1 ns at least"),
        )
    }

    /// The instant at which the clock comes to show `instant`.
    fn shows(self, instant: Instant) -> Time {
        Time::ZERO + self.tick * u64::try_from(instant.total_micros()).unwrap_or(0)
    }

    /// What the clock counts of a span.
    pub(super) fn span(self, span: Duration) -> smoltcp::time::Duration {
        smoltcp::time::Duration::from_micros(span.as_ps() / self.tick.as_ps())
    }
}

/// The address of a host, `10.x.y.z`, counted from 10.0.0.1.
pub(super) fn address(host: HostId) -> Ipv4Address {
    let [_, x, y, z] = (host.0 + 1).to_be_bytes();
    Ipv4Address::new(10, x, y, z)
}

impl Stack {
    pub(super) fn new(
        host: HostId,
        mtu: u32,
        clock: Clock,
        seed: u64,
        payload: Payload,
        room: &mut Room,
    ) -> Stack {
        let mut device = Device::new(mtu, payload);
        let hardware = HardwareAddress::Ethernet(EthernetAddress(Address::Host(host).bytes()));
        let mut config = Config::new(hardware);
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut device.with(room), clock.at(Time::ZERO));
        interface.update_ip_addrs(|addresses| {
            addresses
                .push(IpCidr::new(address(host).into(), 8))
                .expect("an interface has room for an address");
        });
        Stack { host, clock, interface, device }
    }

    /// Hands a frame to the stack, and with it to the sockets of one connection.
    pub(super) fn take_in(
        &mut self,
        packet: Packet,
        sockets: &mut SocketSet<'static>,
        room: &mut Room,
        now: Time,
    ) {
        self.device.incoming = Some(packet);
        self.interface.poll_ingress_single(self.clock.at(now), &mut self.device.with(room), sockets);
        debug_assert!(self.device.incoming.is_none());
    }

    /// Lets the sockets send what they can; says when they have something to do next, if nothing comes in before.
    ///
    /// They are asked to send only while something is due. This is exact since smoltcp decides both by the same
    /// conditions: what is not due sends nothing and changes nothing. Builds with their checks on ask all the same.
    pub(super) fn send_out(
        &mut self,
        sockets: &mut SocketSet<'static>,
        room: &mut Room,
        now: Time,
    ) -> Option<Time> {
        let clock = self.clock.at(now);
        let mut nic = self.device.with(room);
        loop {
            let next = self.interface.poll_at(clock, sockets);
            let is_due = next.is_some_and(|at| at <= clock);
            if !is_due && !cfg!(debug_assertions) {
                return next.map(|at| self.clock.shows(at));
            }
            let made = nic.made();
            self.interface.poll_egress(clock, &mut nic, sockets);
            if nic.made() == made {
                let now = self.interface.poll_at(clock, sockets);
                debug_assert!(is_due || now == next, "what is not due changes nothing");
                return now.map(|at| self.clock.shows(at));
            }
            debug_assert!(is_due, "what is not due sends nothing");
        }
    }

    /// Asks everyone who has the address of `peer`.
    pub(super) fn ask_for(&mut self, peer: HostId) {
        let request = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Request,
            source_hardware_addr: EthernetAddress(Address::Host(self.host).bytes()),
            source_protocol_addr: address(self.host),
            target_hardware_addr: EthernetAddress::BROADCAST,
            target_protocol_addr: address(peer),
        };
        let mut bytes = vec![0; HEADER as usize + request.buffer_len()];
        let mut frame = EthernetFrame::new_unchecked(&mut bytes);
        frame.set_src_addr(EthernetAddress(Address::Host(self.host).bytes()));
        frame.set_dst_addr(EthernetAddress::BROADCAST);
        frame.set_ethertype(EthernetProtocol::Arp);
        request.emit(&mut ArpPacket::new_unchecked(frame.payload_mut()));
        self.device.outgoing.push(Packet::whole(bytes));
    }

    /// The frames that the stack has made since it was last asked.
    pub(super) fn frames(&mut self) -> impl Iterator<Item = Frame<Packet>> {
        let source = self.host;
        self.device.outgoing.drain(..).map(move |packet| {
            let [_, _, a, b, c, d, ..] = *packet.bytes else { unreachable!("a frame has a header") };
            let destination = match packet.bytes[0] {
                0xff => Address::Broadcast,
                _ => Address::Host(HostId(u32::from_be_bytes([a, b, c, d]))),
            };
            Frame { source, destination, payload: packet.payload(), content: packet }
        })
    }
}

impl Packet {
    pub(super) fn kind(&self) -> Kind {
        if self.bytes[12..14] == [0x08, 0x06] { Kind::Arp } else { Kind::Ip }
    }

    /// Whether this is of no interest to `host`: a broadcast that asks for somebody else's address.
    pub(super) fn is_for_others(&self, host: HostId) -> bool {
        self.bytes[0] == 0xff && self.kind() == Kind::Arp && self.bytes[38..42] != address(host).octets()
    }
}
