//! A network interface as smoltcp sees it: one frame in, any number out.

use std::sync::Arc;

use smoltcp::phy::{self, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

use crate::ethernet::HEADER;

/// A frame's bytes from the destination address up to the padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet(pub(super) Arc<[u8]>);

/// An interface between a stack and its cable.
#[derive(Debug)]
pub(super) struct Device {
    mtu: u32,
    pub(super) incoming: Option<Packet>,
    pub(super) outgoing: Vec<Packet>,
}

impl Device {
    pub(super) fn new(mtu: u32) -> Device {
        Device { mtu, incoming: None, outgoing: Vec::new() }
    }
}

impl phy::Device for Device {
    type RxToken<'a> = In;
    type TxToken<'a> = Out<'a>;

    fn receive(&mut self, _now: Instant) -> Option<(In, Out<'_>)> {
        let packet = self.incoming.take()?;
        Some((In(packet), Out(&mut self.outgoing)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Out<'_>> {
        Some(Out(&mut self.outgoing))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = (self.mtu + HEADER) as usize;
        capabilities
    }
}

/// A frame that has come in.
pub(super) struct In(Packet);

impl phy::RxToken for In {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0.0)
    }
}

/// Room for a frame to go out.
pub(super) struct Out<'a>(&'a mut Vec<Packet>);

impl phy::TxToken for Out<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut bytes = vec![0; length];
        let result = write(&mut bytes);
        self.0.push(Packet(bytes.into()));
        result
    }
}
