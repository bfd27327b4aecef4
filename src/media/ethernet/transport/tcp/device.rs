//! A network interface as smoltcp sees it: one frame in, any number out.
//!
//! Where nobody looks at the bytes of messages, frames keep their headers only ([`Payload::Blank`]). This is exact
//! since nothing depends on a payload but its length: smoltcp looks into none, cables damage none, and checksums, which
//! could only be right, are neither made nor compared then.

use std::sync::Arc;

use smoltcp::phy::{self, ChecksumCapabilities, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

use crate::ethernet::HEADER;

/// Bytes of an IPv4 header without options; smoltcp sends none with options.
const IP_HEADER: usize = 20;
/// Where the next protocol's number is in a frame that carries IPv4, and where TCP says how long its header is.
const PROTOCOL: usize = HEADER as usize + 9;
const DATA_OFFSET: usize = HEADER as usize + IP_HEADER + 12;
const TCP: u8 = 6;

/// What the bytes of messages are in buffers and frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// Those that follow from the messages' tags, compared where they are read, with checksums.
    Real,
    /// Anything: frames keep their headers and their lengths.
    Blank,
}

/// A frame's bytes from the destination address up to the padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// All of them, or those of the headers.
    pub(super) bytes: Arc<[u8]>,
    /// How many there are with those that are not kept.
    length: u32,
}

impl Packet {
    /// A frame whose bytes are all kept.
    pub(super) fn whole(bytes: Vec<u8>) -> Packet {
        Packet { length: u32::try_from(bytes.len()).expect("a frame is short"), bytes: bytes.into() }
    }

    /// A frame of which only headers are kept.
    fn blank(bytes: &[u8]) -> Packet {
        let length = u32::try_from(bytes.len()).expect("a frame is short");
        Packet { bytes: bytes[..headers(bytes)].into(), length }
    }

    /// Bytes of its payload as a frame.
    pub(super) fn payload(&self) -> u32 {
        self.length - HEADER
    }

    /// Appends all its bytes, zeros for those that are not kept.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let end = bytes.len() + self.length as usize;
        bytes.extend(&*self.bytes);
        bytes.resize(end, 0);
    }
}

/// How many bytes of a frame are headers; all, if it does not carry TCP.
fn headers(bytes: &[u8]) -> usize {
    let is_tcp = bytes[12..14] == [0x08, 0x00] && bytes[PROTOCOL] == TCP;
    if is_tcp { HEADER as usize + IP_HEADER + usize::from(bytes[DATA_OFFSET] >> 4) * 4 } else { bytes.len() }
}

/// An interface between a stack and its cable.
#[derive(Debug)]
pub(super) struct Device {
    mtu: u32,
    payload: Payload,
    pub(super) incoming: Option<Packet>,
    pub(super) outgoing: Vec<Packet>,
}

impl Device {
    pub(super) fn new(mtu: u32, payload: Payload) -> Device {
        Device { mtu, payload, incoming: None, outgoing: Vec::new() }
    }

    /// The interface, with room to lay out frames in.
    pub(super) fn with<'a>(&'a mut self, room: &'a mut Room) -> Nic<'a> {
        Nic { device: self, room }
    }
}

/// Room to lay out frames whose bytes are not all kept, one for all interfaces.
pub(super) struct Room {
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

impl Room {
    pub(super) fn new(mtu: u32) -> Room {
        let frame = vec![0; (mtu + HEADER) as usize];
        Room { incoming: frame.clone(), outgoing: frame }
    }
}

/// An interface at work.
pub(super) struct Nic<'a> {
    device: &'a mut Device,
    room: &'a mut Room,
}

impl Nic<'_> {
    /// How many frames have been made.
    pub(super) fn made(&self) -> usize {
        self.device.outgoing.len()
    }
}

impl phy::Device for Nic<'_> {
    type RxToken<'t>
        = In<'t>
    where
        Self: 't;
    type TxToken<'t>
        = Out<'t>
    where
        Self: 't;

    fn receive(&mut self, _now: Instant) -> Option<(In<'_>, Out<'_>)> {
        let packet = self.device.incoming.take()?;
        let Room { incoming, outgoing } = &mut *self.room;
        let out = Out { payload: self.device.payload, made: &mut self.device.outgoing, room: outgoing };
        Some((In { packet, room: incoming }, out))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Out<'_>> {
        let Device { payload, outgoing, .. } = &mut *self.device;
        Some(Out { payload: *payload, made: outgoing, room: &mut self.room.outgoing })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = (self.device.mtu + HEADER) as usize;
        if self.device.payload == Payload::Blank {
            capabilities.checksum = ChecksumCapabilities::ignored();
        }
        capabilities
    }
}

/// A frame that has come in.
pub(super) struct In<'a> {
    packet: Packet,
    room: &'a mut [u8],
}

impl phy::RxToken for In<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        let In { packet: Packet { bytes, length }, room } = self;
        let length = length as usize;
        if bytes.len() == length {
            return read(&bytes);
        }
        room[..bytes.len()].copy_from_slice(&bytes);
        read(&room[..length])
    }
}

/// Room for a frame to go out.
pub(super) struct Out<'a> {
    payload: Payload,
    made: &'a mut Vec<Packet>,
    room: &'a mut [u8],
}

impl phy::TxToken for Out<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        match self.payload {
            Payload::Real => {
                let mut bytes = vec![0; length];
                let result = write(&mut bytes);
                self.made.push(Packet::whole(bytes));
                result
            }
            Payload::Blank => {
                let bytes = &mut self.room[..length];
                let result = write(bytes);
                self.made.push(Packet::blank(bytes));
                result
            }
        }
    }
}
