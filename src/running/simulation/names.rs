//! What a run is called in logs: its messages, and what a log says before its first event.

use simnet_base::ids::Node;
use simnet_media::fabric::FlowControl;
use simnet_media::trace::Heading;
use simnet_scenario::Checked;
use simnet_scenario::checked::{Stages, Trace, Traffic, Work};

use super::traffic::Tag;

/// How a run's messages are called.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(&'a Checked);

impl<'a> Names<'a> {
    /// The names of a scenario's messages: those of its trace, or sender and number.
    pub fn new(checked: &'a Checked) -> Names<'a> {
        Names(checked)
    }

    /// The name of the message with this tag.
    ///
    /// # Panics
    /// If it is the tag of no message of this scenario.
    pub fn message(&self, tag: u64) -> String {
        let Tag { source, number, .. } = Tag::unpack(tag);
        match &self.0.work {
            Work::Stages(Stages { traffic: Some(Traffic::Trace(Trace { messages, .. })), .. }) => {
                messages[usize::try_from(number).expect("a row of the trace")].name.clone()
            }
            _ => format!("{}#{number}", self.0.topology.network.name_of(Node::Host(source))),
        }
    }
}

/// What a log of a scenario's events says first.
pub fn heading(checked: &Checked) -> Heading {
    let parameters = checked.fabric_parameters();
    let (stop, buffer) = match &parameters.flow {
        FlowControl::StopGo => (parameters.switch.stop, parameters.switch.buffer),
        FlowControl::Credits(credits) => {
            let room = credits.buffer * u32::from(credits.lanes);
            (room, room)
        }
    };
    Heading {
        scenario: checked.name.clone(),
        description: checked.description.clone(),
        seed: checked.seed,
        network: checked.topology.network.clone(),
        base_cycle: parameters.base_cycle,
        stop,
        buffer,
    }
}
