//! A case for credits, and what is read of the engine that runs it.

use simnet_media::fabric::{ChannelUse, CreditParameters, FlowControl, MANAGEMENT_LANE, Parameters};
use simnet_network::topology::End;

use super::{CreditView, FoundDeadlock};
use crate::engine::{Engine, Kinds, Manner};
use crate::oracle::Case;

/// All that determines a run.
#[derive(Clone, Debug)]
pub struct CreditCase {
    /// The network, times, messages and failures.
    pub case: Case,
    /// Lanes, buffers and limits.
    pub credits: CreditParameters,
    /// The service level of each message, by its tag.
    pub levels: Vec<u8>,
    /// By its tag, whether a message is of management; none beyond.
    pub management: Vec<bool>,
}

impl CreditCase {
    /// Whether the message with this tag is of management.
    pub fn is_management(&self, tag: u64) -> bool {
        usize::try_from(tag).ok().and_then(|tag| self.management.get(tag)).copied().unwrap_or(false)
    }

    /// The engine before its first cycle.
    pub fn engine(&self, manner: Manner) -> Engine {
        let flow = FlowControl::Credits(Box::new(self.credits.clone()));
        let parameters = Parameters { flow, ..self.case.parameters.clone() };
        let kinds = Kinds { levels: self.levels.clone(), management: self.management.clone() };
        Engine::with_kinds(&Case { parameters, ..self.case.clone() }, kinds, manner)
    }

    /// All channels of an engine that runs the case, by channel id.
    pub fn channels(&self, engine: &Engine) -> Vec<CreditView> {
        let (fabric, lanes) = (engine.fabric(), self.credits.lanes);
        let links = self.case.network.links().iter();
        let ends = links.flat_map(|link| [(link.a, link.b), (link.b, link.a)]);
        let view = |((from, to), used): ((End, End), ChannelUse)| CreditView {
            occupancy: (0..lanes)
                .chain([MANAGEMENT_LANE])
                .map(|lane| fabric.lane_occupancy(to, lane))
                .collect(),
            credits: (0..lanes).map(|lane| fabric.credits(from, lane)).collect(),
            sent: used.flits,
            blocked: used.blocked,
            held: used.held,
        };
        ends.zip(fabric.channel_use()).map(view).collect()
    }
}

/// The deadlocks of an engine so far, members with their lanes, sorted.
pub fn deadlocks_on_lanes(engine: &Engine) -> Vec<FoundDeadlock> {
    let deadlock = |found: &simnet_media::fabric::Deadlock| {
        let members = found.members.iter().map(|it| (it.input, it.lane, it.output, it.tag));
        let mut members: Vec<_> = members.collect();
        members.sort_unstable();
        let cleared = found.cleared.map(|cleared| (cleared.at.0, cleared.output));
        FoundDeadlock { formed: found.formed.0, members, cleared }
    };
    engine.fabric().deadlocks().iter().map(deadlock).collect()
}
