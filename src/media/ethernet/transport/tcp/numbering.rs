//! What number an acknowledgement without bytes bears.
//!
//! RFC 9293 (3.10.7.4) gives it SND.NXT: what follows the last byte ever sent. smoltcp 0.14 gives it what follows the
//! last byte sent since its timer last went off, and a receiver that has got further than that refuses the segment as
//! one from outside its window, with the acknowledgement in it. If this happens to both ends at once, each has what
//! the other one sends again and neither ever learns of it: the connection stands still. So the number is set right
//! on its way to the interface. Without a retransmission by timer it is right already, and nothing is changed.

use std::sync::Arc;

use smoltcp::wire::{EthernetFrame, IpProtocol, Ipv4Packet, TcpPacket, TcpSeqNumber};

use super::device::Packet;
use super::stack::Kind;

/// SND.NXT of one end of a connection, if it has sent anything that counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbering(Option<TcpSeqNumber>);

impl Numbering {
    /// Looks at the segments that one end is about to send, in order, and sets the numbers of bare acknowledgements.
    pub(super) fn set(&mut self, packets: &mut [Packet]) {
        for packet in packets {
            if packet.kind() == Kind::Ip {
                self.set_one(packet);
            }
        }
    }

    fn set_one(&mut self, packet: &mut Packet) {
        let bytes =
            Arc::get_mut(&mut packet.bytes).expect("nothing else refers to a frame that has just been made");
        let mut frame = EthernetFrame::new_unchecked(bytes);
        let datagram = Ipv4Packet::new_unchecked(frame.payload_mut());
        if datagram.next_header() != IpProtocol::Tcp {
            return;
        }
        let (source, destination) = (datagram.src_addr(), datagram.dst_addr());
        let (header, total) = (usize::from(datagram.header_len()), usize::from(datagram.total_len()));
        // Its payload may not be there.
        let mut segment = TcpPacket::new_unchecked(&mut datagram.into_inner()[header..]);
        // A reset may answer for no connection at all.
        if segment.rst() {
            return;
        }
        let payload = total - header - usize::from(segment.header_len());
        let length = payload + usize::from(segment.syn()) + usize::from(segment.fin());
        let number = segment.seq_number();
        match self.0 {
            Some(next) if number + length < next => {
                if length == 0 {
                    segment.set_seq_number(next);
                    segment.fill_checksum(&source.into(), &destination.into());
                }
            }
            _ => self.0 = Some(number + length),
        }
    }
}
