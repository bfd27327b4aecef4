//! Clusters for transports, and a ring all-gather on the bare medium.

use simnet_base::ids::{HostId, Port};
use simnet_base::units::Time;
use simnet_media::ethernet::{Direction, Frame, Observer};
use simnet_media::medium::{Event, Medium, Message};
use simnet_network::topology::generate::Line;
use simnet_network::topology::{End, Network};

/// Switches in a row with hosts at each, those of a switch next to each other.
pub fn chain(switches: u32, hosts_per_switch: u32) -> Network {
    Line::chain(switches, hosts_per_switch).unwrap().build()
}

/// Per host, the port that it sends on.
pub fn attachments(net: &Network) -> Vec<Option<Port>> {
    net.host_ids().map(|host| net.attachment(host).map(|(port, ..)| port)).collect()
}

/// A chain, and its hosts in turn of the switches.
pub fn interleaved(switches: u32, hosts_per_switch: u32) -> (Network, Vec<HostId>) {
    let turn = |rank| rank % switches * hosts_per_switch + rank / switches;
    let order = (0..switches * hosts_per_switch).map(|rank| HostId(turn(rank))).collect();
    (chain(switches, hosts_per_switch), order)
}

/// An observer that notes what passes ports: when, where, which way, and the frame's content.
#[derive(Default)]
pub struct Passages(pub Vec<(Time, End, Direction, u64)>);

impl Observer<u64> for Passages {
    /// Notes a frame, whose bytes are those of its content.
    fn passed(
        &mut self,
        now: Time,
        port: End,
        way: Direction,
        frame: &Frame<u64>,
        write: &dyn Fn(&mut Vec<u8>),
    ) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        assert_eq!(bytes, frame.content.to_be_bytes());
        self.0.push((now, port, way, frame.content));
    }
}

/// A ring all-gather in which every host passes on a block as soon as it has it.
pub struct Ring {
    order: Vec<HostId>,
    bytes: u64,
    /// Messages given to the medium.
    pub sent: u64,
    /// Messages that arrived.
    pub delivered: u64,
    /// Messages that did not.
    pub lost: u64,
    /// Messages that wait for ever.
    pub stuck: u64,
}

impl Ring {
    /// A ring of hosts in this order, each with a block of so many bytes.
    pub fn new(order: Vec<HostId>, bytes: u64) -> Ring {
        Ring { order, bytes, sent: 0, delivered: 0, lost: 0, stuck: 0 }
    }

    /// Runs it; gives the instant of the last event. The tag of a message is its step and its sender's place.
    pub fn run(&mut self, medium: &mut impl Medium) -> Time {
        let hosts = self.order.len() as u64;
        for place in 0..hosts {
            self.send(medium, 0, place, Time::ZERO);
        }
        let mut last = Time::ZERO;
        while let Some((now, event)) = medium.advance(None) {
            assert!(now >= last, "time goes back");
            last = now;
            match event {
                Event::Left(_) => {}
                Event::Lost(_) => self.lost += 1,
                Event::Stuck(_) => self.stuck += 1,
                Event::Delivered(tag) => {
                    self.delivered += 1;
                    let (step, place) = (tag / hosts, (tag % hosts + 1) % hosts);
                    if step + 2 < hosts {
                        self.send(medium, step + 1, place, now);
                    }
                }
            }
        }
        last
    }

    fn send(&mut self, medium: &mut impl Medium, step: u64, place: u64, now: Time) {
        let host = |place: u64| self.order[usize::try_from(place % self.order.len() as u64).unwrap()];
        let tag = step * self.order.len() as u64 + place;
        medium
            .send(Message { source: host(place), destination: host(place + 1), bytes: self.bytes, tag }, now);
        self.sent += 1;
    }
}
