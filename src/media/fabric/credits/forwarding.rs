//! What switches do with packets: queues, requests, arbitration, grants, and what is destroyed.
//!
//! All cycles of a packet in a switch are known at its grant, since its bytes are sent evenly and nothing stops them:
//!
//! ```text
//!   head_in          ready                    from           from + (bytes - 1) period
//!   |--decoding-->|..|--waits for its output-->|--------leaves-------->|
//!   |-----------arrives------------>| tail_in                          free = the cycle after: the next is in front
//!                                                                      |--delay--> its credit is back upstream
//! ```
//! One event a packet and switch (`Ready`), if nothing is in its way; where no other of the same cycle asks for its
//! output the packet is passed on at once, and else when all of the cycle are ready (P4). An output that cannot send is
//! tried again when it is free or credit comes back; that is known when what it waits for is granted.

use super::engine::{Engine, Event, GRANTS, OVER, READY, TAILS};
use super::messages::Packet;
use super::records::Leaving;
use crate::fabric::endpoint::{Cause, Observer};
use crate::fabric::ports::{NEVER, NONE};
use simnet_base::units::Cycle;

const _: () = assert!(READY < GRANTS && GRANTS < OVER, "an output is arbitrated after packets are ready");

impl Engine {
    /// The lane of an output, among the records of lanes.
    #[inline]
    pub(super) fn lane_of(&self, out: u32, lane: u8) -> usize {
        out as usize * usize::from(self.parameters.lanes) + usize::from(lane)
    }

    /// Puts a packet that is on its way to the queue behind the others there.
    #[inline(always)]
    fn enqueue(&mut self, queue: u32, packet: u32) {
        let entry = &mut self.queues[queue as usize];
        let back = std::mem::replace(&mut entry.back, packet);
        if entry.front == NONE {
            entry.front = packet;
            self.plan_front(queue);
        } else {
            self.records.packets[back as usize].next = packet;
        }
    }

    /// A packet is in front of the queue, or will be once the one before it has left: finds what it will ask for, and
    /// when.
    #[inline(always)]
    fn plan_front(&mut self, queue: u32) {
        let entry = &mut self.queues[queue as usize];
        debug_assert!(!entry.waits, "one packet after the other is in front");
        let packet = &self.records.packets[entry.front as usize];
        let message = &self.records.messages[packet.message as usize];
        let (base, ports) = (entry.base, entry.ports);
        let mut ready = (packet.head_in + self.routing_latency).max(entry.free);
        (entry.out, entry.fault) = (NONE, None);
        let input = entry.port - base;
        // A sum below 0 wraps to a number beyond all ports.
        match self.records.turn(message, packet.hop).map(|turn| input.wrapping_add_signed(turn)) {
            None => entry.fault = Some(Cause::Stranded),
            Some(local) if local >= ports => entry.fault = Some(Cause::IllegalTurn),
            Some(local) => {
                let output = &self.outs[(base + local) as usize];
                if output.peer == NONE {
                    entry.fault = Some(Cause::NoSuchWire);
                } else {
                    entry.out = base + local;
                    entry.out_lane = match &self.parameters.service_lanes {
                        None => message.service_level,
                        Some(tables) => {
                            let switch = self.switch_of[entry.port as usize] as usize;
                            let way = (input * ports + local) as usize;
                            tables.switches[switch][way][usize::from(message.service_level)]
                        }
                    };
                    entry.out_number = entry.out * self.lane_count + u32::from(entry.out_lane);
                    // No byte may be missing: the last one, which comes in at the pace of its cable, is in time.
                    if entry.period > output.period {
                        let late = u64::from(packet.bytes - 1) * u64::from(entry.period - output.period);
                        ready = ready.max(packet.head_in + late);
                    }
                }
            }
        }
        entry.ready = ready;
        entry.due = until(ready, self.parameters.head_of_line_limit)
            .min(until(packet.head_in, self.parameters.lifetime_limit))
            .min(message.expires);
        self.calendar.schedule(ready, READY, Event::Ready { queue });
    }

    /// The same, where a packet has waited behind another one.
    #[inline(never)]
    fn plan_next(&mut self, queue: u32) {
        self.plan_front(queue);
    }

    /// P2: the front packet is decoded, and its bytes are in time.
    pub(super) fn ready<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        let entry = &mut self.queues[queue as usize];
        debug_assert!(
            entry.ready == t && !entry.waits && entry.front != NONE,
            "a front packet is ready once"
        );
        entry.decoded += 1;
        let (packet, out, fault, due) = (entry.front, entry.out, entry.fault, entry.due);
        if self.records.packets[packet as usize].spoilt {
            return self.destroy::<O>(queue, t);
        }
        let fault = if due <= t { self.overdue(queue, t) } else { None }.or(fault);
        let fault = fault.or_else(|| self.outs[out as usize].dead.then_some(Cause::NoSuchWire));
        if let Some(cause) = fault {
            return self.turn_away(queue, cause, t, observer);
        }
        self.request(queue, t);
        self.list(out);
        if due != NEVER {
            self.limited.push(queue);
        }
        if O::WATCHES {
            self.reports.watched.push(queue);
        }
    }

    /// The front packet begins to wait for its output. While it is the only one, as most are, that needs no request.
    #[inline]
    fn request(&mut self, queue: u32, t: u64) {
        let entry = &mut self.queues[queue as usize];
        entry.waits = true;
        let output = &mut self.outs[entry.out as usize];
        output.lanes_waiting |= 1 << entry.out_lane;
        output.waiting += 1;
        if output.waiting == 1 {
            (output.since, output.lone) = (output.since.min(t), queue);
            return;
        }
        let lone = std::mem::replace(&mut output.lone, NONE);
        if lone != NONE {
            self.mark(lone);
        }
        self.mark(queue);
    }

    /// Notes the request of a queue that is one of several that wait for its output.
    fn mark(&mut self, queue: u32) {
        let entry = &self.queues[queue as usize];
        let output = &self.outs[entry.out as usize];
        let word = output.requests + u32::from(entry.out_lane) * output.words + entry.place / 64;
        self.requests[word as usize] |= 1 << (entry.place % 64);
    }

    /// The front packet waits no more.
    #[inline]
    pub(super) fn withdraw(&mut self, queue: u32, t: u64) {
        let entry = &mut self.queues[queue as usize];
        debug_assert!(entry.waits, "what is withdrawn was requested");
        entry.waits = false;
        let output = &mut self.outs[entry.out as usize];
        output.waiting -= 1;
        if output.lone == NONE {
            let first = (output.requests + u32::from(entry.out_lane) * output.words) as usize;
            let words = &mut self.requests[first..first + output.words as usize];
            words[entry.place as usize / 64] &= !(1 << (entry.place % 64));
            if words.iter().all(|word| *word == 0) {
                output.lanes_waiting &= !(1 << entry.out_lane);
            }
        } else {
            debug_assert!(output.lone == queue && output.waiting == 0, "who is alone waits");
            (output.lone, output.lanes_waiting) = (NONE, 0);
        }
        if output.waiting == 0 && output.urgent == 0 {
            output.used.blocked += t - output.since;
            output.since = NEVER;
        }
    }

    /// P4: an idle output takes a packet of those that wait, if there is credit for one. Costs O(those that wait), one
    /// of them where all packets fit the credits.
    pub(super) fn arbitrate<O: Observer>(&mut self, out: u32, t: u64, observer: &mut O) {
        let output = &self.outs[out as usize];
        if output.waiting == 0 {
            return;
        }
        debug_assert!(!output.dead, "nothing waits for a failed cable");
        if output.free > t {
            let free = output.free;
            return self.wake_output(out, free);
        }
        if output.lone != NONE {
            return self.arbitrate_lone(output.lone, t, observer);
        }
        let lanes = output.lanes_waiting;
        let mut candidates = [NONE; 16];
        let (mut eligible, mut soonest) = (0u16, NEVER);
        let mut left = lanes;
        while left != 0 {
            #[expect(clippy::cast_possible_truncation, reason = "a lane's number is below 16")]
            let lane = left.trailing_zeros() as u8;
            left &= left - 1;
            let number = self.lane_of(out, lane);
            let credit = &mut self.lanes[number];
            let fits_all = credit.has(self.parameters.mtu, t, self.parameters.buffer);
            let credits = if fits_all { u32::MAX } else { credit.credits };
            let queue = self.candidate(out, lane, credits);
            if queue == NONE {
                soonest = self.lanes[number].next_return().map_or(soonest, |at| soonest.min(at));
            } else {
                eligible |= 1 << lane;
                candidates[usize::from(lane)] = queue;
            }
        }
        if eligible == 0 {
            if soonest != NEVER {
                self.wake_output(out, soonest);
            }
            return;
        }
        let queue = self.choose(out, eligible, &candidates);
        self.grant(queue, t, observer);
        let output = &self.outs[out as usize];
        if output.waiting > 0 {
            let free = output.free;
            self.wake_output(out, free);
        }
    }

    /// P4: an idle output takes the packet of the only queue that waits for it, if there is credit. As
    /// [`arbitrate`](Self::arbitrate) does, which looks at all requests.
    #[inline]
    fn arbitrate_lone<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        let entry = &self.queues[queue as usize];
        let (out, lane, packet) = (entry.out, entry.out_lane, entry.front);
        let bytes = self.records.packets[packet as usize].bytes;
        let number = self.lane_of(out, lane);
        let output = &mut self.outs[out as usize];
        let credit = &mut self.lanes[number];
        if !credit.has(bytes, t, self.parameters.buffer) {
            return credit.next_return().into_iter().for_each(|at| self.wake_output(out, at));
        }
        if self.parameters.lanes > 1 {
            let choice = output.turns.choose(&self.parameters.arbitration, 1 << lane);
            output.turns.sent(choice, bytes);
        }
        self.grant(queue, t, observer);
    }

    /// The first queue, round robin, that waits for a lane of an output with a packet of at most `credits` bytes.
    #[inline]
    fn candidate(&self, out: u32, lane: u8, credits: u32) -> u32 {
        let output = &self.outs[out as usize];
        let pointer = self.lanes[self.lane_of(out, lane)].pointer;
        let first = (output.requests + u32::from(lane) * output.words) as usize;
        let words = &self.requests[first..first + output.words as usize];
        let fits = |queue: u32| {
            let front = self.queues[queue as usize].front;
            credits == u32::MAX || self.records.packets[front as usize].bytes <= credits
        };
        let start = pointer as usize / 64;
        // Once round, and the first word again for what lies before the pointer.
        for step in 0..=words.len() {
            let index = (start + step) % words.len();
            let mut word = words[index];
            if step == 0 {
                word &= u64::MAX << (pointer % 64);
            } else if step == words.len() {
                word &= !(u64::MAX << (pointer % 64));
            }
            while word != 0 {
                let place = u32::try_from(index * 64).expect("a switch's queues") + word.trailing_zeros();
                let queue = output.first_queue + place;
                if fits(queue) {
                    return queue;
                }
                word &= word - 1;
            }
        }
        NONE
    }

    /// The queue of the lane that the tables choose among those that are eligible, and notes the choice.
    #[inline]
    fn choose(&mut self, out: u32, eligible: u16, candidates: &[u32; 16]) -> u32 {
        if self.parameters.lanes == 1 {
            return candidates[0];
        }
        let tables = &self.parameters.arbitration;
        let output = &mut self.outs[out as usize];
        let choice = output.turns.choose(tables, eligible);
        let queue = candidates[usize::from(choice.lane)];
        let packet = self.queues[queue as usize].front;
        output.turns.sent(choice, self.records.packets[packet as usize].bytes);
        queue
    }

    /// Passes on the front packet of the queue in the cycle in which it is ready, if nothing is in its way; whether it
    /// did. Exact where no other packet that becomes ready in this cycle asks for the same output: it is granted
    /// without a request, which [`ready`](Self::ready) and [`arbitrate_lone`](Self::arbitrate_lone) would make and take
    /// back at once, as they do when events are shuffled.
    #[inline(always)]
    pub(super) fn pass<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) -> bool {
        let entry = &mut self.queues[queue as usize];
        // What has a fault asks for none.
        let Some(output) = self.outs.get_mut(entry.out as usize) else { return false };
        let packet = &self.records.packets[entry.front as usize];
        if !output.is_free_for_all(t) || packet.spoilt || entry.due <= t {
            return false;
        }
        let bytes = packet.bytes;
        if !self.lanes[entry.out_number as usize].has(bytes, t, self.parameters.buffer) {
            return false;
        }
        if self.parameters.lanes > 1 {
            let choice = output.turns.choose(&self.parameters.arbitration, 1 << entry.out_lane);
            output.turns.sent(choice, bytes);
        }
        entry.decoded += 1;
        self.leave(queue, t, observer);
        true
    }

    /// P4: the front packet of the queue is granted the output that it waits for, and leaves from now on.
    fn grant<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        self.withdraw(queue, t);
        self.leave(queue, t, observer);
    }

    /// The front packet of the queue, which waits no more, leaves from now on for the output that it asked for.
    #[inline(always)]
    fn leave<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        if O::WATCHES {
            self.report_grant(queue, t, observer);
        }
        let entry = &mut self.queues[queue as usize];
        let packet = entry.front;
        let record = &mut self.records.packets[packet as usize];
        let output = &mut self.outs[entry.out as usize];
        let lane = &mut self.lanes[entry.out_number as usize];
        let (bytes, head_in, tail_in) = (record.bytes, record.head_in, record.tail_in);
        entry.leaving = Leaving { packet, bytes, period: output.period, head_in, tail_in, from: t };
        entry.front = std::mem::replace(&mut record.next, NONE);
        record.hop += 1;
        let last = output.begin(record, t);
        debug_assert!(last >= tail_in, "the last byte has come when it is to leave");
        entry.free = last + 1;
        lane.pointer = entry.place + 1;
        lane.take(bytes);
        let (to, tail, has_next) = (lane.queue, record.tail_in, entry.front != NONE);
        let (back, at) = (entry.back_to(), last + u64::from(entry.delay));
        self.give_back(back, bytes, at);
        if has_next {
            self.plan_next(queue);
        }
        self.arrive(to, packet, tail);
        if O::WATCHES {
            self.report_sent(packet);
        }
    }

    /// The front packet of the queue, which goes no further, is gone at the end of cycle `last`: gives its room back,
    /// and sees to the next.
    fn take_from_queue(&mut self, queue: u32, last: u64) {
        let entry = &mut self.queues[queue as usize];
        let record = &mut self.records.packets[entry.front as usize];
        let bytes = record.bytes;
        entry.front = std::mem::replace(&mut record.next, NONE);
        entry.free = last + 1;
        let (back, at, has_next) = (entry.back_to(), last + u64::from(entry.delay), entry.front != NONE);
        self.give_back(back, bytes, at);
        if has_next {
            self.plan_next(queue);
        }
    }

    /// Credits are back at an output in cycle `at`: the output, the lane and its place among the records of lanes.
    #[inline(always)]
    fn give_back(&mut self, (out, lane, number): (u32, u8, u32), bytes: u32, at: u64) {
        self.lanes[number as usize].give_back(bytes, at, self.now, self.parameters.buffer);
        let output = &self.outs[out as usize];
        if output.lanes_waiting & 1 << lane != 0 {
            let at = at.max(output.free);
            self.wake_output(out, at);
        }
    }

    /// Sends a packet from cycle `t` on over an idle output, for which there are credits; `number` is its lane there
    /// among the records of lanes.
    #[inline]
    pub(super) fn send(&mut self, out: u32, number: u32, packet: u32, t: u64) {
        let record = &mut self.records.packets[packet as usize];
        self.outs[out as usize].begin(record, t);
        let lane = &mut self.lanes[number as usize];
        lane.take(record.bytes);
        let (to, tail) = (lane.queue, record.tail_in);
        self.arrive(to, packet, tail);
    }

    /// A packet is on its way to a queue of a switch, or to a host, which its tail reaches in cycle `tail`.
    #[inline(always)]
    fn arrive(&mut self, queue: u32, packet: u32, tail: u64) {
        if queue == NONE {
            self.calendar.schedule(tail, TAILS, Event::Deliver { packet });
        } else {
            self.enqueue(queue, packet);
        }
    }

    /// The front packet goes nowhere, for a cause that strikes in `t`.
    pub(super) fn turn_away<O: Observer>(&mut self, queue: u32, cause: Cause, t: u64, observer: &mut O) {
        let packet = self.queues[queue as usize].front;
        let message = self.records.packets[packet as usize].message;
        self.records.strike(message, cause, t);
        if O::WATCHES && cause == Cause::Reset {
            let output = self.queues[queue as usize].out;
            let end = if output == NONE { self.queues[queue as usize].port } else { output };
            observer.reset(Cycle(t), self.wiring.end(end), self.identity(packet));
        }
        self.destroy::<O>(queue, t);
    }

    /// The front packet is destroyed where it is, once its tail is there.
    pub(super) fn destroy<O: Observer>(&mut self, queue: u32, t: u64) {
        if self.queues[queue as usize].waits {
            self.deadlock_hit(queue);
            self.withdraw(queue, t);
        }
        let entry = &mut self.queues[queue as usize];
        let packet = entry.front;
        let record = &self.records.packets[packet as usize];
        let last = record.tail_in.max(t);
        entry.leaving = Leaving {
            packet,
            bytes: record.bytes,
            period: 0,
            head_in: record.head_in,
            tail_in: record.tail_in,
            from: last,
        };
        if O::WATCHES {
            let port = entry.port;
            self.reports.flow_from(port, t);
            self.reports.flow_from(port, last + 1);
        }
        self.take_from_queue(queue, last);
        self.calendar.schedule(last, OVER, Event::Destroyed { packet });
    }

    /// P5: all of a destroyed packet is gone.
    pub(super) fn end_packet(&mut self, packet: u32) {
        let message = self.records.packets[packet as usize].message;
        self.records.remove_packet(packet);
        self.end_pieces(message, 1, None);
    }

    /// P1: the tail of a packet reaches its host.
    pub(super) fn deliver(&mut self, packet: u32) {
        let Packet { message, head_in, tail_in, port, hop, .. } = self.records.packets[packet as usize];
        self.records.remove_packet(packet);
        let record = &mut self.records.messages[message as usize];
        record.head_at = record.head_at.min(head_in);
        if hop < record.turns {
            self.records.strike(message, Cause::HostTooSoon, head_in);
        }
        self.end_pieces(message, 1, Some((tail_in, port)));
    }

    /// The first cycles in which the front packet is destroyed by a limit of the switch, and by its time to live.
    fn limits(&self, queue: u32) -> (u64, u64) {
        let entry = &self.queues[queue as usize];
        let packet = &self.records.packets[entry.front as usize];
        let waited = until(entry.ready, self.parameters.head_of_line_limit);
        let lived = until(packet.head_in, self.parameters.lifetime_limit);
        (waited.min(lived), self.records.messages[packet.message as usize].expires)
    }

    /// Which limit the front packet has reached in cycle `t`, if any.
    #[cold]
    fn overdue(&self, queue: u32, t: u64) -> Option<Cause> {
        let (reset, expires) = self.limits(queue);
        if reset <= t {
            Some(Cause::Reset)
        } else if expires <= t {
            Some(Cause::Expired)
        } else {
            None
        }
    }

    /// P2: the limits of the front packet are looked at.
    pub(super) fn alarm<O: Observer>(&mut self, queue: u32, t: u64, observer: &mut O) {
        let entry = &mut self.queues[queue as usize];
        if entry.alarm != t {
            return;
        }
        entry.alarm = NEVER;
        if !entry.waits {
            return;
        }
        match self.overdue(queue, t) {
            Some(cause) => self.turn_away(queue, cause, t, observer),
            None => self.set_alarm(queue),
        }
    }

    /// The packets that have become ready in this cycle and wait on have their limits looked at when they are due.
    pub(super) fn set_alarms(&mut self) {
        while let Some(queue) = self.limited.pop() {
            if self.queues[queue as usize].waits {
                self.set_alarm(queue);
            }
        }
    }

    fn set_alarm(&mut self, queue: u32) {
        let entry = &mut self.queues[queue as usize];
        let due = entry.due;
        // An earlier one sets the next when it comes.
        if due < entry.alarm {
            entry.alarm = due;
            self.calendar.schedule(due, READY, Event::Alarm { queue });
        }
    }
}

/// When a limit from a cycle on is over.
#[inline(always)]
fn until(from: u64, limit: Option<u64>) -> u64 {
    limit.map_or(NEVER, |limit| from.saturating_add(limit))
}
