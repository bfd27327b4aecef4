//! In which order the turns at a switch are tried, and which need not be.

use crate::ids::Turn;

/// The order of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Outwards from the port of entry on one side; at each miss over to the other side.
    ///
    /// # Source
    /// Mainwaring et al. 1997, section 3.3, point 3: small turns first, "as we explore turns -1, -2, ..., and fail
    /// to get a response, we should start probing outwards in the other direction".
    #[default]
    Outwards,
    /// From the most negative to the most positive.
    Ascending,
}

/// The turns at one switch still to try.
///
/// Turn 0, the port of entry, is known and never tried. With a window, ports that answer bound the others: all
/// lie within `ports` consecutive numbers.
#[derive(Debug)]
pub(super) struct Sweep {
    ports: i32,
    window: bool,
    order: Order,
    /// The next turn on the positive side and, negated, on the negative side.
    next: [i32; 2],
    side: usize,
    /// The least and the greatest turn known to be a port.
    known: (i32, i32),
}

impl Sweep {
    /// The turns at a switch of `ports` ports.
    pub(super) fn new(ports: u16, window: bool, order: Order) -> Sweep {
        let ports = i32::from(ports);
        let (next, side) = match order {
            Order::Outwards => ([1, 1], 1),
            Order::Ascending => ([1, ports - 1], 1),
        };
        Sweep { ports, window, order, next, side, known: (0, 0) }
    }

    /// The next turn worth trying.
    pub(super) fn next(&mut self) -> Option<Turn> {
        for _ in 0..2 {
            while self.order == Order::Ascending && self.side == 1 && self.next[1] > 0 && !self.open() {
                self.next[1] -= 1;
            }
            if self.open() {
                let turn = self.turn();
                match self.order {
                    Order::Ascending if self.side == 1 => self.next[1] -= 1,
                    _ => self.next[self.side] += 1,
                }
                return Some(Turn(i16::try_from(turn).expect("fewer than 32768 ports")));
            }
            self.side = 1 - self.side;
        }
        None
    }

    /// Notes whether the last turn led to anything.
    pub(super) fn note(&mut self, turn: Turn, hit: bool) {
        let turn = i32::from(turn.0);
        if hit {
            self.known = (self.known.0.min(turn), self.known.1.max(turn));
        } else if self.order == Order::Outwards {
            self.side = 1 - self.side;
        }
    }

    fn turn(&self) -> i32 {
        if self.side == 0 { self.next[0] } else { -self.next[1] }
    }

    fn open(&self) -> bool {
        let turn = self.turn();
        let (low, high) = if self.window { self.known } else { (0, 0) };
        let reach = self.ports - 1;
        let fits =
            if self.window { turn - low <= reach && high - turn <= reach } else { turn.abs() <= reach };
        fits && turn != 0
    }
}
