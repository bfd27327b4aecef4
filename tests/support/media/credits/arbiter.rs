//! The choice of a lane, entry by entry.

use simnet_media::fabric::{LaneArbitration, LaneWeight};

/// Where an output is in its two tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Arbiter {
    places: [usize; 2],
    left: [i64; 2],
    high_bytes: u64,
    chosen: usize,
}

const HIGH: usize = 0;
const LOW: usize = 1;

impl Arbiter {
    /// The lane to send a packet of, among those in `lanes`.
    pub(super) fn choose(&mut self, tables: &LaneArbitration, lanes: &[usize]) -> usize {
        let has = |table: &[LaneWeight]| {
            table.iter().any(|entry| entry.weight > 0 && lanes.contains(&usize::from(entry.lane)))
        };
        let used_up = match tables.high_limit {
            255 => false,
            0 => self.high_bytes > 0,
            limit => self.high_bytes >= u64::from(limit) * 4_096,
        };
        self.chosen = if has(&tables.high) && (!used_up || !has(&tables.low)) { HIGH } else { LOW };
        let table = if self.chosen == HIGH { &tables.high } else { &tables.low };
        let (place, left) = (&mut self.places[self.chosen], &mut self.left[self.chosen]);
        if *left <= 0 || !lanes.contains(&usize::from(table[*place].lane)) {
            loop {
                *place = (*place + 1) % table.len();
                if table[*place].weight > 0 && lanes.contains(&usize::from(table[*place].lane)) {
                    break;
                }
            }
            *left = i64::from(table[*place].weight);
        }
        usize::from(table[*place].lane)
    }

    /// A packet of this many bytes of the lane chosen is sent.
    pub(super) fn sent(&mut self, bytes: u32) {
        self.left[self.chosen] -= i64::from(bytes.div_ceil(64));
        self.high_bytes = if self.chosen == HIGH { self.high_bytes + u64::from(bytes) } else { 0 };
    }
}
