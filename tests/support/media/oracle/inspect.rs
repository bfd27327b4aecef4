//! What can be asked of the oracle between two cycles.

use std::collections::BTreeSet;

use simnet_base::units::Cycle;
use simnet_media::fabric::Ended;
use simnet_network::topology::End;

use super::{Oracle, Owner, State};

/// A channel at the end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelView {
    /// The port that sends on it.
    pub from: End,
    /// The port that receives from it.
    pub to: End,
    /// Whether its cable works.
    pub up: bool,
    /// Flits in the receiving port's buffer.
    pub occupancy: u32,
    /// Whether the receiving port's last word was STOP.
    pub stop_sent: bool,
    /// Whether the sending port may send.
    pub go: bool,
    /// Flits sent so far.
    pub sent: u64,
    /// Cycles so far in which the channel was owned and (a head waited for it or it was stopped).
    pub blocked: u64,
    /// Cycles so far in which the channel was owned.
    pub held: u64,
}

impl Oracle {
    /// The next cycle to be run.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// All channels, by channel id.
    pub fn channels(&self) -> Vec<ChannelView> {
        let views =
            self.outputs.iter().zip(&self.inputs).enumerate().map(|(x, (output, input))| ChannelView {
                from: output.end,
                to: input.end,
                up: self.up[x / 2],
                occupancy: u32::try_from(input.buffer.len()).expect("buffers are small"),
                stop_sent: input.stop_sent,
                go: output.go,
                sent: output.sent,
                blocked: output.blocked,
                held: output.held,
            });
        views.collect()
    }

    /// What is in the buffer at the end of a channel, the front first: tags, and how many flits of each in a row.
    pub fn buffer(&self, channel: usize) -> Vec<(u64, u64)> {
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for flit in &self.inputs[channel].buffer {
            let tag = self.worms[flit.worm].message.tag;
            match rows.last_mut() {
                Some((last, count)) if *last == tag && !flit.head => *count += 1,
                _ => rows.push((tag, 1)),
            }
        }
        rows
    }

    /// The worms with flits left in the fabric or in a transmitter.
    fn live(&self) -> BTreeSet<usize> {
        let wires = self.outputs.iter().flat_map(|output| &output.data).map(|(_, flit)| flit.worm);
        let buffers = self.inputs.iter().flat_map(|input| &input.buffer).map(|flit| flit.worm);
        let open = self.inputs.iter().filter_map(|input| input.arriving);
        let hosts = self.hosts.iter().filter_map(|host| host.current).map(|(worm, _)| worm);
        wires.chain(buffers).chain(open).chain(hosts).collect()
    }

    /// The tags of the messages under way, in order.
    pub fn live_tags(&self) -> Vec<u64> {
        let mut tags: Vec<u64> = self.live().iter().map(|worm| self.worms[*worm].message.tag).collect();
        tags.sort_unstable();
        tags
    }

    /// The messages that are over, by tag.
    pub fn ended(&self) -> Vec<Ended> {
        let live = self.live();
        let over = self.worms.iter().enumerate().filter(|(worm, _)| !live.contains(worm));
        let mut over: Vec<Ended> = over
            .map(|(_, worm)| Ended {
                tag: worm.message.tag,
                source: worm.source,
                payload: worm.message.payload,
                created: Cycle(worm.message.created),
                started: Cycle(worm.started),
                fate: Oracle::fate(worm).expect("a worm of which nothing is left met its fate"),
            })
            .collect();
        over.sort_unstable_by_key(|message| message.tag);
        over
    }

    /// The heads that wait for an output: the tag of the worm, where the head is, what it waits for.
    pub fn waiting_heads(&self) -> Vec<(u64, End, End)> {
        let waiting = |input: &super::Input| match input.state {
            State::Waiting { output } => {
                let worm = input.buffer.front().expect("a head that waits is there").worm;
                Some((self.worms[worm].message.tag, input.end, self.outputs[output].end))
            }
            _ => None,
        };
        self.inputs.iter().filter_map(waiting).collect()
    }

    /// Who holds which output, through which input; at a host that sends, both are its port.
    pub fn holders(&self) -> Vec<(End, u64, End)> {
        let held = |output: &super::Output| {
            let input = match output.owner? {
                Owner::Input(input) => self.inputs[input].end,
                Owner::Host(_) => output.end,
            };
            Some((output.end, self.worms[output.worm].message.tag, input))
        };
        self.outputs.iter().filter_map(held).collect()
    }

    /// Whether no worm is under way, none will start and no port is stopped.
    pub fn is_quiet(&self) -> bool {
        let wires = self.outputs.iter().all(|output| output.control.is_empty() && output.go);
        wires
            && self.events.is_empty()
            && self.hosts.iter().all(|host| host.output.is_none() || host.waiting.is_empty())
            && self.live().is_empty()
    }

    /// The flits in buffers and in flight.
    pub fn flits_present(&self) -> u64 {
        let wires = self.outputs.iter().map(|output| output.data.len() as u64).sum::<u64>();
        let buffers = self.inputs.iter().map(|input| input.buffer.len() as u64).sum::<u64>();
        wires + buffers
    }

    /// How many worms have been started.
    pub fn started_worms(&self) -> usize {
        self.worms.len()
    }
}
