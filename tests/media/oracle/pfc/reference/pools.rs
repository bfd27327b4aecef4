//! Buffers that inputs share.

use std::collections::BTreeSet;

use simnet_base::ids::Node;
use simnet_base::units::Bytes;
use simnet_media::ethernet::SharedBuffer;

use super::{Reference, length};

/// Whether so many bytes of a pool are above alpha times what is free of it.
pub(super) fn is_above(of: SharedBuffer, own: u64, free: u64) -> bool {
    own * u64::from(of.alpha.1) > free * u64::from(of.alpha.0)
}

impl Reference<'_> {
    /// The bytes in use of the pool of a switch.
    pub(super) fn used(&self, switch: Node) -> u64 {
        let inputs = self.channels.iter().filter(|channel| channel.to.node == switch);
        inputs.flat_map(|channel| channel.pooled).sum()
    }

    /// The bytes that count at every input, by priority: those of each frame in a switch once.
    pub(super) fn occupied_by_input(&self) -> Vec<[u64; 8]> {
        let (mut seen, mut bytes) = (BTreeSet::new(), vec![[0; 8]; self.channels.len()]);
        for channel in &self.channels {
            for copy in channel.queue.iter().chain(channel.leaving.iter().map(|(_, copy)| copy)) {
                if let Some(input) = copy.input.filter(|_| seen.insert(copy.arrival)) {
                    bytes[input][copy.priority] += length(&copy.frame);
                }
            }
        }
        bytes
    }

    pub(super) fn let_go_of_pools(&mut self, of: SharedBuffer) {
        let (mut relieved, occupied) = (BTreeSet::new(), self.occupied_by_input());
        for at in 0..self.channels.len() {
            for priority in 0..8 {
                let occupied = occupied[at][priority];
                let channel = &mut self.channels[at];
                let mut gone = channel.known[priority] - occupied;
                if gone > 0 {
                    relieved.insert(channel.to.node);
                }
                channel.known[priority] = occupied;
                for part in [&mut channel.spilled[priority], &mut channel.pooled[priority]] {
                    let taken = gone.min(*part);
                    (*part, gone) = (*part - taken, gone - taken);
                }
            }
        }
        for at in 0..self.channels.len() {
            let to = self.channels[at].to.node;
            if !relieved.contains(&to) {
                continue;
            }
            let free = of.pool.0 - self.used(to);
            for priority in 0..8 {
                let channel = &mut self.channels[at];
                let own = channel.pooled[priority];
                let is_low = own == 0 || !is_above(of, own + of.xon_offset.0, free);
                if channel.spilled[priority] == 0 && is_low {
                    channel.wanted[priority] = false;
                }
            }
        }
    }

    /// Takes a frame in at an input of a switch with a pool; whether there is room for it, and whether it makes the
    /// input pause its sender. Counts it only if `counts`.
    pub(super) fn share(&mut self, at: usize, priority: usize, length: u64, counts: bool) -> (bool, bool) {
        let of = self.case.pfc.shared.unwrap();
        let to = self.channels[at].to.node;
        let free = of.pool.0 - self.used(to);
        let channel = &mut self.channels[at];
        let reserved = channel.known[priority] - channel.pooled[priority] - channel.spilled[priority];
        let pooled = (reserved + length).max(of.reserved.0) - of.reserved.0;
        let fits_pool = !channel.wanted[priority] && pooled <= free;
        let has_room = fits_pool || channel.spilled[priority] + length <= self.case.pfc.headroom.0;
        if !counts {
            return (has_room, false);
        }
        channel.known[priority] += length;
        if !fits_pool {
            channel.spilled[priority] += length;
            return (true, true);
        }
        channel.pooled[priority] += pooled;
        let is_above = is_above(of, channel.pooled[priority], free - pooled);
        let peaks = &mut self.seen.counters.shared_peaks;
        let Node::Switch(switch) = to else { unreachable!() };
        peaks[switch.index()] = peaks[switch.index()].max(Bytes(of.pool.0 - free + pooled));
        (true, is_above)
    }
}
