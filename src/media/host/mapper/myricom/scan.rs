//! The scan of a switch's ports for hosts.

use std::collections::BTreeSet;

use crate::host::mapper::model::turn;
use crate::host::mapper::sweep::{Order, Sweep};

/// A scan in progress: the turns at one switch by what they lead to, as far as is known.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    sweep: Sweep,
    /// The hosts found, by turn.
    pub(super) hosts: Vec<(i32, String)>,
    /// Turns known to lead to switches.
    pub(super) switches: BTreeSet<i32>,
}

impl Scan {
    /// The scan of a switch of `ports` ports that is unknown.
    pub(super) fn new(ports: u16, window: bool) -> Scan {
        let sweep = Sweep::new(ports, window, Order::Alternating);
        Scan { sweep, hosts: Vec::new(), switches: BTreeSet::new() }
    }

    /// The next turn worth asking.
    pub(super) fn next(&mut self) -> Option<i32> {
        self.sweep.next().map(|turn| i32::from(turn.0))
    }

    /// Whether it is known what this turn leads to.
    pub(super) fn is_known(&self, turn: i32) -> bool {
        self.switches.contains(&turn) || self.is_host(turn)
    }

    /// Whether this turn is known to lead to a host.
    pub(super) fn is_host(&self, turn: i32) -> bool {
        self.hosts.iter().any(|(at, _)| *at == turn)
    }

    /// Notes that a turn leads to the host called `name`.
    pub(super) fn note_host(&mut self, at: i32, name: String) {
        self.sweep.add_port(turn(at));
        self.hosts.push((at, name));
    }

    /// Notes that a turn leads to a switch.
    pub(super) fn note_switch(&mut self, at: i32) {
        self.sweep.add_port(turn(at));
        self.switches.insert(at);
    }

    /// Turns that were never asked because the window, as it is now, leaves them no room.
    pub(super) fn excludes(&self, turn: i32) -> bool {
        self.sweep.excludes(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(mut scan: Scan, hosts: &[i32]) -> Vec<i32> {
        let mut all = Vec::new();
        while let Some(turn) = scan.next() {
            all.push(turn);
            if hosts.contains(&turn) {
                scan.note_host(turn, format!("h{turn}"));
            }
        }
        all
    }

    #[test]
    fn turns_go_outwards_on_both_sides_within_the_window() {
        // Wrong if the counts of Fig. 10 rested on another order than the one that is documented.
        assert_eq!(asked(Scan::new(4, true), &[]), [-1, 1, -2, 2, -3, 3]);
        assert_eq!(asked(Scan::new(4, true), &[-1, -2]), [-1, 1, -2, -3], "2 lies 4 from -2");
        assert_eq!(asked(Scan::new(4, false), &[-1, -2]), [-1, 1, -2, 2, -3, 3]);
        assert_eq!(asked(Scan::new(1, true), &[]), [0; 0]);
        let mut known = Scan::new(4, true);
        known.note_switch(3);
        known.note_host(1, "h".into());
        assert_eq!(asked(known.clone(), &[]), [2], "what is known is not asked, and bounds the rest");
        assert!(known.excludes(-1) && !known.excludes(2));
    }
}
