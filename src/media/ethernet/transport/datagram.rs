//! Messages as frames, without recovery.
//!
//! # Scope and limitations
//! A message is cut into segments of as many bytes as the MTU leaves after the header; each is a frame of its own.
//! A host sends its messages one after the other in the order in which they were handed over, whomever they are for.
//! A segment is made when the interface asks for it, so that a message takes the same memory whatever its length.
//! Nothing is acknowledged or sent again: a message is lost if a segment finds no room in a switch, and the rest
//! of it travels on all the same. There is no cost at the hosts.
//!
//! A message has left when the last bit of its last frame is on the cable. It is delivered when its last segment has
//! arrived. It is lost as soon as a segment has been dropped and the last one has left; a host that no cable leads
//! to loses everything that is sent to it.
//!
//! # Source
//! IEEE 802.3 for the frames; EtherType 0x88B5 is IEEE 802's for local experiments. The header is ours: three bytes
//! each of the message's and the segment's number, two of the length of what follows; a longer one is filled with
//! zeros, a shorter one cut off. The bytes of a message follow from its number, see [`fill`].
//!
//! # Validation
//! `tests/media/closed_forms/datagrams.rs`: arrival instants in closed form through chains of switches; lost messages
//! equal to those that a plain recount of all dropped frames finds.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::ethernet::frame::wire_bytes_of;
use crate::ethernet::{
    Address, Counters, Endpoint, Ethernet, Frame, GAP, Observer, PREAMBLE, Parameters, Pause,
};
use crate::medium::{Event, Medium, Message};
use simnet_base::des::agenda::{Agenda, Due};
use simnet_base::ids::{HostId, Node, Port};
use simnet_base::units::{BitRate, Bytes, Duration, Time};
use simnet_network::topology::{End, Network};

use super::dcqcn::{Control, DcqcnParameters, NOTIFIES};
use super::reach::Reach;
use super::{TransportError, fill};

/// The header's bytes by default.
pub const DATAGRAM_HEADER: u32 = 8;

const ETHERTYPE: [u8; 2] = [0x88, 0xb5];
const NIL: u32 = u32::MAX;

/// What a frame carries of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    slot: u32,
    /// The message's number among all messages, modulo 2^32.
    message: u32,
    /// The segment's number in its message, modulo 2^32; both 0 and the slot [`NIL`] of a notification.
    number: u32,
}

/// An Ethernet whose hosts send messages as plain frames; `O` watches the frames.
#[derive(Debug)]
pub struct Datagram<O = ()> {
    ethernet: Ethernet<Segment>,
    hosts: Hosts,
    observer: O,
}

#[derive(Debug)]
struct Hosts {
    header: u32,
    /// Bytes of a message in a full frame.
    capacity: u32,
    reach: Reach,
    rates: Vec<Option<BitRate>>,
    /// Per host, the first and the last message that waits or is being sent.
    queues: Vec<(u32, u32)>,
    /// Rates of flows; messages are in these instead of queues.
    control: Option<Control>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    handed_over: u32,
    /// The slots of messages whose last frame is leaving, when its last bit does; by their numbers within an instant.
    leaving: Agenda<u32, u32>,
    /// Whether one of them is new: a run that is under way must not go past its instant.
    pauses: bool,
    events: VecDeque<(Time, Event)>,
    lost: Losses,
}

/// What a datagram transport has lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Messages with at least one missing segment.
    pub messages: u64,
    /// Segments that found no room in a switch on their way, or outlived their time to live.
    pub segments: u64,
}

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Slot {
    message: Message,
    number: u32,
    segments: u64,
    sent: u64,
    arrived: u64,
    dropped: u64,
    /// Whether the tree has a path to its destination.
    can_arrive: bool,
    state: State,
    /// The message behind it in its host's queue.
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not all of it has left.
    Leaving,
    /// All of it has left.
    Left,
    /// It has been reported lost or stuck; some of its segments may be under way.
    Lost,
    /// The slot waits for another message.
    Free,
}

/// Looks for what keeps datagrams with headers of `header` bytes from being sent over an Ethernet.
///
/// # Errors
/// As [`Datagram::new`].
pub fn check_datagram(
    network: &Network,
    parameters: &Parameters,
    attachments: &[Option<Port>],
    header: u32,
) -> Result<(), TransportError> {
    capacity(parameters.mtu, header)?;
    Ok(crate::ethernet::check(network, parameters, attachments)?)
}

/// The bytes of data of a frame.
fn capacity(mtu: u32, header: u32) -> Result<u32, TransportError> {
    let room = mtu.checked_sub(header).filter(|room| *room > 0);
    room.ok_or(TransportError::NoRoom { mtu, headers: header })
}

impl<O: Observer<Segment>> Datagram<O> {
    /// An idle Ethernet whose hosts use the ports `attachments` and put headers of `header` bytes on their segments.
    ///
    /// # Errors
    /// [`TransportError::Ethernet`]; [`TransportError::NoRoom`] if a header fills a frame.
    pub fn new(
        network: &Network,
        parameters: &Parameters,
        attachments: &[Option<Port>],
        header: u32,
        observer: O,
    ) -> Result<Datagram<O>, TransportError> {
        let capacity = capacity(parameters.mtu, header)?;
        let ethernet = Ethernet::new(network, parameters, attachments)?;
        let reach = Reach::new(network, (ethernet.spanning_tree(), &parameters.forwarding), attachments);
        let rate = |host| Some(parameters.rates[reach.link(host)?.index()]);
        Ok(Datagram {
            ethernet,
            hosts: Hosts {
                header,
                capacity,
                rates: network.host_ids().map(rate).collect(),
                reach,
                queues: vec![(NIL, NIL); network.hosts().len()],
                control: None,
                slots: Vec::new(),
                free: Vec::new(),
                handed_over: 0,
                leaving: Agenda::new(),
                pauses: false,
                events: VecDeque::new(),
                lost: Losses::default(),
            },
            observer,
        })
    }

    /// The same, each flow at its rate. Nothing has been handed over yet.
    #[must_use]
    pub fn with_rates(mut self, parameters: DcqcnParameters) -> Datagram<O> {
        self.hosts.control = Some(Control::new(parameters, self.hosts.queues.len()));
        self
    }

    /// Notifications of congestion that hosts have sent.
    pub fn notifications(&self) -> u64 {
        self.hosts.control.as_ref().map_or(0, |control| control.notifications)
    }

    /// Lets every switch know every host, as a cluster's do that has been up for a while: nothing is flooded. Costs
    /// O(hosts x switches), in memory too.
    pub fn introduce_all(&mut self) {
        self.ethernet.introduce_all();
    }

    /// What the Ethernet has counted.
    pub fn counters(&self) -> Cow<'_, Counters> {
        self.ethernet.counters()
    }

    /// What has been lost.
    pub fn losses(&self) -> Losses {
        self.hosts.lost
    }

    /// The Ethernet below.
    pub fn ethernet(&self) -> &Ethernet<Segment> {
        &self.ethernet
    }

    /// Gives the observer back.
    pub fn into_observer(self) -> O {
        self.observer
    }
}

impl<O: Observer<Segment>> Medium for Datagram<O> {
    fn send(&mut self, message: Message, now: Time) {
        if self.hosts.take_over(message, now) {
            if self.hosts.control.is_none() {
                self.ethernet.wake(message.source, now);
            }
        } else {
            self.hosts.lost.messages += 1;
            self.hosts.events.push_back((now, Event::Lost(message.tag)));
        }
    }

    fn advance(&mut self, until: Option<Time>) -> Option<(Time, Event)> {
        loop {
            if let Some(event) = self.hosts.events.pop_front() {
                return Some(event);
            }
            if let Some(control) = &mut self.hosts.control {
                control.wakes.drain(..).for_each(|(host, at)| self.ethernet.wake(host, at));
            }
            let leaves = self.hosts.leaving.next();
            let limit = [until, leaves].into_iter().flatten().min();
            let pause = self.ethernet.run_until(limit, &mut self.hosts, &mut self.observer);
            match (pause, leaves) {
                (Pause::Break, _) => {}
                (_, Some(at)) if limit == leaves => self.hosts.let_leave(at),
                (Pause::Idle, None) => {
                    self.hosts.give_up(self.ethernet.now(), self.ethernet.is_held_up());
                    if self.hosts.events.is_empty() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }

    fn occupies(&self, source: HostId, bytes: u64) -> Duration {
        let Hosts { capacity, header, .. } = self.hosts;
        self.ethernet.time_for(source, wire_bytes_of(bytes, capacity, header))
    }
}

impl Hosts {
    /// Puts a message at the end of its host's queue. `false` if that host has no cable.
    fn take_over(&mut self, message: Message, now: Time) -> bool {
        let (source, destination) = (message.source, message.destination);
        if self.reach.link(source).is_none() {
            return false;
        }
        let number = self.handed_over;
        self.handed_over = number.wrapping_add(1);
        let can_arrive = source != destination && self.reach.connects(source, destination);
        let slot = Slot {
            message,
            number,
            segments: message.bytes.max(1).div_ceil(u64::from(self.capacity)),
            sent: 0,
            arrived: 0,
            dropped: 0,
            can_arrive,
            state: State::Leaving,
            next: NIL,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = slot;
                id
            }
            None => {
                self.slots.push(slot);
                u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 messages are under way")
            }
        };
        if let Some(control) = &mut self.control {
            let line = self.rates[source.index()].expect("a host with a cable has its rate");
            control.push(&message, id, line, now);
            return true;
        }
        let (first, last) = &mut self.queues[source.index()];
        if *last == NIL {
            *first = id;
        } else {
            self.slots[*last as usize].next = id;
        }
        *last = id;
        true
    }

    /// Reports the messages whose last bits have left by `now`.
    fn let_leave(&mut self, now: Time) {
        while let Some(Due { at, event: id, .. }) = self.leaving.pop_due(Some(now)) {
            let slot = &mut self.slots[id as usize];
            slot.state = State::Left;
            let (tag, is_lost) = (slot.message.tag, slot.dropped > 0 || !slot.can_arrive);
            self.events.push_back((at, Event::Left(tag)));
            if is_lost {
                self.lose(id, at);
            }
        }
    }

    /// Reports the loss of a message that has left.
    fn lose(&mut self, id: u32, now: Time) {
        let slot = &mut self.slots[id as usize];
        slot.state = State::Lost;
        self.lost.messages += 1;
        self.events.push_back((now, Event::Lost(slot.message.tag)));
        self.release_if_over(id);
    }

    /// Frees the slot of a message whose end has been reported and has no segment under way.
    fn release_if_over(&mut self, id: u32) {
        let slot = &mut self.slots[id as usize];
        if !slot.can_arrive || slot.arrived + slot.dropped == slot.segments {
            slot.state = State::Free;
            self.free.push(id);
        }
    }

    /// Nothing moves any more: what has not arrived never will. Where frames `wait`, it is stuck with them, in a
    /// deadlock of pauses; otherwise its frames have vanished unheard of, as one does that a switch would send back
    /// where it came from, or that would arrive when time is over. Costs O(slots).
    fn give_up(&mut self, now: Time, wait: bool) {
        for id in 0..u32::try_from(self.slots.len()).expect("slots have ids of 32 bits") {
            let slot = &mut self.slots[id as usize];
            if slot.state != State::Left {
                continue;
            }
            slot.can_arrive = false;
            if wait {
                slot.state = State::Lost;
                self.events.push_back((now, Event::Stuck(slot.message.tag)));
            } else {
                self.lose(id, now);
            }
        }
    }

    /// The message of a segment, unless that has been lost and forgotten.
    fn slot(&mut self, segment: Segment) -> Option<&mut Slot> {
        let slot = &mut self.slots[segment.slot as usize];
        (slot.number == segment.message && slot.state != State::Free).then_some(slot)
    }
}

impl Endpoint<Segment> for Hosts {
    fn next_frame(&mut self, host: HostId, now: Time) -> Option<Frame<Segment>> {
        let id = match &mut self.control {
            None => self.queues[host.index()].0,
            Some(control) => match control.notify(host, now) {
                Some(to) => {
                    self.pauses = true;
                    return Some(notification(host, to, self.header));
                }
                None => control.front(host, now)?,
            },
        };
        let slot = self.slots.get_mut(id as usize)?;
        let number = slot.sent;
        slot.sent += 1;
        let is_last = slot.sent == slot.segments;
        let data = if is_last { slot.last_bytes(self.capacity) } else { self.capacity };
        #[expect(clippy::cast_possible_truncation, reason = "modulo 2^32, as documented")]
        let content = Segment { slot: id, message: slot.number, number: number as u32 };
        let destination = Address::Host(slot.message.destination);
        let frame = Frame { source: host, destination, payload: self.header + data, content };
        if let Some(control) = &mut self.control {
            let bytes = u64::from(PREAMBLE + frame.length() + GAP);
            control.sends(host, slot.message.destination, bytes, is_last, now);
            self.pauses = true;
        }
        if is_last {
            let (first, last) = &mut self.queues[host.index()];
            if self.control.is_none() {
                *first = slot.next;
                if *first == NIL {
                    *last = NIL;
                }
            }
            let rate = self.rates[host.index()].expect("a host with a cable has its rate");
            let leaves = now + rate.time_for(Bytes(u64::from(PREAMBLE + frame.length())));
            self.leaving.schedule_in(leaves, content.message, id);
            self.pauses = true;
        }
        Some(frame)
    }

    fn may_have_more(&self, host: HostId) -> bool {
        self.queues[host.index()].0 != NIL
    }

    /// All of a message but its last frame, with which it leaves. Where flows have rates, frames do not follow at once.
    fn following(&mut self, host: HostId, most: u32) -> u32 {
        let id = self.queues[host.index()].0;
        let Some(slot) = self.slots.get_mut(id as usize).filter(|_| self.control.is_none()) else { return 0 };
        // The frame before may have been the last one of another message.
        if slot.sent == 0 {
            return 0;
        }
        let more = u32::try_from(slot.segments - 1 - slot.sent).map_or(most, |more| more.min(most));
        slot.sent += u64::from(more);
        more
    }

    fn nth(&self, frame: &Frame<Segment>, nth: u32) -> Frame<Segment> {
        let number = frame.content.number.wrapping_add(nth);
        Frame { content: Segment { number, ..frame.content }, ..*frame }
    }

    fn pauses(&mut self) -> ControlFlow<()> {
        if std::mem::take(&mut self.pauses) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn priority(&self, host: HostId) -> Option<u8> {
        self.control.as_ref()?.notifies(host).then_some(NOTIFIES)
    }

    fn received_marked(&mut self, host: HostId, frame: &Frame<Segment>, now: Time) -> ControlFlow<()> {
        let heard = self.received(host, frame, now);
        match &mut self.control {
            Some(control) if frame.content.slot != NIL => {
                control.congested(host, frame.source, now);
                if control.wakes.is_empty() { heard } else { ControlFlow::Break(()) }
            }
            _ => heard,
        }
    }

    fn received(&mut self, host: HostId, frame: &Frame<Segment>, now: Time) -> ControlFlow<()> {
        self.received_train(host, frame, 1, now)
    }

    fn received_train(
        &mut self,
        host: HostId,
        frame: &Frame<Segment>,
        count: u32,
        now: Time,
    ) -> ControlFlow<()> {
        if frame.content.slot == NIL {
            if let Some(control) = &mut self.control {
                control.notified(host, frame.source, now);
            }
            return ControlFlow::Continue(());
        }
        let Some(slot) = self.slot(frame.content) else { return ControlFlow::Continue(()) };
        slot.arrived += u64::from(count);
        if slot.arrived + slot.dropped < slot.segments {
            return ControlFlow::Continue(());
        }
        // Its last bit may be leaving at this very instant.
        self.let_leave(now);
        if let Some(slot) = self.slot(frame.content) {
            if slot.dropped == 0 {
                let tag = slot.message.tag;
                self.events.push_back((now, Event::Delivered(tag)));
            }
            self.release_if_over(frame.content.slot);
        }
        ControlFlow::Break(())
    }

    fn dropped(&mut self, port: End, frame: &Frame<Segment>, now: Time) -> ControlFlow<()> {
        let Address::Host(destination) = frame.destination else { return ControlFlow::Continue(()) };
        // At its own host's port there is the one copy.
        if matches!(port.node, Node::Switch(_)) && !self.reach.leads(port, destination) {
            return ControlFlow::Continue(());
        }
        if frame.content.slot == NIL {
            return ControlFlow::Continue(());
        }
        self.lost.segments += 1;
        let Some(slot) = self.slot(frame.content) else { return ControlFlow::Continue(()) };
        slot.dropped += 1;
        match slot.state {
            State::Left => {
                self.lose(frame.content.slot, now);
                ControlFlow::Break(())
            }
            State::Lost => {
                self.release_if_over(frame.content.slot);
                ControlFlow::Continue(())
            }
            State::Leaving | State::Free => ControlFlow::Continue(()),
        }
    }

    fn starved(&mut self, port: End, frame: &Frame<Segment>, now: Time) -> ControlFlow<()> {
        self.dropped(port, frame, now)
    }

    fn expired(&mut self, port: End, frame: &Frame<Segment>, now: Time) -> ControlFlow<()> {
        self.dropped(port, frame, now)
    }

    fn write(&self, frame: &Frame<Segment>, bytes: &mut Vec<u8>) {
        let Segment { message, number, .. } = frame.content;
        bytes.extend(frame.destination.bytes());
        bytes.extend(Address::Host(frame.source).bytes());
        bytes.extend(ETHERTYPE);
        let begin = bytes.len();
        let data = frame.payload - self.header;
        let [_, message_bytes @ ..] = message.to_be_bytes();
        let [_, number_bytes @ ..] = number.to_be_bytes();
        let [_, _, length @ ..] = data.to_be_bytes();
        bytes.extend(message_bytes);
        bytes.extend(number_bytes);
        bytes.extend(length);
        bytes.resize(begin + self.header as usize, 0);
        let from = bytes.len();
        bytes.resize(from + data as usize, 0);
        fill(u64::from(message), u64::from(number) * u64::from(self.capacity), &mut bytes[from..]);
    }
}

/// A notification of congestion for a sender: a header alone, of no message.
fn notification(source: HostId, destination: HostId, header: u32) -> Frame<Segment> {
    let content = Segment { slot: NIL, message: 0, number: 0 };
    Frame { source, destination: Address::Host(destination), payload: header, content }
}

impl Slot {
    /// Bytes of the message in its last segment.
    fn last_bytes(&self, capacity: u32) -> u32 {
        let before = (self.segments - 1) * u64::from(capacity);
        u32::try_from(self.message.bytes.max(1) - before).expect("at most one segment")
    }
}
