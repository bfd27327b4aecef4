//! What a switch remembers, and where it floods.

use simnet_base::ids::HostId;

/// An address that a switch has seen.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When it was last seen.
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
        (entry.output != UNKNOWN && now - entry.seen < ageing).then_some(entry.output)
    }
}
