//! What can be asked of the oracle between two cycles, and the search for deadlocks at the end of each.

use simnet_base::ids::Node;
use simnet_base::units::Cycle;
use simnet_media::fabric::{Ended, Fate};
use simnet_network::topology::End;

use super::{CreditOracle, Resident, State, Waiting};

/// A channel at the end of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditView {
    /// By lane: bytes in the queue at its far end; that of management last.
    pub occupancy: Vec<u32>,
    /// By lane: credits at its near end; `None` where the far end is a host.
    pub credits: Vec<Option<u32>>,
    /// Bytes sent so far.
    pub sent: u64,
    /// Cycles so far at whose end something waited for it.
    pub blocked: u64,
    /// Cycles so far in which it was sending a packet.
    pub held: u64,
}

/// A circle of queues.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundDeadlock {
    /// The first cycle at whose end it was there.
    pub formed: u64,
    /// Input ports and lanes, each with the output and the tag of its front packet, sorted.
    pub members: Vec<(End, u8, End, u64)>,
    /// When it was broken, and at which output.
    pub cleared: Option<(u64, End)>,
}

impl CreditOracle {
    /// The next cycle to be run.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The deadlocks so far.
    pub fn deadlocks(&self) -> &[FoundDeadlock] {
        &self.found
    }

    /// All channels, by channel id.
    pub fn channels(&self) -> Vec<CreditView> {
        let view = |channel: &super::Channel| CreditView {
            occupancy: channel.buffers.iter().map(|it| u32::try_from(it.bytes.len()).unwrap()).collect(),
            credits: {
                let is_switch = matches!(channel.to.node, Node::Switch(_));
                channel.credits.iter().map(|credits| is_switch.then_some(*credits)).collect()
            },
            sent: channel.sent,
            blocked: channel.blocked,
            held: channel.held,
        };
        self.channels.iter().map(view).collect()
    }

    /// The tags of the messages under way, in order.
    pub fn live_tags(&self) -> Vec<u64> {
        let live = self.sent.iter().filter(|sent| sent.packets_over < sent.packets);
        let mut tags: Vec<u64> = live.map(|sent| sent.message.tag).collect();
        tags.sort_unstable();
        tags
    }

    /// The messages that are over, by tag.
    pub fn ended(&self) -> Vec<Ended> {
        let ended = |number: &usize| {
            let sent = &self.sent[*number];
            let fate = match (sent.struck, sent.tail) {
                (Some((at, cause)), _) => Fate::Destroyed { cause, at: Cycle(at) },
                (None, Some((host, tail))) => {
                    Fate::Delivered { host, head: Cycle(sent.head.unwrap()), tail: Cycle(tail) }
                }
                (None, None) => panic!("what is over has met its fate"),
            };
            Ended {
                tag: sent.message.tag,
                source: sent.source,
                payload: sent.message.payload,
                created: Cycle(sent.message.created),
                started: Cycle(sent.started),
                fate,
            }
        };
        let mut all: Vec<Ended> = self.over.iter().map(ended).collect();
        all.sort_unstable_by_key(|message| message.tag);
        all
    }

    /// How many messages have started.
    pub fn started(&self) -> usize {
        self.sent.len()
    }

    pub(super) fn find_deadlocks(&mut self, now: u64) {
        let mut circles: Vec<Vec<(usize, usize)>> = Vec::new();
        for Waiting { at, buffer, .. } in self.waiting() {
            let first = (at, buffer);
            let mut next = self.waits_for(first);
            if next.is_none() {
                continue;
            }
            let mut walk = vec![first];
            while let Some(at) = next.filter(|at| !walk.contains(at)) {
                walk.push(at);
                next = self.waits_for(at);
            }
            // Each circle is found from its first buffer: one that leads to a buffer before it is another's.
            if next == Some(first) && walk.iter().all(|at| *at >= first) {
                walk.sort_unstable();
                circles.push(walk);
            }
        }
        for members in circles.iter().filter(|members| !self.standing.contains(members)) {
            let mut members: Vec<_> = members.iter().map(|at| self.named(*at)).collect();
            members.sort_unstable();
            self.found.push(FoundDeadlock { formed: now, members, cleared: None });
        }
        self.standing = circles;
    }

    fn named(&self, (channel, lane): (usize, usize)) -> (End, u8, End, u64) {
        let Some(Resident { packet, state: State::Waits { channel: wanted, .. }, .. }) =
            self.front(channel, lane)
        else {
            panic!("members wait");
        };
        let tag = self.sent[self.packets[*packet].message].message.tag;
        (self.channels[channel].to, u8::try_from(lane).unwrap(), self.channels[*wanted].from, tag)
    }

    /// The buffer that must give credit back before this one can move.
    fn waits_for(&self, (at, buffer): (usize, usize)) -> Option<(usize, usize)> {
        let Some(Resident { packet, state: State::Waits { channel, lane, .. }, .. }) = self.front(at, buffer)
        else {
            return None;
        };
        if *lane == self.management_lane() {
            return None;
        }
        let wanted = &self.channels[*channel];
        let coming = wanted.returning.iter().filter(|(_, of)| of == lane).count();
        let credits = wanted.credits[*lane] as usize + coming;
        let is_switch = matches!(wanted.to.node, Node::Switch(_));
        (is_switch && credits < self.packets[*packet].bytes as usize).then_some((*channel, *lane))
    }

    /// Notes which deadlocks were broken in this cycle.
    pub(super) fn clear(&mut self, now: u64) {
        let mut hits: Vec<_> = std::mem::take(&mut self.hits);
        hits.sort_by_key(|(_, wanted)| self.channels[*wanted].from);
        for ((channel, lane), wanted) in hits {
            let place = (self.channels[channel].to, u8::try_from(lane).unwrap());
            let output = self.channels[wanted].from;
            let is_hit = |found: &&mut FoundDeadlock| {
                found.cleared.is_none() && found.members.iter().any(|member| (member.0, member.1) == place)
            };
            if let Some(found) = self.found.iter_mut().find(is_hit) {
                found.cleared = Some((now, output));
            }
        }
    }
}
