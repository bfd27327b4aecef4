//! Datagrams whose flows keep to rates: DCQCN, the congestion control of RoCE.
//!
//! ```text
//!   sender: a flow a receiver, each at its rate ==frames==> output: marked above kmin ==> receiver: at most a
//!           ^                                                                             notification in N us
//!           +------------------------- notification (CNP), 64 B, priority 6 --------------------+
//! ```
//!
//! # Scope and limitations
//! All else is as with datagrams. The messages of a host to another are a flow, each sent after the one before; of the
//! flows that may send a host's interface takes the one that might for longest. After a frame, a flow waits for as long
//! as that frame, with preamble and gap, takes at the rate that the flow has as the frame begins. A receiver of a
//! marked frame has a notification for its sender unless the flow had one less than `notification_interval` ago; it
//! goes before all data of that host, with a priority of its own where there are several. A notification that is lost
//! is not sent again.
//!
//! # Source
//! Zhu et al. 2015, see `dcqcn/rate.rs`; priority 6 for notifications is what vendors ship, as from memory. Departures:
//! frames are those of datagrams and not of RoCEv2; a rate that changes does so from the next frame on.
//!
//! # Validation
//! `tests/media/closed_forms/dcqcn.rs`.

mod rate;

use std::collections::{BTreeMap, VecDeque};

use simnet_base::ids::HostId;
use simnet_base::units::{BitRate, Time};

use crate::medium::Message;
use rate::Rate;

pub use rate::DcqcnParameters;

/// The priority of notifications.
pub(super) const NOTIFIES: u8 = 6;

/// The rates of all flows.
#[derive(Clone, Debug)]
pub(super) struct Control {
    parameters: DcqcnParameters,
    hosts: Vec<Sender>,
    /// Hosts that are to be asked, and from when on.
    pub(super) wakes: Vec<(HostId, Time)>,
    /// Notifications sent.
    pub(super) notifications: u64,
}

/// What a host sends, and what it has seen.
#[derive(Clone, Debug, Default)]
struct Sender {
    flows: BTreeMap<HostId, Flow>,
    /// Whom it notifies next.
    notifies: VecDeque<HostId>,
    /// When each sender was last notified, in picoseconds.
    notified: BTreeMap<HostId, u64>,
}

/// What a host has for another.
#[derive(Clone, Debug)]
struct Flow {
    rate: Rate,
    /// From when on it may send, in picoseconds.
    next: u64,
    /// The messages that wait or are being sent, by slot.
    messages: VecDeque<u32>,
}

impl Control {
    pub(super) fn new(parameters: DcqcnParameters, hosts: usize) -> Control {
        Control { parameters, hosts: vec![Sender::default(); hosts], wakes: Vec::new(), notifications: 0 }
    }

    /// Puts a message of a slot at the end of its flow, on a cable of this rate.
    pub(super) fn push(&mut self, message: &Message, slot: u32, line: BitRate, now: Time) {
        let new = || Flow { rate: Rate::new(line), next: 0, messages: VecDeque::new() };
        let flows = &mut self.hosts[message.source.index()].flows;
        flows.entry(message.destination).or_insert_with(new).messages.push_back(slot);
        self.wake(message.source, now.as_ps());
    }

    /// A host is to be asked when it has something to send: not before `now`.
    fn wake(&mut self, host: HostId, now: u64) {
        let sender = &self.hosts[host.index()];
        let flows = sender.flows.values().filter(|flow| !flow.messages.is_empty());
        let first = if sender.notifies.is_empty() { flows.map(|flow| flow.next).min() } else { Some(now) };
        if let Some(first) = first {
            self.wakes.push((host, Time::from_ps(first.max(now))));
        }
    }

    /// Whether a host has a notification to send.
    pub(super) fn notifies(&self, host: HostId) -> bool {
        !self.hosts[host.index()].notifies.is_empty()
    }

    /// Takes the next notification of a host.
    pub(super) fn notify(&mut self, host: HostId, now: Time) -> Option<HostId> {
        let to = self.hosts[host.index()].notifies.pop_front()?;
        self.notifications += 1;
        self.wake(host, now.as_ps());
        Some(to)
    }

    /// The message of which a host may send a frame at `now`. Costs O(flows of the host).
    pub(super) fn front(&self, host: HostId, now: Time) -> Option<u32> {
        let flows = self.hosts[host.index()].flows.iter();
        let ready = flows.filter(|(_, flow)| !flow.messages.is_empty() && flow.next <= now.as_ps());
        let (_, flow) = ready.min_by_key(|(to, flow)| (flow.next, **to))?;
        flow.messages.front().copied()
    }

    /// A frame of a flow that takes so many bytes of the cable's time begins at `now`, its message's last one or not.
    pub(super) fn sends(
        &mut self,
        source: HostId,
        destination: HostId,
        bytes: u64,
        is_last: bool,
        now: Time,
    ) {
        let parameters = self.parameters;
        let flows = &mut self.hosts[source.index()].flows;
        let flow = flows.get_mut(&destination).expect("what is sent is of a flow");
        flow.rate.sends(now.as_ps(), bytes, &parameters);
        flow.next = now.as_ps().saturating_add(flow.rate.time(bytes));
        if is_last {
            flow.messages.pop_front();
        }
        self.wake(source, now.as_ps());
    }

    /// A marked frame from `source` has arrived at a host.
    pub(super) fn congested(&mut self, host: HostId, source: HostId, now: Time) {
        let interval = self.parameters.notification_interval.as_ps();
        let receiver = &mut self.hosts[host.index()];
        let last = receiver.notified.get(&source);
        if last.is_some_and(|last| now.as_ps() - last < interval) {
            return;
        }
        receiver.notified.insert(source, now.as_ps());
        receiver.notifies.push_back(source);
        self.wake(host, now.as_ps());
    }

    /// A notification from `from` has arrived at a host: what it sends there is slowed down.
    pub(super) fn notified(&mut self, host: HostId, from: HostId, now: Time) {
        let parameters = self.parameters;
        if let Some(flow) = self.hosts[host.index()].flows.get_mut(&from) {
            flow.rate.notified(now.as_ps(), &parameters);
        }
    }
}
