//! Round-trip times between machines, in memory and as CSV.

mod csv;
mod milliseconds;

use std::collections::BTreeSet;

use thiserror::Error;

use simnet_base::diagnostics::Faults;
use simnet_base::units::Duration;

/// Round-trip times of every ordered pair of different machines, each above zero; zero from a machine to itself.
///
/// `Rtts::get(a, b)` is what `a` measured with `b`; what `b` measured may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rtts {
    names: Vec<String>,
    /// Row by row.
    cells: Vec<Duration>,
}

/// Why times are no matrix of round-trip times.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RttsError {
    /// There is no machine.
    #[error("there are no machines")]
    NoMachines,
    /// The number of times is not the square of that of machines.
    #[error("{machines} machines have {wanted} times, not {given}")]
    Size {
        /// How many machines.
        machines: usize,
        /// How many times these have.
        wanted: usize,
        /// How many there are.
        given: usize,
    },
    /// Two machines of one name.
    #[error("two machines are called `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A round trip that takes no time, or one from a machine to itself that does.
    #[error("the round trip from machine {from} to {to} takes {time}")]
    Time {
        /// Who measured it, from 0.
        from: usize,
        /// The other machine, from 0.
        to: usize,
        /// The time.
        time: Duration,
    },
}

impl Rtts {
    /// Takes names and times, these row by row: `cells[a * machines + b]` is what machine a measured with b.
    ///
    /// Costs O(machines²).
    ///
    /// # Errors
    /// [`RttsError`].
    pub fn new(names: Vec<String>, cells: Vec<Duration>) -> Result<Rtts, RttsError> {
        let machines = names.len();
        if machines == 0 {
            return Err(RttsError::NoMachines);
        }
        let wanted = machines.saturating_mul(machines);
        if cells.len() != wanted {
            return Err(RttsError::Size { machines, wanted, given: cells.len() });
        }
        let mut seen = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(RttsError::DuplicateName { name: name.clone() });
        }
        let is_wrong = |at: &usize| (at / machines == at % machines) != (cells[*at] == Duration::ZERO);
        if let Some(at) = (0..wanted).find(is_wrong) {
            return Err(RttsError::Time { from: at / machines, to: at % machines, time: cells[at] });
        }
        Ok(Rtts { names, cells })
    }

    /// Reads the CSV that [`Rtts::to_csv`] writes, or any like it; `file` is what messages call it.
    ///
    /// The first row holds an empty cell and the machines' names; then a row a machine, in the same order: its
    /// name and its times in milliseconds, such as `0.131`, `.131` or `1.31e-1`. The diagonal is 0 or empty.
    /// Cells may stand in quotes and have blanks around them; blank lines do not count. Times are taken to the
    /// nearest picosecond. Costs O(bytes), and machines log machines for the names.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its row and column: an empty file or one that is not UTF-8;
    /// no names, a corner that is not empty, a name that is empty or there twice, more than 10,000 machines; a
    /// row of a wrong name or length, one too few or too many; a time that is absent, zero, negative, no number,
    /// or more than an hour; a diagonal that is neither 0 nor empty; an unclosed quote. After 1,000 faults the
    /// rest is not looked at.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Rtts, Box<Faults>> {
        csv::read(file, bytes)
    }

    /// The times as CSV in milliseconds, exact to the picosecond: [`Rtts::read`] gives the same again, as long as no
    /// name is empty. Costs O(machines²).
    pub fn to_csv(&self) -> String {
        csv::write(self)
    }

    /// The machines' names, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many machines there are; at least one.
    pub fn machines(&self) -> usize {
        self.names.len()
    }

    /// What machine `from` measured with machine `to`; zero if they are the same.
    ///
    /// # Panics
    /// If there is no such machine.
    pub fn get(&self, from: usize, to: usize) -> Duration {
        self.row(from)[to]
    }

    /// What a machine measured with all, itself included.
    ///
    /// # Panics
    /// If there is no such machine.
    pub fn row(&self, from: usize) -> &[Duration] {
        &self.cells[from * self.machines()..][..self.machines()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rtts(names: &[&str], ns: &[u64]) -> Result<Rtts, RttsError> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Rtts::new(names, ns.iter().map(|ns| Duration::from_ns(*ns)).collect())
    }

    /// Wrong if rows and columns were exchanged, or a matrix that is none were taken.
    #[test]
    fn a_matrix_is_square_named_once_and_above_zero() {
        let good = rtts(&["a", "b"], &[0, 1, 2, 0]).unwrap();
        assert_eq!((good.get(0, 1), good.get(1, 0)), (Duration::from_ns(1), Duration::from_ns(2)));
        assert_eq!(rtts(&[], &[]), Err(RttsError::NoMachines));
        assert_eq!(rtts(&["a", "b"], &[0]), Err(RttsError::Size { machines: 2, wanted: 4, given: 1 }));
        assert!(matches!(rtts(&["a", "a"], &[0, 1, 1, 0]), Err(RttsError::DuplicateName { .. })));
        assert!(matches!(rtts(&["a", "b"], &[0, 1, 0, 0]), Err(RttsError::Time { from: 1, to: 0, .. })));
        assert!(matches!(rtts(&["a", "b"], &[0, 1, 1, 3]), Err(RttsError::Time { from: 1, to: 1, .. })));
    }
}
