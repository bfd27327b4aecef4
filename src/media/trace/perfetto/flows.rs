//! Which worm carries which message of a process, so that one flow joins a question, its worm, the answer and the
//! answer's worm.
//!
//! The log does not say which worm a message became: it is the first that its host starts with so many turns and other
//! flits. Where two messages of a host are that alike, flows may change places.

use std::collections::{BTreeMap, VecDeque};

use crate::trace::Message;
use simnet_base::ids::HostId;

/// Messages of a host that have not started yet: more are forgotten, so that a log without starts costs no memory.
const MOST_WAITING: usize = 1_024;

/// The flows of a scene.
#[derive(Debug, Default)]
pub(super) struct MessageFlows {
    flows: u64,
    waiting: BTreeMap<HostId, VecDeque<Carried>>,
    /// By worm, while it is under way.
    carried: BTreeMap<u32, Carried>,
    /// By the host that has taken it, the kind and the nonce, until the process has it.
    landed: BTreeMap<(HostId, String, u64), VecDeque<u64>>,
    /// Questions that a host has been asked, by the nonce.
    asked: BTreeMap<(HostId, u64), u64>,
}

#[derive(Debug)]
struct Carried {
    flow: u64,
    kind: String,
    nonce: u64,
    turns: usize,
    length: u32,
}

/// Whether a message is answered by another with its nonce.
fn is_question(kind: &str) -> bool {
    matches!(kind, "host-probe" | "route-table" | "map-request")
}

impl MessageFlows {
    /// The flows of the scene at position `nth`: no other scene has one of them.
    pub(super) fn for_scene(nth: u32) -> MessageFlows {
        MessageFlows { flows: u64::from(nth) << 40, ..MessageFlows::default() }
    }

    /// A flow that no other is.
    pub(super) fn fresh(&mut self) -> u64 {
        self.flows += 1;
        self.flows
    }

    /// A process sends; gives the message's flow.
    pub(super) fn sent(&mut self, message: &Message) -> u64 {
        let question =
            if is_question(&message.kind) { None } else { self.asked.remove(&(message.host, message.nonce)) };
        let flow = question.unwrap_or_else(|| self.fresh());
        let waiting = self.waiting.entry(message.host).or_default();
        if waiting.len() == MOST_WAITING {
            waiting.pop_front();
        }
        let (kind, nonce) = (message.kind.clone(), message.nonce);
        waiting.push_back(Carried { flow, kind, nonce, turns: message.route.len(), length: message.length });
        flow
    }

    /// A worm starts; gives the flow of the message that it carries, if it carries one.
    pub(super) fn started(&mut self, worm: u32, host: HostId, turns: u32, payload: u32) -> Option<u64> {
        let waiting = self.waiting.get_mut(&host)?;
        let is_it = |message: &Carried| message.turns == turns as usize && message.length == payload;
        let message = waiting.remove(waiting.iter().position(is_it)?)?;
        let flow = message.flow;
        self.carried.insert(worm, message);
        Some(flow)
    }

    /// Whether a worm carries a message: a process may receive it after its end.
    pub(super) fn carries(&self, worm: u32) -> bool {
        self.carried.contains_key(&worm)
    }

    /// A worm is over: taken by a host, or destroyed.
    pub(super) fn ended(&mut self, worm: u32, taken_by: Option<HostId>) {
        if let (Some(message), Some(host)) = (self.carried.remove(&worm), taken_by) {
            self.landed.entry((host, message.kind, message.nonce)).or_default().push_back(message.flow);
        }
    }

    /// A process is given a message; gives its flow, if known, and whether that ends here.
    pub(super) fn received(&mut self, message: &Message) -> Option<(u64, bool)> {
        let key = (message.host, message.kind.clone(), message.nonce);
        let landed = self.landed.get_mut(&key)?;
        let flow = landed.pop_front()?;
        if landed.is_empty() {
            self.landed.remove(&key);
        }
        if is_question(&message.kind) {
            self.asked.insert((message.host, message.nonce), flow);
            return Some((flow, false));
        }
        Some((flow, true))
    }
}
