//! The event-driven fabric, driven and read in the same way as the oracle.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use simnet_base::ids::HostId;
use simnet_base::units::{Cycle, Duration};
use simnet_media::fabric::{
    Ended, Endpoint, Fabric, FlowControl, HostParameters, LinkTiming, Observer, Outgoing, Parameters, Pause,
    RouteBuffer, SwitchParameters, WormId,
};
use simnet_network::topology::{End, Network};

use crate::oracle::{Case, ChannelView, Deadlock, Logs, Message};
use support_network::first_if;

/// The parameters of these switches and cables: hosts take what comes at once, worms stop and go, and a cycle takes
/// 6.25 ns.
pub fn parameters(switch: SwitchParameters, links: Vec<LinkTiming>) -> Parameters {
    Parameters {
        base_cycle: Duration::from_ps(6_250),
        switch,
        host: HostParameters::default(),
        links,
        flow: FlowControl::StopGo,
    }
}

/// In what manner the engine is run. None of it may change a result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// With a seed, the order of events within a phase is shuffled.
    pub order: Option<u64>,
    /// Hosts know of a message only from its creation on, and are woken for it.
    pub waking: bool,
    /// The run is broken off at the end of every third message, and taken up again.
    pub breaking: bool,
    /// Nobody watches: the logs stay empty.
    pub unwatched: bool,
}

/// The engine with its hosts and what they have heard.
pub struct Engine {
    fabric: Fabric,
    network: Network,
    hosts: Hosts,
    manner: Manner,
    /// With `waking`: when which host creates a message, the next one last.
    creations: Vec<(u64, HostId)>,
    /// All grants, resets, STOPs and GOs.
    pub logs: Logs,
}

/// What kinds of messages there are, by their tags.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// The service level of each; 0 of those beyond.
    pub levels: Vec<u8>,
    /// Whether each is of management; none beyond is.
    pub management: Vec<bool>,
}

struct Hosts {
    waiting: Vec<VecDeque<Message>>,
    /// Those of management.
    managing: Vec<VecDeque<Message>>,
    levels: Vec<u8>,
    ended: Vec<Ended>,
    /// Messages created from this cycle on are not known yet.
    known_before: u64,
    breaking: bool,
}

struct Notebook<'a>(&'a mut Logs);

impl Engine {
    /// The engine before its first cycle.
    pub fn new(case: &Case, manner: Manner) -> Engine {
        Engine::with_kinds(case, Kinds::default(), manner)
    }

    /// The same for messages of these kinds.
    pub fn with_kinds(case: &Case, kinds: Kinds, manner: Manner) -> Engine {
        let mut fabric = Fabric::new(&case.network, &case.parameters, &case.attachments).unwrap();
        if let Some(seed) = manner.order {
            fabric.shuffle(seed);
        }
        for event in &case.link_events {
            if event.up {
                fabric.restore_link(event.link, Cycle(event.at));
            } else {
                fabric.fail_link(event.link, Cycle(event.at));
            }
        }
        let is_management = |message: &Message| {
            usize::try_from(message.tag).ok().and_then(|tag| kinds.management.get(tag)).is_some_and(|it| *it)
        };
        let those = |wanted: bool| {
            let of_host = |messages: &Vec<Message>| {
                messages.iter().filter(|message| is_management(message) == wanted).cloned().collect()
            };
            case.messages.iter().map(of_host).collect()
        };
        let (waiting, managing) = (those(false), those(true));
        let created = case.network.host_ids().zip(&case.messages);
        let created = created.flat_map(|(host, messages)| messages.iter().map(move |m| (m.created, host)));
        let mut creations: Vec<(u64, HostId)> = created.filter(|_| manner.waking).collect();
        creations.sort_unstable_by(|a, b| b.cmp(a));
        let known_before = if manner.waking { 0 } else { u64::MAX };
        let breaking = manner.breaking;
        let hosts =
            Hosts { waiting, managing, levels: kinds.levels, ended: Vec::new(), known_before, breaking };
        Engine { fabric, network: case.network.clone(), hosts, manner, creations, logs: Logs::default() }
    }

    /// Runs all cycles before `limit`; gives the next cycle, which is less than `limit` if nothing is left
    /// to happen.
    pub fn run_until(&mut self, limit: u64) -> u64 {
        if self.manner.unwatched {
            return self.run_watched(limit, &mut ());
        }
        let mut logs = std::mem::take(&mut self.logs);
        let now = self.run_watched(limit, &mut Notebook(&mut logs));
        self.logs = logs;
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
        self.now()
    }

    fn advance<O: Observer>(&mut self, limit: u64, observer: &mut O) {
        let mut pause = Pause::Break;
        while pause == Pause::Break {
            pause = self.fabric.run_until(Cycle(limit), &mut self.hosts, observer);
        }
    }

    /// The fabric itself.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The next cycle to be run.
    pub fn now(&self) -> u64 {
        self.fabric.now().0
    }

    /// The messages that are over, by tag.
    pub fn ended(&self) -> &[Ended] {
        &self.hosts.ended
    }

    /// How many messages are under way.
    pub fn in_flight(&self) -> usize {
        self.fabric.in_flight()
    }

    /// The tags of the messages under way, in order.
    pub fn live(&self) -> Vec<u64> {
        let mut tags: Vec<u64> = self.fabric.live().iter().map(|message| message.tag).collect();
        tags.sort_unstable();
        tags
    }

    /// All channels, by channel id, those of failed cables included.
    pub fn channels(&self) -> Vec<ChannelView> {
        let ends = self.network.links().iter().flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        let view = |((from, to), used): ((End, End), simnet_media::fabric::ChannelUse)| ChannelView {
            from,
            to,
            up: true,
            occupancy: self.fabric.occupancy(to),
            stop_sent: self.fabric.stop_sent(to),
            go: self.fabric.go(from),
            sent: used.flits,
            blocked: used.blocked,
            held: used.held,
        };
        ends.zip(self.fabric.channel_use()).map(view).collect()
    }

    /// The deadlocks so far, members sorted.
    pub fn deadlocks(&self) -> Vec<Deadlock> {
        let deadlock = |found: &simnet_media::fabric::Deadlock| {
            let mut members: Vec<_> = found.members.iter().map(|member| (member.input, member.tag)).collect();
            members.sort_unstable();
            Deadlock { formed: found.formed.0, members }
        };
        self.fabric.deadlocks().iter().map(deadlock).collect()
    }
}

impl Hosts {
    fn outgoing(&self, message: Message, route: &mut RouteBuffer) -> Outgoing {
        route.extend_from_slice(&message.route);
        let Message { created, payload, tag, time_to_live, .. } = message;
        let level = usize::try_from(tag).ok().and_then(|tag| self.levels.get(tag));
        let service_level = level.copied().unwrap_or(0);
        Outgoing { created: Cycle(created), payload, tag, time_to_live, service_level }
    }
}

impl Endpoint for Hosts {
    fn next_message(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let known = self.known_before;
        let message = first_if(&mut self.waiting[host.index()], |message| message.created < known)?;
        Some(self.outgoing(message, route))
    }

    fn next_management(&mut self, host: HostId, route: &mut RouteBuffer) -> Option<Outgoing> {
        let known = self.known_before;
        let message = first_if(&mut self.managing[host.index()], |message| message.created < known)?;
        Some(self.outgoing(message, route))
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

impl Observer for Notebook<'_> {
    fn granted(&mut self, now: Cycle, input: End, output: End, worm: WormId) {
        self.0.grants.push((now.0, input, output, worm.tag));
    }

    fn reset(&mut self, now: Cycle, output: End, worm: WormId) {
        self.0.resets.push((now.0, output, worm.tag));
    }

    fn flow_control(&mut self, now: Cycle, port: End, stop: bool) {
        self.0.flow.push((now.0, port, stop));
    }
}
