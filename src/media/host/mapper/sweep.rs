//! In which order the turns at a switch are tried, and which need not be: the same for all mappers.

use std::collections::BTreeSet;

use simnet_base::ids::Turn;

/// The order of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Outwards from the port of entry on one side; at each miss over to the other side.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 3.3, point 3: small turns first, "as we explore turns -1, -2, ..., and
    /// fail to get a response, we should start probing outwards in the other direction".
    #[default]
    Outwards,
    /// The same, beginning on the positive side: the "visa versa" of that sentence.
    OutwardsUp,
    /// From the most negative to the most positive, as EXPLORE in section 3.1 has it.
    Ascending,
    /// -1, +1, -2, +2 and so on.
    Alternating,
    /// Outwards on the negative side to its end, then on the positive side.
    OneSide,
}

impl Order {
    /// All orders, as reports list them.
    pub const ALL: [Order; 5] =
        [Order::Ascending, Order::Alternating, Order::OneSide, Order::Outwards, Order::OutwardsUp];

    /// The order's name, as scenarios and reports spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Order::Outwards => "outwards",
            Order::OutwardsUp => "outwards-up",
            Order::Ascending => "ascending",
            Order::Alternating => "alternating",
            Order::OneSide => "one-side",
        }
    }
}

/// The turns -1, +1, -2, +2 and so on at a switch of `ports` ports.
pub(super) fn alternating(ports: u16) -> impl Iterator<Item = Turn> {
    let mut sweep = Sweep::new(ports, false, Order::Alternating);
    std::iter::from_fn(move || sweep.next())
}

/// The turns at one switch still to try.
///
/// Turn 0, the port of entry, is known and never tried. With a window, ports that answer bound the others:
/// all lie within `ports` consecutive numbers (Mainwaring et al. 1997, section 3.3, point 3: with "two turns separated
/// by a distance of 7 that are successful, we are done").
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    ports: i32,
    window: bool,
    order: Order,
    /// Whether the positive side comes first, where sides alternate.
    up: bool,
    /// Per side, negative then positive: how far out it has been tried. Ascending, the first counts up
    /// instead.
    tried: [i32; 2],
    positive: bool,
    /// The least and the greatest turn known to be a port.
    known: (i32, i32),
    /// Turns known to be ports: they are not tried, or not again.
    ports_known: BTreeSet<i32>,
}

impl Sweep {
    /// The turns at a switch of `ports` ports.
    pub(super) fn new(ports: u16, window: bool, order: Order) -> Sweep {
        let up = order == Order::OutwardsUp;
        let (ports, tried, known, ports_known) = (i32::from(ports), [0, 0], (0, 0), BTreeSet::new());
        Sweep { ports, window, order, up, tried, positive: up, known, ports_known }
    }

    /// The turns +1, -1, +2, -2 and so on within the window, without those that are `known` to be ports.
    pub(super) fn upwards_without(ports: u16, known: impl IntoIterator<Item = Turn>) -> Sweep {
        let mut sweep = Sweep { up: true, ..Sweep::new(ports, true, Order::Alternating) };
        known.into_iter().for_each(|turn| sweep.add_port(turn));
        sweep
    }

    /// The next turn worth trying.
    pub(super) fn next(&mut self) -> Option<Turn> {
        loop {
            let turn = match self.order {
                Order::Outwards | Order::OutwardsUp | Order::OneSide => self.outwards(),
                Order::Alternating => {
                    let lead = self.tried[0] - self.tried[1];
                    self.positive = lead > 0 || (self.up && lead == 0);
                    self.outwards()
                }
                Order::Ascending => self.ascending(),
            };
            let turn = turn?;
            if !self.ports_known.contains(&turn) {
                return Some(Turn(i16::try_from(turn).expect("fewer than 32768 ports")));
            }
        }
    }

    /// The next turns worth trying at once, at most `most`, at least one where there is one.
    pub(super) fn burst(&mut self, most: u16) -> Vec<Turn> {
        std::iter::from_fn(|| self.next()).take(usize::from(most.max(1))).collect()
    }

    fn outwards(&mut self) -> Option<i32> {
        for _ in 0..2 {
            let out = self.tried[usize::from(self.positive)] + 1;
            let turn = if self.positive { out } else { -out };
            if self.is_worthwhile(turn) {
                self.tried[usize::from(self.positive)] = out;
                return Some(turn);
            }
            self.positive = !self.positive;
        }
        None
    }

    fn ascending(&mut self) -> Option<i32> {
        while self.tried[0] < 2 * self.ports - 1 {
            let turn = self.tried[0] - (self.ports - 1);
            self.tried[0] += 1;
            if turn != 0 && self.is_worthwhile(turn) {
                return Some(turn);
            }
        }
        None
    }

    /// Notes whether a turn that was tried led to anything.
    pub(super) fn note(&mut self, turn: Turn, hit: bool) {
        if hit {
            self.add_port(turn);
        } else if matches!(self.order, Order::Outwards | Order::OutwardsUp) {
            self.positive = !self.positive;
        }
    }

    /// Notes that a turn is a port.
    pub(super) fn add_port(&mut self, turn: Turn) {
        let turn = i32::from(turn.0);
        self.known = (self.known.0.min(turn), self.known.1.max(turn));
        self.ports_known.insert(turn);
    }

    /// Whether the window, as it is now, leaves a turn no room.
    pub(super) fn excludes(&self, turn: i32) -> bool {
        self.window && !self.is_worthwhile(turn)
    }

    /// Whether a turn may be a port, as far as known ports show.
    fn is_worthwhile(&self, turn: i32) -> bool {
        let (low, high) = if self.window { self.known } else { (0, 0) };
        turn - low < self.ports && high - turn < self.ports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turns tried at a switch of `ports` ports where those at `hits` answer.
    fn tried(ports: u16, window: bool, order: Order, hits: &[i16]) -> Vec<i16> {
        let mut sweep = Sweep::new(ports, window, order);
        let mut all = Vec::new();
        while let Some(turn) = sweep.next() {
            sweep.note(turn, hits.contains(&turn.0));
            all.push(turn.0);
        }
        all
    }

    #[test]
    fn outwards_changes_sides_at_each_miss() {
        let outwards = |hits: &[i16]| tried(4, true, Order::Outwards, hits);
        assert_eq!(outwards(&[]), [-1, 1, -2, 2, -3, 3]);
        assert_eq!(outwards(&[-1, -2, -3]), [-1, -2, -3], "a full window leaves nothing to try");
        assert_eq!(outwards(&[-1]), [-1, -2, 1, -3, 2], "3 lies 4 from -1");
        assert_eq!(outwards(&[1, 2]), [-1, 1, 2, 3], "-2 lies 4 from 2");
    }

    #[test]
    fn ascending_and_without_a_window() {
        assert_eq!(tried(3, false, Order::Ascending, &[-2, -1]), [-2, -1, 1, 2]);
        assert_eq!(tried(3, true, Order::Ascending, &[-2, -1]), [-2, -1]);
        assert_eq!(tried(3, false, Order::Outwards, &[-2, -1]), [-1, -2, 1, 2]);
        assert_eq!(tried(1, true, Order::Outwards, &[]), [0; 0]);
    }

    #[test]
    fn the_other_orders() {
        let alternating = |hits: &[i16]| tried(4, true, Order::Alternating, hits);
        assert_eq!(alternating(&[]), [-1, 1, -2, 2, -3, 3]);
        assert_eq!(alternating(&[-1, -2]), [-1, 1, -2, -3], "2 lies 4 from -2, and so on");
        assert_eq!(alternating(&[-1]), [-1, 1, -2, 2, -3]);
        assert_eq!(tried(4, true, Order::OneSide, &[]), [-1, -2, -3, 1, 2, 3]);
        assert_eq!(tried(4, true, Order::OneSide, &[-2]), [-1, -2, -3, 1]);
        assert_eq!(tried(4, true, Order::OutwardsUp, &[1]), [1, 2, -1, 3, -2]);
    }

    #[test]
    fn bursts_leave_out_known_ports_and_what_the_window_excludes() {
        // Wrong if a turn that can be a port were left out, or one that cannot were tried.
        let tried = |known: &[i16], hits: &[i16], most: u16| {
            let mut sweep = Sweep::upwards_without(4, known.iter().copied().map(Turn));
            let mut all = Vec::new();
            loop {
                let burst = sweep.burst(most);
                if burst.is_empty() {
                    return all;
                }
                burst.iter().filter(|turn| hits.contains(&turn.0)).for_each(|turn| sweep.add_port(*turn));
                all.extend(burst.iter().map(|turn| turn.0));
            }
        };
        assert_eq!(tried(&[], &[], 1), [1, -1, 2, -2, 3, -3]);
        assert_eq!(tried(&[], &[1, 2], 1), [1, -1, 2, 3], "-2 lies 4 from 2");
        assert_eq!(tried(&[], &[1, 2], 8), [1, -1, 2, -2, 3, -3], "a burst knows nothing of its own answers");
        assert_eq!(tried(&[-2], &[], 0), [1, -1, -3], "2 lies 4 from -2");
    }

    #[test]
    fn a_window_never_hides_a_port() {
        // Wrong if any set of ports of a switch, entered at any of them, were not found whole.
        for ports in 1..=6u16 {
            for cabled in 0..1u32 << ports {
                for entry in (0..ports).filter(|port| cabled >> port & 1 == 1) {
                    let turn = |port: u16| port.cast_signed() - entry.cast_signed();
                    let hits: Vec<i16> =
                        (0..ports).filter(|p| cabled >> p & 1 == 1 && *p != entry).map(turn).collect();
                    for order in Order::ALL {
                        let tried = tried(ports, true, order, &hits);
                        assert!(hits.iter().all(|hit| tried.contains(hit)), "{ports} {cabled:b} {entry}");
                    }
                }
            }
        }
    }
}
