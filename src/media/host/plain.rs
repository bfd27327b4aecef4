//! A host on a plain graph: messages are walks over the cabling, with no fabric at all.
//!
//! # Scope and limitations
//! Only one process runs, on one host; every other host has a daemon that answers at once, or none. A message
//! takes no time on the cables; software costs what [`Costs`] says. A walk collides with itself by one of the
//! two models of [`Collision`]; two messages never collide.
//!
//! # Source
//! Mainwaring et al. 1997, section 2.2 (how a route is followed and the four ways it fails) and 2.3.1
//! (circuit collisions).
//!
//! # Validation
//! Tests below walk every way a route fails; the mapper's tests compare its map here with the one made on the
//! flit-level fabric.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;

use super::passive::Memory;
use super::{Address, Costs, Hardware, Host, HostFuture, Message, Received, Stamp};
use simnet_base::ids::{ChannelId, HostId, Node, Turn};
use simnet_base::units::{Duration, Time};
use simnet_network::topology::{End, Network};

/// When a message fails because it meets itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collision {
    /// Never: messages are stored and forwarded.
    Packet,
    /// When it uses a cable twice in the same direction. A loop-back probe, which must return, thereby fails
    /// whenever it uses a cable twice in either direction on its way out.
    Circuit,
}

/// A host on a plain graph.
pub struct Plain<'a> {
    network: &'a Network,
    me: HostId,
    collision: Collision,
    costs: Costs,
    now: Time,
    /// Messages on their way to this host, by the instant at which its process sees them, then in order.
    inbox: BTreeMap<(Time, u64), Received>,
    sent: u64,
    memories: BTreeMap<HostId, Memory>,
    hardware: Hardware,
    silent: BTreeSet<HostId>,
    lost: BTreeSet<u64>,
}

/// Where a walk ended: the host, the turns left, and the switches that it entered with the ports of entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    /// The host that it reached.
    pub host: HostId,
    /// Turns left when it reached it; a host that does not read early drops it if there are any.
    pub unused: u16,
    /// The ports of entry of the switches on the way.
    pub passed: Vec<End>,
}

/// Follows `route` from host `from` up to the first host; `None` where the route or the model fails it.
///
/// Hosts are attached by their lowest-numbered cabled port; their other cables lead nowhere.
pub fn walk(network: &Network, from: HostId, route: &[Turn], collision: Collision) -> Option<Walked> {
    let (_, link, mut at) = network.attachment(from)?;
    let mut used: Vec<ChannelId> = Vec::with_capacity(route.len() + 1);
    let mut passed = Vec::with_capacity(route.len());
    used.push(if network.link(link).b == at { link.forward() } else { link.backward() });
    let mut turns = route.iter();
    while let Node::Switch(_) = at.node {
        passed.push(at);
        let out = End { node: at.node, port: at.port.turned(*turns.next()?)? };
        let link = network.link_at(out)?;
        let (a, b) = (network.link(link).a, network.link(link).b);
        let channel = if a == out { link.forward() } else { link.backward() };
        if collision == Collision::Circuit && used.contains(&channel) {
            return None;
        }
        used.push(channel);
        at = if a == out { b } else { a };
    }
    let Node::Host(host) = at.node else { return None };
    let unused = u16::try_from(turns.len()).ok()?;
    (network.attachment(host)?.0 == at.port).then_some(Walked { host, unused, passed })
}

/// What a switch that identifies itself stamps: its position in the list of switches, mixed so that nothing
/// follows from the number but identity.
pub fn stamp(entered: End) -> Stamp {
    let number = match entered.node {
        Node::Switch(switch) => switch.index() as u64,
        Node::Host(host) => (1 << 32) + host.index() as u64,
    };
    Stamp { switch: number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15), port: entered.port.0 }
}

impl<'a> Plain<'a> {
    /// Host `me` of `network`, with a daemon on every other host and software that costs nothing.
    pub fn new(network: &'a Network, me: HostId, collision: Collision) -> Plain<'a> {
        Plain {
            network,
            me,
            collision,
            costs: Costs::NONE,
            now: Time::ZERO,
            inbox: BTreeMap::new(),
            sent: 0,
            memories: BTreeMap::new(),
            hardware: Hardware::default(),
            silent: BTreeSet::new(),
            lost: BTreeSet::new(),
        }
    }

    /// The same with software that costs `costs`.
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Plain<'a> {
        self.costs = costs;
        self
    }

    /// The same without daemons on `hosts`.
    #[must_use]
    pub fn with_silent(mut self, hosts: impl IntoIterator<Item = HostId>) -> Plain<'a> {
        self.silent.extend(hosts);
        self
    }

    /// The same, where the nth messages sent by any host (counted from 0, answers included) are lost.
    #[must_use]
    pub fn with_lost(mut self, messages: impl IntoIterator<Item = u64>) -> Plain<'a> {
        self.lost.extend(messages);
        self
    }

    /// The same with interfaces and switches that can do more.
    #[must_use]
    pub fn with_hardware(mut self, hardware: Hardware) -> Plain<'a> {
        self.hardware = hardware;
        self
    }

    /// What the daemon of `host` remembers, if a message ever reached it.
    pub fn memory(&self, host: HostId) -> Option<&Memory> {
        self.memories.get(&host)
    }

    /// Lets `message` leave `from` at `at` and all that follows from it happen.
    fn carry(&mut self, from: HostId, at: Time, route: &[Turn], message: Message) {
        let nth = self.sent;
        self.sent += 1;
        if self.lost.contains(&nth) {
            return;
        }
        let Some(Walked { host: to, unused, passed }) = walk(self.network, from, route, self.collision)
        else {
            return;
        };
        if unused > 0 && !self.hardware.reads_early {
            return;
        }
        let seen = at + self.costs.seeing(&message.body);
        let stamps = if self.hardware.stamps { passed.into_iter().map(stamp).collect() } else { Vec::new() };
        let received = Received { message, from: address(from), at, unused, stamps };
        if to == self.me {
            self.inbox.insert((seen, nth), received);
        } else if !self.silent.contains(&to) {
            let name = &self.network.hosts()[to.index()].name;
            let answer = self.memories.entry(to).or_default().take(name, &received);
            if let Some((route, answer)) = answer {
                self.carry(to, seen + self.costs.reply + self.costs.send, &route, answer);
            }
        }
    }
}

/// Addresses follow the list of hosts.
fn address(host: HostId) -> Address {
    Address(host.index() as u64)
}

impl Host for Plain<'_> {
    fn name(&self) -> &str {
        &self.network.hosts()[self.me.index()].name
    }

    fn address(&self) -> Address {
        address(self.me)
    }

    fn now(&self) -> Time {
        self.now
    }

    fn send<'s>(&'s mut self, route: &'s [Turn], message: Message) -> HostFuture<'s, ()> {
        self.now = self.now + self.costs.send;
        self.carry(self.me, self.now, route, message);
        Box::pin(ready(()))
    }

    fn recv(&mut self, until: Option<Time>) -> HostFuture<'_, Option<Received>> {
        let first = self.inbox.first_entry();
        let received = match first.filter(|entry| until.is_none_or(|until| entry.key().0 <= until)) {
            Some(entry) => {
                self.now = self.now.max(entry.key().0);
                Some(entry.remove())
            }
            None => {
                self.now = self.now.max(until.unwrap_or(self.now));
                None
            }
        };
        Box::pin(ready(received))
    }

    fn sleep(&mut self, span: Duration) -> HostFuture<'_, ()> {
        self.now = self.now + span;
        Box::pin(ready(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// h0 - s(0), s(1)=s(2) looped back, s(3) - h1.
    fn looped() -> Network {
        let mut net = Network::new("looped");
        let s = net.add_switch("s", 4).unwrap();
        let [h0, h1] = ["h0", "h1"].map(|name| net.add_host(name).unwrap());
        net.connect(End::host(h0, 0), End::switch(s, 0)).unwrap();
        net.connect(End::switch(s, 1), End::switch(s, 2)).unwrap();
        net.connect(End::host(h1, 0), End::switch(s, 3)).unwrap();
        net
    }

    #[test]
    fn walks_follow_turns_and_fail_in_four_ways() {
        let net = looped();
        let go = |turns: &[i16], rule| {
            let route: Vec<Turn> = turns.iter().copied().map(Turn).collect();
            walk(&net, HostId(0), &route, rule).filter(|end| end.unused == 0).map(|end| end.host.0)
        };
        for (turns, packet, circuit) in [
            (&[3][..], Some(1), Some(1)),
            (&[1, 1], Some(1), Some(1)),
            (&[1, -2], Some(0), Some(0)),
            (&[-1], None, None),
            (&[4], None, None),
            (&[3, 1], None, None),
            (&[], None, None),
            (&[1], None, None),
            (&[1, 0, -1], Some(0), Some(0)),
            // Round the loop once more: the circuit closes on itself.
            (&[1, -1, 1], Some(1), None),
            (&[1, -1, -1, 1], Some(1), None),
            (&[1, -1, 2], None, None),
            (&[1, -1, 1, 0], None, None),
        ] {
            assert_eq!(go(turns, Collision::Packet), packet, "{turns:?}");
            assert_eq!(go(turns, Collision::Circuit), circuit, "{turns:?}");
        }
    }
}
