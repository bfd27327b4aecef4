//! The event loop where switches pause those who send: what happens in addition to, or instead of, what
//! [`engine`](super::engine) says.
//!
//! A frame that waits may have to wait longer, so that its arrival is known only as it begins to be sent: a hop costs
//! two more events, at the port when it may begin and when its last bit has left. From there on all is as without
//! pauses, and of each port one frame at a time is in its [`Output`](super::port::Output).
//!
//! Numbers of events behind those of arrivals: PAUSE frames by channel, hosts, ports by channel, the watchdog, the look
//! for deadlocks.

use simnet_base::ids::{ChannelId, HostId, LinkId, Node};
use simnet_base::units::{Bytes, Time};
use simnet_network::topology::Network;

use super::engine::{Ethernet, opposite};
use super::frame::{Address, GAP, MIN_FRAME, PREAMBLE};
use super::parameters::Parameters;
use super::pfc::{Cause, Control, NONE, PRIORITIES, PauseCounters, Pfc, PfcParameters, Tag, bit, pause_time};
use super::port::{NIL, Pace};
use super::wiring;
use super::{Direction, Endpoint, Observer};

/// What flow control knows in the beginning.
pub(super) fn pauses(network: &Network, parameters: &Parameters, of: PfcParameters) -> Pfc {
    let mut pfc = Pfc::new(of, wiring::all_outputs(network), 2 * network.links().len());
    if of.shared.is_some() {
        let switch = |ends: wiring::Ends| match ends.to.node {
            Node::Switch(switch) => switch.0,
            Node::Host(_) => NONE,
        };
        pfc.set_pools(wiring::ends(network).into_iter().map(switch).collect());
    }
    let Some(quanta) = of.quanta else { return pfc };
    for (channel, input) in pfc.inputs.iter_mut().enumerate() {
        let rate = parameters.rates[channel / 2];
        input.lasting = pause_time(Pace::new(rate, parameters.mtu), quanta);
        input.lapses = !of.lasts(rate, parameters.mtu);
    }
    pfc
}

impl<P: Clone> Ethernet<P> {
    /// What has been counted of a priority on a channel, up to the present; `None` without pauses, or if there is no
    /// such priority.
    pub fn pauses(&self, channel: ChannelId, priority: u8) -> Option<PauseCounters> {
        self.pfc.as_deref()?.counted(channel.0, priority, self.now)
    }

    /// The bytes of a priority that count at the input of a switch at the end of a channel; 0 without pauses.
    pub fn occupied(&self, channel: ChannelId, priority: u8) -> Bytes {
        let inputs = self.pfc.as_deref().map(|pfc| &pfc.inputs[channel.0 as usize]);
        Bytes(inputs.map_or(0, |input| input.occupied[usize::from(priority)]))
    }

    /// Whether the sender of a channel may send no frame of a priority.
    pub fn is_paused(&self, channel: ChannelId, priority: u8) -> bool {
        self.pfc.as_deref().is_some_and(|pfc| pfc.senders[channel.0 as usize].paused & bit(priority) != 0)
    }

    /// Whether frames wait for pauses to end, or are on their way to where they will.
    pub(super) fn is_held_up(&self) -> bool {
        self.pfc.is_some() && self.under_way() > 0
    }

    /// Who paused whom, and how often, in the order of those who were paused. Costs O(pairs).
    pub fn causes(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        self.pfc.iter().flat_map(|pfc| pfc.causes.iter().map(|(cause, count)| (*cause, *count)))
    }

    pub(super) fn pfc_mut(&mut self) -> &mut Pfc {
        self.pfc.as_deref_mut().expect("there are pauses")
    }

    fn pfc(&self) -> &Pfc {
        self.pfc.as_deref().expect("there are pauses")
    }

    /// How many numbers of events there are behind those of arrivals.
    pub(super) fn numbers(channels: usize, hosts: usize, has_pauses: bool) -> usize {
        if has_pauses { 2 * channels + hosts + 2 } else { hosts }
    }

    pub(super) fn hosts(&self) -> u32 {
        u32::try_from(self.interfaces.len()).expect("hosts have ids")
    }

    /// Handles an event that is no arrival, by its number behind those.
    pub(super) fn handle_other<E: Endpoint<P>, O: Observer<P>>(
        &mut self,
        number: u32,
        endpoint: &mut E,
        observer: &mut O,
    ) {
        let lets_go = self.let_leave();
        let hosts = self.hosts();
        let Some(host) = number.checked_sub(self.channels) else { return self.obey(number, observer) };
        let Some(port) = host.checked_sub(hosts) else { return self.ask(HostId(host), endpoint, O::WATCHES) };
        if port > self.channels {
            self.look_for_deadlocks(observer);
        } else if port == self.channels {
            self.bite(endpoint, observer);
        } else if lets_go {
            // Ports with lesser numbers have something to send now.
            self.poke(port);
        } else {
            self.begin(port, observer);
        }
    }

    /// Makes room for what arrives: frames have left by now. Whether a PAUSE frame is due now that was not.
    fn let_leave(&mut self) -> bool {
        let (now, mut lets_go) = (self.now, false);
        while let Some(hold) = self.pfc_mut().left(now) {
            lets_go |= self.release(hold);
        }
        lets_go | self.judge_pools()
    }

    /// Frees the room of a frame's copy. Whether a PAUSE frame is due now.
    fn release(&mut self, hold: u32) -> bool {
        let input = self.pfc_mut().release(hold);
        if let Some(input) = input {
            self.poke(opposite(input));
        }
        input.is_some()
    }

    /// Lets those send again who may since pools have emptied. Whether a PAUSE frame is due now.
    fn judge_pools(&mut self) -> bool {
        if self.pfc().relieved.is_empty() {
            return false;
        }
        let let_go = self.pfc_mut().let_go();
        for input in &let_go {
            self.poke(opposite(*input));
        }
        !let_go.is_empty()
    }

    /// Handles a frame at an input of a switch that pauses those who send, or forwards by a table.
    pub(super) fn arrive_at_input<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        at: u32,
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        if self.is_left_out(channel, slot) {
            self.counters.blocked += 1;
            self.frames.remove(slot);
        } else if self.pfc.is_some() {
            self.take_in(channel, at, slot, endpoint, is_watched);
        } else {
            self.pass_on(channel, at, slot, endpoint, is_watched);
        }
    }

    /// Takes a frame in at an input of a switch, if there is room for it.
    fn take_in<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        at: u32,
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        self.let_leave();
        let length = self.frames.length(slot);
        let pfc = self.pfc_mut();
        let priority = pfc.tag(slot).priority;
        if !pfc.has_room(channel, priority, length) {
            pfc.count(channel, priority).starved += 1;
            let (from, frame) = (self.ends[channel as usize].from, self.frames.get(slot));
            self.breaks |= endpoint.starved(from, frame, self.now()).is_break();
            return self.frames.remove(slot);
        }
        pfc.begin(channel, priority, length);
        pfc.behind = None;
        self.pass_on(channel, at, slot, endpoint, is_watched);
        if self.pfc_mut().settle_in() {
            self.poke(opposite(channel));
        }
        if let Some(pool) = self.pfc().pools.get(at as usize) {
            let (used, peak) = (Bytes(pool.used), &mut self.counters.shared_peaks[at as usize]);
            *peak = used.max(*peak);
        }
        self.set_look();
    }

    /// Sends a frame on its way by what was learned, or by the table.
    fn pass_on<E: Endpoint<P>>(
        &mut self,
        channel: u32,
        at: u32,
        slot: u32,
        endpoint: &mut E,
        is_watched: bool,
    ) {
        if self.table.is_empty() {
            return self.forward(channel, at, slot, endpoint, is_watched);
        }
        let back = opposite(channel);
        let (source, destination) = (self.frames.get(slot).source, self.frames.get(slot).destination);
        match destination {
            Address::Host(_) if self.has_expired(channel, slot) => self.expire(channel, slot, endpoint),
            Address::Host(host) => {
                let output = self.table.of(at, [source, host]);
                if output == NONE || output == back && self.time_to_live.is_none() {
                    let counter = &mut self.counters;
                    *(if output == NONE { &mut counter.unrouted } else { &mut counter.filtered }) += 1;
                    return self.frames.remove(slot);
                }
                self.counters.forwarded += 1;
                self.enter(output, (back, at), slot, endpoint, is_watched);
            }
            Address::Broadcast => self.flood(back, at, slot, endpoint, is_watched),
        }
    }

    /// Whether as many switches have forwarded a frame as may. If not, one more does.
    fn has_expired(&mut self, channel: u32, slot: u32) -> bool {
        let Some(time_to_live) = self.time_to_live else { return false };
        let index = slot as usize;
        if index >= self.lives.len() {
            self.lives.resize(index + 1, 0);
        }
        if matches!(self.ends[channel as usize].from.node, Node::Host(_)) {
            self.lives[index] = time_to_live;
        }
        let left = self.lives[index].checked_sub(1);
        self.lives[index] = left.unwrap_or(0);
        left.is_none()
    }

    /// Drops a frame that has come over a channel and is not forwarded once more.
    fn expire<E: Endpoint<P>>(&mut self, channel: u32, slot: u32, endpoint: &mut E) {
        self.counters.expired += 1;
        let (from, frame) = (self.ends[channel as usize].from, self.frames.get(slot));
        self.breaks |= endpoint.expired(from, frame, self.now()).is_break();
        self.frames.remove(slot);
    }

    /// Whether a frame that came over a channel keeps to the spanning tree, although there is a table, and the channel
    /// is none of its.
    fn is_left_out(&self, channel: u32, slot: u32) -> bool {
        !self.table.is_empty()
            && self.frames.get(slot).destination == Address::Broadcast
            && !self.spanning_tree().forwards(LinkId(channel / 2))
    }

    /// Deadlocks are to be looked for at the end of this instant, if one may have closed.
    pub(super) fn set_look(&mut self) {
        let number = 3 * self.channels + self.hosts() + 1;
        let pfc = self.pfc();
        if (pfc.watch.has_suspects() || pfc.may_be_quiet) && self.due.due(number).is_none() {
            self.schedule(self.now, number);
        }
    }

    /// Puts a frame in the queue of its priority at an output port.
    pub(super) fn enqueue<E: Endpoint<P>>(&mut self, channel: u32, slot: u32, endpoint: &mut E) {
        let (now, length) = (self.now, self.frames.length(slot));
        let ready = now.saturating_add(self.latency);
        let pfc = self.pfc.as_deref_mut().expect("there are pauses");
        let hold = pfc.current;
        let priority = pfc.holds[hold as usize].priority;
        if pfc.senders[channel as usize].stormy & bit(priority) != 0 {
            return self.discard(channel, priority, slot, endpoint);
        }
        pfc.holds[hold as usize].copies += 1;
        pfc.behind.get_or_insert(channel);
        pfc.set_tag(slot, Tag { hold, priority });
        let behind = pfc.queue(channel, priority, slot);
        self.frames.wait(slot, ready, behind);
        let sender = &mut pfc.senders[channel as usize];
        let behind_port = sender.bytes;
        sender.bytes += u64::from(length);
        let counters = &mut self.counters.channels[channel as usize];
        counters.peak = counters.peak.max(Bytes(sender.bytes));
        if sender.paused & bit(priority) != 0 {
            pfc.watch.suspect(channel, priority);
            pfc.watch.suspect(pfc.holds[hold as usize].input, priority);
            if behind.is_none() {
                pfc.block(channel, priority, now);
                self.set_alarm();
            }
        }
        if self.ecn.is_some() {
            self.judge(channel, slot, behind_port);
        }
        self.poke(channel);
    }

    /// Drops a frame that the watchdog does not let into its queue, or takes out of it.
    fn discard<E: Endpoint<P>>(&mut self, channel: u32, priority: u8, slot: u32, endpoint: &mut E) {
        self.pfc_mut().count(channel, priority).discarded += 1;
        self.drop_frame(channel, slot, endpoint);
    }

    /// Whether a host's next frame has to wait; then the host is asked again when it need not.
    pub(super) fn has_to_wait<E: Endpoint<P>>(&mut self, host: HostId, channel: u32, endpoint: &E) -> bool {
        self.go_on();
        let Some(pfc) = self.pfc.as_deref_mut() else { return false };
        let priority = endpoint.priority(host).unwrap_or(pfc.parameters.priority);
        assert!(priority < PRIORITIES, "there is no priority {priority}");
        pfc.asked = priority;
        let sender = &mut pfc.senders[channel as usize];
        sender.asks = sender.paused & bit(priority) != 0;
        sender.asks
    }

    /// Notes the priority of the frame that a host has given, which has met no congestion.
    pub(super) fn mark(&mut self, slot: u32) {
        if let Some(ecn) = self.ecn.as_deref_mut() {
            ecn.set(slot, false);
        }
        if let Some(pfc) = self.pfc.as_deref_mut() {
            pfc.set_tag(slot, Tag { hold: NONE, priority: pfc.asked });
        }
    }

    /// The port at which a channel begins, where something has changed, is to look for what to do next.
    pub(super) fn poke(&mut self, channel: u32) {
        let Some(at) = self.next_look(channel) else { return };
        let number = 2 * self.channels + self.hosts() + channel;
        if let Some(already) = self.due.due(number) {
            if already <= at {
                return;
            }
            self.due.cancel(number);
        }
        self.schedule(at, number);
    }

    /// When the last bit of what a port sends has left, or else when it may begin to send.
    fn next_look(&self, channel: u32) -> Option<u64> {
        let pfc = self.pfc();
        let sender = &pfc.senders[channel as usize];
        if let Some((until, ..)) = sender.leaving {
            return Some(until);
        }
        let begins = if pfc.owes(channel, self.now) {
            Some(0)
        } else {
            let serves = sender.filled & !sender.paused;
            let queues = (0..PRIORITIES).filter(|priority| serves & bit(*priority) != 0);
            let fronts = queues.filter_map(|priority| sender.queues[usize::from(priority)]);
            let refresh = Some(pfc.inputs[opposite(channel) as usize].refresh).filter(|at| *at < u64::MAX);
            fronts.map(|(first, _)| self.frames.ready(first)).chain(refresh).min()
        };
        begins.map(|at| at.max(self.outputs[channel as usize].free).max(self.now))
    }

    /// A port begins to send if it can.
    fn begin<O: Observer<P>>(&mut self, channel: u32, observer: &mut O) {
        if self.outputs[channel as usize].free <= self.now {
            if self.pfc().owes(channel, self.now) {
                self.send_pause(channel, observer);
            } else if let Some((priority, slot)) = self.first(channel) {
                self.begin_frame(channel, priority, slot, O::WATCHES);
                if self.pfc().parameters.quanta.is_some() {
                    self.note_broken(channel, priority, observer);
                }
            }
        }
        self.poke(channel);
    }

    /// The frame that a port can begin with: of the highest priority.
    fn first(&self, channel: u32) -> Option<(u8, u32)> {
        let sender = &self.pfc().senders[channel as usize];
        let serves = sender.filled & !sender.paused;
        let queues = (0..PRIORITIES).rev().filter(|priority| serves & bit(*priority) != 0);
        let mut fronts =
            queues.filter_map(|priority| Some((priority, sender.queues[usize::from(priority)]?.0)));
        fronts.find(|(_, slot)| self.frames.ready(*slot) <= self.now)
    }

    fn begin_frame(&mut self, channel: u32, priority: u8, slot: u32, is_watched: bool) {
        let (next, length) = (self.frames.next(slot), self.frames.length(slot));
        let time = self.outputs[channel as usize].pace.time(PREAMBLE + length);
        let until = self.now.saturating_add(time);
        let pfc = self.pfc_mut();
        pfc.unqueue(channel, priority, next);
        let hold = pfc.tag(slot).hold;
        pfc.send(channel, until, hold, length);
        self.send(channel, slot, self.now, is_watched);
    }

    /// A port of a switch sends a PAUSE frame.
    fn send_pause<O: Observer<P>>(&mut self, channel: u32, observer: &mut O) {
        let (now, ends) = (self.now(), self.ends[channel as usize]);
        let output = &mut self.outputs[channel as usize];
        let (pace, delay) = (output.pace, output.delay);
        output.free = self.now.saturating_add(pace.time(PREAMBLE + MIN_FRAME + GAP));
        let arrives = self.now.saturating_add(pace.time(PREAMBLE + MIN_FRAME)).saturating_add(delay);
        let pfc = self.pfc_mut();
        let says = pfc.say(channel, now.as_ps());
        let at = arrives.saturating_add(pfc.parameters.reaction.as_ps());
        pfc.senders[channel as usize].controls.push_back(Control { at, says });
        self.set_control(channel);
        self.set_look();
        if O::WATCHES {
            observer.paused(now, ends.from, Direction::Out, says);
        }
    }

    /// What is next to happen at the far end of a channel: a PAUSE frame on it is obeyed, or a pause there runs out.
    pub(super) fn set_control(&mut self, channel: u32) {
        let pfc = self.pfc();
        let first = pfc.senders[channel as usize].controls.front().map_or(u64::MAX, |control| control.at);
        let (at, number) = (first.min(pfc.runs_out(opposite(channel))), self.channels + channel);
        match self.due.due(number) {
            Some(already) if already == at => return,
            Some(_) => self.due.cancel(number),
            None => {}
        }
        self.schedule(at, number);
    }

    /// The PAUSE frame at the far end of a channel is obeyed there, and pauses run out.
    fn obey<O: Observer<P>>(&mut self, channel: u32, observer: &mut O) {
        let (now, back) = (self.now, opposite(channel));
        let pfc = self.pfc_mut();
        let controls = &mut pfc.senders[channel as usize].controls;
        let says = controls.pop_front_if(|control| control.at <= now).map(|control| control.says);
        if let Some(says) = says {
            pfc.obey(back, says, now);
        }
        let over = pfc.run_out(back, now);
        let let_go = over | says.map_or(0, |says| says.priorities & !says.paused);
        let sender = &mut pfc.senders[back as usize];
        let asks = sender.asks && let_go != 0 && std::mem::take(&mut sender.asks);
        self.set_control(channel);
        self.set_alarm();
        self.set_look();
        if O::WATCHES {
            let port = self.ends[channel as usize].to;
            if let Some(says) = says {
                observer.paused(self.now(), port, Direction::In, says);
            }
            if over != 0 {
                observer.ran_out(self.now(), port, over);
            }
        }
        match self.ends[back as usize].from.node {
            Node::Host(host) if asks => self.wake(host, Time::from_ps(now)),
            Node::Host(_) => {}
            Node::Switch(_) => self.poke(back),
        }
    }

    /// The watchdog is to look at the first alarm.
    pub(super) fn set_alarm(&mut self) {
        let Some(at) = self.pfc().first_alarm() else { return };
        let number = 3 * self.channels + self.hosts();
        match self.due.due(number) {
            Some(already) if already <= at => return,
            Some(_) => self.due.cancel(number),
            None => {}
        }
        self.schedule(at, number);
    }

    /// Frames leave a queue: a deadlock that it is in is broken.
    fn note_broken<O: Observer<P>>(&mut self, channel: u32, priority: u8, observer: &mut O) {
        let (now, output) = (self.now(), self.ends[channel as usize].from);
        let broken = self.pfc_mut().watch.broken(channel, priority, output, now);
        if let Some(nth) = broken.filter(|_| O::WATCHES) {
            observer.cleared(now, nth, output);
        }
    }

    /// The watchdog takes queues away, and gives them back.
    fn bite<E: Endpoint<P>, O: Observer<P>>(&mut self, endpoint: &mut E, observer: &mut O) {
        while let Some((channel, priority)) = self.pfc.as_deref_mut().and_then(|pfc| pfc.alarm(self.now)) {
            self.note_broken(channel, priority, observer);
            let mut slot = self.pfc_mut().empty(channel, priority);
            while slot != NIL {
                let (next, length) = (self.frames.next(slot), self.frames.length(slot));
                let pfc = self.pfc_mut();
                pfc.senders[channel as usize].bytes -= u64::from(length);
                pfc.waiting -= 1;
                let hold = pfc.tag(slot).hold;
                self.discard(channel, priority, slot, endpoint);
                self.release(hold);
                slot = next;
            }
        }
        self.judge_pools();
        self.set_alarm();
        self.set_look();
    }
}
