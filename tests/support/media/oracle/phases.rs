//! The phases of a cycle, in their order.

use simnet_base::ids::{HostId, Node, Port};
use simnet_media::fabric::Cause;

use support_network::first_if;

use super::{Arbitration, Flit, LinkEvent, Oracle, Owner, State, Worm};

impl Oracle {
    /// P0: cables fail and come back.
    pub(super) fn links(&mut self, now: u64) {
        let mut turned_away = Vec::new();
        while let Some(LinkEvent { link, up, .. }) = first_if(&mut self.events, |event| event.at <= now) {
            if self.up[link.index()] == up {
                continue;
            }
            self.moved = true;
            self.up[link.index()] = up;
            for channel in [2 * link.index(), 2 * link.index() + 1] {
                if up {
                    let full = self.has_no_room(channel);
                    self.outputs[channel].go = !full;
                    self.inputs[channel].stop_sent = full;
                    if full {
                        self.logs.flow.push((now, self.inputs[channel].end, true));
                    }
                } else {
                    self.cut(channel, now, &mut turned_away);
                }
            }
        }
        for worm in turned_away {
            self.strike(worm, Cause::NoSuchWire, now);
        }
    }

    /// Whether a STOP sent now would come too late for a switch's buffer.
    fn has_no_room(&self, channel: usize) -> bool {
        let (period, delay) = self.timing(channel);
        let input = &self.inputs[channel];
        let free = (self.parameters.switch.buffer as usize).saturating_sub(input.buffer.len()) as u64;
        input.at_host().is_none() && free * period < 2 * delay - 1
    }

    fn cut(&mut self, channel: usize, now: u64, turned_away: &mut Vec<usize>) {
        let output = &mut self.outputs[channel];
        output.control.clear();
        output.tokens.clear();
        let lost: Vec<_> = output.data.drain(..).map(|(_, flit)| flit.worm).collect();
        let (owner, owning) = (output.owner, output.worm);
        self.release(channel);
        if let Some(worm) = self.inputs[channel].arriving {
            self.inputs[channel].cut = true;
            self.strike(worm, Cause::LinkFailure, now);
        }
        for worm in lost.into_iter().chain(owner.map(|_| owning)) {
            self.strike(worm, Cause::LinkFailure, now);
        }
        match owner {
            Some(Owner::Input(input)) => self.inputs[input].state = State::Draining { worm: owning },
            Some(Owner::Host(host)) => (self.hosts[host].current, self.hosts[host].free) = (None, now),
            None => {}
        }
        for input in &mut self.inputs {
            if input.state == (State::Waiting { output: channel }) {
                let worm = input.buffer[0].worm;
                input.state = State::Draining { worm };
                turned_away.push(worm);
            }
        }
    }

    /// P1: flits arrive.
    pub(super) fn data(&mut self, now: u64) {
        for channel in 0..self.inputs.len() {
            while let Some((_, flit)) = first_if(&mut self.outputs[channel].data, |(at, _)| *at == now) {
                self.moved = true;
                let host = self.inputs[channel].at_host();
                let worm = &self.worms[flit.worm];
                let sends_on = self.parameters.host.in_transit.is_some();
                if flit.head && host.is_some() {
                    let turns_left = worm.hop < worm.message.route.len();
                    self.inputs[channel].in_transit = sends_on && turns_left;
                    if turns_left && !sends_on {
                        self.strike(flit.worm, Cause::HostTooSoon, now);
                    }
                }
                self.inputs[channel].arriving = Some(flit.worm).filter(|_| !flit.tail);
                match host {
                    Some(host) if self.receive().is_none() && !self.inputs[channel].in_transit => {
                        self.take(host, flit, now);
                    }
                    _ => self.inputs[channel].buffer.push_back(flit),
                }
            }
        }
    }

    fn take(&mut self, host: HostId, flit: Flit, now: u64) {
        let worm = &mut self.worms[flit.worm];
        if flit.head {
            worm.head = Some(now);
        }
        if flit.tail {
            worm.delivered = Some((host, now));
        }
    }

    /// P2: STOP and GO arrive.
    pub(super) fn control(&mut self, now: u64) {
        for channel in 0..self.outputs.len() {
            while let Some((_, stop)) = first_if(&mut self.outputs[channel].control, |(at, _)| *at == now) {
                self.moved = true;
                let waiters = self.waiters(channel);
                let output = &mut self.outputs[channel];
                output.go = !stop;
                if stop && output.owner.is_some() {
                    output.since.get_or_insert(now);
                } else if !stop && waiters == 0 {
                    output.since = None;
                }
            }
        }
    }

    /// P2': idle input ports find a head at the front of their buffer.
    pub(super) fn new_heads(&mut self) {
        for input in &mut self.inputs {
            let decodes = input.at_host().is_none() || self.parameters.host.in_transit.is_some();
            if decodes && input.state == State::Idle && !input.buffer.is_empty() {
                assert!(input.buffer[0].head, "an idle port's first flit is a head");
                input.state = State::Pending;
                self.moved = true;
            }
        }
    }

    /// P2a: heads whose time to live is over wait no longer.
    pub(super) fn expired(&mut self, now: u64) {
        for channel in 0..self.inputs.len() {
            let State::Waiting { output } = self.inputs[channel].state else { continue };
            let worm = self.inputs[channel].buffer[0].worm;
            if self.expiry(worm).is_none_or(|expiry| now < expiry) {
                continue;
            }
            self.moved = true;
            self.inputs[channel].state = State::Draining { worm };
            self.strike(worm, Cause::Expired, now);
            if self.waiters(output) == 0 && self.outputs[output].go {
                self.outputs[output].since = None;
            }
        }
    }

    /// P3a: routing units finish.
    pub(super) fn routed(&mut self, now: u64) {
        let latency = self.parameters.switch.routing_latency;
        for channel in 0..self.inputs.len() {
            let input = &self.inputs[channel];
            let is_decoded = match input.state {
                State::Routing { done } => done == now,
                State::Pending => input.buffer[0].begun.is_some_and(|begun| begun + latency <= now),
                _ => false,
            };
            if !is_decoded {
                continue;
            }
            self.moved = true;
            let worm = self.inputs[channel].buffer[0].worm;
            self.inputs[channel].state = match self.decide(channel, worm, now) {
                Ok(output) => {
                    if self.outputs[output].owner.is_some() {
                        self.outputs[output].since.get_or_insert(now);
                    }
                    State::Waiting { output }
                }
                Err(cause) => {
                    self.strike(worm, cause, now);
                    State::Draining { worm }
                }
            };
        }
    }

    fn decide(&self, input: usize, worm: usize, now: u64) -> Result<usize, Cause> {
        if self.expiry(worm).is_some_and(|expiry| expiry <= now) {
            return Err(Cause::Expired);
        }
        if self.inputs[input].at_host().is_some() {
            // A host sends on what goes out of the port by which it came.
            let Worm { message, hop, .. } = &self.worms[worm];
            let turn = message.route.get(*hop).ok_or(Cause::Stranded)?;
            return if turn.0 == 0 { Ok(input ^ 1) } else { Err(Cause::IllegalTurn) };
        }
        let (switch, index) = self.turned(input, worm)?;
        let (_, output) = self.switches[switch].ports[index].ok_or(Cause::NoSuchWire)?;
        if self.up[output / 2] { Ok(output) } else { Err(Cause::NoSuchWire) }
    }

    /// The switch, and the place among its ports that the worm's turn leads to, cabled or not.
    fn turned(&self, input: usize, worm: usize) -> Result<(usize, usize), Cause> {
        let end = self.inputs[input].end;
        let Node::Switch(id) = end.node else { unreachable!("hosts have no units and one port") };
        let Worm { message, hop, .. } = &self.worms[worm];
        let turn = *message.route.get(*hop).ok_or(Cause::Stranded)?;
        let switch = &self.switches[id.index()];
        let Port(number) = end.port.turned(turn).ok_or(Cause::IllegalTurn)?;
        let index = usize::from(number.checked_sub(switch.first_port).ok_or(Cause::IllegalTurn)?);
        if index < switch.ports.len() { Ok((id.index(), index)) } else { Err(Cause::IllegalTurn) }
    }

    /// The place of the unit that decodes the head at `input`; `None` if its port does.
    fn unit(&self, input: usize) -> Option<usize> {
        match self.parameters.switch.arbitration {
            Arbitration::Serial => Some(0),
            Arbitration::PerInput => None,
            Arbitration::PerOutput => {
                self.turned(input, self.inputs[input].buffer[0].worm).ok().map(|(_, index)| index)
            }
        }
    }

    /// P3b: idle routing units take a pending head.
    pub(super) fn routing(&mut self, now: u64) {
        if let Some(interval) = self.parameters.switch.routing_interval {
            return self.begun(now, interval);
        }
        let done = now + self.parameters.switch.routing_latency;
        for switch in 0..self.switches.len() {
            let cabled = self.switches[switch].ports.iter().copied().enumerate();
            let pending: Vec<(usize, usize, Option<usize>)> = cabled
                .filter_map(|(index, cable)| Some((index, cable?.0)))
                .filter(|(_, input)| self.inputs[*input].state == State::Pending)
                .map(|(index, input)| (index, input, self.unit(input)))
                .collect();
            if pending.is_empty() {
                continue;
            }
            let ports = self.switches[switch].ports.len();
            for (_, input, _) in pending.iter().filter(|(.., unit)| unit.is_none()) {
                self.moved = true;
                self.inputs[*input].state = State::Routing { done };
            }
            for (place, unit) in self.switches[switch].units.iter_mut().enumerate() {
                let asking = pending.iter().filter(|(.., asked)| *asked == Some(place));
                let first = asking.min_by_key(|(index, ..)| (index + ports - unit.pointer) % ports);
                if let Some((index, input, _)) = first.filter(|_| now >= unit.busy_until) {
                    self.moved = true;
                    self.inputs[*input].state = State::Routing { done };
                    (unit.busy_until, unit.pointer) = (done, (index + 1) % ports);
                }
            }
        }
    }

    /// P3b with a pipeline of headers: the first head of each buffer that has not begun does so, if it is time.
    fn begun(&mut self, now: u64, interval: u64) {
        for input in self.inputs.iter_mut().filter(|input| input.at_host().is_none()) {
            let next = input.buffer.iter_mut().find(|flit| flit.head && flit.begun.is_none());
            if let Some(head) = next.filter(|_| now >= input.next_begin) {
                self.moved = true;
                (head.begun, input.next_begin) = (Some(now), now + interval);
            }
        }
    }

    /// P3b: hosts begin with the head in transit in front.
    pub(super) fn in_transit(&mut self, now: u64) {
        let Some(latency) = self.parameters.host.in_transit else { return };
        let hosts = self.inputs.iter_mut().filter(|input| input.at_host().is_some());
        for input in hosts.filter(|input| input.state == State::Pending) {
            self.moved = true;
            input.state = State::Routing { done: now + latency };
        }
    }

    /// P3c: every free output with waiting heads is granted to one of them; a host's to what is in transit there.
    pub(super) fn granted(&mut self, now: u64) {
        for switch in self.switches.iter().chain(&self.relays) {
            let ports = switch.ports.len();
            let waits = |(index, cable): (usize, &Option<(usize, usize)>)| {
                let State::Waiting { output } = self.inputs[(*cable)?.0].state else { return None };
                Some((index, output))
            };
            let waiting: Vec<(usize, usize)> = switch.ports.iter().enumerate().filter_map(waits).collect();
            if waiting.is_empty() {
                continue;
            }
            for (_, output) in switch.ports.iter().copied().flatten() {
                if self.outputs[output].owner.is_some() {
                    continue;
                }
                let start = self.outputs[output].pointer;
                let asking = waiting.iter().filter(|(_, asked)| *asked == output);
                let others = asking.clone().count().saturating_sub(1);
                let first =
                    asking.map(|(index, _)| *index).min_by_key(|index| (index + ports - start) % ports);
                let Some(winner) = first else { continue };
                self.moved = true;
                let input = switch.ports[winner].expect("only cabled ports wait").0;
                let port = &mut self.inputs[input];
                let route_flit = port.buffer.pop_front().expect("the head waits here");
                port.state = State::Connected { output };
                let worm = &mut self.worms[route_flit.worm];
                worm.hop += 1;
                let out = &mut self.outputs[output];
                (out.owner, out.worm, out.head_sent) = (Some(Owner::Input(input)), route_flit.worm, false);
                out.since = if others > 0 || !out.go { Some(now) } else { None };
                out.pointer = (winner + 1) % ports;
                self.logs.grants.push((now, port.end, out.end, worm.message.tag));
            }
        }
    }

    /// P3: idle hosts start their next message.
    pub(super) fn started(&mut self, now: u64) {
        for (index, host) in self.hosts.iter_mut().enumerate() {
            let Some(output) = host.output else { continue };
            let out = &mut self.outputs[output];
            let slot = out.last_sent.map_or(0, |last| last + self.parameters.links[output / 2].period);
            let ready = |created: u64| created.max(host.free) + self.parameters.host.send_overhead;
            if host.current.is_some() || out.owner.is_some() || !self.up[output / 2] || now < slot {
                continue;
            }
            let Some(message) = first_if(&mut host.waiting, |message| ready(message.created) <= now) else {
                continue;
            };
            self.moved = true;
            let worm = self.worms.len();
            host.current = Some((worm, message.route.len() as u64 + u64::from(message.payload)));
            (out.owner, out.worm, out.head_sent) = (Some(Owner::Host(index)), worm, false);
            out.since = if out.go { None } else { Some(now) };
            let source = HostId::new(index);
            let (hop, struck, head, delivered) = (0, None, None, None);
            self.worms.push(Worm { source, message, started: now, hop, struck, head, delivered });
        }
    }

    /// Counts so many cycles on channels that are blocked and on those that are held.
    pub(super) fn count_blocked(&mut self, cycles: u64) {
        for output in &mut self.outputs {
            output.blocked += if output.since.is_some() { cycles } else { 0 };
            output.held += if output.owner.is_some() { cycles } else { 0 };
        }
    }

    /// P4: every owned output that may sends a flit.
    pub(super) fn sent(&mut self, now: u64) {
        for channel in 0..self.outputs.len() {
            let (period, delay) = self.timing(channel);
            let output = &self.outputs[channel];
            let Some(owner) = output.owner else { continue };
            if !output.go || output.last_sent.is_some_and(|last| now < last + period) {
                continue;
            }
            let tail = match owner {
                Owner::Input(input) => self.inputs[input].buffer.pop_front().map(|flit| flit.tail),
                Owner::Host(host) => self.hosts[host].current.as_mut().map(|(_, left)| {
                    *left -= 1;
                    *left == 0
                }),
            };
            let Some(tail) = tail else { continue };
            self.moved = true;
            let output = &mut self.outputs[channel];
            let flit = Flit { worm: output.worm, head: !output.head_sent, tail, begun: None };
            output.head_sent = true;
            output.last_sent = Some(now);
            output.sent += 1;
            output.data.push_back((now + delay, flit));
            if tail {
                self.release(channel);
                match owner {
                    Owner::Input(input) => {
                        self.inputs[input].state = State::Idle;
                        self.interface_free(channel, now);
                    }
                    Owner::Host(host) => {
                        (self.hosts[host].current, self.hosts[host].free) = (None, now + 1);
                    }
                }
            }
        }
    }

    /// What was in transit at a host has left by this output.
    fn interface_free(&mut self, output: usize, now: u64) {
        if let Some(host) = self.hosts.iter_mut().find(|host| host.output == Some(output)) {
            host.free = now + 1;
        }
    }

    /// P4: host interfaces with a receive buffer take a flit out of it.
    pub(super) fn taken(&mut self, now: u64) {
        let Some(receive) = self.receive() else { return };
        for channel in 0..self.inputs.len() {
            let input = &mut self.inputs[channel];
            let Some(host) = input.at_host() else { continue };
            let Some(flit) = first_if(&mut input.buffer, |_| now >= input.next_take) else { continue };
            self.moved = true;
            input.next_take = now + receive.period + if flit.tail { receive.overhead } else { 0 };
            self.take(host, flit, now);
        }
    }

    /// P4: draining ports lose a flit.
    pub(super) fn drained(&mut self) {
        for input in &mut self.inputs {
            if let State::Draining { .. } = input.state
                && let Some(flit) = input.buffer.pop_front()
            {
                self.moved = true;
                if flit.tail {
                    input.state = State::Idle;
                }
            }
        }
    }

    /// P4.5a: forward-reset tokens arrive, and what a failed cable cut off is flushed in the same way.
    pub(super) fn tokens(&mut self, now: u64) {
        for channel in 0..self.inputs.len() {
            let token = first_if(&mut self.outputs[channel].tokens, |at| *at == now).is_some();
            if token || std::mem::take(&mut self.inputs[channel].cut) {
                self.moved = true;
                self.flush(channel, now);
            }
        }
    }

    /// Removes the last segment of a port, whose tail has not arrived and never will.
    fn flush(&mut self, channel: usize, now: u64) {
        let input = &mut self.inputs[channel];
        let worm = input.arriving.take().expect("a token follows the flits of a worm without a tail");
        if input.at_host().is_some() && self.parameters.host.receive.is_none() && !input.in_transit {
            // A host that takes what ends there at once keeps others in transit in its buffer.
            return;
        }
        let mut head_found = false;
        while !head_found && let Some(flit) = input.buffer.pop_back() {
            assert!(flit.worm == worm && !flit.tail, "only flits of the open segment are flushed");
            head_found = flit.head;
        }
        if !input.buffer.is_empty() {
            return;
        }
        let state = std::mem::replace(&mut input.state, State::Idle);
        match state {
            State::Waiting { output } => {
                if self.waiters(output) == 0 && self.outputs[output].go {
                    self.outputs[output].since = None;
                }
            }
            State::Connected { output } => {
                let (_, delay) = self.timing(output);
                self.release(output);
                self.interface_free(output, now);
                if self.outputs[output].head_sent {
                    self.outputs[output].tokens.push_back(now + delay);
                }
            }
            State::Idle | State::Pending | State::Routing { .. } | State::Draining { .. } => {}
        }
    }

    /// P4.5b: switch outputs whose blocked time is up fire.
    pub(super) fn resets(&mut self, now: u64) {
        let Some(timeout) = self.parameters.switch.timeout else { return };
        for channel in 0..self.outputs.len() {
            let (_, delay) = self.timing(channel);
            let output = &mut self.outputs[channel];
            let Some(Owner::Input(input)) = output.owner else { continue };
            if matches!(output.end.node, Node::Host(_)) {
                continue;
            }
            if output.since.is_none_or(|since| now < since + timeout) {
                continue;
            }
            self.moved = true;
            let worm = output.worm;
            if output.head_sent {
                output.tokens.push_back(now + delay);
            }
            self.logs.resets.push((now, output.end, self.worms[worm].message.tag));
            self.inputs[input].state = State::Draining { worm };
            self.release(channel);
            self.strike(worm, Cause::Reset, now);
        }
    }

    /// P5: input ports send STOP and GO to their peers.
    pub(super) fn stop_and_go(&mut self, now: u64) {
        for channel in 0..self.inputs.len() {
            let (_, delay) = self.timing(channel);
            let at_host = self.inputs[channel].at_host().is_some();
            let switch = (self.parameters.switch.stop, self.parameters.switch.go);
            let receive = self.receive().map(|receive| (receive.stop, receive.go));
            let Some((high, low)) = (if at_host { receive } else { Some(switch) }) else { continue };
            let input = &mut self.inputs[channel];
            let occupancy = input.buffer.len();
            let crossed =
                if input.stop_sent { occupancy <= low as usize } else { occupancy >= high as usize };
            if crossed && self.up[channel / 2] {
                self.moved = true;
                input.stop_sent = !input.stop_sent;
                self.outputs[channel].control.push_back((now + delay, input.stop_sent));
                self.logs.flow.push((now, input.end, input.stop_sent));
            }
        }
    }
}
