//! The hosts that take part in generated traffic, numbered in order.

use simnet_base::ids::HostId;

/// The hosts that take part, in order of their ids; the others neither send nor are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    list: Vec<HostId>,
    /// Per host of the network its position in `list`.
    numbers: Vec<Option<u32>>,
}

impl Members {
    /// Those hosts of a network for which `takes_part` says so, one entry a host.
    pub fn new(takes_part: impl IntoIterator<Item = bool>) -> Members {
        let mut members = Members { list: Vec::new(), numbers: Vec::new() };
        for (nth, takes_part) in takes_part.into_iter().enumerate() {
            let number = HostId::new(members.list.len()).0;
            members.numbers.push(takes_part.then_some(number));
            if takes_part {
                members.list.push(HostId::new(nth));
            }
        }
        members
    }

    /// All of `hosts` hosts.
    pub fn all(hosts: usize) -> Members {
        Members::new(std::iter::repeat_n(true, hosts))
    }

    /// The hosts that take part, in order.
    pub fn list(&self) -> &[HostId] {
        &self.list
    }

    /// The position of a host among those that take part.
    pub fn number(&self, host: HostId) -> Option<u32> {
        self.numbers[host.index()]
    }

    /// How many hosts the network has, those that take no part counted in.
    pub fn network_hosts(&self) -> usize {
        self.numbers.len()
    }
}
