//! The time of a message that meets no other: the part of its time in which it moves.
//!
//! ```text
//!   created ── queueing ──▶ started ── moving (zero load) + blocked ──▶ tail at the destination
//! ```
//! At one rate throughout, a payload of n flits over k switches takes `d_0 + sum (R + d_i) + n - 1` cycles. Where
//! rates differ, a flit waits for the slowest channel behind it: flit j of a worm is somewhere at the latest of a few
//! times `a + b j`, one for each pace `b` that it has met, and that stays so from channel to channel.
//!
//! With credits the same holds at one rate throughout: packets of one message follow each other without gaps. Where
//! rates differ, packets are what flits are above, since a switch waits with a packet that would run out of bytes.
//!
//! # Scope and limitations
//! It is a lower bound, and reached by a lone message where GO leaves no gaps
//! ([`links_with_gaps`](simnet_media::fabric::links_with_gaps)): a stop that a slow channel behind a fast one brings
//! about costs nothing then; with credits where buffers are never short of room. Overheads of hosts are
//! not in it: that of sending comes before the first flit, that of receiving after the tail.
//!
//! # Validation
//! Lone messages on the per-flit oracle, to the cycle; as a lower bound on everything that arrives in random cases
//! with resets and failures (`tests/running/oracle/message_time.rs`).

use simnet_base::ids::{HostId, LinkId, Node, Port, Turn};
use simnet_media::fabric::{FlowControl, LinkTiming, Parameters};
use simnet_network::routing::Wiring;
use simnet_network::topology::{End, Network};

/// Computes the times of messages of a network that meet no others.
#[derive(Clone, Debug)]
pub struct ZeroLoad<'a> {
    wiring: Wiring,
    parameters: &'a Parameters,
    /// Per host, its own cable and where that ends.
    cables: Vec<Option<(LinkId, End)>>,
    has_one_rate: bool,
    /// The delay of every cable, if they all have the same.
    one_delay: Option<u64>,
}

/// Flit j is there at `at + pace j` or later.
#[derive(Clone, Copy, Debug)]
struct Line {
    at: u64,
    pace: u64,
}

impl<'a> ZeroLoad<'a> {
    /// Prepares to time messages that hosts send on the ports `attachments`. Costs O(ports).
    pub fn new(network: &Network, parameters: &'a Parameters, attachments: &[Option<Port>]) -> ZeroLoad<'a> {
        let cable = |(host, port): (HostId, &Option<Port>)| {
            let end = End::host(host, port.as_ref()?.0);
            Some((network.link_at(end)?, network.peer(end)?))
        };
        let has_one_rate = parameters.host.receive.is_none()
            && parameters.host.in_transit.is_none()
            && parameters.links.iter().all(|link| link.period == 1);
        let mut delays = parameters.links.iter().map(|link| link.delay);
        let one_delay = delays.next().filter(|first| delays.all(|delay| delay == *first));
        ZeroLoad {
            one_delay,
            wiring: Wiring::new(network),
            parameters,
            cables: network.host_ids().zip(attachments).map(cable).collect(),
            has_one_rate,
        }
    }

    /// Base cycles from the first flit on the first cable to the tail at the destination, for `payload` flits behind
    /// these turns; what it says of a route that leads nowhere has no meaning. Costs O(turns).
    #[inline]
    pub fn cycles(&self, source: HostId, turns: &[Turn], payload: u32) -> u64 {
        let Some((first, far)) = self.cables[source.index()] else { return 0 };
        let behind = u64::from(payload.saturating_sub(1));
        if let (true, Some(delay)) = (self.has_one_rate, self.one_delay) {
            // Cables all alike need not be looked at.
            let switches = turns.len() as u64;
            return delay + behind + switches * (self.parameters.switch.routing_latency + delay);
        }
        self.cycles_along((first, far), turns, payload)
    }

    /// The same from the first cable, and where that leads to, on.
    #[inline(never)]
    fn cycles_along(&self, (first, far): (LinkId, End), turns: &[Turn], payload: u32) -> u64 {
        let behind = u64::from(payload.saturating_sub(1));
        if self.has_one_rate {
            let mut cycles = self.timing(first).delay + behind;
            self.wiring.walk(far, turns, |_, _, _, wire| {
                cycles += self.parameters.switch.routing_latency + self.timing(wire.channel.link()).delay;
            });
            return cycles;
        }
        if let FlowControl::Credits(credits) = &self.parameters.flow {
            return self.of_packets((*self.timing(first), far), turns, (payload, credits.mtu));
        }
        let mut lines = vec![Line { at: 0, pace: 0 }];
        pass(&mut lines, *self.timing(first));
        let mut taken = 0;
        self.wiring.walk(far, turns, |_, _, _, wire| {
            let cable = *self.timing(wire.channel.link());
            decode(&mut lines, self.parameters.switch.routing_latency);
            pass(&mut lines, cable);
            taken += 1;
            if let (Node::Host(_), Some(latency)) = (wire.to.node, self.parameters.host.in_transit)
                && taken < turns.len()
            {
                // In transit: the host sends it on over the same cable.
                decode(&mut lines, latency);
                pass(&mut lines, cable);
                taken += 1;
            }
        });
        if let Some(receive) = self.parameters.host.receive {
            pass(&mut lines, LinkTiming { period: receive.period, delay: 0 });
        }
        latest(&lines, behind)
    }

    /// The same for packets of at most `mtu` bytes that switches pass on whole. Costs O(turns).
    ///
    /// Of the packets that are whole, number i leaves a port at the latest of a few times `a + b i`, as flits do.
    fn of_packets(
        &self,
        (mut cable, far): (LinkTiming, End),
        turns: &[Turn],
        (payload, mtu): (u32, u32),
    ) -> u64 {
        let (whole, rest) = (u64::from(payload / mtu), u64::from(payload % mtu));
        let mtu = u64::from(mtu);
        let mut lines = vec![Line { at: 0, pace: mtu * cable.period }];
        // When what is left after them leaves the port.
        let mut last = whole * mtu * cable.period;
        self.wiring.walk(far, turns, |_, _, _, wire| {
            let next = *self.timing(wire.channel.link());
            let slower = cable.period.saturating_sub(next.period);
            // A head is decoded, and the last byte has to be there in time.
            let passed = |bytes: u64| {
                cable.delay + self.parameters.switch.routing_latency.max(bytes.saturating_sub(1) * slower)
            };
            lines.iter_mut().for_each(|line| line.at += passed(mtu));
            pass(&mut lines, LinkTiming { period: mtu * next.period, delay: 0 });
            let free = whole.checked_sub(1).map(|before| latest(&lines, before) + mtu * next.period);
            last = (last + passed(rest)).max(free.unwrap_or(0));
            cable = next;
        });
        let (leaves, bytes) = if rest > 0 { (last, rest) } else { (latest(&lines, whole - 1), mtu) };
        leaves + cable.delay + (bytes - 1) * cable.period
    }

    fn timing(&self, link: LinkId) -> &LinkTiming {
        &self.parameters.links[link.index()]
    }
}

/// When flit j is there.
fn latest(lines: &[Line], j: u64) -> u64 {
    lines.iter().map(|line| line.at + line.pace * j).max().unwrap_or(0)
}

/// A flit follows the one before it on a channel by a period, if not later.
fn pass(lines: &mut Vec<Line>, channel: LinkTiming) {
    let faster = lines.iter().filter(|line| line.pace < channel.period).map(|line| line.at).max();
    lines.retain(|line| line.pace >= channel.period);
    lines.extend(faster.map(|at| Line { at, pace: channel.period }));
    lines.iter_mut().for_each(|line| line.at += channel.delay);
}

/// The first flit is taken off and decoded, and the others wait for that.
fn decode(lines: &mut Vec<Line>, routing_latency: u64) {
    let first = lines.iter().map(|line| line.at).max().unwrap_or(0);
    lines.iter_mut().for_each(|line| line.at += line.pace);
    lines.push(Line { at: first + routing_latency, pace: 0 });
}
