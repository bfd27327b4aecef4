//! Which of a fixed set of members is next.
//!
//! A winner tree: member `m` is the leaf `m`, and every inner node holds the lesser of the two below it, so that the
//! next one is at the root. A member's instant costs one walk from its leaf to the root, without a branch that
//! depends on the instants.

/// The instant and the number of a member, in this order; [`NEVER`] stands for none.
type Key = u128;

const NEVER: Key = Key::MAX;

/// The next instants of members `0..members`.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// Node 1 is the root, the nodes below `n` are `2n` and `2n + 1`, and the last half are the leaves.
    nodes: Vec<Key>,
}

impl Schedule {
    /// Nobody is scheduled.
    pub(super) fn new(members: usize) -> Schedule {
        Schedule { nodes: vec![NEVER; 2 * members.next_power_of_two()] }
    }

    /// The least instant and its member, the least of those with that instant.
    pub(super) fn first(&self) -> Option<(u64, usize)> {
        let key = self.nodes[1];
        (key != NEVER).then(|| split(key))
    }

    /// The instant of a member.
    pub(super) fn of(&self, member: usize) -> Option<u64> {
        let key = self.nodes[self.nodes.len() / 2 + member];
        (key != NEVER).then(|| split(key).0)
    }

    /// Sets the instant of a member, or takes it out. The last instant of all never comes.
    pub(super) fn set(&mut self, member: usize, instant: Option<u64>) {
        let instant = instant.filter(|instant| *instant < u64::MAX);
        let mut key = instant.map_or(NEVER, |instant| Key::from(instant) << 64 | member as Key);
        let mut at = self.nodes.len() / 2 + member;
        self.nodes[at] = key;
        while at > 1 {
            key = key.min(self.nodes[at ^ 1]);
            at /= 2;
            if self.nodes[at] == key {
                return;
            }
            self.nodes[at] = key;
        }
    }
}

fn split(key: Key) -> (u64, usize) {
    let bytes = key.to_le_bytes();
    let half = |from: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[from + byte]));
    (half(8), usize::try_from(half(0)).expect("a member is a position"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::des::random::{Purpose, Stream};

    /// Wrong if a walk stopped too early, or equal instants did not come by number: against a scan of all members.
    #[test]
    fn the_first_is_the_least() {
        let mut chance = Stream::new(1, Purpose(50), 0);
        for members in 0..40usize {
            let mut schedule = Schedule::new(members);
            let mut plain: Vec<Option<u64>> = vec![None; members];
            for _ in 0..if members == 0 { 0 } else { 300 } {
                let member = usize::try_from(chance.below(members as u64)).unwrap();
                let instant = (chance.below(4) > 0).then(|| chance.below(8));
                schedule.set(member, instant);
                plain[member] = instant;
                let least = plain.iter().enumerate().filter_map(|(m, i)| Some(((*i)?, m))).min();
                assert_eq!(schedule.first(), least, "{members} members");
                assert_eq!(schedule.of(member), instant);
            }
            assert!(members > 0 || schedule.first().is_none());
        }
    }
}
