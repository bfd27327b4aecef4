//! A replay: messages listed one by one.

use simnet_base::ids::HostId;
use simnet_base::units::Time;

use super::{Planned, Source};

/// One listed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMessage {
    /// What the list calls it.
    pub name: String,
    /// When its host creates it.
    pub created: Time,
    /// Its sender.
    pub source: HostId,
    /// Its receiver.
    pub destination: HostId,
    /// Its flits after the route flits: header, data, CRC-8 and tail counted in.
    pub payload: u32,
}

/// Listed messages, each host's in order of time, then of the list.
#[derive(Clone, Debug)]
pub struct Trace {
    messages: Vec<TraceMessage>,
    /// Per host the rows of its messages, the next one last.
    rows: Vec<Vec<usize>>,
}

impl Trace {
    /// The messages of a list, in a network of `hosts` hosts.
    ///
    /// # Panics
    /// If a message names a host beyond `hosts`.
    pub fn new(messages: Vec<TraceMessage>, hosts: usize) -> Trace {
        let mut rows = vec![Vec::new(); hosts];
        for (row, message) in messages.iter().enumerate() {
            rows[message.source.index()].push(row);
        }
        for own in &mut rows {
            own.sort_by_key(|row| (messages[*row].created, *row));
            own.reverse();
        }
        Trace { messages, rows }
    }

    /// The messages in the list's order; [`Planned::number`] is a position in it.
    pub fn messages(&self) -> &[TraceMessage] {
        &self.messages
    }
}

impl Source for Trace {
    fn next(&mut self, host: HostId) -> Option<Planned> {
        let row = self.rows[host.index()].pop()?;
        let message = &self.messages[row];
        let TraceMessage { created, destination, payload, .. } = *message;
        Some(Planned { created, destination, payload, number: row as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_sends_in_order_of_time_then_of_the_list() {
        let message = |name: &str, ns: u64, source| TraceMessage {
            name: name.to_owned(),
            created: Time::from_ps(ns * 1_000),
            source: HostId(source),
            destination: HostId(1 - source),
            payload: 8,
        };
        let list =
            vec![message("late", 9, 0), message("a", 3, 0), message("other", 1, 1), message("b", 3, 0)];
        let mut trace = Trace::new(list, 2);
        let order: Vec<u64> = std::iter::from_fn(|| trace.next(HostId(0))).map(|m| m.number).collect();
        assert_eq!(order, [1, 3, 0]);
    }
}
