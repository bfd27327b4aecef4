//! The event-driven fabric, driven and read in the same way as the oracle.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet::fabric::{Ended, Endpoint, Fabric, Observer, Outgoing, RouteBuffer};
use simnet::ids::HostId;
use simnet::topology::{End, Network};
use simnet::units::Cycle;

use crate::oracle::{Case, ChannelView, Deadlock, Logs, Message};

/// The engine with its hosts and what they have heard.
pub(crate) struct Engine {
    fabric: Fabric,
    network: Network,
    hosts: Hosts,
    /// All grants, resets, STOPs and GOs.
    pub(crate) logs: Logs,
}

struct Hosts {
    waiting: Vec<VecDeque<Message>>,
    ended: Vec<Ended>,
}

struct Notebook<'a>(&'a mut Logs);

impl Engine {
    /// The engine before its first cycle; with `order`, the order within phases is shuffled by that seed.
    pub(crate) fn new(case: &Case, order: Option<u64>) -> Engine {
        let mut fabric = Fabric::new(&case.network, &case.parameters, &case.attachments).unwrap();
        if let Some(seed) = order {
            fabric.shuffle(seed);
        }
        for event in &case.link_events {
            if event.up {
                fabric.restore_link(event.link, Cycle(event.at));
            } else {
                fabric.fail_link(event.link, Cycle(event.at));
            }
        }
        let waiting = case.messages.iter().map(|messages| messages.iter().cloned().collect()).collect();
        let hosts = Hosts { waiting, ended: Vec::new() };
        Engine { fabric, network: case.network.clone(), hosts, logs: Logs::default() }
    }

    /// Runs all cycles before `limit`; gives the next cycle, which is less than `limit` if nothing is left to happen.
    pub(crate) fn run_until(&mut self, limit: u64) -> u64 {
        self.fabric.run_until(Cycle(limit), &mut self.hosts, &mut Notebook(&mut self.logs));
        self.hosts.ended.sort_unstable_by_key(|message| message.tag);
        self.now()
    }

    /// The next cycle to be run.
    pub(crate) fn now(&self) -> u64 {
        self.fabric.now().0
    }

    /// The messages that are over, by tag.
    pub(crate) fn ended(&self) -> &[Ended] {
        &self.hosts.ended
    }

    /// How many messages are under way.
    pub(crate) fn in_flight(&self) -> usize {
        self.fabric.in_flight()
    }

    /// The tags of the messages under way, in order.
    pub(crate) fn live(&self) -> Vec<u64> {
        let mut tags: Vec<u64> = self.fabric.live().iter().map(|message| message.tag).collect();
        tags.sort_unstable();
        tags
    }

    /// All channels, by channel id, those of failed cables included.
    pub(crate) fn channels(&self) -> Vec<ChannelView> {
        let ends = self.network.links().iter().flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        let view = |((from, to), used): ((End, End), simnet::fabric::ChannelUse)| ChannelView {
            from,
            to,
            up: true,
            occupancy: self.fabric.occupancy(to),
            stop_sent: self.fabric.stop_sent(to),
            go: self.fabric.go(from),
            sent: used.flits,
            blocked: used.blocked,
        };
        ends.zip(self.fabric.channel_use()).map(view).collect()
    }

    /// The deadlocks so far, members sorted.
    pub(crate) fn deadlocks(&self) -> Vec<Deadlock> {
        let deadlock = |found: &simnet::fabric::Deadlock| {
            let mut members: Vec<_> = found.members.iter().map(|member| (member.input, member.tag)).collect();
            members.sort_unstable();
            Deadlock { formed: found.formed.0, members }
        };
        self.fabric.deadlocks().iter().map(deadlock).collect()
    }
}

impl Endpoint for Hosts {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let message = self.waiting[host.index()].pop_front()?;
        route.extend_from_slice(&message.route);
        Some(Outgoing { created: Cycle(message.created), payload: message.payload, tag: message.tag })
    }

    fn ended(&mut self, message: &Ended) -> ControlFlow<()> {
        self.ended.push(*message);
        ControlFlow::Continue(())
    }
}

impl Observer for Notebook<'_> {
    fn granted(&mut self, now: Cycle, input: End, output: End, tag: u64) {
        self.0.grants.push((now.0, input, output, tag));
    }

    fn reset(&mut self, now: Cycle, output: End, tag: u64) {
        self.0.resets.push((now.0, output, tag));
    }

    fn flow_control(&mut self, now: Cycle, port: End, stop: bool) {
        self.0.flow.push((now.0, port, stop));
    }
}
