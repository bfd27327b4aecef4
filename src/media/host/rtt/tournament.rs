//! Which ranks measure with which when several pairs do at once.
//!
//! # Source
//! The circle method of round-robin tournaments (Kirkman 1847): of an even number n of players the last one keeps its
//! seat, and in round r of n - 1 it meets player r, the others meet where their numbers add up to 2r modulo n - 1.
//! Where the number is odd, the last player is a dummy.

/// A tournament: in every round each player meets at most one other, and in all rounds every other once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tournament {
    /// Players, the dummy included: even.
    seats: usize,
    players: usize,
    /// Pairs of a group.
    pairs: usize,
}

/// A player's part in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The opponent.
    pub(super) with: usize,
    /// In which group of pairs that meet at once.
    pub(super) group: usize,
}

impl Tournament {
    /// A tournament of `players`, of whom `pairs` pairs meet at once, at least one.
    pub(super) fn new(players: usize, pairs: u32) -> Tournament {
        let pairs = usize::try_from(pairs).unwrap_or(usize::MAX).max(1);
        Tournament { seats: players.next_multiple_of(2), players, pairs }
    }

    /// How many rounds there are.
    pub(super) fn rounds(&self) -> usize {
        if self.players < 2 { 0 } else { self.seats - 1 }
    }

    /// How many groups of pairs a round has.
    pub(super) fn groups(&self) -> usize {
        (self.players / 2).div_ceil(self.pairs)
    }

    /// The part of `player` in `round`; `None` if it pauses.
    pub(super) fn of(&self, player: usize, round: usize) -> Option<Part> {
        let (last, others) = (self.seats - 1, self.seats - 1);
        let with = match player {
            _ if player == last => round,
            _ if player == round => last,
            _ => (2 * round + others - player) % others,
        };
        if with >= self.players {
            return None;
        }
        // The pair of the last seat is the first unless it is the dummy's, then come the others by their distance.
        let away = if player == last || with == last { 0 } else { (player + others - round) % others };
        let nth = away.min(others - away) - (self.seats - self.players);
        Some(Part { with, group: nth / self.pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong if two met twice or never, if one met two at once or itself, or if a group had more pairs than it may.
    #[test]
    fn everybody_meets_everybody_once() {
        for players in 0..=33 {
            for pairs in 1..=18 {
                let tournament = Tournament::new(players, pairs);
                let mut met = vec![0; players * players];
                for round in 0..tournament.rounds() {
                    let mut groups = vec![0; tournament.groups()];
                    for player in 0..players {
                        let Some(part) = tournament.of(player, round) else { continue };
                        assert_ne!(part.with, player);
                        let other = tournament.of(part.with, round).unwrap();
                        assert_eq!(other, Part { with: player, group: part.group }, "{players} players");
                        met[player * players + part.with] += 1;
                        groups[part.group] += 1;
                    }
                    assert_eq!(groups.iter().sum::<u32>() as usize, players / 2 * 2);
                    assert!(groups.iter().all(|halves| *halves <= 2 * pairs && *halves > 0), "{groups:?}");
                }
                for (cell, times) in met.iter().enumerate() {
                    let wanted = u32::from(cell / players != cell % players);
                    assert_eq!(*times, wanted, "{players} players, cell {cell}");
                }
            }
        }
    }
}
