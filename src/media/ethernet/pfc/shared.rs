//! Room that the inputs of a switch share.
//!
//! ```text
//!   a priority of an input: reserved | of the pool, up to alpha x what is free of it | headroom, once paused
//! ```
//!
//! # Scope and limitations
//! Bytes, not cells. One pool a switch, for all ports and priorities; outputs have no thresholds. A threshold that
//! falls because others fill the pool is looked at when the next frame comes.
//!
//! # Source
//! Choudhury and Hahne 1998: the threshold. See [`pfc`](crate::ethernet::pfc) for the rest.
//!
//! # Validation
//! `tests/media/oracle/pfc.rs`, and `tests/media/closed_forms/pfc.rs`: n queues that fill a pool of B bytes come to
//! alpha B / (1 + n alpha) each.

use std::collections::{BTreeMap, BTreeSet};

use simnet_base::ids::SwitchId;
use simnet_base::units::Bytes;

use super::parameters::PRIORITIES;
use super::state::{Hold, Pfc, bit};
use crate::ethernet::engine::Ethernet;

/// The pool of a switch.
#[derive(Clone, Debug, Default)]
pub(in crate::ethernet) struct Pool {
    /// The bytes in use.
    pub(in crate::ethernet) used: u64,
    /// The inputs of which a priority is to be paused.
    paused: BTreeSet<u32>,
}

impl Pfc {
    /// Gives every switch a pool; `switches` has the switch at the end of each channel, or any other number.
    pub(in crate::ethernet) fn set_pools(&mut self, switches: Vec<u32>) {
        self.pools = vec![Pool::default(); self.outputs.len()];
        self.switches = switches;
    }

    fn pool(&mut self, input: u32) -> &mut Pool {
        &mut self.pools[self.switches[input as usize] as usize]
    }

    /// Where a frame would count that comes over a channel: bytes in the pool, and in the headroom; `None` if nowhere.
    pub(super) fn share(&self, input: u32, priority: u8, length: u32) -> Option<(u64, u64)> {
        let of = self.parameters.shared?;
        let (at, length) = (&self.inputs[input as usize], u64::from(length));
        let [occupied, pooled, spilled] =
            [at.occupied, at.pooled, at.spilled].map(|bytes| bytes[usize::from(priority)]);
        let reserved = of.reserved.0 - (occupied - pooled - spilled);
        let rest = length.saturating_sub(reserved);
        let used = self.pools[self.switches[input as usize] as usize].used;
        if at.wanted & bit(priority) == 0 && used + rest <= of.pool.0 {
            return Some((rest, 0));
        }
        (spilled + length <= self.parameters.headroom.0).then_some((0, length))
    }

    /// Counts a frame, before it is added to what its input holds. Whether its priority is to be paused.
    pub(super) fn take_shared(&mut self, hold: Hold) -> bool {
        let (priority, length) = (usize::from(hold.priority), hold.length);
        let (pooled, spilled) = self.share(hold.input, hold.priority, length).expect("it fits");
        let input = &mut self.inputs[hold.input as usize];
        input.pooled[priority] += pooled;
        input.spilled[priority] += spilled;
        let own = input.pooled[priority];
        let pool = self.pool(hold.input);
        pool.used += pooled;
        let used = pool.used;
        let is_above = spilled > 0 || self.parameters.shared.is_some_and(|of| of.is_above(own, used));
        if is_above {
            self.pool(hold.input).paused.insert(hold.input);
        }
        is_above
    }

    /// A frame has left: its bytes are free in the headroom, in the pool, in what is reserved, in this order.
    pub(super) fn give_back(&mut self, hold: Hold) {
        let (priority, length) = (usize::from(hold.priority), u64::from(hold.length));
        let input = &mut self.inputs[hold.input as usize];
        input.occupied[priority] -= length;
        let spilled = length.min(input.spilled[priority]);
        input.spilled[priority] -= spilled;
        let pooled = (length - spilled).min(input.pooled[priority]);
        input.pooled[priority] -= pooled;
        self.pool(hold.input).used -= pooled;
        self.relieved.push(self.switches[hold.input as usize]);
    }

    /// The inputs of which a priority may be sent again, of the switches that something has left.
    pub(in crate::ethernet) fn let_go(&mut self) -> Vec<u32> {
        let Some(of) = self.parameters.shared else { return Vec::new() };
        let mut let_go = Vec::new();
        let mut relieved = std::mem::take(&mut self.relieved);
        relieved.sort_unstable();
        relieved.dedup();
        for switch in relieved {
            let pool = &mut self.pools[switch as usize];
            let (inputs, used) = (&mut self.inputs, pool.used);
            pool.paused.retain(|input| {
                let at = &mut inputs[*input as usize];
                let before = at.wanted;
                for priority in (0..PRIORITIES).filter(|priority| before & bit(*priority) != 0) {
                    let [pooled, spilled] = [at.pooled, at.spilled].map(|bytes| bytes[usize::from(priority)]);
                    if !of.keeps_paused(pooled, spilled, used) {
                        at.wanted &= !bit(priority);
                    }
                }
                if at.wanted != before {
                    let_go.push(*input);
                }
                at.wanted != 0
            });
        }
        let_go
    }

    /// Of inputs and priorities with these bytes that wait for ever: those that keep their priority paused if all else
    /// leaves.
    pub(super) fn keep_paused(&self, bytes: &BTreeMap<(u32, u8), u64>) -> BTreeSet<(u32, u8)> {
        let Some(of) = self.parameters.shared else { return BTreeSet::new() };
        let mut used: BTreeMap<u32, u64> = BTreeMap::new();
        let mut left = Vec::new();
        for ((input, priority), bytes) in bytes {
            let at = &self.inputs[*input as usize];
            let [occupied, pooled, spilled] =
                [at.occupied, at.pooled, at.spilled].map(|bytes| bytes[usize::from(*priority)]);
            let reserved = (occupied - pooled - spilled).min(*bytes);
            let pooled = pooled.min(bytes - reserved);
            *used.entry(self.switches[*input as usize]).or_default() += pooled;
            left.push(((*input, *priority), pooled, bytes - reserved - pooled));
        }
        let keeps = |((input, _), pooled, spilled): &((u32, u8), u64, u64)| {
            of.keeps_paused(*pooled, *spilled, used[&self.switches[*input as usize]])
        };
        left.iter().filter(|it| keeps(it)).map(|(of, ..)| *of).collect()
    }
}

impl<P: Clone> Ethernet<P> {
    /// The bytes of the pool of a switch that are in use; 0 without one.
    pub fn pooled(&self, switch: SwitchId) -> Bytes {
        let pool = self.pfc.as_deref().and_then(|pfc| pfc.pools.get(switch.index()));
        Bytes(pool.map_or(0, |pool| pool.used))
    }
}
