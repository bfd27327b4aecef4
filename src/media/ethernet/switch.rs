//! What a switch remembers, and where it floods.

use simnet_base::ids::HostId;

/// An address that a switch has seen.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When it was last seen; while a train of its frames passes, when the last of them will have come.
    seen: u64,
    /// The channel that leads back where it was seen; [`UNKNOWN`] if it never was.
    output: u32,
}

const UNKNOWN: u32 = u32::MAX;

/// A switch's memory and its room.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// By host; empty until the first frame. 16 B for each host of the network.
    table: Vec<Entry>,
    /// The channels out of its forwarding ports, in the order of the ports' numbers.
    pub(super) outputs: Vec<u32>,
    /// The bytes in its output ports together, as far as they are known not to have left.
    pub(super) occupied: u64,
}

impl Switch {
    pub(super) fn new(outputs: Vec<u32>) -> Switch {
        Switch { table: Vec::new(), outputs, occupied: 0 }
    }

    /// Remembers that `source` was seen at `now`, and that `output` leads back to it. Costs O(hosts) the first time.
    #[inline]
    pub(super) fn learn(&mut self, source: HostId, output: u32, now: u64, hosts: usize) {
        match self.table.get_mut(source.index()) {
            Some(entry) => *entry = Entry { seen: now, output },
            None => self.learn_first(source, output, now, hosts),
        }
    }

    #[cold]
    fn learn_first(&mut self, source: HostId, output: u32, now: u64, hosts: usize) {
        self.table = vec![Entry { seen: 0, output: UNKNOWN }; hosts];
        self.table[source.index()] = Entry { seen: now, output };
    }

    /// The channel that leads to `destination`, if it was seen less than `ageing` ago.
    #[inline]
    pub(super) fn find(&self, destination: HostId, now: u64, ageing: u64) -> Option<u32> {
        let entry = self.table.get(destination.index())?;
        (entry.output != UNKNOWN && now.saturating_sub(entry.seen) < ageing).then_some(entry.output)
    }

    /// The same from `now` to `last`, if that is sure, whatever happens. `ageing` is half of that here: of a host of
    /// whose frames a train passes up to an instant to come, one has come at most the other half ago.
    pub(super) fn find_until(
        &self,
        destination: HostId,
        (now, last): (u64, u64),
        ageing: u64,
    ) -> Option<u32> {
        let entry = self.table.get(destination.index())?;
        (entry.output != UNKNOWN && last - now.min(entry.seen) < ageing).then_some(entry.output)
    }

    /// Notes that a source was seen last at `at`, where it was seen before.
    pub(super) fn set_seen(&mut self, source: HostId, at: u64) {
        self.table[source.index()].seen = at;
    }
}
