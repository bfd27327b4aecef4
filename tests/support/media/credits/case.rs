//! A case for credits, and the engine driven and read in the same way as the oracle.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet_base::ids::HostId;
use simnet_base::units::Cycle;
use simnet_media::fabric::{
    CreditParameters, Ended, Endpoint, Fabric, FlowControl, Observer, Outgoing, Parameters, Pause,
    RouteBuffer, WormId,
};
use simnet_network::topology::End;

use super::{CreditView, FoundDeadlock};
use crate::engine::Manner;
use crate::oracle::{Case, Message};

/// All that determines a run.
#[derive(Clone, Debug)]
pub struct CreditCase {
    /// The network, times, messages and failures.
    pub case: Case,
    /// Lanes, buffers and limits.
    pub credits: CreditParameters,
    /// The service level of each message, by its tag.
    pub levels: Vec<u8>,
}

/// The engine with its hosts and what they have heard.
pub struct CreditEngine {
    fabric: Fabric,
    ends: Vec<(End, End)>,
    lanes: u8,
    hosts: Hosts,
    manner: Manner,
    creations: Vec<(u64, HostId)>,
    /// All grants: cycle, input, output, tag.
    pub grants: Vec<(u64, End, End, u64)>,
}

struct Hosts {
    waiting: Vec<VecDeque<Message>>,
    levels: Vec<u8>,
    ended: Vec<Ended>,
    known_before: u64,
    breaking: bool,
}

struct Grants<'a>(&'a mut Vec<(u64, End, End, u64)>);

impl Observer for Grants<'_> {
    fn granted(&mut self, now: Cycle, input: End, output: End, worm: WormId) {
        self.0.push((now.0, input, output, worm.tag));
    }
}

impl CreditCase {
    /// The parameters with the credits in them.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            flow: FlowControl::Credits(Box::new(self.credits.clone())),
            ..self.case.parameters.clone()
        }
    }
}

impl CreditEngine {
    /// The engine before its first cycle.
    pub fn new(case: &CreditCase, manner: Manner) -> CreditEngine {
        let CreditCase { case: plain, credits, levels } = case;
        let mut fabric = Fabric::new(&plain.network, &case.parameters(), &plain.attachments).unwrap();
        if let Some(seed) = manner.order {
            fabric.shuffle(seed);
        }
        for event in &plain.link_events {
            if event.up {
                fabric.restore_link(event.link, Cycle(event.at));
            } else {
                fabric.fail_link(event.link, Cycle(event.at));
            }
        }
        let waiting = plain.messages.iter().map(|messages| messages.iter().cloned().collect()).collect();
        let created = plain.network.host_ids().zip(&plain.messages);
        let created = created.flat_map(|(host, messages)| messages.iter().map(move |m| (m.created, host)));
        let mut creations: Vec<(u64, HostId)> = created.filter(|_| manner.waking).collect();
        creations.sort_unstable_by(|a, b| b.cmp(a));
        let known_before = if manner.waking { 0 } else { u64::MAX };
        let hosts = Hosts {
            waiting,
            levels: levels.clone(),
            ended: Vec::new(),
            known_before,
            breaking: manner.breaking,
        };
        let ends =
            plain.network.links().iter().flat_map(|link| [(link.a, link.b), (link.b, link.a)]).collect();
        CreditEngine { fabric, ends, lanes: credits.lanes, hosts, manner, creations, grants: Vec::new() }
    }

    /// Runs all cycles before `limit`; gives the next cycle, which is less than `limit` if nothing is left to happen.
    pub fn run_until(&mut self, limit: u64) -> u64 {
        if self.manner.unwatched {
            return self.run_watched(limit, &mut ());
        }
        let mut grants = std::mem::take(&mut self.grants);
        let now = self.run_watched(limit, &mut Grants(&mut grants));
        self.grants = grants;
        now
    }

    /// The same, watched by this observer alone.
    pub fn run_watched<O: Observer>(&mut self, limit: u64, observer: &mut O) -> u64 {
        while let Some((created, host)) = self.creations.pop_if(|(created, _)| *created < limit) {
            self.advance(created, observer);
            self.hosts.known_before = created + 1;
            self.fabric.wake(host, Cycle(created));
        }
        self.advance(limit, observer);
        self.hosts.ended.sort_unstable_by_key(|message| message.tag);
        self.fabric.now().0
    }

    fn advance<O: Observer>(&mut self, limit: u64, observer: &mut O) {
        while self.fabric.run_until(Cycle(limit), &mut self.hosts, observer) == Pause::Break {}
    }

    /// The fabric itself.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The messages that are over, by tag.
    pub fn ended(&self) -> &[Ended] {
        &self.hosts.ended
    }

    /// The tags of the messages under way, in order.
    pub fn live(&self) -> Vec<u64> {
        let mut tags: Vec<u64> = self.fabric.live().iter().map(|message| message.tag).collect();
        tags.sort_unstable();
        tags
    }

    /// All channels, by channel id.
    pub fn channels(&self) -> Vec<CreditView> {
        let view = |((from, to), used): (&(End, End), simnet_media::fabric::ChannelUse)| CreditView {
            occupancy: (0..self.lanes).map(|lane| self.fabric.lane_occupancy(*to, lane)).collect(),
            credits: (0..self.lanes).map(|lane| self.fabric.credits(*from, lane)).collect(),
            sent: used.flits,
            blocked: used.blocked,
            held: used.held,
        };
        self.ends.iter().zip(self.fabric.channel_use()).map(view).collect()
    }

    /// The deadlocks so far, members sorted.
    pub fn deadlocks(&self) -> Vec<FoundDeadlock> {
        let deadlock = |found: &simnet_media::fabric::Deadlock| {
            let members = found.members.iter().map(|it| (it.input, it.lane, it.output, it.tag));
            let mut members: Vec<_> = members.collect();
            members.sort_unstable();
            let cleared = found.cleared.map(|cleared| (cleared.at.0, cleared.output));
            FoundDeadlock { formed: found.formed.0, members, cleared }
        };
        self.fabric.deadlocks().iter().map(deadlock).collect()
    }
}

impl Endpoint for Hosts {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let known = self.known_before;
        let message = self.waiting[host.index()].pop_front_if(|message| message.created < known)?;
        route.extend_from_slice(&message.route);
        let Message { created, payload, tag, time_to_live, .. } = message;
        let service_level = self.levels[usize::try_from(tag).unwrap()];
        Some(Outgoing { created: Cycle(created), payload, tag, time_to_live, service_level })
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended.push(*message);
        if self.breaking && message.tag.is_multiple_of(3) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
