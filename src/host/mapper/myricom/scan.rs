//! The scan of a switch's ports for hosts.

use std::collections::BTreeSet;

/// A scan in progress: the turns at one switch by what they lead to, as far as is known.
///
/// Turn 0, the port of entry, is never asked. With a window, ports that are known bound the others: all lie
/// within as many consecutive numbers as a switch has ports.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    ports: i32,
    window: bool,
    /// Which of the turns is next.
    nth: i32,
    /// The lowest and the highest turn known to be a port.
    extent: (i32, i32),
    /// The hosts found, by turn.
    pub(super) hosts: Vec<(i32, String)>,
    /// Turns known to lead to switches.
    pub(super) switches: BTreeSet<i32>,
}

impl Scan {
    /// The scan of a switch of `ports` ports of which nothing is known.
    pub(super) fn new(ports: u16, window: bool) -> Scan {
        Scan {
            ports: i32::from(ports),
            window,
            nth: 0,
            extent: (0, 0),
            hosts: Vec::new(),
            switches: BTreeSet::new(),
        }
    }

    /// The next turn worth asking.
    pub(super) fn next(&mut self) -> Option<i32> {
        while self.nth < 2 * (self.ports - 1) {
            let turn = nth_turn(self.nth);
            self.nth += 1;
            let (low, high) = if self.window { self.extent } else { (0, 0) };
            if turn - low < self.ports && high - turn < self.ports && !self.is_known(turn) {
                return Some(turn);
            }
        }
        None
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
    pub(super) fn note_host(&mut self, turn: i32, name: String) {
        self.widen(turn);
        self.hosts.push((turn, name));
    }

    /// Notes that a turn leads to a switch.
    pub(super) fn note_switch(&mut self, turn: i32) {
        self.widen(turn);
        self.switches.insert(turn);
    }

    fn widen(&mut self, turn: i32) {
        self.extent = (self.extent.0.min(turn), self.extent.1.max(turn));
    }

    /// Turns that were never asked because the window, as it is now, leaves them no room.
    pub(super) fn excludes(&self, turn: i32) -> bool {
        let (low, high) = self.extent;
        self.window && (turn - low >= self.ports || high - turn >= self.ports)
    }
}

/// The nth of the turns -1, +1, -2, +2, ...
pub(super) fn nth_turn(nth: i32) -> i32 {
    let size = nth / 2 + 1;
    if nth % 2 == 0 { -size } else { size }
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
        let mut told = Scan::new(4, true);
        told.note_switch(3);
        told.note_host(1, "h".into());
        assert_eq!(asked(told.clone(), &[]), [2], "what is known is not asked, and bounds the rest");
        assert!(told.excludes(-1) && !told.excludes(2));
    }
}
